//! No write is refused for want of room: a full topic goes on in other files, which count as one.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, thread,
};

use serde_json::{Value, json};

use crate::common::{client::Client, sandbox::Sandbox};

/// A line that leaves no room for another one like it.
fn long(word: &str) -> String {
    format!("{word} {}", "padding of some length ".repeat(30).trim_end())
}

/// Returns a topic file in which there is no room.
fn full(topic: &str, category: &str) -> String {
    let filler = |n: usize| format!("- [{category}] Filler {n} {}.\n", "of the file ".repeat(30));
    let lines: String = (0..30).map(filler).collect();
    let text = format!("# {topic}\n\n{lines}- [{category}] ");
    format!("{text}{}\n", "x".repeat(11_990 - text.len()))
}

fn files(sandbox: &Sandbox) -> BTreeMap<String, String> {
    let dir = fs::read_dir(sandbox.path("topics")).unwrap();
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let text = sandbox.read(&format!("topics/{name}"));
        (name, text)
    };
    dir.map(read).collect()
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.write("topics/lessons.md", full("Lessons", "lesson"));
    sandbox
}

const HEAD: &str = "<!-- continues lessons -->\n# Lessons 2\n\n";

#[test]
fn every_writer_goes_on() {
    let text = long("Written");
    let json = format!("{{\"text\": \"{text}\"}}\n");
    for (name, act) in [
        ("add", &(|s: &Sandbox| s.run(&["add", &text]).done()) as &dyn Fn(&Sandbox) -> String),
        ("add -", &|s| s.pipe(&["add", "-"], format!("{text}\n")).done()),
        ("add --topic", &|s| s.run(&["add", "--topic", "lessons", &text]).done()),
        ("add --topic lessons-2", &|s| {
            s.write("topics/lessons-2.md", HEAD);
            s.run(&["add", "--topic", "lessons-2", &text]).done()
        }),
        ("import", &|s| {
            fs::write(s.root().join("import.jsonl"), &json).unwrap();
            s.run(&["import", "jsonl", "../import.jsonl"]).done()
        }),
        ("edit", &|s| s.run(&["edit", "Filler 0 of", &text]).done()),
        ("edit of a line that was there", &|s| s.run(&["edit", "Filler 3 of", &text]).done()),
        ("restore", &|s| {
            s.plant("archive/lessons.md", format!("# Lessons\n\n- [lesson] {text}\n"));
            s.run(&["restore", "Written"]).done()
        }),
        ("sync", &|s| {
            let other = s.root().join("other/.pi/memory/topics");
            fs::create_dir_all(&other).unwrap();
            fs::write(other.join("lessons.md"), format!("- [lesson] {text}\n")).unwrap();
            s.run(&["sync", "--with", "../other"]).done()
        }),
    ] {
        let sandbox = sandbox();
        act(&sandbox);
        let files = files(&sandbox);
        let next = files.get("lessons-2.md").unwrap_or_else(|| panic!("{name}: {files:?}"));
        assert!(next.starts_with(HEAD), "{name}: {next}");
        let line = format!("- [lesson] {text}\n");
        let held = files.values().filter(|file| file.contains(&line)).count();
        assert!(held == 1 && next.contains(&line), "{name}: {files:?}");
        assert!(files.values().all(|file| file.chars().count() <= 12_000), "{name}");
        // As one topic.
        let listed = sandbox.run(&["list", "--topic", "lessons", "--json"]).json();
        let listed = listed["entries"].as_array().unwrap().clone();
        let all = sandbox.entries();
        assert_eq!(listed.len(), all.len(), "{name}");
        assert!(all.contains_key(&text), "{name}");
        let found = sandbox.run(&["search", "--topic", "lessons", "Written padding"]);
        let waits = found.stderr.contains("1 line that awaits review matches");
        assert!(found.stdout.contains("lessons-2.md:4") || waits, "{name}: {found:?}");
        let topics = sandbox.run(&["list", "--topics", "--json"]).json();
        let topics = topics["topics"].as_array().unwrap();
        assert_eq!((topics.len(), &topics[0]["files"]), (1, &2.into()), "{name}: {topics:?}");
        // Undo leaves no empty file, and the next line takes the room that is there.
        if name == "add" {
            sandbox.run(&["undo"]).ok();
            assert!(!sandbox.path("topics/lessons-2.md").exists(), "{name}");
        }
    }
}

