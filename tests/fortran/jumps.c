/* jumps: calls from Fortran that never return, because a callback leaves them by longjmp. Fortran's side is called by
 * its symbols. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>

enum { ROUNDS = 12, DEEP_BYTES = 20000 };

void mpi_init_(MPI_Fint *error);
void mpi_send_(void *data, MPI_Fint *count, MPI_Fint *type, MPI_Fint *to, MPI_Fint *tag, MPI_Fint *comm,
               MPI_Fint *error);
void mpi_comm_size_(MPI_Fint *comm, MPI_Fint *size, MPI_Fint *error);

static jmp_buf back;
static int jumps;

static void failed(MPI_Comm *comm, int *code, ...)
{
    MPI_Fint world = MPI_Comm_c2f(*comm), size, error;

    (void)code;
    mpi_comm_size_(&world, &size, &error);
    jumps++;
    longjmp(back, 1);
}

static void send(MPI_Comm comm)
{
    MPI_Fint zero = 0, type = MPI_Type_c2f(MPI_INT), to = 1000000, tag = 1, handle = MPI_Comm_c2f(comm), error;

    mpi_send_(&zero, &zero, &type, &to, &tag, &handle, &error);
}

/* Memory is not touched, so that what stood there stays. */
static void __attribute__((noinline)) deeper(int depth, MPI_Comm comm, void (*call)(MPI_Comm))
{
    char room[DEEP_BYTES];

    __asm__ volatile("" : : "r"(room) : "memory");
    if (depth > 0)
        deeper(depth - 1, comm, call);
    else
        call(comm);
    __asm__ volatile("" : : "r"(room) : "memory");
}

static void ask_c(MPI_Comm comm)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
}

static void ask_fortran(MPI_Comm comm)
{
    MPI_Fint handle = MPI_Comm_c2f(comm), size, error;

    mpi_comm_size_(&handle, &size, &error);
}

int main(void)
{
    MPI_Fint error;
    MPI_Comm comm;
    MPI_Errhandler handler;

    mpi_init_(&error);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(failed, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    for (volatile int i = 0; i < ROUNDS; i++) {
        if (setjmp(back) == 0)
            deeper(i % 3, comm, send);
        deeper(i / 3, comm, i % 2 ? ask_c : ask_fortran);
        deeper(3 - i / 3, comm, i % 2 ? ask_fortran : ask_c);
    }
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    puts(jumps == ROUNDS ? "jumps: ok" : "jumps: FAILED");
    MPI_Finalize();
    return jumps != ROUNDS;
}
/* SPDX-License-Identifier: BSD-3-Clause */
