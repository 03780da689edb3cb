//! `pimem telemetry replay` and `tune`: recorded prompts against today's store.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Noted, sums::percent};
use crate::{commands::config, exit::Exit, shell::Shell};
use pimem_core::{
    language::sketch::Sketch,
    markdown::entry_line,
    report::budget::{Tokens, thousands},
    score::ranking::Scope,
    search::{bm25::Query, documents::SourceKind},
    usage::replay::{self, Answer, Hit, LIMIT, Outcome, Recorded, Setting},
    view::{self, Entries},
};
use pimem_engine::{
    config::{schema::Key, settings::Recall},
    error::Failure,
    memory::{
        recall,
        search::{
            self,
            request::{MinScore, SearchRequest},
        },
        stale,
    },
};

/// Steps around the threshold in force that are tried unless others are named.
const STEPS: [f64; 5] = [-0.10, -0.05, 0.0, 0.05, 0.10];
/// Entries that a context may hold already, so that so many more hits are looked at.
const SHOWN: usize = 40;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Try this for recall.minScore (repeatable; by default some around the one in force)
    #[arg(long = "min-score", value_name = "SCORE", value_parser = score)]
    min_scores: Vec<f64>,
    /// Try this for recall.limit (repeatable; by default the one in force)
    #[arg(long = "limit", value_name = "N", value_parser = clap::value_parser!(u64).range(0..=100))]
    limits: Vec<u64>,
}

fn score(text: &str) -> Result<f64, String> {
    let score: f64 = text.parse().map_err(|error| format!("{error}"))?;
    if (0.0..=1.0).contains(&score) { Ok(score) } else { Err("not between 0 and 1".to_owned()) }
}

/// The setting in force.
fn in_force(ctx: &Shell) -> Setting {
    let recall = &ctx.config.settings.recall;
    Setting { min_score: recall.min_score, limit: recall.limit }
}

pub(crate) fn replay(ctx: &Shell, noted: &Noted, args: &Args) -> Exit {
    let now = in_force(ctx);
    let mut scores = args.min_scores.clone();
    if scores.is_empty() {
        let around = STEPS.iter().map(|step| ((now.min_score + step) * 100.0).round() / 100.0);
        scores.extend(around.filter(|score| (0.0..=1.0).contains(score)));
    }
    let given = args.limits.iter().map(|limit| usize::try_from(*limit).unwrap_or(usize::MAX));
    let mut limits: Vec<usize> = given.collect();
    if limits.is_empty() {
        limits.push(now.limit);
    }
    let recorded = Recorded::new(&noted.log, |id| noted.board.get(id).is_some());
    let answers = answers(ctx, noted, &recorded, limits.iter().copied().max().unwrap_or(0));
    let settings = scores.iter().flat_map(|min_score| {
        limits.iter().map(|limit| Setting { min_score: *min_score, limit: *limit })
    });
    let outcomes: Vec<Outcome> =
        settings.map(|setting| replay::play(&recorded, &answers, setting)).collect();
    let found = !recorded.prompts.is_empty();
    if ctx.ui.json {
        let list: Vec<Value> = outcomes.iter().map(json_of).collect();
        ctx.ui.document(&json!({
            "schema": "pimem.telemetry-replay/1", "prompts": recorded.prompts.len(),
            "used": recorded.used(), "gone": recorded.gone,
            "inForce": json!({"minScore": now.min_score, "limit": now.limit}),
            "outcomes": list,
        }));
    } else if found {
        let row = |outcome: &Outcome| {
            let mark = if outcome.setting == now { "*" } else { "" };
            let mut row = vec![mark.to_owned()];
            row.extend(cells(outcome, recorded.prompts.len()));
            row
        };
        let header = ["", "minScore", "limit", "prompts", "entries", "tokens", "kept", "used"];
        ctx.ui.table(&header, outcomes.iter().map(row).collect());
        if recorded.gone > 0 {
            ctx.ui.note(&format!("Used entries that are not there any more: {}", recorded.gone));
        }
    }
    noted.exit(ctx, found)
}

