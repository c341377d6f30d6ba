/* startup: a code that does many things once or a few times, before and after a short loop.
 *
 * Rank 0 reads settings and broadcasts each of them, from a call site of its own. Ranks tell each other sizes, make
 * types, scan offsets and pass tables along. Only ranks of certain kinds do some of it. The loop is short, so the
 * trace is nearly all call sites with few calls.
 *
 * usage: startup [steps, default 4]
 */
#include "common.h"

enum { TABLE = 40, TAG_TABLE = 11, TAG_KIND = 12 };

static int table[TABLE];

/* Each use is a call site. */
#define SETTING(number)                                                                                                \
    fill(table, 1 + (number) % 7, 0, number);                                                                          \
    MPI_Bcast(table, 1 + (number) % 7, MPI_INT, 0, MPI_COMM_WORLD);                                                    \
    check(table, 1 + (number) % 7, 0, 0, number);
#define AGREEMENT(number)                                                                                              \
    MPI_Allreduce(&(int){number}, table, 1, MPI_INT, (number) % 2 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);                \
    expect(table[0], (number) % 2 ? (number) : (number)*size);
/* Ranks divisible by NUMBER send to the rank after them. */
#define KIND(number)                                                                                                   \
    if (rank % (number) == 0 && rank + 1 < size) {                                                                     \
        fill(table, number, 0, number);                                                                                \
        MPI_Send(table, number, MPI_INT, rank + 1, TAG_KIND, MPI_COMM_WORLD);                                          \
    }                                                                                                                  \
    if (rank > 0 && (rank - 1) % (number) == 0) {                                                                      \
        MPI_Recv(table, number, MPI_INT, rank - 1, TAG_KIND, MPI_COMM_WORLD, MPI_STATUS_IGNORE);                       \
        check(table, number, rank - 1, 0, number);                                                                     \
    }
#define FOUR(what, first)    what(first) what((first) + 1) what((first) + 2) what((first) + 3)
#define SIXTEEN(what, first) FOUR(what, first) FOUR(what, (first) + 4) FOUR(what, (first) + 8) FOUR(what, (first) + 12)

static void settings_read(void)
{
    SIXTEEN(SETTING, 0)
    SIXTEEN(SETTING, 16)
    SIXTEEN(AGREEMENT, 1)
}

static void offsets_scan(void)
{
    const int own = rank + 1;
    int before = 0, upto, *counts = numbers(size), *starts = numbers(size), *all = numbers(size * size);

    MPI_Scan(&own, &upto, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(&own, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(upto, before + own);
    MPI_Allgather(&own, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) {
        expect(counts[i], i + 1);
        counts[i] = i % 4 + 1;
        starts[i] = i ? starts[i - 1] + counts[i - 1] : 0;
    }
    fill(table, counts[rank], 1, 0);
    MPI_Gatherv(table, counts[rank], MPI_INT, all, counts, starts, MPI_INT, size - 1, MPI_COMM_WORLD);
    for (int i = 0; rank == size - 1 && i < size; i++)
        check(all + starts[i], counts[i], i, 1, 0);
    free(counts);
    free(starts);
    free(all);
}

static void tables_pass(void)
{
    MPI_Datatype every_second;

    MPI_Type_vector(TABLE / 2, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    fill(table, TABLE, 2, 0);
    if (rank > 0) {
        MPI_Recv(table, 1, every_second, rank - 1, TAG_TABLE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect(table[0], value(0, 2, 0, 0));
        expect(table[1], value(rank, 2, 0, 1));
    }
    if (rank + 1 < size)
        MPI_Send(table, 1, every_second, rank + 1, TAG_TABLE, MPI_COMM_WORLD);
    MPI_Type_free(&every_second);
}

int main(int argc, char **argv)
{
    const int steps = begin(argc, argv, 4);

    settings_read();
    offsets_scan();
    tables_pass();
    FOUR(KIND, 1)
    FOUR(KIND, 5)
    for (int step = 0; step < steps; step++) {
        FOUR(AGREEMENT, 20)
        KIND(2)
    }
    if (rank % 2)
        MPI_Barrier(MPI_COMM_SELF);
    FOUR(KIND, 9)
    FOUR(SETTING, 40)
    return end("startup", steps);
}
/* SPDX-License-Identifier: BSD-3-Clause */
