# SPDX-License-Identifier: BSD-3-Clause
"""Tests of aggregates.py: a profile that is not that of the calls' times must be caught."""
import dataclasses
import json
import math
import os
import tempfile
import unittest

import aggregates
import compare
from aggregates import RankTimes, Times, share_value
from random_profile import ProfileWriter, lists_of
from second_profile import CATEGORIES, MEAN_PRECISION, PRECISION, WHOLE, ClassProfile, Distribution, Profile, RankShares, bucket_of, figure
from trace_writer import Builder, constant, file_of


def distribution(*times):
    """What is known of TIMES, (ns, rank) each."""
    all_ns, count = [ns for ns, _ in times], len(times)
    shares = {}
    for ns in all_ns:
        bucket = bucket_of(figure(ns, PRECISION))
        shares[bucket] = shares.get(bucket, 0) + WHOLE / count
    shares = {bucket: round(share) for bucket, share in shares.items()}
    mean = sum(all_ns) / count
    deviation = math.isqrt(int(sum((ns - mean) ** 2 for ns in all_ns) / count))
    return Distribution(count, figure(int(mean), MEAN_PRECISION), figure(max(all_ns), PRECISION),
                        min(rank for ns, rank in times if ns == max(all_ns)), figure(min(all_ns), PRECISION),
                        figure(deviation, PRECISION), shares)


class Figures(unittest.TestCase):
    TIMES = [(4, 1), (40, 0), (40, 0), (300, 2), (300, 1), (30, 0), (35, 0), (37, 0)]

    def check(self, d, times=None, run=0):
        known = Times()
        known.times = self.TIMES if times is None else times
        known.check("here", d, run, 2)

    def bad(self, message, times=None, run=0, **changes):
        with self.assertRaises(compare.Difference) as caught:
            self.check(dataclasses.replace(distribution(*self.TIMES), **changes), times, run)
        self.assertIn(message, str(caught.exception))

    def test_good(self):
        self.check(distribution(*self.TIMES))
        self.check(distribution((0, 3)), [(0, 3)])
        self.check(dataclasses.replace(distribution(*self.TIMES), rank=None))
        self.check(dataclasses.replace(distribution(*self.TIMES), least=None, deviation=None, shares=None), run=786 * 512)
        three = self.TIMES[:2] + self.TIMES[3:4]
        self.check(dataclasses.replace(distribution(*three), shares={3: 11, 6: 10, 9: 11}), three)
        with self.assertRaises(compare.Difference):
            self.check(dataclasses.replace(distribution(*three), shares={3: 11, 6: 11, 9: 10}), three)

    def test_bad(self):
        known = distribution(*self.TIMES)
        self.bad("8 times, not 9", self.TIMES + [(30, 0)])
        self.bad("9 times, not 8", count=9)
        for name, field in (("shortest", "least"), ("longest", "most"), ("mean", "mean"), ("deviation", "deviation")):
            for change in (-2, 2):
                self.bad("the %s is" % name, **{field: getattr(known, field) + change})
        self.bad("of rank 1, not 2", rank=2)
        self.bad("not all is known of 786 ns", least=None)
        self.bad("the histogram of 8", shares={3: 4, 5: 4, 6: 18, 9: 6})
        self.bad("the histogram of 8", shares={3: 4, 5: 4, 6: 16, 7: 2, 9: 6})

    def test_slight(self):
        """The mean is 98, and 96 or 104 with 3 bits; the longest is 300, and from 256 on."""
        def slight(mean=96, most=256):
            return {"mean": figure(mean, MEAN_PRECISION), "most": figure(most, PRECISION), "rank": None, "least": None, "deviation": None,
                    "shares": None, "slight": True}

        run = 4096 * 786
        for those in (slight(), slight(104)):
            self.check(dataclasses.replace(distribution(*self.TIMES), **those), run=run)
        for those in (slight(88), slight(112)):
            self.bad("the mean is 98", run=run, **those)
        for most in (128, 512):
            self.bad("the longest is 300", run=run, **slight(most=most))
        self.bad("slight, with 786 ns, 300 at most", run=run - 4096, **slight())
        self.bad("slight, with 400 ns, 400 at most", [(0, 0)] * 7 + [(400, 0)], run=4096 * 700, **slight(48))
        one = dataclasses.replace(distribution((9, 3)), rank=None, slight=True)
        self.check(one, [(9, 3)], run)

    def test_shared(self):
        """Two distributions share the mean of both, 98, and the longest, from 256 on."""
        known, most = Times(), figure(256, PRECISION)
        known.times = self.TIMES
        one = Distribution(3, figure(98, MEAN_PRECISION), most, slight=True, shared=True)
        known.shared_check("here", [one, dataclasses.replace(one, count=5)])
        self.check(one, self.TIMES[:3], 4096 * 786) # what its own mean is does not matter
        for changes, message in (({"mean": one.mean + 1}, "the mean of 2 that share is 98"), ({"most": most + (1 << PRECISION)}, "the longest is 300")):
            with self.assertRaises(compare.Difference) as caught:
                known.shared_check("here", [one, dataclasses.replace(one, **changes)])
            self.assertIn(message, str(caught.exception))
        self.bad("slight, with 786 ns", run=4000 * 786, **{**vars(one), "count": 8})


