//! `pimem config`: show and change settings.

use serde_json::{Value, json};

use crate::{exit::Exit, shell::Shell};
use pimem_core::exchange::json_position;
use pimem_engine::{
    config::{
        env::Env,
        invalid::Unusable,
        layers,
        review::Awaiting,
        schema::{self, Guard, Key},
        settings::keys,
    },
    error::{Failure, Kind},
    llm::{Role, prompt::Prompt},
    memory::{self, Memory, config_files, model},
    store::{atomic, read, trust},
};
mod llm;

/// Show or change settings
///
/// Settings come from `memory.json`: yours in ~/.pi/agent, the project's in .pi. The project's wins,
/// then variables, then flags. A key that is unknown or has a wrong value is left out, and so is a
/// file that is no JSON; the rest counts, and `show` and `pimem doctor` name what does not.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List all settings
    Show {
        /// Say where each value comes from
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
    /// Print the JSON schema of memory.json
    Schema,
    /// Print the rules that a language model gets, to be copied and changed
    Prompt {
        /// For what
        #[arg(value_name = "NAME")]
        prompt: Prompt,
        /// Print the path of the file of yours that takes their place
        #[arg(long)]
        path: bool,
    },
    /// Ask a language model for a word, to see whether its settings are right
    CheckModel {
        /// For what it is set
        role: Role,
    },
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    match &args.action {
        Action::Show { origin } => {
            show(ctx, *origin);
            if let Some(lacking) = model::lacking(ctx) {
                let hints = lacking.hints.join("; ");
                ctx.ui.note(&format!("warning: embedding.model: {} ({hints})", lacking.message));
            }
        }
        Action::Get { key } => {
            let key = find(key)?;
            let (value, origin) = (ctx.config.value(key), ctx.config.origin(key));
            if ctx.ui.json {
                ctx.ui.document(&json!({
                    "schema": "pimem.config/1", "key": key.name, "value": value,
                    "origin": origin.to_string(),
                }));
            } else {
                ctx.ui.line(&plain(&value));
            }
        }
        Action::Set { key, value } => set(ctx, find(key)?, value, ctx.target()?)?,
        Action::Schema => ctx.ui.document(&schema::json_schema()),
        Action::Prompt { prompt, path } => return llm::prompt(ctx, *prompt, *path),
        Action::CheckModel { role } => return llm::check_model(ctx, *role),
    }
    Ok(Exit::Done)
}

fn show(ctx: &Shell, with_origin: bool) {
    let values = keys().map(|key| (key, ctx.config.value(key), ctx.config.origin(key)));
    let awaiting = |key: &Key| ctx.config.awaiting.iter().find(|other| other.key.name == key.name);
    if ctx.ui.json {
        let list: Vec<Value> = values
            .map(|(key, value, origin)| {
                let mut row = json!({
                    "key": key.name, "value": value, "origin": origin.to_string(),
                    "env": key.env, "description": key.doc,
                });
                if let (Some(other), Some(row)) = (awaiting(key), row.as_object_mut()) {
                    let other = json!({"value": other.value, "place": other.place});
                    row.insert("awaiting".to_owned(), other);
                }
                row
            })
            .collect();
        let unusable = ctx.unusable();
        let mut document = json!({"schema": "pimem.config/1", "settings": list});
        if let Some(fields) = document.as_object_mut().filter(|_| !unusable.is_empty()) {
            fields.insert("unusable".to_owned(), json!(unusable));
        }
        ctx.ui.document(&document);
        return;
    }
    let rows = values
        .map(|(key, value, origin)| {
            let mut row = vec![key.name.to_owned(), plain(&value)];
            if with_origin {
                let other = awaiting(key).map(|other| {
                    format!("; {} in {} awaits review", plain(&other.value), other.place)
                });
                row.push(format!("{origin}{}", other.unwrap_or_default()));
            }
            row
        })
        .collect();
    let header: &[&str] =
        if with_origin { &["setting", "value", "origin"] } else { &["setting", "value"] };
    ctx.ui.table(header, rows);
}

/// Changes a setting in the file of a store, and says so.
pub(crate) fn set(
    ctx: &Shell,
    key: &Key,
    text: &str,
    target: memory::Target,
) -> Result<(), Failure> {
    let (value, file) = write(ctx, key, text, target)?;
    if ctx.ui.json {
        ctx.ui.document(&json!({
            "schema": "pimem.set/1", "key": key.name, "value": value, "file": file,
        }));
    } else {
        ctx.ui.line(&format!("Set {} = {} in {file}", key.name, plain(&value)));
    }
    Ok(())
}

