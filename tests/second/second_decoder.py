#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A second decoder of Pilgrim traces, written from docs/FORMAT.md alone.

Prints every call of TRACE, or those of RANK, as a line of JSON: what `pilgrim-decode --format=json` must print too, also with
`--clock=common` before TRACE. It shares no code with the project, so that an error in the writer and the same error in
the reader cannot hide each other. It is slower, and simpler, than the real one. Nine files, to be read beside the document;
this one is long because it is the trace as a whole: segments, groups, streams, calls.

Lines are streamed; memory is a small multiple of the file whatever its counts claim, because grammars stay grammars. Exit
status: 0 all printed, 1 damaged (what came before the damage was printed), 2 wrong use.
"""
import bisect
import itertools
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from second_clocks import Clock  # noqa: E402
from second_coded import coded_content  # noqa: E402
from second_grammar import EXPANSION_MAX, LIST, MEMO_MAX, SUMS, Column, Rules, Split  # noqa: E402
from second_names import Names, event, of_others  # noqa: E402
from second_parts import CALLS, DEFINITIONS, OLD_DEFINITIONS, PROFILE, SHARED_PROFILE, STATISTICS, TIMES, Damage, Table, shards_read  # noqa: E402
from second_profile import profile_read  # noqa: E402
from second_statistics import statistics_read  # noqa: E402
from second_times import AllTimes  # noqa: E402
from second_values import (ARRAY, INT, SERIES, TIME, RANK_BASE, Live, Name, Printer, Request, Shape, Signature, Unzipped, escape, quote,  # noqa: E402
                           real)

FRAMES_MAX = 64
OFFSETS = 1 << 64
BUILD_ID_MAX = 32
KEPT_ITEMS_MAX = 1 << 24
BEGUN_MAX = 1 << 20
BEGUN_INDICES = 4096
LOOP = "pilgrim_loop"
READING = "\0" # in a call's line, where a reading stands, or null


class Trace:
    """segments: each the shards up to the damage, by their first ranks; damage: what comes behind them has, or None; times: of the
    calls, with damages of their own. common: times are on the common axis."""

    def __init__(self, data, common=False):
        self.common = common
        sections, damage = shards_read(data)
        self.segments, self.ranks, self.damage = [], 0, None
        self.times = AllTimes()
        try:
            for those in sections:
                if CALLS in those:
                    shard = Shard(those)
                    self.shard_add(shard)
                    if not shard.damage:
                        for section in those.get(TIMES, ()):
                            self.times.add(section)
                    if shard.damage:
                        raise shard.damage
            if damage is None and self.segment_ranks() < self.ranks:
                damage = Damage("the last segment has %d of %d ranks" % (self.segment_ranks(), self.ranks))
        except Damage as found:
            damage = found
        self.damage = damage

    def segment_ranks(self):
        """How many ranks the last segment has."""
        return self.segments[-1][-1].end

    def shard_add(self, shard):
        if shard.begins_segment and not self.segments:
            raise Damage("the first shard begins another segment")
        if shard.begins_segment and self.segment_ranks() < self.ranks:
            raise Damage("a segment begins behind %d of %d ranks" % (self.segment_ranks(), self.ranks))
        shard.first = 0 if shard.begins_segment or not self.segments else self.segment_ranks()
        shard.end = shard.first + shard.ranks
        in_first = len(self.segments) < 2 and not shard.begins_segment
        if not in_first and shard.end > self.ranks:
            raise Damage("a segment of %d ranks behind one of %d" % (shard.end, self.ranks))
        if shard.begins_segment or not self.segments:
            self.segments.append([])
        self.segments[-1].append(shard)
        self.ranks = shard.end if in_first else self.ranks


class Shard:
    """Ranks from `first` up to `end`, of its segment; inside, they are counted from 0."""

    def __init__(self, sections):
        self.damage = self.statistics = self.profile = None
        definitions = sections[DEFINITIONS]
        definitions.read(self.old_definitions_read if definitions.kind == OLD_DEFINITIONS else self.definitions_read)
        sections[CALLS].read(self.calls_read, self.coded_read)
        try:
            self.profile_type = sections[PROFILE].type if PROFILE in sections else None
            for kind, read in ((STATISTICS, self.statistics_read), (PROFILE, self.profile_read)):
                if kind in sections:
                    sections[kind].read(read)
        except Damage as damage:
            self.damage = damage

    def statistics_read(self, c):
        self.statistics = statistics_read(c, self.groups, self.ranks)

    def profile_read(self, c):
        places = self.places if self.profile_type == SHARED_PROFILE else None
        self.profile = profile_read(c, self.groups, len(self.classes), self.ranks, self.profile_type != PROFILE, places)

    def definitions_read(self, c):
        self.tables_read(c, self.classes_read)

    def old_definitions_read(self, c):
        self.tables_read(c, self.old_classes_read)

    def tables_read(self, c, classes_read):
        self.class_functions = []
        self.places = []    # by class: function and call site
        self.strings = [c.line() for _ in range(c.count())]
        strings = len(self.strings)
        self.properties = [(c.index(strings, "string"), c.index(strings, "string")) for _ in range(c.count())]
        self.functions = [self.function_read(c) for _ in range(c.count())]
        self.modules = [self.module_read(c, classes_read != self.old_classes_read) for _ in range(c.count())]
        classes_read(c)
        self.shapes = [Shape(c.text(), self.strings) for _ in range(c.count())]

    def module_read(self, c, python):
        """(name of the module, function in Python or None); PYTHON: there may be such; the build-id is for those who look for the file."""
        name = escape(self.strings[c.index(len(self.strings), "string")])
        length = c.varint()
        if python and length == BUILD_ID_MAX + 1:
            return name, escape(self.strings[c.index(len(self.strings), "string")])
        if length > BUILD_ID_MAX:
            raise Damage("a build-id of more than %d bytes" % BUILD_ID_MAX)
        c.bytes(length)
        return name, None

    def classes_read(self, c):
        """[(function, frames, fortran)]; frames: the innermost first."""
        self.symbols_read(c)
        functions = [c.index(2 * len(self.functions), "function") for _ in range(c.count())]
        steps, depth = [], 0
        for _ in functions:
            dropped = c.index(depth + 1, "depth")
            added = c.index(FRAMES_MAX - depth + dropped + 1, "depth")
            depth += added - dropped
            steps.append((dropped, added))
        numbers, kinds = [], []
        for _ in range(sum(added for _, added in steps)):
            number = c.varint()
            if number > len(kinds):
                raise Damage("address %d of %d" % (number - 1, len(kinds)))
            numbers.append(number - 1 if number else len(kinds))
            if not number:
                kinds.append(None)
        symbols = Table(self.symbols, "symbol")
        kinds = [self.kind_read(c, symbols) for _ in kinds]
        self.paths_make(c, functions, steps, iter(numbers), kinds)

    def symbols_read(self, c):
        """[(module, start, name)]"""
        modules = [c.index(len(self.modules), "module") for _ in range(c.count())]
        starts = itertools.accumulate([c.svarint() for _ in modules], lambda start, d: (start + d) % OFFSETS, initial=0)
        self.symbols = list(zip(modules, itertools.islice(starts, 1, None), [c.line() for _ in modules]))
        if not all(name for _, _, name in self.symbols):
            raise Damage("a symbol without a name")
        if any(self.modules[module][1] is not None for module in modules):
            raise Damage("a symbol of a function in Python")

    def kind_read(self, c, symbols):
        """(module, symbol) of an address; None: those of its elder."""
        kind = c.varint()
        if kind == 1:
            return None
        if not kind:
            return c.index(len(self.modules), "module"), None
        symbol = symbols.at(kind - 2)
        return symbol[0], symbol

    def paths_make(self, c, functions, steps, numbers, kinds):
        self.classes, path, addresses, last = [], [], [], 0
        youngest = {}       # by the caller's address, or None: the address that was last added directly inside
        for function, (dropped, added) in zip(functions, steps):
            del path[len(path) - dropped:]
            for number in itertools.islice(numbers, added):
                caller = path[-1] if path else None
                if number == len(addresses):
                    addresses.append(self.address_read(c, kinds[number], addresses, youngest.get(caller), last))
                    last = addresses[-1][1]
                youngest[caller] = number
                path.append(number)
            frames = Frames([(self.modules[module], offset, symbol and symbol[2]) for module, offset, symbol in (addresses[i] for i in reversed(path))])
            self.classes.append((self.functions[function >> 1], frames, function & 1))
            self.class_functions.append(function >> 1)
            self.places.append((function, path[-1] + 1 if path else 0))

    @staticmethod
    def address_read(c, kind, addresses, elder, last):
        """(module, offset, symbol)"""
        if kind is None:
            if elder is None:
                raise Damage("an address without an elder")
            module, last, symbol = addresses[elder]
        else:
            module, symbol = kind
        if kind is None or not symbol:
            offset = (last + c.svarint()) % OFFSETS
        else:
            offset = symbol[1] + c.varint()
        if symbol and not symbol[1] <= offset < OFFSETS:
            raise Damage("an address that is not behind the start of its symbol")
        return module, offset, symbol

    def frame_read(self, c, module, last):
        """The frame as text, and its offset: LAST and the difference that is read."""
        offset = (last + c.svarint()) % OFFSETS
        return frame_text(self.modules[module], offset), offset

    def callers_read(self, c):
        """For each caller the frames from it to the outermost."""
        self.callers = []
        offset = 0
        for number in range(c.count()):
            frame, offset = self.frame_read(c, c.index(len(self.modules), "module"), offset)
            caller = c.index(number + 1, "caller")
            self.callers.append([frame] + (self.callers[caller - 1] if caller else []))
            if len(self.callers[-1]) >= FRAMES_MAX:
                raise Damage("%d callers, one after the other" % FRAMES_MAX)

    def old_classes_read(self, c):
        """As classes_read, of versions 5 and 6."""
        self.callers_read(c)
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
            self.class_functions.append(function >> 1)
            self.places.append((function, 0))

    @staticmethod
    def function_read(c):
        """(name, [(parameter, direction)])"""
        line = c.line()
        name, *rest = re.split(b"([,>&])", line.removesuffix(b":"))
        parameters = [(escape(parameter), {b",": 1, b">": 2, b"&": 3}[mark]) for mark, parameter in zip(rest[::2], rest[1::2])]
        if name == LOOP.encode() and line != name + b":":
            raise Damage("another declaration of %s" % LOOP)
        if not name or not all(parameter for parameter, _ in parameters):
            raise Damage("a function or a parameter without a name")
        return escape(name), parameters

    def coded_read(self, stored, raw, kind):
        return coded_content(stored, raw, [shape.for_coded_calls() for shape in self.shapes], [(number, self.functions[number][0] == LOOP) for number in self.class_functions], kind)

    def calls_read(self, c):
        self.rules = Rules(c)
        columns = Table([Column(c, self.rules) for _ in range(c.count())], "column")
        shapes = Table(self.shapes, "shape")
        signatures = Table([Signature(c, shapes, columns) for _ in range(c.count())], "signature")
        partitions = Table([Partition(c, columns) for _ in range(c.count())], "partition")
        self.ranks_at = c.at        # for those who make other traces of this one
        word = c.varint()
        self.begins_segment, self.ranks = word & 1, word >> 1
        if self.ranks < 1:
            raise Damage("no ranks")
        self.threads = columns.read(c)
        if self.threads.length not in (None, self.ranks + 1):
            raise Damage("a column of threads that is not for %d ranks" % self.ranks)
        self.threads.steps_check(0, EXPANSION_MAX, "thread")
        if self.threads.value(0) != 0:
            raise Damage("a column of threads that does not begin with 0")
        self.thread_count = self.threads.value(self.ranks)
        classes = Table(list(enumerate(self.classes)), "class")
        group_classes = Table([GroupClass(c, self.rules, classes, partitions, signatures) for _ in range(c.count())], "group class")
        self.groups = [Group(c, self.rules, group_classes, columns) for _ in range(c.count())]
        self.processes = Split([(g, g.members) for g in self.groups if g.is_process], self.ranks, "rank")
        self.members = Split([(g, g.members) for g in self.groups if not g.is_process], self.thread_count, "thread")


class Frames(list):
    """A path as texts, the innermost frame first; path: the same as (module, offset, symbol)."""

    def __init__(self, path):
        super().__init__(frame_text(module, offset) for module, offset, _ in path)
        self.path = path

    def text(self):
        """What a call's line has of functions."""
        found = [(name, python, offset, python if symbol is None else escape(function_name(symbol)))
                 for (name, python), offset, symbol in self.path]
        if all(function is None for _, _, _, function in found):
            return ""
        return ',"path":[%s]' % ",".join('{"module":%s,"%s":%d%s}' % (
            quote(name), "offset" if python is None else "line", offset, "" if function is None else ',"function":%s' % quote(function))
            for name, python, offset, function in found)


