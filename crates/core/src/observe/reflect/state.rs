//! Recognises statements of a state, which a newer statement about the same subject replaces.
//!
//! Precision comes before recall: an old state that stays costs a line, but two statements mistaken
//! for one lose the first. So only short statements with a named subject and a single possible
//! value count: `Decision: the port is 8080`, `The importer moved to crates/import`.

/// Verbs of state: the words, the kind of state, and whether any such statement has a single value.
/// The others count only for a decision, or if the value is a number or code.
const VERBS: &[(&[&str], &str, bool)] = &[
    (&["is", "now"], "is", true),
    (&["are", "now"], "is", true),
    (&["is", "set", "to"], "is", true),
    (&["are", "set", "to"], "is", true),
    (&["was", "set", "to"], "is", true),
    (&["set", "to"], "is", true),
    (&["was", "changed", "to"], "is", true),
    (&["changed", "to"], "is", true),
    (&["becomes"], "is", true),
    (&["became"], "is", true),
    (&["defaults", "to"], "is", true),
    (&["is", "called"], "called", true),
    (&["was", "renamed", "to"], "called", true),
    (&["renamed", "to"], "called", true),
    (&["was", "moved", "to"], "moved", true),
    (&["moved", "to"], "moved", true),
    (&["lives", "in"], "moved", true),
    (&["is"], "is", false),
    (&["are"], "is", false),
    (&["="], "is", false),
];

/// Prefixes before a statement.
const LEADS: &[&str] = &["User said: ", "User wants: ", "Agent: "];
/// Prefix of a decision.
const DECISION: &str = "Decision: ";
/// Words that do not name a subject, or name one of several.
const VAGUE: &str = "it its this that these those there he she they we i you what which who where \
    when why how if not no some one another other most many both here nothing everything \
    something was were and or but only also user";
/// Words that restrict or negate a value.
const SCOPES: &[&str] = &[
    "for", "in", "on", "at", "when", "if", "unless", "until", "and", "or", "but", "with",
    "without", "only", "per", "as", "by", "than", "because", "since", "after", "before", "from",
    "while", "not", "no", "never", "also", "too", "still", "yet", "one", "part", "like", "under",
    "so", "done",
];
/// Maximum number of words of a subject and of a value.
const SUBJECT: usize = 8;
const VALUE: usize = 4;

/// Returns subject and value, if a text states such a state.
pub(super) fn of(text: &str) -> Option<(String, String)> {
    let text = LEADS.iter().find_map(|lead| text.strip_prefix(lead)).unwrap_or(text);
    let (text, decided) = text.strip_prefix(DECISION).map_or((text, false), |rest| (rest, true));
    let text = text.trim().trim_end_matches('.');
    if text.contains(['?', ';', ',', '!', '"', '(']) || text.contains(". ") {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let (at, (verb, kind, sure)) = (1..lower.len()).find_map(|at| {
        let rest = lower.get(at..)?;
        let fits =
            |verb: &[&str]| rest.len() > verb.len() && rest.iter().zip(verb).all(|(a, b)| a == b);
        VERBS.iter().find(|(verb, ..)| fits(verb)).map(|verb| (at, *verb))
    })?;
    let subject = lower.get(..at)?;
    let value = words.get(at + verb.len()..)?;
    let (subject, bare) = (without_article(subject), without_article(value));
    let known = (1..=SUBJECT).contains(&subject.len())
        && (1..=VALUE).contains(&bare.len())
        && !subject.iter().any(|word| VAGUE.split(' ').any(|vague| vague == word))
        && !bare.iter().any(|word| SCOPES.contains(&word.to_lowercase().as_str()));
    let exact = bare.iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit() || c == '`'));
    (known && (sure || decided || exact))
        .then(|| (format!("{} {kind}", subject.join(" ")), bare.join(" ")))
}

fn without_article<T: AsRef<str>>(words: &[T]) -> &[T] {
    match words {
        [first, rest @ ..]
            if ["the", "a", "an"].contains(&first.as_ref().to_lowercase().as_str()) =>
        {
            rest
        }
        all => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_states() {
        for (old, new) in [
            ("Decision: the store is SQLite", "Decision: store is Postgres."),
            ("The lock timeout is 250 ms", "User said: the lock timeout is now 400 ms"),
            ("The importer moved to crates/import", "importer was moved to src/import"),
            ("Decision: the branch is `main`", "the branch is `trunk`"),
            ("The table was renamed to calls", "The table is called port_calls"),
            ("retries = 3", "retries = 5"),
        ] {
            let (old, new) = (of(old).unwrap(), of(new).unwrap());
            assert_eq!(old.0, new.0);
            assert_ne!(old.1, new.1);
        }
    }

    #[test]
    fn both_stay() {
        for (a, b) in [
            ("The importer is slow", "The importer is done"),
            ("User uses zsh", "User uses vim"),
            ("It is now 5", "It is now 6"),
            (
                "Decision: the store is SQLite for tests",
                "Decision: the store is Postgres for production",
            ),
            ("The port is 80 in staging", "The port is 8080 in production"),
            ("The limit of staging is 5", "The limit of production is 6"),
            ("Is the limit now 5?", "Is the limit now 6?"),
            ("The reviewer is Rui and the limit is 5", "The reviewer is Rui and the limit is 6"),
            ("One cause is now 5", "One cause is now 6"),
            ("The file moved to a", "The file is now b"),
        ] {
            let (a, b) = (of(a), of(b));
            assert!(
                a.is_none() || b.is_none() || a.as_ref().unwrap().0 != b.as_ref().unwrap().0,
                "{a:?} {b:?}"
            );
        }
    }
}
