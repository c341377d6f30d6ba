/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's shadow: the text of its call under way, and the small printers that the files of the shadow share. */
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

/* A part of a text. */
struct slice {
    size_t start;
    size_t length;
};

/* What is kept of one direction of a parameter, or of the return value. */
struct shadow_slot {
    struct slice value;
    struct slice raw;
    bool raw_list; /* raw values of an array */
};

struct shadow {
    struct shadow *next;
    struct thread *thread;
    const struct call *call; /* under way, from shadow_enter on; else NULL */
    void (*after)(struct shadow *s, const void *kept);
    struct {
        _Alignas(max_align_t) unsigned char bytes[SHADOW_KEPT];
    } kept; /* arguments, for what comes out */
    uint32_t function;
    struct shadow_site site;
    bool fortran;
    uint64_t end_ns;   /* of the thread's call before */
    struct bytes text; /* values, one after another */
    struct bytes raw;
    struct bytes line; /* scratch of shadow_end */
    struct shadow_slot in[SHADOW_PARAMETERS], out[SHADOW_PARAMETERS], result;
    struct shadow_slot *slot;     /* what is printed into now */
    unsigned depth;               /* of open arrays */
    bool comma;                   /* a value stands before the next one in its array */
    struct operation *operations; /* of shadow_request(s) */
    int64_t operation_count, operation_capacity;
};

/* Printing a value: begin, text, end. */
void shadow_value_begin(struct shadow *s);
void shadow_value_end(struct shadow *s);

/* The raw value of the handle or pointer just printed. */
void shadow_raw(struct shadow *s, uint64_t value);

/* Formatted text, and a JSON string with its quotes. */
void text_print(struct bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_string(struct bytes *b, const char *string, size_t length);
void text_integer(struct bytes *b, int64_t v); /* beyond 2^53: a string */

#endif
