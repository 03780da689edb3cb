//! Questions that use has shown an entry to answer: what was asked beside the rule that it holds, or when
//! it was found and used. They are searched with the entry, and stay on the machine that learned them.

use std::collections::BTreeMap;

use super::{
    social_gate,
    tokens::{self, Tokenizer, content_words},
};
use crate::{
    embed::{table, vector},
    language::sketch::Sketch,
    model::{entry::EntryId, hash::IdSet, questions::Questions, time::Timestamp},
    safety::secret,
};

/// Maximum number of entries with such questions; the longest unused are dropped.
const ENTRIES: usize = 200;
/// Similarity of words from which two questions are one.
const SAME: f64 = 0.8;
/// Similarity of words from which an entry was found by a question.
const ALIKE: f64 = 0.3;
/// Cosine from which a question is about what was said beside it. Low: what a rule is asked for as shares
/// few words with it, and a question that misleads sinks.
const BESIDE: f32 = 0.1;

/// A question, and how often it led to a use of the entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedQuestion {
    pub text: String,
    pub uses: u32,
    /// How often the entry was found by it and not used.
    pub misses: u32,
    pub last: Timestamp,
}

impl LearnedQuestion {
    fn worth(&self) -> i64 {
        i64::from(self.uses) - i64::from(self.misses)
    }
}

/// The learned questions of a store's entries, the most useful of each first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LearnedQuestions(BTreeMap<EntryId, Vec<LearnedQuestion>>);

impl LearnedQuestions {
    /// Reads a file: one question a line. What is no question is skipped.
    #[must_use]
    pub fn read(file: &[u8]) -> Self {
        let mut all = Self::default();
        for line in String::from_utf8_lossy(file).lines() {
            let mut fields = line.splitn(5, '\t');
            let mut next = || fields.next().unwrap_or_default();
            let (id, uses, misses, last, text) = (next(), next(), next(), next(), next());
            let is_short = text.split(' ').count() <= Questions::MOST_WORDS;
            let is_text = is_short && !text.is_empty() && !text.contains(char::is_control);
            if let (Ok(id), Ok(uses), Ok(misses), Some(last), true) =
                (id.parse(), uses.parse(), misses.parse(), Timestamp::parse(last), is_text)
            {
                let known = all.0.entry(id).or_default();
                if known.len() < Questions::MOST {
                    let text = text.to_owned();
                    known.push(LearnedQuestion { text, uses, misses, last });
                }
            }
        }
        all
    }

    #[must_use]
    pub fn write(&self) -> String {
        let line = |id: &EntryId, one: &LearnedQuestion| {
            let LearnedQuestion { text, uses, misses, last } = one;
            format!("{id}\t{uses}\t{misses}\t{last}\t{text}\n")
        };
        self.0.iter().flat_map(|(id, all)| all.iter().map(move |one| line(id, one))).collect()
    }

    /// Returns the questions of an entry, the most useful first.
    #[must_use]
    pub fn of(&self, id: EntryId) -> &[LearnedQuestion] {
        self.0.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Returns the words that a search looks at beside the text of an entry: those of the questions
    /// that it carries, and as many learned ones as there is room for.
    #[must_use]
    pub fn searched(&self, id: EntryId, asked: &Questions) -> String {
        // A clone may bring a file with others. Only what is searched is looked at so closely.
        let may_be_learned = |text: &&str| question(text).as_deref() == Some(*text);
        let learned = self.of(id).iter().map(|one| one.text.as_str()).filter(may_be_learned);
        let mut words = asked.searched();
        for text in learned.take(Questions::MOST.saturating_sub(asked.questions().len())) {
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(text);
        }
        words
    }

    /// Returns the entries whose searched questions differ from those of `other`.
    #[must_use]
    pub fn changed<'a>(&'a self, other: &'a Self) -> IdSet<EntryId> {
        let ids = self.0.keys().chain(other.0.keys()).copied();
        let texts = |all: &'a Self, id| all.of(id).iter().map(|one| &one.text);
        ids.filter(|id| !texts(self, *id).eq(texts(other, *id))).collect()
    }

