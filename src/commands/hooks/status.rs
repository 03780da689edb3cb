//! `pimem hooks` and `print`: show what is installed, and what would be; and the documents of
//! `pimem hooks`.

use pimem_engine::{error::Failure, memory::status, view::Document};
use serde::Serialize;

use super::{InstallScope, Plugin, Site, edit::is_marked};
use crate::{
    agents::{self, Agent, Content, InstallReach, plugin::Way, settings},
    commands::hooks,
    shell::{Exit, Shell},
    ui::{Human, Ui},
};

pub(crate) fn status(ctx: &Shell, scope: InstallScope) -> Result<Exit, Failure> {
    let files = look(ctx, scope.reach(ctx)?)?;
    let program = hooks::in_path(ctx, "pimem").map(|path| path.display().to_string());
    let status = HooksStatus { action: "status", program, files };
    ctx.ui.show(&status);
    // As with a partly readable store: the answer is printed, and the command fails.
    let troubled = status.files.iter().any(|file| file.problem.is_some());
    let any = status.files.iter().any(|file| file.hooks > 0);
    Ok(match (troubled, any) {
        (true, _) => Exit::Error,
        (_, true) => Exit::Done,
        _ => Exit::Nothing,
    })
}

impl Human for HooksStatus {
    fn human(&self, ui: &Ui) {
        let cells = |file: &FileStatus| {
            let seen = match &file.called {
                Some(at) => format!("called {}", at.get(..10).unwrap_or(at)),
                None if file.state == "plugin" => "not called yet".to_owned(),
                None if file.agent_present => "used here".to_owned(),
                None => "not seen here".to_owned(),
            };
            vec![file.agent.to_owned(), state(file), file.place.clone(), seen]
        };
        ui.table(&["agent", "hooks", "file", "agent is"], self.files.iter().map(cells).collect());
        for FileStatus { problem, hints, .. } in &self.files {
            if let Some(message) = problem {
                ui.error(message);
            }
            for hint in hints {
                ui.hint(hint);
            }
        }
        match &self.program {
            Some(path) => ui.note(&format!("pimem in the PATH: {path}")),
            None => ui.note("warning: pimem is not in the PATH, where agents look for it"),
        }
    }
}

/// What is of ours in the files of every agent.
fn look(ctx: &Shell, reach: InstallReach) -> Result<Vec<FileStatus>, Failure> {
    let mut files = Vec::new();
    for agent in hooks::real() {
        for site in hooks::sites(ctx, agent, reach)? {
            files.push(file(ctx, &site));
        }
        // A project's settings and plugins are listed only if they contain hooks.
        if reach == InstallReach::User
            && !ctx.memory.wants_user()
            && ctx.memory.places.root().is_some()
        {
            let sites = hooks::sites(ctx, agent, InstallReach::Project)?;
            let here = sites.iter().map(|site| file(ctx, site));
            files.extend(here.filter(|file| file.hooks > 0));
        }
        if let Some(plugin) = hooks::plugin(ctx, agent) {
            let is_twice = plugin.hooks.is_ok()
                && files.iter().any(|file| file.agent == agent.name() && file.hooks > 0);
            files.push(by_plugin(ctx, agent, plugin, is_twice));
        }
    }
    Ok(files)
}

/// Returns the agents that call pimem, or whose settings cannot be read.
pub(crate) fn installed(ctx: &Shell) -> Result<Vec<status::AgentSeen>, Failure> {
    let mut files = look(ctx, InstallReach::User)?;
    files.retain(|file| file.hooks > 0 || file.problem.is_some());
    let twice: Vec<&str> =
        files.iter().filter(|file| file.state == "twice").map(|file| file.agent).collect();
    files.retain(|file| file.state == "twice" || !twice.contains(&file.agent));
    let agent = |file: &FileStatus| status::AgentSeen { agent: file.agent, state: state(file) };
    let mut agents: Vec<_> = files.iter().map(agent).collect();
    agents.dedup();
    Ok(agents)
}

fn file(ctx: &Shell, site: &Site) -> FileStatus {
    let (mut state, hooks, failure) = standing(ctx, site);
    let (problem, hints) = failure.map(|failure| (failure.message, failure.hints)).unzip();
    let mut hints = hints.unwrap_or_default();
    let untrusted = hooks::untrusted(ctx, site);
    if untrusted > 0 && state == "installed" {
        state = "untrusted";
        hints.push(hooks::advice(site.agent).to_owned());
    }
    FileStatus {
        agent: site.agent.name(),
        path: site.path.display().to_string(),
        place: ctx.memory.places.short(&site.path),
        state,
        hooks,
        of: match &site.content {
            Content::Settings(layout) => layout.hooks.len(),
            Content::Whole(_) => 1,
        },
        agent_present: hooks::is_present(ctx, site.agent),
        called: called(ctx, site.agent, Way::Settings).filter(|_| hooks > 0),
        untrusted: (untrusted > 0).then_some(untrusted),
        problem,
        hints,
    }
}

