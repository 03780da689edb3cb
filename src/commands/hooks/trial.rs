//! `pimem hooks test`: runs the installed commands as their agents do, and checks the answers.
//!
//! The trial uses its own project, stores, cache and state, so that no user data is changed or
//! shown.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use pimem_engine::{
    config::env::Env,
    error::{Failure, FailureKind},
    process::{self, Keep, Kill, RunError},
    store::atomic,
};

use super::{
    Chosen, Plugin, Site,
    edit::{is_held, is_marked},
};
use crate::{
    agents::{
        self, Agent, AgentEvent, Content, InstallReach,
        plugin::PLUGIN_VARIABLES,
        reply,
        settings::{self, FoundHook},
    },
    commands::hooks::{
        self,
        status::{Tested, TestedHook},
    },
    shell::{Exit, Shell},
    ui::{self, Human, Ui},
};

/// The entry in the trial's store, and a word that occurs only there.
const MEMORY: &str = "The tests of this project are run by cargo pimem-trial";
const WORD: &str = "pimem-trial";
/// Time limit of a command without one; agents wait much longer.
const PATIENCE: Duration = Duration::from_mins(1);
/// Maximum number of bytes read of an answer.
const ANSWER: usize = 1 << 20;
/// Age after which an abandoned trial is deleted.
const STALE: Duration = Duration::from_hours(1);

pub(crate) fn run(ctx: &Shell, args: &Chosen) -> Result<Exit, Failure> {
    args.required(ctx, "test")?;
    let reach = args.scope.reach(ctx)?;
    let holds = |agent| {
        let by_plugin = reach == InstallReach::User && hooks::plugin(ctx, agent).is_some();
        by_plugin || hooks::sites(ctx, agent, reach).is_ok_and(|sites| sites.iter().any(is_held))
    };
    let agents = args.agents(holds);
    if agents.is_empty() {
        ctx.ui.note("no agent calls pimem");
        return Ok(Exit::Nothing);
    }
    let trial = Trial::new(ctx)?;
    let mut tested = Vec::new();
    for agent in agents {
        let Some(site) = tested_site(ctx, agent, reach)? else { continue };
        let calls = calls(ctx, &site)?;
        let plugin = hooks::plugin(ctx, agent).filter(|_| reach == InstallReach::User);
        let is_bare = calls.is_empty() && plugin.is_none();
        let untrusted = hooks::untrusted(ctx, &site);
        if untrusted > 0 {
            let problem = format!("{untrusted} of {} are not trusted yet", calls.len());
            tested.push(failed(agent, problem));
            ctx.ui.hint(hooks::advice(agent));
        }
        if is_bare {
            let problem = format!("nothing of ours in {}", ctx.memory.places.short(&site.path));
            tested.push(failed(agent, problem));
        }
        tested.extend(calls.iter().map(|call| trial.test(ctx, agent, call, None)));
        if let Some(plugin) = plugin {
            tested.extend(of_plugin(ctx, &trial, agent, &plugin));
        }
    }
    let failed = tested.iter().filter(|hook| !hook.ok).count();
    ctx.ui.show(&Tested { action: "test", failed, hooks: tested });
    Ok(if failed > 0 { Exit::Nothing } else { Exit::Done })
}

fn of_plugin(ctx: &Shell, trial: &Trial, agent: Agent, plugin: &Plugin) -> Vec<TestedHook> {
    let found = match &plugin.hooks {
        Ok(found) if found.is_empty() => {
            return vec![failed(agent, "by the plugin: its hooks are not found".to_owned())];
        }
        Ok(found) => found,
        Err(why) => return vec![failed(agent, format!("by the plugin: {why}"))],
    };
    let mut tested = Vec::new();
    if plugin.untrusted > 0 {
        let count = format!("{} of {}", plugin.untrusted, found.len());
        tested.push(failed(agent, format!("by the plugin: {count} are not trusted yet")));
        ctx.ui.hint(hooks::advice(agent));
    }
    tested.extend(found.iter().map(|call| trial.test(ctx, agent, call, Some(&plugin.root))));
    tested
}

/// Returns the row of a problem with all hooks of an agent.
fn failed(agent: Agent, problem: String) -> TestedHook {
    TestedHook {
        agent: agent.name(),
        event: "-".to_owned(),
        command: String::new(),
        ok: false,
        recalled: false,
        problem: Some(problem),
    }
}

