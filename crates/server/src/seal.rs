//! Sealed organisations: their texts are encrypted, and their ids and words blinded, before they reach
//! the database. In other organisations everything passes through unchanged.
//!
//! A [`Vault`] is the one way between a text and the database. Texts are encrypted by
//! XChaCha20-Poly1305 over padded bytes: a nonce of 24 bytes, the ciphertext, and a tag of 16. The key
//! that wraps the data keys of organisations is held for as long as the process runs.

use std::{borrow::Cow, collections::BTreeMap, fmt, sync::Arc};

use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{Aead, KeyInit, Payload},
};
use hmac::{Hmac, Mac as _};
use pimem_core::{
    model::{entry::EntryId, hash},
    seal,
};
use serde_json::json;
use sha2::Sha256;
use tokio_postgres::{GenericClient, Row};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::{
    db::Error,
    log,
    secret::{Bytes, SecretSource},
};

/// Version of the associated data.
const VERSION: u8 = 1;
/// Bytes of a blinded word.
const WORD: usize = 8;

/// What an organisation's texts go through.
#[derive(Clone)]
pub struct Vault {
    org: Uuid,
    /// `None` where texts are kept as they are.
    keys: Option<Arc<Keys>>,
}

struct Keys {
    index: Hmac<Sha256>,
    /// The epoch that new rows are of.
    current: i32,
    ciphers: BTreeMap<i32, Cipher>,
}

/// The row that a text belongs to. Nowhere else is it opened.
#[derive(Debug, Clone, Copy)]
pub enum VaultColumn<'a> {
    Entry {
        project: Uuid,
        hash: &'a [u8],
        entry: &'a [u8],
    },
    Event {
        project: Uuid,
        id: &'a [u8],
        digest: &'a [u8],
        entry: &'a [u8],
    },
    Memory {
        project: Uuid,
        entry: &'a [u8],
    },
    /// An answer to a request, by the key that sent it.
    Answer {
        project: Uuid,
        key: Uuid,
        name: &'a [u8],
        request: &'a [u8],
    },
}

/// A text as a row has it: itself, or sealed under the key of an epoch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VaultText {
    pub text: Option<String>,
    pub sealed: Option<Vec<u8>>,
    pub key: Option<i32>,
}

impl VaultText {
    /// Reads three columns, from one on: the text, the sealed text, and its epoch.
    #[must_use]
    pub fn at(row: &Row, column: usize) -> Self {
        Self { text: row.get(column), sealed: row.get(column + 1), key: row.get(column + 2) }
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault")
            .field("org", &self.org)
            .field("epoch", &self.epoch())
            .finish_non_exhaustive()
    }
}

impl Vault {
    /// Returns the vault of an organisation whose texts are kept as they are.
    #[must_use]
    pub fn plain(org: Uuid) -> Self {
        Self { org, keys: None }
    }

    /// Returns the vault of a sealed organisation, from the data keys of its epochs, the first of
    /// which makes the index key; `None` without any.
    #[must_use]
    pub fn sealed(org: Uuid, keys: &[(i32, Bytes)]) -> Option<Self> {
        let ciphers: BTreeMap<i32, Cipher> = keys
            .iter()
            .map(|(id, key)| (*id, Cipher::new(&derive(key, b"pimem server rows v1"))))
            .collect();
        let current = *ciphers.keys().next_back()?;
        let (_, first) = keys.iter().min_by_key(|(id, _)| *id)?;
        let index = mac(&derive(first, b"pimem server index v1"));
        Some(Self { org, keys: Some(Arc::new(Keys { index, current, ciphers })) })
    }

    #[must_use]
    pub fn org(&self) -> Uuid {
        self.org
    }

    #[must_use]
    pub fn is_sealed(&self) -> bool {
        self.keys.is_some()
    }

    /// The epoch of new rows; `None` where nothing is sealed.
    #[must_use]
    pub fn epoch(&self) -> Option<i32> {
        self.keys.as_ref().map(|keys| keys.current)
    }

    /// Returns an entry's id as rows have it.
    #[must_use]
    pub fn id(&self, id: EntryId) -> Vec<u8> {
        let bytes = id.0.to_be_bytes();
        self.blind("entry", &bytes).map_or(bytes.to_vec(), |blind| front(&blind, bytes.len()))
    }

    /// Returns the hash of a line, or the digest of an event, as rows have it. Where times and ids
    /// can be read, a digest confirms a guess as well as a hash does.
    #[must_use]
    pub fn hash(&self, hash: &[u8]) -> Vec<u8> {
        self.blind("hash", hash).map_or_else(|| hash.to_vec(), |blind| blind.to_vec())
    }

