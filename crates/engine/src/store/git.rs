//! What git knows of a repository: its directories and work trees, and, by one `git` process with a time
//! limit, its status, objects and history.
//!
//! Repositories may be untrusted: git reads the index and objects, runs no program that the repository
//! configures, and fetches nothing.

use std::{
    ffi::{OsStr, OsString},
    io::{self, BufRead, BufReader, ErrorKind, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use pimem_core::{
    model::hash::{self, short_sha256},
    safety::safe_text,
};

use super::{discover::STORE, read};
use crate::process;

/// Maximum number of commits.
const COMMITS: usize = 3;
/// Time limit for reading the commits.
const LIMIT: Duration = Duration::from_secs(5);
/// Maximum number of changed files that are named.
const FILES: usize = 10;

/// Returns lines that describe the status of the repository whose work tree starts at `root`.
pub fn standing(root: &Path) -> Vec<String> {
    let Some(git) = git_dir(root) else { return Vec::new() };
    let head = std::fs::read_to_string(git.join("HEAD")).unwrap_or_default();
    let branch = head.trim().strip_prefix("ref: refs/heads/");
    let mut lines = vec![branch.map_or_else(
        || format!("detached at {}", short(head.trim())),
        |branch| format!("branch {branch}"),
    )];
    lines.extend(changed(root).filter(|files| !files.is_empty()).map(|files| {
        let named = files.iter().take(FILES).cloned().collect::<Vec<_>>().join(", ");
        let more = files.len().saturating_sub(FILES);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("changed: {named}{rest}")
    }));
    let commits = ask(root, root, LIMIT, commits).unwrap_or_default();
    lines.extend(commits.iter().map(|(id, subject)| format!("commit {} {subject}", short(id))));
    // File names and commit messages are untrusted text.
    lines.iter().map(|line| safe_text::model(line).into_owned()).collect()
}

/// Returns ids and subjects of the last commits, following first parents.
fn commits(objects: &mut GitObjects) -> io::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    let mut next = Some("HEAD".to_owned());
    while let Some(name) = next.take().filter(|_| found.len() < COMMITS) {
        // In a shallow clone, the parent may be missing.
        let Some(commit) = objects.get(&[name])?.pop().flatten() else { break };
        let text = String::from_utf8_lossy(&commit.bytes);
        let (head, message) = text.split_once("\n\n").unwrap_or((&text, ""));
        next = head.lines().find_map(|line| line.strip_prefix("parent ")).map(str::to_owned);
        let lines = message.trim_start().lines().take_while(|line| !line.trim().is_empty());
        found.push((commit.id, lines.collect::<Vec<_>>().join(" ")));
    }
    Ok(found)
}

/// Returns what git prints; `None` if git is not there or fails.
fn printed(dir: &Path, args: &[&str]) -> Option<Vec<u8>> {
    let output = git(dir, Path::new("/"), args).ok()?.stdin(Stdio::null()).output().ok()?;
    output.status.success().then_some(output.stdout)
}

/// Returns the files that differ from the last commit, by `git status`; `None` without git.
fn changed(root: &Path) -> Option<Vec<String>> {
    let printed = printed(root, &["status", "--porcelain=v1", "-z", "--no-renames"])?;
    let files = printed.split(|byte| *byte == 0);
    let path = |line: &[u8]| Some(String::from_utf8_lossy(line.get(3..)?).into_owned());
    // Every log entry changes the store, which is not the work of the session.
    let is_own = |path: &String| path.starts_with(".pi/") || path.contains("/.pi/");
    Some(files.filter_map(path).filter(|path| !is_own(path)).collect())
}

/// Names of what is the default branch of a repository, the first that it has.
const DEFAULTS: [&str; 4] =
    ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master", "HEAD"];

/// Returns the name of the default branch of the repository that contains `dir`.
fn default_branch(objects: &mut GitObjects) -> io::Result<Option<&'static str>> {
    let named: Vec<String> = DEFAULTS.iter().map(|name| (*name).to_owned()).collect();
    let commits = objects.get(&named)?;
    let at = commits.iter().position(Option::is_some);
    Ok(at.and_then(|at| DEFAULTS.get(at).copied()))
}

