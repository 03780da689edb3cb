//! A clone may bring any name of a store as a link or a special file: nothing behind it is created,
//! changed, shown or deleted, and no command blocks.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    time::{Duration, SystemTime},
};

use crate::{
    common::{
        every, repository,
        sandbox::{Outcome, PIMEM, Sandbox},
        scale,
    },
    hooks::piped,
};

/// Text in the files that links lead to.
const OUTSIDE: &str = "Zanzibar is told by nobody";

/// Files of the clone.
const STORE: &[(&str, &str)] = &[
    (
        "topics/lessons.md",
        "- [lesson] Locks survive a rollback\n- [lesson] Berths overlap at noon\n",
    ),
    ("topics/preferences.md", "- [preference] Always use spaces in YAML\n"),
    ("archive/lessons.md", "- [lesson] Tides turn\n"),
    ("MEMORY.md", "# Notes\n\n- The berths are numbered\n"),
    ("SCRATCHPAD.md", "- [ ] Paint the berths\n"),
    ("daily/2026-06-30.md", "# 2026-06-30\n\n- 09:00 Painted\n"),
];

/// Name of the directory that holds all the others.
const ROOT: &str = ".";

/// Events of Claude Code with their input, besides session, directory and transcript.
const EVENTS: &[(&str, &str)] = &[
    ("session-start", "\"source\":\"startup\""),
    ("prompt", "\"prompt\":\"From now on, use tabs in makefiles please\""),
    // A line that is there counts once more, beside the log.
    ("prompt", "\"prompt\":\"Always use spaces in YAML.\""),
    ("prompt", "\"prompt\":\"what did we do about the berths that overlap, and in Zanzibar?\""),
    ("post-tool", "\"tool_name\":\"Edit\",\"tool_input\":{\"file_path\":\"src/api/berth.rs\"}"),
    ("stop", "\"last_assistant_message\":\"Advisory locks survive a rollback\""),
    ("pre-compact", "\"trigger\":\"auto\""),
    ("session-start", "\"source\":\"compact\""),
    ("session-end", "\"reason\":\"exit\""),
];

/// Commands that write, in an order in which all of them can succeed.
const WRITERS: &[&str] = &[
    "init",
    "add A line of our own",
    "add -c preference --pin Spaces in everything",
    "reinforce rollback",
    "edit Tides Tides turn twice a day",
    "pin rollback",
    "unpin rollback",
    "forget rollback",
    "restore rollback",
    "dream extract I prefer short functions, always",
    "log A line of the log",
    "note A note",
    "todo add Something to do",
    "todo done Something",
    "todo clear",
    "handoff",
    "dream index $TRANSCRIPT",
    "dream observe $TRANSCRIPT",
    "dream reflect",
    "import jsonl $IMPORT",
    "config set report.budget 900",
    "check --fix",
    "dream --force",
    "rebuild",
    "trust --all",
    "trust --revoke",
    "forget --destroy --yes berths",
    "telemetry clear --yes",
];

const READERS: &[&str] = &[
    "list",
    "list --topics",
    "report",
    "report --layout working",
    "report --prompt Zanzibar",
    "search Zanzibar",
    "why rollback",
    "why --ahead",
    "report --since 7d",
    "note",
    "todo --all",
    "log",
    "log --days",
    "handoff --show",
    "list --sessions",
    "telemetry",
    "telemetry log",
    "trust --count",
    "trust",
    "check",
    "check --scope project",
    "status",
    "config show",
    "dream --plan",
    "dream reflect --dry-run",
    "export jsonl",
    "export pi-memory --output exported",
];

/// A clone of a store, with a directory that links lead to.
struct Clone {
    sandbox: Sandbox,
}

