//! Words of a sentence, with the punctuation between them; and texts by how their words begin, as most pairs
//! of texts are told apart by that without reading either.

use std::borrow::Cow;

/// A word of a sentence.
pub struct Word {
    pub start: usize,
    pub end: usize,
    /// Lower case, without surrounding punctuation.
    pub text: String,
    /// True if a comma or similar punctuation precedes.
    pub apart: bool,
    /// True if a colon or equals sign follows.
    pub colon: bool,
}

/// Splits a sentence into words. Code and quotes must be masked.
pub fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut apart = true;
    let mut at = 0;
    for piece in text.split(' ') {
        let start = at;
        at += piece.len() + 1;
        let inner = piece.trim_start_matches(|c: char| !c.is_alphanumeric());
        let lead = piece.len() - inner.len();
        let word = inner.trim_end_matches(|c: char| !c.is_alphanumeric());
        let breaks = |marks: &str| marks.contains([',', ':', ';', '–', '—', '(', ')', '!', '=']);
        let (before, behind) = (piece.get(..lead), inner.get(word.len()..));
        let (before, behind) = (before.unwrap_or_default(), behind.unwrap_or_default());
        if word.is_empty() {
            apart |= breaks(piece) || piece == "-" || piece == "->";
            if let Some(Word { colon, .. }) = found.last_mut() {
                *colon |= piece == "=" || piece == ":";
            }
            continue;
        }
        let text = word.to_lowercase().replace('’', "'");
        let apart_here = apart || breaks(before);
        let colon = behind.contains([':', '=']);
        found.push(Word {
            start: start + lead,
            end: start + lead + word.len(),
            text,
            apart: apart_here,
            colon,
        });
        apart = breaks(behind);
    }
    found
}

/// Bytes of a text that are read.
pub(super) const READ: usize = 300;
/// Letters of a word that count. Cutting is nearly as good as stemming (`McNamee` and Mayfield 2004).
pub(super) const PREFIX: usize = 5;

/// Returns the part of a text that is read.
pub(super) fn read_part(text: &str) -> &str {
    text.get(..text.ceil_char_boundary(READ)).unwrap_or_default()
}

/// Returns how the words of a text begin: up to five ASCII letters or digits behind anything else, in
/// lower case, as one number. Finding texts that may have a topic in common takes a thirtieth of the time
/// of reading their values.
pub fn word_starts(text: &str) -> impl Iterator<Item = u64> + '_ {
    let text = read_part(text);
    let lower: Cow<'_, str> =
        if text.is_ascii() { Cow::Borrowed(text) } else { text.to_lowercase().into() };
    let mut at = 0;
    std::iter::from_fn(move || {
        let (run, end) = first_run(lower.as_bytes().get(at..)?)?;
        at += end;
        Some(start_of(run))
    })
}

/// Returns the first ASCII letters and digits that stand together, and where they end.
fn first_run(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let from = bytes.iter().position(u8::is_ascii_alphanumeric)?;
    let rest = bytes.get(from..)?;
    let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
    Some((rest.get(..length)?, from + length))
}

/// Returns the first bytes of a word as a number.
fn start_of(run: &[u8]) -> u64 {
    let first = run.iter().take(PREFIX);
    first.fold(0, |sum, byte| sum << 8 | u64::from(byte.to_ascii_lowercase()))
}

/// Returns the start of the first word in a text in lower case that is the same however the word goes on
/// where `is_cut`.
pub(super) fn sure_start(text: &str, is_cut: bool) -> Option<u64> {
    let (run, end) = first_run(text.as_bytes())?;
    let goes_on = is_cut && end == text.len() && run.len() < PREFIX;
    (!goes_on).then(|| start_of(run))
}

/// Numbers of texts by the starts of their words, sorted by a hash of them.
pub struct WordIndex {
    /// Where the texts of each hash begin.
    ends: Vec<u32>,
    texts: Vec<(u64, u32)>,
}

impl WordIndex {
    pub fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let words: Vec<(u64, u32)> = (0..)
            .zip(texts)
            .flat_map(|(at, text)| word_starts(text).map(move |word| (word, at)))
            .collect();
        let buckets = words.len().next_power_of_two();
        let mut ends = vec![0_u32; buckets + 1];
        for (word, _) in &words {
            if let Some(end) = ends.get_mut(Self::bucket(*word, buckets) + 1) {
                *end += 1;
            }
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let mut next = ends.clone();
        let mut texts = vec![(0, 0); words.len()];
        for (word, at) in words {
            if let Some(next) = next.get_mut(Self::bucket(word, buckets))
                && let Some(place) = texts.get_mut(*next as usize)
            {
                *place = (word, at);
                *next += 1;
            }
        }
        Self { ends, texts }
    }

    fn bucket(word: u64, buckets: usize) -> usize {
        let hash = word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        usize::try_from(hash).unwrap_or(0) & (buckets - 1)
    }

    /// Returns the texts with a word, in order; those with it twice are there twice.
    pub fn with(&self, word: u64) -> impl Iterator<Item = usize> + '_ {
        let at = Self::bucket(word, self.ends.len() - 1);
        let end = |at: usize| self.ends.get(at).map_or(0, |end| *end as usize);
        let texts = self.texts.get(end(at)..end(at + 1)).unwrap_or_default();
        texts.iter().filter(move |(known, _)| *known == word).map(|(_, at)| *at as usize)
    }
}
