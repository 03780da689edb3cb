//! Validates answers of hooks by the schema that each agent accepts: one object with known members,
//! or nothing. Pure.
//!
//! This is narrower than what the agents document: only answers that add context. Answers that
//! could stop, block or continue a conversation are rejected.

use serde_json::{Map, Value};

use super::spec::{Agent, HookEvent};
use pimem_core::safety::safe_text;

/// Maximum number of UTF-16 units in a text for Claude Code, which writes longer ones to a file.
pub const CLAUDE_UNITS: usize = 10_000;
/// Maximum number of bytes in a text for Codex: 2,500 tokens, at its four bytes per token.
pub const CODEX_BYTES: usize = 10_000;

/// The forms of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    /// An object without members, or nothing.
    Silent,
    /// An object without members; no output is a failure.
    Braces,
    /// `{"hookSpecificOutput": {"hookEventName": NAME, "additionalContext": TEXT}}`.
    Specific(&'static str),
    /// `{NAME: TEXT}`.
    Member(&'static str),
    /// `{"continue": true}`.
    Continue,
    /// `{"decision": "stop"}`, or an object without members; no output is a failure.
    Decision,
    /// `{"injectSteps": [{"ephemeralMessage": TEXT}]}`.
    Steps,
}

/// Checks the output of a hook, given the names of agent and event.
pub fn check_named(agent: &str, event: &str, output: &[u8]) -> Result<(), String> {
    let found = Agent::find(agent).ok_or_else(|| format!("there is no agent {agent}"))?;
    let by_word = found.events().iter().find(|known| known.word == event);
    let moment = by_word
        .map(|event| event.moment)
        .or_else(|| HookEvent::ALL.into_iter().find(|moment| moment.name() == event))
        .ok_or_else(|| format!("there is no event {event}"))?;
    check(found, moment, output)
}

/// Checks the output of a hook.
pub(crate) fn check(agent: Agent, moment: HookEvent, output: &[u8]) -> Result<(), String> {
    let form = form(agent, moment);
    let text = std::str::from_utf8(output).map_err(|_| "the answer is not UTF-8".to_owned())?;
    if let Some(c) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(format!("the answer has {} ({})", safe_text::describe(c), c.escape_unicode()));
    }
    if form == Form::Plain {
        return Ok(());
    }
    let text = text.trim_ascii();
    if text.is_empty() {
        return match form {
            Form::Braces | Form::Decision => {
                Err(format!("{} wants an object here, at least {{}}", agent.title()))
            }
            _ => Ok(()),
        };
    }
    let value: Value = serde_json::from_str(text)
        .map_err(|error| format!("the answer is not one JSON object: {error}"))?;
    let Value::Object(members) = &value else {
        return Err("the answer is JSON, but not an object".to_owned());
    };
    if members.is_empty() {
        return Ok(());
    }
    match form {
        Form::Plain | Form::Silent | Form::Braces => only(members, &[]).map(drop),
        Form::Continue => {
            only(members, &["continue"])?;
            let goes_on = members.get("continue") == Some(&Value::Bool(true));
            if goes_on { Ok(()) } else { Err("\"continue\" is not true".to_owned()) }
        }
        Form::Decision => {
            only(members, &["decision"])?;
            let ends = members.get("decision").and_then(Value::as_str) == Some("stop");
            if ends { Ok(()) } else { Err("\"decision\" is not \"stop\"".to_owned()) }
        }
        Form::Member(name) => context(agent, only(members, &[name])?, name),
        Form::Specific(event) => {
            only(members, &["hookSpecificOutput"])?;
            let inner = object(members.get("hookSpecificOutput"))?;
            only(inner, &["hookEventName", "additionalContext"])?;
            match inner.get("hookEventName") {
                Some(Value::String(name)) if name == event => {}
                name => return Err(format!("\"hookEventName\" is {name:?}, not {event:?}")),
            }
            context(agent, inner, "additionalContext")
        }
        Form::Steps => {
            only(members, &["injectSteps"])?;
            let Some(Value::Array(steps)) = members.get("injectSteps") else {
                return Err("\"injectSteps\" is not an array".to_owned());
            };
            steps.iter().try_for_each(|step| {
                let step = object(Some(step))?;
                context(agent, only(step, &["ephemeralMessage"])?, "ephemeralMessage")
            })
        }
    }
}

