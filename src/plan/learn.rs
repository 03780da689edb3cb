//! What is concluded from what was said.

use crate::model::event::Cue;

/// Something worth remembering.
pub(crate) struct Conclusion {
    pub(crate) category: &'static str,
    pub(crate) cue: Cue,
    pub(crate) text: String,
    pub(crate) reason: String,
    pub(crate) sources: Vec<String>,
}
