//! Which project a call is about.

use std::path::{Component, Path, PathBuf};

use percent_encoding::{AsciiSet, PercentEncode, percent_decode_str, utf8_percent_encode};

use crate::{
    agents::{Agent, plugin::PLUGIN_VARIABLES},
    commands::check::URI_PATH,
    globals::{Globals, ScopeChoice},
};
use pimem_engine::{
    config::env::Env,
    error::{Failure, FailureKind},
    store::discover::real,
};

/// The place that a call is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProjectPlace {
    /// The store that options or variables of this process name.
    Named,
    Directory(PathBuf),
    /// No project is known: the user's store is read, and nothing is written.
    Unknown,
}

/// What this process knows about the project.
pub(super) struct Surroundings {
    pub(super) cwd: PathBuf,
    pub(super) globals: Globals,
    pub(super) env: Env,
    /// Variables of agents that name a directory.
    agents: Vec<PathBuf>,
    /// Directories of the plugin that has started this process.
    plugins: Vec<PathBuf>,
}

impl Surroundings {
    pub(super) fn new(cwd: PathBuf, globals: Globals, env: Env) -> Self {
        let read = |name| Env::seldom(name).map(PathBuf::from);
        let is_usable = |dir: &PathBuf| dir.is_absolute() && dir.parent().is_some();
        let agents = Agent::project_variables().filter_map(read).filter(is_usable).collect();
        let plugins = PLUGIN_VARIABLES.into_iter().filter_map(read).filter(is_usable).collect();
        Self { cwd, globals, env, agents, plugins }
    }

    /// Returns the place that the argument of a call, an option or a variable names; `None` if none
    /// does.
    pub(super) fn stated(&self, project: Option<&str>) -> Result<Option<ProjectPlace>, Failure> {
        if let Some(project) = project {
            return directory(project).map(|dir| Some(ProjectPlace::Directory(dir)));
        }
        let Globals { dir, user, scope, .. } = &self.globals;
        let own = *user || *scope == Some(ScopeChoice::User);
        if own || dir.is_some() || self.env.get("PIMEM_DIR").is_some() {
            return Ok(Some(ProjectPlace::Named));
        }
        let known = self.agents.iter().find(|dir| dir.is_dir());
        Ok(known.cloned().map(ProjectPlace::Directory))
    }

    /// Returns the place where nothing names one: the working directory, unless it is one that every
    /// project shares.
    pub(super) fn here(&self) -> ProjectPlace {
        let here = real(&self.cwd);
        let shared = |dir: &Path| {
            let is_home = self.env.home.as_deref().is_some_and(|home| real(home) == real(dir));
            let is_plugin = self.plugins.iter().any(|plugin| dir.starts_with(real(plugin)));
            dir.parent().is_none() || is_home || is_plugin || is_cache(dir)
        };
        if shared(&here) || is_cache(&self.cwd) {
            ProjectPlace::Unknown
        } else {
            ProjectPlace::Directory(self.cwd.clone())
        }
    }
}

/// Returns true for directories in which agents keep plugins and extensions.
fn is_cache(dir: &Path) -> bool {
    let names: Vec<&str> = dir
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_str().unwrap_or_default()),
            _ => None,
        })
        .collect();
    names.windows(2).any(|pair| match pair {
        [agent, "plugins" | "extensions"] => agent.starts_with('.'),
        ["plugins", "cache"] => true,
        _ => false,
    })
}

/// Checks the argument `project`.
fn directory(project: &str) -> Result<PathBuf, Failure> {
    let dir = PathBuf::from(project);
    let hint = "give the absolute path of the project's directory";
    let wrong = |why: &str| {
        let message = format!("project {project:?} {why}");
        Err(Failure::new(FailureKind::Usage, message, hint))
    };
    if project.contains('\0') || !dir.is_absolute() {
        return wrong("is not an absolute path");
    }
    match std::fs::metadata(&dir) {
        Ok(meta) if meta.is_dir() => Ok(dir),
        Ok(_) => wrong("is not a directory"),
        Err(_) => wrong("does not exist, or cannot be entered"),
    }
}

/// Returns the failure of a write without a project.
pub(super) fn unknown() -> Failure {
    Failure::new(
        FailureKind::Usage,
        "nothing was written, because the project is not known here",
        "give the argument project: the absolute path of the project's directory",
    )
}

/// Returns the directory that a root of a client names, if it exists.
pub(super) fn root(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = decoded(path)?;
    // A drive of Windows comes after a slash.
    let drive = path.strip_prefix('/').filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    let dir = PathBuf::from(drive.unwrap_or(&path));
    (dir.is_absolute() && dir.parent().is_some() && dir.is_dir()).then_some(dir)
}

/// Decodes the escapes of a URI; `None` if the result is no text.
pub(super) fn decoded(text: &str) -> Option<String> {
    let is_escape = |rest: &str| {
        rest.get(..2).is_some_and(|hex| hex.bytes().all(|digit| digit.is_ascii_hexdigit()))
    };
    // The library would leave `%zz` as it is.
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    text.split('%').skip(1).all(is_escape).then(|| decoded.into_owned())
}

/// Encodes a text as a part of a URI.
pub(super) fn encoded(text: &str) -> PercentEncode<'_> {
    const PART: &AsciiSet = &URI_PATH.add(b'/');
    utf8_percent_encode(text, PART)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_plugins() {
        for (dir, want) in [
            ("/home/anna/.claude/plugins/cache/pimem/1.0.0", true),
            ("/home/anna/.codex/plugins/cache/pimem", true),
            ("/srv/codex/plugins/cache/pimem", true),
            ("/home/anna/.gemini/extensions/pimem", true),
            ("/home/anna/src/plugins/pimem", false),
            ("/home/anna/src/browser/extensions", false),
            ("/home/anna/src", false),
        ] {
            assert_eq!(is_cache(Path::new(dir)), want, "{dir}");
        }
    }

    #[test]
    fn escapes() {
        assert_eq!(decoded("/a%20b/%C3%A9"), Some("/a b/é".to_owned()));
        for wrong in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(decoded(wrong), None, "{wrong}");
        }
        for text in ["plain-1", "a b/é%"] {
            assert_eq!(decoded(&encoded(text).to_string()).as_deref(), Some(text));
        }
        assert_eq!(root("https://example.org"), None);
        assert_eq!(root("file:relative"), None);
        assert_eq!(root("file:///"), None);
        assert_eq!(root("file://localhost/tmp/%2e"), Some(PathBuf::from("/tmp/.")));
    }
}
