/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges the fragments of all processes up a binomial tree.
 *
 * At step m = 1, 2, 4, ... a rank that is a multiple of 2m merges the fragment of rank + m into its own. It then stands
 * for its own rank and the 2m - 1 ranks that follow, so only neighbours merge. The messages use a communicator of
 * Pilgrim's own:
 *
 *   TAG_FIRST    child to parent   the outcome below, and the beginning of the encoded fragment
 *   TAG_ANSWER   parent to child   ORDER_GO: the parent wants the rest of the fragment; else the outcome
 *   TAG_PIECE    child to parent   the rest, in pieces, because MPI's counts are ints
 *   TAG_GONE     child to parent   the child has given up
 *
 * Every process takes part, whatever became of its recording. It keeps its own fragment until rank 0 has told the
 * outcome, down the same tree. A process that times out gives up and makes no more collective calls. So a process that
 * hangs or is gone costs the others time, and nothing else. Nothing long is sent to a process that does not wait for
 * it. All waiting is polling with growing pauses, because there may be more processes than processors.
 *
 * Times sections go with a fragment as long as they are few (GATHER_TIMES_BYTES). Otherwise the process that has them
 * holds them, and all processes are told (write_times.h).
 *
 * All of this is for one segment. If any process has several, the answer says that another one follows, and all
 * processes take part again. */
#include "gather/gather.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "process/capture.h"
#include "process/waiting.h"
#include "merge/fragment_file.h"

enum { TAG_FIRST = 1, TAG_ANSWER = 2, TAG_PIECE = 3, TAG_GONE = 4, PIECE_BYTES = 1 << 20, CHILDREN_MAX = 32 };
enum { ORDER_GO = GATHER_CUT + 1 };
enum { ENCLOSED_BYTES_MAX = GATHER_FIRST_BYTES - sizeof(struct gather_message) };

#define TELL_NS  WAITING_SECOND_NS
#define DRAIN_NS (WAITING_SECOND_NS / 400)

/* ---- messages ---- */

/* As waiting_for. If REQUEST is not complete by END_NS, notes that it was abandoned. */
static bool await(struct gather *g, MPI_Request *request, bool receives, int64_t end_ns)
{
    if (waiting_for(request, receives, end_ns))
        return true;
    g->abandoned = true;
    return false;
}

static bool send_bytes(struct gather *g, const void *data, size_t length, int to, int tag, int64_t end_ns)
{
    MPI_Request request;
    return PMPI_Isend(data, (int)length, MPI_BYTE, to, tag, capture.comm, &request) == MPI_SUCCESS &&
           await(g, &request, false, end_ns);
}

/* Receives at most LENGTH bytes. */
static bool receive_bytes(struct gather *g, void *data, size_t length, int from, int tag, int64_t end_ns)
{
    MPI_Request request;
    return PMPI_Irecv(data, (int)length, MPI_BYTE, from, tag, capture.comm, &request) == MPI_SUCCESS &&
           await(g, &request, true, end_ns);
}

static size_t piece_of(size_t left)
{
    return left < PIECE_BYTES ? left : PIECE_BYTES;
}

static bool send_pieces(struct gather *g, const uint8_t *data, size_t length, int to)
{
    for (size_t done = 0; done < length; done += piece_of(length - done))
        if (!send_bytes(g, data + done, piece_of(length - done), to, TAG_PIECE, g->end_ns))
            return false;
    return true;
}

static bool receive_pieces(struct gather *g, uint8_t *data, size_t length, int from)
{
    static const struct gather_message go = {.outcome = ORDER_GO};
    if (length && !send_bytes(g, &go, sizeof go, from, TAG_ANSWER, g->merge_end_ns))
        return false;
    for (size_t done = 0; done < length; done += piece_of(length - done))
        if (!receive_bytes(g, data + done, piece_of(length - done), from, TAG_PIECE, g->merge_end_ns))
            return false;
    return true;
}

/* ---- the tree ---- */

/* Returns the next child of this process in the tree, or -1 if there are no more. *STEP is 1 before the first call. */
static int next_child(int64_t *step)
{
    int64_t child = capture.rank + *step;
    if ((capture.rank & *step) || child >= capture.size)
        return -1;
    *step *= 2;
    return (int)child;
}

void gather_note(struct gather *g, enum gather_outcome outcome, int rank)
{
    if ((int)outcome > g->state.outcome || ((int)outcome == g->state.outcome && rank < g->state.rank))
        g->state = (struct gather_message){.outcome = (int)outcome, .rank = rank};
    if (g->state.outcome == GATHER_WHOLE)
        return;
    fragment_free(g->fragment);
    g->fragment = NULL;
}

