//! `pimem sync` on machines whose clocks are wrong, and with servers that do not end.

use std::fs;

use crate::{
    common::{
        history::Random,
        sandbox::Outcome,
        scale,
        team::{Fault::Fine, Fault::Status, Team},
    },
    sync_server::Machine,
};

/// Hours by which a clock may be wrong.
const SKEWS: [i64; 8] = [-220, -80, -36, 0, 0, 36, 80, 220];

/// Formats an hour since the first of June.
fn hour(hours: i64) -> String {
    let hours = hours + 30 * 24;
    let (month, day) = match hours / 24 {
        day @ 0..30 => (5, day + 2),
        day @ 30..60 => (6, day - 30 + 1),
        day => (7, day - 60 + 1),
    };
    format!("2026-0{month}-{day:02}T{:02}:00:00Z", hours % 24)
}

fn at(machine: &Machine, hours: i64, args: &[&str]) -> Outcome {
    machine.run(&[&["--now", &hour(hours)], args].concat())
}

/// Returns what machines hold after some days of theirs, each sync with a clock wrong by what `skew`
/// says.
fn days(seed: u64, skew: impl Fn(&mut Random) -> i64) -> Vec<String> {
    let team = Team::start();
    let mut random = Random(seed);
    team.pages_of(1 + random.below(6));
    let all = ["anna-1", "anna-2", "ben-1"].map(|key| Machine::new(&team, key));
    for step in 0..18_i64 {
        let who = random.below(3);
        let machine = &all[who];
        // Each acts on lines of its own: what it can do does not depend on what has come.
        let text = format!("Quay {who}{} is dredged by the harbor pilots", random.below(3));
        let act = random.below(8);
        // Drawn always, so that both runs draw the same.
        let skew = skew(&mut random);
        team.clock_is(&hour(step * 8 + 24));
        let done = match act {
            0..3 => at(machine, step * 8, &["add", &text]),
            3 => at(machine, step * 8, &["edit", &text, &format!("{text} in spring")]),
            4 => at(machine, step * 8, &["forget", &text]),
            _ => at(machine, step * 8 + skew, &["sync", "--yes"]),
        };
        assert!(done.code <= 2 && !done.stderr.contains("panicked"), "{done:?}");
    }
    team.clock_is(&hour(30 * 24));
    for _ in 0..3 {
        for machine in &all {
            at(machine, 30 * 24, &["sync", "--yes"]).done();
        }
    }
    let lines = |text: String| {
        let mut lines: Vec<&str> = text.lines().filter(|line| line.contains("Quay")).collect();
        lines.sort_unstable();
        lines.join("\n")
    };
    let archived = |machine: &Machine| {
        let path = machine.sandbox.path("archive/lessons.md");
        lines(fs::read_to_string(path).unwrap_or_default())
    };
    let held = all.iter().flat_map(|machine| {
        [lines(machine.list()), lines(machine.mirrored("project")), archived(machine)]
    });
    held.collect()
}

#[test]
fn whatever_the_clocks_all_end_with_the_same_entries() {
    for seed in 0..4 * scale() as u64 {
        let right = days(seed, |random| {
            random.below(SKEWS.len());
            0
        });
        let wrong = days(seed, |random| SKEWS[random.below(SKEWS.len())]);
        assert_eq!(wrong, right, "seed {seed}");
        assert_eq!(right[0], right[3], "the machines of one user, seed {seed}");
    }
}

#[test]
fn a_clock_that_was_behind_at_one_sync_loses_nothing() {
    let team = Team::start();
    let (desk, laptop) = (Machine::new(&team, "anna-1"), Machine::new(&team, "anna-2"));
    let ben = Machine::new(&team, "ben-1");
    at(&desk, 0, &["add", "Piers are numbered from the west"]).ok();
    at(&ben, 0, &["add", "Tenders are let in spring"]).ok();
    at(&laptop, 0, &["add", "The vault is behind the map"]).ok();
    for machine in [&laptop, &desk, &ben, &laptop] {
        at(machine, 0, &["sync", "--yes"]).done();
    }
    at(&desk, 1, &["edit", "Piers", "Piers are numbered from the east"]).ok();
    assert_eq!(at(&desk, 1, &["forget", "--destroy", "--yes", "vault"]).code, 0);
    at(&ben, 1, &["add", "Tugs are two"]).ok();
    for machine in [&desk, &ben] {
        at(machine, 1, &["sync", "--yes"]).done();
    }
    let before = laptop.list();
    for _ in 0..2 {
        let said = at(&laptop, -72, &["sync", "--yes"]);
        assert_eq!(said.code, 1, "{said:?}");
        let told = "3 events are dated more than a day ahead of this machine's clock";
        assert!(said.stdout.contains(told), "{said:?}");
        assert!(!said.stdout.contains("Refused"), "{said:?}");
        assert_eq!(laptop.list(), before);
    }
    let view = at(&laptop, -72, &["--json", "sync", "--yes"]).stdout;
    assert!(view.contains("\"later\": 3") || view.contains("\"later\":3"), "{view}");
    // What waits is disposable with the rest of the state.
    for lost in [false, true] {
        if lost {
            at(&ben, 2, &["add", "Buoys are green"]).ok();
            at(&ben, 2, &["sync", "--yes"]).done();
            assert_eq!(at(&laptop, -72, &["sync", "--yes"]).code, 1);
            fs::remove_dir_all(laptop.sandbox.root().join("state/pimem/dream")).unwrap();
        }
        at(&laptop, 2, &["sync", "--yes"]).done();
        assert_eq!(laptop.list(), desk.list());
        assert!(laptop.list().contains("east") && laptop.mirrored("project").contains("Tugs"));
    }
    assert!(laptop.mirrored("project").contains("Buoys"));
}

