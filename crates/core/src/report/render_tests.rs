//! Tests of the report as text.

use proptest::prelude::*;

use super::*;
use crate::{
    model::{
        entry::{EntryId, EventId},
        event::{Author, Cue, Event, EventKind},
        time::{Now, Timestamp},
    },
    safety::safe_text,
    score::{
        caps::CapPlace,
        ledger::Ledger,
        ranking::{LocatedEntry, RankingRules},
        stability::State,
    },
};

const NOW: Now = Now(Timestamp(100 * 86_400_000));

type Entry = (u16, String, i64, u32, bool);

fn ranking(categories: &Categories, entries: &[Entry]) -> Ranking {
    ranking_with(categories, entries, &[])
}

/// The entries in `strange` are not reviewed.
fn ranking_with(categories: &Categories, entries: &[Entry], strange: &[Entry]) -> Ranking {
    ranking_at(NOW, categories, entries, strange)
}

fn ranking_at(now: Now, categories: &Categories, entries: &[Entry], strange: &[Entry]) -> Ranking {
    let mut ledger = Ledger::default();
    let mut placed = Vec::new();
    for (n, entry) in (0..).zip(entries.iter().chain(strange)) {
        let (category, text, day, evidence, pinned) = entry;
        let category = crate::model::category::CategoryId(*category);
        let id = EntryId::of(&categories.spec(category).name, text.as_bytes());
        let ts = Timestamp(day * 86_400_000);
        let kind = EventKind::Add(Cue::Explicit, None);
        ledger.fold(&Event { id: EventId(2 * n), ts, entry: id, by: Author::Person, kind });
        let kind = EventKind::Reinforce(*evidence);
        ledger.fold(&Event { id: EventId(2 * n + 1), ts, entry: id, by: Author::Person, kind });
        let (text, pinned, topic) = (text.clone(), *pinned, "t".to_owned());
        placed.push(LocatedEntry {
            pinned,
            topic,
            reviewed: placed.len() < entries.len(),
            ..LocatedEntry::new(id, category, text)
        });
    }
    Ranking::new(now, RankingRules::new(categories), vec![(placed, &ledger)])
}

fn settings(budget: u32) -> RenderSettings<'static> {
    settings_of(budget, false)
}

fn settings_of(budget: u32, fill: bool) -> RenderSettings<'static> {
    let (ground_truth, fill) = (GroundTruth::Seed, fill.then_some("pimem search"));
    RenderSettings {
        budget: Tokens(budget),
        ground_truth,
        remove_command: "memory_remove",
        fill,
        reasons: true,
    }
}

#[test]
fn the_header_states_the_true_size() {
    let categories = Categories::default();
    let ranking = ranking(&categories, &[(0, "Use tabs".into(), 100, 9, false)]);
    let made = report(&ranking, &categories, settings(1700));
    assert_eq!(Tokens::of(&made.text), made.tokens);
    assert!(
        made.text.starts_with("# Project Memory [4% — 68/1,700 tokens]\n\nGround Truth: "),
        "{}",
        made.text
    );
    assert!(made.text.ends_with("window.\n\n## Active Preferences\n- Use tabs\n"), "{}", made.text);
    assert_eq!(&*report(&ranking, &categories, settings(40)).text, "");
    assert_eq!(&*report(&ranking, &categories, settings(0)).text, "");
    assert_eq!(&*report(&Ranking::default(), &categories, settings(1700)).text, "");
}

#[test]
fn a_report_is_crowded_above_its_share() {
    let categories = Categories::default();
    let of = |length| {
        let text = |n: u16, length| (n, "x".repeat(length), 100, 9, false);
        let ranking =
            ranking(&categories, &[text(0, 390), text(1, 390), text(2, length), text(3, 180)]);
        let made = report(&ranking, &categories, settings(500));
        (made.by_score.0, made.crowded)
    };
    let found: Vec<_> = (0..400).map(of).filter(|(size, _)| (395..460).contains(size)).collect();
    assert!(found.contains(&(400, false)), "{found:?}");
    assert!(found.iter().any(|(size, crowded)| *size > 400 && *crowded), "{found:?}");
    assert!(found.iter().all(|(size, crowded)| *crowded == (*size > 400)), "{found:?}");
}