impl Clone {
    fn new() -> Self {
        let sandbox = Sandbox::cloned("empty");
        for (name, text) in STORE {
            sandbox.plant(name, text);
        }
        fs::create_dir_all(sandbox.project().join(".git")).unwrap();
        fs::create_dir_all(sandbox.root().join("outside")).unwrap();
        let transcript = repository().join("fixtures/transcripts/claude.jsonl");
        fs::copy(transcript, sandbox.root().join("transcript.jsonl")).unwrap();
        fs::write(sandbox.root().join("import.jsonl"), "{\"text\": \"From elsewhere\"}\n").unwrap();
        Self { sandbox }
    }

    /// Runs all hooks and commands, and passes each result to `look`.
    fn live(&self, commands: &[&[&str]], look: impl Fn(&str, Outcome)) {
        for (event, says) in EVENTS {
            let (cwd, transcript) = (self.sandbox.project(), self.path("transcript.jsonl"));
            let input = format!(
                "{{\"session_id\":\"s\",\"cwd\":{cwd:?},\"transcript_path\":{transcript:?},{says}}}"
            );
            look(event, self.run(&["hook", "claude", event], input));
        }
        for line in commands.iter().copied().flatten() {
            let fill = |word: &str| match word {
                "$TRANSCRIPT" => self.path("transcript.jsonl").to_string_lossy().into_owned(),
                "$IMPORT" => self.path("import.jsonl").to_string_lossy().into_owned(),
                word => word.to_owned(),
            };
            let args: Vec<String> = line.split(' ').map(fill).collect();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            look(line, self.run(&args, ""));
        }
    }

    /// Runs all hooks and commands, and checks that nothing outside the store is changed or shown.
    fn live_apart(&self, commands: &[&[&str]], group: &[&str]) {
        let before = self.surroundings();
        self.live(commands, |line, done| {
            assert!((0..=2).contains(&done.code), "{group:?} {line}: {done:?}");
            let told = format!("{}{}", done.stdout, done.stderr);
            assert!(!told.contains(OUTSIDE), "{group:?} {line}: {done:?}");
            let after = self.surroundings();
            let names = after.keys().chain(before.keys()).collect::<BTreeSet<_>>().into_iter();
            let changed: Vec<&String> =
                names.filter(|name| after.get(*name) != before.get(*name)).collect();
            assert!(changed.is_empty(), "{group:?} {line}: {changed:?}");
        });
    }

    /// Runs the program with a time limit and without background work.
    fn run(&self, args: &[&str], input: impl AsRef<[u8]>) -> Outcome {
        let mut command = Command::new("timeout");
        command.args(["20", PIMEM]).args(args);
        self.sandbox.place(&mut command);
        command.env("PIMEM_HOOK_REBUILD_MINUTES", "0").env("PIMEM_SYNC", "0");
        command.env("PIMEM_DREAM_ENABLED", "false").env("PIMEM_EMBEDDING_MODEL", "none");
        piped(command, input)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.sandbox.root().join(name)
    }

    /// Returns the files outside the store with their bytes.
    fn surroundings(&self) -> BTreeMap<String, Vec<u8>> {
        let mut all = self.sandbox.everything();
        all.retain(|name, _| !is_ours(name));
        all
    }

    /// Replaces a name in `.pi` by a link, and returns its target.
    fn link(&self, name: &str) -> PathBuf {
        let name = if name == ROOT { "" } else { name };
        let path: PathBuf = self.sandbox.project().join(".pi").join(name).components().collect();
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap();
        } else if path.exists() {
            fs::remove_file(&path).unwrap();
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Git stores relative links: up to the sandbox and down again.
        let up = Path::new(".pi").join(name).components().count();
        let target = Path::new("outside").join(format!("pi-{}", name.replace('/', "-")));
        symlink(Path::new(&"../".repeat(up)).join(&target), path).unwrap();
        self.sandbox.root().join(target)
    }
}

/// Returns true if the program may write to this path of the sandbox.
fn is_ours(name: &str) -> bool {
    let ours = [
        "project/.pi/",
        "project/.git/pimem/",
        "project/exported",
        "home/.pi/",
        "cache/",
        "state/",
        "config/",
    ];
    ours.iter().any(|dir| name.starts_with(dir))
}

