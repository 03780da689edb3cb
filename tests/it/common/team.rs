//! A local server that keeps what `pimem sync` pushes, in memory, and misbehaves when told to.

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};

/// A fault instead of the next answer.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// A status with a body, and seconds to wait.
    Status(u16, &'static str, Option<&'static str>),
    /// The connection ends in the middle of the answer.
    Cut,
    /// The connection ends at once, but the request was obeyed.
    Lost,
    /// This body, with success.
    Says(&'static str),
    /// No fault.
    Fine,
}

#[derive(Default)]
struct Shared {
    /// Objects of each project, in the order in which they came.
    objects: BTreeMap<String, Vec<Value>>,
    known: HashSet<(String, String)>,
    faults: VecDeque<Fault>,
    /// Method and path of each request, with its key.
    requests: Vec<(String, String)>,
    page: usize,
    mode: &'static str,
    /// Events dated more than a day after this are refused.
    clock: Option<String>,
    /// True if there is always another page.
    is_endless: bool,
}

/// A server that runs until the tests end. The user of the key `anna-1` is anna.
pub(crate) struct Team {
    pub(crate) address: String,
    shared: Arc<Mutex<Shared>>,
}

impl Team {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let shared = Shared { page: 1_000, mode: "plain", ..Shared::default() };
        let shared = Arc::new(Mutex::new(shared));
        let known = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let known = Arc::clone(&known);
                thread::spawn(move || serve(&stream.unwrap(), &known));
            }
        });
        Self { address, shared }
    }

    /// Gives these answers first.
    pub(crate) fn misbehave(&self, faults: &[Fault]) {
        self.shared.lock().unwrap().faults.extend(faults.iter().cloned());
    }

    /// Sets the number of objects in an answer.
    pub(crate) fn pages_of(&self, page: usize) {
        self.shared.lock().unwrap().page = page;
    }

    /// Sets the clock of the server.
    pub(crate) fn clock_is(&self, now: &str) {
        self.shared.lock().unwrap().clock = Some(now.to_owned());
    }

    /// Gives pages of nothing, and always another one.
    pub(crate) fn endless(&self, is_endless: bool) {
        self.shared.lock().unwrap().is_endless = is_endless;
    }

    pub(crate) fn in_mode(&self, mode: &'static str) {
        self.shared.lock().unwrap().mode = mode;
    }

    /// Does something to the objects of a project that no honest server does.
    pub(crate) fn tamper(&self, project: &str, act: impl FnOnce(&mut Vec<Value>)) {
        act(self.shared.lock().unwrap().objects.entry(project.to_owned()).or_default());
    }

    /// Forgets what has been asked for, and returns it.
    pub(crate) fn requests(&self) -> Vec<String> {
        let requests = std::mem::take(&mut self.shared.lock().unwrap().requests);
        requests.into_iter().map(|(request, _)| request).collect()
    }

    /// Loses everything.
    pub(crate) fn lose(&self) {
        let mut shared = self.shared.lock().unwrap();
        shared.objects.clear();
        shared.known.clear();
    }

    /// Returns everything that it has of a project.
    pub(crate) fn held(&self, project: &str) -> String {
        let shared = self.shared.lock().unwrap();
        shared.objects.get(project).map_or_else(String::new, |all| json!(all).to_string())
    }
}

fn serve(stream: &TcpStream, shared: &Mutex<Shared>) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    let request = line.trim_end_matches(" HTTP/1.1\r\n").to_owned();
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let Some((name, value)) = line.split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body).unwrap();
    let key = headers.get("authorization").cloned().unwrap_or_default();
    let mut shared = shared.lock().unwrap();
    shared.requests.push((request.clone(), key.clone()));
    let fault = shared.faults.pop_front().unwrap_or(Fault::Fine);
    let (status, wait, answer) = match &fault {
        Fault::Status(status, body, wait) => (*status, *wait, (*body).to_owned()),
        Fault::Says(body) => (200, None, (*body).to_owned()),
        _ => {
            let (status, answer) = answer(&mut shared, &request, &key, &body);
            (status, None, answer)
        }
    };
    drop(shared);
    let wait = wait.map_or_else(String::new, |wait| format!("retry-after: {wait}\r\n"));
    let head = format!(
        "HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-type: application/json\r\n{wait}\
         content-length: {}\r\n\r\n",
        answer.len()
    );
    let sent = match fault {
        Fault::Lost => "",
        Fault::Cut => &answer[..answer.len() / 2],
        _ => &answer,
    };
    let head = if matches!(fault, Fault::Lost) { "" } else { &*head };
    let mut stream = stream;
    drop(stream.write_all([head, sent].concat().as_bytes()));
}

