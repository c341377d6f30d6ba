/* SPDX-License-Identifier: BSD-3-Clause */
/* OTF2 archives (Vampir, Scalasca, TAU and others), written by its library. A rank is a location group, a thread a
 * location; a region is a function at a call site. Messages begin when the call begins; what a call completes, it
 * completes when it ends. Definitions are written as they are met, and in the end. */
#include "convert.h"

#ifdef HAVE_OTF2
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "collective_kinds.h"
#include "otf2_definitions.h"
#include "otf2_objects.h"

struct otf2_sizes {
    uint64_t sent, received;
};

struct otf2 {
    OTF2_Archive *archive;
    OTF2_EvtWriter *writer; /* of the thread whose calls are converted; NULL: none */
    OTF2_MarkerWriter *markers;
    struct otf2_definitions definitions;
    uint64_t *events;        /* of each location */
    OTF2_RegionRef *regions; /* of each place; OTF2_UNDEFINED_REGION: not yet defined */
    size_t region_count;
    struct otf2_sizes *sizes; /* of each non-blocking collective operation */
    bool *opened;             /* of each file: a record says that it is opened */
    uint32_t rank;
    uint64_t location, last_ns, first_ns, most_ns;
    OTF2_ErrorCode bad;
    bool evt_files;
};

static OTF2_FlushType flush_always(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flushing = {.otf2_pre_flush = flush_always};

static bool note(struct convert *c, OTF2_ErrorCode code)
{
    struct otf2 *o = c->state;
    if (code == OTF2_SUCCESS || o->bad != OTF2_SUCCESS)
        return o->bad == OTF2_SUCCESS;
    o->bad = code;
    snprintf(c->failure, sizeof c->failure, "%s", OTF2_Error_GetDescription(code));
    return false;
}

/* The library prints what goes wrong; here it is said once, by the caller. */
static OTF2_ErrorCode say_nothing(void *data, const char *file, uint64_t line, const char *function,
                                  OTF2_ErrorCode code, const char *format, va_list list)
{
    (void)data, (void)file, (void)line, (void)function, (void)format, (void)list;
    return code;
}

static bool good(struct convert *c)
{
    struct otf2 *o = c->state;
    return note(c, o->definitions.bad) && !o->definitions.short_of_memory;
}

/* Returns the size of a chunk of definitions. The library clears one for each location; a definition is in one chunk,
 * also that of a group with all processes. */
static uint64_t definition_bytes(const struct mpi_records *r)
{
    const uint64_t wanted = OTF2_CHUNK_SIZE_MIN + (uint64_t)r->ranks * 16;
    return wanted < OTF2_CHUNK_SIZE_MAX ? wanted : OTF2_CHUNK_SIZE_MAX;
}

static bool otf2_begin(struct convert *c)
{
    const size_t locations = c->records->first[c->records->ranks];
    struct otf2 *o = c->state = calloc(1, sizeof *o);
    if (!o)
        return false;
    OTF2_Error_RegisterCallback(say_nothing, NULL);
    o->first_ns = UINT64_MAX;
    o->events = calloc(locations + 1, sizeof *o->events);
    o->sizes = calloc(c->records->nonblocking + 1, sizeof *o->sizes);
    o->opened = calloc(c->records->files.count + 1, sizeof *o->opened);
    if (!o->events || !o->sizes || !o->opened)
        return false;
    o->archive = OTF2_Archive_Open(c->folder, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                                   definition_bytes(c->records), OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!o->archive)
        return note(c, OTF2_ERROR_FILE_CAN_NOT_OPEN);
    const char *program = pilgrim_property(c->trace, "program");
    note(c, OTF2_Archive_SetFlushCallbacks(o->archive, &flushing, NULL));
    note(c, OTF2_Archive_SetSerialCollectiveCallbacks(o->archive));
    note(c, OTF2_Archive_SetCreator(o->archive, "pilgrim-convert " PILGRIM_VERSION_TEXT));
    note(c, OTF2_Archive_SetDescription(o->archive, program ? program : ""));
    note(c, OTF2_Archive_SetProperty(o->archive, "PILGRIM::TIMES",
                                     c->drawn ? "drawn from statistics: not those of the run" : "of the run", true));
    o->evt_files = note(c, OTF2_Archive_OpenEvtFiles(o->archive));
    o->definitions = (struct otf2_definitions){
        .c = c, .writer = OTF2_Archive_GetGlobalDefWriter(o->archive), .events = o->events, .opened = o->opened};
    otf2_define_text(&o->definitions, "");
    return good(c);
}

static bool close_thread(struct convert *c)
{
    struct otf2 *o = c->state;
    if (!o->writer)
        return true;
    OTF2_EvtWriter *writer = o->writer;
    o->writer = NULL;
    note(c, OTF2_EvtWriter_GetNumberOfEvents(writer, &o->events[o->location]));
    return note(c, OTF2_Archive_CloseEvtWriter(o->archive, writer));
}

static bool otf2_thread(struct convert *c, uint32_t rank, uint32_t thread)
{
    struct otf2 *o = c->state;
    if (!close_thread(c))
        return false;
    o->rank = rank;
    o->location = c->records->first[rank] + thread;
    o->last_ns = 0;
    o->writer = OTF2_Archive_GetEvtWriter(o->archive, o->location);
    return o->writer || note(c, OTF2_ERROR_FILE_CAN_NOT_OPEN);
}

/* ---- records ---- */

static uint32_t root_of(const struct mpi_record *record)
{
    return record->peer >= 0                    ? (uint32_t)record->peer
           : record->peer == RECORD_ROOT_SELF   ? OTF2_COLLECTIVE_ROOT_SELF
           : record->peer == RECORD_ROOT_OTHERS ? OTF2_COLLECTIVE_ROOT_THIS_GROUP
                                                : OTF2_COLLECTIVE_ROOT_NONE;
}

/* Writes a record of what begins when the call begins. */
static OTF2_ErrorCode put_begun(struct otf2 *o, const struct mpi_records *records, const struct convert_call *call,
                                const struct mpi_record *r, uint64_t ns)
{
    switch ((enum record_kind)r->kind) {
    case RECORD_SEND:
        return OTF2_EvtWriter_MpiSend(o->writer, NULL, ns, (uint32_t)r->peer, r->comm, (uint32_t)r->tag, r->bytes);
    case RECORD_ISEND:
        return OTF2_EvtWriter_MpiIsend(o->writer, NULL, ns, (uint32_t)r->peer, r->comm, (uint32_t)r->tag, r->bytes,
                                       r->request);
    case RECORD_RECEIVE_POSTED:
        return OTF2_EvtWriter_MpiIrecvRequest(o->writer, NULL, ns, r->request);
    case RECORD_COLLECTIVE_BEGUN: {
        const struct pilgrim_volume moved = mpi_record_volume(call->call, &call->volume, r);
        o->sizes[r->bytes] = (struct otf2_sizes){moved.sent, moved.received};
        return OTF2_EvtWriter_NonBlockingCollectiveRequest(o->writer, NULL, ns, r->request);
    }
    case RECORD_COLLECTIVE:
        return OTF2_EvtWriter_MpiCollectiveBegin(o->writer, NULL, ns);
    default:
        return otf2_put_object_begun(o->writer, records, r, o->rank, ns);
    }
}

/* Writes a record of what ends when the call ends. */
static OTF2_ErrorCode put_ended(struct otf2 *o, const struct mpi_records *records, const struct convert_call *call,
                                const struct mpi_record *r, uint64_t ns)
{
    switch ((enum record_kind)r->kind) {
    case RECORD_COMM_MADE:
        return OTF2_EvtWriter_CommCreate(o->writer, NULL, ns, r->comm);
    case RECORD_COMM_FREED:
        return OTF2_EvtWriter_CommDestroy(o->writer, NULL, ns, r->comm);
    case RECORD_COLLECTIVE:
        return OTF2_EvtWriter_MpiCollectiveEnd(o->writer, NULL, ns, r->collective, r->comm, root_of(r),
                                               call->volume.sent, call->volume.received);
    case RECORD_TEST:
        return OTF2_EvtWriter_MpiRequestTest(o->writer, NULL, ns, r->request);
    case RECORD_ISEND_ENDED:
        return OTF2_EvtWriter_MpiIsendComplete(o->writer, NULL, ns, r->request);
    case RECORD_RECEIVED:
        return OTF2_EvtWriter_MpiRecv(o->writer, NULL, ns, (uint32_t)r->peer, r->comm, (uint32_t)r->tag, r->bytes);
    case RECORD_IRECV_ENDED:
        return OTF2_EvtWriter_MpiIrecv(o->writer, NULL, ns, (uint32_t)r->peer, r->comm, (uint32_t)r->tag, r->bytes,
                                       r->request);
    case RECORD_CANCELLED:
        return OTF2_EvtWriter_MpiRequestCancelled(o->writer, NULL, ns, r->request);
    case RECORD_COLLECTIVE_ENDED:
        return OTF2_EvtWriter_NonBlockingCollectiveComplete(o->writer, NULL, ns, r->collective, r->comm, root_of(r),
                                                            o->sizes[r->bytes].sent, o->sizes[r->bytes].received,
                                                            r->request);
    default:
        if (r->kind == RECORD_FILE_OPENED)
            o->opened[r->comm] = true;
        return otf2_put_object_ended(o->writer, records, r, o->rank, ns);
    }
}

/* ---- calls ---- */

static bool put_number(void *context, const char *name, int64_t value)
{
    struct convert *c = context;
    struct otf2 *o = c->state;
    const OTF2_ParameterRef number = otf2_define_parameter(&o->definitions, name, OTF2_PARAMETER_TYPE_INT64);
    return good(c) && note(c, OTF2_EvtWriter_ParameterInt(o->writer, NULL, o->last_ns, number, value));
}

static bool put_text(void *context, const char *name, const char *value)
{
    struct convert *c = context;
    struct otf2 *o = c->state;
    const OTF2_ParameterRef number = otf2_define_parameter(&o->definitions, name, OTF2_PARAMETER_TYPE_STRING);
    const OTF2_StringRef text = otf2_define_text(&o->definitions, value);
    return good(c) && note(c, OTF2_EvtWriter_ParameterString(o->writer, NULL, o->last_ns, number, text));
}

/* Returns the region of a call. Its text is looked up once for each place. */
static OTF2_RegionRef region_of(struct convert *c, const struct pilgrim_function *function,
                                const struct call_place *place)
{
    struct otf2 *o = c->state;
    if (place->number >= o->region_count) {
        const size_t count = 2 * (size_t)place->number + 64;
        OTF2_RegionRef *regions = realloc(o->regions, count * sizeof *regions);
        if (!regions) {
            o->definitions.short_of_memory = true;
            return OTF2_UNDEFINED_REGION;
        }
        for (size_t i = o->region_count; i < count; i++)
            regions[i] = OTF2_UNDEFINED_REGION;
        o->regions = regions;
        o->region_count = count;
    }
    if (o->regions[place->number] == OTF2_UNDEFINED_REGION && !c->told)
        o->regions[place->number] = otf2_define_region(&o->definitions, function, place);
    return o->regions[place->number];
}

/* Regions are defined before the calls, so that each process knows their numbers. */
static void otf2_place(struct convert *c, const struct pilgrim_class *class, const struct call_place *place)
{
    if (strcmp(class->function->name, CONVERT_MARKER) != 0)
        region_of(c, class->function, place);
}

static bool put_marker_at(struct convert *c, uint64_t location, uint64_t ns, const char *text)
{
    struct otf2 *o = c->state;
    if (!o->markers) {
        o->markers = OTF2_Archive_GetMarkerWriter(o->archive);
        if (!o->markers)
            return note(c, OTF2_ERROR_FILE_CAN_NOT_OPEN);
        note(c, OTF2_MarkerWriter_WriteDefMarker(o->markers, 0, "Pilgrim", "marker", OTF2_SEVERITY_NONE));
    }
    return note(c, OTF2_MarkerWriter_WriteMarker(o->markers, ns, 0, 0, OTF2_MARKER_SCOPE_LOCATION, location, text));
}

/* A marker, as one process tells it to another; its text follows. */
struct otf2_marker {
    uint64_t location, ns, length;
};

static bool put_marker(struct convert *c, const struct pilgrim_call *call, uint64_t ns)
{
    const struct otf2 *o = c->state;
    char name[CONVERT_MARKER_MAX];
    const char *text = convert_call_name(call, name);
    if (!c->told)
        return put_marker_at(c, o->location, ns, text);
    const struct otf2_marker marker = {o->location, ns, strlen(text) + 1};
    out_bytes(c->told, (const char *)&marker, sizeof marker);
    out_bytes(c->told, text, marker.length);
    return true;
}

static bool otf2_call(struct convert *c, const struct convert_call *call)
{
    struct otf2 *o = c->state;
    const struct convert_teller tell = {.number = put_number, .text = put_text, .context = c};
    /* in a thread, times do not go back */
    const uint64_t enter = call->call->start_ns > o->last_ns ? call->call->start_ns : o->last_ns,
                   leave = call->call->end_ns > enter ? call->call->end_ns : enter;
    o->last_ns = enter;
    o->first_ns = enter < o->first_ns ? enter : o->first_ns;
    o->most_ns = leave > o->most_ns ? leave : o->most_ns;
    if (convert_is_marker(call->call))
        return put_marker(c, call->call, enter);
    const OTF2_RegionRef region = region_of(c, call->call->function, call->place);
    if (c->told && region == OTF2_UNDEFINED_REGION) { /* other processes would not know it */
        snprintf(c->failure, sizeof c->failure, "%s is in no table of the trace", call->call->function->name);
        return false;
    }
    if (!good(c) || !note(c, OTF2_EvtWriter_Enter(o->writer, NULL, enter, region)))
        return false;
    if (c->arguments && !convert_tell(c, call, &tell))
        return false;
    for (size_t i = 0; i < call->record_count; i++)
        if (!note(c, put_begun(o, c->records, call, &call->records[i], enter)))
            return false;
    for (size_t i = 0; i < call->record_count; i++)
        if (!note(c, put_ended(o, c->records, call, &call->records[i], leave)))
            return false;
    o->last_ns = leave;
    return note(c, OTF2_EvtWriter_Leave(o->writer, NULL, leave, region));
}

/* ---- parts ---- */

/* What a process tells behind its markers: the rest of what only calls say. The numbers of events, and whether each
 * file was opened, follow. */
struct otf2_told {
    uint64_t first_ns, most_ns;
};

static bool otf2_begin_part(struct convert *c, uint32_t first)
{
    struct otf2 *o = c->state;
    (void)first;
    memset(o->events, 0, c->records->first[c->records->ranks] * sizeof *o->events);
    return true;
}

static bool otf2_end_part(struct convert *c, uint32_t end)
{
    struct otf2 *o = c->state;
    const bool good = close_thread(c);
    (void)end;
    if (c->told) {
        const struct otf2_marker no_more = {0};
        const struct otf2_told told = {o->first_ns, o->most_ns};
        out_bytes(c->told, (const char *)&no_more, sizeof no_more);
        out_bytes(c->told, (const char *)&told, sizeof told);
        out_bytes(c->told, (const char *)o->events, c->records->first[c->records->ranks] * sizeof *o->events);
        out_bytes(c->told, (const char *)o->opened, c->records->files.count * sizeof *o->opened);
    }
    return good;
}

static bool otf2_join(struct convert *c, const unsigned char *told, size_t length)
{
    struct otf2 *o = c->state;
    struct otf2_marker marker;
    struct otf2_told rest;
    bool good = true, opened;
    size_t at = 0;
    (void)length;
    for (;;) {
        memcpy(&marker, told + at, sizeof marker);
        at += sizeof marker;
        if (!marker.length)
            break;
        good = good && put_marker_at(c, marker.location, marker.ns, (const char *)told + at);
        at += marker.length;
    }
    memcpy(&rest, told + at, sizeof rest);
    at += sizeof rest;
    o->first_ns = rest.first_ns < o->first_ns ? rest.first_ns : o->first_ns;
    o->most_ns = rest.most_ns > o->most_ns ? rest.most_ns : o->most_ns;
    for (size_t i = 0; i < c->records->first[c->records->ranks]; i++, at += sizeof *o->events) {
        uint64_t events;
        memcpy(&events, told + at, sizeof events);
        o->events[i] += events;
    }
    for (size_t i = 0; i < c->records->files.count; i++, at += sizeof opened) {
        memcpy(&opened, told + at, sizeof opened);
        o->opened[i] |= opened;
    }
    return good;
}

/* Arguments are texts, which are defined as they come. */
static const struct convert_parts parts = {
    .begin = otf2_begin_part, .end = otf2_end_part, .join = otf2_join, .no_arguments = true};

/* ---- the end ---- */

/* Readers want a file of each location, also of those without events. */
static void put_empty_locations(struct convert *c)
{
    struct otf2 *o = c->state;
    for (size_t i = 0; i < c->records->first[c->records->ranks]; i++) {
        OTF2_EvtWriter *writer = o->events[i] ? NULL : OTF2_Archive_GetEvtWriter(o->archive, i);
        if (writer)
            note(c, OTF2_Archive_CloseEvtWriter(o->archive, writer));
        else if (!o->events[i])
            note(c, OTF2_ERROR_FILE_CAN_NOT_OPEN);
    }
}

/* Each location has a file of its own definitions, here an empty one. */
static void put_local_definitions(struct convert *c)
{
    struct otf2 *o = c->state;
    if (!note(c, OTF2_Archive_OpenDefFiles(o->archive)))
        return;
    for (size_t i = 0; i < c->records->first[c->records->ranks]; i++) {
        OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(o->archive, i);
        note(c, writer ? OTF2_Archive_CloseDefWriter(o->archive, writer) : OTF2_ERROR_FILE_CAN_NOT_OPEN);
    }
    note(c, OTF2_Archive_CloseDefFiles(o->archive));
}

static bool otf2_end(struct convert *c)
{
    struct otf2 *o = c->state;
    bool done = o && o->archive;
    if (done) {
        close_thread(c);
        if (o->evt_files) {
            put_empty_locations(c);
            note(c, OTF2_Archive_CloseEvtFiles(o->archive));
        }
        put_local_definitions(c);
        if (o->first_ns > o->most_ns)
            o->first_ns = o->most_ns;
        if (o->definitions.writer)
            otf2_define_all(&o->definitions, o->first_ns, o->most_ns);
        done = good(c);
        if (o->markers)
            note(c, OTF2_Archive_CloseMarkerWriter(o->archive, o->markers));
        note(c, OTF2_Archive_Close(o->archive));
        done = done && good(c);
    }
    if (o) {
        otf2_definitions_free(&o->definitions);
        free(o->events);
        free(o->regions);
        free(o->sizes);
        free(o->opened);
        free(o);
    }
    c->state = NULL;
    return done;
}

const struct convert_format convert_otf2 = {.name = "otf2",
                                            .suffix = ".otf2",
                                            .begin = otf2_begin,
                                            .thread = otf2_thread,
                                            .call = otf2_call,
                                            .end = otf2_end,
                                            .place = otf2_place,
                                            .parts = &parts,
                                            .what = CONVERT_RECORDS,
                                            .anchor = "traces.otf2",
                                            .folder = true};
#else
const struct convert_format convert_otf2 = {
    .name = "otf2",
    .suffix = ".otf2",
    .what = CONVERT_RECORDS,
    .anchor = "traces.otf2",
    .folder = true,
    .lacks = "this build has no OTF2: install libopen-trace-format2-dev (Debian), and run configure and make again"};
#endif
