//! Extracts statements of lasting value from a message or log item: corrections, preferences,
//! repeated mistakes, finished work, conventions and choices.
//!
//! Precision comes before recall, as with preferences. Finished work counts if the agent or a log
//! reports it, all other statements if the person typed them.

mod choice;
mod convention;
mod correction;
mod done;
mod kept;
mod told;

#[cfg(test)]
mod tests;

use super::{
    cues::{Family, SentenceReading},
    lexicon::statement::{DONE, HABITS, ORDERS, PLAIN, RULE},
    pasted,
    preference::{self, CHARS, LOOKED_AT, PASTED, cut, stated},
    sentence::{self, LEAST_SENTENCE, Sentence},
    words::{self, Word},
};
use crate::{
    safety::{safe_text::without_private, secret},
    session::transcript,
};

/// Maximum number of statements, and of sentences, taken from one message.
const MOST: usize = 12;

/// The author of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    User,
    Agent,
    /// The author of the log.
    Log,
}

/// The kind of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatementKind {
    /// A wish of the user.
    Preference,
    /// A correction.
    Lesson,
    /// Something that went wrong and was repaired; an entry only if it recurs.
    Mistake,
    /// A convention of the project.
    Pattern,
    /// A choice.
    Decision,
    /// Finished work.
    Done,
}

impl StatementKind {
    pub const ALL: [Self; 6] =
        [Self::Preference, Self::Lesson, Self::Mistake, Self::Pattern, Self::Decision, Self::Done];

    /// The category of an entry with this statement.
    #[must_use]
    pub fn category(self) -> &'static str {
        match self {
            Self::Preference => "preference",
            Self::Lesson => "lesson",
            Self::Mistake => "mistake",
            Self::Pattern => "pattern",
            Self::Decision => "decision",
            Self::Done => "done",
        }
    }
}

/// A statement, as a sentence that can be understood alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    pub kind: StatementKind,
    /// The sentence, at most 100 characters.
    pub text: String,
    /// True if the statement itself says that it is a repetition.
    pub again: bool,
}

/// The result for a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundStatement {
    /// Statements that a rule recognises.
    pub statements: Vec<Statement>,
    /// Other sentences of the user that are worth keeping if they recur.
    pub sentences: Vec<String>,
    /// The reason why the message may have been pasted.
    pub pasted: Option<&'static str>,
}

/// Extracts statements from a message, without secrets and private text.
#[must_use]
pub fn find(who: Who, message: &str) -> FoundStatement {
    let Some(text) = open(who, message) else { return FoundStatement::default() };
    let found = heard(who, &text);
    // Most messages state nothing, so the expensive checks come last.
    if found == FoundStatement::default() || (who == Who::User && preference::is_for_others(&text))
    {
        return FoundStatement::default();
    }
    // Other secrets contain no white space, so they never span sentences.
    let found =
        if text.contains("PRIVATE KEY-----") { heard(who, &secret::redact(&text)) } else { found };
    let pasted = if who == Who::User { pasted(message, &found.statements) } else { None };
    FoundStatement { pasted, ..found }
}

/// Returns the reason why a message with statements may have been pasted. If it contains a
/// preference, only sentences with a preference are trusted.
fn pasted(message: &str, found: &[Statement]) -> Option<&'static str> {
    let wants = found.iter().any(|found| found.kind == StatementKind::Preference);
    let mut corrects = false;
    pasted::sign(message, |sentence, words| {
        let corrected = std::mem::replace(&mut corrects, told::only_corrects(sentence, words));
        let by_table = || by_cue(sentence, words, corrected).is_some();
        let says = if wants {
            if let Some(clause) = preference::stated_bytes(sentence, words) {
                return Some(clause);
            }
            by_table()
        } else if found.is_empty() {
            kept::worth(sentence, words).is_some()
        } else {
            corrects || told::read(sentence, words, corrected).is_some() || by_table()
        };
        says.then_some(0..0)
    })
}

/// Extracts statements from a text, skipping sentences with secrets.
fn heard(who: Who, text: &str) -> FoundStatement {
    let mut found = FoundStatement::default();
    let mut corrects = false;
    for sentence in sentence::sentences(text) {
        let corrected = std::mem::take(&mut corrects);
        if sentence.text.len() > PASTED || (who == Who::Agent && !done::begins(&sentence.text)) {
            continue;
        }
        let words = words::words(&sentence.masked);
        if who == Who::User && told::only_corrects(&sentence, &words) {
            corrects = true;
            continue;
        }
        let statements = statements(who, &sentence, &words, corrected);
        if statements.is_empty() && who == Who::User {
            found
                .sentences
                .extend(kept::worth(&sentence, &words).and_then(|text| clean(text, CHARS)));
        }
        found.statements.extend(statements);
        if found.statements.len() + found.sentences.len() >= MOST {
            break;
        }
    }
    found.statements.truncate(MOST);
    found
}

