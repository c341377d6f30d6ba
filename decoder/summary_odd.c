/* SPDX-License-Identifier: BSD-3-Clause */
/* Says what is odd about a run, and which command shows more (--summary); see summary.h. The limits are those from
 * which on it is worth a look. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/crashes.h"
#include "analysis/deadlocks.h"
#include "endings_print.h"
#include "summary.h"

enum {
    POLLS_PERCENT = 10,      /* of all calls */
    TINY_BUCKET = 7,         /* messages below 2^7 / 2 = 64 bytes */
    TINY_LEAST = 1000,       /* so many of them */
    TINY_PERCENT = 50,       /* of all messages */
    ACTIVITY_PERCENT = 2,    /* of the time, or a rank does not stand out in it */
    EXCESS_PERCENT = 5,      /* of a rank's time that the rank has more than the mean */
    STANDS_OUT_PERCENT = 50, /* more than the mean */
    DEADLOCK_CALLS = 1000000 /* a second's work */
};

struct summary_odd *summary_add_odd(struct summary *s, const char *command, const char *format, ...)
{
    static struct summary_odd none;
    struct summary_odd *odd = s->odd_count < SUMMARY_ODD_MAX ? &s->odd[s->odd_count++] : &none;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(odd->what, sizeof odd->what, format, arguments);
    va_end(arguments);
    snprintf(odd->command, sizeof odd->command, "%s", command);
    return odd;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void find_calls(struct summary *s)
{
    char command[SUMMARY_TEXT_MAX];
    if (s->failed) {
        snprintf(command, sizeof command, "--failed --rank=%u", s->failed_rank);
        summary_add_odd(s, command, "%llu call%s failed, first %.40s on rank %u", (unsigned long long)s->failed,
                        plural(s->failed), s->failed_function ? s->failed_function : "one", s->failed_rank);
    }
    if (s->pending) {
        const char *function = s->leak_class ? s->leak_class->function->name : NULL;
        char of[96] = "";
        snprintf(command, sizeof command, "--func=%.40s --rank=%u", function ? function : "'MPI_I*,MPI_*_init'",
                 s->pending_rank);
        if (function && s->leak < s->pending)
            snprintf(of, sizeof of, ", where %llu %s of %.40s", (unsigned long long)s->leak,
                     s->leak == 1 ? "is" : "are", function);
        else if (function)
            snprintf(of, sizeof of, ", of %.40s", function);
        summary_add_odd(s, command, "%llu request%s never completed or freed, first on rank %u%s",
                        (unsigned long long)s->pending, s->pending == 1 ? " was" : "s were", s->pending_rank, of)
            ->at = s->leak_class;
    }
    if (s->polls > 0 && s->polls >= s->calls / 100 * POLLS_PERCENT)
        summary_add_odd(s, "--stats", "%.0f%% of all calls are polls that found nothing (MPI_Test, MPI_Iprobe, ...)",
                        100 * (double)s->polls / (double)s->calls);
}

static void find_messages(struct summary *s)
{
    uint64_t tiny = 0, sized = 0;
    for (unsigned i = 0; i < SUMMARY_SIZES; i++) {
        tiny += i < TINY_BUCKET ? s->sizes[i] : 0;
        sized += s->sizes[i];
    }
    if (tiny >= TINY_LEAST && tiny >= sized / 100 * TINY_PERCENT)
        summary_add_odd(s, "--stats --by=size,site", "%.0f%% of the messages have less than 64 bytes",
                        100 * (double)tiny / (double)sized);
    if (s->unsized)
        summary_add_odd(s, "--matrix", "%llu message%s of unknown size count as 0 bytes",
                        (unsigned long long)s->unsized, plural(s->unsized));
}

/* One rank. Where one computes longer than others, these wait in MPI: that they stand out, too, is no news. Nor is that
 * rank, where it is known who waited for it. */
static void find_ranks(struct summary *s)
{
    const double mean_run = s->profiled_ranks ? s->run_ns / (double)s->profiled_ranks : 0;
    double most = 0;
    unsigned found = PILGRIM_ACTIVITIES;
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES && s->profiled_ranks > 1 && found != PILGRIM_COMPUTING; i++) {
        const struct profile_activity *a = &s->activities[i];
        const double mean = a->total_ns / (double)s->profiled_ranks, excess = a->most_ns - mean;
        if (mean * 100 < mean_run * ACTIVITY_PERCENT && excess * 100 < mean_run * 2 * EXCESS_PERCENT)
            continue;
        if (excess <= most || excess * 100 < mean_run * EXCESS_PERCENT || excess * 100 < mean * STANDS_OUT_PERCENT)
            continue;
        most = excess;
        found = i;
    }
    const bool waited_for = summary_find_causes(s, s->activities[PILGRIM_COMPUTING].most_rank);
    if (found == PILGRIM_ACTIVITIES || (found == PILGRIM_COMPUTING && waited_for))
        return;
    const struct profile_activity *a = &s->activities[found];
    summary_add_odd(s, "--stats --by=rank", "rank %u stands out: %s takes %.1f times the mean of all ranks",
                    a->most_rank, pilgrim_activity_name(found), a->most_ns * (double)s->profiled_ranks / a->total_ns);
}

/* All calls are matched for this: not those of a trace with many. */
static void find_deadlock(struct summary *s)
{
    struct deadlocks_found found;
    struct pilgrim_error error;
    if (!pilgrim_property(s->trace, "in_flight"))
        return;
    if (s->calls > DEADLOCK_CALLS) {
        summary_add_odd(s, "--endings --limit=0",
                        "ranks were in calls when they ended; this says if it was a deadlock");
        return;
    }
    if (deadlocks_in(s->trace, &found, &error) == PILGRIM_OK && found.count) {
        const struct pilgrim_class *class = match_site(found.match, found.ranks->site);
        summary_add_odd(s, "--endings --limit=0", "a deadlock: %zu rank%s for what cannot come, first rank %u in %.40s",
                        found.count, found.count == 1 ? " waits" : "s wait", found.ranks->rank,
                        class ? class->function->name : "?");
    }
    deadlocks_drop(&found);
}

void summary_find_odd(struct summary *s)
{
    struct crash crash;
    const char *crashes = pilgrim_property(s->trace, "crashes");
    find_deadlock(s);
    if (crashes && crash_take(&crashes, &crash))
        summary_add_odd(s, "--endings", "the trace is partial: rank %u got signal %u%s", crash.rank, crash.signal,
                        *crashes ? ", and others got one, too" : "");
    else if (endings_are_partial(s->trace))
        summary_add_odd(s, "--endings", "the trace is partial: some ranks did not reach the end of MPI_Finalize");
    if (pilgrim_property(s->trace, "filter"))
        summary_add_odd(s, "--properties", "functions were left out of the trace (PILGRIM_FILTER)");
    if (pilgrim_property(s->trace, "inside"))
        summary_add_odd(s, "--properties",
                        "some calls that callbacks or signal handlers made inside other calls are not in the trace");
    find_calls(s);
    find_ranks(s);
    find_messages(s);
}
