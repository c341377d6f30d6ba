/* SPDX-License-Identifier: BSD-3-Clause */
/* Endings; see endings_print.h. pilgrim-merge sets the properties (tools/merge/rank_endings.c). */
#include "endings_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/crashes.h"
#include "csv_cells.h"

static const struct part {
    const char *property;
    const char *says;
} parts[] = {
    {"endings", "ended before MPI_Finalize was over"},
    {"missing", "nothing is left of these ranks"},
    {"cut", "of these ranks there are only the first calls"},
};

/* ---- crashes ---- */

static const char *crashes_of(const struct pilgrim_trace *trace)
{
    const char *text = pilgrim_property(trace, "crashes");
    return text ? text : "";
}

static void print_crash_json(struct output *out, const struct crash *crash, struct source_lines *lines)
{
    out_text(out, "{\"rank\":");
    out_uint(out, crash->rank);
    if (crash->thread >= 0)
        out_json_field(out, "thread", crash->thread);
    if (crash->has_address) {
        out_text(out, ",\"address\":\"0x");
        out_hex(out, crash->address);
        out_char(out, '"');
    }
    char *stack = crash_stack_text(crash, lines);
    out_text(out, ",\"stack\":");
    out_json_string(out, stack ? stack : "", stack ? strlen(stack) : 0);
    out_char(out, '}');
    free(stack);
}

/* Prints the member "crashes" of the ending ENDING, "signal 11", if some are known. */
static void print_crashes_json(struct output *out, const struct pilgrim_trace *trace, struct source_lines *lines,
                               const char *ending)
{
    struct crash crash;
    bool some = false;
    unsigned signal;
    if (sscanf(ending, "signal %u", &signal) != 1)
        return;
    for (const char *at = crashes_of(trace); crash_take(&at, &crash);) {
        if (crash.signal != signal)
            continue;
        out_text(out, some ? "," : ",\"crashes\":[");
        print_crash_json(out, &crash, lines);
        some = true;
    }
    out_text(out, some ? "]" : "");
}

/* Prints a line for each crash: "rank 2 got signal 11 at address 0x10 in kernel.c:12 < solver.c:31". */
static void print_crashes(struct output *out, const struct pilgrim_trace *trace, struct source_lines *lines)
{
    struct crash crash;
    const char *at = crashes_of(trace);
    while (crash_take(&at, &crash)) {
        char *stack = crash_stack_text(&crash, lines);
        out_text(out, "rank ");
        out_uint(out, crash.rank);
        if (crash.thread > 0) {
            out_text(out, ", thread ");
            out_int(out, crash.thread);
            out_char(out, ',');
        }
        out_text(out, " got signal ");
        out_uint(out, crash.signal);
        if (crash.has_address) {
            out_text(out, " at address 0x");
            out_hex(out, crash.address);
        }
        out_text(out, " in ");
        out_name(out, stack ? stack : "?");
        out_char(out, '\n');
        free(stack);
    }
    out_text(out, *at ? "where more ranks got a signal is not in the trace\n" : "");
}

/* Prints an item of the property "endings": "signal 11: 0-2". */
static void print_ending(struct output *out, const struct pilgrim_trace *trace, struct source_lines *lines,
                         const char *item, size_t length)
{
    const char *colon = memchr(item, ':', length);
    size_t how = colon ? (size_t)(colon - item) : length, ranks = colon ? how + 2 : length;
    out_text(out, "{\"ending\":");
    out_json_string(out, item, how);
    out_text(out, ",\"ranks\":");
    out_json_string(out, item + (ranks < length ? ranks : length), ranks < length ? length - ranks : 0);
    print_crashes_json(out, trace, lines, item);
    out_text(out, "}\n");
}

static void print_json(struct output *out, const struct pilgrim_trace *trace, struct source_lines *lines,
                       const char *property, const char *value)
{
    if (strcmp(property, "endings") != 0) {
        out_text(out, "{\"ending\":");
        out_json_string(out, property, strlen(property));
        out_text(out, ",\"ranks\":");
        out_json_string(out, value, strlen(value));
        out_text(out, "}\n");
        return;
    }
    for (const char *item = value; *item;) {
        const char *end = strstr(item, "; ");
        size_t length = end ? (size_t)(end - item) : strlen(item);
        print_ending(out, trace, lines, item, length);
        item += length + (end ? 2 : 0);
    }
}

bool endings_are_partial(const struct pilgrim_trace *trace)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (pilgrim_property(trace, parts[i].property))
            return true;
    return false;
}

void endings_print_partial(struct output *out, const char *prefix, const struct pilgrim_trace *trace)
{
    const char *separator = "partial trace: ";
    if (!endings_are_partial(trace))
        return;
    out_text(out, prefix);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *value = pilgrim_property(trace, parts[i].property);
        if (!value)
            continue;
        out_text(out, separator);
        out_text(out, parts[i].says);
        out_text(out, " (");
        out_name(out, value);
        out_char(out, ')');
        separator = ", ";
    }
    out_char(out, '\n');
}

/* True if RANK is in a list such as "0-2,7,9-15/2". */
static bool list_has_rank(const char *list, size_t length, uint32_t rank)
{
    for (const char *at = list, *end = list + length; at < end && *at >= '0' && *at <= '9';) {
        char *behind;
        unsigned long first = strtoul(at, &behind, 10), last = first, step = 1;
        if (*behind == '-')
            last = strtoul(behind + 1, &behind, 10);
        if (*behind == '/')
            step = strtoul(behind + 1, &behind, 10);
        if (rank >= first && rank <= last && step > 0 && (rank - first) % step == 0)
            return true;
        at = behind + (*behind == ',');
        while (at < end && *at == ' ')
            at++;
        if (at == behind)
            break;
    }
    return false;
}

bool endings_print_cell(struct output *out, const struct pilgrim_trace *trace, uint32_t rank)
{
    struct csv c = {.out = out};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *value = pilgrim_property(trace, parts[i].property);
        const bool named = i == 0; /* "signal 11: 0-2; exit 3: 5" */
        for (const char *item = value ? value : ""; *item;) {
            const char *end = strstr(item, "; ");
            const size_t length = end ? (size_t)(end - item) : strlen(item);
            const char *colon = named ? memchr(item, ':', length) : NULL;
            const char *ranks = colon ? colon + 2 : item;
            if (ranks < item + length && list_has_rank(ranks, (size_t)(item + length - ranks), rank)) {
                if (colon)
                    csv_text(&c, item, (size_t)(colon - item));
                else
                    csv_name(&c, parts[i].property);
                out_char(out, ',');
                return true;
            }
            item += length + (end ? 2 : 0);
        }
    }
    return false;
}

void endings_print(struct output *out, const struct pilgrim_trace *trace, struct source_lines *lines, bool json)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *value = pilgrim_property(trace, parts[i].property);
        if (!value)
            continue;
        if (json) {
            print_json(out, trace, lines, parts[i].property, value);
            continue;
        }
        out_text(out, parts[i].says);
        out_text(out, ": ");
        out_name(out, value);
        out_char(out, '\n');
    }
    if (!json)
        print_crashes(out, trace, lines);
}
