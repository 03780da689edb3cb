//! `pimem add`: adds entries.

use clap::builder::PossibleValuesParser;
use pimem_core::{
    exchange::jsonl,
    model::{
        event::Cue,
        rules::{LineAsides, LineRule, LineRules},
        time::{Date, Timestamp},
    },
    safety::text::EntryText,
};
use pimem_engine::{
    error::{Failure, FailureKind},
    local_time,
    memory::{
        add::{AddRequest, AddView, Added, Rejected, ReplacedEntry},
        background,
        intake::{self, NewText, with_tags},
        next::{NotShown, Older, Prospect},
    },
};

use crate::{
    shell::{self, Exit, Shell},
    ui::{Human, Ui},
};

/// Remember something
///
/// The text is one line; words given as separate arguments are joined by spaces, and each item of a
/// list is an entry. What is known already is reinforced instead, also in slightly other words, but
/// never when numbers, names, quoted code or a negation differ. What was forgotten, replaced or
/// archived, or is past its last day, comes back. Where the next report would leave the entry out,
/// the answer says why.
///
/// A topic that is full goes on in a file beside it; `--topic` names another file, by subject.
///
/// With `-`, standard input is read: one entry a line, or one JSON object a line with the keys
/// text, category, cue, pin, tags, asked, rules, validUntil, priority, importance and supersedes.
/// Either every line is stored or, when one of them cannot be, none.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem add -c decision Use PostgreSQL for all services\n  \
    pimem add --pin -c preference 'Never push to main'\n  git log -1 --format=%s | pimem add -c done -")]
pub(crate) struct AddArgs {
    /// What to remember (`-` reads standard input)
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
    /// Category: preference, lesson, mistake, pattern, decision, done, or one of your own
    /// [default: that which stands before the text, as in `[decision] TEXT`, or lesson]
    #[arg(long, short, value_name = "CATEGORY")]
    category: Option<String>,
    /// The file that it goes to, `topics/NAME.md`, made when there is none [default: that of the
    /// category]
    #[arg(long, value_name = "NAME")]
    topic: Option<String>,
    /// Never let it fade
    #[arg(long)]
    pin: bool,
    /// How it was learned, which decides its weight
    #[arg(long, value_name = "CUE", default_value = "explicit",
        value_parser = PossibleValuesParser::new(["explicit", "structural", "behavioral", "recurrence"]))]
    cue: String,
    /// Add `#TAG` to the text, also to that of a known entry (repeatable)
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// How it will be asked for in words that it does not say itself: searched with it, shown in no
    /// report (repeatable, at most 4 of 12 words)
    #[arg(long, value_name = "QUESTION")]
    asked: Vec<String>,
    #[command(flatten)]
    rules: RuleArgs,
    /// The entry that this one replaces: it leaves the report
    #[arg(long, value_name = "ENTRY")]
    supersedes: Option<String>,
    /// Last day on which it holds, as clocks show it here
    #[arg(long, value_name = "YYYY-MM-DD")]
    valid_until: Option<String>,
    /// What its score is under the policy weighted, from above 0 to 1; 0 takes it back
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    priority: Option<String>,
    /// How important it is at the start under the policy ebbinghaus, from 0 to 1 [default: 0.5]
    #[arg(long, hide_short_help = true, value_name = "X", allow_hyphen_values = true)]
    importance: Option<String>,
    /// Add it even if an entry says the same in other words
    #[arg(long)]
    force: bool,
}

/// The rules that an entry carries.
#[derive(Debug, clap::Args)]
pub(crate) struct RuleArgs {
    /// Where it counts: where somebody works on such files, relative to the root of the repository;
    /// with --forbid, where that is forbidden (repeatable)
    #[arg(long, value_name = "GLOB")]
    place: Vec<String>,
    /// Let no agent write a line that this matches (repeatable)
    #[arg(long, value_name = "REGEX")]
    forbid: Vec<String>,
    /// Let no agent run a command that this matches (repeatable)
    #[arg(long, value_name = "REGEX")]
    forbid_command: Vec<String>,
    /// Let no agent change such files (repeatable)
    #[arg(long, value_name = "GLOB")]
    protect: Vec<String>,
}

