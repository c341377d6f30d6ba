/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes tables of calls; see pilgrim/tables.h. The calls of each chosen thread are read once, rank by rank, so that a
 * row needs memory for one rank's amount, and for what is known of the ranks before it.
 *
 * A call adds its parts to rows: one part, or with sizes or receivers as keys one for each message. The parts of equal
 * calls are the same until some name gets another meaning, and are kept. Where calls have no times, a row notes how
 * many calls of each class it has, and gets the class's mean time, or the rank's own where the trace has that, when the
 * segment is over.
 *
 * Threads that count the same are read once: table_twins.c.
 *
 * One file: rows, parts and times are filled in by the same walk. */
#include "analysis/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/call_timing.h"
#include "analysis/messages_data.h"
#include "analysis/selector.h"
#include "analysis/table_data.h"

enum { ROWS_MAX = 1 << 21, TABLE_MEMOS = 1024, PARTS_MAX = 1 << 14, PEER_UNKNOWN = -1 };

bool table_stands_apart(const char *function)
{
    return strcmp(function, "MPI_Init") == 0 || strcmp(function, "MPI_Init_thread") == 0 ||
           strcmp(function, "MPI_Finalize") == 0;
}

/* ---- rows ---- */

static struct key row_key(const struct table_key *k)
{
    const uint64_t peer = (uint64_t)(k->peer + 2) & 0x1ffffffff;
    return (struct key){{(uint64_t)k->what << 32 | k->rank, (uint64_t)k->phase << 32 | k->communicator,
                         (uint64_t)k->datatype << 40 ^ (uint64_t)k->size << 33 ^ peer ^ (uint64_t)k->apart << 63}};
}

bool table_find_row(struct pilgrim_table *t, const struct table_key *key, size_t *row)
{
    struct kept_row *rows = messages_roomy(t->rows, t->row_count, &t->row_capacity, sizeof *rows);
    t->rows = rows ? rows : t->rows;
    if (t->row_count >= ROWS_MAX)
        t->refused = true;
    const uint64_t *number = rows && !t->refused ? key_table_put(&t->row_numbers, row_key(key), t->row_count) : NULL;
    if (!number)
        return false;
    if (*number == t->row_count)
        t->rows[t->row_count++] = (struct kept_row){.key = *key};
    *row = *number;
    return true;
}

static bool site_number(struct pilgrim_table *t, const struct pilgrim_class *class, uint32_t *number)
{
    struct class_copy *copy = copy_class(&t->classes, class);
    if (!copy)
        return false;
    if (copy->thread == 0) {
        const struct pilgrim_class **sites =
            messages_roomy(t->sites, t->site_count, &t->site_capacity, sizeof *t->sites);
        if (!sites)
            return false;
        t->sites = sites;
        t->sites[t->site_count++] = &copy->class;
        copy->thread = 1;
        copy->first = t->site_count;
    }
    *number = (uint32_t)copy->first;
    return true;
}

struct kept_row *table_touch(struct pilgrim_table *t, size_t row)
{
    struct kept_row *r = &t->rows[row];
    if (r->touched)
        return r;
    size_t *touched = messages_roomy(t->touched, t->touched_count, &t->touched_capacity, sizeof *touched);
    if (!touched)
        return NULL;
    t->touched = touched;
    t->touched[t->touched_count++] = row;
    r->touched = true;
    return r;
}

static uint64_t bytes_of(const struct pilgrim_amount *a)
{
    return a->message_bytes + a->collective_bytes + a->window_bytes + a->file_bytes;
}

void table_add_amounts(struct pilgrim_amount *to, const struct pilgrim_amount *a, uint64_t count)
{
    to->calls += count * a->calls;
    to->failed += count * a->failed;
    to->ns += a->ns;
    to->messages += count * a->messages;
    to->message_bytes += count * a->message_bytes;
    to->unsized += count * a->unsized;
    to->collective_bytes += count * a->collective_bytes;
    to->window_bytes += count * a->window_bytes;
    to->file_bytes += count * a->file_bytes;
}

static void measure(struct ranks_measure *m, double value, uint32_t rank, bool first)
{
    m->sum += value;
    if (first || value < m->least) {
        m->least = value;
        m->least_rank = rank;
    }
    if (first || value > m->most) {
        m->most = value;
        m->most_rank = rank;
    }
}

