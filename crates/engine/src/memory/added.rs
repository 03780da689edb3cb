//! Results of adding texts: near duplicates, which say in other words what an entry says already, and
//! whether the next report will show them.
//!
//! A user who adds an entry assumes that agents know it from then on. If the next report will not
//! show it, the result has the reason and a remedy.

use std::{cell::OnceCell, collections::HashMap};

use pimem_core::{
    embed::{self, table, vector::Vector},
    language::{
        injection,
        paraphrase::{self, NormalForm, Prefilter},
    },
    model::{
        category::CategoryId,
        entry::{EntryId, Wording},
        hash::{IdMap, IdSet},
    },
    report::{
        budget::Tokens,
        certain::{self, Asked, CertainLine, CertainPart, SectionSize},
        replaced::{self, Newer},
    },
    score::{
        ledger::Ledger,
        ranking::{self, LocatedEntry, ScoredEntry},
    },
};

use super::{
    Memory,
    add::AddedText,
    intake::{self, NewText},
    next::{self, Next},
};
use crate::{
    error::Failure,
    memory::{add::Added, next::Prospect},
    process::Leaky,
    store::{Store, commit::Written, snapshot::Snapshot, transaction::Txn},
};

/// Returns the result for each text, with all details of its entry if `whole` is true.
pub(super) fn results(
    memory: &Memory,
    store: &Store,
    written: Written,
    done: &[AddedText],
    (whole, has_past): (bool, bool),
) -> Result<Vec<Added>, Failure> {
    let written = Leaky::new(written, memory.ends_soon);
    let ids: Vec<EntryId> = {
        let lines = written.before().entries().map(|(_, entry)| entry.id);
        lines.chain(done.iter().map(|done| done.wording.id)).collect()
    };
    // Of a long batch, all are shortened together.
    let all = (done.len() > 1).then(|| ranking::short_ids(ids.iter().copied()));
    let short = |id| match &all {
        Some(all) => all.get(&id).cloned().unwrap_or_default(),
        None => ranking::short_id(id, ids.iter().copied()),
    };
    if let [one] = done
        && let Some(placed) =
            one.placed.as_ref().filter(|_| !whole && !has_past && one.until.is_none())
        && is_certain(memory, store, &written, placed)?
    {
        let next = Prospect { eligible: true, absent: None, seems_to_replace: None };
        return Ok(vec![result_of(memory, one, short(one.wording.id), next)]);
    }
    let categories = &memory.config.categories;
    let is_brief = !whole && done.len() == 1;
    let next = if is_brief { Next::of_shortlist(memory)? } else { None };
    let next = if let Some(next) = next {
        next
    } else {
        let snapshot = written.into_inner().after(store, categories, memory.now);
        Next::after(memory, vec![(store.dir.clone(), snapshot)])?
    };
    let own: IdSet<EntryId> = done.iter().map(|done| done.wording.id).collect();
    let mut rows: IdMap<EntryId, Vec<&ScoredEntry>> = IdMap::default();
    for row in next.ranking.rows.iter().filter(|row| own.contains(&row.entry.id)) {
        rows.entry(row.entry.id).or_default().push(row);
    }
    let was_there = |row: &ScoredEntry| !own.contains(&row.entry.id);
    let has_older = next.ranking.rows.iter().any(was_there);
    let newer = OnceCell::new();
    let newer = || newer.get_or_init(|| Newer::new(&next.ranking, categories));
    let older = |done: &AddedText, row: &ScoredEntry| {
        let fills = memory.config.settings.report.fill;
        let counts = fills && row.entry.reviewed && !row.is_over();
        if done.placed.is_some() {
            let seems = || newer().seems_replaced_by(row, was_there);
            return (counts && has_older).then(seems).flatten();
        }
        let was = done.was.filter(|was| counts && row.evidence.choice() > *was);
        was.and_then(|was| newer().overtaken(row, was))
    };
    let entries = memory.entries_of(&next.ranking);
    let short = |id| if whole { entries.short(id) } else { short(id) };
    let mut added = Vec::new();
    for done in done {
        let row = rows.get(&done.wording.id).into_iter().flatten();
        let Some(row) = row.copied().find(|row| row.entry.is(&done.wording)) else { continue };
        let id = short(row.entry.id);
        // All commands report texts worded as instructions in the same way.
        let is_told = !whole && !row.entry.reviewed && injection::find(&row.entry.text).is_some();
        let absent = if is_told { None } else { next.absent(memory, row, &id) };
        let mut old = older(done, row)
            .map(|old| (next::older(memory, old, short(old.entry.id), &done.wording), old));
        if let Some((older, old)) = old.as_mut().filter(|_| whole) {
            older.entry = Some(entries.entry(old));
        }
        let prospect = Prospect {
            eligible: absent.is_none(),
            absent,
            seems_to_replace: old.map(|(older, _)| older),
        };
        let mut one = result_of(memory, done, id, prospect);
        one.entry = whole.then(|| entries.entry(row));
        added.push(one);
    }
    Ok(added)
}

