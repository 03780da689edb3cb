//! Histories of replicas that exchange what they hold, in any order and with losses: after a last
//! complete exchange, all hold the same.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{
    check::Reason,
    exchange::{ExchangeChange, HeldObjects, SyncObjects, apply, missing, outgoing},
    place::{self, FoldedEvents, HandLine},
    sealed::Seals,
    wire::{self, SyncObject},
};
use crate::{
    model::{
        category::Categories,
        entry::EntryId,
        event::{ArchiveReason, Author, Cue, Event, EventKind, Origin, Provenance},
        hash::IdSet,
        questions::Questions,
        rules::{LineAsides, LineRules},
        time::{DAY_MS, Now, Timestamp},
    },
    report::{
        budget::Tokens,
        render::{GroundTruth, RenderSettings, report},
    },
    score::{
        adopt as readers,
        ranking::{LocatedEntry, Ranking, RankingRules},
    },
    seal::KEY_BYTES,
};

const NOW: Now = Now(Timestamp(1_782_842_400_000));
const TOPICS: [&str; 3] = ["lessons", "lessons-2", "harbor"];

fn text(n: u8) -> String {
    // Some are near each other, so that a change by hand is found to be one.
    format!("The berth of quay {} is dredged every {} years by harbor pilots", n % 3, n / 3)
}

fn id(text: &str) -> EntryId {
    EntryId::of("lesson", text.as_bytes())
}

fn line(text: &str, stem: &str) -> HandLine {
    HandLine {
        id: id(text),
        archived: false,
        stem: stem.to_owned(),
        category: "lesson".to_owned(),
        text: text.to_owned(),
        pinned: false,
        asides: LineAsides::default(),
    }
}

/// A store as values, with a clock and a source of random numbers of its own.
#[derive(Debug, Clone, Default)]
struct Replica {
    held: HeldObjects,
    skew: i64,
    random: u128,
    accesses: BTreeMap<EntryId, u64>,
}

/// What happens to a replica, with numbers that choose texts and topics.
#[derive(Debug, Clone, Copy)]
enum Act {
    Add,
    Reinforce,
    Edit,
    Forget,
    Pin,
    Unpin,
    Archive,
    Restore,
    Purge,
    Undo,
    Access,
    TypeByHand,
    ChangeByHand,
    MoveByHand,
    MarkByHand,
    AskByHand,
    DeleteByHand,
}

const ACTS: [Act; 17] = [
    Act::Add,
    Act::Reinforce,
    Act::Edit,
    Act::Forget,
    Act::Pin,
    Act::Unpin,
    Act::Archive,
    Act::Restore,
    Act::Purge,
    Act::Undo,
    Act::Access,
    Act::TypeByHand,
    Act::ChangeByHand,
    Act::MoveByHand,
    Act::MarkByHand,
    Act::AskByHand,
    Act::DeleteByHand,
];

impl Replica {
    fn now(&self, at: i64) -> Now {
        Now(Timestamp(NOW.0.0 - 90 * DAY_MS + at * 7_200_000 + self.skew))
    }

    fn events(&self) -> Vec<Event> {
        self.held.events.iter().map(|line| Event::read_whole(line).unwrap()).collect()
    }

    fn folded(&self) -> FoldedEvents {
        FoldedEvents::of(&self.events())
    }

    fn record(&mut self, now: Now, by: &str, entry: EntryId, kind: EventKind) {
        self.random += 1;
        let place = self.folded().ledger.place(now, entry, &kind, self.random << 40);
        let (ts, id) = place.unwrap();
        let event = Event { id, ts, entry, by: Author::of(by), kind };
        self.write(&event, by);
    }

    fn write(&mut self, event: &Event, by: &str) {
        let who = Provenance { by: by.to_owned(), ..Provenance::default() };
        self.held.events.push(event.write(&who));
    }

    fn find(&mut self, of: EntryId, archived: bool) -> Option<&mut HandLine> {
        self.held.lines.iter_mut().find(|line| line.id == of && line.archived == archived)
    }

    fn remove(&mut self, of: EntryId) {
        self.held.lines.retain(|line| line.id != of);
    }

