#!/usr/bin/env python3
"""Random histories of two people who share a project by git and by pimem-server, with kills of the program.

    crates/server/tests/colleagues.py --pimem target/debug/pimem --server target/debug/pimem-server --runs 40

The model is a page: what one has said and not taken back is in one's own report, or waits there for a review; what the
other said is there as the other's, or as one's own once it came by git and was trusted; what one has dropped comes back by
neither way; nothing is there twice; a search and a prompt give what the report gives. When both have exchanged, each has
all that the other says, and nothing that was taken back. Exits with 1 if that is not so, and tells it. A control, in which
a line is lost behind the program's back, has to be noticed.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True

import histories  # noqa: E402
from histories import Machine, Wrong  # noqa: E402
from walk import Team  # noqa: E402

# What may happen, with its weight.
ACTS = {
    "add": 6, "say": 2, "forget": 2, "edit": 2, "reinforce": 1, "supersede": 2, "drop theirs": 1, "sync": 5, "pull": 4, "trust": 2, "dream": 1,
}
PARTS = [one + two for one in ["ba", "do", "ki", "lu", "me", "no", "pa", "ri"] for two in ["ber", "don", "kel", "lim", "mos"]]


class Person(Machine):
    def __init__(self, world, name):
        super().__init__(world, name)
        config = self.home / ".gitconfig"
        config.write_text(config.read_text().replace("Anna", name).replace("anna@", f"{name}@"))
        self.trees = {"main": self.home / world.project}
        settings = self.home / ".pi/agent/memory.json"
        settings.parent.mkdir(parents=True)
        settings.write_text('{"report": {"team": 4000}}')
        # What one says, has taken back, and has of the other by git and a review.
        self.says, self.dropped, self.trusted = set(), set(), set()

    def environment(self, **more):
        return super().environment(PIMEM_SYNC_KEY=self.world.keys[self.name], **more)

    def is_waiting(self, text):
        return text in self.ask("main", "trust", "--review").stdout

    def told(self):
        """The lines of its report: its own, and those of the other."""
        line = r"^- (?:\[\w+\] )?(.*?)(?: \(seems replaced\))?( \(\w+, h\d+\))?$"
        lines = re.findall(line, self.run("main", *histories.WIDE), re.MULTILINE)
        return [text for text, whose in lines if not whose], [text for text, whose in lines if whose]

    def check(self, other):
        own, theirs = self.told()
        all_lines = own + theirs
        lost = {text for text in self.says.difference(own) if not self.is_waiting(text)}
        faults = {
            "lost": lost,
            "back": self.dropped & {*all_lines},
            "not reviewed": ((other.says | other.dropped) & {*own}) - self.trusted - self.says,
            "own, as the other's": self.says & {*theirs},
            "twice": {text for text in all_lines if all_lines.count(text) > 1},
        }
        self.tell(faults, all_lines)
        if all_lines and self.world.dice.random() < 0.5:
            self.ask_for(self.world.dice.choice(all_lines))

    def ask_for(self, text):
        """A search and a hook."""
        found = [hit["text"] for hit in json.loads(self.run("main", "search", text, "--json"))["hits"]]
        session = f"{self.world.step} {self.name}"
        prompt = {"session_id": session, "cwd": str(self.trees["main"]), "prompt": f"What about {text}?"}
        given = self.ask("main", "hook", "generic", "prompt", stdin=json.dumps(prompt)).stdout
        faults = {
            "not found": {text}.difference(found),
            "found twice": {one for one in found if found.count(one) > 1},
            "found, and dropped": self.dropped.intersection(found) | {one for one in self.dropped if one in given},
            "not given": {text} if text not in given else set(),
        }
        self.tell(faults, [*found, given])

    def tell(self, faults, told):
        found = {name: texts for name, texts in faults.items() if texts}
        if found:
            raise Wrong(f"{self.name}: {found}\n  " + "\n  ".join(told))


class World(histories.World):
    def __init__(self, args, team, seed, is_control):
        self.keys = team.keys
        super().__init__(args, team.stage, seed, is_control)

    def meet(self):
        self.project = f"h{self.seed}"
        self.stage.run("project", "create", self.project, "--org", "acme")
        self.machines = [Person(self, name) for name in ["anna", "ben"]]

    def begin(self):
        anna, ben = self.machines
        anna.trees["main"].mkdir()
        anna.git("main", "init", "-q")
        anna.run("main", "init")
        anna.commit("main")
        subprocess.run(["git", "clone", "-q", anna.trees["main"], ben.trees["main"]], check=True)

    def text(self):
        return f"Rule {self.step} " + " ".join(self.dice.choice(PARTS) for _ in range(6))

    def act(self):
        one, other = self.dice.sample(self.machines, 2)
        what = self.dice.choices(list(ACTS), list(ACTS.values()))[0]
        self.story.append(f"{one.name} {what}")
        if what == "add":
            text = self.text()
            one.run("main", "add", "-c", self.dice.choice(["lesson", "decision", "preference"]), text)
            one.says.add(text)
            if self.is_control:
                one.lose(text)
        elif what == "say":
            text = f"Always use {self.dice.choice(['tabs', 'spaces'])} in module {self.seed * 100 + self.step}"
            said = {"session_id": text, "cwd": str(one.trees["main"]), "prompt": f"{text}."}
            one.ask("main", "hook", "claude", "prompt", stdin=json.dumps(said))
            one.says.add(text)
        elif what in ("forget", "edit", "reinforce", "supersede") and one.says:
            self.change(one, what, self.dice.choice(sorted(one.says)))
        elif what == "drop theirs":
            there = sorted(one.trusted & other.says & {*one.told()[0]})
            if there:
                self.change(one, "forget", self.dice.choice(there))
                # That goes to the other by git.
                other.trusted |= other.says & one.dropped
                other.says -= one.dropped
        elif what == "sync":
            if self.dice.random() < 0.25:
                self.story[-1] += ", killed before"
                one.kill("main", "sync", "--yes")
            one.ask("main", "sync", "--yes")
        elif what == "pull":
            one.commit("main")
            other.commit("main")
            one.join("pull", "-q", "--no-rebase", "--no-edit", str(other.trees["main"]), "main")
        elif what == "trust":
            one.run("main", "trust", "--all")
            topics = "".join(path.read_text() for path in (one.trees["main"] / ".pi/memory/topics").glob("*.md"))
            one.trusted |= {text for text in other.says | other.dropped if text in topics}
        elif what == "dream":
            one.run("main", "dream")
        for person in self.machines:
            person.check(*(each for each in self.machines if each is not person))

    def change(self, one, what, text):
        self.story[-1] += f" {text!r}"
        if what in ("edit", "supersede"):
            new = self.text()
            one.run("main", *(["edit", text] if what == "edit" else ["add", "--supersedes", text]), new)
            one.says.add(new)
            self.stood_for[new] = text if what == "supersede" else self.stood_for.get(text)
        else:
            one.run("main", what, text)
        if what != "reinforce":
            one.says.discard(text)
            one.dropped.add(text)
        if what == "forget":
            # What it had replaced is back where its line still is.
            while text := self.stood_for.get(text):
                one.dropped.discard(text)

    def end(self):
        self.step += 1
        for person in self.machines:
            # What hooks have noted goes to the log.
            person.run("main", "rebuild")
        for person in self.machines * 2:
            self.sync(person)
        for one, other in [self.machines, self.machines[::-1]]:
            own, theirs = one.told()
            lost = other.says.difference(own, theirs, one.dropped)
            one.tell({"not there": lost, "there still": other.dropped & {*theirs}}, own + theirs)
            one.check(other)


def main():
    args = histories.arguments(__doc__)
    team = Team(args.server)
    try:
        histories.check_control([World(args, team, seed, True) for seed in range(3)])
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            worlds = (World(args, team, seed, False) for seed in range(args.seed + 3, args.seed + 3 + args.runs))
            wrong = [found for found in pool.map(World.live, worlds) if found]
    finally:
        team.stage.close()
    print(*wrong, f"{args.runs} histories of two people, {len(wrong)} wrong", sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
