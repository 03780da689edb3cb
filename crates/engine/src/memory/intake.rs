//! Intake of a text before it becomes an entry: validation, tags, and its first events.

use crate::memory::handles::Writing;
use pimem_core::model::{
    questions::Questions,
    rules::{LineAsides, LineRules},
};
use pimem_core::{
    guard,
    language::injection,
    markdown::topic::TopicEntry,
    model::{
        category::CategoryId,
        entry::{EntryId, Markers, Share, Wording},
        event::{Cue, EventKind},
        names,
        time::Timestamp,
    },
    report::budget::thousands,
    safety::text::EntryText,
    score::{
        adopt,
        ranking::{LocatedEntry, Ranking},
    },
    search::social_gate::{self, AskedError},
};

use super::Memory;
use crate::{
    config::settings::TopicLimit,
    error::{Failure, FailureKind},
    store::{
        Store,
        kept_lines::KeptLines,
        transaction::{Change, Target, Txn},
    },
};

pub struct NewText {
    pub category: CategoryId,
    /// Stem of the topic file; `None` for that of the category.
    pub topic: Option<String>,
    /// Heading below which the line is added.
    pub heading: Option<String>,
    pub text: EntryText,
    /// The text before tags were added.
    pub untagged: Option<String>,
    pub cue: Cue,
    pub pin: bool,
    pub tags: Vec<String>,
    /// What it is asked for as, and the rules that it carries, besides what stands behind the text.
    pub asides: LineAsides,
    pub until: Option<Timestamp>,
    /// Score under the policy `weighted`; 0 takes an earlier priority back.
    pub priority: Option<Share>,
    /// Importance at the start, under the policy `ebbinghaus`.
    pub importance: Option<Share>,
    pub supersedes: Option<String>,
    /// True if the entry has evidence, with which it was kept beside similar entries.
    pub told: bool,
    /// The known entry that it repeats.
    pub known: Option<Wording>,
    /// Where it was said or written, in words for people.
    pub source: Option<String>,
    /// In how many places it was found.
    pub often: u32,
}

impl NewText {
    /// Creates an entry from a text with default attributes.
    pub fn plain(category: CategoryId, text: EntryText, cue: Cue) -> Self {
        Self {
            category,
            topic: None,
            heading: None,
            text,
            untagged: None,
            cue,
            pin: false,
            tags: Vec::new(),
            asides: LineAsides::default(),
            until: None,
            priority: None,
            importance: None,
            supersedes: None,
            told: false,
            known: None,
            source: None,
            often: 1,
        }
    }

    /// Creates an entry that the user states explicitly, given the name of its category.
    ///
    /// # Errors
    /// Fails if there is no such category, or the text may not be stored.
    pub fn stated(memory: &Memory, category: &str, text: &str) -> Result<Self, Failure> {
        let category = self::category(memory, category)?;
        Ok(Self::plain(category, EntryText::new(text)?, Cue::Explicit))
    }

    pub fn id(&self, memory: &Memory) -> EntryId {
        self.known.as_ref().map_or_else(|| self.line(memory).id, |known| known.id)
    }

    /// Returns the wording of the known entry that it repeats, or of itself.
    pub fn wording(&self, memory: &Memory) -> Wording {
        self.known.clone().unwrap_or_else(|| self.said(memory, self.text.as_str()))
    }

    /// Returns the wording of a text in its category.
    pub fn said(&self, memory: &Memory, text: &str) -> Wording {
        let id = EntryId::of(&memory.config.categories.spec(self.category).name, text.as_bytes());
        Wording { id, category: self.category, text: text.to_owned() }
    }

    /// Returns the line that it would have.
    pub fn line<'a>(&'a self, memory: &'a Memory) -> adopt::AdoptedLine<'a> {
        let spec = memory.config.categories.spec(self.category);
        let text = self.text.as_str();
        adopt::AdoptedLine {
            id: EntryId::of(&spec.name, text.as_bytes()),
            category: &spec.name,
            topic: self.topic.as_deref().unwrap_or(&spec.topic),
            text,
            pinned: self.pin || self.text.pinned(),
        }
    }

    /// Returns the markers that its line begins with.
    pub fn markers(&self) -> Markers {
        Markers { asides: self.asides(), ..Markers::pinned(self.pin || self.text.pinned()) }
    }

    /// Returns what it is asked for as, and the rules that it carries.
    pub fn asides(&self) -> LineAsides {
        let mut asides = self.asides.clone();
        asides.join(self.text.asides());
        asides
    }

