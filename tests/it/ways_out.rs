//! Every way out tells the same of the same line: what is given, what is marked, and what no agent
//! is told. The lines are data, and so are the ways out; each line is sought in the output of each.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::{
    common::{client::Client, sandbox::Sandbox},
    hooks::call,
};

/// What becomes of a line on its way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Given to agents.
    Given,
    /// Given, and marked where it is found.
    Marked,
    /// Told to nobody but a person who asks for it.
    Withheld(&'static str),
    /// No entry: told to nobody.
    NoEntry,
}

/// A word that stands in one line alone, and the fate of the line.
const LINES: &[(&str, Fate)] = &[
    ("Kestrel", Fate::Given),
    ("Pelican", Fate::Given),
    ("Sparrow", Fate::Marked),
    ("Buzzard", Fate::Withheld("replaced")),
    ("Magpie", Fate::Withheld("forgotten")),
    ("Cuckoo", Fate::Withheld("expired")),
    ("Jackdaw", Fate::Withheld("unreviewed")),
    ("Heron", Fate::Withheld("secret")),
    ("Puffin", Fate::Withheld("secret")),
    ("Osprey", Fate::NoEntry),
    ("Lapwing", Fate::NoEntry),
    ("Bittern", Fate::Withheld("unset")),
    ("Nuthatch", Fate::Withheld("forgotten")),
];

const NOW: &str = "2026-06-30T18:00:00Z";

/// A token as GitHub issues them, which no scanner shall find in this file.
fn token() -> String {
    ["ghp", "_", "A1b2C3d4E5f6G7h8I9j0", "K1l2M3n4O5p6Q7r8"].concat()
}

/// The same, split by a character that nobody sees.
fn split_token() -> String {
    token().replacen("j0", "j0\u{200b}", 1)
}

/// Returns a store with a line of each fate.
fn store() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    let at = |day: &str, args: &[&str]| {
        let now = format!("{day}T10:00:00Z");
        sandbox.run(&[&["--now", &now], args].concat()).done()
    };
    at("2026-06-01", &["add", "-c", "decision", "The gate is opened by the Buzzard script"]);
    let newer = "The gate is opened by the Kestrel service";
    at("2026-06-02", &["add", "-c", "decision", "--supersedes", "Buzzard", newer]);
    at("2026-06-03", &["add", "-c", "decision", "Gate images come from the Sparrow registry"]);
    at("2026-06-06", &["add", "-c", "decision", "Gate images come from the Pelican registry"]);
    at("2026-06-06", &["add", "The gate of lock nine needs Magpie grease"]);
    at("2026-06-06", &["forget", "Magpie"]);
    at("2026-06-06", &["add", "The gate of lock six needs Nuthatch grease"]);
    at("2026-06-06", &["forget", "Nuthatch"]);
    at(
        "2026-06-06",
        &["add", "--valid-until", "2026-06-08", "The gate stays shut for Cuckoo week"],
    );
    at("2026-06-06", &["config", "set", "scoring.policy", "weighted"]);
    at("2026-06-06", &["add", "-c", "gotcha", "The gate jams in Bittern weather"]);
    at("2026-06-06", &["config", "set", "scoring.policy", "stability"]);
    let typed = format!(
        "- [lesson] The gate token of Heron is {}\n- [lesson] The gate token of Puffin is {}\n\
         ```\n- [lesson] The gate is painted Osprey red\n```\n\
         <!--\n- [lesson] The gate is painted Lapwing blue\n-->\n",
        token(),
        split_token()
    );
    let lessons = sandbox.path("topics/lessons.md");
    let text = fs::read_to_string(&lessons).unwrap() + &typed;
    sandbox.write("topics/lessons.md", text);
    sandbox.write("topics/planted.md", "- [lesson] The gate is watched by Jackdaw cameras\n");
    sandbox.run(&["trust", "--revoke", "Jackdaw"]).done();
    sandbox
}

