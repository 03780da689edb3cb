//! Discovery: which store a command uses, by its working directory.

use std::fs;

use crate::common::sandbox::{Sandbox, outcome};

/// Creates a store with one entry in a directory of the sandbox.
fn store(sandbox: &Sandbox, dir: &str, text: &str) {
    let topics = sandbox.root().join(dir).join(".pi/memory/topics");
    fs::create_dir_all(&topics).unwrap();
    fs::write(topics.join("lessons.md"), format!("- [lesson] {text}\n")).unwrap();
}

fn dir(sandbox: &Sandbox, name: &str) {
    fs::create_dir_all(sandbox.root().join(name)).unwrap();
}

fn seen(sandbox: &Sandbox, dir: &str) -> Vec<String> {
    texts(&sandbox.run_in(dir, &["list"]).ok())
}

fn texts(list: &str) -> Vec<String> {
    let last = |line: &str| line.rsplit('\t').next().unwrap().to_owned();
    let mut texts: Vec<String> = list.lines().map(last).collect();
    texts.sort();
    texts
}

#[test]
fn the_nearest_ancestor() {
    let sandbox = Sandbox::new("empty");
    store(&sandbox, "project", "outer");
    store(&sandbox, "project/crates/inner", "inner");
    dir(&sandbox, "project/crates/inner/src/deep");
    dir(&sandbox, "project/crates/other");
    assert_eq!(seen(&sandbox, "project"), ["outer"]);
    assert_eq!(seen(&sandbox, "project/crates/other"), ["outer"]);
    assert_eq!(seen(&sandbox, "project/crates/inner/src/deep"), ["inner"]);
    // A file called `.pi/memory` is not a store.
    dir(&sandbox, "project/crates/other/.pi");
    fs::write(sandbox.root().join("project/crates/other/.pi/memory"), "").unwrap();
    assert_eq!(seen(&sandbox, "project/crates/other"), ["outer"]);
}

/// In a work tree every store on the way up counts, the nearest first, as instruction files do.
#[test]
fn all_stores_on_the_way_up() {
    let sandbox = Sandbox::new("empty");
    dir(&sandbox, "project/.git");
    dir(&sandbox, "project/packages/api/src");
    let (api, src) = ("project/packages/api", "project/packages/api/src");
    let at = |dir: &str, arguments: &[&str]| sandbox.run_in(dir, arguments).ok();
    at("project", &["init"]);
    at("project", &["add", "-c", "preference", "All packages use pnpm"]);
    at("project", &["add", "-c", "decision", "The server listens on port 9090"]);
    at("project", &["add", "-c", "lesson", "Locks are taken in the order of their names"]);
    at(api, &["--dir", ".pi/memory", "init"]);
    at(
        api,
        &["--now", "2026-06-20T00:00:00Z", "add", "-c", "preference", "Handlers return Result"],
    );
    at(src, &["add", "-c", "lesson", "Locks are taken in the order of their names"]);
    assert_eq!(
        at(src, &["report"]).lines().filter(|line| line.starts_with("- ")).collect::<Vec<_>>(),
        [
            "- Handlers return Result",
            "- All packages use pnpm",
            "- Locks are taken in the order of their names",
            "- The server listens on port 9090",
        ]
    );
    // The nearer store of those that hold an entry is the one that is changed.
    at(src, &["reinforce", "Locks are taken"]);
    let log = |dir: &str| {
        fs::read_to_string(sandbox.root().join(dir).join(".pi/memory/evidence.jsonl")).unwrap()
    };
    assert_eq!(
        (log(api).matches("reinforce").count(), log("project").matches("reinforce").count()),
        (1, 0)
    );
    at(src, &["reinforce", "All packages"]);
    assert_eq!(log("project").matches("reinforce").count(), 1);
    // What speaks for one text in two stores is added up.
    at("project", &["reinforce", "Locks are taken"]);
    assert!(at(src, &["why", "Locks are taken"]).contains("\nevidence         3\n"));
    assert!(at("project", &["why", "Locks are taken"]).contains("\nevidence         2\n"));
    // Where a line stands is said, and what a nearer store says counts instead of it there.
    let why = at(src, &["why", "All packages"]);
    assert!(why.contains("../../../.pi/memory/topics/preferences.md:"), "{why}");
    assert!(at(src, &["search", "pnpm"]).contains("All packages use pnpm (of ../../..)\n"));
    at(
        api,
        &[
            "--now",
            "2020-06-20T00:00:00Z",
            "add",
            "-c",
            "decision",
            "The server listens on port 8080",
        ],
    );
    let list = at(src, &["search", "which port does the server listen on"]);
    assert!(list.contains("port 9090 (of ../../..) (seems replaced by "), "{list}");
    assert!(!at("project", &["list"]).contains("8080"));
    // A forget hides only the line of its own store.
    let said = at(src, &["forget", "Locks are taken"]);
    assert!(said.contains("pimem --dir ../../../.pi/memory forget "), "{said}");
    assert!(at(src, &["list"]).contains("names (of ../../..)"));
    // Another work tree, and none at all, are projects of their own.
    dir(&sandbox, "project/packages/api/.git");
    assert!(!at(src, &["list"]).contains("pnpm"));
}

