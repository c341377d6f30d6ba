/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints messages; see messages_print.h.
 *
 * The file has more than 600 lines: messages, operations on windows and collective calls are printed as text, JSON and
 * CSV, and all of these share how a call, a place and a rank are printed. */
#include "messages_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/match.h"
#include "print.h"
#include "site_place.h"

struct messages_printing {
    struct output *o;
    const struct messages_options *options;
    struct match *match;
    struct source_lines *lines;
    struct kept_place *places; /* of call sites, by their numbers */
    size_t place_count;
    uint64_t left;
};

struct kept_place {
    char *text;               /* NULL: not yet looked up */
    struct site_place *where; /* JSON only */
};

/* ---- places ---- */

/* Returns "FILE:LINE" of a call site, else "MODULE+0xOFFSET". NULL: no memory */
static char *make_place(const struct messages_printing *p, uint32_t site)
{
    return source_lines_place(p->options->format != MESSAGES_JSON ? p->lines : NULL, match_site(p->match, site)->site);
}

static void place_free(struct kept_place *place)
{
    free(place->text);
    free(place->where);
}

static const char *place_of(struct messages_printing *p, uint32_t site)
{
    if (site >= p->place_count) {
        size_t count = 2 * (size_t)site + 16;
        struct kept_place *places = realloc(p->places, count * sizeof *places);
        if (!places)
            return NULL;
        memset(places + p->place_count, 0, (count - p->place_count) * sizeof *places);
        p->places = places;
        p->place_count = count;
    }
    if (!p->places[site].text) {
        p->places[site].text = make_place(p, site);
        if (p->options->format == MESSAGES_JSON && (p->places[site].where = malloc(sizeof(struct site_place))))
            find_place(p->places[site].where, match_site(p->match, site)->site, p->lines);
    }
    return p->options->format != MESSAGES_JSON || p->places[site].where ? p->places[site].text : NULL;
}

/* Prints ,"site":"MODULE+0xOFFSET", and function, file and line, if they are known. False: no memory */
static bool json_site(struct messages_printing *p, uint32_t site)
{
    const char *place = place_of(p, site);
    if (!place)
        return false;
    out_text(p->o, ",\"site\":");
    out_json_string(p->o, place, strlen(place));
    json_place_found(p->o, "", p->places[site].where);
    return true;
}

/* ---- pieces ---- */

static void out_comm(struct output *o, int64_t comm)
{
    if (comm >= 0)
        out_named(o, "comm:", comm);
    else
        out_text(o, comm == MATCH_WORLD ? "MPI_COMM_WORLD" : comm == MATCH_SELF ? "MPI_COMM_SELF" : "?");
}

/* Prints a field of CSV as RFC 4180 has it: in quotes if it has a comma, a quote or a line end. */
static void csv_text(struct output *o, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        out_text(o, text);
        return;
    }
    out_char(o, '"');
    for (; *text; text++) {
        if (*text == '"')
            out_char(o, '"');
        out_char(o, *text);
    }
    out_char(o, '"');
}

static const char *function_of(const struct messages_printing *p, const struct match_call *call)
{
    return match_site(p->match, call->site)->function->name;
}

static void text_us(struct output *o, uint64_t ns)
{
    char text[32];
    snprintf(text, sizeof text, "%llu.%03llu us", (unsigned long long)(ns / 1000), (unsigned long long)(ns % 1000));
    out_text(o, text);
}

/* ---- text ---- */

static bool text_call(struct messages_printing *p, const struct match_call *call)
{
    struct output *o = p->o;
    const char *place = place_of(p, call->site);
    out_named(o, "#", (int64_t)call->seq);
    out_char(o, ' ');
    out_name(o, function_of(p, call));
    out_text(o, " at ");
    out_name(o, place ? place : "?");
    return place != NULL;
}

/* Prints "0.0 #7 MPI_Isend at a.c:3 (12.345 us), done #9 MPI_Wait at a.c:5 (13.000 us)": when the first began and the
 * last ended. */
static bool text_side(struct messages_printing *p, const struct match_operation *op)
{
    struct output *o = p->o;
    out_pair(o, "", op->begun->rank, '.', op->begun->thread);
    out_char(o, ' ');
    if (!text_call(p, op->begun))
        return false;
    if (op->begun->timed) {
        out_text(o, " (");
        text_us(o, op->begun->enter_ns);
        out_char(o, ')');
    }
    if (!op->ended) {
        out_text(o, op->freed ? ", request freed" : ", not ended");
        return true;
    }
    if (op->ended != op->begun) {
        out_text(o, ", done ");
        if (!text_call(p, op->ended))
            return false;
    }
    if (op->ended->timed) {
        out_text(o, op->ended == op->begun ? ", done (" : " (");
        text_us(o, op->ended->leave_ns);
        out_char(o, ')');
    }
    return true;
}

