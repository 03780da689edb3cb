//! Requests to a server: with a key, again after a failure that may pass, within a time limit.
#![expect(clippy::disallowed_methods, reason = "measures the time limit of an exchange")]

use std::{
    cell::Cell,
    thread,
    time::{Duration, Instant},
};

use pimem_core::sync::wire::{KeyOwner, PulledPage, PushBody, PushResult, ServerProblem};
use serde::de::DeserializeOwned;
use ureq::{Agent, Error, Proxy, http::Response};

use super::ServerKey;
use crate::{
    config::env::Env,
    error::{Failure, FailureKind},
    llm::{
        self,
        requests::{self, Failed, Url},
    },
    store::atomic,
    web,
};

/// Time limit of a request.
const REQUEST: Duration = Duration::from_mins(1);
/// Maximum length of an answer in bytes.
const MAX_ANSWER: u64 = 256 << 20;
/// Maximum number of objects in an answer to a pull.
const PAGE: u32 = 5_000;

/// What one exchange may take. A first exchange of 100,000 lines takes about 50 pulls and 100 MB.
#[derive(Debug, Clone, Copy)]
struct Limits {
    time: Duration,
    /// Number of answers to pulls, and their bytes, from which on no further one is asked for.
    pulls: u32,
    bytes: u64,
}

const LIMITS: Limits = Limits { time: Duration::from_mins(5), pulls: 1_000, bytes: 512 << 20 };

/// A server with the user's key.
pub struct Client {
    agent: Agent,
    address: Url,
    key: ServerKey,
    limits: Limits,
    end: Instant,
    pulls: Cell<u32>,
    bytes: Cell<u64>,
}

