//! What an entry is asked for as: questions and words under which somebody will look for it and that
//! it does not say itself.

use std::fmt;

/// Questions behind the text of an entry, in `*(asked: …; …)*`. They are searched with the text and
/// shown in no report.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Questions(Vec<String>);

/// Why questions are refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuestionsError {
    #[error("an entry has at most 4 questions, and these are {0}")]
    TooMany(usize),
    #[error("a question has at most 12 words, and this has {1}: {0:?}")]
    TooLong(String, usize),
    #[error("a question holds no `)*`, which ends the marker: {0:?}")]
    Marker(String),
}

impl Questions {
    pub const MOST: usize = 4;
    pub const MOST_WORDS: usize = 12;

    /// Reads what stands in a marker or an option. Several questions are divided by `;`.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut questions: Vec<String> = Vec::new();
        for part in text.split(';') {
            let question = part.split_whitespace().collect::<Vec<_>>().join(" ");
            if !question.is_empty() && !questions.contains(&question) {
                questions.push(question);
            }
        }
        Self(questions)
    }

    /// Checks what somebody gives. What stands in a file is taken as it is, and [`Self::searched`]
    /// cuts it off.
    ///
    /// # Errors
    /// If there are too many questions, one is too long, or one would end the marker.
    pub fn checked(self) -> Result<Self, QuestionsError> {
        if self.0.len() > Self::MOST {
            return Err(QuestionsError::TooMany(self.0.len()));
        }
        for question in &self.0 {
            let words = question.split(' ').count();
            if words > Self::MOST_WORDS {
                return Err(QuestionsError::TooLong(question.clone(), words));
            }
            if question.contains(")*") {
                return Err(QuestionsError::Marker(question.clone()));
            }
        }
        Ok(self)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[must_use]
    pub fn questions(&self) -> &[String] {
        &self.0
    }

    /// Returns the words that a search looks at: those within the limits.
    #[must_use]
    pub fn searched(&self) -> String {
        self.clone().cut().0.join(" ")
    }

    /// Leaves out what is beyond the limits, and what would end the marker.
    #[must_use]
    pub fn cut(self) -> Self {
        let cut = |question: String| {
            let words = question.split(' ').take(Self::MOST_WORDS);
            words.collect::<Vec<_>>().join(" ").replace(")*", ")")
        };
        Self(self.0.into_iter().take(Self::MOST).map(cut).collect())
    }

    /// Leaves out questions.
    #[must_use]
    pub fn without(mut self, is_out: impl Fn(&str) -> bool) -> Self {
        self.0.retain(|question| !is_out(question));
        self
    }
}

impl fmt::Display for Questions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read_and_bounded() {
        let asked = Questions::read(" where do tides come from ;; time  zone; time zone");
        assert_eq!(asked.questions(), ["where do tides come from", "time zone"]);
        assert_eq!(Questions::read(&asked.to_string()), asked);
        assert_eq!(asked.searched(), "where do tides come from time zone");
        assert!(Questions::read(" ; ").is_empty());

        assert!(asked.checked().is_ok());
        let five = Questions::read("a;b;c;d;e");
        assert_eq!(five.searched(), "a b c d");
        assert_eq!(five.checked(), Err(QuestionsError::TooMany(5)));
        let long = Questions::read(&"word ".repeat(13));
        assert_eq!(long.searched().split(' ').count(), 12);
        assert!(matches!(long.checked(), Err(QuestionsError::TooLong(_, 13))));
        assert!(matches!(Questions::read("a)* b").checked(), Err(QuestionsError::Marker(_))));
        assert_eq!(
            Questions::read("a)* b;b;c").without(|one| one == "b").cut().to_string(),
            "a) b; c"
        );
    }
}
