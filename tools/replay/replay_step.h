/* SPDX-License-Identifier: BSD-3-Clause */
/* One call that is performed again, and where its arguments come from.
 *
 * The step_ functions make parameter I from the recorded value. If they cannot, they set s->problem, and the call is
 * not made. What they return lives until the next call of the thread; arrays of calls that begin a request, as long as
 * that request. */
#ifndef REPLAY_STEP_H
#define REPLAY_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pilgrim/reader.h"

enum { REPLAY_PARAMETERS_MAX = 24 };

struct replay_thread;
struct replay_action;

struct replay_step {
    struct replay_thread *thread;
    const struct pilgrim_call *call;
    const struct replay_action *action;
    const char *problem;                   /* why the call cannot be made; NULL: it can */
    void *rooms[REPLAY_PARAMETERS_MAX];    /* what was passed for parameters that are pointers */
    uint64_t slots[REPLAY_PARAMETERS_MAX]; /* handles that are passed as copies */
    int source_at, tag_at;                 /* parameters in whose place `source` and `tag` are passed; -1: none */
    int64_t source, tag;
    const struct pilgrim_value *chosen; /* the indices of requests that are passed; NULL: all */
    bool has_arrays;                    /* the call's arrays may have to live as long as its request */
};

/* What a string says. */
enum replay_text {
    REPLAY_KEPT_TEXT,
    REPLAY_FILE_NAME,
    REPLAY_PORT,
    REPLAY_OTHERS_PORT,
    REPLAY_USER_TEXT,
    REPLAY_INFO_VALUE
};

typedef void (*step_any_function)(void);

/* Numbers, logicals, ranks, flags; addresses too. */
int64_t step_integer(struct replay_step *s, size_t i);
/* An array of such, or a pointer to one; ELEMENT bytes each. Arrays of arrays are laid out one after another. */
void *step_integers(struct replay_step *s, size_t i, size_t element);
/* Room for an output of as many elements as were recorded, or as the call has room for. */
void *step_room(struct replay_step *s, size_t i, size_t element);
/* A pointer to a handle, of an object or request. IS_NEW: the call makes it. */
void *step_handle(struct replay_step *s, size_t i, int is_new);
void *step_handles(struct replay_step *s, size_t i, size_t element, int is_new);
void *step_requests(struct replay_step *s, size_t i);
void *step_buffer(struct replay_step *s, size_t i);
void *step_attribute(struct replay_step *s, size_t i);
/* Room for a pointer to memory that MPI gives out. */
void *step_new_pointer(struct replay_step *s, size_t i);
char *step_text(struct replay_step *s, size_t i, enum replay_text what);
char *step_text_room(struct replay_step *s, size_t i);
void *step_statuses(struct replay_step *s, size_t i, int is_array);
void *step_status_in(struct replay_step *s, size_t i);
/* The predefined function of that name, or STUB. */
step_any_function step_function(struct replay_step *s, size_t i, step_any_function stub);

/* True if all arguments could be made. */
static inline bool step_ready(const struct replay_step *s)
{
    return !s->problem;
}

/* What a value says as a number, as step_integer has it. */
int64_t step_number(struct replay_step *s, const struct pilgrim_value *v);

/* Returns the handle of the object that V names, whatever its type; 0: there is none. */
uint64_t step_object(struct replay_step *s, const struct pilgrim_value *v);

/* Says from where to where the memory is that V names an address of. Returns false if there is none. */
bool step_memory(struct replay_step *s, const struct pilgrim_value *v, char **low, char **high);

/* Keeps what the call made and gives up what it freed. OK: MPI returned MPI_SUCCESS. */
void step_learn(struct replay_step *s, bool ok);

/* Returns the index of the parameter called NAME, or -1. */
int step_find(const struct pilgrim_function *f, const char *name);

/* Returns true if the call goes to a window without memory of its own (MPI_Win_create_dynamic). Its displacements are
 * addresses of the run that was recorded. */
bool step_dynamic(struct replay_step *s, size_t win);

/* Waits until each of several chosen requests of the call could end, so that they end in one call, as they did then. A
 * single one is waited for by the call itself, as a tracer of the replay is to see. MPICH from 4.1 on cannot be asked
 * for a persistent request without ending it: such requests are not waited for. */
void step_await_chosen(struct replay_step *s, size_t requests);

/* After the call: ends those chosen requests that it did not. Returns true if there were any. */
bool step_end_chosen(struct replay_step *s, size_t requests);

#endif
