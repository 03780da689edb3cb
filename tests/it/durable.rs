//! Acknowledged changes have reached the disk, in an order in which nothing is lost on the way.
//!
//! `effects.txt` lists what each command does to the disk, so that changes show in review;
//! `PIMEM_BLESS=1` rewrites it. The invariants are checked here, whatever the file says.

use std::{collections::BTreeSet, fs, path::Path};

use crate::common::{bless, calls::Call, repository, sandbox::Sandbox, trace};

/// System calls that change the disk or wait for it.
const CALLS: &str =
    "openat,write,ftruncate,fsync,fdatasync,rename,unlink,rmdir,mkdir,linkat,symlinkat";

/// Commands, each run in its own store; those with the prefix `new` in a project without one.
const COMMANDS: &[&str] = &[
    "new init",
    "new add The first of all",
    "add One more",
    "add --pin One that stays",
    "add -c preference A file of its own",
    "pin rollback",
    "edit rollback Locks do survive a rollback",
    "forget rollback",
    "forget --archive rollback",
    "restore Friday",
    "forget --destroy --yes rollback",
    "trust --all",
    "trust --revoke",
    "log A line",
    "note A note",
    "todo add An item",
    "todo done milk",
    "todo clear",
    "handoff",
    "dream index ../transcript.jsonl",
    "dream observe ../transcript.jsonl",
    "import jsonl ../import.jsonl",
    "sync --from ../carried.bundle",
    "config set report.budget 900",
    "dream",
    "hooks install claude --user",
];

/// A bundle of one line.
const CARRIED: &str = r#"{"schema":"pimem.bundle/1","project":null}
{"kind":"entry","hash":"5024b63b7038234628af61ffaf8a8178c54370ae1eac1e188bdffa9290b61e2e","line":"- [lesson] Carried from afar"}
{"kind":"event","event":{"id":"01KQHFP680QSKEZ9V6R3YAHCDG","ts":"2026-05-01T10:00:00.000Z","entry":"7e7a567e322835ba","op":"add","cue":"explicit","by":"user","topic":"lessons","cat":"lesson","sketch":"0f08"}}
"#;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Make(String),
    Create(String),
    Write(String),
    Cut(String),
    Sync(String),
    Move(String, String),
    Delete(String),
    /// The command printed its success.
    Said,
}

impl std::fmt::Display for Effect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Make(path) => write!(f, "make {path}/"),
            Self::Create(path) => write!(f, "create {path}"),
            Self::Write(path) => write!(f, "write {path}"),
            Self::Cut(path) => write!(f, "cut {path}"),
            Self::Sync(path) => write!(f, "sync {path}"),
            Self::Move(from, to) => write!(f, "move {from} to {to}"),
            Self::Delete(path) => write!(f, "delete {path}"),
            Self::Said => f.write_str("said"),
        }
    }
}

fn store(new: bool) -> Sandbox {
    let sandbox = Sandbox::new("empty");
    let transcript = repository().join("fixtures/transcripts/claude.jsonl");
    fs::copy(transcript, sandbox.root().join("transcript.jsonl")).unwrap();
    fs::write(sandbox.root().join("import.jsonl"), "{\"text\": \"From elsewhere\"}\n").unwrap();
    fs::write(sandbox.root().join("carried.bundle"), CARRIED).unwrap();
    if !new {
        for line in [
            "add Locks survive a rollback",
            "add Never deploy on a Friday",
            "forget --archive Friday",
            "log A line before",
            "note A note before",
            "todo add Buy milk",
            "todo add Fetch water",
            "todo done water",
        ] {
            sandbox.run(&line.split(' ').collect::<Vec<_>>()).done();
        }
        // As an editor leaves it.
        sandbox.plant("topics/patterns.md", "- [pattern] Written by hand\n");
    }
    sandbox
}

/// Runs a command. Returns its effects, and the paths that existed before.
fn effects(line: &str) -> (Vec<Effect>, BTreeSet<String>) {
    let (new, line) = line.strip_prefix("new ").map_or((false, line), |line| (true, line));
    let sandbox = store(new);
    let args: Vec<&str> = line.split(' ').collect();
    let mut there: BTreeSet<String> =
        sandbox.everything().into_keys().map(|name| plain(&name)).collect();
    let before = there.clone();
    let (done, calls) = trace::calls(&sandbox, CALLS, &args, "");
    assert_eq!(done.code, 0, "{line}: {}", done.stderr);
    let root = sandbox.root();
    let place = |path: &str| {
        let path = Path::new(path).strip_prefix(root).ok()?.to_string_lossy();
        Some(if path.is_empty() { ".".to_owned() } else { plain(&path) })
    };
    let mut effects = Vec::new();
    for call in calls.iter().filter(|call| !call.gave.starts_with('-')) {
        effects.extend(effect(call, place, &mut there));
    }
    // Caches may be written in any way, and locks hold no data.
    effects.retain(|effect| match effect {
        Effect::Said => true,
        effect => !is_free(path(effect)),
    });
    (effects, before)
}

