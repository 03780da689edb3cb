"""A home, a project and a store for one agent, and a record of what its hooks were told and answered."""
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

# What a session must get by a prompt or by an edit; the report has no room for it.
BERTH = "Two vessels never get the same berth slot: the exclusion constraint berth_slots_no_overlap guards it"
TIDE = "Tide tables come from the hydrographic office in local standard time all year round"
GATE = "src/gates/turnstile.rs debounces its reed contacts for 40 ms"
FILE = "src/gates/turnstile.rs"
PARTS = "invoice dashboard crane customs pilot tug weather radar manifest ledger crew fuel".split()
RULES = {
    "preference": "queue is drained before its worker stops",
    "decision": "settings live in one file below config",
    "lesson": "module writes an audit line for each change",
    "pattern": "tests use recorded traffic of last month",
}
BUDGET = "500"

# Stands before pimem in the PATH. A hook that is killed leaves its input without a code.
RECORDER = """#!/bin/sh
if [ "$1" != hook ]; then exec "$PIMEM_PROGRAM" "$@"; fi
call="$PIMEM_CALLS/$(date +%s%N)-$2-$3"
cat > "$call.in"
PIMEM_DEBUG=1 "$PIMEM_PROGRAM" "$@" < "$call.in" > "$call.out" 2> "$call.err"
code=$?
echo "$code $(date +%s%N)" > "$call.code"
cat "$call.out"
exit $code
"""


class Call:
    """One call of a hook."""

    def __init__(self, stem):
        self.began, self.agent, self.event = stem.name.split("-", 2)
        self.input = stem.with_suffix(".in").read_text(errors="replace")
        read = lambda end: stem.with_suffix(end).read_text() if stem.with_suffix(end).exists() else ""
        self.answer, self.errors = read(".out"), read(".err").strip()
        code, ended = (read(".code").split() + ["", ""])[:2]
        self.code, self.seconds = code, (int(ended) - int(self.began)) / 1e9 if ended else None

    @property
    def recalled(self):
        """Memories that the answer recalls, by their line."""
        _, _, rest = self.answer.partition("# Contextually Relevant Memories")
        return [line.strip() for line in rest.replace("\\n", "\n").split("\n# ")[0].splitlines() if line.startswith("- ")]


class Lab:
    def __init__(self, root, pimem, direct=False):
        self.root, self.home, self.project = root, root / "home", root / "project"
        self.calls_dir, self.bin = root / "calls", root / "bin"
        for folder in (self.home, self.project / "src/gates", self.calls_dir, self.bin):
            folder.mkdir(parents=True)
        if direct:
            (self.bin / "pimem").symlink_to(pimem)
        else:
            (self.bin / "pimem").write_text(RECORDER)
            (self.bin / "pimem").chmod(0o755)
        keep = ("LANG", "TERM", "USER", "LOGNAME", "TMPDIR")
        self.env = {name: os.environ[name] for name in keep if name in os.environ} | {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "XDG_DATA_HOME": str(self.home / ".local/share"),
            "XDG_STATE_HOME": str(self.home / ".local/state"),
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "PIMEM_PROGRAM": str(pimem),
            "PIMEM_CALLS": str(self.calls_dir),
            # A busy machine is not what is tested.
            "PIMEM_HOOK_DEADLINE_MS": "1500",
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
            "GIT_CONFIG_COUNT": "3",
            "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "u",
            "GIT_CONFIG_KEY_1": "user.email", "GIT_CONFIG_VALUE_1": "u@example.invalid",
            "GIT_CONFIG_KEY_2": "init.defaultBranch", "GIT_CONFIG_VALUE_2": "main",
        }
        self.store()

    def store(self):
        (self.project / "src/main.rs").write_text("fn main() {}\n")
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "Begin"]):
            subprocess.run(["git", *words], cwd=self.project, env=self.env, check=True)
        self.pimem("init", "--quiet")
        wanted = [{"text": text, "category": "lesson", "cue": "structural"} for text in (BERTH, TIDE, GATE)]
        others = [{"text": f"The {part} {rule}", "category": category} for category, rule in RULES.items() for part in PARTS]
        given = "".join(json.dumps(entry) + "\n" for entry in wanted + others)
        # What was just added is not reinforced.
        yesterday = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 86400))
        self.pimem("--now", yesterday, "add", "-", given=given)
        self.pimem("config", "set", "report.budget", BUDGET)
        self.pimem("todo", "add", "Ask the terminals for the rejected files")
        self.pimem("log", "Berth 7 overlapped again after the import")
        shown = self.pimem("report")
        if "# Project Memory [" not in shown or any(text in shown for text in (BERTH, TIDE, GATE)):
            raise RuntimeError("the report has no memories, or those that must come by recall")

    def pimem(self, *words, given=None, code=0):
        done = subprocess.run([self.bin / "pimem", *words], cwd=self.project, env=self.env, input=given or "",
                              capture_output=True, text=True)
        if code is not None and done.returncode != code:
            raise RuntimeError(f"pimem {' '.join(words)}: {done.returncode} {done.stderr}")
        return done.stdout

    def calls(self):
        stems = sorted(path.with_suffix("") for path in self.calls_dir.glob("*.in"))
        return [Call(stem) for stem in stems]

    def forget_calls(self):
        shutil.rmtree(self.calls_dir)
        self.calls_dir.mkdir()

    def run(self, words, env, seconds):
        """Runs an agent; returns its exit code, None if it had to be ended, and what it printed."""
        with open(self.root / "printed.txt", "ab") as printed:
            process = subprocess.Popen(words, cwd=self.project, env=self.env | env, stdin=subprocess.DEVNULL,
                                       stdout=printed, stderr=printed, start_new_session=True)
            try:
                return process.wait(seconds)
            except subprocess.TimeoutExpired:
                for signal in (15, 9):
                    try:
                        os.killpg(process.pid, signal)
                        process.wait(3)
                    except (ProcessLookupError, subprocess.TimeoutExpired):
                        continue
                return None

    def settle(self, seconds=3.0):
        """Waits until the hooks that outlive their agent are done."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and any(call.seconds is None for call in self.calls()):
            time.sleep(0.1)


def install(cache, spec, version):
    """Installs a package of npm once; returns its directory, or the reason why there is none."""
    folder = cache / "installed" / f"{spec['package'].replace('/', '+')}@{version}"
    program = folder / "node_modules/.bin" / spec["program"]
    if program.exists():
        return program.parent, ""
    if not shutil.which("npm"):
        return None, "npm is not installed"
    folder.mkdir(parents=True, exist_ok=True)
    words = ["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, f"{spec['package']}@{version}"]
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=600)
        why = (done.stderr.strip().splitlines() or ["npm failed"])[-1]
    except subprocess.TimeoutExpired:
        done, why = None, "npm took more than ten minutes"
    if done is None or done.returncode or not program.exists():
        shutil.rmtree(folder, ignore_errors=True)
        return None, why
    return program.parent, ""


def node(cache, spec):
    """Returns a directory with a recent enough Node.js, for the PATH."""
    found = shutil.which("node")
    if found:
        version = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
        if int(version.lstrip("v").split(".")[0] or 0) >= int(spec["version"].split(".")[0]):
            return Path(found).parent, ""
    return install(cache, spec, spec["version"])
