//! List items of a topic that are no entries, so that what somebody typed by hand is not passed over
//! in silence.

use crate::model::{category::Categories, names};

/// Maximum length of what may be meant as the name of a category.
const NAME: usize = 40;

/// Returns why a line of a topic, which holds no entry, is none; `None` if it is no list item.
/// `stem` is the name of the topic.
pub(super) fn why(line: &str, stem: &str, categories: &Categories) -> Option<String> {
    let words = line.trim_start();
    let digits = words.len() - words.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (mark, rest) = words.split_at_checked(digits + 1)?;
    let is_numbered = (1..=9).contains(&digits) && mark.ends_with(['.', ')']);
    let is_marked = ["-", "*", "+"].contains(&mark) || is_numbered;
    let text = rest.trim_start();
    let word = text.strip_prefix('[').and_then(|inside| inside.split_once(']'));
    // `[word](address)` is a link, and `[ ]` a task.
    let word = word.filter(|(_, after)| after.is_empty() || after.starts_with([' ', '\t']));
    let word = word.map(|(word, _)| word.trim()).filter(|word| (2..=NAME).contains(&word.len()));
    let is_item = is_marked && rest.starts_with([' ', '\t', '[']) && !text.is_empty();
    // What is indented goes on with the line above.
    if !is_item || word.is_none() && words.len() < line.len() {
        return None;
    }
    let Some(word) = word else {
        let known = categories.iter().find(|(_, spec)| spec.topic == stem);
        let name = known.map_or("lesson", |(_, spec)| &*spec.name);
        return Some(format!("is no entry: it names no category, as - [{name}] … would"));
    };
    if categories.find(word).is_some() {
        return (mark != "-").then(|| format!("is no entry: it begins with {mark} and not with -"));
    }
    let meant = nearest(word, categories);
    let meant = meant.map_or_else(String::new, |name| format!("; did you mean {name}?"));
    Some(format!("is no entry: the store has no category {word}{meant}"))
}

/// Returns the category that a word is short for, or else the one spelled most like it.
fn nearest<'a>(word: &str, categories: &'a Categories) -> Option<&'a str> {
    let small = word.to_lowercase();
    let names = || categories.iter().map(|(_, spec)| &*spec.name);
    let is_short = |name: &&str| name.starts_with(&small) || small.starts_with(*name);
    let short = names().find(|name| small.len() >= 3 && is_short(name));
    short.or_else(|| names::closest(word, names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_without_a_category() {
        let categories = Categories::default();
        for (line, want) in [
            ("- typed with no category", Some("it names no category, as - [preference] … would")),
            ("* typed with a star", Some("it names no category, as - [preference] … would")),
            ("- [ ] a task", Some("it names no category, as - [preference] … would")),
            (
                "- [a link](https://example.org)",
                Some("it names no category, as - [preference] … would"),
            ),
            ("- [pref] typo", Some("the store has no category pref; did you mean preference?")),
            ("- [Lesson] case", Some("the store has no category Lesson; did you mean lesson?")),
            (
                "  - [lessons] indented",
                Some("the store has no category lessons; did you mean lesson?"),
            ),
            (
                "- [descision] typo",
                Some("the store has no category descision; did you mean decision?"),
            ),
            ("- [zebra] none", Some("the store has no category zebra")),
            ("* [lesson] star", Some("it begins with * and not with -")),
            ("1. [lesson] numbered", Some("it begins with 1. and not with -")),
            ("12) [lesson] numbered", Some("it begins with 12) and not with -")),
            ("3. [pref] typo", Some("the store has no category pref; did you mean preference?")),
            ("2. a step", Some("it names no category, as - [preference] … would")),
            ("2026 was a year", None),
            ("1.5 s is too long", None),
            ("- [lesson]", None),
            ("  - a detail", None),
            ("**bold**", None),
            ("---", None),
            ("- ", None),
            ("", None),
            ("# Heading", None),
            ("A sentence.", None),
        ] {
            let want = want.map(|want| format!("is no entry: {want}"));
            assert_eq!(why(line, "preferences", &categories), want, "{line:?}");
        }
    }
}