/// Changes a setting in the file of a store; gives the value, and the file's path.
pub(crate) fn write(
    ctx: &Shell,
    key: &Key,
    text: &str,
    target: memory::Target,
) -> Result<(Value, String), Failure> {
    let value = key.read(text);
    let wrong = |expected: &str| {
        let message = format!("{} cannot be {text:?}: it takes {expected}", key.name);
        Failure::new(Kind::Config, message, key.doc)
    };
    if let Some(expected) = key.mismatch(&value) {
        return Err(wrong(&expected));
    }
    let is_project = target.1 == pimem_core::score::ranking::Scope::Project;
    if key.guard == Guard::Own && is_project {
        let message = format!("a project's file may not set {}", key.name);
        return Err(Failure::new(Kind::Config, message, "pimem config set --user sets it for you"));
    }
    let path = Memory::config_file(&target.0);
    let store = ctx.made(target)?;
    if is_project {
        read::guard(path.parent().unwrap_or(&path), &path).map_err(|p| Failure::from(&p))?;
    }
    // Your own file may be a link, as dotfiles often are; the link stays.
    let path = std::fs::canonicalize(&path).unwrap_or(path);
    let lock = memory::lock(ctx, &store)?;
    let before = config_files::bytes(&path, is_project).map_err(|p| Failure::from(&p))?;
    let before = String::from_utf8(before.unwrap_or_default()).map_err(|_| {
        let message = format!("{} is not UTF-8", path.display());
        Failure::new(Kind::Config, message, "iconv turns it into UTF-8")
    })?;
    let origin = if is_project { layers::Origin::Project } else { layers::Origin::User };
    let load = |text: &str| {
        layers::Config::load(&[(origin(path.clone()), text.to_owned())], &Env::default())
    };
    let old = if before.trim().is_empty() { load("{}") } else { load(&before) };
    let after = layers::with_setting(&before, key, value.clone()).ok_or_else(|| {
        let in_the_way = old.unusable.first().map(Failure::from);
        in_the_way.unwrap_or_else(|| {
            let message = format!("{} is not a JSON object", path.display());
            Failure::new(Kind::Config, message, "start it with {")
        })
    })?;
    // What is written must be readable: a table of categories has rules of its own.
    let new = load(&after);
    let known = |wrong: &&Unusable| old.unusable.iter().any(|old| old.message == wrong.message);
    if let Some(wrong) = new.unusable.iter().find(|wrong| !known(wrong)) {
        return Err(Failure::from(wrong));
    }
    atomic::sweep(path.parent().unwrap_or(&path));
    atomic::replace_file(&path, after.as_bytes(), store.sync, || Ok(true))?;
    drop(lock);
    if key.guard == Guard::Reviewed && is_project {
        vouch(ctx, &store.trust, &old.awaiting, &new.awaiting);
    }
    let categories = value.as_object().filter(|_| key.name == "categories").into_iter();
    let headings = categories.flat_map(|table| table.values()).filter_map(|of| of.get("section"));
    for heading in headings.filter_map(serde_json::Value::as_str) {
        store.trust.record_text(trust::Kind::Heading, heading);
    }
    Ok((value, path.display().to_string()))
}

/// Notes that settings were made here. Those that came with a clone do not become known because
/// something was added to them.
fn vouch(ctx: &Shell, trust: &trust::Trust, old: &[Awaiting], new: &[Awaiting]) {
    let text = |settings| trust.text(trust::Kind::Settings, &Awaiting::text(settings));
    if old.is_empty() || trust.holds(text(old)) {
        trust.note(|| vec![text(new)]);
    } else {
        ctx.ui.note("Other settings in that file were not made here: pimem trust shows them");
    }
}

/// The setting of that name.
pub(crate) fn find(name: &str) -> Result<&'static Key, Failure> {
    Key::find(name).ok_or_else(|| {
        let hint = json_position::closest(name, keys().map(|key| key.name)).map_or_else(
            || "pimem config show lists the settings".to_owned(),
            |name| format!("did you mean {name}?"),
        );
        Failure::new(Kind::Config, format!("unknown setting {name:?}"), hint)
    })
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