def frame_text(module, offset):
    """MODULE: (name, function in Python or None)."""
    name, python = module
    return "%s+0x%x" % (name, offset) if python is None else "%s:%d:%s" % (name, offset, python)


def function_name(symbol):
    """As the tools print it, but for names of C++."""
    found = re.fullmatch(b"__(.+?)_MOD_([^.]*).*", symbol)
    return b"::".join(found.groups()) if found else symbol[:1] + symbol[1:].split(b".")[0]


LABELS_MAX = 4096


class Partition:
    """sizes: of its value groups; size: of all; find(i): the number of the value group of member I, and its position there."""

    def __init__(self, c, columns):
        count = c.varint()
        if not count:
            self.labels_read(c.varint(), columns.read(c))
            return
        if not 2 <= count <= c.left():
            raise Damage("a partition with %d value groups" % count)
        columns_read = [columns.read(c) for _ in range(count)]
        self.sizes = [column.size() for column in columns_read]
        self.size = sum(self.sizes)
        self.find = Split(list(enumerate(columns_read)), self.size, "member").find

    def labels_read(self, count, labels):
        if count < 2 or labels.kind not in (SUMS, LIST) or labels.length > LABELS_MAX:
            raise Damage("a partition with %d labels" % count)
        found, self.sizes = [], [0] * min(count, LABELS_MAX)
        for label in map(labels.value, range(labels.length)):
            if not 0 <= label < count:
                raise Damage("label %d of %d" % (label, count))
            found.append((label, self.sizes[label]))
            self.sizes[label] += 1
        if not all(self.sizes) or count > len(self.sizes):
            raise Damage("a label that no member has")
        self.size, self.find = len(found), found.__getitem__


