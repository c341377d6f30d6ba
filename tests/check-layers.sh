#!/bin/sh
# The layers of docs/ARCHITECTURE.md: each module includes only what it may, read from the #include lines.
#
# Each line below: a folder, then the folders whose headers it may include (its own always). `mpi` stands for
# <mpi.h>, `public` for include/pilgrim/*.h. pilgrim/status.h is everyone's.
set -eu
cd "$(dirname "$0")/.."

layers='
src/base
src/grammar    base
src/signature  base grammar
src/timing     base grammar
src/format     base grammar
src/merge      base grammar signature timing format reader
src/objects    base mpi
src/capture    base grammar signature timing format merge objects mpi public
src/shadow     base objects capture mpi
src/reader     base grammar timing format public
src/launch
src/tools      base format merge
decoder        public
gen            base
examples       mpi public
'

# "FILE FOLDER" for each project header or <mpi.h> included in folder $1.
includes() {
    find "$1" -name '*.[ch]' -exec sed -n \
        -e 's|^ *# *include *["<]mpi\.h[">].*|mpi|p' \
        -e 's|^ *# *include *["<]pilgrim/status\.h[">].*||' \
        -e 's|^ *# *include *["<]pilgrim/.*|public|p' \
        -e 's|^ *# *include *"\([^"/]*\)/[^"]*".*|\1|p' {} +
}

failed=0
for folder in src/*; do
    if ! echo "$layers" | grep -q "^$folder\( \|\$\)"; then
        echo "FAIL layer-$folder: a folder that the table of layers does not name"
        failed=1
    fi
done
while read -r folder allowed; do
    [ -n "$folder" ] || continue
    [ -d "$folder" ] || { echo "FAIL layer-$folder: no such folder"; failed=1; continue; }
    wrong=$(includes "$folder" | sort -u | grep -vxF "$(printf '%s\n' "${folder##*/}" $allowed)" | tr '\n' ' ') || true
    if [ -n "$wrong" ]; then
        echo "FAIL layer-$folder: includes $wrong"
        failed=1
    else
        echo "PASS layer-$folder"
    fi
done <<END
$layers
END

# The check itself: a forbidden line must be seen.
if printf '#include "capture/call.h"\n' >"${TMPDIR:-/tmp}/layers.$$.c" &&
    [ "$(includes "${TMPDIR:-/tmp}/layers.$$.c")" = capture ]; then
    echo "PASS layer-check-sees"
else
    echo "FAIL layer-check-sees: a forbidden include is not noticed"
    failed=1
fi
rm -f "${TMPDIR:-/tmp}/layers.$$.c"
exit $failed
