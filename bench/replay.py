#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a replay and a generated program are worth: do they take as long as the program, in what memory, in how many lines?

usage: bench/replay.py BUILD [PART...] [--runs=N] [--pause=SECONDS] [--program=NAME,...] [--modes=MODE,...]
                       [--also="NAME RANKS COMMAND..."], MPIEXEC in the environment.

Parts (all, if none is given):
  time     run time of programs on 2 ranks: without Pilgrim, recorded (exact, bins:1.2, aggregate), and of a replay of that
           trace. Runs alternate, N of each (5); figures are medians; the error is that of replay / recorded run, run by run.
           The time is that from the last rank's end of MPI_Init to the last rank's begin of MPI_Finalize (span.so). A replay
           spends 0.3 to 2 us a call on its own: programs that call MPI every few us cannot be replayed in time, so there is
           a mean of those that call it less often than every OFTEN_US as well.
  same     of those programs, N times each in turn, recorded, replayed from that trace, and recorded once more: are --matrix of
           replays' traces those of the originals, byte for byte? Which three call sites wait most (pilgrim-waits)? A site is
           settled if it is one of the first three in every run and, by the medians, has WAIT_SHARE of the waiting or more.
           The same: sites that are settled in the program are among the replay's first three, by medians, in the same order where
           that is one order in all runs of the program; and sites that are settled in the replay are among the first three of a
           run of the program. The program recorded once more is held to the same rule: no replay can be better than that. Waits
           until all ranks have left MPI_Init do not count.
  sites    of those programs: the time in MPI of each call site that has SITE_SHARE of all or more, in a replay's trace and in
           that of the program, medians of N runs each: the mean of the errors, by share, and the largest. The same of the program
           recorded once more: no replay can be better than that. MPI_Init and polls (a replay makes others) are not in it.
  memory   peak of resident memory of a replay of 10^3 to 10^7 calls
  ranks    how long pilgrim_open and one rank's cursor take in a trace of 10^5 and more simulated ranks (bench/scale)
  lines    of the program that pilgrim-generate writes of stencil2d: 10 to 10^6 trips, 4 ranks and more, simulated ones too

