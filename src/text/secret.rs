//! Secrets by their shape: keys and tokens with a fixed beginning, and passwords in addresses.
//!
//! A filter for mistakes, not a boundary: precision comes before recall, so that ordinary notes are
//! never refused. What matched is never repeated.

/// A token: what it begins with, how many characters must follow, and which.
struct Rule {
    name: &'static str,
    prefix: &'static str,
    least: usize,
    alphabet: fn(char) -> bool,
}

const fn rule(
    name: &'static str,
    prefix: &'static str,
    least: usize,
    alphabet: fn(char) -> bool,
) -> Rule {
    Rule { name, prefix, least, alphabet }
}

impl Rule {
    /// Characters behind the beginning that are looked at.
    const LONGEST: usize = 256;

    fn occurs_in(&self, text: &str) -> bool {
        let mut from = 0;
        while let Some(found) = text.get(from..).and_then(|rest| rest.find(self.prefix)) {
            let before = text.get(..from + found).and_then(|text| text.chars().next_back());
            from += found + self.prefix.len();
            if before.is_some_and(word) {
                continue;
            }
            let body = text.get(from..).unwrap_or_default();
            let length =
                body.chars().take(Self::LONGEST).take_while(|c| (self.alphabet)(*c)).count();
            let body = body.get(..length).unwrap_or_default();
            if length >= self.least && varied(body) {
                return true;
            }
            // What was read is not read again: a line may be megabytes of such beginnings.
            from += if length < self.least { length } else { length - self.least };
        }
        false
    }
}

fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn dashed(c: char) -> bool {
    word(c) || c == '-'
}

fn upper(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit()
}

fn hex(c: char) -> bool {
    c.is_ascii_hexdigit()
}

/// Lengths are those that the services document or issue.
const RULES: &[Rule] = &[
    rule("an AWS access key", "AKIA", 16, upper),
    rule("an AWS access key", "ASIA", 16, upper),
    rule("a GitHub token", "ghp_", 36, word),
    rule("a GitHub token", "gho_", 36, word),
    rule("a GitHub token", "ghu_", 36, word),
    rule("a GitHub token", "ghs_", 36, word),
    rule("a GitHub token", "ghr_", 36, word),
    rule("a GitHub token", "github_pat_", 40, word),
    rule("a GitLab token", "glpat-", 20, dashed),
    rule("a Slack token", "xoxb-", 20, dashed),
    rule("a Slack token", "xoxp-", 20, dashed),
    rule("a Slack token", "xoxa-", 20, dashed),
    rule("a Slack token", "xoxs-", 20, dashed),
    rule("a Slack token", "xapp-", 20, dashed),
    rule("a Stripe key", "sk_live_", 16, word),
    rule("a Stripe key", "rk_live_", 16, word),
    rule("an Anthropic key", "sk-ant-", 20, dashed),
    rule("an OpenAI key", "sk-proj-", 20, dashed),
    rule("an OpenAI key", "sk-", 40, word),
    rule("a Google API key", "AIza", 35, dashed),
    rule("an npm token", "npm_", 36, word),
    rule("a PyPI token", "pypi-AgE", 50, dashed),
    rule("a Hugging Face token", "hf_", 34, word),
    rule("a DigitalOcean token", "dop_v1_", 64, hex),
    rule("a Shopify token", "shpat_", 32, hex),
    rule("a JSON web token", "eyJ", 60, |c| dashed(c) || c == '.'),
    rule("an age key", "AGE-SECRET-KEY-1", 50, upper),
];

/// What kind of secret a text holds, if any.
#[must_use]
pub fn find(text: &str) -> Option<&'static str> {
    if text.contains("-----BEGIN") && text.contains("PRIVATE KEY") {
        return Some("a private key");
    }
    RULES
        .iter()
        .find(|rule| rule.occurs_in(text))
        .map(|rule| rule.name)
        .or_else(|| password_in_url(text))
}

/// A text in which secrets are blotted out.
#[must_use]
pub fn redact(text: &str) -> std::borrow::Cow<'_, str> {
    match find(text) {
        Some(name) => format!("[{name}]").into(),
        None => text.into(),
    }
}

/// Whether a body looks random: `ghp_xxxxxxxx…` in a note is nobody's token.
fn varied(body: &str) -> bool {
    let mut kinds: Vec<char> = body.chars().collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.len() >= 8
}

/// `scheme://user:password@host`, but for what stands for a password in documentation.
fn password_in_url(text: &str) -> Option<&'static str> {
    const STANDING_FOR: [&str; 10] = [
        "password", "passwd", "pass", "pw", "secret", "user", "postgres", "root", "guest",
        "example",
    ];
    text.match_indices("://").find_map(|(at, mark)| {
        let rest = text.get(at + mark.len()..)?;
        let authority = rest.split(['/', ' ', '?', '#', '`', '"', '\'']).next()?;
        let (user, _) = authority.rsplit_once('@')?;
        let (_, password) = user.split_once(':')?;
        let placeholder = password.contains(['$', '<', '{', '*', '%', '[', '…'])
            || password.chars().all(|c| c == 'x' || c == '.')
            || STANDING_FOR.contains(&password.to_ascii_lowercase().as_str());
        (!placeholder).then_some("a password in an address")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body of that alphabet; made here, so that no file holds anything like a token.
    fn body(rule: &Rule, length: usize) -> String {
        let all: Vec<char> = ('0'..='z').filter(|c| (rule.alphabet)(*c)).collect();
        (0..length).map(|n| all[n * 7 % all.len()]).collect()
    }

    #[test]
    fn every_rule_finds_its_own() {
        for rule in RULES {
            let token = format!("{}{}", rule.prefix, body(rule, rule.least));
            for text in [token.clone(), format!("key={token};"), format!("use `{token}` here")] {
                assert!(find(&text).is_some(), "{}: {text}", rule.name);
            }
            let short = format!("{}{}", rule.prefix, body(rule, rule.least - 1));
            assert_eq!(find(&short), None, "{}: too short", rule.name);
            let hollow: String = std::iter::repeat_n('A', rule.least).collect();
            assert_eq!(find(&format!("{}{hollow}", rule.prefix)), None, "{}", rule.name);
            let behind = format!("{} {}-{token}", rule.prefix, rule.prefix.repeat(90));
            assert!(find(&behind).is_some(), "{}: behind other beginnings", rule.name);
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
        ] {
            assert_eq!(find(text), None, "{text}");
        }
        let stores = [
            include_str!("../../fixtures/stores/harbor/.pi/memory/topics/lessons.md"),
            include_str!("../../fixtures/stores/harbor/.pi/memory/MEMORY.md"),
            include_str!("../../README.md"),
            include_str!("../../ARCHITECTURE.md"),
        ];
        for line in stores.iter().flat_map(|text| text.lines()) {
            assert_eq!(find(line), None, "{line}");
        }
    }
}
