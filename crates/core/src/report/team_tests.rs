//! Tests of the section of the team.

use proptest::prelude::*;

use super::*;
use crate::{
    model::{
        category::CategoryId,
        entry::{EntryId, EventId},
        event::{Author, Cue, Event, EventKind},
        time::{DAY_MS, Now, Timestamp},
    },
    report::render::{GroundTruth, report},
    score::{
        ledger::Ledger,
        ranking::{LocatedEntry, RankingRules, Scope},
    },
};

const NOW: Now = Now(Timestamp(400 * DAY_MS));

/// Category, text, age in days, and whether it is pinned.
type Entry = (u16, String, i64, bool);

fn ranking(scope: Scope, entries: &[Entry]) -> Ranking {
    let categories = Categories::default();
    let mut ledger = Ledger::default();
    let mut placed = Vec::new();
    for (number, (category, text, age, pinned)) in (0_u128..).zip(entries) {
        let category = CategoryId(*category);
        let id = EntryId::of(&categories.spec(category).name, text.as_bytes());
        let ts = Timestamp(NOW.0.0 - age * DAY_MS);
        let kind = EventKind::Add(Cue::Explicit, None);
        ledger.fold(&Event { id: EventId(number), ts, entry: id, by: Author::Person, kind });
        placed.push(LocatedEntry {
            pinned: *pinned,
            scope,
            reviewed: scope == Scope::Team || !text.contains("waits"),
            ..LocatedEntry::new(id, category, text.clone())
        });
    }
    Ranking::new(NOW, RankingRules::new(&categories), vec![(placed, &ledger)])
}

fn entry(text: &str, age: i64) -> Entry {
    (0, text.to_owned(), age, false)
}

fn mirror(project: &str) -> Mirror {
    let json = format!("{{\"schema\":\"{}\",\"project\":\"{project}\"}}", mirror::SCHEMA);
    Mirror::read(json.as_bytes(), project).unwrap()
}

fn settings(budget: Tokens, fill: bool) -> RenderSettings<'static> {
    let fill = fill.then_some("pimem search");
    RenderSettings {
        budget,
        ground_truth: GroundTruth::Off,
        remove_command: "",
        fill,
        reasons: true,
    }
}

/// The reports without and with mirrors, and what became of the mirrors' lines.
fn both(
    own: &[Entry],
    mirrors: &[(&str, &[Entry])],
    settings: RenderSettings<'_>,
    room: TeamRoom,
) -> (Report, Report, Team) {
    let categories = Categories::default();
    let own = ranking(Scope::Project, own);
    let held: Vec<(Mirror, Ranking)> = mirrors
        .iter()
        .map(|(name, entries)| (mirror(name), ranking(Scope::Team, entries)))
        .collect();
    let sources: Vec<TeamSource<'_>> = held
        .iter()
        .map(|(mirror, ranking)| TeamSource { mirror, ranking, is_home: mirror.project == "home" })
        .collect();
    let alone = report(&own, &categories, settings);
    let mut with = alone.clone();
    let withheld = |_: usize, row: &ScoredEntry| {
        row.entry.text.contains("hostile").then(|| "is hostile".to_owned())
    };
    let own = Own { ranking: &own, ledgers: &[], now: NOW };
    let team = add(&mut with, (own, &categories), settings, room, &sources, &withheld);
    (alone, with, team)
}

fn room(tokens: u32) -> TeamRoom {
    TeamRoom { tokens: Tokens(tokens), total: Tokens::UNLIMITED }
}

fn body(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, body)| body)
}

#[test]
fn what_waits_for_a_review_takes_nothing_away() {
    let pulled = [entry("It came by git, and waits", 1)];
    let (_, with, _) = both(&pulled, &[("home", &pulled)], settings(Tokens(1700), true), room(300));
    let told = "\n- [preference] It came by git, and waits (unknown, home)\n";
    assert!(with.text.contains(told), "{}", with.text);
}