static void text_bytes(struct output *o, uint64_t bytes)
{
    if (bytes == UINT64_MAX) {
        out_text(o, ", unknown size");
        return;
    }
    out_text(o, ", ");
    out_uint(o, bytes);
    out_text(o, bytes == 1 ? " byte" : " bytes");
}

static uint64_t bytes_of(const struct match_operation *send, const struct match_operation *receive)
{
    return send && send->bytes != UINT64_MAX ? send->bytes : receive ? receive->bytes : UINT64_MAX;
}

static bool text_message(struct messages_printing *p, const struct match_operation *send,
                         const struct match_operation *receive)
{
    struct output *o = p->o;
    const struct match_operation *one = send ? send : receive;
    if (send ? !text_side(p, send) : false)
        return false;
    if (!send)
        out_text(o, receive->any_source ? "any rank" : "");
    if (!send && !receive->any_source)
        out_named(o, "rank ", receive->peer);
    out_text(o, " -> ");
    if (receive ? !text_side(p, receive) : false)
        return false;
    if (!receive)
        out_named(o, "rank ", send->peer);
    out_text(o, ": ");
    out_comm(o, one->comm);
    if (one->any_tag)
        out_text(o, " any tag");
    else
        out_named(o, " tag ", one->tag);
    text_bytes(o, bytes_of(send, receive));
    if (send && receive && receive->failed)
        out_text(o, ", received with an error");
    if ((send && send->uncertain) || (receive && receive->uncertain))
        out_text(o, ", order of threads not certain");
    if (!send || !receive) {
        out_text(o, ": ");
        out_text(o, match_reason_text(one->reason));
    }
    out_char(o, '\n');
    return true;
}

/* ---- JSON ---- */

static void json_number(struct output *o, const char *key, bool known, uint64_t value)
{
    out_text(o, key);
    if (known)
        out_uint(o, value);
    else
        out_text(o, "null");
}

static bool json_side(struct messages_printing *p, const char *key, const struct match_operation *op)
{
    struct output *o = p->o;
    out_text(o, key);
    if (!op) {
        out_text(o, "null");
        return true;
    }
    const char *function = function_of(p, op->begun);
    out_named(o, "{\"rank\":", op->begun->rank);
    out_named(o, ",\"thread\":", op->begun->thread);
    json_number(o, ",\"seq\":", true, op->begun->seq);
    out_text(o, ",\"func\":");
    out_json_string(o, function, strlen(function));
    const bool good = json_site(p, op->begun->site);
    json_number(o, ",\"done\":", op->ended != NULL, op->ended ? op->ended->seq : 0);
    json_number(o, ",\"done_thread\":", op->ended != NULL, op->ended ? op->ended->thread : 0);
    json_number(o, ",\"start\":", op->begun->timed, op->begun->enter_ns);
    json_number(o, ",\"end\":", op->ended && op->ended->timed, op->ended ? op->ended->leave_ns : 0);
    out_text(o, op->failed ? ",\"failed\":true" : "");
    out_text(o, op->freed ? ",\"freed\":true" : "");
    out_char(o, '}');
    return good;
}

static void json_rank(struct output *o, const char *key, int64_t rank)
{
    json_number(o, key, rank >= 0, (uint64_t)rank);
}

static int64_t rank_of(const struct match_operation *op, const struct match_operation *other)
{
    return op ? op->begun->rank : other->any_source ? -1 : other->peer;
}

static bool json_message(struct messages_printing *p, const struct match_operation *send,
                         const struct match_operation *receive)
{
    struct output *o = p->o;
    const struct match_operation *one = send ? send : receive;
    json_rank(o, "{\"from\":", rank_of(send, receive));
    json_rank(o, ",\"to\":", rank_of(receive, send));
    out_text(o, ",\"comm\":\"");
    out_comm(o, one->comm);
    out_text(o, "\",\"tag\":");
    if (one->any_tag)
        out_text(o, "null");
    else
        out_int(o, one->tag);
    json_number(o, ",\"bytes\":", bytes_of(send, receive) != UINT64_MAX, bytes_of(send, receive));
    if (!json_side(p, ",\"send\":", send) || !json_side(p, ",\"receive\":", receive))
        return false;
    if (!send || !receive) {
        out_text(o, ",\"unmatched\":\"");
        out_text(o, match_reason_text(one->reason));
        out_char(o, '"');
    }
    if ((send && send->uncertain) || (receive && receive->uncertain))
        out_text(o, ",\"uncertain\":true");
    out_text(o, "}\n");
    return true;
}

