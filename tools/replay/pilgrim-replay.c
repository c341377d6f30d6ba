/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim-replay: performs the MPI calls of a trace again, without the program.
 *
 * Rank 0 reads the trace and sends its bytes to all. Each rank then walks its own cursor (replay_thread.c), in a thread
 * whose stack is large enough for the arrays that programs have on theirs. What the replay
 * does for itself, it does through PMPI, so that a tracer of the replay sees the program's calls alone. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pilgrim/version.h"
#include "replay_actions.h"
#include "replay_ending.h"
#include "replay_files.h"
#include "replay_recorder.h"
#include "replay_thread.h"
#include "replay_touch.h"
#include "replay_watch.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, PIECE_BYTES = 1 << 26, WORD_S = 5 };

static struct replay_process replay;
static struct replay_options options;
static int status_of_program;
static const char *wrong_usage;
static int thread_level;
static int argument_count;
static char **arguments;

void replay_fail(const char *format, ...)
{
    char message[512];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    fprintf(stderr, "pilgrim-replay: %s\n", message);
    sleep(1); /* the launcher passes it on */
    PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    _exit(EXIT_FAILED);
}

/* ---- the trace ---- */

/* Reads the file into memory that has a name. Returns its descriptor, or -1 and errno. */
static int read_file(const char *path, int64_t *bytes)
{
    int to = memfd_create("trace", MFD_CLOEXEC), from = open(path, O_RDONLY | O_CLOEXEC);
    char *piece = malloc(PIECE_BYTES);
    ssize_t n = -1;
    *bytes = 0;
    if (to >= 0 && from >= 0 && piece)
        while ((n = read(from, piece, PIECE_BYTES)) > 0 && write(to, piece, (size_t)n) == n)
            *bytes += n;
    int error = errno;
    free(piece);
    if (from >= 0)
        close(from);
    errno = error;
    return from >= 0 && n == 0 ? to : -1;
}

/* Says why the file cannot be read: the reader knows what may be there in its place. */
static void say_why(void)
{
    const int why = errno;
    struct pilgrim_trace *trace = NULL;
    struct pilgrim_error opened;
    const bool readable = pilgrim_open(options.path, &trace, &opened) == PILGRIM_OK;
    fprintf(stderr, "pilgrim-replay: %s: %s\n", options.path, readable ? strerror(why) : opened.message);
    pilgrim_close(trace);
}

/* Gives all ranks the bytes of rank 0's file. Returns a descriptor; -1: rank 0 could not read it, and has said so. */
static int share_file(void)
{
    int64_t bytes = 0;
    int file = -1;
    if (replay.rank == 0) {
        file = read_file(options.path, &bytes);
        if (file < 0) {
            say_why();
            bytes = -1;
        }
    } else
        file = memfd_create("trace", MFD_CLOEXEC);
    PMPI_Bcast(&bytes, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (bytes < 0)
        return -1;
    if (replay.rank && (file < 0 || ftruncate(file, bytes)))
        replay_fail("rank %d: %s", replay.rank, strerror(errno));
    /* MPI may write to the root's buffer as well (the standard's MPI_Bcast has it as INOUT). */
    int sharing = replay.rank ? MAP_SHARED : MAP_PRIVATE;
    char *all = bytes ? mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, sharing, file, 0) : NULL;
    if (all == MAP_FAILED)
        replay_fail("rank %d: %s", replay.rank, strerror(errno));
    for (int64_t at = 0; at < bytes; at += PIECE_BYTES)
        PMPI_Bcast(all + at, (int)(bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES), MPI_BYTE, 0, MPI_COMM_WORLD);
    if (all)
        munmap(all, (size_t)bytes);
    return file;
}

/* Says of which ranks calls are not in the trace. Returns false if there are all. */
static bool partial(void)
{
    const char *missing = pilgrim_property(replay.trace, "missing"), *cut = pilgrim_property(replay.trace, "cut");
    if (!missing && !cut)
        return false;
    if (replay.rank == 0)
        fprintf(stderr, "pilgrim-replay: %s has %s calls of ranks %s: other ranks would wait for the rest\n",
                options.path, missing ? "no" : "only the first", missing ? missing : cut);
    return true;
}

static bool several_threads(uint32_t ranks)
{
    for (uint32_t i = 0; i < ranks; i++)
        if (pilgrim_thread_count(replay.trace, i) > 1)
            return true;
    return false;
}

