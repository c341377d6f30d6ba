/* SPDX-License-Identifier: BSD-3-Clause */
/* stderr HOW: a program that has done something to its stderr when MPI_Finalize is called. Pilgrim has something to say
 * then. It prints which of SIGPIPE and SIGXFSZ are pending at its end.
 *
 * HOW: data     descriptor 2 is closed, and becomes the file "data", with a line of the program's
 *      early    it was closed when the program began, and is "data" before MPI_Init
 *      closed   it is closed
 *      moved    it is closed, and open again as it was
 *      plain    nothing was done
 *      blocked  SIGPIPE and SIGXFSZ are blocked
 *      limit    files may be no longer than stderr is now */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void take_data_file(void)
{
    static const char line[] = "the program's data\n";
    close(2);
    int file = open("data", O_CREAT | O_WRONLY, 0600);
    if (file != 2 || write(file, line, sizeof line - 1) != sizeof line - 1)
        _exit(9);
}

static void prepare(const char *how)
{
    sigset_t set;
    struct stat found;
    if (!strcmp(how, "data"))
        take_data_file();
    if (!strcmp(how, "closed"))
        close(2);
    if (!strcmp(how, "moved")) {
        int copy = dup(2);
        close(2);
        dup2(copy, 2);
        close(copy);
    }
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    sigaddset(&set, SIGXFSZ);
    if (!strcmp(how, "blocked"))
        sigprocmask(SIG_BLOCK, &set, NULL);
    if (!strcmp(how, "limit") &&
        (fstat(2, &found) || setrlimit(RLIMIT_FSIZE, &(struct rlimit){(rlim_t)found.st_size, RLIM_INFINITY})))
        _exit(8);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "plain";
    sigset_t pending;
    if (!strcmp(how, "early"))
        take_data_file();
    MPI_Init(&argc, &argv);
    prepare(how);
    MPI_Finalize();
    sigpending(&pending);
    printf("pending: %d %d\n", sigismember(&pending, SIGPIPE), sigismember(&pending, SIGXFSZ));
    return 5;
}
