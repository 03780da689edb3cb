//! Asks a language model for proposals about a store, sending only texts that may leave the
//! machine.

use pimem_core::{
    dream::{
        proposals,
        step::{PlanStep, RefusedStep},
    },
    score::ranking::{Ranking, ScoredEntry},
};

use crate::{
    llm::{ModelError, ModelRole, Question, Service, prompt::Prompt},
    memory::Memory,
    store::Store,
};

/// The answer of a model.
pub struct ModelAnswer {
    pub model: String,
    /// Proposed steps, not checked yet.
    pub steps: Vec<PlanStep>,
    /// Parts of the answer that are not valid steps.
    pub refused: Vec<RefusedStep>,
}

/// Asks the model. `told` is the text of the sessions since the last dream.
pub fn ask(
    memory: &Memory,
    store: &Store,
    ranking: &Ranking,
    transcripts: &[String],
) -> Result<ModelAnswer, ModelError> {
    let service =
        Service::of(&memory.config, &memory.env, ModelRole::Dream)?.ok_or_else(|| ModelError {
            message: "dream.provider is none".to_owned(),
            hint: "pimem config set --user dream.provider PROVIDER names one".to_owned(),
        })?;
    let rules = Prompt::Dream.text(memory.env.home.as_deref())?;
    let categories = &memory.config.categories;
    // Naming a store does not permit sending its texts to a service.
    let trust = store.clone().strict().trust;
    let ours = |row: &&ScoredEntry| {
        let category = &categories.spec(row.entry.category).name;
        row.entry.reviewed && trust.holds_entry(category, &row.entry.text)
    };
    let ranking = Ranking {
        rows: ranking.rows.iter().filter(ours).cloned().collect(),
        policy: ranking.policy,
        former: ranking.former.clone(),
    };
    let text = proposals::ask(memory.now, categories, &ranking, transcripts);
    memory.notices.detail(&format!("Asking {}", service.name()));
    let answer = service.ask(Question { rules: &rules, text: &text })?;
    let (steps, refused) = proposals::read(&answer, &ranking);
    Ok(ModelAnswer { model: service.name().to_owned(), steps, refused })
}
