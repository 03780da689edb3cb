//! The terminal: all output goes through this module, which makes it safe to print, and on a terminal
//! breaks lines at words and colours them.

#![expect(clippy::disallowed_methods, reason = "the one place that times progress")]

mod styled;
pub(crate) mod table;

use std::{
    cell::RefCell,
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

pub(crate) use self::{
    styled::{Style, Styled},
    table::Column,
};
use pimem_core::safety::safe_text::{self, SafeText};
use pimem_engine::{
    config::env::Env,
    error::Failure,
    memory::Notices,
    view::{self, Document, ErrorView, Tagged},
};

/// Indent of what goes on in the next line.
const INDENT: usize = 4;

/// Shorter work shows no progress bar.
const PROGRESS_AFTER: Duration = Duration::from_millis(300);

/// Width of a file, a pipe, or a terminal that does not tell its own.
const WIDTH: usize = 100;
/// No line is broken into shorter ones than this.
const NARROWEST: usize = 20;
/// Columns before the values of fields.
const LABEL: usize = 17;
/// Below this width the later lines of a value are indented less.
const NARROW: usize = 60;

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
    /// True if results are coloured.
    color: bool,
    /// True if messages are coloured.
    message_color: bool,
    terminal: bool,
    message_terminal: bool,
    width: usize,
    out: RefCell<String>,
}

/// A document that can be printed for people.
pub(crate) trait Human: Document {
    fn human(&self, ui: &Ui);

    /// Returns a line for a person who sees nothing: that the listing is empty, and how to begin.
    fn when_empty(&self) -> Option<&'static str> {
        None
    }
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
        let message_terminal = io::stderr().is_terminal();
        let forced = env.text("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let plain = env.get("NO_COLOR").is_some() || env.text("TERM") == Some("dumb");
        let wanted = |terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => forced || (terminal && !plain),
        };
        let columns = env.text("COLUMNS").and_then(|columns| columns.parse().ok());
        let columns = columns.filter(|columns| *columns > 0);
        let detected = || if terminal || message_terminal { terminal_width() } else { WIDTH };
        Self {
            json,
            quiet,
            verbose,
            color: wanted(terminal),
            message_color: wanted(message_terminal),
            terminal,
            message_terminal,
            width: columns.unwrap_or_else(detected).max(NARROWEST),
            out: RefCell::default(),
        }
    }

    pub(crate) fn is_colored(&self) -> bool {
        self.color
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Returns true if `-v` was given.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose
    }

    pub(crate) fn failure(&self, failure: &Failure) {
        if self.json {
            let (message, hints) = (failure.message.clone(), failure.hints.clone());
            let view = ErrorView { kind: failure.kind.name(), message, hints };
            let text = serde_json::to_string(&Tagged::new(&view)).unwrap_or_default();
            return stderr(&safe_text::json(&text));
        }
        self.error(&failure.message);
        for hint in &failure.hints {
            self.hint(hint);
        }
    }

    /// Prints one line of a result. On a terminal it is broken at words, and what goes on below is
    /// indented.
    pub(crate) fn line(&self, line: &str) {
        self.hanging(line, line.len() - line.trim_start_matches(' ').len() + INDENT);
    }

    /// Prints one line of a result. On a terminal it is broken at words, with `indent` spaces before
    /// each line but the first.
    pub(crate) fn hanging(&self, line: &str, indent: usize) {
        if self.terminal {
            return self.styled(&Styled::from(line), indent);
        }
        let mut out = self.out.borrow_mut();
        out.push_str(&safe_text::terminal(line));
        out.push('\n');
    }

    /// Prints one line of a result as [`Ui::hanging`] does, with its styles.
    pub(crate) fn styled(&self, line: &Styled, indent: usize) {
        let mut out = self.out.borrow_mut();
        if self.terminal {
            let lines = line.hanging(self.width, indent, self.color);
            for line in &lines {
                out.extend([line, "\n"]);
            }
        } else {
            out.extend([&*line.whole(self.color), "\n"]);
        }
    }

    /// Prints one line as it is, such as a command to be copied.
    pub(crate) fn verbatim(&self, line: &str) {
        let mut out = self.out.borrow_mut();
        out.push_str(&safe_text::terminal(line));
        out.push('\n');
    }

    /// Prints a line for a person beside a result: on a terminal, unless `-q` was given.
    pub(crate) fn aside(&self, line: &str) {
        if self.terminal && !self.quiet {
            self.line(line);
        }
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
        if self.json {
            return self.document(&Tagged::new(view));
        }
        view.human(self);
        if let Some(line) = self.terminal.then(|| view.when_empty()).flatten() {
            self.aside(line);
        }
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
            self.field(LABEL, name, value);
        }
    }

    /// Prints a name and a value that begins `label` columns further right, and after a space at
    /// least.
    pub(crate) fn field(&self, label: usize, name: &str, value: &str) {
        let name = format!("{name:<width$} ", width = label.saturating_sub(1));
        let indent = if self.width < NARROW { INDENT } else { label };
        self.styled(&Styled::new(Style::Label, &name).with(None, value), indent);
    }

    /// Returns a state for a cell of a table: one word on a terminal, with its annotation in a pipe.
    pub(crate) fn state(&self, described: &str) -> Styled {
        let word = view::state_word(described);
        Styled::new(Style::of_state(word), if self.terminal { word } else { described })
    }

    /// Prints a name and a value as [`Ui::field`] does, broken at `width` columns in a pipe too.
    pub(crate) fn screen_field(&self, width: usize, name: &str, value: &str) {
        let width = width.min(self.width);
        let indent = if width < NARROW { INDENT } else { LABEL };
        let name = format!("{name:<pad$} ", pad = LABEL - 1);
        let line = Styled::new(Style::Label, &name).with(None, value);
        let mut out = self.out.borrow_mut();
        let lines = line.hanging(width, indent, self.color);
        out.extend(lines.iter().flat_map(|line| [line, "\n"]));
    }

    /// Prints a table on a terminal, and tab-separated rows to a pipe or if there are very many.
    /// Prints nothing if there are no rows.
    pub(crate) fn table<'a, C, T>(&self, header: &[C], rows: Vec<Vec<T>>)
    where
        C: Copy + Into<Column<'a>>,
        T: Into<Styled>,
    {
        if rows.is_empty() {
            return;
        }
        let cells = |row: Vec<T>| row.into_iter().map(Into::into);
        if self.terminal && rows.len() <= table::DRAWN {
            let header: Vec<Column<'_>> = header.iter().copied().map(Into::into).collect();
            let rows: Vec<Vec<Styled>> = rows.into_iter().map(|row| cells(row).collect()).collect();
            let table = table::drawn(&header, &rows, self.width, self.color);
            self.out.borrow_mut().push_str(&table);
            return;
        }
        let mut out = self.out.borrow_mut();
        for row in rows {
            for (number, cell) in cells(row).enumerate() {
                out.push_str(if number == 0 { "" } else { "\t" });
                if self.color {
                    out.push_str(&cell.whole(true));
                } else {
                    out.push_str(cell.as_str());
                }
            }
            out.push('\n');
        }
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
            self.message(&Styled::from(line));
        }
    }

    /// Prints requested information that is not the result to stderr.
    pub(crate) fn explain(&self, line: &str) {
        self.message(&Styled::from(line));
    }

    /// Returns the width of the terminal in columns.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Prints a message to stderr if `-v` was given.
    pub(crate) fn detail(&self, line: &str) {
        if self.verbose {
            self.message(&Styled::from(line));
        }
    }

    pub(crate) fn error(&self, message: &str) {
        self.message(&Styled::new(Style::Bad, "pimem:").with(None, " ").with(None, message));
    }

    pub(crate) fn hint(&self, hint: &str) {
        self.message(&Styled::new(Style::New, "hint:").with(None, " ").with(None, hint));
    }

    pub(crate) fn has_colored_messages(&self) -> bool {
        self.message_color
    }

    /// Prints a text of the program to stderr as it is.
    #[expect(clippy::unused_self, reason = "one way in to the terminal")]
    pub(crate) fn message_text(&self, text: &str) {
        stderr(text.trim_end());
    }

    /// Prints a line to stderr, on a terminal broken at words.
    fn message(&self, line: &Styled) {
        if self.message_terminal {
            let lines = line.hanging(self.width, INDENT, self.message_color);
            stderr(&lines.join("\n"));
        } else {
            stderr(&line.whole(self.message_color));
        }
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

    /// Writes the collected output.
    pub(crate) fn flush(&self) -> io::Result<()> {
        print(&self.out.take())
    }
}