    /// Notes that a question led to a use of an entry. Returns true, as there is always a change.
    pub fn used(&mut self, id: EntryId, question: &str, now: Timestamp) -> bool {
        let all = self.0.entry(id).or_default();
        let sketch = Sketch::of(question);
        let same = |one: &&mut LearnedQuestion| Sketch::of(&one.text).similarity(&sketch) >= SAME;
        if let Some(known) = all.iter_mut().find(same) {
            known.uses = known.uses.saturating_add(1);
            known.last = known.last.max(now);
        } else {
            let text = question.to_owned();
            all.push(LearnedQuestion { text, uses: 1, misses: 0, last: now });
        }
        sort(all);
        all.truncate(Questions::MOST);
        if self.0.len() > ENTRIES {
            let newest = |all: &Vec<LearnedQuestion>| all.iter().map(|one| one.last).max();
            let oldest = self.0.iter().filter(|(known, _)| **known != id);
            if let Some(oldest) = oldest.min_by_key(|(_, all)| newest(all)).map(|(id, _)| *id) {
                self.0.remove(&oldest);
            }
        }
        true
    }

    /// Notes that an entry was found for some questions and not used. A question that has misled more
    /// often than it has helped is dropped. Returns true if there was one to blame.
    pub fn missed(&mut self, id: EntryId, questions: &[String]) -> bool {
        let Some(all) = self.0.get_mut(&id) else { return false };
        let asked: Vec<Sketch> = questions.iter().map(|question| Sketch::of(question)).collect();
        let mut blamed = false;
        for one in all.iter_mut() {
            let sketch = Sketch::of(&one.text);
            if asked.iter().any(|asked| asked.similarity(&sketch) >= ALIKE) {
                one.misses = one.misses.saturating_add(1);
                blamed = true;
            }
        }
        all.retain(|one| one.worth() > -2);
        sort(all);
        if all.is_empty() {
            self.0.remove(&id);
        }
        blamed
    }

    /// Forgets some entries. Returns true if there was any of them.
    pub fn forget(&mut self, ids: &IdSet<EntryId>) -> bool {
        let before = self.0.len();
        self.0.retain(|id, _| !ids.contains(id));
        self.0.len() < before
    }

    /// Gives the questions of one entry to another, which takes its place. Returns true if it had any.
    pub fn hand_over(&mut self, from: EntryId, to: EntryId) -> bool {
        let Some(all) = self.0.remove(&from) else { return false };
        self.0.entry(to).or_insert(all);
        true
    }
}

/// Sorts questions, the most useful first.
fn sort(all: &mut [LearnedQuestion]) {
    all.sort_by_key(|one| std::cmp::Reverse((one.worth(), one.last)));
}

/// Returns what is kept of a sentence of a prompt as a question: at most 12 words. `None` for what any
/// work is asked with, and for secrets.
#[must_use]
pub fn question(sentence: &str) -> Option<String> {
    if social_gate::is_order(sentence) || secret::seen(sentence).is_some() {
        return None;
    }
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let kept: Vec<&str> = if words.len() <= Questions::MOST_WORDS {
        words
    } else {
        let tells = |word: &&str| !tokens::is_question_word(&word.to_lowercase());
        words.into_iter().filter(tells).take(Questions::MOST_WORDS).collect()
    };
    Some(kept.join(" ")).filter(|kept| !kept.is_empty())
}

/// Returns the question that an entry answers best, if it says anything that the entry does not.
#[must_use]
pub fn best<'a>(questions: &'a [String], entry: &str) -> Option<&'a str> {
    nearest(questions, entry).map(|(_, question)| question)
}

/// The same for questions that merely stood beside what the entry says, and may be about something else.
#[must_use]
pub fn beside<'a>(questions: &'a [String], entry: &str) -> Option<&'a str> {
    nearest(questions, entry).filter(|(cosine, _)| *cosine >= BESIDE).map(|(_, question)| question)
}

