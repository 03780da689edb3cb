//! Parser of refs and reflogs, which show which commits were made here and which were fetched.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, ErrorKind, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// Bytes read from the end of a log.
const TAIL: u64 = 128 << 10;
/// Maximum size in bytes of a list of refs.
const LIST: u64 = 16 << 20;
/// Maximum number of steps read of each log. Commits older than these in HEAD's log are of unknown
/// origin.
const HEAD: usize = 200;
/// Maximum number of fetch steps, over all refs; the latest are used.
const FETCHED: usize = 200;
/// Maximum number of fetched refs without a log; the same limit holds for branches and tags.
const TIPS: usize = 150;
/// Maximum number of files read in the directory of refs, and in that of their logs.
const FILES: usize = 4000;

/// A line of a reflog: the new value of a ref, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReflogStep {
    /// The previous commit; `None` if the ref was new.
    pub(super) before: Option<String>,
    pub(super) after: String,
    /// Seconds since 1970.
    at: i64,
    /// The command that set the ref.
    action: String,
}

/// A commit that may contain changes by others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fetched {
    /// Previous value of the ref, which may have the same lines.
    pub(super) before: Option<String>,
    pub(super) commit: String,
    /// Time of the fetch in seconds since 1970, if known.
    at: Option<i64>,
}

#[derive(Debug, Default)]
pub(super) struct Refs {
    /// Steps of the work tree's HEAD, earliest first.
    pub(super) head: Vec<ReflogStep>,
    pub(super) fetched: Vec<Fetched>,
    /// Tips of branches and tags, which may or may not have been made here.
    pub(super) local: Vec<String>,
}

impl ReflogStep {
    fn read(line: &[u8]) -> Option<Self> {
        let line = String::from_utf8_lossy(line);
        let (ids, message) = line.split_once('\t').unwrap_or((&line, ""));
        let (before, rest) = ids.split_once(' ')?;
        let (after, rest) = rest.split_once(' ')?;
        let at = rest.rsplit(' ').nth(1)?.parse().ok()?;
        if !is_id(before) || !is_id(after) {
            return None;
        }
        let action = message.split_once(": ").map_or(message, |(action, _)| action);
        let before =
            Some(before).filter(|id| id.bytes().any(|byte| byte != b'0')).map(str::to_owned);
        Some(Self { before, after: after.to_owned(), at, action: action.trim().to_owned() })
    }

    /// Returns true if the step is a commit of the index made here. All other commands may bring
    /// changes by others, including a commit that ends a merge or a cherry-pick.
    pub(super) fn is_commit(&self) -> bool {
        matches!(self.action.as_str(), "commit" | "commit (initial)" | "commit (amend)")
    }

    fn is_push(&self) -> bool {
        self.action == "update by push"
    }

    /// Returns true if another repository set the ref, as opposed to a command that moved it
    /// together with HEAD.
    fn is_fetch(&self) -> bool {
        ["fetch", "pull", "push"].iter().any(|word| self.action.starts_with(word))
    }

    fn fetched(self) -> Fetched {
        Fetched { before: self.before, commit: self.after, at: Some(self.at) }
    }
}

impl Fetched {
    /// Creates a fetched commit of unknown time.
    fn once(commit: String) -> Self {
        Self { before: None, commit, at: None }
    }

    /// Returns true if the commit was certainly fetched after the step.
    pub(super) fn is_after(&self, step: &ReflogStep) -> bool {
        self.at.is_some_and(|at| at > step.at)
    }
}

