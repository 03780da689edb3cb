#!/usr/bin/env python3
"""Measures pimem-server on a PostgreSQL of its own, on loopback.

    cargo build --profile dist --locked --bin pimem -p pimem
    cargo build --profile dist --locked -p pimem-server
    benches/server.py agreement            the server's best ten against the program's
    benches/server.py modes                two machines and a colleague by pimem itself, in each mode of encryption
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
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Of organisations whose database is not to be read.
KEY = "00112233445566778899aabbccddeeff" * 2


class Stage:
    """A PostgreSQL and a server, with one organisation."""

    def __init__(self, server, options=(), listen=None):
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
        # The server keeps it when it is started again.
        self.listen = listen or f"127.0.0.1:{self.pgtest('port')}"
        self.url = f"postgres://pimem@127.0.0.1:{self.pgtest('start', self.dir)}/postgres"
        self.bin = self.pgtest("bin", self.dir)
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
        return done.stdout.strip()

    def run(self, *words):
        env = {"DATABASE_URL": self.url, "PATH": os.environ["PATH"], "PIMEM_SERVER_KEY": KEY}
        return subprocess.run([self.program, *words], env=env, check=True, text=True, stdout=subprocess.PIPE).stdout

    def serve(self, *options):
        env = {"DATABASE_URL": self.url, "PIMEM_SERVER_KEY": KEY}
        words = ["serve", "--listen", self.listen, "--metrics", "127.0.0.1:0", "--rate", "1000000", "--burst", "1000000"]
        self.process = subprocess.Popen([self.program, *words, *options], env=env, stderr=subprocess.PIPE, text=True)
        told = self.process.stderr.readline()
        if not told.startswith("{"):
            raise SystemExit(f"the server did not start: {told}{self.process.stderr.read()}")
        line = json.loads(told)
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

    def dump(self):
        env = dict(os.environ, LD_LIBRARY_PATH=self.libraries())
        return subprocess.run([f"{self.bin}/pg_dump", self.url], env=env, check=True, stdout=subprocess.PIPE).stdout

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


def modes(args):
    """Whether machines end alike in each mode, and the database has the words in one of them only."""
    stage = Stage(args.server)
    sandbox = pathlib.Path(tempfile.mkdtemp(prefix="pimem-modes-"))
    try:
        ends = {mode: live(args, stage, sandbox, mode) for mode in ["plain", "sealed", "end-to-end"]}
        dump = stage.dump()
    finally:
        stage.close()
        shutil.rmtree(sandbox, ignore_errors=True)
    well = True
    for mode, (lists, word) in ends.items():
        same, found = lists == ends["plain"][0], word.encode() in dump
        well = well and same and found == (mode == "plain") and len(lists[0]) == 3
        print(f"{mode:<12} {'as plain' if same else 'OTHERWISE'}; the words are {'' if found else 'not '}in the database")
    return 0 if well else 1


def live(args, stage, sandbox, mode):
    """What three machines list after they have met, and a word that was said in this mode alone."""
    for words in [["org", "create", mode, "--mode", mode], ["project", "create", "site", "--org", mode]]:
        stage.run(*words)
    keys = {}
    for user in ["anna", "ben"]:
        stage.run("user", "create", user, "--org", mode)
        stage.run("user", "grant", user, "writer", "--org", mode)
        keys[user] = stage.run("key", "create", user, "--scopes", "read,write", "--org", mode).strip()
    word = {"plain": "zqplainx", "sealed": "zqsealdx", "end-to-end": "zqopaqux"}[mode]

    def machine(name):
        home = sandbox / mode / name
        (home / "project").mkdir(parents=True)
        env = {
            "HOME": str(home), "PATH": os.environ["PATH"], "PIMEM_NOW": "2026-06-30T12:00:00Z", "CI": "true",
            "PIMEM_SYNC_SERVER": stage.address, "PIMEM_SYNC_PROJECT": "site", "PIMEM_SYNC_KEY": keys[name.split("-")[0]],
        }

        def pimem(*words, stdin=None):
            done = subprocess.run(
                [args.pimem, *words], cwd=home / "project", env=env, input=stdin, text=True, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            assert done.returncode == 0, (mode, name, words, done.stdout, done.stderr)
            return done.stdout

        pimem("init")
        return pimem

    desk, laptop, ben = machine("anna-desk"), machine("anna-laptop"), machine("ben-desk")
    if mode == "end-to-end":
        desk("sync", "--seal-key", "new")
        for other in [laptop, ben]:
            other("sync", "--seal-key", "take", stdin=desk("sync", "--seal-key", "show"))
    desk("add", "--pin", f"Piers are numbered from the west #{word}")
    desk("add", "-c", "decision", f"Tenders {word} are let in spring")
    laptop("add", f"The crane {word} is of 1962")
    ben("add", f"Ben says {word}")
    for pimem in [desk, laptop, ben, desk]:
        pimem("sync", "--yes")
    laptop("edit", "Tenders", f"Tenders {word} are let in autumn")
    desk("reinforce", "Piers")
    desk("forget", "--destroy", "--yes", "crane")
    desk("add", f"Grüße, «naïve» {word} 日本")
    for pimem in [desk, laptop, ben, desk, laptop, ben]:
        pimem("sync", "--yes")

    def rows(pimem, *words):
        listed = json.loads(pimem(*words, "--json"))
        return sorted(
            (row["text"].replace(word, "word"), {key: row.get(key) for key in ["pinned", "evidence", "state", "score"]})
            for row in listed.get("entries", listed.get("hits", []))
        )

    assert rows(desk, "list") == rows(laptop, "list"), mode
    return [rows(laptop, "list"), rows(ben, "search", "--scope", "team", "--mode", "keyword", "piers")], word


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


def sync(args):
    """Times 100,000 events over loopback, one client, batches of 1,000."""
    stage = Stage(args.server, ["--workers", "0"])
    try:
        then = 1_770_000_000_000
        texts = [f"Fact number {number} of the bench" for number in range(10_000)]
        entries = [entry("fact", text) for text in texts]
        ids = [fnv(one["line"].encode()) for one in entries]
        events = []
        for number in range(100_000):
            op = {"op": "add", "cue": "explicit"} if number < len(ids) else {"op": "reinforce", "n": 1}
            ts = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(then // 1000 + number))
            identity = {"id": ulid(then + 1000 * number, number), "ts": ts, "entry": ids[number % len(ids)]}
            events.append(identity | op | {"by": "user"})
        stage.push(entries, [])
        bodies = [
            json.dumps({"project": "site", "events": events[start : start + 1000]}).encode()
            for start in range(0, len(events), 1000)
        ]
        for name in ["pushed", "pushed again"]:
            timed(stage, f"100,000 events {name}", lambda: [send(stage, body) for body in bodies])
        last = {}

        def pull():
            cursor, count = "", 0
            while True:
                page = json.loads(get(stage, "/v1/sync/pull?project=site&limit=5000" + cursor))
                count += len(page["objects"])
                cursor = "&cursor=" + urllib.parse.quote(page["cursor"])
                if not page["more"]:
                    break
            assert count == len(events) + len(entries), count
            last["cursor"] = cursor

        timed(stage, "110,000 objects pulled", pull)
        path = "/v1/sync/pull?project=site" + last["cursor"]
        times = []
        for _ in range(200):
            start = time.perf_counter()
            get(stage, path)
            times.append(1000 * (time.perf_counter() - start))
        times.sort()
        print(f"empty pull: p50 {times[100]:.2f} ms, p99 {times[197]:.2f} ms; server {stage.memory():.0f} MB")
    finally:
        stage.close()
    return 0


def timed(stage, name, work):
    cpu, start = stage.cpu(), time.perf_counter()
    work()
    wall = time.perf_counter() - start
    print(f"{name}: {wall:.2f} s, {stage.cpu() - cpu:.2f} s of CPU in PostgreSQL and server")


def send(stage, body):
    headers = {"Authorization": f"Bearer {stage.key}", "Content-Type": "application/json"}
    request = urllib.request.Request(stage.address + "/v1/sync/push", data=body, headers=headers, method="POST")
    with urllib.request.urlopen(request, timeout=60) as answer:
        told = json.loads(answer.read())
    assert not told["refused"], told["refused"][:2]


def get(stage, path):
    request = urllib.request.Request(stage.address + path, headers={"Authorization": f"Bearer {stage.key}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


# Rows are made in the database: vectors lie around a thousand centres, words are as rare as in a language.
FILL = """
set search_path = pimem, public;
create temp table base as
    select n, v::halfvec(384) as v from generate_series(0, 11010) n
    cross join lateral (select array_agg(x) as v from (select random() - 0.5 + 0 * n as x from generate_series(1, 384)) r) s;
