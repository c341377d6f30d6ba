/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that had not returned when their process ended. pilgrim-merge says which threads were in one, and since when,
 * in the property "in_flight" (tools/merge/rank_endings.c): "0.0 1795415584.988853 2.802924; 1.0; ...", sorted. */
#ifndef ANALYSIS_IN_FLIGHT_H
#define ANALYSIS_IN_FLIGHT_H

#include <pilgrim/reader.h>
#include <stdbool.h>
#include <stdint.h>

/* A call in flight. */
struct in_flight {
    int64_t since_us; /* when it began, in microseconds since 1970; < 0: unknown */
    double seconds;   /* how long the thread was in it; < 0: unknown */
};

/* The calls in flight of a trace. Threads are asked for in their order. */
struct in_flight_list {
    const char *at;
};

struct in_flight_list in_flight_begin(const struct pilgrim_trace *trace);

/* True if the thread was in a call when its process ended: *CALL. */
bool in_flight_find(struct in_flight_list *list, uint32_t rank, uint32_t thread, struct in_flight *call);

enum { IN_FLIGHT_TEXT = 128 };

/* Sets TEXT to what stands behind a call: " since 2026-11-23 06:33:04.988953 UTC for 2.803 s". JSON: to members. */
void in_flight_text(const struct in_flight *call, bool json, char text[IN_FLIGHT_TEXT]);

#endif
