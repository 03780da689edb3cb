//! `pimem trust`: reviews texts that came by git and lets agents see them.

use std::path::PathBuf;

use pimem_core::score::ranking::Scope;
use pimem_engine::{
    error::Failure,
    memory::{
        Answer,
        review::AwaitingText,
        vouch::{
            Reply, Review, ReviewedStore as StoreView, VouchAct as ActOf, VouchAction, VouchDone,
            VouchQuestion, VouchedEntries,
        },
    },
    store::Store,
    view::{self, Document},
};
use serde::Serialize;

use crate::{
    shell::{self, Exit, Shell},
    ui::{Human, Ui},
};

/// Review what waits, and let agents see it
///
/// Entries that came by git, in a clone or with a pull, and those that may have been pasted, are shown to
/// people and to no agent until somebody has looked at them. Each is shown and asked about, first what was
/// said more than once, then what went wrong, twenty at a stretch; a key takes it, drops it, rewords it or
/// goes back to the one before. Without a terminal, they are only listed. What is trusted is the text: when
/// it changes, it awaits review again.
///
/// Lines that you write by hand need no review, in a store that was made on this machine or of which
/// you have reviewed everything: git does not have them, or has them by a commit that you made here
/// before it had them from anywhere else. What merge, pull, rebase, checkout and the like bring, and
/// whatever is in doubt, awaits review; while a merge or rebase stands still, all that is new does.
/// What agents add is shown to agents, and listed here until you keep or forget it. What reads like an
/// order to an agent waits, in notes, logs and lists too, unless you typed it at a terminal.
/// Your own store is trusted as a whole otherwise. Of what others have shared, only lines that look like an
/// order, a secret or hostile text await review, and are trusted one by one. Exit code 1 says that something awaits review.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the command line")]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  pimem trust                  one by one
  pimem trust 262e38a          this entry
  pimem trust --all            a repository of your own, on a second machine
  pimem trust --always         whatever is in this store, now and later
  pimem trust --no-secret 262e38a   what looks like a secret in it is none
  pimem trust --revoke         all of it, from the beginning
  pimem trust --count          how much awaits review")]
pub(crate) struct TrustArgs {
    /// Trust these entries (`-` reads them from standard input)
    #[arg(value_name = "ENTRY")]
    entries: Vec<String>,
    /// Show what awaits review, and ask; also done when nothing else is asked for
    #[arg(long, hide_short_help = true, conflicts_with_all = ["all", "always", "revoke", "entries"])]
    review: bool,
    /// Trust all that is there now, notes, logs and the archive too
    #[arg(long, conflicts_with_all = ["revoke", "entries"])]
    all: bool,
    /// Trust this store as your own, whatever git brings, whoever owns it and wherever its root leads
    /// now: on a second computer, in a container, behind a link. Settings that decide what is run
    /// still await review
    #[arg(long, conflicts_with_all = ["all", "revoke", "entries"])]
    always: bool,
    /// Take trust back, from these entries or from everything
    #[arg(long)]
    revoke: bool,
    /// Say that what looks like a secret in these entries is none, so that agents are told them
    #[arg(long, requires = "entries", conflicts_with_all = ["all", "always", "review"])]
    no_secret: bool,
    /// Show how much awaits review
    #[arg(long, hide_short_help = true, conflicts_with_all = ["all", "always", "review", "revoke", "entries"])]
    count: bool,
    #[command(subcommand)]
    act: Option<Act>,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    #[command(hide = true)]
    Status,
}

/// Question asked about every text.
const QUESTION: &str = "Trust it? y yes, n not yet, b back, a this and what follows without a warning, \
                        q not now [ynbaq]";

/// Question asked about an entry.
const OF_ENTRY: &str = "Trust it? y yes, n not yet, d drop it, e say it otherwise, b back, a this and what \
                        follows without a warning, q not now [yndebaq]";