create unique index on base (n);
create temp table words as select n, 'word' || n as word from generate_series(0, 19999) n;
create unique index on words (n);
create temp table sites as select row_number() over (order by slug) - 1 as n, id from projects;
analyze base; analyze words;
insert into memories (org_id, project_id, entry, hash, category, topic, place, body, evidence, first_seen,
    last_reinforced, cue, user_state, table_vec, model_vec, fts, words, indexed_at)
select o.id, p.id, substr(sha256(i::text::bytea), 1, 8), sha256(i::text::bytea), 'fact', 'facts', 'topics', t.body, 1 + i %% 5,
    now() - (i %% 90) * interval '1 day', now() - (i %% 60) * interval '1 day', 1, 'auto',
    (c.v + c.v + a.v)::halfvec(384), (c.v + c.v + b.v)::halfvec(384), array_to_tsvector(t.lexemes), 12, now()
from generate_series(%d, %d) i
join base c on c.n = i %% 1000
join base a on a.n = 1000 + (i::int8 * 7919) %% 10007
join base b on b.n = 1000 + (i::int8 * 104729) %% 10007
join sites p on p.n = i %% 100
cross join orgs o
cross join lateral (
    select string_agg(word, ' ') as body, array_agg(distinct word) as lexemes
    from (select floor(20000 * power(random() + 0 * i, 4))::int as n from generate_series(1, 12)) r join words using (n)
) t;
"""
COUNT = """
set search_path = pimem, public;
truncate lexemes, corpora;
insert into corpora select org_id, project_id, count(*), sum(words) from memories group by 1, 2;
insert into lexemes select org_id, project_id, lexeme, count(*)
    from memories, unnest(tsvector_to_array(fts)) as lexeme group by 1, 2, 3;
