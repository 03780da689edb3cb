//! Generators of random histories, and the results expected of them.

use std::collections::{BTreeMap, BTreeSet};

/// `SplitMix64`.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap()
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() { None } else { from.get(self.below(from.len())) }
    }
}

/// The effects of the commands that exited with 0, up to one commit.
#[derive(Default, Clone)]
pub(crate) struct Told {
    /// Evidence gained or lost, by text.
    pub(crate) counts: BTreeMap<String, i64>,
    /// Pairs of new and old wording.
    pub(crate) edits: BTreeSet<(String, String)>,
    pub(crate) touched: BTreeSet<String>,
}

impl Told {
    pub(crate) fn and(&self, other: &Self) -> Self {
        let mut all = self.clone();
        for (text, count) in &other.counts {
            *all.counts.entry(text.clone()).or_default() += count;
        }
        all.edits.extend(other.edits.iter().cloned());
        all.touched.extend(other.touched.iter().cloned());
        all
    }

    /// Records a command that exited with 0.
    pub(crate) fn tell(&mut self, args: &[&str], stdout: &str) {
        let mut count =
            |text: &str, by: i64| *self.counts.entry(text.to_owned()).or_default() += by;
        match *args {
            ["add", .., text] if stdout.starts_with("Already exists") => count(text, 1),
            ["reinforce", text, "--by", n] => count(text, n.parse().unwrap()),
            ["reinforce", text, "--harmful"] => count(text, -4),
            ["edit", old, new] => drop(self.edits.insert((new.to_owned(), old.to_owned()))),
            _ => {}
        }
        let is_entry = |word: &&&str| word.starts_with("Rule ");
        self.touched.extend(args.iter().filter(is_entry).map(|text| (*text).to_owned()));
    }

    pub(crate) fn family(&self, text: &str) -> BTreeSet<String> {
        let mut family = BTreeSet::from([text.to_owned()]);
        loop {
            let older = self.edits.iter().filter(|(new, _)| family.contains(new));
            let older: Vec<String> = older.map(|(_, old)| old.clone()).collect();
            let before = family.len();
            family.extend(older);
            if family.len() == before {
                return family;
            }
        }
    }

    pub(crate) fn evidence(&self, text: &str) -> i64 {
        let counts = self.family(text).into_iter().filter_map(|text| self.counts.get(&text));
        (1 + counts.sum::<i64>()).max(0)
    }
}
