/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu: buffers of a real GPU, which tests/mpi/devices.c has of stub libraries. make check does not run this.
 *
 *     mpicc -o build/programs/gpu tests/cuda/gpu.c -Itests/mpi -I$CUDA/include -L$CUDA/lib64 -lcudart -lcuda
 *     mpicc -o build/programs/gpu-linked tests/cuda/gpu.c -Itests/mpi -I$CUDA/include -L$CUDA/lib64 -lcudart_static
 *         -lcuda -ldl -lpthread -lrt
 *     tests/memory/run gpu 2
 *     tests/memory/run gpu-linked 2 linked
 *
 * With the argument `linked` the runtime is a part of the program, so the driver is asked for each buffer. The number
 * of an allocation is then not known beforehand, and a letter stands for it.
 *
 * Exercises: what the runtime and the driver allocate, also from pools and as mappings; offsets; numbers that are given
 * back; page-locked and managed memory, which MPI reads and writes; a reset of the device.
 */
#include "expect.h"
#include "places.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <string.h>

#define OK(call) EXPECT((call) == 0)

enum { INTS = 4096 };

static int linked;

/* P lies OFFSET bytes behind the start of the allocation with number ID, which this program calls LETTER. */
static void on_device(const void *p, int id, char letter, size_t offset)
{
    char text[64];

    if (!linked)
        snprintf(text, sizeof text, "device:0:%d+%zu", id, offset);
    else if (offset)
        snprintf(text, sizeof text, "{%c+%zu}", letter, offset);
    else
        snprintf(text, sizeof text, "{%c:device}", letter);
    place(p, text);
}

static void *at(CUdeviceptr p)
{
    return (void *)(uintptr_t)p;
}

static void check_runtime(void)
{
    char *p[4];
    size_t pitch;
    struct cudaPitchedPtr cube;

    OK(cudaMalloc((void **)&p[0], 1000));
    on_device(p[0], 0, 'a', 0);
    OK(cudaMalloc((void **)&p[1], 1000));
    on_device(p[1], 1, 'b', 0);
    on_device(p[0] + 999, 0, 'a', 999);
    on_device(p[1] + 64, 1, 'b', 64);
    OK(cudaMallocManaged((void **)&p[2], 4096, cudaMemAttachGlobal));
    on_device(p[2], 2, 'c', 0);
    on_device(p[2] + 4095, 2, 'c', 4095);
    OK(cudaMallocPitch((void **)&p[3], &pitch, 100, 7));
    on_device(p[3], 3, 'd', 0);
    on_device(p[3] + 6 * pitch + 99, 3, 'd', 6 * pitch + 99);
    OK(cudaMalloc3D(&cube, (struct cudaExtent){100, 7, 2}));
    on_device(cube.ptr, 4, 'e', 0);
    on_device((char *)cube.ptr + 13 * cube.pitch, 4, 'e', 13 * cube.pitch);
    EXPECT(cudaFree(p[0] + 1) != 0);
    on_device(p[0] + 2, 0, 'a', 2);
    OK(cudaFree(p[0]));
    OK(cudaMalloc((void **)&p[0], 3 << 20));
    on_device(p[0], 0, 'f', 0);
    on_device(p[0] + (2 << 20), 0, 'f', 2 << 20);
    for (unsigned i = 0; i < 4; i++)
        OK(cudaFree(p[i]));
    OK(cudaFree(cube.ptr));
}

static void check_pools(void)
{
    char *p[3];
    cudaStream_t stream;
    cudaMemPool_t pool;

    OK(cudaStreamCreate(&stream));
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMallocAsync((void **)&p[0], 1000, stream));
    on_device(p[0], 0, 'g', 0);
    OK(cudaMallocAsync((void **)&p[1], 1000, stream));
    on_device(p[1], 1, 'h', 0);
    OK(cudaMallocFromPoolAsync((void **)&p[2], 5000, pool, stream));
    on_device(p[2], 2, 'i', 0);
    on_device(p[0] + 8, 0, 'g', 8);
    on_device(p[1] + 8, 1, 'h', 8);
    on_device(p[2] + 4999, 2, 'i', 4999);
    OK(cudaFreeAsync(p[1], stream));
    OK(cudaMallocAsync((void **)&p[1], 1000, stream)); /* the same memory, another allocation */
    on_device(p[1], 1, 'j', 0);
    for (unsigned i = 0; i < 3; i++)
        OK(cudaFreeAsync(p[i], stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamDestroy(stream));
}

