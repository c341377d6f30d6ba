/* SPDX-License-Identifier: BSD-3-Clause */
/* Endings; see endings_print.h. pilgrim-merge sets the properties (tools/merge/journals.c). */
#include "endings_print.h"

#include <stdlib.h>
#include <string.h>

#include "csv_cells.h"

static const struct part {
    const char *property;
    const char *says;
} parts[] = {
    {"endings", "ended before MPI_Finalize was over"},
    {"missing", "nothing is left of these ranks"},
    {"cut", "of these ranks there are only the first calls"},
};

/* Prints an item of the property "endings": "signal 11: 0-2". */
static void print_ending(struct output *out, const char *item, size_t length)
{
    const char *colon = memchr(item, ':', length);
    size_t how = colon ? (size_t)(colon - item) : length, ranks = colon ? how + 2 : length;
    out_text(out, "{\"ending\":");
    out_json_string(out, item, how);
    out_text(out, ",\"ranks\":");
    out_json_string(out, item + (ranks < length ? ranks : length), ranks < length ? length - ranks : 0);
    out_text(out, "}\n");
}

static void print_json(struct output *out, const char *property, const char *value)
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
        print_ending(out, item, length);
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

void endings_print(struct output *out, const struct pilgrim_trace *trace, bool json)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *value = pilgrim_property(trace, parts[i].property);
        if (!value)
            continue;
        if (json) {
            print_json(out, parts[i].property, value);
            continue;
        }
        out_text(out, parts[i].says);
        out_text(out, ": ");
        out_name(out, value);
        out_char(out, '\n');
    }
}
