//! Organisations that the server cannot read: it keeps, orders, counts and purges what clients have
//! sealed, and has nothing else.

use std::sync::atomic::{AtomicU64, Ordering};

use pimem_core::{
    model::event::EventKind,
    sync::{
        check::Reason,
        sealed::{Closed, SealedEvent, Seals},
        wire::{self, PushBody, SyncEntry, SyncObject},
    },
};
use serde_json::json;

use crate::common::{
    canaries::{canaries, found_in, has},
    objects::{added, all, event, facts, purged, push, told},
    pg::Cluster,
    server::{Server, Team, fails},
};

fn seals(project: &str) -> Seals {
    Seals::new(&[&[9; 32]], "vault", project).unwrap()
}

fn nonce() -> [u8; 24] {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mut nonce = [0; 24];
    nonce[..8].copy_from_slice(&NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes());
    nonce
}

/// Seals a push as a user's client does.
fn sealed(user: &str, plain: &PushBody) -> PushBody {
    let seals = seals("site");
    let event = |event: &str| wire::raw(&seals.event(user, event, nonce()).unwrap()).unwrap();
    PushBody {
        project: plain.project.clone(),
        entries: plain.entries.iter().map(|one| seals.entry(user, one, nonce()).unwrap()).collect(),
        events: plain.events.iter().map(|one| event(one.get())).collect(),
    }
}

fn opened(objects: &[SyncObject]) -> Vec<String> {
    let mut opened: Vec<String> =
        objects.iter().map(|object| told(&seals("site").open(object).unwrap())).collect();
    opened.sort();
    opened
}

fn is_damaged(object: &SyncObject) -> bool {
    matches!(seals("site").open(object), Err(Closed::Damaged(_)))
}

#[test]
fn what_is_sealed_is_kept_once_and_pulled_as_in_a_plain_organisation() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let (plain, team) = (Team::new(&database, "acme"), Team::opaque(&database, "vault"));
    let server = Server::start(&database);
    let mut sent = facts(&["The port is 8080", "Grüße, «naïve» 日本", "The queue is NATS"]);
    for (number, kind) in (10..).zip([EventKind::Pin, EventKind::Reinforce(2), EventKind::Forget]) {
        sent.events.push(wire::raw(&event(number, "The port is 8080", kind)).unwrap());
    }
    assert_eq!(
        server.push(&plain.writer, &sent),
        server.push(&team.writer, &sealed("anna", &sent))
    );
    // The nonces are others, the objects are not.
    for (key, user) in [(&team.writer, "anna"), (&team.curator, "karl")] {
        let again = server.push(key, &sealed(user, &sent));
        assert_eq!((again.entries.known, again.events.known), (3, 6));
        assert_eq!((again.entries.new, again.events.new, again.refused.len()), (0, 0, 0));
    }
    for limit in [1, 4, 100] {
        let pulled = server.pull(&team.reader, 9, limit);
        assert!(pulled.iter().all(|object| object.author.as_deref() == Some("anna")));
        assert_eq!(opened(&pulled), all(&sent));
        assert!(server.pull(&plain.reader, 9, limit).iter().all(is_damaged), "none was sealed");
    }
    assert_eq!(database.one("select count(*) from pimem.index_queue q join pimem.orgs o on o.id = q.org_id where o.name = 'vault'"), "0");
}

#[test]
fn purges_and_roles_count_for_what_nobody_reads() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::opaque(&database, "vault");
    let server = Server::start(&database);
    let (gone, kept) = ("the password is on the fridge", "kept");
    let sent = facts(&[gone, kept]);
    server.push(&team.writer, &sealed("anna", &sent));
    let reasons = |key: &str, user: &str, plain: &PushBody| -> Vec<Reason> {
        let done = server.push(key, &sealed(user, plain));
        done.refused.iter().map(|refused| refused.reason).collect()
    };
    let about = |kind| push(&[], &[event(40, gone, kind)]);
    // What takes a line of others out of sight is for curators; that it has faded is nobody's opinion.
    let purge = push(&[], &[purged(50, gone)]);
    database.execute("insert into pimem.users (org_id, name) select id, 'otto' from pimem.orgs");
    for (kind, is_free) in [
        (EventKind::Reinforce(1), true),
        (EventKind::Archive(pimem_core::model::event::ArchiveReason::Age), true),
        (EventKind::Forget, false),
        (EventKind::Archive(pimem_core::model::event::ArchiveReason::Person), false),
        (EventKind::Supersede(crate::common::objects::id(kept)), false),
        (EventKind::Merge(vec![crate::common::objects::id(kept)]), false),
    ] {
        let told = reasons(&other_writer(&database), "otto", &about(kind.clone()));
        assert_eq!(told.is_empty(), is_free, "{kind:?}: {told:?}");
        assert!(told.iter().all(|reason| *reason == Reason::NotAllowed));
    }
    assert_eq!(reasons(&team.curator, "karl", &purge), [Reason::NotAllowed]);
    assert_eq!(reasons(&team.admin, "ada", &purge), []);
    let left = opened(&server.pull(&team.reader, 3, 10));
    assert!(left.iter().all(|told| !told.contains("fridge")), "{left:?}");
    let count = "select count(*) from pimem.entries e join pimem.orgs o on o.id = e.org_id where o.name = 'vault'";
    assert_eq!(database.one(count), "1");
    assert_eq!(reasons(&team.writer, "anna", &sent), [Reason::Purged, Reason::Purged]);
    let typed = push(&[gone], &[added(70, gone)]);
    assert_eq!(reasons(&team.writer, "anna", &typed), []);
    assert!(opened(&server.pull(&team.reader, 5, 10)).concat().contains("fridge"));
}

