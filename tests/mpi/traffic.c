/* traffic: every way to send, of every kind of datatype and over every kind of communicator, and operations on windows.
 * The program counts messages and bytes itself, by what MPI says of ranks and sizes. tests/matrix compares the trace
 * with these counts.
 *
 *     traffic              sends
 *     traffic show [N]     first sends N messages that differ; then sends, and writes what it counted
 *
 * It writes lines `to messages bytes` to the file sent.RANK, and lines `from to operations bytes` to moved.RANK. It
 * asks for what it counts by names that are not recorded (PMPI_...). */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

enum { RANKS_MAX = 64, ROOM = 1 << 16, TAG = 7 };

static int world_rank, world_size;
static long long messages[RANKS_MAX], bytes[RANKS_MAX];         /* by rank that they go to */
static long long operations[2][RANKS_MAX], moved[2][RANKS_MAX]; /* to the rank, from the rank */
static char out[ROOM], in[ROOM];

/* ---- counting ---- */

/* The rank in MPI_COMM_WORLD of number RANK of GROUP, which is freed. */
static int in_world(MPI_Group group, int rank)
{
    MPI_Group world;
    int found = MPI_UNDEFINED;

    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, 1, &rank, world, &found);
    PMPI_Group_free(&world);
    PMPI_Group_free(&group);
    return found;
}

static long long size_of(long long count, MPI_Datatype type)
{
    int size;

    PMPI_Type_size(type, &size);
    return count * size;
}

static void count_message(MPI_Comm comm, int dest, long long count, MPI_Datatype type)
{
    MPI_Group group;
    int inter, to;

    if (dest == MPI_PROC_NULL)
        return;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_group(comm, &group);
    else
        PMPI_Comm_group(comm, &group);
    to = in_world(group, dest);
    messages[to]++;
    bytes[to] += size_of(count, type);
}

static void count_operation(MPI_Win win, int target, int back, long long count, MPI_Datatype type)
{
    MPI_Group group;
    int world;

    PMPI_Win_get_group(win, &group);
    world = in_world(group, target);
    operations[back][world]++;
    moved[back][world] += size_of(count, type);
}

static void write_counts(void)
{
    char name[32];
    FILE *file;

    snprintf(name, sizeof name, "sent.%d", world_rank);
    file = fopen(name, "w");
    for (int to = 0; file && to < world_size; to++)
        if (messages[to])
            fprintf(file, "%d %lld %lld\n", to, messages[to], bytes[to]);
    EXPECT(file && fclose(file) == 0);
    snprintf(name, sizeof name, "moved.%d", world_rank);
    file = fopen(name, "w");
    for (int back = 0; back < 2; back++)
        for (int other = 0; file && other < world_size; other++)
            if (operations[back][other])
                fprintf(file, "%d %d %lld %lld\n", back ? other : world_rank, back ? world_rank : other,
                        operations[back][other], moved[back][other]);
    EXPECT(file && fclose(file) == 0);
}

/* ---- sending ---- */

