//! A server that stores are exchanged with. Only `pimem sync` asks it, and never a hook.

#[cfg_attr(not(feature = "sync"), path = "absent.rs")]
mod client;
mod keys;
mod state;

pub use self::{
    client::Client,
    keys::{SealKeys, ServerKey},
    state::ServerState,
};
