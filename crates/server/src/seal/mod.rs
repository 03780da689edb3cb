//! Sealed organisations: their texts are encrypted, and their ids and words blinded, before they
//! reach the database. In other organisations everything passes through unchanged.

pub mod keys;
pub mod vault;
