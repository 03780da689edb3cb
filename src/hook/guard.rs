//! The hook before a tool: what a guard in force forbids is answered with the entry that says so, and
//! the tool does not run. Nothing is written before that answer.
//!
//! It is a rail and no wall: where this program is missing, fails or has no time, the tool runs.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use pimem_core::{
    guard::{
        GuardHit, ToolAct, glob,
        shell::{self, ChangedFiles, SimpleCommand},
    },
    model::rules::LineRule,
    safe,
    safety::safe_text::SafeText,
    usage::record::RecordKindOf,
};
use pimem_engine::{
    config::settings::GuardMode,
    error::Failure,
    memory::guards::{self, GuardInForce},
    store::{
        Store,
        discover::{self, Places},
        hook_ledger::{self, LedgerNote},
    },
};

use super::{call::Call, close};
use crate::{
    agents::{
        hook_input::Input,
        reply::Permission,
        tool_call::{self, ToolCallPart},
    },
    shell::Shell,
};

/// Characters of a line or command that an answer repeats.
const SHOWN: usize = 200;
/// Commands of pimem that change what a guard is.
const OURS: &[&str] = &["edit", "forget", "undo", "trust", "config", "hooks", "import", "sync"];

/// Why a tool's call does not simply run.
pub(crate) enum Objection {
    /// This guard forbids it.
    Forbidden(GuardInForce, SafeText),
    /// It is too large, or too deeply nested, to look for what is forbidden.
    TooLarge,
    /// It changes the guards themselves.
    Ours(SafeText),
}

impl Objection {
    pub(crate) fn permission(&self) -> Permission {
        match self {
            Self::Forbidden(_, told) => Permission::Deny(told.clone()),
            Self::TooLarge => Permission::Ask(SafeText::fixed(
                "pimem: the call is too large to look for what is forbidden",
            )),
            Self::Ours(what) => Permission::Ask(safe!(
                "pimem: while entries forbid something, only a person lets an agent {}",
                what
            )),
        }
    }
}

/// What is answered if there is no time to look.
pub(crate) fn too_slow() -> Permission {
    Permission::Ask(SafeText::fixed("pimem: there was no time to look for what is forbidden"))
}

/// Judges a tool's call; `None` if it may run. Calls `begin` once it is known that anything is
/// forbidden here.
pub(crate) fn judge(
    ctx: &Shell,
    input: &Input,
    stores: &[Store],
    begin: impl FnOnce(),
) -> Option<Objection> {
    if ctx.memory.config.settings.guards.mode == GuardMode::Off {
        return None;
    }
    let is_hidden = input.too_large || input.unreadable;
    if input.arguments.is_none() && !is_hidden {
        return None;
    }
    let guards = ctx.memory.reading().guards(stores);
    if guards.is_empty() {
        return None;
    }
    begin();
    if is_hidden {
        return Some(Objection::TooLarge);
    }
    let parts = input.arguments.as_ref().map(tool_call::parts).unwrap_or_default();
    let acts = Acts::of(ctx, &parts);
    let held = acts.find(&guards);
    if let Some((guard, hit)) = held
        && !is_lifted(input, stores, guard)
    {
        return Some(Objection::Forbidden(guard.clone(), told(guard, &hit)));
    }
    if parts.iter().any(is_too_long) {
        return Some(Objection::TooLarge);
    }
    acts.on_ours().map(Objection::Ours)
}

fn is_too_long(part: &ToolCallPart<'_>) -> bool {
    matches!(part, ToolCallPart::Run(line) if line.len() > shell::MOST_BYTES)
}

/// Returns what the agent is told.
fn told(guard: &GuardInForce, GuardHit { rule, what }: &GuardHit) -> SafeText {
    let shown: String = what.chars().take(SHOWN).collect();
    let id = guard.id.get(..7).unwrap_or(&guard.id);
    let what = match rule {
        LineRule::Protect(_) => safe!("this file may not be changed: {}", shown),
        LineRule::ForbidCommand(_) => safe!("this command may not be run: {}", shown),
        _ => safe!("this line may not be written: {}", shown),
    };
    safe!(
        "[{}] {} ({}) \u{2014} {}. Do what the memory says instead. A person lifts it for this session by \
         typing pimem: allow {}",
        guard.category,
        guard.text,
        id,
        what,
        id
    )
}

