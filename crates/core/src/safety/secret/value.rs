//! Decides whether a value assigned to a name of a secret is one, and not a variable, type, call,
//! placeholder or word.

use super::varied;

/// The class of secret that a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Chosen by a person; may be short.
    Password,
    /// The same, with no more than its name beside it; so it has to look like one.
    Beside,
    /// Generated at random.
    Token,
}

/// A value with its quotes removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SecretValue<'a> {
    pub(super) text: &'a str,
    pub(super) quoted: bool,
}

/// Maximum length of a value, in characters.
pub(super) const LONGEST: usize = 512;
/// Minimum length of a password, in characters.
const PASSWORD: usize = 6;
/// Minimum length of a password that stands beside its name alone.
const PASSWORD_BESIDE: usize = 8;
/// Minimum length of a token, in characters.
const TOKEN: usize = 12;

/// Characters that no secret begins with.
const OPENINGS: &[char] =
    &['$', '<', '{', '[', '(', '%', '*', '#', '&', '|', '>', '~', '/', '\\', '.'];

/// Substrings of placeholders.
const STANDS_FOR: &[&str] =
    &["://", "${", "$(", "{{", "}}", "<", ">", "***", "...", "…", "::", "xxxx", "%s", "%(", "#{"];

/// Prefixes of values that are locations of secrets, hashes, or keys for tests.
const REFERENCES: &[&str] = &[
    "arn:",
    "env:",
    "env.",
    "file:",
    "md5:",
    "op:",
    "os.",
    "pk_",
    "process.",
    "projects/",
    "rk_test_",
    "sha1:",
    "sha256:",
    "sha256-",
    "sha384-",
    "sha512-",
    "sha512:",
    "sk_test_",
    "ssm:",
    "vault:",
    "vars.",
    "secrets.",
];

/// Words in made-up values.
const MADE_UP: &[&str] = &[
    "123456",
    "abc123",
    "changeme",
    "changeit",
    "change-me",
    "change_me",
    "dummy",
    "example",
    "foobar",
    "insert",
    "passwd",
    "password",
    "placeholder",
    "qwerty",
    "redacted",
    "replace",
    "sample",
    "secret",
    "your",
];

/// Words that form a name with a number: of variables, types and methods.
const NUMBERED: &[&str] = &[
    "aes", "amd", "arg", "argon", "arm", "attempt", "base", "bcrypt", "blake", "buffer", "case",
    "char", "chapter", "client", "column", "cost", "crc", "data", "ed", "entry", "es", "field",
    "float", "foo", "bar", "group", "hash", "hs", "http", "id", "index", "input", "int", "ipv",
    "item", "key", "length", "level", "line", "list", "md", "name", "node", "number", "oauth",
    "option", "output", "page", "param", "part", "pass", "pbkdf", "phase", "pkcs", "plan", "ps",
    "pw", "pwd", "ripemd", "round", "row", "rs", "rule", "s", "scram", "scrypt", "secp", "section",
    "server", "sha", "size", "slot", "state", "step", "str", "string", "table", "temp", "test",
    "text", "tls", "tmp", "token", "type", "uint", "user", "utf", "val", "value", "var", "varchar",
    "vec", "version", "web", "win", "word", "x",
];

/// Names of hashes and encodings that contain a number.
const ALGORITHMS: &[&str] = &[
    "argon2d",
    "argon2i",
    "argon2id",
    "base64url",
    "md5crypt",
    "secp256k1",
    "sha256crypt",
    "sha512crypt",
    "utf8mb4",
];

pub(super) fn is_secret(class: Class, value: SecretValue<'_>) -> bool {
    let text = value.text;
    let all = text.chars().count();
    if !(PASSWORD..=LONGEST).contains(&all) || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return false;
    }
    let small = text.to_ascii_lowercase();
    if (text.starts_with(OPENINGS) && !(class == Class::Token && is_base64(text)))
        || STANDS_FOR.iter().any(|part| small.contains(part))
        || REFERENCES.iter().any(|start| small.starts_with(start))
        || (!value.quoted && text.contains(['(', ')', '[', ']', '{', '}']))
        || (text.contains('(') && text.ends_with(')'))
        || is_time(text)
    {
        return false;
    }
    match class {
        Class::Password => is_strong(text) || is_chosen(&small),
        Class::Beside => {
            is_strong(text)
                || is_chosen(&small) && (value.quoted || all >= PASSWORD_BESIDE && is_random(text))
        }
        Class::Token => (all >= TOKEN && is_random(text)) || is_strong(text),
    }
}

