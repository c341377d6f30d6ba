#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Irregular codes: bytes of the trace beside the size of the values that change (entropy.py), and the cost of a call
# with new values. The processes give the processor away while they wait (yield.so); otherwise many ranks on few cores
# take hours.
# Usage: irregular.sh BUILD [PROGRAM...], MPIEXEC in the environment.
set -eu
here=$(dirname "$(realpath "$0")")
build=$(realpath "$1")
shift
wanted=" $* "
rm -rf "$build/bench/irregular"
mkdir -p "$build/bench/irregular"
cd "$build/bench/irregular"

printf '%-16s %5s %8s %9s %10s %9s %6s\n' program ranks calls bytes bytes/call entropy ratio
while read -r program ranks arguments; do
    case $wanted in '  ' | *" $program "*) ;; *) continue ;; esac
    trace=$program.pilgrim
    rm -f "$trace"
    # shellcheck disable=SC2086  # the arguments are words
    LD_PRELOAD='' PILGRIM_QUIET=1 PILGRIM_TRACE=$trace "$MPIEXEC" -n "$ranks" \
        env LD_PRELOAD="$build/programs/yield.so" "$build/pilgrim-run" "$build/programs/$program" $arguments >out </dev/null
    echo "$(python3 "$here/entropy.py" "$build/pilgrim-decode" "$trace") $(stat -c %s "$trace")" |
        awk -v p="$program $arguments" -v r="$ranks" \
            '{ printf "%-16s %5d %8d %9d %10.3f %9d %6.2f\n", p, r, $1, $4, $4 / $1, $2 + $3, $4 / ($2 + $3) }'
done <<END
irregular 9 10000
waitany 9 1000
nested 9 1000
nested 9 1000 1
amr 9 2000
cg 9 100
tags 9 3000
workqueue 9 10000
END

case $wanted in '  ' | *' cost '*) "$build/programs/irregular_cost" ;; esac
