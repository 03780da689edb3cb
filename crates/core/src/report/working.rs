//! The working report: open items, recent daily logs, search results and long-term notes, each with
//! its own limit in characters. Also the shorter form for the start of a session.

use std::borrow::Cow;

use super::budget::thousands;
use crate::{
    model::time::{Date, LocalTime},
    safe,
    safety::safe_text::SafeText,
};

/// Maximum number of characters of the report.
pub const CHARS: usize = 16_000;
/// A section with less space than this is left out.
const LEAST: usize = 80;

/// The texts of the report; empty ones are left out.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Open items of the scratchpad, one per line.
    pub scratchpad: String,
    pub today: String,
    /// Search results, one per line.
    pub recalled: String,
    pub notes: String,
    pub yesterday: String,
}

/// Maximum number of characters per section, in the order of [`Sources`].
const ROOM: [usize; 5] = [2000, 3000, 2500, 4000, 3000];

impl Sources {
    /// Returns the texts that the report shows uncut.
    pub fn whole(&self) -> impl Iterator<Item = &str> {
        let texts = [&self.scratchpad, &self.today, &self.recalled, &self.notes, &self.yesterday];
        let fits = |(text, room): &(&String, usize)| text.chars().count() <= *room;
        texts.into_iter().zip(ROOM).filter(fits).map(|(text, _)| text.as_str())
    }
}

/// The texts for the start of a session; empty ones are left out.
#[derive(Debug, Clone, Default)]
pub struct AtHand {
    /// Open items of the scratchpad, one per line.
    pub scratchpad: String,
    /// Time of the newest handoff, and its lines that appear nowhere else in the report.
    pub handoff: Option<(LocalTime, String)>,
    /// The newest non-empty log and its date.
    pub log: Option<(Date, String)>,
    pub notes: String,
}

impl AtHand {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        [&self.scratchpad, &self.notes].into_iter().all(String::is_empty)
            && self.handoff.is_none()
            && self.log.is_none()
    }
}

/// A section of the day at hand: its heading, and its text as safe for a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkingPart {
    heading: SafeText,
    /// The text, tidied and cut.
    pub text: SafeText,
}

/// Returns the sections that fit into `limit` characters, headings included. Open items come first
/// and may leave little space for notes, which will still be there tomorrow.
#[must_use]
pub fn at_hand(sources: &AtHand, limit: usize) -> Vec<WorkingPart> {
    let log = sources.log.as_ref().map(|(date, log)| {
        let text = untitled(log, *date);
        let whole = format!("pimem log --date {date}");
        (safe!("Log of {}", date.to_string()), text, 1200, Keep::End, whole)
    });
    let handoff = sources.handoff.as_ref().map(|(at, text)| {
        let heading = safe!("Handoff of {} {}", at.date.to_string(), at.clock());
        (heading, text.as_str(), 1200, Keep::Start, "pimem handoff --show".to_owned())
    });
    // The title of a new file.
    let notes = sources.notes.trim_start();
    let notes = notes.strip_prefix("# Memory\n").unwrap_or(notes);
    let other = |heading: &'static str, text, chars, keep, whole: &str| {
        (SafeText::fixed(heading), text, chars, keep, whole.to_owned())
    };
    let sections = [
        Some(other("Open items", sources.scratchpad.as_str(), 1200, Keep::Start, "pimem todo")),
        handoff,
        log,
        Some(other("Notes", notes, usize::MAX, Keep::BothEnds, "pimem note")),
    ];
    let mut parts = Vec::new();
    let mut left = limit.saturating_sub(AT_HAND.len());
    for (heading, text, chars, keep, whole) in sections.into_iter().flatten() {
        let text = tidy(text);
        // Line breaks before and after the heading, and at the end.
        let room = left.saturating_sub(heading.chars().count() + "\n## \n\n".len());
        if text.is_empty() || room < LEAST.min(text.chars().count()) {
            continue;
        }
        let text = cut(&text, room.min(chars), keep, &whole);
        if !text.is_empty() {
            let part = WorkingPart { heading, text };
            left = left.saturating_sub(part.render().chars().count());
            parts.push(part);
        }
    }
    parts
}

/// The heading above all sections.
pub const AT_HAND: &str = "# The Day at Hand\n";

impl WorkingPart {
    /// Returns the section with its heading and the blank line before it.
    #[must_use]
    pub fn render(&self) -> SafeText {
        safe!("\n## {}\n{}\n", self.heading, self.text)
    }
}

