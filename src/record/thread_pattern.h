/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of what is kept of ended threads, for ended.c, which puts it together, and fragment_ended.c, which takes
 * it apart.
 *
 * A pattern's *calls* are bytes: all that its threads have in common.
 *
 *     u32 classes; sequence (structure)
 *     for each class: u32 function << 2 | fortran << 1 | failed poll; u32 frames, as struct code_frame; sequence; u32
 * signatures for each signature: u32 length; the key, with 0 in its slots
 *
 * A sequence is u32 length and as many bytes as sequence_serialise. A slot that is the class of one of the thread's own
 * requests has a 1 in its first byte: its values do not have the thread's number in them. */
#ifndef PILGRIM_THREAD_PATTERN_H
#define PILGRIM_THREAD_PATTERN_H

#include "base/intern.h"
#include "base/value.h"
#include "sequence/column.h"
#include "record/ended_threads.h"
#include "record/statistics.h"

struct pattern_column {
    struct column values;
    uint32_t slot;   /* the first one that has it */
    uint32_t origin; /* the column that it was the same as, before the thread that is added */
    int64_t value;   /* of that thread */
};

struct thread_pattern {
    bool sorted; /* they stand in order of number */
    uint32_t class_count;
    uint32_t slot_count;
    int64_t *values; /* of one thread: for each slot */
    uint32_t *slots; /* of more than one thread: the column of each slot ... */
    uint32_t column_count, column_capacity;
    struct pattern_column *columns; /* ... */
    struct column members;          /* numbers of threads */
    struct stream *stream;          /* of the thread that ended first, if there are many calls; or NULL */
    uint32_t number;                /* of that thread */
    struct bytes packed;            /* statistics of the classes, of one thread; empty: ... */
    struct statistics
        *statistics; /* ... of several; both without STREAM, which has them else; NULL: times are not kept */
    uint64_t calls, plain_bytes; /* of each thread */
};

/* A stream that is no pattern. */
struct unshared_thread {
    uint32_t number;
    struct stream *stream;
};

/* A thread that may yet find its place among those that end soon. */
struct waiting_thread {
    uint32_t number;
    uint32_t pattern;
    int64_t *values;
};

enum { ENDED_WAITING = 64 };

struct ended_threads {
    const struct vocabulary *vocabulary;
    struct common_times *times;      /* of calls; or NULL */
    struct intern calls;             /* of the patterns */
    struct thread_pattern *patterns; /* by number in CALLS */
    uint32_t pattern_capacity;
    struct unshared_thread *unshared;
    uint32_t unshared_count, unshared_capacity;
    struct waiting_thread waiting[ENDED_WAITING]; /* in order of number */
    uint32_t waiting_count;
    struct bytes scratch; /* the calls of the thread that is added */
    struct bytes values;  /* its slots, int64_t each */
    int64_t *spare;       /* room for the values of a thread, SPARE_COUNT slots; or NULL */
    uint32_t spare_count;
    size_t memory;
};

/* Ended threads that wait find their places. errors: PILGRIM_NOMEM */
enum pilgrim_status ended_settle(struct ended_threads *e) PILGRIM_CHECKED;

/* The statistics of P's classes; NULL: there are none. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status pattern_statistics(struct thread_pattern *p) PILGRIM_CHECKED;

/* ---- keys ---- */

/* The slots of a key, or of one with 0 in its slots, one after another. */
struct key_walk {
    const uint8_t *key;
    size_t length;
    size_t at;           /* behind the slot */
    uint8_t tag;         /* of the value that it belongs to ... */
    unsigned slot, left; /* ... as this one; those behind it */
    bool series;         /* an array was met that a fragment makes a series of */
    bool damaged;        /* it is no key */
};

/* The next slot, which stands before W->at; false: there is none. */
static inline bool key_next_slot(struct key_walk *w)
{
    while (!w->left) {
        if (w->at >= w->length || w->damaged)
            return false;
        uint8_t tag = w->key[w->at++];
        size_t left = w->length - w->at, taken = value_operands(tag);
        uint32_t operand = 0;
        for (size_t i = 0; i < taken && i < left; i++)
            operand |= (uint32_t)w->key[w->at + i] << (8 * i);
        if (tag == VALUE_STRING || tag == VALUE_SYMBOL)
            taken += operand;
        w->series |= tag == VALUE_ARRAY && operand >= VALUE_SERIES_MIN;
        w->tag = tag;
        w->slot = UINT32_MAX;
        w->left = value_slots(tag);
        w->damaged = tag == 0 || tag >= VALUE_TAG_COUNT || taken + w->left * sizeof(int64_t) > left;
        if (w->damaged)
            return false;
        w->at += taken;
    }
    w->left--;
    w->slot++;
    w->at += sizeof(int64_t);
    return true;
}

/* Whether a slot is the class of a request: its values may have the thread's number in them. */
static inline bool key_slot_is_class(const struct key_walk *w)
{
    return (w->tag == VALUE_REQUEST || w->tag == VALUE_BEGUN || w->tag == VALUE_LIVE) && w->slot == 0;
}

/* What is added to the values of a slot of thread NUMBER's own requests. */
static inline int64_t request_class_base(uint32_t number)
{
    return (int64_t)((uint64_t)number << VALUE_THREAD_SHIFT);
}

#endif
