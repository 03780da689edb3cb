//! Models with an ONNX Runtime, and invalid libraries.
//!
//! With `PIMEM_TEST_ONNXRUNTIME`, vectors are compared with those computed by `make_tiny.py`.
//! Without it, the tests check that only semantic search is lost.

use std::{fs, path::Path};

use serde_json::Value;

use crate::common::{
    models::{held, library, made, model, model_command, tiny},
    repository,
    sandbox::{Outcome, PIMEM, Sandbox, outcome},
};

fn install(sandbox: &Sandbox, dir: &Path, pooling: &str) {
    let args = ["pull", "tiny", "--from", dir.to_str().unwrap(), "--pooling", pooling];
    model(sandbox, library().as_deref(), &args).done();
}

/// Runs the embedding child as its parent does, with texts on standard input.
fn embed(sandbox: &Sandbox, args: &[&str], input: &str) -> Outcome {
    let texts = sandbox.root().join("texts");
    fs::write(&texts, input).unwrap();
    let mut command = sandbox.command(args);
    command.env("ORT_DISABLE_TELEMETRY", "1").env("ORT_TELEMETRY_DISABLED", "1");
    let done = command.stdin(fs::File::open(texts).unwrap()).output().unwrap();
    Outcome {
        code: done.status.code().unwrap_or(-1),
        stdout: String::from_utf8(done.stdout).unwrap(),
        stderr: String::from_utf8(done.stderr).unwrap(),
    }
}

#[test]
fn vectors_are_those_of_another_implementation() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let expected = fs::read_to_string(repository().join("fixtures/models/tiny/expected.tsv"));
    let expected = expected.unwrap();
    let rows: Vec<Vec<&str>> = expected.lines().map(|row| row.split('\t').collect()).collect();
    let library = library();
    for pooling in ["mean", "cls"] {
        install(&sandbox, &tiny(&sandbox), pooling);
        let rows: Vec<_> = rows.iter().filter(|row| row[0] == pooling).collect();
        assert_eq!(rows.len(), 10);
        let input: String = rows.iter().flat_map(|row| [row[1], "\n"]).collect();
        let path = library.clone().unwrap_or_else(|| sandbox.root().join("no-library"));
        let dir = sandbox.cache().join("pimem/models/tiny");
        let args = ["model", "embed", "--runtime", path.to_str().unwrap(), dir.to_str().unwrap()];
        let done = embed(&sandbox, &args, &input);
        if library.is_none() {
            assert_eq!(done.code, 2);
            assert!(done.stdout.starts_with("{\"error\":\"cannot read "), "{}", done.stdout);
            continue;
        }
        assert_eq!(done.code, 0, "{}", done.stderr);
        let got: Vec<Vec<f64>> =
            done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(got.len(), rows.len());
        for (row, vector) in rows.iter().zip(got) {
            let want: Vec<f64> = row[2].split(' ').map(|x| x.parse().unwrap()).collect();
            let far = want.iter().zip(&vector).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(vector.len() == want.len() && far < 2e-6, "{pooling} {}: {far}", row[1]);
        }
    }
}

#[test]
fn a_library_is_installed() {
    let Some(library) = library() else {
        let sandbox = Sandbox::new("empty").by_default_model();
        install(&sandbox, &tiny(&sandbox), "mean");
        let status = model(&sandbox, None, &["status", "tiny"]);
        assert_eq!(status.code, 1);
        assert!(status.stdout.contains("there is no ONNX Runtime library"), "{}", status.stdout);
        return;
    };
    for from in [library.as_path(), library.parent().unwrap()] {
        let sandbox = Sandbox::new("empty").by_default_model();
        install(&sandbox, &tiny(&sandbox), "mean");
        let args = ["model", "pull", "--runtime", from.to_str().unwrap()];
        let done = sandbox.run(&args).ok();
        assert!(done.starts_with("Installed: ONNX Runtime 1."), "{done}");
        let status = sandbox.run(&["model", "status", "tiny", "--try", "--json"]).json();
        assert_eq!(
            (&status["serves"], &status["runtimeFrom"]),
            (&true.into(), &"installed".into())
        );
        assert!(status["tookMs"].as_u64().is_some());

        // Microsoft's builds would have stored an identifier here and sent telemetry.
        let in_cache: Vec<_> = fs::read_dir(sandbox.cache()).unwrap().flatten().collect();
        assert_eq!(in_cache.len(), 1, "{in_cache:?}");
        assert!(fs::read_dir(sandbox.home()).unwrap().next().is_none());

        let name = library.file_name().unwrap();
        let copy = sandbox.cache().join("pimem/runtime").join(name);
        let bytes = fs::read(&copy).unwrap();
        fs::write(&copy, &bytes[..bytes.len() / 2]).unwrap();
        let status = sandbox.run(&["model", "status", "tiny", "--try"]);
        assert_eq!((status.code, status.stderr.as_str()), (1, ""));
        assert!(status.stdout.contains("is damaged"), "{}", status.stdout);
    }
}

