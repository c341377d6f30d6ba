#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs Debian packages through apt-get; used by the install-*.sh beside it.
#
#     scripts/install-packages.sh NAME HINT <LIST
#
# LIST: on each line the names of a thing's packages in Debian, in Fedora, in openSUSE, and what it is for. A name may be several,
# with commas, or - if none is known. NAME: who asks. HINT: what to do next, for other systems than Debian.
#
# Says what it does. Does nothing, and says nothing, when all packages are there. Uses sudo when not root. What is optional or for
# tests only, and not packaged in this release, is left out, which a line says. On a system that is not Debian (or made from it)
# it prints the command to type, or what to install, and stops with status 1.
set -eu
name=$1
hint=$2
wanted=$(cat)
as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo

# Prints the names in column $1.
names() {
    echo "$wanted" | awk -v column="$1" 'NF && $column != "-" { gsub(",", " ", $column); printf " %s", $column }'
}

# Prints what to install on a system that is not Debian: the command $2 with the names in column $1, and the remark $3.
print_command() {
    known=$(names "$1")
    if [ -n "$known" ]; then
        echo 'Please type (untested):'
        echo "    ${as_root:+$as_root }$2$known"
        echo "$3"
    fi
    unknown=$(echo "$wanted" | awk -v column="$1" 'NF && $column == "-" { thing = $1; $1 = $2 = $3 = ""; sub(/^ */, ""); printf "    %-25s %s\n", thing, $0 }')
    [ -z "$unknown" ] || printf 'Please find what these packages of Debian stand for; what they are called here is not known:\n%s\n' "$unknown"
}

if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
    {
        echo "$name: this is not a Debian system. Nothing was installed."
        if command -v dnf >/dev/null 2>&1; then
            print_command 2 'dnf install' 'RHEL and its relatives have some in the repositories CRB and EPEL. Tell configure: MPICC=/usr/lib64/mpich/bin/mpicc'
        elif command -v zypper >/dev/null 2>&1; then
            print_command 3 'zypper install' 'Tell configure: MPICC=/usr/lib64/mpi/gcc/mpich/bin/mpicc'
        else
            echo 'Please install what these packages stand for (in Debian, Fedora, openSUSE):'
            echo "$wanted"
        fi
        echo "Then: $hint"
    } >&2
    exit 1
fi

missing=
for package in $(names 1); do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

# Sets INSTALL, the missing packages less those that can be done without and that apt-get does not know: LEFT_OUT.
choose() {
    install='' left_out=''
    for package in $missing; do
        case $(echo "$wanted" | awk -v package="$package" '$1 == package { print $4 }') in
        tests: | optional:)
            if apt-cache policy "$package" 2>/dev/null | grep -q '^ *Candidate: [^(]'; then
                install="$install $package"
            else
                left_out="$left_out $package"
            fi
            ;;
        *) install="$install $package" ;;
        esac
    done
}

# Before anything is fetched: where all that is missing cannot be had, a second run needs neither sudo nor the network.
choose
if [ -n "$install" ] || ! apt-cache policy make | grep -q '^ *Candidate: [^(]'; then
    if [ -n "$as_root" ] && ! command -v sudo >/dev/null 2>&1; then
        echo "$name: not root and no sudo here. As root: apt-get install$missing" >&2
        exit 1
    fi
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    choose
fi
[ -z "$left_out" ] || echo "$name: this system has no packages of these names; tests that need them are skipped, and say so:$left_out"
[ -n "$install" ] || exit 0
echo "$name: installing these Debian packages with apt-get:$install"
# shellcheck disable=SC2086  # the list is words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $install
echo "$name: done"
