/* SPDX-License-Identifier: BSD-3-Clause */
/* A look at a run; see look.h. Files change while they are read, and are not trusted (recover/journal_reader.h); what
 * does not fit together is left out. */
#include "look.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "call_inputs.h"
#include "top_message.h"
#include "unit_times.h"

enum { TIME_MAX_S = 1000000000 };

/* ---- files ---- */

static bool has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name), tail = strlen(suffix);
    return length > tail && !strcmp(name + length - tail, suffix);
}

/* Adds the journal PATH, which is handed over. False after a message. A file that is gone again is no error. */
static bool add_file(struct look *look, char *path)
{
    size_t count = look->journal_count + 1;
    struct read_journal *journals = path ? realloc(look->journals, count * sizeof *journals) : NULL;
    if (journals)
        look->journals = journals;
    char **paths = journals ? realloc(look->paths, count * sizeof *paths) : NULL;
    if (!paths) {
        free(path);
        return top_fail("out of memory");
    }
    look->paths = paths;
    struct read_journal *j = &journals[look->journal_count];
    enum pilgrim_status status = journal_read(path, j);
    paths[look->journal_count++] = path;
    if (status == PILGRIM_OK && j->run != journals[0].run)
        return top_fail("%s: not of the same run as %s; name the journals of one run", path, paths[0]);
    if (status == PILGRIM_OK)
        return true;
    if (status == PILGRIM_IO && errno == ENOENT) {
        journal_read_free(j);
        free(path);
        look->journal_count--;
        return true;
    }
    return status == PILGRIM_IO ? top_fail("%s: %s", path, strerror(errno))
                                : top_fail("%s: %s", path,
                                           status == PILGRIM_NOT_TRACE ? "not a journal"
                                           : status == PILGRIM_VERSION ? "the journal of another version of Pilgrim"
                                           : status == PILGRIM_NOMEM   ? "out of memory"
                                                                       : "the journal is damaged");
}

static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static bool add_folder(struct look *look, DIR *folder, const char *path)
{
    bool good = true;
    for (const struct dirent *entry; good && (entry = readdir(folder));)
        if (has_suffix(entry->d_name, JOURNAL_FILE_SUFFIX))
            good = add_file(look, join(path, entry->d_name));
    return good;
}

static bool add_path(struct look *look, const char *path)
{
    DIR *folder = opendir(path);
    if (!folder && errno == ENOTDIR)
        return add_file(look, strdup(path));
    if (!folder && errno == ENOENT)
        return true;
    if (!folder)
        return top_fail("%s: %s", path, strerror(errno));
    bool good = add_folder(look, folder, path);
    closedir(folder);
    return good;
}

/* ---- processes ---- */

/* Sets what the system says of P. */
static void find_process(struct look_process *p)
{
    const char state = journal_process_state(p->journal, p->read);
    p->seen = state != PROCESS_NOT_SEEN;
    p->gone = !state;
    p->stopped = state == 'T' || state == 't';
}

static enum pilgrim_status read_process(struct look_process *p)
{
    const struct vocabulary *v = &p->journal->vocabulary;
    enum pilgrim_status status = process_facts_read(p->read, v->function_count, &p->facts, &p->classes);
    if (status == PILGRIM_OK)
        status = process_comms_read(&p->comms, &p->read->logs[JOURNAL_SHARED].records, v);
    find_process(p);
    return status;
}

static int process_order(const void *one, const void *other)
{
    const struct look_process *a = one, *b = other;
    if (a->read->rank != b->read->rank)
        return a->read->rank < b->read->rank ? -1 : 1;
    return (a->read > b->read) - (a->read < b->read);
}

static enum pilgrim_status read_processes(struct look *look)
{
    size_t count = 0;
    for (size_t i = 0; i < look->journal_count; i++)
        count += look->journals[i].process_count;
    look->processes = calloc(count + 1, sizeof *look->processes);
    if (!look->processes)
        return PILGRIM_NOMEM;
    for (size_t i = 0; i < look->journal_count; i++) {
        const struct read_journal *j = &look->journals[i];
        for (size_t k = 0; k < j->process_count; k++) {
            look->processes[look->process_count++] = (struct look_process){.journal = j, .read = &j->processes[k]};
            look->ranks = j->processes[k].ranks > look->ranks ? j->processes[k].ranks : look->ranks;
        }
    }
    qsort(look->processes, look->process_count, sizeof *look->processes, process_order);
    for (size_t i = 0; i < look->process_count; i++) {
        enum pilgrim_status status = read_process(&look->processes[i]);
        if (status != PILGRIM_OK)
            return status;
    }
    return PILGRIM_OK;
}

/* ---- communicators ---- */

static int member_order(const void *one, const void *other)
{
    const struct comm_member *a = one, *b = other;
    if (a->identity != b->identity)
        return a->identity < b->identity ? -1 : 1;
    return (a->comm_rank > b->comm_rank) - (a->comm_rank < b->comm_rank);
}

