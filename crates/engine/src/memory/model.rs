//! The model of semantic search that the settings choose.

use super::{Memory, search::embedding};
use crate::{
    error::{Failure, Kind},
    models::fastembed,
};
use pimem_core::exchange::json_position;

/// The name of the model in force.
pub fn in_force(memory: &Memory) -> String {
    embedding::name(memory)
}

/// Why the model in force cannot serve, as far as that shows without starting it.
pub fn lacking(memory: &Memory) -> Option<Failure> {
    let name = in_force(memory);
    if ["static", "none"].contains(&name.as_str()) {
        return None;
    }
    let models = match memory.models() {
        Ok(models) => models,
        Err(failure) => return Some(failure),
    };
    match models.manifest(&name) {
        Ok(_) => models.open(&name, None).err().map(embedding::failure),
        Err(why) => Some(unknown(&name, why.0)),
    }
}

/// A model that cannot be used because it is not installed, with the nearest name there is.
pub fn unknown(name: &str, why: String) -> Failure {
    let all = fastembed::supported();
    let is_known = all.iter().any(|known| known.model.id == name);
    let near = json_position::closest(name, all.iter().map(|known| known.model.id.as_str()));
    let hint = match near.filter(|_| !is_known) {
        Some(near) => format!("did you mean {near}?"),
        None if is_known => format!("pimem model pull {name} installs it"),
        None => format!("pimem model pull {name} --from DIR installs one from files"),
    };
    Failure::new(Kind::NotFound, why, hint)
}
