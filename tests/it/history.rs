//! `import history`: what people said in transcripts, what commits took back and decided, and records of
//! decisions wait for a review; nothing of another project, of a model or of a sub-agent is taken.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::common::{
    repository,
    sandbox::{Sandbox, outcome},
    terminal::without_terminal,
    write_program,
};

const RULE: &str = "From now on, always use pnpm here, never npm.";

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A message in a transcript of Claude Code.
fn claude(cwd: &Path, day: u8, role: &str, text: &str) -> String {
    let content =
        if role == "user" { json!(text) } else { json!([{"type": "text", "text": text}]) };
    let line = json!({"type": role, "sessionId": format!("s{day}"), "cwd": cwd, "uuid": text,
        "timestamp": format!("2026-06-{day:02}T10:00:00Z"),
        "message": {"role": role, "content": content}});
    format!("{line}\n")
}

/// A project with a past: transcripts of three agents, a revert and a record.
fn project() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    let (project, home) = (sandbox.project(), sandbox.home());
    sandbox.git("project", &["init", "-q"]);
    write(&project.join("a"), "1");
    write(
        &project.join("docs/adr/0005-queue.md"),
        "# 5. Use a table as the queue\n\n## Status\n\nAccepted\n\n## Decision\n\nJobs are rows that workers lock.\n",
    );
    sandbox.git("project", &["add", "-A"]);
    sandbox.git("project", &["commit", "-qm", "Cache sessions in Redis"]);
    sandbox.git("project", &["revert", "--no-edit", "HEAD"]);
    let why = "Revert \"Cache sessions in Redis\"\n\nRedis loses sessions on failover; keep them in Postgres.";
    sandbox.git("project", &["commit", "--amend", "-qm", why]);
    // The revert took the record away.
    sandbox.git("project", &["checkout", "-q", "HEAD~1", "--", "docs"]);

    let of_claude = home.join(".claude/projects/-p");
    let said = |day, text: &str| claude(&project.join("src"), day, "user", text);
    let first = said(1, RULE)
        + &claude(
            &project,
            1,
            "assistant",
            "Understood. From now on I prefer yarn for everything.",
        )
        + &said(1, "please open the file with the scheduler")
        + "{\"torn";
    write(&of_claude.join("s.jsonl"), &first);
    write(&of_claude.join("t.jsonl"), &said(3, RULE));
    let task = claude(&project, 2, "user", "Always write tests in the style of a sub-agent.");
    write(&of_claude.join("s/subagents/agent-1.jsonl"), &task);
    let elsewhere = sandbox.root().join("elsewhere");
    let other = claude(&elsewhere, 2, "user", "From now on, always use Bazel here.");
    write(&home.join(".claude/projects/-e/s.jsonl"), &other);
    let meta = json!({"timestamp": "2026-06-02T10:00:00Z", "type": "session_meta",
        "payload": {"id": "c", "cwd": project}});
    let said = json!({"timestamp": "2026-06-02T10:00:00Z", "type": "event_msg", "payload":
        {"type": "user_message", "message": "no, not npm test, it's `make check` in this repo"}});
    let secret = json!({"timestamp": "2026-06-02T10:00:00Z", "type": "event_msg", "payload":
        {"type": "user_message", "message": "Always use the token ghp_abcdefghijklmnopqrstuvwxyz0123456789"}});
    write(&home.join(".codex/sessions/2026/06/02/r.jsonl"), &format!("{meta}\n{said}\n{secret}\n"));
    sandbox
}

