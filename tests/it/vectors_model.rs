//! Vectors of a model with an ONNX Runtime: searched, rebuilt, exported, imported, never mixed.
//!
//! With `PIMEM_TEST_ONNXRUNTIME`, the tiny model answers. Without it, the tests check that the
//! built-in model does.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    common::{
        every,
        models::{library, made, model, tiny},
        sandbox::{Outcome, Sandbox, outcome},
        scale,
    },
    index::{index_dir, settle},
    vectors::{arguments, vector_files},
};

/// A query for each mode that uses vectors.
const QUERIES: [(&str, &str); 2] =
    [("hybrid", "lock the database"), ("semantic", "lock the database")];

/// Returns a sandbox with the tiny model, and the library.
fn with_tiny(fixture: &str) -> (Sandbox, Option<PathBuf>) {
    let (sandbox, library) = (Sandbox::new(fixture).by_default_model(), library());
    settle(&sandbox);
    install(&sandbox, library.as_deref(), &tiny(&sandbox), "tiny");
    (sandbox, library)
}

fn install(sandbox: &Sandbox, library: Option<&Path>, dir: &Path, name: &str) {
    let from = dir.to_str().unwrap();
    model(sandbox, library, &["pull", name, "--from", from, "--pooling", "mean"]).done();
}

/// Runs a command with a model, a library or none, and further variables.
fn run_with(
    sandbox: &Sandbox,
    name: &str,
    library: Option<&Path>,
    variables: &[(&str, &str)],
    args: &[&str],
) -> Outcome {
    let none = sandbox.root().join("no-library");
    let mut command = sandbox.command(args);
    command.env("PIMEM_EMBEDDING_MODEL", name).env("ORT_DYLIB_PATH", library.unwrap_or(&none));
    command.envs(variables.iter().copied());
    outcome(command)
}

fn search(
    sandbox: &Sandbox,
    name: &str,
    library: Option<&Path>,
    (mode, query): (&str, &str),
) -> Value {
    let done = run_with(sandbox, name, library, &[], &arguments(mode, query));
    assert_eq!(done.stderr, "");
    serde_json::from_str(&done.stdout).unwrap()
}

/// Searches until the answer stays the same: a search embeds some of the texts that it finds.
fn steady(sandbox: &Sandbox, name: &str, library: Option<&Path>, query: (&str, &str)) -> Value {
    let mut found = search(sandbox, name, library, query);
    let mut same = 0;
    for _ in 0..40 {
        let again = search(sandbox, name, library, query);
        same = if again == found { same + 1 } else { 0 };
        if same == 4 {
            return found;
        }
        found = again;
    }
    panic!("{name}: {query:?} has another answer each time");
}

/// Returns the ranked parts of a search result.
fn ranked(found: &Value) -> [&Value; 2] {
    [&found["hits"], &found["nearMisses"]]
}

fn dimensions(sandbox: &Sandbox) -> Vec<usize> {
    let mut found: Vec<usize> = vector_files(sandbox)
        .iter()
        .map(|path| {
            let bytes = fs::read(path).unwrap();
            let at = bytes.windows(5).rposition(|part| part == b"model").unwrap();
            // In the table, the section's offset follows its name; the third field of the section
            // is the dimension.
            let start = u64::from_le_bytes(bytes[at + 5..at + 13].try_into().unwrap());
            let start = usize::try_from(start).unwrap() + 16;
            let dimension = u32::from_le_bytes(bytes[start..start + 4].try_into().unwrap());
            usize::try_from(dimension).unwrap()
        })
        .collect();
    found.sort_unstable();
    found
}

#[test]
fn models_are_switched_and_never_mixed() {
    let (sandbox, library) = with_tiny("harbor");
    let library = library.as_deref();
    if let Some(library) = library {
        install(&sandbox, Some(library), &made(&sandbox, 32), "wider");
    }
    sandbox.run(&["rebuild"]).ok();
    for query in QUERIES {
        let own = search(&sandbox, "static", library, query);
        assert_eq!(own["model"], "static");
        for _ in 0..scale().min(2) {
            let other = steady(&sandbox, "tiny", library, query);
            if library.is_some() {
                assert_eq!((&other["model"], &other["degraded"]), (&"tiny".into(), &Value::Null));
                assert_ne!(ranked(&other), ranked(&own));
                let wider = steady(&sandbox, "wider", library, query);
                assert_eq!(wider["model"], "wider");
                assert!(ranked(&wider) != ranked(&own) && ranked(&wider) != ranked(&other));
                assert_eq!(search(&sandbox, "tiny", library, query), other);
            } else {
                assert_eq!((&other["model"], ranked(&other)), (&"static".into(), ranked(&own)));
                assert!(other["degraded"].as_str().unwrap().starts_with("tiny: "), "{other}");
            }
            assert_eq!(search(&sandbox, "static", library, query), own);
        }
    }
}

