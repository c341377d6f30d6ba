#!/usr/bin/env python3
"""A second decoder of Pilgrim traces, written from docs/FORMAT.md alone.

Prints every call of TRACE as a line of JSON, without times: what `pilgrim-decode --format=json` must print too,
but for "start" and "end". It shares no code with the project, so that an error in the writer and the same error in
the reader cannot hide each other. It is slower, and simpler, than the real one. One file, to be read beside the document.

Lines are streamed; memory is a small multiple of the file whatever its counts claim, because runs stay runs. Exit
status: 0 all printed, 1 damaged (what came before the damage was printed), 2 wrong use.
"""
import bisect
import ctypes
import itertools
import os
import re
import struct
import sys

MAGIC = bytes.fromhex("89504c470d0a1a0a")
VERSION = 1
DEFINITIONS = 1
SECTION_NAMES = {0: "end", 1: "definitions", 2: "structure", 3: "values", 4: "times"}
EXPANSION_MAX = 1 << 63
NESTING_MAX = 32
FRAMES_MAX = 64
BUILD_ID_MAX = 32
EXACT_MAX = 1 << 53
MEMO_MAX = 4096  # rules with at most this many terminals are expanded once and kept

NONE, NAME, INT, BOOL, REAL, RANK, VIEW, OBJECT, REQUEST, HEAP = range(1, 11)
STACK, STATIC, DEVICE, STRING, ARRAY, FLAGS, STATUS, SYMBOL, FUNCTION = range(11, 20)
SLOTS = {INT: 1, BOOL: 1, REAL: 1, RANK: 1, VIEW: 1, OBJECT: 1, REQUEST: 2, HEAP: 2, STACK: 1, STATIC: 2,
         DEVICE: 3, FUNCTION: 1}


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
    """What the frames of the definitions refer back to: the lines of the format's list, each with a 0 byte in place of its newline."""
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
        while True:
            byte = self.u8()
            v |= (byte & 127) << shift
            if byte < 128:
                if v >= 1 << 64 or (byte == 0 and shift):
                    raise Damage("a varint that is too large or not in its shortest form")
                return v
            shift += 7
            if shift > 63:
                raise Damage("a varint of more than 10 bytes")

    def svarint(self):
        v = self.varint()
        return (v >> 1) ^ -(v & 1)

    def count(self, entry_bytes=1):
        n = self.varint()
        if n * entry_bytes > self.left():
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


class Runs:
    """A sequence kept as runs: values[k] up to ends[k]."""

    def __init__(self, cursor, length, size, what):
        self.values, self.ends, self.before, self.totals = [], [], [], {}
        end = 0
        for _ in range(cursor.count(2)):
            value = cursor.index(size, what) if size is not None else cursor.varint()
            end += cursor.varint() + 1
            if self.values and self.values[-1] == value:
                raise Damage("neighbouring runs of the same " + what)
            if end > length:
                raise Damage("runs of %ss longer than %d" % (what, length))
            self.before.append(self.totals.get(value, 0))
            self.totals[value] = self.before[-1] + end - (self.ends[-1] if self.ends else 0)
            self.values.append(value)
            self.ends.append(end)
        if end != length:
            raise Damage("runs of %ss that add up to %d instead of %d" % (what, end, length))

    def place(self, i):
        """Entry I, and how many before it are equal to it."""
        k = bisect.bisect_right(self.ends, i)
        return self.values[k], self.before[k] + i - (self.ends[k - 1] if k else 0)

    def total(self, value):
        return self.totals.get(value, 0)

    def spans(self):
        """(value, first, end) of each run."""
        first = 0
        for value, end in zip(self.values, self.ends):
            yield value, first, end
            first = end


# ---- the file ----------------------------------------------------------------------------------------------------

def section_read(data, cursor):
    """One section: (type, offset, content or the damage it has)."""
    start = cursor.at
    try:
        kind = cursor.u8()
        raw, stored = cursor.varint(), cursor.varint()
        head = data[start:cursor.at]
        checksum = cursor.fixed(4)
        body = cursor.bytes(stored)
    except Damage as damage:
        raise Damage("truncated in the section at byte %d: %s" % (start, damage))
    if xxh32(head + body) != checksum:
        return kind, start, Damage("wrong checksum")
    if raw > 256 * stored:
        return kind, start, Damage("announces more than 256 times its stored bytes")
    try:
        return kind, start, body if raw == stored else unzstd(body, raw, dictionary() if kind == DEFINITIONS else b"")
    except Damage as damage:
        return kind, start, damage


