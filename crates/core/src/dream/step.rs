//! The steps of a dream: acts on a store, each with its reason; and a plan of them as text that people
//! review, shorten and apply: one act per line.
//!
//! Columns are separated by tabs: act, entries, text, reason. The text column describes an entry for
//! the reader and must match the entry, so that exactly what was read is done.

use std::fmt::Write as _;

use super::vet::LookupError;
use crate::{
    model::{entry::EntryId, event::Cue, questions::Questions, time::Timestamp},
    safety::safe_text,
};

/// One change to a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepAction {
    /// Archives entries that paraphrase `keep`, which takes over their evidence. An entry that
    /// appears on several lines is merged with itself and keeps one line.
    Merge {
        keep: EntryId,
        /// Entries to archive.
        from: Vec<EntryId>,
    },
    Archive(EntryId),
    Add {
        category: String,
        cue: Cue,
        text: String,
    },
    Reinforce(EntryId, u32),
    /// Archives several entries and adds a new one that takes over their evidence.
    Combine {
        category: String,
        text: String,
        /// Entries to archive.
        from: Vec<EntryId>,
    },
    /// Gives an entry without questions those that it will be asked for as.
    Ask(EntryId, Questions),
    /// Entries that a person should consolidate. Nothing is changed.
    Propose(Vec<EntryId>),
}

/// The origin of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlannedBy {
    /// The rules, for harmless steps.
    Rules,
    /// The rules, if a person agrees.
    Offer,
    /// A language model.
    Model,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    pub act: StepAction,
    /// The reason, on one line.
    pub reason: String,
    pub by: PlannedBy,
}

/// A requested act that is not carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedStep {
    /// The act, on one line.
    pub what: String,
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Hash of the store's content; the plan applies to that content only.
    pub state: String,
    pub made: Timestamp,
    /// Steps in the order of execution.
    pub steps: Vec<PlanStep>,
    pub refused: Vec<RefusedStep>,
}

/// The first line of a plan.
const FIRST: &str = "pimem dream plan 1";

/// Maps between entries and the names that a plan uses for them.
pub trait Naming {
    /// Returns `[category] text` of an entry, if it exists.
    fn line(&self, id: EntryId) -> Option<String>;
    /// Returns a short, unambiguous id.
    fn short(&self, id: EntryId) -> String;
    /// Returns the one entry with an id or prefix of an id, or an error message.
    fn find(&self, id: &str) -> Result<EntryId, LookupError>;
}

pub fn write_script(plan: &Plan, naming: &impl Naming) -> String {
    let mut out = format!("{FIRST}\nmade\t{}\nstate\t{}\n", plan.made, plan.state);
    out.push_str(
        "# One act a line, the reason last, tabs between. A line that is deleted is not done.\n",
    );
    for step in &plan.steps {
        let mark = if matches!(step.act, StepAction::Propose(_)) { "# " } else { "" };
        let columns =
            columns(&step.act, naming).map(|column| safe_text::terminal(&column).into_owned());
        // Writing to a string cannot fail.
        let _ =
            writeln!(out, "{mark}{}\t{}", columns.join("\t"), safe_text::terminal(&step.reason));
    }
    for RefusedStep { what, why } in &plan.refused {
        let _ =
            writeln!(out, "# refused: {}: {}", safe_text::terminal(what), safe_text::terminal(why));
    }
    out
}

fn columns(act: &StepAction, naming: &impl Naming) -> [String; 3] {
    let line = |id: EntryId| naming.line(id).unwrap_or_default();
    let ids =
        |ids: &[EntryId]| ids.iter().map(|id| naming.short(*id)).collect::<Vec<_>>().join(" ");
    let (verb, which, text) = match act {
        StepAction::Merge { keep, from } => {
            ("merge", format!("{} < {}", naming.short(*keep), ids(from)), line(*keep))
        }
        StepAction::Archive(id) => ("archive", naming.short(*id), line(*id)),
        StepAction::Add { category, cue, text } => {
            ("add", cue.name().to_owned(), format!("[{category}] {text}"))
        }
        StepAction::Reinforce(id, n) => {
            ("reinforce", format!("{} +{n}", naming.short(*id)), line(*id))
        }
        StepAction::Combine { category, text, from } => {
            ("combine", ids(from), format!("[{category}] {text}"))
        }
        StepAction::Ask(id, questions) => {
            ("ask", format!("{}: {questions}", naming.short(*id)), line(*id))
        }
        StepAction::Propose(of) => ("propose", ids(of), String::new()),
    };
    [verb.to_owned(), which, text]
}

