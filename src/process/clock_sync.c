/* SPDX-License-Identifier: BSD-3-Clause */
/* Clock synchronisation by ping-pongs (Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989).
 * A process notes its time before it asks and after it gets the answer. The answer has the other process's time, which
 * was between the two. Of several ping-pongs the shortest counts. The error of its middle is at most half its length,
 * even if the two ways take different times.
 *
 * Processes ask along the tree of the gather (gather.c), from rank 0 down. So offsets and errors add up over at most
 * log2(ranks) steps, and a process answers a number of questions that does not grow with the number of ranks:
 *
 *   child -> parent   TAG_READY: the child is ready; or it was, and has given up
 *   parent -> child   TAG_ASK: what is your time; the last one says the offset of the child's clock
 *   child -> parent   TAG_ANSWER: its time
 *
 * Once a parent knows its own offset, it asks its children one after another, as they become ready. If several are
 * ready, the one with the largest subtree is first. The first measurement is part of MPI_Init, in which all processes
 * take part. In the second one, every wait has a limit. */
#include "process/clock_sync.h"

#include "base/clock.h"
#include "base/value.h"
#include "process/capture.h"
#include "process/waiting.h"

/* The tags differ from those of gather.c. */
enum { TAG_READY = 16, TAG_ASK, TAG_ANSWER, PINGS = 16, POINTS = 2, CHILDREN_MAX = 32, WAITING_PART = 4 };

/* If processes share a processor, most ping-pongs take as long as the other processes run. So as long as none took less
 * than SHORT_NS, there are more of them, for PINGS_NS in all. */
#define SHORT_NS 10000
#define PINGS_NS 2000000

/* The assumed limit of an unknown drift, as a fraction of the time: 1/2000 = 500 ppm, the most by which the kernel lets
 * a clock be adjusted. */
enum { DRIFT_PART = 2000 };

const char clock_sync_method[] = "ping-pongs along a binomial tree, least round trip";

/* When this process's clock showed `time`, the axis showed `time + offset`, within `error`; all in ns. */
struct point {
    int64_t time, offset, error;
};

/* How a clock relates to the axis: one point; or two, with a steady rate between and after them. */
struct clock_position {
    struct point points[POINTS];
    unsigned count;
};

struct clock_message {
    int64_t rank; /* the sender, in TAG_READY */
    int64_t has;  /* 1: the sender has a clock; in the last TAG_ASK: `point` is known */
    int64_t last; /* 1: nothing follows; in TAG_READY: the child has given up */
    struct point point;
};

/* A child, as its parent sees it. */
struct child {
    bool over;
    struct clock_message said;
};

/* Static, because MPI may refer to a message as long as the process lives. */
static struct clock_position own_clock;
static struct clock_message received, asked, answered;

static int64_t now_ns(void)
{
    return (int64_t)clock_time_ns(clock_now());
}

static bool has_clock(void)
{
    return clock_source != CLOCK_SOURCE_NONE;
}

/* ---- the position of a clock ---- */

/* Returns the point at TIME, which is not before the last point. */
static struct point point_at(const struct clock_position *position, int64_t time)
{
    const struct point *one = &position->points[0], *two = &position->points[position->count - 1];
    int64_t since = time > two->time ? time - two->time : 0;
    if (position->count == 1)
        return (struct point){.time = time, .offset = one->offset, .error = one->error + since / DRIFT_PART};
    double far = (double)since / (double)(two->time - one->time);
    return (struct point){.time = time,
                          .offset = two->offset + (int64_t)((double)(two->offset - one->offset) * far),
                          .error = two->error + (int64_t)((double)(one->error + two->error) * far) + 1};
}

/* Adds POINT as the second one, if the two together tell the drift. If not, keeps the one with the smaller error. */
static void add_point(struct clock_position *position, const struct point *point)
{
    struct point *first = &position->points[0];
    int64_t span = point->time - first->time, drift = point->offset - first->offset;
    if (span > 0 && first->error + point->error <= span / DRIFT_PART && drift <= span && drift >= -span)
        position->points[position->count++] = *point;
    else if (point->error < first->error)
        *first = *point;
}

/* ---- messages ---- */

