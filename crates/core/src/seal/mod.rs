//! Sealed text: lines, logs and files encrypted by XChaCha20-Poly1305.
//!
//! A token is `enc:v1:` and the base64 of key id (4 bytes), nonce (24), ciphertext and tag (16).
//! The plaintext is padded to a multiple of 32 bytes, so that a token tells little of its length.
//! Associated data are version, store, key and category; the file is not among them, because
//! people move lines between files.
//!
//! Text that is not sealed passes through [`Keyring::open`] unchanged, and so does what cannot be
//! opened; both are counted. No file, clock or random source is used here: nonces are an argument.

mod key;
mod line;
mod ring;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

/// Returns true if the text of an entry is a token that nobody has opened. A shorter one is what is
/// left of a token, in a store that is sealed.
#[must_use]
pub fn is_closed(text: &str, in_sealed: bool) -> bool {
    let token = text.strip_prefix(TAG).map(str::as_bytes);
    token.is_some_and(
        |token| if in_sealed { line::may_be_token(token) } else { line::is_long(token) },
    )
}

/// Returns true if a text has a sealed line.
#[must_use]
pub fn is_sealed(text: &str) -> bool {
    let is_token = |line: &str| match line::read(line.as_bytes()) {
        line::Line::Sealed { token, .. } => line::may_be_token(token),
        _ => false,
    };
    text.lines().any(is_token)
}

/// Returns true if a line is sealed, wherever it stands: text that speaks of tokens is shorter.
#[must_use]
pub fn is_token(line: &str) -> bool {
    match line::read(line::body(line.as_bytes()).0) {
        line::Line::Sealed { token, .. } => line::is_long(token),
        _ => false,
    }
}

/// Returns under which keys the lines of a file say that they are sealed, with their numbers.
#[must_use]
pub fn key_ids(bytes: &[u8]) -> BTreeMap<KeyId, usize> {
    let mut ids = BTreeMap::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        if let line::Line::Sealed { token, .. } = line::read(line::body(line).0)
            && let Some(id) = line::key_of(token).filter(|_| line::may_be_token(token))
        {
            *ids.entry(id).or_default() += 1;
        }
    }
    ids
}

pub use self::{
    key::{HashKey, KEY_BYTES, KeyId, SealKey},
    line::{TAG, pad, unpadded},
    ring::{Form, Keyring, NONCE_BYTES, Opened},
};
