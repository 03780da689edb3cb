//! `pimem add`: remember something.

use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};

use super::{
    context::{self, Context},
    error::{Exit, Failure, Kind},
    input, pick,
    view::Entries,
};
use crate::{
    config::locate,
    embed::{self, table, vector::Vector},
    model::{
        category::CategoryId,
        entry::{EntryId, EntryText},
        event::{Cue, EventKind},
        time::Timestamp,
    },
    recall::duplicate::{self, Outline, Probe},
    score::{
        adopt,
        board::{self, Board, Placed},
        evidence::UserState,
        ledger::Ledger,
    },
    store::txn::{Change, Target, Txn},
};

/// Remember something
///
/// The text is one line; words given as separate arguments are joined by spaces. What is known
/// already is reinforced instead, also in slightly other words, but never when numbers, names,
/// quoted code or a negation differ.
///
/// With `-`, standard input is read: one entry a line, or one JSON object a line with the keys
/// text, category, cue, pin, tags and validUntil. Either every line is stored or, when one of them
/// cannot be, none.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem add -c decision Use PostgreSQL for all services\n  \
    pimem add --pin -c preference 'Never push to main'\n  git log -1 --format=%s | pimem add -c done -")]
pub(crate) struct Args {
    /// What to remember (`-` reads standard input)
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
    /// Category: preference, lesson, mistake, pattern, decision, done, or one of your own
    #[arg(long, short, default_value = "lesson", value_name = "CATEGORY")]
    category: String,
    /// Never let it fade
    #[arg(long)]
    pin: bool,
    /// How it was learned, which decides its weight
    #[arg(long, value_name = "CUE", default_value = "explicit",
        value_parser = PossibleValuesParser::new(["explicit", "structural", "behavioral", "recurrence"]))]
    cue: String,
    /// Add `#TAG` to the text (repeatable)
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// The entry that this one replaces: it leaves the report
    #[arg(long, value_name = "ENTRY")]
    supersedes: Option<String>,
    /// Last day on which it holds
    #[arg(long, value_name = "YYYY-MM-DD")]
    valid_until: Option<String>,
    /// Add it even if an entry says the same in other words
    #[arg(long)]
    force: bool,
}

/// An entry to be, checked.
struct New {
    category: CategoryId,
    text: EntryText,
    cue: Cue,
    pin: bool,
    tags: Vec<String>,
    until: Option<Timestamp>,
    /// The entry that it turned out to be.
    known: Option<EntryId>,
}

impl New {
    fn id(&self, ctx: &Context) -> EntryId {
        let name = &ctx.config.categories.spec(self.category).name;
        let own = || EntryId::of(name, self.text.as_str().as_bytes());
        self.known.unwrap_or_else(own)
    }

    /// The entry that says the same in other words, if there is one.
    fn repeats<'a>(&self, entries: impl Iterator<Item = (EntryId, &'a str)>) -> Option<EntryId> {
        let text = self.text.as_str();
        let (probe, outline) = (Probe::of(text), Outline::of(text));
        let least = table::model().thresholds.duplicate;
        let near = |known: &str| {
            let known = Vector::quantize(&table::embed(&embed::passage(known)));
            let own = Vector::quantize(&table::embed(&embed::passage(text)));
            f64::from(own.cosine(&known.numbers, known.scale)) >= least
        };
        let same = |known: &str| {
            duplicate::could_match(&probe, known)
                && outline.says_the_same(&Outline::of(known))
                && near(known)
        };
        entries.into_iter().find(|(_, known)| same(known)).map(|(id, _)| id)
    }
}

/// What became of it.
struct Done {
    id: EntryId,
    reinforced: bool,
    placed: Option<Placed>,
}

pub(crate) fn run(ctx: &Context, args: &Args) -> Result<Exit, Failure> {
    let mut news = read(ctx, args)?;
    if args.supersedes.is_some() && news.len() > 1 {
        let message = "--supersedes takes one new entry";
        return Err(Failure::new(Kind::Usage, message, "add the others in a call of their own"));
    }
    let store = ctx.writer()?;
    let lock = context::lock(&store)?;
    let categories = &ctx.config.categories;
    let mut txn = store.begin_adding(&lock, categories, ctx.now, ctx.who());
    // What replaces another entry may well resemble it.
    if !args.force && args.supersedes.is_none() {
        find_repeated(ctx, &txn, &mut news);
    }
    let known = |new: &New| !txn.snapshot().holders(new.id(ctx)).is_empty();
    if ctx.ui.json || args.supersedes.is_some() || news.iter().any(known) {
        txn.read_evidence();
    }
    refuse_if_unreadable(&txn)?;
    let mut done = Vec::new();
    for new in &news {
        done.push(apply(ctx, &mut txn, new, &done)?);
    }
    if let (Some(selector), Some(new)) = (&args.supersedes, done.first()) {
        let placed = txn.snapshot().placed(store.scope);
        let ledger = &txn.snapshot().ledger;
        let board = Board::new(ctx.now, ctx.rules(), vec![(placed, ledger)]);
        let old = pick::entry(ctx, &board, selector)?.entry.id;
        txn.record(old, EventKind::Supersede(new.id))?;
    }
    let mut placed = txn.snapshot().placed(store.scope);
    placed.extend(done.iter_mut().filter_map(|done| done.placed.take()));
    let ledger = txn.commit()?;
    drop(lock);
    show(ctx, placed, &ledger, &done);
    Ok(Exit::Done)
}

