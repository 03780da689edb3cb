//! `pimem completions`, whose scripts have `crate::complete` answer, and `pimem man`, whose pages are
//! generated from the definition of the parser.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::ValueEnum;
use pimem_engine::{
    error::{Failure, FailureKind},
    store::atomic::{self, Sync},
};

use crate::shell::{Exit, Shell};

/// Print a completion script for a shell
///
/// The Tab key then completes categories, topics, settings, models, agents and the ids of entries too,
/// as they are at that moment.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  pimem completions bash > ~/.local/share/bash-completion/completions/pimem
  pimem completions fish > ~/.config/fish/completions/pimem.fish
  pimem completions zsh > DIR/_pimem    where DIR is one of $fpath
  pimem completions powershell >> $PROFILE")]
pub(crate) struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Tab,
}

/// Print a man page, or write all of them
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pimem man search | man -l -")]
pub(crate) struct ManArgs {
    /// The page of this command; without it, the page of pimem itself
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    page: Option<String>,
    /// Write every page into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The shells that there is a script for.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Tab {
    Bash,
    Fish,
    Powershell,
    Zsh,
}

#[expect(clippy::unnecessary_wraps, reason = "as the other commands")]
pub(crate) fn completions(ctx: &Shell, args: &CompletionsArgs) -> Result<Exit, Failure> {
    ctx.ui.lines(match args.shell {
        Tab::Bash => include_str!("../../completions/pimem.bash"),
        Tab::Fish => include_str!("../../completions/pimem.fish"),
        Tab::Powershell => include_str!("../../completions/pimem.ps1"),
        Tab::Zsh => include_str!("../../completions/_pimem"),
    });
    Ok(Exit::Done)
}

pub(crate) fn man(ctx: &Shell, args: &ManArgs, definition: clap::Command) -> Result<Exit, Failure> {
    let pages = pages(definition)?;
    if let Some(dir) = &args.out {
        atomic::create_dir(dir, Sync::None)?;
        for (name, text) in &pages {
            atomic::replace_file(&dir.join(name), text.as_bytes(), Sync::None, || Ok(true))?;
        }
        return Ok(Exit::Done);
    }
    let name = args.page.as_ref().map_or("pimem.1".to_owned(), |page| format!("pimem-{page}.1"));
    let (_, text) = pages.iter().find(|(page, _)| *page == name).ok_or_else(|| {
        let message = format!("there is no command {:?}", args.page.as_deref().unwrap_or_default());
        Failure::new(FailureKind::Usage, message, "pimem --help lists the commands")
    })?;
    ctx.ui.lines(text);
    Ok(Exit::Done)
}

/// Returns the man pages with their file names. They omit the version, so that they change only
/// when the options do; the global options are on the page of pimem itself.
fn pages(definition: clap::Command) -> Result<Vec<(String, String)>, Failure> {
    let mut root = definition.version(None::<&str>).disable_help_subcommand(true);
    // Machines call them, and somebody has to read what of.
    root = root.mut_subcommands(|command| match command.get_name() {
        "hook" | "merge-driver" | "man" => command.hide(false),
        _ => command,
    });
    root.build();
    let mut pages = Vec::new();
    let mut waiting = vec![root];
    while let Some(command) = waiting.pop() {
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        waiting.extend(visible.cloned());
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        let is_root = name == "pimem";
        let mut command = command.disable_help_subcommand(true);
        command = command.mut_args(|arg| {
            let is_common = !is_root && (arg.is_global_set() || arg.get_id() == "help");
            if is_common { arg.hide(true) } else { arg.hide_short_help(false) }
        });
        let usage = command.render_usage().to_string();
        let man = clap_mangen::Man::new(command).title(name.to_uppercase()).source("pimem");
        let mut text = Vec::new();
        man.render(&mut text).context("man page")?;
        let text = String::from_utf8_lossy(&text);
        pages.push((format!("{name}.1"), edited(&text, &usage, is_root)));
    }
    Ok(pages)
}

/// Replaces the synopsis of a man page, which names every option without its value, by the usage,
/// and gives the examples their heading.
fn edited(page: &str, usage: &str, is_root: bool) -> String {
    let usage = usage.trim_start_matches("Usage: ").trim().replace('-', "\\-");
    let mut text = String::with_capacity(page.len());
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        match line {
            ".SH EXTRA" => text.push_str(".SH EXAMPLES"),
            "Example:" | "Examples:" => continue,
            // Formatters that know no \(aq put a plain apostrophe there, which begins a request.
            _ if line.starts_with("\\*(Aq") => text.extend(["\\&", line]),
            _ => text.push_str(line),
        }
        text.push('\n');
        if line == ".SH SYNOPSIS" {
            text.push_str(&usage);
            text.push('\n');
            lines.next();
        }
    }
    if !is_root {
        text.push_str(".SH SEE ALSO\n\\fBpimem\\fR(1) has the options that every command takes.\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_begin_with_a_dot_or_an_apostrophe_are_kept() {
        let texts = ["Keeps\n.pi/memory\n'and this'", ".70 is what counts", "'tis the last"];
        let arg = clap::Arg::new("x").long("x").help(texts[1]).long_help(texts[0]);
        let definition = clap::Command::new("pimem").about(texts[1]).after_help(texts[2]).arg(arg);
        let pages = pages(definition).unwrap();
        let lines: Vec<&str> = pages[0].1.lines().collect();
        for want in ["\\&.pi/memory", "\\&\\*(Aqand this\\*(Aq", "\\&\\*(Aqtis the last"] {
            assert!(lines.contains(&want), "{want} in {lines:#?}");
        }
        let lost =
            |line: &&&str| [".70", "'", "\\*(Aq"].iter().any(|start| line.starts_with(start));
        assert_eq!(lines.iter().find(lost), None);
    }
}
