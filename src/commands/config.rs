//! `pimem config`: shows and changes settings.

use pimem_engine::{
    config::schema,
    error::{Failure, FailureKind},
    llm::Prompt,
    memory::{
        model,
        settings::{self, ChangedSetting, InForce, PromptView, Setting, SettingsView, Unset},
    },
    view::Document,
};
use serde::Serialize;
use serde_json::Value;

use crate::{
    globals::choices,
    shell::{Exit, Shell},
    ui::{Human, Ui},
};

/// Show or change settings
///
/// Settings come from `memory.json`: yours in ~/.pi/agent, the project's in .pi. The project's wins,
/// then variables, then flags. A key that is unknown or has a wrong value is left out, and so is a
/// file that is no JSON; the rest counts, and `show` and `pimem check` name what does not.
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the settings that differ from their defaults
    Show {
        /// List those with their defaults too
        #[arg(long)]
        all: bool,
        /// List all, those that are rarely needed too
        #[arg(long)]
        advanced: bool,
        /// Show where each value comes from; with --prompt, the file of yours that takes its place
        #[arg(long)]
        origin: bool,
        /// Print the JSON schema of memory.json instead
        #[arg(long, conflicts_with_all = ["all", "advanced", "origin", "prompt"])]
        schema: bool,
        /// Print the rules that a language model gets for this instead, to be copied and changed
        #[arg(long, value_name = "NAME", conflicts_with_all = ["all", "advanced"], value_parser = choices(PROMPTS))]
        prompt: Option<Prompt>,
    },
    /// Print one setting
    Get {
        /// Its name
        key: String,
    },
    /// Change one setting in the project's file, or in yours with --user
    Set {
        /// Its name
        key: String,
        /// Its new value
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Take one setting out of the project's file, or of yours with --user
    ///
    /// What else the file has stays as it is, byte for byte. Exit code 1 says that it did not set it.
    Unset {
        /// Its name
        key: String,
    },
}

pub(super) const OBSERVE: &str = "To make observations of a conversation";
pub(super) const REFLECT: &str = "To consolidate observations";
pub(super) const DREAM: &str = "To plan what should become of a store";

const PROMPTS: &[(&str, &str, Prompt)] = &[
    ("observer", OBSERVE, Prompt::Observer),
    ("reflector", REFLECT, Prompt::Reflector),
    (
        "reflector-aggressive",
        "The same, where that did not save enough",
        Prompt::ReflectorAggressive,
    ),
    ("dream", DREAM, Prompt::Dream),
];

pub(crate) fn run(ctx: &Shell, args: &ConfigArgs) -> Result<Exit, Failure> {
    match &args.action {
        Action::Show { schema: true, .. } => ctx.ui.document(&schema::json_schema()),
        Action::Show { prompt: Some(prompt), origin, .. } => {
            let prompt = ctx.memory.tending().prompt(*prompt)?;
            if !origin {
                ctx.ui.show(&prompt);
            } else if prompt.path.is_some() {
                ctx.ui.show(&PathOf(prompt));
            } else {
                return Err(Failure::new(
                    FailureKind::Usage,
                    "there is no home directory",
                    "set HOME",
                ));
            }
        }
        Action::Show { origin, all, advanced, .. } => {
            let which = match (all, advanced) {
                (_, true) => Which::All,
                (true, _) => Which::Everyday,
                _ => Which::Set,
            };
            ctx.ui.show(&Shown {
                settings: ctx.memory.tending().settings(),
                origin: *origin,
                which,
            });
            if let Some(lacking) = model::lacking(&ctx.memory) {
                let hints = lacking.hints.join("; ");
                ctx.ui.note(&format!("warning: embedding.model: {} ({hints})", lacking.message));
            }
        }
        Action::Get { key } => ctx.ui.show(&ctx.memory.tending().setting(key)?),
        Action::Set { key, value } => {
            let key = settings::find(key)?;
            ctx.ui.show(&ctx.memory.tending().change_setting(key, value, ctx.memory.target()?)?);
        }
        Action::Unset { key } => {
            let unset =
                ctx.memory.tending().unset_setting(settings::find(key)?, ctx.memory.target()?)?;
            ctx.ui.show(&unset);
            return Ok(Exit::Done.unless_empty(!unset.removed));
        }
    }
    Ok(Exit::Done)
}

/// Settings, with what people want to see of them; programs get all.
#[derive(Serialize)]
#[serde(transparent)]
struct Shown {
    settings: SettingsView,
    #[serde(skip)]
    origin: bool,
    #[serde(skip)]
    which: Which,
}

/// Which settings people are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    /// Those that differ from their defaults.
    Set,
    /// Those for everybody too.
    Everyday,
    All,
}

/// A prompt; the output for people includes the path of the override.
#[derive(Serialize)]
#[serde(transparent)]
struct PathOf(PromptView);

impl Document for Shown {
    fn schema(&self) -> &'static str {
        self.settings.schema()
    }
}

impl Document for PathOf {
    fn schema(&self) -> &'static str {
        self.0.schema()
    }
}

impl Shown {
    fn rows(&self) -> impl Iterator<Item = &Setting> {
        let all = &self.settings.settings;
        let is_asked = |setting: &&Setting| match self.which {
            Which::All => true,
            Which::Everyday => !setting.advanced || !setting.is_default(),
            Which::Set => !setting.is_default(),
        };
        all.iter().filter(is_asked)
    }
}

impl Human for Shown {
    fn human(&self, ui: &Ui) {
        let row = |Setting { key, value, origin, awaiting, .. }: &Setting| {
            let other = awaiting
                .as_ref()
                .map(|other| format!("; {} in {} awaits review", plain(&other.value), other.place));
            let origin = format!("{origin}{}", other.unwrap_or_default());
            let mut row = vec![(*key).to_owned(), plain(value)];
            row.extend(self.origin.then_some(origin));
            row
        };
        let columns = ["setting", "value", "origin"];
        let shown = columns.into_iter().take(if self.origin { 3 } else { 2 });
        ui.table(&shown.collect::<Vec<_>>(), self.rows().map(row).collect());
        let left = self.settings.settings.len() - self.rows().count();
        match self.which {
            Which::Everyday if left > 0 => {
                ui.aside(&format!("{left} more are rarely needed: pimem config show --advanced"));
            }
            Which::Set if left < self.settings.settings.len() => {
                ui.aside(&format!("{left} more have their defaults: pimem config show --all"));
            }
            _ => {}
        }
    }

    fn when_empty(&self) -> Option<&'static str> {
        let is_empty = self.rows().next().is_none();
        is_empty.then_some("All settings have their defaults: pimem config show --all")
    }
}

impl Human for InForce {
    fn human(&self, ui: &Ui) {
        ui.line(&plain(&self.value));
    }
}

impl Human for ChangedSetting {
    fn human(&self, ui: &Ui) {
        ui.line(&format!("Set {} = {} in {}", self.key, plain(&self.value), self.file));
    }
}

impl Human for Unset {
    fn human(&self, ui: &Ui) {
        let Self { key, removed, file } = self;
        let line = if *removed {
            format!("Unset {key} in {file}")
        } else {
            format!("{key} is not set in {file}")
        };
        ui.line(&line);
    }
}

impl Human for PromptView {
    fn human(&self, ui: &Ui) {
        ui.lines(&self.text);
    }
}

impl Human for PathOf {
    fn human(&self, ui: &Ui) {
        ui.line(self.0.path.as_deref().unwrap_or_default());
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
