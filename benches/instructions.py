#!/usr/bin/env python3
"""Counts the instructions of whole commands with callgrind.

    python3 benches/instructions.py [--pimem target/dist/pimem] [--against OTHER] [--write] [--check]

Times on a shared machine do not show a change of a few per cent; instruction counts do, and do not
depend on the load. Every command runs on a trusted and indexed copy of fixtures/stores/harbor, in its
own directory with its own HOME and XDG directories; some also with 10,000 and 100,000 lines, so that
what grows with the store is seen, and some in a repository of git that has committed none of 1,000 lines.

Without options it prints a table. `--against` counts another program in the same run and prints ratios,
`--write` renews benches/instructions.txt, and `--check` compares with it and fails if a command takes
over three per cent more. The figures hold for the profile dist and one version of rustc, and exclude the
work of the kernel: reading, writing and syncing.

Python 3.9+, standard library only; valgrind.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import cold

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "benches/instructions.txt"
NOW = "2026-06-30T18:00:00Z"
MOST = 1.03

PROMPT = "Which SQLSTATE do we retry when a berth is booked twice?"
SAID = {
    "session-start": {"source": "startup"},
    "prompt": {"prompt": PROMPT},
    "post-tool": {"tool_name": "Edit", "tool_input": {"file_path": "src/berths.rs"}},
    "stop": {"last_assistant_message": "I retried the transaction as the notes say. " * 5},
    "pre-compact": {"trigger": "auto"},
    "session-end": {"reason": "exit"},
}

# Name, arguments, and standard input.
COMMANDS: list[tuple[str, list[str], str]] = [
    ("--version", ["--version"], ""),
    ("add", ["add", "The dredger needs a slack tide of forty minutes"], ""),
    ("reinforce", ["reinforce", "SQLSTATE 40001"], ""),
    ("log", ["log", "Moved the pilots to the new roster"], ""),
    ("list", ["list"], ""),
    ("report", ["report"], ""),
    ("report --prompt", ["report", "--prompt", PROMPT], ""),
    ("search", ["search", PROMPT], ""),
    ("search --mode keyword", ["search", "--mode", "keyword", PROMPT], ""),
    ("why", ["why", "SQLSTATE 40001"], ""),
    ("extract", ["extract", "-"], "From now on, use tabs in makefiles please."),
] + [(f"hook claude {event}", ["hook", "claude", event], json.dumps(more)) for event, more in SAID.items()]

# Those that are also counted with many lines, one after the other.
LARGE = [
    "report", "search --mode keyword", "search", "hook claude session-start", "hook claude prompt",
    "hook claude post-tool", "add",
]
# Those that are counted again after the last of these has written.
GROWN = ["report", "search --mode keyword"]
SIZES = [10_000, 100_000]
# Those that are also counted where git has committed none of many lines.
UNCOMMITTED = ["report", "search --mode keyword", "hook claude session-start", "add"]
UNCOMMITTED_LINES = 1_000


def environment(root: Path) -> dict[str, str]:
    return {
        "HOME": str(root / "home"),
        "XDG_CACHE_HOME": str(root / "cache"),
        "XDG_CONFIG_HOME": str(root / "config"),
        "XDG_STATE_HOME": str(root / "state"),
        "PIMEM_CEILING_DIRS": str(root),
        "PIMEM_NOW": NOW,
        # Hooks get the time that callgrind needs, and start nothing in the background.
        "PIMEM_HOOK_DEADLINE_MS": "60000",
        "PIMEM_HOOK_REBUILD_MINUTES": "0",
        "PIMEM_EMBEDDING_BACKGROUND": "false",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "TZ": "UTC",
    }


def seed(pimem: Path, root: Path, typed: list[dict[str, str]] | None = None) -> None:
    """Makes a home for a project, and has its store trusted and indexed, or made of what is typed."""
    for name in ("home", "cache", "config", "state"):
        (root / name).mkdir()
    run = lambda *args: subprocess.run([pimem, *args], cwd=root / "project", env=environment(root), check=True,
                                       stdout=subprocess.DEVNULL)
    if typed is None:
        run("trust", "--all")
    else:
        subprocess.run(["git", "init", "--quiet", root / "project"], check=True)
        (root / "typed.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in typed))
        run("init")
        run("import", "jsonl", root / "typed.jsonl")
    run("rebuild")
    # The index does not trust time stamps of files written just now, and no user searches that soon.
    for file in (root / "project").rglob("*"):
        os.utime(file, (1_782_000_000, 1_782_000_000))
    run("rebuild")
    run("search", "berth")


def count(pimem: Path, root: Path, args: list[str], said: str) -> int:
    """Returns the instructions of one command."""
    if said.startswith("{"):
        said = json.dumps({**json.loads(said), "session_id": "one", "cwd": str(root / "project")})
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(pimem), *args],
        cwd=root / "project", env=environment(root), input=said, text=True, capture_output=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        raise SystemExit(f"pimem {' '.join(args)}: {done.returncode}\n{done.stderr}")
    return int(found[1])


def measure(pimem: Path) -> dict[str, int]:
    found = {}
    with tempfile.TemporaryDirectory(prefix="pimem-") as scratch:
        # The same path each time, because longer paths take more instructions; created anew, because an
        # index identifies its files.
        root = Path(scratch) / "sandbox"
        for name, args, said in COMMANDS:
            shutil.copytree(ROOT / "fixtures/stores/harbor", root / "project", copy_function=shutil.copyfile)
            seed(pimem, root)
            found[name] = count(pimem, root, args, said)
            shutil.rmtree(root)
        commands = {name: (args, said) for name, args, said in COMMANDS}

        def asking(name: str, words: list[str]) -> int:
            (args, said), asked = commands[name], " ".join(words)
            args = [asked if arg == PROMPT else arg for arg in args]
            return count(pimem, root, args, said.replace(PROMPT, asked))

        for lines in SIZES:
            files, _, words = cold.make_corpus(lines)
            for name, text in files.items():
                path = root / "project/.pi/memory" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            seed(pimem, root)
            for name in LARGE:
                found[f"{name}, {lines:,} lines"] = asking(name, words)
            for name in GROWN:
                found[f"{name}, {lines:,} lines + 1"] = asking(name, words)
            shutil.rmtree(root)
        files, _, words = cold.make_corpus(SIZES[0])
        topics = "".join(text for name, text in files.items() if name.startswith("topics/"))
        typed = [entry.groupdict() for entry in re.finditer(r"- \[(?P<category>\w+)\] (?P<text>.+)", topics)]
        (root / "project").mkdir(parents=True)
        seed(pimem, root, typed[:UNCOMMITTED_LINES])
        for name in UNCOMMITTED:
            found[f"{name}, uncommitted"] = asking(name, words)
    return found


def text(figures: dict[str, int]) -> str:
    lines = ["# Thousands of instructions, profile dist; renew with benches/instructions.py --write\n"]
    return "".join(lines + [f"{name:<44}{figure / 1000:>10,.0f}\n" for name, figure in figures.items()])


def kept() -> dict[str, int]:
    rows = (line.rsplit(None, 1) for line in FIGURES.read_text().splitlines() if not line.startswith("#"))
    return {name.strip(): int(figure.replace(",", "")) * 1000 for name, figure in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pimem", type=Path, default=ROOT / "target/dist/pimem")
    parser.add_argument("--against", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    figures = measure(args.pimem.resolve())
    if args.write:
        FIGURES.write_text(text(figures))
    if args.check:
        before = kept()
    elif args.against:
        before = measure(args.against.resolve())
    else:
        sys.stdout.write(text(figures))
        return
    print(f"{'command':<42}{'before':>10}{'now':>10}  ratio")
    worse = []
    for name, figure in figures.items():
        ratio = figure / before[name] if name in before else 1.0
        worse += [name] if ratio > MOST else []
        print(f"{name:<42}{before.get(name, 0) / 1000:>10,.0f}{figure / 1000:>10,.0f}  {ratio:.3f}")
    if args.check and worse:
        raise SystemExit(f"more than {MOST:.2f} times what it was: {', '.join(worse)}")


if __name__ == "__main__":
    main()