#[test]
fn libraries_that_are_none() {
    let sandbox = Sandbox::new("empty").by_default_model();
    install(&sandbox, &tiny(&sandbox), "mean");
    let real = library().map(|path| fs::read(path).unwrap());
    let own = fs::read(PIMEM).unwrap();
    let elf = real.as_deref().unwrap_or(&own);
    let cut = |part: usize| elf[..elf.len() / 16 * part].to_vec();
    let mut cases = vec![
        ("not-a-library", b"#!/bin/sh\nexit 0\n".repeat(9), "is not a shared library"),
        ("empty", Vec::new(), "is truncated"),
        ("another-program", own.clone(), "cannot load "),
        ("one-byte-short", elf[..elf.len() - 1].to_vec(), "is truncated"),
    ];
    cases.extend([0, 1, 4, 8, 12, 15].map(|part| ("cut", cut(part), "is truncated")));
    for (name, bytes, want) in cases {
        if cfg!(not(target_os = "linux")) && want != "cannot load " {
            continue;
        }
        let path = sandbox.root().join(name);
        fs::write(&path, &bytes).unwrap();
        let status = model(&sandbox, Some(&path), &["status", "tiny", "--try"]);
        assert_eq!((status.code, status.stderr.as_str()), (1, ""), "{name}: {}", status.stdout);
        assert!(status.stdout.contains(want), "{name}: {}", status.stdout);
        let args = ["pull", "--runtime", path.to_str().unwrap()];
        let refused = model(&sandbox, None, &args).refused();
        assert!(refused.contains(want) && refused.contains(name), "{name}: {refused}");
        assert!(!refused.contains(".pimem-tmp-"), "{refused}");
    }
    let dir = sandbox.root().join("home");
    for path in [sandbox.root().join("nothing"), dir] {
        let args = ["pull", "--runtime", path.to_str().unwrap()];
        let refused = model(&sandbox, None, &args).refused();
        assert!(refused.contains("there is no ONNX Runtime library "), "{refused}");
    }
    let mut litter = fs::read_dir(sandbox.cache().join("pimem")).unwrap().flatten();
    assert!(litter.all(|entry| entry.file_name() == "models"), "nothing is installed or left over");
}

/// A library whose code consists of breakpoints kills the process that loads it at once.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_library_that_kills_its_process_kills_nobody_else() {
    let Some(library) = library() else { return };
    let sandbox = Sandbox::new("empty").by_default_model();
    install(&sandbox, &tiny(&sandbox), "mean");
    let mut bytes = fs::read(library).unwrap();
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let segments = (64..).step_by(56).take(usize::from(bytes[56]));
    let code: Vec<_> = segments
        .filter(|at| bytes[*at] == 1 && bytes[at + 4] & 1 == 1)
        .map(|at| {
            number(at + 8).try_into().unwrap()
                ..(number(at + 8) + number(at + 32)).try_into().unwrap()
        })
        .collect();
    assert_eq!(code.len(), 1);
    bytes[code[0].clone()].fill(0xcc);
    let broken = sandbox.root().join("broken.so");
    fs::write(&broken, bytes).unwrap();
    let status = model(&sandbox, Some(&broken), &["status", "tiny", "--try"]);
    assert_eq!((status.code, status.stderr.as_str()), (1, ""), "{}", status.stdout);
    let want = "the model's process ended early (signal: 5 (SIGTRAP)";
    assert!(status.stdout.contains(want), "{}", status.stdout);
    let refused = model(&sandbox, None, &["pull", "--runtime", broken.to_str().unwrap()]).refused();
    assert!(refused.contains(want), "{refused}");
}

