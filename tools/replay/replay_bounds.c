/* SPDX-License-Identifier: BSD-3-Clause */
/* The bounds of calls; see replay_bounds.h.
 *
 * The parameters say what they are by the names that the MPI standard gives them: behind a buffer, or behind several
 * that have them in common, stand its count or counts, its displacements, and its datatype or datatypes.
 *
 * A datatype with addresses of the program's memory is absolute: each of its parts is checked when it is made, and it
 * is used with MPI_BOTTOM, once. All others are used with buffers. */
#include "replay_bounds.h"

#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "replay_thread.h"

typedef __int128 wide;

#define REACH_MAX (INT64_C(1) << 62) /* of a datatype, so that what MPI reckons with it does not overflow */

static const char OUTSIDE[] = "reaches memory outside of its buffer";
static const char SHORT_ARRAY[] = "has an array that is shorter than what MPI reads of it";

/* The bytes from LOW to below HIGH, from some address on. */
struct reached {
    wide low, high;
};

struct extents {
    wide lower, extent;
    struct reached bytes; /* of one element */
};

/* What a rank has of a window, for all. */
struct window_part {
    int64_t bytes, unit;
};

struct window_parts {
    int count;
    struct window_part parts[];
};

/* ---- what MPI keeps with windows and datatypes ---- */

static int window_key = MPI_KEYVAL_INVALID, absolute_key = MPI_KEYVAL_INVALID;

static int forget_window(MPI_Win win, int key, void *window, void *state)
{
    (void)win, (void)key, (void)state;
    free(window);
    return MPI_SUCCESS;
}

static void make_keys(void)
{
    if (PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget_window, &window_key, NULL) != MPI_SUCCESS ||
        PMPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &absolute_key, NULL) != MPI_SUCCESS)
        replay_fail("MPI makes no keys for attributes");
}

static void need_keys(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_keys);
}

/* ---- values ---- */

static int parameter(const struct replay_step *s, const char *name)
{
    return step_find(s->call->function, name);
}

static const char *name_of(const struct replay_step *s, size_t i)
{
    return s->call->function->parameters[i].name;
}

static bool is_named(const struct pilgrim_value *v, const char *name)
{
    return v->type == PILGRIM_NAME && strcmp(v->text, name) == 0;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), most = strlen(end);
    return length >= most && strcmp(text + length - most, end) == 0;
}

static bool is_memory(const struct pilgrim_value *v)
{
    return v->type == PILGRIM_HEAP || v->type == PILGRIM_STACK || v->type == PILGRIM_STATIC ||
           v->type == PILGRIM_DEVICE;
}

/* Returns element J of what may be an array. */
static const struct pilgrim_value *element(const struct pilgrim_value *v, size_t j)
{
    return v->type == PILGRIM_ARRAY ? &v->items[j] : v;
}

static size_t element_count(const struct pilgrim_value *v)
{
    return v->type == PILGRIM_ARRAY ? v->count : v->type == PILGRIM_NONE ? 0 : 1;
}

/* Returns the datatype that V names; MPI_DATATYPE_NULL: none. */
static MPI_Datatype datatype_of(struct replay_step *s, const struct pilgrim_value *v)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const uint64_t bits = v->type == PILGRIM_OBJECT ? step_object(s, v)
                          : v->type == PILGRIM_NAME ? (uint64_t)step_number(s, v)
                                                    : 0;
    if (v->type == PILGRIM_OBJECT && !bits)
        s->problem = "an object or request was never made here";
    if (bits && (v->type == PILGRIM_NAME || strcmp(v->text, "datatype") == 0))
        memcpy(&type, &bits, sizeof type);
    return type;
}

static MPI_Comm comm_of(struct replay_step *s)
{
    static const char *const names[] = {"comm", "comm_old"};
    MPI_Comm comm = MPI_COMM_NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int at = parameter(s, names[i]);
        if (at >= 0)
            memcpy(&comm, step_handle(s, (size_t)at, 0), sizeof comm);
    }
    return comm;
}

