//! Concurrent processes lose nothing and duplicate nothing.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde_json::Value;

use crate::common::{sandbox::Sandbox, scale};

const WORKERS: usize = 64;
/// Additions per worker, one process each.
const ADDS: usize = 10;
/// Number of topic files, enough that none becomes full.
const CATEGORIES: usize = 8;

/// The commands of processes that exited with 0.
#[derive(Default)]
struct Acknowledged {
    added: BTreeSet<String>,
    reinforced: usize,
}

#[test]
fn no_update_is_lost_or_doubled() {
    let scale = scale();
    let categories = CATEGORIES * scale;
    let sandbox = Sandbox::new("empty");
    let names: Vec<String> = (0..categories).map(|n| format!("\"c{n}\": {{}}")).collect();
    sandbox.configure(&format!("{{\"categories\": {{{}}}}}", names.join(", ")));
    sandbox.run(&["init"]).ok();
    sandbox.run(&["add", "shared by all"]).ok();
    let acknowledged = Mutex::new(Acknowledged::default());
    let refused = AtomicUsize::new(0);
    thread::scope(|threads| {
        for worker in 0..WORKERS {
            let (sandbox, acknowledged, refused) = (&sandbox, &acknowledged, &refused);
            threads.spawn(move || {
                for number in 0..ADDS * scale {
                    let text = format!("w{worker} n{number}");
                    let category = format!("c{}", (worker + number) % categories);
                    let mut ops = vec![vec!["add", "-c", &category, &text]];
                    if number % 5 == 0 {
                        ops.push(vec!["reinforce", "shared by all"]);
                    }
                    for op in ops {
                        let mut command = sandbox.command(&op);
                        // Syncs are tested in `durable`.
                        command.env("PIMEM_SYNC", "0").env("PIMEM_LOCK_TIMEOUT_MS", "120000");
                        let done = crate::common::sandbox::outcome(command);
                        if done.code != 0 {
                            println!("{op:?}: {}", done.stderr);
                            refused.fetch_add(1, Ordering::Relaxed);
                            continue;
                        }
                        let mut acknowledged = acknowledged.lock().unwrap();
                        match op[0] {
                            "add" => drop(acknowledged.added.insert(text.clone())),
                            _ => acknowledged.reinforced += 1,
                        }
                    }
                }
            });
        }
    });
    assert_eq!(refused.into_inner(), 0, "nobody had to be turned away");
    let acknowledged = acknowledged.into_inner().unwrap();
    assert_eq!(acknowledged.added.len(), WORKERS * ADDS * scale);
    assert_eq!(differences(&sandbox, &acknowledged), Vec::<String>::new());
    assert_eq!(sandbox.litter(), Vec::<String>::new());
    let shared = &sandbox.entries()["shared by all"];
    assert_eq!(shared["evidence"], 1 + acknowledged.reinforced);

    // Tests the checker: it must notice lost and duplicated lines.
    let (topic, log) = (sandbox.read("topics/c0.md"), sandbox.read("evidence.jsonl"));
    let line = topic.lines().last().unwrap();
    sandbox.write("topics/c0.md", topic.replace(&format!("{line}\n"), ""));
    assert_eq!(differences(&sandbox, &acknowledged).len(), 1, "a lost entry is noticed");
    sandbox.write("topics/c0.md", format!("{topic}{line}\n"));
    assert_eq!(differences(&sandbox, &acknowledged).len(), 1, "a doubled entry is noticed");
    sandbox.write("topics/c0.md", topic);
    let (first, rest) = log.split_once('\n').unwrap();
    sandbox.write("evidence.jsonl", rest);
    assert_eq!(differences(&sandbox, &acknowledged).len(), 1, "a lost event is noticed");
    sandbox.write("evidence.jsonl", format!("{}\n{log}", &first[..first.len() / 2]));
    assert_eq!(differences(&sandbox, &acknowledged).len(), 1, "a torn event is noticed");
}

/// Many processes make the first addition at once: one complete store is created, and none fails.
#[test]
fn a_store_is_made_by_many() {
    for round in 0..6 * scale() {
        let sandbox = Sandbox::new("empty");
        thread::scope(|threads| {
            for worker in 0..16 {
                let sandbox = &sandbox;
                threads.spawn(move || {
                    let mut command = sandbox.command(&["add", &format!("w{worker}")]);
                    command.env("PIMEM_SYNC", "0").env("PIMEM_LOCK_TIMEOUT_MS", "120000");
                    let done = crate::common::sandbox::outcome(command);
                    assert_eq!(done.code, 0, "{round}: {}", done.stderr);
                });
            }
        });
        for name in [".gitignore", ".gitattributes"] {
            assert!(!sandbox.read(name).is_empty(), "{round}: {name}");
        }
        assert_eq!(sandbox.litter(), Vec::<String>::new(), "{round}");
        assert_eq!(sandbox.entries().len(), 16, "{round}");
        // Lines written here are known as such, whichever process created the store.
        sandbox.run(&["report"]).ok();
    }
}

/// Returns the differences between the store and the acknowledged commands.
fn differences(sandbox: &Sandbox, acknowledged: &Acknowledged) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for (name, bytes) in sandbox.tree() {
        if !name.contains("/topics/") {
            continue;
        }
        let text = String::from_utf8(bytes).unwrap();
        for line in text.lines().filter(|line| line.starts_with("- [")) {
            let text = line.split_once("] ").unwrap().1;
            *lines.entry(text.to_owned()).or_default() += 1;
        }
    }
    lines.remove("shared by all");
    let lost = acknowledged.added.iter().filter(|text| !lines.contains_key(*text));
    found.extend(lost.map(|text| format!("lost: {text}")));
    let doubled = lines.iter().filter(|(_, count)| **count > 1);
    found.extend(doubled.map(|(text, count)| format!("{count} times: {text}")));
    let invented = lines.keys().filter(|text| !acknowledged.added.contains(*text));
    found.extend(invented.map(|text| format!("never acknowledged: {text}")));

    let (mut events, mut ids) = (BTreeMap::new(), BTreeSet::new());
    for line in sandbox.read("evidence.jsonl").lines() {
        let Ok(event) = serde_json::from_str::<Value>(line) else {
            found.push(format!("not JSON: {line}"));
            continue;
        };
        if !ids.insert(event["id"].as_str().unwrap().to_owned()) {
            found.push(format!("twice: {line}"));
        }
        *events.entry(event["op"].as_str().unwrap().to_owned()).or_insert(0) += 1;
    }
    let adds = acknowledged.added.len() + 1;
    for (op, want) in [("add", adds), ("reinforce", acknowledged.reinforced)] {
        let got = events.get(op).copied().unwrap_or(0);
        if got != want {
            found.push(format!("{got} events {op} instead of {want}"));
        }
    }
    found
}
