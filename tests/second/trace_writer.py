# SPDX-License-Identifier: BSD-3-Clause
"""A writer of Pilgrim traces, from docs/FORMAT.md alone: whatever a test wants, right or wrong. No test."""
import ctypes
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import second_parts as parts  # noqa: E402
from coded_writer import coded, coded_definitions  # noqa: E402
from second_values import Shape  # noqa: E402


def varint(v):
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128)
        v >>= 7
    out.append(v)
    return bytes(out)


def svarint(v):
    return varint(((v << 1) ^ (v >> 63)) & ((1 << 64) - 1))


def counted(entries):
    return varint(len(entries)) + b"".join(entries)


def text(t):
    return varint(len(t)) + t


T, R, RAMP = range(3)


def rule(*symbols):
    """Each symbol: (kind, value, exponent)."""
    return counted([varint(value << 2 | (exponent > 1) << 1 | (kind == R))
                    + (varint((exponent - 2) << 1 | (kind == RAMP)) if exponent > 1 else b"") for kind, value, exponent in symbols])


def once(*terminals):
    return rule(*[(T, terminal, 1) for terminal in terminals])


def code(d):
    """The terminal that is the difference D."""
    return (d << 1) ^ (d >> 63)


def steps(*differences):
    """A rule for a sequence of differences."""
    return once(*map(code, differences))


def section(kind, content, stored=None):
    stored = content if stored is None else stored
    head = bytes([kind]) + varint(len(content)) + varint(len(stored))
    return head + struct.pack("<I", parts.xxh32(head + stored)) + stored


def zstd(content, known):
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_createCCtx.restype = ctypes.c_void_p
    library.ZSTD_freeCCtx.argtypes = [ctypes.c_void_p]
    library.ZSTD_compress_usingDict.restype = ctypes.c_size_t
    library.ZSTD_compress_usingDict.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
                                                ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    room = ctypes.create_string_buffer(len(content) + 1000)
    context = library.ZSTD_createCCtx()
    size = library.ZSTD_compress_usingDict(context, room, len(room), content, len(content), known, len(known), 3)
    library.ZSTD_freeCCtx(context)
    return room.raw[:size]


