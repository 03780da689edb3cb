//! Where the memories of several people, machines and repositories meet: push and pull of entries
//! and events, kept in PostgreSQL.

pub mod auth;
pub mod cli;
pub mod commands;
pub mod config;
pub mod db;
mod edge;
pub mod http;
pub mod index;
pub mod memories;
pub mod routes;
pub mod seal;
pub mod search;
pub mod secret;
pub mod sync;

pub use edge::{clock, log};