impl RuleArgs {
    pub(super) fn rules(&self) -> Result<LineRules, Failure> {
        let place = |place: &String| LineRule::Place(place.clone());
        let forbid = |pattern: &String| -> Vec<LineRule> {
            let rule = |place: Option<&String>| LineRule::Forbid {
                pattern: pattern.clone(),
                place: place.cloned(),
            };
            let bounded = self.place.iter().map(|place| rule(Some(place)));
            if self.place.is_empty() { vec![rule(None)] } else { bounded.collect() }
        };
        let places = self.place.iter().filter(|_| self.forbid.is_empty()).map(place);
        let forbids = self.forbid.iter().flat_map(forbid);
        let commands = self.forbid_command.iter().cloned().map(LineRule::ForbidCommand);
        let protects = self.protect.iter().cloned().map(LineRule::Protect);
        intake::rules(LineRules::of(places.chain(forbids).chain(commands).chain(protects)))
    }
}

pub(crate) fn run(ctx: &Shell, args: &AddArgs) -> Result<Exit, Failure> {
    let mut news = read(ctx, args)?;
    if let Some(selector) = &args.supersedes {
        let [(_, new)] = news.as_mut_slice() else {
            let message = "--supersedes takes one new entry";
            return Err(Failure::new(
                FailureKind::Usage,
                message,
                "or give each line a key supersedes",
            ));
        };
        new.supersedes = Some(selector.clone());
    }
    let (numbers, texts): (Vec<Option<usize>>, Vec<NewText>) = news.into_iter().unzip();
    let has_priority = texts.iter().any(|new| new.priority.is_some());
    let request = AddRequest {
        texts,
        // A replacement may resemble the entry that it replaces.
        force: args.force || args.supersedes.is_some(),
        whole: ctx.memory.notices.for_programs(),
        keeps_out: false,
    };
    let results = ctx.memory.writing().add(request).map_err(|Rejected { at, failure }| {
        let number = at.and_then(|at| numbers.get(at).copied().flatten());
        at_line(number, failure)
    })?;
    if has_priority {
        ctx.memory.writing().say_unweighted();
    }
    ctx.ui.show(&AddView { results });
    tell_guards(ctx, &args.rules.rules()?);
    background::start_filling(&ctx.memory);
    Ok(Exit::Done)
}

/// Says what rules forbid today, and whether they are in force.
pub(super) fn tell_guards(ctx: &Shell, rules: &LineRules) {
    if let Some(places) = ctx.memory.reading().forbidden_today(rules) {
        let first = places.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
        let more = if places.len() > 3 { ", …" } else { "" };
        ctx.ui.explain(&match places.len() {
            0 => "    No line of the work tree has that today".to_owned(),
            1 => format!("    1 line has that today: {first}"),
            many => format!("    {many} lines have that today: {first}{more}"),
        });
    }
    if rules.has_guard() && !ctx.memory.writing().makes_guards() {
        ctx.ui.explain("    Nothing is forbidden before a person says so: pimem trust --review");
    }
}

impl Human for AddView {
    fn human(&self, ui: &Ui) {
        for Added { action, category, text, short, next, asides, replaces, .. } in &self.results {
            let what =
                if *action == "added" { "Added" } else { "Already exists, reinforced instead" };
            ui.line(&format!("{what}: [{category}] {text} ({short})"));
            if let Some(LineAsides { asked, rules }) = asides {
                if !asked.is_empty() {
                    ui.line(&format!("    Asked as: {asked}"));
                }
                for rule in rules {
                    ui.line(&format!("    Its rule: {rule}"));
                }
            }
            tell_absent(ui, next.absent.as_ref());
            if let Some(ReplacedEntry { line, archived, .. }) = replaces {
                let place = if *archived { " (it was in the archive already)" } else { "" };
                ui.line(&format!("    Replaces: {line}{place}"));
            }
            tell_older(ui, next);
        }
    }
}

/// Prints what the next report does with an entry, below the line about it.
pub(super) fn tell(ui: &Ui, next: &Prospect) {
    tell_absent(ui, next.absent.as_ref());
    tell_older(ui, next);
}

/// Prints why the next report leaves an entry out.
pub(super) fn tell_absent(ui: &Ui, absent: Option<&NotShown>) {
    if let Some(NotShown { reason, remedy }) = absent {
        let remedy = remedy.as_ref().map(|act| format!(" ({act} brings it in)"));
        let remedy = remedy.unwrap_or_default();
        ui.line(&format!("    Not in the next report: {reason}{remedy}"));
    }
}

