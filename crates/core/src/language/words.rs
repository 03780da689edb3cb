//! Words of a sentence, with the punctuation between them.

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
