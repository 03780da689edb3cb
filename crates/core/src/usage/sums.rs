//! Sums over a telemetry log: entries put into prompts, and entries used.
//!
//! An entry counts once per session. Use is only known in sessions with a recorded answer, so rates
//! are over those.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    model::{
        entry::EntryId,
        time::{DAY_MS, Now, Timestamp},
    },
    score::access::{Access, Accesses},
    usage::record::{Record, RecordKindOf},
};

/// A log, oldest record first.
#[derive(Debug, Clone, Default)]
pub struct UsageLog {
    /// Records with their times, capped at now.
    pub records: Vec<(Timestamp, Record)>,
    /// Number of lines that are not records.
    pub damaged: usize,
}

impl UsageLog {
    /// Parses the logs of several stores as one. Records of a later version are ignored.
    #[must_use]
    pub fn read<'a>(now: Now, logs: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut log = Self::default();
        let lines = logs.into_iter().flat_map(|bytes| bytes.split(|byte| *byte == b'\n'));
        for line in lines.map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()) {
            let record = str::from_utf8(line).ok().and_then(Record::read);
            match record.and_then(|record| Some((now.cap(record.when()?), record))) {
                Some((_, Record { what: RecordKindOf::Unknown, .. })) => {}
                Some(record) => log.records.push(record),
                None => log.damaged += 1,
            }
        }
        log.records.sort_by_key(|(at, _)| *at);
        log
    }
}

/// Agent and session id. Records without an id are grouped by agent and day.
pub type SessionKey = (String, String);

#[must_use]
pub fn session(at: Timestamp, record: &Record) -> SessionKey {
    (record.agent.clone(), record.session.clone().unwrap_or_else(|| at.date()))
}

/// The injection and use of an entry in one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InjectionFate {
    /// Time of the last injection.
    pub injected: Option<Timestamp>,
    /// Time of the last use.
    pub used: Option<Timestamp>,
    /// True if the session has a recorded answer.
    pub measured: bool,
}

/// The fates of all entries in all sessions.
pub type Fates = BTreeMap<(SessionKey, EntryId), InjectionFate>;

/// Returns the fate of every entry in every session.
#[must_use]
pub fn fates(log: &UsageLog) -> Fates {
    let mut fates = Fates::new();
    let mut seen = BTreeSet::new();
    for (at, record) in &log.records {
        let session = session(*at, record);
        let mut fate = |id: &str, change: fn(&mut InjectionFate, Timestamp)| {
            if let Ok(id) = id.parse() {
                change(fates.entry((session.clone(), id)).or_default(), *at);
            }
        };
        match &record.what {
            RecordKindOf::Injection { entries, .. } => {
                for entry in entries {
                    fate(&entry.id, |fate, at| fate.injected = Some(at));
                }
            }
            RecordKindOf::Usage { injected, used, .. } => {
                // The record of the injection may have been deleted.
                for id in injected {
                    fate(id, |_, _| {});
                }
                for id in used {
                    fate(id, |fate, at| fate.used = Some(at));
                }
                seen.insert(session);
            }
            _ => {}
        }
    }
    for ((session, _), fate) in &mut fates {
        fate.measured = seen.contains(session);
    }
    fates
}

/// Sums of fates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UseCount {
    /// Pairs of a session and an entry put into it.
    pub injected: usize,
    /// Pairs in sessions with a recorded answer.
    pub measured: usize,
    /// Pairs in which the entry was used.
    pub used: usize,
    pub last_injected: Option<Timestamp>,
    pub last_used: Option<Timestamp>,
}

impl UseCount {
    fn add(&mut self, fate: &InjectionFate) {
        self.injected += 1;
        self.measured += usize::from(fate.measured);
        self.used += usize::from(fate.used.is_some());
        self.last_injected = self.last_injected.max(fate.injected);
        self.last_used = self.last_used.max(fate.used);
    }

    /// The share of measured pairs that was used; `None` if none was measured.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        (self.measured > 0).then(|| self.used as f64 / self.measured as f64)
    }
}

