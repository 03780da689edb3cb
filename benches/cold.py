#!/usr/bin/env python3
"""Cold-process benchmark: what a hook or a shell pays for one pimem command.

    python3 benches/cold.py [--pimem target/dist/pimem] [--sizes 600,10000] [--runs 41] [--json]

Whole processes, page cache warm. Every round runs every command once in a shuffled order, so that
noise of the machine affects pimem and the reference programs equally: the ratios are more reliable
than the milliseconds. Everything happens in a temporary directory with its own HOME and XDG
directories (TMPDIR chooses the disk; on tmpfs the fsyncs of `add` cost nothing).
Python 3.9+, standard library only; rustc for the floors.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import itertools
import json
import math
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

NOW = datetime.datetime(2026, 6, 30, 18, tzinfo=datetime.timezone.utc)
WARM_UPS = 3
REBUILDS = 5
ADDS_PER_STORE = 20  # then the copy is restored, so that lessons.md stays below its limit

# Goals by number of lines. The goal of `rebuild` is meant for 100,000 lines; with fewer, the start
# of the process and the fsyncs of one commit dominate, so 600 lines are not judged.
SEARCH_MS = {600: 2.0, 10_000: 2.5, 100_000: 4.0, 1_000_000: 12.0}
REPORT_MS = {600: 2.0}
HYBRID_OVER_KEYWORD_MS = {600: 1.5, 10_000: 2.0, 100_000: 6.0, 1_000_000: 25.0}
RSS_MB = {600: 12.0, 100_000: 64.0}
REBUILD_FROM = 10_000
REBUILD_LINES_PER_S = {"none": 100_000, "static": 50_000}
VERSION_RATIO = 1.5
ADD_OVER_FLOOR_MS = 1.5
INDEX_RATIO = 1.7
VECTOR_BYTES = 450

CATEGORIES = {  # category: (topic file, share of the entries)
    "lesson": ("lessons", 30), "decision": ("decisions", 20), "preference": ("preferences", 15),
    "pattern": ("patterns", 15), "done": ("completions", 10), "mistake": ("mistakes", 10),
}
TOPIC_CHARS = 11_900
FIRST_LESSONS_CHARS = 1_900  # `add` writes to lessons.md and must find room

EMPTY_RS = "fn main(){}\n"

# The minimum of the durable write protocol: append + fdatasync, to the trust ledger and to the log,
# then write a temporary file + fsync + rename + fsync of the directory.
ADD_FLOOR_RS = r"""
use std::{fs::{self, File, OpenOptions}, io::Write};
fn main() -> std::io::Result<()> {
    let dir = std::path::PathBuf::from(std::env::args_os().nth(1).unwrap());
    for (name, length) in [("ledger", 32), ("log", 149)] {
        let mut log = OpenOptions::new().append(true).create(true).open(dir.join(name))?;
        log.write_all(&[[b'x'; 149].get(..length).unwrap(), b"\n"].concat())?;
        log.sync_data()?;
    }
    let mut aside = File::create(dir.join("aside"))?;
    aside.write_all(&[b'x'; 12_000])?;
    aside.sync_all()?;
    fs::rename(dir.join("aside"), dir.join("topic"))?;
    File::open(&dir)?.sync_all()
}
"""

# On Linux, ru_maxrss of a child includes the memory of the process that called exec, so a child of
# Python never reports less than Python itself. This parent is about as small as the empty program.
RSS_RS = r"""
use std::{env, process::{Command, Stdio}};
extern "C" { fn wait4(pid: i32, status: *mut i32, options: i32, usage: *mut [i64; 64]) -> i32; }
fn main() {
    let mut args = env::args_os().skip(1);
    let mut command = Command::new(args.next().unwrap());
    let child = command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (mut status, mut usage) = (0, [0i64; 64]);
    unsafe { wait4(child.id() as i32, &mut status, 0, &mut usage); }
    println!("{}", usage[4]);
}
"""


def vocabulary() -> list[str]:
    """Returns 3,000 words, the frequent ones shorter. All have at least four letters, so none is a stop word."""
    rng, words = random.Random("vocabulary"), {}
    while len(words) < 3_000:
        syllables = 2 if len(words) < 400 else rng.choice((3, 3, 4))
        words["".join(rng.choice("bdfgklmnprtvz") + rng.choice("aiou") for _ in range(syllables))] = None
    return list(words)


class Sentences:
    """Generates distinct lines of random words with Zipf frequencies."""

    def __init__(self, seed: str):
        self.rng = random.Random(seed)
        self.words = vocabulary()
        self.cumulative = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(self.words))))
        self.seen = {""}
        self.lines_with: dict[str, int] = dict.fromkeys(self.words, 0)

    def next(self, length: int) -> str:
        text = ""
        while text in self.seen:
            # More words than needed (each has at least four letters), cut after the last that fits.
            words = self.rng.choices(self.words, cum_weights=self.cumulative, k=length // 4)
            text = " ".join(words)[:length].rpartition(" ")[0]
        self.seen.add(text)
        for word in set(text.split()):
            self.lines_with[word] += 1
        return text.capitalize()

    def word_in(self, lines: float) -> str:
        """Returns the word whose number of lines is closest to `lines`."""
        return min((abs(math.log(n / lines)), word) for word, n in self.lines_with.items() if n)[1]


def fnv64(text: str) -> str:
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def event(rng: random.Random, when: float, entry: str, **fields) -> tuple[float, str]:
    value, ulid = int(when * 1000) << 80 | rng.getrandbits(80), ""
    for _ in range(26):
        value, ulid = value >> 5, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[value & 31] + ulid
    ts = datetime.datetime.fromtimestamp(int(when), datetime.timezone.utc)
    head = {"id": ulid, "ts": f"{ts:%Y-%m-%dT%H:%M:%S}.{int(when * 1000) % 1000:03}Z", "entry": entry}
    return when, json.dumps({**head, **fields}, separators=(",", ":"))


def make_corpus(lines: int) -> tuple[dict[str, str], dict, list[str]]:
    """Returns the files by path in the store, facts about them, and the words of the query."""
    sentences = Sentences(f"pimem-{lines}")
    rng, now = sentences.rng, NOW.timestamp()
    n_entries = lines * 6 // 10
    kinds = rng.choices(list(CATEGORIES), [share for _, share in CATEGORIES.values()], k=n_entries)
    # As many files as in the corpus of MEASURED.md (26 at 600, 151 at 10,000, 629 at 100,000), or
    # more if the limit of 12,000 characters requires it.
    per_file = min(TOPIC_CHARS, 122 * n_entries / (26 * (lines / 600) ** 0.62))
    topics: dict[str, str] = {}
    events: list[tuple[float, str]] = []
    for category, (name, _) in CATEGORIES.items():
        part, path = 0, ""
        for _ in range(kinds.count(category)):
            # A line has about 122 bytes, including its line break.
            line = f"- [{category}] {sentences.next(min(max(int(rng.gauss(112, 25)), 40), 200))}"
            limit = min(per_file, FIRST_LESSONS_CHARS) if path == "topics/lessons.md" else per_file
            first = not part or len(topics[path]) + len(line) + 1 > limit
            if first:
                part += 1
                path = f"topics/{name}.md" if part == 1 else f"topics/{name}-{part}.md"
                topics[path] = f"# {name.capitalize()} {part}\n\n"
            topics[path] += line + "\n"
            entry = fnv64(line)
            added = now - rng.uniform(0.1, 90) * 86_400
            events.append(event(rng, added, entry, op="add", cue="explicit", by="user"))
            times = [rng.uniform(added, now) for _ in range(rng.choice((0, 0, 1, 1, 2, 5)))]
            # Without a recent event, `rebuild` would find whole topics cold and archive them.
            times += [now - rng.uniform(0.1, 5) * 86_400] if first else []
            events += [event(rng, when, entry, op="reinforce", n=1, by="claude") for when in times]
    days, items = round(54 * (lines / 600) ** 0.55), lines - n_entries
    logs: dict[str, str] = {}
    for day in range(days):
        date = f"{NOW - datetime.timedelta(days=days - 1 - day):%Y-%m-%d}"
        minutes = [rng.randrange(480, 1080) for _ in range(items * day // days, items * (day + 1) // days)]
        logs[f"daily/{date}.md"] = f"# {date}\n\n"
        for m in sorted(minutes):
            text = sentences.next(max(int(rng.gauss(116, 25)), 40))
            logs[f"daily/{date}.md"] += f"- {m // 60:02}:{m % 60:02} {text}\n"
    files = {**topics, **logs}
    size = sum(len(text.encode()) for text in files.values())
    facts = {"lines": lines, "corpusBytes": size, "topics": len(topics), "days": days}
    # One common, one medium and one rare word.
    words = [sentences.word_in(count) for count in (lines / 4, lines / 70, max(1, lines / 2_000))]
    files["evidence.jsonl"] = "".join(line + "\n" for _, line in sorted(events))
    return files, facts, words


class Store:
    """A copy of the corpus with its own home and cache, so that caches can be deleted separately."""

    def __init__(self, tmp: Path, name: str, files: dict[str, str]):
        self.root, self.files, self.memory = tmp / name, files, tmp / name / ".pi/memory"
        home = tmp / f"home-{name}"
        self.env = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": str(home)}
        for kind in ("cache", "state", "config"):
            self.env[f"XDG_{kind.upper()}_HOME"] = str(home / kind)
            (home / kind).mkdir(parents=True)
        # A rebuild embeds, and nothing does later.
        self.env["PIMEM_EMBEDDING_BACKGROUND"] = "false"
        self.env["PIMEM_NOW"] = f"{NOW:%Y-%m-%dT%H:%M:%SZ}"
        self.cache = home / "cache"
        self.write()

    def write(self) -> None:
        shutil.rmtree(self.memory, ignore_errors=True)
        for path, text in self.files.items():
            (self.memory / path).parent.mkdir(parents=True, exist_ok=True)
            (self.memory / path).write_bytes(text.encode())
            # As old as in practice: the index does not trust time stamps of files as young as itself.
            os.utime(self.memory / path, (time.time() - 3_600,) * 2)


@dataclass
class Command:
    name: str
    argv: list[str]
    store: Store
    before: Optional[Callable[["Command"], None]] = None  # outside the timing
    ms: list[float] = field(default_factory=list)


class Runner:
    def __init__(self, tmp: Path):
        # A regular file, because GNU grep stops at the first match if it writes to /dev/null.
        # Standard error is kept, to be shown if a command fails.
        self.out = os.open(tmp / "stdout", os.O_RDWR | os.O_CREAT)
        self.err = os.open(tmp / "stderr", os.O_RDWR | os.O_CREAT)
        null = os.open(os.devnull, os.O_RDONLY)
        self.actions = [(os.POSIX_SPAWN_DUP2, fd, to) for to, fd in enumerate((null, self.out, self.err))]

    def run(self, command: Command) -> float:
        """Returns milliseconds. Uses posix_spawn and wait4, because `subprocess` adds a millisecond."""
        if command.before:
            command.before(command)
        os.chdir(command.store.root)
        for fd in (self.out, self.err):
            os.ftruncate(fd, 0)
            os.lseek(fd, 0, os.SEEK_SET)
        argv, env, actions = command.argv, command.store.env, self.actions
        start = time.perf_counter()
        pid = os.posix_spawn(argv[0], argv, env, file_actions=actions)
        _, status, _ = os.wait4(pid, 0)
        elapsed = time.perf_counter() - start
        if status != 0:
            text = os.pread(self.err, 2_000, 0).decode(errors="replace")
            raise SystemExit(f"{command.name} failed (wait status {status}): {' '.join(argv[:6])}\n{text}")
        return elapsed * 1000

    def output(self) -> str:
        return os.pread(self.out, 1 << 20, 0).decode(errors="replace")

    def rounds(self, commands: list[Command], runs: int, seed: int) -> None:
        order = random.Random(seed)
        gc.collect()
        gc.disable()
        for number in range(WARM_UPS + runs):
            for command in order.sample(commands, len(commands)):
                elapsed = self.run(command)
                if number >= WARM_UPS:
                    command.ms.append(elapsed)
        gc.enable()


def peak_mb(launcher: str, command: Command) -> float:
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    call = dict(cwd=command.store.root, env=command.store.env, stdout=subprocess.PIPE, check=True)
    return max(int(subprocess.run([launcher, *command.argv], **call).stdout) for _ in range(5)) / unit


def compile_rust(tmp: Path, target: Optional[str]) -> dict[str, str]:
    """Compiles the reference programs with the options of the project's profile dist."""
    options = ["--edition=2021", "-O", "-Clto=fat", "-Ccodegen-units=1", "-Cstrip=symbols", "-Awarnings"]
    options += [f"--target={target}"] if target else []
    sources = {"empty": EMPTY_RS, "add-floor": ADD_FLOOR_RS, "rss": RSS_RS}
    for name, source in sources.items():
        (tmp / f"{name}.rs").write_text(source)
        subprocess.run(["rustc", *options, "-o", tmp / name, tmp / f"{name}.rs"], check=True)
    return {name: str(tmp / name) for name in sources}


