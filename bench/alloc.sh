#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What following the allocator adds to a malloc/free pair: medians of 9 runs without Pilgrim and of 9 that record. The
# two alternate, so that a slow moment of the machine falls on both.
# Usage: alloc.sh BUILD, MPIEXEC in the environment.
set -eu
build=$(realpath "$1")
rm -rf "$build/bench/alloc"
mkdir -p "$build/bench/alloc"
cd "$build/bench/alloc"

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

printf '%-44s %9s %9s %9s\n' 'CPU ns per malloc and free (median of 9)' without on 'on adds'
for pattern in pair batch named threads alive large realloc; do
    case $pattern in
    pair) title='one block at a time' ;;
    batch) title='1000 blocks, then all freed' ;;
    named) title='the same, 4000 blocks named by MPI calls' ;;
    threads) title='the same in two threads' ;;
    alive) title='65536 alive, to 256 bytes, random order' ;;
    large) title='65536 alive, to 4 KiB, random order' ;;
    realloc) title='realloc, a step' ;;
    esac
    rm -f none on
    for _ in 1 2 3 4 5 6 7 8 9; do
        "$MPIEXEC" -n 1 "$build/programs/alloc" "$pattern" >>none
        PILGRIM_QUIET=1 "$MPIEXEC" -n 1 "$build/pilgrim-run" "$build/programs/alloc" "$pattern" >>on
        rm -f ./*.pilgrim
    done
    echo "$(median none) $(median on)" | awk -v t="$title" '{ printf "%-44s %9.1f %9.1f %9.1f\n", t, $1, $2, $2 - $1 }'
done
