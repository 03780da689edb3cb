//! Transcripts: the output quoted in documents is what the program prints.
//!
//! Runs the ```` ```console ```` blocks of `tests/it/cmd/*.md`, the README, `docs` and the man pages. A
//! line `$ COMMAND` runs in a shell; the lines after it are the expected stdout, then stderr, then
//! `? N` for an exit code other than 0. A line `...` matches any lines, `[..]` anything within a
//! line. `<!-- store: NAME -->` names the fixture that a file starts from; its blocks share one
//! copy, which counts as written here, unless it says `<!-- store: NAME untrusted -->`. A directory
//! of `fixtures` that a document mentions, such as `fixtures/eval`, is copied too. After
//! `<!-- pushed by somebody else: FILE: LINE -->`, the next `git pull` brings that line.

use std::{
    cmp::Reverse,
    fs,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use crate::common::{
    bless,
    clones::append,
    repository,
    sandbox::{DEADLINES, PIMEM, Sandbox, copy_tree},
};

/// Returns the documents with transcripts.
pub(crate) fn documents() -> Vec<PathBuf> {
    let list = |dir: &str| {
        let found = fs::read_dir(repository().join(dir)).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = found.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let mut paths: Vec<PathBuf> = list("tests/it/cmd");
    paths.extend(
        [repository().join("README.md")]
            .into_iter()
            .chain(list("docs"))
            .chain(list("docs/building"))
            .chain(list("man")),
    );
    paths.retain(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("```console")));
    paths
}

#[test]
#[cfg_attr(not(feature = "minilm"), ignore = "hits have another order without the transformer")]
fn transcripts() {
    let documents = documents();
    assert!(documents.len() > 5, "the transcripts are there");
    all_as_printed(&documents, "cmd::");
}

/// Runs documents in parallel, and compares or rewrites them. `module` is named in the command that
/// accepts the current output.
pub(crate) fn all_as_printed(documents: &[PathBuf], module: &str) {
    let mut documents = documents.to_vec();
    documents.sort_by_key(|path| Reverse(path.metadata().unwrap().len()));
    let next = AtomicUsize::new(0);
    let waiting = || documents.get(next.fetch_add(1, Ordering::Relaxed));
    let plays = || std::iter::from_fn(waiting).flat_map(as_printed).collect::<Vec<_>>();
    let failures = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let players: Vec<_> = (0..threads).map(|_| scope.spawn(plays)).collect();
        players.into_iter().flat_map(|player| player.join().unwrap()).collect::<Vec<_>>()
    });
    let count = failures.len();
    assert!(
        bless() || failures.is_empty(),
        "{}\n{count} differ; PIMEM_BLESS=1 cargo test --test it {module} accepts what is printed now",
        failures.join("\n")
    );
}

/// Runs a document, and rewrites it if requested. Returns the differences.
fn as_printed(path: &PathBuf) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let (after, wrong) = play(&text, &sandbox(&text));
    if bless() && after != text {
        fs::write(path, after).unwrap();
    }
    let name = path.strip_prefix(repository()).unwrap_or(path).display();
    wrong.iter().map(|wrong| format!("{name}:{wrong}")).collect()
}

fn sandbox(text: &str) -> Sandbox {
    let named = text.split_once("<!-- store: ").and_then(|(_, rest)| rest.split_once(" -->"));
    let sandbox = match named.map_or("empty", |(name, _)| name).split_once(' ') {
        Some((name, "untrusted")) => Sandbox::cloned(name),
        Some((name, _)) => panic!("a store {name} of what kind?"),
        None => Sandbox::new(named.map_or("empty", |(name, _)| name)),
    }
    .by_default_model();
    let fixtures = [
        "eval",
        "exchange",
        "mirrors",
        "models",
        "observations",
        "session",
        "stores/harbor",
        "telemetry",
        "transcripts",
    ];
    for name in fixtures {
        let dir = &format!("fixtures/{name}");
        if text.contains(dir) {
            copy_tree(&repository().join(dir), &sandbox.project().join(dir));
        }
    }
    sandbox
}

