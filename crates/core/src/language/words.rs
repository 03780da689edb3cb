//! The words of a sentence, and what stands between them.

/// A word of a sentence.
pub struct Word {
    pub start: usize,
    pub end: usize,
    /// In small letters, without marks around it.
    pub text: String,
    /// A comma or the like stands before it.
    pub apart: bool,
    /// A colon or an equals sign stands behind it.
    pub colon: bool,
}

/// The words of a sentence of which code and quotes are masked.
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
