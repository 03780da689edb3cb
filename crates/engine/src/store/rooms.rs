//! Which file of a topic a new line goes to.
//!
//! A topic that has no room goes on in `NAME-2.md`, `NAME-3.md` and so on. Their first line says so,
//! and not their name: a file that a person calls `release-2` is a topic of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    snapshot::{Snapshot, TopicFile},
    transaction::{Change, Target},
};
use pimem_core::{
    markdown::{
        patch::{lines, newline},
        topic::{self, TopicEntry},
    },
    model::{
        category::Categories,
        entry::{Markers, Wording},
    },
    report::budget::thousands,
};

/// The changes of a transaction by file.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// In the order in which files are written.
    pub(super) changes: Vec<(Target, Vec<Change>)>,
    /// New files in which a topic goes on, each with the topic.
    pub(super) begun: Vec<(String, String)>,
    /// Topics that go on in another file from now on.
    pub(super) outgrown: Vec<String>,
    /// True if a line leaves one file for another.
    pub(super) moves: bool,
}

impl Layout {
    /// Returns the first lines of a file that is to be made; empty if they are as usual.
    pub(super) fn head(&self, target: &Target) -> String {
        let begun = self.begun.iter().find(|(stem, _)| *target == Target::Topic(stem.clone()));
        begun.map(|(stem, of)| topic::continuation(stem, of)).unwrap_or_default()
    }
}

struct Room {
    stem: String,
    /// An upper bound of its characters.
    chars: usize,
    /// Characters of a line end.
    end: usize,
    /// True if there is nothing below its title, so that it takes a line of any length.
    bare: bool,
}

impl Room {
    fn of(file: &TopicFile) -> Self {
        let bytes = file.doc.bytes();
        let end = newline(bytes).len();
        // The last line may be unterminated.
        let open = usize::from(!bytes.ends_with(b"\n")) * end;
        let chars = file.doc.chars() + open;
        let mut lines = lines(bytes).filter_map(|span| bytes.get(span));
        let bare = lines.all(|line| line.trim_ascii().is_empty() || topic::is_head(line));
        Self { stem: file.stem.clone(), chars, end, bare }
    }

    fn new(stem: String, head: &str) -> Self {
        Self { stem, chars: head.chars().count(), end: 1, bare: true }
    }

    fn fits(&self, chars: usize) -> bool {
        self.bare || self.chars + chars <= TOPIC_CHARS
    }
}

/// The files of a topic, the first one first.
struct Rooms {
    rooms: Vec<Room>,
    /// True if it had one file at most.
    single: bool,
}

struct Mover<'a> {
    snapshot: &'a Snapshot,
    categories: &'a Categories,
    topics: BTreeMap<String, Rooms>,
    /// Names of files that are taken, in lower case, because some file systems ignore case.
    taken: BTreeSet<String>,
    /// Lines that leave their file; where they go is written before.
    moved: Vec<(Target, Vec<Change>)>,
    layout: Layout,
}

/// Distributes changes among the files of their topics.
pub(super) fn layout(
    snapshot: &Snapshot,
    categories: &Categories,
    changes: &[(Target, Vec<Change>)],
) -> Layout {
    let there = snapshot.topics.iter().map(|file| file.stem.as_str());
    // A topic that is asked for by its name is not the file in which another goes on.
    let asked = changes.iter().filter_map(|(target, _)| match target {
        Target::Topic(stem) => Some(stem.as_str()),
        Target::Archive(_) => None,
    });
    let taken = there.chain(asked).map(str::to_lowercase).collect();
    let mut mover = Mover {
        snapshot,
        categories,
        topics: BTreeMap::new(),
        taken,
        moved: Vec::new(),
        layout: Layout::default(),
    };
    for (target, changes) in changes {
        match target {
            Target::Archive(_) => push(&mut mover.layout.changes, target, changes),
            Target::Topic(stem) => {
                for change in changes {
                    mover.place(stem, change);
                }
            }
        }
    }
    let Mover { moved, mut layout, .. } = mover;
    layout.moves = !moved.is_empty();
    if layout.moves {
        let rest = std::mem::replace(&mut layout.changes, moved);
        for (target, changes) in &rest {
            push(&mut layout.changes, target, changes);
        }
    }
    layout
}

