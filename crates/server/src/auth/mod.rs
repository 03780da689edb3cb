//! Who asks: keys, and what their users may do.

pub mod caller;
pub mod key;
