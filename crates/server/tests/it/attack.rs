//! Words are recovered from the vectors of a plain organisation, and from nothing that the database
//! has of the others.

use std::{collections::BTreeSet, fs, path::Path};

use pimem_core::{
    embed::{table::DIMENSION, vector::product},
    model::event::{Cue, EventKind},
    sync::{
        check,
        sealed::Seals,
        wire::{self, PushBody, SyncEntry},
    },
};

use crate::{
    common::{
        objects,
        pg::{Cluster, Database},
        server::{Server, Team},
    },
    pursuit::{attack, words},
};

/// Number of lines whose vectors are attacked.
const LINES: usize = 20;
/// Length of what half precision leaves of a vector that is explained.
const REST: f32 = 0.006;

/// Returns lines of the fixtures.
fn lines() -> Vec<String> {
    let topics = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/stores/harbor/.pi/memory/topics");
    let files =
        fs::read_dir(topics).unwrap().map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let texts: Vec<String> = files.collect();
    let all: BTreeSet<&str> = texts
        .iter()
        .flat_map(|text| text.lines())
        .filter(|line| check::split(line).is_some())
        .collect();
    let step = all.len() / LINES;
    all.into_iter().step_by(step).take(LINES).map(str::to_owned).collect()
}

fn push(lines: &[String]) -> PushBody {
    let mut push = objects::push(&[], &[]);
    for (line, number) in lines.iter().zip(1..) {
        let (category, text) = check::split(line).unwrap();
        push.entries.push(SyncEntry::of(category, text));
        let event = objects::event(number, text, EventKind::Add(Cue::Explicit, None));
        let ids = [("fact", text), (category, text)].map(|(category, text)| {
            pimem_core::model::entry::EntryId::of(category, text.as_bytes()).to_string()
        });
        push.events.push(wire::raw(&event.replace(&ids[0], &ids[1])).unwrap());
    }
    push
}

fn sealed(plain: &PushBody) -> PushBody {
    let seals = Seals::new(&[&[9; 32]], "closed", "site").unwrap();
    let mut nonce = [0; 24];
    let mut next = || {
        nonce[0] += 1;
        nonce
    };
    PushBody {
        project: plain.project.clone(),
        entries: plain
            .entries
            .iter()
            .map(|one| seals.entry("anna", one, next()).unwrap())
            .collect(),
        events: plain
            .events
            .iter()
            .map(|one| wire::raw(&seals.event("anna", one.get(), next()).unwrap()).unwrap())
            .collect(),
    }
}

/// Returns the texts of a column, in hexadecimal where it has bytes.
fn column(database: &Database, org: &str, what: &str) -> Vec<String> {
    database.with(async |client| {
        let of = format!("org_id = (select id from pimem.orgs where name = '{org}')");
        let rows = client.query(&what.replace("$of", &of), &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    })
}

/// Returns the vectors that an organisation has.
fn vectors(database: &Database, org: &str) -> Vec<Vec<f32>> {
    let stored = column(
        database,
        org,
        "select table_vec::text from pimem.memories where $of and table_vec is not null",
    );
    let read = |text: &String| -> Vec<f32> {
        text.trim_matches(['[', ']']).split(',').map(|number| number.parse().unwrap()).collect()
    };
    stored.iter().map(read).collect()
}

/// Decodes what a client sealed: base64 after `v1:`, up to the first other character.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: &u8| match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'a'..=b'z' => Some(u32::from(byte - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u32> = text.strip_prefix(b"v1:")?.iter().map_while(digit).collect();
    let whole = digits.chunks_exact(4).flat_map(|four| {
        let bits = four.iter().fold(0, |bits, digit| bits << 6 | digit);
        bits.to_be_bytes().into_iter().skip(1)
    });
    Some(whole.collect())
}

/// Returns the vectors that everything else would be which an organisation has: bytes as numbers of
/// eight bits.
fn taken_for_vectors(database: &Database, org: &str) -> Vec<Vec<f32>> {
    let mut bytes: Vec<u8> = Vec::new();
    for table in ["entries", "events", "memories"] {
        for sealed in column(
            database,
            org,
            &format!(
                "select encode(sealed, 'hex') from pimem.{table} where $of and sealed is not null"
            ),
        ) {
            let pairs = sealed.as_bytes().chunks(2);
            let stored: Vec<u8> = pairs
                .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
                .collect();
            bytes.extend(decoded(&stored).unwrap_or(stored));
        }
    }
    for doc in column(database, org, "select doc from pimem.events where $of and doc is not null") {
        bytes.extend(decoded(doc.split("\"sealed\":\"").nth(1).unwrap().as_bytes()).unwrap());
    }
    let vector = |row: &[u8]| -> Vec<f32> {
        let row: Vec<f32> = row.iter().map(|byte| f32::from(byte.cast_signed())).collect();
        let length = product(&row, &row).sqrt();
        row.iter().map(|x| x / length).collect()
    };
    bytes.chunks_exact(DIMENSION).take(2 * LINES).map(vector).collect()
}

#[test]
fn words_are_recovered_from_plain_vectors_only() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let open = Team::new(&database, "open");
    let (kept, closed) = (Team::sealed(&database, "kept"), Team::opaque(&database, "closed"));
    let server = Server::start(&database);
    let lines = lines();
    let plain = push(&lines);
    for (team, push) in [(&open, &plain), (&kept, &plain), (&closed, &sealed(&plain))] {
        let done = server.push(&team.writer, push);
        assert_eq!((done.entries.new, done.refused.len()), (LINES as u64, 0), "{:?}", done.refused);
    }
    server.indexed();
    let texts: Vec<BTreeSet<String>> =
        lines.iter().map(|line| words(check::split(line).unwrap().1)).collect();
    let stored = vectors(&database, "open");
    assert_eq!(stored.len(), LINES);
    let (exact, _) = attack(stored, &texts, REST);
    assert!(exact * 10 >= LINES * 7, "{exact} of {LINES}");
    for org in ["kept", "closed"] {
        assert_eq!(vectors(&database, org).len(), 0, "{org}");
        let taken = taken_for_vectors(&database, org);
        assert!(taken.len() >= LINES, "{org}: {}", taken.len());
        let (exact, most) = attack(taken, &texts, REST);
        assert_eq!(exact, 0, "{org}");
        // Random rows give some 0.2 at most, plain ones 1.
        assert!(most < 0.5, "{org}: {most}: no more than a dictionary gives by chance");
    }
}
