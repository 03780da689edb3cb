//! A sealed store answers as a plain one does, and nothing of it is readable on the disk.

use std::{
    fs,
    path::{Path, PathBuf},
};

use pimem_core::{
    model::entry::EntryId,
    sync::wire::{self, SyncEntry, SyncObject, raw},
};

use crate::{
    common::{
        repository,
        sandbox::{Outcome, Sandbox},
    },
    hooks::{self, piped},
    index::index_dir,
};

/// Words that no file may have.
const CANARIES: usize = 200;

/// Returns a word that stands nowhere else.
pub(crate) fn canary(number: usize) -> String {
    let sounds = ["ba", "de", "fi", "go", "hu", "ja", "ke", "li", "mo", "nu"];
    let at = |digit: usize| sounds[digit % 10];
    format!("zy{}{}{}x", at(number), at(number / 10), at(number / 100))
}

fn words(from: usize, count: usize) -> String {
    (from..from + count).map(canary).collect::<Vec<_>>().join(" ")
}

/// Returns the files that have any of the words, with the word.
pub(crate) fn leaks(sandbox: &Sandbox) -> Vec<String> {
    let words: Vec<String> = (0..CANARIES).map(canary).collect();
    let is_ours = |name: &str| !name.starts_with("input/") && name != "trace";
    let files = sandbox.everything().into_iter().filter(|(name, _)| is_ours(name));
    files
        .filter_map(|(name, bytes)| {
            let text = String::from_utf8_lossy(&bytes).to_lowercase();
            let found = words.iter().find(|word| text.contains(word.as_str()));
            found.map(|word| format!("{name}: {word}"))
        })
        .collect()
}

/// A transcript of an agent, whose words are canaries.
fn transcript() -> String {
    let mut lines = String::new();
    for turn in 0..6 {
        let (ask, answer) = (words(120 + turn * 4, 4), words(150 + turn * 4, 4));
        let line = |role: &str, text: String, at: usize| {
            let content = serde_json::json!({
                "type": role, "sessionId": "s-1", "timestamp": format!("2026-06-30T17:{at:02}:00Z"),
                "message": {"role": role, "content": text},
            });
            format!("{content}\n")
        };
        lines += &line("user", format!("I always use {ask} before every release of it"), turn * 2);
        lines +=
            &line("assistant", format!("Fixed the {answer} in the build, all done"), turn * 2 + 1);
    }
    lines
}

/// Runs every step in both sandboxes: `hook EVENT`, or a command; `<` is what follows as input.
fn step(sandbox: &Sandbox, line: &str) -> Outcome {
    let (line, input) = line.split_once(" < ").unwrap_or((line, ""));
    let input = input.replace('|', "\n");
    if let Some(event) = line.strip_prefix("hook ") {
        let transcript = sandbox.root().join("input/s-1.jsonl");
        let message = serde_json::json!({
            "session_id": "s-1", "transcript_path": transcript, "cwd": sandbox.project(),
            "prompt": input, "last_assistant_message": input, "source": "startup",
            "tool_name": "Write", "tool_input": {"file_path": sandbox.project().join("src/main.rs")},
        });
        return hooks::call(sandbox, "claude", event, message.to_string());
    }
    let args: Vec<&str> = line.split(' ').collect();
    piped(sandbox.command(&args), input)
}

