//! What a person sees on a terminal: tables that leave room for the text, lines broken at words,
//! colours that carry nothing alone.

use std::fs;

use unicode_width::UnicodeWidthStr;

use crate::common::{
    repository,
    sandbox::Sandbox,
    terminal::{on_terminal, without_terminal},
};

/// An id, a category, a state and spaces take at most this much of 80 columns.
const TEXT: usize = 45;

fn store() -> Sandbox {
    let sandbox = Sandbox::new("working");
    let words = "word ".repeat(399);
    let link = format!("See https://example.org/{} for the map", "a".repeat(120));
    let wide = "日本語のテキストは二倍の幅 and combining cafe\u{301} marks 👩\u{200d}👩\u{200d}👧 in one line";
    for text in [&*words, &link, wide, "Short"] {
        sandbox.run(&["add", "-c", "preference", text]).done();
    }
    sandbox.run(&["pin", "Short"]).done();
    sandbox
}

/// A store with five weeks of telemetry.
pub(crate) fn with_telemetry() -> Sandbox {
    let sandbox = Sandbox::new("harbor");
    let data = sandbox.project().join(".pi/data");
    fs::create_dir_all(&data).unwrap();
    let log = "memory-telemetry.jsonl";
    fs::copy(repository().join("fixtures/telemetry").join(log), data.join(log)).unwrap();
    sandbox
}

/// Removes escape sequences.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').map_or("", |(_, rest)| rest))
}

/// Everything that lists or explains, in a store with entries of every kind.
const COMMANDS: &[&str] = &[
    "list",
    "search spindle",
    "search --explain spindle",
    "why spindle",
    "report --since 7d",
    "report --since 2026-05-01",
    "why --all --policy weighted",
    "status -v",
    "list --topics",
    "why --ahead",
    "status",
    "check",
    "check --list-rules",
    "list --sessions",
    "log --days",
    "todo",
    "telemetry",
    "telemetry log",
    "hooks",
    "trust --count",
    "config show --all",
    "config show --all --origin",
    "model",
    "model status",
];

#[test]
fn no_line_is_wider_than_the_terminal() {
    let sandbox = store();
    if without_terminal(&sandbox) {
        return;
    }
    for command in COMMANDS {
        for columns in [40, 80, 120] {
            let done = on_terminal(&sandbox, columns, &format!("pimem {command}"));
            let text = plain(&done.stdout);
            assert!(done.code < 2 && !text.trim().is_empty(), "{command}: {done:?}");
            for line in text.lines() {
                // Outside tables, a word that is wider than the screen is not broken.
                let is_word = !line.trim().contains(' ');
                assert!(
                    line.width() <= columns.into() || is_word,
                    "{command} at {columns}: {line:?}"
                );
            }
        }
    }
}

/// The screen has 24 lines, and the prompt takes one.
#[test]
fn telemetry_fits_a_screen() {
    let sandbox = with_telemetry();
    if without_terminal(&sandbox) {
        return;
    }
    let done = on_terminal(&sandbox, 80, "pimem telemetry");
    let text = plain(&done.stdout);
    assert!(text.lines().count() <= 23, "{text}");
    for part in ["23 %", "Tide windows are stored", "Berth conflicts are prevented", "claude"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// A word is broken only where it is wider than its column.
#[test]
fn words_are_whole() {
    let sandbox = store();
    if without_terminal(&sandbox) {
        return;
    }
    for command in
        ["list", "why spindle", "report --since 7d", "search --explain spindle > /dev/null"]
    {
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| c.is_whitespace() || c == '─').map(str::to_owned);
            let mut words: Vec<String> = words
                .filter(|word| !word.is_empty() && word.width() < 24 && !word.contains(['/', ':']))
                .collect();
            words.sort_unstable();
            words
        };
        // No fit of a terminal is narrower than a file.
        let wide = words(&plain(&on_terminal(&sandbox, 4_000, &format!("pimem {command}")).stdout));
        for columns in [40, 80, 120] {
            let line = format!("pimem --color never {command}");
            let narrow = words(&on_terminal(&sandbox, columns, &line).stdout);
            // Words are shortened in tables, and broken between wide characters.
            let may_differ =
                |word: &String| word.ends_with('…') || word.width() > word.chars().count();
            let missing = narrow.iter().find(|word| !wide.contains(word) && !may_differ(word));
            assert!(missing.is_none(), "{command} at {columns}: {missing:?}");
        }
    }
}

