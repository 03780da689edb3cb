//! What every command does about trust: headings and some settings are withheld, and what is left
//! out is said.

use std::{cell::RefCell, collections::HashMap};

use super::Memory;
use crate::{
    config::{layers::Origin, review::Awaiting, settings::Scoring},
    store::{
        pending,
        snapshot::Store,
        trust::{Key, Kind},
    },
};
use pimem_core::{
    score::ranking::{LocatedEntry, Scope},
    search::documents::SourceKind,
};

impl Memory {
    /// A heading that came with a clone is text like any other, and stands in every report.
    pub fn withhold_headings(&mut self) {
        let by_project = matches!(self.config.origin(&Scoring::categories), Origin::Project(_));
        if let Some(dir) = self.places.project().filter(|_| by_project) {
            let trust = self.store(dir, Scope::Project).strict().trust;
            let keeps = |heading: &str| trust.holds_text(Kind::Heading, heading);
            self.headings = self.config.categories.reset_headings(keeps);
        }
    }

    /// Settings that came with a clone could have programs run and texts sent to anybody.
    pub fn withhold_settings(&mut self) {
        if self.config.awaiting.is_empty() {
            return;
        }
        if let Some(dir) = self.places.project() {
            let trust = self.store(dir, Scope::Project).strict().trust;
            if trust.holds_text(Kind::Settings, &Awaiting::text(&self.config.awaiting)) {
                self.config.admit();
            }
        }
    }

    /// Whether a file of notes, a list or a log may be shown to an agent.
    pub fn shows_notes(&self, store: &Store, name: &str) -> bool {
        self.shows_all_notes(store) || store.file_reviewed(name)
    }

    /// Whether all of them may: the store was begun here, and no pull can change it. Of another, those
    /// may that are as they were last written or reviewed on this machine.
    fn shows_all_notes(&self, store: &Store) -> bool {
        store.trust.is_whole() || store.notes_begun() && !self.places.in_work_tree(&store.dir)
    }

    /// Says that settings are left out.
    pub fn say_withheld(&self) {
        let Some(first) = self.config.awaiting.first() else { return };
        let more = match self.config.awaiting.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let count = if more.is_empty() { "counts" } else { "count" };
        let (place, name) = (&first.place, first.key.name);
        self.notices.note(&format!("{place}: {name}{more} {count} after pimem trust"));
    }

    /// Says why something that was written here could not be noted as such.
    pub fn say_unnoted(&self) {
        if let Some(why) = self.unnoted.get() {
            self.notices.note(&format!("Not noted as reviewed, so reports leave it out: {why}"));
        }
    }

    /// Says which of some stores' ledgers cannot be read: nothing is known to be reviewed there.
    pub fn warn_of_ledgers<'a>(&self, stores: impl Iterator<Item = &'a Store>) {
        for problem in stores.filter_map(|store| store.trust.problem()) {
            self.warn(format!("{problem}; without it, nothing counts as reviewed"));
        }
    }

    /// Says a warning, once.
    pub fn warn(&self, warning: String) {
        let mut warned = self.warned.borrow_mut();
        if !warned.contains(&warning) {
            self.notices.note(&format!("warning: {warning}"));
            warned.push(warning);
        }
    }

    /// Which of some entries await review: how many preferences wait, how many others there are, and
    /// how those came.
    pub fn unreviewed<'a>(
        &self,
        stores: &[Store],
        entries: impl Iterator<Item = &'a LocatedEntry>,
    ) -> Unreviewed {
        let mut others: Vec<&LocatedEntry> = entries.filter(|entry| !entry.reviewed).collect();
        let mut waiting = 0;
        for store in stores {
            if others.is_empty() {
                break;
            }
            let key = |entry: &LocatedEntry| {
                let name = &self.config.categories.spec(entry.category).name;
                store.trust.entry(name, &entry.text)
            };
            let here = |entry: &&LocatedEntry| entry.scope == store.scope;
            let keys: Vec<Key> = others.iter().copied().filter(here).map(key).collect();
            let waits = pending::of(&store.trust, &keys);
            if !waits.is_empty() {
                let before = others.len();
                others.retain(|entry| !here(entry) || !waits.contains(&key(entry)));
                waiting += before - others.len();
            }
        }
        Unreviewed { waiting, others: others.len(), came: self.came(stores, &others) }
    }

    /// Says how many entries of stores are left out of what agents read.
    pub fn say_left_out(&self, stores: &[Store], unreviewed: Unreviewed) {
        let came = unreviewed.came;
        let what = match unreviewed.others {
            0 => String::new(),
            1 => format!("1 entry {came} and is left out"),
            count => format!("{count} entries {came} and are left out"),
        };
        let foreign = |store: &Store| !store.trust.is_whole() && store.trust.is_foreign();
        match unreviewed.waiting() {
            None if what.is_empty() => {}
            Some(waiting) if what.is_empty() => self.notices.note(&waiting),
            Some(waiting) => self.notices.note(&format!("{what}, and {waiting}")),
            None if stores.iter().any(foreign) => {
                self.notices.note(&format!("{what}: the store belongs to another user"));
            }
            None => self.notices.note(&format!("{what}: {REVIEW}")),
        }
    }
}

