#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs Debian packages through apt-get; used by the install-*.sh beside it.
#
#     scripts/install-packages.sh NAME HINT <LIST
#
# LIST: a package and what it is for on each line. NAME: who asks. HINT: what to do next, for other systems than Debian.
# Says what it does. Does nothing, and says nothing, when all packages are there. Uses sudo when not root.
# On a system that is not Debian (or made from it) it prints what to install and stops with status 1.
set -eu
wanted=$(cat)

if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
    echo "$1: this is not a Debian system. Please install what these packages stand for:" >&2
    echo "$wanted" >&2
    echo "Then: $2" >&2
    exit 1
fi

missing=
for package in $(echo "$wanted" | awk 'NF { print $1 }'); do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "$1: installing these Debian packages with apt-get:$missing"
as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "$1: not root and no sudo here. As root: apt-get install$missing" >&2
        exit 1
    fi
    as_root=sudo
fi
# shellcheck disable=SC2086  # the list is words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
echo "$1: done"
