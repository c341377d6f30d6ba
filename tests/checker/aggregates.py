#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the profile of a trace against the times that the wrappers saw.

    aggregates.py SHADOW_DIR TRACE

Which calls belong together is taken from the trace (second_decoder.py), what they took from the shadow logs. For each shard:

* each distribution of a class's durations and gaps has as many times as it should, and their figures: shortest, longest, mean and standard
  deviation as docs/FORMAT.md, section 6, rounds them, the rank of the longest, and the histogram's shares; only where they are little of all
  ranks' time some of that may be missing; those that share their times have the mean and the longest of all of them;
* where a block of ranks is one rank, its times of computing, of each category of calls, and of the classes that have a row by rank, are right
  within 3 %; where it is several, their mean and the largest are;
* a class without a row has no ranks that are more than 10 % apart, unless it takes less than 1/64 of all ranks' time.

Nothing may be left over. Prints how many distributions were checked, or the first that is wrong, and exits 1.
"""
import bisect
import glob
import itertools
import math
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "second"))

from bins import true_times  # noqa: E402
from compare import Difference  # noqa: E402
from second_decoder import Stream, Trace, shard_with  # noqa: E402
from second_parts import Damage  # noqa: E402
from second_profile import CATEGORIES, MEAN_PRECISION, PRECISION, SLIGHT_MEAN, WHOLE, bucket_of, figure  # noqa: E402

STANDARD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "mpi-std")
CHAPTERS = {"chap-pt2pt": "point to point", "chap-part": "point to point", "chap-coll": "collective", "chap-one-side": "one-sided",
            "chap-io": "file"}
SHARE_ROUNDING = 0.5    # 32nds, of the times up to a bucket together
SHARE_ESTIMATE = 1      # more of very many times, of which not all are counted
ALL_COUNTED = (1 << 16) - 2
TIME_ERROR = 0.03
BRIEF_SMALL = 1.001 / 512   # of all ranks' time: where a distribution may lack some figures
SLIGHT_SMALL = 1.001 / 4096 # likewise: where it may be slight
ROW_WORTH = 0.1         # how far ranks are apart in a class that has a row ...
ROW_SMALL = 1.01 / 64   # ... unless that is less than this, of the mean time of a rank


def categories_read():
    """{function: its category}, of those that have one of their own."""
    found = {}
    for path in glob.glob(os.path.join(glob.escape(STANDARD), "chap-*", "*.tex")):
        chapter = os.path.basename(os.path.dirname(path))
        with open(path, encoding="utf-8") as file:
            for name in re.findall(r'function_name\(\s*"(\w+)"', file.read()):
                of_neighbors = chapter == "chap-topol" and "eighbor_" in name
                found[name] = "collective" if of_neighbors else CHAPTERS.get(chapter, "other")
    return found


CATEGORY_OF = categories_read()


def category_of(function):
    """The category's number. Functions with large counts are those without."""
    return CATEGORIES.index(CATEGORY_OF.get(function) or CATEGORY_OF.get(function.removesuffix("_c"), "other"))


def share_value(ns):
    """As it is stored."""
    return max(round(16 * math.log2(ns)), 0) + 1 if ns else 0


def is_near(ns, value):
    """Whether VALUE, as stored, stands for NS, within TIME_ERROR."""
    return abs(2 ** ((value - 1) / 16) - ns) <= TIME_ERROR * ns if value else ns < 1


