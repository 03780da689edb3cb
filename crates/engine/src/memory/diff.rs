//! Differences between two times, and periods given by `--since` and `--until`.

use crate::memory::handles::Reading;
use pimem_core::{
    model::{
        entry::EntryId,
        hash::IdMap,
        time::{Age, DAY_MS, Now, Timestamp},
    },
    report::{
        budget::Tokens,
        render::{self, Difference, DifferenceKind},
    },
    safety::safe_text::SafeText,
    score::ranking::Ranking,
};
use serde::Serialize;

use super::{Answer, Memory, problems};
use crate::{
    error::{Failure, FailureKind},
    store::{
        Store,
        read::ReadProblem,
        snapshot::{Past, Snapshot},
    },
    view::{Entries, JudgedEntry, displayed, factors::Factors},
};

/// The stores at one time.
struct Then {
    now: Now,
    ranking: Ranking,
    report: render::Report,
    /// Ids at that time of current entries whose id differs.
    former: IdMap<EntryId, EntryId>,
    /// Problems with reading the archive.
    problems: Vec<ReadProblem>,
}

impl Reading<'_> {
    /// Returns the differences between two times, which may be in the future. The past is
    /// reconstructed from the log.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn diff(self, from: Timestamp, to: Timestamp) -> Result<Answer<Diff>, Failure> {
        let stores = self.memory.readers()?;
        let (_, snapshots) = self.memory.ranking(&stores);
        let before = then(self.memory, &stores, &snapshots, from);
        let after = then(self.memory, &stores, &snapshots, to);
        // Maps an id of the first time to the current id, and that to the id of the second time.
        let later: IdMap<EntryId, EntryId> =
            after.former.iter().map(|(then, today)| (*today, *then)).collect();
        let differences = render::differences(
            (&before.ranking, &before.report.verdicts),
            (&after.ranking, &after.report.verdicts),
            |id| {
                let today = before.former.get(&id).copied().unwrap_or(id);
                later.get(&today).copied().unwrap_or(today)
            },
        );
        let categories = &self.memory.config.categories;
        let old = Entries::new(before.now, categories, &before.ranking);
        let new = Entries::new(after.now, categories, &after.ranking);
        let side = |entries: &Entries<'_>, side: &render::DiffSide| SideView {
            judged: entries.judged(&side.row, &side.verdict),
            factors: entries.factors(&side.row),
        };
        let change = |difference: &Difference| DiffChange {
            change: difference.kind(),
            id: difference.id.to_string(),
            before: difference.before.as_ref().map(|before| side(&old, before)),
            after: difference.after.as_ref().map(|after| side(&new, after)),
        };
        let tokens = Sizes { before: before.report.tokens.0, after: after.report.tokens.0 };
        let changes = differences.iter().map(change).collect();
        let problems = [problems(&snapshots), before.problems].concat();
        let reports = [before.report.text, after.report.text];
        Ok(Answer { view: Diff { from, to, tokens, changes, reports }, problems })
    }
}

