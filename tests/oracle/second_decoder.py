#!/usr/bin/env python3
"""A second decoder of Pilgrim traces, written from docs/FORMAT.md alone.

Prints every call of TRACE, or those of RANK, as a line of JSON, without times: what `pilgrim-decode --format=json` must print too,
but for "start" and "end". It shares no code with the project, so that an error in the writer and the same error in
the reader cannot hide each other. It is slower, and simpler, than the real one. Two files, to be read beside the document.

Lines are streamed; memory is a small multiple of the file whatever its counts claim, because grammars stay grammars. Exit
status: 0 all printed, 1 damaged (what came before the damage was printed), 2 wrong use.
"""
import bisect
import collections
import itertools
import os
import re
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from second_parts import (CALLS, DEFINITIONS, EXPANSION_MAX, MEMO_MAX, TIMES, Column, Cursor, Damage, Rules, Split,  # noqa: E402
                          Table, volumes_read, wrap)

NESTING_MAX = 32
CALLERS_MAX = 63
BUILD_ID_MAX = 32
EXACT_MAX = 1 << 53
SHAPE_MAX = 1 << 28

NONE, NAME, INT, BOOL, REAL, RANK, VIEW, OBJECT, REQUEST, HEAP = range(1, 11)
STACK, STATIC, DEVICE, STRING, ARRAY, FLAGS, STATUS, SYMBOL, FUNCTION, SERIES = range(11, 21)
SLOTS = {INT: 1, BOOL: 1, REAL: 1, RANK: 1, VIEW: 1, OBJECT: 1, REQUEST: 2, HEAP: 2, STACK: 1, STATIC: 2,
         DEVICE: 3, FUNCTION: 1}


# ---- values ------------------------------------------------------------------------------------------------------

class Escapes(dict):
    """For str.translate: what JSON must have escaped."""

    def __missing__(self, code):
        if code < 0x20:
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


class Shape:
    """values: a tree of (tag, operand, first slot, values that follow). slots: of each whether it is in a series.
    has_series: whether there is one."""

    def __init__(self, content, strings):
        self.cursor, self.strings = Cursor(content), strings
        self.values, self.slots, self.has_series, size = [], [], False, 0
        while self.cursor.left():
            value, more = self.token_read(1, False)
            self.values.append(value)
            size += more
        if size >= SHAPE_MAX:
            raise Damage("a shape of 2^28 values or more")

    def token_read(self, depth, inside):
        """A value, and how many values it stands for. inside: of a series."""
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
        elif tag == VIEW:
            follow = 1
        elif tag == SERIES:
            operand, follow = c.varint(), c.varint()
            if inside or operand < 2 or not 1 <= follow <= operand:
                raise Damage("a series of %d values of %d shapes, or in a series" % (operand, follow))
            self.slots += [False] * (follow > 1)
            self.has_series = inside = True
        elif not NONE <= tag <= FUNCTION:
            raise Damage("a token with tag %d" % tag)
        inner, sizes = [], []
        for _ in range(follow):
            item, size = self.token_read(depth + 1, inside)
            if tag == FLAGS and item[0] not in (NAME, INT):
                raise Damage("a flag that is neither a name nor an integer")
            inner.append(item)
            sizes.append(size)
        return (tag, operand, first, inner), 1 + (operand * max(sizes) if tag == SERIES else sum(sizes))


class Signature:
    """length: for how many calls it stands. columns: of each slot its column, and that of its differences or None."""

    def __init__(self, c, shapes, columns):
        word = c.varint()
        self.shape, self.length = shapes.at(word >> 1), 1
        if word & 1:
            self.length = c.varint()
            if self.length < 2 or self.shape.has_series:
                raise Damage("a vector of %d signatures, or of series" % self.length)
        self.columns = []
        for inside in self.shape.slots:
            first = columns.read(c)
            self.columns.append((first, columns.read(c) if inside or self.length > 1 else None))
        self.sizes = {column.length for pair in self.columns for column in pair if column and column.length is not None}


