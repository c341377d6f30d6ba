#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# How many calls a second the Python module gives: bench/python.sh BUILD [ITERATIONS]. stencil2d on 4 ranks with exact
# times; processor time, the best of five.
set -eu
build=$(cd "$1" && pwd)
iterations=${2:-10000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PILGRIM_TIMING=exact PILGRIM_QUIET=1
"${MPIEXEC:-mpiexec.mpich}" -n 4 env LD_PRELOAD="$build/programs/yield.so" \
    "$build/pilgrim-run" "$build/programs/stencil2d" "$iterations" >/dev/null
PYTHONPATH=$build/python "$(sed -n 's/^PYTHON = //p' "$build/config.mk")" - <<'END'
import time
import pandas  # its own start is not measured
import pilgrim

t = pilgrim.open("stencil2d.pilgrim")
print("%d calls" % t.call_count)
SIX = ["rank", "func", "start", "end", "peer", "tag"]


def take(name, work):
    best = 1e9
    for _ in range(5):
        began = time.process_time()
        rows = work()
        best = min(best, time.process_time() - began)
    print("%-40s %6.2f M/s" % (name, rows / best / 1e6))


take("six columns", lambda: sum(len(batch) for batch in t.calls(columns=SIX)))
take("six columns, one of them bytes", lambda: sum(len(batch) for batch in t.calls(columns=SIX[:5] + ["bytes"])))
take("all 15 columns", lambda: sum(len(batch) for batch in t.calls()))
take("six columns to pandas", lambda: len(t.calls(columns=SIX).to_pandas()))
take("messages", lambda: len(t.messages()))
END
