//! Words are recovered from plain vectors, and not from sealed ones.
//!
//! The vector of a text is the scaled sum of the rows of its tokens in a public table. Orthogonal
//! matching pursuit takes the word whose row fits best, removes its part, and repeats.

use std::{collections::BTreeSet, fs, path::PathBuf};

use pimem_core::embed::{
    table::{self, DIMENSION},
    vector::product,
};

use crate::{common::sandbox::Sandbox, index::index_dir, sealed::seal, vectors::vector_files};

/// Number of vectors that are attacked.
const ATTACKED: usize = 20;
/// Most words that are taken from one vector.
const WORDS: usize = 40;
/// Length of what eight bits a number leave of a vector that is explained.
const REST: f32 = 0.03;

/// Returns the words and marks of a text.
fn words(text: &str) -> BTreeSet<String> {
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

/// A store with some entries of a larger one, and nothing else that is searched.
fn store() -> Sandbox {
    let harbor = Sandbox::new("harbor").by_table();
    let sandbox = Sandbox::new("empty").by_table();
    let some = harbor.entries().into_keys().step_by(7).take(ATTACKED);
    let text: Vec<String> = some.map(|text| format!("- [lesson] {text}\n")).collect();
    sandbox.run(&["init"]).done();
    sandbox.write("topics/lessons.md", text.concat());
    sandbox
}

fn texts(sandbox: &Sandbox) -> Vec<BTreeSet<String>> {
    sandbox.entries().keys().map(|text| words(text)).collect()
}

/// Recovers the words of a vector from a dictionary of words with their vectors.
fn pursue(mut rest: Vec<f32>, dictionary: &[(String, Vec<f32>)]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut basis: Vec<Vec<f32>> = Vec::new();
    while found.len() < WORDS && product(&rest, &rest).sqrt() > REST {
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

/// Returns the vectors that the bytes at some place of a file would be.
fn rows(bytes: &[u8], at: usize) -> Vec<Vec<f32>> {
    let rows = bytes[at..].chunks_exact(DIMENSION).take(ATTACKED);
    rows.map(|row| {
        let row: Vec<f32> = row.iter().map(|byte| f32::from(byte.cast_signed())).collect();
        let length = product(&row, &row).sqrt();
        row.iter().map(|x| x / length).collect()
    })
    .collect()
}

/// Returns where the rows begin, by the table of sections at the end of a plain file.
fn rows_at(bytes: &[u8]) -> usize {
    let table = usize::try_from(u64::from_le_bytes(bytes[8..16].try_into().unwrap())).unwrap();
    let name = b"\x04\0\0\0rows";
    let at = table + memchr::memmem::find(&bytes[table..], name).unwrap() + name.len();
    usize::try_from(u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())).unwrap()
}

/// Returns how many vectors gave the exact words of a text, and the greatest share of a text's words
/// that one gave.
fn attack(rows: Vec<Vec<f32>>, texts: &[BTreeSet<String>]) -> (usize, f64) {
    let all: BTreeSet<&String> = texts.iter().flatten().collect();
    let dictionary: Vec<(String, Vec<f32>)> =
        all.into_iter().map(|word| (word.clone(), table::embed(word))).collect();
    let texts: Vec<BTreeSet<String>> = texts.iter().map(telling).collect();
    let (mut exact, mut most) = (0, 0.0_f64);
    for row in rows {
        let found = pursue(row, &dictionary);
        let found = telling(&found);
        exact += usize::from(texts.contains(&found));
        for text in &texts {
            let both = text.intersection(&found).count() as f64;
            most = most.max(both / text.union(&found).count() as f64);
        }
    }
    (exact, most)
}

fn vectors(sandbox: &Sandbox) -> Vec<u8> {
    sandbox.run(&["rebuild", "-q"]).done();
    let end = format!("-{:016x}.vec", table::model().key());
    let mut files: Vec<PathBuf> = vector_files(sandbox);
    files.retain(|path| path.to_string_lossy().ends_with(&end));
    assert_eq!(files.len(), 1, "{}", index_dir(sandbox).display());
    fs::read(&files[0]).unwrap()
}

#[test]
fn words_are_recovered_from_plain_vectors_only() {
    let sandbox = store();
    let texts = texts(&sandbox);
    let plain = vectors(&sandbox);
    let at = rows_at(&plain);
    let (exact, _) = attack(rows(&plain, at), &texts);
    assert!(exact * 10 >= ATTACKED * 9, "{exact} of {ATTACKED}");
    seal(&sandbox);
    let sealed = vectors(&sandbox);
    // The same numbers are there, in as many bytes and a few more.
    assert!((plain.len()..plain.len() + 100).contains(&sealed.len()));
    // Before the ciphertext are the id of the key and the nonce.
    let (exact, most) = attack(rows(&sealed, at + 28), &texts);
    assert_eq!(exact, 0);
    assert!(most < 0.25, "{most}: no more than a dictionary gives by chance");
}