    /// Adds the line to its topic file, as written here.
    pub fn place(&self, memory: &Memory, txn: &mut Txn<'_>) -> LocatedEntry {
        self.place_marked(memory, txn, self.markers())
    }

    /// Adds the line like [`NewText::place`], with markers.
    pub fn place_marked(
        &self,
        memory: &Memory,
        txn: &mut Txn<'_>,
        markers: Markers,
    ) -> LocatedEntry {
        let reviewed = txn.say(self.category, self.text.as_str());
        self.put(memory, txn, markers, reviewed)
    }

    /// Like [`place_marked`](Self::place_marked), but the line awaits review unless it is `reviewed`.
    pub fn put(
        &self,
        memory: &Memory,
        txn: &mut Txn<'_>,
        markers: Markers,
        reviewed: bool,
    ) -> LocatedEntry {
        let line = self.line(memory);
        let topic = txn.snapshot().subject(line.topic).to_owned();
        let placed = LocatedEntry {
            pinned: markers.pinned,
            topic: topic.clone(),
            scope: txn.scope(),
            enforced: markers.enforced,
            asides: markers.asides.clone(),
            reviewed,
            ..LocatedEntry::new(line.id, self.category, line.text.to_owned())
        };
        let (category, text) = (self.category, line.text.to_owned());
        let heading = self.heading.clone();
        let change = Change::Append { category, text, markers, heading };
        txn.change(Target::Topic(topic), change);
        placed
    }

    /// Records its first evidence.
    pub fn begin(&self, memory: &Memory, txn: &mut Txn<'_>) -> anyhow::Result<()> {
        self.begin_marked(memory, txn, &self.markers(), None)
    }

    /// Records its first evidence. `after` follows its addition.
    pub fn begin_marked(
        &self,
        memory: &Memory,
        txn: &mut Txn<'_>,
        markers: &Markers,
        after: Option<EventKind>,
    ) -> anyhow::Result<()> {
        let line = self.line(memory);
        let topic = txn.snapshot().subject(line.topic).to_owned();
        let line = adopt::AdoptedLine { topic: &topic, ..line };
        let kind = EventKind::Add(self.cue, Some(adopt::origin(&line)));
        txn.record_of(line.id, kind, (self.tags.clone(), self.source.clone()))?;
        if self.often > 1 {
            txn.record(line.id, EventKind::Reinforce((self.often - 1).min(OFTEN)))?;
        }
        if let Some(after) = after {
            txn.record(line.id, after)?;
        }
        if markers.pinned {
            txn.record(line.id, EventKind::Pin)?;
        }
        for kind in markers.asides.since(&LineAsides::default()) {
            txn.record(line.id, kind)?;
        }
        self.until.map_or(Ok(()), |until| txn.record(line.id, EventKind::Expire(until)))?;
        self.rate(txn, line.id)
    }

    /// Records the priority and importance that it was given.
    pub fn rate(&self, txn: &mut Txn<'_>, id: EntryId) -> anyhow::Result<()> {
        let given =
            [self.priority.map(EventKind::Priority), self.importance.map(EventKind::Importance)];
        given.into_iter().flatten().try_for_each(|kind| txn.record(id, kind))
    }
}

pub fn ranking(memory: &Memory, txn: &Txn<'_>) -> Ranking {
    Ranking::new(memory.now, memory.rules(), vec![(txn.placed(), &txn.snapshot().ledger)])
}

/// Returns an entry with the same id and another text: ids can be made to collide.
pub fn twin<'a>(
    entries: impl Iterator<Item = &'a TopicEntry>,
    of: &Wording,
) -> Option<&'a TopicEntry> {
    let mut twins = entries.filter(|entry| entry.id == of.id && !entry.is(of));
    twins.next()
}

/// Returns the message for a text whose id another text has.
pub fn is_twin(of: &Wording, twin: &str) -> String {
    format!("{:?} has the id of another text, {twin:?} ({})", of.text, of.id)
}

/// Reports which stored lines are hidden from agents because they are worded as instructions.
/// `lines` are pairs of category and text.
pub fn say_orders<'a>(
    memory: &Memory,
    store: &Store,
    lines: impl Iterator<Item = (CategoryId, &'a str)>,
) {
    let trust = store.clone().strict().trust;
    for (category, text) in lines {
        let name = &memory.config.categories.spec(category).name;
        let Some((_, does)) = injection::find(text).filter(|_| !trust.holds_entry(name, text))
        else {
            continue;
        };
        let id = EntryId::of(name, text.as_bytes());
        memory.notices.note(&format!("It {does}: agents are not shown it before pimem trust {id}"));
    }
}

