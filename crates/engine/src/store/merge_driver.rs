//! The git merge driver: merging one file, and enabling the driver in a repository.
//!
//! It is enabled in `.git`, for this machine only. Committed attributes do not name the driver,
//! because git leaves conflict markers if the named driver is not configured.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use pimem_core::markdown::merge::{self, MergeKind};

use super::{
    LockError, StoreLock,
    atomic::{self, Sync},
    discover::Places,
    git, read,
    seal::Seal,
};

/// Command that git runs with base, ours, theirs, and the path in the repository.
pub const COMMAND: &str = "pimem merge-driver %O %A %B %P";
/// Git setting that holds the command.
pub const SETTING: &str = "merge.pimem.driver";
/// Patterns of store files that are merged.
const FILES: [&str; 6] =
    ["evidence.jsonl", "topics/*.md", "archive/*.md", "daily/*.md", "MEMORY.md", "SCRATCHPAD.md"];
const BEGIN: &str = "# pimem merge-driver --install";
const END: &str = "# end of pimem";
/// Exit code of `git config` for a setting that does not exist.
const NOT_SET: i32 = 5;

/// Returns the directory of the store that a path in the repository belongs to.
pub fn store_of(path: &Path) -> Option<&Path> {
    let dir = path.parent()?;
    let is_folder = dir.file_name().is_some_and(|name| {
        ["topics", "archive", "daily", "observations"].iter().any(|folder| name == *folder)
    });
    if is_folder { dir.parent() } else { Some(dir) }
}

/// Merges three versions and writes the result to `ours`. In a sealed store they are opened, and
/// lines keep the bytes that one of the sides has; without its key, the sealed lines are merged.
pub fn merge(versions: [&Path; 3], path: Option<&str>, seal: &Seal) -> Result<()> {
    let [_, ours, _] = versions;
    let mut bytes = Vec::new();
    for version in versions {
        let dir = version.parent().unwrap_or(Path::new(""));
        let is_log = path.is_some_and(|path| MergeKind::of(Some(path), [b""; 3]) == MergeKind::Log);
        let limit = if is_log { read::MAX_LOG } else { read::MAX_FILE };
        let found = read::file(dir, version, limit)?;
        bytes.push(found.with_context(|| format!("there is no file {}", version.display()))?);
    }
    let [base, mine, theirs] = bytes.as_slice() else { bail!("three versions are merged") };
    let sides = seal.open_past(base.clone()).and_then(|base| {
        Ok([base, seal.open_past(mine.clone())?, seal.open_past(theirs.clone())?])
    });
    let [base, left, right] =
        sides.unwrap_or_else(|_| [base.clone(), mine.clone(), theirs.clone()]);
    let kind = MergeKind::of(path, [&base, &left, &right]);
    let merged = merge::merge(kind, &base, &left, &right);
    let merged = seal.sealed_of(path, merged, &[mine, theirs])?;
    if merged != *mine {
        let same = || Ok(std::fs::read(ours).ok().as_deref() == Some(mine));
        if !atomic::replace_file(ours, &merged, Sync::None, same)? {
            bail!("{} changed while it was merged", ours.display());
        }
    }
    Ok(())
}

/// A repository in which the driver is enabled or disabled.
pub struct Repository {
    root: PathBuf,
    attributes: PathBuf,
    patience: Duration,
}

impl Repository {
    /// Returns the repository of the working directory. Concurrent changes are waited for up to
    /// `patience`.
    pub fn of(places: &Places, patience: Duration) -> Option<Self> {
        let found = places.ancestors().find_map(|dir| Some((dir, git::common_dir(dir)?)));
        let (root, git) = found?;
        Some(Self { root: root.to_path_buf(), attributes: git.join("info/attributes"), patience })
    }

    /// Returns the path of `info/attributes`, which is local to this machine.
    pub fn attributes(&self) -> &Path {
        &self.attributes
    }

