//! Validates text before it is stored, and escapes it before it is printed or put into a prompt.

pub mod model_tags;
pub mod safe_text;
pub mod secret;
pub mod text;