/// Returns the form that an agent accepts at an event.
fn form(agent: Agent, moment: HookEvent) -> Form {
    let native = agent.events().iter().find(|event| event.moment == moment);
    let native = native.map_or("", |event| event.native);
    let has_context =
        matches!(moment, HookEvent::SessionStart | HookEvent::Prompt | HookEvent::PostTool);
    match (agent, moment) {
        (Agent::Generic, _) => Form::Plain,
        (Agent::Opencode | Agent::Pi, _) => Form::Member("context"),
        // These treat plain text and an empty answer as a failed hook.
        (Agent::Codex, HookEvent::Stop) | (Agent::Antigravity, HookEvent::PostTool) => Form::Braces,
        (Agent::Antigravity, HookEvent::Stop) => Form::Decision,
        (Agent::Antigravity, HookEvent::SessionStart | HookEvent::Prompt) => Form::Steps,
        (Agent::Claude | Agent::Codex | Agent::Gemini, _) if has_context => Form::Specific(native),
        (Agent::Cursor, HookEvent::SessionStart) => Form::Member("additional_context"),
        (Agent::Cursor, HookEvent::Prompt) => Form::Continue,
        _ => Form::Silent,
    }
}

/// Returns the shortest answer that says nothing.
pub(crate) fn silence(agent: Agent, moment: HookEvent) -> &'static str {
    match form(agent, moment) {
        Form::Braces | Form::Decision => "{}",
        _ => "",
    }
}

fn only<'a>(
    members: &'a Map<String, Value>,
    known: &[&str],
) -> Result<&'a Map<String, Value>, String> {
    match members.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("{key:?} may not be answered here")),
        None => Ok(members),
    }
}

fn object(value: Option<&Value>) -> Result<&Map<String, Value>, String> {
    value.and_then(Value::as_object).ok_or_else(|| "an object is missing in the answer".to_owned())
}

