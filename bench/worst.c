/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the calls that cost a tracer most. For bench/worst.sh.
 *
 * usage: worst WAY N. Ways:
 *
 *   strings      N MPI_Info objects with 16 keys each: MPI_Info_set, _get_nthkey and _get, with new strings each time
 *   noise        the same with random strings
 *   collectives  N nonblocking collective operations, drawn from 12 kinds and 4 communicators, each with memory of
 *                its own, 20 at a time; completed in 8 ways, also drawn
 *   wait         N operations to itself, which all begin before the first is waited for; then one by one
 *   backwards, shuffled              the same, waited for in another order
 *   waitall, statuses, waitsome      the same, waited for together; statuses: with the statuses of all
 *   mixed        random tags, counts and order
 *   waitany      N times MPI_Waitany over 1000 receives until none is left, then anew; replaced: a new one takes the
 *                place of each that completes; testsome: N polls of 1000, nine of ten in vain
 *   tags, sites, buffers, paths, tree N messages to itself with random tags and counts; from two call sites; from 10^6
 *                allocations; by 1000 call paths of 20 frames; by any of 3^20 such
 *   blocks       N pairs of malloc and free among 10^5 blocks
 *
 * Each rank prints: calls; CPU ns a call, and those of MPI_Finalize a call; peak of its memory in KiB before
 * MPI_Finalize, and after; bytes of the strings that it passed and got. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measures.h"

enum { KEYS = 16, TEXT_MAX = 64, WINDOW = 20, COMMS = 4, COUNT = 10, KINDS = 12 };

static long calls, text_bytes;

/* State of the random numbers: those that all ranks draw alike, and those that each draws for itself as its
 * operations complete. */
static uint64_t common = 1, private = 2;

static void *reserve(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        abort();
    return p;
}

/* ---- strings ---- */

static void put_text(char *text, const char *what, long i, int k, bool noise)
{
    if (noise)
        snprintf(text, TEXT_MAX, "%08x%08x", draw(&private, UINT32_MAX), draw(&private, UINT32_MAX));
    else
        snprintf(text, TEXT_MAX, "%s%ld-%d", what, i, k);
    text_bytes += (long)strlen(text);
}

static void strings(long n, bool noise)
{
    MPI_Info *infos = reserve((size_t)n * sizeof *infos);
    char key[TEXT_MAX], value[TEXT_MAX];
    for (long i = 0; i < n; i++) {
        MPI_Info_create(&infos[i]);
        for (int k = 0; k < KEYS; k++) {
            put_text(key, "key", i, k, noise);
            put_text(value, "value", i, k, noise);
            MPI_Info_set(infos[i], key, value);
        }
    }
    for (long i = 0; i < n; i++) {
        int keys, flag;
        MPI_Info_get_nkeys(infos[i], &keys);
        for (int k = 0; k < keys; k++) {
            MPI_Info_get_nthkey(infos[i], k, key);
            MPI_Info_get(infos[i], key, TEXT_MAX - 1, value, &flag);
            text_bytes += (long)(2 * strlen(key) + strlen(value));
        }
    }
    for (long i = 0; i < n; i++)
        MPI_Info_free(&infos[i]);
    calls = n * (3 + 3 * KEYS);
    free(infos);
}

/* ---- collectives ---- */

static MPI_Comm comms[COMMS];

struct operation {
    int *send, *receive, *counts, *places;
};

static int ones(int *v, int size)
{
    for (int i = 0; i < size; i++)
        v[i] = COUNT;
    return size;
}