#[test]
fn a_ceiling_ends_the_walk() {
    let sandbox = Sandbox::new("empty");
    store(&sandbox, "project", "above");
    dir(&sandbox, "project/a/b/c");
    let seen_below = |ceilings: &str| {
        let mut command = sandbox.command(&["list"]);
        command.current_dir(sandbox.project().join("a/b/c"));
        let path = |name: &str| sandbox.project().join(name).display().to_string();
        let dirs: Vec<String> = ceilings.split(':').map(path).collect();
        texts(
            &outcome({
                command.env("PIMEM_CEILING_DIRS", dirs.join(":"));
                command
            })
            .ok(),
        )
    };
    assert_eq!(seen_below("unrelated"), ["above"]);
    assert_eq!(seen_below("a"), Vec::<String>::new());
    assert_eq!(seen_below("unrelated:a/b"), Vec::<String>::new());
    // As in git, the working directory is searched even if it is a ceiling, but no directory above
    // it.
    assert_eq!(seen_below("a/b/c"), ["above"]);
}

/// `.git` files written by hand, as in a linked work tree.
#[test]
fn a_linked_work_tree_by_hand() {
    let sandbox = Sandbox::new("empty");
    store(&sandbox, "project", "of the main work tree");
    dir(&sandbox, "project/.git/worktrees/side");
    dir(&sandbox, "side/src");
    let at = |name: &str| sandbox.root().join(name);
    fs::write(at("project/.git/worktrees/side/commondir"), "../..\n").unwrap();
    let link = format!("gitdir: {}\n", at("project/.git/worktrees/side").display());
    fs::write(at("side/.git"), link).unwrap();
    // A repository that does not know the work tree lends it nothing.
    assert_eq!(seen(&sandbox, "side/src"), Vec::<String>::new());
    let back = format!("{}\n", at("side/.git").display());
    fs::write(at("project/.git/worktrees/side/gitdir"), back).unwrap();
    assert_eq!(seen(&sandbox, "side/src"), ["of the main work tree"]);
    sandbox.run_in("side/src", &["add", "written from the side"]).ok();
    assert_eq!(seen(&sandbox, "project"), ["of the main work tree", "written from the side"]);
    // The work tree's own store comes first, beside what the main one has learned.
    store(&sandbox, "side", "of the side");
    let learned = "written from the side (on the main work tree, not merged)";
    assert_eq!(seen(&sandbox, "side/src"), ["of the side", learned]);
}

