#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What tracing adds to a call, in calls that do next to nothing (bench/overhead.c has the rows): CPU time, and
# instructions.
#
# Time: medians of 9 runs without Pilgrim, with PILGRIM_OFF=1 (off), after MPI_Pcontrol(0) (paused), left out by
# PILGRIM_FILTER (left), and recording (on), in ns a call. The ways alternate, so that a slow moment of the machine
# falls on all of them. The last column is what recording adds, as a multiple of two readings of the clock, the least
# that a call with times costs. Instructions: counted by callgrind (of valgrind) in the loop alone; a reading of the
# clock is one of them.
#
# --modes: the same for each PILGRIM_TIMING while recording: off, which reads no clock, and what aggregate, bins:1.2 and
# exact add to it; what the journal adds to aggregate; and what is left of bins and exact without two readings of the
# clock.
#
# --stack: what PILGRIM_STACK=full adds to PILGRIM_STACK=1, for paths of 3, 10 and 30 frames, and what a call takes
# whose path is new.
#
# Usage: overhead.sh BUILD [--modes | --stack] [--row=NAME] [--runs=N] [--calls=N] [--no-times] [--no-counts]
# MPIEXEC must be in the environment.
set -eu
: "${MPIEXEC:?is not set}"
build=$(realpath "$1")
shift
only='' runs=9 calls=2000000 times=yes counts=yes modes=no
for option in "$@"; do
    case $option in
    --row=*) only=${option#*=} ;;
    --runs=*) runs=${option#*=} ;;
    --calls=*) calls=${option#*=} ;;
    --modes) modes=yes ;;
    --stack) modes=stack ;;
    --no-times) times=no ;;
    --no-counts) counts=no ;;
    *) sed -n 's/^# Usage/usage/p' "$0" >&2 && exit 2 ;;
    esac
