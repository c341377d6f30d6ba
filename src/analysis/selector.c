/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls of a thread fit a selection; see selector.h. */
#include "analysis/selector.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/selector_data.h"
#include "analysis/thread_span.h"

enum { PROBES_MIN = 2048 };

/* True if NAME is not one that communicators have by themselves: the program has to have given it. */
static bool is_given(const char *name)
{
    return strncmp(name, "MPI_COMM_", strlen("MPI_COMM_")) != 0 && strncmp(name, "comm:", strlen("comm:")) != 0;
}

struct selector *selector_new(const struct pilgrim_trace *trace, const struct pilgrim_selection *selection,
                              struct source_lines *lines)
{
    struct selector *s = calloc(1, sizeof *s);
    bool moves = selection_has(selection, SELECT_BYTES) || selection_has(selection, SELECT_PEER);
    if (!s)
        return NULL;
    s->trace = trace;
    s->selection = selection;
    s->lines = lines;
    s->volumes = moves ? volumes_new(trace) : NULL;
    const bool named = selection_has(selection, SELECT_COMM) && is_given(selection->criteria[SELECT_COMM].text);
    s->names = named ? object_names_new(trace) : NULL;
    if ((moves && !s->volumes) || (named && !s->names)) {
        selector_free(s);
        return NULL;
    }
    return s;
}

void selector_free(struct selector *s)
{
    if (!s)
        return;
    volumes_free(s->volumes);
    object_names_free(s->names);
    key_table_clear(&s->fitting);
    loop_places_close(s->loops);
    free(s->loops_wished);
    free(s);
}

static void note_name(struct met_names *names, const char *text)
{
    for (unsigned i = 0; i < names->count; i++)
        if (strncmp(names->names[i], text, NOTE_BYTES - 1) == 0)
            return;
    if (names->count < NOTES_SHOWN)
        snprintf(names->names[names->count++], NOTE_BYTES, "%s", text);
    else
        names->more = true;
}

bool selector_has_rank(const struct selector *s, uint32_t rank)
{
    return selection_has_number(s->selection, SELECT_RANK, rank);
}

bool selector_has_thread(const struct selector *s, uint32_t rank, uint32_t thread)
{
    return selector_has_rank(s, rank) && selection_has_number(s->selection, SELECT_THREAD, thread);
}

bool selector_needs_all(const struct selector *s)
{
    return s->volumes || selection_has(s->selection, SELECT_PHASE);
}

static uint64_t number_of(const struct selector *s, enum criterion_name name, uint64_t unset)
{
    return selection_has(s->selection, name) ? s->selection->criteria[name].number : unset;
}

/* ---- times ---- */

bool selector_is_timed(const struct selector *s)
{
    return selection_has(s->selection, SELECT_SINCE) || selection_has(s->selection, SELECT_UNTIL);
}

/* True if CALL is over before what is wanted begins (ENDS), or begins before what is wanted is over. */
static bool is_before(const struct selector *s, const struct pilgrim_call *call, bool ends)
{
    if (ends)
        return pilgrim_clock_common(&s->clock, call->end_ns) < number_of(s, SELECT_SINCE, 0);
    return pilgrim_clock_common(&s->clock, call->start_ns) < number_of(s, SELECT_UNTIL, UINT64_MAX);
}

/* Sets *KNOWN if call SEQ has times, and *BEFORE as is_before. */
static enum pilgrim_status probe(const struct selector *s, uint32_t rank, uint32_t thread, uint64_t seq, bool ends,
                                 bool *known, bool *before, struct pilgrim_error *error)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    enum pilgrim_status status = pilgrim_cursor_open(s->trace, rank, thread, &cursor, error);
    if (status != PILGRIM_OK)
        return status;
    status =
        pilgrim_cursor_skip(cursor, seq) == PILGRIM_OK ? pilgrim_cursor_next(cursor, &call, error) : no_memory(error);
    *known = status == PILGRIM_OK && call.timed;
    *before = *known && is_before(s, &call, ends);
    pilgrim_cursor_close(cursor);
    return status;
}