/// Returns the time of the last noted call.
fn called(ctx: &Shell, agent: Agent, way: Way) -> Option<String> {
    hooks::called(ctx, agent, way).map(|call| call.at)
}

fn by_plugin(ctx: &Shell, agent: Agent, plugin: Plugin, is_twice: bool) -> FileStatus {
    let Plugin { says: path, hooks, untrusted, .. } = plugin;
    let (problem, hooks) = match hooks {
        // Where they are not found, they are taken for those of this version.
        Ok(hooks) if hooks.is_empty() => (None, agent.record().events.len()),
        Ok(hooks) => (None, hooks.len()),
        Err(why) => (Some(format!("{}'s plugin: {why}", agent.title())), 0),
    };
    let mut hints = Vec::new();
    if is_twice {
        let (what, fix) = hooks::twice(agent);
        hints.push(format!("{what}: {fix}"));
    }
    if problem.is_some() {
        hints.push(format!("pimem hooks install {} calls pimem by its settings", agent.name()));
    }
    if untrusted > 0 {
        hints.push(hooks::advice(agent).to_owned());
    }
    FileStatus {
        agent: agent.name(),
        path: path.display().to_string(),
        place: ctx.memory.places.short(&path),
        state: if is_twice { "twice" } else { "plugin" },
        hooks,
        of: agent.record().events.len(),
        agent_present: hooks::is_present(ctx, agent),
        called: called(ctx, agent, Way::Plugin).filter(|_| problem.is_none()),
        untrusted: (untrusted > 0).then_some(untrusted),
        problem,
        hints,
    }
}

/// Returns the agents that call pimem twice.
pub(crate) fn twice(ctx: &Shell) -> Result<Vec<Agent>, Failure> {
    let files = look(ctx, InstallReach::User)?;
    let twice = files.iter().filter(|file| file.state == "twice");
    Ok(twice.filter_map(|file| Agent::find(file.agent)).collect())
}

/// How a file stands, and how many hooks it has.
fn standing(ctx: &Shell, site: &Site) -> (&'static str, usize, Option<Failure>) {
    let bytes = match site.file().and_then(|file| file.read()) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(trouble) => return ("unreadable", 0, Some(trouble.into())),
    };
    match &site.content {
        Content::Settings(layout) => match settings::found(&bytes, layout) {
            Ok(found) => {
                let is_there = |hook: &&settings::Hook| {
                    found.iter().any(|found| found.event == hook.event && found.word == hook.word)
                };
                let there = layout.hooks.iter().filter(is_there).count();
                let state = match there {
                    0 => "not installed",
                    _ if settings::is_off(&bytes, layout) => "switched off",
                    _ if settings::is_outdated(&bytes, layout) => "outdated",
                    n if n == layout.hooks.len() => "installed",
                    _ => "partly",
                };
                (state, there, None)
            }
            Err(refusal) => ("malformed", 0, Some(hooks::refused(ctx, site, &refusal))),
        },
        Content::Whole(whole) if bytes == whole.text.as_bytes() => ("installed", 1, None),
        Content::Whole(_) if is_marked(&bytes) => ("outdated", 1, None),
        Content::Whole(_) => ("not installed", 0, None),
    }
}

fn state(file: &FileStatus) -> String {
    match file.state {
        "partly" => format!("partly, {} of {}", file.hooks, file.of),
        "untrusted" => {
            let untrusted = file.untrusted.unwrap_or_default();
            format!("installed, {untrusted} of {} not trusted yet", file.hooks)
        }
        "plugin" if file.problem.is_some() => "the plugin brings none".to_owned(),
        "plugin" if file.called.is_some() => "works, by the plugin".to_owned(),
        "plugin" => match file.untrusted {
            Some(untrusted) => {
                format!("plugin installed, {untrusted} of {} not trusted yet", file.hooks)
            }
            None => "plugin installed, not called yet".to_owned(),
        },
        "twice" => "by the plugin too".to_owned(),
        "installed" if file.called.is_some() => "works".to_owned(),
        "installed" => "installed, not called yet".to_owned(),
        state => state.to_owned(),
    }
}

