/* SPDX-License-Identifier: BSD-3-Clause */
/* What the calls of each site do, in words ("sends 8 MPI_DOUBLE to rank+1, tag 7"), and how long they took. */
#include <stdlib.h>
#include <string.h>

#include <pilgrim/analysis.h>

#include "../../decoder/print.h"
#include "../../decoder/site_place.h"
#include "analysis/analysis_errors.h"
#include "analysis/class_copies.h"
#include "analysis/counted_calls.h"
#include "report.h"

enum { TEXTS = 4, TEXT_MAX = 240, RANKS_READ = 256, CALLS_READ = 4 << 20, ITEMS_SHOWN = 4 };

struct site_calls {
    const struct pilgrim_class *class;
    char *texts[TEXTS];
    uint64_t counts[TEXTS], others, calls; /* of those that were read */
    struct pilgrim_statistic durations, gaps;
};

struct sites {
    struct html_page *page;
    struct class_copies copies; /* their `first` is the number of the site, from 1 */
    struct site_calls *all;
    size_t count, capacity;
    struct counted_calls *calls;
    uint64_t read;
    bool complete;
};

static struct site_calls *site_of(struct sites *s, const struct pilgrim_class *class)
{
    struct class_copy *copy = copy_class(&s->copies, class);
    if (!copy)
        return NULL;
    if (copy->first)
        return &s->all[copy->first - 1];
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity ? 2 * s->capacity : 64;
        struct site_calls *all = realloc(s->all, capacity * sizeof *all);
        if (!all)
            return NULL;
        s->all = all;
        s->capacity = capacity;
    }
    s->all[s->count] = (struct site_calls){.class = &copy->class};
    copy->first = ++s->count;
    return &s->all[s->count - 1];
}

/* ---- words ---- */

static const struct pilgrim_value *in(const struct pilgrim_call *call, const char *name)
{
    const struct pilgrim_value *v = pilgrim_call_in(call, name);
    return v && v->type != PILGRIM_NONE ? v : NULL;
}

static const struct pilgrim_value *in_either(const struct pilgrim_call *call, const char *name, const char *other)
{
    const struct pilgrim_value *v = in(call, name);
    return v ? v : in(call, other);
}

/* Writes BEFORE and V; of a long array, how long it is. */
static void put(struct output *o, const char *before, const struct pilgrim_value *v, bool relative)
{
    if (!v)
        return;
    out_text(o, before);
    if (v->type == PILGRIM_ARRAY && v->count > ITEMS_SHOWN) {
        out_uint(o, v->count);
        out_text(o, " values");
    } else
        text_value(o, v, relative);
}

static void put_amount(struct output *o, const char *before, const struct pilgrim_value *count,
                       const struct pilgrim_value *type)
{
    put(o, before, count, false);
    put(o, count ? " " : before, type, false);
}

/* Messages and operations on windows. Returns false if the call is none of these. */
static bool put_message(struct output *o, const struct pilgrim_call *call)
{
    const struct pilgrim_value *dest = in(call, "dest"), *source = in(call, "source"),
                               *target = in(call, "target_rank");
    if (target) {
        put_amount(o, "moves ", in(call, "origin_count"), in(call, "origin_datatype"));
        put(o, ", window of ", target, true);
        return true;
    }
    if (dest) {
        put_amount(o, "sends ", in_either(call, "count", "sendcount"), in_either(call, "datatype", "sendtype"));
        put(o, " to ", dest, true);
        put(o, ", tag ", in_either(call, "tag", "sendtag"), false);
    }
    if (source) {
        const struct pilgrim_value *count = in(call, dest ? "recvcount" : "count");
        if (count || in(call, "recvcount"))
            put_amount(o, dest ? ", receives up to " : "receives up to ", count ? count : in(call, "recvcount"),
                       in_either(call, dest ? "recvtype" : "datatype", "recvtype"));
        else
            out_text(o, dest ? ", receives the same" : "looks for a message");
        put(o, " from ", source, true);
        put(o, ", tag ", in_either(call, dest ? "recvtag" : "tag", "recvtag"), false);
    }
    return dest || source;
}

