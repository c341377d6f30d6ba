/* SPDX-License-Identifier: BSD-3-Clause */
/* Random calls of functions of many forms, which keep a stack of their own: each function pushes its return address
 * when it begins, and pops it when it ends. probe() is called everywhere, as a wrapper of MPI is. It compares the path
 * with that stack and with another unwinder. It compares the trails that were seen lately at the same site: only one of
 * the right path may be the call's, and the one with the same words must.
 *
 * With WALKS_MPI the calls are MPI's, and the tracer's shadow compares (tests/sites).
 *
 * One file: the functions of all forms share the stack and the two comparisons.
 *
 * Usage: walks SEED CALLS EVERY: CALLS probes in all, and the other unwinder at each EVERY-th. Prints what was done. */
#define _GNU_SOURCE 1
#include <alloca.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>

#ifdef WALKS_MPI
#include <mpi.h>
#endif
#include "unwind/call_path.h"

enum { STACK_MAX = 4096, RECENT = 8, SITES = 1024, THREADS = 3, CONTEXT_BYTES = 256 << 10 };

#if defined __clang__
#define NOINLINE  __attribute__((noinline))
#define TAIL_CALL __attribute__((musttail))
#else
#define NOINLINE __attribute__((noinline, noclone))
#define TAIL_CALL
#endif

/* On a program's own stack: some addresses that the program does not know. */
#define UNKNOWN ((const void *)1)

/* ---- state of a thread ---- */

struct state {
    uint64_t random;
    const void *stack[STACK_MAX]; /* NULL: nothing outside of this is on the path */
    unsigned depth;
    long left, probes, others, frames, again;
    struct stack_range range;
    struct path_walk walk;
    struct seen {
        const struct call_path *path;
        struct path_trail *trail;
    } recent[SITES][RECENT];
    const void *sites[SITES];
    bool in_signal;
};

static _Thread_local struct state *me;
static long every;
static unsigned deepest;
static const char *libc_base, *own_base, *loader_base;

static unsigned below(unsigned limit)
{
    me->random = me->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)((me->random >> 33) % limit);
}

#define PUSH() (me->stack[me->depth++] = __builtin_return_address(0))
#define POP()  (me->depth--)

/* ---- what paths ask ---- */

static const char *base_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

static bool frame_of(const void *address, struct code_frame *frame)
{
    const char *base = base_of(address);
    *frame = (struct code_frame){(const void *)base, (uintptr_t)address - (uintptr_t)base};
    return base;
}

static bool is_entry(const void *address)
{
    return (uintptr_t)address - getauxval(AT_ENTRY) <= 64;
}

static bool starts(const void *address, const struct code_frame *frame)
{
    (void)frame;
    const char *base = address ? base_of(address) : NULL;
    return !address || base == libc_base || base == loader_base || is_entry(address);
}

/* ---- comparing ---- */

#ifndef WALKS_MPI

static void fail(const char *what, const struct call_path *p, void *const *whole, int length)
{
    fprintf(stderr, "%s: path of %u addresses, shown %u, certain %d\n", what, p->count, p->shown, p->certain);
    for (unsigned i = 0; i < p->count; i++) {
        void *address = *(void *const *)p->known[i];
        fprintf(stderr, "  path %u %p\n", i, address);
    }
    for (int i = 0; i < length; i++)
        fprintf(stderr, "  other %d %p\n", i, whole[i]);
    for (unsigned i = me->depth; i > 0; i--)
        fprintf(stderr, "  own %p\n", me->stack[i - 1]);
    abort();
}

static const void *address_at(const struct call_path *p, unsigned i)
{
    return *(const void *const *)p->known[i];
}

static bool is_own(const void *address)
{
    return base_of(address) == own_base;
}

/* A function that another library called has pushed an address in that library. Outside of it come addresses that are
 * on no stack of this program's: those in the library, and one in the function that called the library. */
static void compare_own(const struct call_path *p)
{
    unsigned i = 1;
    for (unsigned own = me->depth; own > 0 && me->stack[own - 1] && i < p->count; own--, i++) {
        if (me->stack[own - 1] == UNKNOWN)
            for (own--; i < p->count && address_at(p, i) != me->stack[own - 1];)
                i++;
        if (i == p->count)
            return;
        if (address_at(p, i) != me->stack[own - 1])
            fail("its own stack has another address", p, NULL, 0);
        while (i < p->count && !is_own(address_at(p, i)))
            i++;
        if (i >= p->count && own > 1 && me->stack[own - 2] && p->count < SITE_FRAMES_MAX)
            fail("its own stack goes on", p, NULL, 0);
    }
    for (; i < p->count; i++)
        if (!starts(address_at(p, i), NULL))
            fail("its own stack is shorter", p, NULL, 0);
}

