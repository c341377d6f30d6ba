/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting between calls; see replay_gaps.h. */
#include "replay_gaps.h"

#include <stdlib.h>
#include <time.h>

enum { CALLS_ADDED_MAX = 10000000 };
static const double SLEEP_MIN_NS = 20000; /* shorter gaps are waited for in a loop */
static const double CATCH_UP = 0.1;       /* so much of a gap is left out while calls are late */

uint64_t replay_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* Returns the sum of a thread's recorded gaps, ns; 0 if there are too many to add them up before the replay. */
static double recorded_ns(struct pilgrim_trace *trace, uint32_t rank, uint32_t thread)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    uint64_t calls = 0, end_ns = UINT64_MAX;
    double sum = 0;
    enum pilgrim_status status = pilgrim_cursor_open(trace, rank, thread, &cursor, NULL);
    if (status != PILGRIM_OK)
        return 0;
    while (calls++ < CALLS_ADDED_MAX && (status = pilgrim_cursor_next(cursor, &call, NULL)) == PILGRIM_OK) {
        if (call.timed && call.start_ns > end_ns)
            sum += (double)(call.start_ns - end_ns);
        if (call.timed)
            end_ns = call.end_ns;
    }
    pilgrim_cursor_close(cursor);
    return status == PILGRIM_END ? sum : 0;
}

/* Returns by what gaps in bins are to be multiplied: equal gaps are rounded alike, up to half a bin in the sum, and the
 * profile has the rank's time. It is the thread's only if the rank has one, in one segment. */
static double share_of(struct pilgrim_trace *trace, uint32_t rank, uint32_t thread)
{
    struct pilgrim_rank_profile own;
    if (pilgrim_thread_count(trace, rank) != 1 || pilgrim_segment_count(trace) != 1)
        return 1;
    const double sum = recorded_ns(trace, rank, thread);
    if (sum <= 0 || pilgrim_rank_profile(trace, rank, &own, NULL) != PILGRIM_OK || own.rank_count != 1)
        return 1;
    return own.ns[PILGRIM_COMPUTING] / sum;
}

bool gaps_open(struct replay_gaps *g, const struct replay_options *options, struct pilgrim_trace *trace, uint32_t rank,
               uint32_t thread)
{
    *g = (struct replay_gaps){
        .options = options, .share = 1, .ended_ns = g->ended_ns, .traced_end_ns = g->traced_end_ns};
    const char *timing = pilgrim_property(trace, "timing");
    if (options->compute == COMPUTE_NONE)
        return true;
    if (!options->count_polls)
        polls_open(&g->polls, trace, rank, thread);
    if (timing && timing[0] == 'b')
        g->share = share_of(trace, rank, thread);
    g->profile = timing && timing[0] == 'a';
    return !g->profile || draws_open(&g->draws, trace, rank, thread);
}

bool gaps_go_to(struct replay_gaps *g, struct pilgrim_trace *trace, uint64_t seq)
{
    g->traced_end_ns = UINT64_MAX; /* there is no gap before that call */
    return !g->draws.walk.cursor || draws_go_to(&g->draws, trace, seq);
}

void gaps_close(struct replay_gaps *g)
{
    draws_close(&g->draws);
    polls_close(&g->polls);
}

/* Waits until NS have passed since the last call's end. Returns by what that is late, ns. */
static double wait_for(const struct replay_gaps *g, double ns)
{
    for (;;) {
        const double left = ns - (double)(replay_now() - g->ended_ns);
        if (left <= 0)
            return -left;
        if (g->options->compute == COMPUTE_SLEEP && left > SLEEP_MIN_NS) {
            struct timespec t = {.tv_sec = (time_t)(left / 1e9)};
            t.tv_nsec = (long)(left - (double)t.tv_sec * 1e9);
            nanosleep(&t, NULL);
        }
    }
}

void gaps_wait(struct replay_gaps *g, const struct pilgrim_call *call, const struct replay_warm *warm)
{
    double gap = 0;
    if (g->options->compute == COMPUTE_NONE)
        return;
    if (g->profile)
        gap = draws_next(&g->draws);
    else if (call->timed && call->start_ns > g->traced_end_ns)
        gap = (double)(call->start_ns - g->traced_end_ns) * g->share;
    if (call->timed)
        g->traced_end_ns = call->end_ns;
    if (polls_come(&g->polls, call, gap) || !g->ended_ns || g->pressed)
        return;
    gap /= g->options->speed;
    const double made_up = g->late_ns < CATCH_UP * gap ? g->late_ns : CATCH_UP * gap;
    gap -= made_up;
    if (warm && gap > 0)
        warm_use(warm, call, g->ended_ns + (uint64_t)gap);
    g->late_ns += wait_for(g, gap) - made_up;
}

void gaps_poll(struct replay_gaps *g, const struct pilgrim_call *call)
{
    const double gap = g->ended_ns && !g->pressed ? polls_interval(&g->polls, call) / g->options->speed : 0;
    if (gap <= 0)
        return;
    gaps_ended(g);
    wait_for(g, gap);
}

void gaps_ended(struct replay_gaps *g)
{
    if (g->options->compute != COMPUTE_NONE)
        g->ended_ns = replay_now();
}
