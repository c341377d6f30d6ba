#!/bin/sh
# What tracing adds to a call: medians of 9 runs, without Pilgrim, with PILGRIM_OFF=1 and recording, taken in turns
# so that a slow moment of the machine falls on all three. Usage: overhead.sh BUILD, MPIEXEC in the environment.
set -eu
build=$(realpath "$1")
rm -rf "$build/bench/overhead"
mkdir -p "$build/bench/overhead"
cd "$build/bench/overhead"

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

one() { # LOOP TURNS FILE COMMAND...: appends ns per call
    loop=$1 turns=$2 file=$3
    shift 3
    env PILGRIM_QUIET=1 "$@" "$MPIEXEC" -n 1 $prefix "$build/programs/overhead" "$loop" "$turns" >>"$file"
    rm -f ./*.pilgrim
}

printf '%-34s %9s %9s %9s %12s %12s\n' 'CPU ns per call (median of 9)' without off on 'off adds' 'on adds'
for loop in storm self; do
    case $loop in storm) turns=5000000 title='MPI_Comm_rank' ;; *) turns=500000 title='MPI_Isend, MPI_Irecv, 2 MPI_Wait' ;; esac
    rm -f none off on
    for _ in 1 2 3 4 5 6 7 8 9; do
        prefix='' && one $loop $turns none
        prefix="$build/pilgrim-run" && one $loop $turns off PILGRIM_OFF=1
        prefix="$build/pilgrim-run" && one $loop $turns on
    done
    echo "$(median none) $(median off) $(median on)" | awk -v t="$title" '
        { printf "%-34s %9.1f %9.1f %9.1f %12.1f %12.1f\n", t, $1, $2, $3, $2 - $1, $3 - $1 }'
done
