//! Replays recorded prompts on the current store with other thresholds.

use std::collections::HashMap;

use super::Usage;
use crate::{
    error::Failure,
    memory::{
        self, Memory, recall,
        search::{
            self,
            request::{MinScore, SearchRequest},
        },
        settings, stale,
    },
};
use pimem_core::{
    language::sketch::Sketch,
    markdown::topic,
    report::budget::Tokens,
    score::ranking::Scope,
    search::{bm25::Query, documents::SourceKind},
    usage::replay::{self, Answer, Hit, LIMIT, Outcome, Recorded, Setting},
    view::{
        Entries,
        telemetry::{Replay, Tuning, percent},
    },
};

/// Default offsets from the threshold in force.
const STEPS: [f64; 5] = [-0.10, -0.05, 0.0, 0.05, 0.10];
/// Number of entries that a context may already have, so that as many more hits are read.
const SHOWN: usize = 40;

/// Settings to try.
#[derive(Debug, Clone, Default)]
pub struct ReplayRequest {
    /// Values of `recall.minScore`, from 0 to 1; empty for some around the one in force.
    pub min_scores: Vec<f64>,
    /// Values of `recall.limit`; empty for the one in force.
    pub limits: Vec<usize>,
}

impl Memory {
    /// Returns what recorded prompts would have recalled with other settings.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn telemetry_replay(
        &self,
        request: &ReplayRequest,
    ) -> Result<memory::Answer<Replay>, Failure> {
        let usage = Usage::read(self)?;
        let now = in_force(self);
        let mut scores = request.min_scores.clone();
        if scores.is_empty() {
            let around = STEPS.iter().map(|step| ((now.min_score + step) * 100.0).round() / 100.0);
            scores.extend(around.filter(|score| (0.0..=1.0).contains(score)));
        }
        let mut limits = request.limits.clone();
        if limits.is_empty() {
            limits.push(now.limit);
        }
        let recorded = Recorded::new(&usage.log, |id| usage.ranking.get(id).is_some());
        let most = limits.iter().copied().max().unwrap_or(0);
        let answers = answers(self, &usage, &recorded, most);
        let settings = scores.iter().flat_map(|min_score| {
            limits.iter().map(|limit| Setting { min_score: *min_score, limit: *limit })
        });
        let outcomes =
            settings.map(|setting| (&replay::play(&recorded, &answers, setting)).into()).collect();
        let (prompts, used) = (recorded.prompts.len(), recorded.used());
        let view = Replay { prompts, used, gone: recorded.gone, in_force: now, outcomes };
        Ok(usage.answer(view))
    }

    /// Proposes `recall.minScore` and `recall.limit` by recorded usage; changes the settings if
    /// `apply` is true.
    ///
    /// # Errors
    /// Fails if the named store does not exist, or the settings cannot be changed.
    pub fn tune_recall(&self, apply: bool) -> Result<memory::Answer<Tuning>, Failure> {
        let usage = Usage::read(self)?;
        let mut view = propose(self, &usage);
        if view.reason.is_none() {
            let mut files = Vec::new();
            for (name, _, value) in view.changes().into_iter().filter(|_| apply) {
                files.push(change(self, &usage, name, &value)?);
            }
            files.dedup();
            view.applied = Some(files);
        }
        Ok(usage.answer(view))
    }
}

/// Returns the setting in force.
fn in_force(memory: &Memory) -> Setting {
    let limit = memory.config.settings.recall.limit;
    Setting { min_score: memory.config.settings.recall.min_score, limit }
}

