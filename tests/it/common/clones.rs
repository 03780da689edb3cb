//! A project in git, with the clone of another person who pushes to the same remote.

use std::{fs, path::Path};

use super::sandbox::Sandbox;

/// Directory of the other clone.
const THEIRS: &str = "theirs";

impl Sandbox {
    /// Commits and pushes the project, and creates the other clone unless it exists.
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

    pub(crate) fn commit(&self, dir: &str) {
        self.git(dir, &["add", "-A"]);
        self.git(dir, &["commit", "-q", "--allow-empty", "-m", "Remember"]);
    }

    /// Changes the project as another person would: by a pull if the project is shared, otherwise
    /// in place, as in a fresh clone.
    pub(crate) fn arrives(&self, change: impl FnOnce(&Path)) {
        if !self.root().join(THEIRS).exists() {
            return change(&self.project());
        }
        self.commit("project");
        self.git("project", &["push", "-q"]);
        self.they_push("main", change);
        self.git("project", &["pull", "-q"]);
    }

    /// Pushes another person's change to a branch, on top of the pushed commits.
    pub(crate) fn they_push(&self, branch: &str, change: impl FnOnce(&Path)) {
        self.git(THEIRS, &["fetch", "-q"]);
        let known =
            self.try_git(THEIRS, &["checkout", "-q", "-B", branch, &format!("origin/{branch}")]);
        if known.code != 0 {
            self.git(THEIRS, &["checkout", "-q", "-B", branch, "origin/main"]);
        }
        change(&self.root().join(THEIRS));
        // `-f` adds even files that this machine ignores.
        self.git(THEIRS, &["add", "-A", "-f"]);
        self.git(THEIRS, &["commit", "-q", "--allow-empty", "-m", "commit: theirs"]);
        self.git(THEIRS, &["push", "-q", "origin", branch]);
    }
}

/// Appends to a file of the store in a clone.
pub(crate) fn append(project: &Path, name: &str, text: &str) {
    let path = project.join(".pi/memory").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let before = fs::read_to_string(&path).unwrap_or_default();
    fs::write(path, before + text).unwrap();
}
