#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Much of everything: 10^9 calls of a steady loop, 250,000 receives in flight, 10^5 datatypes alive, 10^5 communicators,
# 10^6 signatures, sizes beyond 2^31, 1,000 threads one after another, 64 ranks. (MPICH has room for 262,144 requests;
# with Open MPI try requests=1000000.) Each case without Pilgrim and with it, and then the trace is compared with what
# was done, call by call.
# Columns: calls of all ranks; CPU time of a call without and with Pilgrim, MPI_Finalize not counted; CPU seconds of
# MPI_Finalize; peak of resident memory in MiB without Pilgrim, with it before MPI_Finalize, and in it, of the rank that
# has the most; KiB that were written to disk before MPI_Finalize; bytes of the trace; calls found as they were made.
#
# --hour: instead, the steady loop for an hour, with pauses of a millisecond, and what the journal writes to disk. Or
# --hour=SECONDS. The folder of the build must be on a disk.
#
# Usage: load.sh BUILD [--hour[=SECONDS]] [CASE=N...], MPIEXEC in the environment. Takes ten minutes.
set -eu
: "${MPIEXEC:?is not set}"
build=$(realpath "$1")
shift
lasts='' cases=''
for option in "$@"; do
    case $option in
    --hour) lasts=3600 ;;
    --hour=*) lasts=${option#*=} ;;
    -* | *[!a-z0-9=]* | =*) sed -n 's/^# Usage/usage/p' "$0" >&2 && exit 2 ;;
    *=*) cases="$cases $option" ;;
    *) sed -n 's/^# Usage/usage/p' "$0" >&2 && exit 2 ;;
    esac
done
all='steady=1000000000 requests=250000 datatypes=100000 communicators=100000 signatures=1000000 counts=1000 threads=1000 ranks=10000'
[ -z "$lasts" ] || all=steady=4000
folder=$build/bench/load${lasts:+_hour}
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

run() { # CASE N LIBRARY: leaves its lines in `out`
    ranks=1 yield=''
    [ "$1" != ranks ] || ranks=64 yield=$build/programs/yield.so:
    rm -rf trace.pilgrim*
    LD_PRELOAD='' PILGRIM_TRACE=trace.pilgrim "$MPIEXEC" -n $ranks env LD_PRELOAD="$yield$3" "$build/programs/load" "$1" "$2" $lasts \
        >out 2>err </dev/null || { cat out err >&2; exit 1; }
}

# Prints times; CPU seconds of all ranks; the largest peak; seconds of MPI_Finalize; the largest peak at its end; KiB on disk.
sums() {
    awk '{ times = $1; cpu += $2; before = $3 > before ? $3 : before; end = $4 > end ? $4 : end; peak = $5 > peak ? $5 : peak; disk += $6 }
         END { print times, cpu, before, end, peak, disk / 1024 }' out
}

printf '%-14s %11s %8s %8s %8s %8s %8s %8s %8s %9s %11s\n' case calls 'ns/call' 'traced' 'end s' 'MiB' 'traced' 'at end' 'KiB disk' bytes compared
for item in ${cases:-$all}; do
    name=${item%=*} n=${item#*=} without='1 0 0 0 0 0'
    if [ -z "$lasts" ]; then
        run "$name" "$n" ''
        without=$(sums)
    fi
    run "$name" "$n" "$build/libpilgrim.so"
    with=$(sums)
    compared=$("$build/programs/load_check" trace.pilgrim "$name" "$n" "${with%% *}") || compared=0
    echo "$without $with" | awk -v name="$name" -v bytes="$(stat -c %s trace.pilgrim)" -v n="$compared" '
        { printf "%-14s %11.0f %8.1f %8.1f %8.2f %8.1f %8.1f %8.1f %8d %9d %11.0f\n", name, n, 1e9 * $2 / n, 1e9 * $8 / n, $10, $3 / 1024, $9 / 1024,
          $11 / 1024, $12, bytes, n }'
done
