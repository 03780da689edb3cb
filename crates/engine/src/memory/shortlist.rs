//! The report of a large store from its shortlist, which is kept in the cache: the lines and the events
//! of the entries that decide about it, as topics and log, and a row for each of the others. What has
//! changed since is read from the store. Where that leaves a doubt, the whole store is read.

use std::{
    collections::{BTreeMap, HashSet},
    time::Duration,
};

use anyhow::Result;
use pimem_core::{
    markdown::topic::{TopicDoc, TopicEntry},
    model::{
        category::{Categories, CategoryId},
        entry::EntryId,
        event::{Cue, Event, EventKind},
        hash::{IdMap, IdSet, fnv1a64},
        time::{Now, Timestamp},
    },
    report::{
        budget::Tokens,
        render::{self, RenderSettings, Report},
        shortlist::{self, RestEntry, SLACK},
    },
    score::{
        clock::Clock,
        ranking::{Ranking, RankingRules, RestOfCategory, ScoredEntry},
    },
    seal,
};
use tantivy::directory::OwnedBytes;

use super::{Memory, handles::Reading, placed};
use crate::{
    index::{
        container::{self, Cache, ContainerReader, Packed, Writer},
        corpus::{same_content, same_stamp},
        manifest::{self, Indexed, Manifest},
        strengths::LogMark,
    },
    process::Leaky,
    store::{
        Store, atomic, evidence,
        snapshot::{Snapshot, TopicFile},
        trust::TrustMark,
    },
};

const NAME: &str = "shortlist.idx";
const VERSION: &[u8] = b"2";
/// Entries from which on a store has a shortlist: with fewer, reading them all is as fast.
const LEAST: usize = 1_500;
/// Time after which it is looked again whether a store can have one.
const AGAIN: Duration = Duration::from_hours(1);
/// Most entries of changed files that are read beside a shortlist.
const MOST_CHANGED: usize = 1_000;

/// Why a store has no shortlist that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unlisted {
    /// It can have none now.
    Unfit,
    /// It is older than what has changed.
    Stale,
}

/// The entries of stores, of one of them those of its shortlist only.
pub struct ShortStores {
    pub snapshots: Vec<Snapshot>,
    /// What the ranking is to count of the others of that store, by category.
    pub rest: Vec<RestOfCategory>,
    pub others: Vec<EntryId>,
}

/// A report, with the ranking and the stores that it was made of.
pub struct ReportSource {
    pub ranking: Leaky<Ranking>,
    pub snapshots: Leaky<Vec<Snapshot>>,
    /// Entries that have no row.
    pub others: Vec<EntryId>,
    pub report: Report,
    /// Those whose shortlist should be renewed.
    pub stale: Vec<Store>,
}

