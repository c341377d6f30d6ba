/* butterfly: collectives that a program makes itself from messages, on any number of ranks.
 *
 * A sum by recursive doubling (ranks beyond the largest power of two take part through another rank), a broadcast
 * along a binomial tree whose root changes, and a ring that gathers. Each with several lengths.
 *
 * usage: butterfly [steps, default 15]
 */
#include "common.h"

enum { LENGTHS = 3, LENGTH_MAX = 256, TAG_SUM = 1, TAG_TREE, TAG_RING };

static const int length[LENGTHS] = {1, 16, LENGTH_MAX};
static int own[LENGTH_MAX], other[LENGTH_MAX];

static void other_add(int count)
{
    for (int i = 0; i < count; i++)
        own[i] += other[i];
}

/* Ranks from POWER on give their part to rank - POWER, and get the sum from there. */
static void sum_all(int step, int count)
{
    int power = 1, sum = 0;

    for (; 2 * power <= size; power *= 2)
        ;
    for (int i = 0; i < count; i++)
        own[i] = rank + step + i;
    if (rank >= power) {
        MPI_Send(own, count, MPI_INT, rank - power, TAG_SUM, MPI_COMM_WORLD);
        MPI_Recv(own, count, MPI_INT, rank - power, TAG_SUM, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        if (rank + power < size) {
            MPI_Recv(other, count, MPI_INT, rank + power, TAG_SUM, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            other_add(count);
        }
        for (int bit = 1; bit < power; bit *= 2) {
            MPI_Sendrecv(own, count, MPI_INT, rank ^ bit, TAG_SUM, other, count, MPI_INT, rank ^ bit, TAG_SUM,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            other_add(count);
        }
        if (rank + power < size)
            MPI_Send(own, count, MPI_INT, rank + power, TAG_SUM, MPI_COMM_WORLD);
    }
    for (int from = 0; from < size; from++)
        sum += from + step;
    for (int i = 0; i < count; i++)
        expect(own[i], sum + size * i);
}

static void broadcast(int step, int count)
{
    const int root = step % size, place = (rank - root + size) % size;
    int bit = 1;

    if (place == 0)
        fill(own, count, step, TAG_TREE);
    for (; bit < size && !(place & bit); bit *= 2)
        ;
    if (place)
        MPI_Recv(own, count, MPI_INT, (rank - bit + size) % size, TAG_TREE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (bit /= 2; bit > 0; bit /= 2)
        if (place + bit < size)
            MPI_Send(own, count, MPI_INT, (rank + bit) % size, TAG_TREE, MPI_COMM_WORLD);
    check(own, count, root, step, TAG_TREE);
}

static void ring_gather(int step, int count)
{
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;

    fill(own, count, step, TAG_RING);
    for (int hop = 1; hop < size; hop++) {
        MPI_Request requests[2];

        MPI_Irecv(other, count, MPI_INT, left, TAG_RING, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(own, count, MPI_INT, right, TAG_RING, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < count; i++)
            own[i] = other[i];
        check(own, count, (rank + size - hop) % size, step, TAG_RING);
    }
}

int main(int argc, char **argv)
{
    const int steps = begin(argc, argv, 15);

    for (int step = 0; step < steps; step++)
        for (int i = 0; i < LENGTHS; i++) {
            sum_all(step, length[i]);
            broadcast(step, length[i]);
            if (i < 2)
                ring_gather(step, length[i]);
        }
    return end("butterfly", steps);
}
/* SPDX-License-Identifier: BSD-3-Clause */
