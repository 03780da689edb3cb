//! What becomes of a text before it is an entry: checks, tags, and whether it is known already.

use super::{
    context::Context,
    error::{Failure, Kind},
};
use crate::{
    config::locate,
    embed::{self, table, vector::Vector},
    model::{
        category::CategoryId,
        entry::{EntryId, EntryText},
        event::{Cue, EventKind},
        time::Timestamp,
    },
    plan::instruction,
    recall::duplicate::{self, Outline, Probe},
    score::{adopt, board::Placed},
    store::{
        txn::{Change, Target, Txn},
        vault::Store,
    },
};

/// An entry to be, checked.
pub(crate) struct New {
    pub(crate) category: CategoryId,
    /// Stem of the topic file, where it is not the category's.
    pub(crate) topic: Option<String>,
    pub(crate) text: EntryText,
    pub(crate) cue: Cue,
    pub(crate) pin: bool,
    pub(crate) tags: Vec<String>,
    pub(crate) until: Option<Timestamp>,
    /// Whether it has a past, in which somebody kept it beside its like.
    pub(crate) told: bool,
    /// The entry that it turned out to be.
    pub(crate) known: Option<EntryId>,
}

impl New {
    pub(crate) fn id(&self, ctx: &Context) -> EntryId {
        self.known.unwrap_or_else(|| self.line(ctx).id)
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

    /// Puts the line into its topic file, as something that is said here.
    pub(crate) fn place(&self, ctx: &Context, txn: &mut Txn<'_>) -> Placed {
        let reviewed = txn.say(self.category, self.text.as_str());
        self.put(ctx, txn, reviewed)
    }

    /// The same as something that nobody vouches for, unless it was `reviewed`.
    pub(crate) fn put(&self, ctx: &Context, txn: &mut Txn<'_>, reviewed: bool) -> Placed {
        let line = self.line(ctx);
        let placed = Placed {
            id: line.id,
            category: self.category,
            text: line.text.to_owned(),
            pinned: line.pinned,
            topic: line.topic.to_owned(),
            line: txn.next_line(line.topic),
            scope: txn.scope(),
            enforced: false,
            reviewed,
        };
        let (category, text) = (self.category, line.text.to_owned());
        let change = Change::Append { category, text, pinned: line.pinned };
        txn.change(Target::Topic(line.topic.to_owned()), change);
        placed
    }

    /// Notes the evidence that it begins with.
    pub(crate) fn begin(&self, ctx: &Context, txn: &mut Txn<'_>) -> anyhow::Result<()> {
        let line = self.line(ctx);
        let kind = EventKind::Add(self.cue, Some(adopt::origin(&line)));
        txn.record_tagged(line.id, kind, self.tags.clone())?;
        if line.pinned {
            txn.record(line.id, EventKind::Pin)?;
        }
        self.until.map_or(Ok(()), |until| txn.record(line.id, EventKind::Expire(until)))
    }

    /// The entry that says the same in other words, if there is one.
    fn repeats<'a>(
        &self,
        entries: impl Iterator<Item = (EntryId, &'a str)>,
        counts: impl Fn(&str) -> bool,
    ) -> Option<EntryId> {
        let text = self.text.as_str();
        let (probe, outline) = (Probe::of(text), Outline::of(text));
        let least = table::model().thresholds.duplicate;
        let near = |known: &str| {
            let known = Vector::quantize(&table::embed(&embed::passage(known)));
            let own = Vector::quantize(&table::embed(&embed::passage(text)));
            f64::from(own.cosine(&known.numbers, known.scale)) >= least
        };
        let same = |known: &str| {
            duplicate::could_match(&probe, known)
                && outline.says_the_same(&Outline::of(known))
                && near(known)
                && counts(known)
        };
        entries.into_iter().find(|(_, known)| same(known)).map(|(id, _)| id)
    }
}

/// Finds out which of the new entries say what others do, known ones or earlier new ones.
pub(crate) fn find_repeated(ctx: &Context, txn: &Txn<'_>, news: &mut [New]) {
    for at in 0..news.len() {
        let Some((new, earlier)) = news.get_mut(..=at).and_then(<[New]>::split_last_mut) else {
            continue;
        };
        // What holds until another day is another statement.
        if new.until.is_some() || !txn.snapshot().holders(new.id(ctx)).is_empty() {
            continue;
        }
        let known = txn.snapshot().of_category(new.category);
        let like = |other: &&New| other.category == new.category && !new.told;
        let counts = |text: &str| {
            let said = earlier.iter().any(|other| other.text.as_str() == text);
            said || txn.reviewed(new.category, text)
        };
        let texts = earlier.iter().filter(like).map(|other| (other.id(ctx), other.text.as_str()));
        new.known = new.repeats(known.chain(texts), counts);
    }
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
        let Some((_, does)) = instruction::find(text).filter(|_| !trust.holds_entry(name, text))
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
        if let Some(name) = locate::closest(name, known) {
            hints.insert(0, format!("did you mean {name}?"));
        }
        Failure { kind: Kind::Usage, message: format!("unknown category {name:?}"), hints }
    })
}

/// A text with tags behind it.
pub(crate) fn with_tags(text: &str, tags: &[String]) -> Result<EntryText, Failure> {
    // A tag alone is no memory, so the text is looked at before tags are added.
    let plain = EntryText::new(text)?;
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
