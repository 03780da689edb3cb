//! A project, a home and the program under test, apart from everything else on the machine.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    io::Write as _,
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, SystemTime},
};

use anyhow::{Context as _, Result, bail};

use crate::Found;

/// Files and empty directories by their path in a world.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Where a part is tried, and how much of it.
pub struct Scene {
    program: PathBuf,
    dir: PathBuf,
    pub runs: usize,
    pub seed: u64,
    worlds: AtomicUsize,
}

impl Scene {
    pub fn new(program: &Path, part: &str, runs: usize, seed: u64) -> Result<Self> {
        let memory = Path::new("/dev/shm");
        let temporary = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let dir = temporary.join(format!("pimem-proof-{}-{part}", std::process::id()));
        fs::create_dir_all(&dir)?;
        Ok(Self { program: program.to_owned(), dir, runs, seed, worlds: AtomicUsize::new(0) })
    }

    /// Makes a world with a git repository and nothing else.
    pub fn world(&self) -> Result<World> {
        let root = self.dir.join(self.worlds.fetch_add(1, Ordering::Relaxed).to_string());
        fs::create_dir_all(root.join("project"))?;
        fs::create_dir_all(root.join("home"))?;
        let world = World { root, program: self.program.clone() };
        let git =
            world.prepare(Command::new("git")).args(["init", "-q", "--template="]).status()?;
        if !git.success() {
            bail!("git init failed");
        }
        Ok(world)
    }

    /// Does the same with each of the items, on all processors.
    pub fn each<T: Sync>(
        &self,
        items: &[T],
        of: impl Fn(&T) -> Result<Found> + Sync,
    ) -> Result<Found> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut found = Found::default();
            while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                found = found.join(of(item)?);
            }
            Ok::<_, anyhow::Error>(found)
        };
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            let all: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            all.into_iter().try_fold(Found::default(), |found, worker| match worker.join() {
                Ok(more) => Ok(found.join(more?)),
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.dir));
    }
}

pub struct World {
    pub root: PathBuf,
    program: PathBuf,
}

