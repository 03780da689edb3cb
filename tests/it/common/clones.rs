//! A project that is kept in git, and the clone of somebody else who pushes to the same place.

use std::{fs, path::Path};

use super::sandbox::Sandbox;

/// The other clone.
const THEIRS: &str = "theirs";

impl Sandbox {
    /// Puts the project as it is under git, pushes it, and makes the other clone, unless there is one.
    pub(crate) fn share(&self) {
        if self.root().join(THEIRS).exists() {
            return;
        }
        let git = |dir: &str, args: &[&str]| drop(self.git(dir, args));
        git("", &["init", "-q", "--bare", "origin.git"]);
        git("project", &["init", "-q"]);
        git("project", &["remote", "add", "origin", "../origin.git"]);
        self.commit("project");
        git("project", &["push", "-q", "-u", "origin", "main"]);
        git("", &["clone", "-q", "origin.git", THEIRS]);
    }

    /// Commits whatever has changed in a clone.
    pub(crate) fn commit(&self, dir: &str) {
        self.git(dir, &["add", "-A"]);
        self.git(dir, &["commit", "-q", "--allow-empty", "-m", "Remember"]);
    }

    /// Changes the project as somebody else would: it comes with a pull where the project is shared,
    /// and is just there otherwise, as in a clone.
    pub(crate) fn arrives(&self, change: impl FnOnce(&Path)) {
        if !self.root().join(THEIRS).exists() {
            return change(&self.project());
        }
        self.commit("project");
        self.git("project", &["push", "-q"]);
        self.they_push("main", change);
        self.git("project", &["pull", "-q"]);
    }

    /// Has somebody else push a change to a branch, on top of what was pushed before.
    pub(crate) fn they_push(&self, branch: &str, change: impl FnOnce(&Path)) {
        self.git(THEIRS, &["fetch", "-q"]);
        let known =
            self.try_git(THEIRS, &["checkout", "-q", "-B", branch, &format!("origin/{branch}")]);
        if known.code != 0 {
            self.git(THEIRS, &["checkout", "-q", "-B", branch, "origin/main"]);
        }
        change(&self.root().join(THEIRS));
        // Also what this machine would keep to itself.
        self.git(THEIRS, &["add", "-A", "-f"]);
        self.git(THEIRS, &["commit", "-q", "--allow-empty", "-m", "commit: theirs"]);
        self.git(THEIRS, &["push", "-q", "origin", branch]);
    }
}

/// Adds to a file of the store in a clone.
pub(crate) fn append(project: &Path, name: &str, text: &str) {
    let path = project.join(".pi/memory").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let before = fs::read_to_string(&path).unwrap_or_default();
    fs::write(path, before + text).unwrap();
}