fn nearest<'a>(questions: &'a [String], entry: &str) -> Option<(f32, &'a str)> {
    let meaning = table::embed(entry);
    let near = |question: &String| vector::product(&table::embed(question), &meaning);
    let near = questions.iter().map(|question| (near(question), question));
    let (cosine, best) = near.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    let mut tokenizer = Tokenizer::default();
    let known = content_words(&mut tokenizer, entry);
    let is_new = content_words(&mut tokenizer, best).iter().any(|word| !known.contains(word));
    is_new.then_some((cosine, best.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_782_842_400_000);
    const ID: EntryId = EntryId(7);

    fn texts(all: &LearnedQuestions) -> Vec<&str> {
        all.of(ID).iter().map(|one| one.text.as_str()).collect()
    }

    #[test]
    fn the_most_useful_stay() {
        let mut all = LearnedQuestions::default();
        for (at, question) in [
            "why is the login slow",
            "where do tides come from",
            "Why is the login slow?",
            "who answers for the berths",
            "what locks the gate",
            "how are cranes booked",
        ]
        .into_iter()
        .enumerate()
        {
            all.used(ID, question, Timestamp(NOW.0 + i64::try_from(at).unwrap()));
        }
        let want = [
            "why is the login slow",
            "how are cranes booked",
            "what locks the gate",
            "who answers for the berths",
        ];
        assert_eq!(texts(&all), want);
        assert_eq!(LearnedQuestions::read(all.write().as_bytes()), all);
        assert_eq!(LearnedQuestions::read(b"x\n7\t1\t1\n\xff\n"), LearnedQuestions::default());
        let foreign = ["what locks\u{1b}[2J the gate", "a b c d e f g h i j k l m", ""];
        for text in foreign {
            let line = format!("0000000000000007\t1\t0\t{NOW}\t{text}\n");
            assert!(LearnedQuestions::read(line.as_bytes()).0.is_empty(), "{text}");
        }
    }

    #[test]
    fn what_misleads_sinks_and_goes() {
        let mut all = LearnedQuestions::default();
        all.used(ID, "why is the login slow", NOW);
        all.used(ID, "what locks the gate", NOW);
        let asked = ["the login is slow".to_owned()];
        assert!(all.missed(ID, &asked));
        assert_eq!(texts(&all), ["what locks the gate", "why is the login slow"]);
        assert!(!all.missed(ID, &["where do tides come from".to_owned()]));
        assert!(all.missed(ID, &asked) && all.missed(ID, &asked));
        assert_eq!(texts(&all), ["what locks the gate"]);
        assert!(!all.missed(EntryId(8), &asked));
        assert!(all.hand_over(ID, EntryId(8)) && !all.hand_over(ID, EntryId(8)));
        assert!(all.forget(&IdSet::from_iter([EntryId(8)])) && all.0.is_empty());
    }

    #[test]
    fn few_entries_have_some() {
        let mut all = LearnedQuestions::default();
        for id in 0..300 {
            all.used(
                EntryId(id),
                "what locks the gate",
                Timestamp(NOW.0 + 1000 - i64::try_from(id).unwrap()),
            );
        }
        assert_eq!(all.0.len(), ENTRIES);
        assert!(all.of(EntryId(299)).len() == 1 && all.of(EntryId(198)).len() == 1);
        assert!(all.of(EntryId(199)).is_empty(), "the longest unused");
    }

    #[test]
    fn marked_questions_come_first_and_there_are_four() {
        let mut all = LearnedQuestions::default();
        for question in ["one crane", "second matter", "third point"] {
            all.used(ID, question, NOW);
        }
        let marked = Questions::read("tides; berths");
        assert_eq!(all.searched(ID, &marked), "tides berths one crane second matter");
        assert_eq!(all.searched(EntryId(8), &marked), "tides berths");
        assert_eq!(all.searched(EntryId(8), &Questions::default()), "");
        assert_eq!(all.changed(&all.clone()), IdSet::default());
        assert_eq!(all.changed(&LearnedQuestions::default()), IdSet::from_iter([ID]));
        let mut more = all.clone();
        more.used(ID, "third point", NOW);
        assert_eq!(more.changed(&all), IdSet::from_iter([ID]), "another order");
    }

    #[test]
    fn what_is_kept_of_a_sentence() {
        for (sentence, want) in [
            ("Where do  the tides come from?", Some("Where do the tides come from?")),
            ("then run the tests", None),
            ("use ghp_0123456789abcdefghijklmnopqrstuvwxyzAB for the mirror", None),
            (
                "I wonder why it is that the tide tables of the harbour office at Elmshorn are late in the spring of each leap year",
                Some("wonder tide tables harbour office Elmshorn late spring each leap year"),
            ),
        ] {
            assert_eq!(question(sentence).as_deref(), want, "{sentence}");
        }
    }

    #[test]
    fn the_nearest_question_is_learned() {
        let asked = ["Fix the login form.", "The release went out without a changelog."];
        let asked = asked.map(str::to_owned);
        let rule = "Write the changelog before tagging";
        assert_eq!(beside(&asked, rule), Some(asked[1].as_str()));
        let far = &asked[..1];
        assert_eq!(beside(far, "We squash commits before merging"), None);
        assert_eq!(best(far, rule), Some("Fix the login form."));
        let same = ["Tagging the changelog".to_owned()];
        assert_eq!(best(&same, rule), None, "the entry says all of it");
        assert_eq!(best(&[], rule), None);
    }
}
