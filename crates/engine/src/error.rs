//! Failures as shown to people and programs: a kind, a message, and hints.

use std::io;

use pimem_core::safety::text::TextError;

use crate::{
    config::settings_file::Unusable,
    local_time,
    models::staging::InstallError,
    store::{
        LockError,
        discover::{self, Away},
        dream_schedule::Busy,
        read::ReadProblem,
        rooms::{LineTooLong, TopicFull},
    },
};

pimem_core::named! {
    pub enum FailureKind {
    /// The command line is wrong.
        Usage = "usage",
    /// A selector matches nothing.
        NotFound = "not-found",
        Ambiguous = "ambiguous",
    /// The text may not be stored.
        Refused = "refused",
    /// A setting is wrong.
        Config = "config",
    /// Disk, permissions, links.
        Io = "io",
    /// Another process holds the lock.
        Locked = "locked",
    /// A language model gave no answer.
        Model = "model",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    pub kind: FailureKind,
    /// One sentence, with the path or argument.
    pub message: String,
    /// How to fix it.
    pub hints: Vec<String>,
}

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hints: vec![hint.into()] }
    }
}

impl From<&ReadProblem> for Failure {
    fn from(problem: &ReadProblem) -> Self {
        Self::new(FailureKind::Io, problem.to_string(), problem.hint())
    }
}

impl From<&Away> for Failure {
    fn from(away: &Away) -> Self {
        Self::new(FailureKind::Refused, away.to_string(), discover::REMEDY)
    }
}

/// Hint for a text that is too long for an entry.
const NO_SENTENCE: &str = "a memory is one sentence; pimem note takes texts of any length";

impl From<TextError> for Failure {
    fn from(error: TextError) -> Self {
        let hint = match error {
            TextError::TooLong(_) => NO_SENTENCE,
            TextError::Empty => "give the text as an argument, or - to read it from standard input",
            TextError::Unsafe(_) => "remove the character; pimem stores visible text only",
            TextError::Secret(_) => {
                "write where the secret is kept instead; <private>…</private> is taken out before \
                 anything is stored"
            }
        };
        Self::new(FailureKind::Refused, format!("cannot store this: {error}"), hint)
    }
}

impl From<InstallError> for Failure {
    fn from(error: InstallError) -> Self {
        match error {
            InstallError::Refused(message, hint) => Self::new(FailureKind::Refused, message, hint),
            InstallError::Io(error) => Self::from(error),
        }
    }
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Self {
        Self::from(anyhow::Error::new(error))
    }
}

impl From<&Busy> for Failure {
    fn from(busy: &Busy) -> Self {
        let who = busy.holder.map_or_else(String::new, |(pid, since)| {
            format!(" (process {pid}, since {})", local_time::local(since).clock())
        });
        let hint = "wait for it; a dream never holds its lock longer than its process lives";
        Self::new(FailureKind::Locked, format!("{busy}{who}"), hint)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        if let Some(full) = error.downcast_ref::<TopicFull>() {
            return Self {
                kind: FailureKind::Refused,
                message: full.to_string(),
                hints: Vec::new(),
            };
        }
        if let Some(long) = error.downcast_ref::<LineTooLong>() {
            return Self::new(FailureKind::Refused, long.to_string(), NO_SENTENCE);
        }
        if let Some(problem) = error.downcast_ref::<ReadProblem>() {
            return Self::from(problem);
        }
        if let Some(busy) = error.downcast_ref::<Busy>() {
            return Self::from(busy);
        }
        match error.downcast_ref::<LockError>() {
            Some(LockError::Refused(problem)) => return Self::from(problem),
            Some(busy @ LockError::Busy(..)) => {
                let hint = "try again; lock.timeoutMs sets how long to wait";
                return Self::new(FailureKind::Locked, busy.to_string(), hint);
            }
            Some(LockError::Io(..)) | None => {}
        }
        let cause = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
        let hint = match cause.map(io::Error::kind) {
            Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
                "free some space and try again; nothing that was stored is lost"
            }
            Some(io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
                "the store cannot be written here; reading commands still work"
            }
            _ => "pimem check looks at the store, its permissions and the disk",
        };
        Self::new(FailureKind::Io, format!("{error:#}"), hint)
    }
}

impl From<&Unusable> for Failure {
    fn from(wrong: &Unusable) -> Self {
        Self::new(FailureKind::Config, wrong.to_string(), wrong.hint.clone())
    }
}

impl From<crate::llm::ModelError> for Failure {
    fn from(trouble: crate::llm::ModelError) -> Self {
        Self::new(FailureKind::Model, trouble.message, trouble.hint)
    }
}

impl From<crate::store::foreign_file::ForeignFileError> for Failure {
    fn from(trouble: crate::store::foreign_file::ForeignFileError) -> Self {
        Self::new(FailureKind::Io, trouble.to_string(), trouble.hint())
    }
}
