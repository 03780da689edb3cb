//! Kinds of things and products of each kind: that PostgreSQL is a database stands in no sentence
//! that names it, and the models know it of the best known names only.

/// Words for a kind, a colon, and words for things of that kind, one kind a line.
const KINDS: &str = include_str!("kinds.txt");

/// Returns the words for things of the kind that a lower-case word names; empty if it names none.
#[must_use]
pub fn things(word: &str) -> &'static str {
    let mut kinds = KINDS.lines().filter(|line| !line.starts_with('#'));
    let found = kinds.find_map(|line| {
        let (names, things) = line.split_once(':')?;
        names.split(' ').any(|name| name == word).then_some(things)
    });
    found.unwrap_or_default()
}

/// Returns true if a lower-case word is one of those that [`things`] returned.
#[must_use]
pub fn is_among(word: &str, things: &str) -> bool {
    !things.is_empty() && things.split(' ').any(|thing| thing == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_their_things() {
        for (kind, thing) in
            [("database", "postgresql"), ("queue", "rabbitmq"), ("linters", "clippy")]
        {
            assert!(is_among(thing, things(kind)), "{kind} {thing}");
        }
        assert!(!is_among("rabbitmq", things("database")) && !is_among("", things("cake")));
    }

    /// A kind has one line, and a word is read as it stands there.
    #[test]
    fn the_list_is_in_order() {
        let lines: Vec<&str> = KINDS.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(lines.is_sorted() && lines.len() > 30);
        let names = lines.iter().filter_map(|line| line.split_once(':'));
        let names: Vec<&str> = names.flat_map(|(names, _)| names.split(' ')).collect();
        for (at, name) in names.iter().enumerate() {
            assert!(!names[..at].contains(name), "{name} twice");
        }
        let is_word = |word: &str| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        for line in &lines {
            let (names, things) = line.split_once(": ").unwrap();
            assert!(names.split(' ').chain(things.split(' ')).all(is_word), "{line}");
        }
    }
}