    /// Enables the driver. Returns true if the attributes changed.
    pub fn install(&self) -> Result<bool> {
        // The command comes first: attributes that name a driver without a command leave conflict
        // markers.
        self.config(&[SETTING, COMMAND])?;
        self.write(&lines())
    }

    /// Disables the driver. Returns true if the attributes changed.
    pub fn uninstall(&self) -> Result<bool> {
        let changed = self.write("")?;
        self.config(&["--unset-all", SETTING])?;
        Ok(changed)
    }

    fn config(&self, args: &[&str]) -> Result<()> {
        let mut git = Command::new("git");
        git.args(["config", "--local"]).args(args).current_dir(&self.root).stdin(Stdio::null());
        let output = git.output().context("cannot run git")?;
        let unset = args.len() == 2 && output.status.code() == Some(NOT_SET);
        if !output.status.success() && !unset {
            bail!("git config failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(())
    }

    /// Replaces our lines in the attributes file and leaves the rest unchanged.
    fn write(&self, ours: &str) -> Result<bool> {
        let Some(dir) = self.attributes.parent() else { return Ok(false) };
        if ours.is_empty() && !dir.is_dir() {
            return Ok(false);
        }
        atomic::create_dir(dir, Sync::Full)?;
        let lock = match StoreLock::of_directory(dir, self.patience) {
            // Some network file systems do not support locks on directories.
            Err(LockError::Io(..)) => None,
            locked => Some(locked?),
        };
        if lock.is_some() {
            atomic::sweep(dir);
        }
        let before = read::file(dir, &self.attributes, read::MAX_FILE)?;
        let before = before.unwrap_or_default();
        let after = replaced(&before, ours.as_bytes());
        if after == before {
            return Ok(false);
        }
        atomic::replace_file(&self.attributes, &after, Sync::Full, || Ok(true))
    }
}

/// Returns our lines for `info/attributes`, which takes precedence over `.gitattributes`.
pub fn lines() -> String {
    let line = |file: &&str| format!("**/.pi/memory/{file} merge=pimem\n");
    format!("{BEGIN}\n{}{END}\n", FILES.iter().map(line).collect::<String>())
}

/// Returns `bytes` with our block replaced by `ours`, which is appended if there was no block.
fn replaced(bytes: &[u8], ours: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len() + ours.len());
    let mut placed = false;
    let mut inside = false;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let words = line.trim_ascii_end();
        if words == BEGIN.as_bytes() {
            inside = true;
        } else if inside && words == END.as_bytes() {
            inside = false;
            if !placed {
                kept.extend_from_slice(ours);
            }
            placed = true;
        } else if !inside || !words.ends_with(b" merge=pimem") {
            // A block without end marker ends with its last known line.
            inside = false;
            kept.extend_from_slice(line);
        }
    }
    if !placed && !ours.is_empty() {
        if kept.last().is_some_and(|byte| *byte != b'\n') {
            kept.push(b'\n');
        }
        kept.extend_from_slice(ours);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_lines_come_and_go() {
        let ours = lines();
        let set = |bytes: &str, ours: &str| {
            String::from_utf8(replaced(bytes.as_bytes(), ours.as_bytes())).unwrap()
        };
        for other in ["", "*.png binary\n", "a b\r\n\r\n# c\r\n"] {
            let on = set(other, &ours);
            assert_eq!(on, format!("{other}{ours}"));
            assert_eq!(set(&on, &ours), on, "once is enough");
            assert_eq!(set(&format!("{on}later x\n"), ""), format!("{other}later x\n"));
            let old = ours.replace("**/.pi/memory/daily/*.md merge=pimem\n", "");
            assert_eq!(set(&format!("{other}{old}z\n"), &ours), format!("{other}{ours}z\n"));
            let torn = format!("{other}{}", ours.replace(&format!("{END}\n"), "own x\n"));
            assert_eq!(set(&torn, &ours), format!("{other}own x\n{ours}"));
        }
        assert_eq!(set("no end", &ours), format!("no end\n{ours}"));
        assert_eq!(set("no end", ""), "no end");
    }
}
