//! Import and export of memories in the formats of other programs.
//!
//! Parsing never fails: text that is not a memory is left out with a reason. The module knows no
//! files or stores, and does not validate texts; that is for the code that stores them.

pub mod agents;
pub mod claude;
mod code_block;
pub mod history;
pub mod json;
pub mod jsonl;
pub mod pi;
mod rule_page;

use crate::{
    model::{
        entry::Share,
        event::{Cue, Event},
        rules::LineRules,
        time::Date,
    },
    score::adopt::PiScore,
};

/// Maximum number of characters of a memory. A longer one would not fit into any section of the
/// report.
pub const LONGEST: usize = 2_000;

/// A file of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeFile {
    /// Path in the directory, with `/` as separator.
    pub name: String,
    pub text: String,
}

/// A memory with the properties that a format provides.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExchangeItem {
    /// Where the item was found, for messages.
    pub place: String,
    pub category: Option<String>,
    /// The category of what the text says, if nothing else tells one.
    pub likely: Option<String>,
    /// Stem of the topic file.
    pub topic: Option<String>,
    pub heading: Option<String>,
    /// Text, as found.
    pub text: String,
    pub cue: Option<Cue>,
    pub pinned: bool,
    /// Tags beside the text.
    pub tags: Vec<String>,
    /// What it is asked for as.
    pub asked: Vec<String>,
    /// The rules that it carries.
    pub rules: LineRules,
    /// Last day on which it is valid.
    pub until: Option<Date>,
    /// Score under the policy `weighted`.
    pub priority: Option<Share>,
    /// Importance at the start, under the policy `ebbinghaus`.
    pub importance: Option<Share>,
    /// Selector of the entry that it replaces.
    pub supersedes: Option<String>,
    /// Score of its evidence.
    pub score: Option<PiScore>,
    /// Evidence events, each with its line of the log; more precise than the score.
    pub events: Vec<(Event, String)>,
    /// Where it was said or written, in words for people.
    pub source: Option<String>,
    /// In how many sessions or commits it was found.
    pub often: u32,
    /// Why no agent is told it, in a word; only written.
    pub withheld: Option<&'static str>,
}

/// Text that is not imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftLine {
    /// Where the item was found.
    pub place: String,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parsed {
    /// Memories, in the order of files and lines.
    pub items: Vec<ExchangeItem>,
    pub left: Vec<LeftLine>,
    /// Paths of files that a page includes, with the places where it names them.
    pub included: Vec<(String, String)>,
}

impl Parsed {
    /// Adds an item, unless it is too long.
    fn push(&mut self, item: ExchangeItem) {
        let chars = item.text.chars().count();
        if chars <= LONGEST {
            return self.items.push(item);
        }
        let reason = format!("{chars} characters are too long for one memory ({LONGEST})");
        self.leave(item.place, reason);
    }

    fn leave(&mut self, place: String, reason: impl Into<String>) {
        self.left.push(LeftLine { place, reason: reason.into() });
    }
}

#[cfg(test)]
mod tests;
