# SPDX-License-Identifier: BSD-3-Clause
"""The values of a Pilgrim trace's calls, from docs/FORMAT.md alone: shapes, signatures, and how they are printed."""
import collections
import itertools
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from second_coded import with_  # noqa: E402
from second_grammar import difference  # noqa: E402
from second_parts import Cursor, Damage, wrap  # noqa: E402

NESTING_MAX = 32
EXACT_MAX = 1 << 53
SHAPE_MAX = 1 << 28
REGISTERS_MAX = 65536
LIVE_INDICES, LIVE_MAX, LIVE_CLASSES = 1024, 65536, 65536

NONE, NAME, INT, BOOL, REAL, RANK, RANK_BASE, OBJECT, REQUEST, HEAP = range(1, 11)
STACK, STATIC, DEVICE, STRING, ARRAY, FLAGS, STATUS, SYMBOL, FUNCTION, SERIES, REGISTER, EDITED, COMPLETED, POSTED, BEGUN, LIVE, TIME, TEXT, OWN, LIVE_OF, LIVE_BACK = range(11, 32)
SLOTS = {INT: 1, BOOL: 1, REAL: 1, RANK: 1, RANK_BASE: 1, OBJECT: 1, REQUEST: 2, HEAP: 2, STACK: 1, STATIC: 2,
         DEVICE: 3, FUNCTION: 1, POSTED: 2, BEGUN: 1, LIVE: 2, TEXT: 2, LIVE_OF: 2, LIVE_BACK: 2}


# Characters that separate lines or turn the direction of writing.
HIDDEN = {0x61c, 0x200e, 0x200f, *range(0x2028, 0x202f), *range(0x2066, 0x206a)}


class Escapes(dict):
    """For str.translate: what JSON must have escaped."""

    def __missing__(self, code):
        if code < 0x20 or 0x7f <= code <= 0x9f or code in HIDDEN:
            self[code] = "\\u%04x" % code
        elif 0xdc80 <= code <= 0xdcff:  # surrogateescape: a byte that is not UTF-8
            self[code] = "\\u%04x" % (code - 0xdc00)
        else:
            self[code] = chr(code)
        return self[code]


ESCAPES = Escapes({0x22: '\\"', 0x5c: "\\\\"})


def escape(text):
    """The bytes TEXT as the inside of a JSON string."""
    return text.decode("utf-8", "surrogateescape").translate(ESCAPES)


def quote(text):
    return '"' + text + '"'


class Int(str):
    """The text of an integer, VALUE."""

    def __new__(cls, value):
        text = super().__new__(cls, integer(value))
        text.value = value
        return text


class Name(str):
    """The text of a name."""


class Request(str):
    """The text of the request CLASS.INDEX; pair: both."""

    def __new__(cls, number, index):
        text = super().__new__(cls, quote("request:%d.%d" % (number, index)))
        text.pair = number, index
        return text


class Live:
    """The requests of a thread that are live, as its calls say: of each class their indices, the oldest first."""

    def __init__(self):
        self.classes, self.count = {}, 0

    def free_index(self, number):
        taken = set(self.classes.get(number, ()))
        free = next(index for index in range(LIVE_INDICES + 1) if index not in taken)
        if free == LIVE_INDICES:
            raise Damage("a request of class %d, which has no free index" % number)
        return free

    def at(self, number, age):
        indices = self.classes.get(number, ())
        if not 0 <= age < len(indices):
            raise Damage("request %d of class %d, of which %d are live" % (age, number, len(indices)))
        return indices[age]

    def end(self, pair):
        indices = self.classes.get(pair[0], ())
        if pair[1] in indices:
            indices.remove(pair[1])
            self.count -= 1

    def begin(self, pair):
        number, index = pair
        if not 0 <= index < LIVE_INDICES or (number not in self.classes and len(self.classes) == LIVE_CLASSES):
            return
        self.end(pair)
        if self.count < LIVE_MAX:
            self.classes.setdefault(number, []).append(index)
            self.count += 1


def slot_places(value, path, places):
    """Appends those of VALUE and what follows it to PLACES. False: there is a series."""
    tag, _, _, inside = value
    if tag == SERIES:
        return False
    places += [with_(path, tag, i) for i in range(SLOTS.get(tag, 0))]
    return all(slot_places(item, with_(path, index), places) for index, item in enumerate(inside))


