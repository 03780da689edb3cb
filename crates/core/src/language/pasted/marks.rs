//! Detects pasted text by its form, and by marks that nobody types between words.

use crate::language::lexicon::pasted::LEVELS;

/// Code fences and long quotes.
const TRIPLE: [&str; 4] = ["```", "~~~", "\"\"\"", "'''"];
use crate::{language::sentence, safety::safe_text};

pub(super) const INJECTED: &str = "something was put into it";
const LONG: &str = "it is long";
const LINES: &str = "it has several paragraphs or more than 3 lines";
const INVISIBLE: &str = "it holds characters that nobody types";
const INDENTED: &str = "it has indented lines";
const LIST: &str = "it has the marks of a list";
const CODE: &str = "it has the marks of code, a comment, a diff or a log";
const TAGS: &str = "it has tags";
const TIMES: &str = "it has time stamps";
const QUOTES: &str = "it quotes a text";
const COLON: &str = "a line of it ends in a colon";
pub(super) const LABEL: &str = "it names a speaker or a field before a colon";

/// Maximum number of characters and lines of a message typed to state a preference.
pub(super) const MOST: (usize, usize) = (400, 3);

/// Checks the size of a message.
pub(super) fn size(text: &str) -> Option<&'static str> {
    if text.chars().nth(MOST.0).is_some() {
        return Some(LONG);
    }
    let mut lines = text.lines();
    let many = lines.by_ref().take(MOST.1).any(|line| line.trim().is_empty());
    (many || lines.next().is_some()).then_some(LINES)
}

/// Returns the first mark in a text.
pub(super) fn find(text: &str) -> Option<&'static str> {
    let odd = |c: char| {
        matches!(
            c,
            '\u{85}' | '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}'
        )
    };
    let hazard = |(_, c): (usize, char)| !matches!(c, '\n' | '\t' | '\r');
    let lone = || text.contains('\r') && text.replace("\r\n", "\n").contains('\r');
    let plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n'));
    if !plain && (lone() || text.contains(odd) || safe_text::hazards(text).any(hazard)) {
        return Some(INVISIBLE);
    }
    // The header of a diff between files of two names.
    if TRIPLE.iter().any(|mark| text.contains(mark)) || text.contains("similarity index ") {
        return Some(CODE);
    }
    text.lines()
        .find_map(line)
        .or_else(|| quotation(text))
        .or_else(|| sentence::masked(text).lines().find_map(tokens))
}

/// Checks the beginning and end of a line.
fn line(line: &str) -> Option<&'static str> {
    let bare = line.trim();
    if line.starts_with("  ") || line.starts_with('\t') {
        return Some(INDENTED);
    }
    if sentence::pasted(bare) {
        return Some(CODE);
    }
    if sentence::bullet(bare) > 0 {
        return Some(LIST);
    }
    bare.ends_with([':', '：']).then_some(COLON)
}

/// Returns true if a mark shows another speaker, and not only code or a list that the user may have
/// typed.
pub(super) fn is_foreign(mark: &str) -> bool {
    [LABEL, TIMES, TAGS, INJECTED].contains(&mark)
}

/// Number of words from which on a quotation is a sentence.
const QUOTED: usize = 6;

/// Detects a quotation that is longer than a name, or not closed.
fn quotation(text: &str) -> Option<&'static str> {
    let mut rest = text;
    while let Some(at) = rest.find(['"', '“', '„', '«', '`']) {
        let inside = rest.get(at..)?;
        let open = inside.chars().next()?;
        let close = match open {
            '“' | '„' => &['”', '“', '"'][..],
            '«' => &['»'],
            '`' => &['`'],
            _ => &['"'],
        };
        let inside = inside.get(open.len_utf8()..)?;
        let Some(end) = inside.find(close) else { return Some(QUOTES) };
        if open != '`' && inside.get(..end)?.split_whitespace().count() >= QUOTED {
            return Some(QUOTES);
        }
        let behind = inside.get(end..)?;
        rest = behind.get(behind.chars().next()?.len_utf8()..)?;
    }
    None
}

/// Detects marks between the words of a line with code and quotes masked.
fn tokens(line: &str) -> Option<&'static str> {
    let mut begins = true;
    let mut dashes = 0;
    let mut words = line.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let next = words.peek().copied().unwrap_or_default();
        dashes += usize::from(["-", "–", "—"].contains(&word));
        let found = if dashes > 1 { Some(LIST) } else { token(word, begins, next) };
        if found.is_some() {
            return found;
        }
        let bare = word.trim_end_matches([')', '*', '_', '\'', '’', '"', '”']);
        begins = bare.ends_with(['.', '!', '?', ':', ';', '…']);
    }
    None
}

