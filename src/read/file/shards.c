/* SPDX-License-Identifier: BSD-3-Clause */
/* The shards of a trace; see shards.h.
 *
 * Shards to drop are drawn by lot. A walk goes through all segments, and the walk of the next thread goes through all
 * of them again: the shard that was not used for longest would be the one that is needed next. */
#include "read/file/shards.h"

#include <stdlib.h>
#include <unistd.h>

#include "read/file/shard_load.h"
#include "read/table/columns.h"
#include "read/table/streams.h"

#define THREAD_RUNS_MAX 4096
#define THREADS_MAX     (1u << 19) /* of a shard that may be dropped */

void shard_free(struct shard *v)
{
    if (!v)
        return;
    rules_free(&v->rules);
    arena_free(&v->arena);
    for (unsigned i = 0; i < SECTION_TYPE_COUNT; i++)
        bytes_free(&v->content[i]);
    free(v);
}

/* ---- threads of shards that are not in memory ---- */

static bool add_run(struct shard_entry *e, uint64_t ranks, uint64_t threads)
{
    struct thread_run *last = e->thread_run_count > 0 ? &e->threads[e->thread_run_count - 1] : NULL;
    uint32_t from = last ? last->end : 0, end = from + (uint32_t)ranks;
    if (last && last->threads == threads) {
        last->end = end;
        return true;
    }
    if (e->thread_run_count == THREAD_RUNS_MAX)
        return false;
    uint64_t before =
        last ? last->before + (uint64_t)(last->end - (last > e->threads ? last[-1].end : 0)) * last->threads : 0;
    e->threads[e->thread_run_count++] = (struct thread_run){end, (uint32_t)threads, before};
    return true;
}

static bool add_sums(struct shard_entry *e, const struct shard *v, uint64_t sequence)
{
    struct rules_cursor differences;
    uint64_t code;
    bool good = rules_cursor_init(&differences, &v->rules, sequence) == PILGRIM_OK;
    while (good && rules_cursor_next(&differences, &code))
        good = add_run(e, 1 + rules_cursor_take_same(&differences), (uint64_t)unzigzag(code));
    rules_cursor_free(&differences);
    return good;
}

static bool add_list(struct shard_entry *e, const struct stored_column *c)
{
    bool good = true;
    for (uint64_t i = 1; good && i < c->length; i++)
        good = add_run(e, 1, (uint64_t)(c->list[i] - c->list[i - 1]));
    return good;
}

static bool note_threads(struct shard_entry *e)
{
    const struct stored_column *c = e->shard->threads;
    e->threads = malloc(THREAD_RUNS_MAX * sizeof *e->threads);
    bool good = e->threads && ((c->kind == EXPRESSION_CONSTANT && add_run(e, e->rank_count, 0)) ||
                               (c->kind == EXPRESSION_SUMS && add_sums(e, e->shard, c->sequence)) ||
                               (c->kind == EXPRESSION_LIST && add_list(e, c)));
    struct thread_run *fitting = good ? realloc(e->threads, e->thread_run_count * sizeof *fitting) : NULL;
    if (fitting)
        e->threads = fitting;
    return good;
}

static bool note_silent(struct shard_entry *e)
{
    const struct shard *v = e->shard;
    uint64_t count = (uint64_t)column_last(v, v->threads);
    e->silent = count <= THREADS_MAX ? calloc(count / 8 + 1, 1) : NULL;
    if (!e->silent)
        return false;
    for (size_t i = 0; i < v->group_count; i++) {
        const struct stored_group *g = &v->groups[i];
        for (uint64_t k = 0; !g->is_process && g->sequence == 0 && k < column_size(g->members); k++) {
            uint64_t thread = (uint64_t)column_value(v, g->members, k, 0);
            e->silent[thread / 8] |= (uint8_t)(1u << thread % 8);
        }
    }
    return true;
}

static void forget_threads(struct shard_entry *e)
{
    free(e->threads);
    free(e->silent);
    e->threads = NULL;
    e->silent = NULL;
}

/* Notes what may be asked about E's shard while it is not in memory: threads, silent threads. If that is too much, or
 * memory is short, the shard stays in memory. */
static void note_shard(struct shard_entry *e)
{
    if (!note_threads(e) || !note_silent(e))
        forget_threads(e);
}

/* Returns the run of RANK, a rank of the shard. */
static const struct thread_run *find_run(const struct shard_entry *e, uint32_t rank)
{
    uint32_t low = 0, high = e->thread_run_count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (e->threads[middle].end <= rank)
            low = middle + 1;
        else
            high = middle;
    }
    return &e->threads[low];
}

static uint32_t entry_threads(const struct shard_entry *e, uint32_t rank)
{
    return e->threads ? find_run(e, rank)->threads : (uint32_t)thread_count(e->shard, rank);
}

/* True if THREAD of RANK has no calls. The shard has the thread. A thread that is in no group is damaged, not silent.
 */
static bool entry_is_silent(const struct shard_entry *e, uint32_t rank, uint32_t thread)
{
    struct stream_position at;
    if (!e->threads)
        return thread_find(e->shard, rank, thread, &at) && at.group->sequence == 0;
    const struct thread_run *run = find_run(e, rank);
    uint64_t first = run > e->threads ? run[-1].end : 0, number = run->before + (rank - first) * run->threads + thread;
    return e->silent[number / 8] >> number % 8 & 1;
}

/* ---- segments ---- */

/* Sets *NUMBER to the shard of RANK in SEGMENT, which the trace has. False: the segment is incomplete and lacks the
 * rank. */
