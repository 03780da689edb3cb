//! `pimem extract`: learn the preferences that a text states.

use serde_json::{Map, Value, json};

use crate::{exit::Exit, input, shell::Shell};
use pimem_core::{
    language::preference::{self, Preference},
    model::entry::EntryId,
};
use pimem_engine::{
    error::{Failure, Kind},
    memory::{
        learn::{self, Learned, What},
        pending,
    },
};

/// Learn the preferences that a text states
///
/// What is learned of every prompt is learned of this text: sentences such as "I prefer …", "always
/// use …", "from now on …" or "my timezone is …", at most three. Code, quotes, questions, and what
/// is reported, denied or about one task only are left alone. What is known is reinforced, the same
/// preference once an hour.
///
/// What somebody typed is learned: a text of at most 400 characters and 3 lines, without an empty
/// line and without marks of a mail, a chat, a list, a log, code or a page. Whatever else states a
/// preference, what is piped in without --typed, and what names an address or a path outside of the
/// project waits in the project's store until pimem trust says that it may be shown. Exit code 1
/// says that there was none.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem extract --dry-run 'I prefer tabs over spaces'\n  \
    pbpaste | pimem extract")]
pub(crate) struct Args {
    /// The text, as one message (`-` reads standard input)
    #[arg(value_name = "TEXT", default_value = "-")]
    text: Vec<String>,
    /// Take what comes from standard input for typed, as a text on the command line is
    #[arg(long)]
    typed: bool,
    /// Show what would be learned, and change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let dry = args.dry_run;
    let piped = args.text == ["-"];
    let text = if piped { input::read_stdin()? } else { args.text.join(" ") };
    let mut stated = preference::find(&text);
    if piped && !args.typed {
        for found in &mut stated {
            found.waits = found.waits.or(Some(PIPED));
        }
    }
    let (waiting, typed): (Vec<Preference>, Vec<Preference>) =
        stated.into_iter().partition(|found| found.waits.is_some());
    let mut found = Vec::new();
    if !typed.is_empty() {
        let (dir, scope, known) = ctx.target()?;
        let store = if dry { ctx.store(dir, scope) } else { ctx.made((dir, scope, known))? };
        found = learn::take(ctx, &store, &typed, preference::MOST, ctx.who(), dry)?;
    }
    if !waiting.is_empty() {
        found.extend(hold(ctx, &waiting, dry)?);
    }
    show(ctx, &found, dry);
    let is = |wanted: fn(&What) -> bool| found.iter().any(|learned| wanted(&learned.what));
    if is(|what| matches!(what, What::Refused(_))) {
        return Ok(Exit::Error);
    }
    let nothing = !is(|what| !matches!(what, What::Doubtful(_) | What::Forgotten));
    Ok(if nothing { Exit::Nothing } else { Exit::Done })
}

/// Why what is piped in waits.
const PIPED: &str = "it came from standard input";

/// Keeps for a review what may have been pasted.
fn hold(ctx: &Shell, stated: &[Preference], dry: bool) -> Result<Vec<Learned>, Failure> {
    let (store, there) = pending::place(ctx).ok_or_else(|| {
        let message = "there is no project whose store could keep this for a review";
        let hint = "in a project, or with pimem add --user if it is what you want";
        Failure::new(Kind::Usage, message, hint)
    })?;
    let store = if there || dry { store } else { ctx.made((store.dir, store.scope, false))? };
    pending::hold(ctx, &store, stated, preference::MOST, ctx.who(), dry)
}

fn show(ctx: &Shell, found: &[Learned], dry: bool) {
    if ctx.ui.json {
        let results: Vec<Value> = found.iter().map(json_of).collect();
        let document = json!({"schema": "pimem.extract/1", "dryRun": dry, "results": results});
        ctx.ui.document(&document);
    }
    for Learned { text, id, what } in found {
        let line = |verb: &str| format!("{verb}: [preference] {text}{}", named(*id));
        match what {
            What::Refused(why) => {
                let hint = "write where the secret is kept instead";
                let message = format!("cannot store this: {why}");
                ctx.ui.failure(&Failure::new(Kind::Refused, message, hint));
            }
            What::Doubtful(does) => ctx.ui.note(&format!("{}: it {does}", line("Left alone"))),
            What::Forgotten => ctx.ui.note(&line("Forgotten before, left alone")),
            _ if ctx.ui.json => {}
            What::Learned => ctx.ui.line(&line(if dry { "Would learn" } else { "Learned" })),
            What::Reinforced => {
                ctx.ui.line(&line(if dry {
                    "Known, would reinforce"
                } else {
                    "Known, reinforced"
                }));
            }
            What::Recent => ctx.ui.line(&line("Seen less than an hour ago")),
            What::Known => ctx.ui.line(&line("Known, left alone")),
            What::Waiting(why) => {
                ctx.ui.line(&line(if dry { "Would wait" } else { "Waits" }));
                let id = id.map(|id| id.to_string()).unwrap_or_default();
                ctx.ui.note(&format!("Agents are not shown it before pimem trust {id:.7}: {why}"));
            }
        }
    }
}

fn named(id: Option<EntryId>) -> String {
    let short = |id: EntryId| format!(" ({:.7})", id.to_string());
    id.map(short).unwrap_or_default()
}

fn json_of(learned: &Learned) -> Value {
    let (action, reason) = match &learned.what {
        What::Learned => ("learned", None),
        What::Reinforced => ("reinforced", None),
        What::Recent => ("recent", None),
        What::Known => ("known", None),
        What::Waiting(why) => ("waiting", Some(json!(why))),
        What::Forgotten => ("forgotten", None),
        What::Doubtful(does) => ("doubtful", Some(json!(format!("it {does}")))),
        What::Refused(why) => ("refused", Some(json!(why))),
    };
    let mut out = Map::new();
    out.insert("action".to_owned(), json!(action));
    let id = learned.id.map(|id| json!(id.to_string()));
    let fields = [("id", id), ("text", Some(json!(learned.text))), ("reason", reason)];
    out.extend(fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
    Value::Object(out)
}
