#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Threads that come and go. Columns, for each form of bench/short_threads.c and each number of threads: calls; bytes of
# the trace, and its segments; the CPU time in us that recording adds to a thread, a median of some runs; what it adds
# to a thread's begin, to its calls and to its end, in us, a median over threads; the peak of resident memory in MiB
# that it adds before MPI_Finalize, and in it.
# Usage: threads.sh BUILD [--runs=N] [--timing=MODE] [THREADS...], MPIEXEC in the environment.
set -eu
: "${MPIEXEC:?is not set}"
build=$(realpath "$1")
shift
runs=5 timing=aggregate numbers=
for option in "$@"; do
    case $option in
    --runs=*) runs=${option#*=} ;;
    --timing=*) timing=${option#*=} ;;
    -*) sed -n 's/^# Usage/usage/p' "$0" >&2 && exit 2 ;;
    *) numbers="$numbers $option" ;;
    esac
done
rm -rf "$build/bench/threads"
mkdir -p "$build/bench/threads"
cd "$build/bench/threads"

run() { # FORM THREADS LIBRARY
    rm -rf trace.pilgrim*
    LD_PRELOAD='' PILGRIM_TIMING=$timing PILGRIM_FILTER=-MPI_Query_thread PILGRIM_TRACE=trace.pilgrim "$MPIEXEC" -n 1 env LD_PRELOAD="$3" \
        "$build/programs/short_threads" "$1" "$2" 2>err </dev/null
}

printf '%-6s %8s %9s %9s %8s %9s %6s %6s %6s %6s %6s\n' form threads calls bytes segments 'us/thread' begin calls end 'peak' 'at end'
for form in one alike eight tags loop; do
    for threads in ${numbers:-1000 10000 100000}; do
        [ "$form" != loop ] || [ "$threads" -le 10000 ] || continue
        : >without && : >with
        for i in $(seq "$runs"); do
            run "$form" "$threads" '' >>without
            run "$form" "$threads" "$build/libpilgrim.so" >>with
        done
        segments=$(sed -n 's/.* in \([0-9]*\) \(parts\|segments\), .*/\1/p' err)
        median() { sort -n -k "$2,$2" "$1" | awk -v column="$2" '{ v[NR] = $column } END { print v[int((NR + 1) / 2)] }'; }
        added() { echo "$(median with "$1") $(median without "$1")" | awk '{ print ($1 - $2) / '"$2 }"; }
        printf '%-6s %8d %9d %9d %8d %9.1f %6.1f %6.1f %6.1f %6.1f %6.1f\n' "$form" "$threads" "$(median with 1)" \
            "$(stat -c %s trace.pilgrim)" "${segments:-1}" "$(added 2 1)" "$(added 6 1000)" "$(added 7 1000)" "$(added 8 1000)" \
            "$(added 3 1024)" "$(added 4 1024)"
    done
done
