//! Tests of what is refused.

use super::{
    check::{Gate, Purges, Reason, is_private, split},
    wire::{self, LONGEST, PushBody, SyncEntry, SyncObject, content_hash},
};
use crate::model::{
    category::Categories,
    time::{Now, Timestamp},
};

const NOW: Now = Now(Timestamp(1_782_842_400_000));

fn of_line(line: &str) -> SyncEntry {
    SyncEntry { hash: content_hash(line), line: Some(line.to_owned()), ..SyncEntry::default() }
}

fn reason(entry: &SyncEntry) -> Option<Reason> {
    let purges = Purges::default();
    let categories = Categories::default();
    let gate = Gate { now: NOW, categories: Some(&categories), purges: &purges };
    gate.entry(entry).err().map(|refused| refused.reason)
}

#[test]
fn the_hash_is_sha_256() {
    let want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(content_hash("abc"), want);
    let entry = SyncEntry::of("lesson", "Use tabs");
    assert_eq!(entry, of_line("- [lesson] Use tabs"));
}

#[test]
fn entries() {
    let wrong = SyncEntry { hash: content_hash("x"), ..of_line("- [lesson] a") };
    assert_eq!(reason(&wrong), Some(Reason::BadHash));
    let short = SyncEntry { hash: "abc".to_owned(), ..of_line("- [lesson] a") };
    assert_eq!(reason(&short), Some(Reason::BadHash));
    let both = SyncEntry { sealed: Some("x".to_owned()), ..of_line("- [lesson] a") };
    assert_eq!(reason(&both), Some(Reason::BadLine));
    let sealed = SyncEntry { line: None, ..both.clone() };
    assert_eq!(reason(&sealed), None);
    assert_eq!(reason(&SyncEntry { sealed: None, ..sealed }), Some(Reason::BadLine));
    let fits = format!("- [lesson] {}", "x".repeat(LONGEST - 11));
    for (line, want) in [
        ("- [lesson] Use tabs #go", None),
        ("- [decision] [[x]] has - [brackets] ] too", None),
        (&*fits, None),
        (&*format!("{fits}x"), Some(Reason::TooLong)),
        (&*"x".repeat(10 << 20), Some(Reason::TooLong)),
        ("- [idea] no such category", Some(Reason::BadLine)),
        ("- [Lesson] case", Some(Reason::BadLine)),
        ("- [lesson]  two spaces", Some(Reason::BadLine)),
        ("- [lesson] end ", Some(Reason::BadLine)),
        ("- [lesson] ", Some(Reason::BadLine)),
        ("* [lesson] star", Some(Reason::BadLine)),
        ("- [lesson] a *(pinned)*", Some(Reason::BadLine)),
        ("- [lesson] a *(enforced)*", Some(Reason::BadLine)),
        ("- [lesson] a\n- [lesson] b", Some(Reason::BadLine)),
        ("- [lesson] a\tb", Some(Reason::BadLine)),
        ("- [lesson] \u{1b}[31mred", Some(Reason::BadLine)),
        ("- [lesson] a\u{202e}b", Some(Reason::BadLine)),
        ("- [lesson] a\u{200b}b", Some(Reason::BadLine)),
        ("- [lesson] the <private>vault</private> is open", Some(Reason::Private)),
        ("- [lesson] my notes #private", Some(Reason::Private)),
        ("- [lesson] #Local. build only", Some(Reason::Private)),
        ("- [lesson] key AKIAIOSFODNN7EXAMPLF", Some(Reason::Secret)),
    ] {
        assert_eq!(reason(&of_line(line)), want, "{line:.60}");
    }
}

#[test]
fn what_is_split_is_canonical() {
    assert_eq!(split("- [lesson] a ] b"), Some(("lesson", "a ] b")));
    assert!(!is_private("the #localhost of # private #privateer"));
}

