//! Reading of long-term notes, scratchpad and daily logs, and appending to notes and logs.

use pimem_core::{
    gate,
    markdown::{checklist, patch},
    model::time::Date,
    safety::text::NoteText,
};
use serde::Serialize;

use super::Memory;
use crate::{
    error::Failure,
    local_time,
    store::{notes, read},
    view::{Document, displayed},
};

/// A file that does not consist of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotesFile {
    Notes,
    Scratchpad,
    Log(Date),
}

impl NotesFile {
    /// Returns the name relative to the store.
    pub fn name(self) -> String {
        match self {
            Self::Notes => notes::NOTES.to_owned(),
            Self::Scratchpad => notes::SCRATCHPAD.to_owned(),
            Self::Log(date) => notes::daily(date),
        }
    }
}

impl Memory {
    /// Reads a file of each store that has it, without its secrets. Logs are read completely, whatever
    /// their length.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn read_notes(&self, file: NotesFile) -> Result<NoteFiles, Failure> {
        let name = file.name();
        let mut files = Vec::new();
        for store in self.readers()? {
            let bytes = store.tail(&name, read::MAX_LOG).map_err(|p| Failure::from(&p))?;
            let text =
                bytes.map(|bytes| gate::masked(&String::from_utf8_lossy(&bytes)).into_owned());
            let (scope, file) = (store.scope.name(), || name.clone());
            files.extend(text.map(|text| NoteFile { scope, file: file(), text }));
        }
        Ok(NoteFiles { files })
    }

    /// Returns the days that have a log.
    ///
    /// # Errors
    /// Fails if the directory of logs cannot be read.
    pub fn logged_days(&self) -> Result<LogDays, Failure> {
        let mut days = Vec::new();
        for store in self.readers()? {
            let dates = store.days().map_err(|problem| Failure::from(&problem))?;
            days.extend(dates.into_iter().map(|date| LogDay { date, scope: store.scope.name() }));
        }
        days.sort_unstable_by(|a, b| b.cmp(a));
        Ok(LogDays { days })
    }

    /// Appends to the long-term notes, or to the section with a heading, which is created if it is
    /// missing. A single line becomes a list item.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    pub fn note(&self, text: &NoteText, heading: Option<&str>) -> Result<Noted, Failure> {
        let added = match text.lines() {
            [one] if !is_block(one) => text.item(""),
            several => several.to_vec(),
        };
        let store = self.writer()?;
        let lock = super::lock(self, &store)?;
        self.review_text(&store, &added.join("\n"))?;
        store.rewrite(&lock, notes::NOTES, |bytes| {
            let edit = match heading {
                Some(heading) => checklist::append_to(bytes, heading, &added),
                None => checklist::append(bytes, &added),
            };
            Some(patch::apply(bytes, vec![edit]))
        })?;
        Ok(Noted { file: notes::NOTES.to_owned(), text: added.join("\n"), into: NotedIn::Notes })
    }

    /// Appends an item to the daily log.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    pub fn log(&self, text: &NoteText) -> Result<Noted, Failure> {
        let now = local_time::local(self.now.0);
        let added = text.item(&format!("{} ", now.clock()));
        let store = self.writer()?;
        let lock = super::lock(self, &store)?;
        let file = notes::daily(now.date);
        self.review_text(&store, &added.join("\n"))?;
        store.append(&lock, &file, &now.date.to_string(), &added)?;
        Ok(Noted { file, text: added.join("\n"), into: NotedIn::Log })
    }
}

/// Returns true if a line is a Markdown block of its own.
fn is_block(line: &str) -> bool {
    let words = line.trim_start();
    words.starts_with(['#', '>', '|', '`'])
        || ["- ", "* ", "+ "].iter().any(|mark| words.starts_with(mark))
}

/// Text appended to the notes or to a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Noted {
    /// File, relative to the store.
    pub file: String,
    /// Appended lines.
    pub text: String,
    #[serde(skip)]
    pub into: NotedIn,
}

/// The target of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotedIn {
    Notes,
    /// Log of the day.
    Log,
}

/// One file from each store that has it, the project's first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoteFiles {
    pub files: Vec<NoteFile>,
}

/// A file with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoteFile {
    /// `project` or `user`.
    pub scope: &'static str,
    /// File name, relative to the store.
    pub file: String,
    pub text: String,
}

/// Days with a log, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogDays {
    /// One per log and store.
    pub days: Vec<LogDay>,
}

/// A day with a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LogDay {
    #[serde(serialize_with = "displayed")]
    pub date: Date,
    /// `project` or `user`.
    pub scope: &'static str,
}

impl Document for Noted {
    fn schema(&self) -> &'static str {
        match self.into {
            NotedIn::Notes => "pimem.note/1",
            NotedIn::Log => "pimem.log/1",
        }
    }
}

documents! {
    NoteFiles: "pimem.read/1",
    LogDays: "pimem.days/1",
}
