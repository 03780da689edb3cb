//! Observations for a context that is about to be compacted: those on file, plus new ones made by
//! rules.
//!
//! They are added to the agent's own summary if the agent accepts that, and replace the summary
//! only if the user configured it.

use std::path::{Path, PathBuf};

use super::{answer::HookAnswer, call::Call};
use crate::agents::Limit;
use pimem_core::{
    language::injection,
    model::time::{Date, Timestamp},
    observe::{
        document::{self, Below, Observations, ObservedItem, ObservedLine},
        reflect::{self, ReflectMode},
        rules::{self, HeardTurn},
    },
    safe,
    safety::{safe_text::SafeText, secret},
    session::transcript::{self, Message, Role},
};
use pimem_engine::{
    config::settings::Compaction,
    error::Failure,
    local_time,
    memory::{self, observe},
    store::{
        notes::{self, Reached},
        read,
    },
};

/// Bytes observed at the end of a transcript.
const TAIL: u64 = 256 << 10;
const HEADING: &str = "# Observations of this session";

/// New observations, and the position up to which the session is observed.
pub(crate) struct Observed {
    stem: String,
    found: Observations,
    reached: Reached,
}

pub(crate) fn observations(call: &Call<'_>) -> HookAnswer {
    let compaction = call.ctx.memory.config.settings.observer.compaction;
    let instead =
        compaction == Compaction::Summary || call.ctx.memory.env.text("PI_MEMORY") == Some("1");
    let replaces = call.agent.record().replaces_summary;
    let wanted = if replaces { instead } else { compaction != Compaction::Off };
    let (true, true, Some(home)) = (wanted, call.listens(), call.home()) else {
        return HookAnswer::default();
    };
    let id = call.input.session.as_deref().map(secret::clean).filter(|id| !id.is_empty());
    let stem = id.as_deref().map(notes::observation_stem);
    let known = stem.as_deref().and_then(|stem| {
        let name = notes::observation_file(stem);
        let bytes = home.file(&name).ok().flatten().filter(|_| home.file_reviewed(&name))?;
        Some(Observations::parse(&String::from_utf8_lossy(&bytes)))
    });
    let mut known = known.unwrap_or_default();
    // Earlier versions may have stored lines worded as orders.
    for day in &mut known.days {
        day.lines.retain(|line| !orders(line));
    }
    let before = stem.as_deref().map(|stem| home.reached(stem)).unwrap_or_default();
    let (heard, last) = heard(call, &Reached { messages: None, ..before });
    let found = rules::observe(&heard).without(&known);
    let mut answer = HookAnswer::default();
    answer.push_all(&text(call, &known, &found), None);
    answer.observed =
        stem.zip(last).filter(|_| instead && !found.is_empty()).map(|(stem, last)| {
            let reached = Reached { messages: None, last: Some(last.to_string()) };
            Observed { stem, found, reached }
        });
    answer
}

/// Returns true if an observation, or a line below it, is worded as an order to an agent.
fn orders(line: &ObservedLine) -> bool {
    let is_order = |text: &str| injection::find(text).is_some();
    match line {
        ObservedLine::Other(text) => is_order(text),
        ObservedLine::Item(ObservedItem { note, below }) => {
            let order = |below: &Below| match below {
                Below::Note(_, note) => is_order(&note.text),
                Below::Other(text) => is_order(text),
            };
            is_order(&note.text) || below.iter().any(order)
        }
    }
}

/// Stores new observations that replaced a summary, because the agent has nothing else.
pub(crate) fn keep(call: &Call<'_>, observed: Option<Observed>) -> Result<(), Failure> {
    let (Some(home), Some(Observed { stem, found, reached })) = (call.home(), observed) else {
        return Ok(());
    };
    let lock = memory::lock(&call.ctx.memory, home)?;
    home.rewrite(&lock, &notes::observation_file(&stem), |bytes| {
        let fresh = found.without(&Observations::parse(&String::from_utf8_lossy(bytes)));
        (!fresh.is_empty()).then(|| document::append(bytes, &fresh))
    })?;
    home.note_reached(&stem, &reached)?;
    Ok(())
}

/// Returns the new messages, from the end of the transcript or, if that is unreadable, from the
/// prompts in the ledger, with the time of the last one.
fn heard(call: &Call<'_>, before: &Reached) -> (Vec<HeardTurn>, Option<Timestamp>) {
    let read = |path: PathBuf| {
        let tail = read::tail(Path::new("/"), &path, TAIL).ok()??;
        transcript::read(&tail).map(|(_, messages)| messages)
    };
    let said = || {
        let said = call.known().said.iter();
        said.map(|text| Message { role: Role::User, text: text.clone(), when: None }).collect()
    };
    let messages: Vec<Message> = call.transcript().and_then(read).unwrap_or_else(said);
    let last = messages.iter().filter_map(|message| message.when).max();
    let mut day = None;
    let new = messages.into_iter().filter(|message| before.is_before(0, message.when));
    let heard = new.map(|message| observe::heard(&call.ctx.memory, message, &mut day));
    (heard.collect(), last)
}

/// Renders the observations within the agent's limit, dropping the oldest first.
fn text(call: &Call<'_>, known: &Observations, found: &Observations) -> SafeText {
    let mut all = known.clone();
    for (date, item) in found.items() {
        all.push(date, item.clone());
    }
    if all.is_empty() {
        return SafeText::default();
    }
    let limit = call.agent.limit();
    let mut text = SafeText::of_lines(&all.to_string());
    if !fits(limit, &text) {
        let today = local_time::local(call.ctx.memory.now.0).date;
        let fewer = Observations::parse(&reflect::reflect(&text, today, ReflectMode::Aggressive));
        text = SafeText::of_lines(&newest(&fewer, limit));
    }
    if text.is_empty() { text } else { safe!("{}\n\n{}", HEADING, text) }
}

fn fits(limit: Limit, text: &str) -> bool {
    limit.size(text) + limit.size(HEADING) + 100 <= limit.most()
}

/// Returns as many of the newest observations as fit.
fn newest(all: &Observations, limit: Limit) -> String {
    let mut lines: Vec<(Option<Date>, &ObservedLine)> =
        all.days.iter().flat_map(|day| day.lines.iter().map(|line| (day.date, line))).collect();
    lines.reverse();
    let mut text = String::new();
    while !lines.is_empty() {
        let mut kept = Observations::default();
        for (date, line) in lines.iter().rev() {
            if let ObservedLine::Item(item) = line {
                kept.push(*date, item.clone());
            }
        }
        text = kept.to_string();
        if fits(limit, &text) {
            break;
        }
        lines.truncate(lines.len() * 7 / 8);
        text.clear();
    }
    text
}
