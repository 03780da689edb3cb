#!/usr/bin/env python3
"""Benchmark of `pimem mcp`: what a client waits for, compared with an empty program and with a cold search.

    python3 benches/mcp.py [--pimem target/dist/pimem] [--runs 201] [--calls 10000]

The store has 1,000 entries. Every round does everything once in a shuffled order, so that noise of the machine
affects all of it equally: the ratios are the reliable result. Last, one server answers many calls, and its memory
after the first tenth of them is compared with that after the last. Linux, Python 3.9+, standard library only;
rustc for the empty program.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from cold import Command, Runner, Store, compile_rust, make_corpus

LINES = 1_667  # of which 1,000 are entries
WARM_UPS = 5


class Server:
    """A running `pimem mcp` whose messages go through pipes."""

    def __init__(self, pimem: str, store: Store):
        os.chdir(store.root)
        read, self.stdin = os.pipe2(os.O_CLOEXEC)
        stdout, write = os.pipe2(os.O_CLOEXEC)
        actions = [(os.POSIX_SPAWN_DUP2, read, 0), (os.POSIX_SPAWN_DUP2, write, 1)]
        self.pid = os.posix_spawn(pimem, [pimem, "mcp"], store.env, file_actions=actions)
        os.close(read)
        os.close(write)
        self.stdout = os.fdopen(stdout, "rb")

    def ask(self, method: str, **parameters) -> dict:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        os.write(self.stdin, json.dumps(message).encode() + b"\n")
        answer = json.loads(self.stdout.readline())
        assert not answer.get("result", {"isError": True}).get("isError"), answer
        return answer["result"]

    def initialize(self) -> None:
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)

    def call(self, name: str, **arguments) -> None:
        self.ask("tools/call", name=name, arguments=arguments)

    def resident_kib(self) -> int:
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    def end(self) -> None:
        os.close(self.stdin)
        _, status = os.waitpid(self.pid, 0)
        self.stdout.close()
        assert status == 0, status


def timed(action) -> float:
    """Returns milliseconds."""
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1000


def session(pimem: str, store: Store, query: str) -> dict[str, float]:
    """Returns what each step of a short session takes."""
    start = time.perf_counter()
    server = Server(pimem, store)
    server.initialize()
    first = (time.perf_counter() - start) * 1000
    return {
        "mcp, start to first answer": first,
        "mcp, first memory_search": timed(lambda: server.call("memory_search", query=query)),
        "mcp, second memory_search": timed(lambda: server.call("memory_search", query=query)),
        "mcp, memory_context": timed(lambda: server.call("memory_context", prompt=query)),
        "mcp, end of input to end": timed(server.end),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pimem", default="target/dist/pimem", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--runs", type=int, default=201)
    parser.add_argument("--calls", type=int, default=10_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pimem-mcp-") as name:
        tmp = Path(name)
        files, _, words = make_corpus(LINES)
        store, query = Store(tmp, "project", files), " ".join(words)
        runner = Runner(tmp)
        subprocess.run([args.pimem, "trust", "--all"], cwd=store.root, env=store.env, stdout=subprocess.DEVNULL, check=True)
        runner.run(Command("rebuild", [args.pimem, "rebuild"], store))
        empty = Command("an empty program", [compile_rust(tmp, None)["empty"]], store)
        search = Command("search, a cold process", [args.pimem, "search", query], store)
        steps = [
            lambda: {empty.name: runner.run(empty)},
            lambda: {search.name: runner.run(search)},
            lambda: session(args.pimem, store, query),
        ]
        times: dict[str, list[float]] = {}
        order = random.Random(1)
        for number in range(WARM_UPS + args.runs):
            for step in order.sample(steps, len(steps)):
                for what, ms in step().items():
                    if number >= WARM_UPS:
                        times.setdefault(what, []).append(ms)
        floor = statistics.median(times[empty.name])
        print(f"| {args.runs} runs | median | × empty program |\n|---|---|---|")
        for what, ms in sorted(times.items()):
            print(f"| {what} | {statistics.median(ms):.2f} ms | {statistics.median(ms) / floor:.1f} |")

        server = Server(args.pimem, store)
        server.initialize()
        resident = []
        for number in range(args.calls):
            if number % 2:
                server.call("memory_search", query=words[number % 3])
            else:
                server.call("memory_context", prompt=query)
            if number + 1 in (args.calls // 10, args.calls):
                resident.append(server.resident_kib())
        server.end()
        print(f"{resident[0]} KiB after {args.calls // 10} calls, {resident[1]} KiB after {args.calls}")


if __name__ == "__main__":
    main()
