/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the calls of a case of bench/load_cases.h, for bench/load.sh.
 *
 * usage: load CASE N [SECONDS]. With SECONDS the case is made again and again for so long, with pauses in between.
 * Each rank prints: how often it made the case; CPU seconds and peak of its memory in KiB before MPI_Finalize, and of
 * MPI_Finalize; bytes that the kernel took to write them to a disk. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "load_cases.h"
#include "measures.h"

struct objects {
    struct visitor visitor;
    int size;
    MPI_Request *requests;
    int64_t begun, waited;
    MPI_Datatype *types; /* by symbolic id */
    int64_t type_count;
    MPI_Comm comms[COMMUNICATORS_ALIVE];
    char in, out;
};

static void make(struct visitor *v, enum operation op, int64_t number)
{
    struct objects *o = (struct objects *)v;
    int n = (int)number, next = (v->rank + 1) % o->size, before = (v->rank + o->size - 1) % o->size;
    switch (op) {
    case COMM_RANK:
        MPI_Comm_rank(MPI_COMM_WORLD, &n);
        break;
    case IRECV:
        MPI_Irecv(&o->in, 1, MPI_CHAR, v->rank, n, MPI_COMM_WORLD, &o->requests[o->begun++]);
        break;
    case SEND:
        MPI_Send(&o->out, 1, MPI_CHAR, v->rank, n, MPI_COMM_WORLD);
        break;
    case WAIT:
        MPI_Wait(&o->requests[o->waited++], MPI_STATUS_IGNORE);
        if (o->waited == o->begun)
            o->waited = o->begun = 0;
        break;
    case IPROBE:
        MPI_Iprobe(v->rank, n, MPI_COMM_WORLD, &n, MPI_STATUS_IGNORE);
        break;
    case SENDRECV:
        MPI_Sendrecv(&o->out, 1, MPI_CHAR, next, n, &o->in, 1, MPI_CHAR, before, n, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case CONTIGUOUS:
        MPI_Type_contiguous(n, MPI_CHAR, &o->types[o->type_count++]);
        break;
    case COMMIT:
        MPI_Type_commit(&o->types[number]);
        break;
    case RESIZED:
        MPI_Type_create_resized(MPI_CHAR, 0, (MPI_Aint)number, &o->types[0]);
        break;
    case GET_EXTENT: {
        MPI_Count lower, extent;
        MPI_Type_get_extent_x(o->types[0], &lower, &extent);
        break;
    }
    case TYPE_FREE:
        MPI_Type_free(&o->types[number]);
        break;
    case DUP:
        MPI_Comm_dup(MPI_COMM_SELF, &o->comms[number]);
        break;
    case COMM_FREE:
        MPI_Comm_free(&o->comms[number]);
        break;
    case OPERATION_COUNT:
        break;
    }
}

/* A thread of a case. */
struct turn {
    const struct load_case *load;
    struct objects *objects;
    int64_t n;
};

static void *in_thread(void *data)
{
    const struct turn *turn = data;
    turn->load->visit(&turn->objects->visitor, turn->n);
    return NULL;
}

static void make_case(const struct load_case *load, struct objects *o, int64_t n)
{
    struct turn turn = {load, o, 0};
    pthread_t thread;
    if (!load->threads) {
        load->visit(&o->visitor, n);
        return;
    }
    for (; turn.n < n; turn.n++)
        if (!pthread_create(&thread, NULL, in_thread, &turn))
            pthread_join(thread, NULL);
}

static long bytes_to_disk(void)
{
    char line[80];
    long bytes = 0;
    FILE *f = fopen("/proc/self/io", "r");
    while (f && fgets(line, sizeof line, f))
        (void)sscanf(line, "write_bytes: %ld", &bytes);
    if (f)
        fclose(f);
    return bytes;
}

int main(int argc, char **argv)
{
    const struct load_case *load = argc > 2 ? load_case_named(argv[1]) : NULL;
    int64_t n = load ? atoll(argv[2]) : 0;
    double lasts = argc > 3 ? atof(argv[3]) : 0;
    static struct objects o = {.visitor = {.visit = make}};
    int provided;
    if (n <= 0) {
        fprintf(stderr, "usage: load CASE N [SECONDS]\n");
        return 2;
    }
    o.requests = malloc((size_t)n * sizeof *o.requests);
    o.types = malloc((size_t)n * sizeof *o.types);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    PMPI_Comm_rank(MPI_COMM_WORLD, &o.visitor.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &o.size);
    PMPI_Barrier(MPI_COMM_WORLD);
    double began = cpu_seconds(), at = seconds(CLOCK_MONOTONIC);
    long times = 0;
    do {
        make_case(load, &o, n);
        times++;
        if (lasts > 0)
            usleep(1000);
    } while (seconds(CLOCK_MONOTONIC) - at < lasts);
    double loop = cpu_seconds() - began;
    long before = peak_kib(), disk = bytes_to_disk();
    began = cpu_seconds();
    MPI_Finalize();
    printf("%ld %.3f %ld %.3f %ld %ld\n", times, loop, before, cpu_seconds() - began, peak_kib(), disk);
    free(o.requests);
    free(o.types);
    return 0;
}
