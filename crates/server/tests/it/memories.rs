//! Memories over REST: remembered, found, changed, counted.

use std::time::Duration;

use pimem_core::{
    model::{
        event::EventKind,
        time::{Age, Timestamp},
    },
    score::stability::{Score, Standing},
};
use serde_json::{Value, json};

use crate::common::{
    http,
    objects::{THEN, added, event, facts, id, push},
    pg::{Cluster, Database},
    server::{Server, Team},
};

fn delete(server: &Server, key: &str, path: &str) -> http::Answer {
    let bearer = format!("Bearer {key}");
    http::request(server.address, "DELETE", path, &[("authorization", &bearer)], None).unwrap()
}

/// Waits until nothing waits for the index, and returns the counts.
fn indexed(server: &Server, key: &str) -> Value {
    server.indexed();
    server.get(key, "/v1/memories/stats").json()
}

fn remember(server: &Server, key: &str, all: &[(&str, &str)]) -> Vec<String> {
    let new = |(category, text): &(&str, &str)| json!({"category": category, "text": text});
    let memories: Vec<Value> = all.iter().map(new).collect();
    let body = json!({"project": "site", "memories": memories});
    let answer = server.post(key, "/v1/memories", &body.to_string());
    assert_eq!(answer.status, 201, "{}", answer.json());
    let kept = answer.json();
    let kept = kept["memories"].as_array().unwrap().iter();
    kept.map(|one| one["memory"]["id"].as_str().unwrap().to_owned()).collect()
}

fn texts(answer: &Value, list: &str) -> Vec<String> {
    let all = answer[list].as_array().unwrap().iter();
    all.map(|one| {
        let memory = if one["memory"].is_object() { &one["memory"] } else { one };
        memory["text"].as_str().unwrap().to_owned()
    })
    .collect()
}

#[test]
fn what_is_remembered_is_found() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let ids = remember(
        &server,
        &team.writer,
        &[
            ("decision", "Chose PostgreSQL for all backend services"),
            ("preference", "Prefers tabs to spaces in Go files #style"),
            ("lesson", "The scheduler retries failed jobs three times with back-off"),
        ],
    );
    // At once by its id and in lists, soon by its words and its meaning.
    let shown = server.get(&team.reader, &format!("/v1/memories/{}", &ids[0][..6])).json();
    assert_eq!(shown["text"], "Chose PostgreSQL for all backend services");
    assert_eq!((&shown["state"], &shown["author"]), (&json!("candidate"), &json!("anna")));
    let stats = indexed(&server, &team.reader);
    assert_eq!((&stats["total"], &stats["with_embeddings"]), (&json!(3), &json!(3)), "{stats}");
    assert_eq!(stats["by_category"]["lesson"], 1);
    for (query, want) in [
        ("postgresql", "Chose PostgreSQL for all backend services"),
        ("which database do we use", "Chose PostgreSQL for all backend services"),
        ("indentation style for golang", "Prefers tabs to spaces in Go files #style"),
        ("#style", "Prefers tabs to spaces in Go files #style"),
        ("retry", "The scheduler retries failed jobs three times with back-off"),
    ] {
        let path = format!("/v1/memories/search?q={}", query.replace(' ', "+").replace('#', "%23"));
        let answer = server.get(&team.reader, &path).json();
        assert_eq!(texts(&answer, "hits").first().map(String::as_str), Some(want), "{query}");
        let relevance = answer["hits"][0]["relevance"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&relevance), "{answer}");
    }
    // What is hardly better than chance is said to be.
    let path = "/v1/memories/search?q=which+harbour+crane+is+repaired+today";
    let answer = server.get(&team.reader, path).json();
    assert_eq!((answer["hits"].as_array().unwrap().len(), &answer["faint"]), (1, &json!(true)));
    let path = "/v1/memories/search?q=golang+indentation&mode=keyword";
    assert_eq!(texts(&server.get(&team.reader, path).json(), "hits"), Vec::<String>::new());
    let path = "/v1/memories/search?q=postgresql&explain=true&category=decision";
    let explained = server.get(&team.reader, path).json();
    assert!(explained["hits"][0]["explain"]["bm25"].as_f64().unwrap() > 0.0, "{explained}");
    let path = "/v1/memories/search?q=postgresql&category=lesson&min_score=0.5";
    assert_eq!(texts(&server.get(&team.reader, path).json(), "hits"), Vec::<String>::new());
}

