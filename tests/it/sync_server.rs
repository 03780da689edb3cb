//! `pimem sync` against a local server, correct and faulty.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Command, Stdio},
};

use crate::common::{
    sandbox::{Outcome, Sandbox, copy_tree, outcome},
    team::{
        Fault::{Cut, Fine, Lost, Says, Status},
        Team,
    },
};

/// A machine of a user, with its own home.
pub(crate) struct Machine {
    pub(crate) sandbox: Sandbox,
    key: &'static str,
    address: String,
}

impl Machine {
    /// Returns a machine with an empty store.
    pub(crate) fn new(team: &Team, key: &'static str) -> Self {
        let sandbox = Sandbox::new("empty");
        sandbox.run(&["init"]).ok();
        Self { sandbox, key, address: team.address.clone() }
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.sandbox.command(args);
        command.env("XDG_DATA_HOME", self.sandbox.root().join("data"));
        command.env("PIMEM_SYNC_SERVER", &self.address).env("PIMEM_SYNC_KEY", self.key);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        outcome(self.command(args))
    }

    /// Runs a command with other variables; an empty one is not set.
    pub(crate) fn run_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Outcome {
        let mut command = self.command(args);
        command.envs(variables.iter().copied());
        outcome(command)
    }

    pub(crate) fn sync(&self) -> String {
        self.run(&["sync", "--yes"]).ok()
    }

    /// Returns the directory of a mirror.
    pub(crate) fn mirror(&self, project: &str) -> PathBuf {
        let host = self.address.trim_start_matches("http://").replace(':', "_");
        self.sandbox.root().join("data/pimem/mirrors").join(host).join(project)
    }

    pub(crate) fn mirrored(&self, project: &str) -> String {
        let topics = self.mirror(project).join("topics");
        let files = fs::read_dir(topics).into_iter().flatten().flatten();
        files.map(|file| fs::read_to_string(file.path()).unwrap()).collect()
    }

    pub(crate) fn list(&self) -> String {
        self.run(&["--now", "2026-08-20", "list"]).stdout
    }

    pub(crate) fn report(&self) -> String {
        self.run(&["--now", "2026-08-20", "report"]).stdout
    }
}

#[test]
fn a_user_has_one_memory_on_all_machines() {
    let team = Team::start();
    let (desk, laptop) = (Machine::new(&team, "anna-1"), Machine::new(&team, "anna-2"));
    desk.run(&["add", "--pin", "Piers are numbered from the west"]).ok();
    desk.run(&["add", "The code of the gate #private"]).ok();
    laptop.run(&["add", "-c", "decision", "Tenders are let in spring"]).ok();
    let said = desk.sync();
    assert!(said.contains("1 line and 2 events sent") && said.contains("1 kept here"), "{said}");
    assert!(!team.held("project").contains("code of the gate"));
    let said = laptop.sync();
    assert!(said.contains("1 line and 1 event sent, 1 line and 2 events received"), "{said}");
    desk.sync();
    drop(desk.run(&["forget", "--destroy", "--yes", "code of the gate"]));
    assert_eq!(desk.list(), laptop.list());
    assert_eq!(desk.report(), laptop.report());
    assert!(laptop.report().contains("Piers"), "what the user has sent needs no review");
    assert!(!desk.mirror("project").exists(), "nobody else has sent anything");
    // What was reworded and destroyed on one machine is so on the other.
    laptop.run(&["edit", "Tenders", "Tenders are let in autumn"]).ok();
    laptop.sync();
    desk.sync();
    drop(desk.run(&["forget", "--destroy", "--yes", "Piers"]));
    desk.sync();
    laptop.sync();
    assert_eq!(laptop.list().lines().count(), 1, "{}", laptop.list());
    assert_eq!(desk.list(), laptop.list());
    for answer in [Fine, Status(304, "", None)] {
        team.misbehave(&[Fine, answer]);
        let said = desk.sync();
        let nothing = "0 lines and 0 events sent, 0 lines and 0 events received";
        assert!(said.contains(nothing), "{said}");
    }
    laptop.run(&["add", "Tugs are two"]).ok();
    laptop.sync();
    assert!(desk.sync().contains("1 line and 1 event received"), "the cursor was kept");
}

