//! What was said in a project before: transcripts of agents on this machine, the messages of its commits,
//! and its records of decisions.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    time::Duration,
};

use pimem_core::{
    exchange::history::{self, CommitMessage, PastStatement},
    model::hash,
    session::transcript::{Message, Session, TranscriptLines},
};
use sha2::{Digest, Sha256};

use super::{HistoryRequest, source::ImportSource};
use crate::{
    error::{Failure, FailureKind},
    memory::Memory,
    store::{discover, git, read},
};

/// Folders of a directory of transcripts that are looked into.
const DEPTH: usize = 5;
/// Longest line of a transcript that is read, in bytes. Longer ones are output of tools.
const LINE: u64 = 16 << 20;
/// Lines at the start of a transcript that may come before its working directory.
const HEAD: usize = 64;
/// Most commits that are read, the newest first.
const COMMITS: &str = "--max-count=50000";
/// Longest wait for git.
const GIT: Duration = Duration::from_mins(1);
/// Folders in which projects keep records of decisions.
const RECORDS: &[&str] = &[
    "docs/adr",
    "docs/adrs",
    "docs/decisions",
    "docs/architecture/decisions",
    "doc/adr",
    "doc/architecture/decisions",
    "adr",
];

/// Reads the history of the project, which waits for a review.
pub(super) fn of_project(
    memory: &Memory,
    request: &HistoryRequest,
) -> Result<ImportSource, Failure> {
    let cwd = &memory.places.cwd;
    let root = memory.places.work_tree(cwd).map_or_else(|| cwd.clone(), Path::to_path_buf);
    if memory.places.home.as_ref() == Some(&root) {
        let message = "the home directory is no project";
        return Err(Failure::new(FailureKind::Usage, message, "go to a project: cd PROJECT"));
    }
    let roots = work_trees(&root);
    let mut source = ImportSource { format: "history", waits: true, ..ImportSource::default() };
    let mut said = Vec::new();
    for dir in &request.transcripts {
        let mut files = Vec::new();
        files_below(dir, DEPTH, &mut files);
        for path in files {
            said.extend(transcript(&path, &roots, request).unwrap_or_default());
        }
    }
    said.extend(commits(&root, request));
    said.extend(records(&root));
    source.found.items = history::items(said);
    Ok(source)
}

/// Returns the roots of all work trees of a repository, by their real paths and as git has them.
fn work_trees(root: &Path) -> Vec<PathBuf> {
    let mut roots = vec![root.to_path_buf(), discover::real(root)];
    let Some(common) = git::common_dir(root) else { return roots };
    roots.extend(common.parent().map(Path::to_path_buf));
    let linked = fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
    for linked in linked {
        let named = fs::read_to_string(linked.path().join("gitdir")).unwrap_or_default();
        roots.extend(Path::new(named.trim()).parent().map(Path::to_path_buf));
    }
    roots.retain(|root| root.parent().is_some());
    roots.sort();
    roots.dedup();
    roots
}

/// Collects the transcripts below a directory. Links are not followed, and those of sub-agents, in
/// which the user is a model, are left out.
fn files_below(dir: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(dir).into_iter().flatten().flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        let is_transcript = path.extension().is_some_and(|end| end == "jsonl" || end == "json");
        if kind.is_file() && is_transcript {
            found.push(path);
        } else if kind.is_dir() && depth > 0 && entry.file_name() != "subagents" {
            files_below(&path, depth - 1, found);
        }
    }
}

/// Returns what people stated in a transcript of the project; `None` if it is another's.
fn transcript(
    path: &Path,
    roots: &[PathBuf],
    request: &HistoryRequest,
) -> Option<Vec<PastStatement>> {
    let mut reader = BufReader::with_capacity(1 << 20, File::open(path).ok()?);
    let mut lines = TranscriptLines::default();
    let mut messages: Vec<Message> = Vec::new();
    let (mut line, mut count) = (Vec::new(), 0);
    // Gemini CLI names the directory of a project by the hash of its path.
    let is_named = roots.iter().any(|root| {
        let name = hash::write_hex(&Sha256::digest(root.as_os_str().as_encoded_bytes()));
        path.components().any(|part| part.as_os_str() == name.as_str())
    });
    let is_ours = |session: &Session| {
        let here = session.cwd.as_deref().map(Path::new);
        here.map_or(is_named, |cwd| roots.iter().any(|root| cwd.starts_with(root)))
    };
    let mut ours = is_named;
    loop {
        line.clear();
        if (&mut reader).take(LINE).read_until(b'\n', &mut line).ok()? == 0 {
            break;
        }
        if line.len() as u64 >= LINE && !line.ends_with(b"\n") {
            reader.skip_until(b'\n').ok()?;
            continue;
        }
        messages.extend(lines.push(&line));
        count += 1;
        let has_cwd = lines.session().is_some_and(|session| session.cwd.is_some());
        if !ours && (has_cwd || count > HEAD) {
            ours = lines.session().is_some_and(is_ours);
            if !ours {
                return None;
            }
        }
    }
    let (session, rest) = lines.finish()?;
    messages.extend(rest);
    messages.retain(|message| request.period.contains(message.when));
    (ours || is_ours(&session)).then(|| history::of_session(&session, &messages))
}

/// Returns what the messages of commits say.
fn commits(root: &Path, request: &HistoryRequest) -> Vec<PastStatement> {
    let since = request.since.as_ref().map(|since| format!("--since={since}"));
    let mut arguments =
        vec!["log", COMMITS, "--no-merges", "--date=short", "--format=%H%x1f%ad%x1f%B%x1e"];
    arguments.extend(since.as_deref());
    let text = git::output(root, root, GIT, &arguments, |mut out| {
        let mut bytes = Vec::new();
        out.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    });
    let text = text.unwrap_or_default();
    let commits: Vec<CommitMessage<'_>> = text
        .split('\u{1e}')
        .filter_map(|record| {
            let mut fields = record.trim_start().splitn(3, '\u{1f}');
            let (id, date, message) = (fields.next()?, fields.next()?, fields.next()?);
            Some(CommitMessage { id, date, message })
        })
        .collect();
    history::of_commits(&commits)
}

/// Returns the decisions that the project has on record.
fn records(root: &Path) -> Vec<PastStatement> {
    let mut found = Vec::new();
    for folder in RECORDS {
        let Ok(names) = read::markdown_names(root, &root.join(folder)) else { continue };
        for name in names {
            let name = format!("{folder}/{name}");
            let Ok(Some(bytes)) = read::file(root, &root.join(&name), read::MAX_FILE) else {
                continue;
            };
            found.extend(history::of_record(&name, &String::from_utf8_lossy(&bytes)));
        }
    }
    found
}
