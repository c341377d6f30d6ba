/* SPDX-License-Identifier: BSD-3-Clause */
/* small STEPS HOW [LATER [killed]]: makes calls of many kinds, STEPS and then LATER times, prints what it has received,
 * and ends with 7. With another argument it is killed before MPI_Finalize.
 *
 * HOW: plain; threads: two threads more make calls; and what is done between two halves of the calls:
 *      closes   all descriptors of files and folders are closed but 0, 1 and 2
 *      moves    the working directory changes
 *      user     the effective user becomes nobody, and again the old one before MPI_Finalize
 *      nobody   the user becomes nobody, and stays it
 *      umask    the umask becomes 0777
 *      fills    the disk of the folder `small` becomes full, and stays it
 *      hungry   no more address space than there is now and HUNGRY_BYTES; a quarter of them is wanted later, and
 * MPI_Finalize needs some */
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 2, NOBODY = 65534, HUNGRY_BYTES = 1 << 20, FILL_BYTES = 1 << 16 };

static int rank, size, steps;

static long some_calls(MPI_Comm comm, int count)
{
    unsigned state = 7;
    long sum = 0;
    for (int i = 0; i < count; i++) {
        int out[16] = {i, i + 1}, in[16] = {0}, got;
        MPI_Request requests[2];
        MPI_Status statuses[2];
        MPI_Datatype type;
        state = state * 1103515245u + 12345u;
        int length = 1 + (int)(state >> 16) % 12;
        MPI_Irecv(in, 16, MPI_INT, (rank + size - 1) % size, MPI_ANY_TAG, comm, &requests[0]);
        MPI_Isend(out, length, MPI_INT, (rank + 1) % size, (int)(state >> 20) % 50, comm, &requests[1]);
        MPI_Waitall(2, requests, statuses);
        MPI_Get_count(&statuses[0], MPI_INT, &got);
        sum += in[0] + in[1] + got + statuses[0].MPI_TAG;
        if (i % 4 == 0) {
            MPI_Type_vector(length, 1, 2 + (int)(state >> 22) % 5, MPI_INT, &type);
            MPI_Type_free(&type);
        }
    }
    return sum;
}

static void *thread(void *comm)
{
    some_calls(*(MPI_Comm *)comm, steps);
    return NULL;
}

static void more_threads(void)
{
    MPI_Comm comms[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        pthread_create(&threads[i], NULL, thread, &comms[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        MPI_Comm_free(&comms[i]);
    }
}

static long address_space(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1)
        exit(9);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* Fills the disk that the file PATH is made on. */
static void fill(const char *path)
{
    static const char some[FILL_BYTES];
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (file < 0)
        exit(9);
    for (size_t length = sizeof some; length; length /= 2)
        while (write(file, some, length) == (ssize_t)length)
            continue;
    close(file);
}

static void change(const char *how)
{
    struct stat found;
    if (!strcmp(how, "closes"))
        for (int file = 3; file < 1024; file++)
            if (!fstat(file, &found) && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)))
                close(file);
    if (!strcmp(how, "moves") && (mkdir("elsewhere", 0700) || chdir("elsewhere")))
        exit(9);
    if ((!strcmp(how, "user") && seteuid(NOBODY)) || (!strcmp(how, "nobody") && setuid(NOBODY)))
        exit(9);
    if (!strcmp(how, "umask"))
        umask(0777);
    if (!strcmp(how, "fills"))
        fill("small/filler");
    if (!strcmp(how, "hungry"))
        setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)address_space() + HUNGRY_BYTES, RLIM_INFINITY});
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "plain";
    int provided;
    MPI_Comm comm;
    steps = argc > 1 ? atoi(argv[1]) : 10;
    int later = argc > 3 ? atoi(argv[3]) : steps;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    long sum = some_calls(comm, steps);
    change(how);
    if (!strcmp(how, "threads"))
        more_threads();
    sum += some_calls(comm, later);
    MPI_Comm_free(&comm);
    if (!strcmp(how, "user") && seteuid(0))
        return 9;
    if (!strcmp(how, "hungry") && !malloc(HUNGRY_BYTES / 4))
        return 9;
    if (argc > 4)
        raise(SIGKILL);
    printf("rank %d: %ld\n", rank, sum);
    MPI_Finalize();
    return 7;
}
