//! Tests of sealed objects.

use super::{
    check::{Gate, Purges, Reason},
    sealed::{Closed, SealedEvent, Seals, check_entry, check_event, size},
    wire::{self, SyncEntry, SyncObject},
};
use crate::{
    model::{
        entry::{EntryId, EventId},
        event::{ArchiveReason, Author, Cue, Event, EventKind, Provenance},
        time::{Now, Timestamp},
    },
    seal::KEY_BYTES,
};

const THEN: Timestamp = Timestamp(1_782_842_400_000);
const TEXT: &str = "Piers are numbered from the west #harbor";

fn seals(keys: &[u8], organisation: &str, project: &str) -> Seals {
    let keys: Vec<[u8; KEY_BYTES]> = keys.iter().map(|byte| [*byte; KEY_BYTES]).collect();
    Seals::new(&keys.iter().collect::<Vec<_>>(), organisation, project).unwrap()
}

fn event(kind: EventKind) -> String {
    let entry = EntryId::of("lesson", TEXT.as_bytes());
    let id = EventId::derived(THEN, &[&[1]]);
    Event { id, ts: THEN, entry, by: Author::Person, kind }.write(&Provenance {
        by: "user".to_owned(),
        tags: vec!["harbor".to_owned()],
        ..Provenance::default()
    })
}

fn kinds() -> Vec<EventKind> {
    let other = EntryId(7);
    vec![
        EventKind::Add(Cue::Explicit, None),
        EventKind::Reinforce(2),
        EventKind::Edit(other, None),
        EventKind::Merge(vec![other, EntryId(8)]),
        EventKind::Archive(ArchiveReason::Age),
        EventKind::Archive(ArchiveReason::Replaced),
        EventKind::Supersede(other),
        EventKind::Purge { hash: Some(wire::content_hash(TEXT).into()), secret: false },
        EventKind::Move("piers".into()),
        EventKind::Access { device: 5, n: 6 },
    ]
}

fn by(author: &str, object: SyncObject) -> SyncObject {
    SyncObject { author: Some(author.to_owned()), ..object }
}

fn gate(purges: &Purges) -> Gate<'_> {
    Gate { now: Now(THEN), categories: None, purges }
}

/// Everything that anna sends.
fn sent(seals: &Seals) -> Vec<SyncObject> {
    let entry = seals.entry("anna", &SyncEntry::of("lesson", TEXT), [1; 24]).unwrap();
    let events = kinds().into_iter().zip(2..).map(|(kind, nonce)| {
        let sealed = seals.event("anna", &event(kind), [nonce; 24]).unwrap();
        SyncObject::of_event(wire::raw(&sealed).unwrap())
    });
    std::iter::once(SyncObject::of_entry(entry)).chain(events).map(|one| by("anna", one)).collect()
}

fn told(object: &SyncObject) -> (Option<SyncEntry>, Option<String>, Option<String>) {
    let event = object.event.as_ref().map(|event| event.get().to_owned());
    (object.entry(), event, object.author.clone())
}

#[test]
fn what_was_sealed_is_opened_as_it_was() {
    let seals = seals(&[1], "acme", "site");
    let plain = std::iter::once(SyncObject::of_entry(SyncEntry::of("lesson", TEXT)));
    let plain = plain.chain(
        kinds().into_iter().map(|kind| SyncObject::of_event(wire::raw(&event(kind)).unwrap())),
    );
    for (sealed, plain) in sent(&seals).iter().zip(plain) {
        let json = serde_json::to_string(sealed).unwrap();
        assert_eq!(told(&seals.open(sealed).unwrap()), told(&by("anna", plain.clone())));
        let length = told(&plain).1.map_or(TEXT.len() + 11, |event| event.len());
        assert!(json.len() <= size(length) + 64, "{} of {length}", json.len());
        // Nothing of the text, its ids, hashes or tags is there to read.
        let id = EntryId::of("lesson", TEXT.as_bytes()).to_string();
        for word in
            ["Piers", "west", "harbor", "lesson", "cue", "device", &id, &EntryId(7).to_string()]
        {
            assert!(!json.contains(word), "{word}: {json}");
        }
        assert!(!json.contains(&wire::content_hash(&format!("- [lesson] {TEXT}"))));
        assert!(!json.contains(&wire::content_hash(TEXT)));
    }
}

#[test]
fn the_same_has_the_same_name_whoever_seals_it_when() {
    let (one, rotated) = (seals(&[1], "acme", "site"), seals(&[1, 2], "acme", "site"));
    let entry = SyncEntry::of("lesson", TEXT);
    let name = |seals: &Seals, user: &str, nonce| {
        let entry = seals.entry(user, &entry, [nonce; 24]).unwrap();
        let event = seals.event(user, &event(EventKind::Pin), [nonce; 24]).unwrap();
        (entry.hash, entry.id, SealedEvent::read(&event).unwrap().hash)
    };
    assert_eq!(name(&one, "anna", 1), name(&rotated, "ben", 2));
    for other in
        [seals(&[2], "acme", "site"), seals(&[1], "acme", "tern"), seals(&[1], "other", "site")]
    {
        let (hash, id, event) = name(&other, "anna", 1);
        let known = name(&one, "anna", 1);
        assert!(hash != known.0 && id != known.1 && event != known.2);
    }
}

