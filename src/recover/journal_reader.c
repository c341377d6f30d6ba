/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading journal files; see journal_reader.h.
 *
 * The whole file is copied into memory first, so that nothing changes while it is checked. A copy of a running process
 * is not of one moment; each log is a prefix of what the process wrote, and so is whole. */
#define _GNU_SOURCE 1
#include "recover/journal_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/try.h"
#include "journal/journal_log.h"
#include "journal/machine_name.h"
#include "journal/process_state.h"

/* A file in memory. */
struct journal_image {
    const uint8_t *data;
    uint64_t pages;
};

/* ---- blocks ---- */

/* Returns the block at PAGE; NULL if there is none. */
static const struct journal_block *block_at(const struct journal_image *image, uint64_t page)
{
    const struct journal_block *b;
    if (page == 0 || page >= image->pages)
        return NULL;
    b = (const struct journal_block *)(const void *)(image->data + page * JOURNAL_PAGE);
    bool good = !memcmp(b->magic, JOURNAL_BLOCK_MAGIC, sizeof b->magic) && b->page == page && b->pages &&
                b->pages <= image->pages - page;
    return good ? b : NULL;
}

/* Returns the next block behind PAGE, or NULL. Where a process died before it wrote a block's head, the head is
 * missing, and each page is tried. */
static const struct journal_block *next_block(const struct journal_image *image, uint64_t *page)
{
    while (*page < image->pages) {
        const struct journal_block *b = block_at(image, *page);
        *page += b ? b->pages : 1;
        if (b)
            return b;
    }
    return NULL;
}

/* Appends the records of block B, whose own part begins at byte BEGIN. */
static void put_records(const struct journal_block *b, size_t begin, struct bytes *to)
{
    size_t room = (size_t)b->pages * JOURNAL_PAGE - begin, used = (size_t)atomic_load(&b->used);
    bytes_put(to, (const uint8_t *)b + begin, used < room ? used : room);
}

/* The blocks of a file, sorted. */
struct blocks {
    const struct journal_block **logs; /* by owner, log, epoch, index */
    size_t log_count;
    const struct journal_block **statistics;
    size_t statistics_count;
    const struct journal_block **owners; /* processes and threads, by process */
    size_t owner_count;
};

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int log_order(const void *one, const void *other)
{
    const struct journal_block *a = *(const struct journal_block *const *)one;
    const struct journal_block *b = *(const struct journal_block *const *)other;
    int order = compare(a->owner, b->owner);
    order = order ? order : compare(a->log, b->log);
    order = order ? order : compare(a->epoch, b->epoch);
    return order ? order : compare(a->index, b->index);
}

static int owner_order(const void *one, const void *other)
{
    const struct journal_block *a = *(const struct journal_block *const *)one;
    const struct journal_block *b = *(const struct journal_block *const *)other;
    int order = compare(a->process, b->process);
    return order ? order : compare(a->page, b->page); /* the process block comes first: it is the oldest */
}

static enum pilgrim_status find_blocks(const struct journal_image *image, struct blocks *found)
{
    size_t count = 0;
    for (uint64_t page = 1; next_block(image, &page);)
        count++;
    found->logs = malloc((count + 1) * sizeof(struct journal_block *));
    found->owners = malloc((count + 1) * sizeof(struct journal_block *));
    found->statistics = malloc((count + 1) * sizeof(struct journal_block *));
    if (!found->logs || !found->owners || !found->statistics)
        return PILGRIM_NOMEM;
    const struct journal_block *b;
    for (uint64_t page = 1; (b = next_block(image, &page));) {
        uint32_t kind = atomic_load(&b->kind);
        if (kind == JOURNAL_LOG)
            found->logs[found->log_count++] = b;
        else if (kind == JOURNAL_STATISTICS)
            found->statistics[found->statistics_count++] = b;
        else if (kind == JOURNAL_PROCESS || kind == JOURNAL_THREAD)
            found->owners[found->owner_count++] = b;
    }
    qsort(found->logs, found->log_count, sizeof(struct journal_block *), log_order);
    qsort(found->owners, found->owner_count, sizeof(struct journal_block *), owner_order);
    return PILGRIM_OK;
}