class Shape:
    """values: a tree of (tag, operand, first slot, values that follow). slots: of each whether it is in a series.
    has_series, has_registers, has_posted: whether there is one; one that keeps, edits or completes; a posted status. follows: whether
    a request is named by which are live."""

    def __init__(self, content, strings):
        self.cursor, self.strings, self.keeps, self.follows = Cursor(content), strings, False, False
        self.values, self.slots, self.has_series, self.has_registers, self.has_posted, size = [], [], False, False, False, 0
        while self.cursor.left():
            value, more = self.token_read(1, False, (REGISTER, EDITED, COMPLETED))
            self.values.append(value)
            size += more
        if size >= SHAPE_MAX:
            raise Damage("a shape of 2^28 values or more")
        if self.has_registers and (self.keeps and self.has_series or self.values[-1][0] in (REGISTER, EDITED, COMPLETED)):
            raise Damage("a shape that keeps or edits the return value, or has a series, too")

    def for_coded_calls(self):
        """How many columns a signature of this shape has that is not long; the places of its slots up to the first series."""
        places = []
        for index, value in enumerate(self.values):
            if not slot_places(value, with_(1, index), places):
                break
        return len(self.slots) + sum(self.slots), places

    def token_read(self, depth, inside, registers=()):
        """A value, and how many values it stands for. inside: of a series. registers: the tokens for them that it may be."""
        if depth > NESTING_MAX:
            raise Damage("values nested deeper than %d" % NESTING_MAX)
        c, tag = self.cursor, self.cursor.u8()
        operand, follow, first = None, 0, len(self.slots)
        self.slots += [inside] * SLOTS.get(tag, 0)
        if tag in (NAME, OBJECT):
            operand = escape(self.strings[c.index(len(self.strings), "string")])
        elif tag in (STRING, SYMBOL):
            operand = escape(c.text())
        elif tag in (ARRAY, FLAGS):
            follow = c.count()
        elif tag == STATUS:
            operand = c.u8()
            if operand > 3:
                raise Damage("status bits %d" % operand)
            follow = 5 if operand & 2 else 4
        elif tag == RANK_BASE:
            follow = 1
        elif tag == SERIES:
            operand, follow = c.varint(), c.varint()
            if inside or operand < 2 or not 1 <= follow <= operand:
                raise Damage("a series of %d values of %d shapes, or in a series" % (operand, follow))
            self.slots += [False] * (follow > 1)
            self.has_series = inside = True
        elif tag in registers:
            operand = c.varint() if tag == COMPLETED else c.index(REGISTERS_MAX + (tag == EDITED), "register")
            follow = 2 * c.varint() if tag == EDITED else 1
            self.has_registers = True
            self.keeps = self.keeps or tag != COMPLETED
        elif tag == POSTED:
            operand = c.u8()
            if operand > 1 or inside:
                raise Damage("a posted status with bits %d, or in a series" % operand)
            self.has_posted = True
        elif tag in (BEGUN, LIVE, OWN, LIVE_OF, LIVE_BACK):
            self.follows = True
        elif tag in (REGISTER, EDITED, COMPLETED):
            raise Damage("a token with tag %d that is no parameter's" % tag)
        elif not NONE <= tag <= FUNCTION and tag not in (TIME, TEXT):
            raise Damage("a token with tag %d" % tag)
        inner, sizes = [], []
        for number in range(follow):
            item, size = self.token_read(depth + 1, inside, (EDITED, COMPLETED) if tag == REGISTER else ())
            if tag == FLAGS and item[0] not in (NAME, INT):
                raise Damage("a flag that is neither a name nor an integer")
            if tag == EDITED and number % 2 == 0 and item[0] != INT:
                raise Damage("the index of a change that is not an integer")
            inner.append(item)
            sizes.append(size)
        return (tag, operand, first, inner), 1 + (operand * max(sizes) if tag == SERIES else sum(sizes))


class Signature:
    """is_unzipped. length: for how many values in a row it counts. columns: of each slot its columns, first, sequence and factor;
    None: it has none."""

    def __init__(self, c, shapes, columns):
        word = c.varint()
        self.shape, self.length, self.is_unzipped = shapes.at(word >> 1), 1, False
        if word & 1:
            k = c.varint()
            self.length, self.is_unzipped = k or 1, not k
            if k == 1 or self.shape.has_series:
                raise Damage("a long signature of %d, or of series" % k)
        self.columns = []
        for inside in self.shape.slots:
            first = columns.read(c)
            sequence = columns.read(c) if inside or word & 1 else None
            self.columns.append((first, sequence, columns.read(c) if self.is_unzipped else None))
        self.sizes = {column.length for those in self.columns for column in those if column and column.length is not None}


