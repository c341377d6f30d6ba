/* SPDX-License-Identifier: BSD-3-Clause */
/* What the inputs of a call say: the arguments to show, and whom it waits for. */
#ifndef PILGRIM_CALL_INPUTS_H
#define PILGRIM_CALL_INPUTS_H

#include "look.h"
#include "record/stream.h"

/* What a function does. */
enum call_role {
    ROLE_RECEIVES = 1,
    ROLE_SENDS = 2,
    ROLE_BLOCKS = 4,     /* it returns when that is done; else a request stands for it */
    ROLE_COLLECTIVE = 8, /* all of its communicator must call it */
    ROLE_WAITS = 16,     /* for requests */
    ROLE_CONTAINER = 32, /* collective, and its communicator is that of a window or file */
    ROLE_NEIGHBORS = 64, /* collective, but it waits for its neighbors only */
    ROLE_MAKES = 128     /* collective, and makes a window or file */
};

/* Returns the length of a function's name without the _c of a function for large counts. */
size_t function_name_length(const char *name);

/* Returns the roles of F; 0: nothing is known of it. */
unsigned call_role(const struct function_descriptor *f);

/* Sets U's arguments and requests from the key of the call that it is in. */
void unit_take_inputs(struct unit *u);

enum { PENDING_MAX = 2 };

/* Sets PENDING to the messages that a call of F by P waits for, whose key is KEY. Returns how many there are; -1: the
 * key does not say that. */
int call_pending(const struct look *look, const struct look_process *p, const struct function_descriptor *f,
                 const struct bytes *key, struct pending pending[PENDING_MAX]);

/* Sets the communicator and the root (-1: none) of a collective call. */
void call_collective(const struct look_process *p, const struct function_descriptor *f, const struct bytes *key,
                     uint64_t *comm, int64_t *root);

/* Returns the communicator that the window or file was made on which the call of F by P, with KEY, names: MAKERS are
 * the classes of S, a thread's stream. COMM_UNKNOWN: that is not among what they say. */
uint64_t call_container_comm(const struct look_process *p, const struct function_descriptor *f, const struct bytes *key,
                             const struct stream *s);

/* Returns the class of P that request class CLASS stands for; NULL: unknown. */
const struct class_site *request_class(const struct look_process *p, int64_t class);

#endif