def sections_read(data):
    """The sections as {type: (offset, content)}, and the first damage that stops what comes after it or None."""
    if data[:8] != MAGIC[:min(8, len(data))] or not data:
        raise Damage("not a trace: no magic at byte 0")
    if len(data) < 10:
        raise Damage("truncated in the head at byte %d" % len(data))
    version = struct.unpack_from("<H", data, 8)[0]
    if version != VERSION:
        raise Damage("version %d at byte 8; this decoder reads version %d" % (version, VERSION))
    cursor = Cursor(data, 10)
    sections, last = {}, 0
    while True:
        if not cursor.left():
            return sections, Damage("truncated: no end section at byte %d" % cursor.at)
        try:
            kind, start, content = section_read(data, cursor)
        except Damage as damage:
            return sections, damage
        name = SECTION_NAMES.get(kind, "unknown")
        if kind == 0:
            if isinstance(content, Damage) or content:
                return sections, Damage("section end at byte %d is not empty or damaged" % start)
            if cursor.left():
                return sections, Damage("bytes after the end section at byte %d" % cursor.at)
            return sections, None
        if kind >= 64:
            continue
        if kind not in SECTION_NAMES or kind <= last:
            return sections, Damage("section %d (%s) at byte %d is unknown or not in order" % (kind, name, start))
        last = kind
        sections[kind] = (start, content)


class Rules:
    """A run-length grammar: symbols (is_rule, value, exponent) of each rule."""

    def __init__(self, cursor):
        count = cursor.count()
        if count == 0:
            raise Damage("a grammar without rules")
        self.rules = []
        for _ in range(count):
            symbols = []
            for _ in range(cursor.count()):
                word = cursor.varint()
                exponent = cursor.varint() + 2 if word & 2 else 1
                if word & 1 and not 1 <= word >> 2 < count:
                    raise Damage("a symbol for rule %d of %d" % (word >> 2, count))
                symbols.append((bool(word & 1), word >> 2, exponent))
            self.rules.append(symbols)
        self.order_check()
        self.memo = {}

    def order_check(self):
        """Lengths of all rules, leaves first; finds cycles, rules not reached, and the largest terminal."""
        lengths, on_path = {}, {0}
        self.terminal_max = -1
        stack = [(0, iter(self.rules[0]))]
        while stack:
            number, symbols = stack[-1]
            for is_rule, value, _ in symbols:
                if not is_rule:
                    self.terminal_max = max(self.terminal_max, value)
                elif value not in lengths:
                    if value in on_path:
                        raise Damage("a grammar with a cycle")
                    on_path.add(value)
                    stack.append((value, iter(self.rules[value])))
                    break
            else:
                lengths[number] = sum((lengths[v] if r else 1) * e for r, v, e in self.rules[number])
                if lengths[number] >= EXPANSION_MAX:
                    raise Damage("a grammar that expands to 2^63 terminals or more")
                on_path.discard(number)
                stack.pop()
        if len(lengths) != len(self.rules):
            raise Damage("a grammar with rules that are not reached")
        self.lengths = lengths

    def expansion(self, number):
        """The terminals of a short rule, as a tuple."""
        known = self.memo.get(number)
        if known is None:
            known = self.memo[number] = tuple(itertools.chain.from_iterable(self.chunks(number)))
        return known

    def chunks(self, number):
        """Iterables that together are the expansion of rule NUMBER; depth costs memory, length does not."""
        stack = [iter(self.rules[number])]
        while stack:
            for is_rule, value, exponent in stack[-1]:
                if not is_rule:
                    yield itertools.repeat(value, exponent)
                elif self.lengths[value] <= MEMO_MAX:
                    terminals = self.expansion(value)
                    yield itertools.chain.from_iterable(itertools.repeat(terminals, exponent))
                else:
                    stack.append(itertools.chain.from_iterable(itertools.repeat(self.rules[value], exponent)))
                    break
            else:
                stack.pop()

    def terminals(self):
        return itertools.chain.from_iterable(self.chunks(0))