impl Writing<'_> {
    /// Notes who writes a text that is no entry, before it is written, and says which of its passages
    /// are hidden from agents.
    pub fn review_text(self, store: &Store, text: &str) -> Result<(), Failure> {
        for does in store.take_text(text)? {
            let line = format!("It {does}: agents are not shown it before pimem trust --review");
            self.memory.notices.note(&line);
        }
        Ok(())
    }
}

/// Most that being found in several places counts.
const OFTEN: u32 = 3;
/// Number of characters from which on a text is hardly one sentence.
const LONG: usize = 1000;

/// Says of texts that they are long for a memory.
pub fn say_long<'a>(memory: &Memory, texts: impl Iterator<Item = &'a str>) {
    let longest = texts.map(|text| text.chars().count()).max().unwrap_or_default();
    if longest > LONG {
        memory.notices.note(&format!(
            "A memory is one sentence, and this has {} characters: pimem note takes texts",
            thousands(longest)
        ));
    }
}

/// Returns what is to be said of topics that go on in another file when a change is written.
pub fn outgrown(txn: &Txn<'_>) -> Vec<String> {
    let line = |(topic, file): (&str, &str)| {
        format!(
            "Topic {topic:?} is full and goes on in topics/{file}.md; pimem dream --plan proposes \
             what to consolidate"
        )
    };
    txn.outgrown().into_iter().map(line).collect()
}

/// Says what [`outgrown`] has returned, when the change is written, and what a loss of the work tree would
/// take, as other work trees and branches cannot have it.
pub fn say_written(memory: &Memory, outgrown: &[String], kept: &KeptLines) {
    for line in outgrown {
        memory.notices.note(line);
    }
    if let Some(closed) = &kept.closed {
        memory.notices.note(&format!(
            "{} cannot be written here: until pimem runs where it can, only this work tree has what is \
             added",
            closed.display()
        ));
    }
    if kept.left_out > 0 {
        memory.notices.note(&format!(
            "So many lines are not merged that only this work tree has {} of them",
            thousands(kept.left_out)
        ));
    }
}

/// Has a topic without room refuse what is typed, where that is set.
pub fn keep_to_topics(memory: &Memory, txn: &mut Txn<'_>) {
    if memory.config.settings.report.topic_limit == TopicLimit::Refuse {
        txn.keep_to_topics();
    }
}

/// Fails if a store cannot be read completely, because it may contain the entry already.
pub fn refuse_if_unreadable(txn: &Txn<'_>) -> Result<(), Failure> {
    txn.snapshot().problems.first().map_or(Ok(()), |problem| Err(Failure::from(problem)))
}

/// Returns the category in force with a name, or a failure that lists all names.
pub fn category(memory: &Memory, name: &str) -> Result<CategoryId, Failure> {
    let categories = &memory.config.categories;
    let found = known_category(memory, name)?;
    if categories.is_set(found) {
        return Ok(found);
    }
    let message = format!("category {name:?} is of another preset, and only read");
    let hints = vec![
        format!("the categories are {}", categories.names()),
        "pimem config set categories.preset all sets all".to_owned(),
    ];
    Err(Failure { kind: FailureKind::Usage, message, hints })
}

/// Category of a text that names none.
pub const CATEGORY: &str = "lesson";

/// Returns the category and the text of what is to be added, which may be a line of a topic, as in
/// `- [decision] TEXT`: its category counts unless another one is named.
///
/// # Errors
/// Fails if a category is unknown, or only read.
pub fn stated<'a>(
    memory: &Memory,
    named: Option<&str>,
    line: &'a str,
) -> Result<(CategoryId, &'a str), Failure> {
    let line = line.trim_start();
    let text = bullet(line).unwrap_or(line);
    let own = text.trim_start().strip_prefix('[').and_then(|rest| rest.split_once("] "));
    let own = own.and_then(|(own, bare)| Some((in_any_case(memory, own)?, own, bare)));
    let named = named.map(|name| category(memory, name)).transpose()?;
    Ok(match (named, own) {
        (None, Some((_, own, bare))) => (category(memory, own)?, bare),
        (Some(named), Some((own, _, bare))) if named == own => (named, bare),
        (Some(named), _) => (named, text),
        (None, None) => (category(memory, CATEGORY)?, text),
    })
}

