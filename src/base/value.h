/* SPDX-License-Identifier: BSD-3-Clause */
/* Values: how one argument of a call is written, so that a reader needs to know nothing of MPI.
 *
 * A value is one token, some of which are followed by further values. A token is a tag, the operands that
 * belong to its shape, and its slots, the 64-bit numbers. Signatures with equal shape differ in their slots
 * alone, and over the ranks each slot is a column.
 *
 * A *key* is a call's values as they are recorded, one after another: tag (1 byte), operands (fixed width,
 * below), slots (8 bytes each, little-endian). In the file the shape (tags, operands as varints) stands
 * apart from the slots; see docs/FORMAT.md, which says how each value is printed.
 *
 * The values of a call, in order: one for each parameter with direction in or inout; one for each with out or
 * inout; the return value. */
#ifndef PILGRIM_VALUE_H
#define PILGRIM_VALUE_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

enum value_tag {                 /*  operands             slots          printed */
                 VALUE_NONE = 1, /*                                      null */
                 VALUE_NAME = 2, /*  name                                "MPI_INT": any named constant or handle */
                 VALUE_INT = 3,  /*                       v              number */
                 VALUE_BOOL = 4, /*                       0 or 1         true, false */
                 VALUE_REAL = 5, /*                       double's bits  number */
                 VALUE_RANK = 6, /*                       r              (r + rank base's rank) mod rank base's size */
                 VALUE_RANK_BASE = 7,  /*                       rank base           sets the rank base; one value
                                          follows, is printed */
                 VALUE_OBJECT = 8,     /*  name of its kind     id             "comm:3" */
                 VALUE_REQUEST = 9,    /*                       class, place   "request:5.0" */
                 VALUE_HEAP = 10,      /*                       id, offset     "heap:2+64" */
                 VALUE_STACK = 11,     /*                       id             "stack:1" */
                 VALUE_STATIC = 12,    /*                       id, offset     "static:0+4096" */
                 VALUE_DEVICE = 13,    /*                       dev, id, offset  "device:0:1+8" */
                 VALUE_STRING = 14,    /*  length, bytes                       "text" */
                 VALUE_ARRAY = 15,     /*  n                                   [ ]; n values follow */
                 VALUE_FLAGS = 16,     /*  n                                   "A|B"; n values follow */
                 VALUE_STATUS = 17,    /*  status bits                         { }; source, tag, bytes, cancelled and,
                                                                               with STATUS_ERROR, error follow */
                 VALUE_SYMBOL = 18,    /*  length, bytes                       "fn:NAME" */
                 VALUE_FUNCTION = 19,  /*                       id             "fn:3" */
                 VALUE_SERIES = 20,    /*  in shapes: n, m                     [ ]; n values of m shapes, which follow
                                           in keys: n                          n values of an array, of which two follow
                                          (base/value_run.h) */
                 VALUE_KEEP = 21,      /*  register                            one value follows, is printed and kept */
                 VALUE_EDITED = 22,    /*  base, m                             base with m changes; 2m values follow */
                 VALUE_COMPLETED = 23, /*  parameter                           the in-value; one value follows, stands
                                          at the places that the out-value of that parameter names */
                 VALUE_POSTED =
                     24, /*  status bits      position, unit     a status, as the call predicted it that posted it */
                 VALUE_BEGUN = 25, /*                       class          a request that begins; its place is the
                                      smallest that is free */
                 VALUE_LIVE =
                     26, /*                       class, rank    a request that is live, by its age (live_requests.h) */
                 VALUE_TIME = 27, /*                                      a time of the call: as a return value, if the
                                     times of the call have it, number; else null, it was not kept */
                 VALUE_TEXT = 28, /*                       base, place    "text": one of the table of strings; in a key
                                     the base is 0, and place is the number in the thread's texts */
                 VALUE_TAG_COUNT = 29
};

/* Operand widths in a key: a name is 2 bytes (index into the process's name table, descriptor.h), a length
 * or n 4 bytes, status bits 1 byte, a register 2 bytes, base and m 2 bytes each,
 * a parameter 1 byte; all little-endian. */

enum { STATUS_IGNORED = 1, STATUS_ERROR = 2 };

/* Slots of a token, by tag. */
static inline unsigned value_slots(uint8_t tag)
{
    static const uint8_t slots[VALUE_TAG_COUNT] = {
        [VALUE_INT] = 1,       [VALUE_BOOL] = 1,   [VALUE_REAL] = 1,    [VALUE_RANK] = 1,
        [VALUE_RANK_BASE] = 1, [VALUE_OBJECT] = 1, [VALUE_REQUEST] = 2, [VALUE_HEAP] = 2,
        [VALUE_STACK] = 1,     [VALUE_STATIC] = 2, [VALUE_DEVICE] = 3,  [VALUE_FUNCTION] = 1,
        [VALUE_POSTED] = 2,    [VALUE_BEGUN] = 1,  [VALUE_LIVE] = 2,    [VALUE_TEXT] = 2,
    };
    return tag < VALUE_TAG_COUNT ? slots[tag] : 0;
}

/* Operand bytes of a token in a key, by tag; of a text those of its length, which the text follows. */
static inline unsigned value_operands(uint8_t tag)
{
    static const uint8_t operands[VALUE_TAG_COUNT] = {
        [VALUE_NAME] = 2,  [VALUE_OBJECT] = 2, [VALUE_STRING] = 4,    [VALUE_SYMBOL] = 4,
        [VALUE_ARRAY] = 4, [VALUE_FLAGS] = 4,  [VALUE_STATUS] = 1,    [VALUE_SERIES] = 4,
        [VALUE_KEEP] = 2,  [VALUE_EDITED] = 4, [VALUE_COMPLETED] = 1, [VALUE_POSTED] = 1,
    };
    return tag < VALUE_TAG_COUNT ? operands[tag] : 0;
}

/* Arrays of so many values become series (docs/FORMAT.md, section 5). */
#define VALUE_SERIES_MIN 64

/* The class of a request is (thread << VALUE_THREAD_SHIFT) | number of the call class (docs/FORMAT.md, section 7). */
enum { VALUE_THREAD_SHIFT = 16 };

/* ---- writing the operands of tokens: each returns where the next one goes ---- */

static inline uint8_t *store_u16(uint8_t *at, unsigned v)
{
    uint16_t le = htole16((uint16_t)v);
    memcpy(at, &le, sizeof le);
    return at + sizeof le;
}

static inline uint8_t *store_u32(uint8_t *at, uint32_t v)
{
    v = htole32(v);
    memcpy(at, &v, sizeof v);
    return at + sizeof v;
}

static inline uint8_t *store_slot(uint8_t *at, int64_t v)
{
    uint64_t le = htole64((uint64_t)v);
    memcpy(at, &le, sizeof le);
    return at + sizeof le;
}

#endif
