//! `pimem model` without an ONNX Runtime: installation, choice, removal, download.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};

use crate::common::{
    hub::{self, Answer},
    models::{held, library, made, model, model_command, tiny},
    repository,
    sandbox::{Sandbox, outcome},
};

fn pull_tiny(sandbox: &Sandbox, name: &str) {
    let dir = tiny(sandbox);
    let args = ["pull", name, "--from", dir.to_str().unwrap(), "--pooling", "mean"];
    let done = model(sandbox, None, &args).done();
    assert_eq!(done, format!("Installed: {name} (16 numbers, mean pooling)\n"));
}

#[test]
fn the_fixture_is_what_its_script_makes() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let made = made(&sandbox, 16);
    let kept = repository().join("fixtures/models/tiny");
    let mut count = 0;
    for entry in fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap()) {
        let again = fs::read(made.join(entry.file_name())).unwrap();
        assert!(fs::read(entry.path()).unwrap() == again, "{:?} differs", entry.file_name());
        count += 1;
    }
    assert_eq!(count, fs::read_dir(&made).unwrap().count());
}

#[test]
fn a_model_is_installed_chosen_and_removed() {
    let sandbox = Sandbox::new("empty").by_default_model();
    pull_tiny(&sandbox, "tiny");
    assert_eq!(held(&sandbox), ["tiny"]);
    let list = model(&sandbox, None, &["list", "--json"]).json();
    let in_list = |list: &Value, name: &str| -> Value {
        let models = list["models"].as_array().unwrap();
        models.iter().find(|model| model["name"] == name).cloned().unwrap()
    };
    let source = tiny(&sandbox).display().to_string();
    let want = json!({
        "name": "tiny", "state": "installed", "inUse": false, "dimension": 16, "source": source,
    });
    assert_eq!(in_list(&list, "tiny"), want);
    assert_eq!(in_list(&list, "minilm")["inUse"], true);

    // A project's settings are not changed, whatever the working directory.
    let chosen = model(&sandbox, None, &["use", "Somebody/Tiny"]).done();
    assert!(chosen.starts_with("Set embedding.model = tiny in "), "{chosen}");
    assert!(chosen.contains("home"), "{chosen}");
    assert_eq!(sandbox.run(&["config", "get", "embedding.model"]).ok(), "tiny\n");
    let refused = model(&sandbox, None, &["remove", "tiny"]).refused();
    assert!(refused.contains("is in use"), "{refused}");
    let mut overruled = model_command(&sandbox, None, &["use", "none"]);
    overruled.env("PIMEM_EMBEDDING_MODEL", "tiny");
    let overruled = outcome(overruled);
    assert!(overruled.stderr.contains("PIMEM_EMBEDDING_MODEL is set"), "{}", overruled.stderr);

    let removed = model(&sandbox, None, &["remove", "tiny", "--json"]).ok();
    let removed: Value = serde_json::from_str(&removed).unwrap();
    assert_eq!(removed, json!({"schema": "pimem.uninstall/1", "model": "tiny"}));
    assert!(held(&sandbox).is_empty());
    let refused = model(&sandbox, None, &["remove", "tiny"]).refused();
    assert!(refused.contains("not installed"), "{refused}");
}

#[cfg(unix)]
#[test]
fn what_is_installed_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = Sandbox::new("empty").by_default_model();
    pull_tiny(&sandbox, "tiny");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let dir = sandbox.cache().join("pimem/models/tiny");
    assert_eq!(mode(&dir), 0o700);
    for entry in fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap()) {
        assert_eq!(mode(&entry.path()), 0o600, "{:?}", entry.file_name());
    }
}

#[test]
fn installing_again_replaces() {
    let sandbox = Sandbox::new("empty").by_default_model();
    pull_tiny(&sandbox, "tiny");
    let revision = |sandbox: &Sandbox| {
        let status = model(sandbox, None, &["status", "tiny", "--json"]);
        serde_json::from_str::<Value>(&status.stdout).unwrap()["revision"].clone()
    };
    let first = revision(&sandbox);
    pull_tiny(&sandbox, "tiny");
    assert_eq!(revision(&sandbox), first, "the same files are the same revision");
    let other = made(&sandbox, 32);
    let args = ["pull", "tiny", "--from", other.to_str().unwrap(), "--pooling", "cls"];
    assert!(model(&sandbox, None, &args).done().contains("32 numbers, cls pooling"));
    assert_ne!(revision(&sandbox), first);
    assert_eq!(held(&sandbox), ["tiny"]);
}

