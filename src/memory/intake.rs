//! What becomes of a text before it is an entry: checks, tags, and whether it is known already.

use crate::{
    context::Context,
    error::{Failure, Kind},
};
use pimem_core::{
    embed::{self, table, vector::Vector},
    exchange::json_position,
    language::{
        injection,
        paraphrase::{self, Outline, Probe},
    },
    markdown::{entry_line, topic::TopicEntry},
    model::{
        category::CategoryId,
        entry::{EntryId, Markers, Wording},
        event::{Cue, EventKind},
        time::Timestamp,
    },
    safety::entry_text::EntryText,
    score::{
        adopt,
        board::{Board, Placed},
    },
};
use pimem_engine::store::{
    snapshot::Store,
    transaction::{Change, Target, Txn},
};

/// An entry to be, checked.
pub(crate) struct New {
    pub(crate) category: CategoryId,
    /// Stem of the topic file, where it is not the category's.
    pub(crate) topic: Option<String>,
    /// The heading that its line goes below.
    pub(crate) heading: Option<String>,
    pub(crate) text: EntryText,
    /// The text before tags were added to it.
    pub(crate) untagged: Option<String>,
    pub(crate) cue: Cue,
    pub(crate) pin: bool,
    pub(crate) tags: Vec<String>,
    pub(crate) until: Option<Timestamp>,
    /// What it replaces, as a selector.
    pub(crate) supersedes: Option<String>,
    /// Whether it has a past, in which somebody kept it beside its like.
    pub(crate) told: bool,
    /// The entry that it turned out to be.
    pub(crate) known: Option<Wording>,
}

impl New {
    /// A text and nothing else about it.
    pub(crate) fn plain(category: CategoryId, text: EntryText, cue: Cue) -> Self {
        Self {
            category,
            topic: None,
            heading: None,
            text,
            untagged: None,
            cue,
            pin: false,
            tags: Vec::new(),
            until: None,
            supersedes: None,
            told: false,
            known: None,
        }
    }

    pub(crate) fn id(&self, ctx: &Context) -> EntryId {
        self.known.as_ref().map_or_else(|| self.line(ctx).id, |known| known.id)
    }

    /// The entry that it is.
    pub(crate) fn wording(&self, ctx: &Context) -> Wording {
        self.known.clone().unwrap_or_else(|| self.said(ctx, self.text.as_str()))
    }

    /// The entry of its category with some text.
    pub(crate) fn said(&self, ctx: &Context, text: &str) -> Wording {
        let id = EntryId::of(&ctx.config.categories.spec(self.category).name, text.as_bytes());
        Wording { id, category: self.category, text: text.to_owned() }
    }

    /// The line that it would be.
    pub(crate) fn line<'a>(&'a self, ctx: &'a Context) -> adopt::Line<'a> {
        let spec = ctx.config.categories.spec(self.category);
        let text = self.text.as_str();
        adopt::Line {
            id: EntryId::of(&spec.name, text.as_bytes()),
            category: &spec.name,
            topic: self.topic.as_deref().unwrap_or(&spec.topic),
            text,
            pinned: self.pin || self.text.pinned(),
        }
    }

    /// The file that it goes to, where its topic has no room for it.
    fn stem(&self, ctx: &Context, txn: &Txn<'_>, markers: Markers) -> String {
        let line = self.line(ctx);
        let title = self.heading.as_ref().map(|title| format!("## {title}\n\n\n"));
        let text = entry_line::render(line.category, line.text, markers);
        txn.with_room(line.topic, &(title.unwrap_or_default() + &text))
    }

    /// Puts the line into its topic file, as something that is said here.
    pub(crate) fn place(&self, ctx: &Context, txn: &mut Txn<'_>) -> Placed {
        self.place_marked(ctx, txn, Markers { pinned: self.line(ctx).pinned, enforced: false })
    }

    /// The same with markers.
    pub(crate) fn place_marked(
        &self,
        ctx: &Context,
        txn: &mut Txn<'_>,
        markers: Markers,
    ) -> Placed {
        let reviewed = txn.say(self.category, self.text.as_str());
        self.put(ctx, txn, markers, reviewed)
    }

