/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of ended threads: ended_threads.c puts them together, fragment_ended.c takes them apart.
 *
 * The *calls* of a pattern are the bytes that all its threads have in common:
 *
 *     u32 number of classes; sequence (of the structure)
 *     for each class: u32 function << 2 | fortran << 1 | failed poll; u32 number of frames, struct code_frame each;
 *         sequence (of the signatures); u32 number of signatures
 *         for each signature: u32 length; the key, with 0 in its slots
 *
 * A sequence is u32 length, then the bytes of sequence_serialise. A slot has 1 in its first byte if it is the
 * request class of a request that the thread itself began. Such values are stored without the number of the thread
 * (request_class_base). */
#ifndef PILGRIM_THREAD_PATTERN_H
#define PILGRIM_THREAD_PATTERN_H

#include "base/intern.h"
#include "base/value.h"
#include "sequence/column.h"
#include "record/ended_threads.h"
#include "record/statistics.h"

struct pattern_column {
    struct column values;
    uint32_t slot;   /* the first slot with this column */
    uint32_t origin; /* the column that this one was copied from, for the thread that is being added */
    int64_t value;   /* of the thread that is being added */
};

struct thread_pattern {
    bool sorted; /* the threads are in order of number */
    uint32_t class_count;
    uint32_t slot_count;
    int64_t *values; /* if the pattern has one thread: the value of each slot */
    uint32_t *slots; /* if it has more: for each slot the index of its column */
    uint32_t column_count, column_capacity;
    struct pattern_column *columns;
    struct column members; /* numbers of the threads */
    struct stream *stream; /* of the thread that ended first, if it has too many calls to be made again; else NULL */
    uint32_t number;       /* of that thread */
    struct bytes packed;   /* packed statistics of the classes, if the pattern has one thread and no stream */
    struct statistics *statistics; /* by class, if it has more threads and no stream; NULL if times are not recorded */
    uint64_t calls, plain_bytes;   /* of each thread */
};

/* A thread that is not compared with others, and its stream. */
struct unshared_thread {
    uint32_t number;
    struct stream *stream;
};

/* A thread whose values are not in its pattern yet: threads with lower numbers may still end. */
struct waiting_thread {
    uint32_t number;
    uint32_t pattern;
    int64_t *values;
};

enum { ENDED_WAITING = 64 };

struct ended_threads {
    const struct vocabulary *vocabulary;
    struct common_times *times;      /* of the calls of short threads; or NULL */
    struct intern calls;             /* each once */
    struct thread_pattern *patterns; /* by number in `calls` */
    uint32_t pattern_capacity;
    struct unshared_thread *unshared;
    uint32_t unshared_count, unshared_capacity;
    struct waiting_thread waiting[ENDED_WAITING]; /* in order of number */
    uint32_t waiting_count;
    struct bytes scratch; /* calls of the thread that is being added */
    struct bytes values;  /* its slots, int64_t each */
    int64_t *spare;       /* room for `spare_count` values, for the next thread; or NULL */
    uint32_t spare_count;
    size_t memory;
};

/* Appends the values of all waiting threads to their patterns.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status ended_settle(struct ended_threads *e) PILGRIM_CHECKED;

/* Unpacks the statistics of P's classes into P->statistics if they are packed.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status pattern_statistics(struct thread_pattern *p) PILGRIM_CHECKED;

/* ---- keys ---- */

/* Iterates over the slots of a key. The slots may be 0. */
struct key_walk {
    const uint8_t *key;
    size_t length;
    size_t at;           /* end of the slot */
    uint8_t tag;         /* of the slot's value */
    unsigned slot, left; /* index of the slot in its value; slots of the value behind it */
    bool series;         /* the key has an array that a fragment stores as an array series */
    bool runs;           /* it has one whose values are a run (base/value_run.h), up to the slot */
    bool damaged;        /* the key is malformed */
};

/* Moves to the next slot, whose bytes end at W->at. False if there is none, or the key is malformed. */
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
        w->runs |= tag == VALUE_SERIES;
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

/* True if the slot is the class of a request. Its value may then contain the number of a thread. */
static inline bool key_slot_is_class(const struct key_walk *w)
{
    return (w->tag == VALUE_REQUEST || w->tag == VALUE_BEGUN || w->tag == VALUE_LIVE) && w->slot == 0;
}

/* Returns the number that the request classes of thread NUMBER begin at. */
static inline int64_t request_class_base(uint32_t number)
{
    return (int64_t)((uint64_t)number << VALUE_THREAD_SHIFT);
}

#endif