/* Ends the rank that is read, which ran for RUN_NS: its amounts become part of the rows. */
static void end_rank(struct pilgrim_table *t, double run_ns)
{
    for (size_t i = 0; i < t->touched_count; i++) {
        struct kept_row *r = &t->rows[t->touched[i]];
        const bool first = r->ranks++ == 0;
        measure(&r->times, r->current.ns, t->rank, first);
        measure(&r->calls, (double)r->current.calls, t->rank, first);
        measure(&r->bytes, (double)bytes_of(&r->current), t->rank, first);
        table_add_amounts(&r->sum, &r->current, 1);
        r->run_ns += run_ns;
        r->current = (struct pilgrim_amount){0};
        r->touched = false;
    }
    t->touched_count = 0;
    t->extent.run_ns += run_ns;
}

/* ---- what a call adds ---- */

static bool add_part(struct pilgrim_table *t, const struct table_key *key, const struct pilgrim_amount *amount)
{
    struct part *parts = messages_roomy(t->parts, t->kept + t->part_count, &t->part_capacity, sizeof *parts);
    size_t row;
    if (!parts)
        return false;
    t->parts = parts;
    if (!table_find_row(t, key, &row))
        return false;
    t->parts[t->kept + t->part_count++] = (struct part){row, *amount};
    return true;
}

static uint8_t bucket_of(uint64_t bytes)
{
    return (uint8_t)(bytes ? 64 - __builtin_clzll(bytes) : 0);
}

/* Fills in what all parts of the call have in common. */
static bool common_key(struct pilgrim_table *t, const struct pilgrim_call *call, struct table_key *key)
{
    bool good = true;
    *key = (struct table_key){.apart = table_stands_apart(call->function->name), .peer = PEER_UNKNOWN - 1};
    if (t->keys & PILGRIM_KEY_SITE)
        good = site_number(t, call->class_, &key->what);
    else if ((t->keys & PILGRIM_KEY_FUNCTION) || key->apart)
        good = texts_add(&t->functions, call->function->name, 0, &key->what);
    if (t->keys & PILGRIM_KEY_RANK)
        key->rank = call->rank / t->block;
    if ((t->keys & PILGRIM_KEY_PHASE) && !key->apart)
        key->phase = t->phase;
    return good;
}

/* Adds the part of message MESSAGE, or of the whole call. */
static bool add_keyed(struct pilgrim_table *t, const struct pilgrim_call *call, size_t message, struct table_key key,
                      const struct pilgrim_amount *amount)
{
    if (!key.apart && (t->keys & PILGRIM_KEY_COMMUNICATOR) &&
        !table_names_communicator(&t->names, call, message, &key.communicator))
        return false;
    if (!key.apart && (t->keys & PILGRIM_KEY_DATATYPE) &&
        !table_names_datatype(&t->names, call, message, volumes_messages(t->volumes), &key.datatype))
        return false;
    return add_part(t, &key, amount);
}

static int64_t peer_of(const struct pilgrim_table *t, const struct messages_transfer *transfer)
{
    const struct messages *m = volumes_messages(t->volumes);
    const struct group_member member = messages_target(m, transfer->target);
    return messages_world_rank(m, &member);
}

/* Adds a part for each message, for the operation on a window, or for the buffer of a collective call or a file. */
static bool split_call(struct pilgrim_table *t, const struct pilgrim_call *call, const struct volume_parts *v,
                       const struct table_key *common)
{
    size_t count;
    bool good = true;
    const struct messages_transfer *transfers = messages_transfers(volumes_messages(t->volumes), &count);
    for (size_t i = 0; i < count && good; i++) {
        struct pilgrim_amount amount = {.calls = 1, .failed = v->failed};
        struct table_key key = *common;
        uint64_t size = transfers[i].bytes;
        if (transfers[i].kind == MESSAGES_SEND) {
            amount.messages = 1;
            amount.message_bytes = size;
            amount.unsized = !transfers[i].sized;
        } else { /* what is put and got by one operation is one part */
            size = amount.window_bytes = v->window_bytes;
        }
        if (t->keys & PILGRIM_KEY_SIZE)
            key.size = bucket_of(size);
        if (t->keys & PILGRIM_KEY_PEER)
            key.peer = peer_of(t, &transfers[i]);
        good = add_keyed(t, call, i, key, &amount);
        if (transfers[i].kind != MESSAGES_SEND)
            break;
    }
    if (count || !(v->collective || v->file) || (t->keys & PILGRIM_KEY_PEER))
        return good;
    struct pilgrim_amount amount = {
        .calls = 1, .failed = v->failed, .collective_bytes = v->collective_bytes, .file_bytes = v->file_bytes};
    struct table_key key = *common;
    key.size = bucket_of(v->size);
    return add_keyed(t, call, 0, key, &amount);
}