#[test]
fn events() {
    let of = |ts: &str| {
        format!(
            "{{\"id\":\"01ARYZ6S410000000000000000\",\"ts\":\"{ts}\",\"entry\":\"0000000000000001\",\
             \"op\":\"add\",\"cue\":\"explicit\",\"by\":\"user\"}}"
        )
    };
    let good = of("2026-06-01T00:00:00.000Z");
    let more = good.trim_end_matches('}');
    let purges = Purges::default();
    let gate = Gate { now: NOW, categories: None, purges: &purges };
    for (line, want) in [
        (good.clone(), None),
        (good.replace("\"add\"", "\"of-later\""), None),
        (format!("{more},\"sketch\":\"{}\"}}", "0a1b2c3d".repeat(16)), None),
        (of("2026-07-01T17:00:00.000Z"), None),
        (of("2026-07-02T00:00:00.000Z"), Some(Reason::Future)),
        (String::new(), Some(Reason::BadEvent)),
        ("[1]".to_owned(), Some(Reason::BadEvent)),
        (good.replace(',', ",\n"), Some(Reason::BadEvent)),
        (good.replace("entry", "entries"), Some(Reason::BadEvent)),
        (good.replace("\"add\"", "\"reinforce\",\"n\":1000"), None),
        (good.replace("\"add\"", "\"reinforce\",\"n\":1001"), Some(Reason::BadEvent)),
        (good.replace("\"add\"", "\"reinforce\",\"n\":1000000"), Some(Reason::BadEvent)),
        (good.replace("\"add\"", "\"harmful\",\"n\":1001"), Some(Reason::BadEvent)),
        (format!("{more},\"note\":\"{}\"}}", "[".repeat(LONGEST)), Some(Reason::TooLong)),
        (format!("{more},\"note\":{}}}", "[".repeat(5_000)), Some(Reason::BadEvent)),
        (format!("{more},\"note\":\"<private>\"}}"), Some(Reason::Private)),
        (format!("{more},\"tags\":[\"AKIAIOSFODNN7EXAMPLF\"]}}"), Some(Reason::Secret)),
    ] {
        let got = gate.event(&line).err().map(|refused| refused.reason);
        assert_eq!(got, want, "{line:.200}");
    }
}

#[test]
fn bytes_of_events_survive_the_wire() {
    let event = "{ \"id\" : \"x\",  \"n\":1.0, \"u\":\"\\u00e9\" }";
    let object = format!("{{\"kind\":\"event\",\"author\":\"anna\",\"event\":{event}}}");
    let read: SyncObject = serde_json::from_str(&object).unwrap();
    assert_eq!(read.event.as_ref().unwrap().get(), event);
    assert_eq!(wire::write(&read).trim_end(), object);
    let push = format!("{{\"project\":\"p\",\"entries\":[],\"events\":[{event}]}}");
    let read: PushBody = serde_json::from_str(&push).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), push);
}

#[test]
fn lines_of_bundles() {
    let header = wire::Header::new(Some("harbor".to_owned()));
    assert_eq!(wire::write(&header), "{\"schema\":\"pimem.bundle/1\",\"project\":\"harbor\"}\n");
    assert_eq!(wire::Header::read(wire::write(&header).as_bytes()), Some(header));
    assert_eq!(wire::Header::read(b"{\"schema\":\"bundle/2\"}"), None);
    let entry = SyncObject::of_entry(SyncEntry::of("lesson", "a"));
    let line = wire::write(&entry);
    assert!(line.starts_with("{\"kind\":\"entry\",\"hash\":\""), "{line}");
    assert_eq!(wire::read(line.as_bytes(), 2).unwrap().entry(), entry.entry());
    for (line, want) in [
        (&b"\xff\xfe\0"[..], Reason::BadLine),
        (b"{\"kind\":\"entry\",\"hash\":\"ab", Reason::BadLine),
        (b"{\"kind\":\"other\"}", Reason::BadLine),
        (&vec![b'x'; 10 << 20], Reason::TooLong),
    ] {
        let refused = wire::read(line, 7).unwrap_err();
        assert_eq!((refused.id.as_str(), refused.reason), ("7", want));
    }
}