#[derive(Debug)]
pub struct Done {
    /// The exit code; negative the signal that ended it.
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Done {
    pub fn of(output: Output) -> Self {
        let code = output.status.code();
        Self {
            code: code.unwrap_or_else(|| -output.status.signal().unwrap_or(1)),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Returns true if a process ended as none may.
    pub fn broke(&self) -> bool {
        self.code < 0 || self.code == 101 || self.err.contains("panicked")
    }
}

impl World {
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// Puts a shell script in the place of the program, which it calls `$PROGRAM`.
    pub fn wrap(&mut self, script: &str) -> Result<()> {
        let path = self.root.with_extension("sh");
        let program = self.program.display();
        // Written by a process of its own: what other threads start at this moment would hold a
        // file of this one open, and a program that is open for writing is not started.
        let mut write = Command::new("sh");
        write.args(["-c", "cat >\"$0\" && chmod 755 \"$0\""]).arg(&path);
        let text = format!("#!/bin/sh\nPROGRAM='{program}'\n{script}\n");
        let done = feed(write, text.as_bytes())?;
        if done.code != 0 {
            bail!("{}: {done:?}", path.display());
        }
        self.program = path;
        Ok(())
    }

    /// Removes its files.
    pub fn remove(self) {
        drop(fs::remove_dir_all(&self.root));
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Gives a command the directories of the world, and nothing of the caller's environment.
    pub fn prepare(&self, mut command: Command) -> Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.current_dir(self.project()).env_clear().env("PATH", path);
        command.env("HOME", self.root.join("home")).env("PIMEM_NOW", "2026-07-01T09:00:00Z");
        // Nothing goes on in the background.
        command.env("PIMEM_HOOK_REBUILD_MINUTES", "0").env("PIMEM_DREAM_ENABLED", "false");
        command.env("PIMEM_EMBEDDING_BACKGROUND", "false").env("PIMEM_EMBEDDING_MODEL", "static");
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("PIMEM_HOOK_DEADLINE_MS", "20000");
        for (name, dir) in [("CACHE", "cache"), ("STATE", "state"), ("DATA", "data")] {
            command.env(format!("XDG_{name}_HOME"), self.root.join(dir));
        }
        command.env("XDG_CONFIG_HOME", self.root.join("config"));
        command
    }

    pub fn run(&self, args: &[&str]) -> Result<Done> {
        self.feed(args, b"")
    }

    /// Runs the program with a line of words, in which `_` stands for a space.
    pub fn line(&self, line: &str) -> Result<Done> {
        self.feed_line(line, "")
    }

    pub fn feed_line(&self, line: &str, input: &str) -> Result<Done> {
        self.feed(&words(line), input.as_bytes())
    }

    /// Runs a line that has to succeed.
    pub fn must(&self, line: &str) -> Result<Done> {
        let done = self.line(line)?;
        if done.code != 0 {
            bail!("{line}: {done:?}");
        }
        Ok(done)
    }

    pub fn feed(&self, args: &[impl AsRef<OsStr>], input: &[u8]) -> Result<Done> {
        let mut command = self.prepare(Command::new(&self.program));
        command.args(args);
        feed(command, input)
    }

    /// Returns all files, with a last `/` the empty directories.
    pub fn files(&self) -> Result<Files> {
        let mut files = Files::new();
        let mut open = vec![self.root.clone()];
        while let Some(dir) = open.pop() {
            let mut empty = true;
            for entry in fs::read_dir(&dir)? {
                let entry = entry?;
                empty = false;
                let path = entry.path();
                if entry.file_type()?.is_dir() {
                    open.push(path);
                } else {
                    files.insert(self.name(&path)?, fs::read(&path)?);
                }
            }
            if empty {
                files.insert(format!("{}/", self.name(&dir)?), Vec::new());
            }
        }
        Ok(files)
    }

    /// Makes a file two hours old.
    pub fn age(&self, name: &str) -> Result<()> {
        let file = fs::File::options().append(true).open(self.root.join(name))?;
        Ok(file.set_modified(SystemTime::now() - Duration::from_hours(2))?)
    }

    fn name(&self, path: &Path) -> Result<String> {
        Ok(path.strip_prefix(&self.root)?.to_string_lossy().into_owned())
    }

    /// Makes the world hold these files and no others. Files that are so already are left alone.
    pub fn lay(&self, files: &Files) -> Result<()> {
        let now = self.files()?;
        for name in now.keys().filter(|name| !files.contains_key(*name)) {
            let path = self.root.join(name);
            if name.ends_with('/') {
                drop(fs::remove_dir(&path));
            } else {
                fs::remove_file(&path)?;
                // Directories that are left empty go too.
                for dir in path.ancestors().skip(1).take_while(|dir| *dir != self.root) {
                    if fs::remove_dir(dir).is_err() {
                        break;
                    }
                }
            }
        }
        for (name, bytes) in files.iter().filter(|(name, bytes)| now.get(*name) != Some(bytes)) {
            let path = self.root.join(name);
            if name.ends_with('/') {
                fs::create_dir_all(&path)?;
                continue;
            }
            fs::create_dir_all(path.parent().context("a file is in a directory")?)?;
            fs::write(&path, bytes)?;
        }
        for dir in ["project", "home"] {
            fs::create_dir_all(self.root.join(dir))?;
        }
        Ok(())
    }
}

/// Splits a line of words, in which `_` stands for a space.
pub fn words(line: &str) -> Vec<String> {
    line.split(' ').map(|word| word.replace('_', " ")).collect()
}

/// Runs a command with this standard input.
pub fn feed(mut command: Command, input: &[u8]) -> Result<Done> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take().context("standard input is piped")?;
    let input = input.to_vec();
    // A program may end without reading.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output()?;
    drop(writer.join());
    Ok(Done::of(output))
}
