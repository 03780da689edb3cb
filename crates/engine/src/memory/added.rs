//! Results of adding texts, and whether the next report will show them.
//!
//! A user who adds an entry assumes that agents know it from then on. If no report will show it,
//! the result has the reason and a remedy.

use std::cell::OnceCell;

use super::{
    Memory,
    add::Done,
    newcomer::{self, Prospect},
};
use crate::{
    error::Failure,
    store::{Store, snapshot::Snapshot, transaction::Txn},
};
use pimem_core::{
    model::{
        entry::{EntryId, Wording},
        hash::IdMap,
    },
    report::{
        budget::Tokens,
        explain::{self, Act},
        render::{self, Report},
        replaced,
        select::{self, Verdict},
    },
    score::{
        caps::Place,
        ranking::{self, Ranking, ScoredEntry},
        rivals,
    },
    view::{
        Entries,
        add::{Added, NotShown, Older},
    },
};

/// State of the store before the write.
pub(super) struct Before {
    short: IdMap<EntryId, String>,
    /// The other entries of the category, if a single new entry without evidence is added.
    others: Option<Vec<newcomer::Line>>,
}

impl Before {
    pub(super) fn of(memory: &Memory, txn: &Txn<'_>, done: &[Done], whole: bool) -> Self {
        let lines = txn.snapshot().entries().map(|(_, entry)| entry.id);
        let short = ranking::short_ids(lines.chain(done.iter().map(|done| done.wording.id)));
        let others = match done {
            [Done { wording, placed: Some(_), until, .. }]
                if !(txn.has_evidence() || whole || until.is_some())
                    && memory.policy().is_stability() =>
            {
                Some(newcomer::lines(txn.snapshot(), wording))
            }
            _ => None,
        };
        Self { short, others }
    }

    fn short(&self, id: EntryId) -> String {
        self.short.get(&id).cloned().unwrap_or_default()
    }
}

/// Returns the result for one text.
fn result_of(
    memory: &Memory,
    done: &Done,
    short: String,
    absent: Option<Absent>,
    older: Option<(&ScoredEntry, String)>,
) -> Added {
    let Done { wording, reinforced, replaces, .. } = done;
    let not_shown = |Absent { reason, remedy }| {
        let remedy = remedy.map(|act: Act| act.command(&short));
        NotShown { reason, remedy }
    };
    let older = older.map(|(row, old)| Older {
        entry: None,
        remedy: replacing(memory, &old, wording),
        text: row.entry.text.clone(),
        short: old,
    });
    Added {
        action: if *reinforced { "reinforced" } else { "added" },
        entry: None,
        eligible: absent.is_none(),
        absent: absent.map(not_shown),
        seems_to_replace: older,
        category: memory.config.categories.spec(wording.category).name.to_string(),
        text: wording.text.clone(),
        replaces: replaces.clone(),
        short,
    }
}

/// Why the next report omits an entry, and the command that would change that.
struct Absent {
    reason: String,
    remedy: Option<Act>,
}

/// Returns the result for each text, with all details of its entry if `whole` is true.
pub(super) fn results(
    memory: &Memory,
    store: &Store,
    before: &Before,
    done: &[Done],
    whole: bool,
) -> Result<Vec<Added>, Failure> {
    if let ([one], Some(others)) = (done, &before.others)
        && let Some(placed) = &one.placed
        && too_long(memory, &one.wording).is_none()
        && !may_replace(memory, &one.wording, others)
    {
        let over = match newcomer::find(memory, store, (placed, one.cue), others)? {
            Prospect::Unsure => None,
            Prospect::Shown => Some(None),
            Prospect::OverCap(enough) => Some(Some(Absent {
                reason: reason(&Verdict::NoPlace(Place::OverCap)),
                remedy: Some(enough.map_or(Act::Pin, Act::Reinforce)),
            })),
        };
        if let Some(absent) = over {
            return Ok(vec![result_of(memory, one, before.short(one.wording.id), absent, None)]);
        }
    }
    let categories = &memory.config.categories;
    let stores = memory.readers()?;
    let snapshots: Vec<Snapshot> =
        stores.iter().map(|store| store.read(memory.now, categories)).collect();
    let ranking =
        Ranking::new(memory.now, memory.rules(), super::placed(categories, &stores, &snapshots));
    let report = OnceCell::new();
    let absent =
        |row: &ScoredEntry| absent(memory, (&ranking, &report), (&stores, &snapshots), row);
    let rows = || done.iter().filter_map(|done| Some((done, ranking.find(&done.wording)?)));
    let was_there = |row: &ScoredEntry| done.iter().all(|done| !row.entry.is(&done.wording));
    let older = |done: &Done, row: &ScoredEntry| {
        let new = done.placed.is_some() && row.entry.reviewed && !row.is_over();
        let new = new && memory.config.settings.report.fill;
        new.then(|| replaced::seems_replaced(&ranking, categories, row, was_there)).flatten()
    };
    let entries = Entries::new(memory.now, categories, &ranking);
    let short = |id| if whole { entries.short(id) } else { before.short(id) };
    let mut added = Vec::new();
    for (done, row) in rows() {
        // All commands report texts worded as instructions in the same way.
        let absent = absent(row).filter(|_| whole || row.entry.reviewed);
        let old = older(done, row);
        let shortened = old.map(|old| (old, short(old.entry.id)));
        let mut one = result_of(memory, done, short(row.entry.id), absent, shortened);
        if whole {
            one.entry = Some(entries.entry(row));
        }
        if let Some((seems, old)) = one.seems_to_replace.as_mut().zip(old.filter(|_| whole)) {
            seems.entry = Some(entries.entry(old));
        }
        added.push(one);
    }
    Ok(added)
}

