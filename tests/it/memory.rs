//! Tests of the engine's public API, used as another program would.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    rc::Rc,
    time::{Duration, SystemTime},
};

use pimem_core::{report::budget::Tokens, score::ranking::Scope, search::bm25::Query};
use pimem_engine::{
    config::env::Env,
    error::FailureKind,
    memory::{
        AddRequest, Added, Memory, NewText, Rejected, ReportRequest, SearchRequest, Silent,
        StoreWish, Vantage,
    },
    store::{Store, spool::Said},
};
use proptest::prelude::*;

/// Returns an empty directory for a test.
fn dir(test: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory").join(test);
    let _gone = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

fn open(root: &Path, store: &str) -> Memory {
    let wish = StoreWish { dir: Some(root.join(store)), ..StoreWish::default() };
    let mut env = Env::default();
    env.home = Some(root.to_owned());
    env.cache = Some(root.join("cache"));
    env.state = Some(root.join("state"));
    let clock = SystemTime::UNIX_EPOCH + Duration::from_secs(1_780_000_000);
    Memory::open(root.to_owned(), clock, wish, env, Vantage::Typed, Rc::new(Silent)).unwrap()
}

fn add(memory: &Memory, text: &str) -> Result<Vec<Added>, Rejected> {
    let text = NewText::stated(memory, "lesson", text)?;
    memory.writing().add(AddRequest { texts: vec![text], ..AddRequest::default() })
}

fn found(memory: &Memory, query: &str) -> Vec<String> {
    let query = Query::new(query);
    let found = memory.reading().search(&SearchRequest::new(&query)).unwrap();
    found.hits.into_iter().map(|hit| hit.text).collect()
}

fn report(memory: &Memory) -> String {
    memory.reading().report(&ReportRequest::default()).unwrap().view.text.to_string()
}

#[test]
fn what_is_added_is_found_and_reported() {
    let root = dir("one");
    let memory = open(&root, "store");
    let added = add(&memory, "Berths are locked by row, never by table").unwrap();
    assert_eq!((added.len(), added[0].action, added[0].next.eligible), (1, "added", true));
    let again = add(&memory, "Berths are locked by row, never by table").unwrap();
    assert_eq!((again[0].action, &again[0].short), ("reinforced", &added[0].short));
    assert_eq!(found(&memory, "how are berths locked"), [added[0].text.as_str()]);
    assert!(report(&memory).contains("- Berths are locked by row"));
    let request = ReportRequest { budget: Some(Tokens(0)), ..ReportRequest::default() };
    assert!(!memory.reading().report(&request).unwrap().view.text.contains("Berths"));
    let view = memory.reading().report(&ReportRequest::default()).unwrap().view;
    assert_eq!(view.entries.len(), 1);
}

#[test]
fn what_may_not_be_stored_is_refused() {
    let root = dir("refused");
    let memory = open(&root, "store");
    let secret = format!("The token is ghp_{}", "a1B2".repeat(9));
    for (text, kind) in [
        ("", FailureKind::Refused),
        ("bell\u{7}", FailureKind::Refused),
        (&secret, FailureKind::Refused),
    ] {
        let Rejected { failure, .. } = add(&memory, text).unwrap_err();
        assert_eq!(failure.kind, kind, "{failure}");
    }
    assert!(!root.join("store/topics").exists(), "nothing is written for it");
}

#[test]
fn two_memories_at_once() {
    let root = dir("two");
    let (a, b) = (open(&root, "a"), open(&root, "b"));
    add(&a, "Slots are half hours").unwrap();
    add(&b, "Cranes are booked by shift").unwrap();
    add(&a, "Tugs are assigned at noon").unwrap();
    assert_eq!(found(&a, "slots cranes tugs").len(), 2);
    assert_eq!(found(&b, "slots cranes tugs"), ["Cranes are booked by shift"]);
    assert!(!report(&a).contains("Cranes") && !report(&b).contains("Tugs"));
}

#[test]
fn one_store_opened_twice() {
    let root = dir("shared");
    let (a, b) = (open(&root, "store"), open(&root, "store"));
    for number in 0..20 {
        let memory = if number % 2 == 0 { &a } else { &b };
        add(memory, &format!("Quay {number} has {} bollards", 3 * number)).unwrap();
    }
    let query = Query::new("quay bollards");
    let request = SearchRequest { limit: 50, ..SearchRequest::new(&query) };
    for memory in [&a, &b, &open(&root, "store")] {
        assert_eq!(memory.reading().search(&request).unwrap().hits.len(), 20);
    }
}

/// `Memory` must not be `Send`: if it were, `Ambiguous` would be ambiguous and this would not
/// compile.
#[test]
fn a_memory_stays_in_its_thread() {
    trait Ambiguous<A> {
        fn check() {}
    }
    impl<T: ?Sized> Ambiguous<()> for T {}
    struct IfSend;
    impl<T: ?Sized + Send> Ambiguous<IfSend> for T {}
    <Memory as Ambiguous<_>>::check();
}

/// What happens to a spool.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// A sentence is said.
    Say(usize),
    /// The spool is learned.
    Take,
    /// The same, by a process that is killed: before it writes, between log and topics, or before it
    /// deletes the spool.
    Killed(usize),
    /// The lines come twice and in another order.
    Mix,
}

