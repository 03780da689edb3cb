#!/usr/bin/env python3
"""Renews src/start.ld: which functions lie together in the program, because commands and hooks begin with them.

    python3 benches/order.py [--against PIMEM]

The program has 17 MB of code, of which a command runs a few hundred kilobytes. Where these are strewn, a start is
mostly page faults. The functions that the commands of benches/instructions.py call are noted (callgrind), those of the most
frequent hook first, without the hashes in their names, so that the list holds for other compilers and versions.
Names that many functions have, as those of generic code, are left out.

Prints the page faults of each command, by the program that is built with the new list and by another, which was
built without it or with an older one.

Python 3.9+, standard library only; valgrind, nm, Linux.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from instructions import COMMANDS, ROOT, environment, seed

LIST = ROOT / "src/start.ld"
# Bytes of the functions that share a name.
MOST = 32 << 10
FREQUENT = "--version post-tool prompt stop session-start search report add"
# What is called most comes first.
CALLS = [
    ("hook claude pre-tool", ["hook", "claude", "pre-tool"],
     json.dumps({"tool_name": "Write", "tool_input": {"file_path": "src/berths.rs", "content": "fn berth() {}\n"}})),
] + sorted(COMMANDS, key=lambda command: FREQUENT.find(command[0].split()[-1]) % len(FREQUENT))


def build() -> Path:
    """Returns a program whose functions have names."""
    subprocess.run(["cargo", "rustc", "--quiet", "--release", "--locked", "--bin", "pimem", "--", "-C", "strip=none"],
                   cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release/pimem"


def run(pimem: Path, scratch: Path, args: list[str], said: str, before: list[str]) -> int:
    """Returns the page faults of a command in a store of its own."""
    root = scratch / "sandbox"
    shutil.copytree(ROOT / "fixtures/stores/harbor", root / "project", copy_function=shutil.copyfile)
    seed(pimem, root)
    if args[-1] == "pre-tool":
        guard = ["add", "--forbid", "from ['\"]moment", "--place", "src/**", "We left moment for date-fns"]
        subprocess.run([pimem, *guard], cwd=root / "project", env=environment(root), check=True, capture_output=True)
    if said.startswith("{"):
        said = json.dumps({**json.loads(said), "session_id": "one", "cwd": str(root / "project")})
    (root / "said").write_text(said)
    with open(root / "said", "rb") as stdin, open(os.devnull, "wb") as null:
        os.chdir(root / "project")
        argv = [*before, str(pimem), *args]
        actions = [(os.POSIX_SPAWN_DUP2, file.fileno(), to) for to, file in enumerate((stdin, null, null))]
        pid = os.posix_spawnp(argv[0], argv, environment(root), file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
    os.chdir(ROOT)
    shutil.rmtree(root)
    if status != 0:
        raise SystemExit(f"pimem {' '.join(args)}: {status}")
    return usage.ru_minflt


def bare(name: str) -> str:
    """Returns the name of a function as a pattern for all versions of it."""
    name = re.sub(r"17h[0-9a-f]{16}E.*", "17h*", name)
    return re.sub(r"Cs[0-9A-Za-z]{8,12}_", "Cs*_", name).replace("$", "?")


def called(pimem: Path, scratch: Path) -> list[str]:
    names = subprocess.run(["nm", "-S", str(pimem)], check=True, capture_output=True, text=True).stdout
    size: collections.Counter[str] = collections.Counter()
    count: collections.Counter[str] = collections.Counter()
    for symbol in map(str.split, names.splitlines()):
        if len(symbol) == 4:
            size[bare(symbol[3])] += int(symbol[1], 16)
            count[bare(symbol[3])] += 1
    order: dict[str, None] = {}
    for _, args, said in CALLS:
        out = scratch / "calls"
        run(pimem, scratch, args, said, ["valgrind", "-q", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={out}"])
        found = re.findall(r"^c?fn=\(\d+\) (_(?:ZN|R)[^\s']+)", out.read_text(), re.MULTILINE)
        order |= dict.fromkeys(name for name in map(bare, found) if count[name] == 1 or 0 < size[name] <= MOST)
    return list(order)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pimem-order-") as name:
        scratch = Path(name)
        other = scratch / "other"
        shutil.copy(args.against or build(), other)
        patterns = "".join(f"*(.text.{pattern})\n" for pattern in called(build(), scratch))
        LIST.write_text("/* Made by benches/order.py. */\nSECTIONS { .text.start : {\n" + patterns + "} }\nINSERT BEFORE .text;\n")
        pimem = build()
        print(f"{'command':<26}{'before':>8}{'now':>8}")
        for command, words, said in CALLS:
            before, now = (run(which, scratch, words, said, []) for which in (other, pimem))
            print(f"{command:<26}{before:>8}{now:>8}")


if __name__ == "__main__":
    main()
