//! What is told to a model cannot leave its place, and the parts of a prompt are parts of it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pimem_core::{
    safety::{safe_text, secret},
    search::{parts, social_gate},
};

fuzz_target!(|text: &str| {
    let told = safe_text::model(text);
    assert_eq!(safe_text::first_hazard(&told), None, "{told:?}");
    // `</memoryless` is the name of something else.
    let closes = |rest: &str| !rest.starts_with(char::is_alphanumeric);
    assert!(!told.contains("```") && !told.split("</memory").skip(1).any(closes), "{told:?}");
    assert_eq!(safe_text::model(&told), told, "told again it is the same");
    assert_eq!(safe_text::first_hazard(&safe_text::terminal(text)), None);

    let clean = secret::clean(text);
    assert_eq!(secret::find(&clean), None, "{clean:?}");

    assert!(parts::parts(text).len() <= 64);
    social_gate::is_trivial(text);
});
