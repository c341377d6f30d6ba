#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Processor time and peak of memory of what pairs messages (pilgrim-decode --messages), finds waits (pilgrim-waits),
# compares traces (pilgrim-diff) and writes a page (pilgrim-report): the better of two runs. stencil2d on 2 ranks with exact times, 10^5 to 10^7 calls;
# simulated ranks of bench/scale. pilgrim-diff compares a trace with another run of the same program, or of the same
# pattern with one iteration more. Needs GNU time.
# Usage: analysis.sh BUILD [--small], MPIEXEC in the environment. --small: 10^6 calls and 2^14 ranks at most
set -eu
build=$(realpath "$1")
lengths='5000 50000' sizes=16384
[ "${2-}" = --small ] || { lengths+=' 500000' sizes+=' 1048576'; }
rm -rf "$build/bench/analysis"
mkdir -p "$build/bench/analysis/a" "$build/bench/analysis/b"
cd "$build/bench/analysis"

measure() { # NAME CALLS COMMAND...
    local name=$1 calls=$2
    shift 2
    rm -f used
    for _ in 1 2; do
        /usr/bin/time -a -q -o used -f '%U %S %M' timeout 900 "$@" >/dev/null || [ $? = 1 ] # pilgrim-diff: the traces differ
    done
    awk -v n="$name" -v c="$calls" -v w="$(basename "$1") $(printf '%s\n' "${@:2}" | grep '^--' | tr '\n' ' ')" '
        { t = $1 + $2; if (NR == 1 || t < least) least = t; if ($3 > most) most = $3 }
        END { printf "%-26s %11d  %-27s %8.2f s %8.2f million calls/s %7.1f MB\n", n, c, w, least, least ? c / least / 1e6 : 0, most / 1024 }' used
}

calls_of() { "$build/pilgrim-decode" --format=json --summary "$1" | sed -n 's/.*"threads":[0-9]*,"calls":\([0-9]*\).*/\1/p'; }

for iterations in $lengths; do
    for run in a b; do
        PILGRIM_TIMING=exact PILGRIM_QUIET=1 PILGRIM_TRACE=$run/stencil.pilgrim "$MPIEXEC" -n 2 \
            env LD_PRELOAD="$build/programs/yield.so" "$build/pilgrim-run" "$build/programs/stencil2d" "$iterations" >out </dev/null
    done
    calls=$(calls_of a/stencil.pilgrim)
    measure "stencil2d, exact times" "$calls" "$build/pilgrim-decode" --messages a/stencil.pilgrim
    measure "stencil2d, exact times" "$calls" "$build/pilgrim-waits" a/stencil.pilgrim
    measure "stencil2d, exact times" "$calls" "$build/pilgrim-diff" a/stencil.pilgrim b/stencil.pilgrim
    rm -f a/* b/*
done
for ranks in $sizes; do
    "$build/programs/scale" --folder=a --ranks="$ranks" --pairs=10 stencil2d >out
    "$build/programs/scale" --folder=b --ranks="$ranks" --iterations=11 --pairs=10 stencil2d >out
    calls=$(calls_of a/*.pilgrim)
    [ "$ranks" = 16384 ] && measure "2-D stencil, $ranks ranks" "$calls" "$build/pilgrim-decode" --messages a/*.pilgrim
    measure "2-D stencil, $ranks ranks" "$calls" "$build/pilgrim-report" --force a/*.pilgrim
    measure "2-D stencil, $ranks ranks" "$calls" "$build/pilgrim-diff" a/*.pilgrim a/*.pilgrim
    measure "2-D stencil, $ranks ranks" "$calls" "$build/pilgrim-diff" a/*.pilgrim b/*.pilgrim
    rm -f a/* b/*
done
