//! The server from outside: the program, HTTP, and PostgreSQL behind it.
#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "tests read the environment and the clock")]
#![expect(clippy::print_stdout, reason = "what was skipped is said")]

mod common;

mod admin;
mod anomaly;
mod carry;
mod hostile;
mod interrupted;
mod memories;
mod migrations;
mod purges;
mod restored;
mod rights;
mod service;
mod sync;
mod tenancy;
mod tls;