/* Sets *SEQ to the first of COUNT calls that is not before, which all behind it are not either: by halves, so that only
 * the blocks of times are read that it meets. Where times are damaged it is a call before that. */
static enum pilgrim_status find_bound(const struct selector *s, uint32_t rank, uint32_t thread, uint64_t count,
                                      bool ends, uint64_t *seq, struct pilgrim_error *error)
{
    uint64_t low = 0, high = count;
    while (high - low > PROBES_MIN) {
        uint64_t middle = low + (high - low) / 2;
        bool known, before;
        enum pilgrim_status status = probe(s, rank, thread, middle, ends, &known, &before, error);
        if (status == PILGRIM_NOMEM)
            return status;
        if (status != PILGRIM_OK || !known) {
            low = ends ? 0 : low;
            high = ends ? 0 : count;
            break;
        }
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    *seq = ends ? low : high;
    return PILGRIM_OK;
}

/* Notes from when to when the thread has calls, as far as their times are known. */
static enum pilgrim_status note_span(struct selector *s, uint32_t rank, uint32_t thread, struct pilgrim_error *error)
{
    uint64_t first_ns, last_ns;
    bool timed;
    enum pilgrim_status status = thread_span(s->trace, rank, thread, &first_ns, &last_ns, &timed, error);
    if (status != PILGRIM_OK || !timed)
        return status;
    const uint64_t begin_ns = pilgrim_clock_common(&s->clock, first_ns),
                   end_ns = pilgrim_clock_common(&s->clock, last_ns);
    s->span_begin = !s->has_span || begin_ns < s->span_begin ? begin_ns : s->span_begin;
    s->span_end = !s->has_span || end_ns > s->span_end ? end_ns : s->span_end;
    s->has_span = true;
    return PILGRIM_OK;
}

static enum pilgrim_status begin_times(struct selector *s, uint32_t rank, uint32_t thread, struct pilgrim_error *error)
{
    uint64_t count = pilgrim_call_count(s->trace, rank, thread);
    s->first = 0;
    s->behind = UINT64_MAX;
    if (!selector_is_timed(s))
        return PILGRIM_OK;
    enum pilgrim_status status = pilgrim_clock_of(s->trace, rank, &s->clock, error);
    if (status == PILGRIM_OK && !s->clock.point_count && pilgrim_rank_count(s->trace) > 1) {
        *error = (struct pilgrim_error){.status = PILGRIM_INVALID};
        snprintf(error->message, sizeof error->message,
                 "--since and --until need a common time axis, and the clock of rank %" PRIu32 " is not known", rank);
        return PILGRIM_INVALID;
    }
    if (status == PILGRIM_OK && count > 0)
        status = note_span(s, rank, thread, error);
    if (status == PILGRIM_OK && selection_has(s->selection, SELECT_SINCE))
        status = find_bound(s, rank, thread, count, true, &s->first, error);
    if (status == PILGRIM_OK && selection_has(s->selection, SELECT_UNTIL))
        status = find_bound(s, rank, thread, count, false, &s->behind, error);
    return status;
}

/* ---- a thread ---- */

enum pilgrim_status selector_begin(struct selector *s, uint32_t rank, uint32_t thread, struct pilgrim_error *error)
{
    s->in_phase = s->has_upcoming = false;
    s->segment = UINT32_MAX;
    key_table_clear(&s->fitting);
    if (s->names && !object_names_begin(s->names, rank, thread))
        return no_memory(error);
    enum pilgrim_status status = begin_times(s, rank, thread, error);
    if (status == PILGRIM_OK && s->volumes)
        status = volumes_begin(s->volumes, rank, thread, error);
    if (status != PILGRIM_OK || !selection_has(s->selection, SELECT_LOOP))
        return status;
    loop_places_close(s->loops);
    status = loop_places_open(s->trace, rank, thread, &s->loops, error);
    if (status != PILGRIM_OK)
        return status;
    size_t count = loop_places_count(s->loops);
    free(s->loops_wished);
    s->loops_wished = malloc((count + 1) * sizeof *s->loops_wished);
    s->loops_wished_count = 0;
    if (!s->loops_wished)
        return no_memory(error);
    for (size_t i = 1; i <= count; i++) {
        if (!selection_has_number(s->selection, SELECT_LOOP, i))
            continue;
        s->loops_wished[s->loops_wished_count++] = i;
        s->found_loop = true;
        if (loop_places_most(s->loops, i) > s->iterations_most) {
            s->iterations_most = loop_places_most(s->loops, i);
            s->iterations_loop = i;
        }
    }
    if (count > s->loops_most) {
        s->loops_most = count;
        s->loops_rank = rank;
    }
    return PILGRIM_OK;
}

/* Returns the first number from AT on that is wanted by CRITERION; SELECTOR_NONE: none is. */
static uint64_t next_number(const struct selector *s, enum criterion_name criterion, uint64_t at)
{
    uint64_t best = SELECTOR_NONE;
    if (!selection_has(s->selection, criterion))
        return at;
    const struct criterion *c = &s->selection->criteria[criterion];
    for (size_t i = 0; i < c->range_count; i++) {
        uint64_t first = c->ranges[i].first > at ? c->ranges[i].first : at;
        if (first <= c->ranges[i].last && first < best)
            best = first;
    }
    return best;
}

static uint64_t next_iteration(void *context, uint64_t iteration)
{
    return next_number(context, SELECT_ITERATION, iteration);
}

enum pilgrim_status selector_next(struct selector *s, uint64_t at, uint64_t *seq, struct pilgrim_error *error)
{
    const struct loop_wish wish = {s->loops_wished, s->loops_wished_count, s, next_iteration};
    *seq = SELECTOR_NONE;
    if (s->loops && s->loops_wished_count == 0)
        return PILGRIM_OK;
    for (;;) {
        uint64_t found;
        at = next_number(s, SELECT_CALL, at > s->first ? at : s->first);
        if (at >= s->behind || at == SELECTOR_NONE)
            return PILGRIM_OK;
        found = at;
        enum pilgrim_status status = s->loops ? loop_places_next(s->loops, at, &wish, &found, error) : PILGRIM_OK;
        if (status == PILGRIM_OK && found > at && selection_has(s->selection, SELECT_CALL)) {
            at = found;
            continue;
        }
        if (status == PILGRIM_OK && found < s->behind)
            *seq = found;
        return status == PILGRIM_END ? PILGRIM_OK : status;
    }
}

/* ---- a call ---- */

struct site_match {
    const struct selector *s;
    const struct pilgrim_frame *frame;
};

/* True if PLACE, "FILE:LINE", is that place, or in the file PART. */
static bool is_place(const char *place, const char *part)
{
    size_t length = strlen(part);
    return strcmp(place, part) == 0 || (strncmp(place, part, length) == 0 && place[length] == ':');
}

static bool match_site(void *context, const char *part)
{
    const struct site_match *m = context;
    char raw[4096];
    struct source_function functions[SOURCE_FUNCTIONS_MAX];
    snprintf(raw, sizeof raw, "%s+0x%" PRIx64, m->frame->module, m->frame->offset);
    if (strcmp(raw, part) == 0)
        return true;
    size_t count = m->s->lines ? source_lines_functions(m->s->lines, m->frame, functions) : 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(functions[i].name, part) == 0 || is_place(functions[i].place, part))
            return true;
    const char *place = m->s->lines ? source_lines_find(m->s->lines, m->frame) : NULL;
    return place && is_place(place, part);
}

