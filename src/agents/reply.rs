//! Answers of hooks: one object of the agent's schema, or nothing. What is made here is also what is
//! admitted when an installation is tried. Pure.
//!
//! That is narrower than what the agents document: only answers that add context. Answers that could
//! stop, block or continue a conversation are rejected.

use serde_json::{Map, Value, json};

use super::{Agent, HookEvent, Limit};
use pimem_core::safety::safe_text::{self, SafeText};

/// What becomes of a tool's call, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Permission {
    Deny(SafeText),
    /// A person decides.
    Ask(SafeText),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplyForm {
    Plain,
    /// An object without members, or nothing.
    Silent,
    /// An object without members; no output is a failure.
    Braces,
    /// `{"hookSpecificOutput": {"hookEventName": NAME, "additionalContext": TEXT}}`.
    Specific,
    /// `{NAME: TEXT}`.
    Member(&'static str),
    /// `{"continue": true}`.
    Continue,
    /// `{"decision": "stop"}`, or an object without members; no output is a failure.
    Decision,
    /// `{"injectSteps": [{"ephemeralMessage": TEXT}]}`.
    Steps,
    /// `{"hookSpecificOutput": {"hookEventName": NAME, "permissionDecision": "deny" or "ask",
    /// "permissionDecisionReason": TEXT}}`, or nothing, which lets the tool run.
    Permission {
        asks: bool,
    },
    /// `{"permission": "deny", "user_message": TEXT, "agent_message": TEXT}`, or nothing.
    Messages,
    /// `{"decision": "deny", "reason": TEXT}`, or nothing.
    Verdict,
}

impl ReplyForm {
    /// The form of what our shims read.
    pub(super) fn of_shim(moment: HookEvent) -> Self {
        match moment {
            HookEvent::PreTool => Self::Verdict,
            HookEvent::PostCompact | HookEvent::Stop | HookEvent::SessionEnd => Self::Silent,
            _ => Self::Member("context"),
        }
    }

    fn adds_context(self) -> bool {
        matches!(self, Self::Plain | Self::Specific | Self::Member(_) | Self::Steps)
    }

    fn nothing(self) -> Option<Value> {
        match self {
            Self::Braces | Self::Decision | Self::Steps => Some(json!({})),
            Self::Continue => Some(json!({"continue": true})),
            Self::Plain
            | Self::Silent
            | Self::Specific
            | Self::Member(_)
            | Self::Permission { .. }
            | Self::Messages
            | Self::Verdict => None,
        }
    }
}

/// Returns true if the agent adds the answer at this event to the prompt. If not, nothing needs to
/// be searched.
pub(crate) fn listens(agent: Agent, moment: HookEvent) -> bool {
    (agent.record().form)(moment).adds_context()
}

/// Returns the shortest answer that says nothing; empty if none is needed.
pub(crate) fn silence(agent: Agent, moment: HookEvent) -> String {
    (agent.record().form)(moment).nothing().map_or_else(String::new, |value| value.to_string())
}

/// Returns the agent's name of an event; empty if the agent does not have it.
fn native(agent: Agent, moment: HookEvent) -> &'static str {
    let mut events = agent.record().events.iter();
    events.find(|event| event.moment == moment).map_or("", |event| event.native)
}

/// Returns the answer of a hook with this context for the prompt.
pub(crate) fn reply(agent: Agent, moment: HookEvent, context: &SafeText) -> String {
    with_notice(agent, moment, context, &SafeText::default())
}