const THINGS: [&str; 6] = ["anchors", "beacons", "cables", "davits", "engines", "fenders"];

fn said(at: usize) -> Said {
    Said {
        at: format!("2026-05-20T10:0{at}:00.000Z"),
        by: "claude".to_owned(),
        session: Some("s".to_owned()),
        prompt: at as u64,
        text: format!("From now on, document all {0} in the table of {0}", THINGS[at]),
        ..Said::default()
    }
}

fn own_store(root: &Path) -> (Memory, Store) {
    let memory = open(root, "p/.pi/memory");
    let store = memory.store(root.join("p/.pi/memory"), Scope::Project);
    (memory, store)
}

fn files(dir: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

fn take(root: &Path) {
    let (memory, store) = own_store(root);
    memory.learning().take_in(&[store], false);
}

/// Learns the spool as a process does that is killed on the way.
fn killed(root: &Path, stage: usize) {
    let (spool, taken) =
        (root.join("p/.pi/data/spool.jsonl"), root.join("p/.pi/data/spool-taken.jsonl"));
    let mut before = BTreeMap::new();
    files(&root.join("p"), &mut before);
    take(root);
    let mut after = BTreeMap::new();
    files(&root.join("p"), &mut after);
    let Some(lines) = before.remove(&taken).or_else(|| before.remove(&spool)) else { return };
    for (path, bytes) in &after {
        let is_log = path.ends_with("evidence.jsonl");
        match before.get(path) {
            _ if stage == 2 || stage == 1 && is_log => {}
            Some(bytes) => fs::write(path, bytes).unwrap(),
            None if bytes.is_empty() => {}
            None => fs::remove_file(path).unwrap(),
        }
    }
    fs::write(taken, lines).unwrap();
    if let Some(lines) = before.get(&spool) {
        fs::write(spool, lines).unwrap();
    }
}

fn mix(root: &Path) {
    for name in ["spool.jsonl", "spool-taken.jsonl"] {
        let path = root.join("p/.pi/data").join(name);
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let lines = text.lines().rev().chain(text.lines()).map(|line| format!("{line}\n"));
        fs::write(path, lines.collect::<String>()).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// However often, in whatever order and with whatever kills a spool is learned, each sentence is
    /// an entry with one event.
    #[test]
    fn a_spool_is_learned_once(steps in prop::collection::vec(prop_oneof![
        3 => (0..THINGS.len()).prop_map(Step::Say),
        1 => Just(Step::Take),
        3 => (0..3usize).prop_map(Step::Killed),
        1 => Just(Step::Mix),
    ], 1..14)) {
        let root = dir("spool");
        let (_, store) = own_store(&root);
        store.init().unwrap();
        let mut known = [false; THINGS.len()];
        for step in steps {
            match step {
                Step::Say(at) => {
                    let (_, store) = own_store(&root);
                    store.spool(&[said(at)]).unwrap();
                    known[at] = true;
                }
                Step::Take => take(&root),
                Step::Killed(stage) => killed(&root, stage),
                Step::Mix => mix(&root),
            }
        }
        take(&root);
        let (_, store) = own_store(&root);
        prop_assert!(!store.has_spool());
        let topic = fs::read_to_string(store.dir.join("topics/preferences.md")).unwrap_or_default();
        let log = String::from_utf8(store.log().unwrap()).unwrap();
        for (at, known) in known.into_iter().enumerate() {
            let lines = topic.lines().filter(|line| line.contains(THINGS[at])).count();
            prop_assert_eq!(lines, usize::from(known), "{}", topic);
        }
        let mut ids: Vec<&str> = log.lines().filter_map(|line| line.get(..34)).collect();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), known.iter().filter(|known| **known).count(), "{}", log);
    }
}