impl Reading<'_> {
    /// Makes the report of stores without what is `stated` elsewhere, after lines that were typed here
    /// were noted, if `limit` gives git time for that. With `is_brief`, rows that it does not show may be
    /// missing.
    pub fn report_source(
        self,
        stores: &[Store],
        settings: RenderSettings<'_>,
        limit: Option<Duration>,
        stated: &HashSet<String>,
        is_brief: bool,
    ) -> ReportSource {
        let memory = self.memory;
        let make = |ranking: &mut Ranking| {
            ranking.rows.retain(|row| !stated.contains(&row.entry.text));
            render::report(ranking, &memory.config.categories, settings)
        };
        let mut old = Vec::new();
        if is_brief && !settings.reasons && !self.has_team_beside(stores) {
            match self.short_stores(stores, stated) {
                Ok(ShortStores { snapshots, rest, others }) => {
                    let held = placed(&memory.config.categories, stores, &snapshots);
                    let rules = RankingRules { rest: &rest, ..memory.rules() };
                    let mut ranking = Ranking::new(memory.now, rules, held);
                    let limit = limit.filter(|_| ranking.unreviewed() > 0);
                    let is_noted =
                        limit.is_some_and(|limit| memory.note_own(limit, stores, &snapshots));
                    let report = make(&mut ranking);
                    if report.is_sure && !report.text.is_empty() && !is_noted {
                        let ranking = Leaky::new(ranking, memory.ends_soon);
                        let snapshots = Leaky::new(snapshots, memory.ends_soon);
                        let stale = Vec::new();
                        return ReportSource { ranking, snapshots, others, report, stale };
                    }
                }
                Err(stale) => old = stale,
            }
        }
        let (mut ranking, snapshots) = match limit {
            Some(limit) => memory.own_ranking_within(limit, stores),
            None => memory.ranking_everywhere(stores),
        };
        let is_large =
            |(at, held): &(usize, &Snapshot)| old.contains(at) && held.entries().count() >= LEAST;
        let stale = snapshots.iter().enumerate().filter(is_large);
        let stale = stale.filter_map(|(at, _)| stores.get(at).cloned()).collect();
        let report = make(&mut ranking);
        ReportSource { ranking, snapshots, others: Vec::new(), report, stale }
    }

    /// Returns true if lines of others, which are compared with all entries, stand beside those of a
    /// shortlist.
    fn has_team_beside(self, stores: &[Store]) -> bool {
        let memory = self.memory;
        let has_one = |store| memory.cache_dir(store).is_some_and(|dir| dir.join(NAME).is_file());
        memory.config.settings.report.team > Tokens(0)
            && stores.iter().any(has_one)
            && !memory.sharing().mirrors().is_empty()
    }

    /// Reads stores, of one its shortlist. If that cannot be, returns the stores, as indexes, whose
    /// shortlist is stale.
    pub fn short_stores(
        self,
        stores: &[Store],
        stated: &HashSet<String>,
    ) -> Result<ShortStores, Vec<usize>> {
        let memory = self.memory;
        let mut stale = Vec::new();
        let found = stores.iter().enumerate().find_map(|(at, store)| {
            let found = Shortlisted::open(memory, store);
            stale.extend(matches!(found, Err(Unlisted::Stale)).then_some(at));
            Some((at, found.ok()?))
        });
        let Some((at, mut found)) = found else { return Err(stale) };
        let categories = &memory.config.categories;
        let is_rest = |text: &String| {
            let mut ids =
                categories.known().map(|(_, spec)| EntryId::of(&spec.name, text.as_bytes()));
            ids.any(|id| found.row(id).is_some())
        };
        if stated.iter().any(is_rest) {
            return Err(Vec::new());
        }
        let mut snapshots = Vec::new();
        for (number, store) in stores.iter().enumerate() {
            if number == at {
                snapshots.push(std::mem::take(&mut found.snapshot));
                continue;
            }
            let mut held = store.read(memory.now, categories);
            store.add_elsewhere(categories, &mut held);
            if held.damaged > 0 || found.may_concern(held.entries().map(|(_, entry)| entry)) {
                return Err(Vec::new());
            }
            snapshots.push(held);
        }
        let rest = found.rest_by_category(memory.now, categories);
        let others = found.rows().map(|row| row.entry.id).collect();
        Ok(ShortStores { snapshots, rest, others })
    }
}

/// An entry that has no line on the shortlist.
#[derive(Clone, Copy)]
struct RestRow {
    entry: RestEntry,
    /// Number of its file.
    file: usize,
}

impl RestRow {
    const SIZE: usize = 40;

    fn write(self, out: &mut Writer) {
        let RestEntry { id, category, chars, cue, evidence, last_reinforced } = self.entry;
        out.u64(id.0);
        out.u64(last_reinforced.0.cast_unsigned());
        out.u64(evidence);
        let cue = Cue::ALL.iter().position(|known| *known == cue).unwrap_or(0);
        for number in [usize::from(category.0), chars, cue, self.file] {
            out.u32(u32::try_from(number).unwrap_or(u32::MAX));
        }
    }

    fn read(record: &[u8; Self::SIZE]) -> Self {
        let mut reader = ContainerReader(record);
        let mut number = || reader.u64().unwrap_or_default();
        let (id, last_reinforced) = (EntryId(number()), Timestamp(number().cast_signed()));
        let evidence = number();
        let mut number = || reader.u32().unwrap_or_default() as usize;
        let category = CategoryId(u16::try_from(number()).unwrap_or(u16::MAX));
        let (chars, cue, file) = (number(), number(), number());
        let cue = Cue::ALL.get(cue).copied().unwrap_or(Cue::Behavioral);
        Self { entry: RestEntry { id, category, chars, cue, evidence, last_reinforced }, file }
    }
}

