/* SPDX-License-Identifier: BSD-3-Clause */
/* Perfetto's trace format (ui.perfetto.dev, trace_processor): a Trace message whose TracePackets hold TrackEvents. A
 * rank is a process, a thread a thread, a call a slice, as is an iteration of a loop, on a track of its own; a message
 * is a flow from the begin of the call that began the send to the end of the call that ended the receive. Each rank
 * is a sequence of packets, in which names stand once (interned data). Field numbers are those of Perfetto's
 * protos/perfetto/trace; tests/convert/perfetto.proto has the part that is used here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "analysis/thread_loops.h"
#include "collective_kinds.h"
#include "convert.h"
#include "protobuf.h"

enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60,
    FLAG_CLEARED = 1,
    FLAG_NEEDS_STATE = 2
};
enum { INTERNED_CATEGORY = 1, INTERNED_EVENT = 2, INTERNED_ANNOTATION = 3, INTERNED_SOURCE = 4, NAME_ID = 1, NAME = 2 };
enum { SOURCE_ID = 1, SOURCE_FILE = 2, SOURCE_LINE = 4 };
enum {
    EVENT_CATEGORY = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME = 10,
    EVENT_TRACK = 11,
    EVENT_COUNTER = 30,
    EVENT_SOURCE = 34,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48,
    TYPE_BEGIN = 1,
    TYPE_END = 2,
    TYPE_INSTANT = 3,
    TYPE_COUNTER = 4
};
enum { ANNOTATION_NAME = 1, ANNOTATION_INT = 4, ANNOTATION_TEXT = 6 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum {
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    COUNTER_UNIT = 3,
    UNIT_COUNT = 2,
    UNIT_BYTES = 3
};
enum { TEXT_MAX = 8192, CATEGORY_MPI = 1, CATEGORY_MARKER = 2, CATEGORY_LOOP = 3, LOOPS_MAX = 64 };
/* Sequences: of the run, and from SEQUENCE_RANKS of each rank. Tracks of the run; then those of each rank. */
enum { SEQUENCE_RUN = 1, SEQUENCE_RANKS = 2, TRACK_RUN = 1, TRACK_BYTES, TRACK_MESSAGES, TRACK_WAITS, TRACK_RANKS };

/* A name that was interned. */
struct perfetto_name {
    UT_hash_handle hh;
    uint64_t number; /* from 1 */
    char text[];
};

/* What is known of a place. */
struct perfetto_place {
    uint64_t interned; /* its number in the sequence ... */
    uint32_t sequence; /* ... that had it last */
    bool known, waits; /* it is known whether its function waits */
};

struct perfetto {
    struct output *out;
    struct protobuf body, interned; /* of the packet that is being made, and what it interns */
    struct protobuf head, packet;
    struct perfetto_name *events, *annotations; /* tables of uthash */
    struct perfetto_place *places;              /* of each number */
    size_t place_capacity;
    uint64_t sources; /* of the sequence, so far */
    uint64_t track;   /* of the thread */
    uint64_t process, first_ns;
    uint32_t rank, sequence;
    bool begun;                /* the sequence has */
    struct loop_places *loops; /* of the thread; NULL: it has none */
    size_t loop_count;
    uint64_t iterations[LOOPS_MAX]; /* that are open: their numbers over all entries of each loop; 0: none */
    uint64_t loop_track, last_ns;   /* the end of the call before */
    struct flow_change *waits;      /* how many calls wait */
    size_t wait_count, wait_capacity;
};

/* ---- packets ---- */

