//! Settings: options of the command line, else the environment, else a file, else the default.

use std::{
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;
use zeroize::Zeroizing;

use crate::secret::{Secret, SecretSource};

/// Settings as they are given. Names in the file are those of the options.
#[derive(Debug, Default, Clone, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// A JSON object of the options below
    #[arg(long, global = true, env = "PIMEM_SERVER_CONFIG", value_name = "FILE")]
    #[serde(skip)]
    config: Option<PathBuf>,
    /// Address of PostgreSQL, with user, password and database
    #[arg(long, global = true, env = "DATABASE_URL", value_name = "URL", hide_env_values = true)]
    database_url: Option<String>,
    /// Certificates (PEM) that sign PostgreSQL's, instead of those of the web
    #[arg(long, global = true, env = "PIMEM_SERVER_DATABASE_CA", value_name = "FILE")]
    database_ca: Option<PathBuf>,
    /// Address to listen on [default: 127.0.0.1:8077]
    #[arg(long, global = true, env = "PIMEM_SERVER_LISTEN", value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Address of /metrics, or "off" [default: 127.0.0.1:8078]
    #[arg(long, global = true, env = "PIMEM_SERVER_METRICS", value_name = "ADDRESS")]
    metrics: Option<String>,
    /// Certificate chain (PEM)
    #[arg(long, global = true, env = "PIMEM_SERVER_TLS_CERT", value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate (PEM)
    #[arg(long, global = true, env = "PIMEM_SERVER_TLS_KEY", value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// Key of sealed organisations: 64 hexadecimal digits in a file that nobody else can read.
    /// The variable `PIMEM_SERVER_KEY` has the key itself
    #[arg(long, global = true, env = "PIMEM_SERVER_KEY_FILE", value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Command of the shell that prints the key of sealed organisations
    #[arg(
        long,
        global = true,
        env = "PIMEM_SERVER_KEY_COMMAND",
        value_name = "COMMAND",
        conflicts_with = "key_file"
    )]
    key_command: Option<String>,
    /// Plain HTTP on an address that is not loopback: a proxy in front speaks TLS
    #[arg(long, global = true, env = "PIMEM_SERVER_BEHIND_PROXY", value_name = "BOOL",
        num_args = 0..=1, default_missing_value = "true")]
    behind_proxy: Option<bool>,
    /// Connections to PostgreSQL of each of three pools [default: twice the processors]
    #[arg(long, global = true, env = "PIMEM_SERVER_DATABASE_CONNECTIONS", value_name = "N")]
    database_connections: Option<usize>,
    /// Connections of clients at once [default: 512]
    #[arg(long, global = true, env = "PIMEM_SERVER_CLIENTS", value_name = "N")]
    clients: Option<usize>,
    /// Requests at once; more are answered 503 [default: 128]
    #[arg(long, global = true, env = "PIMEM_SERVER_REQUESTS", value_name = "N")]
    requests: Option<usize>,
    /// Requests a second of one key, on average; more are answered 429 [default: 50]
    #[arg(long, global = true, env = "PIMEM_SERVER_RATE", value_name = "N")]
    rate: Option<u32>,
    /// Requests of one key at once before the average counts [default: 200]
    #[arg(long, global = true, env = "PIMEM_SERVER_BURST", value_name = "N")]
    burst: Option<u32>,
    /// Entries waiting for the index above which pushes are answered 429 [default: 200000]
    #[arg(long, global = true, env = "PIMEM_SERVER_QUEUE", value_name = "N")]
    queue: Option<u32>,
    /// Tasks that fill the index, 0 where another server does [default: 1]
    #[arg(long, global = true, env = "PIMEM_SERVER_WORKERS", value_name = "N")]
    workers: Option<u32>,
    /// Seconds between "not ready" and the end, for a balancer to notice [default: 0]
    #[arg(long, global = true, env = "PIMEM_SERVER_DRAIN", value_name = "SECONDS")]
    drain: Option<u64>,
    /// Seconds that a request may take [default: 10]
    #[arg(long, global = true, env = "PIMEM_SERVER_DEADLINE", value_name = "SECONDS")]
    deadline: Option<u64>,
}

/// Settings in effect.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    pub database_url: String,
    pub database_ca: Option<PathBuf>,
    pub listen: SocketAddr,
    pub metrics: Option<SocketAddr>,
    /// Certificate chain and key.
    pub tls: Option<(PathBuf, PathBuf)>,
    pub behind_proxy: bool,
    /// Where the key of sealed organisations is.
    pub key: SecretSource,
    pub database_connections: usize,
    pub clients: usize,
    pub requests: usize,
    /// Tokens a second of each key's bucket.
    pub rate: u32,
    /// Size of each key's bucket.
    pub burst: u32,
    pub queue: u32,
    /// Number of tasks that fill the index.
    pub workers: u32,
    pub drain: Duration,
    pub deadline: Duration,
}

