# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the second decoder: times of calls. What is right is read, and each thing that docs/FORMAT.md calls damage is found, and
takes the times of its section with it, and nothing else.
"""
import re
import unittest

import second_parts as parts
from second_selftest import calls, decode, definitions, expected, trace
from trace_writer import counted, section, svarint, varint

# 3 ranks with a thread each, which has 7 calls: 6 of the class at class index 0, one of that at class index 1. See second_selftest.py.
BINS, EXACT = 1, 2


def head(kind, number, begin=1000, rank=1, first=2, thread=0):
    return b"".join(map(varint, (rank, thread, first, number, begin))) + bytes([kind])


def exact_class(skipped, number, *high):
    return varint(skipped) + varint(number) + b"".join(map(varint, high))


def exact(**changes):
    """Of calls 2, 3 and 4 of rank 1. Gaps of 0, 3, 9 ns, durations of 5, 23, 0. 23 is long, and so is 9: what follows them is high."""
    found = {"head": head(EXACT, 3), "classes": counted([exact_class(0, 3, 1, 1)]), "gaps": bytes((0, 3, 9)),
             "durations": bytes((5, 19, 0)), "bits": b"\1"}
    return b"".join({**found, **changes}.values())


def exact_read(readers=counted([varint(0)]), told=bytes((8, 1, 2)), corrections=bytes(3), bits=b"\1"):
    """The same with readings 4 ns behind the first start, then 3, then 4."""
    return (head(EXACT + 2, 3) + counted([exact_class(0, 3, 1, 1)]) + readers + bytes((0, 3, 9)) + bytes((5, 19, 0)) + told + corrections +
            bits)


def common(order=(0, 0, 0), threads=(0,), starts=(1000,), number=3, beginning=(1, 0, 0, 0), behind=b""):
    """The calls of exact(), as those of several threads of rank 1. threads, starts: differences."""
    return (b"".join(map(varint, beginning)) + counted([varint(place) for place in order]) + varint(len(threads)) +
            b"".join(map(svarint, threads + starts)) + exact(head=varint(number) + varint(7) + bytes([EXACT])) + behind)


EXACT_TIMES = {2: (1000, 1005), 3: (1008, 1031), 4: (1040, 1040)}


def bins(**changes):
    """Of calls 5 and 6, of two classes. B of 1.2: 0 ... 10, 12, 14, 16, 19; of 2: 0, 1, 2, 4, ... 2^62 at bin index 63."""
    found = {"head": head(BINS, 2, first=5), "bases": counted([varint(200000), varint(1000000)]),
             "classes": counted([varint(0) + varint(1) + varint(0) + bytes((1, 1)), varint(0) + varint(1) + varint(1) + bytes((2, 1))]),
             "gaps": bytes((14,)) + bytes((4, 0)), "durations": bytes((11,)) + bytes((63,))}
    return b"".join({**found, **changes}.values())


def bins_read(readers=counted([varint(0) + b"\1"]), anchors=counted([varint(0) + varint(2000)]), told=b"\3"):
    """The same with a reading of the first class."""
    return (head(BINS + 2, 2, first=5) + counted([varint(200000), varint(1000000)]) +
            counted([varint(0) + varint(1) + varint(0) + bytes((1, 1)), varint(0) + varint(1) + varint(1) + bytes((2, 1))]) + readers +
            anchors + bytes((14, 4, 0)) + bytes((11, 63)) + told)


BINS_TIMES = {5: (1019, 1031), 6: (1039, 1039 + (1 << 62))}


def timed(times, rank=1):
    lines = expected().splitlines(True)
    at = [i for i, line in enumerate(lines) if line.startswith('{"rank":%d,' % rank)]
    for number, pair in times.items():
        lines[at[number]] = re.sub("}$", ',"start":%d,"end":%d}' % pair, lines[at[number]])
    return "".join(lines)


class Times(unittest.TestCase):
    maxDiff = None

    def right(self, times, *sections):
        self.assertEqual(decode(trace(times=sections)), (timed(times), None))

    def wrong(self, message, times, *sections):
        printed, damage = decode(trace(times=sections))
        self.assertIn(message, str(damage))
        self.assertEqual(printed, timed(times))

    def test_kinds(self):
        self.right({})
        self.right(EXACT_TIMES, exact())
        self.right(BINS_TIMES, bins())
        self.right({**EXACT_TIMES, **BINS_TIMES}, exact(), bins())
        other, damage = decode(trace(times=[exact(head=head(EXACT, 3, rank=2)), bins()]))
        self.assertIsNone(damage)
        self.assertEqual(other.count('"start"'), 5)

    def test_readings(self):
        """Those of calls whose return value is no time have no meaning, but they may be damaged."""
        self.right(EXACT_TIMES, exact_read())
        self.right(BINS_TIMES, bins_read())
        for message, those in (
                ("a reading of -", exact_read(told=bytes((183, 1, 2)), bits=b"\1\0\0")),
                ("a reading with the bits", exact_read(told=bytes((8, 1, 2)), corrections=bytes((221, 0, 0)), bits=bytes(8))),
                ("readings of classes {} of 1", exact_read(readers=counted([]))),
                ("readings of classes {1: 1} of 1", exact_read(readers=counted([varint(1)]))),
                ("0 anchors", bins_read(anchors=counted([]))),
                ("2 anchors", bins_read(anchors=counted([varint(0) + varint(2), varint(2) + varint(2)]))),
                ("anchor 0, 1 readings behind", bins_read(anchors=counted([varint(1) + varint(2)]))),
                ("anchor 1, 0 readings behind", bins_read(anchors=counted([varint(0) + varint(2)] * 2))),
                ("readings of classes {0: 4} of 2", bins_read(readers=counted([varint(0) + b"\4"])))):
            with self.subTest(message):
                _, damage = decode(trace(times=[those]))
                self.assertIn(message, str(damage))

    def test_largest(self):
        """All codes' bits at once, and times up to 2^63 - 1."""
        value = (1 << 62) + 12345678901234567
        found = exact(head=head(EXACT, 1, begin=0, first=0), classes=counted([exact_class(0, 1, 0, 0)]), gaps=bytes((221,)),
                      durations=b"\0", bits=(value & ((1 << 62) - 1)).to_bytes(8, "little"))
        self.right({0: (value, value)}, found)

    def test_nobody(self):
        """Calls that are not there: other ranks, other threads, behind the last call."""
        self.right(EXACT_TIMES, exact(head=head(EXACT, 3, rank=3)), exact(head=head(EXACT, 3, thread=1)), exact(),
                   exact(head=head(EXACT, 3, first=7)), exact(head=head(EXACT, 3, first=1 << 62)))

    def test_damage(self):
        one = exact_class(0, 3, 1, 1)
        for message, those in (
                ("kind 3", exact(head=head(5, 3))), ("0 calls", exact(head=head(EXACT, 0))),
                ("from", exact(head=head(EXACT, 3, begin=1 << 63))),
                ("together", exact(classes=counted([exact_class(0, 2, 1, 1)]))),
                ("class index 2 of 2", exact(classes=counted([exact_class(2, 3, 1, 1)]))),
                ("0 calls", exact(classes=counted([one, exact_class(0, 0, 0, 0)]))),
                ("code 222", exact(gaps=bytes((0, 3, 222)))), ("high", exact(classes=counted([exact_class(0, 3, 4, 1)]))),
                ("bits left over", exact(bits=b"\3")), ("too many", exact(bits=b"\1\0")),
                ("left", exact(bits=b"")), ("left", exact(gaps=b""))):
            self.wrong(message, {}, those)
            self.wrong(message, BINS_TIMES, those, bins())
        place = varint(0) + varint(1)
        for message, those in (
                ("bases", bins(bases=counted([]))), ("bases", bins(bases=counted([varint(99), varint(100)]))),
                ("bases", bins(bases=counted([varint(200000), varint(10 ** 9 + 1)]))), ("bases", bins(bases=counted([varint(100)] * 65))),
                ("base", bins(classes=counted([place + varint(2) + bytes((1, 1)), place + varint(1) + bytes((2, 1))]))),
                ("widths", bins(classes=counted([place + varint(0) + bytes((0, 1)), place + varint(1) + bytes((2, 1))]))),
                ("widths", bins(classes=counted([place + varint(0) + bytes((1, 4)), place + varint(1) + bytes((2, 1))]))),
                ("bin 64", bins(durations=bytes((11, 64)))), ("bin 260", bins(gaps=bytes((14, 4, 1))))):
            self.wrong(message, {}, those)
            self.wrong(message, EXACT_TIMES, exact(), those)

    def test_other_calls(self):
        """A block has its times up to the call that it does not have, or that is too late."""
        self.wrong("no call", {4: (1000, 1005), 5: (1008, 1031)}, exact(head=head(EXACT, 3, first=4)))
        self.wrong("no further call", {2: (1000, 1005), 3: (1008, 1031)}, exact(classes=counted([exact_class(0, 3, 0, 1)])))
        self.wrong("2^63", {5: (1019, 1031)}, bins(gaps=bytes((14,)) + bytes((63, 0)), durations=bytes((11,)) + bytes((63,))))

    def test_several_threads(self):
        """Each thread's times begin anew; what is wrong with one takes those behind it, not those before."""
        self.right({0: (1000, 1005), 1: (1008, 1031), 2: (1040, 1040)}, common())
        self.right({0: (103, 126), **BINS_TIMES}, common((0,), (7, -7, 9), (5, 95, -97)), bins())
        self.right({0: (5, 10)}, common((0,), (0, 2, 1), (5, -6, 0)))
        self.wrong("begin at -1", {}, common((0,), (2, -2, 1), (5, -6, 0)))
        for message, those in (
                ("at class index 1", common((0, 0, 1), number=3)), ("at class index 2", common((2,), (1, -1, 3), (0, 0, 0))),
                ("at class index 1, not 0", common((1,), (0, 1, 1), (0, 0, 0))),
                ("3 calls, not 1 of 2", common((0,), (0, 1), (0, 0))),
                ("another one before", common((0,), (0, 0, 1), (0, 0, 0))), ("0 calls of 1", common(())),
                ("of 0 threads", common(threads=(), starts=())), ("2 calls of 2049", common((0, 0), (0,) * 2049, (0,) * 2049)),
                ("too many", common(behind=b"\0")), ("0 calls", common(beginning=(1, 0, 1, 0))), ("0 calls", common(beginning=(1, 1, 0, 0)))):
            with self.subTest(message):
                _, damage = decode(trace(times=[those]))
                self.assertIn(message, str(damage))
        self.wrong("another one before", {0: (1000, 1005), 1: (1008, 1031), 2: (1040, 1040)}, common(), exact())

    def test_places(self):
        """Before the end of the one before; in two segments."""
        first, again = exact(), exact(head=head(EXACT, 3, first=4, begin=0))
        self.wrong("another one before", EXACT_TIMES, first, again)
        self.wrong("another one before", EXACT_TIMES, first, first)
        self.right({**EXACT_TIMES, **BINS_TIMES}, first, bins())
        one, two, more = section(parts.DEFINITIONS, definitions()), section(2, calls()), section(2, calls(begins_segment=True))
        last = exact(head=head(EXACT, 3, first=5), classes=counted([exact_class(0, 2, 0, 0), exact_class(0, 1, 0, 0)]),
                     gaps=bytes((0, 3, 3)), durations=bytes((5, 5, 5)), bits=b"")
        printed, damage = decode(trace()[:10] + one + two + one + more + section(4, last) + section(0, b""))
        self.assertIn("two segments", str(damage))
        self.assertEqual(printed.count('"start"'), 2)

    def test_checksum(self):
        wrong = bytearray(section(4, exact()))
        wrong[-1] ^= 1
        data = trace()[:-len(section(0, b""))] + bytes(wrong) + section(4, bins()) + section(0, b"")
        printed, damage = decode(data)
        self.assertIn("checksum", str(damage))
        self.assertEqual(printed, timed(BINS_TIMES))
        for content in (b"", b"\1\0", varint(1) + varint(0) + varint((1 << 64) - 1) + varint(1)):
            self.wrong("section times", BINS_TIMES, content, bins())

    def test_place_in_file(self):
        """Behind the sections of a shard that are there once, in any number."""
        one, two, three = section(parts.DEFINITIONS, definitions()), section(2, calls()), section(3, bytes(16))
        times, end = section(4, exact()), section(0, b"")
        start = trace()[:10]
        self.assertEqual(decode(start + one + two + three + times + section(4, bins()) + one + two + end)[1], None)
        for bad in (one + times + two + end, times + one + two + end, one + two + times + three + end):
            self.assertIsInstance(decode(start + bad)[1], parts.Damage)


if __name__ == "__main__":
    unittest.main()
