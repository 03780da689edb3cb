//! The terminal: all output goes through this module, which makes it safe to print.
#![expect(clippy::disallowed_methods, reason = "the one place that times progress")]

use std::{
    cell::RefCell,
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use clap::ValueEnum;
use comfy_table::{ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use pimem_core::{
    safety::safe_text::{self, SafeText},
    view::{Document, Tagged, error::Error},
};
use pimem_engine::{config::env::Env, error::Failure, memory::Notices};

/// Shorter work shows no progress bar.
const PROGRESS_AFTER: Duration = Duration::from_millis(300);

/// A line below the header and no other borders, so that many rows fit on a screen.
const UNDERLINED: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));

/// Columns up to this width, such as numbers, are not wrapped.
const WHOLE: u16 = 12;

/// Minimum width left for each other column; below it, narrow columns are wrapped too.
const ROOM: usize = 16;

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[expect(clippy::struct_excessive_bools, reason = "independent switches of the command line")]
pub(crate) struct Ui {
    /// True if results are printed as JSON.
    pub(crate) json: bool,
    quiet: bool,
    verbose: bool,
    color: bool,
    terminal: bool,
    width: u16,
    out: RefCell<String>,
}

/// A document that can be printed for people.
pub(crate) trait Human: Document {
    /// Prints the document as text.
    fn human(&self, ui: &Ui);
}

impl Notices for Ui {
    fn note(&self, line: &str) {
        Self::note(self, line);
    }

    fn detail(&self, line: &str) {
        Self::detail(self, line);
    }

    fn progress(&self, what: &'static str) -> Box<dyn FnMut(usize, usize)> {
        Box::new(Self::progress(self, what))
    }

    fn transfer(&self, what: &'static str) -> Box<dyn FnMut(usize, usize)> {
        Box::new(Self::transfer(self, what))
    }

    fn for_programs(&self) -> bool {
        self.json
    }
}

impl Ui {
    /// Detects the properties of the output.
    pub(crate) fn new(env: &Env, json: bool, quiet: bool, verbose: bool, color: Color) -> Self {
        let terminal = io::stdout().is_terminal();
        let forced = env.text("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let plain = env.get("NO_COLOR").is_some() || env.text("TERM") == Some("dumb");
        let color = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => forced || (io::stderr().is_terminal() && !plain),
        };
        let columns = env.text("COLUMNS").and_then(|columns| columns.parse().ok());
        let width = columns.unwrap_or_else(|| if terminal { terminal_width() } else { 100 });
        Self { json, quiet, verbose, color, terminal, width, out: RefCell::default() }
    }

    /// Returns true if the output is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Returns true if `-v` was given.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Prints a failure to stderr.
    pub(crate) fn failure(&self, failure: &Failure) {
        if self.json {
            let (message, hints) = (failure.message.clone(), failure.hints.clone());
            error_document(&Error { kind: failure.kind.name(), message, hints });
            return;
        }
        self.error(&failure.message);
        for hint in &failure.hints {
            self.hint(hint);
        }
    }

    /// Prints one line of a result.
    pub(crate) fn line(&self, line: &str) {
        let mut out = self.out.borrow_mut();
        out.push_str(&safe_text::terminal(line));
        out.push('\n');
    }

    /// Prints text that was made for a prompt.
    pub(crate) fn text(&self, text: &SafeText) {
        self.out.borrow_mut().push_str(text);
    }

    /// Prints a file or another text of several lines, in which tabs are kept.
    pub(crate) fn lines(&self, text: &str) {
        self.out.borrow_mut().push_str(&safe_text::lines(text));
    }

    /// Prints a result: as JSON for programs, as text for people.
    pub(crate) fn show(&self, view: &impl Human) {
        if self.json { self.document(&Tagged::new(view)) } else { view.human(self) }
    }