/// Finds out which of the new entries say what others do, known ones or earlier new ones.
fn find_repeated(ctx: &Context, txn: &Txn<'_>, news: &mut [New]) {
    for at in 0..news.len() {
        let Some((new, earlier)) = news.get_mut(..=at).and_then(<[New]>::split_last_mut) else {
            continue;
        };
        // What holds until another day is another statement.
        if new.until.is_some() || !txn.snapshot().holders(new.id(ctx)).is_empty() {
            continue;
        }
        let known = txn.snapshot().of_category(new.category);
        let earlier = earlier.iter().filter(|other| other.category == new.category);
        let earlier = earlier.map(|other| (other.id(ctx), other.text.as_str()));
        new.known = new.repeats(known.chain(earlier));
    }
}

/// A store that cannot be read whole might hold the entry already: nothing is added to it.
fn refuse_if_unreadable(txn: &Txn<'_>) -> Result<(), Failure> {
    txn.snapshot().problems.first().map_or(Ok(()), |problem| Err(Failure::from(problem)))
}

fn apply(ctx: &Context, txn: &mut Txn<'_>, new: &New, earlier: &[Done]) -> Result<Done, Failure> {
    let spec = ctx.config.categories.spec(new.category);
    let id = new.id(ctx);
    let pin = new.pin || new.text.pinned();
    let holders: Vec<String> = txn.snapshot().holders(id).into_iter().map(str::to_owned).collect();
    let twice = earlier.iter().any(|done| done.id == id);
    if !holders.is_empty() || twice {
        let user = txn.snapshot().ledger.evidence(id).map(|evidence| evidence.user);
        if user == Some(UserState::Forgotten) {
            txn.record(id, EventKind::Restore)?;
        }
        txn.record(id, EventKind::Reinforce(1))?;
        if pin && !holders.is_empty() {
            txn.record(id, EventKind::Pin)?;
            for stem in holders {
                txn.change(Target::Topic(stem), Change::SetPinned(id, true));
            }
        }
        return Ok(Done { id, reinforced: true, placed: None });
    }
    let line = adopt::Line {
        id,
        category: &spec.name,
        topic: &spec.topic,
        text: new.text.as_str(),
        pinned: pin,
    };
    let kind = EventKind::Add(new.cue, Some(adopt::origin(&line)));
    txn.record_tagged(id, kind, new.tags.clone())?;
    if pin {
        txn.record(id, EventKind::Pin)?;
    }
    if let Some(until) = new.until {
        txn.record(id, EventKind::Expire(until))?;
    }
    let text = new.text.as_str().to_owned();
    let placed = Placed {
        id,
        category: new.category,
        text: text.clone(),
        pinned: pin,
        topic: spec.topic.to_string(),
        line: txn.next_line(&spec.topic),
        scope: txn.scope(),
    };
    let change = Change::Append { category: new.category, text, pinned: pin };
    txn.change(Target::Topic(spec.topic.to_string()), change);
    Ok(Done { id, reinforced: false, placed: Some(placed) })
}

fn show(ctx: &Context, placed: Vec<Placed>, ledger: &Ledger, done: &[Done]) {
    if ctx.ui.json {
        let board = Board::new(ctx.now, ctx.rules(), vec![(placed, ledger)]);
        let entries = Entries::new(ctx.now, &ctx.config.categories, &board);
        let result = |done: &Done| {
            let action = if done.reinforced { "reinforced" } else { "added" };
            Some(json!({"action": action, "entry": entries.json(board.get(done.id)?)}))
        };
        let results: Vec<Value> = done.iter().filter_map(result).collect();
        ctx.ui.document(&json!({"schema": "pimem.add/1", "results": results}));
        return;
    }
    let short = board::short_ids(placed.iter().map(|entry| entry.id));
    for Done { id, reinforced, .. } in done {
        let what = if *reinforced { "Already exists, reinforced instead" } else { "Added" };
        let entry = placed.iter().find(|entry| entry.id == *id);
        if let (Some(Placed { category, text, .. }), Some(short)) = (entry, short.get(id)) {
            let name = &ctx.config.categories.spec(*category).name;
            ctx.ui.line(&format!("{what}: [{name}] {text} ({short})"));
        }
    }
}