static void blocks_free(struct blocks *b)
{
    free(b->logs);
    free(b->statistics);
    free(b->owners);
}

/* Reads the log (OWNER, NUMBER, EPOCH). Its first block is OWNER itself if FIRST. */
static enum pilgrim_status read_log(const struct blocks *blocks, const struct journal_block *owner, uint32_t number,
                                    uint64_t epoch, bool first, struct read_log *log)
{
    const struct journal_block wanted = {.owner = owner->page, .log = number, .epoch = epoch, .index = first ? 1 : 0};
    log->epoch = epoch;
    if (first && owner->epoch == epoch)
        put_records(owner, JOURNAL_PAGE, &log->records);
    size_t low = 0, high = blocks->log_count;
    const struct journal_block *key = &wanted;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (log_order(&blocks->logs[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t index = wanted.index; low < blocks->log_count; low++, index++) {
        const struct journal_block *b = blocks->logs[low];
        if (b->owner != wanted.owner || b->log != number || b->epoch != epoch || b->index != index)
            break;
        put_records(b, sizeof *b, &log->records);
    }
    return bytes_status(&log->records);
}

/* ---- threads and processes ---- */

/* Reads the call that the thread with LIVE is in. */
static enum pilgrim_status read_in_flight(const struct journal_image *image, const struct journal_live *live,
                                          uint64_t calls, struct call_in_flight *call)
{
    call->class = JOURNAL_NO_CLASS;
    if (atomic_load(&live->entered) <= calls || live->class == JOURNAL_NO_CLASS)
        return PILGRIM_OK;
    call->class = live->class;
    call->start = live->start;
    const struct journal_block *in = &live->block;
    uint64_t key = (uintptr_t)live->key, outputs = (uintptr_t)live->outputs;
    for (uint64_t page = 1; key - in->address >= (uint64_t)in->pages * JOURNAL_PAGE;) {
        in = next_block(image, &page);
        while (in && (atomic_load(&in->kind) != JOURNAL_KEY || in->owner != live->block.page))
            in = next_block(image, &page);
        if (!in)
            return PILGRIM_OK;
    }
    uint64_t begin = key - in->address, end = outputs - in->address;
    if (end < begin || end > (uint64_t)in->pages * JOURNAL_PAGE)
        return PILGRIM_OK;
    bytes_put(&call->key, (const uint8_t *)in + begin, end - begin);
    call->has_key = true;
    return bytes_status(&call->key);
}

/* Reads the newest statistics of the thread with LIVE that are whole. */
static void read_statistics(const struct blocks *blocks, const struct journal_live *live, uint64_t epoch,
                            struct bytes *statistics)
{
    uint32_t newest = 0;
    for (size_t i = 0; i < blocks->statistics_count; i++) {
        const struct journal_block *b = blocks->statistics[i];
        if (b->owner != live->block.page || b->epoch != epoch || (statistics->length && b->index < newest))
            continue;
        struct bytes found = {0};
        put_records(b, sizeof *b, &found);
        if (found.length && !found.failed && journal_statistics_check(found.data, found.length) == b->check) {
            bytes_free(statistics);
            *statistics = found;
            newest = b->index;
        } else {
            bytes_free(&found);
        }
    }
}

static enum pilgrim_status read_thread(const struct journal_image *image, const struct blocks *blocks,
                                       const struct journal_live *live, struct read_thread *t)
{
    uint32_t state = atomic_load(&live->state);
    t->number = live->number;
    t->calls = atomic_load(&live->calls);
    t->entered = atomic_load(&live->entered);
    t->last_class = live->class;
    t->last_start = live->start;
    t->cut = state == JOURNAL_THREAD_CUT;
    t->cut_calls = atomic_load(&live->cut_calls);
    t->stopped = state == JOURNAL_THREAD_STOPPED;
    TRY(read_log(blocks, &live->block, 0, atomic_load(&live->epoch), true, &t->log));
    read_statistics(blocks, live, t->log.epoch, &t->statistics);
    return read_in_flight(image, live, t->calls, &t->in_flight);
}

static int thread_order(const void *one, const void *other)
{
    const struct read_thread *a = one, *b = other;
    return compare(a->number, b->number);
}

/* Reads where the process that is at FROM crashed, by the signal that ended it. */
static void read_crash(const struct journal_process *from, int32_t signal, struct crash_stack *crash)
{
    memcpy(crash, (const char *)from + JOURNAL_CRASH_AT, sizeof *crash);
    bool good =
        crash->signal == signal && crash->frame_count <= CRASH_FRAMES_MAX && crash->module_count <= CRASH_MODULES_MAX;
    for (uint32_t i = 0; good && i < crash->module_count; i++)
        good = memchr(crash->modules[i].name, 0, CRASH_NAME_BYTES) && crash->modules[i].name[0] &&
               crash->modules[i].build_id_length <= SITE_BUILD_ID_BYTES;
    for (uint32_t i = 0; good && i < crash->frame_count; i++)
        good = crash->frames[i].module < crash->module_count || crash->frames[i].module == CRASH_MODULES_MAX;
    if (!good)
        crash->frame_count = 0;
}

static enum pilgrim_status read_process(const struct journal_image *image, const struct blocks *blocks, size_t first,
                                        size_t end, struct read_process *p)
{
    const struct journal_process *from = (const struct journal_process *)blocks->owners[first];
    p->rank = from->rank;
    p->ranks = atomic_load(&from->ranks);
    p->pid = from->pid;
    p->started = from->started;
    p->pid_space = from->pid_space;
    p->ending = atomic_load(&from->ending);
    p->ending_number = from->ending_number;
    p->ended_epoch = atomic_load(&from->ended_epoch);
    p->ending_thread = from->ending_thread;
    p->ending_ns = from->ending_ns;
    if (p->ranks == 0 || p->rank >= p->ranks || p->ending >= JOURNAL_ENDING_COUNT)
        return PILGRIM_DAMAGED;
    for (uint32_t i = 0; i < JOURNAL_PROCESS_LOGS; i++)
        TRY(read_log(blocks, &from->block, i, atomic_load(&from->epochs[i]), i == JOURNAL_SHARED, &p->logs[i]));
    uint64_t ending_calls = from->ending_calls;
    p->threads = calloc(end - first, sizeof *p->threads);
    if (!p->threads)
        return PILGRIM_NOMEM;
    for (size_t i = first + 1; i < end; i++) {
        const struct journal_live *live = (const struct journal_live *)blocks->owners[i];
        if (atomic_load(&live->state) != JOURNAL_THREAD_FREE)
            TRY(read_thread(image, blocks, live, &p->threads[p->thread_count++]));
    }
    qsort(p->threads, p->thread_count, sizeof *p->threads, thread_order);
    for (size_t i = 0; i < p->thread_count; i++)
        if (p->ending == JOURNAL_SIGNAL && p->threads[i].number == p->ending_thread &&
            p->threads[i].calls > ending_calls)
            p->ending = JOURNAL_RUNNING;
    if (p->ending == JOURNAL_SIGNAL)
        read_crash(from, p->ending_number, &p->crash);
    return PILGRIM_OK;
}

/* True if B is a process block that is whole. A process may have died when it made it. */
static bool is_begun(const struct journal_block *b)
{
    return atomic_load(&b->kind) == JOURNAL_PROCESS && atomic_load(&((const struct journal_process *)b)->ranks);
}

static enum pilgrim_status read_processes(const struct journal_image *image, struct read_journal *j)
{
    struct blocks blocks = {0};
    enum pilgrim_status status = find_blocks(image, &blocks);
    size_t count = 0;
    for (size_t i = 0; i < blocks.owner_count; i++)
        count += is_begun(blocks.owners[i]);
    j->processes = calloc(count + 1, sizeof *j->processes);
    if (!j->processes)
        status = PILGRIM_NOMEM;
    for (size_t i = 0, end; status == PILGRIM_OK && i < blocks.owner_count; i = end) {
        uint64_t process = blocks.owners[i]->process;
        for (end = i + 1; end < blocks.owner_count && blocks.owners[end]->process == process;)
            end++;
        if (is_begun(blocks.owners[i]))
            status = read_process(image, &blocks, i, end, &j->processes[j->process_count++]);
    }
    blocks_free(&blocks);
    return status;
}

/* ---- the vocabulary ---- */

/* Takes a text, which is put into the texts with a 0 behind it. Returns its offset there. */
static size_t take_text(struct cursor *c, struct bytes *texts)
{
    size_t length = cursor_count(c, 1), at = texts->length;
    const uint8_t *text = cursor_take(c, length);
    if (text)
        bytes_put(texts, text, length);
    bytes_put_u8(texts, 0);
    return at;
}

/* Offsets in the texts are stored in pointers until all texts are there. */
static const char *text_pointer(size_t offset)
{
    return (const char *)(uintptr_t)offset;
}

static const char *text_at(const struct bytes *texts, const char *offset)
{
    return (const char *)texts->data + (uintptr_t)offset;
}

static enum pilgrim_status take_function(struct cursor *c, struct bytes *texts, struct function_descriptor *f)
{
    f->name = text_pointer(take_text(c, texts));
    f->returns = cursor_u8(c);
    f->activity = cursor_u8(c);
    f->parameter_count = cursor_u8(c);
    struct parameter_descriptor *parameters = calloc((size_t)f->parameter_count + 1, sizeof *parameters);
    f->parameters = parameters;
    if (!parameters)
        return PILGRIM_NOMEM;
    for (unsigned i = 0; i < f->parameter_count; i++) {
        parameters[i].name = text_pointer(take_text(c, texts));
        parameters[i].direction = cursor_u8(c);
    }
    return f->activity < ACTIVITY_COUNT && f->returns <= RETURNS_TIME ? c->status : PILGRIM_DAMAGED;
}

static enum pilgrim_status take_vocabulary(struct cursor *c, struct bytes *texts, struct vocabulary *v)
{
    size_t count = cursor_count(c, 4);
    struct function_descriptor *functions = calloc(count + 1, sizeof *functions);
    v->functions = functions;
    if (!functions)
        return PILGRIM_NOMEM;
    while (v->function_count < count)
        TRY(take_function(c, texts, &functions[v->function_count++]));
    count = cursor_count(c, 1);
    const char **names = calloc(count + 1, sizeof *names);
    v->names = names;
    if (!names)
        return PILGRIM_NOMEM;
    for (; v->name_count < count; v->name_count++)
        names[v->name_count] = text_pointer(take_text(c, texts));
    return c->status == PILGRIM_OK ? bytes_status(texts) : c->status;
}

/* Turns offsets into addresses. */
static void settle_texts(struct vocabulary *v, const struct bytes *texts)
{
    struct function_descriptor *functions = (struct function_descriptor *)(uintptr_t)v->functions;
    const char **names = (const char **)(uintptr_t)v->names;
    for (uint32_t i = 0; i < v->function_count; i++) {
        struct parameter_descriptor *parameters = (struct parameter_descriptor *)(uintptr_t)functions[i].parameters;
        functions[i].name = text_at(texts, functions[i].name);
        for (unsigned k = 0; k < functions[i].parameter_count; k++)
            parameters[k].name = text_at(texts, parameters[k].name);
    }
    for (uint32_t i = 0; i < v->name_count; i++)
        names[i] = text_at(texts, names[i]);
}

static void vocabulary_free(struct vocabulary *v)
{
    for (uint32_t i = 0; i < v->function_count; i++)
        free((void *)(uintptr_t)v->functions[i].parameters);
    free((void *)(uintptr_t)v->functions);
    free((void *)(uintptr_t)v->names);
    *v = (struct vocabulary){0};
}

static enum pilgrim_status read_vocabulary(const struct journal_image *image, uint64_t page, struct read_journal *j)
{
    const struct journal_block *b = block_at(image, page);
    struct bytes packed = {0};
    struct cursor c;
    if (!page)
        return PILGRIM_OK;
    if (!b || atomic_load(&b->kind) != JOURNAL_VOCABULARY)
        return PILGRIM_DAMAGED;
    put_records(b, sizeof *b, &packed);
    cursor_init(&c, packed.data, packed.length);
    enum pilgrim_status status = bytes_status(&packed);
    if (status == PILGRIM_OK)
        status = take_vocabulary(&c, &j->vocabulary_texts, &j->vocabulary);
    if (status == PILGRIM_OK)
        settle_texts(&j->vocabulary, &j->vocabulary_texts);
    bytes_free(&packed);
    return status == PILGRIM_TRUNCATED ? PILGRIM_DAMAGED : status;
}

/* ---- files ---- */

static enum pilgrim_status read_image(const struct journal_image *image, struct read_journal *j)
{
    const struct journal_head *h = (const struct journal_head *)(const void *)image->data;
    char machine[JOURNAL_TEXT];
    if (memcmp(h->magic, JOURNAL_MAGIC, sizeof h->magic) != 0)
        return PILGRIM_NOT_TRACE;
    if (h->version != JOURNAL_VERSION || h->page_bytes != JOURNAL_PAGE)
        return PILGRIM_VERSION;
    j->run = h->run;
    memcpy(j->tracer, h->tracer, sizeof j->tracer - 1);
    memcpy(j->host, h->host, sizeof j->host - 1);
    machine_name(machine, sizeof machine);
    j->here = !strcmp(j->host, machine);
    TRY(read_vocabulary(image, atomic_load(&h->vocabulary), j));
    return read_processes(image, j);
}

/* Reads LENGTH bytes, or what there is of them: a file that others write grows meanwhile. */
static enum pilgrim_status read_all(int file, uint8_t *data, size_t length, size_t *done)
{
    for (*done = 0; *done < length;) {
        ssize_t got = read(file, data + *done, length - *done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return PILGRIM_IO;
        if (got == 0)
            break;
        *done += (size_t)got;
    }
    return PILGRIM_OK;
}

enum pilgrim_status journal_read(const char *path, struct read_journal *j)
{
    struct stat found;
    *j = (struct read_journal){0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return PILGRIM_IO;
    size_t done = 0;
    uint8_t *data = NULL;
    enum pilgrim_status status = fstat(file, &found) ? PILGRIM_IO : PILGRIM_OK;
    if (status == PILGRIM_OK && (!S_ISREG(found.st_mode) || found.st_size < JOURNAL_PAGE))
        status = PILGRIM_NOT_TRACE;
    if (status == PILGRIM_OK) {
        data = aligned_alloc(JOURNAL_PAGE, ((size_t)found.st_size + JOURNAL_PAGE) / JOURNAL_PAGE * JOURNAL_PAGE);
        status = data ? read_all(file, data, (size_t)found.st_size, &done) : PILGRIM_NOMEM;
    }
    int error = errno;
    close(file);
    const struct journal_image image = {data, done / JOURNAL_PAGE};
    if (status == PILGRIM_OK)
        status = image.pages ? read_image(&image, j) : PILGRIM_NOT_TRACE;
    free(data);
    errno = error;
    return status;
}

void journal_read_free(struct read_journal *j)
{
    for (size_t i = 0; i < j->process_count; i++) {
        struct read_process *p = &j->processes[i];
        for (size_t k = 0; k < p->thread_count; k++) {
            bytes_free(&p->threads[k].log.records);
            bytes_free(&p->threads[k].statistics);
            bytes_free(&p->threads[k].in_flight.key);
        }
        for (size_t k = 0; k < JOURNAL_PROCESS_LOGS; k++)
            bytes_free(&p->logs[k].records);
        free(p->threads);
    }
    free(j->processes);
    vocabulary_free(&j->vocabulary);
    bytes_free(&j->vocabulary_texts);
    *j = (struct read_journal){0};
}

bool journal_next_record(struct cursor *c, enum journal_record *type, struct cursor *payload)
{
    uint64_t length = cursor_varint(c);
    uint8_t what = cursor_u8(c);
    const uint8_t *data = length < cursor_left(c) ? cursor_take(c, (size_t)length) : NULL;
    if (!data || cursor_u8(c) != journal_check(data, (size_t)length, what) || what == 0 || what >= JOURNAL_RECORD_COUNT)
        return false;
    *type = (enum journal_record)what;
    cursor_init(payload, data, (size_t)length);
    return true;
}

char journal_process_state(const struct read_journal *j, const struct read_process *p)
{
    bool seen = j->here && (!p->pid_space || p->pid_space == process_id_space());
    return seen ? process_state(p->pid, p->started) : PROCESS_NOT_SEEN;
}
