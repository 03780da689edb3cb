//! The engine of pimem: the disk, the index, models, and the use cases behind [`memory::Memory`].
//!
//! * [`config`]: settings and the source of each.
//! * [`store`]: the only module that writes user data.
//! * [`index`]: derived data that can be deleted. [`models`]: installed embedding models.
//! * [`llm`]: language models, if one is configured.
//! * [`error`]: failures as shown to the user. [`local_time`]: local dates and times.
//! * [`remote`]: a server that stores are exchanged with. `web`: the HTTP agent of all requests.
//! * [`view`]: entries as documents and tables show them.
//! * [`memory`]: the public interface, with one module per use case with its documents.

#[macro_use]
pub mod view;

pub mod config;
pub mod error;
pub mod index;
pub mod llm;
pub mod local_time;
pub mod memory;
pub mod models;
pub mod process;
pub mod remote;
pub mod store;
#[cfg(any(feature = "fastembed", feature = "llm", feature = "sync"))]
mod web;