class ValueGroup:
    """A value group: the sequence of what its members do in their calls of a class. sizes: of its columns that have one."""

    def __init__(self, c, rules, signatures, call_class):
        self.sequence = rules.plain(c.varint())
        self.list = [signatures.read(c) for _ in range(c.count())]
        (name, parameters), _, _ = call_class
        need = 1 + sum((d & 1) + (d >> 1) for _, d in parameters)
        for signature in self.list:
            if len(signature.shape.values) != need:
                raise Damage("a shape of %d values for %s, which has %d" % (len(signature.shape.values), name, need))
            if name == LOOP and signature.shape.values[0][0] != INT:
                raise Damage("a loop with trips that are not an int")
        self.sizes = set().union(*[signature.sizes for signature in self.list])
        # Terminals are numbers in the list, in which a signature series counts as often as it has calls.
        self.starts = list(itertools.accumulate([signature.length for signature in self.list], initial=0))
        if rules.largest[self.sequence] >= self.starts[-1]:
            raise Damage("a sequence with signature %d of %d" % (rules.largest[self.sequence], self.starts[-1]))
        self.calls = rules.lengths[self.sequence]

    def signature(self, terminal):
        """(signature, element of its signature series)"""
        k = bisect.bisect_right(self.starts, terminal) - 1
        return self.list[k], terminal - self.starts[k]


