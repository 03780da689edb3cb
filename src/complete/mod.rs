//! The answer to the Tab key. The scripts in `completions/` call it with the words of the command
//! line up to the cursor, and show what it prints: a value a line, with a description after a tab.
//! `:files` and `:directories` leave it to the shell.
//!
//! What a store cannot tell is left out, and nothing is said about it. Values go back into a command
//! line, so that only those are printed that no shell takes for more than a word. Texts that await
//! review are not shown.

pub(crate) mod place;
mod values;

use std::{ffi::OsString, rc::Rc};

use clap::{Arg, Command, ValueEnum as _};

use self::{
    place::{WantedWord, WordPlace},
    values::Offer,
};
use crate::{
    globals::{Globals, ScopeChoice},
    shell::Shell,
    ui::{Color, Ui},
};
use pimem_core::safety::safe_text;
use pimem_engine::config::env::Env;

/// The first argument of a call. It is no command: help and man pages have none of it.
const NAME: &str = "__complete";

/// Maximum length of a description in characters.
const ABOUT: usize = 72;

/// Returns true if the arguments ask for completions.
pub(crate) fn is_meant(args: &[OsString]) -> bool {
    args.get(1).is_some_and(|name| name == NAME)
}

/// Returns the answer to a call.
pub(crate) fn answer(args: &[OsString], env: Env, mut definition: Command) -> String {
    definition.build();
    let words = args.iter().skip(2).map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.collect();
    let place = WordPlace::of(&definition, &words);
    let last = words.last().map_or("", String::as_str);
    let shell = opened(&place, env);
    let (mut head, mut typed) = ("", last);
    let mut offers = match &place.wanted {
        WantedWord::Command(or) => {
            let mut offers = commands(place.command, place.path.is_empty());
            offers.extend(or.iter().flat_map(|arg| values::of(&place, arg, shell.as_ref())));
            offers
        }
        WantedWord::Value { of, head: start } => {
            if let Some(rest) = last.strip_prefix(start.as_str()) {
                (head, typed) = (start, rest);
            }
            values::of(&place, of, shell.as_ref())
        }
        WantedWord::Option => options(&place),
        WantedWord::Nothing => Vec::new(),
    };
    // Options are offered unasked where nothing else fits.
    if offers.is_empty() && last.is_empty() && !matches!(place.wanted, WantedWord::Value { .. }) {
        offers = options(&place);
    }
    let mut text = String::new();
    for Offer { value, about } in offers {
        if [values::FILES, values::DIRECTORIES].contains(&value.as_str()) {
            text.push_str(&format!("{value}\n"));
        } else if value.starts_with(typed) && is_word(&value) {
            let about = safe_text::terminal(about.lines().next().unwrap_or_default());
            text.push_str(&format!("{head}{value}\t{}\n", shortened(&about)));
        }
    }
    text
}

/// Opens the stores that the command line means; `None` if there are none.
fn opened(place: &WordPlace<'_>, env: Env) -> Option<Shell> {
    let dir = place.value("dir").map(|dir| match dir.strip_prefix("~/") {
        Some(rest) => env.home.clone().unwrap_or_default().join(rest),
        None => dir.into(),
    });
    let scope = place.value("scope").and_then(|name| ScopeChoice::from_str(name, false).ok());
    let user = place.value("user").is_some();
    let globals = Globals { dir, user, scope, ..Globals::default() };
    let ui = Rc::new(Ui::new(&env, false, true, false, Color::Never));
    Shell::new(globals, env, ui).ok()
}

/// Returns the commands below one. The definition of the program begins with those of every day.
fn commands(of: &Command, is_root: bool) -> Vec<Offer> {
    let open = of.get_subcommands().filter(|command| !command.is_hide_set());
    let open = open.filter(|command| is_root || command.get_name() != "help");
    let about = |command: &Command| command.get_about().map(ToString::to_string);
    let offer =
        |command: &Command| Offer::new(command.get_name(), about(command).unwrap_or_default());
    open.map(offer).collect()
}

fn options(place: &WordPlace<'_>) -> Vec<Offer> {
    let open = |arg: &&Arg| !arg.is_hide_set() && place.is_open(arg);
    let about = |arg: &Arg| arg.get_help().map(ToString::to_string).unwrap_or_default();
    let offer = |arg: &Arg| Some(Offer::new(format!("--{}", arg.get_long()?), about(arg)));
    place.command.get_arguments().filter(open).filter_map(offer).collect()
}

/// Returns true if shells take a text for one word as it is.
fn is_word(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@+,%".contains(c);
    !text.is_empty() && text.chars().all(plain)
}

fn shortened(text: &str) -> String {
    if text.chars().nth(ABOUT).is_none() {
        return text.to_owned();
    }
    let start: String = text.chars().take(ABOUT - 1).collect();
    format!("{}…", start.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for word in ["lesson", "--state", "ollama/bge:33m", "größe", "2026-06-30"] {
            assert!(is_word(word), "{word}");
        }
        for other in
            ["", "a b", "$(id)", "a;b", "`id`", "a'b", "~root", "\u{1b}[m", "a\u{202e}b", "*"]
        {
            assert!(!is_word(other), "{other}");
        }
    }
}
