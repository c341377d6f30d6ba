/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens a trace: reads the header, then the sections in their order. Each is checked and parsed before the next.
 *
 * The file is long: it has the three ways to get at the bytes (memory, file, pipe), and all checks of the order of
 * sections. */
#include "read/file/load.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/run_folder.h"
#include "read/file/shard_load.h"
#include "read/table/columns.h"
#include "read/table/trace_error.h"

#define HEADER_BYTES (sizeof trace_magic + 2)
#define READ_BYTES   (1u << 16)
/* What a file may have: RANKS_FREE ranks, and RANKS_PER_BYTE more for each byte; so many threads for each such rank. */
#define RANKS_FREE       (UINT64_C(1) << 20)
#define RANKS_PER_BYTE   64
#define THREADS_PER_RANK 16

struct loader {
    struct pilgrim_trace *trace;
    struct trace_source source;
    struct budget budget;                   /* for the current shard and its times */
    uint64_t granted;                       /* budget.bytes at the start of the current shard */
    uint64_t spent;                         /* bytes that the shards before took */
    struct bytes room;                      /* for the bytes of a section */
    struct shard *shard;                    /* its calls are still to come; NULL: there is none */
    struct shard_entry entry;               /* of SHARD */
    uint32_t segment_ranks, segment_groups; /* of the current segment, so far */
    struct pilgrim_error times;             /* the problem of the first damaged times section */
};

/* Copies the properties of the first shard, which may be dropped later. */
static bool keep_properties(struct pilgrim_trace *t, const struct shard *v)
{
    if (v->property_count == 0)
        return true;
    const struct string *last = &v->strings[v->string_count - 1];
    const char *from = v->strings[0].text;
    size_t length = (size_t)(last->text - from) + last->length + 1;
    char *copy = arena_take(&t->arena, length);
    t->properties = arena_take(&t->arena, v->property_count * sizeof *t->properties);
    if (!copy || !t->properties)
        return false;
    memcpy(copy, from, length);
    for (size_t i = 0; i < v->property_count; i++)
        for (unsigned k = 0; k < 2; k++)
            t->properties[i][k] = copy + (v->strings[v->properties[i][k]].text - from);
    t->property_count = v->property_count;
    return true;
}

static bool has_property(const struct pilgrim_trace *t, const char *key, const char *value)
{
    for (size_t i = 0; i < t->property_count; i++)
        if (strcmp(t->properties[i][0], key) == 0 && strcmp(t->properties[i][1], value) == 0)
            return true;
    return false;
}

/* Adds the properties of V that each rank sets by itself, up to a limit. Any shard may have them. */
static bool add_properties(struct pilgrim_trace *t, const struct shard *v)
{
    enum { PROPERTIES_MAX = 1024 };
    for (size_t i = 0; i < v->property_count && t->property_count < PROPERTIES_MAX; i++) {
        const struct string *key = &v->strings[v->properties[i][0]], *value = &v->strings[v->properties[i][1]];
        const char *known = strcmp(key->text, PROPERTY_UNSEEN) == 0   ? PROPERTY_UNSEEN
                            : strcmp(key->text, PROPERTY_INSIDE) == 0 ? PROPERTY_INSIDE
                                                                      : NULL;
        if (!known || has_property(t, known, value->text))
            continue;
        const char *(*more)[2] = arena_take(&t->arena, (t->property_count + 1) * sizeof *more);
        char *copy = arena_take(&t->arena, (size_t)value->length + 1);
        if (!more || !copy)
            return false;
        if (t->property_count)
            memcpy(more, t->properties, t->property_count * sizeof *more);
        memcpy(copy, value->text, (size_t)value->length + 1);
        more[t->property_count][0] = known;
        more[t->property_count++][1] = copy;
        t->properties = more;
    }
    return true;
}

static enum pilgrim_status calls_error(const struct section *section, enum pilgrim_status status, const char *problem,
                                       struct pilgrim_error *error)
{
    return trace_error(error, status, section->offset, "section calls at byte %llu: %s",
                       (unsigned long long)section->offset, problem);
}

