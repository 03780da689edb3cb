//! The answer to the Tab key. The scripts in `completions/` call it with the words of the command
//! line up to the cursor, and show what it prints: a value a line, with a description after a tab.
//! `:files` and `:directories` leave it to the shell.
//!
//! What a store cannot tell is left out, and nothing is said about it. Values go back into a command
//! line, so that only those are printed that no shell takes for more than a word. Texts that await
//! review are not shown.

mod values;

use std::{ffi::OsString, rc::Rc};

use clap::{Arg, ArgAction, Command, ValueEnum as _};
use pimem_core::safety::safe_text;
use pimem_engine::config::env::Env;

use self::values::Offer;
use crate::{
    globals::{Globals, ScopeChoice},
    shell::Shell,
    ui::{Color, Ui},
};

/// The first argument of a call. It is no command: help and man pages have none of it.
const NAME: &str = "__complete";

/// Maximum length of a description in characters.
const ABOUT: usize = 72;

/// Returns true if the arguments ask for completions.
pub(crate) fn is_meant(args: &[OsString]) -> bool {
    args.get(1).is_some_and(|name| name == NAME)
}

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

/// The end of a command line.
pub(crate) struct WordPlace<'a> {
    pub(crate) root: &'a Command,
    /// The last command that was named, with the names of all.
    pub(crate) command: &'a Command,
    pub(crate) path: Vec<&'a str>,
    /// Arguments before the end, with their values.
    pub(crate) given: Vec<(&'a Arg, String)>,
    pub(crate) wanted: WantedWord<'a>,
}

/// What the last word may become.
#[derive(Debug)]
pub(crate) enum WantedWord<'a> {
    /// A command, or a value of the argument that takes its place.
    Command(Option<&'a Arg>),
    Option,
    /// A value of an argument; `head` is the part of the word before it: `--state=`.
    Value {
        of: &'a Arg,
        head: String,
    },
    Nothing,
}

impl<'a> WordPlace<'a> {
    /// Reads the words before the last one, which begin with the program, and then the last one.
    /// `root` has to be built.
    pub(crate) fn of(root: &'a Command, words: &[String]) -> Self {
        let (last, before) = words.split_last().map_or(("", words), |(last, rest)| (last, rest));
        let mut place = Self {
            root,
            command: root,
            path: Vec::new(),
            given: Vec::new(),
            wanted: WantedWord::Nothing,
        };
        let (mut waiting, mut position, mut only_values) = (None, 0, false);
        for word in before.iter().skip(1) {
            // What looks like an option is no value, unless the argument says so.
            let is_value = |arg: &mut &Arg| !is_option(word) || arg.is_allow_hyphen_values_set();
            if let Some(arg) = waiting.take_if(is_value) {
                place.given.push((arg, word.clone()));
            } else if !only_values && word == "--" {
                only_values = true;
            } else if !only_values && is_option(word) {
                waiting = place.read_option(word);
            } else if !only_values && let Some(named) = place.command.find_subcommand(word) {
                (place.command, position) = (named, 0);
                place.path.push(named.get_name());
            } else if let Some(arg) = place.positional(position) {
                place.given.push((arg, word.clone()));
                position += usize::from(!takes_several(arg));
            }
        }
        place.wanted = place.wanted_at(waiting, position, only_values, last);
        place
    }

    fn wanted_at(
        &self,
        waiting: Option<&'a Arg>,
        position: usize,
        only_values: bool,
        last: &str,
    ) -> WantedWord<'a> {
        if let Some(of) = waiting {
            return WantedWord::Value { of, head: list_head(of, last).to_owned() };
        }
        if !only_values && last.starts_with('-') {
            return self.attached_value(last).unwrap_or(WantedWord::Option);
        }
        if !only_values && self.command.has_subcommands() {
            return WantedWord::Command(self.positional(position));
        }
        let value = |of| WantedWord::Value { of, head: String::new() };
        self.positional(position).map_or(WantedWord::Nothing, value)
    }

    /// Notes the options in a word. Returns the one whose value is the next word.
    fn read_option(&mut self, word: &str) -> Option<&'a Arg> {
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(n, v)| (n, Some(v)));
            let arg = self.long(name)?;
            if value.is_none() && needs_value(arg) {
                return Some(arg);
            }
            self.given.push((arg, value.unwrap_or_default().to_owned()));
            return None;
        }
        let mut letters = word.trim_start_matches('-').chars();
        while let Some(letter) = letters.next() {
            let arg = self.short(letter)?;
            let rest = letters.as_str();
            if !needs_value(arg) {
                self.given.push((arg, String::new()));
            } else if rest.is_empty() {
                return Some(arg);
            } else {
                self.given.push((arg, rest.trim_start_matches('=').to_owned()));
                return None;
            }
        }
        None
    }

    /// Returns the value that is attached to its option in the last word: `--state=a`, `-ca`.
    fn attached_value(&self, last: &str) -> Option<WantedWord<'a>> {
        let (head, of) = if let Some(long) = last.strip_prefix("--") {
            let (name, _) = long.split_once('=')?;
            (last.len() - long.len() + name.len() + 1, self.long(name)?)
        } else {
            let letter = last.chars().nth(1)?;
            let head = 1 + letter.len_utf8();
            let rest = last.get(head..).filter(|rest| !rest.is_empty())?;
            (head + usize::from(rest.starts_with('=')), self.short(letter)?)
        };
        let (head, value) =
            last.split_at_checked(head).filter(|_| of.get_action().takes_values())?;
        Some(WantedWord::Value { of, head: format!("{head}{}", list_head(of, value)) })
    }

    fn long(&self, name: &str) -> Option<&'a Arg> {
        self.command.get_arguments().find(|arg| {
            arg.get_long() == Some(name)
                || arg.get_all_aliases().is_some_and(|others| others.contains(&name))
        })
    }

    fn short(&self, letter: char) -> Option<&'a Arg> {
        self.command.get_arguments().find(|arg| arg.get_short() == Some(letter))
    }

    fn positional(&self, position: usize) -> Option<&'a Arg> {
        self.command.get_positionals().nth(position)
    }

    /// Returns true if an option can still be given.
    pub(crate) fn is_open(&self, arg: &Arg) -> bool {
        let repeats = matches!(arg.get_action(), ArgAction::Append | ArgAction::Count);
        repeats || self.given.iter().all(|(known, _)| known.get_id() != arg.get_id())
    }

    /// Returns the value that was given for an argument.
    pub(crate) fn value(&self, id: &str) -> Option<&str> {
        let given = self.given.iter().find(|(arg, _)| arg.get_id() == id);
        given.map(|(_, value)| value.as_str())
    }
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

