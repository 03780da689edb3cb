//! Blocks of code in a page of rules: commands, drawings with remarks, and other code.

/// Most commands of a block that go to one sentence. More of them are a script.
const COMMANDS: usize = 8;
/// Most lines and bytes of other code that go to the sentence before it.
const LINES_OF_CODE: usize = 5;
const BYTES_OF_CODE: usize = 300;

#[derive(Debug, Default)]
pub(super) struct CodeBlock {
    /// Number of its first line.
    pub(super) line: usize,
    pub(super) mark: String,
    pub(super) language: String,
    /// Number of blocks that are open in it.
    pub(super) depth: usize,
    /// The lines between its marks, indented as they were.
    pub(super) lines: Vec<String>,
}

/// The content of a block of code, by what an import makes of it.
#[derive(Debug)]
pub(super) enum CodeReading {
    /// Commands without a comment, those with the comment that says what they are for, and comments that
    /// are of no command.
    Commands {
        plain: Vec<String>,
        commented: Vec<(String, String)>,
        notes: Vec<String>,
    },
    /// Parts of a drawing, each with the number of its line in the block and the remark beside it.
    Remarks(Vec<(usize, String, String)>),
    /// A few lines, as code in a text.
    Few(String),
    Other,
}

impl CodeBlock {
    /// Returns the first word behind the opening mark, in lower case.
    pub(super) fn language_name(&self) -> &str {
        self.language.split([' ', '{', ',']).next().unwrap_or_default()
    }

    pub(super) fn read(&self) -> CodeReading {
        if let Some((found, notes)) = commands(&self.language, &self.lines) {
            return with_place(found, notes);
        }
        if let Some(found) = remarks(&self.lines) {
            return CodeReading::Remarks(found);
        }
        let lines = self.lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
        let few: Vec<String> = lines.take(LINES_OF_CODE + 1).map(code).collect();
        let bytes = few.iter().map(String::len).sum::<usize>();
        if few.is_empty() || few.len() > LINES_OF_CODE || bytes > BYTES_OF_CODE {
            return CodeReading::Other;
        }
        CodeReading::Few(few.join("; "))
    }
}

/// Sorts commands by whether a comment tells what they are for. One that only goes to a folder is part of
/// those behind it.
fn with_place(found: Vec<(String, String)>, notes: Vec<String>) -> CodeReading {
    let (plain, mut commented): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(comment, _)| comment.is_empty());
    let mut plain: Vec<String> = plain.into_iter().map(|(_, command)| command).collect();
    if let [place] = plain.as_slice()
        && place.starts_with("cd ")
        && !commented.is_empty()
    {
        for (_, command) in &mut commented {
            *command = format!("{place} && {command}");
        }
        plain.clear();
    }
    CodeReading::Commands { plain, commented, notes }
}

/// Returns a command as code in a text.
pub(super) fn code(command: &str) -> String {
    if command.contains('`') { format!("`` {command} ``") } else { format!("`{command}`") }
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

/// Least words of a comment that goes on in the next line, rather than heads it.
const WORDS_OF_COMMENT: usize = 5;

/// Returns a comment in whole sentences that belongs to no command.
fn note(comment: String, found: &[(String, String)]) -> Option<String> {
    let is_taken = found.iter().any(|(said, _)| comment.trim_end_matches([':', '.']) == said);
    (!is_taken && comment.ends_with(['.', '!'])).then_some(comment)
}

/// Commands with what is said of each, and what is said of none.
type Commands = (Vec<(String, String)>, Vec<String>);

/// Returns the commands of a block of code, each with the comment that says what it is for, and comments
/// of no command. `None` if the block is something else.
fn commands(language: &str, lines: &[String]) -> Option<Commands> {
    if !SHELLS.contains(&language) {
        return None;
    }
    let is_certain = !matches!(language, "text" | "");
    let has_prompt = lines.iter().any(|line| line.trim_start().starts_with("$ "));
    let (mut found, mut notes, mut comment) = (Vec::new(), Vec::new(), String::new());
    let mut is_open = false;
    let mut joined = String::new();
    for line in lines.iter().map(|line| line.trim()) {
        // With prompts, the other lines are what the commands print.
        let Some(line) = line.strip_prefix("$ ").or(Some(line).filter(|_| !has_prompt)) else {
            continue;
        };
        if let Some(said) = line.strip_prefix('#') {
            let said = said.trim_start_matches('#').trim();
            let goes_on = said.starts_with(|c: char| c.is_lowercase() || c == '(')
                || comment.split_whitespace().count() >= WORDS_OF_COMMENT;
            comment = if is_open && goes_on { comment + " " + said } else { said.to_owned() };
            is_open = true;
            continue;
        }
        is_open = false;
        if line.is_empty() {
            notes.extend(note(std::mem::take(&mut comment), &found));
            continue;
        }
        if let Some(start) = line.strip_suffix('\\') {
            joined.push_str(start.trim());
            joined.push(' ');
            continue;
        }
        let whole = std::mem::take(&mut joined) + line;
        let behind = whole.split_once(" # ").filter(|(_, said)| !said.trim().is_empty());
        let command = behind.map_or(whole.as_str(), |(command, _)| command.trim());
        if whole.contains("<<")
            || whole.starts_with(['├', '└', '│'])
            || !(is_certain || is_command(command))
        {
            return None;
        }
        match behind {
            Some((_, said)) => found.push((said.trim().to_owned(), command.to_owned())),
            // An option belongs to a command.
            None if whole.starts_with('-') => return None,
            None => {
                let said = comment.trim_end_matches([':', '.']).to_owned();
                found.push((said, command.to_owned()));
            }
        }
    }
    notes.extend(note(comment, &found));
    // Words alone are names.
    let is_name = |(_, command): &(String, String)| !command.contains([' ', '/', '\\']);
    if !is_certain && found.iter().all(is_name) {
        return None;
    }
    let plain = found.iter().filter(|(comment, _)| comment.is_empty()).count();
    (!found.is_empty() && plain <= COMMANDS).then_some((found, notes))
}

/// Returns true if a line of an unnamed block begins as a command does, behind what it sets.
fn is_command(line: &str) -> bool {
    let is_set = |word: &&str| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        })
    };
    let Some(first) = line.split_whitespace().find(|word| !is_set(word)) else { return false };
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "./-_\\".contains(c);
    let ends = |end: &str| line.ends_with(end) && !line.ends_with(&format!(" {end}"));
    first.chars().all(fits)
        && first.contains(|c: char| c.is_ascii_lowercase())
        && !first.ends_with('/')
        && !line.contains(['←', '→', '↑', '↓'])
        && ![";", "{", ",", ":", "."].into_iter().any(ends)
        && line.len() <= 160
}