class Times:
    """Times that belong together, as they come."""

    def __init__(self):
        self.times = []  # (ns, rank)

    def slight_check(self, what, d, small, longest):
        """SMALL, LONGEST: ns; times of a slight distribution are less together, and each of them."""
        times = [ns for ns, _ in self.times]
        mean, stored = sum(times) // len(times), d.mean >> MEAN_PRECISION - SLIGHT_MEAN
        if sum(times) > small or max(times) > longest:
            raise Difference("%s: slight, with %d ns, %d at most" % (what, sum(times), max(times)))
        if d.shared:
            return # the rest is that of all that share: Shard.shared_check
        if not 0 <= stored - figure(mean, SLIGHT_MEAN) <= 1:
            raise Difference("%s: the mean is %d, stored as %d of 3 bits" % (what, mean, stored))
        if len(times) > 1:
            self.longest_check(what, d)

    def longest_check(self, what, d):
        most = max(ns for ns, _ in self.times)
        if d.most >> PRECISION != max(most.bit_length(), d.mean >> MEAN_PRECISION):
            raise Difference("%s: the longest is %d, stored in bucket %d" % (what, most, d.most >> PRECISION))

    def shared_check(self, what, those):
        """THOSE: the distributions that share these times."""
        mean = sum(ns for ns, _ in self.times) // len(self.times)
        for d in those:
            if d.mean != figure(mean, MEAN_PRECISION):
                raise Difference("%s: the mean of %d that share is %d, figure %d, stored as %d"
                                 % (what, len(those), mean, figure(mean, MEAN_PRECISION), d.mean))
            self.longest_check(what, d)

    def check(self, what, d, run, ranks):
        """RUN: ns that all RANKS took. Only of a small part of it the shortest, the deviation and the histogram need not be known."""
        times = [ns for ns, _ in self.times]
        if d.count != len(times):
            raise Difference("%s: %d times, not %d" % (what, d.count, len(times)))
        if d.slight:
            self.slight_check(what, d, SLIGHT_SMALL * run, SLIGHT_SMALL * run / ranks)
            return
        n, total, squares = len(times), sum(times), sum(ns * ns for ns in times)
        figures = [("longest", max(times), d.most, PRECISION, 0), ("mean", total // n, d.mean, MEAN_PRECISION, 0)]
        if d.least is not None:
            deviation = math.isqrt(n * squares - total * total) // n
            figures += [("shortest", min(times), d.least, PRECISION, 0), ("deviation", deviation, d.deviation, PRECISION, 1)]
        elif total > BRIEF_SMALL * run:
            raise Difference("%s: not all is known of %d ns" % (what, total))
        for name, value, stored, precision, more in figures:
            if not figure(max(value - more, 0), precision) <= stored <= figure(value + more, precision):
                raise Difference("%s: the %s is %d, figure %d, stored as %d" % (what, name, value, figure(value, precision), stored))
        if d.rank is not None:
            wanted = min(rank for ns, rank in self.times if ns == max(times))
            if d.rank != wanted:
                raise Difference("%s: the longest is of rank %d, not %d" % (what, wanted, d.rank))
        if d.shares is not None:
            self.histogram_check(what, d, times)

    @staticmethod
    def histogram_check(what, d, times):
        counts = {}
        for ns in times:
            bucket = bucket_of(figure(ns, PRECISION))
            counts[bucket] = counts.get(bucket, 0) + 1
        off, more = 0, SHARE_ESTIMATE if len(times) > ALL_COUNTED else 1e-9
        for bucket in sorted({*counts, *d.shares}):
            off += d.shares.get(bucket, 0) - WHOLE * counts.get(bucket, 0) / len(times)
            if abs(off) > SHARE_ROUNDING + more:
                raise Difference("%s: the histogram of %d is %r, stored as %r" % (what, len(times), counts, d.shares))


class RankTimes:
    """What the ranks of a shard, RANKS, took for something, in ns."""

    def __init__(self, ranks):
        self.ns = [0] * ranks

    def add(self, rank, ns):
        self.ns[rank] += ns

    def check(self, what, row, blocks):
        first = 0
        for size, value, (most, rank) in zip(blocks, row.values, row.most):
            those = self.ns[first:first + size]
            if not is_near(sum(those) / size, value):
                raise Difference("%s: ranks %d to %d take %g ns, %d, stored as %d"
                                 % (what, first, first + size - 1, sum(those) / size, share_value(sum(those) / size), value))
            if not is_near(max(those), most) or those[rank] < (1 - TIME_ERROR) * max(those):
                raise Difference("%s: of ranks %d to %d it is not rank %d that takes the most, stored as %d: %r"
                                 % (what, first, first + size - 1, first + rank, most, those))
            first += size

    def check_alike(self, what, small):
        """There is no row: ranks may not be too far apart. SMALL: ns by which they may be."""
        if max(self.ns) > (1 + ROW_WORTH) * min(self.ns) and max(self.ns) - min(self.ns) > small:
            raise Difference("%s: no row, and ranks take %r ns" % (what, self.ns))


class Shard:
    """What the profile of one shard should be."""

    def __init__(self, shard):
        self.shard, self.profile = shard, shard.profile
        self.number_of = {id(group): number for number, group in enumerate(shard.groups)}
        self.distributions = {}     # by (class, list, number there): Times
        self.activities = [RankTimes(shard.ranks) for _ in CATEGORIES]
        self.by_class = {}          # by (class, "by_rank" or "by_rank_gaps"): RankTimes

    def add(self, key, ns, rank):
        self.distributions.setdefault(key, Times()).times.append((ns, rank))

    def add_shares(self, category, key, ns, rank):
        self.activities[category].add(rank, ns)
        self.by_class.setdefault(key, RankTimes(self.shard.ranks)).add(rank, ns)

    def add_call(self, group_class, leaf, before, gap, duration, rank):
        """A call of GROUP_CLASS, behind one of class BEFORE, or None. LEAF: the number of its distribution."""
        number, known = group_class.class_number, self.profile.classes[group_class.class_number]
        self.add((number, "durations", leaf), duration, rank)
        self.add_shares(category_of(group_class.call_class[0][0]), (number, "by_rank"), duration, rank)
        if before is None:
            self.add((number, "first", 0), gap, rank)
        else:
            self.add((number, "gaps", known.befores.get(before, 0)), gap, rank)
            self.add_shares(0, (number, "by_rank_gaps"), gap, rank)

    def thread(self, rank, thread, times, last):
        """TIMES: an iterator over those of the thread's calls from this segment on. LAST: the end of the call before. Returns that of the
        last one in this segment."""
        shard = self.shard
        first = shard.threads.value(rank - shard.first)
        if first + thread >= shard.threads.value(rank - shard.first + 1):
            return last
        stream = Stream(shard, shard.members, first + thread, rank, [])
        group, member = shard.members.find(first + thread)
        value_groups = [each.partition.find(member)[0] if each.partition else 0 for each in group.group_classes]
        before, number = None, self.number_of[id(group)]
        for at, terminal in stream.calls():
            start, end = next(times)
            group_class = group.group_classes[at]
            leaves, leaf = self.profile.leaves.get((number, at, value_groups[at])), 0
            if leaves:
                leaf = leaves[bisect.bisect_right(group_class.value_groups[value_groups[at]].starts, terminal) - 1]
            self.add_call(group_class, leaf, before, start - last, end - start, rank - shard.first)
            before, last = group_class.class_number, end
        return last

    def name_of(self, number):
        (name, _), frames, _ = self.shard.classes[number]
        return "class %d, %s at %s" % (number, name, frames[0] if frames else "?")

    def check(self):
        count, run, shared = 0, sum(sum(times.ns) for times in self.activities), {}
        for number, known in self.profile.classes.items():
            name = self.name_of(number)
            for kind, those in (("durations", known.durations), ("gaps", known.gaps), ("first", [known.first] if known.first else [])):
                for i, d in enumerate(those):
                    times = self.distributions.pop((number, kind, i), Times())
                    times.check("%s, %s %d" % (name, kind, i), d, run, self.shard.ranks)
                    count += 1
                    if d.shared:
                        _, of_all, sharing = shared.setdefault((self.shard.places[number], kind), ("%s, %s" % (name, kind), Times(), []))
                        of_all.times += times.times
                        sharing.append(d)
        for name, of_all, sharing in shared.values():
            of_all.shared_check(name, sharing)
        if self.distributions:
            number, kind, i = next(iter(self.distributions))
            raise Difference("no distribution for %s, %s %d" % (self.name_of(number), kind, i))
        self.check_shares(run)
        return count

    def check_shares(self, run):
        profile = self.profile
        if profile.blocks is None:
            if run:
                raise Difference("no shares of %d ns" % run)
            return
        for category, times, shares in zip(CATEGORIES, self.activities, profile.activities):
            times.check(category, shares, profile.blocks)
        for (number, kind), times in self.by_class.items():
            shares, name = getattr(profile.classes[number], kind), "%s, %s" % (self.name_of(number), kind)
            if shares:
                times.check(name, shares, profile.class_blocks)
            elif max(profile.class_blocks) == 1:
                times.check_alike(name, ROW_SMALL * run / self.shard.ranks)


def aggregates_check(folder, path):
    """The number of distributions checked. Raises Difference."""
    with open(path, "rb") as file:
        try:
            trace = Trace(file.read())
        except Damage as damage:
            raise Difference("%s: %s" % (path, damage))
    if trace.damage:
        raise Difference("%s: %s" % (path, trace.damage))
    shards = {id(shard): Shard(shard) for shard in itertools.chain.from_iterable(trace.segments)}
    if any(shard.profile is None for shard in shards.values()):
        raise Difference("%s: a shard without a profile" % path)
    for rank, threads in true_times(folder).items():
        for thread, times in threads.items():
            times, last = iter(times), 0
            for shard in [shard_with(shards, rank) for shards in trace.segments]:
                last = shards[id(shard)].thread(rank, thread, times, last)
            if next(times, None):
                raise Difference("rank %d thread %d has fewer calls in the trace" % (rank, thread))
    return sum(shard.check() for shard in shards.values())


def main():
    if len(sys.argv) != 3:
        print("usage: aggregates.py SHADOW_DIR TRACE", file=sys.stderr)
        return 2
    try:
        print("%d distributions checked" % aggregates_check(*sys.argv[1:]))
    except (Difference, OSError, UnicodeDecodeError) as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
