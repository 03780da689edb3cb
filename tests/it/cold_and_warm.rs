//! Every reading command answers the same with a whole cache, with an older one, with one that lacks
//! vectors, and without any: over stores, settings and questions that are drawn at random.
//!
//! The one exception calls itself degraded: lines wait for their vectors. Then the same command
//! answers as the others do when it is run again.

use std::{fmt::Write as _, fs};

use serde_json::{Value, json};

use crate::{
    common::{
        history::Random,
        sandbox::{Outcome, Sandbox, copy_tree, finish},
        scale,
    },
    index::settle,
};

const CATEGORIES: [&str; 7] =
    ["lesson", "decision", "preference", "mistake", "pattern", "fact", "correction"];
const VERBS: [&str; 8] =
    ["Encrypt", "Retry", "Lint", "Archive", "Print", "Sign", "Throttle", "Mock"];
const THINGS: [&str; 12] = [
    "the webhook",
    "the invoices database",
    "the deploy gateway",
    "the parcel label",
    "the release printer",
    "the queue",
    "PostgreSQL",
    "`src/berth/lock.rs`",
    "the night shift",
    "the courier's token",
    "the port 5433 of db1",
    "the schema",
];
const WAYS: [&str; 8] = [
    "when the queue is full",
    "in integer cents",
    "on version 1.2.3",
    "under /srv/data/x.json",
    "at most 3 times",
    "with exponential backoff",
    "before the customs form",
    "#ops [[billing]]",
];
const QUERIES: [&str; 11] = [
    "escape the cache queue at most 3 times",
    "on which port does the database listen?",
    "which database do we use",
    "printer import in integer cents",
    "how are bills sealed for the couriers",
    "berth lock",
    "what happens at night",
    "retry webhooks",
    "throttle cents",
    "src/berth/lock.rs",
    "The night was long. On which port does db1 listen? How are bills sealed? Run the tests.",
];
/// What is run; QUERY stands for one of the queries.
const COMMANDS: [&[&str]; 27] = [
    &["search", "--no-touch", "--json", "--explain", "QUERY"],
    &["search", "--no-touch", "-n", "3", "QUERY"],
    &["search", "--no-touch", "--json", "--mode", "semantic", "--explain", "QUERY"],
    &["search", "--no-touch", "--json", "--mode", "keyword", "QUERY"],
    &["search", "--no-touch", "--json", "--rank", "seed", "QUERY"],
    &["search", "--no-touch", "--json", "--in", "topics", "-c", "decision", "QUERY"],
    &["search", "--no-touch", "--json", "--in", "notes", "--in", "daily", "--explain", "QUERY"],
    &["search", "--no-touch", "--json", "--in", "archive", "QUERY"],
    &["search", "--no-touch", "--json", "--in", "sessions", "--in", "observations", "QUERY"],
    &["search", "--no-touch", "--json", "--in", "scratchpad", "QUERY"],
    &["search", "--no-touch", "--json", "--since", "30d", "QUERY"],
    &["search", "--in", "sessions", "--json", "QUERY"],
    &["report", "--budget", "50", "--prompt", "QUERY"],
    &["report", "--json", "--explain", "--prompt", "QUERY"],
    &["report", "--layout", "working", "--prompt", "QUERY"],
    &["report", "--layout", "working", "--json"],
    &["list", "--json"],
    &["list", "--sort", "hot"],
    &["why", "--json", "1"],
    &["why", "--ahead", "--json"],
    &["why", "--all", "--json"],
    &["list", "--topics", "--json"],
    &["report", "--json", "--since", "60d"],
    &["why", "--ahead", "--policy", "ebbinghaus", "--json"],
    &["export", "jsonl"],
    &["export", "embeddings"],
    &["check", "--json"],
];
/// Hooks and tools of `mcp`, by what they are given.
const ASKED: [&str; 5] =
    ["prompt", "post-tool", "session-start", "memory_search", "memory_context"];

