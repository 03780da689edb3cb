//! A local server that imitates providers of language models, correctly or with faults.
//!
//! The answers are in `fixtures/llm`, in the formats that the providers document.

use std::{
    collections::{BTreeMap, VecDeque},
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use super::{repository, sandbox::Sandbox};

/// The way a body is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Whole,
    /// The first half, then the end of the connection.
    Cut,
    /// Nothing, not even a status, until the client gives up.
    Hangs,
    /// Repeated without end, a thousand times a second.
    Endless,
    /// Ten bytes a second, from the first of the status.
    Drips,
}

#[derive(Debug, Clone)]
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    manner: Manner,
    delay: Duration,
}

impl Reply {
    /// Returns the answer recorded in `fixtures/llm/NAME.json`.
    pub(crate) fn recorded(name: &str) -> Self {
        let path = repository().join(format!("fixtures/llm/{name}.json"));
        let value: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let headers = value["headers"].as_object().unwrap().iter();
        let headers = headers.map(|(name, value)| (name.clone(), value.as_str().unwrap().into()));
        let status = u16::try_from(value["status"].as_u64().unwrap()).unwrap();
        let json = ("content-type".to_owned(), "application/json".to_owned());
        let headers = std::iter::once(json).chain(headers).collect();
        let body = value["body"].to_string().into_bytes();
        Self { status, headers, body, manner: Manner::Whole, delay: Duration::ZERO }
    }

    /// Returns a recorded answer with another text.
    fn saying(name: &str, pointer: &str, text: &str) -> Self {
        let reply = Self::recorded(name);
        let mut body: Value = serde_json::from_slice(&reply.body).unwrap();
        *body.pointer_mut(pointer).unwrap() = json!(text);
        reply.body(body.to_string())
    }

    pub(crate) fn openai(text: &str) -> Self {
        Self::saying("openai", "/choices/0/message/content", text)
    }

    pub(crate) fn anthropic(text: &str) -> Self {
        Self::saying("anthropic", "/content/0/text", text)
    }

    pub(crate) fn gemini(text: &str) -> Self {
        Self::saying("gemini", "/candidates/0/content/parts/0/text", text)
    }

    pub(crate) fn ollama(text: &str) -> Self {
        Self::saying("ollama", "/message/content", text)
    }

    /// Returns an answer that never comes.
    pub(crate) fn hang() -> Self {
        Self { manner: Manner::Hangs, ..Self::recorded("openai") }
    }

    pub(crate) fn cut(self) -> Self {
        Self { manner: Manner::Cut, ..self }
    }

    pub(crate) fn endless(self) -> Self {
        Self { manner: Manner::Endless, ..self }
    }

    pub(crate) fn dripping(self) -> Self {
        Self { manner: Manner::Drips, ..self }
    }

    pub(crate) fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    pub(crate) fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    pub(crate) fn body(self, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..self }
    }

    /// Sets a header, replacing one of that name.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) path: String,
    /// Keyed by name in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// A server that runs until the tests end.
pub(crate) struct Provider {
    address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Provider {
    /// Starts a server that gives these answers in order, and then status 500.
    pub(crate) fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1/", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let replies = Arc::new(Mutex::new(VecDeque::from(replies)));
        let record = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, record, replies) =
                    (stream.unwrap(), Arc::clone(&record), Arc::clone(&replies));
                thread::spawn(move || serve(&stream, &record, &replies));
            }
        });
        Self { address, requests }
    }

    pub(crate) fn endpoint(&self) -> &str {
        &self.address
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// Configures this server in the user's settings for a role, keeping other roles.
    pub(crate) fn serve(&self, sandbox: &Sandbox, role: &str, provider: &str) {
        let settings = json!({
            "provider": provider, "endpoint": self.address, "model": "test-model",
        });
        configure(sandbox, role, settings);
    }
}

/// Writes settings of a role to the user's file, keeping other roles.
pub(crate) fn configure(sandbox: &Sandbox, role: &str, settings: Value) {
    let path = sandbox.home().join(".pi/agent/memory.json");
    let before = fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_owned());
    let mut file: Value = serde_json::from_str(&before).unwrap();
    file[role] = settings;
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, file.to_string()).unwrap();
}

/// Configures a shell script with this text as the program for a role.
pub(crate) fn command(sandbox: &Sandbox, role: &str, script: &str) {
    let path = sandbox.root().join(format!("{role}.sh"));
    super::write_program(&path, &format!("#!/bin/sh\n{script}\n"));
    configure(sandbox, role, json!({"provider": "command", "command": path}));
}

fn serve(stream: &TcpStream, record: &Mutex<Vec<Request>>, replies: &Mutex<VecDeque<Reply>>) {
    let Some(request) = heard(stream) else { return };
    record.lock().unwrap().push(request);
    let none = || Reply::recorded("openai-500").body("{\"error\": \"no reply is left\"}");
    let reply = replies.lock().unwrap().pop_front().unwrap_or_else(none);
    thread::sleep(reply.delay);
    drop(answer(stream, &reply));
}

fn heard(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body).ok()?;
    Some(Request { path, headers, body: String::from_utf8(body).unwrap() })
}

fn answer(mut stream: &TcpStream, reply: &Reply) -> std::io::Result<()> {
    if reply.manner == Manner::Hangs {
        // Wait until the client closes the connection.
        drop(stream.read(&mut [0]));
        return Ok(());
    }
    let mut head = format!("HTTP/1.1 {} x\r\nConnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        head += &format!("{name}: {value}\r\n");
    }
    if reply.manner != Manner::Endless {
        head += &format!("content-length: {}\r\n", reply.body.len());
    }
    head += "\r\n";
    if reply.manner == Manner::Drips {
        for byte in head.bytes().chain(reply.body.iter().copied()) {
            stream.write_all(&[byte])?;
            thread::sleep(Duration::from_millis(100));
        }
        return Ok(());
    }
    stream.write_all(head.as_bytes())?;
    match reply.manner {
        Manner::Cut => stream.write_all(&reply.body[..reply.body.len() / 2]),
        Manner::Endless => loop {
            stream.write_all(&reply.body)?;
            thread::sleep(Duration::from_millis(1));
        },
        _ => stream.write_all(&reply.body),
    }
}
