//! A store is sealed, gets another key or is made plain while other processes write: what they write
//! is kept as the store is by then.
#![cfg(target_os = "linux")]

use std::{
    fs::{self, File},
    os::unix::fs::MetadataExt,
    path::Path,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use crate::{
    common::{sandbox::Sandbox, scale},
    hooks,
    sealed::{canary, leaks, seal},
};

const STEPS: [&str; 3] = ["init", "rotate", "decrypt"];

fn prepared(step: &str) -> Sandbox {
    let sandbox = Sandbox::new("empty");
    for number in 0..5 {
        sandbox.run(&["add", "--force", &format!("Base fact about {}", canary(number))]).done();
    }
    sandbox.run(&["todo", "add", "A thing to do"]).done();
    sandbox.run(&["log", &format!("met {}", canary(9))]).done();
    sandbox.run(&["note", &format!("the host is {}", canary(10))]).done();
    if step != "init" {
        seal(&sandbox);
    }
    sandbox
}

/// Returns the files that have a sealed line.
fn sealed_files(sandbox: &Sandbox) -> Vec<String> {
    let is_ours = |name: &str| name != "held" && !name.starts_with("before/");
    let files = sandbox.everything().into_iter().filter(|(name, _)| is_ours(name));
    let sealed = files.filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains("enc:v1:"));
    sealed.map(|(name, _)| name).collect()
}

/// Checks that everything is kept as the step has it.
fn is_whole(sandbox: &Sandbox, step: &str, what: &str) {
    if step == "decrypt" {
        assert_eq!(sealed_files(sandbox), Vec::<String>::new(), "{what}");
        assert!(!sandbox.path("store.json").exists(), "{what}");
        return;
    }
    assert_eq!(leaks(sandbox), Vec::<String>::new(), "{what}");
    let status = sandbox.run(&["encrypt", "status"]);
    assert_eq!(status.code, 0, "{what}: {status:?}");
}

/// Waits until another process waits for the lock on a file.
fn wait_for_waiting(file: &File, child: &mut Child) {
    let inode = format!(":{}", file.metadata().unwrap().ino());
    loop {
        let locks = fs::read_to_string("/proc/locks").unwrap();
        let is_waiting = |line: &str| line.contains("->") && line.contains(&*inode);
        if locks.lines().any(is_waiting) {
            return;
        }
        assert!(child.try_wait().unwrap().is_none(), "the writer did not wait");
        thread::yield_now();
    }
}

fn started(mut command: Command, input: &str) -> Child {
    use std::io::Write as _;
    command.env("PIMEM_LOCK_TIMEOUT_MS", "120000");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child
}

fn prompt(sandbox: &Sandbox, text: &str) -> String {
    serde_json::json!({"session_id": "s-1", "cwd": sandbox.project(), "prompt": text}).to_string()
}

/// A writer has opened the store and waits for its lock; before it gets that, the store is kept in
/// another way.
#[test]
fn a_writer_that_waited_writes_as_the_store_is_kept_by_then() {
    let late = canary(100);
    let text = format!("Late fact about {late}");
    let told = format!("Always call the {late} by its name");
    for step in STEPS {
        for args in [
            &["add", "--force", &text][..],
            &["log", &text],
            &["note", &text],
            &["todo", "add", &text],
            &["reinforce", &canary(1)],
            &["edit", &canary(2), &text],
            &["forget", &canary(3)],
            &["rebuild", "-q"],
            &["mcp"],
            &["hook", "claude", "prompt"],
        ] {
            let what = format!("{step} beside {args:?}");
            let sandbox = prepared(step);
            let lock = File::open(sandbox.path("lock")).unwrap();
            lock.lock().unwrap();
            let mut child = match args {
                ["hook", agent, event] => {
                    started(hooks::hook(&sandbox, agent, event), &prompt(&sandbox, &told))
                }
                ["mcp"] => started(sandbox.command(args), &add_by_mcp(&text)),
                _ => started(sandbox.command(args), ""),
            };
            wait_for_waiting(&lock, &mut child);
            // It waits for this file; the step takes another one.
            let held = sandbox.root().join("held");
            fs::rename(sandbox.path("lock"), &held).unwrap();
            sandbox.run(&["encrypt", step]).done();
            fs::rename(&held, sandbox.path("lock")).unwrap();
            lock.unlock().unwrap();
            let done = child.wait_with_output().unwrap();
            assert!(done.status.success(), "{what}: {done:?}");
            sandbox.run(&["rebuild", "-q"]).done();
            is_whole(&sandbox, step, &what);
            let list = sandbox.run(&["list"]).ok();
            assert!(list.contains(&canary(0)), "{what}: {list}");
            let adds =
                !["log", "note", "todo", "reinforce", "forget", "rebuild"].contains(&args[0]);
            assert_eq!(list.contains(&late), adds, "{what}: {list}");
        }
    }
}

