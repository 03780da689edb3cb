//! What every command does about trust: headings and some settings are withheld, and what is left
//! out is said.

use std::collections::HashMap;

use super::context::Context;
use crate::{
    config::{awaiting::Awaiting, layer::Origin},
    recall::corpus::SourceKind,
    score::board::{Row, Scope},
    store::{
        trust::{Key, Kind},
        vault::Store,
        waits,
    },
};

impl Context {
    /// A heading that came with a clone is text like any other, and stands in every report.
    pub(super) fn withhold_headings(&mut self) {
        let by_project = matches!(self.config.get("categories"), Some((_, Origin::Project(_))));
        if let Some(dir) = self.places.project().filter(|_| by_project) {
            let trust = self.store(dir, Scope::Project).strict().trust;
            let keeps = |heading: &str| trust.holds_text(Kind::Heading, heading);
            self.headings = self.config.categories.reset_headings(keeps);
        }
    }

    /// Settings that came with a clone could have programs run and texts sent to anybody.
    pub(super) fn withhold_settings(&mut self) {
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

    /// Whether a file of notes, a list or a log may be shown to an agent: it is as it was last written
    /// or reviewed on this machine, or in a store that was begun here and that no pull can change.
    pub(crate) fn shows_notes(&self, store: &Store, name: &str) -> bool {
        store.trust.is_whole()
            || store.notes_begun() && !self.places.in_work_tree(&store.dir)
            || store.file_reviewed(name)
    }

    /// Says that settings are left out.
    pub(crate) fn say_withheld(&self) {
        let Some(first) = self.config.awaiting.first() else { return };
        let more = match self.config.awaiting.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let count = if more.is_empty() { "counts" } else { "count" };
        let (place, name) = (&first.place, first.key.name);
        self.ui.note(&format!("{place}: {name}{more} {count} after pimem trust"));
    }

    /// Says why something that was written here could not be noted as such.
    pub(crate) fn say_unnoted(&self) {
        if let Some(why) = self.unnoted.get() {
            self.ui.note(&format!("Not noted as reviewed, so reports leave it out: {why}"));
        }
    }

    /// Says which of some stores' ledgers cannot be read: nothing is known to be reviewed there.
    pub(crate) fn warn_of_ledgers<'a>(&self, stores: impl Iterator<Item = &'a Store>) {
        for problem in stores.filter_map(|store| store.trust.problem()) {
            self.warn(format!("{problem}; without it, nothing counts as reviewed"));
        }
    }

    /// Says a warning, once.
    pub(crate) fn warn(&self, warning: String) {
        let mut warned = self.warned.borrow_mut();
        if !warned.contains(&warning) {
            self.ui.note(&format!("warning: {warning}"));
            warned.push(warning);
        }
    }

    /// Which of some entries await review: how many preferences wait, and how many others there are.
    pub(crate) fn unreviewed<'a>(
        &self,
        stores: &[Store],
        rows: impl Iterator<Item = &'a Row>,
    ) -> Unreviewed {
        let rows: Vec<&Row> = rows.filter(|row| !row.entry.reviewed).collect();
        let mut waiting = 0;
        for store in stores.iter().filter(|_| !rows.is_empty()) {
            let here = rows.iter().filter(|row| row.entry.scope == store.scope);
            let key = |row: &&Row| {
                let name = &self.config.categories.spec(row.entry.category).name;
                store.trust.entry(name, &row.entry.text)
            };
            let keys: Vec<Key> = here.map(key).collect();
            waiting += waits::of(&store.trust, &keys).len();
        }
        Unreviewed { waiting, others: rows.len().saturating_sub(waiting) }
    }

    /// Says how many entries of stores are left out of what agents read.
    pub(crate) fn say_left_out(&self, stores: &[Store], unreviewed: Unreviewed) {
        let what = match unreviewed.others {
            0 => String::new(),
            1 => "1 entry was not written here and is left out".to_owned(),
            count => format!("{count} entries were not written here and are left out"),
        };
        let foreign = |store: &Store| !store.trust.is_whole() && store.trust.is_foreign();
        match unreviewed.waiting() {
            None if what.is_empty() => {}
            Some(waiting) if what.is_empty() => self.ui.note(&waiting),
            Some(waiting) => self.ui.note(&format!("{what}, and {waiting}")),
            None if stores.iter().any(foreign) => {
                self.ui.note(&format!("{what}: the store belongs to another user"));
            }
            None => self.ui.note(&format!("{what}: {REVIEW}")),
        }
    }
}

/// What looks at all of them.
const REVIEW: &str = "pimem trust --review";

/// Entries that agents are not shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unreviewed {
    /// Preferences that were learned here and wait.
    pub(crate) waiting: usize,
    /// What was not written here.
    pub(crate) others: usize,
}

impl Unreviewed {
    /// What waits, and what is to be done about it.
    pub(crate) fn waiting(self) -> Option<String> {
        match self.waiting {
            0 => None,
            1 => Some(format!("1 preference waits: {REVIEW}")),
            count => Some(format!("{count} preferences wait: {REVIEW}")),
        }
    }

    /// What an agent is told of it, on one line.
    pub(crate) fn for_agent(self) -> Option<String> {
        let (count, are, them) = match self.others {
            0 => return self.waiting(),
            1 => ("1 memory".to_owned(), "is not shown, because it was", "it"),
            count => (format!("{count} memories"), "are not shown, because they were", "them"),
        };
        let others = format!("> {count} of this project {are} not written on this machine");
        Some(match self.waiting() {
            None => format!("{others}. The user can look at {them} with `{REVIEW}`."),
            Some(waiting) => format!("{others}, and {waiting}"),
        })
    }
}

/// Which notes, lists and logs may be shown, each file looked at once.
pub(super) struct Notes<'a> {
    ctx: &'a Context,
    stores: &'a [Store],
    known: HashMap<(usize, String), bool>,
}

impl<'a> Notes<'a> {
    /// In some stores.
    pub(super) fn new(ctx: &'a Context, stores: &'a [Store]) -> Self {
        Self { ctx, stores, known: HashMap::new() }
    }

    /// Whether it is such a file, and may.
    pub(super) fn shown(&mut self, kind: SourceKind, number: usize, name: &str) -> bool {
        if matches!(kind, SourceKind::Topic | SourceKind::Archive | SourceKind::Session) {
            return false;
        }
        let Some(store) = self.stores.get(number) else { return false };
        let look = || self.ctx.shows_notes(store, name);
        *self.known.entry((number, name.to_owned())).or_insert_with(look)
    }
}