enum Call<'a> {
    Get(String),
    /// With the answer that is known: only another one is wanted.
    Renew(String, &'a str),
    Post(&'a str, String),
}

impl Client {
    /// Prepares requests to a server. Nothing is sent yet.
    ///
    /// # Errors
    /// Fails if the address is none, or is not encrypted and leads to another machine, unless
    /// `insecure` allows that.
    pub fn new(place: &str, key: ServerKey, insecure: bool, env: &Env) -> Result<Self, Failure> {
        let odd = || {
            let message = format!("sync.server is {place:?}, which is no address");
            Failure::new(FailureKind::Config, message, "write it as https://memory.example.org/")
        };
        let address = Url::parse(place).filter(|_| !place.contains('?')).ok_or_else(odd)?;
        if !address.is_https() && !requests::is_here(&address) && !insecure {
            let message = format!("{place} is not encrypted, and not on this machine");
            let hint = "use https, or set sync.insecure if nobody can listen on the way";
            return Err(Failure::new(FailureKind::Refused, message, hint));
        }
        let proxy = requests::proxy(place, env).map(|proxy| {
            let message = format!("{} is not an address", proxy.variable);
            Proxy::new(&proxy.value).map_err(|_| {
                Failure::new(FailureKind::Config, message, "write it as http://host:port")
            })
        });
        let agent = web::agent_with_key(proxy.transpose()?).build().into();
        let (end, pulls, bytes) = (Instant::now() + LIMITS.time, Cell::new(0), Cell::new(0));
        Ok(Self { agent, address, key, limits: LIMITS, end, pulls, bytes })
    }

    /// Returns true if an exchange has pulled as much as it may.
    pub fn is_spent(&self) -> bool {
        self.pulls.get() >= self.limits.pulls || self.bytes.get() >= self.limits.bytes
    }

    /// Returns the name of a directory for what is of this server.
    #[must_use]
    pub fn host(&self) -> String {
        self.address.place()
    }

    /// Asks whose the key is.
    pub fn me(&self) -> Result<KeyOwner, Failure> {
        self.json(&self.ask(&Call::Get("v1/me".to_owned()))?)
    }

    pub fn push(&self, push: &PushBody) -> Result<PushResult, Failure> {
        let body = serde_json::to_string(push).unwrap_or_default();
        self.json(&self.ask(&Call::Post("v1/sync/push", body))?)
    }

    /// Asks for the objects after a cursor. `None` if the cursor has ended: then all are to be
    /// asked for again.
    pub fn pull(&self, project: &str, cursor: Option<&str>) -> Result<Option<PulledPage>, Failure> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        // Nothing that a server has said gets into an address as more than a value.
        let cursor = cursor.filter(|cursor| cursor.chars().all(plain));
        let after = cursor.map_or_else(String::new, |cursor| format!("&cursor={cursor}"));
        let path = format!("v1/sync/pull?project={project}&limit={PAGE}{after}");
        let answer = self.ask(&match cursor {
            Some(cursor) => Call::Renew(path, cursor),
            None => Call::Get(path),
        })?;
        self.pulls.set(self.pulls.get() + 1);
        self.bytes.set(self.bytes.get() + answer.body().len() as u64);
        if let (304, Some(cursor)) = (answer.status().as_u16(), cursor) {
            return Ok(Some(PulledPage { cursor: cursor.to_owned(), ..PulledPage::default() }));
        }
        if answer.status().as_u16() == 410 && cursor.is_some() {
            return Ok(None);
        }
        self.json(&answer).map(Some)
    }

    /// Sends a request, and again after a failure that may pass.
    fn ask(&self, call: &Call<'_>) -> Result<Response<String>, Failure> {
        let mut made = 0;
        loop {
            made += 1;
            let answer = self.send(call);
            let left = self.end.saturating_duration_since(Instant::now());
            if left.is_zero() && answer.is_err() {
                return Err(self.over());
            }
            let failed = match &answer {
                Ok(answer) if answer.status().is_success() => return Ok(answer.clone()),
                Ok(answer) => {
                    let wait = answer.headers().get("retry-after");
                    let wait = wait.and_then(|wait| requests::retry_after(wait.to_str().ok()?));
                    Failed::Status(answer.status().as_u16(), wait)
                }
                Err(Error::Http(_) | Error::BadUri(_) | Error::Rustls(_)) => Failed::ForGood,
                Err(_) => Failed::Connection,
            };
            match (requests::wait(failed, made, left), answer) {
                (Some(wait), _) => thread::sleep(jittered(wait).min(left)),
                (None, Ok(answer)) => return Ok(answer),
                (None, Err(error)) => return Err(self.unreachable(&error)),
            }
        }
    }

    fn send(&self, call: &Call<'_>) -> Result<Response<String>, Error> {
        let left = self.end.saturating_duration_since(Instant::now()).min(REQUEST);
        let key = format!("Bearer {}", self.key.as_str());
        let answer = match call {
            Call::Get(path) => {
                let get = self.agent.get(self.address.join(path)).header("authorization", key);
                get.config().timeout_global(Some(left)).build().call()?
            }
            Call::Renew(path, known) => {
                let get = self.agent.get(self.address.join(path)).header("authorization", key);
                let get = get.header("if-none-match", format!("\"{known}\""));
                get.config().timeout_global(Some(left)).build().call()?
            }
            Call::Post(path, body) => {
                let post = self.agent.post(self.address.join(path)).header("authorization", key);
                let post = post.config().timeout_global(Some(left)).build();
                post.content_type("application/json").send(body)?
            }
        };
        let (head, mut body) = answer.into_parts();
        let body = body.with_config().limit(MAX_ANSWER).read_to_vec()?;
        Ok(Response::from_parts(head, String::from_utf8_lossy(&body).into_owned()))
    }

    fn json<T: DeserializeOwned>(&self, answer: &Response<String>) -> Result<T, Failure> {
        if !answer.status().is_success() {
            return Err(self.refusal(answer));
        }
        serde_json::from_str(answer.body()).map_err(|_| {
            let message = format!("{} gave what is no answer", self.address.join(""));
            Failure::new(FailureKind::Io, message, "is sync.server the address of a pimem-server?")
        })
    }

    fn over(&self) -> Failure {
        let (place, limit) = (self.address.join(""), self.limits.time);
        let message = format!("the exchange with {place} was not done within {limit:?}");
        Failure::new(
            FailureKind::Io,
            message,
            "what was exchanged until now is kept; run it again later",
        )
    }

    fn unreachable(&self, error: &Error) -> Failure {
        let cause = llm::shown(&error.to_string(), Some(self.key.as_str()));
        let message = format!("{} cannot be reached: {cause}", self.address.join(""));
        Failure::new(
            FailureKind::Io,
            message,
            "what was exchanged until now is kept; run it again later",
        )
    }

    /// Converts an answer that is an error.
    fn refusal(&self, answer: &Response<String>) -> Failure {
        let status = answer.status().as_u16();
        let problem: ServerProblem = serde_json::from_str(answer.body()).unwrap_or_default();
        let clean = |text: &str| llm::shown(text, Some(self.key.as_str()));
        let detail = if problem.detail.is_empty() { &problem.title } else { &problem.detail };
        let detail = if detail.is_empty() { String::new() } else { format!(": {}", clean(detail)) };
        let message = format!("{} answered {status}{detail}", self.address.join(""));
        let (kind, hint) = match status {
            401 => (
                FailureKind::Refused,
                "is the key right, and has it not expired? PIMEM_SYNC_KEY, or pimem/sync.key",
            ),
            403 | 404 => {
                (FailureKind::Refused, "may the key see the project? sync.project names it")
            }
            300..=399 => (
                FailureKind::Config,
                "redirects are not followed; set sync.server to where it leads",
            ),
            429 | 500..=599 => {
                (FailureKind::Io, "what was exchanged until now is kept; run it again later")
            }
            _ => (
                FailureKind::Io,
                "is sync.server the address of a pimem-server, as new as this pimem?",
            ),
        };
        let mut failure = Failure::new(kind, message, hint);
        failure.hints.extend(problem.hints.iter().take(3).map(|hint| clean(hint)));
        failure
    }
}

