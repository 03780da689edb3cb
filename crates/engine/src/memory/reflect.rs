//! Observations consolidated, by a model or by rules, and put in the place of what was there.
//! Prints nothing but warnings.

use serde_json::{Value, json};

use super::{Memory, lock, observe::warn};
use crate::{
    error::{Failure, Kind},
    llm::{ModelError, Question, Role, Service, prompt::Prompt},
    local_time,
    store::{observation_files, read::Problem, snapshot::Store},
};
use pimem_core::{
    markdown::lines,
    model::calendar::Date,
    observe::{
        document::Document,
        reflect::{self, Mode},
        rules::answer,
    },
    report::budget::Tokens,
};

/// Tokens that a model is asked to read at once; of more, rules make less.
const MOST: Tokens = Tokens(100_000);
/// What happens where no model helps.
const INSTEAD: &str = "reflected by rules instead";

/// What became of a file.
pub struct Done {
    pub file: String,
    pub before: Tokens,
    pub after: Tokens,
    /// The model, if it was one.
    pub model: Option<String>,
    pub aggressive: bool,
    /// Whether it is only what would be.
    pub trial: bool,
}

impl Done {
    pub fn line(&self) -> String {
        let Self { file, before, after, .. } = self;
        if before == after {
            return format!("{file}: nothing of {before} tokens can go");
        }
        let verb = if self.trial { "would become" } else { "became" };
        format!("{file}: {before} tokens {verb} {after}")
    }

    pub fn json(&self) -> Value {
        json!({
            "file": self.file, "before": self.before.0, "after": self.after.0,
            "by": self.model.as_deref().unwrap_or("rules"), "aggressive": self.aggressive,
            "changed": self.before != self.after && !self.trial,
        })
    }
}

/// How to go about it.
#[derive(Debug, Clone, Copy)]
pub struct How {
    pub aggressive: bool,
    /// Tokens beyond which a file is too long.
    pub due: Tokens,
    /// Write nothing.
    pub trial: bool,
}

/// Tokens beyond which a file is too long.
pub fn due(memory: &Memory) -> Tokens {
    memory.config.settings.reflector.observation_tokens
}

/// How long a file is.
pub fn tokens(store: &Store, stem: &str) -> Result<Tokens, Failure> {
    read(store, stem).map(|text| Tokens::of(&text))
}

/// Consolidates a file.
pub fn file(memory: &Memory, store: &Store, stem: &str, how: How) -> Result<Done, Failure> {
    let name = observation_files::file(stem);
    let before = read(store, stem)?;
    let today = local_time::local(memory.now.0).date;
    let by_model = asked(memory, store, &name, &before, today, how);
    let (model, (after, aggressive)) = match by_model {
        Some((model, result)) => (Some(model), result),
        None => (None, by_rules(&before, today, how)),
    };
    let mut done = Done {
        file: name.clone(),
        before: Tokens::of(&before),
        after: Tokens::of(&after),
        model,
        aggressive,
        trial: how.trial,
    };
    if how.trial || after == before {
        return Ok(done);
    }
    let lock = lock(memory, store)?;
    let mut broken = false;
    store.rewrite(&lock, &name, |bytes| {
        let Some(now) = text_of(bytes) else {
            broken = true;
            return None;
        };
        // Whoever wrote to it meanwhile has not been read by the model.
        let after = if now == before { after.clone() } else { by_rules(&now, today, how).0 };
        (done.before, done.after) = (Tokens::of(&now), Tokens::of(&after));
        (after != now).then(|| after.replace('\n', lines::newline(bytes)).into_bytes())
    })?;
    if broken { Err(no_text(&name)) } else { Ok(done) }
}