/// Returns the sums by key. Fates whose key is `None` are ignored.
#[must_use]
pub fn by<K: Ord>(
    fates: &Fates,
    key: impl Fn(&SessionKey, EntryId) -> Option<K>,
) -> BTreeMap<K, UseCount> {
    let mut sums: BTreeMap<K, UseCount> = BTreeMap::new();
    for ((session, id), fate) in fates {
        if let Some(key) = key(session, *id) {
            sums.entry(key).or_default().add(fate);
        }
    }
    sums
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Volume {
    pub sessions: usize,
    /// Number of sessions with a recorded answer.
    pub measured: usize,
    pub prompts: usize,
    /// Number of contexts into which entries were injected.
    pub injections: usize,
    /// Number of injected entries, with repetitions.
    pub entries: usize,
    /// Number of distinct injected entries.
    pub different: usize,
    /// Number of contexts into which session summaries were injected.
    pub session_injects: usize,
    /// Number of injected summaries, with repetitions.
    pub summaries: usize,
    pub searches: usize,
    /// Injected entries per day, from the first day to the last.
    pub days: Vec<usize>,
    /// Times of the first and the last record.
    pub span: Option<(Timestamp, Timestamp)>,
}

#[must_use]
pub fn volume(log: &UsageLog) -> Volume {
    let mut volume = Volume::default();
    let (mut sessions, mut measured) = (BTreeSet::new(), BTreeSet::new());
    let mut different = BTreeSet::new();
    let day = |at: Timestamp| at.0.div_euclid(DAY_MS);
    let ends = log.records.first().zip(log.records.last());
    volume.span = ends.map(|((first, _), (last, _))| (*first, *last));
    if let Some((first, last)) = volume.span {
        let days = usize::try_from(day(last) - day(first)).map_or(1, |days| days + 1);
        volume.days.resize(days.min(DAYS), 0);
    }
    // One context may be recorded in both stores.
    let mut contexts = BTreeSet::new();
    for (at, record) in &log.records {
        let session = session(*at, record);
        match &record.what {
            RecordKindOf::Injection { event, prompt, entries } => {
                let is_new = contexts.insert((*at, session.clone(), event.as_str()));
                volume.prompts += usize::from(is_new && (event == PROMPT || !prompt.is_empty()));
                volume.injections += usize::from(is_new && !entries.is_empty());
                volume.entries += entries.len();
                different.extend(entries.iter().map(|entry| entry.id.as_str()));
                // Counted from the last day, which is always included.
                let ago = volume.span.map_or(0, |(_, last)| day(last) - day(*at));
                let place = usize::try_from(ago).ok();
                let place = place.and_then(|ago| volume.days.len().checked_sub(ago + 1));
                if let Some(sum) = place.and_then(|place| volume.days.get_mut(place)) {
                    *sum += entries.len();
                }
            }
            RecordKindOf::Usage { .. } => drop(measured.insert(session.clone())),
            RecordKindOf::SessionInject { count, .. } => {
                volume.session_injects += 1;
                volume.summaries += count;
            }
            RecordKindOf::Access { .. } => {
                volume.searches += 1;
                continue;
            }
            RecordKindOf::Lifted { .. } => {}
            RecordKindOf::Unknown => continue,
        }
        sessions.insert(session);
    }
    (volume.sessions, volume.measured) = (sessions.len(), measured.len());
    volume.different = different.len();
    volume
}

/// The event of an injection for a prompt, in most agents.
const PROMPT: &str = "prompt";
/// Maximum number of days counted separately; the last ones are kept.
const DAYS: usize = 3660;

/// Returns how often a person has lifted guards of an entry for a session.
#[must_use]
pub fn lifted(log: &UsageLog, id: EntryId) -> usize {
    let lifts = |what: &RecordKindOf| match what {
        RecordKindOf::Lifted { entries } => entries.contains(&id.to_string()),
        _ => false,
    };
    log.records.iter().filter(|(_, record)| lifts(&record.what)).count()
}

/// Returns the accesses of each entry by searches and recall.
#[must_use]
pub fn accesses(log: &UsageLog) -> Accesses {
    let mut all = Accesses::default();
    for (at, record) in &log.records {
        let ids: Vec<&String> = match &record.what {
            RecordKindOf::Injection { entries, .. } => {
                let recalled = entries.iter().filter(|entry| entry.similarity.is_some());
                recalled.map(|entry| &entry.id).collect()
            }
            RecordKindOf::Access { entries } => entries.iter().collect(),
            _ => continue,
        };
        for id in ids.into_iter().filter_map(|id| id.parse().ok()) {
            all.add(id, Access { count: 1, last: Some(*at) });
        }
    }
    all
}

/// Returns prompts with those of the entries given to them that their session used later. A use
/// counts once, for the last prompt before it that was given the entry.
#[must_use]
pub fn used_by_prompt(log: &UsageLog) -> Vec<(&str, Vec<EntryId>)> {
    let mut prompts: BTreeMap<SessionKey, Vec<(&str, Vec<EntryId>)>> = BTreeMap::new();
    // In reverse, so that later use is known.
    let mut unclaimed: BTreeMap<SessionKey, BTreeSet<EntryId>> = BTreeMap::new();
    let parsed = |id: &String| id.parse::<EntryId>().ok();
    for (at, record) in log.records.iter().rev() {
        let key = session(*at, record);
        match &record.what {
            RecordKindOf::Usage { used, .. } => {
                unclaimed.entry(key).or_default().extend(used.iter().filter_map(parsed));
            }
            RecordKindOf::Injection { prompt, entries, .. } if !prompt.trim().is_empty() => {
                let unclaimed = unclaimed.entry(key.clone()).or_default();
                let given = entries.iter().filter_map(|entry| parsed(&entry.id));
                let used = given.filter(|id| unclaimed.remove(id)).collect();
                prompts.entry(key).or_default().push((prompt, used));
            }
            _ => {}
        }
    }
    prompts.into_values().flat_map(|of_session| of_session.into_iter().rev()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Now = Now(Timestamp(1_782_842_400_000));
    const A: &str = "00000000000000aa";
    const B: &str = "00000000000000bb";

    fn log(lines: &[String]) -> UsageLog {
        UsageLog::read(NOW, [lines.join("\n").as_bytes()])
    }

    fn injection(ts: &str, session: &str, ids: &[&str]) -> String {
        let entry = |id: &&str| format!(r#"{{"id":"{id}","text":"t"}}"#);
        let entries: Vec<String> = ids.iter().map(entry).collect();
        format!(
            r#"{{"ts":"{ts}","agent":"claude","session":"{session}","type":"injection","event":"prompt","prompt":"p","entries":[{}]}}"#,
            entries.join(",")
        )
    }

    fn usage(ts: &str, session: &str, injected: &[&str], used: &[&str]) -> String {
        format!(
            r#"{{"ts":"{ts}","agent":"claude","session":"{session}","type":"usage","injectedCount":{},"usedCount":{},"usageRate":0.5,"injected":{injected:?},"used":{used:?}}}"#,
            injected.len(),
            used.len()
        )
    }

    #[test]
    fn lines_of_every_kind() {
        let log = log(&[
            injection("2026-06-02T10:00:00Z", "s", &[A]),
            r#"{"ts":"2026-06-01T10:00:00Z","agent":"x","type":"later","entries":7}"#.to_owned(),
            r#"{"ts":"yesterday","agent":"x","type":"access","entries":[]}"#.to_owned(),
            r#"{"ts":"2026-06-01T10:00:00Z","agent":"x","type":"access","entries":["#.to_owned(),
            String::new(),
            r#"{"ts":"2999-06-01T10:00:00Z","agent":"x","type":"access","entries":["aa"],"more":1}"#.to_owned(),
            "[".repeat(100_000),
        ]);
        assert_eq!((log.records.len(), log.damaged), (2, 3));
        assert_eq!(log.records[1].0, NOW.0, "the future is now");
        let days = volume(&log).days;
        assert_eq!((days[0], days.len(), days.iter().sum::<usize>()), (1, 29, 1));
    }

    #[test]
    fn an_entry_counts_once_a_session() {
        let log = log(&[
            injection("2026-06-01T10:00:00Z", "s1", &[A, B]),
            usage("2026-06-01T10:01:00Z", "s1", &[A, B], &[]),
            injection("2026-06-01T10:02:00Z", "s1", &[A]),
            usage("2026-06-01T10:03:00Z", "s1", &[A, B], &[A]),
            usage("2026-06-01T10:04:00Z", "s1", &[A, B], &[A]),
            injection("2026-06-03T10:00:00Z", "s2", &[A, "nonsense"]),
            usage("2026-06-04T10:00:00Z", "s3", &[B], &[B]),
        ]);
        let fates = fates(&log);
        let all = by(&fates, |_, _| Some(()))[&()];
        assert_eq!((all.injected, all.measured, all.used), (4, 3, 2));
        assert_eq!(all.rate(), Some(2.0 / 3.0), "nobody knows what became of s2");
        let each = by(&fates, |_, id| Some(id));
        let a = each[&EntryId(0xaa)];
        assert_eq!((a.injected, a.measured, a.used), (2, 1, 1));
        assert_eq!(a.last_used, Timestamp::parse("2026-06-01T10:04:00Z"));
        assert_eq!(a.last_injected, Timestamp::parse("2026-06-03T10:00:00Z"));
        let volume = volume(&log);
        assert_eq!((volume.sessions, volume.measured, volume.prompts), (3, 2, 3));
        assert_eq!((volume.injections, volume.entries, volume.different), (3, 5, 3));
        assert_eq!(volume.days, [3, 0, 2, 0]);
    }

    #[test]
    fn what_was_used_belongs_to_the_prompt_before_it() {
        let give = |ts, session, prompt: &str, ids| {
            injection(ts, session, ids)
                .replace(r#""prompt":"p""#, &format!(r#""prompt":"{prompt}""#))
        };
        let log = log(&[
            give("2026-06-01T10:00:00Z", "a", "", &[A]),
            give("2026-06-01T10:01:00Z", "a", "first", &[A, B]),
            give("2026-06-01T10:02:00Z", "b", "of b", &[A]),
            usage("2026-06-01T10:03:00Z", "a", &[A, B], &[B]),
            give("2026-06-01T10:04:00Z", "a", "second", &[B, A]),
            usage("2026-06-01T10:05:00Z", "a", &[A, B], &[A, B]),
            give("2026-06-01T10:06:00Z", "a", "third", &[A]),
        ]);
        let [a, b] = [0xaa, 0xbb].map(EntryId);
        let want =
            [("first", vec![b]), ("second", vec![b, a]), ("third", vec![]), ("of b", vec![])];
        assert_eq!(used_by_prompt(&log), want);
    }

    /// What a search or recall found is an access; what a report showed is not.
    #[test]
    fn accesses_are_hits() {
        let recalled = injection("2026-06-05T10:00:00Z", "s4", &[A])
            .replace(r#""text":"t""#, r#""text":"t","similarity":0.7"#);
        let found = format!(
            r#"{{"ts":"2026-06-06T10:00:00Z","agent":"user","type":"access","entries":["{A}"]}}"#
        );
        let log = log(&[injection("2026-06-01T10:00:00Z", "s1", &[A, B]), recalled, found]);
        let counts = accesses(&log);
        let of = |id| counts.of(EntryId(id), None);
        assert_eq!((of(0xaa).count, of(0xbb).count), (2, 0));
        assert_eq!(of(0xaa).last, Timestamp::parse("2026-06-06T10:00:00Z"));
    }

    #[test]
    fn what_has_no_session_counts_by_day() {
        let nameless = |ts| injection(ts, "", &[A]).replace(r#""session":"","#, "");
        let log = log(&[nameless("2026-06-01T10:00:00Z"), nameless("2026-06-02T10:00:00Z")]);
        assert_eq!(volume(&log).sessions, 2);
        assert_eq!(by(&fates(&log), |_, _| Some(()))[&()].rate(), None);
    }
}