fn push(all: &mut Vec<(Target, Vec<Change>)>, target: &Target, changes: &[Change]) {
    match all.iter_mut().find(|(known, _)| known == target) {
        Some((_, known)) => known.extend_from_slice(changes),
        None => all.push((target.clone(), changes.to_vec())),
    }
}

impl Mover<'_> {
    fn place(&mut self, stem: &str, change: &Change) {
        let mut stem = stem.to_owned();
        match change {
            Change::Append { category, text, markers, heading } => {
                let name = &self.categories.spec(*category).name;
                let line = topic::render(name, text, markers);
                stem = self.room(&stem, line.chars().count(), heading.as_deref());
            }
            Change::Reword(of, text) => {
                if let Some((markers, heading)) = self.outgrown(&stem, of, text) {
                    if !self.stands(&stem, of, text) {
                        let chars = text.chars().count() + self.overhead(of);
                        let to = self.room(&stem, chars, heading.as_deref());
                        let (category, text) = (of.category, text.clone());
                        let append = Change::Append { category, text, markers, heading };
                        push(&mut self.moved, &Target::Topic(to), &[append]);
                    }
                    let gone = Change::Remove(of.clone());
                    return push(&mut self.layout.changes, &Target::Topic(stem), &[gone]);
                }
            }
            _ => {}
        }
        push(&mut self.layout.changes, &Target::Topic(stem), std::slice::from_ref(change));
    }

    /// Returns an upper bound of what a line has besides its text.
    fn overhead(&self, of: &Wording) -> usize {
        let name = &self.categories.spec(of.category).name;
        format!("- [{name}]  *(pinned)* *(enforced)*").chars().count()
    }

    /// Returns true if another file of the topic has the line with its new text already, because
    /// the move was interrupted.
    fn stands(&self, stem: &str, of: &Wording, text: &str) -> bool {
        let subject = self.snapshot.subject(stem);
        self.snapshot.entries().any(|(file, entry)| {
            entry.text == text
                && entry.category == of.category
                && file.stem != stem
                && file.subject() == subject
        })
    }

    /// Returns markers and heading of a line if its file has no room for a new text.
    fn outgrown(
        &mut self,
        stem: &str,
        of: &Wording,
        text: &str,
    ) -> Option<(Markers, Option<String>)> {
        let (old, new) = (of.text.chars().count(), text.chars().count());
        let snapshot = self.snapshot;
        let file = snapshot.topics.iter().find(|file| file.stem == stem)?;
        let lines: Vec<&TopicEntry> = file.doc.entries.iter().filter(|e| e.is(of)).collect();
        let grown = new.saturating_sub(old) * lines.len();
        let subject = file.subject().to_owned();
        let room = self.rooms(&subject).rooms.iter_mut().find(|room| room.stem == stem)?;
        let is_alone = file.doc.entries.len() == lines.len();
        if grown == 0 || is_alone || room.chars + grown <= TOPIC_CHARS {
            room.chars += grown;
            return None;
        }
        let mut markers = lines.first()?.markers.clone();
        for line in &lines {
            markers.join(&line.markers);
        }
        Some((markers, lines.first().and_then(|line| file.doc.heading_above(line))))
    }

    /// Returns the file of a topic that has room for a line, and takes the room.
    fn room(&mut self, stem: &str, chars: usize, heading: Option<&str>) -> String {
        let subject = self.snapshot.subject(stem).to_owned();
        let title = heading.map(|title| title.chars().count());
        let needs =
            |room: &Room| chars + room.end + title.map_or(0, |title| title + 3 + 3 * room.end);
        let known = self.rooms(&subject);
        if let Some(room) = known.rooms.iter_mut().find(|room| room.fits(needs(room))) {
            room.chars += needs(room);
            room.bare = false;
            return room.stem.clone();
        }
        if std::mem::take(&mut known.single) {
            self.layout.outgrown.push(subject.clone());
        }
        let name = |number: usize| format!("{subject}-{number}");
        let is_free = |number: &usize| !self.taken.contains(&name(*number).to_lowercase());
        let stem = name((2..usize::MAX).find(is_free).unwrap_or_default());
        self.taken.insert(stem.to_lowercase());
        let mut room = Room::new(stem.clone(), &topic::continuation(&stem, &subject));
        room.chars += needs(&room);
        room.bare = false;
        self.rooms(&subject).rooms.push(room);
        self.layout.begun.push((stem.clone(), subject));
        stem
    }

    fn rooms(&mut self, subject: &str) -> &mut Rooms {
        let snapshot = self.snapshot;
        self.topics.entry(subject.to_owned()).or_insert_with(|| {
            let files = snapshot.topics.iter().filter(|file| file.subject() == subject);
            let mut rooms: Vec<Room> = files.map(Room::of).collect();
            let single = rooms.len() < 2;
            if rooms.iter().all(|room| room.stem != subject) {
                let head = format!("# {}\n\n", topic::heading(subject));
                rooms.push(Room::new(subject.to_owned(), &head));
            }
            let number = |room: &Room| {
                let rest = room.stem.strip_prefix(subject)?.strip_prefix('-')?;
                rest.parse::<usize>().ok()
            };
            rooms.sort_by_cached_key(|room| {
                (room.stem != subject, number(room).unwrap_or(usize::MAX), room.stem.clone())
            });
            Rooms { rooms, single }
        })
    }
}

