# SPDX-License-Identifier: BSD-3-Clause
"""The profile of a Pilgrim trace, from docs/FORMAT.md (section 6, "The profile") alone."""
import collections
import dataclasses
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from second_parts import Damage  # noqa: E402

PROBABILITY_END, PROBABILITY_LEAST, PROBABILITY_MOST = 1 << 16, 64, 65472
LEARNT_MAX = 30
NUMBER_ONES_MAX = 63
DISTRIBUTIONS_MAX = 64
BUCKET_MAX = 39             # of histograms
BUCKET_LAST = 63            # of times
PRECISION, MEAN_PRECISION, SLIGHT_MEAN = 4, 8, 3
RECENT_COUNTS = 8
COUNT_END = 1 << 63
WHOLE = 32                  # shares of a histogram
SHARE_MAX = 1009
BLOCKS_MAX = 1 << 16
CATEGORIES = ("computing", "point to point", "collective", "one-sided", "file", "other")


# ---- coded bits --------------------------------------------------------------------------------------------------

class Context:
    """How probable a bit of 1 is, of 65536, after so many bits as are learnt."""

    def __init__(self):
        self.p, self.learnt = PROBABILITY_END >> 1, 0

    def learn(self, bit):
        rest = PROBABILITY_END - self.p if bit else self.p
        step = 2 * rest // (2 * self.learnt + 3)
        self.p = min(max(self.p + (step if bit else -step), PROBABILITY_LEAST), PROBABILITY_MOST)
        self.learnt = min(self.learnt + 1, LEARNT_MAX)


class Interval:
    """L and H of the coder."""

    def __init__(self):
        self.low, self.high = 0, (1 << 32) - 1

    def middle(self, context):
        p = context.p if context else PROBABILITY_END >> 1
        return self.low + ((self.high - self.low) * p >> 16)

    def take(self, bit, middle):
        if bit:
            self.high = middle
        else:
            self.low = middle + 1

    def shift(self):
        """Takes away the most significant byte if it is the same in both, and returns whether it is."""
        if (self.low ^ self.high) >> 24:
            return False
        self.low = self.low << 8 & 0xffffffff
        self.high = self.high << 8 & 0xffffffff | 255
        return True


class BitReader:
    """Takes bits out of DATA. Contexts are named by tuples."""

    def __init__(self, data):
        self.data, self.at = data, 4
        self.x = int.from_bytes(data[:4].ljust(4, b"\0"), "big")
        self.interval = Interval()
        self.contexts = collections.defaultdict(Context)

    def bit(self, context=None):
        middle = self.interval.middle(context)
        bit = int(self.x <= middle)
        self.interval.take(bit, middle)
        while self.interval.shift():
            byte = self.data[self.at] if self.at < len(self.data) else 0
            self.x = self.x << 8 & 0xffffffff | byte
            self.at += 1
        if context:
            context.learn(bit)
        return bit

    def flag(self, *name):
        return self.bit(self.contexts[name])

    def bits(self, count):
        value = 0
        for _ in range(count):
            value = value << 1 | self.bit()
        return value

    def number(self, *name):
        ones = 0
        while self.flag(*name, "u", ones):
            ones += 1
            if ones > NUMBER_ONES_MAX:
                raise Damage("a number of 64 bits")
        if not ones:
            return 0
        return (1 << ones) + (self.flag(*name, "h", ones) << (ones - 1)) + self.bits(ones - 1) - 1

    def difference(self, *name):
        magnitude = self.number(*name)
        return -magnitude if magnitude and self.flag(*name, "sign") else magnitude


# ---- distributions -----------------------------------------------------------------------------------------------

def figure(ns, precision):
    """That of NS: its bucket and, behind it, PRECISION bits."""
    bucket = ns.bit_length()
    return (bucket << precision) + ((ns - (1 << bucket - 1) << precision) >> bucket - 1) if bucket else 0


def smallest(figure_, precision):
    """The smallest number that has FIGURE_."""
    bucket = figure_ >> precision
    if not bucket:
        return 0
    return (1 << bucket - 1) + ((figure_ & (1 << precision) - 1) << bucket - 1 >> precision)


FIGURE_MAX = figure((1 << 63) - 1, PRECISION)


class RecentCounts:
    def __init__(self):
        self.counts = [0] * RECENT_COUNTS

    def place(self, count):
        """Where COUNT stands; RECENT_COUNTS: nowhere."""
        return self.counts.index(count) if count in self.counts else RECENT_COUNTS

    def meet(self, count):
        """Moves COUNT to the front."""
        del self.counts[min(self.place(count), RECENT_COUNTS - 1)]
        self.counts.insert(0, count)


