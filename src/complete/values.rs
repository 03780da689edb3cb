//! The values of arguments that are known: from the parser, the settings and the stores.

use std::collections::BTreeSet;

use clap::{Arg, ValueHint};
use pimem_core::{model::category::CategorySpec, score::policy::weighted};
use pimem_engine::{
    config::{
        schema::{SettingKey, SettingKind},
        settings,
    },
    memory::list::StateWord,
    view::EntryView,
};

use super::WordPlace;
use crate::{agents::Agent, shell::Shell};

/// In place of values: the shell completes names of files, or of directories.
pub(crate) const FILES: &str = ":files";
pub(crate) const DIRECTORIES: &str = ":directories";

/// A value with its description, which may be empty.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) value: String,
    pub(crate) about: String,
}

impl Offer {
    pub(crate) fn new(value: impl Into<String>, about: impl Into<String>) -> Self {
        Self { value: value.into(), about: about.into() }
    }
}

/// Where the values of an argument come from.
#[derive(Debug, Clone, Copy)]
enum Source {
    Agents,
    Categories,
    Commands,
    Days,
    /// Ids of the entries for which a command does something.
    Entries(fn(&EntryView) -> bool),
    Restorable,
    /// Models in a state for which a command does something.
    Models(fn(&str) -> bool),
    Settings,
    /// The value of the setting that was named before.
    SettingValue,
    States,
    Tags,
    Topics,
}

/// Sources by the id of an argument, after its command where that matters.
const SOURCES: &[(&str, Source)] = &[
    ("category", Source::Categories),
    ("topic", Source::Topics),
    ("state", Source::States),
    ("tag", Source::Tags),
    ("tags", Source::Tags),
    ("pin entries", Source::Entries(|entry| entry.user_state == "auto")),
    ("unpin entries", Source::Entries(|entry| entry.user_state == "pinned")),
    ("forget entries", Source::Entries(|entry| entry.user_state != "forgotten")),
    ("trust entries", Source::Entries(|entry| entry.reviewed == Some(false))),
    ("restore entries", Source::Restorable),
    ("entries", Source::Entries(|_| true)),
    ("entry", Source::Entries(|_| true)),
    ("supersedes", Source::Entries(|_| true)),
    ("key", Source::Settings),
    ("value", Source::SettingValue),
    ("pull name", Source::Models(|state| state == "available")),
    ("remove name", Source::Models(|state| state == "installed")),
    ("status name", Source::Models(|state| state != "available" && state != "off")),
    ("use name", Source::Models(|state| state != "available")),
    ("page", Source::Commands),
    ("date", Source::Days),
    ("index agent", Source::Agents),
];

/// Returns the known values of an argument.
pub(crate) fn of(place: &WordPlace<'_>, arg: &Arg, shell: Option<&Shell>) -> Vec<Offer> {
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        let shown = possible.iter().filter(|value| !value.is_hide_set());
        let about = |value: &clap::builder::PossibleValue| {
            value.get_help().map(ToString::to_string).unwrap_or_default()
        };
        return shown.map(|value| Offer::new(value.get_name(), about(value))).collect();
    }
    if let Some(source) = source(place.path.last().copied().unwrap_or_default(), arg) {
        return known(source, place, shell).unwrap_or_default();
    }
    match arg.get_value_hint() {
        ValueHint::DirPath => vec![Offer::new(DIRECTORIES, "")],
        ValueHint::AnyPath if is_directory(arg) => vec![Offer::new(DIRECTORIES, "")],
        ValueHint::AnyPath | ValueHint::FilePath => vec![Offer::new(FILES, "")],
        _ => Vec::new(),
    }
}

fn is_directory(arg: &Arg) -> bool {
    arg.get_value_names().is_some_and(|names| names.iter().any(|name| name.as_str() == "DIR"))
}

fn source(command: &str, arg: &Arg) -> Option<Source> {
    let id = arg.get_id().as_str();
    let named = format!("{command} {id}");
    let find = |name: &str| SOURCES.iter().find(|(known, _)| *known == name);
    find(&named).or_else(|| find(id)).map(|(_, source)| *source)
}