/// What an entry that has no line on the shortlist is about.
#[derive(Clone, Copy)]
struct RestTopic {
    hash: u64,
    /// Number of its file.
    file: usize,
}

impl RestTopic {
    const SIZE: usize = 12;

    fn write(self, out: &mut Writer) {
        out.u64(self.hash);
        out.u32(u32::try_from(self.file).unwrap_or(u32::MAX));
    }

    fn read(record: &[u8; Self::SIZE]) -> Self {
        let mut reader = ContainerReader(record);
        let (hash, file) = (reader.u64(), reader.u32());
        Self { hash: hash.unwrap_or_default(), file: file.unwrap_or(u32::MAX) as usize }
    }
}

/// What a store has, by its shortlist and what has changed since.
struct Shortlisted {
    /// Its entries on the shortlist, and those of files that have changed.
    snapshot: Snapshot,
    /// The file of the shortlist.
    packed: Packed,
    /// The others, sorted by id.
    rest: OwnedBytes,
    /// True for the files that were read.
    changed: Vec<bool>,
}

impl Shortlisted {
    /// Returns the others, sorted by id.
    fn rows(&self) -> impl Iterator<Item = RestRow> {
        let rows = self.rest.as_chunks::<{ RestRow::SIZE }>().0.iter().map(RestRow::read);
        rows.filter(|row| self.changed.get(row.file) == Some(&false))
    }

    fn row(&self, id: EntryId) -> Option<RestRow> {
        let rows = self.rest.as_chunks::<{ RestRow::SIZE }>().0;
        let at = rows.binary_search_by_key(&id, |row| RestRow::read(row).entry.id).ok()?;
        let row = RestRow::read(rows.get(at)?);
        (self.changed.get(row.file) == Some(&false)).then_some(row)
    }

