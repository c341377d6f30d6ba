/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts a pager; see pager.h. */
#include "pager.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t pager; /* 0: there is none */

/* True if the first word of COMMAND is a program in PATH. */
static bool has_program(const char *command)
{
    char name[256], path[4096];
    const size_t length = strcspn(command, " \t");
    const char *folders = getenv("PATH");
    snprintf(name, sizeof name, "%.*s", (int)length, command);
    if (length == 0 || length >= sizeof name)
        return false;
    if (strchr(name, '/'))
        return access(name, X_OK) == 0;
    for (size_t n; folders && *folders; folders += n + (folders[n] == ':')) {
        n = strcspn(folders, ":");
        if (n > 0 && n + length + 2 < sizeof path) {
            snprintf(path, sizeof path, "%.*s/%s", (int)n, folders, name);
            if (access(path, X_OK) == 0)
                return true;
        }
    }
    return false;
}

static void wait_for_it(void)
{
    while (pager && waitpid(pager, NULL, 0) < 0 && errno == EINTR)
        ;
    pager = 0;
}

/* The pager owns the terminal, so that it must end first. */
static void on_signal(int number)
{
    close(STDOUT_FILENO);
    wait_for_it();
    signal(number, SIG_DFL);
    raise(number);
}

static _Noreturn void become_pager(const char *command, const int ends[2])
{
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    signal(SIGPIPE, SIG_DFL);
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

bool pager_begin(void)
{
    const char *command = getenv("PAGER");
    int ends[2];
    if (!command)
        command = "less";
    if (!isatty(STDOUT_FILENO) || strcmp(command, "cat") == 0 || !has_program(command) || pipe(ends) != 0)
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_pager(command, ends);
    if (child > 0) {
        dup2(ends[1], STDOUT_FILENO);
        pager = child;
        signal(SIGINT, on_signal);
        signal(SIGTERM, on_signal);
        signal(SIGHUP, on_signal);
    }
    close(ends[0]);
    close(ends[1]);
    return child > 0;
}

void pager_end(void)
{
    if (!pager)
        return;
    close(STDOUT_FILENO);
    wait_for_it();
}
