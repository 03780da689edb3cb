//! Formats the answer of a hook: one JSON object of the agent's schema, or nothing.

use serde_json::json;

use pimem_core::safety::safe_text::SafeText;

use super::spec::{Agent, HookEvent};

/// Returns true if the agent adds the answer at this event to the prompt. If not, nothing needs to
/// be searched.
pub(crate) fn listens(agent: Agent, moment: HookEvent) -> bool {
    match (agent, moment) {
        (Agent::Opencode | Agent::Pi | Agent::Generic, HookEvent::PreCompact) => true,
        (
            _,
            HookEvent::PreCompact
            | HookEvent::PostCompact
            | HookEvent::Stop
            | HookEvent::SessionEnd,
        ) => false,
        (Agent::Cursor, moment) => moment == HookEvent::SessionStart,
        (Agent::Antigravity, moment) => moment == HookEvent::Prompt,
        _ => true,
    }
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
    let (context, notice) = (context.trim_end(), notice.trim_end());
    let notice = Some(notice).filter(|notice| !notice.is_empty());
    let notice = notice.filter(|_| agent.behaviour().shows_notices && listens(agent, moment));
    let mut answer = if listens(agent, moment) && !context.is_empty() {
        match agent {
            Agent::Claude | Agent::Codex | Agent::Gemini => json!({"hookSpecificOutput": {
                "hookEventName": agent.hook(moment),
                "additionalContext": context,
            }}),
            Agent::Antigravity => json!({"injectSteps": [{"ephemeralMessage": context}]}),
            Agent::Cursor => json!({"additional_context": context}),
            Agent::Opencode | Agent::Pi => json!({"context": context}),
            Agent::Generic => return format!("{context}\n"),
        }
    } else {
        match (agent, moment) {
            (Agent::Cursor, HookEvent::Prompt) => json!({"continue": true}),
            // Antigravity parses every answer; Codex parses that of Stop.
            (Agent::Antigravity, _) | (Agent::Codex, HookEvent::Stop) => json!({}),
            _ if notice.is_some() => json!({}),
            _ => return String::new(),
        }
    };
    if let (Some(notice), Some(fields)) = (notice, answer.as_object_mut()) {
        fields.insert("systemMessage".to_owned(), notice.into());
    }
    format!("{}\n", pimem_core::safety::safe_text::json(&answer.to_string()))
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
        assert_eq!(deaf(Agent::Claude), ["pre-compact", "post-compact", "stop", "session-end"]);
        assert_eq!(deaf(Agent::Generic), ["post-compact", "stop", "session-end"]);
        let cursor = ["prompt", "post-tool", "pre-compact", "post-compact", "stop", "session-end"];
        assert_eq!(deaf(Agent::Cursor), cursor);
        let antigravity =
            ["session-start", "post-tool", "pre-compact", "post-compact", "stop", "session-end"];
        assert_eq!(deaf(Agent::Antigravity), antigravity);
    }
}
