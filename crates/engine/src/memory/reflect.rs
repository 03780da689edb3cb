//! Consolidation of observations, by a model or by rules. Prints nothing but warnings.

use crate::memory::handles::Tending;
use pimem_core::{
    markdown::patch,
    model::time::Date,
    observe::{
        document::{self, Observations},
        reflect::{self, ReflectMode},
    },
    report::budget::Tokens,
};
use serde::Serialize;

use super::{Memory, WriteTarget, lock, observe::warn};
use crate::{
    error::{Failure, FailureKind},
    llm::{ModelError, ModelRole, Prompt, Question, Service},
    local_time,
    store::{Store, notes, read::ReadProblem},
};

/// Maximum number of tokens given to a model; longer files are consolidated by rules.
const MOST: Tokens = Tokens(100_000);
/// Message about the fallback if no model helps.
const INSTEAD: &str = "reflected by rules instead";

#[derive(Debug, Clone, Copy, Default)]
pub struct ReflectRequest<'a> {
    /// Sessions, by id or by file; empty for all that have observations.
    pub sessions: &'a [String],
    /// True to cut everything older than two days down to a line.
    pub aggressive: bool,
    /// True to skip files that are not too long.
    pub if_due: bool,
    /// True to write nothing.
    pub dry_run: bool,
}

impl Tending<'_> {
    /// Consolidates observations.
    ///
    /// # Errors
    /// Fails if a session has no observations, or a file cannot be read or written.
    pub fn reflect(self, request: &ReflectRequest<'_>) -> Result<Reflected, Failure> {
        let WriteTarget { dir, scope, exists } = self.memory.target()?;
        let store = self.memory.store(dir, scope);
        let mut stems = Vec::new();
        if exists {
            stems = store.observed().map_err(|problem| Failure::from(&problem))?;
        }
        if !request.sessions.is_empty() {
            let named = request.sessions.iter().map(|name| find(&stems, name));
            stems = named.collect::<Result<_, _>>()?;
        }
        let due = due(self.memory);
        let how = How { aggressive: request.aggressive, due, trial: request.dry_run };
        let mut files = Vec::new();
        for stem in &stems {
            if !request.if_due || tokens(&store, stem)? > due {
                files.push(file(self.memory, &store, stem, how)?);
            }
        }
        if stems.is_empty() {
            self.memory.notices.note("There are no observations");
        } else if files.is_empty() {
            self.memory.notices.note(&format!("Not due: no file has more than {due} tokens"));
        }
        Ok(Reflected { files, sessions: stems.len() })
    }
}

