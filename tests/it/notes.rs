//! Notes, logs, the scratchpad and handoffs: nothing is lost, whatever the origin and size of the
//! files.

use std::{
    fs::{self, File},
    io::Write,
    os::unix::fs::{PermissionsExt, symlink},
    thread,
};

use crate::{
    bad_input::refuses_with,
    common::{
        sandbox::{NOW, Sandbox, outcome},
        write_program,
    },
};

const TODAY: &str = "daily/2026-06-30.md";
/// Number of concurrent processes.
const WORKERS: usize = 16;

#[test]
fn appends_at_once() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    thread::scope(|threads| {
        for worker in 0..WORKERS {
            let sandbox = &sandbox;
            threads.spawn(move || {
                for number in 0..10 {
                    let text = format!("w{worker} n{number}.");
                    for command in [&["log"][..], &["note"], &["todo", "add"]] {
                        let mut command = sandbox.command(&[command, &[&text]].concat());
                        command.env("PIMEM_SYNC", "0").env("PIMEM_LOCK_TIMEOUT_MS", "120000");
                        assert_eq!(outcome(command).code, 0, "{text}");
                    }
                    if number % 2 == 0 {
                        sandbox.run(&["todo", "done", &text]).done();
                    }
                    if number == 5 {
                        sandbox.run(&["handoff", "--session", &text]).done();
                        sandbox.run(&["todo", "clear"]).done();
                    }
                }
            });
        }
    });
    let (log, notes) = (sandbox.read(TODAY), sandbox.read("MEMORY.md"));
    let todo = sandbox.read("SCRATCHPAD.md") + &sandbox.read("archive/SCRATCHPAD.md");
    for worker in 0..WORKERS {
        for number in 0..10 {
            let text = format!("w{worker} n{number}.");
            let own = |line: &&str| line.ends_with(&text);
            assert_eq!(notes.lines().filter(own).count(), 1, "{text}");
            let items: Vec<&str> = todo.lines().filter(own).collect();
            let mark = if number % 2 == 0 { 'x' } else { ' ' };
            assert_eq!(items, [format!("- [{mark}] {text}")]);
            assert!(log.lines().any(|line| line == format!("- 18:00 {text}")), "{text}");
        }
    }
    let (opened, closed) = (log.matches("<!-- HANDOFF ").count(), log.matches("<!-- /").count());
    assert_eq!((opened, closed), (WORKERS, WORKERS));
    assert_eq!(sandbox.litter(), Vec::<String>::new());
}

/// Only the item is written, in the file's own style.
#[test]
fn foreign_files_stay_as_they_are() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    let pad = b"\xef\xbb\xbf# Mine\r\n\r\n<<<<<<< ours\r\n- [ ] One thing\r\n=======\r\n* [ ] Another \xff\r\n\
        >>>>>>> theirs\r\n| a | b |\r\n- [-] cancelled\r\n<!-- 2026-06-01 [a1b2c3d4] -->\r\n- [x] Done thing";
    sandbox.write("SCRATCHPAD.md", pad);
    let with = |from: &[u8], to: &[u8]| {
        let at = pad.windows(from.len()).position(|part| part == from).unwrap();
        [&pad[..at], to, &pad[at + from.len()..]].concat()
    };
    sandbox.run(&["todo", "done", "another"]).ok();
    assert_eq!(sandbox.bytes("SCRATCHPAD.md"), with(b"* [ ] Another", b"* [x] Another"));
    sandbox.run(&["todo", "undo", "another"]).ok();
    assert_eq!(sandbox.bytes("SCRATCHPAD.md"), pad);
    sandbox.run(&["todo", "add", "New"]).ok();
    assert_eq!(sandbox.bytes("SCRATCHPAD.md"), [&pad[..], b"\r\n- [ ] New\r\n"].concat());
    sandbox.run(&["todo", "clear"]).ok();
    let comment = b"<!-- 2026-06-01 [a1b2c3d4] -->\r\n- [x] Done thing";
    assert_eq!(sandbox.bytes("SCRATCHPAD.md"), with(comment, b"- [ ] New\r\n"));
    let kept = "# Scratchpad\n\n<!-- 2026-06-01 [a1b2c3d4] -->\n- [x] Done thing\n";
    assert_eq!(sandbox.read("archive/SCRATCHPAD.md"), kept);
    for (name, bytes) in [(TODAY, &b"no title\r\nbroken \xff"[..]), ("MEMORY.md", b"\xff\r\ntext")]
    {
        sandbox.write(name, bytes);
        let command = if name == TODAY { "log" } else { "note" };
        sandbox.run(&[command, "Added"]).ok();
        let after = sandbox.bytes(name);
        assert!(after.starts_with(bytes) && after.ends_with(b"Added\r\n"), "{after:?}");
    }
}

