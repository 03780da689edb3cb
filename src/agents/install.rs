//! The table of agents: which events call pimem, and which files configure them. Pure.
//!
//! Commands never change between versions and contain no directory, because Codex trusts a hook by
//! its exact bytes.

use std::path::{Path, PathBuf};

use super::{
    settings::{self, Hook, Layout},
    spec::{Agent, HookEvent},
};
use pimem_core::exchange::json_scan::Dialect;

/// An event for which an agent calls pimem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) moment: HookEvent,
    /// Name of the event in the agent's settings.
    pub(crate) native: &'static str,
    /// Name of the event on pimem's command line.
    pub(crate) word: &'static str,
    /// Pattern of the tools after which the hook is called.
    pub(crate) matcher: Option<&'static str>,
    /// Time limit in seconds.
    pub(crate) seconds: u32,
}

/// The scope of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All sessions of the user.
    User,
    /// Sessions in one project.
    Project,
}

/// A file in an agent's directory that belongs to pimem entirely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Whole {
    pub(crate) text: &'static str,
    /// Kind of file, for people.
    pub(crate) what: &'static str,
}

/// What is edited for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// Hooks in the agent's settings file.
    Settings(Layout),
    /// A file of its own.
    Whole(Whole),
}

/// Text that identifies a file as written by pimem.
pub(crate) const MARK: &str = "Written by `pimem hooks install`";

/// A shim followed by the part shared by all shims, because an agent loads a single file.
macro_rules! shim {
    ($file:literal) => {
        concat!(include_str!($file), "\n", include_str!("shims/ask.ts"))
    };
}

const OPENCODE: Whole = Whole { text: shim!("shims/opencode.ts"), what: "plugin" };
const PI: Whole = Whole { text: shim!("shims/pi.ts"), what: "extension" };
const RULE: Whole = Whole { text: include_str!("shims/cursor.mdc"), what: "rule" };

const fn event(moment: HookEvent, native: &'static str, seconds: u32) -> Event {
    Event { moment, native, word: moment.name(), matcher: None, seconds }
}

const fn after(native: &'static str, matcher: &'static str) -> Event {
    Event { matcher: Some(matcher), ..event(HookEvent::PostTool, native, 5) }
}

use HookEvent::{PostCompact, PostTool, PreCompact, Prompt, SessionEnd, SessionStart, Stop};

const CLAUDE: &[Event] = &[
    event(SessionStart, "SessionStart", 10),
    event(Prompt, "UserPromptSubmit", 5),
    after("PostToolUse", "Edit|Write|MultiEdit|NotebookEdit"),
    event(PreCompact, "PreCompact", 10),
    event(PostCompact, "PostCompact", 10),
    event(Stop, "Stop", 10),
    event(SessionEnd, "SessionEnd", 10),
];
const CODEX: &[Event] = &[
    event(SessionStart, "SessionStart", 10),
    event(Prompt, "UserPromptSubmit", 5),
    after("PostToolUse", "apply_patch|Edit|Write"),
    event(PreCompact, "PreCompact", 10),
    event(Stop, "Stop", 5),
    // Codex allows three seconds at most.
    event(SessionEnd, "SessionEnd", 3),
];
const GEMINI: &[Event] = &[
    event(SessionStart, "SessionStart", 10),
    event(Prompt, "BeforeAgent", 5),
    after("AfterTool", "write_file|replace"),
    event(PreCompact, "PreCompress", 10),
    event(Stop, "AfterAgent", 5),
    event(SessionEnd, "SessionEnd", 5),
];
const ANTIGRAVITY: &[Event] = &[
    // Called before each request to the model; only the first of a turn has a new prompt.
    Event { word: "pre-invocation", ..event(Prompt, "PreInvocation", 10) },
    after("PostToolUse", "*"),
    event(Stop, "Stop", 10),
];
const CURSOR: &[Event] = &[
    event(SessionStart, "sessionStart", 5),
    event(Prompt, "beforeSubmitPrompt", 5),
    event(PostTool, "afterFileEdit", 5),
    event(PreCompact, "preCompact", 10),
    event(Stop, "stop", 5),
    event(SessionEnd, "sessionEnd", 5),
];
/// Events of the agents that load a shim, with the shim's time limits.
const SHIM: &[Event] = &[
    event(SessionStart, "session_start", 5),
    event(Prompt, "prompt", 5),
    event(PostTool, "post_tool", 5),
    event(PreCompact, "pre_compact", 5),
    event(PostCompact, "post_compact", 5),
    event(Stop, "stop", 5),
    event(SessionEnd, "session_end", 5),
];
/// The events of `OpenCode`, which has none at the end of a session.
const OPENCODE_EVENTS: &[Event] = &[
    event(SessionStart, "session_start", 5),
    event(Prompt, "prompt", 5),
    event(PostTool, "post_tool", 5),
    event(PreCompact, "pre_compact", 5),
    event(PostCompact, "post_compact", 5),
    event(Stop, "stop", 5),
];