impl Options {
    /// Returns the settings in effect.
    ///
    /// # Errors
    /// The file is not readable, or a value cannot be used.
    pub fn resolve(self) -> anyhow::Result<ServerConfig> {
        let file = self.config.as_deref().map(read).transpose()?.unwrap_or_default();
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        let metrics = self.metrics.or(file.metrics).unwrap_or_else(|| "127.0.0.1:8078".to_owned());
        let metrics = match metrics.as_str() {
            "off" => None,
            address => Some(address.parse().context("metrics: not an address, nor \"off\"")?),
        };
        let cert = self.tls_cert.or(file.tls_cert);
        let tls = match (cert, self.tls_key.or(file.tls_key)) {
            (Some(cert), Some(key)) => Some((cert, key)),
            (None, None) => None,
            _ => bail!("tls-cert and tls-key go together"),
        };
        let Some(database_url) = self.database_url.or(file.database_url) else {
            bail!("no database: set DATABASE_URL, or database-url in the file of settings");
        };
        let seconds = |given: Option<u64>, file: Option<u64>, default| {
            Duration::from_secs(given.or(file).unwrap_or(default))
        };
        let number = |given: Option<usize>, file: Option<usize>, default, name: &str| {
            let number = given.or(file).unwrap_or(default);
            ensure!(number > 0, "{name} is at least 1");
            Ok(number)
        };
        Ok(ServerConfig {
            database_url,
            database_ca: self.database_ca.or(file.database_ca),
            listen: self.listen.or(file.listen).unwrap_or(([127, 0, 0, 1], 8077).into()),
            metrics,
            tls,
            key: source(
                self.key_file.or(file.key_file),
                self.key_command.or(file.key_command),
                "PIMEM_SERVER_KEY",
            ),
            behind_proxy: self.behind_proxy.or(file.behind_proxy).unwrap_or(false),
            database_connections: number(
                self.database_connections,
                file.database_connections,
                2 * processors,
                "database-connections",
            )?,
            clients: number(self.clients, file.clients, 512, "clients")?,
            requests: number(self.requests, file.requests, 128, "requests")?,
            rate: self.rate.or(file.rate).unwrap_or(50).max(1),
            burst: self.burst.or(file.burst).unwrap_or(200).max(1),
            queue: self.queue.or(file.queue).unwrap_or(200_000),
            workers: self.workers.or(file.workers).unwrap_or(1),
            drain: seconds(self.drain, file.drain, 0),
            deadline: seconds(self.deadline, file.deadline, 10),
        })
    }
}

impl ServerConfig {
    /// Refuses to send keys and memories over a network in the clear.
    ///
    /// # Errors
    /// An address is not loopback, and neither TLS nor a proxy is there.
    pub fn check_exposure(&self) -> anyhow::Result<()> {
        ensure!(
            is_local(self.listen.ip()) || self.tls.is_some() || self.behind_proxy,
            "{} is not loopback: give --tls-cert and --tls-key, or --behind-proxy where a proxy speaks TLS",
            self.listen
        );
        if let Some(metrics) = self.metrics {
            ensure!(
                is_local(metrics.ip()) || self.behind_proxy,
                "metrics on {metrics} are for everybody: take a loopback address, or --behind-proxy"
            );
        }
        Ok(())
    }
}

/// Returns where a key is: in a file, else printed by a command, else in a variable.
#[must_use]
pub fn source(file: Option<PathBuf>, command: Option<String>, variable: &str) -> SecretSource {
    // No option has the key itself: everybody sees the arguments of a process.
    #[expect(clippy::disallowed_methods, reason = "clap reads variables of options only")]
    let given = || std::env::var(variable).ok().filter(|text| !text.is_empty());
    match (file, command) {
        (Some(file), _) => SecretSource::File(file),
        (None, Some(command)) => SecretSource::Command(command),
        (None, None) => given()
            .map_or(SecretSource::None, |text| SecretSource::Given(Secret(Zeroizing::new(text)))),
    }
}

fn is_local(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

fn read(path: &Path) -> anyhow::Result<Options> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(listen: &str) -> ServerConfig {
        let listen = Some(listen.parse().unwrap());
        let database_url = Some("postgres://localhost/x".to_owned());
        Options { database_url, listen, ..Options::default() }.resolve().unwrap()
    }

    #[test]
    fn only_loopback_is_plain() {
        for local in ["127.0.0.1:1", "[::1]:1", "127.8.0.1:1", "[::ffff:127.0.0.1]:1"] {
            assert!(with(local).check_exposure().is_ok(), "{local}");
        }
        for open in ["0.0.0.0:1", "[::]:1", "10.0.0.1:1", "192.168.1.1:1"] {
            assert!(with(open).check_exposure().is_err(), "{open}");
            let behind_proxy = true;
            assert!(ServerConfig { behind_proxy, ..with(open) }.check_exposure().is_ok());
            let tls = Some((PathBuf::from("c"), PathBuf::from("k")));
            assert!(ServerConfig { tls, ..with(open) }.check_exposure().is_ok());
        }
    }
}
