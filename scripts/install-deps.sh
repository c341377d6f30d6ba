#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs what Pilgrim is built and tested with, by the names of the Debian packages below, through apt-get.
#
# Says what it does. Does nothing, and says nothing, when all of them are there. Uses sudo when not root.
# On a system that is not Debian (or made from it) it prints what to install and stops with status 1.
# `install-deps.sh long` also installs what only `make check-long` needs.
set -eu

# package          what for
wanted='
gcc                the compiler
libc6-dev          the C library headers
make               the build
autoconf           makes ./configure from configure.ac
pkg-config         finds an installed Pilgrim; used by the installation test
mpich              the MPI that is traced: mpiexec
libmpich-dev       its mpicc and mpi.h
openmpi-bin        tests: the other MPI
libopenmpi-dev     tests: its mpicc and mpi.h
gfortran           tests: Fortran programs
g++                tests: C++ exceptions
libxxhash-dev      xxHash: signature hash and checksums (header only)
uthash-dev         uthash: hash tables (header only)
libzstd-dev        zstd: the sections of a trace file
zlib1g-dev         optional: zlib, pages of pilgrim-report that are a third as large
libdw-dev          optional: elfutils, source lines in pilgrim-decode
check              Check: unit tests
clang-format       tests: the layout of the code
libsubunit-dev     what Check is linked with
python3            tests: the second decoder and the comparison
netpipe-mpich2     tests: a real MPI program
python3-mpi4py     tests: MPI in Python, which opens it so that nobody else sees its names
python3-numpy      the Python module, and tests: arrays
python3-dev        optional: the headers for the Python module
python3-pandas     tests: what the Python module gives to pandas
protobuf-compiler  tests: reads what pilgrim-convert writes
libopen-trace-format2-dev  optional: OTF2, archives from pilgrim-convert
otf2-tools         tests: otf2-print, which reads them
'

long='
chromium           tests: draws what pilgrim-report writes
clang              tests: the fuzzers
libsimgrid-dev     tests: smpirun, which replays what pilgrim-convert writes
python3-otf2       tests: reads OTF2 archives
eztrace            tests: records the same calls in an OTF2 archive
libclang-rt-dev    tests: the sanitizers and the fuzzer of clang
valgrind           tests: reads of what was never written
'

[ "${1-}" = long ] && wanted="$wanted$long"
echo "$wanted" | "$(dirname "$0")/install-packages.sh" install-deps \
    "autoconf && ./configure && make (and 'make check DEPS=no' for the tests)."
