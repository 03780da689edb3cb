//! Secrets by their shape: keys and tokens with a fixed beginning, and passwords in addresses.
//!
//! A filter for mistakes, not a boundary: precision comes before recall, so that ordinary notes are
//! never refused. What matched is never repeated.

mod rules;

use std::{borrow::Cow, ops::Range};

use self::rules::{RULES, Rule, word};
use super::safe;
use crate::model::entry::without_private;

/// Where a secret is, and what it is called.
type Found = (Range<usize>, &'static str);

impl Rule {
    /// Characters behind the beginning that are looked at.
    const LONGEST: usize = 256;

    /// The first token at or behind a byte.
    fn find(&self, text: &str, mut from: usize) -> Option<Found> {
        while let Some(found) = text.get(from..).and_then(|rest| rest.find(self.prefix)) {
            let start = from + found;
            let before = text.get(..start).and_then(|text| text.chars().next_back());
            from = start + self.prefix.len();
            if before.is_some_and(word) {
                continue;
            }
            let body = text.get(from..).unwrap_or_default();
            let length =
                body.chars().take(Self::LONGEST).take_while(|c| (self.alphabet)(*c)).count();
            let body = body.get(..length).unwrap_or_default();
            if length >= self.least && varied(body) {
                // What goes on as a word belongs to it, or the rest might begin another token.
                let more = text.get(from..).unwrap_or_default();
                let end = more.find(|c| !(word(c) || (self.alphabet)(c))).unwrap_or(more.len());
                return Some((start..from + end, self.name));
            }
            // What was read is not read again: a line may be megabytes of such beginnings.
            from += if length < self.least { length } else { length - self.least };
        }
        None
    }
}

/// What kind of secret a text holds, if any.
#[must_use]
pub fn find(text: &str) -> Option<&'static str> {
    let token = || RULES.iter().find_map(|rule| rule.find(text, 0));
    let found = private_key(text, 0).or_else(token).or_else(|| password(text, 0));
    found.map(|(_, name)| name)
}

/// A text in which secrets are blotted out, as in `[redacted: a GitHub token]`; the rest stays.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut found = Vec::new();
    let mut collect = |next: &dyn Fn(usize) -> Option<Found>| {
        let mut from = 0;
        while let Some((span, name)) = next(from) {
            from = span.end;
            found.push((span, name));
        }
    };
    collect(&|from| private_key(text, from));
    for rule in RULES {
        collect(&|from| rule.find(text, from));
    }
    collect(&|from| password(text, from));
    if found.is_empty() {
        return text.into();
    }
    // Where two overlap, the name of the first is given to both.
    found.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
    let (mut clean, mut end) = (String::with_capacity(text.len()), 0);
    for (span, name) in found {
        if span.start >= end {
            clean.push_str(text.get(end..span.start).unwrap_or_default());
            clean.push_str(&format!("[redacted: {name}]"));
        }
        end = end.max(span.end);
    }
    clean.push_str(text.get(end..).unwrap_or_default());
    clean.into()
}

