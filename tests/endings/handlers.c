/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with signal handlers of its own, made before MPI_Init and after it. It prints what they get. */
#define _GNU_SOURCE 1
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t calls, once, ended;
static sigjmp_buf back;

static void count(int number)
{
    calls += number == SIGUSR1;
}

static void with_info(int number, siginfo_t *info, void *context)
{
    if (number == SIGUSR2 && info->si_pid == getpid() && context)
        calls += 100;
}

static void only_once(int number)
{
    once += number == SIGHUP;
}

static void jump(int number)
{
    siglongjmp(back, number);
}

static void set(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(number, &action, NULL);
}

int main(int argc, char **argv)
{
    struct sigaction info = {.sa_sigaction = with_info, .sa_flags = SA_SIGINFO | SA_RESTART}, found;
    sigset_t blocked;
    int rank;
    set(SIGUSR1, count, 0);
    set(SIGHUP, only_once, SA_RESETHAND);
    set(SIGFPE, jump, SA_NODEFER);
    sigaction(SIGUSR2, &info, NULL);
    signal(SIGTERM, SIG_IGN);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        raise(SIGUSR1);
        raise(SIGUSR2);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    raise(SIGTERM);
    raise(SIGHUP);
    int number = sigsetjmp(back, 1);
    if (!number)
        raise(SIGFPE);
    sigaction(SIGHUP, NULL, &found);
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    printf("rank %d: calls %d, once %d, jumped %d, hangup is %s, blocked %d\n", rank, (int)calls, (int)once,
           number == SIGFPE, found.sa_handler == SIG_DFL ? "default" : "handled", sigismember(&blocked, SIGFPE));
    set(SIGINT, count, 0);
    raise(SIGINT);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1) {
        signal(SIGUSR1, SIG_DFL);
        raise(SIGUSR1);
    }
    MPI_Finalize();
    return 0;
}