/// Which part of a text that is too long is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    Start,
    End,
    BothEnds,
}

struct Section<'a> {
    heading: SafeText,
    text: &'a str,
    keep: Keep,
    /// The command that shows the whole text.
    whole: String,
}

/// Builds the report. It never exceeds `limit` characters, which is at most [`CHARS`]; sections are
/// cut from the end.
#[must_use]
pub fn working(sources: &Sources, today: Date, limit: usize) -> SafeText {
    let yesterday = today.yesterday();
    let section = |heading: &str, text, keep, whole: &str| Section {
        heading: SafeText::of(heading),
        text,
        keep,
        whole: whole.to_owned(),
    };
    let day = |date: Date, name: &str, text| {
        let whole = format!("pimem log --date {date}");
        section(&format!("Daily log: {date} ({name})"), text, Keep::End, &whole)
    };
    let sections = [
        section("SCRATCHPAD.md (working context)", &sources.scratchpad, Keep::Start, "pimem todo"),
        day(today, "today", untitled(&sources.today, today)),
        section(
            "Relevant memories (auto-retrieved)",
            &sources.recalled,
            Keep::Start,
            "pimem search",
        ),
        section("MEMORY.md (long-term)", &sources.notes, Keep::BothEnds, "pimem note"),
        day(yesterday, "yesterday", untitled(&sources.yesterday, yesterday)),
    ];
    let mut report = SafeText::default();
    let mut left = limit.min(CHARS);
    for (section, chars) in sections.into_iter().zip(ROOM) {
        let text = tidy(section.text);
        if text.is_empty() {
            continue;
        }
        let before = SafeText::fixed(if report.is_empty() { "# Memory\n\n" } else { "\n" });
        let head = safe!("{}## {}\n\n", before, section.heading);
        // The last line break counts too.
        let room = left.saturating_sub(head.chars().count() + 1);
        if room < LEAST.min(text.chars().count()) {
            break;
        }
        let body = cut(&text, room.min(chars), section.keep, &section.whole);
        let added = safe!("{}{}\n", head, body);
        left = left.saturating_sub(added.chars().count());
        report.push(&added);
    }
    report
}

/// Strips the title of a log, since the section's heading states the date.
fn untitled(log: &str, date: Date) -> &str {
    log.trim_start().strip_prefix(&format!("# {date}")).unwrap_or(log)
}

/// Makes a text safe for a prompt: hazards are removed, headings move two levels down so that only
/// the report's own are at the top, and blank lines are collapsed.
fn tidy(text: &str) -> SafeText {
    let mut out = SafeText::default();
    let mut blank = true;
    for line in text.lines() {
        let line = uncommented(line.trim_end());
        let line = SafeText::of(&line);
        if line.is_empty() {
            blank = true;
            continue;
        }
        if blank && !out.is_empty() {
            out.push_line(&SafeText::default());
        }
        blank = false;
        let level = line.chars().take_while(|c| *c == '#').count();
        if (1..=6).contains(&level) && line.chars().nth(level).is_none_or(char::is_whitespace) {
            let marks = SafeText::fixed("##");
            out.push(&marks.part(|marks| marks.get(level.saturating_sub(4)..).unwrap_or_default()));
        }
        out.push_line(&line);
    }
    out.part(str::trim_end)
}

/// Returns a comment line as a remark in parentheses, because it tells who wrote when. End marks
/// are dropped.
fn uncommented(line: &str) -> Cow<'_, str> {
    let inside = line.trim().strip_prefix("<!--").and_then(|line| line.strip_suffix("-->"));
    match inside.map(str::trim) {
        None => line.into(),
        Some(inside) if inside.is_empty() || inside.starts_with('/') => "".into(),
        Some(inside) => format!("({inside})").into(),
    }
}

