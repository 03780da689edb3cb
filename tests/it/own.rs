//! A line typed into the user's own clone is in the next report, and a line brought by git is not.
//!
//! Each case uses real clones. A line with the word `own` was typed here and must be shown, one
//! with `planted` came from another person and must not, and one with `doubt` may be either.

use std::fs;

use serde_json::json;

use crate::{
    common::{clones::append, every, sandbox::Sandbox},
    hooks::call,
};

pub(crate) const TOPIC: &str = "topics/lessons.md";

/// A project that was created here and is shared through git.
pub(crate) struct Clones(pub(crate) Sandbox);

impl Clones {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new("empty");
        sandbox.git("", &["init", "-q", "project"]);
        sandbox.run(&["add", "Said on this machine"]).done();
        fs::remove_dir_all(sandbox.project().join(".git")).unwrap();
        sandbox.share();
        Self(sandbox)
    }

    pub(crate) fn types(&self, line: &str) {
        append(&self.0.project(), TOPIC, &lesson(line));
    }

    fn commits(&self) {
        self.0.commit("project");
    }

    pub(crate) fn types_and_commits(&self, line: &str) {
        self.types(line);
        self.commits();
    }

    pub(crate) fn they_push(&self, branch: &str, line: &str) {
        self.0.they_push(branch, |theirs| append(theirs, TOPIC, &lesson(line)));
    }

    /// Runs git in the project with the words of `line`.
    pub(crate) fn git(&self, line: &str) -> String {
        self.0.git("project", &line.split(' ').collect::<Vec<_>>())
    }

    /// Runs git in the project and requires that it fails half way.
    fn git_stops(&self, line: &str) {
        let done = self.0.try_git("project", &line.split(' ').collect::<Vec<_>>());
        assert_ne!(done.code, 0, "{line}: {done:?}");
    }

    fn is_busy(&self) -> bool {
        let git = self.0.project().join(".git");
        ["MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD"]
            .iter()
            .any(|name| git.join(name).exists())
    }

    /// Returns the report for agents.
    pub(crate) fn report(&self) -> String {
        self.0.run(&["report", "--budget", "9000"]).done()
    }

    fn start(&self) -> String {
        let input = json!({"session_id": "s", "cwd": self.0.project()}).to_string();
        call(&self.0, "generic", "session-start", input).ok()
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for entry in fs::read_dir(self.0.path("topics")).unwrap() {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            lines.extend(
                text.lines().filter_map(|line| Some(line.strip_prefix("- [lesson] ")?.to_owned())),
            );
        }
        lines
    }
}

pub(crate) fn lesson(line: &str) -> String {
    format!("- [lesson] {line}\n")
}

