/* Where ranks ran, a line each. */
#include <string.h>

#include "print.h"

static void json_location(struct output *o, uint32_t rank, const struct pilgrim_host *host,
                          const struct pilgrim_location *l)
{
    out_text(o, "{\"rank\":");
    out_uint(o, rank);
    out_text(o, ",\"place\":");
    for (size_t i = 0; i < host->level_count; i++) {
        out_text(o, i ? ",{\"class\":" : "[{\"class\":");
        out_json_string(o, host->levels[i].kind, strlen(host->levels[i].kind));
        out_text(o, ",\"name\":");
        out_json_string(o, host->levels[i].name, strlen(host->levels[i].name));
        out_char(o, '}');
    }
    out_text(o, host->level_count ? "]" : "null");
    out_json_field(o, "process", l->process);
    if (l->pid >= 0)
        out_json_field(o, "pid", l->pid);
    else
        out_text(o, ",\"pid\":null");
    out_json_field(o, "threads", l->threads);
    out_text(o, "}\n");
}

static void text_location(struct output *o, uint32_t rank, const struct pilgrim_host *host,
                          const struct pilgrim_location *l)
{
    out_text(o, "rank ");
    out_uint(o, rank);
    out_text(o, ": ");
    for (size_t i = 0; i < host->level_count; i++) {
        out_json_escaped(o, host->levels[i].kind, strlen(host->levels[i].kind));
        out_char(o, ' ');
        out_json_escaped(o, host->levels[i].name, strlen(host->levels[i].name));
        out_text(o, ", ");
    }
    out_text(o, host->level_count ? "process " : "unknown, process ");
    out_uint(o, l->process);
    if (l->pid >= 0) {
        out_text(o, ", pid ");
        out_int(o, l->pid);
    }
    out_text(o, ", ");
    out_uint(o, l->threads);
    out_text(o, l->threads == 1 ? " thread\n" : " threads\n");
}

void location_print(struct output *o, const struct pilgrim_system *system, uint32_t rank, bool json)
{
    struct pilgrim_location location;
    struct pilgrim_host host;
    if (pilgrim_system_location(system, rank, &location) != PILGRIM_OK ||
        pilgrim_system_host(system, location.host, &host) != PILGRIM_OK)
        return;
    if (json)
        json_location(o, rank, &host, &location);
    else
        text_location(o, rank, &host, &location);
}