class Shares(unittest.TestCase):
    def setUp(self):
        self.times = RankTimes(4)
        for rank, ns in enumerate((0, 1000, 10000, 20000)):
            self.times.add(rank, ns)

    def bad(self, message, *what):
        with self.assertRaises(compare.Difference) as caught:
            self.times.check("here", *what)
        self.assertIn(message, str(caught.exception))

    def test_values(self):
        self.assertEqual([share_value(ns) for ns in (0, 1, 2, 1000, 1 << 63)], [0, 1, 17, 160, 1009])
        for ns in (1, 3, 1000, 12345, 1 << 60):
            for value, good in ((-2, False), (0, True), (2, False)):
                self.assertEqual(aggregates.is_near(ns, share_value(ns) + value), good, ns)
        self.assertTrue(aggregates.is_near(0, 0) and not aggregates.is_near(0, 1) and not aggregates.is_near(1, 0))

    def test_single(self):
        values = [share_value(ns) for ns in self.times.ns]
        self.times.check("here", RankShares(values, [(value, 0) for value in values]), [1] * 4)
        for i in range(4):
            changed = [value + 2 * (number == i) for number, value in enumerate(values)]
            self.bad("ranks %d to %d" % (i, i), RankShares(changed, [(value, 0) for value in changed]), [1] * 4)

    def test_blocks(self):
        values = [share_value(ns) for ns in (500, 15000)]
        most = [(share_value(1000), 1), (share_value(20000), 1)]
        self.times.check("here", RankShares(values, most), [2, 2])
        self.bad("ranks 2 to 3 take", RankShares([values[0], values[1] + 1], most), [2, 2])
        self.bad("takes the most", RankShares(values, [most[0], (most[1][0] + 1, 1)]), [2, 2])
        self.bad("takes the most", RankShares(values, [most[0], (most[1][0], 0)]), [2, 2])

    def test_alike(self):
        alike = RankTimes(3)
        for rank, ns in ((0, 50), (0, 50), (1, 105), (2, 100)):
            alike.add(rank, ns)
        alike.check_alike("here", 0)
        alike.add(2, 20)
        alike.check_alike("here", 20)
        with self.assertRaises(compare.Difference):
            alike.check_alike("here", 19)

    def test_categories(self):
        for function, category in (("MPI_Waitall", "point to point"), ("MPI_Psend_init", "point to point"), ("MPI_Bcast_c", "collective"),
                                   ("MPI_Ineighbor_alltoallw", "collective"), ("MPI_Graph_neighbors_count", "other"),
                                   ("MPI_Win_fence", "one-sided"), ("MPI_File_open", "file"), ("MPI_Init", "other"),
                                   ("MPIX_Query", "other")):
            self.assertEqual(CATEGORIES[aggregates.category_of(function)], category)


