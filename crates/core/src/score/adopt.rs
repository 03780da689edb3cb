//! Adoption: derives events for entry lines that people and other tools wrote by hand.
//!
//! The events are only proposed. Readers fold them in memory; `rebuild` and writers append them. Copies
//! of entries are detected by id, and by text where two texts share an id.

use std::collections::{BTreeMap, HashMap, HashSet, hash_map};

use super::{evidence::Evidence, ledger::Ledger, ranking::LocatedEntry};
use crate::{
    language::sketch::Sketch,
    markdown::topic,
    model::{
        entry::{EntryId, EventId, Wording},
        event::{Author, Cue, Event, EventKind, MOST_PROOFS, Origin},
        hash::{IdMap, pi32},
        operation::UserState,
        shares::{MANY_LINES, in_shares},
        time::{Now, Timestamp},
    },
};

/// Minimum similarity (Jaccard index of words) at which a line counts as an edit of a vanished one.
const NEAR: f64 = 0.6;
/// Minimum similarity at which a new line takes the place of a vanished one. That is too little to
/// inherit its evidence, but enough to inherit its cue.
const INSTEAD: f64 = 0.25;

#[derive(Debug, Clone, Copy)]
pub struct AdoptedLine<'a> {
    pub id: EntryId,
    pub category: &'a str,
    /// Stem of the topic file.
    pub topic: &'a str,
    pub text: &'a str,
    pub pinned: bool,
}

/// The evidence that pi recorded for an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct PiScore {
    /// Evidence count, from 1.
    pub evidence: u32,
    pub cue: Cue,
    pub first_seen: Timestamp,
    pub last_reinforced: Timestamp,
    pub user: UserState,
}

/// When a command wrote a line, and when it expires, as recorded outside of the log.
#[derive(Debug, Clone, Copy)]
pub struct NotedLine {
    pub at: Timestamp,
    pub until: Option<Timestamp>,
}

/// pi's scores by its 32-bit hash of the canonical line.
pub type PiScores = BTreeMap<u32, PiScore>;

/// Evidence for lines from elsewhere than the log.
#[derive(Debug, Default)]
pub struct KnownLines {
    pub pi: PiScores,
    pub noted: IdMap<EntryId, NotedLine>,
}

/// Returns the part of an `add` or `edit` event that lets a later edit by hand be recognised.
#[must_use]
pub fn origin(line: &AdoptedLine<'_>) -> Box<Origin> {
    Box::new(Origin {
        topic: line.topic.to_owned(),
        category: line.category.to_owned(),
        sketch: Sketch::of(line.text).to_string(),
    })
}