/// Maximum number of characters of a topic file.
pub const TOPIC_CHARS: usize = 12_000;

/// A change would make a topic exceed its size limit, beyond which it may not go on in another file.
#[derive(Debug, thiserror::Error)]
#[error(
    "Topic \"{stem}\" would exceed its size limit ({}/{} chars). Consolidate or remove entries first \
     (pimem list -c {category}; pimem forget ID), or use --topic.",
    thousands(*.chars), thousands(TOPIC_CHARS)
)]
pub struct TopicFull {
    /// Name of the topic file without `.md`.
    pub stem: String,
    pub(super) category: String,
    /// Number of characters that the topic would have.
    pub(super) chars: usize,
}

/// A line has no room in any topic.
#[derive(Debug, thiserror::Error)]
#[error(
    "the text has {} characters, and a topic file holds {}", thousands(*.0), thousands(TOPIC_CHARS)
)]
pub struct LineTooLong(pub(super) usize);

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pimem_core::{
        markdown::topic::TopicDoc,
        model::{category::CategoryId, entry::EntryId},
    };
    use proptest::prelude::*;

    use super::*;

    /// A file of a store: its name, the topic that it says it continues, and the lengths of its
    /// lines.
    type Sample = (&'static str, Option<&'static str>, Vec<usize>);

    fn line(chars: usize, number: usize) -> String {
        format!("{number} {}", "x".repeat(chars))
    }

    fn snapshot(samples: &[Sample], categories: &Categories) -> Snapshot {
        let file = |(stem, of, lines): &Sample| {
            let mut text = of.map(|of| topic::continuation(stem, of)).unwrap_or_default();
            for (number, chars) in lines.iter().enumerate() {
                text.push_str(&format!("- [lesson] {}\n", line(*chars, number)));
            }
            TopicFile::new((*stem).to_owned(), TopicDoc::parse(text.into_bytes(), categories))
        };
        Snapshot { topics: samples.iter().map(file).collect(), ..Snapshot::default() }
    }

    fn any_samples() -> impl Strategy<Value = Vec<Sample>> {
        let files: [(&'static str, Option<&'static str>); 5] = [
            ("lessons", None),
            ("lessons-2", Some("lessons")),
            ("lessons-3", None),
            ("lessons-7", Some("lessons")),
            ("release", Some("lessons-3")),
        ];
        let lines = prop::collection::vec(1..6_000_usize, 0..4);
        prop::collection::vec((any::<bool>(), lines), files.len()).prop_map(move |held| {
            let all = files.into_iter().zip(held);
            all.filter(|(_, (is_there, _))| *is_there)
                .map(|((stem, of), (_, lines))| (stem, of, lines))
                .collect()
        })
    }

    proptest! {
        #[test]
        fn a_line_goes_to_its_topic_where_there_is_room(
            samples in any_samples(),
            lines in prop::collection::vec((prop::sample::select(vec!["lessons", "lessons-2", "lessons-3"]), 1..14_000_usize), 1..20),
        ) {
            let categories = Categories::default();
            let snapshot = snapshot(&samples, &categories);
            let category = categories.find("lesson").unwrap_or(CategoryId(0));
            let append = |number: usize, chars: usize| Change::Append {
                category,
                text: line(chars, number + 100),
                markers: Markers::default(),
                heading: None,
            };
            let changes: Vec<(Target, Vec<Change>)> = lines.iter().enumerate().map(|(number, (topic, chars))| {
                (Target::Topic((*topic).to_owned()), vec![append(number, *chars)])
            }).collect();
            let layout = layout(&snapshot, &categories, &changes);
            let mut sizes: BTreeMap<String, (usize, bool)> = BTreeMap::new();
            for file in &snapshot.topics {
                sizes.insert(file.stem.clone(), (file.doc.chars(), file.doc.entries.is_empty()));
            }
            let mut placed = 0;
            for (target, changes) in &layout.changes {
                let stem = target.stem().to_owned();
                let begun = layout.begun.iter().find(|(known, _)| *known == stem);
                let of = begun.map_or_else(|| snapshot.subject(&stem).to_owned(), |(_, of)| of.clone());
                prop_assert!(begun.is_none() || !snapshot.topics.iter().any(|file| file.stem == stem));
                for change in changes {
                    let Change::Append { text, .. } = change else { continue };
                    let number = text.split(' ').next().and_then(|n| n.parse::<usize>().ok()).unwrap_or_default();
                    let asked = lines[number - 100].0;
                    prop_assert_eq!(snapshot.subject(asked), of.as_str(), "{}", stem);
                    let head = if begun.is_some() { topic::continuation(&stem, &of) } else { format!("# {}\n\n", topic::heading(&stem)) };
                    let (chars, bare) = sizes.entry(stem.clone()).or_insert((head.chars().count(), true));
                    let before = (*chars, *bare);
                    *chars += format!("- [lesson] {text}\n").chars().count();
                    *bare = false;
                    prop_assert!(*chars <= TOPIC_CHARS || before.1, "{stem}: {before:?} {chars}");
                    placed += 1;
                }
            }
            prop_assert_eq!(placed, lines.len());
        }
    }

    /// A reworded line without room leaves for another file, and an interrupted move is completed.
    #[test]
    fn a_reworded_line_moves() {
        let categories = Categories::default();
        let mut snapshot = snapshot(&[("lessons", None, vec![5000, 5000, 1000])], &categories);
        let of = snapshot.topics[0].doc.entries[2].wording();
        let text = "y".repeat(4000);
        let reword =
            [(Target::Topic("lessons".to_owned()), vec![Change::Reword(of.clone(), text.clone())])];
        let moved = layout(&snapshot, &categories, &reword);
        let names: Vec<&str> = moved.changes.iter().map(|(target, _)| target.stem()).collect();
        assert_eq!((names, moved.moves), (vec!["lessons-2", "lessons"], true));
        assert!(matches!(moved.changes[0].1.as_slice(), [Change::Append { .. }]));
        assert!(matches!(moved.changes[1].1.as_slice(), [Change::Remove(gone)] if *gone == of));
        let written = format!("{}- [lesson] {text}\n", topic::continuation("lessons-2", "lessons"));
        let doc = TopicDoc::parse(written.into_bytes(), &categories);
        assert_eq!(doc.entries[0].id, EntryId::of("lesson", text.as_bytes()));
        snapshot.topics.push(TopicFile::new("lessons-2".to_owned(), doc));
        let again = layout(&snapshot, &categories, &reword);
        let names: Vec<&str> = again.changes.iter().map(|(target, _)| target.stem()).collect();
        assert_eq!(names, ["lessons"]);
    }
}