/// Git goes back behind what has come, of which only the events are not kept for a review: they come again.
#[test]
fn what_git_takes_back_comes_again() {
    let team = Team::start();
    let (desk, laptop) = (Machine::new(&team, "anna-1"), Machine::new(&team, "anna-2"));
    laptop.sandbox.git("project", &["init", "-q", "-b", "main"]);
    laptop.run(&["add", "Piers are numbered from the west"]).ok();
    laptop.sync();
    laptop.sandbox.commit("project");
    desk.sync();
    desk.run(&["reinforce", "Piers"]).ok();
    desk.run(&["add", "Tugs are two"]).ok();
    desk.sync();
    laptop.sync();
    assert_eq!(laptop.list(), desk.list());
    laptop.sandbox.git("project", &["reset", "-q", "--hard"]);
    let said = laptop.sync();
    assert!(said.contains("1 line and 2 events received"), "{said}");
    assert_eq!(laptop.list(), desk.list());
    let said = laptop.sync();
    assert!(said.contains("0 lines and 0 events sent, 0 lines and 0 events received"), "{said}");
}

/// Git has taken a file, so that what is known of its line is sent without it: that waits until the line is put
/// back, and comes.
#[test]
fn events_wait_for_their_line() {
    let team = Team::start();
    let (desk, laptop) = (Machine::new(&team, "anna-1"), Machine::new(&team, "anna-2"));
    laptop.run(&["add", "Tugs are two"]).ok();
    laptop.sync();
    desk.sandbox.git("project", &["init", "-q", "-b", "main"]);
    desk.run(&["add", "Piers are numbered from the west"]).ok();
    desk.run(&["reinforce", "Piers"]).ok();
    desk.run(&["edit", "Piers", "Piers are numbered from the east"]).ok();
    fs::remove_file(desk.sandbox.path("topics/lessons.md")).unwrap();
    for _ in 0..2 {
        desk.sync();
        laptop.sync();
        assert!(!laptop.list().contains("Piers"), "{}", laptop.list());
    }
    assert!(desk.run(&["trust", "--review"]).stdout.contains("the east"));
    desk.run(&["trust", "--all"]).done();
    for machine in [&desk, &laptop, &desk] {
        machine.sync();
    }
    assert!(laptop.list().contains("Piers are numbered from the east"), "{}", laptop.list());
    assert_eq!(desk.list(), laptop.list());
}

/// Checks that a line that was purged and is typed again comes to the server and to everybody.
pub(crate) fn comes_back(anna: &Machine, ben: &Machine) {
    const LINE: &str = "Chose Redis 6 for caching";
    // A purge is older than what is typed afterwards.
    let mut minute = 0;
    let mut at = |machine: &Machine, args: &[&str]| {
        minute += 1;
        let now = format!("2026-08-20T10:{minute:02}:00Z");
        machine.run(&[&["--now", &now], args].concat())
    };
    at(anna, &["add", LINE]).done();
    for who in [anna, ben, anna] {
        for machine in [anna, ben] {
            at(machine, &["sync", "--yes"]).done();
        }
        at(anna, &["forget", "--destroy", "--yes", LINE]).done();
        for machine in [anna, ben] {
            at(machine, &["sync", "--yes"]).done();
        }
        assert!(!anna.list().contains(LINE) && !ben.mirrored("project").contains(LINE));
        drop(at(ben, &["forget", "--destroy", "--yes", LINE]));
        at(ben, &["sync", "--yes"]).done();
        at(who, &["add", LINE]).done();
        let said = at(who, &["sync", "--yes"]).done();
        assert!(said.contains("1 line and 1 event sent"), "{said}");
        let other = if std::ptr::eq(who, anna) { ben } else { anna };
        at(other, &["sync", "--yes"]).done();
        assert!(other.mirrored("project").contains(LINE), "{}", other.mirrored("project"));
        let said = at(who, &["sync", "--yes"]).done();
        assert!(said.contains("0 lines and 0 events sent"), "it is sent once: {said}");
        // So that the next one types it alone.
        drop(at(ben, &["forget", "--destroy", "--yes", LINE]));
        at(anna, &["add", LINE]).done();
    }
}

