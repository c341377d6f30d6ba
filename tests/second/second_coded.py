# SPDX-License-Identifier: BSD-3-Clause
"""Coded calls of a Pilgrim trace, from docs/FORMAT.md (section 4, "Coded calls") alone: the content of a calls section out of coded bits."""
import collections
import ctypes
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from second_grammar import BLOCK_MAX  # noqa: E402
from second_parts import CODED_CALLS, CODED_CALLS_7, Damage  # noqa: E402

CONTENT_MAX = 1 << 18
LISTS_END = 4096    # longer lists are not remembered
INDEX_MAX = (1 << 32) - 1
WHOLE = (1 << 64) - 1
SLOT_BITS = 12      # of places of slots
MULTIPLIER = 0x9e3779b97f4a7c15
WRITTEN_MAX = 1 << 20
FIELDS = ("count rule symbol earlier terminal exponent block byte expression constant length shape series column parts members class partition "
          "values signatures signature calls classes group_class body other").split()
(COUNT, RULE, SYMBOL, EARLIER, TERMINAL, EXPONENT, BLOCK, BYTE, EXPRESSION, CONSTANT, LENGTH, SHAPE, SERIES, COLUMN, PARTS, MEMBERS, CLASS,
 PARTITION, VALUES, SIGNATURES, SIGNATURE, SEQUENCE, CLASSES, GROUP_CLASS, BODY, OTHER) = range(len(FIELDS))


# ---- mixing ------------------------------------------------------------------------------------------------------

def library():
    """second_mixer.c, as it was built. All numbers are modulo 2^64."""
    name = os.path.join(os.environ.get("BUILD") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../build"), "programs/second_mixer.so")
    try:
        found = ctypes.CDLL(name)
    except OSError as error:
        sys.exit("the second decoder needs %s, which `make programs` builds: %s" % (name, error))
    found.mixer_size.restype = ctypes.c_size_t
    found.mixer_number.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint] + 4 * [ctypes.c_uint64]
    found.mixer_number.restype = ctypes.c_uint64
    found.mixer_begin.argtypes = [ctypes.c_void_p, ctypes.c_int]
    found.coder_bit.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint]
    return found


LIBRARY = library()


def with_(h, *numbers):
    for number in numbers:
        h = (h ^ number & WHOLE) * MULTIPLIER & WHOLE
        h ^= h >> 29
    return h


class Coder(ctypes.Structure):
    """Reads bits out of DATA, or, if there is none, writes them. As `struct coder`."""
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("at", ctypes.c_size_t), ("low", ctypes.c_uint32), ("high", ctypes.c_uint32),
                ("x", ctypes.c_uint32), ("writes", ctypes.c_int)]

    def __init__(self, data=None):
        self.room = ctypes.create_string_buffer(WRITTEN_MAX) if data is None else ctypes.create_string_buffer(data, len(data))
        x = int.from_bytes((data or b"")[:4].ljust(4, b"\0"), "big")
        super().__init__(ctypes.addressof(self.room), len(self.room), 0 if data is None else 4, 0, WHOLE >> 32, x, data is None)

    def bytes(self):
        """What was written, with the fewest bytes that end it."""
        if self.at > self.size:
            raise ValueError("more than %d bytes of coded bits" % self.size)
        return (self.room.raw[:self.at] + (bytes([(self.low >> 24) + 1]) if self.low else b"")).rstrip(b"\0")


class Mixer:
    """number(...): codes a number, and returns it. coder: None if the numbers are known. sets: of weights, 3, or 1 in sections of types 7,
    10 and 11. former: another mixer, that goes on here."""

    def __init__(self, coder, sets=3, former=None):
        self.state, self.coder = ctypes.create_string_buffer(LIBRARY.mixer_size()), coder
        if former:
            ctypes.memmove(self.state, former.state, len(self.state))
        else:
            LIBRARY.mixer_begin(self.state, sets)
        self.it = ctypes.addressof(self.state), ctypes.byref(coder) if coder else None

    def bit(self, bit):
        """Codes a bit of which nothing is known."""
        return LIBRARY.coder_bit(self.it[1], bit, 1 << 15)

    def number(self, value, field, kind, a, b, c):
        """VALUE has no meaning when a number is read."""
        return LIBRARY.mixer_number(*self.it, value, field, kind, a, b, c)