/// A log is read only from its end.
#[test]
fn a_log_of_50_megabytes() {
    let sandbox = Sandbox::new("working");
    let mut file = File::create(sandbox.path(TODAY)).unwrap();
    let line = format!("- 09:00 {}\n", "over and over again ".repeat(50));
    let lines = (50 << 20) / line.len() + 1;
    file.write_all(line.repeat(lines).as_bytes()).unwrap();
    drop(file);
    sandbox.run(&["log", "The end"]).ok();
    let size = fs::metadata(sandbox.path(TODAY)).unwrap().len();
    assert_eq!(size, (lines * line.len() + "- 18:00 The end\n".len()) as u64);
    sandbox.run(&["handoff"]).ok();
    assert_eq!(sandbox.run(&["handoff", "--show"]).ok().matches("18:00 The end").count(), 1);
    let report = sandbox.run(&["report", "--layout", "working"]).ok();
    assert!(
        report.contains("- 18:00 The end\n") && report.contains("pimem log --date 2026-06-30]")
    );
    assert!(report.chars().count() <= 16_000);
    assert!(sandbox.run(&["log"]).ok().contains("The end"));
    // A search reports what it skipped.
    let search = sandbox.run(&["search", "spindle"]);
    assert_eq!(search.code, 2);
    assert!(search.stdout.contains("stalled"), "{}", search.stdout);
    assert!(search.stderr.contains("2026-06-30.md is too large: 50"), "{}", search.stderr);
}

#[test]
fn files_that_lead_out_of_the_store() {
    let outside = |sandbox: &Sandbox| sandbox.root().join("outside");
    for (name, commands) in [
        (TODAY, &[&["log", "x"][..], &["handoff"], &["log"]][..]),
        ("MEMORY.md", &[&["note", "x"], &["note"]]),
        ("SCRATCHPAD.md", &[&["todo", "add", "x"], &["todo", "list"], &["todo", "done", "x"]]),
    ] {
        let sandbox = Sandbox::new("empty");
        sandbox.run(&["init"]).ok();
        sandbox.run(&["todo", "add", "x"]).ok();
        fs::write(outside(&sandbox), "- [ ] x of another project\n").unwrap();
        drop(fs::remove_file(sandbox.path(name)));
        fs::create_dir_all(sandbox.path("daily")).unwrap();
        symlink(outside(&sandbox), sandbox.path(name)).unwrap();
        let before = sandbox.tree();
        for args in commands {
            refuses_with(&sandbox, args, "io", "leads out of the store", "link to a file inside");
        }
        let report = sandbox.run(&["report", "--layout", "working"]);
        assert_eq!(report.code, 2);
        assert!(!report.stdout.contains("another project"), "{}", report.stdout);
        assert_eq!(sandbox.tree(), before);
    }
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    fs::create_dir(outside(&sandbox)).unwrap();
    symlink(outside(&sandbox), sandbox.path("daily")).unwrap();
    let says = "leads out of the store";
    refuses_with(&sandbox, &["log", "x"], "io", says, "");
    assert_eq!(fs::read_dir(outside(&sandbox)).unwrap().count(), 0);
}

#[test]
fn dates_are_dates() {
    let sandbox = Sandbox::new("working");
    fs::write(sandbox.path("x.md"), "secret").unwrap();
    for date in [
        "2026-13-01",
        "../x",
        "2026-02-30",
        "2026-6-1",
        "",
        "someday",
        "2026-06-30\n",
        "٢٠٢٦-٠٦-٣٠",
    ] {
        refuses_with(&sandbox, &["log", "--date", date], "usage", "is not a date", "2026-12-31");
    }
    sandbox.write("daily/notes.md", "not a day");
    assert!(!sandbox.run(&["log", "--days"]).ok().contains("notes"));
}

