//! A server with the paths of Hugging Face, which can also misbehave.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    thread,
};

/// The answer for a path.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// These bytes.
    Whole(Vec<u8>),
    /// The first half of the bytes, then the end of the connection.
    Half(Vec<u8>),
    /// The first half of the bytes, then nothing until the client gives up.
    Stalls(Vec<u8>),
    /// A redirection to another path.
    Moved(String),
    /// A status without a body.
    Status(u16),
}

/// Serves `answers` until the tests end; other paths are not found. Returns the address.
pub(crate) fn serve(answers: BTreeMap<String, Answer>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, answers) = (stream.unwrap(), answers.clone());
            thread::spawn(move || drop(answer(&stream, &answers)));
        }
    });
    address
}

fn answer(mut stream: &TcpStream, answers: &BTreeMap<String, Answer>) -> std::io::Result<()> {
    let mut request = String::new();
    let mut reader = BufReader::new(stream);
    while reader.read_line(&mut request)? > 2 {}
    let path = request.split(' ').nth(1).unwrap_or_default();
    let (status, length, body) = match answers.get(path) {
        Some(Answer::Whole(bytes)) => (200, bytes.len(), bytes.as_slice()),
        Some(Answer::Half(bytes) | Answer::Stalls(bytes)) => {
            (200, bytes.len(), &bytes[..bytes.len() / 2])
        }
        Some(Answer::Moved(to)) => {
            let head = format!("HTTP/1.1 302 x\r\nLocation: {to}\r\nContent-Length: 0\r\n");
            return write!(stream, "{head}Connection: close\r\n\r\n");
        }
        Some(Answer::Status(status)) => (*status, 0, &b""[..]),
        None => (404, 0, &b""[..]),
    };
    write!(stream, "HTTP/1.1 {status} x\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n")?;
    stream.write_all(body)?;
    if let Some(Answer::Stalls(_)) = answers.get(path) {
        drop(reader.read_line(&mut String::new()));
    }
    Ok(())
}