/// Returns files as the last commit of the default branch has them. Paths are relative to the root of the
/// work tree of `dir`.
pub fn on_default_branch(
    dir: &Path,
    paths: impl Iterator<Item = String> + Send,
    limit: Duration,
) -> Option<Vec<Vec<u8>>> {
    ask(dir, Path::new("/"), limit, |objects| {
        let Some(branch) = default_branch(objects)? else { return Ok(Vec::new()) };
        let named: Vec<String> = paths.map(|path| format!("{branch}:{path}")).collect();
        let found = objects.get(&named)?.into_iter().flatten();
        Ok(found.map(|object| object.bytes).collect())
    })
}

/// Returns true if a commit of the default branch has, or had, one of some texts in the topics of the
/// store in `dir`.
pub fn default_branch_has_had(dir: &Path, texts: &[String], limit: Duration) -> bool {
    let Some(branch) = ask(dir, Path::new("/"), limit, default_branch).flatten() else {
        return false;
    };
    let log = ["-c", "log.showSignature=false", "log", "--max-count=1", "--format=%H", "-S"];
    texts.iter().any(|text| {
        let found = printed(dir, &[&log[..], &[text, branch, "--", "topics"]].concat());
        found.is_some_and(|found| !found.is_empty())
    })
}

/// A line that is not sealed, as an extended regular expression: neither it nor the text of its
/// entry begins as a token does.
const PLAIN: &str = concat!(
    "^([^-e]|e[^n]|en[^c]|enc[^:]|-[^ ]|- [^[]|",
    "- \\[[^]]+\\] ([^e]|e[^n]|en[^c]|enc[^:]))"
);

/// Returns true if a commit of the repository has lines of the store in `dir` that are not sealed;
/// `None` if git cannot tell.
pub fn has_plain_history(dir: &Path) -> Option<bool> {
    let log = ["-c", "log.showSignature=false", "log", "--all", "--no-textconv", "--no-ext-diff"];
    let found = ["--max-count=1", "--format=%H", "-G", PLAIN, "--"];
    let files = ["topics", "archive", "daily", "MEMORY.md", "SCRATCHPAD.md", "evidence.jsonl"];
    Some(!printed(dir, &[&log[..], &found, &files].concat())?.is_empty())
}

/// Abbreviates a commit id as git does.
fn short(id: &str) -> &str {
    id.get(..7).unwrap_or(id)
}

/// Number of names sent before the answers are read; small enough that neither pipe can fill up.
const AT_ONCE: usize = 64;
/// Maximum total size of objects in bytes.
const ROOM: u64 = 64 << 20;
/// Environment variables by which the calling process may point git to another repository or state.
const MISLEADING: [&str; 14] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_WORK_TREE",
];

pub(super) struct GitObject {
    pub(super) id: String,
    /// True for a tree.
    pub(super) is_tree: bool,
    pub(super) bytes: Vec<u8>,
}

pub(super) struct GitObjects {
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    room: u64,
}

/// Runs `talk` against the repository that contains `dir`, whose work tree is not above `root`.
/// `None` if git fails or does not answer within the limit.
pub(super) fn ask<T: Send>(
    dir: &Path,
    root: &Path,
    limit: Duration,
    talk: impl FnOnce(&mut GitObjects) -> io::Result<T> + Send,
) -> Option<T> {
    let mut child = git(dir, root, &["cat-file", "--batch"]).ok()?.spawn().ok()?;
    let mut objects = GitObjects {
        questions: child.stdin.take()?,
        answers: BufReader::new(child.stdout.take()?),
        room: ROOM,
    };
    within(limit, &mut child, move || talk(&mut objects))
}

