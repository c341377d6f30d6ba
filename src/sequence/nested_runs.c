/* SPDX-License-Identifier: BSD-3-Clause */
/* Nested runs; see nested_runs.h. After each complete run the end of the sequence is examined: does the last period
 * repeat the period before it, or the block before it? Items lie flat, and a block lies between its two marks, so a
 * comparison is memcmp. */
#include "sequence/nested_runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"

enum {
    WINDOW = NESTED_RUNS_WINDOW,
    COPIES_MAX = 4, /* copies of a block that are appended item by item, to see if they merge with the items before */
    TAIL_MAX = 64,  /* items that may follow the growing block */
    DEPTH_MAX = 4   /* nesting depth of blocks that are appended item by item */
};

static bool begins(const struct nested_run *item)
{
    return item->exponent & NESTED_RUN_BEGIN;
}

static bool ends(const struct nested_run *item)
{
    return item->exponent & NESTED_RUN_END;
}

static bool equal(const struct nested_run *a, const struct nested_run *b, size_t count)
{
    return !memcmp(a, b, count * sizeof *a);
}

void nested_runs_free(struct nested_runs *r)
{
    free(r->items);
    *r = (struct nested_runs){0};
}

static enum pilgrim_status reserve(struct nested_runs *r, size_t count)
{
    if (count <= r->capacity - r->count)
        return PILGRIM_OK;
    size_t capacity = r->capacity + r->capacity / 2 + 4;
    if (capacity - r->count < count)
        capacity = r->count + count;
    struct nested_run *items = realloc(r->items, capacity * sizeof *items);
    if (!items)
        return PILGRIM_NOMEM;
    r->items = items;
    r->capacity = capacity;
    return PILGRIM_OK;
}

/* Returns where the run or block that ends before END begins. */
static size_t start_before(const struct nested_runs *r, size_t end)
{
    const struct nested_run *last = &r->items[end - 1];
    return ends(last) ? end - 2 - (size_t)last->value : end - 1;
}

/* True if a block ends before END > 0 and its body equals the SIZE items at AT. */
static bool block_is(const struct nested_runs *r, size_t end, size_t at, size_t size)
{
    const struct nested_run *last = r->items + end - 1;
    return ends(last) && (uint64_t)last->value == size && equal(last - size, &r->items[at], size);
}

/* Joins the last two blocks if their bodies are equal. */
static bool unite_blocks(struct nested_runs *r, size_t start)
{
    struct nested_run *last = &r->items[r->count - 1];
    if (!ends(last) || !start || !block_is(r, start, start + 1, (size_t)last->value))
        return false;
    r->items[start - 1].exponent += last->exponent & ~NESTED_RUN_END;
    r->count = start;
    return true;
}

/* Makes a block of the SIZE items from START on, which come twice, the second time at the end. There is room. */
static void make_block(struct nested_runs *r, size_t start, size_t size)
{
    struct nested_run *body = &r->items[start];
    memmove(body + 1, body, size * sizeof *body);
    body[0] = (struct nested_run){.value = (int64_t)size, .exponent = NESTED_RUN_BEGIN};
    body[size + 1] = (struct nested_run){.value = (int64_t)size, .exponent = NESTED_RUN_END | 2};
    r->count = start + size + 2;
}

/* True if the SIZE items before START equal the SIZE items from there on. A period of one run cannot come twice,
 * because the two runs would be one. */
static bool comes_twice(const struct nested_runs *r, size_t start, size_t size)
{
    return size > 1 && start >= size && equal(&r->items[start - size], &r->items[start], size);
}

static inline bool same(const struct nested_run *a, const struct nested_run *b)
{
    return !((uint64_t)(a->value ^ b->value) | (a->exponent ^ b->exponent));
}

/* Returns how many runs before START, at most PERIODS, can be skipped: each neither ends a block nor ends a period that
 * equals the end of the sequence, whose last two items it would have to match. For random values that is nearly every
 * run, so this function is most of the cost of appending them. */
static size_t count_others(const struct nested_runs *r, size_t start, size_t periods)
{
    const struct nested_run *last = &r->items[r->count - 1], *before = &r->items[start - 1];
    size_t most = start < periods ? start : periods, others = 0;
    for (; others < most && before->exponent < NESTED_RUN_END; others++, before--)
        if (same(before, last) && before > r->items && same(before - 1, last - 1))
            break;
    return others;
}

/* Does one step of compaction. False: there is nothing to do. */
static bool compact_once(struct nested_runs *r)
{
    size_t start = start_before(r, r->count);
    if (unite_blocks(r, start))
        return true;
    for (size_t periods = WINDOW; start > 0 && periods > 0; periods--) {
        size_t others = count_others(r, start, periods);
        start -= others;
        periods -= others;
        if (!start || !periods)
            return false;
        size_t size = r->count - start;
        if (block_is(r, start, start, size)) {
            r->items[start - 1].exponent++;
            r->count = start;
            return true;
        }
        if (comes_twice(r, start, size)) {
            make_block(r, start - size, size);
            return true;
        }
        start = start_before(r, start);
    }
    return false;
}