static bool segment_find(const struct pilgrim_trace *t, uint32_t segment, uint32_t rank, size_t *number)
{
    size_t low = t->segments[segment],
           high = (segment + 1 < t->segment_count ? t->segments[segment + 1] : t->shard_count) - 1;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (t->entries[middle].first_rank <= rank)
            low = middle;
        else
            high = middle - 1;
    }
    *number = low;
    return rank - t->entries[low].first_rank < t->entries[low].rank_count;
}

uint32_t segment_threads(const struct pilgrim_trace *t, uint32_t segment, uint32_t rank)
{
    size_t number;
    if (!segment_find(t, segment, rank, &number))
        return 0;
    return entry_threads(&t->entries[number], rank - t->entries[number].first_rank);
}

bool segment_is_silent(const struct pilgrim_trace *t, uint32_t segment, uint32_t rank, uint32_t thread)
{
    size_t number;
    if (!segment_find(t, segment, rank, &number))
        return true;
    const struct shard_entry *e = &t->entries[number];
    rank -= e->first_rank;
    return thread >= entry_threads(e, rank) || entry_is_silent(e, rank, thread);
}

/* ---- holding ---- */

static void drop(struct shard_cache *cache, struct shard_entry *e)
{
    shard_free(e->shard);
    e->shard = NULL;
    cache->bytes -= e->bytes;
    cache->dropped = true;
}

static struct shard_entry *draw_unused(const struct pilgrim_trace *t)
{
    struct shard_cache *cache = t->cache;
    cache->dice = cache->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    size_t first = (size_t)(cache->dice >> 33) % t->shard_count;
    for (size_t i = 0; i < t->shard_count; i++) {
        struct shard_entry *e = &t->entries[(first + i) % t->shard_count];
        if (e->shard && e->users == 0 && e->threads)
            return e;
    }
    return NULL;
}

void shards_make_room(const struct pilgrim_trace *t, uint64_t bytes)
{
    struct shard_cache *cache = t->cache;
    struct shard_entry *e;
    while (cache && t->shard_count > 0 && cache->bytes > 0 &&
           (bytes > cache->limit || cache->bytes > cache->limit - bytes) && (e = draw_unused(t)))
        drop(cache, e);
}

/* The caller has the lock. */
static enum pilgrim_status hold(const struct pilgrim_trace *t, size_t number, struct pilgrim_error *error)
{
    struct shard_entry *e = &t->entries[number];
    if (!e->shard) {
        shards_make_room(t, e->bytes);
        enum pilgrim_status status = shard_load(t, number, &e->shard, error);
        if (status != PILGRIM_OK)
            return status;
        t->cache->bytes += e->bytes;
    }
    e->users++;
    return PILGRIM_OK;
}

enum pilgrim_status shard_hold(const struct pilgrim_trace *t, size_t number, const struct shard **v,
                               struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    if (t->cache) {
        pthread_mutex_lock(&t->cache->lock);
        status = hold(t, number, error);
        pthread_mutex_unlock(&t->cache->lock);
    }
    *v = status == PILGRIM_OK ? t->entries[number].shard : NULL;
    return status;
}

void shard_release(const struct pilgrim_trace *t, const struct shard *v)
{
    if (!v || !t->cache)
        return;
    pthread_mutex_lock(&t->cache->lock);
    t->entries[v->number].users--;
    pthread_mutex_unlock(&t->cache->lock);
}

enum pilgrim_status segment_hold(const struct pilgrim_trace *t, uint32_t segment, uint32_t rank, const struct shard **v,
                                 struct pilgrim_error *error)
{
    size_t number;
    *v = NULL;
    return segment_find(t, segment, rank, &number) ? shard_hold(t, number, v, error) : PILGRIM_END;
}

/* ---- opening and closing ---- */

enum pilgrim_status shards_add(struct pilgrim_trace *t, const struct shard_entry *e)
{
    struct shard_entry *entries = realloc(t->entries, (t->shard_count + 1) * sizeof *entries);
    if (!entries)
        return PILGRIM_NOMEM;
    t->entries = entries;
    entries[t->shard_count] = *e;
    if (t->cache) {
        note_shard(&entries[t->shard_count]);
        t->cache->bytes += e->bytes;
    }
    t->shard_count++;
    return PILGRIM_OK;
}

static void cache_free(struct pilgrim_trace *t)
{
    if (!t->cache)
        return;
    pthread_mutex_destroy(&t->cache->lock);
    free(t->cache);
    t->cache = NULL;
}

static void close_source(struct pilgrim_trace *t)
{
    if (t->source.descriptor >= 0)
        close(t->source.descriptor);
    t->source = (struct trace_source){.descriptor = -1, .memory = t->source.memory};
    bytes_free(&t->held);
}

void shards_settle(struct pilgrim_trace *t)
{
    if (t->cache && !t->cache->dropped) {
        cache_free(t);
        for (size_t i = 0; i < t->shard_count; i++)
            forget_threads(&t->entries[i]);
    }
    if (!t->cache && t->times.count == 0)
        close_source(t);
}

void pilgrim_close(struct pilgrim_trace *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->shard_count; i++) {
        shard_free(t->entries[i].shard);
        forget_threads(&t->entries[i]);
    }
    cache_free(t);
    close_source(t);
    time_sections_free(&t->times);
    arena_free(&t->arena);
    trace_symbols_free(&t->symbols);
    free(t->entries);
    free(t->segments);
    free(t);
}