/// Reads what a git command prints about the repository that contains `dir`, with the same limits as a question.
pub fn output<T: Send>(
    dir: &Path,
    root: &Path,
    limit: Duration,
    arguments: &[&str],
    reader: impl FnOnce(ChildStdout) -> io::Result<T> + Send,
) -> Option<T> {
    let mut child = git(dir, root, arguments).ok()?.stdin(Stdio::null()).spawn().ok()?;
    let out = child.stdout.take()?;
    within(limit, &mut child, move || reader(out))
}

fn within<T: Send>(
    limit: Duration,
    child: &mut Child,
    talk: impl FnOnce() -> io::Result<T> + Send,
) -> Option<T> {
    let (done, waits) = mpsc::channel();
    let answer = thread::scope(|scope| {
        scope.spawn(move || done.send(talk()));
        let answer = waits.recv_timeout(limit);
        // Killing git closes the pipe, which ends a pending read.
        end(child);
        answer
    });
    answer.ok()?.ok()
}

fn git(dir: &Path, root: &Path, arguments: &[&str]) -> io::Result<Command> {
    let mut git = Command::new("git");
    MISLEADING.iter().fold(process::unseen(&mut git), |git, name| git.env_remove(name));
    if let Some(above) = root.parent() {
        let above =
            above.to_str().filter(|above| !above.contains(if cfg!(windows) { ';' } else { ':' }));
        git.env("GIT_CEILING_DIRECTORIES", above.ok_or(ErrorKind::InvalidInput)?);
    }
    git.args(["-c", "core.fsmonitor=false"])
        .args(arguments)
        .current_dir(dir)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        // In a partial clone, git would fetch missing objects through programs named in its
        // configuration.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    Ok(git)
}

fn end(child: &mut Child) {
    drop(child.kill());
    drop(child.wait());
}

impl GitObjects {
    /// Returns the objects with some names; `None` for each that does not exist.
    pub(super) fn get(&mut self, names: &[String]) -> io::Result<Vec<Option<GitObject>>> {
        let mut found = Vec::with_capacity(names.len());
        for names in names.chunks(AT_ONCE) {
            let mut lines = String::new();
            for name in names {
                if name.contains('\n') {
                    return Err(ErrorKind::InvalidInput.into());
                }
                lines.push_str(name);
                lines.push('\n');
            }
            self.questions.write_all(lines.as_bytes())?;
            for _ in names {
                found.push(self.answer()?);
            }
        }
        Ok(found)
    }

    fn answer(&mut self) -> io::Result<Option<GitObject>> {
        let mut head = Vec::new();
        self.answers.read_until(b'\n', &mut head)?;
        let head =
            String::from_utf8_lossy(head.strip_suffix(b"\n").ok_or(ErrorKind::UnexpectedEof)?);
        let Some((id, kind, size)) = header(&head) else {
            let is_absent = [" missing", " ambiguous"].iter().any(|end| head.ends_with(end));
            return if is_absent { Ok(None) } else { Err(ErrorKind::InvalidData.into()) };
        };
        self.room = self.room.checked_sub(size).ok_or(ErrorKind::FileTooLarge)?;
        let mut bytes = Vec::new();
        self.answers.by_ref().take(size).read_to_end(&mut bytes)?;
        let mut newline = [0];
        self.answers.read_exact(&mut newline)?;
        if bytes.len() as u64 != size || newline != *b"\n" {
            return Err(ErrorKind::InvalidData.into());
        }
        Ok(Some(GitObject { id: id.to_owned(), is_tree: kind == "tree", bytes }))
    }
}

/// Parses id, type and size of an object. Returns `None` for the answer to a missing name, whatever
/// characters the name has.
fn header(head: &str) -> Option<(&str, &str, u64)> {
    let mut fields = head.split(' ');
    let (id, kind, size) = (fields.next()?, fields.next()?, fields.next()?);
    let is_known = ["blob", "commit", "tag", "tree"].contains(&kind);
    let is_id = id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let size = size.parse().ok().filter(|_| is_known && is_id && fields.next().is_none())?;
    Some((id, kind, size))
}

