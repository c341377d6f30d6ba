/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine that a program ran on, from what the call of pilgrim_process of each process says of its host.
 *
 * For each rank there are a host and a pid. The ranks are also sorted by host, and by rank within a host: so the n-th
 * process of a host is found at once, and the index of a rank by bisection. A host is identified by its whole location:
 * kinds and names of all levels, each followed by a 0 byte, interned. A location that is not well formed is unknown:
 * the file may be damaged. */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/name_pieces.h"
#include "read/cursor/process_values.h"
#include "read/table/parser.h"
#include "read/table/trace_error.h"

enum { PID_UNKNOWN = -1, LOCATION_BYTES_MAX = 4096 };

struct pilgrim_system {
    const struct pilgrim_trace *trace;
    uint32_t *host;    /* by rank */
    int64_t *pid;      /* of each rank */
    uint32_t *ordered; /* the ranks, sorted by host */
    uint32_t *first;   /* by host: its first rank in ORDERED; one more entry for the end */
    struct intern locations;
    struct pilgrim_host *hosts;
    struct arena memory; /* owns the levels of hosts */
};

/* ---- the location of a process ---- */

/* True if V is a string without a 0 byte. */
static bool is_text(const struct pilgrim_value *v)
{
    return v->type == PILGRIM_STRING && !memchr(v->text, 0, v->length);
}

static bool is_level(const struct pilgrim_value *v)
{
    if (v->type != PILGRIM_ARRAY || !v->count || !is_text(&v->items[0]))
        return false;
    for (size_t i = 1; i < v->count; i++)
        if (!is_text(&v->items[i]) && v->items[i].type != PILGRIM_INT)
            return false;
    return true;
}

static bool is_location(const struct pilgrim_value *v)
{
    if (v->type != PILGRIM_ARRAY)
        return false;
    for (size_t i = 0; i < v->count; i++)
        if (!is_level(&v->items[i]))
            return false;
    return true;
}

static void put_piece(struct bytes *to, const struct pilgrim_value *v)
{
    char digits[NAME_NUMBER_DIGITS_MAX];
    if (v->type == PILGRIM_STRING)
        bytes_put(to, v->text, v->length);
    else
        bytes_put(to, digits, name_digits(v->integer, digits));
}

/* Puts the key of the location VALUE. An empty key: unknown. */
static void put_location(struct bytes *to, const struct pilgrim_value *location)
{
    to->length = 0;
    if (!location || !is_location(location))
        return;
    for (size_t i = 0; i < location->count; i++) {
        const struct pilgrim_value *level = &location->items[i];
        put_piece(to, &level->items[0]);
        bytes_put_u8(to, 0);
        for (size_t j = 1; j < level->count; j++)
            put_piece(to, &level->items[j]);
        bytes_put_u8(to, 0);
    }
    if (to->length > LOCATION_BYTES_MAX)
        to->length = 0;
}

static const struct pilgrim_value *argument(const struct pilgrim_function *f, const struct pilgrim_value *in,
                                            const char *name)
{
    for (size_t i = 0; i < f->parameter_count; i++)
        if (f->parameters[i].direction == PILGRIM_IN && !strcmp(f->parameters[i].name, name))
            return &in[i];
    return NULL;
}

/* Reads the host and pid of RANK. KEY is scratch memory. */
static enum pilgrim_status read_rank(struct pilgrim_system *s, uint32_t rank, struct bytes *key,
                                     struct pilgrim_error *error)
{
    struct arena scratch = {0};
    const struct pilgrim_function *f;
    const struct pilgrim_value *in, *pid = NULL;
    const struct shard *shard;
    key->length = 0;
    enum pilgrim_status status = process_values(s->trace, rank, &scratch, &shard, &f, &in, error);
    if (status == PILGRIM_OK) {
        pid = argument(f, in, "pid");
        put_location(key, argument(f, in, "place"));
    }
    s->pid[rank] = pid && pid->type == PILGRIM_INT ? pid->integer : PID_UNKNOWN;
    shard_release(s->trace, shard);
    arena_free(&scratch);
    if (status != PILGRIM_OK && status != PILGRIM_END)
        return status;
    status = bytes_status(key);
    if (status == PILGRIM_OK)
        status = intern_add(&s->locations, key->data, key->length, &s->host[rank]);
    return status == PILGRIM_OK ? status : trace_error(error, status, 0, "not enough memory");
}

/* ---- all of them ---- */

/* Makes the levels of host H from its key. */
static bool make_host(struct pilgrim_system *s, uint32_t h)
{
    size_t length, count = 0;
    const char *key = (const char *)intern_get(&s->locations, h, &length);
    for (size_t i = 0; i < length; i++)
        count += key[i] == 0;
    struct pilgrim_level *levels = arena_take(&s->memory, count / 2 * sizeof *levels + 1);
    if (!levels)
        return false;
    for (size_t i = 0; i < count / 2; i++) {
        levels[i].kind = key;
        levels[i].name = key += strlen(key) + 1;
        key += strlen(key) + 1;
    }
    s->hosts[h] = (struct pilgrim_host){.levels = levels,
                                        .level_count = count / 2,
                                        .name = count ? levels[count / 2 - 1].name : NULL,
                                        .processes = s->first[h + 1] - s->first[h]};
    return true;
}