#[test]
fn pooling_and_prefixes() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let dir = tiny(&sandbox);
    let from = ["--from", dir.to_str().unwrap()];
    let refused = model(&sandbox, None, &[&["pull", "mine"], &from[..]].concat()).refused();
    assert!(refused.contains("nothing says how mine pools its tokens"), "{refused}");
    // Known files have a known SHA-256, wherever they come from.
    let known = [&["pull", "BAAI/bge-small-en-v1.5"], &from[..]].concat();
    let refused = model(&sandbox, None, &known).refused();
    assert!(refused.contains("is not the file that was expected: its SHA-256 is"), "{refused}");
    assert!(refused.contains("what is not bge-small-en-v1.5 needs another name"), "{refused}");
    // The vectors of this one are known to be longer, and its pooling is known.
    let known = ["pull", "BAAI/bge-base-en-v1.5"];
    let refused = model(&sandbox, None, &[&known, &from[..]].concat()).refused();
    assert!(refused.contains("gives 16 numbers, and should give 768"), "{refused}");
    let large = made(&sandbox, 768);
    let large = ["--from", large.to_str().unwrap()];
    let known = model(&sandbox, None, &[&known, &large[..]].concat());
    assert!(known.done().contains("768 numbers, cls pooling"));
    // The files state the pooling.
    fs::create_dir(dir.join("1_Pooling")).unwrap();
    let text = r#"{"pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true}"#;
    fs::write(dir.join("1_Pooling/config.json"), text).unwrap();
    let said = model(&sandbox, None, &[&["pull", "mine"], &from[..]].concat());
    assert!(said.done().contains("mean pooling"));
    // The caller states the pooling.
    let rest = ["--pooling", "cls", "--query-prefix", "q: ", "--passage-prefix", "p: "];
    let told = [&["pull", "mine"], &from[..], &rest].concat();
    assert!(model(&sandbox, None, &told).done().contains("cls pooling"));
    let status = model(&sandbox, None, &["status", "mine", "--json"]);
    let status: Value = serde_json::from_str(&status.stdout).unwrap();
    assert_eq!((&status["queryPrefix"], &status["passagePrefix"]), (&json!("q: "), &json!("p: ")));
    let bge = model(&sandbox, None, &["status", "bge-base-en-v1.5", "--json"]);
    let bge: Value = serde_json::from_str(&bge.stdout).unwrap();
    assert_eq!(
        (&bge["recall"], &bge["reminder"], &bge["duplicate"]),
        (&json!(0.4), &json!(0.7), &json!(0.85))
    );
    assert_eq!(bge["queryPrefix"], "Represent this sentence for searching relevant passages: ");
}

#[test]
fn unfit_files_are_refused() {
    type Damage = fn(&Path);
    let cases: &[(&str, Damage)] = &[
        ("is truncated", |dir| cut(&dir.join("model.onnx"), 20_000)),
        ("is truncated", |dir| cut(&dir.join("model.onnx"), 1)),
        ("is truncated", |dir| fs::write(dir.join("model.onnx"), "<!DOCTYPE html>").unwrap()),
        ("is not an ONNX model", |dir| fs::write(dir.join("model.onnx"), "").unwrap()),
        ("is a git-lfs pointer", |dir| {
            let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
            fs::write(dir.join("model.onnx"), pointer).unwrap();
        }),
        ("there is no model.onnx in", |dir| fs::remove_file(dir.join("model.onnx")).unwrap()),
        ("there is no tokenizer.json in", |dir| {
            fs::remove_file(dir.join("tokenizer.json")).unwrap();
        }),
        ("there is no config.json in", |dir| fs::remove_file(dir.join("config.json")).unwrap()),
        ("config.json is not valid JSON", |dir| cut(&dir.join("config.json"), 20)),
        ("tokenizer.json is not valid JSON", |dir| cut(&dir.join("tokenizer.json"), 500)),
        ("tokenizer.json belongs to another model", |dir| {
            let text = fs::read_to_string(dir.join("config.json")).unwrap();
            fs::write(
                dir.join("config.json"),
                text.replace("\"vocab_size\": ", "\"vocab_size\": 1,\"x\":"),
            )
            .unwrap();
        }),
    ];
    let sandbox = Sandbox::new("empty").by_default_model();
    for (want, damage) in cases {
        let dir = tiny(&sandbox);
        damage(&dir);
        let args = ["pull", "tiny", "--from", dir.to_str().unwrap(), "--pooling", "mean"];
        let refused = model(&sandbox, None, &args).refused();
        assert!(refused.contains(want), "{want}: {refused}");
        assert!(held(&sandbox).is_empty(), "{want}: {:?}", held(&sandbox));
    }
}

fn cut(path: &Path, length: usize) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..length]).unwrap();
}

