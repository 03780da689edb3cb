//! A server that gives vectors as Ollama does, or something else.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};

/// What the server does with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    /// It gives vectors of so many numbers.
    Vectors(usize),
    /// It never answers.
    Hangs,
    /// It answers with a page.
    Page,
    /// It does not have the model.
    Unknown,
    /// It leaves out the last vector.
    Few,
    /// A number is none.
    NoNumber,
    /// A number is larger than any.
    Infinite,
    /// The vectors have no direction.
    Zeros,
    /// It ends the connection in the middle.
    Cut,
}

pub(crate) struct Ollama {
    address: String,
    mood: Arc<Mutex<Mood>>,
    bodies: Arc<Mutex<Vec<Value>>>,
    connections: Arc<Mutex<usize>>,
}

impl Ollama {
    /// Starts a server that runs until the tests end.
    pub(crate) fn start(mood: Mood) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let ollama = Self {
            address,
            mood: Arc::new(Mutex::new(mood)),
            bodies: Arc::default(),
            connections: Arc::default(),
        };
        let (mood, bodies) = (Arc::clone(&ollama.mood), Arc::clone(&ollama.bodies));
        let connections = Arc::clone(&ollama.connections);
        thread::spawn(move || {
            for stream in listener.incoming() {
                *connections.lock().unwrap() += 1;
                let (stream, bodies) = (stream.unwrap(), Arc::clone(&bodies));
                let mood = *mood.lock().unwrap();
                thread::spawn(move || drop(answer(&stream, mood, &bodies)));
            }
        });
        ollama
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn becomes(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    pub(crate) fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }

    /// Returns the requests since the last call.
    pub(crate) fn take(&self) -> Vec<Value> {
        std::mem::take(&mut self.bodies.lock().unwrap())
    }
}

fn answer(mut stream: &TcpStream, mood: Mood, bodies: &Mutex<Vec<Value>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    reader.read_line(&mut line)?;
    let is_known = line.starts_with("POST /api/embed ");
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body)?;
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    bodies.lock().unwrap().push(body.clone());
    let none = Vec::new();
    let inputs = body["input"].as_array().unwrap_or(&none);
    let dimension = if let Mood::Vectors(dimension) = mood { dimension } else { 64 };
    let mut rows: Vec<Value> =
        inputs.iter().map(|text| json!(vector(text.as_str().unwrap(), dimension))).collect();
    match mood {
        Mood::Few => drop(rows.pop()),
        Mood::NoNumber => rows[0][3] = Value::Null,
        Mood::Infinite => rows[0][3] = json!(1e300),
        Mood::Zeros => rows.fill(json!(vec![0.0; dimension])),
        _ => {}
    }
    let mut status = 200;
    let mut text = json!({"model": body["model"], "embeddings": rows}).to_string();
    match mood {
        Mood::Hangs => {
            // Wait until the client closes the connection.
            drop(stream.read(&mut [0]));
            return Ok(());
        }
        Mood::Page => text = "<!DOCTYPE html><title>Sign in</title>".to_owned(),
        Mood::Unknown => {
            status = 404;
            text = json!({"error": "model \"x\" not found, try pulling it first"}).to_string();
        }
        _ if !is_known => status = 404,
        _ => {}
    }
    write!(
        stream,
        "HTTP/1.1 {status} x\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        text.len()
    )?;
    let end = if mood == Mood::Cut { text.len() / 2 } else { text.len() };
    stream.write_all(&text.as_bytes()[..end])
}

/// Sums a direction for each word.
fn vector(text: &str, dimension: usize) -> Vec<f64> {
    let mut sum = vec![0.01; dimension];
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let mut state = word
            .to_lowercase()
            .bytes()
            .fold(7_u32, |state, byte| state.wrapping_mul(31).wrapping_add(u32::from(byte)));
        for x in &mut sum {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *x += f64::from(state >> 16) / 32_768.0 - 1.0;
        }
    }
    sum
}