/// Remembers a fact, under an `Idempotency-Key`.
fn post(server: &Server, team: &Team, key: &str, text: &str) -> http::Answer {
    let body = json!({"project": "site", "memories": [{"category": "fact", "text": text}]});
    let bearer = format!("Bearer {}", team.writer);
    let mut headers = vec![("authorization", &*bearer), ("content-type", "application/json")];
    headers.extend((!key.is_empty()).then_some(("idempotency-key", key)));
    let bytes = body.to_string();
    http::request(server.address, "POST", "/v1/memories", &headers, Some(bytes.as_bytes())).unwrap()
}

#[test]
fn a_known_line_is_reinforced_and_a_key_answers_once() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let first = post(&server, &team, "one", "The port is 8080");
    assert_eq!(
        (first.status, first.json()["memories"][0]["reinforced"].as_bool()),
        (201, Some(false))
    );
    let again = post(&server, &team, "one", "The port is 8080");
    assert_eq!((again.status, again.body), (201, first.body), "nothing happens again");
    let second = post(&server, &team, "", "The port is 8080");
    assert_eq!(
        (second.status, second.json()["memories"][0]["reinforced"].as_bool()),
        (200, Some(true))
    );
    assert_eq!(second.json()["memories"][0]["memory"]["evidence"], 2);
    let refused = post(&server, &team, "one", "Another");
    assert_eq!((refused.status, refused.kind().as_str()), (422, "refused"));
    // The events are those of a store: whoever pulls has the same fold.
    assert_eq!(database.one("select count(*) from pimem.events"), "2");
}

#[test]
fn requests_with_one_key_at_once_act_once() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let post = |text: &str| post(&server, &team, "one", text);
    assert_eq!(post(&["password=", "Xk29fLq8Zt41"].concat()).status, 422);
    // What failed frees its key.
    let answers: Vec<_> = std::thread::scope(|scope| {
        let sent: Vec<_> = (0..12).map(|_| scope.spawn(|| post("The port is 8080"))).collect();
        sent.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(database.one("select count(*) from pimem.events"), "1");
    let last = post("The port is 8080");
    assert_eq!(last.status, 201);
    for answer in answers {
        let same = (answer.status, &answer.body) == (201, &last.body);
        assert!(same || answer.kind() == "under-way", "{}", answer.status);
    }
}

#[test]
fn a_memory_goes_its_way() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let ids = remember(
        &server,
        &team.writer,
        &[("fact", "The queue is NATS"), ("fact", "The cache is Redis")],
    );
    indexed(&server, &team.reader);
    let path = format!("/v1/memories/{}", ids[0]);
    let verb = |key: &str, verb: &str| server.post(key, &format!("{path}/{verb}"), "{}");
    assert_eq!(verb(&team.writer, "reinforce").json()["evidence"], 2);
    let pinned = verb(&team.writer, "pin").json();
    assert_eq!(
        (&pinned["pinned"], &pinned["state"], &pinned["score"]),
        (&json!(true), &json!("active"), &json!(9999.0))
    );
    assert_eq!(verb(&team.writer, "unpin").json()["pinned"], false);
    assert_eq!(verb(&team.writer, "dance").kind(), "not-found");
    assert_eq!(verb(&team.reader, "pin").kind(), "forbidden");

    assert_eq!(delete(&server, &team.writer, &path).status, 204);
    indexed(&server, &team.reader);
    assert_eq!(server.get(&team.reader, &path).json()["forgotten"], true);
    let found = server.get(&team.reader, "/v1/memories/search?q=NATS&mode=keyword").json();
    assert_eq!(texts(&found, "hits"), Vec::<String>::new());
    assert_eq!(verb(&team.writer, "restore").json()["forgotten"], false);
    indexed(&server, &team.reader);
    let found = server.get(&team.reader, "/v1/memories/search?q=NATS&mode=keyword").json();
    assert_eq!(texts(&found, "hits"), ["The queue is NATS"]);

    let purge = format!("{path}?purge=true");
    assert_eq!(delete(&server, &team.writer, &purge).kind(), "forbidden");
    assert_eq!(delete(&server, &team.admin, &purge).status, 204);
    assert_eq!(server.get(&team.reader, &path).kind(), "not-found");
    indexed(&server, &team.reader);
    let left = "select count(*) from pimem.lexemes where lexeme = 'nat' and docs > 0";
    assert_eq!(database.one(left), "0", "its words are not counted any more");
    assert_eq!(database.one("select docs from pimem.corpora"), "1");
    assert_eq!(server.get(&team.reader, "/v1/memories/stats").json()["total"], 1);
}