#[test]
fn a_model_that_cannot_serve_costs_no_hit() {
    let (sandbox, library) = with_tiny("harbor");
    for query in QUERIES {
        let own = search(&sandbox, "static", None, query);
        let without = search(&sandbox, "tiny", None, query);
        assert_eq!((&without["hits"], &without["model"]), (&own["hits"], &own["model"]));
        assert!(without["degraded"].as_str().unwrap().starts_with("tiny: "), "{without}");
        let unknown = search(&sandbox, "no-such-model", None, query);
        assert_eq!(unknown["hits"], own["hits"]);
        assert!(unknown["degraded"].as_str().unwrap().contains("is not installed"));
        let late = [("PIMEM_EMBEDDING_DEADLINE_MS", "1")];
        let args = arguments(query.0, query.1);
        let late = run_with(&sandbox, "tiny", library.as_deref(), &late, &args).ok();
        let late: Value = serde_json::from_str(&late).unwrap();
        assert_eq!(late["hits"], own["hits"]);
        let why = late["degraded"].as_str().unwrap();
        let want = if library.is_some() { "did not answer within 1 ms" } else { "no-library" };
        assert!(why.contains(want), "{why}");
    }
    let prompt = ["report", "--prompt", "why is the database locked?"];
    let report = run_with(&sandbox, "tiny", None, &[], &prompt);
    assert_eq!((report.code, report.stderr.as_str()), (0, ""));
}

#[test]
fn rebuild_makes_the_vectors() {
    let (sandbox, library) = with_tiny("harbor");
    let library = library.as_deref();
    let done = run_with(&sandbox, "tiny", None, &[], &["rebuild"]);
    assert_eq!(done.code, 0);
    assert!(!done.stdout.contains("Embedded: "), "{}", done.stdout);
    let said = done.stderr.starts_with("Lines without a vector of tiny: ");
    assert!(said && done.stderr.contains("there is no ONNX Runtime library"), "{}", done.stderr);
    let json = |name, library, args: &[&str]| -> Value {
        let done = run_with(&sandbox, name, library, &[], &[&["rebuild", "--json"], args].concat());
        let done: Value = serde_json::from_str(&done.ok()).unwrap();
        done["stores"][0]["indexed"].clone()
    };
    let indexed = json("tiny", None, &[]);
    // Logs are embedded as they are found.
    let lines = &indexed["missing"];
    assert_eq!(&indexed["vectors"], 0);
    assert!(lines.as_u64() > Some(100) && lines.as_u64() < indexed["lines"].as_u64(), "{indexed}");
    assert!(indexed["trouble"].is_string(), "{indexed}");
    let unknown = json("no-such-model", None, &[]);
    assert_eq!((&unknown["vectors"], &unknown["missing"]), (&0.into(), lines));
    assert!(unknown["trouble"].as_str().unwrap().contains("is not installed"));
    let own = json("static", None, &[]);
    assert_eq!((&own["vectors"], &own["missing"]), (&own["lines"], &0.into()));
    let Some(library) = library else { return };
    // The index is not stale, but no line has a vector.
    let indexed = json("tiny", Some(library), &["--if-older", "0s"]);
    assert_eq!((&indexed["vectors"], &indexed["missing"]), (lines, &0.into()));
    assert!(indexed["trouble"].is_null());
    let done = run_with(&sandbox, "tiny", Some(library), &[], &["rebuild"]).ok();
    assert!(done.contains(&format!("Embedded: {lines} vectors with tiny\n")), "{done}");

    // Existing vectors are kept, even if the model cannot run or the index is lost.
    fs::write(index_dir(&sandbox).join("base.idx"), "garbage").unwrap();
    let again = json("tiny", None, &[]);
    assert_eq!((&again["vectors"], &again["missing"]), (lines, &0.into()));
    assert!(again["trouble"].is_null());
    sandbox.run(&["add", "A line that has no vector yet"]).ok();
    let done = run_with(&sandbox, "tiny", None, &[], &["rebuild"]);
    assert!(done.stderr.starts_with("Lines without a vector of tiny: 1 ("), "{}", done.stderr);
}

