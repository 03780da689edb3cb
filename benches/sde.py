#!/usr/bin/env python3
"""Asks whether a decision of a past session is there when its bug is reported (vectorize-io/sde-bench).

    python3 benches/sde.py CLONE [--pimem target/dist/pimem]

CLONE is a clone of that repository. Its conversations of developers with an agent, 33 with a decision and 140
without, are written as sessions of Claude Code in one project; `import history` reads them, and what it takes
is reviewed as a whole. Told is of how many conversations with a decision a line is taken, is among the first
1, 5 and 10 of a search for the bug report, and is in what the hooks give: at the start, and for the report as
a prompt. A line may be beside the decision; which of them decide is for a person to judge (--lines).

Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

NOW = "2026-11-01T10:00:00Z"
AT = (1, 5, 10)
# Characters by which a line is recognised; lines may be cut.
KNOWN = 50


class Project:
    def __init__(self, program: Path, place: Path) -> None:
        self.program, self.root, self.home = program, place / "project", place / "home"
        self.sessions = self.home / ".claude/projects" / str(self.root).replace("/", "-")
        self.sessions.mkdir(parents=True)
        self.root.mkdir()
        self.env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "PIMEM_NOW": NOW}
        subprocess.run(["git", "init", "-q"], cwd=self.root, env=self.env, check=True)

    def run(self, *args: str, data: str = "") -> str:
        command = [str(self.program), *args]
        done = subprocess.run(command, cwd=self.root, env=self.env, input=data, capture_output=True, text=True)
        # 1 says that nothing was found, or that something waits.
        if done.returncode > 1:
            raise SystemExit(f"{' '.join(args)}: {done.stderr}")
        return done.stdout

    def hook(self, event: str, name: str, **fields: str) -> str:
        data = json.dumps({"cwd": str(self.root), "hook_event_name": name, **fields})
        out = self.run("hook", "claude", event, data=data)
        return json.loads(out)["hookSpecificOutput"]["additionalContext"] if out.strip() else ""

    def write(self, number: int, turns: list[dict]) -> None:
        session = f"{number:08x}-0000-4000-8000-000000000000"
        with (self.sessions / f"{session}.jsonl").open("w") as file:
            for at, turn in enumerate(turns):
                role = turn["role"]
                said = turn["text"] if role == "user" else [{"type": "text", "text": turn["text"]}]
                record = {
                    "type": role, "sessionId": session, "cwd": str(self.root), "isSidechain": False,
                    "uuid": f"{number:08x}-1111-4000-8000-{at:012x}", "message": {"role": role, "content": said},
                    "timestamp": f"2026-{3 + number // 28:02}-{1 + number % 28:02}T10:{at:02}:00.000Z",
                }
                file.write(json.dumps(record) + "\n")


def talks(task: dict) -> list[list[dict]]:
    """Returns the conversations of a task; an amended one has two."""
    said = task["conversations"]
    return said if isinstance(said[0], list) else [said]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path)
    parser.add_argument("--pimem", type=Path, default=Path("target/dist/pimem"))
    parser.add_argument("--lines", action="store_true", help="print the lines of each conversation")
    args = parser.parse_args()
    tasks = [json.loads(path.read_text()) for path in sorted(args.clone.glob("*/tasks/main/task.json"))]
    tasks = [task for task in tasks if task["source"].startswith("conversation")]
    decoys = json.loads((args.clone / "gen/decoy_conversations.json").read_text())
    with tempfile.TemporaryDirectory() as place:
        project = Project(args.pimem.resolve(), Path(place))
        written = [talk for task in tasks for talk in talks(task)] + [decoy["turns"] for decoy in decoys]
        for number, turns in enumerate(written):
            project.write(number, turns)
        project.run("init")
        project.run("import", "history")
        project.run("trust", "--all")
        project.run("rebuild")
        # The model embeds in the background.
        while "\"degraded\"" in project.run("search", "--json", tasks[0]["bug_report"]):
            time.sleep(1)
        lines = [entry["text"] for entry in json.loads(project.run("list", "--json"))["entries"]]
        counts = {name: 0 for name in ("taken", *(f"search, first {k}" for k in AT), "at the start", "for the prompt")}
        for task in tasks:
            said = " ".join(turn["text"] for talk in talks(task) for turn in talk if turn["role"] == "user").lower()
            own = [line for line in lines if line.lower()[:KNOWN] in said]
            if args.lines:
                print(task["task_id"], task["policy"], *own, sep="\n    ")
            report, session = task["bug_report"], task["task_id"]
            found = json.loads(project.run("search", "--json", "-n", "10", report) or "{}").get("hits", [])
            ranks = [at for at, hit in enumerate(found) if hit["text"] in own]
            start = project.hook("session-start", "SessionStart", source="startup", session_id=session)
            prompt = project.hook("prompt", "UserPromptSubmit", prompt=report, session_id=session)
            counts["taken"] += bool(own)
            for k in AT:
                counts[f"search, first {k}"] += any(rank < k for rank in ranks)
            counts["at the start"] += any(line in start for line in own)
            counts["for the prompt"] += any(line in prompt for line in own)
    print(f"{len(lines)} lines of {len(written)} conversations; of {len(tasks)} with a decision, some line is")
    for name, count in counts.items():
        print(f"  {name:<18}{count:>4}")


if __name__ == "__main__":
    main()
