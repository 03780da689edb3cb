//! Standing of documents and what decides about them on their way out, looked up for candidates
//! only.

use std::{borrow::Cow, cell::OnceCell};

use super::segments::IndexedDocument;
use crate::{
    index::{
        corpus::{Corpus, ELSEWHERE},
        strengths::FoldedEntry,
    },
    memory::{Memory, archived::Archived},
    process::Leaky,
    store::{Store, read::ReadProblem},
};
use pimem_core::{
    gate::Facts,
    model::{
        entry::EntryId,
        event::ArchiveReason,
        hash::{IdMap, IdSet},
        operation::UserState,
        time::Timestamp,
    },
    score::{
        clock::{ActiveDays, Clock},
        evidence::{Evidence, Strength},
        ledger::Ledger,
        ranking::Ranking,
        stability::{self, Standing},
    },
    search::documents::{self, SourceKind},
};

#[derive(Debug, Clone, Copy)]
pub struct Standings {
    /// Standing of an entry; `None` for a passage.
    pub standing: Option<Standing>,
    /// Time of an entry's last reinforcement, or the time stated in a passage.
    pub last: Option<Timestamp>,
    /// What the log and the settings say of an entry. Its text was not read yet.
    pub facts: Facts,
}

struct Known {
    strength: Strength,
    /// `None` if it has neither a date nor anything that replaced it.
    evidence: Option<Evidence>,
    archived: Option<ArchiveReason>,
}

/// Returns the standing of each document. Adds read problems to `unread`. `whole` is true if all
/// archived entries are asked for.
pub fn standings<'a>(
    memory: &Memory,
    stores: &[Store],
    corpora: &[Corpus],
    (archived, whole): (&Archived, bool),
    documents: impl Iterator<Item = &'a IndexedDocument<'a>> + Clone,
    adopted: &Adopted,
    unread: &mut Vec<ReadProblem>,
) -> Vec<Standings> {
    let known: Vec<IdMap<EntryId, Known>> = stores
        .iter()
        .zip(corpora)
        .enumerate()
        .map(|(number, (store, corpus))| {
            let ids = |in_archive: bool| -> IdSet<EntryId> {
                let is_here = |document: &&IndexedDocument<'_>| {
                    let is_archived = document.kind == SourceKind::Archive;
                    document.at.store == number && is_archived == in_archive
                };
                let here = documents.clone().filter(is_here);
                here.filter_map(|here| documents::entry_id(&here.doc)).collect()
            };
            let evidence =
                |ids: &IdSet<EntryId>| adopted.evidence_of(memory, (number, store), ids, unread);
            let mut known = of_topics(memory, store, corpus, &ids(false), evidence);
            if whole {
                // The standing of archived entries comes from the log alone.
                for (id, found) in of_archive(memory, store, ids(true)) {
                    known.entry(id).or_insert(found);
                }
            }
            known
        })
        .collect();
    let categories = &memory.config.categories;
    let specs: Vec<(u32, f64, bool)> = categories
        .known()
        .map(|(id, spec)| {
            (documents::category_hash(&spec.name), spec.tau_days, categories.is_set(id))
        })
        .collect();
    let replacing = Replacing::new(memory, stores);
    let clock = memory.rules().clock;
    let days: Vec<ActiveDays> = match clock {
        Clock::Calendar => stores.iter().map(|_| ActiveDays::default()).collect(),
        Clock::Active(_) => stores.iter().map(Store::used_days).collect(),
    };
    documents
        .map(|IndexedDocument { at, doc, kind, .. }| {
            let id = documents::entry_id(doc);
            let in_archive = *kind == SourceKind::Archive;
            let known = id.and_then(|id| known.get(at.store)?.get(&id));
            let aged = id.filter(|_| in_archive).and_then(|id| archived.strength(at.store, id));
            let found = aged.or_else(|| known.map(|known| known.strength));
            let Some((id, mut strength)) = id.zip(found) else {
                let is_replaced =
                    in_archive && id.is_some_and(|id| archived.is_replaced(at.store, id));
                // A line that somebody put into the archive by hand.
                let why = if is_replaced { ArchiveReason::Replaced } else { ArchiveReason::Age };
                let facts = Facts { archived: in_archive.then_some(why), ..Facts::default() };
                let last = Timestamp::from_seconds(doc.when);
                return Standings { standing: None, last, facts };
            };
            strength.last_reinforced = memory.now.cap(strength.last_reinforced);
            let spec = specs.iter().find(|(hash, ..)| *hash == doc.category);
            let tau = spec.map(|(_, tau, _)| *tau);
            let last = strength.last_reinforced;
            let idle = days.get(at.store).map(|days| clock.at(memory.now, days).since(last));
            let idle = idle.unwrap_or_else(|| memory.now.since(last));
            let mut is_pinned = doc.pinned;
            // Pins of mirrors count for those who set them.
            if stores.get(at.store).is_some_and(|store| store.mirror.is_some()) {
                is_pinned = false;
                if strength.user == UserState::Pinned {
                    strength.user = UserState::Auto;
                }
            }
            let standing = stability::standing_of(idle, strength, tau.unwrap_or(1.0), is_pinned);
            let evidence = known.and_then(|known| known.evidence.as_ref());
            let until = evidence.and_then(|evidence| evidence.until);
            let why = match aged {
                Some(_) => Some(ArchiveReason::Age),
                None => known.and_then(|known| known.archived).or(Some(ArchiveReason::Age)),
            };
            let pinned = standing == Standing::Pinned;
            let by = |found: &Evidence| replacing.by(at.store, id, found, in_archive);
            let facts = Facts {
                pinned,
                forgotten: standing == Standing::Forgotten,
                expired: until.is_some_and(|until| until < memory.now.0),
                replaced_by: evidence.and_then(by),
                archived: why.filter(|_| in_archive),
                unset: !pinned && spec.is_some_and(|(.., is_set)| !is_set),
                ..Facts::default()
            };
            Standings { standing: Some(standing), last: Some(last), facts }
        })
        .collect()
}

