//! Sealed organisations: they answer as plain ones do, and the database has nothing to read.

use std::{fs, os::unix::fs::PermissionsExt as _, thread};

use pimem_core::{
    model::{
        event::{Cue, EventKind},
        hash,
    },
    score::adopt::{self, AdoptedLine},
    sync::{check::Reason, wire},
};
use serde_json::{Value, json};

use crate::common::{
    canaries::{canaries, found_in, has},
    http,
    objects::{self, added, all, event, facts, id, purged, push, told},
    pg::{Cluster, Database},
    server::{KEY, Server, Team, fails, run},
};

/// Takes out what depends on the moment or on vectors, and rounds the rest.
fn settled(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for moment in [
                "created_at",
                "last_reinforced",
                "accessed_at",
                "cursor",
                "lag",
                "waiting",
                "with_embeddings",
                "next",
            ] {
                fields.remove(moment);
            }
            fields.values_mut().for_each(settled);
        }
        Value::Array(all) => all.iter_mut().for_each(settled),
        Value::Number(number) if number.is_f64() => {
            let rounded = number.as_f64().map(|number| (number * 1000.0).round() / 1000.0);
            *value = json!(rounded);
        }
        _ => {}
    }
}

fn answer(mut json: Value) -> Value {
    settled(&mut json);
    json
}

