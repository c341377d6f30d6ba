/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints communicators (--communicators), a line each. */
#include <string.h>

#include "print.h"

static void print_json(struct output *o, uint32_t rank, const struct pilgrim_communicator *c)
{
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {{"size", c->size}, {"comm_rank", c->rank}, {"remote_size", c->remote_size}, {"leader", c->leader}};
    out_text(o, "{\"rank\":");
    out_uint(o, rank);
    out_text(o, ",\"thread\":");
    if (c->thread >= 0)
        out_int(o, c->thread);
    else
        out_text(o, "null");
    out_text(o, ",\"comm\":");
    out_json_string(o, c->name, strlen(c->name));
    out_text(o, ",\"parent\":");
    if (c->parent)
        out_json_string(o, c->parent, strlen(c->parent));
    else
        out_text(o, "null");
    out_text(o, ",\"sequence\":");
    out_uint(o, c->sequence);
    out_text(o, c->inter ? ",\"inter\":true" : ",\"inter\":false");
    out_text(o, ",\"topology\":");
    out_json_string(o, c->topology, strlen(c->topology));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        out_json_field(o, numbers[i].name, numbers[i].value);
    out_text(o, ",\"identity\":\"");
    out_hex(o, c->identity);
    out_text(o, "\"}\n");
}

static void print_text(struct output *o, uint32_t rank, const struct pilgrim_communicator *c)
{
    out_uint(o, rank);
    out_char(o, '.');
    if (c->thread >= 0)
        out_int(o, c->thread);
    else
        out_char(o, '-');
    out_char(o, ' ');
    out_name(o, c->name);
    if (c->parent) {
        out_text(o, " from ");
        out_name(o, c->parent);
    }
    out_text(o, " #");
    out_uint(o, c->sequence);
    if (strcmp(c->name, "MPI_COMM_NULL") != 0) {
        out_text(o, c->inter ? ": inter, size " : ": intra, size ");
        out_int(o, c->size);
        if (c->inter) {
            out_text(o, " and ");
            out_int(o, c->remote_size);
        }
        out_text(o, ", rank ");
        out_int(o, c->rank);
        if (strcmp(c->topology, "MPI_UNDEFINED") != 0) {
            out_text(o, ", ");
            out_name(o, c->topology);
        }
        out_text(o, ", leader ");
        out_int(o, c->leader);
        out_text(o, ", identity ");
        out_hex(o, c->identity);
    }
    out_char(o, '\n');
}

void communicator_print(struct output *o, uint32_t rank, const struct pilgrim_communicator *c, bool json)
{
    if (json)
        print_json(o, rank, c);
    else
        print_text(o, rank, c);
}
