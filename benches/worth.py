#!/usr/bin/env python3
"""Benchmark of the benefit to an agent: how often its context has what a prompt needs.

    python3 benches/worth.py [--quick] [--pimem target/release/pimem] [--json]
    python3 benches/worth.py --pimem before=OLD/pimem --pimem after=NEW/pimem

Simulates five invented projects of 60 days each with the calls of an agent: its hooks (session-start,
prompt, stop, pre-compact, session-end), `add` for what it learns, and `log`, `note`, `todo` and
`handoff`. The rebuild that a hook would start in the background runs in the foreground right after it.
The baseline in the same sessions is an agent that gets the newest of the same memories as a plain list,
and deletes from it what is explicitly replaced.

`benches/worth/NAME.tsv` is a project: 75 facts, 15 of which change an older one, so 90 memories; ten
items that are only in a log, a note, a todo or a handoff; twenty tasks that need no memory. Each memory
has a prompt that shares a word with it and one that shares none, which is checked by stems at the
start. Large stores also have the facts of the other projects, and memories of other teams generated
from the words in `filler.tsv`.

There are 42 working days, with one or two sessions and three prompts each. Half of the memories are
learned in the first third. Prompts draw uniformly from the memories of earlier sessions, at most three
times each; changed ones are drawn twice as often. Half of the prompts share no word with the memory, and
half are long: a sentence of no matter beside them, and an order to do any work or nine printed lines. Of
the 15 changes, 8 are made by `--supersedes` and 7 by adding the newer memory. The answer quotes the
memory if the agent had it. Some sessions are compacted or cleared on the way, some are resumed; the
content of a lost context does not count.

A figure is a share of cases, determined by the texts in the session's context:

* served: the memory that the prompt needs is there when it is answered. In brackets, the same for the
  list, cut to the tokens of the report, and to the tokens of everything that the session got until then.
* replaced: a memory made untrue by a change is there, when the changed fact is asked for, and over all
  starts of sessions and changes until then.
* needless: something was recalled for a task that needs no memory.

Two runs of the same programs print the same: dates are fixed, the random generator is seeded, and
deadlines are disabled. `--quick` simulates two projects and one store of each larger kind. Stores are
created in `--scratch`, by default on tmpfs if there is one. Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from lives import DAYS, MARKED, PROJECTS, START, UNMARKED, WORKING, Chance, Event, Memory, Project
from lives import check, crowd, generated, life, load

LIST = 1_700  # tokens of a list that fills the whole budget
HALF_MONTH = 15
TOPIC_CHARS = 11_000  # a topic file is split above this size, as a person would do

# Kinds of stores, with the total number of memories and their origin.
SIZES = {
    "90": "90 memories",
    "270": "270 in one store, of three projects",
    "1000": "1,000 of which 90 are asked for, equally young",
    "3000": "3,000 of which 90 are asked for, equally young",
    "older": "1,000, the other 910 older than the project",
}
LISTS = ("list", "listAll", "list1700")


def tokens(text: str) -> int:
    return -(-len(text) // 4)


def fits(newest: list[Memory], budget: int) -> set[str]:
    """Returns the newest texts that fit a list of `budget` tokens."""
    found, chars = set(), 0
    for memory in newest:
        chars += len(f"- [{memory.kind}] {memory.text}\n")
        if chars > budget * 4:
            break
        found.add(memory.text)
    return found


@dataclass
class Program:
    label: str
    path: str


class Sandbox:
    """A project directory with its own home, and the program that is measured."""

    def __init__(self, root: Path, program: Program):
        self.program, self.root = program, root / "project"
        self.topics = self.root / ".pi/memory/topics"
        self.clock, self.troubles = START, []
        self.env = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
            self.env[name] = str(root / name.lower())
            (root / name.lower()).mkdir()
        self.root.mkdir()
        self.env.update(PIMEM_CEILING_DIRS=str(root), PIMEM_AGENT="claude", PIMEM_SYNC="0")
        # No background work, and no deadlines that depend on the speed of the machine.
        self.env["PIMEM_HOOK_REBUILD_MINUTES"] = "0"
        self.env["PIMEM_EMBEDDING_BACKGROUND"] = "false"
        self.env["PIMEM_HOOK_DEADLINE_MS"] = self.env["PIMEM_EMBEDDING_DEADLINE_MS"] = "60000"

    def run(self, *args: str, stdin: str = "", session: str = "") -> subprocess.CompletedProcess:
        env = {**self.env, "PIMEM_NOW": f"{self.clock:%Y-%m-%dT%H:%M:%SZ}", "PIMEM_SESSION": session}
        call = [self.program.path, *args]
        return subprocess.run(call, cwd=self.root, env=env, input=stdin, capture_output=True, encoding="utf-8")

    def must(self, *args: str, stdin: str = "", session: str = "") -> str:
        done = self.run(*args, stdin=stdin, session=session)
        if done.returncode:
            raise SystemExit(f"{self.program.label}: {' '.join(args)}: exit {done.returncode}\n{done.stderr}")
        return done.stdout

    def hook(self, event: str, session: str, name: str, **more) -> str:
        """Calls a hook and returns the text for the agent's context."""
        message = {"session_id": session, "cwd": str(self.root), "hook_event_name": name, **more}
        answer = self.must("hook", "claude", event, stdin=json.dumps(message))
        said = json.loads(answer).get("hookSpecificOutput", {}) if answer.strip() else {}
        return said.get("additionalContext", "")

    def split(self, chars: int) -> None:
        """Makes room for `chars` characters in topics by renaming full files."""
        for path in sorted(self.topics.glob("*.md")):
            if len(path.read_text(encoding="utf-8")) + chars > TOPIC_CHARS:
                part = 2
                while (other := path.with_name(f"{path.stem}-{part}.md")).exists():
                    part += 1
                path.rename(other)

    def add(self, memory: Memory, session: str) -> None:
        self.split(len(memory.text))
        args = ["add", "-c", memory.kind]
        if memory.change == MARKED:
            done = self.run(*args, "--supersedes", memory.old.text, "--", memory.text, session=session)
            if done.returncode == 0:
                return
            self.troubles.append(f"could not be marked: {memory.old.text}: {done.stderr.strip()}")
        answer = self.must(*args, "--", memory.text, session=session)
        if not answer.startswith("Added"):
            self.troubles.append(f"not added: {memory.text}: {answer.strip()}")

    def batch(self, memories: list[Memory]) -> None:
        self.split(sum(len(f"- [{memory.kind}] {memory.text}\n") for memory in memories))
        lines = [json.dumps({"text": memory.text, "category": memory.kind}) for memory in memories]
        self.must("add", "--force", "-", stdin="\n".join(lines))

    def work(self, memory: Memory, session: str) -> None:
        if memory.kind == "todo":
            self.must("todo", "add", memory.text)
        else:
            self.must("note" if memory.kind == "note" else "log", memory.text)
        if memory.kind == "handoff":
            self.must("handoff", "--session", session)


