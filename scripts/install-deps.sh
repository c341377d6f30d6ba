#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs what Pilgrim is built and tested with: on Debian and its relatives through apt-get, by the names in the first column.
#
# Says what it does. Does nothing, and says nothing, when all of them are there. Uses sudo when not root.
# On a system with dnf or zypper it prints the one command to type, and on others what to install, and stops with status 1.
# `install-deps.sh long` also installs what only `make check LONG=1` needs; `install-deps.sh demo` only what `make demo` needs,
# and no MPI where there is one.
#
# Tested on Debian 12 and 13. Untested: Ubuntu has the same names, but no chromium outside of snap; and the other columns.
set -eu

# Debian                   Fedora, RHEL             openSUSE                            what for
wanted='
gcc                        gcc                      gcc                                 the compiler
libc6-dev                  glibc-devel              glibc-devel                         the C library headers
make                       make                     make                                the build
autoconf                   autoconf                 autoconf                            makes ./configure from configure.ac
pkg-config                 pkgconf-pkg-config       pkg-config                          tests: finds an installed Pilgrim
mpich                      mpich                    mpich                               the MPI that is traced: mpiexec
libmpich-dev               mpich-devel              mpich-devel                         its mpicc and mpi.h
openmpi-bin                openmpi                  openmpi4                            tests: the other MPI
libopenmpi-dev             openmpi-devel            openmpi4-devel                      tests: its mpicc and mpi.h
gfortran                   gcc-gfortran             gcc-fortran                         tests: Fortran programs
g++                        gcc-c++                  gcc-c++                             tests: C++ exceptions
libxxhash-dev              xxhash-devel             xxhash-devel                        xxHash: signature hash and checksums (header only)
uthash-dev                 uthash-devel             uthash-devel                        uthash: hash tables (header only)
libzstd-dev                libzstd-devel,libzstd-static  libzstd-devel,libzstd-devel-static  zstd: the sections of a trace file
zlib1g-dev                 zlib-devel               zlib-devel                          optional: zlib, pages of pilgrim-report that are a third as large
libdw-dev                  elfutils-devel           libdw-devel                         elfutils: source lines in pilgrim-decode; configure goes without
check                      check-devel              check-devel                         tests: Check, for the unit tests
clang-format               clang-tools-extra        -                                   tests: the layout of the code
libsubunit-dev             subunit-devel            subunit-devel                       tests: what Check is linked with
python3                    python3                  python3                             tests: the second decoder and the comparison
netpipe-mpich2             -                        -                                   tests: a real MPI program
python3-mpi4py             python3-mpi4py-mpich     -                                   tests: MPI in Python, which opens it so that nobody else sees its names
python3-numpy              python3-numpy            python3-numpy                       optional: the Python module, and tests: arrays
python3-dev                python3-devel            python3-devel                       optional: the headers for the Python module
python3-pandas             python3-pandas           python3-pandas                      tests: what the Python module gives to pandas
protobuf-compiler          protobuf-compiler        protobuf-devel                      tests: reads what pilgrim-convert writes
libopen-trace-format2-dev  otf2-devel               -                                   optional: OTF2, archives from pilgrim-convert
otf2-tools                 otf2                     -                                   tests: otf2-print, which reads them
'

long='
chromium                   chromium                 chromium                            tests: draws what pilgrim-report writes
clang                      clang                    clang                               tests: the fuzzers
libsimgrid-dev             -                        -                                   tests: smpirun, which replays what pilgrim-convert writes
python3-otf2               -                        -                                   tests: reads OTF2 archives
eztrace                    -                        -                                   tests: records the same calls in an OTF2 archive
libclang-rt-dev            compiler-rt              -                                   tests: the sanitizers and the fuzzer of clang
valgrind                   valgrind                 valgrind                            tests: reads of what was never written
fish                       fish                     fish                                tests: completions for fish
zsh                        zsh                      zsh                                 tests: completions for zsh
'

case ${1-} in
long) wanted="$wanted$long" ;;
demo)
    wanted=$(echo "$wanted" | grep -v -e ' tests: ' -e ' optional: ')
    ! command -v mpicc >/dev/null 2>&1 || wanted=$(echo "$wanted" | grep -v mpich)
    ;;
esac
echo "$wanted" | "$(dirname "$0")/install-packages.sh" install-deps \
    "autoconf && ./configure && make (and 'make check' for the tests)."