#[test]
fn a_sealed_organisation_answers_as_a_plain_one() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let teams = [Team::new(&database, "acme"), Team::sealed(&database, "vault")];
    let server = Server::start(&database);
    let each = |ask: &dyn Fn(&Team) -> http::Answer| {
        let [plain, sealed] = &teams;
        let (plain, sealed) = (ask(plain), ask(sealed));
        assert_eq!((plain.status, answer(plain.json())), (sealed.status, answer(sealed.json())));
        plain
    };
    let remembered = |texts: &[(&str, &str)]| {
        let new = |(category, text): &(&str, &str)| json!({"category": category, "text": text, "tags": ["ops"]});
        let all: Vec<Value> = texts.iter().map(new).collect();
        json!({"project": "site", "memories": all}).to_string()
    };
    let body = remembered(&[
        ("decision", "Chose PostgreSQL for all backend services"),
        ("preference", "Prefers tabs to spaces in Go files #style"),
        ("lesson", "The scheduler retries failed jobs three times"),
    ]);
    let first = each(&|team| server.post(&team.writer, "/v1/memories", &body)).json();
    each(&|team| server.post(&team.writer, "/v1/memories", &body));
    server.indexed();
    let id = first["memories"][0]["memory"]["id"].as_str().unwrap().to_owned();
    for path in [
        format!("/v1/memories/{id}"),
        "/v1/memories/0000000000000000".to_owned(),
        "/v1/memories?tag=style".to_owned(),
        "/v1/memories?tag=nothing".to_owned(),
        "/v1/memories?category=lesson&policy=weighted".to_owned(),
        "/v1/memories/search?q=postgresql&mode=keyword&explain=true&touch=false".to_owned(),
        "/v1/memories/search?q=scheduler+jobs+tabs&mode=keyword&touch=false".to_owned(),
        "/v1/memories/search?q=style&mode=keyword&category=preference&touch=false".to_owned(),
        "/v1/memories/search?q=nowhere&mode=keyword&touch=false".to_owned(),
        "/v1/memories/stats".to_owned(),
        "/v1/memories/stats?policy=ebbinghaus".to_owned(),
    ] {
        each(&|team| server.get(&team.reader, &path));
    }
    for verb in ["reinforce", "harmful", "pin", "unpin", "forget", "restore"] {
        each(&|team| server.post(&team.writer, &format!("/v1/memories/{id}/{verb}"), "{}"));
        server.indexed();
        each(&|team| {
            server.get(&team.reader, "/v1/memories/search?q=postgresql&mode=keyword&touch=false")
        });
    }
    let [old, new] = ["The queue is NATS", "The queue is Kafka"];
    for team in &teams {
        server.push(&team.writer, &facts(&[old, new]));
        server.push(
            &team.writer,
            &push(&[], &[event(10, old, EventKind::Supersede(objects::id(new)))]),
        );
    }
    server.indexed();
    for (path, count) in [
        ("/v1/memories?category=fact", 1),
        ("/v1/memories?category=fact&archived=true", 2),
        ("/v1/memories/search?q=queue&mode=keyword&touch=false", 1),
    ] {
        let found = each(&|team| server.get(&team.reader, path)).json();
        let found = found.get("memories").or(found.get("hits")).unwrap();
        assert_eq!(found.as_array().unwrap().len(), count, "{path}");
    }
    each(&|team| server.post(&team.curator, "/v1/memories/decay?project=site&apply=true", "{}"));
    each(&|team| server.delete(&team.writer, &format!("/v1/memories/{id}")));
    let purge = format!("/v1/memories/{id}?purge=true");
    each(&|team| server.delete(&team.writer, &purge));
    each(&|team| server.delete(&team.admin, &purge));
    each(&|team| server.get(&team.reader, &format!("/v1/memories/{id}")));
    server.indexed();
    each(&|team| {
        server.get(&team.reader, "/v1/memories/search?q=postgresql&mode=keyword&touch=false")
    });
    each(&|team| server.get(&team.reader, "/v1/memories/stats"));
    let [plain, sealed] = ["acme", "vault"].map(|org| {
        let of = format!("(select id from pimem.orgs where name = '{org}')");
        let counts = format!(
            "select (select string_agg(docs::text, ' ' order by docs) from pimem.lexemes where org_id = {of} and docs > 0) \
             || ' / ' || (select docs || ' ' || words from pimem.corpora where org_id = {of})"
        );
        database.one(&counts)
    });
    assert_eq!(plain, sealed);

    // What cannot be the same is said.
    let [_, sealed] = &teams;
    let other = first["memories"][1]["memory"]["id"].as_str().unwrap();
    let part = server.get(&sealed.reader, &format!("/v1/memories/{}", &other[..8]));
    assert_eq!((part.status, part.kind().as_str()), (400, "usage"));
    assert!(part.json()["detail"].as_str().unwrap().contains("all 16 digits"));
    for mode in ["hybrid", "semantic"] {
        let path = format!("/v1/memories/search?q=scheduler&mode={mode}");
        let found = server.get(&sealed.reader, &path).json();
        assert_eq!(
            (&found["mode"], found["hits"].as_array().unwrap().len()),
            (&json!("keyword"), 1)
        );
    }
    let vectors = "select count(*) from pimem.memories m join pimem.orgs o on o.id = m.org_id \
        where o.name = 'vault' and (table_vec is not null or model_vec is not null)";
    assert_eq!(database.one(vectors), "0");
}

#[test]
fn lists_have_everything_once_and_keys_answer_once() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::sealed(&database, "vault");
    let server = Server::start(&database);
    let texts: Vec<String> = (0..25).map(|number| format!("Fact number {number}")).collect();
    server.push(&team.writer, &facts(&texts.iter().map(String::as_str).collect::<Vec<_>>()));
    server.indexed();
    for limit in [1, 7, 25] {
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("/v1/memories?limit={limit}{cursor}");
            let page = server.get(&team.reader, &path).json();
            let memories = page["memories"].as_array().unwrap().iter();
            found.extend(memories.map(|memory| memory["text"].as_str().unwrap().to_owned()));
            let Some(next) = page["next"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        found.sort();
        let mut want = texts.clone();
        want.sort();
        assert_eq!(found, want, "{limit}");
    }
    let bearer = format!("Bearer {}", team.writer);
    let post = |text: &str| {
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
            ("idempotency-key", "one"),
        ];
        let body = json!({"project": "site", "memories": [{"category": "fact", "text": text}]})
            .to_string();
        http::request(server.address, "POST", "/v1/memories", &headers, Some(body.as_bytes()))
            .unwrap()
    };
    let first = post("The port is 8080");
    let again = post("The port is 8080");
    assert_eq!((first.status, &first.body), (again.status, &again.body));
    assert_eq!(post("Another").kind(), "refused");
}