class Expression:
    """A column: its value for the member at a position, of a rank."""

    def __init__(self, cursor):
        self.kind = cursor.index(4, "expression")
        self.length = None
        if self.kind < 2:
            self.constant = cursor.svarint()
        elif self.kind == 2:
            self.starts, self.firsts, self.steps = [], [], []
            last = end = 0
            for _ in range(cursor.count(2)):
                first = wrap(last + cursor.svarint())
                length = cursor.varint() + 1
                step = cursor.svarint() if length > 1 else 0
                self.starts.append(end)
                self.firsts.append(first)
                self.steps.append(step)
                last = wrap(first + step * (length - 1))
                end += length
            self.length = end
        else:
            self.list, last = [], 0
            for _ in range(cursor.count()):
                last = wrap(last + cursor.svarint())
                self.list.append(last)
            self.length = len(self.list)

    def value(self, position, rank):
        if self.kind == 0:
            return self.constant
        if self.kind == 1:
            return wrap(rank + self.constant)
        if self.kind == 2:
            k = bisect.bisect_right(self.starts, position) - 1
            return wrap(self.firsts[k] + self.steps[k] * (position - self.starts[k]))
        return self.list[position]


# ---- values ------------------------------------------------------------------------------------------------------

class Escapes(dict):
    """For str.translate: what JSON must have escaped."""

    def __missing__(self, code):
        if code < 0x20:
            return "\\u%04x" % code
        if 0xdc80 <= code <= 0xdcff:  # surrogateescape: a byte that is not UTF-8
            return "\\u%04x" % (code - 0xdc00)
        return chr(code)


ESCAPES = Escapes({0x22: '\\"', 0x5c: "\\\\"})


def escape(text):
    """The bytes TEXT as the inside of a JSON string."""
    return text.decode("utf-8", "surrogateescape").translate(ESCAPES)


def quote(text):
    return '"' + text + '"'


def token_read(cursor, trace, slot, depth):
    """One value of a shape, as (tag, operand, first slot, values that follow), and the next free slot."""
    if depth > NESTING_MAX:
        raise Damage("values nested deeper than %d" % NESTING_MAX)
    tag = cursor.u8()
    operand, items, first = None, 0, slot
    slot += SLOTS.get(tag, 0)
    if tag in (NAME, OBJECT):
        operand = escape(trace.strings[cursor.index(len(trace.strings), "string")])
    elif tag in (STRING, SYMBOL):
        operand = escape(cursor.text())
    elif tag in (ARRAY, FLAGS):
        items = cursor.count()
    elif tag == STATUS:
        operand = cursor.u8()
        if operand > 3:
            raise Damage("status bits %d" % operand)
        items = 5 if operand & 2 else 4
    elif tag == VIEW:
        items = 1
    elif not NONE <= tag <= FUNCTION:
        raise Damage("a token with tag %d" % tag)
    inner = []
    for _ in range(items):
        item, slot = token_read(cursor, trace, slot, depth + 1)
        if tag == FLAGS and item[0] not in (NAME, INT):
            raise Damage("a flag that is neither a name nor an integer")
        inner.append(item)
    return (tag, operand, first, inner), slot


class Shape:
    def __init__(self, content, trace):
        cursor = Cursor(content)
        self.values, self.slots = [], 0
        while cursor.left():
            value, self.slots = token_read(cursor, trace, self.slots, 1)
            self.values.append(value)