impl Refs {
    /// Reads the refs visible in a work tree. `git` is its git directory, `common` the common git
    /// directory of all work trees.
    ///
    /// # Errors
    /// Fails if refs are not stored as files, or if any of the files cannot be read: an unread ref
    /// may have brought a line.
    pub(super) fn read(git: &Path, common: &Path) -> io::Result<Self> {
        if present(fs::symlink_metadata(common.join("reftable")))?.is_some() {
            return Err(ErrorKind::Unsupported.into());
        }
        let mut logs: Vec<(String, Vec<ReflogStep>)> = Vec::new();
        for (name, path) in files(&common.join("logs/refs"))? {
            logs.push((name, log(&path, HEAD)?));
        }
        let mut known: BTreeSet<String> = BTreeSet::new();
        for (_, steps) in logs.iter().filter(|(name, _)| kind(name) == Kind::Fetched) {
            known.extend(steps.iter().map(|step| step.after.clone()));
        }
        let mut fetched = recent(logs);
        let (mut others, mut local) = (BTreeSet::new(), BTreeSet::new());
        for (name, id) in tips(common)? {
            match kind(&name) {
                Kind::Fetched if known.insert(id.clone()) => drop(others.insert(id)),
                Kind::Local => drop(local.insert(id)),
                Kind::Fetched | Kind::Neither => {}
            }
        }
        let named = fetch_head(git)?.into_iter().filter(|id| !known.contains(id)).take(TIPS);
        let others = others.into_iter().take(TIPS).chain(named);
        fetched.extend(others.map(Fetched::once));
        let local = local.into_iter().take(TIPS).collect();
        Ok(Self { head: log(&git.join("logs/HEAD"), HEAD)?, fetched, local })
    }

    pub(super) fn commits(&self) -> BTreeSet<&str> {
        let steps = self.head.iter().flat_map(|step| step.before.iter().chain([&step.after]));
        let fetched = self.fetched.iter().flat_map(|seen| seen.before.iter().chain([&seen.commit]));
        steps.chain(fetched).chain(&self.local).map(String::as_str).collect()
    }
}

/// The origin of the commits of a ref, by the ref's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Fetched from others.
    Fetched,
    /// Made here, possibly on top of fetched commits.
    Local,
    /// Irrelevant. Stashed lines were in the work tree before.
    Neither,
}

fn kind(name: &str) -> Kind {
    const NEITHER: [&str; 5] =
        ["refs/bisect/", "refs/notes/", "refs/replace/", "refs/rewritten/", "refs/worktree/"];
    let is_in = |folder: &str| name.starts_with(folder);
    match name {
        "refs/stash" => Kind::Neither,
        _ if NEITHER.iter().any(|folder| is_in(folder)) => Kind::Neither,
        _ if ["refs/heads/", "refs/tags/"].iter().any(|folder| is_in(folder)) => Kind::Local,
        _ => Kind::Fetched,
    }
}

/// Returns the latest fetched commits in the logs of refs.
fn recent(logs: Vec<(String, Vec<ReflogStep>)>) -> Vec<Fetched> {
    let mut steps: Vec<(usize, usize, ReflogStep)> = Vec::new();
    let mut ends = BTreeMap::new();
    for (number, (name, log)) in logs.into_iter().enumerate() {
        let kind = kind(&name);
        if let Some(last) = log.last().filter(|_| kind == Kind::Fetched) {
            ends.insert(number, last.after.clone());
        }
        let wanted =
            |step: &ReflogStep| kind == Kind::Fetched || kind == Kind::Local && step.is_fetch();
        let log = log.into_iter().enumerate().filter(|(_, step)| wanted(step));
        steps.extend(log.map(|(place, step)| (number, place, step)));
    }
    steps.sort_by_key(|(number, place, step)| (Reverse(step.at), *number, Reverse(*place)));
    steps.truncate(FETCHED);
    let mut found = Vec::new();
    let mut starts = BTreeMap::new();
    for (number, _, step) in steps {
        if ends.contains_key(&number) {
            // If the log starts later than the ref, the origin of its first commit is unknown.
            starts.insert(number, step.before.clone());
        }
        if !step.is_push() {
            found.push(step.fetched());
        }
    }
    let silent = ends.into_iter().filter(|(number, _)| !starts.contains_key(number));
    let ends: BTreeSet<String> = silent.map(|(_, end)| end).collect();
    let starts: BTreeSet<String> = starts.into_values().flatten().collect();
    found.extend(starts.into_iter().chain(ends.into_iter().take(TIPS)).map(Fetched::once));
    found
}

