//! Transactions that see one organisation, and in it some projects. Everything that concerns
//! memories happens in one, as row-level security needs its settings.

use deadpool_postgres::{Client, Transaction};
use uuid::Uuid;

use crate::db::error::Error;

/// What a transaction sees.
#[derive(Debug, Clone, Default)]
pub struct TenantScope {
    pub org: Uuid,
    pub user: Uuid,
    pub projects: Vec<Uuid>,
}

/// The role in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TenantRole {
    /// Answers requests.
    App,
    /// Fills the index.
    Worker,
}

impl TenantRole {
    fn name(self) -> &'static str {
        match self {
            Self::App => "pimem_app",
            Self::Worker => "pimem_worker",
        }
    }
}

/// Settings that end with the transaction, so that a proxy may hand the connection to somebody else.
const SETTINGS: &str = "select set_config('role', $1, true), set_config('pimem.org', $2, true), \
    set_config('pimem.user', $3, true), set_config('pimem.projects', $4, true), \
    set_config('search_path', 'pimem, public', true), set_config('statement_timeout', '5s', true), \
    set_config('lock_timeout', '2s', true), \
    set_config('idle_in_transaction_session_timeout', '15s', true)";

/// Begins a transaction within `scope`.
///
/// # Errors
///
/// The database is away.
pub async fn begin<'a>(
    client: &'a mut Client,
    role: TenantRole,
    scope: &TenantScope,
) -> Result<Transaction<'a>, Error> {
    let transaction = client.transaction().await?;
    narrow(&transaction, role, scope).await?;
    Ok(transaction)
}

/// Narrows a transaction to `scope`, which a worker does for one organisation after the other.
///
/// # Errors
///
/// The database is away.
pub async fn narrow(
    transaction: &Transaction<'_>,
    role: TenantRole,
    scope: &TenantScope,
) -> Result<(), Error> {
    let (org, user) = (scope.org.to_string(), scope.user.to_string());
    let statement = transaction.prepare_cached(SETTINGS).await?;
    transaction.execute(&statement, &[&role.name(), &org, &user, &array(&scope.projects)]).await?;
    Ok(())
}

/// Writes ids as PostgreSQL writes an array.
#[must_use]
pub fn array(ids: &[Uuid]) -> String {
    let ids: Vec<String> = ids.iter().map(Uuid::to_string).collect();
    format!("{{{}}}", ids.join(","))
}
