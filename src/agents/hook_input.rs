//! The input of a hook, read leniently: missing, unknown and mistyped values are ignored. Says who
//! wrote the text of a prompt, too. Pure.
//!
//! Only what a person typed teaches. A prompt may as well be the task of a sub-agent, written by a
//! model; a turn that a schedule or a program begins; or the message of another agent.

use std::{borrow::Cow, collections::HashMap, path::PathBuf};

use serde::de::DeserializeOwned;
use serde_json::{Value, value::RawValue};

use super::Agent;
use pimem_core::{language::preference::Preference, session::transcript};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Input {
    pub(crate) session: Option<String>,
    /// The sub-agent of the session that the event is about.
    pub(crate) sub_agent: Option<String>,
    /// The kind of sub-agent.
    pub(crate) agent_type: Option<String>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) source: PromptSource,
    /// The part of the prompt that the user typed. Agents and editors put other texts around it, some
    /// of them the answers of hooks.
    pub(crate) prompt: Option<String>,
    /// Who wrote the prompt, or for whom the event is.
    pub(crate) speaker: Speaker,
    /// True if nobody is at the session: a program began it, and no prompt of it is a person's.
    pub(crate) unattended: bool,
    pub(crate) tool: Option<String>,
    /// Files that the tool call names.
    pub(crate) files: Vec<String>,
    /// True if it is too large to be read.
    pub(crate) too_large: bool,
    /// Arguments of the tool.
    pub(crate) arguments: Option<Value>,
    /// True if it has arguments that cannot be read, as they are nested too deeply.
    pub(crate) unreadable: bool,
    /// Answer of the agent.
    pub(crate) response: Option<String>,
    pub(crate) transcript: Option<PathBuf>,
    /// Summary of the context that was compacted.
    pub(crate) summary: Option<String>,
    /// Why the context is compacted.
    pub(crate) trigger: Trigger,
    /// Number of earlier requests to the model in this turn.
    pub(crate) invocation: u64,
}

impl Input {
    /// Returns the id of the context that hooks add to: that of the session, or of a sub-agent in it.
    pub(crate) fn context(&self) -> Option<String> {
        let session = self.session.as_ref()?;
        Some(match &self.sub_agent {
            Some(agent) => format!("{session}/{agent}"),
            None => session.clone(),
        })
    }
}

/// The reason why a session starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum PromptSource {
    /// A new session, or no reason given.
    #[default]
    Startup,
    /// Continued after a pause.
    Resume,
    /// The context was cleared.
    Clear,
    /// The context was compacted.
    Compact,
}

/// Who wants a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Trigger {
    /// The user, or nothing is said.
    #[default]
    Manual,
    /// The agent.
    Auto,
}

impl PromptSource {
    /// Returns true if the context no longer has the texts that hooks added.
    pub(crate) fn forgets(self) -> bool {
        matches!(self, Self::Clear | Self::Compact)
    }
}

/// What the input of a hook tells under several keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Session,
    /// Directories, the first of which is the working directory.
    Workspaces,
    /// Answer of the agent.
    Response,
    Tool,
    /// Arguments of a tool.
    Arguments,
    /// A file that a tool changes.
    File,
    Summary,
    Transcript,
}

/// Keys of several agents and programs; the others are in the records.
const COMMON: &[(Field, &str)] = &[
    (Field::Session, "session_id"),
    (Field::Session, "sessionId"),
    (Field::Session, "sessionID"),
    (Field::Response, "last_assistant_message"),
    (Field::Response, "response"),
    (Field::Response, "lastAssistantMessage"),
    (Field::Tool, "tool_name"),
    (Field::Tool, "tool"),
    (Field::Arguments, "tool_input"),
    (Field::Arguments, "toolInput"),
    (Field::Arguments, "args"),
    (Field::Arguments, "input"),
    (Field::Arguments, "arguments"),
    (Field::File, "file_path"),
    (Field::File, "filePath"),
    (Field::File, "path"),
    (Field::File, "notebook_path"),
    (Field::File, "absolute_path"),
    (Field::File, "target_file"),
    (Field::File, "file"),
    (Field::Summary, "compact_summary"),
    (Field::Summary, "compactSummary"),
    (Field::Transcript, "transcript_path"),
    (Field::Transcript, "session_file"),
];

