//! `pimem status`: stores, what agents get of them, hooks and what waits, on one screen.
//!
//! Writes nothing, not even to the ledger of trust.

use std::mem::ManuallyDrop;

use serde_json::{Map, Value, json};

use super::{
    doctor,
    hooks::{self, shown, status},
};
use crate::{exit::Exit, shell::Shell};
use pimem_core::{
    model::time::Timestamp,
    report::{
        budget::{Tokens, thousands},
        render::{self, Report},
    },
    score::{
        ranking::{Ranking, Scope, ScoredEntry},
        stability::State,
    },
    view::{Entries, count},
};
use pimem_engine::{
    config::layers::Origin,
    error::Failure,
    local_time,
    memory::{
        dream::gather::LEFT,
        review::{self, Held},
    },
    store::snapshot::{Snapshot, Store},
};

/// Show stores, what agents get of them, and what waits, on one screen
///
/// Says which stores are in use and whether they are trusted, how many entries are in each state,
/// what a report would show now, what awaits review, the index, the last dream, the agents that call
/// pimem, settings that are left out, and how much `pimem doctor` finds. With --verbose it is that
/// command. Writes nothing, and runs where there is no store.
///
/// The exit code is 0, whatever is found; for scripts, `pimem doctor` ends with 1 on findings.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem status\n  pimem status --json | jq '.stores[].awaiting'"
)]
pub(crate) struct Args {}

/// Columns of a screen, at most.
const WIDTH: usize = 80;
/// Columns before a value.
const LABEL: usize = 16;
/// Marks of entries, in the order in which they are shown.
const MARKS: [&str; 5] = ["pinned", "fresh", "superseded", "expired", "forgotten"];

/// A store as it stands.
struct Seen {
    held: Held,
    /// Entries by state.
    states: Vec<(State, usize)>,
    /// Entries by mark.
    marks: Vec<(&'static str, usize)>,
    archived: usize,
    index: doctor::Index,
    dreamt: Option<Timestamp>,
    /// Sessions that wait for a dream.
    sessions: usize,
    /// Whether a language model's plan waits to be looked at.
    plan: bool,
}

/// All that is shown.
struct Sheet {
    stores: Vec<Seen>,
    /// The store that a writer would make: whose, and where.
    absent: Option<(Scope, String)>,
    entries: usize,
    report: Report,
    agents: Result<Vec<(&'static str, String)>, Failure>,
    findings: usize,
}

pub(crate) fn run(ctx: &Shell, _: &Args) -> Result<Exit, Failure> {
    if ctx.ui.is_verbose() {
        return doctor::run(ctx, &doctor::Args {});
    }
    let stores: Vec<Store> = ctx.strict_readers()?.into_iter().map(Store::unwritten).collect();
    let mut findings = doctor::around(ctx, &stores).len();
    let (board, snapshots) = ctx.own_board(&stores);
    let settings = ctx.report_settings(None, Tokens(0));
    let report = render::report(&board, &ctx.config.categories, settings);
    let mut seen = Vec::new();
    for (store, snapshot) in stores.into_iter().zip(ManuallyDrop::into_inner(snapshots)) {
        let (one, found) = look(ctx, store, &snapshot, &board);
        findings += found;
        seen.push(one);
    }
    let target = ctx.target().ok().filter(|(.., is_there)| !is_there);
    let sheet = Sheet {
        stores: seen,
        absent: target.map(|(dir, scope, _)| (scope, shown(ctx, &dir))),
        entries: board.rows.len(),
        report,
        agents: status::installed(ctx),
        findings,
    };
    if ctx.ui.json {
        ctx.ui.document(&sheet.document(ctx));
    } else {
        let width = ctx.ui.width().min(WIDTH);
        for (label, value) in sheet.lines(ctx) {
            let mut label = label.as_str();
            for line in wrapped(&value, width.saturating_sub(LABEL + 1)) {
                ctx.ui.line(&format!("{label:<LABEL$} {line}"));
                label = "";
            }
        }
    }
    Ok(Exit::Done)
}

/// A store as it stands, and how much is wrong with it.
fn look(ctx: &Shell, store: Store, snapshot: &Snapshot, board: &Ranking) -> (Seen, usize) {
    let held = review::held(ctx, store, snapshot);
    let store = &held.store;
    let (index, findings) = doctor::examine(ctx, store, snapshot, held.unreviewed);
    let rows = || board.rows.iter().filter(|row| row.entry.scope == store.scope);
    let how_many = |is: &dyn Fn(&ScoredEntry) -> bool| rows().filter(|row| is(row)).count();
    let states = State::ALL.map(|state| (state, how_many(&|row| row.state == state)));
    let marks = MARKS.map(|mark| (mark, how_many(&|row| Entries::mark(row) == Some(mark))));
    let dreams = store.dreams(ctx.now);
    let (sessions, more) = store.waiting(&dreams);
    let plan = store.dream_dir().is_some_and(|dir| dir.join(LEFT).is_file());
    let seen = Seen {
        states: states.to_vec(),
        marks: marks.to_vec(),
        archived: store.read_archive(&ctx.config.categories).entries().count(),
        index,
        dreamt: dreams.last,
        sessions: sessions.len() + more,
        plan,
        held,
    };
    (seen, findings.len())
}

impl Seen {
    /// Whether it is trusted: for programs, and for people.
    fn trust(&self) -> (&'static str, &'static str) {
        let trust = &self.held.store.trust;
        if trust.is_own() {
            ("own", "yours, trusted as a whole")
        } else if trust.is_always() {
            ("always", "trusted as a whole")
        } else if trust.is_foreign() {
            ("foreign", "of another user, not trusted")
        } else if trust.is_made() {
            ("here", "trusted: made or reviewed here")
        } else if trust.is_begun() {
            ("part", "trusted in part")
        } else {
            ("none", "not trusted")
        }
    }

