//! `pimem trust`: look at what came by git, and say that agents may see it.
//!
//! What is trusted is a text as it was shown, so nothing has to be locked meanwhile: a line that
//! changes between question and answer is another text.

use std::io::{self, IsTerminal};

use serde_json::{Value, json};

use crate::{exit::Exit, input, shell::Shell};
use pimem_core::{model::hash::IdMap, view::Entries};
use pimem_engine::{
    error::{Failure, Kind},
    memory::{
        self,
        review::{Held, Item, look},
        selector,
    },
    store::{
        read::Problem,
        snapshot::Store,
        trust::{self, Key},
    },
};

/// Look at what came by git, and let agents see it
///
/// Entries that came by git, in a clone or with a pull, and those that may have been pasted, are shown to
/// people and to no agent until somebody has looked at them. Each is shown and asked about; without a
/// terminal, they are only listed. What is trusted is the text: when it changes, it awaits review again.
///
/// Lines that you write by hand need no review, in a store that was made on this machine or of which
/// you have reviewed everything: git does not have them, or has them by a commit that you made here
/// before it had them from anywhere else. What merge, pull, rebase, checkout and the like bring, and
/// whatever is in doubt, awaits review; while a merge or rebase stands still, all that is new does.
/// Your own store is trusted as a whole. Exit code 1 says that something awaits review.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the command line")]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  pimem trust                  one by one
  pimem trust 262e38a          this entry
  pimem trust --all            a repository of your own, on a second machine
  pimem trust --always         whatever is in this store, now and later
  pimem trust --revoke         all of it, from the beginning
  pimem trust status           how much awaits review")]
pub(crate) struct Args {
    /// Trust these entries (`-` reads them from standard input)
    #[arg(value_name = "ENTRY")]
    entries: Vec<String>,
    /// Show what awaits review, and ask; also done when nothing else is asked for
    #[arg(long, conflicts_with_all = ["all", "always", "revoke", "entries"])]
    review: bool,
    /// Trust all that is there now, notes, logs and the archive too
    #[arg(long, conflicts_with_all = ["revoke", "entries"])]
    all: bool,
    /// Trust this store as your own, whatever git brings and whoever owns it: on a second computer or
    /// in a container. Settings that decide what is run still await review
    #[arg(long, conflicts_with_all = ["all", "revoke", "entries"])]
    always: bool,
    /// Take trust back, from these entries or from everything
    #[arg(long)]
    revoke: bool,
    #[command(subcommand)]
    act: Option<Act>,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Say how much awaits review
    Status,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    if !args.entries.is_empty() {
        return chosen(ctx, args);
    }
    if args.revoke {
        return revoke_all(ctx);
    }
    let stores = ctx.strict_readers()?;
    let mut held: Vec<Held> = stores.into_iter().map(|store| look(ctx, store)).collect();
    match args.act {
        None if args.all => all(ctx, &mut held)?,
        None if args.always => always(ctx, &mut held)?,
        _ if ctx.ui.json => {}
        Some(Act::Status) => held.iter().for_each(|held| status(ctx, held)),
        None if io::stdin().is_terminal() => ask(ctx, &mut held)?,
        None => list(ctx, &held),
    }
    if ctx.ui.json {
        ctx.ui.document(&document(&held));
    }
    let problems: Vec<Problem> = held.iter().flat_map(|held| held.problems.clone()).collect();
    let done = held.iter().all(|held| held.items.is_empty());
    Ok(ctx.complain(&problems, if done { Exit::Done } else { Exit::Nothing }))
}

/// Where a store is, and whose.
fn name(store: &Store) -> String {
    format!("{} store in {}", store.scope.name(), store.dir.display())
}

fn status(ctx: &Shell, held: &Held) {
    let (store, name) = (&held.store, name(&held.store));
    if store.trust.is_whole() {
        return ctx.ui.line(&format!("{name}: trusted as a whole"));
    }
    ctx.ui.line(&format!("{name}: {}", held.told()));
    if let Some(path) = store.trust.ledger() {
        ctx.ui.detail(&format!("ledger {}, texts: {}", path.display(), store.trust.texts()));
    }
}

