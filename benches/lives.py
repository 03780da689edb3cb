"""Generates the invented projects of `worth.py`: what is learned in them, what is asked, and when.

The data is described in `worth.py`. It does not depend on the program that is measured.
"""

from __future__ import annotations

import functools
import itertools
import os
import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Iterator, Optional

DATA = Path(__file__).resolve().parent / "worth"
PROJECTS = ("payments", "storefront", "metering", "firmware", "snapsync")
START = datetime(2026, 5, 1, tzinfo=timezone.utc)  # a Friday
DAYS, PAUSE = 60, 60
PROMPTS = 3  # per working day
MOST = 3  # most prompts about one memory
LEARNING = 1.6  # exponent by which learning slows down: half of all memories in the first third
WORKING = ("log", "note", "todo", "handoff")  # kinds that are not entries
MARKED, UNMARKED = "replaces", "contradicts"  # ways to change a memory

# The usual English stop words.
STOP = frozenset(
    """i me my myself we our ours ourselves you your yours yourself he him his she her hers it its itself they
    them their theirs what which who whom whose this that these those am is are was were be been being have has
    had having do does did doing will would should could can may might must shall a an the and but if or because
    as until while of at by for with about against between into through during before after above below to from
    up down in out on off over under again further then once here there when where why how all any both each few
    more most other another some such no nor not none only own same so than too very just also ever every yet s t
    m d ll ve re don doesn didn isn cannot else nothing something somebody anybody nobody everything everywhere
    nowhere one ones us per via still already without within""".split()
)
ENDINGS = {
    "ies": "y", "ied": "y", "ations": "", "ation": "", "ions": "", "ion": "", "ings": "", "ing": "", "edly": "",
    "ed": "", "ers": "", "er": "", "ments": "", "ment": "", "ly": "", "es": "", "s": "",
}
PREFIX = 5  # words with a common prefix of this length count as equal
# Not allowed in prompts, because preferences would be learned from them.
LEARNED = re.compile(
    r"\b(i prefer|i always|always use|never use|please (always|never)|from now on|going forward|i work"
    r"|my (name is|role|stack|timezone|language))\b",
    re.IGNORECASE,
)
# Of the projects' 375 facts, one in 23 shares a fifth of its words with a later one. Generated memories
# keep the same probability for each pair.
ALIKE, ALIKE_RARE = 0.2, 4_300


