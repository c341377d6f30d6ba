"""What a Pilgrim trace consists of, from docs/FORMAT.md alone: bytes, sections, rules, columns. Knows nothing of calls."""
import bisect
import ctypes
import itertools
import os
import struct

MAGIC = bytes.fromhex("89504c470d0a1a0a")
VERSION = 2
DEFINITIONS, CALLS, TIMES = 1, 2, 3
SECTION_NAMES = {0: "end", DEFINITIONS: "definitions", CALLS: "calls", TIMES: "times"}
EXPANSION_MAX = 1 << 63
MEMO_MAX = 4096  # sequences with at most this many terminals are expanded once and kept
KEPT_MAX = 1 << 20  # terminals that are kept, together


class Damage(Exception):
    """The trace is wrong; the text says where and how."""


# ---- bytes -------------------------------------------------------------------------------------------------------

def rotate(x, bits):
    return ((x << bits) | (x >> (32 - bits))) & 0xffffffff


def xxh32(data, seed=0):
    """XXH32 as its specification gives it (github.com/Cyan4973/xxHash, doc/xxhash_spec.md)."""
    p1, p2, p3, p4, p5 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1
    mask = 0xffffffff
    length = len(data)
    stripes = length // 16
    if stripes:
        a, b, c, d = (seed + p1 + p2) & mask, (seed + p2) & mask, seed, (seed - p1) & mask
        for w, x, y, z in struct.iter_unpack("<4I", data[:stripes * 16]):
            a = rotate((a + w * p2) & mask, 13) * p1 & mask
            b = rotate((b + x * p2) & mask, 13) * p1 & mask
            c = rotate((c + y * p2) & mask, 13) * p1 & mask
            d = rotate((d + z * p2) & mask, 13) * p1 & mask
        h = (rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)) & mask
    else:
        h = (seed + p5) & mask
    h = (h + length) & mask
    at = stripes * 16
    while at + 4 <= length:
        h = rotate((h + struct.unpack_from("<I", data, at)[0] * p3) & mask, 17) * p4 & mask
        at += 4
    for byte in data[at:]:
        h = rotate((h + byte * p5) & mask, 11) * p1 & mask
    h = (h ^ (h >> 15)) * p2 & mask
    h = (h ^ (h >> 13)) * p3 & mask
    return h ^ (h >> 16)


def dictionary():
    """What the frames of the definitions refer back to: the lines of the format's list, a 0 byte in place of each newline."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/format/dictionary.txt"), "rb") as file:
        return file.read().replace(b"\n", b"\0")


def unzstd(stored, raw, known):
    """The RAW bytes that the zstd frames in STORED decompress to, with the dictionary KNOWN."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_createDCtx.restype = ctypes.c_void_p
    zstd.ZSTD_freeDCtx.argtypes = [ctypes.c_void_p]
    zstd.ZSTD_decompress_usingDict.restype = ctypes.c_size_t
    zstd.ZSTD_decompress_usingDict.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p,
                                               ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    zstd.ZSTD_isError.argtypes = [ctypes.c_size_t]
    content = ctypes.create_string_buffer(max(raw, 1))
    context = zstd.ZSTD_createDCtx()
    size = zstd.ZSTD_decompress_usingDict(context, content, raw, stored, len(stored), known, len(known))
    zstd.ZSTD_freeDCtx(context)
    if zstd.ZSTD_isError(size) or size != raw:
        raise Damage("does not decompress to the %d bytes it announces" % raw)
    return content.raw[:raw]


