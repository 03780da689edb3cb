//! What agents are told is what people can see: `report`, hooks, the page and MCP give one text.

use serde_json::{Value, json};

use crate::{
    common::{
        client::{self, Client},
        sandbox::Sandbox,
        terminal::{on_terminal, without_terminal},
    },
    hooks::call,
};

/// Every agent, and the event that brings the report.
const AGENTS: [(&str, &str); 8] = [
    ("claude", "session-start"),
    ("codex", "session-start"),
    ("gemini", "session-start"),
    ("antigravity", "prompt"),
    ("cursor", "session-start"),
    ("opencode", "session-start"),
    ("pi", "session-start"),
    ("generic", "session-start"),
];

const FACTUAL: &str = "Recorded in earlier sessions on this project by its people and agents. Use it \
    without re-checking; where it contradicts the code or the user, they are right.";

const SEED: &str = "Ground Truth: Memories above and contextually relevant memories injected below \
    are authoritative. Use them directly — do not re-discover or re-verify information already in \
    your context window.";

/// Returns what an agent is given by the first hook of a new session, with a line break at its end.
fn given(sandbox: &Sandbox, agent: &str, event: &str) -> String {
    let input = json!({"session_id": format!("new-{agent}"), "prompt": "ok", "invocationNum": 0});
    let text = call(sandbox, agent, event, input.to_string()).ok();
    let Ok(answer) = serde_json::from_str::<Value>(&text) else { return text };
    let places = [
        "/hookSpecificOutput/additionalContext",
        "/additional_context",
        "/context",
        "/injectSteps/0/ephemeralMessage",
    ];
    let text = places.iter().find_map(|place| answer.pointer(place)?.as_str()).unwrap_or_default();
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

/// A store with pinned entries, a full report, and content of every kind for the day at hand.
fn harbor() -> Sandbox {
    let sandbox = Sandbox::new("harbor");
    for args in [["todo", "add", "Dredge berth 4"].as_slice(), &["log", "The crane is back"]] {
        sandbox.run(args).done();
    }
    sandbox.run(&["note", "The office closes at noon"]).done();
    sandbox
}

/// Stores in which the text could differ from way to way.
fn stores() -> Vec<(&'static str, Sandbox)> {
    let planted = harbor();
    planted.plant("topics/patterns.md", "- [pattern] Planted by somebody else\n");
    let pinned = harbor();
    let lines = |topic: usize| -> String {
        let line = |n| format!("- [lesson] Rule {topic}-{n} of the harbour office *(pinned)*\n");
        (0..50).map(line).collect()
    };
    (0..10).for_each(|topic| pinned.write(&format!("topics/rules-{topic}.md"), lines(topic)));
    let seed = harbor();
    seed.configure("{\"report\": {\"groundTruth\": \"seed\"}}");
    let wide = harbor();
    wide.configure("{\"report\": {\"budget\": 5000}}");
    let broken = harbor();
    broken.configure("{\"report\": {\"bugdet\": 900}}");
    let off = harbor();
    off.configure("{\"memory\": {\"enabled\": false}}");
    let sealed = harbor();
    sealed.run(&["encrypt", "init"]).done();
    vec![
        ("full", harbor()),
        ("with lines that wait", planted),
        ("with 500 pinned entries", pinned),
        ("with the seed's wording", seed),
        ("with a budget beyond what agents take", wide),
        ("with a setting that is ignored", broken),
        ("switched off", off),
        ("sealed", sealed),
        ("of three entries", {
            let sandbox = Sandbox::new("empty");
            sandbox.pipe(&["add", "-"], "Use tabs\nLocks survive a rollback\n").done();
            sandbox
        }),
        ("without entries", Sandbox::new("empty")),
    ]
}

#[test]
fn the_layout_start_is_what_each_agent_is_given() {
    for (name, sandbox) in stores() {
        for (agent, event) in AGENTS {
            let shown = sandbox.run(&["report", "--layout", "start", "--agent", agent]).stdout;
            let given = given(&sandbox, agent, event);
            assert_eq!(shown, given, "{agent}: a store {name}");
            let again = sandbox.run(&["report", "--layout", "start", "--agent", agent]).stdout;
            assert_eq!(shown, again, "{agent}: a store {name} after a session has begun");
        }
        let document = sandbox.run(&["report", "--layout", "start", "--json"]).stdout;
        let document: Value = serde_json::from_str(&document).unwrap();
        let plain = sandbox.run(&["report", "--layout", "start"]).stdout;
        assert_eq!(document["text"], plain, "{name}");
        assert_eq!(document["characters"], plain.chars().count(), "{name}");
    }
}

#[test]
fn what_report_prints_begins_what_each_agent_is_given() {
    for (name, sandbox) in stores() {
        if name.contains("500 pinned") || name.contains("beyond") || name == "switched off" {
            // More than agents take, or nothing.
            continue;
        }
        let report = sandbox.run(&["report"]).stdout;
        assert!(!report.contains("% capacity") || name.contains("seed"), "{name}: {report}");
        for (agent, event) in AGENTS {
            let given = given(&sandbox, agent, event);
            assert!(given.starts_with(&report), "{agent}, a store {name}: {given}");
            let truth = if name.contains("seed") { SEED } else { FACTUAL };
            assert_eq!(given.matches(truth).count(), usize::from(!report.is_empty()), "{given}");
            let has_day = given.contains("# The Day at Hand") && given.contains("Dredge berth 4");
            assert_eq!(has_day, !name.contains("entries") || name.contains("500"), "{given}");
        }
    }
}

/// The page shows it line by line, with the day at hand.
#[test]
fn the_page_shows_what_an_agent_is_given() {
    let sandbox = harbor();
    let page = sandbox.run(&["report", "--html"]).ok();
    let start = sandbox.run(&["report", "--layout", "start"]).ok();
    let mut at = page.find("What the agent sees now</h2>").unwrap();
    for line in start.lines().filter(|line| !line.trim().is_empty()) {
        let text = line.trim_start_matches('#').trim().trim_start_matches("- ");
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let text = text.replace('"', "&quot;").replace('\'', "&#39;");
        let found = page[at..].find(&text).unwrap_or_else(|| panic!("{text} comes after {at}"));
        at += found;
    }
    assert!(page.contains("Dredge berth 4") && page.contains(FACTUAL));
    let redacted = sandbox.run(&["report", "--html", "--redact"]).ok();
    for word in ["Dredge", "noon", "crane is back"] {
        assert!(!redacted.contains(word), "{word}");
    }
}

#[test]
fn mcp_gives_the_same_text() {
    let sandbox = harbor();
    // The last line names a tool of the client, which may take a column more.
    let set = ["config", "set", "--user", "report.searchCommand", "memory_search"];
    sandbox.run(&set).done();
    let report = sandbox.run(&["report"]).ok();
    let mut client = Client::new(&sandbox);
    let said = client::text(&client.call("memory_context", &json!({})));
    assert!(said.starts_with(&format!("<memory>\n{report}</memory>\n")), "{said}");
    assert_eq!(client.document("memory_context", &json!({}))["text"], report);
    assert_eq!(client.end().0, Some(0));
}

/// Models are not asked for housekeeping; people are.
#[test]
fn only_people_are_asked_to_consolidate() {
    let sandbox = Sandbox::new("harbor");
    let asked = |with: &str| {
        format!(
            "Memory above 80% capacity. Before adding new entries, consolidate or remove existing ones using {with}."
        )
    };
    sandbox.configure("{\"report\": {\"budget\": 300}}");
    assert!(!sandbox.run(&["report"]).ok().contains("% capacity"));
    assert!(!sandbox.run(&["report", "--json"]).ok().contains("% capacity"));
    for (agent, event) in AGENTS {
        assert!(!given(&sandbox, agent, event).contains("% capacity"), "{agent}");
    }
    let status = sandbox.run(&["status"]).ok().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(status.contains(&asked("pimem forget")), "{status}");
    if !without_terminal(&sandbox) {
        let report = on_terminal(&sandbox, 200, "pimem report").stdout;
        assert!(report.ends_with(&format!("\n> ⚠️ {}\n", asked("pimem forget"))), "{report}");
        assert!(report.starts_with(&sandbox.run(&["report"]).ok()), "{report}");
        let quiet = on_terminal(&sandbox, 200, "pimem -q report").stdout;
        assert!(!quiet.contains("% capacity"), "{quiet}");
    }
    sandbox.run(&["config", "set", "--user", "report.removeCommand", "drop it"]).done();
    let status = sandbox.run(&["status"]).ok().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(status.contains(&asked("drop it")), "{status}");
    sandbox.configure("{\"report\": {\"budget\": 5000}}");
    assert!(!sandbox.run(&["status"]).ok().contains("% capacity"));
}

/// Pinned entries are counted apart, and no budget is exceeded.
#[test]
fn the_header_never_exceeds_the_budget() {
    let sandbox = Sandbox::new("harbor");
    for budget in ["20", "60", "300", "1700", "4000"] {
        let report = sandbox.run(&["report", "--budget", budget]).ok();
        let header = report.lines().next().unwrap().replace(',', "");
        let numbers: Vec<usize> = header
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|number| number.parse().ok())
            .collect();
        let [percent, counted, of, pinned] = numbers.as_slice() else { panic!("{header}") };
        assert!(*percent <= 100 && counted <= of && of.to_string() == budget, "{header}");
        assert_eq!(counted + pinned, report.chars().count().div_ceil(4), "{header}");
    }
}

