//! What becomes of candidates on their way out: given, given with a mark, or withheld.

use crate::memory::handles::Reading;
use std::collections::{HashMap, HashSet};

use super::{
    Ranked, Search, SearchResult, find, request::SearchRequest, segments::IndexedDocument,
};
use crate::{
    memory::mirrors,
    store::{
        Store, provenance,
        snapshot::Snapshot,
        trust::{TextKey, TrustedKind},
    },
};
use pimem_core::{
    gate::{self, Mark, Verdict},
    model::{
        entry::EntryId,
        hash::{IdMap, IdSet},
    },
    report::replaced,
    score::evidence::Evidence,
    search::{
        documents::{self, SourceKind},
        rank,
    },
};

impl Reading<'_> {
    /// Searches the user's stores. If lines that await review match, those that were typed here are
    /// noted first.
    pub(super) fn find_own(self, stores: &[Store], request: &SearchRequest<'_>) -> SearchResult {
        let found = find(self.memory, stores, request);
        if found.withheld.of("unreviewed") == 0 {
            return found;
        }
        let read = |store: &Store| store.read_topics(&self.memory.config.categories);
        let snapshots: Vec<Snapshot> = stores.iter().map(read).collect();
        if self.memory.note_own(provenance::LIMIT, stores, &snapshots) {
            find(self.memory, stores, request)
        } else {
            found
        }
    }
}

impl Search<'_> {
    /// Finds what was written or reviewed on this machine and what holds a secret, and removes what
    /// is withheld, and copies. Of what is counted, it is put aside. Where everything is asked for,
    /// only entries in force are removed, and secrets are masked.
    pub(super) fn review<'b>(
        &self,
        request: &SearchRequest<'_>,
        ranked: &mut Vec<Ranked<'b>>,
        aside: &mut Vec<Ranked<'b>>,
    ) {
        self.find_reviewed(ranked);
        self.memory.warn_of_ledgers(self.stores.iter().filter(|_| !ranked.is_empty()));
        let whole = request.whole_archive;
        let mut seen = HashSet::new();
        let (mut kept, mut withheld) = (Vec::new(), Vec::new());
        for mut one in ranked.drain(..) {
            let IndexedDocument { kind, doc, at, .. } = one.document;
            one.facts.reviewed |= self.notes.shown(kind, at.store, one.document.source);
            if documents::entry_id(&doc).is_none() {
                if let Some(text) = self.notes.told(at.store, &one.text) {
                    // Nothing, or the heading of what is withheld.
                    let is_left =
                        text.lines().any(|line| !line.is_empty() && !line.starts_with('#'));
                    one.facts.reviewed &= is_left;
                    one.text = if whole { gate::masked(&one.text).into_owned() } else { text };
                }
            } else if let Some(store) = self.stores.get(at.store).filter(|s| s.mirror.is_none()) {
                let name = documents::category_name(&self.memory.config.categories, doc.category);
                one.facts.secret = store.trust.secret_in(name.unwrap_or_default(), &one.text);
            }
            one.verdict = one.facts.verdict();
            let is_given = one.verdict.is_given();
            if whole {
                let is_asked =
                    kind == SourceKind::Archive || !is_given && kind == SourceKind::Topic;
                if !(is_asked || is_given && request.may_find(kind)) {
                    continue;
                }
                if one.facts.secret.is_some() {
                    one.text = gate::masked(&one.text).into_owned();
                }
                kept.push(one);
            } else if !is_given {
                withheld.push(one);
            } else if seen.insert((kind, doc.id, one.text.clone())) {
                kept.push(one);
            }
        }
        *ranked = kept;
        if request.is_explicit {
            aside.extend(withheld);
        }
    }

    fn find_reviewed(&self, ranked: &mut [Ranked<'_>]) {
        for (number, store) in self.stores.iter().enumerate() {
            let trust = &store.trust;
            let here = |ranked: &&mut Ranked<'_>| ranked.document.at.store == number;
            let here: Vec<&mut Ranked<'_>> = ranked.iter_mut().filter(here).collect();
            if store.mirror.is_some() {
                let categories = &self.memory.config.categories;
                for ranked in here {
                    let name = documents::category_name(categories, ranked.document.doc.category);
                    let why = mirrors::withheld(store, name.unwrap_or_default(), &ranked.text);
                    ranked.facts.reviewed = why.is_none();
                }
                continue;
            }
            if trust.is_whole() {
                // Orders wait in the user's own store too.
                let categories = &self.memory.config.categories;
                for Ranked { document, text, facts, .. } in here {
                    facts.reviewed = documents::entry_id(&document.doc).is_none() || {
                        let name = documents::category_name(categories, document.doc.category);
                        trust.holds_entry(name.unwrap_or_default(), text)
                    };
                }
                continue;
            }
            let keys: Vec<Option<TextKey>> =
                here.iter().map(|ranked| self.trust_key(store, ranked)).collect();
            let held = trust.held(&keys.iter().copied().flatten().collect::<Vec<_>>());
            for (ranked, key) in here.into_iter().zip(keys) {
                ranked.facts.reviewed = key.is_some_and(|key| held.contains(&key));
            }
        }
    }

    /// Returns the key of an entry or summary in a store's ledger of trust.
    fn trust_key(&self, store: &Store, ranked: &Ranked<'_>) -> Option<TextKey> {
        let Ranked { document: IndexedDocument { kind, doc, .. }, text, .. } = ranked;
        match kind {
            SourceKind::Topic | SourceKind::Archive => {
                let categories = &self.memory.config.categories;
                let name = documents::category_name(categories, doc.category)?;
                Some(store.trust.entry(name, text))
            }
            SourceKind::Session => Some(store.trust.text(TrustedKind::Session, text)),
            _ => None,
        }
    }

    /// Marks the best candidates that a newer choice among all of them seems to replace.
    pub(super) fn mark(&self, request: &SearchRequest<'_>, ranked: &mut [Ranked<'_>]) {
        let alike = alike(self, request.limit, ranked);
        if alike.is_empty() {
            return;
        }
        let mut evidence: IdMap<EntryId, Evidence> = IdMap::default();
        for (number, store) in self.stores.iter().enumerate() {
            let here = |at: &usize| {
                let document = ranked.get(*at)?.document;
                documents::entry_id(&document.doc).filter(|_| document.at.store == number)
            };
            let both = |(older, newer): &(usize, usize)| [*older, *newer];
            let ids: IdSet<EntryId> =
                alike.iter().flat_map(both).filter_map(|at| here(&at)).collect();
            if ids.is_empty() {
                continue;
            }
            let ledger =
                self.adopted.evidence_of(self.memory, (number, store), &ids, &mut Vec::new());
            let known = |id: EntryId| Some((id, ledger.evidence(self.memory.now, id)?));
            evidence.extend(ids.into_iter().filter_map(known));
        }
        let id = |at: usize| documents::entry_id(&ranked.get(at)?.document.doc);
        let of = |at: usize| evidence.get(&id(at)?);
        let levels = |at: usize| {
            let store = self.stores.get(ranked.get(at)?.document.at.store)?;
            Some(store.scope.levels())
        };
        let mut marks: HashMap<usize, (&Evidence, EntryId)> = HashMap::new();
        for (older, newer) in alike {
            let Some((old, new)) = of(older).zip(of(newer)) else { continue };
            let [new_at, old_at] = [newer, older].map(|at| levels(at).unwrap_or_default());
            let is_newer = replaced::is_newer((new, new_at), (old, old_at));
            let Some(by) = id(newer).filter(|_| is_newer) else { continue };
            if marks.get(&older).is_none_or(|(other, _)| new.choice() > other.choice()) {
                marks.insert(older, (new, by));
            }
        }
        let marks: Vec<(usize, EntryId)> =
            marks.into_iter().map(|(at, (_, by))| (at, by)).collect();
        for (at, by) in marks {
            if let Some(one) = ranked.get_mut(at) {
                one.facts.yields_to = Some(by);
                one.verdict = one.facts.verdict();
            }
        }
    }
}