static void begin(struct operation *o, MPI_Request *request)
{
    MPI_Comm comm = comms[draw(&common, COMMS)];
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    size_t bytes = sizeof(int) * COUNT * (size_t)size;
    *o = (struct operation){calloc(1, bytes), reserve(bytes), reserve(bytes), reserve(bytes)};
    ones(o->counts, size);
    for (int i = 0; i < size; i++)
        o->places[i] = i * COUNT;
    calls += 3;
    switch (draw(&common, KINDS)) {
    case 0:
        MPI_Ibcast(o->send, COUNT, MPI_INT, 0, comm, request);
        break;
    case 1:
        MPI_Ibarrier(comm, request);
        break;
    case 2:
        MPI_Ireduce(o->send, o->receive, COUNT, MPI_INT, MPI_SUM, 0, comm, request);
        break;
    case 3:
        MPI_Iallreduce(o->send, o->receive, COUNT, MPI_INT, MPI_SUM, comm, request);
        break;
    case 4:
        MPI_Ialltoallv(o->send, o->counts, o->places, MPI_INT, o->receive, o->counts, o->places, MPI_INT, comm,
                       request);
        break;
    case 5:
        MPI_Igather(o->send, COUNT, MPI_INT, o->receive, COUNT, MPI_INT, 0, comm, request);
        break;
    case 6:
        MPI_Iscatter(o->send, COUNT, MPI_INT, o->receive, COUNT, MPI_INT, 0, comm, request);
        break;
    case 7:
        MPI_Igatherv(o->send, COUNT, MPI_INT, o->receive, o->counts, o->places, MPI_INT, 0, comm, request);
        break;
    case 8:
        MPI_Ialltoall(o->send, COUNT, MPI_INT, o->receive, COUNT, MPI_INT, comm, request);
        break;
    case 9:
        MPI_Iallgather(o->send, COUNT, MPI_INT, o->receive, COUNT, MPI_INT, comm, request);
        break;
    case 10:
        MPI_Iscan(o->send, o->receive, COUNT, MPI_INT, MPI_SUM, comm, request);
        break;
    default: {
        MPI_Datatype type;
        MPI_Type_dup(MPI_INT, &type);
        MPI_Igather(o->send, COUNT, MPI_INT, o->receive, COUNT, type, 0, comm, request);
        MPI_Type_free(&type);
        calls += 2;
    }
    }
}

static void end(struct operation *o)
{
    free(o->send);
    free(o->receive);
    free(o->counts);
    free(o->places);
}

/* Completes some of the operations. Returns how many, and in PLACES their indices. */
static int complete(MPI_Request *requests, int *places)
{
    int count = 1, flag;
    places[0] = (int)draw(&private, WINDOW);
    calls++;
    switch (draw(&private, 8)) {
    case 0:
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        flag = 2;
        break;
    case 1:
        MPI_Testall(WINDOW, requests, &flag, MPI_STATUSES_IGNORE);
        flag = flag ? 2 : 0;
        break;
    case 2:
        MPI_Waitsome(WINDOW, requests, &count, places, MPI_STATUSES_IGNORE);
        return count == MPI_UNDEFINED ? 0 : count;
    case 3:
        MPI_Testsome(WINDOW, requests, &count, places, MPI_STATUSES_IGNORE);
        return count == MPI_UNDEFINED ? 0 : count;
    case 4:
        MPI_Waitany(WINDOW, requests, places, MPI_STATUS_IGNORE);
        return places[0] != MPI_UNDEFINED;
    case 5:
        MPI_Testany(WINDOW, requests, places, &flag, MPI_STATUS_IGNORE);
        return flag && places[0] != MPI_UNDEFINED;
    case 6:
        MPI_Wait(&requests[places[0]], MPI_STATUS_IGNORE);
        return 1;
    default:
        MPI_Test(&requests[places[0]], &flag, MPI_STATUS_IGNORE);
        return flag;
    }
    for (int i = 0; flag == 2 && i < WINDOW; i++)
        places[i] = i;
    return flag == 2 ? WINDOW : 0;
}

static void collectives(long n)
{
    struct operation operations[WINDOW];
    MPI_Request requests[WINDOW];
    int places[WINDOW], count;
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < WINDOW; i++)
        begin(&operations[i], &requests[i]);
    for (long begun = WINDOW; begun < n; begun += count) {
        count = complete(requests, places);
        count = begun + count > n ? (int)(n - begun) : count;
        for (int i = 0; i < count; i++) {
            end(&operations[places[i]]);
            begin(&operations[places[i]], &requests[places[i]]);
        }
    }
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < WINDOW; i++)
        end(&operations[i]);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
    calls += 1 + 2 * COMMS;
}

/* ---- operations in flight ---- */

enum order { IN_ORDER, BACKWARDS, AT_RANDOM, ALL, ALL_STATUSES, ALL_MIXED, SOME };

static void wait_each(MPI_Request *requests, long n, enum order order)
{
    long *places = reserve((size_t)n * sizeof *places);
    MPI_Status status;
    for (long i = 0; i < n; i++)
        places[i] = order == BACKWARDS ? n - 1 - i : i;
    for (long i = n - 1; i > 0 && order == AT_RANDOM; i--) {
        long other = draw(&private, (unsigned)i + 1), place = places[i];
        places[i] = places[other];
        places[other] = place;
    }
    for (long i = 0; i < n; i++)
        MPI_Wait(&requests[places[i]], &status);
    calls += n;
    free(places);
}