/// Parses the entries of a tree: name, whether it is a tree, and id.
pub(super) fn tree_entries(tree: &GitObject) -> Vec<(String, bool, String)> {
    let mut found = Vec::new();
    let mut rest = tree.bytes.as_slice();
    // Ids are binary, half as long as in hexadecimal.
    let width = tree.id.len() / 2;
    while let Some(end) = memchr::memchr(0, rest) {
        let (head, tail) = rest.split_at(end);
        let Some((id, next)) = tail.get(1..).and_then(|tail| tail.split_at_checked(width)) else {
            break;
        };
        let head = String::from_utf8_lossy(head);
        let (mode, name) = head.split_once(' ').unwrap_or_default();
        found.push((name.to_owned(), mode == "40000", hash::write_hex(id)));
        rest = next;
    }
    found
}

/// What a directory is to git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Git {
    /// Not the root of a work tree.
    None,
    /// The root of an ordinary repository.
    Repository,
    /// The root of a submodule, which is a project of its own.
    Submodule,
    /// The root of a linked work tree, with the main work tree if there is one.
    Linked(Option<PathBuf>),
}

/// Name without its end of what a work tree's prompts said, and what ends that of its kept lines.
pub const SPOOL: &str = "spool";
pub(super) const KEPT_LINES: &str = "-kept";
/// Maximum size in bytes of a `.git` or `commondir` file.
const MAX: u64 = 8 * 1024;

/// Classifies a directory by its `.git` entry.
pub fn look(dir: &Path) -> Git {
    let link = dir.join(".git");
    let Ok(meta) = std::fs::metadata(&link) else { return Git::None };
    if meta.is_dir() {
        return Git::Repository;
    }
    // The path in a `.git` file is used only to read `commondir` and to test whether a directory
    // exists.
    let Some(target) = git_dir(dir) else { return Git::None };
    if read_line(&target.join("commondir")).is_none() {
        return Git::Submodule;
    }
    // One that no repository knows is a project of its own.
    let Some((_, common)) = linked(dir, &target) else { return Git::Submodule };
    Git::Linked(main_root(&common).map(Path::to_path_buf))
}

/// Returns the root of the main work tree, of the directory that all work trees share. A bare repository
/// has none.
fn main_root(common: &Path) -> Option<&Path> {
    let is_bare = |name: &str| {
        let text = std::fs::read_to_string(common.join(name)).unwrap_or_default();
        let mut keys = text.lines().filter_map(|line| line.split_once('='));
        keys.any(|(key, value)| (key.trim(), value.trim()) == ("bare", "true"))
    };
    let named = common.ends_with(".git") && !["config", "config.worktree"].into_iter().any(is_bare);
    common.parent().filter(|_| named)
}

/// Returns the real git directory of a linked work tree and the real directory that it shares. Both
/// sides must name each other, as the files of a work tree could name any repository: git keeps the
/// directory in that repository, with the path of the work tree's `.git`.
fn linked(dir: &Path, git: &Path) -> Option<(PathBuf, PathBuf)> {
    let git = read::canonical(git).ok()?;
    let common = read::canonical(git.join(read_line(&git.join("commondir"))?)).ok()?;
    let worktrees = read::canonical(common.join("worktrees")).ok()?;
    let known = read::canonical(git.join(read_line(&git.join("gitdir"))?)).ok()?;
    let is_known = git.parent() == Some(&worktrees)
        && worktrees.parent() == Some(&common)
        && known == read::canonical(dir.join(".git")).ok()?;
    is_known.then_some((git, common))
}

/// Returns the git directory of the work tree that starts at `dir`; it holds `HEAD` and its log.
pub fn git_dir(dir: &Path) -> Option<PathBuf> {
    let link = dir.join(".git");
    if std::fs::metadata(&link).ok()?.is_dir() {
        return Some(link);
    }
    let target = read_line(&link)?;
    target.strip_prefix("gitdir:").map(|path| dir.join(path.trim())).filter(|path| path.is_dir())
}

