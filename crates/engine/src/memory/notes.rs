//! Long-term notes, the scratchpad and daily logs as files: reading them, and adding to notes and logs.

use super::Memory;
use crate::{
    error::Failure,
    local_time,
    store::{notes, read},
};
use pimem_core::{
    markdown::{lines, memo},
    model::calendar::Date,
    safety::note_text::NoteText,
    view::notes::{Day, Days, File, Files, Noted, NotedIn},
};

/// A file that is not made of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotesFile {
    /// Long-term notes.
    Notes,
    /// The checklist.
    Scratchpad,
    /// The log of a day.
    Log(Date),
}

impl NotesFile {
    /// Its name, relative to the store.
    pub fn name(self) -> String {
        match self {
            Self::Notes => notes::NOTES.to_owned(),
            Self::Scratchpad => notes::SCRATCHPAD.to_owned(),
            Self::Log(date) => notes::daily(date),
        }
    }
}

impl Memory {
    /// A file of each store that has it. However long a log has become, all of it is read.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn read_notes(&self, file: NotesFile) -> Result<Files, Failure> {
        let name = file.name();
        let mut files = Vec::new();
        for store in self.readers()? {
            let bytes = store.tail(&name, read::MAX_LOG).map_err(|p| Failure::from(&p))?;
            let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let (scope, file) = (store.scope.name(), || name.clone());
            files.extend(text.map(|text| File { scope, file: file(), text }));
        }
        Ok(Files { files })
    }

    /// The days that have a log.
    ///
    /// # Errors
    /// When the directory of logs cannot be read.
    pub fn logged_days(&self) -> Result<Days, Failure> {
        let mut days = Vec::new();
        for store in self.readers()? {
            let dates = store.days().map_err(|problem| Failure::from(&problem))?;
            days.extend(dates.into_iter().map(|date| Day { date, scope: store.scope.name() }));
        }
        days.sort_unstable_by(|a, b| b.cmp(a));
        Ok(Days { days })
    }

    /// Adds to the long-term notes: at their end, or to the section with a heading, which is made when
    /// there is none. One line becomes an item of a list.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn note(&self, text: &NoteText, heading: Option<&str>) -> Result<Noted, Failure> {
        let added = match text.lines() {
            [one] if !is_block(one) => text.item(""),
            several => several.to_vec(),
        };
        let store = self.writer()?;
        let lock = super::lock(self, &store)?;
        store.rewrite(&lock, notes::NOTES, |bytes| {
            let edit = match heading {
                Some(heading) => memo::append_to(bytes, heading, &added),
                None => memo::append(bytes, &added),
            };
            Some(lines::apply(bytes, vec![edit]))
        })?;
        Ok(Noted { file: notes::NOTES.to_owned(), text: added.join("\n"), into: NotedIn::Notes })
    }

    /// Adds an item to the log of the day.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn log(&self, text: &NoteText) -> Result<Noted, Failure> {
        let now = local_time::local(self.now.0);
        let added = text.item(&format!("{} ", now.clock()));
        let store = self.writer()?;
        let lock = super::lock(self, &store)?;
        let file = notes::daily(now.date);
        store.append(&lock, &file, &now.date.to_string(), &added)?;
        Ok(Noted { file, text: added.join("\n"), into: NotedIn::Log })
    }
}

/// Whether a line is a block of markdown of its own.
fn is_block(line: &str) -> bool {
    let words = line.trim_start();
    words.starts_with(['#', '>', '|', '`'])
        || ["- ", "* ", "+ "].iter().any(|mark| words.starts_with(mark))
}