class Printer:
    """Prints the values of one call: that of the member at POSITION, with RANK and its VIEWS, ELEMENT of the signature's vector.
    element, length: in a series, which of how many values of the same shape."""

    def __init__(self, signature, element, position, rank, views):
        self.signature, self.element, self.position, self.rank, self.views = signature, element, position, rank, views
        self.length = signature.length
        self.view = 0

    def slot(self, number, tag=INT):
        column, differences = self.signature.columns[number]
        if differences is None:
            return column.value(self.position, self.views[self.view][0] if tag == RANK else self.rank)
        value = column.value(self.position, self.rank)
        code = differences.value(self.position, self.rank)
        return wrap(value + column.rules.differences_sum(code, self.length - 1, self.element))

    def relative(self, first):
        if self.view >= len(self.views):
            raise Damage("view %d of %d" % (self.view, len(self.views)))
        place, size = self.views[self.view]
        if size <= 0:
            raise Damage("a rank in a view of size %d" % size)
        return str((self.slot(first, RANK) + place) % size)

    def items(self, array):
        """The texts of the values of an array or series."""
        tag, size, first, inner = array
        if tag == ARRAY:
            return [self.value(item) for item in inner]
        shapes = [0] * size
        if len(inner) > 1:
            column, _ = self.signature.columns[first]
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
            return integer(self.slot(first))
        if tag == NONE:
            return "null"
        if tag in (NAME, STRING):
            return quote(operand)
        if tag in (ARRAY, SERIES):
            return "[" + ",".join(self.items(value)) + "]"
        if tag in (FLAGS, STATUS, VIEW):
            return self.compound(tag, operand, first, inner)
        if tag == SYMBOL:
            return quote("fn:" + operand)
        if tag == RANK:
            return self.relative(first)
        v = [self.slot(i) for i in range(first, first + SLOTS[tag])]
        if tag == BOOL:
            if v[0] not in (0, 1):
                raise Damage("a logical of %d" % v[0])
            return "true" if v[0] else "false"
        if tag == REAL:
            return real(v[0])
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
        if tag == FLAGS:
            return quote("|".join([i[1] if i[0] == NAME else str(self.slot(i[2])) for i in inner]))
        if tag == STATUS:
            keys = ("source", "tag", "bytes", "cancelled", "error")
            pairs = ['"%s":%s' % (key, self.value(item)) for key, item in zip(keys, inner)]
            pairs.append('"ignored":' + ("true" if operand & 1 else "false"))
            return "{" + ",".join(pairs) + "}"
        number = self.slot(first)
        if number < 0:
            raise Damage("view %d" % number)
        self.view = number
        return self.value(inner[0])


def integer(v):
    return str(v) if -EXACT_MAX <= v <= EXACT_MAX else quote(str(v))


def real(bits):
    v = struct.unpack("<d", struct.pack("<q", bits))[0]
    text = "%.17g" % v
    return quote(text) if text in ("inf", "-inf", "nan") else text


# ---- the trace ---------------------------------------------------------------------------------------------------

class Trace:
    def __init__(self, data):
        self.sections, self.damage = volumes_read(data)

    def volumes(self):
        """Those that can be read; then raises the first damage that did not stop the reading."""
        first = 0
        for sections in self.sections:
            if CALLS in sections:
                volume = Volume(sections, first)
                yield volume
                self.damage = self.damage or volume.damage
                first += volume.ranks
        if self.damage:
            raise self.damage


class Volume:
    """Ranks from FIRST on; inside, they are counted from 0."""

    def __init__(self, sections, first):
        self.first, self.damage = first, None
        sections[DEFINITIONS].read(self.definitions_read)
        sections[CALLS].read(self.calls_read)
        if TIMES in sections:
            try:
                sections[TIMES].read(self.times_read)
            except Damage as damage:
                self.damage = damage

    def definitions_read(self, c):
        self.strings = [c.line() for _ in range(c.count())]
        strings = len(self.strings)
        self.properties = [(c.index(strings, "string"), c.index(strings, "string")) for _ in range(c.count())]
        self.functions = [self.function_read(c) for _ in range(c.count())]
        self.modules = [self.module_read(c) for _ in range(c.count())]
        self.callers_read(c)
        self.classes_read(c)
        self.shapes = [Shape(c.text(), self.strings) for _ in range(c.count())]

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
        for number in range(c.count()):
            frame, offset = self.frame_read(c, c.index(len(self.modules), "module"), offset)
            caller = c.index(number + 1, "caller")
            self.callers.append([frame] + (self.callers[caller - 1] if caller else []))
            if len(self.callers[-1]) > CALLERS_MAX:
                raise Damage("more than %d callers, one after the other" % CALLERS_MAX)

    def classes_read(self, c):
        """[(function, frames)]"""
        self.classes = []
        offset = 0
        for _ in range(c.count()):
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

    def calls_read(self, c):
        self.rules = Rules(c)
        columns = Table([Column(c, self.rules) for _ in range(c.count())], "column")
        shapes = Table(self.shapes, "shape")
        signatures = Table([Signature(c, shapes, columns) for _ in range(c.count())], "signature")
        partitions = Table([Partition(c, columns) for _ in range(c.count())], "partition")
        self.ranks = c.varint()
        if self.ranks < 1:
            raise Damage("no ranks")
        self.threads = columns.read(c)
        if self.threads.length not in (None, self.ranks + 1):
            raise Damage("a column of threads that is not for %d ranks" % self.ranks)
        self.threads.steps_check(0, EXPANSION_MAX, "thread")
        if self.threads.value(0) != 0:
            raise Damage("a column of threads that does not begin with 0")
        self.thread_count = self.threads.value(self.ranks)
        classes = Table(self.classes, "class")
        rows = Table([Row(c, self.rules, classes, partitions, signatures) for _ in range(c.count())], "row")
        self.groups = [Group(c, self.rules, rows, columns) for _ in range(c.count())]
        self.processes = Split([(g, g.members) for g in self.groups if g.is_process], self.ranks, "rank")
        self.members = Split([(g, g.members) for g in self.groups if not g.is_process], self.thread_count, "thread")

    def times_read(self, c):
        for group in self.groups:
            for _ in group.rows:
                for _ in range(3):
                    if c.fixed(2) >= 7424:
                        raise Damage("a time code too large")


