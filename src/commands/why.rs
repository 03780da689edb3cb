//! `pimem why`: all that is known about an entry: its score, its place in the report and what is ahead;
//! the scores of all entries by any policy; and what leaves the report, when, and what would keep it.

use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use pimem_core::{
    model::{
        event::Cue,
        time::{Date, Timestamp},
    },
    report::{
        budget::{Tokens, thousands},
        explain::Remedy,
    },
};
use pimem_engine::{
    config::settings::PolicyName,
    error::{Failure, FailureKind},
    local_time,
    memory::{
        forecast::{DayAhead, Forecast, ForecastRequest, KeepAdvice, Leaving, Other},
        score::{Decay, FadedEntry, ScoreRow, Scores},
        telemetry::summary::HeldBy,
        why::Why,
    },
    view::{self, Whose, count},
};

use crate::{
    shell::{self, Exit, Shell},
    ui::{Column, Human, Style, Styled, Ui, table},
};

/// Show all that is known about an entry, and why it is in the report or not
///
/// The factors of its score, the state that they give, its place under the caps, its rank in its
/// section, the dates on which that changes if nothing happens, and, for an entry that is out, the
/// least that would bring it in.
///
/// With --all: the scores of all entries, by any policy. With --ahead: the entries that agents are told
/// now and will not be any more if nothing happens, soonest first, with the least that would keep
/// each, and until when; those that are named in any case. With --ahead --policy ebbinghaus: how the
/// importance of entries has faded, and what pimem dream --apply would archive.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem why 262e38a\n  pimem why --ahead --days 90\n  \
    pimem why --all --policy weighted")]
pub(crate) struct WhyArgs {
    /// Id, unique id prefix, exact text, or a part of it that only one entry has
    #[arg(value_name = "ENTRY", required_unless_present = "table")]
    entries: Vec<String>,
    /// Tokens that the report may take [default: 1700]
    #[arg(long, value_name = "TOKENS", conflicts_with = "table")]
    budget: Option<u32>,
    /// The scores of all entries
    #[arg(long, group = "table", conflicts_with = "entries")]
    all: bool,
    /// What leaves the report, when, and what would keep it
    #[arg(long, group = "table")]
    ahead: bool,
    /// By this policy: stability, weighted or ebbinghaus [default: the one in force]
    #[arg(long, value_name = "POLICY", value_parser = PossibleValuesParser::new(PolicyName::NAMES),
        hide_possible_values = true, requires = "table")]
    policy: Option<String>,
    /// How many days to look ahead
    #[arg(long, value_name = "DAYS", default_value_t = 30, requires = "ahead",
        value_parser = RangedU64ValueParser::<u32>::new().range(1..=3650))]
    days: u32,
}

pub(crate) fn run(ctx: &Shell, args: &WhyArgs) -> Result<Exit, Failure> {
    let policy = args.policy.as_deref().and_then(PolicyName::find);
    let selectors = shell::selectors(&args.entries)?;
    if args.all {
        return Ok(ctx.show(&ctx.memory.reading().score(policy)?));
    }
    if args.ahead {
        return ahead(ctx, &ForecastRequest { selectors: &selectors, days: args.days }, policy);
    }
    let mut exit = Exit::Done;
    for (number, entry) in selectors.iter().enumerate() {
        if number > 0 && !ctx.ui.json {
            ctx.ui.line("");
        }
        let one = ctx.show(&ctx.memory.reading().why(entry, args.budget.map(Tokens))?);
        exit = if one == Exit::Done { exit } else { one };
    }
    Ok(exit)
}

fn ahead(
    ctx: &Shell,
    request: &ForecastRequest<'_>,
    policy: Option<PolicyName>,
) -> Result<Exit, Failure> {
    match policy {
        Some(PolicyName::Ebbinghaus) => Ok(ctx.show(&ctx.memory.reading().decay(false)?)),
        Some(other) if other != ctx.memory.config.settings.scoring.policy => {
            let message = "what is ahead is told by the policy in force, and by ebbinghaus";
            let hint = "--all has the scores of today by any policy";
            Err(Failure::new(FailureKind::Usage, message, hint))
        }
        _ => Ok(ctx.show(&ctx.memory.reading().forecast(request)?)),
    }
}

