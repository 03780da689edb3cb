//! Recovering words from vectors.
//!
//! The vector of a text is the scaled sum of the rows of its tokens in a public table. Orthogonal
//! matching pursuit takes the word whose row fits best, removes its part, and repeats.

use std::collections::BTreeSet;

use pimem_core::embed::{table, vector::product};

/// Most words that are taken from one vector.
const WORDS: usize = 40;

/// Returns the words and marks of a text.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut word = String::new();
    for c in text.to_lowercase().chars().chain([' ']) {
        if c.is_alphanumeric() {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            found.insert(std::mem::take(&mut word));
        }
        if !c.is_whitespace() {
            found.insert(c.to_string());
        }
    }
    found
}

/// Returns the words without marks and the shortest ones, whose rows are short too.
fn telling(words: &BTreeSet<String>) -> BTreeSet<String> {
    words.iter().filter(|word| word.len() > 3).cloned().collect()
}

/// Recovers the words of a vector from a dictionary of words with their vectors, until less is left
/// than `least`.
fn pursue(mut rest: Vec<f32>, least: f32, dictionary: &[(String, Vec<f32>)]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut basis: Vec<Vec<f32>> = Vec::new();
    while found.len() < WORDS && product(&rest, &rest).sqrt() > least {
        let fit = |(_, row): &&(String, Vec<f32>)| product(&rest, row).abs();
        let best = dictionary
            .iter()
            .filter(|(word, _)| !found.contains(word))
            .max_by(|a, b| fit(a).total_cmp(&fit(b)));
        let Some((word, row)) = best else { break };
        found.insert(word.clone());
        let mut part = row.clone();
        for known in &basis {
            let share = product(&part, known);
            part.iter_mut().zip(known).for_each(|(x, y)| *x -= share * y);
        }
        let length = product(&part, &part).sqrt();
        if length < 1e-3 {
            continue;
        }
        for x in &mut part {
            *x /= length;
        }
        let share = product(&rest, &part);
        rest.iter_mut().zip(&part).for_each(|(x, y)| *x -= share * y);
        basis.push(part);
    }
    found
}

/// Returns how many vectors gave the exact words of a text, and the greatest share of a text's words
/// that one gave. `least` is the length of what the bits of numbers leave of an explained vector.
pub(crate) fn attack(rows: Vec<Vec<f32>>, texts: &[BTreeSet<String>], least: f32) -> (usize, f64) {
    let all: BTreeSet<&String> = texts.iter().flatten().collect();
    let dictionary: Vec<(String, Vec<f32>)> =
        all.into_iter().map(|word| (word.clone(), table::embed(word))).collect();
    let texts: Vec<BTreeSet<String>> = texts.iter().map(telling).collect();
    let (mut exact, mut most) = (0, 0.0_f64);
    for row in rows {
        let found = pursue(row, least, &dictionary);
        let found = telling(&found);
        exact += usize::from(texts.contains(&found));
        for text in &texts {
            let both = text.intersection(&found).count() as f64;
            most = most.max(both / text.union(&found).count() as f64);
        }
    }
    (exact, most)
}