/// Runs all blocks. Returns the corrected text and the differences.
fn play(text: &str, sandbox: &Sandbox) -> (String, Vec<String>) {
    let mut after = String::new();
    let mut failures = Vec::new();
    let mut inside = false;
    let mut millis = 0;
    let mut lines = (1..).zip(text.lines()).peekable();
    while let Some((number, line)) = lines.next() {
        after.push_str(&format!("{line}\n"));
        let pushed = line.strip_prefix("<!-- pushed by somebody else: ");
        if let Some((file, line)) =
            pushed.and_then(|rest| rest.strip_suffix(" -->")?.split_once(": "))
        {
            sandbox.share();
            sandbox.they_push("main", |theirs| append(theirs, file, &format!("{line}\n")));
        }
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ => {}
        }
        let Some(command) = line.strip_prefix("$ ").filter(|_| inside) else { continue };
        let mut want = Vec::new();
        let is_output = |line: &str| line != "```" && !line.starts_with("$ ");
        while let Some((_, line)) = lines.next_if(|(_, line)| is_output(line)) {
            want.push(line);
        }
        millis += 1;
        let printed = printed(sandbox, command, millis);
        let got: Vec<&str> = printed.lines().collect();
        let same = matches(trimmed(&want), trimmed(&got));
        if !same {
            let (want, got) = (want.join("\n"), got.join("\n"));
            failures.push(format!("{number}: $ {command}\n-- expected\n{want}\n-- printed\n{got}"));
        }
        let want = want.into_iter();
        for line in
            if same { want.map(str::to_owned).collect() } else { kept(want.as_slice(), got) }
        {
            after.push_str(&format!("{line}\n"));
        }
    }
    (after, failures)
}

/// Returns the output of a command in the format of an expectation.
fn printed(sandbox: &Sandbox, command: &str, millis: u32) -> String {
    // Decisions are ordered by time, so every command gets its own millisecond.
    let now = format!("2026-06-30T18:00:00.{millis:03}Z");
    // Hooks start nothing in the background, and settings are those of a user.
    let setup = if command.contains(" hook ") || command.contains(" hooks test") {
        "export PIMEM_HOOK_REBUILD_MINUTES=0; ".to_owned()
    } else if command.contains(" config") {
        format!("unset {}; ", DEADLINES.join(" "))
    } else {
        String::new()
    };
    let done = sandbox.shell(&format!("PIMEM_NOW={now}; {setup}{command}"));
    let is_document = done.stdout.starts_with("{\n") && command.contains("--json");
    let is_whole = done.stdout.ends_with("\n}\n") || command.contains(" | ");
    assert!(is_whole || !is_document, "a document ends with its line: {command}");
    let mut text = String::new();
    for part in [&done.stdout, &done.stderr] {
        text.push_str(&steady(&sandbox.normal(part)));
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
    }
    if done.code != 0 {
        text.push_str(&format!("? {}\n", done.code));
    }
    text
}

/// A part of the output that varies between runs: the text before it, its characters, and its
/// replacement.
type Varying = (&'static str, fn(char) -> bool, &'static str);

const VARYING: &[Varying] = &[
    ("T18:00:00.", |c| c.is_ascii_digit(), "000"),
    ("\"milliseconds\": ", |c| c.is_ascii_digit() || c == '.', "0"),
    ("\"ms\": ", |c| c.is_ascii_digit(), "0"),
    ("$ROOT/state/pimem/trust/", |c| c.is_ascii_hexdigit(), "STORE"),
    ("$ROOT/config/pimem/keys/", |c| c.is_ascii_hexdigit(), "STORE"),
    ("\"storeId\": \"", |c| c.is_ascii_hexdigit(), "STORE"),
    ("\"keyId\": \"", |c| c.is_ascii_hexdigit(), "KEY"),
    (" its key ", |c| c.is_ascii_hexdigit(), "KEY"),
    ("\nKey ", |c| c.is_ascii_hexdigit(), "KEY"),
    ("$ROOT/state/pimem/dream/", |c| c.is_ascii_hexdigit(), "STORE"),
];

