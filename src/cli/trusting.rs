//! What every command does about trust: headings and some settings are withheld, and what is left
//! out is said.

use std::collections::HashMap;

use super::context::Context;
use crate::{
    config::{awaiting::Awaiting, layer::Origin},
    recall::corpus::SourceKind,
    score::board::Scope,
    store::{trust::Kind, vault::Store},
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

    /// Says how many entries of stores are left out of what agents read.
    pub(crate) fn say_left_out(&self, stores: &[Store], count: usize, came: &str) {
        let what = match count {
            0 => return,
            1 => format!("1 entry {came} and is left out"),
            count => format!("{count} entries {came} and are left out"),
        };
        let foreign = |store: &Store| !store.trust.is_whole() && store.trust.is_foreign();
        self.ui.note(&if stores.iter().any(foreign) {
            format!("{what}: the store belongs to another user")
        } else {
            format!("{what}: pimem trust --review")
        });
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
        if matches!(kind, SourceKind::Topic | SourceKind::Session) {
            return false;
        }
        let Some(store) = self.stores.get(number) else { return false };
        let look = || self.ctx.shows_notes(store, name);
        *self.known.entry((number, name.to_owned())).or_insert_with(look)
    }
}
