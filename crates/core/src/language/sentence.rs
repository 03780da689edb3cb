//! Splits a message into the sentences that a person says, without code, quotes and pasted text.

use super::lexicon::sentence::{ABBREVIATIONS, BACK, MARKED, OPENINGS, PLEASE};

/// Minimum number of characters of a sentence that says something alone.
pub(super) const LEAST_SENTENCE: usize = 15;

/// A sentence on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// The sentence, without an opening (a bullet, "ok, ").
    pub text: String,
    /// The sentence with `x` for each byte of code and quotes.
    pub masked: String,
    /// The opening ("no, "), in lower case.
    pub opening: String,
    /// True if it ends in a question mark.
    pub asked: bool,
}

impl Sentence {
    /// Returns true for a question that is no order: `could you please always …?`.
    pub(super) fn is_question(&self) -> bool {
        let start = |words: &str| self.masked.get(..words.len()).unwrap_or_default();
        self.asked && !PLEASE.iter().any(|words| start(words).eq_ignore_ascii_case(words))
    }
}

/// Returns the sentences of a message.
pub fn sentences(message: &str) -> Vec<Sentence> {
    paragraphs(message).iter().flat_map(|text| split(text)).collect()
}

/// Joins lines that belong together, and drops those that are not said.
fn paragraphs(message: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut fence = CodeFence::default();
    let mut open = false;
    let mut above_empty = true;
    for line in message.lines() {
        let bare = line.trim();
        if fence.holds(bare) {
            (open, above_empty) = (false, false);
            continue;
        }
        let indented = line.starts_with("    ") || line.starts_with('\t');
        if bare.is_empty() || pasted(bare) || (indented && (above_empty || !open)) {
            above_empty = bare.is_empty() || (indented && above_empty);
            open = false;
            continue;
        }
        above_empty = false;
        // A wrapped line continues in lower case.
        let goes_on = open && bare.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit());
        match found.last_mut().filter(|last| goes_on && !last.ends_with(['.', '!', '?', ':'])) {
            Some(last) if bullet(bare) == 0 => {
                last.push(' ');
                last.push_str(bare);
            }
            _ => found.push(bare.to_owned()),
        }
        open = true;
    }
    found
}

/// Follows the code blocks of a text, line by line.
#[derive(Default)]
pub(crate) struct CodeFence {
    /// The mark that closes the open block.
    open: Option<&'static str>,
}

impl CodeFence {
    /// Returns true if the next line, trimmed, is in a code block or one of its two fences.
    pub(crate) fn holds(&mut self, line: &str) -> bool {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        let holds = self.open.is_some() || mark.is_some();
        if self.open.is_none() {
            self.open = mark;
        } else if self.open == mark {
            self.open = None;
        }
        holds
    }
}

/// Returns true if a line was pasted: a quote, a comment, a log, a command with its output, code.
pub fn pasted(line: &str) -> bool {
    const STARTS: &[&str] = &[
        ">", "$ ", "% ", "#", "//", "/*", "*/", "<", "@@", "|", "\\ ", "➜", "❯", "⎿", "⏺", "·",
        "✓", "✔", "✗", "✘", "✖", "×", "{", "}", "at ", "File \"", "thread '", "npm ERR!",
        "remote:", "Author:", "--- ", "ERROR ", "WARN ", "INFO ", "DEBUG ", "TRACE ", "FATAL ",
        "error:", "error[", "warning:", "fatal:", "Error:", "Warning:", "panic:", "stderr:",
        "stdout:", "[ERROR", "[WARN", "[INFO", "[DEBUG", "[error", "[warn", "[info", "[debug",
    ];
    const PRINTED: &[&str] = &["Traceback", "diff --git", "Exception:"];
    const CODE: &[&str] =
        &["import ", "export ", "const ", "let ", "def ", "fn ", "class ", "return ", "assert"];
    let starts = |all: &[&str]| all.iter().any(|start| line.starts_with(start));
    let diff = line.strip_prefix('+').is_some_and(|rest| rest.len() - rest.trim_start().len() != 1);
    // 2026-06-30T…, 12:30:01, [12:30
    let stamp = line.trim_start_matches('[').get(..5).is_some_and(|start| {
        let shape: String =
            start.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
        shape == "9999-" || shape == "99:99"
    });
    let first = line.split_whitespace().next().unwrap_or_default();
    // ValueError: …, java.io.IOException: …
    let raised = first.ends_with("Error:") || first.ends_with("Exception:");
    let mut parts = first.split(':');
    let path = parts.next().is_some_and(|path| path.contains(['.', '/']));
    let number = parts.next().unwrap_or_default();
    let place = path && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let code = line.ends_with(['{', '}', ';']) || line.contains("=>") || line.contains("();");
    let code = code || (starts(CODE) && line.contains(['=', '(', '{']));
    starts(STARTS) || starts(PRINTED) || diff || stamp || place || raised || code
}

/// Returns the length in bytes of a list item's mark.
pub fn bullet(line: &str) -> usize {
    let mark = line.trim_start_matches(['-', '*', '+', '•', '–', '—']);
    let mark = if mark.len() < line.len() {
        mark
    } else {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == line.len() { rest } else { rest.strip_prefix(['.', ')']).unwrap_or(line) }
    };
    let rest = mark.trim_start();
    if rest.len() == mark.len() { 0 } else { line.len() - rest.len() }
}

