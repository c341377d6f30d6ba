#!/bin/sh
# What tracing adds to a call, in calls that do next to nothing (bench/overhead.c has the rows): CPU time, and instructions.
#
# Time: medians of 9 runs without Pilgrim, with PILGRIM_OFF=1 (off), behind MPI_Pcontrol(0) (paused), and recording (on), taken in
# turns so that a slow moment of the machine falls on all four; in ns a call, and what recording adds as a multiple of two readings
# of the clock, which a call that is timed costs at least. Instructions: counted by callgrind (of valgrind) in the loop alone; a reading
# of the clock is one of them.
#
# Usage: overhead.sh BUILD [--row=NAME] [--runs=N] [--calls=N] [--no-times] [--no-counts], MPIEXEC in the environment.
set -eu
: "${MPIEXEC:?is not set}"
build=$(realpath "$1")
shift
only='' runs=9 calls=2000000 times=yes counts=yes
for option in "$@"; do
    case $option in
    --row=*) only=${option#*=} ;;
    --runs=*) runs=${option#*=} ;;
    --calls=*) calls=${option#*=} ;;
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

# As bench/overhead.c with these arguments, in one of the ways none, off, paused, on; $before: what to start it with.
run() { # WAY ROW CALLS WARM-UP
    case $1 in
    none) "$MPIEXEC" -n 1 $before "$program" "$2" "$3" "$4" ;;
    off) PILGRIM_OFF=1 "$MPIEXEC" -n 1 "$build/pilgrim-run" $before "$program" "$2" "$3" "$4" ;;
    paused) "$MPIEXEC" -n 1 "$build/pilgrim-run" $before "$program" "$2" "$3" "$4" paused ;;
    on) "$MPIEXEC" -n 1 "$build/pilgrim-run" $before "$program" "$2" "$3" "$4" ;;
    esac
    rm -f ./*.pilgrim
}

rows() { "$program" rows | if [ "$only" ]; then grep "^$only "; else cat; fi; }

measure_times() {
    clocks=$("$program" clocks)
    echo "$clocks" | awk '{ printf "a reading of the counter %s ns, of CLOCK_MONOTONIC %s ns\n\n", $1, $2 }'
    reading=${clocks%% *}
    if [ "$reading" = - ] || [ "${PILGRIM_CLOCK:-}" = monotonic ]; then reading=${clocks#* }; fi
    printf '%-45s %8s %8s %8s %8s   %9s %11s %9s %13s\n' "CPU ns a call (median of $runs)" without off paused on \
        'off adds' 'paused adds' 'on adds' '2 readings x'
    before=
    rows | while read -r row title; do
        rm -f none off paused on
        for _ in $(seq "$runs"); do
            for way in none off paused on; do run $way "$row" "$calls" $((calls / 10)) >>$way </dev/null; done
        done
        echo "$(median none) $(median off) $(median paused) $(median on) $reading" | awk -v t="$title" '
            { printf "%-45s %8.1f %8.1f %8.1f %8.1f   %9.1f %11.1f %9.1f %13.1f\n", t, $1, $2, $3, $4, $2 - $1, $3 - $1, $4 - $1,
              ($4 - $1) / (2 * $5) }'
    done
}

count() { # WAY ROW: instructions a call; the calls are a multiple of those of any row's turn
    n=24576
    before="valgrind --tool=callgrind --toggle-collect=measured --callgrind-out-file=$folder/$2.$1.callgrind"
    run "$1" "$2" $n $n 2>&1 </dev/null | sed -n 's/.*Collected : //p' | awk -v n=$n '{ printf "%.0f", $1 / n }'
}

count_instructions() {
    printf '%-45s %8s %8s %8s %8s   %9s %11s %9s\n' 'instructions a call' without off paused on 'off adds' 'paused adds' 'on adds'
    rows | while read -r row title; do
        echo "$(count none "$row") $(count off "$row") $(count paused "$row") $(count on "$row")" | awk -v t="$title" '
            { printf "%-45s %8d %8d %8d %8d   %9d %11d %9d\n", t, $1, $2, $3, $4, $2 - $1, $3 - $1, $4 - $1 }'
    done
    echo "by function: callgrind_annotate $folder/ROW.on.callgrind"
}

[ $times = no ] || measure_times
[ $counts = no ] || [ $times = no ] || echo
if [ $counts = yes ] && command -v valgrind >/dev/null; then
    count_instructions
elif [ $counts = yes ]; then
    echo 'instructions are not counted: there is no valgrind'
fi