/* Notes the place of a call site that is not wanted. */
static void note_site(struct selector *s, const struct pilgrim_frame *frame)
{
    const char *place = frame && s->lines ? source_lines_find(s->lines, frame) : NULL;
    char raw[NOTE_BYTES];
    if (frame && !place)
        snprintf(raw, sizeof raw, "%.18s+0x%" PRIx64, frame->module, frame->offset);
    if (frame)
        note_name(&s->sites, place ? place : raw);
}

static bool class_fits(struct selector *s, const struct pilgrim_class *class)
{
    const struct criterion *c = s->selection->criteria;
    struct site_match site = {s, class->site};
    if (c[SELECT_FUNC].set && !selection_function_fits(c[SELECT_FUNC].text, class->function->name))
        return false;
    s->found[SELECT_FUNC] = true;
    if (!c[SELECT_SITE].set || (class->site && selection_parts(c[SELECT_SITE].text, match_site, &site)))
        return s->found[SELECT_SITE] = true;
    note_site(s, class->site);
    return false;
}

/* As class_fits, which is asked once for each class. False: no memory. */
static bool known_class_fits(struct selector *s, const struct pilgrim_class *class, uint32_t segment, bool *fits)
{
    *fits = true;
    if (!selection_has(s->selection, SELECT_FUNC) && !selection_has(s->selection, SELECT_SITE))
        return true;
    if (segment != s->segment)
        key_table_clear(&s->fitting);
    s->segment = segment;
    const struct key key = {{(uintptr_t) class}};
    const uint64_t *known = key_table_find(&s->fitting, key);
    if (!known)
        known = key_table_put(&s->fitting, key, class_fits(s, class));
    *fits = known && *known;
    return known;
}

