/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts records in the order of their calls; see mpi_records_data.h. Numbers of calls are dense, so records are counted
 * by them, where sorting would compare. */
#include <stdlib.h>
#include <string.h>

#include "mpi_records_data.h"

enum { FEW = 8, SPARSE = 4 };

static int by_call(const void *a, const void *b)
{
    const struct mpi_record *x = a, *y = b;
    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->request > y->request) - (x->request < y->request);
}

/* Orders the records of one call. */
static void order_call(struct mpi_record *records, size_t count)
{
    if (count > FEW) {
        qsort(records, count, sizeof *records, by_call);
        return;
    }
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && by_call(&records[k - 1], &records[k]) > 0; k--) {
            const struct mpi_record record = records[k];
            records[k] = records[k - 1];
            records[k - 1] = record;
        }
}

/* Moves the records to where their calls are. STARTS: how many there are of each call and those before it. */
static bool move(struct mpi_record_list *list, uint64_t first, size_t calls, size_t *starts)
{
    struct mpi_record *moved = malloc(list->count * sizeof *moved);
    if (!moved)
        return false;
    for (size_t i = 0; i < list->count; i++)
        starts[list->records[i].seq - first + 1]++;
    for (size_t i = 0; i < calls; i++)
        starts[i + 1] += starts[i];
    for (size_t i = 0; i < list->count; i++)
        moved[starts[list->records[i].seq - first]++] = list->records[i];
    free(list->records);
    list->records = moved;
    list->capacity = list->count;
    for (size_t i = 0, begin = 0; i < calls; begin = starts[i++]) /* a start is now the end */
        if (starts[i] - begin > 1)
            order_call(list->records + begin, starts[i] - begin);
    return true;
}

void records_order(struct mpi_record_list *list)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < list->count; i++) {
        first = list->records[i].seq < first ? list->records[i].seq : first;
        last = list->records[i].seq > last ? list->records[i].seq : last;
    }
    if (list->count < 2)
        return;
    if (last - first < list->count * SPARSE) {
        const size_t calls = (size_t)(last - first) + 1;
        size_t *starts = calloc(calls + 1, sizeof *starts);
        const bool moved = starts && move(list, first, calls, starts);
        free(starts);
        if (moved)
            return;
    }
    qsort(list->records, list->count, sizeof *list->records, by_call);
}