    /// Adopts what was done by hand, as every reader does and as an exchange begins.
    fn adopt(&mut self, now: Now, categories: &Categories) {
        let folded = self.folded();
        let standing: Vec<HandLine> =
            self.held.lines.iter().filter(|line| !line.archived).cloned().collect();
        let mut seen = BTreeSet::new();
        let first: Vec<_> = standing.iter().filter(|line| seen.insert(line.id)).collect();
        let of = |line: &&HandLine| -> readers::AdoptedLine<'_> {
            let pinned = standing.iter().any(|other| other.id == line.id && other.pinned);
            let line = standing.iter().find(|other| other.id == line.id).unwrap();
            let (category, topic, text) = (&*line.category, &*line.stem, &*line.text);
            readers::AdoptedLine { id: line.id, category, topic, text, pinned }
        };
        let lines: Vec<readers::AdoptedLine<'_>> = first.iter().map(of).collect();
        let present: IdSet<EntryId> = lines.iter().map(|line| line.id).collect();
        let vanished = folded.ledger.vanished(&present);
        let origins = origins(&self.events(), &vanished);
        let adopted =
            readers::adopt(now, &lines, &folded.ledger, &origins, &readers::KnownLines::default());
        for event in adopted {
            let event = folded.ledger.again(&event, "").0.into_owned();
            self.write(&event, Provenance::ADOPT);
        }
        let folded = self.folded();
        let origins = origins_of(&self.events());
        for (entry, kind) in place::changes(&folded, &self.held.lines, &origins, categories) {
            self.record(now, Provenance::ADOPT, entry, kind);
        }
        for (entry, n) in self.accesses.clone() {
            let device = self.skew.unsigned_abs() + 1;
            if self.folded().ledger.accessed_on(entry, device) < n {
                self.record(now, Provenance::ADOPT, entry, EventKind::Access { device, n });
            }
        }
    }

    fn take(&mut self, now: Now, categories: &Categories, received: &SyncObjects) {
        let plan = apply(now, categories, &self.held, received);
        self.held.events.extend(plan.events);
        for change in plan.changes {
            match change {
                ExchangeChange::Append(line) => self.held.lines.push(line),
                ExchangeChange::Remove(line) => self.held.lines.retain(|known| *known != line),
                ExchangeChange::Mark(line) => {
                    let same =
                        |known: &&mut HandLine| known.id == line.id && known.stem == line.stem;
                    for known in self.held.lines.iter_mut().filter(same) {
                        (known.pinned, known.asides) = (line.pinned, line.asides.clone());
                    }
                }
            }
        }
        let ledger = self.folded().ledger;
        self.held.events.retain(|line| {
            let event = Event::read(line).unwrap();
            plan.purged.get(&event.entry).is_none_or(|at| event.order() >= *at)
        });
        let gone = |id: EntryId| plan.purged.contains_key(&id) && ledger.is_gone(id);
        self.held.lines.retain(|line| !gone(line.id));
        self.accesses.retain(|entry, _| !plan.purged.contains_key(entry));
    }

    fn act(&mut self, act: Act, (at, n, m): (i64, u8, u8), categories: &Categories) {
        let now = self.now(at);
        let (old, new) = (text(n), text(m));
        let (entry, stem) = (id(&old), TOPICS[usize::from(m) % TOPICS.len()]);
        let user = Provenance::USER;
        let stands = self.find(entry, false).is_some();
        match act {
            // Commands adopt what they find first.
            Act::Add | Act::Reinforce | Act::Edit | Act::Forget | Act::Pin | Act::Unpin => {
                self.adopt(now, categories);
            }
            _ => {}
        }
        match act {
            Act::Add if !stands => {
                let line = line(&old, stem);
                self.remove(entry);
                self.record(now, user, entry, EventKind::Add(Cue::Explicit, Some(origin(&line))));
                if self.folded().ledger.is_over(now, entry) {
                    self.record(now, user, entry, EventKind::Restore);
                }
                self.held.lines.push(line);
            }
            Act::Add | Act::Reinforce if stands => {
                self.record(now, "claude", entry, EventKind::Reinforce(1));
            }
            Act::Edit if stands && !self.held.lines.iter().any(|line| line.id == id(&new)) => {
                let line = line(&new, &self.find(entry, false).unwrap().stem.clone());
                let kind = EventKind::Edit(entry, Some(origin(&line)));
                self.record(now, user, line.id, kind);
                let HandLine { pinned, asides, .. } = self.find(entry, false).unwrap().clone();
                self.remove(entry);
                self.held.lines.push(HandLine { pinned, asides, ..line });
            }
            Act::Forget if stands => {
                self.record(now, user, entry, EventKind::Forget);
                self.find(entry, false).unwrap().pinned = false;
            }
            Act::Pin | Act::Unpin if stands => {
                let pinned = matches!(act, Act::Pin);
                let kind = if pinned { EventKind::Pin } else { EventKind::Unpin };
                self.record(now, user, entry, kind);
                self.find(entry, false).unwrap().pinned = pinned;
            }
            Act::Archive if stands => {
                self.record(now, user, entry, EventKind::Archive(ArchiveReason::Person));
                self.find(entry, false).unwrap().archived = true;
            }
            Act::Restore if self.find(entry, true).is_some() && !stands => {
                self.record(now, user, entry, EventKind::Restore);
                self.find(entry, true).unwrap().archived = false;
            }
            Act::Purge if stands => {
                self.record(now, user, entry, EventKind::PURGE);
                self.take(now, categories, &SyncObjects::default());
                self.remove(entry);
            }
            Act::Undo => {
                let all = self.events();
                let is_add = |event: &&Event| {
                    event.entry == entry && matches!(event.kind, EventKind::Reinforce(_))
                };
                if let Some(last) = all.iter().rev().find(is_add) {
                    self.record(now, user, entry, EventKind::Retract(vec![last.id]));
                }
            }
            Act::Access if stands => *self.accesses.entry(entry).or_default() += 1,
            Act::TypeByHand if !stands => self.held.lines.push(line(&old, stem)),
            Act::ChangeByHand if stands && !self.held.lines.iter().any(|l| l.id == id(&new)) => {
                let found = self.find(entry, false).unwrap();
                (found.id, found.text) = (id(&new), new);
            }
            Act::MoveByHand if stands => {
                stem.clone_into(&mut self.find(entry, false).unwrap().stem);
            }
            Act::MarkByHand if stands => self.find(entry, false).unwrap().pinned = true,
            Act::AskByHand if stands => {
                let asked = Questions::read(TOPICS[usize::from(m) % TOPICS.len()]);
                let asked = if m % 3 == 0 { Questions::default() } else { asked };
                let rules = LineRules::read(if m % 5 == 0 { "place: src/**" } else { "" });
                self.find(entry, false).unwrap().asides = LineAsides { asked, rules };
            }
            Act::DeleteByHand => self.remove(entry),
            _ => {}
        }
    }

    /// What commands show: the lines of topics with their evidence, and a report.
    fn shown(&self, categories: &Categories) -> (Vec<String>, String) {
        let ledger = self.folded().ledger;
        let mut standing: Vec<&HandLine> = self.held.lines.iter().filter(|l| !l.archived).collect();
        standing.sort();
        let lines = standing.iter().map(|line| {
            let evidence = ledger.evidence(NOW, line.id);
            format!("{line:?} {evidence:?} {:?}", ledger.told(line.id))
        });
        let located =
            self.held.lines.iter().filter(|line| !line.archived).map(|line| LocatedEntry {
                pinned: line.pinned,
                topic: line.stem.clone(),
                reviewed: true,
                ..LocatedEntry::new(
                    line.id,
                    categories.find(&line.category).unwrap(),
                    line.text.clone(),
                )
            });
        let rules = RankingRules::new(categories);
        let ranking = Ranking::new(NOW, rules, vec![(located.collect(), &ledger)]);
        let budget = Tokens(150);
        let settings = RenderSettings {
            budget,
            ground_truth: GroundTruth::ALL[0],
            remove_command: "",
            fill: None,
            reasons: true,
        };
        (lines.collect(), report(&ranking, categories, settings).text.to_string())
    }
}