/// Returns why the next report omits an entry; `None` if it shows it. The report is rendered at
/// most once for all entries, and only if it is needed to tell what fills the remaining budget.
fn absent(
    memory: &Memory,
    (ranking, report): (&Ranking, &OnceCell<Report>),
    (stores, snapshots): (&[Store], &[Snapshot]),
    row: &ScoredEntry,
) -> Option<Absent> {
    let (place, rules) = (row.place, memory.rules());
    let of = row.entry.wording();
    let settings = memory.report_settings(None, Tokens(0));
    let made = || {
        let make = || render::report(ranking, rules.categories, settings);
        report.get_or_init(make).verdict(ranking, row)
    };
    let filled = || settings.fill.and_then(|_| made());
    let verdict = match place {
        Place::Pinned => return None,
        _ if !rules.policy.is_stability() => made().cloned().unwrap_or(Verdict::NoPlace(place)),
        Place::Active(_) | Place::Pool(_) => {
            let reason = too_long(memory, &of)?;
            let fills = filled().is_some_and(Verdict::shown);
            return (!fills).then_some(Absent { reason, remedy: Some(Act::Pin) });
        }
        Place::Excluded if row.expired => Verdict::Expired,
        Place::Excluded => Verdict::Superseded,
        place => filled().cloned().unwrap_or(Verdict::NoPlace(place)),
    };
    if verdict.shown() {
        return None;
    }
    let remedy = match place {
        Place::OverCap | Place::BelowPool | Place::TooWeak
            if settings.fill.is_none() && rules.policy.is_stability() =>
        {
            let spec = rules.categories.spec(of.category);
            let is_last = |other: &&ScoredEntry| {
                other.entry.category == of.category && other.place == Place::Active(spec.max_active)
            };
            let last = ranking.rows.iter().find(is_last).map(ranking::candidate);
            let strength = (row.evidence.cue.weight(), row.evidence.count);
            let own = ranking::candidate(row);
            let enough = rivals::least(memory.now, rules, &own, strength, last.as_ref());
            Some(enough.map_or(Act::Pin, Act::Reinforce))
        }
        _ => {
            let placed = super::placed(rules.categories, stores, snapshots);
            explain::cheapest(memory.now, rules, settings, &placed, row)
        }
    };
    Some(Absent { reason: reason(&verdict), remedy })
}

/// Returns a verdict without the prefix `out: `.
fn reason(verdict: &Verdict) -> String {
    verdict.to_string().trim_start_matches("out: ").to_owned()
}

/// Returns true if a new entry may replace an older one of its category.
fn may_replace(memory: &Memory, of: &Wording, others: &[newcomer::Line]) -> bool {
    let spec = memory.config.categories.spec(of.category);
    let others = others.iter().map(|(other, _)| other.text.as_str());
    memory.config.settings.report.fill && replaced::may_replace(&of.text, spec, others)
}

/// Returns the command by which an entry supersedes another.
fn replacing(memory: &Memory, old: &str, of: &Wording) -> String {
    let name = &memory.config.categories.spec(of.category).name;
    format!("pimem add -c {name} --supersedes {old} '{}'", of.text.replace('\'', "'\\''"))
}

/// Returns why a text is too long for any report.
fn too_long(memory: &Memory, of: &Wording) -> Option<String> {
    let spec = memory.config.categories.spec(of.category);
    let (needed, limit) = (select::tokens_alone(spec, &of.text), spec.section_tokens);
    (needed.0 > limit)
        .then(|| format!("it takes {needed} tokens, where {} has {limit}", spec.section))
}