    /// The same as something that nobody vouches for, unless it was `reviewed`.
    pub(crate) fn put(
        &self,
        ctx: &Context,
        txn: &mut Txn<'_>,
        markers: Markers,
        reviewed: bool,
    ) -> Placed {
        let (line, stem) = (self.line(ctx), self.stem(ctx, txn, markers));
        let placed = Placed {
            id: line.id,
            category: self.category,
            text: line.text.to_owned(),
            pinned: markers.pinned,
            line: txn.next_line(&stem),
            topic: stem.clone(),
            scope: txn.scope(),
            enforced: markers.enforced,
            reviewed,
        };
        let (category, text) = (self.category, line.text.to_owned());
        let heading = self.heading.clone();
        let change = Change::Append { category, text, markers, heading };
        txn.change(Target::Topic(stem), change);
        placed
    }

    /// Notes the evidence that it begins with.
    pub(crate) fn begin(&self, ctx: &Context, txn: &mut Txn<'_>) -> anyhow::Result<()> {
        self.begin_again(ctx, txn, false, self.line(ctx).pinned)
    }

    /// The same of what may have been put out of force before, and is `back` by this.
    pub(crate) fn begin_again(
        &self,
        ctx: &Context,
        txn: &mut Txn<'_>,
        back: bool,
        pinned: bool,
    ) -> anyhow::Result<()> {
        let markers = Markers { pinned, enforced: false };
        let stem = self.stem(ctx, txn, markers);
        let line = adopt::Line { topic: &stem, ..self.line(ctx) };
        let kind = EventKind::Add(self.cue, Some(adopt::origin(&line)));
        txn.record_tagged(line.id, kind, self.tags.clone())?;
        if back {
            txn.record(line.id, EventKind::Restore)?;
        }
        if pinned {
            txn.record(line.id, EventKind::Pin)?;
        }
        self.until.map_or(Ok(()), |until| txn.record(line.id, EventKind::Expire(until)))
    }

    /// The entry that says the same in other words, if there is one.
    fn repeats<'a>(
        &self,
        entries: impl Iterator<Item = (EntryId, &'a str)>,
        counts: impl Fn(EntryId, &str) -> bool,
    ) -> Option<Wording> {
        let text = self.text.as_str();
        let (probe, outline) = (Probe::of(text), Outline::of(text));
        let least = table::model().thresholds.duplicate;
        let near = |known: &str| {
            let known = Vector::quantize(&table::embed(&embed::passage(known)));
            let own = Vector::quantize(&table::embed(&embed::passage(text)));
            f64::from(own.cosine(&known.numbers, known.scale)) >= least
        };
        let same = |(id, known): &(EntryId, &str)| {
            paraphrase::could_match(&probe, known)
                && outline.says_the_same(&Outline::of(known))
                && near(known)
                && counts(*id, known)
        };
        let found = entries.into_iter().find(same);
        found.map(|(id, text)| Wording { id, category: self.category, text: text.to_owned() })
    }
}

/// The entries of a store as they stand.
pub(crate) fn board(ctx: &Context, txn: &Txn<'_>) -> Board {
    Board::new(ctx.now, ctx.rules(), vec![(txn.placed(), &txn.snapshot().ledger)])
}

/// Finds out which of the new entries say what others do, known ones or earlier new ones. What is out
/// of force says nothing any more.
pub(crate) fn find_repeated(ctx: &Context, txn: &mut Txn<'_>, news: &mut [New]) {
    let mut over: Vec<Wording> = Vec::new();
    for at in 0..news.len() {
        let Some((new, earlier)) = news.get_mut(..=at).and_then(<[New]>::split_last_mut) else {
            continue;
        };
        // What holds until another day is another statement.
        if new.until.is_some() || !txn.snapshot().holders(&new.wording(ctx)).is_empty() {
            continue;
        }
        new.known = repeated(ctx, txn, new, earlier, &over);
        if let Some(first) = &new.known {
            // The log is only read for those who come near something.
            txn.read_evidence();
            if txn.snapshot().ledger.is_over(ctx.now, first.id) {
                let rows = board(ctx, txn).rows;
                let rows = rows.iter().filter(|row| row.is_over());
                over = rows.map(|row| row.entry.wording()).collect();
                new.known = repeated(ctx, txn, new, earlier, &over);
            }
        }
    }
}