    /// Returns true if the rest may have one of some entries too, or one of its subject.
    fn may_concern<'a>(&self, mut entries: impl Iterator<Item = &'a TopicEntry>) -> bool {
        let Ok(about) = self.packed.section("about") else { return true };
        let about = about.as_chunks::<{ RestTopic::SIZE }>().0;
        let is_about = |topic: u64| {
            let from = about.partition_point(|known| RestTopic::read(known).hash < topic);
            let same = about.get(from..).unwrap_or_default().iter().map(RestTopic::read);
            let mut same = same.take_while(|known| known.hash == topic);
            same.any(|known| self.changed.get(known.file) == Some(&false))
        };
        entries.any(|entry| {
            let topics = || shortlist::topics(entry.category, &entry.text);
            self.row(entry.id).is_some() || topics().into_iter().any(is_about)
        })
    }

    fn rest_by_category(&self, now: Now, categories: &Categories) -> Vec<RestOfCategory> {
        let mut found = vec![RestOfCategory::default(); categories.iter().count()];
        for RestRow { entry, .. } in self.rows() {
            if let Some(rest) = found.get_mut(usize::from(entry.category.0)) {
                entry.count_in(rest, now, categories.spec(entry.category));
            }
        }
        found
    }

    /// Reads the shortlist of a store, and what has changed since.
    fn open(memory: &Memory, store: &Store) -> Result<Self, Unlisted> {
        let dir = memory.cache_dir(store).filter(|_| may_have_one(memory, store));
        let dir = dir.ok_or(Unlisted::Unfit)?;
        let packed = Packed::open(&dir, NAME).ok().flatten().ok_or(Unlisted::Stale)?;
        let section = |name: &str| packed.section(name).map_err(|_| Unlisted::Stale);
        if section("manifest")?.is_empty() {
            let written = dir.join(NAME).metadata().and_then(|meta| meta.modified());
            let age = written.ok().and_then(|at| memory.real_now.duration_since(at).ok());
            let is_new = age.is_some_and(|age| age < AGAIN);
            return Err(if is_new { Unlisted::Unfit } else { Unlisted::Stale });
        }
        let kept = Manifest::read(&section("manifest")?).map_err(|_| Unlisted::Stale)?;
        let head = section("head")?;
        let head = ShortlistHead::read(&mut ContainerReader(&head)).ok_or(Unlisted::Stale)?;
        // Who names a store trusts more than its hooks do: each has use for another one.
        if head.latest > memory.now.0 || head.trust.level != store.trust.level() {
            return Err(Unlisted::Unfit);
        }
        if kept.recipe != recipe(memory) || !store.trust.has_only_grown(head.trust) {
            return Err(Unlisted::Stale);
        }
        let added = head.log.added(store).ok_or(Unlisted::Stale)?;
        let news = AddedEvents::read(&added, memory.now).ok_or(Unlisted::Stale)?;
        let rest = section("rest")?;
        let (snapshot, changed) = (Snapshot::default(), vec![false; kept.sources.len()]);
        let mut found = Self { snapshot, packed, rest, changed };
        found.read(memory, store, &kept, (&added, &news)).ok_or(Unlisted::Stale)?;
        let snapshot = &found.snapshot;
        let has = |id| found.row(id).is_some() || !snapshot.lines_of(id).is_empty();
        let is_alone = store.stands_alone(&memory.config.categories, has);
        if is_alone { Ok(found) } else { Err(Unlisted::Unfit) }
    }

    /// Fills the snapshot; `None` if too much has changed.
    fn read(
        &mut self,
        memory: &Memory,
        store: &Store,
        kept: &Manifest,
        (added, news): (&[u8], &AddedEvents),
    ) -> Option<()> {
        let categories = &memory.config.categories;
        let sources = manifest::topics(store)?;
        for (indexed, changed) in kept.sources.iter().zip(&mut self.changed) {
            let at = sources.binary_search_by(|source| source.name.cmp(&indexed.name)).ok();
            let source = at.and_then(|at| sources.get(at));
            let is_same = source.is_some_and(|source| {
                let content = || store.listed(&source.name).ok().flatten();
                same_stamp(source, indexed)
                    || source.stamp.len == indexed.stamp.len
                        && content().is_some_and(|bytes| same_content(store, &bytes, indexed))
            });
            *changed = !is_same;
        }
        // What new events are about is read whole.
        for id in &news.about {
            if let Some(row) = self.row(*id) {
                *self.changed.get_mut(row.file)? = true;
            }
        }
        let mut listed: IdSet<EntryId> = IdSet::default();
        let mut docs: BTreeMap<&str, (TopicDoc, Vec<usize>)> = BTreeMap::new();
        let section = |name: &str| self.packed.section(name).ok();
        let (topics, vouched) = (section("topics")?, section("vouched")?);
        let mut vouched = vouched.iter();
        for (indexed, bytes) in kept.sources.iter().zip(files(&topics)) {
            let doc = TopicDoc::parse(bytes.to_vec(), categories);
            listed.extend(doc.entries.iter().map(|entry| entry.id));
            // One byte an entry: 1 if the ledger of trust had it, else 0.
            let of_file = doc.entries.iter().zip(&mut vouched).filter(|(_, byte)| **byte == 1);
            let of_file = of_file.map(|(entry, _)| entry.line).collect();
            docs.insert(&indexed.name, (doc, of_file));
        }
        let mut unknown: Vec<TopicEntry> = Vec::new();
        for source in &sources {
            let at = kept.sources.binary_search_by(|known| known.name.cmp(&source.name)).ok();
            let is_same = at.is_some_and(|at| self.changed.get(at) == Some(&false));
            let known = docs.remove(&*source.name);
            let (doc, vouched) = if is_same {
                known?
            } else {
                let doc = TopicDoc::parse(store.listed(&source.name).ok()??, categories);
                let new = doc.entries.iter().filter(|entry| !listed.contains(&entry.id));
                unknown.extend(new.cloned());
                // What was trusted once, is.
                let vouched = known.map(|(known, lines)| doc.lines_of_copies(&known, &lines));
                (doc, vouched.unwrap_or_default())
            };
            let stem = source.name.strip_prefix("topics/")?.strip_suffix(".md")?;
            self.snapshot
                .topics
                .push(TopicFile { vouched, ..TopicFile::new(stem.to_owned(), doc) });
        }
        let is_odd = unknown.len() > MOST_CHANGED
            || unknown.iter().any(|entry| seal::is_closed(&entry.text, false));
        if is_odd || !unknown.is_empty() && self.may_concern(unknown.iter()) {
            return None;
        }
        let is_gone = |id: &&EntryId| self.snapshot.lines_of(**id).is_empty();
        if listed.iter().filter(is_gone).count() + news.takes > SLACK {
            return None;
        }
        let known = self.packed.section("log").ok()?;
        let unknown: IdSet<EntryId> = unknown.iter().map(|entry| entry.id).collect();
        let about = store.log_about(&unknown).ok()?;
        self.snapshot.ledger = evidence::fold_parts(&[&known, added, &about]);
        // What they were made from may have lines that neither has.
        let sources = |id: &EntryId| self.snapshot.ledger.sources(*id).into_iter();
        if unknown.iter().flat_map(sources).any(|id| !unknown.contains(&id)) {
            let ids = self.snapshot.entries().map(|(_, entry)| entry.id).collect();
            self.snapshot.ledger = store.ledger_of(&ids);
        }
        let ledger = &self.snapshot.ledger;
        self.snapshot.entries().all(|(_, entry)| ledger.knows(entry.id)).then_some(())
    }
}