static void wait_all(MPI_Request *requests, long n, enum order order)
{
    MPI_Status *statuses = reserve((size_t)n * sizeof *statuses);
    int *places = reserve((size_t)n * sizeof *places), count;
    for (long left = n; left > 0 && order == SOME; left -= count, calls++)
        MPI_Waitsome((int)n, requests, &count, places, statuses);
    if (order != SOME)
        MPI_Waitall((int)n, requests, order == ALL ? MPI_STATUSES_IGNORE : statuses);
    calls += order != SOME;
    free(statuses);
    free(places);
}

static void inflight(long n, enum order order)
{
    enum { MOST = 16, TAGS = 30000 };
    MPI_Request *requests = reserve((size_t)n * sizeof *requests);
    int *in = reserve((size_t)n / 2 * MOST * sizeof *in), out[MOST] = {0};
    int *tags = reserve((size_t)n / 2 * sizeof *tags), *counts = reserve((size_t)n / 2 * sizeof *counts);
    for (long i = 0; i < n / 2; i++) {
        tags[i] = order == ALL_MIXED ? (int)draw(&private, TAGS) : (int)(i % TAGS);
        counts[i] = order == ALL_MIXED ? (int)draw(&private, MOST) : 1;
        MPI_Irecv(&in[i * MOST], MOST, MPI_INT, 0, tags[i], MPI_COMM_SELF, &requests[i]);
    }
    for (long i = 0; i < n / 2; i++)
        MPI_Isend(out, counts[i], MPI_INT, 0, tags[i], MPI_COMM_SELF, &requests[n / 2 + i]);
    calls += n / 2 * 2;
    for (long i = n / 2 * 2 - 1; i > 0 && order == ALL_MIXED; i--) {
        long other = draw(&private, (unsigned)i + 1);
        MPI_Request request = requests[i];
        requests[i] = requests[other];
        requests[other] = request;
    }
    if (order < ALL)
        wait_each(requests, n / 2 * 2, order);
    else
        wait_all(requests, n / 2 * 2, order);
    free(tags);
    free(counts);
    free(in);
    free(requests);
}

/* ---- one thing that varies ---- */

enum { OPEN = 1000, TAG_MOST = 30000 };

static int cell, cells[OPEN];