pub(crate) type Way = (&'static str, fn(&Sandbox) -> String);

/// The ways by which an agent is told something.
pub(crate) const AGENTS: &[Way] = &[
    ("report", |sandbox| sandbox.run(&["report", "--budget", "4000"]).done()),
    ("report --json", |sandbox| {
        document(sandbox, &["report", "--json", "--budget", "4000"]).to_string()
    }),
    ("report --prompt", |sandbox| {
        sandbox.run(&["report", "--budget", "4000", "--prompt", "What about the gate?"]).done()
    }),
    ("report --layout working", |sandbox| {
        sandbox.run(&["report", "--layout", "working", "--prompt", "What about the gate?"]).done()
    }),
    ("report --html", |sandbox| {
        let path = sandbox.root().join("page.html");
        sandbox.run(&["report", "--html", path.to_str().unwrap()]).done();
        fs::read_to_string(path).unwrap()
    }),
    ("search", |sandbox| sandbox.run(&["search", "-n", "50", "gate"]).done()),
    ("search --json", |sandbox| sandbox.run(&["search", "--json", "-n", "50", "gate"]).done()),
    ("search --mode keyword", |sandbox| {
        sandbox.run(&["search", "--mode", "keyword", "-n", "50", "gate"]).done()
    }),
    ("hook session-start", |sandbox| {
        let input = json!({ "session_id": "a", "cwd": sandbox.project(), "source": "startup" });
        call(sandbox, "claude", "session-start", input.to_string()).ok()
    }),
    ("hook prompt", |sandbox| {
        let input = json!({
            "session_id": "b", "cwd": sandbox.project(), "prompt": "How is the gate opened, and by what?",
        });
        call(sandbox, "claude", "prompt", input.to_string()).ok()
    }),
    ("hook post-tool", |sandbox| {
        let input = json!({
            "session_id": "c", "cwd": sandbox.project(), "tool_name": "Edit",
            "tool_input": { "file_path": "gate/lock.rs" },
        });
        call(sandbox, "claude", "post-tool", input.to_string()).ok()
    }),
    ("memory_search", |sandbox| {
        let asked = json!({ "query": "gate", "limit": 50 });
        Client::new(sandbox).call("memory_search", &asked).to_string()
    }),
    ("memory_context", |sandbox| {
        let asked = json!({ "prompt": "What about the gate?", "budget": 4000 });
        Client::new(sandbox).call("memory_context", &asked).to_string()
    }),
    ("resources", |sandbox| {
        let mut client = Client::new(sandbox);
        let mut read = |uri: &str| client.ask("resources/read", &json!({ "uri": uri })).to_string();
        ["report", "topics/lessons", "topics/decisions", "topics/planted", "topics/gotchas"]
            .map(|name| read(&format!("pimem://{name}")))
            .concat()
    }),
    ("export jsonl", |sandbox| sandbox.run(&["export", "jsonl"]).done()),
    ("export agents", |sandbox| sandbox.run(&["export", "agents"]).done()),
    ("export claude", |sandbox| exported(sandbox, "claude")),
    ("export pi", |sandbox| exported(sandbox, "pi")),
    ("export pi-memory", |sandbox| exported(sandbox, "pi-memory")),
];

/// The ways by which a person asks for everything.
const PEOPLE: &[Way] = &[
    ("list", |sandbox| sandbox.run(&["list"]).done()),
    ("list --json", |sandbox| sandbox.run(&["list", "--json"]).done()),
    ("search --in archive", |sandbox| {
        sandbox.run(&["search", "-n", "50", "--in", "archive", "gate"]).done()
    }),
    ("export jsonl --all", |sandbox| sandbox.run(&["export", "jsonl", "--all"]).done()),
];

/// Returns all files of an export.
fn exported(sandbox: &Sandbox, format: &str) -> String {
    fn all(dir: &Path, text: &mut String) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                all(&path, text);
            } else {
                text.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    let dir = sandbox.root().join(format!("out-{format}"));
    drop(fs::remove_dir_all(&dir));
    sandbox.run(&["export", format, "--output", dir.to_str().unwrap()]).done();
    let mut text = String::new();
    all(&dir, &mut text);
    text
}

/// Returns the document that a command prints, whatever it says beside it.
fn document(sandbox: &Sandbox, args: &[&str]) -> Value {
    serde_json::from_str(&sandbox.run(args).done()).unwrap()
}

/// Returns what is wrong with what each way says.
fn wrong(sandbox: &Sandbox) -> Vec<String> {
    let mut wrong = Vec::new();
    let visible = |text: &str| text.replace(['\u{200b}', '\n'], "").replace("\\u200b", "");
    for (way, said) in AGENTS.iter().map(|(way, run)| (way, run(sandbox))) {
        for (word, fate) in LINES {
            let is_told = said.contains(word);
            let may_be = matches!(fate, Fate::Given | Fate::Marked);
            if is_told && !may_be {
                wrong.push(format!("{way} tells {word}: {fate:?}"));
            }
        }
        // A reminder tells only what is about the file.
        if !said.contains("Kestrel") && *way != "hook post-tool" {
            wrong.push(format!("{way} does not tell what it may: {said}"));
        }
        if visible(&said).contains(&token()) {
            wrong.push(format!("{way} tells the token"));
        }
    }
    let archived = ["Magpie", "Nuthatch"];
    for (way, said) in PEOPLE.iter().map(|(way, run)| (way, run(sandbox))) {
        for (word, fate) in LINES {
            match fate {
                Fate::NoEntry if said.contains(word) => {
                    wrong.push(format!("{way} tells {word}, which is no entry"));
                }
                // What was archived is no line of a list.
                Fate::Withheld(_) if !said.contains(word) && !archived.contains(word) => {
                    wrong.push(format!("{way} leaves out {word}"));
                }
                _ => {}
            }
        }
        if visible(&said).contains(&token()) {
            wrong.push(format!("{way} tells the token"));
        }
    }
    wrong
}

#[test]
fn each_line_has_one_fate() {
    let sandbox = store();
    assert_eq!(wrong(&sandbox), Vec::<String>::new());
}

#[test]
fn each_line_has_one_fate_in_a_sealed_store() {
    let sandbox = store();
    crate::sealed::seal(&sandbox);
    assert_eq!(wrong(&sandbox), Vec::<String>::new());
}

#[test]
fn a_search_says_what_it_withholds() {
    let sandbox = store();
    let done = sandbox.run(&["search", "how is the gate opened"]);
    let command = "pimem search --in archive how is the gate opened";
    for line in [
        &format!("1 replaced line matches: {command}"),
        "1 line that awaits review matches: pimem trust --review",
        "2 lines with secrets match: pimem check",
    ] {
        assert!(done.stderr.contains(line), "{line}: {done:?}");
    }
    let view = document(&sandbox, &["search", "--json", "gate"]);
    assert_eq!(view["withheld"], json!({ "replaced": 1, "secret": 2, "unreviewed": 1 }));
    // Nothing is said where nothing is withheld, nor of what was forgotten.
    let done = sandbox.run(&["search", "Magpie grease of lock nine", "--min-score", "0.6"]);
    assert!(!done.stderr.contains("replaced"), "{done:?}");
}

#[test]
fn the_archive_tells_the_state_of_what_is_withheld() {
    let sandbox = store();
    let view = document(&sandbox, &["search", "--json", "-n", "50", "--in", "archive", "gate"]);
    let hits = view["hits"].as_array().unwrap();
    let hit = |word: &str| -> &Value {
        let found = hits.iter().find(|hit| hit["text"].as_str().unwrap().contains(word));
        found.unwrap_or_else(|| panic!("{word}: {view}"))
    };
    for (word, fate) in LINES {
        if let Fate::Withheld(state) = fate {
            assert_eq!(hit(word)["state"], *state, "{word}");
        }
    }
    let newer = document(&sandbox, &["search", "--json", "Kestrel"]);
    assert_eq!(hit("Buzzard")["replacedBy"], newer["hits"][0]["id"]);
    let told = hit("Heron")["text"].as_str().unwrap();
    assert!(told.ends_with("is [redacted: a GitHub token]"), "{told}");
}

#[test]
fn a_list_takes_the_words_that_the_program_prints() {
    let sandbox = store();
    for (word, fate) in LINES {
        let Fate::Withheld(state) = fate else { continue };
        for state in
            if *state == "replaced" { vec!["replaced", "superseded"] } else { vec![*state] }
        {
            let listed = sandbox.run(&["list", "--state", state]).done();
            assert!(listed.contains(word), "{state}: {listed}");
            assert!(!listed.contains("Kestrel"), "{state}: {listed}");
        }
    }
    assert!(sandbox.run(&["list", "--state", "replaced"]).done().contains("(replaced)"));
}

#[test]
fn what_seems_replaced_follows_its_successor_and_is_marked() {
    let sandbox = store();
    // The words are those of the older line.
    let query = ["search", "--json", "where do gate images come from, the Sparrow registry"];
    let view = document(&sandbox, &query);
    let hits = view["hits"].as_array().unwrap();
    let at = |word: &str| {
        hits.iter().position(|hit| hit["text"].as_str().unwrap().contains(word)).unwrap()
    };
    let (newer, older) = (at("Pelican"), at("Sparrow"));
    assert_eq!(older, newer + 1, "{view}");
    assert_eq!(hits[older]["state"], "seems replaced");
    assert_eq!(hits[older]["replacedBy"], hits[newer]["id"]);
    assert_eq!(hits[newer]["state"], Value::Null);
    let text = sandbox.run(&["search", "Sparrow registry"]).done();
    assert!(text.contains("Sparrow registry (seems replaced by "), "{text}");
    let told = Client::new(&sandbox).call("memory_search", &json!({ "query": "Sparrow registry" }));
    assert!(told.to_string().contains("Sparrow registry (seems replaced by "), "{told}");
    for asked in [&["list"][..], &["list", "--state", "seems replaced"], &["why", "Sparrow"]] {
        let said = sandbox.run(asked).done();
        let line = said.lines().find(|line| line.contains("Sparrow"));
        assert!(line.is_some_and(|line| line.contains("(seems replaced by ")), "{asked:?}: {said}");
        assert!(!said.contains("Pelican registry (seems"), "{asked:?}: {said}");
    }
    let listed = document(&sandbox, &["list", "--json", "Sparrow"]);
    assert_eq!(listed["entries"][0]["seemsReplacedBy"], hits[newer]["id"]);
}

#[test]
fn a_line_that_holds_no_secret_is_let_out_by_its_text() {
    let sandbox = store();
    let id = |sandbox: &Sandbox| {
        let listed = document(sandbox, &["list", "--json"]);
        let all = listed["entries"].as_array().unwrap().clone();
        let found = all.iter().find(|one| one["text"].as_str().unwrap().contains("Heron"));
        found.unwrap()["id"].as_str().unwrap().to_owned()
    };
    let heron = id(&sandbox);
    let lessons = sandbox.read("topics/lessons.md");
    let number = lessons.lines().position(|line| line.contains("Heron")).unwrap() + 1;
    let place = format!("topics/lessons.md:{number}:");
    for args in [&["check"][..], &["status"]] {
        let said = sandbox.run(args).stdout;
        assert!(said.contains(&place), "{args:?}: {said}");
    }
    assert!(!sandbox.run(&["report"]).done().contains("Heron"));
    // The way out is named with the line's id, and only where there is a line to let out.
    let way = format!("if it is none: pimem trust --no-secret {heron}");
    for command in ["check", "check"] {
        assert!(sandbox.run(&[command]).stdout.contains(&way), "{command}");
    }
    sandbox.write("MEMORY.md", format!("The gate token is {}\n", token()));
    let noted = sandbox.run(&["check", "--rule", "secret", "--json"]).stdout;
    let noted: Value = serde_json::from_str(&noted).unwrap();
    let all = noted["findings"].as_array().unwrap();
    let of_notes = all.iter().find(|found| found["file"] == "MEMORY.md").unwrap();
    assert!(!of_notes["fix"].as_str().unwrap().contains("--no-secret"), "{of_notes}");
    sandbox.run(&["trust", "--no-secret", &heron]).done();
    assert!(sandbox.run(&["report"]).done().contains(&token()));
    assert!(sandbox.run(&["search", "Heron"]).done().contains(&token()));
    let checked = sandbox.run(&["check"]).stdout;
    assert!(!checked.contains(&format!("{place} error: contains what")), "{checked}");
    // The exception holds for these words alone.
    let lessons = sandbox.read("topics/lessons.md").replace("token of Heron", "token of the Heron");
    sandbox.write("topics/lessons.md", lessons);
    assert!(!sandbox.run(&["report"]).done().contains("Heron"));
    sandbox.run(&["trust", "--no-secret", "--revoke", "token of the Heron"]).done();
    assert!(!sandbox.run(&["report"]).done().contains("Heron"));
}

#[test]
fn what_is_withheld_takes_no_place_from_what_is_given() {
    let sandbox = Sandbox::new("empty");
    let line = |number| format!("- [lesson] Gate token, dock {number}: {}{number}\n", token());
    let lines: String = (0..90).map(line).collect();
    let below = "Somewhere far below, among words that nobody asks for, stand gate, token and dock";
    sandbox.run(&["add", below]).done();
    let text = sandbox.read("topics/lessons.md") + &lines;
    sandbox.write("topics/lessons.md", text);
    for mode in ["keyword", "hybrid"] {
        let found = sandbox.run(&["search", "-n", "1", "--mode", mode, "gate token dock"]).done();
        assert!(found.contains(below), "{mode}: {found}");
    }
}

#[test]
fn a_context_counts_what_has_no_room_and_nothing_else() {
    let sandbox = store();
    let context =
        |budget: u32| Client::new(&sandbox).call("memory_context", &json!({ "budget": budget }));
    let whole = context(4000);
    assert_eq!(whole["structuredContent"]["outside"]["count"], 0, "{whole}");
    assert!(!whole["content"].to_string().contains("memory_search finds"), "{whole}");
    let small = context(80);
    let count = &small["structuredContent"]["outside"]["count"];
    let said = small["content"].to_string();
    assert!(said.contains(&format!("... {count} more: ")), "{small}");
    let memories = format!("{count} memories are left out");
    assert!(said.contains(&memories) || said.contains("1 memory is left out"), "{small}");
}

#[test]
fn secrets_in_notes_and_logs_are_masked() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "A lesson"]).done();
    let day = &NOW[..10];
    sandbox.write("MEMORY.md", format!("# Memory\n\n## Staging\nThe gate token is {}\n", token()));
    sandbox.write("SCRATCHPAD.md", format!("# Scratchpad\n\n- [ ] revoke {}\n", token()));
    sandbox.write(&format!("daily/{day}.md"), format!("# {day}\n\n- 09:00 used {}\n", token()));
    let working = ["report", "--layout", "working", "--prompt", "What is the gate token?"];
    let input = json!({ "session_id": "a", "cwd": sandbox.project(), "source": "startup" });
    let start = call(&sandbox, "claude", "session-start", input.to_string()).ok();
    let found = sandbox.run(&["search", "gate token"]).done();
    for said in [sandbox.run(&working).done(), start, found] {
        assert!(said.contains("[redacted: a GitHub token]"), "{said}");
        assert!(!said.contains(&token()), "{said}");
    }
}