class Printer:
    """Prints the values of one call, given its slots and the views of its rank."""

    def __init__(self, slots, views):
        self.slots = slots
        self.views = views
        self.view = 0

    def rank(self, relative):
        if self.view >= len(self.views):
            raise Damage("view %d of %d" % (self.view, len(self.views)))
        place, size = self.views[self.view]
        if size <= 0:
            raise Damage("a rank in a view of size %d" % size)
        return str((relative + place) % size)

    def value(self, value):
        tag, operand, first, inner = value
        if tag == NONE:
            return "null"
        if tag in (NAME, STRING):
            return quote(operand)
        if tag in (ARRAY, FLAGS, STATUS, VIEW):
            return self.compound(tag, operand, first, inner)
        if tag == SYMBOL:
            return quote("fn:" + operand)
        v = self.slots[first:first + SLOTS[tag]]
        if tag == INT:
            return str(v[0]) if -EXACT_MAX <= v[0] <= EXACT_MAX else quote(str(v[0]))
        if tag == BOOL:
            if v[0] not in (0, 1):
                raise Damage("a logical of %d" % v[0])
            return "true" if v[0] else "false"
        if tag == REAL:
            return real(v[0])
        if tag == RANK:
            return self.rank(v[0])
        return quote(self.name(tag, operand, v))

    @staticmethod
    def name(tag, operand, v):
        if tag == OBJECT:
            return "%s:%d" % (operand, v[0])
        if tag == REQUEST:
            return "request:%d.%d" % (v[0], v[1])
        if tag == HEAP:
            return "heap:%d+%d" % (v[0], v[1])
        if tag == STACK:
            return "stack:%d" % v[0]
        if tag == STATIC:
            return "static:%d+%d" % (v[0], v[1])
        if tag == DEVICE:
            return "device:%d:%d+%d" % (v[0], v[1], v[2])
        return "fn:%d" % v[0]

    def compound(self, tag, operand, first, inner):
        if tag == ARRAY:
            return "[" + ",".join([self.value(item) for item in inner]) + "]"
        if tag == FLAGS:
            return quote("|".join([i[1] if i[0] == NAME else str(self.slots[i[2]]) for i in inner]))
        if tag == STATUS:
            keys = ("source", "tag", "bytes", "cancelled", "error")
            pairs = ['"%s":%s' % (key, self.value(item)) for key, item in zip(keys, inner)]
            pairs.append('"ignored":' + ("true" if operand & 1 else "false"))
            return "{" + ",".join(pairs) + "}"
        number = self.slots[first]
        if number < 0:
            raise Damage("view %d" % number)
        self.view = number
        return self.value(inner[0])


def real(bits):
    v = struct.unpack("<d", struct.pack("<q", bits))[0]
    text = "%.17g" % v
    return quote(text) if text in ("inf", "-inf", "nan") else text


# ---- the trace ---------------------------------------------------------------------------------------------------

