/* SPDX-License-Identifier: BSD-3-Clause */
/* What the calls of bench/load.c are: each case is a function that gives its calls in order. bench/load.c makes them,
 * bench/load_check.c compares them with a trace. */
#ifndef BENCH_LOAD_CASES_H
#define BENCH_LOAD_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum operation {
    COMM_RANK,
    IRECV,
    SEND,
    WAIT,
    IPROBE,
    SENDRECV,
    CONTIGUOUS,
    COMMIT,
    RESIZED,
    GET_EXTENT,
    TYPE_FREE,
    DUP,
    COMM_FREE,
    OPERATION_COUNT
};

/* A call has one number: the value of this parameter. Of a handle it is the symbolic id, of a request its index. */
static const struct load_operation {
    const char *function, *parameter;
    bool out;
} load_operations[OPERATION_COUNT] = {
    [COMM_RANK] = {"MPI_Comm_rank", "rank", true},
    [IRECV] = {"MPI_Irecv", "tag", false},
    [SEND] = {"MPI_Send", "tag", false},
    [WAIT] = {"MPI_Wait", "request", false},
    [IPROBE] = {"MPI_Iprobe", "tag", false},
    [SENDRECV] = {"MPI_Sendrecv", "sendtag", false},
    [CONTIGUOUS] = {"MPI_Type_contiguous", "count", false},
    [COMMIT] = {"MPI_Type_commit", "datatype", false},
    [RESIZED] = {"MPI_Type_create_resized", "extent", false},
    [GET_EXTENT] = {"MPI_Type_get_extent_x", "extent", true},
    [TYPE_FREE] = {"MPI_Type_free", "datatype", false},
    [DUP] = {"MPI_Comm_dup", "newcomm", true},
    [COMM_FREE] = {"MPI_Comm_free", "comm", false},
};

enum { COMMUNICATORS_ALIVE = 500, TAGS = 1024 };

/* Takes a call and its number. */
struct visitor {
    void (*visit)(struct visitor *v, enum operation op, int64_t number);
    int rank;
};

static inline void visit_steady(struct visitor *v, int64_t n)
{
    for (int64_t i = 0; i + 4 <= n; i += 4) {
        v->visit(v, COMM_RANK, v->rank);
        v->visit(v, IRECV, 7);
        v->visit(v, SEND, 7);
        v->visit(v, WAIT, 0);
    }
}

/* N receives are posted before the first message comes. */
static inline void visit_requests(struct visitor *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        v->visit(v, IRECV, i % TAGS);
    for (int64_t i = 0; i < n; i++) {
        v->visit(v, SEND, i % TAGS);
        v->visit(v, WAIT, i);
    }
}

static inline void visit_datatypes(struct visitor *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        v->visit(v, CONTIGUOUS, i + 1);
        v->visit(v, COMMIT, i);
    }
    for (int64_t i = n; i-- > 0;)
        v->visit(v, TYPE_FREE, i);
}

/* MPI has room for about 2,000 communicators at a time. */
static inline void visit_communicators(struct visitor *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (i >= COMMUNICATORS_ALIVE)
            v->visit(v, COMM_FREE, i % COMMUNICATORS_ALIVE);
        v->visit(v, DUP, i % COMMUNICATORS_ALIVE);
    }
    for (int64_t i = 0; i < n && i < COMMUNICATORS_ALIVE; i++)
        v->visit(v, COMM_FREE, i);
}

/* N calls, hardly two of them equal, and no number follows from the one before. */
static inline void visit_signatures(struct visitor *v, int64_t n)
{
    for (uint64_t i = 0; i < (uint64_t)n; i++) {
        uint64_t x = (i + 1) * 0x9e3779b97f4a7c15;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
        v->visit(v, IPROBE, (int64_t)((x ^ x >> 27) & 0xfffffff));
    }
}

static inline void visit_counts(struct visitor *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t extent = (INT64_C(1) << 31) + i * 123456789;
        v->visit(v, RESIZED, extent);
        v->visit(v, GET_EXTENT, extent);
        v->visit(v, TYPE_FREE, 0);
    }
}

/* What each of N threads does, one after another. */
static inline void visit_thread(struct visitor *v, int64_t thread)
{
    for (int i = 0; i < 50; i++) {
        v->visit(v, COMM_RANK, v->rank);
        v->visit(v, IPROBE, thread % 10);
    }
}

static inline void visit_ranks(struct visitor *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        v->visit(v, SENDRECV, i % 3);
}

static const struct load_case {
    const char *name;
    void (*visit)(struct visitor *v, int64_t n);
    bool threads; /* N threads, one after another, do so, with their number */
} load_cases[] = {
    {"steady", visit_steady, false},         {"requests", visit_requests, false},
    {"datatypes", visit_datatypes, false},   {"communicators", visit_communicators, false},
    {"signatures", visit_signatures, false}, {"counts", visit_counts, false},
    {"threads", visit_thread, true},         {"ranks", visit_ranks, false},
};

static inline const struct load_case *load_case_named(const char *name)
{
    for (size_t i = 0; i < sizeof load_cases / sizeof *load_cases; i++)
        if (!strcmp(load_cases[i].name, name))
            return &load_cases[i];
    return NULL;
}

#endif
