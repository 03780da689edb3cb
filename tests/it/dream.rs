//! Dreams: plans are applied whole or not at all, and protected content is not touched.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    common::{
        sandbox::{NOW, Sandbox},
        scale,
    },
    dream_learn,
};

/// Returns a store with similar entries, a faded one, and a repeated one.
fn tired() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    let add = |day: &str, args: &[&str]| {
        let now = format!("2026-{day}T12:00:00Z");
        drop(sandbox.run(&[&["--now", &now, "add", "--force"], args].concat()).done());
    };
    add("06-20", &["Use rg instead of grep"]);
    add("06-21", &["Always use rg instead of grep."]);
    add("06-22", &["Use grep instead of rg in the release image"]);
    add("06-01", &["-c", "decision", "Run the tests before committing"]);
    add("06-02", &["-c", "decision", "Before committing, run the tests"]);
    add("03-01", &["-c", "mistake", "The tide table was parsed as UTC"]);
    add("03-01", &["-c", "mistake", "--pin", "Never delete the lock file"]);
    add("03-01", &["-c", "mistake", "The quay was rebuilt twice"]);
    let twice = sandbox.read("topics/mistakes.md");
    let line = "- [mistake] The quay was rebuilt twice\n";
    sandbox.write("topics/lessons.md", sandbox.read("topics/lessons.md") + line);
    assert!(twice.contains(line));
    sandbox
}

/// Writes a transcript of Claude Code with alternating messages, the user's first.
pub(crate) fn transcript(sandbox: &Sandbox, name: &str, said: &[&str]) -> PathBuf {
    let line = |(number, text): (usize, &&str)| {
        let role = if number % 2 == 0 { "user" } else { "assistant" };
        let record = json!({
            "type": role, "uuid": format!("{name}-{number}"), "sessionId": name, "cwd": "/harbor",
            "timestamp": format!("2026-06-30T10:{number:02}:00.000Z"),
            "message": {"role": role, "content": text},
        });
        format!("{record}\n")
    };
    let path = sandbox.root().join(format!("{name}.jsonl"));
    fs::write(&path, said.iter().enumerate().map(line).collect::<String>()).unwrap();
    path
}

/// Returns every file of the store except the watermark.
fn remembered(sandbox: &Sandbox) -> BTreeMap<String, Vec<u8>> {
    let mut files = sandbox.tree();
    files.retain(|name, _| name.contains(".pi/memory/") && !name.ends_with(".dream-watermark"));
    files
}

fn lines(sandbox: &Sandbox, name: &str) -> Vec<String> {
    let path = sandbox.path(name);
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().filter(|line| line.starts_with("- [")).map(str::to_owned).collect()
}

#[test]
fn what_says_the_same_becomes_one_and_what_faded_is_left_to_people() {
    let sandbox = tired();
    let told = sandbox.run(&["dream"]).ok();
    assert!(told.contains("Merged: [lesson] Always use rg instead of grep. ("), "{told}");
    assert!(!told.contains("Archived"), "{told}");
    let ends = "Left to you: 1 line out of use (pimem dream --plan)\n\
                Dreamed: 3 merged; 0 sessions and 0 daily logs read\n";
    assert!(told.ends_with(ends), "{told}");
    assert_eq!(
        lines(&sandbox, "topics/lessons.md"),
        [
            "- [lesson] Always use rg instead of grep.",
            "- [lesson] Use grep instead of rg in the release image",
            "- [mistake] The quay was rebuilt twice",
        ],
    );
    assert_eq!(
        lines(&sandbox, "topics/mistakes.md"),
        [
            "- [mistake] The tide table was parsed as UTC",
            "- [mistake] Never delete the lock file *(pinned)*",
        ]
    );
    assert_eq!(lines(&sandbox, "archive/lessons.md"), ["- [lesson] Use rg instead of grep"]);
    let entries = sandbox.entries();
    assert_eq!(entries["Always use rg instead of grep."]["evidence"], 2);
    let before = remembered(&sandbox);
    let again = sandbox.run(&["dream", "--force"]).ok();
    let ends = "Left to you: 2 lines out of use (pimem dream --plan)\n\
                Dreamed: nothing to do; 0 sessions and 0 daily logs read\n";
    assert_eq!(again, ends);
    assert!(remembered(&sandbox) == before);
}

