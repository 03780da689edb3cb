//! Telemetry: records of usage and what they show about entries; accesses of entries, which are
//! counted when a search or the recall of a hook finds them, and read by policies that count them; and
//! what prompts have asked for entries as.
//! None of it leaves this machine.

pub mod summary;

use crate::memory::handles::Learning;
use pimem_core::{
    model::{entry::EntryId, hash::IdSet, time::Timestamp},
    score::{
        access::{self, Access, Accesses},
        ledger::Ledger,
        ranking::Ranking,
    },
    search::learned_questions::LearnedQuestions,
    usage::{
        record::{Record, RecordKindOf},
        sums::{self, UsageLog},
    },
};

pub use self::summary::{SESSIONS, UsageOrder};
use super::{Answer, Memory, diff::Period, problems};
use crate::process::Leaky;
use crate::{
    error::Failure,
    store::{
        Store,
        machine_local::{ACCESSES, LEARNED_QUESTIONS, TELEMETRY, TELEMETRY_BYTES},
        read::ReadProblem,
        snapshot::Snapshot,
    },
};

/// Filters of a list of records.
#[derive(Debug, Clone, Default)]
pub struct LogRequest {
    pub period: Period,
    /// Kinds of records; empty for all.
    pub kinds: Vec<RecordKind>,
    /// Maximum number of records; the newest are listed.
    pub limit: usize,
}

/// Kinds of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    Injection,
    Usage,
    SessionInject,
    Access,
}

impl RecordKind {
    fn is(self, what: &RecordKindOf) -> bool {
        match self {
            Self::Injection => matches!(what, RecordKindOf::Injection { .. }),
            Self::Usage => matches!(what, RecordKindOf::Usage { .. }),
            Self::SessionInject => matches!(what, RecordKindOf::SessionInject { .. }),
            Self::Access => matches!(what, RecordKindOf::Access { .. }),
        }
    }
}

/// Telemetry of some stores, and their entries.
struct ReadUsage {
    stores: Vec<Store>,
    log: UsageLog,
    ranking: Leaky<Ranking>,
    snapshots: Leaky<Vec<Snapshot>>,
    problems: Vec<ReadProblem>,
}

impl ReadUsage {
    /// Reads the telemetry, and says so if none is kept.
    fn read(memory: &Memory) -> Result<Self, Failure> {
        let stores = memory.readers()?;
        let (log, problems) = log(memory, &stores);
        let (ranking, snapshots) = memory.ranking(&stores);
        if log.records.is_empty() && !memory.config.settings.telemetry.enabled {
            memory.notices.note("Nothing is recorded: telemetry.enabled is false");
        }
        Ok(Self { stores, log, ranking, snapshots, problems })
    }

    fn answer<V>(mut self, view: V) -> Answer<V> {
        self.problems.extend(problems(&self.snapshots));
        Answer { view, problems: self.problems }
    }
}

