//! Language rules: preferences, statements, instructions to an agent, pasted text, paraphrases.

pub mod alternatives;
pub mod cues;
mod fact;
pub mod forbidden;
pub mod importance;
pub mod injection;
mod injection_concepts;
mod injection_orders;
pub(crate) mod lexicon;
pub mod negation;
pub mod paraphrase;
pub mod pasted;
pub mod preference;
mod said;
pub mod sentence;
pub mod sketch;
pub mod slot;
pub mod statement;
pub mod words;

/// Generators of made-up messages for tests.
#[cfg(test)]
mod pieces {
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
}
