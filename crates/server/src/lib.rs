//! Where the memories of several people, machines and repositories meet: push and pull of entries
//! and events, kept in PostgreSQL.

pub mod auth;
pub mod cli;
pub mod clock;
pub mod commands;
pub mod config;
pub mod db;
pub mod http;
pub mod index;
pub mod log;
pub mod memories;
pub mod routes;
pub mod seal;
pub mod search;
pub mod secret;
pub mod sync;