#[test]
fn damaged_vectors_are_embedded_again_by_the_same_model() {
    let (sandbox, Some(library)) = with_tiny("harbor") else { return };
    run_with(&sandbox, "tiny", Some(&library), &[], &["rebuild"]).ok();
    let dir = index_dir(&sandbox);
    let kept: Vec<(PathBuf, Vec<u8>)> = fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.ends_with("lock"))
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    let is_tiny = |path: &Path| path.extension().is_some_and(|end| end == "vec");
    let vectors = kept.iter().filter(|(path, _)| is_tiny(path));
    let (path, good) = vectors.min_by_key(|(_, bytes)| bytes.len()).unwrap();
    let (query, other) = (QUERIES[0], kept.iter().map(|(_, bytes)| bytes).max_by_key(|b| b.len()));
    let want = steady(&sandbox, "tiny", Some(&library), query);
    assert_eq!(want["model"], "tiny");
    let len = good.len();
    let flipped = |at: usize| {
        let mut bad = good.clone();
        bad[at] ^= 16;
        bad
    };
    let mut states: Vec<(String, Vec<u8>)> = (0..len)
        .step_by(every(2) * len / 12)
        .map(|at| (format!("flipped at {at}"), flipped(at)))
        .collect();
    states.push(("cut".to_owned(), good[..len / 2].to_vec()));
    states.push(("of the built-in model".to_owned(), other.unwrap().clone()));
    for (what, bytes) in states {
        drop(fs::remove_dir_all(&dir));
        fs::create_dir(&dir).unwrap();
        for (path, bytes) in &kept {
            fs::write(path, bytes).unwrap();
        }
        fs::write(path, bytes).unwrap();
        let found = search(&sandbox, "tiny", Some(&library), query);
        assert_eq!((&found["model"], &found["degraded"]), (&"tiny".into(), &Value::Null), "{what}");
        run_with(&sandbox, "tiny", Some(&library), &[], &["rebuild"]).ok();
        assert_eq!(steady(&sandbox, "tiny", Some(&library), query), want, "{what}, mended");
        let lost = fs::read(dir.join("base.idx")).map(|bytes| bytes[..99].to_vec()).unwrap();
        fs::write(dir.join("base.idx"), lost).unwrap();
        assert_eq!(steady(&sandbox, "tiny", Some(&library), query), want, "{what}, no index");
        assert_eq!(dimensions(&sandbox), [16, 384]);
    }
}

#[test]
fn vectors_go_out_and_come_in() {
    let (sandbox, library) = with_tiny("harbor");
    let run = |library, args: &[&str]| run_with(&sandbox, "tiny", library, &[], args);
    let exported = run(library.as_deref(), &["export", "embeddings", "--output", "out.json"]);
    let entries = sandbox.entries();
    if library.is_none() {
        assert!(exported.refused().contains("there is no ONNX Runtime library"));
        let number = "0.25,".repeat(16);
        let vectors: Vec<String> = keys(&entries)
            .iter()
            .map(|key| format!("\"{key}\": [{}]", number.trim_end_matches(',')))
            .collect();
        let text = format!("{{\"entries\": {{{}}}}}", vectors.join(", "));
        fs::write(sandbox.project().join("out.json"), text).unwrap();
    } else {
        let count = entries.len();
        assert_eq!(exported.ok(), format!("Exported {count} vectors of tiny to out.json\n"));
    }
    let text = fs::read_to_string(sandbox.project().join("out.json")).unwrap();
    let want: Option<Value> =
        library.as_deref().map(|library| search(&sandbox, "tiny", Some(library), QUERIES[0]));
    if library.is_some() {
        let vectors: Value = serde_json::from_str(&text).unwrap();
        let vectors = vectors.as_object().unwrap();
        let names: Vec<&String> = vectors.keys().collect();
        assert!(names.is_sorted() && names == keys(&entries).iter().collect::<Vec<_>>());
        for vector in vectors.values() {
            let numbers = vector.as_array().unwrap().iter().map(|x| x.as_f64().unwrap());
            let square: f64 = numbers.map(|x| x * x).sum();
            assert!((square - 1.0).abs() < 1e-5 && vector.as_array().unwrap().len() == 16);
        }
        // Nothing is embedded twice, so no library is needed.
        assert_eq!(run(None, &["export", "embeddings"]).ok(), text);
    }

    fs::remove_dir_all(index_dir_or_cache(&sandbox)).unwrap();
    let one = text.replacen("\":", "\": ", 1);
    fs::write(sandbox.project().join("in.json"), one).unwrap();
    let (count, args) = (entries.len(), ["import", "embeddings", "in.json"]);
    let said = format!("Imported {count} of {count} vectors for tiny (0 of no present entry)\n");
    assert_eq!(run(None, &args).ok(), said);
    let round = run(None, &["export", "embeddings"]).ok();
    assert!(library.is_none() || round == text, "what came in goes out again");
    if let (Some(want), Some(library)) = (want, &library) {
        assert_eq!(search(&sandbox, "tiny", Some(library), QUERIES[0]), want);
    }
    sandbox.run(&["forget", "--archive", "--", "Release notes are written"]).ok();
    let json = run(None, &["import", "embeddings", "in.json", "--json"]).json();
    assert_eq!(json["schema"], "pimem.import/1");
    assert_eq!((&json["vectors"], &json["imported"]), (&count.into(), &(count - 1).into()));
    assert_eq!((&json["unknown"], &json["dimension"]), (&1.into(), &16.into()));
}

