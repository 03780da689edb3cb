#!/usr/bin/env python3
"""Draws the pictures of the documents: what a terminal shows.

    docs/pictures/make.py --pimem target/debug/pimem            writes them
    docs/pictures/make.py --pimem target/debug/pimem --check    exits with 1 if one would change

The pictures of pages are screenshots of .ci/page, `docs-page.png` and `docs-fades.png`, in 48 colours.
"""

import argparse
import fcntl
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata
from xml.sax.saxutils import escape

HERE = pathlib.Path(__file__).resolve().parent
NOW = "2026-06-30T18:00:00Z"
COLUMNS = 80
CELL, LINE, MARGIN = 8.4, 19, 16
# Colours of a dark terminal, by the number of the escape sequence; all of them have a contrast of 4.5 or more.
GROUND, TEXT, PROMPT = "#1b1f24", "#d7dde3", "#7ee2a8"
COLOURS = {
    30: "#8b949e", 31: "#ff8f88", 32: "#7ee2a8", 33: "#e3c26f", 34: "#8ab8ff", 35: "#d3a8ff", 36: "#76d9e6", 37: TEXT,
    90: "#9aa4ae", 91: "#ffa8a2", 92: "#9be9bd", 93: "#f0d58c", 94: "#a9cbff", 95: "#dfbfff", 96: "#98e6ef", 97: "#fff",
}

FIRST = [
    ["add", "-c", "decision", "Orders live in PostgreSQL; SQLite is for tests only"],
    ["add", "-c", "preference", "Squash commits before you merge"],
    ["search", "which", "database", "do", "we", "use"],
    ["report"],
]


class Sandbox:
    def __init__(self, pimem):
        self.pimem = pimem
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="pimem-pictures-"))
        self.project = self.root / "project"
        self.project.mkdir()
        env = {"HOME": str(self.root), "PATH": os.environ["PATH"], "PIMEM_NOW": NOW, "CI": "true"}
        self.env = env | {"TERM": "xterm-256color", "LANG": "C.UTF-8"}

    def run(self, *words):
        done = subprocess.run([self.pimem, *words], cwd=self.project, env=self.env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def shown(self, words):
        """What a terminal of 80 columns is sent."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        process = subprocess.Popen([self.pimem, *words], cwd=self.project, env=self.env, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            parts.append(part)
        os.close(ours)
        assert process.wait() == 0, b"".join(parts)
        return b"".join(parts).decode().replace(str(self.root), "~").replace("\r", "")


def runs(text):
    """Lines of (style, text) from text with escape sequences."""
    colour, bold, dim = None, False, False
    for line in text.splitlines():
        found = []
        for part in re.split(r"(\x1b\[[0-9;]*m)", line):
            if not part.startswith("\x1b["):
                if part:
                    found.append(((colour, bold, dim), part))
                continue
            for number in map(int, filter(None, part[2:-1].split(";"))) if part != "\x1b[m" else [0]:
                if number == 0:
                    colour, bold, dim = None, False, False
                elif number == 1:
                    bold = True
                elif number == 2:
                    dim = True
                elif number == 22:
                    bold, dim = False, False
                elif number == 39:
                    colour = None
                elif number in COLOURS:
                    colour = COLOURS[number]
        yield found


def width(text):
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def folded(line):
    """Breaks a line where a terminal does."""
    row, used = [], 0
    for style, text in line:
        start = 0
        for at, char in enumerate(text):
            if used + width(char) > COLUMNS:
                row.append((style, text[start:at]))
                yield row
                row, used, start = [], 0, at
            used += width(char)
        row.append((style, text[start:]))
    yield row


def terminal(sandbox, commands, title):
    rows = []
    for words in commands:
        typed = " ".join(word if re.fullmatch(r"[\w./=-]+", word) else f'"{word}"' for word in words)
        rows += folded([((PROMPT, True, False), "$ "), ((None, True, False), f"pimem {typed}")])
        for line in runs(sandbox.shown(words)):
            rows += folded(line)
        rows.append([])
    rows.pop()
    wide, high = 2 * MARGIN + COLUMNS * CELL, 2 * MARGIN + len(rows) * LINE
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" width="{wide:g}" height="{high:g}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>',
        f'<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="{TEXT}">',
    ]
    for number, row in enumerate(rows):
        at, parts = 0, []
        for (colour, bold, dim), text in row:
            style = f' fill="{colour}"' if colour else ' fill="#9aa4ae"' if dim else ""
            style += ' font-weight="bold"' if bold else ""
            # What several spaces part has places of its own, as a viewer may fold them into one.
            for word in re.finditer(r"\S+(?: \S+)*", text):
                x = MARGIN + (at + width(text[: word.start()])) * CELL
                place = f'x="{x:g}" textLength="{width(word[0]) * CELL:g}"'
                parts.append(f"<tspan {place}{style}>{escape(word[0])}</tspan>")
            at += width(text)
        if parts:
            out.append(f'<text y="{MARGIN + (number + 0.75) * LINE:g}">{"".join(parts)}</text>')
    return "\n".join([*out, "</g>", "</svg>", ""])


def pictures(pimem):
    own = Sandbox(pimem)
    try:
        own.run("init")
        yield "terminal.svg", terminal(own, FIRST, "A terminal: two memories are added, one is found by other words, and the report has both")
    finally:
        shutil.rmtree(own.root, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pimem", type=os.path.abspath, required=True)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    stale = []
    for name, text in pictures(args.pimem):
        path = HERE / name
        if not path.exists() or path.read_text() != text:
            stale.append(name)
            if not args.check:
                path.write_text(text)
    print(f"{'stale' if args.check else 'written'}: {', '.join(stale) or 'none'}")
    sys.exit(1 if args.check and stale else 0)


if __name__ == "__main__":
    main()
