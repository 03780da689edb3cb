//! Changes to a store that a dream proposes. They are carried out elsewhere.

pub mod learn;
pub mod model_answer;
pub mod model_prompt;
pub mod plan;
pub mod script;
pub mod step;
pub mod vet;