/// Returns every file and directory that a project can have below `.pi`, as observed. New ones are
/// therefore tested without being listed.
fn names() -> &'static [String] {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    NAMES.get_or_init(found)
}

fn found() -> Vec<String> {
    let clone = Clone::new();
    let names = RefCell::new(BTreeSet::from(["memory.json".to_owned()]));
    // Checked after each step, because some files are temporary.
    clone.live(&[WRITERS], |line, done| {
        assert!((0..=2).contains(&done.code), "{line}: {done:?}");
        for (path, _) in clone.sandbox.everything() {
            let Some(name) = path.strip_prefix("project/.pi/") else { continue };
            let whole = Path::new(name).ancestors().filter(|part| part.components().count() > 0);
            names.borrow_mut().extend(whole.map(|part| part.to_string_lossy().into_owned()));
        }
    });
    let mut names = names.into_inner();
    names.insert(ROOT.to_owned());
    names.into_iter().collect()
}

/// Groups names to be tested in one clone. A name that stops many commands would hide the others,
/// so it is tested alone.
fn groups(names: &[String]) -> Vec<Vec<&str>> {
    if scale() > 1 {
        return names.iter().map(|name| vec![name.as_str()]).collect();
    }
    let alone = [ROOT, "memory", "evidence.jsonl", "topics", "archive", "data", "memory.json"];
    let (mut groups, mut locks, mut files) = (Vec::new(), Vec::new(), Vec::new());
    let (mut folders, mut entries, mut dreams) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        let path = Path::new(name.as_str());
        let last = path.components().next_back();
        let is_last = |name: &&str| last == Path::new(name).components().next_back();
        if alone.iter().any(is_last) {
            groups.push(vec![name.as_str()]);
        } else if name.ends_with("/lock") {
            locks.push(name.as_str());
        } else if path.extension().is_none() && !name.contains("/.") {
            folders.push(name.as_str());
        } else if name.starts_with("memory/topics") || name.starts_with("memory/archive") {
            entries.push(name.as_str());
        } else if name.starts_with("data/dream") {
            dreams.push(name.as_str());
        } else {
            files.push(name.as_str());
        }
    }
    groups.extend([locks, files, folders, entries, dreams]);
    groups
}

#[test]
fn the_names_are_those_of_the_layout() {
    let names = names();
    for name in [
        "data/.gitignore",
        "data/dream/lock",
        "data/dream/sessions.jsonl",
        "data/dream/state.json",
        "data/evidence.jsonl",
        "data/lock",
        "data/memory-telemetry.jsonl",
        "data/observations",
        "data/session-search.json",
        "data/sessions",
        "memory/.dream-watermark",
        "memory/.gitattributes",
        "memory/.gitignore",
        "memory/MEMORY.md",
        "memory/SCRATCHPAD.md",
        "memory/archive/SCRATCHPAD.md",
        "memory/archive/lessons.md",
        "memory/daily/2026-06-30.md",
        "memory/evidence.jsonl",
        "memory/lock",
        "memory/memory-scores.json",
        "memory/observations",
        "memory/topics/lessons.md",
        "memory/topics/preferences.md",
    ] {
        assert!(names.iter().any(|known| known == name), "{name} is not in {names:?}");
    }
    let tried: usize = groups(names).iter().map(Vec::len).sum();
    assert_eq!(tried, names.len());
}

#[test]
fn links_to_nothing() {
    for group in groups(names()).into_iter().step_by(every(2)) {
        let clone = Clone::new();
        for name in &group {
            clone.link(name);
        }
        clone.live_apart(&[WRITERS], &group);
    }
}

