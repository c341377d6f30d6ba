#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The demonstration of `make demo`: traces a stencil on 4 ranks, shows the trace's size, the first calls of a rank, and
# the run on one page.
# Usage: demo.sh BUILD, with MPIEXEC in the environment.
set -eu

build=$(realpath "$1")
rm -rf "$build/demo"
mkdir -p "$build/demo"
cd "$build/demo"
export PATH="$build:$build/programs:$PATH"
# Open MPI (4, and 5 with its launcher PRRTE): 4 ranks on fewer processors, and as root, who types in a container.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

show() {
    echo
    echo "\$ $*"
}

show "mpiexec -n 4 pilgrim-run stencil2d 100"
"$MPIEXEC" -n 4 pilgrim-run stencil2d 100
show "ls -l stencil2d.pilgrim"
ls -l stencil2d.pilgrim
show "pilgrim-decode --rank=3 --limit=8 stencil2d.pilgrim"
pilgrim-decode --rank=3 --limit=8 stencil2d.pilgrim
show "pilgrim stencil2d.pilgrim"
pilgrim stencil2d.pilgrim
echo
echo "The trace and the program are in $build/demo and $build/programs."