/// Returns the answer of a hook with this context for the prompt, and a notice that the agent shows
/// to the person.
pub(crate) fn with_notice(
    agent: Agent,
    moment: HookEvent,
    context: &SafeText,
    notice: &SafeText,
) -> String {
    let form = (agent.record().form)(moment);
    let (context, notice) = (context.trim_end(), notice.trim_end());
    let is_shown = agent.record().shows_notices && form.adds_context() && !notice.is_empty();
    let answer = match form {
        _ if context.is_empty() => form.nothing(),
        ReplyForm::Plain => return format!("{context}\n"),
        ReplyForm::Specific => Some(json!({"hookSpecificOutput": {
            "hookEventName": native(agent, moment),
            "additionalContext": context,
        }})),
        ReplyForm::Member(name) => Some(json!({ name: context })),
        ReplyForm::Steps => Some(json!({"injectSteps": [{"ephemeralMessage": context}]})),
        ReplyForm::Silent
        | ReplyForm::Braces
        | ReplyForm::Continue
        | ReplyForm::Decision
        | ReplyForm::Permission { .. }
        | ReplyForm::Messages
        | ReplyForm::Verdict => form.nothing(),
    };
    let Some(mut answer) = answer.or_else(|| is_shown.then(|| json!({}))) else {
        return String::new();
    };
    if is_shown && let Some(fields) = answer.as_object_mut() {
        fields.insert("systemMessage".to_owned(), notice.into());
    }
    format!("{}\n", safe_text::json(&answer.to_string()))
}

/// Returns the answer that keeps a tool from running, or has a person asked. Where the agent cannot
/// ask, the tool does not run.
pub(crate) fn refusal(agent: Agent, permission: &Permission) -> String {
    let (decision, reason) = match permission {
        Permission::Deny(reason) => ("deny", reason),
        Permission::Ask(reason) => ("ask", reason),
    };
    let reason = reason.trim_end();
    let answer = match (agent.record().form)(HookEvent::PreTool) {
        ReplyForm::Permission { asks } => json!({"hookSpecificOutput": {
            "hookEventName": native(agent, HookEvent::PreTool),
            "permissionDecision": if asks { decision } else { "deny" },
            "permissionDecisionReason": reason,
        }}),
        ReplyForm::Messages => {
            json!({"permission": "deny", "user_message": reason, "agent_message": reason})
        }
        ReplyForm::Verdict => json!({"decision": "deny", "reason": reason}),
        _ => return String::new(),
    };
    format!("{}\n", safe_text::json(&answer.to_string()))
}