--pause: so long nothing runs before each run of `time`. On a busy machine, use real-time priority, which Linux limits to 95 % of
each second, and a processor for each rank: MPIEXEC="mpiexec -bind-to core:1" chrt -r 10 bench/replay.py build time --pause=1
--also: a program that is not Pilgrim's, for `time` and `same`; it may be given several times.
"""
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

MODES = ("exact", "bins:1.2", "aggregate")
LIMIT_S = 300
OFTEN_US = 5
SITE_SHARE = 0.05
WAIT_SHARE = 0.05
POLLS = ("MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status")
PATTERNS = ("stencil2d", "torus3d", "ring") # of bench/scale
EXAMPLES = (("ring", 2, ["100000"]), ("stencil2d", 2, ["20000"]), ("stencil3d", 2, ["20000"]), ("corners3d", 2, ["500", "24"]), ("cg", 2, ["2000"]),
            ("nested", 2, ["10000"]), ("transpose", 2, ["10000", "16"]), ("tags", 2, ["20000"]), ("amr", 2, ["20000"]), ("irregular", 2, ["30000"]),
            ("waitany", 2, ["50000"]), ("workqueue", 2, ["5000"]), ("master_worker", 2, ["5000"]), ("slow", 2, ["500", "1000"]))
NETPIPE = ("netpipe", 2, ["-u", "1048576", "-n", "50", "-o", "/dev/null"])


def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def fresh(path):
    """Returns the path, at which no file is: Pilgrim overwrites none."""
    if os.path.exists(path):
        os.remove(path)
    return path


class Bench:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.programs, self.pause_s = [], 0

    def tool(self, name):
        return os.path.join(self.build, name)

    def launch(self, ranks, command, preloads=(), settings=None):
        """Runs COMMAND. Returns what it wrote to stderr."""
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **(settings or {}))
        words = os.environ["MPIEXEC"].split() + ["-n", str(ranks)] + (["env", "LD_PRELOAD=" + ":".join(preloads)] if preloads else []) + command
        done = subprocess.run(words, env=environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False, timeout=LIMIT_S)
        err = done.stderr.decode("utf-8", "replace")
        if done.returncode:
            raise SystemExit("replay: %s: exit code %d\n%s" % (" ".join(words), done.returncode, err[-2000:]))
        return err

    def span(self, ranks, command, trace=None, mode="off"):
        """Runs a program, traced if TRACE is given. Returns the seconds between MPI_Init and MPI_Finalize."""
        written = os.path.join(self.folder, "span")
        time.sleep(self.pause_s)
        preloads = [os.path.join(self.build, "programs", "span.so")] + ([os.path.join(self.build, "libpilgrim.so")] if trace else [])
        settings = {"SPAN": written, "PILGRIM_QUIET": "1", "PILGRIM_TIMING": mode}
        if trace:
            settings["PILGRIM_TRACE"] = fresh(trace)
        self.launch(ranks, command, preloads, settings)
        with open(written, encoding="ascii") as file:
            return float(file.read())

    def replayed(self, ranks, trace, options=()):
        """Replays a trace. Returns the seconds."""
        time.sleep(self.pause_s)
        err = self.launch(ranks, [self.tool("pilgrim-replay")] + list(options) + [trace])
        return float(re.search(r"ranks in ([0-9.]+) s", err).group(1))

    def replay_traced(self, ranks, trace, other):
        time.sleep(self.pause_s)
        self.launch(ranks, [self.tool("pilgrim-run"), self.tool("pilgrim-replay"), "--quiet", trace], (),
                    {"PILGRIM_QUIET": "1", "PILGRIM_TIMING": "exact", "PILGRIM_TRACE": fresh(other)})

    def decoded(self, *arguments):
        return subprocess.run([self.tool("pilgrim-decode")] + list(arguments), stdout=subprocess.PIPE, check=True, timeout=LIMIT_S).stdout.decode()


def time_part(bench, runs, modes):
    print("%-14s %8s %9s  %-9s %9s %9s %9s  %8s %8s   %s" % ("program", "calls", "us a call", "times", "without s", "traced s", "replay s", "error",
                                                             "spread", "replay / traced, run by run"))
    errors, seldom = {mode: [] for mode in modes}, {mode: [] for mode in modes}
    trace = os.path.join(bench.folder, "time.pilgrim")
    for name, ranks, command in bench.programs:
        bench.span(ranks, command) # files come into memory
        for mode in modes:
            without, traced, again = [], [], []
            for _ in range(runs):
                without.append(bench.span(ranks, command))
                traced.append(bench.span(ranks, command, trace, mode))
                again.append(bench.replayed(ranks, trace))
            ratios = sorted(a / t for a, t in zip(again, traced))
            error = abs(median(ratios) - 1)
            errors[mode].append(error)
            calls = re.search(r"(\d+) MPI calls", bench.decoded("--summary", trace)).group(1)
            call_us = 1e6 * ranks * median(traced) / int(calls)
            if call_us >= OFTEN_US:
                seldom[mode].append(error)
            print("%-14s %8s %9.1f  %-9s %9.3f %9.3f %9.3f  %6.1f %% %6.1f %%   %s" % (name, calls, call_us, mode, median(without), median(traced),
                  median(again), 100 * error, 100 * (max(traced) - min(traced)) / median(traced), " ".join("%.3f" % r for r in ratios)), flush=True)
    for mode in modes:
        means = ["%.1f %% of %d" % (100 * sum(part) / len(part), len(part)) if part else "-" for part in (errors[mode], seldom[mode])]
        print("mean of errors, %-9s: all %s; those with %d us a call or more %s" % (mode, means[0], OFTEN_US, means[1]))


def all_started(bench, trace):
    """When the last rank has left MPI_Init, ns on the trace's axis."""
    calls = bench.decoded("--format=json", "--func=MPI_Init*", trace).splitlines()
    return max([json.loads(line).get("end", 0) for line in calls] + [0])


