#!/usr/bin/env python3
"""Random histories of one person's two machines, each with work trees of a project, which meet by git and by
pimem-server; with kills of either program and clocks that go wrong.

    crates/server/tests/histories.py --pimem target/debug/pimem --server target/debug/pimem-server --runs 200

The model is a page: what was acknowledged and not taken back is shown on its machine, or waits there for a review; what
was taken back in a work tree stays away from it; an answer is the same with and without its index; and when all have
met, both machines list the same. Exits with 1 at the first history in which that is not so, and tells it. A control,
in which a line is lost behind the program's back, has to be noticed.
"""

import argparse
import concurrent.futures
import datetime
import functools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "benches"))
sys.dont_write_bytecode = True

from server import Stage  # noqa: E402

BEGIN = datetime.datetime(2026, 6, 30, 12, tzinfo=datetime.timezone.utc)
SHORTEST = 5
WIDE = ["report", "--budget", "8000"]
# What may happen, with its weight.
ACTS = {
    "add": 6, "add closed": 2, "forget": 2, "edit": 2, "reinforce": 2, "pin": 1, "undo": 1, "sync": 4, "commit": 2, "merge": 2,
    "say": 3, "dream": 1, "rebuild": 1, "rebase": 1, "pull": 2, "branch": 1, "remove": 1, "clean": 1, "reset": 1, "switch": 1, "clock": 1,
    "supersede": 2, "restore": 1, "unpin": 1,
    "squash": 1, "pick": 1, "amend": 1, "stash": 1, "revert": 1, "session": 1, "import": 1,
}
# What is of a machine, and of its files.
OWN = ["line", "topic", "accessCount", "lastAccessed"]


class Wrong(Exception):
    pass


