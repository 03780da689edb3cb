//! Turns the tables of cues, `src/language/cues/*.txt`, and the lists of words,
//! `src/language/lexicon/*.txt`, into constants, so that nothing is parsed at start. `english.txt`
//! describes the format of the tables, [`lexicon`] that of the lists.
#![expect(clippy::disallowed_methods, reason = "a build script reads and writes files")]

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// Lists of words that the guards use; they come first, in this order, in every language.
const GUARDS: [&str; 14] = [
    "opening",
    "soft",
    "joint",
    "question",
    "auxiliary",
    "pronoun",
    "report",
    "if",
    "this",
    "project",
    "the",
    "local",
    "pointer",
    "trouble",
];
/// Further lists of the guards.
const MORE: [&str; 6] = ["task", "since", "own", "which", "and", "agent"];
/// Wordings of the guards.
const PHRASES: [&str; 8] =
    ["once", "narrow", "turn", "denial", "letter", "rejection", "reading", "verdict"];

const KINDS: [&str; 9] = [
    "naming",
    "identity",
    "correction",
    "preference",
    "wish",
    "rule",
    "convention",
    "decision",
    "finding",
];

type Failed = Box<dyn Error>;

fn main() -> Result<(), Failed> {
    let mut tables = texts("src/language/cues")?;
    // English first: it has rules in code, too.
    tables.sort_by_key(|path| (!path.ends_with("english.txt"), path.clone()));
    let (mut out, mut all, mut texts) = (String::new(), String::new(), String::new());
    for path in tables {
        let text = fs::read_to_string(&path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().to_uppercase();
        let table = Table::parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        table.write(&name, &mut out)?;
        write!(all, "&{name}, ")?;
        let file = fs::canonicalize(&path)?.to_string_lossy().into_owned();
        write!(texts, "include_str!({file:?}), ")?;
    }
    writeln!(out, "pub(super) static ALL: &[&Language] = &[{all}];")?;
    writeln!(out, "#[cfg(test)] pub(super) static TEXTS: &[&str] = &[{texts}];")?;
    println!("cargo:rerun-if-changed=build.rs");
    let dir = env::var("OUT_DIR")?;
    fs::write(Path::new(&dir).join("cues.rs"), out)?;
    fs::write(Path::new(&dir).join("lexicon.rs"), lexicon()?)?;
    Ok(())
}

/// Returns the text files of a directory, sorted.
fn texts(dir: &str) -> Result<Vec<PathBuf>, Failed> {
    println!("cargo:rerun-if-changed={dir}");
    let files =
        fs::read_dir(dir)?.map(|file| Ok(file?.path())).collect::<Result<Vec<_>, Failed>>()?;
    let mut texts: Vec<PathBuf> =
        files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "txt")).collect();
    texts.sort();
    for path in &texts {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    Ok(texts)
}