#[test]
fn what_is_out_of_force_is_found_when_asked_for() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let [old, new, pilot] =
        ["The queue is NATS", "The queue is Kafka", "The queue of the pilot is Redis"];
    server.push(&team.writer, &facts(&[old, new, pilot]));
    let ended = EventKind::Expire(Timestamp(THEN + 60_000));
    let events = [event(10, old, EventKind::Supersede(id(new))), event(11, pilot, ended)];
    server.push(&team.writer, &push(&[], &events));
    let found = |more: &str| {
        indexed(&server, &team.reader);
        let path = format!("/v1/memories/search?q=which+queue{more}");
        let mut found = texts(&server.get(&team.reader, &path).json(), "hits");
        found.sort_unstable();
        found
    };
    let listed = |more: &str| {
        let path = format!("/v1/memories?project=site{more}");
        let mut listed = texts(&server.get(&team.reader, &path).json(), "memories");
        listed.sort_unstable();
        listed
    };
    for (more, want) in [("", vec![new]), ("&archived=true", vec![new, old, pilot])] {
        assert_eq!(found(more), want, "{more}");
        assert_eq!(listed(more), want, "{more}");
    }
    let path = format!("/v1/memories/{}", id(new));
    assert_eq!(delete(&server, &team.writer, &path).status, 204);
    // What replaced it was dropped.
    assert_eq!(found(""), [old]);
    assert_eq!(listed(""), [old]);
    assert_eq!(listed("&archived=true"), [new, old, pilot]);
    let old = server.get(&team.reader, &format!("/v1/memories/{}", id(old))).json();
    assert_eq!(old["superseded_by"], Value::Null);
}

#[test]
fn what_seems_replaced_stands_behind_what_seems_to_replace_it() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let [old, new, other] = [
        "The queue retries 3 times",
        "The queue retries 5 times",
        "The queue is retried by nobody",
    ];
    let days = |days: u64| days * 86_400;
    let events = [added(days(0), old), added(days(2), new), added(days(4), other)];
    server.push(&team.writer, &push(&[old, new, other], &events));
    indexed(&server, &team.reader);
    let found = |query: &str| {
        let path = format!("/v1/memories/search?mode=keyword&q={query}");
        let found = server.get(&team.reader, &path).json();
        let hits = found["hits"].as_array().unwrap().iter();
        let hits =
            hits.map(|hit| (hit["memory"]["text"].clone(), hit["seems_replaced_by"].clone()));
        hits.collect::<Vec<_>>()
    };
    let both = [(json!(new), Value::Null), (json!(old), json!(id(new).to_string()))];
    assert_eq!(found("queue+retries+3+times")[..2], both);
    assert_eq!(found("queue+retries+3+times&limit=1"), both[..1]);
    // Whoever confirms the older one chose it later.
    let path = format!("/v1/memories/{}/reinforce", id(old));
    assert_eq!(server.post(&team.writer, &path, "{}").status, 200);
    assert_eq!(found("queue+retries+3+times")[0], (json!(old), Value::Null));
}

#[test]
fn many_at_once_do_not_wait_in_a_circle() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let all: Vec<String> = (0..40).map(|number| format!("Fact number {number}")).collect();
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let (all, team, server) = (&all, &team, &server);
            scope.spawn(move || {
                for round in 0..8 {
                    let mut own: Vec<(&str, &str)> =
                        all.iter().map(|text| ("fact", text.as_str())).collect();
                    own.rotate_left((7 * thread + 13 * round) % 40);
                    if thread % 2 == 0 {
                        own.reverse();
                    }
                    let new = |(category, text): &(&str, &str)| json!({"category": category, "text": text});
                    let memories: Vec<Value> = own[..20].iter().map(new).collect();
                    let body = json!({"project": "site", "memories": memories}).to_string();
                    let answer = server.post(&team.writer, "/v1/memories", &body);
                    assert!([200, 201].contains(&answer.status), "{}", answer.json());
                }
            });
        }
    });
    server.indexed();
    let quiet = server.log().iter().all(|line| !line.contains("deadlock"));
    assert!(quiet, "{:?}", server.log());
    let evidence = "select sum(evidence) || ' ' || count(*) from pimem.memories";
    let reinforced = "select count(*) from pimem.events where op in ('add', 'reinforce')";
    assert_eq!(
        database.one("select count(*) from pimem.memories"),
        "40",
        "{}",
        database.one(evidence)
    );
    assert_eq!(database.one(reinforced), (6 * 8 * 20).to_string());
}

