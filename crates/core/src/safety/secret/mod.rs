//! Detects secrets by their form: tokens with a fixed part, passwords in addresses, and values
//! assigned to a name of a secret.
//!
//! A filter for mistakes, not a security boundary: precision comes before recall, so that ordinary
//! notes are never refused. Matched text is never repeated in a message.

mod assigned;
mod bare;
mod rules;
mod value;

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use memchr::memmem::Finder;

use self::rules::{AROUND, Around, RULES, SecretRule, word};
use super::safe_text::{self, without_private};

/// The span of a secret, and the name of its kind.
type Found = (Range<usize>, &'static str);

impl SecretRule {
    /// Maximum number of characters examined after the prefix.
    const LONGEST: usize = 256;

    /// Returns the token that begins at byte `start`.
    fn at(&self, text: &str, start: usize) -> Option<Found> {
        let rest = text.get(start..)?.strip_prefix(self.prefix)?;
        let before = text.get(..start).and_then(|text| text.chars().next_back());
        let length = rest.chars().take(Self::LONGEST).take_while(|c| (self.alphabet)(*c)).count();
        if length < self.least || before.is_some_and(word) || !varied(rest.get(..length)?) {
            return None;
        }
        // Extend the span to the end of the word, or the rest might begin another token.
        let more = rest.find(|c| !(word(c) || (self.alphabet)(c))).unwrap_or(rest.len());
        Some((start..start + self.prefix.len() + more, self.name))
    }
}

/// Maps the first byte of a prefix to a bit set of its second bytes. It selects the few offsets of
/// a text that are compared with the many rules.
#[expect(clippy::indexing_slicing, reason = "made by the compiler, which checks it")]
static BEGINNINGS: [u128; 128] = {
    let mut all = [0; 128];
    let mut rules = RULES;
    while let [rule, rest @ ..] = rules {
        if let [first, second, ..] = rule.prefix.as_bytes() {
            all[*first as usize] |= 1 << *second;
        }
        rules = rest;
    }
    all
};

/// The numbers of the rules, sorted by the first byte of the prefix.
#[expect(clippy::indexing_slicing, reason = "made by the compiler, which checks it")]
static BY_FIRST: [usize; RULES.len()] = {
    let mut sorted = [0; RULES.len()];
    let mut at = 0;
    while at < RULES.len() {
        let mut place = at;
        while place > 0 && first(sorted[place - 1]) > first(at) {
            sorted[place] = sorted[place - 1];
            place -= 1;
        }
        sorted[place] = at;
        at += 1;
    }
    sorted
};

#[expect(clippy::indexing_slicing, reason = "made by the compiler, which checks it")]
const fn first(rule: usize) -> u8 {
    RULES[rule].prefix.as_bytes()[0]
}

/// Returns the rules whose prefix begins with a byte, in their order.
fn beginning(byte: u8) -> impl Iterator<Item = &'static SecretRule> {
    let from = BY_FIRST.partition_point(|rule| first(*rule) < byte);
    let rules = BY_FIRST.iter().skip(from).take_while(move |rule| first(**rule) == byte);
    rules.filter_map(|rule| RULES.get(*rule))
}

/// Finds the first token with a known prefix, at or after byte `from`.
fn shaped(text: &str, from: usize) -> Option<Found> {
    let bytes = text.as_bytes().get(from..)?;
    let mut before = text.as_bytes().get(..from)?.last().copied().unwrap_or(b' ');
    for (at, pair) in bytes.windows(2).enumerate() {
        let (first, second) = (pair.first().copied()?, pair.get(1).copied()?);
        let inside = word(char::from(std::mem::replace(&mut before, first)));
        let likely = BEGINNINGS
            .get(usize::from(first))
            .is_some_and(|seconds| !inside && second.is_ascii() && seconds >> second & 1 == 1);
        if likely && let Some(found) = beginning(first).find_map(|rule| rule.at(text, from + at)) {
            return Some(found);
        }
    }
    None
}

