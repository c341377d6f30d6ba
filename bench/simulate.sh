#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What SimGrid's SMPI makes of runs, from pilgrim-convert --to=ti: bench/simulate.sh BUILD. Each program runs on 4 ranks
# with exact times, and is simulated on 4 hosts of 1 Gflop/s (a flop is a nanosecond of the run's computing) at 10 GB/s
# and 1 us, a processor each. Milliseconds: from the end of MPI_Init to the beginning of MPI_Finalize, the longest of
# the ranks; what the rank that computes most computes; simulated.
set -eu
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PILGRIM_TIMING=exact PILGRIM_QUIET=1
cat >platform.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node" suffix="" radical="0-3" speed="1Gf" bw="10GBps" lat="1us"/>
</platform>
END
printf 'node%d\n' 0 1 2 3 >hosts.txt
printf '%-10s %8s %10s %10s %10s\n' program calls 'run ms' 'compute ms' 'sim. ms'
while read -r program arguments; do
    # shellcheck disable=SC2086
    "${MPIEXEC:-mpiexec.mpich}" -n 4 env LD_PRELOAD="$build/programs/yield.so" \
        "$build/pilgrim-run" "$build/programs/$program" $arguments </dev/null >/dev/null
    "$build/pilgrim-convert" --to=csv "$program.pilgrim" calls.csv
    "$build/pilgrim-convert" --to=ti "$program.pilgrim" actions 2>/dev/null
    simulated=$(cd actions && timeout 120 smpirun -np 4 -platform ../platform.xml -hostfile ../hosts.txt \
        -replay list.txt 2>&1 | sed -n 's/.*Simulation time //p')
    computes=$(for f in actions/rank*.txt; do awk '$2 == "compute" { t += $3 } END { print t + 0 }' "$f"; done | sort -n | tail -1)
    awk -F, -v p="$program" -v c="$computes" -v s="$simulated" '
        NR > 1 { calls++ }
        $4 ~ /^MPI_Init/ { begun[$1] = $6 }
        $4 == "MPI_Finalize" { t = $5 - begun[$1]; if (t > longest) longest = t }
        END { printf "%-10s %8d %10.2f %10.2f %10.2f\n", p, calls, longest / 1e6, c / 1e6, s * 1e3 }' calls.csv
    rm -rf actions calls.csv
done <<'END'
stencil2d 200
ring
cg
stencil3d
irregular
END
