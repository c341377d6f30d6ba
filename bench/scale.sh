#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The end of runs of many ranks, simulated: bytes, time on the critical path, memory.
# Usage: scale.sh BUILD [ARGUMENT...]
# The arguments are those of bench/scale/scale.c, whose head explains them. Up to 2^20 ranks:
#     scale.sh build --ranks=64,1024,16384,131072,1048576
set -eu
build=$(realpath "$1")
shift
rm -rf "$build/bench/scale"
mkdir -p "$build/bench/scale"
exec "$build/programs/scale" --folder="$build/bench/scale" "$@"