static bool begin_segment(struct loader *l)
{
    struct pilgrim_trace *t = l->trace;
    size_t *segments = realloc(t->segments, ((size_t)t->segment_count + 1) * sizeof *segments);
    if (!segments)
        return false;
    segments[t->segment_count++] = t->shard_count;
    t->segments = segments;
    l->segment_ranks = l->segment_groups = 0;
    return true;
}

/* Fails if a segment would have more ranks, or the shard more threads, than a file of this length may have: ranges of
 * them take no bytes, and each of them takes time. */
static enum pilgrim_status check_counts(const struct loader *l, const struct section *section,
                                        struct pilgrim_error *error)
{
    const struct shard *v = l->shard;
    const uint64_t length = l->source.length;
    const uint64_t most = RANKS_FREE + (length < UINT32_MAX ? length : UINT32_MAX) * RANKS_PER_BYTE;
    const uint64_t ranks = (uint64_t)l->segment_ranks + v->rank_count, threads = (uint64_t)column_last(v, v->threads);
    const bool of_ranks = ranks > most;
    char what[128];
    if (!of_ranks && threads / THREADS_PER_RANK <= most)
        return PILGRIM_OK;
    snprintf(what, sizeof what, "%llu %s, and a file of %llu bytes may have %llu",
             (unsigned long long)(of_ranks ? ranks : threads), of_ranks ? "ranks" : "threads",
             (unsigned long long)length, (unsigned long long)(of_ranks ? most : most * THREADS_PER_RANK));
    return calls_error(section, PILGRIM_LIMIT, what, error);
}

/* Numbers the ranks of the shard in its segment. Fails if they do not fit. */
static enum pilgrim_status number_ranks(struct loader *l, const struct section *section, struct pilgrim_error *error)
{
    struct pilgrim_trace *t = l->trace;
    const struct shard *v = l->shard;
    const bool first = t->shard_count == 0;
    if (first && v->begins_segment)
        return calls_error(section, PILGRIM_DAMAGED, "another segment without one before it", error);
    if (v->begins_segment && l->segment_ranks < t->rank_count)
        return calls_error(section, PILGRIM_DAMAGED, "another segment before all ranks of the last one", error);
    if (v->begins_segment && t->segment_count == UINT32_MAX)
        return calls_error(section, PILGRIM_LIMIT, "more than 4294967295 segments", error);
    if ((first || v->begins_segment) && !begin_segment(l))
        return trace_no_memory(error);
    if (t->segment_count > 1 && v->rank_count > t->rank_count - l->segment_ranks)
        return calls_error(section, PILGRIM_DAMAGED, "a segment with more ranks than the first one", error);
    if (v->rank_count > UINT32_MAX - l->segment_ranks)
        return calls_error(section, PILGRIM_LIMIT, "more than 4294967295 ranks", error);
    return check_counts(l, section, error);
}

/* Returns the memory of tables of so many BYTES: a quarter more, for malloc. */
static uint64_t bytes_taken(uint64_t bytes)
{
    return bytes / 4 * 5;
}

/* Makes the budget for another shard: what is left for the whole file, and of the memory beside what stays in it. */
static void grant(struct loader *l)
{
    const struct shard_cache *cache = l->trace->cache;
    const uint64_t steps = l->budget.steps;
    l->spent += l->granted - l->budget.bytes;
    l->budget = open_budget(&l->source, l->spent,
                            cache ? cache->bytes + l->trace->times.count * sizeof *l->trace->times.list : l->spent);
    l->budget.steps = steps;
    l->granted = l->budget.bytes;
}

static enum pilgrim_status add_symbols(struct loader *l, const struct section *section, struct pilgrim_error *error)
{
    enum pilgrim_status status = trace_symbols_add(&l->trace->symbols, l->shard, &l->budget);
    if (status == PILGRIM_LIMIT)
        return calls_error(section, status, l->budget.problem, error);
    return status == PILGRIM_OK ? status : trace_no_memory(error);
}

