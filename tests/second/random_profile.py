# SPDX-License-Identifier: BSD-3-Clause
"""Random profiles, and the section that one is stored in, with docs/FORMAT.md in hand. See random_trace.py."""
import collections
import dataclasses

from second_profile import (CATEGORIES, COUNT_END, FIGURE_MAX, MEAN_PRECISION, PRECISION, RECENT_COUNTS, SHARE_MAX, SLIGHT_MEAN, WHOLE,
                            ClassProfile, Context, Distribution, Interval, Profile, RecentCounts, RankShares, bucket_of)

MEAN_SHIFT = MEAN_PRECISION - PRECISION


# ---- writing -----------------------------------------------------------------------------------------------------

class BitWriter:
    """Codes bits; contexts are named by tuples."""

    def __init__(self):
        self.interval, self.found = Interval(), bytearray()
        self.contexts = collections.defaultdict(Context)

    def bit(self, bit, context=None):
        self.interval.take(bit, self.interval.middle(context))
        top = self.interval.low >> 24
        while self.interval.shift():
            self.found.append(top)
            top = self.interval.low >> 24
        if context:
            context.learn(bit)

    def flag(self, bit, *name):
        self.bit(bit, self.contexts[name])

    def bits(self, count, value):
        for i in reversed(range(count)):
            self.bit(value >> i & 1)

    def number(self, value, *name):
        ones = (value + 1).bit_length() - 1
        for i in range(ones):
            self.flag(1, *name, "u", i)
        self.flag(0, *name, "u", ones)
        if ones:
            rest = value + 1 - (1 << ones)
            self.flag(rest >> (ones - 1), *name, "h", ones)
            self.bits(ones - 1, rest)

    def difference(self, value, *name):
        self.number(abs(value), *name)
        if value:
            self.flag(value < 0, *name, "sign")

    def bytes(self):
        """All of them, as few as there may be."""
        low = self.interval.low
        return bytes(self.found + (bytes([(low >> 24) + 1]) if low else b"")).rstrip(b"\0")


