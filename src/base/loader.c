/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include "base/loader.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static void use_allocator(void)
{
    static atomic_bool used;
    if (atomic_exchange(&used, true))
        return;
    void *volatile block = malloc(1);
    free(block);
}

static void *forget_error(void *found)
{
    if (!found) {
        (void)dlerror(); /* returns the text */
        (void)dlerror(); /* frees it */
    }
    return found;
}

void *loader_find(void *handle, const char *name)
{
    use_allocator();
    return forget_error(dlsym(handle, name));
}

void *loader_loaded(const char *path, int flags)
{
    use_allocator();
    return forget_error(dlopen(path, RTLD_LAZY | RTLD_NOLOAD | flags));
}
