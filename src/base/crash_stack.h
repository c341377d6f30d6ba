/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a thread was when a signal ended its process: plain data, as a journal keeps it. */
#ifndef PILGRIM_CRASH_STACK_H
#define PILGRIM_CRASH_STACK_H

#include <stdint.h>

#include "base/site.h"

enum { CRASH_FRAMES_MAX = 32, CRASH_MODULES_MAX = 12, CRASH_NAME_BYTES = 64 };

struct crash_module {
    char name[CRASH_NAME_BYTES]; /* file name without folders, with a 0 behind it; may be cut off */
    uint8_t build_id[SITE_BUILD_ID_BYTES];
    uint32_t build_id_length;
};

struct crash_frame {
    uint64_t offset; /* as in code_frame: a return address; of the innermost frame, the byte behind the first one of the
                        instruction */
    uint32_t module; /* index in `modules`; CRASH_MODULES_MAX: it lies in none, or there was no room */
    uint32_t reserved;
};

struct crash_stack {
    int32_t signal;
    uint32_t frame_count; /* 0: nothing is known; innermost first */
    uint64_t address;     /* that the program used, if the signal says so; else 0 */
    uint32_t has_address;
    uint32_t module_count;
    struct crash_frame frames[CRASH_FRAMES_MAX];
    struct crash_module modules[CRASH_MODULES_MAX];
};

#endif