#[test]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole days")]
fn a_window_ends_after_its_last_moment() {
    let categories = Categories::default();
    let mut count = 0;
    for (number, (_, spec)) in (0..).zip(categories.iter()) {
        let Some(days) = spec.window_days else { continue };
        let entry = (number, "Use tabs".to_owned(), 100 - days as i64, 9, false);
        let verdict = |now| {
            let ranking = ranking_at(now, &categories, std::slice::from_ref(&entry), &[]);
            report(&ranking, &categories, settings(1700)).verdicts[0].clone()
        };
        let outside = ReportVerdict::OutsideWindow(days as u32);
        assert_eq!(verdict(NOW), outside, "{}", spec.name);
        assert_ne!(verdict(Now(Timestamp(NOW.0.0 - 1))), outside, "{}", spec.name);
        count += 1;
    }
    assert!(count > 1);
}

#[test]
fn omissions_are_counted() {
    let categories = Categories::default();
    let entries: Vec<_> =
        (0..6).map(|n| (1, format!("{n}{}", "x".repeat(390)), 100, 50 - n, false)).collect();
    let ranking = ranking(&categories, &entries);
    let made = report(&ranking, &categories, settings(1700));
    let omitted = "- ... 3 more (lower priority, omitted for context budget)\n";
    assert!(made.text.ends_with(omitted), "{}", made.text);
    assert_eq!(made.verdicts.iter().filter(|verdict| verdict.shown()).count(), 3);
    assert_eq!(made.verdicts[3], ReportVerdict::SectionFull(Tokens(400)));
}