static void compare_other(const struct call_path *p, const void *site)
{
    void *whole[STACK_MAX];
    int length = backtrace(whole, STACK_MAX), first = 0;
    while (first < length && whole[first] != site)
        first++;
    me->others++;
    for (unsigned i = 0; i < p->count && first + (int)i < length; i++)
        if (address_at(p, i) != whole[first + (int)i])
            fail("the other unwinder says something else", p, whole, length);
}

static bool same_words(const struct path_trail *a, const struct path_trail *b)
{
    size_t bytes = path_trail_bytes(a);
    return a->frame == b->frame && bytes == path_trail_bytes(b) && !memcmp(a->words, b->words, bytes - sizeof *a);
}

/* Compares the call's path P and TRAIL with those that were seen lately, which are RECENT. */
static void compare_recent(const struct call_path *p, struct path_trail *trail, struct seen *recent)
{
    bool seen = false;
    if (!trail || !path_trail_is(trail, trail->frame))
        fail("it is not its own path", p, NULL, 0);
    for (unsigned i = 0; i < RECENT && recent[i].path; i++) {
        bool is = path_trail_is(recent[i].trail, trail->frame);
        if (is && recent[i].path != p)
            fail("another path is the same", p, NULL, 0);
        if (is != same_words(recent[i].trail, trail))
            fail("it is not the same path again", p, NULL, 0);
        seen |= is;
    }
    if (seen) {
        free(trail);
        me->again++;
        return;
    }
    free(recent[RECENT - 1].trail);
    memmove(recent + 1, recent, (RECENT - 1) * sizeof *recent);
    recent[0] = (struct seen){p, trail};
}

__attribute__((noinline)) static void look(const void *site, const void *frame)
{
    const struct call_path *p = path_of(&me->walk, site, frame, &me->range);
    size_t slot = (uintptr_t)site * UINT64_C(0x9e3779b97f4a7c15) >> 54;
    struct seen *recent = me->recent[slot];
    if (!p)
        abort();
    if (!p->certain)
        fail("no certain path", p, NULL, 0);
    compare_own(p);
    if (++me->probes % every == 0)
        compare_other(p, site);
    if (me->sites[slot] != site) {
        for (unsigned i = 0; i < RECENT; i++)
            free(recent[i].trail);
        memset(recent, 0, sizeof me->recent[slot]);
    }
    me->sites[slot] = site;
    compare_recent(p, path_trail_new(&me->walk), recent);
    me->frames += p->shown;
    me->left--;
}

#endif

#ifdef WALKS_MPI
NOINLINE static void probe(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    me->probes++;
    me->left--;
}
#else
/* Stands for a wrapper of MPI. */
NOINLINE static void probe(void)
{
    look(__builtin_return_address(0), CALL_PATH_FRAME);
    __asm__ volatile("" ::: "memory");
}
#endif

/* ---- forms of functions ---- */

typedef void form(unsigned depth);
static form *const forms[];
static unsigned form_count(void);

NOINLINE static void go(unsigned depth)
{
    PUSH();
    for (unsigned i = 1 + below(2); i > 0 && me->left > 0; i--)
        if (depth < deepest && below(8))
            forms[below(form_count())](depth + 1);
        else
            probe();
    POP();
}

NOINLINE static void plain(unsigned depth)
{
    PUSH();
    probe();
    if (below(2))
        go(depth);
    else
        go(depth);
    POP();
}

NOINLINE static void room(unsigned depth)
{
    volatile char bytes[200];
    PUSH();
    bytes[below(200)] = 1;
    go(depth);
    probe();
    bytes[below(200)] = 2;
    POP();
}

NOINLINE static void large(unsigned depth)
{
    volatile char bytes[3000];
    PUSH();
    bytes[below(3000)] = 1;
    go(depth);
    POP();
}

