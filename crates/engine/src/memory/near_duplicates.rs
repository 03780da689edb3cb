//! Near duplicates: new entries that say in other words what an entry says already.

use super::{
    Memory,
    intake::{self, New},
};
use crate::store::transaction::Txn;
use pimem_core::{
    embed::{self, table, vector::Vector},
    language::paraphrase::{self, NormalForm, Prefilter},
    model::entry::{EntryId, Wording},
};

/// Finds the new entries that repeat a known entry or an earlier new one. Entries out of force are
/// ignored.
pub fn find(memory: &Memory, txn: &mut Txn<'_>, news: &mut [New]) {
    let mut over: Vec<Wording> = Vec::new();
    for at in 0..news.len() {
        let Some((new, earlier)) = news.get_mut(..=at).and_then(<[New]>::split_last_mut) else {
            continue;
        };
        // A text with an expiry is a different statement.
        if new.until.is_some() || !txn.snapshot().holders(&new.wording(memory)).is_empty() {
            continue;
        }
        new.known = repeated(memory, txn, new, earlier, &over);
        if let Some(first) = &new.known {
            // The log is read only if a similar entry was found.
            txn.read_evidence();
            if txn.snapshot().ledger.is_over(memory.now, first.id) {
                let rows = intake::ranking(memory, txn).rows;
                let rows = rows.iter().filter(|row| row.is_over());
                over = rows.map(|row| row.entry.wording()).collect();
                new.known = repeated(memory, txn, new, earlier, &over);
            }
        }
    }
}

fn repeated(
    memory: &Memory,
    txn: &Txn<'_>,
    new: &New,
    earlier: &[New],
    over: &[Wording],
) -> Option<Wording> {
    let entries = txn.snapshot().entries().map(|(_, entry)| entry);
    let entries = entries.filter(|entry| entry.category == new.category);
    let known = entries.map(|entry| (entry.id, entry.text.as_str()));
    let like = |other: &&New| other.category == new.category && !new.told;
    let texts = earlier.iter().filter(like).map(|other| (other.id(memory), other.text.as_str()));
    same(new, known.chain(texts), memory.merge_threshold(), |id, text| {
        let said = earlier.iter().any(|other| other.text.as_str() == text);
        let over = over.iter().any(|over| over.id == id && over.text == text);
        said || !over && txn.reviewed(new.category, text)
    })
}

/// Returns the entry that says the same in other words.
fn same<'a>(
    new: &New,
    entries: impl Iterator<Item = (EntryId, &'a str)>,
    least: f64,
    counts: impl Fn(EntryId, &str) -> bool,
) -> Option<Wording> {
    let text = new.text.as_str();
    let (probe, outline) = (Prefilter::of(text), NormalForm::of(text));
    let near = |known: &str| {
        let known = Vector::quantize(&table::embed(&embed::passage(known)));
        let own = Vector::quantize(&table::embed(&embed::passage(text)));
        f64::from(own.cosine(&known.numbers, known.scale)) >= least
    };
    let is_same = |(id, known): &(EntryId, &str)| {
        paraphrase::could_match(&probe, known)
            && outline.says_the_same(&NormalForm::of(known))
            && near(known)
            && counts(*id, known)
    };
    let found = entries.into_iter().find(is_same);
    found.map(|(id, text)| Wording { id, category: new.category, text: text.to_owned() })
}
