/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA's allocating functions, interposed: each calls the next library's function and tells device.c.
 *
 * The runtime and the driver have some thirty of them, which differ only in their parameters. Each is a row in the
 * tables below, typed as in CUDA's headers. The headers are not needed: handles are pointers, enums are int, an
 * address of the driver is an unsigned long long. If the runtime calls the driver for an allocation, only the outer
 * function counts.
 *
 * These are not wrapped: cudaHostRegister (the memory keeps its name), arrays and textures (they have no addresses),
 * cuMemAlloc without _v2 and its like (32-bit addresses, before CUDA 3.2), and calls that do not go through the
 * names of the dynamic linker. For the last ones memory.c asks cuda_driver.c.
 *
 * Nothing is looked up before the first call. Code that searches a process for these names does not find ours
 * (interpose.h). A program that was linked with a weak reference to one, and runs without CUDA, does find it: it is
 * told "not initialized", as by an installed CUDA without a driver. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/loader.h"
#include "objects/device.h"
#include "objects/cuda_driver.h"
#include "intercept/interpose.h"
#include "objects/heap.h"
#include "objects/modules.h"
#include "pilgrim/status.h"

enum { SUCCESS = 0, NOT_INITIALIZED = 3 }; /* the same in the runtime and the driver */
enum where { ON_DEVICE, ON_HOST };

static _Thread_local int depth; /* of wrappers in this thread */

/* ---- the next functions ---- */

struct next {
    const char *name;
    _Atomic(void *) symbol; /* once it was found among the names that every module sees */
};

static bool is_ours(const void *symbol)
{
    static const char here;
    Dl_info one, other;
    return dladdr(symbol, &one) && dladdr(&here, &other) && one.dli_fbase == other.dli_fbase;
}

static void *find_in(const char *path, const char *name)
{
    void *module = loader_loaded(path, 0);
    void *symbol = module ? loader_find(module, name) : NULL;
    if (module)
        (void)dlclose(module); /* the program keeps it loaded */
    return symbol && !is_ours(symbol) ? symbol : NULL;
}

/* Looks in the libraries of CALLER's module: a plugin's libraries are its own. If a function ends with a call of
 * ours (a tail call), it has left the stack, and CALLER is its caller; so, at last, this looks in the library that
 * should have NAME. */
static void *find_beside(const char *name, const void *caller)
{
    char path[4096];
    Dl_info info;
    void *symbol = dladdr(caller, &info) ? find_in(info.dli_fname, name) : NULL;
    const char *library = strncmp(name, "cuda", 4) == 0 ? "libcudart" : "libcuda.so";
    if (!symbol && modules_path(library, path, sizeof path))
        symbol = find_in(path, name);
    return symbol;
}

/* Looks among the names that every module sees. The library is kept loaded for good, because the pointer to the
 * function is. */
static void *find_everywhere(struct next *next)
{
    Dl_info info;
    void *symbol = loader_find(RTLD_NEXT, next->name);
    if (!symbol || !dladdr(symbol, &info) || !loader_loaded(info.dli_fname, RTLD_NODELETE))
        return symbol;
    atomic_store(&next->symbol, symbol);
    return symbol;
}

/* Writes the address of the next function into *FUNCTION. False: there is none. */
static bool next_find(struct next *next, const void *caller, void *function)
{
    int saved = errno;
    void *symbol = atomic_load(&next->symbol);
    if (!symbol)
        symbol = find_everywhere(next);
    if (!symbol)
        symbol = find_beside(next->name, caller);
    memcpy(function, &symbol, sizeof symbol);
    errno = saved;
    return symbol;
}

/* ---- what the functions did ---- */

/* Returns the device that is current for CALLER; -1: none. */
static int64_t current_device(const void *caller)
{
    static struct next runtime = {.name = "cudaGetDevice"}, driver = {.name = "cuCtxGetDevice"};
    int (*get)(int *), device = -1;
    depth++;
    bool known = (next_find(&runtime, caller, &get) && get(&device) == SUCCESS) ||
                 (next_find(&driver, caller, &get) && get(&device) == SUCCESS);
    depth--;
    return known ? device : -1;
}

static bool counts(void)
{
    return depth == 0 && memory_followed;
}

/* Notes an allocation. The driver knows better than the current device where the memory is: a pool or a stream may
 * be another device's. */