/// A store, how it is read, and what it was like before its last changes.
struct Drawn {
    sandbox: Sandbox,
    model: &'static str,
    policy: &'static str,
    now: &'static str,
}

/// The state of the cache.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cache {
    Whole,
    /// Of the store before its last changes.
    Older,
    /// Without vectors of the chosen model.
    WithoutVectors,
    Absent,
}

fn line(random: &mut Random) -> String {
    let mut part = |parts: &[&'static str]| *random.pick(parts).unwrap();
    let mut text = format!("{} {} {}", part(&VERBS), part(&THINGS), part(&WAYS));
    if random.below(4) == 0 {
        // Longer than what is compared word by word.
        let word = ["qwertz", "asdfgh", "mnbvcx"][random.below(3)];
        (0..44).for_each(|n| write!(text, " {word}{n}").unwrap());
    }
    if random.below(3) == 0 {
        write!(text, " *(asked: {}; {})*", random.pick(&QUERIES).unwrap(), random.below(9))
            .unwrap();
    }
    text
}

/// Returns some list items as a file of topics, with headings, and perhaps with another line end or
/// a mark of byte order.
fn topic(random: &mut Random) -> String {
    let mut text = if random.below(3) == 0 { "\u{feff}".to_owned() } else { String::new() };
    text += "# By hand\n\n";
    for _ in 0..=random.below(5) {
        if random.below(3) == 0 {
            writeln!(text, "## {}\n", random.pick(&THINGS).unwrap()).unwrap();
        }
        writeln!(text, "- [{}] {}", random.pick(&CATEGORIES).unwrap(), line(random)).unwrap();
    }
    if random.below(3) == 0 { text.replace('\n', "\r\n") } else { text }
}

impl Drawn {
    fn new(random: &mut Random) -> Self {
        let sandbox = Sandbox::new("empty");
        let drawn = Self {
            sandbox,
            model: ["minilm", "minilm", "minilm", "static"][random.below(4)],
            policy: ["stability", "stability", "weighted", "ebbinghaus"][random.below(4)],
            // The clock may go back.
            now: ["2026-07-01T09:00:00Z", "2026-06-20T18:00:00Z", "2026-12-01T00:00:00Z"]
                [random.below(3)],
        };
        drawn.run(&["init"]).done();
        for _ in 0..3 + random.below(10) {
            drawn.change(random);
        }
        if random.below(2) == 0 {
            drawn.sandbox.mirror();
        }
        drawn.settle();
        drawn.keep("cache", "cache.older");
        for _ in 0..=random.below(4) {
            drawn.change(random);
        }
        drawn.settle();
        drawn.keep("cache", "cache.whole");
        // Notes of the day, past sessions and the like have no command that says when.
        for dir in ["project", "home", "state", "share"] {
            drawn.keep(dir, &format!("kept/{dir}"));
        }
        fs::remove_dir_all(drawn.sandbox.cache()).unwrap();
        done_of(drawn.command(&["rebuild"], "static", "")).done();
        drawn.keep("cache", "cache.without");
        drawn
    }

    /// Indexes and rescores. What faded is archived by the first run, and seen by the second.
    fn settle(&self) {
        for _ in 0..2 {
            self.sandbox.trust();
            settle(&self.sandbox);
            self.run(&["rebuild"]).done();
        }
    }

    /// Changes the store in one of many ways.
    fn change(&self, random: &mut Random) {
        let known: Vec<String> = self.sandbox.entries().into_keys().collect();
        let some = random.pick(&known).cloned().unwrap_or_else(|| "none".to_owned());
        let category = random.pick(&CATEGORIES).unwrap();
        let text = line(random);
        let now = ["2026-05-01", "2026-06-01", "2026-06-29"][random.below(3)];
        let day = ["2026-05-02", "2026-06-29", "2026-06-30"][random.below(3)];
        let name = ["lessons", "by-hand", "billing"][random.below(3)];
        let append = |name: &str, text: &str| {
            let old = fs::read_to_string(self.sandbox.path(name)).unwrap_or_default();
            self.sandbox.write(name, old + text);
        };
        let run = |args: &[&str]| drop(self.run(&[args, &["--now", now]].concat()));
        match random.below(18) {
            0..=4 => run(&["add", "--force", "-c", category, &text]),
            5 => run(&["add", "--force", "--user", "-c", category, &text]),
            // The same line in both stores.
            6 => {
                run(&["add", "--force", "-c", category, &text]);
                run(&["add", "--force", "--user", "-c", category, &text]);
            }
            7 => self.sandbox.write(&format!("topics/{name}.md"), topic(random)),
            // The same line in two topics.
            8 => {
                append("topics/by-hand.md", &format!("- [{category}] {text}\n"));
                append("topics/billing.md", &format!("- [{category}] {text}\n"));
            }
            9 => run(&["forget", &some]),
            10 => run(&["edit", &some, &text]),
            11 => run(&["add", "--force", "-c", category, "--supersedes", &some, &text]),
            12 => run(&["reinforce", "--by", "9", &some]),
            13 => append(&format!("daily/{day}.md"), &format!("- 10:00 {text}\n")),
            14 => append("MEMORY.md", &format!("# Notes\n\n## {name}\n\n{text}\n")),
            15 => run(&["todo", "add", &text]),
            16 => {
                append(
                    "observations/3f1c9a70.md",
                    &format!("Date: {day}\n- [!] 14:30 {text}\n  - [i] 14:32 More of it\n"),
                );
                let past = json!({"version": 1, "sessions": [
                    {"id": "one", "ts": format!("{day}T10:00:00.000Z"), "summary": text},
                    {"id": "two", "date": day, "summary": "Read the harbor charts | print them"},
                ]});
                let data = self.sandbox.project().join(".pi/data");
                fs::create_dir_all(&data).unwrap();
                fs::write(data.join("session-search.json"), past.to_string()).unwrap();
            }
            _ => run(&["forget", "--archive", &some]),
        }
    }

    fn keep(&self, from: &str, to: &str) {
        let (from, to) = (self.sandbox.root().join(from), self.sandbox.root().join(to));
        drop(fs::remove_dir_all(&to));
        if from.is_dir() {
            copy_tree(&from, &to);
        }
    }

    /// Puts back everything as it was when the store was drawn.
    fn put_back(&self, cache: Cache) {
        for dir in ["project", "home", "state", "share"] {
            drop(fs::remove_dir_all(self.sandbox.root().join(dir)));
            self.keep(&format!("kept/{dir}"), dir);
        }
        self.set(cache);
    }

    fn set(&self, cache: Cache) {
        drop(fs::remove_dir_all(self.sandbox.cache()));
        match cache {
            Cache::Whole => self.keep("cache.whole", "cache"),
            Cache::Older => self.keep("cache.older", "cache"),
            Cache::WithoutVectors => self.keep("cache.without", "cache"),
            Cache::Absent => drop(fs::remove_file(self.sandbox.path("memory-scores.json"))),
        }
    }

    fn command(&self, args: &[&str], model: &str, now: &str) -> std::process::Command {
        let mut command = self.sandbox.command(args);
        command.env("PIMEM_EMBEDDING_MODEL", model).env("PIMEM_SCORING_POLICY", self.policy);
        command.env("PIMEM_DEBUG", "1");
        if !now.is_empty() {
            command.env("PIMEM_NOW", now);
        }
        command
    }

    fn run(&self, args: &[&str]) -> Outcome {
        done_of(self.command(args, self.model, ""))
    }

    /// Returns the answer to a question, which is a command, a hook, or a tool of `mcp`.
    fn answer(&self, question: &[String]) -> Outcome {
        let words: Vec<&str> = question.iter().map(String::as_str).collect();
        let (args, input) = match *words {
            ["memory_search" | "memory_context", query] => {
                let name = if words[0] == "memory_search" { "query" } else { "prompt" };
                let about = json!({
                    "protocolVersion": "2025-11-25", "capabilities": {},
                    "clientInfo": {"name": "Test Client", "version": "1"},
                });
                let call = json!({"name": words[0], "arguments": {name: query}});
                let say = |id: u32, method: &str, params: &Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
                let lines = [say(1, "initialize", &about), say(2, "tools/call", &call)];
                let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
                (vec!["mcp", "--read-only"], lines.concat())
            }
            ["prompt" | "post-tool" | "session-start", query] => {
                let call = json!({
                    "cwd": self.sandbox.project(), "prompt": query, "source": "startup",
                    "tool_name": "Edit", "tool_input": {"file_path": "src/berth/lock.rs"},
                });
                (vec!["hook", "claude", words[0]], call.to_string())
            }
            _ => (words, String::new()),
        };
        let mut command = assert_cmd::Command::from_std(self.command(&args, self.model, self.now));
        finish(command.write_stdin(input).output().unwrap())
    }
}

/// Returns what is asked of a drawn store.
fn questions(random: &mut Random, count: usize) -> Vec<Vec<String>> {
    let query = |random: &mut Random| (*random.pick(&QUERIES).unwrap()).to_owned();
    let mut all = Vec::new();
    for _ in 0..count {
        let args = *random.pick(&COMMANDS).unwrap();
        let place = |word: &&str| if *word == "QUERY" { query(random) } else { (*word).to_owned() };
        all.push(args.iter().map(place).collect());
    }
    // What counts as an access comes last.
    let asked = *random.pick(&ASKED).unwrap();
    all.push(vec![asked.to_owned(), query(random)]);
    all
}

/// Returns an answer without what `check` says of the machine, which is the state of the cache too.
fn without_facts(answer: &str) -> String {
    let Some((before, rest)) = answer.split_once("  \"facts\": [") else {
        return answer.to_owned();
    };
    let (_, after) = rest.split_once("\n  ]").expect("the list ends");
    [before, after].concat()
}

fn says_that_lines_wait(answer: &Outcome) -> bool {
    [&answer.stdout, &answer.stderr].iter().any(|text| {
        text.contains("wait for their vectors") || text.contains("1 line waits for its vector")
    })
}

/// Asks a drawn store in every state of the cache. Returns how many answers were degraded.
fn compare(seed: u64, count: usize) -> usize {
    let mut random = Random(seed);
    let drawn = Drawn::new(&mut random);
    let questions = questions(&mut random, count);
    let (policy, model, mut degraded) = (drawn.policy, drawn.model, 0);
    drawn.set(Cache::Whole);
    let want: Vec<Outcome> = questions.iter().map(|question| drawn.answer(question)).collect();
    for cache in [Cache::Whole, Cache::Older, Cache::WithoutVectors, Cache::Absent] {
        drawn.put_back(cache);
        for (question, want) in questions.iter().zip(&want) {
            drawn.set(cache);
            let mut got = drawn.answer(question);
            if says_that_lines_wait(&got) {
                assert_ne!(
                    cache,
                    Cache::Whole,
                    "{seed}: {question:?} waits though nothing is left"
                );
                degraded += 1;
                got = drawn.answer(question);
            }
            let told = format!("{seed}, {policy}, {model}: {question:?} with a cache {cache:?}");
            let [said, wanted] = [&got, want].map(|outcome| without_facts(&outcome.stdout));
            assert_eq!(said, wanted, "{told}\n{}", got.stderr);
            assert_eq!((got.code, says_that_lines_wait(&got)), (want.code, false), "{told}");
        }
    }
    degraded
}

#[test]
fn a_cache_changes_no_answer() {
    for seed in 0..2 * scale() as u64 {
        compare(seed, 6);
    }
}

fn done_of(command: std::process::Command) -> Outcome {
    finish(assert_cmd::Command::from_std(command).output().unwrap())
}
