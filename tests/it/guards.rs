//! Guards: what an entry forbids is kept from happening, and only where a person has said so.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::{
    common::sandbox::Sandbox,
    hooks::{call, hook, piped},
};

const FORCE: &[&str] =
    &["add", "-c", "lesson", "--forbid-command", "git push .*--force", "Never force-push"];

/// Returns a repository with three guards: on lines, on a command, and on files.
fn guarded() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    let project = sandbox.project();
    sandbox.git(&project, &["init", "-q"]);
    sandbox.run(&["init"]).ok();
    let moment =
        ["--forbid", "from ['\"]moment", "--place", "src/**", "We left moment for date-fns"];
    sandbox.run(&[&["add", "-c", "mistake"], &moment[..]].concat()).done();
    sandbox.run(FORCE).ok();
    sandbox.run(&["add", "--protect", "migrations/**", "Migrations are never edited"]).ok();
    sandbox
}

/// Returns the answer before a tool runs.
fn asked(sandbox: &Sandbox, agent: &str, tool: &str, input: &Value) -> String {
    asked_in(sandbox, &sandbox.project(), (agent, "s1"), tool, input)
}

fn asked_in(
    sandbox: &Sandbox,
    dir: &Path,
    (agent, session): (&str, &str),
    tool: &str,
    input: &Value,
) -> String {
    let call_of =
        json!({"session_id": session, "cwd": dir, "tool_name": tool, "tool_input": input});
    call(sandbox, agent, "pre-tool", call_of.to_string()).ok()
}

/// Returns what is decided, and why.
fn decided(answer: &str) -> (String, String) {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    let of = &answer["hookSpecificOutput"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if !answer["permission"].is_null() {
        return (text(&answer["permission"]), text(&answer["agent_message"]));
    }
    if of.is_null() {
        return (text(&answer["decision"]), text(&answer["reason"]));
    }
    (text(&of["permissionDecision"]), text(&of["permissionDecisionReason"]))
}

#[test]
fn a_tool_is_held_in_every_dialect() {
    let sandbox = guarded();
    let project = sandbox.project();
    let path = |name: &str| project.join(name).display().to_string();
    let import = "import m from 'moment'\n";
    let patch = |file: &str, line: &str| json!({"command": format!("*** Begin Patch\n*** Add File: {file}\n+{line}*** End Patch")});
    for (agent, tool, input, held) in [
        ("claude", "Write", json!({"file_path": path("src/a.ts"), "content": import}), "moment"),
        (
            "claude",
            "Edit",
            json!({"file_path": path("src/a.ts"), "old_string": "x", "new_string": import}),
            "moment",
        ),
        (
            "claude",
            "MultiEdit",
            json!({"file_path": path("src/a.ts"), "edits": [{"old_string": "x", "new_string": import}]}),
            "moment",
        ),
        ("claude", "Write", json!({"file_path": path("docs/a.md"), "content": import}), ""),
        (
            "claude",
            "Edit",
            json!({"file_path": path("src/a.ts"), "old_string": import, "new_string": "x"}),
            "",
        ),
        (
            "claude",
            "Bash",
            json!({"command": "cd x && git push origin main --force"}),
            "force-push",
        ),
        ("claude", "Bash", json!({"command": "bash -c 'git push --force'"}), "force-push"),
        ("claude", "Bash", json!({"command": "git push origin main"}), ""),
        ("claude", "Bash", json!({"command": "git commit -m 'no more git push --force'"}), ""),
        (
            "claude",
            "Edit",
            json!({"file_path": path("migrations/1.sql"), "old_string": "a", "new_string": "b"}),
            "Migrations",
        ),
        ("claude", "Bash", json!({"command": "cd migrations; rm -f 1.sql"}), "Migrations"),
        ("claude", "Bash", json!({"command": "echo x >> ./src/../migrations/1.sql"}), "Migrations"),
        ("claude", "Bash", json!({"command": "cat migrations/1.sql"}), ""),
        ("claude", "Read", json!({}), ""),
        ("codex", "apply_patch", patch("src/a.ts", import), "moment"),
        ("codex", "Bash", json!({"command": "git push --force"}), "force-push"),
        (
            "gemini",
            "write_file",
            json!({"file_path": path("src/a.ts"), "content": import}),
            "moment",
        ),
        ("gemini", "run_shell_command", json!({"command": "git push --force"}), "force-push"),
        (
            "opencode",
            "edit",
            json!({"filePath": path("src/a.ts"), "oldString": "x", "newString": import}),
            "moment",
        ),
        (
            "pi",
            "edit",
            json!({"path": "src/a.ts", "edits": [{"oldText": "x", "newText": import}]}),
            "moment",
        ),
        ("generic", "bash", json!({"command": "git push --force"}), "force-push"),
        ("cursor", "Shell", json!({"command": "git push --force"}), "force-push"),
        ("cursor", "Delete", json!({"path": path("migrations/1.sql")}), "Migrations"),
        ("cursor", "Write", json!({"path": path("src/a.ts"), "contents": import}), "moment"),
    ] {
        let answer = asked(&sandbox, agent, tool, &input);
        let (decision, why) = decided(&answer);
        assert_eq!(decision, if held.is_empty() { "" } else { "deny" }, "{agent} {input} {answer}");
        assert!(why.contains(held), "{agent} {input} {why}");
    }
    let held = sandbox.run(&["telemetry"]).ok();
    assert!(held.contains("\tNever force-push\n"), "{held}");
    let answer = asked(&sandbox, "claude", "Bash", &json!({"command": "git push --force"}));
    assert_eq!(
        decided(&answer).1,
        "[lesson] Never force-push (78e4fdf) \u{2014} this command may not be run: git push \
         --force. Do what the memory says instead. A person lifts it for this session by typing \
         pimem: allow 78e4fdf"
    );
}

/// What stood in a file before is not the tool's.
#[test]
fn only_what_is_added_counts() {
    let sandbox = guarded();
    let file = sandbox.project().join("src/old.ts");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "import m from 'moment'\n").unwrap();
    let write = |text: &str| {
        let input = json!({"file_path": file, "content": text});
        decided(&asked(&sandbox, "claude", "Write", &input)).0
    };
    assert_eq!(write("import m from 'moment'\nlet x = 1\n"), "");
    assert_eq!(write("let x = 1\nimport moment from 'moment'\n"), "");
    assert_eq!(write("import m from 'moment'\nimport n from 'moment'\n"), "deny");
}