fn list(ctx: &Shell, held: &[Held]) {
    if held.iter().all(|held| held.items.is_empty()) {
        ctx.ui.note("Nothing awaits review");
    }
    for Held { store, items, .. } in held.iter().filter(|held| !held.items.is_empty()) {
        ctx.ui.line(&name(store));
        items.iter().flat_map(Item::told).for_each(|line| ctx.ui.line(&line));
        ctx.ui.note(if store.trust.is_foreign() {
            "The store belongs to another user; pimem trust --always vouches for it"
        } else {
            "Trust one with pimem trust ID, or all with pimem trust --all"
        });
    }
}

/// Asks about one after the other. Each answer is kept at once.
fn ask(ctx: &Shell, held: &mut [Held]) -> Result<(), Failure> {
    if held.iter().all(|held| held.items.is_empty()) {
        list(ctx, held);
    }
    for Held { store, items, .. } in held {
        if items.is_empty() {
            continue;
        }
        refuse_foreign(store)?;
        ctx.ui.explain(&name(store));
        let (mut rest, mut left) = (false, Vec::new());
        let mut waiting = std::mem::take(items).into_iter();
        while let Some(item) = waiting.next() {
            item.told().iter().for_each(|line| ctx.ui.explain(line));
            // Whoever says yes to all has not seen what is wrong with one.
            let known = (rest && item.warnings.is_empty()).then_some('y');
            match known.map_or_else(|| input::choose(ctx, QUESTION, "ynaq"), |y| Ok(Some(y)))? {
                Some('y') => store.trust.record(&item.keys)?,
                Some('a') => {
                    rest = true;
                    store.trust.record(&item.keys)?;
                }
                Some('n') => left.push(item),
                _ => {
                    left.push(item);
                    left.extend(waiting.by_ref());
                }
            }
        }
        if left.is_empty() {
            store.trust.record(&[made(store)])?;
        }
        *items = left;
    }
    Ok(())
}

/// That all of a store was reviewed, so that what is written in it from now on can be told from it.
fn made(store: &Store) -> Key {
    store.trust.text(trust::Kind::Made, "")
}

/// What is asked about each.
const QUESTION: &str =
    "Trust it? y yes, n no, a this and what follows without a warning, q not now [ynaq]";

/// Trusts everything that was read, the archive too.
fn all(ctx: &Shell, held: &mut [Held]) -> Result<(), Failure> {
    for Held { store, items, problems, .. } in
        held.iter_mut().filter(|held| !held.store.trust.is_whole())
    {
        refuse_foreign(store)?;
        let archive = store.read_archive(&ctx.config.categories);
        problems.extend(archive.problems.iter().cloned());
        let archive = archive.placed(store, &ctx.config.categories);
        let name = |category| &ctx.config.categories.spec(category).name;
        let archived = archive.iter().map(|e| store.trust.entry(name(e.category), &e.text));
        let keys: Vec<Key> =
            items.iter().flat_map(|item| item.keys.clone()).chain(archived).collect();
        store.trust.record(&[keys, vec![made(store)]].concat())?;
        warn(ctx, items);
        let count = items.iter().filter(|item| item.value.get("id").is_some()).count();
        let s = if count == 1 { "y" } else { "ies" };
        if !ctx.ui.json {
            ctx.ui.line(&format!("Trusted {count} entr{s} of the {}", self::name(store)));
        }
        items.clear();
    }
    Ok(())
}

/// Shows what is odd about what is trusted without a look at it.
fn warn(ctx: &Shell, items: &[Item]) {
    for item in items.iter().filter(|item| !item.warnings.is_empty() && !ctx.ui.json) {
        item.told().iter().for_each(|line| ctx.ui.line(line));
    }
}

/// Vouches for stores, whatever they will hold.
fn always(ctx: &Shell, held: &mut [Held]) -> Result<(), Failure> {
    for Held { store, items, .. } in held.iter_mut().filter(|held| !held.store.trust.is_own()) {
        store.trust.record(&[store.trust.text(trust::Kind::Always, "")])?;
        warn(ctx, items);
        if !ctx.ui.json {
            ctx.ui.line(&format!("Trusted from now on, whatever it holds: the {}", name(store)));
        }
    }
    // What that does not cover still awaits review.
    for held in held {
        let store = Store { trust: held.store.trust.anew(), ..held.store.clone() };
        *held = look(ctx, store);
    }
    Ok(())
}