/// Writes a module for each file of lists. A list begins with a line `KIND NAME: what it is`; what is
/// in it is indented:
///
/// - `words`: single words;
/// - `phrases`: between bars, with `_` for a blank at the end;
/// - `pairs`: between bars, as `a=b`;
/// - `list`: single words, which are looked up in all lists of a file at once;
/// - `concept`: words and phrases between bars, which are looked up at once too;
/// - `order`, without a name: wordings that do what the line says, a line each.
fn lexicon() -> Result<String, Failed> {
    let mut out = String::new();
    for path in texts("src/language/lexicon")? {
        let module = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(&path)?;
        let lists = lists(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        writeln!(out, "pub(crate) mod {module} {{\n{lists}}}")?;
    }
    Ok(out)
}

fn lists(text: &str) -> Result<String, Failed> {
    let (mut out, mut names, mut all) = (String::new(), String::new(), String::new());
    let (mut first, mut concepts) = (String::new(), 0);
    let mut kind = "";
    for list in text.split("\n\n").filter(|list| !list.starts_with('#')) {
        let (head, body) = list.trim_end().split_once('\n').ok_or("a list without words")?;
        let (head, about) = head.split_once(": ").unwrap_or((head, ""));
        let doc = if about.is_empty() { String::new() } else { format!("#[doc = {about:?}] ") };
        let name;
        (kind, name) = head.split_once(' ').unwrap_or((head, ""));
        let words = body.split_whitespace().collect::<Vec<_>>().join(" ");
        let items = words.split(" | ");
        match kind {
            "words" => writeln!(
                out,
                "{doc}pub(crate) static {name}: super::Words = super::Words::new({words:?});"
            )?,
            "phrases" => {
                let items: Vec<String> = items.map(ended).collect();
                writeln!(out, "{doc}pub(crate) const {name}: &[&str] = &{items:?};")?;
            }
            "pairs" => {
                let pairs: Vec<_> = items.filter_map(|item| item.split_once('=')).collect();
                writeln!(out, "{doc}pub(crate) const {name}: &[(&str, &str)] = &{pairs:?};")?;
            }
            "list" => {
                writeln!(names, "{doc}{name},")?;
                writeln!(all, "(List::{name}, {words:?}),")?;
            }
            "concept" => {
                writeln!(out, "{doc}pub(crate) const {name}: super::Concepts = 1 << {concepts};")?;
                writeln!(all, "{:?},", items.collect::<Vec<_>>().join("|"))?;
                concepts += 1;
            }
            "order" => {
                for steps in body.lines().map(str::trim) {
                    let begins = steps.trim_start_matches("^ ").split(' ').next();
                    let begins =
                        format!(".with({:?}.as_bytes(), b'|')", begins.unwrap_or_default());
                    let wording = format!("does: {about:?}, steps: {steps:?}");
                    writeln!(
                        all,
                        "super::LexiconWording {{ {wording}, first: super::WordFilter::NONE{begins} }},"
                    )?;
                    write!(first, "{begins}")?;
                }
            }
            _ => return Err(format!("there is no kind {kind}").into()),
        }
    }
    match kind {
        "list" | "pairs" if !names.is_empty() => {
            writeln!(out, "#[derive(Debug, Clone, Copy, PartialEq, Eq)]")?;
            writeln!(out, "pub(crate) enum List {{\n{names}}}")?;
            writeln!(out, "pub(crate) const LISTS: &[(List, &str)] = &[\n{all}];")?;
        }
        "concept" => writeln!(out, "pub(crate) const LISTS: &[&str] = &[\n{all}];")?,
        "order" => {
            writeln!(out, "pub(crate) static WORDINGS: &[super::LexiconWording] = &[\n{all}];")?;
            writeln!(
                out,
                "pub(crate) static FIRST: super::WordFilter<256> = super::WordFilter::NONE{first};"
            )?;
        }
        _ => {}
    }
    Ok(out)
}

fn ended(phrase: &str) -> String {
    phrase.strip_suffix('_').map_or_else(|| phrase.to_owned(), |start| format!("{start} "))
}

#[derive(Default)]
struct Table {
    /// Names of the lists, in the order of their bits.
    lists: Vec<String>,
    /// Words, each with the bits of its lists.
    words: BTreeMap<String, u64>,
    /// Wordings of the guards, by the number of their name.
    phrases: [Vec<String>; PHRASES.len()],
    rows: Vec<Row>,
}

struct Row {
    kind: String,
    strength: String,
    pattern: String,
}

/// The section of a table that indented lines belong to.
enum Section {
    None,
    Words(u64),
    Phrases(usize),
    Row,
}

impl Table {
    fn parse(text: &str) -> Result<Self, Failed> {
        let mut table = Self::default();
        let named = text.lines().filter_map(|line| line.strip_prefix("words "));
        let fixed = GUARDS.iter().chain(&MORE).chain(&PHRASES).copied();
        let all = fixed.chain(named.map(str::trim));
        for name in all {
            if !table.lists.iter().any(|known| known == name) {
                table.lists.push(name.to_owned());
            }
        }
        if table.lists.len() > 64 {
            return Err("more than 64 lists of words".into());
        }
        let mut section = Section::None;
        for (at, line) in text.lines().enumerate() {
            table.line(line, &mut section).map_err(|error| format!("line {}: {error}", at + 1))?;
        }
        let patterns = table.rows.iter().map(|row| &row.pattern);
        let literals: Vec<String> = patterns
            .chain(table.phrases.iter().flatten())
            .flat_map(|pattern| pattern.split(' '))
            .flat_map(|part| Part::of(part).words)
            .collect();
        for word in literals {
            table.words.entry(word).or_default();
        }
        // A word that begins a wording of the guards is in the list of its name.
        for (name, phrases) in PHRASES.iter().zip(table.phrases.clone()) {
            let bit = table.bit(name)?;
            for phrase in phrases {
                let mut first = Part::of(phrase.split(' ').next().unwrap_or_default());
                if first.kind == "Not" {
                    return Err(format!("{phrase} begins with what it is not").into());
                }
                for word in first.words.drain(..) {
                    *table.words.entry(word).or_default() |= bit;
                }
            }
        }
        Ok(table)
    }

    fn line(&mut self, line: &str, section: &mut Section) -> Result<(), Failed> {
        if line.starts_with('#') || line.trim().is_empty() {
            return Ok(());
        }
        if let Some(more) = line.strip_prefix("  ") {
            match section {
                Section::Words(bit) => {
                    for word in more.split_whitespace() {
                        *self.words.entry(fold(word)).or_default() |= *bit;
                    }
                }
                Section::Phrases(at) => {
                    self.phrases
                        .get_mut(*at)
                        .ok_or("no such wordings")?
                        .push(more.trim().to_owned());
                }
                Section::Row if more.starts_with(['+', '-']) => {}
                _ => return Err("an indented line that belongs to nothing".into()),
            }
            return Ok(());
        }
        *section = if let Some(at) = PHRASES.iter().position(|name| *name == line) {
            Section::Phrases(at)
        } else if let Some(name) = line.strip_prefix("words ") {
            Section::Words(self.bit(name.trim())?)
        } else {
            let (head, pattern) = line.split_once(": ").ok_or("no colon after a kind")?;
            let (kind, strength) = head.split_once(' ').unwrap_or((head, "plain"));
            if !KINDS.contains(&kind) {
                return Err(format!("there is no kind {kind}").into());
            }
            if !["plain", "lone", "weak", "firm", "mention"].contains(&strength) {
                return Err(format!("{strength} is no strength").into());
            }
            let (kind, strength) = (title(kind), title(strength));
            self.rows.push(Row { kind, strength, pattern: pattern.trim().to_owned() });
            Section::Row
        };
        Ok(())
    }

    fn bit(&self, list: &str) -> Result<u64, Failed> {
        let at = self.lists.iter().position(|name| name == list);
        Ok(1 << at.ok_or_else(|| format!("there is no list <{list}>"))?)
    }

    fn write(&self, name: &str, out: &mut String) -> Result<(), Failed> {
        let order = self.order();
        let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut open = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            match self.keys(&row.pattern)? {
                Some(keys) => {
                    for key in keys {
                        rows.entry(key).or_default().push(at);
                    }
                }
                None => open.push(at),
            }
        }
        writeln!(out, "static {name}: Language = Language {{ words: &[")?;
        for (hash, word) in &order {
            let lists = self.words.get(*word).copied().unwrap_or_default();
            let rows = rows.get(word).map_or(&[][..], Vec::as_slice);
            writeln!(out, "Entry {{ hash: {hash:#x}, lists: {lists:#x}, rows: &{rows:?} }},")?;
        }
        writeln!(out, "], open: &{open:?},")?;
        for list in MORE {
            writeln!(out, "{list}: {:#x},", self.bit(list)?)?;
        }
        for (name, phrases) in PHRASES.iter().zip(&self.phrases) {
            writeln!(out, "{name}: Phrases {{ starts: {:#x}, all: &[", self.bit(name)?)?;
            for pattern in phrases {
                writeln!(out, "&{},", self.parts(pattern)?)?;
            }
            writeln!(out, "] }},")?;
        }
        writeln!(out, "rows: &[")?;
        for Row { kind, strength, pattern } in &self.rows {
            let parts = self.parts(pattern)?;
            writeln!(
                out,
                "Row {{ family: Family::{kind}, strength: CueStrength::{strength}, \
                 wording: {pattern:?}, parts: &{parts} }},"
            )?;
        }
        writeln!(out, "] }};")?;
        Ok(())
    }

    /// Returns the words in the order of their hashes.
    fn order(&self) -> Vec<(u64, &str)> {
        let mut order: Vec<_> = self.words.keys().map(|word| (hash(word), word.as_str())).collect();
        order.sort_unstable();
        order
    }

    /// Returns the words of which a sentence must have one to match, the fewest of all parts.
    fn keys(&self, pattern: &str) -> Result<Option<Vec<&str>>, Failed> {
        let mut fewest: Option<Vec<&str>> = None;
        for part in pattern.split(' ').map(Part::of) {
            if part.kind != "One" || part.comma || !part.ends.is_empty() {
                continue;
            }
            let mut lists = 0;
            for list in &part.lists {
                lists |= self.bit(list)?;
            }
            let is = |(word, all): &(&String, &u64)| part.words.contains(word) || *all & lists != 0;
            let words: Vec<&str> =
                self.words.iter().filter(is).map(|(word, _)| word.as_str()).collect();
            if fewest.as_ref().is_none_or(|fewest| words.len() < fewest.len()) {
                fewest = Some(words);
            }
        }
        Ok(fewest)
    }

    /// Writes a pattern as an array of its parts.
    fn parts(&self, pattern: &str) -> Result<String, Failed> {
        let mut out = String::from("[");
        for text in pattern.split(' ') {
            let part = Part::of(text);
            let mut lists = 0;
            for list in &part.lists {
                lists |= self.bit(list)?;
            }
            let order = self.order();
            let id = |word: &String| {
                order.iter().position(|(_, known)| known == word).map(|at| u16::try_from(at + 1))
            };
            let ids: Vec<u16> = part.words.iter().filter_map(id).collect::<Result<_, _>>()?;
            let Part { kind, comma, ends, .. } = part;
            write!(
                out,
                "MatchPart {{ kind: MatchKind::{kind}, comma: {comma}, lists: {lists:#x}, ids: &{ids:?}, ends: &{ends:?} }},"
            )?;
        }
        Ok(out + "]")
    }
}