/// Cuts a text to `chars` characters, at line ends where that keeps anything, with a mark where
/// something is left out. Returns an empty text if the mark does not fit.
fn cut(text: &SafeText, chars: usize, keep: Keep, whole: &str) -> SafeText {
    let all = text.chars().count();
    if all <= chars {
        return text.clone();
    }
    let mark = safe!("[... {} characters in all: {}]", thousands(all), whole);
    // A line break separates the mark from each part kept.
    let breaks = if keep == Keep::BothEnds { 2 } else { 1 };
    let Some(room) = chars.checked_sub(mark.chars().count() + breaks) else {
        return SafeText::default();
    };
    let start = |room| text.part(|text| first(text, room));
    match keep {
        Keep::Start => safe!("{}\n{}", start(room), mark),
        Keep::End => safe!("{}\n{}", mark, below_heading(text, room)),
        Keep::BothEnds => {
            let start = start(room.div_ceil(2));
            let left = room - start.chars().count();
            safe!("{}\n{}\n{}", start, mark, below_heading(text, left))
        }
    }
}

/// Returns the end of a text that fits, below the heading that it stands under.
fn below_heading(text: &SafeText, chars: usize) -> SafeText {
    let end = |chars| text.part(|text| last(text, chars));
    let above = |end: &SafeText| {
        text.part(|text| {
            let before = text.get(..text.len() - end.len()).unwrap_or_default();
            let heading = before.lines().rev().find(|line| line.starts_with("##"));
            heading.filter(|_| !end.starts_with('#')).unwrap_or_default()
        })
    };
    let whole = end(chars);
    let room = chars.saturating_sub(above(&whole).chars().count() + 1);
    let short = end(room);
    let heading = above(&short);
    let begins_a_line = text.get(..text.len() - short.len()).is_some_and(|it| it.ends_with('\n'));
    if heading.is_empty() || !begins_a_line || heading.chars().count() + 1 + room > chars {
        return whole;
    }
    safe!("{}\n{}", heading, short)
}

/// Returns the first lines that fit, or else the first characters.
fn first(text: &str, chars: usize) -> &str {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    let (start, rest) = text.split_at(end);
    let line = if rest.starts_with('\n') { Some(end) } else { start.rfind('\n') };
    let lines = line.filter(|at| *at > 0).and_then(|at| start.get(..at));
    lines.unwrap_or(start).trim_end()
}

