//! The vocabulary of an installed transformer, when it is not the table's.

use std::collections::HashMap;

use pimem_encoder::pack::Hash;
use sha2::{Digest, Sha256};

use super::wordpiece::Vocabulary;

/// Start of a piece that continues a word.
const INNER: &str = "##";

/// The tokens that a text needs besides its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    pub unknown: u16,
    /// `[CLS]`, the start of a text.
    pub start: u16,
    /// `[SEP]`, the end of a text.
    pub end: u16,
}

/// Known pieces, by whether they start or continue a word.
#[derive(Debug)]
pub struct Pieces {
    whole: HashMap<Box<str>, u16>,
    inner: HashMap<Box<str>, u16>,
    /// Length of the longest piece in bytes.
    longest: usize,
    pub marks: Marks,
}

/// Why a list is not a vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PiecesError {
    #[error("has no {0}")]
    Lacks(&'static str),
    #[error("has {0} pieces, and at most {max} are supported", max = 1 << 16)]
    TooMany(usize),
    #[error("has a piece with a line feed")]
    LineFeed,
}

impl Pieces {
    /// Creates a vocabulary of pieces in the order of their numbers.
    ///
    /// # Errors
    /// If there are too many, or one that every text needs is missing.
    pub fn new(pieces: &[impl AsRef<str>]) -> Result<Self, PiecesError> {
        let (mut whole, mut inner, mut longest) = (HashMap::new(), HashMap::new(), 0);
        for (number, piece) in pieces.iter().map(AsRef::as_ref).enumerate() {
            let number = u16::try_from(number).map_err(|_| PiecesError::TooMany(pieces.len()))?;
            if piece.contains('\n') {
                return Err(PiecesError::LineFeed);
            }
            longest = longest.max(piece.len());
            match piece.strip_prefix(INNER).filter(|rest| !rest.is_empty()) {
                Some(rest) => inner.insert(rest.into(), number),
                None => whole.insert(piece.into(), number),
            };
        }
        let mark = |name| whole.get(name).copied().ok_or(PiecesError::Lacks(name));
        let marks = Marks { unknown: mark("[UNK]")?, start: mark("[CLS]")?, end: mark("[SEP]")? };
        Ok(Self { whole, inner, longest, marks })
    }
}

/// Returns the hash of a vocabulary by which packed weights name it.
#[must_use]
pub fn hash(pieces: &[impl AsRef<str>]) -> Hash {
    let mut hash = Sha256::new();
    for piece in pieces {
        hash.update(piece.as_ref());
        hash.update("\n");
    }
    hash.finalize().into()
}

impl Vocabulary for Pieces {
    fn longest(&self, rest: &str, inner: bool) -> Option<(u32, usize)> {
        let known = if inner { &self.inner } else { &self.whole };
        (1..=rest.len().min(self.longest)).rev().find_map(|length| {
            let number = known.get(rest.get(..length)?)?;
            Some((u32::from(*number), length))
        })
    }

    fn unknown(&self) -> u32 {
        self.marks.unknown.into()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::wordpiece, *};

    const LIST: [&str; 9] = ["[UNK]", "[CLS]", "[SEP]", "data", "##base", "##b", "#", "für", "d"];

    #[test]
    fn the_longest_piece_is_taken() {
        let pieces = Pieces::new(&LIST).unwrap();
        assert_eq!(pieces.marks, Marks { unknown: 0, start: 1, end: 2 });
        let cut = |text: &str| {
            let mut found = Vec::new();
            wordpiece::pieces(text, &pieces, |piece| found.push(piece));
            found
        };
        assert_eq!(cut("database Data datab"), [3, 4, 3, 3, 5]);
        assert_eq!(cut("base dx ##base"), [0, 0, 6, 6, 0]);
        assert_eq!(cut("[CLS]"), [0, 0, 0]);
        assert_eq!(pieces.longest("für", false), Some((7, 4)));
    }

    #[test]
    fn lists_that_are_none() {
        let many: Vec<String> = (0..=1 << 16).map(|number| number.to_string()).collect();
        for (list, want) in [
            (&LIST[1..], PiecesError::Lacks("[UNK]")),
            (&LIST[..2], PiecesError::Lacks("[SEP]")),
            (&["a\nb"], PiecesError::LineFeed),
        ] {
            assert_eq!(Pieces::new(list).unwrap_err(), want);
        }
        assert_eq!(Pieces::new(&many).unwrap_err(), PiecesError::TooMany(65_537));
        assert_ne!(hash(&["a", "b"]), hash(&["ab"]));
    }
}
