/* SPDX-License-Identifier: BSD-3-Clause */
/* late HOW RANK CALLS: a program of which one rank does not reach MPI_Finalize with the others.
 *
 * Each rank makes CALLS calls with arguments of its own. Then rank RANK waits until the folder in the environment's
 * LATE_FOLDER has LATE_FILES files: each other rank puts one there as soon as MPI itself finalizes, which is when it
 * has given up, left its fragment and said so. Without LATE_FOLDER it does not wait. HOW: late   it goes on to
 * MPI_Finalize gone   it ends without MPI_Finalize short  it makes a single call and does not wait, but has hardly any
 * memory left to merge what the others did; it gets it back once MPI itself finalizes user  it does not wait, and is
 * user 65534 from then on
 */
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { SLACK_BYTES = 3 << 20 };

static int files_in(const char *folder)
{
    int count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));)
        count += *entry->d_name != '.';
    if (d)
        closedir(d);
    return count;
}

static void wait_for_others(void)
{
    const char *folder = getenv("LATE_FOLDER"), *files = getenv("LATE_FILES");
    while (folder && files && files_in(folder) < atoi(files))
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static void make_calls(int rank, int count)
{
    unsigned state = (unsigned)rank + 1;
    for (int i = 0; i < count; i++) {
        int size;
        state = state * 1103515245u + 12345u;
        MPI_Pack_size((int)(state >> 6), MPI_CHAR, MPI_COMM_WORLD, &size);
    }
}

/* Each with each: so no connection is made where there is no memory for it. */
static void meet(void)
{
    enum { RANKS_MAX = 64 };
    static int out[RANKS_MAX], in[RANKS_MAX];
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
}

static int give_back(MPI_Comm comm, int key, void *value, void *state)
{
    struct rlimit limit;
    (void)comm, (void)key, (void)value, (void)state;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_AS, &limit) ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int put_file(MPI_Comm comm, int key, void *value, void *state)
{
    const char *folder = getenv("LATE_FOLDER");
    char path[4096];
    (void)comm, (void)key, (void)state;
    if (!folder)
        return MPI_SUCCESS;
    snprintf(path, sizeof path, "%s/%d", folder, *(const int *)value);
    FILE *f = fopen(path, "w");
    return !f || fclose(f) ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* CALL is made with VALUE once MPI itself finalizes. Pilgrim does not see that the attribute is set: it would have the
 * recording end behind CALL. */
static void when_finalized(MPI_Comm_delete_attr_function *call, void *value)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, call, &key, NULL);
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, value);
}

static void take_memory(void)
{
    struct rlimit limit;
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lu", &pages) != 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fclose(f);
    when_finalized(give_back, NULL);
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + SLACK_BYTES;
    setrlimit(RLIMIT_AS, &limit);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int is_short = !strcmp(argv[1], "short"), chosen = rank == atoi(argv[2]);
    make_calls(rank, is_short && chosen ? 1 : atoi(argv[3]));
    meet();
    when_finalized(put_file, &rank);
    if (chosen) {
        if (is_short)
            take_memory();
        else if (!strcmp(argv[1], "user"))
            chosen = !seteuid(65534);
        else
            wait_for_others();
        if (!strcmp(argv[1], "gone"))
            _exit(0);
    }
    MPI_Finalize();
    printf("rank %d is done\n", rank);
    return 0;
}
