//! What was said in a project before: transcripts of agents on this machine, the messages of its commits,
//! and its records of decisions.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    path::{MAIN_SEPARATOR, Path, PathBuf},
    process::Command,
    time::Duration,
};

use pimem_core::{
    exchange::history::{self, CommitMessage, PastStatement},
    model::{hash, time::Timestamp},
    session::transcript::{Message, Role, Session, TranscriptLines},
};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{HistoryRequest, source::ImportSource};
use crate::{
    error::{Failure, FailureKind},
    memory::Memory,
    process::{self, Keep, Kill},
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
/// Longest wait for the program `opencode`.
const OPENCODE: Duration = Duration::from_mins(1);
/// Most bytes that it answers with.
const SAID: usize = 256 << 20;
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
    let mut files = Vec::new();
    for dir in &request.transcripts {
        files_below(dir, DEPTH, &mut files);
    }
    let size = |path: &PathBuf| {
        fs::metadata(path).map_or(0, |meta| usize::try_from(meta.len()).unwrap_or_default())
    };
    let sizes: Vec<usize> = files.iter().map(size).collect();
    let (mut read, total) = (0, sizes.iter().sum());
    let mut progress = memory.notices.transfer("reading transcripts");
    for (path, size) in files.iter().zip(sizes) {
        said.extend(transcript(path, &roots, request).unwrap_or_default());
        read += size;
        progress(read, total);
    }
    if let Some(database) = &request.opencode {
        said.extend(opencode(memory, database, &roots, request));
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
    let id = session.id.as_deref().unwrap_or_default();
    let of_session = || history::of_session(session.format.name(), id, &messages);
    (ours || is_ours(&session)).then(of_session)
}

/// A user's message, as OpenCode answers the query for it.
#[derive(Deserialize)]
struct OpenCodeRow {
    session: String,
    /// Milliseconds since 1970.
    at: i64,
    text: String,
}

/// Returns what people stated in sessions of OpenCode. They are in a database, which its own program
/// reads; nothing of other projects is asked for, nor of sub-agents, in whose sessions the user is a
/// model.
fn opencode(
    memory: &Memory,
    database: &Path,
    roots: &[PathBuf],
    request: &HistoryRequest,
) -> Vec<PastStatement> {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let below = |root: &str| {
        let within = format!("{root}{MAIN_SEPARATOR}");
        let length = within.chars().count();
        let (root, within) = (quoted(root), quoted(&within));
        format!("s.directory = {root} or substr(s.directory, 1, {length}) = {within}")
    };
    let ours: Vec<String> = roots.iter().filter_map(|root| root.to_str()).map(below).collect();
    let query = format!(
        "select s.id as session, m.time_created as at, json_extract(p.data, '$.text') as text \
         from session s join message m on m.session_id = s.id join part p on p.message_id = m.id \
         where ({}) and s.parent_id is null and json_extract(m.data, '$.role') = 'user' \
         and json_extract(p.data, '$.type') = 'text' and json_extract(p.data, '$.synthetic') is not 1 \
         and text is not null order by s.id, m.time_created, p.id",
        ours.join(" or ")
    );
    let mut command = Command::new("opencode");
    // Plugins of the project are not loaded.
    command.args(["db", &query, "--format", "json", "--pure"]);
    command.current_dir(database.parent().unwrap_or(database));
    let kept = (Keep::Whole(SAID), Keep::Start(0));
    let rows = process::run(&mut command, Vec::new(), kept, OPENCODE, Kill::Group)
        .map_err(|error| error.to_string())
        .and_then(|done| {
            let rows = serde_json::from_slice::<Vec<OpenCodeRow>>(done.stdout.trim_ascii());
            rows.map_err(|_| "does not answer as expected".to_owned())
        });
    let rows = rows.unwrap_or_else(|why| {
        memory.notices.note(&format!("Sessions of OpenCode are left out: opencode {why}"));
        Vec::new()
    });
    let sessions = rows.chunk_by(|a, b| a.session == b.session);
    let of_session = |rows: &[OpenCodeRow]| {
        let said = |row: &OpenCodeRow| {
            let when = Some(Timestamp(row.at));
            Message { role: Role::User, text: row.text.clone(), when }
        };
        let messages = rows.iter().map(said);
        let messages: Vec<Message> =
            messages.filter(|message| request.period.contains(message.when)).collect();
        let id = rows.first().map_or("", |row| &row.session);
        history::of_session("opencode", id, &messages)
    };
    sessions.flat_map(of_session).collect()
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
