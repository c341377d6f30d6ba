/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's shadow: the text of its current call. And the printers that the files of the shadow share. */
#ifndef PILGRIM_SHADOW_TEXT_H
#define PILGRIM_SHADOW_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "shadow/shadow.h"
#include "shadow/shadow_calls.h"
#include "shadow/shadow_site.h"

struct call;
struct thread;

enum { SHADOW_PARAMETERS = 64 };

/* A range of a text. */
struct slice {
    size_t start;
    size_t length;
};

/* What was printed for the input or output of a parameter, or for the return value. */
struct shadow_slot {
    struct slice value;
    struct slice raw;
    bool raw_list; /* `raw` has the values of an array */
};

struct shadow {
    struct shadow *next;
    struct thread *thread;
    const struct call *call; /* the current call, from shadow_enter on; else NULL */
    void (*after)(struct shadow *s, const void *saved);
    struct {
        _Alignas(max_align_t) unsigned char bytes[SHADOW_SAVED_BYTES];
    } saved; /* arguments, for printing the outputs */
    uint32_t function;
    struct shadow_site site;
    bool fortran;
    uint64_t end_ns;   /* end of the thread's last call */
    struct bytes text; /* all values, one after another */
    struct bytes raw;
    struct bytes line; /* scratch memory of shadow_end */
    struct shadow_slot in[SHADOW_PARAMETERS], out[SHADOW_PARAMETERS], result;
    struct shadow_slot *slot;     /* gets what is printed now */
    unsigned depth;               /* number of open arrays */
    bool comma;                   /* the next value needs a comma before it */
    struct operation *operations; /* of the call's requests */
    int64_t operation_count, operation_capacity;
};

/* Print a value: begin, text, end. */
void shadow_value_begin(struct shadow *s);
void shadow_value_end(struct shadow *s);

/* Stores the raw value of the handle or pointer that was printed last. */
void shadow_raw(struct shadow *s, uint64_t value);

/* Append formatted text; a JSON string with its quotes; an integer. */
void text_print(struct bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_string(struct bytes *b, const char *string, size_t length);
void text_integer(struct bytes *b, int64_t v); /* a string if it is beyond 2^53 */

#endif
