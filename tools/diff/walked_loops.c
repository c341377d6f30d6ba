/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of threads that are compared call by call; see walked_loops.h.
 *
 * A thread is gone through twice: for its loops, and to count up to the call. The second way goes on from where the
 * last call was, if the next one is behind it. */
#include "walked_loops.h"

#include <stdlib.h>

#include "analysis/nest.h"
#include "analysis/polls.h"

enum { RUNS_MAX = 1 << 23 };

#define NOT_COUNTED  UINT32_MAX /* a loop that is entered, a poll that is ignored */
#define NOT_KNOWN    (UINT32_MAX - 1)
#define TO_THE_END   UINT64_MAX
#define FIRST_UNREAD UINT32_MAX /* no segment was read */

/* ---- classes ---- */

/* Returns the class of the nest for number TAKEN of call_kinds: the one of the same call, or a new one. */
static uint32_t same_class(struct walked_loops *w, const struct diff_side *s, uint32_t taken)
{
    for (size_t i = 0; i < w->class_count; i++)
        if (call_kinds_same_call(s->kinds, w->taken[i], taken))
            return (uint32_t)i;
    if (w->class_count == w->class_capacity)
        return NOT_KNOWN; /* cannot be: there is room for all classes of all segments */
    w->taken[w->class_count] = taken;
    return (uint32_t)w->class_count++;
}

/* Returns the class of the nest for class NUMBER of the segment; NOT_KNOWN: an error. */
static uint32_t find_class(struct walked_loops *w, const struct diff_side *s, size_t number)
{
    struct pilgrim_class_info info;
    struct pilgrim_call call;
    if (pilgrim_class_info(w->cursor, number, &info) != PILGRIM_OK)
        return NOT_KNOWN;
    if (info.body)
        return NOT_COUNTED;
    const bool failed_poll = info.signature_count > 0 &&
                             pilgrim_signature(w->cursor, number, 0, &call, NULL) == PILGRIM_OK &&
                             call_is_failed_poll(&call);
    if (failed_poll && s->ignore_polls)
        return NOT_COUNTED;
    const uint32_t taken = call_kinds_take(s->kinds, s->number, info.class_, failed_poll);
    return taken == UINT32_MAX ? NOT_KNOWN : same_class(w, s, taken);
}

/* Forgets the classes of the last segment. */
static bool enter_segment(struct walked_loops *w)
{
    struct pilgrim_thread_info info;
    if (w->segment == pilgrim_cursor_segment(w->cursor))
        return true;
    w->segment = pilgrim_cursor_segment(w->cursor);
    pilgrim_thread_info(w->cursor, &info);
    free(w->class_of);
    w->class_of = malloc((info.class_count + 1) * sizeof *w->class_of);
    for (size_t i = 0; i < info.class_count && w->class_of; i++)
        w->class_of[i] = NOT_KNOWN;
    return w->class_of != NULL;
}

/* ---- ways through the thread ---- */

/* Goes to the next run. False: there is none, an error, or that takes long. */
static bool next_run(struct walked_loops *w, const struct diff_side *s)
{
    size_t number;
    if (++w->runs > RUNS_MAX || pilgrim_cursor_pass(w->cursor, &number, &w->left, NULL) != PILGRIM_OK ||
        !enter_segment(w))
        return false;
    if (w->class_of[number] == NOT_KNOWN)
        w->class_of[number] = find_class(w, s, number);
    w->class = w->class_of[number];
    return w->class != NOT_KNOWN;
}

/* Gives the calls before END to TAKE. False: an error, or it takes long. */
static bool go_to(struct walked_loops *w, const struct diff_side *s, uint64_t end,
                  void (*take)(struct nest *, size_t, uint64_t))
{
    while (w->seen < end) {
        if (w->left == 0 && !next_run(w, s))
            return end == TO_THE_END && w->runs <= RUNS_MAX && w->class != NOT_KNOWN;
        const uint64_t count = w->left < end - w->seen ? w->left : end - w->seen;
        if (w->class != NOT_COUNTED && count > 0)
            take(w->nest, w->class, count);
        w->seen += count;
        w->left -= count;
    }
    return true;
}