#[test]
fn links_to_something() {
    let long_ago = SystemTime::now() - Duration::from_hours(24 * 30);
    for group in groups(names()).into_iter().skip(every(2) - 1).step_by(every(2)) {
        let clone = Clone::new();
        for name in &group {
            let was = clone.sandbox.project().join(".pi").join(name);
            let target = clone.link(name);
            if was.extension().is_some() || name.ends_with("lock") || name.contains("/.") {
                fs::write(&target, format!("- [lesson] {OUTSIDE}\n")).unwrap();
                continue;
            }
            fs::create_dir_all(&target).unwrap();
            for name in ["topics", "memory/topics"] {
                fs::create_dir_all(target.join(name)).unwrap();
                fs::write(target.join(name).join("lessons.md"), format!("- [lesson] {OUTSIDE}\n"))
                    .unwrap();
            }
            for name in ["lessons.md", "2026-06-30.md", "old.jsonl", ".pimem-tmp-0a0a0a0a"] {
                let path = target.join(name);
                fs::write(&path, format!("- [lesson] {OUTSIDE}\n")).unwrap();
                File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
            }
        }
        clone.live_apart(&[WRITERS, READERS], &group);
    }
}

/// Opening a pipe without a writer blocks forever; `timeout` then exits with 124.
#[test]
fn pipes_in_the_place_of_files() {
    // A command does not open a pipe under another name, so names that stop no command are tested
    // together.
    let is_file = |name: &&str| name.contains('.') || name.ends_with("lock");
    let files = groups(names()).into_iter().filter(|group| group.iter().all(is_file));
    let (alone, rest): (Vec<_>, Vec<_>) = files
        .partition(|group| group.len() == 1 || group.iter().any(|name| name.contains("/topics/")));
    for group in alone.into_iter().chain([rest.concat()]) {
        let clone = Clone::new();
        for name in &group {
            let name = if *name == ROOT { "" } else { name };
            let path: PathBuf =
                clone.sandbox.project().join(".pi").join(name).components().collect();
            drop((fs::remove_file(&path), fs::remove_dir_all(&path)));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        }
        clone.live(&[READERS, &WRITERS[..14]], |line, done| {
            assert!((0..=2).contains(&done.code), "{group:?} {line}: {done:?}");
        });
    }
}

/// Links within the store are followed, also when appending, and stay links.
#[test]
fn links_inside() {
    let sandbox = Sandbox::new("harbor");
    for (name, target) in [
        ("evidence.jsonl", "archive/events.jsonl"),
        ("daily/2026-06-30.md", "../notes.md"),
        ("topics/patterns.md", "../elsewhere.md"),
    ] {
        let (link, there) = (sandbox.path(name), sandbox.path(name).parent().unwrap().join(target));
        fs::create_dir_all(there.parent().unwrap()).unwrap();
        drop(fs::rename(&link, &there));
        symlink(target, &link).unwrap();
    }
    sandbox.run(&["add", "-c", "pattern", "Through a link"]).ok();
    sandbox.run(&["log", "A line of the log"]).ok();
    assert!(sandbox.read("archive/events.jsonl").contains("\"op\":\"add\""));
    assert!(sandbox.read("notes.md").ends_with("A line of the log\n"));
    assert!(sandbox.read("elsewhere.md").ends_with("- [pattern] Through a link\n"));
    for name in ["evidence.jsonl", "daily/2026-06-30.md", "topics/patterns.md"] {
        assert!(sandbox.path(name).is_symlink(), "{name}");
    }
    // A lock behind a link could be held twice.
    symlink("MEMORY.md", sandbox.path("lock2")).unwrap();
    fs::rename(sandbox.path("lock2"), sandbox.path("lock")).unwrap();
    let refused = sandbox.run(&["add", "With another's lock"]).refused();
    assert!(refused.contains("lock is not a file"), "{refused}");
}

/// A background dream writes to a file handle that it inherits, so the log is not opened by name
/// later.
#[test]
fn the_log_of_dreams() {
    let clone = Clone::new();
    let target = clone.link("data/dream/dream.log");
    let done = clone.run(&["dream", "--detach"], "");
    assert!(
        done.code == 2 && done.stderr.contains("dream.log is a link that leads out"),
        "{done:?}"
    );
    assert!(!target.exists());
}
