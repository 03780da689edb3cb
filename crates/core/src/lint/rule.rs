//! The rules of `check` as data, and the type of their findings.

use std::fmt;

use serde::Serialize;

use crate::model::entry::EntryId;

crate::named! {
    /// The severity of a finding. The names are those of SARIF.
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    pub enum Level {
        /// Data is lost, leaks, or is not what it looks like.
        Error = "error",
        /// A person should look at it.
        Warning = "warning",
    }
}

/// A rule of the linter.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// The name on the command line and in output.
    pub id: &'static str,
    pub level: Level,
    /// What the rule finds.
    pub about: &'static str,
    /// What to do about a finding.
    pub fix: &'static str,
}

/// What to do about a secret; an entry has one more way.
macro_rules! revoke {
    ($($more:literal)?) => {
        concat!("revoke it, then take it out; what was committed stays in history" $(, $more)?)
    };
}

macro_rules! rules {
    ($($name:ident $level:ident $id:literal $about:literal, $fix:expr;)*) => {
        $(
            #[doc = $about]
            pub static $name: Rule =
                Rule { id: $id, level: Level::$level, about: $about, fix: $fix };
        )*
        /// All rules.
        pub static RULES: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    CONFLICT_MARKER Error "conflict-marker" "A merge left its conflict markers",
        "resolve the conflict; entries around it are read";
    DAMAGED_EVENT Error "damaged-event" "A line of the evidence log cannot be read",
        "mend or delete that line by hand; the other lines count";
    SEALED_LINE Error "sealed-line" "A line is sealed, and no key here opens it",
        "leave it; bring the key that it is sealed under (pimem encrypt)";
    NOT_UTF8 Error "not-utf8" "A line is not UTF-8",
        "convert the file, as with iconv";
    TOO_LONG Error "too-long" "A line is too long to be an entry",
        "shorten the line";
    CONTROL_CHARACTER Error "control-character" "A line holds a control, bidi or invisible character",
        "delete the character; what is shown is not what is read";
    SECRET Error "secret" "A line holds what looks like a key, a token or a password",
        revoke!("; if it is none: pimem trust --no-secret ID");
    INSTRUCTION Warning "instruction" "A text is worded as an order to the agent that reads it",
        "see where it came from; reword it as a fact, or remove it";
    CONTRADICTION Warning "contradiction" "An entry says the opposite of another one",
        "remove the one that no longer holds, or add it anew with --supersedes";
    DUPLICATE Warning "duplicate" "An entry stands on more than one line",
        "delete one of the two lines";
    ID_COLLISION Error "id-collision" "Two texts have the same id, and so one evidence",
        "see where they came from; reword one of the two";
    NEAR_DUPLICATE Warning "near-duplicate" "An entry says the same as another one in other words",
        "keep the better wording and remove the other";
    EXPIRED Warning "expired" "The date of an entry has passed",
        "move it to the archive: pimem forget --archive, or pimem check --fix";
    REPLACED Warning "replaced" "An entry was replaced and still stands in its topic",
        "move it to the archive: pimem forget --archive, or pimem check --fix";
    UNSET_CATEGORY Warning "unset-category" "A line has a category of another preset",
        "pimem config set categories.preset all reads it; the line stays where it is";
    FORBIDDEN Error "forbidden" "A file has what an entry forbids",
        "do what the entry says instead, or change what it forbids: pimem edit ID --no-guard";
    UNUSABLE_RULE Warning "unusable-rule" "What an entry forbids, or its place, cannot be read",
        "mend the pattern: pimem edit ID --forbid REGEX, or --place GLOB";
    EMPTY_PLACE Warning "empty-place" "No file is in the place of an entry",
        "name a place that is there, or none: pimem edit ID --no-place";
    NO_ENTRY Warning "no-entry" "A list item of a topic is no entry, so no agent is told it",
        "begin it with a category: - [lesson] …; it stays where it is";
    UNCLOSED Warning "unclosed" "A code block or comment has no end",
        "close it; until then the lines below it are entries";
    OVER_BUDGET Warning "over-budget" "An entry is too long for its section of the report",
        "shorten it or split it; as it is, no report can show it";
    TOPIC_FULL Warning "topic-full" "A topic file is nearly full",
        "pimem list, then pimem forget what is no longer needed";
    FUTURE_EVENT Warning "future-event" "An event is dated more than a day ahead",
        "set the clock that wrote it; until that day it says what happened, and not when";
}

/// A place in a store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FindingPlace {
    /// File name relative to the store, with forward slashes.
    pub file: String,
    /// Line number from 1; `None` for the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Character in the line, from 1; `None` for the whole line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}

impl FindingPlace {
    pub fn line(file: &str, line: usize) -> Self {
        Self { file: file.to_owned(), line: Some(line), column: None }
    }

    pub fn file(file: &str) -> Self {
        Self { file: file.to_owned(), line: None, column: None }
    }
}

impl fmt::Display for FindingPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        let numbers = [self.line, self.column];
        numbers.into_iter().flatten().try_for_each(|number| write!(f, ":{number}"))
    }
}

/// A fix that loses nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fix {
    /// Delete this line: the entry appears elsewhere too.
    DeleteRepeat,
    /// Move the entry to the archive.
    Archive,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub rule: &'static Rule,
    pub place: FindingPlace,
    /// The finding as a predicate of its place: `repeats topics/lessons.md:3`.
    pub says: String,
    /// The entry on the line, if any.
    pub entry: Option<EntryId>,
    /// What `--fix` does about it; `None` if only a person can fix it.
    pub fix: Option<Fix>,
}

impl Finding {
    /// Returns a finding without an entry or a fix.
    pub fn new(rule: &'static Rule, place: FindingPlace, says: impl Into<String>) -> Self {
        Self { rule, place, says: says.into(), entry: None, fix: None }
    }

    /// Returns what a person can do about it. Only an entry can be said to hold no secret.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self.entry {
            _ if self.rule.id != SECRET.id => self.rule.fix.to_owned(),
            Some(entry) => format!(revoke!("; if it is none: pimem trust --no-secret {}"), entry),
            None => revoke!().to_owned(),
        }
    }

    /// Returns the finding with an entry.
    #[must_use]
    pub fn about(self, entry: EntryId) -> Self {
        Self { entry: Some(entry), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_in_one_style() {
        let mut ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), RULES.len());
        for rule in RULES {
            assert!(rule.id.bytes().all(|c| c.is_ascii_lowercase() || b"-8".contains(&c)));
            assert!(!rule.about.ends_with('.') && !rule.fix.ends_with('.'), "{}", rule.id);
        }
    }

    #[test]
    fn places_are_those_of_compilers() {
        let place = FindingPlace::line("topics/lessons.md", 3);
        assert_eq!(place.to_string(), "topics/lessons.md:3");
        assert_eq!(FindingPlace { column: Some(7), ..place }.to_string(), "topics/lessons.md:3:7");
        assert_eq!(FindingPlace::file("MEMORY.md").to_string(), "MEMORY.md");
    }
}