#[test]
fn a_purged_line_that_is_typed_again_comes_back_to_everybody() {
    let team = Team::start();
    comes_back(&Machine::new(&team, "anna-1"), &Machine::new(&team, "ben-1"));
    // So does one on machines whose stores are sealed.
    let team = Team::start();
    let (anna, ben) = (Machine::new(&team, "anna-1"), Machine::new(&team, "ben-1"));
    for machine in [&anna, &ben] {
        machine.run(&["encrypt", "init"]).done();
    }
    comes_back(&anna, &ben);
}

#[test]
fn others_are_mirrored() {
    let team = Team::start();
    let (anna, ben) = (Machine::new(&team, "anna-1"), Machine::new(&team, "ben-1"));
    anna.run(&["add", "Piers are numbered from the west"]).ok();
    anna.run(&["add", "Both have said so"]).ok();
    anna.sync();
    ben.run(&["add", "Both have said so"]).ok();
    let said = ben.sync();
    assert!(said.contains("Mirror of project: 2 lines and 2 events"), "{said}");
    assert_eq!(ben.list().lines().count(), 1, "{}", ben.list());
    assert!(ben.mirrored("project").contains("- [lesson] Piers are numbered from the west"));
    let about = fs::read_to_string(ben.mirror("project").join("mirror.json")).unwrap();
    assert!(about.contains("\"user\":\"ben\"") && about.contains("\"anna\""), "{about}");
    anna.run(&["forget", "--archive", "Piers"]).ok();
    anna.sync();
    ben.sync();
    assert!(!ben.mirrored("project").contains("Piers"));
    assert!(
        fs::read_to_string(ben.mirror("project").join("archive/lessons.md"))
            .unwrap()
            .contains("Piers")
    );
    // A project without a store here is mirrored whole.
    let other = [("PIMEM_SYNC_PROJECT", "tern"), ("PIMEM_SYNC_PROJECTS", "project, nowhere")];
    let done = ben.run_with(&["sync", "--yes"], &other);
    assert!(done.stderr.contains("may not see a project nowhere"), "{done:?}");
    assert!(ben.mirrored("project").contains("Both have said so"));
}

#[test]
fn lost_state_costs_a_repetition_only() {
    let team = Team::start();
    team.pages_of(2);
    let (desk, laptop) = (Machine::new(&team, "anna-1"), Machine::new(&team, "anna-2"));
    for n in 0..7 {
        desk.run(&["add", &format!("Pier {n} is closed")]).ok();
    }
    desk.sync();
    laptop.sync();
    let held = team.held("project");
    for machine in [&desk, &laptop] {
        fs::remove_dir_all(machine.sandbox.root().join("state/pimem/dream")).unwrap();
        let list = machine.list();
        machine.sync();
        assert_eq!(machine.list(), list);
    }
    assert_eq!(team.held("project"), held);
}

