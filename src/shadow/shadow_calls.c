/* SPDX-License-Identifier: BSD-3-Clause */
/* How the shadow sees calls without a line of its own in the recorder.
 *
 * The linker's --wrap redirects the recorder's calls of a few functions to this file (src/shadow/wraps). The pointers
 * to MPI's functions (mpi_functions.h) lead to a layer that the generator writes. So the shadow sees a call twice:
 *
 *  - In the layer: the wrapper has recorded the inputs and calls MPI. The shadow prints the inputs, calls MPI, and
 * saves the arguments, because outputs have no names yet.
 *  - In call_done: the wrapper has recorded the outputs. The shadow prints them, too, and writes the line once the call
 *    is recorded.
 *
 * The recorder itself calls MPI by the same pointers. Such calls are recognised by thread.outputs, which call_enter
 * sets and the shadow clears at the end of each call. */
#include "shadow/shadow_calls.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "wrap/abandoned.h"
#include "wrap/call.h"
#include "process/capture.h"
#include "fortran/fortran.h"
#include "lifecycle/init.h"
#include "process/thread.h"
#include "functions.h"
#include "shadow/shadow_file.h"
#include "shadow/shadow_text.h"

/* Declares the linker's names of a wrapped function: the function itself, and what is called in place of it. */
#define WRAPPED(type, name, parameters)                                                                                \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters

WRAPPED(enum mpi_library, mpi_library_bind, (const void *site));
WRAPPED(void, capture_after_init, (void));
WRAPPED(void, capture_after_unrecorded_init, (void));
WRAPPED(void, capture_finish, (void));
WRAPPED(void, abandoned_calls, (struct thread * t, const void *frame, const void *site, const void *caller));
WRAPPED(void, put_string, (struct call * c, const char *string));
WRAPPED(void, call_done, (struct call * c, const uint8_t *end));

void *shadow_next[FUNCTION_COUNT];

static const char *folder; /* NULL: there is no shadow */

/* ---- one shadow for each struct thread, which may serve several threads in turn ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct shadow *shadows;
static _Thread_local struct shadow *last;

static struct shadow *shadow_of(struct thread *t)
{
    if (!last || last->thread != t) {
        pthread_mutex_lock(&lock);
        for (last = shadows; last && last->thread != t; last = last->next)
            ;
        if (!last && (last = shadow_new(t))) {
            last->next = shadows;
            shadows = last;
        }
        pthread_mutex_unlock(&lock);
        if (!last)
            capture_fail("out of memory for the shadow");
    }
    return last;
}

/* ---- a call ---- */

static void begin(struct shadow *s, const struct call *c)
{
    const struct fortran_call *from = c->fortran;
    s->call = c;
    s->after = NULL;
    shadow_begin(s, c->function, from ? from->site : c->thread->site, from != NULL,
                 c->thread->outer ? shadow_of(thread_recorded_outside(c->thread)) : NULL);
}

/* Returns the state of the innermost call that the thread is in; NULL: it is in none. */
static struct thread *innermost(void)
{
    struct thread *t = thread_now;
    while (t && t->nested && t->nested->inside)
        t = t->nested;
    return t && t->inside ? t : NULL;
}

struct shadow *shadow_enter(uint32_t function)
{
    struct thread *t = innermost();
    if (!t || !t->class || !t->journal->outputs)
        return NULL;
    const struct call *c = t->frame;
    struct shadow *s = c->function == function ? shadow_of(t) : NULL;
    if (!s || s->call)
        return NULL; /* it was here already, or is not the program's call */
    begin(s, c);
    return s;
}

const struct rank_base *shadow_rank_base(const struct shadow *s)
{
    return &s->call->base;
}

bool shadow_ignores(const struct shadow *s, const MPI_Status *status)
{
    return status && status == s->thread->statuses;
}

void shadow_save(struct shadow *s, const void *saved, size_t size, void (*after)(struct shadow *s, const void *saved))
{
    memcpy(s->saved.bytes, saved, size);
    s->after = after;
}

/* Writes the line of call number SEQ of the thread, if that was recorded. A call inside another one has no time of its
 * own: it stands at the end of the thread's last call. */
static void end(struct shadow *s, uint64_t seq, uint64_t start, uint64_t ended)
{
    const struct thread *outer = s->thread->outer ? thread_recorded_outside(s->thread) : NULL;
    if (outer) {
        s->end_ns = shadow_of(thread_now)->end_ns;
        start = ended = s->end_ns ? 0 : outer->journal->start;
    }
    if (thread_calls(thread_now) > seq && !(atomic_load(&capture.off) & (OFF_FAILED | OFF_CHILD)))
        shadow_end(s, seq, start, ended);
    s->call = NULL;
}