/* ---- CSV ---- */

static bool csv_side(struct messages_printing *p, const struct match_operation *op)
{
    struct output *o = p->o;
    if (!op) {
        out_text(o, ",,,,,,,");
        return true;
    }
    const char *place = place_of(p, op->begun->site);
    out_named(o, ",", op->begun->thread);
    out_named(o, ",", (int64_t)op->begun->seq);
    out_char(o, ',');
    csv_text(o, function_of(p, op->begun));
    out_char(o, ',');
    csv_text(o, place ? place : "?");
    out_char(o, ',');
    if (op->ended)
        out_uint(o, op->ended->seq);
    out_char(o, ',');
    if (op->begun->timed)
        out_uint(o, op->begun->enter_ns);
    out_char(o, ',');
    if (op->ended && op->ended->timed)
        out_uint(o, op->ended->leave_ns);
    return place != NULL;
}

static bool csv_message(struct messages_printing *p, const struct match_operation *send,
                        const struct match_operation *receive)
{
    struct output *o = p->o;
    const struct match_operation *one = send ? send : receive;
    const int64_t from = rank_of(send, receive), to = rank_of(receive, send);
    if (from >= 0)
        out_int(o, from);
    out_char(o, ',');
    if (to >= 0)
        out_int(o, to);
    out_char(o, ',');
    out_comm(o, one->comm);
    out_char(o, ',');
    if (!one->any_tag)
        out_int(o, one->tag);
    out_char(o, ',');
    if (bytes_of(send, receive) != UINT64_MAX)
        out_uint(o, bytes_of(send, receive));
    if (!csv_side(p, send) || !csv_side(p, receive))
        return false;
    out_char(o, ',');
    if (!send || !receive)
        out_text(o, match_reason_text(one->reason));
    out_text(o, ",,,\n");
    return true;
}

/* ---- all of them ---- */

static bool print_message(void *context, const struct match_operation *send, const struct match_operation *receive)
{
    static bool (*const printers[])(struct messages_printing *, const struct match_operation *,
                                    const struct match_operation *) = {text_message, json_message, csv_message};
    struct messages_printing *p = context;
    const int64_t from = rank_of(send, receive), to = rank_of(receive, send);
    const bool shown = (from >= 0 && p->options->rank(p->options->context, (uint32_t)from)) ||
                       (to >= 0 && p->options->rank(p->options->context, (uint32_t)to));
    if (!p->left || !shown || p->o->error)
        return true;
    p->left--;
    return printers[p->options->format](p, send, receive);
}

/* ---- operations on windows ---- */

static bool text_called(struct messages_printing *p, const char *before, const struct match_call *call)
{
    out_text(p->o, before);
    if (call)
        return text_call(p, call);
    out_char(p->o, '?');
    return true;
}

/* Prints "0.0 #7 MPI_Put at a.c:3 (12.345 us), done #9 MPI_Win_complete at a.c:5 (13.000 us) -> rank 1: MPI_COMM_WORLD
 * win:0, start #6 MPI_Win_start at a.c:2, post 1.0 #5 MPI_Win_post at a.c:9, 32 bytes". */
static bool text_remote(struct messages_printing *p, const struct match_remote *op)
{
    struct output *o = p->o;
    const struct match_operation side = {.begun = op->begun, .ended = op->ended};
    if (!text_side(p, &side))
        return false;
    if (op->peer >= 0)
        out_named(o, " -> rank ", op->peer);
    else
        out_text(o, " -> unknown rank");
    out_text(o, ": ");
    out_comm(o, op->comm);
    out_named(o, " win:", op->window);
    out_text(o, ", ");
    out_text(o, match_epoch_text(op->epoch));
    if (!text_called(p, " epoch from ", op->opened))
        return false;
    if (op->exposed) {
        out_pair(o, ", exposed by ", op->exposed->rank, '.', op->exposed->thread);
        if (!text_called(p, " ", op->exposed))
            return false;
    }
    text_bytes(o, op->bytes);
    out_char(o, '\n');
    return true;
}

/* Prints ,"KEY":{"seq":5,"func":...}; RANK: with rank and thread. */
static bool json_call(struct messages_printing *p, const char *key, const struct match_call *call, bool rank)
{
    struct output *o = p->o;
    const char *function = call ? function_of(p, call) : NULL;
    out_text(o, key);
    if (!call) {
        out_text(o, "null");
        return true;
    }
    out_char(o, '{');
    if (rank) {
        out_named(o, "\"rank\":", call->rank);
        out_named(o, ",\"thread\":", call->thread);
        out_char(o, ',');
    }
    json_number(o, "\"seq\":", true, call->seq);
    out_text(o, ",\"func\":");
    out_json_string(o, function, strlen(function));
    const bool good = json_site(p, call->site);
    out_char(o, '}');
    return good;
}