static void compact(struct nested_runs *r)
{
    while (r->count && compact_once(r))
        continue;
}

static enum pilgrim_status close_run(struct nested_runs *r)
{
    if (!r->open.exponent)
        return PILGRIM_OK;
    TRY(reserve(r, 1));
    r->items[r->count++] = r->open;
    r->open.exponent = 0;
    compact(r);
    return PILGRIM_OK;
}

enum pilgrim_status nested_runs_close(struct nested_runs *r)
{
    return close_run(r);
}

enum pilgrim_status nested_runs_append(struct nested_runs *r, int64_t value, uint64_t count)
{
    if (!r->open.exponent || r->open.value != value) {
        TRY(close_run(r));
        r->open.value = value;
    }
    r->open.exponent += count;
    return PILGRIM_OK;
}

/* ---- joining ---- */

/* The items after the last block near the end. If they are the same after one more period, and the block has grown by
 * one, then all further periods do the same. */
struct growing_tail {
    size_t block; /* index behind the block; 0: there is no block */
    uint64_t exponent;
    size_t count;
    struct nested_run open;
    struct nested_run items[TAIL_MAX];
};

static void tail_take(const struct nested_runs *r, struct growing_tail *t)
{
    size_t at = r->count;
    for (unsigned i = 0; i < WINDOW && at > 0 && !ends(&r->items[at - 1]); i++)
        at--;
    t->block = at > 0 && ends(&r->items[at - 1]) ? at : 0;
    if (!t->block)
        return;
    t->exponent = r->items[at - 1].exponent;
    t->count = r->count - at;
    t->open = r->open;
    memcpy(t->items, &r->items[at], t->count * sizeof *t->items);
}

static bool tail_advanced(const struct growing_tail *before, const struct growing_tail *after)
{
    return before->block && after->block == before->block && after->exponent == before->exponent + 1 &&
           after->count == before->count && equal(&after->open, &before->open, 1) &&
           equal(after->items, before->items, after->count);
}

static enum pilgrim_status append_items(struct nested_runs *r, const struct nested_run *items, size_t count,
                                        unsigned depth);

static enum pilgrim_status append_whole(struct nested_runs *r, const struct nested_run *body, size_t size,
                                        uint64_t times)
{
    TRY(close_run(r));
    TRY(reserve(r, size + 2));
    struct nested_run *to = &r->items[r->count];
    to[0] = (struct nested_run){.value = (int64_t)size, .exponent = NESTED_RUN_BEGIN};
    memcpy(to + 1, body, size * sizeof *to);
    to[size + 1] = (struct nested_run){.value = (int64_t)size, .exponent = NESTED_RUN_END | times};
    r->count += size + 2;
    compact(r);
    return PILGRIM_OK;
}

/* Appends a block. It cannot simply be copied: the items before it may end in a part of the same period, so that the
 * whole block continues that period. */
static enum pilgrim_status append_block(struct nested_runs *r, const struct nested_run *body, size_t size,
                                        uint64_t times, unsigned depth)
{
    struct growing_tail before, after = {0};
    for (unsigned copy = 0; times > 0 && copy < COPIES_MAX && depth < DEPTH_MAX && size <= TAIL_MAX; copy++) {
        TRY(append_items(r, body, size, depth + 1));
        times--;
        before = after;
        tail_take(r, &after);
        if (tail_advanced(&before, &after)) {
            r->items[after.block - 1].exponent += times;
            return PILGRIM_OK;
        }
    }
    if (times == 1 && depth < DEPTH_MAX)
        return append_items(r, body, size, depth + 1);
    return times ? append_whole(r, body, size, times) : PILGRIM_OK;
}

/* Copies the remaining items. Once enough items in a row were appended unchanged, later items cannot merge with earlier
 * ones. */
static enum pilgrim_status append_rest(struct nested_runs *r, const struct nested_run *items, size_t count)
{
    TRY(close_run(r));
    TRY(reserve(r, count));
    memcpy(&r->items[r->count], items, count * sizeof *items);
    r->count += count;
    return PILGRIM_OK;
}