#[test]
fn pages_have_everything_once() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let all: Vec<String> = (0..25).map(|number| format!("Fact number {number}")).collect();
    server.push(&team.writer, &facts(&all.iter().map(String::as_str).collect::<Vec<_>>()));
    indexed(&server, &team.reader);
    for limit in [1, 7, 25, 200] {
        let mut found = Vec::new();
        let mut path = format!("/v1/memories?project=site&limit={limit}");
        loop {
            let answer = server.get(&team.reader, &path);
            let page = answer.json();
            let here = texts(&page, "memories");
            assert!(here.len() <= limit, "{path}");
            found.extend(here);
            let Some(next) = page["next"].as_str() else { break };
            let link = answer.headers["link"].strip_prefix('<').unwrap();
            let (query, rel) = link.split_once('>').unwrap();
            assert_eq!(query, format!("?project=site&limit={limit}&cursor={next}"));
            assert_eq!(rel, "; rel=\"next\"");
            path = format!("/v1/memories{query}");
        }
        found.sort();
        let mut want = all.clone();
        want.sort();
        assert_eq!(found, want, "{limit}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let one = |category: &str, text: &str| json!({"project": "site", "memories": [{"category": category, "text": text}]});
    for (body, status, says) in [
        (one("poem", "x"), 400, "category \"poem\" is not one of"),
        (one("fact", ""), 422, "cannot be kept"),
        (one("fact", "two\nlines \u{202e}"), 422, "cannot be kept"),
        (one("fact", "only here #private"), 422, "private"),
        (json!({"project": "site", "memories": []}), 400, "1 to 100"),
        (json!({"project": "site"}), 400, "memories"),
        (
            json!({"project": "none", "memories": [{"category": "fact", "text": "x"}]}),
            404,
            "no project",
        ),
        (
            json!({"project": "site", "memories": [{"category": "fact", "text": "x", "importance": 2}]}),
            400,
            "importance is 0 to 1",
        ),
        (
            json!({"project": "site", "memories": [{"category": "fact", "text": "x", "tags": ["a b"]}]}),
            400,
            "is not a tag",
        ),
        (
            json!({"project": "site", "memories": [{"category": "fact", "text": "x", "valid_until": "soon"}]}),
            400,
            "valid_until",
        ),
        (
            json!({"project": "site", "memories": [{"category": "fact", "text": "x", "agent": "a b"}]}),
            400,
            "agent",
        ),
    ] {
        let answer = server.post(&team.writer, "/v1/memories", &body.to_string());
        let told = answer.json();
        assert_eq!(answer.status, status, "{body}: {told}");
        assert!(told["detail"].as_str().unwrap().contains(says), "{told}");
    }
    for (path, status) in [
        ("/v1/memories?limit=0", 400),
        ("/v1/memories?limit=-1", 400),
        ("/v1/memories?limit=201", 400),
        ("/v1/memories?cursor=abc", 400),
        ("/v1/memories?state=sleepy", 400),
        ("/v1/memories?state=active&policy=weighted", 400),
        ("/v1/memories?policy=luck", 400),
        ("/v1/memories?unknown=1", 400),
        ("/v1/memories/search?q=", 400),
        ("/v1/memories/search", 400),
        ("/v1/memories/search?q=x&mode=psychic", 400),
        ("/v1/memories/search?q=x&min_score=2", 400),
        ("/v1/memories/xyz", 400),
        ("/v1/memories/00", 400),
        ("/v1/memories/0000000000000000", 404),
        ("/v1/memories?project=none", 404),
    ] {
        assert_eq!(server.get(&team.reader, path).status, status, "{path}");
    }
    let long = format!("/v1/memories/search?q={}", "x".repeat(2_001));
    assert_eq!(server.get(&team.reader, &long).status, 400);
    assert_eq!(database.one("select count(*) from pimem.events"), "0");
}

#[test]
fn an_agent_does_not_bring_back_what_a_person_took_back() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let ids = remember(&server, &team.writer, &[("fact", "The port is 8080")]);
    assert_eq!(delete(&server, &team.writer, &format!("/v1/memories/{}", ids[0])).status, 204);
    let mut body = json!({"project": "site", "memories": [
        {"category": "fact", "text": "The port is 8080", "agent": "codex"}]});
    let answer = server.post(&team.writer, "/v1/memories", &body.to_string());
    assert_eq!((answer.status, answer.kind().as_str()), (422, "refused"));
    body["memories"][0].as_object_mut().unwrap().remove("agent");
    let answer = server.post(&team.writer, "/v1/memories", &body.to_string()).json();
    assert_eq!(answer["memories"][0]["memory"]["forgotten"], false, "{answer}");
}

