//! `pimem hooks status` and `print`: what is installed, and what would be.

use serde_json::json;

use super::{Scope, Site, edit::is_marked};
use crate::{
    agents::{
        install::{self, Content, Reach},
        settings,
        spec::Agent,
    },
    commands::hooks,
    exit::Exit,
    shell::Shell,
};
use pimem_core::view::status as view;
use pimem_engine::error::Failure;

/// What is of ours in a file.
struct Standing {
    site: Site,
    state: &'static str,
    hooks: usize,
    problem: Option<Failure>,
}

pub(crate) fn status(ctx: &Shell, scope: Scope) -> Result<Exit, Failure> {
    let rows = standings(ctx, scope.reach(ctx)?)?;
    let program = hooks::in_path(ctx, "pimem");
    let any = rows.iter().any(|row| row.hooks > 0);
    if ctx.ui.json {
        let files: Vec<_> = rows.iter().map(|row| document(ctx, row)).collect();
        let program = program.as_ref().map(|path| path.display().to_string());
        ctx.ui.document(&json!({
            "schema": "pimem.hooks/1", "action": "status", "program": program, "files": files,
        }));
    } else {
        let cells = |row: &Standing| {
            let is_there = hooks::is_present(ctx, row.site.agent);
            let seen = if is_there { "used here" } else { "not seen here" };
            let name = row.site.agent.name().to_owned();
            vec![name, state(row), ctx.places.short(&row.site.path), seen.to_owned()]
        };
        ctx.ui.table(&["agent", "hooks", "file", "agent is"], rows.iter().map(cells).collect());
        for failure in rows.iter().filter_map(|row| row.problem.as_ref()) {
            ctx.ui.failure(failure);
        }
        match program {
            Some(path) => ctx.ui.note(&format!("pimem in the PATH: {}", path.display())),
            None => ctx.ui.note("warning: pimem is not in the PATH, where agents look for it"),
        }
    }
    // As of a store that can be read in part: the answer, and then that it has failed.
    let troubled = rows.iter().any(|row| row.problem.is_some());
    Ok(match (troubled, any) {
        (true, _) => Exit::Error,
        (_, true) => Exit::Done,
        _ => Exit::Nothing,
    })
}

/// What is of ours in the files of every agent.
fn standings(ctx: &Shell, reach: Reach) -> Result<Vec<Standing>, Failure> {
    let mut rows = Vec::new();
    for agent in hooks::real() {
        for site in hooks::sites(ctx, agent, reach)? {
            rows.push(standing(ctx, site));
        }
        // A project's settings are told of where they say anything.
        if reach == Reach::User && !ctx.wants_user() && ctx.places.root().is_some() {
            let sites = hooks::sites(ctx, agent, Reach::Project)?;
            let here = sites.into_iter().map(|site| standing(ctx, site));
            rows.extend(here.filter(|row| row.hooks > 0));
        }
    }
    Ok(rows)
}

/// The agents that call pimem, or whose settings cannot be read.
pub(crate) fn installed(ctx: &Shell) -> Result<Vec<view::Agent>, Failure> {
    let mut rows = standings(ctx, Reach::User)?;
    rows.retain(|row| row.hooks > 0 || row.problem.is_some());
    let agent = |row: &Standing| view::Agent { agent: row.site.agent.name(), state: state(row) };
    let mut agents: Vec<_> = rows.iter().map(agent).collect();
    agents.dedup();
    Ok(agents)
}

fn standing(ctx: &Shell, site: Site) -> Standing {
    let bytes = match site.file().and_then(|file| file.read()) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(trouble) => {
            return Standing { site, state: "unreadable", hooks: 0, problem: Some(trouble.into()) };
        }
    };
    let (state, hooks, problem) = match &site.content {
        Content::Settings(layout) => match settings::found(&bytes, layout) {
            Ok(found) => {
                let is_there = |hook: &&settings::Hook| {
                    found.iter().any(|found| found.event == hook.event && found.word == hook.word)
                };
                let there = layout.hooks.iter().filter(is_there).count();
                let state = match there {
                    0 => "not installed",
                    _ if settings::is_off(&bytes, layout) => "switched off",
                    n if n == layout.hooks.len() => "installed",
                    _ => "partly",
                };
                (state, there, None)
            }
            Err(refusal) => ("malformed", 0, Some(hooks::refused(ctx, &site, &refusal))),
        },
        Content::Whole(whole) if bytes == whole.text.as_bytes() => ("installed", 1, None),
        Content::Whole(_) if is_marked(&bytes) => ("outdated", 1, None),
        Content::Whole(_) => ("not installed", 0, None),
    };
    Standing { site, state, hooks, problem }
}

fn of(row: &Standing) -> usize {
    match &row.site.content {
        Content::Settings(layout) => layout.hooks.len(),
        Content::Whole(_) => 1,
    }
}

fn state(row: &Standing) -> String {
    match row.state {
        "partly" => format!("partly, {} of {}", row.hooks, of(row)),
        state => state.to_owned(),
    }
}

fn document(ctx: &Shell, row: &Standing) -> serde_json::Value {
    let mut document = json!({
        "agent": row.site.agent.name(), "path": row.site.path.display().to_string(),
        "state": row.state, "hooks": row.hooks, "of": of(row),
        "agentPresent": hooks::is_present(ctx, row.site.agent),
    });
    if let (Some(problem), Some(members)) = (&row.problem, document.as_object_mut()) {
        members.insert("problem".to_owned(), json!(problem.message));
    }
    document
}

pub(crate) fn print(ctx: &Shell, agent: Agent, reach: Reach) -> Result<Exit, Failure> {
    if agent == Agent::Generic {
        let commands: Vec<String> =
            agent.events().iter().map(|event| agent.command(event.word)).collect();
        if ctx.ui.json {
            let document = json!({
                "schema": "pimem.hooks/1", "action": "print", "commands": commands,
            });
            ctx.ui.document(&document);
        } else {
            for command in &commands {
                ctx.ui.line(command);
            }
            ctx.ui.note("each reads a JSON object on standard input, and prints plain text");
        }
        return Ok(Exit::Done);
    }
    let sites = hooks::sites(ctx, agent, reach)?;
    if ctx.ui.json {
        let file = |site: &Site| {
            json!({
                "path": site.path.display().to_string(),
                "content": install::fragment(&site.content),
            })
        };
        ctx.ui.document(&json!({
            "schema": "pimem.hooks/1", "action": "print", "agent": agent.name(),
            "files": sites.iter().map(file).collect::<Vec<_>>(),
        }));
        return Ok(Exit::Done);
    }
    for site in &sites {
        let path = ctx.places.short(&site.path);
        if sites.len() > 1 {
            ctx.ui.line(&format!("==> {path} <=="));
        } else {
            ctx.ui.note(&format!("for {path}:"));
        }
        ctx.ui.text(&install::fragment(&site.content));
    }
    Ok(Exit::Done)
}
