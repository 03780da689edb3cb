//! Claude Code's memory directory: one file per memory with front matter, and the index
//! `MEMORY.md`.

use std::{collections::BTreeSet, fmt::Write as _};

use super::{ExchangeFile, ExchangeItem, LONGEST, Parsed, agents, rule_page};
use crate::{
    model::{category::Categories, entry::EntryId, event::Cue},
    safety::safe_text,
};

const INDEX: &str = "MEMORY.md";
/// Maximum number of characters of a description.
const BRIEF: usize = 120;

/// Parses the memories of a directory. Claude Code records them without being asked, so the cue is
/// behavioural.
#[must_use]
pub fn read(files: &[ExchangeFile], categories: &Categories) -> Parsed {
    let mut found = Parsed::default();
    let names: BTreeSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
    for ExchangeFile { name, text } in files {
        let front = rule_page::front(text).filter(|_| name != INDEX);
        let items = match front {
            Some((keys, lines)) => typed(name, &keys, &after(text, lines), categories, &mut found),
            None => agents::listed(name, text, categories, &mut found),
        };
        if items.is_empty() && !text.trim().is_empty() && name != INDEX {
            found.leave(name.clone(), "it has neither front matter nor a list");
        }
        for item in items {
            match target(&item.text).filter(|_| name == INDEX) {
                Some(target) if names.contains(target) => {}
                Some(target) => found.leave(item.place, format!("its file {target} is not there")),
                None => found.push(ExchangeItem { cue: Some(Cue::Behavioral), ..item }),
            }
        }
    }
    found
}

/// Returns the file that a line of the index links to.
fn target(text: &str) -> Option<&str> {
    let (target, _) = text.strip_prefix('[')?.split_once("](")?.1.split_once(')')?;
    Some(target.trim_start_matches("./")).filter(|target| target.strip_suffix(".md").is_some())
}

/// Parses the memory of a file with front matter.
fn typed(
    name: &str,
    keys: &[(String, String)],
    body: &str,
    categories: &Categories,
    found: &mut Parsed,
) -> Vec<ExchangeItem> {
    let get = |wanted: &str| {
        let mut values = keys.iter().filter(|(key, _)| key == wanted).map(|(_, value)| value);
        values.find(|value| !value.is_empty()).cloned()
    };
    let by_type = || match get("type")?.as_str() {
        "user" | "feedback" => Some("preference".to_owned()),
        "project" => Some("decision".to_owned()),
        "reference" => Some("lesson".to_owned()),
        _ => None,
    };
    let category = get("category").or_else(by_type);
    let pinned = get("pinned").is_some_and(|value| value == "true");
    let place = name.to_owned();
    let item = ExchangeItem { place, category, pinned, ..ExchangeItem::default() };
    let paragraphs = paragraphs(body);
    let text = match paragraphs.as_slice() {
        [] => get("description").or_else(|| get("name")).unwrap_or_default(),
        // A single line is taken as it is, whatever its form.
        [Paragraph { lines, .. }] if lines.len() == 1 => lines.concat(),
        all if all.iter().all(Paragraph::is_prose) => {
            let whole = all.iter().map(Paragraph::folded).collect::<Vec<_>>().join(" ");
            if whole.chars().count() <= LONGEST { whole } else { first_prose(all) }
        }
        all if all.first().is_some_and(Paragraph::is_prose) => first_prose(all),
        _ => {
            let listed = agents::listed(name, body, categories, found);
            let category = |own: Option<String>| own.or_else(|| item.category.clone());
            let of = |own: ExchangeItem| ExchangeItem {
                place: item.place.clone(),
                category: category(own.category),
                pinned,
                ..own
            };
            if !listed.is_empty() {
                return listed.into_iter().map(of).collect();
            }
            get("description").unwrap_or_default()
        }
    };
    // The exact text, unless somebody has changed the memory since.
    let exact = get("text").filter(|exact| safe_text::model(exact) == text);
    let text = exact.unwrap_or(text);
    if text.is_empty() { Vec::new() } else { vec![ExchangeItem { text, ..item }] }
}