/// Returns the directory with the configuration and attributes that all work trees of a repository
/// share.
pub fn common_dir(dir: &Path) -> Option<PathBuf> {
    let git = git_dir(dir)?;
    Some(linked(dir, &git).map_or(git, |(_, common)| common))
}

/// Returns true if the repository of a work tree was cloned, by the first line of its log. Without
/// a log, a repository with remote or packed refs counts as cloned.
pub fn is_clone(dir: &Path) -> bool {
    let Some(git) = common_dir(dir) else { return false };
    if let Ok(log) = std::fs::File::open(git.join("logs/HEAD")) {
        let mut first = String::new();
        let read = std::io::BufReader::new(log.take(MAX)).read_line(&mut first);
        // The log line of a commit does not name another repository.
        return read.is_err() || first.contains("\tclone: ");
    }
    git.join("refs/remotes").is_dir() || git.join("packed-refs").is_file()
}

/// Directory of what this machine notes of linked work trees, in the one that they share.
const NOTED: &str = "pimem/worktrees";
/// Directory of what it notes of the main work tree.
const NOTED_MAIN: &str = "pimem/main";

/// A work tree of the repository, seen from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherTree {
    /// Directory of what this machine notes of it.
    pub noted: PathBuf,
    /// The directory with its files, if git knows where that is.
    pub root: Option<PathBuf>,
    /// The branch that it has checked out or, without one, its name.
    pub branch: String,
}

/// The work trees of a repository, seen from one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTrees {
    /// The directory that all of them share.
    pub common: PathBuf,
    /// Where the directory that was asked about is below the root of its work tree.
    pub below: PathBuf,
    /// Git's name of the work tree; `None` for the main one.
    pub linked: Option<OsString>,
}

impl WorkTrees {
    /// Finds the work tree of a directory.
    pub fn of(dir: &Path) -> Option<Self> {
        let (root, is_main) = dir
            .ancestors()
            .skip(1)
            .find_map(|root| Some((root, std::fs::metadata(root.join(".git")).ok()?.is_dir())))?;
        let below = dir.strip_prefix(root).ok()?.to_path_buf();
        if is_main {
            return Some(Self { common: root.join(".git"), below, linked: None });
        }
        let (git, common) = linked(root, &git_dir(root)?)?;
        let linked = Some(git.file_name()?.to_owned());
        Some(Self { common, below, linked })
    }

    /// Returns true if git knows a linked work tree of this name.
    fn has(&self, name: &OsStr) -> bool {
        self.common.join("worktrees").join(name).is_dir()
    }

    /// Returns the branch that the work tree has checked out.
    pub fn branch(&self) -> Option<String> {
        self.branch_of(self.linked.as_deref())
    }

    fn branch_of(&self, tree: Option<&OsStr>) -> Option<String> {
        let git = match tree {
            Some(name) => self.common.join("worktrees").join(name),
            None => self.common.clone(),
        };
        let branch = read_line(&git.join("HEAD"))?.strip_prefix("ref: refs/heads/")?.to_owned();
        // What stands there where references are kept in another format.
        (branch != ".invalid").then_some(branch)
    }

    /// Returns true if the repository has a branch, as far as its files tell.
    pub fn has_branch(&self, name: &str) -> bool {
        let packed = || {
            let list = std::fs::read_to_string(self.common.join("packed-refs")).unwrap_or_default();
            let end = format!(" refs/heads/{name}");
            list.lines().any(|line| line.ends_with(&end))
        };
        self.common.join("refs/heads").join(name).is_file()
            || self.common.join("reftable").is_dir()
            || packed()
    }

