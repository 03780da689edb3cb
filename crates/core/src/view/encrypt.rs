//! The document of `pimem encrypt`.

use serde::Serialize;

crate::named! {
    /// How a store is kept.
    pub enum Kept {
        /// As plain text.
        Plain = "plain",
        /// Encrypted.
        Sealed = "sealed",
        /// Encrypted, and being made plain.
        Opening = "opening",
        /// Encrypted, and nothing says under which key.
        Undescribed = "undescribed",
    }
}

/// A store, and how it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Encryption {
    /// Directory of the store.
    pub store: String,
    /// `project` or `user`.
    pub scope: &'static str,
    /// `plain`, `sealed`, `opening`, or `undescribed`, which has sealed lines and no `store.json` that
    /// says so.
    pub kept: &'static str,
    /// Id of the store, 32 hexadecimal digits; `null` for a store that was never sealed.
    pub store_id: Option<String>,
    /// Id of the key that seals, 8 hexadecimal digits.
    pub key_id: Option<String>,
    pub key_file: Option<String>,
    /// Number of files that hold what was remembered.
    pub files: usize,
    /// Number of files that were written by this call.
    pub written: usize,
    /// Number of lines that are not sealed, or under a former key; the next command that writes
    /// seals them.
    pub due: usize,
    /// Number of lines that cannot be opened: damaged, or sealed under a key that is not here.
    pub closed: usize,
    /// True if git may have plain text of the store in its history.
    pub in_git: bool,
    /// What is wrong: the store does not say that it is sealed, or says so otherwise than this machine
    /// remembers it; then hooks write nothing.
    pub problem: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
}

documents! {
    Encryption: "pimem.encrypt/1",
}