/// A part of a pattern.
struct Part {
    kind: &'static str,
    comma: bool,
    words: Vec<String>,
    lists: Vec<String>,
    ends: Vec<String>,
}

impl Part {
    fn of(text: &str) -> Self {
        let fixed = match text {
            "X" => Some("Name"),
            "X?" => Some("MaybeName"),
            "..." => Some("Rest"),
            "~" => Some("Gap"),
            "~~" => Some("Wide"),
            "," => Some("Comma"),
            ",?" => Some("MaybeComma"),
            "$" => Some("End"),
            _ => None,
        };
        let mut part = Self {
            kind: fixed.unwrap_or("One"),
            comma: false,
            words: Vec::new(),
            lists: Vec::new(),
            ends: Vec::new(),
        };
        if fixed.is_some() {
            return part;
        }
        let (kind, text) =
            match (text.strip_prefix('!'), text.strip_prefix('>'), text.strip_suffix('?')) {
                (Some(text), ..) => ("Not", text),
                (_, Some(text), _) => ("Behind", text),
                (.., Some(text)) => ("Maybe", text),
                _ => ("One", text),
            };
        part.kind = kind;
        for one in text.split('/').map(|one| one.trim_end_matches('?')) {
            if one == "," || one == ":" {
                part.comma = true;
            } else if let Some(list) = one.strip_prefix('<').and_then(|one| one.strip_suffix('>')) {
                part.lists.push(list.to_owned());
            } else if let Some(end) = one.strip_prefix('-') {
                part.ends.push(fold(end));
            } else if !one.is_empty() {
                part.words.push(fold(one));
            }
        }
        part
    }
}

fn title(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

/// Writes a word as the matcher compares it: without umlauts, however they are spelled.
fn fold(word: &str) -> String {
    let plain = word.to_lowercase().replace('ä', "a").replace('ö', "o").replace('ü', "u");
    plain.replace('ß', "ss").replace("ae", "a").replace("oe", "o").replace("ue", "u")
}

/// FNV-1a with 64 bits, as in `model::hash`.
fn hash(word: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    word.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