#[test]
fn files_that_others_leave_out() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let dir = tiny(&sandbox);
    fs::create_dir(dir.join("onnx")).unwrap();
    fs::rename(dir.join("model.onnx"), dir.join("onnx/model.onnx")).unwrap();
    fs::remove_file(dir.join("special_tokens_map.json")).unwrap();
    fs::remove_file(dir.join("tokenizer_config.json")).unwrap();
    let args = ["pull", "tiny", "--from", dir.to_str().unwrap(), "--pooling", "mean"];
    let library = library();
    model(&sandbox, library.as_deref(), &args).done();
    let status = model(&sandbox, library.as_deref(), &["status", "tiny", "--try"]);
    assert_eq!(status.code, i32::from(library.is_none()), "{}", status.stdout);
}

#[test]
fn damage_is_noticed() {
    let sandbox = Sandbox::new("empty").by_default_model();
    pull_tiny(&sandbox, "tiny");
    let path = sandbox.cache().join("pimem/models/tiny/model.onnx");
    let whole = fs::read(&path).unwrap();
    let mut flipped = whole.clone();
    flipped[10_000] ^= 1;
    for (bytes, want) in
        [(&whole[..100], "model.onnx is damaged"), (&flipped, "model.onnx is damaged")]
    {
        fs::write(&path, bytes).unwrap();
        let status = model(&sandbox, None, &["status", "tiny"]);
        assert_eq!(status.code, 1);
        assert!(status.stdout.contains(want), "{}", status.stdout);
        assert!(status.stdout.contains("bytes, damaged"), "{}", status.stdout);
    }
    fs::remove_file(&path).unwrap();
    assert!(model(&sandbox, None, &["status", "tiny"]).stdout.contains("model.onnx is missing"));
    // A dimension that exceeds any memory.
    fs::write(&path, &whole).unwrap();
    let record = path.with_file_name("pimem-model.json");
    let mut large: Value = serde_json::from_slice(&fs::read(&record).unwrap()).unwrap();
    large["model"]["dimension"] = 1_000_000_000_000_000_000_u64.into();
    fs::write(&record, large.to_string()).unwrap();
    sandbox.write("topics/lessons.md", "- [lesson] A line to embed\n");
    let mut command = sandbox.command(&["rebuild"]);
    command.env("PIMEM_EMBEDDING_MODEL", "tiny");
    assert!(outcome(command).stderr.contains("is not installed"));
    // A damaged record counts as missing.
    fs::write(path.with_file_name("pimem-model.json"), "{").unwrap();
    assert!(model(&sandbox, None, &["status", "tiny"]).stdout.contains("is not installed"));
}

#[test]
fn names_that_may_not_be() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let dir = tiny(&sandbox);
    for name in ["static", "none", "..", ".hidden", "a b", "", "ä"] {
        let args = ["pull", name, "--from", dir.to_str().unwrap(), "--pooling", "mean"];
        let refused = model(&sandbox, None, &args).refused();
        assert!(refused.contains("cannot be the name of a model"), "{name}: {refused}");
        assert_ne!(model(&sandbox, None, &["remove", name]).code, 0, "{name}");
    }
    let refused = model(&sandbox, None, &["pull", "bge-smal-en-v1.5"]).refused();
    assert!(refused.contains("did you mean bge-small-en-v1.5?"), "{refused}");
    let refused = model(&sandbox, None, &["use", "bge-small-en-v1.5"]).refused();
    assert!(refused.contains("pimem model pull bge-small-en-v1.5"), "{refused}");
}

#[test]
fn a_project_may_not_choose() {
    let sandbox = Sandbox::new("harbor").by_default_model();
    let report = sandbox.run(&["report"]).ok();
    let model = sandbox.run(&["model", "status"]).ok();
    for setting in ["\"model\": \"none\"", "\"runtime\": \"/tmp/x.so\"", "\"deadlineMs\": 1"] {
        sandbox.configure(&format!("{{\"embedding\": {{{setting}}}}}"));
        let done = sandbox.run(&["report"]);
        assert_eq!((done.code, &done.stdout), (0, &report), "{done:?}");
        assert!(done.stderr.contains("a project's file may not set embedding."), "{done:?}");
        let status = sandbox.run(&["model", "status"]);
        assert_eq!((status.code, &status.stdout), (0, &model), "{status:?}");
    }
}

/// Returns the files of a model at the paths of a repository.
fn published(dir: &Path, repository: &str, onnx: &str) -> BTreeMap<String, Answer> {
    let names =
        ["tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json"];
    let at = |file: &str| format!("/{repository}/resolve/main/{file}");
    let mut answers: BTreeMap<String, Answer> = names
        .iter()
        .map(|name| (at(name), Answer::Whole(fs::read(dir.join(name)).unwrap())))
        .collect();
    answers.insert(at(onnx), Answer::Whole(fs::read(dir.join("model.onnx")).unwrap()));
    answers
}