/// Finds the file of a session by its id, its name or its path in the store.
fn find(all: &[String], name: &str) -> Result<String, Failure> {
    let short = name.rsplit('/').next().unwrap_or(name);
    let short = short.strip_suffix(".md").unwrap_or(short);
    let exact = [name.to_owned(), short.to_owned(), notes::observation_stem(name)];
    if let Some(stem) = all.iter().find(|stem| exact.contains(stem)) {
        return Ok(stem.clone());
    }
    let starting: Vec<&String> =
        all.iter().filter(|stem| !short.is_empty() && stem.starts_with(short)).collect();
    match starting.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            let message = format!("there are no observations of a session {name}");
            Err(Failure::new(
                FailureKind::NotFound,
                message,
                "pimem dream reflect --dry-run lists those there are",
            ))
        }
        several => {
            let hints = several.iter().map(|stem| (*stem).clone()).collect();
            let message = format!("{name} begins several sessions");
            Err(Failure { kind: FailureKind::Ambiguous, message, hints })
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct How {
    pub aggressive: bool,
    /// Number of tokens above which a file is too long.
    pub due: Tokens,
    /// True to write nothing.
    pub trial: bool,
}

/// Returns the number of tokens above which a file is too long.
pub(super) fn due(memory: &Memory) -> Tokens {
    memory.config.settings.reflector.observation_tokens
}

pub(super) fn tokens(store: &Store, stem: &str) -> Result<Tokens, Failure> {
    read(store, stem).map(|text| Tokens::of(&text))
}

pub(super) fn file(
    memory: &Memory,
    store: &Store,
    stem: &str,
    how: How,
) -> Result<ReflectedFile, Failure> {
    let name = notes::observation_file(stem);
    let before = read(store, stem)?;
    let today = local_time::local(memory.now.0).date;
    let by_model = asked(memory, store, &name, &before, today, how);
    let (model, (after, aggressive)) = match by_model {
        Some((model, result)) => (Some(model), result),
        None => (None, by_rules(&before, today, how)),
    };
    let mut done = ReflectedFile {
        file: name.clone(),
        before: Tokens::of(&before).0,
        after: Tokens::of(&after).0,
        by: model.unwrap_or_else(|| "rules".to_owned()),
        aggressive,
        changed: false,
    };
    if how.trial || after == before {
        return Ok(done);
    }
    let lock = lock(memory, store)?;
    let (mut broken, mut changed) = (false, false);
    store.rewrite(&lock, &name, |bytes| {
        let Some(now) = text_of(bytes) else {
            broken = true;
            return None;
        };
        // If the file changed meanwhile, the model has not read the new part, so rules are used.
        let after = if now == before { after.clone() } else { by_rules(&now, today, how).0 };
        (done.before, done.after) = (Tokens::of(&now).0, Tokens::of(&after).0);
        changed = after != now;
        changed.then(|| after.replace('\n', patch::newline(bytes)).into_bytes())
    })?;
    done.changed = changed;
    if broken { Err(no_text(&name)) } else { Ok(done) }
}

fn by_rules(before: &str, today: Date, how: How) -> (String, bool) {
    if !how.aggressive {
        let after = reflect::reflect(before, today, ReflectMode::Normal);
        let (was, is) = (Tokens::of(before), Tokens::of(&after));
        // A file that is not too long and in which nothing has faded is left alone; otherwise it
        // would lose more with every call.
        if !reflect::too_little(was, is) || (was == is && was <= how.due) {
            return (after, false);
        }
    }
    (reflect::reflect(before, today, ReflectMode::Aggressive), true)
}

/// Returns the consolidation by a model, with its name and whether the aggressive prompt was used.
/// `None` if there is no model or its answer is not usable.
fn asked(
    memory: &Memory,
    store: &Store,
    name: &str,
    before: &str,
    today: Date,
    how: How,
) -> Option<(String, (String, bool))> {
    let service = match Service::of(&memory.config, &memory.env, ModelRole::Reflector) {
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
            // A small reduction is better than none.
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

/// Returns a model's answer, or why it cannot be used.
fn answered(
    memory: &Memory,
    service: &Service,
    prompt: Prompt,
    before: &str,
    today: Date,
) -> Result<Result<String, &'static str>, ModelError> {
    let rules = prompt.text(memory.env.home.as_deref())?;
    let document = Observations::parse(before);
    let kept = reflect::kept_word_for_word(&document, today);
    let kept: String = kept.iter().flat_map(|note| [note.to_string(), "\n".to_owned()]).collect();
    let kept = if kept.is_empty() { "None.\n".to_owned() } else { kept };
    let text = format!(
        "Today is {today}. The observations:\n\n{before}\nThese have to stay word for word:\n\n{kept}"
    );
    let answer = service.ask(Question { rules: &rules, text: &text })?;
    let known = |date: Date| document.days.iter().any(|day| day.date == Some(date));
    let (after, _) = document::read_answer(&answer, None, known);
    Ok(reflect::accepted(before, after, today))
}

/// Reads a file and normalises its line ends.
fn read(store: &Store, stem: &str) -> Result<String, Failure> {
    let name = notes::observation_file(stem);
    let bytes = store.file(&name).map_err(|problem: ReadProblem| Failure::from(&problem))?;
    text_of(&bytes.unwrap_or_default()).ok_or_else(|| no_text(&name))
}

fn text_of(bytes: &[u8]) -> Option<String> {
    Some(String::from_utf8(bytes.to_vec()).ok()?.replace("\r\n", "\n"))
}

fn no_text(name: &str) -> Failure {
    Failure::new(
        FailureKind::Refused,
        format!("{name} is not UTF-8"),
        "convert it first, as with iconv",
    )
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reflected {
    pub files: Vec<ReflectedFile>,
    /// Requested sessions that have observations.
    #[serde(skip)]
    pub sessions: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReflectedFile {
    /// File, relative to the store.
    pub file: String,
    pub before: u32,
    /// Tokens after, or that it would have.
    pub after: u32,
    /// Language model that consolidated it, or `rules`.
    pub by: String,
    /// True if everything older than two days was cut down to one line.
    pub aggressive: bool,
    pub changed: bool,
}

impl ReflectedFile {
    /// Formats the result for people.
    pub fn line(&self) -> String {
        let Self { file, before, after, .. } = self;
        let (before, after) = (Tokens(*before), Tokens(*after));
        match (before == after, self.changed) {
            (true, false) => return format!("{file}: nothing of {before} tokens can go"),
            (true, true) => return format!("{file}: tidied, still {before} tokens"),
            (false, _) => {}
        }
        let verb = if self.changed { "became" } else { "would become" };
        format!("{file}: {before} tokens {verb} {after}")
    }
}

documents! {
    Reflected: "pimem.reflect/1",
}
