//! What the modules share.

pub(crate) mod attacks;
pub(crate) mod clones;
pub(crate) mod history;
#[cfg(feature = "fastembed")]
pub(crate) mod hub;
#[cfg(feature = "fastembed")]
pub(crate) mod models;
#[cfg_attr(not(feature = "llm"), expect(dead_code, reason = "nobody asks a server then"))]
pub(crate) mod provider;
pub(crate) mod sandbox;
pub(crate) mod script;
pub(crate) mod settings;
pub(crate) mod trace;

/// Whether expectations are to be rewritten.
pub(crate) fn bless() -> bool {
    std::env::var_os("PIMEM_BLESS").is_some_and(|value| value == "1")
}

/// By how much the long tests are to be longer.
pub(crate) fn scale() -> usize {
    let scale = std::env::var("PIMEM_TEST_SCALE").ok();
    scale.map_or(1, |scale| scale.parse().expect("PIMEM_TEST_SCALE is a whole number"))
}

/// Whether a test goes without `tool` because `is_there` says so. In CI it has to be there.
pub(crate) fn without(tool: &str, is_there: bool) -> bool {
    if !is_there {
        let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
        assert!(!is_ci, "this test needs {tool}");
        println!("not tested without {tool}");
    }
    !is_there
}

/// The same for a program in the path.
pub(crate) fn without_program(name: &str, version: &str) -> bool {
    let run = std::process::Command::new(name).arg(version).output();
    without(name, run.is_ok_and(|done| done.status.success()))
}

/// The repository's root.
pub(crate) fn repository() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
}
