//! Reading of long-term notes, scratchpad and daily logs, and appending to notes and logs. The
//! scratchpad is a checklist of open tasks.

use crate::memory::{
    handles::{Reading, Writing},
    intake,
};
use pimem_core::{
    gate,
    markdown::{
        checklist::{self, Item},
        patch,
    },
    model::time::Date,
    safety::text::{EntryText, NoteText},
};
use serde::Serialize;

use crate::{
    error::{Failure, FailureKind},
    local_time,
    store::{Store, notes, read},
    view::{Document, displayed},
};

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

impl Reading<'_> {
    /// Reads a file of each store that has it, without its secrets. Logs are read completely, whatever
    /// their length.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn read_notes(self, file: NotesFile) -> Result<NoteFiles, Failure> {
        let name = file.name();
        let mut files = Vec::new();
        for store in self.memory.readers()? {
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
    pub fn logged_days(self) -> Result<LogDays, Failure> {
        let mut days = Vec::new();
        for store in self.memory.readers()? {
            let dates = store.days().map_err(|problem| Failure::from(&problem))?;
            days.extend(dates.into_iter().map(|date| LogDay { date, scope: store.scope.name() }));
        }
        days.sort_unstable_by(|a, b| b.cmp(a));
        Ok(LogDays { days })
    }

    /// Returns the items of all scratchpads.
    ///
    /// # Errors
    /// Fails if a scratchpad cannot be read.
    pub fn todo(self, which: Items) -> Result<Todo, Failure> {
        let mut items = Vec::new();
        for store in self.memory.readers()? {
            items.extend(checklist::items(&scratchpad(&store)?));
        }
        items.retain(|item| which == Items::All || !item.done);
        let item = |Item { text, done, .. }| TodoItem::new(&text, done, TodoChange::Unchanged);
        Ok(Todo { items: items.into_iter().map(item).collect() })
    }
}