#[test]
fn pushes_are_pulled_byte_for_byte_and_purged() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::sealed(&database, "vault");
    let server = Server::start(&database);
    let sent = facts(&["the password is on the fridge", "kept"]);
    let done = server.push(&team.writer, &sent);
    assert_eq!((done.entries.new, done.events.new, done.refused.len()), (2, 2, 0));
    let done = server.push(&team.curator, &sent);
    assert_eq!((done.entries.known, done.events.known), (2, 2));
    let pulled = server.pull(&team.reader, 4, 3);
    let mut found: Vec<String> = pulled.iter().map(told).collect();
    found.sort();
    assert_eq!(found, all(&sent));
    for object in &pulled {
        assert_eq!(object.author.as_deref(), Some("anna"));
        let line = object.line.as_deref();
        assert_eq!(object.hash, line.map(wire::content_hash));
    }
    let purge = push(&[], &[purged(50, "the password is on the fridge")]);
    assert_eq!(server.push(&team.curator, &purge).refused[0].reason, Reason::NotAllowed);
    assert_eq!(server.push(&team.admin, &purge).events.new, 1);
    let left: Vec<String> = server.pull(&team.reader, 3, 10).iter().map(told).collect();
    assert!(left.iter().all(|told| !told.contains("fridge")), "{left:?}");
    let again = server.push(&team.writer, &sent);
    let reasons: Vec<Reason> = again.refused.iter().map(|refused| refused.reason).collect();
    assert_eq!(reasons, [Reason::Purged, Reason::Purged]);
    let typed = added(70, "the password is on the fridge");
    let done = server.push(&team.writer, &push(&["the password is on the fridge"], &[typed]));
    assert_eq!((done.entries.new, done.events.new, done.refused.len()), (1, 1, 0));
}