#[expect(clippy::unnecessary_box_returns, reason = "events box it")]
fn origin(line: &HandLine) -> Box<Origin> {
    let (category, topic, text) = (&*line.category, &*line.stem, &*line.text);
    readers::origin(&readers::AdoptedLine {
        id: line.id,
        category,
        topic,
        text,
        pinned: line.pinned,
    })
}

fn origins_of(events: &[Event]) -> Vec<(EntryId, Origin)> {
    let all: BTreeSet<EntryId> = events.iter().map(|event| event.entry).collect();
    origins(events, &all)
}

fn origins(events: &[Event], wanted: &BTreeSet<EntryId>) -> Vec<(EntryId, Origin)> {
    let mut found = BTreeMap::new();
    let mut events: Vec<&Event> = events.iter().collect();
    events.sort_by_key(|event| (event.ts, event.id));
    for event in events.into_iter().filter(|event| wanted.contains(&event.entry)) {
        if let EventKind::Add(_, Some(origin)) | EventKind::Edit(_, Some(origin)) = &event.kind {
            found.insert(event.entry, Origin::clone(origin));
        }
    }
    found.into_iter().collect()
}

/// Sends what one replica lacks of another, of which some is lost.
fn send(from: &Replica, to: &mut Replica, now: Now, categories: &Categories, lost: u64) {
    let (all, _) = outgoing(now, categories, &from.held);
    let (there, _) = outgoing(now, categories, &to.held);
    let mut part = missing(&all, &there);
    let mut n = lost;
    let mut keep = || {
        n = n.rotate_right(1);
        lost == 0 || n & 1 == 0
    };
    part.entries.retain(|_| keep());
    part.events.retain(|_| keep());
    if lost & 2 == 2 {
        part.events.reverse();
    }
    let opened = sealed_and_opened(&part);
    assert_eq!(opened, part);
    to.take(now, categories, &opened);
}

