/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of each rank on the common time axis (docs/FORMAT.md, section 6). Points by which time would not go on are
 * taken as unknown: the file may be damaged. */
#include <stdlib.h>
#include <string.h>

#include "read/cursor/process_values.h"
#include "read/table/trace_error.h"

#define TIME_MAX   ((INT64_C(1) << 62) - 1)
#define COMMON_MAX INT64_MAX

/* Where nothing is known of them two clocks may drift apart by 1/DRIFT_PART of the time: 500 ppm, as far as the kernel
 * lets a clock be wrong. */
enum { DRIFT_PART = 2000, POINT_INTS = 3 };

/* True if the values at V are a time, an offset and an error. */
static bool is_point(const struct pilgrim_value *v)
{
    for (int i = 0; i < POINT_INTS; i++)
        if (v[i].type != PILGRIM_INT || v[i].integer > TIME_MAX || v[i].integer < (i == 1 ? -TIME_MAX : 0))
            return false;
    return true;
}

static struct pilgrim_clock_point point_of(const struct pilgrim_value *v)
{
    return (struct pilgrim_clock_point){(uint64_t)v[0].integer, v[1].integer, (uint64_t)v[2].integer};
}

/* True if the second point is later, and the two clocks run at less than twice the rate of each other. */
static bool goes_on(const struct pilgrim_clock_point *p)
{
    int64_t time = (int64_t)p[1].time_ns - (int64_t)p[0].time_ns, drift = p[1].offset_ns - p[0].offset_ns;
    return time > 0 && drift <= time && drift >= -time;
}

static void take_points(const struct pilgrim_value *v, struct pilgrim_clock *clock)
{
    unsigned count = (unsigned)(v->count / POINT_INTS);
    if (v->type != PILGRIM_ARRAY || (v->count != POINT_INTS && v->count != 2 * POINT_INTS))
        return;
    for (unsigned i = 0; i < count; i++) {
        if (!is_point(&v->items[i * POINT_INTS]))
            return;
        clock->points[i] = point_of(&v->items[i * POINT_INTS]);
    }
    if (count == 1 || goes_on(clock->points))
        clock->point_count = count;
}

enum pilgrim_status pilgrim_clock_of(const struct pilgrim_trace *trace, uint32_t rank, struct pilgrim_clock *clock,
                                     struct pilgrim_error *error)
{
    struct arena scratch = {0};
    const struct pilgrim_function *f;
    const struct pilgrim_value *in;
    const struct shard *shard;
    if (!trace || !clock)
        return trace_null(error);
    *clock = (struct pilgrim_clock){0};
    if (rank >= trace->rank_count)
        return trace_error(error, PILGRIM_INVALID, 0, "there is no rank %u", rank);
    enum pilgrim_status status = process_values(trace, rank, &scratch, &shard, &f, &in, error);
    for (size_t i = 0; status == PILGRIM_OK && i < f->parameter_count; i++)
        if (f->parameters[i].direction == PILGRIM_IN && !strcmp(f->parameters[i].name, "clock"))
            take_points(&in[i], clock);
    shard_release(trace, shard);
    arena_free(&scratch);
    if (!clock->point_count)
        *clock = (struct pilgrim_clock){0};
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* Returns how many points of CLOCK may be used: all or none. The caller may have made CLOCK himself. */
static unsigned usable_points(const struct pilgrim_clock *clock)
{
    if (!clock || clock->point_count > 2)
        return 0;
    for (unsigned i = 0; i < clock->point_count; i++) {
        const struct pilgrim_clock_point *p = &clock->points[i];
        if ((p->time_ns | p->error_ns) > TIME_MAX || (uint64_t)p->offset_ns + TIME_MAX > UINT64_C(2) * TIME_MAX)
            return 0;
    }
    return clock->point_count < 2 || goes_on(clock->points) ? clock->point_count : 0;
}

static int64_t bounded(uint64_t time_ns)
{
    return time_ns > COMMON_MAX ? COMMON_MAX : (int64_t)time_ns;
}

/* Returns A / B, rounded down. B is positive. */
static __int128 floored(__int128 a, __int128 b)
{
    return a / b - (a % b < 0);
}

/* The time on the common axis, by the first COUNT points of CLOCK, which may be used. */
static uint64_t common_time(const struct pilgrim_clock *clock, unsigned count, uint64_t time_ns)
{
    if (count == 0)
        return time_ns > COMMON_MAX ? COMMON_MAX : time_ns;
    const struct pilgrim_clock_point *p = clock->points;
    if (count == 2 && time_ns <= TIME_MAX) { /* nearly always, and much quicker */
        const int64_t time = (int64_t)time_ns, drift = p[1].offset_ns - p[0].offset_ns,
                      since = time - (int64_t)p[0].time_ns, span = (int64_t)(p[1].time_ns - p[0].time_ns);
        int64_t product, sum;
        if (!__builtin_mul_overflow(drift, since, &product) &&
            !__builtin_add_overflow(time + p[0].offset_ns, product / span - (product % span < 0), &sum))
            return sum < 0 ? 0 : (uint64_t)sum;
    }
    int64_t time = bounded(time_ns);
    __int128 common = (__int128)time + p[0].offset_ns;
    if (count > 1) {
        int64_t drift = p[1].offset_ns - p[0].offset_ns, since = time - (int64_t)p[0].time_ns,
                span = (int64_t)(p[1].time_ns - p[0].time_ns);
        common += floored((__int128)drift * since, span);
    }
    return common < 0 ? 0 : common > COMMON_MAX ? COMMON_MAX : (uint64_t)common;
}

uint64_t pilgrim_clock_common(const struct pilgrim_clock *clock, uint64_t time_ns)
{
    return common_time(clock, usable_points(clock), time_ns);
}

static __int128 distance(int64_t a, uint64_t b)
{
    return a > (int64_t)b ? a - (int64_t)b : (int64_t)b - a;
}

uint64_t pilgrim_clock_error(const struct pilgrim_clock *clock, uint64_t time_ns)
{
    unsigned count = usable_points(clock);
    if (count == 0)
        return UINT64_MAX;
    const struct pilgrim_clock_point *p = clock->points;
    int64_t time = bounded(time_ns);
    __int128 error;
    if (count == 1) {
        error = p[0].error_ns + (distance(time, p[0].time_ns) + DRIFT_PART - 1) / DRIFT_PART;
    } else {
        __int128 span = (__int128)(p[1].time_ns - p[0].time_ns);
        error =
            (p[0].error_ns * distance(time, p[1].time_ns) + p[1].error_ns * distance(time, p[0].time_ns) + span - 1) /
                span +
            1;
    }
    return error > INT64_MAX ? INT64_MAX : (uint64_t)error;
}

double pilgrim_clock_drift(const struct pilgrim_clock *clock)
{
    if (usable_points(clock) < 2)
        return 0;
    const struct pilgrim_clock_point *p = clock->points;
    return (double)(p[1].offset_ns - p[0].offset_ns) / (double)(p[1].time_ns - p[0].time_ns);
}

void pilgrim_clock_apply(const struct pilgrim_clock *clock, struct pilgrim_call *call)
{
    if (!clock || !call || !call->timed)
        return;
    const unsigned count = usable_points(clock);
    call->start_ns = common_time(clock, count, call->start_ns);
    call->end_ns = common_time(clock, count, call->end_ns);
}