fn by_rules(before: &str, today: Date, how: How) -> (String, bool) {
    if !how.aggressive {
        let after = reflect::reflect(before, today, Mode::Normal);
        let (was, is) = (Tokens::of(before), Tokens::of(&after));
        // A file in which nothing has faded and that is not too long is left alone: it would lose more
        // with every call.
        if !reflect::too_little(was, is) || (was == is && was <= how.due) {
            return (after, false);
        }
    }
    (reflect::reflect(before, today, Mode::Aggressive), true)
}

/// What a model makes of it, with its name and whether it was asked for more than usual; `None` where
/// there is none, or nothing of use came of it.
fn asked(
    memory: &Memory,
    store: &Store,
    name: &str,
    before: &str,
    today: Date,
    how: How,
) -> Option<(String, (String, bool))> {
    let service = match Service::of(&memory.config, &memory.env, Role::Reflector) {
        Ok(service) => service?,
        Err(trouble) => {
            warn(memory, &trouble, INSTEAD);
            return None;
        }
    };
    let refused = |message: String, hint: &str| {
        warn(memory, &ModelError { message, hint: hint.to_owned() }, INSTEAD);
    };
    if before.trim().is_empty() {
        return None;
    }
    if !store.clone().strict().file_reviewed(name) {
        let message = format!("{name} was not written on this machine, and is sent to no model");
        refused(message, "pimem trust has it reviewed");
        return None;
    }
    if Tokens::of(before) > MOST {
        refused(format!("{name} has more than {MOST} tokens, which is too much for a model"), "");
        return None;
    }
    let ask = |prompt| answered(memory, &service, prompt, before, today);
    let tell = |trouble| warn(memory, &trouble, INSTEAD);
    let first =
        if how.aggressive { None } else { Some(ask(Prompt::Reflector).map_err(tell).ok()?) };
    let enough = |after: &String| !reflect::too_little(Tokens::of(before), Tokens::of(after));
    let result = match first {
        Some(Ok(after)) if enough(&after) => (after, false),
        first => match (ask(Prompt::ReflectorAggressive), first) {
            (Ok(Ok(after)), _) => (after, true),
            // Little is more than nothing.
            (_, Some(Ok(after))) => (after, false),
            (Ok(Err(why)), _) => {
                refused(format!("the answer of {} cannot be used: {why}", service.name()), "");
                return None;
            }
            (Err(trouble), _) => {
                tell(trouble);
                return None;
            }
        },
    };
    Some((service.name().to_owned(), result))
}

/// A model's answer, or why it cannot be used.
fn answered(
    memory: &Memory,
    service: &Service,
    prompt: Prompt,
    before: &str,
    today: Date,
) -> Result<Result<String, &'static str>, ModelError> {
    let rules = prompt.text(memory.env.home.as_deref())?;
    let document = Document::parse(before);
    let kept = reflect::kept_word_for_word(&document, today);
    let kept: String = kept.iter().flat_map(|note| [note.to_string(), "\n".to_owned()]).collect();
    let kept = if kept.is_empty() { "None.\n".to_owned() } else { kept };
    let text = format!(
        "Today is {today}. The observations:\n\n{before}\nThese have to stay word for word:\n\n{kept}"
    );
    let answer = service.ask(Question { rules: &rules, text: &text })?;
    let known = |date: Date| document.days.iter().any(|day| day.date == Some(date));
    let (after, _) = answer::read(&answer, None, known);
    Ok(reflect::accepted(before, after, today))
}

/// A file, with line ends of one kind.
fn read(store: &Store, stem: &str) -> Result<String, Failure> {
    let name = observation_files::file(stem);
    let bytes = store.file(&name).map_err(|problem: Problem| Failure::from(&problem))?;
    text_of(&bytes.unwrap_or_default()).ok_or_else(|| no_text(&name))
}

fn text_of(bytes: &[u8]) -> Option<String> {
    Some(String::from_utf8(bytes.to_vec()).ok()?.replace("\r\n", "\n"))
}

fn no_text(name: &str) -> Failure {
    Failure::new(Kind::Refused, format!("{name} is not UTF-8"), "convert it first, as with iconv")
}