def waits_at_start(bench, trace, rows):
    """What single waits began before all ranks were started: (pattern, func, site) and ns until then."""
    started = all_started(bench, trace)
    for row in rows:
        if row["start"] >= started or row["wait"].endswith((" init", " completion")):
            continue
        for line in bench.decoded("--format=json", "--rank=%d" % row["rank"], "--thread=%d" % row["thread"], "--limit=100", trace).splitlines():
            call = json.loads(line)
            if "site" in call and call["start"] <= row["start"] < call["end"]:
                yield (row["wait"], call["func"], call["site"]), min(row["ns"], started - row["start"])


def sites_that_wait(bench, trace):
    """How long call sites waited, ns. When processes start is no matter of a trace: no wait counts until all have left MPI_Init."""
    done = subprocess.run([bench.tool("pilgrim-waits"), "--format=json", "--each", trace], stdout=subprocess.PIPE, check=True, timeout=LIMIT_S)
    sums, each = {}, []
    for line in done.stdout.decode().splitlines():
        row = json.loads(line)
        if "wait" in row:
            each.append(row)
        wait = "pattern" in row and "total_ns" in row and "site" in row and not row["pattern"].endswith(" completion")
        if wait and not row["func"].startswith("MPI_Init"):
            # a replay's sites are in modules of the original's name
            key = (row["pattern"], row["func"], row["site"])
            sums[key] = sums.get(key, 0) + row["total_ns"]
    for key, ns in waits_at_start(bench, trace, each):
        sums[key] = max(0, sums.get(key, 0) - ns)
    return sums


class Waits:
    """The sums of some runs of one program."""

    def __init__(self, runs):
        self.medians = {key: median([run.get(key, 0) for run in runs]) for key in set().union(*runs)}
        self.total = sum(self.medians.values()) or 1
        self.first = self.first_of(self.medians)
        # What every run of the program says: the site is among the first three, and it is WAIT_SHARE of the waiting or more.
        firsts = [self.first_of(run) for run in runs]
        self.settled = [key for key in self.first if self.medians[key] >= WAIT_SHARE * self.total and all(key in first for first in firsts)]
        self.seen = set(sum(firsts, []))
        self.ordered = [(a, b) for a in self.settled for b in self.settled if all(run[a] > run[b] for run in runs)]

    @staticmethod
    def first_of(sums):
        return [key for key in sorted(sums, key=lambda key: -sums[key]) if sums[key] > 0][:3]

    def verdict(self, other):
        """Says if OTHER has the sites first that are settled here, and settled there are none but those that are first here."""
        if not self.settled:
            return "none settled"
        if not set(self.settled) <= set(other.first) or not set(other.settled) <= self.seen:
            return "other"
        return "same" if all(other.medians[a] > other.medians[b] for a, b in self.ordered) else "same, other order"

    def text(self):
        return "; ".join("%s%s in %s at %s %.0f us" % (("" if key in self.settled else "(", ) + key + (self.medians[key] / 1e3, )) +
                         ("" if key in self.settled else ")") for key in self.first) or "none"


def same_part(bench, runs):
    print("%-14s %8s %-17s %-17s  %s" % ("program", "--matrix", "replay", "program again", "sites that wait most, medians: original | replay | program again; "
                                         "those in parentheses are not settled"))
    for name, ranks, command in bench.programs:
        traces = [os.path.join(bench.folder, which) for which in ("one.pilgrim", "other.pilgrim", "again.pilgrim")]
        found, equal = ([], [], []), True
        for _ in range(runs):
            bench.span(ranks, command, traces[0], "exact")
            bench.replay_traced(ranks, traces[0], traces[1])
            bench.span(ranks, command, traces[2], "exact")
            equal = equal and bench.decoded("--matrix", traces[0]) == bench.decoded("--matrix", traces[1])
            for sums, trace in zip(found, traces):
                sums.append(sites_that_wait(bench, trace))
        one, other, again = (Waits(sums) for sums in found)
        print("%-14s %8s %-17s %-17s  %s" % (name, "equal" if equal else "DIFFERS", one.verdict(other), one.verdict(again),
                                             " | ".join(waits.text() for waits in (one, other, again))), flush=True)


