//! `pimem hooks`: installs hooks in agents, and checks them.

mod edit;
pub(crate) mod status;
mod trial;

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::builder::PossibleValuesParser;
use pimem_core::exchange::json::Position;
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::machine::MachineFinding,
    store::{
        discover,
        foreign_file::{Foreign, ForeignFileError},
        hook_ledger::{self, AgentCall},
    },
};

use self::edit::SettingsEdit;
use crate::{
    agents::{
        Agent, Content, InstallReach,
        plugin::{self, Disk, Way},
        settings::{FoundHook, SettingsRefusal},
    },
    shell::{self, Exit, Shell},
};

/// Connect agents: have them call pimem
///
/// Agents run commands when a session starts, a prompt is sent, or a file was changed. `install`
/// names `pimem hook` there, so that what was learned is there when it is needed. Settings files are
/// edited and not rewritten; `uninstall` gives back the bytes that were there. Without a command, it
/// says which agents call pimem, with exit code 1 when none does.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:\n  pimem hooks install claude\n  \
    pimem hooks install --all --dry-run\n  pimem hooks\n  pimem hooks test claude\n  \
    pimem hooks print codex\n  pimem hooks uninstall --all")]
pub(crate) struct HooksArgs {
    /// The settings of this project instead of yours
    #[arg(long, hide_short_help = true)]
    project: bool,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Add pimem's hooks to the settings of agents
    ///
    /// Writes your own settings, or with --project those of this project, which are shared through
    /// git. What others put there stays as it is. Makes a store when there is none.
    Install(HookEditArgs),
    /// Remove pimem's hooks from the settings of agents
    Uninstall(HookEditArgs),
    #[command(hide = true)]
    Status(InstallScope),
    /// Print what `install` would write to empty settings
    Print {
        /// The agent; `generic` prints the commands for any other
        #[arg(value_parser = names(true))]
        agent: String,
        /// As it is for one project
        #[arg(long, hide_short_help = true)]
        project: bool,
        /// The file of the plugin in `plugin/`, which a test keeps as this prints it
        #[arg(long, hide = true, conflicts_with = "project")]
        plugin: bool,
    },
    /// Run the installed commands as agents do, and look at their answers
    ///
    /// Each command is run with input as its agent sends it, in a project and with stores made for
    /// it. Exit code 1 when one fails.
    Test(Chosen),
}

#[derive(Debug, clap::Args)]
pub(crate) struct HookEditArgs {
    #[command(flatten)]
    pub(crate) chosen: Chosen,
    /// Print what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Chosen {
    /// Agents
    #[arg(value_name = "AGENT", value_parser = names(false))]
    agents: Vec<String>,
    /// All agents that are used here, or that call pimem
    #[arg(long, conflicts_with = "agents")]
    all: bool,
    #[command(flatten)]
    pub(crate) scope: InstallScope,
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct InstallScope {
    /// The settings of this project instead of yours
    #[arg(long)]
    project: bool,
}

impl InstallScope {
    /// Returns whose settings are meant.
    pub(crate) fn reach(self, ctx: &Shell) -> Result<InstallReach, Failure> {
        if self.project && ctx.memory.wants_user() {
            let hint = "--user means your settings, and --project those of this project";
            return Err(Failure::new(
                FailureKind::Usage,
                "--user and --project exclude each other",
                hint,
            ));
        }
        Ok(if self.project { InstallReach::Project } else { InstallReach::User })
    }
}

impl Chosen {
    pub(crate) fn is_all(&self) -> bool {
        self.all
    }

    /// Checks that an agent is named. At a terminal, somebody who installs is asked about those that
    /// are used here, which are returned; else the hints name the commands for them.
    ///
    /// # Errors
    /// Fails if none is named, and nobody agrees.
    pub(crate) fn required(&self, ctx: &Shell, action: &str) -> Result<Vec<Agent>, Failure> {
        if self.all || !self.agents.is_empty() {
            return Ok(Vec::new());
        }
        let project = if self.scope.project { " --project" } else { "" };
        let found: Vec<Agent> = real().filter(|agent| is_present(ctx, *agent)).collect();
        let command = |agent: &Agent| format!("pimem hooks {action}{project} {}", agent.name());
        if action == "install" && !found.is_empty() && ctx.may_ask() {
            let lines: Vec<String> =
                found.iter().map(|agent| format!("found: {}", agent.title())).collect();
            if shell::confirm(ctx, &lines, "Have them call pimem?")? {
                return Ok(found);
            }
        }
        let is_used = |agent: &Agent| format!("{}: {} is used here", command(agent), agent.title());
        let mut hints: Vec<String> = found.iter().map(is_used).collect();
        let known = real().map(Agent::name).collect::<Vec<_>>().join(", ");
        hints.push(match found.len() {
            0 => format!(
                "{}: none that pimem knows is used here; it knows {known}",
                command(&Agent::Claude)
            ),
            _ => format!("others that pimem knows: pimem help hooks {action}"),
        });
        let message = format!("hooks {action} needs the name of an agent, or --all");
        Err(Failure { hints, ..Failure::new(FailureKind::Usage, message, "") })
    }

