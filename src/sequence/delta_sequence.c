/* SPDX-License-Identifier: BSD-3-Clause */
/* Delta sequences while they grow; see delta_sequence.h. In a chunk a run is varint  code << 1 | is longer than 1  and,
 * if it is longer, varint  length - 2. */
#include "sequence/delta_sequence.h"

#include "base/try.h"

enum {
    CHUNK_RUNS_MIN = 32,
    CHUNK_RUNS_MAX = 1024,
    CHUNK_BITS = 7, /* a chunk ends after a run with probability 1 in 2^7 */
    RUN_BYTES_MAX = 20
};

static int64_t difference_of(int64_t from, int64_t to)
{
    return (int64_t)((uint64_t)to - (uint64_t)from);
}

bool delta_sequence_fits(const struct delta_sequence *n, int64_t value)
{
    return n->count == 0 || zigzag(difference_of(n->last, value)) < UINT64_C(1) << 62;
}

static uint8_t *put_varint(uint8_t *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

/* False: no memory. */
static bool put_run(struct bytes *b, int64_t difference, uint64_t run)
{
    uint8_t *to = bytes_reserve(b, RUN_BYTES_MAX);
    if (!to)
        return false;
    to = put_varint(to, zigzag(difference) << 1 | (run > 1));
    if (run > 1)
        to = put_varint(to, run - 2);
    b->length = (size_t)(to - b->data);
    return true;
}

/* True if the run that has just ended ends a chunk. That depends on 16 bits of each of the last four runs and on
 * nothing earlier, except for the limits of a chunk's size. */
static bool ends_chunk(struct delta_sequence *n)
{
    uint64_t run = (zigzag(n->difference) * UINT64_C(0x9e3779b97f4a7c15) ^ n->run) * UINT64_C(0xc2b2ae3d27d4eb4f);
    n->window = n->window << 16 | run >> 48;
    if (++n->chunk_runs < CHUNK_RUNS_MIN)
        return false;
    return n->window * UINT64_C(0xff51afd7ed558ccd) >> (64 - CHUNK_BITS) == 0 || n->chunk_runs == CHUNK_RUNS_MAX;
}

static enum pilgrim_status end_chunk(struct delta_sequence *n, struct intern *pool)
{
    uint32_t number;
    if (!n->chunks)
        n->chunks = grammar_new();
    if (!n->chunks)
        return PILGRIM_NOMEM;
    TRY(intern_add(pool, n->chunk.data, n->chunk.length, &number));
    n->chunk.length = 0;
    n->chunk_runs = 0;
    return grammar_append(n->chunks, number);
}

enum pilgrim_status delta_sequence_append(struct delta_sequence *n, struct intern *pool, int64_t value)
{
    int64_t difference = difference_of(n->last, value);
    n->last = value;
    if (n->count++ == 0) {
        n->first = value;
        return PILGRIM_OK;
    }
    if (n->run && difference == n->difference) {
        n->run++;
        return PILGRIM_OK;
    }
    if (n->run) {
        if (!put_run(&n->chunk, n->difference, n->run))
            return PILGRIM_NOMEM;
        if (ends_chunk(n))
            TRY(end_chunk(n, pool));
    }
    n->difference = difference;
    n->run = 1;
    return PILGRIM_OK;
}

size_t delta_sequence_memory_bytes(const struct delta_sequence *n)
{
    return n->chunk.capacity + (n->chunks ? grammar_memory_bytes(n->chunks) : 0);
}

void delta_sequence_free(struct delta_sequence *n)
{
    bytes_free(&n->chunk);
    grammar_free(n->chunks);
    *n = (struct delta_sequence){0};
}