def block(numbers, sums=False, planes=False, width=0, base=None):
    """A rule that is a block of the terminals NUMBERS, or, with sums, of the differences that these are the sums of."""
    base = min(numbers) if base is None else base
    packed = [number - base for number in numbers]
    width = width or max(1, max(packed).bit_length())
    if planes:
        width = (width + 7) // 8 * 8
        stored = bytes(u >> 8 * plane & 255 for plane in range(width // 8) for u in packed)
    else:
        stored = sum(u << i * width for i, u in enumerate(packed)).to_bytes((len(packed) * width + 7) // 8, "little")
    return varint(0) + varint(len(packed)) + bytes([width << 2 | planes << 1 | sums]) + svarint(base) + stored


def constant(v):
    return varint(0) + svarint(v)


def expression(kind, c, *more):
    return varint(kind) + svarint(c) + b"".join(map(varint, more))


def listed(*values):
    return varint(8) + counted([svarint(v) for v in values])


def file_of(*shards):
    """shards: each a list of its sections: (type, content), and what is stored, if it is not the content."""
    found = [parts.MAGIC, struct.pack("<H", parts.VERSION)]
    found += [section(*those) for shard in shards for those in shard]
    return b"".join(found) + section(0, b"")


def written(kept, content):
    """The section KEPT, with another content, or, if it has coded calls, other stored bytes."""
    if kept.coded:
        return section(kept.type, bytes(kept.raw), content)
    return section(parts.DEFINITIONS if kept.type in (parts.CODED_DEFINITIONS_10, parts.CODED_DEFINITIONS) else kept.type, content)


class References:
    """How references to one table are written. plain: never as 0."""

    def __init__(self, plain=False):
        self.next, self.plain = 0, plain

    def to(self, index):
        if index == self.next and not self.plain:
            self.next += 1
            return varint(0)
        self.next = max(self.next, index + 1)
        return varint(index + 1)


class Builder:
    """The tables of a shard. What is added returns its number, that of an equal one where there is one."""

    def __init__(self, ranks=1, threads=1):
        self.ranks, self.begins_segment, self.tables = ranks, False, {}
        self.plain_references = self.plain_addresses = self.repeats = self.old = self.coded = self.short_profile = self.shared_profile = False
        self.calls_type, self.definitions_type = parts.CODED_CALLS, parts.CODED_DEFINITIONS
        self.groups, self.statistics, self.profile, self.times = [], None, None, []
        self.threads = self.column(listed(*range(0, (ranks + 1) * threads, threads)) if threads else constant(0))

    def add(self, table, entry):
        known = self.tables.setdefault(table, {})
        return known.setdefault(entry, len(known))

    def string(self, t):
        return self.add("strings", t)

    def call_class(self, declaration, *path, fortran=False):
        """path: the numbers of its addresses, the outermost first."""
        return self.add("classes", (self.add("functions", declaration), fortran, path))

    def symbol(self, module, start, name):
        return self.add("symbols", (module, start, name))

    def address(self, module, offset, symbol=None):
        """A number of its own; in the file addresses are numbered in the order in which classes meet them."""
        return self.add("addresses", (module, offset, symbol))

    def module(self, name, python=None):
        """PYTHON: the function in Python; None: it is no such module."""
        return self.add("modules", varint(self.string(name)) + (text(b"") if python is None else varint(33) + varint(self.string(python))))

    def shape(self, content):
        return self.add("shapes", content)

    def rule(self, content):
        """Its code as a sequence."""
        return 2 * self.add("rules", content) + 2

    def sequence(self, *terminals):
        if not terminals:
            return 0
        return 2 * terminals[0] + 1 if len(terminals) == 1 else self.rule(once(*terminals))

    def differences(self, *differences):
        return self.sequence(*[code(d) for d in differences])

    def column(self, content):
        return self.add("columns", content)

    def signature(self, shape, columns=(), k=1):
        """columns: their contents, in order. k: 0 unzipped, 1 not long."""
        return self.add("signatures", (shape, k, tuple(map(self.column, columns))))

    def partition(self, *columns):
        return self.add("partitions", (None, tuple(map(self.column, columns))))

    def labels(self, count, column):
        """A partition of COUNT value groups. column: the number of each member's value group."""
        return self.add("partitions", (count, (self.column(column),)))

    def group_class(self, call_class, *sequences, partition=None):
        """sequences: of each value group, (sequence, signatures)."""
        return self.add("group_classes", (call_class, partition, tuple((s, tuple(those)) for s, those in sequences)))

    def group(self, sequence, group_classes, members, process=False):
        """group_classes: each (group class, body); body None: no loop."""
        self.groups.append((sequence, process, group_classes, self.column(members)))

    def process(self, members=None, rank_bases=((0, 1),)):
        """The process streams of all ranks, or of MEMBERS, with equal RANK_BASES."""
        group_class = self.group_class(self.call_class(b"pilgrim_process,views_rank,views_size:"),
                       (1, [self.signature(self.shape((b"\x0f" + varint(len(rank_bases)) + b"\x03" * len(rank_bases)) * 2 + b"\x01"),
                                           [constant(rank) for rank, _ in rank_bases] + [constant(size) for _, size in rank_bases])]))
        self.group(1, [(group_class, None)], members or (listed(*range(self.ranks)) if self.ranks > 1 else constant(0)), True)

    def table(self, name):
        return list(self.tables.get(name, ()))

    def definitions(self):
        classes = self.old_classes() if self.old else self.symbols() + self.classes()
        return (counted([t + b"\0" for t in self.table("strings")]) + counted([])
                + counted([t + b"\0" for t in self.table("functions")]) + counted(self.table("modules")) + classes
                + counted([text(t) for t in self.table("shapes")]))

    def symbols(self):
        symbols = self.table("symbols")
        starts = [start for _, start, _ in symbols]
        return (varint(len(symbols)) + b"".join([varint(module) for module, _, _ in symbols])
                + b"".join([svarint(start - last) for start, last in zip(starts, [0] + starts)])
                + b"".join([name + b"\0" for _, _, name in symbols]))

    def classes(self):
        classes, addresses = self.table("classes"), self.table("addresses")
        steps, frames, kinds, offsets, numbers, youngest = [], [], [], [], {}, {}
        references, path, last = References(self.plain_references), (), 0
        for _, _, mine in classes:
            same = len(os.path.commonprefix((path, mine)))
            same -= self.repeats and same > 0     # legal, if not as short as it could be
            steps.append(varint(len(path) - same) + varint(len(mine) - same))
            for depth in range(same, len(mine)):
                address, caller = mine[depth], mine[depth - 1] if depth else None
                frames.append(varint(numbers[address] + 1 if address in numbers else 0))
                if address not in numbers:
                    numbers[address] = len(numbers)
                    kind, offset = self.kind(addresses, address, youngest.get(caller), references, last)
                    kinds.append(kind)
                    offsets.append(offset)
                    last = addresses[address][1]
                youngest[caller] = address
            path = mine
        functions = [varint(function << 1 | fortran) for function, fortran, _ in classes]
        return varint(len(classes)) + b"".join(functions + steps + frames + kinds + offsets)

    def kind(self, addresses, address, elder, references, last):
        """The kind of ADDRESS, and its offset, as they are stored."""
        module, offset, symbol = addresses[address]
        if elder is not None and addresses[elder][::2] == (module, symbol) and not self.plain_addresses:
            return varint(1), svarint(offset - addresses[elder][1])
        if symbol is None:
            return varint(0) + varint(module), svarint(offset - last)
        return varint(2 + number_of(references, symbol)), varint(offset - self.table("symbols")[symbol][1])

    def old_classes(self):
        """The tables of version 6 in their place."""
        addresses, callers, classes, last = self.table("addresses"), {(): 0}, [], 0
        found, last_caller = [], 0
        for function, fortran, path in self.table("classes"):
            classes.append(varint(function << 1 | fortran) + (b"" if path else varint(0)))
            if not path:
                continue
            for depth in range(1, len(path)):
                if path[:depth] not in callers:
                    module, offset, _ = addresses[path[depth - 1]]
                    found.append(varint(module) + svarint(offset - last_caller) + varint(callers[path[:depth - 1]]))
                    callers[path[:depth]] = len(callers)
                    last_caller = offset
            module, offset, _ = addresses[path[-1]]
            classes[-1] += varint(1 + 2 * module + (len(path) > 1)) + svarint(offset - last)
            classes[-1] += varint(callers[path[:-1]] - 1) if len(path) > 1 else b""
            last = offset
        return counted(found) + counted(classes)

    def calls(self):
        columns, shapes, signatures, partitions, classes, group_classes = (References(self.plain_references) for _ in range(6))
        found = [counted(self.table("rules")), counted(self.table("columns"))]
        found.append(counted([varint((number_of(shapes, shape)) << 1 | (k != 1)) + (varint(k) if k != 1 else b"")
                              + b"".join(map(columns.to, those)) for shape, k, those in self.table("signatures")]))
        found.append(counted([(varint(0) + varint(count) if count else varint(len(those))) + b"".join(map(columns.to, those))
                              for count, those in self.table("partitions")]))
        found += [varint(self.ranks << 1 | self.begins_segment), columns.to(self.threads)]
        written = []
        for call_class, partition, sequences in self.table("group_classes"):
            head = classes.to(call_class) + (varint(0) if partition is None else varint(1 + number_of(partitions, partition)))
            written.append(head + b"".join([varint(s) + counted([signatures.to(i) for i in those]) for s, those in sequences]))
        found.append(counted(written))
        found.append(counted([varint(sequence << 1 | process)
                              + counted([group_classes.to(group_class) + (b"" if body is None else varint(body)) for group_class, body in those])
                              + columns.to(members) for sequence, process, those, members in self.groups]))
        return b"".join(found)

    def coded_calls(self, content):
        """CONTENT, coded."""
        shapes = [Shape(shape, self.table("strings")) for shape in self.table("shapes")]
        functions = self.table("functions")
        return coded(content, [shape.for_coded_calls() for shape in shapes],
                     [(function, functions[function] == b"pilgrim_loop:") for function, *_ in self.table("classes")], self.calls_type)

    def calls_section(self):
        content = self.calls()
        stored = self.coded_calls(content) if self.coded else b""
        return (self.calls_type, content, stored) if len(content) <= 32 * len(stored) else (parts.CALLS, content)

    def definitions_section(self):
        content = self.definitions()
        if self.old:
            return parts.OLD_DEFINITIONS, content
        stored = coded_definitions(content, self.definitions_type) if self.coded and self.definitions_type else b""
        return (self.definitions_type, content, stored) if len(content) <= 64 * len(stored) else (parts.DEFINITIONS, content)

    def profile_type(self):
        return parts.SHARED_PROFILE if self.shared_profile else parts.SHORT_PROFILE if self.short_profile else parts.PROFILE

    def places(self):
        """By class: its function and its call site; where the file has no table of addresses, the function."""
        return [(function, fortran, None if self.old or not path else path[-1]) for function, fortran, path in self.table("classes")]

    def sections(self):
        """statistics, profile: contents or None, not both."""
        found = [self.definitions_section(), self.calls_section(),
                 (parts.STATISTICS, self.statistics), (self.profile_type(), self.profile),
                 *((parts.TIMES, content) for content in self.times)]
        return [those for those in found if those[1] is not None]


def number_of(references, index):
    """A reference that stands in a number with others, as that number."""
    return parts.Cursor(references.to(index)).varint()
