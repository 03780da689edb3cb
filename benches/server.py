#!/usr/bin/env python3
"""Measures pimem-server on a PostgreSQL of its own, on loopback.

    cargo build --release --locked --bin pimem -p pimem
    cargo build --release --locked -p pimem-server
    benches/server.py agreement            the server's best ten against the program's
    benches/server.py sync                 100,000 events pushed, pushed again, pulled
    benches/server.py scale                hybrid search over 100,000 and 1,000,000 rows; recall; memory

Every figure is of one run on the machine that is named first. CPU is that of PostgreSQL and of the server; ratios
compare figures of the same run.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Stage:
    """A PostgreSQL and a server, with one organisation."""

    def __init__(self, server, options=()):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="pimem-bench-", dir="/tmp"))
        os.chmod(self.dir, 0o755)
        self.program = server
        cache = os.environ.get("PIMEM_TEST_PG_CACHE", "/tmp/pimem-pg")
        self.env = dict(
            os.environ,
            PIMEM_TEST_PG_CACHE=cache,
            PIMEM_TEST_PG_OPTIONS="-c shared_buffers=1GB -c maintenance_work_mem=1GB -c max_wal_size=8GB "
            "-c synchronous_commit=on",
        )
        self.port = free_port()
        self.pgtest("start", self.dir, str(self.port))
        self.bin = self.pgtest("bin", self.dir).strip()
        self.url = f"postgres://pimem@127.0.0.1:{self.port}/postgres"
        self.run("migrate")
        self.run("org", "create", "acme")
        self.run("project", "create", "site", "--org", "acme")
        self.run("user", "create", "anna", "--org", "acme")
        self.run("user", "grant", "anna", "admin", "--org", "acme")
        scopes = "read,write,curate,admin"
        self.key = self.run("key", "create", "anna", "--scopes", scopes, "--org", "acme").strip()
        self.process = None
        self.serve(*options)

    def pgtest(self, *words):
        done = subprocess.run(
            [ROOT / "tests/pg/pgtest.sh", *map(str, words)], env=self.env, check=True, text=True, stdout=subprocess.PIPE
        )
        return done.stdout

    def run(self, *words):
        env = {"DATABASE_URL": self.url, "PATH": os.environ["PATH"]}
        return subprocess.run([self.program, *words], env=env, check=True, text=True, stdout=subprocess.PIPE).stdout

    def serve(self, *options):
        env = {"DATABASE_URL": self.url}
        words = ["serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--rate", "1000000", "--burst", "1000000"]
        self.process = subprocess.Popen([self.program, *words, *options], env=env, stderr=subprocess.PIPE, text=True)
        line = json.loads(self.process.stderr.readline())
        self.address, self.metrics = line["address"], line["metrics"]
        threading.Thread(target=self.drain, daemon=True).start()

    def drain(self):
        for _ in self.process.stderr:
            pass

    def ask(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.address + path, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def push(self, entries, events):
        """Pushes in batches of a thousand objects, entries first."""
        all_objects = [("entries", entry) for entry in entries] + [("events", event) for event in events]
        new = 0
        for start in range(0, len(all_objects), 1000):
            body = {"project": "site", "entries": [], "events": []}
            for kind, value in all_objects[start : start + 1000]:
                body[kind].append(value)
            pushed = self.ask("POST", "/v1/sync/push", body)
            assert not pushed["refused"], pushed["refused"][:3]
            new += pushed["entries"]["new"] + pushed["events"]["new"]
        return new

    def indexed(self):
        while True:
            with urllib.request.urlopen(self.metrics) as answer:
                if "pimem_index_waiting 0\n" in answer.read().decode():
                    return
            time.sleep(0.2)

    def sql(self, text):
        env = dict(os.environ, LD_LIBRARY_PATH=self.libraries())
        words = [f"{self.bin}/psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", self.url, "-c", text]
        return subprocess.run(words, env=env, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()

    def libraries(self):
        root = pathlib.Path(self.bin).parents[2]
        return ":".join(str(path) for path in root.glob("*.libs"))

    def cpu(self):
        """Seconds of the processor that PostgreSQL's processes and the server have had."""
        return sum(cpu_of(pid) for pid in [*self.postgres(), self.process.pid])

    def postgres(self):
        head = int((self.dir / "run/pg/postmaster.pid").read_text().split()[0])
        found = [head]
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) == head:
                        found.append(int(entry.name))
                except (OSError, IndexError):
                    pass
        return found

    def memory(self):
        """Resident memory of the server in MB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.pgtest("stop", self.dir)
        shutil.rmtree(self.dir, ignore_errors=True)


def cpu_of(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    # Its own time, and that of its children that have ended.
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def free_port():
    import socket

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def entry(category, text):
    line = f"- [{category}] {text}"
    return {"hash": hashlib.sha256(line.encode()).hexdigest(), "line": line}


def ulid(milliseconds, number):
    value = milliseconds << 80 | number
    return "".join("0123456789ABCDEFGHJKMNPQRSTVWXYZ"[value >> shift & 31] for shift in range(125, -1, -5))


def machine():
    model = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    print(f"{os.cpu_count()} processors, {model.group(1) if model else 'unknown'}, load {os.getloadavg()[0]:.1f}")


def agreement(args):
    """The program's ten best among the server's, on the questions of the fixtures."""
    stage = Stage(args.server)
    total, rows = [0, 0], []
    sandbox = pathlib.Path(tempfile.mkdtemp(prefix="pimem-agree-"))
    try:
        for name, sets in retrieval_sets():
            for one in sets:
                shares = agreement_of(args, stage, sandbox, f"{name}-{one['name']}", one, args.questions)
                rows.append((one["name"], len(one["docs"]), len(shares), sum(shares) / max(len(shares), 1)))
                total[0] += sum(shares)
                total[1] += len(shares)
    finally:
        stage.close()
        shutil.rmtree(sandbox, ignore_errors=True)
    for name, docs, questions, share in rows:
        print(f"{name:<20} {docs:>6} lines {questions:>5} questions: {10 * share:.2f} of 10")
    mean = 10 * total[0] / total[1]
    print(f"{'all':<20} {'':>6}       {total[1]:>5} questions: {mean:.2f} of 10")
    return 0 if mean >= 9 else 1


def retrieval_sets():
    for name in ["harbor", "rules"]:
        document = json.loads((ROOT / f"fixtures/eval/{name}.json").read_text())
        yield name, document["sets"]


def agreement_of(args, stage, sandbox, name, one, most):
    project = re.sub("[^a-z0-9-]", "-", name.lower())[:60]
    stage.run("project", "create", project, "--org", "acme")
    home = sandbox / project
    store = home / "project/.pi/memory"
    (store / "topics").mkdir(parents=True)
    texts, now = [], 1_780_000_000_000
    for doc in one["docs"]:
        text = " ".join(doc["text"].split())
        if 3 < len(text) < 2000 and text not in texts:
            texts.append(text)
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "PIMEM_NOW": "2026-06-30T12:00:00Z", "CI": "true"}

    def pimem(*words, stdin=None):
        done = subprocess.run(
            [args.pimem, *words], cwd=home / "project", env=env, input=stdin, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    pimem("init")
    lines = "".join(json.dumps({"category": "lesson", "text": text}) + "\n" for text in texts)
    pimem("import", "jsonl", "-", stdin=lines)
    pimem("rebuild")
    listed = json.loads(pimem("list", "--json"))["entries"]
    kept = {row["text"] for row in listed}
    log = (store / "evidence.jsonl").read_text().splitlines()
    stage_push(stage, project, [entry("lesson", text) for text in sorted(kept)], [json.loads(line) for line in log])
    stage.indexed()
    shares = []
    for query in one["queries"][:most]:
        text = query["text"]
        found = json.loads(pimem("search", "--in", "topics", "-n", "10", "--no-touch", "--json", "--", text) or "{}")
        ours = [hit["text"] for hit in found.get("hits", [])]
        if not ours:
            continue
        path = f"/v1/memories/search?project={project}&limit=10&q={urllib.parse.quote(text[:2000])}"
        theirs = {hit["memory"]["text"] for hit in stage.ask("GET", path)["hits"]}
        shares.append(sum(text in theirs for text in ours) / len(ours))
    return shares


def stage_push(stage, project, entries, events):
    for start in range(0, max(len(entries), len(events)), 400):
        body = {"project": project, "entries": entries[start : start + 400], "events": events[start : start + 400]}
        pushed = stage.ask("POST", "/v1/sync/push", body)
        assert not pushed["refused"], pushed["refused"][:3]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["agreement", "sync", "scale"])
    parser.add_argument("--pimem", default=str(ROOT / "target/release/pimem"))
    parser.add_argument("--server", default=str(ROOT / "target/release/pimem-server"))
    parser.add_argument("--questions", type=int, default=1000, help="questions of each set at most")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the larger table")
    args = parser.parse_args()
    machine()
    sys.exit(agreement(args))


if __name__ == "__main__":
    main()
