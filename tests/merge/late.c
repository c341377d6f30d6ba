/* SPDX-License-Identifier: BSD-3-Clause */
/* late HOW RANK CALLS: a program of which one rank does not reach MPI_Finalize with the others.
 *
 * Each rank makes CALLS calls with arguments of its own. Then rank RANK waits until the folder in the environment's
 * LATE_FOLDER has LATE_FILES fragment files, which is when all others have given up; without LATE_FOLDER it does not
 * wait. HOW: late   it goes on to MPI_Finalize gone   it ends without MPI_Finalize short  it makes a single call and
 * does not wait, but has hardly any memory left to merge what the others did; it gets it back once MPI itself finalizes
 * user  it does not wait, and is user 65534 from then on
 */
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_S = 60, SLACK_BYTES = 3 << 20 };

static int fragments_in(const char *folder)
{
    static const char suffix[] = ".fragment";
    int count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        size_t length = strlen(entry->d_name);
        count += length >= sizeof suffix && !strcmp(entry->d_name + length - (sizeof suffix - 1), suffix);
    }
    if (d)
        closedir(d);
    return count;
}

static void wait_for_fragments(void)
{
    const char *folder = getenv("LATE_FOLDER"), *files = getenv("LATE_FILES");
    time_t end = time(NULL) + WAIT_S;
    while (folder && files && fragments_in(folder) < atoi(files) && time(NULL) < end)
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

static void take_memory(void)
{
    struct rlimit limit;
    unsigned long pages = 0;
    int key;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lu", &pages) != 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fclose(f);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, give_back, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
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
    if (chosen) {
        if (is_short)
            take_memory();
        else if (!strcmp(argv[1], "user"))
            chosen = !seteuid(65534);
        else
            wait_for_fragments();
        if (!strcmp(argv[1], "gone"))
            _exit(0);
    }
    MPI_Finalize();
    printf("rank %d is done\n", rank);
    return 0;
}
