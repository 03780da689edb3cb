//! What PostgreSQL could not do, by what a client can do about it.

use deadpool_postgres::PoolError;
use tokio_postgres::error::SqlState;

/// Why a statement failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database is away, starting, full, or too busy; the same request may work later.
    #[error("the database is not available: {0}")]
    Away(String),
    /// A statement took too long, or waited too long for another.
    #[error("the database took too long: {0}")]
    Slow(String),
    /// The organisation is sealed, and its key is not at hand.
    #[error("the organisation is closed: {0}")]
    Closed(String),
    /// The organisation is encrypted end to end, and this would need its texts.
    #[error("the organisation is encrypted end to end")]
    Opaque,
    /// A mistake in this program.
    #[error("the database refused: {0}")]
    Wrong(String),
}

impl From<PoolError> for Error {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) => error.into(),
            other => Self::Away(other.to_string()),
        }
    }
}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(state) = error.code() else {
            // Without a state it is the connection that failed.
            let io = error.is_closed()
                || std::error::Error::source(&error)
                    .is_some_and(<dyn std::error::Error>::is::<std::io::Error>);
            return if io { Self::Away(error.to_string()) } else { Self::Wrong(error.to_string()) };
        };
        let told = error.as_db_error().map_or_else(String::new, |told| told.message().to_owned());
        let told = format!("{} {told}", state.code());
        let slow = [
            SqlState::QUERY_CANCELED,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::T_R_SERIALIZATION_FAILURE,
        ];
        if slow.contains(state) {
            return Self::Slow(told);
        }
        // 08: connections. 25P03: idle in a transaction. 53: resources, also a full disk. 57: shutting down. 58: input and output.
        let away = ["08", "25P03", "53", "57", "58"];
        if away.iter().any(|class| state.code().starts_with(class)) {
            return Self::Away(told);
        }
        Self::Wrong(told)
    }
}
