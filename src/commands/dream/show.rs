//! What `pimem dream` says about what it did.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::shell::Shell;
use pimem_core::{
    dream::{
        script::Naming,
        step::{Act, By, Step},
    },
    model::entry::EntryId,
    view::count,
};
use pimem_engine::{
    memory::dream::{PlanRun, background::Started, gather::Gathered},
    store::snapshot::Store,
};

/// The name of the JSON document.
const SCHEMA: &str = "pimem.dream/1";

/// Characters of an entry that a proposal quotes.
const QUOTED: usize = 40;

/// There was nothing to do.
pub(crate) fn nothing(ctx: &Shell) {
    if ctx.ui.json {
        ctx.ui.document(&json!({"schema": SCHEMA, "steps": [], "refused": []}));
    }
}

/// What became of a dream in the background.
pub(crate) fn started(started: &Started) -> Value {
    match started {
        Started::Yes { log } => {
            json!({"schema": SCHEMA, "detached": true, "log": log.display().to_string()})
        }
        Started::NotDue { next } => {
            json!({"schema": SCHEMA, "detached": false, "due": next.to_string()})
        }
        Started::Busy(_) => json!({"schema": SCHEMA, "detached": false}),
    }
}

/// A line for each step that was done, and for what was refused.
pub(crate) fn done(ctx: &Shell, stage: &PlanRun<'_>) {
    if ctx.ui.json {
        return;
    }
    for step in stage.plan.steps.iter().filter(|step| step.by != By::Offer) {
        ctx.ui.line(&line(stage, step));
    }
    for refused in &stage.plan.refused {
        ctx.ui.detail(&format!("Left out: {}: {}", refused.what, refused.why));
    }
}

fn line(stage: &PlanRun<'_>, step: &Step) -> String {
    let reason = &step.reason;
    let named = |id: &EntryId| {
        let line = stage.sight.line(*id).unwrap_or_default();
        format!("{line} ({})", stage.sight.short(*id))
    };
    let all = |ids: &[EntryId]| {
        ids.iter().map(|id| stage.sight.short(*id)).collect::<Vec<_>>().join(", ")
    };
    let quoted = |id: &EntryId| {
        let line = stage.sight.line(*id).unwrap_or_default();
        let text = line.split_once("] ").map_or(line.as_str(), |(_, text)| text);
        let start: String = text.chars().take(QUOTED).collect();
        let dots = if start.len() < text.len() { "…" } else { "" };
        format!("{} {:?}", stage.sight.short(*id), format!("{start}{dots}"))
    };
    match &step.act {
        Act::Merge { keep, .. } => format!("Merged: {}: {reason}", named(keep)),
        Act::Archive(id) => format!("Archived: {}: {reason}", named(id)),
        Act::Add { category, text, .. } => {
            let id = EntryId::of(category, text.as_bytes());
            format!("Added: [{category}] {text} ({}): {reason}", short(id))
        }
        Act::Reinforce(id, _) => format!("Reinforced: {}: {reason}", named(id)),
        Act::Combine { category, text, from } => {
            let id = EntryId::of(category, text.as_bytes());
            format!("Combined: [{category}] {text} ({}) of {}: {reason}", short(id), all(from))
        }
        Act::Propose(of) => {
            let texts: Vec<String> = of.iter().map(quoted).collect();
            format!("To combine: {reason}: {}", texts.join(", "))
        }
    }
}

/// A new entry's id, as far as people need it.
fn short(id: EntryId) -> String {
    id.to_string().chars().take(7).collect()
}

/// What a language model proposes, and where that is.
pub(crate) fn left(ctx: &Shell, name: &str, stage: &PlanRun<'_>, path: &Path) {
    if !ctx.ui.json {
        let acts = count(stage.plan.steps.len(), "act");
        let path = path.display();
        ctx.ui
            .line(&format!("Proposed by {name}: {acts} in {path} (pimem dream --apply does them)"));
    }
}

