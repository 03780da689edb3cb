//! The page of `report --html`: one inert file, the same for the same store.

use std::{collections::BTreeSet, fs};

use crate::common::sandbox::Sandbox;

/// Elements of a page; their ends may be left out where HTML has none.
const ELEMENTS: &[&str] = &[
    "a", "body", "br", "caption", "circle", "code", "dd", "details", "div", "dl", "dt", "fieldset",
    "h1", "h2", "h3", "head", "header", "html", "input", "label", "legend", "li", "line", "main",
    "meta", "nav", "p", "polyline", "rect", "section", "span", "strong", "style", "summary", "svg",
    "table", "tbody", "td", "text", "th", "thead", "title", "tr", "ul",
];
const EMPTY: &[&str] = &["br", "circle", "input", "line", "meta", "polyline", "rect"];

/// Requires that a page has known elements only, each ended, and links to places within itself.
fn check(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let (mut ids, mut wanted) = (BTreeSet::new(), BTreeSet::new());
    for part in page.split('<').skip(2) {
        let (tag, _) = part.split_once('>').unwrap_or_else(|| panic!("an end of {part:?}"));
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        assert!(ELEMENTS.contains(&name), "{tag:?}");
        for (attribute, found) in [(" id=\"", &mut ids), (" href=\"", &mut wanted)] {
            found
                .extend(tag.split_once(attribute).map(|(_, rest)| rest.split('"').next().unwrap()));
        }
        let names: String = tag.split('"').step_by(2).collect();
        assert!(!names.contains(" on") && !names.contains("src="), "{tag:?}");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{part:?}");
        } else if !EMPTY.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    for link in wanted {
        let id = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} is within the page"));
        assert!(ids.contains(id), "{link} is there");
    }
}

#[test]
fn a_page_is_one_file_and_the_same_for_the_same_store() {
    let sandbox = Sandbox::new("harbor");
    let page = sandbox.run(&["report", "--html"]).ok();
    check(&page);
    assert_eq!(page, sandbox.run(&["report", "--html"]).ok());
    let written = sandbox.run(&["report", "--html", "page.html"]);
    assert_eq!((written.code, written.stdout.as_str()), (0, ""));
    assert_eq!(page, fs::read_to_string(sandbox.project().join("page.html")).unwrap());
    // The lines of the report, each with its tokens, and what is outside with a command.
    let report = sandbox.run(&["report"]).ok();
    let line = report.lines().find(|line| line.contains("anyhow")).unwrap();
    assert!(page.contains(line.strip_prefix("- ").unwrap().split('<').next().unwrap()), "{line}");
    assert!(page.contains("<code>pimem reinforce "), "what brings one in");
    assert!(page.contains("[[berth-lock]]") && page.contains("leaves the report within"));
}

#[test]
fn two_times_stand_beside_each_other() {
    let sandbox = Sandbox::new("harbor");
    let times = ["report", "--since", "2026-06-29T12:00:00Z", "--until", "2026-06-29T18:00:00Z"];
    let page = sandbox.run(&[&times[..], &["--html"]].concat()).ok();
    check(&page);
    let diff = sandbox.run(&times).ok();
    let entered = diff.lines().filter(|line| line.starts_with("> ")).count();
    let came = page.split_once(">Came into the report</h2>").unwrap().1;
    let came = came.split_once("</table>").unwrap().0;
    assert!(entered > 0 && came.matches("<tr><td").count() == entered, "{diff}");
    assert!(page.contains("only after:") && page.contains("only before:"));
    assert_eq!(sandbox.run(&["report", "--since", "7d", "--html", "none/page.html"]).code, 2);
}

#[test]
fn a_file_that_is_no_page_is_not_overwritten() {
    let sandbox = Sandbox::new("working");
    let notes = sandbox.project().join("notes.md");
    fs::write(&notes, "Mine").unwrap();
    let refused = sandbox.run(&["report", "--html", "notes.md"]).refused();
    assert!(refused.starts_with("pimem: notes.md is there, and is no page"), "{refused}");
    assert_eq!(fs::read_to_string(&notes).unwrap(), "Mine");
    for _ in 0..2 {
        assert_eq!(sandbox.run(&["report", "--html", "page.html"]).code, 0, "a page is renewed");
    }
}

#[test]
fn what_is_not_found_in_an_own_store() {
    // Seven say the same, so that two cannot be among the first five.
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).done();
    let lines: String = ["one", "two", "three", "four", "five", "six", "seven"]
        .map(|number| format!("- [lesson] Backups of harbor {number} are <b>restored</b> weekly\n"))
        .concat();
    sandbox.write("topics/lessons.md", lines);
    sandbox.write("topics/decisions.md", "- [decision] Invoices are rounded once, per line\n");
    let found = sandbox.run(&["model", "eval", "--json"]).done();
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["results"][0]["group"], "words");
    assert_eq!(found["results"][0]["questions"], 8);
    let misses = found["misses"].as_array().unwrap();
    assert!(misses.len() >= 2, "{misses:?}");
    for miss in misses {
        assert_eq!(miss["alike"], true, "{miss}");
        assert!(miss["wanted"][0]["text"].as_str().unwrap().starts_with("Backups"), "{miss}");
    }
    let nothing = Sandbox::new("empty").run(&["model", "eval"]);
    assert_eq!(nothing.code, 2, "{nothing:?}");
    assert!(nothing.stderr.contains("there is nothing to ask for"), "{nothing:?}");
}