@dataclass
class Context:
    """The context of an agent in a session, without its own messages."""

    text: str = ""
    report: int = 0  # tokens
    newest: list[Memory] = field(default_factory=list)  # at the start of the session
    lists: dict[int, set[str]] = field(default_factory=dict)  # by number of tokens

    def holds(self, text: str) -> dict[str, bool]:
        """Returns whether a text is in the context, and in each list."""
        found = {"context": text in self.text}
        for name, budget in zip(LISTS, (self.report, tokens(self.text), LIST)):
            if budget not in self.lists:
                self.lists[budget] = fits(self.newest, budget)
            found[name] = text in self.lists[budget]
        return found


class Life:
    """Runs events through one program and collects the results."""

    def __init__(self, sandbox: Sandbox):
        self.box = sandbox
        self.contexts: dict[str, Context] = {}
        self.added: list[Memory] = []
        self.prompts: list[dict] = []
        self.starts: list[dict] = []

    def play(self, events: list[Event]) -> None:
        for event in events:
            self.box.clock = event.at
            getattr(self, event.what)(event)

    def start(self, event: Event) -> None:
        text = self.box.hook("session-start", event.session, "SessionStart", source=event.source)
        size = re.match(r"# Project Memory \[.*?([\d,]+)/[\d,]+ tokens", text)
        report = int(size.group(1).replace(",", "")) if size else tokens(text)
        gone = {memory.old for memory in self.added if memory.change == MARKED}
        newest = [memory for memory in reversed(self.added) if memory not in gone]
        kept = self.contexts[event.session].text if event.source == "resume" else ""
        context = self.contexts[event.session] = Context(kept + text, report, newest)
        if text:
            changed = [memory for memory in self.added if memory.change]
            changes = [{"change": memory.change, **context.holds(memory.old.text)} for memory in changed]
            rest = max(0, tokens(text) - report)
            self.starts.append({"pause": event.pause, "report": report, "rest": rest, "changes": changes})
        if event.source in ("startup", "resume"):
            self.rebuild(event)

    def prompt(self, event: Event) -> None:
        context, memory = self.contexts[event.session], event.memory
        before = context.text
        recalled = self.box.hook("prompt", event.session, "UserPromptSubmit", prompt=event.prompt)
        context.text += "\n" + recalled
        found = {
            "at": f"{event.at:%Y-%m-%dT%H:%MZ}", "day": (event.at - START).days, "pause": event.pause,
            "session": event.session, "prompt": event.prompt, "kind": "idle", "recalled": tokens(recalled),
            # Otherwise the prompt hook brings the report.
            "reported": bool(before),
        }
        answer = f"I have looked through the sources and done what you said ({event.prompt}); the tests pass."
        if memory:
            found.update(kind="working" if memory.kind in WORKING else "fact", category=memory.kind, text=memory.text)
            found.update(reworded=memory.reworded in event.prompt, atStart=memory.text in before)
            found.update(context.holds(memory.text))
            if memory.change:
                found["old"] = {"change": memory.change, **context.holds(memory.old.text)}
            if found["context"]:
                answer = f"Done, as noted: {memory.text} That settles what you said ({event.prompt}); the tests pass."
        self.prompts.append(found)
        self.box.hook("stop", event.session, "Stop", stop_hook_active=False, last_assistant_message=answer)

    def add(self, event: Event) -> None:
        self.box.add(event.memory, event.session)
        self.added.append(event.memory)

    def batch(self, event: Event) -> None:
        self.box.batch(event.batch)
        self.added += event.batch

    def rebuild(self, _: Event) -> None:
        self.box.must("rebuild", "--quiet")

    def work(self, event: Event) -> None:
        self.box.work(event.memory, event.session)

    def finish(self, event: Event) -> None:
        self.box.must("todo", "done", event.memory.text)

    def log(self, event: Event) -> None:
        self.box.must("log", event.prompt)

    def compact(self, event: Event) -> None:
        self.box.hook("pre-compact", event.session, "PreCompact", trigger="auto", custom_instructions="")

    def end(self, event: Event) -> None:
        self.box.hook("session-end", event.session, "SessionEnd", reason=event.source)