/// The acts of a call, with the paths that they are about, below the root of the repository.
struct Acts<'a> {
    /// Paths with what is known of the text before, and the text after.
    writes: Vec<(String, Option<&'a str>, Cow<'a, str>)>,
    changes: Vec<String>,
    removed: Vec<String>,
    commands: Vec<SimpleCommand>,
    root: PathBuf,
}

impl<'a> Acts<'a> {
    fn of(ctx: &Shell, parts: &'a [ToolCallPart<'a>]) -> Self {
        let places = &ctx.memory.places;
        let root = places.repository();
        let mut acts = Self {
            writes: Vec::new(),
            changes: Vec::new(),
            removed: Vec::new(),
            commands: Vec::new(),
            root: root.to_path_buf(),
        };
        for part in parts {
            match part {
                ToolCallPart::Write { file, after } => {
                    let paths = below(root, &places.cwd.join(&**file)).into_iter();
                    acts.writes.extend(paths.map(|path| (path, None, (&**after).into())));
                }
                ToolCallPart::Replace { file, before, after } => {
                    let paths = below(root, &places.cwd.join(&**file)).into_iter();
                    acts.writes
                        .extend(paths.map(|path| (path, Some(&**before), (&**after).into())));
                }
                ToolCallPart::Change { file } => {
                    acts.changes.extend(below(root, &places.cwd.join(&**file)));
                }
                ToolCallPart::Run(line) if !is_too_long(part) => {
                    acts.commands.extend(shell::commands(line));
                }
                ToolCallPart::Run(_) => {}
            }
        }
        for command in &acts.commands {
            let dir = command.dir.as_ref().map(|dir| expanded(places, &places.cwd, dir));
            let dir = dir.unwrap_or_else(|| places.cwd.clone());
            let below = |file: &Cow<'_, str>| below(root, &expanded(places, &dir, file));
            let ChangedFiles { written, removed } = command.changed();
            let written = written.iter().flat_map(below);
            match command.text() {
                Some(text) => {
                    let write = |path| (path, None, text.to_string().into());
                    acts.writes.extend(written.map(write));
                }
                None => acts.changes.extend(written),
            }
            acts.removed.extend(removed.iter().flat_map(below));
        }
        acts
    }

    /// Returns the first guard that forbids one of them.
    fn find<'g>(&self, guards: &'g [GuardInForce]) -> Option<(&'g GuardInForce, GuardHit)> {
        let writes = self.writes.iter().map(|(path, before, after)| {
            let before = before.unwrap_or_default();
            ToolAct::Write { path, before, after }
        });
        let changes = self.changes.iter().map(|path| ToolAct::Change { path });
        let removed = self.removed.iter().map(|path| ToolAct::Remove { path });
        let commands = self.commands.iter().map(ToolAct::Run);
        let acts: Vec<ToolAct<'_>> = writes.chain(changes).chain(removed).chain(commands).collect();
        guards::find(guards, &acts)?;
        // Only now it matters what files had before.
        let before: Vec<Cow<'_, str>> =
            self.writes.iter().map(|write| self.before(write)).collect();
        let writes = self.writes.iter().zip(&before);
        let writes =
            writes.map(|((path, _, after), before)| ToolAct::Write { path, before, after });
        let acts: Vec<ToolAct<'_>> = writes
            .chain(acts.into_iter().filter(|act| !matches!(act, ToolAct::Write { .. })))
            .collect();
        guards::find(guards, &acts)
    }

    /// Returns what a file had before.
    fn before(&self, (path, before, _): &(String, Option<&'a str>, Cow<'a, str>)) -> Cow<'a, str> {
        before.map_or_else(|| guards::content(&self.root.join(path)).into(), Cow::Borrowed)
    }

    /// Returns what a part of a call does to the guards themselves.
    fn on_ours(&self) -> Option<SafeText> {
        let is_ours = |path: &String| {
            format!("/{path}").contains("/.pi/memory/") || path.ends_with(".pi/memory")
        };
        let mut paths = self.writes.iter().map(|(path, ..)| path).chain(&self.changes);
        let holds_ours = |path: &String| is_ours(path) || glob::is_below(".pi/memory/", path);
        if paths.any(is_ours) || self.removed.iter().any(holds_ours) {
            return Some(SafeText::fixed("change the files of the memory"));
        }
        let act = |command: &SimpleCommand| {
            let act = command.words.iter().skip(1).find(|word| OURS.contains(&word.as_str()));
            act.filter(|_| command.name() == "pimem").cloned()
        };
        let act = self.commands.iter().find_map(act)?;
        Some(safe!("run pimem {}", act))
    }
}