def times_of_sites(bench, trace):
    """The time in MPI of each call site, MPI_Init and polls apart, in ns."""
    rows = [json.loads(line) for line in bench.decoded("--stats", "--format=json", trace).splitlines()]
    return {(row["func"], row["site"]): row["duration"]["total"] for row in rows
            if "site" in row and "duration" in row and not row.get("apart") and not row["func"].startswith(POLLS)}


def errors_of_sites(times, others):
    """The error of the time in MPI by site: the mean, by share of the sites that have SITE_SHARE or more, and the largest with its site."""
    total = sum(times.values()) or 1
    large = {site: abs(others.get(site, 0) / ns - 1) for site, ns in times.items() if ns and ns >= SITE_SHARE * total}
    worst = max(large, key=large.get)
    return len(large), sum(error * times[site] for site, error in large.items()) / sum(times[site] for site in large), large[worst], worst


def sites_part(bench, runs):
    print("%-14s %9s %8s %6s  %8s %8s  %8s %8s   %s" % ("program", "us a call", "in MPI s", "sites", "replay", "largest", "program", "largest",
                                                       "replay's largest"))
    rows = []
    for name, ranks, command in bench.programs:
        one, other = (os.path.join(bench.folder, which) for which in ("one.pilgrim", "other.pilgrim"))
        taken, spans = [], []
        for _ in range(runs):
            spans.append(bench.span(ranks, command, one, "exact"))
            bench.replay_traced(ranks, one, other)
            taken.append([times_of_sites(bench, trace) for trace in (one, other)])
            bench.span(ranks, command, one, "exact")
            taken[-1].append(times_of_sites(bench, one))
        first, replay, second = ({site: median([times[k].get(site, 0) for times in taken]) for site in taken[0][0]} for k in range(3))
        sites, mean, largest, worst = errors_of_sites(first, replay)
        floor = errors_of_sites(first, second)
        call_us = 1e6 * ranks * median(spans) / int(re.search(r"(\d+) MPI calls", bench.decoded("--summary", one)).group(1))
        if call_us >= OFTEN_US:
            rows.append((mean, floor[1]))
        print("%-14s %9.1f %8.3f %6d  %6.1f %% %6.1f %%  %6.1f %% %6.1f %%   %s at %s, %.4f s and %.4f s" % (name, call_us, sum(first.values()) / 1e9,
              sites, 100 * mean, 100 * largest, 100 * floor[1], 100 * floor[2], *worst, first[worst] / 1e9, replay[worst] / 1e9), flush=True)
    if rows:
        print("mean of the %d with %d us a call or more: replay %.1f %%, program %.1f %%" %
              (len(rows), OFTEN_US, *(100 * sum(row[k] for row in rows) / len(rows) for k in (0, 1))))


PEAK = """import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], close_fds=False, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(done.returncode)"""


def memory_part(bench):
    trace = os.path.join(bench.folder, "memory.pilgrim")
    print("%12s %12s" % ("calls", "peak KiB"))
    for trips in (500, 50000, 5000000):
        bench.launch(1, [bench.tool("pilgrim-run"), bench.tool("programs/ring"), str(trips)], (), {"PILGRIM_QUIET": "1", "PILGRIM_TRACE": fresh(trace)})
        err = bench.launch(1, [sys.executable, "-c", PEAK, bench.tool("pilgrim-replay"), "--compute=none", trace])
        calls = re.search(r"(\d+) MPI calls", bench.decoded("--summary", trace)).group(1)
        print("%12s %12s" % (calls, err.split()[-1]), flush=True)


