//! PostgreSQL: connections in pools that cannot starve each other, transactions that see one
//! organisation and in it some projects, the record of who did what, and migrations.
//!
//! Everything that concerns memories happens in a transaction of [`begin`], as row-level security
//! needs its settings. No text of a memory is noted in the record.

use std::{sync::Arc, time::Duration};

use anyhow::{Context as _, bail, ensure};
use deadpool_postgres::{
    Manager, ManagerConfig, Pool, PoolError, RecyclingMethod, Runtime, Timeouts, Transaction,
};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use sha2::{Digest as _, Sha256};
use tokio_postgres::{Client, error::SqlState};
use tokio_postgres_rustls::MakeRustlsConnect;
use uuid::Uuid;

use crate::config::ServerConfig;

/// How long a request waits for a connection.
const WAIT: Duration = Duration::from_secs(2);

/// Connections by what they are used for.
#[derive(Debug, Clone)]
pub struct Pools {
    /// Push and pull.
    pub sync: Pool,
    /// Keys, lists and searches.
    pub read: Pool,
    /// Work in the background.
    pub work: Pool,
}

impl Pools {
    /// Makes the pools. Nothing is connected yet.
    ///
    /// # Errors
    /// The address or the certificates of the database are not usable.
    pub fn new(config: &ServerConfig) -> anyhow::Result<Self> {
        let of = |size| pool(config, size);
        let size = config.database_connections;
        Ok(Self { sync: of(size)?, read: of(size)?, work: of(2)? })
    }

    /// Closes all connections that are not in use.
    pub fn close(&self) {
        for pool in [&self.sync, &self.read, &self.work] {
            pool.close();
        }
    }
}

/// Returns a connection.
///
/// # Errors
/// There is none within two seconds.
pub async fn take(pool: &Pool) -> Result<deadpool_postgres::Client, Error> {
    Ok(pool.get().await?)
}

fn pool(config: &ServerConfig, size: usize) -> anyhow::Result<Pool> {
    let postgres: tokio_postgres::Config = parse(config)?;
    let recycling_method = RecyclingMethod::Fast;
    let manager = Manager::from_config(postgres, tls(config)?, ManagerConfig { recycling_method });
    let timeouts = Timeouts { wait: Some(WAIT), create: Some(WAIT), recycle: Some(WAIT) };
    let builder = Pool::builder(manager).max_size(size).timeouts(timeouts);
    Ok(builder.runtime(Runtime::Tokio1).build()?)
}

fn parse(config: &ServerConfig) -> anyhow::Result<tokio_postgres::Config> {
    // The address may have a password, so it is not told.
    let mut postgres: tokio_postgres::Config =
        config.database_url.parse().context("the address of the database is not one")?;
    postgres.application_name("pimem-server").connect_timeout(WAIT);
    Ok(postgres)
}

fn tls(config: &ServerConfig) -> anyhow::Result<MakeRustlsConnect> {
    let mut roots = RootCertStore::empty();
    if let Some(path) = &config.database_ca {
        for certificate in CertificateDer::pem_file_iter(path)
            .with_context(|| format!("database-ca: {}", path.display()))?
        {
            roots.add(certificate?)?;
        }
        ensure!(!roots.is_empty(), "database-ca: no certificate in {}", path.display());
    } else {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let client = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(client))
}

/// Returns a connection of its own for a command, which may take its time.
///
/// # Errors
/// PostgreSQL does not answer.
pub async fn connect(config: &ServerConfig) -> anyhow::Result<Client> {
    let (client, connection) = parse(config)?.connect(tls(config)?).await.context("PostgreSQL")?;
    tokio::spawn(connection);
    Ok(client)
}

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
    /// A row is of an epoch that began after the keys were read; the same request works now.
    #[error("the keys of the organisation were just rotated")]
    Rotated,
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

/// What a transaction sees.
#[derive(Debug, Clone, Default)]
pub struct TenantScope {
    pub org: Uuid,
    pub user: Uuid,
    pub projects: Vec<Uuid>,
}

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
/// The database is away.
pub async fn begin<'a>(
    client: &'a mut deadpool_postgres::Client,
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

/// Whose request it was.
pub trait Actor {
    fn actor(&self) -> (Uuid, Uuid, Uuid);
}

/// Notes that somebody did something.
///
/// # Errors
/// The database is away.
pub async fn audit(
    transaction: &Transaction<'_>,
    actor: &impl Actor,
    request: Uuid,
    action: &str,
    target: &str,
) -> Result<(), Error> {
    let statement = transaction.prepare_cached(include_str!("../sql/audit.sql")).await?;
    let (org, user, key) = actor.actor();
    transaction.execute(&statement, &[&org, &user, &key, &request, &action, &target]).await?;
    Ok(())
}

/// Number, name and statements.
const MIGRATIONS: &[(i32, &str, &str)] = &[
    (1, "schema", include_str!("../sql/0001_schema.sql")),
    (2, "index", include_str!("../sql/0002_index.sql")),
    (3, "sealed", include_str!("../sql/0003_sealed.sql")),
    (4, "accesses", include_str!("../sql/0004_accesses.sql")),
    (5, "places", include_str!("../sql/0005_places.sql")),
];
/// Key of the lock that lets one `migrate` run at a time.
const LOCK: i64 = 0x7069_6d65_6d00_0001;

/// The cluster and the database in it: rows restored elsewhere bear numbers of another cluster.
pub const IDENTITY: &str = "select (select system_identifier from pg_control_system())::text || '/' \
    || (select oid from pg_database where datname = current_database())::text";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migration {
    pub number: i32,
    pub name: &'static str,
    pub applied: bool,
}