/// The key of an entry, and the one that says that git brought it.
type Pair = (Key, Key);

/// Trusts single entries, or no longer.
fn chosen(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let stores = ctx.strict_readers()?;
    let (board, snapshots) = ctx.board(&stores);
    let unread = memory::problems(&snapshots);
    let entries = Entries::new(ctx.now, &ctx.config.categories, &board);
    let mut keys: IdMap<u64, (&Store, Vec<Pair>)> = IdMap::default();
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    for selector in input::selectors(&args.entries)? {
        let row = selector::entry(ctx, &board, &unread, &selector)?;
        let (at, store) = (0..)
            .zip(&stores)
            .find(|(_, store)| store.scope == row.entry.scope && !store.trust.is_whole())
            .ok_or_else(|| {
                let message =
                    format!("{} is in a store that is trusted as a whole", entries.line(row));
                Failure::new(
                    Kind::Refused,
                    message,
                    "pimem trust --revoke ends that, but for your own",
                )
            })?;
        refuse_foreign(store)?;
        let (category, text) = (entries.category(row), row.entry.text.as_str());
        let pair = (store.trust.entry(category, text), store.trust.brought(category, text));
        keys.entry(at).or_insert((store, Vec::new())).1.push(pair);
        rows.push(row);
        values.push(entries.json(row));
    }
    for (store, keys) in keys.values() {
        let (keys, brought): (Vec<Key>, Vec<Key>) = keys.iter().copied().unzip();
        if args.revoke {
            // Or else it would be found to have been typed here.
            store.trust.record(&brought)?;
            store.trust.forget(Some(&keys))?;
        } else {
            store.trust.record(&keys)?;
        }
    }
    if ctx.ui.json {
        let action = if args.revoke { "revoked" } else { "trusted" };
        let document = json!({"schema": "pimem.trust/1", "action": action, "results": values});
        ctx.ui.document(&document);
    } else {
        let verb = if args.revoke { "No longer trusted" } else { "Trusted" };
        for row in rows {
            ctx.ui.line(&format!("{verb}: {}", entries.line(row)));
        }
    }
    Ok(ctx.complain(&unread, Exit::Done))
}

/// Takes back all trust in the stores that need any.
fn revoke_all(ctx: &Shell) -> Result<Exit, Failure> {
    let stores = ctx.strict_readers()?;
    for store in stores.iter().filter(|store| !store.trust.is_own()) {
        let count = store.trust.forget(None)?;
        if !ctx.ui.json {
            ctx.ui.line(&format!("No longer trusted: {count} texts of the {}", name(store)));
        }
    }
    if ctx.ui.json {
        let held: Vec<Held> =
            ctx.strict_readers()?.into_iter().map(|store| look(ctx, store)).collect();
        ctx.ui.document(&document(&held));
    }
    Ok(Exit::Done)
}

fn refuse_foreign(store: &Store) -> Result<(), Failure> {
    if !store.trust.is_foreign() {
        return Ok(());
    }
    let message = format!("{} belongs to another user", store.dir.display());
    let hint = "vouch for it with pimem trust --always, or make it yours with chown";
    Err(Failure::new(Kind::Refused, message, hint))
}

fn document(held: &[Held]) -> Value {
    let store = |Held { store, entries, items, .. }: &Held| {
        json!({
            "scope": store.scope.name(),
            "store": store.dir.display().to_string(),
            "whole": store.trust.is_whole(),
            "foreign": store.trust.is_foreign(),
            "ledger": store.trust.ledger().map(|path| path.display().to_string()),
            "entries": entries,
            "awaiting": items.iter().map(|item| item.value.clone()).collect::<Vec<Value>>(),
        })
    };
    let stores: Vec<Value> = held.iter().map(store).collect();
    json!({"schema": "pimem.trust/1", "stores": stores})
}