/// Replaces each byte of code and quotes by `x`.
pub fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['`', '"', '“', '„']) {
        let (before, inside) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let mark = inside.chars().next().unwrap_or(' ');
        let close = if mark == '`' || mark == '"' { &[mark][..] } else { &['”', '“', '"'][..] };
        let first = mark.len_utf8();
        let end = inside.get(first..).and_then(|inside| {
            inside.char_indices().find(|(_, c)| close.contains(c)).map(|(at, c)| at + c.len_utf8())
        });
        // An unclosed mark is kept as it is.
        let (span, after) =
            inside.split_at_checked(end.map_or(first, |end| first + end)).unwrap_or((inside, ""));
        if end.is_none() {
            out.push_str(span);
        } else {
            out.extend(std::iter::repeat_n('x', span.len()));
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Returns the sentences of a paragraph as they stand, whatever they say.
pub fn as_they_stand(paragraph: &str) -> Vec<&str> {
    let mask = masked(paragraph);
    let (mut found, mut start) = (Vec::new(), 0);
    for (at, c) in mask.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?')) {
        let rest = mask.get(at + c.len_utf8()..).unwrap_or_default();
        let after = rest.trim_start_matches([')', '*', '_', '\'', '’', '"', '.', '!', '?']);
        let is_end = after.is_empty() || after.starts_with(char::is_whitespace);
        if !is_end || c == '.' && abbreviated(mask.get(start..at).unwrap_or_default(), after) {
            continue;
        }
        let end = mask.len() - after.len();
        if end > start {
            found.extend(paragraph.get(start..end));
            start = end;
        }
    }
    found.extend(paragraph.get(start..));
    found.into_iter().map(str::trim).filter(|sentence| !sentence.is_empty()).collect()
}

fn split(paragraph: &str) -> Vec<Sentence> {
    let cut = bullet(paragraph);
    let text = paragraph.get(cut..).unwrap_or(paragraph);
    let mask = masked(text);
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = mask.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if !matches!(c, '.' | '!' | '?' | ';') {
            continue;
        }
        let end = at + c.len_utf8();
        let rest = mask.get(end..).unwrap_or_default();
        let closed = rest.trim_start_matches([')', '*', '_', '\'', '’', '.', '!', '?']);
        if !(closed.is_empty() || closed.starts_with(char::is_whitespace)) {
            continue;
        }
        let end = mask.len() - closed.len();
        let continues = c == '.' && abbreviated(mask.get(start..at).unwrap_or_default(), closed)
            || c == ';' && needs_the_last(closed);
        if continues {
            continue;
        }
        push(&mut found, text, &mask, start..end);
        start = end;
        while chars.next_if(|(at, _)| *at < end).is_some() {}
    }
    push(&mut found, text, &mask, start..mask.len());
    found
}

/// Returns true if the next clause needs the one before: it points back, as in `the gateway is heron;
/// never restart it`, or is too short alone.
fn needs_the_last(after: &str) -> bool {
    let clause = after.split(['.', '!', '?', ';']).next().unwrap_or_default();
    clause.trim().chars().count() < LEAST_SENTENCE
        || clause
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| BACK.contains(&word.to_lowercase()))
}

/// Returns true if the full stop after `before` belongs to a word.
fn abbreviated(before: &str, after: &str) -> bool {
    let word = before.rsplit([' ', '(', ',']).next().unwrap_or_default();
    let lower = word.to_ascii_lowercase();
    let alone = before.trim().len() == word.len();
    let number = alone && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let ends = after.trim_start().starts_with(|c: char| c.is_uppercase());
    let may_end =
        matches!(lower.as_str(), "etc" | "no" | "al" | "max" | "min" | "sec" | "a.m" | "p.m");
    number || (ABBREVIATIONS.contains(&lower) && !(may_end && ends))
}

fn push(found: &mut Vec<Sentence>, text: &str, mask: &str, span: std::ops::Range<usize>) {
    let asked = mask
        .get(span.clone())
        .is_some_and(|mask| mask.trim_end_matches([')', '*', '_', '!', ' ', '.']).ends_with('?'));
    let (Some(text), Some(mask)) = (text.get(span.clone()), mask.get(span)) else { return };
    let start = opening(mask);
    let opening = mask.get(..start).unwrap_or_default().trim().to_lowercase();
    let end = mask.trim_end().len().max(start);
    let (Some(text), Some(masked)) = (text.get(start..end), mask.get(start..end)) else { return };
    if !text.is_empty() {
        found.push(Sentence { text: text.to_owned(), masked: masked.to_owned(), opening, asked });
    }
}

/// Returns the length in bytes of a sentence's opening, if text follows.
fn opening(text: &str) -> usize {
    let idle = |c: char| c.is_whitespace() || ",:-–—*_(".contains(c);
    let mut at = text.len() - text.trim_start_matches(idle).len();
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let behind = |word: &str| rest.get(word.len()..).unwrap_or_default();
        let fits = |word: &str, marked: bool| {
            let start =
                rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
            let next = behind(word).chars().next();
            // The French put a blank before a colon.
            let spaced = || behind(word).trim_start().starts_with(':');
            start && next.is_some_and(|c| idle(c) && (!marked || !c.is_whitespace() || spaced()))
        };
        let plain = OPENINGS.iter().filter(|word| fits(word, false));
        let longest = plain.chain(MARKED.iter().filter(|word| fits(word, true)));
        let Some(word) = longest.max_by_key(|word| word.len()) else { return at };
        let skipped = rest.len() - behind(word).trim_start_matches(idle).len();
        if skipped == rest.len() {
            return at;
        }
        at += skipped;
    }
}
