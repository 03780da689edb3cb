//! Semantic search: vectors are a cache, and any query is accepted.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    bad_files::{chmod, run_unprivileged},
    common::{
        every,
        sandbox::{Outcome, Sandbox, outcome},
    },
    index::{index_dir, rebuild, settle},
};

/// Modes and queries for semantic search.
const QUERIES: &[(&str, &str)] = &[
    ("hybrid", "ships that collide at the quay"),
    ("semantic", "ships that collide at the quay"),
    ("hybrid", "what memory does the image take"),
    ("semantic", "tides"),
];

pub(crate) fn arguments<'a>(mode: &'a str, query: &'a str) -> [&'a str; 8] {
    ["search", "--no-touch", "--json", "--explain", "--mode", mode, "--", query]
}

pub(crate) fn ask(sandbox: &Sandbox, (mode, query): (&str, &str)) -> Outcome {
    sandbox.run(&arguments(mode, query))
}

/// Returns the answer without a cache directory.
fn without_cache(sandbox: &Sandbox, (mode, query): (&str, &str)) -> Outcome {
    let mut command = sandbox.command(&arguments(mode, query));
    command.env_remove("XDG_CACHE_HOME").env("HOME", "/nonexistent");
    outcome(command)
}

/// Returns the vector files, without other files of similar names.
pub(crate) fn vector_files(sandbox: &Sandbox) -> Vec<PathBuf> {
    let found = fs::read_dir(index_dir(sandbox)).unwrap();
    let mut paths: Vec<PathBuf> = found.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "vec") && path.is_file());
    paths.sort();
    paths
}

/// Returns true if there is one vector file with the content of `good`; it may belong to a newer
/// index.
fn is_whole(sandbox: &Sandbox, good: &[u8]) -> bool {
    let files = vector_files(sandbox);
    let [file] = files.as_slice() else { return false };
    let now = fs::read(file).unwrap();
    // The generation of the index, the time, and the checksums of their block, of the table and of
    // the header.
    now.len() == good.len() && now.iter().zip(good).filter(|(a, b)| a != b).count() <= 32
}

/// A copy of index and vectors, to be restored.
struct Kept {
    dir: PathBuf,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Kept {
    fn of(sandbox: &Sandbox) -> Self {
        settle(sandbox);
        let done = sandbox.run(&["rebuild"]).ok();
        assert!(done.contains("Indexed: "), "{done}");
        let dir = index_dir(sandbox);
        let found = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path());
        let files = found.filter(|path| !path.ends_with("lock"));
        let files = files.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
        Self { dir, files }
    }

    fn put_back(&self) {
        drop(fs::remove_dir_all(&self.dir));
        fs::create_dir_all(&self.dir).unwrap();
        for (path, bytes) in &self.files {
            fs::write(path, bytes).unwrap();
        }
    }

    fn vectors(&self) -> (&Path, &[u8]) {
        let is_vectors = |path: &Path| path.extension().is_some_and(|end| end == "vec");
        let (path, bytes) = self.files.iter().find(|(path, _)| is_vectors(path)).unwrap();
        (path, bytes)
    }
}

#[test]
fn whatever_has_become_of_the_files() {
    let (sandbox, other) = (Sandbox::new("harbor"), Sandbox::new("hand-written"));
    let (kept, others) = (Kept::of(&sandbox), Kept::of(&other));
    let (path, good) = kept.vectors();
    let want: Vec<Outcome> = QUERIES.iter().map(|query| without_cache(&sandbox, *query)).collect();
    for (want, (mode, _)) in want.iter().zip(QUERIES) {
        let found: Value = serde_json::from_str(&want.stdout).unwrap();
        assert_eq!((&found["mode"], &found["model"]), (&(*mode).into(), &"static".into()));
        assert!(found["degraded"].is_null() && !found["hits"].as_array().unwrap().is_empty());
    }
    let name = path.file_name().unwrap().to_str().unwrap();
    let of_another_model = path.with_file_name(format!("{}-0123456789abcdef.vec", &name[..16]));
    let states: &[(&str, &dyn Fn())] = &[
        ("fresh", &|| ()),
        ("absent", &|| fs::remove_dir_all(sandbox.cache().join("pimem")).unwrap()),
        ("without vectors", &|| fs::remove_file(path).unwrap()),
        ("with a directory for vectors", &|| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        }),
        ("with another store's vectors", &|| fs::write(path, others.vectors().1).unwrap()),
        ("with another model's vectors", &|| fs::rename(path, &of_another_model).unwrap()),
        ("with vectors twice", &|| fs::write(path, good.repeat(2)).unwrap()),
        ("with no bytes", &|| fs::write(path, "").unwrap()),
        ("with zeros", &|| fs::write(path, vec![0; good.len()]).unwrap()),
        ("damaged, vectors are not", &|| fs::write(kept.dir.join("base.idx"), "bad").unwrap()),
        ("absent, vectors are there", &|| fs::remove_file(kept.dir.join("base.idx")).unwrap()),
        ("cut", &|| {
            let base = fs::read(kept.dir.join("base.idx")).unwrap();
            fs::write(kept.dir.join("base.idx"), &base[..base.len() / 2]).unwrap();
        }),
    ];
    for (number, (what, change)) in states.iter().enumerate() {
        let asked = QUERIES.iter().zip(&want).skip(number % every(4)).step_by(every(4));
        for (query, want) in asked {
            kept.put_back();
            change();
            assert_eq!(ask(&sandbox, *query), *want, "{query:?}: the index is {what}");
            assert_eq!(ask(&sandbox, *query), *want, "{query:?}: mended after {what}");
        }
        assert!(is_whole(&sandbox, good), "searched, {what}");
        kept.put_back();
        change();
        sandbox.run(&["rebuild"]).ok();
        assert!(is_whole(&sandbox, good), "rebuilt, {what}");
    }
}

