#!/usr/bin/env python3
"""Compares `pimem model embed` with another implementation, and times it cold.

    python3 benches/model.py PIMEM LIBRARY DIRECTORY [mean|cls]

DIRECTORY contains a real model's files (model.onnx, tokenizer.json, config.json and so on), LIBRARY
is an ONNX Runtime. The other implementation uses the Python packages onnxruntime, tokenizers and
numpy. The model is installed in a temporary cache. Prints cosines, which should be 1 except for
rounding, and times of whole processes in one run. Not part of `.ci/run`, because it needs a real
model.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MAX_TOKENS = 256
RUNS = 21
TEXTS = [
    "How do we roll back a deployment?",
    "Berth plans are immutable; a change makes a new revision #planner",
    "SQLSTATE 40001 from a SERIALIZABLE transaction must be retried as a whole",
    "`idle_in_transaction_session_timeout = 15s` turned silent pool leaks into visible errors",
    "a",
    "naïve café, ÜBER, 日本語, 🚀",
    "word " * 400,
] + [f"Memory {n}: job {n * 7} failed {n % 9} times because the table was locked" for n in range(100)]


def reference(library_dir, directory, pooling):
    """Returns the vectors of the texts, computed in Python."""
    import numpy
    import onnxruntime
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_file(str(directory / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(directory / "model.onnx"), options, providers=["CPUExecutionProvider"]
    )
    wanted = {value.name for value in session.get_inputs()}
    vectors = []
    for text in TEXTS:
        tokens = tokenizer.encode(text)
        given = {
            "input_ids": tokens.ids,
            "attention_mask": tokens.attention_mask,
            "token_type_ids": tokens.type_ids,
        }
        given = {name: numpy.array([ids], dtype=numpy.int64) for name, ids in given.items() if name in wanted}
        hidden = session.run(None, given)[0][0]
        vector = hidden if hidden.ndim == 1 else hidden[0] if pooling == "cls" else hidden.mean(axis=0)
        vectors.append(vector / numpy.linalg.norm(vector))
    return vectors


def timed(command, text, environment):
    start = time.perf_counter()
    done = subprocess.run(command, input=text.encode(), capture_output=True, env=environment)
    took = (time.perf_counter() - start) * 1000
    assert done.returncode == 0, done.stdout + done.stderr
    return took, done.stdout.decode()


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    pimem, library, directory = (str(Path(path).resolve()) for path in sys.argv[1:4])
    pooling = sys.argv[4] if len(sys.argv) == 5 else "mean"
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    with tempfile.TemporaryDirectory() as cache:
        environment = {"HOME": cache, "XDG_CACHE_HOME": cache, "ORT_DYLIB_PATH": library}
        pull = [pimem, "model", "pull", "measured", "--from", directory, "--pooling", pooling]
        subprocess.run(pull, check=True, env=environment)
        environment["ORT_DISABLE_TELEMETRY"] = "1"
        embed = [pimem, "model", "embed", "--runtime", library, f"{cache}/pimem/models/measured"]
        took, out = timed(embed, "".join(json.dumps(text) + "\n" for text in TEXTS), environment)
        ours = [json.loads(line) for line in out.splitlines()]
        print(f"{len(TEXTS)} texts in {took:.0f} ms")
        try:
            theirs = reference(library, Path(directory), pooling)
        except ImportError as error:
            print(f"not compared: {error}")
        else:
            cosines = [sum(a * b for a, b in zip(x, y)) for x, y in zip(ours, theirs)]
            print(f"cosine: least {min(cosines):.6f}, mean {statistics.mean(cosines):.6f}")
        cases = {
            "an empty program": (["true"], ""),
            "pimem --version": ([pimem, "--version"], ""),
            "library only": (embed[:-1], ""),
            "library and model": (embed, ""),
            "library, model and one query": (embed, json.dumps(TEXTS[0]) + "\n"),
        }
        times = {name: [] for name in cases}
        for _ in range(RUNS):
            for name, (command, text) in cases.items():
                times[name].append(timed(command, text, {**environment, "PATH": "/usr/bin:/bin"})[0])
        for name, list_ in times.items():
            print(f"{name:<30}{min(list_):8.1f} ms least {statistics.median(list_):8.1f} ms median")


if __name__ == "__main__":
    main()
