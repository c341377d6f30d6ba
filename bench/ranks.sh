#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Real runs by number of ranks: structure groups, bytes of the trace, and what tracing adds to MPI_Finalize, from when
# all ranks have entered it to when the last one returns. Medians of 5 runs without Pilgrim and of 5 with it,
# alternating. All ranks are on one machine and give the processor away while they wait (yield.so).
# Usage: ranks.sh BUILD [PILGRIM], MPIEXEC in the environment.
# PILGRIM: another build folder, whose library and decoder are used.
set -eu
build=$(realpath "$1")
pilgrim=$(realpath "${2:-$1}")
rm -rf "$build/bench/ranks"
mkdir -p "$build/bench/ranks"
cd "$build/bench/ranks"

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

one() { # FILE LIBRARIES: appends the seconds of one run
    rm -f times trace.pilgrim
    LD_PRELOAD='' PILGRIM_QUIET=1 PILGRIM_TRACE=trace.pilgrim FINALIZE_TIMES=times timeout 300 "$MPIEXEC" -n "$ranks" \
        env LD_PRELOAD="$build/programs/yield.so:$build/programs/finalize.so$2" "$build/programs/$program" $arguments >out </dev/null
    awk '$1 > in_ { in_ = $1 } $2 > out { out = $2 } END { printf "%.6f\n", out - in_ }' times >>"$1"
}

printf '%-10s %6s %7s %8s %12s %12s %12s\n' program ranks groups bytes 'without ms' 'traced ms' 'adds ms'
while read -r program ranks arguments; do
    rm -f none traced
    for _ in 1 2 3 4 5; do
        one none ''
        one traced ":$pilgrim/libpilgrim.so"
    done
    groups=$("$pilgrim/pilgrim-decode" --grammar trace.pilgrim | sed -n 's/^rank .* structure group \([0-9]*\).*/\1/p' | sort -u | wc -l)
    echo "$(median none) $(median traced)" | awk -v p="$program" -v r="$ranks" -v g="$groups" -v b="$(stat -c %s trace.pilgrim)" \
        '{ printf "%-10s %6d %7d %8d %12.1f %12.1f %12.1f\n", p, r, g, b, 1e3 * $1, 1e3 * $2, 1e3 * ($2 - $1) }'
done <<END
stencil2d 4 100
stencil2d 9 100
stencil2d 16 100
stencil2d 36 100
stencil2d 64 100
stencil3d 27 20
stencil3d 64 20
corners3d 27 10
corners3d 64 10
transpose 16 5
transpose 36 5
transpose 64 5
END