static bool await(MPI_Request *request, bool receives, int64_t end_ns)
{
    if (waiting_for(request, receives, end_ns))
        return true;
    capture.comm_in_use = true;
    return false;
}

static bool send_clock_message(const struct clock_message *message, int to, int tag, int64_t end_ns)
{
    MPI_Request request;
    return PMPI_Isend(message, sizeof *message, MPI_BYTE, to, tag, capture.comm, &request) == MPI_SUCCESS &&
           await(&request, false, end_ns);
}

/* Receives into `received`. */
static bool receive_clock_message(int from, int tag, int64_t end_ns)
{
    MPI_Request request;
    return PMPI_Irecv(&received, sizeof received, MPI_BYTE, from, tag, capture.comm, &request) == MPI_SUCCESS &&
           await(&request, true, end_ns);
}

/* ---- parent ---- */

/* Asks CHILD for its time. *POINT: the position of its clock, given HERE, that of this process's. *TOOK: length of the
 * ping-pong in ns. False: no answer. */
static bool ping(int child, const struct clock_position *here, struct point *point, int64_t *took, int64_t end_ns)
{
    MPI_Request out, back;
    if (PMPI_Irecv(&received, sizeof received, MPI_BYTE, child, TAG_ANSWER, capture.comm, &back) != MPI_SUCCESS)
        return false;
    asked = (struct clock_message){0};
    int64_t before = now_ns();
    if (PMPI_Isend(&asked, sizeof asked, MPI_BYTE, child, TAG_ASK, capture.comm, &out) != MPI_SUCCESS)
        return false;
    bool good = await(&back, true, end_ns);
    int64_t after = now_ns();
    good = await(&out, false, end_ns) && good;
    *took = after - before;
    const struct point middle = point_at(here, before + *took / 2);
    int64_t time = received.point.time;
    /* Both times are rounded down, so the error is up to 1 ns more for each. */
    *point = (struct point){
        .time = time, .offset = middle.time + middle.offset - time, .error = *took / 2 + 2 + middle.error};
    return good;
}

/* Finds the position of CHILD's clock and stores it in SAID. False: CHILD does not answer any more. */
static bool measure(int child, const struct clock_position *here, struct clock_message *said, int64_t end_ns)
{
    int64_t least = INT64_MAX, took, pings_end_ns = waiting_now_ns() + PINGS_NS;
    struct point point;
    for (int i = 0; i < PINGS || (least > SHORT_NS && waiting_now_ns() < pings_end_ns); i++) {
        if (!ping(child, here, &point, &took, end_ns))
            return false;
        if (took < least) {
            least = took;
            said->point = point;
        }
    }
    said->has = 1;
    return true;
}

/* True if CHILD was ready and has given up. Receives its message about that, because MPI may complain about messages
 * that are left. */
static bool has_given_up(int child, int64_t end_ns)
{
    return waiting_has_sent(child, TAG_READY) && receive_clock_message(child, TAG_READY, end_ns);
}

/* Returns how many children this process has in the tree: ranks RANK + 1, + 2, + 4, ... */
static int count_children(void)
{
    int count = 0;
    for (int64_t step = 1; !(capture.rank & step) && capture.rank + step < capture.size; step *= 2)
        count++;
    return count;
}

/* Returns the ready child with the largest subtree; MPI_ANY_SOURCE if none is ready. */
static int next_ready(const struct child *children, int count)
{
    for (int i = count - 1; i >= 0; i--)
        if (!children[i].over && waiting_has_sent(capture.rank + (1 << i), TAG_READY))
            return capture.rank + (1 << i);
    return MPI_ANY_SOURCE;
}

/* Tells all children the positions of their clocks. HERE: that of this process's clock; NULL: unknown. */
static void serve_children(const struct clock_position *here, int64_t end_ns)
{
    static struct child children[CHILDREN_MAX];
    int count = count_children();
    for (int i = 0; i < count; i++)
        children[i] = (struct child){.said.last = 1};
    for (int left = count; left > 0 && receive_clock_message(next_ready(children, count), TAG_READY, end_ns); left--) {
        struct clock_message ready = received;
        int rank = (int)ready.rank;
        struct child *child = &children[__builtin_ctz((unsigned)(rank - capture.rank))];
        if (child->over)
            left++;
        else if (!ready.last && !has_given_up(rank, end_ns) &&
                 (!here || !ready.has || measure(rank, here, &child->said, end_ns)))
            (void)send_clock_message(&child->said, rank, TAG_ASK, end_ns);
        child->over = true;
    }
    /* Children that become ready later need not wait. */
    for (int i = 0; i < count; i++)
        if (!children[i].over)
            (void)send_clock_message(&children[i].said, capture.rank + (1 << i), TAG_ASK, 0);
}

