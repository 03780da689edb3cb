//! Status of a repository: branch, changed files and last commits. Without git, only the branch.

use std::{
    io,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use super::{
    git_objects::{self, Objects},
    gitlink,
};
use pimem_core::safety::safe_text;

/// Maximum number of commits.
const COMMITS: usize = 3;
/// Time limit for reading the commits.
const LIMIT: Duration = Duration::from_secs(5);
/// Maximum number of changed files that are named.
const FILES: usize = 10;

/// Returns lines that describe the status of the repository whose work tree starts at `root`.
pub fn standing(root: &Path) -> Vec<String> {
    let Some(git) = gitlink::git_dir(root) else { return Vec::new() };
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
    let commits = git_objects::ask(root, root, LIMIT, commits).unwrap_or_default();
    lines.extend(commits.iter().map(|(id, subject)| format!("commit {} {subject}", short(id))));
    // File names and commit messages are untrusted text.
    lines.iter().map(|line| safe_text::model(line).into_owned()).collect()
}

/// Returns ids and subjects of the last commits, following first parents.
fn commits(objects: &mut Objects) -> io::Result<Vec<(String, String)>> {
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

/// Returns what git prints in a repository that may be untrusted: its configuration must not run a
/// command. `None` if git is not there or fails.
fn ask(dir: &Path, args: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new("git")
        .args(["-c", "core.fsmonitor=false"])
        .args(args)
        .current_dir(dir)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then_some(output.stdout)
}

/// Returns the files that differ from the last commit, by `git status`; `None` without git.
fn changed(root: &Path) -> Option<Vec<String>> {
    let printed = ask(root, &["status", "--porcelain=v1", "-z", "--no-renames"])?;
    let files = printed.split(|byte| *byte == 0);
    let path = |line: &[u8]| Some(String::from_utf8_lossy(line.get(3..)?).into_owned());
    // Every log entry changes the store, which is not the work of the session.
    let is_own = |path: &String| path.starts_with(".pi/") || path.contains("/.pi/");
    Some(files.filter_map(path).filter(|path| !is_own(path)).collect())
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
    Some(!ask(dir, &[&log[..], &found, &files].concat())?.is_empty())
}

/// Abbreviates a commit id as git does.
fn short(id: &str) -> &str {
    id.get(..7).unwrap_or(id)
}
