//! The scratchpad: a checklist of open tasks.

use serde::Serialize;

use super::Memory;
use crate::{
    error::{Failure, FailureKind},
    store::{Store, notes},
};
use pimem_core::{
    gate,
    markdown::{
        checklist::{self, Item},
        patch,
    },
};

/// New state of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tick {
    Done,
    Open,
}

/// Which items to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Items {
    Open,
    /// Open and done items.
    All,
}

impl Memory {
    /// Adds open items that do not exist yet.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    pub fn add_todo(&self, texts: &[String]) -> Result<Todo, Failure> {
        let store = self.writer()?;
        let lock = super::lock(self, &store)?;
        let missing = |bytes: &[u8]| {
            let open: Vec<String> = checklist::open(bytes).map(|item| item.text).collect();
            let mut new: Vec<String> = Vec::new();
            for text in texts {
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
    pub fn tick_todo(&self, text: &str, tick: Tick) -> Result<Todo, Failure> {
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
        for store in self.readers()? {
            let bytes = scratchpad(&store)?;
            if checklist::find(&checklist::items(&bytes), text, !done).is_none() {
                continue;
            }
            let lock = super::lock(self, &store)?;
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

    /// Returns the items of all scratchpads.
    ///
    /// # Errors
    /// Fails if a scratchpad cannot be read.
    pub fn todo(&self, which: Items) -> Result<Todo, Failure> {
        let mut items = Vec::new();
        for store in self.readers()? {
            items.extend(checklist::items(&scratchpad(&store)?));
        }
        items.retain(|item| which == Items::All || !item.done);
        let item = |Item { text, done, .. }| TodoItem::new(&text, done, TodoChange::Unchanged);
        Ok(Todo { items: items.into_iter().map(item).collect() })
    }

    /// Moves done items, with the lines below them, to the archives.
    ///
    /// # Errors
    /// Fails if a scratchpad cannot be read or written.
    pub fn clear_todo(&self) -> Result<ClearedItems, Failure> {
        let mut all = Vec::new();
        for store in self.readers()? {
            if checklist::clear(&scratchpad(&store)?).1.is_empty() {
                continue;
            }
            let lock = super::lock(self, &store)?;
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
    /// True if the item is ticked.
    pub done: bool,
    #[serde(skip)]
    pub change: TodoChange,
}

impl TodoItem {
    fn new(text: &str, done: bool, change: TodoChange) -> Self {
        Self { text: gate::masked(text).into_owned(), done, change }
    }
}

/// What a command did with an item.
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

/// Lines moved from scratchpads to archives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClearedItems {
    pub cleared: Vec<String>,
}

documents! {
    Todo: "pimem.todo/1",
    ClearedItems: "pimem.todo/1",
}