/* Returns a number that grows whenever equal calls may have other parts than before. */
static uint64_t changes_of(const struct pilgrim_table *t)
{
    return messages_changes(volumes_messages(t->volumes)) + t->names.changes + t->phases_begun;
}

/* Finds the parts of the call: *FIRST and *COUNT of them. They are kept if equal calls follow. */
static bool find_parts(struct pilgrim_table *t, const struct pilgrim_call *call, size_t *first, size_t *count)
{
    const uint64_t changes = changes_of(t);
    struct call_parts *memo = &t->memos[call->identity % TABLE_MEMOS];
    if (call->identity && memo->identity == call->identity && memo->changes == changes) {
        *first = memo->first;
        *count = memo->count;
        return true;
    }
    if (t->kept > PARTS_MAX) {
        memset(t->memos, 0, TABLE_MEMOS * sizeof *t->memos);
        t->kept = 0;
    }
    t->part_count = 0;
    const struct volume_parts v = *volumes_parts(t->volumes, call);
    struct table_key key;
    bool good = common_key(t, call, &key);
    if (good && (t->keys & (PILGRIM_KEY_SIZE | PILGRIM_KEY_PEER))) {
        good = key.apart || split_call(t, call, &v, &key);
    } else if (good) {
        const struct pilgrim_amount amount = {.calls = 1,
                                              .failed = v.failed,
                                              .messages = v.messages,
                                              .message_bytes = v.message_bytes,
                                              .unsized = v.unsized,
                                              .collective_bytes = v.collective_bytes,
                                              .window_bytes = v.window_bytes,
                                              .file_bytes = v.file_bytes};
        good = add_keyed(t, call, 0, key, &amount);
    }
    if (!good)
        return false;
    *first = t->kept;
    *count = t->part_count;
    if (call->identity) {
        *memo = (struct call_parts){call->identity, changes, call->class_, *first, *count};
        t->kept += t->part_count;
    }
    return true;
}

/* ---- times ---- */

/* Notes that CALLS calls of CLASS have one of their PARTS in ROW. */
static bool note_untimed(struct pilgrim_table *t, size_t row, const struct pilgrim_class *class, size_t parts,
                         uint64_t calls)
{
    struct untimed *untimed = messages_roomy(t->untimed, t->untimed_count, &t->untimed_capacity, sizeof *untimed);
    t->untimed = untimed ? untimed : t->untimed;
    const uint64_t *number =
        untimed ? key_table_put(&t->untimed_numbers, (struct key){{row, (uintptr_t) class, parts}}, t->untimed_count)
                : NULL;
    if (!number)
        return false;
    if (*number == t->untimed_count)
        t->untimed[t->untimed_count++] = (struct untimed){row, parts, class, 0};
    t->untimed[*number].calls += calls;
    return true;
}

void table_add_untimed(struct pilgrim_table *t, const struct untimed *u, const struct class_time *k)
{
    struct kept_row *row = &t->rows[u->row];
    if (!k || !k->timed || k->durations.count == 0 || k->calls == 0)
        return;
    double mean = k->durations.total_ns / (double)k->durations.count;
    if (k->rank.has_durations)
        mean = k->rank.durations_ns / (double)k->calls;
    row->current.ns += mean * ((double)u->calls / (double)u->parts);
    row->blocks |= k->rank.rank_count > 1;
    row->timed = row->estimated = true;
}

void table_end_segment(struct pilgrim_table *t)
{
    for (size_t i = 0; i < t->untimed_count; i++)
        table_add_untimed(t, &t->untimed[i], class_times_find(&t->class_times, t->untimed[i].class));
    t->untimed_count = 0;
    key_table_clear(&t->untimed_numbers);
    t->in_segment = false;
}

