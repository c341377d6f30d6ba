#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What tracing adds to MPI_Finalize, and to memory: medians of 5 runs without Pilgrim and of 5 with it, alternating.
# Time: from when all ranks have entered MPI_Finalize to when the last one returns; the trace is complete then. Memory
# in KiB: private memory when MPI_Finalize is entered, the most of all ranks; the peak of resident memory, in the whole
# run and from MPI_Finalize on, of rank 0, which writes the trace, and the most of the other ranks. Resident memory
# counts the pages of the library's file, which processes share. All ranks are on one machine and give the processor
# away while they wait (yield.so).
# Usage: finalize.sh BUILD [--runs=N], MPIEXEC in the environment.
set -eu
build=$(realpath "$1")
runs=${2:---runs=5}
runs=${runs#--runs=}
rm -rf "$build/bench/finalize"
mkdir -p "$build/bench/finalize"
cd "$build/bench/finalize"

# Appends a line to FILE: seconds; private memory; rank 0's peaks, of the run and from MPI_Finalize on; the others' peaks.
one() { # FILE LIBRARIES
    rm -f times trace.pilgrim
    LD_PRELOAD='' PILGRIM_QUIET=1 PILGRIM_TRACE=trace.pilgrim FINALIZE_TIMES=times timeout 300 "$MPIEXEC" -n "$ranks" \
        env LD_PRELOAD="$build/programs/yield.so:$build/programs/finalize.so$2" "$build/programs/$program" $arguments >out </dev/null
    awk '{ peak = $3 > $5 ? $3 : $5; of = $6 > 0 }
         $1 > in_ { in_ = $1 } $2 > out { out = $2 } $4 > private { private = $4 }
         peak > whole[of] { whole[of] = peak } $5 > within[of] { within[of] = $5 }
         END { printf "%.6f %d %d %d %d %d\n", out - in_, private, whole[0], within[0], whole[1], within[1] }' times >>"$1"
}

medians() { # FILE: prints the median of each column
    for column in 1 2 3 4 5 6; do
        sort -n -k $column,$column "$1" | awk -v c=$column '{ v[NR] = $c } END { printf "%s ", v[int((NR + 1) / 2)] }'
    done
}

printf '%-20s %5s %6s %8s %8s %7s %9s %9s %9s %9s\n' 'traced - without' ranks bytes 'ms' 'of' private 'rank 0' 'at end' others 'at end'
while read -r program ranks arguments; do
    rm -f none traced
    for _ in $(seq "$runs"); do
        one none ''
        one traced ":$build/libpilgrim.so"
    done
    echo "$(medians none) $(medians traced)" | awk -v p="$program $arguments" -v r="$ranks" -v b="$(stat -c %s trace.pilgrim)" '
        { printf "%-20s %5d %6d %8.1f %8.1f %7d %9d %9d %9d %9d\n", p, r, b, 1e3 * ($7 - $1), 1e3 * $7, $8 - $2, $9 - $3, $10 - $4,
          $11 - $5, $12 - $6 }'
done <<END
stencil2d 4 10000
stencil2d 16 1000
stencil2d 36 100
stencil3d 8 1000
stencil3d 27 100
irregular 4 10000
irregular 16 1000
END
