//! Parses the input of a hook leniently: missing, unknown and mistyped values are ignored.

use std::{collections::HashMap, path::PathBuf};

use serde_json::{Value, value::RawValue};

use super::{speaker::Speaker, spec::Agent};
use pimem_core::session::transcript;

/// The input of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Input {
    /// Session id from the agent.
    pub(crate) session: Option<String>,
    /// Working directory of the agent.
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) source: Source,
    /// The part of the prompt that the user typed. Agents and editors put other texts around it, some
    /// of them the answers of hooks.
    pub(crate) prompt: Option<String>,
    /// Who wrote the prompt, or for whom the event is.
    pub(crate) speaker: Speaker,
    /// Name of the tool that ran.
    pub(crate) tool: Option<String>,
    /// Files that the tool call names.
    pub(crate) files: Vec<String>,
    /// Answer of the agent.
    pub(crate) response: Option<String>,
    /// Path of the session's transcript.
    pub(crate) transcript: Option<PathBuf>,
    /// Summary of the context that was compacted.
    pub(crate) summary: Option<String>,
    /// Why the context is compacted.
    pub(crate) trigger: Trigger,
    /// Number of earlier requests to the model in this turn.
    pub(crate) invocation: u64,
}

/// The reason why a session starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Source {
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

impl Source {
    /// Returns true if the context no longer has the texts that hooks added.
    pub(crate) fn forgets(self) -> bool {
        matches!(self, Self::Clear | Self::Compact)
    }
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
    let text = String::from_utf8_lossy(bytes);
    let json = text.trim_start_matches('\u{feff}').trim();
    if json.is_empty() {
        return Some(Input::default());
    }
    let object: Object<'_> = serde_json::from_str(json).ok()?;
    let text = |keys: &[&str]| keys.iter().find_map(|key| string(object.get(*key)?.get()));
    let first = |key: &str| {
        let list: Vec<Value> = serde_json::from_str(object.get(key)?.get()).ok()?;
        list.into_iter().find_map(|value| value.as_str().map(str::to_owned))
    };
    let path = |text: Option<String>| text.filter(|text| !text.contains('\0')).map(PathBuf::from);
    let cwd =
        text(&["cwd"]).or_else(|| first("workspace_roots")).or_else(|| first("workspacePaths"));
    let ids = ["session_id", "sessionId", "sessionID", "conversation_id", "conversationId"];
    let source = match text(&["source", "reason"]).as_deref() {
        Some("resume" | "reload") => Source::Resume,
        Some("clear" | "new") => Source::Clear,
        Some("compact") => Source::Compact,
        _ => Source::Startup,
    };
    let prompt = text(&["prompt", "message"]);
    let answers = ["last_assistant_message", "prompt_response", "response", "lastAssistantMessage"];
    let number = |key: &str| object.get(key)?.get().parse().ok();
    Some(Input {
        session: text(&ids).filter(|id| !id.is_empty() && id.len() <= SESSION),
        cwd: path(cwd),
        source,
        prompt: prompt.as_deref().and_then(typed),
        speaker: Speaker::of(agent, |key| text(&[key]), prompt.as_deref().unwrap_or_default()),
        tool: text(&["tool_name", "toolName", "tool"]),
        files: files(&object),
        response: text(&answers),
        summary: text(&["compact_summary", "compactSummary"]),
        trigger: match text(&["trigger"]).as_deref() {
            Some("auto") => Trigger::Auto,
            _ => Trigger::Manual,
        },
        transcript: path(text(&["transcript_path", "transcriptPath", "session_file"])),
        invocation: number("invocationNum").unwrap_or(0),
    })
}

/// Parses a JSON string. JavaScript escapes lone surrogates, which are not characters; only these
/// are replaced.
fn string(json: &str) -> Option<String> {
    serde_json::from_str(json).ok().or_else(|| {
        let mut mended = String::with_capacity(json.len());
        let mut rest = json.strip_prefix('"')?;
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
        serde_json::from_str(&format!("\"{mended}")).ok()
    })
}

/// Keys under which tools name the file that they change.
const FILE_KEYS: &[&str] = &[
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "absolute_path",
    "target_file",
    "TargetFile",
    "AbsolutePath",
    "file",
];

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
    for key in FILE_KEYS {
        object.get(*key).and_then(|raw| string(raw.get())).into_iter().for_each(|name| add(&name));
    }
    let inputs = ["tool_input", "toolInput", "args", "input", "toolArgs", "arguments"];
    for raw in inputs.iter().filter_map(|key| object.get(*key)) {
        let fields: Object<'_> = match serde_json::from_str(raw.get()) {
            Ok(fields) => fields,
            Err(_) => HashMap::from([("patch".to_owned(), *raw)]),
        };
        for key in FILE_KEYS {
            fields.get(*key).and_then(|raw| string(raw.get())).into_iter().for_each(|n| add(&n));
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
        assert_eq!((got.session.as_deref(), got.source), (Some("a"), Source::Compact));
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
}