static void check_driver(void)
{
    CUdeviceptr p, space;
    CUmemGenericAllocationHandle memory;
    CUmemAllocationProp kind = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location.type = CU_MEM_LOCATION_TYPE_DEVICE};
    CUmemAccessDesc access = {.location = kind.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    size_t bytes;

    OK(cuMemAlloc(&p, 100));
    place(at(p), "device:0:0+0");
    place(at(p + 99), "device:0:0+99");
    OK(cuMemGetAllocationGranularity(&bytes, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemCreate(&memory, bytes, &kind, 0));
    OK(cuMemAddressReserve(&space, 2 * bytes, 0, 0, 0));
    OK(cuMemMap(space + bytes, bytes, 0, memory, 0));
    OK(cuMemSetAccess(space + bytes, bytes, &access, 1));
    OK(cuMemsetD8(space + bytes, 1, bytes));
    OK(cuCtxSynchronize());
    place(at(space + bytes + 7), "device:0:1+7");
    OK(cuMemUnmap(space + bytes, bytes));
    OK(cuMemRelease(memory));
    OK(cuMemAddressFree(space, 2 * bytes));
    OK(cuMemFree(p));
    OK(cuMemAlloc(&p, 100));
    place(at(p), "device:0:0+0");
    OK(cuMemFree(p));
}

/* Calls that do not touch their buffers, by any MPI. */
static void check_calls(void)
{
    char *p;
    MPI_Request request;

    OK(cudaMalloc((void **)&p, 1000));
    on_device(p, 0, 'k', 0);
    MPI_Send_init(p + 8, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    place_want(0, "MPI_Send_init", "buf", linked ? "\"{k+8}\"" : "\"device:0:0+8\"");
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    OK(cudaFree(p));
}

/* Sends SENT to the next rank, from and to memory that both the GPU and the host have. */
static void pass_on(int *sent, int *received, int rank, int size)
{
    int *device;

    OK(cudaMalloc((void **)&device, INTS * sizeof *device));
    for (int i = 0; i < INTS; i++)
        sent[i] = rank * INTS + i;
    MPI_Sendrecv(sent, INTS, MPI_INT, (rank + 1) % size, 0, received, INTS, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    OK(cudaMemcpy(device, received, INTS * sizeof *device, cudaMemcpyDefault));
    OK(cudaMemcpy(sent, device, INTS * sizeof *device, cudaMemcpyDefault));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < INTS; i++)
        EXPECT(sent[i] == (rank + size - 1) % size * INTS + i);
    OK(cudaFree(device));
}

static void check_data(int rank, int size)
{
    int *sent, *received;

    OK(cudaMallocHost((void **)&sent, INTS * sizeof *sent));
    OK(cudaHostAlloc((void **)&received, INTS * sizeof *sent, cudaHostAllocDefault));
    place_want(0, "MPI_Sendrecv", "sendbuf", "\"{l:heap}\"");
    place_want(0, "MPI_Sendrecv", "recvbuf", "\"{m:heap}\"");
    pass_on(sent, received, rank, size);
    OK(cudaFreeHost(sent));
    OK(cudaFreeHost(received));

    OK(cudaMallocManaged((void **)&sent, INTS * sizeof *sent, cudaMemAttachGlobal));
    OK(cudaMallocManaged((void **)&received, INTS * sizeof *sent, cudaMemAttachGlobal));
    place_want(0, "MPI_Sendrecv", "sendbuf", "\"{n:device}\"");
    place_want(0, "MPI_Sendrecv", "recvbuf", "\"{o:device}\"");
    pass_on(sent, received, rank, size);
    OK(cudaFree(sent));
    OK(cudaFree(received));
}

static void check_reset(void)
{
    void *p[2];

    OK(cudaMalloc(&p[0], 128));
    OK(cudaMalloc(&p[1], 128));
    on_device(p[0], 0, 'p', 0);
    on_device(p[1], 1, 'q', 0);
    OK(cudaDeviceReset());
    OK(cudaMalloc(&p[0], 256));
    on_device(p[0], 0, 'r', 0);
    OK(cudaFree(p[0]));
}

int main(int argc, char **argv)
{
    int rank, size, verdict;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    place_silent = rank != 0;
    linked = argc > 1 && strcmp(argv[1], "linked") == 0;
    OK(cudaSetDevice(0));
    OK(cudaFree(NULL));
    if (!linked)
        check_driver();
    check_runtime();
    check_pools();
    check_calls();
    check_data(rank, size);
    check_reset();
    verdict = expect_verdict(linked ? "gpu-linked" : "gpu", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