#[test]
fn it_waits_for_a_review_with_its_source() {
    let sandbox = project();
    let dry = sandbox.run(&["import", "history", "--dry-run"]).stdout;
    assert!(!sandbox.store().join("topics").exists(), "nothing is written: {dry}");
    let said = sandbox.run(&["import", "history"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("lines wait for you"), "{said:?}");
    assert!(!sandbox.run(&["report"]).stdout.contains("pnpm"), "nothing is shown before");
    let review = sandbox.run(&["trust", "--review"]).stdout;
    for wanted in ["pnpm", "make check", "Redis loses sessions", "Use a table as the queue"] {
        assert!(review.contains(wanted), "{wanted}: {review}");
    }
    assert!(!review.contains("may have been pasted"), "{review}");
    for other in ["yarn", "scheduler", "Bazel", "sub-agent", "ghp_"] {
        assert!(!review.contains(other) && !said.stdout.contains(other), "{other}: {review}");
    }
    let why = |words: &str| sandbox.run(&["why", words]).stdout;
    assert!(
        why("pnpm").contains("said in a session of claude on 2026-06-03, and 1 more"),
        "{}",
        why("pnpm")
    );
    assert!(why("Redis").contains("reverted in commit "), "{}", why("Redis"));
    assert!(why("table as").contains("recorded in docs/adr/0005-queue.md"), "{}", why("table as"));
    let entries = sandbox.entries();
    let of = |words: &str| entries.iter().find(|(text, _)| text.contains(words)).unwrap().1;
    assert_eq!(of("pnpm")["evidence"], 2, "it was said in two sessions");
    assert_eq!(of("Redis")["category"], "mistake");
    // Once is enough, and what is refused does not come again.
    let again = sandbox.run(&["import", "history"]).stdout;
    assert!(again.contains("Imported 0 of"), "{again}");
    sandbox.run(&["forget", "make check"]).done();
    sandbox.run(&["import", "history"]).done();
    assert!(!sandbox.run(&["list"]).stdout.contains("make check"));
    sandbox.run(&["trust", "--all"]).done();
    assert!(sandbox.run(&["report"]).stdout.contains("pnpm"));
}

#[test]
fn from_a_day_on_and_nowhere_else() {
    let sandbox = project();
    let since = sandbox.run(&["import", "history", "--dry-run", "--since", "2026-06-03"]).stdout;
    assert!(since.contains("pnpm") && !since.contains("make check"), "{since}");
    for args in
        [&["history", "x"][..], &["history", "-c", "lesson"], &["agents", "A", "--since", "7d"]]
    {
        let refused = sandbox.run(&[&["import"], args].concat());
        assert_eq!(refused.code, 2, "{refused:?}");
    }
    let nothing = Sandbox::new("empty").run(&["import", "history"]);
    assert_eq!(nothing.code, 1, "{nothing:?}");
}

/// OpenCode has a database, which its own program reads: only sessions of the project are asked for.
#[test]
fn sessions_of_opencode() {
    let sandbox = project();
    let (bin, asked) = (sandbox.root().join("bin"), sandbox.root().join("asked"));
    let row =
        |session: &str, at: u64, text: &str| json!({"session": session, "at": at, "text": text});
    let rows = json!([
        row("ses_1", 1_780_308_000_000, RULE),
        row("ses_1", 1_780_308_060_000, "please open the file with the scheduler"),
        row("ses_2", 1_780_567_200_000, "Never log tokens or cookies here."),
    ]);
    write(&sandbox.root().join("rows"), &rows.to_string());
    let script = format!(
        "#!/bin/sh\npwd > {0}\nprintf '%s\\n' \"$@\" >> {0}\ncat {1}\n",
        asked.display(),
        sandbox.root().join("rows").display()
    );
    write_program(&bin.join("opencode"), &script);
    let import = |more: &[&str]| {
        let mut command = sandbox.command(&[&["import", "history", "--dry-run"], more].concat());
        command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
        outcome(command)
    };
    import(&[]).done();
    assert!(!asked.exists(), "there is no database");
    let data = sandbox.home().join(".local/share/opencode");
    write(&data.join("opencode.db"), "SQLite format 3");
    let said = import(&[]).done();
    assert!(said.contains("Never log tokens") && !said.contains("scheduler"), "{said}");
    let asked = fs::read_to_string(asked).unwrap();
    let mut asked = asked.lines();
    assert_eq!(asked.next(), data.canonicalize().unwrap().to_str());
    assert_eq!(asked.next(), Some("db"));
    let query = asked.next().unwrap();
    let here = format!("s.directory = '{}'", sandbox.project().display());
    assert!(query.contains(&here) && query.contains("s.parent_id is null"), "{query}");
    let since = import(&["--since", "2026-06-03"]).done();
    assert!(since.contains("Never log tokens"), "{since}");
    let late = import(&["--since", "2026-06-20"]).done();
    assert!(!late.contains("Never log tokens"), "{late}");
    for (answer, why) in
        [("echo SQLite error; exit 1", "does not answer as expected"), ("", "does not answer as")]
    {
        write(&bin.join("opencode"), &format!("#!/bin/sh\n{answer}\n"));
        let left = import(&[]);
        let note = format!("Sessions of OpenCode are left out: opencode {why}");
        assert!(left.stderr.contains(&note) && left.stdout.contains("pnpm"), "{left:?}");
    }
    fs::remove_file(bin.join("opencode")).unwrap();
    assert!(import(&[]).stderr.contains("opencode cannot be started"), "it is not there");
}

/// Long lines, texts of no encoding and links cost nothing but themselves.
#[test]
fn odd_transcripts() {
    let sandbox = project();
    let dir = sandbox.home().join(".claude/projects/-p");
    let mut odd = vec![b'x'; 17 << 20];
    odd.extend(b"\n\xff\xfe\n");
    odd.extend(claude(&sandbox.project(), 4, "user", "Never log tokens or cookies here.").bytes());
    fs::write(dir.join("odd.jsonl"), odd).unwrap();
    fs::write(dir.join("empty.jsonl"), "").unwrap();
    std::os::unix::fs::symlink(dir.join("s.jsonl"), dir.join("link.jsonl")).unwrap();
    std::os::unix::fs::symlink(&dir, dir.join("loop")).unwrap();
    let said = sandbox.run(&["import", "history"]).stdout;
    assert!(said.contains("Never log tokens or cookies"), "{said}");
    assert_eq!(said.matches("pnpm").count(), 1, "{said}");
}

/// A newcomer is told what could be taken over.
#[test]
fn a_new_store_offers_what_is_there() {
    let sandbox = project();
    let name =
        sandbox.project().to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let of_claude = sandbox.home().join(".claude/projects").join(name);
    fs::create_dir_all(of_claude).unwrap();
    write(&sandbox.project().join("AGENTS.md"), "- Tugs are booked by phone\n");
    write(&sandbox.project().join(".github/copilot-instructions.md"), "- Be brief\n");
    let said = sandbox.run(&["init"]).stderr;
    let files = ".github/copilot-instructions.md AGENTS.md";
    assert!(said.contains(&format!("{files} have rules: pimem import agents {files}")), "{said}");
    assert!(said.contains("pimem import history --dry-run"), "{said}");
    assert!(!sandbox.run(&["init"]).stderr.contains("import"), "once");
    let said = sandbox.run(&["hooks", "install", "claude"]).stderr;
    assert!(said.contains("pimem import agents"), "{said}");
    assert_eq!(Sandbox::new("empty").run(&["init"]).stderr, "");
}

/// What is worth most comes first; a key takes, drops, rewords or goes back.
#[test]
fn one_review_with_one_key_each() {
    let sandbox = project();
    if without_terminal(&sandbox) {
        return;
    }
    sandbox.run(&["import", "history"]).done();
    let review = |keys: &str| {
        let line = format!(
            "printf '{keys}' | env -u COLUMNS TERM=dumb script -qec 'stty -echo; pimem trust' /dev/null"
        );
        sandbox.shell(&line).stdout.replace('\r', "")
    };
    let said = review("y\\nd\\nb\\nn\\ne\\nKeep sessions in Postgres\\nq\\n");
    let order =
        ["-- said more than once", "pnpm", "-- mistake", "Redis", "make check", "-- decision"];
    let at: Vec<Option<usize>> = order.iter().map(|word| said.find(word)).collect();
    assert!(at[0].is_some() && at.is_sorted(), "{at:?} {said}");
    let waiting = sandbox.run(&["trust", "--review"]).stdout;
    assert!(waiting.contains("Redis") && waiting.contains("as the queue"), "{waiting}");
    assert!(!waiting.contains("pnpm") && !waiting.contains("make check"), "{waiting}");
    let report = sandbox.run(&["report"]).stdout;
    assert!(report.contains("pnpm") && report.contains("Keep sessions in Postgres"), "{report}");
    review("d\\ny\\n");
    assert!(!sandbox.run(&["list"]).stdout.contains("Redis"), "it was dropped");
    assert_eq!(sandbox.run(&["trust", "--review"]).code, 0, "nothing waits");
    // Twenty at a stretch.
    for n in 10..35 {
        let text = format!("# {n}. Use crane {n} at quay {n}\n\n## Status\n\nAccepted\n");
        write(&sandbox.project().join(format!("docs/adr/{n}.md")), &text);
    }
    sandbox.run(&["import", "history"]).done();
    let listed = sandbox.run(&["trust", "--review"]).stdout;
    assert!(listed.contains("-- decision: 25\n"), "{listed}");
    let said = review(&("n\\n".repeat(20) + "q\\n"));
    let asked = said.matches("Trust it?").count();
    assert_eq!((asked, said.matches("Go on?").count()), (20, 1), "{said}");
}

/// A file of rules that has changed replaces, confirms and forgets what it stated before.
#[test]
fn a_changed_file_of_rules() {
    let sandbox = Sandbox::new("empty");
    let rules = |text: &str| write(&sandbox.project().join("AGENTS.md"), text);
    let import =
        |more: &[&str]| sandbox.run(&[&["import", "agents", "AGENTS.md"], more].concat()).done();
    let sync = "- Run `uv sync` before the first test of the day\n";
    let evidence = |text: &str| sandbox.entries()[text]["evidence"].clone();
    let (never, berths) = ("- Never log tokens\n", "- Berths are numbered from the north\n");
    rules(&[sync, never, berths].concat());
    assert!(import(&[]).ends_with("Imported 3 of 3 (0 already there, 0 left out)\n"));
    sandbox.run(&["add", "-c", "lesson", "Somebody else said this"]).done();
    // Nothing has changed.
    assert!(import(&[]).ends_with("Imported 0 of 3 (3 already there, 0 left out)\n"));
    assert_eq!(evidence("Never log tokens"), 1);
    rules(&[&sync.replace("uv sync", "uv sync --frozen"), never].concat());
    let later = |more: &[&str]| import(&[more, &["--now", "2026-07-02"]].concat());
    let plan = later(&["--dry-run"]);
    let want = [
        "Would add: [preference] Run `uv sync --frozen`",
        "Would replace: [preference] Run `uv sync` before",
        "Would forget, as it is there no longer: [lesson] Berths are numbered",
        "Would import 1 of 2 (1 already there, 0 left out, 1 replaced, 1 forgotten)",
    ];
    for line in want {
        assert!(plan.contains(line), "{line}: {plan}");
    }
    assert_eq!(sandbox.entries().len(), 4, "nothing was written");
    let done = later(&[]);
    assert!(done.contains("Forgotten, as it is there no longer: "), "{done}");
    let report = sandbox.run(&["report", "--now", "2026-07-02"]).ok();
    assert!(report.contains("--frozen") && report.contains("Somebody else"), "{report}");
    assert!(!report.contains("Run `uv sync` ") && !report.contains("Berths"), "{report}");
    assert_eq!(evidence("Never log tokens"), 2, "it was confirmed");
    let why = sandbox.run(&["why", "sync --frozen"]).ok();
    assert!(why.contains("stated in AGENTS.md"), "{why}");
    assert!(later(&[]).ends_with("Imported 0 of 2 (2 already there, 0 left out)\n"));
    // One step takes all of it back.
    sandbox.run(&["undo"]).done();
    let report = sandbox.run(&["report", "--now", "2026-07-02"]).ok();
    assert!(report.contains("Berths") && report.contains("Run `uv sync` "), "{report}");
    // A file that states nothing any more.
    rules("# Rules\n");
    let done = later(&[]);
    assert!(done.contains("(0 already there, 0 left out, 0 replaced, 3 forgotten)"), "{done}");
    let report = sandbox.run(&["report", "--now", "2026-07-02"]).ok();
    assert!(report.contains("Somebody else") && !report.contains("Berths"), "{report}");
    // It makes no store.
    let bare = Sandbox::new("empty");
    write(&bare.project().join("AGENTS.md"), "# Rules\n");
    assert_eq!(bare.run(&["import", "agents", "AGENTS.md"]).code, 1);
    assert!(!bare.project().join(".pi/memory").exists());
}

/// Returns where an agent keeps a session that was in the project, and its text.
fn session(
    agent: &str,
    project: &Path,
    at: usize,
    messages: &[(&str, String)],
) -> (String, String) {
    let when = format!("2026-06-{:02}T10:00:00Z", 1 + at % 28);
    let mut rows = Vec::new();
    let (path, heads) = match agent {
        "claude" => (format!(".claude/projects/-p/{at}.jsonl"), Vec::new()),
        "codex" => {
            let meta = json!({"id": at.to_string(), "cwd": project});
            let meta = json!({"timestamp": when, "type": "session_meta", "payload": meta});
            (format!(".codex/sessions/2026/06/01/{at}.jsonl"), vec![meta])
        }
        "pi" => {
            let head = json!({"type": "session", "version": 3, "id": at.to_string(), "timestamp": when, "cwd": project});
            (format!(".pi/agent/sessions/--p--/{at}.jsonl"), vec![head])
        }
        _ => {
            let head = json!({"sessionId": at.to_string(), "startTime": when, "kind": "main"});
            (format!(".gemini/tmp/HASH/chats/session-{at}.jsonl"), vec![head])
        }
    };
    rows.extend(heads);
    for (nth, (role, text)) in messages.iter().enumerate() {
        let (is_user, id) = (*role == "user", format!("{at}-{nth}"));
        rows.push(match agent {
            "claude" if *role == "tool" => json!({"type": "user", "sessionId": at.to_string(), "cwd": project,
                "uuid": id, "timestamp": when, "message": {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "t", "content": text}]}}),
            "claude" => {
                let content = if is_user { json!(text) } else { json!([{"type": "text", "text": text}]) };
                json!({"type": role, "sessionId": at.to_string(), "cwd": project, "uuid": id,
                    "timestamp": when, "message": {"role": role, "content": content}})
            }
            "codex" if *role == "tool" => json!({"timestamp": when, "type": "response_item", "payload":
                {"type": "function_call_output", "call_id": "c", "output": text}}),
            "codex" => json!({"timestamp": when, "type": "event_msg", "payload":
                {"type": if is_user { "user_message" } else { "agent_message" }, "message": text}}),
            "pi" => {
                let role = if *role == "tool" { "toolResult" } else { role };
                json!({"type": "message", "id": id, "timestamp": when, "message":
                    {"role": role, "content": [{"type": "text", "text": text}]}})
            }
            _ if *role == "tool" => json!({"id": id, "timestamp": when, "type": "gemini", "content": "",
                "toolCalls": [{"id": "t", "name": "read_file", "status": "success", "resultDisplay": text}]}),
            _ => json!({"id": id, "timestamp": when, "type": if is_user { "user" } else { "gemini" },
                "content": [{"text": text}]}),
        });
    }
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    (path, lines.join("\n") + "\n")
}

