/* named: objects that the program gives names.
 *
 *     named [ROUNDS [threads]]     20 if not given
 *
 * Exercises: names of communicators, datatypes and windows, new ones, the same for two, ones with quotes and braces, an
 * empty one, and numbers that are used again; arrays of named datatypes; with threads: names that another thread gives;
 * where MPI has it, a communicator that is made by a tag. */
#include "expect.h"

#include <pthread.h>
#include <string.h>

static int rank, size;
static MPI_Comm shared;

/* Collective calls on communicators, with and without names, in rounds. */
static void communicators(int rounds)
{
    MPI_Comm row, column, nameless;
    int in = 1, sum;
    char name[MPI_MAX_OBJECT_NAME];

    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &column);
    MPI_Comm_dup(MPI_COMM_WORLD, &nameless);
    MPI_Comm_set_name(row, "row");
    MPI_Comm_set_name(column, "a \"column\" {1,2}\\");
    for (int i = 0; i < rounds; i++) {
        MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, row);
        MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, column);
        MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, nameless);
        EXPECT(sum == size);
        if (i == rounds / 2)
            MPI_Comm_set_name(column, "row"); /* as the other one */
    }
    MPI_Comm_set_name(row, "");
    MPI_Barrier(row);
    MPI_Comm_get_name(row, name, &sum);
    EXPECT(sum == 0);
    MPI_Comm_free(&row);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &row); /* its number has been another's */
    MPI_Barrier(row);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    MPI_Comm_free(&nameless);
}

/* Each round makes, names and frees. */
static void datatypes(int rounds)
{
    MPI_Datatype pair, triple, types[64];
    int counts[64], places[64], out[3] = {rank, 1, 2}, in[64][3];
    char name[MPI_MAX_OBJECT_NAME];

    for (int i = 0; i < rounds; i++) {
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Type_contiguous(3, MPI_INT, &triple);
        MPI_Type_commit(&pair);
        MPI_Type_commit(&triple);
        snprintf(name, sizeof name, "triple %d", i / 4);
        MPI_Type_set_name(triple, name);
        if (i % 3 > 0)
            MPI_Type_set_name(pair, "pair");
        MPI_Bcast(out, 1, i % 2 ? pair : triple, 0, MPI_COMM_WORLD);
        for (int j = 0; j < size && j < 64; j++) {
            counts[j] = 1;
            places[j] = j * (int)sizeof in[0];
            types[j] = (rank + j) % 2 ? pair : triple;
        }
        MPI_Alltoallw(in, counts, places, types, in + 32, counts, places, types, MPI_COMM_WORLD);
        MPI_Type_free(&triple);
        MPI_Type_free(&pair);
    }
}

static void windows(void)
{
    int memory[2] = {0}, value = rank;
    MPI_Win window;

    for (int i = 0; i < 3; i++) {
        MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        if (i < 2)
            MPI_Win_set_name(window, i ? "second" : "halo");
        MPI_Win_fence(0, window);
        MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
        MPI_Win_fence(0, window);
        EXPECT(memory[0] == (rank + size - 1) % size);
        MPI_Win_free(&window);
    }
}

static void *give_name(void *unused)
{
    (void)unused;
    MPI_Comm_set_name(shared, "from a thread");
    MPI_Barrier(shared);
    return NULL;
}

static void threads(void)
{
    pthread_t thread;

    MPI_Comm_dup(MPI_COMM_WORLD, &shared);
    for (int i = 2; i < 10; i++) /* a number that no other communicator had */
        MPI_Comm_dup(MPI_COMM_WORLD, &shared);
    pthread_create(&thread, NULL, give_name, NULL);
    pthread_join(thread, NULL);
    MPI_Barrier(shared);
}

static void tags(void)
{
#if MPI_VERSION >= 4
    MPI_Group group;
    MPI_Comm made;

    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Comm_create_from_group(group, "org.example.tag", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
    MPI_Barrier(made);
    MPI_Comm_free(&made);
    MPI_Group_free(&group);
#endif
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 20, with_threads = argc > 2;
    int provided;

    MPI_Init_thread(&argc, &argv, with_threads ? MPI_THREAD_SERIALIZED : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    communicators(rounds);
    datatypes(rounds);
    windows();
    tags();
    if (with_threads)
        threads();
    int status = expect_verdict("named", MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}
/* SPDX-License-Identifier: BSD-3-Clause */
