//! Tests of the plan: for any store, only paraphrases are merged, and protected entries stay.

use proptest::prelude::*;

use super::*;
use crate::{
    language::paraphrase::NormalForm,
    model::{
        category::CategoryId,
        entry::EventId,
        event::{Author, Cue, Event, EventKind},
        operation::UserState,
        time::Timestamp,
    },
    score::{
        ledger::Ledger,
        ranking::{LocatedEntry, RankingRules},
    },
};

const DAY: i64 = 86_400_000;
const NOW: Now = Now(Timestamp(1_000 * DAY));
/// Several of these texts are paraphrases.
const TEXTS: [&str; 12] = [
    "Use rg instead of grep",
    "Always use rg instead of grep",
    "Use rg rather than grep.",
    "Use grep instead of rg",
    "Run the tests before committing",
    "Before committing, run the tests",
    "Run the tests before you commit",
    "Never run the tests before committing",
    "The lock file is never deleted",
    "The lock file is never deleted.",
    "Retry 3 times",
    "Retry 4 times",
];

/// An entry of a generated store.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each combination is a case")]
struct Held {
    text: usize,
    lesson: bool,
    pinned: bool,
    enforced: bool,
    reviewed: bool,
    explicit: bool,
    lines: usize,
    days: i64,
    more: u32,
    last: Option<EventKind>,
}

fn held() -> impl Strategy<Value = Held> {
    let last = prop_oneof![
        6 => Just(None),
        1 => Just(Some(EventKind::Pin)),
        1 => Just(Some(EventKind::Forget)),
        1 => Just(Some(EventKind::Harmful(1))),
        1 => Just(Some(EventKind::Expire(Timestamp(900 * DAY)))),
        1 => Just(Some(EventKind::Expire(Timestamp(1_100 * DAY)))),
    ];
    let flags = (any::<bool>(), any::<bool>(), 0..10_u8, 0..10_u8, 0..10_u8);
    (0..TEXTS.len(), flags, 1..3_usize, 0..200_i64, 0..5_u32, last).prop_map(
        |(text, (lesson, explicit, pinned, enforced, foreign), lines, days, more, last)| Held {
            text,
            lesson,
            pinned: pinned == 0,
            enforced: enforced == 0,
            reviewed: foreign != 0,
            explicit,
            lines,
            days,
            more,
            last,
        },
    )
}

struct World {
    categories: Categories,
    topic: Vec<u8>,
    ledger: Ledger,
    placed: Vec<LocatedEntry>,
    /// Evidence for and against each entry, in the order of `placed`.
    counts: Vec<(u64, u64)>,
}

fn world(all: &[Held]) -> World {
    let categories = Categories::default();
    let ledger = Ledger::default();
    let (topic, placed, counts) = (Vec::new(), Vec::new(), Vec::new());
    let mut world = World { categories, topic, ledger, placed, counts };
    let mut number = 0;
    for one in all {
        let name = if one.lesson { "lesson" } else { "mistake" };
        let category: CategoryId = world.categories.find(name).unwrap();
        let text = TEXTS[one.text].to_owned();
        let id = EntryId::of(name, text.as_bytes());
        if world.placed.iter().any(|known| known.id == id) {
            continue;
        }
        for _ in 0..one.lines {
            let marks = if one.enforced { " *(enforced)*" } else { "" };
            world.topic.extend_from_slice(format!("- [{name}] {text}{marks}\n").as_bytes());
        }
        let ts = Timestamp(NOW.0.0 - one.days * DAY);
        let cue = if one.explicit { Cue::Explicit } else { Cue::Recurrence };
        let kinds = [Some(EventKind::Add(cue, None)), one.last.clone()];
        let more = (one.more > 0).then_some(EventKind::Reinforce(one.more));
        for kind in kinds.into_iter().chain([more]).flatten() {
            number += 1;
            world.ledger.fold(&Event {
                id: EventId(number),
                ts,
                entry: id,
                by: Author::Person,
                kind,
            });
        }
        let harm = u64::from(one.last == Some(EventKind::Harmful(1)));
        world.counts.push((1 + u64::from(one.more), harm));
        world.placed.push(LocatedEntry {
            pinned: one.pinned,
            enforced: one.enforced,
            topic: "lessons".to_owned(),
            line: world.placed.len() + 1,
            reviewed: one.reviewed,
            ..LocatedEntry::new(id, category, text)
        });
    }
    world
}

fn steps(world: &World) -> (Vec<PlanStep>, Ranking) {
    let rules = RankingRules::new(&world.categories);
    let ranking = Ranking::new(NOW, rules, vec![(world.placed.clone(), &world.ledger)]);
    let doc = TopicDoc::parse(world.topic.clone(), &world.categories);
    let topics = [("lessons", &doc)];
    let days = world.ledger.days();
    let steps = plan(
        NOW,
        &world.categories,
        &topics,
        (&ranking, &days),
        0.9,
        Scope::Project,
        Timestamp::date,
    );
    (steps, ranking)
}

