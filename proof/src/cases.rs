//! The commands that write, each with the store that it begins with.

use anyhow::{Result, bail};

use crate::{
    calls::Point,
    strace,
    truth::{Truth, truth},
    world::{Done, Files, Scene, World, words},
};

/// Lines of the store before each command.
const TEXTS: [&str; 3] = ["Locks survive a rollback", "Never deploy on a Friday", "Tides turn"];

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
    /// True if files change together, by a journal: the next command ends what it holds.
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
    Case { line: "forget --archive rollback", drops: "rollback", ..CASE },
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
    // It merges the two.
    Case {
        before: &[
            "add -c pattern Retry_failed_uploads_three_times",
            "add -c pattern --force Retry_failed_uploads_3_times",
        ],
        line: "dream --force",
        journal: true,
        ..CASE
    },
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
    pub fn is_hook(&self) -> bool {
        self.line.starts_with("hook ")
    }

    pub fn args(&self) -> Vec<String> {
        words(self.line)
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

/// A case in a world of its own, which holds the files before it, and what comes of it undisturbed.
pub struct Trial<'a> {
    pub case: &'a Case,
    pub world: World,
    pub before: Files,
    pub old: Truth,
    pub new: Truth,
}

impl<'a> Trial<'a> {
    pub fn new(scene: &Scene, case: &'a Case) -> Result<Self> {
        let world = case.world(scene)?;
        let before = world.files()?;
        let done = world.feed(&case.args(), case.input.as_bytes())?;
        if done.code != 0 {
            bail!("{}: {done:?}", case.line);
        }
        let (old, new) = (truth(&before), truth(&world.files()?));
        world.lay(&before)?;
        Ok(Self { case, world, before, old, new })
    }

    /// Runs the case with something that happens at a point: `signal=SIGKILL`, `error=EIO`.
    pub fn strike(&self, point: &Point, what: &str) -> Result<Done> {
        self.world.lay(&self.before)?;
        strace::strike(&self.world, point, what, &self.case.args(), self.case.input.as_bytes())
    }

    /// Returns what is wrong with the store for the next command, which finds what was there before.
    pub fn goes_on(&self) -> Result<Option<String>> {
        let next = self.world.run(&["add", "-c", "decision", "After all that"])?;
        if next.code != 0 {
            return Ok(Some(format!("the next add fails: {}", next.err)));
        }
        if let Some(half) = self.half()? {
            return Ok(Some(format!("{half} is neither all old nor all new")));
        }
        let list = self.world.run(&["list"])?;
        let drops = self.case.drops;
        let is_there = |text: &&str| list.out.contains(*text) || text.contains(drops);
        if let Some(gone) = TEXTS.iter().find(|text| !is_there(text)) {
            return Ok(Some(format!("{gone:?} is gone: {} {}", list.out, list.err)));
        }
        if !list.out.contains("After all that") {
            return Ok(Some(format!("the next add is not listed: {} {}", list.out, list.err)));
        }
        self.is_left()
    }

    /// Returns a file of those that change together that is not as the others are: the next command has
    /// ended what the journal holds.
    fn half(&self) -> Result<Option<String>> {
        if !self.case.journal {
            return Ok(None);
        }
        let together = |truth: &Truth| -> Truth {
            let is_one = |name: &str| name.contains("/topics/") || name.contains("/archive/");
            let files =
                truth.iter().filter(|(name, _)| is_one(name) && !name.contains("decisions"));
            files.map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
        };
        let now = together(&truth(&self.world.files()?));
        let (old, new) = (together(&self.old), together(&self.new));
        let differs = || now.keys().chain(new.keys()).find(|name| now.get(*name) != new.get(*name));
        Ok(if now == old || now == new { None } else { differs().cloned() })
    }

    /// Returns a temporary file that stays. What a command left elsewhere on this machine goes when that
    /// is used again, if it is old.
    fn is_left(&self) -> Result<Option<String>> {
        let litter = |name: &String| name.contains(".pimem-tmp-") && !name.starts_with("cache/");
        let left: Vec<String> = self.world.files()?.into_keys().filter(litter).collect();
        if left.is_empty() {
            return Ok(None);
        }
        for name in left {
            self.world.age(&name)?;
        }
        for line in USED_AGAIN.iter().chain([&self.case.line]) {
            let input = if line.starts_with("hook ") { PROMPT } else { self.case.input };
            drop(self.world.feed_line(line, input)?);
        }
        Ok(self.world.files()?.into_keys().find(litter).map(|name| format!("{name} is left")))
    }
}