class Trace:
    def __init__(self, data):
        sections, self.damage = sections_read(data)
        for kind, read in ((1, self.definitions_read), (2, self.structure_read), (3, self.values_read)):
            if kind not in sections:
                raise self.damage or Damage("no section " + SECTION_NAMES[kind])
            self.section(kind, sections[kind], read)
        if 4 in sections:
            try:
                self.section(4, sections[4], self.times_read)
            except Damage as damage:
                self.damage = self.damage or damage
        self.shapes = {}

    @staticmethod
    def section(kind, found, read):
        offset, content = found
        try:
            if isinstance(content, Damage):
                raise content
            cursor = Cursor(content)
            read(cursor)
            cursor.end()
        except Damage as damage:
            raise Damage("section %s at byte %d: %s" % (SECTION_NAMES[kind], offset, damage))

    def definitions_read(self, c):
        self.strings = [c.line() for _ in range(c.count())]
        strings = len(self.strings)
        self.properties = [(c.index(strings, "string"), c.index(strings, "string")) for _ in range(c.count(2))]
        self.functions = [self.function_read(c) for _ in range(c.count())]
        self.modules = [self.module_read(c) for _ in range(c.count(2))]
        self.callers_read(c)
        self.classes_read(c)
        self.shape_bytes = [c.text() for _ in range(c.count())]

    def module_read(self, c):
        """The module's name; its build-id is for those who look for the file."""
        name = escape(self.strings[c.index(len(self.strings), "string")])
        if len(c.text()) > BUILD_ID_MAX:
            raise Damage("a build-id of more than %d bytes" % BUILD_ID_MAX)
        return name

    def frame_read(self, c, module, last):
        """The frame as text, and its offset: LAST and the difference that is read."""
        offset = (last + c.svarint()) & ((1 << 64) - 1)
        return "%s+0x%x" % (self.modules[module], offset), offset

    def callers_read(self, c):
        """For each caller the frames from it to the outermost."""
        self.callers = []
        offset = 0
        for number in range(c.count(3)):
            frame, offset = self.frame_read(c, c.index(len(self.modules), "module"), offset)
            caller = c.index(number + 1, "caller")
            self.callers.append([frame] + (self.callers[caller - 1] if caller else []))
            if len(self.callers[-1]) >= FRAMES_MAX:
                raise Damage("%d callers, one after the other" % FRAMES_MAX)

    def classes_read(self, c):
        """[(function, frames)]"""
        self.classes = []
        offset = 0
        for _ in range(c.count(2)):
            function = c.index(2 * len(self.functions), "function")
            site = c.index(2 * len(self.modules) + 1, "site")
            frames = []
            if site:
                frame, offset = self.frame_read(c, (site - 1) // 2, offset)
                frames = [frame] + ([] if site % 2 else self.callers[c.index(len(self.callers), "caller")])
            self.classes.append((self.functions[function >> 1], frames, function & 1))

    @staticmethod
    def function_read(c):
        """(name, [(parameter, direction)])"""
        name, *rest = re.split(b"([,>&])", c.line().removesuffix(b":"))
        parameters = [(escape(parameter), {b",": 1, b">": 2, b"&": 3}[mark]) for mark, parameter in zip(rest[::2], rest[1::2])]
        if not name or not all(parameter for parameter, _ in parameters):
            raise Damage("a function or a parameter without a name")
        return escape(name), parameters

    def structure_read(self, c):
        self.ranks = c.varint()
        if self.ranks < 1:
            raise Damage("no ranks")
        self.threads = Runs(c, self.ranks, None, "thread count")
        self.sequences = [Rules(c) for _ in range(c.count(2))]
        self.groups = []
        for _ in range(c.count(2)):
            rules = self.sequences[c.index(len(self.sequences), "sequence")]
            classes = [c.index(len(self.classes), "class") for _ in range(c.count())]
            if rules.terminal_max >= len(classes):
                raise Damage("a sequence with call class %d of %d" % (rules.terminal_max, len(classes)))
            self.groups.append((rules, classes))
        streams = self.ranks + sum(n * (end - first) for n, first, end in self.threads.spans())
        self.members = Runs(c, streams, len(self.groups), "group")

    def values_read(self, c):
        self.columns = [Expression(c) for _ in range(c.count(2))]
        # How many slots a signature has is known from its shape alone.
        self.shapes = {}
        self.signatures = []
        for _ in range(c.count()):
            shape = self.shape(c.index(len(self.shape_bytes), "shape"))
            self.signatures.append((shape, [self.columns[c.index(len(self.columns), "column")]
                                            for _ in range(shape.slots)]))
        self.partitions = []
        for _ in range(c.count(3)):
            length, parts = c.varint(), c.varint()
            if parts < 2:
                raise Damage("a partition with %d parts" % parts)
            self.partitions.append((length, parts, Runs(c, length, parts, "part")))
        self.values = []
        for number, (_, classes) in enumerate(self.groups):
            self.values.append([self.class_read(c, self.members.total(number), k) for k in classes])

    def class_read(self, c, members, class_number):
        """(partition's runs or None, [(rules, signatures) of each part]) of one class of a group."""
        which = c.index(len(self.partitions) + 1, "partition")
        runs, parts = None, 1
        if which:
            length, parts, runs = self.partitions[which - 1]
            if length != members:
                raise Damage("a partition of %d for a group of %d" % (length, members))
            if parts > c.left():
                raise Damage("a partition with %d parts" % parts)
        function = self.classes[class_number][0]
        need = 1 + sum((d & 1) + (d >> 1) for _, d in function[1])
        found = []
        for part in range(parts):
            rules = self.sequences[c.index(len(self.sequences), "sequence")]
            signatures = [self.signatures[c.index(len(self.signatures), "signature")] for _ in range(c.count())]
            size = runs.total(part) if runs else members
            if rules.terminal_max >= len(signatures):
                raise Damage("a sequence with signature %d of %d" % (rules.terminal_max, len(signatures)))
            for shape, columns in signatures:
                if len(shape.values) != need:
                    raise Damage("a shape of %d values for %s, which has %d" % (len(shape.values), function[0], need))
                if any(e.length is not None and e.length != size for e in columns):
                    raise Damage("a column that is not as long as its value group, %d" % size)
            found.append((rules, signatures))
        return runs, found

    def times_read(self, c):
        for _, classes in self.groups:
            for _ in classes:
                for _ in range(3):
                    if c.fixed(2) >= 7424:
                        raise Damage("a time code too large")

    def shape(self, number):
        known = self.shapes.get(number)
        if known is None:
            known = self.shapes[number] = Shape(self.shape_bytes[number], self)
        return known


class Stream:
    """One stream's calls: for each class, the signatures in order."""

    def __init__(self, trace, number):
        self.group, self.place = trace.members.place(number)
        self.rules, self.classes = trace.groups[self.group]
        self.parts = []
        for runs, parts in trace.values[self.group]:
            part, position = runs.place(self.place) if runs else (0, self.place)
            self.parts.append((parts[part], position))

    def calls(self):
        """(place of the class, number of the signature) of every call."""
        values = [rules.terminals() for (rules, _), _ in self.parts]
        try:
            for place in self.rules.terminals():
                yield place, next(values[place])
        except StopIteration as stop:
            raise Damage("fewer values than calls of a class") from stop
        for left in values:
            if next(left, None) is not None:
                raise Damage("more values than calls of a class")

    def signature(self, place, number, rank):
        """(shape, slots) of a signature of a class."""
        (_, signatures), position = self.parts[place]
        shape, columns = signatures[number]
        return shape, [e.value(position, rank) for e in columns]


def views_of(trace, rank):
    """The views of RANK, [(rank, size)]: the arguments of the last call in its process stream."""
    stream = Stream(trace, rank)
    last = None
    for last in stream.calls():
        pass
    if last is None:
        raise Damage("the process stream of rank %d has no call" % rank)
    name, parameters = trace.classes[stream.classes[last[0]]][0]
    if name != "pilgrim_process":
        raise Damage("the process stream of rank %d ends with a call of %s" % (rank, name))
    shape, slots = stream.signature(*last, rank)
    found = {}
    for value, (parameter, _) in zip(shape.values, parameters):
        tag, _, _, inner = value
        if tag == ARRAY and all(item[0] == INT for item in inner):
            found[parameter] = [slots[item[2]] for item in inner]
    ranks, sizes = found.get("views_rank"), found.get("views_size")
    if ranks is None or sizes is None or len(ranks) != len(sizes):
        raise Damage("the views of rank %d are not two arrays of equal length" % rank)
    return list(zip(ranks, sizes))


def call_text(trace, stream, place, number, rank, views):
    """What stands behind "seq":N in the call's line."""
    (name, parameters), frames, fortran = trace.classes[stream.classes[place]]
    shape, slots = stream.signature(place, number, rank)
    printer = Printer(slots, views)
    values = [printer.value(value) for value in shape.values]
    at_in, at_out = 0, sum(d & 1 for _, d in parameters)
    arguments = []
    for parameter, direction in parameters:
        text = values[at_in] if direction & 1 else values[at_out]
        if direction == 3:
            text = '{"in":%s,"out":%s}' % (values[at_in], values[at_out])
        at_in += direction & 1
        at_out += direction >> 1
        arguments.append('"%s":%s' % (parameter, text))
    language = ',"lang":"fortran"' if fortran else ""
    text = ',"func":"%s"%s,"args":{%s},"ret":%s' % (name, language, ",".join(arguments), values[-1])
    if frames:
        text += ',"site":"%s"' % frames[0]
    if len(frames) > 1:
        text += ',"stack":[%s]' % ",".join([quote(frame) for frame in frames[1:]])
    return (text + "}\n").encode()


def stream_print(trace, number, rank, thread, views, out):
    stream = Stream(trace, number)
    known = [{} for _ in stream.parts]
    head = b'{"rank":%d,"thread":%d,"seq":' % (rank, thread)
    lines = []
    try:
        for seq, (place, signature) in enumerate(stream.calls()):
            text = known[place].get(signature)
            if text is None:
                text = known[place][signature] = call_text(trace, stream, place, signature, rank, views)
            lines.append(b"%s%d%s" % (head, seq, text))
            if len(lines) == 1000:
                out.write(b"".join(lines))
                lines.clear()
    finally:
        out.write(b"".join(lines))


def trace_print(trace, out):
    number = trace.ranks
    for threads, first, end in trace.threads.spans():
        if not threads:
            continue
        for rank in range(first, end):
            views = views_of(trace, rank)
            for thread in range(threads):
                stream_print(trace, number, rank, thread, views, out)
                number += 1


def main():
    if len(sys.argv) != 2:
        print("usage: second_decoder.py TRACE", file=sys.stderr)
        return 2
    out = sys.stdout.buffer
    try:
        with open(sys.argv[1], "rb") as file:
            data = file.read()
        trace = Trace(data)
        trace_print(trace, out)
        out.flush()
        if trace.damage:
            raise trace.damage
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except (Damage, OSError) as error:
        out.flush()
        print("second_decoder: %s: %s" % (sys.argv[1], error), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
