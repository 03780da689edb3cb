//! Decides whether the user typed a message, or pasted text of others into it: a mail, a chat, a
//! log, a page.
//!
//! Typed text is short, has no marks of other texts, and each sentence next to the one to be
//! learned addresses the agent. In doubt the message counts as pasted: a review is cheap, but a
//! wrong preference is repeated in every session.

mod company;
mod marks;
mod relayed;

#[cfg(test)]
mod tests;

pub(super) use self::company::RELAYED;
pub(super) use self::relayed::{relayed, wish};

use std::{borrow::Cow, ops::Range};

use super::{
    preference::{self, LOOKED_AT},
    sentence::{self, CodeFence, Sentence},
    words::{self, Word},
};
use crate::{safety::safe_text::without_private, session::transcript};

/// Maximum number of bytes of a line that are searched for the lead sentence.
const LINE: usize = 4 << 10;

/// A sentence of a message.
struct Voice {
    sentence: Sentence,
    words: Vec<Word>,
    /// The clause to be learned, if any.
    learned: Option<Range<usize>>,
}

/// Returns the reason why a message may contain text of others; `None` if all of it was typed.
/// `learned` is called with each sentence in order, and returns the clause to be learned, if any.
pub(super) fn sign(
    message: &str,
    learned: impl FnMut(&Sentence, &[Word]) -> Option<Range<usize>>,
) -> Option<&'static str> {
    let open = without_private(message);
    let Some(text) = transcript::typed(&open) else { return Some(marks::INJECTED) };
    let text = text.trim();
    form(&open, text).or_else(|| beside(text, learned))
}

/// Returns true if a message has the size of one that is typed.
pub(super) fn is_short(message: &str) -> bool {
    marks::size(message.trim()).is_none()
}

/// Checks the form of `text`, which is all or part of the `open` message.
fn form(open: &str, text: &str) -> Option<&'static str> {
    // Agents inject text only at the start or end of a message.
    let apart = !open.contains(text);
    apart.then_some(marks::INJECTED).or_else(|| marks::size(text)).or_else(|| marks::find(text))
}

/// Checks the sentences next to the one to be learned.
fn beside(
    text: &str,
    mut learned: impl FnMut(&Sentence, &[Word]) -> Option<Range<usize>>,
) -> Option<&'static str> {
    let voice = |sentence: Sentence| {
        let words = words::words(&sentence.masked);
        let learned = learned(&sentence, &words);
        Voice { sentence, words, learned }
    };
    company::find(&sentence::sentences(text).into_iter().map(voice).collect::<Vec<_>>())
}

/// Returns the lead sentence of a message: the first meaningful one of its first line. In a pasted
/// message it must be a question or request of the user.
pub(crate) fn lead(message: &str) -> Option<String> {
    let message = message.get(..message.floor_char_boundary(LOOKED_AT))?;
    let open = without_private(message);
    let typed = transcript::typed(&open)?;
    let text = typed.trim();
    let line = text.lines().next()?.trim();
    let line = line.get(..line.floor_char_boundary(LINE))?;
    let sentences = sentence::sentences(line).into_iter();
    let mut all = sentences.map(|sentence| (words::words(&sentence.masked), sentence)).enumerate();
    let (at, (words, sentence)) =
        all.find(|(_, (words, sentence))| !company::is_idle(sentence, words))?;
    // Most messages state nothing to be learned, so their speaker need not be checked.
    let pasted = company::is_of_others(&sentence, &words)
        || form(&open, text).is_some()
        || beside(text, preference::stated_bytes).is_some();
    if pasted {
        // A colon may lead to the pasted text.
        let bare = sentence.text.trim_end_matches([':', '：', ' ']);
        let own = marks::find(bare).is_none()
            && preference::stated_bytes(&sentence, &words).is_none()
            && company::is_request(&sentence, &words);
        if !own {
            return None;
        }
    }
    let start = line.find(&sentence.text)?;
    // Filler before the first sentence belongs to it.
    let from = if at == 0 { sentence::bullet(line) } else { start };
    line.get(from..start + sentence.text.len()).map(|text| text.trim().to_owned())
}

