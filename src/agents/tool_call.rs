//! What a tool is about to do, by the arguments of its call: the files that it writes with the text
//! before and after, and the commands that it runs. Read leniently, in all dialects. Pure.

use std::borrow::Cow;

use serde_json::Value;

use super::hook_input::{Field, keys};

/// A part of a tool's call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolCallPart<'a> {
    /// A file gets this content, whatever it has.
    Write {
        file: Cow<'a, str>,
        after: Cow<'a, str>,
    },
    /// This part of a file becomes that one.
    Replace {
        file: Cow<'a, str>,
        before: Cow<'a, str>,
        after: Cow<'a, str>,
    },
    /// A file is deleted, moved, or changed in a way that is not told.
    Change {
        file: Cow<'a, str>,
    },
    Run(Cow<'a, str>),
}

/// Names of what a file holds afterwards.
const WHOLE: &[&str] = &["content", "contents", "file_text", "new_source"];
/// Names of what is replaced, and of what replaces it.
const OLD: &[&str] = &["old_string", "oldString", "oldText", "old_str"];
const NEW: &[&str] = &["new_string", "newString", "newText", "new_str", "insert_text"];
const COMMAND: &[&str] = &["command", "cmd", "script"];
/// Names of where it is run.
const DIR: &[&str] = &["workdir", "cwd", "directory", "dir_path"];
const PATCH: &[&str] = &["command", "patch", "patchText", "input"];
const BEGIN: &str = "*** Begin Patch";

/// Returns the parts of a call with these arguments.
pub(crate) fn parts(call: &Value) -> Vec<ToolCallPart<'_>> {
    if let Value::String(text) = call {
        return patched(text);
    }
    if let Some(patch) = text(call, PATCH).filter(|text| text.contains(BEGIN)) {
        return patched(&patch);
    }
    let mut found = Vec::new();
    if let Some(file) = keys(Field::File).find_map(|key| text(call, &[key])) {
        let replaced = |of| {
            let after = text(of, NEW)?;
            let before = text(of, OLD).unwrap_or_default();
            Some(ToolCallPart::Replace { file: file.clone(), before, after })
        };
        let edits = call.get("edits").and_then(Value::as_array);
        found.extend(edits.into_iter().flatten().filter_map(replaced));
        found.extend(replaced(call));
        let whole = text(call, WHOLE);
        found.extend(whole.map(|after| ToolCallPart::Write { file: file.clone(), after }));
        if found.is_empty() {
            found.push(ToolCallPart::Change { file });
        }
    } else if let Some(command) = text(call, COMMAND) {
        let dir = DIR.iter().find_map(|name| quoted(call.get(*name)?));
        found.push(ToolCallPart::Run(match dir {
            Some(dir) => format!("cd {dir}\n{command}").into(),
            None => command,
        }));
    }
    found
}

/// Returns the first text of these names.
fn text<'a>(of: &'a Value, names: &[&str]) -> Option<Cow<'a, str>> {
    names.iter().find_map(|name| words(of.get(*name)?))
}

/// Returns a text, or the words of a command as a shell reads them.
fn words(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Array(words) => {
            Some(words.iter().map(quoted).collect::<Option<Vec<_>>>()?.join(" ").into())
        }
        _ => None,
    }
}

/// Returns a word as a shell reads it.
fn quoted(word: &Value) -> Option<String> {
    let word = word.as_str()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    let is_word = !word.is_empty() && word.chars().all(is_plain);
    Some(if is_word { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) })
}

/// Returns the parts of a patch with `*** Update File: NAME` and so on.
fn patched(patch: &str) -> Vec<ToolCallPart<'static>> {
    let mut found: Vec<ToolCallPart<'_>> = Vec::new();
    for line in patch.lines() {
        let head = |start| line.strip_prefix(start).map(|name| Cow::Owned(name.trim().to_owned()));
        if let Some(file) = head("*** Update File: ").or_else(|| head("*** Add File: ")) {
            found.push(ToolCallPart::Replace {
                file,
                before: Cow::default(),
                after: Cow::default(),
            });
        } else if let Some(file) = head("*** Delete File: ").or_else(|| head("*** Move to: ")) {
            found.push(ToolCallPart::Change { file });
        } else if let Some(ToolCallPart::Replace { before, after, .. }) = found.last_mut() {
            let (of, rest) = match line.split_at_checked(1) {
                Some(("+", rest)) => (after, rest),
                Some(("-", rest)) => (before, rest),
                _ => continue,
            };
            let of = of.to_mut();
            of.push_str(rest);
            of.push('\n');
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dialect() {
        for (arguments, want) in [
            (r#"{"file_path":"a.ts","content":"x"}"#, "write a.ts x"),
            (r#"{"file_path":"a.ts","old_string":"x","new_string":"y"}"#, "a.ts x > y"),
            (r#"{"filePath":"a.ts","oldString":"x","newString":"y"}"#, "a.ts x > y"),
            (
                r#"{"path":"a.ts","edits":[{"oldText":"x","newText":"y"},{"newText":"z"}]}"#,
                "a.ts x > y|a.ts  > z",
            ),
            (r#"{"notebook_path":"a.ipynb","new_source":"y"}"#, "write a.ipynb y"),
            (r#"{"file_path":"a.ts"}"#, "change a.ts"),
            (r#"{"command":"git push"}"#, "run git push"),
            (r#"{"command":["bash","-lc","git push 'x'"]}"#, "run bash -lc 'git push '\\''x'\\'''"),
            (
                r#"{"command":"*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n c\n*** Delete File: b\n*** End Patch"}"#,
                "a x\n > y\n|change b",
            ),
            ("\"*** Begin Patch\\n*** Add File: a\\n+y\\n*** End Patch\"", "a  > y\n"),
            (r#"{"cmd":"rm x","workdir":"/a b/c"}"#, "run cd '/a b/c'\nrm x"),
            ("{}", ""),
            (r#"{"query":"x"}"#, ""),
        ] {
            let call = serde_json::from_str(arguments).unwrap();
            let told: Vec<String> = parts(&call)
                .into_iter()
                .map(|part| match part {
                    ToolCallPart::Write { file, after } => format!("write {file} {after}"),
                    ToolCallPart::Replace { file, before, after } => {
                        format!("{file} {before} > {after}")
                    }
                    ToolCallPart::Change { file } => format!("change {file}"),
                    ToolCallPart::Run(command) => format!("run {command}"),
                })
                .collect();
            assert_eq!(told.join("|"), want, "{arguments}");
        }
    }
}
