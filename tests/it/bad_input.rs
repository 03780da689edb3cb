//! Bad input: exit 2, one clear sentence, a hint, and nothing lost or changed.

use predicates::prelude::*;
use serde_json::Value;

use crate::common::sandbox::{Outcome, Sandbox};

/// A call that must be refused.
struct Bad {
    args: &'static [&'static str],
    stdin: &'static [u8],
    kind: &'static str,
    says: &'static str,
    hint: &'static str,
}

const fn bad(
    args: &'static [&'static str],
    kind: &'static str,
    says: &'static str,
    hint: &'static str,
) -> Bad {
    Bad { args, stdin: b"", kind, says, hint }
}

const fn piped(
    stdin: &'static [u8],
    kind: &'static str,
    says: &'static str,
    hint: &'static str,
) -> Bad {
    Bad { args: &["add", "-"], stdin, kind, says, hint }
}

const CALLS: &[Bad] = &[
    // Invalid text of an entry.
    bad(
        &["add", "-c", "lesons", "x"],
        "usage",
        r#"unknown category "lesons""#,
        "the categories are preference, lesson, mistake, pattern, decision, done",
    ),
    bad(&["add", ""], "refused", "the text is empty", "give the text"),
    bad(&["add", " \n\t "], "refused", "the text is empty", "give the text"),
    bad(&["add", "<private>all of it</private>"], "refused", "the text is empty", "give the text"),
    bad(&["add", "bell \u{7}"], "refused", "U+0007", "remove the character"),
    bad(&["add", "\u{1b}[31mred\u{1b}[0m"], "refused", "U+001B", "remove the character"),
    bad(&["add", "abc \u{202e}fed"], "refused", "U+202E", "remove the character"),
    bad(&["add", "zero\u{200b}width"], "refused", "U+200B", "remove the character"),
    bad(&["add", "tag \u{e0041}"], "refused", "U+E0041", "remove the character"),
    bad(&["add", "c1 \u{9b}31m"], "refused", "U+009B", "remove the character"),
    bad(&["add", "x", "--tag", "a b"], "refused", r#""a b" is not a usable tag"#, "tags are"),
    bad(&["add", "", "--tag", "a"], "refused", "the text is empty", "give the text"),
    bad(&["add", "x", "--valid-until", "2026-02-30"], "usage", r#""2026-02-30""#, "2026-12-31"),
    bad(&["add", "x", "--valid-until", "soon"], "usage", r#""soon" is not a date"#, "2026-12-31"),
    bad(
        &["add", "x", "--supersedes", "zzz"],
        "not-found",
        r#"no entry matches "zzz""#,
        "pimem list",
    ),
    bad(&["add", "x", "--supersedes", "berth"], "ambiguous", r#""berth" matches"#, "[decision]"),
    // Standard input: the message names the line, and nothing is stored.
    piped(b"one\ntwo \x1b[1m\n", "refused", "line 2 of standard input", "remove the character"),
    piped(b"one\n{\"text\": }\n", "refused", "line 2 of standard input: not valid JSON", "as in"),
    piped(
        b"one\n\n{\"txet\": \"x\"}\n",
        "refused",
        r#"line 3 of standard input: unknown key "txet""#,
        "did you mean text?",
    ),
    piped(
        b"{\"text\": \"x\", \"category\": \"lesons\"}\n",
        "usage",
        "line 1 of standard input: unknown category",
        "did you mean lesson?",
    ),
    piped(
        b"{\"text\": \"x\", \"validUntil\": \"today\"}\n",
        "refused",
        "line 1 of standard input",
        "2026-12-31",
    ),
    piped(b"{\"text\": \"a\\u0000b\"}\n", "refused", "U+0000", "remove the character"),
    piped(b"fine\ncaf\xe9\n", "refused", "standard input is not UTF-8 (byte 8)", "iconv"),
    piped(b"\n \n", "refused", "standard input is empty", "one entry a line"),
    // Selectors.
    bad(&["why", "berth"], "ambiguous", r#""berth" matches"#, "[lesson] "),
    bad(&["pin", "berth"], "ambiguous", r#""berth" matches"#, "[lesson] "),
    bad(
        &["forget", "no such thing"],
        "not-found",
        r#"no entry matches "no such thing""#,
        "pimem list",
    ),
    bad(&["pin", "rollback", "no such thing"], "not-found", r#""no such thing""#, "pimem list"),
    bad(&["reinforce", "0123456789abcdef"], "not-found", "0123456789abcdef", "pimem list"),
    bad(&["forget", "--archive", ""], "not-found", "no entry matches", "pimem list"),
    bad(&["restore", "rollback"], "not-found", "no forgotten or archived entry", "archive"),
    bad(&["edit", "rollback", "a \u{202e}"], "refused", "U+202E", "remove the character"),
    bad(&["edit", "rollback", ""], "refused", "the text is empty", "give the text"),
    // Arguments.
    bad(&["--now", "tomorrow", "list"], "usage", r#""tomorrow" is not a time"#, "yesterday"),
    bad(&["list", "-c", "x"], "usage", r#"unknown category "x""#, "the categories are"),
    bad(&["list", "--state", "x"], "usage", r#"unknown state "x""#, "active, provisional"),
    bad(&["search", " "], "usage", "the query is empty", "words"),
    bad(&["rebuild", "--if-older", "5"], "usage", r#""5" is not an age"#, "30m"),
    bad(&["--dir", "nowhere", "list"], "usage", "there is no store at nowhere", "pimem init"),
    bad(&["--dir", "/etc", "list"], "usage", "there is no store at /etc", "pimem init"),
    bad(&["--dir", "..", "report"], "usage", "there is no store at ..", "pimem init"),
    bad(&["config", "set", "report.budget", "5x"], "config", "report.budget cannot be", "Tokens"),
    bad(&["config", "set", "lock.timeoutMs", "1"], "config", "lock.timeoutMs", "--user"),
    bad(&["config", "get", "report.bugdet"], "config", "report.bugdet", "report.budget"),
    bad(&["man", "nothing"], "usage", r#"there is no command "nothing""#, "pimem --help"),
];

#[test]
fn calls() {
    let sandbox = Sandbox::new("harbor");
    for call in CALLS {
        refuses(&sandbox, call);
    }
}

/// Runs a bad call with and without `--json` and checks the messages.
pub(crate) fn refuses_with(sandbox: &Sandbox, args: &[&str], kind: &str, says: &str, hint: &str) {
    let plain = sandbox.run(args);
    let json = sandbox.run(&[args, &["--json"]].concat());
    expect(&plain, &json, (kind, says, hint), &format!("{args:?}"));
}

fn refuses(sandbox: &Sandbox, call: &Bad) {
    let before = sandbox.tree();
    let plain = sandbox.pipe(call.args, call.stdin);
    // The option comes first, because after `--` or a text it would not be parsed as one.
    let json = sandbox.pipe(&[&["--json"], call.args].concat(), call.stdin);
    let what = format!("{:?} < {:?}", call.args, String::from_utf8_lossy(call.stdin));
    expect(&plain, &json, (call.kind, call.says, call.hint), &what);
    assert_eq!(sandbox.tree(), before, "{what} changed something");
}

fn expect(plain: &Outcome, json: &Outcome, (kind, says, hint): (&str, &str, &str), what: &str) {
    assert_eq!((plain.code, plain.stdout.as_str()), (2, ""), "{what}: {}", plain.stderr);
    let mut lines = plain.stderr.lines();
    let first = lines.next().unwrap_or_default();
    let sentence = predicate::str::starts_with("pimem: ").and(predicate::str::contains(says));
    assert!(sentence.eval(first), "{what}: {first:?} does not say {says:?}");
    let hints: Vec<&str> = lines.filter_map(|line| line.strip_prefix("hint: ")).collect();
    let said = hint.is_empty() || hints.iter().any(|line| line.contains(hint));
    assert!(said, "{what}: no hint says {hint:?}: {}", plain.stderr);
    assert!(!plain.stderr.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{9b}']), "{what}: raw");

    assert_eq!((json.code, json.stdout.as_str()), (2, ""), "{what}: {}", json.stderr);
    assert_eq!(json.stderr.lines().count(), 1, "{what}: one object, not {}", json.stderr);
    let error: Value = serde_json::from_str(&json.stderr).expect("the error is JSON");
    let keys: Vec<&String> = error.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["schema", "kind", "message", "hints"], "{what}");
    assert_eq!(
        (&error["schema"], &error["kind"]),
        (&"pimem.error/1".into(), &kind.into()),
        "{what}"
    );
    let message = error["message"].as_str().unwrap();
    assert!(message.contains(says), "{what}: {message:?}");
}

/// Usage errors look like all others, and say the same under `--json`.
#[test]
fn options() {
    let sandbox = Sandbox::new("harbor");
    for args in [&["lisst"][..], &["add"], &["list", "--jsn"], &["reinforce", "x", "--by", "0"]] {
        let plain = sandbox.run(args).refused();
        assert!(plain.starts_with("pimem: ") && plain.contains("\nhint: pimem help"), "{plain}");
        let json = sandbox.run(&[&["--json"], args].concat()).refused();
        let error: Value = serde_json::from_str(&json).unwrap();
        let (message, _) = plain.strip_prefix("pimem: ").unwrap().split_once("\nhint: ").unwrap();
        assert_eq!(error["message"], message);
        assert_eq!((&error["schema"], &error["kind"]), (&"pimem.error/1".into(), &"usage".into()));
    }
}

/// The whole message, word for word.
#[test]
fn a_topic_has_room_for_12_000_characters() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.configure("{\"report\": {\"topicLimit\": \"refuse\"}}");
    let start = "# Lessons\n\n- [lesson] é\n";
    let filler = 12_000 - start.chars().count() - 20;
    sandbox.write("topics/lessons.md", format!("{start}{}\n", "x".repeat(filler - 1)));
    // `- [lesson] ` and the line break take 12 of the 20 characters left.
    let full = "Topic \"lessons\" would exceed its size limit (12,001/12,000 chars). Consolidate or \
                remove entries first (pimem list -c lesson; pimem forget ID), or use --topic.";
    let before = sandbox.tree();
    refuses_with(&sandbox, &["add", "123456789"], "refused", full, "");
    let stderr = sandbox.run(&["add", "123456789"]).refused();
    assert_eq!(stderr, format!("pimem: {full}\n"));
    let edit = sandbox.run(&["edit", "é", &"é".repeat(22)]).refused();
    assert!(edit.contains("(12,001/12,000 chars)"), "{edit}");
    assert_eq!(sandbox.tree(), before);
    // Of a batch, one entry fits, and neither is taken.
    let batch = sandbox.pipe(&["add", "-"], "12345678\nmore\n").refused();
    assert!(batch.contains("would exceed its size limit"), "{batch}");
    assert_eq!(sandbox.tree(), before);
    sandbox.run(&["add", "12345678"]).ok();
    assert_eq!(sandbox.read("topics/lessons.md").chars().count(), 12_000);
    // Commands that need no more room still work, and what the message advises makes room.
    sandbox.run(&["reinforce", "12345678"]).ok();
    sandbox.run(&["pin", "12345678"]).ok();
    sandbox.run(&["forget", "12345678"]).ok();
    sandbox.run(&["add", "more"]).ok();
    // By default, nothing is refused.
    sandbox.configure("{}");
    sandbox.run(&["add", "123456789"]).done();
    let next = "<!-- continues lessons -->\n# Lessons 2\n\n- [lesson] 123456789\n";
    assert_eq!(sandbox.read("topics/lessons-2.md"), next);
}
