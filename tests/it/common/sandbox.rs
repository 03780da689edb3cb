//! The sandbox: a project, a home directory and a cache.
//!
//! The program gets an empty environment except for the variables set here. A sandbox is removed
//! when its test passes, and kept for inspection when it fails.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::Value;

/// Time in all sandboxes.
pub(crate) const NOW: &str = "2026-06-30T18:00:00Z";
/// The program under test: this build's, or what starts one of another target.
pub(crate) const PIMEM: &str = match option_env!("PIMEM_TEST_PROGRAM") {
    Some(program) => program,
    None => env!("CARGO_BIN_EXE_pimem"),
};

#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Exit code; -1 after a signal.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// Requires exit code 0 and empty stderr; returns stdout.
    pub(crate) fn ok(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{}", self.stdout);
        self.stdout
    }

    /// Requires exit code 0; returns stdout.
    pub(crate) fn done(self) -> String {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self.stdout
    }

    /// Requires exit code 2 and empty stdout; returns stderr.
    pub(crate) fn refused(self) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (2, ""), "{}", self.stderr);
        self.stderr
    }

    /// Requires success; parses stdout as a JSON document.
    pub(crate) fn json(self) -> Value {
        serde_json::from_str(&self.ok()).expect("stdout is one JSON document")
    }
}

/// Settings of the time after which an answer is given without what is not ready.
pub(crate) const DEADLINES: [&str; 2] = ["PIMEM_HOOK_DEADLINE_MS", "PIMEM_EMBEDDING_DEADLINE_MS"];

/// Returns the directory of all sandboxes: in memory where that has room, as a store waits for the
/// disk at each change.
fn sandboxes() -> &'static Path {
    static DIR: LazyLock<PathBuf> = LazyLock::new(|| {
        let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        // One directory a target directory, as each may be removed.
        let name = target.to_string_lossy().replace('/', "-");
        let memory = Path::new("/dev/shm").join(format!("pimem{name}"));
        let dir = if has_room("/dev/shm") && fs::create_dir_all(&memory).is_ok() {
            memory
        } else {
            target
        };
        // The work tree around it is not that of a sandbox.
        fs::write(dir.join(".git"), "").unwrap();
        dir
    });
    &DIR
}

/// Returns true if programs can be run there, and a gigabyte is free.
fn has_room(dir: &str) -> bool {
    use rustix::fs::{StatVfsMountFlags, statvfs};

    statvfs(dir).is_ok_and(|found| {
        !found.f_flag.contains(StatVfsMountFlags::NOEXEC)
            && found.f_bavail.saturating_mul(found.f_frsize) >= 1 << 30
    })
}

/// A directory with `project`, `home` and `cache`.
pub(crate) struct Sandbox {
    root: PathBuf,
    /// False if the table is the only model.
    by_default_model: bool,
}

impl Sandbox {
    /// Creates a sandbox whose project is a copy of `fixtures/stores/NAME` that counts as written
    /// here. `empty` has no store.
    pub(crate) fn new(fixture: &str) -> Self {
        let sandbox = Self::cloned(fixture);
        sandbox.trust();
        sandbox
    }