/// Returns the part of a message to examine, if it may contain statements.
fn open(who: Who, message: &str) -> Option<String> {
    let text = without_private(message);
    let text = if who == Who::User { transcript::typed(&text)? } else { text };
    let text = match text.get(..text.floor_char_boundary(LOOKED_AT))? {
        // Cut between words, because half a word may be half a secret.
        head if head.len() < text.len() => head.rsplit_once(char::is_whitespace)?.0,
        all => all,
    };
    match who {
        Who::User => {
            let bare = text.trim();
            let enough = bare.len() >= LEAST_SENTENCE && !bare.starts_with('/');
            enough.then(|| text.to_owned())
        }
        Who::Agent => Some(done::reports(text)).filter(|text| !text.is_empty()),
        Who::Log => Some(done::untimed(text).to_owned()),
    }
}

/// The result of a rule, before it is cut.
struct Draft {
    kind: StatementKind,
    text: String,
    again: bool,
}

impl Draft {
    fn new(kind: StatementKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), again: false }
    }
}

/// Returns the statement that a row of the tables of cues finds in a sentence.
fn by_cue(sentence: &Sentence, words: &[Word], corrected: bool) -> Option<Draft> {
    let found = SentenceReading::new(sentence, words).noted(corrected)?;
    let kind = match found.family {
        Family::Naming | Family::Identity | Family::Preference | Family::Rule => {
            StatementKind::Preference
        }
        Family::Correction | Family::Wish | Family::Finding => StatementKind::Lesson,
        Family::Convention => StatementKind::Pattern,
        Family::Decision => StatementKind::Decision,
    };
    let alone = !matches!(found.family, Family::Correction | Family::Wish)
        || told::stands_alone(sentence, words, found.statement);
    if !alone {
        return None;
    }
    let from = if found.leads { found.end } else { found.statement };
    let text = sentence.text.get(words.get(from)?.start..)?;
    Some(Draft::new(kind, text))
}

/// Returns true if a message rejects what was just done.
#[must_use]
pub fn rejects(message: &str) -> bool {
    let text = without_private(message);
    let Some(text) = transcript::typed(&text) else { return false };
    let start = text.get(..text.floor_char_boundary(PASTED)).unwrap_or_default();
    let mut sentences = sentence::sentences(start).into_iter().take(REJECTING);
    sentences.any(|one| SentenceReading::new(&one, &words::words(&one.masked)).rejects())
}

/// Returns true if a report says that something was undone.
#[must_use]
pub fn undoes(report: &str) -> bool {
    done::undoes(report)
}

/// Number of sentences at the start of a message that may reject something.
const REJECTING: usize = 4;

/// Suffix of a mistake, which says why it is worth a line.
const AGAIN: &str = ", more than once";

fn statements(who: Who, sentence: &Sentence, words: &[Word], corrected: bool) -> Vec<Statement> {
    let least = if who == Who::Log { LEAST } else { LEAST_SENTENCE };
    if sentence.text.len() < least {
        return Vec::new();
    }
    let drafts = match who {
        Who::User => match stated(sentence, words) {
            // Preferences that refer outside of the project are left to hooks, which keep them for
            // review.
            Some(found) if found.secret.is_some() || found.waits.is_some() => Vec::new(),
            Some(found) => vec![Draft::new(StatementKind::Preference, found.text)],
            None => told::read(sentence, words, corrected)
                .or_else(|| by_cue(sentence, words, corrected))
                .into_iter()
                .collect(),
        },
        Who::Agent => done::read(sentence, words),
        Who::Log => match told::noted(sentence, words) {
            Some(draft) => vec![draft],
            None => done::read(sentence, words),
        },
    };
    let finished = |draft: Draft| {
        let behind = if draft.kind == StatementKind::Mistake { AGAIN } else { "" };
        let text = clean(&draft.text, CHARS - behind.len())?;
        Some(Statement { kind: draft.kind, text: text + behind, again: draft.again })
    };
    drafts.into_iter().filter_map(finished).collect()
}

/// Returns a sentence as it is stored; `None` if it contained a secret or is too short.
fn clean(text: &str, chars: usize) -> Option<String> {
    let text = secret::clean(text);
    if text.contains("[redacted: ") {
        return None;
    }
    let text = capitalized(cut(&unmarked(&text), chars));
    (text.chars().count() >= LEAST).then_some(text)
}

/// Strips the marks of bold print, but not those of a pattern such as `src/**/*.rs`.
fn unmarked(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("**") {
        kept.push_str(before);
        let last = kept.chars().next_back().is_none_or(|c| c.is_whitespace() || c == '(');
        let next = behind.chars().next().is_none_or(|c| c.is_whitespace() || ",.:;!)".contains(c));
        if last == next || kept.ends_with('/') || behind.starts_with('/') {
            kept.push_str("**");
        }
        rest = behind;
    }
    kept + rest
}

/// Minimum length of a statement, in characters.
const LEAST: usize = 12;

/// Capitalises the first letter, unless the word may be a name.
fn capitalized(text: &str) -> String {
    let first =
        text.split(|c: char| c.is_whitespace() || ",:".contains(c)).next().unwrap_or_default();
    let known = PLAIN.contains(first)
        || ORDERS.contains(first)
        || HABITS.contains(first)
        || RULE.contains(first)
        || first == "don't"
        || DONE.contains(first);
    let mut text = text.to_owned();
    if let Some(start) = text.get_mut(..1).filter(|_| known) {
        start.make_ascii_uppercase();
    }
    text
}
