//! Extracts preferences that a user states plainly, about themselves or for all future sessions.
//!
//! Precision comes before recall: sentences that ask, report, deny, quote, or concern a single task
//! are ignored, because a wrong preference is repeated in every session.

use std::{borrow::Cow, ops::Range};

use super::{
    cues::{CueFound, CueStrength, Family, SentenceReading},
    fact::{self, ToldFact},
    lexicon::preference::ELSEWHERE,
    pasted,
    words::{self, Word},
};
use crate::{
    language::sentence::{self, LEAST_SENTENCE, Sentence},
    safety::{safe_text::without_private, secret},
    session::transcript,
};
/// Maximum number of preferences taken from one message.
pub const MOST: usize = 3;
/// Minimum length of a message, in characters.
const LEAST_MESSAGE: usize = 20;
/// Maximum number of bytes of a sentence; longer ones are not typed.
pub(super) const PASTED: usize = 1_000;
/// Maximum number of characters of a preference.
pub(super) const CHARS: usize = 100;
/// Maximum number of characters of a statement from a past session. It is longer, as a person reads it before
/// it is used.
const PAST_CHARS: usize = 240;
/// Maximum number of bytes of a message that are examined; the rest was pasted.
pub const LOOKED_AT: usize = 32 << 10;
/// How many of them are of the end of a longer message.
const BELOW: usize = 2 << 10;

/// A preference in the user's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preference {
    /// The text, at most 100 characters, of the past 240.
    pub text: String,
    pub family: Family,
    /// Kind of secret in its sentence, if any. Such a preference must not be stored.
    pub secret: Option<&'static str>,
    /// The reason why it needs a review: it may have been pasted, or refers outside of the project.
    pub waits: Option<&'static str>,
}

/// Returns the preferences in a message, at most [`MOST`].
#[must_use]
pub fn find(message: &str) -> Vec<Preference> {
    find_heard(message, Hearing::Stated)
}

/// Which statements of a message are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hearing {
    /// Those that a phrase or a cue gives away.
    Stated,
    /// A sentence without one too, if it seems to hold beyond the day and stands alone; it waits.
    Prompt,
    /// Sentences without one too, if they seem to hold beyond the day; these wait for a review.
    Lasting,
    /// Both, of an imported message, where a statement may be longer and may be of the moment: all
    /// of it is looked at before it counts.
    Past,
}

/// Returns what is to be kept of a message, at most [`MOST`].
#[must_use]
pub fn find_heard(message: &str, hearing: Hearing) -> Vec<Preference> {
    let Some(open) = transcript::typed(&without_private(message)) else { return Vec::new() };
    let open = looked_at(open.trim_end());
    let bare = open.trim_start();
    if bare.starts_with('/') || bare.chars().count() < LEAST_MESSAGE {
        return Vec::new();
    }
    // The tables are for what is typed; in a long text their wordings mean little.
    let short = pasted::is_short(bare);
    let edges = if short { Vec::new() } else { pasted::edges(bare) };
    let others =
        if short { is_for_others(bare) } else { edges.iter().any(|text| is_for_others(text)) };
    if others {
        return Vec::new();
    }
    let typed: Vec<Sentence> = edges.iter().flat_map(|text| sentence::sentences(text)).collect();
    let sentences = sentence::sentences(&open);
    let said = sentences.iter().filter(|one| words::words(&one.masked).len() > 2);
    let beside = if said.take(2).count() == 1 { Beside::Nothing } else { Beside::Sentences };
    let mut listening = Reader { is_typed: short, beside, corrected: false, hearing };
    // What only lasts by its build is no sign of a paste.
    let reader = match hearing {
        Hearing::Prompt | Hearing::Lasting => Reader { hearing: Hearing::Stated, ..listening },
        Hearing::Stated | Hearing::Past => listening,
    };
    let mut all: Vec<(Preference, CueStrength, bool)> = Vec::new();
    let mut passed_on = Vec::new();
    for sentence in sentences {
        let words = words::words(&sentence.masked);
        let typed = typed.contains(&sentence);
        if !short {
            listening.is_typed = typed;
        }
        if short
            && !sentence.asked
            && let Some(found) = relayed(&sentence, &words, reader)
        {
            passed_on.push(found);
            continue;
        }
        let Some(said) = listening.read(&sentence, &words) else { continue };
        let Some(preference) = drafted(&sentence, &said, reader.chars()) else { continue };
        if !all.iter().any(|(other, ..)| other.text.eq_ignore_ascii_case(&preference.text)) {
            all.push((preference, said.strength, typed));
        }
        let plain = |(_, strength, typed): &&(_, CueStrength, bool)| {
            !strength.is_weak() && (short || *typed)
        };
        if all.iter().filter(plain).count() == MOST {
            break;
        }
    }
    // Beside a plain statement, a weak one gives its reason.
    let least = all.iter().map(|(_, strength, _)| *strength).max().unwrap_or(CueStrength::Weak);
    let least = least.min(CueStrength::Plain);
    all.retain(|(_, strength, _)| *strength >= least);
    // What may have been typed takes no second place to what stands in a paste.
    all.sort_by_key(|(.., typed)| !typed);
    let mut found: Vec<Preference> = all.into_iter().map(|(found, ..)| found).take(MOST).collect();
    let mut again = reader;
    let learned = |sentence: &Sentence, words: &[Word]| {
        again.read(sentence, words).filter(|said| said.strength >= least).map(|said| said.clause)
    };
    if !found.is_empty()
        && let Some(sign) = pasted::sign(message, learned)
    {
        for one in &mut found {
            one.waits = Some(sign);
        }
    }
    passed_on.retain(|one| found.iter().all(|other| other.text != one.text));
    found.extend(passed_on);
    found.truncate(MOST);
    found
}

