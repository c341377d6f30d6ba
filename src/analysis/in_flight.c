/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls in flight; see in_flight.h. What the trace says of them is not trusted. */
#include "analysis/in_flight.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define US_A_SECOND 1000000
#define SINCE_MAX_S 1e11 /* a year of four digits */

struct in_flight_list in_flight_begin(const struct pilgrim_trace *trace)
{
    const char *text = pilgrim_property(trace, "in_flight");
    return (struct in_flight_list){text ? text : ""};
}

/* Takes a number of seconds that a blank stands before. < 0: there is none. */
static double take_seconds(const char **at)
{
    char *end;
    double seconds = **at == ' ' ? strtod(*at + 1, &end) : -1;
    if (**at == ' ')
        *at = end;
    return isfinite(seconds) && seconds >= 0 ? seconds : -1;
}

bool in_flight_find(struct in_flight_list *list, uint32_t rank, uint32_t thread, struct in_flight *call)
{
    while (*list->at) {
        char *end;
        const char *next = strstr(list->at, "; ");
        unsigned long of_rank = strtoul(list->at, &end, 10), of_thread = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
        if (of_rank > rank || (of_rank == rank && of_thread > thread))
            return false;
        const char *rest = end;
        list->at = next ? next + 2 : "";
        if (of_rank != rank || of_thread != thread)
            continue;
        double since = take_seconds(&rest);
        call->since_us = since >= 0 && since < SINCE_MAX_S ? (int64_t)llround(since * US_A_SECOND) : -1;
        call->seconds = since >= 0 ? take_seconds(&rest) : -1;
        return true;
    }
    return false;
}

void in_flight_text(const struct in_flight *call, bool json, char text[IN_FLIGHT_TEXT])
{
    char date[32] = "", since[64] = "", seconds[32] = "";
    time_t second = (time_t)(call->since_us / US_A_SECOND);
    struct tm parts;
    if (call->since_us >= 0 && gmtime_r(&second, &parts))
        strftime(date, sizeof date, json ? "%Y-%m-%dT%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &parts);
    if (*date)
        snprintf(since, sizeof since, json ? ",\"since\":\"%s.%06dZ\"" : " since %s.%06d UTC", date,
                 (int)(call->since_us % US_A_SECOND));
    if (*date && call->seconds >= 0 && call->seconds < SINCE_MAX_S)
        snprintf(seconds, sizeof seconds, json ? ",\"seconds\":%.6f" : " for %.3f s", call->seconds);
    snprintf(text, IN_FLIGHT_TEXT, "%s%s%s", json ? ",\"in_flight\":true" : "", since, seconds);
}