/// Returns the keys of a field. Those of all agents are read, whoever calls: some programs call by
/// the name of another.
pub(super) fn keys(field: Field) -> impl Iterator<Item = &'static str> {
    let spelled = Agent::ALL.into_iter().flat_map(|agent| agent.record().spellings);
    let named = COMMON.iter().chain(spelled).filter(move |(known, _)| *known == field);
    named.map(|(_, key)| *key)
}

/// An object whose values are parsed on demand.
type Object<'a> = HashMap<String, &'a RawValue>;

/// Maximum length of a session id in bytes; longer ones are ignored.
const SESSION: usize = 512;

/// Returns what the user typed of a prompt, if anything.
pub(crate) fn typed(prompt: &str) -> Option<String> {
    let typed = transcript::typed(prompt)?;
    Some(if typed.len() == prompt.len() { typed } else { typed.trim().to_owned() })
}

/// Parses the input of a hook of an agent. Empty input is an empty message; `None` means that it is
/// not a JSON object.
pub(crate) fn read(agent: Agent, bytes: &[u8]) -> Option<Input> {
    // What is valid is not looked at character by character.
    let text = str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
    let json = text.trim_start_matches('\u{feff}').trim();
    if json.is_empty() {
        return Some(Input::default());
    }
    let object: Object<'_> = serde_json::from_str(json).ok()?;
    let text = |key: &str| string(object.get(key)?.get());
    let told = |field| keys(field).find_map(text);
    let first = |key: &str| {
        let list: Vec<Value> = serde_json::from_str(object.get(key)?.get()).ok()?;
        list.into_iter().find_map(|value| value.as_str().map(str::to_owned))
    };
    let path = |text: Option<String>| text.filter(|text| !text.contains('\0')).map(PathBuf::from);
    let cwd = text("cwd").or_else(|| keys(Field::Workspaces).find_map(first));
    let source = match text("source").or_else(|| text("reason")).as_deref() {
        Some("resume" | "reload") => PromptSource::Resume,
        Some("new") if agent.record().starts_new => PromptSource::Startup,
        Some("clear" | "new") => PromptSource::Clear,
        Some("compact") => PromptSource::Compact,
        _ => PromptSource::Startup,
    };
    let prompt = text("prompt").or_else(|| text("message"));
    let usable = |id: &String| !id.is_empty() && id.len() <= SESSION;
    let number = |key: &str| object.get(key)?.get().parse().ok();
    let told_arguments = keys(Field::Arguments).find_map(|key| object.get(key));
    let arguments = told_arguments.and_then(|raw| value(raw.get()));
    let unattended = object.get(UNATTENDED).is_some_and(|raw| raw.get() == "true");
    Some(Input {
        session: told(Field::Session).filter(usable),
        agent_type: text("agent_type"),
        sub_agent: OF_SUB_AGENT.iter().find_map(|field| text(field)).filter(usable),
        cwd: path(cwd),
        source,
        prompt: prompt.as_deref().and_then(typed),
        speaker: if unattended {
            Speaker::Agent
        } else {
            Speaker::of(agent, text, prompt.as_deref().unwrap_or_default())
        },
        unattended,
        tool: told(Field::Tool),
        files: files(&object),
        too_large: false,
        unreadable: told_arguments.is_some() && arguments.is_none(),
        arguments,
        response: told(Field::Response),
        summary: told(Field::Summary),
        trigger: match text("trigger").as_deref() {
            Some("auto") => Trigger::Auto,
            _ => Trigger::Manual,
        },
        transcript: path(told(Field::Transcript)),
        invocation: number("invocationNum").unwrap_or(0),
    })
}

fn string(json: &str) -> Option<String> {
    value(json)
}

/// Parses JSON. JavaScript escapes lone surrogates, which are not characters; only these are
/// replaced.
fn value<T: DeserializeOwned>(json: &str) -> Option<T> {
    serde_json::from_str(json).ok().or_else(|| serde_json::from_str(&mended(json)?).ok())
}

fn mended(json: &str) -> Option<String> {
    let mut mended = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        mended.push_str(before);
        let length = if escape.as_bytes().get(1) == Some(&b'u') { 6 } else { 2 };
        let length = length.min(escape.len());
        let (escape, after) = escape.split_at_checked(length)?;
        let pair = after.get(..6).map(|low| format!("{escape}{low}"));
        let valid = |text: &str| serde_json::from_str::<String>(&format!("\"{text}\"")).is_ok();
        if let Some(pair) = pair.filter(|pair| !valid(escape) && valid(pair)) {
            mended.push_str(&pair);
            rest = after.get(6..)?;
        } else {
            mended.push_str(if valid(escape) { escape } else { "\\ufffd" });
            rest = after;
        }
    }
    mended.push_str(rest);
    Some(mended)
}