# ---- the content -------------------------------------------------------------------------------------------------

def zigzag(d):
    """The code of D, which is taken modulo 2^64."""
    d &= WHOLE
    return 2 * d & WHOLE ^ (WHOLE if d >> 63 else 0)


def unzigzag(u):
    """Modulo 2^64."""
    return u >> 1 ^ (-(u & 1) & WHOLE)


def varint(v):
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128)
        v >>= 7
    out.append(v)
    return bytes(out)


class Content:
    """What is decoded. Nothing can be taken out of it."""

    def __init__(self, raw):
        self.raw, self.found = raw, bytearray()

    def take(self):
        return 0

    take_byte = take

    def put(self, v):
        self.found += varint(v)
        if len(self.found) > self.raw:
            raise Damage("coded calls of more than %d bytes" % self.raw)

    def put_byte(self, v):
        if v > 255:
            raise Damage("a byte %d" % v)
        self.found.append(v)
        if len(self.found) > self.raw:
            raise Damage("coded calls of more than %d bytes" % self.raw)


class Recent:
    """Of a field and kind: the last two numbers that were coded, and what the next one is measured from."""

    def __init__(self):
        self.last = self.before = self.base = 0

    def keep(self, coded):
        self.before, self.last = self.last, coded
        return coded


class Walk:
    """CONTENT: numbers are taken out of it, coded, and put into it. shapes: by number how many columns a signature has that is not
    long, and the places of its slots up to the first array series; classes: by number (function's number, whether it is a loop); kind: the type of the section."""

    def __init__(self, content, coder, shapes, classes, kind=CODED_CALLS):
        self.content, self.mixer, self.shapes, self.classes = content, Mixer(coder, 3 if kind == CODED_CALLS else 1), shapes, classes
        self.old, self.has_other = kind == CODED_CALLS_7, kind == CODED_CALLS
        self.recent, self.next = collections.defaultdict(Recent), collections.Counter()
        self.last_values, self.value_groups, self.loops, self.signatures = 0, [], [], {}
        self.lists, self.last_rule, self.rule_end = {}, 0, 0
        self.placed, self.hits, self.last_column = collections.Counter(), collections.Counter(), 0

    def all(self):
        for kind, entry in enumerate((self.rule, self.column, self.signature, self.partition, self.group_class, self.group)):
            for number in range(self.plain(COUNT, kind)):
                entry(number)
            if entry == self.partition:
                self.plain(COUNT, 6)
                self.reference(MEMBERS, 1, "columns")

    def code(self, value, field, kind, a=0, b=0, c=0):
        return self.mixer.number(value, field, kind, a, b, c)

    def plain(self, field, kind=0, b=None):
        r = self.recent[field, kind]
        v = r.keep(self.code(self.content.take(), field, kind, r.last, r.before if b is None else b))
        self.content.put(v)
        return v

    def byte(self, field, kind, *about):
        v = self.code(self.content.take_byte(), field, kind, *about)
        self.content.put_byte(v)
        return v

    def difference(self, field, kind, *about):
        """Of an svarint. about: the kind for the contexts, and a, if they are others. Returns what was coded."""
        r = self.recent[field, kind]
        d = zigzag(unzigzag(self.content.take()) - r.base)
        d = self.code(d, field, *about, r.last, r.before) if about else self.code(d, field, kind, r.last, r.before)
        r.keep(d)
        r.base = r.base + unzigzag(d) & WHOLE
        self.content.put(zigzag(r.base))
        return d

    def reference(self, field, kind, table, flags=0):
        """The index; with FLAGS also that many bits behind it."""
        r, next_, v = self.recent[field, kind], self.next[table], self.content.take()
        coded = 1 + zigzag((v >> flags) - 1 - r.base) if v >> flags else 0
        coded = self.code(coded << flags | v & (1 << flags) - 1, field, 2 * kind + (next_ == r.base), r.last, r.base, r.before)
        flag, coded = coded & (1 << flags) - 1, coded >> flags
        index = r.base + unzigzag(coded - 1) & WHOLE if coded else next_
        if index >= INDEX_MAX:
            raise Damage("an index %d" % index)
        r.keep(coded)
        r.base = index + 1
        self.next[table] = max(next_, index + 1)
        self.content.put((index + 1 if coded else 0) << flags | flag)
        return (index, flag) if flags else index

    # Rules.

    def rule(self, number):
        symbols, terminal, other, others, steps, flags = self.plain(RULE), 0, self.rule_end, 0, (0, 0), (0, 0)
        if not symbols:
            self.block()
        earlier, exponent = self.recent[EARLIER, 0], self.recent[EXPONENT, 0]
        for i in range(symbols):
            v = self.content.take()
            flag = self.code(v & 3, SYMBOL, 0, *flags, exponent.last)
            if flag > 3:
                raise Damage("a symbol with flags %d" % flag)
            if flag & 1:
                back = earlier.keep(self.code(number - 1 - (v >> 2) & WHOLE, EARLIER, 0, earlier.last, flags[0], earlier.before))
                self.content.put((number - 1 - back << 2 & WHOLE) | flag)
            else:
                which, start = 0, not i
                if self.has_other:
                    near, far = zigzag((v >> 2) - other), zigzag((v >> 2) - terminal)
                    which = self.code(int(near < far - (0 if start else 16)), OTHER, int(start), others & 15, steps[0], terminal)
                    if which > 1:
                        raise Damage("a terminal that is measured from terminal %d" % which)
                    others = 2 * others + which
                    if which:
                        terminal, other = other, terminal
                before, kind = terminal, flag + 4 * which + 8 * start * self.has_other
                step = self.code(zigzag((v >> 2) - terminal), TERMINAL, kind, steps[0], terminal, steps[1])
                steps, terminal = (step, steps[0]), terminal + unzigzag(step) & WHOLE
                if not which and step > 32:
                    other = before
                self.content.put((terminal << 2 & WHOLE) | flag)
            if flag & 2:
                more = exponent.keep(self.code(self.content.take(), EXPONENT, flag & 1, exponent.last, steps[0], exponent.before))
                self.content.put(more)
                if more & 1 and not flag & 1:
                    terminal = terminal + (more >> 1) + 1 & WHOLE
            flags = flag, flags[0]
        self.rule_end = terminal if symbols else self.rule_end

    def block(self):
        count, width = self.plain(BLOCK, 0), self.byte(BLOCK, 1) >> 2
        self.plain(BLOCK, 2)
        if count > BLOCK_MAX:
            raise Damage("a block of %d terminals" % count)
        last = 0, 0, 0
        for _ in range((count * width + 7) // 8):
            last = (self.byte(BYTE, 0, *last), *last[:2])

    # Columns, signatures, partitions.

    def column(self, _):
        kind = self.plain(EXPRESSION)
        if kind > 8:
            raise Damage("an expression of kind %d" % kind)
        if kind == 8 and not self.old:
            self.list()
            return
        for _ in range(self.plain(LENGTH, kind) if kind == 8 else 1):
            self.difference(CONSTANT, kind)
        if kind == 7 and not self.old:
            self.differences()
        elif kind in (6, 7):
            self.plain(LENGTH, kind)

    def list(self):
        length, now, same = self.plain(LENGTH, 8), [], 0
        former = self.lists.get(length)
        for i in range(length):
            expected = former[i] if former else 0
            now.append(self.difference(CONSTANT, 8, 8 if i else 9, 2 * expected + same))
            same = int(now[i] == expected)
        if length < LISTS_END:
            self.lists[length] = now

    def differences(self):
        r, v, next_ = self.recent[LENGTH, 7], self.content.take(), self.last_rule + 2
        x = r.keep(self.code(0 if v == next_ else 1 + zigzag(v - r.base), LENGTH, 7, r.last, r.before))
        r.base = r.base + unzigzag(x - 1) & WHOLE if x else next_
        if r.base % 2 == 0:
            self.last_rule = max(self.last_rule, r.base)
        self.content.put(r.base)

    def signature(self, _):
        shape, is_long = self.reference(SHAPE, 0, "shapes", 1)
        if shape >= len(self.shapes):
            raise Damage("shape %d of %d" % (shape, len(self.shapes)))
        count, places = self.shapes[shape]
        if is_long:
            count, places = count * (2 if self.plain(SERIES) else 3), []
        former = self.signatures.get(shape, [])
        self.signatures[shape] = self.old_columns(shape, count, former) if self.old else self.columns(shape, count, former, places)

    def old_columns(self, shape, count, former):
        now, same, last = [], 0, (0, 0)
        for i in range(count):
            expected = former[i] + 1 & WHOLE if i < len(former) else 0
            v = self.code(self.content.take(), COLUMN, shape << 32 | i, expected << 2 | same & 3, *last)
            self.content.put(v)
            now.append(v)
            same, last = 2 * same + (v + 1 & WHOLE == expected), (v, last[0])
        return now

    def columns(self, shape, count, former, places):
        now, hits, last, step = [], 0, 0, 0
        for i in range(count):
            q = (places[i] if i < len(places) else with_(2, shape, i)) >> 64 - SLOT_BITS
            by_shape = i < len(former)
            expected = former[i] if by_shape else self.placed[q]
            v = self.content.take()
            coded = 1 if not v else 0 if v == expected else 2 if step and v == expected + step else 3 + v
            coded = self.code(coded, COLUMN, 4 * (2 if by_shape else int(expected > 0)) + (hits & 3), 8 * q + (self.hits[q] & 7), expected, last)
            v = (expected, 0, expected + step & WHOLE)[coded] if coded < 3 else coded - 3
            if v >= 1 << 32:
                raise Damage("a number %d of a column" % v)
            self.content.put(v)
            if v and expected and v != expected:
                step = v - expected
            last = v or self.last_column + 1
            self.last_column = max(self.last_column, last)
            now.append(last)
            self.placed[q], self.hits[q], hits = last, 2 * self.hits[q] + (not coded) & 255, 2 * hits + (not coded)
        return now

    def partition(self, _):
        count = self.plain(PARTS)
        self.value_groups.append(count or self.plain(PARTS, 1))
        for _ in range(count or 1):
            self.reference(MEMBERS, 0 if count else 3, "columns")

    # Group classes, groups.

    def parts(self, v):
        if not v:
            return 1
        index = v - 2 if v > 1 else self.next["partitions"]
        if index >= len(self.value_groups):
            raise Damage("partition %d of %d" % (index, len(self.value_groups)))
        self.next["partitions"] = max(self.next["partitions"], index + 1)
        return self.value_groups[index]

    def partition_of(self, kind):
        if self.old:
            return self.plain(PARTITION, kind)
        r, v = self.recent[PARTITION, 0], self.content.take()
        x = r.keep(self.code(v if v < 2 else 2 + zigzag(v - 2 - r.base), PARTITION, kind, r.last, r.before))
        v = x if x < 2 else 2 + r.base + unzigzag(x - 2) & WHOLE
        if v:
            r.base = v - 2 if v > 1 else self.next["partitions"]
        self.content.put(v)
        return v

    def group_class(self, _):
        number = self.reference(CLASS, 0, "classes")
        if number >= len(self.classes):
            raise Damage("class %d of %d" % (number, len(self.classes)))
        kind, is_loop = self.classes[number]
        self.loops.append(is_loop)
        for _ in range(self.parts(self.partition_of(kind))):
            self.last_values = self.plain(VALUES, kind, self.last_values)
            for _ in range(self.plain(SIGNATURES, kind, self.last_values)):
                self.reference(SIGNATURE, kind, "signatures")

    def body(self):
        if self.old:
            self.plain(BODY)
            return
        r = self.recent[BODY, 0]
        d = r.keep(self.code(zigzag(self.content.take() - r.base), BODY, 0, r.last, r.before))
        r.base = r.base + unzigzag(d) & WHOLE
        self.content.put(r.base)

    def group(self, _):
        self.plain(SEQUENCE)
        for _ in range(self.plain(CLASSES)):
            number = self.reference(GROUP_CLASS, 0, "group classes")
            if number >= len(self.loops):
                raise Damage("group class %d of %d" % (number, len(self.loops)))
            if self.loops[number]:
                self.body()
        self.reference(MEMBERS, 2, "columns")


def coded_content(stored, raw, shapes, classes, kind=CODED_CALLS):
    """The RAW bytes that the coded calls STORED are. kind: the type of the section."""
    if raw > CONTENT_MAX:
        raise Damage("coded calls of %d bytes" % raw)
    content, reader = Content(raw), Coder(stored)
    Walk(content, reader, shapes, classes, kind).all()
    if len(content.found) < raw:
        raise Damage("coded calls of %d bytes, not %d" % (len(content.found), raw))
    if reader.at < len(stored):
        raise Damage("%d bytes of coded calls left over" % (len(stored) - reader.at))
    return bytes(content.found)