class GroupClass:
    """A class and its values, or a loop and its trips: the value groups of a partition, or the one value group of all members."""

    def __init__(self, c, rules, classes, partitions, signatures):
        self.class_number, self.call_class = classes.read(c)
        self.begins = ("request", 2) in self.call_class[0][1]
        self.is_loop = self.call_class[0][0] == LOOP
        which = c.varint()
        self.partition = partitions.at(which - 1) if which else None
        self.value_groups = [ValueGroup(c, rules, signatures, self.call_class) for _ in (self.partition.sizes if which else [0])]

    def check(self, members, calls):
        """That a group of MEMBERS, with CALLS of this class, may have this group class. None: each member has its own number."""
        if self.partition and self.partition.size != members:
            raise Damage("a partition of %d for a group of %d" % (self.partition.size, members))
        for value_group, size in zip(self.value_groups, self.partition.sizes if self.partition else [members]):
            if not value_group.sizes <= {size}:
                raise Damage("a column that is not as long as its value group, %d" % size)
            if calls is not None and value_group.calls != calls:
                raise Damage("values of %d calls for %d" % (value_group.calls, calls))


class Group:
    """A structure group. bodies: by the class index of a loop."""

    def __init__(self, c, rules, group_classes, columns):
        word = c.varint()
        self.is_process, self.sequence = word & 1, rules.plain(word >> 1)
        self.group_classes, self.bodies = [], {}
        for class_index in range(c.count()):
            self.group_classes.append(group_classes.read(c))
            if self.group_classes[-1].is_loop:
                self.bodies[class_index] = rules.plain(c.varint())
        self.has_posted = any(s.shape.has_posted for group_class in self.group_classes for value_group in group_class.value_groups for s in value_group.list)
        self.follows = any(s.shape.follows for group_class in self.group_classes for value_group in group_class.value_groups for s in value_group.list)
        self.members = columns.read(c)
        self.bodies_check(rules)
        counts = [None] * len(self.group_classes) if self.bodies else rules.counts(self.sequence, len(self.group_classes))
        for group_class, calls in zip(self.group_classes, counts):
            group_class.check(self.members.size(), calls)

    def bodies_check(self, rules):
        if self.bodies and self.is_process:
            raise Damage("a process stream with a loop")
        for sequence in (self.sequence, *self.bodies.values()):
            if rules.largest[sequence] >= len(self.group_classes):
                raise Damage("a sequence with class index %d of %d" % (rules.largest[sequence], len(self.group_classes)))
        loops = list(self.bodies)
        for number, (class_index, body) in enumerate(self.bodies.items()):
            if not rules.lengths[body]:
                raise Damage("a loop without a body")
            for first, end, _ in rules.runs(body):
                other = max(number, bisect.bisect_left(loops, first))  # the first loop from this one on that may stand there
                if other < len(loops) and loops[other] < end:
                    raise Damage("loop %d in the body of loop %d" % (loops[other], class_index))