impl Human for Why {
    fn human(&self, ui: &Ui) {
        let Self { heading, section, tokens, section_tokens, .. } = self;
        let entry = &self.entry.entry;
        let tokens = Tokens(*tokens);
        let below = heading.as_ref().map(|heading| format!(", below {heading:?}"));
        let of = section_tokens.map_or_else(String::new, |most| format!(" of its {most}"));
        let mut lines = vec![
            ("entry", entry.line()),
            ("file", entry.location() + &below.unwrap_or_default()),
            ("score", self.factors.text(entry)),
            ("state", self.state.clone()),
            ("place", self.place.clone()),
            ("section", format!("{section}, {tokens}{of} tokens")),
            ("report", self.reason.clone()),
        ];
        if let Some((server, project)) = self.server.as_ref().zip(entry.project.as_ref()) {
            let by = entry.author.as_deref().unwrap_or("you");
            lines.insert(1, ("from", format!("{by}, project {project} on {server}")));
        }
        if let Some(added) = &self.added {
            lines.insert(2, ("added", added.trim_start_matches("added on ").to_owned()));
        }
        for rule in entry.rules.iter().rev() {
            lines.insert(1, ("rule", rule.clone()));
        }
        if let Some(HeldBy { held, last, lifted, .. }) = &self.held {
            let last = last.iter().map(|at| at.get(..10).unwrap_or(at)).collect::<Vec<_>>();
            let when =
                if last.is_empty() { String::new() } else { format!(": {}", last.join(", ")) };
            let lifted = if *lifted > 0 {
                format!("; lifted {}", count(*lifted, "time"))
            } else {
                String::new()
            };
            lines.push(("held", format!("{}{when}{lifted}", count(*held, "time"))));
        }
        if !entry.asked.is_empty() {
            lines.insert(1, ("asked as", entry.asked.join("; ")));
        }
        if !self.learned.is_empty() {
            lines.push(("learned", format!("asked as {}", self.learned.join("; "))));
        }
        lines.extend(self.ahead.iter().map(|ahead| {
            ("ahead", format!("{} {}", local_time::local(ahead.at).date, ahead.what))
        }));
        let ago = |time: Timestamp, age: &str| {
            if age == "now" { format!("{time} (now)") } else { format!("{time} ({age} ago)") }
        };
        let weight = Cue::find(entry.cue).map(Cue::weight).unwrap_or_default();
        lines.extend([
            ("cue", format!("{} (weight {weight})", entry.cue)),
            ("evidence", entry.evidence.to_string()),
            ("first seen", ago(entry.first_seen, &self.known_for)),
            ("last reinforced", ago(entry.last_reinforced, &self.entry.age)),
        ]);
        lines.extend(entry.valid_until.iter().map(|until| ("valid until", until.clone())));
        lines.extend(self.replaced_by.iter().map(|by| ("replaced by", by.clone())));
        if !self.shown {
            let is_read = self.server.is_some();
            let or = if is_read { "nothing: it is only read here" } else { entry.otherwise() };
            lines.push(("to bring it in", self.cheapest.clone().unwrap_or_else(|| or.to_owned())));
        }
        ui.fields(&lines);
    }
}
impl Human for Scores {
    fn human(&self, ui: &Ui) {
        let whose = Whose::of(self.entries.iter().map(|row| row.scope));
        let other = self.policy != self.in_force;
        let cells = |row: &ScoreRow| {
            let mut cells = vec![
                Styled::new(Style::Id, &row.short),
                row.category.as_str().into(),
                ui.state(row.state),
                score(row.score).into(),
            ];
            if other {
                let (in_force, state) = (score(row.in_force.score), row.in_force.state);
                if ui.is_terminal() {
                    cells.extend([in_force.into(), ui.state(state)]);
                } else {
                    cells.push(format!("{in_force} {state}").into());
                }
            }
            let text = whose.mark(row.text.clone(), row.scope);
            cells.push(view::labelled(text, row.label.clone()).into());
            cells
        };
        let state = if other { Column::spare(3, "state") } else { "state".into() };
        let mut header = vec!["id".into(), Column::spare(1, "category"), state, self.policy.into()];
        if other {
            header.extend([self.in_force.into(), Column::spare(2, "state")]);
        }
        header.push("text".into());
        ui.table(&header, self.entries.iter().map(cells).collect());
    }

    fn when_empty(&self) -> Option<&'static str> {
        self.entries.is_empty().then_some("No entries to score; pimem add TEXT remembers something")
    }
}