/// Returns the parts of a drawing, most often of folders and files, of which it remarks something: the
/// number of the line, the name below those above it, and the remark. `None` if the lines are something
/// else.
fn remarks(lines: &[String]) -> Option<Vec<(usize, String, String)>> {
    let is_tree =
        lines.iter().any(|line| ["├─", "└─", "|--"].iter().any(|mark| line.contains(mark)));
    let mut found: Vec<(usize, String, String)> = Vec::new();
    // Column and name of each part above, and the place of its remark.
    let mut above: Vec<(usize, &str, Option<usize>)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let drawn = |c: char| c.is_whitespace() || "│├└─┬╰|".contains(c);
        let part = line.trim_start_matches(drawn);
        let part = ["`--", "+--", "\\--", "--"]
            .into_iter()
            .find_map(|mark| part.strip_prefix(mark))
            .unwrap_or(part)
            .trim();
        if part.is_empty() || part.starts_with(['#', '/']) && part.len() > 1 || part == "..." {
            continue;
        }
        let column = line.chars().count() - part.chars().count();
        while above.pop_if(|(known, ..)| *known >= column).is_some() {}
        match remark(part) {
            Some((name, said)) => {
                let path = above.iter().map(|(_, name, _)| name.trim_end_matches('/'));
                let path = path.filter(|name| !matches!(*name, "" | ".")).chain([name]);
                let place = (!said.is_empty()).then_some(found.len());
                if place.is_some() {
                    found.push((at, path.collect::<Vec<_>>().join("/"), said.to_owned()));
                }
                above.push((column, name, place));
            }
            // What stands below a part without being one is said of it.
            None if is_tree => {
                let place = above.iter().rev().find_map(|(.., place)| *place);
                if let Some((.., said)) = place.and_then(|place| found.get_mut(place)) {
                    said.push_str("; ");
                    said.push_str(part);
                }
            }
            None => return None,
        }
    }
    let least = if is_tree { 1 } else { 2 };
    (found.len() >= least).then_some(found)
}

/// Splits a line of a drawing into a name and what is said of it, if anything. `None` if it is code or
/// prose.
fn remark(part: &str) -> Option<(&str, &str)> {
    const MARKS: [&str; 8] = [" # ", " // ", " ← ", " <- ", " - ", " – ", " — ", "  "];
    let end = MARKS.into_iter().filter_map(|mark| part.find(mark)).min().unwrap_or(part.len());
    let (name, rest) = part.split_at(end);
    let rest = rest.trim();
    let said = rest.trim_start_matches(['#', '/', '←', '<', '-', '–', '—', ' ']);
    let is_pointed = rest.starts_with('←') || rest.starts_with("<-");
    let says = said.is_empty()
        || said.contains(char::is_alphabetic) && !said.starts_with(['→', '>', '=', '|']);
    let is_name = (is_pointed || !name.contains(char::is_whitespace))
        && !name.ends_with([';', '{', '}', ',', '(', ':']);
    (is_name && says).then_some((name, said))
}