#[test]
fn what_is_redacted_has_no_word_of_anybody() {
    let sandbox = Sandbox::new("harbor");
    sandbox.run(&["add", "Marta has the telephone", "--asked", "pagerduty rota"]).done();
    let page = sandbox.run(&["report", "--html", "--redact"]).ok();
    check(&page);
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
        words.map(str::to_lowercase).collect()
    };
    let empty = words(&Sandbox::new("empty").run(&["report", "--html"]).ok());
    let full = words(&sandbox.run(&["report", "--html"]).ok());
    assert!(full.contains("pagerduty"), "what is asked for stands beside the text");
    let mut own = words(include_str!("../../crates/engine/src/memory/page/html.rs"));
    own.extend(words(include_str!("../../crates/engine/src/memory/page/pictures.rs")));
    own.extend(words("449 lines to search; is no longer new; The Day at Hand"));
    let mut texts = BTreeSet::new();
    for topic in ["preferences", "lessons", "patterns", "decisions", "completions", "mistakes"] {
        texts.extend(words(&sandbox.read(&format!("topics/{topic}.md"))));
    }
    let named = ["lesson", "preference", "pattern", "decision", "mistake", "done", "dropped"];
    let secret: BTreeSet<&String> = texts
        .iter()
        .filter(|word| full.contains(*word) && !empty.contains(*word) && !own.contains(*word))
        .filter(|word| !named.contains(&word.as_str()) && word.parse::<u32>().is_err())
        .collect();
    assert!(secret.len() > 300, "{}", secret.len());
    let found: Vec<_> = words(&page).into_iter().filter(|word| secret.contains(word)).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn hostile_entries_stay_text() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).done();
    let texts = [
        "<script>alert(1)</script> in a text",
        "\"><img src=x onerror=alert(1)>",
        "</td></tr></table><h1>Mine</h1>",
        "[[</text><script>alert(2)</script>]] is a link",
        "[[a\" onload=\"alert(3)]] is another",
        "javascript:alert(4) and data:text/html,<b>",
        "&lt;already escaped&gt; &#x3c;",
        "<!-- a comment --> ]]> <?php ?>",
        "</style><style>*{display:none}</style>",
        "a \u{202e}gnp.exe and \u{1b}[2J and a\u{200b}b",
    ];
    let file = format!("- [lesson] {}\n", texts.join("\n- [lesson] "));
    fs::create_dir_all(sandbox.path("topics")).unwrap();
    fs::write(sandbox.path("topics/lessons.md"), file).unwrap();
    sandbox.run(&["trust", "--all"]).done();
    for extra in [None, Some("--redact")] {
        let words: Vec<&str> = ["report", "--html"].into_iter().chain(extra).collect();
        check(&sandbox.run(&words).done());
    }
}

#[test]
fn a_page_of_a_large_store_stays_small() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).done();
    let line = |number: u32| {
        format!(
            "{{\"category\":\"lesson\",\"text\":\"Service {number} of the port keeps its settings in the file {}, which is read at the start\"}}\n",
            number * 7919 % 10007
        )
    };
    let lines: String = (0..1_500).map(line).collect();
    sandbox.pipe(&["import", "jsonl", "-"], &lines).done();
    let printed = sandbox.run(&["report", "--html"]);
    assert!(printed.stderr.contains("This is the first page"), "{}", printed.stderr);
    let written = sandbox.run(&["report", "--html", "all.html"]);
    assert_eq!(written.stderr.matches("Wrote ").count(), 3, "{}", written.stderr);
    let mut rows = 0;
    for name in ["all.html", "all-2.html", "all-3.html"] {
        let page = fs::read_to_string(sandbox.project().join(name)).unwrap();
        check(&page.replace(" href=\"all", " data-of=\"all"));
        assert!(page.len() < 300_000, "{}", page.len());
        assert!(page.contains("1500 entries, strongest first"), "{name}");
        assert!(page.contains("<a href=\"all-3.html#entries\">"), "{name}");
        rows += page.matches("<tr class=\"e c0 s-").count();
    }
    assert_eq!(rows, 1_500, "each entry is on one page");
    assert_eq!(
        printed.stdout.replace("page", "all"),
        fs::read_to_string(sandbox.project().join("all.html")).unwrap().replace("page", "all")
    );
    fs::write(sandbox.project().join("all-2.html"), "Mine").unwrap();
    assert_eq!(sandbox.run(&["report", "--html", "all.html"]).code, 2, "it is no page");
    assert_eq!(fs::read_to_string(sandbox.project().join("all-2.html")).unwrap(), "Mine");
}

/// What is shown is chosen without a script: each row has the classes that the filters name.
#[test]
fn entries_are_filtered_by_the_style_sheet() {
    let sandbox = Sandbox::new("harbor");
    let page = sandbox.run(&["report", "--html"]).done();
    let radios = page.matches("<input type=\"radio\"").count();
    assert_eq!(radios, 2 + 6 + 4, "all, the categories, and the states");
    for number in 0..6 {
        let rule = format!("body:has(#c{number}:checked) tr.e:not(.c{number}){{display:none}}");
        assert!(page.contains(&rule), "{rule}");
        assert!(page.contains(&format!("<tr class=\"e c{number} s-")), "{number}");
    }
}

#[test]
fn what_cannot_be_written_is_said() {
    let sandbox = Sandbox::new("harbor");
    let refused = sandbox.run(&["report", "--html", "none/page.html"]).refused();
    assert!(refused.contains("there is no directory none"), "{refused}");
    for words in [
        &["report", "--html", "--explain"][..],
        &["report", "--redact"],
        &["report", "--html", "--json"],
        &["report", "--html", "--prompt", "x"],
    ] {
        assert_eq!(sandbox.run(words).code, 2, "{words:?}");
    }
}
