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

pub use self::{
    key::{KEY_BYTES, KeyId, SealKey},
    line::TAG,
    ring::{Form, Keyring, NONCE_BYTES, Opened},
};
