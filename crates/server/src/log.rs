//! One JSON object a line on standard error. No text of a memory is ever written to it.

use serde_json::{Map, Value, json};

use crate::clock;

pub fn line(level: &str, message: &str, fields: Value) {
    let mut all = Map::new();
    all.insert("ts".to_owned(), json!(clock::now().to_rfc3339()));
    all.insert("level".to_owned(), json!(level));
    all.insert("message".to_owned(), json!(message));
    if let Value::Object(fields) = fields {
        all.extend(fields);
    }
    write(&Value::Object(all).to_string());
}

#[expect(clippy::print_stderr, reason = "the one place")]
fn write(line: &str) {
    eprintln!("{line}");
}
