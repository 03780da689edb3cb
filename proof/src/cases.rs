//! The commands that write, each with the store that it begins with.

use anyhow::{Result, bail};

use crate::world::{Files, Scene, World, words};

/// Lines of the store before each command.
pub const TEXTS: [&str; 3] = ["Locks survive a rollback", "Never deploy on a Friday", "Tides turn"];

/// Commands that make that store.
const STORE: [&str; 10] = [
    "add Locks_survive_a_rollback",
    "add Never_deploy_on_a_Friday",
    "add -c preference Tides_turn",
    "add Forgotten_words",
    "forget Forgotten",
    "add --asked which_port Nothing_of_theirs",
    "todo add Buy_milk",
    "note A_note",
    "log A_line",
    "rebuild",
];

/// A command that writes: what is done before, and the command. `_` stands for a space in a word.
pub struct Case {
    pub before: &'static [&'static str],
    pub line: &'static str,
    pub input: &'static str,
    /// True if files change together, by a journal that the next command ends.
    pub journal: bool,
    /// What the command takes out of the report.
    pub drops: &'static str,
}

const CASE: Case = Case { before: &[], line: "", input: "", journal: false, drops: "-" };

/// What a session's hooks are told.
const PROMPT: &str =
    r#"{"session_id":"s1","cwd":".","prompt":"From now on always run make check before a commit"}"#;

pub const CASES: &[Case] = &[
    Case { line: "add One_more", ..CASE },
    Case { line: "add --pin One_that_stays", ..CASE },
    Case { line: "add -c pattern A_file_of_its_own", ..CASE },
    Case { line: "add Tides_turn -c preference", ..CASE },
    Case {
        line: "add --supersedes rollback Locks_are_released_by_a_rollback",
        drops: "rollback",
        ..CASE
    },
    Case { line: "reinforce Friday", ..CASE },
    Case { line: "pin rollback", ..CASE },
    Case { before: &["pin rollback"], line: "unpin rollback", ..CASE },
    Case { line: "edit rollback Locks_do_survive_it", drops: "rollback", ..CASE },
    Case { line: "edit rollback --asked what_is_left_after_an_abort", ..CASE },
    Case { line: "forget rollback", drops: "rollback", ..CASE },
    Case { line: "forget --archive rollback", drops: "rollback", journal: true, ..CASE },
    Case { line: "forget --destroy --yes rollback", drops: "rollback", journal: true, ..CASE },
    Case { line: "restore Forgotten", ..CASE },
    Case { before: &["forget Tides"], line: "undo", drops: "Tides", ..CASE },
    Case { line: "rebuild", ..CASE },
    Case { line: "todo add Another", ..CASE },
    Case { line: "todo done milk", ..CASE },
    Case { line: "todo clear", ..CASE },
    Case { line: "note Another_note", ..CASE },
    Case { line: "log Another_line", ..CASE },
    Case { line: "handoff", ..CASE },
    Case { line: "dream --force", journal: true, ..CASE },
    Case {
        line: "import jsonl -",
        input: "{\"category\":\"lesson\",\"text\":\"Brought along\"}\n",
        ..CASE
    },
    Case { line: "trust --all", ..CASE },
    Case { line: "config set report.budget 900", ..CASE },
    Case { line: "hooks install claude --user", ..CASE },
    Case { line: "add --user For_everyone", ..CASE },
    Case { line: "note --section Kills Another", ..CASE },
    Case { line: "hook codex prompt", input: PROMPT, ..CASE },
    Case { line: "hook gemini session-start", input: PROMPT, ..CASE },
    Case { line: "hook claude stop", input: PROMPT, ..CASE },
    Case { line: "hook claude session-start", input: PROMPT, ..CASE },
    Case { line: "hook claude prompt", input: PROMPT, ..CASE },
    Case { line: "hook claude session-end", input: PROMPT, ..CASE },
];

/// Uses each place of this machine once.
const USED_AGAIN: [&str; 6] = [
    "add --user For_all_projects",
    "forget --archive After_all",
    "edit Never Never_deploy_on_a_Friday_or_later",
    "dream --force",
    "hook claude session-start",
    "hook claude prompt",
];

impl Case {
    pub fn args(&self) -> Vec<String> {
        words(self.line)
    }

    pub fn is_hook(&self) -> bool {
        self.line.starts_with("hook ")
    }

    /// Makes a world with the store.
    pub fn world(&self, scene: &Scene) -> Result<World> {
        let world = scene.world()?;
        for line in STORE.iter().chain(self.before) {
            world.must(line)?;
        }
        Ok(world)
    }
}

/// Returns what is wrong with the store for the next command, which finds what was there before.
pub fn goes_on(world: &World, case: &Case) -> Result<Option<String>> {
    let next = world.run(&["add", "-c", "decision", "After all that"])?;
    if next.code != 0 {
        return Ok(Some(format!("the next add fails: {}", next.err)));
    }
    let list = world.run(&["list"])?;
    let is_there = |text: &&str| list.out.contains(*text) || text.contains(case.drops);
    if let Some(gone) = TEXTS.iter().find(|text| !is_there(text)) {
        return Ok(Some(format!("{gone:?} is gone: {} {}", list.out, list.err)));
    }
    if !list.out.contains("After all that") {
        return Ok(Some(format!("the next add is not listed: {} {}", list.out, list.err)));
    }
    let litter = |name: &String| name.contains(".pimem-tmp-") && !name.starts_with("cache/");
    // What a command left elsewhere on this machine goes when that is used again, if it is old.
    for name in world.files()?.into_keys().filter(litter) {
        world.age(&name)?;
    }
    for line in USED_AGAIN.iter().chain([&case.line]) {
        let input = if line.starts_with("hook ") { PROMPT } else { case.input };
        drop(world.feed_line(line, input)?);
    }
    Ok(world.files()?.into_keys().find(litter).map(|name| format!("{name} is left")))
}

/// Runs a case undisturbed. Returns the files before and after.
pub fn undisturbed(world: &World, case: &Case) -> Result<(Files, Files)> {
    let before = world.files()?;
    let args = case.args();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = world.feed(&args, case.input.as_bytes())?;
    if done.code != 0 {
        bail!("{}: {done:?}", case.line);
    }
    Ok((before, world.files()?))
}
