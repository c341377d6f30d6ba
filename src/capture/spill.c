/* Bounded memory while recording; see spill.h.
 *
 * What becomes of a round is in the bound, too: sealing it takes one to two times the stream's memory, writing it into the trace at the
 * end five to ten times. One thread at a time seals, so with n threads each may have a part in n + SEALING of the bound.
 *
 * The application must not notice: errno is as before, writing raises no signal and is no point where a thread may be cancelled, and the
 * file is open only while it is written. */
#define _GNU_SOURCE 1
#include "capture/spill.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/try.h"
#include "capture/capture.h"
#include "capture/own.h"
#include "format/output.h"
#include "format/write_file.h"

enum {
    SEALING = 9,          /* shares of the bound that no thread has */
    MACHINE_SHARE = 8,    /* of the machine's memory the processes on it may have a part in so many */
    LOOK_BYTES = 1 << 14, /* as long as the bound is not known */
    PATIENCE_SHARE = 32,  /* of its limit a stream may grow by a part in so many while a good place to seal it is looked for */
    LOOK_SHARE = 32,      /* a stream is looked at again when it has grown by a part in so many of its limit, or later */
    NAME_BYTES = 32
};

struct round {
    uint64_t start; /* in the file */
    size_t length;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static bool ended;
static bool first;        /* of all processes in the folder */
static struct bytes folder; /* absolute, 0-terminated; empty: there is none yet */
static struct bytes path;   /* of the file in it */
static uint64_t file_length;
static struct round *rounds;
static uint32_t round_count, round_capacity;

static atomic_size_t bound; /* 0: not known yet */

/* ---- how much ---- */

void spill_begin(int processes)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t most = capture.settings.memory_bytes;
    if (pages > 0 && page > 0 && processes > 0) {
        uint64_t part = (uint64_t)pages * (uint64_t)page / MACHINE_SHARE / (uint64_t)processes;
        most = part < most ? part : most;
    }
    atomic_store(&bound, most > SETTINGS_MEMORY_MIN ? (size_t)most : (size_t)SETTINGS_MEMORY_MIN);
}

/* What a thread may have; 0: not known. */
static size_t share(void)
{
    return atomic_load_explicit(&bound, memory_order_relaxed) / (thread_count() + SEALING);
}

static void grown(void *context)
{
    ((struct thread *)context)->grown = true;
}

/* Looks again at T, which has MEMORY. */
static void watch_again(struct thread *t, size_t memory, size_t limit)
{
    size_t left = limit > memory ? limit - memory : 0, least = limit / LOOK_SHARE;
    stream_watch(t->stream, left / 2 > least ? left / 2 : least, grown, t);
}

void spill_watch(struct thread *t)
{
    size_t limit = share();
    stream_watch(t->stream, limit ? limit / 2 : LOOK_BYTES, grown, t);
}

/* ---- the file ---- */

enum pilgrim_status spill_head(struct bytes *file)
{
    struct fragment_head head = {
        .run = capture.run.id,
        .rank = (uint32_t)capture.rank,
        .ranks = (uint32_t)capture.size,
        .times = capture.settings.times,
        .tracer = CAPTURE_TRACER,
        .trace = capture.run.trace,
    };
    head.property_count = own_properties(head.properties);
    return fragment_file_begin(&head, file);
}

enum pilgrim_status spill_path(const char *in, struct bytes *file)
{
    char name[NAME_BYTES];
    int length = snprintf(name, sizeof name, "/%d" FRAGMENT_FILE_SUFFIX, capture.rank);
    bytes_put(file, in, strlen(in));
    bytes_put(file, name, (size_t)length + 1);
    return bytes_status(file);
}

/* FOUND, wherever the program goes with chdir, in `folder`. */
static enum pilgrim_status keep_folder(const char *found)
{
    char *here = *found == '/' ? strdup("") : getcwd(NULL, 0);
    if (!here)
        return errno == ENOMEM ? PILGRIM_NOMEM : PILGRIM_IO;
    bytes_put(&folder, here, strlen(here));
    if (*here)
        bytes_put_u8(&folder, '/');
    bytes_put(&folder, found, strlen(found) + 1);
    free(here);
    return bytes_status(&folder);
}

/* Makes the folder, and puts the beginning of the file into FILE. */
static enum pilgrim_status begin_file(struct bytes *file)
{
    TRY(spill_head(file));
    if (!*capture.run.trace)
        return PILGRIM_LIMIT;
    struct bytes found = {0};
    enum pilgrim_status status = output_folder(capture.run.trace, capture.run.id, &found, &first);
    if (status == PILGRIM_OK)
        status = keep_folder((const char *)found.data);
    bytes_free(&found);
    return status == PILGRIM_OK ? spill_path((const char *)folder.data, &path) : status;
}

/* Notes a round that stands at START. */
static enum pilgrim_status note_round(uint64_t start, size_t length)
{
    if (round_count == round_capacity) {
        uint32_t capacity = round_capacity * 2 + 16;
        struct round *more = realloc(rounds, capacity * sizeof *rounds);
        if (!more)
            return PILGRIM_NOMEM;
        rounds = more;
        round_capacity = capacity;
    }
    rounds[round_count++] = (struct round){start, length};
    return PILGRIM_OK;
}