/* Fills in the extents of a datatype. Returns false if there is none, or they are beyond what MPI can say. */
static bool extents_of(MPI_Datatype type, struct extents *e)
{
    MPI_Count lower, extent, true_lower, true_extent;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_get_extent_x(type, &lower, &extent) != MPI_SUCCESS ||
        PMPI_Type_get_true_extent_x(type, &true_lower, &true_extent) != MPI_SUCCESS || true_extent < 0)
        return false;
    *e = (struct extents){lower, extent, {true_lower, (wide)true_lower + true_extent}};
    return true;
}

/* Returns what COUNT elements cover. */
static struct reached span_of(const struct extents *e, wide count)
{
    if (count <= 0 || e->bytes.low == e->bytes.high)
        return (struct reached){0, 0};
    const wide last = (count - 1) * e->extent;
    return (struct reached){e->bytes.low + (last < 0 ? last : 0), e->bytes.high + (last > 0 ? last : 0)};
}

static struct reached both(struct reached a, struct reached b)
{
    if (a.low == a.high || b.low == b.high)
        return a.low == a.high ? b : a;
    return (struct reached){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static bool is_absolute(MPI_Datatype type)
{
    void *value;
    int found = 0;
    need_keys();
    return PMPI_Type_get_attr(type, absolute_key, &value, &found) == MPI_SUCCESS && found;
}

/* Returns true if the SPAN behind the address that V names is in the memory that stands for the program's. */
static bool holds(struct replay_step *s, const struct pilgrim_value *v, struct reached span)
{
    char *low, *high;
    if (span.low == span.high)
        return true;
    if (!step_memory(s, v, &low, &high))
        return false;
    const wide at = (wide)(intptr_t)step_number(s, v);
    return !s->problem && at + span.low >= (intptr_t)low && at + span.high <= (intptr_t)high;
}

/* ---- buffers ---- */

/* What is behind a buffer in the parameters. -1: not there. */
struct described {
    int count, displacements, type, times;
};

static bool is_buffer(const char *name)
{
    static const char *const buffers[] = {"buf",      "buffer",      "sendbuf",     "recvbuf", "inbuf",       "outbuf",
                                          "inoutbuf", "origin_addr", "result_addr", "base",    "compare_addr"};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (strcmp(name, buffers[i]) == 0)
            return true;
    return false;
}

static struct described describe(const struct replay_step *s, size_t at)
{
    const size_t count = s->call->function->parameter_count;
    struct described d = {-1, -1, -1, -1};
    size_t i = at + 1;
    while (i < count && is_buffer(name_of(s, i)))
        i++;
    for (; i < count && !is_buffer(name_of(s, i)) && strncmp(name_of(s, i), "target", 6); i++) {
        const char *name = name_of(s, i);
        if (strcmp(name, "partitions") == 0)
            d.times = (int)i;
        else if (d.count < 0 && (strstr(name, "count") || ends_with(name, "size")))
            d.count = (int)i;
        else if (d.displacements < 0 && strstr(name, "displs"))
            d.displacements = (int)i;
        else if (d.type < 0 && strstr(name, "type"))
            d.type = (int)i;
    }
    return d;
}

/* The name of a function without MPI_, the I of those that return at once, and what is behind the operation. */
static bool is_function(const struct replay_step *s, const char *operation)
{
    const char *name = s->call->function->name + 4;
    const size_t length = strlen(operation);
    if (*name == 'I' && name[1] == operation[0] + ('a' - 'A')) {
        if (strncmp(name + 2, operation + 1, length - 1))
            return false;
        name += 1 + length;
    } else if (strncmp(name, operation, length) == 0)
        name += length;
    else
        return false;
    return !*name || strcmp(name, "_c") == 0 || strncmp(name, "_init", 5) == 0;
}

enum peers { OTHERS, OWN_GROUP, NEIGHBOURS };

/* Returns with what processes the call's parts are exchanged. */
static enum peers peers_kind(const struct replay_step *s)
{
    const char *name = s->call->function->name;
    return strstr(name, "eighbor_") ? NEIGHBOURS : strstr(name, "educe_scatter") ? OWN_GROUP : OTHERS;
}

/* Returns how many processes a communicator sends to or receives from. */
static wide peers(MPI_Comm comm, bool sends, enum peers of)
{
    int inter = 0, count = 0, in = 0, out = 0, weighted, topology = MPI_UNDEFINED;
    if (comm == MPI_COMM_NULL)
        return 0;
    if (of != NEIGHBOURS) {
        PMPI_Comm_test_inter(comm, &inter);
        if (inter && of == OTHERS)
            PMPI_Comm_remote_size(comm, &count);
        else
            PMPI_Comm_size(comm, &count);
        return count;
    }
    PMPI_Topo_test(comm, &topology);
    if (topology == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    else if (topology == MPI_GRAPH) {
        int rank;
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &in);
        out = in;
    } else if (topology == MPI_CART) {
        PMPI_Cartdim_get(comm, &in);
        out = in *= 2;
    }
    return sends ? out : in;
}

/* Returns true if the buffer is of the root alone, which this process is not. */
static bool is_of_root(struct replay_step *s, size_t at)
{
    const int root_at = parameter(s, "root");
    const char *name = name_of(s, at);
    const bool scatters = strstr(s->call->function->name, "catter") != NULL;
    int rank = -1, inter = 0;
    if (root_at < 0 || strcmp(name, scatters ? "sendbuf" : "recvbuf"))
        return false;
    const int64_t root = step_integer(s, (size_t)root_at);
    const MPI_Comm comm = comm_of(s);
    if (comm == MPI_COMM_NULL || root == MPI_PROC_NULL)
        return true;
    if (root == MPI_ROOT)
        return false;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_rank(comm, &rank);
    return inter || root != rank;
}

/* Returns how often the count of the buffer is there. */
static wide times_of(struct replay_step *s, size_t at, const struct described *d)
{
    static const struct {
        const char *operation, *buffer; /* NULL: both */
    } all[] = {{"Gather", "recvbuf"},
               {"Scatter", "sendbuf"},
               {"Allgather", "recvbuf"},
               {"Alltoall", NULL},
               {"Neighbor_allgather", "recvbuf"},
               {"Neighbor_alltoall", NULL},
               {"Reduce_scatter_block", "sendbuf"}};
    const char *name = name_of(s, at);
    if (d->times >= 0)
        return step_integer(s, (size_t)d->times);
    if (is_function(s, "Reduce_scatter_block") && is_named(&s->call->in[0], "MPI_IN_PLACE"))
        name = "sendbuf";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (is_function(s, all[i].operation) && (!all[i].buffer || strcmp(all[i].buffer, name) == 0))
            return peers(comm_of(s), name[0] == 's', peers_kind(s));
    return 1;
}

/* Reckons what MPI_Reduce_scatter has in its buffers: all parts, or this process's. */
static wide reduced(struct replay_step *s, size_t at, const struct pilgrim_value *counts)
{
    int rank = 0;
    wide sum = 0;
    const MPI_Comm comm = comm_of(s);
    if (comm != MPI_COMM_NULL)
        PMPI_Comm_rank(comm, &rank);
    for (size_t i = 0; i < counts->count; i++) {
        const int64_t count = step_number(s, &counts->items[i]);
        sum += count > 0 ? count : 0;
    }
    const bool in_place = is_named(&s->call->in[0], "MPI_IN_PLACE");
    if (strcmp(name_of(s, at), "recvbuf") || in_place || (size_t)rank >= counts->count)
        return sum;
    return step_number(s, &counts->items[rank]);
}

/* Reckons what the call reaches from a buffer on. Returns false if that cannot be. ABSOLUTE: by absolute datatypes. */
static bool reach(struct replay_step *s, size_t at, struct reached *span, bool *absolute)
{
    const struct described d = describe(s, at);
    struct extents e = {0, 1, {0, 1}};
    *span = (struct reached){0, 0};
    if (d.count < 0 && d.type < 0) /* MPI_Free_mem and its like */
        return true;
    const struct pilgrim_value one = {.type = PILGRIM_INT, .integer = 1};
    const struct pilgrim_value *counts = d.count < 0 ? &one : &s->call->in[d.count];
    const struct pilgrim_value *types = d.type < 0 ? NULL : &s->call->in[d.type];
    const struct pilgrim_value *places = d.displacements < 0 ? NULL : &s->call->in[d.displacements];
    const struct pilgrim_value *bytes = types && types->type == PILGRIM_ARRAY ? &one : NULL; /* a displacement counts */
    if (counts->type == PILGRIM_ARRAY && !places && is_function(s, "Reduce_scatter")) {
        if (!extents_of(datatype_of(s, types), &e))
            return false;
        *span = span_of(&e, reduced(s, at, counts));
        return true;
    }
    const wide times = counts->type == PILGRIM_ARRAY ? 1 : times_of(s, at, &d);
    for (size_t i = 0; i < element_count(counts); i++) {
        const wide count = step_number(s, element(counts, i)) * times;
        if (count <= 0)
            continue;
        if ((types && types->type == PILGRIM_ARRAY && i >= types->count) ||
            (places && places->type == PILGRIM_ARRAY && i >= places->count))
            return false;
        const MPI_Datatype type = types ? datatype_of(s, element(types, i)) : MPI_BYTE;
        if (!extents_of(type, &e))
            return false;
        struct reached part = span_of(&e, count);
        const wide place = places ? step_number(s, element(places, i)) * (bytes ? 1 : e.extent) : 0;
        if (is_absolute(type)) {
            *absolute = true;
            if (count != 1 || place)
                return false;
        }
        part.low += part.low == part.high ? 0 : place;
        part.high += part.low == part.high ? 0 : place;
        *span = both(*span, part);
    }
    return true;
}

/* Returns true if what is in the buffer goes to no process and comes from none. */
static bool goes_nowhere(const struct replay_step *s, const char *buffer)
{
    static const char *const peers_of[] = {"dest", "source", "target_rank"};
    const size_t from = strncmp(buffer, "recv", 4) == 0, to = strncmp(buffer, "send", 4) == 0 ? 1 : 3;
    size_t found = 0;
    for (size_t i = from; i < to; i++) {
        const int at = parameter(s, peers_of[i]);
        if (at >= 0 && !is_named(&s->call->in[at], "MPI_PROC_NULL"))
            return false;
        found += at >= 0;
    }
    return found;
}

static const char *check_buffer(struct replay_step *s, size_t at)
{
    const struct pilgrim_value *v = &s->call->in[at];
    struct reached span;
    bool absolute = false;
    if (is_named(v, "MPI_IN_PLACE") || is_named(v, "MPI_BUFFER_AUTOMATIC"))
        return NULL;
    if (goes_nowhere(s, name_of(s, at)) || is_of_root(s, at))
        return NULL;
    if (v->type == PILGRIM_NAME && strcmp(v->text, "MPI_BOTTOM") && strcmp(v->text, "NULL"))
        return "has a buffer that is none";
    if (!reach(s, at, &span, &absolute))
        return OUTSIDE;
    if (is_memory(v))
        return holds(s, v, span) ? NULL : OUTSIDE;
    return span.low == span.high || absolute ? NULL : OUTSIDE;
}

/* ---- windows ---- */

static struct window_parts *window_of(struct replay_step *s)
{
    MPI_Win win;
    void *window;
    int found = 0;
    need_keys();
    memcpy(&win, step_handle(s, (size_t)parameter(s, "win"), 0), sizeof win);
    return win != MPI_WIN_NULL && PMPI_Win_get_attr(win, window_key, &window, &found) == MPI_SUCCESS && found ? window
                                                                                                              : NULL;
}

/* Looks at what a call reaches of another process's window. */
static const char *check_target(struct replay_step *s)
{
    static const char other[] = "reaches memory outside of the other process's window";
    const int rank_at = parameter(s, "target_rank"), place_at = parameter(s, "target_disp");
    if (place_at < 0 || rank_at < 0 || is_named(&s->call->in[rank_at], "MPI_PROC_NULL"))
        return NULL;
    const int count_at = parameter(s, "target_count"), type_at = parameter(s, "target_datatype");
    const int any_type_at = type_at < 0 ? parameter(s, "datatype") : type_at;
    const struct window_parts *window = window_of(s);
    const int64_t rank = step_integer(s, (size_t)rank_at);
    struct extents e;
    if (!window || rank < 0 || rank >= window->count || any_type_at < 0)
        return other;
    const MPI_Datatype type = datatype_of(s, &s->call->in[any_type_at]);
    if (!extents_of(type, &e) || is_absolute(type))
        return other;
    const struct window_part *part = &window->parts[rank];
    const struct reached span = span_of(&e, count_at < 0 ? 1 : step_integer(s, (size_t)count_at));
    const wide from = (wide)step_integer(s, (size_t)place_at) * part->unit;
    return span.low == span.high || (from + span.low >= 0 && from + span.high <= part->bytes) ? NULL : other;
}

/* Tells all processes of a window what each has of it. */
static void learn_window(struct replay_step *s, size_t win_at)
{
    const int size_at = parameter(s, "size"), unit_at = parameter(s, "disp_unit");
    MPI_Win win;
    MPI_Group group;
    int count;
    const uint64_t handle = step_object(s, &s->call->out[win_at]);
    memcpy(&win, &handle, sizeof win);
    if (size_at < 0 || unit_at < 0 || PMPI_Win_get_group(win, &group) != MPI_SUCCESS)
        return;
    PMPI_Group_size(group, &count);
    PMPI_Group_free(&group);
    struct window_parts *window = malloc(sizeof *window + (size_t)count * sizeof *window->parts);
    if (!window)
        replay_fail("rank %d: no memory", s->thread->replay->rank);
    window->count = count;
    const struct window_part own = {step_integer(s, (size_t)size_at), step_integer(s, (size_t)unit_at)};
    need_keys();
    if (PMPI_Allgather(&own, 2, MPI_INT64_T, window->parts, 2, MPI_INT64_T, comm_of(s)) != MPI_SUCCESS ||
        PMPI_Win_set_attr(win, window_key, window) != MPI_SUCCESS)
        free(window);
}

/* ---- datatypes ---- */

static wide largest(struct replay_step *s, const char *name)
{
    const int at = parameter(s, name);
    wide most = 0;
    for (size_t i = 0; at >= 0 && i < element_count(&s->call->in[at]); i++) {
        const struct pilgrim_value *v = element(&s->call->in[at], i);
        const wide number = is_memory(v) ? 0 : step_number(s, v);
        most = number > most ? number : -number > most ? -number : most;
    }
    return most;
}

static wide magnitude(wide n)
{
    return n < 0 ? -n : n;
}

/* Returns how far an element of a datatype that is made of others reaches, at most; -1: one is none. */
static wide reach_of(struct replay_step *s, const struct pilgrim_value *types)
{
    wide most = 1;
    for (size_t i = 0; i < element_count(types); i++) {
        struct extents e;
        MPI_Count size;
        const MPI_Datatype type = datatype_of(s, element(types, i));
        if (!extents_of(type, &e) || PMPI_Type_size_x(type, &size) != MPI_SUCCESS)
            return -1;
        if (is_absolute(type)) /* its addresses are not of bytes in an element */
            continue;
        const wide all[] = {magnitude(e.lower),     magnitude(e.extent),     magnitude(e.lower + e.extent),
                            magnitude(e.bytes.low), magnitude(e.bytes.high), size};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            most = all[k] > most ? all[k] : most;
    }
    return most;
}

/* Returns false if what MPI reckons of a new datatype could overflow. */
static bool fits(struct replay_step *s, const struct pilgrim_value *types)
{
    const wide each = reach_of(s, types);
    const bool in_bytes = strstr(s->call->function->name, "_h") || strstr(s->call->function->name, "struct");
    const wide unit = in_bytes ? 1 : each;
    if (each < 0)
        return false;
    const wide parts[][3] = {
        {largest(s, "count"), each, largest(s, "blocklength") + largest(s, "array_of_blocklengths")},
        {largest(s, "count"), unit, largest(s, "stride")},
        {1, unit, largest(s, "array_of_displacements")},
        {1, 1, largest(s, "lb") + largest(s, "extent")},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const wide factor = parts[i][0] > 1 ? parts[i][0] : 1, more = parts[i][2] > 1 ? parts[i][2] : 1;
        if (factor > REACH_MAX / parts[i][1] || factor * parts[i][1] > REACH_MAX / more)
            return false;
    }
    static const char *const sizes[] = {"array_of_sizes", "array_of_gsizes"};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const int at = parameter(s, sizes[k]);
        wide all = each;
        for (size_t i = 0; at >= 0 && i < element_count(&s->call->in[at]); i++) {
            const wide size = step_number(s, element(&s->call->in[at], i));
            if (size > 0 && all > REACH_MAX / size)
                return false;
            all *= size > 0 ? size : 1;
        }
    }
    return true;
}

/* Looks at the parts of a new datatype that have addresses. ABSOLUTE: there are some. */
static bool parts_hold(struct replay_step *s, const struct pilgrim_value *types, bool *absolute)
{
    const int places_at = parameter(s, "array_of_displacements"), lengths_at = parameter(s, "array_of_blocklengths");
    const int one_at = parameter(s, "blocklength"), count_at = parameter(s, "count");
    const struct pilgrim_value *places = places_at < 0 ? NULL : &s->call->in[places_at];
    const struct pilgrim_value *lengths = lengths_at >= 0 ? &s->call->in[lengths_at]
                                          : one_at >= 0   ? &s->call->in[one_at]
                                                          : NULL;
    bool relative = false;
    for (size_t i = 0; places && i < element_count(places); i++) {
        const struct pilgrim_value *v = element(places, i);
        const MPI_Datatype type = datatype_of(s, types->type == PILGRIM_ARRAY ? &types->items[i] : types);
        const wide length = lengths ? step_number(s, element(lengths, i)) : 1;
        struct extents e;
        if (!extents_of(type, &e))
            return false;
        if (length <= 0 || e.bytes.low == e.bytes.high)
            continue;
        if (is_absolute(type)) { /* in its place, and once */
            *absolute = true;
            if (is_memory(v) || step_number(s, v) || length != 1)
                return false;
        } else if (is_memory(v)) {
            *absolute = true;
            if (!holds(s, v, span_of(&e, length)))
                return false;
        } else
            relative = true;
    }
    if (!places && types->type != PILGRIM_ARRAY && is_absolute(datatype_of(s, types))) {
        *absolute = true;
        return strstr(s->call->function->name, "_dup") || strstr(s->call->function->name, "_resized") ||
               (strstr(s->call->function->name, "_contiguous") && step_integer(s, (size_t)count_at) == 1);
    }
    return !(*absolute && relative);
}

/* Returns the parameter that has what a new datatype is made of; -1: the call makes none of others. */
static int made_of(const struct replay_step *s)
{
    static const char *const names[] = {"oldtype", "array_of_types"};
    int at = parameter(s, "newtype") < 0 ? -1 : parameter(s, names[0]);
    return parameter(s, "newtype") >= 0 && at < 0 ? parameter(s, names[1]) : at;
}

static const char *check_datatype(struct replay_step *s)
{
    const int at = made_of(s);
    bool absolute = false;
    if (at < 0)
        return NULL;
    if (!fits(s, &s->call->in[at]) || !parts_hold(s, &s->call->in[at], &absolute))
        return "makes a datatype that reaches beyond memory";
    return NULL;
}

static void learn_datatype(struct replay_step *s)
{
    const int at = made_of(s), new_at = parameter(s, "newtype");
    bool absolute = false;
    MPI_Datatype type;
    if (at < 0 || !parts_hold(s, &s->call->in[at], &absolute) || !absolute)
        return;
    need_keys();
    const uint64_t handle = step_object(s, &s->call->out[new_at]);
    memcpy(&type, &handle, sizeof type);
    PMPI_Type_set_attr(type, absolute_key, NULL);
}

/* ---- arrays ---- */

static size_t numbers_in(const struct pilgrim_value *v)
{
    size_t sum = 0;
    if (v->type != PILGRIM_ARRAY)
        return v->type == PILGRIM_NONE ? 0 : 1;
    for (size_t i = 0; i < v->count; i++)
        sum += numbers_in(&v->items[i]);
    return sum;
}

/* Returns how many elements MPI reads of an array; 0: that is not known, or it is none. */
static wide length_of(struct replay_step *s, const char *name)
{
    static const char *const counts[] = {"ndims", "count", "incount", "n", "nnodes", "length"};
    static const struct {
        const char *array, *count;
    } others[] = {{"sources", "indegree"},
                  {"sourceweights", "indegree"},
                  {"destinations", "outdegree"},
                  {"destweights", "outdegree"}};
    const bool adjacent = parameter(s, "indegree") >= 0;
    int dims = 0;
    for (size_t i = 0; adjacent && i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i].array) == 0)
            return step_integer(s, (size_t)parameter(s, others[i].count));
    if (strcmp(name, "edges") == 0)
        return largest(s, "index");
    if (strcmp(name, "destinations") == 0 || strcmp(name, "weights") == 0) {
        const struct pilgrim_value *degrees = &s->call->in[parameter(s, "degrees")];
        wide sum = 0;
        for (size_t i = 0; i < element_count(degrees); i++)
            sum += step_number(s, element(degrees, i));
        return sum;
    }
    if (strcmp(name, "coords") == 0 || strcmp(name, "remain_dims") == 0)
        return PMPI_Cartdim_get(comm_of(s), &dims) == MPI_SUCCESS ? dims : 0;
    if (strstr(name, "displs") || ends_with(name, "counts") || ends_with(name, "types"))
        if (strncmp(name, "array", 5))
            return peers(comm_of(s), name[0] == 's', peers_kind(s));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (parameter(s, counts[i]) >= 0)
            return step_integer(s, (size_t)parameter(s, counts[i])) * (strcmp(name, "ranges") ? 1 : 3);
    return 0;
}