    /// Creates a sandbox whose project is a copy of `fixtures/stores/NAME` that counts as cloned.
    pub(crate) fn cloned(fixture: &str) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("it-{}-{number}", std::process::id());
        let root = sandboxes().join(name);
        // An earlier failed test may have left a directory of this name.
        drop(fs::remove_dir_all(&root));
        for dir in ["project", "home", "cache"] {
            fs::create_dir_all(root.join(dir)).unwrap();
        }
        let root = fs::canonicalize(root).unwrap();
        if fixture != "empty" {
            let from = super::repository().join("fixtures/stores").join(fixture);
            copy_tree(&from, &root.join("project"));
        }
        Self { root, by_default_model: false }
    }

    /// Searches go by the transformer too. Without this they go by the table alone, since a test is
    /// rarely about vectors, which take most of its time.
    pub(crate) fn by_default_model(mut self) -> Self {
        self.by_default_model = true;
        self
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.project().join(".pi/memory")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.store().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        let path = self.path(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Trusts the content of the project's store as if written here.
    pub(crate) fn trust(&self) {
        if self.store().is_dir() {
            let done = self.run(&["trust", "--all"]);
            // Unreadable files cannot be trusted; they are what the test is about.
            assert!(done.code == 0 || done.stderr.contains("hint"), "{done:?}");
        }
    }

    /// Writes a file of the store, as the user's editor would, and trusts the store.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), bytes).unwrap();
        if name.starts_with("topics/") {
            self.trust();
        }
    }

    /// Writes a file of the store, as another person would: see [`Sandbox::arrives`].
    pub(crate) fn plant(&self, name: &str, bytes: impl AsRef<[u8]>) {
        self.arrives(|project| {
            let path = project.join(".pi/memory").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        });
    }

    /// Adds mirrors as a sync would leave them: a copy of `fixtures/mirrors`.
    pub(crate) fn mirror(&self) -> PathBuf {
        let mirrors = self.root.join("share/pimem/mirrors");
        copy_tree(&super::repository().join("fixtures/mirrors"), &mirrors);
        mirrors.join("team.example")
    }

    pub(crate) fn configure(&self, text: &str) {
        fs::create_dir_all(self.project().join(".pi")).unwrap();
        fs::write(self.project().join(".pi/memory.json"), text).unwrap();
    }

    /// Sets up environment and working directory of a program.
    pub(crate) fn place(&self, command: &mut Command) {
        command
            .env_clear()
            .env("HOME", self.home())
            .env("XDG_CACHE_HOME", self.cache())
            .env("XDG_CONFIG_HOME", self.root.join("config"))
            .env("XDG_STATE_HOME", self.root.join("state"))
            .env("XDG_DATA_HOME", self.root.join("share"))
            .env("TMPDIR", &self.root)
            .env("PIMEM_NOW", NOW)
            .env("PIMEM_CEILING_DIRS", &self.root)
            .env("GIT_CEILING_DIRECTORIES", &self.root)
            .env("COLUMNS", "100")
            .env("TZ", "UTC")
            // Nothing is embedded in the background.
            .env("CI", "true")
            // A busy machine gets enough time.
            .envs(DEADLINES.map(|name| (name, "20000")))
            .current_dir(self.project());
        if !self.by_default_model {
            command.env("PIMEM_EMBEDDING_MODEL", "static");
        }
    }

    /// Prepares the program with these arguments.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PIMEM);
        self.place(&mut command);
        command.args(args);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        outcome(self.command(args))
    }

    /// Runs the program in a directory of the sandbox.
    pub(crate) fn run_in(&self, dir: impl AsRef<Path>, args: &[&str]) -> Outcome {
        let mut command = self.command(args);
        command.current_dir(self.root.join(dir));
        outcome(command)
    }

    /// Runs the program with this standard input.
    pub(crate) fn pipe(&self, args: &[&str], input: impl AsRef<[u8]>) -> Outcome {
        let mut command = assert_cmd::Command::from_std(self.command(args));
        finish(command.write_stdin(input.as_ref()).output().unwrap())
    }

    /// Runs a shell command in the project, with `pimem` in the path.
    pub(crate) fn shell(&self, line: &str) -> Outcome {
        let mut command = Command::new("/bin/sh");
        self.place(&mut command);
        let here = Path::new(PIMEM).parent().unwrap().display();
        command.env("PATH", format!("{here}:/usr/bin:/bin")).args(["-c", line]);
        outcome(command)
    }

    /// Runs git in a directory of the sandbox, with only the settings given here, and requires
    /// success.
    pub(crate) fn git(&self, dir: impl AsRef<Path>, args: &[&str]) -> String {
        let done = self.try_git(dir, args);
        assert_eq!(done.code, 0, "git {args:?}: {}{}", done.stdout, done.stderr);
        done.stdout
    }

    /// Runs git as [`Sandbox::git`] does, whatever the exit code. Programs that git starts find
    /// `pimem` in the path.
    pub(crate) fn try_git(&self, dir: impl AsRef<Path>, args: &[&str]) -> Outcome {
        let mut command = Command::new("git");
        self.place(&mut command);
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let here = Path::new(PIMEM).parent().unwrap().to_path_buf();
        let paths = std::iter::once(here).chain(std::env::split_paths(&paths));
        command.env("PATH", std::env::join_paths(paths).unwrap());
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Test");
            command.env(format!("GIT_{role}_EMAIL"), "test@example.org");
            command.env(format!("GIT_{role}_DATE"), NOW);
        }
        command.args(["-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"]);
        command.args(args).current_dir(self.root.join(dir));
        outcome(command)
    }

    /// Returns every file of the project with its bytes, except the lock.
    pub(crate) fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        collect(&self.project(), &self.project(), &mut found);
        found.retain(|name, _| !name.ends_with(".pi/memory/lock"));
        found
    }

    /// Returns every file of the sandbox with its bytes, keyed by relative path.
    pub(crate) fn everything(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        collect(&self.root, &self.root, &mut found);
        found
    }

    /// Returns the names of temporary files in the project.
    pub(crate) fn litter(&self) -> Vec<String> {
        self.tree().into_keys().filter(|name| name.contains(".pimem-tmp-")).collect()
    }

    /// Replaces the sandbox's paths in `text` by names.
    pub(crate) fn normal(&self, text: &str) -> String {
        text.replace(&*self.store().to_string_lossy(), "$STORE")
            .replace(&*self.project().to_string_lossy(), "$PROJECT")
            .replace(&*self.home().to_string_lossy(), "$HOME")
            .replace(&*self.root.to_string_lossy(), "$ROOT")
    }

    /// Returns the entries of `list --json`, by text.
    pub(crate) fn entries(&self) -> BTreeMap<String, Value> {
        let list = self.run(&["list", "--json"]).json();
        let text = |entry: &Value| entry["text"].as_str().unwrap().to_owned();
        list["entries"].as_array().unwrap().iter().map(|e| (text(e), e.clone())).collect()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            drop(fs::remove_dir_all(&self.root));
        }
    }
}

pub(crate) fn outcome(command: Command) -> Outcome {
    finish(assert_cmd::Command::from_std(command).output().unwrap())
}

pub(crate) fn finish(output: std::process::Output) -> Outcome {
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
    }
}

/// Copies a directory and makes its files writable.
pub(crate) fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (entry, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if entry.is_dir() {
            copy_tree(&entry, &to.join(name));
        } else {
            fs::write(to.join(name), fs::read(entry).unwrap()).unwrap();
        }
    }
}

fn collect(root: &Path, dir: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        match path.symlink_metadata().unwrap() {
            meta if meta.is_dir() => collect(root, &path, found),
            meta if meta.is_symlink() => {
                let target = fs::read_link(&path).unwrap();
                found.insert(name, target.to_string_lossy().into_owned().into_bytes());
            }
            // A huge file is compared by its length.
            meta if meta.len() > 1 << 20 => {
                found.insert(name, meta.len().to_string().into_bytes());
            }
            _ => {
                found.insert(name, fs::read(&path).unwrap_or_default());
            }
        }
    }
}
