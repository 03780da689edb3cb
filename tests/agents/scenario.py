"""One session of an agent, turn by turn, and what must have come of it."""
import json
import shutil
import subprocess
import time
from pathlib import Path

from lab import BERTH, FILE, GATE, TIDE, Lab
from stub import DELEGATES, Model, Script, schemas

TREE = Path(__file__).resolve().parents[2]
MEMORIES = (BERTH, TIDE, GATE)
REPORT = "# Project Memory ["
DAY = "Berth 7 overlapped again"
PAST = "# Relevant Past Sessions"
TAUGHT = "always write commit subjects in the imperative mood"
ASKED = "how do we stop two vessels from getting the same berth slot?"
OTHER = "where do the tide tables come from and which zone do they use?"
TASK = "From now on, always use yarn instead of npm. Tell where the tide tables come from."
HELP = "Find out where the tide tables come from and which time zone they use."
SEALED = "The vault is changed by its officer alone"
OPENED = "The gate is opened by the signal, never by a file"
SUMMED = "The pilots agreed that the northern mole stays closed until the dredging ends."
DONE = f"As noted, {BERTH}. So the gate is written."

CHECKS = {
    "trust": "status tells what awaits trust",
    "report": "report at the start, once",
    "recall": "a prompt recalls what fits it",
    "quiet": "and nothing else",
    "reminder": "reminder in the turn of the edit",
    "telemetry": "use noted in telemetry",
    "evidence": "and reinforced",
    "preference": "preference learned",
    "resumed": "resumed: all there",
    "once": "resumed: nothing twice",
    "compacted": "compacted: report, the day and recall again, once",
    "handoff": "one handoff a compaction",
    "summary": "summary of the compaction found later",
    "indexed": "session indexed, once",
    "own": "not among its own past sessions",
    "title": "no memory in a request for a title",
    "hooks": "every hook done, in time, without a word",
    "delegated": "a sub-agent's task teaches nothing",
    "scheduled": "a turn that the model put on a schedule teaches nothing",
    "helped": "a sub-agent is given what fits its task, the main agent none of it twice",
    "held": "what a memory forbids is not done, the model is told, and the run goes on",
    "faults": "also with a model that fails or hangs",
    "repeated": "use noted in 12 of 12 short sessions",
    "plugin": "the plugin alone gives report and recall, and status says that it works",
    "linked": "settings that are a link",
    "rewritten": "settings that were written anew",
    "beside": "another version beside it",
    "uninstalled": "settings given back byte for byte",
}


class No(Exception):
    pass


def need(condition, why):
    if not condition:
        raise No(why)


class Run:
    """An agent in a lab of its own, with a model of its own."""

    def __init__(self, kind, folder, pimem, programs, direct=False, linked=False, by_plugin=False):
        self.model = Model()
        path = ":".join(str(one) for one in programs)
        self.lab = Lab(folder, pimem, direct)
        self.lab.env["PATH"] = f"{self.lab.bin}:{path}:{self.lab.env['PATH'].split(':', 1)[1]}"
        self.agent = kind(self.lab, programs[0] / kind.name, self.model.url)
        self.settings = self.lab.home / self.agent.settings
        self.before = self.settings.read_bytes() if self.settings.exists() else None
        self.link = self.make_link() if linked else None
        if by_plugin:
            self.install_plugin()
        else:
            self.lab.pimem("hooks", "install", kind.name)
        self.status = self.lab.pimem("hooks", "status")
        self.turns = 0

    def install_plugin(self):
        """Installs the plugin of this tree by the agent's own program."""
        tree = self.lab.root / "tree"
        for name in ("plugin", ".claude-plugin", ".agents"):
            shutil.copytree(TREE / name, tree / name)
        for words in self.agent.plugin(tree):
            code = self.lab.run([self.agent.program, *words], self.agent.env, 120, "y\n")
            need(code == 0, f"{' '.join(words[:3])} ended with {code}: {self.lab.printed()[-300:]}")

    def make_link(self):
        """Moves the settings to another place, or the directory where they belong, and links to it."""
        link = self.settings if self.settings.exists() else self.settings.parent
        target = self.lab.home / "dotfiles" / link.name.lstrip(".")
        target.parent.mkdir()
        if link.exists():
            link.rename(target)
        else:
            target.mkdir()
            link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)
        return link

    def turn(self, name, prompt, text="Done.", seconds=90, **script):
        if self.agent.whole_paths and script.get("edit"):
            script["edit"] = str(self.lab.project / script["edit"])
        self.model.script = Script(name, text, **script)
        code = self.lab.run(self.agent.words(prompt, self.turns > 0), self.agent.env, seconds)
        self.turns += 1
        self.lab.settle()
        return code

    def main(self, name):
        """The requests of a turn that offer tools: those for the conversation itself."""
        aside = self.agent.aside
        return [request for request in self.model.of(name) if request.tools and not (aside and aside in request.text)]

    def last(self, name):
        requests = self.main(name)
        need(requests, f"no request in the turn {name}")
        return json.dumps(self.agent.without_own_repeats(requests[-1].body), ensure_ascii=False)

    def prompts(self):
        return [call for call in self.lab.calls() if call.event in ("prompt", "pre-invocation")]


