/* SPDX-License-Identifier: BSD-3-Clause */
/* Locking, failure and the release hook; see sharing.h. */
#include "objects/sharing.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

void (*objects_release_hook)(const char *name);

bool objects_threads;
static atomic_bool failed;

void objects_set_threads(bool several)
{
    objects_threads = several;
}

void objects_tell_released(const char *word, int64_t id)
{
    char name[64];
    if (!objects_release_hook)
        return;
    snprintf(name, sizeof name, "%s:%" PRId64, word, id);
    objects_release_hook(name);
}

void objects_tell_request_released(int64_t class_number, int64_t request_index)
{
    char name[64];
    if (!objects_release_hook)
        return;
    snprintf(name, sizeof name, "request:%" PRId64 ".%" PRId64, class_number, request_index);
    objects_release_hook(name);
}

bool objects_failed(void)
{
    return atomic_load_explicit(&failed, memory_order_relaxed);
}

void objects_fail(void)
{
    atomic_store_explicit(&failed, true, memory_order_relaxed);
}
