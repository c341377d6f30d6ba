#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that times in bins are as near to the true ones as docs/FORMAT.md, section 6, promises, for every call.

    bins.py BASES SHADOW_DIR DECODED.jsonl TRACE

BASES: as in PILGRIM_TIMING, "1.2" or "1.2,MPI_Barrier:1.01,MPI_Wait*:2". The shadow logs have the true times. What must hold:

* a call's stored duration is the largest number of its function's series that is not above the true one;
* no call begins later than it did, nor before the end, as it is stored, of the call before in its thread;
* with p, the stored start of the last call in this thread and segment that had the same signature, or the stored end of the call before
  where there was none, (true start - p) <= base x (stored start - p).

* what MPI_Wtime returned is between the stored start and end of its call, seen from one distance of the two clocks; it is not later than it
  was; and the interval from the last such reading, r, as stored, to this one, w, is right: w - r <= base x (stored w - r), but for
  (base - 1) times what r was behind its call's start. The distance falls whenever a call reads the clock sooner after its start than all
  calls before. If the calls were timed by another clock than the one that MPI_Wtime reads, both go apart as well, by up to 500 ppm while
  the system's is being set right, and the distance follows by steps.

The last but one is the interval's relative error. It is measured from what is stored, so errors that added up would be seen.

Signatures are those of TRACE, read by the second decoder. A class that was taken apart (an unzipped signature) had more of them while
it was recorded: there, calls that are equal in all they were given and gave back had one signature. What such a call is measured from
is known only if there was a call like it; else it is some call of its class, or the end of the call before, and must be right from the
earliest of these.

Prints how many calls were checked and how near the worst one comes to its bound, or the first that is beyond it, and exits 1.
"""
import bisect
import fnmatch
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "second"))

from compare import Decoded, Difference, shadow_calls, shadow_files  # noqa: E402
from second_decoder import Stream, Trace, shard_with  # noqa: E402
from second_parts import Damage  # noqa: E402

MILLION, TIME_MAX = 10**6, 1 << 63


def bases_read(text):
    """The function that gives a function's base, in millionths above 1: of the patterns that fit, the last one."""
    words = text.split(",")
    patterns = [("*", words[0])] + [tuple(word.rsplit(":", 1)) for word in words[1:]]
    patterns = [(pattern, millionths(number)) for pattern, number in patterns]
    return lambda function: next(base for pattern, base in reversed(patterns) if fnmatch.fnmatchcase(function, pattern))


def millionths(number):
    whole, _, part = number.partition(".")
    return (int(whole or 0) - 1) * MILLION + int((part + "000000")[:6])


