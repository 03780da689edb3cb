//! A line of the log means the same whichever way it is read, and again after it was written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pimem_core::model::event::{Event, Provenance};

fuzz_target!(|bytes: &[u8]| {
    let Some(event) = Event::read_bytes(bytes) else { return };
    let line = str::from_utf8(bytes.trim_ascii()).expect("an event is text");
    let whole = Event::read_whole(line).expect("what is read quickly is JSON");
    assert_eq!((whole.id, whole.ts, whole.entry), (event.id, event.ts, event.entry));

    let written = whole.write(&Provenance::default());
    let again = Event::read_whole(&written).expect("what is written is read");
    assert_eq!((again.id, again.ts, again.entry), (whole.id, whole.ts, whole.entry));
    assert_eq!(again.write(&Provenance::default()), written);
});
