//! Requests that no client of ours sends. None of them is an error of the server.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    thread,
};

use serde_json::Value;

use crate::common::{
    http::{self, Answer, answer, raw},
    objects::facts,
    pg::Cluster,
    server::{Server, Team, program},
};

/// Returns the paths of the document that take a body.
fn with_bodies() -> Vec<String> {
    let document = program("").arg("openapi").output().unwrap().stdout;
    let document: Value = serde_json::from_slice(&document).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    paths
        .filter(|(_, item)| item["post"].get("requestBody").is_some())
        .map(|(path, _)| path.clone())
        .collect()
}

/// Ends the server and looks for what it calls its own mistakes.
fn without_mistakes(server: Server) {
    assert_eq!(server.get("", "/readyz").status, 200);
    server.signal("-TERM");
    let (is_well, log) = server.wait();
    let mistakes: Vec<_> = log.iter().filter(|line| line.contains("\"level\":\"error\"")).collect();
    assert!(is_well && mistakes.is_empty(), "{mistakes:?}");
}

#[test]
fn bodies() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start_with(&database, &["--rate", "100000", "--burst", "100000"]);
    let bearer = format!("Bearer {}", team.admin);
    let send = |path: &str, media_type: &str, body: &[u8]| -> Answer {
        let headers = [("authorization", &*bearer), ("content-type", media_type)];
        http::request(server.address, "POST", path, &headers, Some(body)).unwrap()
    };
    let json = "application/json";
    let deep = format!("{{\"project\":\"site\",\"entries\":{}", "[".repeat(100_000));
    let many = format!("{{\"project\":\"site\",\"events\":[{}0]}}", "0,".repeat(1_000));
    let large = format!("{{\"project\":\"{}\"}}", "x".repeat(2 << 20));
    let paths = with_bodies();
    assert!(!paths.is_empty());
    for path in &paths {
        for body in [
            b"".as_slice(),
            b"{",
            b"null",
            b"[]",
            b"7",
            b"\"\\ud800\"",
            b"{\"project\":7}",
            b"{\"project\":\"site\",\"entries\":7,\"events\":7}",
            b"{\"project\":\"site\xff\"}",
            b"\xef\xbb\xbf{\"project\":\"site\"}",
            deep.as_bytes(),
            &[0; 100],
        ] {
            let answer = send(path, json, body);
            assert_eq!((answer.status, answer.kind().as_str()), (400, "usage"), "{path} {body:?}");
        }
        assert_eq!(send(path, json, large.as_bytes()).kind(), "too-large");
        for media_type in ["text/plain", "", "application/x-www-form-urlencoded", "\u{e9}"] {
            let answer = send(path, media_type, b"{}");
            assert_eq!(answer.status, 415, "{path} {media_type}");
            answer.kind();
        }
    }
    assert_eq!(send("/v1/sync/push", json, many.as_bytes()).kind(), "too-large");
    let nul = send("/v1/sync/push", json, b"{\"project\":\"site\\u0000\"}");
    assert_eq!(nul.kind(), "not-found");
    without_mistakes(server);
}

/// Texts that PostgreSQL or JSON cannot have do not poison what is pulled later.
#[test]
fn objects_with_odd_characters() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let good = facts(&["good"]);
    let good: Value = serde_json::to_value(&good).unwrap();
    let odd = ["\\u0000", "\\ud800", "\\udc00\\ud800", "\u{202e}", "\\r", "\u{fffe}", "\u{10ffff}"];
    for odd in odd {
        for field in ["op", "by", "entry", "id", "ts", "session"] {
            let event = good["events"][0].to_string();
            let event = event.replacen('}', &format!(",\"{field}\":\"{odd}\"}}"), 1);
            let body = format!("{{\"project\":\"site\",\"events\":[{event}]}}");
            let answer = server.post(&team.writer, "/v1/sync/push", &body);
            assert!(matches!(answer.status, 200 | 400 | 429), "{event}: {answer:?}");
        }
        let hash = "0".repeat(64);
        let body = format!(
            "{{\"project\":\"site\",\"entries\":[{{\"hash\":\"{hash}\",\"line\":\"- [fact] {odd}\"}}]}}"
        );
        let answer = server.post(&team.admin, "/v1/sync/push", &body);
        assert!(matches!(answer.status, 200 | 400), "{body}: {answer:?}");
    }
    let count: usize = database.one("select count(*) from pimem.events").parse().unwrap();
    for object in server.pull(&team.reader, count, 5000) {
        let event = object.event.unwrap();
        assert!(serde_json::from_str::<Value>(event.get()).is_ok() || event.get().contains("\\ud"));
    }
    without_mistakes(server);
}