/// Texts that are asked about at a stretch.
const STRETCH: usize = 20;
/// Entries from which it is said what they have in common.
const GROUPED: usize = 8;

/// Question asked about what an agent has added.
const BY_AGENT: &str = "An agent added it. k keep, f forget, n next, q not now [kfnq]";

pub(crate) fn run(ctx: &Shell, args: &TrustArgs) -> Result<Exit, Failure> {
    if !args.entries.is_empty() {
        let action = if args.revoke { VouchAction::Revoked } else { VouchAction::Trusted };
        let selectors = shell::selectors(&args.entries)?;
        if args.no_secret {
            return Ok(ctx.show(&ctx.memory.tending().let_out(&selectors, action)?));
        }
        return Ok(ctx.show(&ctx.memory.tending().trust_entries(&selectors, action)?));
    }
    if args.revoke {
        ctx.ui.show(&Shown { review: ctx.memory.tending().revoke_all()?, form: Form::Done });
        return Ok(Exit::Done);
    }
    let (Answer { view: review, problems }, form) = match args {
        _ if args.count || args.act.is_some() => (ctx.memory.tending().review()?, Form::Numbers),
        _ if args.all => (ctx.memory.tending().trust_all()?, Form::Done),
        _ if args.always => (ctx.memory.tending().trust_always()?, Form::Done),
        _ if ctx.may_ask() => ask(ctx)?,
        _ => (ctx.memory.tending().review()?, Form::List),
    };
    let exit = if review.is_empty() { Exit::Done } else { Exit::Nothing };
    ctx.ui.show(&Shown { review, form });
    Ok(ctx.complain(&problems, exit))
}

/// Asks about the texts one by one.
fn ask(ctx: &Shell) -> Result<(Answer<Review>, Form), Failure> {
    let mut current: Option<PathBuf> = None;
    let (mut rest, mut asked, mut group) = (false, 0, None);
    let answer =
        ctx.memory.tending().review_each(|store: &Store, question: VouchQuestion<'_>| {
            let (VouchQuestion::Awaits(item) | VouchQuestion::ByAgent(item)) = question;
            if current.as_ref() != Some(&store.dir) {
                ctx.ui.explain(&name(store.scope.name(), &store.dir.display().to_string()));
                (current, rest, group) = (Some(store.dir.clone()), false, None);
            }
            if !rest && asked == STRETCH {
                asked = 0;
                if shell::choose(ctx, "Go on? c yes, q not now [cq]", "cq")? != Some('c') {
                    return Ok(Reply::Stop);
                }
            }
            asked += 1;
            if group != item.group() {
                group = item.group();
                if let Some(group) = &group {
                    ctx.ui.explain(&format!("-- {group}"));
                }
            }
            item.in_words().for_each(|line| ctx.ui.explain(&line));
            if matches!(question, VouchQuestion::ByAgent(_)) {
                return Ok(match shell::choose(ctx, BY_AGENT, "kfnq")? {
                    Some('k') => Reply::Trust,
                    Some('f') => Reply::Forget,
                    Some('n') => Reply::Leave,
                    _ => Reply::Stop,
                });
            }
            // A "yes to all" does not cover texts with warnings, which the user has not seen yet.
            if rest && item.warnings.is_empty() {
                return Ok(Reply::Trust);
            }
            let (question, letters) =
                if item.is_entry() { (OF_ENTRY, "yndebaq") } else { (QUESTION, "ynbaq") };
            Ok(match shell::choose(ctx, question, letters)? {
                Some('y') => Reply::Trust,
                Some('a') => {
                    rest = true;
                    Reply::Trust
                }
                Some('n') => Reply::Leave,
                Some('d') => Reply::Forget,
                Some('e') => {
                    shell::line(ctx, "What should it say?")?.map_or(Reply::Leave, Reply::Reword)
                }
                Some('b') => Reply::Back,
                _ => Reply::Stop,
            })
        })?;
    Ok((answer, if current.is_some() { Form::Done } else { Form::List }))
}