@dataclass
class Job:
    program: Program
    size: str
    names: tuple[str, ...]  # of the projects simulated in one store


def jobs(programs: list[Program], quick: bool) -> list[Job]:
    """Returns the jobs, largest first, so that no core is left with a large one at the end."""
    found = []
    for program in programs:
        for size in ("3000", "1000", "older"):
            found += [Job(program, size, (name,)) for name in PROJECTS[: 1 if quick else None]]
        for at in range(1 if quick else len(PROJECTS)):
            found.append(Job(program, "270", tuple(PROJECTS[(at + n) % len(PROJECTS)] for n in range(3))))
        found += [Job(program, "90", (name,)) for name in PROJECTS[: 2 if quick else None]]
    return found


PREPARED: dict = {}  # in each process: projects, memories of other teams, scratch


def prepare(projects: list[Project], others: list[Memory], scratch: Optional[str]) -> None:
    PREPARED.update(projects=projects, others=others, scratch=scratch)


def live(job: Job) -> dict:
    projects, others = PREPARED["projects"], PREPARED["others"]
    events = [event for project in projects if project.name in job.names for event in life(project)]
    if job.size != "90":
        events = [event for event in events if not event.pause]
    if job.size in ("1000", "3000", "older"):
        number = (3_000 if job.size == "3000" else 1_000) - 90
        near = [Memory(m.kind, m.text) for project in projects if project.name not in job.names for m in project.facts]
        memories = Chance(f"{job.size} {job.names}").shuffled(near + others[: number - len(near)])
        events += crowd(memories, older=job.size == "older")
    events.sort(key=lambda event: event.at)
    root = Path(tempfile.mkdtemp(prefix="pimem-worth-", dir=PREPARED["scratch"]))
    try:
        played = Life(Sandbox(root, job.program))
        played.play(events)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    names = "+".join(job.names)
    return {"program": job.program.label, "size": job.size, "projects": names, "prompts": played.prompts,
            "starts": played.starts, "troubles": played.box.troubles}


