//! `pimem dream extract`: learns the preferences that a text states.

use pimem_engine::{
    error::{Failure, FailureKind},
    memory::extract::{
        ExtractAction, ExtractRequest, Extracted, ExtractedPreference, PairOrigin, Pairs,
    },
};

use crate::{
    shell::{self, Exit, Shell},
    ui::{Human, Ui},
};

/// Learn the preferences that a text states
///
/// What is learned of every prompt is learned of this text: sentences such as "I prefer …", "never
/// push …", "we use … here", "remember that …", "the port is 5433, not 5432" or "my timezone is …",
/// in English, German ("bitte nie …", "bei uns …"), French ("toujours …", "retiens que …") or Spanish
/// ("nunca …", "usamos …"), at most three. Code, quotes, questions, and what is reported, denied or
/// about one task only are left alone. What is known is reinforced, the same preference once an hour.
///
/// What somebody typed is learned: a text of at most 400 characters and 3 lines, without an empty
/// line and without marks of a mail, a chat, a list, a log, code or a page. Whatever else states a
/// preference, what is piped in without --typed, and what names an address or a path outside of the
/// project waits in the project's store until pimem trust says that it may be shown. Exit code 1
/// says that there was none.
///
/// With --pairs, each question gets an importance by its cues and length, from 0.2 to 0.9, and a
/// type: fact, correction, preference or context. With the setting learning.enabled, hooks store
/// this at the end of every turn. What may have been pasted, or is worded as an order to an agent,
/// is left alone.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem dream extract --dry-run 'I prefer tabs over spaces'\n  \
    pbpaste | pimem dream extract"
)]
pub(crate) struct ExtractArgs {
    /// The text, as one message (`-` reads standard input)
    #[arg(value_name = "TEXT", default_value = "-")]
    text: Vec<String>,
    /// Treat standard input as typed, as a text on the command line is
    #[arg(long, hide_short_help = true)]
    typed: bool,
    /// Show what would be learned, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Show what would be stored of questions and answers, and why: a JSON object a line on standard
    /// input, with the keys question and answer. Stores nothing
    #[arg(long, hide_short_help = true,
        conflicts_with_all = ["text", "typed", "dry_run"])]
    pairs: bool,
}

pub(crate) fn run(ctx: &Shell, args: &ExtractArgs) -> Result<Exit, Failure> {
    if args.pairs {
        let view = ctx.memory.writing().weigh_pairs(&shell::read_stdin()?)?;
        ctx.ui.show(&view);
        return Ok(Exit::Done.unless_empty(view.pairs.is_empty()));
    }
    let typed = args.typed || args.text != ["-"];
    let view = ctx.memory.writing().extract(&ExtractRequest {
        text: &shell::text(&args.text)?,
        origin: if typed { PairOrigin::Typed } else { PairOrigin::Piped },
        dry_run: args.dry_run,
    })?;
    for preference in &view.results {
        let reason = preference.reason.as_deref().unwrap_or_default();
        match preference.action {
            ExtractAction::Refused => {
                let hint = "write where the secret is kept instead";
                let message = format!("cannot store this: {reason}");
                ctx.ui.failure(&Failure::new(FailureKind::Refused, message, hint));
            }
            ExtractAction::Doubtful => {
                ctx.ui.note(&format!("{}: {reason}", line("Left alone", preference)));
            }
            ExtractAction::Forgotten => {
                ctx.ui.note(&line("Forgotten before, left alone", preference));
            }
            _ => {}
        }
    }
    ctx.ui.show(&view);
    let mut actions = view.results.iter().map(|preference| preference.action);
    if actions.clone().any(|action| action == ExtractAction::Refused) {
        return Ok(Exit::Error);
    }
    let idle = [ExtractAction::Doubtful, ExtractAction::Forgotten];
    Ok(Exit::Done.unless_empty(actions.all(|action| idle.contains(&action))))
}

impl Human for Extracted {
    fn human(&self, ui: &Ui) {
        for preference in &self.results {
            let verb = match (preference.action, self.dry_run) {
                (ExtractAction::Learned, true) => "Would learn",
                (ExtractAction::Learned, false) => "Learned",
                (ExtractAction::Reinforced, true) => "Known, would reinforce",
                (ExtractAction::Reinforced, false) => "Known, reinforced",
                (ExtractAction::Recent, _) => "Seen less than an hour ago",
                (ExtractAction::Known, _) => "Known, left alone",
                (ExtractAction::Waiting, true) => "Would wait",
                (ExtractAction::Waiting, false) => "Waits",
                (
                    ExtractAction::Refused | ExtractAction::Doubtful | ExtractAction::Forgotten,
                    _,
                ) => continue,
            };
            ui.line(&line(verb, preference));
            super::add::tell_absent(ui, preference.absent.as_ref());
            if preference.action == ExtractAction::Waiting {
                let id = preference.id.as_deref().unwrap_or_default();
                let why = preference.reason.as_deref().unwrap_or_default();
                ui.note(&format!("Agents are not shown it before pimem trust {id:.7}: {why}"));
            }
        }
    }
}

impl Human for Pairs {
    fn human(&self, ui: &Ui) {
        for pair in &self.pairs {
            let text = pair.text.as_deref().unwrap_or_default();
            let verb = match (&pair.category, &pair.reason) {
                (Some(category), _) => format!("Would store: [{category}] {text}"),
                (None, Some(reason)) => format!("Left alone: {text}: {reason}"),
                (None, None) => format!("Left alone: {text}"),
            };
            ui.line(verb.trim());
            let shares = pair.shares.iter().map(|one| {
                let cue = one.cue.map(|cue| format!(" ({cue})")).unwrap_or_default();
                format!(
                    " {} {:.2} {}{cue}",
                    if one.share < 0.0 { "-" } else { "+" },
                    one.share.abs(),
                    one.of
                )
            });
            let shares: String = shares.collect();
            ui.line(&format!(
                "  {}, importance {:.2} = {:.2}{shares}, {} words",
                pair.kind, pair.importance, pair.base, pair.words
            ));
        }
    }
}

fn line(verb: &str, preference: &ExtractedPreference) -> String {
    let id = preference.id.as_ref().map(|id| format!(" ({id:.7})")).unwrap_or_default();
    format!("{verb}: [preference] {}{id}", preference.text)
}
