//! Tests that events survive a round trip, and that damaged lines differ from unknown ones.

use proptest::prelude::*;

use super::*;
use crate::model::time::DAY_MS;

#[test]
fn what_is_written_is_read() {
    let who = Provenance {
        by: "claude".into(),
        session: Some("a1b2".into()),
        tags: vec![],
        source: None,
    };
    let quoted = Provenance {
        by: "a \"b\"".into(),
        session: None,
        tags: vec!["db".into()],
        source: Some("said \"so\"".into()),
    };
    let origin =
        Origin { topic: "lessons".into(), category: "lesson".into(), sketch: "00ff".into() };
    let kinds = [
        EventKind::Add(Cue::Structural, None),
        EventKind::Add(Cue::Explicit, Some(Box::new(origin.clone()))),
        EventKind::Reinforce(3),
        EventKind::Harmful(1),
        EventKind::Pin,
        EventKind::Unpin,
        EventKind::Forget,
        EventKind::Restore,
        EventKind::Edit(EntryId(7), Some(Box::new(origin))),
        EventKind::Supersede(EntryId(8)),
        EventKind::Merge(vec![EntryId(1), EntryId(2)]),
        EventKind::Expire(Timestamp(99)),
        EventKind::Priority(Share::clamped(0.25)),
        EventKind::Priority(Share::clamped(0.0)),
        EventKind::Importance(Share::clamped(0.123_456)),
        EventKind::Archive(ArchiveReason::Person),
        EventKind::Archive(ArchiveReason::Age),
        EventKind::Retract(vec![EventId(1), EventId(2 << 80)]),
        EventKind::PURGE,
        EventKind::Purge { hash: None, secret: true },
        EventKind::Purge { hash: Some("ba7816bf8f01cfea".into()), secret: false },
        EventKind::Purge { hash: Some("ba7816bf8f01cfea".into()), secret: true },
        EventKind::Move("lessons-2".into()),
        EventKind::Ask("where from; \"when\"".into()),
        EventKind::Ask("".into()),
        EventKind::Rule("place: a/**\nforbid: /\"/".into()),
        EventKind::Access { device: 0x0123_4567_89ab_cdef, n: 1 << 40 },
        EventKind::Held,
    ];
    let missing = EventKind::OPERATIONS.iter().filter(|op| **op != "unknown");
    let missing = missing.filter(|op| kinds.iter().all(|kind| kind.op() != **op));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&&str>::new(), "an example of each");
    for kind in kinds {
        let ts = Timestamp(1_782_842_400_123);
        // The author of a supersession is not logged.
        let told = !matches!(kind, EventKind::Supersede(_));
        let by = if told { Author::Program } else { Author::Person };
        let event = Event { id: EventId::new(ts, 42), ts, entry: EntryId(0xabc), by, kind };
        for who in [&who, &quoted] {
            let line = event.write(who);
            assert_eq!(Event::read_whole(&line).as_ref(), Some(&event), "{line}");
            let mut bare = event.clone();
            if let EventKind::Add(_, origin) = &mut bare.kind {
                *origin = None;
            }
            let mut read = Event::read(&line).unwrap();
            if let EventKind::Add(_, origin) = &mut read.kind {
                *origin = None;
            }
            assert_eq!(read, bare, "{line}");
            for cut in 1..line.len() {
                assert_eq!(Event::read(&line[..cut]), None, "{}", &line[..cut]);
            }
        }
    }
}

/// Numbers out of range are clamped; what is no number is left to later versions.
#[test]
fn shares() {
    for (value, want) in [
        ("0.25", Some(0.25)),
        ("1", Some(1.0)),
        ("1e9", Some(1.0)),
        ("-1", Some(0.0)),
        ("\"0.5\"", None),
        ("null", None),
        ("[1]", None),
    ] {
        for op in ["priority", "importance"] {
            let line = format!(
                "{{\"id\":\"01KQHFP680QSKEZ9V6R3YAHCDG\",\"ts\":\"2026-05-01T10:00:00.000Z\",\
                 \"entry\":\"00000000000000ff\",\"op\":\"{op}\",\"value\":{value},\"later\":[1]}}"
            );
            let kind = Event::read(&line).unwrap().kind;
            let known = |share: f64| {
                let share = Share::clamped(share);
                let is_priority = op == "priority";
                if is_priority { EventKind::Priority(share) } else { EventKind::Importance(share) }
            };
            assert_eq!(kind, want.map_or(EventKind::Unknown, known), "{line}");
        }
    }
}

/// A count of 0 is read as 1.
#[test]
fn a_count_of_nothing() {
    for op in ["reinforce", "harmful"] {
        for (n, want) in [("", 1), (",\"n\":0", 1), (",\"n\":1", 1), (",\"n\":7", 7)] {
            let line = format!(
                "{{\"id\":\"01KQHFP680QSKEZ9V6R3YAHCDG\",\"ts\":\"2026-05-01T10:00:00.000Z\",\
                 \"entry\":\"00000000000000ff\",\"op\":\"{op}\"{n},\"by\":\"user\"}}"
            );
            let kind = Event::read(&line).unwrap().kind;
            let counted =
                if op == "harmful" { EventKind::Harmful(want) } else { EventKind::Reinforce(want) };
            assert_eq!(kind, counted, "{line}");
        }
    }
}

