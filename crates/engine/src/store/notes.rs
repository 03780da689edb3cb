//! Files of notes, logs and lists, appended to or replaced as a whole under the lock of the store; and
//! observation files: their names, and how far each session was observed on this machine.
//!
//! The module does not parse them.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use pimem_core::{
    markdown::patch,
    model::{
        hash::short_sha256,
        time::{Date, Timestamp},
    },
};
use serde::{Deserialize, Serialize};

use super::{
    Store, StoreLock, atomic,
    read::{self, ProblemKind, ReadProblem},
    trust::TrustedKind,
    trust_ledger::SaidPassages,
    undo::Touched,
};

pub const NOTES: &str = "MEMORY.md";
pub const DAILY: &str = "daily";
/// The checklist.
pub const SCRATCHPAD: &str = "SCRATCHPAD.md";
/// Archive of done checklist items.
pub const DONE: &str = "archive/SCRATCHPAD.md";
/// Bytes at the end of a file from which the style of line ends is detected.
const STYLE: u64 = 4096;
/// Maximum number of rereads when an editor saves the file meanwhile.
const RETRIES: usize = 3;

pub fn daily(date: Date) -> String {
    format!("{DAILY}/{date}.md")
}

impl Store {
    /// Appends lines to a file. A new file starts with a title.
    pub fn append(
        &self,
        lock: &StoreLock,
        name: &str,
        title: &str,
        added: &[String],
    ) -> Result<()> {
        let path = self.writable(name)?;
        self.sweep_beside(&path);
        let end = self.tail(name, STYLE)?.unwrap_or_default();
        let newline = patch::newline(&end);
        let title = [format!("# {title}"), String::new()];
        let head = if end.is_empty() { &title[..] } else { &[] };
        let text: String = head.iter().chain(added).flat_map(|line| [line, newline]).collect();
        let before = if self.trust.is_own() { None } else { self.as_left_here(name)? };
        self.seal.append(&path, text.as_bytes(), self.sync)?;
        self.make_whole_if_due(lock)?;
        if self.run.is_some() {
            self.note_step(&[], vec![Touched::appended(name, &end, &text)]);
        }
        let Some(mut bytes) = before else {
            self.trust.pass();
            return Ok(());
        };
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(text.as_bytes());
        self.trust.note(|| vec![self.trust.file(name, &bytes)]);
        Ok(())
    }

    /// Notes who writes a text that is no entry, before it is written. Returns why passages of it are
    /// not shown to agents.
    pub fn take_text(&self, text: &str) -> Result<Vec<&'static str>> {
        let mut said = SaidPassages::default();
        let why = said.take_text(&self.trust, text);
        said.record(&self.trust)?;
        Ok(why)
    }

    /// Returns the content of a file, empty if it does not exist. `None` if it has changed since it
    /// was last written or reviewed on this machine.
    fn as_left_here(&self, name: &str) -> Result<Option<Vec<u8>>, ReadProblem> {
        let bytes = match self.file(name) {
            Err(problem) if matches!(problem.kind, ProblemKind::Io(_) | ProblemKind::Closed(_)) => {
                return Err(problem);
            }
            // What is no file, or too large for one, is nobody's.
            bytes => bytes.ok().map(Option::unwrap_or_default),
        };
        let is_ours =
            |bytes: &Vec<u8>| bytes.is_empty() || self.trust.holds(self.trust.file(name, bytes));
        Ok(bytes.filter(is_ours))
    }

    /// Returns true if a file is unchanged since it was last written or reviewed on this machine.
    pub fn file_reviewed(&self, name: &str) -> bool {
        self.is_reviewed(name).unwrap_or_default()
    }

    /// Like [`Store::file_reviewed`], for whom it makes a difference that something cannot be read.
    pub fn is_reviewed(&self, name: &str) -> Result<bool, ReadProblem> {
        let is_ours = self.trust.is_whole() || self.as_left_here(name)?.is_some();
        match self.trust.problem().filter(|_| !is_ours) {
            Some(problem) => Err(problem.clone()),
            None => Ok(is_ours),
        }
    }

    /// Replaces a file by the result of `change`; `None` leaves it unchanged. `change` is called
    /// again if the file changed meanwhile. Returns true if it was changed.
    pub fn rewrite(
        &self,
        lock: &StoreLock,
        name: &str,
        mut change: impl FnMut(&[u8]) -> Option<Vec<u8>>,
    ) -> Result<bool> {
        let path = self.writable(name)?;
        self.sweep_beside(&path);
        for _ in 0..RETRIES {
            let before = self.file(name)?;
            let Some(after) = change(before.as_deref().unwrap_or_default()) else {
                return Ok(false);
            };
            let unchanged = || Ok(self.file(name)? == before);
            if self.seal.replace(&path, &after, self.sync, unchanged)? {
                self.make_whole_if_due(lock)?;
                if self.run.is_some() {
                    let touched = Touched::new(name, before.as_deref(), &after);
                    self.note_step(&[], vec![touched]);
                }
                let ours = |bytes| self.trust.holds(self.trust.file(name, bytes));
                if before.as_deref().is_none_or(ours) {
                    self.trust.note(|| vec![self.trust.file(name, &after)]);
                } else {
                    self.trust.pass();
                }
                return Ok(true);
            }
        }
        bail!("{} keeps changing while it is written", path.display())
    }

    /// Returns true if the store's notes are trusted because it was made here or fully reviewed;
    /// then its notes, lists and logs belong to this machine as long as only hand edits change
    /// them.
    pub fn notes_begun(&self) -> bool {
        // Most callers ask only this, so the whole ledger is not parsed.
        self.trust.is_whole()
            || !self.trust.held(&[self.trust.text(TrustedKind::Notes, "")]).is_empty()
    }

    /// Reads the last `bytes` bytes of a file. `Ok(None)` if it does not exist.
    pub fn tail(&self, name: &str, bytes: u64) -> Result<Option<Vec<u8>>, ReadProblem> {
        if self.seal.is_sealed() {
            // A part of a sealed line tells nothing.
            let whole = self.file(name)?;
            let from =
                |all: &[u8]| all.len().saturating_sub(usize::try_from(bytes).unwrap_or(usize::MAX));
            return Ok(whole.map(|all| all.get(from(&all)..).unwrap_or_default().to_vec()));
        }
        let (root, path) = self.place(name);
        read::tail(root, &path, bytes)
    }

    /// Returns the days that have a log, in order.
    pub fn days(&self) -> Result<Vec<Date>, ReadProblem> {
        let names = read::markdown_names(&self.dir, &self.dir.join(DAILY))?;
        Ok(names.iter().filter_map(|name| Date::parse(name.strip_suffix(".md")?)).collect())
    }

    /// Returns the path of a file to be written, and creates its directory. A link inside the store
    /// is followed, so that the link itself stays.
    fn writable(&self, name: &str) -> Result<PathBuf> {
        let path = self.dir.join(name);
        if let Some(dir) = path.parent().filter(|dir| *dir != self.dir) {
            read::guard(&self.dir, dir)?;
            atomic::create_dir(dir, self.sync)?;
        }
        Ok(read::place(&self.dir, &path)?.0)
    }

    /// Deletes temporary files of killed processes beside a file to be written. In the store's
    /// root, taking the lock does so.
    fn sweep_beside(&self, path: &Path) {
        if let Some(dir) = path.parent().filter(|dir| *dir != self.dir) {
            atomic::sweep(dir);
        }
    }
}

