//! Rewording of an entry, which keeps its evidence.

use crate::memory::handles::Writing;
use pimem_core::{
    model::{
        entry::{EntryId, Share, Wording},
        event::EventKind,
        hash::IdSet,
        rules::LineAsides,
    },
    safety::text::EntryText,
    score::{adopt, policy::Policy, ranking::ScoredEntry, stability::Standing},
};
use serde::Serialize;

use super::{curate, guards, intake, selector};
use crate::{
    error::{Failure, FailureKind},
    memory::next::Prospect,
    store::transaction::{Change, NewMarkers, Target, Txn},
    view::EntryView,
};

impl Writing<'_> {
    /// Replaces what an entry is asked for as, or its rules: what is given.
    ///
    /// # Errors
    /// Fails if the selector does not match exactly one entry, or the store cannot be written.
    pub fn set_aside(
        self,
        selector: &str,
        new: impl Fn(&LineAsides) -> NewMarkers,
    ) -> Result<Edited, Failure> {
        self.mark(selector, |txn, row| {
            let of = row.entry.wording();
            let marks = new(&row.entry.asides);
            if marks.asked.is_some() {
                let ids = IdSet::from_iter([of.id]);
                self.memory.learning().change_questions(txn.store(), |all| all.forget(&ids));
            }
            marks.events().into_iter().try_for_each(|kind| txn.record(of.id, kind))?;
            if let Some(rules) = &marks.rules {
                self.memory.writing().sanction(txn.store(), &of, rules);
            }
            txn.mark_lines(&of, &marks);
            Ok(())
        })
    }

    /// Gives an entry a priority, which replaces its score under the policy `weighted`; 0 takes it
    /// back.
    ///
    /// # Errors
    /// Fails if the selector does not match exactly one entry, or the store cannot be written.
    pub fn prioritize(self, selector: &str, priority: Share) -> Result<Edited, Failure> {
        self.mark(selector, |txn, row| txn.record(row.entry.id, EventKind::Priority(priority)))
    }

    fn mark(
        self,
        selector: &str,
        change: impl Fn(&mut Txn<'_>, &ScoredEntry) -> anyhow::Result<()>,
    ) -> Result<Edited, Failure> {
        let changed = curate::on_each(self.memory, &[selector.to_owned()], change)?;
        let entries = self.memory.entries_of(&changed.next.ranking);
        let none = || selector::failure(selector, std::iter::empty());
        let found = changed.rows.first().ok_or_else(none)?;
        let next = changed.prospect(self.memory, &entries, found);
        Ok(Edited { from: found.entry.id.to_string(), entry: entries.entry(found), next })
    }

    /// Notes that a priority counts under another policy only.
    pub fn say_unweighted(self) {
        if !matches!(self.memory.policy(), Policy::Weighted(_)) {
            let policy = self.memory.policy().name();
            self.memory.notices.note(&format!(
                "A priority counts under the policy weighted; in force is {policy}"
            ));
        }
    }

    /// Replaces the text of an entry by the result of `reword`. `None` if the text is unchanged.
    ///
    /// # Errors
    /// Fails if the selector does not match exactly one entry, another entry has the new text, or
    /// the text may not be stored.
    pub fn edit(
        self,
        selector: &str,
        reword: impl FnOnce(&str) -> Result<String, Failure>,
    ) -> Result<Option<Edited>, Failure> {
        let (ranking, snapshots) = self.memory.ranking_everywhere(&self.memory.readers()?);
        let old = selector::entry(self.memory, &ranking, &super::problems(&snapshots), selector)
            .map_err(|failure| self.memory.sharing().not_own(selector, failure))?;
        let raw = reword(&old.entry.text)?;
        let text = EntryText::new(&raw)?;
        let spec = self.memory.config.categories.spec(old.entry.category);
        let (from, category) = (old.entry.wording(), old.entry.category);
        let id = EntryId::of(&spec.name, text.as_str().as_bytes());
        let to = Wording { id, category, text: text.as_str().to_owned() };
        if to == from {
            let marks = NewMarkers::adding(text.markers());
            let is_new = marks.asked.is_some() || marks.rules.is_some();
            return is_new.then(|| self.set_aside(selector, |_| marks.clone())).transpose();
        }
        if let Some(twin) = ranking.get(id).filter(|twin| twin.entry.branch.is_none()) {
            let entries = self.memory.entries_of(&ranking);
            if !twin.entry.is(&to) {
                let message = intake::is_twin(&to, &twin.entry.text);
                return Err(Failure::new(FailureKind::Refused, message, "word it otherwise"));
            }
            let message = format!("there is such an entry already: {}", entries.line(twin));
            return Err(Failure::new(
                FailureKind::Refused,
                message,
                "pimem forget takes one of the two out",
            ));
        }
        let old = old.clone();
        let (scope, was) = (old.entry.scope, old.evidence.choice());
        let changed = curate::on_rows(self.memory, ranking, &[old], |txn, row| {
            intake::keep_to_topics(self.memory, txn);
            let line = adopt::AdoptedLine {
                id,
                category: &spec.name,
                topic: row.entry.subject(),
                text: text.as_str(),
                pinned: row.entry.pinned,
            };
            // The old entry must be in the log before another can be made from it.
            txn.adopt(Some(from.id));
            txn.say(row.entry.category, text.as_str());
            txn.record(id, EventKind::Edit(from.id, Some(adopt::origin(&line))))?;
            // The new wording may have been put out of force before.
            let ledger = &txn.snapshot().ledger;
            if !row.is_over() && ledger.is_out(self.memory.now, id) {
                txn.record(id, EventKind::Restore)?;
                if row.standing == Standing::Pinned {
                    txn.record(id, EventKind::Pin)?;
                }
            }
            let mut asides = text.asides().clone();
            asides.join(&row.entry.asides);
            for kind in asides.since(&LineAsides::default()) {
                txn.record(id, kind)?;
            }
            let known = guards::sanctions(txn.store()).of(&from).holds(&row.entry.asides.rules);
            if known || text.asides().rules.has_guard() {
                self.memory.writing().sanction(txn.store(), &to, &asides.rules);
            }
            let marks = NewMarkers::adding(text.markers());
            let holders: Vec<String> =
                txn.snapshot().holders(&from).into_iter().map(str::to_owned).collect();
            if text.pinned() {
                txn.record(id, EventKind::Pin)?;
            }
            for stem in holders {
                let reword = Change::Reword(from.clone(), text.as_str().to_owned());
                txn.change(Target::Topic(stem.clone()), reword);
                if marks != NewMarkers::default() {
                    let mark = Change::Mark(from.clone(), marks.clone());
                    txn.change(Target::Topic(stem), mark);
                }
            }
            Ok(())
        })?;
        intake::say_long(self.memory, [text.as_str()].into_iter());
        let said = [(category, text.as_str())];
        for store in self.memory.readers()?.iter().filter(|store| store.scope == scope) {
            intake::say_orders(self.memory, store, said.into_iter());
            self.memory.learning().change_questions(store, |all| all.hand_over(from.id, id));
        }
        let next = &changed.next;
        let entries = self.memory.entries_of(&next.ranking);
        let edited = next.ranking.find(&to);
        Ok(edited.map(|row| {
            let older = next.overtaken(self.memory, row, was);
            let next = next.prospect(self.memory, &entries, row, older);
            Edited { from: from.id.to_string(), entry: entries.entry(row), next }
        }))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Edited {
    /// Previous id.
    pub from: String,
    pub entry: EntryView,
    #[serde(flatten)]
    pub next: Prospect,
}

documents! {
    Edited: "pimem.edit/1",
}