/// The author is found anywhere in the line; an id from another time gives no order.
#[test]
fn authors_and_order() {
    let line = |rest: &str| {
        format!(
            "{{\"id\":\"01KQHFP680QSKEZ9V6R3YAHCDG\",\"ts\":\"2026-05-01T10:00:00.000Z\",\
             \"entry\":\"00000000000000ff\",\"op\":\"reinforce\",\"n\":1{rest}}}"
        )
    };
    for (rest, by) in [
        ("", Author::Person),
        (",\"by\":\"user\"", Author::Person),
        (",\"by\":\"\"", Author::Person),
        (",\"by\":\"adopt\"", Author::Adoption),
        (",\"by\":\"claude\",\"session\":\"user\"", Author::Program),
        (",\"session\":\"a\",\"by\":\"dream\"", Author::Program),
        (",\"session\":\"a\",\"by\":\"user\"", Author::Person),
        (",\"session\":\"a\"", Author::Person),
        (",\"by\":\"us\\u0065r\"", Author::Person),
        (",\"by\":\"Zoë\"", Author::Program),
    ] {
        let line = line(rest);
        let event = Event::read(&line).unwrap();
        assert_eq!(event.by, by, "{line}");
        assert_eq!(Event::read_whole(&line).unwrap(), event, "{line}");
        assert_eq!(Event::read_bytes(format!(" {line}\r").as_bytes()).unwrap(), event, "{line}");
        assert_eq!(event.order(), (event.ts, event.id));
    }
    assert_eq!(Event::read_bytes(b"{\"id\":\"\xff\"}"), None);
    let event = Event::read(&line("")).unwrap();
    for (id, counts) in [
        (EventId(u128::MAX), false),
        (EventId(0), true),
        (EventId::read("event-1"), false),
        (EventId::new(Timestamp(event.ts.0 + DAY_MS), 5), true),
        (EventId::new(Timestamp(event.ts.0 - DAY_MS - 1), 5), false),
    ] {
        let order = Event { id, ..event.clone() }.order();
        assert_eq!(order == (event.ts, id), counts, "{id}");
    }
}

#[test]
fn damage_is_refused_and_novelty_is_not() {
    let good = r#"{"id":"01","ts":"2026-05-01T10:00:00Z","entry":"00000000000000ff","op":"levitate","x":{}}"#;
    assert_eq!(Event::read(good).map(|event| event.kind), Some(EventKind::Unknown));
    for bad in [
        "",
        "{",
        "null",
        "{\"id\":\"x\"}",
        &good[..40],
        &good.replace("ff\"", "zz\""),
        &good.replace("2026", "20x6"),
    ] {
        assert_eq!(Event::read(bad), None, "{bad}");
    }
}

#[test]
fn of_what_is_said_twice_the_last_counts() {
    let ts = Timestamp(1_782_842_400_123);
    let (by, kind) = (Author::Person, EventKind::Add(Cue::Recurrence, None));
    let line = Event { id: EventId::new(ts, 42), ts, entry: EntryId(0xabc), by, kind }
        .write(&Provenance { tags: vec!["db".to_owned()], ..Provenance::default() });
    for more in ["ts\":\"2027-05-01T10:00:00.000Z", "entry\":\"00000000000000ff", "by\":\"claude"] {
        let twice = line.replace("\"tags\"", &format!("\"{more}\",\"tags\""));
        assert_ne!(twice, line);
        assert!(Event::read_whole(&twice).is_some(), "{twice}");
        assert_eq!(Event::read_bytes(twice.as_bytes()), Event::read_whole(&twice), "{twice}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// The fast path agrees with JSON, or gives up.
    #[test]
    fn the_short_path_agrees(
        by in prop::sample::select(vec!["user", "claude", "adopt", "", "a \"b\"", "Zoë"]),
        session in prop::option::of("[a-z\\]\\[,:{}]{0,6}"),
        tags in prop::collection::vec("[a-z]{0,3}", 0..3),
        n in prop::option::of(0..20_u32),
        at in any::<prop::sample::Index>(),
        byte in prop::sample::select(b"\"\\,:[]{}0au\x01 ".to_vec()),
        insert in any::<bool>(),
    ) {
        let who = Provenance { by: by.to_owned(), session, tags, source: None };
        let kind = n.map_or(EventKind::Add(Cue::Recurrence, None), EventKind::Reinforce);
        let ts = Timestamp(1_782_842_400_123);
        let by = Author::of(by);
        let event = Event { id: EventId::new(ts, 42), ts, entry: EntryId(0xabc), by, kind };
        let mut line = event.write(&who).into_bytes();
        let counted = Event::read(str::from_utf8(&line).unwrap()).unwrap();
        prop_assert_eq!((counted.ts, counted.by), (event.ts, event.by));
        let at = at.index(line.len());
        if insert { line.insert(at, byte) } else { line[at] = byte }
        let whole = str::from_utf8(&line).ok().and_then(Event::read_whole);
        prop_assert_eq!(Event::read_bytes(&line), whole);
    }
}
