//! Past sessions and learned preferences: files of any kind, concurrent processes, and no writes
//! outside their place.

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
    thread,
};

use serde_json::Value;

use crate::common::{repository, sandbox::Sandbox, scale};

fn fixture(name: &str) -> String {
    repository().join("fixtures/transcripts").join(name).display().to_string()
}

fn sessions(sandbox: &Sandbox) -> Vec<Value> {
    let done = sandbox.run(&["list", "--sessions", "-n", "9999", "--json"]);
    let document: Value = serde_json::from_str(&done.stdout).expect("one document");
    document["sessions"].as_array().unwrap().clone()
}

fn data(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.project().join(".pi/data/session-search.json")).unwrap()
}

/// Only messages are taken from a path, whatever it leads to.
#[test]
fn whatever_a_path_leads_to() {
    let sandbox = Sandbox::new("harbor");
    let file = |name: &str, bytes: &[u8]| {
        let path = sandbox.root().join(name);
        fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let before = sandbox.tree();
    let secret = "root:x:0:0:root:/root:/bin/bash\nharbor:x:1000:1000::/home/harbor:/bin/zsh\n";
    let mut paths = vec![
        file("passwd", secret.repeat(20).as_bytes()),
        file("empty", b""),
        file("binary", &(0..=255).cycle().take(100_000).collect::<Vec<u8>>()),
        file("other.jsonl", b"{\"a\": 1}\n{\"type\": \"user\", \"text\": \"fix the lock now\"}\n"),
        file("text.md", b"I said this\n\nand I said that too\n\nand then nothing more\n"),
        sandbox.root().display().to_string(),
        sandbox.root().join("missing").display().to_string(),
        String::new(),
        "a\u{1b}]52;c;x\u{7}b".to_owned(),
    ];
    #[cfg(unix)]
    {
        let link = sandbox.root().join("link");
        std::os::unix::fs::symlink(sandbox.root().join("passwd"), &link).unwrap();
        let dangling = sandbox.root().join("dangling");
        std::os::unix::fs::symlink("nowhere", &dangling).unwrap();
        paths.extend(
            [link, dangling, "/dev/zero".into(), "/dev/stdin".into()]
                .map(|path| path.display().to_string()),
        );
    }
    for path in paths {
        let error = sandbox.run(&["dream", "index", &path]).refused();
        assert!(!error.contains("root:x:0:0") && !error.contains('\u{1b}'), "{error}");
    }
    assert_eq!(sandbox.tree(), before);
    #[cfg(unix)]
    {
        let link = sandbox.root().join("linked.jsonl");
        std::os::unix::fs::symlink(fixture("pi.jsonl"), &link).unwrap();
        sandbox.run(&["dream", "index", &link.display().to_string()]).ok();
        assert_eq!(sessions(&sandbox).len(), 1);
    }
}

/// A transcript whose beginning is enough, and one that must be read up to the limit.
#[test]
fn transcripts_of_any_size() {
    let sandbox = Sandbox::new("harbor");
    for name in ["claude.jsonl", "codex.jsonl", "gemini.jsonl", "pi.jsonl"] {
        let path = sandbox.root().join(name);
        fs::copy(fixture(name), &path).unwrap();
        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(b"\n").unwrap();
        // A sparse file reads as zeros: 200 MB in one line, then text beyond the limit.
        file.set_len(200 << 20).unwrap();
        file.write_all(b"\n").unwrap();
        drop(file);
        let path = path.display().to_string();
        let whole = sandbox.run(&["dream", "index", &fixture(name), "--json"]).json();
        let large = sandbox.run(&["dream", "index", &path, "--json"]).json();
        assert_eq!(large, whole, "{name}");
    }
    // Many short lines, with an image among them.
    let path = sandbox.root().join("many.jsonl");
    let mut file = File::create(&path).unwrap();
    let line = |text: &str| {
        format!(
            "{{\"type\":\"user\",\"sessionId\":\"many\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
        )
    };
    file.write_all(line(&"x".repeat(5 << 20)).as_bytes()).unwrap();
    for number in 0..10_000 * scale() {
        file.write_all(line("ok").as_bytes()).unwrap();
        if number % 1_000 == 0 {
            file.write_all(line(&format!("look at berth {number} now")).as_bytes()).unwrap();
        }
    }
    let summed = sandbox.run(&["dream", "index", &path.display().to_string(), "--json"]).json();
    let summary = summed["session"]["summary"].as_str().unwrap();
    assert!(summary.starts_with("look at berth 0 now | look at berth 1000 now | "), "{summary}");
}

#[test]
fn many_at_once_lose_none() {
    let sandbox = Sandbox::new("harbor");
    let foreign = "{\"sessionId\": \"pi-1\", \"text\": \"by pi\", \"embedding\": [1.0, 2e3]}";
    sandbox.write(
        "../data/session-search.json",
        format!("{{\"version\": 2, \"entries\": [{foreign}]}}"),
    );
    let processes = 24 * scale();
    let shared = "Sum up the berths\nand all the cranes\nand also the tides\n";
    thread::scope(|threads| {
        for number in 0..processes {
            let sandbox = &sandbox;
            threads.spawn(move || {
                let id = format!("session-{number}");
                let own = shared.replace("berths", &format!("berths of port {number}"));
                let done = sandbox.pipe(&["dream", "index", "--session", &id], own);
                assert_eq!(done.code, 0, "{}", done.stderr);
                let done = sandbox.pipe(&["dream", "index", "--session", "shared"], shared);
                assert_eq!(done.code, 0, "{}", done.stderr);
            });
        }
    });
    assert_eq!(sessions(&sandbox).len(), processes + 2);
    let text = data(&sandbox);
    assert!(text.starts_with("{\"version\": 2, \"entries\": ["), "{text:.60}");
    assert!(text.contains(foreign) && text.ends_with("]}"), "foreign keys stay as they were");
    assert_eq!(sandbox.litter(), [""; 0]);
}

#[test]
fn a_search_sees_what_was_indexed_last() {
    let sandbox = Sandbox::new("harbor");
    let first = "Why does the ferry wait\nmove the ferry to berth four\nand tell the pilot so\n";
    let index = ["dream", "index", "--session", "s"];
    sandbox.pipe(&index, first).ok();
    let search = |word: &str| sandbox.run(&["search", "--in", "sessions", word]);
    assert!(search("ferry pilot").ok().contains("berth four"));
    sandbox.run(&["rebuild"]).done();
    assert!(search("ferry pilot").ok().contains("berth four"));
    sandbox.pipe(&index, first.replace("ferry", "zeppelin").replace("pilot", "captain")).ok();
    assert!(search("zeppelin").ok().contains("captain"));
    assert!(!search("ferry").stdout.contains("ferry"), "the summary was replaced");
    // A shorter summary does not replace a longer one.
    assert_eq!(sandbox.pipe(&index, "fix the zeppelin\n").code, 1);
    assert_eq!(sessions(&sandbox).len(), 1);
}

/// A session id comes from an agent: it never names a file, and is escaped on a terminal.
#[test]
fn ids_are_only_text() {
    let sandbox = Sandbox::new("harbor");
    let said = "Why does the ferry wait\nmove the ferry to berth four\nand tell the pilot so\n";
    let long = "x".repeat(5_000);
    for id in
        ["../../../../etc/cron.d/x", "a\u{1b}[2Jb", "a\nb", &long, "\u{202e}evil", "/dev/null"]
    {
        let before = sandbox.tree().len();
        let done =
            sandbox.pipe(&["dream", "index", "--session", id, "--agent", id, "--json"], said);
        let session = done.json()["session"].clone();
        for key in ["id", "agent"] {
            let kept = session[key].as_str().unwrap();
            assert!((1..=64).contains(&kept.chars().count()), "{kept}");
            assert!(!kept.chars().any(|c| c.is_control() || c == '\u{202e}'), "{kept:?}");
        }
        let after = sandbox.tree();
        assert!(after.len() <= before + 3, "the file, its lock, and what keeps them out of git");
        assert!(after.keys().all(|name| !name.contains("cron")), "{after:?}");
    }
    let human = sandbox.run(&["list", "--sessions"]).ok();
    assert!(!human.contains('\u{1b}') && !human.contains('\u{202e}'));
}

/// Session data does not create a store.
#[test]
fn whose_store() {
    let sandbox = Sandbox::new("empty");
    let said = "Why does the ferry wait\nmove the ferry to berth four\nand tell the pilot so\n";
    assert_eq!(sandbox.run(&["list", "--sessions"]).ok(), "");
    assert_eq!(sandbox.run(&["search", "--in", "sessions", "ferry"]).code, 1);
    assert!(sandbox.tree().is_empty(), "readers make nothing");
    let done = sandbox.pipe(&["dream", "index"], said);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(sandbox.tree().is_empty(), "the project is left alone");
    let data = sandbox.home().join(".pi/agent/data");
    assert!(data.join("session-search.json").is_file());
    assert!(sandbox.run(&["list", "--sessions"]).ok().contains("ferry"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&data), 0o700);
        assert_eq!(mode(&data.join("session-search.json")), 0o600);
    }
}