static enum pilgrim_status put_round(const struct bytes *sealed)
{
    struct bytes file = {0};
    enum pilgrim_status status = path.length ? PILGRIM_OK : begin_file(&file);
    size_t head = file.length;
    bytes_put(&file, sealed->data, sealed->length);
    if (status == PILGRIM_OK)
        status = bytes_status(&file);
    if (status == PILGRIM_OK)
        status = note_round(file_length + head, sealed->length);
    if (status == PILGRIM_OK) {
        status = append_file((const char *)path.data, &file_length, file.data, file.length);
        round_count -= status != PILGRIM_OK;
    }
    bytes_free(&file);
    return status;
}

/* ---- sealing ---- */

/* T's stream becomes a round and is empty. If that fails it is as before. */
static enum pilgrim_status seal(struct thread *t)
{
    struct bytes sealed = {0};
    struct fragment *f = own_segment(t);
    enum pilgrim_status status = f ? fragment_seal_last(f, &sealed) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK)
        status = put_round(&sealed);
    bytes_free(&sealed);
    if (status != PILGRIM_OK)
        return status;
    stream_renew(t->stream);
    keeper_free(&t->keeper);
    t->round++;
    t->table_bytes = stream_memory_bytes(t->stream);
    return PILGRIM_OK;
}

static void stop(enum pilgrim_status status)
{
    if (status != PILGRIM_IO)
        capture_fail("out of memory to put away what was recorded");
    else if (!(atomic_fetch_or(&capture.off, OFF_FAILED) & OFF_FAILED))
        capture_say("%s: %s; what is recorded cannot be put away there, recording stops",
                    path.length ? (const char *)path.data : capture.run.trace, strerror(errno));
}

static void seal_carefully(struct thread *t)
{
    int error = errno, state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_mutex_lock(&lock);
    enum pilgrim_status status = ended ? PILGRIM_OK : seal(t);
    if (status != PILGRIM_OK)
        stop(status);
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(state, &state);
    errno = error;
}

/* Whether it is better to wait: rounds that begin where nothing is under way have equal values of a send, a receive and their completion at equal
 * places, and so need to be stored once. First it is seen how few operations there ever are, then the next such time is taken. */
static bool waits(struct thread *t, size_t limit)
{
    struct patience *p = &t->patience;
    size_t live = atomic_load_explicit(&t->requests->live, memory_order_relaxed);
    if (!p->left)
        *p = (struct patience){.left = limit / PATIENCE_SHARE, .whole = limit / PATIENCE_SHARE, .fewest = live};
    size_t taken = stream_growth(t->key.length);
    p->left = p->left > taken ? p->left - taken : 0;
    if (p->left > p->whole / 2)
        p->fewest = live < p->fewest ? live : p->fewest;
    else if (live <= p->fewest)
        p->left = 0;
    if (!live)
        p->left = 0;
    return p->left;
}

void spill_consider(struct thread *t)
{
    size_t memory = t->patience.left ? 0 : stream_memory_bytes(t->stream), limit = share();
    /* The table of classes stays: it must not make every call a round of its own. */
    if (limit && limit < t->table_bytes + limit / 4)
        limit = t->table_bytes + limit / 4;
    if (limit && (t->patience.left || memory >= limit)) {
        if (waits(t, limit))
            return; /* grown still: for the next call */
        seal_carefully(t);
        memory = stream_memory_bytes(t->stream);
    }
    t->grown = false;
    watch_again(t, memory, limit ? limit : memory + 2 * (size_t)LOOK_BYTES);
}

/* ---- the end ---- */

void spill_end(void)
{
    size_t total = 0, most = atomic_load(&bound) / (SEALING + 1);
    for (const struct thread *t = thread_first(); t; t = t->next)
        total += stream_memory_bytes(t->stream);
    pthread_mutex_lock(&lock);
    bool good = !(atomic_load(&capture.off) & OFF_FAILED) && most;
    for (struct thread *t = thread_first(); t && good && total > most; t = t->next) {
        total -= stream_memory_bytes(t->stream);
        good = !stream_calls(t->stream) || seal(t) == PILGRIM_OK;
    }
    ended = true;
    pthread_mutex_unlock(&lock);
}

uint32_t spill_rounds(void)
{
    return round_count;
}

const char *spill_folder(void)
{
    return round_count ? (const char *)folder.data : NULL;
}

bool spill_first(void)
{
    return first;
}

enum pilgrim_status spill_read(uint32_t number, struct bytes *sealed)
{
    return read_part((const char *)path.data, rounds[number].start, rounds[number].length, sealed);
}

enum pilgrim_status spill_complete(const struct bytes *sealed)
{
    return append_file((const char *)path.data, &file_length, sealed->data, sealed->length);
}

void spill_remove(void)
{
    if (!round_count)
        return;
    unlink((const char *)path.data);
    output_folder_remove((const char *)folder.data);
    round_count = 0;
}