/* Adds the shard to the trace when its calls are read. */
static enum pilgrim_status add_shard(struct loader *l, const struct section *section, struct pilgrim_error *error)
{
    struct pilgrim_trace *t = l->trace;
    struct shard *v = l->shard;
    struct shard_entry *e = &l->entry;
    uint32_t segments = t->segment_count;
    enum pilgrim_status status = number_ranks(l, section, error);
    if (status == PILGRIM_OK && !(t->shard_count == 0 ? keep_properties(t, v) : add_properties(t, v)))
        status = trace_no_memory(error);
    if (status == PILGRIM_OK)
        status = add_symbols(l, section, error);
    if (status == PILGRIM_OK) {
        v->first_rank = l->segment_ranks;
        v->first_group = l->segment_groups;
        e->shard = v;
        e->first_rank = v->first_rank;
        e->first_group = v->first_group;
        e->rank_count = v->rank_count;
        e->bytes = bytes_taken(sizeof *v + l->granted - l->budget.bytes);
        status = shards_add(t, e) == PILGRIM_OK ? PILGRIM_OK : trace_no_memory(error);
    }
    if (status != PILGRIM_OK) {
        t->segment_count = segments;
        return status;
    }
    l->shard = NULL;
    l->segment_ranks += v->rank_count;
    l->segment_groups += (uint32_t)v->group_count;
    if (t->segment_count == 1)
        t->rank_count = l->segment_ranks;
    return PILGRIM_OK;
}

/* Parses a section that follows in order. */
static enum pilgrim_status take_section(struct loader *l, const struct section *section, struct pilgrim_error *error)
{
    struct pilgrim_trace *t = l->trace;
    if (section->type == SECTION_STATISTICS || section->type == SECTION_PROFILE) {
        struct shard_entry *e = &t->entries[t->shard_count - 1];
        const uint64_t before = l->budget.bytes;
        enum pilgrim_status status = shard_take(e->shard, section, &l->budget, error);
        if (status != PILGRIM_OK)
            return status;
        e->sections[section->type] = section_location(section);
        e->bytes += bytes_taken(before - l->budget.bytes);
        if (t->cache)
            t->cache->bytes += bytes_taken(before - l->budget.bytes);
        return PILGRIM_OK;
    }
    if (section_begins_shard(section->type)) {
        grant(l);
        l->entry = (struct shard_entry){0};
        l->shard = shard_new(t->shard_count, &l->source);
        if (!l->shard)
            return trace_no_memory(error);
    }
    enum pilgrim_status status = shard_take(l->shard, section, &l->budget, error);
    if (status == PILGRIM_OK)
        l->entry.sections[section->type] = section_location(section);
    return status == PILGRIM_OK && section->type == SECTION_CALLS ? add_shard(l, section, error) : status;
}

static enum pilgrim_status section_error(const struct section *section, const char *problem,
                                         struct pilgrim_error *error)
{
    if (section->type < SECTION_TYPE_COUNT)
        return trace_error(error, PILGRIM_DAMAGED, section->offset, "section %s at byte %llu: %s",
                           section_names[section->type], (unsigned long long)section->offset, problem);
    return trace_error(error, PILGRIM_DAMAGED, section->offset, "section at byte %llu: %s",
                       (unsigned long long)section->offset, problem);
}

static enum pilgrim_status check_header(const uint8_t *data, size_t length, struct pilgrim_error *error)
{
    size_t known = length < sizeof trace_magic ? length : sizeof trace_magic;
    if (known == 0)
        return trace_error(error, PILGRIM_NOT_TRACE, 0, "not a Pilgrim trace: the file is empty (byte 0)");
    if (memcmp(data, trace_magic, known) != 0)
        return trace_error(error, PILGRIM_NOT_TRACE, 0, "not a Pilgrim trace (byte 0)");
    if (length < HEADER_BYTES)
        return trace_error(error, PILGRIM_TRUNCATED, length, "truncated at byte %zu, in its header", length);
    unsigned version = data[sizeof trace_magic] | (unsigned)data[sizeof trace_magic + 1] << 8;
    if (version < TRACE_VERSION_OLDEST || version > TRACE_VERSION)
        return trace_error(error, PILGRIM_VERSION, sizeof trace_magic,
                           "has format version %u (byte %zu), this reader knows versions %u to %u%s", version,
                           sizeof trace_magic, TRACE_VERSION_OLDEST, TRACE_VERSION,
                           version > TRACE_VERSION ? ": a newer Pilgrim is needed" : "");
    return PILGRIM_OK;
}