/* Writes the packet whose body is field FIELD. False: no memory */
static bool put_packet(struct perfetto *p, uint32_t field, bool timed, uint64_t ns)
{
    protobuf_uint(&p->head, PACKET_SEQUENCE, p->sequence);
    if (timed)
        protobuf_uint(&p->head, PACKET_TIMESTAMP, ns);
    protobuf_uint(&p->head, PACKET_FLAGS, p->begun ? FLAG_NEEDS_STATE : FLAG_CLEARED | FLAG_NEEDS_STATE);
    if (p->interned.used)
        protobuf_bytes(&p->head, PACKET_INTERNED, p->interned.bytes, p->interned.used);
    protobuf_bytes(&p->head, field, p->body.bytes, p->body.used);
    protobuf_bytes(&p->packet, TRACE_PACKET, p->head.bytes, p->head.used);
    const bool good = !p->body.short_of_memory && !p->interned.short_of_memory && !p->head.short_of_memory &&
                      !p->packet.short_of_memory;
    if (good)
        out_bytes(p->out, (const char *)p->packet.bytes, p->packet.used);
    protobuf_clear(&p->body);
    protobuf_clear(&p->interned);
    protobuf_clear(&p->head);
    protobuf_clear(&p->packet);
    p->begun = true;
    return good;
}

/* Puts TEXT without what could command a terminal, and as UTF-8, which Protocol Buffers want. */
static void put_text(struct protobuf *to, uint32_t field, const char *text)
{
    char shown[PILGRIM_PRINTABLE_MAX], all[TEXT_MAX];
    size_t used = 0, length = strlen(text);
    for (size_t n; length > 0 && used + sizeof shown < sizeof all; text += n, length -= n) {
        n = pilgrim_printable(text, length, shown);
        memcpy(all + used, shown, strlen(shown));
        used += strlen(shown);
    }
    protobuf_bytes(to, field, all, used);
}

/* Returns the number of TEXT in TABLE, which is interned in FIELD when it is new. 0: no memory */
static uint64_t intern(struct perfetto *p, struct perfetto_name **table, uint32_t field, const char *text)
{
    struct perfetto_name *name;
    const size_t length = strlen(text);
    HASH_FIND(hh, *table, text, length, name);
    if (name)
        return name->number;
    name = malloc(sizeof *name + length + 1);
    if (!name)
        return 0;
    memcpy(name->text, text, length + 1);
    name->number = HASH_COUNT(*table) + 1;
    HASH_ADD(hh, *table, text, length, name);
    const size_t at = protobuf_open(&p->interned, field);
    protobuf_uint(&p->interned, NAME_ID, name->number);
    put_text(&p->interned, NAME, text);
    protobuf_close(&p->interned, at);
    return name->number;
}

static void free_names(struct perfetto_name **table)
{
    struct perfetto_name *name, *next;
    HASH_ITER(hh, *table, name, next)
    {
        HASH_DEL(*table, name);
        free(name);
    }
}

static void put_category(struct perfetto *p, uint64_t number, const char *name)
{
    const size_t at = protobuf_open(&p->interned, INTERNED_CATEGORY);
    protobuf_uint(&p->interned, NAME_ID, number);
    protobuf_text(&p->interned, NAME, name);
    protobuf_close(&p->interned, at);
}

/* ---- arguments ---- */

static bool perfetto_number(void *context, const char *name, int64_t value)
{
    struct perfetto *p = context;
    const uint64_t number = intern(p, &p->annotations, INTERNED_ANNOTATION, name);
    const size_t at = protobuf_open(&p->body, EVENT_ANNOTATION);
    protobuf_uint(&p->body, ANNOTATION_NAME, number);
    protobuf_int(&p->body, ANNOTATION_INT, value);
    protobuf_close(&p->body, at);
    return number != 0;
}

static bool perfetto_text(void *context, const char *name, const char *value)
{
    struct perfetto *p = context;
    const uint64_t number = intern(p, &p->annotations, INTERNED_ANNOTATION, name);
    const size_t at = protobuf_open(&p->body, EVENT_ANNOTATION);
    protobuf_uint(&p->body, ANNOTATION_NAME, number);
    put_text(&p->body, ANNOTATION_TEXT, value);
    protobuf_close(&p->body, at);
    return number != 0;
}

/* ---- tracks ---- */

