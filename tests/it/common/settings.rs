//! Settings files that are unusable, or have no usable content.

use std::{
    fs::{self, File},
    os::unix::fs::symlink,
    path::Path,
    process::Command,
};

/// Creates an unusable settings file, or one without usable content.
pub(crate) type Make = fn(&Path);

pub(crate) fn text(path: &Path, text: impl AsRef<[u8]>) {
    fs::write(path, text).unwrap();
}

/// Every kind of broken settings file: its name here, the function that makes it, and the message
/// about it.
pub(crate) const BROKEN: &[(&str, Make, &str)] = &[
    ("a brace", |p| text(p, "{"), "memory.json:1: not valid JSON"),
    ("nothing", |p| text(p, ""), "memory.json:1: not valid JSON"),
    ("a list", |p| text(p, "[]"), "memory.json:1: the file is not a JSON object"),
    ("a number", |p| text(p, "3"), "memory.json:1: the file is not a JSON object"),
    ("no text", |p| text(p, b"\xff\xfe\0"), "memory.json:1: not valid JSON"),
    (
        "a conflict",
        |p| text(p, "{\n<<<<<<< ours\n\"report\": {}\n=======\n>>>>>>> theirs\n}"),
        "memory.json:2: not valid JSON",
    ),
    (
        "a comment",
        |p| text(p, "{\n\"report\": {}, // all of it\n}"),
        "memory.json:2: not valid JSON",
    ),
    ("depth", |p| text(p, "{\"a\":".repeat(100_000)), "memory.json:1: not valid JSON"),
    (
        "a key of later",
        |p| text(p, "{\n\"futureKey\": true}"),
        "memory.json:2: unknown key futureKey",
    ),
    (
        "a slip",
        |p| text(p, "{\"report\": {\n\"bugdet\": 5}}"),
        "memory.json:2: unknown key report.bugdet; left out (did you mean report.budget?)",
    ),
    (
        "another type",
        |p| text(p, "{\"report\": {\"budget\": \"5\"}}"),
        "memory.json:1: report.budget is \"5\", not a whole number from 0 to 1000000, or none; left out (Tokens",
    ),
    (
        "below nothing",
        |p| text(p, "{\"report\": {\"budget\": -1}}"),
        "memory.json:1: report.budget is -1, not a whole number",
    ),
    (
        "beyond all",
        |p| text(p, "{\"report\": {\"budget\": 1e300}}"),
        "memory.json:1: report.budget is 1e+300, not a whole number",
    ),
    (
        "a group that is none",
        |p| text(p, "{\"report\": 5}"),
        "memory.json:1: report is 5, not an object of settings",
    ),
    (
        "categories that are none",
        |p| text(p, "{\"categories\": 7}"),
        "memory.json:1: categories is 7, not an object of categories",
    ),
    (
        "a category's name",
        |p| text(p, "{\"categories\": {\n\"../../x\": {}}}"),
        "memory.json:2: categories.../../x: not a usable name; left out (names are",
    ),
    ("a device", |p| symlink("/dev/zero", p).unwrap(), "memory.json: "),
    ("a directory", |p| fs::create_dir(p).unwrap(), "memory.json: not a file; left out (put a"),
    (
        "a pipe",
        |p| assert!(Command::new("mkfifo").arg(p).status().unwrap().success()),
        "memory.json: not a file; left out",
    ),
    ("a link to itself", |p| symlink(p, p).unwrap(), "memory.json: "),
    (
        "a hundred megabytes",
        |p| File::create(p).unwrap().set_len(100 << 20).unwrap(),
        "memory.json: too large: 104857600 bytes, of which 1048576 are allowed; left out",
    ),
];

/// Broken files that cannot be edited, and are therefore left unchanged.
pub(crate) const CLOSED: &[&str] = &[
    "a brace",
    "a list",
    "a number",
    "no text",
    "a conflict",
    "a comment",
    "depth",
    "a group that is none",
    "a device",
    "a directory",
    "a pipe",
    "a link to itself",
    "a hundred megabytes",
    "a link out",
];

/// Settings that are wrong only in a project's file.
pub(crate) const PROJECT: &[(&str, Make, &str)] = &[
    (
        "the agent's tool",
        |p| text(p, "{\"report\": {\n\"removeCommand\": \"planted\"}}"),
        "memory.json:2: a project's file may not set report.removeCommand; left out (set it in",
    ),
    (
        "a model",
        |p| text(p, "{\"embedding\": {\"model\": \"planted\", \"runtime\": \"/planted.so\"}}"),
        "memory.json:1: a project's file may not set embedding.model; it and 1 more are left out",
    ),
    (
        "no time for hooks",
        |p| text(p, "{\"hook\": {\"deadlineMs\": 1}}"),
        "memory.json:1: a project's file may not set hook.deadlineMs",
    ),
    (
        "a link out",
        |p| symlink("../../outside.json", p).unwrap(),
        "memory.json: a link that leads out of the project; left out",
    ),
];
