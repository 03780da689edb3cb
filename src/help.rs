//! The help screens: commands in groups by what a person wants to do, and what to type in place of an
//! unknown command; and errors of usage, in the form of all other errors: a sentence and hints.

use std::{
    error::Error as _,
    ffi::OsString,
    fmt::Write as _,
    num::{ParseFloatError, ParseIntError},
};

use clap::{
    Args as _, Command, Error, ValueEnum as _,
    error::{ContextKind, ContextValue, ErrorKind},
};
use pimem_engine::error::{Failure, FailureKind};

use crate::{
    complete::WordPlace,
    globals::Globals,
    help,
    ui::{self, Color, Styled},
};

/// Widest line of a screen.
const WIDTH: usize = 80;

/// Commands that a person looks for together.
pub(crate) struct Group {
    pub(crate) title: &'static str,
    pub(crate) lines: &'static [HelpLine],
}

/// A line of the first screen.
pub(crate) struct HelpLine {
    pub(crate) about: &'static str,
    pub(crate) commands: &'static [Row],
}

/// What the table of commands says of one of them.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// Words for what it does, by which it is looked for.
    pub(crate) words: &'static str,
    /// True if it reads mirrors of the team.
    pub(crate) reads_team: bool,
    /// The name by which `undo` tells of it.
    pub(crate) undone_as: Option<&'static str>,
    pub(crate) unusable: UnusableNotice,
}

impl Row {
    pub(crate) const fn named(name: &'static str) -> Self {
        let unusable = UnusableNotice::InShort;
        Self { name, words: "", reads_team: false, undone_as: None, unusable }
    }
}

/// How a command reports settings that are left out.
#[derive(Debug, Clone, Copy)]
pub(crate) enum UnusableNotice {
    /// In one line.
    InShort,
    /// Each with its place.
    Each,
    /// Among its findings.
    Finding,
}

/// Returns the first screen: what is needed every day. The line `first` is what comes before that.
pub(crate) fn screen(table: &[Group], first: &str) -> String {
    let mut text = format!(
        "Memory for coding agents: what is not reinforced fades.\n{first}\n\
         Usage: pimem COMMAND [OPTIONS]\n\n"
    );
    let is_narrow = narrow().is_some();
    // Writing to a string cannot fail.
    for Group { title, lines } in table {
        if is_narrow {
            let _ = writeln!(text, "{title}");
        }
        for (number, HelpLine { about, commands }) in lines.iter().enumerate() {
            let names = commands.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
            let group = if number == 0 { title } else { "" };
            let _ = if is_narrow {
                writeln!(text, "  {names}\n    {about}")
            } else {
                writeln!(text, "  {group:<10}{names:<21}{about}")
            };
        }
    }
    text.push_str(
        "\npimem help COMMAND explains a command; pimem help --all has the options that\n\
         every command takes.\n",
    );
    text
}

/// Hides from `--help` what `-h` hides: options that seldom matter, which the man pages have.
pub(crate) fn brief(command: clap::Command) -> clap::Command {
    let shown = command.mut_args(|arg| {
        let is_hidden = arg.is_hide_short_help_set();
        arg.hide_long_help(is_hidden)
    });
    shown.mut_subcommands(brief)
}

/// Returns the width of a terminal that is too narrow for the screens.
fn narrow() -> Option<usize> {
    ui::stdout_width().filter(|width| *width < WIDTH)
}

/// Breaks the lines of a screen at words where the terminal is narrower than they are.
pub(crate) fn fitted(screen: String) -> String {
    let Some(width) = narrow() else { return screen };
    let lines = screen.lines().map(|line| {
        let indent = line.len() - line.trim_start().len();
        Styled::from(line).hanging(width, indent, false).join("\n") + "\n"
    });
    lines.collect()
}

