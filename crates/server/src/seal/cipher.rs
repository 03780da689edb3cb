//! XChaCha20-Poly1305 over padded bytes: a nonce of 24 bytes, the ciphertext, and a tag of 16.

use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{Aead, KeyInit, Payload},
};
use hmac::{Hmac, Mac as _};
use pimem_core::seal;
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::{db::error::Error, secret::Bytes};

const NONCE: usize = 24;
/// Plaintext is padded to a multiple of so many bytes, as a length tells much of a short text.
const STEP: usize = 64;

/// A cipher with its key, which is overwritten when it is dropped.
pub struct Cipher(XChaCha20Poly1305);

impl Cipher {
    #[must_use]
    pub fn new(key: &Bytes) -> Self {
        Self(XChaCha20Poly1305::new((&**key).into()))
    }

    /// Encrypts under a random nonce. Only the same `data` opens it.
    ///
    /// # Errors
    ///
    /// The system has no random bytes.
    pub fn seal(&self, data: &[u8], text: &[u8]) -> Result<Vec<u8>, Error> {
        let nonce: [u8; NONCE] = *random()?;
        let length = (text.len() + 1).next_multiple_of(STEP);
        let mut padded = Zeroizing::new(Vec::with_capacity(length));
        padded.extend_from_slice(text);
        seal::pad(&mut padded, 0, STEP);
        let sealed = self.0.encrypt(&XNonce::from(nonce), Payload { msg: &padded, aad: data });
        let sealed = sealed.map_err(|_| Error::Wrong("a text is too long to seal".to_owned()))?;
        Ok([&nonce, sealed.as_slice()].concat())
    }

    /// Decrypts; `None` if the key, `data` or any bit is another.
    #[must_use]
    pub fn open(&self, data: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let opened = self.0.decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: data });
        let mut opened = Zeroizing::new(opened.ok()?);
        let length = seal::unpadded(&opened, STEP)?.len();
        opened.truncate(length);
        Some(opened)
    }
}

/// Returns random bytes.
///
/// # Errors
///
/// The system has none.
pub fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, Error> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(&mut *bytes).map_err(|error| Error::Wrong(error.to_string()))?;
    Ok(bytes)
}

/// Returns HMAC-SHA-256, keyed.
#[must_use]
pub fn mac(key: &Bytes) -> Hmac<Sha256> {
    #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
    <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(&**key).expect("any length")
}

/// Returns a key for one purpose, made from another key.
#[must_use]
pub fn derive(key: &Bytes, purpose: &[u8]) -> Bytes {
    Zeroizing::new(mac(key).chain_update(purpose).finalize().into_bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::KEY;

    #[test]
    fn what_is_sealed_is_opened_with_the_same_data_alone() {
        let cipher = Cipher::new(&Zeroizing::new([7; KEY]));
        let other = Cipher::new(&Zeroizing::new([8; KEY]));
        for length in [0, 1, 62, 63, 64, 127, 128, 1000] {
            for text in [vec![b'x'; length], vec![0; length], vec![0x80; length]] {
                let sealed = cipher.seal(b"here", &text).unwrap();
                assert_eq!((sealed.len() - NONCE - 16) % STEP, 0);
                assert_eq!(cipher.open(b"here", &sealed).as_deref(), Some(&text));
                assert_eq!(cipher.open(b"there", &sealed), None);
                assert_eq!(other.open(b"here", &sealed), None);
                for at in (0..sealed.len()).step_by(13) {
                    let mut changed = sealed.clone();
                    changed[at] ^= 1;
                    assert_eq!(cipher.open(b"here", &changed), None, "{at}");
                    assert_eq!(cipher.open(b"here", &sealed[..at]), None, "{at}");
                }
            }
        }
        let twice = [cipher.seal(b"", b"x").unwrap(), cipher.seal(b"", b"x").unwrap()];
        assert_ne!(twice[0], twice[1], "nonces are random");
    }
}