def times(text, memory):
    """How often a memory stands there as recall, reminders or the report give it, not as an answer quotes it."""
    return recalled(text, memory) + text.count(f"- {memory}")


def recalled(text, memory):
    return text.count(f"- [lesson] {memory}")


def missing(text, *wanted):
    return [one[:30] for one in wanted if not (times(text, one) if one in MEMORIES else one in text)]


def repeats(text, *wanted, count=times):
    return [one[:30] for one in wanted if (count(text, one) if one in MEMORIES else text.count(one)) > 1]


def session(kind, folder, pimem, programs):
    """Plays the session. Returns a verdict for each check: True, a reason why not, or None."""
    run = Run(kind, folder, pimem, programs)
    try:
        play(run)
        return judge(run)
    finally:
        run.model.close()


def play(run):
    codes = [run.turn("first", f"From now on, {TAUGHT}. {ASKED} Then write the gate.", DONE, edit=FILE)]
    codes.append(run.turn("other", OTHER))
    if run.agent.by_minute:
        time.sleep(61 - time.time() % 60)
    codes.append(run.turn("again", f"Once more: {ASKED}"))
    how = dict(run.agent.compact)
    codes.append(run.turn("compaction", how.pop("prompt", "Now write the second gate as well."), SUMMED, **how))
    codes.append(run.turn("after", f"And now, {ASKED}", DONE))
    run.codes = codes


def judge(run):
    verdicts = {}
    for name in CHECKS:
        check = globals().get(f"check_{name}")
        if check:
            try:
                said = check(run)
                verdicts[name] = said or True
            except (No, RuntimeError) as no:
                verdicts[name] = no
    return verdicts


def check_trust(run):
    if not run.agent.wants_trust:
        return "not possible: it runs the user's hooks without a question"
    need("not trusted" in run.status, "it does not")


def check_report(run):
    need(run.codes[0] == 0, f"the agent ended with {run.codes[0]}")
    counts = [request.text.count(REPORT) for request in run.main("first")]
    need(counts and all(count == 1 for count in counts), f"times in each request: {counts}")


def check_recall(run):
    for turn, text in (("first", BERTH), ("other", TIDE)):
        need(times(run.last(turn), text), f"not in the turn {turn}: {text[:30]}")


def check_quiet(run):
    # The first turn asks for a gate as well.
    wanted = {"first": (BERTH, GATE), "other": (TIDE,)}
    for call, (turn, texts) in zip(run.prompts(), wanted.items()):
        others = [line for line in call.recalled if not any(text in line for text in texts) and "commit subjects" not in line]
        need(not others, f"{len(others)} in the turn {turn}, as {others[:1]}")


def check_reminder(run):
    need(times(run.last("first"), GATE), "not in the requests after the edit")


def check_telemetry(run):
    if not run.agent.tells_answer:
        return "not possible: its hooks do not tell what the model answers"
    need(used(run), "none")
    notes = (path.read_text() for path in (run.lab.project / ".pi/data").rglob("*.jsonl"))
    need(not any("<hook_context" in text for text in notes), "the prompts on file are not those that were typed")


def used(run):
    """How many sessions, or turns of one, are on file as having used a memory."""
    path = run.lab.project / ".pi/data/memory-telemetry.jsonl"
    records = [json.loads(text) for text in path.read_text().splitlines()]
    return sum(record["type"] == "usage" and record["usedCount"] > 0 for record in records)