fn add_by_mcp(text: &str) -> String {
    let call = serde_json::json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "memory_add", "arguments": {"text": text}}});
    let start = serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}}});
    format!("{start}\n{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n{call}\n")
}

/// What hooks append without the lock of the store is kept as the store is when it is written.
#[test]
fn a_hook_that_appends_beside_sealing_leaves_no_plain_line() {
    for step in STEPS {
        let sandbox = prepared(step);
        let data = sandbox.project().join(".pi/data");
        hooks::call(&sandbox, "claude", "prompt", prompt(&sandbox, "who runs the server?")).ok();
        // As a step that is among the files of this directory holds it.
        let held = File::open(&data).unwrap();
        held.lock().unwrap();
        let said = format!("tell me about {} and {}", canary(101), canary(102));
        let mut child =
            started(hooks::hook(&sandbox, "claude", "prompt"), &prompt(&sandbox, &said));
        wait_for_waiting(&held, &mut child);
        // It waits for this directory; the step takes a copy.
        let before = sandbox.root().join("before");
        fs::rename(&data, &before).unwrap();
        copy(&before, &data);
        sandbox.run(&["encrypt", step]).done();
        fs::remove_dir_all(&before).unwrap();
        held.unlock().unwrap();
        assert!(child.wait_with_output().unwrap().status.success());
        is_whole(&sandbox, step, step);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Real processes at once: every acknowledged line is there, and kept as the rest is.
#[test]
fn writers_beside_sealing_lose_nothing() {
    for step in STEPS {
        let sandbox = prepared(step);
        let is_over = AtomicBool::new(false);
        let acknowledged: Vec<String> = thread::scope(|threads| {
            let writer = |from: usize| {
                let sandbox = &sandbox;
                threads.spawn(move || {
                    let texts = (from..from + 6 * scale()).map(canary);
                    let texts = texts.map(|word| format!("Late fact about {word}"));
                    let is_added = |text: &String| {
                        let mut command = sandbox.command(&["add", "--force", text]);
                        command.env("PIMEM_LOCK_TIMEOUT_MS", "120000");
                        crate::common::sandbox::outcome(command).code == 0
                    };
                    texts.filter(is_added).collect::<Vec<_>>()
                })
            };
            let writers = [writer(20), writer(60)];
            let (sandbox, is_over) = (&sandbox, &is_over);
            let beside = threads.spawn(move || {
                for number in 0.. {
                    let said = format!("what of {} and so on?", canary(110 + number % 50));
                    drop(hooks::call(sandbox, "claude", "prompt", prompt(sandbox, &said)));
                    drop(sandbox.run(&["report"]));
                    drop(sandbox.run(&["rebuild", "-q"]));
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
            let done = threads.spawn(move || sandbox.run(&["encrypt", step]));
            let done = done.join().unwrap();
            assert_eq!(done.code, 0, "{step}: {done:?}");
            let added = writers.map(|writer| writer.join().unwrap()).concat();
            is_over.store(true, Ordering::Relaxed);
            beside.join().unwrap();
            added
        });
        let list = sandbox.run(&["list"]).ok();
        let lost: Vec<&String> = acknowledged.iter().filter(|text| !list.contains(*text)).collect();
        assert!(lost.is_empty(), "{step}: {lost:?}");
        assert!(list.contains(&canary(4)), "{step}: {list}");
        sandbox.run(&["rebuild", "-q"]).done();
        is_whole(&sandbox, step, step);
    }
}