/// Everything that is checked before any lock is taken.
fn read(ctx: &Context, args: &Args) -> Result<Vec<New>, Failure> {
    let cue = Cue::find(&args.cue).unwrap_or(Cue::Explicit);
    let until = args.valid_until.as_deref().map(last_day).transpose()?;
    if until.is_some_and(|until| until < ctx.now.0) {
        ctx.ui.note("That day has passed: the entry is stored and not shown");
    }
    let base = |text: &str| {
        let category = category(ctx, &args.category)?;
        let text = with_tags(text, &args.tags)?;
        let (pin, tags) = (args.pin, args.tags.clone());
        Ok(New { category, text, cue, pin, tags, until, known: None })
    };
    if args.text != ["-"] {
        return Ok(vec![base(&args.text.join(" "))?]);
    }
    let input = input::read_stdin()?;
    let mut news = Vec::new();
    for (number, line) in (1..).zip(input.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let new = if line.trim_start().starts_with('{') {
            from_json(ctx, line, base)
        } else {
            base(line)
        };
        news.push(new.map_err(|failure| Failure {
            message: format!("line {number} of standard input: {}", failure.message),
            ..failure
        })?);
    }
    if news.is_empty() {
        let message = "standard input is empty";
        return Err(Failure::new(Kind::Refused, message, "give one entry a line"));
    }
    Ok(news)
}

fn from_json(
    ctx: &Context,
    line: &str,
    base: impl Fn(&str) -> Result<New, Failure>,
) -> Result<New, Failure> {
    const KEYS: [&str; 6] = ["text", "category", "cue", "pin", "tags", "validUntil"];
    let refuse = |message: String, hint: &str| Failure::new(Kind::Refused, message, hint);
    let example = r#"as in {"text": "Use tabs", "category": "preference", "tags": ["style"]}"#;
    let object: Value = serde_json::from_str(line).map_err(|error| {
        // Its own line is always the first; the caller names the true one.
        let text = error.to_string();
        let what = text.split_once(" at line ").map_or(text.as_str(), |(what, _)| what);
        refuse(format!("not valid JSON: {what} (column {})", error.column()), example)
    })?;
    let fields = object.as_object().ok_or_else(|| refuse("not an object".to_owned(), example))?;
    if let Some(key) = fields.keys().find(|key| !KEYS.contains(&key.as_str())) {
        let hint = locate::closest(key, KEYS.into_iter()).map_or_else(
            || format!("the keys are {}", KEYS.join(", ")),
            |k| format!("did you mean {k}?"),
        );
        return Err(refuse(format!("unknown key {key:?}"), &hint));
    }
    let text = |key: &str| match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(refuse(format!("{key} is not a text"), example)),
    };
    let tags = match fields.get("tags") {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(tags) => tags.as_array().and_then(|tags| {
            tags.iter().map(|tag| tag.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        }),
    };
    let tags = tags.ok_or_else(|| refuse("tags is not a list of texts".to_owned(), example))?;
    let mut new = base(text("text")?.unwrap_or_default())?;
    new.text = with_tags(new.text.as_str(), &tags)?;
    new.tags.extend(tags);
    if let Some(name) = text("category")? {
        new.category = category(ctx, name)?;
    }
    if let Some(name) = text("cue")? {
        let names = "explicit, structural, behavioral, recurrence";
        new.cue = Cue::find(name)
            .ok_or_else(|| refuse(format!("unknown cue {name:?}"), &format!("one of {names}")))?;
    }
    if let Some(day) = text("validUntil")? {
        new.until = Some(last_day(day)?);
    }
    match fields.get("pin") {
        None | Some(Value::Null) => {}
        Some(Value::Bool(pin)) => new.pin |= pin,
        Some(_) => return Err(refuse("pin is neither true nor false".to_owned(), example)),
    }
    Ok(new)
}

/// The category of that name, or a failure that lists them all.
pub(crate) fn category(ctx: &Context, name: &str) -> Result<CategoryId, Failure> {
    let categories = &ctx.config.categories;
    categories.find(name).ok_or_else(|| {
        let known = categories.iter().map(|(_, spec)| spec.name.as_ref());
        let mut hints = vec![format!("the categories are {}", categories.names())];
        if let Some(name) = locate::closest(name, known) {
            hints.insert(0, format!("did you mean {name}?"));
        }
        Failure { kind: Kind::Usage, message: format!("unknown category {name:?}"), hints }
    })
}

fn last_day(text: &str) -> Result<Timestamp, Failure> {
    Timestamp::end_of_day(text).ok_or_else(|| {
        let message = format!("{text:?} is not a date");
        Failure::new(Kind::Usage, message, "write it as in 2026-12-31")
    })
}

fn with_tags(text: &str, tags: &[String]) -> Result<EntryText, Failure> {
    // A tag alone is no memory, so the text is looked at before tags are added.
    let plain = EntryText::new(text)?;
    let mut all = plain.as_str().to_owned();
    for tag in tags {
        let name = tag.trim_start_matches('#');
        let good = (1..=64).contains(&name.len())
            && name.chars().all(|c| c.is_alphanumeric() || "-_:/.".contains(c));
        if !good {
            let message = format!("{tag:?} is not a usable tag");
            let hint = "tags are letters, digits, and any of - _ : / .";
            return Err(Failure::new(Kind::Refused, message, hint));
        }
        let word = format!("#{name}");
        if !all.split_whitespace().any(|known| known == word) {
            all.push(' ');
            all.push_str(&word);
        }
    }
    if plain.pinned() {
        all.push_str(" *(pinned)*");
    }
    Ok(EntryText::new(&all)?)
}
