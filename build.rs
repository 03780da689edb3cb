//! Links the program at a fixed address on Linux, for a faster start.
//!
//! The libraries behind embedding models bring about 22,000 relocations that the dynamic linker
//! would process at every start, even if no model is used. That took a quarter of the time of a
//! short command. docs/decisions.md has the figures and the trade-off.
#![expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts by variables")]

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    // Static programs choose their start-up code differently.
    let features = std::env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let is_static = features.split(',').any(|feature| feature == "crt-static");
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && !is_static {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