/// What looks at all of them.
const REVIEW: &str = "pimem trust --review";

/// Entries that agents are not shown.
#[derive(Debug, Clone, Copy)]
pub struct Unreviewed {
    /// Preferences that were learned here and wait.
    pub waiting: usize,
    /// All others.
    pub others: usize,
    /// How those came, as far as that is known: what is said after their number.
    pub came: &'static str,
}

impl Unreviewed {
    /// What waits, and what is to be done about it.
    pub fn waiting(self) -> Option<String> {
        match self.waiting {
            0 => None,
            1 => Some(format!("1 preference waits: {REVIEW}")),
            count => Some(format!("{count} preferences wait: {REVIEW}")),
        }
    }

    /// How many entries await review, out of so many if that is given.
    pub fn told(self, of: Option<usize>) -> String {
        let all = self.waiting + self.others;
        let count = of.map_or_else(|| all.to_string(), |of| format!("{all} of {of}"));
        let entries = if of.unwrap_or(all) == 1 { "entry" } else { "entries" };
        let awaits = if all == 1 { "awaits" } else { "await" };
        let learned = match self.waiting {
            1 => "1 preference was learned here".to_owned(),
            count => format!("{count} preferences were learned here"),
        };
        match (self.others, self.waiting) {
            (0, 0) => format!("{count} {entries} {awaits} review"),
            (_, 0) => format!("{count} {entries} {} and {awaits} review", self.came),
            (0, _) => format!("{count} {entries} {awaits} review: {learned}"),
            (others, _) => {
                format!("{count} {entries} {awaits} review: {others} {}, {learned}", self.came)
            }
        }
    }

    /// What an agent is told of it, on one line.
    pub fn for_agent(self) -> Option<String> {
        let (count, are, them) = match self.others {
            0 => return self.waiting(),
            1 => ("1 memory".to_owned(), "is not shown, because it", "it"),
            count => (format!("{count} memories"), "are not shown, because they", "them"),
        };
        let others = format!("> {count} of this project {are} {}", self.came);
        Some(match self.waiting() {
            None => format!("{others}. The user can look at {them} with `{REVIEW}`."),
            Some(waiting) => format!("{others}, and {waiting}"),
        })
    }
}

/// Which notes, lists and logs may be shown, each file looked at once.
pub struct Notes<'a> {
    memory: &'a Memory,
    stores: &'a [Store],
    all: RefCell<HashMap<usize, bool>>,
    known: RefCell<HashMap<(usize, String), bool>>,
}

impl<'a> Notes<'a> {
    /// In some stores.
    pub fn new(memory: &'a Memory, stores: &'a [Store]) -> Self {
        Self { memory, stores, all: RefCell::default(), known: RefCell::default() }
    }

    /// Whether it is such a file, and may.
    pub fn shown(&self, kind: SourceKind, number: usize, name: &str) -> bool {
        !matches!(kind, SourceKind::Topic | SourceKind::Archive | SourceKind::Session)
            && self.shows(number, name)
    }

    /// Whether such a file of a store may be shown.
    pub fn shows(&self, number: usize, name: &str) -> bool {
        let Some(store) = self.stores.get(number) else { return false };
        let all = || self.memory.shows_all_notes(store);
        if *self.all.borrow_mut().entry(number).or_insert_with(all) {
            return true;
        }
        let look = || store.file_reviewed(name);
        *self.known.borrow_mut().entry((number, name.to_owned())).or_insert_with(look)
    }
}
