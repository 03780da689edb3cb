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
        ("pimem forget X", "Added"),
        ("pimem forget X; sed -i /X/d .pi/memory/topics/lessons.md", "Added"),
        ("pimem forget --archive X", "Added"),
        ("pimem forget X; pimem forget --archive X", "Added"),
        ("pimem add --supersedes X 'Quays are drained'", "reinforced instead"),
        ("pimem add --supersedes X 'Quays are drained'; pimem forget --archive X", "Added"),
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
        "pimem forget --archive tabs",
        "pimem forget tabs; sed -i /tabs/d .pi/memory/topics/preferences.md",
        "pimem add -c preference --supersedes tabs 'Makefiles are generated'",
        "pimem add -c preference 'From now on, always use tabs in makefiles' --valid-until 2026-06-01",
    ] {
        let script =
            format!("pimem dream extract '{SAID}.'\n> Learned\n+ tabs in makefiles\n{out}");
        let sandbox = play(&script);
        let text = || sandbox.run(&["report"]).ok();
        assert!(!text().contains("tabs in"), "{out}: {}", text());
        let prompt = serde_json::json!({"session_id": "s", "prompt": format!("{SAID}.")});
        let command = sandbox.command(&["hook", "claude", "prompt"]);
        let mut command = assert_cmd::Command::from_std(command);
        command.write_stdin(prompt.to_string()).assert().success();
        drop(sandbox.run(&["dream", "extract", &format!("{SAID}."), "--now", "2026-07-02"]));
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
        "pimem add 'Cranes stop at 40 kn'; pimem forget --archive Cranes
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

/// Checks the guarantees of an answer over random commands, in a store with random settings.
#[expect(clippy::too_many_lines, reason = "one table of commands")]
fn history(random: &mut Random) {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    let still = random.below(3) == 0;
    let mut set = |key: &str, values: &[&str]| {
        let value = *random.pick(values).unwrap();
        if !value.is_empty() {
            sandbox.run(&["config", "set", key, value]).done();
        }
        format!("{key} {value}\n")
    };
    let mut played = vec![
        set("report.budget", &["", "", "60", "90", "120", "200"]),
        set("report.fill", &["", "", "false"]),
        set("scoring.fresh", &["", "", "", "false"]),
        set("scoring.policy", &["", "", "", "weighted", "ebbinghaus"]),
    ];
    let texts = [
        "Cranes are blue",
        "Quays are long",
        "Webhooks are signed with Cosign",
        "Webhooks are signed with Notation",
        "Locks are old, and whoever opens one by hand writes into the book of the lock when and why \
         it was opened, for how long it stayed so, who was told of it, and what was done after that",
    ];
    let category = ["lesson", "decision", "preference"][random.below(3)];
    let agent = random.below(4) == 0;
    let users = random.below(3) == 0;
    let mut minute = 0;
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
        let mut args: Vec<&str> = match random.below(18) {
            0..4 => vec!["add", "-c", category, text],
            4 | 5 => vec!["add", "-c", category, "--supersedes", some, text],
            6 => vec!["add", "-c", category, "--valid-until", &until, text],
            7 => vec!["add", "-c", category, "--valid-until", "2026-06-01", text],
            8 => vec!["add", "-c", category, "--pin", text],
            9 => vec!["add", "-c", category, "--tag", "tag", some.trim_end_matches(" #tag")],
            10 => vec!["forget", some],
            11 => vec!["forget", "--archive", some],
            12 | 13 => vec!["restore", other],
            14 => vec!["edit", some, text],
            15 => vec![["unpin", "pin"][random.below(2)], some],
            16 => vec!["reinforce", "--harmful", some],
            _ => vec!["reinforce", some],
        };
        let said_as_json = random.below(4) == 0;
        args.extend(["--now", &now]);
        if users && random.below(3) == 0 {
            args.push("--user");
        }
        if said_as_json {
            args.push("--json");
        }
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
        let out = ["forget", "remove"].contains(&args[0]);
        if out || done.code != 0 || done.stdout.is_empty() {
            continue;
        }
        let shows = |text: &str| {
            let report = sandbox.run(&["report", "--now", &now]).done();
            report
                .lines()
                .any(|line| line == format!("- {text}") || line == format!("- [{category}] {text}"))
        };
        if said_as_json {
            let value: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
            let one = value.get("results").map_or(&value, |results| &results[0]);
            let entry = one.get("entry").unwrap_or(one);
            assert_eq!(one["eligible"], shows(entry["text"].as_str().unwrap()), "{}", story());
            continue;
        }
        let (first, rest) = done.stdout.split_once('\n').unwrap();
        let said = first.split_once("] ").unwrap().1.split_once(" (").unwrap().0;
        let why_not = rest.lines().find(|line| line.contains("Not in the next report"));
        assert_eq!(shows(said), why_not.is_none(), "{}", story());
        let remedy = why_not.and_then(|line| line.strip_suffix(" brings it in)"));
        if let Some(line) = remedy {
            let command = line.rsplit_once('(').unwrap().1;
            let command = format!("export PIMEM_NOW={now} PIMEM_SYNC=0; {command}");
            assert_eq!(sandbox.shell(&command).code, 0, "{command}: {}", story());
            assert!(shows(said), "{command}: {}", story());
        }
    }
}

