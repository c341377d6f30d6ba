/* Columns as greedy arithmetic runs: a value goes to the last run if it continues it or if that run has one value
 * only. Greedy is not always fewest, but it is canonical and incremental. */
#include "merge/column.h"

#include <stdlib.h>
#include <string.h>

static int64_t wrapping_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrapping_sub(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

int64_t run_at(const struct run *r, uint64_t i)
{
    return (int64_t)((uint64_t)r->first + (uint64_t)r->step * i);
}

const struct run *column_runs(const struct column *c)
{
    return c->more ? c->more : &c->one;
}

static struct run *last_run(struct column *c)
{
    return c->more ? &c->more[c->count - 1] : &c->one;
}

static enum pilgrim_status add_run(struct column *c, int64_t first)
{
    struct run run = {.first = first, .count = 1};
    if (c->count == 0) {
        c->one = run;
        c->count = 1;
        return PILGRIM_OK;
    }
    if (c->count == c->capacity || !c->more) {
        uint32_t capacity = c->more ? c->capacity * 2 : 4;
        struct run *more = realloc(c->more, capacity * sizeof *more);
        if (!more)
            return PILGRIM_NOMEM;
        if (!c->more)
            more[0] = c->one;
        c->more = more;
        c->capacity = capacity;
    }
    c->more[c->count++] = run;
    return PILGRIM_OK;
}

enum pilgrim_status column_append(struct column *c, int64_t value)
{
    return column_append_run(c, (struct run){.first = value, .count = 1});
}

enum pilgrim_status column_append_run(struct column *c, struct run run)
{
    /* At most three rounds: after two values of RUN the last run has its step. */
    while (run.count > 0) {
        struct run *last = c->count ? last_run(c) : NULL;
        bool continues = last && last->count > 1 && run_at(last, last->count) == run.first;
        if (continues && (run.count == 1 || run.step == last->step)) {
            last->count += run.count;
            return PILGRIM_OK;
        }
        if (continues) {
            last->count++;
        } else if (last && last->count == 1) {
            last->step = wrapping_sub(run.first, last->first);
            last->count = 2;
        } else {
            enum pilgrim_status status = add_run(c, run.first);
            if (status != PILGRIM_OK)
                return status;
        }
        run.first = run_at(&run, 1);
        run.count--;
    }
    return PILGRIM_OK;
}

enum pilgrim_status column_append_column(struct column *c, const struct column *from, int64_t offset)
{
    const struct run *runs = column_runs(from);
    for (uint32_t i = 0; i < from->count; i++) {
        struct run run = runs[i];
        run.first = wrapping_add(run.first, offset);
        enum pilgrim_status status = column_append_run(c, run);
        if (status != PILGRIM_OK)
            return status;
    }
    return PILGRIM_OK;
}

uint64_t column_length(const struct column *c)
{
    const struct run *runs = column_runs(c);
    uint64_t length = 0;
    for (uint32_t i = 0; i < c->count; i++)
        length += runs[i].count;
    return length;
}

/* Whether C is RANKS + *offset. Both are canonical and of equal length, so their runs correspond. */
static bool follows_ranks(const struct column *c, const struct column *ranks, int64_t *offset)
{
    if (c->count != ranks->count)
        return false;
    const struct run *a = column_runs(c), *b = column_runs(ranks);
    *offset = wrapping_sub(a[0].first, b[0].first);
    for (uint32_t i = 0; i < c->count; i++)
        if (a[i].count != b[i].count || a[i].step != b[i].step || wrapping_sub(a[i].first, b[i].first) != *offset)
            return false;
    return true;
}

static void write_runs(const struct column *c, struct bytes *out)
{
    const struct run *runs = column_runs(c);
    int64_t before = 0;
    bytes_put_varint(out, 2);
    bytes_put_varint(out, c->count);
    for (uint32_t i = 0; i < c->count; i++) {
        bytes_put_svarint(out, wrapping_sub(runs[i].first, before));
        bytes_put_varint(out, runs[i].count - 1);
        if (runs[i].count > 1)
            bytes_put_svarint(out, runs[i].step);
        before = run_at(&runs[i], runs[i].count - 1);
    }
}

static void write_list(const struct column *c, struct bytes *out)
{
    const struct run *runs = column_runs(c);
    int64_t before = 0;
    bytes_put_varint(out, 3);
    bytes_put_varint(out, column_length(c));
    for (uint32_t i = 0; i < c->count; i++) {
        for (uint64_t k = 0; k < runs[i].count; k++) {
            int64_t value = run_at(&runs[i], k);
            bytes_put_svarint(out, wrapping_sub(value, before));
            before = value;
        }
    }
}

void column_write(const struct column *c, const struct column *ranks, struct bytes *out)
{
    const struct run *runs = column_runs(c);
    int64_t offset;
    if (c->count == 1 && runs[0].step == 0) {
        bytes_put_varint(out, 0);
        bytes_put_svarint(out, runs[0].first);
        return;
    }
    if (follows_ranks(c, ranks, &offset)) {
        bytes_put_varint(out, 1);
        bytes_put_svarint(out, offset);
        return;
    }
    /* A list can only be shorter where runs are short on average. */
    if (column_length(c) > 3 * (uint64_t)c->count) {
        write_runs(c, out);
        return;
    }
    struct bytes as_runs = {0}, as_list = {0};
    write_runs(c, &as_runs);
    write_list(c, &as_list);
    const struct bytes *shorter = as_list.length < as_runs.length ? &as_list : &as_runs;
    bytes_put(out, shorter->data, shorter->length);
    if (as_runs.failed || as_list.failed)
        out->failed = true;
    bytes_free(&as_runs);
    bytes_free(&as_list);
}

void column_pack(const struct column *c, struct bytes *out)
{
    const struct run *runs = column_runs(c);
    bytes_put_varint(out, c->count);
    for (uint32_t i = 0; i < c->count; i++) {
        bytes_put_svarint(out, runs[i].first);
        bytes_put_svarint(out, runs[i].step);
        bytes_put_varint(out, runs[i].count);
    }
}

enum pilgrim_status column_unpack(struct cursor *in, struct column *c)
{
    *c = (struct column){0};
    size_t count = cursor_count(in, 3);
    for (size_t i = 0; i < count && in->status == PILGRIM_OK; i++) {
        struct run run = {.first = cursor_svarint(in)};
        run.step = cursor_svarint(in);
        run.count = cursor_varint(in);
        enum pilgrim_status status = column_append_run(c, run);
        if (status != PILGRIM_OK)
            return status;
    }
    return in->status;
}

void column_free(struct column *c)
{
    free(c->more);
    *c = (struct column){0};
}
