//! The edge of the server: its clock, and its log.

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