class Partition:
    """sizes: of its parts; size: of all; place(i): the number of the part that place I is in, and its position there."""

    def __init__(self, c, columns):
        parts = [columns.read(c) for _ in range(c.count())]
        if len(parts) < 2:
            raise Damage("a partition with %d parts" % len(parts))
        self.sizes = [column.size() for column in parts]
        self.size = sum(self.sizes)
        self.place = Split(list(enumerate(parts)), self.size, "place").place


class Part:
    """A value group: the sequence of what its members do in their calls of a class. sizes: of its columns that have one."""

    def __init__(self, c, rules, signatures, call_class):
        self.sequence = rules.number(c.varint())
        self.list = [signatures.read(c) for _ in range(c.count())]
        if len(set(map(id, self.list))) != len(self.list):
            raise Damage("a list with a signature twice")
        (name, parameters), _, _ = call_class
        need = 1 + sum((d & 1) + (d >> 1) for _, d in parameters)
        for signature in self.list:
            if len(signature.shape.values) != need:
                raise Damage("a shape of %d values for %s, which has %d" % (len(signature.shape.values), name, need))
        self.sizes = set().union(*[signature.sizes for signature in self.list])
        # Terminals are numbers in the list, in which a vector counts as often as it has calls.
        self.starts = list(itertools.accumulate([signature.length for signature in self.list], initial=0))
        if rules.largest[self.sequence] >= self.starts[-1]:
            raise Damage("a sequence with signature %d of %d" % (rules.largest[self.sequence], self.starts[-1]))
        self.calls = rules.lengths[self.sequence]

    def signature(self, terminal):
        """(signature, element of its vector)"""
        k = bisect.bisect_right(self.starts, terminal) - 1
        return self.list[k], terminal - self.starts[k]


class Row:
    """A class and its values: the parts of a partition, or the one part of all members."""

    def __init__(self, c, rules, classes, partitions, signatures):
        self.call_class = classes.read(c)
        which = c.varint()
        self.partition = partitions.at(which - 1) if which else None
        self.parts = [Part(c, rules, signatures, self.call_class) for _ in (self.partition.sizes if which else [0])]

    def check(self, members, calls):
        """That a group of MEMBERS, with CALLS of this class, may have this row."""
        if self.partition and self.partition.size != members:
            raise Damage("a partition of %d for a group of %d" % (self.partition.size, members))
        for part, size in zip(self.parts, self.partition.sizes if self.partition else [members]):
            if not part.sizes <= {size}:
                raise Damage("a column that is not as long as its value group, %d" % size)
            if part.calls != calls:
                raise Damage("values of %d calls for %d" % (part.calls, calls))


class Group:
    """A structure group."""

    def __init__(self, c, rules, rows, columns):
        word = c.varint()
        self.is_process, self.sequence = word & 1, rules.number(word >> 1)
        self.rows = [rows.read(c) for _ in range(c.count())]
        if rules.largest[self.sequence] >= len(self.rows):
            raise Damage("a sequence with row %d of %d" % (rules.largest[self.sequence], len(self.rows)))
        self.members = columns.read(c)
        for row, calls in zip(self.rows, rules.counts(self.sequence, len(self.rows))):
            row.check(self.members.size(), calls)