def scaled(bench, ranks, *arguments):
    """The trace of stencil2d's like on simulated ranks."""
    subprocess.run([bench.tool("programs/scale"), "--ranks=%d" % ranks, "--pairs=10", "--folder=" + bench.folder] + list(arguments), check=True,
                   stdout=subprocess.DEVNULL, timeout=LIMIT_S)


def ranks_part(bench):
    print("%-12s %9s %12s" % ("pattern", "ranks", "CPU seconds of pilgrim-decode until a rank's first 10 calls are printed"))
    for ranks in (1024, 131072):
        for pattern in PATTERNS:
            scaled(bench, ranks, pattern)
            trace = os.path.join(bench.folder, "%s-%d.pilgrim" % (pattern, ranks))
            began = resource.getrusage(resource.RUSAGE_CHILDREN)
            bench.decoded("--rank=%d" % (ranks - 2), "--limit=10", trace)
            ended = resource.getrusage(resource.RUSAGE_CHILDREN)
            print("%-12s %9d %12.3f" % (pattern, ranks, ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime), flush=True)


def lines_part(bench):
    print("%-32s %9s %9s %9s  %6s" % ("program", "ranks", "trips", "calls", "lines"))

    def row(name, ranks, trips, trace):
        text = subprocess.run([bench.tool("pilgrim-generate"), trace], stdout=subprocess.PIPE, check=True, timeout=LIMIT_S).stdout.decode()
        calls = re.search(r"(\d+) calls of", text).group(1)
        print("%-32s %9d %9d %9s  %6d" % (name, ranks, trips, calls, text.count("\n")), flush=True)

    trace = os.path.join(bench.folder, "lines.pilgrim")
    yielding = [os.path.join(bench.build, "programs", "yield.so")] # more ranks than processors
    for ranks, trips in ((1, 10), (1, 100), (1, 1000), (1, 1000000), (4, 10), (4, 100), (9, 100), (16, 100)):
        bench.launch(ranks, [bench.tool("pilgrim-run"), bench.tool("programs/stencil2d"), str(trips)], yielding,
                     {"PILGRIM_QUIET": "1", "PILGRIM_TIMING": "off", "PILGRIM_TRACE": fresh(trace)})
        row("stencil2d", ranks, trips, trace)
    for pattern in PATTERNS:
        for ranks, trips in ((64, 10), (64, 1000), (4096, 10)):
            scaled(bench, ranks, "--iterations=%d" % trips, pattern)
            row(pattern + ", simulated (bench/scale)", ranks, trips, os.path.join(bench.folder, "%s-%d.pilgrim" % (pattern, ranks)))


def main():
    parts, runs, pause_s, also, only, modes = [], 5, 0, [], None, MODES
    for argument in sys.argv[2:]:
        if argument.startswith("--runs="):
            runs = int(argument[7:])
        elif argument.startswith("--pause="):
            pause_s = float(argument[8:])
        elif argument.startswith("--also="):
            words = argument[7:].split()
            also.append((words[0], int(words[1]), words[2:]))
        elif argument.startswith("--program="):
            only = argument[10:].split(",")
        elif argument.startswith("--modes="):
            modes = argument[8:].split(",")
        else:
            parts.append(argument)
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(build, folder)
        bench.pause_s = pause_s
        programs = [(name, ranks, [bench.tool("programs/" + name)] + arguments) for name, ranks, arguments in EXAMPLES]
        if shutil.which("NPmpich2"):
            programs.append((NETPIPE[0], NETPIPE[1], [shutil.which("NPmpich2")] + NETPIPE[2]))
        bench.programs = [program for program in programs + also if not only or program[0] in only]
        for name, part in (("time", lambda: time_part(bench, runs, modes)), ("same", lambda: same_part(bench, runs)),
                           ("sites", lambda: sites_part(bench, runs)), ("memory", lambda: memory_part(bench)),
                           ("ranks", lambda: ranks_part(bench)), ("lines", lambda: lines_part(bench))):
            if not parts or name in parts:
                part()
                print()


if __name__ == "__main__":
    main()
