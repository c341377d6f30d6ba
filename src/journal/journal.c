/* SPDX-License-Identifier: BSD-3-Clause */
/* The journal of this process; see journal.h. */
#define _GNU_SOURCE 1 /* MAP_ANONYMOUS */
#include "journal/journal.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/try.h"
#include "journal/journal_blocks.h"
#include "journal/journal_mappings.h"
#include "journal/process_state.h"

enum {
    PROCESS_PAGES = 4,     /* of a process block: its page, and the beginning of its log */
    THREAD_PAGES = 4,      /* of a thread block */
    BLOCK_PAGES_MAX = 256, /* blocks of a log double up to this size */
    SPARES_MAX = 64,       /* blocks that are kept for other logs */
    RESERVE_PAGES = 2,     /* of the reserve */
    ENDED_LOGS = 256,
    KEY_ROOM_MAX = 1 << 24 /* longer keys are not kept while their call is in MPI */
};

enum state { WANTED, STARTED, NEVER };

static atomic_int state; /* enum state */

static pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER;
/* Under `file_lock`: */
static struct journal_file file = {.file = -1};
static struct journal_block *spare_blocks[SPARES_MAX];
static size_t spare_block_count;
static struct journal_block *reserve; /* for a log that begins when there is no room any more */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under `lock`, which may be taken before `file_lock`: */
static struct journal_process *process;
static struct journal_log logs[JOURNAL_PROCESS_LOGS] = {
    [JOURNAL_ENDED] = {.number = JOURNAL_ENDED}, [JOURNAL_TIMES] = {.number = JOURNAL_TIMES}};
static const struct code_module **modules;
static uint32_t module_count, module_capacity;
static struct ended_log {
    uint64_t hash;
    uint32_t number;      /* of the thread */
} ended_logs[ENDED_LOGS]; /* logs of ended threads that the process's log has; by hash */

static atomic_bool cut;

bool journal_wanted(void)
{
    return atomic_load_explicit(&state, memory_order_relaxed) != NEVER;
}

bool journal_started(void)
{
    return atomic_load_explicit(&state, memory_order_relaxed) == STARTED;
}

void journal_never(void)
{
    atomic_store(&state, NEVER);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < JOURNAL_PROCESS_LOGS; i++)
        journal_log_free(&logs[i]);
    pthread_mutex_unlock(&lock);
}

void journal_cut(void)
{
    atomic_store(&cut, true);
}

bool journal_was_cut(void)
{
    return atomic_load_explicit(&cut, memory_order_relaxed) && atomic_exchange(&cut, false);
}

/* ---- blocks ---- */

static struct journal_block *claim(enum journal_kind kind, uint64_t owner, size_t pages)
{
    pthread_mutex_lock(&file_lock);
    struct journal_block *b = pages < UINT32_MAX ? journal_claim(&file, kind, owner, (uint32_t)pages) : NULL;
    pthread_mutex_unlock(&file_lock);
    return b;
}

static size_t pages_of(const struct journal_block *b)
{
    return journal_mapped_length(b) / JOURNAL_PAGE;
}

/* Takes a spare block of PAGES to MOST pages. NULL: there is none. */
static struct journal_block *take_spare(size_t pages, size_t most)
{
    struct journal_block *found = NULL;
    pthread_mutex_lock(&file_lock);
    for (size_t i = 0; i < spare_block_count && !found; i++)
        if (pages_of(spare_blocks[i]) >= pages && pages_of(spare_blocks[i]) <= most) {
            found = spare_blocks[i];
            spare_blocks[i] = spare_blocks[--spare_block_count];
        }
    pthread_mutex_unlock(&file_lock);
    return found;
}

/* Takes the reserve, if it has at least PAGES. NULL: it has not, or it was taken. */
static struct journal_block *take_reserve(size_t pages)
{
    struct journal_block *found = NULL;
    pthread_mutex_lock(&file_lock);
    if (reserve && pages_of(reserve) >= pages) {
        found = reserve;
        reserve = NULL;
    }
    pthread_mutex_unlock(&file_lock);
    return found;
}

struct journal_block *journal_block_take(const struct journal_log *log, size_t length)
{
    size_t pages = 2 * (log->room / JOURNAL_PAGE + 1),
           least = (length + sizeof(struct journal_block)) / JOURNAL_PAGE + 1;
    pages = pages > BLOCK_PAGES_MAX ? BLOCK_PAGES_MAX : pages;
    pages = pages < least ? least : pages;
    struct journal_block *b = take_spare(pages, 4 * pages);
    for (; !b && pages >= least; pages /= 2) /* with little room, a smaller one */
        b = claim(JOURNAL_NONE, log->owner, pages);
    if (!b)
        b = take_spare(least, SIZE_MAX);
    if (!b)
        b = take_reserve(least);
    if (!b)
        return NULL;
    atomic_store(&b->used, 0);
    b->owner = log->owner;
    b->epoch = log->epoch;
    b->log = log->number;
    b->index = log->count;
    atomic_store_explicit(&b->kind, JOURNAL_LOG, memory_order_release);
    return b;
}

