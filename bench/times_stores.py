#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares ways to store the times of calls, on real runs.

usage: times_stores.py BUILD [PROGRAM...], MPIEXEC in the environment.

Each program is traced with PILGRIM_TIMING=exact. The output of pilgrim-decode goes to times_stores, whose head explains
the columns. TRACE:NAME instead of a program takes an existing trace.
"""
import json
import os
import subprocess
import sys
import tempfile

PROGRAMS = (("stencil2d", 2, "10000"), ("stencil2d", 4, "2000"), ("stencil3d", 8, "500"), ("irregular", 4, "5000"),
            ("waitany", 4, "100"))


SIGNATURES = 512


def numbers():
    """Returns a function that numbers different things in the order in which they come."""
    found = {}
    return lambda thing: found.setdefault(thing, len(found))


class Thread:
    def __init__(self, folder, name):
        self.file = open(os.path.join(folder, name), "w", encoding="ascii")
        self.classes, self.signatures = numbers(), {}

    def write(self, call):
        place = self.classes((call["func"], call.get("site")))
        signature = self.signatures.setdefault(place, numbers())(json.dumps(call["args"]))
        if signature >= SIGNATURES:     # then the library unzips the class, which has one signature for all calls
            signature = 0
        print(call["start"], call["end"], place, signature, file=self.file)


def split(decoder, trace, folder):
    """Writes the calls of each thread that have times to a file each. Returns the names of the files."""
    threads = {}
    with subprocess.Popen([decoder, "--format=json", trace], stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            call = json.loads(line)
            if "start" in call:
                key = "%d.%d" % (call["rank"], call["thread"])
                if key not in threads:
                    threads[key] = Thread(folder, key)
                threads[key].write(call)
    if process.returncode:
        sys.exit("times_stores.py: %s cannot be decoded" % trace)
    for thread in threads.values():
        thread.file.close()
    return [thread.file.name for thread in threads.values()]


def record(build, program, ranks, arguments, folder):
    trace = os.path.join(folder, "trace.pilgrim")
    environment = dict(os.environ, PILGRIM_QUIET="1", PILGRIM_TRACE=trace, PILGRIM_TIMING="exact")
    # The processes give the processor away while they wait (yield.so); otherwise many ranks on few cores take hours.
    subprocess.run([os.environ.get("MPIEXEC", "mpiexec"), "-n", str(ranks), "env", "LD_PRELOAD=%s/programs/yield.so" % build,
                    build + "/pilgrim-run", build + "/programs/" + program,
                    *arguments.split()], env=environment, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return trace


def main():
    build, wanted = os.path.realpath(sys.argv[1]), sys.argv[2:]
    jobs = [(program, ranks, arguments) for program, ranks, arguments in PROGRAMS if not wanted or program in wanted]
    jobs += [(name.split(":", 1)[1], 0, "") for name in wanted if name.startswith("TRACE:")]
    subprocess.run([build + "/programs/times_stores"], check=True)
    for program, ranks, arguments in jobs:
        with tempfile.TemporaryDirectory() as folder:
            trace = record(build, program, ranks, arguments, folder) if ranks else program
            name = "%s %d" % (program, ranks) if ranks else os.path.basename(program)
            files = split(build + "/pilgrim-decode", trace, folder)
            if not files:
                sys.exit("times_stores.py: no times in " + trace)
            subprocess.run([build + "/programs/times_stores", name[:16], *files], check=True)


main()
