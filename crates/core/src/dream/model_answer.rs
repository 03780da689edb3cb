//! Strict parser for a model's answer: one act per line as a JSON object.
//!
//! A code fence around the answer and a single array of acts are accepted. Anything else is refused
//! with a reason.

use serde_json::{Map, Value};

use super::{
    step::{Act, By, Refused, Step},
    vet,
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

/// Parses an answer into steps, which are still to be vetted, and refused lines.
pub fn read(answer: &str, board: &Ranking) -> (Vec<Step>, Vec<Refused>) {
    let mut reader = Reader { board, steps: Vec::new(), refused: Vec::new(), acts: 0, untold: 0 };
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
        reader.refused.push(Refused { what, why: "too much was refused".to_owned() });
    }
    (reader.steps, reader.refused)
}

struct Reader<'a> {
    board: &'a Ranking,
    steps: Vec<Step>,
    refused: Vec<Refused>,
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
                self.refused.push(Refused { what: format!("{start}{cut}"), why });
            }
        }
    }

    fn step(&mut self, value: Option<&Object>) -> Result<Step, String> {
        let object = value.ok_or("no JSON object")?;
        self.acts += 1;
        if self.acts > ACTS {
            return Err(format!("more than {ACTS} acts"));
        }
        let (act, reason) = self.act(object)?;
        let adds = |step: &&Step| matches!(step.act, Act::Add { .. });
        if matches!(act, Act::Add { .. }) && self.steps.iter().filter(adds).count() >= ADDITIONS {
            return Err(format!("more than {ADDITIONS} additions"));
        }
        Ok(Step { act, reason, by: By::Model })
    }

    /// Parses the act of an object, with its reason.
    fn act(&self, object: &Object) -> Result<(Act, String), String> {
        let name = text(object, "act")?;
        let keys: &[&str] = match name {
            "merge" => &["keep", "from"],
            "combine" => &["category", "text", "from"],
            "archive" | "reinforce" => &["entry"],
            "add" => &["category", "text"],
            _ => return Err(format!("unknown act {}", vet::quoted(name))),
        };
        let known = |key: &&String| {
            keys.contains(&key.as_str()) || ["act", "reason"].contains(&key.as_str())
        };
        if let Some(key) = object.keys().find(|key| !known(key)) {
            return Err(format!("unknown key {}", vet::quoted(key)));
        }
        let reason: String = secret::clean(text(object, "reason")?).chars().take(REASON).collect();
        if reason.is_empty() {
            return Err("the reason is empty".to_owned());
        }
        let entry = |key: &str| vet::find(self.board, text(object, key)?);
        let owned = |key: &str| text(object, key).map(str::to_owned);
        let act = match name {
            "merge" => Act::Merge { keep: entry("keep")?, from: self.entries(object)? },
            "combine" => {
                let (category, text) = (owned("category")?, owned("text")?);
                Act::Combine { category, text, from: self.entries(object)? }
            }
            "archive" => Act::Archive(entry("entry")?),
            "reinforce" => Act::Reinforce(entry("entry")?, 1),
            _ => {
                let (category, text) = (owned("category")?, owned("text")?);
                Act::Add { category, cue: Cue::Behavioral, text }
            }
        };
        Ok((act, reason))
    }

    fn entries(&self, object: &Object) -> Result<Vec<EntryId>, String> {
        let list = object.get("from").ok_or("\"from\" is missing")?;
        let wrong = || "\"from\" is no list of ids".to_owned();
        let list = list.as_array().ok_or_else(wrong)?;
        list.iter().map(|id| vet::find(self.board, id.as_str().ok_or_else(wrong)?)).collect()
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
fn text<'a>(object: &'a Object, key: &str) -> Result<&'a str, String> {
    let value = object.get(key).ok_or_else(|| format!("{key:?} is missing"))?;
    value.as_str().ok_or_else(|| format!("{key:?} is no text"))
}

#[cfg(test)]
#[path = "model_answer_tests.rs"]
mod tests;
