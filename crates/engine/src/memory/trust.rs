//! Trust as all commands apply it: records lines typed here before entries are shown as reviewed or
//! not, withholds unreviewed headings and settings, and reports what is left out and where it comes
//! from.

use std::{borrow::Cow, cell::RefCell, collections::HashMap, path::PathBuf, time::Duration};

use pimem_core::{
    language::injection,
    score::ranking::{LocatedEntry, Ranking, Scope},
    search::documents::SourceKind,
};

use super::Memory;
use crate::process::Leaky;
use crate::{
    config::{
        layers::{AwaitingSettings, SettingOrigin},
        settings::Scoring,
    },
    store::{
        Store, provenance,
        snapshot::Snapshot,
        trust::{TextKey, TrustedKind},
        trust_ledger,
    },
};

impl Memory {
    /// Resets unreviewed headings of the project: they may have come with a clone, and are in every
    /// report.
    pub fn withhold_headings(&mut self) {
        let by_project =
            matches!(self.config.origin(&Scoring::categories), SettingOrigin::Project(_));
        if let Some(dir) = self.places.project().filter(|_| by_project) {
            let trust = self.store(dir, Scope::Project).strict().trust;
            let keeps = |heading: &str| trust.holds_text(TrustedKind::Heading, heading);
            self.headings = self.config.categories.reset_headings(keeps);
        }
    }

    /// Admits the project's settings that await review if they are trusted. Settings from a clone
    /// could run programs and send texts to anyone.
    pub fn withhold_settings(&mut self) {
        if self.config.awaiting.is_empty() {
            return;
        }
        if let Some(dir) = self.places.project() {
            let trust = self.store(dir, Scope::Project).strict().trust;
            if trust
                .holds_text(TrustedKind::Settings, &AwaitingSettings::text(&self.config.awaiting))
            {
                self.config.admit();
            }
        }
    }

    /// Returns true if an agent may see a file of notes, a list or a log.
    pub fn shows_notes(&self, store: &Store, name: &str) -> bool {
        self.shows_all_notes(store) || store.file_reviewed(name)
    }

    /// Returns true if an agent may see all notes of a store: it was begun here, and is not in a
    /// work tree, so that no pull can change it. In other stores, only files unchanged since they
    /// were written or reviewed here are shown.
    fn shows_all_notes(&self, store: &Store) -> bool {
        store.trust.is_whole() || store.notes_begun() && !self.places.in_work_tree(&store.dir)
    }

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

    /// Reports an error in recording a text as written here.
    pub fn say_unnoted(&self) {
        if let Some(why) = self.unnoted.get() {
            self.notices.note(&format!("Not noted as reviewed, so reports leave it out: {why}"));
        }
    }

