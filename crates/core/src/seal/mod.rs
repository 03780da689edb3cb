//! Sealed text: lines, logs and files encrypted by XChaCha20-Poly1305.
//!
//! A token is `enc:v1:` and the base64 of key id (4 bytes), nonce (24), ciphertext and tag (16).
//! The plaintext is padded to a multiple of 32 bytes, so that a token tells little of its length.
//! Associated data are version, store, key and category; the file is not among them, because
//! people move lines between files.
//!
//! Text that is not sealed passes through [`Keyring::open`] unchanged, and so does what cannot be
//! opened; both are counted. No file, clock or random source is used here: nonces are an argument.

use std::{collections::BTreeMap, fmt, ops::Range, str::FromStr};

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD as BASE64};
use chacha20poly1305::{
    Tag, XChaCha20Poly1305, XNonce,
    aead::{AeadInOut, KeyInit},
};
use hmac::{Hmac, Mac};
use memchr::memmem;
use sha2::Sha256;
use zeroize::Zeroizing;

pub use self::ring::{Form, Keyring, NONCE_BYTES, Opened};
use crate::model::hash;

mod ring;
#[cfg(test)]
mod tests;

/// Bytes of a key file.
pub const KEY_BYTES: usize = 32;
/// Bytes of a key's id in a token.
pub(super) const ID_BYTES: usize = 4;
/// Bytes of an authentication tag.
pub(super) const TAG_BYTES: usize = 16;
/// Block size of SHA-256, to which HMAC pads its key.
const HASH_BLOCK: usize = 64;

/// Names a key without revealing it; it depends on the store too, so that the key of another store
/// is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub(super) [u8; ID_BYTES]);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hash::write_hex(&self.0))
    }
}

impl FromStr for KeyId {
    type Err = ();

    /// Parses 8 lower-case hex digits.
    fn from_str(text: &str) -> Result<Self, ()> {
        let number = u32::from_str_radix(text, 16).map_err(|_| ())?;
        let id = Self(number.to_be_bytes());
        if id.to_string() == text { Ok(id) } else { Err(()) }
    }
}

/// A key that is ready for use. Its memory is overwritten when it is dropped.
pub struct SealKey {
    pub(super) id: KeyId,
    cipher: XChaCha20Poly1305,
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SealKey").field(&self.id).finish()
    }
}

impl SealKey {
    /// Derives the key of a store from the content of its key file.
    #[must_use]
    pub fn derive(secret: &[u8; KEY_BYTES], store: &str) -> Self {
        let name = derived(secret, b"pimem key id v1\0", store);
        let key = derived(secret, b"pimem seal v1\0", store);
        let mut id = [0; ID_BYTES];
        id.iter_mut().zip(name.iter()).for_each(|(to, from)| *to = *from);
        Self { id: KeyId(id), cipher: XChaCha20Poly1305::new((&*key).into()) }
    }

    pub fn id(&self) -> KeyId {
        self.id
    }

    /// Encrypts in place and returns the tag; `None` only for texts that no memory can hold.
    pub(super) fn seal(&self, nonce: &[u8; 24], data: &[u8], text: &mut [u8]) -> Option<Tag> {
        let nonce = XNonce::from(*nonce);
        self.cipher.encrypt_inout_detached(&nonce, data, text.into()).ok()
    }

    /// Decrypts in place; `None` if any bit of nonce, associated data, text or tag is another.
    pub(super) fn open(
        &self,
        nonce: &[u8; 24],
        data: &[u8],
        text: &mut [u8],
        tag: [u8; TAG_BYTES],
    ) -> Option<()> {
        let (nonce, tag) = (XNonce::from(*nonce), Tag::from(tag));
        self.cipher.decrypt_inout_detached(&nonce, data, text.into(), &tag).ok()
    }
}

/// A key for hashes that nobody computes without it.
pub struct HashKey(Hmac<Sha256>);

impl fmt::Debug for HashKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashKey")
    }
}

impl HashKey {
    /// Derives the key of a store for one purpose.
    #[must_use]
    pub fn derive(secret: &[u8; KEY_BYTES], purpose: &str, store: &str) -> Self {
        let label = [b"pimem hash v1\0", purpose.as_bytes(), b"\0"].concat();
        Self(mac(&derived(secret, &label, store)))
    }