/// Returns the items of a text that is a list, each with the lines below it. Any other text is one.
pub fn items(text: &str) -> Vec<String> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    let first = lines.peek().copied().unwrap_or_default();
    let (indent, _) = first.split_at(first.len() - first.trim_start().len());
    let starts = |line: &str| line.strip_prefix(indent).and_then(bullet).is_some();
    if !starts(first) {
        return vec![text.to_owned()];
    }
    let mut items: Vec<String> = Vec::new();
    for line in lines {
        match items.last_mut() {
            Some(item) if !starts(line) => item.extend(["\n", line]),
            _ => items.push(line.to_owned()),
        }
    }
    items
}

/// Returns what follows the mark of a list's item.
fn bullet(line: &str) -> Option<&str> {
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))
}

/// Finds a category, whose name is known in any case, and of many: `Decisions` is what headings
/// and agents say.
fn in_any_case(memory: &Memory, name: &str) -> Option<CategoryId> {
    let lower = name.to_lowercase();
    let singular = lower.strip_suffix('s').unwrap_or(&lower);
    [name, &lower, singular].into_iter().find_map(|name| memory.config.categories.find(name))
}

/// Like [`category`], also for a category whose entries are only read.
pub fn known_category(memory: &Memory, name: &str) -> Result<CategoryId, Failure> {
    let categories = &memory.config.categories;
    in_any_case(memory, name).ok_or_else(|| {
        let known = categories.iter().map(|(_, spec)| spec.name.as_ref());
        let mut hints = vec![format!("the categories are {}", categories.names())];
        if let Some(name) = names::closest(name, known) {
            hints.insert(0, format!("did you mean {name}?"));
        }
        Failure { kind: FailureKind::Usage, message: format!("unknown category {name:?}"), hints }
    })
}

/// Returns true for names that a file cannot have on Windows, whatever its extension.
fn is_device(name: &str) -> bool {
    let numbered = name.strip_prefix("com").or_else(|| name.strip_prefix("lpt"));
    ["con", "prn", "aux", "nul"].contains(&name)
        || numbered.is_some_and(|number| matches!(number.as_bytes(), [b'0'..=b'9']))
}

pub fn topic(name: &str) -> Result<String, Failure> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if is_device(name) {
        let message =
            format!("{name:?} is the name of a device on Windows, where no file can have it");
        return Err(Failure::new(FailureKind::Usage, message, "choose another: --topic payments"));
    }
    if (1..=64).contains(&name.len()) && name.chars().all(is_plain) {
        return Ok(name.to_owned());
    }
    let message = format!("{name:?} is not a usable name of a topic");
    let hint = "names are small letters, digits and hyphens, 64 at most: --topic payments";
    Err(Failure::new(FailureKind::Usage, message, hint))
}

/// Checks what an entry is asked for as.
///
/// # Errors
/// Fails if it is no such thing.
pub fn asked(questions: &[String]) -> Result<Questions, Failure> {
    let hint = "a few words each, as somebody would ask who does not know the entry";
    social_gate::asked(questions).map_err(|error| match error {
        AskedError::Text(error) => error.into(),
        error => Failure::new(FailureKind::Usage, error.to_string(), hint),
    })
}

/// Checks the rules that somebody gives.
///
/// # Errors
/// Fails if a pattern is not usable or matches everything, or holds a secret or invisible
/// characters.
pub fn rules(rules: LineRules) -> Result<LineRules, Failure> {
    for rule in &rules {
        let text = rule.to_string();
        EntryText::new(&text)?;
        guard::check(rule).map_err(|error| {
            let hint = "globs are as in src/**/*.ts, expressions as grep -E has them";
            Failure::new(FailureKind::Usage, format!("{text}: {error}"), hint)
        })?;
    }
    Ok(rules)
}

pub fn with_tags(plain: &EntryText, tags: &[String]) -> Result<EntryText, Failure> {
    if tags.is_empty() {
        return Ok(plain.clone());
    }
    let mut all = plain.as_str().to_owned();
    for tag in tags {
        let name = tag.trim_start_matches('#');
        let good = (1..=64).contains(&name.len())
            && name.chars().all(|c| c.is_alphanumeric() || "-_:/.".contains(c));
        if !good {
            let message = format!("{tag:?} is not a usable tag");
            let hint = "tags are letters, digits, and any of - _ : / .";
            return Err(Failure::new(FailureKind::Refused, message, hint));
        }
        let word = format!("#{name}");
        if !all.split_whitespace().any(|known| known == word) {
            all.push(' ');
            all.push_str(&word);
        }
    }
    if plain.pinned() {
        all.push_str(" *(pinned)*");
    }
    Ok(EntryText::new(&all)?)
}