/// A client's batch too.
#[test]
fn a_client_goes_on() {
    let sandbox = sandbox();
    let mut client = Client::new(&sandbox);
    let entries: Vec<Value> =
        (0..30).map(|n| json!({ "text": long(&format!("Crane {n} of the east quay")) })).collect();
    let added = client.document("memory_add", &json!({ "entries": entries }));
    let results = added["results"].as_array().unwrap();
    assert!(results.iter().all(|result| result["action"] == "added"), "{added}");
    client.document("memory_add", &json!({ "text": long("Gauge 7 of the harbor wall") }));
    assert!(sandbox.read("topics/lessons-2.md").starts_with(HEAD));
    assert!(sandbox.path("topics/lessons-3.md").exists());
    assert_eq!(files(&sandbox).values().filter(|file| file.chars().count() > 12_000).count(), 0);
}

#[test]
fn a_note_says_once_that_a_topic_goes_on() {
    let sandbox = sandbox();
    let say = "Topic \"lessons\" is full and goes on in topics/lessons-2.md; pimem dream --plan";
    let first = sandbox.run(&["add", &long("First")]);
    assert!(first.stderr.contains(say), "{first:?}");
    for number in 0..30 {
        let next = sandbox.run(&["add", "--force", &long(&format!("Next {number}"))]);
        assert!(!next.stderr.contains("goes on"), "{next:?}");
    }
    assert!(sandbox.path("topics/lessons-3.md").exists());
    let plan = sandbox.run(&["dream", "--plan"]).ok();
    assert!(plan.contains("lessons holds"), "{plan}");
}

/// The first line of a file says that it continues another, not its name.
#[test]
fn a_file_that_a_person_named_stays_a_topic() {
    let sandbox = sandbox();
    sandbox.run(&["add", "--topic", "lessons-2", "-c", "decision", "A release of its own"]).done();
    assert_eq!(sandbox.read("topics/lessons-2.md").lines().next(), Some("# Lessons 2"));
    sandbox.run(&["add", &long("Goes on")]).done();
    assert!(sandbox.read("topics/lessons-3.md").starts_with("<!-- continues lessons -->\n"));
    let own = sandbox.run(&["list", "--topic", "lessons-2"]).ok();
    assert!(own.lines().count() == 1 && own.contains("of its own"), "{own}");
    let all = sandbox.run(&["list", "--topic", "lessons"]).ok();
    assert!(all.contains("Goes on") && !all.contains("of its own"), "{all}");
    assert_eq!(sandbox.run(&["list", "--topics"]).ok().lines().count(), 2);
}

#[test]
fn an_archived_line_keeps_its_topic() {
    let sandbox = sandbox();
    sandbox.run(&["add", &long("Goes on")]).done();
    sandbox.run(&["forget", "Goes on"]).done();
    assert!(sandbox.read("archive/lessons.md").contains("Goes on"));
    assert!(!sandbox.path("archive/lessons-2.md").exists());
    sandbox.run(&["restore", "Goes on"]).done();
    assert_eq!(
        sandbox.read("topics/lessons-2.md"),
        format!("{HEAD}- [lesson] {}\n", long("Goes on"))
    );
}

/// Both sides of a merge have made the next file.
#[test]
fn a_merge_of_two_continuations_is_one() {
    for driver in [false, true] {
        let sandbox = sandbox();
        sandbox.git("project", &["init", "-q"]);
        if !driver {
            sandbox.write(".gitattributes", "*.jsonl merge=union\ntopics/*.md merge=union\n");
        }
        sandbox.git("project", &["add", "."]);
        sandbox.git("project", &["commit", "-qm", "base"]);
        sandbox.git("project", &["checkout", "-qb", "other"]);
        sandbox.run(&["add", &long("Theirs")]).done();
        sandbox.git("project", &["add", "."]);
        sandbox.git("project", &["commit", "-qm", "theirs"]);
        sandbox.git("project", &["checkout", "-q", "-"]);
        sandbox.run(&["add", &long("Ours")]).done();
        sandbox.git("project", &["add", "."]);
        sandbox.git("project", &["commit", "-qm", "ours"]);
        sandbox.git("project", &["merge", "-q", "--no-edit", "other"]);
        let merged = sandbox.read("topics/lessons-2.md");
        assert!(merged.starts_with("<!-- continues lessons -->\n"), "{merged}");
        let listed = sandbox.run(&["list", "--topic", "lessons"]).ok();
        for text in ["Ours", "Theirs"] {
            assert_eq!(merged.matches(text).count(), 1, "{merged}");
            assert_eq!(listed.matches(text).count(), 1, "{listed}");
        }
        sandbox.run(&["add", &long("Afterwards")]).done();
        assert!(sandbox.read("topics/lessons-2.md").contains("Afterwards"));
        assert_eq!(sandbox.run(&["list", "--topics"]).ok().lines().count(), 1);
    }
}