struct journal_block *journal_statistics_block(uint64_t owner, size_t length)
{
    return claim(JOURNAL_STATISTICS, owner, (sizeof(struct journal_block) + length) / JOURNAL_PAGE + 1);
}

void journal_block_give(struct journal_block *b)
{
    atomic_store(&b->kind, JOURNAL_NONE);
    pthread_mutex_lock(&file_lock);
    if (spare_block_count < SPARES_MAX)
        spare_blocks[spare_block_count++] = b;
    pthread_mutex_unlock(&file_lock);
}

/* ---- the process ---- */

static void put_text(struct bytes *b, const char *text)
{
    size_t length = strlen(text);
    bytes_put_varint(b, length);
    bytes_put(b, text, length);
}

static void put_vocabulary(const struct vocabulary *v, struct bytes *b)
{
    bytes_put_varint(b, v->function_count);
    for (uint32_t i = 0; i < v->function_count; i++) {
        const struct function_descriptor *f = &v->functions[i];
        put_text(b, f->name ? f->name : "");
        bytes_put_u8(b, f->returns);
        bytes_put_u8(b, f->activity);
        bytes_put_u8(b, f->parameter_count);
        for (unsigned k = 0; k < f->parameter_count; k++) {
            put_text(b, f->parameters[k].name);
            bytes_put_u8(b, f->parameters[k].direction);
        }
    }
    bytes_put_varint(b, v->name_count);
    for (uint32_t i = 0; i < v->name_count; i++)
        put_text(b, v->names[i]);
}

/* Puts the vocabulary into the file if no other process has done so. */
static enum pilgrim_status share_vocabulary(const struct vocabulary *v)
{
    unsigned long long none = 0;
    struct bytes packed = {0};
    if (atomic_load(&file.head->vocabulary))
        return PILGRIM_OK;
    put_vocabulary(v, &packed);
    enum pilgrim_status status = bytes_status(&packed);
    struct journal_block *b = NULL;
    if (status == PILGRIM_OK)
        b = claim(JOURNAL_VOCABULARY, 0, (sizeof *b + packed.length) / JOURNAL_PAGE + 1);
    if (b) {
        memcpy(b + 1, packed.data, packed.length);
        atomic_store_explicit(&b->used, packed.length, memory_order_release);
        atomic_compare_exchange_strong(&file.head->vocabulary, &none, b->page);
    } else if (status == PILGRIM_OK) {
        status = PILGRIM_IO;
    }
    bytes_free(&packed);
    return status;
}

static enum pilgrim_status make_process(uint32_t rank, uint32_t ranks)
{
    struct journal_block *b = claim(JOURNAL_PROCESS, 0, PROCESS_PAGES);
    if (!b)
        return PILGRIM_IO;
    file.process = b->page;
    process = (struct journal_process *)b;
    process->pid = (uint32_t)getpid();
    process->started = process_started();
    process->rank = rank;
    process->pid_space = process_id_space();
    pthread_mutex_lock(&lock);
    bool moved = true;
    for (size_t i = 0; i < JOURNAL_PROCESS_LOGS; i++)
        moved = moved && journal_log_move(&logs[i], b, i == JOURNAL_SHARED);
    pthread_mutex_unlock(&lock);
    if (moved)
        atomic_store_explicit(&process->ranks, ranks, memory_order_release);
    return moved ? PILGRIM_OK : PILGRIM_NOMEM;
}

enum pilgrim_status journal_start(const char *path, int shared, const struct journal_identity *identity, uint32_t rank,
                                  uint32_t ranks, const struct vocabulary *vocabulary)
{
    enum pilgrim_status status =
        shared < 0 ? journal_open(&file, path, identity) : journal_open_shared(&file, path, shared, identity);
    if (status == PILGRIM_OK)
        status = share_vocabulary(vocabulary);
    if (status == PILGRIM_OK)
        status = make_process(rank, ranks);
    int error = errno;
    if (status == PILGRIM_OK) {
        reserve = claim(JOURNAL_NONE, 0, RESERVE_PAGES);
        atomic_store(&state, STARTED);
    } else {
        if (file.path && journal_leave(&file))
            unlink(file.path);
        free(file.path);
        file = (struct journal_file){.file = -1};
    }
    errno = error;
    return status;
}

int journal_descriptor(void)
{
    return file.file;
}