def check_evidence(run):
    if not run.agent.tells_answer:
        return "not possible: its hooks do not tell what the model answers"
    paths = (run.lab.project / ".pi").rglob("evidence.jsonl")
    events = [json.loads(text) for path in paths for text in path.read_text().splitlines()]
    by_agent = [event for event in events if event["op"] == "reinforce" and event.get("by") == run.agent.name]
    need(by_agent, "no event by the agent")


def check_preference(run):
    need(TAUGHT in run.lab.pimem("list", "-c", "preference"), "not in the store")


def check_resumed(run):
    kept = (TIDE, GATE) if run.agent.keeps_contexts else (GATE,)
    lost = missing(run.last("again"), REPORT, BERTH, *kept)
    need(not lost, f"missing: {lost}")


def check_once(run):
    for turn in ("other", "again"):
        twice = repeats(run.last(turn), REPORT, *MEMORIES, count=recalled if run.agent.report_anew else times)
        need(not twice, f"in the turn {turn}: {twice}")


def check_compacted(run):
    if not run.agent.compacts:
        return "not possible: it compacts by its own count of tokens"
    text = run.last("after")
    need(DONE not in text, "it was not compacted")
    lost, twice = missing(text, REPORT, DAY, BERTH), repeats(text, REPORT, DAY, BERTH)
    need(not lost, f"missing: {lost}")
    need(not twice, f"twice: {twice}")


def check_handoff(run):
    if not run.agent.compacts:
        return "not possible: it compacts by its own count of tokens"
    daily = (run.lab.project / ".pi/memory/daily").glob("*.md")
    count = sum(path.read_text().count("<!-- HANDOFF") for path in daily)
    if not run.agent.tells_compaction:
        need(count == 0, f"{count} handoffs")
        return "not possible: it calls the hook before every request, compaction or not"
    need(count == 1, f"{count} handoffs")


def check_summary(run):
    if run.agent.name not in ("claude", "opencode", "pi"):
        return "not possible: its hooks do not tell the summary"
    need("northern mole" in run.lab.pimem("search", "--in", "sessions", "northern mole closed until dredging", code=None), "not found")


def check_indexed(run):
    rows = run.lab.pimem("list", "--sessions", code=None).splitlines()
    listed = {row.split("\t")[2] for row in rows}
    need(len(listed) == 1, f"{len(listed)} sessions are listed")


def check_own(run):
    need(not any(PAST in request.text for request in run.model.requests), "it is")


def check_title(run):
    if not run.agent.asks_for_title:
        return "not possible: it asks for none"
    requests = [request for request in run.model.requests if "title" in str(request.body.get("messages", [""])[0])[:400]]
    need(requests, "no request for a title was seen")
    marks = (REPORT, "[lesson]")
    need(not any(mark in request.text for request in requests for mark in marks), "there is")


def check_hooks(run):
    need_quiet(run.lab.calls())


def need_quiet(calls):
    need(calls, "no hook was called")
    for call in calls:
        need(call.code == "0", f"{call.event} " + ("was cut off" if not call.code else f"ended with {call.code}"))
        need(not call.errors, f"{call.event} said: {call.errors[:80]}")
        need(call.seconds < 2, f"{call.event} took {call.seconds:.1f} s")


def check_uninstalled(run):
    if not run.agent.keeps_settings:
        return "not possible: it writes them anew itself"
    run.lab.pimem("hooks", "uninstall", run.agent.name)
    after = run.settings.read_bytes() if run.settings.exists() else None
    need(after == run.before, "they differ")


def delegated(kind, folder, pimem, programs):
    """A model has a sub-agent work for it. What it writes is no word of the user's."""
    run = Run(kind, folder, pimem, programs)
    try:
        run.turn("delegation", f"From now on, {TAUGHT}. Have a helper do the first part of the plan.", delegate=TASK, seconds=120)
        own = [request for request in run.main("delegation") if TASK in request.text and "first part of the plan" not in request.text]
        if not own:
            tools = {name for request in run.main("delegation") for name in schemas(request.tools)}
            need(not tools & set(DELEGATES), "no sub-agent got the task")
            return "not possible: no sub-agents are offered to this model"
        shown = run.lab.pimem("list", "--sort", "age") + run.lab.pimem("trust", "--review", code=None)
        need(TAUGHT in shown, "what was typed was not learned")
        need("yarn" not in shown, "the task was taken for a rule of the user's")
        local = (path.read_text() for path in (run.lab.project / ".pi").rglob("*") if path.is_file())
        need(not any('"said"' in text and "yarn" in text for text in local), "the task is on file as said by the user")
    finally:
        run.model.close()


