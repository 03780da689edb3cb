//! Generators of made-up messages for tests.

use proptest::prelude::*;

const MARKS: [&str; 22] = [
    " ",
    " ",
    "\n",
    "\n\n",
    "\n    ",
    ", ",
    ": ",
    ". ",
    "? ",
    "`",
    "\"",
    "“",
    "”",
    "é",
    "```\n",
    "- ",
    "1. ",
    "14:30 ",
    "> ",
    "**",
    "<private>",
    "</private>",
];

/// Generates marks, phrases that a rule knows, and sometimes arbitrary text.
pub(super) fn piece(phrases: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    let known = prop::sample::select([&MARKS[..], phrases].concat());
    prop_oneof![5 => known.prop_map(str::to_owned), 1 => ".{0,12}"]
}
