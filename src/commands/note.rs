//! `pimem note` and `pimem log`: add to long-term notes, and to the log of the day.

use serde_json::json;

use crate::{exit::Exit, input, shell::Shell};
use pimem_core::{
    markdown::{lines, memo},
    safety::note_text::NoteText,
};
use pimem_engine::{error::Failure, local_time, memory, store::notes};

/// Add to the long-term notes in MEMORY.md
///
/// Notes are free markdown. One line becomes an item of a list, several are added as they are.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem note --section Deployment Staging has two replicas\n  \
    pimem note - < decision.md")]
pub(crate) struct NoteArgs {
    /// What to note (`-` reads standard input)
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
    /// Add it to the section with this heading, which is made when there is none
    #[arg(long, short, value_name = "HEADING")]
    section: Option<String>,
}

/// Add to today's log
///
/// A log has an item for each call, with the local time. Later lines of a text are indented below
/// its first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem log Found the leak: the pool never closes\n  \
    git log -1 --format=%s | pimem log -")]
pub(crate) struct LogArgs {
    /// What happened (`-` reads standard input)
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
}

pub(crate) fn note(ctx: &Shell, args: &NoteArgs) -> Result<Exit, Failure> {
    let text = read(&args.text)?;
    // A heading is one line like the text of an entry.
    let heading = args.section.as_deref().map(heading).transpose()?;
    let added = match text.lines() {
        [one] if !is_block(one) => text.item(""),
        several => several.to_vec(),
    };
    let store = ctx.writer()?;
    let lock = memory::lock(ctx, &store)?;
    store.rewrite(&lock, notes::NOTES, |bytes| {
        let edit = match &heading {
            Some(heading) => memo::append_to(bytes, heading, &added),
            None => memo::append(bytes, &added),
        };
        Some(lines::apply(bytes, vec![edit]))
    })?;
    done(ctx, "pimem.note/1", "Noted in", notes::NOTES, &added);
    Ok(Exit::Done)
}

pub(crate) fn log(ctx: &Shell, args: &LogArgs) -> Result<Exit, Failure> {
    let text = read(&args.text)?;
    let now = local_time::local(ctx.now.0);
    let added = text.item(&format!("{} ", now.clock()));
    let store = ctx.writer()?;
    let lock = memory::lock(ctx, &store)?;
    let name = notes::daily(now.date);
    store.append(&lock, &name, &now.date.to_string(), &added)?;
    done(ctx, "pimem.log/1", "Logged in", &name, &added);
    Ok(Exit::Done)
}

/// The text of the arguments, or of standard input.
pub(crate) fn read(args: &[String]) -> Result<NoteText, Failure> {
    let raw = if args == ["-"] { input::read_stdin()? } else { args.join(" ") };
    Ok(NoteText::new(&raw)?)
}

fn heading(raw: &str) -> Result<String, Failure> {
    let text = pimem_core::safety::entry_text::EntryText::new(raw.trim_start_matches('#'))?;
    Ok(text.as_str().to_owned())
}

/// Whether a line is a block of markdown of its own.
fn is_block(line: &str) -> bool {
    let words = line.trim_start();
    words.starts_with(['#', '>', '|', '`'])
        || ["- ", "* ", "+ "].iter().any(|mark| words.starts_with(mark))
}

fn done(ctx: &Shell, schema: &str, verb: &str, file: &str, added: &[String]) {
    if ctx.ui.json {
        let text = added.join("\n");
        ctx.ui.document(&json!({"schema": schema, "file": file, "text": text}));
        return;
    }
    let first = added.first().map_or("", |line| line.as_str());
    let more = if added.len() > 1 { " …" } else { "" };
    ctx.ui.line(&format!("{verb} {file}: {first}{more}"));
}
