//! Granting and revoking trust: in single texts, in all current content, or in a whole store.
//!
//! Trust applies to a text as it was shown, so no lock is held while the user decides: a line that
//! changes meanwhile is another text.

use crate::memory::handles::Tending;
use std::ops::Range;

use serde::Serialize;

use super::{
    Answer, pins, problems,
    review::{self, AddedPlace, Held, ReviewItem},
    selector,
};
use crate::{
    error::{Failure, FailureKind},
    memory::{pins::PinAction as Decision, review::AwaitingText},
    store::{
        Store, discover,
        trust::{self, TextKey},
    },
    view::EntryView,
};
use pimem_core::{
    gate,
    markdown::patch::{self, Edit},
    model::hash::IdMap,
    review::{passages, said},
    score::ranking::Scope,
};

/// A person's decision about a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Agents may see it.
    Trust,
    Forget,
    /// It says this instead, and agents may see that.
    Reword(String),
    /// It continues to await review.
    Leave,
    /// The text before is asked about again.
    Back,
    /// Ends the review; this and all following texts continue to await review.
    Stop,
}

#[derive(Debug, Clone, Copy)]
pub enum VouchQuestion<'a> {
    /// It awaits review.
    Awaits(&'a AwaitingText),
    /// An agent has added it, and agents are told it.
    ByAgent(&'a AwaitingText),
}

/// What an agent is refused.
const TRUSTING: &str = "pimem trust";

/// The key of an entry, and the key that marks it as brought by git.
type Pair = (TextKey, TextKey);

impl Tending<'_> {
    /// Returns what awaits review.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn review(self) -> Result<Answer<Review>, Failure> {
        let mut held = self.held()?;
        held.extend(self.held_mirrors());
        Ok(answer(&held, Vec::new()))
    }

    /// Asks about each text. Each decision is stored at once.
    ///
    /// # Errors
    /// Fails if the named store does not exist or belongs to another user, the ledger cannot be
    /// written, or the user cannot be asked.
    pub fn review_each(
        self,
        mut ask: impl FnMut(&Store, VouchQuestion<'_>) -> Result<Reply, Failure>,
    ) -> Result<Answer<Review>, Failure> {
        self.memory.refuse_agent(TRUSTING)?;
        let mut held = self.held()?;
        held.extend(self.held_mirrors());
        for Held { store, by_agents, .. } in &mut held {
            let mut left = Vec::new();
            let mut waiting = std::mem::take(by_agents).into_iter();
            while let Some(one) = waiting.next() {
                match ask(store, VouchQuestion::ByAgent(&one.view))? {
                    Reply::Trust => drop(store.trust.forget(Some(&one.keys))?),
                    Reply::Forget => match one.place {
                        AddedPlace::Entry(id) => {
                            drop(self.memory.writing().curate(Decision::Forgot, &[id])?);
                        }
                        AddedPlace::Passage(file, of) => {
                            self.remove_passage(store, &file, &of)?;
                            store.trust.forget(Some(&one.keys))?;
                        }
                    },
                    Reply::Leave | Reply::Reword(_) | Reply::Back => left.push(one),
                    Reply::Stop => {
                        left.push(one);
                        left.extend(waiting.by_ref());
                    }
                }
            }
            *by_agents = left;
        }
        for Held { store, items, .. } in held.iter_mut().filter(|held| !held.items.is_empty()) {
            refuse_foreign(store)?;
            let settled = self.settle(store, items, &mut ask)?;
            let mut settled = settled.into_iter();
            items.retain(|_| settled.next().is_none_or(|reply| reply == Reply::Leave));
            if items.is_empty() && store.mirror.is_none() {
                store.trust.record(&[made(store)])?;
            }
        }
        Ok(answer(&held, Vec::new()))
    }

    /// Asks about texts of a store until the end, or until a person stops. Returns the replies.
    fn settle(
        self,
        store: &Store,
        items: &[ReviewItem],
        mut ask: impl FnMut(&Store, VouchQuestion<'_>) -> Result<Reply, Failure>,
    ) -> Result<Vec<Reply>, Failure> {
        let mut settled: Vec<Reply> = Vec::new();
        while let Some(item) = items.get(settled.len()) {
            // What is no entry of one's own is trusted or left.
            let own = item.view.entry().filter(|_| store.mirror.is_none());
            let reply = match (ask(store, VouchQuestion::Awaits(&item.view))?, own) {
                (Reply::Stop, _) => break,
                (Reply::Back, _) => {
                    self.back(store, items, &mut settled)?;
                    continue;
                }
                (Reply::Trust, _) => {
                    self.accept(store, item)?;
                    Reply::Trust
                }
                (Reply::Forget, Some(entry)) => {
                    let id = std::slice::from_ref(&entry.id);
                    self.memory.writing().curate(Decision::Forgot, id)?;
                    Reply::Forget
                }
                (Reply::Reword(text), Some(entry)) => {
                    self.memory.writing().edit(&entry.id, |_| Ok(text.clone()))?;
                    Reply::Reword(text)
                }
                (Reply::Leave | Reply::Forget | Reply::Reword(_), _) => Reply::Leave,
            };
            settled.push(reply);
        }
        Ok(settled)
    }

    /// Takes the last reply back, if that can be done here.
    fn back(
        self,
        store: &Store,
        items: &[ReviewItem],
        settled: &mut Vec<Reply>,
    ) -> Result<(), Failure> {
        let Some((last, item)) = settled.pop().zip(items.get(settled.len())) else { return Ok(()) };
        match (&last, item.view.entry()) {
            (Reply::Leave, _) => {}
            (Reply::Trust, _) if item.pin.is_none() && item.guard.is_none() => {
                store.trust.forget(Some(&item.keys))?;
            }
            (Reply::Forget, Some(entry)) => {
                let id = std::slice::from_ref(&entry.id);
                self.memory.writing().curate(Decision::Restored, id)?;
            }
            _ => {
                self.memory.notices.note("That is taken back by pimem undo, after the review");
                settled.push(last);
            }
        }
        Ok(())
    }

    /// Trusts everything that was read, including the archive.
    ///
    /// # Errors
    /// Fails if the named store does not exist or belongs to another user, or the ledger cannot be
    /// written.
    pub fn trust_all(self) -> Result<Answer<Review>, Failure> {
        self.memory.refuse_agent(TRUSTING)?;
        self.refuse_team()?;
        let (mut held, mut done) = (self.held()?, Vec::new());
        for Held { store, items, .. } in &mut held {
            let mut asked = items.extract_if(.., |item| item.pin.is_some());
            asked.try_for_each(|item| self.accept(store, &item))?;
        }
        for Held { store, by_agents, .. } in held.iter_mut().filter(|h| !h.by_agents.is_empty()) {
            let keys: Vec<TextKey> = by_agents.drain(..).flat_map(|one| one.keys).collect();
            store.trust.forget(Some(&keys))?;
        }
        let needs = |held: &&mut Held| !held.store.trust.is_whole() || !held.items.is_empty();
        for Held { store, items, problems, .. } in held.iter_mut().filter(needs) {
            refuse_foreign(store)?;
            // Each of what would block tools is looked at.
            let guards: Vec<ReviewItem> =
                items.extract_if(.., |item| item.view.is_guard()).collect();
            let archive = store.read_archive(&self.memory.config.categories);
            problems.extend(archive.problems.iter().cloned());
            let archive = archive.placed(store, &self.memory.config.categories);
            let name = |category| &self.memory.config.categories.spec(category).name;
            let archived = archive.iter().map(|e| store.trust.entry(name(e.category), &e.text));
            let keys: Vec<TextKey> =
                items.iter().flat_map(|item| item.keys.clone()).chain(archived).collect();
            store.trust.record(&[keys, vec![made(store)]].concat())?;
            let entries = items.iter().filter(|item| item.view.is_entry()).count();
            done.push(of(store, VouchAct::Trusted(entries), std::mem::replace(items, guards)));
        }
        Ok(answer(&held, done))
    }

    /// Trusts all present and future content of stores, wherever the root of the project's leads
    /// now. What this does not cover still awaits review.
    ///
    /// # Errors
    /// Fails if the named store does not exist, or the ledger cannot be written.
    pub fn trust_always(self) -> Result<Answer<Review>, Failure> {
        self.memory.refuse_agent(TRUSTING)?;
        self.refuse_team()?;
        // What is behind one part of a root may lead on.
        while let Some(away) = self.memory.leads_away() {
            discover::name_root(self.memory.env.state.as_deref(), &away)?;
            self.memory.notices.note(&format!("Named, as it leads now: {}", away.path.display()));
        }
        let (mut held, mut done) = (self.held()?, Vec::new());
        for Held { store, items, .. } in held.iter_mut().filter(|held| !held.store.trust.is_own()) {
            store.trust.record(&[store.trust.text(trust::TrustedKind::Always, "")])?;
            done.push(of(store, VouchAct::Always, std::mem::take(items)));
        }
        for held in &mut held {
            let store = Store { trust: held.store.trust.anew(), ..held.store.clone() };
            *held = review::look(self.memory, store);
        }
        Ok(answer(&held, done))
    }

    /// Revokes all trust in the stores that need any.
    ///
    /// # Errors
    /// Fails if the named store does not exist, or the ledger cannot be written.
    pub fn revoke_all(self) -> Result<Review, Failure> {
        self.refuse_team()?;
        let mut done = Vec::new();
        for store in self.memory.strict_readers()?.iter().filter(|store| !store.trust.is_own()) {
            let texts = store.trust.forget(None)?;
            discover::take_back(store.state.as_deref(), &store.dir)?;
            done.push(of(store, VouchAct::Revoked(texts), Vec::new()));
        }
        // Only the output for programs includes what then awaits review.
        let held = if self.memory.notices.for_programs() { self.held()? } else { Vec::new() };
        Ok(answer(&held, done).view)
    }

    /// Grants or revokes trust in single entries.
    ///
    /// # Errors
    /// Fails if a selector does not match exactly one entry, the store is trusted as a whole or
    /// belongs to another user, or the ledger cannot be written.
    pub fn trust_entries(
        self,
        selectors: &[String],
        action: VouchAction,
    ) -> Result<Answer<VouchedEntries>, Failure> {
        if action != VouchAction::Revoked {
            self.memory.refuse_agent(TRUSTING)?;
        }
        let stores = self.memory.strict_readers()?;
        let (ranking, snapshots) = self.memory.ranking(&stores);
        let unread = problems(&snapshots);
        let entries = self.memory.entries_of(&ranking);
        let mut keys: IdMap<u64, (&Store, Vec<Pair>)> = IdMap::default();
        let mut theirs: Vec<(Store, Pair)> = Vec::new();
        let (mut results, mut pins) = (Vec::new(), Vec::new());
        for selector in selectors {
            let row = match selector::entry(self.memory, &ranking, &unread, selector) {
                Ok(row) => row,
                Err(failure) => {
                    let selected = self.memory.sharing().selected(selector, failure.clone())?;
                    let (mirror, row) = selected.get().ok_or(failure)?;
                    let entries = self.memory.entries_of(&mirror.ranking);
                    theirs.push((
                        mirror.store.clone(),
                        pair(&mirror.store, entries.category(row), &row.entry.text),
                    ));
                    results.push(mirror.view(&entries, row));
                    continue;
                }
            };
            if let Some(store) = stores.iter().find(|store| store.scope == row.entry.scope)
                && pins::waits(self.memory, store, row)
            {
                if action == VouchAction::Revoked {
                    pins::drop_of(self.memory, store, row)?;
                } else {
                    pins.push(row.entry.id.to_string());
                }
                if store.trust.is_whole() || row.entry.reviewed && action == VouchAction::Trusted {
                    results.push(entries.entry(row));
                    continue;
                }
            }
            let (at, store) = (0..)
                .zip(&stores)
                .find(|(_, store)| {
                    let is_asked = !store.trust.is_whole() || !row.entry.reviewed;
                    store.scope == row.entry.scope && is_asked
                })
                .ok_or_else(|| {
                    let message =
                        format!("{} is in a store that is trusted as a whole", entries.line(row));
                    let hint = "pimem trust --revoke ends that, but for your own";
                    Failure::new(FailureKind::Refused, message, hint)
                })?;
            refuse_foreign(store)?;
            let pair = pair(store, entries.category(row), &row.entry.text);
            keys.entry(at).or_insert((store, Vec::new())).1.push(pair);
            results.push(entries.entry(row));
        }
        for (store, (key, _)) in theirs {
            match action {
                VouchAction::Revoked => drop(store.trust.forget(Some(&[key]))?),
                _ => store.trust.record(&[key])?,
            }
        }
        for (store, keys) in keys.values() {
            let (keys, brought): (Vec<TextKey>, Vec<TextKey>) = keys.iter().copied().unzip();
            if action == VouchAction::Revoked {
                // Otherwise the entry would be recognised as typed here.
                store.trust.record(&brought)?;
                store.trust.forget(Some(&keys))?;
            } else {
                store.trust.record(&keys)?;
            }
        }
        if !pins.is_empty() {
            self.memory.writing().curate(Decision::Pinned, &pins)?;
        }
        Ok(Answer { view: VouchedEntries { action, results }, problems: unread })
    }

    /// Lets agents see entries that look as if they held a secret, or ends that. It holds for the
    /// very texts, and needs their review as well.
    ///
    /// # Errors
    /// Fails if a selector does not match exactly one entry, or the ledger cannot be written.
    pub fn let_out(
        self,
        selectors: &[String],
        action: VouchAction,
    ) -> Result<Answer<VouchedEntries>, Failure> {
        if action != VouchAction::Revoked {
            self.memory.refuse_agent(TRUSTING)?;
        }
        let stores = self.memory.strict_readers()?;
        let (ranking, snapshots) = self.memory.own_ranking(&stores);
        let unread = problems(&snapshots);
        let entries = self.memory.entries_of(&ranking);
        let (mut found, mut results) = (Vec::new(), Vec::new());
        for row in selector::entries(self.memory, &ranking, &unread, selectors)? {
            let Some(store) = stores.iter().find(|store| store.scope == row.entry.scope) else {
                continue;
            };
            refuse_foreign(store)?;
            found.push((store, store.trust.no_secret(entries.category(row), &row.entry.text)));
            // What was let out until now is told without the secret from here on.
            let text = gate::masked(&row.entry.text).into_owned();
            results.push(EntryView { text, ..entries.entry(row) });
        }
        for (store, key) in found {
            match action {
                VouchAction::Revoked => drop(store.trust.forget(Some(&[key]))?),
                _ => store.trust.record(&[key])?,
            }
        }
        let action = if action == VouchAction::Revoked {
            VouchAction::KeptBack
        } else {
            VouchAction::LetOut
        };
        Ok(Answer { view: VouchedEntries { action, results }, problems: unread })
    }

    /// Removes the first passage of a file that says this.
    fn remove_passage(self, store: &Store, file: &str, of: &str) -> Result<(), Failure> {
        let lock = super::lock(self.memory, store)?;
        store.rewrite(&lock, file, |bytes| {
            let text = str::from_utf8(bytes).ok()?;
            let is_it =
                |span: &Range<usize>| text.get(span.clone()).is_some_and(|at| said(at) == of);
            let span = passages(text).into_iter().find(is_it)?;
            Some(patch::apply(bytes, vec![Edit { span, bytes: Vec::new() }]))
        })?;
        Ok(())
    }

    fn accept(self, store: &Store, item: &ReviewItem) -> Result<(), Failure> {
        store.trust.record(&item.keys)?;
        if let Some((of, rules)) = &item.guard {
            self.memory.writing().sanction(store, of, rules);
        }
        item.pin.iter().try_for_each(|id| {
            self.memory.writing().curate(Decision::Pinned, std::slice::from_ref(id)).map(drop)
        })
    }

    /// Returns the mirrors of which something is withheld; all of them if they are asked for.
    pub(super) fn held_mirrors(self) -> Vec<Held> {
        let held = self.memory.sharing().mirrored(self.memory.sharing().mirrors()).into_iter();
        let mut held: Vec<Held> =
            held.map(|mirror| review::of_mirror(self.memory, mirror)).collect();
        held.retain(|held| self.memory.sharing().asks_for_team() || !held.items.is_empty());
        held
    }

    /// Refuses what concerns whole stores, if only the team is asked for.
    fn refuse_team(self) -> Result<(), Failure> {
        if !self.memory.sharing().asks_for_team_alone() {
            return Ok(());
        }
        let hint = "pimem trust --scope team asks about what is withheld";
        Err(Failure::new(FailureKind::Refused, "a mirror is not trusted as a whole", hint))
    }

    fn held(self) -> Result<Vec<Held>, Failure> {
        let stores = self.memory.strict_readers()?;
        self.memory.learning().take_in_gone(&stores);
        Ok(stores.into_iter().map(|store| review::look(self.memory, store)).collect())
    }
}

/// Returns the key of an entry, and the one that marks it as brought by git.
fn pair(store: &Store, category: &str, text: &str) -> Pair {
    (store.trust.entry(category, text), store.trust.brought(category, text))
}

fn answer(held: &[Held], done: Vec<VouchDone>) -> Answer<Review> {
    let store = |held: &Held| {
        let Held { store, entries, items, by_agents, .. } = held;
        ReviewedStore {
            scope: store.scope.name(),
            store: store.dir.display().to_string(),
            whole: store.trust.is_whole(),
            foreign: store.trust.is_foreign(),
            ledger: store.trust.ledger().map(|path| path.display().to_string()),
            texts: store.trust.texts(),
            entries: *entries,
            awaiting: items.iter().map(|item| item.view.clone()).collect(),
            by_agents: by_agents.iter().map(|one| one.view.clone()).collect(),
            in_words: held.in_words(),
        }
    };
    Answer {
        view: Review { stores: held.iter().map(store).collect(), done },
        problems: held.iter().flat_map(|held| held.problems.clone()).collect(),
    }
}

/// Returns the result for a store, with the suspicious texts that nobody reviewed.
fn of(store: &Store, act: VouchAct, items: Vec<ReviewItem>) -> VouchDone {
    let views = items.into_iter().map(|item| item.view);
    let odd = views.filter(|view| !view.warnings.is_empty()).collect();
    VouchDone { act, scope: store.scope, dir: store.dir.display().to_string(), odd }
}

/// Returns the key that records a full review, so that text written later can be recognised.
fn made(store: &Store) -> TextKey {
    store.trust.text(trust::TrustedKind::Made, "")
}

fn refuse_foreign(store: &Store) -> Result<(), Failure> {
    if !store.trust.is_foreign() {
        return Ok(());
    }
    let message = format!("{} belongs to another user", store.dir.display());
    let hint = "vouch for it with pimem trust --always, or make it yours with chown";
    Err(Failure::new(FailureKind::Refused, message, hint))
}

/// The texts that await review, after the requested changes of trust.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Review {
    pub stores: Vec<ReviewedStore>,
    /// Changes of trust, one per store.
    #[serde(skip)]
    pub done: Vec<VouchDone>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewedStore {
    /// `project` or `user`.
    pub scope: &'static str,
    pub store: String,
    /// True if the store is trusted as a whole.
    pub whole: bool,
    /// True if the store belongs to another user.
    pub foreign: bool,
    /// Path of the trust ledger; null without a state directory.
    pub ledger: Option<String>,
    /// Number of texts in the trust ledger.
    #[serde(skip)]
    pub texts: usize,
    /// Number of entries in topics.
    pub entries: usize,
    /// Texts that await review, entries first.
    pub awaiting: Vec<AwaitingText>,
    /// Entries that agents have added since a person looked at them. Agents are told them.
    #[serde(rename = "byAgents")]
    pub by_agents: Vec<AwaitingText>,
    #[serde(skip)]
    pub in_words: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct VouchDone {
    pub act: VouchAct,
    pub scope: Scope,
    pub dir: String,
    /// Texts with warnings that were trusted without review.
    pub odd: Vec<AwaitingText>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VouchAct {
    /// Trusted this many entries, and all other texts of the store.
    Trusted(usize),
    /// Trusted the store as a whole, including its future content.
    Always,
    Revoked(usize),
}

/// Entries whose trust was changed one by one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VouchedEntries {
    /// `trusted`, `revoked`, `letOut` or `keptBack`.
    pub action: VouchAction,
    pub results: Vec<EntryView>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum VouchAction {
    /// Agents may see the entries.
    Trusted,
    /// Agents may not see the entries.
    Revoked,
    /// What looks like a secret in the entries is none.
    LetOut,
    /// What looks like a secret in the entries counts as one again.
    KeptBack,
}

impl Review {
    /// Returns true if nothing awaits review.
    pub fn is_empty(&self) -> bool {
        self.stores.iter().all(|store| store.awaiting.is_empty())
    }
}

documents! {
    Review: "pimem.trust/1",
    VouchedEntries: "pimem.trust/1",
}
