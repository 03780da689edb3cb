//! The server's clock.

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