NOINLINE static void varied(unsigned depth)
{
    PUSH();
    volatile char *bytes = alloca(8 + below(3000));
    bytes[0] = 1;
    go(depth);
    probe();
    bytes[1] = 1;
    POP();
}

NOINLINE static void array(unsigned depth)
{
    unsigned size = 1 + below(500);
    volatile int numbers[size];
    PUSH();
    numbers[size - 1] = 1;
    go(depth);
    probe();
    numbers[0] = 1;
    POP();
}

NOINLINE static void aligned(unsigned depth)
{
    volatile char bytes[128] __attribute__((aligned(64)));
    PUSH();
    bytes[below(128)] = 1;
    go(depth);
    probe();
    bytes[0] = 1;
    POP();
}

NOINLINE static void aligned_array(unsigned depth)
{
    unsigned size = 1 + below(100);
    volatile char bytes[64] __attribute__((aligned(32))), more[size];
    PUSH();
    bytes[below(64)] = more[size - 1] = 1;
    go(depth);
    probe();
    bytes[0] = more[0] = 1;
    POP();
}

NOINLINE static void recursive(unsigned depth)
{
    PUSH();
    if (depth < deepest && below(4))
        recursive(depth + 1);
    else
        go(depth);
    POP();
}

NOINLINE static long busy(unsigned depth, long a, long b, long c, long d, long e, long f, long g, long h)
{
    PUSH();
    go(depth);
    probe();
    long x = a * b + c * d + e * f + g * h; /* keeps all registers in use */
    POP();
    return x;
}

NOINLINE static void many(unsigned depth)
{
    PUSH();
    me->random +=
        (uint64_t)busy(depth, below(9), below(9), below(9), below(9), below(9), below(9), below(9), below(9)) & 1;
    POP();
}

#ifdef TAIL
NOINLINE static void tail(unsigned depth)
{
    PUSH();
    probe();
    POP();
    TAIL_CALL return go(depth);
}
#endif

static _Thread_local unsigned callback_depth;

static int compare(const void *a, const void *b)
{
    PUSH();
    if (below(4) == 0 && me->left > 0) {
        unsigned depth = callback_depth;
        go(depth);
        callback_depth = depth;
    }
    probe();
    POP();
    return *(const int *)a - *(const int *)b;
}

NOINLINE static void sorted(unsigned depth)
{
    int numbers[] = {3, 1, 2};
    PUSH();
    callback_depth = depth;
    qsort(numbers, 3, sizeof *numbers, compare);
    POP();
}

static _Thread_local jmp_buf *back;

NOINLINE static void jumps(unsigned depth)
{
    PUSH();
    go(depth);
    probe();
    if (back && below(3) == 0)
        longjmp(*back, 1);
    POP();
}

NOINLINE static void landing(unsigned depth)
{
    jmp_buf here;
    jmp_buf *volatile before = back;
    volatile unsigned own;
    PUSH();
    own = me->depth;
    if (setjmp(here) == 0) {
        back = &here;
        jumps(depth);
        probe();
    }
    back = before;
    me->depth = own;
    probe();
    POP();
}

static void handler(int number)
{
    (void)number;
    me->stack[me->depth++] = NULL;
    PUSH();
    go(deepest > 5 ? deepest - 5 : 0);
    probe();
    POP();
    POP();
}

NOINLINE static void signalled(unsigned depth)
{
    jmp_buf *before = back;
    PUSH();
    probe();
#ifdef WALKS_MPI
    me->in_signal = true; /* a path ends in a handler, the shadow's does not */
#endif
    if (!me->in_signal && depth < 8 && below(4) == 0) {
        back = NULL;
        me->in_signal = true;
        pthread_kill(pthread_self(), SIGUSR1);
        me->in_signal = false;
        back = before;
    }
    POP();
}

static _Thread_local ucontext_t outside, inside;

static void coroutine(void)
{
    me->stack[me->depth++] = NULL;
    PUSH();
    go(deepest > 8 ? deepest - 8 : 0);
    probe();
    POP();
    POP();
}

