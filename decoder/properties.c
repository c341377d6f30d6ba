/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints properties; see properties.h. */
#include "properties.h"

#include <string.h>

void properties_print(struct output *out, const struct pilgrim_trace *trace, bool json)
{
    const char *key, *value;
    for (size_t i = 0; pilgrim_property_at(trace, i, &key, &value); i++) {
        if (!json) {
            out_name(out, key);
            out_text(out, ": ");
            out_name(out, value);
            out_char(out, '\n');
            continue;
        }
        out_text(out, "{\"property\":");
        out_json_string(out, key, strlen(key));
        out_text(out, ",\"value\":");
        out_json_string(out, value, strlen(value));
        out_text(out, "}\n");
    }
}

void properties_print_left_out(struct output *out, const struct pilgrim_trace *trace)
{
    const char *filter = pilgrim_property(trace, "filter"), *key, *value;
    size_t inside = 0;
    if (filter) {
        out_text(out, "functions left out: ");
        out_name(out, filter);
        out_char(out, '\n');
    }
    for (size_t i = 0; pilgrim_property_at(trace, i, &key, &value); i++)
        if (strcmp(key, "inside") == 0) {
            out_text(out, inside++ ? ", " : "some calls inside other calls (of callbacks, signal handlers) left out: ");
            out_name(out, value);
        }
    if (inside)
        out_char(out, '\n');
}