/* True if a section of TYPE may follow one of type LAST. */
static bool is_in_order(unsigned type, unsigned last)
{
    if (type == SECTION_TIMES)
        return last != SECTION_END && !section_begins_shard(last);
    if (section_begins_shard(type))
        return !section_begins_shard(last);
    if (type == SECTION_CALLS)
        return section_begins_shard(last);
    return (type == SECTION_STATISTICS || type == SECTION_PROFILE) && last == SECTION_CALLS;
}

/* The type that usually follows each type: the message about a section whose type cannot be read names it. */
static const uint8_t usually_next[SECTION_TYPE_COUNT] = {
    [SECTION_END] = SECTION_DEFINITIONS,       [SECTION_DEFINITIONS] = SECTION_CALLS,
    [SECTION_OLD_DEFINITIONS] = SECTION_CALLS, [SECTION_CALLS] = SECTION_PROFILE,
    [SECTION_STATISTICS] = SECTION_TIMES,      [SECTION_TIMES] = SECTION_END,
    [SECTION_PROFILE] = SECTION_TIMES,
};

/* Takes the end section at START, behind a section of type LAST. END: offset behind the end section. */
static enum pilgrim_status take_end(const struct loader *l, const struct section *section, unsigned last, uint64_t end,
                                    struct pilgrim_error *error)
{
    const struct pilgrim_trace *t = l->trace;
    unsigned long long start = section->offset;
    if (last == SECTION_END || section_begins_shard(last))
        return trace_error(error, PILGRIM_DAMAGED, start, "ends at byte %llu without section %s", start,
                           section_names[usually_next[last]]);
    if (section->raw || section->stored_length || end < l->source.length)
        return trace_error(error, PILGRIM_DAMAGED, end, "bytes after the end, at byte %llu", (unsigned long long)end);
    if (l->segment_ranks < t->rank_count)
        return trace_error(error, PILGRIM_DAMAGED, start, "ends at byte %llu before all ranks of segment %u", start,
                           t->segment_count - 1);
    return PILGRIM_OK;
}

/* Reads the section at *AT and moves *AT behind it. Of a times section it reads the head alone. */
static enum pilgrim_status next_section(struct loader *l, uint64_t *at, struct section *section)
{
    uint64_t whole;
    enum pilgrim_status status = source_head(&l->source, *at, &l->room, section, &whole);
    if (status != PILGRIM_OK || section->type != SECTION_TIMES)
        return source_section(&l->source, at, &l->room, section);
    *at += whole;
    return PILGRIM_OK;
}

/* Lists the times section that ends at END. A damaged one is left out, and does not affect the others. */
static enum pilgrim_status take_times(struct loader *l, const struct section *section, uint64_t end,
                                      struct pilgrim_error *error)
{
    struct pilgrim_trace *t = l->trace;
    struct pilgrim_error found;
    enum pilgrim_status status =
        time_sections_add(&t->times, &l->source, section, end - section->stored_length, &l->budget, &found);
    if (status == PILGRIM_DAMAGED && l->times.status == PILGRIM_OK)
        l->times = found;
    else if (status != PILGRIM_OK && status != PILGRIM_DAMAGED && error)
        *error = found;
    return status == PILGRIM_DAMAGED ? PILGRIM_OK : status;
}

/* Reads all sections, up to the end section. */
static enum pilgrim_status take_sections(struct loader *l, struct pilgrim_error *error)
{
    uint64_t at = HEADER_BYTES;
    for (unsigned last = SECTION_END;;) {
        struct section section;
        unsigned long long start = at, length = l->source.length;
        enum pilgrim_status status = next_section(l, &at, &section);
        const char *next = section_names[usually_next[last]];
        if (status == PILGRIM_IO || status == PILGRIM_NOMEM || status == PILGRIM_LIMIT)
            return source_error(error, status, start);
        if (status == PILGRIM_TRUNCATED)
            return trace_error(error, status, length, "truncated at byte %llu: section %s at byte %llu is not complete",
                               length, next, start);
        if (status != PILGRIM_OK)
            return trace_error(error, status, start, "section %s at byte %llu: not a section", next, start);
        if (section.damage)
            return section_error(&section, section.damage, error);
        if (section.type == SECTION_END)
            return take_end(l, &section, last, at, error);
        if (section.type >= SECTION_SKIPPABLE)
            continue;
        if (!is_in_order(section.type, last))
            return section_error(&section, "out of order", error);
        if (section_begins_shard(section.type))
            shards_make_room(l->trace, 0);
        if (section.type == SECTION_TIMES)
            status = take_times(l, &section, at, error);
        else
            status = take_section(l, &section, error);
        if (status != PILGRIM_OK)
            return status;
        last = section.type;
    }
}

