//! Pages of rules in markdown, read line by line: list items, sentences, rows of tables and commands,
//! each with the headings above it.

use super::{
    agents::Marker,
    code_block::{CodeBlock, CodeReading, code},
};
use crate::{language::sentence, markdown::patch};

/// What a statement of a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BulletKind {
    /// A list item.
    Item,
    /// A line of a block written by pimem, where each line is a text.
    Own,
    /// A sentence.
    Prose,
    /// A row of a table, or commands below a heading.
    Row,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bullet {
    /// Line number, from 1.
    pub line: usize,
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// The innermost heading, unless that is the page's title.
    pub section: Option<String>,
    /// Columns before its mark, and one more for a list item.
    pub indent: usize,
    /// The text, with its lines joined by spaces.
    pub text: String,
    pub kind: BulletKind,
    /// True for an item with a number.
    pub is_step: bool,
    /// Number of the list, counted with the paragraphs and tables between lists.
    pub list: usize,
}

impl Bullet {
    /// Returns true if it names a file that is read with the page: `@docs/style.md`.
    pub(super) fn is_include(&self) -> bool {
        self.text.len() > 1 && self.text.starts_with('@') && !self.text.contains(' ')
    }

    /// Adds code behind a colon.
    fn append_code(&mut self, code: &str) {
        let lead = self.text.trim_end_matches([':', '.']);
        let colon = if leads_on(lead) { "" } else { ":" };
        self.text = format!("{lead}{colon} {code}");
    }
}

/// Returns true if a text leads to what comes after it: it ends in a colon, which may stand in what is
/// bold.
pub(super) fn leads_on(text: &str) -> bool {
    text.trim_end_matches(['*', '_']).ends_with(':')
}

/// Least number of words of a sentence that states something by itself.
const WORDS_OF_SENTENCE: usize = 4;

/// Returns true if a sentence is long enough to state something by itself.
pub(super) fn is_stated(text: &str) -> bool {
    let least = if text.trim_end_matches(['*', '_']).ends_with(['.', '!']) {
        WORDS_OF_SENTENCE - 1
    } else {
        WORDS_OF_SENTENCE
    };
    text.split_whitespace().count() >= least && !text.ends_with('?')
}

/// Returns true if a sentence is too short to stand alone and says something of those beside it.
fn is_remainder(sentence: &str) -> bool {
    let words = sentence.split_whitespace().count();
    let is_other = words == 1 && sentence.ends_with('!') || sentence.starts_with('@');
    words < WORDS_OF_SENTENCE && !leads_on(sentence) && !is_other
}

/// Returns the sentences of a paragraph. One that goes on with another, or is too short to stand alone, is
/// part of it.
pub(super) fn stated(paragraph: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in sentence::as_they_stand(paragraph) {
        let first = part.split(|c: char| !c.is_alphanumeric() && c != '.').next();
        let goes_on = first.is_some_and(|word| GOES_ON.contains(&&*word.to_lowercase()))
            || is_remainder(part);
        match found.last_mut() {
            Some(last) if goes_on || is_remainder(last) && !part.starts_with('@') => {
                last.push(' ');
                last.push_str(part);
            }
            _ => found.push(part.to_owned()),
        }
    }
    let label = found.first().and_then(|first| bold_label(first)).map(str::to_owned);
    let named = |(at, text): (usize, String)| match &label {
        Some(label) if at > 0 && !text.starts_with("**") => format!("{label} {text}"),
        _ => text,
    };
    found.into_iter().map(whole_bold).enumerate().map(named).collect()
}

/// Most bytes of a label.
const LABEL: usize = 60;

/// Returns the label in bold that a paragraph begins with: `**Sessions:**`.
fn bold_label(text: &str) -> Option<&str> {
    let (label, _) = text.strip_prefix("**")?.split_once("**")?;
    let end = label.len() + "****".len();
    let is_outside = text.get(end..)?.starts_with(':');
    let is_label = label.len() <= LABEL && (label.ends_with(':') || is_outside);
    text.get(..end + usize::from(is_outside)).filter(|_| is_label)
}