/// Returns the file whose hooks are run: the project's, where the user's has none.
fn tested_site(ctx: &Shell, agent: Agent, reach: InstallReach) -> Result<Option<Site>, Failure> {
    // Files besides the first contain no calls.
    let first = |reach| -> Result<Option<Site>, Failure> {
        Ok(hooks::sites(ctx, agent, reach)?.into_iter().next())
    };
    let site = first(reach)?;
    let is_empty = |site: &Site| calls(ctx, site).is_ok_and(|calls| calls.is_empty());
    if reach == InstallReach::User
        && ctx.memory.places.root().is_some()
        && site.as_ref().is_some_and(is_empty)
    {
        let other = first(InstallReach::Project)?;
        if other.as_ref().is_some_and(|other| !is_empty(other)) {
            return Ok(other);
        }
    }
    Ok(site)
}

impl Human for Tested {
    fn human(&self, ui: &Ui) {
        let row = |hook: &TestedHook| {
            let result = match &hook.problem {
                Some(problem) => format!("failed: {problem}"),
                None if hook.recalled => "ok, gave what is remembered".to_owned(),
                None => "ok".to_owned(),
            };
            vec![hook.agent.to_owned(), hook.event.clone(), result]
        };
        ui.table(&["agent", "event", "result"], self.hooks.iter().map(row).collect());
    }
}

/// Returns the commands that an agent would run.
fn calls(ctx: &Shell, site: &Site) -> Result<Vec<FoundHook>, Failure> {
    let bytes = site.file()?.read()?.unwrap_or_default();
    match &site.content {
        Content::Settings(layout) => {
            settings::found(&bytes, layout).map_err(|refusal| hooks::refused(ctx, site, &refusal))
        }
        Content::Whole(_) if !is_marked(&bytes) => Ok(Vec::new()),
        Content::Whole(_) => {
            let call = |event: &AgentEvent| FoundHook {
                event: event.native.to_owned(),
                command: "pimem".to_owned(),
                args: Some(["hook", site.agent.name(), event.word].map(str::to_owned).into()),
                word: event.word.to_owned(),
                timeout: Some(f64::from(event.seconds)),
            };
            Ok(site.agent.record().events.iter().map(call).collect())
        }
    }
}

/// A temporary project, deleted on drop.
struct Trial {
    dir: PathBuf,
}

impl Drop for Trial {
    fn drop(&mut self) {
        drop(atomic::remove_dir(&self.dir));
    }
}