/// What was done, in numbers.
pub(crate) fn summary(ctx: &Shell, stage: &PlanRun<'_>, gathered: &Gathered) {
    let (sessions, days) = gathered.read;
    let mut read = format!("{} and {} read", count(sessions, "session"), count(days, "daily log"));
    if gathered.more > 0 {
        read.push_str(&format!(", {} for the next time", count(gathered.more, "session")));
    }
    if !ctx.ui.json {
        let offered = stage.plan.steps.iter().filter(|step| step.by == By::Offer).count();
        if offered > 0 {
            let lines = count(offered, "line");
            ctx.ui.line(&format!("Left to you: {lines} out of use (pimem dream --plan)"));
        }
        ctx.ui.line(&format!("Dreamed: {}; {read}", numbers(stage)));
    }
}

/// The same for a plan that was applied.
pub(crate) fn applied(ctx: &Shell, store: &Store, stage: &PlanRun<'_>) {
    if !ctx.ui.json {
        return ctx.ui.line(&format!("Applied: {}", numbers(stage)));
    }
    ctx.ui.document(&json!({
        "schema": SCHEMA,
        "store": store.dir.display().to_string(),
        "steps": steps(stage),
        "refused": refused(stage),
    }));
}

/// `2 merged, 1 added`.
fn numbers(stage: &PlanRun<'_>) -> String {
    type Is = fn(&Act) -> bool;
    let kinds: [(&str, Is); 5] = [
        ("merged", |act| matches!(act, Act::Merge { .. })),
        ("archived", |act| matches!(act, Act::Archive(_))),
        ("combined", |act| matches!(act, Act::Combine { .. })),
        ("added", |act| matches!(act, Act::Add { .. })),
        ("reinforced", |act| matches!(act, Act::Reinforce(..))),
    ];
    let of = |is: Is| stage.plan.steps.iter().filter(move |step| is(&step.act));
    let count = |is: Is| of(is).filter(|step| step.by != By::Offer).count();
    let numbers = kinds.into_iter().map(|(name, is)| (count(is), name));
    let told: Vec<String> = numbers
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    if told.is_empty() { "nothing to do".to_owned() } else { told.join(", ") }
}

/// Everything as JSON.
pub(crate) fn document(store: &Store, gathered: &Gathered, stages: &[&PlanRun<'_>]) -> Value {
    let (sessions, logs) = gathered.read;
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
    put("schema", json!(SCHEMA));
    put("store", json!(store.dir.display().to_string()));
    put("sessions", json!(sessions));
    put("sessionsLeft", json!(gathered.more));
    put("logs", json!(logs));
    put("steps", stages.iter().flat_map(|stage| steps(stage)).collect());
    put("refused", stages.iter().flat_map(|stage| refused(stage)).collect());
    if let Some(file) = stages.iter().find_map(|stage| stage.file.as_ref()) {
        put("planFile", json!(file.display().to_string()));
    }
    Value::Object(out)
}

fn steps(stage: &PlanRun<'_>) -> Vec<Value> {
    stage.plan.steps.iter().map(|step| step_json(stage, step)).collect()
}

fn refused(stage: &PlanRun<'_>) -> Vec<Value> {
    let of = stage.plan.refused.iter();
    of.map(|refused| json!({"what": refused.what, "why": refused.why})).collect()
}

fn step_json(stage: &PlanRun<'_>, step: &Step) -> Value {
    let ids = |ids: &[EntryId]| -> Value { ids.iter().map(EntryId::to_string).collect() };
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
    match &step.act {
        Act::Merge { keep, from } => {
            put("act", json!("merge"));
            put("entry", json!(keep.to_string()));
            put("from", ids(from));
        }
        Act::Archive(id) => {
            put("act", json!("archive"));
            put("entry", json!(id.to_string()));
        }
        Act::Add { category, cue, text } => {
            put("act", json!("add"));
            put("category", json!(category));
            put("cue", json!(cue.name()));
            put("text", json!(text));
        }
        Act::Reinforce(id, n) => {
            put("act", json!("reinforce"));
            put("entry", json!(id.to_string()));
            put("n", json!(n));
        }
        Act::Combine { category, text, from } => {
            put("act", json!("combine"));
            put("category", json!(category));
            put("text", json!(text));
            put("from", ids(from));
        }
        Act::Propose(of) => {
            put("act", json!("propose"));
            put("from", ids(of));
        }
    }
    put("reason", json!(step.reason));
    put("by", json!(if step.by == By::Model { "model" } else { "rules" }));
    let is_left = step.by == By::Offer || matches!(step.act, Act::Propose(_));
    put("done", json!(stage.done && !is_left));
    Value::Object(out)
}
