//! The answers of `add` are true: an acknowledged entry is in the next report, or the next line
//! states why not. A partial refusal does not lose the rest.

use crate::common::{
    history::Random,
    sandbox::{Sandbox, outcome},
    scale,
    script::play,
};

#[test]
fn going_back_to_an_earlier_choice() {
    for (clean, still) in [("pimem check --fix", true), ("pimem dream", true), ("true", false)] {
        let day = |n: u32| if still { String::new() } else { format!("2026-07-0{n}| ") };
        let sandbox = play(&format!(
            "pimem add -c decision 'Use Redis for sessions'
             {}pimem add -c decision --supersedes Redis 'Use Memcached for sessions'
             + Memcached
             - Redis
             {}pimem add -c decision --supersedes Memcached 'Use Redis for sessions'
             > Already exists, reinforced instead
             + Redis
             - Memcached
             {clean}
             + Redis
             - Memcached
             {}pimem add -c decision --supersedes Redis 'Use Memcached for sessions'
             + Memcached
             - Redis",
            day(1),
            day(2),
            day(3),
        ));
        assert!(!sandbox.entries().is_empty());
    }
}

/// A command typed by an agent is not a hook, so an entry that it adds comes back too.
#[test]
fn an_agent_goes_back_too() {
    play(
        "export PIMEM_AGENT=claude; pimem add -c decision 'Use Redis'
         export PIMEM_AGENT=claude; pimem add -c decision --supersedes Redis 'Use Memcached'
         export PIMEM_AGENT=claude; pimem add -c decision --supersedes Memcached 'Use Redis'
         + Use Redis
         - Use Memcached
         export PIMEM_AGENT=claude; pimem forget 'Use Redis'
         - Use Redis
         export PIMEM_AGENT=claude; pimem add -c decision 'Use Redis'
         + Use Redis",
    );
}

#[test]
fn what_is_added_again_is_back() {
    for (out, back) in [
        ("pimem forget X", "reinforced instead"),
        ("pimem forget X; sed -i /X/d .pi/memory/topics/lessons.md", "Added"),
        ("pimem remove X", "Added"),
        ("pimem forget X; pimem remove X", "Added"),
        ("pimem add --supersedes X 'Quays are drained'", "reinforced instead"),
        ("pimem add --supersedes X 'Quays are drained'; pimem remove X", "Added"),
        ("pimem add X --valid-until 2026-06-01", "reinforced instead"),
        ("pimem add X --valid-until 2026-06-01; pimem check --fix", "Added"),
        ("sed -i /X/d .pi/memory/topics/lessons.md", "Added"),
    ] {
        for out_at in ["", "2026-07-01T10:00:00Z| ", "2031-01-01| "] {
            let sandbox = play(&format!(
                "pimem add X
                 + - X
                 {out_at}{out}
                 - - X
                 2026-07-02| pimem add X
                 > {back}: [lesson] X
                 + - X"
            ));
            assert_eq!(sandbox.run(&["search", "X"]).code, 0, "{out}");
            let held = sandbox.read("topics/lessons.md").matches("- [lesson] X\n").count();
            let archive = std::fs::read_to_string(sandbox.path("archive/lessons.md"));
            assert!(!archive.unwrap_or_default().contains("] X\n"), "{out}: it stands once");
            assert_eq!(held, 1, "{out}");
        }
    }
}

/// `restore` also undoes a replacement and an expiry.
#[test]
fn what_is_restored_is_back() {
    play(
        "pimem add X
         pimem add --supersedes X 'Quays are drained'
         - - X
         pimem why X
         > pimem restore
         pimem restore X
         + - X
         + Quays
         2026-07-01| pimem add Y --valid-until 2026-07-02
         2026-07-03| pimem why Y
         > pimem restore
         pimem restore Y
         + - Y",
    );
    let sandbox = play("pimem add X; pimem add Y; pimem forget X");
    let before = sandbox.tree();
    assert!(sandbox.run(&["restore", "X", "Z"]).refused().contains("\"Z\""));
    assert_eq!(sandbox.tree(), before, "one that fits nothing, and nothing is done");
}