/// Returns the user's own words in a message that may contain text of others: without code, quotes
/// and logs; of a letter, chat or page only the lead sentence.
#[must_use]
pub fn own_words(message: &str) -> Cow<'_, str> {
    let mark = marks::find(message.trim());
    let sentences = sentence::sentences(message);
    let letter = sentences.iter().any(|one| company::is_letter(one, &words::words(&one.masked)));
    if letter || mark.is_some_and(marks::is_foreign) {
        return Cow::Owned(lead(message).unwrap_or_default());
    }
    if mark.is_none() {
        return Cow::Borrowed(message);
    }
    Cow::Owned(sentences.into_iter().map(|one| one.text).collect::<Vec<_>>().join("\n"))
}

/// Returns the sentences of the user's own words, as [`super::preference::sentences`] does. Empty
/// if one of them may be a statement of somebody else.
pub fn own_sentences(message: &str) -> Vec<(String, String, bool)> {
    let message = message.get(..message.floor_char_boundary(LOOKED_AT)).unwrap_or_default();
    let own = own_words(message);
    let sentences = sentence::sentences(&own);
    let is_foreign = |one: &Sentence| company::is_of_others(one, &words::words(&one.masked));
    let is_stated =
        |one: &Sentence| preference::stated_bytes(one, &words::words(&one.masked)).is_some();
    let is_doubtful = || {
        marks::find(message.trim()).is_some()
            || beside(&own, preference::stated_bytes).is_some()
            || lead(message).is_none()
    };
    if sentences.iter().any(is_foreign) || sentences.iter().any(is_stated) && is_doubtful() {
        return Vec::new();
    }
    sentences.into_iter().map(|one| (one.text, one.masked, one.asked)).collect()
}

/// Returns the paragraphs of a message that may have been typed: those at both ends up to code, a
/// log, a quote or a letter, if they are together as short as what is typed, else the outermost one;
/// and the only one between two pastes. Shapes do not tell a typed paragraph from a pasted one, so
/// nothing of it is more than a guess.
pub(super) fn edges(message: &str) -> Vec<&str> {
    let blocks = blocks(message);
    let typed = |range: &Option<Range<usize>>| {
        let text = range.clone().and_then(|range| message.get(range))?;
        is_typed(text).then_some(text)
    };
    let mut found = run(blocks.iter().map(typed));
    if found.len() < blocks.len() {
        found.extend(run(blocks.iter().rev().map(typed)));
    }
    let mut between = blocks.windows(3).filter_map(|three| match three {
        [None, one, None] => typed(one),
        _ => None,
    });
    // A page has several of them, below headings and between lists.
    found.extend(between.next().filter(|_| between.next().is_none()));
    found
}

/// Returns the paragraphs up to the first that was not typed.
fn run<'a>(blocks: impl Iterator<Item = Option<&'a str>>) -> Vec<&'a str> {
    let typed: Vec<&str> = blocks.map_while(|block| block).collect();
    let chars: usize = typed.iter().map(|text| text.chars().count()).sum();
    if chars <= marks::MOST.0 { typed } else { typed.into_iter().take(1).collect() }
}

/// Returns the paragraphs of a message in order; `None` for lines that were pasted.
fn blocks(message: &str) -> Vec<Option<Range<usize>>> {
    let mut found: Vec<Option<Range<usize>>> = Vec::new();
    let mut fence = CodeFence::default();
    let mut open = false;
    let mut at = 0;
    for line in message.split_inclusive('\n') {
        let range = at..at + line.trim_end().len();
        at += line.len();
        let bare = line.trim();
        let fenced = fence.holds(bare);
        let pasted = fenced || is_pasted(line);
        if bare.is_empty() && !fenced {
            open = false;
        } else if pasted {
            found.push(None);
            open = false;
        } else if let Some(Some(last)) = found.last_mut().filter(|_| open) {
            last.end = range.end;
        } else {
            found.push(Some(range));
            open = true;
        }
    }
    found
}

