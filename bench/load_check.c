/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares a trace of bench/load.c with the calls of its case, for bench/load.sh.
 *
 * usage: load_check TRACE CASE N [TIMES]. Prints how many calls were compared. Exits with 1 at the first difference. */
#include <stdio.h>
#include <stdlib.h>

#include "load_cases.h"
#include "pilgrim/reader.h"

/* Walks a thread's calls. */
struct walk {
    struct visitor visitor;
    struct pilgrim_cursor *cursor;
    uint32_t rank, thread;
    uint64_t compared;
};

static void fail(const struct walk *w, const char *what)
{
    fprintf(stderr, "load_check: rank %u, thread %u, call %llu: %s\n", w->rank, w->thread,
            (unsigned long long)w->compared, what);
    exit(1);
}

static int64_t number_of(const struct pilgrim_value *value)
{
    switch (value->type) {
    case PILGRIM_INT:
    case PILGRIM_RANK:
        return value->integer;
    case PILGRIM_OBJECT:
        return value->id;
    case PILGRIM_REQUEST:
        return value->offset;
    default:
        return -1;
    }
}

static void next(struct walk *w, const char *function, struct pilgrim_call *call)
{
    struct pilgrim_error error;
    if (pilgrim_cursor_next(w->cursor, call, &error) != PILGRIM_OK)
        fail(w, error.message);
    if (strcmp(call->function->name, function))
        fail(w, call->function->name);
}

static void compare(struct visitor *v, enum operation op, int64_t number)
{
    struct walk *w = (struct walk *)v;
    const struct load_operation *want = &load_operations[op];
    struct pilgrim_call call;
    next(w, want->function, &call);
    size_t i = 0;
    while (i < call.function->parameter_count && strcmp(call.function->parameters[i].name, want->parameter))
        i++;
    if (i == call.function->parameter_count)
        fail(w, "no such parameter");
    if (number_of(want->out ? &call.out[i] : &call.in[i]) != number)
        fail(w, "another value");
    w->compared++;
}

static void open_thread(struct walk *w, struct pilgrim_trace *trace, uint32_t rank, uint32_t thread)
{
    struct pilgrim_error error;
    *w = (struct walk){.visitor = {.visit = compare, .rank = (int)rank}, .rank = rank, .thread = thread};
    if (pilgrim_cursor_open(trace, rank, thread, &w->cursor, &error) != PILGRIM_OK)
        fail(w, error.message);
}

static uint64_t close_thread(struct walk *w)
{
    struct pilgrim_call call;
    struct pilgrim_error error;
    if (pilgrim_cursor_next(w->cursor, &call, &error) != PILGRIM_END)
        fail(w, "there are more calls");
    pilgrim_cursor_close(w->cursor);
    return w->compared;
}

/* Thread 0 of a rank begins with MPI_Init_thread and ends with MPI_Finalize; the threads of a case follow it. */
static uint64_t check_rank(struct pilgrim_trace *trace, const struct load_case *load, uint32_t rank, int64_t n,
                           long times)
{
    struct walk w;
    struct pilgrim_call call;
    uint64_t compared = 0;
    uint32_t threads = load->threads ? (uint32_t)(n * times) : 0;
    if (pilgrim_thread_count(trace, rank) != threads + 1) {
        fprintf(stderr, "load_check: rank %u has %u threads\n", rank, pilgrim_thread_count(trace, rank));
        exit(1);
    }
    for (uint32_t i = 0; i < threads; i++) {
        open_thread(&w, trace, rank, i + 1);
        load->visit(&w.visitor, i % n);
        compared += close_thread(&w);
    }
    open_thread(&w, trace, rank, 0);
    next(&w, "MPI_Init_thread", &call);
    for (long i = 0; !load->threads && i < times; i++)
        load->visit(&w.visitor, n);
    next(&w, "MPI_Finalize", &call);
    return compared + close_thread(&w);
}

int main(int argc, char **argv)
{
    const struct load_case *load = argc > 3 ? load_case_named(argv[2]) : NULL;
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    uint64_t compared = 0;
    if (!load) {
        fprintf(stderr, "usage: load_check TRACE CASE N [TIMES]\n");
        return 2;
    }
    if (pilgrim_open(argv[1], &trace, &error) != PILGRIM_OK) {
        fprintf(stderr, "load_check: %s: %s\n", argv[1], error.message);
        return 1;
    }
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace); rank++)
        compared += check_rank(trace, load, rank, atoll(argv[3]), argc > 4 ? atol(argv[4]) : 1);
    pilgrim_close(trace);
    printf("%llu\n", (unsigned long long)compared);
    return 0;
}
