/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks, and where they begin; see stack.h. */
#define _GNU_SOURCE 1 /* process_vm_readv, program_invocation_short_name */
#include "process/stack.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>

#include "functions.h"
#include "mpi/mpi_library.h"
#include "objects/memory.h"
#include "objects/modules.h"
#include "process/capture.h"
#include "process/python_interpreter.h"

enum {
    OTHERS = 16,            /* stacks that are remembered */
    BELOW_BYTES = 64 << 10, /* an unknown stack may be in use so far below a frame ... */
    PAGES_MAX = 64,         /* ... and is read so far above it */
    START_BYTES = 64,       /* length of the code at the program's entry point */
    PATHS_MOST = 16384      /* of a process; each is some kilobytes of memory and some bytes of the trace */
};

struct call_stacks {
    struct stack_range own;
    struct stack_range others[OTHERS];
    unsigned next; /* of `others`, to be replaced */
    struct path_walk walk;
};

/* ---- the end of the stack ---- */

static bool is_entry(const void *address)
{
    return (uintptr_t)address - getauxval(AT_ENTRY) <= START_BYTES;
}

/* True if ADDRESS, which is in no module or in that of FRAME, is in the code that starts the program or a thread. */
static bool starts(const void *address, const struct code_frame *frame)
{
    static const char *const names[] = {"libc.so", "libc-", "libpthread", "ld-linux", "ld64.so", "ld.so", "ld-2."};
    if (!address || is_entry(address))
        return true;
    for (size_t i = 0; frame && i < sizeof names / sizeof names[0]; i++)
        if (!strncmp(frame->module->name, names[i], strlen(names[i])))
            return true;
    return false;
}

bool stack_ends_at(const void *address)
{
    struct code_frame frame;
    return starts(address, modules_frame(address, &frame) ? &frame : NULL);
}

/* ---- calls inside calls ---- */

static struct code_module inside_of[FUNCTION_COUNT]; /* functions as modules; begin() sets it */

static void name_functions(void)
{
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        inside_of[i] = (struct code_module){.name = SITE_INSIDE_MPI, .python = vocabulary.functions[i].name};
}

/* True if FRAME is in the MPI library, or in this one. */
static bool carries(const struct code_frame *frame)
{
    const void *const own = (const void *)(uintptr_t)stack_ends_at, *mpi = (const void *)(uintptr_t)PMPI_Init;
    struct code_frame here, there;
    return (modules_frame(mpi, &there) && frame->module == there.module) ||
           (modules_frame(own, &here) && frame->module == here.module);
}

/* ---- stacks ---- */

static atomic_bool begun; /* there may be paths; with PILGRIM_STACK=1 those of nested calls */

static void begin(void)
{
    static const char interpreter[] = "python";
    const struct path_source source = {
        .frame = modules_frame,
        .starts = starts,
        .is_entry = is_entry,
        .carries = carries,
        .interprets = python_interprets,
        .python = python_ready,
        .is_python = strncmp(program_invocation_short_name, interpreter, sizeof interpreter - 1) == 0};
    paths_begin(&source, capture.settings.stack, PATHS_MOST);
    name_functions();
    atomic_store_explicit(&begun, true, memory_order_relaxed);
}

struct call_stacks *stacks_new(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
    return calloc(1, sizeof(struct call_stacks));
}

void stacks_free(struct call_stacks *s)
{
    free(s);
}

static bool is_in(const struct stack_range *range, uintptr_t address)
{
    return address - range->low < range->size;
}

/* Returns the stack around FRAME, which the program made: up to the first page that cannot be read. */
static struct stack_range other_range(uintptr_t frame)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = frame / page * page, low = frame > BELOW_BYTES ? frame - BELOW_BYTES : 0;
    char bytes[PAGES_MAX];
    struct iovec here = {bytes, sizeof bytes}, there[PAGES_MAX];
    int error = errno;
    for (size_t i = 0; i < PAGES_MAX; i++)
        there[i] = (struct iovec){(char *)first + i * page, 1};
    ssize_t readable = process_vm_readv(getpid(), &here, 1, there, PAGES_MAX, 0);
    errno = error;
    if (readable <= 0)
        return (struct stack_range){0, 0};
    return (struct stack_range){low, first + (size_t)readable * page - low};
}

/* Returns the stack that FRAME is on. */
static struct stack_range *find_range(struct call_stacks *s, uintptr_t frame)
{
    if (!s->own.size)
        s->own.low = memory_own_stack(&s->own.size);
    if (is_in(&s->own, frame))
        return &s->own;
    for (size_t i = 0; i < OTHERS; i++)
        if (is_in(&s->others[i], frame))
            return &s->others[i];
    s->next = (s->next + 1) % OTHERS;
    s->others[s->next] = other_range(frame);
    return &s->others[s->next];
}

const struct call_path *stacks_path(struct call_stacks *s, const void *site, const void *frame,
                                    const struct path_walk **walk)
{
    struct stack_range *range = find_range(s, (uintptr_t)frame);
    const struct call_path *p = path_of(&s->walk, site, frame, range);
    if (p && !p->certain && range != &s->own) { /* is there another stack now, which goes further? */
        *range = other_range((uintptr_t)frame);
        p = path_of(&s->walk, site, frame, range);
    }
    s->walk.lasting = range == &s->own;
    *walk = &s->walk;
    return p;
}

bool stacks_lead_to(struct call_stacks *s, const void *site, const void *frame, const void *outer)
{
    const struct path_walk *walk;
    const struct call_path *path = stacks_path(s, site, frame, &walk);
    return path && path_leads_to(path, outer);
}

const struct call_path *stacks_path_inside(struct call_stacks *s, const void *site, const void *frame,
                                           uint32_t function, const void *outer_site, const struct call_path *outer)
{
    const struct outer_call call = {
        .path = outer, .site = outer_site, .function = &inside_of[function], .number = function};
    const struct path_walk *walk;
    return stacks_path(s, site, frame, &walk) ? path_inside(&s->walk, &call) : NULL;
}

void stacks_moved(void)
{
    if (atomic_load_explicit(&begun, memory_order_relaxed))
        paths_moved();
}
