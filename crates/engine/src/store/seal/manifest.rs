//! `store.json`: whether a store is sealed, and under which key. Committed to git.

use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::store::{
    atomic::{self, Sync},
    read::{self, Problem, ProblemKind},
};
use pimem_core::seal::KeyId;

/// Name of the file in the store.
pub const STORE_FILE: &str = "store.json";
/// Version of its format.
const SCHEMA: &str = "pimem.store/1";
/// Bytes of the file at most.
pub(super) const MOST: u64 = 64 << 10;

/// The content of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) schema: String,
    /// 32 hexadecimal digits.
    pub(super) id: String,
    pub(super) sealed: bool,
    /// Id of the key that seals.
    pub(super) key: String,
    /// True while the store is being made plain again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) opening: bool,
}

impl Manifest {
    pub(super) fn new(id: String, key: KeyId) -> Self {
        Self { schema: SCHEMA.to_owned(), id, sealed: true, key: key.to_string(), opening: false }
    }

    /// Reads the file of a store. `Ok(None)` if it does not exist.
    pub(super) fn read(dir: &Path) -> Result<Option<Self>, Problem> {
        let bytes = read::file(dir, &dir.join(STORE_FILE), MOST)?;
        bytes.map(|bytes| Self::parse(dir, &bytes)).transpose()
    }

    /// Parses the bytes of the file.
    fn parse(dir: &Path, bytes: &[u8]) -> Result<Self, Problem> {
        let path = dir.join(STORE_FILE);
        let fail = |why: &str| {
            let why = format!("{} {why}", path.display());
            let hint = "pimem encrypt repair writes it again where the key is; or take the version of \
                        git: git checkout -- store.json";
            Problem { path: path.clone(), kind: ProblemKind::Sealed { why, hint } }
        };
        let value: serde_json::Value =
            serde_json::from_slice(bytes).map_err(|error| fail(&format!("is damaged: {error}")))?;
        let schema = value.get("schema").and_then(serde_json::Value::as_str);
        if schema.is_some_and(|schema| schema != SCHEMA) {
            let why = format!("{} is of a newer version of pimem", path.display());
            let kind = ProblemKind::Sealed { why, hint: "update pimem" };
            return Err(Problem { path, kind });
        }
        let read: Self =
            serde_json::from_value(value).map_err(|error| fail(&format!("is damaged: {error}")))?;
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if read.id.len() != 32 || !read.id.bytes().all(is_hex) || read.key.parse::<KeyId>().is_err()
        {
            return Err(fail("is damaged: id and key are not hexadecimal"));
        }
        Ok(read)
    }

    /// Writes the file.
    pub(super) fn write(&self, dir: &Path, sync: Sync) -> Result<()> {
        let text = format!("{}\n", serde_json::to_string_pretty(self)?);
        let (path, _) = read::place(dir, &dir.join(STORE_FILE))?;
        atomic::replace_file(&path, text.as_bytes(), sync, || Ok(true)).map(drop)
    }

    /// Deletes the file.
    pub(super) fn remove(dir: &Path, sync: Sync) -> Result<()> {
        Ok(atomic::remove_file(&dir.join(STORE_FILE), sync)?)
    }
}