impl Writing<'_> {
    /// Appends to the long-term notes, or to the section with a heading, which is created if it is
    /// missing. A single line becomes a list item.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    pub fn note(self, text: &NoteText, heading: Option<&str>) -> Result<Noted, Failure> {
        let added = match text.lines() {
            [one] if !is_block(one) => text.item(""),
            several => several.to_vec(),
        };
        let store = self.memory.writer()?;
        let lock = super::lock(self.memory, &store)?;
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
    pub fn log(self, text: &NoteText) -> Result<Noted, Failure> {
        let now = local_time::local(self.memory.now.0);
        let added = text.item(&format!("{} ", now.clock()));
        let store = self.memory.writer()?;
        let lock = super::lock(self.memory, &store)?;
        let file = notes::daily(now.date);
        self.review_text(&store, &added.join("\n"))?;
        store.append(&lock, &file, &now.date.to_string(), &added)?;
        Ok(Noted { file, text: added.join("\n"), into: NotedIn::Log })
    }

    /// Adds open items that do not exist yet. A text may be a checklist, or a line of one.
    ///
    /// # Errors
    /// Fails if a text may not be stored, or the store cannot be written.
    pub fn add_todo(self, texts: &[&str]) -> Result<Todo, Failure> {
        let item = |line: String| {
            let line = line.trim_start();
            let text = line.strip_prefix("- ").unwrap_or(line);
            let text = EntryText::new(text.strip_prefix("[ ] ").unwrap_or(text))?;
            Ok(text.as_str().to_owned())
        };
        let texts = texts.iter().flat_map(|text| intake::items(text)).map(item);
        let texts = texts.collect::<Result<Vec<String>, Failure>>()?;
        let store = self.memory.writer()?;
        let lock = super::lock(self.memory, &store)?;
        let missing = |bytes: &[u8]| {
            let open: Vec<String> = checklist::open(bytes).map(|item| item.text).collect();
            let mut new: Vec<String> = Vec::new();
            for text in &texts {
                if !open.contains(text) && !new.contains(text) {
                    new.push(text.clone());
                }
            }
            new
        };
        let mut new = missing(&scratchpad(&store)?);
        for text in &new {
            self.review_text(&store, text)?;
        }
        store.rewrite(&lock, notes::SCRATCHPAD, |bytes| {
            new = missing(bytes);
            let edit = checklist::append_items(bytes, &new);
            (!new.is_empty()).then(|| patch::apply(bytes, vec![edit]))
        })?;
        let item = |text: &String| {
            let is_new = new.contains(text);
            let change = if is_new { TodoChange::Added } else { TodoChange::AlreadyOpen };
            TodoItem::new(text, false, change)
        };
        Ok(Todo { items: texts.iter().map(item).collect() })
    }

    /// Ticks the first open item that contains a text, ignoring case, or reopens the first done
    /// one. Returns no items if none matches.
    ///
    /// # Errors
    /// Fails if the text is empty, or a scratchpad cannot be read or written.
    pub fn tick_todo(self, text: &str, tick: Tick) -> Result<Todo, Failure> {
        let text = text.trim();
        if text.is_empty() {
            let message = "the text is empty";
            return Err(Failure::new(
                FailureKind::Usage,
                message,
                "give a part of the item's text",
            ));
        }
        let (done, change) = match tick {
            Tick::Done => (true, TodoChange::Done),
            Tick::Open => (false, TodoChange::Reopened),
        };
        for store in self.memory.readers()? {
            let bytes = scratchpad(&store)?;
            if checklist::find(&checklist::items(&bytes), text, !done).is_none() {
                continue;
            }
            let lock = super::lock(self.memory, &store)?;
            let mut ticked = None;
            store.rewrite(&lock, notes::SCRATCHPAD, |bytes| {
                let items = checklist::items(bytes);
                let item = checklist::find(&items, text, !done)?;
                ticked = Some(item.text.clone());
                Some(patch::apply(bytes, vec![checklist::tick(item, done)]))
            })?;
            if let Some(text) = ticked {
                return Ok(Todo { items: vec![TodoItem::new(&text, done, change)] });
            }
        }
        Ok(Todo { items: Vec::new() })
    }

    /// Moves done items, with the lines below them, to the archives.
    ///
    /// # Errors
    /// Fails if a scratchpad cannot be read or written.
    pub fn clear_todo(self) -> Result<ClearedItems, Failure> {
        let mut all = Vec::new();
        for store in self.memory.readers()? {
            if checklist::clear(&scratchpad(&store)?).1.is_empty() {
                continue;
            }
            let lock = super::lock(self.memory, &store)?;
            let mut cleared = Vec::new();
            let mut over = false;
            while !over {
                cleared = checklist::clear(&scratchpad(&store)?).1;
                // The archive is written first: a crash in between duplicates an item instead of
                // losing it.
                store.append(&lock, notes::DONE, "Scratchpad", &cleared)?;
                // Items ticked in an editor meanwhile are not in the archive yet.
                store.rewrite(&lock, notes::SCRATCHPAD, |bytes| {
                    let (after, lines) = checklist::clear(bytes);
                    over = lines == cleared;
                    over.then_some(after)
                })?;
            }
            all.extend(cleared);
        }
        let cleared = all.iter().map(|line| gate::masked(line).into_owned());
        Ok(ClearedItems { cleared: cleared.collect() })
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
    Log,
}

/// One file from each store that has it, the project's first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoteFiles {
    pub files: Vec<NoteFile>,
}

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
    pub days: Vec<LogDay>,
}

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

/// New state of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tick {
    Done,
    Open,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Items {
    Open,
    /// Open and done items.
    All,
}

/// Reads the scratchpad of a store; empty if it does not exist.
pub fn scratchpad(store: &Store) -> Result<Vec<u8>, Failure> {
    let bytes = store.file(notes::SCRATCHPAD).map_err(|problem| Failure::from(&problem))?;
    Ok(bytes.unwrap_or_default())
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Todo {
    pub items: Vec<TodoItem>,
}

/// An item of the scratchpad, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TodoItem {
    pub text: String,
    pub done: bool,
    #[serde(skip)]
    pub change: TodoChange,
}

impl TodoItem {
    fn new(text: &str, done: bool, change: TodoChange) -> Self {
        Self { text: gate::masked(text).into_owned(), done, change }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TodoChange {
    /// Only listed.
    Unchanged,
    Added,
    /// Not added, because an equal item is open.
    AlreadyOpen,
    Done,
    /// The tick was removed.
    Reopened,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClearedItems {
    pub cleared: Vec<String>,
}

documents! {
    Todo: "pimem.todo/1",
    ClearedItems: "pimem.todo/1",
}
