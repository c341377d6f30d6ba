# SPDX-License-Identifier: BSD-3-Clause
"""The times of calls, from docs/FORMAT.md alone (section 6, "The times of each call")."""
import struct

from second_parts import Cursor, Damage, wrap

TIME_END = 1 << 63
BINS, EXACT, READS = 1, 2, 2
READING_NS_END, READING_BITS_END = 1 << 62, 1055 << 52 # the double 2^32
CODE_END, CODE_FINE_END = 222, 184
COMMON_MAX = 4096  # calls of several threads in a section


class Series:
    """B_0, B_1, ... of a base; made as far as it is needed."""

    def __init__(self, base):
        self.base, self.values = base, [0, 1]

    def value(self, bin_index):
        while bin_index >= len(self.values):
            last = self.values[-1]
            self.values.append(max(last + 1, last * (1000000 + self.base) // 1000000))
            if self.values[-1] >= TIME_END:
                raise Damage("a bin %d that the series does not have" % bin_index)
        return self.values[bin_index]


class Bits:
    def __init__(self, data):
        self.data, self.at, self.held, self.count = data, 0, 0, 0

    def take(self, count):
        while self.count < count:
            self.held |= self.data[self.at] << self.count
            self.at += 1
            self.count += 8
        value = self.held & ((1 << count) - 1)
        self.held >>= count
        self.count -= count
        return value


def code_bits(code):
    if code < 8:
        return 0
    return (code >> 3) - 1 if code < CODE_FINE_END else code - 159


def code_base(code):
    """The number without its bits."""
    if code < 8:
        return code
    return (8 + (code & 7) if code < CODE_FINE_END else 1) << code_bits(code)


class Codes:
    """The codes of a class's gaps or durations: low ones and high ones."""

    def __init__(self, column, high):
        self.parts, self.m = (iter(column[:len(column) - high]), iter(column[len(column) - high:])), 0

    def next(self, after_long):
        """(the next one, whether it is long)"""
        code = next(self.parts[after_long], None)
        if code is None:
            raise Damage("no further call of its class")
        m = self.m or 16 * code
        self.m = m + code - (m >> 4)
        return code, 16 * code > m


class Block:
    """What one section says, from `calls` on. class_index_end: of the thread's class indices."""

    def __init__(self, c, class_index_end):
        self.calls, self.end, self.kind = c.varint(), c.varint(), c.u8()
        reads = self.kind > READS
        self.kind -= READS * reads
        if not self.calls or self.end >= TIME_END or self.kind not in (BINS, EXACT):
            raise Damage("%d calls, times of kind %d, from %d on" % (self.calls, self.kind, self.end))
        bases = self.bases_read(c) if self.kind == BINS else []
        self.columns = {}
        classes, class_index = [], -1
        for _ in range(c.count()):
            class_index += 1 + c.varint()
            calls = c.varint()
            series, widths = bases[c.index(len(bases), "base")] if bases else None, (1, 1)
            highs = (0, 0)
            if bases:
                widths = c.u8(), c.u8()
            else:
                highs = c.varint(), c.varint()
            if class_index >= class_index_end or not calls or not all(1 <= width <= 3 for width in widths):
                raise Damage("class index %d of %d, %d calls, widths of %d and %d" % (class_index, class_index_end, calls, *widths))
            if max(highs) > calls:
                raise Damage("%d and %d high codes of %d" % (*highs, calls))
            classes.append((class_index, calls, series, widths, highs))
        if sum(calls for _, calls, *_ in classes) != self.calls:
            raise Damage("classes that have not %d calls together" % self.calls)
        readers = self.readers_read(c, len(classes)) if reads else {}
        self.anchors = self.anchors_read(c) if reads and bases else []
        self.distance, self.reading_number = 0, 0
        found = [[self.column_read(c, calls, widths[which], series) for _, calls, series, widths, _ in classes] for which in (0, 1)]
        told = [[self.column_read(c, classes[number][1], width, classes[number][2]) for number, width in readers.items()]
                for _ in range(1 if bases else 2)] if reads else []
        self.readings = {classes[number][0]: zip(*columns) for number, *columns in zip(readers, *told)}
        for (class_index, *_, highs), gaps, durations in zip(classes, *found):
            codes = (Codes(gaps, highs[0]), Codes(durations, highs[1]))
            self.columns[class_index] = zip(gaps, durations) if bases else codes
        self.after_long = False
        self.bits = self.bits_read(c, found + told) if self.kind == EXACT else None
        c.end()

    @staticmethod
    def bases_read(c):
        bases = [c.varint() for _ in range(c.count())]
        if not 1 <= len(bases) <= 64 or not all(100 <= base <= 10 ** 9 for base in bases):
            raise Damage("bases %r" % bases)
        return [Series(base) for base in bases]

    def readers_read(self, c, class_count):
        """{number of a class: the width of its readings}"""
        found, last = {}, -1
        for _ in range(c.count()):
            last += 1 + c.varint()
            found[last] = c.u8() if self.kind == BINS else 1
        if not found or last >= class_count or not all(1 <= width <= 3 for width in found.values()):
            raise Damage("readings of classes %r of %d" % (found, class_count))
        return found

    def anchors_read(self, c):
        """[(the reading that it begins with, ns)]"""
        found = []
        for number in range(c.count()):
            more, change = c.varint(), c.svarint()
            if (number == 0) != (more == 0):
                raise Damage("anchor %d, %d readings behind the one before" % (number, more))
            last = found[-1] if found else (0, 0)
            found.append((last[0] + more, last[1] + change))
        if not found or found[-1][0] >= self.calls:
            raise Damage("%d anchors, or one behind the last call" % len(found))
        return found

    @staticmethod
    def column_read(c, calls, width, series):
        planes = [c.bytes(calls) for _ in range(width)]
        numbers = [sum(byte << 8 * i for i, byte in enumerate(those)) for those in zip(*planes)]
        if series:
            series.value(max(numbers))
            return [series.values[number] for number in numbers]
        if max(numbers) >= CODE_END:
            raise Damage("code %d" % max(numbers))
        return numbers

    @staticmethod
    def bits_read(c, columns):
        count = sum(code_bits(code) for those in columns for column in those for code in column)
        data = c.bytes((count + 7) // 8)
        if count % 8 and data[-1] >> count % 8:
            raise Damage("bits left over that are not 0")
        return Bits(data)

    def time_exact(self, codes):
        code, self.after_long = codes.next(self.after_long)
        return code_base(code) + self.bits.take(code_bits(code))

    def times(self, class_index):
        """Gap and duration of the next call."""
        if class_index not in self.columns:
            raise Damage("no call of the class at class index %d" % class_index)
        if self.kind == EXACT:
            gaps, durations = self.columns[class_index]
            return self.time_exact(gaps), self.time_exact(durations)
        found = next(self.columns[class_index], None)
        if found is None:
            raise Damage("no further call of the class at class index %d" % class_index)
        return found

    def svarint(self, code):
        number = code_base(code) + self.bits.take(code_bits(code))
        return (number >> 1) ^ -(number & 1)

    def reading(self, class_index, start):
        """The bits of the next call's reading."""
        numbers, correction = next(self.readings[class_index]), 0
        if self.kind == EXACT:
            self.distance = wrap(self.distance + self.svarint(numbers[0]))
            ns, correction = wrap(start + self.distance), self.svarint(numbers[1])
        else:
            while self.anchors and self.anchors[0][0] <= self.reading_number:
                self.distance = wrap(self.anchors.pop(0)[1])
            self.reading_number += 1
            ns = max(0, wrap(start + numbers[0] + self.distance))
        if not 0 <= ns < READING_NS_END:
            raise Damage("a reading of %d ns" % ns)
        bits = struct.unpack("<q", struct.pack("<d", float(ns) / 1e9))[0] + correction
        if not 0 <= bits < READING_BITS_END:
            raise Damage("a reading with the bits %d" % bits)
        return bits

    def next(self, class_index):
        """Start and end of the next call, and its reading, or None."""
        gap, duration = self.times(class_index)
        start = self.end + gap
        end = start + duration
        if end >= TIME_END:
            raise Damage("a time of 2^63 or more")
        self.end = end
        return start, end, self.reading(class_index, start) if class_index in self.readings else None


class ThreadTimes:
    """Those of a thread's calls, asked for in their order. report: called with the damage of a section; its calls have no times."""

    def __init__(self, sections, report):
        self.sections, self.report = list(reversed(sections)), report
        self.block = self.last = None

    def take(self, seq, first_of_segment, class_index, class_index_end):
        """(start, end) of call SEQ, whose segment has calls from FIRST_OF_SEGMENT on; None: not known."""
        while self.sections and self.sections[-1].first <= seq:
            self.last, self.block = self.sections.pop(), None
            self.try_section(lambda: self.begin(class_index_end))
        if self.block is None or seq >= self.last.end:
            return None
        if self.last.first < first_of_segment:
            self.try_section(self.two_segments)
            return None
        return self.try_section(lambda: self.next(seq, class_index))

    def next(self, seq, class_index):
        if self.last.common and self.last.common.order[seq] != class_index:
            raise Damage("call %d of the class at class index %d, not %d" % (seq, self.last.common.order[seq], class_index))
        return self.block.next(class_index)

    def try_section(self, do):
        try:
            return do()
        except Damage as damage:
            self.report(self.last.damage(damage))
            self.block = None
            return None

    def begin(self, class_index_end):
        self.block = Block(Cursor(self.last.content, self.last.at), class_index_end)
        if self.last.common:
            self.last.common.pass_threads(self.block, self.last.number)

    @staticmethod
    def two_segments():
        raise Damage("of calls of two segments")


class CommonTimes:
    """What a section of several threads begins with, behind the 0 where `calls` stands."""

    def __init__(self, c):
        self.order = [c.varint() for _ in range(c.count())]
        count, number, start = c.count(), 0, 0
        self.threads, self.starts = [], []
        for _ in range(count):
            number = wrap(number + c.svarint())
            self.threads.append(number)
        for _ in range(count):
            start = wrap(start + c.svarint())
            self.starts.append(start)
        if not 1 <= len(self.order) * count <= COMMON_MAX:
            raise Damage("%d calls of %d threads" % (len(self.order), count))

    def pass_threads(self, block, number):
        """Up to the calls of that thread, from 0 on, in the section."""
        if block.calls != len(self.order) * len(self.threads):
            raise Damage("%d calls, not %d of %d threads" % (block.calls, len(self.order), len(self.threads)))
        for i, start in enumerate(self.starts[:number + 1]):
            if start < 0:
                raise Damage("a thread's calls begin at %d" % start)
            block.end = start
            if i < number:
                for class_index in self.order:
                    block.next(class_index)


class TimesSection:
    """Of calls from `first` up to `end` of a thread. common: None, or what it has in common with others, among which it has a number."""

    def __init__(self, section, content, owner, first, calls, at, common=None, number=0):
        if not calls or first + calls >= 1 << 64:
            raise Damage("%d calls from %d on" % (calls, first))
        self.section, self.content, self.owner, self.first, self.end, self.at = section, content, owner, first, first + calls, at
        self.common, self.number = common, number

    def damage(self, damage):
        return section_damage(self.section, damage)


def section_damage(section, damage):
    return Damage("section times at byte %d: %s" % (section.start, damage))


def section_threads(section):
    """What a times section has, for each of its threads."""
    content = section.content()
    c = Cursor(content)
    rank, thread, first = c.varint(), c.varint(), c.varint()
    at = c.at
    calls = c.varint()
    if calls or thread or first:
        return [TimesSection(section, content, (rank, thread), first, calls, at)]
    common = CommonTimes(c)
    return [TimesSection(section, content, (rank, those), 0, len(common.order), c.at, common, number)
            for number, those in enumerate(common.threads)]


class AllTimes:
    """The times sections of a trace, by their threads; damages: of those that have some."""

    def __init__(self):
        self.threads, self.damages = {}, []
        self.overlaps = []  # (rank, thread) and damage: none if there is no such thread

    def add(self, section):
        try:
            sections = section_threads(section)
        except Damage as damage:
            self.damages.append(section_damage(section, damage))
            return
        for found in sections:
            those = self.threads.setdefault(found.owner, [])
            if those and found.first < those[-1].end:
                self.overlaps.append((found.owner, found.damage("of calls that another one before is of")))
            else:
                those.append(found)

    def of(self, rank, thread):
        return ThreadTimes(self.threads.get((rank, thread), []), self.damages.append)

