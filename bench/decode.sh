#!/bin/sh
# Calls decoded per second: stencil2d, 4 ranks, 10000 iterations; medians of 5. Usage: decode.sh BUILD, MPIEXEC in
# the environment.
set -eu
build=$(realpath "$1")
rm -rf "$build/bench/decode"
mkdir -p "$build/bench/decode"
cd "$build/bench/decode"

PILGRIM_QUIET=1 PILGRIM_TRACE=t.pilgrim "$MPIEXEC" -n 4 env LD_PRELOAD="$build/programs/yield.so" "$build/pilgrim-run" \
    "$build/programs/stencil2d" 10000 >out </dev/null
calls=$("$build/pilgrim-decode" --format=json t.pilgrim | wc -l)

printf '%-10s %10s %10s %14s\n' decoding calls seconds 'calls/second'
for format in json text; do
    rm -f seconds
    for _ in 1 2 3 4 5; do
        began=$(date +%s.%N)
        "$build/pilgrim-decode" --format=$format t.pilgrim >/dev/null
        echo "$began $(date +%s.%N)" | awk '{ print $2 - $1 }' >>seconds
    done
    sort -n seconds | awk -v f=$format -v c="$calls" 'NR == 3 { printf "%-10s %10d %10.3f %14.0f\n", f, c, $1, c / $1 }'
done