class Unzipped:
    """What the slots of an unzipped signature are for the member at POSITION with RANK, time after time."""

    def __init__(self, signature, position, rank):
        self.slots = []
        for columns in signature.columns:
            first, code, factor = [column.value(position, rank) for column in columns]
            self.slots.append((first, columns[0].rules, columns[0].rules.any_differences(code), factor))
        self.all = zip(*itertools.starmap(self.values, self.slots)) if self.slots else itertools.repeat(())

    @staticmethod
    def values(first, rules, s, factor):
        if not s:
            return itertools.repeat(first)
        sums = itertools.accumulate(map(difference, rules.terminals(s)), initial=0)
        return (wrap(first + factor * total) for total in sums)

    def next(self):
        """All slots, this time."""
        found = next(self.all, None)
        if found is None:
            raise Damage("an unzipped signature with a sequence that is too short")
        return found

    def at(self, i):
        """The I-th time."""
        if any(s and i > rules.lengths[s] for _, rules, s, _ in self.slots):
            raise Damage("an unzipped signature with a sequence that is too short")
        return [wrap(first + factor * (rules.sum(s, i) if s else 0)) for first, rules, s, factor in self.slots]


class Printer:
    """Prints the values of one call: that of the member at POSITION, with RANK and its RANK_BASES, ELEMENT of the signature series.
    slots: what they are, if it is unzipped. registers: what the thread's earlier calls kept: for each register the texts of the
    items; None: it is not an array; kept: what this call keeps, likewise. begun: of each request what the call was that began it,
    (source, tag, count), None for what it does not have. live: which requests are. is_typed: texts say what they are, where others ask for it.
    class_index: of the call; own_numbers: of all classes.
    element, length: in a series, which of how many values of the same shape."""

    def __init__(self, signature, element, position, rank, rank_bases, slots=None, registers=None, begun=None, is_typed=False,
                 live=None, class_index=0, own_numbers=()):
        self.class_index, self.own_numbers, self.signature = class_index, own_numbers, signature
        self.element, self.position, self.rank, self.rank_bases = element, position, rank, rank_bases
        self.slots, self.registers, self.begun, self.kept, self.completed = slots, registers or {}, begun or {}, {}, []
        self.is_typed = is_typed or signature.shape.has_registers or signature.shape.has_posted
        self.requests, self.live = None, live    # requests: items of the first in-value that has some
        self.length = signature.length
        self.rank_base = 0

    def slot(self, number, tag=INT):
        if self.slots is not None:
            return self.slots[number]
        column, differences, _ = self.signature.columns[number]
        if differences is None:
            return column.value(self.position, self.rank_bases[self.rank_base][0] if tag == RANK else self.rank)
        value = column.value(self.position, self.rank)
        code = differences.value(self.position, self.rank)
        return wrap(value + column.rules.differences_sum(code, self.length - 1, self.element))

    def parameter(self, value, before):
        """(text, items) of the value of a parameter; items: their texts, and no text; None: it is not an array. before: the items
        of its in-value; None if it has none."""
        tag, operand, _, inner = value
        if tag == RANK_BASE:
            self.rank_base = self.slot(value[2])
        if tag in (REGISTER, RANK_BASE):
            text, items = self.parameter(inner[0], before)
            if tag == REGISTER:
                self.kept[operand] = items
            return text, items
        if tag == EDITED:
            return None, self.edited(inner, self.registers.get(operand - 1) if operand else before)
        if tag in (ARRAY, SERIES):
            return None, self.items(value)
        if tag != COMPLETED:
            return self.value(value), None
        if before is None:
            raise Damage("a completed array that is not there")
        items = list(before)
        self.completed.append((items, operand, self.value(inner[0])))
        return None, items

    def complete(self, outs):
        """Once all out-values are known, by their parameters' numbers."""
        own = [items for items, _, _ in self.completed]
        for items, parameter, value in self.completed:
            text, those = outs.get(parameter, (None, None))
            if any(those is other for other in own):
                raise Damage("parameter %d, which is itself completed, for indices" % parameter)
            for index in [text] if those is None else those:
                if isinstance(index, Int) and 0 <= index.value < len(items):
                    items[index.value] = value
                elif not isinstance(index, Name):
                    raise Damage("index %s in a completed array of %d" % (index, len(items)))

    def posted(self, value):
        if self.requests is None:
            raise Damage("a posted status without requests")
        position, unit = self.slot(value[2]), self.slot(value[2] + 1)
        request = self.requests[position] if 0 <= position < len(self.requests) else None
        source, tag, count = self.begun.get(request, (None, None, None)) if isinstance(request, Request) else (None, None, None)
        if source is None or tag is None or not isinstance(count, Int):
            raise Damage("a posted status of %s, which no call has begun" % request)
        return ('{"source":%s,"tag":%s,"bytes":%s,"cancelled":false,"ignored":%s}'
                % (source, tag, integer(wrap(unit * count.value)), "true" if value[1] else "false"))

    def edited(self, changes, base):
        """The items of BASE after the CHANGES, index and value in turn."""
        if base is None:
            raise Damage("changes of what is not there, or not an array")
        items, last = list(base), -1
        for index, value in zip(changes[::2], changes[1::2]):
            i = self.slot(index[2])
            if not last < i < len(items):
                raise Damage("a change at index %d, after %d, of %d" % (i, last, len(items)))
            items[i] = self.value(value)
            last = i
        return items

    def relative(self, first):
        if not 0 <= self.rank_base < len(self.rank_bases):
            raise Damage("rank base %d of %d" % (self.rank_base, len(self.rank_bases)))
        rank, size = self.rank_bases[self.rank_base]
        if size <= 0:
            raise Damage("a rank in a rank base of size %d" % size)
        return str((self.slot(first, RANK) + rank) % size)

    def items(self, array):
        """The texts of the values of an array or series."""
        tag, size, first, inner = array
        if tag == ARRAY:
            return [self.value(item) for item in inner]
        shapes = [0] * size
        if len(inner) > 1:
            column = self.signature.columns[first][0]
            shapes = column.rules.differences_all(column.value(self.position, self.rank), size)
        lengths, done, texts = collections.Counter(shapes), [0] * len(inner), []
        for shape in lengths:
            if not 0 <= shape < len(inner):
                raise Damage("shape %d of a series of %d" % (shape, len(inner)))
        for shape in shapes:
            self.length, self.element = lengths[shape], done[shape]
            done[shape] += 1
            texts.append(self.value(inner[shape]))
        return texts

    def value(self, value):
        tag, operand, first, inner = value
        if tag == INT:
            return Int(self.slot(first)) if self.is_typed else integer(self.slot(first))
        if tag in (NONE, TIME):
            return "null"
        if tag in (NAME, STRING):
            return Name(quote(operand)) if tag == NAME else quote(operand)
        if tag in (ARRAY, SERIES):
            return "[" + ",".join(self.items(value)) + "]"
        if tag in (FLAGS, STATUS, RANK_BASE):
            return self.compound(value)
        if tag == SYMBOL:
            return quote("fn:" + operand)
        if tag == RANK:
            return self.relative(first)
        if tag == POSTED:
            return self.posted(value)
        if tag in (REQUEST, BEGUN, LIVE, OWN, LIVE_OF, LIVE_BACK):
            return self.request(tag, first)
        v = [self.slot(i) for i in range(first, first + SLOTS[tag])]
        if tag == TEXT:
            if v[0] < 0 or v[1] < 0 or sum(v) >= len(self.signature.shape.strings):
                raise Damage("text %d + %d, which is not in the table of strings" % (v[0], v[1]))
            return quote(escape(self.signature.shape.strings[sum(v)]))
        if tag == BOOL:
            if v[0] not in (0, 1):
                raise Damage("a logical of %d" % v[0])
            return "true" if v[0] else "false"
        if tag == REAL:
            return real(v[0])
        return quote(self.name(tag, operand, v))

    def request(self, tag, first):
        number = self.class_index if tag == OWN else self.slot(first)
        number = self.class_index - number if tag == LIVE_BACK else number
        if tag in (OWN, LIVE_OF, LIVE_BACK):
            if not 0 <= number < len(self.own_numbers):
                raise Damage("a request of class index %d of %d" % (number, len(self.own_numbers)))
            number = self.own_numbers[number]
        if tag in (BEGUN, OWN):
            return Request(number, self.live.free_index(number))
        return Request(number, self.slot(first + 1) if tag == REQUEST else self.live.at(number, self.slot(first + 1)))

    @staticmethod
    def name(tag, operand, v):
        if tag == OBJECT:
            return "%s:%d" % (operand, v[0])
        if tag == HEAP:
            return "heap:%d+%d" % (v[0], v[1])
        if tag == STACK:
            return "stack:%d" % v[0]
        if tag == STATIC:
            return "static:%d+%d" % (v[0], v[1])
        if tag == DEVICE:
            return "device:%d:%d+%d" % (v[0], v[1], v[2])
        return "fn:%d" % v[0]

    def compound(self, value):
        tag, operand, _, inner = value
        if tag == FLAGS:
            return quote("|".join([i[1] if i[0] == NAME else str(self.slot(i[2])) for i in inner]))
        if tag == STATUS:
            keys = ("source", "tag", "bytes", "cancelled", "error")
            pairs = ['"%s":%s' % (key, self.value(item)) for key, item in zip(keys, inner)]
            pairs.append('"ignored":' + ("true" if operand & 1 else "false"))
            return "{" + ",".join(pairs) + "}"
        self.rank_base = self.slot(value[2])
        return self.value(inner[0])


def integer(v):
    return str(v) if -EXACT_MAX <= v <= EXACT_MAX else quote(str(v))


def real(bits):
    v = struct.unpack("<d", struct.pack("<q", bits))[0]
    text = "%.17g" % v
    return quote(text) if text in ("inf", "-inf", "nan") else text