/// Returns an act on one line.
pub fn what(act: &StepAction, naming: &impl Naming) -> String {
    columns(act, naming).join(" ").trim_end().to_owned()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub made: Option<Timestamp>,
    /// Hash of the store's content at that time.
    pub state: String,
    /// Acts by line number.
    pub lines: Vec<(usize, ScriptLine)>,
}

/// An act with its reason, or an error message for the line.
pub type ScriptLine = Result<(StepAction, String), LineError>;

/// The reason why a line of a plan is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    #[error("has {0} columns instead of 4")]
    Columns(usize),
    #[error("asks for {0:?}, which is no act")]
    UnknownAct(String),
    #[error(transparent)]
    Entry(#[from] LookupError),
    #[error("{which} is {now:?} now")]
    Changed { which: String, now: String },
    #[error("has no text like [lesson] text")]
    NoText,
    #[error("names no entries like A < B")]
    NoMerge,
    #[error("knows no cue {0:?}")]
    UnknownCue(String),
    #[error("names no entry like A +1")]
    NoReinforcement,
    #[error("adds no number from 1 to 100")]
    NoNumber,
    #[error("names no entry and questions like A: where; when")]
    NoQuestions,
}

/// Parses a plan. Returns `None` if the text is not one.
pub fn read_script(text: &str, naming: &impl Naming) -> Option<Script> {
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

fn step(line: &str, naming: &impl Naming) -> ScriptLine {
    let columns: Vec<&str> = line.split('\t').collect();
    let [verb, which, text, reason] = *columns else {
        return Err(LineError::Columns(columns.len()));
    };
    let find = |id: &str| naming.find(id);
    let find_all = |ids: &str| ids.split_whitespace().map(find).collect::<Result<Vec<_>, _>>();
    // Checks that the text column still matches the entry.
    let told = |id: EntryId| {
        let line = naming.line(id).unwrap_or_default();
        let now = safe_text::terminal(&line);
        let changed = || LineError::Changed { which: which.to_owned(), now: now.to_string() };
        (now == text).then_some(id).ok_or_else(changed)
    };
    let worded = || {
        let parts = text.strip_prefix('[').and_then(|rest| rest.split_once("] "));
        let (category, text) = parts.ok_or(LineError::NoText)?;
        Ok::<_, LineError>((category.to_owned(), text.to_owned()))
    };
    let act = match verb {
        "merge" => {
            let (keep, from) = which.split_once('<').ok_or(LineError::NoMerge)?;
            StepAction::Merge { keep: told(find(keep.trim())?)?, from: find_all(from)? }
        }
        "archive" => StepAction::Archive(told(find(which)?)?),
        "add" => {
            let cue = Cue::find(which).ok_or_else(|| LineError::UnknownCue(which.to_owned()))?;
            let (category, text) = worded()?;
            StepAction::Add { category, cue, text }
        }
        "reinforce" => {
            let (id, n) = which.split_once(" +").ok_or(LineError::NoReinforcement)?;
            let n = n.parse().ok().filter(|n| (1..=100).contains(n));
            StepAction::Reinforce(told(find(id)?)?, n.ok_or(LineError::NoNumber)?)
        }
        "combine" => {
            let (category, text) = worded()?;
            StepAction::Combine { category, text, from: find_all(which)? }
        }
        "ask" => {
            let (id, asked) = which.split_once(": ").ok_or(LineError::NoQuestions)?;
            let asked = Some(Questions::read(asked)).filter(|asked| !asked.is_empty());
            StepAction::Ask(told(find(id)?)?, asked.ok_or(LineError::NoQuestions)?)
        }
        _ => return Err(LineError::UnknownAct(verb.to_owned())),
    };
    Ok((act, reason.to_owned()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dream::step::{PlanStep, PlannedBy};

    struct Three;

    const LINES: [&str; 3] = ["[lesson] Use rg", "[done] Shipped\t0.3", "[lesson] Use\u{202e} gr"];

    impl Naming for Three {
        fn line(&self, id: EntryId) -> Option<String> {
            LINES.get(usize::try_from(id.0).ok()?).map(|line| (*line).to_owned())
        }

        fn short(&self, id: EntryId) -> String {
            id.to_string()
        }

        fn find(&self, id: &str) -> Result<EntryId, LookupError> {
            let found = id.parse().ok().filter(|id| self.line(*id).is_some());
            found.ok_or_else(|| LookupError::Missing(format!("{id:?}")))
        }
    }

    fn plan(acts: impl IntoIterator<Item = StepAction>) -> Plan {
        let step = |act| PlanStep {
            act,
            reason: "so that\ttabs do no harm".to_owned(),
            by: PlannedBy::Rules,
        };
        let refused = RefusedStep { what: "merge\n".to_owned(), why: "why not".to_owned() };
        Plan {
            state: "00ff00ff00ff00ff".to_owned(),
            made: Timestamp(1_782_842_400_000),
            steps: acts.into_iter().map(step).collect(),
            refused: vec![refused],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let (a, b, c) = (EntryId(0), EntryId(1), EntryId(2));
        let add = |text: &str| (String::from("lesson"), text.to_owned());
        let (category, text) = add("Use # and < and -- and a [link] too");
        let acts = [
            StepAction::Merge { keep: a, from: vec![c, b] },
            StepAction::Archive(b),
            StepAction::Archive(c),
            StepAction::Add {
                category: category.clone(),
                cue: Cue::Recurrence,
                text: text.clone(),
            },
            StepAction::Reinforce(a, 2),
            StepAction::Combine { category, text, from: vec![a, c] },
            StepAction::Ask(b, Questions::read("how do I ship: by hand?; release")),
        ];
        let mut made = plan(acts.clone());
        let propose = StepAction::Propose(vec![a, b]);
        made.steps.extend(plan([propose]).steps);
        let text = write_script(&made, &Three);
        for text in [text.clone(), format!("\u{feff}{}", text.replace('\n', "\r\n"))] {
            let script = read_script(&text, &Three).unwrap();
            assert_eq!((script.made, &script.state), (Some(made.made), &made.state));
            let read: Vec<StepAction> =
                script.lines.into_iter().map(|(_, step)| step.unwrap().0).collect();
            assert_eq!(read, acts, "{text}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(read_script("", &Three), None);
        assert_eq!(read_script("pimem dream plan 2\n", &Three), None);
        for (line, want) in [
            ("archive 0000000000000000", "has 1 columns instead of 4"),
            (
                "delete\t0000000000000000\t[lesson] Use rg\twhy",
                "asks for \"delete\", which is no act",
            ),
            ("archive\t0000000000000009\t\twhy", "there is no entry \"0000000000000009\""),
            (
                "archive\t0000000000000000\t[lesson] Use grep\twhy",
                "0000000000000000 is \"[lesson] Use rg\" now",
            ),
            ("merge\t0000000000000000\t[lesson] Use rg\twhy", "names no entries like A < B"),
            ("add\tloud\t[lesson] x\twhy", "knows no cue \"loud\""),
            ("add\texplicit\tlesson: x\twhy", "has no text like [lesson] text"),
            (
                "reinforce\t0000000000000000 +0\t[lesson] Use rg\twhy",
                "adds no number from 1 to 100",
            ),
            (
                "ask\t0000000000000000\t[lesson] Use rg\twhy",
                "names no entry and questions like A: where; when",
            ),
        ] {
            let script =
                read_script(&format!("pimem dream plan 1\n\n# note\n{line}\n"), &Three).unwrap();
            let said =
                script.lines.into_iter().map(|(at, step)| (at, step.unwrap_err().to_string()));
            assert_eq!(said.collect::<Vec<_>>(), [(4, want.to_owned())], "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(lines in prop::collection::vec("[a-z]{0,9}\t?[0-9a-f <+]{0,20}\t?.{0,9}\t?.{0,4}", 0..9)) {
            read_script(&format!("{FIRST}\n{}", lines.join("\n")), &Three);
        }
    }
}
