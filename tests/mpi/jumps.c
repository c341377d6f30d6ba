/* jumps: MPI calls that never return, because a callback of the program leaves them by longjmp.
 *
 * Exercises: longjmp out of an error handler, a reduction, attribute callbacks and a generalized request's query
 * function, followed by a call from a smaller, equal or greater stack depth; calls that such a callback makes before it
 * leaves; a fork in a callback. After each, calls that return. tests/values checks what was recorded. */
#include "expect.h"

#include <setjmp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 20, DEEP_BYTES = 20000 };

static jmp_buf back;
static int jumps;

static void failed(MPI_Comm *comm, int *code, ...)
{
    int size;

    (void)code;
    MPI_Comm_size(*comm, &size);
    jumps++;
    longjmp(back, 1);
}

static void reduce(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)length, (void)type;
    jumps++;
    longjmp(back, 1);
}

static int copied(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra, (void)in, (void)out;
    *flag = 0;
    jumps++;
    longjmp(back, 1);
    return MPI_SUCCESS;
}

static int query(void *extra, MPI_Status *status)
{
    (void)extra, (void)status;
    jumps++;
    longjmp(back, 1);
    return MPI_SUCCESS;
}

static int nothing(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

/* In the child the callback never returns either: it leaves the process. */
static void child(MPI_Comm *comm, int *code, ...)
{
    pid_t process;
    int status = -1;

    (void)comm, (void)code;
    fflush(NULL);
    process = fork();
    if (process == 0)
        _exit(3);
    EXPECT(waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

/* A call from DEPTH frames further down; memory is not touched, so that what stood there stays. */
static void __attribute__((noinline)) deeper(int depth)
{
    char room[DEEP_BYTES];
    int flag;

    __asm__ volatile("" : : "r"(room) : "memory");
    if (depth > 0)
        deeper(depth - 1);
    else
        MPI_Initialized(&flag);
    __asm__ volatile("" : : "r"(room) : "memory");
}

/* As deep as the call that does not return, or deeper than that. */
static void __attribute__((noinline)) send_from_deep(int depth, MPI_Comm comm)
{
    char room[DEEP_BYTES];

    __asm__ volatile("" : : "r"(room) : "memory");
    if (depth > 0)
        send_from_deep(depth - 1, comm);
    else
        MPI_Send(NULL, 0, MPI_INT, 1000000, 0, comm);
    __asm__ volatile("" : : "r"(room) : "memory");
}

static void errors(MPI_Comm comm)
{
    for (volatile int i = 0; i < ROUNDS; i++) {
        int flag;
        if (setjmp(back) == 0) {
            send_from_deep(i % 3, comm);
            EXPECT(0);
        }
        if (i % 2)
            deeper(i % 5);
        MPI_Finalized(&flag);
    }
}

static void reductions(void)
{
    int in = 1, out = 2;
    MPI_Op op;

    MPI_Op_create(reduce, 1, &op);
    if (setjmp(back) == 0) {
        MPI_Reduce_local(&in, &out, 1, MPI_INT, op);
        EXPECT(0);
    }
    deeper(4);
    MPI_Op_free(&op);
}

static void attributes(void)
{
    int keyval, flag = 1;
    void *value;
    MPI_Comm comm, copy;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(comm, keyval, NULL);
    if (setjmp(back) == 0) {
        MPI_Comm_dup(comm, &copy);
        EXPECT(0);
    }
    deeper(2);
    MPI_Comm_get_attr(comm, keyval, &value, &flag);
    EXPECT(flag);
    MPI_Comm_delete_attr(comm, keyval);
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_free(&comm);
}

static void requests(void)
{
    int in = -1, out = 7;
    MPI_Request request, others[2];

    MPI_Grequest_start(query, nothing, cancel, NULL, &request);
    MPI_Grequest_complete(request);
    if (setjmp(back) == 0) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT(0);
    }
    for (int i = 0; i < 3; i++) {
        MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &others[0]);
        MPI_Isend(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &others[1]);
        MPI_Waitall(2, others, MPI_STATUSES_IGNORE);
        EXPECT(in == out);
    }
}

static void forks(MPI_Comm comm)
{
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(child, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    EXPECT(MPI_Send(NULL, 0, MPI_INT, 1000000, 0, comm) != MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int verdict, rank, sum = 0;
    MPI_Comm comm;
    MPI_Errhandler handler;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(failed, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    errors(comm);
    reductions();
    attributes();
    requests();
    EXPECT(jumps == ROUNDS + 3);
    forks(comm);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    verdict = expect_verdict("jumps", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