/// Returns events for the lines that the ledger does not know. A line is taken over from pi, or from what
/// was `noted` of it where git has taken the log, linked to the vanished entry that it was edited from, or
/// adopted as first seen `now`.
///
/// `vanished` holds the entries of [`Ledger::vanished`] whose topic and category the log records.
#[must_use]
pub fn adopt(
    now: Now,
    lines: &[AdoptedLine<'_>],
    ledger: &Ledger,
    vanished: &[(EntryId, Origin)],
    KnownLines { pi, noted }: &KnownLines,
) -> Vec<Event> {
    let unknown: Vec<&AdoptedLine<'_>> =
        lines.iter().filter(|line| !ledger.knows(line.id)).collect();
    let links = pairs(&unknown, vanished, NEAR);
    let used: HashSet<&EntryId> = links.values().collect();
    let rest: Vec<&AdoptedLine<'_>> =
        unknown.iter().copied().filter(|line| !links.contains_key(&line.id)).collect();
    let gone: Vec<(EntryId, Origin)> =
        vanished.iter().filter(|(id, _)| !used.contains(id)).cloned().collect();
    let instead = pairs(&rest, &gone, INSTEAD);
    let cue = |line: &AdoptedLine<'_>| {
        let before = instead.get(&line.id).and_then(|gone| ledger.evidence(now, *gone));
        let cue = before.map_or(Cue::Behavioral, |evidence| evidence.cue);
        if line.pinned { Cue::Explicit } else { cue }
    };
    let origins =
        in_shares(&unknown, MANY_LINES, |lines| lines.iter().map(|line| origin(line)).collect());
    let mut events = Vec::new();
    for (line, origin) in unknown.into_iter().zip(origins) {
        // Most stores were never pi's.
        let hash = || pi32(&topic::canonical(line.category, line.text));
        if let Some(score) = (!pi.is_empty()).then(hash).and_then(|hash| pi.get(&hash)) {
            events.extend(from_pi(line, score));
        } else if let Some(noted) = noted.get(&line.id) {
            let at = noted.at.min(now.0);
            events.push(derived(line.id, at, EventKind::Add(Cue::Explicit, Some(origin))));
            let until = noted.until.map(EventKind::Expire);
            events.extend(until.map(|until| derived(line.id, at, until)));
        } else {
            let (ts, kind) = if let Some(from) = links.get(&line.id) {
                // The edit comes after every event about its source, also those dated in the
                // future, so that it inherits all of the evidence.
                let next =
                    ledger.newest(*from).map(|(newest, _)| Timestamp(newest.0.saturating_add(1)));
                let ts = next.map_or(now.0, |next| next.min(Timestamp::LAST).max(now.0));
                (ts, EventKind::Edit(*from, Some(origin)))
            } else {
                // The source of an edit may be purged. Everybody who finds it so dates it alike.
                let ts = ledger.made(line.id).map_or(now.0, |(ts, _)| ts);
                (ts, EventKind::Add(cue(line), Some(origin)))
            };
            events.push(derived(line.id, ts, kind));
        }
    }
    events
}

