# SPDX-License-Identifier: BSD-3-Clause
"""Random times of calls, random statistics, and the sections that they are stored in, with docs/FORMAT.md in hand. See random_trace.py."""
from trace_writer import counted, svarint, varint

BINS, EXACT = 1, 2


def series(base):
    """B_0, B_1, ... below 2^34."""
    found = [0, 1]
    while found[-1] < 1 << 34:
        found.append(max(found[-1] + 1, found[-1] * (10 ** 6 + base) // 10 ** 6))
    return found


class Bits:
    def __init__(self):
        self.value = self.count = 0

    def put(self, value, count):
        self.value |= value << self.count
        self.count += count

    def bytes(self):
        return self.value.to_bytes((self.count + 7) // 8, "little")


def code_of(time):
    """(code, bits): code stands for TIME without its lowest bits."""
    size = time.bit_length()
    if size < 4:
        return time, 0
    if size <= 25:
        return (size - 3) << 3 | (time >> (size - 4) & 7), size - 4
    return 159 + size - 1, size - 1


class ClassTimes:
    """A class's columns, and how its times are drawn. numbers: of gaps, of durations; high: which of them are, in exact mode; means: in
    exact mode, 16 times the mean code, about."""

    def __init__(self, dice, bases):
        self.dice, self.numbers, self.high, self.means = dice, ([], []), ([], []), [0, 0]
        self.base = dice.randrange(len(bases)) if bases else None
        self.series = bases and bases[self.base][1]

    def draw(self, which, bits, before):
        """(a time in ns, whether it is long), which is added to the column of gaps (0) or durations (1). before: whether the number
        before it was long."""
        d = self.dice
        if self.series:
            place = d.choice((0, 1, d.randrange(20), d.randrange(len(self.series))))
            self.numbers[which].append(min(place, len(self.series) - 1))
            return self.series[self.numbers[which][-1]], False
        time = d.choice((0, d.randrange(10), d.randrange(1 << d.randint(1, 50))))
        code, more = code_of(time)
        self.numbers[which].append(code)
        self.high[which].append(before)
        bits.put(time & ((1 << more) - 1), more)
        mean = self.means[which] or 16 * code
        self.means[which] = mean + code - (mean >> 4)
        return time, 16 * code > mean

    def column(self, which, width):
        numbers = self.numbers[which]
        if not self.series:
            return bytes(number for part in (False, True) for number, high in zip(numbers, self.high[which]) if high == part)
        return b"".join(bytes(number >> 8 * plane & 255 for number in numbers) for plane in range(width))


def encoded(dice, runs):
    """(content from `kind` on, [(start, end)]). runs: of calls, each the end before the first one, and the places of their classes."""
    kind = dice.choice((BINS, EXACT))
    bases = [(base, series(base)) for base in (dice.choice((1000, 200000, 10 ** 6, dice.randint(100, 10 ** 9)))
                                               for _ in range(dice.randint(1, 3)))] if kind == BINS else None
    classes, bits, times, now, is_long = {place: ClassTimes(dice, bases) for place in sorted(set(place for _, places in runs for place in places))}, Bits(), [], 0, False
    for begin, place in ((begin if i == 0 else None, place) for begin, places in runs for i, place in enumerate(places)):
        now = now if begin is None else begin
        gap, is_long = classes[place].draw(0, bits, is_long)
        duration, is_long = classes[place].draw(1, bits, is_long)
        times.append((now + gap, now + gap + duration))
        now = times[-1][1]
    found, columns, last = [], ([], []), -1
    for place, those in classes.items():
        widths = [dice.randint(max(1, (max(numbers).bit_length() + 7) // 8), 3) if bases else 1 for numbers in those.numbers]
        found.append(varint(place - last - 1) + varint(len(those.numbers[0]))
                     + (varint(those.base) + bytes(widths) if bases else b"".join(varint(sum(high)) for high in those.high)))
        for which in (0, 1):
            columns[which].append(those.column(which, widths[which]))
        last = place
    return (bytes([kind]) + (counted([varint(base) for base, _ in bases]) if bases else b"") + counted(found)
            + b"".join(columns[0] + columns[1]) + (b"" if bases else bits.bytes())), times


def section(dice, rank, thread, first, begin, places):
    """(content, [(start, end)]): of calls of classes at PLACES, of which the first one has number FIRST; BEGIN: the end before."""
    content, times = encoded(dice, [(begin, places)])
    return b"".join(map(varint, (rank, thread, first, len(places), begin))) + content, times


def common_section(dice, rank, threads, places):
    """(content, {thread: [(start, end)]}): of the first calls of THREADS, those of each of classes at PLACES."""
    starts = [dice.choice((0, dice.randrange(1 << 40))) for _ in threads]
    content, times = encoded(dice, [(start, places) for start in starts])
    count, calls = len(places), len(places) * len(threads)
    lists = [[value - before for value, before in zip(values, [0] + values)] for values in (threads, starts)]
    return (b"".join(map(varint, (rank, 0, 0, 0))) + counted([varint(place) for place in places]) + varint(len(threads)) +
            b"".join(map(svarint, lists[0] + lists[1])) + varint(calls) + varint(dice.randrange(9)) + content,
            {thread: times[i * count:][:count] for i, thread in enumerate(threads)})


def thread_times(dice, rank, thread, segments, common=()):
    """([(segment, content)], {number of a call: (start, end)}): some sections of a thread. segments: of each the places of its calls; common:
    start and end of the first ones of the first segment with calls, which are in another section."""
    sections, known, number, now, skip = [], dict(enumerate(common)), 0, common[-1][1] if common else 0, len(common)
    for which, places in enumerate(segments):
        at = min(skip, len(places))
        number, skip = number + at, skip - at
        while at < len(places):
            count = min(dice.choice((1, dice.randint(1, 9), 99)), len(places) - at)
            if dice.random() < 0.8:
                now += dice.randrange(1000)
                extra = dice.randint(0, 3) if which == len(segments) - 1 and at + count == len(places) else 0
                those = places[at:at + count]
                content, times = section(dice, rank, thread, number, now, those + dice.choices(those, k=extra))
                sections.append((which, content))
                known.update((number + i, time) for i, time in enumerate(times[:count]))
                now = times[-1][1]
            at += count
            number += count
    return sections, known


class Distribution:
    """Of CALLS times. figures: the buckets of the mean, of the deviation, of the shortest and the longest."""

    def __init__(self, dice, calls):
        self.dice, self.calls, self.counts = dice, calls, []
        size = min(calls, dice.randint(1, 5))
        self.first = dice.randint(0, 64 - size) if calls else 0
        self.last = self.first + size - 1
        while len(self.counts) < size:
            left = calls - sum(self.counts) - 1     # for the last bucket
            ends = len(self.counts) in (0, size - 1)
            self.counts.append(left + 1 if len(self.counts) == size - 1 else dice.randint(min(ends, left), max(left // 2, ends)))
        self.mean, self.deviation = (dice.randint(low, self.last) if calls else 0 for low in (self.first, 0))

    def place(self, bucket):
        return bytes([self.dice.randrange(min(256, 1 << bucket - 1 if bucket else 1))])


def statistics(dice, b):
    """The content of a section for what Builder B has."""
    parts, sizes, group_classes = [], [], b.table("group_classes")
    for _, process, those, _ in b.groups:
        places = [place for place, (_, body) in enumerate(those) if body is None and not process]
        for place in places:
            for _, signatures in group_classes[those[place][0]][2]:
                each = dice.randrange(2)
                parts.append(bytes([each]) if len(signatures) > 1 else b"")
                for _ in range(len(signatures) if each or len(signatures) < 2 else 1):
                    known = sorted(dice.sample([-1] + places, dice.randint(0, len(places) + 1)))
                    parts.append(counted([svarint(place - 1 - before) for before in known]))
                    sizes.append(max(len(known), 1))
    calls = [dice.choice((0, 1, 2, dice.randint(3, 999), dice.randint(1, 1 << 50))) for _ in range(sum(sizes))]
    gaps, durations, at = [Distribution(dice, count) for count in calls], [], 0
    for size in sizes:
        durations.append(Distribution(dice, sum(calls[at:at + size])))
        at += size
    every = gaps + durations
    some = [d for d in every if d.calls]
    many = [d for d in some if d.calls > 1]
    found = parts + [bytes([d.first]) for d in every] + [bytes([len(d.counts)]) for d in every]
    found += [varint(count) for d in gaps for count in d.counts] + [varint(count) for d in durations for count in d.counts[:-1]]
    found += [bytes([d.mean - d.first]) for d in many] + [bytes([d.last - d.deviation]) for d in many]
    found += [d.place(d.first) for d in some] + [d.place(d.last) for d in many]
    found += [d.place(d.mean) for d in many] + [d.place(d.deviation) for d in many]
    found += [varint(dice.randrange(b.ranks)) for _ in range(len(some) + len(many) if b.ranks > 1 else 0)]
    return b"".join(found)
