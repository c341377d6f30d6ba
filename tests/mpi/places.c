/* places: memory of every kind, and the name that each address must have.
 *
 * Exercises: heap (interior, end, reallocated, given back), static data of the program and of a library, stacks of the
 * main and of another thread, a stack made of heap memory, mappings, System V shared memory, MPI_Alloc_mem, windows of
 * all kinds, MPI_BOTTOM with absolute addresses, memory of a plug-in that brings its own CUDA. A program that searches
 * for a function of the C library or of CUDA that Pilgrim intercepts finds the original. */
#define _GNU_SOURCE
#include "expect.h"
#include "places.h"

#include <alloca.h>
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <ucontext.h>

static char static_bytes[1000];
static int static_words[10] = {1, 2, 3};
static const double constants[4] = {1.5};
static int world_rank, world_size;

static int program_base(struct dl_phdr_info *info, size_t size, void *base)
{
    ElfW(Addr) low = UINTPTR_MAX;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_vaddr < low)
            low = info->dlpi_phdr[i].p_vaddr;
    *(uintptr_t *)base = info->dlpi_addr + (low & ~(ElfW(Addr))4095);
    return 1; /* the program is the first */
}

/* "static:0+..." of an address in the program. In one of four buffers. */
static const char *static_text(const void *p)
{
    static char text[4][40];
    static int turn;
    uintptr_t base = 0;

    dl_iterate_phdr(program_base, &base);
    turn = (turn + 1) % 4;
    snprintf(text[turn], sizeof text[turn], "static:0+%lu", (unsigned long)((uintptr_t)p - base));
    return text[turn];
}

static void check_heap(void)
{
    char *a = malloc(100), *b = malloc(5000), *c;

    place(b + 64, "heap:0+64");
    place(a, "heap:1+0");
    place(b + 4999, "heap:0+4999");
    place(a + 100, "heap:1+100");
    free(b);
    c = calloc(10, 50);
    b = aligned_alloc(4096, 8192);
    place(b + 4096, "heap:0+4096");
    place(c + 499, "heap:2+499");
    a = realloc(a, 100); /* stays */
    place(a + 1, "heap:1+1");
    a = realloc(a, 1 << 22);
    place(a + (1 << 21), "heap:1+2097152");
    free(c);
    free(b);
    free(a);
    EXPECT(posix_memalign((void **)&c, 64, 640) == 0);
    place(c + 639, "heap:0+639");
    free(c);
}

static void check_static(void)
{
    static short within;

    place(static_bytes, static_text(static_bytes));
    place(static_bytes + 999, static_text(static_bytes + 999));
    place(&static_words[3], static_text(&static_words[3]));
    place(&constants[1], static_text(&constants[1]));
    place(&within, static_text(&within));
    place(stdout, "{libc:static}");
    place((char *)stdout + 8, "{libc+8}");
}

static int *of_main;

static void *in_thread(void *unused)
{
    char local[64] = {0}, *block = malloc(64);

    (void)unused;
    place_of_thread(1, of_main, "stack:1");
    place_of_thread(1, local, "stack:2");
    place_of_thread(1, local + 32, "stack:3");
    place_of_thread(1, block + 3, "heap:0+3");
    place_of_thread(1, static_words, static_text(static_words));
    free(block);
    return NULL;
}

static ucontext_t main_context, other_context;

static void in_context(void)
{
    int local = 0, *block = malloc(64);
    char *mapping = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    place(&local, "{context:heap}");
    place(block + 2, "heap:1+8");
    place(mapping + 8, "heap:2+8");
    place(static_words, static_text(static_words));
    place(stdout, "{libc:static}");
    place(of_main, "stack:1");
    munmap(mapping, 4096);
    free(block);
}

static void check_stacks(void)
{
    int local[4] = {0};
    char *const more = alloca(100);
    const size_t bytes = 1 << 18;
    pthread_t thread;

    place(&local[1], "stack:0");
    place(&local[2], "stack:1");
    place(&local[1], "stack:0");
    of_main = &local[2];
    EXPECT(pthread_create(&thread, NULL, in_thread, NULL) == 0);
    pthread_join(thread, NULL);
    memset(more, 0, 100);
    place(more, "stack:4");

    void *const stack = malloc(bytes);
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = stack;
    other_context.uc_stack.ss_size = bytes;
    other_context.uc_link = &main_context;
    makecontext(&other_context, in_context, 0);
    swapcontext(&main_context, &other_context);
    free(stack);
}

