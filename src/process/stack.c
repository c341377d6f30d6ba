/* SPDX-License-Identifier: BSD-3-Clause */
/* Call stacks by libunwind; see stack.h.
 *
 * What lies outside of main belongs to the C library: the functions that called main or the thread's first one. Where
 * they begin is found once for each new stack, by unwinding all of it. */
#include "process/stack.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/hash.h"
#include "process/capture.h"
#include "objects/modules.h"

enum {
    INSIDE_MAX = 32,  /* frames between the unwinder and the site */
    WHOLE_MAX = 4096, /* frames of a stack whose end is looked for */
    START_BYTES = 64  /* of the code at the program's entry */
};

struct call_stack {
    UT_hash_handle hh;
    struct call_stack *successor; /* the one that was taken after this one last time */
    uint32_t count;               /* addresses in the key */
    uint32_t shown;               /* of them, those up to main */
    const void *addresses[];
};

struct call_stacks {
    struct call_stack *table; /* uthash, by addresses */
    struct call_stack *last;
    unsigned depth;
    unsigned inside; /* frames between the unwinder and the site, last time */
    void *scratch[INSIDE_MAX + SITE_FRAMES_MAX];
};

static int (*libunwind_backtrace)(void **, int);

static void load(void)
{
#ifdef PILGRIM_LIBUNWIND
    void *library = dlopen(PILGRIM_LIBUNWIND, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "unw_backtrace") : NULL;
    memcpy(&libunwind_backtrace, &symbol, sizeof symbol);
#endif
}

bool stacks_available(const char **why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
#ifdef PILGRIM_LIBUNWIND
    *why = PILGRIM_LIBUNWIND " is not there";
#else
    *why = "it was built without libunwind";
#endif
    return libunwind_backtrace;
}

/* libunwind remembers what it learned about code by address. Once something was unloaded, other code may lie there:
 * from then on the C library's unwinder is asked, which is slow and remembers nothing. */
static int unwind(void **addresses, int size)
{
    if (atomic_load_explicit(&capture_moved, memory_order_relaxed) == 0)
        return libunwind_backtrace(addresses, size);
    return backtrace(addresses, size);
}

struct call_stacks *stacks_new(unsigned depth)
{
    struct call_stacks *s = calloc(1, sizeof *s);
    if (s)
        s->depth = depth;
    return s;
}

void stacks_free(struct call_stacks *s)
{
    struct call_stack *stack, *next;
    if (!s)
        return;
    HASH_ITER(hh, s->table, stack, next)
    {
        HASH_DEL(s->table, stack);
        free(stack);
    }
    free(s);
}

/* ---- the end of the stack ---- */

bool stack_ends_at(const void *address)
{
    static const char *const names[] = {"libc.so", "libc-", "libpthread", "ld-linux", "ld64.so", "ld.so", "ld-2."};
    struct code_frame frame;
    uintptr_t entry = getauxval(AT_ENTRY);
    if (!address || (uintptr_t)address - entry <= START_BYTES)
        return true;
    if (!modules_frame(address, &frame))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strncmp(frame.module->name, names[i], strlen(names[i])))
            return true;
    return false;
}

/* How many of COUNT frames from SITE on are not of the C library's beginning of program or thread. */
static uint32_t count_shown(const void *site, uint32_t count)
{
    void **whole = malloc(WHOLE_MAX * sizeof *whole);
    int length = whole ? unwind(whole, WHOLE_MAX) : WHOLE_MAX;
    uint32_t shown = count;
    struct code_frame seen; /* all modules on the stack are to be known: libunwind remembers addresses in them */
    for (int i = 0; whole && i < length; i++)
        (void)modules_frame(whole[i], &seen);
    if (length < WHOLE_MAX) {
        int first = 0;
        while (first < length && whole[first] != site)
            first++;
        while (length > first + 1 && (stack_ends_at(whole[length - 1])))
            length--;
        if (length - first < (int)count)
            shown = (uint32_t)(length - first);
    }
    free(whole);
    return shown ? shown : 1;
}

/* ---- taking a stack ---- */

/* The place of SITE among GOT addresses, -1: none of them. */
static int find_site(const struct call_stacks *s, int got, const void *site)
{
    if ((int)s->inside < got && s->scratch[s->inside] == site)
        return (int)s->inside;
    for (int i = 0; i < got; i++)
        if (s->scratch[i] == site)
            return i;
    return -1;
}

/* Unwinds; the stack is COUNT addresses from the result on. No more is unwound than was enough last time, unless that
 * is not enough now. */
static void *const *take(struct call_stacks *s, const void *site, uint32_t *count)
{
    enum { MOST = sizeof s->scratch / sizeof s->scratch[0] };
    int wanted = (int)(s->inside + s->depth), got = unwind(s->scratch, wanted);
    int at = find_site(s, got, site);
    if (got == wanted && (at < 0 || at > (int)s->inside)) {
        got = unwind(s->scratch, MOST);
        at = find_site(s, got, site);
    }
    if (at < 0) {
        memcpy(s->scratch, &site, sizeof site);
        *count = 1;
        return s->scratch;
    }
    s->inside = (unsigned)at < INSIDE_MAX ? (unsigned)at : INSIDE_MAX;
    *count = (unsigned)(got - at) < s->depth ? (uint32_t)(got - at) : s->depth;
    return s->scratch + at;
}

static struct call_stack *stack_add(struct call_stacks *s, void *const *addresses, uint32_t count)
{
    size_t bytes = count * sizeof *addresses;
    struct call_stack *stack = calloc(1, sizeof *stack + bytes);
    if (!stack)
        return NULL;
    memcpy(stack->addresses, addresses, bytes);
    stack->count = count;
    stack->shown = count_shown(stack->addresses[0], count);
    HASH_ADD_KEYPTR(hh, s->table, stack->addresses, bytes, stack);
    if (!stack->hh.tbl) {
        free(stack);
        return NULL;
    }
    return stack;
}

const void *stacks_here(struct call_stacks *s, const void *site)
{
    uint32_t count;
    void *const *addresses = take(s, site, &count);
    size_t bytes = count * sizeof *addresses;
    struct call_stack *stack = s->last ? s->last->successor : NULL;
    if (!stack || stack->count != count || memcmp(stack->addresses, addresses, bytes) != 0) {
        HASH_FIND(hh, s->table, addresses, bytes, stack);
        if (!stack)
            stack = stack_add(s, addresses, count);
        if (!stack)
            return NULL;
        if (s->last)
            s->last->successor = stack;
    }
    s->last = stack;
    return stack;
}

size_t stack_frames(const void *stack, struct code_frame *frames)
{
    const struct call_stack *s = stack;
    size_t count = 0;
    while (count < s->shown && modules_frame(s->addresses[count], &frames[count]))
        count++;
    return count;
}
