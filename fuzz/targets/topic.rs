//! A topic file is kept byte for byte, but for what an edit is about.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pimem_core::{markdown::topic::TopicDoc, model::category::Categories};

fuzz_target!(|bytes: &[u8]| {
    let categories = Categories::default();
    let doc = TopicDoc::parse(bytes.to_vec(), &categories);
    assert_eq!(doc.apply(Vec::new()), bytes);

    let added = doc.apply(vec![doc.append("# Lessons", &["- [lesson] One more".to_owned()])]);
    let after = TopicDoc::parse(added, &categories);
    assert!(after.bytes().windows(8).any(|part| part == b"One more"));

    for entry in doc.entries.iter().take(4) {
        let edit = doc.replace_text(entry, "Said otherwise");
        let (start, end) = (edit.span.start, edit.span.end);
        let new = doc.apply(vec![edit]);
        assert!(new.starts_with(&bytes[..start]) && new.ends_with(&bytes[end..]));

        let edit = doc.remove(entry);
        let (start, end) = (edit.span.start, edit.span.end);
        let new = doc.apply(vec![edit]);
        assert!(new.starts_with(&bytes[..start]) && new.ends_with(&bytes[end..]));
        assert!(TopicDoc::parse(new, &categories).entries.len() <= doc.entries.len());
    }
});
