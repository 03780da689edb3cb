//! Sanitises messages of providers for display, and removes thinking from answers.

use pimem_core::safety::secret;

/// Maximum number of characters of a message.
const SHOWN: usize = 200;

/// Sanitises a message for display: short, on one line, without secrets and without the API key.
pub(crate) fn shown(message: &str, key: Option<&str>) -> String {
    let key = key.filter(|key| !key.is_empty());
    let open = key.map_or_else(|| message.to_owned(), |key| message.replace(key, "[the key]"));
    let clean = secret::clean(&open);
    let mut chars = clean.char_indices().skip(SHOWN);
    match chars.next() {
        Some((end, _)) => format!("{}…", clean.get(..end).unwrap_or_default()),
        None => clean,
    }
}

/// Returns an answer without the thinking that some models write before it.
pub(super) fn after_thinking(answer: &str) -> &str {
    let rest = answer.trim_start().strip_prefix("<think>");
    rest.and_then(|rest| rest.split_once("</think>")).map_or(answer, |(_, after)| after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown() {
        assert_eq!(shown("no\n key \u{1b}[31mabc-123!", Some("abc-123")), "no key [31m[the key]!");
        assert_eq!(shown("an é", Some("")), "an é");
        let long = shown(&"é".repeat(300), None);
        assert_eq!(long.chars().count(), 201);
        assert!(long.ends_with('…'));
        let token = ["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        assert_eq!(shown(&token, None), "[redacted: a GitHub token]");
    }

    #[test]
    fn thoughts() {
        for (answer, want) in [
            ("<think>\nhm\n</think>\n\nyes", "\n\nyes"),
            (" <think></think>yes", "yes"),
            ("<think>cut off", "<think>cut off"),
            ("yes <think>no</think>", "yes <think>no</think>"),
        ] {
            assert_eq!(after_thinking(answer), want);
        }
    }
}
