//! What `pimem report --html` draws: everything about a store, for a person.

use super::{EntryView, list::AccessedEntry, status::Status, telemetry::Use};
use crate::{
    model::time::{Date, Timestamp},
    report::working,
};

/// Beginnings of the headings in what an agent is given that the program wrote.
const OWN_HEADINGS: &[&str] = &["# Project Memory [", working::AT_HAND];

/// The values of a page.
#[derive(Debug, Clone)]
pub struct Page {
    /// Name of the project.
    pub title: String,
    pub now: Timestamp,
    pub today: Date,
    pub status: Status,
    /// What an agent is given when a session starts.
    pub given: Vec<Line>,
    /// Its name; `None` if no agent calls pimem.
    pub given_to: Option<&'static str>,
    /// The strongest entries that the report leaves out.
    pub outside: Vec<Outside>,
    /// Scores that are needed for a state, with its name; none where policies have no fixed ones.
    pub levels: Vec<(f64, &'static str)>,
    /// Coming scores of the strongest entries in the report.
    pub curves: Vec<Curve>,
    pub weeks: Vec<Week>,
    /// All entries, strongest first.
    pub entries: Vec<Row>,
    /// True if entries have their authors.
    pub has_authors: bool,
    /// Names in `[[brackets]]`, with the entries that have each.
    pub links: Vec<Link>,
    /// What happened, by weeks, oldest first.
    pub history: Vec<Past>,
}

/// A line of what an agent is given.
#[derive(Debug, Clone)]
pub struct Line {
    pub text: String,
    pub tokens: u32,
    /// Short id of the entry, if it is one.
    pub id: Option<String>,
}

/// An entry that the report leaves out.
#[derive(Debug, Clone)]
pub struct Outside {
    pub entry: EntryView,
    pub reason: String,
    pub tokens: u32,
    /// Command that brings it in with the least evidence.
    pub cheapest: Option<String>,
}

/// The scores of an entry if nothing happens.
#[derive(Debug, Clone)]
pub struct Curve {
    pub id: String,
    pub text: String,
    /// Pairs of days from now and score.
    pub points: Vec<(f64, f64)>,
    /// Days until the report leaves it out; `None` if it does not within the time of the curve.
    pub leaves: Option<u32>,
}

/// What changes in a week if nothing happens.
#[derive(Debug, Clone)]
pub struct Week {
    pub from: Date,
    /// Short ids and texts of entries that leave the report.
    pub leaving: Vec<(String, String)>,
    /// Short ids and texts of entries that enter it.
    pub entering: Vec<(String, String)>,
    /// Other changes, `becomes candidate`, with the number of entries.
    pub changes: Vec<(String, usize)>,
    /// Size of the report at its end, in tokens.
    pub tokens: u32,
}

#[derive(Debug, Clone)]
pub struct Row {
    pub entry: AccessedEntry,
    /// How often it was put into prompts and used; `None` if it never was.
    pub usage: Option<Use>,
    /// Who committed its line; `None` if nobody did, or nobody asked.
    pub author: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Link {
    pub name: String,
    /// Short ids.
    pub entries: Vec<String>,
}

/// What happened in a week.
#[derive(Debug, Clone)]
pub struct Past {
    pub from: Date,
    pub added: usize,
    pub reinforced: usize,
    /// Forgotten, archived, marked as harmful, or destroyed.
    pub dropped: usize,
}

impl Page {
    /// Takes out every word that somebody wrote: texts become ids, and names are numbered.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        fn without(entry: &mut EntryView) {
            entry.text = format!("entry {}", entry.short);
            entry.topic = "topic".into();
            (entry.author, entry.project) = (None, None);
        }
        self.title = "a project".into();
        for store in &mut self.status.stores {
            (store.place, store.store) = (String::new(), String::new());
        }
        for (number, mirror) in (1..).zip(&mut self.status.mirrors) {
            mirror.project = format!("mirror {number}");
            (mirror.server, mirror.store) = (String::new(), String::new());
        }
        self.status.absent = None;
        self.status.unusable_place = String::new();
        self.status.hooks.failure = None;
        for line in &mut self.given {
            if let Some(id) = &line.id {
                line.text = format!("- entry {id}");
            } else if !OWN_HEADINGS.iter().any(|own| line.text.starts_with(own.trim_end())) {
                // Headings of categories are names that somebody may have chosen, and those below
                // are of notes.
                let heading = if line.text.starts_with("## ") { "## section" } else { "" };
                line.text = heading.into();
            }
        }
        for outside in &mut self.outside {
            without(&mut outside.entry);
        }
        for curve in &mut self.curves {
            curve.text = format!("entry {}", curve.id);
        }
        for (id, text) in
            self.weeks.iter_mut().flat_map(|week| week.leaving.iter_mut().chain(&mut week.entering))
        {
            *text = format!("entry {id}");
        }
        for row in &mut self.entries {
            without(&mut row.entry.entry);
            row.author = None;
        }
        self.has_authors = false;
        for (number, link) in (1..).zip(&mut self.links) {
            link.name = format!("link {number}");
        }
        self
    }
}