static enum pilgrim_status find_members(struct look *look)
{
    size_t count = 0;
    for (size_t i = 0; i < look->process_count; i++)
        count += look->processes[i].comms.count;
    look->members = calloc(count + 1, sizeof *look->members);
    if (!look->members)
        return PILGRIM_NOMEM;
    for (size_t i = 0; i < look->process_count; i++) {
        const struct look_process *p = &look->processes[i];
        for (size_t k = 0; k < p->comms.count; k++)
            if (p->comms.items[k].identity != COMM_UNKNOWN)
                look->members[look->member_count++] =
                    (struct comm_member){p->comms.items[k].identity, p->comms.items[k].rank, p->read->rank};
    }
    qsort(look->members, look->member_count, sizeof *look->members, member_order);
    return PILGRIM_OK;
}

const struct comm_member *look_members(const struct look *look, uint64_t identity, size_t *count)
{
    size_t low = 0, high = look->member_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (look->members[middle].identity < identity)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < look->member_count && look->members[low + *count].identity == identity;)
        ++*count;
    return look->members + low;
}

int64_t look_world_rank(const struct look *look, uint64_t identity, int64_t comm_rank)
{
    size_t count;
    if (identity == COMM_WORLD_IDENTITY)
        return comm_rank >= 0 && comm_rank < look->ranks ? comm_rank : -1;
    const struct comm_member *members = look_members(look, identity, &count);
    for (size_t low = 0, high = count; low < high;) {
        size_t middle = (low + high) / 2;
        if (members[middle].comm_rank == comm_rank)
            return members[middle].rank;
        if (members[middle].comm_rank < comm_rank)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

/* ---- units ---- */

static enum unit_state state_of(const struct look_process *p, const struct read_thread *t)
{
    static const enum unit_state endings[JOURNAL_ENDING_COUNT] = {[JOURNAL_FINALIZE] = UNIT_FINALIZE,
                                                                  [JOURNAL_EXIT] = UNIT_EXIT,
                                                                  [JOURNAL_ABORT] = UNIT_ABORT,
                                                                  [JOURNAL_SIGNAL] = UNIT_SIGNAL,
                                                                  [JOURNAL_ERROR] = UNIT_ERROR};
    if (p->gone && (p->read->ending == JOURNAL_RUNNING || p->read->ending == JOURNAL_FINALIZE))
        return UNIT_KILLED;
    if (p->read->ending != JOURNAL_RUNNING)
        return endings[p->read->ending];
    return t && t->in_flight.class != JOURNAL_NO_CLASS ? UNIT_IN_CALL : UNIT_COMPUTING;
}

/* Returns how many seconds ago the call of T began; -1: unknown. */
static double seconds_since(const struct look *look, const struct look_process *p, uint64_t start)
{
    const struct journal_clock *clock = &p->facts.clock;
    struct timespec real;
    if (!clock->rate || !start)
        return -1;
    clock_gettime(CLOCK_REALTIME, &real);
    double tick = (double)clock->rate / (double)(UINT64_C(1) << CLOCK_RATE_BITS);
    double began = (double)(int64_t)(start - clock->ticks) * tick / 1e9; /* after the anchor */
    double now = p->journal->here ? look->when - (double)clock->monotonic_ns / 1e9
                                  : (double)real.tv_sec + (double)real.tv_nsec / 1e9 - (double)clock->realtime_ns / 1e9;
    double seconds = now - began;
    return seconds < 0 ? 0 : seconds < TIME_MAX_S ? seconds : -1;
}

static void fill_unit(const struct look *look, struct unit *u, const struct look_process *p, size_t thread)
{
    *u = (struct unit){.process = p, .seconds = -1, .rate = -1, .root = -1};
    u->thread = thread < p->read->thread_count ? &p->read->threads[thread] : NULL;
    u->state = state_of(p, u->thread);
    uint32_t class = u->thread ? u->thread->last_class : JOURNAL_NO_CLASS;
    if (class >= p->classes[thread].count)
        return;
    u->class = &p->classes[thread].items[class];
    u->function = &p->journal->vocabulary.functions[u->class->function];
    if (u->state == UNIT_IN_CALL || u->state == UNIT_COMPUTING)
        u->seconds = seconds_since(look, p, u->thread->last_start);
    if (u->state == UNIT_IN_CALL && u->thread->in_flight.has_key)
        unit_take_inputs(u);
}

static enum pilgrim_status make_units(struct look *look)
{
    size_t count = 0;
    for (size_t i = 0; i < look->process_count; i++)
        count += look->processes[i].read->thread_count + 1;
    look->units = calloc(count + 1, sizeof *look->units);
    if (!look->units)
        return PILGRIM_NOMEM;
    for (size_t i = 0; i < look->process_count; i++) {
        const struct look_process *p = &look->processes[i];
        size_t threads = p->read->thread_count ? p->read->thread_count : 1;
        for (size_t k = 0; k < threads; k++) {
            fill_unit(look, &look->units[look->unit_count], p, k);
            unit_take_times(&look->units[look->unit_count++]);
        }
    }
    return PILGRIM_OK;
}

bool look_take(struct look *look, char *const *paths, size_t count, bool *none)
{
    struct timespec now;
    *look = (struct look){.rate = -1};
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = add_path(look, paths[i]);
    *none = good && !look->journal_count;
    if (!good || *none)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    look->when = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
    look->path = look->paths[0];
    enum pilgrim_status status = read_processes(look);
    if (status == PILGRIM_OK)
        status = find_members(look);
    if (status == PILGRIM_OK)
        status = make_units(look);
    return status == PILGRIM_OK || top_fail("out of memory");
}

static void process_free(struct look_process *p)
{
    process_facts_free(p->read, &p->facts, p->classes);
    process_comms_free(&p->comms);
}

void look_forget_logs(struct look *look)
{
    for (size_t i = 0; i < look->journal_count; i++)
        for (size_t k = 0; k < look->journals[i].process_count; k++) {
            struct read_process *p = &look->journals[i].processes[k];
            for (size_t n = 0; n < JOURNAL_PROCESS_LOGS; n++)
                bytes_free(&p->logs[n].records);
            for (size_t n = 0; n < p->thread_count; n++)
                bytes_free(&p->threads[n].log.records);
        }
}

void look_free(struct look *look)
{
    for (size_t i = 0; i < look->unit_count; i++)
        free(look->units[i].pending);
    for (size_t i = 0; i < look->process_count; i++)
        process_free(&look->processes[i]);
    for (size_t i = 0; i < look->journal_count; i++) {
        journal_read_free(&look->journals[i]);
        free(look->paths[i]);
    }
    free(look->units);
    free(look->processes);
    free(look->members);
    free(look->journals);
    free(look->paths);
    *look = (struct look){0};
}

/* ---- two looks ---- */

struct unit *look_units_of(const struct look *look, uint32_t rank, size_t *count)
{
    size_t low = 0, high = look->unit_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (look->units[middle].process->read->rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < look->unit_count && look->units[low + *count].process->read->rank == rank;)
        ++*count;
    return look->units + low;
}

static const struct unit *same_unit(const struct look *look, const struct unit *u)
{
    size_t count;
    const struct unit *units = look_units_of(look, u->process->read->rank, &count);
    for (size_t i = 0; i < count; i++)
        if (units[i].process->read->pid == u->process->read->pid && units[i].thread && u->thread &&
            units[i].thread->number == u->thread->number)
            return &units[i];
    return NULL;
}

/* Returns the class of U at the place in the log where BEGINS, a class of OLD, was. */
static const struct class_site *same_class(const struct unit *u, const struct unit *old,
                                           const struct class_site *begins)
{
    const struct look_process *p = u->process, *q = old->process;
    const struct thread_classes *now = &p->classes[u->thread - p->read->threads];
    size_t index = (size_t)(begins - q->classes[old->thread - q->read->threads].items);
    return index < now->count ? &now->items[index] : NULL;
}

/* Takes from OLD, which is in the same call, what took a replay to find: what it waits for, and its loops. */
static void inherit(struct unit *u, const struct unit *old)
{
    u->loops_known = old->loops_known;
    for (u->loop_count = 0; u->loop_count < old->loop_count; u->loop_count++) {
        const struct unit_loop *loop = &old->loops[u->loop_count];
        u->loops[u->loop_count] = (struct unit_loop){same_class(u, old, loop->begins), loop->iteration};
        if (!u->loops[u->loop_count].begins)
            break;
    }
    u->made_on = old->made_on;
    u->pending = old->pending_count ? malloc(old->pending_count * sizeof *u->pending) : NULL;
    if (!u->pending)
        return;
    memcpy(u->pending, old->pending, old->pending_count * sizeof *u->pending);
    u->pending_count = old->pending_count;
}

void look_compare(struct look *look, const struct look *before)
{
    double passed = look->when - before->when;
    if (passed <= 0)
        return;
    look->rate = 0;
    for (size_t i = 0; i < look->unit_count; i++) {
        struct unit *u = &look->units[i];
        const struct unit *old = same_unit(before, u);
        if (!old || u->thread->calls < old->thread->calls)
            continue;
        u->rate = (double)(u->thread->calls - old->thread->calls) / passed;
        look->rate += u->rate;
        bool same = u->thread->entered == old->thread->entered && u->state == old->state;
        if (same)
            inherit(u, old);
        if (u->seconds < 0 && u->state == UNIT_IN_CALL && same)
            u->seconds = passed + (old->seconds > 0 ? old->seconds : 0);
    }
}

bool unit_in_mpi(const struct unit *u)
{
    return u->state == UNIT_IN_CALL || u->state == UNIT_FINALIZE;
}

bool unit_ended(const struct unit *u)
{
    return u->state > UNIT_FINALIZE;
}