pub(crate) fn check(agent: Agent, moment: HookEvent, output: &[u8]) -> Result<(), String> {
    let form = (agent.record().form)(moment);
    let text = std::str::from_utf8(output).map_err(|_| "the answer is not UTF-8".to_owned())?;
    if let Some(c) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(format!("the answer has {} ({})", safe_text::describe(c), c.escape_unicode()));
    }
    if form == ReplyForm::Plain {
        return Ok(());
    }
    let text = text.trim_ascii();
    if text.is_empty() {
        return match form {
            ReplyForm::Braces | ReplyForm::Decision => {
                Err(format!("{} wants an object here, at least {{}}", agent.record().title))
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
        // A trial has nothing that is forbidden.
        ReplyForm::Plain
        | ReplyForm::Silent
        | ReplyForm::Braces
        | ReplyForm::Permission { .. }
        | ReplyForm::Messages
        | ReplyForm::Verdict => only(members, &[]).map(drop),
        ReplyForm::Continue => {
            only(members, &["continue"])?;
            let goes_on = members.get("continue") == Some(&Value::Bool(true));
            if goes_on { Ok(()) } else { Err("\"continue\" is not true".to_owned()) }
        }
        ReplyForm::Decision => {
            only(members, &["decision"])?;
            let ends = members.get("decision").and_then(Value::as_str) == Some("stop");
            if ends { Ok(()) } else { Err("\"decision\" is not \"stop\"".to_owned()) }
        }
        ReplyForm::Member(name) => context(agent, only(members, &[name])?, name),
        ReplyForm::Specific => {
            let event = native(agent, moment);
            only(members, &["hookSpecificOutput"])?;
            let inner = object(members.get("hookSpecificOutput"))?;
            only(inner, &["hookEventName", "additionalContext"])?;
            match inner.get("hookEventName") {
                Some(Value::String(name)) if name == event => {}
                name => return Err(format!("\"hookEventName\" is {name:?}, not {event:?}")),
            }
            context(agent, inner, "additionalContext")
        }
        ReplyForm::Steps => {
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
    let Some(limit) = agent.record().limit else { return Ok(()) };
    let (size, most) = (limit.size(text), limit.most());
    if size > most {
        let unit = if matches!(limit, Limit::Utf16(_)) { "UTF-16 units" } else { "bytes" };
        return Err(format!("{name:?} has {size} {unit}; {} takes {most}", agent.record().title));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() {
        use Agent::{Antigravity, Claude, Codex, Cursor, Gemini, Generic, Pi};
        use HookEvent::{PostTool, PreCompact, Prompt, SessionStart, Stop};
        for (agent, moment, context, want) in [
            (
                Claude,
                Prompt,
                "a\n",
                r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"a"}}"#,
            ),
            (
                Gemini,
                PostTool,
                "a",
                r#"{"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"a"}}"#,
            ),
            (Claude, Prompt, " \n", ""),
            (Claude, Stop, "a", ""),
            (Claude, PreCompact, "a", ""),
            (Codex, Stop, "a", "{}"),
            (Antigravity, Prompt, "a", r#"{"injectSteps":[{"ephemeralMessage":"a"}]}"#),
            (Antigravity, PostTool, "a", "{}"),
            (Cursor, Prompt, "a", r#"{"continue":true}"#),
            (Cursor, SessionStart, "a", r#"{"additional_context":"a"}"#),
            (Cursor, PostTool, "a", ""),
            (Pi, Prompt, "a", r#"{"context":"a"}"#),
            (Generic, SessionStart, "# a\n\n", "# a"),
        ] {
            assert_eq!(
                reply(agent, moment, &SafeText::fixed(context)).trim_end(),
                want,
                "{agent:?} {moment:?}"
            );
        }
    }

    #[test]
    fn notices_go_to_those_who_show_them() {
        use Agent::{Claude, Codex, Gemini, Generic};
        use HookEvent::{Prompt, Stop};
        let told = |agent, moment, context| {
            let (context, notice) = (SafeText::fixed(context), SafeText::fixed("learned: b\n"));
            with_notice(agent, moment, &context, &notice)
        };
        for (agent, moment, context, want) in [
            (Claude, Prompt, "", r#"{"systemMessage":"learned: b"}"#),
            (Gemini, Prompt, "", r#"{"systemMessage":"learned: b"}"#),
            (Codex, Prompt, "", ""),
            (Generic, Prompt, "", ""),
            (Claude, Stop, "", ""),
        ] {
            assert_eq!(told(agent, moment, context).trim_end(), want, "{agent:?} {moment:?}");
        }
        let both = told(Claude, Prompt, "a");
        assert!(both.contains("additionalContext") && both.contains("learned: b"), "{both}");
    }

    #[test]
    fn who_listens() {
        let deaf = |agent| -> Vec<&str> {
            let deaf = HookEvent::ALL.into_iter().filter(|moment| !listens(agent, *moment));
            deaf.map(HookEvent::name).collect()
        };
        let rest = "pre-compact post-compact stop session-end";
        for (agent, want) in [
            (Agent::Claude, format!("pre-tool {rest}")),
            (Agent::Generic, "pre-tool post-compact stop session-end".to_owned()),
            (Agent::Cursor, format!("subagent-start prompt pre-tool post-tool {rest}")),
            (Agent::Antigravity, format!("session-start subagent-start pre-tool post-tool {rest}")),
        ] {
            assert_eq!(deaf(agent).join(" "), want);
        }
    }

    /// Checks the output of a hook, given the names of agent and event.
    fn check_named(agent: &str, event: &str, output: &[u8]) -> Result<(), String> {
        let found = Agent::find(agent).ok_or_else(|| format!("there is no agent {agent}"))?;
        let moment = found.moment(event).ok_or_else(|| format!("there is no event {event}"))?;
        check(found, moment, output)
    }

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
