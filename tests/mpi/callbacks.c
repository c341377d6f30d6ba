/* SPDX-License-Identifier: BSD-3-Clause */
/* callbacks: MPI calls inside MPI calls.
 *
 * Exercises: callbacks of attributes (of communicators, datatypes and windows, one that duplicates a communicator with
 * an attribute of its own), of operations, of error handlers and of a generalized request; requests that begin inside a
 * call and end inside another or outside, and the other way round; a request that a callback completes while the call
 * around it names a younger one of the same line; communicators made inside; a signal whose handler calls MPI in a
 * callback; calls inside MPI_Finalize, which deletes an attribute of MPI_COMM_SELF. With an argument: so many rounds.
 */
#include "expect.h"

#include <signal.h>
#include <string.h>

enum { PARTNERS = 3, TAG = 5, MANY = 6 };

static MPI_Request pending[PARTNERS], begun_inside = MPI_REQUEST_NULL;
static int numbers[PARTNERS], heard, copies, deletions, errors, operations, signals;
static MPI_Comm made_inside = MPI_COMM_NULL;

static int on_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    int rank;

    (void)key, (void)extra;
    MPI_Comm_rank(comm, &rank);
    EXPECT(rank >= 0);
    memcpy(out, &in, sizeof in);
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}

/* A call inside a call inside a call: the copy has an attribute, too. */
static int on_deep_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    MPI_Comm self;

    (void)comm, (void)key;
    MPI_Comm_set_attr(MPI_COMM_SELF, *(int *)extra, NULL);
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_free(&self);
    MPI_Comm_delete_attr(MPI_COMM_SELF, *(int *)extra);
    memcpy(out, &in, sizeof in);
    *flag = 0;
    return MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    int size;

    (void)key, (void)value, (void)extra;
    MPI_Comm_size(comm, &size);
    if (made_inside == MPI_COMM_NULL)
        MPI_Comm_split(MPI_COMM_SELF, 0, 0, &made_inside);
    deletions++;
    return MPI_SUCCESS;
}

static int on_type_delete(MPI_Datatype type, int key, void *value, void *extra)
{
    int bytes;

    (void)key, (void)value, (void)extra;
    MPI_Type_size(type, &bytes);
    EXPECT(bytes == 8);
    return MPI_SUCCESS;
}

static void handler(int number)
{
    signals += number == SIGUSR1 && MPI_Wtime() > 0;
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int bytes;

    MPI_Type_size(*type, &bytes);
    EXPECT(bytes == sizeof(int));
    if (operations++ % 4 == 0)
        raise(SIGUSR1);
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* Completes the oldest of the pending receives, and begins a send, which the program completes. */
static void failed(MPI_Comm *comm, int *code, ...)
{
    int class;

    EXPECT(*comm != MPI_COMM_NULL);
    MPI_Error_class(*code, &class);
    errors++;
    if (pending[0] != MPI_REQUEST_NULL) {
        MPI_Wait(&pending[0], MPI_STATUS_IGNORE);
        heard++;
        MPI_Isend(&numbers[0], 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &begun_inside);
    }
}

/* Each call of MPI_Waitany has the array that the one before left. */
static void wait_for_any(MPI_Request *requests)
{
    int index;

    MPI_Waitany(MANY, requests, &index, MPI_STATUS_IGNORE);
    EXPECT(index != MPI_UNDEFINED);
}

static void begin_many(MPI_Request *requests)
{
    for (int i = 0; i < MANY; i++)
        MPI_Irecv(NULL, 0, MPI_INT, 0, TAG, MPI_COMM_SELF, &requests[i]);
    for (int i = 0; i < MANY; i++)
        MPI_Send(NULL, 0, MPI_INT, 0, TAG, MPI_COMM_SELF);
}

static void failed_often(MPI_Comm *comm, int *code, ...)
{
    static MPI_Request requests[MANY];
    static int calls;

    (void)comm, (void)code;
    if (calls++ % MANY == 0)
        begin_many(requests);
    wait_for_any(requests);
}

static int on_query(void *extra, MPI_Status *status)
{
    MPI_Request inner = MPI_REQUEST_NULL;

    (void)extra;
    if (pending[0] != MPI_REQUEST_NULL) { /* older than what the call around this waits for */
        MPI_Wait(&pending[0], MPI_STATUS_IGNORE);
        heard++;
    }
    MPI_Irecv(NULL, 0, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &inner);
    MPI_Wait(&inner, MPI_STATUS_IGNORE);
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

/* Makes its call by a jump, where the compiler optimises. */
static int on_free(void *extra)
{
    static int is_initialized;

    (void)extra;
    return MPI_Initialized(&is_initialized);
}

static int on_cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void begin_receives(int rank, int size)
{
    for (int i = 0; i < PARTNERS; i++)
        MPI_Irecv(&numbers[i], 1, MPI_INT, (rank + size - 1) % size, TAG, MPI_COMM_WORLD, &pending[i]);
    for (int i = 0; i < PARTNERS; i++)
        MPI_Send(&i, 1, MPI_INT, (rank + 1) % size, TAG, MPI_COMM_WORLD);
}

static void attributes(int key, int deep_key, int type_key)
{
    int one = 1;
    MPI_Comm copy;
    MPI_Datatype type;

    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &one);
    MPI_Comm_set_attr(MPI_COMM_WORLD, deep_key, &one);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_free(&copy);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, deep_key);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_set_attr(type, type_key, &one);
    MPI_Type_free(&type);
    MPI_Barrier(made_inside);
    MPI_Comm_free(&made_inside);
}