impl Agent {
    /// Returns the events of this agent, in the order of a session.
    pub(crate) fn events(self) -> &'static [Event] {
        match self {
            Self::Claude => CLAUDE,
            Self::Codex => CODEX,
            Self::Gemini => GEMINI,
            Self::Antigravity => ANTIGRAVITY,
            Self::Cursor => CURSOR,
            Self::Opencode => OPENCODE_EVENTS,
            Self::Pi | Self::Generic => SHIM,
        }
    }

    /// Returns the display name.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Antigravity => "Antigravity",
            Self::Cursor => "Cursor",
            Self::Opencode => "OpenCode",
            Self::Pi => "pi",
            Self::Generic => "any other",
        }
    }

    /// Returns where the settings directory is: an environment variable with a subdirectory, and
    /// otherwise a path in the home directory.
    fn directory(self) -> (Option<(&'static str, &'static str)>, &'static str) {
        match self {
            Self::Claude => (Some(("CLAUDE_CONFIG_DIR", "")), ".claude"),
            Self::Codex => (Some(("CODEX_HOME", "")), ".codex"),
            Self::Gemini => (None, ".gemini"),
            Self::Antigravity => (None, ".gemini/config"),
            Self::Cursor => (None, ".cursor"),
            Self::Opencode => (Some(("XDG_CONFIG_HOME", "opencode")), ".config/opencode"),
            Self::Pi => (Some(("PI_CODING_AGENT_DIR", "")), ".pi/agent"),
            Self::Generic => (None, ""),
        }
    }

    /// Returns the settings directory.
    pub(crate) fn config_dir(
        self,
        home: &Path,
        variable: impl Fn(&str) -> Option<PathBuf>,
    ) -> PathBuf {
        let (named, default) = self.directory();
        let named = named.and_then(|(name, rest)| Some((variable(name)?, rest)));
        match named {
            Some((dir, "")) => home.join(dir),
            Some((dir, rest)) => home.join(dir).join(rest),
            None => home.join(default),
        }
    }

    /// Returns files in that directory which show that the agent is used. The directory itself does
    /// not for pi, because it contains our store.
    pub(crate) fn signs(self) -> &'static [&'static str] {
        match self {
            Self::Pi => &["settings.json", "auth.json", "models.json", "sessions", "extensions"],
            Self::Antigravity => &["", "../antigravity-cli"],
            _ => &[""],
        }
    }

    /// Returns the files to edit. Paths are relative to the settings directory or to the project
    /// root.
    pub(crate) fn files(self, reach: Reach) -> Vec<(&'static str, Content)> {
        let settings = || Content::Settings(self.layout());
        let user = reach == Reach::User;
        let one =
            |of_user, of_project, content| vec![(if user { of_user } else { of_project }, content)];
        match self {
            Self::Claude => one("settings.json", ".claude/settings.json", settings()),
            Self::Codex => one("hooks.json", ".codex/hooks.json", settings()),
            Self::Gemini => one("settings.json", ".gemini/settings.json", settings()),
            Self::Antigravity => one("hooks.json", ".agents/hooks.json", settings()),
            Self::Cursor if user => vec![("hooks.json", settings())],
            Self::Cursor => vec![
                (".cursor/hooks.json", settings()),
                (".cursor/rules/pimem.mdc", Content::Whole(RULE)),
            ],
            Self::Opencode => {
                one("plugins/pimem.ts", ".opencode/plugins/pimem.ts", Content::Whole(OPENCODE))
            }
            Self::Pi => one("extensions/pimem.ts", ".pi/extensions/pimem.ts", Content::Whole(PI)),
            Self::Generic => Vec::new(),
        }
    }

    /// Returns the layout of the settings file.
    fn layout(self) -> Layout {
        let hook = |event: &Event| Hook {
            event: event.native,
            word: event.word,
            element: self.element(event),
        };
        let dialect = match self {
            Self::Codex | Self::Antigravity => Dialect::Strict,
            _ => Dialect::Commented,
        };
        Layout {
            agent: self,
            dialect,
            group: if self == Self::Antigravity { "pimem" } else { "hooks" },
            inner: (self == Self::Antigravity).then_some(("enabled", "true")),
            beside: (self == Self::Cursor).then_some(("version", "1")),
            obsolete: (self == Self::Claude).then_some(("async", "true")),
            off: match self {
                Self::Claude => Some((&["disableAllHooks"], "true")),
                Self::Gemini => Some((&["hooksConfig", "enabled"], "false")),
                Self::Antigravity => Some((&["pimem", "enabled"], "false")),
                _ => None,
            },
            hooks: self.events().iter().map(hook).collect(),
        }
    }

    /// Returns the command line for an event.
    pub(crate) fn command(self, word: &str) -> String {
        format!("pimem hook {} {word}", self.name())
    }

    /// Returns the JSON element for the array of an event.
    fn element(self, event: &Event) -> String {
        let Event { word, seconds, .. } = event;
        let (name, command) = (self.name(), self.command(word));
        let handler = match self {
            // None is `async`: without a screen, Claude Code ends before such a hook has run.
            Self::Claude => format!(
                "{{\"type\": \"command\", \"command\": \"pimem\", \"args\": [\"hook\", \
                 \"{name}\", \"{word}\"], \"timeout\": {seconds}}}"
            ),
            Self::Codex => format!(
                "{{\"type\": \"command\", \"command\": \"{command}\", \"commandWindows\": \
                 \"pimem.exe hook {name} {word}\", \"timeout\": {seconds}}}"
            ),
            // The timeout is in milliseconds.
            Self::Gemini => format!(
                "{{\"type\": \"command\", \"name\": \"pimem\", \"command\": \"{command}\", \
                 \"timeout\": {seconds}000}}"
            ),
            Self::Cursor => {
                return format!("{{\"command\": \"{command}\", \"timeout\": {seconds}}}");
            }
            _ => format!(
                "{{\"type\": \"command\", \"command\": \"{command}\", \"timeout\": {seconds}}}"
            ),
        };
        match event.matcher {
            Some(matcher) => format!("{{\"matcher\": \"{matcher}\", \"hooks\": [{handler}]}}"),
            None if self == Self::Antigravity => handler,
            None => format!("{{\"hooks\": [{handler}]}}"),
        }
    }

    /// Returns the unit of the agent's time limits, in seconds.
    pub(crate) fn unit(self) -> f64 {
        if self == Self::Gemini { 0.001 } else { 1.0 }
    }

    /// Returns the user's next step that makes the hooks run.
    pub(crate) fn next(self, reach: Reach) -> &'static str {
        match (self, reach) {
            (Self::Claude, Reach::User) => "start Claude Code anew; /hooks lists them",
            (Self::Claude, _) => {
                "start Claude Code anew; .claude/settings.json is shared through git, and everyone \
                 who works here needs pimem"
            }
            (Self::Codex, _) => {
                "start codex and choose to trust the hooks when it asks to review them; codex exec \
                 never asks, and runs none before"
            }
            (Self::Gemini, Reach::User) => "start Gemini CLI anew; /hooks lists them",
            (Self::Gemini, _) => {
                "start Gemini CLI anew, and trust this folder; in others it runs \
                                  no hooks"
            }
            (Self::Antigravity, _) => "start agy anew",
            (Self::Cursor, _) => "start Cursor anew; Settings, Hooks lists them",
            (Self::Opencode, _) => "start OpenCode anew",
            (Self::Pi, Reach::User) => "/reload in pi",
            (Self::Pi, _) => "trust this project in pi, then /reload",
            (Self::Generic, _) => "have the agent run these lines",
        }
    }
}

