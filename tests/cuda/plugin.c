/* A plug-in that brings its own CUDA runtime: loaded with RTLD_LOCAL, neither is known to the rest of the program. */
#include "stub.h"

int plugin_allocate(void **p, size_t bytes);
int plugin_free(void *p);

int plugin_allocate(void **p, size_t bytes)
{
    return cudaMalloc(p, bytes);
}

int plugin_free(void *p)
{
    return cudaFree(p);
}
/* SPDX-License-Identifier: BSD-3-Clause */