void gather_check(struct gather *g, enum pilgrim_status status)
{
    static bool said;
    const char *problem = g->fragment ? fragment_problem(g->fragment) : "";
    if (status == PILGRIM_OK && *problem && !said) {
        said = true;
        capture_say("a shard could not be read back (%s), so it is written in another form; please report this",
                    problem);
    }
    if (status != PILGRIM_OK)
        gather_note(g, status == PILGRIM_DAMAGED ? GATHER_UNREADABLE : GATHER_NO_MEMORY, capture.rank);
}

/* Holds TIMES here instead of sending them up, and empties TIMES. So no process receives many times of others. */
static void hold_times(struct gather *g, struct bytes *times)
{
    bytes_put(&g->held, times->data, times->length);
    bytes_free(times);
    g->times_stay = true;
}

static enum pilgrim_status merge_into(struct gather *g, struct fragment *other)
{
    struct bytes *ours = fragment_times(g->fragment), *theirs = fragment_times(other);
    if (ours->length + theirs->length > GATHER_TIMES_BYTES) {
        hold_times(g, ours);
        hold_times(g, theirs);
    }
    enum pilgrim_status status = fragment_merge(g->fragment, other);
    return status == PILGRIM_OK ? bytes_status(&g->held) : status;
}

static void merge_encoded(struct gather *g, uint8_t *encoded, size_t length)
{
    struct fragment *other = NULL;
    enum pilgrim_status status = fragment_decode(encoded, length, &other);
    free(encoded);
    if (status == PILGRIM_OK)
        status = merge_into(g, other);
    fragment_free(other);
    gather_check(g, status);
}

/* Receives the rest of a child's fragment and merges it. ENCLOSED is its beginning, which came with the first message.
 * If the rest does not come in time, the buffer is not freed: MPI may still write to it. */
static void receive_fragment(struct gather *g, int child, size_t length, const uint8_t *enclosed)
{
    size_t here = length < ENCLOSED_BYTES_MAX ? length : ENCLOSED_BYTES_MAX;
    uint8_t *encoded = malloc(length);
    if (!encoded) {
        gather_note(g, GATHER_NO_MEMORY, capture.rank);
        return;
    }
    memcpy(encoded, enclosed, here);
    if (receive_pieces(g, encoded + here, length - here, child))
        merge_encoded(g, encoded, length);
    else
        gather_note(g, GATHER_LATE, child);
}

static void receive_child(struct gather *g, int child)
{
    uint8_t *first = malloc(GATHER_FIRST_BYTES);
    if (!first) {
        gather_note(g, GATHER_NO_MEMORY, capture.rank);
        return;
    }
    if (!receive_bytes(g, first, GATHER_FIRST_BYTES, child, TAG_FIRST, g->merge_end_ns)) {
        gather_note(g, GATHER_LATE, child);
        return;
    }
    struct gather_message message;
    memcpy(&message, first, sizeof message);
    gather_note(g, (enum gather_outcome)message.outcome, message.rank);
    g->more |= message.more != 0;
    g->times_stay |= message.times_stay != 0;
    if (waiting_has_sent(child, TAG_GONE))
        gather_note(g, GATHER_LATE, child);
    if (g->state.outcome == GATHER_WHOLE && !g->outcome_only)
        receive_fragment(g, child, message.length, first + sizeof message);
    free(first);
}

/* Sends ENCODED to the parent and waits for the outcome. Sends nothing if the parent has answered already. Returns
 * false if the parent does not answer in time. */
static bool hand_over(struct gather *g, const struct bytes *encoded, int parent)
{
    size_t length = g->state.outcome == GATHER_WHOLE ? encoded->length : 0;
    size_t here = length < ENCLOSED_BYTES_MAX ? length : ENCLOSED_BYTES_MAX;
    struct gather_message message = g->state;
    message.length = length;
    message.more = g->more;
    message.times_stay = g->times_stay;
    memcpy(g->first, &message, sizeof message);
    if (here)
        memcpy(g->first + sizeof message, encoded->data, here);
    if (!waiting_has_sent(parent, TAG_ANSWER) &&
        !send_bytes(g, g->first, sizeof message + here, parent, TAG_FIRST, g->end_ns))
        return false;
    for (;;) {
        if (!receive_bytes(g, &g->answer, sizeof g->answer, parent, TAG_ANSWER, g->end_ns))
            return false;
        if (g->answer.outcome != ORDER_GO)
            return true;
        if (!send_pieces(g, encoded->data + here, length - here, parent))
            return false;
    }
}

/* Stops waiting for PARENT, and tells it so. */
static void give_up(struct gather *g, int parent)
{
    gather_note(g, GATHER_LATE, parent);
    (void)send_bytes(g, NULL, 0, parent, TAG_GONE, 0);
}

/* Sends what this process and its children have to PARENT, finalised if it is large. MERGED: it has children. Then
 * takes over the outcome. */