class Stream:
    """One stream's calls: for each class, its value group, and the position in that. rank, rank_bases: of the process.
    registers: what its calls have kept, each the texts of an array's items; None: something else. begun: by their requests, of the
    calls that began an operation (source, tag, count)."""

    def __init__(self, shard, split, number, rank, rank_bases, thread=0):
        self.rules, self.rank, self.rank_bases, self.registers, self.kept_items = shard.rules, rank, rank_bases, {}, 0
        self.begun, self.live = {}, Live()
        self.group, member = split.find(number)
        self.value_groups = []
        for group_class in self.group.group_classes:
            number, position = group_class.partition.find(member) if group_class.partition else (0, member)
            self.value_groups.append((group_class.value_groups[number], position))
        self.unzipped, self.known = {}, [{} for _ in self.value_groups]
        called = [not group_class.is_loop and self.rules.lengths[value_group.sequence] > 0
                  for group_class, (value_group, _) in zip(self.group.group_classes, self.value_groups)]
        self.own_numbers = list(itertools.accumulate(called[:-1], initial=thread << 16))[:len(called)]

    def calls(self):
        """(class index, terminal of its values) of every call."""
        values = [self.rules.terminals(value_group.sequence) for value_group, _ in self.value_groups]
        if self.group.bodies:
            yield from self.loops_unrolled(values)
            return
        for class_index in self.rules.terminals(self.group.sequence):
            yield class_index, next(values[class_index])

    def loops_unrolled(self, values):
        """The same. values: iterators for the terminals of each group_class."""
        stack, idle = [self.rules.terminals(self.group.sequence)], 0
        while stack:
            for class_index in stack[-1]:
                terminal = next(values[class_index], None)
                if terminal is None:
                    raise Damage("group class %d has fewer values than calls" % class_index)
                if class_index not in self.group.bodies:
                    idle = 0
                    yield class_index, terminal
                    continue
                trips = self.trips(class_index, terminal)
                idle += not trips
                if idle > len(self.value_groups):
                    raise Damage("more than %d loops without trips, one after another" % len(self.value_groups))
                if trips:
                    stack.append(self.rules.repeated(self.group.bodies[class_index], trips))
                    break
            else:
                stack.pop()
        for class_index, left in enumerate(values):
            if next(left, None) is not None:
                raise Damage("group class %d has more values than calls" % class_index)

    def trips(self, class_index, terminal):
        trips = self.known[class_index].get(terminal)
        if trips is None:
            values, printer = self.printer(class_index, terminal)
            trips = printer.slot(values[0][2])
            if trips < 0:
                raise Damage("a loop of %d trips" % trips)
            if printer.slots is None:
                self.keep(class_index, terminal, trips)
        return trips

    def keep(self, class_index, terminal, what):
        """For the next call with the same class and values."""
        if len(self.known[class_index]) >= MEMO_MAX:
            self.known[class_index].clear()
        self.known[class_index][terminal] = what

    def register_set(self, register, items):
        """items: texts; None: it is not an array."""
        self.kept_items += len(items or ()) - len(self.registers.get(register) or ())
        if self.kept_items >= KEPT_ITEMS_MAX:
            raise Damage("%d items in registers" % self.kept_items)
        self.registers[register] = items

    def last(self):
        """The last of calls() or None. Only for streams without loops."""
        length = self.rules.lengths[self.group.sequence]
        if not length:
            return None
        class_index, _ = self.rules.find(self.group.sequence, length - 1)
        sequence = self.value_groups[class_index][0].sequence
        return class_index, self.rules.find(sequence, self.rules.lengths[sequence] - 1)[0]

    def last_printer(self, class_index, terminal):
        """That of the last call."""
        value_group, position = self.value_groups[class_index]
        signature, element = value_group.signature(terminal)
        slots = None
        if signature.is_unzipped:
            slots = Unzipped(signature, position, self.rank).at(self.rules.count_of(value_group.sequence, terminal) - 1)
        return signature.shape.values, Printer(signature, element, position, self.rank, self.rank_bases, slots)

    def printer(self, class_index, terminal):
        """(values of the shape, their printer) of a call; of an unzipped signature the next."""
        unzipped = self.unzipped.get((class_index, terminal))
        if unzipped is None:
            value_group, position = self.value_groups[class_index]
            signature, element = value_group.signature(terminal)
            if not signature.is_unzipped:
                return signature.shape.values, Printer(signature, element, position, self.rank, self.rank_bases, None, self.registers,
                                                       self.begun, self.begins(class_index), self.live, class_index, self.own_numbers)
            unzipped = self.unzipped[class_index, terminal] = Unzipped(signature, position, self.rank), signature
        slots, signature = unzipped
        return signature.shape.values, Printer(signature, 0, 0, self.rank, self.rank_bases, slots.next(), self.registers, self.begun,
                                               self.begins(class_index), self.live, class_index, self.own_numbers)

    def begins(self, class_index):
        """Whether later calls may ask for those of this class."""
        return self.group.has_posted and self.group.group_classes[class_index].begins

    def text(self, class_index, terminal):
        """What stands behind "seq":N in the call's line."""
        text, begun, told = self.known[class_index].get(terminal, (None, None, None))
        if text is None:
            values, printer = self.printer(class_index, terminal)
            text, begun, told = call_text(self.group.group_classes[class_index].call_class, values, printer)
            for register, items in printer.kept.items():
                self.register_set(register, items)
            shape = printer.signature.shape
            if printer.slots is None and not shape.has_registers and not shape.has_posted and not shape.follows:
                self.keep(class_index, terminal, (text, begun, told))
        if self.group.follows:
            for pair in told[0]:
                self.live.end(pair)
            for pair in told[1]:
                self.live.begin(pair)
        if begun and self.group.has_posted and begun[0].pair[1] < BEGUN_INDICES:
            self.begun[begun[0]] = begun[1]
            if len(self.begun) >= BEGUN_MAX:
                raise Damage("%d requests" % len(self.begun))
        return text


