#!/usr/bin/env python3
"""Finds the sessions that answer the questions of LoCoMo (snap-research/locomo, ten long conversations).

    python3 benches/locomo.py DATA [--pimem target/dist/pimem] [--mode hybrid|keyword] [--only 44 47 48 49 50]

DATA is data/locomo10.zip of that repository. Each conversation is a store whose daily logs are its sessions, a turn a line.
Each question is a search of the logs; the sessions are ranked by their best line. Told is the share of questions of
each kind of which a session with evidence is among the first 1, 5 and 10, and of the evidence's sessions
that are among these.

Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import json
import os
import re
import subprocess
import tempfile
import zipfile
from pathlib import Path

AT = (1, 5, 10)
KINDS = {1: "several sessions", 2: "time", 3: "inference", 4: "one session", 5: "what was not said"}


def conversations(data: Path, only: list[str] | None) -> list[dict]:
    with zipfile.ZipFile(data) as files:
        names = [name for name in files.namelist() if name.endswith(".json")]
        return [json.loads(files.read(name)) for name in sorted(names) if not only or Path(name).stem in only]


def write(talk: dict, daily: Path) -> dict[str, int]:
    """Writes the logs. Returns the session of each."""
    daily.mkdir(parents=True)
    sessions = {}
    for number in range(1, 100):
        turns = talk.get(f"session_{number}")
        if not turns:
            continue
        when = talk[f"session_{number}_date_time"]
        day = datetime.datetime.strptime(when.split(" on ")[1].replace(",", ""), "%d %B %Y").date()
        while str(day) in sessions:
            day += datetime.timedelta(days=1)
        sessions[str(day)] = number
        lines = [f"# {when}\n\n"]
        for turn in turns:
            image = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            lines.append(f"- {turn['speaker']}: {' '.join(turn['text'].split())}{image}\n")
        (daily / f"{day}.md").write_text("".join(lines))
    return sessions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--pimem", default="target/dist/pimem", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--mode", default="hybrid")
    parser.add_argument("--only", nargs="*", help="names of conversations, as 26")
    args = parser.parse_args()
    hits, found, asked, wanted = (collections.Counter() for _ in range(4))
    for number, talk in enumerate(conversations(args.data, args.only)):
        with tempfile.TemporaryDirectory(prefix="pimem-locomo-") as name:
            root = Path(name)
            env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(root / "home"), "LC_ALL": "C.UTF-8", "TZ": "UTC",
                   "PIMEM_NOW": "2026-01-01T00:00:00Z", "PIMEM_EMBEDDING_DEADLINE_MS": "60000",
                   "PIMEM_EMBEDDING_BACKGROUND": "false"}
            sessions = write(talk, root / "project/.pi/memory/daily")
            call = lambda *words: subprocess.run([args.pimem, *words], cwd=root / "project", env=env, text=True, capture_output=True)
            for words in (["trust", "--all"], ["rebuild"]):
                done = call(*words)
                if done.returncode != 0:
                    raise SystemExit(done.stderr)
            for question in talk["qa"]:
                gold = {int(turn) for part in question["evidence"] for turn in re.findall(r"D(\d+):", part)}
                if question["category"] not in KINDS or not gold:
                    continue
                done = call("search", "--json", "--mode", args.mode, "--in", "daily", "-n", "100", "--", question["question"])
                ranked = []
                for hit in json.loads(done.stdout or "{}").get("hits", []):
                    session = sessions.get(Path(hit["source"]).stem)
                    if session is not None and session not in ranked:
                        ranked.append(session)
                kind = KINDS[question["category"]]
                asked[kind] += 1
                wanted[kind] += len(gold)
                for at in AT:
                    found[kind, at] += len(gold & set(ranked[:at]))
                    hits[kind, at] += bool(gold & set(ranked[:at]))
        print(f"conversation {number + 1} of 10", end="\r", flush=True)
    print("| questions about | number |" + "".join(f" hit@{at} |" for at in AT) + "".join(f" recall@{at} |" for at in AT))
    print("|---|" + "---|" * 7)
    for kinds in [[kind] for kind in KINDS.values()] + [list(KINDS.values())]:
        number = sum(asked[kind] for kind in kinds)
        all_gold = sum(wanted[kind] for kind in kinds)
        cells = [f"{sum(hits[kind, at] for kind in kinds) / number:.3f}" for at in AT]
        cells += [f"{sum(found[kind, at] for kind in kinds) / all_gold:.3f}" for at in AT]
        print(f"| {kinds[0] if len(kinds) == 1 else 'all'} | {number} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
