//! Keys, and what is derived from the bytes of a key file.

use std::{fmt, str::FromStr};

use chacha20poly1305::{
    Tag, XChaCha20Poly1305, XNonce,
    aead::{AeadInOut, KeyInit},
};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::model::hex;

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
        f.write_str(&hex::write(&self.0))
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
    <Hmac<Sha256> as Mac>::new((&*block).into())
}

/// HMAC-SHA-256 of a label and the store's id.
fn derived(secret: &[u8; KEY_BYTES], label: &[u8], store: &str) -> Zeroizing<[u8; 32]> {
    let mut mac = mac(secret);
    mac.update(label);
    mac.update(store.as_bytes());
    Zeroizing::new(mac.finalize().into_bytes().into())
}