/// Returns the store's index directory if there is one, else the cache of all indexes.
fn index_dir_or_cache(sandbox: &Sandbox) -> PathBuf {
    let found = fs::read_dir(sandbox.cache().join("pimem")).unwrap();
    let others = found.map(|entry| entry.unwrap().file_name()).filter(|name| name != "models");
    if others.count() > 0 {
        return index_dir(sandbox);
    }
    let empty = sandbox.root().join("nothing");
    fs::create_dir(&empty).unwrap();
    empty
}

/// Returns the keys of entries, sorted.
fn keys(entries: &std::collections::BTreeMap<String, Value>) -> Vec<String> {
    use sha2::{Digest, Sha256};
    let key = |(text, entry): (&String, &Value)| {
        let line = format!("[{}] {text}", entry["category"].as_str().unwrap());
        let digest = Sha256::digest(line.as_bytes());
        digest[..8].iter().fold(String::new(), |key, byte| key + &format!("{byte:02x}"))
    };
    let mut keys: Vec<String> = entries.iter().map(key).collect();
    keys.sort();
    keys
}

#[test]
fn what_is_not_taken_over() {
    let (sandbox, library) = with_tiny("working");
    let run = |text: &str| {
        fs::write(sandbox.project().join("in.json"), text).unwrap();
        let args = ["import", "embeddings", "in.json"];
        run_with(&sandbox, "tiny", library.as_deref(), &[], &args)
    };
    let key = &keys(&sandbox.entries())[0];
    let wide = format!("{{\"{key}\": [{}1]}}", "1,".repeat(383));
    let refused = run(&wide).refused();
    let want = format!("the vector of {key} has 384 numbers, and those of tiny have 16");
    assert!(refused.contains(&want), "{refused}");
    for (text, want) in [
        (&wide[..100], "in.json: not whole JSON: "),
        ("", "in.json: not whole JSON: "),
        ("[]", "in.json: not a JSON object of vectors"),
        ("{}", "in.json: holds no vectors "),
        ("{\"0123456789abcdef\": \"AAAA\"}", "the value of 0123456789abcdef is not an array"),
        ("\u{feff}{}", "in.json: not "),
    ] {
        let refused = run(text).refused();
        assert!(refused.contains(want) && refused.contains("hint: "), "{text}: {refused}");
    }
    let sixteen = format!("{{\"0123456789abcdef\": [{}1]}}", "1,".repeat(15));
    let none = run(&sixteen);
    let said = "Imported 0 of 1 vectors for tiny (1 of no present entry)\n";
    assert_eq!((none.code, none.stdout.as_str()), (1, said));
    fs::remove_file(sandbox.project().join("in.json")).unwrap();
    let import = ["import", "embeddings", "in.json"];
    let missing = run_with(&sandbox, "tiny", None, &[], &import).refused();
    assert!(missing.contains("there is no file in.json"), "{missing}");
    fs::create_dir(sandbox.project().join("in.json")).unwrap();
    let directory = run_with(&sandbox, "tiny", None, &[], &import).refused();
    assert!(directory.contains("in.json is not a file"), "{directory}");
    let large = fs::File::create(sandbox.project().join("large.json")).unwrap();
    large.set_len(2 << 30).unwrap();
    let args = ["import", "embeddings", "large.json"];
    let large = run_with(&sandbox, "tiny", None, &[], &args).refused();
    assert!(large.contains("too large: 2048.0 MiB, limit 1024 MiB"), "{large}");
    // Another process holds the index, or there is no place for one.
    fs::write(sandbox.project().join("in.json.ok"), wide.replace(&"1,".repeat(368), "")).unwrap();
    let args = ["import", "embeddings", "in.json.ok"];
    let done = run_with(&sandbox, "tiny", None, &[], &args).ok();
    assert!(done.starts_with("Imported 1 of 1 "), "{done}");
    let busy = fs::File::options().append(true).open(index_dir(&sandbox).join("lock")).unwrap();
    busy.lock().unwrap();
    let locked = run_with(&sandbox, "tiny", None, &[], &args).refused();
    assert!(locked.contains("another process is at the index of "), "{locked}");
}