static void send_up(struct gather *g, bool merged, int parent)
{
    struct bytes encoded = {0};
    bool finalised = false;
    if (g->fragment)
        gather_check(g, fragment_finalise(g->fragment, capture.settings.timing != TIMING_OFF, &finalised));
    merged |= finalised;
    if (merged && g->fragment && fragment_encode(g->fragment, &encoded) != PILGRIM_OK)
        gather_note(g, GATHER_NO_MEMORY, capture.rank);
    fragment_free(g->fragment);
    g->fragment = NULL;
    if (hand_over(g, merged || g->outcome_only ? &encoded : &g->own_encoded, parent)) {
        g->state = g->answer;
        g->more = g->answer.more;
        g->times_stay = g->answer.times_stay;
    } else {
        give_up(g, parent);
    }
    if (!g->abandoned)
        bytes_free(&encoded);
}

static void begin(struct gather *g, bool more, uint32_t limit_s)
{
    g->state = (struct gather_message){.outcome = GATHER_WHOLE};
    g->more = more;
    g->merge_end_ns = waiting_now_ns() + limit_s * WAITING_SECOND_NS;
    g->end_ns =
        g->merge_end_ns + limit_s * WAITING_SECOND_NS + __builtin_popcount((unsigned)capture.rank) * WAITING_LEVEL_NS;
}

void gather_begin_outcome_only(struct gather *g, uint32_t limit_s)
{
    fragment_free(g->fragment);
    g->fragment = NULL;
    g->outcome_only = true;
    begin(g, false, limit_s);
    if (g->gone || g->abandoned)
        gather_note(g, GATHER_LATE, capture.rank);
}

void gather_begin(struct gather *g, struct fragment *fragment, struct bytes *encoded, bool more, uint32_t limit_s)
{
    g->fragment = fragment;
    g->own_encoded = *encoded;
    *encoded = (struct bytes){0};
    begin(g, more, limit_s);
    if (!fragment ||
        (!g->own_encoded.length && capture.size > 1 && fragment_encode(fragment, &g->own_encoded) != PILGRIM_OK)) {
        bytes_free(&g->own_encoded);
        gather_note(g, GATHER_NO_FRAGMENT, capture.rank);
    }
    if (g->gone || g->abandoned)
        gather_note(g, GATHER_LATE, capture.rank);
}

void gather_up(struct gather *g)
{
    int64_t step = 1;
    for (int child; (child = next_child(&step)) >= 0;) {
        g->merge_end_ns += WAITING_LEVEL_NS;
        receive_child(g, child);
    }
    if (capture.rank)
        send_up(g, step > 1, capture.rank - (capture.rank & -capture.rank));
    else if (capture.size > 1 && waiting_now_ns() > g->end_ns)
        gather_note(g, GATHER_LATE, 0); /* the others have given up */
}

void gather_tell(struct gather *g)
{
    MPI_Request requests[CHILDREN_MAX];
    int count = 0;
    int64_t step = 1, end_ns = waiting_now_ns() + TELL_NS;
    g->told = g->state;
    g->told.more = g->more;
    g->told.times_stay = g->times_stay;
    for (int child; (child = next_child(&step)) >= 0;)
        if (waiting_has_sent(child, TAG_GONE))
            g->gone = receive_bytes(g, NULL, 0, child, TAG_GONE, end_ns) || g->gone;
        else if (PMPI_Isend(&g->told, sizeof g->told, MPI_BYTE, child, TAG_ANSWER, capture.comm, &requests[count]) ==
                 MPI_SUCCESS)
            count++;
    for (int i = 0; i < count; i++)
        await(g, &requests[i], false, end_ns);
}

void gather_next(struct gather *g)
{
    fragment_free(g->fragment);
    g->fragment = NULL;
    if (!g->abandoned)
        bytes_free(&g->own_encoded);
}

/* Lets MPI finish what is under way. The library's MPI_Finalize follows. MPICH before 4.2 can hang there if processes
 * talk by TCP: a process that is ready waits for the others without progress, and another one waits for its answer
 * (https://github.com/pmodels/mpich/pull/6596). Right after the messages of a gather that is more likely. */
static void drain(void)
{
    for (int64_t end_ns = waiting_now_ns() + DRAIN_NS; waiting_now_ns() < end_ns; sched_yield())
        (void)waiting_has_sent(capture.rank, TAG_GONE);
}

void gather_end(struct gather *g)
{
    gather_next(g);
    bytes_free(&g->held);
    if (capture.comm == MPI_COMM_NULL)
        return;
    if (capture.size > 1)
        drain();
    if (g->state.outcome == GATHER_WHOLE && !g->abandoned && !capture.comm_in_use)
        PMPI_Comm_free(&capture.comm);
}