/// Pairs each vanished entry with the unknown line that is most likely its new wording. Both must
/// have the same topic and category and a similarity of at least `least`. The best pairs are taken
/// first.
fn pairs(
    unknown: &[&AdoptedLine<'_>],
    vanished: &[(EntryId, Origin)],
    least: f64,
) -> BTreeMap<EntryId, EntryId> {
    let mut pairs: Vec<(f64, EntryId, EntryId)> = Vec::new();
    for (gone, origin) in vanished {
        let Some(before) = Sketch::read(&origin.sketch) else { continue };
        for line in unknown {
            if line.topic != origin.topic || line.category != origin.category {
                continue;
            }
            let near = before.similarity(&Sketch::of(line.text));
            if near >= least {
                pairs.push((near, line.id, *gone));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut links = BTreeMap::new();
    let mut used = HashSet::new();
    for (_, line, gone) in pairs {
        if !links.contains_key(&line) && used.insert(gone) {
            links.insert(line, gone);
        }
    }
    links
}

/// Returns the events that reproduce pi's score of an entry. The same score always gives the same
/// events.
#[must_use]
pub fn from_pi(line: &AdoptedLine<'_>, score: &PiScore) -> Vec<Event> {
    let add = EventKind::Add(score.cue, Some(origin(line)));
    let mut events = vec![derived(line.id, score.first_seen, add)];
    if score.evidence > 1 || score.last_reinforced > score.first_seen {
        // A reinforcement would raise the count, so a count of 1 that was seen later becomes a
        // second add.
        let kind = match score.evidence {
            0 | 1 => EventKind::Add(score.cue, None),
            n => EventKind::Reinforce((n - 1).min(MOST_PROOFS)),
        };
        events.push(derived(line.id, score.last_reinforced, kind));
    }
    match score.user {
        UserState::Auto => {}
        UserState::Pinned => events.push(derived(line.id, score.last_reinforced, EventKind::Pin)),
        UserState::Forgotten => {
            events.push(derived(line.id, score.last_reinforced, EventKind::Forget));
        }
    }
    events
}

/// Returns events that raise the evidence of a known entry to another program's score of it. The
/// result is empty if the score adds nothing. Decisions of the user are not changed.
#[must_use]
pub fn raise(line: &AdoptedLine<'_>, score: &PiScore, known: &Evidence) -> Vec<Event> {
    let more = u64::from(score.evidence).saturating_sub(known.count);
    let kind = match u32::try_from(more) {
        Ok(0) if score.last_reinforced <= known.last_reinforced => return Vec::new(),
        Ok(0) => EventKind::Add(score.cue, None),
        more => EventKind::Reinforce(more.unwrap_or(MOST_PROOFS).min(MOST_PROOFS)),
    };
    vec![derived(line.id, score.last_reinforced, kind)]
}

/// Returns an event whose id is derived from its content, so that two clones adopting the same line
/// agree.
fn derived(entry: EntryId, ts: Timestamp, kind: EventKind) -> Event {
    let mut event = Event { id: EventId(0), ts, entry, by: Author::Adoption, kind };
    let id = entry.to_string();
    event.id = EventId::derived(ts, &[b"adopt", id.as_bytes(), event.kind.op().as_bytes()]);
    event
}

/// The relation of an entry to the entries before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// The first with its id.
    First,
    /// A copy of the entry with this index.
    Copy(usize),
    /// Another text with the id of the entry with this index.
    Twin(usize),
}

/// Indexes of the entries seen so far.
#[derive(Debug, Default)]
pub struct Copies {
    first: IdMap<EntryId, usize>,
    twins: HashMap<Wording, usize>,
}

impl Copies {
    /// Returns the relation of `entry` to the earlier entries, which `known` looks up by index.
    /// Unless the entry is a copy, it is recorded with the index `next`.
    pub fn slot<'a>(
        &mut self,
        next: usize,
        entry: &LocatedEntry,
        known: impl Fn(usize) -> Option<&'a LocatedEntry>,
    ) -> Slot {
        let first = *self.first.entry(entry.id).or_insert(next);
        if first == next {
            return Slot::First;
        }
        if known(first).is_some_and(|first| first.is_copy(entry)) {
            return Slot::Copy(first);
        }
        match self.twins.entry(entry.wording()) {
            hash_map::Entry::Occupied(known) => Slot::Copy(*known.get()),
            hash_map::Entry::Vacant(free) => {
                free.insert(next);
                Slot::Twin(first)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Now = Now(Timestamp(1_000_000));

    fn line<'a>(text: &'a str, topic: &'a str) -> AdoptedLine<'a> {
        let id = EntryId::of("lesson", text.as_bytes());
        AdoptedLine { id, category: "lesson", topic, text, pinned: false }
    }

    /// Returns the events for `lines` after the line `before` was edited by hand.
    fn after(before: &str, lines: &[AdoptedLine<'_>]) -> Vec<Event> {
        let old = line(before, "lessons");
        let mut ledger = Ledger::default();
        for event in adopt(Now(Timestamp(5)), &[old], &ledger, &[], &KnownLines::default()) {
            ledger.fold(&event);
        }
        let vanished = [(old.id, Origin::clone(&origin(&old)))];
        adopt(NOW, lines, &ledger, &vanished, &KnownLines::default())
    }

    #[test]
    fn a_hand_edit_keeps_its_evidence() {
        let before = "Retry a serialization failure three times before giving up";
        for (text, topic, linked) in [
            ("Retry a serialization failure four times before giving up", "lessons", true),
            ("Retry a serialization failure four times before giving up", "other", false),
            // Five of nine words in common, then seven of eleven.
            ("Retry a failure three times", "lessons", false),
            ("Retry a failure three times before giving it away", "lessons", true),
            ("Never retry", "lessons", false),
        ] {
            let events = after(before, &[line(text, topic)]);
            let from = EntryId::of("lesson", before.as_bytes());
            let is_edit = matches!(&events[0].kind, EventKind::Edit(id, _) if *id == from);
            assert_eq!(is_edit, linked, "{text} in {topic}");
        }
    }

    #[test]
    fn a_line_in_the_place_of_another_is_said_as_that_was() {
        let before = "Prefer tabs over spaces in Go files";
        let old = line(before, "lessons");
        let vanished = [(old.id, Origin::clone(&origin(&old)))];
        for was in [Cue::Explicit, Cue::Recurrence] {
            let mut ledger = Ledger::default();
            ledger.fold(&derived(old.id, Timestamp(5), EventKind::Add(was, None)));
            for (text, topic, cue) in [
                ("Prefer tabs to spaces in all Go and Makefile sources", "lessons", was),
                ("Prefer tabs to spaces in all Go and Makefile sources", "other", Cue::Behavioral),
                ("Berths are locked", "lessons", Cue::Behavioral),
            ] {
                let events =
                    adopt(NOW, &[line(text, topic)], &ledger, &vanished, &KnownLines::default());
                let [Event { kind: EventKind::Add(found, _), .. }] = events.as_slice() else {
                    panic!("{events:?}")
                };
                assert_eq!(*found, cue, "{text} in {topic}");
            }
            // Only one of two lines inherits the cue: the more similar one.
            let texts = ["Prefer tabs in Python", "Prefer spaces over tabs in all of the Go code"];
            let lines = texts.map(|text| line(text, "lessons"));
            let events = adopt(NOW, &lines, &ledger, &vanished, &KnownLines::default());
            let explicit = events
                .iter()
                .filter(|event| matches!(event.kind, EventKind::Add(cue, _) if cue == was));
            assert_eq!(explicit.count(), 1);
        }
    }

    #[test]
    fn one_vanished_line_feeds_one_edit_only() {
        let near = line("use the fast path for small reads only", "lessons");
        let nearer = line("use the fast path for small reads always !", "lessons");
        let events = after("use the fast path for small reads always", &[near, nearer]);
        let ops: Vec<_> = events.iter().map(|event| event.kind.op()).collect();
        assert_eq!(ops, ["add", "edit"]);
    }

    #[test]
    fn what_pi_knew_is_taken_over_once() {
        let entry = line("x", "lessons");
        let score = PiScore {
            evidence: 5,
            cue: Cue::Structural,
            first_seen: Timestamp(100),
            last_reinforced: Timestamp(900),
            user: UserState::Forgotten,
        };
        let pi = PiScores::from([(0x1265_7548, score)]);
        let known = KnownLines { pi, ..KnownLines::default() };
        let events = adopt(NOW, &[entry], &Ledger::default(), &[], &known);
        assert_eq!(events, adopt(Now(Timestamp(7)), &[entry], &Ledger::default(), &[], &known));
        let mut ledger = Ledger::default();
        events.iter().chain(&events).for_each(|event| ledger.fold(event));
        let evidence = ledger.evidence(NOW, entry.id).unwrap();
        assert_eq!((evidence.count, evidence.cue), (5, Cue::Structural));
        assert_eq!(evidence.last_reinforced, Timestamp(900));
        assert_eq!(evidence.user, UserState::Forgotten);
        assert!(adopt(NOW, &[entry], &ledger, &[], &known).is_empty());
    }

    #[test]
    fn what_was_noted_of_a_line_stands_in_for_its_log() {
        let entry = line("x", "lessons");
        for (at, first_seen) in [(3, 3), (NOW.0.0 + 9, NOW.0.0)] {
            let noted = NotedLine { at: Timestamp(at), until: Some(Timestamp(9_000)) };
            let noted = IdMap::from_iter([(entry.id, noted)]);
            let known = KnownLines { noted, ..KnownLines::default() };
            let mut ledger = Ledger::default();
            for event in adopt(NOW, &[entry], &ledger, &[], &known) {
                ledger.fold(&event);
            }
            let evidence = ledger.evidence(NOW, entry.id).unwrap();
            assert_eq!((evidence.count, evidence.cue), (1, Cue::Explicit));
            assert_eq!(
                (evidence.first_seen, evidence.until),
                (Timestamp(first_seen), Some(Timestamp(9_000)))
            );
            // The log may come back.
            let own = Event {
                id: EventId(7),
                by: Author::Person,
                ..derived(entry.id, Timestamp(3), EventKind::Add(Cue::Explicit, None))
            };
            ledger.fold(&own);
            assert_eq!(ledger.evidence(NOW, entry.id).unwrap().count, 1);
        }
    }
}