/// A description and the steps of a case.
type Case = (&'static str, fn(&Clones));

/// The ways in which lines get into a work tree.
const CASES: &[Case] = &[
    ("typed", |c| c.types("own line")),
    ("typed into a new topic", |c| append(&c.0.project(), "topics/more.md", &lesson("own line"))),
    ("typed and staged", |c| {
        c.types("doubt whether it was staged here");
        c.git("add -A");
    }),
    ("typed and staged in part", |c| {
        c.types("doubt whether it was staged here");
        c.git("add -A");
        c.types("own line");
    }),
    ("committed", |c| c.types_and_commits("own line")),
    ("committed and amended", |c| {
        c.types_and_commits("own line");
        c.types("own second line");
        c.git("commit -q -a --amend -m Amended");
    }),
    ("committed, taken back and committed again", |c| {
        c.types_and_commits("own line");
        c.git("reset -q --soft HEAD~1");
        c.git("commit -q -m Again");
    }),
    ("committed and pushed", |c| {
        c.types_and_commits("own line");
        c.git("push -q");
        c.git("fetch -q");
    }),
    ("committed on a branch, and to and fro", |c| {
        c.git("checkout -q -b feature");
        c.types_and_commits("own line");
        c.git("checkout -q main");
        c.git("checkout -q feature");
    }),
    ("committed on a branch and merged", |c| {
        c.git("checkout -q -b feature");
        c.types_and_commits("own line");
        c.git("checkout -q main");
        c.git("merge -q --no-ff -m Merge feature");
    }),
    ("committed on a branch and squashed", |c| {
        c.git("checkout -q -b feature");
        c.types_and_commits("own line");
        c.git("checkout -q main");
        c.git("merge -q --squash feature");
        c.git("commit -q -m Squashed");
    }),
    ("committed on a branch that was merged elsewhere", |c| {
        c.git("checkout -q -b feature");
        c.types_and_commits("own line");
        c.git("push -q -u origin feature");
        c.they_push("main", "planted before it");
        c.0.git("theirs", &["fetch", "-q"]);
        c.0.git("theirs", &["merge", "-q", "--no-edit", "origin/feature"]);
        c.0.git("theirs", &["push", "-q", "origin", "main"]);
        c.git("checkout -q main");
        c.git("pull -q");
    }),
    ("committed in a head that is on no branch", |c| {
        c.git("checkout -q --detach");
        c.types_and_commits("own line");
    }),
    ("committed, reverted, and that reverted", |c| {
        c.types_and_commits("own line");
        c.git("revert --no-edit HEAD");
        c.git("revert --no-edit HEAD");
    }),
    ("committed, packed and cleaned up", |c| {
        c.types_and_commits("own line");
        c.git("-c gc.reflogExpire=never gc -q --prune=now");
        c.git("pack-refs --all");
    }),
    ("committed so long ago that no log tells of it", |c| {
        c.types_and_commits("doubt who committed it");
        c.git("reflog expire --expire=now --all");
    }),
    ("committed, and no log of it", |c| {
        c.git("config core.logAllRefUpdates false");
        fs::remove_dir_all(c.0.project().join(".git/logs")).unwrap();
        c.types_and_commits("doubt who committed it");
    }),
    ("pulled", |c| {
        c.they_push("main", "planted line");
        c.git("pull -q");
    }),
    ("pulled twice", |c| {
        for line in ["planted line", "planted line too"] {
            c.they_push("main", line);
            c.git("pull -q");
        }
    }),
    ("pulled, with a line that is not committed", |c| {
        c.they_push("main", "planted line");
        append(&c.0.project(), "topics/more.md", &lesson("own line"));
        c.git("pull -q");
    }),
    ("pulled and merged", |c| {
        c.types_and_commits("own line");
        c.they_push("main", "planted line");
        c.git("pull -q --no-rebase --no-edit");
    }),
    ("pulled and rebased", |c| {
        c.types_and_commits("own line");
        c.they_push("main", "planted line");
        c.git("pull -q --rebase");
    }),
    ("pulled and rebased, twice", |c| {
        for line in ["line", "second line"] {
            c.types_and_commits(&format!("own {line}"));
            c.they_push("main", &format!("planted {line}"));
            c.git("pull -q --rebase");
            c.git("push -q");
        }
    }),
    ("pulled and rebased, what was typed put aside meanwhile", |c| {
        c.types("own line");
        c.they_push("main", "planted line");
        c.git("pull -q --rebase --autostash");
    }),
    ("pulled and rebased by patches", |c| {
        c.types_and_commits("own line");
        c.they_push("main", "planted line");
        c.git("fetch -q");
        c.git("rebase -q --apply origin/main");
    }),
    ("pulled from a path", |c| {
        c.types_and_commits("own line");
        c.they_push("main", "planted line");
        c.git("pull -q --no-rebase --no-edit ../theirs main");
    }),
    ("pulled from a path that has ours", |c| {
        c.types_and_commits("own line");
        c.git("push -q");
        c.they_push("main", "planted line");
        c.git("pull -q ../theirs main");
    }),
    ("pulled from a new remote that has ours", |c| {
        c.types_and_commits("own line");
        c.git("push -q");
        c.they_push("main", "planted line");
        c.git("remote add other ../theirs");
        c.git("pull -q other main");
    }),
    ("pulled and squashed", |c| {
        c.they_push("main", "planted line");
        c.git("pull -q --squash");
    }),
    ("pulled, squashed and committed", |c| {
        c.they_push("main", "planted line");
        c.git("pull -q --squash");
        c.commits();
    }),
    ("pulled, squashed and committed, from a path", |c| {
        c.they_push("main", "planted line");
        c.git("pull -q --squash ../theirs main");
        c.commits();
    }),
    ("pulled, squashed, committed and pushed", |c| {
        c.they_push("feature", "planted line");
        c.git("fetch -q");
        c.git("merge -q --squash origin/feature");
        c.commits();
        c.git("push -q");
    }),
    ("fetched and merged", |c| {
        c.they_push("main", "planted line");
        c.git("fetch -q");
        c.git("merge -q --no-ff --no-edit origin/main");
    }),
    ("merged by a program that does not say so", |c| {
        c.they_push("main", "planted line");
        c.git("fetch -q ../theirs main");
        c.git("merge -q --no-ff --no-commit FETCH_HEAD");
        c.commits();
        let git = c.0.project().join(".git");
        fs::remove_file(git.join("FETCH_HEAD")).unwrap();
        let log = fs::read_to_string(git.join("logs/HEAD")).unwrap();
        fs::write(git.join("logs/HEAD"), log.replace("commit (merge)", "commit")).unwrap();
    }),
    ("fetched and taken over", |c| {
        c.they_push("main", "planted line");
        c.git("fetch -q");
        c.git("reset -q --hard origin/main");
    }),
    ("fetched and taken over, the work tree alone", |c| {
        c.they_push("main", "planted line");
        c.git("fetch -q");
        c.git("reset -q --hard origin/main");
        c.git("reset -q --soft HEAD~1");
        c.git("reset -q");
    }),
    ("fetched, amended", |c| {
        c.they_push("main", "planted line");
        c.git("pull -q");
        c.types("own line");
        c.git("commit -q -a --amend -m Amended");
    }),
    ("fetched, taken back and committed", |c| {
        c.they_push("main", "planted line");
        c.git("pull -q");
        c.git("reset -q --soft HEAD~1");
        c.commits();
    }),
    ("a branch of others", |c| {
        c.they_push("feature", "planted line");
        c.git("fetch -q");
        c.git("checkout -q feature");
        c.types("own line");
    }),
    ("the files of a branch of others", |c| {
        c.they_push("feature", "planted line");
        c.git("fetch -q");
        c.git("checkout origin/feature -- .pi");
    }),
    ("the files of a branch of others, not staged", |c| {
        c.they_push("feature", "planted line");
        c.git("fetch -q");
        c.git("restore --source origin/feature .pi");
        c.types("own line");
    }),
    ("the files of a branch that was fetched by name", |c| {
        c.they_push("feature", "planted line");
        c.git("fetch -q ../theirs feature:feature");
        c.git("restore --source feature .pi");
    }),
    ("the files of a tag that was fetched", |c| {
        c.0.they_push("feature", |theirs| append(theirs, TOPIC, &lesson("planted line")));
        c.0.git("theirs", &["tag", "-a", "-m", "x", "v1"]);
        c.git("fetch -q ../theirs tag v1");
        fs::remove_file(c.0.project().join(".git/FETCH_HEAD")).unwrap();
        c.git("restore --source v1 .pi");
        // The author of a tag is not known.
        c.git("commit -q --allow-empty -m Empty");
    }),
    ("the files of what was fetched last", |c| {
        c.they_push("feature", "planted line");
        c.git("fetch -q ../theirs feature");
        c.git("restore --source FETCH_HEAD .pi");
    }),
    ("the files of a branch of a clone", |c| {
        c.they_push("feature", "planted line");
        c.0.git("", &["clone", "-q", "origin.git", "second"]);
        fs::remove_dir_all(c.0.project().join(".git")).unwrap();
        fs::rename(c.0.root().join("second/.git"), c.0.project().join(".git")).unwrap();
        c.git("restore --source origin/feature .pi");
        c.types("own line");
    }),
    ("a commit of others, picked", |c| {
        c.they_push("feature", "planted line");
        c.git("fetch -q");
        c.git("cherry-pick origin/feature");
    }),
    ("a commit of others, picked and not committed", |c| {
        c.they_push("feature", "planted line");
        c.git("fetch -q");
        c.git("cherry-pick -n origin/feature");
    }),
    ("a commit of others, reverted and back", |c| {
        c.they_push("main", "planted line");
        c.git("pull -q");
        c.git("revert --no-edit HEAD");
        c.git("revert --no-edit HEAD");
    }),
    ("a patch of others", |c| {
        c.they_push("feature", "planted line");
        c.0.git("theirs", &["format-patch", "-q", "-1", "-o", ".."]);
        c.git("am -q ../0001-commit-theirs.patch");
    }),
    ("put aside and back", |c| {
        c.types("own line");
        c.git("stash -q");
        c.git("stash pop -q");
    }),
    ("put aside and back, and kept there", |c| {
        c.types("own line");
        c.git("stash -q");
        c.git("stash apply -q");
    }),
    ("put aside, pulled, and back", |c| {
        c.types("own line");
        c.git("stash -q");
        c.they_push("main", "planted line");
        c.git("pull -q");
        c.git("stash pop -q");
    }),
    ("put aside in the middle of a merge, and back", |c| {
        c.they_push("main", "planted line");
        c.git("fetch -q");
        c.git("merge -q --no-ff --no-commit origin/main");
        c.git("stash -q");
        c.git("stash pop -q");
    }),
    ("files of a branch put aside, and back", |c| {
        c.they_push("feature", "planted line");
        c.git("fetch -q");
        c.git("checkout origin/feature -- .pi");
        c.git("stash -q");
        c.git("stash pop -q");
    }),
    ("a merge that stands still", |c| {
        c.types_and_commits("doubt what is committed meanwhile");
        c.they_push("main", "planted line");
        c.git("fetch -q");
        c.git("merge -q --no-commit origin/main");
        c.types("doubt what is typed meanwhile");
    }),
    ("a rebase that stands still", |c| {
        c.types_and_commits("doubt what is committed meanwhile");
        c.they_push("main", "planted line");
        c.git("fetch -q");
        c.git_stops("rebase -q --exec false origin/main");
        c.types("doubt what is typed meanwhile");
    }),
    ("a pick that stands still", |c| {
        fs::remove_file(c.0.path(".gitattributes")).unwrap();
        c.commits();
        c.git("push -q");
        c.they_push("feature", "planted line");
        c.types_and_commits("doubt what is committed meanwhile");
        c.git("fetch -q");
        c.git_stops("cherry-pick origin/feature");
    }),
    ("a patch that stands still", |c| {
        c.they_push("feature", "planted line");
        c.0.git("theirs", &["format-patch", "-q", "-1", "-o", ".."]);
        c.types_and_commits("doubt what is committed meanwhile");
        c.git_stops("am -q ../0001-commit-theirs.patch");
    }),
    ("a stash that meets what was pulled", |c| {
        fs::remove_file(c.0.path(".gitattributes")).unwrap();
        c.commits();
        c.git("push -q");
        c.they_push("main", "planted line");
        c.types("doubt which side it is of");
        c.git("stash -q");
        c.git("pull -q");
        c.git_stops("stash pop -q");
    }),
    ("a change of a line that was pulled", |c| {
        c.they_push("main", "planted line");
        c.git("pull -q");
        let text = fs::read_to_string(c.0.path(TOPIC)).unwrap();
        fs::write(c.0.path(TOPIC), text.replace("planted line", "own wording of the line"))
            .unwrap();
    }),
    ("a line that was moved to another topic", |c| {
        c.they_push("main", "planted line");
        c.git("pull -q");
        fs::rename(c.0.path(TOPIC), c.0.path("topics/other.md")).unwrap();
    }),
    ("an archive that was pulled", |c| {
        c.0.they_push("main", |theirs| {
            append(theirs, "archive/lessons.md", &lesson("planted line"));
        });
        c.git("pull -q");
        c.0.run(&["restore", "planted line"]).done();
    }),
];

/// A command that checks the lines first.
type Look = (&'static str, fn(&Clones) -> String);

const LOOKS: &[Look] = &[
    ("a report", Clones::report),
    ("a session", Clones::start),
    ("a report after the list", |c| {
        drop(c.0.run(&["trust"]).stdout);
        c.report()
    }),
    ("a report after a rebuild", |c| {
        c.0.run(&["rebuild"]).done();
        c.report()
    }),
];

#[test]
fn what_is_shown_at_once() {
    let mut wrong = Vec::new();
    for (number, (what, play)) in CASES.iter().enumerate().step_by(every(2)) {
        let clones = Clones::new();
        play(&clones);
        let (look, ask) = LOOKS[number / every(2) % LOOKS.len()];
        let waits = |line: &str| line.contains("planted") || line.contains("doubt");
        // The result of the first check persists.
        for shown in [ask(&clones), clones.report()] {
            for line in &clones.lines() {
                if shown.contains(line.as_str()) == waits(line) {
                    wrong.push(format!("{what}, {look}: {line}"));
                }
            }
        }
        let doctor = clones.0.run(&["check"]).stdout;
        assert_eq!(
            doctor.contains("review"),
            clones.lines().iter().any(|line| waits(line)),
            "{what}"
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Committing everything does not make other people's lines one's own.
#[test]
fn what_is_shown_after_a_commit() {
    let mut wrong = Vec::new();
    for (number, (what, play)) in CASES.iter().enumerate().skip(every(2) - 1).step_by(every(2)) {
        let clones = Clones::new();
        play(&clones);
        if clones.is_busy() {
            continue;
        }
        let seen = number % 3 == 0;
        if seen {
            clones.start();
        }
        clones.commits();
        let shown = clones.report();
        for line in clones.lines().iter().filter(|line| !line.contains("doubt")) {
            if shown.contains(line.as_str()) == line.contains("planted") {
                wrong.push(format!("{what}, seen before {seen}: {line}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Doubt ends when the line is committed or the merge is completed.
#[test]
fn doubts_end() {
    let clones = Clones::new();
    clones.types("own line");
    clones.git("add -A");
    assert!(!clones.report().contains("own line"), "staged, by whoever");
    clones.git("commit -q -m Own");
    assert!(clones.report().contains("own line"));
    clones.types_and_commits("own line too");
    clones.they_push("main", "planted line");
    clones.git("fetch -q");
    clones.git("merge -q --no-commit origin/main");
    assert!(!clones.report().contains("own line too"));
    clones.git("commit -q -m Merge");
    let shown = clones.report();
    assert!(shown.contains("own line too") && !shown.contains("planted"), "{shown}");
}

/// A line stays wanted when it is reworded by hand, closely or with only some common words.
#[test]
fn reworded_by_hand() {
    for (words, evidence) in [
        ("Deploys to staging wait for the nightly backup job of the harbour", 3),
        ("Nothing goes to staging before the backup is done", 1),
    ] {
        let clones = Clones::new();
        let before = "Deploys to staging wait for the nightly backup of the harbour";
        clones.0.run(&["add", before]).done();
        clones.0.run(&["reinforce", "--by", "2", before]).done();
        clones.commits();
        let text = fs::read_to_string(clones.0.path(TOPIC)).unwrap();
        fs::write(clones.0.path(TOPIC), text.replace(before, words)).unwrap();
        for committed in [false, true] {
            if committed {
                clones.0.run(&["rebuild"]).done();
                clones.commits();
            }
            let entry = clones.0.entries()[words].clone();
            assert_eq!(entry["cue"], "explicit", "{words}, {committed}");
            assert_eq!(entry["evidence"], evidence, "{words}, {committed}");
            assert_eq!(entry.get("reviewed"), None, "{words}, {committed}");
            assert!(clones.report().contains(words), "{words}, {committed}");
        }
    }
}