class Traces(unittest.TestCase):
    """Two ranks with two classes. Of the first one durations are told apart by their indices in the list of signatures, which are equal, and gaps."""
    # (class, index in the list, gap, duration) of each rank's calls
    CALLS = [[(0, 0, 5, 100), (0, 1, 7, 9000), (1, 0, 800, 20), (0, 0, 9, 101)],
             [(0, 0, 6, 100), (0, 1, 7, 9000), (1, 0, 800, 20), (0, 0, 9, 200)]]

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.profile = self.made()
        b = self.b = Builder(ranks=2)
        signatures = 2 * [b.signature(b.shape(b"\3"), [constant(1)])]
        rows = [(b.group_class(b.call_class(b"MPI_Send"), (b.sequence(0, 1, 0), signatures)), None),
                (b.group_class(b.call_class(b"MPI_Barrier"), (b.sequence(0), signatures[:1])), None)]
        b.process()
        b.group(b.sequence(0, 0, 1, 0), rows, b"\7\0" + bytes([b.differences(1)]))
        for rank, calls in enumerate(self.CALLS):
            with open(os.path.join(self.folder.name, "shadow.%d.jsonl" % rank), "w", encoding="utf-8") as file:
                at = 0
                for seq, (number, _, gap, duration) in enumerate(calls):
                    call = {"rank": rank, "thread": 0, "seq": seq, "func": ("MPI_Send", "MPI_Barrier")[number], "args": {}, "ret": 0,
                            "start": at + gap, "end": at + gap + duration, "raw": {}}
                    at += gap + duration
                    print(json.dumps(call, separators=(",", ":")), file=file)

    def made(self):
        durations, gaps = {}, {}
        for rank, calls in enumerate(self.CALLS):
            before = None
            for number, signature, gap, duration in calls:
                durations.setdefault((number, signature), []).append((duration, rank))
                gaps.setdefault((number, before), []).append((gap, rank))
                before = number

        def gap_of(*key):
            return dataclasses.replace(distribution(*gaps[key]), rank=None)

        def row(*ns):
            values = [share_value(v) for v in ns]
            return RankShares(values, [(value, 0) for value in values])

        send = ClassProfile([distribution(*durations[0, 0]), distribution(*durations[0, 1])], [gap_of(0, 0), gap_of(0, 1)], {1: 1},
                            gap_of(0, None), row(9201, 9300))
        barrier = ClassProfile([distribution(*durations[1, 0])], [gap_of(1, 0)])
        return Profile({0: send, 1: barrier}, {(1, 0, 0): [0, 1]}, [1, 1],
                       [row(816, 816), row(9201, 9300), row(20, 20)] + [row(0, 0)] * 3, [1, 1])

    def check(self):
        """How many distributions are checked in a trace with self.profile."""
        lists = lists_of(self.b)
        self.b.profile = ProfileWriter(2, False).profile(self.profile, lambda key: lists[key][0])
        path = os.path.join(self.folder.name, "t.pilgrim")
        with open(path, "wb") as file:
            file.write(file_of(self.b.sections()))
        return aggregates.aggregates_check(self.folder.name, path)

    def bad(self, message):
        with self.assertRaises(compare.Difference) as caught:
            self.check()
        self.assertIn(message, str(caught.exception))

    def test_good(self):
        self.assertEqual(self.check(), 7)

    def test_leaves(self):
        self.profile.leaves[1, 0, 0] = [1, 0]
        self.bad("class 0, MPI_Send at ?, durations 0: 4 times, not 2")

    def test_befores(self):
        self.profile.classes[0].befores = {0: 1}
        self.bad("class 0, MPI_Send at ?, gaps 0: the longest is 9")

    def test_first(self):
        self.profile.classes[0].first = None
        self.bad("no distribution for class 0, MPI_Send at ?, first 0")

    def test_unknown(self):
        self.profile.classes[1] = ClassProfile()
        self.bad("no distribution for class 1")

    def test_more(self):
        self.profile.classes[1].gaps.append(self.profile.classes[1].gaps[0])
        self.bad("gaps 1: 2 times, not 0")

    def test_rows(self):
        self.profile.activities[1], self.profile.activities[2] = self.profile.activities[2], self.profile.activities[1]
        self.bad("point to point: ranks 0 to 0 take 9201 ns")

    def test_class_row(self):
        self.profile.classes[0].by_rank.values[1] += 2
        self.bad("by_rank: ranks 1 to 1")

    def test_without_row(self):
        self.profile.classes[0].by_rank = None
        self.assertEqual(self.check(), 7)
        self.profile.classes[0].by_rank_gaps = self.profile.activities[1]
        self.bad("by_rank_gaps: ranks 0 to 0 take 16 ns")

    def test_without_profile(self):
        self.b.profile = None
        path = os.path.join(self.folder.name, "t.pilgrim")
        with open(path, "wb") as file:
            file.write(file_of(self.b.sections()))
        with self.assertRaises(compare.Difference):
            aggregates.aggregates_check(self.folder.name, path)