/* The next packets are those of another sequence. It has not interned anything. */
static void begin_sequence(struct perfetto *p, uint32_t sequence)
{
    p->sequence = sequence;
    p->begun = false;
    p->sources = 0;
    free_names(&p->events);
    free_names(&p->annotations);
    put_category(p, CATEGORY_MPI, "MPI");
    put_category(p, CATEGORY_MARKER, "marker");
    put_category(p, CATEGORY_LOOP, "loop");
}

static bool perfetto_begin(struct convert *c)
{
    struct perfetto *p = calloc(1, sizeof *p);
    c->state = p;
    if (!p)
        return false;
    p->out = c->out;
    p->rank = UINT32_MAX;
    p->first_ns = UINT64_MAX;
    begin_sequence(p, SEQUENCE_RUN);
    protobuf_uint(&p->body, TRACK_UUID, TRACK_RUN);
    protobuf_text(&p->body, TRACK_NAME, "run");
    return put_packet(p, PACKET_TRACK, false, 0);
}

/* Puts what the trace says of the run, as the arguments of an instant where its calls begin. */
static bool put_properties(struct convert *c)
{
    struct perfetto *p = c->state;
    const char *key, *value;
    const uint64_t name = intern(p, &p->events, INTERNED_EVENT,
                                 c->drawn ? "times are drawn from statistics: not those of the run" : "properties");
    protobuf_uint(&p->body, EVENT_TYPE, TYPE_INSTANT);
    protobuf_uint(&p->body, EVENT_TRACK, TRACK_RUN);
    protobuf_uint(&p->body, EVENT_CATEGORY, CATEGORY_MARKER);
    protobuf_uint(&p->body, EVENT_NAME, name);
    for (size_t i = 0; pilgrim_property_at(c->trace, i, &key, &value); i++)
        if (!perfetto_text(p, key, value))
            return false;
    return name && put_packet(p, PACKET_EVENT, true, p->first_ns);
}

static bool put_process(struct convert *c, uint32_t rank)
{
    struct perfetto *p = c->state;
    char name[CONVERT_NAME_MAX];
    convert_rank_name(c, rank, name);
    p->rank = rank;
    /* a track of its own, and two of each thread */
    p->process = TRACK_RANKS + rank + 2 * (uint64_t)c->flows->first[rank];
    begin_sequence(p, SEQUENCE_RANKS + rank);
    protobuf_uint(&p->body, TRACK_UUID, p->process);
    const size_t at = protobuf_open(&p->body, TRACK_PROCESS);
    protobuf_uint(&p->body, PROCESS_PID, rank + 1); /* 0 is the idle process of a machine */
    protobuf_text(&p->body, PROCESS_NAME, name);
    protobuf_close(&p->body, at);
    return put_packet(p, PACKET_TRACK, false, 0);
}

/* ---- loops ---- */

static bool put_loop(struct perfetto *p, unsigned type, size_t loop, uint64_t iteration, uint64_t ns)
{
    char text[32];
    bool good = true;
    protobuf_uint(&p->body, EVENT_TYPE, type);
    protobuf_uint(&p->body, EVENT_TRACK, p->loop_track);
    if (type == TYPE_BEGIN) {
        snprintf(text, sizeof text, "loop %zu", loop);
        const uint64_t name = intern(p, &p->events, INTERNED_EVENT, text);
        protobuf_uint(&p->body, EVENT_CATEGORY, CATEGORY_LOOP);
        protobuf_uint(&p->body, EVENT_NAME, name);
        good = name && perfetto_number(p, "iteration", (int64_t)iteration);
    }
    return good && put_packet(p, PACKET_EVENT, true, ns);
}

static bool close_loops(struct perfetto *p)
{
    bool good = true;
    for (size_t loop = p->loop_count; loop > 0 && good; loop--)
        if (p->iterations[loop - 1])
            good = put_loop(p, TYPE_END, loop, 0, p->last_ns);
    loop_places_close(p->loops);
    p->loops = NULL;
    p->loop_count = 0;
    return good;
}

