//! A store's contents to proposed changes. Pure: what is proposed is carried out elsewhere.

pub(crate) mod act;
pub(crate) mod answer;
pub(crate) mod check;
mod contradiction;
pub(crate) mod dream;
mod entries;
pub(crate) mod instruction;
pub(crate) mod learn;
pub(crate) mod observe;
pub(crate) mod question;
pub(crate) mod reflect;
pub(crate) mod rule;
pub(crate) mod said;
pub(crate) mod scan;
pub(crate) mod script;
pub(crate) mod vet;
mod wordings;