/* Opens the trace on all ranks. Returns the program's exit status, after a line of rank 0; 0: it is open. */
static int open_trace(void)
{
    char path[64];
    struct pilgrim_error error = {.status = PILGRIM_OK};
    int file = share_file();
    if (file < 0)
        return EXIT_FAILED;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    enum pilgrim_status status = pilgrim_open(path, &replay.trace, &error);
    bool first = replay.rank == 0;
    if (status != PILGRIM_OK || error.status != PILGRIM_OK) {
        if (first)
            fprintf(stderr, "pilgrim-replay: %s: %s\n", options.path, error.message);
        return EXIT_FAILED;
    }
    if (partial())
        return EXIT_FAILED;
    replay.killed = pilgrim_property(replay.trace, "endings") || pilgrim_property(replay.trace, "in_flight");
    if (replay.killed && options.verify) {
        if (first)
            fprintf(stderr, "pilgrim-replay: %s: the run was killed, which --verify cannot repeat\n", options.path);
        return EXIT_USAGE;
    }
    uint32_t ranks = pilgrim_rank_count(replay.trace);
    if (ranks != (uint32_t)replay.ranks) {
        if (first)
            fprintf(stderr, "pilgrim-replay: %s has %u rank%s: start the replay with mpiexec -n %u\n", options.path,
                    ranks, ranks == 1 ? "" : "s", ranks);
        return EXIT_USAGE;
    }
    if (several_threads(ranks) && !options.threads) {
        if (first)
            fprintf(stderr, "pilgrim-replay: %s: a rank has several threads: give --threads\n", options.path);
        return EXIT_USAGE;
    }
    if (several_threads(ranks) && thread_level < MPI_THREAD_MULTIPLE) {
        if (first)
            fprintf(stderr, "pilgrim-replay: %s: a rank has several threads, but this MPI has no MPI_THREAD_MULTIPLE\n",
                    options.path);
        return EXIT_USAGE;
    }
    return 0;
}

/* Finds the loop on all ranks. Returns the program's exit status, after a line. */
static int find_loop(void)
{
    struct pilgrim_error error = {.message = ""};
    if (!options.loop)
        return 0;
    int found =
        loop_find(replay.trace, (uint32_t)replay.rank, options.loop, options.trips, &replay.loop, &error) == PILGRIM_OK;
    if (!found)
        fprintf(stderr, "pilgrim-replay: %s: rank %d: %s\n", options.path, replay.rank, error.message);
    PMPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return found ? 0 : EXIT_USAGE;
}

/* ---- the run ---- */

/* Makes the folder for files, the same on all ranks. */
static void make_folder(void)
{
    static char folder[REPLAY_PATH_BYTES];
    if (replay.rank == 0) {
        const char *made = files_folder_new();
        if (!made)
            replay_fail("no folder in TMPDIR or /tmp: %s", strerror(errno));
        snprintf(folder, sizeof folder, "%s", made);
    }
    PMPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (replay.rank)
        files_folder_share(folder);
    replay.folder = folder;
}

static void begin_watch(void)
{
    MPI_Comm machine;
    int index, count;
    if (PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, replay.rank, MPI_INFO_NULL, &machine) != MPI_SUCCESS)
        return;
    PMPI_Comm_rank(machine, &index);
    PMPI_Comm_size(machine, &count);
    PMPI_Comm_free(&machine);
    watch_begin(&replay, index, count, count == replay.ranks);
}

/* Prints what was done, and what was not. SUMS: of all ranks; END: how the replay ended, or "" */
static void print_summary(const uint64_t sums[ENDING_COUNTS], double seconds, const char *end)
{
    static const char *const words[ENDING_COUNTS] = {"",
                                                     "that failed then",
                                                     "of functions that are not replayed",
                                                     "that could not be made",
                                                     "received from any",
                                                     "that fail now",
                                                     "that ended fewer requests at once"};
    fprintf(stderr, "pilgrim-replay: %llu calls of %d ranks in %.3f s", (unsigned long long)sums[0], replay.ranks,
            seconds);
    for (int i = 1; i < ENDING_COUNTS; i++)
        if (sums[i])
            fprintf(stderr, "; %llu %s", (unsigned long long)sums[i], words[i]);
    fprintf(stderr, "%s\n", end);
}

