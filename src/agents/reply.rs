//! What an agent is answered: one JSON object of its own schema, or nothing.

use serde_json::json;

use super::spec::{Agent, HookEvent, Limit};

/// Whether an agent puts anything into the prompt at this moment; else nothing has to be found.
pub(crate) fn listens(agent: Agent, moment: HookEvent) -> bool {
    match (agent, moment) {
        (Agent::Opencode | Agent::Pi | Agent::Generic, HookEvent::PreCompact) => true,
        (_, HookEvent::PreCompact | HookEvent::Stop | HookEvent::SessionEnd) => false,
        (Agent::Cursor, moment) => moment == HookEvent::SessionStart,
        (Agent::Antigravity, moment) => moment == HookEvent::Prompt,
        _ => true,
    }
}

/// The answer of a hook, with what should go into the prompt.
pub(crate) fn reply(agent: Agent, moment: HookEvent, context: &str) -> String {
    let context = context.trim_end();
    let answer = if listens(agent, moment) && !context.is_empty() {
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
            // Antigravity parses every answer, and Codex that of Stop.
            (Agent::Antigravity, _) | (Agent::Codex, HookEvent::Stop) => json!({}),
            _ => return String::new(),
        }
    };
    format!("{}\n", pimem_core::safety::safe_text::json(&answer.to_string()))
}

/// As many lines of a text as an agent takes. It is cut between lines, and an entry is one line;
/// the last line then says what is missing.
pub(crate) fn fit(text: &str, limit: Limit) -> String {
    if limit.size(text) <= limit.most() {
        return text.to_owned();
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let items = |lines: &[&str]| lines.iter().filter(|line| line.starts_with("- ")).count();
    let all = items(&lines);
    let mut kept = lines.as_slice();
    while let Some((_, before)) = kept.split_last() {
        kept = before;
        // A heading without anything below it says nothing.
        while let Some((last, before)) = kept.split_last()
            && (last.trim().is_empty() || last.starts_with('#'))
        {
            kept = before;
        }
        let last = format!("- ... {} more (beyond what is taken at once)\n", all - items(kept));
        let whole = kept.concat() + &last;
        if !kept.is_empty() && limit.size(&whole) <= limit.most() {
            return whole;
        }
    }
    String::new()
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
            assert_eq!(reply(agent, moment, context).trim_end(), want, "{agent:?} {moment:?}");
        }
    }

    #[test]
    fn who_listens() {
        let deaf = |agent| -> Vec<&str> {
            let deaf = HookEvent::ALL.into_iter().filter(|moment| !listens(agent, *moment));
            deaf.map(HookEvent::name).collect()
        };
        assert_eq!(deaf(Agent::Claude), ["pre-compact", "stop", "session-end"]);
        assert_eq!(deaf(Agent::Generic), ["stop", "session-end"]);
        let cursor = ["prompt", "post-tool", "pre-compact", "stop", "session-end"];
        assert_eq!(deaf(Agent::Cursor), cursor);
        let antigravity = ["session-start", "post-tool", "pre-compact", "stop", "session-end"];
        assert_eq!(deaf(Agent::Antigravity), antigravity);
    }

    #[test]
    fn what_is_too_long_is_cut_between_entries() {
        let entries: Vec<String> = (0..100).map(|n| format!("- entry number {n}\n")).collect();
        let entries = entries.concat();
        let text = format!("# Head\n\n## One\n{entries}\n## Two\n- last\n");
        for text in ["", "plain", "é", "漢字", "a😀b"] {
            assert_eq!(Limit::Utf16(0).size(text), text.encode_utf16().count());
        }
        let most = Limit::Utf16(500);
        let cut = fit(&text, most);
        assert!(most.size(&cut) <= 500 && most.size(&cut) > 450, "{cut}");
        let shown = cut.lines().filter(|line| line.starts_with("- entry")).count();
        assert!(
            cut.ends_with(&format!("- ... {} more (beyond what is taken at once)\n", 101 - shown))
        );
        assert!(cut.lines().all(|line| text.contains(line) || line.starts_with("- ... ")));
        assert_eq!(fit(&text, Limit::Bytes(10_000)), text);
        assert_eq!(fit("- one line that is longer\n", Limit::Bytes(10)), "");
        // No heading is left alone.
        let short = format!("# Head\n- a\n\n## Two\n- {}\n", "x".repeat(80));
        assert_eq!(
            fit(&short, Limit::Bytes(70)),
            "# Head\n- a\n- ... 1 more (beyond what is taken at once)\n"
        );
    }
}