    /// Returns the named agents; with `--all`, those for which `counts` is true.
    pub(crate) fn agents(&self, counts: impl Fn(Agent) -> bool) -> Vec<Agent> {
        if self.all {
            return real().filter(|agent| counts(*agent)).collect();
        }
        let mut agents: Vec<Agent> =
            self.agents.iter().filter_map(|name| Agent::find(name)).collect();
        agents.sort_unstable();
        agents.dedup();
        agents
    }
}

pub(crate) fn run(ctx: &Shell, args: &HooksArgs) -> Result<Exit, Failure> {
    let status = Action::Status(InstallScope { project: args.project });
    match args.action.as_ref().unwrap_or(&status) {
        Action::Install(edit) => edit::run(ctx, edit, SettingsEdit::Install),
        Action::Uninstall(edit) => edit::run(ctx, edit, SettingsEdit::Uninstall),
        Action::Status(scope) => status::status(ctx, *scope),
        Action::Print { agent, project, plugin } => {
            let reach = if *project { InstallReach::Project } else { InstallReach::User };
            let agent = Agent::find(agent).unwrap_or(Agent::Generic);
            if let Some(hooks) = plugin::hooks(agent).filter(|_| *plugin) {
                ctx.ui.lines(&hooks);
                return Ok(Exit::Done);
            }
            status::print(ctx, agent, reach)
        }
        Action::Test(chosen) => trial::run(ctx, chosen),
    }
}

pub(crate) fn real() -> impl Iterator<Item = Agent> {
    Agent::ALL.into_iter().filter(|agent| *agent != Agent::Generic)
}

fn names(with_generic: bool) -> PossibleValuesParser {
    let known = Agent::ALL.into_iter().filter(|agent| with_generic || *agent != Agent::Generic);
    PossibleValuesParser::new(known.map(Agent::name).collect::<Vec<_>>())
}

/// A file of an agent, with its intended content.
pub(crate) struct Site {
    pub(crate) agent: Agent,
    pub(crate) path: PathBuf,
    pub(crate) content: Content,
    /// Project that links may not lead out of.
    project: Option<PathBuf>,
}

impl Site {
    /// Finds the file behind links.
    pub(crate) fn file(&self) -> Result<Foreign, ForeignFileError> {
        Foreign::find(&self.path, self.project.as_deref())
    }
}

pub(crate) fn sites(ctx: &Shell, agent: Agent, reach: InstallReach) -> Result<Vec<Site>, Failure> {
    let (root, project) = match reach {
        InstallReach::User => (ctx.config_dir(agent)?, None),
        InstallReach::Project => {
            let root = ctx.memory.places.root().ok_or_else(|| {
                let hint = "change to a project, or leave out --project";
                Failure::new(FailureKind::Usage, "the home directory is not a project", hint)
            })?;
            (root.to_path_buf(), Some(root.to_path_buf()))
        }
    };
    let site =
        |(path, content)| Site { agent, path: root.join(path), content, project: project.clone() };
    Ok(agent.files(reach).into_iter().map(site).collect())
}

/// What to do about hooks that are not trusted.
pub(crate) fn advice(agent: Agent) -> &'static str {
    agent.record().trust.as_ref().map_or("", |trust| trust.advice)
}

/// Returns how many installed hooks the agent does not run yet.
pub(crate) fn untrusted(ctx: &Shell, site: &Site) -> usize {
    let (Some(trust), Content::Settings(layout)) = (&site.agent.record().trust, &site.content)
    else {
        return 0;
    };
    let found = || {
        let hooks = site.file().ok()?.read().ok()??;
        let config = ctx.config_dir(site.agent).ok()?.join(trust.file);
        let config = fs::read_to_string(config).unwrap_or_default();
        let paths = [site.path.clone(), discover::real(&site.path)];
        let paths = paths.map(|path| path.display().to_string());
        (trust.of_settings)(&config, &hooks, layout, &paths).ok()
    };
    found().unwrap_or_default()
}