/* Adds up what was done over all ranks. */
static void summarize(double seconds)
{
    const struct replay_counts *c = &replay.counts;
    uint64_t own[ENDING_COUNTS] = {0}, all[ENDING_COUNTS], loop_ns;
    if (c->impossible && !options.quiet)
        fprintf(stderr, "pilgrim-replay: rank %d: %s was left out: %s\n", replay.rank, c->first_name, c->first_problem);
    replay_counts_list(c, own);
    PMPI_Reduce(own, all, ENDING_COUNTS, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    PMPI_Reduce(&replay.loop_ns, &loop_ns, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    if (replay.rank || options.quiet)
        return;
    if (options.loop)
        fprintf(stderr, "pilgrim-replay: loop %llu: %llu trips in %.6f s, %.3f us each\n",
                (unsigned long long)options.loop, (unsigned long long)options.trips, (double)loop_ns / 1e9,
                (double)loop_ns / 1e3 / (double)options.trips);
    print_summary(all, seconds, "");
}

static double seconds_since(uint64_t start)
{
    return (double)(replay_now() - start) / 1e9;
}

static void remove_folder(void)
{
    if (replay.rank == 0)
        files_folder_remove(replay.folder);
    else
        rmdir(replay.folder);
}

/* The run was killed: ends all ranks if one of them hangs in its last call. */
static void end_killed(uint64_t start)
{
    if (ending_all(&replay))
        return;
    const double seconds = seconds_since(start);
    if (!ending_speaks(&replay))
        sleep(WORD_S); /* MPI_Abort ends the rank that speaks, too */
    else if (!options.quiet) {
        print_summary(ending_sums(), seconds,
                      "; the run was killed, and a rank hangs in its last call as then: ended by MPI_Abort");
        sleep(1); /* the launcher passes it on */
    }
    files_folder_remove(replay.folder); /* rank 0 may be the one that hangs */
    PMPI_Abort(MPI_COMM_WORLD, 0);
    _exit(0);
}

static void run_all(void)
{
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    replay.warm.arenas = &replay.arenas;
    touch_buffers(&replay.warm, replay.trace, (uint32_t)replay.rank, (uint32_t)replay.ranks);
    ending_begin(&replay);
    begin_watch();
    pool_run(&replay);
    const uint64_t start = replay.start_ns;
    if (replay.killed)
        end_killed(start);
    PMPI_Barrier(MPI_COMM_WORLD);
    double seconds = seconds_since(start);
    watch_end();
    summarize(seconds);
    remove_folder();
}

/* Returns the names of all functions that are not replayed, with commas between them; MPI_Init and the like are made
 * for the recorder. */
static const char *not_replayed(void)
{
    static char list[1 << 15];
    size_t length = 0;
    for (size_t i = 0; i < replay_action_count; i++) {
        const char *name = replay_actions[i].name;
        if (!replay_actions[i].perform && strncmp(name, "MPI_Init", 8) && strcmp(name, "MPI_Finalize") &&
            length + strlen(name) + 2 < sizeof list)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", length ? "," : "", name);
    }
    return list;
}

/* What the first thread does: MPI is initialised and finalized in it. */
static void *replay_all(void *unused)
{
    (void)unused;
    recorder_mpi_init(&argument_count, &arguments, options.threads, &thread_level);
    PMPI_Comm_rank(MPI_COMM_WORLD, &replay.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &replay.ranks);
    if (wrong_usage) {
        status_of_program = EXIT_USAGE;
        if (replay.rank == 0)
            fprintf(stderr, "pilgrim-replay: %s\n", wrong_usage);
    } else {
        replay.options = &options;
        status_of_program = open_trace();
        if (!status_of_program)
            status_of_program = find_loop();
    }
    if (!status_of_program) {
        make_folder();
        run_all();
    }
    recorder_mpi_finalize();
    if (!status_of_program && options.verify)
        status_of_program = recorder_compare(&options, replay.rank, not_replayed());
    recorder_end();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t first;
    wrong_usage = replay_options_parse(&options, argc, argv);
    if (!wrong_usage && options.recorded && !recorder_is_there() && access(options.recorded, F_OK) == 0)
        wrong_usage = "--verify: there is a file of that name, and it is kept; give another name";
    if (!wrong_usage && options.help)
        replay_options_help();
    else if (!wrong_usage && options.version)
        puts("pilgrim-replay " PILGRIM_VERSION_TEXT);
    else {
        if (!wrong_usage && options.verify && !recorder_start(&options, argv))
            return EXIT_FAILED;
        argument_count = argc;
        arguments = argv;
        if (!pool_start(&first, replay_all, NULL, false)) {
            fputs("pilgrim-replay: no thread with a stack of 520 MiB\n", stderr);
            return EXIT_FAILED;
        }
        pthread_join(first, NULL);
    }
    return status_of_program;
}
