//! Secrets by their shape: keys and tokens with a fixed part, passwords in addresses, and values that
//! a name calls a secret.
//!
//! A filter for mistakes, not a boundary: precision comes before recall, so that ordinary notes are
//! never refused. What matched is never repeated.

mod assigned;
mod rules;
mod value;

use std::{borrow::Cow, ops::Range};

use self::rules::{AROUND, Around, RULES, Rule, word};
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

impl Around {
    /// The first token whose middle stands at or behind a byte.
    fn find(&self, text: &str, mut from: usize) -> Option<Found> {
        while let Some(found) = text.get(from..).and_then(|rest| rest.find(self.anchor)) {
            let middle = from + found;
            from = middle + self.anchor.len();
            let (least, most, alphabet) = self.before;
            let before = text.get(..middle).unwrap_or_default();
            let length = before.chars().rev().take(most + 1).take_while(|c| alphabet(*c)).count();
            // All of them are ASCII.
            let start = middle - length;
            let inside = before.get(..start).and_then(|text| text.chars().next_back());
            if !(least..=most).contains(&length) || inside.is_some_and(word) {
                continue;
            }
            let (least, alphabet) = self.after;
            let after = text.get(from..).unwrap_or_default();
            // All of these as well.
            let end = after.chars().take(Rule::LONGEST).take_while(|c| alphabet(*c)).count();
            let end = from + end;
            let token = text.get(start..end).unwrap_or_default();
            let goes_on = text.get(end..).is_some_and(|text| text.starts_with(word));
            if end - from >= least && !goes_on && varied(token) && (self.fits)(token) {
                return Some((start..end, self.name));
            }
        }
        None
    }
}

/// What kind of secret a text holds, if any.
#[must_use]
pub fn find(text: &str) -> Option<&'static str> {
    let shaped = || RULES.iter().find_map(|rule| rule.find(text, 0));
    let around = || AROUND.iter().find_map(|rule| rule.find(text, 0));
    let found = private_key(text, 0).or_else(shaped).or_else(around);
    let found = found.or_else(|| password(text, 0)).or_else(|| assigned::find(text, 0));
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
    for rule in AROUND {
        collect(&|from| rule.find(text, from));
    }
    collect(&|from| password(text, from));
    collect(&|from| assigned::find(text, from));
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
mod tests;