/// Replaces the parts of the output that depend on the run or on the clock.
fn steady(text: &str) -> String {
    let mut text = text.replace(PIMEM, "$PIMEM");
    for (before, varies, instead) in VARYING {
        let mut parts = text.split(before);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            out.extend([before, instead, part.trim_start_matches(varies)]);
        }
        text = out;
    }
    text
}

fn trimmed<'a, 'b>(lines: &'a [&'b str]) -> &'a [&'b str] {
    let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    &lines[..end]
}

fn matches(want: &[&str], got: &[&str]) -> bool {
    match (want.split_first(), got.split_first()) {
        (None, None) => true,
        (Some((&"...", rest)), _) => (0..=got.len()).any(|skip| matches(rest, &got[skip..])),
        (Some((first, want)), Some((line, got))) => like(first, line) && matches(want, got),
        _ => false,
    }
}

/// Returns the output; lines that an expected line with `[..]` still matches are replaced by it, and
/// columns that are `[..]` in a table of as many lines stay so.
fn kept(want: &[&str], got: Vec<&str>) -> Vec<String> {
    let patterns: Vec<&str> = want.iter().copied().filter(|line| line.contains("[..]")).collect();
    let mut left = patterns.as_slice();
    let is_as_long = want.len() == got.len();
    let line = |(at, line): (usize, &str)| {
        if let Some(fits) = left.iter().position(|pattern| like(pattern, line)) {
            let pattern = left[fits];
            left = &left[fits + 1..];
            return pattern.to_owned();
        }
        let row = want.get(at).filter(|_| is_as_long).map(|row| row.split('\t'));
        let Some(row) = row.filter(|row| row.clone().count() == line.split('\t').count()) else {
            return line.to_owned();
        };
        let columns = row.zip(line.split('\t'));
        let columns = columns.map(|(want, got)| if want == "[..]" { want } else { got });
        columns.collect::<Vec<_>>().join("\t")
    };
    got.into_iter().enumerate().map(line).collect()
}

/// Returns true if a line matches the expected one, where `[..]` matches anything.
fn like(want: &str, line: &str) -> bool {
    let Some((start, rest)) = want.split_once("[..]") else { return want == line };
    let Some(line) = line.strip_prefix(start) else { return false };
    line.char_indices().map(|(at, _)| at).chain([line.len()]).any(|at| like(rest, &line[at..]))
}

#[test]
fn expectations_can_fail() {
    let cases: &[(&[&str], &[&str], bool)] = &[
        (&["a", "b"], &["a", "b"], true),
        (&["a"], &["a", "b"], false),
        (&["a", "..."], &["a", "b", "c"], true),
        (&["...", "c"], &["a", "b", "c"], true),
        (&["...", "b"], &["a", "b", "c"], false),
        (&["x [..] z", "..."], &["x y z"], true),
        (&["x [..] z"], &["x y"], false),
    ];
    for (want, got, same) in cases {
        assert_eq!(matches(want, got), *same, "{want:?} {got:?}");
    }
    let text = "```console\n$ pimem search nothing\n? 0\n```\n";
    let (after, failures) = play(text, &sandbox(text));
    assert_eq!(after, "```console\n$ pimem search nothing\n? 1\n```\n");
    assert_eq!(failures.len(), 1, "a wrong expectation is noticed");
    let text = "```console\n$ printf 'a 1\\nb 2\\nc 3\\n'\nz [..]\na [..]\nb 9\nc [..]\n```\n";
    let (after, _) = play(text, &sandbox(text));
    assert_eq!(
        after,
        text.replace("z [..]\n", "").replace("b 9", "b 2"),
        "what still fits is kept"
    );
    let text = "```console\n$ printf 'a\\t1\\t2\\n'\na\t9\t[..]\n```\n";
    let (after, _) = play(text, &sandbox(text));
    assert_eq!(after, text.replace('9', "1"), "a column of anything stays one");
}