    /// Returns the HMAC-SHA-256 of some bytes.
    #[must_use]
    pub fn hash(&self, bytes: &[u8]) -> [u8; 32] {
        self.0.clone().chain_update(bytes).finalize().into_bytes().into()
    }
}

fn mac(secret: &[u8; KEY_BYTES]) -> Hmac<Sha256> {
    let mut block = Zeroizing::new([0; HASH_BLOCK]);
    block.iter_mut().zip(secret).for_each(|(to, from)| *to = *from);
    <Hmac<Sha256> as KeyInit>::new((&*block).into())
}

/// HMAC-SHA-256 of a label and the store's id.
fn derived(secret: &[u8; KEY_BYTES], label: &[u8], store: &str) -> Zeroizing<[u8; 32]> {
    let mut mac = mac(secret);
    mac.update(label);
    mac.update(store.as_bytes());
    Zeroizing::new(mac.finalize().into_bytes().into())
}

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
pub(super) enum SealLine<'a> {
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

pub(super) fn read(body: &[u8]) -> SealLine<'_> {
    if body.is_empty() {
        return SealLine::Blank;
    }
    if let Some(token) = body.strip_prefix(TAG.as_bytes()) {
        return SealLine::Sealed { category: b"", token };
    }
    let of_entry = entry(body).and_then(|(category, at)| Some((category, body.get(at..)?)));
    if let Some((category, text)) = of_entry
        && let Some(token) = text.strip_prefix(TAG.as_bytes())
    {
        return SealLine::Sealed { category, token };
    }
    let text = of_entry.map_or(body, |(_, text)| text);
    if was_sealed(text) || was_sealed(body) || hides_token(body) {
        return SealLine::Damaged;
    }
    SealLine::Plain
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

pub(super) struct SealToken {
    pub(super) nonce: [u8; 24],
    pub(super) tag: [u8; TAG_BYTES],
    /// Where the ciphertext is in the decoded bytes.
    pub(super) text: Range<usize>,
}

/// Decodes a token into `bytes`. Only one spelling of the same bytes is accepted.
pub(super) fn decode(token: &[u8], bytes: &mut Vec<u8>) -> Option<SealToken> {
    bytes.clear();
    BASE64.decode_vec(token, bytes).ok()?;
    let nonce = *bytes.get(ID_BYTES..)?.first_chunk()?;
    let tag = *bytes.last_chunk()?;
    let text = ID_BYTES + 24..bytes.len().checked_sub(TAG_BYTES)?;
    (text.start <= text.end).then_some(SealToken { nonce, tag, text })
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

/// Returns true if the text of an entry is a token that nobody has opened. A shorter one is what is
/// left of a token, in a store that is sealed.
#[must_use]
pub fn is_closed(text: &str, in_sealed: bool) -> bool {
    let token = text.strip_prefix(TAG).map(str::as_bytes);
    token.is_some_and(|token| if in_sealed { may_be_token(token) } else { is_long(token) })
}

/// Returns true if a text has a sealed line.
#[must_use]
pub fn is_sealed(text: &str) -> bool {
    let is_token = |line: &str| match read(line.as_bytes()) {
        SealLine::Sealed { token, .. } => may_be_token(token),
        _ => false,
    };
    text.lines().any(is_token)
}

/// Returns true if a line is sealed, wherever it stands: text that speaks of tokens is shorter.
#[must_use]
pub fn is_token(line: &str) -> bool {
    match read(body(line.as_bytes()).0) {
        SealLine::Sealed { token, .. } => is_long(token),
        _ => false,
    }
}

/// Returns under which keys the lines of a file say that they are sealed, with their numbers.
#[must_use]
pub fn key_ids(bytes: &[u8]) -> BTreeMap<KeyId, usize> {
    let mut ids = BTreeMap::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        if let SealLine::Sealed { token, .. } = read(body(line).0)
            && let Some(id) = key_of(token).filter(|_| may_be_token(token))
        {
            *ids.entry(id).or_default() += 1;
        }
    }
    ids
}