#[test]
fn what_an_answer_says_is_so() {
    for seed in 0..16 * scale() as u64 {
        println!("history {seed}");
        history(&mut Random(seed));
    }
}

/// `--user` says where a line is written; the next report is that of all stores.
#[test]
fn add_to_the_users_store_tells_the_report_of_all() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.run(&["init", "--user"]).ok();
    sandbox.run(&["config", "set", "report.budget", "90"]).done();
    for at in 1..4 {
        let text = format!("project pref number {at} about the cache queue redis");
        sandbox.run(&["add", "--force", "-c", "preference", &text]).ok();
    }
    let lines = [
        ("done", "staging pager redis migration"),
        ("done", "token vacuum worker"),
        ("pattern", "cache mock vacuum cache log lock test log lint"),
    ];
    for (category, text) in lines {
        for args in [&["add", "-c", category, "--user", text][..], &["reinforce", "--user", text]] {
            let said = sandbox.run(args).ok();
            let shown = sandbox.run(&["report"]).ok().contains(text);
            assert_eq!(shown, !said.contains("Not in the next report"), "{args:?}: {said}");
        }
    }
}

/// A full store with long lines: a place by score is no room.
#[test]
fn add_says_so_where_the_budget_is_used_up() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.run(&["config", "set", "report.budget", "120"]).done();
    let lines = ["amber", "basil", "cedar", "dahlia"]
        .map(|word| format!("Prefer {word} over anything else in module {word}\n"));
    sandbox.pipe(&["add", "--force", "-c", "preference", "-"], lines.concat()).done();
    let said = sandbox.run(&["add", "-c", "done", "Moved the printer spool to the new host"]).ok();
    let shown = sandbox.run(&["report"]).ok().contains("printer spool");
    assert!(!shown && said.contains("    Not in the next report: "), "{said}");
    let json = sandbox.run(&["reinforce", "--json", "printer spool"]).json();
    let shown = sandbox.run(&["report"]).ok().contains("printer spool");
    assert_eq!(json["results"][0]["eligible"], shown, "{json}");
}

/// Whatever a person chose last is told, and what was chosen before is named.
#[test]
fn the_newest_choice_is_told() {
    const LABEL: &str = "Webhooks are signed with Cosign";
    const SCHEMA: &str = "Webhooks are signed with Notation";
    for again in [
        format!("add -c pattern '{LABEL}'"),
        "reinforce Cosign".into(),
        format!("edit Cosign '{LABEL}s'"),
    ] {
        play(&format!(
            "2026-06-01| pimem add -c pattern '{LABEL}'
             2026-06-03| pimem add -c pattern '{SCHEMA}'
             2026-06-04| pimem {again}
             > Seems to replace: [pattern] {SCHEMA}
             + {LABEL}
             + {SCHEMA}"
        ));
    }
    for again in ["add -c decision 'Use Redis 15 for sessions'", "restore 'Redis 15'"] {
        play(&format!(
            "2026-06-01| pimem add -c decision 'Use Redis 15 for sessions'
             2026-06-05| pimem add -c decision --supersedes 'Redis 15' 'Use Redis 17 for sessions'
             - Redis 15
             2026-06-06| pimem {again}
             > Seems to replace: [decision] Use Redis 17 for sessions
             + Redis 15
             2026-06-07| pimem reinforce 'Redis 17'
             > Seems to replace: [decision] Use Redis 15 for sessions
             + Redis 17"
        ));
    }
}

/// One line says how many are left out, where two would say the same.
#[test]
fn what_is_left_out_is_counted_once() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    let lines: Vec<String> = (0..30)
        .map(|n| format!("Component{n} must be restarted after change{n} of config{n}\n"))
        .collect();
    sandbox.pipe(&["add", "--force", "-"], lines.concat()).done();
    let counts = |budget: usize| {
        let budget = budget.to_string();
        let report = sandbox.run(&["report", "--budget", &budget]).ok();
        let counts = report.lines().filter(|line| line.contains("... ") && line.contains(" more"));
        (counts.count(), report)
    };
    for budget in (100..1000).step_by(75) {
        let (found, report) = counts(budget);
        assert!(found <= 1, "{report}");
    }
    sandbox.pipe(&["add", "--force", "-c", "preference", "-"], lines.concat()).done();
    let (found, report) = counts(500);
    assert_eq!(found, 3, "two sections and the report: {report}");
}

/// Equal entries of a batch are in the order of its lines.
#[test]
fn a_batch_is_in_the_order_of_its_lines() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.run(&["config", "set", "scoring.policy", "weighted"]).done();
    let line = |n: u32| format!("Gauge {n} wants calibration");
    let lines: String = (0..40).map(|n| line(n) + "\n").collect();
    sandbox.pipe(&["add", "--force", "-"], &lines).done();
    let report = sandbox.run(&["report"]).ok();
    let told: Vec<&str> = report.lines().filter_map(|line| line.strip_prefix("- Gauge ")).collect();
    let first: Vec<String> = (0..30).map(|n| format!("{n} wants calibration")).collect();
    assert_eq!(told, first, "{report}");
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