#[test]
fn dates_and_tags_of_a_known_text_take_effect() {
    let sandbox = play(
        "pimem add X
         pimem add X --valid-until 2026-07-02
         > reinforced instead
         + - X
         2026-07-03| true
         - - X
         2026-06-30| pimem add X --valid-until 2026-07-09
         2026-07-03| true
         + - X
         pimem add X --valid-until 2026-07-01
         > Not in the next report: expired (pimem restore
         - - X",
    );
    let id = |sandbox: &Sandbox, text: &str| {
        sandbox.entries()[text]["short"].as_str().unwrap().to_owned()
    };
    let said = sandbox.run(&["add", "X", "--tag", "t", "--now", "2026-07-04"]).ok();
    let want =
        format!("Already exists, reinforced instead: [lesson] X #t ({})\n", id(&sandbox, "X #t"));
    assert_eq!(said, want);
    let held = sandbox.entries();
    assert_eq!(held.keys().collect::<Vec<_>>(), ["X #t"], "a tag is an edit");
    assert_eq!(held["X #t"]["evidence"], 5);
    assert!(sandbox.run(&["report", "--now", "2026-07-04"]).ok().contains("- X #t"));
    // Lines of standard input, one of which may depend on another, behave the same.
    let sandbox = play("pimem add X; pimem add Y; pimem add Z; pimem forget Z");
    let lines = r#"{"text":"X","tags":["a"]}
        {"text":"Y","validUntil":"2026-06-01"}
        {"text":"New one","supersedes":"Z"}
        {"text":"Second"}
        {"text":"Second","tags":["b"],"pin":true}
        {"text":"Third","supersedes":"New one"}
        {"text":"Z"}"#;
    let said = sandbox.pipe(&["add", "-"], lines).ok();
    assert!(said.contains("Y (") && said.contains("Not in the next report: expired"), "{said}");
    let held = sandbox.entries();
    let all: Vec<&str> = held.keys().map(String::as_str).collect();
    assert_eq!(all, ["New one", "Second #b", "Third", "X #a", "Y", "Z"]);
    assert_eq!(held["Second #b"]["userState"], "pinned");
    let report = sandbox.run(&["report"]).ok();
    for (text, shown) in [("Second #b", true), ("Third", true), ("X #a", true), ("- Z", true)] {
        assert_eq!(report.contains(text), shown, "{text}: {report}");
    }
    assert!(!report.contains("New one") && !report.contains("- Y"), "{report}");
}

/// Automatic processes bring nothing back: hooks, extraction, imports, dreams.
#[test]
fn nothing_is_back_unasked() {
    const SAID: &str = "From now on, always use tabs in makefiles";
    for out in [
        "pimem forget tabs",
        "pimem remove tabs",
        "pimem forget tabs; sed -i /tabs/d .pi/memory/topics/preferences.md",
        "pimem add -c preference --supersedes tabs 'Makefiles are generated'",
        "pimem add -c preference 'From now on, always use tabs in makefiles' --valid-until 2026-06-01",
    ] {
        let script = format!("pimem extract '{SAID}.'\n> Learned\n+ tabs in makefiles\n{out}");
        let sandbox = play(&script);
        let text = || sandbox.run(&["report"]).ok();
        assert!(!text().contains("tabs in"), "{out}: {}", text());
        let prompt = serde_json::json!({"session_id": "s", "prompt": format!("{SAID}.")});
        let mut command = sandbox.command(&["hook", "claude", "prompt"]);
        command.env("PIMEM_HOOK_DEADLINE_MS", "20000");
        let mut command = assert_cmd::Command::from_std(command);
        command.write_stdin(prompt.to_string()).assert().success();
        drop(sandbox.run(&["extract", &format!("{SAID}."), "--now", "2026-07-02"]));
        let line =
            r#"{"category":"preference","text":"From now on, always use tabs in makefiles"}"#;
        drop(sandbox.pipe(&["import", "jsonl", "-"], line));
        let told = crate::dream::transcript(&sandbox, "t", &[&format!("{SAID}.")]);
        sandbox.run(&["dream", "--from", told.to_str().unwrap()]).done();
        assert!(!text().contains("tabs in"), "{out}: {}", text());
    }
}

/// A new text similar to an entry out of force is not treated as a repetition.
#[test]
fn what_is_over_takes_nothing_in() {
    for over in [
        "pimem forget commit",
        "pimem add --supersedes commit 'Nobody commits anything'",
        "pimem add 'Run cargo fmt before committing' --valid-until 2026-06-01",
    ] {
        play(&format!(
            "pimem add 'Run cargo fmt before committing'
             {over}
             pimem add 'Before committing, run cargo fmt'
             > Added: [lesson] Before committing, run cargo fmt
             + Before committing"
        ));
    }
}

/// A replaced entry may be in the archive; the new text is stored anyway.
#[test]
fn replacing_what_is_gone() {
    let sandbox = play(
        "pimem add 'Cranes stop at 40 kn'; pimem remove Cranes
         pimem add --supersedes Cranes 'Lifting stops at 40 kn'
         > Added: [lesson] Lifting stops
         + Lifting
         pimem restore Cranes
         + Lifting
         + Cranes",
    );
    let before = sandbox.tree();
    sandbox.run(&["add", "--supersedes", "nosuchthing", "New"]).refused();
    sandbox.run(&["add", "--supersedes", "Lifting", "Lifting stops at 40 kn"]).refused();
    assert_eq!(sandbox.tree(), before);
}

/// Checks the guarantees of an answer over random commands.
fn history(random: &mut Random) {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    let still = random.below(3) == 0;
    let texts =
        ["Cranes are blue", "Quays are long", "Tides are high", "Pilots are few", "Locks are old"];
    let category = ["lesson", "decision"][random.below(2)];
    let agent = random.below(4) == 0;
    let (mut minute, mut played) = (0, Vec::new());
    for _ in 0..14 {
        minute += if still { 0 } else { [0, 1, 60, 60 * 24 * 3, 60 * 24 * 40][random.below(5)] };
        let (day, rest) = (minute / 1440, minute % 1440);
        let (month, day) = (7 + day / 28, 1 + day % 28);
        let (year, month) = (2026 + (month - 1) / 12, 1 + (month - 1) % 12);
        let now = format!("{year}-{month:02}-{day:02}T{:02}:{:02}:00Z", rest / 60, rest % 60);
        let until = format!("{year}-{month:02}-{day:02}");
        let (text, other) = (*random.pick(&texts).unwrap(), *random.pick(&texts).unwrap());
        let known: Vec<String> = sandbox.entries().into_keys().collect();
        let some = random.pick(&known).map_or(other, String::as_str);
        let mut args: Vec<&str> = match random.below(16) {
            0..4 => vec!["add", "-c", category, text],
            4 | 5 => vec!["add", "-c", category, "--supersedes", some, text],
            6 => vec!["add", "-c", category, "--valid-until", &until, text],
            7 => vec!["add", "-c", category, "--valid-until", "2026-06-01", text],
            8 => vec!["add", "-c", category, "--pin", text],
            9 => vec!["add", "-c", category, "--tag", "tag", some.trim_end_matches(" #tag")],
            10 => vec!["forget", some],
            11 => vec!["remove", some],
            12 => vec!["restore", other],
            13 => vec!["edit", some, text],
            14 => vec![["unpin", "pin"][random.below(2)], some],
            _ => vec!["reinforce", some],
        };
        args.extend(["--now", &now]);
        let run = |args: &[&str]| {
            let mut command = sandbox.command(args);
            command.env("PIMEM_SYNC", "0");
            if agent {
                command.env("PIMEM_AGENT", "claude");
            }
            outcome(command)
        };
        let done = run(&args);
        played.push(format!("{args:?}: {} {}{}", done.code, done.stdout, done.stderr));
        let story = || played.join("");
        // Commands are refused for unknown or ambiguous selectors, for an entry replacing itself,
        // and for existing texts, but never panic.
        assert!(
            done.code == 0 || done.code == 2 && !done.stderr.contains("panicked"),
            "{}",
            story()
        );
        if args[0] != "add" || done.code != 0 {
            continue;
        }
        let (first, rest) = done.stdout.split_once('\n').unwrap();
        let added = first.split_once("] ").unwrap().1.rsplit_once(" (").unwrap().0;
        let shows = || {
            let report = sandbox.run(&["report", "--now", &now]).ok();
            report.lines().any(|line| {
                line == format!("- {added}") || line == format!("- [{category}] {added}")
            })
        };
        let why_not = rest.lines().find(|line| line.contains("Not in the next report"));
        assert_eq!(shows(), why_not.is_none(), "{}", story());
        if let Some(line) = why_not {
            let command = line.rsplit_once('(').unwrap().1.strip_suffix(" brings it in)").unwrap();
            let command = format!("export PIMEM_NOW={now} PIMEM_SYNC=0; {command}");
            assert_eq!(sandbox.shell(&command).code, 0, "{command}: {}", story());
            assert!(shows(), "{command}: {}", story());
        }
    }
}

#[test]
fn what_add_says_is_so() {
    for seed in 0..40 * scale() as u64 {
        println!("history {seed}");
        history(&mut Random(seed));
    }
}

/// A new entry without `--supersedes` may be meant to replace an older one.
#[test]
fn what_seems_to_be_replaced_is_named() {
    let sandbox = play(
        "pimem add -c decision 'Deploys go through Jenkins'
         pimem add 'Deploys never go out on a Friday'
         pimem add -c done 'Deploys went through Jenkins'",
    );
    let said = sandbox.run(&["add", "-c", "decision", "Deploys go through Argo's pipeline"]).ok();
    let (first, rest) = said.split_once('\n').unwrap();
    assert!(first.starts_with("Added: [decision] Deploys go through Argo's"), "{said}");
    let told = rest.trim_start().strip_prefix("Seems to replace: [decision] Deploys go through");
    let (_, command) = told.unwrap().split_once("; if so: ").unwrap();
    let json = sandbox.run(&["add", "-c", "decision", "--json", "Deploys go through Flux"]).json();
    let old = &json["results"][0]["seemsToReplace"];
    assert!(old["remedy"].as_str().unwrap().starts_with("pimem add -c decision --supersedes "));
    assert!(old["entry"]["text"].as_str().unwrap().starts_with("Deploys go through"));
    assert_eq!(sandbox.shell(command).code, 0, "{command}");
    let report = sandbox.run(&["report"]).ok();
    assert!(report.contains("Argo's") && !report.contains("decision] Deploys go through Jenkins"));
    assert!(!report.contains("- Deploys go through Jenkins"), "{report}");
    // There is no hint for known texts, other subjects, or finished work.
    for (category, text) in [
        ("decision", "Deploys go through Argo's pipeline"),
        ("decision", "Cranes are painted blue"),
        ("done", "Deploys went through Argo"),
    ] {
        let said = sandbox.run(&["add", "-c", category, text]).ok();
        assert!(!said.contains("Seems"), "{said}");
    }
    // An entry already replaced is not suggested again.
    let said = sandbox.run(&["add", "-c", "decision", "Jenkins decides on deploys"]).ok();
    assert!(!said.contains("go through Jenkins"), "{said}");
    let quiet = "export PIMEM_REPORT_FILL=false; pimem add -c decision 'Deploys go through hands'";
    assert!(!sandbox.shell(quiet).stdout.contains("Seems"));
}