static bool is_object(const struct pilgrim_value *v)
{
    return v->type == PILGRIM_OBJECT && strcmp(v->text, "comm") == 0;
}

/* Returns the name that the program gave the communicator V; NULL: none. */
static const char *given_name(const struct selector *s, const struct pilgrim_value *v)
{
    return s->names && is_object(v) ? object_names_find(s->names, v) : NULL;
}

static bool is_communicator(const struct selector *s, const struct pilgrim_value *v, const char *name)
{
    char text[64];
    if (v->type == PILGRIM_NAME)
        return strcmp(v->text, name) == 0;
    if (!is_object(v))
        return false;
    const char *given = given_name(s, v);
    snprintf(text, sizeof text, "comm:%" PRId64, v->id);
    return strcmp(text, name) == 0 || (given && strcmp(given, name) == 0);
}

static void note_communicator(struct selector *s, const struct pilgrim_value *v)
{
    char text[NOTE_BYTES];
    if (v->type == PILGRIM_NAME && strncmp(v->text, "MPI_COMM_", 9) == 0 && strcmp(v->text, "MPI_COMM_NULL") != 0)
        note_name(&s->comms, v->text);
    if (is_object(v)) {
        const char *given = given_name(s, v);
        snprintf(text, sizeof text, given ? "comm:%" PRId64 " \"%.16s\"" : "comm:%" PRId64, v->id, given);
        note_name(&s->comms, text);
    }
}

/* True if the call gives a communicator that NAME. */
static bool gives_name(const struct pilgrim_call *call, const char *name)
{
    const struct pilgrim_value *given = call_in(call, "comm_name");
    return given->type == PILGRIM_STRING && given->text && given->length == strlen(name) &&
           memcmp(given->text, name, given->length) == 0;
}

static bool names_communicator(struct selector *s, const struct pilgrim_call *call, const char *name)
{
    if (s->names)
        (void)object_names_at(s->names, call->seq);
    for (size_t i = 0; i < call->function->parameter_count; i++)
        if (is_communicator(s, &call->in[i], name) || is_communicator(s, &call->out[i], name))
            return true;
    for (size_t i = 0; !s->found[SELECT_COMM] && i < call->function->parameter_count; i++) {
        note_communicator(s, &call->in[i]);
        note_communicator(s, &call->out[i]);
    }
    return s->names && gives_name(call, name);
}

static bool has_tag(struct selector *s, const struct pilgrim_value *v)
{
    if (v->type == PILGRIM_STATUS)
        return v->count > 1 && has_tag(s, &v->items[1]);
    for (size_t i = 0; v->type == PILGRIM_ARRAY && i < v->count; i++)
        if (v->items[i].type == PILGRIM_STATUS && has_tag(s, &v->items[i]))
            return true;
    if (v->type != PILGRIM_INT || v->integer < 0)
        return false;
    s->tag_least = !s->has_tags || v->integer < s->tag_least ? v->integer : s->tag_least;
    s->tag_most = !s->has_tags || v->integer > s->tag_most ? v->integer : s->tag_most;
    s->has_tags = true;
    return selection_has_number(s->selection, SELECT_TAG, (uint64_t)v->integer);
}

