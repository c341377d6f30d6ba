/* SPDX-License-Identifier: BSD-3-Clause */
/* The constants of the trace file; docs/FORMAT.md, section 2. */
#ifndef PILGRIM_TRACE_FILE_H
#define PILGRIM_TRACE_FILE_H

#include <stdint.h>

static const uint8_t trace_magic[8] = {0x89, 'P', 'L', 'G', 0x0d, 0x0a, 0x1a, 0x0a};

#define TRACE_VERSION        6 /* of the traces that are written */
#define TRACE_VERSION_OLDEST 5 /* that is read */

enum section_type {
    SECTION_END = 0,
    SECTION_DEFINITIONS = 1,
    SECTION_CALLS = 2,
    SECTION_STATISTICS = 3, /* of version 5 */
    SECTION_TIMES = 4,      /* behind the sections of a shard, which are there once: any number */
    SECTION_PROFILE = 5,
    SECTION_TYPE_COUNT = 6,
    SECTION_SKIPPABLE = 64 /* this and above: a reader may pass over it */
};

#endif
