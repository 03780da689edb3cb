//! Helpers that the test modules share.

pub(crate) mod attacks;
pub(crate) mod calls;
pub(crate) mod client;
pub(crate) mod clones;
pub(crate) mod history;
#[cfg(feature = "fastembed")]
pub(crate) mod hub;
#[cfg(feature = "fastembed")]
pub(crate) mod models;
#[cfg(all(feature = "llm", feature = "fastembed"))]
pub(crate) mod ollama;
#[cfg_attr(not(feature = "llm"), expect(dead_code, reason = "nobody asks a server then"))]
pub(crate) mod provider;
pub(crate) mod pursuit;
pub(crate) mod sandbox;
pub(crate) mod script;
pub(crate) mod settings;
#[cfg(feature = "sync")]
pub(crate) mod team;
pub(crate) mod terminal;
pub(crate) mod trace;

/// Returns true if expectations should be rewritten.
pub(crate) fn bless() -> bool {
    std::env::var_os("PIMEM_BLESS").is_some_and(|value| value == "1")
}

/// Returns the factor by which long tests are lengthened.
pub(crate) fn scale() -> usize {
    let scale = std::env::var("PIMEM_TEST_SCALE").ok();
    scale.map_or(1, |scale| scale.parse().expect("PIMEM_TEST_SCALE is a whole number"))
}

/// Returns the step through a long table of cases: `nth`, or 1 where tests are lengthened.
pub(crate) fn every(nth: usize) -> usize {
    if scale() > 1 { 1 } else { nth }
}

/// Returns true if a test must be skipped because `tool` is missing. In CI, a missing tool is an
/// error.
pub(crate) fn without(tool: &str, is_there: bool) -> bool {
    if !is_there {
        let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
        assert!(!is_ci, "this test needs {tool}");
        println!("not tested without {tool}");
    }
    !is_there
}

/// Returns true if a test must be skipped because a program is not in the path.
pub(crate) fn without_program(name: &str, version: &str) -> bool {
    let run = std::process::Command::new(name).arg(version).output();
    without(name, run.is_ok_and(|done| done.status.success()))
}

/// Writes a program.
///
/// It is written by a process of its own: what other threads start at this moment would hold a file
/// of this one open, and a program that is open for writing is not started.
#[cfg(unix)]
pub(crate) fn write_program(path: &std::path::Path, script: &str) {
    use std::{io::Write as _, process::Stdio};

    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut write = std::process::Command::new("sh");
    write.args(["-c", "cat >\"$0\" && chmod 755 \"$0\""]).arg(path).stdin(Stdio::piped());
    let mut child = write.spawn().unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{}", path.display());
}

pub(crate) fn repository() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
}