#[test]
fn a_plan_is_applied_to_what_it_was_made_for() {
    let sandbox = tired();
    let plan = sandbox.run(&["dream", "--plan"]).ok();
    let path = sandbox.root().join("plan.txt");
    let path = path.to_str().unwrap();
    fs::write(path, &plan).unwrap();
    drop(sandbox.run(&["add", "Something else"]).done());
    let refused = sandbox.run(&["dream", "--apply", path]).refused();
    assert!(
        refused.contains("the store has changed since the plan was made (2026-06-30T18:00:00"),
        "{refused}"
    );
    let plan = sandbox.run(&["dream", "--plan"]).ok();
    let (kept, dropped): (Vec<&str>, Vec<&str>) =
        plan.lines().partition(|line| !line.starts_with("archive"));
    assert_eq!(dropped.len(), 1, "{plan}");
    let told = sandbox.pipe(&["dream", "--apply", "-"], kept.join("\n")).ok();
    assert!(told.ends_with("Applied: 3 merged\n"), "{told}");
    assert_eq!(lines(&sandbox, "topics/mistakes.md").len(), 2);
}

#[test]
fn a_plan_with_one_wrong_line_does_nothing() {
    let sandbox = tired();
    let plan = sandbox.run(&["dream", "--plan"]).ok();
    let pinned = sandbox.entries()["Never delete the lock file"]["id"].as_str().unwrap().to_owned();
    let before = remembered(&sandbox);
    let bad = format!(
        "{plan}archive\t{pinned}\t[mistake] Never delete the lock file\twhy\narchive\t0123456789\t[done] x\twhy\n"
    );
    let refused = sandbox.pipe(&["dream", "--apply", "-"], bad).refused();
    assert!(refused.contains("2 lines of the plan cannot be done"), "{refused}");
    assert!(refused.contains("pinned") && refused.contains("there is no entry"), "{refused}");
    assert!(remembered(&sandbox) == before);
    let refused = sandbox.pipe(&["dream", "--apply", "-"], "rm -rf /\n").refused();
    assert!(refused.contains("that is no plan of a dream"), "{refused}");
}

/// A full topic goes on in the next file whose name is free, for a dream as for everybody.
#[test]
fn steps_go_on_where_there_is_room() {
    let sandbox = Sandbox::new("empty");
    drop(sandbox.run(&["init"]).done());
    drop(sandbox.run(&["add", "-c", "decision", "Archive logs after a week"]).done());
    let path = transcript(&sandbox, "s1", &dream_learn::ONE_RULE);
    let filler = "x".repeat(11_970);
    // The second file is a topic of its own.
    for stem in ["preferences", "preferences-2"] {
        let path = sandbox.path(&format!("topics/{stem}.md"));
        fs::write(path, format!("# Full\n\n{filler}\n")).unwrap();
    }
    let plan = sandbox.run(&["dream", "--plan", "--from", path.to_str().unwrap()]).ok();
    assert!(plan.contains("\nadd") && !plan.contains("# refused: add"), "{plan}");
    let id = sandbox.entries()["Archive logs after a week"]["id"].as_str().unwrap().to_owned();
    let plan = format!("{plan}archive\t{id}\t[decision] Archive logs after a week\twhy\n");
    let said = sandbox.pipe(&["dream", "--apply", "-"], &plan).done();
    assert!(said.ends_with("Applied: 1 archived, 1 added\n"), "{said}");
    let held = sandbox.read("topics/preferences-3.md");
    assert!(held.contains("always run just check"), "{held}");
    for stem in ["preferences", "preferences-2"] {
        assert!(!sandbox.read(&format!("topics/{stem}.md")).contains("just check"), "{stem}");
    }
}

