# SPDX-License-Identifier: BSD-3-Clause
"""The statistics of a Pilgrim trace, from docs/FORMAT.md (section 6) alone."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from second_parts import Damage  # noqa: E402

BUCKET_MAX = 63
ANY = None  # in place of a predecessor: whatever came before
FIRST = -1  # idem: no call before in this segment


class Distribution:
    """What is known of some times. first: the first bucket that is not empty; counts: of it and those that follow; mean, deviation, least,
    most: (bucket, step); low, high: ranks, in the shard. count 0: nothing is known."""

    def __init__(self, first):
        self.first, self.counts, self.count = first, [], 0
        self.mean = self.deviation = self.least = self.most = None
        self.low = self.high = 0

    def last(self):
        return self.first + len(self.counts) - 1

    def histogram(self):
        return {self.first + i: count for i, count in enumerate(self.counts) if count}

    def counts_set(self, counts):
        self.counts, self.count = counts, sum(counts)
        if counts and not (counts[0] > 0 and counts[-1] > 0) or self.count >= 1 << 64:
            raise Damage("a first or last bucket that is empty, or 2^64 times or more")


def range_of(bucket, step):
    """(smallest, largest) of the numbers that stand as STEP in BUCKET."""
    if not bucket:
        return 0, 0
    width = 1 << max(bucket - 9, 0)
    smallest = (1 << (bucket - 1)) + step * width
    return smallest, smallest + width - 1


class Entry:
    """The calls with one signature of a value group, or with any. predecessors: class indices, FIRST; or [ANY]. gaps: of each; duration."""

    def __init__(self, c, class_index, group_classes):
        self.predecessors = []
        for _ in range(c.count()):
            before = class_index - 1 - c.svarint()
            if not FIRST <= before < len(group_classes) or before >= 0 and group_classes[before].is_loop:
                raise Damage("calls behind group class %d of %d" % (before, len(group_classes)))
            if self.predecessors and before <= self.predecessors[-1]:
                raise Damage("predecessors that do not increase")
            self.predecessors.append(before)
        self.predecessors = self.predecessors or [ANY]
        self.gaps, self.duration = [], None


def entries_read(c, groups):
    """{(group's number, class index, value group's number): [Entry of each signature, or one of all]}"""
    found = {}
    for number, group in enumerate(groups):
        if group.is_process:
            continue
        for class_index, group_class in enumerate(group.group_classes):
            if group_class.is_loop:
                continue
            for k, value_group in enumerate(group_class.value_groups):
                each = c.u8() if len(value_group.list) > 1 else 1
                if each > 1:
                    raise Damage("statistics of a value group in another form")
                found[number, class_index, k] = [Entry(c, class_index, group.group_classes) for _ in (value_group.list if each else [0])]
    return found


def step_read(c, bucket):
    """(bucket, step in it)"""
    step = c.u8()
    if not 0 <= bucket <= BUCKET_MAX:
        raise Damage("a bucket %d" % bucket)
    if step and step >= 1 << (bucket - 1) if bucket else step:
        raise Damage("step %d in bucket %d" % (step, bucket))
    return bucket, step


def counts_read(c, entries, sizes):
    """SIZES: how many buckets, of gaps and then of durations."""
    at = iter(sizes)
    for entry in entries:
        for gap in entry.gaps:
            gap.counts_set([c.varint() for _ in range(next(at))])
    for entry in entries:
        size = next(at)
        counts = [c.varint() for _ in range(size - 1)]
        rest = sum(gap.count for gap in entry.gaps) - sum(counts)
        if rest != 0 if not size else rest < 1:
            raise Damage("durations and gaps that are not as many")
        entry.duration.counts_set(counts + [rest] if size else [])


def statistics_read(c, groups, ranks):
    """As entries_read, with all that is known. GROUPS: of the shard, with RANKS ranks."""
    found = entries_read(c, groups)
    entries = [entry for those in found.values() for entry in those]
    count = sum(len(entry.predecessors) + 1 for entry in entries)
    if count > c.left():
        raise Damage("%d distributions with %d bytes left" % (count, c.left()))
    for entry in entries:
        entry.gaps = [Distribution(c.u8()) for _ in entry.predecessors]
    for entry in entries:
        entry.duration = Distribution(c.u8())
    every = [gap for entry in entries for gap in entry.gaps] + [entry.duration for entry in entries]
    sizes = [c.u8() for _ in every]
    for d, size in zip(every, sizes):
        if d.first + max(size - 1, 0) > BUCKET_MAX or d.first and not size:
            raise Damage("buckets %d to %d" % (d.first, d.first + size - 1))
    counts_read(c, entries, sizes)
    filled, several = [d for d in every if d.count], [d for d in every if d.count > 1]
    mean_buckets = [d.first + c.u8() for d in several]
    deviation_buckets = [d.last() - c.u8() for d in several]
    for d in filled:
        d.least = d.most = d.mean = step_read(c, d.first)
        d.deviation = 0, 0
    for d in several:
        d.most = step_read(c, d.last())
    for d, bucket in zip(several, mean_buckets):
        if bucket > d.last():
            raise Damage("a mean beyond the last bucket")
        d.mean = step_read(c, bucket)
    for d, bucket in zip(several, deviation_buckets):
        d.deviation = step_read(c, bucket)
    if ranks > 1:
        for d in filled:
            d.low = d.high = c.index(ranks, "rank")
        for d in several:
            d.high = c.index(ranks, "rank")
    return found
