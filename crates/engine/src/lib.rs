//! The engine of pimem: the disk, the index, models, and the use cases behind [`memory::Memory`].
//!
//! * [`process`]: children with a deadline. [`config`]: settings and where each comes from.
//! * [`store`]: the one place that writes user data.
//! * [`index`]: derived data that can be deleted. [`models`]: installed embedding models.
//! * [`llm`]: language models, for those who configure one.
//! * [`error`]: why something was not done. [`local_time`]: dates as clocks show them here.
//! * [`memory`]: the front door, and one module a use case.

pub mod config;
pub mod error;
pub mod index;
pub mod llm;
pub mod local_time;
pub mod memory;
pub mod models;
pub mod process;
pub mod store;