/// Returns the screen of all commands, with the global options.
pub(crate) fn everything(table: &[Group]) -> String {
    let mut text = screen(table, "");
    text.truncate(text.trim_end().rfind("\n\n").map_or(text.len(), |end| end + 1));
    let globals = Globals::augment_args(clap::Command::new("pimem"));
    let globals = globals.mut_args(|arg| arg.hide_short_help(false)).disable_help_flag(true);
    let template = "\n{all-args}\n";
    let mut globals = globals.help_template(template).max_term_width(80);
    let _ = writeln!(text, "\n{}", globals.render_help().to_string().trim());
    text.push_str("\npimem help COMMAND explains a command. The formats are in pimem-format(5).\n");
    text
}

pub(crate) fn rows(table: &[Group]) -> impl Iterator<Item = &Row> {
    table.iter().flat_map(|group| group.lines).flat_map(|line| line.commands)
}

/// Former names, and what does the same now.
const FORMER: &[(&str, &str)] = &[
    ("show", "why ENTRY"),
    ("score", "why --all"),
    ("forecast", "why --ahead"),
    ("decay", "why --ahead --policy ebbinghaus, and dream --apply"),
    ("stats", "status --verbose"),
    ("topics", "list --topics"),
    ("diff", "report --since"),
    ("read", "log, todo or note without a text"),
    ("session", "dream index, list --sessions and search --in sessions"),
    ("remove", "forget, or forget --archive"),
    ("purge", "forget --destroy"),
    ("doctor", "check"),
    ("eval", "model eval"),
    ("config schema", "config show --schema"),
    ("config prompt", "config show --prompt"),
    ("config check-model", "model check"),
    ("telemetry summary", "telemetry"),
    ("telemetry usage", "telemetry --by"),
    ("telemetry never-used", "telemetry --never-used"),
];

/// Returns what does now what a command did that is no more.
fn former(name: &str) -> Option<&'static str> {
    FORMER.iter().find(|(known, _)| *known == name).map(|(_, now)| *now)
}

/// Returns the commands below `definition` that may be meant by a word that is none, best first: one that it names by
/// what it does, else those spelled like it.
pub(crate) fn suggestions(table: &[Group], word: &str, definition: &clap::Command) -> Vec<String> {
    let word = word.to_lowercase();
    let means = |row: &&Row| {
        definition.find_subcommand(row.name).is_some()
            && row.words.split(' ').any(|known| known == word)
    };
    if let Some(row) = rows(table).find(means) {
        return vec![row.name.to_owned()];
    }
    let commands = definition.get_subcommands().filter(|command| !command.is_hide_set());
    let mut near: Vec<(usize, &str)> = commands
        .map(clap::Command::get_name)
        .map(|name| (strsim::osa_distance(&word, name), name))
        .filter(|(_, name)| is_like(&word, name))
        .collect();
    near.sort_unstable();
    let best = near.first().map(|(distance, _)| *distance);
    near.retain(|(distance, _)| Some(*distance) == best);
    near.into_iter().take(2).map(|(_, name)| name.to_owned()).collect()
}

/// Returns true if a word may be a misspelling of a name: a third of its letters differ at most.
fn is_like(word: &str, name: &str) -> bool {
    let most = (word.chars().count() / 3).max(1);
    strsim::osa_distance(&word.to_lowercase(), name) <= most
}

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

    /// Returns true if the call is about the program as a whole.
    pub(crate) fn names_no_command(&self) -> bool {
        matches!(self.place.path.as_slice(), [] | ["help"])
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
            let whole = format!("{names} {word}").trim_start().to_owned();
            if let Some(now) = former(&whole) {
                hints.push(format!("it is now pimem {now}"));
            } else {
                let meant = help::suggestions(table, &word, below);
                hints.extend(meant.iter().map(|name| format!("did you mean {}?", called(name))));
            }
            // No command has a space.
            if word.contains(' ') && below.find_subcommand("add").is_some() {
                hints.push(format!("did you mean {} {word:?}?", called("add")));
            }
            let all = if names.is_empty() { "--all".to_owned() } else { names.clone() };
            hints.push(format!("pimem help {all} lists all commands"));
            let message = format!("there is no command {whole:?}");
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
