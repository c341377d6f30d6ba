/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends of the process; see endings.h.
 *
 * A signal whose default action ends the process gets a handler that stores a word in the journal. Then it restores the
 * default action, so that the signal ends the process just as without Pilgrim: an instruction that faults is executed
 * again, any other signal is sent again. A handler that was there (of a language's runtime, of MPI, of the program) is
 * called by ours, with the same arguments, mask and stack. Many programs go on after that handler (checkpoints, timers,
 * repaired faults), so a line is printed only when it is sure that the process ends: before a handler that cannot
 * return, after one that has left the signal its default action, or when the handler exits.
 *
 * A SIGBUS for a journal that something else has made shorter is ours: nobody else sees it. */
#include "process/endings.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/spare_files.h"
#include "format/run_folder.h"
#include "journal/journal.h"
#include "journal/journal_mappings.h"
#include "process/capture.h"
#include "process/journaling.h"
#include "process/launcher.h"
#include "process/thread.h"
#include "unwind/crash_walk.h"

enum {
    LINE_BYTES = 4 * PATH_MAX + 256,
    SIGNALS = 32,
    HOST_BYTES = 256,
    WALKS_MAX = 16 /* for signals that the program handles: it may get many, and go on */
};

static const int watched[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGSYS,  SIGTRAP, SIGABRT, SIGTERM,
                              SIGINT,  SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2};

static struct sigaction before[SIGNALS]; /* by signal */
static char said_path[PATH_MAX + 32];    /* the file that says that somebody has told the user */
static char advice[LINE_BYTES];          /* the end of the line */
static long shown_rank;                  /* of this process */
static char shown_host[HOST_BYTES];      /* " on HOST", if the machines do not share the folder */
static atomic_bool over;                 /* the process ends as it was noted, whatever comes */
static char error_text[LINE_BYTES / 4];  /* what is said of a fatal MPI error */

bool endings_first_to_say(void)
{
    if (!journal_damaged() && !journal_first_to_say())
        return false;
    int error = errno,
        file = spare_open(AT_FDCWD, said_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0)
        spare_close(file);
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

/* True if the process may end so because another one has. */
static bool may_follow(enum journal_ending ending, int number)
{
    return ending != JOURNAL_SIGNAL || number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGUSR1 ||
           number == SIGUSR2;
}

static void say(enum journal_ending ending, int number)
{
    static const char *const what[JOURNAL_ENDING_COUNT] = {
        [JOURNAL_EXIT] = " ended without MPI_Finalize",
        [JOURNAL_ABORT] = " called MPI_Abort",
        [JOURNAL_SIGNAL] = " got signal ",
        [JOURNAL_ERROR] = " had a fatal MPI error",
    };
    static char line[LINE_BYTES]; /* a stack for signals may be small, and nobody else gets here */
    if (!*advice || !endings_first_to_say())
        return;
    long killed = may_follow(ending, number) && !capture.session ? journal_killed() : -1;
    size_t length = put(line, 0, "pilgrim: rank ", killed >= 0 ? killed : shown_rank);
    length = put(line, length, shown_host, -1);
    if (killed >= 0) {
        length = put(line, length, " was killed", -1);
    } else {
        length = put(line, length, what[ending], ending == JOURNAL_SIGNAL ? number : -1);
        length = put(line, length, ending == JOURNAL_ERROR ? error_text : "", -1);
    }
    length = put(line, length, advice, -1);
    line[length++] = '\n';
    capture_write(line, length);
}

/* Notes the ending in the journal. Async-signal-safe. */
static void note(enum journal_ending ending, int number)
{
    const struct thread *t = thread_now;
    if (atomic_load(&over))
        return;
    journal_end(ending, number, t ? t->journal : NULL);
}

void endings_note(enum journal_ending ending, int number)
{
    if (!journal_started() || atomic_load(&over))
        return;
    note(ending, number);
    ending = journal_ended(&number);
    say(ending, number);
}

void endings_error(const char *text)
{
    snprintf(error_text, sizeof error_text, "%s", text);
}

void endings_are_over(void)
{
    atomic_store(&over, true);
}

void endings_note_error(int code)
{
    if (journal_started())
        note(JOURNAL_ERROR, code);
}

void endings_go_on(void)
{
    atomic_store(&over, false);
    if (journal_started())
        journal_go_on();
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

/* True if the default action of a signal that is watched leaves a core: it is of interest where the thread was. */
static bool is_crash(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGABRT ||
           number == SIGTRAP || number == SIGSYS || number == SIGQUIT || number == SIGXCPU;
}

/* Notes in the journal where the thread is that got the signal. SURE: the process ends. If several threads get one at
 * the same time, the first one counts. */
static void note_crash(int number, const siginfo_t *info, const void *context, bool sure)
{
    static atomic_uint walks;
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    struct crash_stack *stack = is_crash(number) ? journal_crash() : NULL;
    if (!stack || (!sure && atomic_fetch_add(&walks, 1) >= WALKS_MAX) || atomic_flag_test_and_set(&busy))
        return;
    stack->signal = 0;
    stack->has_address = (number == SIGSEGV || number == SIGBUS) && info->si_code > 0 && info->si_code != SI_KERNEL;
    stack->address = stack->has_address ? (uint64_t)(uintptr_t)info->si_addr : 0;
    crash_walk(context, stack);
    stack->signal = number;
    if (!sure)
        atomic_flag_clear(&busy);
}

void endings_exit(void)
{
    if (is_recorded())
        endings_note(JOURNAL_EXIT, 0);
}

static bool is_default(const struct sigaction *action)
{
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

/* True if the process ends whatever the handler OLD does. abort does not return. */
static bool ends_surely(int number, const struct sigaction *old)
{
    return is_default(old) || number == SIGABRT;
}

/* True if the process ends now that the handler returns: the signal has its default action, and comes again. */
static bool ends_now(int number, const siginfo_t *info)
{
    struct sigaction now;
    sigset_t pending;
    return !sigaction(number, NULL, &now) && is_default(&now) &&
           (is_fault(number, info) || (!sigpending(&pending) && sigismember(&pending, number) == 1));
}

static bool is_watched(int number)
{
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++)
        if (watched[i] == number)
            return true;
    return false;
}

void endings_kill(int number)
{
    struct sigaction now;
    sigset_t blocked;
    if (!is_recorded() || !journal_started())
        return;
    if (number != SIGKILL && (!is_watched(number) || sigaction(number, NULL, &now) || !is_default(&now) ||
                              pthread_sigmask(SIG_BLOCK, NULL, &blocked) || sigismember(&blocked, number)))
        return;
    note(JOURNAL_SIGNAL, number);
    say(JOURNAL_SIGNAL, number);
}

static void handle(int number, siginfo_t *info, void *context)
{
    int error = errno;
    const struct sigaction *old = &before[number];
    if (number == SIGBUS && info->si_code > 0 && journal_repair(info->si_addr)) {
        if (thread_now)
            thread_now->grown = true; /* so that the call does not take the quick way, and sees it */
        return;
    }
    if (old->sa_flags & (int)SA_RESETHAND)
        signal(number, SIG_DFL);
    bool first = is_recorded() && journal_started(), sure = ends_surely(number, old);
    if (first) {
        note_crash(number, info, context, sure);
        note(JOURNAL_SIGNAL, number);
    }
    if (first && sure)
        say(JOURNAL_SIGNAL, number);
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
    if (first && ends_now(number, info))
        say(JOURNAL_SIGNAL, number);
    else if (first && number != SIGABRT)
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
    now.sa_flags = (now.sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO; /* it may have to repair the journal, and again */
    if (is_default(&before[number]))
        now.sa_flags |= SA_ONSTACK;
    sigaction(number, &now, NULL);
}

void endings_watch(void)
{
    char host[HOST_BYTES - sizeof " on "] = "";
    const char *path = journaling_path();
    if (!path || *advice)
        return;
    const char *launched = capture.session ? launcher_rank() : NULL; /* in a session each process is rank 0 of 1 */
    shown_rank = launched ? atol(launched) : capture.rank;
    snprintf(said_path, sizeof said_path, "%s%s", path,
             journaling_is_apart() ? JOURNAL_SAID_SUFFIX : "/" RUN_FOLDER_SAID);
    snprintf(advice, sizeof advice, "%s; for a trace of the calls until then: %s",
             journaling_scattered() ? "; the machines share no folder" : "", journaling_instruction());
    if (journaling_scattered() && !gethostname(host, sizeof host - 1))
        snprintf(shown_host, sizeof shown_host, " on %.*s", (int)(sizeof shown_host - sizeof " on "), host);
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++)
        watch(watched[i]);
    (void)at_quick_exit(endings_exit);
}