/// Returns what a sentence passes on from somebody else, which waits for a review.
fn relayed(sentence: &Sentence, words: &[Word], reader: Reader) -> Option<Preference> {
    let quoted = || {
        let inner = pasted::relayed(sentence, words)?;
        let mut reader = reader;
        let said = reader.read(&inner, &words::words(&inner.masked))?;
        drafted(&inner, &said, reader.chars()).filter(|_| !said.strength.is_weak())
    };
    let wished = || {
        let from = pasted::wish(sentence, words).filter(|_| reader.is_typed)?;
        let said = Said { from, ..Said::plain(Family::Preference, from..from) };
        drafted(sentence, &said, reader.chars())
    };
    let found = quoted().or_else(wished)?;
    Some(Preference { waits: Some(pasted::RELAYED), ..found })
}

/// Returns the part of a message that is examined: of a long one its beginning, and its end, where a
/// person may have typed below a paste.
fn looked_at(message: &str) -> Cow<'_, str> {
    if message.len() <= LOOKED_AT {
        return message.into();
    }
    let head = message.floor_char_boundary(LOOKED_AT - BELOW);
    let tail = message.ceil_char_boundary(message.len() - BELOW);
    let (head, tail) = (message.get(..head), message.get(head..).zip(message.get(tail..)));
    let (rest, tail) = tail.unwrap_or_default();
    // From a line's start on: half a line may be half a secret.
    let tail = tail.split_once('\n').map_or("", |(_, tail)| tail);
    let cut = rest.get(..rest.len() - tail.len()).unwrap_or_default();
    // What is cut out may end a code block.
    let fences = cut.lines().skip(1).filter(|line| line.trim_start().starts_with("```")).count();
    let fence = if fences % 2 == 1 { "```\n" } else { "" };
    format!("{}\n\n{fence}{tail}", head.unwrap_or_default()).into()
}

/// What a sentence states.
struct Said {
    family: Family,
    strength: CueStrength,
    clause: Range<usize>,
    /// Byte at which the statement begins, behind "no, " and the like.
    from: usize,
    /// Why it needs a review, whatever it is about.
    waits: Option<&'static str>,
}

/// Why what is said to be so waits.
pub(super) const DECLARED: &str = "it tells how things are, and may be no rule";

impl Said {
    fn plain(family: Family, clause: Range<usize>) -> Self {
        Self { family, strength: CueStrength::Plain, clause, from: 0, waits: None }
    }
}

/// What else a message says. Some wordings count only where a sentence is all of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    Nothing,
    Sentences,
}

