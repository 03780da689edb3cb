//! The tools: a table of names, arguments and handlers.

use pimem_engine::{error::Failure, memory::Memory};
use serde_json::{Map, Value, json};

use super::{
    arguments::{self, Argument, Given, Takes},
    changes, reading,
    said::SaidText,
};

/// What a tool does to a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolEffect {
    Reads,
    /// The same call again changes no more than evidence.
    Adds,
    Changes,
}

pub(super) struct Tool {
    pub(super) name: &'static str,
    title: &'static str,
    about: &'static str,
    pub(super) effect: ToolEffect,
    arguments: &'static [Argument],
    /// Main keys of the document with their types.
    output: &'static [(&'static str, &'static str)],
    pub(super) run: fn(&ToolCall<'_>, &Given) -> Result<SaidText, Failure>,
}

/// A call of a tool.
pub(super) struct ToolCall<'a> {
    pub(super) memory: &'a Memory,
    /// True if not even accesses are counted.
    pub(super) read_only: bool,
}

const PROJECT: Argument =
    Argument::new("project", Takes::Text, "absolute path, if not the current project");
const ENTRY: Argument = Argument::new("entry", Takes::Text, "id").required();

/// Where a search looks.
pub(super) const WHERE: &[&str] =
    &["topics", "notes", "scratchpad", "daily", "observations", "sessions", "archive"];

/// What a text is kept as.
const AS: &[&str] = &["entry", "note", "log", "todo"];

/// Fields of an entry to add.
const ENTRY_FIELDS: &[Argument] = &[
    Argument::new("text", Takes::Text, "").required(),
    Argument::new("category", Takes::Text, ""),
    Argument::new("tags", Takes::Texts, ""),
    Argument::new("supersedes", Takes::Text, ""),
];

/// The tools in the order in which they are listed.
pub(super) const TOOLS: [Tool; 5] = [
    Tool {
        name: "memory_search",
        title: "Search memory",
        about: "Find what earlier sessions recorded: entries, notes, logs, summaries. Use it before \
                asking the user or working something out again.",
        effect: ToolEffect::Reads,
        arguments: &[
            Argument::new("query", Takes::Text, "words or a question").required(),
            Argument::new("limit", Takes::Whole(1, 50), "default 10"),
            Argument::new("in", Takes::OneOf(WHERE), "default everywhere"),
            Argument::new("category", Takes::Text, ""),
            Argument::new("since", Takes::Text, "date or age, e.g. 7d"),
            Argument::new("explain", Takes::Flag, ""),
            PROJECT,
        ],
        output: &[("hits", "array"), ("more", "array")],
        run: reading::search,
    },
    Tool {
        name: "memory_add",
        title: "Add to memory",
        about: "Record one durable fact a line: a decision and why, a lesson, a mistake, a user's \
                preference. Never secrets. Known facts are reinforced instead.",
        effect: ToolEffect::Adds,
        arguments: &[
            Argument::new("text", Takes::Text, "one sentence"),
            Argument::new("entries", Takes::Objects(ENTRY_FIELDS), "several, instead of text"),
            Argument::new("as", Takes::OneOf(AS), "default entry; log is today's"),
            Argument::new(
                "category",
                Takes::Text,
                "preference, lesson (default), mistake, pattern, decision or done",
            ),
            Argument::new("tags", Takes::Texts, ""),
            Argument::new("supersedes", Takes::Text, "id of the entry it replaces"),
            PROJECT,
        ],
        output: &[("results", "array"), ("items", "array"), ("file", "string")],
        run: changes::add,
    },
    Tool {
        name: "memory_update",
        title: "Update memory",
        about: "Change an entry: reinforce it when it helped, harmful when it misled, edit or \
                supersede it with text, forget or restore it. pin only asks the user.",
        effect: ToolEffect::Changes,
        arguments: &[
            ENTRY,
            Argument::new("action", Takes::OneOf(changes::ACTIONS), "").required(),
            Argument::new("text", Takes::Text, "for edit and supersede"),
            PROJECT,
        ],
        output: &[("results", "array"), ("entry", "object")],
        run: changes::update,
    },
    Tool {
        name: "memory_why",
        title: "Explain a memory",
        about: "One entry in full: why it is or is not in the context, its score, and what changes \
                that.",
        effect: ToolEffect::Reads,
        arguments: &[ENTRY, PROJECT],
        output: &[("entry", "object"), ("shown", "boolean"), ("reason", "string")],
        run: reading::why,
    },
    Tool {
        name: "memory_context",
        title: "Memory for this task",
        about: "What to know before starting: the most important memories, and those that fit the \
                prompt. Call it first in a session.",
        effect: ToolEffect::Reads,
        arguments: &[
            Argument::new("prompt", Takes::Text, "the task"),
            Argument::new("budget", Takes::Whole(0, 100_000), "tokens"),
            PROJECT,
        ],
        output: &[("text", "string"), ("entries", "array"), ("recalled", "array")],
        run: reading::context,
    },
];