/// In a table it ends in an ellipsis, on one line; `why` and JSON have it whole.
#[test]
fn a_word_wider_than_its_column_is_shortened() {
    let sandbox = store();
    if without_terminal(&sandbox) {
        return;
    }
    let word = format!("https://example.org/{}", "a".repeat(120));
    let rtl = "כל-הזמנים-נשמרים-בשעון-אוניברסלי-מתואם-תמיד".repeat(4);
    let flags = "🚢⚓".repeat(60);
    sandbox.run(&["add", &rtl, "is one word"]).done();
    sandbox.run(&["add", &flags, "are many"]).done();
    for columns in [40, 80, 120] {
        for command in ["list", "search example map", "why --all"] {
            let text = on_terminal(&sandbox, columns, &format!("pimem --color never {command}"));
            let text = text.stdout;
            let short: Vec<&str> =
                text.split_whitespace().filter(|it| it.contains("aaa")).collect();
            let [short] = short.as_slice() else { panic!("{command} at {columns}: {text}") };
            let kept = short.strip_suffix('…').unwrap_or_default();
            assert!(word.starts_with(kept) && kept.len() > 15, "{command} at {columns}: {short}");
            for line in text.lines() {
                assert!(line.width() <= columns.into(), "{command} at {columns}: {line:?}");
            }
        }
        let list = on_terminal(&sandbox, columns, "pimem --color never list").stdout;
        assert_eq!(list.matches("כל-הזמנים").count() > 0, list.contains("…"), "{list}");
        assert_eq!(list.matches('⚓').count(), 60, "wide characters are broken, not lost: {list}");
        let why = on_terminal(&sandbox, columns, "pimem --color never why 'for the map'").stdout;
        assert!(why.split_whitespace().any(|it| it == word), "{columns}: {why}");
    }
    assert!(sandbox.run(&["list", "--json"]).ok().contains(&word));
}

/// Their widths would be known after the last row only.
#[test]
fn more_than_a_thousand_rows_are_plain_lines() {
    let sandbox = Sandbox::new("working");
    if without_terminal(&sandbox) {
        return;
    }
    let topic = "topics/patterns.md";
    let rows = |count: usize| -> String {
        let line = |number| format!("- [pattern] Row {number} of many\n");
        (0..count).map(line).collect()
    };
    let other = sandbox.run(&["list"]).ok().lines().count();
    let had = sandbox.read(topic);
    for (count, is_table) in [(1_000 - other, true), (1_001 - other, false)] {
        sandbox.write(topic, format!("{had}{}", rows(count)));
        let listed = on_terminal(&sandbox, 80, "pimem --color never list").stdout;
        assert_eq!(listed.starts_with("id  "), is_table, "{}", &listed[..200]);
        assert_eq!(listed.contains("\tpattern\t"), !is_table);
        assert!(listed.contains("Row 7 of many"));
    }
}

#[test]
fn the_text_has_room() {
    let sandbox = store();
    if without_terminal(&sandbox) {
        return;
    }
    for command in ["list", "search spindle", "why --all", "why --all --policy weighted"] {
        let text = on_terminal(&sandbox, 80, &format!("pimem --color never {command}")).stdout;
        let header = text.lines().next().unwrap();
        let before = header.find("text").unwrap();
        assert!(before + TEXT <= 80, "{command}: {header}");
    }
    let list = on_terminal(&sandbox, 80, "pimem --color never list").stdout;
    let states = list.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_hexdigit()));
    let states: Vec<&str> =
        states.skip(1).filter_map(|line| line.split_whitespace().nth(2)).collect();
    for state in ["provisional", "fresh", "dropped"] {
        assert!(states.contains(&state), "{list}");
    }
    assert!(!list.contains('('), "{list}");
    let wide = on_terminal(&sandbox, 100, "pimem --color never list").stdout;
    assert!(wide.starts_with("id       category    state        score  age  text\n"), "{wide}");
}

/// Without colours the same words are there.
#[test]
fn colour_is_for_terminals_and_says_nothing_alone() {
    let sandbox = store();
    if without_terminal(&sandbox) {
        return;
    }
    for command in ["list", "search spindle", "why spindle", "report --since 7d", "status"] {
        let seen = |before: &str, command: &str| {
            on_terminal(&sandbox, 80, &format!("{before} pimem {command}")).stdout
        };
        let colored = seen("", command);
        for (before, flag) in
            [("NO_COLOR=1", ""), ("TERM=dumb", ""), ("", "--color never"), ("TERM=dumb", "")]
        {
            let got = seen(before, &format!("{flag} {command}"));
            assert!(!got.contains('\u{1b}'), "{before} {command}: {got}");
            assert_eq!(got, plain(&colored), "{before} {flag} {command}");
        }
        let piped = seen("", &format!("{command} | cat"));
        assert!(!piped.contains('\u{1b}'), "{command}: {piped}");
        for forced in [
            seen("CLICOLOR_FORCE=1", command),
            seen("NO_COLOR=1", &format!("--color always {command}")),
        ] {
            assert_eq!(forced, colored, "{command}");
        }
    }
    assert!(on_terminal(&sandbox, 80, "pimem list").stdout.contains("\u{1b}[32mpinned\u{1b}[0m"));
    let painted = sandbox.run(&["list", "--color", "always"]).ok();
    assert_eq!(plain(&painted), sandbox.run(&["list"]).ok());
    assert!(painted.contains("\u{1b}["), "{painted}");
}

/// A pipe has one line an entry, with tabs, however wide a terminal is.
#[test]
fn pipes_have_tabs() {
    let sandbox = store();
    let list = sandbox.run(&["list"]).ok();
    assert_eq!(list.lines().count(), sandbox.entries().len());
    assert!(list.lines().all(|line| line.split('\t').count() == 6), "{list}");
    assert!(list.contains("\tcandidate (fresh)\t"), "{list}");
}