static void check_mappings(void)
{
    const size_t page = 1 << 16;
    char *p = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *again;
    const int segment = shmget(IPC_PRIVATE, 10000, IPC_CREAT | 0600);

    place(p + 3 * page, "heap:0+196608");
    EXPECT(munmap(p + 1, page) != 0);
    place(p + page, "heap:0+65536");
    EXPECT(mremap(p, 4 * page, (size_t)1 << 60, MREMAP_MAYMOVE) == MAP_FAILED);
    place(p + page, "heap:0+65536");
    munmap(p + page, page);
    place(p + 2 * page, "heap:0+131072");
    munmap(p, 4 * page);

    EXPECT(segment >= 0);
    p = shmat(segment, NULL, 0);
    again = shmat(segment, NULL, SHM_RDONLY);
    shmctl(segment, IPC_RMID, NULL);
    EXPECT(p != (void *)-1 && again != (void *)-1);
    place(p + 64, "heap:0+64");
    place(again + 9999, "heap:1+9999");
    place(p, "heap:0+0");
    EXPECT(shmdt(p + 64) != 0);
    place(p, "heap:0+0");
    EXPECT(shmdt(p) == 0);
    p = malloc(10);
    place(p, "heap:0+0");
    free(p);
    EXPECT(shmdt(again) == 0);
}

static void check_windows(void)
{
    char *base = NULL, *other = NULL, *heap = malloc(1000);
    MPI_Aint size, address;
    int unit;
    MPI_Win window;

    MPI_Alloc_mem(1000, MPI_INFO_NULL, &base);
    place(base, "{allocated:heap}");
    place(base + 999, "{allocated+999}");
    MPI_Free_mem(base);

    MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    place(base, "{window:heap}");
    place(base + 4000, "{window+4000}");
    MPI_Win_fence(0, window);
    MPI_Put(base + 8, 8, MPI_CHAR, (world_rank + 1) % world_size, 0, 8, MPI_CHAR, window);
    place_want(0, "MPI_Put", "origin_addr", "{window+8}");
    MPI_Get(heap + 8, 8, MPI_CHAR, (world_rank + 1) % world_size, 16, 8, MPI_CHAR, window);
    place_want(0, "MPI_Get", "origin_addr", "\"heap:1+8\"");
    MPI_Win_fence(0, window);
    place(heap, "heap:1+0");
    MPI_Win_free(&window);

    MPI_Win_allocate_shared(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Win_shared_query(window, world_size - 1, &size, &unit, &other);
    EXPECT(size == 4096);
    place(base, "{own:heap}");
    place(base + 4095, "{own+4095}");
    place(other, "{last:heap}");
    place(other + 100, "{last+100}");
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);

    MPI_Win_create(static_bytes, 1000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    place_want(0, "MPI_Win_create", "base", "\"%s\"", static_text(static_bytes));
    MPI_Win_free(&window);

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, heap + 16, 500);
    place_want(0, "MPI_Win_attach", "base", "\"heap:1+16\"");
    MPI_Get_address(heap + 16, &address);
    place_want(0, "MPI_Get_address", "location", "\"heap:1+16\"");
    MPI_Win_fence(0, window);
    MPI_Put(static_words, 4, MPI_CHAR, world_rank, address, 4, MPI_CHAR, window);
    place_want(0, "MPI_Put", "origin_addr", "\"%s\"", static_text(static_words));
    MPI_Win_fence(0, window);
    EXPECT(memcmp(heap + 16, static_words, 4) == 0);
    MPI_Win_detach(window, heap + 16);
    place_want(0, "MPI_Win_detach", "base", "\"heap:1+16\"");
    MPI_Win_free(&window);
    free(heap);
}

/* Displacements that are numbers, and then addresses in memory that comes to lie below all other. */
static void check_low(void)
{
    int length = 1;
    char *low;
    MPI_Aint displacement = 5;
    MPI_Datatype type;

    MPI_Type_create_hindexed(1, &length, &displacement, MPI_INT, &type);
    place_want(0, "MPI_Type_create_hindexed", "array_of_displacements", "[5]");
    MPI_Type_free(&type);
    low = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(low != MAP_FAILED);
    MPI_Get_address(low + 16, &displacement);
    place_want(0, "MPI_Get_address", "location", "{low:heap}");
    MPI_Type_create_hindexed(1, &length, &displacement, MPI_INT, &type);
    place_want(0, "MPI_Type_create_hindexed", "array_of_displacements", "[\"{low+0}\"]");
    MPI_Type_free(&type);
    munmap(low, 4096);
}

