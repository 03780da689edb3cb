//! Errors of usage, in the form of all other errors: a sentence and hints.

use std::{
    error::Error as _,
    ffi::OsString,
    num::{ParseFloatError, ParseIntError},
};

use clap::{
    Command, Error, ValueEnum as _,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::{
    complete::place::WordPlace,
    help::{self, Group},
    ui::Color,
};
use pimem_engine::error::{Failure, FailureKind};

/// The arguments of a call that could not be parsed, and what they say all the same.
pub(crate) struct CallWords<'a> {
    root: &'a Command,
    given: Vec<String>,
    place: WordPlace<'a>,
}

/// Returns the definition with what each command has of the global options.
pub(crate) fn built(mut definition: Command) -> Command {
    definition.build();
    definition
}

impl<'a> CallWords<'a> {
    /// Reads the arguments by a definition that is [`built`].
    pub(crate) fn of(root: &'a Command, args: &[OsString]) -> Self {
        let words = args.iter().map(|arg| arg.to_string_lossy().into_owned());
        // The last word counts as unfinished.
        let words: Vec<String> = words.chain([String::new()]).collect();
        let place = WordPlace::of(root, &words);
        Self { root, given: words, place }
    }

    pub(crate) fn json(&self) -> bool {
        // `help` knows no options.
        let is_help = self.place.path.first().is_some_and(|name| *name == "help");
        self.place.value("json").is_some() || is_help && self.given.iter().any(|w| w == "--json")
    }

    pub(crate) fn color(&self) -> Color {
        let name = self.place.value("color");
        name.and_then(|name| Color::from_str(name, false).ok()).unwrap_or_default()
    }

    /// Returns an error of the parser as a failure.
    pub(crate) fn failure(&self, error: &Error, table: &[Group]) -> Failure {
        let Self { root, given: words, place } = self;
        let names = match place.path.as_slice() {
            ["help", rest @ ..] | rest => rest.join(" "),
        };
        let called = |name: &str| {
            let words = ["pimem", names.as_str(), name].into_iter().filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(" ")
        };
        let mut hints = Vec::new();
        if let Some(word) = string(error, ContextKind::InvalidSubcommand)
            && error.kind() == ErrorKind::InvalidSubcommand
        {
            let below = match place.path.as_slice() {
                ["help"] => *root,
                _ => place.command,
            };
            let meant = help::suggestions(table, &word, below);
            hints.extend(meant.iter().map(|name| format!("did you mean {}?", called(name))));
            let all = if names.is_empty() { "--all".to_owned() } else { names.clone() };
            hints.push(format!("pimem help {all} lists all commands"));
            let message =
                format!("there is no command {:?}", format!("{names} {word}").trim_start());
            return Failure { hints, ..Failure::new(FailureKind::Usage, message, "") };
        }
        let message =
            sentence(error, place, words, if names.is_empty() { "pimem" } else { &names })
                .unwrap_or_else(|| {
                    let said = error.render().to_string();
                    let said = said.split("\n\n").next().unwrap_or_default();
                    said.trim_start_matches("error: ")
                        .split_whitespace()
                        .collect::<Vec<_>>()
                        .join(" ")
                });
        let like = [
            (ContextKind::SuggestedArg, ""),
            (ContextKind::SuggestedValue, ""),
            (ContextKind::SuggestedSubcommand, "the command "),
        ];
        let wrong = string(error, ContextKind::InvalidValue).unwrap_or_default();
        for (kind, what) in like {
            // The parser takes values for alike that have few letters in common.
            let is_like =
                |name: &String| kind != ContextKind::SuggestedValue || help::is_like(&wrong, name);
            let meant = strings(error, kind).into_iter().filter(is_like);
            hints.extend(meant.map(|name| format!("did you mean {what}{name}?")));
        }
        let is_negative =
            string(error, ContextKind::InvalidArg).is_some_and(|arg| is_negative(&arg));
        if let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested)
            && !is_negative
        {
            hints.extend(tips.iter().map(ToString::to_string));
        }
        let help =
            if names.is_empty() { "pimem help".to_owned() } else { format!("pimem help {names}") };
        hints.push(format!("{help} explains it"));
        Failure { hints, ..Failure::new(FailureKind::Usage, message, "") }
    }
}