/// Formats a score as 9999, as 0, or with three decimals.
fn score(score: f64) -> String {
    if score >= 9999.0 { format!("{score:.0}") } else { format!("{score:.3}") }
}
impl Human for Decay {
    fn human(&self, ui: &Ui) {
        let fate = |row: &FadedEntry| match row {
            FadedEntry { archived: true, .. } => "archived",
            FadedEntry { below: true, .. } if self.applied => {
                "kept: pinned, enforced or not reviewed"
            }
            FadedEntry { below: true, .. } => "falls below",
            _ => "stays",
        };
        let cells = |row: &FadedEntry| {
            vec![
                Styled::new(Style::Id, &row.short),
                row.kind.into(),
                format!("{:.3}", row.importance).into(),
                format!("{:.3}", row.now).into(),
                format!("{:.2}", row.floor).into(),
                fate(row).into(),
                row.text.as_str().into(),
            ]
        };
        let header = [
            "id".into(),
            "kind".into(),
            Column::spare(2, "at first"),
            "now".into(),
            Column::spare(1, "floor"),
            "fate".into(),
            "text".into(),
        ];
        ui.table(&header, self.entries.iter().map(cells).collect());
        let least = self.min_importance;
        let below = self.entries.iter().filter(|row| row.below).count();
        let archived = self.entries.iter().filter(|row| row.archived).count();
        ui.note(&match (below, self.applied) {
            (0, _) => format!("Nothing falls below {least}: each kind has a floor"),
            (_, true) => format!("Archived {archived} of {below} below {least}"),
            (_, false) => format!("Below {least}: {below}; pimem dream --apply archives them"),
        });
    }
}
impl Human for Forecast {
    fn human(&self, ui: &Ui) {
        let ends = self.days.first().zip(self.days.last());
        let sizes = || self.days.iter().map(|day| day.tokens);
        let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
        // A picture of what stays as it is says nothing.
        let changes = most - least > most / 20;
        if let Some((first, last)) = ends.filter(|_| ui.is_terminal() && changes) {
            let size = |day: &DayAhead| thousands(day.tokens as usize);
            let ahead = self.days.len() - 1;
            let (now, then) = (size(first), size(last));
            ui.line(&format!("The report: {now} tokens now, {then} in {ahead} days"));
            let sizes: Vec<u32> = sizes().collect();
            for line in table::columns(&sizes, self.budget.unwrap_or(0), ui.width()) {
                ui.verbatim(&line);
            }
            ui.line("");
        }
        let Some(DayAhead { date: today, .. }) = self.days.first() else { return };
        let date = |at: Timestamp| local_time::local(at).date;
        for left in &self.leaving {
            ahead_line(
                ui,
                &date(left.at).to_string(),
                &sentence(left, *today),
                &left.short,
                &left.text,
            );
        }
        let last = self.days.last().map_or(*today, |day| day.date).in_words(*today);
        for Other { short, text, shown } in &self.others {
            let what = if *shown {
                format!("stays in the report until {last} at least")
            } else {
                format!("is not in the report; pimem why {short}")
            };
            ahead_line(ui, "", &what, short, text);
        }
    }

    fn when_empty(&self) -> Option<&'static str> {
        let is_empty = self.leaving.is_empty() && self.others.is_empty();
        is_empty.then(|| match self.days.first() {
            Some(DayAhead { entries: 0, .. }) => {
                "Nothing to forecast; pimem add TEXT remembers something"
            }
            _ => "Nothing leaves the report in these days; --days looks further ahead",
        })
    }
}

/// Prints a line for an entry, on a terminal with the text below.
fn ahead_line(ui: &Ui, date: &str, what: &str, short: &str, text: &str) {
    if !ui.is_terminal() {
        return ui.table(&[""; 4], vec![[date, what, short, text].map(Styled::from).to_vec()]);
    }
    let indent = short.len() + 2;
    ui.styled(&Styled::new(Style::Id, short).with(None, "  ").with(None, what), indent);
    ui.hanging(&format!("{:indent$}{text}", ""), indent);
}

/// Formats `leaves the report on 11 July; one reinforce keeps it until 2 September`.
fn sentence(left: &Leaving, today: Date) -> String {
    let on = |at: Timestamp| local_time::local(at).date.in_words(today);
    let what = if left.expires { "expires" } else { "leaves the report" };
    let what = format!("{what} on {}", on(left.at));
    if let Some(returns) = left.returns {
        return format!("{what}, back on {}", on(returns));
    }
    let Some(KeepAdvice { act, until, .. }) = &left.keep else { return what };
    let act = match act {
        Remedy::Reinforce(1) => "one reinforce keeps it".to_owned(),
        Remedy::Reinforce(n) => format!("reinforce --by {n} keeps it"),
        _ => return format!("{what}; only pin keeps it"),
    };
    let until = until.map_or_else(|| "for years".to_owned(), |at| format!("until {}", on(at)));
    format!("{what}; {act} {until}")
}