#[test]
fn what_has_faded_is_archived_when_asked() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let mut sent = facts(&["Tried yarn once", "The site is on port 8080"]);
    for event in &mut sent.events {
        let cue = event
            .get()
            .replace("explicit", "behavioral")
            .replace("\"by\":\"user\"", "\"by\":\"codex\"");
        *event = serde_json::value::RawValue::from_string(cue).unwrap();
    }
    server.push(&team.writer, &sent);
    indexed(&server, &team.reader);
    // The project is used on twelve more days, a year later.
    database.execute(
        "update pimem.events set doc = regexp_replace(doc, '\"ts\":\"[^\"]*\"', '\"ts\":\"2025-01-0' || (1 + length(doc) % 2) || 'T00:00:00.000Z\"'), ts = '2025-01-01'; \
         insert into pimem.events (org_id, project_id, id, digest, entry, op, ts, doc, author) \
         select org_id, project_id, substr(sha256(n::text::bytea), 1, 16), sha256(n::text::bytea), '12345678', 'later', \
             timestamptz '2025-06-01' + n * interval '1 day', '{}', author \
         from (select * from pimem.events limit 1) e, generate_series(1, 12) n; \
         insert into pimem.index_queue (org_id, project_id, entry) select distinct org_id, project_id, entry from pimem.entries \
         cross join lateral (select fnv as entry) f on conflict do nothing",
    );
    indexed(&server, &team.reader);
    let would = server.post(&team.curator, "/v1/memories/decay?project=site", "{}").json();
    assert_eq!(
        (would["memories"].as_array().unwrap().len(), &would["applied"]),
        (2, &json!(false)),
        "{would}"
    );
    assert_eq!(server.get(&team.reader, "/v1/memories/stats").json()["total"], 2);
    let path = "/v1/memories/decay?project=site&apply=true";
    assert_eq!(server.post(&team.writer, path, "{}").kind(), "forbidden");
    let done = server.post(&team.curator, path, "{}").json();
    assert_eq!(done["applied"], true);
    let stats = indexed(&server, &team.reader);
    assert_eq!((&stats["total"], &stats["archived"]), (&json!(0), &json!(2)), "{stats}");
    let archive = server.get(&team.reader, "/v1/memories?archived=true").json();
    assert_eq!(archive["memories"][0]["archived"], "age", "{archive}");
}

