//! Handoff blocks in a daily log: notes that one session leaves for the next, between two comments.
//!
//! A block repeats lines of the log, so readers of the log skip the blocks.

use std::ops::Range;

use super::patch::lines;
use crate::model::time::LocalTime;

pub(super) const OPEN: &[u8] = b"<!-- HANDOFF ";
const CLOSE: &str = "<!-- /HANDOFF -->";
/// Maximum number of log lines that a block repeats.
const RECENT: usize = 15;
/// Maximum number of open items in a block.
const OPEN_ITEMS: usize = 50;
/// Maximum number of characters per line. Keeps blocks small, so that they are found by reading
/// from the end of a log.
const CHARS: usize = 400;
/// Suffix of a line that was cut.
const CUT: &str = " …";
/// Number of characters of the session id shown in a block.
const SESSION: usize = 8;

/// Returns the spans of the blocks in a log, with line ends. pi writes blocks without a closing
/// comment; such a block ends before the next line that starts with a comment.
#[must_use]
pub fn blocks(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<usize> = None;
    // The end of the block if it has no closing comment.
    let mut comment = None;
    let mut spans = lines(bytes).peekable();
    while let Some(span) = spans.next() {
        let line = bytes.get(span.clone()).unwrap_or_default();
        let end = spans.peek().map_or(bytes.len(), |next| next.start);
        if line.starts_with(OPEN) {
            found.extend(open.map(|start| start..comment.unwrap_or(span.start)));
            (open, comment) = (Some(span.start), None);
        } else if line.trim_ascii_end() == CLOSE.as_bytes() {
            found.extend(open.take().map(|start| start..end));
        } else if line.starts_with(b"<!--") && comment.is_none() {
            comment = Some(span.start);
        }
    }
    found.extend(open.map(|start| start..comment.unwrap_or(bytes.len())));
    found
}

/// Parses the local time of a block and the shortened id of the session that wrote it.
#[must_use]
pub fn head(block: &str) -> Option<(LocalTime, Option<&str>)> {
    let head = block.lines().next()?.strip_prefix("<!-- HANDOFF ")?.trim_end();
    let head = head.strip_suffix("-->")?.trim_end();
    let (time, id) = head.split_at_checked("2026-02-15 14:30:00".len())?;
    let id = id.trim_start().strip_prefix('[').and_then(|id| id.strip_suffix(']'));
    Some((LocalTime::parse(time)?, id))
}

/// Returns the prefix of a session id that blocks show.
#[must_use]
pub fn short_id(id: &str) -> String {
    id.chars().take(SESSION).collect()
}

/// Returns the last non-blank lines of a log outside of blocks, without comments and title, at most
/// `RECENT`.
#[must_use]
pub fn recent(bytes: &[u8]) -> Vec<String> {
    let blocks = blocks(bytes);
    let inside = |span: &Range<usize>| blocks.iter().any(|block| block.contains(&span.start));
    let mut found: Vec<String> = lines(bytes)
        .filter(|span| !inside(span))
        .map(|span| String::from_utf8_lossy(bytes.get(span).unwrap_or_default()).into_owned())
        .filter(|line| !line.trim().is_empty() && !line.starts_with("<!--"))
        .skip_while(|line| line.starts_with("# "))
        .collect();
    found.split_off(found.len().saturating_sub(RECENT))
}

/// Returns a log with only its newest handoff, reduced to the lines that appear neither in the log
/// nor in `open`, the lines of the open items.
#[must_use]
pub fn abridged(bytes: &[u8], open: &str) -> String {
    let mut log = without_blocks(bytes);
    let Some(newest) = blocks(bytes).pop() else { return log };
    let block = String::from_utf8_lossy(bytes.get(newest).unwrap_or_default());
    let news = news(&block, &[&log, open]);
    if !log.is_empty() && !log.ends_with('\n') {
        log.push('\n');
    }
    log + &news
}

/// Returns the lines of a block that appear in none of the texts `known`.
#[must_use]
pub fn news(block: &str, known: &[&str]) -> String {
    let mut news: Vec<&str> = Vec::new();
    let is_title = |line: &str| line.starts_with("**") && line.ends_with(":**");
    let stands = |line: &str| {
        let start = line.strip_suffix(CUT);
        let same = |known: &str| match start {
            Some(start) => known.starts_with(start),
            None => known.trim_end() == line.trim_end(),
        };
        known.iter().flat_map(|text| text.lines()).any(same)
    };
    for line in block.lines() {
        if stands(line) {
            continue;
        }
        // Drop a title if none of its lines are left.
        if is_title(line) || line == CLOSE {
            news.pop_if(|last| is_title(last));
        }
        news.push(line);
    }
    news.join("\n")
}

