//! The syntax of a sealed line, and of a line that was one before it was damaged.

use std::ops::Range;

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD as BASE64};
use memchr::memmem;

use super::key::{ID_BYTES, KeyId, TAG_BYTES};

/// Begins a token.
pub const TAG: &str = "enc:v1:";
/// Plaintext is padded to a multiple of this number of bytes.
pub(super) const PAD: usize = 32;
/// Ends the text; zeros follow up to the multiple.
const END: u8 = 0x80;
/// Characters of base64 from which what follows a tag within a line is taken for a token.
const LONG: usize = 60;
/// Bytes that are no base64 in a token that is still taken for one.
const ODD: usize = 2;

/// A line, seen without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// Nothing to seal.
    Blank,
    Plain,
    /// A token, or text that begins as one does; see [`may_be_token`]. `category` is empty for one
    /// that stands for whole lines.
    Sealed {
        category: &'a [u8],
        token: &'a [u8],
    },
    /// What damage has made of a sealed line.
    Damaged,
}

/// Splits the end off a line.
pub(super) fn body(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.len() - usize::from(line.ends_with(b"\n"));
    let end = end - usize::from(line.get(..end).is_some_and(|line| line.ends_with(b"\r")));
    line.split_at(end)
}

/// Returns the category of an entry line and the offset of its text: `- [category] text`.
pub(super) fn entry(body: &[u8]) -> Option<(&[u8], usize)> {
    let name = body.strip_prefix(b"- [")?;
    let close = memchr::memchr(b']', name)?;
    let (name, rest) = name.split_at_checked(close)?;
    rest.starts_with(b"] ").then_some((name, close + 5))
}

pub(super) fn read(body: &[u8]) -> Line<'_> {
    if body.is_empty() {
        return Line::Blank;
    }
    if let Some(token) = body.strip_prefix(TAG.as_bytes()) {
        return Line::Sealed { category: b"", token };
    }
    let of_entry = entry(body).and_then(|(category, at)| Some((category, body.get(at..)?)));
    if let Some((category, text)) = of_entry
        && let Some(token) = text.strip_prefix(TAG.as_bytes())
    {
        return Line::Sealed { category, token };
    }
    let text = of_entry.map_or(body, |(_, text)| text);
    if was_sealed(text) || was_sealed(body) || hides_token(body) {
        return Line::Damaged;
    }
    Line::Plain
}

/// Returns true unless what follows a tag is text: a damaged token has a few odd bytes, and one that
/// was cut off has none.
pub(super) fn may_be_token(rest: &[u8]) -> bool {
    let odd = rest.iter().filter(|byte| !is_base64(**byte)).count();
    odd == 0 || odd <= ODD && rest.len() >= LONG || is_long(rest)
}

/// Returns true if a text begins with a tag of which one byte is another.
fn was_sealed(text: &[u8]) -> bool {
    let Some((head, rest)) = text.split_at_checked(TAG.len()) else { return false };
    let same = head.iter().zip(TAG.as_bytes()).filter(|(a, b)| a == b).count();
    same + 1 == TAG.len() && is_long(rest)
}

/// Returns true if a token stands where none belongs, as behind a damaged `- [`.
fn hides_token(body: &[u8]) -> bool {
    let at = memmem::find(body, TAG.as_bytes());
    at.and_then(|at| body.get(at + TAG.len()..)).is_some_and(is_long)
}

/// Returns true if a text begins with as much base64 as the shortest token has.
pub(super) fn is_long(rest: &[u8]) -> bool {
    rest.iter().take_while(|byte| is_base64(**byte)).count() >= LONG
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// Returns the id of the key of a token, without decoding the rest.
pub(super) fn key_of(token: &[u8]) -> Option<KeyId> {
    let mut start = [0; 6];
    BASE64.decode_slice(token.get(..8)?, &mut start).ok()?;
    start.first_chunk().map(|id: &[u8; ID_BYTES]| KeyId(*id))
}

/// The parts of a decoded token.
pub(super) struct Token {
    pub(super) nonce: [u8; 24],
    pub(super) tag: [u8; TAG_BYTES],
    /// Where the ciphertext is in the decoded bytes.
    pub(super) text: Range<usize>,
}

/// Decodes a token into `bytes`. Only one spelling of the same bytes is accepted.
pub(super) fn decode(token: &[u8], bytes: &mut Vec<u8>) -> Option<Token> {
    bytes.clear();
    BASE64.decode_vec(token, bytes).ok()?;
    let nonce = *bytes.get(ID_BYTES..)?.first_chunk()?;
    let tag = *bytes.last_chunk()?;
    let text = ID_BYTES + 24..bytes.len().checked_sub(TAG_BYTES)?;
    (text.start <= text.end).then_some(Token { nonce, tag, text })
}

pub(super) fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(TAG.as_bytes());
    out.extend_from_slice(BASE64.encode(bytes).as_bytes());
}

/// Pads what stands from some place on to a multiple of `step` bytes.
pub fn pad(text: &mut Vec<u8>, from: usize, step: usize) {
    text.push(END);
    let length = text.len() - from;
    text.resize(from + length.next_multiple_of(step), 0);
}

/// Returns the text without its padding; `None` if there is no such padding.
#[must_use]
pub fn unpadded(text: &[u8], step: usize) -> Option<&[u8]> {
    let zeros = text.iter().rev().take(step - 1).take_while(|byte| **byte == 0).count();
    text.get(..text.len().checked_sub(zeros)?)?.strip_suffix(&[END])
}