/// Reads the sentences of a message in order.
#[derive(Clone, Copy)]
struct Reader {
    /// True if the sentence may have been typed: elsewhere a wording means little.
    is_typed: bool,
    beside: Beside,
    /// True if the sentence before said that something was wrong.
    corrected: bool,
    hearing: Hearing,
}

impl Reader {
    /// Returns how many characters of a statement are kept.
    fn chars(self) -> usize {
        if self.hearing == Hearing::Past { PAST_CHARS } else { CHARS }
    }

    fn read(&mut self, sentence: &Sentence, words: &[Word]) -> Option<Said> {
        if sentence.is_question() || fact::is_over(words) {
            self.corrected = false;
            return None;
        }
        let reading = SentenceReading::new(sentence, words);
        let corrected =
            std::mem::replace(&mut self.corrected, reading.only_denies() || fact::denies(words));
        let found = reading.cue(corrected);
        let found = found.filter(|found| match found.strength {
            CueStrength::Firm => true,
            CueStrength::Lone => self.is_typed && self.beside == Beside::Nothing,
            CueStrength::Plain => self.is_typed || found.family == Family::Preference,
            _ => self.is_typed,
        });
        if found.is_none() && !self.is_typed {
            return None;
        }
        let told = || {
            if reading.is_of_one_occasion() {
                return None;
            }
            let said = Said::plain(Family::Convention, 0..0);
            match fact::told(sentence, words) {
                Some(ToldFact::Sure) => Some(said),
                Some(ToldFact::Likely) => Some(Said { waits: Some(DECLARED), ..said }),
                None => {
                    let strength = match self.hearing {
                        Hearing::Prompt
                            if self.beside == Beside::Nothing && !fact::is_of_a_task(words) =>
                        {
                            CueStrength::Lone
                        }
                        Hearing::Prompt | Hearing::Stated => return None,
                        Hearing::Lasting => CueStrength::Weak,
                        Hearing::Past => CueStrength::Plain,
                    };
                    let said = Said { waits: Some(DECLARED), strength, ..said };
                    fact::is_lasting(sentence, words).then_some(said)
                }
            }
        };
        // What only a dream learns unasked is news from a person.
        let noted = || reading.noted(corrected).filter(|found| found.family.is_of_dreams());
        let Some(found) = found.or_else(noted) else {
            // `No, not npm test. It's make check.`
            return if corrected && fact::is_instead(sentence, words) {
                Some(Said::plain(Family::Correction, 0..0))
            } else {
                told()
            };
        };
        let from = words.get(found.statement).map_or(0, |word| word.start);
        let CueFound { family, strength, .. } = found;
        let clause = found.bytes(words);
        let waits = (family == Family::Finding).then_some(DECLARED);
        Some(Said { family, strength, clause, from, waits })
    }
}

/// Returns the sentences that a person says in a message, without code blocks and pasted text: each
/// with a copy that has `x` for code and quotes, and whether it ends in a question mark.
pub fn sentences(message: &str) -> impl Iterator<Item = (String, String, bool)> {
    sentence::sentences(message).into_iter().map(|one| (one.text, one.masked, one.asked))
}

/// Returns true if a message specifies what a program or another agent should do.
pub(super) fn is_for_others(message: &str) -> bool {
    let lower = message.to_ascii_lowercase();
    ELSEWHERE.iter().any(|words| lower.contains(words))
}

/// Returns the cue by which people say plainly who they are, or what they want of all that is done.
fn plain_cue(sentence: &Sentence, words: &[Word]) -> Option<CueFound> {
    let is_of_user = |found: &CueFound| {
        matches!(found.family, Family::Naming | Family::Identity | Family::Preference)
    };
    let found = SentenceReading::new(sentence, words).cue(false)?;
    Some(found).filter(|found| is_of_user(found) && !found.strength.is_weak())
}

/// Returns the bytes in which a preference is stated.
pub(super) fn stated_bytes(sentence: &Sentence, words: &[Word]) -> Option<Range<usize>> {
    Some(plain_cue(sentence, words)?.bytes(words))
}

/// Returns the preference in a sentence.
pub(super) fn stated(sentence: &Sentence, words: &[Word]) -> Option<Preference> {
    let found = plain_cue(sentence, words)?;
    drafted(sentence, &Said::plain(found.family, found.bytes(words)), CHARS)
}