/// Checks the text for the model.
fn context(agent: Agent, members: &Map<String, Value>, name: &str) -> Result<(), String> {
    let Some(Value::String(text)) = members.get(name) else {
        return Err(format!("{name:?} is not a text"));
    };
    if text.trim().is_empty() {
        return Err(format!("{name:?} is blank"));
    }
    if let Some(c) = safe_text::first_hazard(&text.replace(['\n', '\t'], " ")) {
        return Err(format!("{name:?} has {} ({})", safe_text::describe(c), c.escape_unicode()));
    }
    let (size, limit, unit) = match agent {
        Agent::Claude => (text.encode_utf16().count(), CLAUDE_UNITS, "UTF-16 units"),
        Agent::Codex => (text.len(), CODEX_BYTES, "bytes"),
        _ => return Ok(()),
    };
    if size > limit {
        let agent = agent.title();
        return Err(format!("{name:?} has {size} {unit}; {agent} takes {limit}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn specific(event: &str, text: &str) -> String {
        let inner = json!({"hookEventName": event, "additionalContext": text});
        json!({ "hookSpecificOutput": inner }).to_string()
    }

    #[test]
    fn good_answers() {
        let good = [
            ("claude", "session-start", specific("SessionStart", "a\n\tb")),
            ("claude", "prompt", specific("UserPromptSubmit", &"\u{e9}".repeat(10_000))),
            ("claude", "stop", String::new()),
            ("claude", "pre-compact", "{}".to_owned()),
            ("codex", "post-tool", specific("PostToolUse", "a")),
            ("codex", "stop", "{}\n".to_owned()),
            ("codex", "session-end", String::new()),
            ("gemini", "prompt", specific("BeforeAgent", &"a".repeat(20_000))),
            ("gemini", "post-tool", specific("AfterTool", "a")),
            (
                "antigravity",
                "pre-invocation",
                r#"{"injectSteps":[{"ephemeralMessage":"a"}]}"#.into(),
            ),
            ("antigravity", "pre-invocation", String::new()),
            ("antigravity", "post-tool", "{}".to_owned()),
            ("antigravity", "stop", r#"{"decision":"stop"}"#.to_owned()),
            ("antigravity", "stop", "{}".to_owned()),
            ("cursor", "session-start", r#"{"additional_context":"a"}"#.to_owned()),
            ("cursor", "prompt", r#"{"continue":true}"#.to_owned()),
            ("cursor", "stop", "{}".to_owned()),
            ("opencode", "prompt", r#"{"context":"a"}"#.to_owned()),
            ("pi", "session-start", String::new()),
            ("generic", "prompt", "plain text\n".to_owned()),
        ];
        for (agent, event, answer) in good {
            assert_eq!(check_named(agent, event, answer.as_bytes()), Ok(()), "{agent} {event}");
        }
    }

    #[test]
    fn bad_answers() {
        let bad = [
            ("claude", "session-start", specific("SessionEnd", "a"), "not \"SessionStart\""),
            ("claude", "session-start", "words".to_owned(), "not one JSON object"),
            ("claude", "session-start", "{}{}".to_owned(), "not one JSON object"),
            ("claude", "session-start", "[]".to_owned(), "not an object"),
            ("claude", "stop", specific("Stop", "a"), "may not be answered"),
            ("claude", "prompt", r#"{"decision":"block"}"#.to_owned(), "\"decision\" may not"),
            ("claude", "prompt", specific("UserPromptSubmit", &"\u{1f600}".repeat(5_001)), "10002"),
            ("claude", "prompt", specific("UserPromptSubmit", " "), "is blank"),
            ("claude", "prompt", specific("UserPromptSubmit", "\u{1b}[31m"), "ANSI escape"),
            ("claude", "prompt", specific("UserPromptSubmit", "a\u{202e}b"), "bidirectional"),
            ("claude", "prompt", "\u{1b}[1m{}".to_owned(), "ANSI escape"),
            ("codex", "stop", String::new(), "at least {}"),
            ("codex", "prompt", specific("UserPromptSubmit", &"\u{e9}".repeat(5_001)), "10002"),
            (
                "codex",
                "prompt",
                r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","x":1}}"#.to_owned(),
                "\"x\" may not",
            ),
            ("codex", "pre-compact", specific("PreCompact", "a"), "may not be answered"),
            ("gemini", "stop", specific("AfterAgent", "a"), "may not be answered"),
            ("antigravity", "post-tool", String::new(), "at least {}"),
            ("antigravity", "stop", String::new(), "at least {}"),
            ("antigravity", "stop", r#"{"decision":"continue"}"#.to_owned(), "not \"stop\""),
            ("antigravity", "post-tool", r#"{"injectSteps":[]}"#.to_owned(), "may not"),
            ("antigravity", "pre-invocation", r#"{"injectSteps":[{"a":"b"}]}"#.into(), "may not"),
            ("cursor", "prompt", r#"{"additional_context":"a"}"#.to_owned(), "may not"),
            ("cursor", "prompt", r#"{"continue":false}"#.to_owned(), "not true"),
            ("cursor", "stop", r#"{"followup_message":"a"}"#.to_owned(), "may not"),
            ("pi", "prompt", r#"{"context":5}"#.to_owned(), "not a text"),
            ("vim", "prompt", String::new(), "no agent vim"),
            ("claude", "lunch", String::new(), "no event lunch"),
        ];
        for (agent, event, answer, want) in bad {
            let said = check_named(agent, event, answer.as_bytes()).unwrap_err();
            assert!(said.contains(want), "{agent} {event} {answer:.60}: {said}");
        }
        assert!(check(Agent::Claude, HookEvent::Stop, b"\xff").is_err());
    }
}
