/* Fragments travel up a binomial tree over the private communicator: at step m = 1, 2, 4, ... a rank that is a multiple of
 * 2m takes the fragment of rank + m, which then covers the m ranks after its own, so that neighbours merge.
 *
 * Every process takes part whatever became of its recording, and each keeps its own fragment until rank 0 has said, down
 * the same tree, what came of it. A process that waits in vain gives up, so that one that hangs or is gone costs the others
 * time and nothing else; from then on it calls nothing collective.
 *
 *   child -> parent   TAG_FIRST: what happened below, and the sealed fragment if it is short
 *   parent -> child   TAG_ANSWER: ORDER_GO: the parent wants the rest; else the outcome
 *   child -> parent   TAG_PART: the rest, in parts of limited size, as MPI's counts are ints
 *   child -> parent   TAG_GONE: the child has given up
 *
 * This is a round; where a process has several, all have, and the answer says that another one follows.
 *
 * So nothing long is sent to a process that does not wait for it. All waiting is polling, ever more rarely: there may be
 * more processes than processors. */
#include "capture/gather.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/capture.h"
#include "merge/fragment_file.h"

enum { TAG_FIRST = 1, TAG_ANSWER = 2, TAG_PART = 3, TAG_GONE = 4, PART_BYTES = 1 << 20, CHILDREN_MAX = 32, PROBES = 8 };
enum { ORDER_GO = GATHER_CUT + 1 };
enum { ENCLOSED_BYTES_MAX = GATHER_FIRST_BYTES - sizeof(struct gather_letter) };

#define SECOND_NS INT64_C(1000000000)
#define TELL_NS SECOND_NS

/* Not all give up at once: on the way up those below are first, on the way down those above, and the others hear of it. */
#define LEVEL_NS (SECOND_NS / 50)

/* Waiting: at first the processor is only offered to others; then an eighth of the time so far is slept, up to the longest. */
#define NAP_FROM_NS 100000
#define NAP_PART 8
#define NAP_MAX_NS 1000000

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * SECOND_NS + t.tv_nsec;
}

static void rest(int64_t waited_ns)
{
    int64_t nap = waited_ns / NAP_PART;
    if (waited_ns < NAP_FROM_NS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = nap < NAP_MAX_NS ? nap : NAP_MAX_NS}, NULL);
}

/* ---- messages ---- */