/* ---- child ---- */

/* Answers PARENT until it says the position of this process's clock. False: that is unknown. */
static bool follow_parent(int parent, struct point *point, int64_t end_ns)
{
    answered = (struct clock_message){.rank = capture.rank, .has = has_clock()};
    /* The parent may have given up already. */
    if (!waiting_has_sent(parent, TAG_ASK) && !send_clock_message(&answered, parent, TAG_READY, end_ns))
        return false;
    while (receive_clock_message(parent, TAG_ASK, end_ns)) {
        if (received.last) {
            *point = received.point;
            return received.has;
        }
        answered.point.time = now_ns();
        if (!send_clock_message(&answered, parent, TAG_ANSWER, end_ns))
            return false;
    }
    answered.last = 1;
    (void)send_clock_message(&answered, parent, TAG_READY, 0);
    return false;
}

/* ---- all ---- */

/* Finds the position of this process's clock now. OFFSET is that of rank 0's clock. False: it is unknown. */
static bool find_own_clock(struct point *point, int64_t offset, int64_t end_ns)
{
    if (capture.rank)
        return follow_parent(capture.rank - (capture.rank & -capture.rank), point, end_ns);
    *point = (struct point){.time = now_ns(), .offset = offset};
    return has_clock();
}

/* Moves the axis so that no offset is negative. */
static void begin_axis(void)
{
    MPI_Request request;
    int64_t offset = own_clock.count ? own_clock.points[0].offset : INT64_MAX, least = 0;
    if (PMPI_Iallreduce(&offset, &least, 1, MPI_INT64_T, MPI_MIN, capture.comm, &request) != MPI_SUCCESS ||
        !waiting_for(&request, false, INT64_MAX))
        own_clock.count = 0;
    own_clock.points[0].offset -= least;
}

void clock_sync_begin(void)
{
    if (capture.run.timing < TIMING_BINS || capture.comm == MPI_COMM_NULL)
        return;
    own_clock.count = find_own_clock(&own_clock.points[0], 0, INT64_MAX);
    serve_children(own_clock.count ? &own_clock : NULL, INT64_MAX);
    begin_axis();
}

void clock_sync_end(void)
{
    if (capture.run.timing < TIMING_BINS || capture.comm == MPI_COMM_NULL ||
        (capture.size > 1 && !capture.run.merge_limit_s))
        return;
    int64_t end_ns = waiting_now_ns() + capture.run.merge_limit_s * WAITING_SECOND_NS / WAITING_PART +
                     __builtin_popcount((unsigned)capture.rank) * WAITING_LEVEL_NS;
    struct clock_position now = {.count = 1};
    bool known = find_own_clock(&now.points[0], own_clock.points[0].offset, end_ns);
    if (known && own_clock.count == 1)
        add_point(&own_clock, &now.points[0]);
    /* The children hear of it before they give up themselves. */
    serve_children(!known ? NULL : own_clock.count == POINTS ? &own_clock : &now, end_ns + WAITING_LEVEL_NS / 2);
}

bool clock_sync_known(void)
{
    return own_clock.count > 0 && capture.settings.timing >= TIMING_BINS;
}

static void put_int(struct bytes *key, int64_t v)
{
    bytes_put_u8(key, VALUE_INT);
    bytes_put_u64(key, (uint64_t)v);
}

void clock_sync_put(struct bytes *key)
{
    if (!clock_sync_known()) {
        bytes_put_u8(key, VALUE_NONE);
        return;
    }
    bytes_put_u8(key, VALUE_ARRAY);
    bytes_put_u32(key, 3 * own_clock.count);
    for (unsigned i = 0; i < own_clock.count; i++) {
        put_int(key, own_clock.points[i].time);
        put_int(key, own_clock.points[i].offset);
        put_int(key, own_clock.points[i].error);
    }
}
