//! Neutralises tags in text for a model that could close the surrounding block or imitate one of
//! the agent's own.
//!
//! Tag names used by agents are neutralised everywhere, code included. Other tags are neutralised
//! in prose only: in code spans they are the subject, and after a word they are types.

use std::borrow::Cow;

use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::UnicodeNormalization;

/// Replaces a bracket that opens a tag.
const HARMLESS: char = '‹';

/// Words in the tag names of agents, in the singular: `system-reminder`, `function_calls`,
/// `user_query`, `antml:invoke`. A name matches if any of its words does.
const WORDS: &[&str] = &[
    "antml",
    "assistant",
    "bash",
    "claude",
    "command",
    "context",
    "developer",
    "document",
    "env",
    "environment",
    "example",
    "function",
    "hook",
    "human",
    "important",
    "inst",
    "instruction",
    "invoke",
    "memories",
    "memory",
    "notification",
    "parameter",
    "permission",
    "pimem",
    "prompt",
    "reminder",
    "result",
    "skill",
    "sys",
    "system",
    "think",
    "thinking",
    "tool",
    "user",
];

/// Names that match as a whole, without word separators: special tokens of models, and tags that
/// agents write as one word.
const NAMES: &[&str] = &[
    "additionalcontext",
    "agentsmd",
    "beginofsentence",
    "beginoftext",
    "bos",
    "claudemd",
    "endofsentence",
    "endoftext",
    "endofturn",
    "eos",
    "eot",
    "ephemeralmessage",
    "fimmiddle",
    "fimprefix",
    "fimsuffix",
    "pad",
    "projectmemory",
    "startofturn",
    "unk",
];

/// Special tokens of models in square brackets.
const SQUARE: &[&str] = &[
    "inst",
    "systemprompt",
    "availabletools",
    "toolcalls",
    "toolresults",
    "toolcontent",
    "modelsettings",
];

/// First byte of `＜`, `［` and similar characters, the only other brackets.
const WIDE: u8 = 0xef;

/// Replaces brackets that open a tag by `‹`. All other text is preserved.
pub(super) fn harmless(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    if memchr::memchr3(b'<', b'[', WIDE, bytes).is_none() {
        return text.into();
    }
    let (mut code, mut names) = (Code::default(), Names::default());
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    let stops = |byte: &u8| matches!(*byte, b'`' | b'<' | b'[' | WIDE);
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(stops)) {
        at += found;
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
        let after = at + c.len_utf8();
        let opens = match c {
            '`' => {
                at = code.skip(bytes, at);
                continue;
            }
            '<' | '＜' | '﹤' => {
                names.known(text, after) || is_tag(text, at, after, at < code.end)
            }
            '[' | '［' => is_square(text.get(after..).unwrap_or_default()),
            _ => false,
        };
        if opens {
            out.push_str(text.get(copied..at).unwrap_or_default());
            out.push(HARMLESS);
            copied = after;
        }
        at = after;
    }
    if copied == 0 {
        return text.into();
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out.into()
}

/// Tracks code spans: text between two backtick runs of equal length in one line.
#[derive(Default)]
struct Code {
    /// End of the last span, where its closing run begins.
    end: usize,
}

impl Code {
    /// Records the run of backticks that begins at `at`, and returns its end.
    fn skip(&mut self, bytes: &[u8], at: usize) -> usize {
        let run = |from: usize| {
            let rest = bytes.get(from..).unwrap_or_default();
            rest.iter().take_while(|byte| **byte == b'`').count()
        };
        let length = run(at);
        let inside = at + length;
        if self.end > 0 && at <= self.end {
            return inside;
        }
        let mut from = inside;
        let next = |from: usize| memchr::memchr2(b'`', b'\n', bytes.get(from..)?);
        while let Some(found) = next(from) {
            from += found;
            let other = run(from);
            if other == length {
                self.end = from;
            }
            if other == length || other == 0 {
                break;
            }
            from += other;
        }
        inside
    }
}

/// Caches whether the name after brackets is used by agents.
#[derive(Default)]
struct Names {
    /// All brackets up to this offset precede the same name.
    end: usize,
    known: bool,
}

impl Names {
    /// Returns true if the name after an opening bracket is used by agents. Slashes, spaces and
    /// further brackets before the name are skipped.
    fn known(&mut self, text: &str, inside: usize) -> bool {
        if inside >= self.end {
            let leads =
                |c: char| matches!(fold(c), '/' | '\\' | '<') || c.is_whitespace() || is_silent(c);
            let all = text.get(inside..).unwrap_or_default();
            let name_and_more = all.trim_start_matches(leads);
            self.end = inside + all.len() - name_and_more.len();
            self.known = is_known(&name(name_and_more).0);
        }
        self.known
    }
}