/// Returns `None` instead of an error if a file does not exist.
pub(super) fn present<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Reads the last `most` steps of a log, earliest first.
fn log(path: &Path, most: usize) -> io::Result<Vec<ReflogStep>> {
    let Some(mut file) = present(File::open(path))? else { return Ok(Vec::new()) };
    let start = file.metadata()?.len().saturating_sub(TAIL);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    let lines = bytes.split(|byte| *byte == b'\n').skip(usize::from(start > 0));
    let mut steps: Vec<ReflogStep> = lines.filter_map(ReflogStep::read).collect();
    steps.drain(..steps.len().saturating_sub(most));
    Ok(steps)
}

/// Reads the commits fetched last, including those that no ref points to.
fn fetch_head(git: &Path) -> io::Result<Vec<String>> {
    let text = list(&git.join("FETCH_HEAD"))?;
    let ids = text.lines().filter_map(|line| line.split_once('\t').map(|(id, _)| id));
    Ok(ids.filter(|id| is_id(id)).map(str::to_owned).collect())
}

/// Reads the tips of refs by name, which are commits or tags.
fn tips(common: &Path) -> io::Result<BTreeMap<String, String>> {
    let packed = list(&common.join("packed-refs"))?;
    let pair = |line: &str| {
        let (id, name) = line.split_once(' ')?;
        is_id(id).then(|| (name.trim().to_owned(), id.to_owned()))
    };
    let mut tips: BTreeMap<String, String> = packed.lines().filter_map(pair).collect();
    for (name, path) in files(&common.join("refs"))? {
        let id = list(&path)?.trim().to_owned();
        if is_id(&id) {
            tips.insert(name, id);
        }
    }
    Ok(tips)
}