static void reductions(MPI_Op op, int rank, int size)
{
    int mine = rank + 1, sum = 0, more = 1;

    MPI_Allreduce(&mine, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    EXPECT(sum == size * (size + 1) / 2);
    for (int i = 0; i < 5; i++)
        MPI_Reduce_local(&mine, &more, 1, MPI_INT, op);
}

static void requests(int rank, int size)
{
    MPI_Request general[2];
    MPI_Status statuses[2];
    int found = 0;

    begin_receives(rank, size);
    MPI_Grequest_start(on_query, on_free, on_cancel, NULL, &general[0]);
    MPI_Grequest_complete(general[0]);
    general[1] = pending[1]; /* the second oldest that this line began; the callback completes the oldest */
    MPI_Waitall(2, general, statuses);
    MPI_Wait(&pending[2], MPI_STATUS_IGNORE);
    EXPECT(numbers[0] == 0 && numbers[1] == 1 && numbers[2] == 2 && pending[0] == MPI_REQUEST_NULL);

    begin_receives(rank, size);
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    EXPECT(begun_inside != MPI_REQUEST_NULL);
    MPI_Wait(&begun_inside, MPI_STATUS_IGNORE);
    while (found < PARTNERS - 1) {
        int index;
        MPI_Waitany(PARTNERS, pending, &index, MPI_STATUS_IGNORE);
        EXPECT(index != MPI_UNDEFINED);
        found++;
    }
}

/* Arrays of requests that change a little with each call, inside calls and outside by turns. */
static void arrays(void)
{
    MPI_Request requests[MANY];
    MPI_Errhandler errhandler;

    MPI_Comm_create_errhandler(failed_often, &errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, errhandler);
    begin_many(requests);
    for (int i = 0; i < MANY; i++) {
        wait_for_any(requests);
        MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
    }
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&errhandler);
}

/* What a library keeps to the end: MPI_Finalize gives it back. */
static struct {
    MPI_Comm comm;
    MPI_Request receive;
    int from, received, sum;
} kept;

static int on_end(MPI_Comm comm, int key, void *value, void *extra)
{
    int rank, size, sent;

    (void)key, (void)value, (void)extra;
    EXPECT(comm == MPI_COMM_SELF);
    MPI_Comm_rank(kept.comm, &rank);
    MPI_Comm_size(kept.comm, &size);
    sent = rank;
    MPI_Send(&sent, 1, MPI_INT, (rank + 1) % size, TAG, kept.comm);
    MPI_Wait(&kept.receive, MPI_STATUS_IGNORE);
    MPI_Allreduce(&kept.received, &kept.sum, 1, MPI_INT, MPI_SUM, kept.comm);
    MPI_Comm_free(&kept.comm);
    return kept.received == kept.from && kept.sum == size * (size - 1) / 2 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static void keep(int rank, int size)
{
    int key;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_dup(MPI_COMM_WORLD, &kept.comm);
    kept.from = (rank + size - 1) % size;
    MPI_Irecv(&kept.received, 1, MPI_INT, kept.from, TAG, kept.comm, &kept.receive);
}

int main(int argc, char **argv)
{
    int rank, size, rounds, key, inner_key, deep_key, type_key;
    MPI_Op op;
    MPI_Errhandler errhandler;

    signal(SIGUSR1, handler);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < PARTNERS; i++)
        pending[i] = MPI_REQUEST_NULL;
    MPI_Comm_create_keyval(on_copy, on_delete, &key, NULL);
    MPI_Comm_create_keyval(on_copy, MPI_COMM_NULL_DELETE_FN, &inner_key, NULL);
    MPI_Comm_create_keyval(on_deep_copy, MPI_COMM_NULL_DELETE_FN, &deep_key, &inner_key);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_type_delete, &type_key, NULL);
    MPI_Op_create(add, 1, &op);
    MPI_Comm_create_errhandler(failed, &errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
    for (int i = 0; i < rounds; i++) {
        attributes(key, deep_key, type_key);
        reductions(op, rank, size);
        requests(rank, size);
        arrays();
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&errhandler);
    MPI_Op_free(&op);
    MPI_Type_free_keyval(&type_key);
    MPI_Comm_free_keyval(&deep_key);
    MPI_Comm_free_keyval(&inner_key);
    MPI_Comm_free_keyval(&key);
    EXPECT(copies == 2 * rounds && deletions == 2 * rounds && errors == rounds && heard == 2 * rounds && signals > 0);
    keep(rank, size);
    rank = expect_verdict("callbacks", MPI_COMM_WORLD);
    MPI_Finalize();
    return rank || kept.comm != MPI_COMM_NULL || kept.received != kept.from;
}