fn repeated(
    ctx: &Context,
    txn: &Txn<'_>,
    new: &New,
    earlier: &[New],
    over: &[Wording],
) -> Option<Wording> {
    let entries = txn.snapshot().entries().map(|(_, entry)| entry);
    let entries = entries.filter(|entry| entry.category == new.category);
    let known = entries.map(|entry| (entry.id, entry.text.as_str()));
    let like = |other: &&New| other.category == new.category && !new.told;
    let texts = earlier.iter().filter(like).map(|other| (other.id(ctx), other.text.as_str()));
    new.repeats(known.chain(texts), |id, text| {
        let said = earlier.iter().any(|other| other.text.as_str() == text);
        let over = over.iter().any(|over| over.id == id && over.text == text);
        said || !over && txn.reviewed(new.category, text)
    })
}

/// The entry whose id a text has, although it says something else: ids can be made to collide.
pub(crate) fn twin<'a>(
    entries: impl Iterator<Item = &'a TopicEntry>,
    of: &Wording,
) -> Option<&'a TopicEntry> {
    let mut twins = entries.filter(|entry| entry.id == of.id && !entry.is(of));
    twins.next()
}

/// Why a text is not stored that has the id of another one.
pub(crate) fn is_twin(of: &Wording, twin: &str) -> String {
    format!("{:?} has the id of another text, {twin:?} ({})", of.text, of.id)
}

/// Says which lines were stored and are kept from agents, for being worded as an order to them.
/// Lines are given by category and text.
pub(crate) fn say_orders<'a>(
    ctx: &Context,
    store: &Store,
    lines: impl Iterator<Item = (CategoryId, &'a str)>,
) {
    let trust = store.clone().strict().trust;
    for (category, text) in lines {
        let name = &ctx.config.categories.spec(category).name;
        let Some((_, does)) = injection::find(text).filter(|_| !trust.holds_entry(name, text))
        else {
            continue;
        };
        let id = EntryId::of(name, text.as_bytes());
        ctx.ui.note(&format!("It {does}: agents are not shown it before pimem trust {id}"));
    }
}

/// A store that cannot be read whole might hold the entry already: nothing is added to it.
pub(crate) fn refuse_if_unreadable(txn: &Txn<'_>) -> Result<(), Failure> {
    txn.snapshot().problems.first().map_or(Ok(()), |problem| Err(Failure::from(problem)))
}

/// The category of that name, or a failure that lists them all.
pub(crate) fn category(ctx: &Context, name: &str) -> Result<CategoryId, Failure> {
    let categories = &ctx.config.categories;
    categories.find(name).ok_or_else(|| {
        let known = categories.iter().map(|(_, spec)| spec.name.as_ref());
        let mut hints = vec![format!("the categories are {}", categories.names())];
        if let Some(name) = json_position::closest(name, known) {
            hints.insert(0, format!("did you mean {name}?"));
        }
        Failure { kind: Kind::Usage, message: format!("unknown category {name:?}"), hints }
    })
}

/// A topic's name as somebody gives it.
pub(crate) fn topic(name: &str) -> Result<String, Failure> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if (1..=64).contains(&name.len()) && name.chars().all(is_plain) {
        return Ok(name.to_owned());
    }
    let message = format!("{name:?} is not a usable name of a topic");
    let hint = "names are small letters, digits and hyphens, 64 at most: --topic payments";
    Err(Failure::new(Kind::Usage, message, hint))
}

/// Whether a file belongs to a topic: its own, or one that it goes on in.
pub(crate) fn is_of_topic(stem: &str, topic: &str) -> bool {
    let number = stem.strip_prefix(topic).and_then(|rest| rest.strip_prefix('-'));
    let goes_on = number.and_then(|number| number.parse::<usize>().ok());
    stem == topic || goes_on.is_some_and(|number| number > 1)
}

/// A text with tags behind it.
pub(crate) fn with_tags(plain: &EntryText, tags: &[String]) -> Result<EntryText, Failure> {
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
            return Err(Failure::new(Kind::Refused, message, hint));
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