static bool is_array(const char *name)
{
    static const char *const arrays[] = {"sources",   "sourceweights", "destinations", "destweights", "weights",
                                         "degrees",   "index",         "edges",        "dims",        "periods",
                                         "coords",    "remain_dims",   "ranks",        "ranks1",      "ranges",
                                         "sendtypes", "recvtypes"};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (strcmp(name, arrays[i]) == 0)
            return true;
    return strncmp(name, "array_of_", 9) == 0 || strstr(name, "displs") || ends_with(name, "counts");
}

/* Returns true if MPI does not read the array: the data are in place, or it is the root's. */
static bool is_ignored(struct replay_step *s, size_t at)
{
    const char *name = name_of(s, at);
    const int from = parameter(s, "sendbuf"), to = parameter(s, "recvbuf");
    if (from >= 0 && (strncmp(name, "send", 4) == 0 || strcmp(name, "sdispls") == 0) &&
        is_named(&s->call->in[from], "MPI_IN_PLACE"))
        return true;
    return from >= 0 && to >= 0 && parameter(s, "root") >= 0 && is_of_root(s, (size_t)(at > (size_t)to ? to : from));
}

static const char *check_array(struct replay_step *s, size_t at)
{
    const char *name = name_of(s, at);
    const struct pilgrim_value *v = &s->call->in[at];
    if (!is_array(name) || (v->type == PILGRIM_NAME && strstr(v->text, "WEIGHT")) || is_ignored(s, at))
        return NULL;
    return length_of(s, name) > (wide)(v->type == PILGRIM_NAME ? 0 : numbers_in(v)) ? SHORT_ARRAY : NULL;
}