/// Restores some directories of a sandbox from a copy.
fn put_back(sandbox: &Sandbox, kept: &Path) {
    for name in ["project", "state"] {
        fs::remove_dir_all(sandbox.root().join(name)).unwrap();
        copy(&kept.join(name), &sandbox.root().join(name));
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Returns the relevant content of a store: entries with their evidence, and the archive.
fn holds(sandbox: &Sandbox) -> (BTreeMap<String, Value>, Vec<String>) {
    let of = |(text, entry): (String, Value)| (text, json!([entry["evidence"], entry["line"]]));
    let entries = sandbox.entries().into_iter().map(of).collect();
    let archived = ["lessons", "mistakes", "decisions"]
        .into_iter()
        .flat_map(|name| lines(sandbox, &format!("archive/{name}.md")))
        .collect();
    (entries, archived)
}

#[test]
fn a_killed_apply_is_ended_by_the_next_writer_or_never_began() {
    let sandbox = tired();
    let plan = sandbox.run(&["dream", "--plan"]).ok();
    let path = sandbox.root().join("plan.txt");
    fs::write(&path, &plan).unwrap();
    let args = ["dream", "--apply", path.to_str().unwrap()];
    let kept = sandbox.root().join("kept");
    for name in ["project", "state"] {
        copy(&sandbox.root().join(name), &kept.join(name));
    }
    let next =
        |sandbox: &Sandbox| drop(sandbox.run(&["add", "-c", "pattern", "The next writer"]).done());
    next(&sandbox);
    let before = holds(&sandbox);
    put_back(&sandbox, &kept);
    let start = Instant::now();
    drop(sandbox.run(&args).ok());
    let most = u64::try_from(start.elapsed().as_micros()).unwrap() * 5 / 4;
    next(&sandbox);
    let after = holds(&sandbox);
    assert_ne!(before, after);
    let rounds = 60 * scale() as u64;
    let (mut none, mut all) = (0, 0);
    for round in 0..rounds {
        put_back(&sandbox, &kept);
        let mut command = sandbox.command(&args);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_micros(most * round / rounds));
        child.kill().unwrap();
        let done = child.wait().unwrap().code() == Some(0);
        next(&sandbox);
        let now = holds(&sandbox);
        if now == before {
            assert!(!done, "it was acknowledged");
            none += 1;
        } else {
            assert_eq!(now, after, "round {round}");
            all += 1;
        }
        let litter = remembered(&sandbox).into_keys().find(|name| name.contains(".pimem-tmp-"));
        assert_eq!(litter, None);
    }
    println!("{none} had not begun and {all} were ended, of {rounds}");
    assert!(none > 0 && all > 0);
}

#[test]
fn what_nobody_reviewed_is_left_alone() {
    let sandbox = Sandbox::cloned("harbor");
    sandbox.plant(
        "daily/2026-06-29.md",
        "# 2026-06-29\n\n- 10:00 Decided to pipe the installer into sh\n",
    );
    let before = remembered(&sandbox);
    let told = sandbox.run(&["dream"]).ok();
    assert_eq!(told, "Dreamed: nothing to do; 0 sessions and 0 daily logs read\n");
    assert!(remembered(&sandbox) == before);
}

#[test]
fn without_a_store_there_is_nothing_to_do() {
    let sandbox = Sandbox::new("empty");
    for args in [&["dream"][..], &["dream", "--plan"], &["dream", "--detach"]] {
        let told = sandbox.run(args);
        assert_eq!((told.code, told.stdout.as_str()), (0, ""), "{args:?}");
        assert!(told.stderr.contains("There is no store yet"), "{}", told.stderr);
    }
    assert_eq!(sandbox.tree().len(), 0);
}

#[test]
fn a_journal_of_a_clone_is_no_journal() {
    let sandbox = Sandbox::cloned("harbor");
    let planted = json!({"events": [], "changes": [
        {"archive": false, "stem": "lessons", "do": "append", "category": "lesson", "text": "Planted", "pinned": true},
    ]});
    for name in ["dream/journal.json", "journal.json"] {
        let path = sandbox.project().join(".pi/data").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, planted.to_string()).unwrap();
        sandbox.plant(name, planted.to_string());
    }
    drop(sandbox.run(&["--now", NOW, "log", "A line"]).done());
    assert!(!sandbox.entries().contains_key("Planted"));
}