done
program=$build/programs/overhead
folder=$build/bench/overhead
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
export PILGRIM_QUIET=1

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# Runs bench/overhead.c with these arguments in one WAY: none, off, paused, left, on, timing=..., journal=... $before: the command that
# starts it.
run() { # WAY ROW CALLS WARM-UP
    case $1 in
    none) "$MPIEXEC" -n 1 $before "$program" "$2" "$3" "$4" ;;
    off) PILGRIM_OFF=1 "$MPIEXEC" -n 1 "$build/pilgrim-run" $before "$program" "$2" "$3" "$4" ;;
    paused) "$MPIEXEC" -n 1 "$build/pilgrim-run" $before "$program" "$2" "$3" "$4" paused ;;
    on) "$MPIEXEC" -n 1 "$build/pilgrim-run" $before "$program" "$2" "$3" "$4" ;;
    left) PILGRIM_FILTER='-MPI_*' "$MPIEXEC" -n 1 "$build/pilgrim-run" $before "$program" "$2" "$3" "$4" ;;
    journal=*) PILGRIM_JOURNAL=${1#*=} "$MPIEXEC" -n 1 "$build/pilgrim-run" $before "$program" "$2" "$3" "$4" ;;
    stack=*) PILGRIM_STACK=${1#*=} "$MPIEXEC" -n 1 "$build/pilgrim-run" $before "$program" "$2" "$3" "$4" ;;
    timing=*) PILGRIM_TIMING=${1#*=} "$MPIEXEC" -n 1 "$build/pilgrim-run" $before "$program" "$2" "$3" "$4" ;;
    esac
    rm -f ./*.pilgrim
}

rows() { "$program" rows | if [ "$only" ]; then grep "^$only "; else cat; fi; }

measure_clocks() {
    clocks=$("$program" clocks)
    echo "$clocks" | awk '{ printf "a reading of the counter %s ns, of CLOCK_MONOTONIC %s ns\n\n", $1, $2 }'
    reading=${clocks%% *}
    if [ "$reading" = - ] || [ "${PILGRIM_CLOCK:-}" = monotonic ]; then reading=${clocks#* }; fi
}

mode_ways='timing=off timing=aggregate timing=bins:1.2 timing=exact journal=off'

# Prints a row of the table. READING, if not empty: in the last three columns two readings of the clock are left out.
mode_row() { # TITLE OFF AGGREGATE BINS EXACT NO-JOURNAL READING
    echo "$2 $3 $4 $5 $6 ${7:-none}" | awk -v t="$1" '
        { printf "%-45s %9.1f %9.1f %9.1f %9.1f   %9.1f %9.1f %9.1f %9.1f", t, $1, $2, $3, $4, $2 - $1, $3 - $1, $4 - $1, $2 - $5 }
        $6 != "none" { printf "   %9.1f %9.1f %9.1f", $2 - $1 - 2 * $6, $3 - $1 - 2 * $6, $4 - $1 - 2 * $6 }
        { print "" }'
}

mode_heads() { # TITLE
    printf '%-45s %9s %9s %9s %9s   %9s %9s %9s %9s' "$1" off aggregate bins:1.2 exact 'aggr. adds' 'bins add' 'exact adds' journal
}

measure_mode_times() {
    measure_clocks
    mode_heads "CPU ns a call (median of $runs)"
    printf '   %9s %9s %9s\n' 'less clock' bins exact
    before=
    rows | while read -r row title; do
        for way in $mode_ways; do rm -f "$way"; done
        for _ in $(seq "$runs"); do
            for way in $mode_ways; do run "$way" "$row" "$calls" $((calls / 10)) >>"$way" </dev/null; done
        done
        # shellcheck disable=SC2086,SC2046  # the list is words
        mode_row "$title" $(for way in $mode_ways; do median "$way"; done) "$reading"
    done
}

count_mode_instructions() {
    mode_heads 'instructions a call'
    echo
    rows | while read -r row title; do
        # shellcheck disable=SC2086,SC2046  # the list is words
        mode_row "$title" $(for way in $mode_ways; do echo "$(count "$way" "$row")"; done) ''
    done
    echo "by function: callgrind_annotate $folder/ROW.WAY.callgrind"
}

stack_rows() { rows | grep -E '^(rank|isend|waitall|callers|random_class|random_path) '; }

measure_stack_times() {
    printf '%-53s %6s %8s %8s %8s\n' "CPU ns a call (median of $runs)" frames site full 'full adds'
    before=
    stack_rows | while read -r row title; do
        for OVERHEAD_FRAMES in 3 10 30; do
            export OVERHEAD_FRAMES
            rm -f stack=1 stack=full
            for _ in $(seq "$runs"); do
                for way in stack=1 stack=full; do run "$way" "$row" "$calls" $((calls / 10)) >>"$way" </dev/null; done
            done
            echo "$(median stack=1) $(median stack=full)" | awk -v t="$title" -v d="$OVERHEAD_FRAMES" '
                { printf "%-53s %6d %8.1f %8.1f %8.1f\n", t, d, $1, $2, $2 - $1 }'
        done
    done
    measure_new_paths
}

measure_new_paths() {
    printf '\n%-53s %6s %9s %9s %9s\n' "us a call, with the program's part (median of $runs)" frames addresses path again
    rm -f new.*
    for _ in $(seq "$runs"); do
        PILGRIM_STACK=full "$MPIEXEC" -n 1 "$build/pilgrim-run" "$build/programs/new_paths" </dev/null |
            while read -r frames unknown known again; do
                echo "$unknown" >>"new.$frames.unknown"
                echo "$known" >>"new.$frames.known"
                echo "$again" >>"new.$frames.again"
            done
        rm -f ./*.pilgrim
    done
    for frames in 3 10 30; do
        printf '%-53s %6d %9s %9s %9s\n' 'MPI_Comm_rank; new addresses, a new path, neither' "$frames" \
            "$(median "new.$frames.unknown")" "$(median "new.$frames.known")" "$(median "new.$frames.again")"
    done
}

count_stack_instructions() {
    printf '%-53s %6s %8s %8s %8s\n' 'instructions a call' frames site full 'full adds'
    stack_rows | while read -r row title; do
        for OVERHEAD_FRAMES in 3 10 30; do
            export OVERHEAD_FRAMES
            echo "$(count stack=1 "$row") $(count stack=full "$row")" | awk -v t="$title" -v d="$OVERHEAD_FRAMES" '
                { printf "%-53s %6d %8d %8d %8d\n", t, d, $1, $2, $2 - $1 }'
        done
    done
}

measure_times() {
    measure_clocks
    printf '%-45s %8s %8s %8s %8s %8s   %9s %11s %9s %9s %13s\n' "CPU ns a call (median of $runs)" without off paused left on \
        'off adds' 'paused adds' 'left adds' 'on adds' '2 readings x'
    before=
    rows | while read -r row title; do
        rm -f none off paused left on
        for _ in $(seq "$runs"); do
            for way in none off paused left on; do run $way "$row" "$calls" $((calls / 10)) >>$way </dev/null; done
        done
        echo "$(median none) $(median off) $(median paused) $(median left) $(median on) $reading" | awk -v t="$title" '
            { printf "%-45s %8.1f %8.1f %8.1f %8.1f %8.1f   %9.1f %11.1f %9.1f %9.1f %13.1f\n", t, $1, $2, $3, $4, $5, $2 - $1, $3 - $1,
              $4 - $1, $5 - $1, ($5 - $1) / (2 * $6) }'
    done
}

count() { # WAY ROW: prints instructions a call. The calls of whole turns are at most one in a thousand more.
    n=24576
    before="valgrind --tool=callgrind --toggle-collect=measured --zero-before=measured --callgrind-out-file=$folder/$2.$1.callgrind"
    run "$1" "$2" $n $n 2>&1 </dev/null | sed -n 's/.*Collected : //p' | awk -v n=$n '{ printf "%.0f", $1 / n }'
}

count_instructions() {
    printf '%-45s %8s %8s %8s %8s %8s   %9s %11s %9s %9s\n' 'instructions a call' without off paused left on 'off adds' 'paused adds' 'left adds' \
        'on adds'
    rows | while read -r row title; do
        echo "$(count none "$row") $(count off "$row") $(count paused "$row") $(count left "$row") $(count on "$row")" | awk -v t="$title" '
            { printf "%-45s %8d %8d %8d %8d %8d   %9d %11d %9d %9d\n", t, $1, $2, $3, $4, $5, $2 - $1, $3 - $1, $4 - $1, $5 - $1 }'
    done
    echo "by function: callgrind_annotate $folder/ROW.on.callgrind"
}

case $modes in yes) kind=mode_ ;; stack) kind=stack_ ;; *) kind= ;; esac
[ $times = no ] || measure_${kind}times
[ $counts = no ] || [ $times = no ] || echo
if [ $counts = yes ] && command -v valgrind >/dev/null; then
    count_${kind}instructions
elif [ $counts = yes ]; then
    echo 'instructions are not counted: there is no valgrind'
fi
