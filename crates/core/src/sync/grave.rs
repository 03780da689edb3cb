//! The grave: lines whose purge came from elsewhere, kept for a while so that a person can bring them
//! back.
//!
//! One line of JSON for each. A line that is none is left out.

use serde::{Deserialize, Serialize};

use super::place::is_stem;
use crate::model::{
    entry::EntryId,
    hash::IdSet,
    time::{DAY_MS, Now, Timestamp},
};

/// Days for which a line is kept.
pub const DAYS: i64 = 30;
/// Maximum size of a grave in bytes.
pub const MOST_BYTES: usize = 8 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buried {
    /// Id of the entry, 16 hexadecimal digits.
    entry: String,
    pub category: String,
    pub text: String,
    /// Stem of the topic file.
    pub topic: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// What it was asked for as.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asked: String,
    /// The rules that it carried, a line each.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rules: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub enforced: bool,
    /// How it was produced, as events name it.
    #[serde(default)]
    pub cue: String,
    /// Evidence for it; at least 1.
    pub count: u64,
    /// When it came here, in milliseconds since 1970.
    at: i64,
    /// When its time was first found to be over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    over: Option<i64>,
}

impl Buried {
    /// Returns a line that comes into the grave now, without markers and evidence.
    #[must_use]
    pub fn new(now: Now, entry: EntryId, category: &str, text: &str, topic: &str) -> Self {
        Self {
            entry: entry.to_string(),
            category: category.to_owned(),
            text: text.to_owned(),
            topic: topic.to_owned(),
            pinned: false,
            asked: String::new(),
            rules: String::new(),
            enforced: false,
            cue: String::new(),
            count: 1,
            at: now.0.0,
            over: None,
        }
    }

    /// Returns the id of the entry; `None` if it is not that of the text.
    #[must_use]
    pub fn id(&self) -> Option<EntryId> {
        let id = self.entry.parse().ok()?;
        (EntryId::of(&self.category, self.text.as_bytes()) == id).then_some(id)
    }

    /// Returns the moment until which it is kept.
    #[must_use]
    pub fn until(&self) -> Timestamp {
        Timestamp(self.at.saturating_add(DAYS * DAY_MS))
    }

    /// Returns true if it may be written into a topic. Another program may have made the file.
    fn is_sound(&self) -> bool {
        !self.text.contains(['\n', '\r']) && self.count > 0 && self.id().is_some()
    }

    fn is_of(&self, other: &Self) -> bool {
        (&self.category, &self.text) == (&other.category, &other.text)
    }
}

/// The lines, the one that came first first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grave(Vec<Buried>);

