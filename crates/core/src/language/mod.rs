//! What sentences state, by rules, and whether two of them say the same.

pub mod gist;
pub mod injection;
pub mod injection_wordings;
pub mod negation;
pub mod paraphrase;
pub mod pasted;
pub mod preference;
pub mod sentence;
pub mod sketch;
pub mod statement;
pub mod word_list;
pub mod words;