fn needs_value(arg: &Arg) -> bool {
    arg.get_action().takes_values() && arg.get_num_args().is_none_or(|count| count.min_values() > 0)
}

fn takes_several(arg: &Arg) -> bool {
    arg.get_num_args().is_some_and(|count| count.max_values() > 1)
}

/// Returns the part of a list of values that is complete, with its delimiter.
fn list_head<'a>(arg: &Arg, value: &'a str) -> &'a str {
    let end = arg.get_value_delimiter().and_then(|delimiter| Some(value.rfind(delimiter)? + 1));
    end.and_then(|end| value.get(..end)).unwrap_or_default()
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

    fn program() -> Command {
        let option = |id: &'static str, letter| Arg::new(id).long(id).short(letter);
        let mut root = Command::new("p")
            .arg(option("dir", 'd').global(true))
            .arg(option("quiet", 'q').global(true).action(ArgAction::SetTrue))
            .subcommand(
                Command::new("list")
                    .alias("ls")
                    .arg(option("state", 's').action(ArgAction::Append).value_delimiter(','))
                    .arg(option("plan", 'p').num_args(0..=1)),
            )
            .subcommand(
                Command::new("config")
                    .subcommand(Command::new("set").arg(Arg::new("key")).arg(Arg::new("value"))),
            )
            .subcommand(Command::new("pin").arg(Arg::new("entries").num_args(1..)))
            .subcommand(
                Command::new("trust")
                    .arg(Arg::new("entries").num_args(0..))
                    .subcommand(Command::new("status")),
            );
        root.build();
        root
    }

    #[test]
    fn what_is_wanted() {
        let root = program();
        for (line, want) in [
            ("p ", " command"),
            ("p -", " option"),
            ("p --dir ", " dir"),
            ("p --dir=", " dir --dir="),
            ("p -qd", " option"),
            ("p -dx", " dir -d"),
            ("p -d=x", " dir -d="),
            ("p -q --dir x li", " command"),
            ("p list --dir", "list option"),
            ("p list ", "list nothing"),
            ("p list --state ", "list state"),
            ("p ls --state a,b", "list state a,"),
            ("p list --state=a,b", "list state --state=a,"),
            ("p list -sa,", "list state -sa,"),
            ("p list --plan ", "list nothing"),
            ("p list --unknown ", "list nothing"),
            ("p --dir list ", " command"),
            ("p -qdlist ", " command"),
            ("p -qd list config ", "config command"),
            ("p config set ", "config set key"),
            ("p config set a -q ", "config set value"),
            ("p config set a b ", "config set nothing"),
            ("p config set -- -", "config set key"),
            ("p pin a - ", "pin entries"),
            ("p pin a b -- -x", "pin entries"),
            ("p trust ", "trust command entries"),
            ("p trust a st", "trust command entries"),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let place = WordPlace::of(&root, &words);
            let wanted = match &place.wanted {
                WantedWord::Command(or) => {
                    format!("command {}", or.map_or("", |or| or.get_id().as_str()))
                }
                WantedWord::Option => "option".to_owned(),
                WantedWord::Value { of, head } => format!("{} {head}", of.get_id()),
                WantedWord::Nothing => "nothing".to_owned(),
            };
            let found = format!("{} {}", place.path.join(" "), wanted.trim());
            assert_eq!(found, want, "{line:?}");
        }
    }

    #[test]
    fn what_was_given() {
        let root = program();
        let words = ["p", "-qdx", "list", "-s", "a", "--state=b", ""].map(str::to_owned);
        let place = WordPlace::of(&root, &words);
        let given: Vec<_> =
            place.given.iter().map(|(arg, value)| format!("{}={value}", arg.get_id())).collect();
        assert_eq!(given, ["quiet=", "dir=x", "state=a", "state=b"]);
        let is_open = |id: &str| {
            let arg = place.command.get_arguments().find(|arg| arg.get_id() == id).unwrap();
            place.is_open(arg)
        };
        assert!(is_open("state") && is_open("plan") && !is_open("dir"));
        assert_eq!((place.value("dir"), place.value("plan")), (Some("x"), None));
    }
}
