//! The help screens: commands in groups by what a person wants to do, and what to type in place of an
//! unknown command.

use std::fmt::Write as _;

use crate::{
    globals::Globals,
    ui::{self, Styled},
};
use clap::Args as _;

/// Widest line of a screen.
const WIDTH: usize = 80;

/// Commands that a person looks for together. The last group of the table is what is behind the
/// scenes.
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

/// Returns the first screen: what is needed every day.
pub(crate) fn screen(table: &[Group]) -> String {
    let mut text = "Memory for coding agents: what is not reinforced fades.\n\n\
         Usage: pimem COMMAND [OPTIONS]\n\n"
        .to_owned();
    let is_narrow = narrow().is_some();
    // Writing to a string cannot fail.
    for Group { title, lines } in table.iter().take(table.len() - 1) {
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
        "\npimem help COMMAND explains a command; pimem help --all lists the others and the\n\
         options that every command takes.\n",
    );
    text
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
pub(crate) fn everything(table: &[Group], definition: &clap::Command) -> String {
    let mut text = screen(table);
    text.truncate(text.trim_end().rfind("\n\n").map_or(text.len(), |end| end + 1));
    text.push_str("\n  Behind the scenes\n");
    for command in definition.get_subcommands().filter(|command| !command.is_hide_set()) {
        let name = command.get_name();
        if !everyday(table).any(|known| known == name) && name != "help" {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "    {name:<14}{about}");
        }
    }
    let globals = Globals::augment_args(clap::Command::new("pimem"));
    let globals = globals.mut_args(|arg| arg.hide_short_help(false)).disable_help_flag(true);
    let template = "\n{all-args}\n";
    let mut globals = globals.help_template(template).max_term_width(80);
    let _ = writeln!(text, "\n{}", globals.render_help().to_string().trim());
    text.push_str("\npimem help COMMAND explains a command. The formats are in pimem-format(5).\n");
    text
}

/// Returns the rows of a table.
pub(crate) fn rows(table: &[Group]) -> impl Iterator<Item = &Row> {
    table.iter().flat_map(|group| group.lines).flat_map(|line| line.commands)
}

/// Returns the names of the everyday commands.
pub(crate) fn everyday(table: &[Group]) -> impl Iterator<Item = &'static str> {
    rows(table.split_last().map_or(&[][..], |(_, rest)| rest)).map(|row| row.name)
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
    let mut near: Vec<(usize, bool, &str)> = commands
        .map(clap::Command::get_name)
        .map(|name| {
            let distance = strsim::osa_distance(&word, name);
            (distance, !everyday(table).any(|known| known == name), name)
        })
        .filter(|(.., name)| is_like(&word, name))
        .collect();
    near.sort_unstable();
    let best = near.first().map(|(distance, ..)| *distance);
    near.retain(|(distance, ..)| Some(*distance) == best);
    near.into_iter().take(2).map(|(.., name)| name.to_owned()).collect()
}

/// Returns true if a word may be a misspelling of a name: a third of its letters differ at most.
pub(crate) fn is_like(word: &str, name: &str) -> bool {
    let most = (word.chars().count() / 3).max(1);
    strsim::osa_distance(&word.to_lowercase(), name) <= most
}
