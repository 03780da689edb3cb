//! Events are read as they were written, and damage is told from novelty.

use super::*;

#[test]
fn what_is_written_is_read() {
    let who = Provenance { by: "claude".into(), session: Some("a1b2".into()), tags: vec![] };
    let quoted = Provenance { by: "a \"b\"".into(), session: None, tags: vec!["db".into()] };
    let origin =
        Origin { topic: "lessons".into(), category: "lesson".into(), sketch: "00ff".into() };
    for kind in [
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
        EventKind::Archive,
    ] {
        let ts = Timestamp(1_782_842_400_123);
        // Who replaces an entry is not told.
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
