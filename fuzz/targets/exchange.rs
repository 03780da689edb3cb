//! JSON lines that are imported: what is read is written and read the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pimem_core::exchange::jsonl;

fuzz_target!(|text: &str| {
    let Ok(items) = jsonl::parse(text) else { return };
    for item in &items {
        let line = jsonl::render(item);
        let again = jsonl::parse(&line).expect("what is written is read");
        assert_eq!(again.len(), 1, "{line}");
        assert_eq!(jsonl::render(&again[0]), line);
    }
});