fn effect(
    call: &Call,
    place: impl Fn(&str) -> Option<String>,
    there: &mut BTreeSet<String>,
) -> Option<Effect> {
    let paths = call.paths();
    let first = || place(paths.first()?);
    let file = || place(call.file()?);
    Some(match call.name.as_str() {
        "openat" => {
            let path = first().filter(|_| call.args.contains("O_CREAT"))?;
            there.insert(path.clone()).then_some(Effect::Create(path))?
        }
        "mkdir" => Effect::Make(first()?),
        "write" if call.descriptor() == "1" => Effect::Said,
        "write" => Effect::Write(file()?),
        "ftruncate" => Effect::Cut(file()?),
        "fsync" | "fdatasync" => Effect::Sync(file()?),
        "rename" => {
            let (from, to) = (first()?, place(paths.get(1)?)?);
            there.remove(&from);
            there.insert(to.clone());
            Effect::Move(from, to)
        }
        "unlink" | "rmdir" => Effect::Delete(first()?),
        other => panic!("{other} is a call that nobody expected"),
    })
}

/// Returns the path of an effect; for a move, the target.
fn path(effect: &Effect) -> &str {
    match effect {
        Effect::Move(_, path)
        | Effect::Make(path)
        | Effect::Create(path)
        | Effect::Write(path)
        | Effect::Cut(path)
        | Effect::Sync(path)
        | Effect::Delete(path) => path,
        Effect::Said => "",
    }
}

fn is_free(path: &str) -> bool {
    path.starts_with("cache/") || path == "trace" || path.ends_with("/lock")
}

