//! The server from outside: the program, HTTP, and PostgreSQL behind it.
#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "tests read the environment and the clock")]
#![expect(clippy::print_stdout, reason = "what was skipped is said")]

mod common;
#[path = "../../../../tests/it/common/pursuit.rs"]
mod pursuit;

mod admin;
mod anomaly;
mod attack;
mod carry;
mod end_to_end;
mod hostile;
mod interrupted;
mod memories;
mod migrations;
mod purges;
mod restored;
mod rights;
mod sealed;
mod service;
mod sync;
mod tenancy;
mod tls;