def mean(values: list) -> Optional[float]:
    return sum(values) / len(values) if values else None


def figures(lives: list[dict]) -> list[dict]:
    """Returns the rows of the table for one program, each with its number of cases."""
    found = []

    def row(name: str, cases: list[dict]) -> None:
        shares = {one: mean([case[one] for case in cases]) for one in ("context", *LISTS)}
        found.append({"row": name, "n": len(cases), **shares})

    def of(size: str, *kinds: str, pause: bool = False) -> list[dict]:
        prompts = [prompt for one in lives if one["size"] == size for prompt in one["prompts"]]
        return [prompt for prompt in prompts if prompt["kind"] in kinds and prompt["pause"] == pause]

    base, working = of("90", "fact"), of("90", "working")
    row("served, 90 memories", base)
    row("· decisions", [p for p in base if p["category"] == "decision"])
    halves = [[p for p in base if p["day"] // HALF_MONTH == half] for half in range(DAYS // HALF_MONTH)]
    row("· worst half-month", min(halves, key=lambda half: mean([p["context"] for p in half]) or 0))
    row("· prompts that share a word", [p for p in base if not p["reworded"]])
    row("· prompts that share none", [p for p in base if p["reworded"]])
    for size, what in SIZES.items():
        if size != "90":
            row(f"served, {what}", of(size, "fact"))
    row("served, only in a log, a note, a todo or a handoff", working)
    for kind in WORKING:
        row(f"· {kind}", [p for p in working if p["category"] == kind])
    row("served, the week after a pause of 60 days", of("90", "fact", pause=True))
    for change, how in ((MARKED, "marked"), (UNMARKED, "unmarked")):
        for size in ("90", "270"):
            asked = [p["old"] for p in of(size, "fact") if "old" in p]
            row(f"replaced, {how}, {size} memories, when asked for", [old for old in asked if old["change"] == change])
            starts = [start for one in lives if one["size"] == size for start in one["starts"]]
            olds = [old for start in starts for old in start["changes"]]
            row("· when sessions start", [old for old in olds if old["change"] == change])
    for size, what in SIZES.items():
        idle = [p for p in of(size, "idle") if p["reported"]]
        found.append({"row": f"needless, {what}", "n": len(idle), "context": mean([p["recalled"] > 0 for p in idle])})
    for size, what in SIZES.items():
        starts = [start for one in lives if one["size"] == size for start in one["starts"] if not start["pause"]]
        prompts = [p for p in of(size, "fact", "working", "idle") if p["reported"]]
        spent = {
            "report": mean([s["report"] for s in starts]), "mostReport": max(s["report"] for s in starts),
            "rest": mean([s["rest"] for s in starts]), "mostRest": max(s["rest"] for s in starts),
            "recall": mean([p["recalled"] for p in prompts]),
        }
        found.append({"row": f"tokens, {what}", "n": len(starts), "tokens": spent})
    return found


def table(labels: list[str], rows: dict[str, list[dict]]) -> str:
    """Formats a Markdown table with a column per program; the list that fills the budget is common to all."""

    def percent(value: Optional[float]) -> str:
        return "–" if value is None else f"{value * 100:.0f} %"

    def cell(row: dict) -> str:
        if "tokens" in row:
            most = "{report:,.0f} (≤ {mostReport:,}) + {rest:,.0f} (≤ {mostRest:,}) + {recall:,.0f}"
            return most.format(**row["tokens"])
        lists = f" ({percent(row['list'])}, {percent(row['listAll'])})" if "list" in row else ""
        return percent(row["context"]) + lists

    lines = [f"| | n | {' | '.join(labels)} | list of {LIST:,} |", "|---" * (len(labels) + 3) + "|"]
    for same in zip(*(rows[label] for label in labels)):
        cells = [same[0]["row"], f"{same[0]['n']:,}", *(cell(row) for row in same)]
        cells.append(percent(same[0]["list1700"]) if "list1700" in same[0] else "")
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "In brackets: a list of the newest, as long as the report; as long as all that was given.",
              "Tokens: the report (the longest) + what else a session starts with (the longest) + recall a prompt."]
    return "\n".join(lines)


def program(text: str) -> Program:
    label, equals, path = text.rpartition("=")
    path = os.path.abspath(path)
    if not os.access(path, os.X_OK):
        raise argparse.ArgumentTypeError(f"{path} is not there; cargo build --release makes it, --pimem names another")
    return Program(label if equals else "pimem", path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pimem", action="append", type=program, help="PATH or LABEL=PATH; may be repeated")
    parser.add_argument("--quick", action="store_true", help="two projects, and one store of each larger kind")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="stores that are lived in at a time")
    shm = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    parser.add_argument("--scratch", default=shm, help="the directory for stores")
    parser.add_argument("--log", type=Path, help="write each prompt and what came of it, as JSON lines")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    programs = args.pimem or [program("target/release/pimem")]
    labels = [one.label for one in programs]
    if len(set(labels)) < len(labels):
        parser.error("several programs need labels: --pimem before=PATH --pimem after=PATH")
    projects = [load(name) for name in PROJECTS]
    check(projects)
    work, lives = jobs(programs, args.quick), []
    with multiprocessing.Pool(args.jobs, prepare, (projects, generated(3_000), args.scratch)) as pool:
        for done in pool.imap_unordered(live, work):
            lives.append(done)
            if sys.stderr.isatty():
                print(f"\r{len(lives)} of {len(work)} stores", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    lives.sort(key=lambda one: (labels.index(one["program"]), one["size"], one["projects"]))
    for one in lives:
        for trouble in one["troubles"]:
            print(f"{one['program']}, {one['size']}, {one['projects']}: {trouble}", file=sys.stderr)
    if args.log:
        with open(args.log, "w", encoding="utf-8") as out:
            for one in lives:
                head = {key: one[key] for key in ("program", "size", "projects")}
                out.writelines(json.dumps({**head, **prompt}, ensure_ascii=False) + "\n" for prompt in one["prompts"])
    rows = {label: figures([one for one in lives if one["program"] == label]) for label in labels}
    if args.json:
        print(json.dumps({"schema": "pimem.bench.worth/1", "quick": args.quick, "programs": rows}, indent=1))
    else:
        print(table(labels, rows))


if __name__ == "__main__":
    main()
