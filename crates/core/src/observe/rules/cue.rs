//! Classifies sentences by their first words and a few others, and finds file paths.
//!
//! Code and quotes in the sentences are masked, so that they do not count.

use crate::language::lexicon::observe::{
    CHANGES, CHOICES, DECISIONS, ENDS, FINDINGS, IDLE, IMPORTANT, OPENINGS, PLANS, POLITE,
    QUESTIONS, REPORTS, ROUTINE, STATES, WE,
};
use crate::observe::document::ImportanceMark;

pub(super) const DECISION: &str = "Decision:";
const ASKED: &str = "User asked:";
const SAID: &str = "User said:";
const WANTS: &str = "User wants:";

/// Returns the importance of a user's sentence, and the prefix to write before it.
pub(super) fn of_user(masked: &str, asked: bool) -> (ImportanceMark, &'static str) {
    let lower = masked.to_lowercase().replace('’', "'");
    let rest = meant(&lower);
    let polite = POLITE.iter().find_map(|start| rest.strip_prefix(start));
    let verb = first_word(meant(polite.unwrap_or(rest)));
    if asked || QUESTIONS.iter().any(|start| rest.starts_with(start)) {
        let request = polite.is_some() && CHANGES.contains(verb);
        return if request {
            (ImportanceMark::Important, WANTS)
        } else {
            (ImportanceMark::Maybe, ASKED)
        };
    }
    if holds(&lower, DECISIONS) {
        return (ImportanceMark::Important, DECISION);
    }
    if CHANGES.contains(verb) {
        return (ImportanceMark::Important, WANTS);
    }
    if holds(&lower, IMPORTANT) {
        return (ImportanceMark::Important, SAID);
    }
    if ROUTINE.contains(verb) {
        (ImportanceMark::Info, WANTS)
    } else {
        (ImportanceMark::Maybe, SAID)
    }
}

/// Strips words that the prefix `lead` already states.
pub(super) fn without_lead<'a>(text: &'a str, lead: &str) -> &'a str {
    let start = text.get(..lead.len()).filter(|start| start.eq_ignore_ascii_case(lead));
    let rest = start.and_then(|start| text.get(start.len()..)).map(str::trim);
    rest.filter(|rest| !rest.is_empty()).unwrap_or(text)
}

/// Strips interjections before the first sentence: "Actually, wait: ".
pub(super) fn without_opening(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(end) = rest.find([',', ':', '.', '!', ';', '…', '-', '–']).filter(|end| *end > 0)
        && let Some(before) = rest.get(..end)
        && OPENINGS.iter().any(|opening| before.trim_end().eq_ignore_ascii_case(opening))
        && let Some(after) = rest.get(end..)
    {
        rest = after.trim_start_matches([',', ':', '.', '!', ';', '…', '-', '–', ' ']);
    }
    if rest.is_empty() { text } else { rest }
}

/// What a sentence of an agent is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// Finished work, or a choice.
    Report,
    Question,
    /// A cause, or a fact that came to light.
    Finding,
    /// How things stand: what passes or fails, what is left.
    State,
    Other,
}

impl Sort {
    pub(super) fn mark(self) -> ImportanceMark {
        match self {
            Self::Report => ImportanceMark::Important,
            Self::Question | Self::Finding | Self::State => ImportanceMark::Maybe,
            Self::Other => ImportanceMark::Info,
        }
    }
}

/// Returns what a sentence of an agent is about; `None` for a plan.
pub(super) fn of_agent(masked: &str, asked: bool) -> Option<Sort> {
    if asked {
        return Some(Sort::Question);
    }
    let lower = masked.to_lowercase().replace('’', "'");
    if is_report(masked) || holds(&lower, CHOICES) {
        return Some(Sort::Report);
    }
    if is_plan(masked) {
        return None;
    }
    Some(if holds(&lower, FINDINGS) {
        Sort::Finding
    } else if holds(&lower, STATES) {
        Sort::State
    } else {
        Sort::Other
    })
}