    /// Prints a result as JSON with a final line break.
    pub(crate) fn document(&self, document: &impl Serialize) {
        let text = serde_json::to_string_pretty(document).unwrap_or_default();
        let mut out = self.out.borrow_mut();
        out.push_str(&safe_text::json(&text));
        out.push('\n');
    }

    /// Prints names and values, one pair per line, with aligned values.
    pub(crate) fn fields(&self, fields: &[(&str, String)]) {
        for (name, value) in fields {
            self.line(&format!("{name:<16} {value}"));
        }
    }

    /// Prints a table on a terminal, and tab-separated rows to a pipe. Prints nothing if there are
    /// no rows.
    pub(crate) fn table(&self, header: &[&str], rows: Vec<Vec<String>>) {
        if rows.is_empty() {
            return;
        }
        if !self.terminal {
            for row in rows {
                let cells: Vec<_> = row.iter().map(|cell| safe_text::terminal(cell)).collect();
                let mut out = self.out.borrow_mut();
                out.push_str(&cells.join("\t"));
                out.push('\n');
            }
            return;
        }
        let rows = rows
            .iter()
            .map(|row| row.iter().map(|cell| safe_text::terminal(cell).into_owned()).collect())
            .collect();
        self.lines(&format!("{}\n", drawn(header, rows, self.width)));
    }

    /// Writes a line for a waiting program: unbuffered and unescaped.
    #[expect(clippy::unused_self, reason = "one way in to the terminal")]
    pub(crate) fn answer(&self, line: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        writeln!(stdout, "{line}")?;
        stdout.flush()
    }

    /// Prints a message to stderr, unless `-q` was given.
    pub(crate) fn note(&self, line: &str) {
        if !self.quiet {
            stderr(&safe_text::terminal(line));
        }
    }

    /// Prints requested information that is not the result to stderr.
    #[expect(clippy::unused_self, reason = "one way in to the terminal")]
    pub(crate) fn explain(&self, line: &str) {
        stderr(&safe_text::terminal(line));
    }

    /// Returns the width of the terminal in columns.
    pub(crate) fn width(&self) -> usize {
        usize::from(self.width)
    }

    /// Prints a message to stderr if `-v` was given.
    pub(crate) fn detail(&self, line: &str) {
        if self.verbose {
            stderr(&safe_text::terminal(line));
        }
    }

    /// Prints an error to stderr.
    pub(crate) fn error(&self, message: &str) {
        stderr(&format!("{} {}", self.paint("31", "pimem:"), safe_text::terminal(message)));
    }

    /// Prints a hint below an error.
    pub(crate) fn hint(&self, hint: &str) {
        stderr(&format!("{} {}", self.paint("36", "hint:"), safe_text::terminal(hint)));
    }

    /// Returns a progress bar that appears only if the work takes long and the output is a
    /// terminal.
    pub(crate) fn progress(&self, what: &'static str) -> impl FnMut(usize, usize) + use<> {
        self.bar(what, "{msg} {wide_bar} {pos}/{len}")
    }

    /// Returns a progress bar for bytes.
    pub(crate) fn transfer(&self, what: &'static str) -> impl FnMut(usize, usize) + use<> {
        self.bar(what, "{msg} {wide_bar} {bytes}/{total_bytes}")
    }

    fn bar(&self, what: &'static str, form: &'static str) -> impl FnMut(usize, usize) + use<> {
        let shown = !self.quiet && io::stderr().is_terminal();
        let start = Instant::now();
        let mut bar: Option<ProgressBar> = None;
        move |done, all| {
            if !shown || (bar.is_none() && start.elapsed() < PROGRESS_AFTER) {
                return;
            }
            let bar = bar.get_or_insert_with(|| {
                let target = ProgressDrawTarget::stderr();
                let bar = ProgressBar::with_draw_target(Some(all as u64), target);
                let style = ProgressStyle::with_template(form);
                bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                bar.with_message(what)
            });
            // Several files may follow one another on one bar.
            bar.set_length(all as u64);
            bar.set_position(done as u64);
            if done >= all {
                bar.finish_and_clear();
            }
        }
    }

