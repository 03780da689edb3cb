//! Where a repository stands: branch, changed files and last commits. Without git, only the branch is told.

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

/// Commits that are told of.
const COMMITS: usize = 3;
/// How long git may take for them.
const LIMIT: Duration = Duration::from_secs(5);
/// Changed files that are told of by name.
const FILES: usize = 10;

/// Lines that say where the repository stands whose work tree starts at `root`.
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
    // Names and messages are whatever somebody committed.
    lines.iter().map(|line| safe_text::model(line).into_owned()).collect()
}

/// Ids and subjects of the last commits, each the first parent of the one before it.
fn commits(objects: &mut Objects) -> io::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    let mut next = Some("HEAD".to_owned());
    while let Some(name) = next.take().filter(|_| found.len() < COMMITS) {
        // That of a shallow clone names parents that it has not.
        let Some(commit) = objects.get(&[name])?.pop().flatten() else { break };
        let text = String::from_utf8_lossy(&commit.bytes);
        let (head, message) = text.split_once("\n\n").unwrap_or((&text, ""));
        next = head.lines().find_map(|line| line.strip_prefix("parent ")).map(str::to_owned);
        let lines = message.trim_start().lines().take_while(|line| !line.trim().is_empty());
        found.push((commit.id, lines.collect::<Vec<_>>().join(" ")));
    }
    Ok(found)
}

/// Files that differ from the last commit, by git itself; `None` without git.
fn changed(root: &Path) -> Option<Vec<String>> {
    let output = Command::new("git")
        // A repository that came from elsewhere names no command of ours.
        .args(["-c", "core.fsmonitor=false", "status", "--porcelain=v1", "-z", "--no-renames"])
        .current_dir(root)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let files = output.stdout.split(|byte| *byte == 0);
    let path = |line: &[u8]| Some(String::from_utf8_lossy(line.get(3..)?).into_owned());
    // Every log changes the store; that is not what the session worked on.
    let is_own = |path: &String| path.starts_with(".pi/") || path.contains("/.pi/");
    Some(files.filter_map(path).filter(|path| !is_own(path)).collect())
}

/// A commit as git abbreviates it.
fn short(id: &str) -> &str {
    id.get(..7).unwrap_or(id)
}
