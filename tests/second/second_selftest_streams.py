# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the second decoder: blocks, unzipped signatures, loops, values that are kept. What is right is read, and each thing that
docs/FORMAT.md calls damage is found.
"""
import collections
import itertools
import os
import random
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import second_decoder as decoder  # noqa: E402
import second_grammar as grammar  # noqa: E402
import second_parts as parts  # noqa: E402
import second_values as values_of  # noqa: E402
from trace_writer import (RAMP, R, T, Builder, block, code, constant, counted, expression, file_of,  # noqa: E402
                          listed, once, rule, steps, svarint, varint)


def lines_of(data, limit=1 << 20):
    """(lines, damage or None), without what is the same in all."""
    found, size = [], 0

    class Sink:
        @staticmethod
        def write(data):
            nonlocal size
            size += len(data)
            found.append(data.decode())
            if size > limit:
                raise parts.Damage("too much")

    damage = None
    try:
        decoder.trace_print(decoder.Trace(data), None, Sink)
    except parts.Damage as error:
        damage = error
    return "".join(found).splitlines(), damage


class Case(unittest.TestCase):
    maxDiff = None

    def right(self, builder, *expected):
        """expected: the lines from the function's name on, of each thread; "rank" and the rest in front are checked here."""
        lines, damage = lines_of(file_of(builder.sections()), 1 << 30)
        self.assertIsNone(damage)
        heads, tails = zip(*[line.split(',"func":', 1) for line in lines]) if lines else ((), ())
        self.assertEqual(list(tails), list(itertools.chain(*expected)))
        self.assertEqual(list(heads), ['{"rank":%d,"thread":0,"seq":%d' % (rank, seq)
                                       for rank, those in enumerate(expected) for seq, _ in enumerate(those)])

    def wrong(self, message, builder, lines=None):
        """lines: how many are printed before."""
        printed, damage = lines_of(file_of(builder.sections()))
        self.assertIn(message, str(damage))
        if lines is not None:
            self.assertEqual(len(printed), lines)


# ---- blocks ------------------------------------------------------------------------------------------------------

def table(*rules):
    return grammar.Rules(parts.Cursor(counted(list(rules))))