def bench_size(lines: int, args, tmp: Path, programs: dict[str, str]) -> dict:
    runner, pimem, notes = Runner(tmp), args.pimem, []
    files, facts, words = make_corpus(lines)
    markdown = {path: text for path, text in files.items() if path.endswith(".md")}
    # Each command that writes has its own store, so that the indexes of the others stay fresh. grep
    # and rg get only the Markdown: search reads only that, and evidence.jsonl, which never
    # matches, is larger.
    plain = Store(tmp, f"markdown-{lines}", markdown)
    read = Store(tmp, f"proj-{lines}", files)
    refresh = Store(tmp, f"proj-{lines}-refresh", files)
    adds = Store(tmp, f"proj-{lines}-add", files)
    floor_dir = tmp / f"floor-{lines}"
    floor_dir.mkdir()
    for store in (read, refresh, adds):
        # Untrusted content would not be in the report.
        runner.run(Command("trust", [pimem, "trust", "--all"], store))
        runner.run(Command("rebuild", [pimem, "rebuild"], store))
    if (read.memory / "archive").exists():
        notes.append("rebuild archived entries: the corpus is not what it was meant to be")
    cached = [path for path in read.cache.rglob("*") if path.is_file()]
    vector_bytes = sum(path.stat().st_size for path in cached if path.suffix == ".vec")
    index_bytes = sum(path.stat().st_size for path in cached) - vector_bytes

    fresh = Sentences(f"fresh-{lines}")

    def append_line(_: Command) -> None:
        with open(refresh.memory / f"daily/{NOW:%Y-%m-%d}.md", "a", encoding="utf-8") as log:
            log.write(f"- 18:00 {fresh.next(100)}\n")

    added = 0

    def new_text(command: Command) -> None:
        nonlocal added
        if added and added % ADDS_PER_STORE == 0:
            adds.write()
            runner.run(Command("rebuild", [pimem, "rebuild"], adds))
            os.sync()  # otherwise the next fsync includes writing this copy
        added += 1
        command.argv[-1] = f"{fresh.next(90)} number {added}"

    query = " ".join(words)
    search = Command("search", [pimem, "search", query], read)
    keyword = Command("search --mode keyword", [pimem, "search", "--mode", "keyword", query], read)
    refreshed = Command("search, 1 file edited", search.argv, refresh, append_line)
    add = Command("add", [pimem, "add", "-c", "lesson", ""], adds, new_text)
    commands = [
        Command("--version", [pimem, "--version"], read),
        Command("report", [pimem, "report"], read),
        keyword,
        search,
        refreshed,
        add,
        Command("floor of add", [programs["add-floor"], str(floor_dir)], read),
        Command("empty program", [programs["empty"]], read),
    ]
    # The system's Python is preferred: a pyenv shim is a shell script slower than Python itself.
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin") or shutil.which("python3")
    term = words[1]
    references = [
        ("grep", ["-rniF", term, ".pi/memory"], plain), ("rg", ["-niF", term, ".pi/memory"], plain),
        ("cat", [f".pi/memory/{path}" for path in files], read),
        ("git", ["--version"], read), ("python3", ["-c", "0"], read), ("node", ["-e", "0"], read),
    ]
    absent = []
    for name, argv, store in references:
        label = {"git": "git --version", "cat": "cat of the store"}.get(name, name)
        if path := python if name == "python3" else shutil.which(name):
            commands.append(Command(label, [path, *argv], store))
        else:
            absent.append(name)
    os.sync()
    runner.rounds(commands, args.runs, seed=lines)

    # Check that the program did its work, because doing nothing would be fast.
    runner.run(search)
    if words[2] not in runner.output().lower():
        notes.append("search did not print the rare word")
    if add.argv[-1] not in (adds.memory / "topics/lessons.md").read_text(encoding="utf-8"):
        notes.append("add did not write its text to topics/lessons.md")

    rebuilt = Store(tmp, f"proj-{lines}-rebuild", files)
    rebuilds = [Command("rebuild", [pimem, "rebuild"], rebuilt), Command("rebuild, no vectors", [pimem, "rebuild"], rebuilt)]
    for _ in range(REBUILDS):
        for model, rebuild in zip(REBUILD_LINES_PER_S, reversed(rebuilds)):
            shutil.rmtree(rebuilt.cache)
            rebuilt.cache.mkdir()
            rebuilt.env["PIMEM_EMBEDDING_MODEL"] = model
            os.sync()
            rebuild.ms.append(runner.run(rebuild))

    rows = [timing(command, commands) for command in [*commands, *rebuilds]]
    by_name = {row["command"]: row for row in rows}
    judge(by_name[keyword.name], "median", SEARCH_MS.get(lines), "ms")
    if lines in HYBRID_OVER_KEYWORD_MS:
        goal = by_name[keyword.name]["median"] + HYBRID_OVER_KEYWORD_MS[lines]
        judge(by_name[search.name], "median", goal, "ms")
    judge(by_name["report"], "median", REPORT_MS.get(lines), "ms")
    judge(by_name["--version"], "ratioEmpty", VERSION_RATIO, "x empty")
    judge(by_name["add"], "median", by_name["floor of add"]["median"] + ADD_OVER_FLOOR_MS, "ms")

    def value(name: str, number: float, unit: str, goal=None, at_least=False) -> None:
        row = {"command": name, "unit": unit, "value": number}
        judge(row, "value", goal, unit, at_least)
        rows.append(row)

    for model, rebuild in zip(REBUILD_LINES_PER_S, reversed(rebuilds)):
        goal = REBUILD_LINES_PER_S[model] if lines >= REBUILD_FROM else None
        speed = lines / by_name[rebuild.name]["median"] * 1000
        value(f"{rebuild.name}, speed", speed, "lines/s", goal, True)
    value("vectors on disk", vector_bytes / lines, "bytes a line", VECTOR_BYTES)
    value("index on disk", index_bytes / facts["corpusBytes"], "x corpus", INDEX_RATIO)
    value("search, peak RSS", peak_mb(programs["rss"], search), "MB", RSS_MB.get(lines))
    value("empty program, peak RSS", peak_mb(programs["rss"], commands[7]), "MB")
    for store in (plain, read, refresh, adds, rebuilt):
        shutil.rmtree(store.root)
    return {**facts, "query": query, "absent": absent, "notes": notes, "rows": rows}