proptest! {
    #[test]
    fn exactly_one_survives_with_the_evidence_of_all(all in prop::collection::vec(held(), 0..24)) {
        let mut world = world(&all);
        let (steps, ranking) = steps(&world);
        let mut gone: Vec<EntryId> = Vec::new();
        let mut number = 1_000;
        for step in &steps {
            let StepAction::Merge { keep, from } = &step.act else { continue };
            if from == &[*keep] {
                continue;
            }
            let kept = ranking.get(*keep).unwrap();
            let count = |id: EntryId| {
                let at = world.placed.iter().position(|entry| entry.id == id).unwrap();
                world.counts[at]
            };
            let (mut good, mut bad) = count(*keep);
            for id in from {
                let row = ranking.get(*id).unwrap();
                prop_assert!(NormalForm::of(&row.entry.text).says_the_same(&NormalForm::of(&kept.entry.text)));
                prop_assert_eq!(row.entry.category, kept.entry.category);
                good += count(*id).0;
                bad += count(*id).1;
            }
            let sum = good.saturating_sub(4 * bad);
            number += 1;
            let (id, ts) = (EventId(number), NOW.0);
            world.ledger.fold(&Event { id, ts, entry: *keep, by: Author::Person, kind: EventKind::Merge(from.clone()) });
            prop_assert_eq!(world.ledger.evidence(NOW, *keep).unwrap().count, sum);
            gone.extend(from);
        }
        for step in &steps {
            if let StepAction::Archive(id) = step.act {
                gone.push(id);
            }
        }
        let mut once = gone.clone();
        once.sort_unstable();
        once.dedup();
        prop_assert_eq!(once.len(), gone.len(), "nothing goes twice");
        for step in &steps {
            if let StepAction::Merge { keep, .. } = &step.act {
                prop_assert!(!gone.contains(keep), "what stays does not go");
            }
        }
        // No paraphrases are left.
        let left: Vec<&ScoredEntry> = ranking
            .rows
            .iter()
            .filter(|row| is_free(row) && !gone.contains(&row.entry.id))
            .filter(|row| !row.expired && row.evidence.until.is_none())
            .collect();
        for (at, row) in left.iter().enumerate() {
            for other in &left[at + 1..] {
                let same = row.entry.category == other.entry.category
                    && are_near(&row.entry.text, &other.entry.text, 0.9)
                    && NormalForm::of(&row.entry.text).says_the_same(&NormalForm::of(&other.entry.text));
                prop_assert!(!same, "{} and {}", row.entry.text, other.entry.text);
            }
        }
    }

    #[test]
    fn what_is_kept_is_not_touched(all in prop::collection::vec(held(), 0..24)) {
        let world = world(&all);
        let (steps, ranking) = steps(&world);
        for step in &steps {
            let touched = match &step.act {
                StepAction::Merge { keep, from } => [from.as_slice(), &[*keep]].concat(),
                StepAction::Archive(id) | StepAction::Reinforce(id, _) | StepAction::Ask(id, _) => {
                    vec![*id]
                }
                StepAction::Propose(of) => of.clone(),
                StepAction::Combine { from, .. } => from.clone(),
                StepAction::Add { .. } => Vec::new(),
            };
            for id in touched {
                let row = ranking.get(id).unwrap();
                prop_assert!(row.entry.reviewed && !row.entry.enforced && !row.entry.pinned);
                let decided = [UserState::Pinned, UserState::Forgotten];
                prop_assert!(!decided.contains(&row.evidence.user));
            }
        }
    }
}

#[test]
fn reasons() {
    let one = |text: usize, days: i64| Held {
        text,
        lesson: true,
        pinned: false,
        enforced: false,
        reviewed: true,
        explicit: true,
        lines: 1,
        days,
        more: 0,
        last: None,
    };
    let told = |all: &[Held]| -> Vec<String> {
        steps(&world(all)).0.into_iter().map(|step| step.reason).collect()
    };
    assert_eq!(told(&[one(0, 1), one(3, 2)]), [""; 0], "the reverse is something else");
    assert_eq!(
        told(&[one(0, 1), one(1, 2)]),
        ["says the same as \"Always use rg instead of grep\""]
    );
    assert_eq!(told(&[Held { lines: 2, ..one(0, 1) }]), ["stands on 2 lines"]);
    assert_eq!(told(&[one(0, 60), one(3, 1)]), ["faded: score 0.25, last reinforced 60 days ago"]);
    assert_eq!(told(&[one(0, 130)]), ["faded: score 0.08, last reinforced 130 days ago"]);
    let until = Some(EventKind::Expire(Timestamp(900 * DAY)));
    assert_eq!(told(&[Held { last: until, ..one(0, 1) }]), ["its date has passed: 1972-06-19"]);
}

/// Explicit entries are only offered. Others are archived automatically after ten days of use
/// since, whatever the calendar says.
#[test]
fn what_goes_unasked() {
    let of = |explicit: bool, used: i64| {
        let one = Held {
            text: 0,
            lesson: true,
            pinned: false,
            enforced: false,
            reviewed: true,
            explicit,
            lines: 1,
            days: 200,
            more: 0,
            last: None,
        };
        let mut world = world(&[one]);
        for day in 1..=used {
            let (id, ts) = (EventId(500), Timestamp(NOW.0.0 - day * DAY));
            let (entry, kind) = (EntryId(9), EventKind::Reinforce(1));
            world.ledger.fold(&Event { id, ts, entry, by: Author::Program, kind });
        }
        steps(&world).0.into_iter().map(|step| step.by).collect::<Vec<PlannedBy>>()
    };
    assert_eq!(of(false, 9), [PlannedBy::Offer]);
    assert_eq!(of(false, 10), [PlannedBy::Rules]);
    assert_eq!(of(true, 150), [PlannedBy::Offer]);
}

proptest! {
    #[test]
    fn nothing_on_purpose_goes_unasked(all in prop::collection::vec(held(), 0..24)) {
        let world = world(&all);
        let (steps, ranking) = steps(&world);
        for step in steps.iter().filter(|step| step.by == PlannedBy::Rules) {
            let StepAction::Archive(id) = step.act else { continue };
            let row = ranking.get(id).unwrap();
            prop_assert!(row.evidence.cue != Cue::Explicit && !row.expired);
        }
    }
}
