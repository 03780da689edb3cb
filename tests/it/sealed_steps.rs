//! Sealing, another key and the way back are interrupted at any moment: nothing is lost, nothing
//! is half, and the next process goes on.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
};

use crate::{
    common::{
        every,
        sandbox::Sandbox,
        trace::{self, traced},
    },
    faults::{CHANGES, points, strike},
    hooks::piped,
    sealed::{answers, canary, leaks, seal},
};

fn store() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    for line in [
        format!("add The {} is built by {}", canary(1), canary(2)),
        format!("add -c decision --pin Ship {} weekly", canary(3)),
        format!("log met {}", canary(4)),
        format!("note {} runs the server", canary(5)),
        format!("todo add ask {}", canary(6)),
        format!("search {}", canary(1)),
        "rebuild -q".to_owned(),
    ] {
        sandbox.run(&line.split(' ').collect::<Vec<_>>()).done();
    }
    sandbox
}

/// Every file of a sandbox with its mode.
struct Kept {
    root: PathBuf,
    files: BTreeMap<String, (Vec<u8>, u32)>,
}

impl Kept {
    fn of(sandbox: &Sandbox) -> Self {
        let root = sandbox.root().to_path_buf();
        let mode = |name: &str| fs::metadata(root.join(name)).unwrap().permissions().mode();
        let files = sandbox.everything().into_iter();
        let files = files.map(|(name, bytes)| (name.clone(), (bytes, mode(&name)))).collect();
        Self { root, files }
    }

    fn put_back(&self) {
        for entry in fs::read_dir(&self.root).unwrap() {
            let path = entry.unwrap().path();
            drop((fs::remove_file(&path), fs::remove_dir_all(&path)));
        }
        for dir in ["project", "home", "cache"] {
            fs::create_dir_all(self.root.join(dir)).unwrap();
        }
        for (name, (bytes, mode)) in &self.files {
            let path = self.root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, bytes).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
        }
    }
}

/// Returns the files that have a sealed line.
fn sealed_files(sandbox: &Sandbox) -> Vec<String> {
    let files = sandbox.everything().into_iter();
    let sealed = files.filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains("enc:v1:"));
    sealed.map(|(name, _)| name).filter(|name| name != "trace").collect()
}

/// Checks that a step was done to its end.
fn is_done(sandbox: &Sandbox, step: &str, what: &str) {
    if step == "decrypt" {
        assert_eq!(sealed_files(sandbox), Vec::<String>::new(), "{what}");
        assert!(!sandbox.path("store.json").exists(), "{what}");
        return;
    }
    assert_eq!(leaks(sandbox), Vec::<String>::new(), "{what}");
    let status = sandbox.run(&["encrypt", "status"]);
    assert_eq!(status.code, 0, "{what}: {status:?}");
    let key = status.stdout.split("Key ").nth(1).and_then(|rest| rest.get(..8)).unwrap();
    // A token begins with the id of its key: 4 bytes are 5 characters of base64, and a part.
    let files = sealed_files(sandbox).into_iter();
    let keys: BTreeSet<(String, String)> = files
        .flat_map(|name| {
            let text = fs::read_to_string(sandbox.root().join(&name)).unwrap_or_default();
            let tokens = text.split("enc:v1:").skip(1);
            tokens.map(|token| (token[..5].to_owned(), name.clone())).collect::<Vec<_>>()
        })
        .collect();
    let of_keys: BTreeSet<&String> = keys.iter().map(|(key, _)| key).collect();
    assert_eq!(of_keys.len(), 1, "{what}: {key}: {keys:#?}");
}

fn prepared(step: &str) -> Sandbox {
    let sandbox = store();
    if step != "init" {
        seal(&sandbox);
    }
    sandbox
}

