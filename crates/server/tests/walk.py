#!/usr/bin/env python3
"""Walks pimem and pimem-server through what a team meets: two people on three machines, `kill -9` of either program
in the middle of a push, and a database that is lost.

    crates/server/tests/walk.py --pimem target/debug/pimem --server target/debug/pimem-server

Exits with 1 at the first thing that is not as it should be.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "benches"))
sys.dont_write_bytecode = True

from server import Stage  # noqa: E402

ENTRIES = 1800


class Team:
    """A stage with ben beside anna, who is an administrator."""

    def __init__(self, server, listen=None):
        self.stage = Stage(server, listen=listen)
        self.stage.run("user", "create", "ben", "--org", "acme")
        self.stage.run("user", "grant", "ben", "writer", "--org", "acme")
        scopes = ["--scopes", "read,write", "--org", "acme"]
        self.keys = {"anna": self.stage.key, "ben": self.stage.run("key", "create", "ben", *scopes).strip()}

    def rows(self):
        return int(self.stage.sql("select count(*) from pimem.entries"))


class Machine:
    """A home with one project."""

    def __init__(self, pimem, dir, person):
        self.pimem, self.person, self.home = pimem, person, dir
        self.project = dir / "site"
        self.project.mkdir(parents=True)
        self.run(None, "init")

    def environment(self, team):
        env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "CI": "true", "PIMEM_NOW": "2026-06-30T18:00:00Z"}
        if team:
            env |= {"PIMEM_SYNC_SERVER": team.stage.address, "PIMEM_SYNC_KEY": team.keys[self.person]}
            env |= {"PIMEM_SYNC_PROJECT": "site"}
        return env

    def start(self, team, *words):
        return subprocess.Popen(
            [self.pimem, *words], cwd=self.project, env=self.environment(team), text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def run(self, team, *words, stdin="", codes=(0,)):
        process = self.start(team, *words)
        out, err = process.communicate(stdin)
        assert process.returncode in codes, f"{self.home.name}: pimem {' '.join(words)}: {process.returncode}\n{out}{err}"
        return out

    def sync(self, team):
        return self.run(team, "sync", "--yes")

    def texts(self):
        return {entry["text"] for entry in json.loads(self.run(None, "list", "--json"))["entries"]}

    def report(self):
        return self.run(None, "report")

    def remember(self, first, count):
        lines = [json.dumps({"category": "lesson", "text": text(number)}) for number in range(first, first + count)]
        self.run(None, "import", "jsonl", "-", stdin="\n".join(lines))


def text(number):
    return f"Service {number} of the port keeps its settings in file {number * 7919 % 10007}"


def meet(team, machines, is_done, what):
    """Syncs until all is there: what a long transaction of the server holds back comes with a later sync."""
    for _ in range(5):
        for machine in machines:
            machine.sync(team)
        if is_done():
            return
        time.sleep(1)
    raise AssertionError(what)


def killed_client(team, machine):
    """Kills the program at later and later moments of a push, until one is done before it is killed."""
    began = time.perf_counter()
    machine.run(team, "sync", "--dry-run")
    step = (time.perf_counter() - began) / 3
    arrived = []
    while True:
        process = machine.start(team, "sync", "--yes")
        try:
            process.communicate(timeout=step * (len(arrived) + 1))
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            arrived.append(team.rows())
    assert process.returncode == 0, process.returncode
    assert team.rows() == ENTRIES, team.rows()
    print(f"  {len(arrived)} kills of the program, after which there were {arrived} entries; then all {ENTRIES}")


def killed_server(team, machine):
    """Kills the server while a machine pushes; the next push has to bring all."""
    machine.remember(ENTRIES, 300)
    process = machine.start(team, "sync", "--yes")
    time.sleep(0.3)
    team.stage.process.send_signal(signal.SIGKILL)
    team.stage.process.wait()
    out, err = process.communicate(timeout=120)
    assert process.returncode in (0, 2), f"{process.returncode}\n{out}{err}"
    arrived = team.rows()
    team.stage.serve()
    assert team.rows() == arrived, "what was there is there"
    machine.sync(team)
    assert team.rows() == ENTRIES + 300, team.rows()
    print(f"  a kill of the server: {arrived} of {ENTRIES + 300} entries had arrived; pushed again, all")


def lost_database(args, before, machines):
    """Fills another database from the machines. Reports do not change."""
    reports = [machine.report() for machine in machines]
    rows = before.rows()
    before.stage.close()
    team = Team(args.server, before.stage.listen)
    for machine in machines:
        machine.sync(team)
    meet(team, machines, lambda: [machine.report() for machine in machines] == reports, "reports stay as they were")
    assert team.rows() == rows, (team.rows(), rows)
    print(f"  another database: {rows} entries, and the same reports on {len(machines)} machines")
    return team


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pimem", type=os.path.abspath, default=str(ROOT / "target/debug/pimem"))
    parser.add_argument("--server", type=os.path.abspath, default=str(ROOT / "target/debug/pimem-server"))
    args = parser.parse_args()
    sandbox = pathlib.Path(tempfile.mkdtemp(prefix="pimem-walk-"))
    team = Team(args.server)
    try:
        anna, laptop, ben = (
            Machine(args.pimem, sandbox / name, person)
            for name, person in [("anna", "anna"), ("laptop", "anna"), ("ben", "ben")]
        )
        anna.remember(0, ENTRIES)
        killed_client(team, anna)
        killed_server(team, anna)
        meet(team, [laptop], lambda: laptop.texts() == anna.texts(), "one person has one memory on both machines")
        assert laptop.report() == anna.report(), "and one report"
        ben.sync(team)
        assert not ben.texts(), "what others have said is no line of one's own"
        assert text(0) in ben.run(None, "list", "--scope", "team"), "it is in a mirror"
        assert "Service" in ben.run(None, "search", "settings of service 12"), "and found there"
        print("  two machines of one person are alike, and another person has a mirror")
        team = lost_database(args, team, [anna, laptop, ben])
        anna.run(None, "forget", "--destroy", "--yes", text(0))
        anna.sync(team)
        meet(team, [laptop], lambda: text(0) not in laptop.texts(), "a purge reaches the other machine")
        meet(team, [ben], lambda: text(0) not in ben.run(None, "list", "--scope", "team"), "and the mirror")
        print("  a purge has reached all machines")
    finally:
        team.stage.close()
        shutil.rmtree(sandbox, ignore_errors=True)


if __name__ == "__main__":
    main()
