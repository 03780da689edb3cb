//! Helpers of the model tests: the tiny model and the ONNX Runtime library.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    repository,
    sandbox::{Outcome, Sandbox, copy_tree, outcome},
    without,
};

/// Returns the ONNX Runtime library of `.ci/onnxruntime`. Without it, tests check the behaviour
/// without a library.
pub(crate) fn library() -> Option<PathBuf> {
    let named = std::env::var_os("PIMEM_TEST_ONNXRUNTIME").map(PathBuf::from);
    without("ONNX Runtime: PIMEM_TEST_ONNXRUNTIME=$(.ci/onnxruntime)", named.is_some());
    named
}

/// Runs `pimem model …` with this library, or with none.
pub(crate) fn model(sandbox: &Sandbox, library: Option<&Path>, args: &[&str]) -> Outcome {
    outcome(model_command(sandbox, library, args))
}

/// Prepares `pimem model …` with this library, or with none. A library of the system is never used.
pub(crate) fn model_command(sandbox: &Sandbox, library: Option<&Path>, args: &[&str]) -> Command {
    let mut command = sandbox.command(&["model"]);
    let none = sandbox.root().join("no-library");
    command.env("ORT_DYLIB_PATH", library.unwrap_or(&none)).args(args);
    command
}

/// Copies the tiny model into the sandbox.
pub(crate) fn tiny(sandbox: &Sandbox) -> PathBuf {
    let copy = sandbox.root().join("tiny");
    copy_tree(&repository().join("fixtures/models/tiny"), &copy);
    copy
}

/// Generates the tiny model with vectors of another dimension.
pub(crate) fn made(sandbox: &Sandbox, dimension: usize) -> PathBuf {
    let dir = sandbox.root().join(format!("made-{dimension}"));
    let script = repository().join("fixtures/models/make_tiny.py");
    let mut python = Command::new("python3");
    python.arg(script).arg(&dir).arg(dimension.to_string());
    let done = python.output().expect("python3 is there; it makes models for the tests");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    dir
}

/// Generates a small BERT encoder as safetensors.
pub(crate) fn bert(sandbox: &Sandbox) -> PathBuf {
    let dir = sandbox.root().join("bert");
    let script = repository().join("fixtures/models/make_bert.py");
    let mut python = Command::new("python3");
    python.env("PYTHONDONTWRITEBYTECODE", "1").arg(script).arg(&dir);
    let done = python.output().expect("python3 is there; it makes models for the tests");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    dir
}

/// Returns the names in the cache's directory of models.
pub(crate) fn held(sandbox: &Sandbox) -> Vec<String> {
    let found = fs::read_dir(sandbox.cache().join("pimem/models")).into_iter().flatten();
    let mut names: Vec<String> =
        found.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