/// Says what is wrong; `None` for what has no sentence here.
fn sentence(
    error: &Error,
    place: &WordPlace<'_>,
    words: &[String],
    command: &str,
) -> Option<String> {
    let args = strings(error, ContextKind::InvalidArg);
    let arg = args.first().map(String::as_str);
    let value = string(error, ContextKind::InvalidValue);
    let choices = strings(error, ContextKind::ValidValue).join(", ");
    Some(match error.kind() {
        ErrorKind::MissingRequiredArgument => format!("{command} needs {}", args.join(" and ")),
        ErrorKind::UnknownArgument => match arg? {
            number if is_negative(number) => {
                let at = words.iter().position(|word| word == number)?;
                match words.get(at.wrapping_sub(1)).filter(|word| word.starts_with('-')) {
                    Some(option) => format!("{option} cannot be {number:?}: it is negative"),
                    None => format!("{command} does not take {number:?}"),
                }
            }
            option if option.starts_with('-') => format!("{command} has no option {option:?}"),
            word => format!("{command} does not take {word:?}"),
        },
        ErrorKind::InvalidValue => match (value.as_deref(), choices.as_str()) {
            (None | Some(""), "") => format!("{} needs a value", arg?),
            (None | Some(""), choices) => format!("{} needs a value: one of {choices}", arg?),
            (Some(value), "") => format!("{} cannot be {value:?}", arg?),
            (Some(value), choices) => {
                format!("{} cannot be {value:?}: it takes one of {choices}", arg?)
            }
        },
        ErrorKind::ValueValidation => {
            let why = error.source().map(reason).unwrap_or_default();
            format!("{} cannot be {:?}{why}", arg?, value?)
        }
        ErrorKind::TooManyValues => format!("{} does not take {:?}", arg?, value?),
        ErrorKind::ArgumentConflict => {
            let others = strings(error, ContextKind::PriorArg);
            match (arg?, others.join(" and ")) {
                (arg, others) if arg == others => format!("{arg} can be given only once"),
                (arg, others) => format!("{arg} cannot be used with {others}"),
            }
        }
        ErrorKind::InvalidUtf8 => {
            let damaged = |word: &&String| word.contains(char::REPLACEMENT_CHARACTER);
            let word = words.iter().find(damaged)?;
            format!("{command} does not take {word:?}: it is not UTF-8")
        }
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let commands = place.command.get_subcommands().filter(|one| !one.is_hide_set());
            let names: Vec<&str> = commands.map(Command::get_name).collect();
            let names: Vec<&str> = names.into_iter().filter(|name| *name != "help").collect();
            match place.path.as_slice() {
                [] => format!("{command} needs a command"),
                _ => format!("{command} needs a command: {}", names.join(", ")),
            }
        }
        _ => return None,
    })
}

/// Returns true for a number below 0.
fn is_negative(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| rest.parse::<f64>().is_ok())
}

/// Says why a value was not understood.
fn reason(why: &(dyn std::error::Error + 'static)) -> String {
    let said = why.to_string();
    let bounds = said.split_once(" is not in ").and_then(|(_, range)| range.split_once("..="));
    if why.is::<ParseIntError>() {
        ": it takes a whole number".to_owned()
    } else if why.is::<ParseFloatError>() {
        ": it takes a number".to_owned()
    } else if let Some((least, most)) = bounds {
        format!(": it takes a whole number from {least} to {most}")
    } else {
        format!(": {said}")
    }
}

fn strings(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(one)) => vec![one.clone()],
        Some(ContextValue::Strings(all)) => all.clone(),
        _ => Vec::new(),
    }
}

fn string(error: &Error, kind: ContextKind) -> Option<String> {
    strings(error, kind).into_iter().next()
}
