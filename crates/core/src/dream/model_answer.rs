//! Strict parser for a model's answer: one act per line as a JSON object.
//!
//! A code fence around the answer and a single array of acts are accepted. Anything else is refused
//! with a reason.

use serde_json::{Map, Value};

use super::{
    step::{PlanStep, PlannedBy, RefusedStep, StepAction},
    vet::{self, LookupError},
};
use crate::{
    model::{entry::EntryId, event::Cue},
    safety::secret,
    score::ranking::Ranking,
};

/// Maximum number of acts considered.
const ACTS: usize = 50;
/// Maximum number of new entries.
const ADDITIONS: usize = 20;
/// Maximum number of refusals listed; further ones are counted.
const TOLD: usize = 100;
/// Maximum number of characters of a reason.
const REASON: usize = 200;
/// Maximum number of characters shown of a refused line.
const SHOWN: usize = 120;

type Object = Map<String, Value>;

/// Why a line of an answer is no act.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum AnswerError {
    #[error("no JSON object")]
    NoObject,
    #[error("more than {ACTS} acts")]
    TooManyActs,
    #[error("more than {ADDITIONS} additions")]
    TooManyAdditions,
    /// With the word as far as it can be shown.
    #[error("unknown act {0}")]
    UnknownAct(String),
    /// With the key as far as it can be shown.
    #[error("unknown key {0}")]
    UnknownKey(String),
    #[error("{0:?} is missing")]
    Missing(&'static str),
    #[error("{0:?} is no text")]
    NoText(&'static str),
    #[error("the reason is empty")]
    NoReason,
    #[error("\"from\" is no list of ids")]
    NoIds,
    #[error(transparent)]
    Entry(#[from] LookupError),
}

/// Parses an answer into steps, which are still to be vetted, and refused lines.
pub fn read(answer: &str, ranking: &Ranking) -> (Vec<PlanStep>, Vec<RefusedStep>) {
    let mut reader = Reader { ranking, steps: Vec::new(), refused: Vec::new(), acts: 0, untold: 0 };
    let fence = |line: &&str| !line.trim_start().starts_with("```") && !line.trim().is_empty();
    let lines: Vec<&str> = answer.trim_start_matches('\u{feff}').lines().filter(fence).collect();
    match serde_json::from_str::<Vec<Value>>(&lines.join("\n")) {
        Ok(all) => all.iter().for_each(|one| reader.take(&one.to_string(), one.as_object())),
        Err(_) => {
            for line in lines {
                let value = serde_json::from_str::<Object>(line.trim()).ok();
                reader.take(line.trim(), value.as_ref());
            }
        }
    }
    if reader.untold > 0 {
        let what = format!("{} further lines", reader.untold);
        reader.refused.push(RefusedStep { what, why: "too much was refused".to_owned() });
    }
    (reader.steps, reader.refused)
}

struct Reader<'a> {
    ranking: &'a Ranking,
    steps: Vec<PlanStep>,
    refused: Vec<RefusedStep>,
    /// Number of objects considered.
    acts: usize,
    untold: usize,
}

impl Reader<'_> {
    fn take(&mut self, line: &str, value: Option<&Object>) {
        // An answer cannot be empty, so this is how a model says that there is nothing to do.
        if value.and_then(|object| object.get("act")?.as_str()) == Some("nothing") {
            return;
        }
        match self.step(value) {
            Ok(step) => self.steps.push(step),
            Err(_) if self.refused.len() >= TOLD => self.untold += 1,
            Err(why) => {
                let clean = secret::clean(&value.map_or_else(|| line.to_owned(), values));
                let start: String = clean.chars().take(SHOWN).collect();
                let cut = if start.len() < clean.len() { "…" } else { "" };
                self.refused
                    .push(RefusedStep { what: format!("{start}{cut}"), why: why.to_string() });
            }
        }
    }

    fn step(&mut self, value: Option<&Object>) -> Result<PlanStep, AnswerError> {
        let object = value.ok_or(AnswerError::NoObject)?;
        self.acts += 1;
        if self.acts > ACTS {
            return Err(AnswerError::TooManyActs);
        }
        let (act, reason) = self.act(object)?;
        let adds = |step: &&PlanStep| matches!(step.act, StepAction::Add { .. });
        if matches!(act, StepAction::Add { .. })
            && self.steps.iter().filter(adds).count() >= ADDITIONS
        {
            return Err(AnswerError::TooManyAdditions);
        }
        Ok(PlanStep { act, reason, by: PlannedBy::Model })
    }

    /// Parses the act of an object, with its reason.
    fn act(&self, object: &Object) -> Result<(StepAction, String), AnswerError> {
        let name = text(object, "act")?;
        let keys: &[&str] = match name {
            "merge" => &["keep", "from"],
            "combine" => &["category", "text", "from"],
            "archive" | "reinforce" => &["entry"],
            "add" => &["category", "text"],
            _ => return Err(AnswerError::UnknownAct(vet::quoted(name))),
        };
        let known = |key: &&String| {
            keys.contains(&key.as_str()) || ["act", "reason"].contains(&key.as_str())
        };
        if let Some(key) = object.keys().find(|key| !known(key)) {
            return Err(AnswerError::UnknownKey(vet::quoted(key)));
        }
        let reason: String = secret::clean(text(object, "reason")?).chars().take(REASON).collect();
        if reason.is_empty() {
            return Err(AnswerError::NoReason);
        }
        let entry = |key| Ok::<_, AnswerError>(vet::find(self.ranking, text(object, key)?)?);
        let owned = |key| text(object, key).map(str::to_owned);
        let act = match name {
            "merge" => StepAction::Merge { keep: entry("keep")?, from: self.entries(object)? },
            "combine" => {
                let (category, text) = (owned("category")?, owned("text")?);
                StepAction::Combine { category, text, from: self.entries(object)? }
            }
            "archive" => StepAction::Archive(entry("entry")?),
            "reinforce" => StepAction::Reinforce(entry("entry")?, 1),
            _ => {
                let (category, text) = (owned("category")?, owned("text")?);
                StepAction::Add { category, cue: Cue::Behavioral, text }
            }
        };
        Ok((act, reason))
    }

    fn entries(&self, object: &Object) -> Result<Vec<EntryId>, AnswerError> {
        let list = object.get("from").ok_or(AnswerError::Missing("from"))?;
        let list = list.as_array().ok_or(AnswerError::NoIds)?;
        let find =
            |id: &Value| Ok(vet::find(self.ranking, id.as_str().ok_or(AnswerError::NoIds)?)?);
        list.iter().map(find).collect()
    }
}

/// Returns the values of an object except its reason. Unlike the raw line, they contain no escapes
/// that could hide a secret.
fn values(object: &Object) -> String {
    let values = object.iter().filter(|(key, _)| *key != "reason");
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    values.map(|(_, value)| text(value)).collect::<Vec<_>>().join(" ")
}

/// Returns the text value of a key.
fn text<'a>(object: &'a Object, key: &'static str) -> Result<&'a str, AnswerError> {
    let value = object.get(key).ok_or(AnswerError::Missing(key))?;
    value.as_str().ok_or(AnswerError::NoText(key))
}

#[cfg(test)]
#[path = "model_answer_tests.rs"]
mod tests;