fn script() -> Vec<String> {
    let many: Vec<String> =
        (0..40).map(|n| format!("The {} is built by {} only", canary(n), canary(n + 40))).collect();
    let w = canary;
    let mut steps = vec![format!("add - < {}", many.join("|"))];
    steps.extend([
        format!("add -c decision --tag {} We ship {} on Mondays", w(80), w(81)),
        format!("add -c preference --pin Answers about {} are short", w(82)),
        format!("add -c mistake {} broke the release", w(83)),
        format!("reinforce {}", w(81)),
        format!("edit {} {} broke the release twice", w(83), w(84)),
        format!("forget {}", w(84)),
        format!("restore {}", w(84)),
        format!("pin {}", w(81)),
        "undo".to_owned(),
        format!("log met {} today", w(85)),
        format!("note {} is the name of the server", w(86)),
        format!("todo add ask {} for the quota", w(87)),
        format!("todo add feed {}", w(88)),
        format!("todo done {}", w(88)),
        "todo".to_owned(),
        "todo clear".to_owned(),
        format!("add --topic things -c lesson {} is subject to {}", w(89), w(90)),
        "rebuild -q".to_owned(),
        format!("search {}", w(3)),
        format!("search --mode keyword {} {}", w(44), w(81)),
        format!("search --json --mode semantic builds of {}", w(5)),
        "list".to_owned(),
        "list --json".to_owned(),
        "list --topics".to_owned(),
        format!("why {}", w(81)),
        "why --all".to_owned(),
        "why --ahead".to_owned(),
        "check".to_owned(),
        "report".to_owned(),
        "report --layout working".to_owned(),
        "hook session-start".to_owned(),
        format!("hook prompt < How is {} built, and what of {}?", w(7), w(91)),
        format!("hook prompt < I always use {} when I deploy {} to production", w(92), w(93)),
        format!("hook stop < The {} was built by {} as you said, and {} is done", w(7), w(47), w(94)),
        "hook post-tool".to_owned(),
        format!("hook prompt < From now on please never touch {} without asking {}", w(95), w(96)),
        "hook pre-compact".to_owned(),
        "hook session-end".to_owned(),
        "telemetry".to_owned(),
        "dream index ../input/s-1.jsonl".to_owned(),
        format!("search --in sessions {}", w(121)),
        "dream observe ../input/s-1.jsonl".to_owned(),
        format!("dream extract --pairs < {{\"question\":\"My name is {} and I live in {}\",\"answer\":\"ok\"}}", w(97), w(98)),
        format!("dream extract < I prefer {} to {} in every project", w(99), w(100)),
        "handoff".to_owned(),
        "dream --plan".to_owned(),
        "dream".to_owned(),
        "list".to_owned(),
        "trust --count".to_owned(),
        format!("import jsonl - < {{\"text\":\"Imported {} by hand\"}}", w(101)),
        format!("sync --from - --trust < {}", carried(&format!("Carried {} along", w(102)))),
        "sync --bundle - --plain --dry-run".to_owned(),
        "export agents".to_owned(),
        format!("forget --destroy --yes {}", w(10)),
        "report --since 2026-06-01".to_owned(),
        "report".to_owned(),
        "rebuild -q".to_owned(),
        "list --json".to_owned(),
    ]);
    steps
}

/// Returns a bundle of one lesson.
fn carried(text: &str) -> String {
    let entry = SyncEntry::of("lesson", text);
    let event = format!(
        "{{\"id\":\"01KQHFP680QSKEZ9V6R3YAHCDG\",\"ts\":\"2026-05-01T10:00:00.000Z\",\
         \"entry\":\"{}\",\"op\":\"add\",\"cue\":\"explicit\",\"by\":\"user\"}}",
        EntryId::of("lesson", text.as_bytes())
    );
    let objects = [SyncObject::of_entry(entry), SyncObject::of_event(raw(&event).unwrap())];
    let lines = objects.iter().map(wire::write);
    [wire::write(&wire::Header::new(None)), lines.collect()].concat()
}

fn made(input: bool) -> Sandbox {
    let sandbox = Sandbox::new("empty");
    if input {
        fs::create_dir_all(sandbox.root().join("input")).unwrap();
        fs::write(sandbox.root().join("input/s-1.jsonl"), transcript()).unwrap();
        fs::create_dir_all(sandbox.project().join("src")).unwrap();
        fs::write(sandbox.project().join("src/main.rs"), "fn main() {}\n").unwrap();
    }
    sandbox.run(&["init"]).done();
    sandbox
}

pub(crate) fn seal(sandbox: &Sandbox) -> String {
    sandbox.run(&["encrypt", "init"]).done()
}

#[test]
fn a_sealed_store_answers_as_a_plain_one() {
    let (plain, sealed) = (made(true), made(true));
    seal(&sealed);
    assert_eq!(leaks(&sealed), Vec::<String>::new());
    for line in script() {
        let (want, got) = (step(&plain, &line), step(&sealed, &line));
        // A plan names the state of the store, which has random parts.
        let normal = |sandbox: &Sandbox, done: &Outcome| {
            let lines = sandbox.normal(&done.stdout);
            let lines: Vec<String> = lines
                .lines()
                .filter(|line| !line.starts_with("state\t"))
                .map(str::to_owned)
                .collect();
            (done.code, lines, sandbox.normal(&done.stderr))
        };
        assert_eq!(normal(&sealed, &got), normal(&plain, &want), "{line}");
        assert_eq!(leaks(&sealed), Vec::<String>::new(), "{line}");
    }
    assert!(!leaks(&plain).is_empty(), "the words are found where they stand");
    let status = sealed.run(&["encrypt", "status"]);
    assert_eq!(status.code, 0, "{status:?}");
    // And the way back: what the plain store has is what the sealed one has.
    let before = answers(&sealed);
    sealed.run(&["encrypt", "decrypt"]).done();
    assert_eq!(answers(&sealed), before);
    let store = sealed.everything().into_iter().filter(|(name, _)| !name.starts_with("config/"));
    for (name, bytes) in store {
        assert!(!String::from_utf8_lossy(&bytes).contains("enc:v1:"), "{name}");
    }
    assert!(!sealed.path("store.json").exists());
}