fn is_report(masked: &str) -> bool {
    let lower = masked.to_lowercase().replace('’', "'");
    let rest = meant(&lower);
    let bare = WE.iter().find_map(|start| rest.strip_prefix(start)).unwrap_or(rest);
    // "Put it there" is an order; "I put it there" is a report.
    let either = ["put", "cut", "split"].contains(&first_word(bare)) && bare.len() == rest.len();
    REPORTS.contains(first_word(bare)) && !either
}

/// Returns true if an agent announces what it will do.
fn is_plan(masked: &str) -> bool {
    let lower = masked.to_lowercase().replace('’', "'");
    PLANS.iter().any(|start| lower.starts_with(start))
}

pub(super) fn paths(text: &str) -> impl Iterator<Item = &str> {
    let outside = |c: char| !(c.is_ascii_alphanumeric() || "._-/~@+".contains(c));
    let words = text.split(outside).map(|word| word.trim_end_matches(['.', '/', '-']));
    words.filter(|word| {
        let name = word.rsplit('/').next().unwrap_or_default();
        let end = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, end)| end);
        word.len() <= 200 && !word.contains("//") && end.is_some_and(|end| ENDS.contains(end))
    })
}

/// Strips filler words from the start of a sentence.
fn meant(lower: &str) -> &str {
    let mut rest = lower.trim_start();
    while let Some((word, after)) = rest.split_once(' ')
        && IDLE.contains(word.trim_matches(|c: char| !c.is_alphanumeric()))
    {
        rest = after.trim_start();
    }
    rest
}

fn first_word(text: &str) -> &str {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Returns true if a sentence contains one of the phrases, at word boundaries.
fn holds(lower: &str, all: &[&str]) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    all.iter().any(|words| {
        lower.match_indices(words).any(|(at, _)| {
            let before = lower.get(..at).and_then(|text| text.chars().next_back());
            let after = lower.get(at + words.len()..).and_then(|text| text.chars().next());
            !part(before) && (words.ends_with(':') || !part(after))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_of_users() {
        for (text, asked, want) in [
            ("why does harborctl print the berth twice", false, "[?] User asked:"),
            ("can you see why?", true, "[?] User asked:"),
            ("Could you please add a test for it?", true, "[!] User wants:"),
            ("Does it hold the lock?", true, "[?] User asked:"),
            ("We decided to keep SQLite", false, "[!] Decision:"),
            ("Decision: the port is 80", false, "[!] Decision:"),
            ("Now write the release note", false, "[!] User wants:"),
            ("Remove the second conversion.", false, "[!] User wants:"),
            ("I prefer all times in UTC", false, "[!] User said:"),
            ("that's wrong, the tide is later", false, "[!] User said:"),
            ("The importer is now in crates/import", false, "[!] User said:"),
            ("Run the tests", false, "[i] User wants:"),
            ("have a look", false, "[i] User wants:"),
            ("Two vessels got the same berth on Friday.", false, "[?] User said:"),
            ("The mustard is yellow", false, "[?] User said:"),
            ("The button says xxxxxxx", false, "[?] User said:"),
        ] {
            let (mark, lead) = of_user(text, asked);
            assert_eq!(format!("{} {lead}", mark.sign()), want, "{text}");
        }
    }

    #[test]
    fn sentences_of_agents() {
        for text in [
            "Added a test.",
            "I've fixed the lock",
            "Done in 0047",
            "I put it back",
            "Also removed it",
        ] {
            assert!(is_report(text), "{text}");
        }
        for text in ["Put it back", "The parser stops there", "I will add a test", "Addendum", ""] {
            assert!(!is_report(text), "{text}");
        }
        assert!(
            is_plan("Let me profile it.") && is_plan("I’ll start") && !is_plan("Letters are drawn")
        );
    }

    #[test]
    fn files() {
        let text = "In `src/plan/mod.rs` (and web/Map.tsx), not in 0.14.2, plan/60, e.g. this, https://a.example/b.html, \
                    .gitignore or Cargo.toml.";
        assert_eq!(
            paths(text).collect::<Vec<_>>(),
            ["src/plan/mod.rs", "web/Map.tsx", "Cargo.toml"]
        );
    }
}