/// A text of somebody else's to be kept: without what is private, secrets, and invisible
/// characters, on one line with single spaces.
#[must_use]
pub fn clean(text: &str) -> String {
    clean_lines(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same with its lines and spaces as they are.
#[must_use]
pub fn clean_lines(text: &str) -> String {
    let open = without_private(text);
    // What is invisible may stand in the middle of a secret, so it goes first; breaks stay till the
    // end, because secrets end there.
    let (mut visible, mut end) = (String::with_capacity(open.len()), 0);
    for (at, c) in safe::hazards(&open) {
        visible.push_str(open.get(end..at).unwrap_or_default());
        if c.is_control() || c.is_whitespace() {
            visible.push(if c.is_whitespace() { c } else { ' ' });
        }
        end = at + c.len_utf8();
    }
    visible.push_str(open.get(end..).unwrap_or_default());
    redact(&visible).into_owned()
}

/// Whether a body looks random: `ghp_xxxxxxxx…` in a note is nobody's token, nor is what ends in
/// `00000000`.
fn varied(body: &str) -> bool {
    let mut kinds: Vec<char> = body.chars().collect();
    let filler = |run: &[char]| matches!(run, [first, ..] if run.len() >= 6 && "0123456789xX".contains(*first));
    if kinds.chunk_by(|a, b| a == b).any(filler) {
        return false;
    }
    kinds.sort_unstable();
    kinds.dedup();
    kinds.len() >= 8
}

/// A block in PEM, or as much of it as there is.
fn private_key(text: &str, mut from: usize) -> Option<Found> {
    const BEGIN: &str = "-----BEGIN ";
    while let Some(found) = text.get(from..).and_then(|rest| rest.find(BEGIN)) {
        let start = from + found;
        from = start + BEGIN.len();
        let label = text.get(from..).unwrap_or_default();
        let length = label.find(|c: char| !c.is_ascii_uppercase() && c != ' ');
        let label = label.get(..length.unwrap_or(label.len())).unwrap_or_default();
        if !label.contains("PRIVATE KEY") {
            from += label.len();
            continue;
        }
        let inside = text.get(from..).unwrap_or_default();
        let last = inside.find("-----END ").map(|at| at + "-----END ".len());
        let end = last.and_then(|at| Some(at + inside.get(at..)?.find("-----")? + "-----".len()));
        return Some((start..from + end.unwrap_or(inside.len()), "a private key"));
    }
    None
}

/// The password of `scheme://user:password@host`, but for what stands for one in documentation.
fn password(text: &str, from: usize) -> Option<Found> {
    const STANDING_FOR: [&str; 10] = [
        "password", "passwd", "pass", "pw", "secret", "user", "postgres", "root", "guest",
        "example",
    ];
    text.get(from..)?.match_indices("://").find_map(|(at, mark)| {
        let start = from + at + mark.len();
        let rest = text.get(start..)?;
        let ends = |c: char| c.is_whitespace() || "/?#`\"'".contains(c);
        let authority = rest.split(ends).next()?;
        let (login, _) = authority.rsplit_once('@')?;
        let (user, password) = login.split_once(':')?;
        let placeholder = password.contains(['$', '<', '{', '*', '%', '[', '…'])
            || password.chars().all(|c| c == 'x' || c == '.')
            || STANDING_FOR.contains(&password.to_ascii_lowercase().as_str());
        let start = start + user.len() + 1;
        (!placeholder).then_some((start..start + password.len(), "a password in an address"))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A body of that alphabet; made here, so that no file holds anything like a token.
    fn body(rule: &Rule, length: usize) -> String {
        let all: Vec<char> = ('0'..='z').filter(|c| (rule.alphabet)(*c)).collect();
        (0..length).map(|n| all[n * 7 % all.len()]).collect()
    }

    fn token(rule: &Rule) -> String {
        format!("{}{}", rule.prefix, body(rule, rule.least))
    }

    #[test]
    fn every_rule_finds_its_own() {
        assert!(RULES.len() > 60);
        for rule in RULES {
            let token = token(rule);
            for text in [token.clone(), format!("key={token};"), format!("use `{token}` here")] {
                assert!(find(&text).is_some(), "{}: {text}", rule.name);
                assert_eq!(find(&redact(&text)), None, "{}", rule.name);
            }
            let said = redact(&format!("set {token}, then go")).into_owned();
            assert!(said.starts_with("set [redacted: a"), "{said}");
            assert!(said.ends_with("], then go"), "{said}");
            let short = format!("{}{}", rule.prefix, body(rule, rule.least - 1));
            assert_eq!(find(&short), None, "{}: too short", rule.name);
            let hollow: String = std::iter::repeat_n('A', rule.least).collect();
            assert_eq!(find(&format!("{}{hollow}", rule.prefix)), None, "{}", rule.name);
            let behind = format!("{} {}-{token}", rule.prefix, rule.prefix.repeat(90));
            assert!(find(&behind).is_some(), "{}: behind other beginnings", rule.name);
            let inside = format!("a{token}");
            assert_eq!(rule.find(&inside, 0), None, "{}: inside a word", rule.name);
        }
        let dashes = "-".repeat(5);
        assert_eq!(
            find(&format!("{dashes}BEGIN RSA PRIVATE KEY{dashes} MIIE")),
            Some("a private key")
        );
        let url = ["postgres://app:", "hunter2", "@db.internal/harbor"].concat();
        assert_eq!(find(&format!("DSN is {url}")), Some("a password in an address"));
    }

    #[test]
    fn what_is_blotted_out() {
        let dashes = "-".repeat(5);
        let key = format!("{dashes}BEGIN EC PRIVATE KEY{dashes}\nMHc\n{dashes}END EC PRIVATE KEY");
        let github = token(&RULES[2]);
        let aws = token(&RULES[0]);
        for (text, want) in [
            (format!("a {key}{dashes} b"), "a [redacted: a private key] b".to_owned()),
            (format!("a {key}"), "a [redacted: a private key]".to_owned()),
            (format!("{dashes}BEGIN CERTIFICATE{dashes} a PRIVATE KEY"), String::new()),
            (
                format!("{aws} and {github}."),
                "[redacted: an AWS access key] and [redacted: a GitHub token].".to_owned(),
            ),
            // The rest of a word is taken too: it would begin with a token otherwise.
            (format!("{aws}{github}"), "[redacted: an AWS access key]".to_owned()),
            (
                ["redis://u:", "hunter2", "@h/0 ftp://v:", "sesame!", "@i"].concat(),
                "redis://u:[redacted: a password in an address]@h/0 \
                 ftp://v:[redacted: a password in an address]@i"
                    .to_owned(),
            ),
            ("http://localhost:80\nwrite to me@home".to_owned(), String::new()),
            ("nothing".to_owned(), String::new()),
        ] {
            let want = if want.is_empty() { text.clone() } else { want };
            assert_eq!(redact(&text), want);
        }
    }

    #[test]
    fn cleaning() {
        let github = token(&RULES[2]);
        for (text, want) in [
            ("  a \n\t b\r\nc ", "a b c"),
            ("a <private>b\nc</private> d <private>e", "a d"),
            ("a\u{2028}b", "a b"),
            ("a\u{1b}[31mb \u{202e}c\u{0}", "a [31mb c"),
            ("family 👨‍👩‍👧 é", "family 👨‍👩‍👧 é"),
            (&format!("use {github}"), "use [redacted: a GitHub token]"),
            (
                &format!("use {}\u{200b}{}", &github[..9], &github[9..]),
                "use [redacted: a GitHub token]",
            ),
        ] {
            assert_eq!(clean(text), want, "{text:?}");
        }
        let text = format!("- a\n  - {github}\r\n\n\t<private>b\nc</private>d\u{202e}\n");
        assert_eq!(clean_lines(&text), "- a\n  - [redacted: a GitHub token]\r\n\n\td\n");
    }

    #[test]
    fn megabytes_take_no_time() {
        for piece in ["://a:", "eyJ", "-----BEGIN ", "sk-ant-", "AKIA://x:y@", "<private>", "@:"] {
            let text = piece.repeat(1_000_000 / piece.len());
            assert_eq!(find(&redact(&text)), None, "{piece}");
        }
        let tokens = format!("{} ", token(&RULES[2])).repeat(10_000);
        assert_eq!(find(&redact(&tokens)), None);
    }

    fn piece() -> impl Strategy<Value = String> {
        let whole = (0..RULES.len(), 0..80_usize, 0..9_usize).prop_map(|(at, more, cut)| {
            let rule = &RULES[at];
            let length = (rule.least + more).saturating_sub(cut * cut);
            format!("{}{}", rule.prefix, body(rule, length))
        });
        let marks = [
            "://",
            ":",
            "@",
            "/",
            " ",
            "\n",
            ".",
            "-",
            "_",
            "a",
            "Z9",
            "-----BEGIN ",
            "RSA ",
            "PRIVATE KEY",
            "-----",
            "-----END ",
            "user",
            "hunter2",
            "$X",
            "é",
            "[",
            "]",
        ];
        prop_oneof![2 => whole, 3 => prop::sample::select(marks.to_vec()).prop_map(str::to_owned)]
    }

    proptest! {
        #[test]
        fn nothing_is_left(pieces in prop::collection::vec(piece(), 0..14)) {
            let text = pieces.concat();
            let clean = redact(&text);
            prop_assert_eq!(find(&clean), None, "{} became {}", text, clean);
            prop_assert_eq!(find(&text).is_some(), clean != text);
            let again = redact(&clean);
            prop_assert_eq!(again.as_ref(), clean.as_ref());
        }
    }

    #[test]
    fn ordinary_notes_pass() {
        for text in [
            "postgres://user:password@localhost/db",
            "postgres://app:$PGPASSWORD@db/harbor",
            "https://app:<token>@example.org and redis://:xxx@cache",
            "see https://example.org/a:b@c and user@host:path",
            "tokens begin with ghp_ or github_pat_; keys with AKIA",
            "task-runner sk-learn pipelines, risk-based scheduling",
            "commit 4f2c1d9e8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e",
            "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "BEGIN and PRIVATE KEY are words",
            "hf_get_the_config_of_a_model_and_its_tokenizer_files is too long a name",
            "sk-learn_compatible_estimators_for_the_harbor_pipeline_v2",
            "npm_config_registry_of_the_internal_mirror_for_packages",
            "dapi, pul-request, SG.1 and hvs.local are names of hosts",
            "https://hooks.slack.com/services/ is where it goes",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
        let filled = ["gh", "p_PersonalAccessToken", "01245678900000000"].concat();
        assert_eq!(find(&filled), None, "{filled}");
        let stores = [
            include_str!("../../../fixtures/stores/harbor/.pi/memory/topics/lessons.md"),
            include_str!("../../../fixtures/stores/harbor/.pi/memory/MEMORY.md"),
            include_str!("../../../README.md"),
            include_str!("../../../ARCHITECTURE.md"),
        ];
        for line in stores.iter().flat_map(|text| text.lines()) {
            assert_eq!(find(line), None, "{line}");
        }
    }
}
