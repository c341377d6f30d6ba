#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What costs a tracer most: strings that are new in each call, random collectives, many operations in flight; one thing
# that varies at random: tags and counts, call sites, buffers, call paths, blocks of memory (bench/worst.c). One rank.
# Columns: CPU time of a call without Pilgrim; what Pilgrim adds to it in the loop and in MPI_Finalize; what it adds to the peak of memory, in bytes a call, before MPI_Finalize and in it; bytes of the trace.
# Medians of N runs, alternating.
# Usage: worst.sh BUILD [--runs=N], MPIEXEC in the environment.
set -eu
: "${MPIEXEC:?is not set}"
build=$(realpath "$1")
runs=${2:---runs=5}
runs=${runs#--runs=}
rm -rf "$build/bench/worst"
mkdir -p "$build/bench/worst"
cd "$build/bench/worst"

one() { # FILE LIBRARY WAY N
    rm -rf trace.pilgrim*
    LD_PRELOAD='' PILGRIM_QUIET=1 PILGRIM_TRACE=trace.pilgrim timeout 300 "$MPIEXEC" -n 1 env LD_PRELOAD="$2" \
        "$build/programs/worst" "$3" "$4" >>"$1" </dev/null
}

medians() { # FILE: prints the median of each column
    for column in 1 2 3 4 5 6; do
        sort -n -k $column,$column "$1" | awk -v c=$column '{ v[NR] = $c } END { printf "%s ", v[int((NR + 1) / 2)] }'
    done
}

printf '%-12s %7s %8s %8s %9s %10s %10s %8s %12s\n' program calls 'ns/call' 'adds' 'at end' 'bytes/call' 'at end' trace 'strings/call'
while read -r way n; do
    rm -f none traced
    for _ in $(seq "$runs"); do
        one none '' "$way" "$n"
        one traced "$build/libpilgrim.so" "$way" "$n"
    done
    echo "$(medians none) $(medians traced)" | awk -v w="$way" -v b="$(stat -c %s trace.pilgrim)" '
        { printf "%-12s %7d %8.0f %8.0f %9.0f %10.0f %10.0f %8d %12.1f\n", w, $7, $2, $8 - $2, $9 - $3, ($10 - $4) * 1024 / $7,
          ($11 - $5) * 1024 / $7, b, $12 / $7 }'
done <<END
strings 4000
noise 4000
collectives 100000
wait 100000
backwards 100000
shuffled 100000
waitall 100000
statuses 100000
waitsome 100000
mixed 100000
waitany 20000
replaced 20000
testsome 20000
tags 200000
sites 500000
buffers 200000
paths 100000
tree 100000
blocks 1000000
END
