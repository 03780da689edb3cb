//! Filters of a list by the words of entries.

use super::policy::weighted;

/// Tags and a text that an entry must have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordingFilter {
    /// In lower case, with `#`.
    tags: Vec<String>,
    /// In lower case; empty for any.
    text: String,
}

impl WordingFilter {
    /// Case does not matter, nor does `#` before a tag, nor blanks around the text.
    #[must_use]
    pub fn new(tags: &[String], text: &str) -> Self {
        let tag = |tag: &String| format!("#{}", tag.trim_start_matches('#').to_lowercase());
        Self { tags: tags.iter().map(tag).collect(), text: text.trim().to_lowercase() }
    }

    /// Returns true if a text contains all tags, and the text.
    #[must_use]
    pub fn admits(&self, text: &str) -> bool {
        let has = |tag: &String| weighted::tags(text).any(|known| known.to_lowercase() == *tag);
        self.tags.iter().all(has)
            && (self.text.is_empty() || text.to_lowercase().contains(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn admits() {
        let entry = "Über Größe: `SET lock_timeout` first #Database, then #berth-lock.";
        for (tags, text, want) in [
            (&[][..], "", true),
            (&[], " LOCK_timeout` FIRST ", true),
            (&[], "GRÖSSE", false),
            (&[], "GRÖßE", true),
            (&[], "first lock_timeout", false),
            (&["database"], "", true),
            (&["#DATABASE", "berth-lock"], "über", true),
            (&["database", "berth"], "", false),
            (&["data"], "", false),
            (&["database"], "never", false),
        ] {
            let tags: Vec<String> = tags.iter().map(|tag: &&str| (*tag).to_owned()).collect();
            assert_eq!(WordingFilter::new(&tags, text).admits(entry), want, "{tags:?} {text:?}");
        }
    }
}
