#!/bin/sh
# Installs what Pilgrim is built and tested with, by the names of the Debian packages below, through apt-get.
#
# Says what it does. Does nothing, and says nothing, when all of them are there. Uses sudo when not root.
# On a system that is not Debian (or made from it) it prints what to install and stops with status 1.
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
libxxhash-dev      xxHash: signature hash and checksums (header only)
uthash-dev         uthash: hash tables (header only)
libzstd-dev        zstd: the sections of a trace file
libdw-dev          optional: elfutils, source lines in pilgrim-decode
libunwind-dev      optional: call stacks (PILGRIM_STACK)
check              Check: unit tests
libsubunit-dev     what Check is linked with
python3            tests: the second decoder and the comparison
netpipe-mpich2     tests: a real MPI program
'

if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
    echo "install-deps: this is not a Debian system. Please install what these packages stand for:" >&2
    echo "$wanted" >&2
    echo "Then: autoconf && ./configure && make (and 'make check DEPS=no' for the tests)." >&2
    exit 1
fi

missing=
for package in $(echo "$wanted" | awk 'NF { print $1 }'); do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "install-deps: installing these Debian packages with apt-get:$missing"
as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "install-deps: not root and no sudo here. As root: apt-get install$missing" >&2
        exit 1
    fi
    as_root=sudo
fi
# shellcheck disable=SC2086  # the list is words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
echo "install-deps: done"
