//! Pages of rules in markdown, read line by line: list items, sentences, rows of tables and commands,
//! each with the headings above it.

use super::agents::Marker;
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
    /// Number of the list, counted with the paragraphs and tables between lists.
    pub list: usize,
}

impl Bullet {
    /// Returns true if it names a file that is read with the page: `@docs/style.md`.
    pub(super) fn is_include(&self) -> bool {
        self.text.len() > 1 && self.text.starts_with('@') && !self.text.contains(' ')
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

/// Most commands of a block that go to one sentence. More of them are a script.
const COMMANDS: usize = 8;
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

#[derive(Debug, Default)]
struct CodeBlock {
    line: usize,
    mark: String,
    language: String,
    lines: Vec<String>,
}

impl RulePage {
    pub(super) fn read(text: &str) -> Self {
        let mut page = Self::default();
        let (mut is_own, mut is_comment) = (false, false);
        let skipped = front(text).map_or(0, |(_, after)| after);
        for (number, line) in numbered(text).skip(skipped) {
            let line = set_off(line);
            let words = line.trim();
            if page.reads_code(words) {
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
        }
        page
    }

    /// Returns true if the line is part of a block of code.
    fn reads_code(&mut self, words: &str) -> bool {
        let Some(block) = &mut self.code else { return false };
        let ends = words.starts_with(block.mark.as_str())
            && words.trim_start_matches(['`', '~']).is_empty();
        if !ends {
            block.lines.push(words.to_owned());
            return true;
        }
        if let Some(block) = self.code.take() {
            self.take_code(block);
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
            self.indented.get_or_insert_with(new).lines.push(words.to_owned());
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
            self.code = Some(CodeBlock { line: number, mark, language, lines: Vec::new() });
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
            self.take_code(block);
        }
        self.close_paragraph();
        self.close_table();
        self.is_open = false;
    }

    /// Adds the sentences of a paragraph. One that goes on with another is part of it.
    fn close_paragraph(&mut self) {
        let Some((line, text)) = self.paragraph.take() else { return };
        let mut stated: Vec<String> = Vec::new();
        for part in sentence::as_they_stand(text.trim()) {
            let first = part.split(|c: char| !c.is_alphanumeric() && c != '.').next();
            let goes_on = first.is_some_and(|word| GOES_ON.contains(&&*word.to_lowercase()));
            match stated.last_mut().filter(|_| goes_on) {
                Some(last) => {
                    last.push(' ');
                    last.push_str(part);
                }
                None => stated.push(part.to_owned()),
            }
        }
        for text in stated {
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
    /// behind a command says what it is for.
    fn take_code(&mut self, block: CodeBlock) {
        let CodeBlock { line, language, lines, .. } = block;
        let Some(commands) = commands(&language, &lines) else {
            let name = language.split([' ', '{', ',']).next().unwrap_or_default();
            let reason =
                if name.is_empty() { "code".to_owned() } else { format!("code in {name}") };
            self.left.push((line, reason));
            return;
        };
        let (plain, commented): (Vec<_>, Vec<_>) =
            commands.into_iter().partition(|(comment, _)| comment.is_empty());
        let joined = |all: &[(String, String)]| {
            let all: Vec<String> = all.iter().map(|(_, command)| code(command)).collect();
            all.join("; ")
        };
        if let ([], [(comment, command)]) = (plain.as_slice(), commented.as_slice())
            && let Some(last) = self.bullets.last_mut()
            && self.is_near
            && last.text.ends_with(':')
        {
            last.text = format!("{} {} ({comment})", last.text, code(command));
            self.is_near = false;
            return;
        }
        let title = self.headings.last().map_or("Run", |(_, title)| title.as_str()).to_owned();
        if !plain.is_empty() {
            match self.bullets.last_mut().filter(|_| self.is_near) {
                Some(last) => {
                    let lead = last.text.trim_end_matches([':', '.']);
                    // The colon may stand in what is bold.
                    let leads = lead.trim_end_matches(['*', '_']).ends_with(':');
                    let colon = if leads { "" } else { ":" };
                    last.text = format!("{lead}{colon} {}", joined(&plain));
                }
                None => self.add(line, 0, format!("{title}: {}", joined(&plain)), BulletKind::Row),
            }
        }
        for (comment, command) in commented {
            self.add(line, 0, format!("{comment}: {}", code(&command)), BulletKind::Row);
        }
        self.is_near = false;
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
        self.bullets.push(Bullet { line, headings, section, indent, text, kind, list });
    }
}

/// Returns a line without the mark of a block quote, by which pages set off warnings. The line that only
/// names the kind of warning becomes empty.
fn set_off(line: &str) -> &str {
    let quoted = line.trim_start().strip_prefix('>').filter(|said| !said.starts_with('>'));
    let said = quoted.map_or(line, |said| said.strip_prefix(' ').unwrap_or(said));
    if said.starts_with("[!") && said.trim_end().ends_with(']') { "" } else { said }
}

/// Returns a command as code in a text.
fn code(command: &str) -> String {
    if command.contains('`') { format!("`` {command} ``") } else { format!("`{command}`") }
}

/// Returns the cells of a table's row.
fn cells(row: &str) -> Vec<String> {
    let inside = row.trim_matches('|').replace("\\|", "\0");
    inside.split('|').map(|cell| cell.trim().replace('\0', "|")).collect()
}

/// Names of languages whose lines are commands.
const SHELLS: &[&str] = &[
    "bash",
    "sh",
    "shell",
    "console",
    "zsh",
    "fish",
    "powershell",
    "ps1",
    "cmd",
    "shell-session",
    "text",
    "",
];

/// Returns the commands of a block of code, each with the comment that says what it is for. `None` if
/// the block is something else.
fn commands(language: &str, lines: &[String]) -> Option<Vec<(String, String)>> {
    if !SHELLS.contains(&language) {
        return None;
    }
    let is_certain = !matches!(language, "text" | "");
    let has_prompt = lines.iter().any(|line| line.starts_with("$ "));
    let (mut found, mut comment) = (Vec::new(), String::new());
    let mut joined = String::new();
    for line in lines {
        // With prompts, the other lines are what the commands print.
        let Some(line) = line.strip_prefix("$ ").or(Some(line.as_str()).filter(|_| !has_prompt))
        else {
            continue;
        };
        if let Some(said) = line.strip_prefix('#') {
            said.trim_start_matches('#')
                .trim()
                .trim_end_matches([':', '.'])
                .clone_into(&mut comment);
            continue;
        }
        if line.is_empty() {
            comment.clear();
            continue;
        }
        if let Some(start) = line.strip_suffix('\\') {
            joined.push_str(start.trim());
            joined.push(' ');
            continue;
        }
        let whole = std::mem::take(&mut joined) + line;
        if whole.contains("<<") || !(is_certain || is_command(&whole)) {
            return None;
        }
        match whole.split_once(" # ").filter(|(_, said)| !said.trim().is_empty()) {
            Some((command, said)) => {
                found.push((said.trim().to_owned(), command.trim().to_owned()));
            }
            // An option belongs to a command.
            None if whole.starts_with('-') => return None,
            None => found.push((comment.clone(), whole)),
        }
    }
    let plain = found.iter().filter(|(comment, _)| comment.is_empty()).count();
    (!found.is_empty() && plain <= COMMANDS).then_some(found)
}

/// Returns true if a line of an unnamed block begins as a command does.
fn is_command(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "./-_".contains(c);
    first.chars().all(fits)
        && first.contains(|c: char| c.is_ascii_lowercase())
        && (words.next().is_some() || first.starts_with("./"))
        && !line.ends_with([';', '{', ',', ':', '.'])
        && line.len() <= 160
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