class Machine:
    """A home, with a project and linked work trees of it."""

    def __init__(self, world, name):
        self.world, self.name, self.home = world, name, world.dir / name
        self.home.mkdir()
        (self.home / ".gitconfig").write_text(
            "[user]\nname = Anna\nemail = anna@example.org\n[init]\ndefaultBranch = main\n"
            "[gc]\nauto = 0\n[maintenance]\nauto = false\n"
        )
        self.trees = {"main": self.home / "main"}
        # The branch of each linked work tree, and those that were left for another.
        self.on, self.left = {}, []
        self.skew = datetime.timedelta()
        # What has to be there, and what must not be in a tree.
        self.kept, self.gone = set(), {"main": set()}
        # Of these, what no commit has yet.
        self.fresh = {"main": set()}

    def now(self):
        return BEGIN + datetime.timedelta(minutes=10 * self.world.step) + self.skew

    def environment(self, **more):
        stage, now = self.world.stage, self.now().strftime("%FT%TZ")
        env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "CI": "true", "PIMEM_NOW": now}
        env |= {"PIMEM_SYNC_SERVER": stage.address, "PIMEM_SYNC_KEY": stage.key, "PIMEM_SYNC_PROJECT": self.world.project}
        return env | more

    def ask(self, tree, *words, stdin="", **env):
        command, dir = [self.world.pimem, *words], self.trees[tree]
        return subprocess.run(
            command, cwd=dir, env=self.environment(**env), input=stdin, text=True, capture_output=True, check=False
        )

    def run(self, tree, *words, **env):
        done = self.ask(tree, *words, **env)
        if done.returncode != 0:
            raise Wrong(f"{self.name}/{tree}: pimem {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def kill(self, tree, *words):
        """Starts a command, and kills it within its usual time."""
        process = subprocess.Popen(
            [self.world.pimem, *words], cwd=self.trees[tree], env=self.environment(), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(timeout=self.world.dice.random() * 0.03)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def git_done(self, tree, *words):
        env = {"HOME": str(self.home), "PATH": f"{self.world.path}:{os.environ['PATH']}", "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["git", *words], cwd=self.trees[tree], env=env, text=True, capture_output=True, check=False
        )

    def git(self, tree, *words, codes=(0,)):
        done = self.git_done(tree, *words)
        if codes and done.returncode not in codes:
            raise Wrong(f"{self.name}/{tree}: git {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.returncode

    def branch(self, tree):
        """Makes a work tree."""
        self.trees[tree], self.gone[tree], self.fresh[tree] = self.home / tree, set(), set()
        self.on[tree] = f"{self.name}-{tree}"
        self.git("main", "worktree", "add", "-q", "-b", self.on[tree], f"../{tree}")

    def switch(self, tree):
        """Goes on with another branch. What git took of this one is put back first, and committed."""
        self.ask(tree, "trust", "--review")
        self.commit(tree)
        self.left.append(self.on[tree])
        self.on[tree] = f"{self.name}-{tree}-{self.world.step}"
        self.git(tree, "switch", "-q", "-c", self.on[tree], "main")
        # What was taken away there comes with a merge.
        self.gone[tree] = set()

    def remove(self, tree):
        self.git("main", "worktree", "remove", "--force", f"../{tree}")
        self.git("main", "branch", "-qD", self.on[tree])
        # What was forgotten on a branch goes with it.
        self.world.dead -= self.gone.pop(tree) | self.fresh.pop(tree)
        del self.trees[tree]

    def merge(self, tree):
        self.commit(tree)
        self.commit("main")
        self.join("merge", "-q", "--no-edit", self.on[tree])

    def join(self, *words):
        """Merges into the main work tree. A file that a revert deleted and the other side went on with stays."""
        done = self.git_done("main", *words)
        if done.returncode != 0 and "(modify/delete)" not in done.stdout:
            raise Wrong(f"{self.name}: git {' '.join(words)}: {done.stdout}{done.stderr}")
        self.commit("main")

    def squash(self, tree):
        self.commit(tree)
        self.commit("main")
        self.join("merge", "-q", "--squash", self.on[tree])

    def pick(self, tree, of):
        """Takes the last commit of another branch."""
        self.commit(tree)
        if self.git(tree, "cherry-pick", self.on.get(of, "main"), codes=()) != 0:
            self.git(tree, "cherry-pick", "--abort", codes=())

    def stash(self, tree):
        """Puts away what is not committed, and gets it again behind a session."""
        if self.git(tree, "stash", "push", "-qu", codes=(0, 1)) != 0:
            return
        self.run(tree, *WIDE)
        if self.git(tree, "stash", "pop", "-q", codes=()) != 0:
            self.reset(tree)
            self.git(tree, "stash", "drop", "-q", codes=(0, 1))

    def revert(self, tree):
        """Takes the last commit back, and so what it had added or taken away: which it is, the other branches say."""
        self.commit(tree)
        was = self.git_done(tree, "show", "HEAD").stdout
        if self.git(tree, "revert", "--no-edit", "HEAD", codes=()) != 0:
            self.git(tree, "revert", "--abort", codes=())
            return
        known = [self.world.alive, self.world.dead]
        for machine in self.world.machines:
            known += [machine.kept, *machine.gone.values(), *machine.fresh.values()]
        for texts in known:
            texts -= {text for text in texts if text in was}

    def session(self, tree):
        """Begins and ends a session of an agent."""
        for event in ["session-start", "session-end"]:
            told = {"session_id": str(self.world.step), "cwd": str(self.trees[tree]), "source": "startup"}
            self.ask(tree, "hook", "claude", event, stdin=json.dumps(told))

    def add_closed(self, tree, *words):
        """Adds while git's directory cannot be written, as in a sandbox; a hook outside takes it in."""
        kept, away = self.home / "main/.git/pimem", self.home / "away"
        is_there = kept.exists()
        if is_there:
            kept.rename(away)
        kept.write_text("no directory")
        self.run(tree, *words)
        kept.unlink()
        if is_there:
            away.rename(kept)
        start = {"session_id": words[-1], "cwd": str(self.trees[tree]), "source": "startup"}
        self.ask(tree, "hook", "claude", "session-start", stdin=json.dumps(start))

    def lose(self, text):
        """Takes a line away behind the program's back, with all that knows of it."""
        for path in [*self.home.rglob("*.jsonl"), *self.home.rglob("topics/*.md")]:
            lines = path.read_text().splitlines(keepends=True)
            path.write_text("".join(line for line in lines if text not in line))

    def has(self, branch, text):
        return self.git("main", "grep", "-qF", text, branch, codes=()) == 0

    def commit(self, tree):
        self.git(tree, "add", "-A")
        self.git(tree, "commit", "-qm", "memories", codes=(0, 1))
        self.fresh[tree] = set()

    def amend(self, tree):
        """Commits into the last commit. What is in a merge of itself, a rebase would leave out."""
        if self.git(tree, "rev-parse", "-q", "--verify", "HEAD^2", codes=()) == 0:
            self.commit(tree)
        self.git(tree, "add", "-A")
        self.git(tree, "commit", "-q", "--amend", "--no-edit", codes=(0, 1))
        self.fresh[tree] = set()

    def reset(self, tree):
        """Goes back to the last commit. What was added since waits, and what was taken away is there."""
        self.git(tree, "reset", "-q", "--hard")
        self.world.dead -= self.fresh[tree]
        self.gone[tree] -= self.fresh[tree]
        self.fresh[tree] = set()

    def shown(self, tree):
        """The lines of its report, without where they were learned and what seems to have become of them."""
        lines = re.findall(r"^- (?:\[\w+\] )?(.*)$", self.run(tree, *WIDE), re.MULTILINE)
        return {line.removesuffix(" (seems replaced)").split(" (on ")[0] for line in lines}

    def listed(self, tree):
        return json.loads(self.run(tree, "list", "--json"))["entries"]

    def check(self):
        shown = {tree: self.shown(tree) for tree in self.trees}
        away = self.kept.difference(*shown.values())
        if away:
            waits = "".join(self.ask(tree, "trust", "--review").stdout for tree in self.trees)
            away = {text for text in away if text not in waits}
            # On a branch that was left, it waits for the merge.
            away = {text for text in away if not any(self.has(branch, text) for branch in self.left)}
        if away:
            raise Wrong(f"{self.name}: lost {away}")
        for tree, gone in self.gone.items():
            if gone & shown[tree]:
                raise Wrong(f"{self.name}/{tree}: is back: {gone & shown[tree]}")

    def ask_at_rest(self, tree, words, env):
        """Asks when no process works in the background for this machine."""
        marks = [b"PIMEM_UNASKED=1", f"HOME={self.home}".encode()]

        def works(process):
            try:
                variables = (process / "environ").read_bytes().split(b"\0")
            except OSError:
                return False
            return all(mark in variables for mark in marks)

        while any(works(process) for process in pathlib.Path("/proc").glob("[0-9]*")):
            time.sleep(0.01)
        return self.ask(tree, *words, **env).stdout

    def compare(self, tree):
        """Asks with the index, and with none."""
        cold = self.home / "cold"
        for words in [WIDE, ["search", "quay", "--json"], ["list", "--json"]]:
            # What a hook left to do in the background may change the store between two answers.
            warm, fresh = (self.ask_at_rest(tree, words, env) for env in [{}, {"XDG_CACHE_HOME": str(cold)}])
            shutil.rmtree(cold, ignore_errors=True)
            if warm != fresh:
                raise Wrong(f"{self.name}/{tree}: pimem {' '.join(words)}: warm {warm}\ncold {fresh}")


class World:
    def __init__(self, args, stage, seed, is_control):
        self.pimem, self.stage, self.dice, self.step = args.pimem, stage, random.Random(seed), 0
        self.is_control, self.most = is_control, args.steps
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="pimem-history-", dir=args.dir))
        self.path, self.seed, self.story = pathlib.Path(args.pimem).parent, seed, []
        # What was said and not taken back, and what was. A marker in a file outranks what was decided elsewhere.
        self.alive, self.dead, self.pinned = set(), set(), set()
        # Questions that stand behind lines, and until when these hold.
        self.behind = {}
        # What another line has replaced.
        self.stood_for = {}
        # When lines were last reinforced, by the clock of the machine: who does that later wants the old wording.
        self.used = {}
        self.meet()

    def meet(self):
        self.project = f"control{self.seed}" if self.is_control else f"p{self.seed}"
        self.stage.run("project", "create", self.project, "--org", "acme")
        self.desk, self.laptop = Machine(self, "desk"), Machine(self, "laptop")
        self.machines = [self.desk, self.laptop]

    def begin(self):
        desk, laptop = self.machines
        desk.trees["main"].mkdir()
        desk.git("main", "init", "-q")
        for text in ["The shared quay is old", "The shared crane is new"]:
            desk.run("main", "add", text)
            self.said(desk, text)
        for message in ["start", "all that follows has a parent"]:
            desk.git("main", "add", "-A")
            desk.git("main", "commit", "-q", "--allow-empty", "-m", message)
        subprocess.run(["git", "clone", "-q", desk.trees["main"], laptop.trees["main"]], check=True)
        laptop.run("main", "trust", "--all")
        for machine in self.machines:
            machine.branch("side")

    def said(self, machine, text):
        self.alive.add(text)
        machine.kept.add(text)

    def taken(self, machine, tree, text):
        self.alive.discard(text)
        if text not in self.pinned and self.used.get(text, machine.now()) <= machine.now():
            self.dead.add(text)
            machine.gone[tree].add(text)
            machine.fresh[tree].add(text)
        for each in self.machines:
            each.kept.discard(text)

    def act(self):
        dice = self.dice
        machine = dice.choice(self.machines)
        tree = dice.choice(list(machine.trees))
        what = dice.choices(list(ACTS), list(ACTS.values()))[0]
        self.story.append(f"{machine.name}/{tree} {what}")
        is_killed = dice.random() < 0.25

        def change(*words):
            if is_killed:
                self.story[-1] += ", killed before"
                machine.kill(tree, *words)
                return machine.ask(tree, *words)
            return machine.run(tree, *words)

        if what in ("add", "add closed"):
            text = f"Rule {self.seed} {self.step} of the {dice.choice(['old', 'new', 'far'])} quay"
            words = ["add", "-c", dice.choice(["lesson", "decision", "preference"]), text]
            if dice.random() < 0.5:
                self.behind[text] = [[f"question {self.step}"], f"2027-01-{self.step % 28 + 1:02}T23:59:59.999Z"]
                (question,), until = self.behind[text]
                words += ["--asked", question, "--valid-until", until[:10]]
            (change if what == "add" else functools.partial(machine.add_closed, tree))(*words)
            self.said(machine, text)
            if self.is_control:
                machine.lose(text)
        elif what in ("forget", "edit", "reinforce", "pin", "unpin", "supersede"):
            listed = machine.listed(tree)
            own = sorted(one["text"] for one in listed if "branch" not in one and one["text"] in self.alive)
            if own:
                self.change_line(machine, tree, what, dice.choice(own), change)
        elif what == "restore" and machine.gone[tree]:
            self.restore(machine, tree, dice.choice(sorted(machine.gone[tree])), change)
        elif what == "undo":
            text = f"Rule {self.seed} {self.step} is taken back"
            machine.run(tree, "add", text)
            machine.run(tree, "undo")
            self.taken(machine, tree, text)
        elif what == "say":
            text = f"Always use {dice.choice(['tabs', 'spaces'])} in module {self.seed * 100 + self.step}"
            said = {"session_id": text, "cwd": str(machine.trees[tree]), "prompt": f"{text}."}
            machine.ask(tree, "hook", "claude", "prompt", stdin=json.dumps(said))
            self.said(machine, text)
        elif what in ("dream", "rebuild"):
            change(what)
        elif what == "sync":
            if is_killed:
                machine.kill(tree, "sync", "--yes")
            machine.ask(tree, "sync", "--yes")
        elif what == "commit":
            machine.commit(tree)
        elif what == "merge" and tree != "main":
            machine.merge(tree)
        elif what == "rebase":
            machine.commit(tree)
            machine.git(tree, "rebase", "-q", "main", codes=())
            machine.git(tree, "rebase", "--abort", codes=())
        elif what == "pull":
            other = self.laptop if machine is self.desk else self.desk
            machine.commit("main")
            other.commit("main")
            machine.join("pull", "-q", "--no-rebase", "--no-edit", str(other.trees["main"]), "main")
        elif what == "branch":
            machine.branch(f"tree{self.step}")
        elif what == "remove" and tree != "main":
            machine.remove(tree)
        elif what == "clean":
            machine.git(tree, "clean", "-fdxq")
            # A log that is committed without the line would be a removal on the other machine.
            machine.ask(tree, "trust", "--review")
        elif what == "reset":
            machine.reset(tree)
        elif what in ("amend", "stash", "revert", "session"):
            getattr(machine, what)(tree)
        elif what == "squash" and tree != "main":
            machine.squash(tree)
        elif what == "pick":
            machine.pick(tree, dice.choice(list(machine.trees)))
        elif what == "import":
            text = f"Rule {self.seed} {self.step} of a file"
            (machine.home / "lines").write_text(json.dumps({"text": text, "category": "lesson"}) + "\n")
            machine.run(tree, "import", "jsonl", str(machine.home / "lines"))
            self.said(machine, text)
        elif what == "switch" and tree != "main":
            machine.switch(tree)
        elif what == "clock":
            machine.skew = datetime.timedelta(hours=dice.randint(-72, 72))
        machine.check()
        if dice.random() < 0.2:
            machine.compare("main")

    def change_line(self, machine, tree, what, text, change):
        self.story[-1] += f" {text!r}"
        if what == "edit":
            new = f"{text}, as of {self.step}"
            change("edit", text, new)
            self.taken(machine, tree, text)
            self.said(machine, new)
            self.behind[new], self.stood_for[new] = self.behind.get(text), self.stood_for.get(text)
            if text in self.pinned:
                self.pinned.add(new)
            return
        if what == "supersede":
            new = f"{text}, or not since {self.step}"
            change("add", "--supersedes", text, new)
            self.taken(machine, tree, text)
            self.said(machine, new)
            # The questions go on with it; until when it holds is its own.
            self.behind[new] = [(self.behind.get(text) or [None])[0], None]
            self.stood_for[new] = text
            return
        change(what, text)
        if what == "pin":
            self.pinned.add(text)
        elif what == "reinforce":
            self.used[text] = max(machine.now(), self.used.get(text, machine.now()))
        elif what == "forget":
            self.taken(machine, tree, text)
            # What it had replaced is back where its line still is.
            self.doubt(self.stood_for.get(text))

    def doubt(self, text):
        """Nothing is said of a line any more, nor of those that it had replaced."""
        while text:
            for known in [self.dead, *(gone for each in self.machines for gone in each.gone.values())]:
                known.discard(text)
            text = self.stood_for.get(text)

    def restore(self, machine, tree, text, change):
        self.story[-1] += f" {text!r}"
        if machine.ask(tree, "restore", text).returncode != 0:
            return
        self.said(machine, text)
        self.dead.discard(text)
        for each in self.machines:
            for gone in each.gone.values():
                gone.discard(text)
        self.used[text] = max(machine.now(), self.used.get(text, machine.now()))

    def end(self):
        """Everything meets. Clocks are right again."""
        self.step += 1000
        for machine in self.machines:
            machine.skew = datetime.timedelta()
            for tree in machine.trees:
                machine.run(tree, "trust", "--all")
                # What hooks have noted goes to the log.
                machine.run(tree, "rebuild")
            for tree in machine.trees.keys() - {"main"}:
                machine.merge(tree)
            machine.commit("main")
            for branch in machine.left:
                machine.join("merge", "-q", "--no-edit", branch)
            machine.run("main", "trust", "--all")
        for machine in self.machines * 2:
            self.sync(machine)
        said = [{entry["text"]: entry for entry in machine.listed("main")} for machine in self.machines]
        for machine, lines in zip(self.machines, said):
            is_over = lambda entry: entry["userState"] == "forgotten" or "supersededBy" in entry
            shown = {text for text, entry in lines.items() if not is_over(entry)}
            lost, back = self.alive - shown, self.dead & shown
            if lost or back:
                raise Wrong(f"{machine.name} at the end: lost {lost}, back {back}")
            machine.compare("main")
        for text in sorted(self.alive):
            one, two = [{key: of for key, of in lines[text].items() if key not in OWN} for lines in said]
            asked, until = self.behind.get(text) or [None, None]
            if one != two or one.get("asked") != asked or one.get("validUntil") != until:
                raise Wrong(f"at the end: {json.dumps(one)}\n{json.dumps(two)}")

    def sync(self, machine):
        for _ in range(20):
            done = machine.ask("main", "sync", "--yes")
            if done.returncode == 0:
                return
        raise Wrong(f"{machine.name}: sync: {done.stdout}{done.stderr}")

    def live(self):
        try:
            self.begin()
            steps = self.most if self.is_control else self.dice.randint(SHORTEST, self.most)
            for self.step in range(steps):
                self.act()
            self.end()
        except Wrong as wrong:
            return f"history {self.seed}, in {self.dir}:\n  " + "\n  ".join(self.story) + f"\n{wrong}"
        shutil.rmtree(self.dir, ignore_errors=True)
        return None


def arguments(doc):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pimem", type=os.path.abspath, default=str(ROOT / "target/debug/pimem"))
    parser.add_argument("--server", type=os.path.abspath, default=str(ROOT / "target/debug/pimem-server"))
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--steps", type=int, default=45, help="most steps of a history")
    parser.add_argument("--seed", type=int, default=0, help="number of the first history")
    parser.add_argument("--all", action="store_true", help="go on behind what is wrong")
    args = parser.parse_args()
    args.dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return args


def check_control(worlds):
    assert all(world.live() for world in worlds), "a line that is lost is noticed"
    for world in worlds:
        shutil.rmtree(world.dir, ignore_errors=True)


def main():
    args = arguments(__doc__)
    stage = Stage(args.server)
    wrong, done, ends = [], 0, threading.Event()

    def one(seed):
        return None if ends.is_set() else World(args, stage, seed, False).live()

    try:
        check_control([World(args, stage, seed, True) for seed in range(3)])
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for found in pool.map(one, range(args.seed, args.seed + args.runs)):
                done += 1
                if found:
                    wrong.append(found)
                    print(found, flush=True)
                    if not args.all:
                        ends.set()
                if done % 100 == 0:
                    # What was pushed and acknowledged stays through this.
                    stage.process.send_signal(signal.SIGKILL)
                    stage.process.wait()
                    stage.serve()
    finally:
        stage.close()
    print(f"{done} histories of {SHORTEST} to {args.steps} steps, {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