#[test]
fn downloads() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let dir = made(&sandbox, 384);
    let library = library();
    let pull = |answers: BTreeMap<String, Answer>, name: &str| {
        let mut command = model_command(&sandbox, library.as_deref(), &["pull", name]);
        command.env("HF_ENDPOINT", hub::serve(answers));
        outcome(command)
    };
    let (repository, onnx) = ("intfloat/multilingual-e5-small", "onnx/model.onnx");
    let whole = published(&dir, repository, onnx);
    let path = |file: &str| format!("/{repository}/resolve/main/{file}");
    let instead = |file: &str, change: fn(Vec<u8>) -> Answer| {
        let mut answers = whole.clone();
        let Some(Answer::Whole(bytes)) = answers.remove(&path(file)) else { panic!("{file}") };
        answers.insert(path(file), change(bytes));
        answers
    };
    for (answers, want) in [
        (instead(onnx, Answer::Half), "onnx/model.onnx"),
        (instead("tokenizer.json", Answer::Half), "tokenizer.json"),
        (instead("config.json", |_| Answer::Status(404)), "there is no config.json in http://"),
        (instead(onnx, |_| Answer::Status(404)), "there is no onnx/model.onnx in http://"),
        (instead("config.json", |_| Answer::Status(500)), "http status: 500"),
        (instead(onnx, |_| Answer::Whole(b"<html>Sign in</html>".to_vec())), "not an ONNX model"),
    ] {
        let refused = pull(answers, "multilingual-e5-small").refused();
        assert!(refused.contains(want), "{want}: {refused}");
        assert!(held(&sandbox).is_empty(), "{want}: {:?}", held(&sandbox));
    }
    // Files of a known model must have the known hashes.
    let other = published(&dir, "Xenova/bge-small-en-v1.5", "onnx/model.onnx");
    let refused = pull(other, "BAAI/bge-small-en-v1.5").refused();
    assert!(refused.contains("is not the file that was expected: its SHA-256 is"), "{refused}");
    assert!(held(&sandbox).is_empty());

    // Hugging Face redirects to another place for large files.
    let mut moved = whole.clone();
    let content = moved.insert(path(onnx), Answer::Moved("/elsewhere/content".to_owned())).unwrap();
    moved.insert("/elsewhere/content".to_owned(), content);
    let done = pull(moved, "intfloat/multilingual-e5-small").done();
    assert_eq!(done, "Installed: multilingual-e5-small (384 numbers, mean pooling)\n");
    let status = model(&sandbox, None, &["status", "multilingual-e5-small", "--json"]);
    let status: Value = serde_json::from_str(&status.stdout).unwrap();
    assert_eq!(
        (&status["queryPrefix"], &status["files"]["whole"]),
        (&json!("query: "), &json!(true))
    );
}

#[test]
fn interrupted_nothing_is_installed() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let dir = made(&sandbox, 384);
    let repository = "intfloat/multilingual-e5-small";
    let mut answers = published(&dir, repository, "onnx/model.onnx");
    let bytes = fs::read(dir.join("model.onnx")).unwrap();
    let path = format!("/{repository}/resolve/main/onnx/model.onnx");
    answers.insert(path, Answer::Stalls(bytes));
    let mut command = model_command(&sandbox, None, &["pull", "multilingual-e5-small"]);
    command.env("HF_ENDPOINT", hub::serve(answers));
    let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    let part =
        || held(&sandbox).first().map(|name| sandbox.cache().join("pimem/models").join(name));
    let started =
        |dir: &Path| fs::metadata(dir.join("model.onnx")).is_ok_and(|meta| meta.len() > 0);
    while !part().is_some_and(|dir| started(&dir)) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let part = part().unwrap();
    assert!(part.to_string_lossy().contains(".pimem-tmp-"), "{}", part.display());
    let list = model(&sandbox, None, &["list"]).ok();
    assert!(!list.contains("installed") && !list.contains(".pimem-tmp-"), "{list}");
    // Another process may be writing it, so it is kept for a day.
    pull_tiny(&sandbox, "tiny");
    assert!(part.exists());
    let old = std::time::SystemTime::now() - std::time::Duration::from_hours(25);
    fs::File::open(&part).unwrap().set_modified(old).unwrap();
    pull_tiny(&sandbox, "tiny");
    assert_eq!(held(&sandbox), ["tiny"]);
}

#[test]
fn nobody_there() {
    let sandbox = Sandbox::new("empty").by_default_model();
    for (endpoint, want) in [
        ("http://127.0.0.1:9", "cannot download http://127.0.0.1:9/BAAI/bge-small-en-v1.5/"),
        ("ftp://example.org", "is not an address"),
    ] {
        let mut command = model_command(&sandbox, None, &["pull", "bge-small-en-v1.5"]);
        command.env("HF_ENDPOINT", endpoint);
        let refused = outcome(command).refused();
        assert!(refused.contains(want), "{refused}");
        assert!(held(&sandbox).is_empty());
    }
}