def helped(kind, folder, pimem, programs):
    """A sub-agent gets what fits its task at its start, in a context of its own."""
    run = Run(kind, folder, pimem, programs)
    try:
        run.turn("help", "Have a helper do the first part of the plan.", delegate=HELP, seconds=120)
        requests = run.main("help")
        own = [request for request in requests if HELP in request.text and "first part of the plan" not in request.text]
        if not own:
            need(not {name for request in requests for name in schemas(request.tools)} & set(DELEGATES), "no sub-agent got the task")
            return "not possible: no sub-agents are offered to this model"
        if not kind.helps:
            return "not possible: no hook tells that a sub-agent starts"
        need(times(own[-1].text, TIDE), "not in the requests of the sub-agent")
        need(REPORT not in own[-1].text, "the sub-agent got the report")
        need(own[-1].text.count("- [") <= 5 + HELP.count("- ["), "more than five lines")
        twice = repeats(run.last("help"), REPORT, *MEMORIES)
        need(not twice, f"twice for the main agent: {twice}")
    finally:
        run.model.close()


def held(kind, folder, pimem, programs):
    """Two memories forbid a file and a command."""
    run = Run(kind, folder, pimem, programs)
    try:
        run.lab.pimem("add", "--protect", "vault/", SEALED)
        run.lab.pimem("add", "--forbid-command", "^touch open", OPENED)
        usual = run.agent.words
        run.agent.words = lambda *given: [dict([kind.for_commands or ("", "")]).get(word, word) for word in usual(*given)]
        for name, memory, path, script in (
            ("seal", SEALED, "vault/seal.rs", {"edit": "vault/seal.rs"}),
            ("open", OPENED, "open.txt", {"command": "cd src && cd .. && touch open.txt"}),
        ):
            code = run.turn(name, f"Do the part that is called {name}.", **script)
            need(code == 0, f"{name}: the agent ended with {code}")
            need(not (run.lab.project / path).exists(), f"{name}: it was done")
            requests = run.main(name)
            need(len(requests) > 1, f"{name}: the run ended, with {len(requests)} requests")
            said = f"[lesson] {memory}"
            need(said in json.dumps(requests[-1].body, ensure_ascii=False), f"{name}: the model was not told")
        code = run.turn("free", "Now do the free part.", edit="src/free.rs")
        need((run.lab.project / "src/free.rs").exists(), "what nothing forbids was not done")
        need_quiet(run.lab.calls())
    finally:
        run.model.close()


def scheduled(kind, folder, pimem, programs):
    """A model has itself called later, with a prompt of its own. It waits for a minute or two."""
    if not kind.live:
        return "not possible: it wakes in no session without a screen"
    run = Run(kind, folder, pimem, programs)
    try:
        run.model.script = Script("wake", wake=TASK)
        prompt = {"type": "user", "message": {"role": "user", "content": "Look at the berths again in a minute."}}
        with open(run.lab.root / "printed.txt", "ab") as printed:
            process = subprocess.Popen([run.agent.program, *kind.live], cwd=run.lab.project, env=run.lab.env | run.agent.env,
                                       stdin=subprocess.PIPE, stdout=printed, stderr=printed)
        process.stdin.write(f"{json.dumps(prompt)}\n".encode())
        process.stdin.flush()
        until = time.monotonic() + 240
        while len(run.prompts()) < 2 and time.monotonic() < until:
            time.sleep(1)
        run.lab.settle()
        process.stdin.close()
        process.wait(30)
        need(any(TASK in call.input for call in run.prompts()), "the model was not woken")
        shown = run.lab.pimem("list", "--sort", "age") + run.lab.pimem("trust", "--review", code=None)
        need("yarn" not in shown, "the prompt was taken for a rule of the user's")
    finally:
        run.model.close()


def faults(kind, folder, pimem, programs):
    """A model that answers 500, and one that does not answer: the hooks must not be what fails."""
    for fault, seconds in (("error", 60), ("hang", 30)):
        run = Run(kind, folder / fault, pimem, programs)
        try:
            run.turn(fault, ASKED, fault=fault, seconds=seconds)
            need(run.model.of(fault), f"{fault}: the model was not asked")
            need_quiet([call for call in run.lab.calls() if call.seconds is not None])
            run.lab.pimem("check", code=None)
            need("constraint" in run.lab.pimem("search", "berth slot"), f"{fault}: the store does not answer")
        finally:
            run.model.close()


