#!/usr/bin/env python3
"""Packs a static embedding table (int4 safetensors and a WordPiece vocabulary) into table.bin.

Usage: pack.py STATIC.safetensors VOCAB.txt > table.bin

All numbers are little-endian; the reader is crates/core/src/embed/table.rs.

  0   magic "pimemtb\\1"
  8   u32 rows, u32 dimension, u32 slots (a power of two), u32 bytes of the vocabulary
  24  slots    u32 each: 0 when empty, else (token + 1) | (upper 16 bits of its hash) << 16
  ..  offsets  u32 x (rows + 1): where each token's text starts in the vocabulary
  ..  the vocabulary's bytes, padded to 4
  ..  rows     (dimension / 2) bytes: the low nibbles are the first half of the numbers, the high
               ones the second half, value = nibble - 8; then the f16 scale

A token is found by the 64-bit FNV-1a of its text, low bits first, with linear probing.
"""
import json
import struct
import sys

MASK = (1 << 64) - 1


def fnv1a64(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & MASK
    return h


def main(tensors, vocabulary):
    raw = open(tensors, "rb").read()
    (length,) = struct.unpack_from("<Q", raw)
    header = json.loads(raw[8 : 8 + length])
    body = raw[8 + length :]

    def section(name, dtype):
        spec = header[name]
        assert spec["dtype"] == dtype, spec
        start, end = spec["data_offsets"]
        return spec["shape"], body[start:end]

    (rows, width), nibbles = section("q4", "U8")
    (scales,), scale = section("scale", "F16")
    words = open(vocabulary, "rb").read().split(b"\n")[:-1]
    assert len(words) == rows == scales and len(set(words)) == rows

    slots = 1
    while slots < rows * 2:
        slots *= 2
    table = [0] * slots
    for token, word in enumerate(words):
        h = fnv1a64(word)
        at = h & (slots - 1)
        while table[at]:
            at = (at + 1) & (slots - 1)
        table[at] = (token + 1) | (h >> 48) << 16

    text = b"".join(words)
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    out = [b"pimemtb\x01", struct.pack("<4I", rows, 2 * width, slots, len(text))]
    out.append(struct.pack(f"<{slots}I", *table))
    out.append(struct.pack(f"<{rows + 1}I", *offsets))
    out.append(text + b"\0" * (-len(text) % 4))
    for row in range(rows):
        # In the source, two neighbouring numbers share a byte; apart, they can be added at once.
        pairs = nibbles[row * width : (row + 1) * width]
        numbers = [nibble for byte in pairs for nibble in (byte & 15, byte >> 4)]
        halves = bytes(low | high << 4 for low, high in zip(numbers[:width], numbers[width:]))
        out.append(halves + scale[2 * row : 2 * row + 2])
    sys.stdout.buffer.write(b"".join(out))


main(*sys.argv[1:])