class Chance:
    """A random number generator (splitmix64) that is the same in every Python."""

    def __init__(self, seed: str):
        self.state = 0xCBF29CE484222325
        for byte in seed.encode():
            self.state = (self.state ^ byte) * 0x100000001B3 & (1 << 64) - 1

    def below(self, end: int) -> int:
        self.state = self.state + 0x9E3779B97F4A7C15 & (1 << 64) - 1
        value = (self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9 & (1 << 64) - 1
        value = (value ^ value >> 27) * 0x94D049BB133111EB & (1 << 64) - 1
        return (value ^ value >> 31) % end

    def percent(self, share: int) -> bool:
        return self.below(100) < share

    def pick(self, items):
        return items[self.below(len(items))]

    def shuffled(self, items) -> list:
        items = list(items)
        for end in range(len(items) - 1, 0, -1):
            at = self.below(end + 1)
            items[at], items[end] = items[end], items[at]
        return items


# ---- What there is to know -------------------------------------------------------------------------


@dataclass(eq=False)
class Memory:
    """A text to be remembered, with the prompts that need it."""

    kind: str  # a category, or one of WORKING
    text: str
    ask: str = ""
    reworded: str = ""
    change: str = ""  # how it changes `old`
    old: Optional[Memory] = None
    newer: Optional[Memory] = None


@dataclass
class Project:
    name: str
    facts: list[Memory]
    working: list[Memory]
    idle: list[str]  # tasks that need nothing


def rows(name: str) -> Iterator[list[str]]:
    for line in (DATA / f"{name}.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def common(kind: str) -> list[str]:
    return [text for name, text in rows("common") if name == kind]


def load(name: str) -> Project:
    project = Project(name, [], [], [])
    for kind, text, *more in rows(name):
        if kind == "idle":
            project.idle.append(text)
            continue
        memory = Memory(kind, text, *more[:2])
        if len(more) == 3:
            memory.change, _, old = more[2].partition(": ")
            memory.old = Memory(kind, old, *more[:2], newer=memory)
        (project.working if kind in WORKING else project.facts).append(memory)
    return project


def content(text: str) -> set[str]:
    """Returns the words of a text, including parts of identifiers, without stop words."""
    parted = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text).lower()
    words = re.findall(r"[^\W_]+", parted)
    return {word for word in words if word not in STOP and (len(word) > 1 or word.isdigit())}


@functools.lru_cache(maxsize=None)
def stem(word: str) -> str:
    for ending, instead in ENDINGS.items():
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + instead
            break
    if len(word) > 3 and (word[-1] == "e" or word[-1] == word[-2]):
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word[-1] == "y" else word


def shared(one: str, other: str) -> list[str]:
    """Returns the pairs of content words of two texts that may be the same word, erring on the side of more."""
    pairs = itertools.product(sorted(content(one)), sorted(content(other)))
    return [f"{a}/{b}" for a, b in pairs if stem(a) == stem(b) or len(os.path.commonprefix((a, b))) >= PREFIX]


def check(projects: list[Project]) -> None:
    """Exits if the data does not have the documented properties."""
    wrong, texts, prompts = [], set(), set()
    for project in projects:
        memories = [memory for fact in project.facts for memory in (fact.old, fact) if memory]
        changes = [fact.change for fact in project.facts if fact.old]
        shape = (len(memories), changes.count(MARKED), changes.count(UNMARKED), len(project.working), len(project.idle))
        if shape != (90, 8, 7, 10, 20):
            wrong.append(f"{project.name}: memories, changes of both kinds, working items and idle tasks are {shape}")
        for memory in memories + project.working:
            if not shared(memory.text, memory.ask):
                wrong.append(f"{project.name}: shares no word: {memory.text} | {memory.ask}")
            if words := shared(memory.text, memory.reworded):
                wrong.append(f"{project.name}: shares {words}: {memory.text} | {memory.reworded}")
            texts.add(memory.text)
        said = [prompt for memory in project.facts + project.working for prompt in (memory.ask, memory.reworded)]
        for prompt in said + project.idle:
            if prompt in prompts or LEARNED.search(prompt):
                wrong.append(f"{project.name}: said twice, or a preference: {prompt}")
            prompts.add(prompt)
    # Texts are recognised as substrings of the agent's context, so none may contain another.
    wrong += [f"is part of another: {a}" for a in texts for b in texts if a != b and a in b]
    if wrong:
        raise SystemExit("\n".join(wrong))


def generated(number: int) -> list[Memory]:
    """Returns memories of other teams. As in the projects, similar pairs become likelier with their number."""
    chance, slots, sentences = Chance("filler"), defaultdict(list), []
    for name, text in rows("filler"):
        if "{" in text:
            sentences.append((name, text))
        else:
            slots[name].append(text)
    slots["n"] = [str(n) for n in range(3, 900)]
    slots["fail"] = [word.removesuffix("s") for word in slots["fails"]]
    made, sets, having, may_be_alike = [], [], defaultdict(list), False
    while len(made) < number:
        category, sentence = chance.pick(sentences)
        names = re.findall(r"\{(\w+)\}", sentence)
        words = [chance.pick(slots[name.lower().rstrip("2")]) for name in names]
        text = re.sub(r"\{\w+\}", "{}", sentence).format(*words)
        text = re.sub(r"\b([Aa]) (?=[aeio])", r"\1n ", text)
        text = text[0].upper() + text[1:]
        stems = {stem(word) for word in content(text)}
        # Texts this short that share a fifth of their words share at least two.
        pairs = list(itertools.combinations(sorted(stems), 2))
        near = {other for pair in pairs for other in having[pair]}
        if not may_be_alike and any(len(stems & sets[n]) >= ALIKE * len(stems | sets[n]) for n in near):
            continue
        may_be_alike = chance.below(ALIKE_RARE + len(made)) < len(made)
        for pair in pairs:
            having[pair].append(len(made))
        sets.append(stems)
        made.append(Memory(category, text))
    return made


# ---- What happens when -----------------------------------------------------------------------------


@dataclass
class Slot:
    """A point in time for a prompt."""

    day: int
    number: int  # prompt of the day, from 0
    part: int  # session of the day, 0 or 1
    session: int
    memory: Optional[Memory] = None  # needed by the prompt
    prompt: str = ""
    learned: list[Memory] = field(default_factory=list)  # after the prompt
    written: Optional[Memory] = None  # after the prompt, in a working file


@dataclass
class Plan:
    days: list[datetime]
    slots: list[Slot]
    resumed: set[int]  # days that start by resuming the previous session
    finished: dict[int, Memory]  # item ticked off at the end of a day


@dataclass
class Event:
    """One step of an agent in a project."""

    at: datetime
    what: str  # add, work, finish, log, start, prompt, compact, end, batch, rebuild
    session: str = ""
    memory: Optional[Memory] = None
    prompt: str = ""
    source: str = ""
    pause: bool = False  # true after the pause
    batch: list[Memory] = field(default_factory=list)


def working_days(first: datetime, days: int) -> list[datetime]:
    every = [first + timedelta(days=day) for day in range(days)]
    return [day for day in every if day.weekday() < 5]


class Voice:
    """Phrases prompts: every second is long, with a sentence beside it, and an order or what a program printed.

    A sentence, an order and an output are used in turn, but for those that share a word with the memory.
    """

    def __init__(self, chance: Chance):
        self.chance = chance
        self.turns = {kind: itertools.cycle(chance.shuffled(common(kind))) for kind in ("aside", "order", "output")}

    def say(self, prompt: str, memory: Optional[Memory] = None) -> str:
        if not self.chance.percent(50):
            return prompt
        told = [one.text for one in (memory, memory and memory.old) if one]
        turns = {kind: next(turn) for kind, turn in self.turns.items()}
        more = {kind: text for kind, text in turns.items() if not any(shared(text, other) for other in told)}
        ended = f"{prompt}{'' if prompt[-1] in '.?' else '.'}"
        aside, order, output = (more.get(kind, "") for kind in ("aside", "order", "output"))
        sentences = [aside, ended] if self.chance.percent(50) else [ended, aside]
        if self.chance.percent(50):
            return " ".join(filter(None, [*sentences, order]))
        lines = [" ".join(filter(None, sentences)), "", *output.split(" / ")]
        return "\n".join(lines).rstrip()


def calendar(working: list[Memory], days: int, chance: Chance) -> tuple[dict[int, Memory], dict[int, list[Memory]]]:
    """Returns the working items written and those asked for, by day."""
    noted: dict[int, Memory] = {}
    asked: dict[int, list[Memory]] = defaultdict(list)
    logs = itertools.cycle((0, 1, 5))  # the same afternoon, the next working day, a week later
    for memory in working:
        day = 2 + chance.below(days - 8)
        while day in noted:
            day = 2 + chance.below(days - 8)
        later = {"log": lambda: next(logs), "note": lambda: 1 + chance.below(20), "todo": lambda: 1 + chance.below(4)}
        noted[day] = memory
        asked[min(day + later.get(memory.kind, lambda: 1)(), days - 1)].append(memory)
    return noted, asked


def learn(project: Project, slots: list[Slot], chance: Chance) -> None:
    """Schedules each memory after a prompt, and a change well after the memory that it changes."""
    order: list[Optional[Memory]] = [None] * sum(2 if fact.old else 1 for fact in project.facts)
    facts = chance.shuffled(project.facts)

    def free(first: int, end: int) -> int:
        return chance.pick([place for place in range(first, end) if order[place] is None])

    for fact in facts:
        if fact.old:
            old = free(0, len(order) // 2)
            order[old] = fact.old
            order[free(old + len(order) // 5, old + len(order) * 9 // 20)] = fact
    rest = iter([fact for fact in facts if not fact.old])
    for place, memory in enumerate(order):
        slots[int(len(slots) * (place / len(order)) ** LEARNING)].learned.append(memory or next(rest))


def ask(slots: list[Slot], voice: Voice, chance: Chance) -> None:
    """Fills slots with prompts about memories learned in earlier sessions."""
    memories = [memory for slot in slots for memory in slot.learned]
    since = {memory: slot.session for slot in slots for memory in slot.learned}
    left = dict.fromkeys(memories, MOST)
    # In random order, or late days would ask only for young memories.
    for slot in chance.shuffled([slot for slot in slots if slot.day and not slot.prompt]):
        today = [other.memory for other in slots if other.day == slot.day]
        known = [
            memory
            for memory in memories
            if since[memory] < slot.session and left[memory] and memory not in today
            # Replaced memories are not asked for.
            and not (memory.newer and since[memory.newer] <= slot.session)
        ]
        if known:
            slot.memory = chance.pick([memory for memory in known for _ in range(2 if memory.change else 1)])
            left[slot.memory] -= 1
    turns: dict[Memory, int] = {}
    for slot in slots:
        if slot.memory and not slot.prompt:
            turn = turns.get(slot.memory, chance.below(2))
            turns[slot.memory] = 1 - turn
            slot.prompt = voice.say((slot.memory.ask, slot.memory.reworded)[turn], slot.memory)


def plan(project: Project) -> Plan:
    chance, days = Chance(project.name), working_days(START, DAYS)
    voice = Voice(chance)
    noted, asked = calendar(project.working, len(days), chance)
    slots: list[Slot] = []
    resumed, session = set(), 0
    for day in range(len(days)):
        soon = noted.get(day) in asked[day]
        two = soon or chance.percent(40)
        # Text that the agent has just written is still in its context.
        if day and not asked[day] and chance.percent(8):
            resumed.add(day)
        session += day not in resumed
        for number in range(PROMPTS):
            part = int(two and number == PROMPTS - 1)
            session += part
            slots.append(Slot(day, number, part, session))
            if number == (0 if soon else PROMPTS - 1):
                slots[-1].written = noted.get(day)
    learn(project, slots, chance)
    for day, memories in asked.items():
        for memory in memories:
            slot = next(s for s in slots if s.day == day and not s.prompt and (s.part or noted.get(day) is not memory))
            slot.memory, slot.prompt = memory, voice.say(chance.pick((memory.ask, memory.reworded)), memory)
    free = chance.shuffled([slot for slot in slots if slot.day and not slot.prompt])
    for slot, prompt in zip(free, project.idle):
        slot.prompt = voice.say(prompt)
    ask(slots, voice, chance)
    finished = {day: memory for day, memories in asked.items() for memory in memories if memory.kind == "todo"}
    return Plan(days, slots, resumed, finished)


class Diary:
    """Records the events of a project, session by session."""

    def __init__(self, project: Project):
        self.name, self.chance = project.name, Chance(f"{project.name}, hours")
        self.now, self.session, self.opened, self.pause = START, "", 0, False
        self.events: list[Event] = []

    def add(self, what: str, **more) -> None:
        self.events.append(Event(self.now, what, self.session, pause=self.pause, **more))

    def later(self, least: int, spread: int = 1) -> None:
        self.now += timedelta(minutes=least + self.chance.below(spread))

    def start(self, source: str) -> None:
        if source in ("startup", "clear"):
            self.opened += 1
            self.session = f"{self.name}-{self.opened:03}"
        self.add("start", source=source)

    def interrupt(self) -> None:
        """Loses the agent's context by a compaction or a clear."""
        if self.chance.percent(60):
            self.add("compact")
            self.start("compact")
        else:
            self.add("end", source="clear")
            self.start("clear")
        self.later(1)


def life(project: Project) -> list[Event]:
    """Returns the events of sixty days and, after a pause, of one week."""
    planned, diary = plan(project), Diary(project)
    chance, routine = diary.chance, common("log")
    for slot, following in itertools.zip_longest(planned.slots, planned.slots[1:]):
        last = not following or following.session != slot.session or following.day != slot.day
        if slot.number == 0 or slot.part:
            diary.now = planned.days[slot.day] + timedelta(hours=9 + 5 * slot.part, minutes=chance.below(20))
            diary.start("resume" if slot.number == 0 and slot.day in planned.resumed else "startup")
        diary.later(15, 40)
        if last and slot.number and not slot.part and chance.percent(30):
            diary.interrupt()
        if slot.prompt:
            diary.add("prompt", memory=slot.memory, prompt=slot.prompt)
        diary.later(5)
        for memory in slot.learned:
            diary.add("add", memory=memory)
        if slot.written:
            diary.add("work", memory=slot.written)
        if last:
            if chance.percent(60):
                diary.add("log", prompt=chance.pick(routine))
            if slot.number == PROMPTS - 1 and slot.day in planned.finished:
                diary.add("finish", memory=planned.finished[slot.day])
            diary.later(2)
            diary.add("end", source="prompt_input_exit")
    # Starts on a Monday, and asks for no fact twice.
    diary.pause, voice = True, Voice(chance)
    current = chance.shuffled([memory for slot in planned.slots for memory in slot.learned if not memory.newer])
    monday = START + timedelta(days=DAYS + PAUSE)
    while monday.weekday():
        monday += timedelta(days=1)
    for day in working_days(monday, 7):
        diary.now = day + timedelta(hours=9)
        diary.start("startup")
        for _ in range(PROMPTS):
            diary.later(40)
            memory = current.pop()
            diary.add("prompt", memory=memory, prompt=voice.say(chance.pick((memory.ask, memory.reworded)), memory))
        diary.later(9)
        diary.add("end", source="prompt_input_exit")
    return diary.events


def crowd(memories: list[Memory], older: bool) -> list[Event]:
    """Returns events that add the other memories of a large store: daily, or weekly in the half year before."""
    days = working_days(START - timedelta(days=182), 182)[::5] if older else working_days(START, DAYS)
    events = []
    for day, date in enumerate(days):
        batch = memories[day * len(memories) // len(days) : (day + 1) * len(memories) // len(days)]
        events.append(Event(date + timedelta(hours=8), "batch", batch=batch))
        if older:
            events.append(Event(date + timedelta(hours=8, minutes=1), "rebuild"))
    return events