static bool put_collective(struct output *o, const struct pilgrim_call *call)
{
    const struct pilgrim_value *count = in(call, "count");
    if (!count)
        count = in_either(call, "sendcount", "sendcounts");
    if (!count)
        count = in_either(call, "recvcount", "recvcounts");
    if (!count || !in(call, "comm"))
        return false;
    const struct pilgrim_value *type = in_either(call, "datatype", "sendtype");
    put_amount(o, "", count, type ? type : in_either(call, "recvtype", "sendtypes"));
    put(o, ", ", in(call, "op"), false);
    put(o, ", root ", in(call, "root"), false);
    return true;
}

/* Any other call: numbers, names and texts that go in. */
static void put_others(struct output *o, const struct pilgrim_call *call)
{
    const char *separator = "";
    for (size_t i = 0; i < call->function->parameter_count; i++) {
        const enum pilgrim_value_type type = call->in[i].type;
        if (!(call->function->parameters[i].direction & PILGRIM_IN) ||
            !(type == PILGRIM_NAME || type == PILGRIM_INT || type == PILGRIM_BOOL || type == PILGRIM_RANK ||
              type == PILGRIM_STRING || type == PILGRIM_OBJECT || type == PILGRIM_FLAGS))
            continue;
        out_text(o, separator);
        if (type != PILGRIM_OBJECT) { /* "comm:3" says what it is */
            out_text(o, call->function->parameters[i].name);
            out_char(o, ' ');
        }
        text_value(o, &call->in[i], true);
        separator = ", ";
    }
}

/* Returns what the call does; borrowed until the next time. */
static const char *words_of(const struct pilgrim_call *call)
{
    static struct output o;
    static char text[TEXT_MAX + 1];
    size_t length;
    o.used = 0;
    o.flushed = 0;
    o.descriptor = o.error = -1; /* what is longer than the buffer is not kept */
    if (put_message(&o, call) || put_collective(&o, call)) {
        const struct pilgrim_value *comm = in(call, "comm");
        if (comm && !(comm->type == PILGRIM_NAME && strcmp(comm->text, "MPI_COMM_WORLD") == 0))
            put(&o, ", ", comm, false);
    } else
        put_others(&o, call);
    const char *all = out_since(&o, 0, &length);
    if (!all)
        return "many arguments";
    if (length > TEXT_MAX) {
        length = TEXT_MAX;
        while (length && ((unsigned char)all[length] & 0xc0) == 0x80) /* not within a character */
            length--;
    }
    memcpy(text, all, length);
    text[length] = 0;
    return text;
}

/* ---- reading ---- */

static bool add_words(struct sites *s, const struct pilgrim_call *call, uint64_t count)
{
    struct site_calls *site = site_of(s, call->class_);
    if (!site)
        return false;
    const char *text = words_of(call);
    size_t i = 0;
    site->calls += count;
    while (i < TEXTS && site->texts[i] && strcmp(site->texts[i], text) != 0)
        i++;
    if (i == TEXTS) {
        site->others += count;
        return true;
    }
    if (!site->texts[i] && !(site->texts[i] = strdup(text)))
        return false;
    site->counts[i] += count;
    return true;
}