/* Looks at where in a buffer MPI_Pack and MPI_Unpack go on. */
static const char *check_position(struct replay_step *s)
{
    const int at = parameter(s, "position"), out = parameter(s, "outsize");
    const int size_at = out < 0 ? parameter(s, "insize") : out;
    if (at < 0 || size_at < 0)
        return NULL;
    const int64_t position = step_number(s, element(&s->call->in[at], 0));
    return position < 0 || position > step_integer(s, (size_t)size_at) ? OUTSIDE : NULL;
}

/* Looks at a file view: its bytes rise from the file's first one on. */
static const char *check_view(struct replay_step *s)
{
    static const char *const names[] = {"etype", "filetype"};
    struct extents e;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int at = parameter(s, names[i]);
        const MPI_Datatype type = at < 0 ? MPI_BYTE : datatype_of(s, &s->call->in[at]);
        if (!extents_of(type, &e) || is_absolute(type) || e.bytes.low < 0 || e.extent < 0)
            return "has a view that begins before its file";
    }
    return NULL;
}

/* ---- calls ---- */

struct bounds_plan bounds_plan(const struct pilgrim_function *f)
{
    struct bounds_plan plan = {.function = f};
    for (size_t i = 0; i < f->parameter_count && i < REPLAY_PARAMETERS_MAX; i++) {
        const char *name = f->parameters[i].name;
        const bool in = f->parameters[i].direction != PILGRIM_OUT;
        plan.buffers |= (uint32_t)(in && is_buffer(name)) << i;
        plan.arrays |= (uint32_t)(in && is_array(name)) << i;
        plan.reaches_other = plan.reaches_other || strcmp(name, "target_disp") == 0;
        plan.makes = plan.makes || strcmp(name, "newtype") == 0 || (!in && strcmp(name, "win") == 0);
        plan.views = plan.views || (in && strcmp(name, "filetype") == 0);
        plan.packs = plan.packs || strcmp(name, "position") == 0;
    }
    plan.any = plan.buffers || plan.arrays || plan.reaches_other || plan.makes || plan.views || plan.packs;
    return plan;
}

