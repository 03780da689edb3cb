//! The program, as a process.

use std::{
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    process::{Child, Command, Output, Stdio},
    sync::{Arc, Mutex},
    thread::JoinHandle,
};

use serde_json::Value;

use super::{
    http::{self, Answer},
    pg::Database,
};

/// The key of sealed organisations, unless a test gives another.
pub(crate) const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Returns the program with nothing of this process's environment but the database.
pub(crate) fn program(url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pimem-server"));
    command.env_clear().env("DATABASE_URL", url).env("PIMEM_SERVER_KEY", KEY);
    command
}

/// Runs a command that succeeds, and returns what it printed.
pub(crate) fn run(database: &Database, arguments: &[&str]) -> String {
    let done = output(database, arguments);
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// Runs a command that fails, and returns what it says.
pub(crate) fn fails(database: &Database, arguments: &[&str]) -> String {
    let done = output(database, arguments);
    assert!(!done.status.success(), "{arguments:?} succeeded");
    String::from_utf8(done.stderr).unwrap()
}

fn output(database: &Database, arguments: &[&str]) -> Output {
    program(&database.url).args(arguments).output().unwrap()
}

/// A server that answers.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) metrics: SocketAddr,
    child: Child,
    log: Arc<Mutex<Vec<String>>>,
    reader: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts it on free ports.
    pub(crate) fn start(database: &Database) -> Self {
        Self::start_with(database, &[])
    }

    /// Starts it with further options.
    pub(crate) fn start_with(database: &Database, options: &[&str]) -> Self {
        let mut command = program(&database.url);
        command.args(["serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"]);
        command.args(options).stderr(Stdio::piped()).stdin(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let log = Arc::<Mutex<Vec<String>>>::default();
        let ready = loop {
            let line = lines.next().expect("the server announces its address").unwrap();
            let json: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
            log.lock().unwrap().push(line);
            if json["message"] == "listening" {
                break json;
            }
        };
        let to = Arc::clone(&log);
        let reader = std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| to.lock().unwrap().push(line));
        });
        let address = |value: &Value| -> SocketAddr {
            let text = value.as_str().unwrap().split("//").nth(1).unwrap();
            text.split('/').next().unwrap().parse().unwrap()
        };
        let (metrics, address) = (address(&ready["metrics"]), address(&ready["address"]));
        Self { address, metrics, child, log, reader: Some(reader) }
    }

    pub(crate) fn get(&self, key: &str, path: &str) -> Answer {
        let bearer = format!("Bearer {key}");
        http::request(self.address, "GET", path, &[("authorization", &bearer)], None).unwrap()
    }

    pub(crate) fn post(&self, key: &str, path: &str, body: &str) -> Answer {
        self.try_post(key, path, body).expect("an answer")
    }

    /// Like [`Self::post`], where the server may end meanwhile.
    pub(crate) fn try_post(&self, key: &str, path: &str, body: &str) -> Option<Answer> {
        let bearer = format!("Bearer {key}");
        let headers = [("authorization", &*bearer), ("content-type", "application/json")];
        http::request(self.address, "POST", path, &headers, Some(body.as_bytes()))
    }

    pub(crate) fn delete(&self, key: &str, path: &str) -> Answer {
        let bearer = format!("Bearer {key}");
        http::request(self.address, "DELETE", path, &[("authorization", &bearer)], None).unwrap()
    }

    /// Returns the lines of the log so far.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    /// Returns the counts.
    pub(crate) fn counts(&self) -> String {
        let answer = http::request(self.metrics, "GET", "/metrics", &[], None).unwrap();
        String::from_utf8(answer.body).unwrap()
    }

    /// Waits until nothing waits for the index.
    pub(crate) fn indexed(&self) {
        while !self.counts().contains("pimem_index_waiting 0\n") {}
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// Waits for its end and returns its log; true if it ended well.
    pub(crate) fn wait(mut self) -> (bool, Vec<String>) {
        let is_well = self.child.wait().unwrap().success();
        self.reader.take().unwrap().join().unwrap();
        (is_well, self.log.lock().unwrap().clone())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// An organisation with a project `site` and people of every role in it, and their keys.
pub(crate) struct Team {
    pub(crate) reader: String,
    pub(crate) writer: String,
    pub(crate) curator: String,
    pub(crate) admin: String,
}

impl Team {
    /// Makes one in the database.
    pub(crate) fn new(database: &Database, org: &str) -> Self {
        Self::with_project(database, org, "site")
    }

    /// Makes a sealed one.
    pub(crate) fn sealed(database: &Database, org: &str) -> Self {
        Self::of_mode(database, org, "site", "sealed")
    }

    /// Makes one that the server cannot read.
    pub(crate) fn opaque(database: &Database, org: &str) -> Self {
        Self::of_mode(database, org, "site", "end-to-end")
    }

    /// Makes one with a project of another name.
    pub(crate) fn with_project(database: &Database, org: &str, slug: &str) -> Self {
        Self::of_mode(database, org, slug, "plain")
    }

    fn of_mode(database: &Database, org: &str, slug: &str, mode: &str) -> Self {
        run(database, &["org", "create", org, "--mode", mode]);
        run(database, &["project", "create", slug, "--org", org]);
        let key = |user: &str, role: &str| {
            run(database, &["user", "create", user, "--org", org]);
            run(database, &["user", "grant", user, role, "--org", org]);
            key(database, org, user, "read,write,curate,admin")
        };
        Self {
            reader: key("rita", "reader"),
            writer: key("anna", "writer"),
            curator: key("karl", "curator"),
            admin: key("ada", "admin"),
        }
    }
}

/// Makes a key.
pub(crate) fn key(database: &Database, org: &str, user: &str, scopes: &str) -> String {
    let key = ["key", "create", user, "--scopes", scopes, "--org", org];
    run(database, &key).trim().to_owned()
}