/// Pushes, edits, reinforces, forgets, finds and purges them.
fn spread(server: &Server, team: &Team, words: &[String]) {
    let texts: Vec<String> = words.iter().map(|word| format!("{word} is near #{word}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut sent = facts(&texts);
    for (number, (text, word)) in (1000..).zip(texts.iter().zip(words)) {
        let line = AdoptedLine { id: id(text), category: "fact", topic: word, text, pinned: false };
        let kinds = [
            EventKind::Add(Cue::Explicit, Some(adopt::origin(&line))),
            EventKind::Reinforce(1),
            EventKind::Edit(id(texts[0]), Some(adopt::origin(&line))),
        ];
        for (step, kind) in (0..).zip(kinds).take(if number % 5 == 0 { 3 } else { 2 }) {
            let event = event(number + 100 * step, text, kind);
            sent.events.push(wire::raw(&event).unwrap());
        }
    }
    assert_eq!(server.push(&team.writer, &sent).refused, []);
    server.indexed();
    for (number, word) in words.iter().enumerate() {
        let path = format!("/v1/memories/search?q={word}&explain=true");
        server.get(&team.reader, &path);
        server.get(&team.reader, &format!("/v1/memories?tag={word}"));
        let body = json!({"project": "site", "memories": [{"category": "lesson", "text": format!("learnt {word}")}]});
        let bearer = format!("Bearer {}", team.writer);
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
            ("idempotency-key", word.as_str()),
        ];
        let body = body.to_string();
        let kept =
            http::request(server.address, "POST", "/v1/memories", &headers, Some(body.as_bytes()));
        let kept = kept.unwrap().json();
        let id = kept["memories"][0]["memory"]["id"].as_str().unwrap();
        let (key, query) = match number % 3 {
            0 => (&team.writer, ""),
            1 => (&team.admin, "?purge=true"),
            _ => continue,
        };
        let gone = server.delete(key, &format!("/v1/memories/{id}{query}"));
        assert_eq!(gone.status, 204, "{}\n{}", gone.json(), server.log().join("\n"));
    }
    server.indexed();
}

#[test]
fn no_word_is_left_to_read() {
    let Some(cluster) = Cluster::start("") else { return };
    let database = cluster.database();
    let (plain, sealed) = (Team::new(&database, "acme"), Team::sealed(&database, "vault"));
    let server = Server::start(&database);
    let (shown, hidden) = (canaries("kjzw"), canaries("vzqx"));
    spread(&server, &plain, &shown);
    spread(&server, &sealed, &hidden);
    database.execute("checkpoint");
    let log = server.log().join("\n");
    drop(server);
    let dump = cluster.program("pg_dump").arg(&database.url).output().unwrap();
    assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
    let dump = dump.stdout;

    // A word, and what a guess of its line is confirmed by.
    let of = |word: &String| {
        let text = format!("{word} is near #{word}");
        let hash = wire::content_hash(&format!("- [fact] {text}"));
        let raw = |hex: &str| -> Vec<u8> {
            let pairs = hex.as_bytes().chunks(2);
            pairs
                .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
                .collect()
        };
        let digest = wire::digest(&added(0, &text));
        let front = word.as_bytes()[..6].to_vec();
        let id = id(&text).to_string();
        (
            vec![
                front.clone(),
                hash.clone().into_bytes(),
                hash::write_hex(&digest).into_bytes(),
                id.clone().into_bytes(),
            ],
            vec![front, raw(&hash), raw(&id)],
        )
    };
    for word in &hidden {
        let (in_text, _) = of(word);
        for needle in &in_text {
            let told = String::from_utf8_lossy(needle);
            assert!(!has(&dump, needle), "the dump has {told}");
            assert!(!log.contains(&*told), "the log has {told}");
        }
    }
    let raw: Vec<Vec<u8>> = hidden.iter().flat_map(|word| of(word).1).collect();
    assert_eq!(found_in(cluster.dir(), &raw), Vec::<String>::new());
    // The same eyes see a plain organisation everywhere.
    let (in_text, raw) = of(&shown[7]);
    let seen: Vec<bool> = in_text.iter().map(|needle| has(&dump, needle)).collect();
    assert_eq!(seen, [true, true, false, true], "this event's time is another");
    let found = found_in(cluster.dir(), &raw).join("\n");
    assert!(found.contains("pg_wal") && found.contains("base"), "{found}");
    // No name of a project, no vector, and no plain column.
    let of = "(select id from pimem.orgs where name = 'vault')";
    for empty in [
        format!("entries where org_id = {of} and line is not null"),
        format!("events where org_id = {of} and doc is not null"),
        format!("memories where org_id = {of} and (body is not null or superseded_by is not null)"),
        format!(
            "memories where org_id = {of} and (table_vec is not null or model_vec is not null)"
        ),
        format!("idempotency where org_id = {of} and answer is not null"),
        format!("audit where org_id = {of} and target like '%site%'"),
        format!("lexemes where org_id = {of} and lexeme !~ '^[0-9a-f]{{16}}$'"),
        format!("entries where org_id = {of} and octet_length(sealed) % 64 <> 40"),
    ] {
        assert_eq!(database.one(&format!("select count(*) from pimem.{empty}")), "0", "{empty}");
    }
    assert_ne!(
        database.one(&format!("select count(*) from pimem.memories where org_id = {of}")),
        "0"
    );
}

#[test]
fn a_row_in_another_place_is_not_opened() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let (one, two) = (Team::sealed(&database, "one"), Team::sealed(&database, "two"));
    let server = Server::start(&database);
    server.push(&one.writer, &facts(&["first", "second"]));
    server.push(&two.writer, &facts(&["first", "third"]));
    server.indexed();
    let org =
        |name: &str| database.one(&format!("select id from pimem.orgs where name = '{name}'"));
    let (one_id, two_id) = (org("one"), org("two"));
    let pulled = |team: &Team| -> Vec<String> {
        let page = server.page(&team.reader, "", 100);
        let mut told: Vec<String> =
            page.objects.iter().filter_map(|object| object.line.clone()).collect();
        told.sort();
        told
    };
    assert_eq!(pulled(&one), ["- [fact] first", "- [fact] second"]);
    // The rows of one organisation, each with the text of the other row.
    for table in ["entries", "events", "memories"] {
        database.execute(&format!(
            "update pimem.{table} t set sealed = o.sealed from pimem.{table} o \
             where t.org_id = '{one_id}' and o.org_id = '{one_id}' and o.sealed <> t.sealed"
        ));
    }
    assert_eq!(server.page(&one.reader, "", 100).objects.len(), 0);
    assert_eq!(server.get(&one.reader, "/v1/memories").json()["memories"], json!([]));
    assert!(server.log().iter().any(|line| line.contains("was not opened")));
    // Those of another organisation, and lines that were written past the server.
    database.execute(&format!(
        "update pimem.entries t set sealed = o.sealed from pimem.entries o \
         where t.org_id = '{two_id}' and o.org_id = '{one_id}'"
    ));
    assert_eq!(pulled(&two), Vec::<String>::new());
    for forged in ["line = '- [fact] forged', sealed = null", "line = null, sealed = 'forged'"] {
        let forge =
            format!("update pimem.entries set {forged}, key_id = null where org_id = '{two_id}'");
        database.execute(&forge);
        assert_eq!(pulled(&two), Vec::<String>::new());
    }
    // What was said of the second is whole.
    assert_eq!(server.page(&two.reader, "", 100).objects.len(), 2);
}