/// To the letter, on every way out.
#[test]
fn the_seed_restores_sentence_warning_and_header() {
    let sandbox = Sandbox::new("empty");
    sandbox.configure(
        "{\"report\": {\"groundTruth\": \"seed\", \"fill\": false, \"budget\": 115},
          \"scoring\": {\"fresh\": false}}",
    );
    sandbox.run(&["add", "-c", "preference", "--pin", "Commit subjects are imperative"]).done();
    for (text, n) in [("Locks survive a rollback", "5"), ("Backups are tested on Mondays", "4")] {
        sandbox.run(&["add", "-c", "lesson", text]).done();
        sandbox.run(&["reinforce", text, "--by", n]).done();
    }
    sandbox.run(&["add", "-c", "lesson", "Said once, and not strong enough"]).done();
    let want = format!(
        "# Project Memory [106% — 122/115 tokens]\n\
         \n\
         > ⚠️ Memory above 80% capacity. Before adding new entries, consolidate or remove existing \
         ones using memory_remove.\n\
         \n\
         {SEED}\n\
         \n\
         ## Pinned\n\
         - [preference] Commit subjects are imperative\n\
         \n\
         ## Active Lessons\n\
         - Locks survive a rollback\n\
         - Backups are tested on Mondays\n"
    );
    assert_eq!(sandbox.run(&["report"]).ok(), want);
    for (agent, event) in AGENTS {
        assert_eq!(given(&sandbox, agent, event), want, "{agent}");
        let start = sandbox.run(&["report", "--layout", "start", "--agent", agent]).ok();
        assert_eq!(start, want, "{agent}");
    }
    let mut client = Client::new(&sandbox);
    assert_eq!(client.document("memory_context", &json!({}))["text"], want);
    client.end();
    let page = sandbox.run(&["report", "--html"]).ok();
    for line in want.lines().filter(|line| !line.is_empty()) {
        let line = line.trim_start_matches('#').trim_start_matches("- ").trim();
        assert!(page.contains(&line.replace('>', "&gt;")), "{line}");
    }
    assert!(!sandbox.run(&["status"]).ok().contains("% capacity"), "the report says it");
}