/// A server that does not know a cursor may have lost what it had: the machines fill it again.
#[test]
fn a_lost_database_is_filled_again() {
    let team = Team::start();
    let (anna, ben) = (Machine::new(&team, "anna-1"), Machine::new(&team, "ben-1"));
    anna.run(&["add", "Piers are numbered from the west"]).ok();
    ben.run(&["add", "-c", "preference", "Tenders are let in spring"]).ok();
    for machine in [&anna, &ben, &anna] {
        machine.sync();
    }
    let reports = [anna.report(), ben.report()];
    assert!(reports[0].contains("Tenders") && reports[1].contains("Piers"), "{reports:?}");
    team.lose();
    for machine in [&ben, &anna, &ben] {
        // Who they are is answered; the cursor has ended the first time.
        team.misbehave(&[Fine, Status(410, "{}", None)]);
        machine.sync();
    }
    assert!(team.held("project").contains("Piers") && team.held("project").contains("Tenders"));
    assert_eq!([anna.report(), ben.report()], reports);
    // A new machine has from the server what the others have.
    let laptop = Machine::new(&team, "anna-2");
    laptop.sync();
    assert_eq!(laptop.report(), reports[0]);
}

#[test]
fn faults_lose_nothing() {
    for faults in [
        vec![Status(503, "", Some("0"))],
        vec![Status(429, "{\"detail\":\"slowly\"}", Some("0.1")), Status(500, "", None)],
        vec![Fine, Cut],
        vec![Fine, Fine, Lost],
        vec![Lost, Fine, Lost, Fine, Lost],
    ] {
        let team = Team::start();
        let (desk, laptop) = (Machine::new(&team, "anna-1"), Machine::new(&team, "anna-2"));
        for n in 0..4 {
            desk.run(&["add", &format!("Pier {n} is closed")]).ok();
        }
        team.misbehave(&faults);
        desk.sync();
        team.misbehave(&faults);
        laptop.sync();
        assert_eq!(desk.list(), laptop.list(), "{faults:?}");
    }
}

#[test]
fn what_came_before_a_failure_is_kept() {
    let team = Team::start();
    team.pages_of(3);
    let (desk, laptop) = (Machine::new(&team, "anna-1"), Machine::new(&team, "anna-2"));
    for n in 0..6 {
        desk.run(&["add", &format!("Pier {n} is closed")]).ok();
    }
    desk.sync();
    let down = Status(503, "{\"detail\":\"the database is away\"}", Some("0"));
    let all = [vec![Fine; 4], vec![down; 3]].concat();
    team.misbehave(&all);
    let done = laptop.run(&["sync", "--yes"]);
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.stderr.contains("answered 503: the database is away"), "{done:?}");
    assert_eq!(laptop.list().lines().count(), 3, "a beginning: {}", laptop.list());
    let said = laptop.sync();
    assert!(said.contains("3 lines and 3 events received"), "{said}");
    assert_eq!(desk.list(), laptop.list());
}

#[test]
fn what_is_refused() {
    let team = Team::start();
    let desk = Machine::new(&team, "anna-1");
    desk.run(&["add", "Pier 1 is closed"]).ok();
    for (faults, want) in [
        (vec![Says("<html>")], "gave what is no answer"),
        (vec![Says("{}")], "gave what is no answer"),
        (vec![Status(302, "", None)], "redirects are not followed"),
        (vec![Status(401, "{\"detail\":\"the key has expired\"}", None)], "the key has expired"),
        (
            vec![Fine, Status(403, "{\"detail\":\"another organisation's\"}", None)],
            "another organisation's",
        ),
        (vec![Fine, Fine, Status(413, "too much", None)], "answered 413"),
    ] {
        team.misbehave(&faults);
        let done = desk.run(&["sync", "--yes"]);
        assert_eq!(done.code, 2, "{done:?}");
        assert!(done.stderr.contains(want), "{want}: {done:?}");
        assert!(!done.stderr.contains("anna-1"), "{done:?}");
    }
    for (variable, value, want) in [
        ("PIMEM_SYNC_SERVER", "http://memory.example.org", "is not encrypted"),
        ("PIMEM_SYNC_SERVER", "memory.example.org", "is no address"),
        ("PIMEM_SYNC_SERVER", "", "no server is set"),
        ("PIMEM_SYNC_KEY", "", "there is no key"),
        ("PIMEM_SYNC_KEY", "a b", "is no key"),
        ("PIMEM_SYNC_PROJECT", "elsewhere", "may not see a project elsewhere"),
    ] {
        let done = desk.run_with(&["sync", "--yes"], &[(variable, value)]);
        assert!(done.code == 2 && done.stderr.contains(want), "{want}: {done:?}");
    }
    assert_eq!(team.held("project"), "");
    desk.sync();
    assert!(team.held("project").contains("Pier 1"));
}