/// A directory can bring files that name any repository; that repository has to know it.
#[test]
fn a_forged_work_tree_reaches_no_other_store() {
    let sandbox = Sandbox::new("empty");
    sandbox.git("project", &["init", "-q"]);
    store(&sandbox, "project", "of somebody else");
    dir(&sandbox, "forged/gd");
    let at = |name: &str| sandbox.root().join(name);
    fs::write(at("forged/.git"), "gitdir: gd\n").unwrap();
    fs::write(at("forged/gd/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(at("forged/gd/commondir"), "../../project/.git\n").unwrap();
    fs::write(at("forged/gd/gitdir"), format!("{}\n", at("forged/.git").display())).unwrap();
    assert_eq!(seen(&sandbox, "forged"), Vec::<String>::new());
    sandbox.run_in("forged", &["add", "of the forged one"]).done();
    assert_eq!(seen(&sandbox, "project"), ["of somebody else"]);
    assert_eq!(seen(&sandbox, "forged"), ["of the forged one"]);
}

#[test]
fn a_git_file_that_leads_nowhere() {
    let sandbox = Sandbox::new("empty");
    store(&sandbox, "project", "outer");
    for (number, text) in
        ["", "gitdir:", "gitdir: ../nowhere", "gitdir: .", "nonsense\n", "gitdir: /"]
            .into_iter()
            .enumerate()
    {
        let name = format!("project/odd{number}");
        dir(&sandbox, &name);
        fs::write(sandbox.root().join(&name).join(".git"), text).unwrap();
        let done = sandbox.run_in(&name, &["list"]);
        assert_eq!(done.code, 0, "{text:?}: {}", done.stderr);
    }
    assert_eq!(seen(&sandbox, "project/odd2"), ["outer"], "a broken link anchors nothing");
}

#[test]
fn real_work_trees() {
    let sandbox = Sandbox::new("empty");
    sandbox.git("project", &["init", "-q"]);
    dir(&sandbox, "project/src");
    let done = sandbox.run_in("project/src", &["add", "first"]);
    assert_eq!(done.code, 0);
    let created = sandbox.normal(&done.stderr);
    assert_eq!(created, "Created a project store in $STORE\n", "at the work tree's root");
    sandbox.git("project", &["add", "."]);
    sandbox.git("project", &["commit", "-qm", "one"]);
    assert!(!sandbox.git("project", &["ls-files"]).contains("lock"));
    // The linked work tree has checked out a store of its own; remove it.
    sandbox.git("project", &["worktree", "add", "-q", "../side"]);
    assert_eq!(seen(&sandbox, "side"), ["first"]);
    fs::remove_dir_all(sandbox.root().join("side/.pi")).unwrap();
    assert_eq!(seen(&sandbox, "side"), ["first"]);
    sandbox.run_in("side", &["add", "second"]).ok();
    assert_eq!(seen(&sandbox, "project"), ["first", "second"]);
    // Without any store, it is created in the main work tree, which all share.
    fs::remove_dir_all(sandbox.root().join("project/.pi")).unwrap();
    let done = sandbox.run_in("side", &["init"]).ok();
    assert_eq!(sandbox.normal(&done), "Initialized project store in $STORE\n");
}

#[test]
fn a_submodule_is_a_project_of_its_own() {
    let sandbox = Sandbox::new("empty");
    for repository in ["library", "project"] {
        dir(&sandbox, repository);
        sandbox.git(repository, &["init", "-q"]);
        fs::write(sandbox.root().join(repository).join("file"), repository).unwrap();
        sandbox.git(repository, &["add", "."]);
        sandbox.git(repository, &["commit", "-qm", "one"]);
    }
    store(&sandbox, "project", "of the superproject");
    sandbox.git("project", &["submodule", "--quiet", "add", "../library", "lib"]);
    dir(&sandbox, "project/lib/src");
    assert_eq!(seen(&sandbox, "project/lib/src"), Vec::<String>::new());
    let done = sandbox.run_in("project/lib/src", &["add", "of the library"]);
    let created = sandbox.normal(&done.stderr);
    assert_eq!(created, "Created a project store in $PROJECT/lib/.pi/memory\n");
    assert_eq!(seen(&sandbox, "project/lib/src"), ["of the library"]);
    assert_eq!(seen(&sandbox, "project"), ["of the superproject"]);
}

#[test]
fn a_work_tree_of_a_submodule() {
    let sandbox = Sandbox::new("empty");
    for repository in ["library", "project"] {
        dir(&sandbox, repository);
        sandbox.git(repository, &["init", "-q"]);
        sandbox.git(repository, &["commit", "-qm", "one", "--allow-empty"]);
    }
    sandbox.git("project", &["submodule", "--quiet", "add", "../library", "lib"]);
    sandbox.git("project/lib", &["worktree", "add", "-q", "../../side"]);
    let done = sandbox.run_in("side", &["add", "one"]);
    assert_eq!(sandbox.normal(&done.stderr), "Created a project store in $ROOT/side/.pi/memory\n");
    assert_eq!(seen(&sandbox, "side"), ["one"]);
}

/// A new store would stand where git has files of another, and its commit would delete these.
#[test]
fn a_sparse_checkout_without_the_store() {
    let sandbox = Sandbox::new("empty");
    sandbox.git("project", &["init", "-q"]);
    sandbox.run(&["add", "one"]).done();
    dir(&sandbox, "project/web");
    fs::write(sandbox.root().join("project/web/page"), "text").unwrap();
    sandbox.commit("project");
    sandbox.git("project", &["sparse-checkout", "set", "web"]);
    sandbox.run(&["list"]).done();
    let says = "git leaves .pi/memory out of this sparse checkout";
    let fix = "git sparse-checkout add .pi/memory";
    for command in [&["add", "two"][..], &["init"]] {
        let refused = sandbox.run(command).refused();
        assert_eq!(refused, format!("pimem: {says}\nhint: {fix}\n"));
    }
    assert!(sandbox.run(&["check"]).stdout.contains(says));
    assert!(
        sandbox.run(&["status"]).stdout.starts_with(&format!("project store    {says}: git\n"))
    );
    sandbox.git("project", &["sparse-checkout", "add", ".pi/memory"]);
    assert_eq!(seen(&sandbox, "project"), ["one"]);
    sandbox.run(&["add", "two"]).done();
    // The list of what is left out stays when all is checked out again.
    sandbox.git("project", &["sparse-checkout", "disable"]);
    fs::remove_dir_all(sandbox.root().join("project/.pi")).unwrap();
    sandbox.run(&["add", "three"]).done();
}

#[test]
fn a_work_tree_of_a_bare_repository() {
    let sandbox = Sandbox::new("empty");
    sandbox.git("", &["init", "-q", "--bare", "bare.git"]);
    let tree = sandbox.git("bare.git", &["hash-object", "-t", "tree", "-w", "/dev/null"]);
    let commit = sandbox.git("bare.git", &["commit-tree", "-m", "one", tree.trim()]);
    sandbox.git("bare.git", &["worktree", "add", "-q", "../side", commit.trim()]);
    dir(&sandbox, "side/src");
    assert_eq!(seen(&sandbox, "side/src"), Vec::<String>::new());
    let done = sandbox.run_in("side/src", &["add", "one"]);
    assert_eq!(sandbox.normal(&done.stderr), "Created a project store in $ROOT/side/.pi/memory\n");
    assert!(!sandbox.root().join(".pi").exists() && !sandbox.root().join("bare.git/.pi").exists());
}

#[test]
fn a_store_by_name() {
    let sandbox = Sandbox::new("empty");
    store(&sandbox, "project", "here");
    store(&sandbox, "other", "there");
    let there = sandbox.root().join("other/.pi/memory").display().to_string();
    assert_eq!(texts(&sandbox.run(&["--dir", &there, "list"]).ok()), ["there"]);
    assert_eq!(texts(&sandbox.run(&["list", "--dir", "../other/.pi/memory"]).ok()), ["there"]);
    let mut command = sandbox.command(&["list"]);
    command.env("PIMEM_DIR", &there);
    assert_eq!(texts(&outcome(command).ok()), ["there"]);
    // The flag overrides the variable; an empty variable counts as unset.
    let mut command = sandbox.command(&["list", "--dir", ".pi/memory"]);
    command.env("PIMEM_DIR", &there);
    assert_eq!(texts(&outcome(command).ok()), ["here"]);
    let mut command = sandbox.command(&["list"]);
    command.env("PIMEM_DIR", "");
    assert_eq!(texts(&outcome(command).ok()), ["here"]);
    // Writers create the store, readers do not.
    assert!(sandbox.run(&["--dir", "new", "list"]).refused().contains("no store at new"));
    let done = sandbox.run(&["--dir", "new/store", "add", "made"]);
    assert_eq!((done.code, done.stderr.contains("Created a project store")), (0, true));
    assert!(sandbox.project().join("new/store/topics/lessons.md").is_file());
}

#[test]
fn the_user_store() {
    let sandbox = Sandbox::new("empty");
    store(&sandbox, "project", "ours");
    sandbox.trust();
    let done = sandbox.run(&["--user", "add", "mine"]);
    assert_eq!(sandbox.normal(&done.stderr), "Created a user store in $HOME/.pi/agent/memory\n");
    sandbox.run(&["--user", "add", "ours"]).ok();
    let list = |args: &[&str]| texts(&sandbox.run(&[&["list"], args].concat()).ok());
    // The project's entry wins if both stores have it.
    assert_eq!(list(&[]), ["mine (yours)", "ours"]);
    assert_eq!(list(&["--scope", "all"]), ["mine (yours)", "ours"]);
    assert_eq!(list(&["--scope", "user"]), ["mine", "ours"]);
    assert_eq!(list(&["--scope", "project"]), ["ours"]);
    assert_eq!(list(&["--user"]), ["mine", "ours"]);
    assert_eq!(sandbox.entries()["ours"]["scope"], "project");
    // Outside any project, only the user's store is used.
    dir(&sandbox, "elsewhere");
    assert_eq!(seen(&sandbox, "elsewhere"), ["mine", "ours"]);
    // Entries of the user's store are changed there.
    sandbox.run(&["pin", "mine"]).ok();
    let mine = fs::read_to_string(sandbox.home().join(".pi/agent/memory/topics/lessons.md"));
    assert!(mine.unwrap().contains("- [lesson] mine *(pinned)*\n"));
    // A variable names another user store.
    let mut command = sandbox.command(&["list", "--user"]);
    command.env("PIMEM_USER_DIR", sandbox.store());
    assert_eq!(texts(&outcome(command).ok()), ["ours"]);
}

#[test]
fn the_home_directory_is_no_project() {
    let sandbox = Sandbox::new("empty");
    store(&sandbox, "home", "stray");
    dir(&sandbox, "home/work/deep");
    for place in ["home", "home/work/deep"] {
        assert_eq!(seen(&sandbox, place), Vec::<String>::new());
    }
    let stderr = sandbox.run_in("home", &["add", "x"]).refused();
    assert!(stderr.starts_with("pimem: the home directory is not a project\nhint: use --user"));
    sandbox.run_in("home", &["init"]).refused();
    // Also if the home directory is reached by a link.
    let link = sandbox.root().join("home-link");
    std::os::unix::fs::symlink(sandbox.home(), &link).unwrap();
    let mut command = sandbox.command(&["add", "x"]);
    command.env("HOME", &link).current_dir(sandbox.home());
    crate::common::sandbox::outcome(command).refused();
    // Also if it is a git repository, as with dotfiles.
    sandbox.git("home", &["init", "-q"]);
    sandbox.run_in("home", &["add", "x"]).refused();
    let done = sandbox.run_in("home/work/deep", &["add", "x"]);
    let made = sandbox.normal(&done.stderr);
    assert_eq!(made, "Created a project store in $HOME/work/deep/.pi/memory\n");
    let stray = fs::read_to_string(sandbox.home().join(".pi/memory/topics/lessons.md")).unwrap();
    assert_eq!(stray, "- [lesson] stray\n");
    // A user store in the same directory is allowed.
    sandbox.run_in("home", &["--user", "add", "mine"]).done();
    assert_eq!(seen(&sandbox, "home"), ["mine"]);
}

#[test]
fn init_is_idempotent() {
    let sandbox = Sandbox::new("empty");
    assert!(sandbox.run(&["init"]).ok().starts_with("Initialized"));
    sandbox.run(&["add", "x"]).ok();
    sandbox.write(".gitignore", "lock\n# mine\n");
    let before = sandbox.tree();
    assert!(sandbox.run(&["init"]).ok().starts_with("Already"));
    dir(&sandbox, "project/below");
    assert!(sandbox.run_in("project/below", &["init"]).ok().starts_with("Already"));
    assert_eq!(sandbox.tree(), before);
    // Missing files are created again.
    fs::remove_file(sandbox.path(".gitignore")).unwrap();
    assert!(sandbox.run(&["init"]).ok().starts_with("Initialized"));
    assert!(sandbox.read(".gitignore").contains("memory-scores.json\n"));
}

#[test]
fn reading_without_a_store() {
    let sandbox = Sandbox::new("empty");
    for (args, code) in [
        (&["report"][..], 0),
        (&["report", "--prompt", "what now?"], 0),
        (&["list"], 0),
        (&["list", "--topics"], 0),
        (&["rebuild"], 0),
        (&["search", "x"], 1),
    ] {
        let done = sandbox.run(args);
        assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (code, "", ""));
    }
    assert_eq!(sandbox.run(&["why", "x"]).code, 2);
    assert_eq!(sandbox.run(&["pin", "x"]).code, 2);
    assert!(sandbox.tree().is_empty(), "no reader makes anything");
}