impl Around {
    /// Returns the token whose anchor is at byte `middle`.
    fn at(&self, text: &str, middle: usize) -> Option<Found> {
        let (before, behind) = text.split_at_checked(middle)?;
        let after = behind.strip_prefix(self.anchor)?;
        let (least, most, alphabet) = self.before;
        let length = before.chars().rev().take(most + 1).take_while(|c| alphabet(*c)).count();
        // All matched characters are ASCII.
        let start = middle - length;
        let inside = before.get(..start)?.chars().next_back();
        if !(least..=most).contains(&length) || inside.is_some_and(word) {
            return None;
        }
        let (least, alphabet) = self.after;
        let length = after.chars().take(SecretRule::LONGEST).take_while(|c| alphabet(*c)).count();
        let end = middle + self.anchor.len() + length;
        let token = text.get(start..end)?;
        let goes_on = text.get(end..)?.starts_with(word);
        let fits = length >= least && !goes_on && varied(token) && (self.fits)(token);
        fits.then_some((start..end, self.name))
    }
}

/// Finds the first token with a known anchor, at or after byte `from`.
fn around(text: &str, from: usize) -> Option<Found> {
    let anchors = |byte: &u8| matches!(byte, b':' | b'.' | b'_' | b'-' | b'Q' | b'A');
    let mut at = from;
    while let Some(found) = text.as_bytes().get(at..)?.iter().position(anchors) {
        at += found;
        let first = text.as_bytes().get(at);
        let mut rules = AROUND.iter().filter(|rule| rule.anchor.as_bytes().first() == first);
        if let Some(found) = rules.find_map(|rule| rule.at(text, at)) {
            return Some(found);
        }
        at += 1;
    }
    None
}

/// Bytes of a token, at least.
const TOKEN: usize = 20;
/// The same of the rest of a token that begins with a word of its own.
const REST: usize = 40;
/// Bytes of an assigned value, at least; it has letters and digits.
const VALUE: usize = 6;

/// Parts without which a text has no private key, and no address with a password.
static KEY_AND_ADDRESS: LazyLock<[Finder<'_>; 2]> =
    LazyLock::new(|| ["-----BEGIN ", "://"].map(Finder::new));

/// Returns the kind of a secret that a reader of the text would see. Invisible characters may split
/// it, which are taken out on the way to an agent. It finds what [`find`] finds, and is so much
/// faster on other texts that every line can be asked about on its way out: only runs between
/// blanks that may be secrets are looked at.
#[must_use]
pub fn seen(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    let (mut start, mut has_value, mut has_key) = (0, false, false);
    let has_digit = bytes.iter().fold(false, |has, byte| has | byte.is_ascii_digit());
    for run in bytes.split(|byte| *byte <= b' ') {
        let end = start + run.len();
        if run.len() >= TOKEN
            && let Some(found) = token(text, start, end)
        {
            return Some(found);
        }
        if has_digit && run.len() >= if has_value { bare::LEAST } else { VALUE } {
            let is_mixed =
                run.iter().any(u8::is_ascii_digit) && run.iter().any(u8::is_ascii_alphabetic);
            has_value |= is_mixed;
            has_key |= is_mixed && run.len() >= bare::LEAST;
        }
        start = end + 1;
    }
    // What most texts lack is looked for first, which takes least.
    let [of_block, of_address] = &*KEY_AND_ADDRESS;
    let block = of_block.find(bytes).and_then(|_| private_key(text, 0));
    let login = || of_address.find(bytes).and_then(|_| password(text, 0));
    let assigned = || has_value.then(|| assigned::find(text, 0)).flatten();
    let key = || has_key.then(|| bare::key(text, 0)).flatten();
    let found = block.or_else(login).or_else(assigned).or_else(key);
    if let Some((_, name)) = found.or_else(|| bare::wallet(text, 0)) {
        return Some(name);
    }
    let is_plain = bytes.iter().fold(true, |plain, byte| plain & (b' '..=b'~').contains(byte));
    // Line breaks are hazards that a reader sees as they are.
    let is_split = || safe_text::hazards(text).any(|(_, c)| !c.is_whitespace());
    (!is_plain && is_split()).then(|| find(&visible(text))).flatten()
}

/// Returns the kind of the token in a run.
fn token(text: &str, start: usize, end: usize) -> Option<&'static str> {
    let run = text.get(start..end)?;
    let before = text.get(..start)?;
    // Some tokens begin with a word of their own.
    let begun =
        end - start >= REST && ["SSWS ", "FlyV1 "].iter().any(|word| before.ends_with(word));
    let whole = || shaped(text, before.trim_end().rfind(' ').map_or(0, |at| at + 1));
    let found = shaped(run, 0).or_else(|| around(run, 0));
    found.or_else(|| begun.then(whole).flatten()).map(|(_, name)| name)
}