impl Learning<'_> {
    /// Creates a record at the current time. Hooks know agent and session better and set them.
    pub fn record(self, what: RecordKindOf) -> Record {
        let who = self.memory.who();
        Record { ts: self.memory.now.0.to_string(), agent: who.by, session: who.session, what }
    }

    /// Appends records, if telemetry is enabled. An error only loses the records.
    pub fn note_telemetry(self, store: &Store, records: &[Record]) {
        if records.is_empty() || !self.memory.config.settings.telemetry.enabled {
            return;
        }
        let lines: String = records.iter().map(Record::write).collect();
        if let Err(error) = store.append_telemetry(&lines) {
            self.memory.notices.detail(&format!("not noted: {error:#}"));
        }
    }

    /// Returns records, oldest first.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn telemetry_log(self, request: &LogRequest) -> Result<Answer<summary::LogView>, Failure> {
        let (log, problems) = log(self.memory, &self.memory.readers()?);
        let LogRequest { period, kinds, limit } = request;
        let mut records: Vec<_> = log
            .records
            .into_iter()
            .filter(|(at, _)| period.contains(Some(*at)))
            .filter(|(_, record)| {
                kinds.is_empty() || kinds.iter().any(|kind| kind.is(&record.what))
            })
            .map(|(at, record)| summary::LogRecord { at, record })
            .collect();
        records.drain(..records.len().saturating_sub(*limit));
        Ok(Answer { view: summary::LogView { records, damaged: log.damaged }, problems })
    }

    /// Returns the logs that [`Learning::clear_telemetry`] deletes.
    ///
    /// # Errors
    /// Fails if the named store does not exist, or a log cannot be read.
    pub fn telemetry_files(self) -> Result<summary::ClearedLogs, Failure> {
        Ok(summary::ClearedLogs {
            files: self.logs()?.into_iter().map(|(.., file)| file).collect(),
        })
    }

    /// Deletes all records, and the questions that were learned from prompts.
    ///
    /// # Errors
    /// Fails if the named store does not exist, or a log cannot be read or written.
    pub fn clear_telemetry(self) -> Result<summary::ClearedLogs, Failure> {
        let mut files = Vec::new();
        for (store, name, file) in self.logs()? {
            store.rewrite_local(name, |_| Some(Vec::new()))?;
            files.push(file);
        }
        Ok(summary::ClearedLogs { files })
    }

    fn logs(self) -> Result<Vec<(Store, &'static str, summary::LogFile)>, Failure> {
        let mut found = Vec::new();
        for store in self.memory.readers()? {
            for name in [TELEMETRY, LEARNED_QUESTIONS] {
                let bytes = store.local(name).map_err(|problem| Failure::from(&problem))?;
                let bytes = bytes.unwrap_or_default();
                let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
                let file = store.data_dir().join(name).display().to_string();
                let file = summary::LogFile { file, records: lines.count() };
                found.extend((file.records > 0).then(|| (store.clone(), name, file)));
            }
        }
        Ok(found)
    }

    /// Changes the questions that were learned for a store, like [`Store::change_learned_questions`].
    /// An error only loses the change.
    pub fn change_questions(
        self,
        store: &Store,
        change: impl FnMut(&mut LearnedQuestions) -> bool,
    ) {
        if let Err(error) = store.change_learned_questions(change) {
            self.memory.notices.detail(&format!("no question learned: {error:#}"));
        }
    }

    /// Returns the entries that searches of a session, or of nobody's, have found since a time, as far
    /// as the telemetry tells.
    pub fn searched_since(
        self,
        store: &Store,
        since: Timestamp,
        session: Option<&str>,
    ) -> IdSet<EntryId> {
        let log = store.local(TELEMETRY).ok().flatten().unwrap_or_default();
        // Records are appended as they are made, and a turn is short.
        let lines = log.rsplit(|byte| *byte == b'\n').filter_map(|line| str::from_utf8(line).ok());
        let recent = lines.filter_map(Record::read);
        let recent = recent.take_while(|record| record.when().is_some_and(|at| at >= since));
        let found = recent.filter_map(|Record { session: of, what, .. }| match what {
            RecordKindOf::Access { entries } if of.is_none() || of.as_deref() == session => {
                Some(entries)
            }
            _ => None,
        });
        found.flatten().filter_map(|id| id.parse().ok()).collect()
    }

    /// Counts the entries that a search found, and records them in the telemetry of a store that has
    /// one: only counting makes its directory.
    pub(super) fn note_access(self, store: &Store, entries: &[EntryId]) {
        if entries.is_empty() {
            return;
        }
        let has_data = store.data_dir().is_dir();
        self.count_accesses(store, entries);
        if has_data {
            let entries = entries.iter().map(EntryId::to_string).collect();
            self.note_telemetry(store, &[self.record(RecordKindOf::Access { entries })]);
        }
    }

    /// Counts entries that were found, if telemetry is enabled. An error only loses the counts.
    pub fn count_accesses(self, store: &Store, entries: &[EntryId]) {
        if entries.is_empty() || !self.memory.config.settings.telemetry.enabled {
            return;
        }
        let done = store.rewrite_local(ACCESSES, |file| {
            // Earlier versions counted in the telemetry only.
            let known = file.map_or_else(
                || self.memory.counted_in_telemetry(store).write(),
                |file| String::from_utf8_lossy(file).into_owned(),
            );
            Some(access::counted(&known, entries, self.memory.now.0).into_bytes())
        });
        if let Err(error) = done {
            self.memory.notices.detail(&format!("accesses not counted: {error:#}"));
        }
    }
}

