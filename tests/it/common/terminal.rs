//! Commands on a terminal.

use super::{
    sandbox::{Outcome, Sandbox},
    without,
};

/// Returns true if a test must be skipped because no terminal can be made.
pub(crate) fn without_terminal(sandbox: &Sandbox) -> bool {
    let made = sandbox.shell("script -qec true /dev/null").code == 0;
    without("script, which makes a terminal", made)
}

/// Runs a shell command on a terminal of `columns` columns. Lines end as in a file, and what goes to
/// stderr is in `stdout` too.
pub(crate) fn on_terminal(sandbox: &Sandbox, columns: u16, command: &str) -> Outcome {
    let quoted = command.replace('\'', "'\\''");
    let line = format!(
        "env -u COLUMNS TERM=xterm-256color script -qec 'stty cols {columns} rows 40; {quoted}' \
         /dev/null < /dev/null"
    );
    let mut done = sandbox.shell(&line);
    done.stdout = done.stdout.replace('\r', "");
    done
}
