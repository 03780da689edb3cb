//! `pimem extract`: learn the preferences that a text states.

use serde_json::{Map, Value, json};

use super::{
    context::Context,
    error::{Exit, Failure, Kind},
    input,
    learning::{self, Learned, What},
};
use crate::{model::entry::EntryId, text::preference};

/// Learn the preferences that a text states
///
/// What is learned of every prompt is learned of this text: sentences such as "I prefer …", "always
/// use …", "from now on …" or "my timezone is …", at most three. Code, quotes, questions, and what
/// is reported, denied or about one task only are left alone. What is known is reinforced, the same
/// preference once an hour. Exit code 1 says that there was none.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem extract --dry-run 'I prefer tabs over spaces'\n  \
    pbpaste | pimem extract")]
pub(crate) struct Args {
    /// The text, as one message (`-` reads standard input)
    #[arg(value_name = "TEXT", default_value = "-")]
    text: Vec<String>,
    /// Show what would be learned, and change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(ctx: &Context, args: &Args) -> Result<Exit, Failure> {
    let dry = args.dry_run;
    let text = if args.text == ["-"] { input::read_stdin()? } else { args.text.join(" ") };
    let stated = preference::find(&text);
    let found = if stated.is_empty() {
        Vec::new()
    } else {
        let (dir, scope, known) = ctx.target()?;
        let store = if dry { ctx.store(dir, scope) } else { ctx.made((dir, scope, known))? };
        learning::take(ctx, &store, stated, preference::MOST, ctx.who(), dry)?
    };
    show(ctx, &found, dry);
    let is = |wanted: fn(&What) -> bool| found.iter().any(|learned| wanted(&learned.what));
    if is(|what| matches!(what, What::Refused(_))) {
        return Ok(Exit::Error);
    }
    let nothing = !is(|what| !matches!(what, What::Doubtful(_) | What::Forgotten));
    Ok(if nothing { Exit::Nothing } else { Exit::Done })
}

fn show(ctx: &Context, found: &[Learned], dry: bool) {
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
                Failure::new(Kind::Refused, format!("cannot store this: {why}"), hint)
                    .print(&ctx.ui);
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
