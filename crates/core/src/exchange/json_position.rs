//! Line numbers of keys in a JSON text, for error messages.

use std::{cell::OnceCell, collections::HashMap};

pub use crate::model::names::{closest, distance};

/// The lines of the keys in a JSON text, computed on first use.
pub struct LineStarts<'a> {
    text: &'a str,
    known: OnceCell<HashMap<String, usize>>,
}

impl<'a> LineStarts<'a> {
    /// `text` must be valid JSON.
    pub fn new(text: &'a str) -> Self {
        Self { text, known: OnceCell::new() }
    }

    /// Returns the line, from 1, of the key with a dotted path. Of duplicate keys, the last one
    /// counts.
    pub fn of(&self, path: &str) -> usize {
        self.known.get_or_init(|| lines(self.text)).get(path).copied().unwrap_or(1)
    }
}

fn lines(text: &str) -> HashMap<String, usize> {
    let mut known = HashMap::new();
    let mut keys: Vec<String> = Vec::new();
    let mut depth = 0_usize;
    let mut line = 1;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => line += 1,
            '{' | '[' => depth += 1,
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                keys.truncate(depth);
            }
            '"' => {
                let mut string = String::new();
                while let Some(c) = chars.next_if(|c| *c != '"') {
                    string.push(c);
                    if c == '\\' {
                        string.extend(chars.next());
                    }
                }
                chars.next();
                // Only a string before a colon is a key, and no setting is nested deeper than three
                // levels.
                let mut ahead = chars.clone().skip_while(|c| c.is_whitespace());
                if ahead.next() == Some(':') && (1..=3).contains(&depth) {
                    keys.truncate(depth - 1);
                    keys.push(string);
                    known.insert(keys.join("."), line);
                }
            }
            _ => {}
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_keys() {
        let text = "{\n  \"a\": {\"x\": \"b:\\\"\",\n    \"b\": [1, {\"b\": 2}]},\n  \"b\": 3,\n  \"c.d\": 4\n}";
        let lines = LineStarts::new(text);
        for (path, want) in [("a", 2), ("a.x", 2), ("a.b", 3), ("b", 4), ("c.d", 5), ("e", 1)] {
            assert_eq!(lines.of(path), want, "{path:?}");
        }
        assert_eq!(LineStarts::new("{\"a\": 1,\n\"a\": 2}").of("a"), 2, "the last one counts");
    }
}