/// Returns the files of topics.
fn files(section: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = ContainerReader(section);
    std::iter::from_fn(move || {
        let length = usize::try_from(rest.u32()?).ok()?;
        let (file, after) = rest.0.split_at_checked(length)?;
        rest.0 = after;
        Some(file)
    })
}

/// The effects of events that were written after the shortlist was made.
struct AddedEvents {
    /// The entries that they are about.
    about: Vec<EntryId>,
    /// How many may take a place from an entry.
    takes: usize,
}

impl AddedEvents {
    /// `None` if other entries may depend on them, or one is not to be read.
    fn read(added: &[u8], now: Now) -> Option<Self> {
        evidence::mentioned(added)?;
        let mut news = Self { about: Vec::new(), takes: 0 };
        for line in evidence::lines(added).filter(|line| !line.trim_ascii().is_empty()) {
            let Event { ts, entry, kind, .. } = evidence::event(line)?;
            if ts > now.0 {
                return None;
            }
            news.about.push(entry);
            match kind {
                EventKind::Add(..) | EventKind::Reinforce(_) => {}
                EventKind::Supersede(by) => {
                    news.about.push(by);
                    news.takes += 1;
                }
                _ => news.takes += 1,
            }
        }
        Some(news)
    }
}

/// By what a reader tells whether a shortlist still holds: the state of the store that it was made from.
struct ShortlistHead {
    /// Time of the latest event.
    latest: Timestamp,
    trust: TrustMark,
    log: LogMark,
}

impl ShortlistHead {
    fn write(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.u64(self.latest.0.cast_unsigned());
        let TrustMark { level, len, sum } = self.trust;
        for part in [level, len, sum] {
            out.u32(part);
        }
        self.log.write(&mut out);
        out.0
    }

    fn read(reader: &mut ContainerReader<'_>) -> Option<Self> {
        let latest = Timestamp(reader.u64()?.cast_signed());
        let (level, len, sum) = (reader.u32()?, reader.u32()?, reader.u32()?);
        let trust = TrustMark { level, len, sum };
        Some(Self { latest, trust, log: LogMark::read(reader)? })
    }
}

/// Returns true if reports of a store can be made of a shortlist.
fn may_have_one(memory: &Memory, store: &Store) -> bool {
    let rules = memory.rules();
    let is_plain = store.mirror.is_none() && !store.seal.is_sealed();
    is_plain && rules.policy.is_stability() && rules.clock == Clock::Calendar
}

/// Returns a hash of all settings by which entries are on a shortlist.
fn recipe(memory: &Memory) -> u64 {
    let rules = memory.rules();
    let budget = memory.report_settings(None, Tokens(0)).budget;
    let settings = format!("{:?} {} {} {budget}", rules.categories, rules.fresh, rules.reserve);
    fnv1a64(&[VERSION, settings.as_bytes()])
}

/// Makes the shortlist of a store anew; of a large store that can have none, that is noted.
pub fn renew(memory: &Memory, store: &Store, dir: &Cache) -> Result<()> {
    let sections = made(memory, store);
    let none = || BTreeMap::from([("manifest".to_owned(), Vec::new())]);
    match sections {
        // A small store needs none.
        Some(sections) if sections.is_empty() => atomic::remove_derived(&dir.join(NAME)),
        sections => {
            let packed = container::pack(&sections.unwrap_or_else(none), container::LONG);
            dir.replace(NAME, &packed)?;
        }
    }
    Ok(())
}