#[test]
fn a_cache_that_cannot_be_written() {
    let sandbox = Sandbox::new("harbor");
    let kept = Kept::of(&sandbox);
    let (path, good) = kept.vectors();
    let damaged: Vec<u8> = good.iter().map(|byte| byte ^ 1).collect();
    for bytes in [Some(good), Some(damaged.as_slice()), None] {
        for query in QUERIES {
            let want = without_cache(&sandbox, *query);
            kept.put_back();
            match bytes {
                Some(bytes) => fs::write(path, bytes).unwrap(),
                None => fs::remove_file(path).unwrap(),
            }
            chmod(&kept.dir, 0o555);
            for file in fs::read_dir(&kept.dir).unwrap() {
                chmod(file.unwrap().path(), 0o444);
            }
            assert_eq!(run_unprivileged(&sandbox, &arguments(query.0, query.1)), want);
            chmod(path.parent().unwrap(), 0o000);
            assert_eq!(run_unprivileged(&sandbox, &arguments(query.0, query.1)), want);
            chmod(&kept.dir, 0o755);
        }
    }
    // A file that only its owner may read, as after a run by another user.
    kept.put_back();
    chmod(path, 0o000);
    let want = without_cache(&sandbox, QUERIES[0]);
    assert_eq!(run_unprivileged(&sandbox, &arguments(QUERIES[0].0, QUERIES[0].1)), want);
}

#[test]
fn any_byte_may_be_wrong() {
    let sandbox = Sandbox::new("working");
    let kept = Kept::of(&sandbox);
    let (path, good) = kept.vectors();
    let query = ("hybrid", "which deployment went wrong");
    let want = without_cache(&sandbox, query);
    let mut mended = 0;
    let (step, len) = (good.len() / 50, good.len());
    let places = (0..len).step_by(step).chain([5, 20, 30, len - 1, len - 5]);
    let cases = places.flat_map(|at| [(at, true), (at, false)]);
    // Every third, so that cuts and flips take turns.
    let cases: Vec<_> = cases.step_by(every(3)).collect();
    for &(at, cut) in &cases {
        kept.put_back();
        let mut bad = good.to_vec();
        if cut {
            bad.truncate(at);
        } else {
            bad[at] ^= 1 << (at % 8);
        }
        fs::write(path, &bad).unwrap();
        assert_eq!(ask(&sandbox, query), want, "byte {at}, cut: {cut}");
        if is_whole(&sandbox, good) && fs::read(&vector_files(&sandbox)[0]).unwrap() != bad {
            mended += 1;
            continue;
        }
        // Keys and signs are not read by a search of few lines, so it does not repair them.
        assert!(!cut, "cut at {at}");
        assert_eq!(fs::read(path).unwrap(), bad);
        sandbox.run(&["rebuild"]).ok();
        assert!(is_whole(&sandbox, good));
    }
    assert!(mended * 110 > cases.len() * 80, "{mended} were mended by a search");
}