/* Makes an empty trace. If LIMIT is not 0 it owns SOURCE's file and closes it. */
static struct pilgrim_trace *trace_new(const struct trace_source *source, uint64_t limit)
{
    struct pilgrim_trace *t = calloc(1, sizeof *t);
    struct shard_cache *cache = t && limit ? calloc(1, sizeof *cache) : NULL;
    if (cache && pthread_mutex_init(&cache->lock, NULL) != 0) {
        free(cache);
        cache = NULL;
    }
    if (!t || (limit && !cache)) {
        if (limit)
            close(source->descriptor);
        free(t);
        return NULL;
    }
    t->source = *source;
    t->cache = cache;
    if (cache)
        cache->limit = limit;
    return t;
}

/* As trace_open, of SOURCE. LIMIT: bytes for shards in memory; 0: all of them stay there. Bytes in memory are borrowed
 * for as long as the trace lives. */
static enum pilgrim_status load(const struct trace_source *source, uint64_t limit, struct pilgrim_trace **trace,
                                struct pilgrim_error *error)
{
    struct loader l = {.trace = trace_new(source, limit), .source = *source, .budget = open_budget(source, 0, 0)};
    const uint8_t *data;
    size_t got;
    *trace = NULL;
    l.granted = l.budget.bytes;
    if (!l.trace)
        return trace_no_memory(error);
    enum pilgrim_status status = source_read(source, 0, HEADER_BYTES, &l.room, &data, &got);
    if (status != PILGRIM_OK)
        source_error(error, status, 0);
    else
        status = check_header(data, got, error);
    if (status == PILGRIM_OK)
        status = take_sections(&l, error);
    shard_free(l.shard);
    bytes_free(&l.room);
    struct pilgrim_error times;
    if (time_sections_settle(l.trace, &times) != PILGRIM_OK && l.times.status == PILGRIM_OK)
        l.times = times;
    if (status == PILGRIM_OK) {
        trace_error(error, l.times.status, l.times.offset, "%s", l.times.message);
    } else if (l.trace->shard_count == 0) {
        pilgrim_close(l.trace);
        return status;
    }
    shards_settle(l.trace);
    *trace = l.trace;
    return PILGRIM_OK;
}

/* Loads a trace from BYTES. If it has times of calls it keeps the bytes: those of DATA, if that is not NULL, else a
 * copy. */
static enum pilgrim_status load_memory(const void *bytes, size_t length, struct bytes *data, uint64_t memory,
                                       struct pilgrim_trace **trace, struct pilgrim_error *error)
{
    static const uint8_t nothing;
    const struct trace_source source = {
        .data = bytes ? bytes : &nothing, .descriptor = -1, .length = length, .memory = memory};
    enum pilgrim_status status = load(&source, 0, trace, error);
    if (status != PILGRIM_OK || (*trace)->times.count == 0)
        return status;
    struct bytes *held = &(*trace)->held;
    if (data) {
        *held = *data;
        *data = (struct bytes){0};
    } else {
        bytes_put(held, bytes, length);
    }
    (*trace)->source.data = held->data;
    if (!held->failed)
        return status;
    pilgrim_close(*trace);
    *trace = NULL;
    return trace_no_memory(error);
}

enum pilgrim_status trace_load(const void *data, size_t length, struct pilgrim_trace **trace,
                               struct pilgrim_error *error)
{
    return load_memory(data, length, NULL, PILGRIM_MEMORY_DEFAULT, trace, error);
}

/* ---- files ---- */

