/* devices: buffers in memory that CUDA allocated, in calls that do not touch it. Linked with the stubs of tests/cuda.
 *
 * Exercises: every allocating and freeing function of the runtime and the driver; ids that are given back; offsets and
 * the end of a buffer; failing functions; several devices, pools of other devices; page-locked and managed memory;
 * memory allocated through pointers that the loader's names do not lead to, as by a runtime linked into the program; a
 * reset. With the argument `old` the driver cannot be asked.
 */
#define _GNU_SOURCE
#include "expect.h"
#include "places.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "../cuda/stub.h"

#define OK(call) EXPECT((call) == 0)

static char *at(CUdeviceptr p)
{
    return (char *)(uintptr_t)p;
}

static void check_names(void)
{
    void *first, *second, *third = &first;
    MPI_Request request;

    OK(cudaMalloc(&first, 1000));
    OK(cudaMalloc(&second, 1000));
    place((char *)second + 64, "device:0:0+64");
    place(first, "device:0:1+0");
    place((char *)first + 999, "device:0:1+999");
    place((char *)first + 1000, "device:0:1+1000");
    place(second, "device:0:0+0");

    MPI_Send_init((char *)second + 8, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    place_want(0, "MPI_Send_init", "buf", "\"device:0:0+8\"");
    MPI_Request_free(&request);
    MPI_Recv_init(first, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    place_want(0, "MPI_Recv_init", "buf", "\"device:0:1+0\"");
    MPI_Request_free(&request);
    MPI_Send((char *)first + 4, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    place_want(0, "MPI_Send", "buf", "\"device:0:1+4\"");

    OK(cudaFree(second));
    OK(cudaMalloc(&third, 1000));
    EXPECT(third == second); /* the same address, another allocation */
    place(first, "device:0:1+0");
    OK(cudaMalloc(&second, 1000));
    place(second, "device:0:0+0");
    place(third, "device:0:2+0");

    EXPECT(cudaFree((char *)first + 1) != 0);
    place(first, "device:0:1+0");
    stub_fail_next();
    EXPECT(cudaFree(first) == STUB_INVALID);
    place((char *)first + 1, "device:0:1+1");
    void *const before = first;
    EXPECT(cudaMalloc(&first, SIZE_MAX) == STUB_OUT_OF_MEMORY && first == before);
    OK(cudaFree(NULL));
    OK(cudaFree(first));
    OK(cudaFree(second));
    OK(cudaFree(third));
}

static void check_runtime(int driver_tells)
{
    void *p[4];
    size_t pitch;
    struct cudaPitchedPtr cube;
    int third = 3;

    OK(cudaSetDevice(1));
    OK(cudaMalloc(&p[0], 64));
    place(p[0], "device:1:0+0");
    OK(cudaMallocManaged(&p[1], 64, 1));
    place((char *)p[1] + 63, "device:1:1+63");
    OK(cudaMallocPitch(&p[2], &pitch, 100, 7));
    place((char *)p[2] + 6 * pitch + 99, "device:1:2+3171");
    OK(cudaMalloc3D(&cube, (struct cudaExtent){100, 7, 2}));
    place((char *)cube.ptr + 13 * cube.pitch, "device:1:3+6656");
    OK(cudaFree(p[0]));
    OK(cudaMallocAsync(&p[0], 96, NULL));
    place((char *)p[0] + 1, "device:1:0+1");
    OK(cudaFreeAsync(p[0], NULL));
    OK(cudaMallocAsync_ptsz(&p[0], 96, NULL));
    place((char *)p[0] + 2, "device:1:0+2");
    OK(cudaFreeAsync_ptsz(p[0], NULL));
    OK(cudaMallocFromPoolAsync(&p[0], 96, &third, NULL));
    place((char *)p[0] + 3, driver_tells ? "device:3:0+3" : "device:1:0+3");
    OK(cudaFree(p[0]));
    OK(cudaFree(p[1]));
    OK(cudaFree(p[2]));
    OK(cudaFree(cube.ptr));

    OK(cudaMallocHost(&p[0], 4096));
    OK(cudaHostAlloc(&p[1], 100, 1));
    p[2] = malloc(10);
    strcpy(p[0], "page-locked memory can be touched");
    place((char *)p[1] + 10, "heap:0+10");
    place(p[2], "heap:1+0");
    place((char *)p[0] + 4095, "heap:2+4095");
    OK(cudaFreeHost(p[1]));
    place(p[0], "heap:2+0");
    free(p[2]);
    OK(cudaFreeHost(p[0]));
    p[2] = malloc(10);
    place(p[2], "heap:0+0");
    free(p[2]);
    OK(cudaSetDevice(0));
}

static void check_driver(void)
{
    CUdeviceptr p, q, space;
    void *host;
    size_t pitch;

    OK(cuMemAlloc_v2(&p, 64));
    place(at(p + 8), "device:0:0+8");
    OK(cuMemAllocManaged(&q, 64, 1));
    place(at(q + 9), "device:0:1+9");
    OK(cuMemFree_v2(p));
    OK(cuMemAllocPitch_v2(&p, &pitch, 100, 3, 4));
    place(at(p + 2 * pitch), "device:0:0+1024");
    OK(cuMemFree_v2(p));
    OK(cuMemFree_v2(q));
    OK(cuMemAllocAsync(&p, 64, NULL));
    place(at(p), "device:0:0+0");
    OK(cuMemFreeAsync(p, NULL));
    OK(cuMemAllocFromPoolAsync(&p, 64, NULL, NULL));
    place(at(p + 1), "device:0:0+1");
    OK(cuMemFreeAsync(p, NULL));
    OK(cuMemHostAlloc(&host, 64, 0));
    place(host, "heap:0+0");
    OK(cuMemFreeHost(host));
    OK(cuMemAllocHost_v2(&host, 64));
    place((char *)host + 5, "heap:0+5");
    OK(cuMemFreeHost(host));

    OK(cuMemAddressReserve(&space, 1 << 16, 0, 0, 0));
    OK(cuMemMap(space, 4096, 0, 0, 0));
    OK(cuMemMap(space + 4096, 4096, 0, 0, 0));
    place(at(space + 4096), "device:0:0+0");
    place(at(space + 4095), "device:0:1+4095");
    EXPECT(cuMemUnmap(space + 8192, 4096) != 0);
    place(at(space + 4097), "device:0:0+1");
    OK(cuMemUnmap(space, 8192));
    OK(cuMemAlloc_v2(&p, 64));
    place(at(p), "device:0:0+0");
    OK(cuMemFree_v2(p));
}

/* As by a runtime that is linked into the program, which finds the driver's functions by itself. */
static void check_untracked_requests(void)
{
    void *const driver = dlopen("libcuda.so.1", RTLD_LAZY);
    int (*allocate)(CUdeviceptr *, size_t), (*release)(CUdeviceptr), (*allocate_host)(void **, size_t);
    CUdeviceptr p, q;
    void *host;

    EXPECT(driver != NULL);
    *(void **)&allocate = dlsym(driver, "cuMemAlloc_v2");
    *(void **)&release = dlsym(driver, "cuMemFree_v2");
    *(void **)&allocate_host = dlsym(driver, "cuMemAllocHost_v2");
    stub_set_device(2);
    OK(allocate(&p, 200));
    OK(allocate(&q, 300));
    place(at(q + 299), "device:2:0+299");
    place(at(p + 100), "device:2:1+100");
    place(at(p), "device:2:1+0");
    OK(release(q));
    const CUdeviceptr before = q;
    OK(allocate(&q, 300));
    EXPECT(q == before);
    place(at(q + 1), "device:2:0+1"); /* a new allocation, the smallest free id */
    OK(allocate_host(&host, 64));
    place((char *)host + 7, "heap:0+7");
    OK(cuMemFreeHost(host));
    OK(cuMemFree_v2(p));
    OK(cuMemFree_v2(q));
    OK(cuMemAlloc_v2(&p, 200));
    place(at(p), "device:2:0+0");
    OK(cuMemFree_v2(p));
    stub_set_device(0);
    dlclose(driver);
}

static void check_reset(void)
{
    void *p[3], *host, *other;

    OK(cudaMalloc(&other, 64));
    place(other, "device:0:0+0");
    OK(cudaSetDevice(1));
    for (int i = 0; i < 3; i++)
        OK(cudaMalloc(&p[i], 128));
    OK(cudaMallocHost(&host, 128));
    place(p[2], "device:1:0+0");
    place(p[1], "device:1:1+0");
    place(host, "heap:0+0");
    OK(cudaDeviceReset());
    OK(cudaMalloc(&p[0], 256));
    place(p[0], "device:1:0+0");
    place(other, "device:0:0+0");
    OK(cudaFree(p[0]));
    OK(cudaSetDevice(0));
    p[0] = malloc(10);
    place(p[0], "heap:0+0");
    free(p[0]);
    OK(cudaFree(other));
}

int main(int argc, char **argv)
{
    int verdict, rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    place_silent = rank != 0;
    const int old = argc > 1 && strcmp(argv[1], "old") == 0;
    stub_forget(old);
    check_names();
    check_runtime(!old);
    check_driver();
    if (!old)
        check_untracked_requests();
    check_reset();
    verdict = expect_verdict("devices", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