/// Reads a file as text; empty if it does not exist.
fn list(path: &Path) -> io::Result<String> {
    let Some(meta) = present(fs::metadata(path))? else { return Ok(String::new()) };
    if !meta.is_file() || meta.len() > LIST {
        return Err(ErrorKind::FileTooLarge.into());
    }
    let bytes = present(fs::read(path))?.unwrap_or_default();
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the files below a directory `refs`, with the names of their refs.
fn files(refs: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    let mut open = vec![("refs".to_owned(), refs.to_path_buf())];
    while let Some((prefix, dir)) = open.pop() {
        for entry in present(fs::read_dir(dir))?.into_iter().flatten() {
            let entry = entry?;
            let name = format!("{prefix}/{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push((name, entry.path()));
            } else if kind.is_file() {
                found.push((name, entry.path()));
            }
            if found.len() > FILES {
                return Err(ErrorKind::FileTooLarge.into());
            }
        }
    }
    Ok(found)
}

fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_a_log() {
        let (zero, one, two) = ("0".repeat(40), "1".repeat(40), "2".repeat(40));
        let read = |before: &str, message: &str| {
            let line = format!("{before} {two} A \u{e9} B <a b@c> 1780000000 +0200{message}");
            ReflogStep::read(line.as_bytes()).unwrap()
        };
        let step = read(&zero, "\tcommit (initial): one: two");
        assert_eq!((step.before.as_deref(), step.after.as_str()), (None, two.as_str()));
        assert_eq!((step.at, step.action.as_str()), (1_780_000_000, "commit (initial)"));
        assert_eq!(read(&one, "").before, Some(one.clone()));
        for (message, commit, push, fetch) in [
            ("", false, false, false),
            ("\tcommit: subject", true, false, false),
            ("\tcommit: ", true, false, false),
            ("\tcommit (amend): pull: x", true, false, false),
            ("\tcommit (merge): Merge branch 'x'", false, false, false),
            ("\tcommit (cherry-pick): x", false, false, false),
            ("\tcommit (rebase): x", false, false, false),
            ("\tcommits: x", false, false, false),
            ("\tpull: Fast-forward", false, false, true),
            ("\tpull --rebase origin main (pick): commit: x", false, false, true),
            ("\trebase (continue): commit: x", false, false, false),
            ("\treset: moving to commit: x", false, false, false),
            ("\tmerge commit: x: Fast-forward", false, false, false),
            ("\tcheckout: moving from main to commit", false, false, false),
            ("\tclone: from ../commit: x", false, false, false),
            ("\tam: commit: x", false, false, false),
            ("\tupdate by push", false, true, false),
            ("\tfetch origin: storing head", false, false, true),
            ("\tfetch update by push: fast-forward", false, false, true),
            ("\tpush", false, false, true),
        ] {
            let step = read(&one, message);
            let found = (step.is_commit(), step.is_push(), step.is_fetch());
            assert_eq!(found, (commit, push, fetch), "{message:?}");
        }
        for line in ["", "x", &one, &format!("{one} {two}"), &format!("{one} {two} x y +0\tz")] {
            assert_eq!(ReflogStep::read(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn what_refs_say() {
        for (name, want) in [
            ("refs/heads/main", Kind::Local),
            ("refs/tags/v1", Kind::Local),
            ("refs/remotes/origin/main", Kind::Fetched),
            ("refs/pull/5/head", Kind::Fetched),
            ("refs/prefetch/remotes/origin/main", Kind::Fetched),
            ("refs/stash", Kind::Neither),
            ("refs/stashes/x", Kind::Fetched),
            ("refs/bisect/bad", Kind::Neither),
        ] {
            assert_eq!(kind(name), want, "{name}");
        }
    }

    fn step(before: Option<&str>, after: &str, at: i64, action: &str) -> ReflogStep {
        let before = before.map(str::to_owned);
        ReflogStep { before, after: after.to_owned(), at, action: action.to_owned() }
    }

    #[test]
    fn what_was_fetched() {
        let log = |name: &str, steps: &[ReflogStep]| (name.to_owned(), steps.to_vec());
        let found = recent(vec![
            log(
                "refs/remotes/o/main",
                &[
                    step(Some("a"), "b", 10, "fetch"),
                    step(Some("b"), "c", 20, "update by push"),
                    step(Some("c"), "d", 30, "pull"),
                ],
            ),
            log(
                "refs/heads/pr",
                &[
                    step(None, "p", 15, "fetch origin pull/1/head:pr"),
                    step(Some("p"), "q", 16, "commit"),
                ],
            ),
            log("refs/stash", &[step(None, "s", 17, "")]),
            log("refs/remotes/o/new", &[step(None, "n", 5, "fetch")]),
        ]);
        let told: Vec<(Option<&str>, &str, Option<i64>)> = found
            .iter()
            .map(|seen| (seen.before.as_deref(), seen.commit.as_str(), seen.at))
            .collect();
        assert_eq!(
            told,
            [
                (Some("c"), "d", Some(30)),
                (None, "p", Some(15)),
                (Some("a"), "b", Some(10)),
                (None, "n", Some(5)),
                (None, "a", None),
            ]
        );
        // If no step of a log is used, at least its end is.
        let many: Vec<ReflogStep> =
            (0..250).map(|n| step(Some("x"), &format!("y{n}"), 100 + n, "fetch")).collect();
        let found = recent(vec![
            log("refs/remotes/o/busy", &many),
            log(
                "refs/remotes/o/old",
                &[step(None, "e", 1, "fetch"), step(Some("e"), "f", 2, "fetch")],
            ),
        ]);
        assert_eq!(found.len(), 200 + 2);
        assert!(found.contains(&Fetched::once("f".to_owned())));
        assert!(found.contains(&Fetched::once("x".to_owned())));
    }
}