/// Returns a sentence without the mark of what is bold, if only one end of that is in it.
fn whole_bold(text: String) -> String {
    if text.matches("**").count().is_multiple_of(2) {
        return text;
    }
    match text.strip_prefix("**").or_else(|| text.strip_suffix("**")) {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

/// Returns the lines of a text with their numbers, for any line ends.
pub(super) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(patch::lines(text.as_bytes()).filter_map(|span| text.get(span)))
}

/// Returns the list items of a text, without its sentences and tables.
#[must_use]
pub(super) fn bullets(text: &str) -> Vec<Bullet> {
    let mut found = RulePage::read(text).bullets;
    found.retain(|bullet| matches!(bullet.kind, BulletKind::Item | BulletKind::Own));
    found
}

/// Starts of sentences that are understood with the one before only.
const GOES_ON: &[&str] = &[
    "it",
    "its",
    "this",
    "these",
    "that",
    "they",
    "their",
    "then",
    "otherwise",
    "however",
    "but",
    "also",
    "so",
    "instead",
    "therefore",
    "and",
    "or",
    "see",
    "for",
    "such",
    "both",
    "e.g.",
    "i.e.",
];

/// A page in parts, line by line.
#[derive(Debug, Default)]
pub(super) struct RulePage {
    pub(super) bullets: Vec<Bullet>,
    /// Lines that hold no memory, with the reason.
    pub(super) left: Vec<(usize, String)>,
    headings: Vec<(usize, String)>,
    /// The paragraph that is being read, with the number of its first line.
    paragraph: Option<(usize, String)>,
    table: Vec<(usize, Vec<String>)>,
    /// The block of code that is being read.
    code: Option<CodeBlock>,
    indented: Option<CodeBlock>,
    /// Number of the list, and its mark and indent.
    list: usize,
    listed: Option<(char, usize)>,
    /// True if the next line may go on with the last list item.
    is_open: bool,
    /// True if code that comes next belongs to the last bullet.
    is_near: bool,
}

impl RulePage {
    /// Code in code ends where its writer meant it to, unless the page makes sense only by the letter of
    /// Markdown, where the inner end is that of both.
    pub(super) fn read(text: &str) -> Self {
        match Self::read_with(text, true) {
            (page, true) => page,
            (_, false) => Self::read_with(text, false).0,
        }
    }

    /// Reads a page, with or without code in code. Returns whether all code of it has an end.
    fn read_with(text: &str, has_nested_code: bool) -> (Self, bool) {
        let mut page = Self::default();
        let (mut is_own, mut is_comment) = (false, false);
        let skipped = front(text).map_or(0, |(_, after)| after);
        for (number, line) in numbered(text).skip(skipped) {
            let line = set_off(line);
            let words = line.trim();
            if page.reads_code(line, has_nested_code) {
                continue;
            }
            if let Some(marker) = Marker::of(line) {
                page.close();
                is_own = marker == Marker::Begin;
                continue;
            }
            is_comment |= words.starts_with("<!--");
            if is_comment {
                is_comment = !words.ends_with("-->");
                page.close();
                continue;
            }
            if let Some((level, title)) = heading(line) {
                page.close();
                page.is_near = false;
                page.headings.retain(|(known, _)| *known < level);
                page.headings.push((level, title.to_owned()));
                continue;
            }
            if is_own {
                if let Some(text) = line.strip_prefix("- ") {
                    page.add(number, 0, text.to_owned(), BulletKind::Own);
                }
                continue;
            }
            page.line(number, line, words);
        }
        page.close();
        if let Some(CodeBlock { line, .. }) = page.code.take() {
            page.left.push((line, "code without an end".to_owned()));
            return (page, false);
        }
        (page, true)
    }

    /// Returns true if the line is part of a block of code.
    fn reads_code(&mut self, line: &str, has_nested_code: bool) -> bool {
        let Some(block) = &mut self.code else { return false };
        let words = line.trim();
        let is_mark = words.starts_with(block.mark.as_str());
        let ends = is_mark && words.trim_start_matches(['`', '~']).is_empty();
        if !ends || block.depth > 0 {
            if is_mark && has_nested_code {
                block.depth = if ends { block.depth - 1 } else { block.depth + 1 };
            }
            block.lines.push(line.trim_end().to_owned());
            return true;
        }
        if let Some(block) = self.code.take() {
            self.take_code(&block);
        }
        true
    }

    /// Returns true if a line without a mark belongs to the list item above, or to indented code.
    fn reads_indented(&mut self, number: usize, line: &str, words: &str) -> bool {
        let indent = line.len() - line.trim_start().len();
        let is_code = indent >= 4 || line.starts_with('\t');
        if self.is_open
            || self.paragraph.is_some()
            || words.starts_with('|')
            || indent < 2 && !is_code
        {
            return false;
        }
        if let Some(last) = self.bullets.last_mut().filter(|_| self.listed.is_some()) {
            last.text.push(' ');
            last.text.push_str(words);
            return true;
        }
        if is_code {
            let new = || CodeBlock { line: number, ..CodeBlock::default() };
            self.indented.get_or_insert_with(new).lines.push(line.trim_end().to_owned());
        }
        is_code
    }

    fn line(&mut self, number: usize, line: &str, words: &str) {
        if !words.is_empty()
            && mark(line).is_none()
            && fence(words).is_none()
            && self.reads_indented(number, line, words)
        {
            return;
        }
        if let Some(mark) = fence(words) {
            self.close_paragraph();
            self.close_table();
            self.is_open = false;
            let language = words.trim_start_matches(['`', '~']).trim().to_lowercase();
            self.code = Some(CodeBlock { line: number, mark, language, ..CodeBlock::default() });
        } else if words.is_empty() {
            self.close();
        } else if let Some((indent, text)) = mark(line) {
            self.close();
            self.begin_item(indent, words);
            self.add(number, indent + 1, text.to_owned(), BulletKind::Item);
            (self.is_open, self.is_near) = (true, true);
        } else if words.starts_with('|') {
            self.close_paragraph();
            self.is_open = false;
            self.table.push((number, cells(words)));
        } else if words.starts_with(['>', '=', '<', '!'])
            || words.chars().all(|c| "-*_ ".contains(c))
        {
            self.close();
            self.listed = None;
            if words.starts_with(['<', '!']) && !words.starts_with("<<<<<<<") {
                self.left.push((number, "a picture or HTML".to_owned()));
            }
        } else if self.is_open && !words.starts_with('@') {
            if let Some(last) = self.bullets.last_mut() {
                last.text.push(' ');
                last.text.push_str(words);
            }
        } else if words.starts_with('@') && !words.contains(' ') {
            self.close();
            self.add(number, 0, words.to_owned(), BulletKind::Row);
        } else {
            let (_, paragraph) = self.paragraph.get_or_insert((number, String::new()));
            paragraph.push(' ');
            paragraph.push_str(words);
        }
    }

    /// Begins another list if an item is not part of the one before.
    fn begin_item(&mut self, indent: usize, words: &str) {
        let mark = words.chars().next().map_or('-', |c| if c.is_ascii_digit() { '1' } else { c });
        match self.listed {
            Some((known, first)) if indent > first || known == mark => {}
            _ => {
                self.list += 1;
                self.listed = Some((mark, indent));
            }
        }
    }

    fn close(&mut self) {
        if let Some(block) = self.indented.take() {
            self.take_code(&block);
        }
        self.close_paragraph();
        self.close_table();
        self.is_open = false;
    }

    /// Adds the sentences of a paragraph.
    fn close_paragraph(&mut self) {
        let Some((line, text)) = self.paragraph.take() else { return };
        for text in stated(text.trim()) {
            self.add(line, 0, text, BulletKind::Prose);
        }
        self.is_near = true;
    }

    /// Adds the rows of a table: the first cell, and what the others say of it.
    fn close_table(&mut self) {
        let mut rows = std::mem::take(&mut self.table).into_iter();
        let Some((line, names)) = rows.next() else { return };
        let is_rule =
            |cells: &[String]| cells.iter().all(|cell| cell.chars().all(|c| "-: ".contains(c)));
        let rows: Vec<_> = rows.filter(|(_, cells)| !is_rule(cells)).collect();
        if rows.is_empty() {
            self.left.push((line, "a table without rows".to_owned()));
        }
        for (line, cells) in rows {
            let Some((first, rest)) = cells.split_first() else { continue };
            let named = rest.iter().zip(names.iter().skip(1)).filter(|(cell, _)| !cell.is_empty());
            // What the second column says needs no name.
            let said: Vec<String> = named
                .enumerate()
                .map(|(at, (cell, name))| match at {
                    0 => cell.clone(),
                    _ => format!("{name}: {cell}"),
                })
                .collect();
            let text = format!("{first}: {}", said.join("; "));
            if first.is_empty() || said.iter().all(String::is_empty) {
                self.left.push((line, "a row of a table without text".to_owned()));
            } else {
                self.add(line, 0, text, BulletKind::Row);
            }
        }
        self.is_near = false;
    }

    /// Adds the commands of a block to the sentence before it, or to the heading. A comment above or
    /// behind a command says what it is for. So for a few lines of other code, and what a drawing remarks
    /// of its parts.
    fn take_code(&mut self, block: &CodeBlock) {
        let line = block.line;
        let near = self.bullets.last_mut().filter(|_| self.is_near);
        match (block.read(), near) {
            (CodeReading::Commands { plain, commented, notes }, _) => {
                self.take_commands(line, &plain, &commented);
                for said in notes.iter().flat_map(|note| stated(note)) {
                    self.add(line, 0, said, BulletKind::Prose);
                }
            }
            (CodeReading::Remarks(remarks), _) => {
                for (at, part, said) in remarks {
                    self.add(line + 1 + at, 0, format!("{}: {said}", code(&part)), BulletKind::Row);
                }
            }
            (CodeReading::Few(code), Some(last)) => last.append_code(&code),
            (CodeReading::Few(_) | CodeReading::Other, _) => {
                let name = block.language_name();
                let reason =
                    if name.is_empty() { "code".to_owned() } else { format!("code in {name}") };
                self.left.push((line, reason));
            }
        }
        self.is_near = false;
    }

    fn take_commands(&mut self, line: usize, plain: &[String], commented: &[(String, String)]) {
        if let ([], [(comment, command)]) = (plain, commented)
            && let Some(last) = self.bullets.last_mut()
            && self.is_near
            && last.text.ends_with(':')
        {
            last.text = format!("{} {} ({comment})", last.text, code(command));
            return;
        }
        if !plain.is_empty() {
            let plain: Vec<String> = plain.iter().map(|command| code(command)).collect();
            let plain = plain.join("; ");
            if let Some(last) = self.bullets.last_mut().filter(|_| self.is_near) {
                last.append_code(&plain);
            } else {
                let title = self.headings.last().map_or("Run", |(_, title)| title.as_str());
                self.add(line, 0, format!("{title}: {plain}"), BulletKind::Row);
            }
        }
        for (comment, command) in commented {
            self.add(line, 0, format!("{comment}: {}", code(command)), BulletKind::Row);
        }
    }

    fn add(&mut self, line: usize, indent: usize, text: String, kind: BulletKind) {
        let is_own = kind == BulletKind::Own;
        let section = self.headings.last().filter(|(level, _)| *level > 1 && !is_own);
        let section = section.map(|(_, title)| title.clone());
        let headings = self.headings.iter().map(|(_, title)| title.clone()).collect();
        if kind != BulletKind::Item {
            self.listed = None;
            self.list += 1;
        }
        let list = self.list;
        let is_step = self.listed.is_some_and(|(mark, _)| mark == '1');
        self.bullets.push(Bullet { line, headings, section, indent, text, kind, is_step, list });
    }
}

/// Returns a line without the mark of a block quote, by which pages set off warnings. The line that only
/// names the kind of warning becomes empty.
fn set_off(line: &str) -> &str {
    let quoted = line.trim_start().strip_prefix('>').filter(|said| !said.starts_with('>'));
    let said = quoted.map_or(line, |said| said.strip_prefix(' ').unwrap_or(said));
    if said.starts_with("[!") && said.trim_end().ends_with(']') { "" } else { said }
}

/// Returns the cells of a table's row.
fn cells(row: &str) -> Vec<String> {
    let inside = row.trim_matches('|').replace("\\|", "\0");
    inside.split('|').map(|cell| cell.trim().replace('\0', "|")).collect()
}

/// Returns the mark that opens a code block, and also closes it.
pub(super) fn fence(words: &str) -> Option<String> {
    ["```", "~~~"].into_iter().find(|mark| words.starts_with(mark)).map(str::to_owned)
}

pub(super) fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let title = rest.trim().trim_end_matches('#').trim_end();
    ((1..=6).contains(&level) && rest.starts_with([' ', '\t'])).then_some((level, title))
}

