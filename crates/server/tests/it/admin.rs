//! Commands for organisations, people, projects and keys.

use crate::common::{
    pg::Cluster,
    server::{Server, Team, fails, run},
};

#[test]
fn names_are_made_once_and_found() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    assert!(fails(&database, &["user", "create", "anna"]).contains("org create"));
    run(&database, &["org", "create", "acme"]);
    assert!(fails(&database, &["org", "create", "acme"]).contains("is there already"));
    assert!(fails(&database, &["org", "create", "Ac me"]).contains("not a name"));
    run(&database, &["project", "create", "site"]);
    run(&database, &["project", "create", "diary", "--visibility", "private"]);
    run(&database, &["user", "create", "anna"]);
    run(&database, &["user", "grant", "anna", "writer", "--project", "site"]);
    run(&database, &["user", "grant", "anna", "reader"]);
    assert!(fails(&database, &["user", "grant", "bob", "reader"]).contains("no user \"bob\""));
    assert_eq!(run(&database, &["project", "list"]), "diary  private\nsite  team\n");
    assert_eq!(run(&database, &["user", "list"]), "anna  reader in *, writer in site\n");
    run(&database, &["user", "grant", "anna", "none"]);
    assert_eq!(run(&database, &["user", "list"]), "anna  writer in site\n");
    run(&database, &["org", "create", "other"]);
    assert!(fails(&database, &["user", "list"]).contains("--org"));
    assert_eq!(run(&database, &["user", "list", "--org", "other"]), "");
}

#[test]
fn a_key_is_shown_once_and_ends_when_told() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let key = &team.writer;
    assert_eq!(server.get(key, "/v1/me").status, 200);
    let secret = &key[13..key.len() - 7];
    let list = run(&database, &["key", "list"]);
    assert!(list.contains(&key[4..12]) && !list.contains(secret), "{list}");
    // The whole database has nothing from which the key could be made.
    let stored = "select string_agg(k::text, ' ') from pimem.api_keys k";
    assert!(!database.one(stored).contains(secret));
    let days = "select string_agg(distinct (expires_at - created)::text, ' ') from pimem.api_keys";
    assert_eq!(database.one(days), "90 days");

    run(&database, &["key", "revoke", key]);
    let answer = server.get(key, "/v1/me");
    assert_eq!((answer.status, answer.kind().as_str()), (401, "unauthorized"));
    assert!(answer.json()["detail"].as_str().unwrap().contains("revoked"));
    database.execute("update pimem.api_keys set expires_at = now()");
    let answer = server.get(&team.reader, "/v1/me");
    assert!(answer.json()["detail"].as_str().unwrap().contains("expired"), "{answer:?}");
}

#[test]
fn a_key_says_who_it_is_and_sees_what_it_may() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    for (slug, visibility) in [("diary", "private"), ("news", "org"), ("tools", "team")] {
        run(&database, &["project", "create", slug, "--visibility", visibility]);
    }
    run(&database, &["user", "create", "guest"]);
    let guest = run(&database, &["key", "create", "guest", "--scopes", "read"]);
    let narrow = ["key", "create", "anna", "--projects", "tools,news", "--scopes", "read"];
    let narrow = run(&database, &narrow);
    let server = Server::start(&database);
    let seen = |key: &str| {
        let list = server.get(key.trim(), "/v1/projects").json();
        let projects = list["projects"].as_array().unwrap().iter();
        let projects = projects.map(|one| {
            format!("{}:{}", one["slug"].as_str().unwrap(), one["role"].as_str().unwrap())
        });
        projects.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(seen(&team.writer), "news:writer site:writer tools:writer");
    assert_eq!(seen(&guest), "news:reader");
    assert_eq!(seen(&narrow), "news:writer tools:writer");
    run(&database, &["user", "grant", "guest", "admin", "--project", "diary"]);
    assert_eq!(seen(&guest), "diary:admin news:reader");
    let me = server.get(&team.writer, "/v1/me").json();
    assert_eq!(me["projects"], serde_json::json!(["news", "site", "tools"]));
    assert_eq!(me["roles"], serde_json::json!(["writer", "writer", "writer"]));
    assert_eq!(me["organisation"], "acme");
    assert_eq!(me["user"], "anna");
    assert_eq!(me["mode"], "plain");
    assert_eq!(me["scopes"], serde_json::json!(["read", "write", "curate", "admin"]));
}
