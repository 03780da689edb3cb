//! Who wrote the text of a prompt, by what each agent sends with it. Pure.
//!
//! Only what a person typed teaches. A prompt may as well be the task of a sub-agent, written by a
//! model; a turn that a schedule or a program begins; or the message of another agent.

use super::spec::Agent;
use pimem_core::language::preference::Preference;

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
    /// The agent does not tell.
    Unknown,
}

/// How an agent tells who wrote a prompt.
struct Dialect {
    /// Field of the event; empty if it has none.
    field: &'static str,
    /// What its values mean. Any other value, as of a later version, is unknown.
    values: &'static [(&'static str, Speaker)],
    /// The writer where the field is missing.
    missing: Speaker,
}

use Speaker::{Agent as Machine, Person, SubAgent, Unknown};

/// The values of the field of our shims, which `generic` has too.
const SHIM: &[(&str, Speaker)] =
    &[("person", Person), ("sub-agent", SubAgent), ("agent", Machine), ("unknown", Unknown)];

/// Fields that are there in events of sub-agents only, in every dialect.
const OF_SUB_AGENT: [&str; 2] = ["agent_id", "agentId"];

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

fn dialect(agent: Agent) -> Dialect {
    match agent {
        // Documented, and not sent by 2.1.330: messages are known by their elements then. `sdk` is a
        // prompt of `claude -p`.
        Agent::Claude => Dialect {
            field: "source",
            values: &[
                ("user", Person),
                ("sdk", Person),
                ("system", Machine),
                ("loop_wakeup", Machine),
                ("schedule_wakeup", Machine),
                ("poll_event", Machine),
            ],
            missing: Person,
        },
        // Their sub-agents call no hook for prompts, or say so by one of `OF_SUB_AGENT`.
        Agent::Codex | Agent::Gemini | Agent::Cursor => {
            Dialect { field: "", values: &[], missing: Person }
        }
        // By its documentation, its event has no prompt. What has one is something else.
        Agent::Antigravity => Dialect { field: "", values: &[], missing: Unknown },
        // Shims of earlier versions did not tell, though these agents have sub-agents and programs
        // that write prompts.
        Agent::Opencode | Agent::Pi => Dialect { field: "speaker", values: SHIM, missing: Unknown },
        Agent::Generic => Dialect { field: "speaker", values: SHIM, missing: Person },
    }
}

impl Speaker {
    /// Returns who wrote the prompt of an event; `text` gives a field that is a string.
    pub(crate) fn of(agent: Agent, text: impl Fn(&str) -> Option<String>, prompt: &str) -> Self {
        if OF_SUB_AGENT.iter().any(|field| text(field).is_some_and(|id| !id.is_empty())) {
            return SubAgent;
        }
        let Dialect { field, values, missing } = dialect(agent);
        let told = text(field).filter(|_| !field.is_empty()).map(|told| {
            values.iter().find(|(value, _)| *value == told).map_or(Unknown, |(_, speaker)| *speaker)
        });
        match told.unwrap_or(missing) {
            Person if is_message(prompt) => Machine,
            Person if MIXED.iter().any(|start| prompt.trim_start().starts_with(start)) => Unknown,
            speaker => speaker,
        }
    }

    /// Returns true if the agent tells that a person has written it.
    pub(crate) fn is_person(self) -> bool {
        self == Person
    }

    /// Returns true if the session is a sub-agent's.
    pub(crate) fn is_sub_agent(self) -> bool {
        self == SubAgent
    }

    /// Returns what may be learned of the preferences in a prompt: those that nobody knows the
    /// writer of wait for a review.
    pub(crate) fn judge(self, mut found: Vec<Preference>) -> Vec<Preference> {
        match self {
            Person => {}
            Unknown => {
                for one in &mut found {
                    one.waits.get_or_insert(NOT_KNOWN);
                }
            }
            SubAgent | Machine => found.clear(),
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

    #[test]
    fn each_dialect_tells_who_speaks() {
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