/* Prints the outputs. Calls that end before MPI has returned (MPI_Finalize) return nothing, and neither do markers. */
static void print_out(struct shadow *s, const struct call *c)
{
    if (s->call != c)
        begin(s, c);
    if (s->after) {
        s->after(s, s->saved.bytes);
    } else {
        shadow_return(s);
        shadow_null(s);
    }
}

void __wrap_call_done(struct call *c, const uint8_t *to)
{
    struct thread *t = c->thread;
    struct shadow *s = folder && !c->dropped ? shadow_of(t) : NULL;
    const uint64_t seq = thread_calls(thread_now), start = t->journal->start, ended = c->end;
    if (s)
        print_out(s, c);
    t->journal->outputs = NULL;
    __real_call_done(c, to);
    if (s)
        end(s, seq, start, ended);
}

/* The calls that end are those of T, or of its states for calls inside calls from some one on. */
void __wrap_abandoned_calls(struct thread *t, const void *frame, const void *site, const void *caller)
{
    enum { LEVELS = 8 };
    struct thread *inside[LEVELS];
    const uint8_t *outputs[LEVELS];
    size_t count = 0;
    uint64_t seq = thread_calls(t);
    for (struct thread *o = t; o && o->inside && count < LEVELS; o = o->nested) {
        inside[count] = o;
        outputs[count++] = o->journal->outputs;
        if (!o->journal->outputs)
            o->journal->outputs = o->key.data; /* the recorder cuts the key off there */
    }
    __real_abandoned_calls(t, frame, site, caller);
    while (count-- > 0) {
        struct thread *o = inside[count];
        const bool ended = !o->inside && o->class;
        o->journal->outputs = o->inside ? outputs[count] : NULL;
        if (ended && folder)
            end(shadow_of(o), seq++, o->journal->start, o->journal->start);
    }
}

/* A marker's name is its only argument; no function of MPI is behind it. */
void __wrap_put_string(struct call *c, const char *string)
{
    struct shadow *s = folder && c->function == FUNCTION_pilgrim_marker && !c->dropped ? shadow_of(c->thread) : NULL;
    if (s) {
        begin(s, c);
        shadow_in(s, 0);
        shadow_string(s, string);
    }
    __real_put_string(c, string);
}

/* ---- the process ---- */

enum mpi_library __wrap_mpi_library_bind(const void *site)
{
    enum mpi_library kind = __real_mpi_library_bind(site);
    const char *wish = getenv("ORACLE_SHADOW");
    if (kind != MPI_LIBRARY_BUILT_FOR || capture.settings.off || !wish || !*wish)
        return kind;
    for (size_t i = 0; i < mpi_function_count; i++) {
        const struct shadow_function *f = &shadow_functions[i];
        if (f->layer && *mpi_function_table[i].next != f->layer) {
            shadow_next[f->function] = *mpi_function_table[i].next;
            *mpi_function_table[i].next = f->layer;
        }
    }
    folder = wish;
    shadow_follow();
    return kind;
}

/* Spawned processes have a world of their own, with ranks from 0 on. Each world gets a folder of its own in FOLDER.
 * Rank 0 creates it and tells the others its number. Returns that number; 0: none could be created. */
static int world(char *path, size_t size)
{
    int number = 1, made = -1;
    for (; capture.rank == 0 && made; number++) {
        snprintf(path, size, "%s/world-%d", folder, number);
        made = mkdir(path, 0777);
        if (made && errno != EEXIST)
            break;
    }
    number = made ? 0 : number - 1;
    PMPI_Bcast(&number, 1, MPI_INT, 0, capture.comm);
    snprintf(path, size, "%s/world-%d", folder, number);
    return number;
}

static void open_file(void)
{
    const char *at = folder;
    char path[4096];
    MPI_Comm parent = MPI_COMM_NULL;
    if (capture.initialized)
        PMPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        at = world(path, sizeof path) ? path : NULL;
    if (!at || !shadow_open_file(at, capture.rank, !capture.initialized))
        capture_fail("the shadow cannot be written");
}

void __wrap_capture_after_init(void)
{
    bool before = capture.initialized;
    __real_capture_after_init();
    if (folder && capture.initialized && !before)
        open_file();
}

void __wrap_capture_after_unrecorded_init(void)
{
    bool before = capture.initialized;
    __real_capture_after_unrecorded_init();
    if (folder && capture.initialized && !before)
        open_file();
}

/* A process that only had sessions has no rank before this. */
void __wrap_capture_finish(void)
{
    if (folder && !capture.initialized)
        open_file();
    if (folder)
        shadow_stop();
    __real_capture_finish();
}