impl Tool {
    /// Returns the tool with a name, if it may be called.
    pub(super) fn find(name: &str, read_only: bool) -> Option<&'static Self> {
        const ALL: &[Tool] = &TOOLS;
        ALL.iter().find(|tool| tool.name == name && tool.is_offered(read_only))
    }

    fn is_offered(&self, read_only: bool) -> bool {
        !read_only || self.effect == ToolEffect::Reads
    }

    /// Checks the arguments of a call.
    pub(super) fn given(&self, values: &Map<String, Value>) -> Result<Given, Failure> {
        Given::read(self.name, self.arguments, values)
    }

    fn schema(&self) -> Value {
        arguments::schema(self.arguments)
    }

    fn document(&self) -> Value {
        let typed = |(key, is): &(&str, &str)| ((*key).to_owned(), json!({ "type": is }));
        let properties: Map<String, Value> = self.output.iter().map(typed).collect();
        let output = json!({ "type": "object", "properties": properties });
        let reads = self.effect == ToolEffect::Reads;
        let mut hints = json!({ "title": self.title, "readOnlyHint": reads });
        if let Some(fields) = hints.as_object_mut() {
            if !reads {
                fields.insert("destructiveHint".to_owned(), json!(false));
                fields.insert("idempotentHint".to_owned(), json!(self.effect == ToolEffect::Adds));
            }
            fields.insert("openWorldHint".to_owned(), json!(false));
        }
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.about,
            "inputSchema": self.schema(),
            "outputSchema": output,
            "annotations": hints,
        })
    }
}

/// Returns the list of tools.
pub(super) fn list(read_only: bool) -> Value {
    let offered = TOOLS.iter().filter(|tool| tool.is_offered(read_only));
    json!({ "tools": offered.map(Tool::document).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use pimem_core::report::budget::Tokens;

    use super::*;

    /// Tokens of what an agent reads of all tools in every session.
    const MOST_TOKENS: u32 = 900;
    /// Bytes of the whole list.
    const MOST_BYTES: usize = 12 << 10;

    #[test]
    fn the_list_is_short() {
        let text = |tool: &Tool| format!("{} {} {}", tool.name, tool.about, tool.schema());
        let tokens = Tokens::of(&TOOLS.iter().map(text).collect::<String>());
        assert!(tokens.0 < MOST_TOKENS, "{tokens} tokens");
        let bytes = list(false).to_string().len();
        assert!(bytes < MOST_BYTES, "{bytes} bytes");
    }

    /// Some clients understand one name of a type, and no list of them.
    #[test]
    fn types_are_plain() {
        fn look(value: &Value) {
            match value {
                Value::Object(fields) => {
                    if let Some(found) = fields.get("type") {
                        assert!(found.is_string() || found.is_object(), "{found}");
                    }
                    fields.values().for_each(look);
                }
                Value::Array(all) => all.iter().for_each(look),
                _ => {}
            }
        }
        look(&list(false));
    }

    #[test]
    fn readers_only() {
        let names = |read_only| {
            let list = list(read_only);
            let tools = list["tools"].as_array().unwrap().clone();
            let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
            tools.iter().map(name).collect::<Vec<_>>().join(" ")
        };
        let all = "memory_search memory_add memory_update memory_why memory_context";
        assert_eq!(
            (names(false).as_str(), names(true).as_str()),
            (all, "memory_search memory_why memory_context")
        );
        assert!(
            Tool::find("memory_add", true).is_none() && Tool::find("memory_add", false).is_some()
        );
    }
}