/// Directory of observations, both in a store and below `data/`.
pub const OBSERVATIONS: &str = "observations";
/// Maximum number of characters of a session id used as a file name.
const STEM: usize = 64;
/// Maximum number of characters kept of an id that is not a valid file name; a hash follows them.
const STEM_START: usize = 32;

/// How far a session was observed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// Number of messages in the transcript; `None` if only the end of the transcript was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// Time of the last message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

impl Reached {
    /// Returns true if a message with this number and time was not observed yet. A transcript may
    /// branch, so a later time is sufficient; a clock may jump back, so a higher number is
    /// sufficient too.
    pub fn is_before(&self, number: u64, when: Option<Timestamp>) -> bool {
        let last = self.last.as_deref().and_then(Timestamp::parse);
        let later = when.zip(last).is_some_and(|(when, last)| when > last);
        let beyond = match self.messages {
            Some(messages) => number >= messages,
            None => last.is_none() || when.is_none(),
        };
        later || beyond
    }
}

/// Returns the file name without `.md` for a session. Ids are untrusted: characters not allowed in
/// a name are dropped, and a hash makes the name unique.
pub fn observation_stem(session: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if !session.is_empty() && session.len() <= STEM && session.chars().all(plain) {
        return session.to_owned();
    }
    let name = session.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
    let start: String = name.chars().filter(|c| plain(*c)).take(STEM_START).collect();
    let joint = if start.is_empty() { "" } else { "-" };
    format!("{start}{joint}{}", short_sha256(session.as_bytes()))
}

/// Returns the path of a session's file, relative to the store.
pub fn observation_file(stem: &str) -> String {
    format!("{OBSERVATIONS}/{stem}.md")
}

impl Store {
    /// Returns the names of all observation files, without `.md`.
    pub fn observed(&self) -> Result<Vec<String>, ReadProblem> {
        let names = read::markdown_names(&self.dir, &self.dir.join(OBSERVATIONS))?;
        Ok(names.iter().filter_map(|name| name.strip_suffix(".md")).map(str::to_owned).collect())
    }

    /// Returns how far a session was observed. A record that cannot be read counts as nothing
    /// observed.
    pub fn reached(&self, stem: &str) -> Reached {
        let bytes = self.local(&format!("{OBSERVATIONS}/{stem}.json")).ok().flatten();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    pub fn note_reached(&self, stem: &str, reached: &Reached) -> Result<()> {
        let text = serde_json::to_vec(reached)?;
        self.rewrite_local(&format!("{OBSERVATIONS}/{stem}.json"), |_| Some(text)).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        let plain = "3c9d1e52-7a40-4f1b-9d1e-0f6a2b7c8d90";
        assert_eq!(observation_stem(plain), plain);
        for id in [
            "../../x",
            "a/b",
            "",
            ".",
            "..",
            "a.md",
            "é",
            "a b",
            &"x".repeat(65),
            "/home/ines/s.jsonl",
            "a\0b",
        ] {
            let stem = observation_stem(id);
            assert!(stem.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{id}: {stem}");
            assert!((16..=49).contains(&stem.len()) && !stem.contains("home"), "{id}: {stem}");
        }
        assert_ne!(observation_stem("a/b"), observation_stem("a.b"));
    }

    #[test]
    fn how_far() {
        let time = |text: &str| Timestamp::parse(text);
        let (early, late) = (time("2026-06-29T08:00:00Z"), time("2026-06-29T10:00:00Z"));
        let reached = Reached { messages: Some(3), last: Some("2026-06-29T09:00:00Z".to_owned()) };
        assert!(!reached.is_before(2, early) && !reached.is_before(2, None));
        assert!(
            reached.is_before(2, late) && reached.is_before(3, early) && reached.is_before(3, None)
        );
        let by_time = Reached { messages: None, ..reached };
        assert!(
            !by_time.is_before(9, early)
                && by_time.is_before(0, late)
                && by_time.is_before(0, None)
        );
        assert!(Reached::default().is_before(0, early) && Reached::default().is_before(0, None));
    }
}