/// Returns what each prompt finds now. These searches are not recorded.
fn answers(memory: &Memory, usage: &Usage, recorded: &Recorded, limit: usize) -> Vec<Answer> {
    let entries = Entries::new(memory.now, &memory.config.categories, &usage.ranking);
    let mut progress = memory.notices.progress("searching");
    let mut known: HashMap<&str, Answer> = HashMap::new();
    for (number, prompt) in recorded.prompts.iter().enumerate() {
        progress(number, recorded.prompts.len());
        if known.contains_key(prompt.as_str()) {
            continue;
        }
        let query = Query::from_prompt(prompt);
        let pool = limit.saturating_mul(4).saturating_add(SHOWN);
        let wanted = SearchRequest::recall(memory, &query, pool, &[SourceKind::Topic]);
        let found = search::find(
            memory,
            &usage.stores,
            &SearchRequest { min_score: MinScore::Recall(0.0), ..wanted },
        );
        if number == 0 {
            // Many searches follow, so the index is refreshed first.
            stale::refresh(memory, found.stale);
        }
        let mut sketches: Vec<Sketch> = Vec::new();
        let mut answer = Answer::default();
        for hit in found.hits {
            let Some(row) = hit.entry.and_then(|id| usage.ranking.get(id)) else { continue };
            if row.expired || row.superseded_by.is_some() {
                continue;
            }
            let sketch = Sketch::of(&hit.text);
            let like = |(_, known): &(usize, &Sketch)| known.similarity(&sketch) >= recall::ALIKE;
            let like = sketches.iter().enumerate().filter(like).map(|(place, _)| place).collect();
            let line = topic::canonical(entries.category(row), &row.entry.text);
            let tokens = Tokens::of(&line).0;
            answer.hits.push(Hit { id: row.entry.id, score: hit.score, tokens, like });
            sketches.push(sketch);
        }
        known.insert(prompt, answer);
    }
    progress(recorded.prompts.len(), recorded.prompts.len());
    let answer = |prompt: &String| known.get(prompt.as_str()).cloned().unwrap_or_default();
    recorded.prompts.iter().map(answer).collect()
}

fn propose(memory: &Memory, usage: &Usage) -> Tuning {
    let now = in_force(memory);
    let recorded = Recorded::new(&usage.log, |id| usage.ranking.get(id).is_some());
    let (prompts, used) = (recorded.prompts.len(), recorded.used());
    let nothing = Tuning {
        proposed: None,
        reason: None,
        prompts,
        used,
        gone: recorded.gone,
        in_force: None,
        after: None,
        applied: None,
    };
    if prompts < replay::PROMPTS || used < replay::USED {
        return Tuning { reason: Some(too_few(prompts, used)), ..nothing };
    }
    let answers = answers(memory, usage, &recorded, LIMIT.max(now.limit));
    let play = |setting| -> Outcome { replay::play(&recorded, &answers, setting) };
    let in_force = Some((&play(now)).into());
    let Some(setting) = replay::choose(&recorded, &answers) else {
        let why = format!(
            "Nothing to propose: today's store finds {} of {used} used entries again, and a proposal \
             keeps {} of them",
            play(Setting { min_score: 0.0, limit: LIMIT }).kept,
            percent(Some(replay::KEEP)),
        );
        return Tuning { reason: Some(why), in_force, ..nothing };
    };
    let after = Some((&play(setting)).into());
    Tuning { proposed: Some(setting), in_force, after, ..nothing }
}

/// Changes a setting where `config set` would, and returns the file.
fn change(memory: &Memory, usage: &Usage, name: &str, value: &str) -> Result<String, Failure> {
    let of_project = usage.stores.iter().any(|store| store.scope == Scope::Project);
    let target = if of_project { memory.target()? } else { memory.users()? };
    let key = settings::find(name)?;
    let changed = memory.change_setting(key, value, target)?;
    if memory.env.get(key.env).is_some() {
        memory.notices.note(&format!("warning: {} is set, and goes before it", key.env));
    }
    Ok(changed.file)
}

fn too_few(prompts: usize, used: usize) -> String {
    let missing = [
        (replay::PROMPTS.saturating_sub(prompts), "prompts"),
        (replay::USED.saturating_sub(used), "used entries"),
    ];
    let missing = missing.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    let missing: Vec<String> = missing.collect();
    format!(
        "Nothing to propose: {prompts} prompts and {used} used entries are on record; {} are missing",
        missing.join(" and ")
    )
}
