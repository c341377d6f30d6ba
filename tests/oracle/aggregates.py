#!/usr/bin/env python3
"""Checks the statistics of a trace against the times that the wrappers saw.

    aggregates.py SHADOW_DIR TRACE

Which calls belong together is taken from the trace (second_decoder.py), what they took from the shadow logs. For each group, class, value
group and signature, and for gaps each predecessor: counts and histograms are equal; shortest, longest, mean and standard deviation are
those that docs/FORMAT.md, section 6, allows; and the ranks of the shortest and of the longest are the lowest ones. Nothing may be left
over.

Prints how many distributions were checked, or the first that is wrong, and exits 1.
"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from bins import true_times  # noqa: E402
from compare import Difference  # noqa: E402
from second_decoder import Stream, Trace, volume_with  # noqa: E402
from second_parts import Damage  # noqa: E402
from second_statistics import ANY, FIRST, range_of  # noqa: E402


class Times:
    """Times that belong together, as they come."""

    def __init__(self):
        self.times = []  # (ns, rank)

    def check(self, what, d):
        times = [ns for ns, _ in self.times]
        histogram = {}
        for ns in times:
            histogram[ns.bit_length()] = histogram.get(ns.bit_length(), 0) + 1
        if d.histogram() != histogram:
            raise Difference("%s: the histogram is %r, not %r" % (what, d.histogram(), histogram))
        if not times:
            return
        n, total, squares = len(times), sum(times), sum(ns * ns for ns in times)
        figures = (("least", min(times), d.least, 0), ("most", max(times), d.most, 0), ("mean", total // n, d.mean, 0),
                   ("deviation", math.isqrt(n * squares - total * total) // n, d.deviation, 1))
        for name, value, (bucket, place), more in figures:
            smallest, largest = range_of(bucket, place)
            if not smallest - more <= value <= largest + more:
                raise Difference("%s: the %s is %d, stored as %d to %d" % (what, name, value, smallest, largest))
        for name, value, rank in (("least", min(times), d.low), ("most", max(times), d.high)):
            wanted = min(rank for ns, rank in self.times if ns == value)
            if rank != wanted:
                raise Difference("%s: the %s, %d, is of rank %d, not %d" % (what, name, value, wanted, rank))


class Volume:
    """What the statistics of one volume should be."""

    def __init__(self, volume):
        self.volume, self.found = volume, {}
        self.number_of = {id(group): number for number, group in enumerate(volume.groups)}

    def add(self, key, before, start, end, last, rank):
        """A call behind one at place BEFORE, which ended at LAST. key: (group, place, part, entry)."""
        entry = self.volume.statistics[key[:3]][key[3]]
        before = ANY if entry.predecessors == [ANY] else before
        if before not in entry.predecessors:
            raise Difference("a call of %s behind row %s is not known" % (key, before))
        self.found.setdefault((key, before), Times()).times.append((start - last, rank))
        self.found.setdefault((key, "duration"), Times()).times.append((end - start, rank))

    def thread(self, rank, thread, times, last):
        """TIMES: an iterator over those of the thread's calls from this round on. LAST: the end of the call before. Returns that of the
        last one in this round."""
        volume = self.volume
        first = volume.threads.value(rank - volume.first)
        if first + thread >= volume.threads.value(rank - volume.first + 1):
            return last
        stream = Stream(volume, volume.members, first + thread, rank, [])
        group, place = volume.members.place(first + thread)
        parts = [row.partition.place(place)[0] if row.partition else 0 for row in group.rows]
        before, number = FIRST, self.number_of[id(group)]
        for row, terminal in stream.calls():
            start, end = next(times)
            part = group.rows[row].parts[parts[row]]
            key = number, row, parts[row]
            entry = part.list.index(part.signature(terminal)[0]) if len(volume.statistics[key]) > 1 else 0
            self.add(key + (entry,), before, start, end, last, rank - volume.first)
            before, last = row, end
        return last

    def check(self):
        count = 0
        for key, entries in self.volume.statistics.items():
            for number, entry in enumerate(entries):
                for before, d in list(zip(entry.predecessors, entry.gaps)) + [("duration", entry.duration)]:
                    name = self.volume.groups[key[0]].rows[key[1]].call_class[0][0]
                    what = "group %d, row %d, part %d, signature %d of %s, %s" % (
                        *key, number, name, before if before == "duration" else "behind row %s" % before)
                    self.found.pop((key + (number,), before), Times()).check(what, d)
                    count += 1
        if self.found:
            raise Difference("no statistics for %s" % next(iter(self.found)))
        return count


def aggregates_check(folder, path):
    """The number of distributions checked. Raises Difference."""
    with open(path, "rb") as file:
        try:
            trace = Trace(file.read())
        except Damage as damage:
            raise Difference("%s: %s" % (path, damage))
    if trace.damage:
        raise Difference("%s: %s" % (path, trace.damage))
    volumes = {id(volume): Volume(volume) for volumes in trace.rounds for volume in volumes}
    for rank, threads in true_times(folder).items():
        for thread, times in threads.items():
            times, last = iter(times), 0
            for volume in [volume_with(volumes, rank) for volumes in trace.rounds]:
                last = volumes[id(volume)].thread(rank, thread, times, last)
            if next(times, None):
                raise Difference("rank %d thread %d has fewer calls in the trace" % (rank, thread))
    return sum(volume.check() for volume in volumes.values())


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