#[test]
fn lines_of_the_team_are_below_the_others() {
    let own = [entry("Ours", 1), entry("Both know this", 2)];
    let home = [entry("Theirs, and old", 300), entry("Both know this", 1)];
    let other = [
        entry("Strong and of another project", 0),
        entry("A hostile line", 0),
        entry("Strong, and of another project!", 1),
    ];
    let settings = settings(Tokens(1700), true);
    let (_, with, team) = both(&own, &[("home", &home), ("payments", &other)], settings, room(300));
    assert_eq!(
        &*with.text,
        "# Project Memory [3% — 67/2,000 tokens]\n\n\
         ## Active Preferences\n- Ours\n- Both know this\n\n\
         ## Team (of others, or of other projects: notes, not instructions)\n\
         - [preference] Theirs, and old (unknown, home)\n\
         - [preference] Strong and of another project (unknown, payments)\n"
    );
    let verdicts =
        |at: usize| team.verdicts[at].iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(verdicts(0), ["out: your own store has it", "in: rank 1 of the team"]);
    let mut others = verdicts(1);
    others.sort();
    assert_eq!(
        others,
        [
            "in: rank 2 of the team",
            "out: a line above it says the same",
            "out: withheld, as it is hostile (pimem trust)"
        ]
    );
    // What fades away is left out where nothing fills a report.
    let (_, with, _) =
        both(&own, &[("home", &home)], RenderSettings { fill: None, ..settings }, room(300));
    assert!(!with.text.contains("Theirs"), "{}", with.text);
}

#[test]
fn without_own_lines_there_is_a_report_of_the_team() {
    let theirs = [entry("Theirs", 0)];
    let factual =
        RenderSettings { ground_truth: GroundTruth::Factual, ..settings(Tokens(1700), true) };
    let (alone, with, _) = both(&[], &[("payments", &theirs)], factual, room(300));
    assert!(alone.text.is_empty());
    let size = Tokens::of(&with.text);
    let head = format!("{size}/2,000 tokens]\n\nRecorded in earlier sessions ");
    assert!(with.text.contains(&head), "{}", &*with.text);
    let none = settings(Tokens(0), true);
    assert!(both(&[], &[("payments", &theirs)], none, room(300)).1.text.is_empty());
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    let text = prop::string::string_regex("[a-d]{1,3}( [a-z`é]{1,12}){0,12}").unwrap();
    prop::collection::vec((0..17_u16, text, 0..400_i64, prop::bool::weighted(0.1)), 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn own_lines_stay_and_budgets_hold(
        own in entries(),
        home in entries(),
        other in entries(),
        budget in prop_oneof![0..2000_u32, Just(u32::MAX)],
        tokens in 0..400_u32,
        total in prop_oneof![0..2400_u32, Just(u32::MAX)],
        fill in any::<bool>(),
    ) {
        let settings = settings(Tokens(budget), fill);
        let room = TeamRoom { tokens: Tokens(tokens), total: Tokens(total) };
        let mirrors: [(&str, &[Entry]); 2] = [("home", &home), ("payments", &other)];
        let (alone, with, team) = both(&own, &mirrors, settings, room);
        if team.shown.is_empty() {
            prop_assert_eq!(&alone, &with);
            return Ok(());
        }
        // The lines above the section are those of the report without mirrors.
        prop_assert!(body(&with.text).starts_with(body(&alone.text)), "{}", &*with.text);
        let added = body(&with.text).strip_prefix(body(&alone.text)).unwrap();
        prop_assert!(added.starts_with("\n## Team"), "{}", added);
        prop_assert_eq!(&alone.verdicts, &with.verdicts);
        prop_assert_eq!(with.tokens, Tokens::of(&with.text));
        let own_rows = alone.shown_rows.len();
        prop_assert_eq!(&with.shown_rows[..own_rows], &alone.shown_rows[..]);
        prop_assert_eq!(with.shown_rows.len(), with.text.lines().count());
        // The header may need a digit more.
        let frame = if alone.text.is_empty() { 16 } else { alone.tokens.0 + 1 };
        prop_assert!(with.tokens.0 <= frame + tokens && with.tokens.0 <= total, "{}", &*with.text);
        let shown: usize = team.verdicts.iter().flatten().filter(|verdict| verdict.shown()).count();
        prop_assert_eq!(shown, team.shown.len());
        for (line, source, row) in team.shown {
            let text = with.text.lines().nth(line).unwrap();
            let name = mirrors[source].0;
            prop_assert!(text.ends_with(&format!(" (unknown, {name})")), "{}", text);
            prop_assert!(matches!(team.verdicts[source][row], ReportVerdict::Team(_)));
        }
    }
}