static bool is_tagged(struct selector *s, const struct pilgrim_call *call)
{
    static const char *const in[] = {"tag", "sendtag", "recvtag"}, *const out[] = {"status", "array_of_statuses"};
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        if (has_tag(s, call_in(call, in[i])))
            return true;
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        if (call_out(call, out[i])->type != PILGRIM_INT && has_tag(s, call_out(call, out[i])))
            return true;
    return false;
}

static bool is_wanted_peer(const void *selector, uint32_t rank)
{
    return selection_has_number(((const struct selector *)selector)->selection, SELECT_PEER, rank);
}

static bool is_in_time(struct selector *s, const struct pilgrim_call *call)
{
    return !selector_is_timed(s) || (call->timed && !is_before(s, call, true) && is_before(s, call, false));
}

static bool moves_enough(struct selector *s, const struct pilgrim_call *call)
{
    const uint64_t wanted = s->selection->criteria[SELECT_BYTES].number;
    const struct pilgrim_volume volume = volumes_of(s->volumes, call);
    const uint64_t both = volume.sent + volume.received < volume.sent ? UINT64_MAX : volume.sent + volume.received;
    s->bytes_most = both > s->bytes_most ? both : s->bytes_most;
    return both >= wanted;
}

static bool call_fits(struct selector *s, const struct pilgrim_call *call)
{
    const struct criterion *c = s->selection->criteria;
    if (!is_in_time(s, call))
        return false;
    s->found[SELECT_SINCE] = true;
    if (c[SELECT_FAILED].set && !pilgrim_call_failed(call))
        return false;
    s->found[SELECT_FAILED] = true;
    if (c[SELECT_COMM].set && !names_communicator(s, call, c[SELECT_COMM].text))
        return false;
    s->found[SELECT_COMM] = true;
    if (c[SELECT_TAG].set && !is_tagged(s, call))
        return false;
    s->found[SELECT_TAG] = true;
    if (c[SELECT_PEER].set && !volumes_peer(s->volumes, call, is_wanted_peer, s))
        return false;
    s->found[SELECT_PEER] = true;
    return !c[SELECT_BYTES].set || moves_enough(s, call);
}

static void follow_phase(struct selector *s, const struct pilgrim_call *call)
{
    if (strcmp(call->function->name, "pilgrim_marker") != 0 || call->function->parameter_count < 1)
        return;
    const char *text = call->in[0].type == PILGRIM_STRING && call->in[0].text ? call->in[0].text : "";
    s->in_phase = strcmp(text, s->selection->criteria[SELECT_PHASE].text) == 0;
    s->found_phase |= s->in_phase;
    if (!s->found_phase)
        note_name(&s->phases, text);
}

enum pilgrim_status selector_see(struct selector *s, const struct pilgrim_call *call, uint32_t segment, bool *fits,
                                 struct pilgrim_error *error)
{
    *fits = true;
    if (!s->selection)
        return PILGRIM_OK;
    if (s->volumes) {
        enum pilgrim_status status = volumes_see(s->volumes, call, error);
        if (status != PILGRIM_OK)
            return status;
    }
    if (selection_has(s->selection, SELECT_PHASE)) {
        follow_phase(s, call);
        *fits = s->in_phase;
    }
    if (*fits && !known_class_fits(s, call->class_, segment, fits))
        return no_memory(error);
    *fits = *fits && call_fits(s, call);
    s->chose |= *fits;
    return PILGRIM_OK;
}

enum pilgrim_status selector_take(struct selector *s, const struct pilgrim_call *call, uint32_t segment, bool *fits,
                                  struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    *fits = true;
    if (!s->selection)
        return PILGRIM_OK;
    const bool chose = s->chose;
    if (!s->has_upcoming || (s->upcoming != SELECTOR_NONE && call->seq > s->upcoming))
        status = selector_next(s, call->seq, &s->upcoming, error);
    s->has_upcoming = true;
    if (status == PILGRIM_OK)
        status = selector_see(s, call, segment, fits, error);
    *fits = *fits && call->seq == s->upcoming;
    s->chose = chose || *fits;
    return status;
}