static enum pilgrim_status begin_segment(struct pilgrim_table *t, const struct pilgrim_cursor *cursor,
                                         const struct pilgrim_call *call, struct pilgrim_error *error)
{
    t->segment = pilgrim_cursor_segment(cursor);
    t->in_segment = true;
    return class_times_begin(&t->class_times, cursor, !call->timed, t->alone, error);
}

/* ---- calls ---- */

static bool follow_phase(struct pilgrim_table *t, const struct pilgrim_call *call)
{
    uint32_t before = t->phase;
    if (!(t->keys & PILGRIM_KEY_PHASE) || strcmp(call->function->name, "pilgrim_marker") != 0 ||
        call->function->parameter_count < 1)
        return true;
    const char *text = call->in[0].type == PILGRIM_STRING && call->in[0].text ? call->in[0].text : "";
    bool good = texts_add(&t->phases, text, 0, &t->phase);
    t->phases_begun += t->phase != before;
    return good;
}

/* Adds a call that stands for CALLS calls. */
static bool add_call(struct pilgrim_table *t, const struct pilgrim_call *call, uint64_t calls)
{
    size_t first, count;
    const bool ends = strcmp(call->function->name, "MPI_Finalize") == 0;
    if (!find_parts(t, call, &first, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct kept_row *row = table_touch(t, t->parts[first + i].row);
        if (!row)
            return false;
        table_add_amounts(&row->current, &t->parts[first + i].amount, calls);
        if (ends)
            continue;
        if (call->timed) {
            row->current.ns += (double)(call->end_ns - call->start_ns) / (double)count;
            row->timed = true;
        } else if (!note_untimed(t, t->parts[first + i].row, call->class_, count, calls)) {
            return false;
        }
    }
    return true;
}

/* Takes a call that stands for CALLS calls. */
static enum pilgrim_status take_call(struct pilgrim_table *t, const struct pilgrim_call *call, uint64_t calls,
                                     struct pilgrim_error *error)
{
    const struct pilgrim_cursor *cursor = counted_calls_cursor(t->calls);
    enum pilgrim_status status = PILGRIM_OK;
    bool fits = true;
    if (t->in_segment && pilgrim_cursor_segment(cursor) != t->segment)
        table_end_segment(t);
    if (!t->in_segment)
        status = begin_segment(t, cursor, call, error);
    if (status == PILGRIM_OK)
        status = selector_take(t->selector, call, t->segment, &fits, error);
    if (status != PILGRIM_OK)
        return status;
    struct class_time *class = class_times_find(&t->class_times, call->class_);
    if (!class)
        return no_group(PILGRIM_DAMAGED, error);
    class->calls += calls;
    t->extent.calls += fits ? calls : 0;
    if (call->timed && !t->has_times)
        t->first_ns = call->start_ns;
    if (call->timed)
        t->last_ns = call->end_ns;
    t->has_times |= call->timed;
    if (volumes_see(t->volumes, call, error) != PILGRIM_OK ||
        table_names_see(&t->names, call, volumes_messages(t->volumes)) != PILGRIM_OK || !follow_phase(t, call) ||
        (fits && !add_call(t, call, calls)))
        return no_memory(error);
    return PILGRIM_OK;
}

enum pilgrim_status table_take_thread(struct pilgrim_table *t, uint32_t rank, uint32_t thread, double *run_ns,
                                      struct pilgrim_error *error)
{
    struct pilgrim_call call;
    const uint64_t before = t->extent.calls;
    uint64_t calls;
    t->has_times = false;
    t->phase = 0;
    t->kept = 0;
    memset(t->memos, 0, TABLE_MEMOS * sizeof *t->memos);
    enum pilgrim_status status = (t->keys & PILGRIM_KEY_PEER) ? volumes_begin(t->volumes, rank, thread, error)
                                                              : volumes_begin_thread(t->volumes, rank, thread, error);
    if (status == PILGRIM_OK)
        status = table_names_begin(&t->names, rank, thread, error);
    if (status == PILGRIM_OK)
        status = selector_begin(t->selector, rank, thread, error);
    if (status == PILGRIM_OK)
        status = counted_calls_begin(t->calls, rank, thread, t->how, error);
    if (status != PILGRIM_OK)
        return status;
    while ((status = counted_calls_next(t->calls, changes_of(t), &call, &calls, error)) == PILGRIM_OK &&
           (status = take_call(t, &call, calls, error)) == PILGRIM_OK)
        ;
    if (!t->keeps)
        table_end_segment(t);
    t->extent.threads += t->extent.calls > before;
    if (t->has_times && t->last_ns > t->first_ns)
        *run_ns += (double)(t->last_ns - t->first_ns);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

static enum pilgrim_status take_rank(struct pilgrim_table *t, uint32_t rank, struct pilgrim_error *error)
{
    struct pilgrim_rank_profile profile;
    struct pilgrim_error ignored;
    enum pilgrim_status status = PILGRIM_OK;
    const uint32_t threads = pilgrim_thread_count(t->trace, rank);
    double run_ns = 0;
    t->rank = rank;
    t->alone = threads == 1;
    for (uint32_t thread = 0; thread < threads && status == PILGRIM_OK; thread++)
        if (selector_has_thread(t->selector, rank, thread))
            status = t->twins && threads == 1 ? table_take_alone(t, rank, &run_ns, error)
                                              : table_take_thread(t, rank, thread, &run_ns, error);
    if (run_ns <= 0 && pilgrim_rank_profile(t->trace, rank, &profile, &ignored) == PILGRIM_OK)
        for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++)
            run_ns += profile.ns[i];
    end_rank(t, run_ns);
    t->extent.ranks++;
    return status;
}

/* ---- the order of rows ---- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* BY_KEY: a row has others beside it that tell how sizes or receivers are distributed; else the most expensive come
 * first. */
static int compare_rows(const struct kept_row *a, const struct kept_row *b, bool by_key)
{
    const int fixed[] = {compare_numbers(a->key.apart, b->key.apart), compare_numbers(a->key.phase, b->key.phase),
                         compare_numbers(a->key.rank, b->key.rank)};
    const int keyed[] = {compare_numbers(a->key.what, b->key.what),
                         compare_numbers(a->key.communicator, b->key.communicator),
                         compare_numbers(a->key.datatype, b->key.datatype),
                         compare_numbers((uint64_t)(a->key.peer + 2), (uint64_t)(b->key.peer + 2)),
                         compare_numbers(a->key.size, b->key.size)};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (fixed[i])
            return fixed[i];
    if (!by_key && a->sum.ns != b->sum.ns)
        return a->sum.ns > b->sum.ns ? -1 : 1;
    if (!by_key && a->sum.calls != b->sum.calls)
        return a->sum.calls > b->sum.calls ? -1 : 1;
    for (size_t i = 0; i < sizeof keyed / sizeof *keyed; i++)
        if (keyed[i])
            return keyed[i];
    return 0;
}

static int compare_keyed(const void *a, const void *b)
{
    return compare_rows(a, b, true);
}

static int compare_timed(const void *a, const void *b)
{
    return compare_rows(a, b, false);
}

/* ---- all ---- */

/* Sets *INTER if a process made an inter-communicator. Who is in it is known only when all calls were seen. */
static enum pilgrim_status find_inter(const struct pilgrim_trace *trace, bool *inter, struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    *inter = false;
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace) && status == PILGRIM_OK && !*inter; rank++) {
        struct pilgrim_communicators *list;
        struct pilgrim_communicator c;
        status = pilgrim_communicators_open(trace, rank, &list, error);
        while (status == PILGRIM_OK && (status = pilgrim_communicators_next(list, &c, error)) == PILGRIM_OK)
            *inter |= c.inter;
        pilgrim_communicators_close(list);
        status = status == PILGRIM_END ? PILGRIM_OK : status;
    }
    return status;
}

