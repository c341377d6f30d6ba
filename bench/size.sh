#!/bin/sh
# Bytes of the trace, by ranks and iterations. Usage: size.sh BUILD, MPIEXEC in the environment.
# The processes give the processor away while they wait (yield.so), else many ranks on few cores take hours.
set -eu
build=$(realpath "$1")
rm -rf "$build/bench/size"
mkdir -p "$build/bench/size"
cd "$build/bench/size"

printf '%-10s %6s %10s %10s %10s %10s\n' 'bytes' ranks '10 iter.' '100' '1000' '10000'
while read -r program ranks; do
    sizes=
    for iterations in 10 100 1000 10000; do
        trace=$program-$ranks-$iterations.pilgrim
        LD_PRELOAD='' PILGRIM_QUIET=1 PILGRIM_TRACE=$trace "$MPIEXEC" -n "$ranks" \
            env LD_PRELOAD="$build/programs/yield.so" "$build/pilgrim-run" "$build/programs/$program" "$iterations" >out </dev/null
        sizes="$sizes $(stat -c %s "$trace")"
    done
    # shellcheck disable=SC2086  # the list is words
    printf '%-10s %6s %10s %10s %10s %10s\n' "$program" "$ranks" $sizes
done <<END
stencil2d 4
stencil2d 9
stencil2d 16
stencil3d 27
END
