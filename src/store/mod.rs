//! The disk: the only module that writes user data.

pub(crate) mod atomic;
pub(crate) mod dreaming;
pub(crate) mod driver;
pub(crate) mod foreign;
pub(crate) mod full;
pub(crate) mod git;
mod git_objects;
pub(crate) mod gitlink;
pub(crate) mod history;
pub(crate) mod init;
pub(crate) mod journal;
pub(crate) mod local;
pub(crate) mod lock;
pub(crate) mod log;
pub(crate) mod notes;
pub(crate) mod observed;
pub(crate) mod purge;
pub(crate) mod read;
pub(crate) mod root;
pub(crate) mod session;
pub(crate) mod source;
mod state;
pub(crate) mod stream;
pub(crate) mod trust;
mod trust_kind;
pub(crate) mod txn;
pub(crate) mod vault;