analyze memories; analyze lexemes;
"""


def scale(args):
    """Hybrid search over a tenth of the rows, and over all."""
    stage = Stage(args.server, ["--workers", "0"])
    try:
        for number in range(99):
            stage.run("project", "create", f"p{number:02}", "--org", "acme")
        costs, at = [], 0
        for rows in [args.rows // 10, args.rows]:
            start = time.perf_counter()
            stage.sql("drop index if exists pimem.memories_table_bits, pimem.memories_model_bits")
            stage.sql(FILL % (at, rows - 1))
            at = rows
            for column in ["table", "model"]:
                stage.sql(
                    f"set maintenance_work_mem = '2GB'; create index memories_{column}_bits on pimem.memories "
                    f"using hnsw ((binary_quantize({column}_vec)::bit(384)) bit_hamming_ops)"
                )
            stage.sql(COUNT)
            stage.sql("vacuum analyze pimem.memories")
            print(f"{rows:,} rows made and indexed in {time.perf_counter() - start:.0f} s", flush=True)
            print(sizes(stage, rows), flush=True)
            costs.append(searched(stage))
        print(f"CPU of a search: {costs[1] / costs[0]:.2f} times that over a tenth of the rows")
    finally:
        stage.close()
    return 0


def sizes(stage, rows):
    """Bytes a row of the table and of each index."""
    found = stage.sql(
        """
        select case when c.relkind = 'r' then 'table'
            else regexp_replace(pg_get_indexdef(c.oid), '.* USING (.*)', '\\1') end, sum(pg_relation_size(c.oid))
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'pimem' and c.relname like 'memories\\___%' group by 1 order by 2 desc
        """
    )
    parts = [line.rsplit("|", 1) for line in found.splitlines()]
    return "  bytes a row: " + ", ".join(f"{name} {int(size) / rows:.0f}" for name, size in parts)


def queries(count):
    chance = random.Random(7)
    for _ in range(count):
        words = [f"word{int(20000 * chance.random() ** 4)}" for _ in range(4)]
        yield "/v1/memories/search?limit=10&q=" + "+".join(words)


def searched(stage):
    for path in queries(20):
        get(stage, path)
    times, cpu = [], stage.cpu()
    for path in queries(100):
        start = time.perf_counter()
        get(stage, path)
        times.append(1000 * (time.perf_counter() - start))
    cost = 10 * (stage.cpu() - cpu)
    times.sort()
    print(f"  one client: p50 {times[50]:.1f} ms, p99 {times[99]:.1f} ms, {cost:.1f} ms of CPU a search")
    many, turned_away = [], []

    def client():
        for path in queries(20):
            start = time.perf_counter()
            try:
                get(stage, path)
                many.append(1000 * (time.perf_counter() - start))
            except urllib.error.HTTPError as error:
                assert error.code == 503, error
                turned_away.append(path)

    threads = [threading.Thread(target=client) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    many.sort()
    at = len(many)
    times = f"p50 {many[at // 2]:.0f} ms, p99 {many[at * 99 // 100]:.0f} ms"
    print(f"  32 clients: {times}, {len(turned_away)} of 640 turned away with 503, server {stage.memory():.0f} MB")
    for column in ["table", "model"]:
        print(f"  recall@10 of {column}_vec: {recall(stage, column):.3f}", flush=True)
    return cost


def recall(stage, column):
    """The share of the ten nearest by an exact scan that are among the ten nearest of 1,000 by bits."""
    answer = stage.sql(
        f"""
        set search_path = pimem, public;
        set hnsw.ef_search = 1000;
        create temp table asked as select {column}_vec as v from memories order by entry limit 50;
        create temp table answer (share float8);
        do $$
        declare
          one record;
          hits int := 0;
          total int := 0;
          shared int;
        begin
          for one in select * from asked loop
            with near as materialized (
              select entry, {column}_vec from memories
              order by binary_quantize({column}_vec)::bit(384) <~> binary_quantize(one.v)::bit(384) limit 1000),
            ours as (select entry from near order by {column}_vec <=> one.v limit 10),
            exact as materialized (select entry from memories order by {column}_vec <=> one.v limit 10)
            select count(*) into shared from ours join exact using (entry);
            hits := hits + shared;
            total := total + 10;
          end loop;
          insert into answer values (hits::float8 / total);
        end $$;
        select share from answer;
        """
    )
    return float(answer.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["agreement", "modes", "sync", "scale"])
    parser.add_argument("--pimem", type=os.path.abspath, default=str(ROOT / "target/dist/pimem"))
    parser.add_argument("--server", type=os.path.abspath, default=str(ROOT / "target/dist/pimem-server"))
    parser.add_argument("--questions", type=int, default=1000, help="questions of each set at most")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the larger table")
    args = parser.parse_args()
    machine()
    sys.exit({"agreement": agreement, "modes": modes, "sync": sync, "scale": scale}[args.what](args))


if __name__ == "__main__":
    main()
