//! Entries and events as stores make them.

use pimem_core::{
    model::{
        entry::{EntryId, EventId},
        event::{Cue, Event, EventKind, Provenance},
        time::Timestamp,
    },
    sync::wire::{self, PulledPage, PushBody, PushResult, SyncEntry, SyncObject},
};

use super::server::Server;

/// A time some months ago, in milliseconds.
pub(crate) const THEN: i64 = 1_780_000_000_000;

/// The id of a fact.
pub(crate) fn id(text: &str) -> EntryId {
    EntryId::of("fact", text.as_bytes())
}

/// An event about a fact, `number` seconds after [`THEN`].
pub(crate) fn event(number: u64, text: &str, kind: EventKind) -> String {
    event_by("user", number, text, kind)
}

pub(crate) fn event_by(by: &str, number: u64, text: &str, kind: EventKind) -> String {
    let ts = Timestamp(THEN + i64::try_from(number).unwrap() * 1000);
    let id_of = EventId::derived(ts, &[text.as_bytes(), &number.to_be_bytes()]);
    let author = pimem_core::model::event::Author::of(by);
    let who = Provenance { by: by.to_owned(), ..Provenance::default() };
    Event { id: id_of, ts, entry: id(text), by: author, kind }.write(&who)
}

pub(crate) fn added(number: u64, text: &str) -> String {
    event(number, text, EventKind::Add(Cue::Explicit, None))
}

/// The tombstone of a fact.
pub(crate) fn purged(number: u64, text: &str) -> String {
    let hash = SyncEntry::of("fact", text).hash;
    let event = event(number, text, EventKind::Forget);
    event.replace("\"op\":\"forget\"", &format!("\"op\":\"purge\",\"hash\":\"{hash}\""))
}

/// A push of facts with their `add` events.
pub(crate) fn facts(texts: &[&str]) -> PushBody {
    let events: Vec<String> = (0..).zip(texts).map(|(number, text)| added(number, text)).collect();
    push(texts, &events)
}

/// A push to `site`.
pub(crate) fn push(texts: &[&str], events: &[String]) -> PushBody {
    PushBody {
        project: "site".to_owned(),
        entries: texts.iter().map(|text| SyncEntry::of("fact", text)).collect(),
        events: events.iter().map(|event| wire::raw(event).unwrap()).collect(),
    }
}

/// What an object is, in a word: its line or its event.
pub(crate) fn told(object: &SyncObject) -> String {
    let event = object.event.as_ref().map(|event| event.get().to_owned());
    object.line.clone().or(object.sealed.clone()).or(event).unwrap()
}

/// What a push sends, in the words of [`told`], sorted.
pub(crate) fn all(push: &PushBody) -> Vec<String> {
    let lines = push.entries.iter().map(|entry| entry.line.clone().unwrap());
    let mut all: Vec<String> =
        lines.chain(push.events.iter().map(|event| event.get().to_owned())).collect();
    all.sort();
    all
}

impl Server {
    /// Pushes, and returns what the server says of it.
    pub(crate) fn push(&self, key: &str, push: &PushBody) -> PushResult {
        let answer = self.post(key, "/v1/sync/push", &serde_json::to_string(push).unwrap());
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
        serde_json::from_slice(&answer.body).unwrap()
    }

    /// Pulls a page of `site`.
    pub(crate) fn page(&self, key: &str, cursor: &str, limit: usize) -> PulledPage {
        let cursor = if cursor.is_empty() { String::new() } else { format!("&cursor={cursor}") };
        let path = format!("/v1/sync/pull?project=site&limit={limit}{cursor}");
        // Whoever waits for what is not there yet may ask too often.
        let mut asked = std::iter::repeat_with(|| self.get(key, &path));
        let answer = asked.find(|answer| answer.status != 429).unwrap();
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
        serde_json::from_slice(&answer.body).unwrap()
    }

    /// Pulls `site` page by page until `count` objects are there. What others of this cluster have
    /// not committed yet holds objects back, so an empty page is no end.
    pub(crate) fn pull(&self, key: &str, count: usize, limit: usize) -> Vec<SyncObject> {
        let (mut objects, mut cursor) = (Vec::new(), String::new());
        while objects.len() < count {
            let page = self.page(key, &cursor, limit);
            objects.extend(page.objects);
            cursor = page.cursor;
        }
        let rest = self.page(key, &cursor, limit);
        assert!(rest.objects.is_empty() && !rest.more, "more than {count}: {:?}", rest.objects);
        objects
    }
}
