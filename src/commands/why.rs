//! `pimem why`: the arithmetic of an entry, its place in the report, and what is to come.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::{exit::Exit, shell::Shell};
use pimem_core::{
    model::category::CategorySpec,
    report::{
        budget::Tokens,
        explain::{self, Arithmetic},
        render,
        select::Verdict,
    },
    safety::safe_text,
    score::{
        caps::Place,
        forecast::{self, Turn},
        ranking::ScoredEntry,
        stability::{Standing, State},
    },
    view::{self, Entries},
};
use pimem_engine::{
    error::Failure,
    local_time,
    memory::{self, selector},
};

/// Show why an entry is in the report or not
///
/// The factors of its score, the state that they give, its place under the caps, its rank in its
/// section, the dates on which that changes if nothing happens, and, for an entry that is out, the
/// least that would bring it in.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Id, unique id prefix, exact text, or a part of it that only one entry has
    #[arg(value_name = "ENTRY")]
    entry: String,
    /// Tokens that the report may take [default: 1700]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u32>,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let stores = ctx.readers()?;
    let (board, snapshots) = ctx.own_board(&stores);
    let row = selector::entry(ctx, &board, &memory::problems(&snapshots), &args.entry)?;
    let settings = ctx.report_settings(args.budget.map(Tokens), Tokens(0));
    let made = render::report(&board, &ctx.config.categories, settings);
    let verdict = made.verdict(&board, row).unwrap_or(&Verdict::ReportFull);
    let spec = ctx.config.categories.spec(row.entry.category);
    let turns = forecast::turns(ctx.now, ctx.rules().clock, row, spec);
    let act = if verdict.shown() {
        None
    } else {
        let placed = memory::placed(&ctx.config.categories, &stores, &snapshots);
        explain::cheapest(ctx.now, ctx.rules(), settings, &placed, row)
    };
    let heading = stores.iter().zip(snapshots.iter()).find_map(|(store, held)| {
        let topics = held.topics.iter().filter(|topic| topic.stem == row.entry.topic);
        let (mut topics, wording) =
            (topics.filter(|_| store.scope == row.entry.scope), row.entry.wording());
        let doc = &topics.next()?.doc;
        doc.heading_above(doc.entries.iter().find(|entry| entry.is(&wording))?)
    });
    let entries = Entries::new(ctx.now, &ctx.config.categories, &board);
    let arithmetic = Arithmetic::of(row, spec);
    let short = entries.short(row.entry.id);
    let tokens = Tokens::of(&format!("- {}\n", safe_text::model(&row.entry.text)));
    if ctx.ui.json {
        let turn = |(at, turn): &(_, Turn)| {
            let at: &pimem_core::model::time::Timestamp = at;
            json!({"at": at.to_string(), "what": what(*turn, spec)})
        };
        let mut document = json!({"schema": "pimem.why/1", "entry": entries.json(row)});
        let more = json!({
            "place": place(row, spec),
            "heading": heading,
            "shown": verdict.shown(),
            "reason": verdict.to_string(),
            "section": spec.section,
            "tokens": tokens.0,
            "ahead": turns.iter().map(turn).collect::<Vec<Value>>(),
            "cheapest": act.map(|act| act.command(&short)),
        });
        if let (Some(fields), Value::Object(more)) = (document.as_object_mut(), more) {
            fields.extend(factors(arithmetic));
            fields.extend(more);
        }
        ctx.ui.document(&document);
    } else {
        let mut lines = vec![
            ("entry", entries.line(row)),
            ("file", file(row, heading.as_deref())),
            ("score", score(row, arithmetic)),
            ("state", state(row)),
            ("place", place(row, spec)),
            (
                "section",
                format!("{}, {tokens} of its {} tokens", spec.section, spec.section_tokens),
            ),
            ("report", verdict.to_string()),
        ];
        let date = |at: pimem_core::model::time::Timestamp| local_time::local(at).date;
        lines.extend(
            turns
                .iter()
                .map(|(at, turn)| ("ahead", format!("{} {}", date(*at), what(*turn, spec)))),
        );
        if !verdict.shown() {
            let nothing = || "nothing: the report has no room for it".to_owned();
            lines.push(("to bring it in", act.map_or_else(nothing, |act| act.command(&short))));
        }
        for (name, value) in lines {
            ctx.ui.line(&format!("{name:<16} {value}"));
        }
    }
    Ok(ctx.complain(&memory::problems(&snapshots), Exit::Done))
}