/* A message from the rank to itself, from BUFFER. */
static void exchange(const void *buffer, int count, int tag)
{
    static char in[OPEN];
    MPI_Sendrecv(buffer, count, MPI_CHAR, 0, tag, in, count, MPI_CHAR, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    calls++;
}

static void open_receive(MPI_Request *requests, int i)
{
    MPI_Irecv(&cells[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
    calls++;
}

/* MPI_Waitany over OPEN requests. REPLACED: a new one takes the place of each that completes; else until none is left.
 */
static void wait_any(long n, bool replaced)
{
    MPI_Request requests[OPEN];
    int tag = 0, place;
    for (int i = 0; i < OPEN; i++)
        open_receive(requests, i);
    for (long i = 0; i < n; i++, calls += 2) {
        tag = (tag + 7) % OPEN;
        MPI_Send(&cell, 1, MPI_INT, 0, tag, MPI_COMM_SELF);
        MPI_Waitany(OPEN, requests, &place, MPI_STATUS_IGNORE);
        if (replaced)
            open_receive(requests, place);
        for (int k = 0; !replaced && i % OPEN == OPEN - 1 && k < OPEN; k++)
            open_receive(requests, k);
    }
    for (int i = 0; i < OPEN; i++)
        if (requests[i] != MPI_REQUEST_NULL) {
            MPI_Cancel(&requests[i]);
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            calls += 2;
        }
}

static void waitany(long n)
{
    wait_any(n, false);
}

static void replaced(long n)
{
    wait_any(n, true);
}

/* Polls of OPEN requests, of which none completes but one in ten times. */
static void testsome(long n)
{
    MPI_Request requests[OPEN];
    int places[OPEN], count;
    for (int i = 0; i < OPEN; i++)
        open_receive(requests, i);
    for (long i = 0; i < n; i++, calls++) {
        if (i % 10 == 0) {
            MPI_Send(&cell, 1, MPI_INT, 0, (int)(i / 10 % OPEN), MPI_COMM_SELF);
            calls++;
        }
        MPI_Testsome(OPEN, requests, &count, places, MPI_STATUSES_IGNORE);
        for (int k = 0; count != MPI_UNDEFINED && k < count; k++)
            open_receive(requests, places[k]);
    }
    for (int i = 0; i < OPEN; i++) {
        MPI_Cancel(&requests[i]);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        calls += 2;
    }
}

static void tags(long n)
{
    static char out[OPEN];
    for (long i = 0; i < n; i++)
        exchange(out, (int)draw(&private, OPEN), (int)draw(&private, TAG_MOST));
}

static void sites(long n)
{
    for (long i = 0; i < n; i++)
        if (draw(&private, 2))
            exchange(&cell, 1, 1);
        else
            exchange(&cell, 1, 1);
}

/* Buffers of OPEN x OPEN allocations. */
static void buffers(long n)
{
    char **all = reserve(OPEN * OPEN * sizeof *all);
    for (int i = 0; i < OPEN * OPEN; i++)
        all[i] = reserve(16 + draw(&private, 100));
    for (long i = 0; i < n; i++)
        exchange(all[draw(&private, OPEN * OPEN)], 1, 1);
    for (int i = 0; i < OPEN * OPEN; i++)
        free(all[i]);
    free(all);
}

static volatile int levels;

/* Calls itself from one of three places, as the digits of PATH say, and communicates DEPTH calls below. What it does
 * after the call keeps its frame. */
static __attribute__((noinline)) void descend(unsigned long path, int depth) /* NOLINT(misc-no-recursion) */
{
    if (!depth)
        exchange(&cell, 1, 1);
    else if (path % 3 == 0) {
        descend(path / 3, depth - 1);
        levels = 0;
    } else if (path % 3 == 1) {
        descend(path / 3, depth - 1);
        levels = 1;
    } else {
        descend(path / 3, depth - 1);
        levels = 2;
    }
}

enum { FRAMES = 20 };

static void paths(long n)
{
    unsigned long some[OPEN];
    for (int i = 0; i < OPEN; i++)
        some[i] = (unsigned long)draw(&private, UINT32_MAX) * 3;
    for (long i = 0; i < n; i++)
        descend(some[draw(&private, OPEN)], FRAMES);
}

static void tree(long n)
{
    for (long i = 0; i < n; i++)
        descend(draw(&private, UINT32_MAX), FRAMES);
}

/* A pair of malloc and free among 10^5 blocks; the calls of MPI are few. */
static void blocks(long n)
{
    enum { BLOCKS = 100000 };
    char **all = calloc(BLOCKS, sizeof *all);
    for (long i = 0; i < n; i++) {
        char **block = &all[draw(&private, BLOCKS)];
        free(*block);
        *block = reserve(1 + draw(&private, 500));
        **block = 1;
    }
    exchange(&cell, 1, 1);
    calls = n;
    for (int i = 0; i < BLOCKS; i++)
        free(all[i]);
    free(all);
}

static const struct {
    const char *name;
    void (*run)(long n);
} shapes[] = {{"waitany", waitany}, {"replaced", replaced}, {"testsome", testsome}, {"tags", tags},    {"sites", sites},
              {"buffers", buffers}, {"paths", paths},       {"tree", tree},         {"blocks", blocks}};

int main(int argc, char **argv)
{
    static const char *const orders[] = {"wait", "backwards", "shuffled", "waitall", "statuses", "mixed", "waitsome"};
    const char *way = argc == 3 ? argv[1] : "";
    long n = argc == 3 ? atol(argv[2]) : 0;
    MPI_Init(&argc, &argv);
    double began = cpu_seconds();
    if (!strcmp(way, "strings") && n > 0)
        strings(n, false);
    else if (!strcmp(way, "noise") && n > 0)
        strings(n, true);
    else if (!strcmp(way, "collectives") && n > 0)
        collectives(n);
    for (unsigned i = 0; i < sizeof orders / sizeof orders[0] && n > 0; i++)
        if (!strcmp(way, orders[i]))
            inflight(n, (enum order)i);
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0] && n > 0; i++)
        if (!strcmp(way, shapes[i].name))
            shapes[i].run(n);
    double loop = cpu_seconds() - began;
    long before = peak_kib();
    began = cpu_seconds();
    MPI_Finalize();
    if (calls)
        printf("%ld %.1f %.1f %ld %ld %ld\n", calls, 1e9 * loop / (double)calls,
               1e9 * (cpu_seconds() - began) / (double)calls, before, peak_kib(), text_bytes);
    else
        fprintf(
            stderr,
            "usage: worst strings|noise|collectives|wait|backwards|shuffled|waitall|statuses|mixed|waitsome|waitany|"
            "replaced|testsome|tags|sites|buffers|paths|tree|blocks N\n");
    return calls ? 0 : 2;
}