    /// Returns a word of the index as rows have it.
    #[must_use]
    pub fn word<'a>(&self, word: &'a str) -> Cow<'a, str> {
        self.name("word", word)
    }

    #[must_use]
    pub fn tag<'a>(&self, tag: &'a str) -> Cow<'a, str> {
        self.name("tag", tag)
    }

    #[must_use]
    pub fn topic<'a>(&self, topic: &'a str) -> Cow<'a, str> {
        self.name("topic", topic)
    }

    /// Returns what a client calls a request, as rows have it.
    #[must_use]
    pub fn request<'a>(&self, name: &'a str) -> Cow<'a, str> {
        let blind = self.blind("request", name.as_bytes());
        blind.map_or(Cow::Borrowed(name), |blind| hash::write_hex(&blind).into())
    }

    /// Prepares a text for a row.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn seal(&self, place: VaultColumn<'_>, text: &str) -> Result<VaultText, Error> {
        let Some(keys) = &self.keys else {
            return Ok(VaultText { text: Some(text.to_owned()), ..VaultText::default() });
        };
        let key = keys.current;
        let cipher = keys.ciphers.get(&key);
        let cipher = cipher.ok_or_else(|| Error::Wrong("a key is missing".to_owned()))?;
        let sealed = cipher.seal(&self.data(place, key), text.as_bytes())?;
        Ok(VaultText { text: None, sealed: Some(sealed), key: Some(key) })
    }

    /// Reads the text of a row. A row that was changed, moved, or written past the server is not
    /// opened, and the log says so.
    ///
    /// # Errors
    /// The row is of a later epoch than these keys: whoever leaves it out would forget it.
    pub fn open(&self, place: VaultColumn<'_>, kept: VaultText) -> Result<Option<String>, Error> {
        let Some(keys) = &self.keys else { return Ok(kept.text) };
        if kept.key.is_some_and(|key| key > keys.current) {
            return Err(Error::Rotated);
        }
        let opened = || {
            let key = kept.key?;
            let opened = keys.ciphers.get(&key)?.open(&self.data(place, key), &kept.sealed?)?;
            Some(str::from_utf8(&opened).ok()?.to_owned())
        };
        let opened = opened();
        if opened.is_none() {
            let fields = json!({"org": self.org.to_string(), "row": place.name()});
            log::line("error", "a sealed row was not opened", fields);
        }
        Ok(opened)
    }

    fn name<'a>(&self, label: &str, name: &'a str) -> Cow<'a, str> {
        let blind = self.blind(label, name.as_bytes());
        blind.map_or(Cow::Borrowed(name), |blind| hash::write_hex(&front(&blind, WORD)).into())
    }

    fn blind(&self, label: &str, bytes: &[u8]) -> Option<[u8; 32]> {
        let mut mac = self.keys.as_ref()?.index.clone();
        mac.update(label.as_bytes());
        mac.update(b"\0");
        mac.update(bytes);
        Some(mac.finalize().into_bytes().into())
    }

    fn data(&self, place: VaultColumn<'_>, key: i32) -> Vec<u8> {
        let (project, parts): (Uuid, [&[u8]; 3]) = match &place {
            VaultColumn::Entry { project, hash, entry } => (*project, [hash, entry, b""]),
            VaultColumn::Event { project, id, digest, entry } => (*project, [id, digest, entry]),
            VaultColumn::Memory { project, entry } => (*project, [entry, b"", b""]),
            VaultColumn::Answer { project, key, name, request } => {
                (*project, [key.as_bytes(), name, request])
            }
        };
        let mut data = vec![VERSION];
        data.extend(place.name().as_bytes());
        data.push(0);
        data.extend(self.org.as_bytes());
        data.extend(project.as_bytes());
        data.extend(key.to_be_bytes());
        for part in parts {
            data.extend((part.len() as u64).to_be_bytes());
            data.extend(part);
        }
        data
    }
}

impl VaultColumn<'_> {
    fn name(&self) -> &'static str {
        match self {
            Self::Entry { .. } => "entry",
            Self::Event { .. } => "event",
            Self::Memory { .. } => "memory",
            Self::Answer { .. } => "answer",
        }
    }
}