/// Returns a path that was typed in a directory, with what a shell puts for its beginning.
fn expanded(places: &Places, dir: &Path, typed: &str) -> PathBuf {
    match typed.split_once('/').unwrap_or((typed, "")) {
        ("$PWD" | "${PWD}", rest) => dir.join(rest),
        ("~" | "$HOME" | "${HOME}", rest) => {
            places.home.as_ref().map_or_else(|| dir.join(typed), |home| home.join(rest))
        }
        _ => dir.join(typed),
    }
}

/// Returns a path below the root, as it was typed and as it leads now.
fn below(root: &Path, path: &Path) -> Vec<String> {
    let real = |path: &Path| {
        let dir = path.parent().map(discover::real)?;
        Some(dir.join(path.file_name()?))
    };
    let typed = discover::below(root, path);
    let led = real(path).and_then(|path| discover::below(&discover::real(root), &path));
    let led = led.filter(|led| Some(led) != typed.as_ref());
    typed.into_iter().chain(led).collect()
}

fn is_lifted(input: &Input, stores: &[Store], guard: &GuardInForce) -> bool {
    let ledger = input.session.as_deref().map(hook_ledger::name_of);
    let lifted =
        ledger.zip(stores.first()).map(|(ledger, home)| hook_ledger::lifted(home, &ledger));
    lifted.is_some_and(|lifted| lifted.iter().any(|id| guard.id.starts_with(id.as_str())))
}

/// Notes which guards a person lifts for a session: `pimem: allow ID` alone on a line.
pub(crate) fn lift(call: &Call<'_>) -> SafeText {
    let said = call.input.prompt.as_deref().unwrap_or_default();
    let ids = said.lines().filter_map(|line| {
        let rest = line.trim().strip_prefix("pimem:")?.trim().strip_prefix("allow ")?;
        let id = rest.trim().to_lowercase();
        (id.len() >= 7 && id.len() <= 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .then_some(id)
    });
    let ids: Vec<String> = ids.collect();
    if ids.is_empty() || !call.input.speaker.is_person() || !call.has_session() {
        return SafeText::default();
    }
    let guards = call.ctx.memory.reading().guards(&call.stores);
    let is_meant = |guard: &&GuardInForce| ids.iter().any(|id| guard.id.starts_with(id.as_str()));
    let lifted: Vec<&GuardInForce> = guards.iter().filter(is_meant).collect();
    if lifted.is_empty() {
        return SafeText::fixed("no such entry forbids anything\n");
    }
    let ids: Vec<String> = lifted.iter().map(|guard| guard.id.clone()).collect();
    call.note(&[LedgerNote::Lifted { ids: ids.clone() }]);
    call.telemetry(vec![RecordKindOf::Lifted { entries: ids }]);
    lifted.iter().map(|guard| safe!("allowed in this session: {}\n", guard.text)).collect()
}

/// Notes that a guard has held, when the agent has its answer.
pub(crate) fn note(call: &Call<'_>, guard: &GuardInForce) -> Result<(), Failure> {
    let held = guard.store(&call.stores).zip(guard.id());
    held.map_or(Ok(()), |(store, id)| close::held(call, store, id))
}