/// `0.683 = 0.7 (behavioral) × 0.890 (e^(−7.0 d / 60 d)) × 1.099 (ln(1 + 2))`
pub(crate) fn score(row: &ScoredEntry, arithmetic: Arithmetic) -> String {
    let Arithmetic { weight, age_days, tau_days, decay, count, evidence } = arithmetic;
    let mut text = format!(
        "{:.3} = {weight} ({}) × {decay:.3} (e^(−{age_days:.1} d / {tau_days} d)) × {evidence:.3} \
         (ln(1 + {count}))",
        arithmetic.score(),
        row.evidence.cue.name()
    );
    match row.standing {
        Standing::Pinned => text.push_str(", but pinned"),
        Standing::Forgotten => text.push_str(", but forgotten"),
        Standing::Scored(_) => {}
    }
    text
}

/// The same as fields of JSON.
pub(crate) fn factors(arithmetic: Arithmetic) -> Vec<(String, Value)> {
    let Arithmetic { weight, age_days, tau_days, decay, count: _, evidence } = arithmetic;
    let fields = [
        ("weight", weight),
        ("ageDays", view::rounded(age_days)),
        ("tauDays", tau_days),
        ("decay", view::rounded(decay)),
        ("evidenceFactor", view::rounded(evidence)),
        ("stability", view::rounded(arithmetic.score())),
    ];
    fields.map(|(name, value)| (name.to_owned(), json!(value))).into()
}

/// Where its line stands, and below which heading.
fn file(row: &ScoredEntry, heading: Option<&str>) -> String {
    let below = heading.map(|heading| format!(", below {heading:?}")).unwrap_or_default();
    format!("topics/{}.md:{}{below}", row.entry.topic, row.entry.line)
}

fn state(row: &ScoredEntry) -> String {
    let by_score = row.standing.state();
    let mut text = Entries::state(row);
    if let Standing::Scored(_) = row.standing {
        // Writing to a string cannot fail.
        if !row.entry.reviewed {
            let name = by_score.name();
            let more =
                (row.state != by_score).then(|| format!(": by its score it would be {name}"));
            return text + &more.unwrap_or_default();
        }
        let _ = match by_score.least() {
            Some(least) => write!(text, ": at least {least}"),
            None => write!(text, ": below {}", State::Candidate.least().unwrap_or_default()),
        };
        if row.state != by_score {
            let _ = write!(
                text,
                " would be {}, but the cap of its category is reached",
                by_score.name()
            );
        }
    }
    text
}

fn place(row: &ScoredEntry, spec: &CategorySpec) -> String {
    let cap = spec.max_active;
    match row.place {
        Place::Pinned => "pinned: in no cap".to_owned(),
        Place::Active(rank) => format!("{rank} of at most {cap} active in its category"),
        Place::Pool(rank) => format!("{rank} of at most 6 in the overflow pool"),
        Place::OverCap if row.state < State::Provisional => {
            let least = State::Provisional.least().unwrap_or_default();
            format!("none: its category has {cap} places, and the pool begins at {least}")
        }
        Place::OverCap => format!("none: its category has {cap} places, and the pool is full"),
        Place::BelowPool => "none: the overflow pool is full".to_owned(),
        Place::TooWeak => "none: its score is too low".to_owned(),
        Place::Forgotten => "none: forgotten".to_owned(),
        Place::Excluded => "none: superseded or expired".to_owned(),
        Place::Unreviewed => "none: neither written nor reviewed on this machine".to_owned(),
    }
}

/// What happens at a turn.
pub(crate) fn what(turn: Turn, spec: &CategorySpec) -> String {
    match turn {
        Turn::Falls(state) => format!("becomes {}", state.name()),
        Turn::NoLongerFresh => "is no longer new".to_owned(),
        Turn::LeavesWindow => {
            let days = spec.window_days.unwrap_or_default();
            format!("leaves its section: not reinforced for {days} days")
        }
        Turn::Expires => "expires".to_owned(),
    }
}