class Blocks(Case):
    def check(self, content, terminals):
        """That the rule CONTENT stands for TERMINALS, whoever asks."""
        found = table(content, rule((R, 0, 3), (T, 5, 1)))
        self.assertEqual(list(found.terminals(1)), terminals)
        self.assertEqual(list(found.terminals(2)), terminals * 3 + [5])
        self.assertEqual((found.lengths[2], found.largest[1]), (3 * len(terminals) + 1, max(terminals)))
        sums = list(itertools.accumulate(map(grammar.difference, terminals * 3), initial=0))
        self.assertEqual((found.sums[1], found.least[1]), (sums[len(terminals)], min(map(grammar.difference, terminals))))
        for i in random.Random(len(terminals)).sample(range(3 * len(terminals)), 5):
            self.assertEqual(found.find(2, i), (terminals[i % len(terminals)], sums[i]))
            self.assertEqual(found.sum(2, i), sums[i])
        if max(terminals) < 100:
            counts = collections.Counter(terminals * 3 + [5])
            self.assertEqual(found.counts(2, 100), [counts[t] for t in range(100)])
        self.assertEqual(found.count_of(2, terminals[-1]), 3 * terminals.count(terminals[-1]) + (terminals[-1] == 5))

    def test_forms(self):
        for width in range(1, 63):
            long_ones = (1023, 1024, 1025, 2051) if os.environ.get("LONG") or width in (1, 8, 31, 56, 62) else ()
            for n in (2, 3, 7, 8, 9, 17) + long_ones:
                dice = random.Random(width * 10000 + n)
                numbers = [dice.getrandbits(width) for _ in range(n)]
                base = dice.randrange((1 << 62) - max(numbers))
                terminals = [base + u for u in numbers]
                self.check(block(terminals, width=width, base=base), terminals)
                self.assertEqual(list(table(block(terminals)).terminals(1)), terminals)
                if width % 8 == 0:
                    self.check(block(terminals, planes=True, width=width, base=base), terminals)
                sums = [dice.randint(-(1 << width - 1), (1 << width - 1) - 1) >> (width > 60) for _ in range(n)]
                differences = [code(b - a) for a, b in zip([0] + sums, sums)]
                self.check(block(sums, sums=True), differences)
                if width <= 56:
                    self.check(block(sums, sums=True, planes=True), differences)

    def test_largest(self):
        terminals = list(range(65536))
        self.check(block(terminals), terminals)
        top = (1 << 62) - 1
        self.check(block([top, 0]), [top, 0])
        self.check(block([top, top], base=top), [top, top])
        half = 1 << 61
        self.check(block([half - 1, 0, -half], sums=True), [code(half - 1), code(1 - half), code(-half)])

    def test_increasing(self):
        """A column of a block, of either kind."""
        for n in (2, 50, 3000):
            dice = random.Random(n)
            values = sorted(dice.sample(range(10 * n), n + 1))
            first, sums = values[0], [value - values[0] for value in values[1:]]
            for content in (block(sums, sums=True), block([code(b - a) for a, b in zip(values, values[1:])])):
                column = grammar.Column(parts.Cursor(expression(7, first, 2)), table(content))
                column.steps_check(1, 10 * n, "place")
                self.assertEqual([column.value(i) for i in range(n + 1)], values)
                places = {value: i for i, value in enumerate(values)}
                self.assertEqual([column.find(v) for v in range(values[-1] + 1)], [places.get(v) for v in range(values[-1] + 1)])

    def test_damage(self):
        whole = block([1, 2, 3])
        self.assertEqual(list(table(whole).terminals(1)), [1, 2, 3])
        top = 1 << 62
        for message, content in (
                ("a block of 0 terminals", varint(0) + varint(0) + b"\4" + svarint(0)),
                ("a block of 1 terminals", block([1])),
                ("a block of 65537 terminals", block([1] * 65537)),
                ("numbers of 0 bits", varint(0) + varint(2) + b"\0" + svarint(0)),
                ("numbers of 63 bits", block([1, 2], width=63)),
                ("numbers of 12 bits", varint(0) + varint(2) + bytes([12 << 2 | 2]) + svarint(0) + bytes(3)),
                ("numbers of 1 bits", varint(0) + varint(8) + bytes([1 << 2 | 2]) + svarint(0) + bytes(1)),
                ("bits that are left over", whole[:-1] + bytes([whole[-1] | 0x80])),
                ("bytes announced", whole[:-1]),
                ("bytes announced", varint(0) + varint(65536) + bytes([62 << 2]) + svarint(0)),
                ("negative, or 2^62 or more", block([-1, 2])),
                ("negative, or 2^62 or more", block([top, 2])),
                ("negative, or 2^62 or more", varint(0) + varint(2) + b"\4" + svarint((1 << 63) - 1) + b"\3"),
                ("negative, or 2^62 or more", block([1 << 61, 2], sums=True)),
                ("negative, or 2^62 or more", block([0, -(1 << 61) - 1], sums=True)),
                ("negative, or 2^62 or more", block([0] * 1024 + [1 << 61], sums=True))):
            with self.subTest(message), self.assertRaises(parts.Damage) as raised:
                found = table(content)
                list(found.terminals(1))
            self.assertIn(message, str(raised.exception))

    def test_where(self):
        """Blocks of each kind stand where they may."""
        def made(value_group, differences, group, body):
            b = Builder(ranks=3)
            call = b.group_class(b.call_class(b"MPI_X"), (b.rule(value_group), [b.signature(b.shape(b"\3"), [constant(0)]),
                                                                 b.signature(b.shape(b"\3"), [constant(1)])]))
            loop = b.group_class(b.call_class(b"pilgrim_loop:"), (1, [b.signature(b.shape(b"\3"), [constant(1)])]))
            b.rule(rule((R, 0, 1), (T, 0, 1)))
            b.process(members=expression(7, 0, b.rule(differences)))
            b.group(b.rule(group), [(call, None), (loop, b.rule(body))], listed(0, 1, 2))
            return b

        plain, sums, ones = block([0, 1, 0, 1]), block([0, 1, 1, 2], sums=True), steps(1, 1)
        calls = ['"MPI_X","args":{},"ret":%d}' % i for i in (0, 1, 0, 1)]
        zeros = block([0, 0], base=0)
        self.right(made(plain, ones, once(0, 0, 1), zeros), calls, calls, calls)
        self.right(made(plain, block([2, 2]), block([0, 0, 1]), zeros), calls, calls, calls)
        self.right(made(plain, block([1, 2], sums=True), block([0, 0, 1]), zeros), calls, calls, calls)
        for changed in range(4):
            contents = [plain, block([1, 2], sums=True), block([0, 0, 1]), zeros]
            contents[changed] = [block([0, 0, 1, 1], sums=True), rule((RAMP, 2, 2)), sums, sums][changed]
            self.wrong("a column of differences with a ramp" if changed == 1 else "a block with sums in", made(*contents))
        # Inside another rule, too.
        rules = b"".join([rule((R, 0, 2)), rule((R, 1, 1))])
        found = grammar.Rules(parts.Cursor(varint(3) + sums + rules))
        self.assertEqual(found.sum_blocks, [False, True, True, True])
        with self.assertRaises(parts.Damage):
            found.plain(6)


# ---- unzipped signatures -----------------------------------------------------------------------------------------