#[test]
fn a_preference_counts_once_an_hour() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    let text = "Good. From now on, plan berths by draught. What is next on the list?";
    thread::scope(|threads| {
        for _ in 0..12 * scale() {
            threads.spawn(|| assert_eq!(sandbox.run(&["dream", "extract", text]).code, 0));
        }
    });
    let evidence = || sandbox.entries()["From now on, plan berths by draught"]["evidence"].clone();
    assert_eq!(evidence(), 1, "told twelve times at once");
    let later = |time: &str| sandbox.run(&["dream", "extract", "--now", time, text]).ok();
    assert!(later("2026-06-30T18:59:59Z").starts_with("Seen less than an hour ago"));
    assert!(later("2026-06-30T19:00:00Z").starts_with("Known, reinforced"));
    assert_eq!(evidence(), 2);
    // A clock that was set back does not stop learning until it catches up.
    assert!(later("2026-06-30T12:00:00Z").starts_with("Known, reinforced"));
    fs::write(sandbox.project().join(".pi/data/preferences-cooldown.json"), "[1, 2").unwrap();
    assert!(later("2026-06-30T12:00:00Z").starts_with("Known, reinforced"), "damaged");
}

#[test]
fn nothing_to_learn_touches_nothing() {
    let sandbox = Sandbox::new("empty");
    for text in ["fix the flaky test of the planner", "Should I always use a mutex here?"] {
        assert_eq!(sandbox.run(&["dream", "extract", text]).code, 1);
    }
    assert!(sandbox.tree().is_empty());
    let plan = sandbox.run(&["dream", "extract", "--dry-run", "I prefer tabs over spaces"]).ok();
    assert!(plan.starts_with("Would learn: [preference] I prefer tabs over spaces ("), "{plan}");
    assert!(sandbox.tree().is_empty(), "a dry run neither");
}

/// A secret is in no file and no message, whatever its context.
#[test]
fn secrets_stay_where_they_are() {
    let sandbox = Sandbox::new("harbor");
    let token = ["gh", "p_", "k3J9xQ2mV7tR5wZ8nB4cY6dF1gH0sL3pA9qE"].concat();
    let key =
        format!("{0}BEGIN RSA PRIVATE KEY{0}\nMIIEow\n{0}END RSA PRIVATE KEY{0}", "-".repeat(5));
    let told = [
        format!("From now on use {token} for the release"),
        format!("always use {key} when you sign"),
        format!("I prefer <private>{token}</private> over passwords in files"),
    ];
    for text in &told {
        let done = sandbox.pipe(&["dream", "extract"], text);
        for said in [done.stdout, done.stderr] {
            assert!(!said.contains("k3J9x") && !said.contains("MIIE"), "{said}");
        }
    }
    sandbox.pipe(&["dream", "index"], told.join("\n\n")).ok();
    for (name, bytes) in sandbox.tree() {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("k3J9x") && !text.contains("MIIEow"), "{name}: {text:.300}");
    }
    assert!(data(&sandbox).contains("[redacted: a GitHub token] for the release"));
}