/* Loops count as in --loop; one within another has the higher number. */
static bool open_loops(struct convert *c, uint32_t rank, uint32_t thread)
{
    struct perfetto *p = c->state;
    struct pilgrim_error ignored;
    char name[64];
    memset(p->iterations, 0, sizeof p->iterations);
    if (loop_places_open(c->trace, rank, thread, &p->loops, &ignored) != PILGRIM_OK) {
        p->loops = NULL; /* of a damaged thread they are not known */
        return true;
    }
    p->loop_count = loop_places_count(p->loops);
    p->loop_count = p->loop_count < LOOPS_MAX ? p->loop_count : LOOPS_MAX;
    if (!p->loop_count)
        return true;
    p->loop_track = p->process + 2 + 2 * (uint64_t)thread;
    snprintf(name, sizeof name, "loops of thread %u", thread);
    protobuf_uint(&p->body, TRACK_UUID, p->loop_track);
    protobuf_text(&p->body, TRACK_NAME, name);
    protobuf_uint(&p->body, TRACK_PARENT, p->process);
    return put_packet(p, PACKET_TRACK, false, 0);
}

/* Ends and begins iterations before a call. */
static bool put_loops(struct perfetto *p, const struct pilgrim_call *call)
{
    uint64_t numbers[LOOPS_MAX], iterations[LOOPS_MAX];
    struct pilgrim_error ignored;
    bool good = true;
    for (size_t loop = 1; loop <= p->loop_count; loop++) {
        uint64_t *iteration = &iterations[loop - 1];
        if (loop_places_find(p->loops, loop, call->seq, iteration, &ignored) != PILGRIM_OK)
            *iteration = 0;
        numbers[loop - 1] = *iteration ? loop_places_before(p->loops, loop) + *iteration : 0;
    }
    for (size_t loop = p->loop_count; loop > 0 && good; loop--)
        if (p->iterations[loop - 1] && p->iterations[loop - 1] != numbers[loop - 1])
            good = put_loop(p, TYPE_END, loop, 0, p->last_ns);
    for (size_t loop = 1; loop <= p->loop_count && good; loop++) {
        if (numbers[loop - 1] && p->iterations[loop - 1] != numbers[loop - 1])
            good = put_loop(p, TYPE_BEGIN, loop, iterations[loop - 1], call->start_ns);
        p->iterations[loop - 1] = numbers[loop - 1];
    }
    return good;
}

static bool perfetto_thread(struct convert *c, uint32_t rank, uint32_t thread)
{
    struct perfetto *p = c->state;
    char name[CONVERT_NAME_MAX];
    if (!close_loops(p) || (rank != p->rank && !put_process(c, rank)) || !open_loops(c, rank, thread))
        return false;
    convert_thread_name(thread, name);
    p->track = p->process + 1 + 2 * (uint64_t)thread;
    protobuf_uint(&p->body, TRACK_UUID, p->track);
    protobuf_uint(&p->body, TRACK_PARENT, p->process);
    const size_t at = protobuf_open(&p->body, TRACK_THREAD);
    protobuf_uint(&p->body, THREAD_PID, rank + 1);
    /* a thread's number is unique in the machine: as many as a rank has there may be, and more */
    protobuf_uint(&p->body, THREAD_TID, c->flows->first[rank] + thread + 1);
    protobuf_text(&p->body, THREAD_NAME, name);
    protobuf_close(&p->body, at);
    return put_packet(p, PACKET_TRACK, false, 0);
}

/* ---- calls ---- */

