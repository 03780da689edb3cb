//! A server that stores are exchanged with. Only `pimem sync` asks it, and never a hook.

#[cfg_attr(not(feature = "sync"), path = "absent.rs")]
mod client;
mod key;
mod state;

pub use self::{client::Client, key::ServerKey, state::State};