/// Returns the migrations in order.
///
/// # Errors
/// The schema is newer than this program, or was migrated with other statements.
pub async fn plan(client: &Client) -> anyhow::Result<Vec<Migration>> {
    let known = client.query_one("select to_regclass('pimem.migrations') is not null", &[]).await?;
    let rows = if known.get(0) {
        client.query("select number, checksum from pimem.migrations order by number", &[]).await?
    } else {
        Vec::new()
    };
    for row in &rows {
        let (number, checksum): (i32, Vec<u8>) = (row.get(0), row.get(1));
        let Some((_, name, text)) = MIGRATIONS.iter().find(|(known, ..)| *known == number) else {
            bail!(
                "the schema is at {number}, this program knows {}: take the newer pimem-server",
                MIGRATIONS.len()
            );
        };
        ensure!(
            checksum == digest(text),
            "migration {number} ({name}) was applied with other statements than this program has"
        );
    }
    let applied = |number| rows.iter().any(|row| row.get::<_, i32>(0) == number);
    let step = |(number, name, _): &(i32, &'static str, &str)| Migration {
        number: *number,
        name,
        applied: applied(*number),
    };
    Ok(MIGRATIONS.iter().map(step).collect())
}

/// Applies what is missing and returns what was applied. A database that `is_restored` from an older
/// copy of its disk ends every cursor; that of a dump is recognised.
///
/// # Errors
/// As [`plan`]; or a statement failed, and its migration left nothing behind.
pub async fn migrate(client: &mut Client, is_restored: bool) -> anyhow::Result<Vec<Migration>> {
    client.execute("select pg_advisory_lock($1)", &[&LOCK]).await?;
    let done = locked(client, is_restored).await;
    client.execute("select pg_advisory_unlock($1)", &[&LOCK]).await?;
    done
}

async fn locked(client: &mut Client, is_restored: bool) -> anyhow::Result<Vec<Migration>> {
    let mut applied = Vec::new();
    for step in plan(client).await?.into_iter().filter(|step| !step.applied) {
        let found = MIGRATIONS.iter().find(|(number, ..)| *number == step.number);
        let Some((number, name, text)) = found else { continue };
        let transaction = client.transaction().await?;
        transaction
            .batch_execute(text)
            .await
            .with_context(|| format!("migration {number} ({name})"))?;
        transaction.batch_execute("set local role pimem_owner").await?;
        let row = "insert into pimem.migrations (number, name, checksum) values ($1, $2, $3)";
        transaction.execute(row, &[number, name, &digest(text)]).await?;
        transaction.commit().await?;
        applied.push(Migration { applied: true, ..step });
    }
    settle(client, is_restored).await?;
    Ok(applied)
}

/// Notes the cluster. After a restore into another one, all rows are given numbers of this one, and
/// every cursor ends: a number of the old cluster may lie in the future here, where no page would
/// reach it.
async fn settle(client: &mut Client, is_restored: bool) -> anyhow::Result<()> {
    let identity: String = client.query_one(IDENTITY, &[]).await?.get(0);
    let transaction = client.transaction().await?;
    transaction.batch_execute("set local role pimem_owner").await?;
    let known = transaction.query_opt("select identity from pimem.cluster for update", &[]).await?;
    match known.map(|row| row.get::<_, String>(0)) {
        Some(known) if known == identity && !is_restored => {}
        None => {
            let mut secret = [0_u8; 32];
            getrandom::fill(&mut secret)?;
            let row = "insert into pimem.cluster (identity, secret) values ($1, $2)";
            transaction.execute(row, &[&identity, &secret.as_slice()]).await?;
        }
        Some(_) => {
            for org in transaction.query("select id::text from pimem.orgs", &[]).await? {
                let org: String = org.get(0);
                transaction.execute("select set_config('pimem.org', $1, true)", &[&org]).await?;
                transaction.batch_execute(RENUMBER).await?;
            }
            let row = "update pimem.cluster set identity = $1";
            transaction.execute(row, &[&identity]).await?;
        }
    }
    transaction.commit().await?;
    Ok(())
}

const RENUMBER: &str = "\
    select set_config('pimem.projects', (select coalesce(array_agg(id), '{}')::text from pimem.projects), true); \
    update pimem.entries set xid = pg_current_xact_id(); \
    update pimem.events set xid = pg_current_xact_id(); \
    update pimem.orgs set epoch = gen_random_uuid() where id = current_setting('pimem.org')::uuid";

/// Checks that this program and the database go together.
///
/// # Errors
/// The schema is older or newer, the database was restored from another cluster, or the role of
/// the server is above row-level security.
pub async fn check(client: &Client) -> anyhow::Result<()> {
    let missing = plan(client).await?.iter().filter(|step| !step.applied).count();
    ensure!(missing == 0, "the schema is older than this program: run `pimem-server migrate`");
    let identity: String = client.query_one(IDENTITY, &[]).await?.get(0);
    let known: String = client.query_one("select identity from pimem.cluster", &[]).await?.get(0);
    ensure!(
        known == identity,
        "this database was restored from another cluster: run `pimem-server migrate`"
    );
    let role = "select rolsuper or rolbypassrls from pg_roles where rolname = 'pimem_app'";
    let is_above: bool = client.query_one(role, &[]).await?.get(0);
    ensure!(!is_above, "the role pimem_app is above row-level security");
    Ok(())
}

fn digest(text: &str) -> Vec<u8> {
    Sha256::digest(text.as_bytes()).to_vec()
}

#[cfg(test)]
mod tests {
    use super::MIGRATIONS;

    #[test]
    fn numbers_count_up_from_one() {
        let numbers: Vec<i32> = MIGRATIONS.iter().map(|(number, ..)| *number).collect();
        assert_eq!(numbers, (1..=numbers.len().try_into().unwrap()).collect::<Vec<_>>());
    }
}
