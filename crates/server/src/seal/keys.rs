//! The key that wraps the data keys of organisations, for as long as the process runs; and what keys
//! encrypt with: XChaCha20-Poly1305 over padded bytes, a nonce of 24 bytes, the ciphertext, and a tag
//! of 16.

use std::{fmt, sync::Arc};

use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{Aead, KeyInit, Payload},
};
use hmac::{Hmac, Mac as _};
use pimem_core::seal;
use sha2::Sha256;
use tokio_postgres::GenericClient;
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::{
    db::Error,
    seal::vault::Vault,
    secret::{Bytes, SecretSource},
};

/// What wraps data keys, or why there is nothing.
#[derive(Clone)]
pub struct Keeper(Result<Arc<Cipher>, String>);

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keeper").field(&self.0.as_ref().map(|_| "a key")).finish()
    }
}

impl Keeper {
    /// Reads the key. Without one, sealed organisations stay closed.
    #[must_use]
    pub fn load(source: &SecretSource) -> Self {
        let key = source.read().map(|key| derive(&key, b"pimem server wrap v1"));
        Self(key.map(|key| Arc::new(Cipher::new(&key))).map_err(|error| format!("{error:#}")))
    }

    /// Returns why there is no key.
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        self.0.as_ref().err().map(String::as_str)
    }

    /// Wraps a data key.
    ///
    /// # Errors
    ///
    /// There is no key, or no randomness.
    pub fn wrap(&self, org: Uuid, id: i32, key: &Bytes) -> Result<Vec<u8>, Error> {
        self.cipher()?.seal(&data(org, id), &**key)
    }

    /// Unwraps a data key.
    ///
    /// # Errors
    ///
    /// There is no key, or another one wrapped it.
    pub fn unwrap(&self, org: Uuid, id: i32, wrapped: &[u8]) -> Result<Bytes, Error> {
        let opened = self.cipher()?.open(&data(org, id), wrapped);
        let key = opened.and_then(|opened| opened.as_slice().try_into().ok().map(Bytes::new));
        key.ok_or_else(|| Error::Closed("the server's key is not the organisation's".to_owned()))
    }

    /// Returns the vault of an organisation, from its mode and its wrapped keys.
    ///
    /// # Errors
    ///
    /// It is sealed, and there is no key for it.
    pub fn vault(&self, org: Uuid, mode: &str, wrapped: &[(i32, Vec<u8>)]) -> Result<Vault, Error> {
        if mode != "sealed" {
            return Ok(Vault::plain(org));
        }
        let keys = wrapped.iter().map(|(id, key)| Ok((*id, self.unwrap(org, *id, key)?)));
        let keys = keys.collect::<Result<Vec<_>, Error>>()?;
        let vault = Vault::sealed(org, &keys);
        vault.ok_or_else(|| Error::Closed("the organisation has no key of its own yet".to_owned()))
    }

    /// Reads the vault of an organisation, in a transaction that sees it.
    ///
    /// # Errors
    ///
    /// As [`Self::vault`]; or the database is away.
    pub async fn read(&self, client: &impl GenericClient, org: Uuid) -> Result<Vault, Error> {
        let mode = "select key_mode from pimem.orgs where id = $1";
        let Some(row) = client.query_opt(mode, &[&org]).await? else {
            return Ok(Vault::plain(org));
        };
        let mode: String = row.get(0);
        let keys = "select key_id, wrapped from pimem.org_keys where org_id = $1 order by key_id";
        let keys = client.query(keys, &[&org]).await?;
        let keys: Vec<_> = keys.iter().map(|row| (row.get(0), row.get(1))).collect();
        self.vault(org, &mode, &keys)
    }

    /// Makes a data key and keeps it, wrapped.
    ///
    /// # Errors
    ///
    /// There is no key to wrap it, or no randomness; or the database is away.
    pub async fn add(&self, client: &impl GenericClient, org: Uuid, id: i32) -> Result<(), Error> {
        let wrapped = self.wrap(org, id, &random()?)?;
        let row = "insert into pimem.org_keys (org_id, key_id, wrapped) values ($1, $2, $3)";
        client.execute(row, &[&org, &id, &wrapped]).await?;
        Ok(())
    }

    fn cipher(&self) -> Result<&Cipher, Error> {
        self.0.as_deref().map_err(|why| Error::Closed(why.clone()))
    }
}

fn data(org: Uuid, id: i32) -> Vec<u8> {
    [b"pimem data key v1\0".as_slice(), org.as_bytes(), &id.to_be_bytes()].concat()
}

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
    use zeroize::Zeroizing;

    use super::*;
    use crate::secret::{KEY, Secret};

    #[test]
    fn a_data_key_is_unwrapped_in_its_place_by_its_key_alone() {
        let keeper = |digits: &str| {
            Keeper::load(&SecretSource::Given(Secret(Zeroizing::new(digits.repeat(32)))))
        };
        let (org, key) = (Uuid::from_u128(1), Bytes::new([3; 32]));
        let wrapped = keeper("0a").wrap(org, 1, &key).unwrap();
        assert_eq!(*keeper("0a").unwrap(org, 1, &wrapped).unwrap(), *key);
        assert!(keeper("0a").unwrap(org, 2, &wrapped).is_err());
        assert!(keeper("0a").unwrap(Uuid::from_u128(2), 1, &wrapped).is_err());
        assert!(keeper("0b").unwrap(org, 1, &wrapped).is_err());
        let none = Keeper::load(&SecretSource::None);
        assert!(none.trouble().is_some() && none.unwrap(org, 1, &wrapped).is_err());
        assert!(none.vault(org, "plain", &[]).is_ok() && none.vault(org, "sealed", &[]).is_err());
    }

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
