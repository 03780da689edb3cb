//! Tests of the engine's public API, used as another program would.
#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "tests prepare directories")]

use std::{
    fs,
    path::{Path, PathBuf},
    rc::Rc,
    time::{Duration, SystemTime},
};

use pimem_core::{report::budget::Tokens, search::bm25::Query};
use pimem_engine::{
    config::env::Env,
    error::Kind,
    memory::{
        AddRequest, Added, Asked, Memory, New, Rejected, ReportRequest, SearchRequest, Silent, Wish,
    },
};

/// Returns an empty directory for a test.
fn dir(test: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory").join(test);
    let _gone = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

fn open(root: &Path, store: &str) -> Memory {
    let wish = Wish { dir: Some(root.join(store)), ..Wish::default() };
    let mut env = Env::default();
    env.home = Some(root.to_owned());
    env.cache = Some(root.join("cache"));
    env.state = Some(root.join("state"));
    let clock = SystemTime::UNIX_EPOCH + Duration::from_secs(1_780_000_000);
    Memory::open(root.to_owned(), clock, wish, env, Asked::Typed, Rc::new(Silent)).unwrap()
}

fn add(memory: &Memory, text: &str) -> Result<Vec<Added>, Rejected> {
    let text = New::stated(memory, "lesson", text)?;
    memory.add(AddRequest { texts: vec![text], ..AddRequest::default() })
}

fn found(memory: &Memory, query: &str) -> Vec<String> {
    let query = Query::new(query);
    let found = memory.search(&SearchRequest::new(&query)).unwrap();
    found.hits.into_iter().map(|hit| hit.text).collect()
}

fn report(memory: &Memory) -> String {
    memory.report(&ReportRequest::default()).unwrap().view.text.to_string()
}

#[test]
fn what_is_added_is_found_and_reported() {
    let root = dir("one");
    let memory = open(&root, "store");
    let added = add(&memory, "Berths are locked by row, never by table").unwrap();
    assert_eq!((added.len(), added[0].action, added[0].eligible), (1, "added", true));
    let again = add(&memory, "Berths are locked by row, never by table").unwrap();
    assert_eq!((again[0].action, &again[0].short), ("reinforced", &added[0].short));
    assert_eq!(found(&memory, "how are berths locked"), [added[0].text.as_str()]);
    assert!(report(&memory).contains("- Berths are locked by row"));
    let request = ReportRequest { budget: Some(Tokens(0)), ..ReportRequest::default() };
    assert!(!memory.report(&request).unwrap().view.text.contains("Berths"));
    let view = memory.report(&ReportRequest::default()).unwrap().view;
    assert_eq!(view.entries.len(), 1);
}

#[test]
fn what_may_not_be_stored_is_refused() {
    let root = dir("refused");
    let memory = open(&root, "store");
    let secret = format!("The token is ghp_{}", "a1B2".repeat(9));
    for (text, kind) in
        [("", Kind::Refused), ("bell\u{7}", Kind::Refused), (&secret, Kind::Refused)]
    {
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
        assert_eq!(memory.search(&request).unwrap().hits.len(), 20);
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