    fn entries(&self) -> usize {
        self.states.iter().map(|(_, count)| count).sum()
    }

    fn lines(&self, ctx: &Shell) -> Vec<(String, String)> {
        let store = &self.held.store;
        let dir = shown(ctx, &store.dir);
        let mut lines =
            vec![(format!("{} store", store.scope.name()), format!("{dir}, {}", self.trust().1))];
        let mut put = |label: &str, value| lines.push((format!("  {label}"), value));
        let states = self.states.iter().map(|(state, count)| (state.name(), *count));
        let states = listed(states).map(|states| format!(": {states}")).unwrap_or_default();
        put("entries", format!("{}{states}", thousands(self.entries())));
        let archived = (self.archived > 0).then(|| format!("{} in the archive", self.archived));
        let marks = listed(self.marks.iter().copied()).map(|marks| format!("of these {marks}"));
        let more: Vec<String> = marks.into_iter().chain(archived).collect();
        if !more.is_empty() {
            put("", more.join("; "));
        }
        if !self.held.items.is_empty() {
            put("review", format!("{}: pimem trust --review", self.held.told()));
        } else if !store.trust.is_whole() {
            put("review", "nothing awaits review".to_owned());
        }
        put("index", self.index.told());
        let at = |at| local_time::local(at).to_string();
        let mut dream = self.dreamt.map_or_else(|| "never".to_owned(), at);
        if self.sessions > 0 {
            let wait = if self.sessions == 1 { "waits" } else { "wait" };
            dream += &format!("; {} {wait}: pimem dream", count(self.sessions, "session"));
        }
        if self.plan {
            dream += "; a plan waits: pimem dream --apply";
        }
        put("last dream", dream);
        lines
    }

    fn document(&self) -> Value {
        let Held { store, unreviewed, .. } = &self.held;
        let of = |(name, count): (&str, usize)| (name.to_owned(), json!(count));
        let states = self.states.iter().map(|(state, count)| (state.name(), *count));
        json!({
            "scope": store.scope.name(),
            "store": store.dir.display().to_string(),
            "trust": self.trust().0,
            "entries": self.entries(),
            "states": states.map(of).collect::<Map<_, _>>(),
            "marks": self.marks.iter().copied().map(of).collect::<Map<_, _>>(),
            "archived": self.archived,
            "awaiting": {
                "entries": unreviewed.others, "preferences": unreviewed.waiting,
                "others": self.held.others(),
            },
            "index": {"state": self.index.state(), "lines": self.index.lines},
            "dream": {
                "last": self.dreamt.map(|at| at.to_string()),
                "sessions": self.sessions, "plan": self.plan,
            },
        })
    }
}

impl Sheet {
    fn shown(&self) -> usize {
        self.report.verdicts.iter().filter(|verdict| verdict.shown()).count()
    }

