//! Places: an entry with a place is told where somebody works there, and found everywhere.

use serde_json::{Value, json};

use crate::{common::sandbox::Sandbox, hooks::call};

const SVELTE: &str = "Components are written in Svelte";

fn placed() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    let project = sandbox.project();
    sandbox.git(&project, &["init", "-q"]);
    for dir in ["packages/web/src", "packages/api"] {
        std::fs::create_dir_all(project.join(dir)).unwrap();
    }
    std::fs::write(project.join("packages/web/src/app.ts"), "").unwrap();
    sandbox.run(&["init"]).ok();
    sandbox.run(&["add", "-c", "preference", "Packages are installed with pnpm"]).ok();
    // Relative to the root, wherever it is typed.
    let place = ["add", "-c", "preference", "--place", "packages/web/**", SVELTE];
    sandbox.run_in("project/packages/api", &place).ok();
    sandbox
}

/// Returns what the hook of an event adds to the context.
fn told(sandbox: &Sandbox, session: &str, event: &str, dir: &str, more: &Value) -> String {
    let cwd = sandbox.project().join(dir);
    let mut input = json!({"session_id": session, "cwd": cwd});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answer: Value =
        serde_json::from_str(&call(sandbox, "claude", event, input.to_string()).ok())
            .unwrap_or_default();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_report_has_what_counts_where_it_is_made() {
    let sandbox = placed();
    for (dir, want) in
        [("", false), ("packages/api", false), ("packages/web", true), ("packages/web/src", true)]
    {
        let dir = format!("project/{dir}");
        let report = sandbox.run_in(&dir, &["report"]).ok();
        assert_eq!(report.contains(SVELTE), want, "{dir}: {report}");
        // It stays in the context when work goes on elsewhere.
        let told = format!("{SVELTE} (place: packages/web/**)\n");
        assert_eq!(report.contains(&told), want, "{dir}: {report}");
        assert!(report.contains("pnpm"), "{dir}");
    }
    // Pinned, it is pinned there.
    sandbox.run(&["pin", "Svelte"]).ok();
    assert!(!sandbox.run(&["report"]).ok().contains(SVELTE));
    assert!(sandbox.run_in("project/packages/web", &["report"]).ok().contains(SVELTE));
    // Everywhere it is listed, found and explained.
    let list = sandbox.run(&["list"]).ok();
    assert!(list.contains("Components are written in Svelte (place: packages/web/**)\n"), "{list}");
    let found = sandbox.run(&["search", "Svelte components"]).ok();
    assert!(found.contains(&format!("{SVELTE} (place: packages/web/**)\n")), "{found}");
    let why = sandbox.run(&["why", "Svelte"]).ok();
    assert!(why.contains("\nrule             place: packages/web/**\n"), "{why}");
    assert!(why.contains("\nreport           out: it counts in another place\n"), "{why}");
    assert!(why.contains("\nto bring it in   work in its place\n"), "{why}");
    sandbox.run(&["edit", "Svelte", "--no-place"]).ok();
    assert!(sandbox.run(&["report"]).ok().contains(SVELTE));
}

#[test]
fn a_prompt_that_names_a_file_is_work_there() {
    let sandbox = placed();
    let ask = |session: &str, prompt: &str| {
        told(&sandbox, session, "session-start", "", &json!({"source": "startup"}));
        told(&sandbox, session, "prompt", "", &json!({"prompt": prompt}))
    };
    let plain = ask("s1", "How are components written in this project?");
    assert!(!plain.contains(SVELTE), "{plain}");
    let named = ask("s2", "How are components like packages/web/src/app.ts written?");
    assert!(named.contains(SVELTE), "{named}");
}

#[test]
fn a_line_of_a_named_file_needs_no_place_in_the_report() {
    let sandbox = placed();
    let report = |budget: &str, prompt: &str, more: &[&str]| {
        let command = [&["report", "--budget", budget, "--prompt", prompt], more].concat();
        sandbox.run(&command).stdout
    };
    let prompt = "How are components like packages/web/src/app.ts written?";
    let section = "# Memories About packages/web/src/app.ts\n\n- [preference] Components are written in Svelte";
    let small = report("60", prompt, &[]);
    assert!(small.contains(section), "{small}");
    let document: Value = serde_json::from_str(&report("60", prompt, &["--json"])).unwrap();
    assert!(document["placed"][0].as_str().unwrap().contains(SVELTE), "{document}");
    let large = report("2000", prompt, &[]);
    assert_eq!(large.matches(SVELTE).count(), 1, "{large}");
    assert!(!large.contains("# Memories About"), "{large}");
    let plain = report("60", "How are components written in this project?", &[]);
    assert!(!plain.contains(SVELTE), "{plain}");
    // It may be named from where the work is, or from everywhere.
    let whole = sandbox.project().join("packages/web/src/app.ts");
    let named = [
        "web/src/app.ts",
        "./web/src/app.ts",
        "../packages/web/src/app.ts",
        &whole.to_string_lossy(),
    ];
    for (at, file) in named.into_iter().enumerate() {
        let prompt = format!("How is {file} written?");
        told(
            &sandbox,
            &format!("n{at}"),
            "session-start",
            "packages",
            &json!({"source": "startup"}),
        );
        let given =
            told(&sandbox, &format!("n{at}"), "prompt", "packages", &json!({"prompt": prompt}));
        assert!(given.contains(SVELTE), "{file}: {given}");
    }
}

#[test]
fn a_tool_that_touches_a_file_brings_its_lines_once() {
    let sandbox = placed();
    told(&sandbox, "s1", "session-start", "", &json!({"source": "startup"}));
    let touch = |file: &str| {
        let file = sandbox.project().join(file);
        let input = json!({"tool_name": "Edit", "tool_input": {"file_path": file}});
        told(&sandbox, "s1", "post-tool", "", &input)
    };
    assert!(!touch("packages/api/main.rs").contains(SVELTE));
    let first = touch("packages/web/src/app.ts");
    assert!(first.contains("\n- [preference] Components are written in Svelte"), "{first}");
    assert!(!touch("packages/web/src/other.ts").contains(SVELTE));
    // Work goes on there: what the next context begins with has it.
    let later = told(&sandbox, "s1", "session-start", "", &json!({"source": "compact"}));
    assert!(later.contains(SVELTE), "{later}");
}

#[test]
fn a_place_without_files_is_named() {
    let sandbox = placed();
    assert_eq!(sandbox.run(&["check", "--rule", "empty-place"]).ok(), "no findings\n");
    sandbox.run(&["edit", "Svelte", "--place", "apps/web/**"]).ok();
    let found = sandbox.run(&["check", "--rule", "empty-place"]);
    assert!(
        found.stdout.contains("counts where no file is: apps/web/** [empty-place]"),
        "{found:?}"
    );
}

#[test]
fn a_line_of_a_place_is_judged_as_all_are() {
    let sandbox = placed();
    let is_told = |session: &str| {
        let file = sandbox.project().join("packages/web/src/app.ts");
        let input = json!({"tool_name": "Edit", "tool_input": {"file_path": file}});
        told(&sandbox, session, "session-start", "", &json!({"source": "startup"}));
        told(&sandbox, session, "post-tool", "", &input).contains(SVELTE)
    };
    let add = ["add", "-c", "preference"];
    let solid = "Components are written in Solid";
    sandbox.run(&[&add[..], &["--supersedes", "Svelte", solid]].concat()).ok();
    sandbox.run(&["edit", "Solid", "--no-place"]).ok();
    assert!(!is_told("replaced by a line of no place"));
    sandbox.run(&["forget", "Solid"]).ok();
    assert!(is_told("its successor is gone"));
    sandbox.run(&["forget", "Svelte"]).ok();
    assert!(!is_told("forgotten"));
    sandbox.run(&["undo"]).ok();
    let topic = sandbox.store().join("topics/preferences.md");
    let text = std::fs::read_to_string(&topic).unwrap();
    std::fs::remove_file(sandbox.store().join("evidence.jsonl")).unwrap();
    assert!(is_told("adopted from its file"));
    std::fs::write(&topic, text.replace(" in Svelte", " in Lit")).unwrap();
    let hit =
        told(&sandbox, "adopted", "prompt", "", &json!({"prompt": "see packages/web/src/app.ts"}));
    assert!(!hit.contains("in Lit"), "a text that nobody has looked at: {hit}");
}

#[test]
fn a_place_goes_along_to_other_programs() {
    let sandbox = placed();
    let told = format!("{SVELTE} *(place: packages/web/**)*");
    assert!(sandbox.run(&["export", "agents"]).ok().contains(&format!("- {told}\n")));
    for format in ["claude", "pi-memory"] {
        let there = format!("../{format}");
        sandbox.run(&["export", format, "--output", &there]).ok();
        let page = std::fs::read_to_string(sandbox.root().join(format).join("MEMORY.md")).unwrap();
        assert!(page.contains(&told), "{page}");
        // And back.
        let dir = format!("from-{format}");
        std::fs::create_dir(sandbox.root().join(&dir)).unwrap();
        sandbox.run_in(&dir, &["init"]).ok();
        sandbox.run_in(&dir, &["import", format, &there]).done();
        let list = sandbox.run_in(&dir, &["list"]).ok();
        assert!(list.contains(&format!("{SVELTE} (place: packages/web/**)\n")), "{list}");
    }
}
