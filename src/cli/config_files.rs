//! The configuration files there are, yours before the project's.

use std::path::Path;

use super::{
    context::Context,
    error::{Failure, Kind},
};
use crate::{
    config::layer::Origin,
    store::{read, root::Places},
};

/// The configuration files that exist, in the order of rising priority.
pub(super) fn read(places: &Places) -> Result<Vec<(Origin, String)>, Failure> {
    let user = places.user().map(|dir| Origin::User(Context::config_file(&dir)));
    let project = places.project().map(|dir| Origin::Project(Context::config_file(&dir)));
    let mut files = Vec::new();
    for origin in [user, project].into_iter().flatten() {
        let (Origin::User(path) | Origin::Project(path)) = &origin else { continue };
        // Your own file may be a link to anywhere; a project's may not lead out of the project.
        let root = match &origin {
            Origin::User(_) => Path::new("/"),
            _ => path.parent().unwrap_or(path),
        };
        match read::file(root, path, read::MAX_FILE) {
            Ok(None) => {}
            Ok(Some(bytes)) => files.push((origin, String::from_utf8_lossy(&bytes).into_owned())),
            Err(problem) => {
                return Err(Failure { kind: Kind::Config, ..Failure::from(&problem) });
            }
        }
    }
    Ok(files)
}
