//! A store's contents to proposed changes. Pure: what is proposed is carried out elsewhere.

pub(crate) mod act;
pub(crate) mod check;
mod contradiction;
mod entries;
pub(crate) mod instruction;

pub(crate) mod observe;
pub(crate) mod reflect;
pub(crate) mod rule;
pub(crate) mod scan;