fn tell_older(ui: &Ui, next: &Prospect) {
    if let Some(Older { category, text, short, remedy, .. }) = &next.seems_to_replace {
        let older = format!("[{category}] {text} ({short})");
        ui.line(&format!("    Seems to replace: {older}; if so: {remedy}"));
    }
}

/// Adds the line number of standard input to a failure.
fn at_line(number: Option<usize>, failure: Failure) -> Failure {
    let Some(number) = number else { return failure };
    let message = format!("line {number} of standard input: {}", failure.message);
    Failure { message, ..failure }
}

/// Parses and checks the texts before a lock is taken. Each comes with its line number on standard
/// input.
fn read(ctx: &Shell, args: &AddArgs) -> Result<Vec<(Option<usize>, NewText)>, Failure> {
    let cue = Cue::find(&args.cue).unwrap_or(Cue::Explicit);
    let until = args.valid_until.as_deref().map(last_day).transpose()?;
    let topic = args.topic.as_deref().map(intake::topic).transpose()?;
    let share = |option: &str, text: &Option<String>| {
        text.as_deref().map(|text| shell::share(option, text)).transpose()
    };
    let priority = share("--priority", &args.priority)?;
    let importance = share("--importance", &args.importance)?;
    let asides = LineAsides { asked: intake::asked(&args.asked)?, rules: args.rules.rules()? };
    let base = |text: &str, category: Option<&str>| {
        let category = category.or(args.category.as_deref());
        let (category, text) = intake::stated(&ctx.memory, category, text)?;
        let plain = NewText::plain(category, EntryText::new(text)?, cue);
        let (topic, asides) = (topic.clone(), asides.clone());
        let new = NewText { pin: args.pin, until, topic, asides, priority, importance, ..plain };
        tagged(new, &args.tags)
    };
    let is_category = |name: &str| ctx.memory.config.categories.find(name).is_some();
    match args.text.as_slice() {
        [input] if input == "-" => {}
        // A category and one quoted text.
        [name, text] if args.category.is_none() && text.contains(' ') && is_category(name) => {
            return Ok(vec![(None, base(text, Some(name))?)]);
        }
        words => {
            let items = intake::items(&words.join(" "));
            return items.iter().map(|item| Ok((None, base(item, None)?))).collect();
        }
    }
    let input = shell::read_stdin()?;
    let mut news = Vec::new();
    for (number, line) in (1..).zip(input.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let new = if line.trim_start().starts_with('{') {
            from_json(line, base)
        } else {
            base(line, None)
        };
        let number = Some(number);
        news.push((number, new.map_err(|failure| at_line(number, failure))?));
    }
    if news.is_empty() {
        let message = "standard input is empty";
        return Err(Failure::new(FailureKind::Refused, message, "give one entry a line"));
    }
    Ok(news)
}

fn tagged(new: NewText, tags: &[String]) -> Result<NewText, Failure> {
    let text = with_tags(&new.text, tags)?;
    let bare = new.text.as_str().to_owned();
    let untagged = new.untagged.or((text.as_str() != bare).then_some(bare));
    Ok(NewText { text, untagged, tags: [new.tags, tags.to_vec()].concat(), ..new })
}

fn from_json(
    line: &str,
    base: impl Fn(&str, Option<&str>) -> Result<NewText, Failure>,
) -> Result<NewText, Failure> {
    let item = jsonl::read(line, jsonl::ENTRY)
        .map_err(|wrong| Failure::new(FailureKind::Refused, wrong.message, wrong.hint))?;
    let mut new = tagged(base(&item.text, item.category.as_deref())?, &item.tags)?;
    new.cue = item.cue.unwrap_or(new.cue);
    new.until = item.until.map(local_time::end_of).or(new.until);
    new.priority = item.priority.or(new.priority);
    new.importance = item.importance.or(new.importance);
    new.pin |= item.pinned;
    new.supersedes = item.supersedes;
    if !item.asked.is_empty() {
        new.asides.asked = intake::asked(&item.asked)?;
    }
    if !item.rules.is_empty() {
        new.asides.rules = intake::rules(item.rules)?;
    }
    Ok(new)
}

fn last_day(text: &str) -> Result<Timestamp, Failure> {
    Date::parse(text).map(local_time::end_of).ok_or_else(|| {
        let message = format!("{text:?} is not a date");
        Failure::new(FailureKind::Usage, message, "write it as in 2026-12-31")
    })
}