/// The forms of output for people.
enum Form {
    /// Changes of trust.
    Done,
    /// Texts one by one.
    List,
    /// Counts only.
    Numbers,
}

/// Texts that await review, with the form of output.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    review: Review,
    #[serde(skip)]
    form: Form,
}

impl Document for Shown {
    fn schema(&self) -> &'static str {
        self.review.schema()
    }
}

impl Human for Shown {
    fn human(&self, ui: &Ui) {
        let stores = &self.review.stores;
        match self.form {
            Form::Done => self.review.done.iter().for_each(|done| of(ui, done)),
            Form::List => list(ui, stores),
            Form::Numbers => stores.iter().for_each(|store| numbers(ui, store)),
        }
    }
}

fn of(ui: &Ui, VouchDone { act, scope, dir, odd }: &VouchDone) {
    odd.iter().flat_map(AwaitingText::in_words).for_each(|line| ui.line(&line));
    let name = name(scope.name(), dir);
    ui.line(&match act {
        ActOf::Trusted(1) => format!("Trusted 1 entry of the {name}"),
        ActOf::Trusted(count) => format!("Trusted {count} entries of the {name}"),
        ActOf::Always => format!("Trusted from now on, whatever it holds: the {name}"),
        ActOf::Revoked(texts) => {
            format!("No longer trusted: {} of the {name}", view::count(*texts, "text"))
        }
    });
}

fn list(ui: &Ui, stores: &[StoreView]) {
    if stores.iter().all(|store| store.awaiting.is_empty()) {
        ui.note("Nothing awaits review");
    }
    for store in stores.iter().filter(|store| !store.by_agents.is_empty()) {
        ui.line(&format!("{}: added by agents since you looked", name(store.scope, &store.store)));
        store.by_agents.iter().flat_map(AwaitingText::in_words).for_each(|line| ui.line(&line));
        ui.note("pimem trust --review asks about each: keep or forget");
    }
    for store in stores.iter().filter(|store| !store.awaiting.is_empty()) {
        ui.line(&name(store.scope, &store.store));
        let is_long = store.awaiting.iter().filter(|text| text.is_entry()).count() >= GROUPED;
        for together in store.awaiting.chunk_by(|a, b| a.group() == b.group()) {
            let group = together.first().and_then(AwaitingText::group).filter(|_| is_long);
            if let Some(group) = group {
                ui.line(&format!("-- {group}: {}", together.len()));
            }
            together.iter().flat_map(AwaitingText::in_words).for_each(|line| ui.line(&line));
        }
        ui.note(if store.foreign {
            "The store belongs to another user; pimem trust --always vouches for it"
        } else if store.scope == Scope::Team.name() {
            "Withheld from agents and searches; trust one with pimem trust ID"
        } else {
            "Trust one with pimem trust ID, or all with pimem trust --all; drop one with pimem forget ID, \
             say it otherwise with pimem edit ID TEXT"
        });
    }
}

fn numbers(ui: &Ui, store: &StoreView) {
    let name = name(store.scope, &store.store);
    if store.whole {
        return ui.line(&format!("{name}: trusted as a whole"));
    }
    ui.line(&format!("{name}: {}", store.in_words));
    if let Some(path) = &store.ledger {
        ui.detail(&format!("ledger {path}, texts: {}", store.texts));
    }
}

impl Human for VouchedEntries {
    fn human(&self, ui: &Ui) {
        let verb = match self.action {
            VouchAction::Trusted => "Trusted",
            VouchAction::Revoked => "No longer trusted",
            VouchAction::LetOut => "Let out, as it holds no secret",
            VouchAction::KeptBack => "Withheld, as it looks like a secret",
        };
        for entry in &self.results {
            ui.line(&format!("{verb}: {}", view::labelled(entry.line(), entry.label())));
        }
    }
}

fn name(scope: &str, dir: &str) -> String {
    format!("{scope} store in {dir}")
}