def wrap(v):
    """V modulo 2^64, as a signed number."""
    return ((v + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


class Cursor:
    def __init__(self, data, at=0):
        self.data = data
        self.at = at

    def left(self):
        return len(self.data) - self.at

    def bytes(self, length):
        if length > self.left():
            raise Damage("%d bytes announced, %d left" % (length, self.left()))
        self.at += length
        return self.data[self.at - length:self.at]

    def u8(self):
        return self.bytes(1)[0]

    def fixed(self, length):
        return int.from_bytes(self.bytes(length), "little")

    def varint(self):
        v = shift = 0
        try:
            byte = self.data[self.at]
            while byte > 127 and shift < 63:
                v |= (byte & 127) << shift
                shift += 7
                self.at += 1
                byte = self.data[self.at]
        except IndexError:
            raise Damage("a varint without an end")
        self.at += 1
        v |= byte << shift
        if byte > 127 or v >= 1 << 64 or (byte == 0 and shift):
            raise Damage("a varint that is too large or not in its shortest form")
        return v

    def svarint(self):
        v = self.varint()
        return (v >> 1) ^ -(v & 1)

    def count(self):
        n = self.varint()
        if n > self.left():
            raise Damage("a count of %d with %d bytes left" % (n, self.left()))
        return n

    def index(self, size, what):
        i = self.varint()
        if i >= size:
            raise Damage("%s %d of %d" % (what, i, size))
        return i

    def text(self):
        return self.bytes(self.varint())

    def line(self):
        """A text with a 0 byte at its end, without that."""
        end = self.data.find(b"\0", self.at)
        if end < 0:
            raise Damage("a text without an end")
        return self.bytes(end + 1 - self.at)[:-1]

    def end(self):
        if self.left():
            raise Damage("%d bytes too many" % self.left())


# ---- the file ----------------------------------------------------------------------------------------------------

class Section:
    def __init__(self, cursor):
        self.start = cursor.at
        try:
            self.kind, self.raw, stored = cursor.u8(), cursor.varint(), cursor.varint()
            self.head = cursor.data[self.start:cursor.at]
            self.checksum = cursor.fixed(4)
            self.stored = cursor.bytes(stored)
        except Damage as damage:
            raise Damage("truncated in the section at byte %d: %s" % (self.start, damage))
        self.name = SECTION_NAMES.get(self.kind, str(self.kind))

    def content(self):
        if xxh32(self.head + self.stored) != self.checksum:
            raise Damage("wrong checksum")
        if self.raw > 256 * len(self.stored):
            raise Damage("announces more than 256 times its stored bytes")
        if self.raw == len(self.stored):
            return self.stored
        return unzstd(self.stored, self.raw, dictionary() if self.kind == DEFINITIONS else b"")

    def read(self, reader):
        """Calls READER with a cursor, which it must use up."""
        try:
            cursor = Cursor(self.content())
            reader(cursor)
            cursor.end()
        except Damage as damage:
            raise Damage("section %s at byte %d: %s" % (self.name, self.start, damage))


def volumes_read(data):
    """The volumes, each {type: Section}, and the damage that stops what comes after them or None."""
    if data[:8] != MAGIC[:min(8, len(data))] or not data:
        raise Damage("not a trace: no magic at byte 0")
    if len(data) < 10:
        raise Damage("truncated in the head at byte %d" % len(data))
    version = struct.unpack_from("<H", data, 8)[0]
    if version != VERSION:
        raise Damage("version %d at byte 8; this decoder reads version %d" % (version, VERSION))
    cursor = Cursor(data, 10)
    volumes, last = [], CALLS
    try:
        while cursor.left():
            section = Section(cursor)
            if section.kind == 0:
                section.read(Cursor.end)
                if not volumes or CALLS not in volumes[-1]:
                    raise Damage("no section calls before the end section at byte %d" % section.start)
                if cursor.left():
                    raise Damage("bytes after the end section at byte %d" % section.start)
                return volumes, None
            if section.kind >= 64:
                continue
            if section.kind == DEFINITIONS and last != DEFINITIONS:
                volumes.append({})
            elif section.kind not in SECTION_NAMES or not volumes or section.kind <= last:
                raise Damage("section %s at byte %d is unknown or not in order" % (section.name, section.start))
            last = section.kind
            volumes[-1][last] = section
        raise Damage("truncated: no end section at byte %d" % cursor.at)
    except Damage as damage:
        return volumes, damage


class Table:
    """Entries that references are to."""

    def __init__(self, entries, what):
        self.entries, self.what, self.next = entries, what, 0

    def at(self, v):
        """The entry that the reference V is to."""
        i = v - 1 if v else self.next
        if i >= len(self.entries):
            raise Damage("%s %d of %d" % (self.what, i, len(self.entries)))
        self.next = max(self.next, i + 1)
        return self.entries[i]

    def read(self, c):
        return self.at(c.varint())


# ---- rules and columns

TERMINAL, RULE, RAMP = range(3)


def difference(terminal):
    return (terminal >> 1) ^ -(terminal & 1)


class Rules:
    """The table of run-length grammars. Lists, by the number that a sequence has here (0: the empty one; n + 1: rule n; those
    behind them have one terminal): its symbols, each (kind, value, exponent); how many terminals it has and the largest; whether
    there are ramps; of its differences the sum and the least. Sums are not wrapped."""

    def __init__(self, cursor):
        self.symbols, self.lengths, self.largest, self.ramps = [()], [0], [-1], [False]
        self.sums, self.least = [0], [0]
        self.tables, self.kept, self.kept_size = {}, {}, 0
        self.count, self.singles = cursor.count(), {}
        for _ in range(self.count):
            self.rule_read(cursor)

    def rule_read(self, c):
        symbols, length, largest, ramps, total, least = [], 0, -1, False, 0, EXPANSION_MAX
        for _ in range(c.count()):
            word = c.varint()
            kind, value, exponent = word & 1, word >> 2, 1
            if word & 2:
                more = c.varint()
                exponent = (more >> 1) + 2
                if more & 1 and kind == RULE:
                    raise Damage("a ramp of a rule")
                kind = RAMP if more & 1 else kind
            if kind == RULE:
                value += 1
                if value >= len(self.symbols):
                    raise Damage("rule %d has a symbol for rule %d" % (len(self.symbols) - 1, value - 1))
                length += self.lengths[value] * exponent
                largest = max(largest, self.largest[value])
                ramps = ramps or self.ramps[value]
                total += self.sums[value] * exponent
                least = min(least, self.least[value])
            else:
                length += exponent
                largest = max(largest, value + (exponent - 1 if kind == RAMP else 0))
                ramps = ramps or kind == RAMP
                total += difference(value) * exponent
                least = min(least, difference(value))
            symbols.append((kind, value, exponent))
        if not symbols:
            raise Damage("rule %d is empty" % (len(self.symbols) - 1))
        if length >= EXPANSION_MAX:
            raise Damage("rule %d expands to 2^63 terminals or more" % (len(self.symbols) - 1))
        self.add(symbols, length, largest, ramps, total, least)

    def add(self, *new):
        for all_of_them, one in zip((self.symbols, self.lengths, self.largest, self.ramps, self.sums, self.least), new):
            all_of_them.append(one)

    def number(self, code):
        """The number of the sequence that stands in the file as CODE."""
        if code & 1:
            terminal = code >> 1
            if terminal not in self.singles:
                self.singles[terminal] = len(self.symbols)
                self.add(((TERMINAL, terminal, 1),), 1, terminal, False, difference(terminal), difference(terminal))
            return self.singles[terminal]
        if code >> 1 > self.count:
            raise Damage("a sequence that is rule %d of %d" % ((code >> 1) - 1, self.count))
        return code >> 1

    def differences(self, code, length):
        """The number of the sequence of LENGTH differences that CODE, a column's value, stands for; 0: all are 0."""
        s = self.number(code) if code > 0 else 0
        if code and (not s or self.ramps[s] or self.lengths[s] != length):
            raise Damage("sequence %d is not one of %d differences" % (code, length))
        return s

    def differences_sum(self, code, length, i):
        """The sum of the first I of them."""
        if length == 1 and code > 0 and code & 1:  # not worth an entry in the table
            return i * difference(code >> 1)
        s = self.differences(code, length)
        return self.sum(s, i) if s else 0

    def differences_all(self, code, size):
        """SIZE sums, from 0 on."""
        s = self.differences(code, size - 1)
        return list(itertools.accumulate(map(difference, self.terminals(s)), initial=0)) if s else [0] * size

    # All terminals.

    def chunks(self, s):
        """Iterables that together are the sequence; depth costs memory, length does not."""
        stack = [iter(self.symbols[s])]
        while stack:
            for kind, value, exponent in stack[-1]:
                if kind == TERMINAL:
                    yield itertools.repeat(value, exponent)
                elif kind == RAMP:
                    yield range(value, value + exponent)
                elif self.lengths[value] <= MEMO_MAX:
                    yield itertools.chain.from_iterable(itertools.repeat(self.expansion(value), exponent))
                else:
                    stack.append(itertools.chain.from_iterable(itertools.repeat(self.symbols[value], exponent)))
                    break
            else:
                stack.pop()

    def terminals(self, s):
        return itertools.chain.from_iterable(self.chunks(s))

    def keep(self, key, length, make):
        """What MAKE returns as a tuple, which the next one who asks for KEY gets, too."""
        known = self.kept.get(key)
        if known is None:
            if self.kept_size + length > KEPT_MAX:
                self.kept, self.kept_size = {}, 0
            known = self.kept[key] = tuple(make())
            self.kept_size += length
        return known

    def expansion(self, s):
        return self.keep((s, 0), self.lengths[s], lambda: self.terminals(s))

    def counts(self, s, size):
        """How often each terminal below SIZE, and there are no others, stands in the sequence."""
        reached, left = {s}, [s]
        while left:
            for kind, value, _ in self.symbols[left.pop()]:
                if kind == RULE and value not in reached:
                    reached.add(value)
                    left.append(value)
        times, changes = dict.fromkeys(reached, 0), [0] * (size + 1)
        times[s] = 1
        for rule in sorted(reached, reverse=True):
            for kind, value, exponent in self.symbols[rule]:
                if kind == RULE:
                    times[value] += times[rule] * exponent
                else:
                    each = times[rule] * (exponent if kind == TERMINAL else 1)
                    changes[value] += each
                    changes[value + (exponent if kind == RAMP else 1)] -= each
        return list(itertools.accumulate(changes[:-1]))

    # One terminal: by descent, for which each rule that is visited gets a table of what its symbols end at.

    def table(self, s):
        """(terminals, sum of differences) up to the end of each symbol, after a 0."""
        known = self.tables.get(s)
        if known is None:
            ends, sums = [0], [0]
            for kind, value, exponent in self.symbols[s]:
                ends.append(ends[-1] + exponent * (self.lengths[value] if kind == RULE else 1))
                sums.append(sums[-1] + exponent * (self.sums[value] if kind == RULE else difference(value)))
            known = self.tables[s] = ends, sums
        return known

    def find(self, s, i):
        """Terminal I, and the sum of the differences before it."""
        before = 0
        while True:
            ends, sums = self.table(s)
            k = bisect.bisect_right(ends, i) - 1
            kind, value, _ = self.symbols[s][k]
            i -= ends[k]
            before += sums[k]
            if kind == TERMINAL:
                return value, before + i * difference(value)
            if kind == RAMP:
                return value + i, None
            repeats, i = divmod(i, self.lengths[value])
            before += repeats * self.sums[value]
            s = value

    def sum(self, s, i):
        """The sum of the first I differences."""
        if i == self.lengths[s]:
            return self.sums[s]
        if self.lengths[s] > MEMO_MAX:
            return self.find(s, i)[1]
        return self.keep((s, 1), self.lengths[s],
                         lambda: itertools.accumulate(map(difference, self.terminals(s)), initial=0))[i]

    def search(self, s, target):
        """How many differences, all of them positive, add up to TARGET; None if no number does."""
        place = 0
        while 0 < target <= self.sums[s]:
            ends, sums = self.table(s)
            k = bisect.bisect_left(sums, target) - 1
            kind, value, _ = self.symbols[s][k]
            place += ends[k]
            target -= sums[k]
            if kind == TERMINAL:
                more, left = divmod(target, difference(value))
                return None if left else place + more
            repeats = (target - 1) // self.sums[value]
            place += repeats * self.lengths[value]
            target -= repeats * self.sums[value]
            s = value
        return None if target else place


CONSTANT, PLUS, MINUS, MINUS_TWICE, XOR_LESS, XOR, MODULO, SUMS, LIST = range(9)


class Column:
    """An expression: a value for each member. length: how many members it is for; None: any number."""

    def __init__(self, c, rules):
        self.kind = c.index(9, "expression")
        self.rules, self.length = rules, None
        if self.kind == LIST:
            self.list = [c.svarint() for _ in range(c.count())]
            self.length = len(self.list)
            return
        self.constant = c.svarint()
        if self.kind == MODULO:
            self.modulus = c.varint()
            if not 1 <= self.modulus < EXPANSION_MAX:
                raise Damage("a column modulo %d" % self.modulus)
        elif self.kind == SUMS:
            self.differences = rules.number(c.varint())
            self.length = rules.lengths[self.differences] + 1
            if rules.ramps[self.differences]:
                raise Damage("a column of differences with a ramp")

    def value(self, position, x=0):
        """The value of the member at POSITION; x: what the document calls so."""
        kind = self.kind
        if kind == CONSTANT:
            return self.constant
        if kind == SUMS:
            return wrap(self.constant + self.rules.sum(self.differences, position))
        if kind == LIST:
            return self.list[position]
        if kind == PLUS:
            return wrap(x + self.constant)
        if kind == MINUS:
            return wrap(self.constant - x)
        if kind == MINUS_TWICE:
            return wrap(self.constant - 2 * x)
        if kind == XOR_LESS:
            return wrap((x ^ self.constant) - x)
        if kind == XOR:
            return x ^ self.constant
        return wrap(x + self.constant) % self.modulus

    def steps_check(self, least, end, what):
        """That the values are 0 to END - 1, and each is by LEAST larger, or more, than the one before it."""
        if self.kind == LIST:
            right = all(b - a >= least for a, b in zip(self.list, self.list[1:]))
            first, last = (self.list[0], self.list[-1]) if self.list else (0, -1)
        elif self.kind == SUMS:
            right = self.length == 1 or self.rules.least[self.differences] >= least
            first, last = self.constant, self.constant + self.rules.sums[self.differences]
        else:
            right = self.kind == CONSTANT
            first = last = self.constant
        if not right or first < 0 or last >= min(end, EXPANSION_MAX):
            raise Damage("a column of %s that does not increase, or leaves 0 to %d" % (what, end - 1))

    def size(self):
        """How many values an increasing column has."""
        return 1 if self.length is None else self.length

    def find(self, value):
        """The position of VALUE in an increasing column, or None."""
        if self.kind == SUMS:
            return self.rules.search(self.differences, value - self.constant)
        if self.kind == LIST:
            i = bisect.bisect_left(self.list, value)
            return i if i < len(self.list) and self.list[i] == value else None
        return 0 if value == self.constant else None


class Split:
    """The numbers below SIZE, each in one of several increasing columns: parts, as (name, column)."""

    def __init__(self, parts, size, what):
        self.what = what
        self.last = None, None
        self.single, self.others = {}, []
        for name, column in parts:
            column.steps_check(1, size, what)
            if column.size() == 1:
                if column.value(0) in self.single:
                    raise Damage("%s %d twice" % (what, column.value(0)))
                self.single[column.value(0)] = name
            elif column.size():
                self.others.append((column.value(0), column.value(column.size() - 1), name, column))
        if sum(column.size() for _, column in parts) != size:
            raise Damage("columns that do not hold each of %d %ss once" % (size, what))

    def place(self, number):
        """(name, position) of the part that holds NUMBER."""
        if self.last[0] == number:
            return self.last[1]
        found = [(self.single[number], 0)] if number in self.single else []
        for first, last, name, column in self.others:
            if first <= number <= last:
                position = column.find(number)
                if position is not None:
                    found.append((name, position))
        if len(found) != 1:
            raise Damage("%s %d stands in %d columns" % (self.what, number, len(found)))
        self.last = number, found[0]
        return found[0]
