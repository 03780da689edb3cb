//! Where in a JSON text a key stands, so that an error can name the line.

/// The line (from 1) of the key at `path`, in a text that is valid JSON.
pub(crate) fn line_of(text: &str, path: &[&str]) -> usize {
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
                // Only a string before a colon is a key.
                let mut ahead = chars.clone().skip_while(|c| c.is_whitespace());
                if ahead.next() == Some(':') && depth > 0 {
                    keys.truncate(depth - 1);
                    keys.push(string);
                    if keys == path {
                        return line;
                    }
                }
            }
            _ => {}
        }
    }
    1
}

/// The name among `known` that `wrong` was probably meant to be.
pub(crate) fn closest<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|name| (distance(&wrong.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(far, name)| *far <= 1 + name.len() / 3)
        .min()
        .map(|(_, name)| name)
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (at, from) in a.chars().enumerate() {
        let mut corner = at;
        let mut left = at + 1;
        let mut next = vec![left];
        for (to, above) in b.chars().zip(row.iter().skip(1)) {
            left = (corner + usize::from(from != to)).min(left + 1).min(above + 1);
            corner = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let text = "{\n  \"a\": {\"x\": \"b:\\\"\",\n    \"b\": [1, {\"b\": 2}]},\n  \"b\": 3\n}";
        for (path, want) in
            [(&["a"][..], 2), (&["a", "x"], 2), (&["a", "b"], 3), (&["b"], 4), (&["c"], 1)]
        {
            assert_eq!(line_of(text, path), want, "{path:?}");
        }
    }

    #[test]
    fn suggestions() {
        let known = ["report.budget", "report.context", "scoring.fresh"];
        let suggest = |wrong| closest(wrong, known.into_iter());
        assert_eq!(suggest("report.bugdet"), Some("report.budget"));
        assert_eq!(suggest("Report.Budget"), Some("report.budget"));
        assert_eq!(suggest("zzz"), None);
        assert_eq!((distance("kitten", "sitting"), distance("", "ab")), (3, 2));
    }
}