fn known(source: Source, place: &WordPlace<'_>, shell: Option<&Shell>) -> Option<Vec<Offer>> {
    Some(match source {
        Source::Agents => Agent::ALL.map(|agent| Offer::new(agent.name(), "")).into(),
        Source::Categories => {
            let categories = shell?.memory.config.categories.iter();
            categories.map(|(_, spec)| Offer::new(&*spec.name, meaning(spec))).collect()
        }
        Source::Commands => {
            let all = super::commands(place.root, true).into_iter();
            all.filter(|offer| offer.value != "help").collect()
        }
        Source::Days => {
            let days = shell?.memory.reading().logged_days().ok()?.days;
            days.into_iter().map(|day| Offer::new(day.date.to_string(), day.scope)).collect()
        }
        Source::Entries(fits) => entries(shell?, fits),
        Source::Restorable => restorable(shell?),
        Source::Models(fits) => {
            let models = shell?.memory.modeling().list_models().ok()?.models;
            let models = models.into_iter().filter(|model| fits(model.state));
            models.map(|model| Offer::new(model.name, model.state)).collect()
        }
        Source::Settings => settings::keys().map(|key| Offer::new(key.name, key.doc)).collect(),
        Source::SettingValue => setting(SettingKey::find(place.value("key")?)?, shell),
        // The shell would split two words.
        Source::States => {
            let words = StateWord::all().filter(|word| !word.contains(' '));
            words.map(|word| Offer::new(word, "")).collect()
        }
        Source::Tags => {
            let entries = shell?.memory.glance().ok()?;
            let tags = entries.iter().flat_map(|entry| weighted::tags(&entry.text));
            let names: BTreeSet<&str> = tags.map(|tag| tag.trim_start_matches('#')).collect();
            names.into_iter().map(|name| Offer::new(name, "")).collect()
        }
        Source::Topics => {
            let topics = shell?.memory.reading().topics().ok()?.view.topics;
            let about = |entries: usize| match entries {
                1 => "1 entry".to_owned(),
                n => format!("{n} entries"),
            };
            topics.into_iter().map(|topic| Offer::new(topic.name, about(topic.entries))).collect()
        }
    })
}

/// Says what a category is for, or where its entries stand in the report.
fn meaning(spec: &CategorySpec) -> String {
    let known = MEANINGS.iter().find(|(name, _)| **name == *spec.name);
    known.map_or_else(|| format!("in the report as {}", spec.section), |(_, is)| (*is).to_owned())
}

/// What the categories are for that everybody has.
const MEANINGS: &[(&str, &str)] = &[
    ("preference", "how somebody wants it"),
    ("lesson", "what was learned, often the hard way"),
    ("mistake", "what went wrong, not to be done again"),
    ("pattern", "how things are done here"),
    ("decision", "what was decided, and why"),
    ("done", "what was finished"),
];

fn entries(shell: &Shell, fits: fn(&EntryView) -> bool) -> Vec<Offer> {
    let entries = shell.memory.glance().unwrap_or_default().into_iter();
    entries.filter(fits).map(|entry| described(&entry)).collect()
}

fn restorable(shell: &Shell) -> Vec<Offer> {
    shell.memory.writing().restorable().unwrap_or_default().iter().map(described).collect()
}

/// Returns the id of an entry with its text, unless that awaits review.
fn described(entry: &EntryView) -> Offer {
    let about = match entry.reviewed {
        Some(false) => "(unreviewed)".to_owned(),
        _ => format!("[{}] {}", entry.category, entry.text),
    };
    Offer::new(&entry.short, about)
}

fn setting(key: &SettingKey, shell: Option<&Shell>) -> Vec<Offer> {
    let words = |words: &[&str]| words.iter().map(|word| Offer::new(*word, "")).collect();
    match key.kind {
        SettingKind::Bool(_) => words(&["true", "false"]),
        SettingKind::Choice(choices) => words(choices),
        SettingKind::WholeOrNone { .. } => words(&["none"]),
        SettingKind::Text(_) if key.name == "embedding.model" => {
            let models = shell.and_then(|shell| shell.memory.modeling().list_models().ok());
            let models = models.map(|list| list.models).unwrap_or_default();
            let usable = models.into_iter().filter(|model| model.state != "available");
            usable.map(|model| Offer::new(model.name, model.state)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments that take any text, number or time.
    const FREE: &str = "apply asked base budget by days forbid forbid_command id if_older importance limit min_score never_used \
        now passage_prefix place priority prompt protect query query_prefix section session sessions since \
        system_prompt_tokens text until valid_until without";

    /// A new argument gets a source, or a place on the list of those that have none.
    #[test]
    fn every_argument_is_completed_or_free() {
        let mut root = crate::cli::definition();
        root.build();
        let mut waiting = vec![&root];
        let mut free: Vec<String> = Vec::new();
        while let Some(command) = waiting.pop() {
            waiting.extend(command.get_subcommands().filter(|command| !command.is_hide_set()));
            let takes_values = |arg: &&Arg| arg.get_action().takes_values() && !arg.is_hide_set();
            for arg in command.get_arguments().filter(takes_values) {
                let words = !arg.get_possible_values().is_empty();
                let files = arg.get_value_hint() != ValueHint::Unknown;
                if !words && !files && source(command.get_name(), arg).is_none() {
                    free.push(arg.get_id().to_string());
                }
            }
        }
        free.sort();
        free.dedup();
        assert_eq!(free, FREE.split_whitespace().collect::<Vec<_>>());
    }
}