void journal_keep(void)
{
    pthread_mutex_lock(&file_lock);
    journal_settle(&file);
    pthread_mutex_unlock(&file_lock);
}

/* True if LIVE is the thread that got the signal, and has made no call since: the signal's handler ends the process. */
static bool has_made_no_call(const struct journal_live *live)
{
    return process->ending_thread == (live ? live->number : UINT32_MAX) &&
           (!live || process->ending_calls == atomic_load(&live->calls));
}

void journal_end(enum journal_ending ending, int number, const struct journal_live *live)
{
    if (!journal_started())
        return;
    uint32_t before = atomic_load(&process->ending);
    if (before == JOURNAL_EXIT || before == JOURNAL_ABORT || before == ending ||
        (before == JOURNAL_SIGNAL && ending == JOURNAL_EXIT && has_made_no_call(live)))
        return;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    process->ending_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    process->ending_number = number;
    process->ending_thread = live ? live->number : UINT32_MAX;
    process->ending_calls = live ? atomic_load(&live->calls) : UINT64_MAX;
    atomic_store(&process->ending, ending);
}

struct crash_stack *journal_crash(void)
{
    if (!journal_started() || atomic_load(&process->ending) != JOURNAL_RUNNING)
        return NULL;
    return (struct crash_stack *)((char *)process + JOURNAL_CRASH_AT);
}

enum journal_ending journal_ended(int *number)
{
    *number = process->ending_number;
    return atomic_load(&process->ending);
}

void journal_go_on(void)
{
    uint32_t ending = atomic_load(&process->ending);
    if ((ending == JOURNAL_SIGNAL || ending == JOURNAL_ERROR) &&
        atomic_compare_exchange_strong(&process->ending, &ending, JOURNAL_RUNNING))
        journal_crash()->signal = 0;
}

bool journal_finish(const char **path)
{
    if (!journal_started())
        return false;
    atomic_store(&((struct journal_block *)process)->kind, JOURNAL_NONE);
    *path = file.path;
    return journal_leave(&file);
}

long journal_killed(void)
{
    return journal_find_killed(&file, process);
}

bool journal_first_to_say(void)
{
    return !atomic_exchange(&file.head->said, 1);
}

bool journal_first_to_keep(void)
{
    return !atomic_exchange(&file.head->kept, 1);
}

/* ---- threads ---- */

struct journal_live *journal_live_new(void)
{
    void *live = NULL;
    /* Libraries that replace malloc do not all have aligned_alloc, and then the C library's block would get to their
     * free. */
    if (posix_memalign(&live, JOURNAL_PAGE, JOURNAL_PAGE))
        return NULL;
    return memset(live, 0, JOURNAL_PAGE);
}

static bool is_shared(const struct journal_live *live)
{
    return journal_mapped_length(live);
}

bool journal_is_intact(const struct journal_live *live, const struct journal_log *log)
{
    if (log->owner && live->block.address != (uintptr_t)live)
        journal_note_damage();
    return !journal_damaged();
}

void journal_live_free(struct journal_live *live)
{
    if (live && !is_shared(live))
        free(live);
}

struct journal_live *journal_thread(struct journal_live *live, struct journal_log *log, uint32_t number)
{
    if (!journal_started())
        return NULL;
    struct journal_live *shared = (struct journal_live *)claim(JOURNAL_THREAD, 0, THREAD_PAGES);
    if (!shared || !journal_log_move(log, &shared->block, true)) {
        journal_log_give_up(log);
        journal_cut();
        return NULL;
    }
    shared->number = number;
    shared->class = JOURNAL_NO_CLASS;
    atomic_store(&shared->calls, atomic_load(&live->calls));
    atomic_store(&shared->entered, 0);
    shared->key = (const uint8_t *)(shared + 1);
    log->live = shared;
    atomic_store(&shared->epoch, log->epoch);
    atomic_store_explicit(&shared->state, log->stopped ? JOURNAL_THREAD_CUT : JOURNAL_THREAD_RUNS,
                          memory_order_release);
    free(live);
    return shared;
}

void journal_thread_begins(struct journal_live *live, uint32_t number)
{
    live->number = number;
    atomic_store_explicit(&live->state, JOURNAL_THREAD_RUNS, memory_order_release);
}

uint8_t *journal_key_room(const struct journal_live *live, size_t length)
{
    struct journal_block *b = is_shared(live) && length < KEY_ROOM_MAX
                                  ? claim(JOURNAL_KEY, live->block.page, (length + sizeof *b) / JOURNAL_PAGE + 1)
                                  : NULL;
    return b ? (uint8_t *)(b + 1) : NULL;
}

