"""The times of calls, from docs/FORMAT.md alone (section 6, "The times of each call")."""
from second_parts import Cursor, Damage

TIME_END = 1 << 63
BINS, EXACT = 1, 2
CODE_END, CODE_FINE_END = 222, 184


class Series:
    """B_0, B_1, ... of a base; made as far as it is needed."""

    def __init__(self, base):
        self.base, self.values = base, [0, 1]

    def value(self, place):
        while place >= len(self.values):
            last = self.values[-1]
            self.values.append(max(last + 1, last * (1000000 + self.base) // 1000000))
            if self.values[-1] >= TIME_END:
                raise Damage("a bin %d that the series does not have" % place)
        return self.values[place]


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
    """What one section says, from `calls` on. place_end: of the thread's places of classes."""

    def __init__(self, c, place_end):
        self.calls, self.end, self.kind = c.varint(), c.varint(), c.u8()
        if not self.calls or self.end >= TIME_END or self.kind not in (BINS, EXACT):
            raise Damage("%d calls, times of kind %d, from %d on" % (self.calls, self.kind, self.end))
        bases = self.bases_read(c) if self.kind == BINS else []
        self.columns = {}
        classes, place = [], -1
        for _ in range(c.count()):
            place += 1 + c.varint()
            calls = c.varint()
            series, widths = bases[c.index(len(bases), "base")] if bases else None, (1, 1)
            highs = (0, 0)
            if bases:
                widths = c.u8(), c.u8()
            else:
                highs = c.varint(), c.varint()
            if place >= place_end or not calls or not all(1 <= width <= 3 for width in widths):
                raise Damage("place %d of %d, %d calls, widths of %d and %d" % (place, place_end, calls, *widths))
            if max(highs) > calls:
                raise Damage("%d and %d high codes of %d" % (*highs, calls))
            classes.append((place, calls, series, widths, highs))
        if sum(calls for _, calls, *_ in classes) != self.calls:
            raise Damage("classes that have not %d calls together" % self.calls)
        found = [[self.column_read(c, calls, widths[which], series) for _, calls, series, widths, _ in classes] for which in (0, 1)]
        for (place, *_, highs), gaps, durations in zip(classes, *found):
            codes = (Codes(gaps, highs[0]), Codes(durations, highs[1]))
            self.columns[place] = zip(gaps, durations) if bases else codes
        self.after_long = False
        self.bits = self.bits_read(c, found) if self.kind == EXACT else None
        c.end()

    @staticmethod
    def bases_read(c):
        bases = [c.varint() for _ in range(c.count())]
        if not 1 <= len(bases) <= 64 or not all(100 <= base <= 10 ** 9 for base in bases):
            raise Damage("bases %r" % bases)
        return [Series(base) for base in bases]

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

    def times(self, place):
        """Gap and duration of the next call."""
        if place not in self.columns:
            raise Damage("no call of the class at place %d" % place)
        if self.kind == EXACT:
            gaps, durations = self.columns[place]
            return self.time_exact(gaps), self.time_exact(durations)
        found = next(self.columns[place], None)
        if found is None:
            raise Damage("no further call of the class at place %d" % place)
        return found

    def next(self, place):
        """Start and end of the next call."""
        gap, duration = self.times(place)
        start = self.end + gap
        end = start + duration
        if end >= TIME_END:
            raise Damage("a time of 2^63 or more")
        self.end = end
        return start, end


class ThreadTimes:
    """Those of a thread's calls, asked for in their order. report: called with the damage of a section; its calls have no times."""

    def __init__(self, sections, report):
        self.sections, self.report = list(reversed(sections)), report
        self.block = self.last = None

    def take(self, seq, first_of_round, place, place_end):
        """(start, end) of call SEQ, whose round has calls from FIRST_OF_ROUND on; None: not known."""
        while self.sections and self.sections[-1].first <= seq:
            self.last, self.block = self.sections.pop(), None
            self.try_section(lambda: self.begin(place_end))
        if self.block is None or seq >= self.last.end:
            return None
        if self.last.first < first_of_round:
            self.try_section(self.two_rounds)
            return None
        return self.try_section(lambda: self.block.next(place))

    def try_section(self, do):
        try:
            return do()
        except Damage as damage:
            self.report(self.last.damage(damage))
            self.block = None
            return None

    def begin(self, place_end):
        self.block = Block(Cursor(self.last.content, self.last.at), place_end)

    @staticmethod
    def two_rounds():
        raise Damage("of calls of two rounds")


class TimesSection:
    """Of calls from `first` up to `end` of a thread."""

    def __init__(self, section):
        self.section = section
        try:
            self.content = section.content()
            c = Cursor(self.content)
            self.owner, self.first = (c.varint(), c.varint()), c.varint()
            self.at = c.at
            calls = c.varint()
            if not calls or self.first + calls >= 1 << 64:
                raise Damage("%d calls from %d on" % (calls, self.first))
            self.end = self.first + calls
        except Damage as damage:
            raise self.damage(damage)

    def damage(self, damage):
        return Damage("section times at byte %d: %s" % (self.section.start, damage))


class AllTimes:
    """The times sections of a trace, by their threads; damages: of those that have some."""

    def __init__(self):
        self.threads, self.damages = {}, []

    def add(self, section):
        try:
            found = TimesSection(section)
            those = self.threads.setdefault(found.owner, [])
            if those and found.first < those[-1].end:
                raise found.damage("of calls that another one before is of")
            those.append(found)
        except Damage as damage:
            self.damages.append(damage)

    def of(self, rank, thread):
        return ThreadTimes(self.threads.get((rank, thread), []), self.damages.append)