/// Returns objects as they come from a server that does not read them.
fn sealed_and_opened(objects: &SyncObjects) -> SyncObjects {
    let seals = Seals::new(&[&[7; KEY_BYTES]], "acme", "site").unwrap();
    let open = |object: SyncObject| {
        let json = serde_json::to_string(&SyncObject { author: Some("anna".to_owned()), ..object });
        seals.open(&serde_json::from_str(&json.unwrap()).unwrap()).unwrap()
    };
    let entry = |entry| open(SyncObject::of_entry(seals.entry("anna", entry, [1; 24]).unwrap()));
    let event = |event: &String| {
        let sealed = seals.event("anna", event, [2; 24]).unwrap();
        open(SyncObject::of_event(wire::raw(&sealed).unwrap()))
    };
    SyncObjects {
        entries: objects.entries.iter().map(|one| entry(one).entry().unwrap()).collect(),
        events: objects
            .events
            .iter()
            .map(|one| event(one).event.unwrap().get().to_owned())
            .collect(),
    }
}

/// An event whose line was lost on the way must not look like a deletion, or the line would be
/// archived everywhere.
#[test]
fn what_lacks_its_line_waits() {
    let categories = Categories::default();
    let mut here = Replica { random: 1 << 30, ..Replica::default() };
    here.act(Act::Add, (1, 4, 0), &categories);
    here.act(Act::Edit, (2, 4, 3), &categories);
    let mut there = Replica { random: 2 << 30, ..Replica::default() };
    let (mut all, _) = outgoing(NOW, &categories, &here.held);
    let line = all.entries.pop().unwrap();
    let plan = apply(NOW, &categories, &there.held, &all);
    assert!(plan.is_empty(), "{plan:?}");
    let reasons: Vec<_> = plan.refused.iter().map(|refused| refused.reason).collect();
    assert_eq!(reasons, [Reason::Incomplete; 2]);
    all.entries.push(line);
    there.take(NOW, &categories, &all);
    there.adopt(NOW, &categories);
    assert_eq!(there.held.lines, here.held.lines);
    assert_eq!(there.held.events, here.held.events);
}

type Step = (usize, usize, u8, u8, u64);

fn any_step() -> impl Strategy<Value = Step> {
    (0..3_usize, 0..ACTS.len() + 6, 0..6_u8, 0..6_u8, any::<u64>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100 * crate::scale()))]

    #[test]
    fn replicas_end_alike(steps in prop::collection::vec(any_step(), 0..40)) {
        let categories = Categories::default();
        let mut all: Vec<Replica> = [0, -DAY_MS / 3, DAY_MS / 2]
            .iter()
            .zip(1_u128..)
            .map(|(skew, n)| Replica { skew: *skew, random: n << 30, ..Replica::default() })
            .collect();
        for (at, (who, what, n, m, lost)) in (0..).zip(steps) {
            if let Some(act) = ACTS.get(what) {
                all[who].act(*act, (at, n, m), &categories);
                continue;
            }
            let other = (who + 1 + usize::from(n) % 2) % 3;
            let now = all[who].now(at);
            all[who].adopt(now, &categories);
            let from = all[who].clone();
            let now = all[other].now(at);
            all[other].adopt(now, &categories);
            send(&from, &mut all[other], now, &categories, lost);
        }
        for round in 0..2 {
            let now = all[2].now(60 + round);
            for replica in &mut all {
                replica.adopt(now, &categories);
            }
            for (from, to) in [(0, 1), (1, 2), (2, 0), (0, 1), (1, 2), (2, 0), (0, 1)] {
                let from = all[from].clone();
                send(&from, &mut all[to], now, &categories, 0);
            }
            // Readers adopt at different times, and show the same.
            let mut seen = all.clone();
            for (replica, later) in seen.iter_mut().zip(70..) {
                replica.adopt(replica.now(later), &categories);
            }
            let shown: Vec<_> = seen.iter().map(|replica| replica.shown(&categories)).collect();
            prop_assert_eq!(&shown[0], &shown[1]);
            prop_assert_eq!(&shown[0], &shown[2]);
        }
        // What a purge left of other wordings is said in the first round, and heard in the second.
        let logs: Vec<BTreeSet<&str>> = all
            .iter()
            .map(|replica| replica.held.events.iter().map(String::as_str).collect())
            .collect();
        prop_assert_eq!(&logs[0], &logs[1]);
        prop_assert_eq!(&logs[0], &logs[2]);
    }
}
