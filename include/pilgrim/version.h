/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of Pilgrim: of these headers (macros), and of the reader library that runs (functions).
 *
 * Versions follow semver.org: a program that was built with version X.Y.Z works with any later X. Before 1.0 a new
 * Y may change an interface. CHANGELOG.md says what changed. The format of traces has a version of its own
 * (docs/FORMAT.md).
 *
 * Binary interface. PILGRIM_ABI is the number in the file name of the shared library, libpilgrim-reader.so.N.
 * While it stays:
 *   - no public struct changes: its size, and the offset and meaning of each member, stay. New data comes in a new
 *     struct, with a new function that fills it in. So a program sets no sizes and clears no reserved members.
 *   - enumerators keep their values. New ones are added behind the last one: a program has a `default` for them.
 *   - functions may be added; none is removed, and none changes what it takes or returns.
 * A change that needs more raises PILGRIM_ABI; a program then finds the library that it was built for, or does not
 * start. */
#ifndef PILGRIM_VERSION_H
#define PILGRIM_VERSION_H

#include "pilgrim/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PILGRIM_VERSION_MAJOR 0
#define PILGRIM_VERSION_MINOR 1
#define PILGRIM_VERSION_PATCH 0

#define PILGRIM_ABI 0

/* One number that grows with the version, for #if: 1.2.3 is 10203. (PILGRIM_VERSION is a status.) */
#define PILGRIM_VERSION_NUMBER (PILGRIM_VERSION_MAJOR * 10000 + PILGRIM_VERSION_MINOR * 100 + PILGRIM_VERSION_PATCH)

/* "0.1.0" */
#define PILGRIM_VERSION_TEXT                                                                                           \
    PILGRIM_QUOTE(PILGRIM_VERSION_MAJOR)                                                                               \
    "." PILGRIM_QUOTE(PILGRIM_VERSION_MINOR) "." PILGRIM_QUOTE(PILGRIM_VERSION_PATCH)
#define PILGRIM_QUOTE(number)          PILGRIM_QUOTE_EXPANDED(number)
#define PILGRIM_QUOTE_EXPANDED(number) #number

/* Returns PILGRIM_VERSION_NUMBER of the reader library that runs.
 * threads: any number at once.  since: 0.1.0 */
PILGRIM_API unsigned pilgrim_version_number(void);

/* Returns its PILGRIM_VERSION_TEXT.
 * memory:  static.  threads: any number at once.  since: 0.1.0 */
PILGRIM_API const char *pilgrim_version_text(void);

#ifdef __cplusplus
}
#endif

#endif
