//! Memories in the formats of other programs: their text to items, and items to their text.
//!
//! Reading never fails: what is no memory is left out with a reason. Knows no files and no stores,
//! and does not check what a text may hold; that is for whoever stores it.

pub mod agents;
pub mod claude;
pub mod json_position;
pub mod jsonl;
pub mod markdown;
pub mod pi;
pub mod pi_memory;

use crate::{
    model::{
        calendar::Date,
        event::{Cue, Event},
    },
    score::adopt::PiScore,
};

/// What is longer is no single memory: it could not stand in any section of the report.
pub const LONGEST: usize = 2_000;

/// A file by its name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name, with `/` between directories.
    pub name: String,
    /// What it holds.
    pub text: String,
}

/// A memory as far as a format tells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Item {
    /// Where it stands, for messages.
    pub place: String,
    /// Name of its category.
    pub category: Option<String>,
    /// Stem of its topic file.
    pub topic: Option<String>,
    /// The heading that it stands below.
    pub heading: Option<String>,
    /// Its text, as found.
    pub text: String,
    /// How it was produced.
    pub cue: Option<Cue>,
    /// Whether it never fades.
    pub pinned: bool,
    /// Tags beside the text.
    pub tags: Vec<String>,
    /// Last day on which it holds.
    pub until: Option<Date>,
    /// What it replaces, as a selector.
    pub supersedes: Option<String>,
    /// What its evidence comes to.
    pub score: Option<PiScore>,
    /// The evidence itself, each event with its line of a log; says more than the score.
    pub events: Vec<(Event, String)>,
}

/// Something that is not taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Where it stands.
    pub place: String,
    /// Why.
    pub reason: String,
}

/// What was found in the files of another program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parsed {
    /// Memories, in the order of files and lines.
    pub items: Vec<Item>,
    /// The rest.
    pub left: Vec<Left>,
}

impl Parsed {
    /// Takes an item in, unless it is too long for one.
    fn push(&mut self, item: Item) {
        let chars = item.text.chars().count();
        if chars <= LONGEST {
            return self.items.push(item);
        }
        let reason = format!("{chars} characters are too long for one memory ({LONGEST})");
        self.leave(item.place, reason);
    }

    fn leave(&mut self, place: String, reason: impl Into<String>) {
        self.left.push(Left { place, reason: reason.into() });
    }
}

#[cfg(test)]
mod tests;