/// Returns a log without handoff blocks.
#[must_use]
pub fn without_blocks(bytes: &[u8]) -> String {
    let mut log = Vec::with_capacity(bytes.len());
    let mut copied = 0;
    for block in blocks(bytes) {
        log.extend_from_slice(bytes.get(copied..block.start).unwrap_or_default());
        copied = block.end;
    }
    log.extend_from_slice(bytes.get(copied..).unwrap_or_default());
    String::from_utf8_lossy(&log).into_owned()
}

#[derive(Debug, Clone, Default)]
pub struct Handoff {
    /// Id of the session that writes the block.
    pub session: Option<String>,
    /// Open items of the scratchpad.
    pub open: Vec<String>,
    /// See [`recent`].
    pub recent: Vec<String>,
    /// State of the repository, line by line.
    pub repository: Vec<String>,
}

impl Handoff {
    /// Returns the lines of the block; `None` if there are neither open items nor log lines.
    #[must_use]
    pub fn block(&self, at: LocalTime) -> Option<Vec<String>> {
        if self.open.is_empty() && self.recent.is_empty() {
            return None;
        }
        let id = self.session.as_deref().map(short_id);
        let id = id.map_or_else(String::new, |id| format!(" [{id}]"));
        let mut block = vec![format!("<!-- HANDOFF {at}{id} -->"), "## Session Handoff".to_owned()];
        let mut list = |title: &str, lines: &mut dyn Iterator<Item = String>| {
            let mut lines = lines.peekable();
            if lines.peek().is_some() {
                block.push(format!("**{title}:**"));
                block.extend(lines);
            }
        };
        let more = self.open.len().saturating_sub(OPEN_ITEMS);
        let more = (more > 0).then(|| format!("- … and {more} more"));
        let open = self.open.iter().take(OPEN_ITEMS).map(|text| short(&format!("- [ ] {text}")));
        list("Open scratchpad items", &mut open.chain(more));
        list("Recent daily log context", &mut self.recent.iter().map(|line| short(line)));
        list("Repository", &mut self.repository.iter().map(|line| format!("- {line}")));
        block.push(CLOSE.to_owned());
        Some(block)
    }
}