/// Lines between blank ones.
struct Paragraph<'a> {
    lines: Vec<&'a str>,
}

impl Paragraph<'_> {
    fn is_prose(&self) -> bool {
        self.lines.first().is_some_and(|line| {
            rule_page::mark(line).is_none() && !line.trim_start().starts_with(['#', '|', '`', '>'])
        })
    }

    fn folded(&self) -> String {
        self.lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
    }
}

fn first_prose(all: &[Paragraph<'_>]) -> String {
    all.first().map(Paragraph::folded).unwrap_or_default()
}

fn paragraphs(body: &str) -> Vec<Paragraph<'_>> {
    let mut found: Vec<Paragraph<'_>> = Vec::new();
    let mut open = false;
    for (_, line) in rule_page::numbered(body) {
        match found.last_mut().filter(|_| open) {
            Some(last) if !line.trim().is_empty() => last.lines.push(line),
            None if !line.trim().is_empty() => found.push(Paragraph { lines: vec![line] }),
            _ => {}
        }
        open = !line.trim().is_empty();
    }
    found
}

/// Returns a text without its first lines.
fn after(text: &str, lines: usize) -> String {
    let rest: Vec<&str> = rule_page::numbered(text).skip(lines).map(|(_, line)| line).collect();
    rest.join("\n")
}

/// Returns the files of a directory, index first. Claude Code ignores the keys `category`, `pinned`
/// and `text`. The last has the text of an entry that agents must not read as it is, in a form in
/// which it misleads nobody.
#[must_use]
pub fn render(items: &[ExchangeItem]) -> Vec<ExchangeFile> {
    let mut names = BTreeSet::new();
    let mut index = String::from("# Memory\n\n");
    let mut files = Vec::new();
    for item in items {
        let category = item.category.as_deref().unwrap_or_default();
        let kind = match category {
            "preference" | "mistake" => "feedback",
            _ => "project",
        };
        let id = EntryId::of(category, item.text.as_bytes()).to_string();
        let lead = slug(&item.text);
        let name = (7..=id.len()).filter_map(|length| id.get(..length));
        let mut name = name.map(|id| format!("{kind}-{lead}{id}"));
        let Some(name) = name.find(|name| names.insert(name.clone())) else { continue };
        // Agents read these files unchanged.
        let shown = safe_text::model(&item.text);
        let brief = brief(&shown);
        let text = if shown == item.text { String::new() } else { coded(&item.text) };
        let pinned = if item.pinned { "pinned: true\n" } else { "" };
        let quoted = serde_json::Value::from(brief.as_str());
        let text = format!(
            "---\nname: {name}\ndescription: {quoted}\ntype: {kind}\ncategory: {category}\n{pinned}{text}---\n\n{shown}\n"
        );
        index.push_str(&format!("- [{name}]({name}.md) — {brief}\n"));
        files.push(ExchangeFile { name: format!("{name}.md"), text });
    }
    files.insert(0, ExchangeFile { name: INDEX.to_owned(), text: index });
    files
}

/// Returns the line that has a text without characters that mislead: as JSON, in which letters,
/// digits and spaces stand for themselves.
fn coded(text: &str) -> String {
    let mut line = String::from("text: \"");
    for c in text.chars() {
        if c == ' ' || c.is_alphanumeric() {
            line.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(line, "\\u{unit:04x}");
            }
        }
    }
    line + "\"\n"
}

/// Returns the first words of a text, for a file name.
fn slug(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.filter(|word| word.len() <= 20);
    words.take(4).flat_map(|word| [word, "-"]).collect()
}

/// Cuts a text between words.
fn brief(text: &str) -> String {
    if text.chars().count() <= BRIEF {
        return text.to_owned();
    }
    let cut: String = text.chars().take(BRIEF - 1).collect();
    let words = cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words);
    format!("{}…", words.trim_end())
}
