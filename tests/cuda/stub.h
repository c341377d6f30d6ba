/* What the stub libraries and the programs that use them need of CUDA's interface, and how a test steers the stubs. */
#ifndef TESTS_CUDA_STUB_H
#define TESTS_CUDA_STUB_H

#include <stddef.h>

enum { STUB_OUT_OF_MEMORY = 2, STUB_INVALID = 1 };
enum { STUB_DEVICES = 4 };

typedef unsigned long long CUdeviceptr;

struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaExtent {
    size_t width, height, depth;
};

/* The driver, libcuda.so.1. */
int cuCtxGetDevice(int *device);
int cuMemAlloc_v2(CUdeviceptr *p, size_t bytes);
int cuMemAllocManaged(CUdeviceptr *p, size_t bytes, unsigned flags);
int cuMemAllocPitch_v2(CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned element);
int cuMemAllocHost_v2(void **p, size_t bytes);
int cuMemHostAlloc(void **p, size_t bytes, unsigned flags);
int cuMemAllocAsync(CUdeviceptr *p, size_t bytes, void *stream);
int cuMemAllocFromPoolAsync(CUdeviceptr *p, size_t bytes, void *pool, void *stream);
int cuMemFree_v2(CUdeviceptr p);
int cuMemFreeHost(void *p);
int cuMemFreeAsync(CUdeviceptr p, void *stream);
int cuMemMap(CUdeviceptr p, size_t bytes, size_t offset, unsigned long long handle, unsigned long long flags);
int cuMemUnmap(CUdeviceptr p, size_t bytes);
int cuMemAddressReserve(CUdeviceptr *p, size_t bytes, size_t alignment, CUdeviceptr wanted, unsigned long long flags);
int cuPointerGetAttributes(unsigned count, int *attributes, void **data, CUdeviceptr p);

/* The runtime, libcudart.so. */
int cudaGetDevice(int *device);
int cudaSetDevice(int device);
int cudaDeviceReset(void);
int cudaMalloc(void **p, size_t bytes);
int cudaMallocManaged(void **p, size_t bytes, unsigned flags);
int cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
int cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent);
int cudaMallocAsync(void **p, size_t bytes, void *stream);
int cudaMallocAsync_ptsz(void **p, size_t bytes, void *stream);
int cudaMallocFromPoolAsync(void **p, size_t bytes, void *pool, void *stream);
int cudaMallocHost(void **p, size_t bytes);
int cudaHostAlloc(void **p, size_t bytes, unsigned flags);
int cudaFree(void *p);
int cudaFreeHost(void *p);
int cudaFreeAsync(void *p, void *stream);
int cudaFreeAsync_ptsz(void *p, void *stream);

/* For tests. A pool or a stream, not NULL, is a pointer to the number of its device. */
void stub_set_device(int device);
void stub_reset(int device);  /* frees all of DEVICE */
void stub_fail_next(void);    /* the next function that frees fails, and frees nothing */
void stub_forget(int forget); /* cuPointerGetAttributes fails, as in an old driver */

#endif
/* SPDX-License-Identifier: BSD-3-Clause */