/* Appends a thread's log to the process's, or the number of another thread with the same log. */
static void put_ended(const struct journal_log *log, uint32_t number, uint64_t calls)
{
    struct bytes records = {0};
    journal_log_copy(log, &records);
    uint64_t hash = XXH3_64bits_withSeed(records.data, records.length, calls);
    struct ended_log *known = &ended_logs[hash % ENDED_LOGS];
    bool again = known->hash == hash && hash;
    struct bytes *payload = journal_record_begin(&logs[JOURNAL_ENDED]);
    bytes_put_varint(payload, number);
    bytes_put_varint(payload, again ? known->number : calls);
    if (!again)
        bytes_put(payload, records.data, records.length);
    payload->failed |= records.failed || log->stopped;
    journal_record_end(&logs[JOURNAL_ENDED], again ? JOURNAL_THREAD_AGAIN : JOURNAL_THREAD_ENDED);
    if (!again)
        *known = (struct ended_log){hash, number};
    bytes_free(&records);
}

void journal_thread_ended(struct journal_live *live, struct journal_log *log, uint32_t number)
{
    if (!journal_wanted())
        return;
    uint64_t calls = atomic_load(&live->calls);
    pthread_mutex_lock(&lock);
    if (calls)
        put_ended(log, number, calls);
    if (process && log->epoch > atomic_load(&process->ended_epoch))
        atomic_store(&process->ended_epoch, log->epoch);
    pthread_mutex_unlock(&lock);
    atomic_store(&live->state, JOURNAL_THREAD_FREE); /* before this, it is there twice: the reader takes one of them */
    atomic_store(&live->calls, 0);
    atomic_store(&live->entered, 0);
    journal_log_renew(log, log->epoch, &live->epoch);
}

void journal_thread_stops(struct journal_live *live, struct journal_log *log)
{
    uint32_t runs = JOURNAL_THREAD_RUNS;
    atomic_compare_exchange_strong(&live->state, &runs, JOURNAL_THREAD_STOPPED);
    atomic_store(&live->entered, 0);
    journal_log_forget(log, &live->block);
}

void journal_written(enum journal_process_log number, uint64_t epoch)
{
    if (!journal_wanted())
        return;
    pthread_mutex_lock(&lock);
    if (number == JOURNAL_ENDED)
        memset(ended_logs, 0, sizeof ended_logs);
    static _Atomic uint64_t nowhere;
    journal_log_renew(&logs[number], epoch, process ? &process->epochs[number] : &nowhere);
    pthread_mutex_unlock(&lock);
}

uint64_t journal_log_bytes(enum journal_process_log number)
{
    pthread_mutex_lock(&lock);
    uint64_t bytes = logs[number].bytes;
    pthread_mutex_unlock(&lock);
    return bytes;
}

void journal_forked(struct journal_live *live)
{
    if (live && is_shared(live))
        (void)journal_map(live, journal_mapped_length(live), MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* ---- the process's log ---- */

void journal_put(enum journal_process_log number, enum journal_record type, const void *payload, size_t length)
{
    if (!journal_wanted())
        return;
    pthread_mutex_lock(&lock);
    bytes_put(journal_record_begin(&logs[number]), payload, length);
    journal_record_end(&logs[number], type);
    pthread_mutex_unlock(&lock);
}

bool journal_log_whole(enum journal_process_log number)
{
    pthread_mutex_lock(&lock);
    bool whole = !logs[number].stopped;
    pthread_mutex_unlock(&lock);
    return whole;
}

static void put_module(const struct code_module *m)
{
    struct bytes *payload = journal_record_begin(&logs[JOURNAL_SHARED]);
    bytes_put_u8(payload, m->python ? JOURNAL_MODULE_IN_PYTHON : (uint8_t)m->build_id_length);
    if (m->python)
        bytes_put(payload, m->python, strlen(m->python) + 1);
    else
        bytes_put(payload, m->build_id, m->build_id_length);
    bytes_put(payload, m->name, strlen(m->name));
    journal_record_end(&logs[JOURNAL_SHARED], JOURNAL_MODULE);
}

static uint32_t module_number(const struct code_module *m)
{
    for (uint32_t i = 0; i < module_count; i++)
        if (modules[i] == m)
            return i;
    if (module_count == module_capacity) {
        uint32_t capacity = module_capacity * 2 + 16;
        const struct code_module **more = realloc(modules, capacity * sizeof(struct code_module *));
        if (!more)
            return UINT32_MAX;
        modules = more;
        module_capacity = capacity;
    }
    modules[module_count] = m;
    put_module(m);
    return module_count++;
}

uint32_t journal_module(const struct code_module *m)
{
    pthread_mutex_lock(&lock);
    uint32_t number = module_number(m);
    pthread_mutex_unlock(&lock);
    return number;
}