impl Memory {
    /// Returns the accesses of some stores. A file that cannot be read counts as empty.
    pub fn accesses(&self, stores: &[Store]) -> Accesses {
        let mut all = Accesses::default();
        for store in stores {
            all.merge(&match store.local(ACCESSES) {
                Ok(Some(file)) => Accesses::read(&file),
                Ok(None) => self.counted_in_telemetry(store),
                Err(_) => Accesses::default(),
            });
            if let Some(device) = store.device() {
                all.note_device(device);
            }
        }
        all
    }

    fn counted_in_telemetry(&self, store: &Store) -> Accesses {
        sums::accesses(&log(self, std::slice::from_ref(store)).0)
    }

    pub(super) fn counted(&self) -> &Accesses {
        self.counted.get_or_init(|| self.accesses(&self.readers().unwrap_or_default()))
    }

    /// Returns the accesses that the policy in force counts; `None` if it counts none.
    pub(super) fn policy_accesses(&self) -> Option<&Accesses> {
        if self.policy().is_stability() {
            return None;
        }
        Some(self.counted())
    }
}

/// Returns the telemetry of some stores, and the problems with reading it.
pub fn log(memory: &Memory, stores: &[Store]) -> (UsageLog, Vec<ReadProblem>) {
    let mut problems = Vec::new();
    let mut logs = Vec::new();
    for store in stores {
        match store.local(TELEMETRY) {
            Ok(bytes) => logs.extend(bytes.map(|bytes| end_of(&bytes).to_vec())),
            Err(problem) => problems.push(problem),
        }
    }
    (UsageLog::read(memory.now, logs.iter().map(Vec::as_slice)), problems)
}

/// Returns the end of a log, from the start of a line: twice the maximum size of our logs, so that
/// larger files do not take longer.
fn end_of(log: &[u8]) -> &[u8] {
    let most = usize::try_from(2 * TELEMETRY_BYTES).unwrap_or(usize::MAX);
    let Some(cut) = log.len().checked_sub(most).filter(|cut| *cut > 0) else { return log };
    let end = log.get(cut..).unwrap_or_default();
    memchr::memchr(b'\n', end).and_then(|at| end.get(at + 1..)).unwrap_or_default()
}

/// Returns the accesses of an entry on all devices, including those of its earlier wordings.
pub fn of_entry<'a>(
    accesses: &Accesses,
    id: EntryId,
    ledgers: impl IntoIterator<Item = &'a Ledger>,
) -> Access {
    let ledgers: Vec<&Ledger> = ledgers.into_iter().collect();
    if accesses.is_empty() && !ledgers.iter().any(|ledger| ledger.has_accesses()) {
        return Access::default();
    }
    let mut sources: Vec<EntryId> = ledgers.iter().flat_map(|ledger| ledger.sources(id)).collect();
    sources.sort_unstable();
    sources.dedup();
    let elsewhere = ledgers.iter().map(|ledger| {
        let sources = sources.iter().copied();
        accesses.elsewhere(id, sources, ledger)
    });
    let elsewhere = elsewhere.fold(Access::default(), Access::and);
    accesses.of(id, sources.iter().copied()).and(elsewhere)
}