def timing(command: Command, commands: list[Command]) -> dict:
    ms = sorted(command.ms)
    row = {"command": command.name, "unit": "ms", "median": statistics.median(ms), "min": ms[0]}
    row["p95"] = ms[math.ceil(0.95 * len(ms)) - 1]
    keys = {"empty program": "ratioEmpty"}
    if command.name.startswith("search"):
        keys.update(grep="ratioGrep", rg="ratioRg")
    for other in commands:
        if other.name in keys:
            row[keys[other.name]] = row["median"] / statistics.median(other.ms)
    return row


def judge(row: dict, key: str, goal: Optional[float], unit: str, at_least: bool = False) -> None:
    if goal is not None:
        met = row[key] >= goal if at_least else row[key] <= goal
        row.update(goal=goal, goalUnit=unit, atLeast=at_least, verdict="meets" if met else "misses")


def table(size: dict) -> str:
    def number(value: Optional[float]) -> str:
        return "" if value is None else f"{value:,.0f}" if value >= 1000 else f"{value:.2f}"

    head = ["command", "goal", "median", "min", "p95", "x empty", "x grep", "x rg", "verdict"]
    cells = [head]
    for row in size["rows"]:
        sign = ">=" if row.get("atLeast") else "<="
        goal = f"{sign} {number(row['goal'])} {row['goalUnit']}" if "goal" in row else ""
        middle = f"{number(row['value'])} {row['unit']}" if "value" in row else number(row["median"])
        rest = [number(row.get(key)) for key in ("min", "p95", "ratioEmpty", "ratioGrep", "ratioRg")]
        cells.append([row["command"], goal, middle, *rest, row.get("verdict", "")])
    widths = [max(len(line[at]) for line in cells) for at in range(len(head))]
    lines = [f"\n{size['lines']:,} lines, {size['corpusBytes']:,} bytes, {size['topics']} topic files + "
             f"{size['days']} days; query \"{size['query']}\"; times in ms"]
    for line in cells:
        padded = [c.ljust(w) if at in (0, 1, 8) else c.rjust(w) for at, (c, w) in enumerate(zip(line, widths))]
        lines.append("  ".join(padded).rstrip())
    lines += [f"absent: {', '.join(size['absent'])}"] if size["absent"] else []
    return "\n".join(lines + [f"note: {note}" for note in size["notes"]])


