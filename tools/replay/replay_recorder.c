/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorder of a replay; see replay_recorder.h. */
#define _GNU_SOURCE
#include "replay_recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where --verify has its trace, unless the user says. */
static const char folder_variable[] = "REPLAY_VERIFY_FOLDER";
static const char trace_name[] = "replay.pilgrim";

static bool hidden;      /* MPI is initialised behind the recorder's back */
static bool is_recorded; /* MPI_Init was made, MPI_Finalize was not */

/* ---- the hook ---- */

typedef const void *site_function(const struct pilgrim_frame *site);
typedef void call_at_function(const void *site, int fortran);

static void *named(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

static site_function *find_site(void)
{
    static site_function *found;
    static bool looked;
    if (!looked)
        found = (site_function *)(uintptr_t)named("pilgrim_runtime_site");
    looked = true;
    return found;
}

bool recorder_is_there(void)
{
    return find_site() != NULL;
}

const void *recorder_site(const struct pilgrim_frame *site)
{
    return find_site()(site);
}

void recorder_call_at(const void *site, bool fortran)
{
    static call_at_function *found;
    if (!found)
        found = (call_at_function *)(uintptr_t)named("pilgrim_runtime_call_at");
    if (found)
        found(site, fortran);
}

/* ---- MPI's beginning and end ---- */

/* MPI's own functions. The process finds these names in this program first. */
static void *of_mpi(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "pilgrim-replay: the MPI library has no %s\n", name);
        _exit(1);
    }
    return found;
}

int PMPI_Init(int *argc, char ***argv)
{
    int (*real)(int *, char ***) = (int (*)(int *, char ***))(uintptr_t)of_mpi("PMPI_Init");
    return hidden ? MPI_SUCCESS : real(argc, argv);
}

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int (*real)(int *, char ***, int, int *) =
        (int (*)(int *, char ***, int, int *))(uintptr_t)of_mpi("PMPI_Init_thread");
    return hidden ? PMPI_Query_thread(provided) : real(argc, argv, required, provided);
}

int PMPI_Finalize(void)
{
    int (*real)(void) = (int (*)(void))(uintptr_t)of_mpi("PMPI_Finalize");
    return hidden ? MPI_SUCCESS : real();
}

void recorder_mpi_init(int *argc, char ***argv, bool threads, int *provided)
{
    int level = threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    if (recorder_is_there())
        PMPI_Init_thread(argc, argv, level, provided);
    else if (threads)
        MPI_Init_thread(argc, argv, level, provided);
    else
        MPI_Init(argc, argv);
    hidden = recorder_is_there();
}

/* A program that pauses recording may have its MPI_Finalize in the pause. */
void recorder_mpi_finalize(void)
{
    if (is_recorded)
        MPI_Finalize();
    hidden = false;
    if (recorder_is_there())
        PMPI_Finalize();
    else
        MPI_Finalize();
}

void recorder_begin_or_end(const struct pilgrim_call *call)
{
    const char *name = call->function->name;
    int provided;
    if (!hidden || (strncmp(name, "MPI_Init", 8) && strcmp(name, "MPI_Finalize")))
        return;
    if (strcmp(name, "MPI_Init") == 0)
        MPI_Init(NULL, NULL);
    else if (strcmp(name, "MPI_Init_thread") == 0)
        MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided);
    else if (strcmp(name, "MPI_Finalize") == 0)
        MPI_Finalize();
    is_recorded = name[4] == 'I';
}

/* ---- --verify ---- */

/* Writes the path of NAME, which lies beside this program. */
static bool beside(char path[PATH_MAX], const char *name)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0)
        return false;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    size_t room = slash ? (size_t)(path + PATH_MAX - slash - 1) : 0;
    return slash && (size_t)snprintf(slash + 1, room, "%s", name) < room && access(path, X_OK) == 0;
}

static bool complain(const char *what)
{
    fprintf(stderr, "pilgrim-replay: --verify: %s: %s\n", what, strerror(errno));
    return false;
}

bool recorder_start(const struct replay_options *options, char **argv)
{
    static char run[PATH_MAX], folder[PATH_MAX], trace[PATH_MAX + 32];
    const char *place = getenv("TMPDIR");
    size_t count = 0;
    if (recorder_is_there())
        return true;
    if (!beside(run, "pilgrim-run"))
        return complain("pilgrim-run, beside pilgrim-replay");
    snprintf(folder, sizeof folder, "%s/pilgrim-verify-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(folder))
        return complain(folder);
    snprintf(trace, sizeof trace, "%s/%s", folder, trace_name);
    setenv(folder_variable, folder, 1);
    setenv("PILGRIM_TRACE", options->recorded ? options->recorded : trace, 1);
    setenv("PILGRIM_QUIET", "1", 1);
    setenv("PILGRIM_TIMING", "off", 0);
    unsetenv("PILGRIM_OFF");
    unsetenv("PILGRIM_FILTER");
    while (argv[count])
        count++;
    char **all = calloc(count + 2, sizeof *all);
    if (!all)
        return complain("memory");
    all[0] = run;
    memcpy(all + 1, argv, count * sizeof *argv);
    execv(run, all);
    rmdir(folder);
    return complain(run);
}

/* Runs pilgrim-diff. Returns its exit status. */
static int run_diff(const struct replay_options *options, const char *recorded, const char *not_replayed)
{
    char diff[PATH_MAX], ignored[64], replay[1 << 15];
    if (!beside(diff, "pilgrim-diff")) {
        complain("pilgrim-diff, beside pilgrim-replay");
        return 1;
    }
    /* Threads are not in step, so what they make has other numbers. */
    snprintf(ignored, sizeof ignored, "--ignore=times%s%s%s%s", options->count_polls ? "" : ",polls",
             options->keep_strings ? "" : ",texts", options->free_order ? ",results" : "",
             options->free_order || options->threads ? ",objects,buffers" : "");
    snprintf(replay, sizeof replay, "--replay=%s", not_replayed);
    pid_t child = fork();
    if (child == 0) {
        unsetenv("LD_PRELOAD");
        execl(diff, diff, ignored, replay, options->path, recorded, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int recorder_compare(const struct replay_options *options, int rank, const char *not_replayed)
{
    const char *recorded = getenv("PILGRIM_TRACE");
    int status = 0;
    if (rank == 0 && recorded && access(recorded, R_OK)) {
        fputs("pilgrim-replay: --verify: the replay has left no trace of all ranks to compare; the recorder's lines "
              "above "
              "say why\n",
              stderr);
        status = 1;
    } else if (rank == 0 && recorded)
        status = run_diff(options, recorded, not_replayed);
    return status;
}

void recorder_end(void)
{
    const char *folder = getenv(folder_variable);
    char trace[PATH_MAX + 32];
    if (!folder)
        return;
    snprintf(trace, sizeof trace, "%s/%s", folder, trace_name);
    unlink(trace);
    rmdir(folder);
}