/// Returns true for an entry of a topic that agents ask for and nothing is known of: without the log,
/// a forgotten one would look like any other.
pub fn is_unjudged(
    stores: &[Store],
    document: &IndexedDocument<'_>,
    standing: Option<Standing>,
) -> bool {
    let is_strict = stores.get(document.at.store).is_some_and(|store| store.strict);
    let is_entry =
        document.kind == SourceKind::Topic && documents::entry_id(&document.doc).is_some();
    // What other branches have is no secret of the log.
    let is_here = !document.source.starts_with(ELSEWHERE);
    is_strict && is_entry && is_here && standing.is_none()
}

/// Returns what is known of entries of topics: from the index, or else the log, or else the whole
/// store, because an entry without evidence must be adopted, which needs all Markdown files.
fn of_topics<'l>(
    memory: &Memory,
    store: &Store,
    corpus: &Corpus,
    ids: &IdSet<EntryId>,
    evidence: impl FnOnce(&IdSet<EntryId>) -> Cow<'l, Ledger>,
) -> IdMap<EntryId, Known> {
    let mut known = IdMap::default();
    if ids.is_empty() {
        return known;
    }
    let folded = corpus.folded.as_ref().and_then(|folded| folded.lookup(store, memory.now, ids));
    let mut asked: IdSet<EntryId> = IdSet::default();
    match folded {
        Some(folded) => {
            for (id, FoldedEntry { strength, is_dated }) in folded {
                if is_dated {
                    asked.insert(id);
                }
                known.insert(id, Known { strength, evidence: None, archived: None });
            }
        }
        None => asked.clone_from(ids),
    }
    if asked.is_empty() {
        return known;
    }
    let ledger = evidence(&asked);
    for id in asked {
        if let Some(evidence) = ledger.evidence(memory.now, id) {
            let strength = evidence.strength();
            known.insert(id, Known { strength, evidence: Some(evidence), archived: None });
        }
    }
    known
}

/// Evidence of stores with entries that only all Markdown files tell of, which are read once.
pub struct Adopted(Vec<OnceCell<Ledger>>);

impl Adopted {
    pub fn new(stores: &[Store]) -> Self {
        Self(stores.iter().map(|_| OnceCell::new()).collect())
    }

    /// Returns evidence of entries of topics. `number` is that of the store. Adds read problems to
    /// `unread`.
    pub fn evidence_of(
        &self,
        memory: &Memory,
        (number, store): (usize, &Store),
        ids: &IdSet<EntryId>,
        unread: &mut Vec<ReadProblem>,
    ) -> Cow<'_, Ledger> {
        let known = self.0.get(number);
        if let Some(ledger) = known.and_then(OnceCell::get) {
            return Cow::Borrowed(ledger);
        }
        if let Some(ledger) = store.evidence_of(memory.now, ids) {
            return Cow::Owned(ledger);
        }
        let mut read = || {
            let snapshot = store.read(memory.now, &memory.config.categories);
            unread.extend(snapshot.problems);
            snapshot.ledger
        };
        match known {
            Some(known) => Cow::Borrowed(known.get_or_init(read)),
            None => Cow::Owned(read()),
        }
    }
}

/// Returns what the log says of archived entries.
fn of_archive(memory: &Memory, store: &Store, ids: IdSet<EntryId>) -> Vec<(EntryId, Known)> {
    if ids.is_empty() {
        return Vec::new();
    }
    let ledger = store.ledger_of(&ids);
    let known = |id: EntryId| {
        let evidence = ledger.evidence(memory.now, id)?;
        let strength = evidence.strength();
        Some((id, Known { strength, evidence: Some(evidence), archived: ledger.archived_for(id) }))
    };
    ids.into_iter().filter_map(known).collect()
}

/// Finds what replaces entries. An entry that supersedes another may itself be gone, which only the
/// full ranking shows; it is made for the first entry that needs it.
struct Replacing<'a> {
    memory: &'a Memory,
    stores: &'a [Store],
    /// Of all own stores together, and of each mirror.
    rankings: Vec<OnceCell<Leaky<Ranking>>>,
}

impl<'a> Replacing<'a> {
    fn new(memory: &'a Memory, stores: &'a [Store]) -> Self {
        Self { memory, stores, rankings: stores.iter().map(|_| OnceCell::new()).collect() }
    }

    /// Returns the entry that replaces another, by its evidence.
    fn by(
        &self,
        store: usize,
        id: EntryId,
        evidence: &Evidence,
        in_archive: bool,
    ) -> Option<EntryId> {
        let first = evidence.superseded_by.first().copied()?;
        if in_archive {
            return Some(first);
        }
        let is_mirror = self.stores.get(store).is_some_and(|store| store.mirror.is_some());
        let (at, stores) = if is_mirror {
            (store, self.stores.get(store..=store).unwrap_or_default())
        } else {
            (0, self.stores)
        };
        let ranking = self.rankings.get(at)?.get_or_init(|| self.memory.ranking(stores).0);
        match ranking.get(id) {
            Some(row) => row.superseded_by,
            None => Some(first),
        }
    }
}