static void check_bottom(void)
{
    int on_stack = 7, *on_heap = malloc(4 * sizeof(int)), lengths[3] = {1, 1, 1}, received[3] = {0};
    MPI_Aint places[3];
    MPI_Datatype type, types[3] = {MPI_INT, MPI_INT, MPI_INT};

    on_heap[2] = 5;
    MPI_Get_address(&on_heap[2], &places[0]);
    place_want(0, "MPI_Get_address", "location", "{bottom:heap}");
    MPI_Get_address(&on_stack, &places[1]);
    place_want(0, "MPI_Get_address", "location", "\"stack:5\"");
    MPI_Get_address(&static_words[1], &places[2]);
    place_want(0, "MPI_Get_address", "location", "\"%s\"", static_text(&static_words[1]));
    for (int kind = 0; kind < 3; kind++) {
        const char *const functions[] = {"MPI_Type_create_hindexed", "MPI_Type_create_struct",
                                         "MPI_Type_create_hindexed_block"};

        if (kind == 0)
            MPI_Type_create_hindexed(3, lengths, places, MPI_INT, &type);
        else if (kind == 1)
            MPI_Type_create_struct(3, lengths, places, types, &type);
        else
            MPI_Type_create_hindexed_block(3, 1, places, MPI_INT, &type);
        place_want(0, functions[kind], "array_of_displacements", "[\"{bottom+0}\", \"stack:5\", \"%s\"]",
                   static_text(&static_words[1]));
        MPI_Type_commit(&type);
        MPI_Sendrecv(MPI_BOTTOM, 1, type, 0, 0, received, 3, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        place_want(0, "MPI_Sendrecv", "sendbuf", "\"MPI_BOTTOM\"");
        place_want(0, "MPI_Sendrecv", "recvbuf", "\"stack:6\"");
        EXPECT(received[0] == 5 && received[1] == 7 && received[2] == 2);
        MPI_Type_free(&type);
    }
    free(on_heap);
}

/* Not linked with CUDA. */
extern int cudaFree(void *p) __attribute__((weak));
extern int cuMemAlloc_v2(unsigned long long *p, size_t bytes) __attribute__((weak));

static void check_searches(void)
{
    const char *const in_libc[] = {"mmap", "mmap64", "munmap", "mremap", "shmat", "shmdt"};
    unsigned long long p = 5;
    Dl_info info, libc = {0};

    EXPECT(dlsym(RTLD_DEFAULT, "cudaMalloc") == NULL);
    EXPECT(dlsym(RTLD_DEFAULT, "cuMemAlloc_v2") == NULL);
    EXPECT(dlsym(RTLD_DEFAULT, "cuMemFree_v2") == NULL);
    EXPECT(cudaFree == NULL);
    EXPECT(cuMemAlloc_v2 == NULL || (cuMemAlloc_v2(&p, 64) != 0 && p == 5));
    EXPECT(dladdr(stdout, &libc));
    for (size_t i = 0; i < sizeof in_libc / sizeof in_libc[0]; i++)
        EXPECT(dladdr(dlsym(RTLD_DEFAULT, in_libc[i]), &info) && info.dli_fbase == libc.dli_fbase);
}

static void check_plugin(void)
{
    void *const plugin = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL), *p;
    int (*allocate)(void **, size_t), (*release)(void *);

    EXPECT(plugin != NULL);
    if (!plugin)
        return;
    *(void **)&allocate = dlsym(plugin, "plugin_allocate");
    *(void **)&release = dlsym(plugin, "plugin_free");
    EXPECT(allocate(&p, 100) == 0);
    place((char *)p + 50, "device:0:0+50");
    EXPECT(release((char *)p + 1) != 0);
    EXPECT(release(p) == 0);
    EXPECT(allocate(&p, 200) == 0);
    place(p, "device:0:0+0");
    EXPECT(release(p) == 0);
    dlclose(plugin);
}

int main(int argc, char **argv)
{
    int verdict, provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    place_silent = world_rank != 0;
    check_heap();
    check_static();
    check_stacks();
    check_mappings();
    check_windows();
    check_bottom();
    check_low();
    check_searches();
    check_plugin();
    verdict = expect_verdict("places", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
