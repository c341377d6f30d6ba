/* libcudart.so over the stub driver: each function calls the driver's, as the real one does. */
#include <stdint.h>

#include "stub.h"

static int device_result(void **p, int result, CUdeviceptr start)
{
    if (result == 0)
        *p = (void *)(uintptr_t)start;
    return result;
}

int cudaGetDevice(int *device)
{
    return cuCtxGetDevice(device);
}

int cudaSetDevice(int device)
{
    if (device < 0 || device >= STUB_DEVICES)
        return STUB_INVALID;
    stub_set_device(device);
    return 0;
}

int cudaDeviceReset(void)
{
    int device;
    cuCtxGetDevice(&device);
    stub_reset(device);
    return 0;
}

int cudaMalloc(void **p, size_t bytes)
{
    CUdeviceptr start = 0;
    int result = cuMemAlloc_v2(&start, bytes);
    return device_result(p, result, start);
}

int cudaMallocManaged(void **p, size_t bytes, unsigned flags)
{
    CUdeviceptr start = 0;
    int result = cuMemAllocManaged(&start, bytes, flags);
    return device_result(p, result, start);
}

int cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
    CUdeviceptr start = 0;
    int result = cuMemAllocPitch_v2(&start, pitch, width, height, 4);
    return device_result(p, result, start);
}

int cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent)
{
    p->xsize = extent.width;
    p->ysize = extent.height;
    return cudaMallocPitch(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth);
}

int cudaMallocAsync(void **p, size_t bytes, void *stream)
{
    CUdeviceptr start = 0;
    int result = cuMemAllocAsync(&start, bytes, stream);
    return device_result(p, result, start);
}

int cudaMallocAsync_ptsz(void **p, size_t bytes, void *stream)
{
    return cudaMallocAsync(p, bytes, stream);
}

int cudaMallocFromPoolAsync(void **p, size_t bytes, void *pool, void *stream)
{
    CUdeviceptr start = 0;
    int result = cuMemAllocFromPoolAsync(&start, bytes, pool, stream);
    return device_result(p, result, start);
}

int cudaMallocHost(void **p, size_t bytes)
{
    return cuMemAllocHost_v2(p, bytes);
}

int cudaHostAlloc(void **p, size_t bytes, unsigned flags)
{
    return cuMemHostAlloc(p, bytes, flags);
}

int cudaFree(void *p)
{
    return cuMemFree_v2((uintptr_t)p);
}

int cudaFreeHost(void *p)
{
    return cuMemFreeHost(p);
}

int cudaFreeAsync(void *p, void *stream)
{
    return cuMemFreeAsync((uintptr_t)p, stream);
}

int cudaFreeAsync_ptsz(void *p, void *stream)
{
    return cudaFreeAsync(p, stream);
}
/* SPDX-License-Identifier: BSD-3-Clause */
