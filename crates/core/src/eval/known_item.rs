//! Questions for texts without any: known items, asked for by words of theirs.
//!
//! As in Azzopardi, de Rijke and Balog, *Building simulated queries for known-item topics*, SIGIR
//! 2007, a question is words of the text by how telling they are. The most telling are left out:
//! whoever remembers those has half the answer.

use std::collections::{BTreeMap, HashMap};

use crate::search::tokens::{Tokenizer, is_question_word};

/// Words of a question.
const WORDS: usize = 2;

/// The words of a collection, by the number of texts that have each.
#[derive(Default)]
pub struct StoreVocabulary {
    tokenizer: Tokenizer,
    /// By stem.
    texts: HashMap<String, usize>,
}

impl StoreVocabulary {
    #[must_use]
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut vocabulary = Self::default();
        for text in texts {
            for stem in vocabulary.words(text).into_keys() {
                *vocabulary.texts.entry(stem).or_default() += 1;
            }
        }
        vocabulary
    }

    /// Returns two words of a text of the collection, in its order: the rarest but for the rarest
    /// half. `None` if it has fewer.
    #[must_use]
    pub fn question(&mut self, text: &str) -> Option<String> {
        let words = self.words(text);
        if words.len() < WORDS {
            return None;
        }
        let rarity = |stem: &String| self.texts.get(stem).copied().unwrap_or(0);
        let mut by_rarity: Vec<(usize, usize, &str)> =
            words.iter().map(|(stem, (at, word))| (rarity(stem), *at, word.as_str())).collect();
        by_rarity.sort_unstable();
        let skipped = (by_rarity.len() / 2).min(by_rarity.len() - WORDS);
        let mut taken: Vec<_> = by_rarity.into_iter().skip(skipped).take(WORDS).collect();
        taken.sort_unstable_by_key(|(_, at, _)| *at);
        Some(taken.into_iter().map(|(_, _, word)| word).collect::<Vec<_>>().join(" "))
    }

    /// Returns the content words of a text by stem, with their places and spellings.
    fn words(&mut self, text: &str) -> BTreeMap<String, (usize, String)> {
        let mut words = BTreeMap::new();
        let mut place = 0;
        self.tokenizer.words(text, |tokenizer, word| {
            place += 1;
            let is_content = word.chars().count() > 2 && word.chars().all(char::is_alphabetic);
            if is_content && !is_question_word(word) {
                let stem = tokenizer.stem_of(word).to_owned();
                words.entry(stem).or_insert_with(|| (place, word.to_owned()));
            }
        });
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_telling_words_are_left_out() {
        let texts = [
            "Berth conflicts are prevented by an exclusion constraint, not by advisory locks",
            "Advisory locks survive a rollback",
            "A rollback of conflicts ends the locks of berth 7",
            "tabs",
        ];
        let mut vocabulary = StoreVocabulary::of(texts);
        for (text, want) in texts.iter().zip([
            // `prevented`, `exclusion` and `constraint` are in no other text.
            Some("berth conflicts"),
            Some("locks rollback"),
            Some("conflicts berth"),
            None,
        ]) {
            assert_eq!(vocabulary.question(text).as_deref(), want, "{text}");
        }
    }
}
