//! What the modules share.

pub(crate) mod attacks;
pub(crate) mod history;
#[cfg(feature = "fastembed")]
pub(crate) mod hub;
#[cfg(feature = "fastembed")]
pub(crate) mod models;
#[cfg_attr(not(feature = "llm"), expect(dead_code, reason = "nobody asks a server then"))]
pub(crate) mod provider;
pub(crate) mod sandbox;
pub(crate) mod script;

/// Whether expectations are to be rewritten.
pub(crate) fn bless() -> bool {
    std::env::var_os("PIMEM_BLESS").is_some_and(|value| value == "1")
}

/// By how much the long tests are to be longer.
pub(crate) fn scale() -> usize {
    let scale = std::env::var("PIMEM_TEST_SCALE").ok();
    scale.map_or(1, |scale| scale.parse().expect("PIMEM_TEST_SCALE is a whole number"))
}

/// The repository's root.
pub(crate) fn repository() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
}