/* Sorts the ranks by host (a counting sort). */
static void order_ranks(struct pilgrim_system *s)
{
    uint32_t ranks = s->trace->rank_count, hosts = s->locations.count;
    for (uint32_t rank = 0; rank < ranks; rank++)
        s->first[s->host[rank] + 1]++;
    for (uint32_t h = 0; h < hosts; h++)
        s->first[h + 1] += s->first[h];
    for (uint32_t rank = 0; rank < ranks; rank++)
        s->ordered[s->first[s->host[rank]]++] = rank;
    /* Each entry now stands where the next one was. */
    memmove(s->first + 1, s->first, hosts * sizeof *s->first);
    s->first[0] = 0;
}

static enum pilgrim_status read_all(struct pilgrim_system *s, struct pilgrim_error *error)
{
    uint32_t ranks = s->trace->rank_count;
    struct bytes key = {0};
    enum pilgrim_status status = PILGRIM_OK;
    if (ranks > s->trace->source.memory / (sizeof *s->host + sizeof *s->pid + sizeof *s->ordered))
        return trace_error(error, PILGRIM_LIMIT, 0, "%u ranks: %s", ranks, too_much_for_caller);
    s->host = malloc(ranks * sizeof *s->host);
    s->pid = malloc(ranks * sizeof *s->pid);
    s->ordered = malloc(ranks * sizeof *s->ordered);
    if (!s->host || !s->pid || !s->ordered)
        return trace_no_memory(error);
    for (uint32_t rank = 0; rank < ranks && status == PILGRIM_OK; rank++)
        status = read_rank(s, rank, &key, error);
    bytes_free(&key);
    if (status != PILGRIM_OK)
        return status;
    s->first = calloc((size_t)s->locations.count + 1, sizeof *s->first);
    s->hosts = calloc(s->locations.count, sizeof *s->hosts);
    bool good = s->first && s->hosts;
    if (good)
        order_ranks(s);
    for (uint32_t h = 0; h < s->locations.count && good; h++)
        good = make_host(s, h);
    return good ? PILGRIM_OK : trace_no_memory(error);
}

enum pilgrim_status pilgrim_system_open(const struct pilgrim_trace *trace, struct pilgrim_system **system,
                                        struct pilgrim_error *error)
{
    if (system)
        *system = NULL;
    if (!trace || !system)
        return trace_null(error);
    struct pilgrim_system *s = calloc(1, sizeof *s);
    if (!s)
        return trace_no_memory(error);
    s->trace = trace;
    enum pilgrim_status status = read_all(s, error);
    if (status == PILGRIM_OK)
        *system = s;
    else
        pilgrim_system_close(s);
    return status;
}

void pilgrim_system_close(struct pilgrim_system *s)
{
    if (!s)
        return;
    free(s->host);
    free(s->pid);
    free(s->ordered);
    free(s->first);
    free(s->hosts);
    intern_free(&s->locations);
    arena_free(&s->memory);
    free(s);
}

/* ---- questions ---- */

uint32_t pilgrim_system_hosts(const struct pilgrim_system *s)
{
    return s ? s->locations.count : 0;
}

enum pilgrim_status pilgrim_system_host(const struct pilgrim_system *s, uint32_t host, struct pilgrim_host *found)
{
    if (!s || !found || host >= s->locations.count)
        return PILGRIM_INVALID;
    *found = s->hosts[host];
    return PILGRIM_OK;
}

enum pilgrim_status pilgrim_system_host_named(const struct pilgrim_system *s, const char *name, uint32_t *host)
{
    if (!s || !name || !host)
        return PILGRIM_INVALID;
    for (uint32_t h = 0; h < s->locations.count; h++)
        if (s->hosts[h].name && !strcmp(s->hosts[h].name, name)) {
            *host = h;
            return PILGRIM_OK;
        }
    return PILGRIM_INVALID;
}

enum pilgrim_status pilgrim_system_location(const struct pilgrim_system *s, uint32_t rank,
                                            struct pilgrim_location *location)
{
    if (!s || !location || rank >= s->trace->rank_count)
        return PILGRIM_INVALID;
    uint32_t host = s->host[rank];
    uint32_t low = s->first[host], high = s->first[host + 1];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (s->ordered[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    *location = (struct pilgrim_location){.host = host,
                                          .process = low - s->first[host],
                                          .threads = pilgrim_thread_count(s->trace, rank),
                                          .pid = s->pid[rank]};
    return PILGRIM_OK;
}

enum pilgrim_status pilgrim_system_rank(const struct pilgrim_system *s, uint32_t host, uint32_t process, uint32_t *rank)
{
    if (!s || !rank || host >= s->locations.count || process >= s->hosts[host].processes)
        return PILGRIM_INVALID;
    *rank = s->ordered[s->first[host] + process];
    return PILGRIM_OK;
}