/// Days are in local time, on both sides of midnight and in summer time.
#[test]
fn local_time() {
    for (zone, now, want) in [
        ("UTC", NOW, "2026-06-30.md: - 18:00 x"),
        ("<+0545>-5:45", NOW, "2026-06-30.md: - 23:45 x"),
        ("NZST-12NZDT,M9.5.0,M4.1.0/3", NOW, "2026-07-01.md: - 06:00 x"),
        ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T06:59:00Z", "2026-03-08.md: - 01:59 x"),
        ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z", "2026-03-08.md: - 03:00 x"),
        ("EST5EDT,M3.2.0,M11.1.0", "2026-11-01T06:30:00Z", "2026-11-01.md: - 01:30 x"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-12-31T23:30:00Z", "2027-01-01.md: - 00:30 x"),
    ] {
        let sandbox = Sandbox::new("empty");
        sandbox.run(&["init"]).ok();
        let mut command = sandbox.command(&["--now", now, "log", "x"]);
        command.env("TZ", zone);
        let said = outcome(command).ok();
        assert_eq!(said, format!("Logged in daily/{want}\n"), "{zone}");
    }
}

/// The last commits agree with those of git, for every storage format.
#[test]
fn commits_are_those_of_git() {
    for format in ["sha1", "sha256"] {
        let sandbox = Sandbox::new("working");
        let format = format!("--object-format={format}");
        sandbox.git("project", &["init", "-q", &format]);
        for number in 0..40 {
            fs::write(sandbox.project().join("file"), number.to_string()).unwrap();
            sandbox.git("project", &["add", "."]);
            let message = format!("Commit {number}\ngoes on\n\n{}", "Much the same. ".repeat(30));
            sandbox.git("project", &["commit", "-qm", &message]);
        }
        let check = |place: &str| {
            let format = "--format=- commit %H %s";
            let told = sandbox.git(place, &["log", "--first-parent", "-3", format]);
            let short = |line: &str| {
                let (id, subject) = line[9..].split_once(' ').unwrap();
                format!("- commit {} {subject}", &id[..7])
            };
            let want: Vec<String> = told.lines().map(short).collect();
            assert_eq!(sandbox.run_in(place, &["log", "x"]).code, 0);
            assert_eq!(sandbox.run_in(place, &["handoff", "--git"]).code, 0);
            let shown = sandbox.run_in(place, &["handoff", "--show"]).ok();
            let got: Vec<&str> = shown.lines().filter(|l| l.starts_with("- commit")).collect();
            assert_eq!(got, want, "{place}");
        };
        check("project");
        sandbox.git("project", &["checkout", "-qb", "side", "HEAD~2"]);
        fs::write(sandbox.project().join("other"), "x").unwrap();
        sandbox.git("project", &["add", "other"]);
        sandbox.git("project", &["commit", "-qm", "On the side"]);
        sandbox.git("project", &["merge", "-q", "--no-edit", "main"]);
        check("project");
        sandbox.git("project", &["worktree", "add", "-q", "../linked", "HEAD~1"]);
        check("linked");
        sandbox.git("project", &["gc", "-q", "--aggressive", "--prune=now"]);
        let packs = sandbox.project().join(".git/objects/pack");
        let mut packs = fs::read_dir(packs).unwrap().map(|entry| entry.unwrap().path());
        let pack = packs.find(|path| path.extension().is_some_and(|kind| kind == "idx")).unwrap();
        let listed = sandbox.git("project", &["verify-pack", "-v", pack.to_str().unwrap()]);
        let deltas = listed.lines().filter(|line| line.contains(" commit ")).filter(|line| {
            // Lines of deltas also have depth and base.
            line.split_whitespace().count() == 7
        });
        assert!(deltas.count() > 5, "{listed}");
        check("project");
        check("linked");
        sandbox.git("", &["clone", "-q", "--no-local", "project", "cloned"]);
        check("cloned");
        sandbox.git("", &["clone", "-q", "--shared", "project", "shared"]);
        check("shared");
        sandbox.git("", &["clone", "-q", "--no-local", "--depth", "2", "project", "shallow"]);
        check("shallow");
        // The handoff is written even if the repository is damaged.
        for file in fs::read_dir(sandbox.root().join("cloned/.git/objects/pack")).unwrap() {
            let path = file.unwrap().path();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            let mut bytes = fs::read(&path).unwrap();
            bytes.iter_mut().skip(40).step_by(7).for_each(|byte| *byte ^= 0x55);
            fs::write(&path, bytes).unwrap();
        }
        assert_eq!(sandbox.run_in("cloned", &["handoff", "--git"]).code, 0);
    }
}

/// `handoff --git` runs git twice, for changes and for commits, and works without git.
#[test]
fn git_is_asked_twice() {
    let sandbox = Sandbox::new("working");
    sandbox.git("project", &["init", "-q"]);
    sandbox.git("project", &["add", "."]);
    sandbox.git("project", &["commit", "-qm", "Base of it"]);
    sandbox.git("project", &["checkout", "-qb", "topic/x"]);
    fs::write(sandbox.project().join("new file.rs"), "").unwrap();
    let bin = sandbox.root().join("bin");
    let real = sandbox.shell("command -v git").ok();
    let calls = sandbox.root().join("calls");
    let script =
        format!("#!/bin/sh\necho \"$@\" >> '{}'\nexec {} \"$@\"\n", calls.display(), real.trim());
    write_program(&bin.join("git"), &script);
    let leave = |path: &std::path::Path| {
        let mut command = sandbox.command(&["handoff", "--git"]);
        command.env("PATH", path);
        outcome(command).ok();
        sandbox.run(&["handoff", "--show"]).ok()
    };
    let shown = leave(&bin);
    for line in ["- branch topic/x\n", "changed: ", "new file.rs", "Base of it\n"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert_eq!(fs::read_to_string(&calls).unwrap().lines().count(), 2);
    let shown = leave(&sandbox.root().join("nowhere"));
    assert!(shown.contains("- branch topic/x\n"), "{shown}");
    assert!(!shown.contains("changed: ") && !shown.contains("Base of it\n"), "{shown}");
}