    /// Runs `work` and returns its result with the duration.
    #[expect(clippy::unused_self, reason = "one way in to the clock")]
    pub(crate) fn timed<T>(&self, work: impl FnOnce() -> T) -> (T, Duration) {
        let start = Instant::now();
        let done = work();
        (done, start.elapsed())
    }

    /// Writes the collected output. A closed pipe is not an error: the reader has seen enough.
    pub(crate) fn flush(&self) -> io::Result<()> {
        let out = self.out.take();
        let mut stdout = io::stdout().lock();
        match stdout.write_all(out.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => done,
        }
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.color { format!("\u{1b}[1;{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Lays out a table that fits `width` if its wide columns can be wrapped.
fn drawn(header: &[&str], rows: Vec<Vec<String>>, width: u16) -> Table {
    let mut table = Table::new();
    table
        .load_style(UNDERLINED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width)
        .set_header(header.iter().copied())
        .add_rows(rows);
    let widths = table.column_max_content_widths();
    let whole: usize =
        widths.iter().filter(|width| **width <= WHOLE).map(|width| usize::from(*width) + 2).sum();
    let broken = widths.iter().filter(|width| **width > WHOLE).count();
    if broken > 0 && whole + broken * ROOM > width.into() {
        return table;
    }
    for (column, width) in table.column_iter_mut().zip(widths) {
        if width <= WHOLE {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table
}

/// Starts a stopwatch and returns a function that reads it.
pub(crate) fn stopwatch() -> impl Fn() -> Duration {
    let start = Instant::now();
    move || start.elapsed()
}

/// Prints a document to stderr.
fn error_document(document: &impl Document) {
    let text = serde_json::to_string(&Tagged::new(document)).unwrap_or_default();
    stderr(&safe_text::json(&text));
}

/// Writes the answer of a hook to stdout. Errors are ignored: the agent may have gone.
pub(crate) fn reply(text: &str) {
    let mut stdout = io::stdout().lock();
    drop(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()));
}

/// Prints a debug line of a hook to stderr.
pub(crate) fn debug(line: &str) {
    stderr(&format!("pimem: {}", safe_text::terminal(line)));
}

fn stderr(line: &str) {
    // If stderr is closed, the error cannot be reported.
    drop(writeln!(io::stderr().lock(), "{line}"));
}

fn terminal_width() -> u16 {
    terminal_size::terminal_size().map_or(100, |(width, _)| width.0.max(40))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_not_broken() {
        let header =
            ["set", "mode", "asked", "R@5", "R@10", "MRR", "nDCG@10", "abstained", "tokens", "ms"];
        let row = "harbor semantic 1299 0.602 0.655 0.786 0.672 0.735 47.7 0.05";
        let row: Vec<_> = row.split(' ').map(str::to_owned).collect();
        let table = drawn(&header, vec![row], 80).to_string();
        assert_eq!(table.lines().count(), 3, "{table}");
        assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    }

    #[test]
    fn texts_are_broken() {
        let row = vec!["0.585".to_owned(), "topics/decisions.md:4".to_owned(), "berth ".repeat(20)];
        let table = drawn(&["score", "where", "text"], vec![row], 60).to_string();
        assert!(table.lines().all(|line| line.chars().count() <= 60), "{table}");
        assert!(table.contains("0.585  topics/decisions.md:4  berth"), "{table}");
    }

    #[test]
    fn texts_have_room_on_a_narrow_terminal() {
        let row =
            ["bb02d6c", "preference", "active (pinned)", "9999", "26m", "Never run migrations"];
        let row = row.map(str::to_owned).to_vec();
        let table = drawn(&["id", "category", "state", "score", "age", "text"], vec![row], 40);
        assert!(table.lines().all(|line| line.chars().count() <= 40), "{table}");
        assert!(table.to_string().contains("Nev"), "{table}");
    }
}
