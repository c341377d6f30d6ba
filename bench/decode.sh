#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Calls decoded per second of CPU time, and the peak of the decoder's memory, for: stencil2d, whose calls repeat, also
# ten times as long; nested, which has loops; programs whose values vary. Medians of 5. Needs GNU time.
# Usage: decode.sh BUILD, MPIEXEC in the environment.
set -eu
build=$(realpath "$1")
rm -rf "$build/bench/decode"
mkdir -p "$build/bench/decode"
cd "$build/bench/decode"

printf '%-10s %9s %5s %13s %9s\n' program calls form 'calls/second' 'peak, KB'
while read -r program rounds; do
    trace=$program$rounds.pilgrim
    PILGRIM_QUIET=1 PILGRIM_TRACE=$trace "$MPIEXEC" -n 4 env LD_PRELOAD="$build/programs/yield.so" \
        "$build/pilgrim-run" "$build/programs/$program" "$rounds" >out </dev/null
    calls=$("$build/pilgrim-decode" "$trace" | wc -l)
    for form in text json; do
        rm -f used
        for _ in 1 2 3 4 5; do
            /usr/bin/time -a -o used -f '%U %S %M' "$build/pilgrim-decode" --format=$form "$trace" >/dev/null
        done
        awk '{ print $1 + $2, $3 }' used | sort -n |
            awk -v p="$program" -v f=$form -v c="$calls" 'NR == 3 { printf "%-10s %9d %5s %13.0f %9d\n", p, c, f, c / $1, $2 }'
    done
done <<END
stencil2d 10000
stencil2d 100000
nested 10000
irregular 20000
waitany 5000
END
