//! Every endpoint for everybody: the rows below are compared with the OpenAPI document, so that a
//! new endpoint has one.

use serde_json::{Value, json};

use crate::common::{
    http::{self, Answer},
    objects::{facts, id},
    pg::Cluster,
    server::{Server, Team, key, program, run},
};

/// What an endpoint answers to a key of another organisation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Elsewhere {
    /// There is no such thing.
    Missing,
    /// What belongs to the other organisation.
    Own,
}

struct Row {
    operation: &'static str,
    scope: &'static str,
    /// The address with its parameters.
    path: &'static str,
    body: Option<fn() -> Value>,
    elsewhere: Elsewhere,
}

/// A row for each operation under /v1.
const ROWS: &[Row] = &[
    Row {
        operation: "get /v1/me",
        scope: "read",
        path: "/v1/me",
        body: None,
        elsewhere: Elsewhere::Own,
    },
    Row {
        operation: "delete /v1/memories/{id}",
        scope: "write",
        path: "/v1/memories/FACT?project=site",
        body: None,
        elsewhere: Elsewhere::Missing,
    },
    Row {
        operation: "get /v1/memories",
        scope: "read",
        path: "/v1/memories?project=site",
        body: None,
        elsewhere: Elsewhere::Missing,
    },
    Row {
        operation: "get /v1/memories/search",
        scope: "read",
        path: "/v1/memories/search?q=matrix&project=site",
        body: None,
        elsewhere: Elsewhere::Missing,
    },
    Row {
        operation: "get /v1/memories/stats",
        scope: "read",
        path: "/v1/memories/stats?project=site",
        body: None,
        elsewhere: Elsewhere::Missing,
    },
    Row {
        operation: "get /v1/memories/{id}",
        scope: "read",
        path: "/v1/memories/FACT?project=site",
        body: None,
        elsewhere: Elsewhere::Missing,
    },
    Row {
        operation: "post /v1/memories",
        scope: "write",
        path: "/v1/memories",
        body: Some(|| {
            let memory = json!({"category": "fact", "text": "a line of the matrix"});
            json!({"project": "site", "memories": [memory]})
        }),
        elsewhere: Elsewhere::Missing,
    },
    Row {
        operation: "post /v1/memories/decay",
        scope: "curate",
        path: "/v1/memories/decay?project=site",
        body: None,
        elsewhere: Elsewhere::Missing,
    },
    Row {
        operation: "post /v1/memories/{id}/{verb}",
        scope: "write",
        path: "/v1/memories/FACT/reinforce?project=site",
        body: None,
        elsewhere: Elsewhere::Missing,
    },
    Row {
        operation: "get /v1/projects",
        scope: "read",
        path: "/v1/projects",
        body: None,
        elsewhere: Elsewhere::Own,
    },
    Row {
        operation: "get /v1/sync/pull",
        scope: "read",
        path: "/v1/sync/pull?project=site",
        body: None,
        elsewhere: Elsewhere::Missing,
    },
    Row {
        operation: "post /v1/sync/push",
        scope: "write",
        path: "/v1/sync/push",
        body: Some(|| serde_json::to_value(facts(&["a line of the matrix"])).unwrap()),
        elsewhere: Elsewhere::Missing,
    },
];

const SCOPES: [&str; 4] = ["read", "write", "curate", "admin"];

fn rank(scope: &str) -> usize {
    SCOPES.iter().position(|known| *known == scope).unwrap()
}

