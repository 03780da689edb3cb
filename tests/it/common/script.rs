//! Scripts: commands, with statements about the report after them.

use super::sandbox::Sandbox;

/// Runs commands, one per line. `DATE| ` before a command sets its clock, `+ ` and `- ` state what
/// the report then contains and does not contain, and `> ` what the last command printed.
pub(crate) fn play(script: &str) -> Sandbox {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    let mut now = "2026-06-30".to_owned();
    let mut printed = String::new();
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let report = || sandbox.run(&["report", "--now", &now]).ok();
        match line.split_at_checked(2) {
            Some(("+ ", text)) => assert!(report().contains(text), "{line} in {script}"),
            Some(("- ", text)) => assert!(!report().contains(text), "{line} in {script}"),
            Some(("> ", text)) => {
                assert!(printed.contains(text), "{line} in {script}\nprinted: {printed}");
            }
            _ => {
                let (date, command) = line.split_once("| ").unwrap_or(("", line));
                if !date.is_empty() {
                    date.clone_into(&mut now);
                }
                let done = sandbox.shell(&format!("export PIMEM_NOW={now}; {command}"));
                assert!(done.code < 2, "{line} in {script}: {}", done.stderr);
                printed = done.stdout;
            }
        }
    }
    sandbox
}
