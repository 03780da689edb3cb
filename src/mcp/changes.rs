//! The tools that write: `memory_add` and `memory_update`.

use pimem_core::{
    model::{event::Cue, rules::LineAsides},
    safe,
    safety::{
        safe_text::SafeText,
        text::{EntryText, NoteText},
    },
    search::social_gate,
};
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::{
        AddRequest, Answer, Memory, NewText, Rejected,
        add::{AddView, Added},
        background,
        curate::Proof,
        intake::{self, with_tags},
        next::{ChangedEntry, NotShown, Prospect},
        pins::{CuratedEntry, PinAction},
    },
    view::{Document, EntryView},
};
use serde_json::{Value, json};

use super::{
    said::{self, SaidText},
    tools::{Given, ToolCall},
};

/// What can be done to an entry. Whatever it is, it can be taken back.
pub(super) const ACTIONS: &[&str] =
    &["reinforce", "harmful", "pin", "unpin", "edit", "forget", "restore", "supersede"];

pub(super) fn add(call: &ToolCall<'_>, given: &Given) -> Result<SaidText, Failure> {
    let kept_as = given.text("as").unwrap_or("entry");
    let entries = given.objects("entries");
    let text = given.text("text");
    if kept_as == "entry" {
        let wanted: Vec<Wanted> = match (text, entries) {
            (Some(text), None) => Wanted::items(text, given)?,
            (None, Some(entries)) => entries.iter().map(|one| Wanted::of(one, given)).collect(),
            _ => return Err(one_of_both()),
        };
        return entries_added(call.memory, &wanted);
    }
    let named = ["entries", "category", "tags", "asked", "supersedes"];
    if let Some(name) = named.iter().find(|name| given.has(name)) {
        let message = format!("{name} is for entries, and this is kept as {kept_as}");
        return Err(Failure::new(FailureKind::Usage, message, "give text alone"));
    }
    let Some(text) = text else { return Err(one_of_both()) };
    let memory = call.memory;
    let (word, document) = match kept_as {
        "note" => ("Noted", document(&memory.writing().note(&NoteText::new(text)?, None)?)),
        "log" => ("Logged", document(&memory.writing().log(&NoteText::new(text)?)?)),
        _ => ("On the list", document(&memory.writing().add_todo(&[text])?)),
    };
    let file = document.get("file").and_then(Value::as_str).unwrap_or("SCRATCHPAD.md");
    Ok(SaidText::new(safe!("{} in {}\n", word, file), document.clone()))
}

fn one_of_both() -> Failure {
    let hint = "entries is a list of objects with text, category, tags, asked and supersedes";
    Failure::new(FailureKind::Usage, "give text, or entries, and not both", hint)
}

fn document(view: &impl Document) -> Value {
    said::document(view, &["results"])
}

/// An entry that a client wants to add.
struct Wanted {
    text: String,
    category: Option<String>,
    tags: Vec<String>,
    asked: Vec<String>,
    supersedes: Option<String>,
}

impl Wanted {
    /// Reads an entry; what it lacks is that of the whole call.
    fn of(one: &Given, whole: &Given) -> Self {
        let text = |name: &str| one.text(name).or_else(|| whole.text(name)).map(str::to_owned);
        let tags = one.texts("tags");
        Self {
            text: one.text("text").unwrap_or_default().to_owned(),
            category: text("category"),
            tags: if tags.is_empty() { whole.texts("tags") } else { tags },
            asked: one.texts("asked"),
            supersedes: one.text("supersedes").map(str::to_owned),
        }
    }

    /// Reads the text of a call, each of whose items is an entry where it is a list.
    fn items(text: &str, whole: &Given) -> Result<Vec<Self>, Failure> {
        let items = intake::items(text);
        if items.len() > 1 && whole.has("supersedes") {
            let message = "supersedes takes one new entry, and text is a list";
            let hint = "give entries, each with its own supersedes";
            return Err(Failure::new(FailureKind::Usage, message, hint));
        }
        let entry = |text| Self { text, ..Self::of(whole, whole) };
        Ok(items.into_iter().map(entry).collect())
    }