/// What a store answers.
pub(crate) fn answers(sandbox: &Sandbox) -> Vec<String> {
    let commands: [&[&str]; 3] = [&["list", "--json"], &["report"], &["todo", "list"]];
    commands.iter().map(|args| sandbox.run(args).done()).collect()
}

#[test]
fn sealing_and_opening_gives_the_same_bytes() {
    let sandbox = Sandbox::new("working");
    for line in
        ["add One more", "log a thing", "hook prompt < How do I deploy the harbor?", "rebuild -q"]
    {
        step(&sandbox, line).done();
    }
    let kept = |sandbox: &Sandbox| {
        let mut files = sandbox.everything();
        let is_cache = |name: &str| {
            name.starts_with("cache/") || name.starts_with("config/") || name.ends_with("/lock")
        };
        files.retain(|name, _| !is_cache(name));
        files
    };
    let before = kept(&sandbox);
    seal(&sandbox);
    assert!(kept(&sandbox) != before);
    sandbox.run(&["encrypt", "rotate"]).done();
    sandbox.run(&["encrypt", "decrypt"]).done();
    assert_eq!(kept(&sandbox), before);
    assert!(repository().join("fixtures/stores/working").is_dir());
}

/// What happens to a key file.
type Damage<'a> = Box<dyn Fn(&Path) + 'a>;

/// Returns the path of the only key file.
pub(crate) fn key_file(sandbox: &Sandbox) -> PathBuf {
    let keys = fs::read_dir(sandbox.root().join("config/pimem/keys")).unwrap();
    let mut paths: Vec<PathBuf> = keys.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "key"));
    assert_eq!(paths.len(), 1, "{paths:?}");
    paths.remove(0)
}

/// Replaces the key file by what `damage` makes of it, and returns what is said.
fn refusal(sandbox: &Sandbox, damage: impl FnOnce(&Path)) -> String {
    let file = key_file(sandbox);
    let good = fs::read(&file).unwrap();
    let before = sandbox.tree();
    damage(&file);
    for args in [
        &["add", "something"][..],
        &["log", "x"],
        &["note", "x"],
        &["rebuild"],
        &["encrypt", "rotate"],
        &["todo", "add", "x"],
    ] {
        let said = sandbox.run(args).refused();
        assert!(said.contains("is sealed"), "{args:?}: {said}");
        assert_eq!(sandbox.tree(), before, "{args:?}");
    }
    let said = sandbox.run(&["list"]).refused();
    drop(fs::remove_file(&file));
    drop(fs::remove_dir_all(&file));
    fs::write(&file, good).unwrap();
    chmod(&file, 0o600);
    sandbox.run(&["list"]).ok();
    said
}

