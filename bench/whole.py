#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares whole runs with Pilgrim and without it, from the launcher's start to its end.

Prints medians of N runs each, which alternate; the ratio of the medians; and the interval in which the ratio lies with
95 % confidence: it holds 95 of 100 ratios of runs that are drawn again from the measured ones (bootstrap). If the
interval contains 1, no difference was seen.

usage: bench/whole.py BUILD [--runs=N] [PROGRAM...], MPIEXEC in the environment.

Programs, if they are installed: stencil2d on 4 ranks, NetPIPE on 2 (Debian's netpipe-mpich2, with an MPICH build),
LAMMPS on 2 (Debian's, with an Open MPI build, BUILD or BUILD/other). Ranks of an MPICH program give the processor away
while they wait (yield.so).
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

LIQUID = """units lj
lattice fcc 0.8442
region box block 0 16 0 16 0 16
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 50
run 200
"""


def configured(build, name):
    """Returns a word of BUILD's config.mk; None if there is none."""
    try:
        with open(os.path.join(build, "config.mk"), encoding="utf-8") as file:
            return dict(line.rstrip("\n").split(" = ", 1) for line in file if " = " in line).get(name)
    except OSError:
        return None


def programs(build):
    """Yields (name, ranks, build folder, command)."""
    stencil = os.path.join(build, "programs/stencil2d")
    if os.path.exists(stencil):
        yield "stencil2d", 4, build, [stencil, "4000"]
    for folder in (build, os.path.join(build, "other")):
        family = configured(folder, "MPI_FAMILY")
        if family == "mpich" and shutil.which("NPmpich2"):
            yield "netpipe", 2, folder, ["NPmpich2", "-u", "65536", "-n", "300", "-o", "/dev/null"]
        if family == "openmpi" and shutil.which("lmp"):
            yield "lammps", 2, folder, ["lmp", "-in", "liquid", "-log", "none"]


def run(folder, ranks, command, traced):
    """Runs the command; returns the seconds."""
    mpich = configured(folder, "MPI_FAMILY") == "mpich"
    preloads = [os.path.join(folder, "programs/yield.so")] * mpich + [os.path.join(folder, "libpilgrim.so")] * traced
    environment = dict(os.environ, PILGRIM_QUIET="1", PILGRIM_TRACE="trace.pilgrim", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                       PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe", OMPI_MCA_osc="^ucx")
    launcher = os.environ["MPIEXEC"] if mpich else configured(folder, "MPIEXEC")
    began = time.monotonic()
    subprocess.run([launcher, "-n", str(ranks), "env", "LD_PRELOAD=" + ":".join(preloads)] + command, env=environment,
                   check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
    return time.monotonic() - began


def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def interval(without, traced):
    """Returns the interval of the ratio of the medians."""
    draw = random.Random(1)
    ratios = sorted(median(draw.choices(traced, k=len(traced))) / median(draw.choices(without, k=len(without)))
                    for _ in range(4000))
    return ratios[100], ratios[-101]


def compare(name, ranks, folder, command, runs):
    times = {False: [], True: []}
    for i in range(2 * runs + 2):
        traced = i % 4 in (1, 2)  # without, traced, traced, without
        took = run(folder, ranks, command, traced)
        if i >= 2:  # the first runs bring files into memory
            times[traced].append(took)
    without, traced = times[False], times[True]
    low, high = interval(without, traced)
    print("%-10s %5d %6d %10.3f %10.3f %8.4f   %.4f to %.4f   %.1f %%" % (
        name, ranks, runs, median(without), median(traced), median(traced) / median(without), low, high,
        100 * (max(without) - min(without)) / median(without)), flush=True)


def main():
    runs, names = 15, []
    for argument in sys.argv[2:]:
        if argument.startswith("--runs="):
            runs = int(argument[7:])
        else:
            names.append(argument)
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1])
    print("%-10s %5s %6s %10s %10s %8s   %s" % ("program", "ranks", "runs", "without s", "traced s", "ratio",
                                                "95 % of ratios     spread without"))
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        with open("liquid", "w", encoding="utf-8") as file:
            file.write(LIQUID)
        for name, ranks, folder, command in programs(build):
            if not names or name in names:
                compare(name, ranks, folder, command, runs)


if __name__ == "__main__":
    main()