    fn checked(&self, memory: &Memory) -> Result<NewText, Failure> {
        let (category, text) = intake::stated(memory, self.category.as_deref(), &self.text)?;
        let plain = unpinned(text)?;
        let text = with_tags(&plain, &self.tags)?;
        let untagged = (text != plain).then(|| plain.as_str().to_owned());
        let tags = self.tags.iter().map(|tag| tag.trim_start_matches('#').to_owned()).collect();
        let supersedes = self.supersedes.clone();
        let asked = social_gate::asked_by_agent(&self.asked)?;
        let asides = LineAsides { asked, ..LineAsides::default() };
        Ok(NewText {
            untagged,
            tags,
            asides,
            supersedes,
            ..NewText::plain(category, text, Cue::Explicit)
        })
    }
}

/// Checks a text, and takes its markers off: an agent does not pin.
fn unpinned(raw: &str) -> Result<EntryText, Failure> {
    let mut text = EntryText::new(raw)?;
    while text.pinned() {
        text = EntryText::new(text.as_str())?;
    }
    Ok(text)
}

/// Adds those that can be added. The others are refused one by one, with the reason.
fn entries_added(memory: &Memory, wanted: &[Wanted]) -> Result<SaidText, Failure> {
    let (replacing, plain): (Vec<usize>, Vec<usize>) = (0..wanted.len())
        .partition(|at| wanted.get(*at).is_some_and(|one| one.supersedes.is_some()));
    let mut done = Vec::new();
    if !plain.is_empty() {
        group_added(memory, wanted, plain, false, &mut done)?;
    }
    for at in replacing {
        // A replacement may resemble the entry that it replaces.
        group_added(memory, wanted, vec![at], true, &mut done)?;
    }
    done.sort_by_key(|(at, _)| *at);
    if let [(_, Err(failure))] = done.as_slice() {
        return Err(Failure {
            message: format!("refused: {}", failure.message),
            ..failure.clone()
        });
    }
    if !background::is_busy() {
        background::start_filling(memory);
    }
    let (mut lines, mut results) = (Vec::new(), Vec::new());
    for (at, done) in &done {
        match done {
            Ok(added) => {
                lines.extend(lines_of(added));
                results.push(serde_json::to_value(added).unwrap_or_default());
            }
            // The text is not repeated: it may be a secret.
            Err(Failure { message, hints, .. }) => {
                lines.push(safe!("- number {} is refused: {}\n", at + 1, message));
                results.push(json!({
                    "action": "refused", "eligible": false, "reason": message,
                    "remedy": hints.first(),
                }));
            }
        }
    }
    let schema = AddView { results: Vec::new() }.schema();
    let value = json!({ "schema": schema, "results": results });
    let head = SafeText::fixed("Recorded as stored notes:\n");
    Ok(SaidText { lines, ..SaidText::new(head, said::fit(value, &["results"])) })
}

/// What became of a text, with its number.
type Outcome = (usize, Result<Added, Failure>);

/// Adds the texts with some numbers at once, without those that cannot be added.
fn group_added(
    memory: &Memory,
    wanted: &[Wanted],
    mut numbers: Vec<usize>,
    force: bool,
    done: &mut Vec<Outcome>,
) -> Result<(), Failure> {
    loop {
        let mut texts = Vec::new();
        numbers.retain(|at| match wanted.get(*at).map(|one| one.checked(memory)) {
            Some(Ok(new)) => {
                texts.push(new);
                true
            }
            Some(Err(failure)) => {
                done.push((*at, Err(failure)));
                false
            }
            None => false,
        });
        if texts.is_empty() {
            return Ok(());
        }
        let request = AddRequest { texts, force, whole: true, keeps_out: true };
        match memory.writing().add(request) {
            Ok(added) => {
                done.extend(numbers.into_iter().zip(added.into_iter().map(Ok)));
                return Ok(());
            }
            Err(Rejected { at: Some(at), failure }) if at < numbers.len() => {
                done.push((numbers.remove(at), Err(failure)));
            }
            Err(Rejected { failure, .. }) => return Err(failure),
        }
    }
}

fn lines_of(done: &Added) -> Vec<SafeText> {
    let Added { action, category, text, short, next, replaces, .. } = done;
    let text = said::told(text, None);
    let mut lines = vec![safe!("- {} {} [{}] {}\n", action, short, category, text)];
    let old = replaces.iter().map(|old| said::told(&old.line, Some(old.reviewed)));
    lines.extend(old.map(|old| safe!("  replaces {}\n", old)));
    lines.extend(prospect_of(next));
    lines
}