/// Replaces the parts of a path that vary between runs.
fn plain(path: &str) -> String {
    let is_hash = |part: &str| part.len() == 16 && part.bytes().all(|b| b.is_ascii_hexdigit());
    let part = |part: &str| match part {
        part if part.starts_with(".pimem-tmp-") => "TEMPORARY".to_owned(),
        part if is_hash(part) => "STORE".to_owned(),
        part => part.to_owned(),
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

fn parent(path: &str) -> String {
    let parent = Path::new(path).parent().unwrap().to_string_lossy().into_owned();
    if parent.is_empty() { ".".to_owned() } else { parent }
}

/// Returns true for files that may be lost: they can be rebuilt, or are not worth a sync.
fn may_be_lost(path: &str) -> bool {
    let derived = ["memory-scores.json", ".dream-watermark"];
    derived.iter().any(|name| path.ends_with(name))
        || path.starts_with("state/pimem/dream/") && !path.ends_with("journal.json")
        || ["state/pimem/hooks", "state/pimem/undo"].iter().any(|dir| path.starts_with(dir))
        || path.contains("/data/")
            && !["session-search.json", "evidence.jsonl"].iter().any(|name| path.ends_with(name))
}

/// Returns the effects that have not reached the disk when the command prints its success, or ends.
fn unsynced(effects: &[Effect], before: &BTreeSet<String>) -> Vec<String> {
    let said = effects.iter().position(|effect| *effect == Effect::Said);
    let said = said.unwrap_or(effects.len());
    let synced = |path: &str, from: usize, to: usize| {
        effects[from..to].contains(&Effect::Sync(path.to_owned()))
    };
    let mut found = Vec::new();
    for (at, effect) in effects.iter().enumerate() {
        // Follow a temporary file to its final name. A directory counts as the first file moved
        // into it.
        let end = effects[at..].iter().zip(at..).find_map(|(later, when)| match later {
            Effect::Move(from, to) if from == path(effect) => Some((when, to.as_str())),
            _ => None,
        });
        let (until, name) = end.unwrap_or((said, path(effect)));
        let below = |other: &Effect| match other {
            Effect::Create(_) | Effect::Move(..) => {
                path(other).starts_with(&format!("{name}/")) && !may_be_lost(path(other))
            }
            _ => false,
        };
        let is_empty = matches!(effect, Effect::Make(_)) && !effects[at..].iter().any(below);
        if may_be_lost(name) || is_empty && !name.ends_with("topics") {
            continue;
        }
        let good = match effect {
            Effect::Write(path) => synced(path, at, until.max(at)),
            // The name of a file is part of the directory; temporary names need not persist.
            Effect::Create(_) if end.is_some() => true,
            Effect::Create(path) | Effect::Move(_, path) | Effect::Make(path) => {
                before.contains(path) && !matches!(effect, Effect::Move(..))
                    || synced(&parent(path), at, said.max(at))
            }
            Effect::Delete(path) if path.ends_with("journal.json") => {
                synced(&parent(path), at, said.max(at))
            }
            Effect::Cut(_) | Effect::Sync(_) | Effect::Delete(_) | Effect::Said => true,
        };
        if !good {
            found.push(effect.to_string());
        }
    }
    found
}

/// Returns the position of the first matching effect.
fn first(effects: &[Effect], wanted: impl Fn(&Effect) -> bool) -> Option<usize> {
    effects.iter().position(wanted)
}

/// Returns writes in the wrong order: an entry, or its removal, before the event about it, or an
/// event before the record of trust in the entry.
fn too_early(effects: &[Effect]) -> Vec<&'static str> {
    let syncs = |end: &'static str| move |effect: &Effect| matches!(effect, Effect::Sync(path) if path.ends_with(end));
    let event = first(effects, syncs("evidence.jsonl"));
    let entry = first(
        effects,
        |effect| matches!(effect, Effect::Move(_, to) if to.contains("/topics/") || to.contains("/archive/")),
    );
    let key = first(
        effects,
        |effect| matches!(effect, Effect::Write(path) if path.starts_with("state/pimem/trust/")),
    );
    let known = first(effects, syncs("trust/STORE"));
    let mut found = Vec::new();
    if let (Some(event), Some(entry)) = (event, entry) {
        if event > entry {
            found.push("the topic before the event");
        }
        if key.is_some() && known.is_none_or(|known| known > event) {
            found.push("the event before the ledger of trust");
        }
    }
    found
}

#[test]
fn what_is_acknowledged_is_on_the_disk() {
    if !trace::is_there() {
        return;
    }
    let mut text = String::new();
    for line in COMMANDS {
        let (effects, before) = effects(line);
        assert_eq!(unsynced(&effects, &before), Vec::<String>::new(), "{line}: {effects:#?}");
        // A purge removes the text first; an interrupted one must be repeated.
        if !line.starts_with("forget --destroy") {
            assert_eq!(too_early(&effects), Vec::<&str>::new(), "{line}: {effects:#?}");
        }
        assert!(effects.contains(&Effect::Said), "{line}");
        text.push_str(&format!("$ pimem {line}\n"));
        text.extend(effects.iter().map(|effect| format!("{effect}\n")));
        text.push('\n');
    }
    let file = repository().join("tests/it/effects.txt");
    if bless() {
        fs::write(&file, &text).unwrap();
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    for (now, then) in text.split("$ pimem ").zip(expected.split("$ pimem ")) {
        assert_eq!(now, then, "PIMEM_BLESS=1 accepts what is done now");
    }
    assert_eq!(text, expected);
}

/// Syncs dominate the cost of an addition, so their number is fixed.
#[test]
fn an_addition_waits_four_times() {
    if !trace::is_there() {
        return;
    }
    let (effects, _) = effects("add One more");
    let waits = effects.iter().filter(|effect| matches!(effect, Effect::Sync(_))).count();
    assert_eq!(waits, 4, "ledger of trust, log, topic, directory: {effects:#?}");
}

/// Tests the checkers: every omitted sync and every wrong order is noticed.
#[test]
fn the_checkers_notice() {
    if !trace::is_there() {
        return;
    }
    for line in ["new add The first of all", "add One more", "dream index ../transcript.jsonl"] {
        let (effects, before) = effects(line);
        let last = effects.iter().rposition(|effect| matches!(effect, Effect::Said)).unwrap();
        for at in first(&effects, |effect| matches!(effect, Effect::Write(_))).unwrap()..last {
            let Effect::Sync(path) = &effects[at] else { continue };
            // All files that an addition leaves in `data/` may be lost.
            if line.contains("add") && may_be_lost(&format!("{path}/")) {
                continue;
            }
            let mut without = effects.clone();
            without.remove(at);
            // A directory may be synced twice for two names; one sync is then enough.
            let twice = without.iter().skip(at).any(|other| *other == Effect::Sync(path.clone()));
            assert!(twice || !unsynced(&without, &before).is_empty(), "{line}: {path}");
        }
    }
    let (mut effects, _) = effects("add One more");
    let event = first(&effects, |e| matches!(e, Effect::Write(p) if p.ends_with("evidence.jsonl")));
    let (event, said) = (event.unwrap(), effects.len() - 1);
    let moved: Vec<Effect> = effects.drain(event..event + 2).collect();
    effects.splice(said - 2..said - 2, moved);
    assert_eq!(too_early(&effects), ["the topic before the event"]);
}