/// What a prompt finds today, for every prompt. Nothing is noted of these searches.
fn answers(ctx: &Shell, noted: &Noted, recorded: &Recorded, limit: usize) -> Vec<Answer> {
    let entries = Entries::new(ctx.now, &ctx.config.categories, &noted.board);
    let mut progress = ctx.ui.progress("searching");
    let mut known: HashMap<&str, Answer> = HashMap::new();
    for (number, prompt) in recorded.prompts.iter().enumerate() {
        progress(number, recorded.prompts.len());
        if known.contains_key(prompt.as_str()) {
            continue;
        }
        let query = Query::from_prompt(prompt);
        let pool = limit.saturating_mul(4).saturating_add(SHOWN);
        let wanted = SearchRequest::recall(ctx, &query, pool, &[SourceKind::Topic]);
        let found = search::find(
            ctx,
            &noted.stores,
            &SearchRequest { min_score: MinScore::Recall(0.0), ..wanted },
        );
        if number == 0 {
            // Many searches follow, so the index is brought up to date before them.
            stale::refresh(ctx, found.stale);
        }
        let mut sketches: Vec<Sketch> = Vec::new();
        let mut answer = Answer { mode: found.mode, docs: found.docs, hits: Vec::new() };
        for hit in found.hits {
            let Some(row) = hit.entry.and_then(|id| noted.board.get(id)) else { continue };
            if row.expired || row.superseded_by.is_some() {
                continue;
            }
            let sketch = Sketch::of(&hit.text);
            let like = |(_, known): &(usize, &Sketch)| known.similarity(&sketch) >= recall::ALIKE;
            let like = sketches.iter().enumerate().filter(like).map(|(place, _)| place).collect();
            let line = entry_line::canonical(entries.category(row), &row.entry.text);
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

pub(crate) fn tune(ctx: &Shell, noted: &Noted, apply: bool) -> Result<Exit, Failure> {
    let now = in_force(ctx);
    let recorded = Recorded::new(&noted.log, |id| noted.board.get(id).is_some());
    let (prompts, used) = (recorded.prompts.len(), recorded.used());
    let refuse = |why: String, at: Option<Outcome>| {
        if ctx.ui.json {
            ctx.ui.document(&json!({
                "schema": "pimem.telemetry-tune/1", "proposed": null, "reason": why,
                "prompts": prompts, "used": used, "gone": recorded.gone,
                "inForce": at.as_ref().map(json_of),
            }));
        } else {
            ctx.ui.line(&why);
        }
        Ok(noted.exit(ctx, false))
    };
    if prompts < replay::PROMPTS || used < replay::USED {
        return refuse(too_few(prompts, used), None);
    }
    let answers = answers(ctx, noted, &recorded, LIMIT.max(now.limit));
    let before = replay::play(&recorded, &answers, now);
    let Some(setting) = replay::choose(&recorded, &answers) else {
        let why = format!(
            "Nothing to propose: today's store finds {} of {used} used entries again, and a proposal \
             keeps {} of them",
            replay::play(&recorded, &answers, Setting { min_score: 0.0, limit: LIMIT }).kept,
            percent(Some(replay::KEEP)),
        );
        return refuse(why, Some(before));
    };
    let after = replay::play(&recorded, &answers, setting);
    let mut changes = Vec::new();
    if (setting.min_score - now.min_score).abs() > 1e-9 {
        changes.push((
            &Recall::min_score,
            now.min_score.to_string(),
            setting.min_score.to_string(),
        ));
    }
    if setting.limit != now.limit {
        changes.push((&Recall::limit, now.limit.to_string(), setting.limit.to_string()));
    }
    if !ctx.ui.json {
        for (key, from, to) in &changes {
            ctx.ui.line(&format!("{}: {from} → {to}", key.name));
        }
        if changes.is_empty() {
            ctx.ui.line("The settings in force are those that would be proposed");
        }
        let row = |(name, outcome): (&str, &Outcome)| {
            let mut row = vec![name.to_owned()];
            row.extend(cells(outcome, prompts));
            row
        };
        let rows = [("in force", &before), ("proposed", &after)].map(row).to_vec();
        let header = ["", "minScore", "limit", "prompts", "entries", "tokens", "kept", "used"];
        ctx.ui.table(&header, rows);
        let (from, to) = after.kept_range();
        ctx.ui.line(&format!(
            "{used} used entries say that the proposed setting keeps {} to {} of what is used",
            percent(Some(from)),
            percent(Some(to)),
        ));
    }
    let mut files = Vec::new();
    for (key, _, to) in changes.iter().filter(|_| apply) {
        files.push(change(ctx, noted, key, to)?);
    }
    files.dedup();
    if ctx.ui.json {
        let Setting { min_score, limit } = setting;
        ctx.ui.document(&json!({
            "schema": "pimem.telemetry-tune/1", "proposed": {"minScore": min_score, "limit": limit},
            "prompts": prompts, "used": used, "gone": recorded.gone,
            "inForce": json_of(&before), "after": json_of(&after),
            "applied": files,
        }));
    } else if !apply && !changes.is_empty() {
        ctx.ui.note("pimem telemetry tune --apply writes it to memory.json");
    }
    Ok(noted.exit(ctx, true))
}

/// Changes a setting where `config set` would, and gives the file.
fn change(ctx: &Shell, noted: &Noted, key: &Key, value: &str) -> Result<String, Failure> {
    let of_project = noted.stores.iter().any(|store| store.scope == Scope::Project);
    let target = if of_project { ctx.target()? } else { ctx.users()? };
    let (_, file) = config::write(ctx, key, value, target)?;
    if !ctx.ui.json {
        ctx.ui.line(&format!("Set {} = {value} in {file}", key.name));
    }
    if ctx.env.get(key.env).is_some() {
        ctx.ui.note(&format!("warning: {} is set, and goes before it", key.env));
    }
    Ok(file)
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

fn cells(outcome: &Outcome, prompts: usize) -> [String; 7] {
    let Outcome { setting, injected, tokens, kept, used } = outcome;
    [
        format!("{:.2}", setting.min_score),
        setting.limit.to_string(),
        thousands(prompts),
        thousands(*injected),
        thousands(*tokens),
        format!("{kept}/{used} ({})", percent(Some(outcome.kept_share()))),
        percent(Some(outcome.used_share())),
    ]
}

fn json_of(outcome: &Outcome) -> Value {
    let Outcome { setting, injected, tokens, kept, used } = outcome;
    json!({
        "minScore": setting.min_score, "limit": setting.limit,
        "entries": injected, "tokens": tokens, "kept": kept, "used": used,
        "keptShare": view::rounded(outcome.kept_share()),
        "keptRange": [view::rounded(outcome.kept_range().0), view::rounded(outcome.kept_range().1)],
        "usedShare": view::rounded(outcome.used_share()),
    })
}