/// Returns what a sentence states, as it is stored.
fn drafted(sentence: &Sentence, stated: &Said, chars: usize) -> Option<Preference> {
    let said = LEAST_SENTENCE <= sentence.text.chars().count() && sentence.text.len() <= PASTED;
    if !said {
        return None;
    }
    let text = shortened(sentence, stated, chars);
    let enough = text.chars().count() >= LEAST_SENTENCE;
    let (secret, waits) =
        (secret::find(&sentence.text), pasted::reach(&sentence.text).or(stated.waits));
    enough.then_some(Preference { text, family: stated.family, secret, waits })
}

/// Returns a sentence as it is stored: from its start, or from the clause of the preference if that
/// comes too late, cut between words.
fn shortened(sentence: &Sentence, Said { clause, from, .. }: &Said, chars: usize) -> String {
    let text = sentence.text.as_str();
    let is_far =
        |range: Range<usize>| text.get(range).is_none_or(|text| text.chars().count() > chars);
    // "When …, always use a lock file": of a long condition nothing is left but the order.
    let order = || {
        let at = text.get(..clause.end)?.find(", ")?;
        is_far(0..at).then_some(at + 2)
    };
    let from = if !is_far(*from..clause.end) {
        *from
    } else if !is_far(clause.start..clause.end) {
        clause.start
    } else {
        order().unwrap_or(clause.start)
    };
    let text = text.get(from..).unwrap_or_default();
    capitalized(cut(text, chars).trim_end_matches('?'))
}

/// Cuts a text between words, and strips remains of code or marks.
pub(crate) fn cut(text: &str, chars: usize) -> &str {
    let end = text.char_indices().nth(chars).map(|(end, _)| end);
    let cut = end.map_or(text, |end| {
        let whole = text.get(..end).unwrap_or_default();
        // The character after the last one may end a word.
        let ends = text.get(end..).is_some_and(|rest| rest.starts_with(char::is_whitespace));
        if ends { whole } else { whole.rsplit_once(char::is_whitespace).map_or(whole, |(a, _)| a) }
    });
    // An unclosed backtick would turn the following text into code.
    let odd = cut.matches('`').count() % 2 == 1;
    let cut = if odd { cut.rsplit_once('`').map_or(cut, |(before, _)| before) } else { cut };
    let idle = |c: char| c.is_whitespace() || ".!,;:-–—(*_".contains(c);
    cut.trim_end_matches(idle).trim_start_matches(['*', '_', ' '])
}