/// Returns the sections of a shortlist, none if that would not be asked; `None` if there can be none.
fn made(memory: &Memory, store: &Store) -> Option<BTreeMap<String, Vec<u8>>> {
    let categories = &memory.config.categories;
    if !may_have_one(memory, store) {
        return Some(BTreeMap::new());
    }
    // Stamps are taken before what they are of is read.
    let sources = manifest::topics(store)?;
    let mut snapshot = store.read_topics(categories);
    if snapshot.entries().count() < LEAST {
        return Some(BTreeMap::new());
    }
    let trust = store.trust.mark();
    let (log, bytes) = LogMark::read_log(store, memory.real_now)?;
    store.fold_evidence(memory.now, categories, &mut snapshot, Ok(bytes.clone()));
    let latest = snapshot.ledger.latest(Timestamp(i64::MAX))?;
    let is_whole = snapshot.damaged == 0
        && snapshot.problems.is_empty()
        && snapshot.adopted.is_empty()
        && latest <= memory.now.0
        && snapshot.topics.len() == sources.len();
    if !is_whole {
        return None;
    }
    let mut lines: IdMap<EntryId, usize> = IdMap::default();
    let mut files: IdMap<EntryId, usize> = IdMap::default();
    for (file, topic) in snapshot.topics.iter().enumerate() {
        for entry in &topic.doc.entries {
            *lines.entry(entry.id).or_default() += 1;
            files.insert(entry.id, file);
        }
    }
    let held = placed(categories, std::slice::from_ref(store), std::slice::from_ref(&snapshot));
    let ranking = Ranking::new(memory.now, memory.rules(), held);
    // What is noted of a former wording counts for the present one.
    let is_more = |row: &ScoredEntry| {
        lines.get(&row.entry.id) != Some(&1) || !snapshot.ledger.sources(row.entry.id).is_empty()
    };
    let budget = memory.report_settings(None, Tokens(0)).budget;
    let found = shortlist::shortlist(&ranking, categories, budget, is_more)?;
    let mut sources = sources.into_iter();
    let (mut kept, mut topics, mut vouched) = (Vec::new(), Writer::default(), Vec::new());
    let is_vouched = |entry: &TopicEntry| {
        let key = store.trust.entry(&categories.spec(entry.category).name, &entry.text);
        store.trust.holds(key)
    };
    for topic in &snapshot.topics {
        let source = sources.next()?;
        let (bytes, no_documents) = (topic.doc.bytes(), Default::default());
        kept.push(Indexed::of(store, &source, bytes, memory.real_now, no_documents));
        let part = topic.doc.only(&found.ids, categories)?;
        let listed = topic.doc.entries.iter().filter(|entry| found.ids.contains(&entry.id));
        vouched.extend(listed.map(|entry| u8::from(is_vouched(entry))));
        topics.u32(u32::try_from(part.len()).ok()?);
        topics.raw(&part);
    }
    let family = |id: &EntryId| snapshot.ledger.family(*id);
    let wanted: IdSet<EntryId> = found.ids.iter().flat_map(family).collect();
    let (mut rest, mut about) = (Writer::default(), Writer::default());
    for entry in &found.rest {
        let file = *files.get(&entry.id)?;
        RestRow { entry: *entry, file }.write(&mut rest);
    }
    for (hash, id) in &found.about {
        RestTopic { hash: *hash, file: *files.get(id)? }.write(&mut about);
    }
    let lines = evidence::lines_about(&bytes, |id| wanted.contains(id));
    let manifest = Manifest { base: 0, id: 0, recipe: recipe(memory), sources: kept };
    let sections = [
        ("manifest", manifest.write()),
        ("head", ShortlistHead { latest, trust, log }.write()),
        ("topics", topics.0),
        ("vouched", vouched),
        ("log", lines.collect::<Vec<_>>().join(&b'\n')),
        ("rest", rest.0),
        ("about", about.0),
    ];
    Some(sections.map(|(name, bytes)| (name.to_owned(), bytes)).into())
}