/// Maximum number of files kept.
const FILES: usize = 16;

/// Returns the files of a tool call, from its arguments or from the file headers of a patch.
fn files(object: &Object<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let usable = !name.is_empty() && name.len() <= 4096 && !name.contains(['\0', '\n']);
        if usable && found.len() < FILES && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    };
    for key in keys(Field::File) {
        object.get(key).and_then(|raw| string(raw.get())).into_iter().for_each(|name| add(&name));
    }
    for raw in keys(Field::Arguments).filter_map(|key| object.get(key)) {
        let fields: Object<'_> = match serde_json::from_str(raw.get()) {
            Ok(fields) => fields,
            Err(_) => HashMap::from([("patch".to_owned(), *raw)]),
        };
        for key in keys(Field::File) {
            fields.get(key).and_then(|raw| string(raw.get())).into_iter().for_each(|n| add(&n));
        }
        for patch in ["command", "patch", "input"].iter().filter_map(|key| fields.get(*key)) {
            let text = string(patch.get()).or_else(|| {
                let words: Vec<String> = serde_json::from_str(patch.get()).ok()?;
                Some(words.join("\n"))
            });
            for line in text.iter().flat_map(|text| text.lines()) {
                let heads = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
                heads.iter().filter_map(|head| line.strip_prefix(head)).for_each(|n| add(n.trim()));
            }
        }
    }
    found
}

/// Why a preference waits whose writer is not known.
const NOT_KNOWN: &str = "the agent does not tell who wrote it";

/// The writer of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Speaker {
    #[default]
    Person,
    /// A model that has another agent work for it. The whole session is the sub-agent's, where it
    /// has one of its own.
    SubAgent,
    /// The agent itself, a program that drives it, or another agent: notifications, scheduled and
    /// injected turns.
    Agent,
    Unknown,
}

/// How an agent tells who wrote a prompt.
pub(crate) struct Telling {
    /// Field of the event.
    pub(super) field: Option<&'static str>,
    /// What its values mean. Any other value, as of a later version, is unknown.
    pub(super) values: &'static [(&'static str, Speaker)],
    /// The writer where the field is missing.
    pub(super) missing: Speaker,
}

impl Telling {
    /// Sub-agents call no hook for prompts, or say so by one of `OF_SUB_AGENT`.
    pub(super) const PERSON: Self = Self { field: None, values: &[], missing: Speaker::Person };
    pub(super) const UNKNOWN: Self = Self { missing: Speaker::Unknown, ..Self::PERSON };
    /// The field of a program whose prompts are a person's where it does not tell.
    pub(super) const TOLD: Self = Self {
        field: Some("speaker"),
        values: &[
            ("person", Speaker::Person),
            ("sub-agent", Speaker::SubAgent),
            ("agent", Speaker::Agent),
            ("unknown", Speaker::Unknown),
        ],
        missing: Speaker::Person,
    };
    /// The field of our shims. Those of earlier versions did not tell, though these agents have
    /// sub-agents and programs that write prompts.
    pub(super) const SHIM: Self = Self { missing: Speaker::Unknown, ..Self::TOLD };
}

/// Fields that are there in events of sub-agents only, in every dialect.
const OF_SUB_AGENT: [&str; 2] = ["agent_id", "agentId"];

/// The field of sessions in the background, which some agents send with the first event alone.
const UNATTENDED: &str = "is_background_agent";

/// Elements that begin a message which an agent puts into the user's place, where no field tells.
const MESSAGES: &[&str] = &[
    "task-notification",
    "teammate-message",
    "cross-session-message",
    "agent-message",
    "coordinator-relay",
    "slack-ping",
    "slack-tag-message",
    "channel",
    "tick",
    "background_output",
];

/// Beginnings of prompts that an agent makes of a person's words and of other texts.
const MIXED: &[&str] = &["User steering update:", "Background execution update:"];

