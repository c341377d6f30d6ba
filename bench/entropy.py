#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Estimates how much a trace says: the size of the values that change, each sequence once, compressed.

usage: entropy.py DECODE TRACE. Prints the number of calls, the bytes of the values, and the bytes of the order of
calls.

For each call class and each argument, the values of all calls are a sequence. (A failed poll is a class of its own.)
Sequences that say nothing new are left out:
* a constant one;
* one that equals another one, on any rank, but for a factor and a constant (ranks count from the caller's own);
* one that follows from another one of the same calls by a table that is short beside it;
* requests, which follow from the calls that began them.

The order of calls is, for each class, the sequence of the classes that follow it, as lengths of runs.

The rest is written in 1, 2, 4 or 8 bytes a value and compressed class by class, with xz -9e or zstd -19; or each
sequence is written in as few bits a value as its range needs, either the values or their differences. The smallest
result counts.
"""
import collections
import json
import lzma
import math
import subprocess
import sys

RANKS = ("source", "dest", "root")
FAILED = {"flag": False, "outcount": 0}
TABLE_SHARE = 4  # a table is short if it has at most one entry for as many values
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]

texts = {}


def number(value):
    """Returns an int for any scalar; missing values and strings are negative, and rare."""
    if isinstance(value, (bool, int)):
        return int(value)
    return -(1 << 40) - texts.setdefault(value, len(texts))


def columns(path, values, world):
    """Yields the sequences of ints that make up VALUES, those of one argument in all calls of a class."""
    if "request" in path:
        return
    types = set(map(type, values))
    if list in types:
        lengths = [len(v) if isinstance(v, list) else -1 for v in values]
        yield lengths
        if min(lengths) == max(lengths):
            for k in range(lengths[0]):
                yield from columns(path, [v[k] for v in values], world)
        else:
            yield from columns(path, [item for v in values if isinstance(v, list) for item in v], world)
    elif dict in types:
        for key in next(v for v in values if isinstance(v, dict)):
            name = path if key in ("in", "out") else key
            yield from columns(name, [v[key] if isinstance(v, dict) else None for v in values], world)
    elif types == {str} and values[0].startswith("heap:"):
        pieces = [v.replace("+", ":").split(":") for v in values]
        for piece in (1, 2):
            yield [int(p[piece]) if len(p) == 3 else number(p[0]) for p in pieces]
    elif values:
        rank, size = world
        yield [(v - rank) % size if path in RANKS and type(v) is int and v >= 0 else number(v) for v in values]


def least_values(sequence):
    """Returns a form that is the same for all sequences that differ by a factor and a constant."""
    low, high = min(sequence), max(sequence)
    divisor = math.gcd(*[v - low for v in sequence]) or 1
    least = min([(v - low) // divisor for v in sequence], [(high - v) // divisor for v in sequence])
    if max(least) >= 1 << 32:  # strings among numbers
        codes = {v: k for k, v in enumerate(sorted(set(least)))}
        least = [codes[v] for v in least]
    return least


def packed_values(values):
    """Returns VALUES (not negative) as bytes, as few for each as all need, and the bytes that they take as bits."""
    bits = max(values).bit_length()
    width = next(w for w in (1, 2, 4, 8) if bits <= 8 * w)
    return b"".join([v.to_bytes(width, "little") for v in values]), (bits * len(values) + 7) // 8


def piece_of(sequence):
    """Returns SEQUENCE packed, as values and as differences."""
    least = least_values(sequence)
    steps = [b - a for a, b in zip(least, least[1:])] or [0]
    lowest = min(steps)
    return packed_values(least), packed_values([step - lowest for step in steps])


def follows(sequence, other, size):
    """True if SEQUENCE is a function of OTHER, which has SIZE values."""
    if len(sequence) != len(other) or TABLE_SHARE * size > len(sequence):
        return False
    return len(set(zip(other, sequence))) == size


def new_ones(sequences):
    """Returns, packed, the sequences that are not constant and do not follow from another one of them."""
    found = []
    for size, _, sequence in sorted([(len(set(s)), -i, s) for i, s in enumerate(sequences)], reverse=True):
        if size > 1 and not any(follows(sequence, other, n) for n, other in found):
            found.append((size, sequence))
    return [piece_of(sequence) for _, sequence in found]


def runs(items):
    """Returns the items that differ from the one before, and how often each is repeated."""
    heads, lengths = [], []
    for item in items:
        if not heads or heads[-1] != item:
            heads.append(item)
            lengths.append(0)
        lengths[-1] += 1
    return heads, lengths


def orders(places):
    """Returns the sequences that say which class each call is of."""
    followers = collections.defaultdict(list)
    for one, other in zip(places, places[1:]):
        followers[one].append(other)
    for found in followers.values():
        if len(set(found)) > 1:
            heads, lengths = runs(found)
            yield lengths
            if len(set(found)) > 2:
                yield heads


def call_class(call):
    failed = [name for name, value in FAILED.items() if call["args"].get(name) == value and type(call["args"].get(name)) is type(value)]
    return call["func"], call.get("site"), tuple(failed)


def threads(decode, trace, rank):
    """Returns the calls of each thread of RANK as pairs: class numbers in order; arguments by class."""
    found = {}
    with subprocess.Popen([decode, "--format=json", "--rank=%d" % rank, trace], stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            call = json.loads(line)
            classes, values = found.setdefault(call["thread"], ([], collections.defaultdict(lambda: collections.defaultdict(list))))
            name = call_class(call)
            classes.append(name)
            for argument, value in call["args"].items():
                values[name][argument].append(value)
            values[name]["ret"].append(call["ret"])
    if process.returncode:
        raise SystemExit("entropy: %s failed" % decode)
    return found.values()


def compressed(data):
    zstd = subprocess.run(["zstd", "-q", "-19", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return min(len(zstd), len(lzma.compress(data, lzma.FORMAT_RAW, filters=FILTERS)))


def smallest(pieces):
    """Returns the bytes that PIECES take."""
    return min([way for form in zip(*pieces) for way in (compressed(b"".join([data for data, _ in form])), sum([n for _, n in form]))])


def main():
    if len(sys.argv) != 3:
        raise SystemExit("usage: entropy.py DECODE TRACE")
    decode, trace = sys.argv[1:]
    size, calls, known = ranks_of(decode, trace), 0, set()
    pieces = {"values": collections.defaultdict(list), "order": collections.defaultdict(list)}

    def add(kind, name, found):
        for piece in found:
            if piece[0][0] not in known:
                known.add(piece[0][0])
                pieces[kind][name].append(piece)

    for rank in range(size):
        for classes, values in threads(decode, trace, rank):
            calls += len(classes)
            add("order", None, [piece_of(s) for s in orders(classes_numbered(classes)) if len(set(s)) > 1])
            for name, arguments in values.items():
                sequences = [s for argument, v in arguments.items() for s in columns(argument, v, (rank, size))]
                add("values", name, new_ones(sequences))
    print(calls, *[sum(map(smallest, pieces[kind].values())) for kind in ("values", "order")])


def classes_numbered(classes):
    numbers = {}
    return [numbers.setdefault(name, len(numbers)) for name in classes]


def ranks_of(decode, trace):
    """Returns the number of ranks: each has a process in the machine."""
    lines = subprocess.run([decode, "--format=json", "--func=MPI_Finalize", trace], stdout=subprocess.PIPE, check=True).stdout
    return 1 + max([json.loads(line)["rank"] for line in lines.splitlines()])


if __name__ == "__main__":
    main()