#[test]
fn two_at_once_make_one_next_file() {
    let sandbox = sandbox();
    thread::scope(|scope| {
        for number in 0..6 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                sandbox.run(&["add", "--force", &long(&format!("Writer {number}"))]).done();
            });
        }
    });
    let names: BTreeSet<String> = files(&sandbox).into_keys().collect();
    assert_eq!(names, BTreeSet::from(["lessons.md".to_owned(), "lessons-2.md".to_owned()]));
    assert_eq!(sandbox.read("topics/lessons-2.md").matches("Writer").count(), 6);
}

/// A text that no file has room for has one of its own; longer than 20,000 it is refused.
#[test]
fn a_text_that_is_no_sentence() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    let text = |chars: usize| "word ".repeat(chars / 5)[..chars - 1].to_owned() + "x";
    let short = sandbox.run(&["add", &text(1000)]);
    assert!(short.code == 0 && !short.stderr.contains("one sentence"), "{short:?}");
    let long = sandbox.run(&["add", &text(1500)]);
    let note = "A memory is one sentence, and this has 1,500 characters: pimem note takes texts";
    assert!(long.code == 0 && long.stderr.contains(note), "{long:?}");
    let huge = sandbox.run(&["add", &text(20_000)]);
    assert!(huge.code == 0, "{huge:?}");
    assert!(sandbox.read("topics/lessons-2.md").chars().count() > 20_000);
    for args in [vec!["add", &text(20_001)], vec!["edit", "--", &text(1000), &text(30_000)]] {
        let refused = sandbox.run(&args).refused();
        assert!(refused.contains("characters, and a memory 20,000 at most"), "{refused}");
        assert!(refused.contains("pimem note") && !refused.contains("--topic"), "{refused}");
    }
    // The next short line goes where there is room.
    sandbox.run(&["add", "A short one"]).done();
    assert!(sandbox.read("topics/lessons.md").contains("A short one"));
    sandbox.configure("{\"report\": {\"topicLimit\": \"refuse\"}}");
    let refused = sandbox.run(&["add", &text(15_000)]).refused();
    assert!(refused.contains("characters") && !refused.contains("--topic"), "{refused}");
}

#[test]
fn a_sealed_topic_goes_on() {
    let sandbox = sandbox();
    sandbox.run(&["encrypt", "init"]).done();
    sandbox.run(&["add", &long("Sealed")]).done();
    let next = sandbox.read("topics/lessons-2.md");
    assert!(!next.contains("continues") && !next.contains("Sealed"), "{next}");
    let listed = sandbox.run(&["list", "--topic", "lessons"]).ok();
    assert!(listed.contains("Sealed"), "{listed}");
    assert_eq!(sandbox.run(&["list", "--topics"]).ok().lines().count(), 1);
}

/// Earlier versions left the line of a forgotten entry where it stood.
#[test]
fn a_forgotten_line_that_stands_in_a_topic() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "Tides turn"]).done();
    let topic = sandbox.read("topics/lessons.md");
    sandbox.run(&["forget", "Tides"]).done();
    assert!(sandbox.read("archive/lessons.md").contains("Tides turn"));
    let forgotten = sandbox.tree();
    let old = || {
        // The log of such a store says nothing of the archive.
        let log = sandbox.read("evidence.jsonl");
        let kept = log.split_inclusive('\n').filter(|line| !line.contains("\"archive\""));
        let log = kept.collect::<String>();
        sandbox.plant("evidence.jsonl", log);
        sandbox.plant("topics/lessons.md", &topic);
        fs::remove_dir_all(sandbox.path("archive")).unwrap();
    };
    for restores in [false, true] {
        old();
        assert!(!sandbox.run(&["report"]).done().contains("Tides"));
        assert!(sandbox.run(&["list", "--state", "dropped"]).ok().contains("Tides turn"));
        if restores {
            sandbox.run(&["restore", "Tides"]).done();
            assert!(sandbox.run(&["report"]).ok().contains("Tides turn"));
            break;
        }
        sandbox.run(&["rebuild"]).done();
        assert!(!sandbox.read("topics/lessons.md").contains("Tides"));
        assert!(sandbox.read("archive/lessons.md").contains("Tides turn"));
        assert_eq!(sandbox.run(&["list"]).ok(), "");
        for (name, bytes) in &forgotten {
            sandbox.plant(name.strip_prefix(".pi/memory/").unwrap_or(name), bytes);
        }
    }
}