/// Capitalises the first letter, so that careless typing makes no second entry. A name at the start
/// of a sentence is unchanged.
fn capitalized(text: &str) -> String {
    const PLAIN: [&str; 7] = ["i", "always", "never", "my", "please", "from", "going"];
    let first = text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let mut text = text.to_owned();
    if let Some(start) = text.get_mut(..1).filter(|_| PLAIN.contains(&first)) {
        start.make_ascii_uppercase();
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::language::pieces::piece;

    /// Parses the lines of a table: expected preferences, separated by bars, then the message.
    fn table() -> impl Iterator<Item = (Vec<&'static str>, String)> {
        let table = include_str!("../../../../../fixtures/preferences.tsv");
        let lines = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        lines.map(|line| {
            let (want, message) = line.split_once('\t').expect("a tab");
            let want = want.split(" | ").filter(|text| *text != "-").collect();
            (want, message.replace("⏎", "\n").replace('⇥', "\t"))
        })
    }

    #[test]
    fn the_table() {
        let (mut wrong, mut hits, mut misses) = (String::new(), 0, 0);
        for (want, message) in table() {
            // What only tells how things are waits, as it does of any wording.
            let found = find(&message).into_iter().filter(|one| one.waits != Some(DECLARED));
            let got: Vec<String> = found.map(|found| found.text).collect();
            *(if want.is_empty() { &mut misses } else { &mut hits }) += 1;
            if got != want {
                wrong.push_str(&format!("{message:?}\n  want {want:?}\n  got  {got:?}\n"));
            }
        }
        assert!(wrong.is_empty(), "\n{wrong}");
        assert!(hits >= 50 && misses >= 70, "{hits} and {misses}");
    }

    #[test]
    fn what_others_wish_waits() {
        let table = include_str!("../../../../../fixtures/relayed.tsv");
        let mut wrong = String::new();
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let (want, message) = line.split_once('\t').expect("a tab");
            let found = find(message);
            let got: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
            let waits = found.iter().all(|one| one.waits == Some(pasted::RELAYED));
            if !waits || got.first().copied().unwrap_or("-") != want {
                wrong.push_str(&format!("{message}: {got:?}\n"));
            }
        }
        assert!(wrong.is_empty(), "\n{wrong}");
    }

    /// A statement of how things are from now on waits for a review.
    #[test]
    fn what_is_so_from_now_on_waits() {
        for (message, waits) in [
            ("From now on, the release branch is called main", true),
            ("The nightly export is read-only from now on.", true),
            ("Our staging database is read-only from now on.", false),
            ("Going forward, all invoices live under billing/", true),
            ("ok, moved. From now on the docs are in handbook/", true),
            ("Going forward, the default locale is de-CH", true),
            ("From now on, the release branch must be called main", false),
            ("From now on, call the release branch main", false),
        ] {
            let found = find(message);
            assert_eq!(found.len(), 1, "{message}");
            assert_eq!(found.first().is_some_and(|one| one.waits.is_some()), waits, "{message}");
        }
    }

    #[test]
    fn whatever_is_found_is_short() {
        for (_, message) in table() {
            let long = format!("{message} and berths").repeat(3);
            for text in [message.to_uppercase(), long] {
                let found = find(&text);
                assert!(found.len() <= MOST);
                for Preference { text, .. } in found {
                    let chars = text.chars().count();
                    assert!((LEAST_SENTENCE..=CHARS).contains(&chars), "{text}");
                    assert!(!text.contains('\n') && text.trim() == text, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn cutting() {
        let find = |text: &str| find(text).pop().map(|found| found.text).unwrap_or_default();
        let far =
            format!("{}, always use a lock file", "When you cut the release ".repeat(5).trim());
        assert_eq!(find(&far), "Always use a lock file");
        let long = format!("I prefer {}", "berths ".repeat(30));
        assert_eq!(find(&long), format!("I prefer {}", "berths ".repeat(13).trim()));
        let long = format!("Always use {}", "ü".repeat(200));
        assert_eq!(find(&long), "", "no word ends in time");
        let code = format!("Always use {}`just check every single thing`", "very ".repeat(17));
        assert_eq!(find(&code), format!("Always use {}", "very ".repeat(17).trim()));
    }

    #[test]
    fn secrets() {
        let address = ["postgres://harbor:", "neap-and-spring", "@db/harbor"].concat();
        let found = find(&format!("From now on use {address} for the tests"));
        assert_eq!(found.first().and_then(|found| found.secret), Some("a password in an address"));
        let far = format!("From now on use this {}: {address}", "very long ".repeat(12));
        assert!(find(&far).iter().all(|found| found.secret.is_some()), "behind the cut too");
        let private =
            "<private>I always use the key in the blue folder\nat home</private> fix the test";
        assert_eq!(find(private), []);
    }

    proptest! {
        #[test]
        fn any_text_is_read(words in prop::collection::vec(piece(PHRASES), 0..30)) {
            for Preference { text, .. } in find(&words.concat()) {
                prop_assert!((LEAST_SENTENCE..=CHARS).contains(&text.chars().count()), "{}", text);
            }
        }
    }

    /// Phrases of the rules.
    const PHRASES: &[&str] = &[
        "e.g. ",
        "always use ",
        "I prefer ",
        "i always ",
        "from now on ",
        "my stack",
        " is ",
        "I work ",
        "going forward",
        "tabs",
        "ok, ",
        "don't ",
    ];

    #[test]
    fn megabytes_take_no_time() {
        for piece in [
            "I always use ",
            "always use tabs. ",
            "\n",
            "`",
            "\"",
            "> a\n",
            "please, ",
            "don't I always run ",
        ] {
            assert!(find(&piece.repeat(2_000_000 / piece.len())).len() <= MOST);
        }
    }
}
