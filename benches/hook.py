#!/usr/bin/env python3
"""Benchmark of hooks as cold processes, compared with the searches that they contain.

    python3 benches/hook.py [--pimem target/dist/pimem] [--runs 1000] [--json]

The store has 1,000 entries, 667 lines of logs and 200 summaries of past sessions, and 50 of the entries
forbid something; the tool before which a hook is called writes 2,000 lines. Every call is in
its own session that already got its report, so that `hook claude prompt` only recalls and records
what it showed. Commands are run in turns, so that noise affects all of them equally: the ratios are
the reliable result. Python 3.9+, standard library only; rustc for the empty program.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from cold import NOW, Command, Runner, Sentences, Store, compile_rust, make_corpus

LINES = 1_667  # of which 1,000 are entries
SESSIONS = 200
GUARDS = 50
WRITTEN = 2_000  # lines
# What people send is longer than a question, and brings its log along.
MESSAGE = """I have been looking at the nightly job since this morning, and it still fails on staging.
The new image uses the cached layers, but the container of the migration does not start.
Before I open a ticket I want to know how we retry a booking when {query} is taken twice.
Please leave the chart as it is for now, another team owns it. Here is the end of the log:

2026-06-30T12:01:12Z WARN  connection pool exhausted, waiting 500ms
2026-06-30T12:01:14Z ERROR could not serialize access due to concurrent update
    at Pool.query (/app/node_modules/pg-pool/index.js:45:11)
    at async Berths.book (/app/src/berths.ts:112:9)
2026-06-30T12:01:15Z INFO  retrying in 250 ms

What went wrong, and which of our rules does the fix have to follow?
"""


class Hooks(Runner):
    """Runs commands with a file as standard input."""

    def run(self, command: Command) -> float:
        stdin = getattr(command, "stdin", None)
        fd = os.open(stdin() if stdin else os.devnull, os.O_RDONLY)
        self.actions[0] = (os.POSIX_SPAWN_DUP2, fd, 0)
        try:
            return super().run(command)
        finally:
            os.close(fd)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pimem", default="target/dist/pimem", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pimem-hook-") as name:
        tmp = Path(name)
        files, _, words = make_corpus(LINES)
        sentences = Sentences("sessions")
        summaries = [
            {"id": f"s{n}", "ts": f"{NOW:%Y-%m-%dT%H:%M:%SZ}", "summary": " | ".join(sentences.next(120) for _ in range(5))}
            for n in range(SESSIONS)
        ]
        files["../data/session-search.json"] = json.dumps({"sessions": summaries})
        store = Store(tmp, "project", files)
        runner = Hooks(tmp)
        runner.run(Command("rebuild", [args.pimem, "rebuild"], store))
        subprocess.run([args.pimem, "trust", "--all"], cwd=store.root, env=store.env, stdout=subprocess.DEVNULL)
        for number in range(GUARDS):
            forbidden = ["add", "-q", "--forbid", rf"from ['\"]package{number}\b", "--place", "src/**", f"Package {number} is not used"]
            subprocess.run([args.pimem, *forbidden], cwd=store.root, env=store.env, stdout=subprocess.DEVNULL, check=True)
        runner.run(Command("rebuild", [args.pimem, "rebuild"], store))
        # A fresh rebuild, and no background work after a call: the times are those of the calls alone.
        store.env["PIMEM_HOOK_REBUILD_MINUTES"] = "0"
        query = " ".join(words)

        def messages(event: str, **more) -> list[Path]:
            paths = []
            for number in range(args.runs + 8):
                text = {"session_id": f"bench-{number}", "cwd": str(store.root), "hook_event_name": event, **more}
                path = tmp / f"{event}-{number}.json"
                path.write_text(json.dumps(text))
                paths.append(path)
            return paths

        def hook(name: str, event: str, inputs: list[Path]) -> Command:
            command = Command(name, [args.pimem, "hook", "claude", event], store)
            command.stdin = iter(inputs).__next__
            return command

        for path in messages("SessionStart", source="startup"):
            with open(path, "rb") as stdin:
                call = [args.pimem, "hook", "claude", "session-start"]
                subprocess.run(call, cwd=store.root, env=store.env, stdin=stdin, stdout=subprocess.DEVNULL, check=True)
        edit = {"tool_name": "Edit", "tool_input": {"file_path": f"src/{words[2]}.rs"}}
        written = "".join(f"import {word} from '{word}'\n" for word in itertools.islice(itertools.cycle(words), WRITTEN))
        write = {"tool_name": "Write", "tool_input": {"file_path": f"src/{words[2]}.ts", "content": written}}
        empty = compile_rust(tmp, None)["empty"]
        commands = [
            Command("an empty program", [empty], store),
            Command("search --mode keyword", [args.pimem, "search", "--mode", "keyword", query], store),
            Command("search", [args.pimem, "search", query], store),
            hook("hook claude prompt", "prompt", messages("UserPromptSubmit", prompt=f"What about {query}?")),
            hook("hook claude prompt, with a log", "prompt",
                 messages("Message", prompt=MESSAGE.format(query=query))),
            hook("hook claude prompt, a closer", "prompt", messages("Closer", prompt="thanks!")),
            hook("hook claude pre-tool", "pre-tool", messages("PreToolUse", **write)),
            hook("hook claude post-tool", "post-tool", messages("PostToolUse", **edit)),
            hook("hook claude session-start", "session-start", messages("Resume", source="resume")),
        ]
        runner.rounds(commands, args.runs, 1)
        floor = statistics.median(commands[0].ms)
        rows = []
        for command in commands:
            times = sorted(command.ms)
            median, p99 = statistics.median(times), times[int(len(times) * 0.99) - 1]
            rows.append({"command": command.name, "ms": round(median, 2), "timesEmpty": round(median / floor, 1),
                         "p99": round(p99, 2), "p99OverMedian": round(p99 / median, 2)})
        if args.json:
            print(json.dumps({"runs": args.runs, "rows": rows}, indent=2))
            return
        print(f"| cold process, {args.runs} runs | median | × empty | p99 | p99 / median |\n|---|---|---|---|---|")
        for row in rows:
            print(f"| {row['command']} | {row['ms']} ms | {row['timesEmpty']} | {row['p99']} ms | {row['p99OverMedian']} |")


if __name__ == "__main__":
    main()