class Stream:
    """One stream's calls: for each class, its value group, and the position in that."""

    def __init__(self, volume, split, number):
        self.rules = volume.rules
        self.group, place = split.place(number)
        self.parts = []
        for row in self.group.rows:
            part, position = row.partition.place(place) if row.partition else (0, place)
            self.parts.append((row.parts[part], position))

    def calls(self):
        """(place of the class, terminal of its values) of every call."""
        values = [self.rules.terminals(part.sequence) for part, _ in self.parts]
        for place in self.rules.terminals(self.group.sequence):
            yield place, next(values[place])

    def last(self):
        """The last of calls() or None."""
        length = self.rules.lengths[self.group.sequence]
        if not length:
            return None
        place, _ = self.rules.find(self.group.sequence, length - 1)
        sequence = self.parts[place][0].sequence
        return place, self.rules.find(sequence, self.rules.lengths[sequence] - 1)[0]

    def printer(self, place, terminal, rank, views):
        """(values of the shape, their printer) of a call."""
        part, position = self.parts[place]
        signature, element = part.signature(terminal)
        return signature.shape.values, Printer(signature, element, position, rank, views)


def is_ints(value):
    """Whether VALUE is an array or a series of integers."""
    return value[0] in (ARRAY, SERIES) and all(item[0] == INT for item in value[3])


def views_of(volume, number):
    """The views of rank NUMBER of the volume, [(rank, size)]: the arguments of the last call in its process stream."""
    rank = volume.first + number
    stream = Stream(volume, volume.processes, number)
    last = stream.last()
    if last is None:
        raise Damage("the process stream of rank %d has no call" % rank)
    name, parameters = stream.group.rows[last[0]].call_class[0]
    if name != "pilgrim_process":
        raise Damage("the process stream of rank %d ends with a call of %s" % (rank, name))
    values, printer = stream.printer(*last, rank, [])
    found = {parameter: [int(text.strip('"')) for text in printer.items(value)]
             for value, (parameter, _) in zip(values, parameters) if is_ints(value)}
    ranks, sizes = found.get("views_rank"), found.get("views_size")
    if ranks is None or sizes is None or len(ranks) != len(sizes):
        raise Damage("the views of rank %d are not two arrays of equal length" % rank)
    return list(zip(ranks, sizes))


def call_text(stream, place, terminal, rank, views):
    """What stands behind "seq":N in the call's line."""
    (name, parameters), frames, fortran = stream.group.rows[place].call_class
    items, printer = stream.printer(place, terminal, rank, views)
    values = [printer.value(item) for item in items]
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


def stream_print(volume, number, rank, thread, views, out):
    stream = Stream(volume, volume.members, number)
    known = [{} for _ in stream.parts]
    head = b'{"rank":%d,"thread":%d,"seq":' % (rank, thread)
    lines = []
    try:
        for seq, (place, terminal) in enumerate(stream.calls()):
            text = known[place].get(terminal)
            if text is None:
                if len(known[place]) >= MEMO_MAX:
                    known[place].clear()
                text = known[place][terminal] = call_text(stream, place, terminal, rank, views)
            lines.append(b"%s%d%s" % (head, seq, text))
            if len(lines) == 1000:
                out.write(b"".join(lines))
                lines.clear()
    finally:
        out.write(b"".join(lines))


def rank_print(volume, number, out):
    first, end = volume.threads.value(number), volume.threads.value(number + 1)
    if first < end:
        views = views_of(volume, number)
        for thread in range(first, end):
            stream_print(volume, thread, volume.first + number, thread - first, views, out)


def next_with_threads(volume, number):
    """The first rank from NUMBER on that has threads; the number of ranks if there is none."""
    none, end = volume.threads.value(number), volume.ranks
    while number < end:
        middle = (number + end) // 2
        if volume.threads.value(middle + 1) > none:
            end = middle
        else:
            number = middle + 1
    return number


def volume_print(volume, out):
    number = next_with_threads(volume, 0)
    while number < volume.ranks:
        rank_print(volume, number, out)
        number += 1
        if number < volume.ranks and volume.threads.value(number) == volume.threads.value(number + 1):
            number = next_with_threads(volume, number)


def trace_print(trace, rank, out):
    """All calls, or those of RANK."""
    for volume in trace.volumes():
        if rank is None:
            volume_print(volume, out)
        elif volume.first <= rank < volume.first + volume.ranks:
            rank_print(volume, rank - volume.first, out)


def main():
    rank = int(sys.argv[2]) if len(sys.argv) == 3 and sys.argv[2].isdecimal() else None
    if len(sys.argv) != 2 and rank is None:
        print("usage: second_decoder.py TRACE [RANK]", file=sys.stderr)
        return 2
    out = sys.stdout.buffer
    try:
        with open(sys.argv[1], "rb") as file:
            data = file.read()
        trace_print(Trace(data), rank, out)
        out.flush()
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