/// A line of a shell may write files, take directories away, and hold text that is no command.
#[test]
fn what_a_line_of_a_shell_does() {
    let sandbox = guarded();
    std::fs::create_dir(sandbox.project().join("migrations")).unwrap();
    let message =
        "git commit -qm \"$(cat <<'EOF'\ndocs: it's said (1)\n\ngit push --force loses\nEOF\n)\"";
    for (command, want) in [
        ("cat > src/a.ts <<'EOF'\nimport m from 'moment'\nEOF", "deny"),
        (
            "cat > docs/a.md <<'EOF'\nimport m from 'moment'\ngit push --force\n> migrations/1\nEOF",
            "",
        ),
        ("echo \"import m from 'moment'\" >> src/a.ts", "deny"),
        (message, ""),
        ("bash <<EOF\ngit push --force\nEOF", "deny"),
        ("git -C sub push --force", "deny"),
        ("rg 'git push --force' docs", ""),
        ("rm -rf migrations", "deny"),
        ("rm -rf src", ""),
        ("cd src && mv ../migrations ../old", "deny"),
        ("cp 2.sql migrations/", "deny"),
        ("find . -name '*.pyc' -delete", ""),
        ("find migrations -name '*.sql' -delete", "deny"),
        ("rm -rf ./*", "deny"),
        ("cat migrations/1.sql > all.sql", ""),
        ("rm -rf .pi", "ask"),
        ("cd \"$PWD/src\" && rm ../migrations/1.sql", "deny"),
        ("rm ~/../project/migrations/1.sql", "deny"),
        ("curl -o $HOME/../project/migrations/1.sql x", "deny"),
        ("cp -r src/. migrations", "deny"),
        // As PowerShell has it.
        ("Remove-Item -Recurse -Force migrations", "deny"),
        ("\"x\" | Out-File migrations\\1.sql", "deny"),
        ("Set-Content -Path src\\a.ts -Value \"import m from 'moment'\"", "deny"),
        ("Get-Content migrations\\1.sql", ""),
        ("del .pi\\memory\\topics\\lessons.md", "ask"),
    ] {
        let answer = asked(&sandbox, "claude", "Bash", &json!({"command": command}));
        assert_eq!(decided(&answer).0, want, "{command}");
        let answer =
            asked(&sandbox, "codex", "shell", &json!({"command": ["bash", "-lc", command]}));
        assert_eq!(decided(&answer).0, want.replace("ask", "deny"), "{command}");
    }
    let there = sandbox.project().join("migrations");
    let answer =
        asked(&sandbox, "codex", "exec_command", &json!({"cmd": "rm 1.sql", "workdir": there}));
    assert_eq!(decided(&answer).0, "deny");
}