/// The line leaves its topic with its markers, and comes back with them.
#[test]
fn forgetting_makes_room_and_can_be_taken_back() {
    let text = "Never push to main";
    let sandbox = Sandbox::new("empty");
    let marked =
        format!("# Lessons\n\n- [lesson] {text} *(enforced)* *(pinned)*\n- [lesson] Other\n");
    sandbox.write("topics/lessons.md", &marked);
    for (back, order) in [(&["restore", "Never push"][..], false), (&["undo"], true)] {
        let forgot = sandbox.run(&["forget", "Never push", "--json"]).json();
        assert_eq!(forgot["results"][0]["userState"], "forgotten");
        assert_eq!(sandbox.read("topics/lessons.md"), "# Lessons\n\n- [lesson] Other\n");
        assert!(sandbox.read("archive/lessons.md").contains(text));
        assert_eq!(sandbox.run(&["search", "--in", "topics", "push main"]).code, 1);
        let why = sandbox.run(&["why", "Never push"]).ok();
        assert!(why.contains("archive/lessons.md:3") && why.contains("out: forgotten"), "{why}");
        assert!(why.contains("pimem restore"), "{why}");
        assert!(sandbox.run(&["list", "--state", "dropped"]).ok().contains(text));
        sandbox.run(back).ok();
        let topic = sandbox.read("topics/lessons.md");
        assert!(topic.contains(&format!("- [lesson] {text} *(enforced)* *(pinned)*\n")), "{topic}");
        assert!(!order || topic == marked, "{topic}");
        assert!(!sandbox.run(&["list", "--json", "--state", "dropped"]).stdout.contains(text));
        sandbox.write("topics/lessons.md", &marked);
    }
    // Both names of old, and what they did.
    sandbox.run(&["forget", "Never push"]).done();
    assert!(sandbox.run(&["list", "--state", "dropped"]).ok().contains(text));
    sandbox.run(&["restore", "Never push"]).done();
    let put_away = sandbox.run(&["forget", "--archive", "Never push"]).done();
    assert!(put_away.starts_with("Archived: "), "{put_away}");
    assert_eq!(sandbox.run(&["list", "--state", "dropped"]).stdout, "");
    for args in [&["forget", "--destroy", "Never push"][..], &["forget", "--destroy", "Never push"]]
    {
        let refused = sandbox.run(args).refused();
        assert!(refused.contains("no terminal to ask on"), "{refused}");
    }
    let gone = sandbox.run(&["forget", "--destroy", "--yes", "Never push"]).done();
    assert!(gone.starts_with("Destroyed: "), "{gone}");
    sandbox.run(&["forget", "--destroy", "--yes", "Other"]).done();
    assert_eq!(sandbox.run(&["undo"]).code, 1);
}

/// Also from the scores as of the last rebuild, in the form of pi too.
#[test]
fn what_is_destroyed_is_in_no_file() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "The launch code is tangerine sunrise"]).done();
    sandbox.run(&["add", "Another thing"]).done();
    sandbox.run(&["rebuild"]).done();
    let id = sandbox.entries()["The launch code is tangerine sunrise"]["id"].clone();
    let id = id.as_str().unwrap();
    assert!(sandbox.read("memory-scores.json").contains(id));
    let destroyed = sandbox.run(&["forget", "--destroy", "--yes", "tangerine"]).done();
    for (name, bytes) in sandbox.everything() {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("tangerine"), "{name}");
        // The tombstone tells other stores what to destroy.
        assert!(!text.contains(id) || name.ends_with("evidence.jsonl"), "{name}: {destroyed}");
    }
    assert_eq!(sandbox.read("evidence.jsonl").matches(id).count(), 1);
    let scores: serde_json::Value =
        serde_json::from_str(&sandbox.read("memory-scores.json")).unwrap();
    assert_eq!(scores["entries"].as_object().unwrap().len(), 1);
    assert!(scores["lastRebuild"].is_string());
}

/// Takes a time that grows with the number of lines, and says of each what it says of one alone.
#[test]
fn a_long_batch() {
    let sandbox = Sandbox::new("empty");
    let line = |n: usize| format!("Rule {n} about the {}th valve of station {}", n % 97, n % 31);
    let batch: String = (0..400).map(|n| line(n) + "\n").collect();
    let done = sandbox.pipe(&["add", "-"], &batch).done();
    assert_eq!(done.lines().filter(|said| said.starts_with("Added: ")).count(), 400);
    // One that is known in other words, among many new ones.
    let again: String = (400..500).map(|n| line(n) + "\n").collect();
    let again = format!("{again}{}.\n{again}", line(7));
    let done = sandbox.pipe(&["add", "-"], &again).done();
    assert_eq!(done.lines().filter(|said| said.starts_with("Added: ")).count(), 100);
    let known = format!("Already exists, reinforced instead: [lesson] {} (", line(7));
    assert_eq!(done.lines().filter(|said| said.starts_with(&known)).count(), 1, "{done}");
    assert_eq!(sandbox.entries().len(), 500);
}