#[test]
fn what_changed_since() {
    let sandbox = Sandbox::new("harbor");
    rebuild(&sandbox);
    let check = |what: &str| {
        for query in QUERIES {
            assert_eq!(ask(&sandbox, *query), without_cache(&sandbox, *query), "{query:?} {what}");
        }
    };
    let lessons = sandbox.read("topics/lessons.md");
    let lines: Vec<&str> = lessons.lines().collect();
    sandbox.run(&["add", "Two ferries rammed each other at the pier"]).ok();
    check("after an addition");
    let (first, rest) = lines.split_at(lines.len() / 2);
    sandbox.write("topics/lessons.md", [rest, first].concat().join("\n") + "\n");
    check("after a move within a file");
    sandbox.write("topics/lessons.md", first.join("\n") + "\n");
    sandbox.write("topics/more.md", rest.join("\n") + "\n");
    check("after a move to another file");
    sandbox.write("topics/more.md", rest[1..].join("\n") + "\n- [mistake] A ship hit the mole\n");
    check("after a removal and a line by hand");
    sandbox.run(&["rebuild", "--if-older", "0s"]).ok();
    assert!(index_dir(&sandbox).join("delta.idx").is_file());
    assert_eq!(vector_files(&sandbox).len(), 2);
    check("with a delta");
    sandbox.write("daily/2026-06-29.md", "- 08:00 Another collision of boats\n");
    check("after a delta");
    let before: Vec<Outcome> = QUERIES.iter().map(|query| ask(&sandbox, *query)).collect();
    sandbox.run(&["rebuild"]).ok();
    assert_eq!(vector_files(&sandbox).len(), 1);
    check("after a rebuild");
    let after: Vec<Outcome> = QUERIES.iter().map(|query| ask(&sandbox, *query)).collect();
    assert_eq!(before, after);
}

/// Enough lines that vectors are preselected by their signs.
#[test]
fn more_lines_than_are_compared_one_by_one() {
    const WORDS: &str = "anchor berth crane tide pilot storm cargo quay vessel draught mooring tug \
        ferry captain radio chart harbour dredge lock sluice database index query migration cache \
        token server client deploy rollback branch commit release test panic error retry timeout";
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let sandbox = Sandbox::new("harbor");
    let log = |day: u32| -> String {
        let line = |n: u32| {
            let word =
                |k: u32| words[((day * 100 + n) * (7 * k + 3) % 1009) as usize % words.len()];
            let text: Vec<&str> = (0..5 + n % 4).map(word).collect();
            format!("- {:02}:{:02} {} {day}\n", n / 60, n % 60, text.join(" "))
        };
        (0..230).map(line).fold(String::new(), |log, line| log + &line)
    };
    for day in 1..=20 {
        sandbox.write(&format!("daily/2025-01-{day:02}.md"), log(day));
    }
    let queries = [("hybrid", "boats in bad weather"), ("semantic", "the program crashed")];
    let check = |what: &str| {
        for query in queries {
            let want = without_cache(&sandbox, query);
            assert_eq!(ask(&sandbox, query), want, "{query:?} {what}");
            assert_eq!((want.code, want.stderr.as_str()), (0, ""));
        }
    };
    settle(&sandbox);
    let done = sandbox.run(&["rebuild", "--json"]).json();
    assert!(done["stores"][0]["indexed"]["lines"].as_u64().unwrap() > 4096);
    check("fresh");
    sandbox.write("daily/2025-01-07.md", log(77));
    check("with changes");
    sandbox.run(&["rebuild", "--if-older", "0s"]).ok();
    check("with a delta");
    // Signs are the last section, before the table of checksums.
    let path = vector_files(&sandbox)
        .into_iter()
        .max_by_key(|path| path.metadata().unwrap().len())
        .unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let table = u64::from_le_bytes(bytes[8..16].try_into().unwrap());
    bytes[usize::try_from(table).unwrap() - 100] ^= 4;
    fs::write(&path, bytes).unwrap();
    check("with damaged signs");
    assert!(!path.exists(), "the index was built anew");
    check("mended");
}

