//! Sample input of every hook for a trial: as documented by the agent, from a session that does not
//! exist. Pure.

use serde_json::{Value, json};

use super::{
    install::Event,
    spec::{Agent, HookEvent},
};

/// Prompt of the trial.
pub(crate) const PROMPT: &str = "How are the tests of this project run?";
const SUMMARY: &str = "The user asked how the tests of this project are run.";
/// File edited in the trial.
const FILE: &str = "src/main.rs";

/// Returns the standard input of a hook.
pub(crate) fn input(agent: Agent, event: &Event, project: &str) -> Value {
    let file = format!("{project}/{FILE}");
    let answer = "They are run by cargo.";
    // Trials of several agents share a store, and a session is shown every text only once.
    let session = format!("trial-{}", agent.name());
    let said = match agent {
        Agent::Antigravity => {
            let rest = match event.moment {
                HookEvent::PostTool => json!({
                    "toolName": "write_to_file", "toolInput": {"TargetFile": file},
                }),
                HookEvent::Stop => json!({"fullyIdle": true}),
                _ => json!({"invocationNum": 0, "initialNumSteps": 1, "prompt": PROMPT}),
            };
            let common = json!({
                "conversationId": session, "workspacePaths": [project], "modelName": "trial",
            });
            return merged(common, rest);
        }
        Agent::Cursor => {
            let rest = match event.moment {
                HookEvent::SessionStart => {
                    json!({"session_id": session, "composer_mode": "agent"})
                }
                HookEvent::Prompt => json!({"prompt": PROMPT, "attachments": []}),
                HookEvent::PostTool => json!({"file_path": file, "edits": []}),
                HookEvent::PreCompact | HookEvent::PostCompact => json!({"trigger": "auto"}),
                HookEvent::Stop => json!({"status": "completed", "loop_count": 0}),
                HookEvent::SessionEnd => json!({"session_id": session, "reason": "completed"}),
            };
            let common = json!({
                "conversation_id": session, "generation_id": "1", "model": "trial",
                "hook_event_name": event.native, "workspace_roots": [project],
                "transcript_path": null,
            });
            return merged(common, rest);
        }
        _ => match event.moment {
            HookEvent::SessionStart => json!({"source": "startup"}),
            HookEvent::Prompt => json!({"prompt": PROMPT}),
            HookEvent::PostTool => tool(agent, &file),
            HookEvent::PreCompact => json!({"trigger": "auto", "custom_instructions": ""}),
            HookEvent::PostCompact => json!({"trigger": "auto", "compact_summary": SUMMARY}),
            HookEvent::Stop => match agent {
                Agent::Gemini => {
                    json!({"prompt": PROMPT, "prompt_response": answer, "stop_hook_active": false})
                }
                Agent::Opencode | Agent::Pi | Agent::Generic => json!({"response": answer}),
                _ => json!({"stop_hook_active": false, "last_assistant_message": answer}),
            },
            HookEvent::SessionEnd => json!({"reason": "other"}),
        },
    };
    let common = json!({
        "session_id": session, "transcript_path": null, "cwd": project,
        "hook_event_name": event.native,
    });
    merged(common, said)
}

fn tool(agent: Agent, file: &str) -> Value {
    match agent {
        Agent::Codex => {
            let patch =
                format!("*** Begin Patch\n*** Update File: {FILE}\n@@\n-a\n+b\n*** End Patch");
            json!({"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_response": ""})
        }
        Agent::Gemini => json!({
            "tool_name": "replace", "tool_input": {"file_path": file}, "tool_response": {},
        }),
        _ => json!({
            "tool_name": "Edit", "tool_input": {"file_path": file}, "tool_response": {},
        }),
    }
}

fn merged(mut common: Value, rest: Value) -> Value {
    if let (Value::Object(common), Value::Object(rest)) = (&mut common, rest) {
        common.extend(rest);
    }
    common
}