def main() -> None:
    parser = argparse.ArgumentParser(description="Cold-process benchmark of pimem.")
    parser.add_argument("--pimem", default="target/dist/pimem")
    parser.add_argument("--sizes", default="600,10000", help="numbers of lines, separated by commas")
    parser.add_argument("--runs", type=int, default=41, help="counted rounds")
    parser.add_argument("--rust-target", help="target of the reference programs, if pimem has another than the host's")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    sizes = [int(size) for size in args.sizes.split(",")]
    if min(sizes) < 100 or args.runs < 1:
        parser.error("sizes start at 100 lines, runs at 1")
    args.pimem = os.path.abspath(args.pimem)
    if not os.access(args.pimem, os.X_OK):
        parser.error(f"{args.pimem} is not there; cargo build --profile dist makes it, --pimem names another")
    with tempfile.TemporaryDirectory(prefix="pimem-cold-") as directory:
        tmp = Path(directory)
        programs = compile_rust(tmp, args.rust_target)
        results = []
        for size in sizes:
            print(f"{size:,} lines ...", file=sys.stderr)
            results.append(bench_size(size, args, tmp, programs))
        os.chdir("/")
    misses = [f"{row['command']} at {size['lines']:,}" for size in results for row in size["rows"]
              if row.get("verdict") == "misses"]
    if args.json:
        machine = {"system": platform.platform(), "cpus": os.cpu_count()}
        head = {"schema": "pimem.bench.cold/1", "pimem": args.pimem, "runs": args.runs, "machine": machine}
        print(json.dumps({**head, "sizes": results, "misses": misses}, indent=1))
        return
    for size in results:
        print(table(size))
    print(f"\nmisses: {'; '.join(misses) or 'none'}")


if __name__ == "__main__":
    main()
