//! Words are recovered from plain vectors, and not from sealed ones.

use std::{collections::BTreeSet, fs, path::PathBuf};

use pimem_core::embed::{
    table::{self, DIMENSION},
    vector::product,
};

use crate::{
    common::{
        pursuit::{attack, words},
        sandbox::Sandbox,
    },
    index::index_dir,
    sealed::seal,
    vectors::vector_files,
};

/// Number of vectors that are attacked.
const ATTACKED: usize = 20;
/// Length of what eight bits a number leave of a vector that is explained.
const REST: f32 = 0.03;

/// A store with some entries of a larger one, and nothing else that is searched.
fn store() -> Sandbox {
    let harbor = Sandbox::new("harbor");
    let sandbox = Sandbox::new("empty");
    let some = harbor.entries().into_keys().step_by(7).take(ATTACKED);
    let text: Vec<String> = some.map(|text| format!("- [lesson] {text}\n")).collect();
    sandbox.run(&["init"]).done();
    sandbox.write("topics/lessons.md", text.concat());
    sandbox
}

fn texts(sandbox: &Sandbox) -> Vec<BTreeSet<String>> {
    sandbox.entries().keys().map(|text| words(text)).collect()
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
    let (exact, _) = attack(rows(&plain, at), &texts, REST);
    assert!(exact * 10 >= ATTACKED * 9, "{exact} of {ATTACKED}");
    seal(&sandbox);
    let sealed = vectors(&sandbox);
    // The same numbers are there, in as many bytes and a few more.
    assert!((plain.len()..plain.len() + 100).contains(&sealed.len()));
    // Before the ciphertext are the id of the key and the nonce.
    let (exact, most) = attack(rows(&sealed, at + 28), &texts, REST);
    assert_eq!(exact, 0);
    // Random rows give 0.17, the most of 150 runs 0.27; plain ones give 1.
    assert!(most < 0.5, "{most}: no more than a dictionary gives by chance");
}
