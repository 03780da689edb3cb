//! Long-term notes: free markdown to which text is appended, at the end or in a section.
//!
//! Existing content is never changed.

use std::ops::Range;

use super::{
    asides::Asides,
    lines::{self, Edit, newline},
};

/// Appends lines at the end. A new file starts with a title.
#[must_use]
pub fn append(bytes: &[u8], added: &[String]) -> Edit {
    let last = lines::lines(bytes).last().and_then(|span| bytes.get(span)).unwrap_or_default();
    let mut added = added.to_vec();
    if !bytes.is_empty() && !goes_on(last, &added) {
        added.insert(0, String::new());
    }
    lines::append(bytes, "Memory", &added)
}

/// Appends lines to the first section with this heading, ignoring case. If there is none, the
/// section is created at the end of the file.
#[must_use]
pub fn append_to(bytes: &[u8], heading: &str, added: &[String]) -> Edit {
    let Some(last) = section(bytes, heading) else {
        let new = [format!("## {heading}"), String::new()];
        return append(bytes, &[&new, added].concat());
    };
    let newline = newline(bytes);
    let mut new = String::new();
    let at = match bytes.get(last.end..).unwrap_or_default() {
        [b'\r', b'\n', ..] => last.end + 2,
        [b'\r' | b'\n', ..] => last.end + 1,
        _ => {
            new.push_str(newline);
            last.end
        }
    };
    if !goes_on(bytes.get(last).unwrap_or_default(), added) {
        new.push_str(newline);
    }
    for line in added {
        new.push_str(line);
        new.push_str(newline);
    }
    Edit { span: at..at, bytes: new.into_bytes() }
}

/// Returns true if no blank line is needed between `last` and the added lines: both are items of
/// one list.
fn goes_on(last: &[u8], added: &[String]) -> bool {
    let is_item = |line: &[u8]| matches!(line, [b'-' | b'*' | b'+', b' ', ..]);
    let indented = last.first().is_some_and(u8::is_ascii_whitespace);
    let first = added.first().is_some_and(|line| is_item(line.as_bytes()));
    last.trim_ascii().is_empty() || first && (indented || is_item(last))
}

/// Returns the span of the last non-blank line of a section, including its heading.
fn section(bytes: &[u8], heading: &str) -> Option<Range<usize>> {
    let mut found: Option<(usize, Range<usize>)> = None;
    let mut asides = Asides::of(bytes);
    for span in lines::lines(bytes) {
        let line = bytes.get(span.clone()).unwrap_or_default();
        let is_hidden = asides.hides(&span);
        let title = title(line).filter(|_| !is_hidden);
        match (&mut found, title) {
            (Some((level, _)), Some((other, _))) if other <= *level => break,
            (Some((_, last)), _) => {
                if !line.trim_ascii().is_empty() {
                    *last = span;
                }
            }
            (None, Some((level, text))) if text.to_lowercase() == heading.to_lowercase() => {
                found = Some((level, span));
            }
            (None, _) => {}
        }
    }
    found.map(|(_, last)| last)
}

/// Parses the level and text of a heading.
fn title(line: &[u8]) -> Option<(usize, String)> {
    let level = line.iter().take_while(|byte| **byte == b'#').count();
    let text = line.get(level..)?;
    let heads = (1..=6).contains(&level) && text.first().is_some_and(u8::is_ascii_whitespace);
    heads.then(|| (level, String::from_utf8_lossy(text.trim_ascii()).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, heading: Option<&str>, text: &str, after: &str) {
        let added: Vec<String> = text.lines().map(str::to_owned).collect();
        let bytes = before.as_bytes();
        let edit = match heading {
            None => append(bytes, &added),
            Some(heading) => append_to(bytes, heading, &added),
        };
        let got = lines::apply(bytes, vec![edit]);
        assert_eq!(String::from_utf8_lossy(&got), after, "{before:?} {heading:?} {text:?}");
    }

    #[test]
    fn table() {
        check("", None, "- a", "# Memory\n\n- a\n");
        check("", Some("Plan"), "- a", "# Memory\n\n## Plan\n\n- a\n");
        check("- a", None, "- b", "- a\n- b\n");
        check("- a\n  more\n", None, "- b", "- a\n  more\n- b\n");
        check("text\n", None, "- b", "text\n\n- b\n");
        check("- a\n", None, "text\nmore", "- a\n\ntext\nmore\n");
        check("text\r\n\r\n", None, "- b", "text\r\n\r\n- b\r\n");
        let file = "# M\n\n## One\n- a\n\n### Deep\n\n- d\n\n\n## Two\n```\n## Three\n```";
        check(file, Some("one"), "- b", &file.replace("- d\n", "- d\n- b\n"));
        check(file, Some("Deep"), "text", &file.replace("- d\n", "- d\n\ntext\n"));
        check(file, Some("TWO"), "- b", &format!("{file}\n\n- b\n"));
        check(file, Some("Three"), "- b", &format!("{file}\n\n## Three\n\n- b\n"));
        check("## Übung\r\n## B\r\n", Some("übung"), "- x", "## Übung\r\n\r\n- x\r\n## B\r\n");
        check("\u{feff}# M\n", Some("m"), "- x", "\u{feff}# M\n\n- x\n");
    }
}
