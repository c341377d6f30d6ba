/* SPDX-License-Identifier: BSD-3-Clause */
/* Offsets between clocks by ping-pongs (Cristian, "Probabilistic clock synchronization", Distributed Computing 3,
 * 1989): who asks notes the time before the question and after the answer, and the answer has the other one's time,
 * which was in between. Of several the one that took least counts; the middle of it is wrong by half of it at most,
 * however the way there and the way back differ.
 *
 * Processes ask along the tree of the gather (gather.c), from rank 0 down, so that offsets and errors add up over at
 * most log2(ranks) steps, and what is asked of a process does not grow with their number:
 *
 *   child -> parent   TAG_READY: the child is there; or it was, and has given up
 *   parent -> child   TAG_ASK: what is your time; or, as the last one, where the child's clock stands
 *   child -> parent   TAG_ANSWER: its time
 *
 * A parent asks its children one by one, as they come, once it knows where it stands itself, and of several that are
 * there first the one with most processes below itself. The first measurement is part of MPI_Init, which all processes
 * take part in; in the second one nobody waits for longer than there is time. */
#include "process/clock_sync.h"

#include "base/clock.h"
#include "base/value.h"
#include "process/capture.h"
#include "process/waiting.h"

/* Other tags than those of gather.c. */
enum { TAG_READY = 16, TAG_ASK, TAG_ANSWER, PINGS = 16, POINTS = 2, CHILDREN_MAX = 32, WAITING_PART = 4 };

/* Of processes that share a processor most pings take as long as others have it: as long as none was short there are
 * more, for some time. */
#define SHORT_NS 10000
#define PINGS_NS 2000000

/* Clocks of which nothing else is known drift by less than this part of the time: 500 ppm, what the kernel lets one be
 * set by. */
enum { DRIFT_PART = 2000 };

const char clock_sync_method[] = "ping-pongs along a binomial tree, least round trip";

/* At TIME of this process's clock, TIME + OFFSET was the time on the axis, but for ERROR; ns. */
struct point {
    int64_t time, offset, error;
};

/* Where a clock stands: at one time, or at two and, as it goes at a steady rate, between and after them. */
struct clock_position {
    struct point points[POINTS];
    unsigned count;
};

struct clock_message {
    int64_t rank; /* who is ready */
    int64_t has;  /* 1: a clock; of the last of TAG_ASK: `point` is known */
    int64_t last; /* 1: nothing follows; of TAG_READY: given up */
    struct point point;
};

/* A child, as its parent sees it. */
struct child {
    bool over;
    struct clock_message said;
};

/* Static: MPI may refer to messages as long as the process lives. */
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

/* ---- where a clock stands ---- */

/* At TIME, after the last point. */
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

/* Adds POINT, the second one, unless the two say nothing of drift; then the better one stays. */
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

/* Into `received`. */
static bool receive_clock_message(int from, int tag, int64_t end_ns)
{
    MPI_Request request;
    return PMPI_Irecv(&received, sizeof received, MPI_BYTE, from, tag, capture.comm, &request) == MPI_SUCCESS &&
           await(&request, true, end_ns);
}

/* ---- parent ---- */

/* Asks CHILD for its time. *POINT: where its clock stands, HERE where this process's does; *TOOK: how long it was on
 * the way, ns. */
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
    /* Times are rounded down: 1 ns for each of the two. */
    *point = (struct point){
        .time = time, .offset = middle.time + middle.offset - time, .error = *took / 2 + 2 + middle.error};
    return good;
}

/* Where CHILD's clock stands. False: it is not heard of any more. */
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

/* Whether CHILD, which was ready, has given up. What it said of that is received: MPI may complain of messages that are
 * left. */
static bool has_given_up(int child, int64_t end_ns)
{
    return waiting_has_sent(child, TAG_READY) && receive_clock_message(child, TAG_READY, end_ns);
}

/* The processes below this one in the tree are RANK + 1, + 2, + 4, ... */
static int count_children(void)
{
    int count = 0;
    for (int64_t step = 1; !(capture.rank & step) && capture.rank + step < capture.size; step *= 2)
        count++;
    return count;
}

/* Whose word to wait for: of those who are ready the one that has most processes below itself. */
static int next_ready(const struct child *children, int count)
{
    for (int i = count - 1; i >= 0; i--)
        if (!children[i].over && waiting_has_sent(capture.rank + (1 << i), TAG_READY))
            return capture.rank + (1 << i);
    return MPI_ANY_SOURCE;
}

/* Tells all children where their clocks stand. HERE: where this process's does; NULL: not known. */
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
    /* Those that come later need not wait. */
    for (int i = 0; i < count; i++)
        if (!children[i].over)
            (void)send_clock_message(&children[i].said, capture.rank + (1 << i), TAG_ASK, 0);
}

/* ---- child ---- */

/* Answers PARENT until it says where this process's clock stands. False: it is not known. */
static bool follow_parent(int parent, struct point *point, int64_t end_ns)
{
    answered = (struct clock_message){.rank = capture.rank, .has = has_clock()};
    /* It may have given up already. */
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

/* Whether it is known where this process's clock stands now. OFFSET: what rank 0's has. */
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
    /* Those who are there hear of it before they give up themselves. */
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