/// A file of a key with these permissions.
fn key_file(name: &str, key: &str, mode: u32) -> String {
    let path = format!("/tmp/pimem-key-{}-{name}", std::process::id());
    fs::write(&path, key).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn without_its_key_a_sealed_organisation_is_closed_and_others_are_not() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let (plain, sealed) = (Team::new(&database, "acme"), Team::sealed(&database, "vault"));
    {
        let server = Server::start(&database);
        server.push(&sealed.writer, &facts(&["kept"]));
    }
    let (wrong, open) = (key_file("wrong", &"ab".repeat(32), 0o600), key_file("open", KEY, 0o640));
    for (options, why) in [
        (["--key-file", &wrong], ""),
        (["--key-file", &open], "others can read it"),
        (["--key-file", "/nowhere/key"], "No such file"),
        (["--key-command", "echo short"], "64 hexadecimal digits"),
        (["--key-command", "exit 3"], "it failed"),
    ] {
        let server = Server::start_with(&database, &options);
        let body = serde_json::to_string(&facts(&["new"])).unwrap();
        for answer in [
            server.post(&sealed.writer, "/v1/sync/push", &body),
            server.get(&sealed.reader, "/v1/sync/pull?project=site"),
            server.get(&sealed.reader, "/v1/memories"),
            server.get(&sealed.reader, "/v1/memories/search?q=kept"),
            server.get(&sealed.reader, "/v1/memories/0123456789abcdef"),
            server.get(&sealed.reader, "/v1/memories/stats"),
        ] {
            assert_eq!((answer.status, answer.kind().as_str()), (503, "unavailable"));
            assert!(answer.json()["hints"][0].as_str().unwrap().contains("--key-file"));
        }
        assert_eq!(server.get(&sealed.reader, "/v1/me").json()["mode"], "sealed");
        server.push(&plain.writer, &facts(&["new"]));
        while server.get(&plain.reader, "/v1/memories/stats").json()["total"] != 1 {}
        let log = server.log().join("\n");
        assert!(log.contains(why) && !log.contains(KEY), "{log}");
    }
    for options in [["--key-file", &open], ["--key-command", "false"]] {
        fails(&database, &[&["org", "create", "other", "--mode", "sealed"], &options[..]].concat());
        fails(&database, &[&["seal", "rotate", "vault"], &options[..]].concat());
    }
    assert!(
        fails(&database, &["seal", "rotate", "vault", "--key-file", &wrong])
            .contains("not the organisation's")
    );
    assert!(fails(&database, &["seal", "rotate", "acme"]).contains("not sealed"));
    assert_eq!(database.one("select count(*) from pimem.orgs where name = 'other'"), "0");

    // With another key around it, the data key is the same.
    let new = key_file("new", &"cd".repeat(32), 0o600);
    assert!(fails(&database, &["seal", "rewrap"]).contains("there is no key"));
    assert!(
        fails(&database, &["seal", "rewrap", "--new-key-file", &new, "--key-file", &wrong])
            .contains("vault")
    );
    run(&database, &["seal", "rewrap", "--new-key-file", &new]);
    let server = Server::start(&database);
    assert_eq!(server.get(&sealed.reader, "/v1/memories").status, 503);
    let server = Server::start_with(&database, &["--key-command", &format!("cat {new}")]);
    assert_eq!(server.pull(&sealed.reader, 2, 10).len(), 2);
    for file in [wrong, open, new] {
        fs::remove_file(file).unwrap();
    }
}