static bool json_remote(struct messages_printing *p, const struct match_remote *op)
{
    struct output *o = p->o;
    const struct match_operation side = {.begun = op->begun, .ended = op->ended};
    json_rank(o, "{\"from\":", op->begun->rank);
    json_rank(o, ",\"to\":", op->peer);
    out_text(o, ",\"comm\":\"");
    out_comm(o, op->comm);
    out_named(o, "\",\"window\":\"win:", op->window);
    out_char(o, '"');
    json_number(o, ",\"bytes\":", op->bytes != UINT64_MAX, op->bytes);
    if (!json_side(p, ",\"operation\":", &side))
        return false;
    out_text(o, ",\"epoch\":\"");
    out_text(o, match_epoch_text(op->epoch));
    out_char(o, '"');
    if (!json_call(p, ",\"opened\":", op->opened, false) || !json_call(p, ",\"exposed\":", op->exposed, true))
        return false;
    out_text(o, "}\n");
    return true;
}

/* The operation stands where a send does, the target's MPI_Win_post where a receive does. */
static bool csv_remote(struct messages_printing *p, const struct match_remote *op)
{
    struct output *o = p->o;
    const struct match_operation side = {.begun = op->begun, .ended = op->ended}, post = {.begun = op->exposed};
    out_int(o, op->begun->rank);
    out_char(o, ',');
    if (op->peer >= 0)
        out_int(o, op->peer);
    out_char(o, ',');
    out_comm(o, op->comm);
    out_text(o, ",,");
    if (op->bytes != UINT64_MAX)
        out_uint(o, op->bytes);
    if (!csv_side(p, &side) || !csv_side(p, op->exposed ? &post : NULL))
        return false;
    out_named(o, ",,win:", op->window);
    out_char(o, ',');
    out_text(o, match_epoch_text(op->epoch));
    out_char(o, ',');
    if (op->opened)
        out_uint(o, op->opened->seq);
    out_char(o, '\n');
    return true;
}

static bool print_remote(void *context, const struct match_remote *op)
{
    static bool (*const printers[])(struct messages_printing *,
                                    const struct match_remote *) = {text_remote, json_remote, csv_remote};
    struct messages_printing *p = context;
    const bool shown = p->options->rank(p->options->context, op->begun->rank) ||
                       (op->peer >= 0 && p->options->rank(p->options->context, (uint32_t)op->peer));
    if (!p->left || !shown || p->o->error)
        return true;
    p->left--;
    return printers[p->options->format](p, op);
}

static void print_ranks_of(struct output *o, const struct match_collective *c, bool json)
{
    const char *separator = "";
    uint64_t shown = 0;
    for (const struct match_entry *e = c->entries; e && (json || shown < 16); e = e->next, shown++) {
        out_text(o, separator);
        out_uint(o, e->begun->rank);
        separator = json ? "," : ", ";
    }
    if (shown < c->entered)
        out_text(o, ", ...");
}

/* Prints which processes' calls failed while they took part, and how. */
static void print_failed(struct output *o, const struct match_collective *c, bool json)
{
    const char *separator = json ? ",\"failed\":{" : ": failed on ranks ";
    for (const struct match_entry *e = c->entries; e; e = e->next) {
        if (!e->error)
            continue;
        out_text(o, separator);
        separator = json ? "," : ", ";
        if (json)
            out_char(o, '"');
        out_uint(o, e->begun->rank);
        out_text(o, json ? "\":\"" : " (");
        out_text(o, e->error);
        out_char(o, json ? '"' : ')');
    }
    if (json && c->failed)
        out_char(o, '}');
}

/* Prints a collective operation that failed somewhere, that not all processes came to, or to which they came with
 * different functions. */