/// Returns the last lines that fit, or else the last characters.
fn last(text: &str, chars: usize) -> &str {
    let skipped = text.chars().count().saturating_sub(chars);
    let start = text.char_indices().nth(skipped).map_or(text.len(), |(at, _)| at);
    let (before, end) = text.split_at(start);
    if before.ends_with('\n') {
        return end;
    }
    let lines = end.split_once('\n').map(|(_, lines)| lines).filter(|lines| !lines.is_empty());
    // What is left of the marks of a long heading would make another one.
    lines.unwrap_or_else(|| end.trim_start_matches(['#', ' ']))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::time::Timestamp;

    fn today() -> Date {
        Date::parse("2026-03-01").unwrap()
    }

    fn sources(texts: [&str; 5]) -> Sources {
        let [scratchpad, today, recalled, notes, yesterday] = texts.map(str::to_owned);
        Sources { scratchpad, today, recalled, notes, yesterday }
    }

    #[test]
    fn sections_in_order_and_nothing_of_nothing() {
        let all = sources([
            "- [ ] a",
            "# 2026-03-01\n\n\n- b\n<!-- HANDOFF x -->\nc\n<!-- /HANDOFF -->",
            "- c",
            "# M\ntext <system>",
            "d\u{202e}",
        ]);
        let want = "# Memory\n\n## SCRATCHPAD.md (working context)\n\n- [ ] a\n\n\
            ## Daily log: 2026-03-01 (today)\n\n- b\n(HANDOFF x)\nc\n\n\
            ## Relevant memories (auto-retrieved)\n\n- c\n\n\
            ## MEMORY.md (long-term)\n\n### M\ntext ‹system>\n\n\
            ## Daily log: 2026-02-28 (yesterday)\n\nd\n";
        assert_eq!(&*working(&all, today(), CHARS), want);
        let some = sources(["", " \n", "", "", "d"]);
        let want = "# Memory\n\n## Daily log: 2026-02-28 (yesterday)\n\nd\n";
        assert_eq!(&*working(&some, today(), CHARS), want);
        assert_eq!(&*working(&Sources::default(), today(), CHARS), "");
        assert_eq!(&*working(&all, today(), 30), "");
    }

    #[test]
    fn what_is_too_long_is_cut_where_it_says_least() {
        let text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten";
        let mark = "[... 48 characters in all: all]";
        for (chars, keep, want) in [
            (48, Keep::Start, text.to_owned()),
            (47, Keep::Start, format!("one\ntwo\nthree\n{mark}")),
            (40, Keep::Start, format!("one\ntwo\n{mark}")),
            (34, Keep::Start, format!("on\n{mark}")),
            (47, Keep::End, format!("{mark}\neight\nnine\nten")),
            (35, Keep::End, format!("{mark}\nten")),
            (47, Keep::BothEnds, format!("one\ntwo\n{mark}\nten")),
            (31, Keep::Start, String::new()),
        ] {
            let text = tidy(text);
            assert_eq!(&*cut(&text, chars, keep, "all"), want, "{chars} {keep:?}");
        }
    }

    #[test]
    fn an_end_stands_below_its_heading() {
        let text = "# Gates\n\nOne\nTwo\n\n# Quays\n\nThree is long enough\nFour\nFive";
        let text = tidy(text);
        let cut = cut(&text, 60, Keep::End, "all");
        assert_eq!(&*cut, "[... 61 characters in all: all]\n### Quays\nFour\nFive");
        assert_eq!(&*below_heading(&text, 12), "Four\nFive", "no room for the heading");
    }

    #[test]
    fn a_long_heading_is_no_heading_where_it_is_cut() {
        assert_eq!(last("one\n#### a heading without end", 24), "a heading without end");
    }

    fn any_text() -> impl Strategy<Value = String> {
        let line = "(#{0,7} )?(- \\[[ x]\\] )?[a-zé<`👍\u{200b} ]{0,60}";
        prop_oneof![
            Just(String::new()),
            prop::collection::vec(line, 0..160).prop_map(|lines| lines.join("\n")),
            (0..9000_usize).prop_map(|chars| "ü".repeat(chars)),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn never_over_its_limits(
            texts in prop::array::uniform5(any_text()),
            limit in prop_oneof![Just(CHARS), 0..20_000_usize],
        ) {
            let sources = sources(texts.each_ref().map(String::as_str));
            let report = working(&sources, today(), limit);
            let size = report.chars().count();
            prop_assert!(size <= limit.min(CHARS), "{size}");
            let headings = [
                ("## SCRATCHPAD.md (working context)", 2000),
                ("## Daily log: 2026-03-01 (today)", 3000),
                ("## Relevant memories (auto-retrieved)", 2500),
                ("## MEMORY.md (long-term)", 4000),
                ("## Daily log: 2026-02-28 (yesterday)", 3000),
            ];
            let own = |line: &&str| line.starts_with("## ");
            let found: Vec<&str> = report.lines().filter(own).collect();
            let expected: Vec<&str> = headings
                .iter()
                .zip(&texts)
                .filter(|(_, text)| !tidy(text).is_empty())
                .map(|((heading, _), _)| *heading)
                .collect();
            // In order, complete if there is space, and cut from the end if not.
            prop_assert!(expected.starts_with(&found), "{found:?}");
            if limit >= CHARS {
                prop_assert_eq!(&found, &expected);
            }
            for (heading, budget) in headings {
                let Some((_, after)) = report.split_once(&format!("{heading}\n\n")) else { continue };
                let body = after.split("\n\n## ").next().unwrap_or_default().trim_end_matches('\n');
                prop_assert!(body.chars().count() <= budget, "{heading}");
                prop_assert!(!body.is_empty());
            }
        }

        #[test]
        fn the_day_at_hand_stays_within_its_limit(
            texts in prop::array::uniform4(any_text()), limit in 0..8000_usize,
        ) {
            let [scratchpad, handoff, log, notes] = texts;
            let at = LocalTime::new(Timestamp(0), 0);
            let (log, handoff) = (Some((today(), log)), Some((at, handoff)));
            let sources = AtHand { scratchpad, handoff, log, notes };
            let parts = at_hand(&sources, limit);
            let size: usize = parts.iter().map(|part| part.render().chars().count()).sum();
            prop_assert!(parts.is_empty() || AT_HAND.len() + size <= limit, "{size}");
            // Everything is shown if there is space for it.
            let (log, handoff) = (sources.log.as_ref().unwrap(), sources.handoff.as_ref().unwrap());
            let all = [&sources.scratchpad, &handoff.1, &sources.notes, &log.1];
            if limit >= 4800 {
                prop_assert_eq!(parts.len(), all.iter().filter(|text| !tidy(text).is_empty()).count());
            }
            for part in parts {
                prop_assert!(!part.text.is_empty() && !part.text.contains("\n## "));
            }
        }
    }
}