def is_ints(value):
    """Whether VALUE is an array or a series of integers."""
    return value[0] in (ARRAY, SERIES) and all(item[0] == INT for item in value[3])


def process_stream(shards, rank):
    """(Stream, its last call) of the process stream of RANK that counts, the last one with calls; of those in SHARDS."""
    for shard in reversed(shards):
        stream = Stream(shard, shard.processes, rank - shard.first, rank, [])
        last = stream.last()
        if last is not None:
            return stream, last
    raise Damage("the process streams of rank %d have no call" % rank)


def process_arrays(shards, rank):
    """{parameter: ints} of the last call in the process stream of RANK, those that are arrays of ints. shards: those with the rank."""
    stream, last = process_stream(shards, rank)
    name, parameters = stream.group.group_classes[last[0]].call_class[0]
    if name != "pilgrim_process":
        raise Damage("the process stream of rank %d ends with a call of %s" % (rank, name))
    values, printer = stream.last_printer(*last)
    return {parameter: [int(text.strip('"')) for text in printer.items(value)]
            for value, (parameter, _) in zip(values, parameters) if is_ints(value)}


def rank_bases_of(found, rank):
    """The rank bases of RANK, [(rank, size)]. found: its process_arrays."""
    ranks, sizes = found.get("views_rank"), found.get("views_size")
    if ranks is None or sizes is None or len(ranks) != len(sizes):
        raise Damage("the rank bases of rank %d are not two arrays of equal length" % rank)
    return list(zip(ranks, sizes))