    fn lines(&self, ctx: &Shell) -> Vec<(String, String)> {
        let mut lines = Vec::new();
        if let Some((scope, dir)) = &self.absent {
            let user = if *scope == Scope::User { " --user" } else { "" };
            let told = format!("none yet; pimem init{user} makes one in {dir}");
            lines.push((format!("{} store", scope.name()), told));
        } else if self.stores.is_empty() {
            let told = "none; pimem init --user makes your own";
            lines.push(("stores".to_owned(), told.to_owned()));
        }
        lines.extend(self.stores.iter().flat_map(|seen| seen.lines(ctx)));
        let mut put = |label: &str, value| lines.push((label.to_owned(), value));
        let Report { tokens, budget, .. } = &self.report;
        let left = match self.entries - self.shown() {
            0 => String::new(),
            left => format!("; {} left out: pimem report --explain", thousands(left)),
        };
        let (some, all) = (thousands(self.shown()), thousands(self.entries));
        let report = format!("{some} of {all} entries, {tokens} of {budget} tokens{left}");
        put("report now", report);
        put("hooks", self.hooks(ctx));
        if let Some((wrong, more)) = ctx.config.unusable.split_first() {
            let mut place = match &wrong.origin {
                Origin::User(path) | Origin::Project(path) => shown(ctx, path),
                origin => origin.to_string(),
            };
            place += &wrong.line.map_or_else(String::new, |line| format!(":{line}"));
            let more = match more.len() {
                0 => String::new(),
                more => format!("; {more} more are left out too"),
            };
            let wrong = format!("{place}: {}; left out ({}){more}", wrong.message, wrong.hint);
            put("settings", wrong);
        }
        put(
            "findings",
            match self.findings {
                0 => "none".to_owned(),
                findings => format!("{findings}: pimem doctor"),
            },
        );
        lines
    }

    fn hooks(&self, ctx: &Shell) -> String {
        let agents = match &self.agents {
            Ok(agents) if agents.is_empty() => {
                return "none; pimem hooks install AGENT has one call pimem".to_owned();
            }
            Ok(agents) => agents,
            Err(failure) => return failure.message.clone(),
        };
        let told = agents.iter().map(|(agent, state)| match state.as_str() {
            "installed" => (*agent).to_owned(),
            state => format!("{agent} ({state})"),
        });
        let told = told.collect::<Vec<_>>().join(", ");
        match hooks::in_path(ctx, "pimem") {
            Some(_) => told,
            None => format!("{told}; pimem is not in the PATH, where they look for it"),
        }
    }

    fn document(&self, ctx: &Shell) -> Value {
        let agent = |(agent, state): &(&str, String)| json!({"agent": agent, "state": state});
        let agents = self.agents.iter().flatten().map(agent).collect::<Vec<Value>>();
        json!({
            "schema": "pimem.status/1",
            "stores": self.stores.iter().map(Seen::document).collect::<Vec<Value>>(),
            "report": {
                "entries": self.shown(), "leftOut": self.entries - self.shown(),
                "tokens": self.report.tokens.0, "budget": self.report.budget.0,
            },
            "hooks": {
                "agents": agents,
                "program": hooks::in_path(ctx, "pimem").map(|path| path.display().to_string()),
            },
            "unusable": ctx.unusable(),
            "findings": self.findings,
        })
    }
}

/// `2 active, 1 dropped`, without what there is none of.
fn listed<'a>(counts: impl Iterator<Item = (&'a str, usize)>) -> Option<String> {
    let some = counts.filter(|(_, count)| *count > 0);
    let list: Vec<String> =
        some.map(|(name, count)| format!("{} {name}", thousands(count))).collect();
    (!list.is_empty()).then(|| list.join(", "))
}

/// The lines of a text of so many columns, broken at spaces where it has some.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
