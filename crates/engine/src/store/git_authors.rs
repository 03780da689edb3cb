//! Who wrote the lines of topics: the author of the last commit that added each, as `git blame` says
//! it, but of all files with one process.

use std::{
    collections::{BTreeMap, HashMap},
    io::{self, BufRead, BufReader, Read},
    path::Path,
    time::Duration,
};

use super::{Store, git_objects, read};

/// Time limit for reading the history.
const LIMIT: Duration = Duration::from_secs(10);
/// Maximum size of the history in bytes.
const ROOM: u64 = 256 << 20;

impl Store {
    /// Returns the authors of the committed lines of topics, by stem and line number from 1. `root` is
    /// that of the work tree. `None` if git fails, or takes too long.
    pub fn authors(&self, root: &Path) -> Option<BTreeMap<(String, usize), String>> {
        let names = read::markdown_names(&self.dir, &self.topics_dir()).ok()?;
        let known = git_objects::output(&self.dir, root, LIMIT, ARGUMENTS, |out| {
            // The newest commits come first.
            let mut known = HashMap::new();
            let mut author = String::new();
            let mut is_diff = false;
            for line in BufReader::new(out.take(ROOM)).split(b'\n') {
                let line = line?;
                match line.split_first() {
                    Some((0, name)) => {
                        author = String::from_utf8_lossy(name).into_owned();
                        is_diff = false;
                    }
                    // Names of files come before the first hunk.
                    Some((b'd', _)) => is_diff = false,
                    Some((b'@', _)) => is_diff = true,
                    Some((b'+', added)) if is_diff => {
                        known.entry(added.to_vec()).or_insert_with(|| author.clone());
                    }
                    _ => {}
                }
            }
            io::Result::Ok(known)
        })?;
        let mut authors = BTreeMap::new();
        for name in names {
            let path = self.topics_dir().join(&name);
            let Ok(Some(bytes)) = read::file(&self.dir, &path, read::MAX_FILE) else { continue };
            let stem = name.strip_suffix(".md").unwrap_or(&name);
            for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
                if let Some(author) = known.get(line) {
                    authors.insert((stem.to_owned(), number), author.clone());
                }
            }
        }
        Some(authors)
    }
}

/// No program that the repository configures is run.
const ARGUMENTS: &[&str] = &[
    "log",
    "--format=%x00%aN",
    "--patch",
    "--unified=0",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--no-color",
    "--no-show-signature",
    "--diff-merges=off",
    "HEAD",
    "--",
    "topics",
];
