//! Selection under the policies besides stability: entries in the order of the ranking, as far as
//! they fit, grouped by section.
//!
//! Sections have no budgets of their own here, and no windows.

use super::{
    budget::{Fill, Tails},
    select::{ReportVerdict, Section, SelectedLine, Selection, heading_chars, pinned},
};
use crate::{
    model::category::Categories,
    safe,
    safety::safe_text::SafeText,
    score::{
        caps::CapPlace,
        policy::limits,
        ranking::{Ranking, ScoredEntry},
    },
};

/// Selects the entries that fit into `room` characters. What is always listed comes first, then the
/// others, best first.
pub(super) fn select(
    ranking: &Ranking,
    categories: &Categories,
    room: usize,
    fill: Option<Fill<'_>>,
) -> Selection {
    let mut verdicts: Vec<ReportVerdict> = ranking.rows.iter().map(first_look).collect();
    let mut tails = fill.map(|fill| Tails::new(ranking, categories, fill));
    let mut sections: Vec<Vec<usize>> = categories.iter().map(|_| Vec::new()).collect();
    let mut used = 0;
    for at in preferred(ranking) {
        let Some(row) = ranking.rows.get(at) else { continue };
        let category = usize::from(row.entry.category.0);
        let Some(section) = sections.get(category) else { continue };
        let mut cost = line(at, row).chars();
        if section.is_empty() {
            cost += 1 + heading_chars(&heading(categories, row));
        }
        if let Some(tails) = &mut tails {
            tails.take(row);
        }
        let is_there =
            |at: usize| at == category || sections.get(at).is_some_and(|s| !s.is_empty());
        let tail = tails.as_ref().map_or(0, |tails| tails.chars(is_there));
        let fits = used + cost + tail <= room;
        if let Some(verdict) = verdicts.get_mut(at).filter(|_| fits) {
            let always = row.place == CapPlace::Always;
            *verdict = if always { ReportVerdict::Always } else { ReportVerdict::Listed };
        }
        if !fits {
            if let Some(tails) = &mut tails {
                tails.put_back(row);
            }
            continue;
        }
        used += cost;
        if let Some(section) = sections.get_mut(category) {
            section.push(at);
        }
    }
    let mut rendered: Vec<(usize, Section)> = Vec::new();
    for ((category, _), mut rows) in categories.iter().zip(sections) {
        rows.sort_unstable();
        let rows: Vec<_> =
            rows.into_iter().filter_map(|at| Some((at, ranking.rows.get(at)?))).collect();
        let Some((best, first)) = rows.first() else { continue };
        let (best, heading) = (*best, heading(categories, first));
        let mut lines: Vec<SelectedLine> = rows.iter().map(|(at, row)| line(*at, row)).collect();
        lines.extend(tails.as_ref().and_then(|tails| tails.end(category)).map(SelectedLine::from));
        rendered.push((best, Section { heading, lines }));
    }
    // The section of the best entry comes first.
    rendered.sort_by_key(|(best, _)| *best);
    let rendered: Vec<Section> = rendered.into_iter().map(|(_, section)| section).collect();
    let pinned = pinned(ranking, categories);
    let chars: usize = rendered.iter().map(Section::chars).sum();
    let closing = tails.as_ref().and_then(Tails::closing);
    let closing =
        closing.filter(|_| chars + tails.as_ref().map_or(0, Tails::closing_chars) <= room);
    let by_score = pinned.iter().map(Section::chars).sum::<usize>() + chars;
    Selection { pinned, sections: rendered, by_score, closing, is_sure: true, verdicts }
}

/// Returns true if an entry was left out for want of places or tokens.
pub(super) fn overflows(ranking: &Ranking, verdicts: &[ReportVerdict]) -> bool {
    let over = |(row, verdict): (&ScoredEntry, &ReportVerdict)| {
        row.place == CapPlace::OverLimit || *verdict == ReportVerdict::ReportFull
    };
    ranking.rows.iter().zip(verdicts).any(over)
}

/// Returns the rows that have a place, in the order in which they are tried.
fn preferred(ranking: &Ranking) -> Vec<usize> {
    let rows = || ranking.rows.iter().enumerate();
    let always = rows().filter(|(_, row)| row.place == CapPlace::Always);
    let listed = rows().filter(|(_, row)| matches!(row.place, CapPlace::Listed(_)));
    let (mut always, mut listed): (Vec<usize>, Vec<usize>) =
        (always.map(|(at, _)| at).collect(), listed.map(|(at, _)| at).collect());
    // The oldest come first then, and the newest are wanted.
    if limits::is_chronological(ranking.policy) {
        always.reverse();
        listed.reverse();
    }
    always.append(&mut listed);
    always
}

fn first_look(row: &ScoredEntry) -> ReportVerdict {
    match row.place {
        CapPlace::Pinned => ReportVerdict::Pinned,
        CapPlace::Excluded if row.expired => ReportVerdict::Expired,
        CapPlace::Excluded => ReportVerdict::Superseded,
        place if !place.eligible() => ReportVerdict::NoPlace(place),
        _ => ReportVerdict::ReportFull,
    }
}

fn line(at: usize, row: &ScoredEntry) -> SelectedLine {
    SelectedLine::of(at, safe!("- {}", &row.entry.told()))
}