/// Returns the file that a user without settings would get, for manual installation.
pub(crate) fn fragment(content: &Content) -> String {
    match content {
        Content::Whole(whole) => whole.text.to_owned(),
        Content::Settings(layout) => {
            let made = settings::with(None, layout).ok().flatten().unwrap_or_default();
            String::from_utf8_lossy(&made).into_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn printed(agent: Agent) -> Value {
        let files = agent.files(Reach::Project);
        let (_, content) = files.first().unwrap();
        serde_json::from_str(&fragment(content)).unwrap()
    }

    #[test]
    fn claude_is_run_without_a_shell() {
        let settings = printed(Agent::Claude);
        let hooks = settings["hooks"].as_object().unwrap();
        assert_eq!(hooks.len(), 7);
        let want = json!([{"matcher": "Edit|Write|MultiEdit|NotebookEdit", "hooks": [{
            "type": "command", "command": "pimem", "args": ["hook", "claude", "post-tool"],
            "timeout": 5,
        }]}]);
        assert_eq!(hooks["PostToolUse"], want);
        assert!(!settings.to_string().contains("async"));
    }

    #[test]
    fn limits_are_in_the_unit_of_the_agent() {
        assert_eq!(printed(Agent::Gemini)["hooks"]["BeforeAgent"][0]["hooks"][0]["timeout"], 5000);
        assert_eq!(printed(Agent::Codex)["hooks"]["Stop"][0]["hooks"][0]["timeout"], 5);
    }

    #[test]
    fn each_has_its_form() {
        let cursor = printed(Agent::Cursor);
        assert_eq!(cursor["version"], 1);
        let want = json!([{"command": "pimem hook cursor prompt", "timeout": 5}]);
        assert_eq!(cursor["hooks"]["beforeSubmitPrompt"], want);
        let agy = printed(Agent::Antigravity);
        let want = json!({"pimem": {
            "enabled": true,
            "PreInvocation": [{"type": "command",
                "command": "pimem hook antigravity pre-invocation", "timeout": 10}],
            "PostToolUse": [{"matcher": "*", "hooks": [{"type": "command",
                "command": "pimem hook antigravity post-tool", "timeout": 5}]}],
            "Stop": [{"type": "command", "command": "pimem hook antigravity stop", "timeout": 10}],
        }});
        assert_eq!(agy, want);
    }

    #[test]
    fn variables_name_directories() {
        let home = Path::new("/home/u");
        let none = |_: &str| None;
        let set = |name: &str| (name != "XDG_CONFIG_HOME").then(|| PathBuf::from("/c"));
        let xdg = |name: &str| (name == "XDG_CONFIG_HOME").then(|| PathBuf::from("/x"));
        assert_eq!(Agent::Claude.config_dir(home, none), home.join(".claude"));
        assert_eq!(Agent::Claude.config_dir(home, set), Path::new("/c"));
        assert_eq!(Agent::Opencode.config_dir(home, xdg), Path::new("/x/opencode"));
        assert_eq!(Agent::Cursor.config_dir(home, set), home.join(".cursor"));
    }

    #[test]
    fn whole_files_are_known_by_their_mark() {
        for whole in [OPENCODE, PI, RULE] {
            assert!(whole.text.contains(MARK), "{}", whole.what);
        }
    }
}