/* To the next process of COMM, from the one before. */
static void ring(MPI_Comm comm, int count, MPI_Datatype type)
{
    MPI_Request request;
    int rank, size;

    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Irecv(in, count, type, (rank + size - 1) % size, TAG, comm, &request);
    MPI_Send(out, count, type, (rank + 1) % size, TAG, comm);
    count_message(comm, (rank + 1) % size, count, type);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void send_in_every_way(void)
{
    static char buffer[2 * ROOM];
    int next = (world_rank + 1) % world_size, before = (world_rank + world_size - 1) % world_size, size;
    MPI_Request requests[16];
    char *attached;

    MPI_Buffer_attach(buffer, sizeof buffer);
    for (int way = 0; way < 7; way++) {
        int count = way + 1, used = 0;
        MPI_Irecv(in, count, MPI_SHORT, before, TAG, MPI_COMM_WORLD, &requests[used++]);
        if (way > 3)
            MPI_Barrier(MPI_COMM_WORLD); /* MPI_Rsend: the receive is there */
        if (way == 0)
            MPI_Bsend(out, count, MPI_SHORT, next, TAG, MPI_COMM_WORLD);
        else if (way == 1)
            MPI_Ibsend(out, count, MPI_SHORT, next, TAG, MPI_COMM_WORLD, &requests[used++]);
        else if (way == 2)
            MPI_Isend(out, count, MPI_SHORT, next, TAG, MPI_COMM_WORLD, &requests[used++]);
        else if (way == 3)
            MPI_Issend(out, count, MPI_SHORT, next, TAG, MPI_COMM_WORLD, &requests[used++]);
        else if (way == 4)
            MPI_Rsend(out, count, MPI_SHORT, next, TAG, MPI_COMM_WORLD);
        else if (way == 5)
            MPI_Irsend(out, count, MPI_SHORT, next, TAG, MPI_COMM_WORLD, &requests[used++]);
        else
            MPI_Ssend(out, count, MPI_SHORT, world_size == 1 ? MPI_PROC_NULL : next, TAG, MPI_COMM_WORLD);
        if (way < 6 || world_size > 1)
            count_message(MPI_COMM_WORLD, next, count, MPI_SHORT);
        else
            MPI_Cancel(&requests[0]);
        MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Buffer_detach(&attached, &size);
#ifdef MPI_BUFFER_AUTOMATIC
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    MPI_Irecv(in, 2, MPI_SHORT, before, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Bsend(out, 2, MPI_SHORT, next, TAG, MPI_COMM_WORLD);
    count_message(MPI_COMM_WORLD, next, 2, MPI_SHORT);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&attached, &size);
    EXPECT(attached == MPI_BUFFER_AUTOMATIC);
#endif
    MPI_Sendrecv(out, 5, MPI_LONG, next, TAG, in, ROOM, MPI_BYTE, before, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    count_message(MPI_COMM_WORLD, next, 5, MPI_LONG);
    MPI_Sendrecv_replace(out, 3, MPI_DOUBLE, before, TAG, next, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    count_message(MPI_COMM_WORLD, before, 3, MPI_DOUBLE);
    MPI_Sendrecv(out, 5, MPI_LONG, MPI_PROC_NULL, TAG, in, 5, MPI_LONG, MPI_PROC_NULL, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Send(out, 9, MPI_CHAR, MPI_PROC_NULL, TAG, MPI_COMM_WORLD);
#if MPI_VERSION >= 4
    MPI_Irecv(in, 4, MPI_INT, before, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_c(out, 4, MPI_INT, next, TAG, MPI_COMM_WORLD);
    count_message(MPI_COMM_WORLD, next, 4, MPI_INT);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Isendrecv(out, 2, MPI_INT, next, TAG, in, 2, MPI_INT, before, TAG, MPI_COMM_WORLD, &requests[0]);
    count_message(MPI_COMM_WORLD, next, 2, MPI_INT);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
#endif
}

/* A send that MPI refuses is none. */
static void send_wrong(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT(MPI_Send(out, 1, MPI_INT, world_size, TAG, MPI_COMM_WORLD) != MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* The same place of the program makes requests of one name to different processes, and to none. */
static void send_persistently(void)
{
    MPI_Request requests[4];

    for (int round = 0; round < 5; round++) {
        int shift = round % world_size, to = (world_rank + shift) % world_size,
            from = (world_rank + world_size - shift) % world_size;
        int none = round == 4;
        MPI_Recv_init(in, 100, MPI_INT, none ? MPI_PROC_NULL : from, TAG, MPI_COMM_WORLD, &requests[0]);
        MPI_Send_init(out, 10 + round, MPI_INT, none ? MPI_PROC_NULL : to, TAG, MPI_COMM_WORLD, &requests[1]);
        MPI_Recv_init(in + ROOM / 2, 100, MPI_INT, from, TAG + 1, MPI_COMM_WORLD, &requests[2]);
        MPI_Ssend_init(out, 20 + round, MPI_INT, to, TAG + 1, MPI_COMM_WORLD, &requests[3]);
        for (int again = 0; again < 3; again++) {
            MPI_Startall(2, requests);
            MPI_Start(&requests[2]);
            MPI_Start(&requests[3]);
            count_message(MPI_COMM_WORLD, none ? MPI_PROC_NULL : to, 10 + round, MPI_INT);
            count_message(MPI_COMM_WORLD, to, 20 + round, MPI_INT);
            MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        }
        for (int i = 0; i < 4; i++)
            MPI_Request_free(&requests[i]);
    }
#if MPI_VERSION >= 4
    int to = (world_rank + 1) % world_size, from = (world_rank + world_size - 1) % world_size;
    MPI_Precv_init(in, 6, 5, MPI_INT, from, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Psend_init(out, 6, 5, MPI_INT, to, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Pready_range(0, 5, requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    count_message(MPI_COMM_WORLD, to, 30, MPI_INT);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
#endif
}

/* ---- datatypes ---- */

static void use_predefined(void)
{
    const MPI_Datatype types[] = {MPI_CHAR,
                                  MPI_SIGNED_CHAR,
                                  MPI_UNSIGNED_CHAR,
                                  MPI_BYTE,
                                  MPI_WCHAR,
                                  MPI_SHORT,
                                  MPI_UNSIGNED_SHORT,
                                  MPI_INT,
                                  MPI_UNSIGNED,
                                  MPI_LONG,
                                  MPI_UNSIGNED_LONG,
                                  MPI_FLOAT,
                                  MPI_DOUBLE,
                                  MPI_LONG_DOUBLE,
                                  MPI_LONG_LONG,
                                  MPI_UNSIGNED_LONG_LONG,
                                  MPI_PACKED,
                                  MPI_FLOAT_INT,
                                  MPI_DOUBLE_INT,
                                  MPI_LONG_INT,
                                  MPI_SHORT_INT,
                                  MPI_2INT,
                                  MPI_LONG_DOUBLE_INT,
                                  MPI_INT8_T,
                                  MPI_INT16_T,
                                  MPI_INT32_T,
                                  MPI_INT64_T,
                                  MPI_UINT8_T,
                                  MPI_UINT16_T,
                                  MPI_UINT32_T,
                                  MPI_UINT64_T,
                                  MPI_C_BOOL,
                                  MPI_C_FLOAT_COMPLEX,
                                  MPI_C_DOUBLE_COMPLEX,
                                  MPI_C_LONG_DOUBLE_COMPLEX,
                                  MPI_AINT,
                                  MPI_OFFSET,
                                  MPI_COUNT,
                                  MPI_COMPLEX,
                                  MPI_DOUBLE_COMPLEX,
                                  MPI_LOGICAL,
                                  MPI_REAL,
                                  MPI_DOUBLE_PRECISION,
                                  MPI_INTEGER,
                                  MPI_2INTEGER,
                                  MPI_2REAL,
                                  MPI_2DOUBLE_PRECISION,
                                  MPI_CHARACTER,
                                  MPI_INTEGER1,
                                  MPI_INTEGER2,
                                  MPI_INTEGER4,
                                  MPI_INTEGER8,
                                  MPI_REAL4,
                                  MPI_REAL8,
                                  MPI_COMPLEX8,
                                  MPI_COMPLEX16};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i] != MPI_DATATYPE_NULL)
            ring(MPI_COMM_WORLD, 1 + (int)i % 3, types[i]);
}

static void use_once(MPI_Datatype *type)
{
    MPI_Type_commit(type);
    ring(MPI_COMM_WORLD, 2, *type);
    MPI_Type_free(type);
}

static void use_derived(void)
{
    const int lengths[] = {3, 0, 2}, places[] = {0, 5, 8}, sizes[] = {4, 6}, parts[] = {2, 3}, starts[] = {1, 2};
    const MPI_Aint gaps[] = {0, 40, 200};
    MPI_Datatype type, inner, mixed[] = {MPI_INT, MPI_DOUBLE, MPI_DATATYPE_NULL};

    for (int count = 1; count < 4; count++) { /* one name after another for other sizes */
        MPI_Type_contiguous(count, MPI_INT, &type);
        use_once(&type);
    }
    MPI_Type_vector(3, 2, 5, MPI_DOUBLE, &inner);
    MPI_Type_create_hvector(2, 1, 1000, inner, &type);
    use_once(&type);
    MPI_Type_indexed(3, lengths, places, MPI_SHORT, &type);
    use_once(&type);
    MPI_Type_create_hindexed(3, lengths, gaps, MPI_CHAR, &type);
    use_once(&type);
    MPI_Type_create_indexed_block(3, 2, places, MPI_FLOAT, &type);
    use_once(&type);
    MPI_Type_create_hindexed_block(3, 4, gaps, MPI_FLOAT, &type);
    use_once(&type);
    mixed[2] = inner;
    MPI_Type_create_struct(3, lengths, gaps, mixed, &type);
    use_once(&type);
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, inner, &type);
    use_once(&type);
    MPI_Type_create_resized(inner, 0, 400, &type);
    use_once(&type);
    MPI_Type_dup(inner, &type);
    MPI_Type_free(&inner);
    use_once(&type);
    MPI_Type_create_f90_real(15, 100, &type);
    ring(MPI_COMM_WORLD, 2, type);
    MPI_Type_create_f90_integer(9, &type);
    ring(MPI_COMM_WORLD, 2, type);
}

/* Every process sends another part of an array, as each process of a grid would have it. */
static void use_distributed(void)
{
    const int sizes[] = {13, 9, 4}, places[] = {3, 2, 1};
    const int how[][3] = {{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE},
                          {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE}};
    const int arguments[][3] = {{MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_DISTRIBUTE_DFLT_DARG},
                                {MPI_DISTRIBUTE_DFLT_DARG, 7, MPI_DISTRIBUTE_DFLT_DARG}};

    for (int kind = 0; kind < 2; kind++) {
        for (int place = 0; place < 6; place++) {
            MPI_Datatype type;
            MPI_Type_create_darray(6, place, 3, sizes, how[kind], arguments[kind], places,
                                   kind ? MPI_ORDER_C : MPI_ORDER_FORTRAN, MPI_INT, &type);
            MPI_Type_commit(&type);
            MPI_Sendrecv(out, 1, type, world_rank, TAG, in, ROOM, MPI_BYTE, world_rank, TAG, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            count_message(MPI_COMM_WORLD, world_rank, 1, type);
            MPI_Type_free(&type);
        }
    }
}

/* ---- communicators ---- */

static void ring_and_free(MPI_Comm *comm)
{
    ring(*comm, 3, MPI_INT);
    if (*comm != MPI_COMM_NULL)
        MPI_Comm_free(comm);
}

static void use_communicators(void)
{
    int sizes[2] = {0, 0}, periods[2] = {1, 0}, remain[2] = {1, 0};
    int next = (world_rank + 1) % world_size, before = (world_rank + world_size - 1) % world_size;
    MPI_Comm part, copy, other;
    MPI_Group world, group;
    MPI_Request request;

    ring(MPI_COMM_SELF, 4, MPI_INT);
    for (int round = 0; round < 3; round++) { /* the same name for other processes each time */
        MPI_Comm_split(MPI_COMM_WORLD, world_rank % (round + 1), -world_rank, &part);
        MPI_Comm_dup(part, &copy);
        MPI_Comm_idup(copy, &other, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        ring_and_free(&part);
        ring_and_free(&other);
        ring_and_free(&copy);
    }
    MPI_Comm_split(MPI_COMM_WORLD, world_rank == 0 ? MPI_UNDEFINED : 0, 0, &part);
    ring_and_free(&part);
    MPI_Dims_create(world_size, 2, sizes);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 1, &other);
    MPI_Cart_sub(other, remain, &part);
    ring_and_free(&part);
    ring_and_free(&other);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, world_size > 1, (int[]){0}, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &part);
    ring_and_free(&part);
    if (world_rank > 0 || world_size == 1) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 1, &part);
        ring_and_free(&part);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    /* Not MPI_Dist_graph_create: behind the others here that of Open MPI 4 hangs now and then. */
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &other);
    ring_and_free(&other);
}

/* Each to one process of the other side, where several may come. */
static void across(MPI_Comm inter)
{
    int rank, size, remote;
    MPI_Request requests[RANKS_MAX];
    int used = 0;

    MPI_Comm_rank(inter, &rank);
    MPI_Comm_size(inter, &size);
    MPI_Comm_remote_size(inter, &remote);
    for (int from = 0; from < remote; from++)
        if (from % size == rank)
            MPI_Irecv(in + 16 * from, 2, MPI_INT, from, TAG, inter, &requests[used++]);
    MPI_Send(out, 2, MPI_INT, rank % remote, TAG, inter);
    count_message(inter, rank % remote, 2, MPI_INT);
    MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
}

static void use_intercommunicators(void)
{
    int high = world_rank >= world_size / 2;
    MPI_Comm side, inter, copy, part, both;

    if (world_size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, high, -world_rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, high ? world_size / 2 - 1 : world_size - 1, 5, &inter);
    across(inter);
    MPI_Comm_dup(inter, &copy);
    across(copy);
    MPI_Comm_free(&copy);
    if (world_size >= 4) {
        int rank;
        MPI_Comm_rank(side, &rank);
        MPI_Comm_split(inter, rank % 2, 0, &part);
        across(part);
        MPI_Comm_free(&part);
    }
    MPI_Intercomm_merge(inter, high, &both);
    ring_and_free(&both);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&side);
}

/* ---- what cannot be predicted ---- */

static unsigned draw(void)
{
    static unsigned state = 1; /* the same in all processes */
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

/* Of a type and over a communicator that are made once: a trace of several rounds has them in the first one. */
static void send_noise(int count)
{
    MPI_Datatype type;
    MPI_Comm comm;
    int rank;

    MPI_Comm_split(MPI_COMM_WORLD, 0, (world_rank + 1) % world_size, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Type_vector(2, 1, 2, MPI_SHORT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < count; i++) {
        int shift = (int)(draw() % (unsigned)world_size), length = (int)(draw() % 900), tag = (int)(draw() % 30000);
        int to = (rank + shift) % world_size, from = (rank + world_size - shift) % world_size;
        MPI_Sendrecv(out, length, type, to, tag, in, length, type, from, tag, comm, MPI_STATUS_IGNORE);
        count_message(comm, to, length, type);
    }
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
}

/* ---- windows ---- */

static void use_window(MPI_Comm comm)
{
    static int memory[64];
    int rank, size, numbers[8] = {0}, results[8], one = 1;
    MPI_Win win;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, comm, &win);
    int next = (rank + 1) % size;
    MPI_Win_fence(0, win);
    MPI_Put(numbers, 3, MPI_INT, next, 0, 3, MPI_INT, win);
    count_operation(win, next, 0, 3, MPI_INT);
    MPI_Put(numbers, 3, MPI_INT, MPI_PROC_NULL, 0, 3, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Get(results, 2, MPI_INT, next, 0, 2, MPI_INT, win);
    count_operation(win, next, 1, 2, MPI_INT);
    MPI_Win_fence(0, win);
    MPI_Accumulate(numbers, 4, MPI_INT, 0, 8, 4, MPI_INT, MPI_SUM, win);
    count_operation(win, 0, 0, 4, MPI_INT);
    MPI_Win_fence(0, win);
    MPI_Get_accumulate(numbers, 5, MPI_INT, results, 5, MPI_INT, next, 8, 5, MPI_INT, MPI_SUM, win);
    count_operation(win, next, 0, 5, MPI_INT);
    count_operation(win, next, 1, 5, MPI_INT);
    MPI_Win_fence(0, win);
    MPI_Fetch_and_op(&one, results, MPI_INT, 0, 20, MPI_SUM, win);
    count_operation(win, 0, 0, 1, MPI_INT);
    count_operation(win, 0, 1, 1, MPI_INT);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void use_windows(void)
{
    MPI_Comm part;

    use_window(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &part);
    if (world_rank % 2 ==
        0) /* Open MPI 4 mixes up the windows of two communicators at a time that have nobody in common */
        use_window(part);
    MPI_Comm_free(&part);
}

/* ---- threads ---- */

/* Nothing else has the names of these two. */
static MPI_Datatype of_all;
static MPI_Comm comm_of_all;

/* What the first thread has made, and what this one makes. */
static void *send_in_thread(void *argument)
{
    int number = *(int *)argument, rank, next, before;
    char room[256] = {0};
    MPI_Datatype own;

    MPI_Comm_rank(comm_of_all, &rank);
    next = (rank + 1) % world_size;
    before = (rank + world_size - 1) % world_size;
    for (int round = 0; round < 4; round++) {
        MPI_Type_contiguous(number + 1, MPI_SHORT, &own);
        MPI_Type_commit(&own);
        MPI_Sendrecv(out, 1, of_all, next, number, room, sizeof room, MPI_BYTE, before, number, comm_of_all,
                     MPI_STATUS_IGNORE);
        count_message(comm_of_all, next, 1, of_all);
        MPI_Sendrecv(out, 3, own, next, number, room, sizeof room, MPI_BYTE, before, number, comm_of_all,
                     MPI_STATUS_IGNORE);
        count_message(comm_of_all, next, 3, own);
        MPI_Type_free(&own);
    }
    return NULL;
}

static void use_threads(void)
{
    pthread_t thread;
    int numbers[2] = {3, 5};

    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comm_of_all);
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &of_all);
    MPI_Type_commit(&of_all);
    for (int i = 0; i < 2; i++) { /* one after another: it is not about speed */
        EXPECT(pthread_create(&thread, NULL, send_in_thread, &numbers[i]) == 0);
        EXPECT(pthread_join(thread, NULL) == 0);
    }
}

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    EXPECT(world_size <= RANKS_MAX);
    if (provided >= MPI_THREAD_SERIALIZED)
        use_threads();
    send_in_every_way();
    send_wrong();
    send_persistently();
    use_predefined();
    use_derived();
    use_distributed();
    use_communicators();
    use_intercommunicators();
    use_windows();
    if (argc > 2)
        send_noise(atoi(argv[2]));
    if (argc > 1 && strcmp(argv[1], "show") == 0)
        write_counts();
    int result = expect_verdict("traffic", MPI_COMM_WORLD);
    if (provided >= MPI_THREAD_SERIALIZED) {
        MPI_Type_free(&of_all);
        MPI_Comm_free(&comm_of_all);
    }
    MPI_Finalize();
    return result;
}
/* SPDX-License-Identifier: BSD-3-Clause */
