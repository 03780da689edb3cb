//! What is said of settings that cannot be used. Everything goes on without them.

use super::Memory;
use crate::config::layers::Origin;
use pimem_core::view::config::Unusable;

impl Memory {
    /// The settings that are left out, for programs.
    pub fn unusable(&self) -> Vec<Unusable> {
        let unusable = self.config.unusable.iter().map(|wrong| Unusable {
            origin: wrong.origin.to_string(),
            line: wrong.line,
            message: wrong.message.clone(),
            hint: wrong.hint.clone(),
        });
        unusable.collect()
    }

    /// Says in one line that settings are left out.
    pub fn say_unusable(&self) {
        let Some((first, more)) = self.config.unusable.split_first() else { return };
        if more.is_empty() {
            return self.say_each_unusable();
        }
        let more = more.len();
        self.notices.note(&format!(
            "warning: {first}; it and {more} more are left out (pimem doctor names them)"
        ));
    }

    /// Says of each setting that is left out where it stands, and what to do about it.
    pub fn say_each_unusable(&self) {
        for wrong in &self.config.unusable {
            self.notices.note(&format!("warning: {wrong}; left out ({})", wrong.hint));
        }
    }

    /// The same for an agent, in one line. It repeats nothing that stands in a file: a project's may
    /// have come from anywhere.
    pub fn unusable_for_agents(&self) -> Option<String> {
        let (first, more) = self.config.unusable.split_first()?;
        let file = match &first.origin {
            Origin::Project(_) => "the project's memory.json",
            Origin::User(_) => "the user's memory.json",
            Origin::Env(name) => name,
            Origin::Default => return None,
        };
        let what = match first.line {
            Some(line) if !first.whole => format!("line {line} of {file}"),
            _ => file.to_owned(),
        };
        let more = match more.len() {
            0 => String::new(),
            1 => ", as is one other setting".to_owned(),
            more => format!(", as are {more} other settings"),
        };
        Some(format!(
            "> Settings: {what} cannot be used and is left out{more}. The user can look at it with \
             `pimem doctor`."
        ))
    }
}
