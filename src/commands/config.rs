//! `pimem config`: shows and changes settings.

use pimem_engine::{
    config::schema,
    error::{Failure, FailureKind},
    llm::{ModelRole, Prompt},
    memory::{
        model,
        settings::{
            self, ChangedSetting, InForce, ModelCheck, PromptView, Setting, SettingsView, Unset,
        },
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
/// file that is no JSON; the rest counts, and `show` and `pimem doctor` name what does not.
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
        /// Show where each value comes from
        #[arg(long)]
        origin: bool,
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
    /// Print the JSON schema of memory.json
    Schema,
    /// Print the rules that a language model gets, to be copied and changed
    Prompt {
        /// For what
        #[arg(value_name = "NAME", value_parser = choices(PROMPTS))]
        prompt: Prompt,
        /// Print the path of the file of yours that takes their place
        #[arg(long)]
        path: bool,
    },
    /// Ask a language model for one word, to test its settings
    CheckModel {
        /// For what it is set
        #[arg(value_parser = choices(ROLES))]
        role: ModelRole,
    },
}

const OBSERVE: &str = "To make observations of a conversation";
const REFLECT: &str = "To consolidate observations";
const DREAM: &str = "To plan what should become of a store";

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

const ROLES: &[(&str, &str, ModelRole)] = &[
    ("observer", OBSERVE, ModelRole::Observer),
    ("reflector", REFLECT, ModelRole::Reflector),
    ("dream", DREAM, ModelRole::Dream),
];

pub(crate) fn run(ctx: &Shell, args: &ConfigArgs) -> Result<Exit, Failure> {
    match &args.action {
        Action::Show { origin, all } => {
            ctx.ui.show(&Shown { settings: ctx.settings(), origin: *origin, all: *all });
            if let Some(lacking) = model::lacking(ctx) {
                let hints = lacking.hints.join("; ");
                ctx.ui.note(&format!("warning: embedding.model: {} ({hints})", lacking.message));
            }
        }
        Action::Get { key } => ctx.ui.show(&ctx.setting(key)?),
        Action::Set { key, value } => {
            let key = settings::find(key)?;
            ctx.ui.show(&ctx.change_setting(key, value, ctx.target()?)?);
        }
        Action::Unset { key } => {
            let unset = ctx.unset_setting(settings::find(key)?, ctx.target()?)?;
            ctx.ui.show(&unset);
            return Ok(Exit::Done.unless_empty(!unset.removed));
        }
        Action::Schema => ctx.ui.document(&schema::json_schema()),
        Action::Prompt { prompt, path } => {
            let prompt = ctx.prompt(*prompt)?;
            if !path {
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
        Action::CheckModel { role } => {
            let (check, time) = ctx.ui.timed(|| ctx.check_model(*role));
            let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            ctx.ui.show(&ModelCheck { ms, ..check? });
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
    all: bool,
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
        all.iter().filter(|setting| self.all || !setting.is_default())
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
        if (1..self.settings.settings.len()).contains(&left) {
            ui.aside(&format!("{left} more have their defaults: pimem config show --all"));
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

impl Human for ModelCheck {
    fn human(&self, ui: &Ui) {
        ui.line(&format!("{} answered in {} ms: {}", self.service, self.ms, self.answer));
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