/// Checks a word. `begins` is true at the start of a sentence.
fn token(word: &str, begins: bool, next: &str) -> Option<&'static str> {
    const SMILES: [&str; 8] = [":)", ";)", ":-)", ";-)", ":(", ":D", ":/", "<3"];
    const BULLETS: [char; 8] = ['•', '▪', '●', '◦', '‣', '·', '∙', '■'];
    const ARROWS: [char; 12] = ['→', '⇒', '➜', '➔', '►', '▶', '✓', '✔', '☐', '☑', '✗', '»'];
    // Fast path for ordinary words.
    let plain = |b: u8| b.is_ascii_alphabetic() || matches!(b, b'.' | b',' | b'!' | b'?' | b'\'');
    if word.bytes().all(plain) || SMILES.contains(&word) {
        return None;
    }
    let letter = |text: &str| text.starts_with(char::is_alphabetic);
    if !word.contains(char::is_alphanumeric) {
        return match word {
            "-" | "–" | "—" | "+" => begins.then_some(LIST),
            // "cargo test -- --nocapture" is a command, not a comment.
            "--" if next.starts_with('-') => None,
            _ if word.contains(BULLETS) => Some(LIST),
            _ if word.contains(ARROWS) || word == "->" => begins.then_some(LIST),
            _ if word.contains("**") && word.len() < 3 => None,
            _ if word
                .contains(['/', '*', '#', ';', '>', '|', '<', '{', '}', '[', ']', '=', '$'])
                || word.contains(['@', '~', '^', '\\', '%'])
                || word.contains("--")
                || word.contains("++")
                || word.contains("==") =>
            {
                Some(CODE)
            }
            _ => None,
        };
    }
    if word.contains(BULLETS) {
        return Some(LIST);
    }
    if let Some(rest) = word.strip_prefix('<') {
        let tag = letter(rest) || rest.starts_with(['/', '|', '!', '?', '<']);
        return tag.then_some(TAGS);
    }
    if ["</", "/>", "|>", "<|"].iter().any(|part| word.contains(part)) {
        return Some(TAGS);
    }
    let inner = ["();", "${", "&&", "||", "*/", "-->", "){", "=>"];
    let starts = ["//", "/*", "#!", "@@", ">", "{", ";"];
    let code = inner.iter().any(|part| word.contains(part))
        || starts.iter().any(|start| word.starts_with(start))
        || word.contains(['{', '}'])
        || word.strip_prefix('#').is_some_and(letter)
        || (begins && (word.starts_with("#[") || word.strip_prefix("--").is_some_and(letter)));
    if code || is_place(word) || is_hash(word) {
        return Some(CODE);
    }
    if word.strip_prefix('+').is_some_and(letter)
        || (begins && word.strip_prefix('-').is_some_and(letter))
    {
        return Some(CODE);
    }
    if is_number(word, begins) || (word.starts_with('[') && begins) || word == "[x]" {
        return Some(LIST);
    }
    if is_mention(word) || word == "(edited)" {
        return Some(LABEL);
    }
    if word.starts_with(['«', '‹']) {
        return Some(QUOTES);
    }
    is_stamp(word, begins).then_some(TIMES)
}

/// `src/main.rs:12`
fn is_place(word: &str) -> bool {
    let mut parts = word.split(':');
    let path = parts.next().is_some_and(|path| path.contains(['.', '/']));
    path && parts.next().is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
}

/// A git hash or a UUID.
fn is_hash(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let hex =
        bare.len() >= 7 && bare.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-' || b == b'.');
    hex && bare.bytes().any(|b| b.is_ascii_digit()) && bare.bytes().any(|b| b.is_ascii_alphabetic())
}

/// The number of a list item: `1.` at the start of a sentence, `2)`, `(a)`.
fn is_number(word: &str, begins: bool) -> bool {
    let short = |text: &str| {
        let one = text.len() == 1 && text.bytes().all(|b| b.is_ascii_alphanumeric());
        one || (text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit()))
    };
    let closed = word.strip_suffix(')').map(|text| text.trim_start_matches('('));
    let dotted = word.strip_suffix('.').filter(|text| begins && text.parse::<u8>().is_ok());
    closed.or(dotted).is_some_and(short)
}

/// `@ann`, but not `@src/main.rs`; `:smile:`.
fn is_mention(word: &str) -> bool {
    let bare = word.trim_end_matches([',', ':', '.', '!', '?']);
    let name = bare
        .strip_prefix('@')
        .is_some_and(|name| name.starts_with(char::is_alphabetic) && !name.contains(['.', '/']));
    let emoji = word.len() > 3
        && word.strip_prefix(':').and_then(|rest| rest.strip_suffix(':')).is_some_and(|name| {
            name.chars().all(|c| c.is_ascii_alphanumeric() || "_+-".contains(c))
        });
    name || emoji
}

/// `2026-06-30`, `12:00:01`, `[12:00`; `12:00` at the start of a sentence.
fn is_stamp(word: &str, begins: bool) -> bool {
    let shape: String = word.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    shape.contains("9:99:99")
        || shape.contains("9999-99-99")
        || shape.starts_with("[9")
        || (begins && (shape.starts_with("99:99") || shape.starts_with("9:99")))
}

/// Returns true if a word is the level of a log line.
pub(super) fn is_level(word: &str) -> bool {
    LEVELS.contains(word.trim_matches(|c: char| !c.is_ascii_alphanumeric()))
}
