#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Sizes and speeds of what pilgrim-convert writes: bench/convert.sh BUILD [ITERATIONS]. stencil2d on 4 ranks with exact
# times; the processor time is the best of three. A format that the build lacks is left out.
set -eu
build=$(cd "$1" && pwd)
iterations=${2:-10000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TIMEFORMAT='%U %S'
export PILGRIM_TIMING=exact PILGRIM_QUIET=1
"${MPIEXEC:-mpiexec.mpich}" -n 4 env LD_PRELOAD="$build/programs/yield.so" \
    "$build/pilgrim-run" "$build/programs/stencil2d" "$iterations" >/dev/null
calls=$("$build/pilgrim-decode" stencil2d.pilgrim | wc -l)
printf '%s calls, a trace of %s bytes\n' "$calls" "$(wc -c <stencil2d.pilgrim)"
printf '%-10s %12s %12s %12s\n' format bytes 'bytes/call' 'calls/s'
for format in $("$build/pilgrim-convert" --help | sed -n 's/^  --to=\([a-z0-9]*\) .*/\1/p'); do
    best=
    for run in 1 2 3; do
        took=$({ time "$build/pilgrim-convert" --to="$format" --force stencil2d.pilgrim out; } 2>&1) || continue 2
        best=$(printf '%s\n' $best "$(awk '{ print $1 + $2 }' <<<"$took")" | sort -g | head -1)
    done
    bytes=$(find out -type f -exec cat {} + | wc -c)
    awk -v f="$format" -v b="$bytes" -v n="$calls" -v t="$best" \
        'BEGIN { printf "%-10s %12d %12.1f %12.0f\n", f, b, b / n, n / t }'
    rm -rf out
done
