/* SPDX-License-Identifier: BSD-3-Clause */
/* Values: how an argument of a call is stored, so that a reader needs to know nothing of MPI.
 *
 * A value is one token; some tokens are followed by further values. A token is a tag, the operands, which belong to its
 * shape, and the slots, which are 64-bit numbers. Signatures of equal shape differ only in their slots. Over the ranks
 * each slot is a column.
 *
 * A *key* is the values of a call as they are recorded, one after another: tag (1 byte), operands (fixed width, below),
 * slots (8 bytes each, little-endian). The file stores the shape (tags, and operands as varints) apart from the slots.
 * docs/FORMAT.md says how each value is printed.
 *
 * The values of a call, in order: one for each parameter of direction in or inout; one for each of direction out or
 * inout; the return value. */
#ifndef PILGRIM_VALUE_H
#define PILGRIM_VALUE_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* The tags. Each comment says: operands | slots | how the value is printed. A dash: none. */
enum value_tag {
    VALUE_NONE = 1,       /* - | - | null */
    VALUE_NAME = 2,       /* name | - | "MPI_INT": any named constant or handle */
    VALUE_INT = 3,        /* - | v | number */
    VALUE_BOOL = 4,       /* - | 0 or 1 | true, false */
    VALUE_REAL = 5,       /* - | bits of the double | number */
    VALUE_RANK = 6,       /* - | r | (r + rank base's rank) mod rank base's size */
    VALUE_RANK_BASE = 7,  /* - | rank base | the value that follows; sets the rank base */
    VALUE_OBJECT = 8,     /* name of its kind | id | "comm:3" */
    VALUE_REQUEST = 9,    /* - | class, request index | "request:5.0" */
    VALUE_HEAP = 10,      /* - | id, offset | "heap:2+64" */
    VALUE_STACK = 11,     /* - | id | "stack:1" */
    VALUE_STATIC = 12,    /* - | id, offset | "static:0+4096" */
    VALUE_DEVICE = 13,    /* - | device, id, offset | "device:0:1+8" */
    VALUE_STRING = 14,    /* length, bytes | - | "text" */
    VALUE_ARRAY = 15,     /* n | - | [ ] of the n values that follow */
    VALUE_FLAGS = 16,     /* n | - | "A|B" of the n values that follow */
    VALUE_STATUS = 17,    /* status bits | - | { } of source, tag, bytes, cancelled and, with STATUS_ERROR, error, which
                             follow */
    VALUE_SYMBOL = 18,    /* length, bytes | - | "fn:NAME" */
    VALUE_FUNCTION = 19,  /* - | id | "fn:3" */
    VALUE_SERIES = 20,    /* in shapes: n, m | - | [ ] of n values of the m shapes that follow;
                             in keys: n | - | n values of an array, of which two follow (base/value_run.h) */
    VALUE_REGISTER = 21,  /* register | - | the value that follows, which is also stored in the register */
    VALUE_EDITED = 22,    /* base, m | - | an earlier array, named by base, with m changes; 2m values follow */
    VALUE_COMPLETED = 23, /* parameter | - | the in-value, with the value that follows at each index that the out-value
                             of that parameter names */
    VALUE_POSTED = 24,  /* status bits | position, unit | a status as predicted by the call that began the operation */
    VALUE_BEGUN = 25,   /* - | class | a request that begins; its index is the smallest free one */
    VALUE_LIVE = 26,    /* - | class, rank | a live request, by its age (base/live_requests.h) */
    VALUE_TIME = 27,    /* - | - | number, the call's time as return value, if the times of the call have it; else
                           null */
    VALUE_TEXT = 28,    /* - | base, index | "text" from the table of strings; in a key the base is 0, and the index
                           is the number in the thread's texts */
    VALUE_OWN = 29,     /* - | - | as VALUE_BEGUN, of the class of the call itself; not in keys: src/write makes it */
    VALUE_LIVE_OF = 30, /* - | class index, rank | as VALUE_LIVE, of the class with that index; not written */
    VALUE_LIVE_BACK = 31, /* - | distance, rank | as VALUE_LIVE, of the class so many places before that of the call;
                             not in keys, as VALUE_OWN */
    VALUE_TAG_COUNT = 32
};

/* Widths of operands in a key, all little-endian: a name (an index into the process's name table, descriptor.h) 2
 * bytes, a length or n 4, status bits 1, a register 2, base and m 2 each, a parameter 1. */

enum { STATUS_IGNORED = 1, STATUS_ERROR = 2 }; /* status bits */

/* Returns the number of slots of a token. */
static inline unsigned value_slots(uint8_t tag)
{
    static const uint8_t slots[VALUE_TAG_COUNT] = {
        [VALUE_INT] = 1,    [VALUE_BOOL] = 1,     [VALUE_REAL] = 1,      [VALUE_RANK] = 1,  [VALUE_RANK_BASE] = 1,
        [VALUE_OBJECT] = 1, [VALUE_REQUEST] = 2,  [VALUE_HEAP] = 2,      [VALUE_STACK] = 1, [VALUE_STATIC] = 2,
        [VALUE_DEVICE] = 3, [VALUE_FUNCTION] = 1, [VALUE_POSTED] = 2,    [VALUE_BEGUN] = 1, [VALUE_LIVE] = 2,
        [VALUE_TEXT] = 2,   [VALUE_LIVE_OF] = 2,  [VALUE_LIVE_BACK] = 2,
    };
    return tag < VALUE_TAG_COUNT ? slots[tag] : 0;
}

/* Returns the bytes of a token's operands in a key. For a string or symbol only its length counts; the text follows
 * it. */
static inline unsigned value_operands(uint8_t tag)
{
    static const uint8_t operands[VALUE_TAG_COUNT] = {
        [VALUE_NAME] = 2,     [VALUE_OBJECT] = 2, [VALUE_STRING] = 4,    [VALUE_SYMBOL] = 4,
        [VALUE_ARRAY] = 4,    [VALUE_FLAGS] = 4,  [VALUE_STATUS] = 1,    [VALUE_SERIES] = 4,
        [VALUE_REGISTER] = 2, [VALUE_EDITED] = 4, [VALUE_COMPLETED] = 1, [VALUE_POSTED] = 1,
    };
    return tag < VALUE_TAG_COUNT ? operands[tag] : 0;
}

enum { VALUE_OPERANDS_MAX = 2 };

/* Returns how many values follow a token with OPERANDS and belong to it; of a series in a shape, its second operand
 * (docs/FORMAT.md, section 5). */
static inline uint64_t value_following(uint8_t tag, const uint64_t operands[VALUE_OPERANDS_MAX])
{
    switch (tag) {
    case VALUE_ARRAY:
    case VALUE_FLAGS:
        return operands[0];
    case VALUE_SERIES:
        return operands[1];
    case VALUE_EDITED:
        return 2 * operands[1];
    case VALUE_STATUS:
        return operands[0] & STATUS_ERROR ? 5 : 4;
    case VALUE_RANK_BASE:
    case VALUE_REGISTER:
    case VALUE_COMPLETED:
        return 1;
    default:
        return 0;
    }
}

/* An array of so many values or more becomes a series (docs/FORMAT.md, section 5). */
#define VALUE_SERIES_MIN 64

/* The class of a request is (thread << VALUE_THREAD_SHIFT) | number of its call class (docs/FORMAT.md, section 7). */
enum { VALUE_THREAD_SHIFT = 16 };

/* ---- writing operands and slots: each function returns where the next one goes ---- */

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