/// Writes to stdout. A closed pipe is not an error: the reader has seen enough.
pub(crate) fn print(text: &str) -> io::Result<()> {
    // `ERROR_PIPE_NOT_CONNECTED` of Windows, which has no kind.
    let is_closed = |error: &io::Error| {
        error.kind() == io::ErrorKind::BrokenPipe
            || cfg!(windows) && error.raw_os_error() == Some(233)
    };
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.or_else(|error| if is_closed(&error) { Ok(()) } else { Err(error) })
}

/// Starts a stopwatch and returns a function that reads it.
pub(crate) fn stopwatch() -> impl Fn() -> Duration {
    let start = Instant::now();
    move || start.elapsed()
}

/// Writes the answer of a hook to stdout. Errors are ignored: the agent may have gone.
pub(crate) fn reply(text: &str) {
    drop(print(text));
}

/// Prints a debug line of a hook to stderr.
pub(crate) fn debug(line: &str) {
    stderr(&format!("pimem: {}", safe_text::terminal(line)));
}

fn stderr(line: &str) {
    // If stderr is closed, the error cannot be reported.
    drop(writeln!(io::stderr().lock(), "{line}"));
}

/// Returns the width of the terminal that stdout is, for text that is printed without a [`Ui`].
pub(crate) fn stdout_width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width.0).max(NARROWEST))
}

fn terminal_width() -> usize {
    terminal_size::terminal_size().map_or(WIDTH, |(width, _)| width.0.into())
}