/// A guard that stands in a file is in force when a person has said so, and not before.
#[test]
fn a_file_alone_forbids_nothing() {
    let sandbox = guarded();
    let project = sandbox.project();
    let push = json!({"command": "git push --force"});
    let decision =
        |dir: &Path| decided(&asked_in(&sandbox, dir, ("claude", "s1"), "Bash", &push)).0;
    assert_eq!(decision(&project), "deny");
    // In a clone nobody has.
    sandbox.git(&project, &["add", "."]);
    sandbox.git(&project, &["commit", "-qm", "Memory"]);
    let clone = sandbox.root().join("clone");
    sandbox.git(sandbox.root(), &["clone", "-q", "project", "clone"]);
    assert_eq!(decision(&clone), "");
    // Its lines are taken together, and what they forbid is looked at one by one.
    drop(sandbox.run_in(&clone, &["trust", "--all"]));
    assert_eq!(decision(&clone), "");
    let waiting = sandbox.run_in(&clone, &["trust", "--review"]);
    assert!(
        waiting.stdout.contains("+ what [lesson] Never force-push (78e4fdf) forbids\n"),
        "{waiting:?}"
    );
    // Nor is one in force that was typed into a file, or made by an agent.
    let topic = project.join(".pi/memory/topics/lessons.md");
    let text = fs::read_to_string(&topic).unwrap();
    let make = "- [lesson] Use make *(forbid command: /^cargo/)*\n";
    fs::write(&topic, format!("{text}{make}")).unwrap();
    let cargo = json!({"command": "cargo test"});
    assert_eq!(asked(&sandbox, "claude", "Bash", &cargo), "");
    let mut command = sandbox.command(&["add", "--forbid-command", "^npm", "Use pnpm"]);
    command.env("PIMEM_AGENT", "claude");
    let said = crate::common::sandbox::outcome(command);
    assert!(said.stderr.contains("before a person says so: pimem trust --review"), "{said:?}");
    assert_eq!(asked(&sandbox, "claude", "Bash", &json!({"command": "npm i"})), "");
    // Nor does one end because the marker is gone from the file, until a person has seen that.
    let bare = fs::read_to_string(&topic)
        .unwrap()
        .replace(" *(forbid command: /git push .*--force/)*", "");
    fs::write(&topic, bare).unwrap();
    assert_eq!(decision(&project), "deny");
    let waiting = sandbox.run(&["trust", "--review"]).stdout;
    assert!(waiting.contains("\n    no more: forbid command: /git push .*--force/\n"), "{waiting}");
    fs::write(&topic, format!("{text}{make}")).unwrap();
    // A rewording by a person keeps it in force, one by an agent ends it until somebody looks.
    sandbox.run(&["edit", "Never force-push", "Force-push nothing"]).ok();
    assert_eq!(decision(&project), "deny");
    let mut command = sandbox.command(&["edit", "Force-push nothing", "Push whatever you like"]);
    command.env("PIMEM_AGENT", "claude");
    crate::common::sandbox::outcome(command).ok();
    assert_eq!(decision(&project), "");
}