#[test]
fn a_step_is_killed() {
    if !trace::is_there() {
        return;
    }
    for step in ["init", "rotate", "decrypt"] {
        let sandbox = prepared(step);
        let (kept, want) = (Kept::of(&sandbox), answers(&sandbox));
        kept.put_back();
        let (done, calls) = trace::calls(&sandbox, CHANGES, &["encrypt", step], "");
        assert_eq!(done.code, 0, "{done:?}");
        is_done(&sandbox, step, "undisturbed");
        let points = points(&sandbox, &calls, "O_CREAT");
        assert!(points.len() > 30, "{step}: {}", points.len());
        for point in points.iter().step_by(every(4)) {
            kept.put_back();
            let what = format!("{step} killed at {point}");
            let done = strike(&sandbox, point, "signal=SIGKILL", &["encrypt", step]);
            assert_eq!(done.code, -1, "{what}: {done:?}");
            assert_eq!(answers(&sandbox), want, "{what}");
            sandbox.run(&["add", "After", "all", "that"]).done();
            // Before the first change there is nothing to go on with, and after the last neither.
            let again = sandbox.run(&["encrypt", step]);
            let is_over = step == "decrypt" && again.stderr.contains("is not sealed");
            assert!(again.code == 0 || is_over, "{what}: {again:?}");
            is_done(&sandbox, step, &what);
            let list = sandbox.run(&["list"]).ok();
            assert!(list.contains("After all that") && list.contains(&canary(3)), "{what}: {list}");
            assert_eq!(sandbox.litter(), Vec::<String>::new(), "{what}");
        }
        println!("{step}: {} kills", points.len());
    }
}

#[test]
fn the_disk_is_full_in_the_middle() {
    if !trace::is_there() {
        return;
    }
    for step in ["init", "rotate", "decrypt"] {
        let sandbox = prepared(step);
        let (kept, want) = (Kept::of(&sandbox), answers(&sandbox));
        let (_, calls) = trace::calls(&sandbox, "write", &["encrypt", step], "");
        let writes = calls.iter().filter(|call| call.file().is_some_and(|f| f.starts_with('/')));
        for number in 1..=writes.count() {
            kept.put_back();
            let what = format!("{step}: nothing is written from the write {number} on");
            let inject = format!("inject=write:error=ENOSPC:when={number}+");
            let done = piped(
                traced(&sandbox, &["-e", "trace=write", "-e", &inject], &["encrypt", step]),
                "",
            );
            assert!(!done.stderr.contains("panicked"), "{what}: {done:?}");
            assert_eq!(answers(&sandbox), want, "{what}");
            let again = sandbox.run(&["encrypt", step]);
            assert!(again.code == 0 || again.stderr.contains("is not sealed"), "{what}: {again:?}");
            is_done(&sandbox, step, &what);
        }
    }
}

#[test]
fn a_former_key_opens_what_git_brings_back() {
    let sandbox = store();
    seal(&sandbox);
    let old = sandbox.read("topics/lessons.md");
    sandbox.run(&["encrypt", "rotate"]).done();
    let new = sandbox.read("topics/lessons.md");
    assert!(old != new);
    fs::write(sandbox.path("topics/lessons.md"), &old).unwrap();
    let listed = sandbox.run(&["list"]).ok();
    assert!(listed.contains(&canary(1)), "{listed}");
    assert_eq!(sandbox.run(&["encrypt", "status"]).code, 1);
    sandbox.run(&["add", "Another"]).done();
    is_done(&sandbox, "rotate", "after a write");
    // What was begun is ended before another key is made.
    let keys = || fs::read_dir(sandbox.root().join("config/pimem/keys")).unwrap().count();
    assert_eq!(keys(), 2);
    fs::write(sandbox.path("topics/lessons.md"), &old).unwrap();
    sandbox.run(&["encrypt", "rotate"]).done();
    assert_eq!(keys(), 2);
    sandbox.run(&["encrypt", "rotate"]).done();
    assert_eq!(keys(), 3);
}

#[test]
fn where_the_key_is_can_be_set() {
    let sandbox = store();
    let config = sandbox.home().join(".pi/agent/memory.json");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "{\"encryption\": {\"keyPath\": \"~/keys/all.key\"}}").unwrap();
    seal(&sandbox);
    let file = sandbox.home().join("keys/all.key");
    assert_eq!(fs::read(&file).unwrap().len(), 32);
    let want = answers(&sandbox);
    // Both stores may share one file: a store's key is derived from it.
    sandbox.run(&["add", "--user", "One of mine"]).done();
    sandbox.run(&["encrypt", "init", "--user"]).done();
    assert_ne!(answers(&sandbox), want);
    sandbox.run(&["encrypt", "rotate"]).done();
    let list = sandbox.run(&["list"]).ok();
    assert!(list.contains("One of mine") && list.contains(&canary(1)), "{list}");
    // A project cannot name it.
    sandbox.configure("{\"encryption\": {\"keyPath\": \"/nowhere\"}}");
    let said = sandbox.run(&["list"]);
    assert!(said.stdout.contains("One of mine") && said.stderr.contains("encryption.keyPath"));
}
