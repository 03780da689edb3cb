//! Start, health, limits, and the end.

use std::{fs, net::TcpListener, process::Stdio};

use crate::common::{
    http,
    pg::Cluster,
    server::{Server, Team, fails, program, run},
};

#[test]
fn health_needs_no_key_and_everything_else_does() {
    let Some(cluster) = Cluster::shared() else { return };
    let server = Server::start(&cluster.database());
    for path in ["/healthz", "/readyz", "/openapi.json"] {
        let answer = http::request(server.address, "GET", path, &[], None).unwrap();
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.headers["cache-control"], "no-store");
    }
    let answer = http::request(server.address, "GET", "/v1/me", &[], None).unwrap();
    assert_eq!((answer.status, answer.kind().as_str()), (401, "unauthorized"));
    assert!(answer.headers["www-authenticate"].starts_with("Bearer"));
    assert!(!answer.headers.contains_key("pimem-problem-kind"));
    assert_eq!(server.get("", "/nowhere").kind(), "not-found");
    let answer = http::request(server.address, "PUT", "/v1/me", &[], None).unwrap();
    assert_eq!(answer.status, 405);
    // Counts are on the other listener alone.
    assert_eq!(server.get("", "/metrics").status, 404);
    let counts = server.counts();
    assert!(counts.contains("pimem_requests_total{route=\"/v1/me\",status=\"401\"} 1"), "{counts}");
    assert!(counts.contains("pimem_index_waiting 0"), "{counts}");
    assert!(counts.contains("pimem_database_up 1"), "{counts}");
}

#[test]
fn a_request_has_an_id() {
    let Some(cluster) = Cluster::shared() else { return };
    let server = Server::start(&cluster.database());
    let id = "0188b5a8-6d3f-7c9e-8a7b-1c2d3e4f5a6b";
    let with = |id: &str| {
        let headers = [("x-request-id", id)];
        let answer = http::request(server.address, "GET", "/healthz", &headers, None).unwrap();
        answer.headers["x-request-id"].clone()
    };
    assert_eq!(with(id), id);
    let made = with("not \"one\"");
    assert_eq!(made.len(), 36);
    server.signal("-TERM");
    let (is_well, log) = server.wait();
    assert!(is_well);
    assert!(
        log.iter().any(|line| line.contains(id)) && log.iter().any(|line| line.contains(&made))
    );
}

#[test]
fn an_open_address_needs_tls_or_a_proxy() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let told = fails(&database, &["serve", "--listen", "0.0.0.0:0"]);
    assert!(told.contains("--behind-proxy") && told.contains("--tls-cert"), "{told}");
    let told = fails(&database, &["serve", "--metrics", "0.0.0.0:0"]);
    assert!(told.contains("metrics on"), "{told}");
    let told = fails(&database, &["serve", "--tls-cert", "x"]);
    assert!(told.contains("go together"), "{told}");
}

#[test]
fn an_address_that_is_taken_is_said() {
    let Some(cluster) = Cluster::shared() else { return };
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let told = fails(&cluster.database(), &["serve", "--metrics", "off", "--listen", &address]);
    assert!(told.contains(&format!("listening on {address}")), "{told}");
}

/// Options of the command line go before the environment, and both before the file.
#[test]
fn settings_come_from_three_places() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let dir = cluster.dir().join("..").join(format!("settings-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    let file = dir.join("server.json");
    fs::write(&file, r#"{"listen": "0.0.0.0:1", "rate": 7}"#).unwrap();
    let run = |environment: &[(&str, &str)], arguments: &[&str]| {
        let mut command = program(&database.url);
        command.arg("serve").args(arguments).env("PIMEM_SERVER_CONFIG", &file);
        command.envs(environment.iter().copied()).stdin(Stdio::null());
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    assert!(run(&[], &[]).contains("0.0.0.0:1 is not loopback"));
    assert!(run(&[("PIMEM_SERVER_LISTEN", "0.0.0.0:2")], &[]).contains("0.0.0.0:2 is not"));
    let environment = [("PIMEM_SERVER_LISTEN", "0.0.0.0:2")];
    assert!(run(&environment, &["--listen", "0.0.0.0:3"]).contains("0.0.0.0:3 is not"));
    fs::write(&file, r#"{"lisen": "0.0.0.0:1"}"#).unwrap();
    assert!(run(&[], &[]).contains("unknown field `lisen`"));
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_key_that_asks_too_often_waits() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start_with(&database, &["--rate", "1", "--burst", "3"]);
    let answers: Vec<_> = (0..30).map(|_| server.get(&team.reader, "/v1/me")).collect();
    assert_eq!(answers[0].headers["ratelimit-policy"], "\"key\";q=3;w=3");
    assert!(answers[0].headers["ratelimit"].starts_with("\"key\";r=2;"));
    let refused = answers.iter().find(|answer| answer.status != 200).expect("too many");
    assert_eq!((refused.status, refused.kind().as_str()), (429, "too-many"));
    assert!(refused.headers.contains_key("retry-after"));
    assert_eq!(server.get(&team.writer, "/v1/me").status, 200, "another key has its own");
}

#[test]
fn the_end_is_orderly() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start_with(&database, &["--drain", "3"]);
    server.signal("-TERM");
    // Answers go on while a balancer is told to send no more.
    let ready = loop {
        let ready = server.get("", "/readyz");
        if ready.status != 200 {
            break ready;
        }
    };
    assert_eq!((ready.status, ready.kind().as_str()), (503, "unavailable"));
    assert_eq!(server.get(&team.reader, "/v1/me").status, 200);
    let (is_well, log) = server.wait();
    assert!(is_well && log.last().unwrap().contains("\"ended\""), "{log:?}");
}

#[test]
fn the_document_is_the_one_in_the_tree() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
    let made = String::from_utf8(program("").arg("openapi").output().unwrap().stdout).unwrap();
    if std::env::var_os("PIMEM_BLESS").is_some_and(|value| value == "1") {
        fs::write(path, &made).unwrap();
    }
    assert!(made.contains("\"openapi\": \"3.1.0\""));
    assert_eq!(fs::read_to_string(path).unwrap(), made, "PIMEM_BLESS=1 writes it anew");
}

#[test]
fn the_program_says_what_it_cannot_do() {
    let told = program("").env_remove("DATABASE_URL").arg("migrate").output().unwrap();
    assert!(String::from_utf8(told.stderr).unwrap().contains("set DATABASE_URL"));
    let secret = "postgres://harbor:neap-and-spring@127.0.0.1:1/x";
    let told = program(secret).arg("migrate").output().unwrap();
    let told = String::from_utf8(told.stderr).unwrap();
    assert!(told.contains("PostgreSQL") && !told.contains("neap-and-spring"), "{told}");
    let Some(cluster) = Cluster::shared() else { return };
    assert!(run(&cluster.database(), &["--version"]).starts_with("pimem-server "));
}
