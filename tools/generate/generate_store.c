/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows, each stored once, in a hash table. */
#include <string.h>

#include "generate.h"

enum { ROW_BUCKETS = 1 << 16, ROWS_MAX = 50000000 };

struct stored_row {
    struct filled_form row;
    int64_t number;
    struct stored_row *next;
};

static struct stored_row *row_buckets[ROW_BUCKETS], **rows;
static int64_t row_count;

const struct filled_form *proxy_row(int64_t number)
{
    return &rows[number]->row;
}

int64_t row_store(const struct form *form, const int64_t *numbers)
{
    uint64_t hash = (uint64_t)(uintptr_t)form->text * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < form->holes; i++)
        hash = (hash ^ (uint64_t)numbers[i] ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    struct stored_row **at = &row_buckets[(hash ^ hash >> 32) % ROW_BUCKETS];
    for (struct stored_row *r = *at; r; r = r->next)
        if (r->row.form->text == form->text &&
            (!form->holes || memcmp(r->row.numbers, numbers, form->holes * sizeof *numbers) == 0))
            return r->number;
    if (row_count == ROWS_MAX)
        generate_fail("the calls have more than %d different values", ROWS_MAX);
    struct stored_row *made = generate_alloc(sizeof *made);
    struct form *own = generate_alloc(sizeof *own);
    int64_t *kept = generate_alloc((form->holes + 1) * sizeof *kept);
    if (form->holes)
        memcpy(kept, numbers, form->holes * sizeof *kept);
    *own = *form;
    *made = (struct stored_row){.row = {.form = own, .numbers = kept}, .number = row_count, .next = *at};
    *at = made;
    rows = generate_grow(rows, (size_t)row_count, sizeof *rows);
    rows[row_count] = made;
    return row_count++;
}