/* Refers to the place of a call, which is interned when it is new. */
static bool put_source(struct perfetto *p, const struct convert_call *call)
{
    const struct call_place *place = call->place;
    if (place->number >= p->place_capacity) {
        const size_t capacity = 2 * (size_t)place->number + 64;
        struct perfetto_place *places = realloc(p->places, capacity * sizeof *places);
        if (!places)
            return false;
        memset(places + p->place_capacity, 0, (capacity - p->place_capacity) * sizeof *places);
        p->places = places;
        p->place_capacity = capacity;
    }
    struct perfetto_place *known = &p->places[place->number];
    if (known->sequence != p->sequence) {
        known->sequence = p->sequence;
        known->interned = ++p->sources;
        const size_t at = protobuf_open(&p->interned, INTERNED_SOURCE);
        protobuf_uint(&p->interned, SOURCE_ID, known->interned);
        put_text(&p->interned, SOURCE_FILE, place->file ? place->file : place->text);
        if (place->file)
            protobuf_uint(&p->interned, SOURCE_LINE, place->line);
        protobuf_close(&p->interned, at);
    }
    protobuf_uint(&p->body, EVENT_SOURCE, known->interned);
    return true;
}

static bool add_wait(struct perfetto *p, const uint64_t times[2])
{
    if (p->wait_count + 2 > p->wait_capacity) {
        const size_t capacity = 2 * p->wait_capacity + 256;
        struct flow_change *waits = realloc(p->waits, capacity * sizeof *waits);
        if (!waits)
            return false;
        p->waits = waits;
        p->wait_capacity = capacity;
    }
    p->waits[p->wait_count++] = (struct flow_change){times[0], 0, 1};
    p->waits[p->wait_count++] = (struct flow_change){times[1], 0, -1};
    return true;
}

/* Notes that a call waits, if its function may. Its place is known. */
static bool note_wait(struct convert *c, const struct convert_call *call)
{
    struct perfetto *p = c->state;
    struct perfetto_place *place = &p->places[call->place->number];
    const uint64_t times[2] = {call->call->start_ns, call->call->end_ns};
    if (!place->known)
        place->waits = function_waits(call->call->function->name);
    place->known = true;
    if (!place->waits)
        return true;
    if (!c->told)
        return add_wait(p, times);
    out_bytes(c->told, (const char *)times, sizeof times);
    return true;
}

static void put_flows(struct perfetto *p, const struct convert_call *call, bool received)
{
    for (size_t i = 0; i < call->flow_count; i++)
        if (call->flows[i].received == received)
            protobuf_fixed64(&p->body, received ? EVENT_FLOW_END : EVENT_FLOW, call->flows[i].id);
}

static bool perfetto_call(struct convert *c, const struct convert_call *call)
{
    struct perfetto *p = c->state;
    char text[CONVERT_MARKER_MAX];
    const bool marker = convert_is_marker(call->call);
    const struct convert_teller tell = {.number = perfetto_number, .text = perfetto_text, .context = p};
    if (!put_loops(p, call->call))
        return false;
    p->first_ns = call->call->start_ns < p->first_ns ? call->call->start_ns : p->first_ns;
    p->last_ns = call->call->end_ns;
    const uint64_t name = intern(p, &p->events, INTERNED_EVENT, convert_call_name(call->call, text));
    protobuf_uint(&p->body, EVENT_TYPE, marker ? TYPE_INSTANT : TYPE_BEGIN);
    protobuf_uint(&p->body, EVENT_TRACK, p->track);
    protobuf_uint(&p->body, EVENT_CATEGORY, marker ? CATEGORY_MARKER : CATEGORY_MPI);
    protobuf_uint(&p->body, EVENT_NAME, name);
    put_flows(p, call, false);
    if (!name || !put_source(p, call) || !note_wait(c, call) || !convert_tell(c, call, &tell) ||
        !put_packet(p, PACKET_EVENT, true, call->call->start_ns))
        return false;
    if (marker)
        return true;
    protobuf_uint(&p->body, EVENT_TYPE, TYPE_END);
    protobuf_uint(&p->body, EVENT_TRACK, p->track);
    put_flows(p, call, true);
    return put_packet(p, PACKET_EVENT, true, call->call->end_ns);
}

/* ---- counters ---- */

