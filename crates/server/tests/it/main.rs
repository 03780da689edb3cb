//! The server from outside: the program, HTTP, and PostgreSQL behind it.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "helpers of tests are tests"
)]

mod common;

mod admin;
mod migrations;
mod service;
