//! What every command does about trust: headings are withheld, and what is left out is said.

use super::context::Context;
use crate::{
    config::layer::Origin,
    score::board::Scope,
    store::{trust::Kind, vault::Store},
};

impl Context {
    /// A heading that came with a clone is text like any other, and stands in every report.
    pub(super) fn withhold_headings(&mut self) {
        let by_project = matches!(self.config.get("categories"), Some((_, Origin::Project(_))));
        if let Some(dir) = self.places.project().filter(|_| by_project) {
            let trust = self.store(dir, Scope::Project).strict().trust;
            let keeps = |heading: &str| trust.holds_text(Kind::Heading, heading);
            self.headings = self.config.categories.reset_headings(keeps);
        }
    }

    /// Says why something that was written here could not be noted as such.
    pub(crate) fn say_unnoted(&self) {
        if let Some(why) = self.unnoted.get() {
            self.ui.note(&format!("Not noted as reviewed, so reports leave it out: {why}"));
        }
    }

    /// Says how many entries of stores are left out of what agents read.
    pub(crate) fn say_left_out(&self, stores: &[Store], count: usize) {
        let what = match count {
            0 => return,
            1 => "1 entry was not written here and is left out".to_owned(),
            count => format!("{count} entries were not written here and are left out"),
        };
        let foreign = |store: &Store| !store.trust.is_whole() && store.trust.is_foreign();
        self.ui.note(&if stores.iter().any(foreign) {
            format!("{what}: the store belongs to another user")
        } else {
            format!("{what}: pimem trust --review")
        });
    }
}