#[cfg(unix)]
#[test]
fn a_pipe_keeps_nobody_waiting() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let pipe = sandbox.root().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let refused = model(&sandbox, None, &["pull", "--runtime", pipe.to_str().unwrap()]).refused();
    assert!(refused.contains("is not a file"), "{refused}");
    let dir = tiny(&sandbox);
    fs::remove_file(dir.join("model.onnx")).unwrap();
    fs::rename(&pipe, dir.join("model.onnx")).unwrap();
    let args = ["pull", "tiny", "--from", dir.to_str().unwrap(), "--pooling", "mean"];
    assert!(model(&sandbox, None, &args).refused().contains("there is no model.onnx"));
}

#[test]
fn a_model_that_does_not_fit_is_refused() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let library = library();
    let swap = |dir: &Path, file: &str, from: &str, to: &str| {
        let text = fs::read_to_string(dir.join(file)).unwrap();
        assert!(text.contains(from));
        fs::write(dir.join(file), text.replacen(from, to, 1)).unwrap();
    };
    let pull = |dir: &Path| {
        let args = ["pull", "tiny", "--from", dir.to_str().unwrap(), "--pooling", "mean"];
        model(&sandbox, library.as_deref(), &args)
    };
    let wide = tiny(&sandbox);
    swap(&wide, "config.json", "\"hidden_size\": 16", "\"hidden_size\": 32");
    // Only a trial detects this.
    let wrong_size = pull(&wide);
    if library.is_none() {
        assert!(wrong_size.stderr.contains("the model was not tried"), "{}", wrong_size.stderr);
        model(&sandbox, None, &["remove", "tiny"]).ok();
    } else {
        let refused = wrong_size.refused();
        assert!(refused.contains("gives 16 numbers, and should give 32"), "{refused}");
    }
    let foreign = tiny(&sandbox);
    swap(&foreign, "config.json", "\"vocab_size\"", "\"words\"");
    swap(&foreign, "tokenizer.json", "\"a\": 5", "\"a\": 5005");
    let foreign = pull(&foreign);
    if library.is_some() {
        assert!(foreign.refused().contains("tiny does not work: "));
        assert!(held(&sandbox).is_empty());
    }
    // The outer message is valid, the graph in it is not.
    let broken = made(&sandbox, 32);
    let mut bytes = fs::read(broken.join("model.onnx")).unwrap();
    let at = bytes.windows(6).position(|part| part == b"Gather").unwrap();
    bytes[at..at + 6].copy_from_slice(b"Gothic");
    fs::write(broken.join("model.onnx"), bytes).unwrap();
    let broken = pull(&broken);
    if library.is_some() {
        let refused = broken.refused();
        assert!(refused.contains("tiny does not work: cannot load the model"), "{refused}");
        assert!(held(&sandbox).is_empty());
    }
}

#[test]
fn a_deadline_that_cannot_be_kept_is_said() {
    let sandbox = Sandbox::new("empty").by_default_model();
    install(&sandbox, &tiny(&sandbox), "mean");
    let library = library();
    let args = ["status", "tiny", "--try", "--json"];
    let mut command = model_command(&sandbox, library.as_deref(), &args);
    command.env("PIMEM_EMBEDDING_DEADLINE_MS", "1");
    let status = outcome(command);
    assert_eq!(status.code, 1, "{}", status.stdout);
    let status: Value = serde_json::from_str(&status.stdout).unwrap();
    let trouble = status["trouble"].as_str().unwrap();
    let want = if library.is_some() { "a search waits for 1 ms only" } else { "there is no ONNX" };
    assert!(trouble.contains(want), "{trouble}");
}

#[test]
fn the_child_answers_line_by_line() {
    let Some(library) = library() else { return };
    let sandbox = Sandbox::new("empty").by_default_model();
    let args = ["model", "embed", "--runtime", library.to_str().unwrap()];
    let done = embed(&sandbox, &args, "\"a\"\n\"b\"\n");
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stdout.starts_with("[1.0,") && done.stdout.lines().count() == 2);
    assert_eq!(embed(&sandbox, &args, "not a string\n").code, 2);
    assert_eq!(embed(&sandbox, &args, "").ok(), "");
}