#[test]
fn odd_queries() {
    let sandbox = Sandbox::new("harbor");
    let long = "berth ".repeat(16_000);
    let megabyte = vec![long.as_str(); 11];
    let word = "x".repeat(100_000);
    let joined = "é\u{301}👩‍👩‍👧".repeat(5_000);
    for mode in ["hybrid", "keyword", "semantic"] {
        let ask = |words: &[&str]| {
            sandbox.run(&[&["search", "--json", "--explain", "--mode", mode, "--"], words].concat())
        };
        let cases: &[(&[&str], &[i32])] = &[
            (&["👍🎉"], &[1]),
            (&["?!.,;:()"], &[1]),
            (&["\u{1}\u{2}\u{1b}[31m\u{7f}"], &[0, 1]),
            (&["\u{200b}\u{feff}\u{202e}"], &[1]),
            (&["how", "do", "we", "what", "is", "the"], &[0, 1]),
            (&[&word], &[0, 1]),
            (&[&joined], &[0, 1]),
            (&megabyte, &[0]),
            (&["berth\tlock\nslot\rrange"], &[0]),
            (&["日本語 한국어 العربية"], &[0, 1]),
        ];
        for (words, codes) in cases {
            let start: String = words[0].chars().take(20).collect();
            let done = ask(words);
            assert!(codes.contains(&done.code), "{mode} {start:?}: {}", done.code);
            assert_eq!(done.stderr.lines().find(|line| line.contains("panic")), None);
            let found: Value = serde_json::from_str(&done.stdout).unwrap();
            assert_eq!(found["mode"], mode, "{start:?}");
            assert!(found["degraded"].is_null(), "{start:?}");
            assert_eq!(done.code == 0, !found["hits"].as_array().unwrap().is_empty());
            for hit in found["hits"].as_array().unwrap() {
                assert!(hit["score"].as_f64().is_some_and(|score| score > 0.0), "{start:?}");
            }
        }
    }
    for prompt in ["a\0b", "\0\0", "👍", "\u{1}", "?", &joined, &long.repeat(11)] {
        let done = sandbox.pipe(&["report", "--prompt", "-"], prompt);
        assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    }
}

#[test]
fn without_a_model() {
    let sandbox = Sandbox::new("harbor");
    let ask = |mode: &str| {
        let mut command = sandbox.command(&arguments(mode, "berth locks"));
        command.env("PIMEM_EMBEDDING_MODEL", "none");
        let found: Value = serde_json::from_str(&outcome(command).ok()).unwrap();
        assert_eq!((&found["mode"], &found["model"]), (&"keyword".into(), &Value::Null));
        found
    };
    let keyword = ask("keyword");
    assert_eq!(keyword["hits"], ask("hybrid")["hits"]);
    assert_eq!(keyword["hits"], ask("semantic")["hits"]);
    assert_eq!(ask("semantic")["degraded"], "embedding.model is none");
    assert!(keyword["degraded"].is_null() && ask("hybrid")["degraded"].is_null());
    // No vectors are stored either.
    let mut command = sandbox.command(&["rebuild", "--json"]);
    command.env("PIMEM_EMBEDDING_MODEL", "none");
    let done: Value = serde_json::from_str(&outcome(command).ok()).unwrap();
    assert_eq!(done["stores"][0]["indexed"]["vectors"], 0);
    assert!(vector_files(&sandbox).is_empty());
}

#[test]
fn a_prompt_recalls_by_meaning() {
    let sandbox = Sandbox::new("harbor");
    let recalled = |prompt: &str| {
        let args = ["report", "--budget", "200", "--json", "--explain", "--prompt", prompt];
        let mut command = sandbox.command(&args);
        command.env("PIMEM_RECALL_MIN_SCORE", "0.3");
        outcome(command).json()["recalled"].as_array().unwrap().clone()
    };
    let found = recalled("ships arrival boats");
    let by_meaning = found.iter().find(|hit| hit["explain"]["bm25"] == 0.0);
    let text = by_meaning.and_then(|hit| hit["text"].as_str()).unwrap();
    assert!(text.contains("vessel"), "{text}");
    for closer in ["thanks, that was great!", "ok", "bye, see you tomorrow", "👍", "yes please"] {
        assert_eq!(recalled(closer), Vec::<Value>::new(), "{closer}");
    }
}

#[test]
fn the_order_of_seed_0() {
    let sandbox = Sandbox::new("harbor");
    let args = ["search", "--json", "--explain", "--rank", "seed", "-n", "30", "berth locks"];
    let found = sandbox.run(&args).json();
    let entries = sandbox.entries();
    let mut last = f64::INFINITY;
    for hit in found["hits"].as_array().unwrap() {
        let entry = entries.values().find(|entry| entry["id"] == hit["id"]);
        let stability = entry.map_or(0.0, |entry| entry["score"].as_f64().unwrap());
        let similarity = hit["explain"]["cosine"].as_f64().unwrap().max(0.0);
        let score = hit["score"].as_f64().unwrap();
        // Numbers are printed with six decimals.
        assert!((score - (similarity * 100.0 + stability)).abs() < 1e-3, "{hit}");
        assert!(score <= last);
        last = score;
    }
    assert!(
        found["hits"].as_array().unwrap().iter().any(|hit| hit["score"].as_f64() > Some(9999.0))
    );
}
