//! The prompt hook: puts aside what a prompt states, and recalls memories for it.

use std::path::Path;

use super::{
    answer::{HookAnswer, ShownText},
    call::{self, Call, hash},
    start::{self, StartExtent},
};
use crate::{
    agents::{
        Agent,
        hook_input::{Input, Speaker},
    },
    shell::Shell,
};
use pimem_core::{
    guard::glob,
    language::{importance, preference},
    model::{entry::EntryId, hash::IdSet},
    safe,
    safety::{safe_text::SafeText, secret},
    score::ranking::Scope,
    search::{learned_questions, parts, social_gate},
    session::transcript,
};
use pimem_engine::{
    memory::{
        learn::{self, Learned, LearnedAs},
        recall::{self, PromptQueries, Recalled},
        report,
    },
    store::{
        Store,
        hook_ledger::{self, LedgerNote},
        read,
        spool::Said,
    },
};

/// Minimum number of characters of a message that a summary may use.
const SAID: usize = 15;
/// Bytes at the end of a transcript in which a schedule is looked for.
const TRANSCRIPT: u64 = 4 << 20;
/// Maximum number of questions of a prompt from which something is learned.
const QUESTIONS: usize = 8;
/// Maximum number of messages kept per session for its summary.
const MESSAGES: usize = 40;

/// Switches learning and recall off for a session, or on again, if that is what a prompt says.
/// Returns what the person is told where the call ends with that, or where the session is off.
pub(crate) fn switched_off(home: &Store, input: &Input) -> Option<SafeText> {
    let ledger = hook_ledger::name_of(input.session.as_deref()?);
    let is_typed = matches!(input.speaker, Speaker::Person | Speaker::Unknown);
    let prompt = input.prompt.as_deref().filter(|_| is_typed).unwrap_or_default();
    let off = match prompt.trim().to_lowercase().as_str() {
        "pimem: off" => true,
        "pimem: on" => false,
        _ => return hook_ledger::is_off(home, &ledger).then(SafeText::default),
    };
    Some(match hook_ledger::switch(home, &ledger, off) {
        Ok(()) if off => safe!("off for this session; pimem: on ends that\n"),
        Ok(()) => safe!("on again\n"),
        Err(error) => safe!("not switched: {}\n", format!("{error:#}")),
    })
}

/// Most lines that a sub-agent gets with its task.
const TASK: usize = 5;

/// Returns the memories that fit the task of a sub-agent: from the event, or else what its session has
/// last given to one of that type.
pub(crate) fn task(call: &Call<'_>) -> HookAnswer {
    if !call.listens() {
        return HookAnswer::default();
    }
    let given = call.input.prompt.clone().or_else(|| {
        let task = |path: &Path| {
            let tail = read::tail(Path::new("/"), path, TRANSCRIPT).ok()??;
            transcript::last_task(&tail, call.input.agent_type.as_deref())
        };
        let path = call.transcript()?;
        // Codex names the transcript of the sub-agent, which does not have the task yet.
        let of_session =
            || read::sibling(&path, &format!("-{}.jsonl", call.input.session.as_ref()?));
        task(&path).or_else(|| task(&of_session()?))
    });
    given.map_or_else(HookAnswer::default, |task| for_task(call, &task))
}

fn for_task(call: &Call<'_>, task: &str) -> HookAnswer {
    if social_gate::is_trivial(task) {
        return HookAnswer::default();
    }
    let asked = PromptQueries::begin(&call.ctx.memory, task);
    recall(call, task, &asked, &HookAnswer::default())
}

/// Returns the memories for a prompt that the session has not seen.
pub(crate) fn prompt(call: &Call<'_>) -> HookAnswer {
    let mut answer = HookAnswer::default();
    if !call.listens() {
        return answer;
    }
    if call.input.speaker.is_sub_agent() {
        return for_task(call, call.input.prompt.as_deref().unwrap_or_default());
    }
    // Later requests within a turn have no new prompt.
    let prompt = call.input.prompt.as_deref().filter(|_| call.input.invocation == 0);
    let prompt = prompt.filter(|prompt| !social_gate::is_trivial(prompt));
    let asked = prompt.map(|prompt| PromptQueries::begin(&call.ctx.memory, prompt));
    // The first hook of a session brings the report, for agents without a hook at the start.
    if call.has_session() && !call.known().reported {
        answer = start::opening(call, StartExtent::Whole);
    }
    if let Some((prompt, asked)) = prompt.zip(asked) {
        let more = recall(call, prompt, &asked, &answer);
        answer.extend(more);
    }
    answer
}

/// Returns the memories whose place some files are in, without those that the context has.
pub(super) fn placed(call: &Call<'_>, files: &[String], except: &IdSet<EntryId>) -> HookAnswer {
    let Some(first) = files.first() else { return HookAnswer::default() };
    let memory = &call.ctx.memory;
    let mut found = memory.reading().of_place(&call.stores, files, except);
    found.retain(|one| !call.is_read(&one.row.entry.text));
    if found.is_empty() {
        return HookAnswer::default();
    }
    let mut answer = about(first, files.len() - 1);
    for one in found.iter().take(report::PLACED) {
        answer.push(one.line(memory), Some(ShownText::from(&one.row)));
    }
    answer
}