@dataclasses.dataclass
class Distribution:
    """What is known of some times. slight: it has nothing but count, mean (rounded to 3 bits) and the longest's bucket; shared: these two are those of its
    place. mean: a figure of 8 bits; least, most, deviation: of 4; rank: of the longest, in the shard; shares: of each
    bucket that has some, 32nds. None: not known."""
    count: int
    mean: int
    most: int
    rank: int = None
    least: int = None
    deviation: int = None
    shares: dict = None
    slight: bool = False
    shared: bool = False


def bucket_of(figure_):
    """That in the histogram."""
    return min(figure_ >> PRECISION, BUCKET_MAX)


class DistributionReader:
    """RANKS: of the shard. SHORT: there are slight distributions."""

    def __init__(self, bits, ranks, short):
        self.bits, self.ranks, self.short, self.recent = bits, ranks, short, RecentCounts()
        self.shared = {}    # by place and k: a distribution

    def read(self, k, place=None):
        """PLACE: of the class, if its slight distributions may share their times."""
        b = self.bits
        slight = bool(self.short and b.flag("slight", k))
        met = b.number("count", k)
        if met > RECENT_COUNTS:
            raise Damage("a recent count %d" % met)
        count = self.recent.counts[met] if met < RECENT_COUNTS else b.number("new_count", k) + 1
        if not 0 < count < COUNT_END:
            raise Damage("a distribution of %d times" % count)
        self.recent.meet(count)
        earlier = self.shared.get((place, k)) if slight else None
        shared = bool(slight and place is not None and b.flag("like" if earlier else "shared", k))
        if shared and earlier:
            return dataclasses.replace(earlier, count=count)
        mean = self.mean_read(k, slight, SLIGHT_MEAN if slight and not shared else MEAN_PRECISION)
        middle = mean >> MEAN_PRECISION - PRECISION
        d = Distribution(count, mean, middle, None if slight else self.rank_read(k), slight=slight, shared=shared)
        if shared:
            self.shared[place, k] = d
        if shared or slight and count > 1:
            self.longest_read(d, k)
        elif count == 1:
            d.least, d.deviation, d.shares = middle, 0, {bucket_of(middle): WHOLE}
        else:
            self.rest_read(d, middle, k)
        return d

    def rank_read(self, k):
        if k or self.ranks == 1:
            return None
        rank = self.bits.bits((self.ranks - 1).bit_length())
        if rank >= self.ranks:
            raise Damage("rank %d of %d" % (rank, self.ranks))
        return rank

    def longest_read(self, d, k):
        bucket = d.mean >> MEAN_PRECISION
        more = self.bits.number("longest", k)
        if bucket + more > BUCKET_LAST:
            raise Damage("a longest time in bucket %d" % (bucket + more))
        if more:
            d.most = bucket + more << PRECISION

    def mean_read(self, k, slight, precision):
        bucket = 0
        for i in range(6):
            bucket = bucket << 1 | self.bits.flag("bucket", k, slight, (1 << i) + bucket)
        more = min(precision, max(bucket - 1, 0))
        return (bucket << MEAN_PRECISION) + (self.bits.bits(more) << MEAN_PRECISION - more)

    def rest_read(self, d, middle, k):
        b = self.bits
        brief = b.flag("brief", k)
        d.most += b.number("high", k)
        if not brief:
            d.least = middle - b.number("low", k)
            d.deviation = d.most - b.number("spread", k)
        if d.most > FIGURE_MAX or not brief and min(d.least, d.deviation) < 0:
            raise Damage("figures from %s to %s, and %s" % (d.least, d.most, d.deviation))
        if not brief:
            d.shares = self.shares_read(bucket_of(d.least), bucket_of(d.most), k)

    def shares_read(self, first, last, k):
        left, found = WHOLE, {}
        for bucket in range(first, last):
            if not left:
                break
            share = self.bits.number("histogram", k)
            if share > left:
                raise Damage("a share of %d where %d are left" % (share, left))
            left -= share
            if share:
                found[bucket] = share
        if left:
            found[last] = left
        return found


# ---- classes -----------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class ClassProfile:
    """durations, gaps: Distributions, no durations: nothing is known; befores: {class of the call before: number of a distribution of
    gaps}, 0 for those that do not stand there; first: that of first calls, or None; by_rank, by_rank_gaps: RankShares or None."""
    durations: list = dataclasses.field(default_factory=list)
    gaps: list = dataclasses.field(default_factory=list)
    befores: dict = dataclasses.field(default_factory=dict)
    first: Distribution = None
    by_rank: "RankShares" = None
    by_rank_gaps: "RankShares" = None