    /// Warns of ledgers that cannot be read: there, nothing counts as reviewed.
    pub fn warn_of_ledgers<'a>(&self, stores: impl Iterator<Item = &'a Store>) {
        for problem in stores.filter_map(|store| store.trust.problem()) {
            self.warn(format!("{problem}; without it, nothing counts as reviewed"));
        }
    }

    /// Issues a warning once.
    pub fn warn(&self, warning: String) {
        let mut warned = self.warned.borrow_mut();
        if !warned.contains(&warning) {
            self.notices.note(&format!("warning: {warning}"));
            warned.push(warning);
        }
    }

    /// Counts the unreviewed entries: waiting preferences and others, with how the others came
    /// here.
    pub fn unreviewed<'a>(
        &self,
        stores: &[Store],
        entries: impl Iterator<Item = &'a LocatedEntry>,
    ) -> Unreviewed {
        let mut others: Vec<&LocatedEntry> = entries.filter(|entry| !entry.reviewed).collect();
        let (mut waiting, mut preferences) = (0, 0);
        for store in stores {
            if others.is_empty() {
                break;
            }
            let key = |entry: &LocatedEntry| {
                let name = &self.config.categories.spec(entry.category).name;
                store.trust.entry(name, &entry.text)
            };
            let here = |entry: &&LocatedEntry| entry.scope == store.scope;
            let keys: Vec<TextKey> = others.iter().copied().filter(here).map(key).collect();
            let waits = trust_ledger::waiting_of(&store.trust, &keys);
            if !waits.is_empty() {
                let is_waiting = |entry: &&LocatedEntry| here(entry) && waits.contains(&key(entry));
                for entry in others.extract_if(.., |entry| is_waiting(entry)) {
                    waiting += 1;
                    let name = &self.config.categories.spec(entry.category).name;
                    preferences += usize::from(*name == "preference");
                }
            }
        }
        let came = self.came(stores, &others);
        Unreviewed { waiting, preferences, others: others.len(), came }
    }

    /// Reports how many entries are hidden from agents.
    pub fn say_left_out(&self, unreviewed: &Unreviewed) {
        if let Some(sentence) = unreviewed.left_out() {
            self.notices.note(&sentence);
        }
    }

    /// The entries of stores, as [`Memory::ranking_everywhere`] gives them, after those that were typed here were
    /// noted. Where nothing awaits review, nothing is asked for that.
    pub fn own_ranking(&self, stores: &[Store]) -> (Leaky<Ranking>, Leaky<Vec<Snapshot>>) {
        self.own_ranking_within(provenance::LIMIT, stores)
    }

    /// The same, with a limit to the time that git may take.
    pub fn own_ranking_within(
        &self,
        limit: Duration,
        stores: &[Store],
    ) -> (Leaky<Ranking>, Leaky<Vec<Snapshot>>) {
        let (ranking, snapshots) = self.ranking_everywhere(stores);
        if ranking.unreviewed() == 0 || !self.note_own(limit, stores, &snapshots) {
            return (ranking, snapshots);
        }
        self.ranking_everywhere(stores)
    }

    /// Records which lines were typed here. Returns true if there were any.
    pub fn note_own(&self, limit: Duration, stores: &[Store], snapshots: &[Snapshot]) -> bool {
        let note = |(store, snapshot): (&Store, &Snapshot)| {
            store.note_own(snapshot, &self.config.categories, &self.places, limit)
        };
        stores.iter().zip(snapshots).map(note).fold(false, |any, noted| any | noted)
    }

    /// Returns how entries that await review came here, as far as that is known.
    pub fn came(&self, stores: &[Store], waiting: &[&LocatedEntry]) -> Came {
        let held = stores.iter().map(|store| {
            let here = waiting.iter().copied().filter(|entry| entry.scope == store.scope);
            let name =
                |entry: &LocatedEntry| self.config.categories.spec(entry.category).name.clone();
            let lines = here.map(|entry| (name(entry), entry.text.as_str()));
            (store, lines.collect::<Vec<_>>())
        });
        let mut all = held.filter(|(_, lines)| !lines.is_empty());
        let Some((first, lines)) = all.next() else { return Came::Elsewhere };
        let came = self.came_to(first, &lines);
        // What holds for all of them is less.
        let same = all.all(|(store, lines)| self.came_to(store, &lines) == came);
        if same { came } else { Came::Elsewhere }
    }

    /// Returns how lines of a store, given as category and text, came there.
    fn came_to(&self, store: &Store, lines: &[(Cow<'static, str>, &str)]) -> Came {
        let trust = &store.trust;
        if trust.is_foreign() && !trust.is_whole() {
            return Came::Foreign;
        }
        if trust.is_made() {
            let is_brought = |(category, text): &(Cow<'static, str>, &str)| {
                trust.holds(trust.brought(category, text))
            };
            let is_order = |(_, text): &(Cow<'static, str>, &str)| injection::find(text).is_some();
            return match self.places.work_tree(&store.dir) {
                _ if lines.iter().all(is_order) => Came::Order,
                None => Came::Elsewhere,
                Some(_) if lines.iter().all(is_brought) => Came::Git,
                Some(_) => Came::PerhapsGit,
            };
        }
        if let Some(former) = trust.moved_from(lines) {
            return Came::Moved(former);
        }
        let Some(root) = self.places.work_tree(&store.dir) else { return Came::Elsewhere };
        match store.is_tracked(root, provenance::LIMIT) {
            Some(true) => Came::Git,
            Some(false) => Came::NotGit,
            None => Came::PerhapsGit,
        }
    }
}

/// Command that reviews all of them.
const REVIEW: &str = "pimem trust --review";

/// Counts of entries hidden from agents, and what is said of them.
#[derive(Debug, Clone)]
pub struct Unreviewed {
    /// Entries of this machine that await review, as preferences that were learned.
    pub waiting: usize,
    pub preferences: usize,
    pub others: usize,
    /// How the others came here.
    pub came: Came,
}

impl Unreviewed {
    /// Describes the others: `2 entries came by git`; `None` if there are none.
    fn others(&self, one: &str, more: &str) -> Option<String> {
        let noun = if self.others == 1 { one } else { more };
        let predicate = self.came.predicate(self.others);
        (self.others > 0).then(|| format!("{} {noun} {predicate}", self.others))
    }

    /// Counts what waits: `2 preferences`.
    fn counted_waiting(&self) -> String {
        match (self.waiting, self.preferences == self.waiting) {
            (1, true) => "1 preference".to_owned(),
            (count, true) => format!("{count} preferences"),
            (1, false) => "1 entry".to_owned(),
            (count, false) => format!("{count} entries"),
        }
    }

    /// Describes what waits and how to review it.
    pub fn waiting(&self) -> Option<String> {
        let waits = if self.waiting == 1 { "waits" } else { "wait" };
        (self.waiting > 0).then(|| format!("{} {waits}: {REVIEW}", self.counted_waiting()))
    }

    /// Describes for people what is left out, and what to do about it.
    pub fn left_out(&self) -> Option<String> {
        let are = if self.others == 1 { "is" } else { "are" };
        let others = self.others("entry", "entries").map(|all| format!("{all} and {are} left out"));
        match (others, self.waiting()) {
            (Some(others), Some(waiting)) => Some(format!("{others}, and {waiting}")),
            (Some(others), None) => Some(format!("{others}: {}", self.came.remedy())),
            (None, waiting) => waiting,
        }
    }

    /// Describes how many entries await review, out of `of` if given.
    pub fn told(&self, of: Option<usize>) -> String {
        let all = self.waiting + self.others;
        let count = of.map_or_else(|| all.to_string(), |of| format!("{all} of {of}"));
        let entries = if of.unwrap_or(all) == 1 { "entry" } else { "entries" };
        let awaits = if all == 1 { "awaits" } else { "await" };
        let were = if self.waiting == 1 { "was" } else { "were" };
        let learned = if self.preferences == self.waiting { "learned" } else { "noted" };
        let learned = format!("{} {were} {learned} here", self.counted_waiting());
        let came = self.came.predicate(self.others);
        match (self.others, self.waiting) {
            (0, 0) => format!("{count} {entries} {awaits} review"),
            (_, 0) => format!("{count} {entries} {came} and {awaits} review"),
            (0, _) => format!("{count} {entries} {awaits} review: {learned}"),
            (others, _) => {
                format!("{count} {entries} {awaits} review: {others} {came}, {learned}")
            }
        }
    }

    pub fn for_agent(&self) -> Option<String> {
        let (count, are, them) = match self.others {
            0 => return self.waiting(),
            1 => ("1 memory".to_owned(), "is not shown, because it", "it"),
            count => (format!("{count} memories"), "are not shown, because they", "them"),
        };
        let came = match &self.came {
            // Where a folder was tells an agent nothing.
            Came::Moved(_) => "came with a folder that was moved".to_owned(),
            came => came.predicate(self.others),
        };
        let others = format!("> {count} of this project {are} {came}");
        Some(match (self.waiting(), &self.came) {
            (Some(waiting), _) => format!("{others}, and {waiting}"),
            (None, Came::Git | Came::PerhapsGit | Came::Mirror | Came::Order) => {
                format!("{others}. The user can look at {them} with `{REVIEW}`.")
            }
            (None, Came::Foreign) => format!(
                "{others}. The user can look at {them} with `{REVIEW}`, and vouch for the store \
                 with `pimem trust --always`."
            ),
            (None, _) => format!(
                "{others}. The user can look at {them} with `{REVIEW}`, and vouch for {them} with \
                 `pimem trust --all`."
            ),
        })
    }
}

/// Decides which notes, lists and logs may be shown; checks each file and passage once.
pub struct TrustNotes<'a> {
    memory: &'a Memory,
    stores: &'a [Store],
    all: RefCell<HashMap<usize, bool>>,
    known: RefCell<HashMap<(usize, String), bool>>,
    /// Results of [`TrustNotes::told`], by store and passage.
    told: RefCell<HashMap<(usize, String), Option<String>>>,
}

impl<'a> TrustNotes<'a> {
    pub fn new(memory: &'a Memory, stores: &'a [Store]) -> Self {
        let (all, known, told) = Default::default();
        Self { memory, stores, all, known, told }
    }

    /// Returns true if the file is of such a kind and may be shown.
    pub fn shown(&self, kind: SourceKind, number: usize, name: &str) -> bool {
        !matches!(kind, SourceKind::Topic | SourceKind::Archive | SourceKind::Session)
            && self.shows(number, name)
    }

    /// Returns what may be told of a passage; `None` if all of it may.
    pub fn told(&self, number: usize, passage: &str) -> Option<String> {
        let store = self.stores.get(number)?;
        let told = || match store.trust.told(passage) {
            Cow::Owned(told) => Some(told),
            Cow::Borrowed(_) => None,
        };
        self.told.borrow_mut().entry((number, passage.to_owned())).or_insert_with(told).clone()
    }

    /// Returns true if such a file of a store may be shown.
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

/// How entries that await review came into a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Came {
    /// Git brought them.
    Git,
    /// It may have.
    PerhapsGit,
    /// Not by git, which does not have them: a store that was made by hand or unpacked.
    NotGit,
    /// From elsewhere, where there is no git.
    Elsewhere,
    /// From this path, which is gone: the folder was moved.
    Moved(PathBuf),
    /// The store belongs to another user.
    Foreign,
    /// From a mirror, which withholds them.
    Mirror,
    /// By whichever door: they read like orders to an agent.
    Order,
}

impl Came {
    /// Returns the predicate of one entry or of several: `came by git`.
    pub fn predicate(&self, count: usize) -> String {
        let (was, is, belongs) =
            if count == 1 { ("was", "is", "belongs") } else { ("were", "are", "belong") };
        match self {
            Self::Git => "came by git".to_owned(),
            Self::PerhapsGit => "may have come by git".to_owned(),
            Self::NotGit => format!("{was} not written by pimem here"),
            Self::Elsewhere => format!("{was} not written here"),
            Self::Moved(former) => {
                format!("{was} written before the folder was moved from {}", former.display())
            }
            Self::Foreign => format!("{belongs} to another user"),
            Self::Mirror => format!("{is} withheld"),
            Self::Order if count == 1 => "reads like an order to an agent".to_owned(),
            Self::Order => "read like orders to an agent".to_owned(),
        }
    }

    /// Returns how to look at them and how to vouch for them.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Git | Self::PerhapsGit | Self::Mirror | Self::Order => "pimem trust --review",
            Self::NotGit | Self::Elsewhere | Self::Moved(_) => {
                "pimem trust --review shows them, pimem trust --all vouches for them"
            }
            Self::Foreign => {
                "pimem trust --review shows them, pimem trust --always vouches for the store"
            }
        }
    }
}
