//! Messages about unusable settings. Commands continue without these settings.

use super::Memory;
use crate::{config::layers::SettingOrigin, memory::settings::UnusableView};

impl Memory {
    /// Returns the unusable settings, for programs.
    pub fn unusable(&self) -> Vec<UnusableView> {
        let unusable = self.config.unusable.iter().map(|wrong| UnusableView {
            origin: wrong.origin.to_string(),
            line: wrong.line,
            message: wrong.message.clone(),
            hint: wrong.hint.clone(),
        });
        unusable.collect()
    }

    /// Reports unusable settings in one line.
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

    /// Reports each unusable setting with its place and a hint.
    pub fn say_each_unusable(&self) {
        for wrong in &self.config.unusable {
            self.notices.note(&format!("warning: {wrong}; left out ({})", wrong.hint));
        }
    }

    /// Returns the one-line message for an agent. It quotes nothing from a file, because a
    /// project's file is untrusted.
    pub fn unusable_for_agents(&self) -> Option<String> {
        let (first, more) = self.config.unusable.split_first()?;
        let file = match &first.origin {
            SettingOrigin::Project(_) => "the project's memory.json",
            SettingOrigin::User(_) => "the user's memory.json",
            SettingOrigin::Env(name) => name,
            SettingOrigin::Default => return None,
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