def class_read(reader, classes, place):
    """CLASSES: how many there are in the shard. PLACE: as DistributionReader.read has it."""
    found, b = ClassProfile(), reader.bits
    found.durations = [reader.read(0, place) for _ in range(count_read(b, "parts"))]
    if not found.durations:
        return found
    for number in range(count_read(b, "gap_parts")):
        found.gaps.append(reader.read(1, place))
        if number:
            befores_read(b, found.befores, number, classes)
    if b.flag("first"):
        found.first = reader.read(1)
    return found


def count_read(b, name):
    count = b.number(name)
    if count > DISTRIBUTIONS_MAX:
        raise Damage("%d distributions" % count)
    return count


def befores_read(b, befores, number, classes):
    before = -1
    for _ in range(b.number("befores")):
        before += 1 + b.number("before")
        if before >= classes:
            raise Damage("class %d of %d before" % (before, classes))
        befores.setdefault(before, number)


def group_classes_of(groups):
    """Yields (group's number, class index, group class) of the calls that a profile is of."""
    for number, group in enumerate(groups):
        if not group.is_process:
            for class_index, group_class in enumerate(group.group_classes):
                if not group_class.is_loop:
                    yield number, class_index, group_class


def leaves_read(b, groups, classes):
    """{(group's number, class index, value group's number): for each of its signatures the number of a distribution}, of classes that have several. CLASSES:
    by their numbers."""
    last, found = {}, {}
    for number, class_index, group_class in group_classes_of(groups):
        count = len(classes[group_class.class_number].durations)
        if count < 2:
            continue
        for k, value_group in enumerate(group_class.value_groups):
            leaves = found[number, class_index, k] = []
            for _ in value_group.list:
                which = last.get(group_class.class_number, 0) if b.flag("again") else b.number("which")
                if which >= count:
                    raise Damage("distribution %d of %d" % (which, count))
                last[group_class.class_number] = which
                leaves.append(which)
    return found


# ---- shares ------------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class RankShares:
    """values: of each block; most: of each block (value, rank in the block) of the rank with the most."""
    values: list
    most: list


def blocks_read(b, ranks):
    """[how many ranks each block has]"""
    found, left = [], ranks
    for _ in range(b.number("runs") + 1):
        blocks, each = b.number("blocks") + 1, b.number("ranks") + 1
        left -= blocks * each
        if left < 0 or len(found) + blocks > BLOCKS_MAX:
            raise Damage("blocks of more than %d ranks, or more than %d" % (ranks, BLOCKS_MAX))
        found += [each] * blocks
    if left:
        raise Damage("blocks of %d ranks less than %d" % (left, ranks))
    return found


def share_read(value):
    if not 0 <= value <= SHARE_MAX:
        raise Damage("a time %d" % value)
    return value


def by_rank_read(b, blocks):
    if b.flag("empty"):
        return RankShares([0] * len(blocks), [(0, 0)] * len(blocks))
    values, most, value = [], [], 0
    for ranks in blocks:
        value = share_read(value + b.difference("value"))
        values.append(value)
        more, rank = (b.number("most"), b.bits((ranks - 1).bit_length())) if ranks > 1 else (0, 0)
        if rank >= ranks:
            raise Damage("rank %d of %d in its block" % (rank, ranks))
        most.append((share_read(value + more), rank))
    return RankShares(values, most)


@dataclasses.dataclass
class Profile:
    """classes: {number: ClassProfile}; leaves: as leaves_read returns them; blocks: sizes, None without shares; activities: of CATEGORIES;
    class_blocks: sizes."""
    classes: dict
    leaves: dict
    blocks: list = None
    activities: list = dataclasses.field(default_factory=list)
    class_blocks: list = None


def shares_read(b, found, known, ranks):
    found.blocks = blocks_read(b, ranks)
    found.activities = [by_rank_read(b, found.blocks) for _ in CATEGORIES]
    found.class_blocks = blocks_read(b, ranks)
    for those in known.values():
        if those.durations:
            those.by_rank = by_rank_read(b, found.class_blocks) if b.flag("by_rank") else None
            those.by_rank_gaps = by_rank_read(b, found.class_blocks) if b.flag("by_rank_gaps") else None


def profile_read(c, groups, classes, ranks, short, places=None):
    """GROUPS: of the shard, which has RANKS ranks, and so many CLASSES. SHORT: there are slight distributions. PLACES: by class, if slight ones of one
    place may share their times."""
    b = BitReader(c.bytes(c.left()))
    reader = DistributionReader(b, ranks, short)
    numbers = sorted({group_class.class_number for _, _, group_class in group_classes_of(groups)})
    known = {number: class_read(reader, classes, places and places[number]) for number in numbers}
    found = Profile(known, leaves_read(b, groups, known))
    if b.flag("shares"):
        shares_read(b, found, known, ranks)
    if b.at < len(b.data):
        raise Damage("%d bytes of the profile left over" % (len(b.data) - b.at))
    return found