/* Reads all calls, for the members of inter-communicators. */
static enum pilgrim_status learn_members(struct pilgrim_table *t, struct pilgrim_error *error)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    bool inter;
    enum pilgrim_status status = find_inter(t->trace, &inter, error);
    for (uint32_t rank = 0; status == PILGRIM_OK && inter && rank < pilgrim_rank_count(t->trace); rank++)
        for (uint32_t thread = 0; status == PILGRIM_OK && thread < pilgrim_thread_count(t->trace, rank); thread++) {
            status = volumes_begin(t->volumes, rank, thread, error);
            if (status == PILGRIM_OK)
                status = pilgrim_cursor_open(t->trace, rank, thread, &cursor, error);
            if (status != PILGRIM_OK)
                return status;
            while ((status = pilgrim_cursor_next(cursor, &call, error)) == PILGRIM_OK &&
                   (status = volumes_see(t->volumes, &call, error)) == PILGRIM_OK)
                ;
            pilgrim_cursor_close(cursor);
            status = status == PILGRIM_END ? PILGRIM_OK : status;
        }
    return status;
}

static enum pilgrim_status make_table(const struct pilgrim_trace *trace, const struct pilgrim_selection *selection,
                                      unsigned keys, uint32_t block, struct source_lines *lines,
                                      struct pilgrim_table **table, struct pilgrim_error *error)
{
    static const enum criterion_name whole[] = {SELECT_RANK, SELECT_THREAD};
    struct pilgrim_table *t = *table = calloc(1, sizeof *t);
    enum pilgrim_status status = PILGRIM_OK;
    if (!t)
        return no_memory(error);
    t->trace = t->names.trace = trace;
    t->names.given = keys & (PILGRIM_KEY_COMMUNICATOR | PILGRIM_KEY_DATATYPE);
    t->keys = keys;
    t->block = block;
    t->classes.sites_only = true;
    t->volumes = volumes_new(trace);
    t->selector = selector_new(trace, selection, lines);
    t->calls = counted_calls_new(trace);
    t->how = selection_besides(selection, whole, sizeof whole / sizeof *whole) ? ONE_BY_ONE : COUNTED_UNTIMED;
    t->memos = calloc(TABLE_MEMOS, sizeof *t->memos);
    const bool twins = t->how != ONE_BY_ONE && !calls_have_times(trace) &&
                       !(keys & (PILGRIM_KEY_PEER | PILGRIM_KEY_COMMUNICATOR)) &&
                       (block > 1 || !(keys & PILGRIM_KEY_RANK));
    t->twins = twins ? thread_twins_new(trace) : NULL;
    if (!t->volumes || !t->calls || !t->selector || !t->memos || (twins && !t->twins))
        status = no_memory(error);
    if (status == PILGRIM_OK && (keys & PILGRIM_KEY_PEER))
        status = learn_members(t, error);
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace) && status == PILGRIM_OK; rank++)
        if (selector_has_rank(t->selector, rank))
            status = take_rank(t, rank, error);
    if (t->refused) {
        status = PILGRIM_LIMIT;
        *error = (struct pilgrim_error){.status = status};
        snprintf(error->message, sizeof error->message,
                 "the table would have more than %d rows: choose fewer ranks, or fewer keys", ROWS_MAX);
    }
    if (status == PILGRIM_OK)
        status = selector_end(t->selector, error);
    if (t->row_count > 1)
        qsort(t->rows, t->row_count, sizeof *t->rows,
              keys & (PILGRIM_KEY_SIZE | PILGRIM_KEY_PEER) ? compare_keyed : compare_timed);
    return status;
}

