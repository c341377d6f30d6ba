/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends of the process; see endings.h.
 *
 * A signal whose default action ends the process gets a handler that stores a word in the journal. Then it restores the
 * default action, so that the signal ends the process just as without Pilgrim: an instruction that faults is executed
 * again, any other signal is sent again. A handler that was there (of a language's runtime, of MPI, of the program) is
 * called by ours, with the same arguments, mask and stack. */
#include "process/endings.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/run_folder.h"
#include "journal/journal.h"
#include "process/capture.h"
#include "process/journaling.h"
#include "process/launcher.h"
#include "process/thread.h"

enum { LINE_BYTES = 4 * PATH_MAX + 256, SIGNALS = 32 };

static const int watched[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGSYS,  SIGTRAP, SIGABRT, SIGTERM,
                              SIGINT,  SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2};

static struct sigaction before[SIGNALS]; /* by signal */
static char said_path[PATH_MAX + 32];    /* the file that says that somebody has told the user */
static char advice[LINE_BYTES];          /* the end of the line */
static long shown_rank;                  /* of this process */

bool endings_first_to_say(void)
{
    if (!journal_first_to_say())
        return false;
    int error = errno, file = open(said_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0)
        close(file);
    bool first = file >= 0 || errno != EEXIST; /* it cannot be made: each machine says it */
    errno = error;
    return first;
}

/* Appends TEXT, and a number if that is not negative, to LINE. Async-signal-safe. */
static size_t put(char *line, size_t at, const char *text, long number)
{
    char digits[24];
    size_t count = sizeof digits;
    while (*text && at < LINE_BYTES - 1)
        line[at++] = *text++;
    if (number >= 0) {
        do
            digits[--count] = (char)('0' + number % 10);
        while (number /= 10);
        while (count < sizeof digits && at < LINE_BYTES - 1)
            line[at++] = digits[count++];
    }
    return at;
}

static void say(enum journal_ending ending, int number)
{
    static const char *const what[JOURNAL_ENDING_COUNT] = {
        [JOURNAL_EXIT] = " ended without MPI_Finalize",
        [JOURNAL_ABORT] = " called MPI_Abort",
        [JOURNAL_SIGNAL] = " got signal ",
    };
    static char line[LINE_BYTES]; /* a stack for signals may be small, and nobody else gets here */
    if (!*advice || !endings_first_to_say())
        return;
    size_t length = put(line, 0, "pilgrim: rank ", shown_rank);
    length = put(line, length, what[ending], ending == JOURNAL_SIGNAL ? number : -1);
    length = put(line, length, advice, -1);
    line[length++] = '\n';
    capture_write(line, length);
}

void endings_note(enum journal_ending ending, int number)
{
    if (!journal_started())
        return;
    const struct thread *t = thread_now;
    journal_end(ending, number, t ? t->journal : NULL);
    say(ending, number);
}

/* True if the process that got the signal is the one that the journal is of, and not a child. */
static bool is_recorded(void)
{
    return capture.process == getpid() && !(atomic_load(&capture.off) & (OFF_CHILD | OFF_FINISHED));
}

/* True if the signal comes again when the handler has returned, because the same instruction is executed. */
static bool is_fault(int number, const siginfo_t *info)
{
    return info->si_code > 0 && (number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL);
}

/* True if handlers of the signal mostly say something and send it again. */
static bool is_grave(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGABRT;
}

static void handle(int number, siginfo_t *info, void *context)
{
    int error = errno;
    const struct sigaction *old = &before[number];
    bool first = is_recorded();
    if (first)
        endings_note(JOURNAL_SIGNAL, number);
    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(number, info, context);
    } else if (old->sa_handler != SIG_DFL) {
        old->sa_handler(number);
    } else {
        sigaction(number, old, NULL);
        if (!is_fault(number, info))
            raise(number); /* nothing repeats it. It is blocked until this handler returns */
        errno = error;
        return;
    }
    if (first && !is_grave(number))
        journal_go_on(); /* the handler has returned, and so the program goes on */
    errno = error;
}

static void watch(int number)
{
    struct sigaction now;
    if (sigaction(number, NULL, &before[number]) ||
        (!(before[number].sa_flags & SA_SIGINFO) && before[number].sa_handler == SIG_IGN))
        return;
    now = before[number];
    now.sa_sigaction = handle;
    now.sa_flags |= SA_SIGINFO;
    if (!(before[number].sa_flags & SA_SIGINFO) && before[number].sa_handler == SIG_DFL)
        now.sa_flags |= SA_ONSTACK;
    sigaction(number, &now, NULL);
}

void endings_watch(void)
{
    const char *path = journaling_path();
    if (!path || *advice)
        return;
    const char *launched = capture.session ? launcher_rank() : NULL; /* in a session each process is rank 0 of 1 */
    shown_rank = launched ? atol(launched) : capture.rank;
    snprintf(said_path, sizeof said_path, "%s%s", path,
             journaling_is_apart() ? JOURNAL_SAID_SUFFIX : "/" RUN_FOLDER_SAID);
    snprintf(advice, sizeof advice, "; for a trace of the calls until then: %s", journaling_instruction());
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++)
        watch(watched[i]);
}
