//! What a language model wants to become of a store: asked with what may leave the machine, and read
//! as proposals.

use crate::{
    llm::{ModelError, Question, Role, Service, prompt::Prompt},
    memory::Memory,
    store::snapshot::Store,
};
use pimem_core::{
    dream::{
        model_answer, model_prompt,
        step::{Refused, Step},
    },
    score::ranking::{Ranking, ScoredEntry},
};

/// What a model answered.
pub struct Answer {
    /// The model's name.
    pub model: String,
    /// What it proposes; nothing of it has been vetted.
    pub steps: Vec<Step>,
    /// What was no proposal.
    pub refused: Vec<Refused>,
}

/// Asks. `transcripts` is what was said since the last dream.
pub fn ask(
    memory: &Memory,
    store: &Store,
    ranking: &Ranking,
    transcripts: &[String],
) -> Result<Answer, ModelError> {
    let service =
        Service::of(&memory.config, &memory.env, Role::Dream)?.ok_or_else(|| ModelError {
            message: "dream.provider is none".to_owned(),
            hint: "pimem config set --user dream.provider PROVIDER names one".to_owned(),
        })?;
    let rules = Prompt::Dream.text(memory.env.home.as_deref())?;
    let categories = &memory.config.categories;
    // That a store was named outright is no word that its texts may be sent to somebody.
    let trust = store.clone().strict().trust;
    let ours = |row: &&ScoredEntry| {
        let category = &categories.spec(row.entry.category).name;
        row.entry.reviewed && trust.holds_entry(category, &row.entry.text)
    };
    let ranking = Ranking { rows: ranking.rows.iter().filter(ours).cloned().collect() };
    let text = model_prompt::ask(memory.now, categories, &ranking, transcripts);
    memory.notices.detail(&format!("Asking {}", service.name()));
    let answer = service.ask(Question { rules: &rules, text: &text })?;
    let (steps, refused) = model_answer::read(&answer, &ranking);
    Ok(Answer { model: service.name().to_owned(), steps, refused })
}
