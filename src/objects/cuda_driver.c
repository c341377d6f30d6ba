/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls cuPointerGetAttributes; see cuda_driver.h.
 *
 * MPI libraries use this function to recognise device memory. It is a query without side effects, and for memory
 * that is not CUDA's it succeeds with zeroes. The driver's own number of an allocation, which is never used twice,
 * tells new memory at an old address. No CUDA header is needed: the numbers below are the driver's interface since
 * CUDA 11.1 and cannot change. An older driver refuses them; then nothing is known. */
#define _GNU_SOURCE 1
#include "objects/cuda_driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "base/loader.h"
#include "objects/modules.h"

enum { MEMORY_TYPE = 2, BUFFER_ID = 7, IS_MANAGED = 8, DEVICE_ORDINAL = 9, RANGE_START = 11, RANGE_BYTES = 12 };
enum { TYPE_HOST = 1, TYPE_DEVICE = 2 };

typedef int ask_function(unsigned count, int *attributes, void **data, unsigned long long address);

static _Atomic(ask_function *) ask;
static atomic_uint missed; /* modules_changes() when there was no driver */

/* Of the thread: it names the integers of an array; there was no driver when it named the first. */
static _Thread_local __attribute__((tls_model("initial-exec"))) bool in_array, none_in_array;

void cuda_driver_array(bool begins)
{
    in_array = begins;
    none_in_array = false;
}

/* Looks the function up; NULL: there is none. The loader's handle is never closed, so that the function stays. */
static ask_function *look_up(void)
{
    char path[4096];
    ask_function *found = NULL;
    unsigned changes = modules_changes();
    if (changes == atomic_load(&missed))
        return NULL;
    void *library = modules_path("libcuda.so", path, sizeof path) ? loader_loaded(path, 0) : NULL;
    void *symbol = library ? loader_find(library, "cuPointerGetAttributes") : NULL;
    memcpy(&found, &symbol, sizeof found);
    if (library && !found)
        (void)dlclose(library);
    atomic_store(&ask, found);
    if (!found)
        atomic_store(&missed, changes);
    return found;
}

static bool answer(ask_function *function, uintptr_t address, struct device_range *range)
{
    unsigned type = 0, managed = 0;
    unsigned long long buffer = 0, start = 0;
    int device = 0;
    size_t bytes = 0;
    int attributes[] = {MEMORY_TYPE, BUFFER_ID, IS_MANAGED, DEVICE_ORDINAL, RANGE_START, RANGE_BYTES};
    void *data[] = {&type, &buffer, &managed, &device, &start, &bytes};
    if (function(sizeof data / sizeof data[0], attributes, data, address) != 0)
        return false;
    if ((type != TYPE_HOST && type != TYPE_DEVICE) || !buffer || address < start || address - start >= bytes)
        return false;
    *range = (struct device_range){
        .start = start,
        .end = start + bytes,
        .device = device < 0 ? 0 : device,
        .host = type == TYPE_HOST && !(managed & 0xff), /* a C++ bool may be only one byte of it */
        .id = -1,
        .buffer = buffer,
    };
    return range->end > range->start;
}

bool cuda_driver_ask(uintptr_t address, struct device_range *range)
{
    int saved = errno;
    ask_function *function = atomic_load(&ask);
    if (!function && none_in_array)
        return false;
    if (!function)
        function = look_up();
    none_in_array = !function && in_array;
    bool known = function && answer(function, address, range);
    errno = saved;
    return known;
}
