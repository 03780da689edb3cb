//! What a session was about: the beginnings of what its user said, on one line.

use super::secret;

/// Shorter messages say nothing about a session.
pub const LEAST_CHARS: usize = 15;
/// Sessions with fewer messages are not summed up.
pub const LEAST_MESSAGES: usize = 3;
/// Characters of a message that are taken.
const EACH: usize = 200;
/// Characters of a summary.
const MOST: usize = 1_000;

/// A summary in the making.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    text: String,
    chars: usize,
    messages: u64,
}

impl Summary {
    /// Takes what the user said next, without secrets and what is private.
    pub fn push(&mut self, message: &str) {
        if self.is_full() {
            return;
        }
        let message = secret::clean(message);
        let says_something = message.chars().any(char::is_alphanumeric);
        if message.chars().count() < LEAST_CHARS || !says_something {
            return;
        }
        let joint = if self.text.is_empty() { "" } else { " | " };
        for c in joint.chars().chain(message.chars().take(EACH)).take(MOST - self.chars) {
            self.text.push(c);
            self.chars += 1;
        }
        self.messages += 1;
    }

    /// Whether nothing more would be taken.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.chars >= MOST
    }

    /// The text and the number of messages, if there were enough.
    #[must_use]
    pub fn finish(self) -> Option<(String, u64)> {
        let enough = self.messages >= LEAST_MESSAGES as u64;
        enough.then(|| (self.text.trim_end_matches([' ', '|']).to_owned(), self.messages))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(messages: &[&str]) -> Option<(String, u64)> {
        let mut summary = Summary::default();
        for message in messages {
            summary.push(message);
        }
        summary.finish()
    }

    #[test]
    fn limits() {
        let long = "berth ".repeat(60);
        let (text, messages) = of(&[long.as_str(); 9]).unwrap();
        assert_eq!((text.chars().count(), messages), (1_000, 5));
        assert_eq!(text.split(" | ").next().unwrap().chars().count(), 200);
        for (messages, want) in [
            (
                &["fix the lock now", "and add a test for it", "release it please"][..],
                Some("fix the lock now | and add a test for it | release it please"),
            ),
            (&["fix the lock now", "and add a test for it", "thanks"], None),
            (&["fix the lock now", "and add a test for it", "14 characters!"], None),
            (&["fix the lock now", "and add a test for it", "- - - - - - - - - - -"], None),
            (
                &[
                    "fix\nthe lock\tnow",
                    "and <private>my name\n</private>add a test for it",
                    "fünfzehn Zeichen",
                ],
                Some("fix the lock now | and add a test for it | fünfzehn Zeichen"),
            ),
            (&[], None),
        ] {
            assert_eq!(of(messages).map(|(text, _)| text).as_deref(), want, "{messages:?}");
        }
    }

    #[test]
    fn secrets_are_blotted_out() {
        let address = ["postgres://harbor:", "neap-and-spring", "@db/harbor"].concat();
        let (text, _) = of(&[format!("connect to {address}").as_str(); 3]).unwrap();
        assert!(!text.contains("neap"), "{text}");
        assert!(text.contains("[redacted: a password in an address]"), "{text}");
    }
}