/// A key of a writer who brought nothing.
fn other_writer(database: &crate::common::pg::Database) -> String {
    crate::common::server::run(database, &["user", "grant", "otto", "writer", "--org", "vault"]);
    crate::common::server::key(database, "vault", "otto", "read,write,curate,admin")
}

#[test]
fn what_could_be_read_is_refused() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let (plain, team) = (Team::new(&database, "acme"), Team::opaque(&database, "vault"));
    let server = Server::start(&database);
    let sent = facts(&["The port is 8080"]);
    let good = sealed("anna", &sent);
    let label: SealedEvent = serde_json::from_str(good.events[0].get()).unwrap();
    let raw = |sealed: &SealedEvent| wire::raw(&serde_json::to_string(sealed).unwrap()).unwrap();
    let entry =
        |sealed: &str| SyncEntry { sealed: Some(sealed.to_owned()), ..good.entries[0].clone() };
    let late = "2999-01-01T00:00:00.000Z".to_owned();
    let bad = PushBody {
        project: "site".to_owned(),
        entries: vec![
            sent.entries[0].clone(),
            SyncEntry { line: sent.entries[0].line.clone(), ..good.entries[0].clone() },
            entry("the port is 8080"),
            entry("v1:AAAA"),
            entry(&format!("v1:{}", "A".repeat(40_000))),
            SyncEntry { id: None, ..good.entries[0].clone() },
            SyncEntry { hash: "abc".to_owned(), ..good.entries[0].clone() },
        ],
        events: vec![
            sent.events[0].clone(),
            raw(&SealedEvent { ts: late, ..label.clone() }),
            raw(&SealedEvent { sealed: "The port is 8080".to_owned(), ..label.clone() }),
            raw(&SealedEvent { op: "the port is 8080".to_owned(), ..label.clone() }),
            raw(&SealedEvent { entry: "port".to_owned(), ..label }),
        ],
    };
    let done = server.push(&team.writer, &bad);
    assert_eq!((done.entries.new, done.events.new), (0, 0), "{done:?}");
    let mut reasons: Vec<&str> = done.refused.iter().map(|refused| refused.reason.name()).collect();
    reasons.sort_unstable();
    assert_eq!(
        reasons,
        [
            "bad-event",
            "bad-event",
            "bad-event",
            "bad-event",
            "bad-hash",
            "bad-line",
            "bad-line",
            "bad-line",
            "bad-seal",
            "bad-seal",
            "future",
            "too-long",
        ]
    );
    // And the other way round: a plain organisation takes nothing that its people cannot search.
    let done = server.push(&plain.writer, &good);
    let reasons: Vec<Reason> = done.refused.iter().map(|refused| refused.reason).collect();
    assert_eq!(reasons, [Reason::BadLine, Reason::BadEvent]);

    server.push(&team.writer, &good);
    let new =
        json!({"project": "site", "memories": [{"category": "fact", "text": "x"}]}).to_string();
    for (method, path) in [
        ("GET", "/v1/memories"),
        ("POST", "/v1/memories"),
        ("GET", "/v1/memories/search?q=port"),
        ("GET", "/v1/memories/stats"),
        ("POST", "/v1/memories/decay?project=site"),
        ("GET", "/v1/memories/0123456789abcdef"),
        ("DELETE", "/v1/memories/0123456789abcdef"),
        ("POST", "/v1/memories/0123456789abcdef/pin"),
    ] {
        let answer = match method {
            "GET" => server.get(&team.admin, path),
            "DELETE" => server.delete(&team.admin, path),
            _ => server.post(&team.admin, path, if path == "/v1/memories" { &new } else { "{}" }),
        };
        assert_eq!((answer.status, &*answer.kind()), (422, "refused"), "{path}");
        assert!(answer.json()["detail"].as_str().unwrap().contains("end to end"), "{path}");
        assert!(answer.json()["hints"][0].as_str().unwrap().contains("pimem sync"), "{path}");
    }
    assert_eq!(server.get(&team.reader, "/v1/me").json()["mode"], "end-to-end");
    for words in [
        vec!["export", "/nowhere", "--org", "vault"],
        vec!["import", "/nowhere", "--org", "vault", "--project", "site", "--user", "anna"],
    ] {
        assert!(fails(&database, &words).contains("encrypted end to end"), "{words:?}");
    }
}