/// What the server refuses for its time is sent again, until it is not refused.
#[test]
fn a_clock_that_was_ahead_sends_later() {
    let team = Team::start();
    let (desk, laptop) = (Machine::new(&team, "anna-1"), Machine::new(&team, "anna-2"));
    team.clock_is(&hour(0));
    at(&desk, 72, &["add", "Piers are numbered from the west"]).ok();
    let said = at(&desk, 72, &["sync", "--yes"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(
        said.stdout.contains("1 event is dated more than a day ahead of the server's"),
        "{said:?}"
    );
    team.clock_is(&hour(96));
    assert!(at(&desk, 96, &["sync", "--yes"]).done().contains("0 lines and 1 event sent"));
    at(&laptop, 96, &["sync", "--yes"]).done();
    assert_eq!(laptop.list(), desk.list());
    assert!(laptop.list().contains("Piers"));
}

#[test]
fn a_busy_store_gets_its_lines_later() {
    let team = Team::start();
    team.pages_of(1);
    let (desk, laptop) = (Machine::new(&team, "anna-1"), Machine::new(&team, "anna-2"));
    let ben = Machine::new(&team, "ben-1");
    for machine in [&desk, &ben] {
        machine.run(&["add", "Piers are numbered from the west"]).ok();
        machine.sync();
    }
    laptop.sync();
    desk.run(&["add", "Tugs are two"]).ok();
    desk.sync();
    ben.run(&["add", "Tenders are let in spring"]).ok();
    ben.sync();
    // A part of what is new comes, and is kept for what belongs to it.
    let down = Status(503, "{}", Some("0"));
    team.misbehave(&[vec![Fine; 2], vec![down; 3]].concat());
    assert_eq!(laptop.run(&["sync", "--yes"]).code, 2);
    for place in [laptop.sandbox.store(), laptop.mirror("project")] {
        let lock = fs::File::options().write(true).open(place.join("lock")).unwrap();
        lock.lock().unwrap();
        let done = laptop.run_with(&["sync", "--yes"], &[("PIMEM_LOCK_TIMEOUT_MS", "50")]);
        assert_eq!(done.code, 2, "{done:?}");
    }
    laptop.sync();
    assert_eq!(laptop.list(), desk.list());
    assert!(laptop.mirrored("project").contains("Tenders"));
}

#[test]
fn a_server_without_end_is_left() {
    let team = Team::start();
    let desk = Machine::new(&team, "anna-1");
    desk.run(&["add", "Piers are numbered from the west"]).ok();
    team.endless(true);
    let said = desk.run(&["sync", "--yes"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.stdout.contains("The server has more: pimem sync goes on"), "{said:?}");
    let asked = team.requests();
    assert!(asked.len() < 1_100, "{}", asked.len());
    assert!(team.held("project").contains("Piers"), "what is here is sent all the same");
    team.endless(false);
    desk.sync();
}

#[test]
fn a_server_that_changes_its_mind_between_pages() {
    let team = Team::start();
    team.pages_of(2);
    let (desk, laptop) = (Machine::new(&team, "anna-1"), Machine::new(&team, "anna-2"));
    for n in 0..5 {
        desk.run(&["add", &format!("Pier {n} is closed")]).ok();
    }
    desk.sync();
    let gone = Status(410, "{}", None);
    team.misbehave(&[Fine, Fine, gone.clone(), Fine, gone, Fine]);
    laptop.sync();
    assert_eq!(laptop.list(), desk.list());
    assert_eq!(laptop.list().lines().count(), 5);
}
