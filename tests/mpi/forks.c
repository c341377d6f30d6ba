/* forks: children of an MPI process, which must neither trace nor disturb.
 *
 * Exercises: fork with exec of /bin/true, fork with a child that leaves by _exit, one that leaves by exit
 * (and so runs the exit handlers of every library), vfork with exec, posix_spawn, system and popen, before, between
 * and after MPI calls.
 */
#include "expect.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int world_rank, world_size;

static void exchange(int value)
{
    const int next = (world_rank + 1) % world_size, previous = (world_rank + world_size - 1) % world_size;
    int in = -1;

    MPI_Sendrecv(&value, 1, MPI_INT, next, 0, &in, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(in == value);
}

static void child_wait(pid_t child, int code)
{
    int status = -1;

    EXPECT(child > 0);
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == code);
}

enum leave { LEAVE_EXEC, LEAVE_UNDERSCORE, LEAVE_EXIT, LEAVES };

static void child_start(enum leave leave)
{
    pid_t child;

    fflush(NULL); /* or a child that leaves by exit would write our output once more */
    child = fork();
    if (child == 0) {
        char *memory = malloc(1000); /* the allocator must work in the child */

        if (memory == NULL)
            _exit(1);
        free(memory);
        if (leave == LEAVE_EXEC) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        }
        if (leave == LEAVE_UNDERSCORE)
            _exit(7);
        exit(8);
    }
    child_wait(child, leave == LEAVE_EXEC ? 0 : leave == LEAVE_UNDERSCORE ? 7 : 8);
}

static void child_spawn(void)
{
    char name[] = "true";
    char *arguments[] = {name, NULL};
    pid_t child = -1;

    EXPECT(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) == 0);
    child_wait(child, 0);
    EXPECT(system("exit 3") == 3 << 8);
}

static void child_of_vfork(void)
{
    const pid_t child = vfork();

    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "ls / | cat >/dev/null; exit 4", (char *)NULL);
        _exit(1);
    }
    child_wait(child, 4);
}

static void child_pipe(void)
{
    char line[64] = "";
    FILE *pipe = popen("echo helper; exit 5", "r");

    EXPECT(pipe != NULL && fgets(line, sizeof line, pipe) != NULL && line[0] == 'h');
    EXPECT(pipe != NULL && pclose(pipe) == 5 << 8);
}

int main(int argc, char **argv)
{
    int verdict;

    child_start(LEAVE_UNDERSCORE);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);

    for (int round = 0; round < 2; round++) {
        exchange(round);
        child_start(LEAVE_EXEC);
        exchange(10 + round);
        child_start(LEAVE_UNDERSCORE);
        exchange(20 + round);
        child_spawn();
        child_of_vfork();
        child_pipe();
    }
    /* A child that runs the exit handlers inherited from UCX could hang in them; one rank tries it. */
    if (world_rank == 0)
        child_start(LEAVE_EXIT);
    exchange(30);
    verdict = expect_verdict("forks", MPI_COMM_WORLD);
    MPI_Finalize();
    child_start(LEAVE_EXEC);
    return verdict | (expect_failures != 0);
}
/* SPDX-License-Identifier: BSD-3-Clause */