pub(crate) fn print(ctx: &Shell, agent: Agent, reach: InstallReach) -> Result<Exit, Failure> {
    let content = if agent == Agent::Generic {
        let commands =
            agent.record().events.iter().map(|event| agent.command(event.word)).collect();
        PrintedContent::Commands { commands }
    } else {
        let file = |site: &Site| PrintedFile {
            path: site.path.display().to_string(),
            place: ctx.memory.places.short(&site.path),
            content: agents::fragment(&site.content),
        };
        let files = hooks::sites(ctx, agent, reach)?.iter().map(file).collect();
        PrintedContent::Files { agent: agent.name(), files }
    };
    ctx.ui.show(&Printed { action: "print", content });
    Ok(Exit::Done)
}

impl Human for Printed {
    fn human(&self, ui: &Ui) {
        match &self.content {
            PrintedContent::Commands { commands } => {
                for command in commands {
                    ui.verbatim(command);
                }
                ui.note("each reads a JSON object on standard input, and prints plain text");
            }
            PrintedContent::Files { files, .. } => {
                for PrintedFile { place, content, .. } in files {
                    if files.len() > 1 {
                        ui.line(&format!("==> {place} <=="));
                    } else {
                        ui.note(&format!("for {place}:"));
                    }
                    ui.lines(content);
                }
            }
        }
    }
}

/// Settings of agents that were edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EditedSettings {
    /// `install` or `uninstall`.
    pub(crate) action: &'static str,
    /// Whether nothing was changed.
    pub(crate) dry_run: bool,
    /// The files, those of an agent together.
    pub(crate) files: Vec<EditedFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct EditedFile {
    pub(crate) agent: &'static str,
    pub(crate) path: String,
    /// `unchanged`, `installed`, `removed` or `deleted`.
    pub(crate) change: &'static str,
    /// What the user has to do in the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<&'static str>,
    /// The change as people read it.
    #[serde(skip)]
    pub(crate) lines: Vec<String>,
}

/// What agents have of pimem in their settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct HooksStatus {
    /// `status`.
    pub(crate) action: &'static str,
    /// The program that they find in the PATH; null when there is none.
    pub(crate) program: Option<String>,
    pub(crate) files: Vec<FileStatus>,
}

/// What a file of an agent has of pimem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileStatus {
    pub(crate) agent: &'static str,
    pub(crate) path: String,
    /// The same as people write it.
    #[serde(skip)]
    pub(crate) place: String,
    /// `installed`, `plugin` where the agent's plugin brings the hooks, `twice` where both do, or what is amiss.
    pub(crate) state: &'static str,
    pub(crate) hooks: usize,
    /// Hooks that there could be.
    pub(crate) of: usize,
    /// Whether the agent seems to be used here.
    pub(crate) agent_present: bool,
    /// When the agent was last noted to call pimem by this file or plugin, once a day at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) called: Option<String>,
    /// Hooks that the agent does not run before the user has trusted them in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) untrusted: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
    /// What to do about that.
    #[serde(skip)]
    pub(crate) hints: Vec<String>,
}

/// What an agent's settings would hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Printed {
    /// `print`.
    pub(crate) action: &'static str,
    /// For one agent, or for any.
    #[serde(flatten)]
    pub(crate) content: PrintedContent,
}

/// What settings would hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum PrintedContent {
    Commands {
        /// One an event.
        commands: Vec<String>,
    },
    Files {
        agent: &'static str,
        files: Vec<PrintedFile>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct PrintedFile {
    pub(crate) path: String,
    /// The same as people write it.
    #[serde(skip)]
    pub(crate) place: String,
    pub(crate) content: String,
}

/// Installed commands that were run as agents do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Tested {
    /// `test`.
    pub(crate) action: &'static str,
    pub(crate) failed: usize,
    pub(crate) hooks: Vec<TestedHook>,
}

/// A command that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct TestedHook {
    pub(crate) agent: &'static str,
    /// The event, as the agent calls it.
    pub(crate) event: String,
    pub(crate) command: String,
    /// Whether it did what it should.
    pub(crate) ok: bool,
    /// Whether it gave what is remembered.
    pub(crate) recalled: bool,
    /// What is wrong; null when nothing is.
    pub(crate) problem: Option<String>,
}

impl Document for EditedSettings {
    fn schema(&self) -> &'static str {
        "pimem.hooks/1"
    }
}

impl Document for HooksStatus {
    fn schema(&self) -> &'static str {
        "pimem.hooks/1"
    }
}

impl Document for Printed {
    fn schema(&self) -> &'static str {
        "pimem.hooks/1"
    }
}

impl Document for Tested {
    fn schema(&self) -> &'static str {
        "pimem.hooks/1"
    }
}