/// Returns true if the bracket at `at` opens a tag of any name. `after` is the offset behind it.
fn is_tag(text: &str, at: usize, after: usize, in_code: bool) -> bool {
    let inside = text.get(after..).unwrap_or_default().trim_start_matches(is_silent);
    let Some(first) = inside.chars().next().map(fold) else { return false };
    if matches!(first, '|' | '!' | '?') {
        return true;
    }
    let before = text.get(..at).unwrap_or_default();
    match first {
        _ if in_code => false,
        // No type begins with a slash.
        '/' => {
            let mut behind = inside.chars().skip(1).skip_while(|c| is_silent(*c));
            behind.next().is_some_and(|c| c.is_alphabetic() || fold(c) == '>')
        }
        // `<<NAME>>`, but not `1 << n` or `<<EOF`.
        '<' => is_twice(inside.strip_prefix(|c| fold(c) == '<').unwrap_or_default()),
        _ if before.ends_with(['<', '＜', '﹤']) => is_twice(inside),
        _ => is_letter(inside) && !is_type(before),
    }
}

/// Returns true if a text begins with a name and two closing brackets.
fn is_twice(text: &str) -> bool {
    let (_, behind) = name(text);
    let mut behind = behind.chars().filter(|c| !is_silent(*c)).map(fold);
    is_letter(text) && behind.next() == Some('>') && behind.next() == Some('>')
}

fn is_letter(text: &str) -> bool {
    text.starts_with(char::is_alphabetic)
}

/// Returns true if the text before a bracket makes it part of a type or a comparison.
fn is_type(before: &str) -> bool {
    before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') || before.ends_with("::")
}

/// Returns true if `[…]` is a special token of a model.
fn is_square(inside: &str) -> bool {
    let leads = |c: char| fold(c) == '/' || c.is_whitespace() || is_silent(c);
    let (name, behind) = name(inside.trim_start_matches(leads));
    let mut behind = behind.chars().filter(|c| !is_silent(*c) && !c.is_whitespace());
    behind.next().is_some_and(|c| fold(c) == ']') && SQUARE.contains(&plain(&name).as_str())
}

/// Returns the name at the start of a text, in plain characters, and the rest.
fn name(text: &str) -> (String, &str) {
    let mut name = String::new();
    for (at, c) in text.char_indices() {
        let plain = fold(c);
        if plain.is_alphanumeric() || "-_:.".contains(plain) {
            name.push(plain);
        } else if !is_silent(c) {
            return (name, text.get(at..).unwrap_or_default());
        }
    }
    (name, "")
}

/// Returns true for characters that do not change a name: accents and emoji joiners.
fn is_silent(c: char) -> bool {
    !c.is_ascii() && (matches!(c, '\u{200d}' | '\u{e0020}'..='\u{e007f}') || c.is_mark())
}

fn is_known(name: &str) -> bool {
    // Some models mark the start of a text with `<s>`. Only lower case: `S` is a common type
    // parameter.
    if name == "s" || NAMES.contains(&plain(name).as_str()) {
        return true;
    }
    let numbers = |c: char| c.is_ascii_digit();
    let known = |word: &str| {
        let word = word.to_lowercase();
        let word = word.trim_end_matches(numbers);
        let one = word.strip_suffix('s').unwrap_or(word);
        WORDS.contains(&word) || WORDS.contains(&one)
    };
    let mut parts = name.split(['-', '_', ':', '.']);
    parts.any(|part| known(part) || humps(part).any(known))
}

/// Returns a name in lower case, without word separators and trailing digits.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    let small: String = letters.flat_map(char::to_lowercase).collect();
    small.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned()
}

/// Returns the words of `toolResult`. `ToolResult` has none, because it is the name of a type.
fn humps(part: &str) -> impl Iterator<Item = &str> {
    let small = part.starts_with(char::is_lowercase);
    let mut rest = if small { part } else { "" };
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let next = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| c.is_uppercase())
            .map_or(rest.len(), |(at, _)| at.max(first.len_utf8()));
        let (word, more) = rest.split_at_checked(next)?;
        rest = more;
        Some(word)
    })
}

/// Maps a character to its plain form: `Ａ`, `𝐀` and `Ⓐ` to `A`, `＜` to `<`.
fn fold(c: char) -> char {
    if c.is_ascii() {
        return c;
    }
    c.encode_utf8(&mut [0; 4]).nfkc().next().map_or(c, |(plain, _)| plain)
}

#[cfg(test)]
#[path = "model_tags_tests.rs"]
mod tests;