def begun_by(parameters, ins, outs):
    """(request, (source, tag, count)) of a call that gives a request out; None of another."""
    names = [parameter for parameter, _ in parameters]
    found = [outs[i][0] for i, parameter in enumerate(parameters) if parameter == ("request", 2)]
    if not found or not isinstance(found[-1], Request):
        return None
    return found[-1], tuple(ins[names.index(name)][0] if name in names and names.index(name) in ins else None
                            for name in ("source", "tag", "count"))


def live_told(parameters, ins, outs):
    """What a call says of requests: ([those that end], [the one that begins])."""
    begun = [outs[i][0] for i, parameter in enumerate(parameters) if parameter == ("request", 2)][-1:]
    inout = [i for i, parameter in enumerate(parameters) if parameter in (("request", 3), ("array_of_requests", 3))][-1:]
    ended = []
    for i in inout:
        (text, items), (after, items_after) = ins[i], outs[i]
        if items is None or items_after is None:
            items, items_after = [text], [after]
        ended += [a.pair for a, b in zip(items, items_after) if isinstance(a, Request) and isinstance(b, Name)]
    return ended, [request.pair for request in begun if isinstance(request, Request)]


def call_text(call_class, shape, printer):
    """What stands behind "seq":N in a call's line, and what others may ask for; what it says of requests. shape: its values."""
    (name, parameters), frames, fortran = call_class
    values = iter(shape)
    ins = {i: printer.parameter(next(values), None) for i, (_, direction) in enumerate(parameters) if direction & 1}
    requests = ([text] if items is None else items for text, items in ins.values())
    printer.requests = next((items for items in requests if Request in set(map(type, items))), None)
    outs = {i: printer.parameter(next(values), ins.get(i, (None, None))[1])
            for i, (_, direction) in enumerate(parameters) if direction & 2}
    printer.complete(outs)
    printer.requests = None
    returned = next(values)
    result = printer.value(returned)
    while returned[0] == RANK_BASE:
        returned = returned[3][0]
    result = READING if returned[0] == TIME else result
    arguments = []
    for i, (parameter, direction) in enumerate(parameters):
        found = [those[i] for those in (ins, outs) if i in those]
        texts = [text if items is None else "[" + ",".join(items) + "]" for text, items in found]
        arguments.append('"%s":%s' % (parameter, texts[0] if direction != 3 else '{"in":%s,"out":%s}' % tuple(texts)))
    language = ',"lang":"fortran"' if fortran else ""
    text = ',"func":"%s"%s,"args":{%s},"ret":%s' % (name, language, ",".join(arguments), result)
    if frames:
        text += ',"site":"%s"' % frames[0]
    if len(frames) > 1:
        text += ',"stack":[%s]' % ",".join([quote(frame) for frame in frames[1:]])
    if isinstance(frames, Frames):
        text += frames.text()
    begun = begun_by(parameters, ins, outs) if printer.is_typed else None
    return (text + "}\n").encode(), begun, live_told(parameters, ins, outs)


def clock_of(found, rank):
    """Where the clock of RANK stands. found: its process_arrays."""
    clock = Clock(found.get("clock"))
    if clock.ints is None:
        raise Damage("it is not known where the clock of rank %d stands" % rank)
    return clock


def thread_calls(shards, rank, thread, rank_bases, times, clock, names):
    """(N, what stands behind "seq":N) of each of the thread's calls, segment by segment. shards: those with the rank, one a segment."""
    seq = 0
    for shard in shards:
        first, end = (shard.threads.value(rank - shard.first + more) for more in (0, 1))
        if thread < end - first:
            stream = Stream(shard, shard.members, first + thread, rank, rank_bases, thread)
            first_of_segment = seq
            for class_index, terminal in stream.calls():
                text = stream.text(class_index, terminal)
                found = times.take(seq, first_of_segment, class_index, len(stream.group.group_classes))
                reading = "null"
                if found:
                    start, end, bits = found
                    reading = reading if bits is None else real(bits)
                    found = [clock.common(time) for time in (start, end)] if clock else (start, end)
                text = text.replace(READING.encode(), reading.encode())
                text = text[:-2] + names.member(text)
                yield seq, text + b"}\n" if found is None else b'%s,"start":%d,"end":%d}\n' % (text, *found)
                seq += 1