#[test]
fn what_was_moved_in_the_database_is_not_opened() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::opaque(&database, "vault");
    let server = Server::start(&database);
    server.push(&team.writer, &sealed("anna", &facts(&["first", "second"])));
    let pulled = || server.pull(&team.reader, 4, 10);
    assert_eq!(pulled().iter().filter(|object| is_damaged(object)).count(), 0);
    // Each line under the hash of the other, and each event under the label of the other.
    database.execute(
        "update pimem.entries t set sealed = o.sealed from pimem.entries o where o.sealed <> t.sealed;
         update pimem.events t set doc = (t.doc::jsonb || jsonb_build_object('sealed', o.doc::jsonb->'sealed'))::text
         from pimem.events o where o.doc <> t.doc",
    );
    assert_eq!(pulled().iter().filter(|object| is_damaged(object)).count(), 4);
    // Another author, to whom more would be believed.
    database.execute("delete from pimem.entries; delete from pimem.events");
    server.push(&team.writer, &sealed("anna", &facts(&["third"])));
    database.execute(
        "update pimem.entries set author = (select id from pimem.users where name = 'rita');
         update pimem.events set author = (select id from pimem.users where name = 'rita')",
    );
    let moved = server.pull(&team.reader, 2, 10);
    assert!(
        moved.iter().all(|object| object.author.as_deref() == Some("rita") && is_damaged(object))
    );
    assert!(seals("other").open(&moved[0]).is_err());
}

#[test]
fn no_word_reaches_the_server() {
    let Some(cluster) = Cluster::start("") else { return };
    let database = cluster.database();
    let (plain, team) = (Team::new(&database, "acme"), Team::opaque(&database, "vault"));
    let server = Server::start(&database);
    let (shown, hidden) = (canaries("kjzw"), canaries("vzqx"));
    let text = |word: &String| format!("{word} is near #{word}");
    let spread = |words: &[String]| {
        let texts: Vec<String> = words.iter().map(text).collect();
        let mut sent = facts(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        for (number, text) in (1000..).zip(&texts) {
            let kinds =
                [EventKind::Reinforce(1), EventKind::Move(text[..10].into()), EventKind::Forget];
            for (step, kind) in (0..).zip(kinds) {
                let event = event(number + 100 * step, text, kind);
                sent.events.push(wire::raw(&event).unwrap());
            }
        }
        sent
    };
    assert_eq!(server.push(&plain.writer, &spread(&shown)).refused, []);
    assert_eq!(server.push(&team.writer, &sealed("anna", &spread(&hidden))).refused, []);
    let purge = push(&[], &[purged(5000, &text(&hidden[3]))]);
    assert_eq!(server.push(&team.admin, &sealed("ada", &purge)).refused, []);
    server.pull(&team.reader, 50 * 5 - 4, 100);
    database.execute("checkpoint");
    let log = server.log().join("\n");
    drop(server);
    let dump = cluster.program("pg_dump").arg(&database.url).output().unwrap();
    assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
    let needles = |word: &String| -> Vec<Vec<u8>> {
        let hash = wire::content_hash(&format!("- [fact] {}", text(word)));
        let id = crate::common::objects::id(&text(word));
        let raw = (0..64).step_by(2).map(|at| u8::from_str_radix(&hash[at..at + 2], 16).unwrap());
        let raw = raw.collect();
        vec![
            word.as_bytes()[..6].to_vec(),
            hash.clone().into_bytes(),
            id.to_string().into_bytes(),
            id.0.to_be_bytes().to_vec(),
            raw,
        ]
    };
    let all: Vec<Vec<u8>> = hidden.iter().flat_map(needles).collect();
    for needle in &all {
        assert!(!has(&dump.stdout, needle), "the dump has {}", String::from_utf8_lossy(needle));
        assert!(!has(log.as_bytes(), needle), "the log has {}", String::from_utf8_lossy(needle));
    }
    assert_eq!(found_in(cluster.dir(), &all), Vec::<String>::new());
    // The same eyes see a plain organisation.
    let seen = needles(&shown[7]);
    assert!(has(&dump.stdout, &seen[0]) && has(&dump.stdout, &seen[1]));
    let found = found_in(cluster.dir(), &seen).join("\n");
    assert!(found.contains("pg_wal") && found.contains("base"), "{found}");
    let of = "(select id from pimem.orgs where name = 'vault')";
    for table in ["memories", "lexemes", "links", "corpora", "index_queue", "idempotency"] {
        let count = format!("select count(*) from pimem.{table} where org_id = {of}");
        assert_eq!(database.one(&count), "0", "{table}");
    }
}