def repeated(kind, folder, pimem, programs, times=12):
    """Short sessions one after the other: what was used must be noted in each."""
    if not kind.tells_answer:
        return "not possible: its hooks do not tell what the model answers"
    run = Run(kind, folder, pimem, programs, direct=True)
    try:
        for number in range(times):
            run.turns = 0
            run.turn(f"{number}", f"{ASKED} It is for the release {number}.", DONE)
        time.sleep(1)
        noted = used(run)
        need(noted == times, f"{noted} of {times}")
    finally:
        run.model.close()


def need_memories(run, name):
    """A short session, which must get the report and what fits its prompt."""
    run.turns = 0
    run.turn(name, f"{ASKED} It is for {name}.", DONE)
    text = run.last(name)
    lost, twice = missing(text, REPORT, BERTH), repeats(text, REPORT, BERTH)
    need(not lost, f"{name}: missing: {lost}")
    need(not twice, f"{name}: twice: {twice}")


def plugin(kind, folder, pimem, programs):
    """The plugin, as its agent installs it, and nothing in the settings."""
    if not kind.has_plugin:
        return "not possible: there is no plugin for it"
    run = Run(kind, folder, pimem, programs, by_plugin=True)
    try:
        state = lambda: next((row for row in run.lab.pimem("hooks", "status").splitlines()
                              if row.startswith(f"{kind.name}\t") and "plugin" in row), "")
        need(state().endswith("not called yet"), f"before a call, status says: {state()}")
        run.lab.forget_calls()
        need_memories(run, "plugin")
        need_quiet(run.lab.calls())
        need("works, by the plugin" in state(), f"after a call, status says: {state()}")
    finally:
        run.model.close()


def need_installed(run):
    before = run.settings.read_bytes()
    said = run.lab.pimem("hooks", "install", run.agent.name)
    need("unchanged" in said and run.settings.read_bytes() == before, f"installing again says: {said.strip()}")
    rows = [row for row in run.lab.pimem("hooks", "status").splitlines() if row.startswith(f"{run.agent.name}\t")]
    need(len(rows) == 1 and rows[0].split("\t")[1].startswith(("installed", "works")), f"status says: {rows}")


def linked(kind, folder, pimem, programs):
    """The settings, or the directory where they belong, are a link, as in a repository of dotfiles."""
    if not kind.keeps_settings:
        return "not possible: it writes them anew itself"
    run = Run(kind, folder, pimem, programs, linked=True)
    try:
        need_installed(run)
        need_memories(run, "links")
        check_uninstalled(run)
        need(run.link.is_symlink(), "the link is gone")
    finally:
        run.model.close()


def rewritten(kind, folder, pimem, programs):
    """The agent has written its settings in its own form and order."""
    if not kind.keeps_settings:
        return "not possible: it writes them anew itself"
    if not kind.settings.endswith(".json"):
        return "not possible: the file is pimem's own"
    run = Run(kind, folder, pimem, programs)
    try:
        def plain(data):
            lines = data.decode().splitlines(True)
            return json.loads("".join(line for line in lines if not line.lstrip().startswith("//")))

        settings = plain(run.settings.read_bytes())
        run.settings.write_text(json.dumps(settings, indent=4, sort_keys=True))
        need_installed(run)
        need_memories(run, "order")
        run.lab.pimem("hooks", "uninstall", kind.name)
        after = plain(run.settings.read_bytes()) if run.settings.exists() else {}
        need(after == (plain(run.before) if run.before else {}), "what is left differs")
    finally:
        run.model.close()


def beside(kind, folder, pimem, programs, others):
    """Two versions share a home."""
    run = Run(kind, folder, pimem, programs)
    try:
        before = run.settings.read_bytes()
        for number, at in enumerate((others, programs, others)):
            run.agent.program = str(at[0] / kind.name)
            need_memories(run, f"version {number}")
        need(not kind.keeps_settings or run.settings.read_bytes() == before, "the settings differ")
        need_installed(run)
        need_quiet(run.lab.calls())
    finally:
        run.model.close()