enum pilgrim_status table_make(const struct pilgrim_trace *trace, const struct pilgrim_selection *selection,
                               unsigned keys, struct source_lines *lines, struct pilgrim_table **table,
                               struct pilgrim_error *error)
{
    return make_table(trace, selection, keys, 1, lines, table, error);
}

enum pilgrim_status table_make_blocks(const struct pilgrim_trace *trace, unsigned keys, uint32_t block,
                                      struct source_lines *lines, struct pilgrim_table **table,
                                      struct pilgrim_error *error)
{
    return make_table(trace, NULL, keys, block, lines, table, error);
}

enum pilgrim_status pilgrim_table_make(const struct pilgrim_trace *trace, const struct pilgrim_selection *selection,
                                       unsigned keys, struct pilgrim_table **table, struct pilgrim_error *error)
{
    struct pilgrim_error ignored;
    struct source_lines *lines = NULL;
    if (!error)
        error = &ignored;
    if (table)
        *table = NULL;
    if (!trace || !table || keys > PILGRIM_KEYS_ALL)
        return PILGRIM_INVALID;
    enum pilgrim_status status = selection ? pilgrim_selection_check(selection, trace, error) : PILGRIM_OK;
    if (status == PILGRIM_OK && selection_has(selection, SELECT_SITE)) {
        lines = source_lines_new("", NULL);
        if (!lines)
            return no_memory(error);
        source_lines_ran_in(lines, pilgrim_property(trace, "folder"));
        source_lines_use_trace(lines, trace, pilgrim_frame_function);
    }
    if (status == PILGRIM_OK)
        status = table_make(trace, selection, keys, lines, table, error);
    source_lines_free(lines);
    if (status != PILGRIM_OK) {
        pilgrim_table_free(*table);
        *table = NULL;
    }
    return status;
}