/// The plugin of an agent, which brings hooks too.
pub(crate) struct Plugin {
    /// The file that says that the agent has it.
    pub(crate) says: PathBuf,
    /// Directory of the plugin.
    pub(crate) root: PathBuf,
    /// Its hooks, none where they are not found, or why the agent runs none.
    pub(crate) hooks: Result<Vec<FoundHook>, String>,
    /// Hooks that the agent does not run before the user has trusted them.
    pub(crate) untrusted: usize,
}

/// Returns the plugin of an agent, if it has one that is switched on.
pub(crate) fn plugin(ctx: &Shell, agent: Agent) -> Option<Plugin> {
    let config = ctx.config_dir(agent).ok()?;
    let read = |path: &Path| fs::read_to_string(path).ok();
    let of = agent.record().plugin.as_ref()?;
    let places = (of.places)(&config, ctx.memory.places.root());
    let says_so = |path: &PathBuf| read(path).is_some_and(|text| (of.is_there)(&text));
    let says = places.into_iter().find(says_so)?;
    let list = |dir: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(dir).into_iter().flatten();
        entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
    };
    let root = (of.root)(&config, &Disk { read: &read, list: &list });
    let mut untrusted = 0;
    let find = |root: &PathBuf| -> Result<Vec<FoundHook>, String> {
        let file = (of.hooks_file)(&|name| read(&root.join(name)))?;
        let Some(text) = read(&root.join(&file)) else { return Ok(Vec::new()) };
        let found = plugin::found(agent, &text);
        if found.is_empty() {
            return Err(format!(
                "no hooks of ours in {}",
                ctx.memory.places.short(&root.join(file))
            ));
        }
        if let Some(trust) = &agent.record().trust {
            untrusted = (trust.of_plugin)(&read(&says).unwrap_or_default(), &file, &found);
        }
        Ok(found)
    };
    let hooks = root.as_ref().map_or(Ok(Vec::new()), find);
    Some(Plugin { says, root: root.unwrap_or_default(), hooks, untrusted })
}

/// Returns the last noted call of an agent, by its settings or by its plugin.
pub(crate) fn called(ctx: &Shell, agent: Agent, way: Way) -> Option<AgentCall> {
    hook_ledger::last_call(ctx.memory.env.state.as_deref()?, &agent.note(way))
}

/// Forgets the calls by an agent's settings, which were changed.
pub(crate) fn forget_calls(ctx: &Shell, agent: Agent) {
    if let Some(state) = &ctx.memory.env.state {
        hook_ledger::forget_call(state, &agent.note(Way::Settings));
    }
}

/// Returns true if an agent has the plugin and was seen to call pimem by it.
pub(crate) fn plugin_works(ctx: &Shell, agent: Agent) -> bool {
    plugin(ctx, agent).is_some_and(|plugin| plugin.hooks.is_ok())
        && called(ctx, agent, Way::Plugin).is_some()
}

/// Returns what `pimem check` finds about the agents.
pub(crate) fn findings(ctx: &Shell) -> Vec<MachineFinding> {
    let agents = status::twice(ctx).unwrap_or_default().into_iter();
    agents
        .map(|agent| {
            let (what, fix) = twice(agent);
            MachineFinding::new(what, fix)
        })
        .collect()
}

/// What to do about hooks that are there by the plugin and by `install`.
pub(crate) fn twice(agent: Agent) -> (String, String) {
    let title = agent.title();
    let what = format!(
        "{title} calls pimem twice, by its plugin and by its settings; the second call of an event \
         says nothing, but takes its time"
    );
    (what, format!("pimem hooks uninstall {}", agent.name()))
}

/// Returns true if the agent seems to be in use.
pub(crate) fn is_present(ctx: &Shell, agent: Agent) -> bool {
    let dir = ctx.config_dir(agent).ok();
    dir.is_some_and(|dir| agent.record().signs.iter().any(|sign| dir.join(sign).exists()))
}

/// Finds the program that a command without a directory runs.
pub(crate) fn in_path(ctx: &Shell, program: &str) -> Option<PathBuf> {
    let paths = ctx.memory.env.get("PATH")?;
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(paths).map(|dir| dir.join(&file)).find(|path| is_executable(path))
}

#[cfg(unix)]
pub(crate) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Returns the failure for a settings file that is not edited.
pub(crate) fn refused(ctx: &Shell, site: &Site, refusal: &SettingsRefusal) -> Failure {
    let Position { line, column } = refusal.at;
    let path = ctx.memory.places.short(&site.path);
    let message = format!("{path}:{line}:{column}: {}", refusal.what);
    let hint = format!(
        "nothing was changed; mend the file, which {} may not read either, or put in by hand what \
         pimem hooks print {} shows",
        site.agent.title(),
        site.agent.name()
    );
    Failure::new(FailureKind::Refused, message, hint)
}
