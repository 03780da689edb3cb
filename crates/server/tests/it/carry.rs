//! Projects leave as stores and come back from them.

use std::{fs, path::Path};

use pimem_core::model::event::EventKind;
use serde_json::Value;

use crate::common::{
    objects::{added, event, facts, push},
    pg::{Cluster, Database},
    server::{Server, Team, fails, program, run},
};

fn list(server: &Server, key: &str, project: &str) -> Vec<Value> {
    server.indexed();
    let path = format!("/v1/memories?archived=true&limit=200&project={project}");
    let page = server.get(key, &path).json();
    let mut all: Vec<Value> = page["memories"].as_array().unwrap().clone();
    for memory in &mut all {
        let memory = memory.as_object_mut().unwrap();
        memory.remove("project");
        // It fades from one look to the next.
        assert!(memory.remove("score").is_some());
    }
    all.sort_by_key(|memory| memory["id"].as_str().unwrap().to_owned());
    all
}

#[test]
fn a_project_survives_the_way_to_a_disk_and_back() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    there_and_back(&database, &Team::new(&database, "acme"), "plain");
}

#[test]
fn a_sealed_project_leaves_in_the_clear_and_comes_back() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    there_and_back(&database, &Team::sealed(&database, "acme"), "sealed");
    assert_eq!(database.one("select count(*) from pimem.entries where line is not null"), "0");
    let closed = program(&database.url)
        .env_remove("PIMEM_SERVER_KEY")
        .args(["export", "/nowhere"])
        .output()
        .unwrap();
    let told = String::from_utf8(closed.stderr).unwrap();
    assert!(told.contains("there is no key"), "{told}");
}

fn there_and_back(database: &Database, team: &Team, mode: &str) {
    let server = Server::start(database);
    server.push(
        &team.writer,
        &facts(&["The port is 8080", "The queue is NATS", "Grüße, «naïve» 日本"]),
    );
    let pin = event(20, "The port is 8080", EventKind::Pin);
    let gone = event(
        21,
        "The queue is NATS",
        EventKind::Archive(pimem_core::model::event::ArchiveReason::Person),
    );
    let reword = event(
        22,
        "The port is 9090",
        EventKind::Edit(crate::common::objects::id("The port is 8080"), None),
    );
    server.push(
        &team.writer,
        &push(&["The port is 9090"], &[pin, gone, reword, added(23, "A line without text")]),
    );
    let before = list(&server, &team.reader, "site");
    assert_eq!(before.len(), 3, "{before:?}");

    let dir = format!("pimem-carry-{mode}-{}", std::process::id());
    let dir = std::env::temp_dir().join(dir);
    let path = dir.to_str().unwrap();
    assert_eq!(run(database, &["export", path]), "site: 4 entries, 7 events\n");
    let read = |name: &str| fs::read_to_string(dir.join("site").join(name)).unwrap();
    let topics = read("topics/facts.md");
    assert!(topics.contains("- [fact] The port is 9090 *(pinned)*\n"), "{topics}");
    assert!(
        topics.contains("- [fact] Grüße, «naïve» 日本\n") && !topics.contains("8080"),
        "{topics}"
    );
    assert_eq!(read("archive/facts.md"), "# facts\n\n- [fact] The queue is NATS\n");
    assert_eq!(read("evidence.jsonl").lines().count(), 7);
    assert!(fails(database, &["export", path]).contains("is there already"));

    run(database, &["project", "create", "again"]);
    let from = dir.join("site");
    let words = ["import", from.to_str().unwrap(), "--project", "again", "--user", "anna"];
    assert_eq!(run(database, &words), "10 new objects\n");
    assert_eq!(run(database, &words), "0 new objects\n");
    assert_eq!(list(&server, &team.reader, "again"), before);
    for (words, says) in [
        (["import", "/nowhere", "--project", "again", "--user", "anna"], "there is no store"),
        (["import", path, "--project", "again", "--user", "nobody"], "there is no user"),
        (["import", path, "--project", "none", "--user", "anna"], "there is no project"),
    ] {
        assert!(fails(database, &words).contains(says), "{words:?}");
    }
    let link = dir.join("site/topics/link.md");
    std::os::unix::fs::symlink(Path::new("/etc/hostname"), &link).unwrap();
    assert!(fails(database, &words).contains("is not a file of a store"));
    fs::remove_dir_all(&dir).unwrap();
}
