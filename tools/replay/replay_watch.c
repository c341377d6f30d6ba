/* SPDX-License-Identifier: BSD-3-Clause */
/* The watching thread; see replay_watch.h. Each process writes into a shared file since when it is in its call. A
 * process whose rank has ended its calls counts as one that waits. */
#include "replay_watch.h"

#include <fcntl.h>
#include <inttypes.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "replay_files.h"
#include "replay_thread.h"

enum { WATCH_US = 100000, SAY_TIMES = 100, ABORT_S = 10, LINE_BYTES = 64 };

/* One a process, in a cache line of its own. */
struct watch_cell {
    _Atomic uint64_t since_ns; /* 0: it goes on */
    _Atomic uint64_t said;     /* 1: that there is a deadlock */
    char rest[LINE_BYTES - 2 * sizeof(uint64_t)];
};

static struct {
    struct replay_process *replay;
    struct watch_cell *cells;
    int index, count;
    bool all;
    atomic_bool stop, running;
    pthread_t id;
} watch;

static void print_call(const struct replay_process *r, const struct replay_thread *t)
{
    const char *name = atomic_load(&t->in);
    int64_t peer = atomic_load(&t->peer), tag = atomic_load(&t->tag);
    char with[64] = "";
    if (peer != INT64_MIN)
        snprintf(with, sizeof with, "rank %" PRId64 ", tag %" PRId64, peer, tag);
    char thread[32] = "";
    if (r->thread_count > 1)
        snprintf(thread, sizeof thread, ", thread %" PRIu32, t->number);
    fprintf(stderr, "pilgrim-replay: deadlock: rank %d%s, call #%" PRIu64 ": %s(%s) has not ended for %g s\n", r->rank,
            thread, atomic_load(&t->seq), name ? name : "", with, r->options->stuck_s);
}

static void print_calls(struct replay_process *r)
{
    bool some = false;
    pool_lock(r);
    for (size_t i = 0; i < POOL_THREADS_MAX; i++)
        if (r->threads[i]) {
            print_call(r, r->threads[i]);
            some = true;
        }
    pool_unlock(r);
    if (!some)
        fprintf(stderr, "pilgrim-replay: deadlock: rank %d has ended its calls, and waits for the others\n", r->rank);
}

static uint64_t process_since(struct replay_process *r)
{
    pool_lock(r);
    uint64_t since = pool_still_since(r);
    pool_unlock(r);
    return since;
}

/* Waits until each process has said which calls have not ended; not for ever: one may have been stopped. */
static void wait_until_said(void)
{
    int silent = watch.count;
    for (int times = 0; times < SAY_TIMES && silent; times++) {
        usleep(WATCH_US);
        silent = 0;
        for (int i = 0; i < watch.count; i++)
            silent += !atomic_load(&watch.cells[i].said);
    }
}

/* Ends all processes with exit status 1. Some launchers lose that of a process that just exits (MPICH 4.2's a quarter
 * of them). */
static void end_job(void)
{
    files_folder_remove(watch.replay->folder);
    signal(SIGALRM, SIG_DFL);
    alarm(ABORT_S); /* the deadlock may keep MPI's lock */
    PMPI_Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}

static void *look(void *argument)
{
    (void)argument;
    struct replay_process *r = watch.replay;
    bool said = false;
    while (!atomic_load(&watch.stop)) {
        usleep(WATCH_US);
        atomic_store(&watch.cells[watch.index].since_ns, process_since(r));
        uint64_t now = replay_now();
        bool stuck = true;
        for (int i = 0; i < watch.count && stuck; i++) {
            uint64_t since = atomic_load(&watch.cells[i].since_ns);
            stuck = since && (double)(now - since) > r->options->stuck_s * 1e9;
        }
        if (!stuck || said || atomic_load(&watch.stop))
            continue;
        said = true;
        print_calls(r);
        if (!watch.all)
            continue;
        atomic_store(&watch.cells[watch.index].said, 1);
        wait_until_said();
        sleep(watch.index == 0 ? 1 : 1 + ABORT_S); /* the launcher passes it on; one ends the job */
        end_job();
    }
    return NULL;
}

void watch_begin(struct replay_process *r, int index, int count, bool all)
{
    char path[REPLAY_PATH_BYTES + 16];
    size_t bytes = (size_t)count * sizeof(struct watch_cell);
    snprintf(path, sizeof path, "%s/watch", r->folder);
    int file = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0 || ftruncate(file, (off_t)bytes)) {
        if (file >= 0)
            close(file);
        return;
    }
    watch.cells = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if ((void *)watch.cells == MAP_FAILED)
        return;
    watch.replay = r;
    watch.index = index;
    watch.count = count;
    watch.all = all;
    if (pthread_create(&watch.id, NULL, look, NULL) == 0)
        atomic_store(&watch.running, true);
}

void watch_end(void)
{
    if (!atomic_load(&watch.running))
        return;
    atomic_store(&watch.stop, true);
    pthread_join(watch.id, NULL);
    atomic_store(&watch.running, false);
}
