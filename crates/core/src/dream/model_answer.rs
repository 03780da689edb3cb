//! What a model answers, read strictly: one act a line as a JSON object. A fence around the answer and
//! one array of acts are borne; whatever else is no act is refused, each with its reason.

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

/// Acts that are looked at.
const ACTS: usize = 50;
/// New entries.
const ADDITIONS: usize = 20;
/// What is refused is told for so many, and then counted.
const TOLD: usize = 100;
/// Characters of a reason.
const REASON: usize = 200;
/// Characters of what was refused.
const SHOWN: usize = 120;

type Object = Map<String, Value>;

/// The steps that an answer asks for, to be vetted, and what is no act.
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
    /// Objects that were looked at.
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

    /// The act that an object describes, with its reason.
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

/// What an object says, but for its reason: no escape hides a secret in it.
fn values(object: &Object) -> String {
    let values = object.iter().filter(|(key, _)| *key != "reason");
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    values.map(|(_, value)| text(value)).collect::<Vec<_>>().join(" ")
}

/// The text under a key.
fn text<'a>(object: &'a Object, key: &str) -> Result<&'a str, String> {
    let value = object.get(key).ok_or_else(|| format!("{key:?} is missing"))?;
    value.as_str().ok_or_else(|| format!("{key:?} is no text"))
}

#[cfg(test)]
#[path = "model_answer_tests.rs"]
mod tests;