/// Returns the pairs of entries of one project and category, or one store and category, of which the
/// second, which is newer, gives another value to the subject of the first. That is among the first
/// `shown` of those that count.
fn alike(search: &Search<'_>, shown: usize, ranked: &[Ranked<'_>]) -> Vec<(usize, usize)> {
    let categories = &search.memory.config.categories;
    // Each completion stands for itself, however similar two are.
    let single: Vec<u32> = categories
        .known()
        .filter(|(_, spec)| spec.traits.is_done)
        .map(|(_, spec)| documents::category_hash(&spec.name))
        .collect();
    let texts = ranked.iter().enumerate().filter_map(|(place, one)| {
        let IndexedDocument { at, doc, kind, .. } = one.document;
        let is_asked = kind == SourceKind::Topic && doc.category != 0 && one.verdict.is_given();
        let scope = search.stores.get(at.store).map_or("", |store| store.scope.family());
        let is_compared = is_asked && !single.contains(&doc.category);
        is_compared.then_some(((scope, doc.category), place, one.text.as_str()))
    });
    let first = ranked.iter().enumerate().filter(|(_, one)| one.judged.counts).take(shown);
    let first: HashSet<usize> = first.map(|(at, _)| at).collect();
    replaced::pairs(texts, |at| first.contains(&at))
}

/// Returns the first `limit` of those found, best first, and the others. What seems to be replaced
/// stands directly after what seems to replace it, which is among them if it was found at all.
pub(super) fn shown<'a>(
    found: Vec<Ranked<'a>>,
    limit: usize,
) -> (Vec<Ranked<'a>>, Vec<Ranked<'a>>) {
    let by = |one: &Ranked<'_>| match one.verdict {
        Verdict::Marked(Mark::SeemsReplaced(by)) => Some(by),
        _ => None,
    };
    if !found.iter().take(limit).any(|one| by(one).is_some()) {
        let mut found = found;
        let over = found.split_off(limit.min(found.len()));
        return (found, over);
    }
    let ids: Vec<Option<EntryId>> =
        found.iter().map(|one| documents::entry_id(&one.document.doc)).collect();
    let above: Vec<Option<usize>> = found
        .iter()
        .map(|one| by(one).and_then(|by| ids.iter().position(|id| *id == Some(by))))
        .collect();
    let order = replaced::below_successors(&above, limit);
    let mut slots: Vec<Option<Ranked<'a>>> = found.into_iter().map(Some).collect();
    let mut hits: Vec<Ranked<'a>> =
        order.into_iter().filter_map(|at| slots.get_mut(at)?.take()).collect();
    rank::level(hits.iter_mut().map(|one| &mut one.judged), 0);
    (hits, slots.into_iter().flatten().collect())
}
