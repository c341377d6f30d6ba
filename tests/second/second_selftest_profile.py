# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the second decoder's profiles."""
import random
import types
import unittest

import random_trace
import second_decoder
import trace_writer
from random_profile import BitWriter, ProfileWriter
from second_parts import Cursor, Damage
from second_profile import (BLOCKS_MAX, COUNT_END, FIGURE_MAX, RECENT_COUNTS, SHARE_MAX, WHOLE, BitReader, ClassProfile, Context, Distribution, Profile,
                            RecentCounts, RankShares, blocks_read, figure, profile_read, smallest)

RANKS, CLASSES, SHORT = 3, 2, True


class Coder(unittest.TestCase):
    def test_context(self):
        context, found = Context(), []
        for bit in (1, 1, 0):
            context.learn(bit)
            found.append(context.p)
        self.assertEqual(found, [32768 + 65536 // 3, 54613 + 2 * 10923 // 5, 58982 - 2 * 58982 // 7])
        for bit, end in ((1, 65472), (0, 64)):
            for _ in range(1000):
                context.learn(bit)
            self.assertEqual((context.p, context.learnt), (end, 30))

    def test_halves(self):
        """Without contexts a bit is half of what is left: bytes are the bits, inverted."""
        reader = BitReader(b"\xa5\x0f\xff\x12\x34")
        self.assertEqual([reader.bits(8) for _ in range(6)], [0x5a, 0xf0, 0, 0xed, 0xcb, 0xff])

    def test_numbers(self):
        dice = random.Random(1)
        values = [0, 1, 2, 3, (1 << 63) - 2, (1 << 64) - 2] + [dice.randrange(1 << dice.randint(0, 63)) for _ in range(300)]
        writer = BitWriter()
        for value in values:
            writer.number(value, "a")
            writer.difference(value if value % 2 else -value, "b")
            writer.bits(64, value)
            writer.flag(value < 99, "c")
        data = writer.bytes()
        reader = BitReader(data)
        for value in values:
            self.assertEqual((reader.number("a"), reader.difference("b"), reader.bits(64), reader.flag("c")),
                             (value, value if value % 2 else -value, value, value < 99))
        with self.assertRaises(Damage):
            BitReader(b"").number("a")

    def test_near(self):
        """An interval that lies over a border for long."""
        for bits in ([0] + [1] * 400, [1] + [0] * 400):
            for p in (64, 300, 32768, 65472):
                context = Context()
                context.p = p
                context.learn = lambda bit: None
                writer = BitWriter()
                writer.contexts["c",] = context
                for bit in bits:
                    writer.flag(bit, "c")
                reader = BitReader(writer.bytes())
                reader.contexts["c",] = context
                self.assertEqual([reader.flag("c") for _ in bits], bits)

    def test_figures(self):
        self.assertEqual([figure(ns, 4) for ns in (0, 1, 2, 3, 4, 31, 32, 33, 34)], [0, 16, 32, 40, 48, 95, 96, 96, 97])
        self.assertEqual((figure(300, 8), FIGURE_MAX), ((9 << 8) + 44, 1023))
        for ns in [*range(99), (1 << 63) - 1, 12345678901]:
            for precision in (4, 8):
                low = smallest(figure(ns, precision), precision)
                self.assertTrue(low <= ns <= low + (low >> precision), ns)
                self.assertEqual(figure(low, precision), figure(ns, precision))

    def test_recent(self):
        recent = RecentCounts()
        for count in (5, 6, 7, 6):
            recent.meet(count)
        self.assertEqual(recent.counts, [6, 7, 5, 0, 0, 0, 0, 0])
        self.assertEqual((recent.place(5), recent.place(4)), (2, RECENT_COUNTS))


def distribution(**changes):
    """Seven times from 4 to 200 ns."""
    return Distribution(**{"count": 7, "mean": figure(40, 8), "most": figure(200, 4), "rank": 2, "least": figure(4, 4),
                           "deviation": figure(60, 4), "shares": {3: 9, 5: 18, 8: 5}, **changes})


def gap(**changes):
    return distribution(**{"rank": None, **changes})


def profile():
    """Of one class with two distributions of durations, and one with one and gaps that are told apart."""
    one = Distribution(1, figure(9, 8), figure(9, 4), 1, figure(9, 4), 0, {4: WHOLE})
    known = ClassProfile([distribution(), one], [gap(), Distribution(COUNT_END - 1, 0, FIGURE_MAX)], {0: 1, 1: 1}, gap(count=3), RankShares([0, 5], [(0, 0), (9, 1)]))
    other = ClassProfile([distribution(shares={3: WHOLE})], by_rank_gaps=RankShares([1, 1], [(1, 0), (1, 0)]))
    rows = [RankShares([number, SHARE_MAX - number], [(number, 0), (SHARE_MAX, number % 2)]) for number in range(5)]
    return Profile({0: known, 1: other}, {(0, 0, 0): [1, 0], (0, 1, 0): [0]}, [1, 2], rows + [RankShares([0, 0], [(0, 0)] * 2)], [1, 2])


class Profiles(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        group_classes = [types.SimpleNamespace(is_loop=loop, class_number=number, value_groups=[types.SimpleNamespace(list=[None] * signatures)])
                for number, signatures, loop in ((0, 2, False), (0, 1, False), (1, 3, False), (7, 1, True))]
        self.groups = [types.SimpleNamespace(is_process=False, group_classes=group_classes), types.SimpleNamespace(is_process=True, group_classes=group_classes)]

    def read(self, data):
        cursor = Cursor(data)
        found = profile_read(cursor, self.groups, CLASSES, RANKS, SHORT)
        cursor.end()
        return found

    def written(self, what):
        return ProfileWriter(RANKS, SHORT).profile(what, lambda key: 0)

    def test_right(self):
        self.assertEqual(self.read(self.written(profile())), profile())

    def test_slight(self):
        """All that there is of slight ones."""
        def slight(ns, bucket, **changes):
            mean = figure(ns, 3) << 5
            return distribution(mean=mean, most=max(mean >> 4, bucket << 4), rank=None, least=None, deviation=None, shares=None, slight=True, **changes)

        what = profile()
        what.classes[0].durations = [slight(1000, 10), slight(1000, 63, count=COUNT_END - 1)]
        one = Distribution(1, figure(9, 3) << 5, figure(9, 4), None, figure(9, 4), 0, {4: WHOLE}, True)
        what.classes[0].gaps = [one, slight(0, 0), slight(0, 1, count=2)]
        self.assertEqual(self.read(self.written(what)), what)
        self.bad("a longest time in bucket 64", lambda what: what.classes[0].gaps.__setitem__(0, slight(40, 64)))

    def test_shared(self):
        """Slight ones of one place with the same times, and others among them."""
        def slight(count, ns, precision, bucket, shared):
            mean = figure(ns, precision) << 8 - precision
            most = bucket << 4 if bucket > mean >> 8 else mean >> 4
            return Distribution(count, mean, most, slight=True, shared=shared)

        def gaps(bucket):
            return [slight(7, 1000, 3, 10, False), slight(1, 1001, 8, bucket, True), slight(9, 500, 3, 9, False), slight(1000, 1001, 8, bucket, True)]

        for places in ([(2, 1), (2, 1)], [(2, 1), (3, 1)]):
            what = profile()
            what.classes[0].durations = [slight(3, 77, 8, 7, True), slight(1, 77, 8, 7, True)]
            what.classes[0].gaps = gaps(11)
            what.classes[0].first = slight(3, 1000, 3, 63, False)
            what.classes[1].durations = [slight(5, 77, 8, 7, True)] * 2 if places[0] == places[1] else [slight(5, 99, 8, 63, True)] * 2
            what.classes[1].gaps = gaps(11 if places[0] == places[1] else 12)
            what.leaves[0, 2, 0] = [1, 0, 1]
            data = ProfileWriter(RANKS, SHORT, places).profile(what, lambda key: int(key == (0, 2, 0)))
            cursor = Cursor(data)
            self.assertEqual(profile_read(cursor, self.groups, CLASSES, RANKS, SHORT, places), what)
            cursor.end()

    def test_before_version_7(self):
        """Without slight ones, in a section of the other type."""
        data = ProfileWriter(RANKS, False).profile(profile(), lambda key: 0)
        cursor = Cursor(data)
        self.assertEqual(profile_read(cursor, self.groups, CLASSES, RANKS, False), profile())
        cursor.end()

    def test_little_known(self):
        what = profile()
        what.classes = {0: ClassProfile([distribution(), distribution()]), 1: ClassProfile()}
        self.assertEqual(self.read(self.written(what)), what)
        what = Profile(what.classes, what.leaves)
        self.assertEqual(self.read(self.written(what)), what)

    def bad(self, message, change):
        what = profile()
        change(what)
        with self.assertRaises(Damage) as caught:
            self.read(self.written(what))
        self.assertIn(message, str(caught.exception))

    def test_damage_distributions(self):
        def changed(message, k=0, **changes):
            made = gap(**changes) if k else distribution(**changes)
            self.bad(message, lambda what: (what.classes[0].gaps if k else what.classes[0].durations).__setitem__(0, made))

        changed("a distribution of 0 times", count=0)
        changed("a distribution of 9223372036854775808 times", count=COUNT_END)
        changed("figures from -1", least=-1)
        changed("to 1024", least=None, most=1024)
        changed("to 1024", most=1024)
        changed("and -1", 1, deviation=-1)
        changed("rank 3 of 3", rank=3)
        changed("a share of 33 where 32 are left", shares={3: 33})
        changed("a share of 24 where 23 are left", 1, shares={3: 9, 5: 24})
        writer = BitWriter()
        writer.number(1, "parts")
        writer.flag(0, "slight", 0)
        writer.number(RECENT_COUNTS + 1, "count", 0)
        with self.assertRaises(Damage) as caught:
            self.read(writer.bytes())
        self.assertIn("a recent count 9", str(caught.exception))

    def test_damage_classes(self):
        self.bad("65 distributions", lambda what: what.classes[1].durations.extend([distribution()] * 64))
        self.bad("65 distributions", lambda what: what.classes[1].gaps.extend([gap()] * 65))
        self.bad("class 2 of 2", lambda what: what.classes[0].befores.update({2: 1}))
        self.bad("distribution 2 of 2", lambda what: what.leaves[0, 0, 0].__setitem__(1, 2))
        with self.assertRaises(Damage) as caught:
            self.read(b"")
        self.assertIn("64 bits", str(caught.exception))

    def test_before_twice(self):
        """The first time counts."""
        class Twice(ProfileWriter):
            def befores(self, those):
                super().befores([0, 1] if those else [1])

        what = profile()
        what.classes[0].gaps.append(gap())
        self.assertEqual(self.read(Twice(RANKS, SHORT).profile(what, lambda key: 0)), what)

    def test_damage_shares(self):
        for sizes in ([1, 1], [1, 1, 1, 1], [4], [2]):
            self.bad("blocks of", lambda what, sizes=sizes: setattr(what, "blocks", sizes))
            self.bad("blocks of", lambda what, sizes=sizes: setattr(what, "class_blocks", sizes))
        self.bad("a time 1010", lambda what: what.activities.__setitem__(0, RankShares([0, SHARE_MAX + 1], [(0, 0), (SHARE_MAX + 1, 0)])))
        self.bad("a time -1", lambda what: what.activities[0].values.__setitem__(0, -1))
        self.bad("a time 1010", lambda what: what.activities[0].most.__setitem__(1, (SHARE_MAX + 1, 0)))
        self.bad("a time 1010", lambda what: what.classes[1].by_rank_gaps.most.__setitem__(1, (SHARE_MAX + 1, 0)))

    def test_damage_rank_in_block(self):
        what = profile()
        what.blocks, what.class_blocks = [3], [3]
        what.activities = [RankShares([4], [(5, 2)])] * 6
        for those in what.classes.values():
            those.by_rank = those.by_rank_gaps = None
        self.assertEqual(self.read(self.written(what)), what)
        what.activities = [RankShares([4], [(5, 3)])] * 6
        with self.assertRaises(Damage) as caught:
            self.read(self.written(what))
        self.assertIn("rank 3 of 3", str(caught.exception))

    def test_many_blocks(self):
        """2^60 ranks are no reason to make a list of them."""
        writer = BitWriter()
        writer.number(0, "runs")
        writer.number((1 << 60) - 1, "blocks")
        writer.number(0, "ranks")
        for ranks in (1 << 60, 1 << 61, BLOCKS_MAX + 1):
            with self.assertRaises(Damage) as caught:
                blocks_read(BitReader(writer.bytes()), ranks)
            self.assertIn("blocks", str(caught.exception))

    def test_changed(self):
        """A profile that is cut off or changed is damaged or another one."""
        whole, damaged, others = self.written(profile()), 0, 0
        for at in range(len(whole)):
            for changed in [whole[:at]] + [whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1:] for bit in range(0, 8, 3)]:
                try:
                    self.read(changed)
                    others += 1
                except Damage:
                    damaged += 1
        self.assertGreater(min(damaged, others), 0)

    def test_random(self):
        """In traces, between calls and times."""
        count = 0
        for seed in range(30):
            shards, _ = random_trace.random_shards(seed)
            trace = second_decoder.Trace(trace_writer.file_of(*[shard.b.sections() for shard in shards]))
            self.assertIsNone(trace.damage, seed)
            found = [shard for those in trace.segments for shard in those]
            self.assertEqual([shard.profile for shard in found], [shard.profile for shard in shards], seed)
            count += sum(shard.profile is not None for shard in shards)
        self.assertGreater(count, 20)

    def test_order(self):
        """Behind the calls, in place of statistics, before times."""
        shards, _ = random_trace.random_shards(1)
        (one, two), end = shards[0].b.sections()[:2], []
        five, three, four, eight, nine = (5, b""), (3, b""), (4, b""), (8, b""), (9, b"")
        for wrong in ([one, two, three, five], [one, two, five, three], [one, two, five, five], [one, two, five, eight], [one, two, eight, five], [one, two, nine, eight], [one, two, four, five], [one, five, two],
                      [one, five, one, two]):
            damage = second_decoder.shards_read(trace_writer.file_of(wrong, end))[1]
            self.assertIn("not in order", str(damage))
        for right in ([one, two, five, four], [one, two, eight, four], [one, two, nine, four]):
            self.assertIsNone(second_decoder.shards_read(trace_writer.file_of(right, end))[1])