class ProfileWriter:
    def __init__(self, ranks, short, places=None):
        self.w, self.ranks, self.short, self.places, self.recent = BitWriter(), ranks, short, places, RecentCounts()
        self.shared = set()     # (place, k)

    def distribution(self, d, k, place=None):
        w, met = self.w, self.recent.place(d.count)
        if self.short:
            w.flag(d.slight, "slight", k)
        w.number(met, "count", k)
        if met == RECENT_COUNTS:
            w.number(d.count - 1, "new_count", k)
        self.recent.meet(d.count)
        if d.slight and place is not None:
            again = (place, k) in self.shared
            w.flag(d.shared, "like" if again else "shared", k)
            if d.shared and again:
                return
            if d.shared:
                self.shared.add((place, k))
        bucket, node = d.mean >> MEAN_PRECISION, 1
        for i in reversed(range(6)):
            w.flag(bucket >> i & 1, "bucket", k, d.slight, node)
            node = node << 1 | bucket >> i & 1
        more = min(SLIGHT_MEAN if d.slight and not d.shared else MEAN_PRECISION, max(bucket - 1, 0))
        w.bits(more, (d.mean & (1 << MEAN_PRECISION) - 1) >> MEAN_PRECISION - more)
        if d.slight:
            if d.shared or d.count > 1:
                w.number((d.most >> PRECISION) - bucket, "longest", k)
            return
        if not k and self.ranks > 1:
            w.bits((self.ranks - 1).bit_length(), d.rank)
        if d.count == 1:
            return
        middle = d.mean >> MEAN_SHIFT
        w.flag(d.least is None, "brief", k)
        w.number(d.most - middle, "high", k)
        if d.least is None:
            return
        w.number(middle - d.least, "low", k)
        w.number(d.most - d.deviation, "spread", k)
        left = WHOLE
        for bucket in range(bucket_of(d.least), bucket_of(d.most)):
            if left:
                w.number(d.shares.get(bucket, 0), "histogram", k)
                left -= d.shares.get(bucket, 0)

    def class_profile(self, c, place):
        w = self.w
        w.number(len(c.durations), "parts")
        for d in c.durations:
            self.distribution(d, 0, place)
        if not c.durations:
            return
        w.number(len(c.gaps), "gap_parts")
        for number, d in enumerate(c.gaps):
            self.distribution(d, 1, place)
            if number:
                self.befores([before for before, which in sorted(c.befores.items()) if which == number])
        w.flag(c.first is not None, "first")
        if c.first is not None:
            self.distribution(c.first, 1)

    def befores(self, those):
        self.w.number(len(those), "befores")
        last = -1
        for before in those:
            self.w.number(before - last - 1, "before")
            last = before

    def leaves(self, those, last):
        """LAST: [the class's last number], which is changed."""
        for number in those:
            self.w.flag(number == last[0], "again")
            if number != last[0]:
                self.w.number(number, "which")
            last[0] = number

    def blocks(self, sizes):
        runs = []
        for size in sizes:
            if runs and runs[-1][1] == size:
                runs[-1][0] += 1
            else:
                runs.append([1, size])
        self.w.number(len(runs) - 1, "runs")
        for count, size in runs:
            self.w.number(count - 1, "blocks")
            self.w.number(size - 1, "ranks")

    def shares_by_rank(self, shares, sizes):
        w, before = self.w, 0
        empty = not any(most for most, _ in shares.most)
        w.flag(empty, "empty")
        if empty:
            return
        for value, (most, rank), size in zip(shares.values, shares.most, sizes):
            w.difference(value - before, "value")
            before = value
            if size > 1:
                w.number(most - value, "most")
                w.bits((size - 1).bit_length(), rank)

    def profile(self, profile, class_of):
        """The section's content. class_of: of a key of the profile's leaves."""
        for number, c in profile.classes.items():
            self.class_profile(c, self.places and self.places[number])
        last = collections.defaultdict(lambda: [0])
        for key, those in profile.leaves.items():
            self.leaves(those, last[class_of(key)])
        self.w.flag(profile.blocks is not None, "shares")
        if profile.blocks is not None:
            self.blocks(profile.blocks)
            for shares in profile.activities:
                self.shares_by_rank(shares, profile.blocks)
            self.blocks(profile.class_blocks)
            for c in profile.classes.values():
                for shares, name in ((c.by_rank, "by_rank"), (c.by_rank_gaps, "by_rank_gaps")) if c.durations else ():
                    self.w.flag(shares is not None, name)
                    if shares is not None:
                        self.shares_by_rank(shares, profile.class_blocks)
        return self.w.bytes()


# ---- what is stored ----------------------------------------------------------------------------------------------

