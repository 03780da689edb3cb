//! Whether a value that a name calls a secret is one, or stands for one: a variable, a type, a call, a
//! placeholder, a word.

use super::varied;

/// What a name calls its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Something that a person chose, and may be short.
    Password,
    /// Something that was drawn at random.
    Token,
}

/// A value as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Value<'a> {
    /// Without quotes around it.
    pub(super) text: &'a str,
    /// Whether it stands between quotes.
    pub(super) quoted: bool,
}

/// Characters of the longest value that is looked at.
pub(super) const LONGEST: usize = 512;
/// Characters of the shortest password.
const PASSWORD: usize = 6;
/// Characters of the shortest token.
const TOKEN: usize = 12;

/// What a value does not begin with.
const OPENINGS: &[char] =
    &['$', '<', '{', '[', '(', '%', '*', '#', '&', '|', '>', '~', '/', '\\', '.'];

/// What stands for a value, wherever in it.
const STANDS_FOR: &[&str] =
    &["://", "${", "$(", "{{", "}}", "<", ">", "***", "...", "…", "::", "xxxx", "%s", "%(", "#{"];

/// What values begin with that say where a secret is, what it was hashed by, or that it is for tests.
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

/// Words of values that are made up to be replaced.
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

/// Words that have a number behind them and are names: of variables, types and methods.
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

/// Ways to hash and to encode that have a number among their letters.
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

/// Whether it is a secret.
pub(super) fn is_secret(class: Class, value: Value<'_>) -> bool {
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
        Class::Token => (all >= TOKEN && is_random(text)) || is_strong(text),
    }
}

/// Whether somebody may have chosen a value of small letters as a password: with digits, and made of
/// other parts than words and numbers.
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
        // A word with a number behind it may be one's dog, or a variable.
        (Some(only), None) => {
            word(only).is_none_or(|stem| !stem.is_empty() && !NUMBERED.contains(&stem))
        }
        (first, second) => {
            !first.into_iter().chain(second).chain(parts).all(|part| word(part).is_some())
        }
    }
}

/// The word of a part that is a word, a number, or a word with a short number before or behind it.
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

/// Whether letters, digits and signs that words have not are mixed.
fn is_strong(text: &str) -> bool {
    let has = |kind: &dyn Fn(char) -> bool| text.chars().any(kind);
    text.len() >= 8
        && has(&|c| c.is_ascii_digit())
        && has(&|c| c.is_ascii_alphabetic())
        && has(&|c| "!@#$^&*?~".contains(c))
        && !text.contains(['=', ',', ';', '(', ')'])
        && !is_address(text)
}

/// `name@host.org`, `user@1.2.3`: the sign is what it is for.
fn is_address(text: &str) -> bool {
    let plain = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+/".contains(c));
    text.split_once('@')
        .is_some_and(|(name, host)| plain(name) && plain(host) && host.contains('.'))
}

/// Whether a text looks drawn at random: letters and digits in turn, or letters of both sizes.
fn is_random(text: &str) -> bool {
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

/// Whether it is Base64 that begins with a slash, and no path.
fn is_base64(text: &str) -> bool {
    let part = text.split('/').max_by_key(|part| part.len()).unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    text.len() >= 32 && part.len() >= TOKEN && text.chars().all(plain) && is_random(part)
}

/// `2026-06-30T18:00:00Z`
fn is_time(text: &str) -> bool {
    let digits = |part: Option<&str>| {
        part.is_some_and(|part| part.len() >= 2 && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut parts = text.split('-');
    digits(parts.next()) && digits(parts.next())
}
