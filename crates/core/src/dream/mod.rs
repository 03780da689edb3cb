//! Changes that a dream proposes for a store. Other modules carry them out.

pub mod learn;
pub mod model_answer;
pub mod model_prompt;
pub mod plan;
pub mod script;
pub mod step;
pub mod vet;
