/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank while its calls are read, and a call while it is written as C. */
#ifndef GENERATE_STATE_H
#define GENERATE_STATE_H

#include "generate.h"

struct generate_function;

enum { OBJECTS_MAX = 100000, WINDOW_MEMORIES = 4096, WINDOW_IS_DYNAMIC = -1 };

/* Which request class of the trace is which of the program. */
struct request_name {
    int64_t id;
    size_t class_number;
};

/* An object that threads share, as one of them uses it: in which statements of the program itself. */
struct shared_use {
    int64_t number;
    size_t first, last; /* first SIZE_MAX: it is not used */
    size_t freed;       /* SIZE_MAX: it is not freed */
    int64_t waits_for;  /* so many others use it */
};

struct rank_state {
    struct proxy *proxy;
    uint32_t rank, thread;
    size_t top; /* which statement of the program itself the call is in */
    struct shared_use *uses;
    size_t use_count;
    bool finalized;
    int64_t *known; /* by identity of a call: its row + 1 */
    size_t known_capacity;
    unsigned char *made[OBJECT_KINDS]; /* by number: how often it was given out */
    int64_t *own[OBJECT_KINDS]; /* where there are threads: the numbers of the thread's objects, by its own number */
    size_t own_count[OBJECT_KINDS];
    int64_t *stacks; /* the same of buffers on stacks */
    size_t stack_count;
    size_t made_capacity[OBJECT_KINDS];
    struct request_name *requests;
    size_t request_count;
    int64_t *window_memory; /* by number of a window: the allocation that MPI gave with it, + 1 */
    size_t window_capacity;
};

struct call_writer {
    struct rank_state *state;
    const struct pilgrim_call *call;
    const struct generate_function *function;
    const char *place;
    struct text form;
    int64_t *numbers;
    size_t number_count;
    const char *problem; /* why it cannot be written */
    bool begins;         /* a request: arrays live on */
    bool varies;         /* the next call with equal values may be another row */
    bool left_out;
    bool hands_over, takes; /* requests, to and from other threads */
};

/* Add to the row. */
void row_text(struct call_writer *w, const char *text);
void row_hole(struct call_writer *w, char hole, int64_t number);
void row_number(struct call_writer *w, int64_t number);
void row_address(struct call_writer *w, const struct pilgrim_value *v);
void row_name(struct call_writer *w, const char *text);
void row_request_hole(struct call_writer *w, const struct pilgrim_value *v);

/* No call of the function is in the program: the requests that it begins are MPI_REQUEST_NULL. */
void row_requests_left_out(struct call_writer *w);
void row_string(struct call_writer *w, size_t i); /* parameter I, a text */
void row_scratch(struct call_writer *w, size_t i);
void row_handle(struct call_writer *w, size_t i);
void row_new_handle(struct call_writer *w, size_t i);
void row_new_memory(struct call_writer *w, size_t i);

/* Gives an object away, for other threads to free. */
void row_give(struct call_writer *w, const struct pilgrim_value *v);

/* Adds what is to be done behind the call. */
void row_after(struct call_writer *w);

/* True if displacements in the window are addresses of the run that was recorded. */
bool window_is_dynamic(struct rank_state *s, const struct pilgrim_value *win);

/* Returns a number or name as a number. */
int64_t row_integer(struct call_writer *w, const struct pilgrim_value *v);

/* Returns which of a thread's own an object or a buffer on a stack is, so that threads that do the same are equal. */
int64_t state_own_object(struct rank_state *s, size_t kind, int64_t id);
int64_t state_own_stack(struct rank_state *s, int64_t id);

/* Which places requests have: all calls of a rank's thread are noted before they are read, but for failed polls. PLACE:
 * the call site. Then the thread's requests get names. One scan is made at a time. */
struct request_scan;
struct request_scan *requests_new(void);
void requests_note(struct request_scan *s, const struct pilgrim_call *call, const char *place);
void requests_name(struct request_scan *s, struct rank_state *state);

/* Returns what requests are called that a function begins at PLACE, or NULL. */
const char *request_key(const char *function, const char *place);

/* Gives requests ID of the trace the places of those called KEY, the NUMBER-th of that name. */
struct request_name *state_name_request(struct rank_state *s, int64_t id, const char *key, size_t number);

/* Keeps that a thread uses an object that another one made. */
void threads_note_use(struct rank_state *s, int64_t number);

/* Keeps which objects the call made and freed, and how large things are. */
void state_learn(struct call_writer *w);

#endif
