//! Where a repository stands: branch, changed files and last commits. Reads what it can by hand,
//! and starts git once, for what has to be compared with the work tree.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
    process::{Command, Stdio},
};

use super::gitlink;

/// Bytes of the log of a head that are read, from its end.
const TAIL: u64 = 64 * 1024;
/// Commits that are told of.
const COMMITS: usize = 3;
/// Changed files that are told of by name.
const FILES: usize = 10;

/// Lines that say where the repository stands whose work tree `dir` lies in; none outside of one.
pub(crate) fn standing(dir: &Path) -> Vec<String> {
    let found = dir.ancestors().find_map(|dir| Some((dir, gitlink::git_dir(dir)?)));
    let Some((root, git)) = found else { return Vec::new() };
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
    let log = tail(&git.join("logs/HEAD")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    lines.extend(last_commits(&log).into_iter().map(|commit| format!("commit {commit}")));
    lines
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
    Some(files.filter_map(path).collect())
}

/// The last commits of the current branch that were made in this work tree, newest first, from the
/// log of its head: objects are compressed, and what was fetched says little about today's work.
fn last_commits(log: &str) -> Vec<String> {
    let mut found = Vec::new();
    // The commit to be told of next; the first line read, the last of the log, is where we are.
    let mut wanted: Option<&str> = None;
    let mut replaced = false;
    for line in log.lines().rev() {
        let Some((moved, message)) = line.split_once('\t') else { continue };
        let mut ids = moved.split(' ');
        let (Some(from), Some(to)) = (ids.next(), ids.next()) else { continue };
        let Some((act, subject)) = message.split_once(": ") else { continue };
        if *wanted.get_or_insert(to) != to || !makes_a_commit(act) {
            continue;
        }
        if !replaced {
            found.push(format!("{} {subject}", short(to)));
        }
        // An amended commit replaces the one before, and has its parent.
        replaced = act == "commit (amend)";
        wanted = Some(from);
        if found.len() == COMMITS {
            break;
        }
    }
    found
}

/// Whether a line of the log with that act stands for a new commit.
fn makes_a_commit(act: &str) -> bool {
    act == "commit"
        || act.starts_with("commit (")
        || ["cherry-pick", "revert", "rebase (pick)", "rebase (continue)"].contains(&act)
}

/// The end of a file.
fn tail(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A commit as git abbreviates it.
fn short(id: &str) -> &str {
    id.get(..7).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_those_of_the_branch() {
        let line = |from: u8, to: u8, message: &str| {
            let id = |n: u8| format!("{n:0>40}");
            format!("{} {} A <a@b.c> 1 +0000\t{message}\n", id(from), id(to))
        };
        let log = [
            line(0, 1, "commit (initial): one"),
            line(1, 2, "commit: two"),
            line(2, 3, "commit: dropped"),
            line(3, 2, "reset: moving to HEAD~"),
            line(2, 4, "commit: typo"),
            line(4, 5, "commit (amend): three"),
            line(5, 1, "checkout: moving from main to other"),
            line(1, 6, "commit: elsewhere"),
            line(6, 5, "checkout: moving from other to main"),
        ];
        let subjects = |lines: &[String]| -> Vec<String> {
            let found = last_commits(&lines.concat());
            found.iter().map(|commit| commit[8..].to_owned()).collect()
        };
        assert_eq!(subjects(&log), ["three", "two", "one"]);
        assert_eq!(subjects(&log[..8]), ["elsewhere", "one"]);
        assert_eq!(subjects(&log[..4]), ["two", "one"]);
        assert_eq!(subjects(&[line(0, 1, "clone: from elsewhere")]), [""; 0]);
        assert_eq!(subjects(&["nonsense\n".to_owned(), "\t\t\n".to_owned()]), [""; 0]);
    }
}