fn front(bytes: &[u8], length: usize) -> Vec<u8> {
    bytes.iter().take(length).copied().collect()
}

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

    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        self.0.as_ref().err().map(String::as_str)
    }

    /// Wraps a data key.
    ///
    /// # Errors
    /// There is no key, or no randomness.
    pub fn wrap(&self, org: Uuid, id: i32, key: &Bytes) -> Result<Vec<u8>, Error> {
        self.cipher()?.seal(&data(org, id), &**key)
    }

    /// Unwraps a data key.
    ///
    /// # Errors
    /// There is no key, or another one wrapped it.
    pub fn unwrap(&self, org: Uuid, id: i32, wrapped: &[u8]) -> Result<Bytes, Error> {
        let opened = self.cipher()?.open(&data(org, id), wrapped);
        let key = opened.and_then(|opened| opened.as_slice().try_into().ok().map(Bytes::new));
        key.ok_or_else(|| Error::Closed("the server's key is not the organisation's".to_owned()))
    }

    /// Returns the vault of an organisation, from its mode and its wrapped keys.
    ///
    /// # Errors
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

    fn vault(org: u128, keys: &[(i32, u8)]) -> Vault {
        let keys: Vec<(i32, Bytes)> =
            keys.iter().map(|(id, byte)| (*id, Bytes::new([*byte; 32]))).collect();
        Vault::sealed(Uuid::from_u128(org), &keys).unwrap()
    }

    #[test]
    fn a_plain_vault_changes_nothing() {
        let plain = Vault::plain(Uuid::from_u128(1));
        let place = VaultColumn::Memory { project: Uuid::nil(), entry: b"12345678" };
        let kept = plain.seal(place, "text").unwrap();
        assert_eq!(kept, VaultText { text: Some("text".to_owned()), sealed: None, key: None });
        assert_eq!(plain.open(place, kept).unwrap().as_deref(), Some("text"));
        assert_eq!(plain.id(EntryId(258)), [0, 0, 0, 0, 0, 0, 1, 2]);
        assert_eq!(
            (plain.hash(b"x"), &*plain.word("w"), &*plain.tag("t")),
            (b"x".to_vec(), "w", "t")
        );
        assert_eq!((&*plain.topic("t"), &*plain.request("r"), plain.epoch()), ("t", "r", None));
    }

    #[test]
    fn a_row_is_opened_in_its_place_alone() {
        let (one, project) = (vault(1, &[(1, 9)]), Uuid::from_u128(7));
        let place = VaultColumn::Event { project, id: b"a", digest: b"b", entry: b"c" };
        let kept = one.seal(place, "doc").unwrap();
        assert_eq!(one.open(place, kept.clone()).unwrap().as_deref(), Some("doc"));
        for other in [
            VaultColumn::Event { project: Uuid::nil(), id: b"a", digest: b"b", entry: b"c" },
            VaultColumn::Event { project, id: b"ab", digest: b"", entry: b"c" },
            VaultColumn::Event { project, id: b"a", digest: b"b", entry: b"d" },
            VaultColumn::Entry { project, hash: b"a", entry: b"b" },
            VaultColumn::Memory { project, entry: b"a" },
        ] {
            assert_eq!(one.open(other, kept.clone()).unwrap(), None, "{other:?}");
        }
        for (other, why) in [
            (vault(2, &[(1, 9)]), "another organisation"),
            (vault(1, &[(1, 8)]), "another key"),
            (vault(1, &[(2, 9)]), "another epoch"),
        ] {
            assert_eq!(other.open(place, kept.clone()).unwrap(), None, "{why}");
        }
        let forged = VaultText { text: Some("doc".to_owned()), ..VaultText::default() };
        assert_eq!(one.open(place, forged).unwrap(), None, "written past the server");
    }

    #[test]
    fn a_new_epoch_opens_the_old_and_blinds_alike() {
        let (old, new) = (vault(1, &[(1, 9)]), vault(1, &[(2, 5), (1, 9)]));
        let place = VaultColumn::Memory { project: Uuid::nil(), entry: b"12345678" };
        let kept = old.seal(place, "text").unwrap();
        assert_eq!(new.open(place, kept).unwrap().as_deref(), Some("text"));
        assert_eq!(new.seal(place, "text").unwrap().key, Some(2));
        let of_later = old.open(place, new.seal(place, "text").unwrap());
        assert!(matches!(of_later, Err(Error::Rotated)), "left out, it would be forgotten");
        assert_eq!((old.id(EntryId(1)), old.hash(b"x")), (new.id(EntryId(1)), new.hash(b"x")));
        assert_eq!(old.word("w"), new.word("w"));
        assert_ne!(old.word("w"), old.tag("w"));
        assert_eq!((old.word("w").len(), old.id(EntryId(1)).len()), (16, 8));
    }

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