/* Moves the cursor to the thread's beginning. */
static bool begin(struct walked_loops *w, const struct diff_side *s)
{
    pilgrim_cursor_close(w->cursor);
    w->cursor = NULL;
    w->segment = FIRST_UNREAD;
    w->class = NOT_COUNTED;
    w->seen = w->left = 0;
    return pilgrim_cursor_open(s->trace, w->rank, w->thread, &w->cursor, NULL) == PILGRIM_OK;
}

/* Makes room for the classes of all segments. */
static bool make_room(struct walked_loops *w)
{
    struct pilgrim_thread_info info;
    enum pilgrim_status status = PILGRIM_OK;
    while (status == PILGRIM_OK) {
        pilgrim_thread_info(w->cursor, &info);
        w->class_capacity += info.class_count;
        status = pilgrim_cursor_next_segment(w->cursor, NULL);
    }
    w->taken = calloc(w->class_capacity + 1, sizeof *w->taken);
    w->nest = nest_new(w->class_capacity);
    return status == PILGRIM_END && w->taken && w->nest;
}

static void forget_thread(struct walked_loops *w)
{
    const uint64_t runs = w->runs;
    pilgrim_cursor_close(w->cursor);
    nest_free(w->nest);
    free(w->taken);
    free(w->class_of);
    *w = (struct walked_loops){.runs = runs};
}

/* Finds the loops of a thread; none of its calls is counted. */
static bool find_loops(struct walked_loops *w, const struct diff_side *s, uint32_t rank, uint32_t thread)
{
    forget_thread(w);
    w->rank = rank;
    w->thread = thread;
    return begin(w, s) && make_room(w) && begin(w, s) && go_to(w, s, TO_THE_END, nest_see) && nest_build(w->nest) &&
           begin(w, s);
}

/* Counts the calls before END, at least one. */
static bool count_to(struct walked_loops *w, const struct diff_side *s, uint32_t rank, uint32_t thread, uint64_t end)
{
    const bool goes_on = w->nest && w->rank == rank && w->thread == thread && w->seen <= end;
    if ((goes_on || find_loops(w, s, rank, thread)) && go_to(w, s, end, nest_count))
        return true;
    forget_thread(w);
    return false;
}

unsigned walked_loops_around(struct walked_loops *w, const struct diff_side *s, uint32_t rank, uint32_t thread,
                             uint64_t seq, struct loop_around loops[LOOPS_AROUND_MAX])
{
    struct nest_place places[LOOPS_AROUND_MAX];
    if (!count_to(w, s, rank, thread, seq + 1))
        return 0;
    const unsigned count = nest_places(w->nest, places, LOOPS_AROUND_MAX);
    for (unsigned i = 0; i < count; i++) {
        const struct nest_place *place = &places[count - 1 - i];
        loops[i] = (struct loop_around){call_kinds_of(s->kinds, w->taken[place->class]), place->iteration};
    }
    return count;
}

size_t walked_loops_of(struct walked_loops *w, const struct diff_side *s, uint32_t rank, uint32_t thread,
                       struct diff_loop **loops)
{
    size_t count = 0;
    *loops = NULL;
    uint32_t *kinds = NULL;
    if (count_to(w, s, rank, thread, TO_THE_END))
        kinds = calloc(w->class_count + 1, sizeof *kinds);
    for (size_t i = 0; i < w->class_count && kinds; i++)
        kinds[i] = call_kinds_of(s->kinds, w->taken[i]);
    if (kinds)
        count = loops_of_nest(w->nest, kinds, loops);
    free(kinds);
    forget_thread(w); /* its items were taken */
    return count;
}

void walked_loops_free(struct walked_loops *w)
{
    forget_thread(w);
    w->runs = 0;
}
