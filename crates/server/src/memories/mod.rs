//! Memories as the events leave them: rows, lists, numbers, and changes, which are events too.

pub mod find;
pub mod remember;
pub mod row;