fn answer(shared: &mut Shared, request: &str, key: &str, body: &str) -> (u16, String) {
    let Some((user, _)) = key.strip_prefix("Bearer ").and_then(|key| key.split_once('-')) else {
        return (401, json!({"title": "no key", "detail": "this key is not known"}).to_string());
    };
    let (method, path) = request.split_once(' ').unwrap();
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let query: BTreeMap<&str, &str> = query.split('&').filter_map(|p| p.split_once('=')).collect();
    match (method, path) {
        ("GET", "/v1/me") => {
            let projects = ["project", "tern"];
            let me = json!({"organisation": "harbor", "user": user, "scopes": ["read", "write"],
                "projects": projects, "roles": ["writer", "writer"], "mode": shared.mode});
            (200, me.to_string())
        }
        ("POST", "/v1/sync/push") => {
            let push: Value = serde_json::from_str(body).unwrap();
            assert!(body.len() <= 1 << 20, "{}", body.len());
            (200, pushed(shared, user, &push).to_string())
        }
        ("GET", "/v1/sync/pull") if shared.is_endless => {
            let next = shared.requests.len().to_string();
            (200, json!({"objects": [], "cursor": next, "more": true}).to_string())
        }
        ("GET", "/v1/sync/pull") => {
            let all = shared.objects.get(query["project"]).cloned().unwrap_or_default();
            let from = query.get("cursor").map_or(0, |cursor| cursor.parse().unwrap());
            if from > all.len() {
                return (410, json!({"title": "gone"}).to_string());
            }
            let to = all.len().min(from + shared.page);
            let page =
                json!({"objects": all[from..to], "cursor": to.to_string(), "more": to < all.len()});
            (200, page.to_string())
        }
        _ => (404, String::new()),
    }
}

/// Drops the line that a purge names. What is left in its place keeps the cursors in step.
fn drop_purged(shared: &mut Shared, project: &str, event: &Value) {
    if event["op"] != "purge" {
        return;
    }
    let named = |entry: &Value| {
        let is_sealed = entry["id"].is_string();
        if is_sealed { entry["id"] == event["entry"] } else { entry["hash"] == event["hash"] }
    };
    let mut hashes = Vec::new();
    for object in shared.objects.entry(project.to_owned()).or_default() {
        if object["kind"] == "entry" && named(object) {
            hashes.push(object["hash"].as_str().unwrap().to_owned());
            *object = json!({"kind": "event", "author": object["author"], "event": event});
        }
    }
    shared.known.retain(|(_, name)| !hashes.iter().any(|hash| name.contains(hash.as_str())));
}

/// Returns true if a time is more than a day after another.
fn is_days_after(ts: &str, now: &str) -> bool {
    let days = |text: &str| -> f64 {
        let number = |at: std::ops::Range<usize>| text[at].parse::<f64>().unwrap();
        (number(0..4) * 12.0 + number(5..7)) * 31.0 + number(8..10) + number(11..13) / 24.0
    };
    days(ts) - days(now) > 1.0
}

fn pushed(shared: &mut Shared, user: &str, push: &Value) -> Value {
    let project = push["project"].as_str().unwrap().to_owned();
    let mut counts = [[0, 0], [0, 0]];
    let mut refused = Vec::new();
    let objects = |kind: &str, list: &str| -> Vec<Value> {
        let all = push[list].as_array().unwrap().iter();
        all.map(|object| match kind {
            "entry" => {
                let mut entry = object.clone();
                entry["kind"] = json!("entry");
                entry["author"] = json!(user);
                entry
            }
            _ => json!({"kind": "event", "author": user, "event": object}),
        })
        .collect()
    };
    assert!(
        push["entries"].as_array().unwrap().len() + push["events"].as_array().unwrap().len()
            <= 1_000
    );
    for (at, (kind, list)) in [("entry", "entries"), ("event", "events")].into_iter().enumerate() {
        for mut object in objects(kind, list) {
            if let (Some(clock), Some(ts)) = (&shared.clock, object["event"]["ts"].as_str())
                && is_days_after(ts, clock)
            {
                let id = &object["event"]["id"];
                refused.push(json!({"kind": "event", "id": id, "reason": "future", "detail": ""}));
                continue;
            }
            let author = object["author"].take();
            // What is sealed has other bytes each time.
            let sealed = [&object["hash"], &object["event"]["hash"]];
            let name = sealed.iter().find_map(|hash| hash.as_str().map(str::to_owned));
            let is_sealed = shared.mode == "end-to-end";
            let name = name.filter(|_| is_sealed).unwrap_or_else(|| object.to_string());
            let is_new = shared.known.insert((project.clone(), name));
            object["author"] = author;
            counts[at][usize::from(!is_new)] += 1;
            if is_new {
                drop_purged(shared, &project, &object["event"]);
                shared.objects.entry(project.clone()).or_default().push(object);
            }
        }
    }
    let [entries, events] = counts.map(|[new, known]| json!({"new": new, "known": known}));
    json!({"entries": entries, "events": events, "refused": refused})
}
