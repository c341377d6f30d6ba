/* libcuda.so.1 without a GPU: gives out addresses, keeps account of them, and touches no memory.
 *
 * As the real one it maps a large range of address space that its device memory lies in. Device memory may not be
 * touched by the host, so that a tracer that reads there crashes. A freed block is given out again for the same number
 * of bytes. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>

#include "stub.h"

enum { BLOCKS = 4096, ALIGNMENT = 512 };
enum kind { FREE, DEVICE, HOST, MANAGED };

struct block {
    uintptr_t start;
    size_t bytes;
    int device;
    enum kind kind;
    unsigned long long number;
};

static const size_t space_bytes = (size_t)1 << 32;
static struct block blocks[BLOCKS];
static int block_count, current, fail_next, forgetful;
static unsigned long long numbers;

static uintptr_t space_take(int readable, size_t bytes)
{
    static uintptr_t next[2], end[2];
    if (!next[readable]) {
        void *space = mmap(NULL, space_bytes, readable ? PROT_READ | PROT_WRITE : PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (space == MAP_FAILED)
            return 0;
        next[readable] = (uintptr_t)space + ALIGNMENT * 8;
        end[readable] = (uintptr_t)space + space_bytes;
    }
    if (bytes > end[readable] - next[readable])
        return 0;
    uintptr_t start = next[readable];
    next[readable] += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return start;
}

static uintptr_t block_make(size_t bytes, int device, enum kind kind)
{
    struct block *b = blocks;
    while (b < blocks + block_count && (b->kind != FREE || b->bytes != bytes || b->device != device))
        b++;
    if (b == blocks + block_count) {
        uintptr_t start = bytes < space_bytes && block_count < BLOCKS ? space_take(kind == HOST, bytes) : 0;
        if (!start)
            return 0;
        block_count++;
        *b = (struct block){.start = start, .bytes = bytes, .device = device};
    }
    b->kind = kind;
    b->number = ++numbers;
    return b->start;
}

static int block_free(uintptr_t start)
{
    if (fail_next) {
        fail_next = 0;
        return STUB_INVALID;
    }
    for (struct block *b = blocks; b < blocks + block_count; b++)
        if (b->kind != FREE && b->start == start) {
            b->kind = FREE;
            return 0;
        }
    return start ? STUB_INVALID : 0;
}

static int allocate(CUdeviceptr *p, size_t bytes, const void *owner, enum kind kind)
{
    uintptr_t start = block_make(bytes, owner ? *(const int *)owner : current, kind);
    if (start)
        *p = start;
    return start ? 0 : STUB_OUT_OF_MEMORY;
}

int cuCtxGetDevice(int *device)
{
    *device = current;
    return 0;
}

int cuMemAlloc_v2(CUdeviceptr *p, size_t bytes)
{
    return allocate(p, bytes, NULL, DEVICE);
}

int cuMemAllocManaged(CUdeviceptr *p, size_t bytes, unsigned flags)
{
    (void)flags;
    return allocate(p, bytes, NULL, MANAGED);
}

int cuMemAllocPitch_v2(CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned element)
{
    (void)element;
    *pitch = (width + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return allocate(p, *pitch * height, NULL, DEVICE);
}

int cuMemAllocAsync(CUdeviceptr *p, size_t bytes, void *stream)
{
    return allocate(p, bytes, stream, DEVICE);
}

int cuMemAllocFromPoolAsync(CUdeviceptr *p, size_t bytes, void *pool, void *stream)
{
    (void)stream;
    return allocate(p, bytes, pool, DEVICE);
}

int cuMemHostAlloc(void **p, size_t bytes, unsigned flags)
{
    CUdeviceptr start;
    int result = allocate(&start, bytes, NULL, HOST);
    (void)flags;
    if (result == 0)
        *p = (void *)(uintptr_t)start;
    return result;
}

int cuMemAllocHost_v2(void **p, size_t bytes)
{
    return cuMemHostAlloc(p, bytes, 0);
}

int cuMemFree_v2(CUdeviceptr p)
{
    return block_free(p);
}

int cuMemFreeHost(void *p)
{
    return block_free((uintptr_t)p);
}

int cuMemFreeAsync(CUdeviceptr p, void *stream)
{
    (void)stream;
    return block_free(p);
}

int cuMemAddressReserve(CUdeviceptr *p, size_t bytes, size_t alignment, CUdeviceptr wanted, unsigned long long flags)
{
    (void)alignment, (void)wanted, (void)flags;
    *p = space_take(0, bytes);
    return *p ? 0 : STUB_OUT_OF_MEMORY;
}

int cuMemMap(CUdeviceptr p, size_t bytes, size_t offset, unsigned long long handle, unsigned long long flags)
{
    (void)offset, (void)flags;
    if (block_count == BLOCKS)
        return STUB_OUT_OF_MEMORY;
    blocks[block_count++] = (struct block){p, bytes, (int)handle, DEVICE, ++numbers};
    return 0;
}

int cuMemUnmap(CUdeviceptr p, size_t bytes)
{
    int known = 0;
    for (struct block *b = blocks; b < blocks + block_count; b++)
        if (b->kind != FREE && b->start >= p && b->start + b->bytes <= p + bytes) {
            *b = (struct block){0};
            known = 1;
        }
    return known ? 0 : STUB_INVALID;
}

int cuPointerGetAttributes(unsigned count, int *attributes, void **data, CUdeviceptr p)
{
    const struct block *b = blocks, none = {0};
    if (forgetful)
        return STUB_INVALID;
    while (b < blocks + block_count && (b->kind == FREE || p < b->start || p - b->start >= b->bytes))
        b++;
    if (b == blocks + block_count)
        b = &none;
    for (unsigned i = 0; i < count; i++)
        switch (attributes[i]) {
        case 2:
            *(unsigned *)data[i] = b->kind == FREE ? 0 : b->kind == HOST ? 1 : 2;
            break;
        case 7:
            *(unsigned long long *)data[i] = b->number;
            break;
        case 8:
            *(unsigned *)data[i] = b->kind == MANAGED;
            break;
        case 9:
            *(int *)data[i] = b->device;
            break;
        case 11:
            *(CUdeviceptr *)data[i] = b->start;
            break;
        case 12:
            *(size_t *)data[i] = b->bytes;
            break;
        default:
            return STUB_INVALID;
        }
    return 0;
}

void stub_set_device(int device)
{
    current = device;
}

void stub_reset(int device)
{
    for (struct block *b = blocks; b < blocks + block_count; b++)
        if (b->device == device)
            b->kind = FREE;
}

void stub_fail_next(void)
{
    fail_next = 1;
}

void stub_forget(int forget)
{
    forgetful = forget;
}
/* SPDX-License-Identifier: BSD-3-Clause */
