//! Fingerprint of a store's content, which ties a plan to the state that it was made for.

use anyhow::Result;
use sha2::{Digest, Sha256};

use super::{Store, read, snapshot::EVIDENCE};
use pimem_core::model::hash::first_64;

impl Store {
    /// Returns the first 64 bits of a hash of topics and evidence, in hexadecimal.
    pub fn state(&self) -> Result<String> {
        let mut hash = Sha256::new();
        let mut part = |name: &str, bytes: &[u8]| {
            hash.update(name);
            hash.update([0]);
            hash.update(bytes.len().to_le_bytes());
            hash.update(bytes);
        };
        let topics = self.topics_dir();
        for name in read::markdown_names(&self.dir, &topics)? {
            let bytes = self.seal.listed(&self.dir, &topics.join(&name), read::MAX_FILE);
            part(&name, &bytes?.unwrap_or_default());
        }
        part(EVIDENCE, &self.log()?);
        Ok(format!("{:016x}", first_64(hash)))
    }
}