def series(base):
    """0, 1, and so on: each the one before times the base, rounded down, or one more if that is larger."""
    found = [0, 1]
    while found[-1] < TIME_MAX:
        found.append(max(found[-1] + 1, found[-1] * (MILLION + base) // MILLION))
    return found[:-1]


class Readings:
    """What MPI_Wtime returned in one thread, in ns. IS_SAME: by the clock that timed the calls."""

    def __init__(self, is_same):
        self.step, self.drift = (50, 0) if is_same else (5000, 500e-6)
        self.first = self.last = None
        self.distance = math.inf # the least one of a reading from its call's start
        self.low, self.high = -math.inf, math.inf # where the distance of the clocks is

    def call(self, base, true, stored, start, times):
        """TRUE, STORED: seconds. START: the true one of the call. TIMES: stored ones of the call."""
        true, stored = true * 1e9, stored * 1e9
        self.first = self.first or (true, true - start)
        slack = self.step + (true - self.first[0]) * self.drift
        fall = max(0, self.distance - (true - start)) if self.last else 0
        self.distance = min(self.distance, true - start)
        fallen = self.first[1] - self.distance
        if stored == 0 and true < times[1]:
            return # the clock began to count when the program did, and what is stored lags behind by more
        self.low, self.high = max(self.low, stored - times[1]), min(self.high, stored - times[0])
        if self.low > self.high + slack + fallen:
            raise Difference("a reading outside of its call, by %g ns" % (self.low - self.high))
        if stored > true + 50: # roundings
            raise Difference("a reading of %.9f is stored as %.9f" % (true / 1e9, stored / 1e9))
        if self.last:
            before, behind = self.last
            if MILLION * (true - stored) > base * (stored - before + behind) + MILLION * (slack + fall):
                raise Difference("%.0f ns after the last reading, stored as %.0f" % (true - before, stored - before))
        self.last = stored, stored - times[0] - self.low + fallen


class Thread:
    """The calls of one thread, as they come."""

    def __init__(self):
        self.starts = {}  # by signature: stored start of the last call with it
        self.firsts = {}  # by class: that of the first one in this segment
        self.end = 0      # stored, of the call before

    def since(self, signature, call_class, unzipped):
        """What the next call's start is measured from."""
        found = self.starts.get(signature, self.end)
        return min(found, self.firsts.get(call_class, found)) if unzipped and signature not in self.starts else found

    def call(self, which, base, true, stored, bins):
        """How much of what is allowed the start is off. WHICH: signature, class, whether it is unzipped. TRUE, STORED: pairs of start and
        end."""
        duration = bins[bisect.bisect_right(bins, true[1] - true[0]) - 1]
        if stored[1] - stored[0] != duration:
            raise Difference("a duration of %d ns is %d, stored as %d" % (true[1] - true[0], duration, stored[1] - stored[0]))
        if not self.end <= stored[0] <= true[0]:
            raise Difference("the start %d is stored as %d, the call before ends at %d" % (true[0], stored[0], self.end))
        since = self.since(*which)
        allowed, off = base * (stored[0] - since), MILLION * (true[0] - stored[0])
        if off > allowed:
            raise Difference("%d ns after the last call like it, stored as %d" % (true[0] - since, stored[0] - since))
        self.starts[which[0]] = stored[0]
        self.firsts.setdefault(which[1], stored[0])
        self.end = stored[1]
        return off / allowed if allowed else 0


def signatures_read(trace, rank, thread):
    """Yields (signature, class, whether it is unzipped) of each call, with names that no other segment has."""
    for number, shards in enumerate(trace.segments):
        shard = shard_with(shards, rank)
        if not shard:
            continue
        first, end = (shard.threads.value(rank - shard.first + more) for more in (0, 1))
        if thread >= end - first:
            continue
        stream = Stream(shard, shard.members, first + thread, rank, [])
        for class_index, terminal in stream.calls():
            signature, _ = stream.value_groups[class_index][0].signature(terminal)
            yield (number, class_index, terminal), (number, class_index), signature.is_unzipped


def true_times(folder, of=lambda call: (call["start"], call["end"])):
    """{rank: {thread: [(start, end)]}}, or what OF gives of each call."""
    found = {}
    for rank, path in shadow_files(folder):
        threads = found.setdefault(rank, {})
        for thread, _, _, call in shadow_calls(path, rank):
            threads.setdefault(thread, []).append(of(call))
    return found


def with_reading(call):
    return call["start"], call["end"], call["ret"] if call["func"] == "MPI_Wtime" else None


def bins_check(bases, folder, path, signatures_of, is_same=False):
    """(calls, worst share of the bound) of what compare.py has found to be the same calls. signatures_of: as what signatures_of
    returns. is_same: the calls were timed by the clock that MPI_Wtime reads. Raises Difference."""
    base_of = bases_read(bases)
    true, known, current = true_times(folder, with_reading), {}, None
    calls, worst = 0, 0
    for (rank, thread, seq), whole, timeless, call in Decoded(path).calls():
        if "start" not in call:
            raise Difference("%s: no times\n    %s" % (path, whole))
        if current != (rank, thread):
            current, state, readings, signatures = (rank, thread), Thread(), Readings(is_same), signatures_of(rank, thread)
        base = base_of(call["func"])
        if base not in known:
            known[base] = series(base)
        signature, call_class, unzipped = next(signatures)
        if unzipped:
            signature += (timeless[timeless.index('"func":'):],)
        try:
            started, ended, reading = true[rank][thread][seq]
            stored = call["start"], call["end"]
            share = state.call((signature, call_class, unzipped), base, (started, ended), stored, known[base])
            if reading is not None:
                readings.call(base, reading, call["ret"], started, stored)
        except Difference as difference:
            raise Difference("%s, base %g\n    %s" % (difference, 1 + base / MILLION, whole))
        worst = max(worst, share)
        calls += 1
    return calls, worst


def signatures_of(path):
    """A function of rank and thread: signatures_read of the trace at PATH."""
    with open(path, "rb") as file:
        trace = Trace(file.read())
    return lambda rank, thread: signatures_read(trace, rank, thread)


def main():
    if len(sys.argv) != 5:
        print("usage: bins.py BASES SHADOW_DIR DECODED.jsonl TRACE", file=sys.stderr)
        return 2
    try:
        print("%d calls checked, the worst has %.4f of its bound" % bins_check(*sys.argv[1:4], signatures_of(sys.argv[4])))
    except (Difference, Damage, OSError, UnicodeDecodeError) as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
