#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs the programs that `make check-apps` traces, by the names of the Debian packages below, through apt-get.
set -eu

# Debian, and - where their names in Fedora and openSUSE are not known; what for
"$(dirname "$0")/install-packages.sh" install-apps 'make check-apps DEPS=no' <<END
lammps                  -   -   molecular dynamics, C++, Open MPI
quantum-espresso        -   -   pw.x: electrons in crystals, Fortran, Open MPI
quantum-espresso-data   -   -   its pseudopotentials
hpcc                    -   -   the HPC Challenge benchmarks: C, Open MPI
scalapack-mpi-test      -   -   linear algebra: Fortran and C, for MPICH and for Open MPI
END
