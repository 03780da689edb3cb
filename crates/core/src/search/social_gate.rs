//! The social-closer gate: recognises messages that need no recall.

const CLOSERS: &[&str] = &[
    "ok",
    "yes",
    "no",
    "thanks",
    "thank you",
    "got it",
    "sure",
    "right",
    "correct",
    "agreed",
    "nice",
    "cool",
    "great",
    "perfect",
];

/// Returns true if a prompt is a social closer, or contains no letter or digit.
#[must_use]
pub fn is_trivial(prompt: &str) -> bool {
    let lower = prompt.trim().to_lowercase();
    let bare = lower.trim_end_matches(|c: char| !c.is_alphanumeric());
    CLOSERS.contains(&bare) || !lower.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        for text in ["ok", " Thanks! ", "THANK YOU", "👍", "🙏😊", "...", "", "got it."] {
            assert!(is_trivial(text), "{text}");
        }
        for text in ["ok, now add tests", "no tests?", "日本", "42", "thanks for the lock fix"] {
            assert!(!is_trivial(text), "{text}");
        }
    }
}
