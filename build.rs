//! Links the program at a fixed address on Linux, with what a start calls side by side and no shared unwinder, for a
//! faster start, and has releases name their commit.
//!
//! The libraries behind embedding models bring about 22,000 relocations that the dynamic linker
//! would process at every start, even if no model is used. That took a quarter of the time of a
//! short command. docs/building/decisions.md has the figures and the trade-off.
#![expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts by variables")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The functions that commands and hooks begin with.
const ORDER: &str = "src/start.ld";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    // Static programs choose their start-up code differently.
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let is_static = features.split(',').any(|feature| feature == "crt-static");
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && !is_static {
        println!("cargo:rustc-link-arg-bins=-no-pie");
        if let Some(dir) = unwinder() {
            println!("cargo:rustc-link-search=native={}", dir.display());
            println!("cargo:rustc-link-lib=static:-bundle=gcc_eh");
        }
    }
    let root = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    if is("CARGO_CFG_TARGET_OS", "linux") && is("PROFILE", "release") && takes_scripts() {
        println!("cargo:rerun-if-changed={ORDER}");
        // A comma would end the name.
        if !root.contains(',') {
            println!("cargo:rustc-link-arg-bins=-Wl,-T,{root}/{ORDER}");
        }
    }

    let features = ["fastembed", "llm", "minilm", "sync"];
    let is_on =
        |name: &&str| env::var_os(format!("CARGO_FEATURE_{}", name.to_uppercase())).is_some();
    let on: Vec<&str> = features.into_iter().filter(is_on).collect();
    println!(
        "cargo:rustc-env=PIMEM_FEATURES={}",
        if on.is_empty() { "none".to_owned() } else { on.join(", ") }
    );
    let commit = commit().map_or_else(String::new, |commit| format!(" ({commit})"));
    println!("cargo:rustc-env=PIMEM_COMMIT={commit}");
}

/// Returns the directory of GCC's static unwinder. The standard library asks for the shared one, which a start would
/// map and initialise; with the static one before it, the linker leaves it out. zig links one of its own, and would name
/// that of this system.
fn unwinder() -> Option<PathBuf> {
    let linker = Some(linker()).filter(|linker| !linker.contains("zig"))?;
    let told = Command::new(linker).arg("-print-file-name=libgcc_eh.a").output().ok()?;
    let path = PathBuf::from(String::from_utf8(told.stdout).ok()?.trim());
    Some(path).filter(|path| path.is_file())?.parent().map(Path::to_path_buf)
}

fn linker() -> String {
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".to_owned())
}

/// Returns true if the linker is one of those that insert sections by a script: GNU ld, LLD, and zig's. gold and mold
/// do not.
fn takes_scripts() -> bool {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let linker = linker();
    let told = Command::new(&linker).arg("-Wl,--version").output();
    let is_known = told.is_ok_and(|told| {
        let version = String::from_utf8_lossy(&told.stdout);
        version.starts_with("GNU ld ") || version.contains("LLD")
    });
    (is_known || linker.contains("zig")) && !flags.contains("link")
}

/// Returns the commit that is built. Other profiles than that of releases have none, as each commit would build
/// them anew.
fn commit() -> Option<String> {
    println!("cargo:rerun-if-env-changed=PIMEM_COMMIT");
    if let Ok(given) = env::var("PIMEM_COMMIT") {
        return Some(given).filter(|given| !given.is_empty());
    }
    if env::var("PROFILE").ok()? != "release" {
        return None;
    }
    let root = env::var("CARGO_MANIFEST_DIR").ok()?;
    // Where cargo has packed the sources, this file tells.
    if let Ok(packed) = fs::read_to_string(Path::new(&root).join(".cargo_vcs_info.json")) {
        let (_, hash) = packed.split_once("\"sha1\": \"")?;
        return hash.get(..9).map(str::to_owned);
    }
    // The log changes with every commit and checkout.
    println!("cargo:rerun-if-changed=.git/logs/HEAD");
    let git = Command::new("git")
        .args(["-C", &root, "rev-parse", "--show-prefix", "--short=9", "HEAD"])
        .output()
        .ok()?;
    let said = String::from_utf8(git.stdout).ok()?;
    // A prefix means that the repository around is another one's.
    said.strip_prefix('\n').map(|hash| hash.trim().to_owned()).filter(|hash| !hash.is_empty())
}