/// Returns the kind of the first secret in a text.
#[must_use]
pub fn find(text: &str) -> Option<&'static str> {
    let found = private_key(text, 0).or_else(|| shaped(text, 0)).or_else(|| around(text, 0));
    let found = found.or_else(|| password(text, 0)).or_else(|| assigned::find(text, 0));
    let found = found.or_else(|| bare::key(text, 0)).or_else(|| bare::wallet(text, 0));
    found.map(|(_, name)| name)
}

/// Replaces secrets in a text, as in `[redacted: a GitHub token]`.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut found = Vec::new();
    let mut collect = |next: fn(&str, usize) -> Option<Found>, on: fn(&Range<usize>) -> usize| {
        let mut from = 0;
        while let Some((span, name)) = next(text, from) {
            from = on(&span);
            found.push((span, name));
        }
    };
    // Tokens may begin inside others.
    collect(private_key, |span| span.end);
    collect(shaped, |span| span.start + 1);
    collect(around, |span| span.end);
    collect(password, |span| span.end);
    collect(assigned::find, |span| span.end);
    collect(bare::key, |span| span.end);
    collect(bare::wallet, |span| span.end);
    if found.is_empty() {
        return text.into();
    }
    // Overlapping secrets become one, with the name of the first.
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
    // A word that was redacted may have said that another is a hash.
    if bare::key(&clean, 0).is_some() { redact(&clean).into_owned().into() } else { clean.into() }
}

/// Like [`redact`], also of secrets that invisible characters split.
#[must_use]
pub fn redacted(text: &str) -> String {
    redact(&visible(text)).into_owned()
}

/// Cleans foreign text for storage: removes private text, secrets and invisible characters, and
/// joins it to one line with single spaces.
#[must_use]
pub fn clean(text: &str) -> String {
    let joined = clean_lines(text).split_whitespace().collect::<Vec<_>>().join(" ");
    // Lines and two spaces may have told a hash from a key.
    redact(&joined).into_owned()
}

/// Like [`clean`], but preserves lines and spaces.
#[must_use]
pub fn clean_lines(text: &str) -> String {
    // Invisible characters are removed first, because they may split a secret. Line breaks stay,
    // because secrets end there.
    redacted(&without_private(text))
}

/// Returns a text without invisible characters.
fn visible(text: &str) -> Cow<'_, str> {
    let (mut visible, mut end) = (String::new(), 0);
    for (at, c) in safe_text::hazards(text) {
        visible.push_str(text.get(end..at).unwrap_or_default());
        if c.is_control() || c.is_whitespace() {
            visible.push(if c.is_whitespace() { c } else { ' ' });
        }
        end = at + c.len_utf8();
    }
    if end == 0 {
        return text.into();
    }
    visible.push_str(text.get(end..).unwrap_or_default());
    visible.into()
}

/// Returns true if a body looks random. `ghp_xxxxxxxx…` and tokens that end in `00000000` are
/// placeholders.
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

/// Finds a PEM block, or its beginning if it is incomplete.
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

/// Finds the password in `scheme://user:password@host`, except placeholders used in documentation.
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
mod tests;
