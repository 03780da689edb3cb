//! Reads the configuration files: the user's, then the project's.

use std::path::Path;

use super::Memory;
use crate::{
    config::{layers::SettingOrigin, settings_file::Unusable},
    store::{
        discover::Places,
        read::{self, ProblemKind, ReadProblem},
    },
};

/// Maximum size in bytes of a configuration file; all settings take about a hundredth of it.
const MAX: u64 = 1 << 20;

/// Returns the readable configuration files in ascending priority, and the unreadable ones.
pub fn read(places: &Places) -> (Vec<(SettingOrigin, String)>, Vec<Unusable>) {
    let user = places.user().map(|dir| SettingOrigin::User(Memory::config_file(&dir)));
    let project = places.project().map(|dir| SettingOrigin::Project(Memory::config_file(&dir)));
    let (mut files, mut unusable) = (Vec::new(), Vec::new());
    for origin in [user, project].into_iter().flatten() {
        let (SettingOrigin::User(path) | SettingOrigin::Project(path)) = &origin else { continue };
        match bytes(path, matches!(origin, SettingOrigin::Project(_))) {
            Ok(None) => {}
            Ok(Some(bytes)) => files.push((origin, String::from_utf8_lossy(&bytes).into_owned())),
            Err(problem) => unusable.push(told(origin, &problem)),
        }
    }
    (files, unusable)
}

/// Reads a configuration file; `None` if it does not exist.
pub fn bytes(path: &Path, is_project: bool) -> Result<Option<Vec<u8>>, ReadProblem> {
    // The user's file may be a link to anywhere; a project's must stay inside the project.
    let root = if is_project { path.parent().unwrap_or(path) } else { Path::new("/") };
    read::file(root, path, MAX)
}

/// Describes an unreadable file as an unusable setting.
fn told(origin: SettingOrigin, problem: &ReadProblem) -> Unusable {
    let (message, hint) = match &problem.kind {
        ProblemKind::NotAFile => ("not a file".to_owned(), "put a file there, or nothing"),
        ProblemKind::LeadsOutside => (
            "a link that leads out of the project".to_owned(),
            "put the file itself there, or a link to a file beside it",
        ),
        ProblemKind::TooLarge(size, limit) => {
            let message = format!("too large: {size} bytes, of which {limit} are allowed");
            (message, "pimem config schema says what belongs there")
        }
        // Settings are never sealed.
        ProblemKind::Sealed { why: error, .. }
        | ProblemKind::NoMirror(error)
        | ProblemKind::Closed(error)
        | ProblemKind::Io(error) => {
            (format!("cannot be read: {error}"), "make it readable for yourself, or take it away")
        }
    };
    Unusable::file(origin, None, message, hint)
}