fn short(line: &str) -> String {
    match line.char_indices().nth(CHARS) {
        Some((end, _)) => line.get(..end).unwrap_or_default().trim_end().to_owned() + CUT,
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::Timestamp;

    fn at() -> LocalTime {
        LocalTime::new(Timestamp::parse("2026-02-15T14:30:00Z").unwrap(), 0)
    }

    fn handoff(log: &str) -> Option<String> {
        let session = Some("a1b2c3d4-e5f6".to_owned());
        let handoff = Handoff { session, recent: recent(log.as_bytes()), ..Handoff::default() };
        handoff.block(at()).map(|lines| lines.join("\n") + "\n")
    }

    #[test]
    fn a_block_says_what_is_open_and_what_was_last() {
        let handoff = Handoff {
            session: Some("a1b2c3d4e5".to_owned()),
            open: vec!["Fix auth bug".to_owned(), "Review PR #42".to_owned()],
            recent: vec!["- 14:00 Found it".to_owned()],
            repository: vec!["branch main".to_owned()],
        };
        let want = "<!-- HANDOFF 2026-02-15 14:30:00 [a1b2c3d4] -->\n## Session Handoff\n\
            **Open scratchpad items:**\n- [ ] Fix auth bug\n- [ ] Review PR #42\n\
            **Recent daily log context:**\n- 14:00 Found it\n**Repository:**\n- branch main\n\
            <!-- /HANDOFF -->";
        assert_eq!(handoff.block(at()).unwrap().join("\n"), want);
        let only = |open: &[&str], recent: &[&str]| {
            let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
            let repository = vec!["branch main".to_owned()];
            Handoff { session: None, open: own(open), recent: own(recent), repository }.block(at())
        };
        assert_eq!(only(&["a"], &[]).unwrap()[2..4], ["**Open scratchpad items:**", "- [ ] a"]);
        assert_eq!(only(&[], &["b"]).unwrap()[0], "<!-- HANDOFF 2026-02-15 14:30:00 -->");
        assert_eq!(only(&[], &[]), None, "a repository alone is nothing to say");
    }

    #[test]
    fn the_first_line_says_when_and_who() {
        let block = Handoff { open: vec!["a".to_owned()], ..Handoff::default() };
        let named = Handoff { session: Some("a1b2c3d4-e5".to_owned()), ..block.clone() };
        let text = |handoff: &Handoff| handoff.block(at()).unwrap().join("\r\n");
        assert_eq!(head(&text(&block)), Some((at(), None)));
        assert_eq!(head(&text(&named)), Some((at(), Some(short_id("a1b2c3d4-f")).as_deref())));
        for other in ["", "<!-- HANDOFF 1 -->", "<!-- HANDOFF 2026-02-30 10:00:00 -->", "é"] {
            assert_eq!(head(other), None, "{other}");
        }
    }

    #[test]
    fn blocks_never_nest() {
        let mut log = "# 2026-02-15\n\n- 09:00 one\n".to_owned();
        for n in 0..4 {
            let block = handoff(&log).unwrap();
            assert_eq!(block.matches("HANDOFF 2026").count(), 1, "{block}");
            assert_eq!(block.matches("- 09:00 one").count(), 1, "{block}");
            log.push_str(&block);
            log.push_str(&format!("- 10:0{n} more\n"));
        }
        assert_eq!(recent(log.as_bytes()).len(), 5);
        assert_eq!(blocks(log.as_bytes()).len(), 4);
    }

    #[test]
    fn the_newest_is_told_once() {
        let block = |at: &str, lines: &str| {
            format!("<!-- HANDOFF {at} -->\n## Session Handoff\n{lines}<!-- /HANDOFF -->\n")
        };
        let old = block("1", "**Repository:**\n- branch old\n");
        let lines =
            "**Open scratchpad items:**\n- [ ] a\n**Recent daily log context:**\n- one\n- gone\n";
        let new = block("2", &format!("{lines}**Repository:**\n- branch main\n"));
        let want = "- one\n- two\n<!-- HANDOFF 2 -->\n## Session Handoff\n\
            **Recent daily log context:**\n- gone\n**Repository:**\n- branch main\n<!-- /HANDOFF -->";
        let log = format!("- one\n{old}{new}- two\n");
        assert_eq!(abridged(log.as_bytes(), "- [ ] a\n- [ ] b\n"), want);
        let empty = "- x\n<!-- HANDOFF 3 -->\n## Session Handoff\n<!-- /HANDOFF -->";
        let repeated = format!("- x\n{}", block("3", "**Open scratchpad items:**\n- [ ] a\n"));
        assert_eq!(abridged(repeated.as_bytes(), "- [ ] a\n"), empty);
        let long = format!("- 09:00 {}\n", "long ".repeat(200));
        let handoff = Handoff { recent: recent(long.as_bytes()), ..Handoff::default() };
        let block = handoff.block(at()).unwrap().join("\n");
        assert!(block.contains(CUT));
        let shown = abridged(format!("{long}{block}\n").as_bytes(), "");
        assert!(!shown.contains(CUT), "{shown}");
        assert_eq!(abridged(b"- x\r\n", ""), "- x\r\n");
        assert_eq!(abridged(b"", ""), "");
    }

    #[test]
    fn fifteen_lines_with_words() {
        let lines: Vec<String> = (10..40).map(|n| format!("- 10:{n} line\r\n\r\n")).collect();
        let lines = lines.concat();
        let found = recent(format!("# 2026-02-15\r\n\r\n<!-- x -->\r\n{lines}").as_bytes());
        assert_eq!((found.len(), found[0].as_str()), (15, "- 10:25 line"));
        for empty in ["", "# 2026-02-15\n\n", "<!-- a -->\n", "\n \n"] {
            assert_eq!(handoff(empty), None, "{empty:?}");
        }
    }

    #[test]
    fn a_block_stays_small() {
        let open = vec!["ü".repeat(100_000); 1000];
        let handoff = Handoff { open: open.clone(), recent: open, ..Handoff::default() };
        let block = handoff.block(at()).unwrap();
        assert!(block.iter().all(|line| line.chars().count() <= CHARS + 2));
        assert!(block.contains(&"- … and 950 more".to_owned()));
    }

    #[test]
    fn blocks_of_others_end_at_the_next_comment() {
        let spans = |log: &str| -> Vec<String> {
            blocks(log.as_bytes()).into_iter().map(|span| log[span].to_owned()).collect()
        };
        let pi = "<!-- HANDOFF a -->\n## Session Handoff\n- [ ] x\n<!-- 2026 [id] -->\nlog\n";
        assert_eq!(spans(pi), ["<!-- HANDOFF a -->\n## Session Handoff\n- [ ] x\n"]);
        assert_eq!(recent(pi.as_bytes()), ["log"]);
        let two = "a\n<!-- HANDOFF 1 -->\nb\n<!-- HANDOFF 2 -->\nc\n<!-- /HANDOFF -->\nd\n";
        assert_eq!(recent(two.as_bytes()), ["a", "d"]);
        // A comment in a closed block does not end it.
        let own = "<!-- HANDOFF 1 -->\n<!-- c -->\nb\n<!-- /HANDOFF -->\nd\n<!-- /HANDOFF -->\n";
        assert_eq!(recent(own.as_bytes()), ["d"]);
    }
}
