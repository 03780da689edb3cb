//! Near duplicates: new entries that say in other words what an entry says already.

use std::collections::HashMap;

use super::{
    Memory,
    intake::{self, NewText},
};
use crate::store::transaction::Txn;
use pimem_core::{
    embed::{self, table, vector::Vector},
    language::paraphrase::{self, NormalForm, Prefilter},
    model::{
        category::CategoryId,
        entry::{EntryId, Wording},
    },
};

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