impl Trial {
    fn new(ctx: &Shell) -> Result<Self, Failure> {
        let cache = ctx.memory.env.cache.as_deref().ok_or_else(|| {
            Failure::new(
                FailureKind::Usage,
                "there is no cache directory",
                "set HOME, or XDG_CACHE_HOME",
            )
        })?;
        let parent = cache.join("pimem/trials");
        atomic::sweep_old(&parent, ctx.memory.real_now, STALE);
        let trial = Self { dir: atomic::temporary_dir(&parent)? };
        atomic::create_dir(&trial.dir.join(".git"), atomic::Sync::Private)?;
        let program = Env::program().map_err(anyhow::Error::new)?;
        let mut add = Command::new(program);
        add.args(["add", MEMORY]);
        let done = trial.place(&mut add).stdin(Stdio::null()).output();
        let done = done.map_err(anyhow::Error::new)?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr).trim().to_owned();
            let hint = "pimem check looks at the disk and its permissions";
            return Err(Failure::new(
                FailureKind::Io,
                format!("the trial cannot be made: {said}"),
                hint,
            ));
        }
        Ok(trial)
    }

    /// Sets up a program to run in the trial.
    fn place<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        // Variables that agents set for hooks would reveal the session in which the trial runs.
        for name in Agent::project_variables().chain(["PIMEM_OFF"]) {
            command.env_remove(name);
        }
        command
            .env("PIMEM_DIR", self.dir.join(".pi/memory"))
            .env("PIMEM_USER_DIR", self.dir.join("user"))
            .env("XDG_CACHE_HOME", self.dir.join("cache"))
            .env("XDG_STATE_HOME", self.dir.join("state"))
            .current_dir(&self.dir)
    }

    /// Tries a hook, for one of a plugin with the plugin's directory.
    fn test(
        &self,
        ctx: &Shell,
        agent: Agent,
        call: &FoundHook,
        plugin: Option<&Path>,
    ) -> TestedHook {
        let tried = self.attempt(ctx, agent, call, plugin);
        let args = call.args.iter().flatten().map(|arg| format!(" {arg}"));
        TestedHook {
            agent: agent.name(),
            event: call.event.clone(),
            command: [call.command.clone()].into_iter().chain(args).collect(),
            ok: tried.is_ok(),
            recalled: tried.as_ref().is_ok_and(|answer| answer.contains(WORD)),
            problem: tried.err(),
        }
    }

    /// Runs a command as its agent does, and checks the answer.
    fn attempt(
        &self,
        ctx: &Shell,
        agent: Agent,
        call: &FoundHook,
        plugin: Option<&Path>,
    ) -> Result<String, String> {
        let known = agent.record().events.iter().find(|event| event.word == call.word);
        let event = known.ok_or_else(|| format!("{} has no event {}", agent.title(), call.word))?;
        if event.native != call.event {
            return Err(format!("{} is for {}", call.word, event.native));
        }
        let program = match (&call.args, settings::split(&call.command)) {
            // A line of the plugin looks for the program itself.
            _ if plugin.is_some() => "pimem",
            (None, Some((program, _))) => program,
            _ => call.command.as_str(),
        };
        self.is_pimem(ctx, program)?;
        let mut command = match &call.args {
            Some(args) => {
                let mut command = Command::new(program);
                command.args(args);
                command
            }
            // By which agents run lines there.
            None if cfg!(windows) && plugin.is_some() => {
                let mut command = Command::new("powershell");
                command.args(["-NoProfile", "-Command", &call.command]);
                command
            }
            None => process::shell(&call.command),
        };
        if let Some(root) = plugin {
            command.envs(PLUGIN_VARIABLES.map(|name| (name, root)));
        }
        let input = agents::Trial::input(agent, event, &self.dir.to_string_lossy()).to_string();
        let limit = call.timeout.map(|limit| limit * agent.record().unit);
        let limit = limit.and_then(|limit| Duration::try_from_secs_f64(limit).ok());
        let limit = limit.unwrap_or(PATIENCE);
        let done = finish(self.place(&mut command), &input, limit)?;
        if done.code != Some(0) {
            let code = done.code.map_or("a signal".to_owned(), |code| format!("exit code {code}"));
            let said = String::from_utf8_lossy(&done.stderr);
            let said = said.lines().next().unwrap_or_default();
            return Err(if said.is_empty() { code } else { format!("{code}: {said}") });
        }
        reply::check(agent, event.moment, &done.stdout)?;
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    }

    /// Checks that a program exists and is pimem.
    fn is_pimem(&self, ctx: &Shell, program: &str) -> Result<(), String> {
        let path = if program.contains(['/', '\\']) {
            Some(PathBuf::from(program)).filter(|path| hooks::is_executable(path))
        } else {
            hooks::in_path(ctx, program)
        };
        let Some(path) = path else {
            return Err(if Path::new(program).is_absolute() {
                format!("there is no program {program}")
            } else {
                format!("{program} is not in the PATH")
            });
        };
        let done = finish(self.place(Command::new(&path).arg("--version")), "", PATIENCE)?;
        if done.code == Some(0) && done.stdout.starts_with(b"pimem ") {
            return Ok(());
        }
        Err(format!("{} is another program", ctx.memory.places.short(&path)))
    }
}

struct Done {
    code: Option<i32>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// Runs a program until it ends or its time limit passes.
fn finish(command: &mut Command, input: &str, limit: Duration) -> Result<Done, String> {
    let clock = ui::stopwatch();
    // The agent would wait until this time too.
    let keep = (Keep::Start(ANSWER), Keep::Start(ANSWER));
    let done = process::run(command, input.as_bytes().to_vec(), keep, limit, Kill::Child);
    let done = done.map_err(|error| match error {
        RunError::Late => format!("no answer within {} s", limit.as_secs_f64()),
        error => error.to_string(),
    })?;
    // The agent would wait until this time too.
    let left = limit.saturating_sub(clock()).max(Duration::from_millis(100));
    let stderr = done.stderr.recv_timeout(left).map_err(|_| RunError::Held.to_string())?;
    Ok(Done { code: done.status.code(), stdout: done.stdout, stderr })
}
