//! Connections to PostgreSQL, in pools that cannot starve each other.

use std::{sync::Arc, time::Duration};

use anyhow::{Context as _, ensure};
use deadpool_postgres::{Client, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{config::ServerConfig, db::error::Error};

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
    ///
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
///
/// There is none within two seconds.
pub async fn take(pool: &Pool) -> Result<Client, Error> {
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
///
/// PostgreSQL does not answer.
pub async fn connect(config: &ServerConfig) -> anyhow::Result<tokio_postgres::Client> {
    let (client, connection) = parse(config)?.connect(tls(config)?).await.context("PostgreSQL")?;
    tokio::spawn(connection);
    Ok(client)
}