/// Returns the heading of memories about a file and some more.
pub(super) fn about(file: &str, more: usize) -> HookAnswer {
    let mut answer = HookAnswer::default();
    answer.push(report::place_heading(file, more), None);
    answer.push(SafeText::fixed("\n"), None);
    answer
}

/// Returns the recalled memories, except those in `beside`.
fn recall(call: &Call<'_>, prompt: &str, asked: &PromptQueries, beside: &HookAnswer) -> HookAnswer {
    let (ctx, known) = (call.ctx, call.known());
    let mut except = known.seen.clone();
    except.extend(beside.entries().map(|shown| shown.id));
    let files: Vec<String> = glob::named(prompt).map(str::to_owned).collect();
    let mut placed = placed(call, &files, &except);
    except.extend(placed.entries().map(|shown| shown.id));
    let is_task = call.input.speaker.is_sub_agent();
    let shown = (!is_task).then_some(known.texts.len());
    let Recalled { entries, notes, mut sessions } =
        recall::search(&ctx.memory, &call.stores, asked, &except, shown);
    let mut found = entries.hits;
    found.retain(|hit| !call.is_read(&hit.text));
    let mut hits = recall::chosen(&ctx.memory, &call.stores, found);
    let mut answer = HookAnswer { stale: entries.stale, ..HookAnswer::default() };
    if is_task {
        sessions.clear();
    }
    let is_known = |text: &str| known.texts.contains(&hash(text));
    let is_said = |line: &str| beside.passages().any(|text| text.contains(line));
    let notes = recall::notes(notes, &hits, |line| is_known(line) || is_said(line));
    let own = if sessions.is_empty() { Vec::new() } else { call.own_summaries() };
    let sessions =
        recall::sessions(sessions, |text| is_known(text) || own.iter().any(|own| own == text));
    let stale = &mut answer.stale;
    let theirs = ctx.memory.sharing().recall_team(&call.stores, asked, &except, &hits, stale);
    hits.extend(theirs.into_iter().filter(|hit| !call.is_read(&hit.text)));
    if is_task {
        hits.truncate(TASK);
    }
    for recall::RecalledLine { text, hit } in recall::lines(&ctx.memory, &hits, &notes, &sessions) {
        answer.push(text, hit.map(ShownText::from));
    }
    placed.extend(answer);
    placed
}

/// What a prompt states, on its way into a store.
#[derive(Default)]
pub(crate) struct Heard {
    /// Statements that are not in the spool.
    pub(crate) unspooled: Vec<Said>,
    /// The store that has to be made for what waits for a review.
    pub(crate) made: Option<Store>,
    /// True if the agent had put the prompt on a schedule itself, or nobody is at the session.
    pub(crate) is_machine: bool,
    /// Why the spool could not be written.
    pub(crate) failure: Option<String>,
    /// True if nothing was kept, because a store of the project must not be written.
    pub(crate) is_shut: bool,
    /// What the person is told of statements that are not kept, or wait for a store.
    pub(crate) told: Vec<SafeText>,
}

/// Returns the line that says that a statement is not kept.
pub(crate) fn not_kept(text: &str, why: &str) -> SafeText {
    safe!("not kept: {} ({})\n", text, why)
}

/// Returns why nothing is kept for the project, and what changes that.
fn no_place(ctx: &Shell) -> &'static str {
    match ctx.memory.places.found() {
        _ if ctx.memory.places.away().is_some() => {
            "the store of this project leads away from it: pimem status"
        }
        Some(Ok(dir)) if ctx.memory.store(dir.clone(), Scope::Project).trust.is_foreign() => {
            "the store of this project belongs to another user: pimem trust --always vouches for it"
        }
        _ if ctx.memory.places.new_project().is_none() => "the home directory is no project",
        _ => "this project has no store: pimem init",
    }
}