/// Sixty sessions of four agents with 197 statements, 2,000 other sentences, logs, and words of models and tools.
#[test]
fn sixty_sessions_with_a_key() {
    const SESSIONS: usize = 60;
    const LOG: &str = "error[E0502]: cannot borrow `pool` as mutable\n  --> src/pool.rs:88:17\n\
        2026-05-02T10:11:12Z ERROR request failed status=500";
    let fixture = |name: &str| {
        let text = fs::read_to_string(repository().join("fixtures/history").join(name)).unwrap();
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let (statements, others) = (fixture("statements.txt"), fixture("others.txt"));
    let sandbox = Sandbox::new("empty");
    let project = sandbox.project();
    sandbox.git("project", &["init", "-q"]);
    let hash = sandbox.shell(&format!("printf %s '{}' | sha256sum", project.display())).ok();
    let hash = hash.split(' ').next().unwrap();
    let mut said = 0;
    let mut other = |at: usize| {
        said += 1;
        let text = others[said % others.len()].replace("{thing}", "price table");
        let text = text.replace("{file}", "src/orders.ts").replace("{number}", &at.to_string());
        if text.ends_with(['.', '?']) { text } else { text + "." }
    };
    for at in 0..SESSIONS {
        let mut messages = Vec::new();
        for (nth, statement) in statements.iter().skip(at).step_by(SESSIONS).enumerate() {
            messages.push((
                "user",
                match nth % 4 {
                    0 => format!("{} {statement}.", other(at)),
                    1 => format!("{statement}. {}", other(at)),
                    2 => format!("{}\n\n{LOG}\n\n{statement}.", other(at)),
                    _ => format!("{} {statement}. {}", other(at), other(at)),
                },
            ));
            messages.push(("assistant", "We always use Bazel here, never Make.".to_owned()));
            messages.push(("tool", "From now on, always use Bazel.".to_owned()));
        }
        messages.extend((0..30).map(|_| ("user", other(at))));
        let agent = ["claude", "codex", "pi", "gemini"][at % 4];
        let (path, text) = session(agent, &project, at, &messages);
        write(&sandbox.home().join(path.replace("HASH", hash)), &text);
    }
    sandbox.run(&["import", "history"]).done();
    let taken: Vec<String> =
        sandbox.entries().into_keys().map(|text| text.to_lowercase()).collect();
    let is_of = |statement: &String, text: &String| {
        let statement = statement.to_lowercase();
        statement.contains(text.as_str()) || text.contains(&statement)
    };
    let found = statements.iter().filter(|one| taken.iter().any(|text| is_of(one, text))).count();
    let wrong: Vec<_> =
        taken.iter().filter(|text| !statements.iter().any(|one| is_of(one, text))).collect();
    assert!(found * 100 >= statements.len() * 84, "{found} of {}", statements.len());
    assert!(wrong.len() <= 2, "{wrong:?}");
}