fn result_of(memory: &Memory, done: &AddedText, short: String, next: Prospect) -> Added {
    let AddedText { wording, reinforced, asides, replaces, .. } = done;
    Added {
        action: if *reinforced { "reinforced" } else { "added" },
        entry: None,
        next,
        category: memory.config.categories.spec(wording.category).name.to_string(),
        text: wording.text.clone(),
        asides: asides.clone(),
        replaces: replaces.clone(),
        short,
    }
}

/// The lines of a store beside a new one.
struct Side {
    /// `None` for the store that was written.
    other: Option<(Store, Snapshot)>,
    lines: Vec<CertainLine>,
}

/// Number of lines of a store from which on its shortlist tells what a report shows sooner than the
/// evidence of a category.
const LARGE: usize = 15_000;

/// Returns true if the next report certainly shows a new entry, and it seems to replace none: see
/// [`certain`]. Most evidence is not read for this.
fn is_certain(
    memory: &Memory,
    store: &Store,
    written: &Written,
    new: &LocatedEntry,
) -> Result<bool, Failure> {
    let categories = &memory.config.categories;
    let mut sides = vec![Side { other: None, lines: lines(written.before(), new.category) }];
    let mut is_read = false;
    for other in memory.reported()? {
        if other.dir == store.dir {
            is_read = true;
            continue;
        }
        let held = other.read_topics(categories);
        // Its evidence there counts for the entry too.
        if held.entries().any(|(_, entry)| entry.id == new.id) {
            return Ok(false);
        }
        let lines = lines(&held, new.category);
        sides.push(Side { other: Some((other, held)), lines });
    }
    if !is_read {
        return Ok(false);
    }
    let (rules, settings) = (memory.rules(), memory.report_settings(None, Tokens(0)));
    let mut sizes = vec![SectionSize::default(); categories.iter().count()];
    let mut count = |category: CategoryId, text: &str| {
        if let Some(size) = sizes.get_mut(usize::from(category.0)) {
            size.add(text);
        }
    };
    count(new.category, &new.text);
    for side in &sides {
        let held = side.other.as_ref().map_or(written.before(), |(_, held)| held);
        held.entries().for_each(|(_, entry)| count(entry.category, &entry.text));
    }
    let nothing = Asked { is_reviewed: &|_, _| false, is_there: &|_| false };
    let known = (new, sizes.as_slice());
    let fits = certain::is_shown(memory.now, rules, settings, known, None, &nothing);
    let may_fit = fits || written.before().entries().count() <= LARGE;
    if !may_fit || may_replace(memory, new, &sides) {
        return Ok(false);
    }
    if fits {
        return Ok(true);
    }
    let mut ledgers: Vec<Ledger> = Vec::new();
    for (at, side) in sides.iter().enumerate() {
        let ids = side.lines.iter().map(|(of, _)| of.id);
        let wanted: IdSet<EntryId> = ids.chain((at == 0).then_some(new.id)).collect();
        let of = side.other.as_ref().map_or(store, |(other, _)| other);
        let ledger = of.evidence_of(memory.now, &wanted);
        let Some(ledger) = ledger else { return Ok(false) };
        ledgers.push(ledger);
    }
    let parts: Vec<CertainPart<'_>> = sides
        .iter()
        .zip(&ledgers)
        .map(|(side, ledger)| CertainPart { lines: &side.lines, ledger })
        .collect();
    let held = |at: usize| {
        let other = sides.get(at).and_then(|side| side.other.as_ref());
        other.map_or((store, written.before()), |(store, held)| (store, held))
    };
    let is_reviewed = |at: usize, of: &Wording| {
        let (trust, name) = (&held(at).0.trust, &categories.spec(of.category).name);
        trust.holds_entry(name, &of.text) && trust.secret_in(name, &of.text).is_none()
    };
    let is_there = |id: EntryId| {
        (0..sides.len()).any(|at| {
            let (store, held) = held(at);
            let mut same = held.entries().filter(|(_, entry)| entry.id == id);
            same.any(|(_, entry)| {
                store.trust.holds_entry(&categories.spec(entry.category).name, &entry.text)
            })
        })
    };
    let asked = Asked { is_reviewed: &is_reviewed, is_there: &is_there };
    Ok(certain::is_shown(memory.now, rules, settings, known, Some(&parts), &asked))
}

fn lines(snapshot: &Snapshot, category: CategoryId) -> Vec<CertainLine> {
    let lines = snapshot.entries().map(|(_, entry)| entry);
    let lines = lines.filter(|entry| entry.category == category);
    lines.map(|entry| (entry.wording(), entry.markers.pinned)).collect()
}

/// Returns true if a new entry may seem to replace another one of its category.
fn may_replace(memory: &Memory, new: &LocatedEntry, sides: &[Side]) -> bool {
    let spec = memory.config.categories.spec(new.category);
    let others = sides.iter().flat_map(|side| &side.lines).map(|(of, _)| of.text.as_str());
    memory.config.settings.report.fill && replaced::may_replace(&new.text, spec, others)
}

/// Number of new entries from which on it pays to normalise all known ones once.
const MANY: usize = 32;

/// Known and earlier new entries by category and normal form.
type Forms = HashMap<(CategoryId, u64), Vec<Known>>;

