//! Use cases: what commands and hooks have done. Nothing here prints.

pub(crate) mod add;
pub(crate) mod added;
mod archived;
pub(crate) mod dream;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod intake;
pub(crate) mod learn;
mod newcomer;
pub(crate) mod observe;
pub(crate) mod pending;
mod provenance;
pub(crate) mod recall;
pub(crate) mod reflect;
pub(crate) mod review;
pub(crate) mod search;
pub(crate) mod selector;
pub(crate) mod sessions;
pub(crate) mod stale;
pub(crate) mod telemetry;
pub(crate) mod trust;