/// Says what the next context does with an entry, below the line about it.
fn prospect_of(next: &Prospect) -> impl Iterator<Item = SafeText> {
    let absent = next
        .absent
        .iter()
        .map(|NotShown { reason, .. }| safe!("  not in the next context: {}\n", reason));
    let older = next.seems_to_replace.iter().map(|older| {
        let reviewed = older.entry.as_ref().and_then(|entry| entry.reviewed);
        let text = said::told(&older.text, reviewed);
        safe!("  seems to replace {}: {}\n", older.short, text)
    });
    absent.chain(older)
}

pub(super) fn update(call: &ToolCall<'_>, given: &Given) -> Result<SaidText, Failure> {
    let memory = call.memory;
    let entry = given.text("entry").unwrap_or_default().to_owned();
    let action = given.text("action").unwrap_or_default();
    let text = given.text("text");
    match (action, text) {
        ("edit" | "supersede", None) => {
            let message = format!("{action} needs the argument text");
            return Err(Failure { kind: FailureKind::Usage, message, hints: Vec::new() });
        }
        ("edit" | "supersede", Some(_)) | (_, None) => {}
        (_, Some(_)) => {
            let message = format!("{action} takes no text");
            return Err(Failure::new(FailureKind::Usage, message, "only edit and supersede do"));
        }
    }
    let text = text.unwrap_or_default();
    let curate = |action: PinAction| -> Result<SaidText, Failure> {
        let view = memory.writing().curate(action, std::slice::from_ref(&entry))?;
        let of = |CuratedEntry { entry, next, back, .. }: &CuratedEntry| {
            let is_back = |of: &EntryView| {
                safe!("  in force again, as this had replaced it:\n{}", line_of(of))
            };
            let back = back.iter().map(is_back);
            let next: Vec<SafeText> = next.iter().flat_map(prospect_of).chain(back).collect();
            std::iter::once(line_of(entry)).chain(next)
        };
        let lines = view.results.iter().flat_map(of).collect();
        let mut said = SaidText {
            lines,
            ..SaidText::new(safe!("{}:\n", view.action.verb()), document(&view))
        };
        if view.action == PinAction::PinWaits {
            said.notes.push(SafeText::fixed(
                "It is not pinned yet. The user confirms it by `pimem trust --review` or `pimem pin ID`.\n",
            ));
        }
        Ok(said)
    };
    match action {
        "reinforce" | "harmful" => {
            let proof = if action == "harmful" { Proof::Wrong(1) } else { Proof::Right(1) };
            let view = memory.writing().reinforce(std::slice::from_ref(&entry), proof)?;
            let head = if view.harmful { "Marked as harmful:\n" } else { "Reinforced:\n" };
            let of = |ChangedEntry { entry, next }: &ChangedEntry| {
                std::iter::once(line_of(entry)).chain(prospect_of(next)).collect::<Vec<_>>()
            };
            let lines = view.results.iter().flat_map(of).collect();
            Ok(SaidText { lines, ..SaidText::new(SafeText::fixed(head), document(&view)) })
        }
        "pin" => curate(PinAction::PinWaits),
        "unpin" => curate(PinAction::Unpinned),
        "forget" => curate(PinAction::Forgot),
        "restore" => curate(PinAction::Restored),
        "edit" => {
            let plain = unpinned(text)?.as_str().to_owned();
            let Some(view) = memory.writing().edit(&entry, |_| Ok(plain))? else {
                let hint = "memory_why shows it";
                return Err(Failure::new(
                    FailureKind::Refused,
                    "the entry has this text already",
                    hint,
                ));
            };
            let lines = std::iter::once(line_of(&view.entry)).chain(prospect_of(&view.next));
            let lines = lines.collect();
            Ok(SaidText { lines, ..SaidText::new(SafeText::fixed("Edited:\n"), document(&view)) })
        }
        _ => supersede(memory, &entry, text),
    }
}

/// Adds an entry of the same category that replaces another.
fn supersede(memory: &Memory, entry: &str, text: &str) -> Result<SaidText, Failure> {
    let Answer { view, .. } = memory.reading().why(entry, None)?;
    let old = view.entry.entry;
    let wanted = Wanted {
        text: text.to_owned(),
        category: Some(old.category),
        tags: Vec::new(),
        asked: Vec::new(),
        supersedes: Some(old.id),
    };
    entries_added(memory, &[wanted])
}

fn line_of(entry: &EntryView) -> SafeText {
    let text = said::told(&entry.text, entry.reviewed);
    safe!("- {} [{}] {} ({})\n", entry.short, entry.category, text, entry.described_state())
}
