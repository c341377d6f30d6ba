# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the second decoder's statistics, which traces of version 5 have."""
import types
import unittest

from second_parts import Cursor, Damage
from second_statistics import ANY, FIRST, range_of, statistics_read

# Two calls, behind no call: gaps of 5 and 7 ns, durations of 0 and 300.
TWO_CALLS = [[1, 0], [3, 0], [1, 10], [2], [1, 0, 0, 0, 0, 0, 0, 0, 0], [0, 8], [2, 1], [1, 0], [3, 44], [2, 22], [0, 22]]
PARTS, FIRSTS, BUCKETS, GAP_COUNTS, COUNTS, MEANS, DEVIATIONS, LEAST, MOST, MEAN_STEPS, DEVIATION_STEPS = range(11)


def shard(ranks=1, signatures=1, group_classes=1):
    """(groups, ranks)"""
    group_class = types.SimpleNamespace(is_loop=False, value_groups=[types.SimpleNamespace(list=[None] * signatures)])
    others = [types.SimpleNamespace(is_loop=True, value_groups=[]) for _ in range(group_classes - 1)]
    return [types.SimpleNamespace(is_process=False, group_classes=[group_class] + others), types.SimpleNamespace(is_process=True, group_classes=[group_class])], ranks


class Statistics(unittest.TestCase):
    def read(self, lists, **what):
        c = Cursor(bytes(sum(lists, [])))
        found = statistics_read(c, *shard(**what))
        c.end()
        return found

    def changed(self, which, at, value, **what):
        lists = [list(those) for those in TWO_CALLS]
        lists[which][at] = value
        return self.read(lists, **what)

    def bad(self, message, which, at, value, **what):
        with self.assertRaises(Damage) as caught:
            self.changed(which, at, value, **what)
        self.assertIn(message, str(caught.exception))

    def test_two_calls(self):
        found = self.read(TWO_CALLS)
        self.assertEqual(list(found), [(0, 0, 0)])
        (entry,) = found[0, 0, 0]
        self.assertEqual(entry.predecessors, [FIRST])
        gap, duration = entry.gaps[0], entry.duration
        self.assertEqual((gap.histogram(), duration.histogram()), ({3: 2}, {0: 1, 9: 1}))
        self.assertEqual([range_of(*figure) for figure in (gap.least, gap.most, gap.mean, gap.deviation)], [(5, 5), (7, 7), (6, 6), (1, 1)])
        self.assertEqual([range_of(*figure)[0] for figure in (duration.least, duration.most, duration.mean, duration.deviation)],
                         [0, 300, 150, 150])

    def test_range(self):
        self.assertEqual([range_of(0, 0), range_of(9, 255), range_of(10, 255), range_of(11, 1)],
                         [(0, 0), (511, 511), (1022, 1023), (1028, 1031)])

    def test_ranks(self):
        (entry,) = self.read(TWO_CALLS + [[2, 0], [1, 2]], ranks=3)[0, 0, 0]
        self.assertEqual([(d.low, d.high) for d in (entry.gaps[0], entry.duration)], [(2, 1), (0, 2)])
        with self.assertRaises(Damage):
            self.read(TWO_CALLS + [[2, 0], [1, 3]], ranks=3)

    def test_any_predecessor(self):
        lists = [[0]] + TWO_CALLS[1:]
        (entry,) = self.read(lists)[0, 0, 0]
        self.assertEqual(entry.predecessors, [ANY])

    def test_signatures(self):
        entries = self.read([[0] + TWO_CALLS[0]] + TWO_CALLS[1:], signatures=2)[0, 0, 0]
        self.assertEqual(len(entries), 1)
        entries = self.read([[1, 1, 0, 1, 0], [0] * 4, [0] * 4], signatures=2)[0, 0, 0]
        self.assertEqual([entry.duration.count for entry in entries], [0, 0])
        with self.assertRaises(Damage):
            self.read([[2] + TWO_CALLS[0]] + TWO_CALLS[1:], signatures=2)

    def test_damage(self):
        self.bad("behind group class", PARTS, 1, 2)            # svarint 1: class index -2
        self.bad("behind group class", PARTS, 1, 3, group_classes=2)    # svarint -2: class index 1, a loop
        self.bad("buckets", FIRSTS, 1, 60)
        self.bad("buckets", BUCKETS, 0, 0)
        self.bad("empty", COUNTS, 0, 0)
        self.bad("not as many", COUNTS, 1, 1)
        self.bad("beyond", MEANS, 1, 10)
        self.bad("bucket -1", DEVIATIONS, 1, 10)
        self.bad("step 4 in bucket 3", MOST, 0, 4)
        self.bad("step 1 in bucket 0", LEAST, 1, 1)
        self.bad("step 128 in bucket 8", MEAN_STEPS, 1, 128)
        self.bad("step 1 in bucket 1", DEVIATION_STEPS, 0, 1)

    def test_cut_off(self):
        whole = sum(TWO_CALLS, [])
        for length in range(len(whole)):
            with self.assertRaises(Damage):
                self.read([whole[:length]])
        with self.assertRaises(Damage):
            self.read([whole + [0]])