fn any_entries(pinned: bool) -> impl Strategy<Value = Vec<Entry>> {
    let text = prop::string::string_regex("[a-zé`<#> ]{1,12}( [a-z]{1,9}){0,30}").unwrap();
    let flag = if pinned { any::<bool>().boxed() } else { Just(false).boxed() };
    prop::collection::vec((0..6_u16, text, 40..101_i64, 1..60_u32, flag), 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn never_over_budget_without_pins(
        entries in any_entries(false), budget in 0..2500_u32, fill in any::<bool>(),
    ) {
        let categories = Categories::default();
        let ranking = ranking(&categories, &entries);
        let settings = settings_of(budget, fill);
        let made = report(&ranking, &categories, settings);
        prop_assert_eq!(Tokens::of(&made.text), made.tokens);
        prop_assert!(made.tokens <= Tokens(budget));
        prop_assert_eq!(made.text.lines().count(), made.shown_rows.len());
        let mut shown: Vec<usize> = made.shown_rows.iter().copied().flatten().collect();
        for (line, row) in made.text.lines().zip(&made.shown_rows) {
            let text = row.map(|row| safe_text::model(&ranking.rows[row].entry.text).into_owned());
            prop_assert!(text.is_none_or(|text| line.ends_with(&text)), "{}", line);
        }
        shown.sort_unstable();
        let verdicts = made.verdicts.iter().enumerate().filter(|(_, found)| found.shown());
        prop_assert_eq!(shown, verdicts.map(|(row, _)| row).collect::<Vec<_>>());
        prop_assert!(made.by_score <= made.tokens);
        prop_assert!(fill || made.by_score == made.tokens);
        let warned = made.text.contains("> ⚠️");
        prop_assert_eq!(warned, u64::from(made.by_score.0) * 100 > u64::from(budget) * 80);
        prop_assert_eq!(&made, &report(&ranking, &categories, settings));
    }

    /// What is counted is within the budget, pinned entries are apart, and both are the size.
    /// Nobody is asked to consolidate.
    #[test]
    fn the_header_counts_pinned_entries_apart(
        entries in any_entries(true), budget in 1..2500_u32, fill in any::<bool>(),
    ) {
        let categories = Categories::default();
        let ranking = ranking(&categories, &entries);
        let settings =
            RenderSettings { ground_truth: GroundTruth::Factual, ..settings_of(budget, fill) };
        let made = report(&ranking, &categories, settings);
        if made.text.is_empty() {
            return Ok(());
        }
        prop_assert_eq!(Tokens::of(&made.text), made.tokens);
        prop_assert!(!made.text.contains("⚠️"));
        let header = made.text.lines().next().unwrap().replace(',', "");
        let numbers = header.split(|c: char| !c.is_ascii_digit()).filter(|it| !it.is_empty());
        let numbers: Vec<u32> = numbers.map(|it| it.parse().unwrap()).collect();
        let is_pinned = ranking.rows.iter().any(|row| row.entry.pinned);
        prop_assert_eq!(numbers.len(), if is_pinned { 4 } else { 3 }, "{}", header);
        prop_assert!(numbers[0] <= 100 && numbers[1] <= budget && numbers[2] == budget, "{}", header);
        prop_assert_eq!(numbers[1] + numbers.get(3).unwrap_or(&0), made.tokens.0, "{}", header);
        prop_assert!(made.by_score.0 + made.pinned.0 <= made.tokens.0, "{}", header);
    }

    /// No entry that could be shown fits into the remaining space, and all entries left out are
    /// counted.
    #[test]
    fn the_budget_is_spent(entries in any_entries(false), budget in 200..2500_u32) {
        let categories = Categories::default();
        let ranking = ranking(&categories, &entries);
        let made = report(&ranking, &categories, settings_of(budget, true));
        let left: Vec<_> = made.judged(&ranking).filter(|(_, verdict)| !verdict.shown()).collect();
        let room = Tokens(budget).chars() - made.text.chars().count();
        for (row, verdict) in &left {
            let heading = format!("## {}\n", categories.spec(row.entry.category).section);
            let is_there = made.text.contains(&heading);
            let cost = "- \n".len() + row.entry.text.chars().count()
                + if is_there { 0 } else { heading.chars().count() + 1 };
            // The header was reserved at its widest, and a section may get a last line.
            let fits = cost + "- ... 10 more\n".len() + 30 <= room;
            prop_assert!(!fits, "{:?}", verdict);
        }
        if !made.text.is_empty() {
            let closing = format!("\n... {} more: pimem search WORDS\n", left.len());
            prop_assert_eq!(made.text.ends_with(&closing), !left.is_empty(), "{}", made.text);
        }
    }

    #[test]
    fn what_is_not_reviewed_changes_nothing(
        entries in any_entries(true), strange in any_entries(true), budget in 1..2500_u32,
        fill in any::<bool>(),
    ) {
        let categories = Categories::default();
        let name = |(category, text, day, evidence, pinned): Entry| {
            (category, format!("Strange {text}"), day, evidence, pinned)
        };
        let strange: Vec<Entry> = strange.into_iter().map(name).collect();
        let alone = report(&ranking(&categories, &entries), &categories, settings_of(budget, fill));
        let ranking = ranking_with(&categories, &entries, &strange);
        let beside = report(&ranking, &categories, settings_of(budget, fill));
        prop_assert_eq!(alone.text, beside.text);
        let unreviewed = ReportVerdict::NoPlace(CapPlace::Unreviewed);
        for (row, verdict) in ranking.rows.iter().zip(&beside.verdicts) {
            prop_assert_eq!(*verdict == unreviewed, !row.entry.reviewed);
            prop_assert!(row.entry.reviewed || row.state <= State::Candidate);
        }
    }

    #[test]
    fn the_text_shows_what_the_verdicts_say(
        entries in any_entries(true), budget in 1..2500_u32, fill in any::<bool>(),
    ) {
        let categories = Categories::default();
        let ranking = ranking(&categories, &entries);
        let made = report(&ranking, &categories, settings_of(budget, fill));
        let shown = made.verdicts.iter().filter(|verdict| verdict.shown()).count();
        let items = made.text.lines().filter(|line| line.starts_with("- ") && !line.starts_with("- ... "));
        prop_assert_eq!(items.count(), shown);
        let pinned = ranking.rows.iter().filter(|row| row.entry.pinned).count();
        prop_assert!(shown >= pinned, "every pinned entry is shown");
        if pinned > 0 {
            prop_assert_eq!(Tokens::of(&made.text), made.tokens);
        }
    }
}

type Made = (Ranking, Vec<ReportVerdict>);

/// Each of them alone is a difference.
#[test]
fn what_differs() {
    let categories = Categories::default();
    let text = "Use tabs".to_owned();
    let of = |day, evidence, budget| {
        let ranking = ranking(&categories, &[(0, text.clone(), day, evidence, false)]);
        let verdicts = report(&ranking, &categories, settings(budget)).verdicts;
        (ranking, verdicts)
    };
    let count =
        |(before, a): &Made, (after, b): &Made| differences((before, a), (after, b), |id| id).len();
    let now = of(100, 9, 1700);
    let [more, unseen, old] = [of(100, 10, 1700), of(100, 9, 10), of(40, 9, 1700)];
    assert_eq!(count(&now, &of(100, 9, 1700)), 0);
    assert_eq!(count(&now, &more), 1, "its evidence");
    assert_eq!(count(&now, &unseen), 1, "whether it is shown");
    assert_eq!(count(&unseen, &(old.0, unseen.1.clone())), 1, "its state");
    let nothing = ranking(&categories, &[]);
    assert_eq!(count(&now, &(nothing, Vec::new())), 1, "that it is there");
}