/// Puts into the spool what a prompt states. When this returns, nothing of it is lost, whatever
/// becomes of the process.
pub(crate) fn keep(ctx: &Shell, agent: Agent, input: &Input, stores: &[Store]) -> Heard {
    let Some(prompt) = &input.prompt else { return Heard::default() };
    // Later requests within a turn have no new prompt.
    if input.invocation > 0 {
        return Heard::default();
    }
    let mut heard = Heard::default();
    let stated = input.speaker.judge(preference::find_heard(prompt, preference::Hearing::Prompt));
    let is_machine = || is_scheduled(ctx, agent, input) || is_unattended(stores, input);
    if !stated.is_empty() && is_machine() {
        return Heard { is_machine: true, ..heard };
    }
    if stores.is_empty() && ctx.memory.is_shut() {
        return Heard { is_shut: !stated.is_empty(), ..heard };
    }
    // Without a store, what holds everywhere waits for the user's, which need not exist.
    // A store that is named is the only one, and nothing is done where one leads away.
    let is_alone = || ctx.memory.places.named.is_some() || ctx.memory.places.away().is_some();
    let later = stores.is_empty() && !stated.is_empty() && !is_alone();
    let later = ctx
        .memory
        .places
        .user()
        .filter(|_| later)
        .map(|dir| ctx.memory.store(dir, Scope::User).strict());
    let home = stores.first().or(later.as_ref());
    let (mut all, mut asked) = (Vec::new(), None);
    for found in stated {
        // What may not be stored is not written at all.
        let mut said = match learn::said(&found) {
            Ok(said) => said,
            Err(Learned { text, what: LearnedAs::Refused(why), .. }) => {
                heard.told.push(not_kept(&text, &why));
                continue;
            }
            Err(_) => continue,
        };
        // What holds for a project does not hold in all of them. Nobody who has no store has asked
        // for one in which something waits.
        let place =
            said.waits.then(|| learn::place(&ctx.memory).filter(|_| !stores.is_empty())).flatten();
        let has_place = if said.waits {
            place.is_some()
        } else {
            home.is_some_and(|home| home.scope != Scope::User || !found.family.is_of_project())
        };
        if !has_place {
            let text =
                if said.waits { "a sentence that would wait for a review" } else { &said.text };
            heard.told.push(not_kept(text, no_place(ctx)));
            continue;
        }
        if let Some((place, there)) = place {
            said.store =
                Some(place.dir.clone()).filter(|dir| home.is_some_and(|home| *dir != home.dir));
            heard.made = Some(place).filter(|_| !there);
        }
        if ctx.memory.config.settings.recall.learn {
            let questions = asked.get_or_insert_with(|| questions(&secret::clean_lines(prompt)));
            said.asked = learned_questions::beside(questions, &said.text).map(str::to_owned);
        }
        if ctx.memory.config.settings.learning.enabled {
            said.kind = Some(importance::kind(&found).name().to_owned());
            said.importance = Some(importance::weigh(prompt, "").importance);
        }
        all.push(Said {
            at: ctx.memory.now.0.to_string(),
            by: agent.name().to_owned(),
            session: call::session_id(input),
            ledger: input.session.as_deref().map(hook_ledger::name_of),
            prompt: hash(prompt),
            ..said
        });
    }
    if ctx.memory.is_shut() {
        // What belongs to that store must not go into another one either.
        return Heard { is_shut: !all.is_empty(), ..Heard::default() };
    }
    let Some(home) = home else { return heard };
    if let Err(error) = home.spool(&all) {
        heard.failure = Some(format!("no spool: {error:#}"));
        heard.unspooled = all;
    } else if !home.dir.is_dir() {
        let waits = |said: &Said| {
            safe!("kept until you have a store: {} (pimem init --user)\n", said.text.as_str())
        };
        heard.told.extend(all.iter().map(waits));
    }
    heard
}

/// Returns the questions of a prompt, as far as they may be learned.
fn questions(prompt: &str) -> Vec<String> {
    let asked = parts::questions(prompt);
    asked.iter().filter_map(|text| learned_questions::question(text)).take(QUESTIONS).collect()
}

/// Returns true if the agent had put the prompt on a schedule itself, by its transcript.
fn is_scheduled(ctx: &Shell, agent: Agent, input: &Input) -> bool {
    let (true, Some(path)) = (agent.record().has_silent_schedules, &input.transcript) else {
        return false;
    };
    let path = ctx.memory.places.cwd.join(path);
    let tail = read::tail(Path::new("/"), &path, TRANSCRIPT).ok().flatten().unwrap_or_default();
    transcript::is_scheduled(&tail, input.prompt.as_deref().unwrap_or_default())
}

/// Returns true if nobody is at the session, as it told when it began.
fn is_unattended(stores: &[Store], input: &Input) -> bool {
    let ledger = input.session.as_deref().map(hook_ledger::name_of);
    let known = stores.first().zip(ledger);
    known.is_some_and(|(home, ledger)| hook_ledger::known(home, &ledger).unattended)
}

/// Keeps the prompt for a summary, and its questions for what the answer uses, if a person wrote it.
pub(crate) fn note(call: &Call<'_>) {
    if !call.input.speaker.is_person() {
        return;
    }
    let said = call.prompt();
    let usable = said.chars().count() >= SAID && !social_gate::is_trivial(said);
    let mut notes = Vec::new();
    if usable && call.known().said.len() < MESSAGES {
        notes.push(LedgerNote::Said { text: call.said() });
    }
    let learns = call.ctx.memory.config.settings.recall.learn;
    let questions = if learns { questions(call.open()) } else { Vec::new() };
    if !questions.is_empty() {
        notes.push(LedgerNote::Asked { at: call.ctx.memory.now.0.to_string(), questions });
    }
    call.note(&notes);
}