    /// Returns the other work trees that are there.
    pub fn others(&self) -> Vec<OtherTree> {
        let trees = read::canonical(self.common.join("worktrees")).unwrap_or_default();
        let listed = std::fs::read_dir(&trees).into_iter().flatten().flatten();
        let mut names: Vec<OsString> = listed.map(|tree| tree.file_name()).collect();
        names.retain(|name| self.linked.as_ref() != Some(name));
        names.sort_unstable();
        let linked = |name: OsString| {
            let git = trees.join(&name);
            let link = read_line(&git.join("gitdir"));
            let root = link.and_then(|link| Some(git.join(link).parent()?.to_path_buf()));
            // It could name any directory, which has to name it too.
            let is_it = |of: PathBuf| of == git || read::canonical(of).is_ok_and(|of| of == git);
            let root = root.filter(|root| git_dir(root).is_some_and(is_it));
            let branch = self.branch_of(Some(&name));
            let branch = branch.unwrap_or_else(|| name.to_string_lossy().into_owned());
            OtherTree { noted: self.common.join(NOTED).join(name), root, branch }
        };
        let main = self.linked.is_some().then(|| OtherTree {
            noted: self.common.join(NOTED_MAIN),
            root: main_root(&self.common).map(Path::to_path_buf),
            branch: self.branch_of(None).unwrap_or_else(|| "the main work tree".to_owned()),
        });
        main.into_iter().chain(names.into_iter().map(linked)).collect()
    }

    /// Returns the directory of the lines that were learned in the work tree.
    pub fn kept(&self) -> PathBuf {
        self.noted().unwrap_or_else(|| self.common.join(NOTED_MAIN))
    }

    /// Returns the directory of what this machine notes of the linked work tree.
    pub fn noted(&self) -> Option<PathBuf> {
        Some(self.common.join(NOTED).join(self.linked.as_ref()?))
    }

    /// Returns the directories of what it noted of linked work trees that are gone.
    pub fn left(&self) -> Vec<PathBuf> {
        let listed = std::fs::read_dir(self.common.join(NOTED)).into_iter().flatten().flatten();
        let gone = listed.filter(|tree| !self.has(&tree.file_name()));
        let mut found: Vec<PathBuf> = gone.map(|tree| tree.path()).collect();
        found.sort_unstable();
        found
    }

    /// Returns the name without its end that a file of the store has there.
    pub fn name(&self, plain: &str) -> String {
        if self.below == Path::new(STORE) {
            return plain.to_owned();
        }
        format!("{plain}-{}", short_sha256(self.below.as_os_str().as_encoded_bytes()))
    }

    /// Returns where the main work tree has the store; for a bare repository, a path that is the
    /// same for all of them.
    pub fn main(&self) -> PathBuf {
        main_root(&self.common).unwrap_or(&self.common).join(&self.below)
    }
}

fn read_line(path: &Path) -> Option<String> {
    let meta = std::fs::metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MAX {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let id = "ab".repeat(20);
        assert_eq!(header(&format!("{id} blob 12")), Some((id.as_str(), "blob", 12)));
        for head in ["x missing", "HEAD:./ blob 12", "ab blob 12", &format!("{id} blob 12 missing")]
        {
            assert_eq!(header(head), None, "{head}");
        }
    }

    #[test]
    fn a_directory() {
        for width in [20, 32] {
            let mut bytes = Vec::new();
            for (mode, name) in [("100644", "a b.md"), ("40000", "topics"), ("120000", "l")] {
                bytes.extend([mode.as_bytes(), b" ", name.as_bytes(), &[0]].concat());
                bytes.extend(vec![0xa0; width]);
            }
            let tree = |bytes: &[u8]| GitObject {
                id: "0".repeat(2 * width),
                is_tree: true,
                bytes: bytes.to_vec(),
            };
            let found = tree_entries(&tree(&bytes));
            let id = "a0".repeat(width);
            let want = [("a b.md", false), ("topics", true), ("l", false)];
            let want = want.map(|(name, is_dir)| (name.to_owned(), is_dir, id.clone()));
            assert_eq!(found, want);
            assert_eq!(tree_entries(&tree(&bytes[..bytes.len() - 1])).len(), 2);
        }
    }
}
