//! Who did what. No text of a memory is noted.

use deadpool_postgres::Transaction;
use uuid::Uuid;

use crate::db::error::Error;

/// Whose request it was.
pub trait Actor {
    /// Organisation, user and key.
    fn actor(&self) -> (Uuid, Uuid, Uuid);
}

/// Notes that somebody did something.
///
/// # Errors
///
/// The database is away.
pub async fn note(
    transaction: &Transaction<'_>,
    actor: &impl Actor,
    request: Uuid,
    action: &str,
    target: &str,
) -> Result<(), Error> {
    let statement = transaction.prepare_cached(include_str!("../../sql/audit.sql")).await?;
    let (org, user, key) = actor.actor();
    transaction.execute(&statement, &[&org, &user, &key, &request, &action, &target]).await?;
    Ok(())
}