/// An entry that a new one may repeat.
struct Known {
    id: EntryId,
    text: String,
    form: NormalForm,
    /// True for one of the new entries.
    earlier: bool,
}

/// Returns the known entries by their normal form.
fn forms(txn: &Txn<'_>) -> Forms {
    let mut forms = Forms::new();
    for (_, entry) in txn.snapshot().entries() {
        note(&mut forms, entry.category, (entry.id, &entry.text), false);
    }
    forms
}

fn note(forms: &mut Forms, category: CategoryId, (id, text): (EntryId, &str), earlier: bool) {
    let form = NormalForm::of(text);
    let known = forms.entry((category, form.key())).or_default();
    known.push(Known { id, text: text.to_owned(), form, earlier });
}

/// Finds the new entries that repeat a known entry or an earlier new one. Entries out of force are
/// ignored.
pub fn find(memory: &Memory, txn: &mut Txn<'_>, news: &mut [NewText]) {
    let mut over: Vec<Wording> = Vec::new();
    let mut forms = (news.len() >= MANY).then(|| forms(txn));
    for at in 0..news.len() {
        let Some((new, earlier)) = news.get_mut(..=at).and_then(<[NewText]>::split_last_mut) else {
            continue;
        };
        if let (Some(forms), Some(last)) = (&mut forms, earlier.last()) {
            let text = last.text.as_str();
            note(forms, last.category, (last.id(memory), text), true);
        }
        // A text with an expiry is a different statement.
        if new.until.is_some() || !txn.snapshot().holders(&new.wording(memory)).is_empty() {
            continue;
        }
        let search = |txn: &Txn<'_>, new: &NewText, over: &[Wording]| match &forms {
            None => repeated(memory, txn, new, earlier, over),
            Some(forms) => repeated_form(memory, txn, new, forms, over),
        };
        new.known = search(txn, new, &over);
        if let Some(first) = &new.known {
            // The log is read only if a similar entry was found.
            txn.read_evidence();
            if txn.snapshot().ledger.is_over(memory.now, first.id) {
                let rows = intake::ranking(memory, txn).rows;
                let rows = rows.iter().filter(|row| row.is_over());
                over = rows.map(|row| row.entry.wording()).collect();
                new.known = search(txn, new, &over);
            }
        }
    }
}

/// Does what [`repeated`] does, in a time that does not grow with the number of entries.
fn repeated_form(
    memory: &Memory,
    txn: &Txn<'_>,
    new: &NewText,
    forms: &Forms,
    over: &[Wording],
) -> Option<Wording> {
    let text = new.text.as_str();
    let form = NormalForm::of(text);
    let is_same = |known: &&Known| {
        let counts = || {
            if known.earlier {
                return true;
            }
            let over = over.iter().any(|over| over.id == known.id && over.text == known.text);
            !over && txn.reviewed(new.category, &known.text)
        };
        !(known.earlier && new.told)
            && form.says_the_same(&known.form)
            && are_near(text, &known.text, memory.merge_threshold())
            && counts()
    };
    let found = forms.get(&(new.category, form.key()))?.iter().find(is_same)?;
    Some(Wording { id: found.id, category: new.category, text: found.text.clone() })
}

/// Returns true if the vectors of two texts are near enough.
fn are_near(a: &str, b: &str, least: f64) -> bool {
    let vector = |text: &str| Vector::quantize(&table::embed(&embed::passage(text)));
    let (a, b) = (vector(a), vector(b));
    f64::from(a.cosine(&b.numbers, b.scale)) >= least
}

fn repeated(
    memory: &Memory,
    txn: &Txn<'_>,
    new: &NewText,
    earlier: &[NewText],
    over: &[Wording],
) -> Option<Wording> {
    let entries = txn.snapshot().entries().map(|(_, entry)| entry);
    let entries = entries.filter(|entry| entry.category == new.category);
    let known = entries.map(|entry| (entry.id, entry.text.as_str()));
    let like = |other: &&NewText| other.category == new.category && !new.told;
    let texts = earlier.iter().filter(like).map(|other| (other.id(memory), other.text.as_str()));
    same(new, known.chain(texts), memory.merge_threshold(), |id, text| {
        let said = earlier.iter().any(|other| other.text.as_str() == text);
        let over = over.iter().any(|over| over.id == id && over.text == text);
        said || !over && txn.reviewed(new.category, text)
    })
}

/// Returns the entry that says the same in other words.
fn same<'a>(
    new: &NewText,
    entries: impl Iterator<Item = (EntryId, &'a str)>,
    least: f64,
    counts: impl Fn(EntryId, &str) -> bool,
) -> Option<Wording> {
    let text = new.text.as_str();
    let (probe, outline) = (Prefilter::of(text), NormalForm::of(text));
    let is_same = |(id, known): &(EntryId, &str)| {
        paraphrase::could_match(&probe, known)
            && outline.says_the_same(&NormalForm::of(known))
            && are_near(text, known, least)
            && counts(*id, known)
    };
    let found = entries.into_iter().find(is_same);
    found.map(|(id, text)| Wording { id, category: new.category, text: text.to_owned() })
}
