# SPDX-License-Identifier: BSD-3-Clause
"""Delays, critical path and efficiency by brute force: with all calls in memory, the path backward from the end, the delays by recursion.

It shares no code with src/analysis/causes.c and what that uses, which read forward. The waits themselves, with the call that each was for,
are given: tests/waits/run checks them."""
import bisect
import collections
import functools
import sys

sys.path.append(__file__.rsplit("/", 2)[0] + "/checker")
from harness import check  # noqa: E402

ROOTS = 8  # of a wait; the rest are others
GAP, CALL, WAIT = 0, 1, 2  # each call is three stretches


def place(call, doing):
    return doing, call["func"], call.get("site", "?")


class Run:
    def __init__(self, calls, waits):
        self.threads = collections.defaultdict(list)
        for rank in calls:
            for call in calls[rank]:
                self.threads[rank, call["thread"]].append(call)
        for thread, own in self.threads.items():
            own.sort(key=lambda c: c["seq"])
            for i, call in enumerate(own):
                call["key"], call["index"] = thread, i
        begins = {(thread, call["start"]): call for thread in self.threads for call in reversed(self.threads[thread])}
        self.waits = {}  # (thread, index) -> (ns, the late call, its pattern, the error)
        self.points = collections.defaultdict(dict)  # thread -> {(thread, index) of a late call: position}
        for wait in waits:
            call = begins[(wait["rank"], wait["thread"]), wait["start"]]
            late = begins[(wait["for_rank"], wait["for_thread"]), wait["for_start"]]
            check((call["key"], call["index"]) not in self.waits, "a call waits twice: %r" % wait)
            self.waits[call["key"], call["index"]] = wait["ns"], late, wait["wait"], wait["error_ns"]
            number = late["key"], late["index"]
            self.points[call["key"]][number] = 3 * call["index"] + 3
            self.points[late["key"]][number] = 3 * late["index"] + 1

    def gap(self, call):
        own = self.threads[call["key"]]
        return call["start"] - own[call["index"] - 1]["end"] if call["index"] else 0

    def stretch(self, thread, position):
        """(kind, call, ns)"""
        call = self.threads[thread][position // 3]
        waited = self.waits.get((thread, call["index"]), (0,))[0]
        return position % 3, call, (self.gap(call), call["end"] - call["start"] - waited, waited)[position % 3]

    @functools.lru_cache(maxsize=None)
    def sorted_points(self, thread):
        numbers = sorted(self.points[thread], key=lambda n: self.threads[n[0]][n[1]]["start"])
        return numbers, [self.threads[n[0]][n[1]]["start"] for n in numbers]

    def newest_first(self, thread, before):
        """The points of a thread, the latest first, from a little after the time BEFORE on."""
        numbers, times = self.sorted_points(thread)
        return reversed(numbers[:bisect.bisect(times, before + 10 ** 8)])

    @functools.lru_cache(maxsize=None)
    def due(self, thread, index):
        """What the wait of a call is due to: ((thread, place, direct), ns), ..."""
        ns, late = self.waits[thread, index][:2]
        end = {thread: 3 * index + 1, late["key"]: 3 * late["index"] + 1}
        last = None
        for n in self.newest_first(thread, self.threads[thread][index]["end"]):
            if self.points[thread][n] <= end[thread] and self.points[late["key"]].get(n, end[late["key"]] + 1) <= end[late["key"]]:
                last = n
                break
        first = {t: self.points[t][last] if last else 0 for t in end}
        parts, mine = collections.Counter(), collections.Counter()
        for kind, call, spent in (self.stretch(late["key"], p) for p in range(first[late["key"]], end[late["key"]])):
            if kind != WAIT:
                parts[late["key"], place(call, ("computing before", "in")[kind]), True] += spent
            elif spent:
                for (by, where, _), part in self.due(late["key"], call["index"]):
                    parts[by, where, False] += part
        for kind, call, spent in (self.stretch(thread, p) for p in range(first[thread], end[thread])):
            if kind != WAIT:
                mine[late["key"], place(call, ("computing before", "in")[kind]), True] += spent
        parts = {key: part - mine[key] for key, part in parts.items() if part > mine[key]}
        if sum(parts.values()) < ns:
            key = late["key"], place(late, "computing before"), True
            parts[key] = parts.get(key, 0) + ns - sum(parts.values())
        whole = sum(parts.values())
        shares = sorted(((key, part * ns / whole) for key, part in parts.items()), key=lambda share: -share[1])
        if len(shares) > ROOTS:
            shares[ROOTS - 1:] = [((None, None, False), sum(part for _, part in shares[ROOTS - 1:]))]
        return tuple(shares)

    def path(self):
        """By place, walking back from what ended last."""
        sums = collections.Counter()
        thread = max(sorted(self.threads), key=lambda t: self.threads[t][-1]["end"])
        call, end = self.threads[thread][-1], None
        while call:
            key = call["key"], call["index"]
            late, error = self.waits[key][1::2] if end is None and key in self.waits else (None, 0)
            early = max(0, late["start"] - call["end"]) if late else 0  # by the clocks: in truth it is not
            if late and early <= min(error, self.gap(late)):
                sums[place(call, "in")] += call["end"] - min(late["start"], call["end"])
                call, end = late, late["start"]
                sums[place(call, "computing before")] += self.gap(call) - early
            else:
                if end is None:
                    sums[place(call, "in")] += call["end"] - call["start"]
                    sums[place(call, "computing before")] += self.gap(call)
                end = None
                call = self.threads[call["key"]][call["index"] - 1] if call["index"] else None
        return +sums

    def ideal(self, needs):
        """How long the run would take if messages took no time."""
        before = collections.defaultdict(list)
        for call, other in needs:
            before[call["rank"], call["thread"], call["seq"]].append((other["rank"], other["thread"], other["seq"]))
        begun, left = {}, {thread: (0, 0) for thread in self.threads}  # the next call, and when the one before ended
        moved = True
        while moved:
            moved = False
            for thread, own in self.threads.items():
                index, now = left[thread]
                while index < len(own):
                    key = thread[0], thread[1], own[index]["seq"]
                    begun[key] = now + self.gap(own[index])
                    if any(need not in begun for need in before[key]):
                        break
                    now = max([begun[key]] + [begun[need] for need in before[key]])
                    index, moved = index + 1, True
                left[thread] = index, now
        check(all(left[t][0] == len(self.threads[t]) for t in left), "calls wait in a circle")
        return max(now for _, now in left.values())

    def compare(self, found, needs):
        sys.setrecursionlimit(100000)
        wanted, shown = collections.Counter(), collections.Counter()
        for thread, index in self.waits:
            call, pattern = self.threads[thread][index], self.waits[thread, index][2]
            for (by, where, direct), part in self.due(thread, index):
                wanted[pattern, call["func"], call.get("site", "?"), by, where, direct] += part
        for row in found.due:
            by = None if row["by_rank"] is None else (row["by_rank"], row["by_thread"])
            where = None if by is None else (row["doing"], row["by_func"], row["by_site"])
            for direct in (True, False):
                shown[row["due"], row["func"], row["site"], by, where, direct] += row["direct_ns" if direct else "indirect_ns"]
        sites = collections.Counter()
        for key, ns in wanted.items():
            sites[key[:3]] += ns
        for key in set(wanted) | set(shown):
            if key[3] is not None:  # causes of equal size may be the last one that is told, or among the others
                check(abs(wanted[key] - shown[key]) <= 2 + 1e-3 * sites[key[:3]], "%r: due %r ns, not %r" % (key, shown[key], wanted[key]))
        total = sum(wait[0] for wait in self.waits.values())
        check(abs(sum(shown.values()) - total) <= 2 + len(shown), "all that is due: %r of %r" % (sum(shown.values()), total))
        check(abs(sum(d["delay_ns"] for d in found.delays) - total) <= 2 + len(shown), "delays: %r" % total)
        path = {(p["doing"], p["by_func"], p["by_site"]): p["path_ns"] for p in found.path if p["path_ns"]}
        check(path == dict(self.path()), "path: %r" % sorted(set(path.items()) ^ set(self.path().items()))[:4])
        first, last = min(own[0]["start"] for own in self.threads.values()), max(own[-1]["end"] for own in self.threads.values())
        late = max(own[0]["start"] for own in self.threads.values()) - first
        check(last - first - late <= sum(path.values()) <= last - first, "the path takes %d of %d ns" % (sum(path.values()), last - first))
        useful = [sum(self.gap(call) for call in own) for own in self.threads.values()]
        s = found.summary
        for name, value in (("load_balance", sum(useful) / len(useful) / max(useful)), ("serialization", max(useful) / self.ideal(needs)),
                            ("communication_efficiency", max(useful) / (last - first))):
            check(abs(s[name] - value) < 2e-6, "%s: %r, not %r" % (name, s[name], value))
        check(abs(s["parallel_efficiency"] - s["load_balance"] * s["serialization"] * s["transfer"]) < 1e-5, "%r" % s)