static void allocated(int result, uintptr_t start, size_t bytes, enum where where, const void *caller)
{
    if (result != SUCCESS || !counts())
        return;
    int saved = errno;
    struct device_range told;
    int64_t device = cuda_driver_ask(start, &told) ? told.device : current_device(caller);
    device_allocated(start, bytes, device, where == ON_HOST);
    errno = saved;
}

static bool releasing(uintptr_t start, struct device_range *range)
{
    return counts() && device_suspended(start, range);
}

static void released(int result, bool known, const struct device_range *range)
{
    if (known && result == SUCCESS)
        device_freed(range);
    else if (known)
        device_resumed(range);
}

/* ---- the tables ---- */

#define CALLER __builtin_return_address(0)

/* BEFORE and AFTER are statements. They see the variables `real`, the next function, and `result`. */
#define WRAPPER(function, parameters, arguments, before, after)                                                        \
    PILGRIM_API int followed_##function parameters;                                                                    \
    PILGRIM_API int followed_##function parameters                                                                     \
    {                                                                                                                  \
        static struct next next = {.name = #function};                                                                 \
        int(*real) parameters;                                                                                         \
        if (!next_find(&next, CALLER, &real))                                                                          \
            return NOT_INITIALIZED;                                                                                    \
        before;                                                                                                        \
        depth++;                                                                                                       \
        int result = real arguments;                                                                                   \
        depth--;                                                                                                       \
        after;                                                                                                         \
        return result;                                                                                                 \
    }

/* A function that allocates BYTES at START. */
#define ALLOCATE(function, parameters, arguments, where, start, bytes)                                                 \
    WRAPPER(function, parameters, arguments, (void)0,                                                                  \
            if (result == SUCCESS) allocated(result, (uintptr_t)(start), bytes, where, CALLER))

/* A function that frees the allocation at START. */
#define RELEASE(function, parameters, arguments, start)                                                                \
    WRAPPER(function, parameters, arguments, struct device_range range;                                                \
            bool known = releasing((uintptr_t)(start), &range), released(result, known, &range))

struct pitched {
    void *start;
    size_t pitch, width, height;
};
struct cuda_extent {
    size_t width, height, depth;
};

ALLOCATE(cudaMalloc, (void **p, size_t n), (p, n), ON_DEVICE, *p, n)
ALLOCATE(cudaMallocManaged, (void **p, size_t n, unsigned flags), (p, n, flags), ON_DEVICE, *p, n)
ALLOCATE(cudaMallocPitch, (void **p, size_t *pitch, size_t width, size_t height), (p, pitch, width, height), ON_DEVICE,
         *p, *pitch *height)
ALLOCATE(cudaMalloc3D, (struct pitched * p, struct cuda_extent e), (p, e), ON_DEVICE, p->start,
         p->pitch *e.height *e.depth)
ALLOCATE(cudaMallocAsync, (void **p, size_t n, void *stream), (p, n, stream), ON_DEVICE, *p, n)
ALLOCATE(cudaMallocAsync_ptsz, (void **p, size_t n, void *stream), (p, n, stream), ON_DEVICE, *p, n)
ALLOCATE(cudaMallocFromPoolAsync, (void **p, size_t n, void *pool, void *stream), (p, n, pool, stream), ON_DEVICE, *p,
         n)
ALLOCATE(cudaMallocFromPoolAsync_ptsz, (void **p, size_t n, void *pool, void *stream), (p, n, pool, stream), ON_DEVICE,
         *p, n)
ALLOCATE(cudaMallocHost, (void **p, size_t n), (p, n), ON_HOST, *p, n)
ALLOCATE(cudaHostAlloc, (void **p, size_t n, unsigned flags), (p, n, flags), ON_HOST, *p, n)
RELEASE(cudaFree, (void *p), (p), p)
RELEASE(cudaFreeHost, (void *p), (p), p)
RELEASE(cudaFreeAsync, (void *p, void *stream), (p, stream), p)
RELEASE(cudaFreeAsync_ptsz, (void *p, void *stream), (p, stream), p)

typedef unsigned long long address_t;

ALLOCATE(cuMemAlloc_v2, (address_t * p, size_t n), (p, n), ON_DEVICE, *p, n)
ALLOCATE(cuMemAllocManaged, (address_t * p, size_t n, unsigned flags), (p, n, flags), ON_DEVICE, *p, n)
ALLOCATE(cuMemAllocPitch_v2, (address_t * p, size_t *pitch, size_t width, size_t height, unsigned element),
         (p, pitch, width, height, element), ON_DEVICE, *p, *pitch *height)
ALLOCATE(cuMemAllocAsync, (address_t * p, size_t n, void *stream), (p, n, stream), ON_DEVICE, *p, n)
ALLOCATE(cuMemAllocAsync_ptsz, (address_t * p, size_t n, void *stream), (p, n, stream), ON_DEVICE, *p, n)
ALLOCATE(cuMemAllocFromPoolAsync, (address_t * p, size_t n, void *pool, void *stream), (p, n, pool, stream), ON_DEVICE,
         *p, n)
ALLOCATE(cuMemAllocFromPoolAsync_ptsz, (address_t * p, size_t n, void *pool, void *stream), (p, n, pool, stream),
         ON_DEVICE, *p, n)
ALLOCATE(cuMemAllocHost_v2, (void **p, size_t n), (p, n), ON_HOST, *p, n)
ALLOCATE(cuMemHostAlloc, (void **p, size_t n, unsigned flags), (p, n, flags), ON_HOST, *p, n)
/* Address space is no memory before something is mapped there; that is then an allocation. */
ALLOCATE(cuMemMap, (address_t p, size_t n, size_t offset, address_t handle, address_t flags),
         (p, n, offset, handle, flags), ON_DEVICE, p, n)
RELEASE(cuMemFree_v2, (address_t p), (p), p)
RELEASE(cuMemFreeHost, (void *p), (p), p)
RELEASE(cuMemFreeAsync, (address_t p, void *stream), (p, stream), p)
RELEASE(cuMemFreeAsync_ptsz, (address_t p, void *stream), (p, stream), p)

/* ---- functions that free several allocations ---- */

static void all_released(int result, uintptr_t start, uintptr_t end, int64_t device, uint64_t moment)
{
    if (result == SUCCESS && counts())
        device_gone(start, end, device, moment);
}

WRAPPER(cuMemUnmap, (address_t p, size_t n), (p, n), uint64_t moment = device_moment(),
        all_released(result, (uintptr_t)p, (uintptr_t)p + n, -1, moment))

WRAPPER(cudaDeviceReset, (void), (), uint64_t moment = device_moment();
        int64_t device = counts() ? current_device(CALLER) : -1,
        if (device >= 0) all_released(result, 0, UINTPTR_MAX, device, moment))

/* ---- their names ---- */

/* The runtime's symbols have versions, one for each incompatible release. */
#define RUNTIME(function)                                                                                              \
    INTERPOSE(function, "libcudart.so.11.0");                                                                          \
    INTERPOSE_ALSO(function, "_12", "libcudart.so.12");                                                                \
    INTERPOSE_ALSO(function, "_13", "libcudart.so.13")
/* The driver's symbols have none. */
#define DRIVER(function) INTERPOSE(function, UNVERSIONED)

RUNTIME(cudaMalloc);
RUNTIME(cudaMallocManaged);
RUNTIME(cudaMallocPitch);
RUNTIME(cudaMalloc3D);
RUNTIME(cudaMallocAsync);
RUNTIME(cudaMallocAsync_ptsz);
RUNTIME(cudaMallocFromPoolAsync);
RUNTIME(cudaMallocFromPoolAsync_ptsz);
RUNTIME(cudaMallocHost);
RUNTIME(cudaHostAlloc);
RUNTIME(cudaFree);
RUNTIME(cudaFreeHost);
RUNTIME(cudaFreeAsync);
RUNTIME(cudaFreeAsync_ptsz);
RUNTIME(cudaDeviceReset);
DRIVER(cuMemAlloc_v2);
DRIVER(cuMemAllocManaged);
DRIVER(cuMemAllocPitch_v2);
DRIVER(cuMemAllocAsync);
DRIVER(cuMemAllocAsync_ptsz);
DRIVER(cuMemAllocFromPoolAsync);
DRIVER(cuMemAllocFromPoolAsync_ptsz);
DRIVER(cuMemAllocHost_v2);
DRIVER(cuMemHostAlloc);
DRIVER(cuMemMap);
DRIVER(cuMemFree_v2);
DRIVER(cuMemFreeHost);
DRIVER(cuMemFreeAsync);
DRIVER(cuMemFreeAsync_ptsz);
DRIVER(cuMemUnmap);
