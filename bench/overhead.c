/* overhead: CPU time of MPI calls that do next to nothing, on one rank, for bench/overhead.sh.
 *
 * storm: MPI_Comm_rank in a loop, the cheapest call there is, so what a tracer adds is all one sees.
 * self:  MPI_Isend and MPI_Irecv of eight bytes to the rank itself and an MPI_Wait for each: four calls a turn.
 * The clock is the process's CPU time and runs round the loop only, behind a tenth of it as a warm-up.
 *
 * usage: overhead storm|self TURNS. Prints nanoseconds per call.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void storm(long turns)
{
    int rank;

    for (long i = 0; i < turns; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void self(long turns)
{
    double out = 1.0, in = 0.0;
    MPI_Request send, receive;

    for (long i = 0; i < turns; i++) {
        MPI_Isend(&out, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, &send);
        MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, &receive);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    const long turns = argc == 3 ? atol(argv[2]) : 0;
    const int is_storm = argc == 3 && strcmp(argv[1], "storm") == 0;
    void (*const loop)(long) = is_storm ? storm : self;
    const double calls_per_turn = is_storm ? 1.0 : 4.0;
    double began;

    if (turns < 10 || (!is_storm && strcmp(argv[1], "self") != 0)) {
        fprintf(stderr, "usage: overhead storm|self TURNS (10 or more)\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    loop(turns / 10);
    began = cpu_ns();
    loop(turns);
    printf("%.2f\n", (cpu_ns() - began) / ((double)turns * calls_per_turn));
    MPI_Finalize();
    return 0;
}
