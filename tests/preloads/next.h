/* SPDX-License-Identifier: BSD-3-Clause */
/* What a preload that stands in front of the allocator calls. Needs _GNU_SOURCE. */
#ifndef TESTS_PRELOADS_NEXT_H
#define TESTS_PRELOADS_NEXT_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

/* The next library's function NAME; NULL while it is looked for, which may ask for memory. */
static void *next(void **known, const char *name)
{
    static _Thread_local bool looking __attribute__((tls_model("initial-exec")));
    if (!*known && !looking) {
        looking = true;
        *known = dlsym(RTLD_NEXT, name);
        looking = false;
    }
    return *known;
}

#endif