fn heading(categories: &Categories, row: &ScoredEntry) -> SafeText {
    SafeText::of(&categories.spec(row.entry.category).section)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        model::{
            category::{CategoryId, Preset},
            entry::{EntryId, EventId},
            event::{Author, Cue, Event, EventKind},
            time::{DAY_MS, Now, Timestamp},
        },
        report::{
            budget::Tokens,
            render::{GroundTruth, RenderSettings, Report, report},
        },
        score::{
            ledger::Ledger,
            policy::{Policy, ebbinghaus::Fading, weighted::Switches},
            ranking::{LocatedEntry, RankingRules, Scope},
        },
    };

    const NOW: Now = Now(Timestamp(100 * DAY_MS));

    /// Category, text, day of the first add, and scope.
    type Entry = (u16, String, i64, Scope);

    fn ranking(policy: Policy, categories: &Categories, entries: &[Entry]) -> Ranking {
        let mut ledger = Ledger::default();
        let mut placed = Vec::new();
        for (n, (category, text, day, scope)) in (0_u128..).zip(entries) {
            let category = CategoryId(*category);
            let id = EntryId::of(&categories.spec(category).name, text.as_bytes());
            let (ts, kind) = (Timestamp(day * DAY_MS), EventKind::Add(Cue::Explicit, None));
            ledger.fold(&Event { id: EventId(n), ts, entry: id, by: Author::Person, kind });
            placed.push(LocatedEntry {
                scope: *scope,
                reviewed: true,
                ..LocatedEntry::new(id, category, text.clone())
            });
        }
        let rules = RankingRules { policy, ..RankingRules::new(categories) };
        Ranking::new(NOW, rules, vec![(placed, &ledger)])
    }

    fn made(ranking: &Ranking, categories: &Categories, budget: Tokens, fill: bool) -> Report {
        let (ground_truth, fill) = (GroundTruth::Off, fill.then_some("pimem search"));
        let settings =
            RenderSettings { budget, ground_truth, remove_command: "", fill, reasons: true };
        report(ranking, categories, settings)
    }

    fn any_policy() -> impl Strategy<Value = Policy> {
        let switches = (any::<bool>(), any::<bool>())
            .prop_map(|(scoring, decay)| Policy::Weighted(Switches { scoring, decay }));
        prop_oneof![switches, Just(Policy::Ebbinghaus(Fading::default()))]
    }

    fn any_entries() -> impl Strategy<Value = Vec<Entry>> {
        let text = "[a-zé`<#> ]{1,12}( [a-z]{1,9}){0,20}( \\[\\[[ab]\\]\\]){0,1}";
        let text = prop::string::string_regex(text).unwrap();
        let scope = prop::sample::select(vec![Scope::Project, Scope::User]);
        prop::collection::vec((0..17_u16, text, 0..101_i64, scope), 0..70)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn the_report_is_within_its_budget(
            policy in any_policy(), entries in any_entries(), budget in 0..2500_u32, fill in any::<bool>(),
        ) {
            let categories = Categories::of(Preset::All, Vec::new());
            let ranking = ranking(policy, &categories, &entries);
            let found = made(&ranking, &categories, Tokens(budget), fill);
            prop_assert!(found.tokens <= Tokens(budget));
            prop_assert_eq!(Tokens::of(&found.text), found.tokens);
            prop_assert_eq!(found.text.lines().count(), found.shown_rows.len());
            let mut shown: Vec<usize> = found.shown_rows.iter().copied().flatten().collect();
            shown.sort_unstable();
            let verdicts = found.verdicts.iter().enumerate().filter(|(_, verdict)| verdict.shown());
            prop_assert_eq!(shown, verdicts.map(|(row, _)| row).collect::<Vec<_>>());
            let left = found.verdicts.iter().filter(|verdict| !verdict.shown()).count();
            if fill && !found.text.is_empty() {
                let closing = format!("\n... {left} more: pimem search WORDS\n");
                prop_assert_eq!(found.text.ends_with(&closing), left > 0, "{}", found.text);
            }
            let weighted = matches!(policy, Policy::Weighted(_));
            prop_assert_eq!(found.overflow.is_some(), weighted);
            prop_assert_eq!(
                found.overflow == Some(true) && !found.text.is_empty(),
                found.text.lines().next().is_some_and(|head| head.ends_with(", overflow]"))
            );
        }

        /// Without a budget, whatever has a place is shown.
        #[test]
        fn without_a_limit_places_decide(policy in any_policy(), entries in any_entries()) {
            let categories = Categories::of(Preset::All, Vec::new());
            let ranking = ranking(policy, &categories, &entries);
            let found = made(&ranking, &categories, Tokens::UNLIMITED, true);
            for (row, verdict) in found.judged(&ranking) {
                prop_assert_eq!(verdict.shown(), row.place.eligible());
            }
        }
    }

    #[test]
    fn decisions_come_before_higher_scores() {
        let categories = Categories::of(Preset::Aide, Vec::new());
        let of = |name: &str| categories.find(name).unwrap().0;
        let text = |n: usize| format!("{n} {}", "x".repeat(100));
        let mut entries: Vec<Entry> =
            (0..40).map(|n| (of("abandoned"), text(n), 99, Scope::Project)).collect();
        entries.push((of("decision"), "Old and of low score".to_owned(), 1, Scope::Project));
        let policy = Policy::Weighted(Switches::default());
        let ranking = ranking(policy, &categories, &entries);
        let found = made(&ranking, &categories, Tokens(200), true);
        assert!(found.text.contains("- Old and of low score\n"), "{}", found.text);
        assert!(found.text.starts_with("# Project Memory [") && found.overflow == Some(true));
        let head = found.text.lines().next().unwrap();
        assert!(head.ends_with("/200 tokens, overflow]"), "{head}");
        let row =
            ranking.rows.iter().zip(&found.verdicts).find(|(row, _)| row.place == CapPlace::Always);
        assert_eq!(row.unwrap().1, &ReportVerdict::Always);
    }
}
