//! Push and pull between people of one project.

use std::{collections::BTreeMap, thread};

use pimem_core::{
    model::event::{ArchiveReason, EventKind},
    sync::{
        check::Reason,
        wire::{self, ObjectKind, PushBody, PushCounts, SyncEntry, SyncObject},
    },
};

use crate::common::{
    http,
    objects::{THEN, added, all, event, event_by, facts, push, told},
    pg::Cluster,
    server::{Server, Team, run},
};

fn counts(new: u64, known: u64) -> PushCounts {
    PushCounts { new, known }
}

#[test]
fn what_is_pushed_is_pulled_as_it_was() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start_with(&database, &["--workers", "0"]);
    let mut sent = facts(&["The site is on port 8080", "Grüße, «naïve» 日本"]);
    // An operation and a spelling of a later version, byte for byte.
    let later = added(7, "The site is on port 8080").replace("\"add\"", "\"later\"");
    let later = later.replacen(",\"op\"", " , \"x\":[1.50, 1e3,\"\\u00e9\"],\"op\"", 1);
    sent.events.push(wire::raw(&later).unwrap());
    let told_of = server.push(&team.writer, &sent);
    assert_eq!((told_of.entries, told_of.events), (counts(2, 0), counts(3, 0)));
    assert_eq!(told_of.refused, []);

    let pulled = server.pull(&team.reader, 5, 5000);
    let mut found: Vec<String> = pulled.iter().map(told).collect();
    found.sort();
    assert_eq!(found, all(&sent));
    assert!(pulled.iter().all(|object| object.author.as_deref() == Some("anna")));
    let kinds: Vec<ObjectKind> = pulled.iter().map(|object| object.kind).collect();
    assert_eq!(kinds[..2], [ObjectKind::Entry, ObjectKind::Entry], "entries go before events");
    for object in pulled.iter().filter_map(SyncObject::entry) {
        assert_eq!(wire::content_hash(&object.line.unwrap()), object.hash);
    }

    // Again, by the same user and by another, changes nothing; not even whose it is.
    for key in [&team.writer, &team.curator] {
        let again = server.push(key, &sent);
        assert_eq!((again.entries, again.events), (counts(0, 2), counts(0, 3)));
    }
    let again = server.pull(&team.reader, 5, 5000);
    assert_eq!(
        again.iter().map(told).collect::<Vec<_>>(),
        pulled.iter().map(told).collect::<Vec<_>>()
    );
    assert!(again.iter().all(|object| object.author.as_deref() == Some("anna")));
    let waits = "select count(*) from pimem.index_queue";
    assert_eq!(database.one(waits), "2");
}

/// Pages of any size give every object once and in one order.
#[test]
fn pages_are_a_complete_prefix() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let texts: Vec<String> = (0..40).map(|number| format!("Fact number {number}")).collect();
    for texts in texts.chunks(7) {
        server.push(&team.writer, &facts(&texts.iter().map(String::as_str).collect::<Vec<_>>()));
    }
    let whole: Vec<String> = server.pull(&team.reader, 80, 5000).iter().map(told).collect();
    for limit in [1, 3, 7, 79, 80, 81] {
        let paged: Vec<String> = server.pull(&team.reader, 80, limit).iter().map(told).collect();
        assert_eq!(paged, whole, "in pages of {limit}");
    }
    let first = server.page(&team.reader, "", 79);
    assert!(first.more && first.objects.len() == 79);
    let rest = server.page(&team.reader, &first.cursor, 79);
    assert!(!rest.more && rest.objects.len() == 1);
    let empty = server.page(&team.reader, &rest.cursor, 79);
    assert_eq!((empty.objects.len(), empty.more, &empty.cursor), (0, false, &rest.cursor));

    // Who knows that there was nothing is told no more than that.
    let bearer = format!("Bearer {}", team.reader);
    let ask = |tag: &str| {
        let headers = [("authorization", &*bearer), ("if-none-match", tag)];
        let path = format!("/v1/sync/pull?project=site&cursor={}", rest.cursor);
        http::request(server.address, "GET", &path, &headers, None).unwrap()
    };
    let told = ask("\"another\"");
    assert_eq!((told.status, &told.headers["etag"]), (200, &format!("\"{}\"", rest.cursor)));
    let told = ask(&told.headers["etag"]);
    assert_eq!((told.status, told.body.len()), (304, 0));
    server.push(&team.writer, &facts(&["one more"]));
    let tag = format!("\"{}\"", rest.cursor);
    let told = std::iter::repeat_with(|| ask(&tag)).find(|told| told.status == 200).unwrap();
    assert_eq!(told.json()["objects"].as_array().unwrap().len(), 2);
}