#[test]
fn addresses() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start_with(&database, &["--rate", "100000", "--burst", "100000"]);
    let long = format!("cursor={}", "a".repeat(60_000));
    for query in [
        "",
        "project",
        "project=site&limit=-1",
        "project=site&limit=0",
        "project=site&limit=5001",
        "project=site&limit=99999999999999999999",
        "project=site&limit=1.5",
        "project=site&limit=",
        "project=site&limit=1&limit=2",
        "project=site&project=site",
        "project=site&x=1",
        "project=site&cursor=",
        "project=site&cursor=zz",
        "project=site&cursor=%00",
        "%00=1",
        "project=%ff",
        "project=site&cursor=%F0%28%8C%28",
        "project=site&cursor=00",
        &long,
    ] {
        let answer = server.get(&team.reader, &format!("/v1/sync/pull?{query}"));
        assert!(matches!(answer.status, 400 | 404 | 414 | 431), "{query:.60}: {answer:?}");
    }
    for path in ["//", "/v1", "/v1/", "/v1/me/", "/v1/../metrics", "/%2e%2e/", "/v1/m%65", "/V1/me"]
    {
        let answer = server.get(&team.reader, path);
        assert!(matches!(answer.status, 200 | 404), "{path}: {answer:?}");
    }
    without_mistakes(server);
}

#[test]
fn bytes_that_are_no_request() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let head = format!(
        "POST /v1/sync/push HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\
        content-type: application/json\r\n",
        team.writer
    );
    for bytes in [
        b"\r\n\r\n\r\n\r\n".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        format!("GET /v1/me HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(5_000)).into_bytes(),
        format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "a".repeat(1 << 20)).into_bytes(),
        format!("{head}content-length: 5\r\ncontent-length: 6\r\n\r\n{{}}").into_bytes(),
        format!("{head}content-length: -1\r\n\r\n").into_bytes(),
        format!("{head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n")
            .into_bytes(),
        format!("{head}transfer-encoding: chunked\r\n\r\nzz\r\n").into_bytes(),
        format!("{head}transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n").into_bytes(),
    ] {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(&bytes).ok();
        stream.shutdown(std::net::Shutdown::Write).ok();
        if let Some(answer) = answer(stream) {
            assert!(answer.status < 500, "{answer:?}");
        }
    }
    without_mistakes(server);
}

/// Heads and bodies that do not end, while others are answered.
#[test]
fn slow_clients() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start_with(&database, &["--requests", "8", "--clients", "64"]);
    let bearer = format!("authorization: Bearer {}\r\n", team.writer);
    let head = format!(
        "POST /v1/sync/push HTTP/1.1\r\nhost: x\r\n{bearer}\
        content-type: application/json\r\ncontent-length: 100\r\n\r\n{{"
    );
    thread::scope(|scope| {
        let bodies: Vec<_> =
            (0..4).map(|_| scope.spawn(|| raw(server.address, head.as_bytes()).unwrap())).collect();
        let heads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| raw(server.address, b"GET /v1/me HTTP/1.1\r\nhost:")))
            .collect();
        assert_eq!(server.get(&team.reader, "/v1/me").status, 200);
        for body in bodies {
            let answer = body.join().unwrap();
            assert_eq!((answer.status, answer.kind().as_str()), (408, "timeout"));
        }
        for head in heads {
            assert!(head.join().unwrap().is_none_or(|answer| answer.status == 408));
        }
    });
    without_mistakes(server);
}

/// More than there is room for, at once and one after the other.
#[test]
fn many_connections() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start_with(&database, &["--clients", "50"]);
    for _ in 0..50 {
        let mut crowd: Vec<TcpStream> =
            (0..200).map(|_| TcpStream::connect(server.address).unwrap()).collect();
        for stream in &mut crowd {
            stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").ok();
        }
        // Whoever has no place, or had to make room, is told so by the end of the connection.
        let answered = crowd.iter_mut().map(|stream| stream.read(&mut [0; 1]).unwrap_or(0));
        assert!(answered.sum::<usize>() >= 1);
    }
    // Those that left are noticed one by one.
    while http::request(server.address, "GET", "/healthz", &[], None).is_none() {}
    assert_eq!(server.get(&team.reader, "/v1/me").status, 200);
    without_mistakes(server);
}

/// Sockets that say nothing keep nobody out, however long they are held.
#[test]
fn idle_connections_without_a_key() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start_with(&database, &["--clients", "8"]);
    let mut idle: Vec<TcpStream> = Vec::new();
    // One fewer at a time than there is room for: those that connect together get their places in
    // any order, and a full room of them may push out a request that is not read yet.
    for _ in 0..8 {
        idle.extend((0..7).map(|_| TcpStream::connect(server.address).unwrap()));
        assert_eq!(server.get(&team.reader, "/v1/me").status, 200);
    }
    // The oldest were told by the end of the connection, and are not waited for.
    assert_eq!(idle[0].read(&mut [0; 1]).unwrap_or(0), 0);
    without_mistakes(server);
}

/// More requests than there is room for are told to come again.
#[test]
fn many_requests() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let options = ["--requests", "2", "--rate", "100000", "--burst", "100000"];
    let server = Server::start_with(&database, &options);
    let sent = serde_json::to_string(&facts(&["one"])).unwrap();
    thread::scope(|scope| {
        let clients: Vec<_> = (0..16)
            .map(|_| {
                scope.spawn(|| {
                    let push = || server.post(&team.writer, "/v1/sync/push", &sent);
                    (0..50).map(|_| push()).collect::<Vec<_>>()
                })
            })
            .collect();
        for answer in clients.into_iter().flat_map(|client| client.join().unwrap()) {
            if answer.status != 200 {
                assert_eq!((answer.status, answer.kind().as_str()), (503, "unavailable"));
                assert!(answer.headers.contains_key("retry-after"));
            }
        }
    });
    server.pull(&team.reader, 2, 10);
    without_mistakes(server);
}
