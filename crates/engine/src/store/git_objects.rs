//! Reader of git objects and history: one `git` process with a time limit.
//!
//! It reads the index and objects, runs no program that the repository configures, and fetches
//! nothing.

use std::{
    io::{self, BufRead, BufReader, ErrorKind, Read, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use pimem_core::model::hex;

/// Number of names sent before the answers are read; small enough that neither pipe can fill up.
const AT_ONCE: usize = 64;
/// Maximum total size of objects in bytes.
const ROOM: u64 = 64 << 20;
/// Environment variables by which the calling process may point git to another repository or state.
const MISLEADING: [&str; 14] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_WORK_TREE",
];

pub(super) struct Object {
    pub(super) id: String,
    /// True for a tree.
    pub(super) is_tree: bool,
    pub(super) bytes: Vec<u8>,
}

/// Connection to the git process.
pub(super) struct Objects {
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    room: u64,
}

/// Runs `talk` against the repository that contains `dir`, whose work tree is not above `root`.
/// `None` if git fails or does not answer within the limit.
pub(super) fn ask<T: Send>(
    dir: &Path,
    root: &Path,
    limit: Duration,
    talk: impl FnOnce(&mut Objects) -> io::Result<T> + Send,
) -> Option<T> {
    let mut child = git(dir, root, &["cat-file", "--batch"]).ok()?.spawn().ok()?;
    let mut objects = Objects {
        questions: child.stdin.take()?,
        answers: BufReader::new(child.stdout.take()?),
        room: ROOM,
    };
    within(limit, &mut child, move || talk(&mut objects))
}

/// Reads what a git command prints about the repository that contains `dir`, as [`ask`].
pub(super) fn output<T: Send>(
    dir: &Path,
    root: &Path,
    limit: Duration,
    arguments: &[&str],
    reader: impl FnOnce(ChildStdout) -> io::Result<T> + Send,
) -> Option<T> {
    let mut child = git(dir, root, arguments).ok()?.stdin(Stdio::null()).spawn().ok()?;
    let out = child.stdout.take()?;
    within(limit, &mut child, move || reader(out))
}

fn within<T: Send>(
    limit: Duration,
    child: &mut Child,
    talk: impl FnOnce() -> io::Result<T> + Send,
) -> Option<T> {
    let (done, waits) = mpsc::channel();
    let answer = thread::scope(|scope| {
        scope.spawn(move || done.send(talk()));
        let answer = waits.recv_timeout(limit);
        // Killing git closes the pipe, which ends a pending read.
        end(child);
        answer
    });
    answer.ok()?.ok()
}

fn git(dir: &Path, root: &Path, arguments: &[&str]) -> io::Result<Command> {
    let mut git = Command::new("git");
    for name in MISLEADING {
        git.env_remove(name);
    }
    if let Some(above) = root.parent() {
        let above =
            above.to_str().filter(|above| !above.contains(if cfg!(windows) { ';' } else { ':' }));
        git.env("GIT_CEILING_DIRECTORIES", above.ok_or(ErrorKind::InvalidInput)?);
    }
    git.args(["-c", "core.fsmonitor=false"])
        .args(arguments)
        .current_dir(dir)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        // In a partial clone, git would fetch missing objects through programs named in its
        // configuration.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    Ok(git)
}

fn end(child: &mut Child) {
    drop(child.kill());
    drop(child.wait());
}

impl Objects {
    /// Returns the objects with some names; `None` for each that does not exist.
    pub(super) fn get(&mut self, names: &[String]) -> io::Result<Vec<Option<Object>>> {
        let mut found = Vec::with_capacity(names.len());
        for names in names.chunks(AT_ONCE) {
            let mut lines = String::new();
            for name in names {
                if name.contains('\n') {
                    return Err(ErrorKind::InvalidInput.into());
                }
                lines.push_str(name);
                lines.push('\n');
            }
            self.questions.write_all(lines.as_bytes())?;
            for _ in names {
                found.push(self.answer()?);
            }
        }
        Ok(found)
    }

    fn answer(&mut self) -> io::Result<Option<Object>> {
        let mut head = Vec::new();
        self.answers.read_until(b'\n', &mut head)?;
        let head =
            String::from_utf8_lossy(head.strip_suffix(b"\n").ok_or(ErrorKind::UnexpectedEof)?);
        let Some((id, kind, size)) = header(&head) else {
            let is_absent = [" missing", " ambiguous"].iter().any(|end| head.ends_with(end));
            return if is_absent { Ok(None) } else { Err(ErrorKind::InvalidData.into()) };
        };
        self.room = self.room.checked_sub(size).ok_or(ErrorKind::FileTooLarge)?;
        let mut bytes = Vec::new();
        self.answers.by_ref().take(size).read_to_end(&mut bytes)?;
        let mut newline = [0];
        self.answers.read_exact(&mut newline)?;
        if bytes.len() as u64 != size || newline != *b"\n" {
            return Err(ErrorKind::InvalidData.into());
        }
        Ok(Some(Object { id: id.to_owned(), is_tree: kind == "tree", bytes }))
    }
}

/// Parses id, type and size of an object. Returns `None` for the answer to a missing name, whatever
/// characters the name has.
fn header(head: &str) -> Option<(&str, &str, u64)> {
    let mut fields = head.split(' ');
    let (id, kind, size) = (fields.next()?, fields.next()?, fields.next()?);
    let is_known = ["blob", "commit", "tag", "tree"].contains(&kind);
    let is_id = id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let size = size.parse().ok().filter(|_| is_known && is_id && fields.next().is_none())?;
    Some((id, kind, size))
}

/// Parses the entries of a tree: name, whether it is a tree, and id.
pub(super) fn entries(tree: &Object) -> Vec<(String, bool, String)> {
    let mut found = Vec::new();
    let mut rest = tree.bytes.as_slice();
    // Ids are binary, half as long as in hexadecimal.
    let width = tree.id.len() / 2;
    while let Some(end) = memchr::memchr(0, rest) {
        let (head, tail) = rest.split_at(end);
        let Some((id, next)) = tail.get(1..).and_then(|tail| tail.split_at_checked(width)) else {
            break;
        };
        let head = String::from_utf8_lossy(head);
        let (mode, name) = head.split_once(' ').unwrap_or_default();
        found.push((name.to_owned(), mode == "40000", hex::write(id)));
        rest = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let id = "ab".repeat(20);
        assert_eq!(header(&format!("{id} blob 12")), Some((id.as_str(), "blob", 12)));
        for head in ["x missing", "HEAD:./ blob 12", "ab blob 12", &format!("{id} blob 12 missing")]
        {
            assert_eq!(header(head), None, "{head}");
        }
    }

    #[test]
    fn a_directory() {
        for width in [20, 32] {
            let mut bytes = Vec::new();
            for (mode, name) in [("100644", "a b.md"), ("40000", "topics"), ("120000", "l")] {
                bytes.extend([mode.as_bytes(), b" ", name.as_bytes(), &[0]].concat());
                bytes.extend(vec![0xa0; width]);
            }
            let tree = |bytes: &[u8]| Object {
                id: "0".repeat(2 * width),
                is_tree: true,
                bytes: bytes.to_vec(),
            };
            let found = entries(&tree(&bytes));
            let id = "a0".repeat(width);
            let want = [("a b.md", false), ("topics", true), ("l", false)];
            let want = want.map(|(name, is_dir)| (name.to_owned(), is_dir, id.clone()));
            assert_eq!(found, want);
            assert_eq!(entries(&tree(&bytes[..bytes.len() - 1])).len(), 2);
        }
    }
}
