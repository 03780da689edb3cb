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
#[cfg(test)]
#[path = "pieces_tests.rs"]
mod pieces;
pub mod preference;
pub mod sentence;
pub mod sketch;
pub mod slot;
pub mod statement;
pub mod words;