#[test]
fn what_was_changed_or_moved_is_not_opened() {
    let seals_here = seals(&[1], "acme", "site");
    let objects = sent(&seals_here);
    let is_damaged = |object: &SyncObject| match seals_here.open(object) {
        Err(Closed::Damaged(refused)) => refused.reason == Reason::BadSeal,
        _ => false,
    };
    for object in &objects {
        assert!(is_damaged(&by("ben", object.clone())), "another author");
        assert!(is_damaged(&SyncObject { author: None, ..object.clone() }));
        let json = serde_json::to_string(object).unwrap();
        // Each character of a label or a token is changed in its turn.
        for (at, byte) in json.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_alphanumeric())
        {
            let mut other = json.clone().into_bytes();
            other[at] = if byte == b'1' { b'2' } else { b'1' };
            let Ok(changed) = serde_json::from_slice::<SyncObject>(&other) else { continue };
            // A name of a field that is left out makes no difference.
            if told(&changed) == told(object) {
                continue;
            }
            assert!(
                seals_here.open(&changed).is_err(),
                "{at}: {}",
                String::from_utf8_lossy(&other)
            );
        }
    }
    // A sealed text under another label.
    let parts = |object: &SyncObject| {
        serde_json::from_str::<SealedEvent>(object.event.as_ref().unwrap().get()).unwrap()
    };
    for (one, other) in objects.iter().skip(1).zip(objects.iter().skip(2)) {
        let moved = SealedEvent { sealed: parts(other).sealed, ..parts(one) };
        let moved =
            SyncObject::of_event(wire::raw(&serde_json::to_string(&moved).unwrap()).unwrap());
        assert!(is_damaged(&by("anna", moved)));
    }
    // What was never sealed, as a server would slip it in.
    assert!(is_damaged(&by("anna", SyncObject::of_entry(SyncEntry::of("lesson", TEXT)))));
    assert!(is_damaged(&by(
        "anna",
        SyncObject::of_event(wire::raw(&event(EventKind::Pin)).unwrap())
    )));
    for object in &objects {
        for (other, what) in [
            (seals(&[1], "acme", "tern"), "another project"),
            (seals(&[1], "other", "site"), "another organisation"),
            (seals(&[2], "acme", "site"), "another key"),
        ] {
            assert!(matches!(other.open(object), Err(Closed::Key(_))), "{what}");
        }
    }
}

#[test]
fn former_keys_open_and_the_first_one_names() {
    let (old, new) = (seals(&[1], "acme", "site"), seals(&[1, 2], "acme", "site"));
    assert!(sent(&old).iter().all(|object| new.open(object).is_ok()));
    assert!(sent(&new).iter().all(|object| matches!(old.open(object), Err(Closed::Key(_)))));
    let turned = seals(&[2, 1], "acme", "site");
    assert!(sent(&new).iter().all(|object| turned.open(object).is_err()), "the labels are others");
    assert_ne!(old.names(), new.names());
    assert!(Seals::new(&[], "acme", "site").is_none());
}

#[test]
fn a_server_judges_by_labels() {
    let seals = seals(&[1], "acme", "site");
    let mut purges = Purges::default();
    let entry = sent(&seals)[0].entry().unwrap();
    let id = check_entry(&gate(&purges), &entry).unwrap();
    let none = Purges::default();
    let reason = |entry: &SyncEntry| check_entry(&gate(&none), entry).unwrap_err().reason;
    assert_eq!(reason(&SyncEntry::of("lesson", TEXT)), Reason::BadLine);
    assert_eq!(reason(&SyncEntry { id: None, ..entry.clone() }), Reason::BadLine);
    assert_eq!(reason(&SyncEntry { id: Some("x".to_owned()), ..entry.clone() }), Reason::BadLine);
    assert_eq!(reason(&SyncEntry { hash: "x".to_owned(), ..entry.clone() }), Reason::BadHash);
    let long = format!("v1:{}", "A".repeat(40_000));
    for (sealed, want) in
        [(TEXT, Reason::BadSeal), ("v1:AAAA", Reason::BadSeal), (&long, Reason::TooLong)]
    {
        assert_eq!(reason(&SyncEntry { sealed: Some(sealed.to_owned()), ..entry.clone() }), want);
    }
    for (object, kind) in sent(&seals).iter().skip(1).zip(kinds()) {
        let json = object.event.as_ref().unwrap().get();
        let (sealed, stands) = check_event(&gate(&purges), json).unwrap();
        let real = Event::read_whole(&event(kind)).unwrap();
        assert_eq!((stands.id, stands.ts, stands.entry), (real.id, real.ts, id));
        assert_eq!((stands.is_typed(), sealed.op.as_str()), (real.is_typed(), real.kind.op()));
        assert_eq!(
            matches!(stands.kind, EventKind::Purge { .. }),
            matches!(real.kind, EventKind::Purge { .. })
        );
        if matches!(real.kind, EventKind::Purge { .. }) {
            purges.note(&stands);
        }
    }
    assert_eq!(check_entry(&gate(&purges), &entry).unwrap_err().reason, Reason::Purged);
    let plain = event(EventKind::Pin);
    let early = Gate {
        now: Now(Timestamp(THEN.0 - 90_000_000)),
        categories: None,
        purges: &Purges::default(),
    };
    let sealed = seals.event("anna", &plain, [0; 24]).unwrap();
    assert_eq!(check_event(&early, &sealed).unwrap_err().reason, Reason::Future);
    for wrong in [
        plain.as_str(),
        "{}",
        &sealed.replace("\"op\"", "\"text\":\"x\",\"op\""),
        &sealed.replace("\"pin\"", "\"Pin me\""),
        &sealed.replace("01", "l!"),
    ] {
        assert_eq!(
            check_event(&gate(&purges), wrong).unwrap_err().reason,
            Reason::BadEvent,
            "{wrong}"
        );
    }
}
