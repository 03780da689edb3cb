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

/// Commands with a few words each. Those on one line belong together.
type Line = (&'static [&'static str], &'static str);

/// The everyday commands, in the order of the screen.
const EVERYDAY: &[(&str, &[Line])] = &[
    (
        "remember",
        &[
            (&["add"], "Remember something: pimem add -c lesson TEXT"),
            (&["reinforce", "edit"], "It proved right; say it in other words"),
            (&["pin", "unpin"], "Keep it for ever; let it fade again"),
            (&["forget", "restore"], "Drop it from reports; bring it back"),
            (&["undo"], "Take back the last change"),
        ],
    ),
    (
        "find",
        &[
            (&["search"], "Find by words and meaning: pimem search WORDS"),
            (&["list"], "List entries with their state"),
            (&["why"], "Why an entry is shown to agents, or is not"),
            (&["report"], "What an agent is told"),
        ],
    ),
    (
        "the day",
        &[
            (&["log", "todo", "note"], "Today's log, a checklist, long-term notes"),
            (&["handoff"], "What the next session should start from"),
        ],
    ),
    (
        "tend",
        &[
            (&["status", "check"], "Everything on one screen; find what is wrong"),
            (&["trust"], "Review what came by git"),
            (&["dream", "rebuild"], "Merge, archive and learn; rescore and reindex"),
            (&["telemetry"], "Which memories were used"),
        ],
    ),
    (
        "agents",
        &[
            (&["hooks"], "Have agents call pimem: pimem hooks install"),
            (&["mcp"], "Serve clients of the Model Context Protocol"),
        ],
    ),
    (
        "move",
        &[
            (&["sync"], "Exchange with another store, or with a team"),
            (&["import", "export"], "From and to other programs"),
        ],
    ),
    (
        "set up",
        &[
            (&["init", "config"], "Make a store; show or change settings"),
            (&["model", "completions"], "Models of semantic search; the shell's Tab key"),
        ],
    ),
];

/// Words for what a command does, by which it is looked for.
pub(crate) const MEANINGS: &[(&str, &str)] = &[
    ("add", "remember save store memorize memorise new create put insert keep"),
    ("search", "find grep query lookup look ask recall retrieve rg where"),
    ("list", "all entries memories dir ls"),
    ("why", "explain reason"),
    ("show", "cat view display get"),
    ("forget", "delete del drop discard erase rm remove destroy shred wipe"),
    ("undo", "revert rollback back"),
    ("edit", "change update modify rewrite reword amend replace"),
    ("reinforce", "confirm upvote approve strengthen helpful"),
    ("restore", "recover unforget undelete"),
    ("pin", "always forever"),
    ("report", "context inject prompt brief"),
    ("hooks", "install agents agent connect integrate claude codex cursor gemini plugin"),
    ("mcp", "serve server tools"),
    ("init", "start begin setup"),
    ("config", "settings setting set configure options preferences"),
    ("status", "info state overview"),
    ("check", "lint validate verify"),
    ("doctor", "diagnose repair fix"),
    ("sync", "push pull fetch share team upload download"),
    ("import", "load"),
    ("export", "dump backup"),
    ("model", "models embedding embeddings"),
    ("dream", "consolidate compact tidy clean"),
    ("rebuild", "reindex index refresh rescore"),
    ("telemetry", "usage metrics"),
    ("trust", "review accept"),
    ("log", "journal diary daily today"),
    ("todo", "task tasks checklist scratchpad"),
    ("note", "notes memo"),
    ("handoff", "handover"),
    ("completions", "complete completion"),
];

/// Returns the first screen: what is needed every day.
pub(crate) fn screen() -> String {
    let mut text = "Memory for coding agents: what is not reinforced fades.\n\n\
         Usage: pimem COMMAND [OPTIONS]\n\n"
        .to_owned();
    let is_narrow = narrow().is_some();
    // Writing to a string cannot fail.
    for (group, lines) in EVERYDAY {
        if is_narrow {
            let _ = writeln!(text, "{group}");
        }
        for (number, (names, about)) in lines.iter().enumerate() {
            let names = names.join(", ");
            let group = if number == 0 { group } else { "" };
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
pub(crate) fn everything(definition: &clap::Command) -> String {
    let mut text = screen();
    text.truncate(text.trim_end().rfind("\n\n").map_or(text.len(), |end| end + 1));
    text.push_str("\n  Behind the scenes\n");
    for command in definition.get_subcommands().filter(|command| !command.is_hide_set()) {
        let name = command.get_name();
        if !everyday().any(|known| known == name) && name != "help" {
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

/// Returns the names of the everyday commands.
pub(crate) fn everyday() -> impl Iterator<Item = &'static str> {
    EVERYDAY.iter().flat_map(|(_, lines)| lines.iter()).flat_map(|(names, _)| names.iter().copied())
}

/// Returns the commands below `definition` that may be meant by a word that is none, best first: one that it names by
/// what it does, else those spelled like it.
pub(crate) fn suggestions(word: &str, definition: &clap::Command) -> Vec<String> {
    let word = word.to_lowercase();
    let means = |(name, words): &&(&str, &str)| {
        definition.find_subcommand(name).is_some() && words.split(' ').any(|known| known == word)
    };
    if let Some((name, _)) = MEANINGS.iter().find(means) {
        return vec![(*name).to_owned()];
    }
    let commands = definition.get_subcommands().filter(|command| !command.is_hide_set());
    let mut near: Vec<(usize, bool, &str)> = commands
        .map(clap::Command::get_name)
        .map(|name| {
            let distance = strsim::osa_distance(&word, name);
            (distance, !everyday().any(|known| known == name), name)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_screen_is_one_screen() {
        let screen = screen();
        assert!(screen.lines().count() <= 32, "{screen}");
        assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
    }
}