def thread_print(shards, rank, thread, rank_bases, times, clock, names, out):
    head = b'{"rank":%d,"thread":%d,"seq":' % (rank, thread)
    lines = []
    try:
        for seq, text in thread_calls(shards, rank, thread, rank_bases, times, clock, names):
            lines.append(b"%s%d%s" % (head, seq, text))
            if len(lines) == 1000:
                out.write(b"".join(lines))
                lines.clear()
    finally:
        out.write(b"".join(lines))


def thread_counts(trace, rank):
    """The shards with RANK, and how many threads it has in each."""
    shards = [shard for shards in trace.segments for shard in [shard_with(shards, rank)] if shard]
    return shards, [shard.threads.value(rank - shard.first + 1) - shard.threads.value(rank - shard.first) for shard in shards]


def thread_count(trace, rank):
    return max(thread_counts(trace, rank)[1], default=0) if 0 <= rank < trace.ranks else 0


def namings(shards, rank, rank_bases, thread):
    """(thread, object, name) of the thread's calls that name an object or end it, up to the first that is damaged."""
    found = []
    try:
        for shard in shards:
            first, end = (shard.threads.value(rank - shard.first + more) for more in (0, 1))
            if thread < end - first:
                stream = Stream(shard, shard.members, first + thread, rank, rank_bases, thread)
                for class_index, terminal in stream.calls():
                    named = event(stream.text(class_index, terminal))
                    if named:
                        found.append((thread, *named))
    except Damage:
        pass
    return found


def rank_print(trace, rank, out):
    shards, counts = thread_counts(trace, rank)
    if any(counts):
        found = process_arrays(shards, rank)
        rank_bases, clock = rank_bases_of(found, rank), clock_of(found, rank) if trace.common else None
        threads = range(max(counts))
        events = [found for thread in threads for found in namings(shards, rank, rank_bases, thread)] if len(threads) > 1 else []
        for thread in threads:
            names = Names(of_others(events, thread))
            thread_print(shards, rank, thread, rank_bases, trace.times.of(rank, thread), clock, names, out)


def shard_with(shards, rank):
    """The one with RANK; None: the segment has no such rank."""
    number = bisect.bisect_right([shard.first for shard in shards], rank) - 1
    return shards[number] if rank < shards[number].end else None


def next_in_shard(shard, number):
    """The first rank from NUMBER on that has threads; the number of ranks if there is none."""
    none, end = shard.threads.value(number), shard.ranks
    if number < end and shard.threads.value(number + 1) > none:
        return number
    while number < end:
        middle = (number + end) // 2
        if shard.threads.value(middle + 1) > none:
            end = middle
        else:
            number = middle + 1
    return number


def next_with_threads(trace, rank):
    """The first rank from RANK on that has threads in some segment; the number of ranks if there is none."""
    found = trace.ranks
    for shards in trace.segments:
        for shard in shards:
            if rank < shard.end and shard.first < found:
                number = next_in_shard(shard, max(rank - shard.first, 0))
                if number < shard.ranks:
                    found = min(found, shard.first + number)
                    break
    return found


def trace_print(trace, rank, out):
    """All calls, or those of RANK; then raises the damage, if there is some."""
    if rank is None:
        rank = next_with_threads(trace, 0)
        while rank < trace.ranks:
            rank_print(trace, rank, out)
            rank = next_with_threads(trace, rank + 1)
    elif rank < trace.ranks:
        rank_print(trace, rank, out)
    damages = trace.times.damages + [damage for (owner, thread), damage in trace.times.overlaps if 0 <= thread < thread_count(trace, owner)]
    if trace.damage or damages:
        raise trace.damage or damages[0]


def main(words):
    """WORDS: of the command line. The exit status."""
    common = words[:1] == ["--clock=common"]
    words = words[common:]
    rank = int(words[1]) if len(words) == 2 and words[1].isdecimal() else None
    if len(words) != 1 and rank is None:
        print("usage: second_decoder.py [--clock=common] TRACE [RANK]", file=sys.stderr)
        return 2
    out = sys.stdout.buffer
    try:
        with open(words[0], "rb") as file:
            data = file.read()
        trace_print(Trace(data, common), rank, out)
        out.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except (Damage, OSError) as error:
        out.flush()
        print("second_decoder: %s: %s" % (words[0], error), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
