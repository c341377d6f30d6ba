#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What tests need beyond what Pilgrim is built with: whether it is here, and what installs it.

    tests/checker/needs.py NEED...     prints what is missing and exits with 1; or prints nothing. BUILD: the build folder

What all of a test command needs stands in its head (tests/run-all). A part of one asks: need() of harness.py, or this command.
"""
import os
import re
import shutil
import subprocess
import sys

# A need; how it is found; the packages that have it, by their names in the first column of scripts/install-deps.sh (-: none there).
#   program          on PATH
#   config.mk NAME   NAME has a value there: what is installed later is only seen when configure runs again
#   PYTHON           that Python finds the module; $NAME is the value in config.mk
TABLE = """
Check              config.mk CHECK_LIBS     check,libsubunit-dev
mpifort            config.mk MPIFC          gfortran
the other MPI      config.mk OTHER_MPICC    mpich,libmpich-dev,openmpi-bin,libopenmpi-dev
the Python module  config.mk PYTHON         python3-dev,python3-numpy
libdw              config.mk DW_LIBS        libdw-dev
OTF2               config.mk OTF2_LIBS      libopen-trace-format2-dev
NPmpich2           program                  netpipe-mpich2
chromium           program                  chromium
clang              program                  clang,libclang-rt-dev
clang++            program                  clang
clang-format       program                  clang-format
eztrace            program                  eztrace
fish               program                  fish
g++                program                  g++
gfortran           program                  gfortran
npm                program                  -
otf2-print         program                  otf2-tools
pkg-config         program                  pkg-config
protoc             program                  protobuf-compiler
smpirun            program                  libsimgrid-dev
valgrind           program                  valgrind
zsh                program                  zsh
module mpi4py      /usr/bin/python3         python3-mpi4py
module numpy       /usr/bin/python3         python3-numpy
module otf2        /usr/bin/python3         python3-otf2
module pandas      $PYTHON                  python3-pandas
"""
NEEDS = {row[0]: (row[1], row[2].split(',')) for row in (re.split(r'  +', line) for line in TABLE.strip().splitlines())}
PACKAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'scripts', 'install-deps.sh')
FIND = 'import importlib.util, sys; spec = importlib.util.find_spec(sys.argv[1]); sys.exit(not spec or not spec.origin)' # without: an empty folder
HEAD = re.compile(r'\bNeeds: ([^.\n]+)\.')


def packages(which):
    """The names of a list of scripts/install-deps.sh: `wanted`, or `long`."""
    with open(PACKAGES, encoding='utf-8') as file:
        return re.findall(r'^([\w.+-]+)  ', re.search(rf"^{which}='\n(.*?)^'", file.read(), re.M | re.S).group(1), re.M)


def config(build, name):
    """The value of NAME in the config.mk of a build folder."""
    with open(os.path.join(build, 'config.mk'), encoding='utf-8') as file:
        return re.search(rf'^{name} =(.*)$', file.read(), re.M).group(1).strip()


def is_here(name, found, build):
    if found == 'program':
        return bool(shutil.which(name))
    if found.startswith('config.mk '):
        return bool(config(build, found.split()[1]))
    python = config(build, found[1:]) if found.startswith('$') else found
    return bool(python and shutil.which(python)) and subprocess.run([python, '-c', FIND, name.split()[-1]], check=False).returncode == 0


def missing(name, build):
    """Why what needs NAME cannot be tested, or None. BUILD: the build folder."""
    found, names = NEEDS[name]
    if is_here(name, found, build):
        return None
    setup = 'make setup LONG=1' if set(names) & set(packages('long')) else 'make setup'
    again = ', then configure again' if found.startswith('config.mk ') else ''
    return f'{name} is missing' + (f'; {setup} installs it{again}' if names != ['-'] else '')


if __name__ == '__main__':
    reasons = [reason for reason in (missing(name, os.environ.get('BUILD', 'build')) for name in sys.argv[1:]) if reason]
    print('\n'.join(reasons[:1]), end='')
    sys.exit(1 if reasons else 0)