/// Returns true for a line of code, of a log, a quote or a list.
fn is_pasted(line: &str) -> bool {
    let bare = line.trim();
    line.starts_with(['\t', ' ']) && !bare.is_empty()
        || sentence::pasted(bare)
        || sentence::bullet(bare) > 0
        || marks::find(bare).is_some_and(marks::is_foreign)
        || bare.split_whitespace().any(marks::is_level)
}

/// Minimum number of characters of a line that a page or an editor has broken.
const BROKEN: usize = 60;

/// Returns true if a paragraph is as short as what is typed, is no part of a page, and in it nobody
/// is addressed or named as its speaker.
fn is_typed(text: &str) -> bool {
    let short = text.chars().nth(marks::MOST.0).is_none();
    // People end a long line where a sentence ends, and do not type links.
    let broken = |line: &str| {
        line.chars().nth(BROKEN).is_some() && !line.trim_end().ends_with(['.', '!', '?', ':', ';'])
    };
    let lines = text.lines().count();
    let page = text.contains("](") || text.lines().take(lines.saturating_sub(1)).any(broken);
    let others = |one: &sentence::Sentence| company::is_of_others(one, &words::words(&one.masked));
    short && !page && !sentence::sentences(text).iter().any(others)
}

/// Returns how a text refers outside of the project, if it does. A path in the project and a single
/// command do not: "only touch files under src/", "always use cargo nextest run".
pub fn reach(text: &str) -> Option<&'static str> {
    text.split_whitespace().find_map(|word| {
        let bare = word.trim_matches(|c: char| "\"'`“”„‘’()[]{}<>,;:!?*_".contains(c));
        let bare = bare.trim_end_matches('.');
        if is_address(bare) {
            return Some("it names an address");
        }
        if leads_out(bare) {
            return Some("it names a path outside of the project");
        }
        let joint = ["|", "||", "&&", ">", ">>", "<("].contains(&word.trim_matches('`'));
        (joint || word.contains("$(") || word.contains("<(")).then_some("it joins commands")
    })
}

/// Returns true for a URL, a mail address or a host name.
fn is_address(word: &str) -> bool {
    /// File extensions that may precede a slash without being hosts.
    const FILES: [&str; 12] =
        ["js", "ts", "md", "rs", "py", "go", "rb", "json", "toml", "yml", "yaml", "d"];
    /// Top-level domains that are hardly ever file extensions.
    const HOSTS: [&str; 9] =
        ["com", "org", "example", "info", "xyz", "biz", "onion", "invalid", "localdomain"];
    if word.contains("://") || word.starts_with("www.") || word.starts_with("mailto:") {
        return true;
    }
    let host = word.rsplit_once('@').map_or(word, |(_, host)| host);
    let mailed = host.len() < word.len() && !word.starts_with('@');
    let (name, path) = host.split_once(['/', ':']).map_or((host, None), |(a, b)| (a, Some(b)));
    let numbers = name.split('.').filter(|part| part.parse::<u8>().is_ok()).count();
    if numbers == 4 && name.split('.').count() == 4 {
        return true;
    }
    let Some((stem, end)) = name.rsplit_once('.') else { return false };
    let top = end.len() > 1 && end.bytes().all(|b| b.is_ascii_alphabetic());
    let end = end.to_ascii_lowercase();
    top && !stem.is_empty()
        && (mailed
            || (path.is_some() && !FILES.contains(&end.as_str()))
            || HOSTS.contains(&end.as_str()))
}

/// Returns true for a path from the root or a home directory, or to a parent directory.
fn leads_out(word: &str) -> bool {
    const ROOTS: [&str; 17] = [
        "etc", "tmp", "usr", "home", "var", "root", "dev", "opt", "bin", "sbin", "mnt", "proc",
        "sys", "srv", "media", "Users", "private",
    ];
    let rooted = word.strip_prefix('/').is_some_and(|rest| {
        let first = rest.split('/').next().unwrap_or_default();
        ROOTS.contains(&first)
    });
    let drive = word.get(1..3) == Some(":\\");
    rooted
        || drive
        || word == "~"
        || ["~/", "../", "..\\", "$HOME", "${HOME", "%USERPROFILE%"]
            .iter()
            .any(|start| word.starts_with(start))
        || word.contains("/../")
}