static bool print_collective(void *context, const struct match_collective *c)
{
    struct messages_printing *p = context;
    struct output *o = p->o;
    const bool json = p->options->format == MESSAGES_JSON, missing = c->entered < c->expected;
    if ((!missing && !c->differs && !c->failed) || p->options->format == MESSAGES_CSV || !p->left || o->error)
        return true;
    const struct match_call *call = c->entries->begun;
    const char *place = place_of(p, call->site);
    p->left--;
    if (json) {
        out_text(o, "{\"collective\":");
        out_json_string(o, function_of(p, call), strlen(function_of(p, call)));
        out_text(o, ",\"comm\":\"");
    } else {
        out_name(o, function_of(p, call));
        out_text(o, " at ");
        out_name(o, place ? place : "?");
        out_text(o, " on ");
    }
    out_comm(o, c->entries->comm);
    if (json) {
        out_char(o, '"');
        const bool good = json_site(p, call->site);
        json_number(o, ",\"number\":", true, c->number);
        json_number(o, ",\"entered\":", true, c->entered);
        json_number(o, ",\"expected\":", true, c->expected);
        out_text(o, ",\"ranks\":[");
        print_ranks_of(o, c, true);
        out_char(o, ']');
        print_failed(o, c, true);
        out_text(o, c->differs ? ",\"differs\":true}\n" : "}\n");
        return good;
    }
    out_named(o, " #", (int64_t)c->number);
    if (missing) {
        out_named(o, ": came ", (int64_t)c->entered);
        out_named(o, " of ", (int64_t)c->expected);
        out_text(o, " processes: ranks ");
        print_ranks_of(o, c, false);
    }
    print_failed(o, c, false);
    out_text(o, c->differs ? ": different functions or roots\n" : "\n");
    return place != NULL;
}

/* Says what all was, for people. */
static void print_totals(struct output *o, const struct match_totals *t)
{
    uint64_t unmatched = 0;
    for (unsigned i = 0; i < MATCH_REASONS; i++)
        unmatched += t->unmatched[i];
    out_uint(o, t->messages);
    out_text(o, t->messages == 1 ? " message" : " messages");
    if (unmatched) {
        out_named(o, ", ", (int64_t)unmatched);
        out_text(o, " sends and receives without a partner");
    }
    out_named(o, ", ", (int64_t)t->collectives);
    out_text(o, t->collectives == 1 ? " collective operation" : " collective operations");
    if (t->collectives_missing) {
        out_named(o, ", ", (int64_t)t->collectives_missing);
        out_text(o, " of these incomplete");
    }
    if (t->remotes) {
        out_named(o, ", ", (int64_t)t->remotes);
        out_text(o, t->remotes == 1 ? " operation on a window" : " operations on windows");
    }
    if (t->uncertain) {
        out_named(o, ", ", (int64_t)t->uncertain);
        out_text(o, " messages in an order of threads that is not certain");
    }
    if (t->paused)
        out_text(o, "; recording was paused meanwhile, so later messages of the same channels may be paired wrongly");
    out_char(o, '\n');
}

static enum pilgrim_status check_axis(const struct pilgrim_trace *trace, struct pilgrim_error *error)
{
    struct pilgrim_clock clock;
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace); rank++) {
        enum pilgrim_status status = pilgrim_clock_of(trace, rank, &clock, error);
        if (status != PILGRIM_OK)
            return status;
        if (clock.point_count)
            continue;
        *error = (struct pilgrim_error){.status = PILGRIM_INVALID};
        snprintf(error->message, sizeof error->message,
                 "it has no clock measurement for rank %u (PILGRIM_TIMING=bins and exact store one); print without "
                 "--clock=common",
                 rank);
        return PILGRIM_INVALID;
    }
    return PILGRIM_OK;
}

enum pilgrim_status messages_print(struct output *o, const struct pilgrim_trace *trace,
                                   const struct messages_options *options, struct source_lines *lines,
                                   struct pilgrim_error *error)
{
    struct messages_printing p = {.o = o, .options = options, .lines = lines, .left = options->limit};
    const struct match_events events = {
        .context = &p, .message = print_message, .remote = print_remote, .collective = print_collective, .call = NULL};
    struct match_totals totals;
    enum pilgrim_status status = options->common ? check_axis(trace, error) : PILGRIM_OK;
    if (status != PILGRIM_OK)
        return status;
    p.match = match_new(trace);
    if (!p.match)
        return no_memory(error);
    if (options->format == MESSAGES_CSV)
        out_text(o, "from,to,comm,tag,bytes,send_thread,send_call,send_function,send_at,send_done,send_start_ns,"
                    "send_end_ns,receive_thread,receive_call,receive_function,receive_at,receive_done,"
                    "receive_start_ns,receive_end_ns,unmatched,window,epoch,epoch_call\n");
    status = match_trace(p.match, &events, options->common, &totals, error);
    if (options->format == MESSAGES_TEXT && status != PILGRIM_NOMEM)
        print_totals(o, &totals);
    for (size_t i = 0; i < p.place_count; i++)
        place_free(&p.places[i]);
    free(p.places);
    match_free(p.match);
    return status;
}