/// Returns a wait that is up to half longer, so that clients do not come back together.
fn jittered(wait: Duration) -> Duration {
    let random = atomic::random().map_or(0, |random| u32::try_from(random % 512).unwrap_or(0));
    wait + wait * random / 1024
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead, BufReader, Write},
        net::TcpListener,
    };

    use super::*;

    /// Returns a client of a server that answers each request with `body` of its number. Without a
    /// body it gives one of a megabyte, byte by byte.
    fn asking(limits: Limits, body: fn(usize) -> Option<String>) -> Client {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            for (number, mut stream) in listener.incoming().flatten().enumerate() {
                let mut head = BufReader::new(&stream).lines();
                while head.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
                let body = body(number);
                let length = body.as_ref().map_or(1 << 20, String::len);
                let head = format!("connection: close\r\ncontent-length: {length}\r\n\r\n");
                drop(stream.write_all(format!("HTTP/1.1 200 x\r\n{head}").as_bytes()));
                match body {
                    Some(body) => drop(stream.write_all(body.as_bytes())),
                    None => {
                        while stream.write_all(b" ").is_ok() {
                            thread::sleep(Duration::from_millis(1));
                        }
                    }
                }
            }
        });
        let mut env = Env::default();
        env.put("PIMEM_SYNC_KEY", Some("pmk_x".into()));
        let client = Client::new(&place, ServerKey::find(&env).unwrap(), false, &env).unwrap();
        Client { limits, end: Instant::now() + limits.time, ..client }
    }

    /// One page of a project without end.
    #[expect(clippy::unnecessary_wraps, reason = "a server may give no whole answer")]
    fn page(number: usize) -> Option<String> {
        let pad = " ".repeat(1_000);
        Some(format!("{{\"objects\":[],\"cursor\":\"{number}\",\"more\":true}}{pad}"))
    }

    #[test]
    fn pages_without_end_end() {
        let long = Duration::from_mins(10);
        for (pulls, bytes, want) in [(7, u64::MAX, 7), (u32::MAX, 2_500, 3)] {
            let client = asking(Limits { time: long, pulls, bytes }, page);
            let (mut asked, mut cursor) = (0, None);
            while !client.is_spent() {
                cursor = client.pull("site", cursor.as_deref()).unwrap().map(|page| page.cursor);
                asked += 1;
            }
            assert_eq!(asked, want);
        }
    }

    #[test]
    fn a_server_that_drips_is_left() {
        let limits = Limits { time: Duration::from_millis(50), ..LIMITS };
        let failure = asking(limits, |_| None).pull("site", None).unwrap_err();
        assert!(failure.message.contains("was not done within 50ms"), "{}", failure.message);
    }
}