impl Grave {
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        let lines = bytes.split(|byte| *byte == b'\n');
        let read = lines.filter_map(|line| serde_json::from_slice::<Buried>(line).ok());
        let mut all: Vec<Buried> = read.filter(Buried::is_sound).collect();
        for one in all.iter_mut().filter(|one| !is_stem(&one.topic)) {
            one.topic.clear();
        }
        Self(all)
    }

    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        self.0.iter().flat_map(Self::line).collect()
    }

    fn line(one: &Buried) -> Vec<u8> {
        let mut line = serde_json::to_vec(one).unwrap_or_default();
        line.push(b'\n');
        line
    }

    #[must_use]
    pub fn lines(&self) -> &[Buried] {
        &self.0
    }

    /// Adds lines, each in place of an earlier burial of it. Of the two, the larger evidence counts: an
    /// interrupted burial may have left none in the log. Where the grave would be larger than `most`
    /// bytes, the oldest leave it; returns their number.
    pub fn bury(&mut self, mut lines: Vec<Buried>, most: usize) -> usize {
        for one in &mut lines {
            let known = self.0.iter().find(|known| known.is_of(one));
            if let Some(known) = known.filter(|known| known.count >= one.count) {
                (one.cue, one.count) = (known.cue.clone(), known.count);
            }
        }
        self.0.retain(|known| !lines.iter().any(|one| one.is_of(known)));
        self.0.extend(lines);
        let mut size: usize = self.0.iter().map(|one| Self::line(one).len()).sum();
        let mut dropped = 0;
        for one in &self.0 {
            if size <= most {
                break;
            }
            size -= Self::line(one).len();
            dropped += 1;
        }
        self.0.drain(..dropped);
        dropped
    }

    /// Removes the lines of entries.
    pub fn empty(&mut self, ids: &IdSet<EntryId>) {
        self.0.retain(|one| one.id().is_none_or(|id| !ids.contains(&id)));
    }

    /// Removes lines whose time is over. One moment does not show that: a clock may be wrong once, so
    /// it has to be over a day later too. Returns true if something was noted or removed.
    pub fn sweep(&mut self, now: Now) -> bool {
        let before = self.clone();
        for one in &mut self.0 {
            let is_over = one.until() < now.0;
            one.over = is_over.then(|| one.over.unwrap_or(now.0.0).min(now.0.0));
        }
        let is_kept = |one: &Buried| one.over.is_none_or(|over| now.0.0 - over < DAY_MS);
        self.0.retain(is_kept);
        *self != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_782_842_400_000;

    fn at(days: i64) -> Now {
        Now(Timestamp(NOW + days * DAY_MS))
    }

    fn line(now: Now, text: &str) -> Buried {
        let id = EntryId::of("lesson", text.as_bytes());
        Buried { cue: "explicit".to_owned(), ..Buried::new(now, id, "lesson", text, "lessons") }
    }

    fn texts(grave: &Grave) -> Vec<&str> {
        grave.lines().iter().map(|one| one.text.as_str()).collect()
    }

    #[test]
    fn a_full_grave_loses_the_oldest() {
        let mut grave = Grave::default();
        let size = Grave::line(&line(at(0), "a")).len();
        let bury = |grave: &mut Grave, texts: &[&str]| {
            grave.bury(texts.iter().map(|text| line(at(0), text)).collect(), 3 * size)
        };
        assert_eq!(bury(&mut grave, &["a", "b", "c"]), 0);
        assert_eq!(bury(&mut grave, &["a"]), 0, "what is there is not doubled");
        assert_eq!(texts(&grave), ["b", "c", "a"]);
        let again = Buried { cue: String::new(), ..line(at(0), "c") };
        assert_eq!(grave.bury(vec![again], 3 * size), 0);
        assert_eq!(texts(&grave), ["b", "a", "c"]);
        assert_eq!(grave.lines()[2], line(at(0), "c"));
        assert_eq!(bury(&mut grave, &["d", "e"]), 2);
        assert_eq!(texts(&grave), ["c", "d", "e"]);
        assert_eq!(bury(&mut grave, &[&"x".repeat(4 * size)]), 4, "what has no room at all");
        assert_eq!(texts(&grave), Vec::<&str>::new());
    }

    #[test]
    fn a_wrong_clock_empties_no_grave() {
        let mut grave = Grave::default();
        grave.bury(vec![line(at(0), "a"), line(at(1), "b")], MOST_BYTES);
        for (day, want) in [
            (1, vec!["a", "b"]),
            // A year ahead, once or twice, and right again.
            (366, vec!["a", "b"]),
            (2, vec!["a", "b"]),
            (367, vec!["a", "b"]),
            (-300, vec!["a", "b"]),
            (3, vec!["a", "b"]),
            (29, vec!["a", "b"]),
            (31, vec!["a", "b"]),
            (32, vec!["b"]),
            (33, vec![]),
        ] {
            grave.sweep(at(day));
            assert_eq!(texts(&grave), want, "day {day}: {grave:?}");
        }
    }

    #[test]
    fn only_sound_lines_are_read() {
        let good = line(at(0), "a");
        let bytes = Grave(vec![good.clone()]).write();
        let text = String::from_utf8(bytes).unwrap();
        let read = |text: &str| Grave::read(text.as_bytes());
        assert_eq!(read(&text).lines(), [good]);
        for bad in [
            text.replace("\"a\"", "\"b\""),
            text.replace("\"count\":1", "\"count\":0"),
            text[..text.len() / 2].to_owned(),
            "\u{0}\n".to_owned(),
        ] {
            assert_eq!(texts(&read(&format!("{bad}\n{text}"))), ["a"], "{bad}");
        }
        let outside = read(&text.replace("\"lessons\"", "\"../../lessons\""));
        assert_eq!(outside.lines()[0].topic, "");
    }
}