class UnzippedSignatures(Case):
    def made(self, sequence, *columns, ranks=2, more=(), shape=b"\3\3", k=0):
        """A call of MPI_X(a) for each terminal of SEQUENCE; signature 0 is unzipped and has COLUMNS, others are those of MORE."""
        b = Builder(ranks=ranks)
        signatures = [b.signature(b.shape(shape), [c(b) if callable(c) else c for c in columns], k)]
        signatures += [b.signature(b.shape(b"\3\3"), those, size) for those, size in more]
        group_class = b.group_class(b.call_class(b"MPI_X,a"), (b.rule(sequence), signatures))
        b.process(rank_bases=((1, 3), (2, 3)))
        b.group(b.rule(rule((T, 0, table(sequence).lengths[1]))), [(group_class, None)], listed(*range(ranks)))
        return b

    @staticmethod
    def lines(*values):
        return ['"MPI_X","args":{"a":%s},"ret":0}' % value for value in values]

    def test_values(self):
        zero = [constant(0)] * 3
        of = lambda *differences: lambda b: constant(b.differences(*differences))  # noqa: E731
        four = rule((T, 0, 4))
        for columns, expected in (
                ((constant(5), of(1, 2, -4), constant(1)), ((5, 6, 8, 4),) * 2),
                ((expression(1, 7), of(1, 2, -4), constant(-3)), ((7, 4, -2, 10), (8, 5, -1, 11))),
                ((constant(5), of(1, 2, -4, 9, 9), listed(0, 10)), ((5, 5, 5, 5), (5, 15, 35, -5))),
                ((constant(5), constant(0), constant(9)), ((5, 5, 5, 5),) * 2),
                ((listed(1, 2), lambda b: listed(0, b.differences(3, 3, 3)), constant(1)), ((1,) * 4, (2, 5, 8, 11))),
                ((constant((1 << 63) - 1), of(1, 0, 0), constant(1)),
                 (['"9223372036854775807"'] + ['"-9223372036854775808"'] * 3,) * 2),
                ((constant(0), of(1 << 60, 1, 1), constant(16)), ((0, 0, 16, 32),) * 2)):
            b = self.made(four, *columns, *zero)
            self.right(b, *[self.lines(*values) for values in expected])

    def test_between_others(self):
        """It counts as one among signature series and other signatures, and only its own times are counted."""
        b = self.made(once(1, 0, 2, 0, 3, 0, 2, 0), constant(5), lambda b: constant(b.differences(1, 10, 100)), constant(1),
                      *[constant(0)] * 3, ranks=1,
                      more=(([constant(70), constant(3), constant(0), constant(0)], 2), ([constant(80), constant(0)], 1)))
        self.right(b, self.lines(70, 5, 69, 6, 80, 16, 69, 116))

    def test_long(self):
        """A sequence of rules and blocks, longer than what is kept, each member with its own."""
        dice, b = random.Random(1), Builder(ranks=2)
        values = [[dice.randrange(1 << 40) for _ in range(9000)] for _ in range(2)]
        codes = []
        for those in values:
            sums = [v - those[0] for v in those[1:]]
            one, two = b.rule(block(sums[:5000], sums=True)), [y - x for x, y in zip(sums[4999:], sums[5000:])]
            other = b.rule(block(list(map(code, two))))
            codes.append(b.rule(rule((R, one // 2 - 1, 1), (R, other // 2 - 1, 1))))
        columns = [listed(values[0][0], values[1][0]), listed(*codes), constant(1), *[constant(0)] * 3]
        signature = b.signature(b.shape(b"\3\3"), columns, 0)
        group_class = b.group_class(b.call_class(b"MPI_X,a"), (b.rule(rule((T, 0, 9000))), [signature]))
        b.process()
        b.group(b.rule(rule((T, 0, 9000))), [(group_class, None)], listed(0, 1))
        self.right(b, *[self.lines(*those) for those in values])

    def test_group_classes(self):
        """In two group_classes of a group, and in one group_class that stands there twice, it counts for each alone."""
        b = Builder()
        signature = b.signature(b.shape(b"\3\3"), [constant(5), constant(b.differences(1, 1)), constant(1)] + [constant(0)] * 3, 0)
        one = b.group_class(b.call_class(b"MPI_X,a"), (b.rule(once(0, 0)), [signature]))
        two = b.group_class(b.call_class(b"MPI_X,a", b.address(b.module(b"m"), 3)), (b.rule(once(0, 0)), [signature]))
        b.process()
        b.group(b.rule(once(0, 1, 2, 2, 1, 0)), [(one, None), (one, None), (two, None)], constant(0))
        sites = ["}", "}", ',"site":"m+0x3"}', ',"site":"m+0x3"}', "}", "}"]
        self.right(b, [line[:-1] + site for line, site in zip(self.lines(5, 5, 5, 6, 6, 6), sites)])

    def test_rank(self):
        """The rank token's x is the thread's rank, whatever the rank base: 2 after r; in rank base 1, rank 2 of 3."""
        zero = [constant(0)] * 3
        b = self.made(rule((T, 0, 2)), constant(1), *zero[:2], expression(1, 2), lambda b: constant(b.differences(1)), constant(1),
                      *zero, shape=b"\7\6\3")
        self.right(b, self.lines(1, 2), self.lines(2, 0))

    def test_process(self):
        """The last call of a process stream counts those before it."""
        b = Builder()
        shape = b.shape(b"\x0f\1\3\x0f\1\3\1")
        signature = b.signature(shape, [constant(9), constant(b.rule(block([-9, -8, -9, 5], sums=True))), constant(1), constant(4),
                                        constant(0), constant(0)], 0)
        other = b.signature(shape, [constant(0), constant(1)])
        group_class = b.group_class(b.call_class(b"pilgrim_process,views_rank,views_size:"), (b.rule(once(0, 1, 0, 0)), [signature, other]))
        call = b.group_class(b.call_class(b"MPI_X,a"), (1, [b.signature(b.shape(b"\6\3"), [expression(0, 2), constant(0)])]))
        b.group(b.rule(rule((T, 0, 4))), [(group_class, None)], constant(0), True)
        b.group(1, [(call, None)], constant(0))
        self.right(b, self.lines(3))
        rules = b.table("rules")
        rules[0] = steps(1)
        b.tables["rules"] = {content: number for number, content in enumerate(rules)}
        self.wrong("a sequence that is too short", b, 0)

    def test_damage(self):
        zero, three = [constant(0)] * 3, rule((T, 0, 3))
        of = lambda *differences: lambda b: constant(b.differences(*differences))  # noqa: E731
        for message, printed, columns in (
                ("a sequence that is too short", 2, (constant(1), of(1), constant(1))),
                ("a sequence that is too short", 2, (constant(1), of(1), constant(0))),
                ("a sequence that is too short", 3 + 2, (constant(1), lambda b: listed(0, b.differences(1)), constant(1))),
                ("sequence -2 is not one of differences", 0, (constant(1), constant(-2), constant(1))),
                ("sequence 6 is not one of differences", 0, (
                    constant(1), lambda b: constant(b.rule(rule((RAMP, 2, 5)))), constant(1))),
                ("a sequence that is rule 99 of", 0, (constant(1), constant(200), constant(1))),
                ("a column that is not as long as its value group", 0, (listed(1, 2, 3), constant(0), constant(1))),
                ("a column that is not as long as its value group", 0, (constant(1), listed(0), constant(1))),
                ("a column that is not as long as its value group", 0, (constant(1), constant(0), listed(1)))):
            with self.subTest(message):
                b = Builder(ranks=2)
                if "sequence 6" in message:
                    b.rule(once(1, 1)), b.rule(once(1, 1, 1))
                signature = b.signature(b.shape(b"\3\3"), [c(b) if callable(c) else c for c in columns] + zero, 0)
                group_class = b.group_class(b.call_class(b"MPI_X,a"), (b.rule(three), [signature]))
                b.process()
                b.group(b.rule(three), [(group_class, None)], listed(0, 1))
                self.wrong(message, b, printed)
        for k, shape in ((0, b"\x14\2\1\3\3"), (2, b"\x14\2\1\3\3"), (1, b"\3\3")):
            b = Builder()
            signature = b.signature(b.shape(shape), [constant(0)] * 6, k)
            group_class = b.group_class(b.call_class(b"MPI_X,a"), (1, [signature]))
            b.process()
            b.group(1, [(group_class, None)], constant(0))
            if k != 1:
                self.wrong("a long signature of %d, or of series" % k, b, 0)
        data = varint(0 << 1 | 1) + varint(1)
        with self.assertRaises(parts.Damage):
            values_of.Signature(parts.Cursor(data), parts.Table([values_of.Shape(b"\3", [])], "shape"), parts.Table([], "column"))


# ---- loops -------------------------------------------------------------------------------------------------------

class Loops(Case):
    def made(self, group_classes, sequence, ranks=1, calls=None, loop=b"pilgrim_loop:", shape=b"\3", statistics=None):
        """group_classes: of a group, each a list: the values of its calls, or (body, the trips), in the order in which they are met."""
        b = Builder(ranks=ranks)
        found = []
        for number, values in enumerate(group_classes):
            body = None
            if isinstance(values, tuple):
                body, values = values
                body = body if isinstance(body, int) else b.sequence(*body)
            call_class = b.call_class(b"MPI_%c" % (65 + number) if body is None else loop)
            signatures = [b.signature(b.shape(shape if body is not None else b"\3"), [constant(v)]) for v in dict.fromkeys(values)]
            places = {v: i for i, v in enumerate(dict.fromkeys(values))}
            found.append((b.group_class(call_class, (b.sequence(*[places[v] for v in values]), signatures)), body))
        b.process()
        b.group(b.sequence(*sequence), found, listed(*range(ranks)) if ranks > 1 else constant(0))
        b.statistics = statistics
        return b

    @staticmethod
    def lines(names):
        """For A1B2: MPI_A returns 1, MPI_B 2."""
        return ['"MPI_%s","args":{},"ret":%s}' % (names[i], names[i + 1]) for i in range(0, len(names), 2)]

    def test_right(self):
        # 1 stands for A, 2 for the loop of A, 3 for the loop of B and that.
        for trips, outer, expected in (([3], [1], "B0A0A1A2"), ([0], [1], "B0"), ([], [0], ""), ([1, 0, 2], [3], "B0A0B1B2A1A2"),
                                       ([2, 2], [2], "B0A0A1B1A2A3")):
            group_classes = [[int(expected[i + 1]) for i in range(0, len(expected), 2) if expected[i] == name] for name in "AB"]
            b = self.made([group_classes[0], group_classes[1], ((0,), trips), ((1, 2), outer)], (3,))
            self.right(b, self.lines(expected))
        # Loops one after another, calls between and around them; trips of 0.
        self.right(self.made([[1, 2, 3, 4], ((0,), [0, 2, 0]), [5, 6]], (2, 1, 1, 0, 2, 0, 1)), self.lines("C5A1A2A3C6A4"))

    def test_members(self):
        """Trips that differ, so that parts of group classes do; unzipped, as a signature series, and of one column."""
        b = Builder(ranks=3)
        call = b.group_class(b.call_class(b"MPI_A"), (0, []), (b.rule(rule((T, 0, 3))), [b.signature(b.shape(b"\3"), [
            constant(4), constant(b.differences(1, 1)), constant(-1)], 0)]), partition=b.partition(constant(0), listed(1, 2)))
        loop = b.group_class(b.call_class(b"pilgrim_loop:"), (b.sequence(0, 1), [b.signature(b.shape(b"\3"), [
            listed(0, 1, 2), listed(0, b.differences(1), b.differences(-1))], 2)]))
        again = b.group_class(b.call_class(b"pilgrim_loop:"), (b.sequence(0, 0), [b.signature(b.shape(b"\3"), [
            expression(0, 1), listed(0, 0, 0), constant(1)], 0)]))
        b.process()
        b.group(b.sequence(2, 2), [(call, None), (loop, b.sequence(0)), (again, b.sequence(1))], listed(0, 1, 2))
        self.right(b, [], self.lines("A4A3A2"), self.lines("A4A3A2"))

    def test_long(self):
        """2^62 trips are walked, not expanded; a long body; loops in loops as deep as they go."""
        b = self.made([[0] * 3], (0,))
        b = Builder()
        call = b.group_class(b.call_class(b"MPI_A"), (b.rule(rule((T, 0, 1 << 61))), [b.signature(b.shape(b"\3"), [constant(0)])]))
        loop = b.group_class(b.call_class(b"pilgrim_loop:"), (1, [b.signature(b.shape(b"\3"), [constant((1 << 63) - 1)])]))
        b.process()
        b.group(b.sequence(1), [(call, None), (loop, b.rule(rule((T, 0, 5000))))], constant(0))
        lines, damage = lines_of(file_of(b.sections()))
        self.assertTrue(len(lines) > 10000 and "too much" in str(damage), damage)
        depth = 3000
        group_classes = [[7]] + [((number,), [1]) for number in range(depth)]
        self.right(self.made(group_classes, (depth,)), self.lines("A7"))

    def test_zero_trips(self):
        group_classes = [[7, 8], ((0,), [0] * 6)]
        self.right(self.made(group_classes, (1, 1, 0, 1, 1, 0, 1, 1)), self.lines("A7A8"))
        for at in range(3):
            sequence, trips = [1, 1, 0, 1, 1, 0, 1, 1], [0] * 7
            sequence.insert((0, 3, 6)[at], 1)
            self.wrong("more than 2 loops without trips", self.made([[7, 8], ((0,), trips)], sequence), at)
        # A loop whose body is a loop of no trips, 2^62 times.
        endless = self.made([[7], ((0,), [0]), ((1,), [1 << 62])], (2, 0))
        endless.tables["rules"] = {rule((T, 0, 1 << 62)): 0, once(2, 0): 1}
        group_class = endless.group_class(endless.call_class(b"pilgrim_loop:"), (2, [endless.signature(endless.shape(b"\3"), [constant(0)])]))
        group_classes = list(endless.groups[1][2])
        group_classes[1] = group_class, group_classes[1][1]
        endless.groups[1] = (4, False, group_classes, endless.groups[1][3])
        self.wrong("more than 3 loops without trips", endless, 0)

    def test_statistics(self):
        """A loop has none, and is no predecessor."""
        group_classes, sequence = [[1, 2], ((0,), [1]), [3]], (0, 1, 2)
        for good in (bytes(2 + 1 + 2 * 4), bytes(2) + counted([svarint(1)]) + bytes(2 * 4)):
            self.right(self.made(group_classes, sequence, statistics=good), self.lines("A1A2C3"))
        for wrong in (bytes(10), bytes(12), bytes(2) + counted([svarint(0)]) + bytes(2 * 4)):
            self.wrong("section statistics", self.made(group_classes, sequence, statistics=wrong), 3)

    def test_damage(self):
        for message, printed, b in (
                ("a loop of -1 trips", 1, self.made([[1, 2], ((0,), [-1])], (0, 1, 0))),
                ("a loop without a body", 0, self.made([[1, 2], ((), [1])], (0, 1))),
                ("a sequence with class index 2 of 2", 0, self.made([[1, 2], ((0, 2), [1])], (0, 1))),
                ("loop 1 in the body of loop 1", 0, self.made([[1, 2], ((0, 1), [1])], (0, 1))),
                ("loop 2 in the body of loop 1", 0, self.made([[1, 2], ((0, 2), [1]), ((0,), [1])], (0, 1))),
                ("loop 3 in the body of loop 2", 0, self.made([[1], ((0,), []), ((1, 3, 4), [1]), ((0,), [1]), [1]], (2,))),
                ("a sequence that is rule 99 of", 0, self.made([[1, 2], (200, [1])], (0, 1))),
                ("a block with sums in", 0, self.made([[1, 2], (2, [1])], (0, 1))),
                ("group class 0 has fewer values than calls", 2, self.made([[1, 2], ((0,), [2])], (0, 1))),
                ("group class 0 has more values than calls", 2, self.made([[1, 2, 3], ((0,), [1])], (0, 1))),
                ("group class 1 has fewer values than calls", 2, self.made([[1, 2], ((0,), [1])], (0, 1, 1))),
                ("group class 1 has more values than calls", 2, self.made([[1, 2], ((0,), [1, 1])], (0, 1))),
                ("group class 2 has more values than calls", 2, self.made([[1, 2], ((0,), [1]), [5]], (0, 1))),
                ("another declaration of pilgrim_loop", 0, self.made([[1, 2], ((0,), [1])], (0, 1), loop=b"pilgrim_loop")),
                ("another declaration of pilgrim_loop", 0, self.made([[1, 2], ((0,), [1])], (0, 1), loop=b"pilgrim_loop,a:")),
                ("a loop with trips that are not an int", 0, self.made([[1, 2], ((0,), [1])], (0, 1), shape=b"\4")),
                ("a shape of 2 values for pilgrim_loop", 0, self.made([[1, 2], ((0,), [1])], (0, 1), shape=b"\3\1"))):
            if message.startswith("a block"):
                b.tables["rules"] = {block([0, 0, 1], sums=True): 0, once(0, 1): 1}
                b.groups[1] = (4, *b.groups[1][1:])
            with self.subTest(message):
                self.wrong(message, b, printed)
        b = self.made([[1]], (0,))
        loop = b.group_class(b.call_class(b"pilgrim_loop:"), (0, []))
        b.groups[0] = (1, True, [b.groups[0][2][0], (loop, b.sequence(0))], b.groups[0][3])
        self.wrong("a process stream with a loop", b, 0)
        # Without a loop, values are counted before anything is printed.
        self.wrong("values of 2 calls for 1", self.made([[1, 2]], (0,)), 0)

    def test_same_row(self):
        """A group_class that stands twice in a group: each time it has a body, and trips to be met, of its own."""
        b = Builder()
        call = b.group_class(b.call_class(b"MPI_A"), (b.rule(rule((T, 0, 6))), [b.signature(b.shape(b"\3"), [
            constant(1), constant(b.rule(steps(1, 1, 1, 1, 1))), constant(1)], 0)]))
        other = b.group_class(b.call_class(b"MPI_B"), (b.sequence(0, 0, 0), [b.signature(b.shape(b"\3"), [constant(9)])]))
        loop = b.group_class(b.call_class(b"pilgrim_loop:"), (b.sequence(0, 1), [b.signature(b.shape(b"\3"), [constant(1)]),
                                                                         b.signature(b.shape(b"\3"), [constant(2)])]))
        b.process()
        b.group(b.sequence(2, 3, 2, 3), [(call, None), (other, None), (loop, b.sequence(0)), (loop, b.sequence(0, 1))], constant(0))
        self.right(b, self.lines("A1A2B9A3A4A5B9A6B9"))


# ---- values that are kept ----------------------------------------------------------------------------------------

def keep(register, value):
    return b"\x15" + varint(register) + value


def edited(base, *changes):
    """changes: values; their indices are ints."""
    return b"\x16" + varint(base) + varint(len(changes)) + b"".join(b"\3" + change for change in changes)


def array(*values):
    return b"\x0f" + varint(len(values)) + b"".join(values)


INT, NONE, RANK = b"\3", b"\1", b"\6"
ONE_TO_THREE, THREE = [1, 2, 3], array(INT, INT, INT)


class OneByOne(Case):
    """Traces of a few calls, each of a class of its own."""

    def made(self, *calls, threads=1, rank_bases=((0, 1),)):
        """calls: (declaration, shape without the return value, numbers of its slots), one after another."""
        b = Builder(ranks=threads)
        group_classes, sequence = [], []
        for number, (declaration, shape, numbers) in enumerate(calls):
            signature = b.signature(b.shape(shape + INT), [n if isinstance(n, bytes) else constant(n) for n in (*numbers, 0)])
            group_classes.append((b.group_class(b.call_class(declaration, b.address(b.module(b"m"), number)), (1, [signature])), None))
            sequence.append(number)
        b.process(rank_bases=rank_bases)
        b.group(b.sequence(*sequence), group_classes, listed(*range(threads)) if threads > 1 else constant(0))
        return b

    def args(self, b, *expected, threads=1):
        lines = ['"%s","args":{%s},"ret":0,"site":"m+0x%x"}' % (name, text, i) for i, (name, text) in enumerate(expected)]
        self.right(b, *[lines] * threads)


class Registers(OneByOne):
    def test_right(self):
        self.args(self.made((b"X,a", keep(4, THREE), ONE_TO_THREE), (b"X,a", edited(5, INT), [1, 7]), (b"X,a", edited(5), []),
                            (b"X,a", keep(0, edited(5, NONE, array(INT))), [0, 2, 8]), (b"X,a", edited(1), []),
                            (b"X,a", keep(4, edited(1, INT)), [1, 6]), (b"X,a,b", edited(5) + edited(1), [])),
                  ("X", '"a":[1,2,3]'), ("X", '"a":[1,7,3]'), ("X", '"a":[1,2,3]'), ("X", '"a":[null,2,[8]]'),
                  ("X", '"a":[null,2,[8]]'), ("X", '"a":[null,6,[8]]'), ("X", '"a":[null,6,[8]],"b":[null,2,[8]]'))

    def test_in_value(self):
        """Base 0, in each thread by itself; the in-value may be anything that is printed as an array."""
        for start, numbers, printed in ((THREE, ONE_TO_THREE, "[1,2,3]"), (b"\7" + THREE, [0] + ONE_TO_THREE, "[1,2,3]"),
                                        (keep(9, THREE), ONE_TO_THREE, "[1,2,3]"), (edited(3, INT), [0, 9], "[9,5,5]"),
                                        (keep(9, b"\7" + THREE), [0] + ONE_TO_THREE, "[1,2,3]"),
                                        (keep(2, edited(3, INT, INT)), [0, 9, 2, 9], "[9,5,9]")):
            after = ",".join([printed.split(",")[0], "0", printed.split(",")[2]])
            self.args(self.made((b"X,a", keep(2, THREE), [5, 5, 5]), (b"X&a>b", start + edited(0, INT) + NONE, [*numbers, 1, 0]),
                                threads=2),
                      ("X", '"a":[5,5,5]'), ("X", '"a":{"in":%s,"out":%s},"b":null' % (printed, after)), threads=2)

    def test_order(self):
        """In a call the registers are as before it; of two values kept the later stays."""
        self.args(self.made((b"X,a", keep(0, THREE), ONE_TO_THREE),
                            (b"X,a,b>c", keep(0, array(INT)) + edited(1, INT) + keep(0, edited(1, INT)), [7, 0, 8, 2, 9]),
                            (b"X,a", edited(1), [])),
                  ("X", '"a":[1,2,3]'), ("X", '"a":[7],"b":[8,2,3],"c":[1,2,9]'), ("X", '"a":[1,2,9]'))

    def test_rank_bases(self):
        """What is kept is what was printed."""
        self.args(self.made((b"X,a", keep(0, array(RANK, b"\7" + RANK, RANK)), [0, 1, 0, 0]),
                            (b"X,a,b", b"\7" + NONE + edited(1, RANK), [2, 0, 1]), rank_bases=((3, 5), (1, 2), (2, 4))),
                  ("X", '"a":[3,1,1]'), ("X", '"a":null,"b":[3,1,1]'))

    def test_long_signatures(self):
        """In unzipped signatures and signature series; each call sees what the one before kept."""
        b = Builder(ranks=2)
        shape = b.shape(keep(0, edited(1, INT)) + INT)
        first = b.group_class(b.call_class(b"X,a"), (1, [b.signature(b.shape(keep(0, THREE) + INT), list(map(constant, (5, 5, 5, 0))))]))
        down = [constant(2), constant(b.differences(-1, -1))]
        up = [listed(6, 7), constant(b.differences(1, 1)), constant(10)]
        one = b.signature(shape, down + [constant(1)] + up + [constant(0)] * 3, 0)
        series = b.signature(shape, down + [constant(1), constant(0)] + [constant(0)] * 2, 3)
        more = b.group_class(b.call_class(b"X,a"), (b.sequence(0, 0, 0, 1, 2, 3), [one, series]))
        b.process()
        b.group(b.rule(once(0, 1, 1, 1, 1, 1, 1)), [(first, None), (more, None)], listed(0, 1))
        self.right(b, *[['"X","args":{"a":[%s]},"ret":0}' % values for values in
                         ("5,5,5", "5,5,%d" % x, "5,%d,%d" % (x + 10, x), "%d,%d,%d" % (x + 20, x + 10, x),
                          "%d,%d,1" % (x + 20, x + 10), "%d,1,1" % (x + 20), "1,1,1")] for x in (6, 7)])

    def test_threads(self):
        """Each thread has its own."""
        b = Builder(ranks=2)
        first = b.group_class(b.call_class(b"X,a"), (1, [b.signature(b.shape(keep(0, THREE) + INT), list(map(constant, (5, 5, 5, 0))))]))
        second = b.group_class(b.call_class(b"X,a"), (1, [b.signature(b.shape(edited(1) + INT), [constant(0)])]))
        b.process()
        b.group(1, [(first, None)], constant(0))
        b.group(1, [(second, None)], constant(1))
        self.wrong("changes of what is not there", b, 1)

    def test_damage(self):
        kept = (b"X,a", keep(0, THREE), ONE_TO_THREE)
        for message, printed, calls in (
                ("changes of what is not there", 1, (kept, (b"X,a", edited(2, INT), [0, 0]))),
                ("changes of what is not there", 0, ((b"X,a", keep(0, edited(1)), []),)),
                ("changes of what is not there", 0, ((b"X,a,b", keep(0, THREE) + edited(1), ONE_TO_THREE),)),
                ("changes of what is not there", 0, ((b"X,a", edited(0), []),)),
                ("changes of what is not there", 0, ((b"X>a", edited(0), []),)),
                ("changes of what is not there", 0, ((b"X,a>b", THREE + edited(0), ONE_TO_THREE),)),
                ("or not an array", 0, ((b"X&a", INT + edited(0), [1]),)),
                ("or not an array", 1, ((b"X,a", keep(0, INT), [1]), (b"X,a", edited(1), []))),
                ("or not an array", 1, ((b"X,a", keep(0, b"\x11\0" + INT * 4), [1] * 4), (b"X,a", edited(1), []))),
                ("or not an array", 2, (kept, (b"X,a", keep(0, NONE), []), (b"X,a", edited(1), []))),
                ("a change at index 3", 1, (kept, (b"X,a", edited(1, INT), [3, 0]))),
                ("a change at index -1", 1, (kept, (b"X,a", edited(1, INT), [-1, 0]))),
                ("a change at index 1, after 1", 1, (kept, (b"X,a", edited(1, INT, INT), [1, 0, 1, 0]))),
                ("a change at index 0, after 1", 1, (kept, (b"X,a", edited(1, INT, INT), [1, 0, 0, 0]))),
                ("register 65536 of 65536", 0, ((b"X,a", keep(65536, INT), [1]),)),
                ("register 65537 of 65537", 0, ((b"X,a", edited(65537), []),))):
            with self.subTest(message):
                self.wrong(message, self.made(*calls), printed)
        self.args(self.made((b"X,a", keep(65535, THREE), ONE_TO_THREE), (b"X,a", edited(65536, INT), [2, 0])),
                  ("X", '"a":[1,2,3]'), ("X", '"a":[1,2,0]'))

    def test_shapes(self):
        def bad(content):
            with self.assertRaises(parts.Damage, msg=content):
                values_of.Shape(content, [b"A"])

        self.assertTrue(values_of.Shape(keep(1, edited(2)) + edited(0) + INT, []).has_registers)
        for content in (keep(1, keep(2, INT)) + INT, edited(1, keep(2, INT)) + INT, edited(1, edited(2)) + INT,
                        array(keep(1, INT)) + INT, array(edited(1)) + INT, b"\7" + keep(1, INT) + INT, b"\7" + edited(1) + INT,
                        b"\x10\1" + keep(1, INT) + INT, b"\x11\0" + INT * 3 + keep(1, INT) + INT,
                        keep(1, edited(1, array(keep(1, INT)))) + INT,
                        INT + keep(1, INT), INT + edited(1), keep(1, INT) + b"\x14\2\1\3" + INT, b"\x14\2\1\3" + edited(1) + INT,
                        b"\x14\2\1" + keep(1, INT) + INT, b"\x16\1\1\1\3" + INT, b"\x16\1\1\3", b"\x15\1", b"\x16\1\x7f"):
            bad(content)
        values_of.Shape(keep(1, b"\x0f\1" * 30 + INT) + INT, [])
        bad(keep(1, b"\x0f\1" * 31 + INT) + INT)

    def test_much(self):
        """Many copies of a large array are refused."""
        size, b = 1 << 12, Builder()
        start = b.signature(b.shape(keep(0, array(*[NONE] * size)) + INT), [constant(0)])
        group_classes = [(b.group_class(b.call_class(b"X,a"), (1, [start])), None)]
        copies = [b.signature(b.shape(keep(i, edited(1)) + INT), [constant(0)]) for i in range(1, 1 << 12)]
        group_classes.append((b.group_class(b.call_class(b"X,a"), (b.rule(rule((RAMP, 0, len(copies)))), copies)), None))
        b.process()
        b.group(b.rule(rule((T, 0, 1), (T, 1, len(copies)))), group_classes, constant(0))
        found, damage = lines_of(file_of(b.sections()), 1 << 30)
        self.assertIn("16777216 items in registers", str(damage))
        self.assertGreater(len(found), 4000)


if __name__ == "__main__":
    unittest.main()
