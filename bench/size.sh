#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Bytes of the trace: for irregular codes, with statistics of times and without any times; for stencils, by iterations.
# The processes give the processor away while they wait (yield.so); otherwise many ranks on few cores take hours.
# Usage: size.sh BUILD [PROGRAM...], MPIEXEC in the environment.
set -eu
build=$(realpath "$1")
shift
wanted=" $* "
rm -rf "$build/bench/size"
mkdir -p "$build/bench/size"
cd "$build/bench/size"

# traced TIMING RANKS PROGRAM ARGUMENT...: leaves trace.TIMING, and the library's last line in `said`.
traced() {
    timing=$1 ranks=$2 program=$3
    shift 3
    rm -f "trace.$timing"
    LD_PRELOAD='' PILGRIM_TIMING=$timing PILGRIM_TRACE=trace.$timing "$MPIEXEC" -n "$ranks" \
        env LD_PRELOAD="$build/programs/yield.so" "$build/pilgrim-run" "$build/programs/$program" "$@" >out 2>said </dev/null ||
        { cat out said >&2; exit 1; }
}

bytes() {
    stat -c %s "trace.$1"
}

is_wanted() {
    case $wanted in '  ' | *" $1 "*) ;; *) false ;; esac
}

printf '%-14s %6s %8s %9s %9s %6s\n' bytes ranks calls off default ratio
while read -r program ranks arguments; do
    is_wanted "$program" || continue
    for timing in off aggregate; do
        # shellcheck disable=SC2086  # the arguments are words
        traced $timing "$ranks" "$program" $arguments
    done
    calls=$(sed -n 's/^pilgrim: \([0-9]*\) calls .*/\1/p' said)
    echo "$program $ranks $calls $(bytes off) $(bytes aggregate)" >>rows
    tail -n 1 rows | awk '{ printf "%-14s %6d %8d %9d %9d %6.2f\n", $1, $2, $3, $4, $5, $5 / $4 }'
done <<END
surfaces 27 20
wavefront 16 30
octants 16 6
tiles 16 40
vcycle 27 40
tree 21 25
phases 16 6
butterfly 13 15
panels 16 8
windows 16 30
startup 27 4
outputs 27 60
slow 16 100
unstructured 27 40
particles 27 60
roles 24 30
END
[ ! -e rows ] || awk '{ ratio = $5 / $4; sum += log(ratio); if (ratio > most) { most = ratio; of = $1 } }
    END { printf "%d programs: geometric mean %.2f, maximum %.2f (%s)\n", NR, exp(sum / NR), most, of }' rows

printf '\n%-14s %6s %10s %10s %10s %10s\n' bytes ranks '10 iter.' '100' '1000' '10000'
while read -r program ranks; do
    is_wanted "$program" || continue
    sizes=
    for iterations in 10 100 1000 10000; do
        traced aggregate "$ranks" "$program" "$iterations"
        sizes="$sizes $(bytes aggregate)"
    done
    # shellcheck disable=SC2086  # the list is words
    printf '%-14s %6s %10s %10s %10s %10s\n' "$program" "$ranks" $sizes
done <<END
stencil2d 4
stencil2d 9
stencil2d 16
stencil3d 27
END