impl Speaker {
    /// Returns who wrote the prompt of an event; `text` gives a field that is a string.
    pub(crate) fn of(agent: Agent, text: impl Fn(&str) -> Option<String>, prompt: &str) -> Self {
        if OF_SUB_AGENT.iter().any(|field| text(field).is_some_and(|id| !id.is_empty())) {
            return Self::SubAgent;
        }
        let Telling { field, values, missing } = &agent.record().speaker;
        let told = field.and_then(&text).map(|told| {
            let known = values.iter().find(|(value, _)| *value == told);
            known.map_or(Self::Unknown, |(_, speaker)| *speaker)
        });
        match told.unwrap_or(*missing) {
            Self::Person if is_message(prompt) => Self::Agent,
            Self::Person if MIXED.iter().any(|start| prompt.trim_start().starts_with(start)) => {
                Self::Unknown
            }
            speaker => speaker,
        }
    }

    /// Returns true if the agent tells that a person has written it.
    pub(crate) fn is_person(self) -> bool {
        self == Self::Person
    }

    /// Returns true if the session is a sub-agent's.
    pub(crate) fn is_sub_agent(self) -> bool {
        self == Self::SubAgent
    }

    /// Returns what may be learned of the preferences in a prompt: those that nobody knows the
    /// writer of wait for a review.
    pub(crate) fn judge(self, mut found: Vec<Preference>) -> Vec<Preference> {
        match self {
            Self::Person => {}
            Self::Unknown => {
                for one in &mut found {
                    one.waits.get_or_insert(NOT_KNOWN);
                }
            }
            Self::SubAgent | Self::Agent => found.clear(),
        }
        found
    }
}

