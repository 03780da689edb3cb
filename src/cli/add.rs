//! `pimem add`: remember something.

use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};

use super::{
    context::{self, Context},
    error::{Exit, Failure, Kind},
    input,
    intake::{self, New, category, with_tags},
    pick,
    view::Entries,
};
use crate::{
    exchange::jsonl,
    model::{
        entry::EntryId,
        event::{Cue, EventKind},
        time::Timestamp,
    },
    score::{
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
    let lock = context::lock(ctx, &store)?;
    let categories = &ctx.config.categories;
    let mut txn = store.begin_adding(&lock, categories, ctx.now, ctx.who());
    // What replaces another entry may well resemble it.
    if !args.force && args.supersedes.is_none() {
        intake::find_repeated(ctx, &txn, &mut news);
    }
    let known = |new: &New| !txn.snapshot().holders(new.id(ctx)).is_empty();
    if ctx.ui.json || args.supersedes.is_some() || news.iter().any(known) {
        txn.read_evidence();
    }
    intake::refuse_if_unreadable(&txn)?;
    let mut done = Vec::new();
    for new in &news {
        done.push(apply(ctx, &mut txn, new, &done)?);
    }
    if let (Some(selector), Some(new)) = (&args.supersedes, done.first()) {
        let placed = txn.placed();
        let ledger = &txn.snapshot().ledger;
        let board = Board::new(ctx.now, ctx.rules(), vec![(placed, ledger)]);
        let old = pick::entry(ctx, &board, &[], selector)?.entry.id;
        txn.record(old, EventKind::Supersede(new.id))?;
    }
    let mut placed = txn.placed();
    placed.extend(done.iter_mut().filter_map(|done| done.placed.take()));
    let ledger = txn.commit()?;
    drop(lock);
    show(ctx, placed, &ledger, &done);
    intake::say_orders(ctx, &store, news.iter().map(|new| (new.category, new.text.as_str())));
    Ok(Exit::Done)
}

fn apply(ctx: &Context, txn: &mut Txn<'_>, new: &New, earlier: &[Done]) -> Result<Done, Failure> {
    let id = new.id(ctx);
    let pin = new.pin || new.text.pinned();
    let holders: Vec<String> = txn.snapshot().holders(id).into_iter().map(str::to_owned).collect();
    let twice = earlier.iter().any(|done| done.id == id);
    if !holders.is_empty() || twice {
        // Who gives the very words says them; who comes near them may never have seen them.
        if new.known.is_none() {
            txn.say(new.category, new.text.as_str());
        }
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
    new.begin(ctx, txn)?;
    Ok(Done { id, reinforced: false, placed: Some(new.place(ctx, txn)) })
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
        Ok(New { category, topic: None, text, cue, pin, tags, until, told: false, known: None })
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
    let item = jsonl::read(line, &jsonl::ENTRY)
        .map_err(|wrong| Failure::new(Kind::Refused, wrong.message, wrong.hint))?;
    let mut new = base(&item.text)?;
    new.text = with_tags(new.text.as_str(), &item.tags)?;
    new.tags.extend(item.tags);
    if let Some(name) = &item.category {
        new.category = category(ctx, name)?;
    }
    new.cue = item.cue.unwrap_or(new.cue);
    new.until = item.until.or(new.until);
    new.pin |= item.pinned;
    Ok(new)
}

fn last_day(text: &str) -> Result<Timestamp, Failure> {
    Timestamp::end_of_day(text).ok_or_else(|| {
        let message = format!("{text:?} is not a date");
        Failure::new(Kind::Usage, message, "write it as in 2026-12-31")
    })
}