#[test]
fn a_guard_ends_with_its_entry() {
    let sandbox = guarded();
    let push = json!({"command": "git push --force"});
    let decision = || decided(&asked(&sandbox, "claude", "Bash", &push)).0;
    assert_eq!(decision(), "deny");
    sandbox.run(&["forget", "Never force-push"]).ok();
    assert_eq!(decision(), "");
    sandbox.run(&["undo"]).ok();
    assert_eq!(decision(), "deny");
    sandbox.run(&["edit", "Never force-push", "--no-guard"]).ok();
    assert_eq!(decision(), "");
    sandbox.run(&["edit", "Never force-push", "--forbid-command", "push --force"]).ok();
    assert_eq!(decision(), "deny");
    sandbox.configure(r#"{"guards": {"mode": "off"}}"#);
    assert_eq!(decision(), "deny", "a project does not switch it off");
    fs::create_dir_all(sandbox.home().join(".pi/agent")).unwrap();
    fs::write(sandbox.home().join(".pi/agent/memory.json"), r#"{"guards": {"mode": "off"}}"#)
        .unwrap();
    assert_eq!(decision(), "");
}

/// A person lifts a guard for one session; nobody else does.
#[test]
fn a_person_lifts_a_guard() {
    let sandbox = guarded();
    let push = json!({"command": "git push --force"});
    let decision = |session: &str| {
        decided(&asked_in(&sandbox, &sandbox.project(), ("claude", session), "Bash", &push)).0
    };
    let say = |session: &str, more: &Value| {
        let mut input = json!({"session_id": session, "cwd": sandbox.project()});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call(&sandbox, "claude", "prompt", input.to_string()).ok()
    };
    let allow = "Clean the branch up.\npimem: allow 78e4fdf";
    let wakes = format!("Go on.\n{allow}");
    say("s1", &json!({"prompt": wakes, "source": "schedule_wakeup"}));
    assert_eq!(decision("s1"), "deny");
    say("s1", &json!({"prompt": format!("A task.\n{allow}"), "agent_id": "sub"}));
    assert_eq!(decision("s1"), "deny");
    say("s1", &json!({"prompt": "do not type pimem: allow 78e4fdf"}));
    assert_eq!(decision("s1"), "deny");
    let told = say("s1", &json!({"prompt": allow, "source": "user"}));
    assert!(told.contains("allowed in this session: Never force-push"), "{told}");
    assert_eq!((decision("s1"), decision("s2")), (String::new(), "deny".to_owned()));
    let why = sandbox.run(&["why", "Never force-push"]).ok();
    assert!(why.contains("\nrule             forbid command: /git push .*--force/\n"), "{why}");
    // It held at every call; the same one at once again is the same.
    assert!(why.contains("\nheld             3 times: 2026-06-30, 2026-06-30"), "{why}");
    assert!(why.contains("; lifted 1 time\n"), "{why}");
    let summary = sandbox.run(&["telemetry"]).ok();
    assert!(summary.contains("Never force-push"), "{summary}");
}

/// What cannot be looked through is for a person to decide, and `status` names it.
#[test]
fn what_is_too_large_is_asked() {
    let sandbox = guarded();
    let files =
        |count| (0..count).map(|n| format!("*** Add File: {n}\n+\n")).collect::<Vec<_>>().concat();
    for (input, deadline, want) in [
        (json!({"command": format!("true {}", "x".repeat(70_000))}), "10000", "too large"),
        (json!({"file_path": "a.md", "content": "x".repeat(9 << 20)}), "10000", "too large"),
        (json!({"command": format!("*** Begin Patch\n{}", files(300_000))}), "100", "no time"),
    ] {
        for (agent, decision) in [("claude", "ask"), ("codex", "deny")] {
            let mut command = hook(&sandbox, agent, "pre-tool");
            command.env("PIMEM_HOOK_DEADLINE_MS", deadline);
            let said = json!({"session_id": "s", "cwd": sandbox.project(), "tool_input": input});
            let (decided, why) = decided(&piped(command, said.to_string()).ok());
            assert_eq!(decided, decision, "{agent} {want}");
            assert!(why.contains(want), "{agent} {why}");
        }
    }
    let status = sandbox.run(&["status"]).ok();
    let want = "2 calls ended at the deadline; 4 tool calls too large to look";
    assert!(status.contains(want), "{status}");
    let raw =
        |input: &str| call(&sandbox, "claude", "pre-tool", format!("{{\"tool_input\":{input}}}"));
    let write = "\"file_path\": \"src/a.ts\", \"content\": \"from 'moment'";
    // Half of a character, as JavaScript escapes it, hides nothing.
    assert_eq!(decided(&raw(&format!("{{{write} \\ud83d\"}}")).ok()).0, "deny");
    let deep = format!("{{{write}\", \"x\": {}{}}}", "[".repeat(200), "]".repeat(200));
    assert_eq!(decided(&raw(&deep).ok()).0, "ask");
    // Where nothing is forbidden, nobody is asked.
    let sandbox = Sandbox::new("empty");
    let large = json!({"command": "x".repeat(9 << 20)});
    assert_eq!(asked(&sandbox, "claude", "Bash", &large), "");
}

/// An agent does not change what holds it.
#[test]
fn an_agent_asks_before_it_changes_guards() {
    let sandbox = guarded();
    let file = sandbox.project().join(".pi/memory/topics/lessons.md");
    let write = json!({"file_path": file, "content": "# Lessons\n"});
    for (agent, want) in [("claude", "ask"), ("codex", "deny"), ("gemini", "deny")] {
        assert_eq!(decided(&asked(&sandbox, agent, "Write", &write)).0, want, "{agent}");
        for command in [
            "pimem edit 78e4fdf --no-guard",
            "pimem --dir .pi/memory forget 78e4fdf",
            "PIMEM_GUARDS_MODE=off pimem trust --revoke --all",
            "sed -i d .pi/memory/topics/lessons.md",
        ] {
            let answer = asked(&sandbox, agent, "Bash", &json!({"command": command}));
            assert_eq!(decided(&answer).0, want, "{agent} {command}");
        }
        for command in
            ["pimem search tides", "pimem add -c lesson x", "cat .pi/memory/topics/lessons.md"]
        {
            assert_eq!(
                asked(&sandbox, agent, "Bash", &json!({"command": command})),
                "",
                "{command}"
            );
        }
    }
}

#[test]
fn what_cannot_be_a_guard() {
    let sandbox = guarded();
    let long = "a".repeat(10 << 10);
    for (option, pattern) in [
        ("--forbid", "("),
        ("--forbid", ".*"),
        ("--forbid-command", "a?"),
        ("--forbid", &*long),
        ("--protect", "**"),
        ("--protect", "/etc/passwd"),
        ("--place", "../other/**"),
    ] {
        let said = sandbox.run(&["add", option, pattern, "Something"]);
        assert_eq!(said.code, 2, "{option} {pattern:.20}: {said:?}");
    }
    // One that stands in a file and cannot be read forbids nothing, and is named.
    let topic = sandbox.project().join(".pi/memory/topics/lessons.md");
    let text = fs::read_to_string(&topic).unwrap();
    fs::write(&topic, format!("{text}- [lesson] Broken *(forbid command: /(/)*\n")).unwrap();
    let found = sandbox.run(&["check", "--rule", "unusable-rule"]);
    assert!(found.stdout.contains("carries a rule that forbids nothing: "), "{found:?}");
    assert_eq!(asked(&sandbox, "claude", "Bash", &json!({"command": "("})), "");
}

#[test]
fn sentences_propose_guards() {
    let sandbox = guarded();
    let project = sandbox.project();
    fs::create_dir(project.join("gen")).unwrap();
    fs::write(project.join("gen/api.ts"), "x\n").unwrap();
    fs::write(project.join("AGENTS.md"), "- Never edit files in `gen/`.\n- Be kind in gen/\n")
        .unwrap();
    let imported = sandbox.run(&["import", "agents", "AGENTS.md", "--json"]);
    let view: Value = serde_json::from_str(&imported.stdout).unwrap();
    let check = &view["results"][0]["check"];
    assert_eq!((&check["files"], &view["results"][1]["check"]), (&json!(1), &Value::Null));
    let id = view["results"][0]["id"].as_str().unwrap()[..7].to_owned();
    let command = format!("pimem edit {id} --protect 'gen/'");
    assert_eq!(check["command"], json!(command));
    let edit =
        json!({"file_path": project.join("gen/api.ts"), "old_string": "x", "new_string": "y"});
    assert_eq!(asked(&sandbox, "claude", "Edit", &edit), "", "nothing is in force unasked");

    sandbox.run(&["edit", &id, "--protect", "gen/"]).ok();
    assert_eq!(decided(&asked(&sandbox, "claude", "Edit", &edit)).0, "deny");
    let again = sandbox.run(&["import", "agents", "AGENTS.md"]);
    assert!(!again.stderr.contains("pimem edit"), "{again:?}");

    // What came by git says in its review how it could hold.
    sandbox.git(&project, &["add", "."]);
    sandbox.git(&project, &["commit", "-qm", "x"]);
    sandbox.git(sandbox.root(), &["clone", "-q", "project", "clone"]);
    let clone = sandbox.root().join("clone");
    let topic = clone.join(".pi/memory/topics/preferences.md");
    let bare = fs::read_to_string(&topic).unwrap().replace(" *(protect: gen/)*", "");
    fs::write(&topic, bare).unwrap();
    let waiting = sandbox.run_in(&clone, &["trust", "--review"]).stdout;
    let hint = format!("    could hold: {command}   # 1 file today\n");
    assert_eq!(waiting.matches(&hint).count(), 1, "{waiting}");
}

/// In CI all that the project forbids is looked for, whoever has reviewed it.
#[test]
fn files_are_checked() {
    let sandbox = guarded();
    let project = sandbox.project();
    let commit = || {
        sandbox.git(&project, &["add", "."]);
        sandbox.git(&project, &["commit", "-qm", "x"]);
    };
    fs::create_dir_all(project.join("src")).unwrap();
    fs::create_dir_all(project.join("migrations")).unwrap();
    fs::write(project.join("src/old.ts"), "import m from 'moment'\n").unwrap();
    fs::write(project.join("migrations/1.sql"), "a\n").unwrap();
    commit();
    assert_eq!(sandbox.run(&["check", "--guards", "--base", "HEAD"]).ok(), "no findings\n");
    fs::write(project.join("src/old.ts"), "// new\nimport m from 'moment'\nfrom \"moment\"\n")
        .unwrap();
    fs::write(project.join("migrations/1.sql"), "b\n").unwrap();
    fs::write(project.join("src/new.ts"), "from 'moment'\n").unwrap();
    let found = |args: &[&str]| {
        let done = sandbox.run(&[&["check", "--guards", "--json"], args].concat());
        assert_eq!(done.code, 1);
        let view: Value = serde_json::from_str(&done.stdout).unwrap();
        let place = |one: &Value| format!("{}:{}", one["file"].as_str().unwrap(), one["line"]);
        view["findings"].as_array().unwrap().iter().map(place).collect::<Vec<_>>()
    };
    let added = ["migrations/1.sql:null", "src/new.ts:1", "src/old.ts:3"];
    assert_eq!(found(&["--base", "HEAD"]), added);
    let clone = sandbox.root().join("clone");
    assert_eq!(found(&[]), ["src/new.ts:1", "src/old.ts:2", "src/old.ts:3"]);
    sandbox.git(sandbox.root(), &["clone", "-q", "project", "clone"]);
    assert_eq!(sandbox.run_in(&clone, &["check", "--guards"]).code, 1);
    let sarif = sandbox.run(&["check", "--guards", "--sarif"]).stdout;
    assert!(sarif.contains("\"uri\": \"src/old.ts\""), "{sarif}");
    assert_eq!(sandbox.run(&["check", "--guards", "--base", "no-such-commit"]).code, 2);
    // What it would hold today is said when it is made.
    let said = sandbox.run(&["add", "--forbid", "moment", "No moment at all"]);
    assert!(said.stderr.contains("    3 lines have that today: src/new.ts:1, "), "{said:?}");
}

/// Markers survive what happens to entries.
#[test]
fn rules_go_with_their_entry() {
    let sandbox = guarded();
    let marker = "*(forbid command: /git push .*--force/)*";
    let topic = || sandbox.read("topics/lessons.md");
    sandbox.run(&["edit", "Never force-push", "--asked", "may I rewrite main"]).ok();
    sandbox.run(&["edit", "Never force-push", "Never ever force-push"]).ok();
    sandbox.run(&["pin", "Never ever force-push"]).ok();
    let line = format!("Never ever force-push *(asked: may I rewrite main)* {marker} *(pinned)*");
    assert!(topic().contains(&line), "{}", topic());
    let exported = sandbox.run(&["export", "jsonl"]).stdout;
    assert!(exported.contains(r#""rules":["forbid command: /git push .*--force/"]"#), "{exported}");
    let other = sandbox.root().join("other");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("all.jsonl"), exported).unwrap();
    sandbox.run_in(&other, &["import", "jsonl", "all.jsonl"]).done();
    let imported = fs::read_to_string(other.join(".pi/memory/topics/lessons.md")).unwrap();
    assert!(imported.contains(marker), "{imported}");
    // A file is no person, whatever it forbids.
    let push = json!({"command": "git push --force"});
    assert_eq!(asked_in(&sandbox, &other, ("claude", "s1"), "Bash", &push), "");
    // An add of the same text with a rule is that change.
    sandbox.run(&["add", "--protect", "db/**", "Migrations are never edited"]).ok();
    assert!(topic().contains("Migrations are never edited *(protect: db/**)*\n"), "{}", topic());
    // No report shows them, and what replaces an entry is asked for the same, and forbids nothing.
    assert!(!sandbox.run(&["report"]).ok().contains("*("));
}
