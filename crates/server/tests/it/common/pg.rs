//! A real PostgreSQL: started once, a database for each test, stopped when the tests end, however
//! they end.

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls};

/// A PostgreSQL of these tests. It stops when this is dropped, or when the process ends.
pub(crate) struct Cluster {
    dir: PathBuf,
    port: u16,
    databases: AtomicUsize,
    watcher: Child,
    /// Whatever ends this process closes the pipe, at which the watcher stops PostgreSQL.
    pipe: Option<ChildStdin>,
}

/// A database of one test.
pub(crate) struct Database {
    pub(crate) url: String,
}

impl Cluster {
    /// Returns the PostgreSQL that all tests share; `None` if there is none and none is required.
    pub(crate) fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Result<Cluster, String>> = OnceLock::new();
        or_skipped(SHARED.get_or_init(|| Self::try_start("")).as_ref())
    }

    /// Starts one more, with further settings, for a test that stops or fills it.
    pub(crate) fn start(options: &str) -> Option<Self> {
        or_skipped(Self::try_start(options))
    }

    fn try_start(options: &str) -> Result<Self, String> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        // Short, for the socket, and where another user can look into it.
        let dir = PathBuf::from(format!("/tmp/pimem-pg-{}-{number}", std::process::id()));
        // It starts what it will stop, so that nothing is left whenever this process ends.
        let watch = r#"
            if "$0" start "$1" 2>&1; then trap '' PIPE; echo started; cat >/dev/null; fi
            "$0" stop "$1" >/dev/null 2>&1; rm -rf "$1""#;
        let mut command = Command::new("setsid");
        command.args(["sh", "-c", watch]).arg(program()).arg(&dir);
        command.env("PIMEM_TEST_PG_CACHE", cache()).env("PIMEM_TEST_PG_OPTIONS", options);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut watcher = command.spawn().map_err(|error| error.to_string())?;
        let pipe = watcher.stdin.take();
        let (mut is_started, mut told) = (false, String::new());
        for line in BufReader::new(watcher.stdout.take().unwrap()).lines() {
            let line = line.map_err(|error| error.to_string())?;
            is_started = line == "started";
            if is_started {
                break;
            }
            told.push_str(&line);
            told.push('\n');
        }
        let port = told.lines().last().and_then(|port| port.parse().ok());
        let Some(port) = port.filter(|_| is_started) else {
            return Err(told);
        };
        let cluster = Self { dir, port, databases: AtomicUsize::new(0), watcher, pipe };
        cluster.fill_template();
        Ok(cluster)
    }

    /// Migrates a database once, of which the others are copies.
    fn fill_template(&self) {
        self.execute("postgres", "create database t0");
        migrate(&self.url("t0"));
    }

    /// The directory of the data, its log and its socket.
    pub(crate) fn dir(&self) -> PathBuf {
        self.dir.join("run")
    }

    /// Makes a database with the schema.
    pub(crate) fn database(&self) -> Database {
        let url = self.copy("t0");
        // A copy is another database, whose identity is noted anew.
        migrate(&url);
        Database { url }
    }

    /// Makes a database with the schema in a tablespace.
    pub(crate) fn database_in(&self, tablespace: &str) -> Database {
        let url = self.copy(&format!("t0 tablespace {tablespace}"));
        migrate(&url);
        Database { url }
    }

    /// Makes a database with nothing in it.
    pub(crate) fn empty(&self) -> Database {
        Database { url: self.copy("template0") }
    }

    fn copy(&self, template: &str) -> String {
        let name = format!("t_{}", self.databases.fetch_add(1, Ordering::Relaxed) + 1);
        self.execute("postgres", &format!("create database {name} template {template}"));
        self.url(&name)
    }

    pub(crate) fn url(&self, database: &str) -> String {
        format!("postgres://pimem@127.0.0.1:{}/{database}?sslmode=disable", self.port)
    }

    fn execute(&self, database: &str, statements: &str) {
        Database { url: self.url(database) }.execute(statements);
    }

    /// Stops and starts it: `fast` is SIGINT, `immediate` is a crash.
    pub(crate) fn restart(&self, mode: &str) {
        let done = script(&self.dir, "restart").arg(mode).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// Returns a program of the package: `psql`, `pg_dump`.
    pub(crate) fn program(&self, name: &str) -> Command {
        let bin = script(&self.dir, "bin").output().unwrap().stdout;
        let bin = PathBuf::from(String::from_utf8(bin).unwrap().trim());
        let mut command = Command::new(bin.join(name));
        let top = bin.ancestors().nth(3).unwrap();
        let libraries = fs::read_dir(top).unwrap().map(|entry| entry.unwrap().path());
        let libraries =
            libraries.into_iter().find(|path| path.to_string_lossy().ends_with(".libs"));
        command.env("LD_LIBRARY_PATH", libraries.unwrap());
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.pipe.take());
        self.watcher.wait().ok();
    }
}

impl Database {
    /// Runs `ask` with a connection of the superuser.
    pub(crate) fn with<T>(&self, ask: impl AsyncFnOnce(&mut Client) -> T) -> T {
        runtime().block_on(async {
            let (mut client, connection) = tokio_postgres::connect(&self.url, NoTls).await.unwrap();
            let connection = tokio::spawn(connection);
            let answer = ask(&mut client).await;
            drop(client);
            connection.await.ok();
            answer
        })
    }

    pub(crate) fn execute(&self, statements: &str) {
        self.with(async |client| client.batch_execute(statements).await.unwrap());
    }

    /// Returns the text of the first column of the first row.
    pub(crate) fn one(&self, query: &str) -> String {
        self.with(async |client| {
            let query = format!("select ({query})::text");
            let row = client.query_one(&query, &[]).await.unwrap();
            row.get::<_, Option<String>>(0).unwrap_or_default()
        })
    }
}

/// The runtime of the tests' own connections.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().unwrap())
}

fn or_skipped<T, E: std::fmt::Display>(cluster: Result<T, E>) -> Option<T> {
    let required = env::var("PIMEM_TEST_POSTGRES").is_ok_and(|value| value == "required");
    match cluster {
        Ok(cluster) => Some(cluster),
        Err(error) => {
            assert!(!required, "PostgreSQL is required: {error}");
            println!("skipped: no PostgreSQL ({error})");
            None
        }
    }
}

fn migrate(url: &str) {
    let mut migrate = Command::new(env!("CARGO_BIN_EXE_pimem-server"));
    let done = migrate.arg("migrate").env("DATABASE_URL", url).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

fn program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/pg/pgtest.sh")
}

/// Where the programs stay unpacked, for the next run: short, and one of each user.
fn cache() -> String {
    let user =
        fs::metadata("/proc/self").map_or(0, |own| std::os::unix::fs::MetadataExt::uid(&own));
    format!("/tmp/pimem-pg-cache-{user}")
}

fn script(dir: &Path, what: &str) -> Command {
    let mut command = Command::new(program());
    command.arg(what).arg(dir).env("PIMEM_TEST_PG_CACHE", cache()).stdin(Stdio::null());
    command
}