/* Whether REQUEST is complete before END_NS. If not it is left to itself, and so is its buffer. */
static bool await(struct gather *g, MPI_Request *request, bool receives, int64_t end_ns)
{
    int64_t begin_ns = now_ns(), time_ns;
    int done = 0;
    do {
        if (PMPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            break;
        if (done)
            return true;
        time_ns = now_ns();
        rest(time_ns - begin_ns);
    } while (time_ns < end_ns);
    g->abandoned = true;
    if (*request != MPI_REQUEST_NULL) {
        if (receives)
            PMPI_Cancel(request);
        PMPI_Request_free(request);
    }
    return false;
}

static bool send_bytes(struct gather *g, const void *data, size_t length, int to, int tag, int64_t end_ns)
{
    MPI_Request request;
    return PMPI_Isend(data, (int)length, MPI_BYTE, to, tag, capture.comm, &request) == MPI_SUCCESS &&
           await(g, &request, false, end_ns);
}

/* As much as LENGTH bytes. */
static bool receive_bytes(struct gather *g, void *data, size_t length, int from, int tag, int64_t end_ns)
{
    MPI_Request request;
    return PMPI_Irecv(data, (int)length, MPI_BYTE, from, tag, capture.comm, &request) == MPI_SUCCESS &&
           await(g, &request, true, end_ns);
}

static size_t part_of(size_t left)
{
    return left < PART_BYTES ? left : PART_BYTES;
}

static bool send_parts(struct gather *g, const uint8_t *data, size_t length, int to)
{
    for (size_t done = 0; done < length; done += part_of(length - done))
        if (!send_bytes(g, data + done, part_of(length - done), to, TAG_PART, g->end_ns))
            return false;
    return true;
}

static bool receive_parts(struct gather *g, uint8_t *data, size_t length, int from)
{
    static const struct gather_letter go = {.outcome = ORDER_GO};
    if (length && !send_bytes(g, &go, sizeof go, from, TAG_ANSWER, g->merge_end_ns))
        return false;
    for (size_t done = 0; done < length; done += part_of(length - done))
        if (!receive_bytes(g, data + done, part_of(length - done), from, TAG_PART, g->merge_end_ns))
            return false;
    return true;
}

/* Whether there is a message that was sent long ago: not all that comes in at once is seen at once. */
static bool has_sent(int rank, int tag)
{
    int flag = 0;
    for (int i = 0; i < PROBES && !flag; i++)
        if (PMPI_Iprobe(rank, tag, capture.comm, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
    return flag;
}

/* ---- the tree ---- */

/* The next one below this process; *STEP is 1 at first. -1: there are no more. */
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
        g->state = (struct gather_letter){.outcome = outcome, .rank = rank};
    if (g->state.outcome == GATHER_WHOLE)
        return;
    fragment_free(g->fragment);
    g->fragment = NULL;
}

static void merge_sealed(struct gather *g, uint8_t *sealed, size_t length)
{
    struct fragment *other = NULL;
    enum pilgrim_status status = fragment_unseal(sealed, length, &other);
    free(sealed);
    if (status == PILGRIM_OK)
        status = fragment_merge(g->fragment, other);
    fragment_free(other);
    if (status != PILGRIM_OK)
        gather_note(g, GATHER_SHORT, capture.rank);
}

/* ENCLOSED: the beginning of the sealed fragment. What is not received in time may still be written to: it is not freed. */
static void receive_fragment(struct gather *g, int child, size_t length, const uint8_t *enclosed)
{
    size_t here = length < ENCLOSED_BYTES_MAX ? length : ENCLOSED_BYTES_MAX;
    uint8_t *sealed = malloc(length);
    if (!sealed) {
        gather_note(g, GATHER_SHORT, capture.rank);
        return;
    }
    memcpy(sealed, enclosed, here);
    if (receive_parts(g, sealed + here, length - here, child))
        merge_sealed(g, sealed, length);
    else
        gather_note(g, GATHER_LATE, child);
}

static void receive_child(struct gather *g, int child)
{
    uint8_t *first = malloc(GATHER_FIRST_BYTES);
    if (!first) {
        gather_note(g, GATHER_SHORT, capture.rank);
        return;
    }
    if (!receive_bytes(g, first, GATHER_FIRST_BYTES, child, TAG_FIRST, g->merge_end_ns)) {
        gather_note(g, GATHER_LATE, child);
        return;
    }
    struct gather_letter letter;
    memcpy(&letter, first, sizeof letter);
    gather_note(g, (enum gather_outcome)letter.outcome, letter.rank);
    g->more |= letter.more != 0;
    if (has_sent(child, TAG_GONE))
        gather_note(g, GATHER_LATE, child);
    if (g->state.outcome == GATHER_WHOLE)
        receive_fragment(g, child, letter.length, first + sizeof letter);
    free(first);
}

/* Sends SEALED to the parent, unless that has decided without it, and waits for what comes of it. */
static bool hand_over(struct gather *g, const struct bytes *sealed, int parent)
{
    size_t length = g->state.outcome == GATHER_WHOLE ? sealed->length : 0;
    size_t here = length < ENCLOSED_BYTES_MAX ? length : ENCLOSED_BYTES_MAX;
    struct gather_letter letter = g->state;
    letter.length = length;
    letter.more = g->more;
    memcpy(g->first, &letter, sizeof letter);
    if (here)
        memcpy(g->first + sizeof letter, sealed->data, here);
    if (!has_sent(parent, TAG_ANSWER) &&
        !send_bytes(g, g->first, sizeof letter + here, parent, TAG_FIRST, g->end_ns))
        return false;
    for (;;) {
        if (!receive_bytes(g, &g->answer, sizeof g->answer, parent, TAG_ANSWER, g->end_ns))
            return false;
        if (g->answer.outcome != ORDER_GO)
            return true;
        if (!send_parts(g, sealed->data + here, length - here, parent))
            return false;
    }
}

static void give_up(struct gather *g, int parent)
{
    gather_note(g, GATHER_LATE, parent);
    (void)send_bytes(g, NULL, 0, parent, TAG_GONE, 0);
}

static void climb(struct gather *g, bool merged, int parent)
{
    struct bytes sealed = {0};
    bool bound = false;
    if (g->fragment && fragment_bind(g->fragment, capture.settings.times, &bound) != PILGRIM_OK)
        gather_note(g, GATHER_SHORT, capture.rank);
    merged |= bound;
    if (merged && g->fragment && fragment_seal(g->fragment, &sealed) != PILGRIM_OK)
        gather_note(g, GATHER_SHORT, capture.rank);
    fragment_free(g->fragment);
    g->fragment = NULL;
    if (hand_over(g, merged ? &sealed : &g->own, parent)) {
        g->state = g->answer;
        g->more = g->answer.more;
    } else {
        give_up(g, parent);
    }
    if (!g->abandoned)
        bytes_free(&sealed);
}

void gather_begin(struct gather *g, struct fragment *fragment, struct bytes *sealed, bool more, uint32_t limit_s)
{
    g->fragment = fragment;
    g->own = *sealed;
    *sealed = (struct bytes){0};
    g->state = (struct gather_letter){.outcome = GATHER_WHOLE};
    g->more = more;
    g->merge_end_ns = now_ns() + limit_s * SECOND_NS;
    g->end_ns = g->merge_end_ns + limit_s * SECOND_NS + __builtin_popcount((unsigned)capture.rank) * LEVEL_NS;
    if (!fragment || (!g->own.length && capture.size > 1 && fragment_seal(fragment, &g->own) != PILGRIM_OK)) {
        bytes_free(&g->own);
        gather_note(g, GATHER_LOST, capture.rank);
    }
    if (g->gone || g->abandoned)
        gather_note(g, GATHER_LATE, capture.rank);
}

void gather_up(struct gather *g)
{
    int64_t step = 1;
    for (int child; (child = next_child(&step)) >= 0;) {
        g->merge_end_ns += LEVEL_NS;
        receive_child(g, child);
    }
    if (capture.rank)
        climb(g, step > 1, capture.rank - (capture.rank & -capture.rank));
    else if (capture.size > 1 && now_ns() > g->end_ns)
        gather_note(g, GATHER_LATE, 0); /* the others have given up */
}

void gather_tell(struct gather *g)
{
    MPI_Request requests[CHILDREN_MAX];
    int count = 0;
    int64_t step = 1, end_ns = now_ns() + TELL_NS;
    g->told = g->state;
    g->told.more = g->more;
    for (int child; (child = next_child(&step)) >= 0;)
        if (has_sent(child, TAG_GONE))
            g->gone = receive_bytes(g, NULL, 0, child, TAG_GONE, end_ns) || g->gone;
        else if (PMPI_Isend(&g->told, sizeof g->told, MPI_BYTE, child, TAG_ANSWER, capture.comm, &requests[count]) == MPI_SUCCESS)
            count++;
    for (int i = 0; i < count; i++)
        await(g, &requests[i], false, end_ns);
}

void gather_next(struct gather *g)
{
    fragment_free(g->fragment);
    g->fragment = NULL;
    if (!g->abandoned)
        bytes_free(&g->own);
}

void gather_end(struct gather *g)
{
    gather_next(g);
    if (capture.comm != MPI_COMM_NULL && g->state.outcome == GATHER_WHOLE && !g->abandoned)
        PMPI_Comm_free(&capture.comm);
}
