//! Transcripts of agents, and what hooks look for at their ends.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pimem_core::session::transcript;

fuzz_target!(|bytes: &[u8]| {
    if let Some((_, messages)) = transcript::read(bytes) {
        assert!(messages.len() <= bytes.len());
    }
    transcript::last_assistant(bytes);
    transcript::last_task(bytes, None);
    transcript::compactions(bytes, true);
    if let Ok(text) = str::from_utf8(bytes) {
        transcript::typed(text);
        transcript::is_scheduled(bytes, text);
    }
});
