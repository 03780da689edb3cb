//! The words by which a line is found: those of the program's own index.

use std::collections::BTreeSet;

use pimem_core::search::tokens::Tokenizer;

/// Returns the distinct tokens of a text and of its topic's name, and the text's length in words.
#[must_use]
pub fn words(tokenizer: &mut Tokenizer, text: &str, topic: &str) -> (Vec<String>, i32) {
    let mut found = BTreeSet::new();
    let mut length = 0;
    tokenizer.each(text, |token, counts| {
        length += i32::from(counts);
        found.insert(token.to_owned());
    });
    tokenizer.each(topic, |token, _| {
        found.insert(token.to_owned());
    });
    (found.into_iter().collect(), length)
}

/// Returns a token as a query for PostgreSQL.
#[must_use]
pub fn query(token: &str) -> String {
    format!("'{}'", token.replace('\\', "\\\\").replace('\'', "''"))
}
