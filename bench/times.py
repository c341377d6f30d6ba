#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What times take in the file: bytes a call, in each mode of PILGRIM_TIMING.

usage: bench/times.py BUILD [PROGRAM...], MPIEXEC in the environment.

Each program runs once in each mode. Columns: the calls; bytes of the whole trace, without times and with statistics;
for bins and exact, the bytes a call that the times take. Beside exact: the same times as zstd -3 packs them (start and
end of each call as 8 bytes each, a file a rank), a call; and exact as a share of that.

NetPIPE is Debian's netpipe-mpich2, if it is installed. Ranks give the processor away while they wait (yield.so);
otherwise many ranks on few processors take hours.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

MAGIC_BYTES, VERSION_BYTES, SECTION_TIMES = 8, 2, 4
MODES = ("off", "aggregate", "bins:1.2", "exact")
LINE = re.compile(rb'^\{"rank":(\d+),.*"start":(\d+),"end":(\d+)\}$')
LIMIT_S = 300
PROGRAMS = (("stencil2d", 4, ["3000"]), ("stencil2d", 16, ["1000"]), ("stencil3d", 8, ["1000"]), ("irregular", 4, ["10000"]),
            ("waitany", 4, ["500"]), ("workqueue", 4, ["10000"]), ("netpipe", 2, ["-u", "65536", "-n", "100", "-o", "/dev/null"]))


def section_sizes(path):
    """Returns {type: bytes} of the trace's sections."""
    with open(path, "rb") as file:
        data = file.read()
    at, sizes = MAGIC_BYTES + VERSION_BYTES, {}

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        began, kind = at, data[at]
        at += 1
        varint()
        stored = varint()
        at += 4 + stored
        sizes[kind] = sizes.get(kind, 0) + at - began
    return sizes


def traced(build, program, ranks, arguments, mode, folder):
    """Traces the program; returns the trace's path."""
    path = os.path.join(folder, mode.split(":")[0])
    environment = dict(os.environ, PILGRIM_QUIET="1", PILGRIM_TIMING=mode, PILGRIM_TRACE=path)
    command = [shutil.which("NPmpich2") if program == "netpipe" else os.path.join(build, "programs", program)]
    preload = os.path.join(build, "programs", "yield.so")
    done = subprocess.run([os.environ["MPIEXEC"], "-n", str(ranks), "env", "LD_PRELOAD=" + preload, os.path.join(build, "pilgrim-run")]
                          + command + arguments, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False, timeout=LIMIT_S)
    if done.returncode or not os.path.exists(path):
        raise SystemExit("times: %s with %s: exit code %d\n%s" % (program, mode, done.returncode, done.stderr.decode("utf-8", "replace")))
    return path


def raw_times(build, path):
    """Returns {rank: the times of its calls, 16 bytes each}."""
    found = {}
    with subprocess.Popen([os.path.join(build, "pilgrim-decode"), "--format=json", path], stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            rank, start, end = LINE.match(line).groups()
            found.setdefault(int(rank), bytearray()).extend(struct.pack("<QQ", int(start), int(end)))
    if process.returncode:
        raise SystemExit("times: %s cannot be decoded" % path)
    return found


def count_calls(build, path):
    """Returns the number of calls, which differs from run to run if the program polls."""
    done = subprocess.run([os.path.join(build, "pilgrim-decode"), "--stats", "--format=json", path], stdout=subprocess.PIPE, check=True)
    return int(re.search(rb'"calls":(\d+)', done.stdout).group(1))


def row(build, program, ranks, arguments):
    with tempfile.TemporaryDirectory(prefix="pilgrim-times-") as folder:
        paths = [traced(build, program, ranks, arguments, mode, folder) for mode in MODES]
        raw = raw_times(build, paths[-1])
        calls = sum(map(len, raw.values())) // 16
        zstd = sum(len(subprocess.run(["zstd", "-3", "-q", "-c"], input=bytes(data), stdout=subprocess.PIPE, check=True).stdout)
                   for data in raw.values())
        plain, statistics = (os.path.getsize(path) for path in paths[:2])
        in_bins, exact = (section_sizes(path)[SECTION_TIMES] for path in paths[2:])
        in_bins /= count_calls(build, paths[2])
        print("%-10s %5d %9d %9d %9d %9.3f %9.3f %9.3f %6.0f%%" % (program, ranks, calls, plain, statistics, in_bins, exact / calls,
                                                                   zstd / calls, 100 * exact / zstd), flush=True)


def main():
    if len(sys.argv) < 2:
        raise SystemExit("usage: times.py BUILD [PROGRAM...]")
    build, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    print("%-10s %5s %9s %9s %9s %9s %9s %9s %7s" % ("", "", "", "trace:", "", "a call:", "", "", ""))
    print("%-10s %5s %9s %9s %9s %9s %9s %9s %7s" %
          ("program", "ranks", "calls", "off", "aggregate", "bins:1.2", "exact", "zstd -3", "share"))
    for program, ranks, arguments in PROGRAMS:
        there = shutil.which("NPmpich2") if program == "netpipe" else os.path.exists(os.path.join(build, "programs", program))
        if there and (not names or program in names):
            row(build, program, ranks, arguments)


if __name__ == "__main__":
    main()
