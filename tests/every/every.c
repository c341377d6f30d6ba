/* SPDX-License-Identifier: BSD-3-Clause */
/* every: each wrapped function with legal arguments, then with one other argument at a time.
 *
 *   every [thread]         MPI_Init_thread instead of MPI_Init
 *   every probe            on one rank: each call with another argument in a process of its own; prints how it ends
 *   every handler          the calls with another argument under an error handler that counts, instead of
 * MPI_ERRORS_RETURN every show [thread]    prints each call's name before it is made, on stderr
 *
 * The calls are generated (tests/every/generate) from the table tests/every/calls. Legal calls are made by all ranks
 * together on a duplicate of MPI_COMM_WORLD and must succeed. The others are made by each rank alone, on a duplicate of
 * MPI_COMM_SELF under MPI_ERRORS_RETURN, so that nobody waits for a rank whose call failed. Codes, classes and integer
 * outputs are gathered and printed by rank 0; they are the same in each run.
 */
#include "every.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* The upper bits of MPICH's codes are a hash of the message, in which handles and addresses stand, and how many errors
 * there were before, some of which the library made for itself. */
enum { PROBE_S = 3, CODE_MASK = 0x0007ffff };

static struct {
    char *chars;
    size_t length, room;
} out;
static int show, failures, returned, last_code;

static void print(const char *text)
{
    size_t length = strlen(text);
    if (out.length + length + 1 > out.room) {
        out.room = 2 * (out.length + length + 1);
        out.chars = realloc(out.chars, out.room);
        if (!out.chars)
            exit(1);
    }
    memcpy(out.chars + out.length, text, length + 1);
    out.length += length;
}

void every_code(int code)
{
    char text[64];
    int class = MPI_SUCCESS;
    last_code = code;
    returned++;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    if (class == MPI_SUCCESS)
        snprintf(text, sizeof text, " %s", code == MPI_SUCCESS ? "ok" : "a code of no class");
    else
        snprintf(text, sizeof text, " class %d code 0x%x", class, (unsigned)code & CODE_MASK);
    print(text);
}

void every_value(const char *name, long long value)
{
    char text[96];
    snprintf(text, sizeof text, " %s=%lld", name, value);
    print(text);
}

void every_value_only(long long value)
{
    (void)value;
}

static void call_make(const struct every_call *call, int wrong)
{
    if (show)
        fprintf(stderr, "%s %s\n", call->name, wrong ? call->wrongs[wrong - 1] : "");
    print(call->name);
    if (wrong) {
        print(" ");
        print(call->wrongs[wrong - 1]);
    }
    print(":");
    last_code = MPI_SUCCESS;
    handled = 0;
    call->call(wrong);
    if (handled)
        every_value("handled", handled);
    print("\n");
}

static void legal_calls(void)
{
    char text[96];
    int count = 0, refused = 0;
    for (const struct every_call *call = every_calls; call->name; call++) {
        if (s.size < call->ranks_min)
            continue;
        int before = returned;
        call_make(call, 0);
        count += !call->fails;
        refused += call->fails;
        if (returned != before && (last_code != MPI_SUCCESS) != call->fails) {
            fprintf(stderr, "%s %s\n", call->name, call->fails ? "does not fail" : "fails with legal arguments");
            failures++;
        }
    }
    snprintf(text, sizeof text, "%d functions called with legal arguments, %d that this library refuses\n", count,
             refused);
    print(text);
}

static void other_calls(void)
{
    char text[64];
    int count = 0, failed = 0;
    for (const struct every_call *call = every_calls; call->name; call++)
        for (int wrong = 1; call->wrongs && call->wrongs[wrong - 1]; wrong++) {
            call_make(call, wrong);
            count++;
            failed += last_code != MPI_SUCCESS;
        }
    snprintf(text, sizeof text, "%d calls with another argument, %d of them wrong\n", count, failed);
    print(text);
}

/* How the call ends in a child, before and without any harm to this process. */
static void probe(const struct every_call *call, int wrong)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(PROBE_S);
        out.length = 0;
        call->call(wrong);
        printf("%s %s:%s\n", call->name, call->wrongs[wrong - 1], out.length ? out.chars : "");
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        const char *how = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hangs" : "crashes";
        printf("%s %s: %s\n", call->name, call->wrongs[wrong - 1], how);
    }
}

static void probe_all(void)
{
    for (const struct every_call *call = every_calls; call->name; call++)
        for (int wrong = 1; call->wrongs && call->wrongs[wrong - 1]; wrong++)
            probe(call, wrong);
}

static void print_all(void)
{
    int rank, size, length = (int)out.length, lengths[RANKS_MAX], places[RANKS_MAX];
    char *all = NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        int total = 0;
        for (int i = 0; i < size; i++) {
            places[i] = total;
            total += lengths[i];
        }
        all = malloc((size_t)total + 1);
        if (!all)
            exit(1);
        all[total] = 0;
    }
    MPI_Gatherv(out.chars, length, MPI_CHAR, all, lengths, places, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (all)
        fputs(all, stdout);
    free(all);
}

/* What MPI_Comm_spawn starts. */
static int child_run(void)
{
    MPI_Comm parent;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    int provided, failed = 0;
    int probing = argc > 1 && strcmp(argv[1], "probe") == 0;
    show = argc > 1 && strcmp(argv[1], "show") == 0;
    if (argc > 1 && strcmp(argv[argc - 1], "thread") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    else
        MPI_Init(&argc, &argv);
    if (argc > 1 && strcmp(argv[argc - 1], "child") == 0)
        return child_run();
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    if (!probing) {
        arguments_make(MPI_COMM_WORLD);
        legal_calls();
        arguments_free();
    }
    arguments_make(MPI_COMM_SELF);
    if (probing) {
        probe_all();
        return 0;
    }
    if (argc > 1 && strcmp(argv[argc - 1], "handler") == 0)
        arguments_count_errors();
    other_calls();
    arguments_free();
    print_all();
    MPI_Allreduce(&failures, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_T_finalize();
    MPI_Finalize();
    return failed != 0;
}