/// Parses indentation and text of a list item.
pub(super) fn mark(line: &str) -> Option<(usize, &str)> {
    let words = line.trim_start();
    let digits = words.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = if digits.len() < words.len() { digits.strip_prefix(['.', ')']) } else { None };
    let rest = words.strip_prefix(['-', '*', '+']).or(number)?;
    let text = rest.trim();
    let is_rule = words.chars().all(|c| c.is_whitespace() || "-*_".contains(c));
    let is_item = rest.starts_with([' ', '\t']) && !text.is_empty() && !is_rule;
    is_item.then_some((line.len() - words.len(), text))
}

/// Parses the keys of front matter, at any depth, and returns them with the number of its lines.
#[must_use]
pub(super) fn front(text: &str) -> Option<(Vec<(String, String)>, usize)> {
    let mut lines = numbered(text).map(|(number, line)| (number, line.trim_end()));
    lines.next().filter(|(_, line)| *line == "---")?;
    let mut keys = Vec::new();
    for (number, line) in lines {
        if line == "---" {
            return Some((keys, number));
        }
        if let Some((key, value)) = line.split_once(':') {
            keys.push((key.trim().to_lowercase(), unquoted(value.trim())));
        }
    }
    None
}

fn unquoted(value: &str) -> String {
    let single =
        || value.strip_prefix('\'')?.strip_suffix('\'').map(|text| text.replace("''", "'"));
    let double = || serde_json::from_str(value).ok().filter(|_| value.starts_with('"'));
    double().or_else(single).unwrap_or_else(|| value.to_owned())
}
