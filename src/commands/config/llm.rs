//! `pimem config prompt` and `check-model`: what language models are told, and whether they answer.

use serde_json::json;

use crate::{exit::Exit, shell::Shell};
use pimem_engine::{
    error::{Failure, Kind},
    llm::{Question, Role, Service, prompt::Prompt},
};

/// Enough to see whether somebody answers, and cheap.
const HELLO: Question<'_> = Question { rules: "Answer with one word.", text: "Say hello." };

/// Prints rules, or where a user's own would be.
pub(crate) fn prompt(ctx: &Shell, prompt: Prompt, path: bool) -> Result<Exit, Failure> {
    let home = ctx.env.home.as_deref();
    let own = home.map(|home| prompt.path(home));
    let text = prompt.text(home).map_err(|problem| Failure::from(&problem))?;
    if ctx.ui.json {
        ctx.ui.document(&json!({
            "schema": "pimem.prompt/1", "prompt": prompt.name(),
            "path": own.as_ref().map(|path| path.display().to_string()),
            "own": own.as_ref().is_some_and(|path| path.is_file()),
            "text": text,
        }));
    } else if !path {
        ctx.ui.text(&text);
    } else if let Some(own) = own {
        ctx.ui.line(&own.display().to_string());
    } else {
        return Err(Failure::new(Kind::Usage, "there is no home directory", "set HOME"));
    }
    Ok(Exit::Done)
}

/// Asks the model of a role for a word.
pub(crate) fn check_model(ctx: &Shell, role: Role) -> Result<Exit, Failure> {
    let Some(service) = Service::of(&ctx.config, &ctx.env, role)? else {
        let message = format!("no language model is set for the {}", role.name());
        let hint = format!("pimem config set --user {}.provider NAME sets one", role.name());
        return Err(Failure::new(Kind::Config, message, hint));
    };
    let (answer, time) = ctx.ui.timed(|| service.ask(HELLO));
    let answer: String = answer?.chars().take(80).collect();
    if ctx.ui.json {
        ctx.ui.document(&json!({
            "schema": "pimem.model-check/1", "role": role.name(), "model": service.name(),
            "place": service.place(), "ms": u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            "answer": answer,
        }));
    } else {
        let (told, millis) = (service.told(), time.as_millis());
        ctx.ui.line(&format!("{told} answered in {millis} ms: {answer}"));
    }
    Ok(Exit::Done)
}