class Random:
    """Draws profiles. RANKS: of the shard; CLASSES: how many it has. SHORT: distributions may be slight. PLACES: by class, if those of a place may share
    their times."""

    def __init__(self, dice, ranks, classes, short, places):
        self.dice, self.ranks, self.classes, self.short, self.places, self.shared = dice, ranks, classes, short, places, {}
        self.counts = [1, 2, dice.randint(3, 999), dice.randint(1, COUNT_END - 1)]

    def distribution(self, k, place=None):
        d = self.dice
        count = d.choice(self.counts) if d.random() < 0.7 else d.choice((1, d.randint(1, 9), d.randrange(1, 1 << d.randint(1, 63))))
        bucket, slight = d.choice((0, 1, d.randint(2, 20), d.randint(0, 63))), self.short and d.random() < 0.5
        shared = slight and place is not None and d.random() < 0.6
        if shared and (place, k) in self.shared:
            return dataclasses.replace(self.shared[place, k], count=count)
        more = min(SLIGHT_MEAN if slight and not shared else MEAN_PRECISION, max(bucket - 1, 0))
        mean = (bucket << MEAN_PRECISION) + (d.randrange(1 << more) << MEAN_PRECISION - more)
        middle = mean >> MEAN_SHIFT
        found = Distribution(count, mean, middle, d.randrange(self.ranks) if not k and self.ranks > 1 and not slight else None, slight=slight,
                             shared=shared)
        if count == 1 and not shared:
            found.least, found.deviation, found.shares = middle, 0, {bucket_of(middle): WHOLE}
            return found
        if slight:
            further = d.choice((0, d.randint(0, 63 - bucket)))
            found.most = bucket + further << PRECISION if further else middle
            if shared:
                self.shared[place, k] = found
            return found
        least = max(middle - d.choice((0, d.randrange(40), d.randrange(FIGURE_MAX))), 0)
        found.most = min(middle + d.choice((0, d.randrange(40), d.randrange(FIGURE_MAX))), FIGURE_MAX)
        if d.random() < 0.8:
            found.least, found.deviation = least, d.choice((0, d.randint(0, found.most)))
            found.shares = self.shares(bucket_of(least), bucket_of(found.most))
        return found

    def shares(self, first, last):
        found, left = {}, WHOLE
        for bucket in range(first, last):
            share = self.dice.choice((0, self.dice.randint(0, left)))
            if share:
                found[bucket] = share
                left -= share
        if left:
            found[last] = left
        return found

    def count(self):
        return self.dice.choice((0, 1, 1, 1, 2, self.dice.randint(1, 9)))

    def class_profile(self, place):
        found, d = ClassProfile(), self.dice
        found.durations = [self.distribution(0, place) for _ in range(self.count())]
        if found.durations:
            found.gaps = [self.distribution(1, place) for _ in range(self.count())]
            if len(found.gaps) > 1:
                numbers = {before: d.randrange(len(found.gaps)) for before in range(self.classes)}
                found.befores = {before: number for before, number in numbers.items() if number}
            found.first = self.distribution(1) if d.random() < 0.3 else None
        return found

    def blocks(self):
        found, left = [], self.ranks
        while left:
            size = self.dice.choice((1, self.dice.randint(1, left), found[-1] if found and found[-1] <= left else 1))
            found.append(size)
            left -= size
        return found

    def shares_by_rank(self, sizes):
        d, value, values, most = self.dice, 0, [], []
        if d.random() < 0.2:
            return RankShares([0] * len(sizes), [(0, 0)] * len(sizes))
        for size in sizes:
            value = d.choice((value, 0, d.randint(0, SHARE_MAX), min(value + d.randrange(9), SHARE_MAX)))
            values.append(value)
            most.append((d.choice((value, d.randint(value, SHARE_MAX))), d.randrange(size)) if size > 1 else (value, 0))
        if not any(value for value, _ in most):     # which has another form
            most = [(0, 0)] * len(sizes)
        return RankShares(values, most)

    def profile(self, numbers, lists):
        """NUMBERS: of the classes with calls. LISTS: {(group, class index, value group): (class, number of its signatures)}, in order."""
        d = self.dice
        found = Profile({number: self.class_profile(self.places and self.places[number]) for number in sorted(numbers)}, {})
        last = collections.defaultdict(int)
        for key, (number, signatures) in lists.items():
            count = len(found.classes[number].durations)
            if count > 1:
                found.leaves[key] = []
                for _ in range(signatures):
                    last[number] = d.choice((last[number], d.randrange(count)))
                    found.leaves[key].append(last[number])
        if d.random() < 0.8:
            found.blocks, found.class_blocks = self.blocks(), self.blocks()
            found.activities = [self.shares_by_rank(found.blocks) for _ in CATEGORIES]
            for c in found.classes.values():
                if c.durations:
                    c.by_rank, c.by_rank_gaps = (self.shares_by_rank(found.class_blocks) if d.random() < 0.4 else None for _ in range(2))
        return found


def lists_of(b):
    """LISTS, as Random.profile has it, of Builder B's calls."""
    group_classes, found = b.table("group_classes"), {}
    for number, (_, process, those, _) in enumerate(b.groups):
        for class_index, (group_class, body) in enumerate(those):
            if body is None and not process:
                for value_group, (_, signatures) in enumerate(group_classes[group_class][2]):
                    found[number, class_index, value_group] = group_classes[group_class][0], len(signatures)
    return found


def random_profile(dice, b):
    """(profile, the content of a section) for what Builder B has, as its profile is to be stored."""
    lists, places = lists_of(b), b.places() if b.shared_profile else None
    profile = Random(dice, b.ranks, len(b.table("classes")), b.short_profile, places).profile({number for number, _ in lists.values()}, lists)
    return profile, ProfileWriter(b.ranks, b.short_profile, places).profile(profile, lambda key: lists[key][0])