static enum pilgrim_status read_thread(struct sites *s, uint32_t rank, uint32_t thread, struct pilgrim_error *error)
{
    struct pilgrim_call call;
    uint64_t count;
    enum pilgrim_status status = counted_calls_begin(s->calls, rank, thread, COUNTED, error);
    while (status == PILGRIM_OK && (status = counted_calls_next(s->calls, 0, &call, &count, error)) == PILGRIM_OK) {
        if (!add_words(s, &call, count))
            return no_memory(error);
        if (++s->read >= CALLS_READ) {
            s->complete = false;
            return PILGRIM_OK;
        }
    }
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* Reads the calls of ranks: of some of them, as far apart as can be, if there are many. */
static enum pilgrim_status read_ranks(struct sites *s, struct pilgrim_error *error)
{
    const struct pilgrim_trace *trace = s->page->trace;
    const uint32_t ranks = pilgrim_rank_count(trace), step = (ranks + RANKS_READ - 1) / RANKS_READ;
    enum pilgrim_status status = PILGRIM_OK;
    s->complete = step <= 1;
    for (uint32_t rank = 0; rank < ranks && status == PILGRIM_OK; rank += step)
        for (uint32_t thread = 0; thread < pilgrim_thread_count(trace, rank) && status == PILGRIM_OK; thread++) {
            if (s->read < CALLS_READ)
                status = read_thread(s, rank, thread, error);
            else
                s->complete = false;
        }
    return status;
}

static enum pilgrim_status read_times(struct sites *s, struct pilgrim_error *error)
{
    struct pilgrim_profile *profile;
    struct pilgrim_class_profile found;
    enum pilgrim_status status = pilgrim_profile_open(s->page->trace, &profile, error);
    if (status != PILGRIM_OK)
        return status;
    while ((status = pilgrim_profile_next(profile, &found, error)) == PILGRIM_OK) {
        struct site_calls *site = site_of(s, found.class_);
        if (!site) {
            status = no_memory(error);
            break;
        }
        s->page->has_markers |= strcmp(found.class_->function->name, "pilgrim_marker") == 0;
        pilgrim_statistic_add(&site->durations, &found.durations);
        pilgrim_statistic_add(&site->gaps, &found.gaps);
    }
    pilgrim_profile_close(profile);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* ---- printing ---- */

static void print_statistic(struct output *o, const char *name, const struct pilgrim_statistic *s)
{
    size_t used = PILGRIM_BUCKETS;
    if (!s->count)
        return;
    while (used && !s->histogram[used - 1])
        used--;
    out_text(o, ",\"");
    out_text(o, name);
    out_text(o, "\":{\"count\":");
    out_uint(o, s->count);
    out_text(o, ",\"mean\":");
    out_decimal(o, s->mean_ns);
    out_text(o, ",\"max\":");
    out_uint(o, s->max_ns);
    if (!s->brief) {
        out_text(o, ",\"min\":");
        out_uint(o, s->min_ns);
    }
    out_text(o, ",\"histogram\":[");
    for (size_t i = 0; i < used; i++) {
        out_text(o, i ? "," : "");
        out_uint(o, s->histogram[i]);
    }
    out_text(o, "]}");
}

static void print_site(struct output *o, const struct site_calls *site, struct source_lines *lines)
{
    static struct output place;
    size_t length;
    place.used = 0;
    place.flushed = 0;
    place.descriptor = place.error = -1;
    out_text(o, "{\"func\":");
    out_json_string(o, site->class->function->name, strlen(site->class->function->name));
    out_text(o, ",\"site\":");
    if (site->class->site)
        json_frame(o, site->class->site);
    else
        out_text(o, "\"?\"");
    text_place(&place, site->class->site, lines);
    const char *at = out_since(&place, 0, &length);
    out_text(o, ",\"at\":");
    out_json_string(o, at ? at : "?", at ? length : 1);
    out_json_field(o, "read", (int64_t)site->calls);
    out_json_field(o, "others", (int64_t)site->others);
    out_text(o, ",\"words\":[");
    for (size_t i = 0; i < TEXTS && site->texts[i]; i++) {
        out_text(o, i ? ",[" : "[");
        out_json_string(o, site->texts[i], strlen(site->texts[i]));
        out_char(o, ',');
        out_uint(o, site->counts[i]);
        out_char(o, ']');
    }
    out_char(o, ']');
    print_statistic(o, "in", &site->durations);
    print_statistic(o, "before", &site->gaps);
    out_text(o, "}\n");
}

enum pilgrim_status report_calls(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    struct sites s = {.page = r, .copies = {.sites_only = true}, .calls = counted_calls_new(r->trace)};
    enum pilgrim_status status = s.calls ? read_ranks(&s, error) : no_memory(error);
    struct pilgrim_error second;
    const enum pilgrim_status times = read_times(&s, &second);
    out_text(o, s.complete ? "{\"complete\":true}\n" : "{\"complete\":false}\n");
    for (size_t i = 0; i < s.count; i++) {
        print_site(o, &s.all[i], r->lines);
        for (size_t k = 0; k < TEXTS; k++)
            free(s.all[i].texts[k]);
    }
    if (status == PILGRIM_OK && times != PILGRIM_OK)
        *error = second;
    free(s.all);
    class_copies_free(&s.copies);
    counted_calls_free(s.calls);
    return status == PILGRIM_OK ? times : status;
}