/// Returns the stores at a past or future time.
fn then(memory: &Memory, stores: &[Store], snapshots: &[Snapshot], at: Timestamp) -> Then {
    let (mut former, mut problems) = (IdMap::default(), Vec::new());
    let past: Vec<Past> = stores
        .iter()
        .zip(snapshots)
        .map(|(store, today)| {
            if at >= memory.now.0 {
                let placed = today.placed(store, &memory.config.categories);
                let ledger = today.ledger.clone();
                let (former, problems) = (IdMap::default(), Vec::new());
                return Past { placed, ledger, former, problems };
            }
            store.at(at, today, &memory.config.categories)
        })
        .collect();
    for past in &past {
        former.extend(&past.former);
        problems.extend(past.problems.iter().cloned());
    }
    let placed = past.iter().map(|past| (past.placed.clone(), &past.ledger)).collect();
    let now = Now(at);
    let ranking = Ranking::new(now, memory.rules(), placed);
    let settings = memory.report_settings(None, Tokens(0));
    let report = render::report(&ranking, &memory.config.categories, settings);
    Then { now, ranking, report, former, problems }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diff {
    /// First time, RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub from: Timestamp,
    /// Second time, RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub to: Timestamp,
    pub tokens: Sizes,
    /// Most important first.
    pub changes: Vec<DiffChange>,
    /// The reports at both times.
    #[serde(skip)]
    pub reports: [SafeText; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sizes {
    pub before: u32,
    pub after: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DiffChange {
    pub change: DifferenceKind,
    /// Id of the entry at the second time.
    pub id: String,
    /// `None` if the entry did not exist at the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<SideView>,
    /// `None` if the entry did not exist at the second time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<SideView>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideView {
    #[serde(flatten)]
    pub judged: JudgedEntry,
    #[serde(skip)]
    pub factors: Factors,
}

documents! {
    Diff: "pimem.diff/1",
}

/// A period that includes both ends; a missing end is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Period {
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl Period {
    /// Parses both ends: a date, a time, or an age.
    pub fn new(now: Now, since: Option<&str>, until: Option<&str>) -> Result<Self, Failure> {
        let since = since.map(|text| when(now, text, Timestamp::parse_date)).transpose()?;
        // If it ends on a date, the whole day is included.
        let until = until.map(|text| when(now, text, Timestamp::end_of_day)).transpose()?;
        if since.zip(until).is_some_and(|(since, until)| until < since) {
            let message = "--until is before --since";
            return Err(Failure::new(FailureKind::Usage, message, "exchange the two"));
        }
        Ok(Self { since, until })
    }

    /// Returns true if either end is given.
    pub fn is_bounded(self) -> bool {
        self.since.or(self.until).is_some()
    }

    /// Returns true if a time is in the period. An unknown time is only in an unbounded period.
    pub fn contains(self, time: Option<Timestamp>) -> bool {
        let Some(time) = time else { return !self.is_bounded() };
        self.since.is_none_or(|since| since <= time) && self.until.is_none_or(|until| time <= until)
    }
}

/// Parses a time: a date by `day`, a time, or an age.
pub fn when(
    now: Now,
    text: &str,
    day: fn(&str) -> Option<Timestamp>,
) -> Result<Timestamp, Failure> {
    let ago = |age: Age| Timestamp(now.0.0.saturating_sub_unsigned(age.0));
    let named = match text {
        "today" => Some(now.0),
        "yesterday" => Some(ago(Age(DAY_MS.unsigned_abs()))),
        _ => None,
    };
    let date = named.map(Timestamp::date);
    let time = day(date.as_deref().unwrap_or(text)).or_else(|| Timestamp::parse(text));
    time.or_else(|| Age::parse(text).map(ago)).ok_or_else(|| {
        let message = format!("{text:?} is neither a date nor an age");
        let hint = "write it as in 2026-12-31, 2026-12-31T18:00:00Z, yesterday or 7d";
        Failure::new(FailureKind::Usage, message, hint)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn period(since: Option<&str>, until: Option<&str>) -> Result<Period, Failure> {
        Period::new(Now(at("2026-06-30T18:00:00Z")), since, until)
    }

    #[test]
    fn ends_are_included() {
        for (since, until, inside, outside) in [
            (Some("2026-05-01"), None, "2026-05-01T00:00:00Z", "2026-04-30T23:59:59.999Z"),
            (None, Some("2026-05-01"), "2026-05-01T23:59:59.999Z", "2026-05-02T00:00:00Z"),
            (Some("7d"), None, "2026-06-23T18:00:00Z", "2026-06-23T17:59:59.999Z"),
            (Some("2w"), None, "2026-06-16T18:00:00Z", "2026-06-16T17:59:59.999Z"),
            (Some("yesterday"), None, "2026-06-29T00:00:00Z", "2026-06-28T23:59:59.999Z"),
            (Some("today"), Some("today"), "2026-06-30T23:59:59Z", "2026-06-29T23:59:59Z"),
            (None, Some("12h"), "2026-06-30T06:00:00Z", "2026-06-30T06:00:00.001Z"),
            (
                Some("2026-05-01T10:00:00+02:00"),
                Some("2026-05-01T10:00:00Z"),
                "2026-05-01T08:00:00Z",
                "2026-05-01T10:00:01Z",
            ),
        ] {
            let period = period(since, until).unwrap();
            assert!(period.contains(Some(at(inside))), "{since:?} {until:?} {inside}");
            assert!(!period.contains(Some(at(outside))), "{since:?} {until:?} {outside}");
            assert!(!period.contains(None) && period.is_bounded());
        }
        let open = period(None, None).unwrap();
        assert!(open.contains(None) && open.contains(Some(Timestamp(0))) && !open.is_bounded());
        let ages = period(Some("4294967295d"), None).unwrap();
        assert!(ages.contains(Some(at("1970-01-01T00:00:00Z"))), "older than any calendar");
    }

    #[test]
    fn what_is_no_time() {
        for text in ["", "tomorrow", "2026-02-29", "2026-5-1", "2026-05-01T10:00:00", "7y", "-7d"] {
            let (since, until) = (period(Some(text), None), period(None, Some(text)));
            assert!(since.is_err() && since == until, "{text}");
        }
        assert!(period(Some("1d"), Some("2d")).is_err(), "the wrong way round");
        assert!(period(Some("2026-05-01"), Some("2026-05-01")).is_ok(), "one day");
    }
}
