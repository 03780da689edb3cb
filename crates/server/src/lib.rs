//! Where the memories of several people, machines and repositories meet: push and pull of entries
//! and events, kept in PostgreSQL.

pub mod auth;
pub mod cli;
pub mod commands;
pub mod config;
pub mod db;
pub mod http;
pub mod index;
pub mod memories;
pub mod routes;
pub mod seal;
pub mod search;
pub mod secret;
pub mod sync;

/// The server's clock.
pub mod clock {
    use chrono::{DateTime, Utc};
    use pimem_core::model::time::{Now, Timestamp};

    /// Returns the time as a date that PostgreSQL takes.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place")]
    pub fn now() -> DateTime<Utc> {
        Utc::now()
    }

    /// Returns the time as the core counts it.
    #[must_use]
    pub fn stamp() -> Now {
        Now(Timestamp(now().timestamp_millis()))
    }
}

/// One JSON object a line on standard error. No text of a memory is ever written to it.
pub mod log {
    use serde_json::{Map, Value, json};

    use super::clock;

    pub fn line(level: &str, message: &str, fields: Value) {
        let mut all = Map::new();
        all.insert("ts".to_owned(), json!(clock::now().to_rfc3339()));
        all.insert("level".to_owned(), json!(level));
        all.insert("message".to_owned(), json!(message));
        if let Value::Object(fields) = fields {
            all.extend(fields);
        }
        write(&Value::Object(all).to_string());
    }

    #[expect(clippy::print_stderr, reason = "the one place")]
    fn write(line: &str) {
        eprintln!("{line}");
    }
}
