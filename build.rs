//! Links the program at a fixed address on Linux: start-up time is the product.
//!
//! The libraries behind embedding models bring some 22,000 addresses that the dynamic linker would
//! otherwise adjust at every start, whether a model is used or not; that took a quarter of the time
//! of a short command. docs/decisions.md has the figures, and what is given up.
#![expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts by variables")]

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    // A static program links its start-up code by another choice.
    let features = std::env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let is_static = features.split(',').any(|feature| feature == "crt-static");
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && !is_static {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