static bool put_counter_track(struct perfetto *p, uint64_t track, const char *name, bool bytes)
{
    p->track = track;
    protobuf_uint(&p->body, TRACK_UUID, p->track);
    protobuf_text(&p->body, TRACK_NAME, name);
    const size_t at = protobuf_open(&p->body, TRACK_COUNTER);
    protobuf_uint(&p->body, COUNTER_UNIT, bytes ? UNIT_BYTES : UNIT_COUNT);
    protobuf_close(&p->body, at);
    return put_packet(p, PACKET_TRACK, false, 0);
}

/* A counter that CHANGES make, which are in the order of time. */
static bool put_counter(struct perfetto *p, uint64_t track, const char *name, bool bytes,
                        const struct flow_change *changes, size_t count)
{
    int64_t value = 0;
    bool good = count == 0 || put_counter_track(p, track, name, bytes);
    for (size_t i = 0; i < count && good; i++) {
        value += bytes ? changes[i].bytes : changes[i].messages;
        if (i + 1 < count && changes[i + 1].ns == changes[i].ns)
            continue;
        protobuf_uint(&p->body, EVENT_TYPE, TYPE_COUNTER);
        protobuf_uint(&p->body, EVENT_TRACK, p->track);
        protobuf_int(&p->body, EVENT_COUNTER, value);
        good = put_packet(p, PACKET_EVENT, true, changes[i].ns);
    }
    return good;
}

static int by_time(const void *a, const void *b)
{
    const struct flow_change *x = a, *y = b;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

/* Drawn times of threads do not fit to each other: nothing is counted. */
static bool put_counters(struct convert *c)
{
    struct perfetto *p = c->state;
    const struct flow_change *changes = c->flows->changes;
    if (c->drawn)
        return true;
    if (p->wait_count)
        qsort(p->waits, p->wait_count, sizeof *p->waits, by_time);
    return put_counter(p, TRACK_BYTES, "bytes under way", true, changes, c->flows->change_count) &&
           put_counter(p, TRACK_MESSAGES, "messages under way", false, changes, c->flows->change_count) &&
           put_counter(p, TRACK_WAITS, "calls that wait", false, p->waits, p->wait_count);
}

static bool perfetto_end(struct convert *c)
{
    struct perfetto *p = c->state;
    if (!p)
        return true;
    bool good = close_loops(p);
    begin_sequence(p, SEQUENCE_RUN); /* what it had interned is not used any more */
    good = good && (p->first_ns == UINT64_MAX || put_properties(c)) && put_counters(c);
    free_names(&p->events);
    free_names(&p->annotations);
    protobuf_free(&p->body);
    protobuf_free(&p->interned);
    protobuf_free(&p->head);
    protobuf_free(&p->packet);
    free(p->places);
    free(p->waits);
    free(p);
    c->state = NULL;
    return good;
}

/* ---- parts ---- */

/* Another process tells when calls that wait began and ended, and behind that, when its first call began. */
static bool perfetto_end_part(struct convert *c, uint32_t end)
{
    struct perfetto *p = c->state;
    (void)end;
    if (c->told)
        out_bytes(c->told, (const char *)&p->first_ns, sizeof p->first_ns);
    return close_loops(p);
}

static bool perfetto_join(struct convert *c, const unsigned char *told, size_t length)
{
    struct perfetto *p = c->state;
    uint64_t times[2], first_ns;
    bool good = true;
    for (size_t at = 0; at + sizeof first_ns < length && good; at += sizeof times) {
        memcpy(times, told + at, sizeof times);
        good = add_wait(p, times);
    }
    memcpy(&first_ns, told + length - sizeof first_ns, sizeof first_ns);
    p->first_ns = first_ns < p->first_ns ? first_ns : p->first_ns;
    return good;
}

static const struct convert_parts parts = {.end = perfetto_end_part, .join = perfetto_join};

const struct convert_format convert_perfetto = {.name = "perfetto",
                                                .suffix = ".perfetto-trace",
                                                .begin = perfetto_begin,
                                                .thread = perfetto_thread,
                                                .call = perfetto_call,
                                                .end = perfetto_end,
                                                .parts = &parts};