#[test]
fn edits_keep_what_is_no_entry() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "One lesson"]).done();
    let aside = "\n```\n- [lesson] One lesson\n- [pref] x\n```\n<!-- - [lesson] One lesson -->\n- typed by hand\n";
    let text = sandbox.read("topics/lessons.md") + aside;
    sandbox.write("topics/lessons.md", text);
    for act in [
        &["pin", "One lesson"][..],
        &["edit", "One lesson", "Another lesson"],
        &["add", "A third lesson"],
        &["forget", "Another lesson"],
        &["check", "--fix"],
        &["rebuild"],
    ] {
        drop(sandbox.run(act));
        let now = sandbox.read("topics/lessons.md");
        assert!(now.contains(aside), "{act:?}: {now}");
    }
}

/// What is said of lines that await review tells how they came, and how to look and to vouch.
#[test]
fn only_what_git_brought_came_by_git() {
    let line = "- [lesson] The gate opens at dawn\n";
    let hand_made = |dir: &Path| {
        fs::create_dir_all(dir.join(".pi/memory/topics")).unwrap();
        fs::write(dir.join(".pi/memory/topics/lessons.md"), line).unwrap();
    };
    for (case, says, vouch) in [
        ("cloned", "1 entry came by git and is left out", "--review"),
        ("moved", "1 entry was written before the folder was moved from ", "--all"),
        ("moved with git", "1 entry was written before the folder was moved from ", "--all"),
        ("unpacked", "1 entry was not written here and is left out", "--all"),
        ("nested", "1 entry was not written by pimem here and is left out", "--all"),
    ] {
        let sandbox = Sandbox::new("empty");
        let (project, other) = (sandbox.project(), sandbox.root().join("other"));
        sandbox.run(&["add", "The gate opens at dawn"]).done();
        if ["cloned", "moved with git", "nested"].contains(&case) {
            sandbox.git("project", &["init", "-q"]);
            sandbox.commit("project");
        }
        match case {
            "cloned" => drop(sandbox.git("", &["clone", "-q", "project", "other"])),
            "unpacked" => hand_made(&other),
            "nested" => {
                fs::create_dir_all(&other).unwrap();
                sandbox.git("other", &["init", "-q"]);
                fs::write(other.join("README"), "a project").unwrap();
                sandbox.commit("other");
                hand_made(&other);
            }
            _ => fs::rename(project, &other).unwrap(),
        }
        let report = sandbox.run_in("other", &["report"]);
        assert!(report.stderr.contains(says), "{case}: {report:?}");
        assert!(report.stderr.contains("pimem trust --review"), "{case}: {report:?}");
        assert!(report.stderr.contains(vouch), "{case}: {report:?}");
        let status = sandbox.run_in("other", &["status"]).done().replace('\n', " ");
        let is_git = status.contains("came by git");
        assert_eq!(is_git, case == "cloned", "{case}: {status}");
        sandbox.run_in("other", &["trust", "--all"]).done();
        assert!(sandbox.run_in("other", &["report"]).done().contains("opens at dawn"), "{case}");
    }
}
