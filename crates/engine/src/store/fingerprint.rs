//! What a store holds at a moment, as one number: a plan is applied to what it was made for.

use anyhow::Result;
use sha2::{Digest, Sha256};

use super::{
    read,
    snapshot::{EVIDENCE, Store},
};
use pimem_core::model::hash::first_64;

impl Store {
    /// A hash of topics and evidence, the first 64 bits in hexadecimal.
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
            let bytes = read::listed(&self.dir, &topics.join(&name), read::MAX_FILE);
            part(&name, &bytes?.unwrap_or_default());
        }
        part(EVIDENCE, &self.log()?);
        Ok(format!("{:016x}", first_64(hash)))
    }
}