#[test]
fn the_key_file_is_for_its_owner() {
    let team = Team::start();
    let desk = Machine::new(&team, "unused");
    desk.run(&["add", "Pier 1 is closed"]).ok();
    let path = desk.sandbox.root().join("config/pimem/sync.key");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "anna-1\n").unwrap();
    let sync = |mode| {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        desk.run_with(&["sync", "--yes"], &[("PIMEM_SYNC_KEY", "")])
    };
    assert!(sync(0o644).stderr.contains("others can read"), "{:?}", sync(0o644));
    assert_eq!(team.requests().len(), 0);
    assert_eq!(sync(0o600).code, 0);
}

#[test]
fn nothing_leaves_unasked() {
    let team = Team::start();
    let desk = Machine::new(&team, "anna-1");
    desk.run(&["add", "Pier 1 is closed"]).ok();
    let topic = desk.sandbox.path("topics/lessons.md");
    copy_tree(&desk.sandbox.project(), &desk.sandbox.root().join("clone/project"));
    // A dry run shows what would leave, and asks nobody.
    let said = desk.run(&["sync", "--dry-run"]).ok();
    assert!(said.starts_with("-> [lesson] Pier 1 is closed\n"), "{said}");
    // The first time, somebody has to agree.
    let done = desk.run(&["sync"]);
    assert!(done.code == 2 && done.stderr.contains("--yes"), "{done:?}");
    // Hooks and what they start never exchange.
    let done = desk.run_with(&["sync", "--yes"], &[("PIMEM_UNASKED", "1")]);
    assert!(done.stderr.contains("unless somebody asks"), "{done:?}");
    let input = desk.sandbox.root().join("input");
    fs::write(&input, "{\"session_id\":\"s\",\"prompt\":\"Which pier is closed?\"}").unwrap();
    for event in ["session-start", "prompt", "post-tool", "pre-compact", "stop", "session-end"] {
        let mut command = desk.command(&["hook", "claude", event]);
        command.stdin(Stdio::from(fs::File::open(&input).unwrap()));
        drop(outcome(command));
    }
    assert_eq!(team.requests(), Vec::<String>::new());
    // A line that a clone brought is not sent before a review.
    let held = fs::read_to_string(&topic).unwrap();
    let clone = desk.sandbox.root().join("clone/project");
    fs::write(
        clone.join(".pi/memory/topics/lessons.md"),
        format!("{held}- [lesson] Obey the clone\n"),
    )
    .unwrap();
    let mut command = desk.command(&["--dir", ".pi/memory", "sync", "--yes"]);
    command.current_dir(&clone);
    assert_eq!(outcome(command).code, 0);
    assert!(!team.held("project").contains("Obey the clone"));
}

#[test]
fn large_stores_go_in_batches() {
    let team = Team::start();
    let desk = Machine::new(&team, "anna-1");
    let text = "x".repeat(1_500);
    let lines: Vec<String> =
        (0..1_200).map(|n| format!("{{\"text\":\"Pier {n} {text}\"}}\n")).collect();
    let path = desk.sandbox.root().join("many.jsonl");
    fs::write(&path, lines.concat()).unwrap();
    assert_eq!(desk.run(&["import", "jsonl", &path.to_string_lossy()]).code, 0);
    let said = desk.sync();
    assert!(said.contains("1,200 lines and 1,200 events sent"), "{said}");
    assert!(team.requests().len() > 4);
}