void pilgrim_table_free(struct pilgrim_table *t)
{
    if (!t)
        return;
    free(t->rows);
    key_table_clear(&t->row_numbers);
    free(t->touched);
    class_copies_free(&t->classes);
    free(t->sites);
    texts_free(&t->functions);
    texts_free(&t->phases);
    table_names_free(&t->names);
    volumes_free(t->volumes);
    counted_calls_free(t->calls);
    selector_free(t->selector);
    class_times_free(&t->class_times);
    free(t->parts);
    free(t->memos);
    free(t->untimed);
    key_table_clear(&t->untimed_numbers);
    table_twins_free(t);
    free(t);
}

/* ---- what it has ---- */

/* ANY: which ranks these are is not known. */
static struct pilgrim_spread spread_of(const struct ranks_measure *m, uint64_t ranks, bool any)
{
    struct pilgrim_spread s = {.least = m->least, .mean = ranks ? m->sum / (double)ranks : 0, .most = m->most};
    s.least_rank = any ? PILGRIM_RANK_UNKNOWN : m->least_rank;
    s.most_rank = any ? PILGRIM_RANK_UNKNOWN : m->most_rank;
    s.imbalance = s.mean > 0 ? s.most / s.mean - 1 : 0;
    return s;
}

static void fill_keys(const struct pilgrim_table *t, const struct table_key *k, struct pilgrim_table_row *row)
{
    row->rank = row->peer = -1;
    row->apart = k->apart;
    if (t->keys & PILGRIM_KEY_SITE)
        row->class_ = t->sites[k->what - 1];
    row->function = row->class_ ? row->class_->function->name : texts_at(&t->functions, k->what);
    if (t->keys & PILGRIM_KEY_RANK)
        row->rank = (int64_t)k->rank * t->block;
    row->phase = texts_at(&t->phases, k->phase);
    row->communicator = texts_at(&t->names.communicators, k->communicator);
    row->identity = texts_mark(&t->names.communicators, k->communicator);
    row->datatype = texts_at(&t->names.datatypes, k->datatype);
    row->communicator_name = texts_given(&t->names.communicators, k->communicator);
    row->datatype_name = texts_given(&t->names.datatypes, k->datatype);
    if (k->size) {
        row->size_least = UINT64_C(1) << (k->size - 1);
        row->size_most = row->size_least + (row->size_least - 1);
    }
    if (k->peer >= 0)
        row->peer = k->peer;
}

bool pilgrim_table_at(const struct pilgrim_table *t, size_t i, struct pilgrim_table_row *row)
{
    if (!t || !row || i >= t->row_count)
        return false;
    const struct kept_row *r = &t->rows[i];
    const bool equal = r->estimated && r->ranks > 1 && r->times.least >= r->times.most; /* one mean for all */
    const double run_ns = (t->keys & PILGRIM_KEY_RANK) ? r->run_ns : t->extent.run_ns;
    *row = (struct pilgrim_table_row){.ranks = r->ranks,
                                      .timed = r->timed,
                                      .estimated = r->estimated,
                                      .sum = r->sum,
                                      .times = spread_of(&r->times, r->ranks, r->blocks || equal),
                                      .calls = spread_of(&r->calls, r->ranks, false),
                                      .bytes = spread_of(&r->bytes, r->ranks, false)};
    row->share = run_ns > 0 ? r->sum.ns / run_ns : 0;
    fill_keys(t, &r->key, row);
    return true;
}

size_t table_rows(const struct pilgrim_table *t)
{
    return t->row_count;
}

struct table_extent table_extent(const struct pilgrim_table *t)
{
    return t->extent;
}