/// What a search gives counts as accessed, as on every client, and is added to their counts.
#[test]
fn a_search_counts_as_an_access() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    for team in [Team::new(&database, "acme"), Team::sealed(&database, "vault")] {
        let server = Server::start(&database);
        let texts = [("fact", "The port is 8080"), ("fact", "Jobs run at noon")];
        let ids = remember(&server, &team.writer, &texts);
        indexed(&server, &team.reader);
        let of = |id: &str| {
            let memory = server.get(&team.reader, &format!("/v1/memories/{id}")).json();
            (memory["access_count"].as_u64().unwrap(), memory["accessed_at"].is_string())
        };
        let until = |id: &str, want: u64| {
            while of(id).0 < want {
                std::thread::sleep(Duration::from_millis(50));
            }
            assert_eq!(of(id), (want, true));
        };
        let search = "/v1/memories/search?q=port&mode=keyword";
        let total =
            || server.get(&team.reader, "/v1/memories/stats").json()["access_count"].clone();
        assert_eq!((of(&ids[0]), total()), ((0, false), json!(0)));
        for _ in 0..3 {
            let found = server.get(&team.reader, search).json();
            assert_eq!(found["hits"].as_array().unwrap().len(), 1, "{found}");
        }
        until(&ids[0], 3);
        assert_eq!(of(&ids[1]), (0, false), "it was not found");
        // What only looks does not count, and what is folded anew keeps its count.
        server.get(&team.reader, &format!("{search}&touch=false"));
        server.post(&team.writer, &format!("/v1/memories/{}/reinforce", ids[0]), "{}");
        indexed(&server, &team.reader);
        // Nor does what is hardly better than chance.
        server.get(&team.reader, "/v1/memories/search?q=when+are+letters+sent+to+customers");
        server.get(&team.reader, search);
        until(&ids[0], 4);
        assert_eq!(total(), json!(4));
        // A purge takes the count along.
        let path = format!("/v1/memories/{}?purge=true", ids[0]);
        assert_eq!(server.delete(&team.admin, &path).status, 204);
        assert_eq!(database.one("select count(*) from pimem.accesses"), "0");
    }
}

#[test]
fn decay_without_a_project_is_of_all_that_the_key_may_curate() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    remember(&server, &team.writer, &[("fact", "The port is 8080")]);
    indexed(&server, &team.reader);
    for path in ["/v1/memories/decay", "/v1/memories/decay?apply=true"] {
        let done = server.post(&team.curator, path, "{}");
        let states = server.get(&team.reader, "/v1/memories/stats").json()["by_state"].clone();
        assert!(states.as_object().unwrap().len() == 1, "{states}");
        assert_eq!((done.status, &done.json()["by_state"]), (200, &states), "{path}");
        assert_eq!(server.post(&team.writer, path, "{}").kind(), "forbidden", "{path}");
        assert_eq!(server.post(&team.reader, path, "{}").kind(), "forbidden", "{path}");
    }
    for (path, says) in [
        ("decay?apply=perhaps", "apply in the address has to be true or false"),
        ("decay?project=", "no project"),
        ("decay?projects=site", "the address has \"projects\", which is not known"),
        ("decay?apply=true&apply=true", "the address has apply twice"),
    ] {
        let answer = server.post(&team.curator, &format!("/v1/memories/{path}"), "{}");
        let told = answer.json();
        let detail = told["detail"].as_str().unwrap();
        assert!(detail.contains(says) && !detail.contains("eserializ"), "{path}: {told}");
        assert!(answer.status == 400 || answer.status == 404, "{path}: {told}");
    }
}

/// The formula in SQL is that of the program.
#[test]
fn stability_in_sql_is_that_of_the_program() {
    let Some(cluster) = Cluster::shared() else { return };
    let database: Database = cluster.database();
    let mut seed = 7_u64;
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let cues = [1.0, 0.9, 0.7, 0.6];
    for _ in 0..400 {
        let cue = cues[usize::try_from(next(4)).unwrap()];
        let (count, idle) = (next(50), next(5_000_000_000) * (1 + next(40)));
        let tau = [7.0, 14.0, 30.0, 60.0, 90.0][usize::try_from(next(5)).unwrap()];
        let want = Score::new(cue, Age(idle), tau, count);
        let query = format!(
            "select pimem.stability({cue}, {count}, t.at - {idle} * interval '1 millisecond', {tau}, t.at)::text || ' ' || \
             pimem.state('auto', pimem.stability({cue}, {count}, t.at - {idle} * interval '1 millisecond', {tau}, t.at)) \
             from (values (timestamptz '2026-06-01')) as t (at)"
        );
        let found = database.one(&query);
        let (score, state) = found.split_once(' ').unwrap();
        let score: f64 = score.parse().unwrap();
        assert!(
            (score - want.get()).abs() <= 1e-9 * want.get().max(1.0),
            "{query}: {found}, {want:?}"
        );
        let far = [1.5, 0.7, 0.4].iter().all(|least| (want.get() - least).abs() > 1e-9);
        assert!(!far || state == Standing::Scored(want).state().name(), "{found}");
    }
}
