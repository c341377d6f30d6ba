/* The signatures of one call class: each distinct key (base/value.h) has a terminal, 0, 1, 2, ... in order of
 * first appearance (SC'21 paper 2.1, the call signature table; here one table a class). */
#ifndef PILGRIM_SIGNATURE_H
#define PILGRIM_SIGNATURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "pilgrim/status.h"

struct signature;

/* All zero is an empty table. Used by one thread at a time. */
struct signatures {
    struct signature *table;     /* uthash */
    struct signature **by_terminal;
    uint32_t count;
    uint32_t capacity;
    struct signature *last;      /* the one interned last: its successor is the prediction */
    struct arena memory;
};

/* The terminal of KEY, in *TERMINAL, added if new.
 * A key equal to the one that followed the last key the time before costs one comparison, no hash.
 * length:  bytes, 1..2^31
 * errors:  PILGRIM_NOMEM (table unchanged), PILGRIM_LIMIT
 * memory:  copies key */
enum pilgrim_status signature_intern(struct signatures *s, const void *key, size_t length, uint32_t *terminal)
    PILGRIM_CHECKED;

/* The key of TERMINAL < s->count; borrowed until signatures_free. */
const uint8_t *signature_key(const struct signatures *s, uint32_t terminal, size_t *length);

size_t signatures_memory_bytes(const struct signatures *s);
void signatures_free(struct signatures *s);

#endif