#[cfg(unix)]
fn chmod(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
#[cfg(unix)]
fn key_files_that_are_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let sandbox = made(false);
    sandbox.run(&["add", "Something sealed"]).done();
    let said = seal(&sandbox);
    let file = key_file(&sandbox);
    assert!(said.contains(&*file.to_string_lossy()), "{said}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let secret = fs::read(&file).unwrap();
    let cases: Vec<(&str, Damage<'_>)> = vec![
        ("does not exist", Box::new(|file| fs::remove_file(file).unwrap())),
        ("can be read by others (mode 640", Box::new(|file| chmod(file, 0o640))),
        ("can be read by others (mode 604", Box::new(|file| chmod(file, 0o604))),
        ("has 31 bytes", Box::new(|file| fs::write(file, &secret[..31]).unwrap())),
        ("has 33 bytes", Box::new(|file| fs::write(file, [&secret[..], b"\n"].concat()).unwrap())),
        ("of another store", Box::new(|file| fs::write(file, [7; 32]).unwrap())),
        (
            "is a symbolic link",
            Box::new(|file| {
                let real = file.with_file_name("real");
                fs::rename(file, &real).unwrap();
                symlink(&real, file).unwrap();
            }),
        ),
        (
            "is not a file",
            Box::new(|file| {
                fs::remove_file(file).unwrap();
                fs::create_dir(file).unwrap();
            }),
        ),
    ];
    for (why, damage) in cases {
        let said = refusal(&sandbox, damage);
        assert!(said.contains(why), "{why}: {said}");
        let hex = pimem_core::model::hash::write_hex(&secret);
        assert!(!said.contains(&hex[..12]), "{said}");
    }
    // An agent is told in one line, and gets nothing of the store.
    fs::rename(&file, file.with_file_name("elsewhere")).unwrap();
    let told = hooks::call(
        &sandbox,
        "claude",
        "session-start",
        serde_json::json!({"session_id": "s", "cwd": sandbox.project(), "source": "startup"})
            .to_string(),
    );
    assert!(told.stdout.contains("is sealed") && !told.stdout.contains("Something"), "{told:?}");
}

#[test]
fn what_store_json_may_say() {
    let sandbox = made(false);
    sandbox.run(&["add", "Something sealed"]).done();
    seal(&sandbox);
    let good = sandbox.read("store.json");
    for (text, why) in [
        (good.replace("pimem.store/1", "pimem.store/2"), "newer version"),
        ("{".to_owned(), "is damaged"),
        (good.replace("\"key\": \"", "\"key\": \"zz"), "is damaged"),
        (good.replace("true", "false"), "store.json does not say so"),
        (String::new(), "is damaged"),
    ] {
        fs::write(sandbox.path("store.json"), text).unwrap();
        let before = sandbox.tree();
        for args in [["add", "plain words"], ["log", "x"], ["note", "x"], ["encrypt", "init"]] {
            let said = sandbox.run(&args);
            assert!(said.code == 2 && said.stderr.contains(why), "{why}: {args:?} {said:?}");
            assert_eq!(sandbox.tree(), before, "{why}");
        }
        let listed = sandbox.run(&["list"]);
        assert!(listed.code == 2 && !listed.stdout.contains("enc:v1"), "{why}: {listed:?}");
    }
    fs::remove_file(sandbox.path("store.json")).unwrap();
    assert!(sandbox.run(&["add", "plain words"]).refused().contains("does not say so"));
    assert!(sandbox.run(&["log", "plain words"]).refused().contains("does not say so"));
    fs::write(sandbox.path("store.json"), good).unwrap();
    assert!(sandbox.run(&["list"]).ok().contains("Something sealed"));
}

#[test]
fn lines_that_cannot_be_opened_are_told_and_kept() {
    let sandbox = made(false);
    for text in ["First of all", "Second thing", "Third time"] {
        sandbox.run(&["add", text]).done();
    }
    seal(&sandbox);
    let other = made(false);
    other.run(&["add", "From elsewhere"]).done();
    seal(&other);
    let foreign = other.read("topics/lessons.md");
    let foreign = foreign.lines().last().unwrap();
    let mut lines: Vec<String> =
        sandbox.read("topics/lessons.md").lines().map(str::to_owned).collect();
    let twice = lines[2].clone();
    let cut = lines[3][..lines[3].len() - 9].to_owned();
    lines[3] = cut.clone();
    lines.extend([foreign.to_owned(), twice.clone(), "- [lesson] Typed by hand".to_owned()]);
    fs::write(sandbox.path("topics/lessons.md"), lines.join("\n") + "\n").unwrap();
    let listed = sandbox.run(&["list"]);
    assert!(
        listed.stderr.contains("cannot be opened") && listed.stderr.contains(": 2;"),
        "{listed:?}"
    );
    assert_eq!(listed.stdout.matches("First of all").count(), 1);
    for (text, there) in
        [("Second thing", false), ("Third time", true), ("enc:v1", false), ("Typed by hand", true)]
    {
        assert_eq!(listed.stdout.contains(text), there, "{text}: {listed:?}");
    }
    assert_eq!(sandbox.run(&["encrypt", "status"]).code, 1);
    // The next write seals what is plain, and leaves the bytes of all other lines.
    sandbox.run(&["add", "Fourth word"]).done();
    let after = sandbox.read("topics/lessons.md");
    for line in [&twice, &cut, &foreign.to_owned(), &lines[4]] {
        assert!(after.contains(line.as_str()), "{line}");
    }
    assert!(!after.contains("Typed by hand") && !after.contains("Fourth"));
    assert!(sandbox.run(&["encrypt", "decrypt"]).refused().contains("cannot be opened: 2"));
    // With the other store's key beside, its lines are still of another store.
    assert_eq!(sandbox.run(&["encrypt", "status"]).code, 1);
}

#[test]
fn a_plain_entry_may_speak_of_tokens() {
    let sandbox = made(false);
    sandbox.run(&["add", "enc:v1: begins a token"]).done();
    seal(&sandbox);
    sandbox.run(&["add", "enc:v1:A with words behind"]).done();
    let list = sandbox.run(&["list"]).ok();
    assert!(list.contains("begins a token") && list.contains("with words behind"), "{list}");
    sandbox.run(&["encrypt", "decrypt"]).done();
    assert_eq!(sandbox.run(&["list"]).ok().lines().count(), 2);
}

/// The ledger of trust is appended to for every entry; sealed, each piece is several times as long.
#[test]
fn the_ledger_of_trust_does_not_grow_without_end() {
    let sandbox = made(false);
    seal(&sandbox);
    for part in 0..30 {
        let lines: Vec<String> = (0..4).map(|n| format!("Entry {} of {part}", canary(n))).collect();
        let input = lines.join("\n");
        for line in input.lines() {
            sandbox.run(&["add", "--force", line]).done();
        }
    }
    let ledger = fs::read_dir(sandbox.root().join("state/pimem/trust")).unwrap();
    let sizes = ledger.map(|entry| entry.unwrap().metadata().unwrap().len());
    let largest = sizes.max().unwrap();
    assert!(largest < 3 * 33 * 125 + (16 << 10) + 300, "{largest}");
    assert_eq!(sandbox.run(&["trust", "--count"]).code, 0);
}

#[test]
fn a_sealed_store_is_no_source_of_an_import() {
    let (sandbox, other) = (made(false), made(false));
    sandbox.run(&["add", "Something sealed"]).done();
    sandbox.run(&["note", "Something noted"]).done();
    seal(&sandbox);
    for kind in ["pi", "pi-memory"] {
        let dir = sandbox.store();
        let done = other.run(&["import", kind, &dir.to_string_lossy()]);
        assert!(!done.stdout.contains("enc:v1"), "{kind}: {done:?}");
        assert!(other.entries().is_empty(), "{kind}: {done:?}");
    }
}

/// Texts of topics are kept sealed in the cache, so that a report need not open each line.
#[test]
fn kept_texts_are_of_the_bytes_that_are_there() {
    let sandbox = made(false);
    sandbox.run(&["add", &format!("First {}", canary(1))]).done();
    seal(&sandbox);
    let old = sandbox.bytes("topics/lessons.md");
    sandbox.run(&["rebuild", "-q"]).done();
    let shelf = index_dir(&sandbox).join("texts.sealed");
    let kept = fs::read(&shelf).unwrap();
    assert_eq!(leaks(&sandbox), Vec::<String>::new());
    sandbox.run(&["add", &format!("Second {}", canary(2))]).done();
    let want = sandbox.run(&["list"]).ok();
    assert!(want.contains(&canary(1)) && want.contains(&canary(2)), "{want}");
    // Whatever is in the file, the answer is that of the store.
    let mut damaged = kept.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    for bytes in [damaged, kept[..kept.len() - 1].to_vec(), Vec::new(), b"no texts".to_vec()] {
        fs::write(&shelf, bytes).unwrap();
        assert_eq!(sandbox.run(&["list"]).ok(), want);
    }
    fs::write(&shelf, &kept).unwrap();
    fs::write(sandbox.path("topics/lessons.md"), &old).unwrap();
    let list = sandbox.run(&["list"]).ok();
    assert!(list.contains(&canary(1)) && !list.contains(&canary(2)), "{list}");
    // A line that is damaged is told also when the text was kept before.
    let mut bytes = old.clone();
    let last = bytes.len() - 9;
    bytes[last] ^= 1;
    fs::write(sandbox.path("topics/lessons.md"), bytes).unwrap();
    let listed = sandbox.run(&["list"]);
    assert!(listed.stderr.contains("cannot be opened"), "{listed:?}");
    sandbox.run(&["rebuild", "-q"]).done();
    let listed = sandbox.run(&["list"]);
    assert!(listed.stderr.contains("cannot be opened"), "{listed:?}");
}