/// Returns the operations of the document, with the scope that each names.
fn operations() -> Vec<(String, Value)> {
    let document = program("").arg("openapi").output().unwrap().stdout;
    let document: Value = serde_json::from_slice(&document).unwrap();
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if path.starts_with("/v1/") {
                assert!(operation["security"][0].get("key").is_some(), "{method} {path}");
                found.push((format!("{method} {path}"), operation["x-pimem-scope"].clone()));
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[test]
fn every_operation_has_its_row() {
    let mut rows: Vec<(String, Value)> =
        ROWS.iter().map(|row| (row.operation.to_owned(), json!(row.scope))).collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(operations(), rows, "each operation of the document has a row here, and its scope");
}

fn ask(server: &Server, row: &Row, authorization: Option<&str>) -> Answer {
    let method = row.operation.split(' ').next().unwrap().to_uppercase();
    let mut headers = vec![("content-type", "application/json")];
    headers.extend(authorization.map(|value| ("authorization", value)));
    let body = row.body.map(|body| body().to_string());
    let body = body.as_ref().map(String::as_bytes);
    let path = row.path.replace("FACT", &id("a line of acme").to_string());
    http::request(server.address, &method, &path, &headers, body).unwrap()
}

#[test]
fn endpoints_and_roles() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let other = Team::with_project(&database, "other", "depot");
    let wrong = team.reader.replacen(&team.reader[4..12], &team.writer[4..12], 1);
    let expired = key(&database, "acme", "ada", "read,write,curate,admin");
    let revoked = key(&database, "acme", "ada", "read,write,curate,admin");
    run(&database, &["key", "revoke", &revoked, "--org", "acme"]);
    let expire = format!(
        "update pimem.api_keys set expires_at = now() where prefix = '{}'",
        &expired[4..12]
    );
    database.execute(&expire);
    // One digit of the secret, and the checksum made to fit, as somebody who guesses would.
    let unknown = pimem_server::auth::AccessKey::new().unwrap().reveal().to_owned();
    let stolen_prefix = with_prefix(&unknown, &team.admin[4..12]);

    let server = Server::start_with(&database, &["--rate", "100000", "--burst", "100000"]);
    server.push(&team.writer, &facts(&["a line of acme"]));
    server.indexed();
    for row in ROWS {
        for (name, authorization) in [
            ("none", None),
            ("empty", Some(String::new())),
            ("no scheme", Some(team.admin.clone())),
            ("another scheme", Some(format!("Basic {}", team.admin))),
            ("malformed", Some("Bearer pmk_".to_owned())),
            ("mistyped", Some(format!("Bearer {wrong}"))),
            ("cut", Some(format!("Bearer {}", &team.admin[..team.admin.len() - 1]))),
            ("unknown", Some(format!("Bearer {unknown}"))),
            ("guessed", Some(format!("Bearer {stolen_prefix}"))),
            ("expired", Some(format!("Bearer {expired}"))),
            ("revoked", Some(format!("Bearer {revoked}"))),
            (
                "two",
                Some(format!("Bearer {}\r\nauthorization: Bearer {}", team.admin, other.admin)),
            ),
        ] {
            let answer = ask(&server, row, authorization.as_deref());
            assert_eq!(
                (answer.status, answer.kind().as_str()),
                (401, "unauthorized"),
                "{} {name}",
                row.operation
            );
        }
        let answer = ask(&server, row, Some(&format!("bearer {}", other.admin)));
        let want = if row.elsewhere == Elsewhere::Missing { 404 } else { 200 };
        assert_eq!(answer.status, want, "{} elsewhere", row.operation);
        let text = String::from_utf8(answer.body).unwrap();
        assert!(!text.contains("acme") && !text.contains("anna"), "{}: {text}", row.operation);

        let roles = [&team.reader, &team.writer, &team.curator, &team.admin];
        for (has, key) in roles.into_iter().enumerate() {
            let answer = ask(&server, row, Some(&format!("Bearer {key}")));
            let name = format!("{} as {}: {answer:?}", row.operation, SCOPES[has]);
            if has >= rank(row.scope) {
                assert!(answer.status < 300, "{name}");
            } else {
                assert_eq!((answer.status, answer.kind().as_str()), (403, "forbidden"), "{name}");
            }
        }
    }
    let line = "select count(*) from pimem.entries e join pimem.orgs o on o.id = e.org_id where o.name = 'other'";
    assert_eq!(database.one(line), "0");
}

/// A key has at most its scopes, whatever its user is.
#[test]
fn a_key_has_only_its_scopes() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    Team::new(&database, "acme");
    let server = Server::start_with(&database, &["--rate", "100000", "--burst", "100000"]);
    let own = key(&database, "acme", "ada", "read,write,curate,admin");
    server.push(&own, &facts(&["a line of acme"]));
    server.indexed();
    for scope in SCOPES {
        let only = key(&database, "acme", "ada", scope);
        for row in ROWS {
            let answer = ask(&server, row, Some(&format!("Bearer {only}")));
            let name = format!("{} with {scope}: {answer:?}", row.operation);
            if scope == row.scope {
                assert!(answer.status < 300, "{name}");
            } else {
                assert_eq!((answer.status, answer.kind().as_str()), (403, "forbidden"), "{name}");
            }
        }
    }
}

/// Puts another prefix into a key, with the checksum that then fits.
fn with_prefix(key: &str, prefix: &str) -> String {
    let front = format!("pmk_{prefix}_{}", &key[13..56]);
    let digits = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut sum = crc32fast::hash(front.as_bytes());
    let mut end = [0; 6];
    for digit in end.iter_mut().rev() {
        *digit = digits[sum as usize % 62];
        sum /= 62;
    }
    let key = format!("{front}_{}", String::from_utf8(end.to_vec()).unwrap());
    assert!(pimem_server::auth::AccessKey::read(&key).is_some());
    key
}