/// How many sealed rows are of an older epoch than the last.
fn old_rows(database: &Database) -> String {
    let of = |table: &str| {
        format!(
            "(select count(*) from pimem.{table} where key_id < (select max(key_id) from pimem.org_keys))"
        )
    };
    database.one(&format!("select {} + {} + {}", of("entries"), of("events"), of("memories")))
}

#[test]
fn keys_are_rotated_while_pushes_run() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::sealed(&database, "vault");
    let server = Server::start(&database);
    let texts = |from: usize| -> Vec<String> {
        (from..from + 5).map(|number| format!("Fact number {number}")).collect()
    };
    thread::scope(|scope| {
        for pusher in 0..2 {
            let (server, team) = (&server, &team);
            scope.spawn(move || {
                for number in 0..20 {
                    let texts = texts(1000 * pusher + 5 * number);
                    let sent = facts(&texts.iter().map(String::as_str).collect::<Vec<_>>());
                    let done = server.push(&team.writer, &sent);
                    assert_eq!((done.entries.new, done.events.new), (5, 5));
                }
            });
        }
        for epoch in 2..=3 {
            assert_eq!(
                run(&database, &["seal", "rotate", "vault"]),
                format!("vault: epoch {epoch}\n")
            );
        }
    });
    server.indexed();
    // Pushed once more, everything is known: ids do not change with keys.
    let known = texts(0);
    let known =
        server.push(&team.writer, &facts(&known.iter().map(String::as_str).collect::<Vec<_>>()));
    assert_eq!((known.entries.new, known.events.new), (0, 0));
    while old_rows(&database) != "0" {}
    assert_eq!(server.pull(&team.reader, 400, 150).len(), 400);
    let stats = server.get(&team.reader, "/v1/memories/stats").json();
    assert_eq!(stats["total"], 200);
    let found = server.get(&team.reader, "/v1/memories/search?q=number&limit=200").json();
    assert_eq!(found["hits"].as_array().unwrap().len(), 200);
    // An epoch is settled only when nobody can still write under the one before.
    let settled = "select count(*) from pimem.org_keys where settled is not null";
    assert_eq!(database.one(settled), "0");
    database.execute("update pimem.org_keys set created = now() - interval '2 minutes'");
    while database.one(settled) == "0" {}
}

/// The index of an organisation with such a row waits, that of others does not.
#[test]
fn a_row_of_an_epoch_that_never_began() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let (sealed, other) = (Team::sealed(&database, "vault"), Team::new(&database, "acme"));
    let server = Server::start(&database);
    server.push(&sealed.writer, &facts(&["The port is 8080"]));
    server.indexed();
    database.execute(
        "alter table pimem.entries disable trigger all; \
         update pimem.entries set key_id = key_id + 1; \
         insert into pimem.index_queue (org_id, project_id, entry) \
         select org_id, project_id, fnv from pimem.entries",
    );
    server.push(&other.writer, &facts(&["Jobs run at noon"]));
    let total = || server.get(&other.reader, "/v1/memories/stats").json()["total"].clone();
    while total() != 1 {}
    assert_eq!(server.get(&sealed.reader, "/v1/memories/stats").json()["total"], 1, "as it was");
}