static enum pilgrim_status append_items(struct nested_runs *r, const struct nested_run *items, size_t count,
                                        unsigned depth)
{
    unsigned unchanged = 0; /* consecutive runs that each became one item and caused no compaction */
    for (size_t i = 0; i < count;) {
        if (begins(&items[i])) {
            size_t size = (size_t)items[i].value;
            TRY(append_block(r, &items[i + 1], size, items[i + size + 1].exponent & ~NESTED_RUN_END, depth));
            i += size + 2;
            unchanged = 0;
            continue;
        }
        if (depth == 0 && unchanged > 2 * WINDOW + 1)
            return append_rest(r, &items[i], count - i);
        size_t before = r->count;
        TRY(nested_runs_append(r, items[i].value, items[i].exponent));
        unchanged = r->count == before + 1 ? unchanged + 1 : 0;
        i++;
    }
    return PILGRIM_OK;
}

enum pilgrim_status nested_runs_join(struct nested_runs *r, const struct nested_runs *from)
{
    if (!r->count && !r->open.exponent) {
        nested_runs_free(r);
        return nested_runs_copy(r, from);
    }
    TRY(append_items(r, from->items, from->count, 0));
    return from->open.exponent ? nested_runs_append(r, from->open.value, from->open.exponent) : PILGRIM_OK;
}

enum pilgrim_status nested_runs_copy(struct nested_runs *r, const struct nested_runs *from)
{
    *r = (struct nested_runs){.open = from->open};
    if (!from->count)
        return PILGRIM_OK;
    TRY(reserve(r, from->count));
    memcpy(r->items, from->items, from->count * sizeof *r->items);
    r->count = from->count;
    return PILGRIM_OK;
}

/* ---- reading and transport ---- */

bool nested_runs_next(const struct nested_runs *r, size_t *at, struct nested_run *item)
{
    if (*at < r->count)
        *item = r->items[*at];
    else if (*at == r->count && r->open.exponent)
        *item = r->open;
    else
        return false;
    ++*at;
    return true;
}

/* A serialised item: varint exponent << 2 | kind, then its value. The beginning of a block has its value in place of
 * the exponent; the end of a block has no value. */
enum { PACKED_RUN = 0, PACKED_BEGIN = 1, PACKED_END = 2 };

void nested_runs_pack(const struct nested_runs *r, struct bytes *out)
{
    struct nested_run item;
    bytes_put_varint(out, r->count + (r->open.exponent > 0));
    for (size_t at = 0; nested_runs_next(r, &at, &item);) {
        if (begins(&item)) {
            bytes_put_varint(out, (uint64_t)item.value << 2 | PACKED_BEGIN);
        } else if (ends(&item)) {
            bytes_put_varint(out, item.exponent << 2 | PACKED_END);
        } else {
            bytes_put_varint(out, item.exponent << 2 | PACKED_RUN);
            bytes_put_svarint(out, item.value);
        }
    }
    bytes_put_u8(out, r->open.exponent > 0);
}

/* Reads the items. check_items checks what they mean. */
static void unpack_items(struct cursor *in, struct nested_runs *r, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t head = cursor_varint(in);
        struct nested_run item = {.exponent = head >> 2};
        if ((head & 3) == PACKED_BEGIN)
            item = (struct nested_run){.value = (int64_t)(head >> 2), .exponent = NESTED_RUN_BEGIN};
        else if ((head & 3) == PACKED_END)
            item.exponent |= NESTED_RUN_END;
        else
            item.value = cursor_svarint(in);
        r->items[r->count++] = item;
    }
}

/* Checks that blocks nest and have the lengths they say, and sets the lengths at their ends. */
static bool check_items(struct nested_runs *r)
{
    size_t open = 0; /* index + 1 of the innermost open block's begin; the begin stores the same of the block around it
                        in its exponent */
    for (size_t i = 0; i < r->count; i++) {
        struct nested_run *item = &r->items[i];
        if (begins(item)) {
            item->exponent |= open;
            open = i + 1;
        } else if (ends(item)) {
            struct nested_run *begin = open ? &r->items[open - 1] : NULL;
            if (!begin || (uint64_t)begin->value != i - open || begin->value == 0 ||
                !(item->exponent & ~NESTED_RUN_END))
                return false;
            item->value = begin->value;
            open = (size_t)(begin->exponent & ~NESTED_RUN_BEGIN);
            begin->exponent = NESTED_RUN_BEGIN;
        } else if (!item->exponent) {
            return false;
        }
    }
    return open == 0;
}

enum pilgrim_status nested_runs_unpack(struct cursor *in, struct nested_runs *r)
{
    size_t count = cursor_count(in, 1);
    if (in->status != PILGRIM_OK)
        return in->status;
    TRY(reserve(r, count));
    unpack_items(in, r, count);
    bool open = cursor_u8(in);
    if (in->status != PILGRIM_OK)
        return in->status;
    if (!check_items(r) || (open && (!count || ends(&r->items[count - 1]))))
        return PILGRIM_DAMAGED;
    if (open)
        r->open = r->items[--r->count];
    return PILGRIM_OK;
}
