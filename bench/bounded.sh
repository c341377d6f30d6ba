#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs in which nothing repeats, in bounded memory (PILGRIM_MEMORY): 10^8 calls of MPI_Irecv, MPI_Isend and
# MPI_Waitall with random tags and lengths, without Pilgrim, and with less and less memory for Pilgrim.
# Columns: CPU time of a call; peak of resident memory in MiB before MPI_Finalize and in it, of the rank that has the
# most; CPU time of MPI_Finalize; bytes of the trace; its segments. Takes some minutes.
# Usage: bounded.sh BUILD [--calls=N] [--ranks=N] [MEMORY...], MPIEXEC in the environment.
set -eu
: "${MPIEXEC:?is not set}"
build=$(realpath "$1")
shift
calls=100000000 ranks=1 memories=
for option in "$@"; do
    case $option in
    --calls=*) calls=${option#*=} ;;
    --ranks=*) ranks=${option#*=} ;;
    -*) sed -n 's/^# Usage/usage/p' "$0" >&2 && exit 2 ;;
    *) memories="$memories $option" ;;
    esac
done
rm -rf "$build/bench/bounded"
mkdir -p "$build/bench/bounded"
cd "$build/bench/bounded"

run() { # MEMORY LIBRARY
    rm -rf trace.pilgrim*
    LD_PRELOAD='' PILGRIM_MEMORY=$1 PILGRIM_TRACE=trace.pilgrim "$MPIEXEC" -n "$ranks" env LD_PRELOAD="$2" \
        "$build/programs/bounded" "$calls" >out 2>err </dev/null
    segments=$(sed -n 's/.* in \([0-9]*\) \(parts\|segments\), .*/\1/p' err)
    awk -v memory="$1" -v bytes="$(stat -c %s trace.pilgrim 2>/dev/null || echo 0)" -v segments="${segments:-1}" -v calls="$calls" '
        { ns += $2; before = $3 > before ? $3 : before; peak = $4 > peak ? $4 : peak; end = $5 > end ? $5 : end }
        END { printf "%-8s %8.1f %9.1f %9.1f %9.2f %11d %9.3f %8d\n", memory, ns / NR, before / 1024, peak / 1024, end, bytes,
              bytes / calls / NR, segments }' out
}

printf '%-8s %8s %9s %9s %9s %11s %9s %8s\n' memory 'ns/call' 'peak' 'at end' 'end s' bytes 'b/call' segments
run none ''
for memory in ${memories:-256M 64M 16M}; do
    run "$memory" "$build/libpilgrim.so"
done
