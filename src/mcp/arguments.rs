//! Arguments of tools: their schema, and their values as a client gives them.

use pimem_engine::error::{Failure, FailureKind};
use serde_json::{Map, Value, json};

/// Maximum number of entries of one call.
const MOST: usize = 50;

/// What an argument takes.
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

/// An argument of a tool.
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

    /// Returns the value in its own type. Numbers and flags may come as strings, which some clients
    /// make of everything that a person types.
    fn read(&self, value: &Value) -> Result<Value, Failure> {
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
                let all = value.as_array().filter(|all| (1..=MOST).contains(&all.len()));
                let Some(all) = all else { return Err(self.wrong()) };
                let object = |value: &Value| {
                    let object = value.as_object().ok_or_else(|| self.wrong())?;
                    Given::read(self.name, of, object).map(|given| Value::Object(given.0))
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

/// Returns the schema of arguments.
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
                let message = format!("{name} has no argument {:?}", shortened(key));
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

/// Returns the beginning of a name that a client made up.
fn shortened(name: &str) -> String {
    name.chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