NOINLINE static void switched(unsigned depth)
{
    static _Thread_local bool busy_there;
    jmp_buf *before = back;
    struct stack_range range = me->range;
    PUSH();
    if (!busy_there && depth < 8 && below(4) == 0) {
        char *stack = malloc(CONTEXT_BYTES);
        busy_there = true;
        back = NULL;
        getcontext(&inside);
        inside.uc_stack.ss_sp = stack;
        inside.uc_stack.ss_size = CONTEXT_BYTES;
        inside.uc_link = &outside;
        makecontext(&inside, coroutine, 0);
        me->range = (struct stack_range){(uintptr_t)stack, CONTEXT_BYTES};
        swapcontext(&outside, &inside);
        me->range = range;
        back = before;
        busy_there = false;
        free(stack);
    }
    probe();
    POP();
}

#ifdef EXCEPTIONS
void throws(unsigned depth, void (*f)(unsigned)); /* in exceptions.cc */
NOINLINE static void excepted(unsigned depth)
{
    unsigned own;
    PUSH();
    own = me->depth;
    throws(depth, go);
    me->depth = own;
    POP();
}
void walks_push(const void *address)
{
    me->stack[me->depth++] = address;
}
unsigned walks_below(unsigned limit)
{
    return below(limit);
}
void walks_pop(void)
{
    POP();
}
#endif

#ifdef FORTRAN
void through_fortran(void (*f)(unsigned), unsigned depth, unsigned size); /* in callback.f90 */
void fortran_calls(void (*f)(unsigned), unsigned depth);

/* Called by Fortran code, whose two frames are not on this program's own stack. */
NOINLINE void fortran_calls(void (*f)(unsigned), unsigned depth)
{
    PUSH();
    f(depth);
    probe();
    POP();
}

NOINLINE static void fortran(unsigned depth)
{
    PUSH();
    me->stack[me->depth++] = UNKNOWN;
    through_fortran(go, depth, 1 + below(100));
    POP();
    POP();
}
#endif

static form *const forms[] = {
    plain,    room, large, varied, array, aligned, aligned_array, recursive, many, sorted, landing, signalled, switched,
#ifdef TAIL
    tail,
#endif
#ifdef EXCEPTIONS
    excepted,
#endif
#ifdef FORTRAN
    fortran,
#endif
};

static unsigned form_count(void)
{
    return sizeof forms / sizeof *forms;
}

/* ---- threads ---- */

struct job {
    uint64_t seed;
    long calls;
    struct state state;
};

NOINLINE static void work(struct job *job)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    me = &job->state;
    me->random = job->seed;
    me->left = job->calls;
    PUSH();
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    me->range = (struct stack_range){(uintptr_t)low, size};
    while (me->left > 0)
        go(0);
    POP();
}

static void *thread(void *data)
{
    struct job *job = data;
    me = &job->state;
    PUSH();
    work(job);
    return NULL;
}

int main(int argc, char **argv)
{
    static const struct path_source source = {frame_of, starts, is_entry};
    static struct job jobs[THREADS + 1];
    pthread_t threads[THREADS];
    long seed = atol(argv[1]), calls = atol(argv[2]);
    long probes = 0, others = 0, frames = 0, again = 0;
    if (argc < 4)
        return 2;
    every = atol(argv[3]);
    deepest = seed % 8 ? 2 + (unsigned)seed % 8 : 40;
    libc_base = base_of((const void *)(uintptr_t)qsort);
    own_base = base_of((const void *)(uintptr_t)probe);
    loader_base = base_of(dlsym(RTLD_DEFAULT, "_dl_find_object"));
    signal(SIGUSR1, handler);
#ifdef WALKS_MPI
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    (void)source;
#else
    paths_begin(&source, SITE_FRAMES_MAX, SIZE_MAX);
#endif
    for (int i = 0; i <= THREADS; i++) {
        jobs[i].seed = (uint64_t)(seed * 10 + i);
        jobs[i].calls = calls / (THREADS + 1);
        if (i < THREADS)
            pthread_create(&threads[i], NULL, thread, &jobs[i]);
    }
    me = &jobs[THREADS].state;
    PUSH();
    work(&jobs[THREADS]);
    for (int i = 0; i <= THREADS; i++) {
        if (i < THREADS)
            pthread_join(threads[i], NULL);
        probes += jobs[i].state.probes;
        others += jobs[i].state.others;
        frames += jobs[i].state.frames;
        again += jobs[i].state.again;
    }
#ifdef WALKS_MPI
    MPI_Finalize();
#else
    printf("%ld calls, %.1f frames each, %ld compared with the other unwinder, %ld with a trail seen before\n", probes,
           (double)frames / (double)probes, others, again);
#endif
    return 0;
}