/// Returns true if a prompt begins with an element of a message.
fn is_message(prompt: &str) -> bool {
    let Some(inside) = prompt.trim_start().strip_prefix('<') else { return false };
    let end = inside.find(|c: char| c == '>' || c.is_whitespace()).unwrap_or(inside.len());
    inside.get(..end).is_some_and(|name| MESSAGES.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Option<Input> {
        super::read(Agent::Generic, bytes)
    }

    #[test]
    fn each_dialect() {
        let claude = br#"{"session_id":"a","cwd":"/p","hook_event_name":"SessionStart","source":"compact","new":{"x":[1]}}"#;
        let got = read(claude).unwrap();
        assert_eq!((got.session.as_deref(), got.source), (Some("a"), PromptSource::Compact));
        assert_eq!(got.cwd, Some(PathBuf::from("/p")));
        let cursor = br#"{"conversation_id":"c","workspace_roots":["/w","/x"],"prompt":"do it","user_email":"a@b"}"#;
        let got = read(cursor).unwrap();
        assert_eq!((got.session.as_deref(), got.cwd), (Some("c"), Some(PathBuf::from("/w"))));
        let antigravity = br#"{"conversationId":"d","workspacePaths":["/w"],"invocationNum":3,"transcriptPath":"/t"}"#;
        let got = read(antigravity).unwrap();
        assert_eq!((got.invocation, got.transcript), (3, Some(PathBuf::from("/t"))));
    }

    #[test]
    fn what_was_typed() {
        let report = "# Project Memory [49% — 830/1,700 tokens]\n- Berths are locked by tide\n";
        let around = format!("<hook_context>{report}</hook_context>\n\nWhere do tables come from?");
        for (prompt, want) in [
            ("Where do tables come from?", Some("Where do tables come from?")),
            (around.as_str(), Some("Where do tables come from?")),
            ("  a <b> c\n", Some("  a <b> c\n")),
            ("<hook_context>all of it</hook_context>", None),
            ("", None),
        ] {
            let input = serde_json::json!({"prompt": prompt}).to_string();
            assert_eq!(read(input.as_bytes()).unwrap().prompt.as_deref(), want, "{prompt}");
        }
    }

    #[test]
    fn compactions() {
        let input = br#"{"trigger":"auto","compact_summary":"It was about berths."}"#;
        let got = read(input).unwrap();
        assert_eq!(
            (got.trigger, got.summary.as_deref()),
            (Trigger::Auto, Some("It was about berths."))
        );
        assert_eq!(read(b"{\"trigger\":\"manual\"}").unwrap().trigger, Trigger::Manual);
    }

    #[test]
    fn files_of_tools() {
        for (json, want) in [
            (r#"{"tool_input":{"file_path":"/p/a.rs","content":"x"}}"#, vec!["/p/a.rs"]),
            (r#"{"file_path":"b.rs","edits":[]}"#, vec!["b.rs"]),
            (
                r#"{"tool_input":{"command":"*** Begin Patch\n*** Update File: src/a.rs\n@@\n*** Add File: src/b.rs\n"}}"#,
                vec!["src/a.rs", "src/b.rs"],
            ),
            (
                r#"{"tool_input":{"command":["apply_patch","*** Begin Patch\n*** Delete File: c\n"]}}"#,
                vec!["c"],
            ),
            (r#"{"args":{"filePath":"d.ts"}}"#, vec!["d.ts"]),
            (r#"{"tool_input":"*** Update File: e"}"#, vec!["e"]),
            (r#"{"tool_input":{"command":"ls -l"}}"#, vec![]),
            (r#"{"tool_input":{"file_path":7},"file_path":null}"#, vec![]),
        ] {
            assert_eq!(read(json.as_bytes()).unwrap().files, want, "{json}");
        }
    }

    #[test]
    fn whatever_comes() {
        assert_eq!(read(b""), Some(Input::default()));
        assert_eq!(read(b"\xef\xbb\xbf {}\r\n"), Some(Input::default()));
        for bad in [&b"{"[..], b"[]", b"3", b"null", b"{\"a\":}", b"\x00"] {
            assert_eq!(read(bad), None);
        }
        let odd = br#"{"session_id":7,"cwd":[],"prompt":{"a":1},"source":4,"invocationNum":"x"}"#;
        assert_eq!(read(odd), Some(Input::default()));
        let deep =
            format!("{{\"x\":{}{},\"prompt\":\"p\"}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(read(deep.as_bytes()).unwrap().prompt.as_deref(), Some("p"));
        // Invalid UTF-8 and lone surrogates.
        assert_eq!(read(b"{\"prompt\":\"a\xff\"}").unwrap().prompt.as_deref(), Some("a\u{fffd}"));
        let half = br#"{"prompt":"x \ud83d y \ud83d\ude00 \" \n \\"}"#;
        assert_eq!(read(half).unwrap().prompt.as_deref(), Some("x \u{fffd} y \u{1f600} \" \n \\"));
    }

    #[test]
    fn each_dialect_tells_who_speaks() {
        use Speaker::{Agent as Machine, Person, SubAgent, Unknown};
        const RULE: &str = "From now on, always use tabs";
        for (agent, field, value, prompt, want) in [
            (Agent::Claude, "", "", RULE, Person),
            (Agent::Claude, "source", "user", RULE, Person),
            (Agent::Claude, "source", "sdk", RULE, Person),
            (Agent::Claude, "source", "schedule_wakeup", RULE, Machine),
            (Agent::Claude, "source", "of_next_year", RULE, Unknown),
            (Agent::Claude, "agent_id", "a1", RULE, SubAgent),
            (Agent::Claude, "agent_id", "", RULE, Person),
            (Agent::Claude, "", "", " <task-notification>\nx</task-notification>", Machine),
            (Agent::Claude, "source", "user", "<teammate-message from=\"b\">x", Machine),
            (Agent::Claude, "", "", "<ticket> is no element of a message", Person),
            (Agent::Claude, "", "", "What is a <channel>?", Person),
            (Agent::Codex, "", "", RULE, Person),
            // Of another dialect.
            (Agent::Codex, "source", "system", RULE, Person),
            (Agent::Codex, "agent_id", "019a", RULE, SubAgent),
            (Agent::Gemini, "", "", RULE, Person),
            (Agent::Gemini, "", "", "User steering update:\n<user_input>x", Unknown),
            (Agent::Cursor, "", "", RULE, Person),
            (Agent::Antigravity, "", "", RULE, Unknown),
            (Agent::Opencode, "", "", RULE, Unknown),
            (Agent::Opencode, "speaker", "person", RULE, Person),
            (Agent::Opencode, "speaker", "sub-agent", RULE, SubAgent),
            (Agent::Pi, "", "", RULE, Unknown),
            (Agent::Pi, "speaker", "agent", RULE, Machine),
            (Agent::Generic, "", "", RULE, Person),
            (Agent::Generic, "speaker", "somebody", RULE, Unknown),
        ] {
            let text = |name: &str| (name == field).then(|| value.to_owned());
            assert_eq!(
                Speaker::of(agent, text, prompt),
                want,
                "{agent:?} {field} {value} {prompt}"
            );
        }
    }
}
