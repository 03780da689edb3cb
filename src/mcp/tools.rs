//! The tools: a table of names, arguments and handlers; the schema of arguments, and their values as a
//! client gives them.

use std::borrow::Cow;

use pimem_engine::{
    error::{Failure, FailureKind},
    memory::Memory,
};
use serde_json::{Map, Value, json};

use super::{changes, reading, said::SaidText};

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
    Argument::new("asked", Takes::Texts, ""),
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
                preference. Say in asked how it will be looked for: without that, a question in \
                other words misses it. Never secrets. Known facts are reinforced instead.",
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
            Argument::new(
                "asked",
                Takes::Texts,
                "2 to 4 short questions, or task words, that somebody will have who needs this and \
                 does not know it, in words that the text lacks",
            ),
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

    pub(super) fn given(&self, values: &Map<String, Value>) -> Result<Given, Failure> {
        Given::read(self.name, self.arguments, values)
    }

    fn schema(&self) -> Value {
        schema(self.arguments)
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

pub(super) fn list(read_only: bool) -> Value {
    let offered = TOOLS.iter().filter(|tool| tool.is_offered(read_only));
    json!({ "tools": offered.map(Tool::document).collect::<Vec<_>>() })
}

/// Maximum number of entries of one call.
const MOST: usize = 50;

#[derive(Debug, Clone, Copy)]
pub(super) enum Takes {
    Text,
    /// A whole number in a range.
    Whole(u64, u64),
    Flag,
    OneOf(&'static [&'static str]),
    Texts,
    /// Objects with some of these fields.
    Objects(&'static [Argument]),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Argument {
    pub(super) name: &'static str,
    pub(super) takes: Takes,
    /// What it is for; empty if the name says it.
    pub(super) about: &'static str,
    pub(super) required: bool,
}

impl Argument {
    pub(super) const fn new(name: &'static str, takes: Takes, about: &'static str) -> Self {
        Self { name, takes, about, required: false }
    }

    pub(super) const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    fn schema(&self) -> Value {
        let mut schema = match self.takes {
            Takes::Text => json!({ "type": "string" }),
            Takes::Whole(least, most) => {
                json!({ "type": "integer", "minimum": least, "maximum": most })
            }
            Takes::Flag => json!({ "type": "boolean" }),
            Takes::OneOf(names) => json!({ "type": "string", "enum": names }),
            Takes::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Takes::Objects(of) => json!({ "type": "array", "items": schema(of) }),
        };
        if let Some(fields) = schema.as_object_mut().filter(|_| !self.about.is_empty()) {
            fields.insert("description".to_owned(), json!(self.about));
        }
        schema
    }

    /// Returns the value in its own type, which may come as a string: some clients make strings of
    /// everything that a person types, and some models of lists. An object may come as what it has
    /// to have, and alone.
    fn read(&self, value: &Value) -> Result<Value, Failure> {
        let parsed = match (self.takes, value) {
            (Takes::Texts | Takes::Objects(_), Value::String(json)) => {
                let value: Option<Value> = serde_json::from_str(json).ok();
                value.filter(|value| value.is_array() || value.is_object())
            }
            _ => None,
        };
        let value = parsed.as_ref().unwrap_or(value);
        let as_text = || value.as_str().map(str::trim);
        let found = match self.takes {
            Takes::Text => value.as_str().map(Value::from),
            Takes::Whole(least, most) => {
                let whole = |float: f64| (float.fract() == 0.0 && float >= 0.0).then_some(float);
                let float = || value.as_f64().and_then(whole).map(|float| format!("{float:.0}"));
                let number = value.as_u64().or_else(|| float()?.parse().ok());
                let number = number.or_else(|| as_text()?.parse().ok());
                number.filter(|number| (least..=most).contains(number)).map(Value::from)
            }
            Takes::Flag => {
                let named = || match as_text()? {
                    "true" => Some(true),
                    "false" => Some(false),
                    _ => None,
                };
                value.as_bool().or_else(named).map(Value::from)
            }
            Takes::OneOf(names) => as_text().filter(|name| names.contains(name)).map(Value::from),
            Takes::Texts => match value {
                Value::String(one) => Some(json!([one])),
                Value::Array(all) if all.len() <= MOST && all.iter().all(Value::is_string) => {
                    Some(value.clone())
                }
                _ => None,
            },
            Takes::Objects(of) => {
                let all = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                if !(1..=MOST).contains(&all.len()) {
                    return Err(self.wrong());
                }
                let object = |value: &Value| {
                    let fields = match (value, of.iter().find(|argument| argument.required)) {
                        (Value::Object(fields), _) => Cow::Borrowed(fields),
                        (Value::String(_), Some(needed)) => {
                            Cow::Owned(Map::from_iter([(needed.name.to_owned(), value.clone())]))
                        }
                        _ => return Err(self.wrong()),
                    };
                    Given::read(self.name, of, &fields).map(|given| Value::Object(given.0))
                };
                Some(Value::Array(all.iter().map(object).collect::<Result<_, _>>()?))
            }
        };
        found.ok_or_else(|| self.wrong())
    }

    fn wrong(&self) -> Failure {
        let wants = match self.takes {
            Takes::Text => "a string".to_owned(),
            Takes::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Takes::Flag => "true or false".to_owned(),
            Takes::OneOf(names) => format!("one of {}", names.join(", ")),
            Takes::Texts => format!("a list of at most {MOST} strings"),
            Takes::Objects(of) => {
                let names: Vec<&str> = of.iter().map(|argument| argument.name).collect();
                format!("a list of 1 to {MOST} objects with {}", names.join(", "))
            }
        };
        let message = format!("{} has to be {wants}", self.name);
        Failure { kind: FailureKind::Usage, message, hints: Vec::new() }
    }
}

pub(super) fn schema(arguments: &[Argument]) -> Value {
    let named = |argument: &Argument| (argument.name.to_owned(), argument.schema());
    let properties: Map<String, Value> = arguments.iter().map(named).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    let required = arguments.iter().filter(|argument| argument.required);
    let required: Vec<&str> = required.map(|argument| argument.name).collect();
    if let Some(fields) = schema.as_object_mut().filter(|_| !required.is_empty()) {
        fields.insert("required".to_owned(), json!(required));
    }
    schema
}

/// Checked arguments of a call.
#[derive(Debug, Default)]
pub(super) struct Given(Map<String, Value>);

impl Given {
    /// Checks the arguments that `name` was called with. Those that are null count as left out.
    pub(super) fn read(
        name: &str,
        arguments: &[Argument],
        values: &Map<String, Value>,
    ) -> Result<Self, Failure> {
        let mut given = Map::new();
        for (key, value) in values.iter().filter(|(_, value)| !value.is_null()) {
            let Some(argument) = arguments.iter().find(|argument| argument.name == key) else {
                // A client may have made up a long name.
                let shown: String = key.chars().take(64).collect();
                let message = format!("{name} has no argument {shown:?}");
                let names: Vec<&str> = arguments.iter().map(|argument| argument.name).collect();
                let hint = format!("it takes {}", names.join(", "));
                return Err(Failure::new(FailureKind::Usage, message, hint));
            };
            given.insert(key.clone(), argument.read(value)?);
        }
        let missing =
            arguments.iter().find(|known| known.required && !given.contains_key(known.name));
        match missing {
            None => Ok(Self(given)),
            Some(missing) => {
                let message = format!("{name} needs the argument {}", missing.name);
                Err(Failure { kind: FailureKind::Usage, message, hints: Vec::new() })
            }
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    pub(super) fn whole(&self, name: &str) -> Option<u64> {
        self.0.get(name).and_then(Value::as_u64)
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let all = self.0.get(name).and_then(Value::as_array).into_iter().flatten();
        all.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    pub(super) fn objects(&self, name: &str) -> Option<Vec<Self>> {
        let all = self.0.get(name)?.as_array()?;
        Some(all.iter().filter_map(Value::as_object).cloned().map(Self).collect())
    }
}

#[cfg(test)]
mod tests {
    use pimem_core::report::budget::Tokens;

    use super::*;

    /// Tokens of what an agent reads of all tools in every session.
    const MOST_TOKENS: u32 = 900;
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

    #[test]
    fn values() {
        const WHOLE: Argument = Argument::new("limit", Takes::Whole(1, 50), "");
        const FLAG: Argument = Argument::new("explain", Takes::Flag, "");
        const LIST: Argument = Argument::new("tags", Takes::Texts, "");
        const ONE: Argument = Argument::new("as", Takes::OneOf(&["note", "log"]), "");
        let nothing = Value::Null;
        for (argument, value, want) in [
            (WHOLE, json!(5), json!(5)),
            (WHOLE, json!("5"), json!(5)),
            (WHOLE, json!(5.0), json!(5)),
            (WHOLE, json!(5.5), nothing.clone()),
            (WHOLE, json!(0), nothing.clone()),
            (WHOLE, json!(-1), nothing.clone()),
            (WHOLE, json!(1e300), nothing.clone()),
            (WHOLE, json!("five"), nothing.clone()),
            (WHOLE, json!([5]), nothing.clone()),
            (FLAG, json!(true), json!(true)),
            (FLAG, json!("false"), json!(false)),
            (FLAG, json!(1), nothing.clone()),
            (LIST, json!("one"), json!(["one"])),
            (LIST, json!(["one", "two"]), json!(["one", "two"])),
            (LIST, json!(["one", 2]), nothing.clone()),
            (ONE, json!("log"), json!("log")),
            (ONE, json!("pin"), nothing.clone()),
        ] {
            assert_eq!(argument.read(&value).unwrap_or_default(), want, "{value}");
        }
    }

    #[test]
    fn unknown_and_missing_arguments() {
        let known = [Argument::new("query", Takes::Text, "").required()];
        let read = |value: Value| Given::read("tool", &known, value.as_object().unwrap());
        assert_eq!(read(json!({ "query": "x", "query2": null })).unwrap().text("query"), Some("x"));
        for (value, want) in [
            (json!({}), "tool needs the argument query"),
            (json!({ "query": null }), "tool needs the argument query"),
            (json!({ "query": "x", "pin": true }), "tool has no argument \"pin\""),
            (json!({ "query": 5 }), "query has to be a string"),
        ] {
            assert_eq!(read(value).unwrap_err().message, want);
        }
    }
}
