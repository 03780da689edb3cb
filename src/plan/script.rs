//! A plan as a text that people read, shorten and apply: one act a line, with its reason.
//!
//! Columns are parted by tabs: the act, which entries, a text, the reason. What a text column says of
//! an entry is there for the reader, and has to be true, so that nothing else is done than is read.

use std::fmt::Write as _;

use super::act::{Act, Plan, Refused, Step};
use crate::{
    model::{entry::EntryId, event::Cue, time::Timestamp},
    text::safe,
};

/// The first line.
const FIRST: &str = "pimem dream plan 1";

/// What a plan says of the entries that it names.
pub(crate) trait Naming {
    /// The canonical line of an entry, if it is there.
    fn line(&self, id: EntryId) -> Option<String>;
    /// A short id that names it alone.
    fn short(&self, id: EntryId) -> String;
    /// The one entry that an id or its beginning names, or why there is none.
    fn find(&self, id: &str) -> Result<EntryId, String>;
}

/// The text of a plan.
pub(crate) fn write(plan: &Plan, naming: &impl Naming) -> String {
    let mut out = format!("{FIRST}\nmade\t{}\nstate\t{}\n", plan.made, plan.state);
    out.push_str(
        "# One act a line, the reason last, tabs between. A line that is deleted is not done.\n",
    );
    for step in &plan.steps {
        let mark = if matches!(step.act, Act::Propose(_)) { "# " } else { "" };
        let columns = columns(&step.act, naming).map(|column| safe::terminal(&column).into_owned());
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{mark}{}\t{}", columns.join("\t"), safe::terminal(&step.reason));
    }
    for Refused { what, why } in &plan.refused {
        let _ = writeln!(out, "# refused: {}: {}", safe::terminal(what), safe::terminal(why));
    }
    out
}

/// What is done, to which entries, and the text that says what that means.
fn columns(act: &Act, naming: &impl Naming) -> [String; 3] {
    let line = |id: EntryId| naming.line(id).unwrap_or_default();
    let ids =
        |ids: &[EntryId]| ids.iter().map(|id| naming.short(*id)).collect::<Vec<_>>().join(" ");
    let (verb, which, text) = match act {
        Act::Merge { keep, from } => {
            ("merge", format!("{} < {}", naming.short(*keep), ids(from)), line(*keep))
        }
        Act::Archive(id) => ("archive", naming.short(*id), line(*id)),
        Act::Add { category, cue, text } => {
            ("add", cue.name().to_owned(), format!("[{category}] {text}"))
        }
        Act::Reinforce(id, n) => ("reinforce", format!("{} +{n}", naming.short(*id)), line(*id)),
        Act::Combine { category, text, from } => {
            ("combine", ids(from), format!("[{category}] {text}"))
        }
        Act::Propose(of) => ("propose", ids(of), String::new()),
    };
    [verb.to_owned(), which, text]
}

/// A plan as read: what it was made for, and its acts with the numbers of their lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Script {
    /// When it was made.
    pub(crate) made: Option<Timestamp>,
    /// What the store held then, as a hash.
    pub(crate) state: String,
    /// Each act with its line, or what is wrong with that.
    pub(crate) lines: Vec<(usize, Result<(Act, String), String>)>,
}

/// Reads a plan. `None` when it is none.
pub(crate) fn read(text: &str, naming: &impl Naming) -> Option<Script> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..).zip(text.lines());
    lines.next().filter(|(_, first)| first.trim_end() == FIRST)?;
    let mut script = Script { made: None, state: String::new(), lines: Vec::new() };
    for (number, line) in lines {
        let line = line.trim_end();
        match line.split_once('\t') {
            _ if line.is_empty() || line.starts_with('#') => {}
            Some(("made", time)) => script.made = Timestamp::parse(time),
            Some(("state", state)) => state.clone_into(&mut script.state),
            _ => script.lines.push((number, step(line, naming))),
        }
    }
    Some(script)
}

fn step(line: &str, naming: &impl Naming) -> Result<(Act, String), String> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [verb, which, text, reason] = *columns else {
        return Err(format!("has {} columns instead of 4", columns.len()));
    };
    let find = |id: &str| naming.find(id);
    let find_all = |ids: &str| ids.split_whitespace().map(find).collect::<Result<Vec<_>, _>>();
    // What the reader was told of an entry.
    let told = |id: EntryId| {
        let line = naming.line(id).unwrap_or_default();
        let true_line = safe::terminal(&line);
        (true_line == text).then_some(id).ok_or_else(|| format!("{which} is {true_line:?} now"))
    };
    let worded = || {
        let parts = text.strip_prefix('[').and_then(|rest| rest.split_once("] "));
        let (category, text) = parts.ok_or("has no text like [lesson] text")?;
        Ok::<_, String>((category.to_owned(), text.to_owned()))
    };
    let act = match verb {
        "merge" => {
            let (keep, from) = which.split_once('<').ok_or("names no entries like A < B")?;
            Act::Merge { keep: told(find(keep.trim())?)?, from: find_all(from)? }
        }
        "archive" => Act::Archive(told(find(which)?)?),
        "add" => {
            let cue = Cue::find(which).ok_or_else(|| format!("knows no cue {which:?}"))?;
            let (category, text) = worded()?;
            Act::Add { category, cue, text }
        }
        "reinforce" => {
            let (id, n) = which.split_once(" +").ok_or("names no entry like A +1")?;
            let n = n.parse().ok().filter(|n| (1..=100).contains(n));
            Act::Reinforce(told(find(id)?)?, n.ok_or("adds no number from 1 to 100")?)
        }
        "combine" => {
            let (category, text) = worded()?;
            Act::Combine { category, text, from: find_all(which)? }
        }
        _ => return Err(format!("asks for {verb:?}, which is no act")),
    };
    Ok((act, reason.to_owned()))
}