/* Appends up to COUNT bytes, fewer at the end of the file. */
static enum pilgrim_status read_some(int descriptor, size_t count, struct bytes *data, bool *end)
{
    uint8_t *to = bytes_reserve(data, count);
    if (!to)
        return PILGRIM_NOMEM;
    ssize_t got;
    do
        got = read(descriptor, to, count);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return PILGRIM_IO;
    data->length += (size_t)got;
    *end = got == 0;
    return PILGRIM_OK;
}

/* Reads all of the file, at most MEMORY bytes. Stops after the header if it is not a trace: it may be a device without
 * an end. */
static enum pilgrim_status read_file(int descriptor, uint64_t memory, struct bytes *data)
{
    bool end = false;
    enum pilgrim_status status = PILGRIM_OK;
    while (status == PILGRIM_OK && !end) {
        status = read_some(descriptor, READ_BYTES, data, &end);
        if (data->length > memory)
            return PILGRIM_LIMIT;
        if (data->length >= sizeof trace_magic && memcmp(data->data, trace_magic, sizeof trace_magic) != 0)
            break;
    }
    return status;
}

/* Opens what is no regular file, such as a pipe. */
static enum pilgrim_status open_stream(int descriptor, uint64_t memory, struct pilgrim_trace **trace,
                                       struct pilgrim_error *error)
{
    struct bytes data = {0};
    enum pilgrim_status status = read_file(descriptor, memory, &data);
    if (status == PILGRIM_LIMIT)
        trace_error(error, status, data.length, "at byte %zu: %s", data.length, too_much_for_caller);
    else if (status != PILGRIM_OK)
        source_error(error, status, data.length);
    close(descriptor);
    if (status == PILGRIM_OK)
        status = load_memory(data.data, data.length, &data, memory, trace, error);
    bytes_free(&data);
    return status;
}

static bool is_run_folder(const char *path)
{
    size_t length = strlen(path), tail = strlen(RUN_FOLDER_SUFFIX);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length > tail && !strncmp(path + length - tail, RUN_FOLDER_SUFFIX, tail);
}

/* There may be what a run leaves that has not ended well. */
static enum pilgrim_status cannot_open(const char *path, int why, struct pilgrim_error *error)
{
    char folder[PATH_MAX];
    int length = snprintf(folder, sizeof folder, "%s" RUN_FOLDER_SUFFIX, path);
    if (why == ENOENT && length < (int)sizeof folder && access(folder, F_OK) == 0)
        return trace_error(
            error, PILGRIM_IO, 0,
            "no such file: the run goes on, or ended without MPI_Finalize; for a trace of the calls so far: "
            "pilgrim-merge %s",
            folder);
    return trace_error(error, PILGRIM_IO, 0, "cannot open: %s", strerror(why));
}

enum pilgrim_status trace_open(const char *path, uint64_t limit, uint64_t memory, struct pilgrim_trace **trace,
                               struct pilgrim_error *error)
{
    struct stat file;
    *trace = NULL;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return cannot_open(path, errno, error);
    if (fstat(descriptor, &file) == 0 && S_ISDIR(file.st_mode)) {
        close(descriptor);
        return trace_error(error, PILGRIM_IO, 0, "a folder, and no trace%s%s",
                           is_run_folder(path) ? "; for a trace of the calls in it: pilgrim-merge " : "",
                           is_run_folder(path) ? path : "");
    }
    if (fstat(descriptor, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size == 0)
        return open_stream(descriptor, memory, trace, error);
    const struct trace_source source = {.descriptor = descriptor, .length = (uint64_t)file.st_size, .memory = memory};
    return load(&source, limit, trace, error);
}

enum pilgrim_status pilgrim_open_limited(const char *path, uint64_t memory, struct pilgrim_trace **trace,
                                         struct pilgrim_error *error)
{
    if (trace)
        *trace = NULL;
    if (!path || !trace)
        return trace_null(error);
    /* Another shard has half of the memory at least. */
    return trace_open(path, memory / 2 < SHARDS_BYTES_MAX ? memory / 2 + 1 : SHARDS_BYTES_MAX, memory, trace, error);
}

enum pilgrim_status pilgrim_open(const char *path, struct pilgrim_trace **trace, struct pilgrim_error *error)
{
    return pilgrim_open_limited(path, PILGRIM_MEMORY_DEFAULT, trace, error);
}