static const char *check(struct replay_step *s, const struct bounds_plan *plan)
{
    const char *broken = NULL;
    for (size_t i = 0; i < plan->function->parameter_count && !broken && !s->problem; i++) {
        if (plan->buffers >> i & 1)
            broken = check_buffer(s, i);
        else if (plan->arrays >> i & 1)
            broken = check_array(s, i);
    }
    if (plan->reaches_other && !broken && !s->problem)
        broken = check_target(s);
    if (plan->makes && !broken && !s->problem)
        broken = check_datatype(s);
    if (plan->packs && !broken && !s->problem)
        broken = check_position(s);
    if (plan->views && !broken && !s->problem)
        broken = check_view(s);
    return s->problem ? NULL : broken;
}

const char *bounds_broken(struct replay_step *s, const struct bounds_plan *plan)
{
    struct replay_thread *t = s->thread;
    const uint64_t identity = s->call->identity, epoch = t->replay->objects_epoch;
    struct bounds_known *known = &t->bounds[identity % REPLAY_CACHE];
    if (identity && known->identity == identity && known->epoch == epoch)
        return NULL;
    const char *broken = check(s, plan);
    if (!broken && !s->problem && identity)
        *known = (struct bounds_known){identity, epoch};
    return broken;
}

void bounds_learn(struct replay_step *s)
{
    const int win_at = parameter(s, "win");
    if (win_at >= 0 && s->call->function->parameters[win_at].direction == PILGRIM_OUT && parameter(s, "comm") >= 0)
        learn_window(s, (size_t)win_at);
    learn_datatype(s);
}