/// Returns true if a person may have chosen a lower-case value as a password: it has digits, and
/// parts other than words and numbers.
fn is_chosen(text: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| text.as_bytes().iter().any(kind);
    if !(has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic))
        || MADE_UP.iter().any(|word| text.contains(word))
        || ALGORITHMS.contains(&text)
    {
        return false;
    }
    let mut parts = text.split(['-', '_', '.', '/', ':', ',']).filter(|part| !part.is_empty());
    match (parts.next(), parts.next()) {
        // A single word with a number may be a password or a variable name.
        (Some(only), None) => {
            word(only).is_none_or(|stem| !stem.is_empty() && !NUMBERED.contains(&stem))
        }
        (first, second) => {
            !first.into_iter().chain(second).chain(parts).all(|part| word(part).is_some())
        }
    }
}

/// Returns the word of a part that is a word, a number, or a word with a short number before or
/// after it.
fn word(part: &str) -> Option<&str> {
    let digit = |c: char| c.is_ascii_digit();
    let stem = part.trim_end_matches(digit);
    let behind = part.len() - stem.len();
    let inner = stem.trim_start_matches(digit);
    let before = stem.len() - inner.len();
    let letters = inner.chars().all(|c| c.is_ascii_alphabetic());
    let short = behind <= 4 && before <= 2 || inner.is_empty();
    (letters && short).then_some(inner)
}

/// Returns true if letters, digits and signs that do not occur in words are mixed.
fn is_strong(text: &str) -> bool {
    let has = |kind: &dyn Fn(char) -> bool| text.chars().any(kind);
    text.len() >= 8
        && has(&|c| c.is_ascii_digit())
        && has(&|c| c.is_ascii_alphabetic())
        && has(&|c| "!@#$^&*?~".contains(c))
        && !text.contains(['=', ',', ';', '(', ')'])
        && !is_address(text)
}

/// Returns true for `name@host.org` and `user@1.2.3`, where the sign has a meaning.
fn is_address(text: &str) -> bool {
    let plain = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+/".contains(c));
    text.split_once('@')
        .is_some_and(|(name, host)| plain(name) && plain(host) && host.contains('.'))
}

/// Returns true if a text looks random: letters alternate with digits, or upper with lower case.
pub(super) fn is_random(text: &str) -> bool {
    if !varied(text) {
        return false;
    }
    let kind = |c: char| match c {
        '0'..='9' => 1,
        'a'..='z' => 2,
        'A'..='Z' => 3,
        _ => 0,
    };
    let (mut turns, mut mixed, mut digits, mut before) = (0, 0, 0, 0);
    for now in text.chars().map(kind) {
        if now != before && now != 0 && before != 0 {
            mixed += 1;
            turns += usize::from(now == 1 || before == 1);
        }
        digits += usize::from(now == 1);
        before = now;
    }
    digits >= 2 && turns >= 4 || digits >= 1 && text.len() >= 20 && mixed * 3 >= text.len()
}

/// Returns true for Base64 that begins with a slash, but not for a path.
fn is_base64(text: &str) -> bool {
    let part = text.split('/').max_by_key(|part| part.len()).unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    text.len() >= 32 && part.len() >= TOKEN && text.chars().all(plain) && is_random(part)
}

/// Returns true for `2026-06-30T18:00:00Z`.
fn is_time(text: &str) -> bool {
    let digits = |part: Option<&str>| {
        part.is_some_and(|part| part.len() >= 2 && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut parts = text.split('-');
    digits(parts.next()) && digits(parts.next())
}