/// Events with one id and other content are others; the same bytes are one.
#[test]
fn two_events_with_one_id() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let one = added(1, "a");
    let other = one.replace("explicit", "behavioral");
    let told_of = server.push(&team.writer, &push(&[], &[one.clone(), other, one]));
    assert_eq!(told_of.events, counts(2, 1));
    server.pull(&team.reader, 2, 10);
}

#[test]
fn pushes_of_the_same_at_once() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let texts: Vec<String> = (0..200).map(|number| format!("Fact number {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let sent = facts(&texts);
    let mut reversed = sent.clone();
    reversed.entries.reverse();
    reversed.events.reverse();
    let told_of: Vec<_> = thread::scope(|scope| {
        let runs = [&sent, &reversed, &sent, &reversed].map(|sent| {
            let (server, key) = (&server, &team.writer);
            scope.spawn(move || server.push(key, sent))
        });
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let new: u64 = told_of.iter().map(|told_of| told_of.entries.new + told_of.events.new).sum();
    assert_eq!(new, 400, "each was new once");
    assert!(told_of.iter().all(|told_of| told_of.refused.is_empty()));
    server.pull(&team.reader, 400, 5000);
}

/// What a receiver must not take is told with its reason, and the rest is taken.
#[test]
fn what_is_refused_and_why() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let mut sent = facts(&["good"]);
    let mut wrong = SyncEntry::of("fact", "another");
    wrong.hash = "0".repeat(64);
    let long = SyncEntry::of("fact", &"x".repeat(20_000));
    let private = SyncEntry::of("fact", "the door code #private");
    let marked = SyncEntry::of("fact", "two\nlines");
    let mut sealed =
        SyncEntry { line: None, sealed: Some("a\0b".to_owned()), ..SyncEntry::of("fact", "s") };
    sent.entries.extend([wrong, long, private, marked, sealed.clone()]);
    sealed.sealed = Some("abc".to_owned());
    sent.entries.push(sealed);
    let day = 24 * 3600;
    let now = u64::try_from((chrono::Utc::now().timestamp_millis() - THEN) / 1000).unwrap();
    let events = [
        added(now + day + 3600, "late"),
        added(now + day - 3600, "early"),
        added(1, "good").replace("\"fact\"", "\"x\"").replace("\"op\":\"add\"", "\"op\":7"),
        "{}".to_owned(),
        "[]".to_owned(),
        added(1, "deep")
            .replace("\"op\"", &format!("\"x\":{}{},\"op\"", "[".repeat(300), "]".repeat(300))),
        added(1, "lines").replace(",\"op\"", ",\n\"op\""),
        event(2, "good", EventKind::Reinforce(1_000_000)),
    ];
    sent.events.extend(events.iter().map(|event| wire::raw(event).unwrap()));
    let told_of = server.push(&team.writer, &sent);
    let mut reasons = BTreeMap::<_, u32>::new();
    for refused in &told_of.refused {
        *reasons.entry((refused.kind.as_str(), refused.reason)).or_default() += 1;
        assert!(!refused.detail.is_empty() && !refused.detail.contains("door"), "{refused:?}");
    }
    let want = [
        (("entry", Reason::BadHash), 1),
        (("entry", Reason::BadLine), 3),
        (("entry", Reason::TooLong), 1),
        (("entry", Reason::Private), 1),
        (("event", Reason::BadEvent), 6),
        (("event", Reason::Future), 1),
    ];
    assert_eq!(reasons, BTreeMap::from(want), "{:?}", told_of.refused);
    assert_eq!((told_of.entries, told_of.events), (counts(1, 0), counts(2, 0)));
    assert!(server.counts().contains("pimem_refused_total{reason=\"bad-event\"} 6"));
}

/// A writer confirms and doubts what others brought; what takes it out of sight is for curators.
#[test]
fn what_roles_may_do_to_what_others_brought() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    run(&database, &["user", "create", "otto"]);
    run(&database, &["user", "grant", "otto", "writer"]);
    let otto = run(&database, &["key", "create", "otto", "--scopes", "read,write,curate,admin"]);
    let narrow = run(&database, &["key", "create", "karl", "--scopes", "write"]);
    let server = Server::start(&database);
    server.push(&team.writer, &facts(&["hers", "other"]));
    let harmless = [
        EventKind::Reinforce(1),
        EventKind::Harmful(1),
        EventKind::Pin,
        EventKind::Archive(ArchiveReason::Age),
    ];
    let harmful = [
        EventKind::Forget,
        EventKind::Supersede(crate::common::objects::id("other")),
        EventKind::Archive(ArchiveReason::Person),
        EventKind::Retract(Vec::new()),
    ];
    let mut number = 100;
    let mut refused = |key: &str, kinds: &[EventKind]| {
        let events = kinds.iter().map(|kind| {
            number += 1;
            event(number, "hers", kind.clone())
        });
        let sent = push(&[], &events.collect::<Vec<_>>());
        let told_of = server.push(key.trim(), &sent);
        assert!(told_of.refused.iter().all(|refused| refused.reason == Reason::NotAllowed));
        told_of.refused.len()
    };
    assert_eq!(refused(&otto, &harmless), 0);
    assert_eq!(refused(&otto, &harmful), harmful.len());
    assert_eq!(refused(&narrow, &harmful), harmful.len(), "the key has not the scope");
    assert_eq!(refused(&team.curator, &harmful), 0);
    assert_eq!(refused(&team.writer, &harmful), 0, "her own");
    // Of an entry that nobody brought, anything may be said.
    let own = push(&[], &[event(1, "nobody's", EventKind::Forget)]);
    assert!(server.push(otto.trim(), &own).refused.is_empty());
    let merged = vec![crate::common::objects::id("hers")];
    let merge = push(&["mine"], &[event_by("user", 9, "mine", EventKind::Merge(merged))]);
    assert_eq!(server.push(otto.trim(), &merge).refused.len(), 1);
}

#[test]
fn projects_are_apart() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    run(&database, &["project", "create", "tools"]);
    let server = Server::start(&database);
    let sent = facts(&["of the site"]);
    server.push(&team.writer, &sent);
    let told_of = server.push(&team.writer, &PushBody { project: "tools".to_owned(), ..sent });
    assert_eq!(told_of.entries, counts(1, 0), "kept for each project");
    let cursor = server.page(&team.reader, "", 1).cursor;
    let foreign = server.get(&team.reader, &format!("/v1/sync/pull?project=tools&cursor={cursor}"));
    assert_eq!((foreign.status, foreign.kind().as_str()), (410, "cursor"));
    for slug in ["nowhere", "", "a%00b", "site%27--"] {
        let answer = server.get(&team.reader, &format!("/v1/sync/pull?project={slug}"));
        assert!(matches!(answer.status, 400 | 404), "{slug}: {answer:?}");
        answer.kind();
    }
}

#[test]
fn a_push_leaves_a_note_of_who_did_it() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    server.push(&team.writer, &facts(&["noted"]));
    server.push(&team.writer, &facts(&["noted"]));
    let notes = "select string_agg(u.name || ' ' || a.action || ' ' || a.target || ' ' || (a.key_id is not null)
        || ' ' || (a.request is not null), '; ') from pimem.audit a join pimem.users u on u.id = a.actor";
    assert_eq!(database.one(notes), "anna push site: 1 entries, 1 events true true");
}
