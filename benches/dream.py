#!/usr/bin/env python3
"""Benchmark of dreams and reflections as cold processes, compared with reading the same bytes.

    python3 benches/dream.py [--pimem target/dist/pimem] [--runs 21] [--json]

The store has 600 entries, some similar and some faded, 200 daily logs, and 5 transcripts of 2 MB each
in the format of Claude Code, most of it tool output. It is restored before each run. Reflection runs
on `fixtures/observations/long.md`, 40,000 tokens. Commands are run in turns, so that noise affects all
of them equally: the ratios are the reliable result. Python 3.9+, standard library
only; rustc for the empty program.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import subprocess
import tempfile
from datetime import timedelta
from pathlib import Path

from cold import NOW, Command, Runner, Sentences, Store, compile_rust, make_corpus

ENTRIES, LOGS, SESSIONS, BYTES = 600, 200, 5, 2_000_000
SAID = [
    "No, that's wrong, the {0} is closed before the {1}",
    "Actually the {0} belongs into the {1}, not into the {2}",
    "From now on, run the {0} before the {1}",
    "We decided to use the {0} instead of the {1}",
    "In this project we always name the {0} after the {1}",
    "Fix the {0} in the {1}",
    "Why does the {0} fail when the {1} is empty?",
    "Please look at the {0} and the {1}",
    "Run the tests with just check-fast",
]
DONE = ["Fixed the {0} of the {1}", "Implemented the {0} for the {1}", "Released the {0}", "Looked at the {0}", "Met about the {0}"]


def transcript(path: Path, number: int, rng: random.Random, sentences: Sentences) -> None:
    """Returns a session in the transcript format of Claude Code."""
    words, when = sentences.words, NOW - timedelta(hours=5 + number)
    with open(path, "w", encoding="utf-8") as out:
        size = turn = 0
        while size < BYTES:
            turn += 1
            stamp = f"{when + timedelta(seconds=turn):%Y-%m-%dT%H:%M:%S.000Z}"
            base = {"sessionId": f"bench-{number}", "timestamp": stamp, "cwd": "/work/harbor"}
            names = rng.sample(words, 3)
            printed = "\n".join(sentences.next(100) for _ in range(rng.randrange(20, 60)))
            tool = {"type": "tool_use", "id": f"t{turn}", "name": "Bash", "input": {"command": "cargo test"}}
            result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": printed}
            answer = f"{rng.choice(DONE).format(*names)}. {sentences.next(300)}."
            for kind, content in [
                ("user", rng.choice(SAID).format(*names)),
                ("assistant", [{"type": "text", "text": sentences.next(120)}, tool]),
                ("user", [result]),
                ("assistant", [{"type": "text", "text": answer}]),
            ]:
                record = {**base, "type": kind, "uuid": f"{number}-{turn}-{size}", "message": {"role": kind, "content": content}}
                size += out.write(json.dumps(record) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pimem", default="target/dist/pimem", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    rng, sentences = random.Random("dream"), Sentences("dream")
    with tempfile.TemporaryDirectory(prefix="pimem-dream-") as name:
        tmp = Path(name)
        files, _, _ = make_corpus(ENTRIES * 10 // 6)
        files = {path: text for path, text in files.items() if not path.startswith("daily/")}
        for day in range(LOGS):
            date = f"{NOW - timedelta(days=day):%Y-%m-%d}"
            items = [rng.choice(DONE).format(*rng.sample(sentences.words, 3)) for _ in range(20)]
            lines = [f"- {9 + number // 3:02}:{number % 3 * 20:02} {item}" for number, item in enumerate(items)]
            files[f"daily/{date}.md"] = f"# {date}\n\n" + "\n".join(lines) + "\n"
        store, empty_store = Store(tmp, "project", files), Store(tmp, "other", {"topics/lessons.md": ""})
        # Some entries are similar to others.
        topic = next(path for path in sorted((store.memory / "topics").iterdir()))
        entries = [line for line in topic.read_text().splitlines() if line.startswith("- [")]
        with open(topic, "a", encoding="utf-8") as out:
            out.writelines(f"{line}.\n" for line in entries[:10])
        transcripts = []
        for number in range(SESSIONS):
            path = tmp / f"session-{number}.jsonl"
            transcript(path, number, rng, sentences)
            transcripts += ["--from", str(path)]
        observations = (root / "fixtures/observations/long.md").read_text(encoding="utf-8")
        observed = Store(tmp, "observed", {"topics/lessons.md": "", "observations/long.md": observations})
        subprocess.run([args.pimem, "trust", "--all"], cwd=store.root, env=store.env, stdout=subprocess.DEVNULL, check=True)
        kept = {"memory": tmp / "kept", "state": tmp / "kept-state"}
        shutil.copytree(store.memory, kept["memory"], copy_function=shutil.copy2)
        shutil.copytree(store.env["XDG_STATE_HOME"], kept["state"], copy_function=shutil.copy2)

        def put_back(_: Command) -> None:
            for target, source in [(store.memory, kept["memory"]), (Path(store.env["XDG_STATE_HOME"]), kept["state"])]:
                shutil.rmtree(target)
                shutil.copytree(source, target, copy_function=shutil.copy2)

        everything = [str(path) for path in tmp.glob("session-*.jsonl")] + [str(path) for path in sorted(kept["memory"].rglob("*.md"))]
        dream = [args.pimem, "dream", "--force"]
        commands = [
            Command("an empty program", [compile_rust(tmp, None)["empty"]], empty_store),
            Command("grep through the same bytes", [shutil.which("grep"), "-c", "e", *everything], empty_store),
            Command("dream, entries and logs", dream, store, put_back),
            Command("dream, 5 transcripts of 2 MB too", [*dream, *transcripts], store, put_back),
            Command("dream --plan, the same", [args.pimem, "dream", "--plan", *transcripts], store, put_back),
            Command("reflect, 40,000 tokens", [args.pimem, "dream", "reflect", "--dry-run"], observed),
            Command("reflect --aggressive, the same", [args.pimem, "dream", "reflect", "--dry-run", "--aggressive"], observed),
            Command("observe --print, 2 MB", [args.pimem, "dream", "observe", "--print", transcripts[1]], empty_store),
        ]
        runner = Runner(tmp)
        runner.rounds(commands, args.runs, 1)
        grep = statistics.median(commands[1].ms)
        rows = [
            {"command": one.name, "ms": round(statistics.median(one.ms), 1), "timesGrep": round(statistics.median(one.ms) / grep, 2),
             "worst": round(max(one.ms), 1)}
            for one in commands
        ]
    if args.json:
        print(json.dumps({"runs": args.runs, "rows": rows}, indent=2))
        return
    print(f"| cold process, {args.runs} runs | median | × grep | worst |\n|---|---|---|---|")
    for row in rows:
        print(f"| {row['command']} | {row['ms']} ms | {row['timesGrep']} | {row['worst']} ms |")


if __name__ == "__main__":
    main()
