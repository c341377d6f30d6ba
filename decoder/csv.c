/* SPDX-License-Identifier: BSD-3-Clause */
/* Views that are tables anyway, as comma-separated values; see csv.h. */
#include "csv.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "site_place.h"

void csv_properties(struct output *o, const struct pilgrim_trace *trace)
{
    struct csv c = {.out = o};
    const char *key, *value;
    out_text(o, "property,value\n");
    for (size_t i = 0; pilgrim_property_at(trace, i, &key, &value); i++) {
        csv_name(&c, key);
        csv_name(&c, value);
        csv_end(&c);
    }
}

static void put_row(struct csv *c, const struct call_profile *p, const struct profile_row *row,
                    struct source_lines *lines)
{
    const struct pilgrim_statistic *d = &row->durations;
    struct site_place place;
    find_place(&place, row->class->site, lines);
    csv_name(c, row->class->function->name);
    csv_frame(c, row->class->site);
    csv_name(c, place.function);
    csv_name(c, place.file);
    if (*place.file)
        csv_uint(c, place.line);
    else
        csv_empty(c, 1);
    csv_uint(c, row->calls);
    if (d->count > 0) {
        csv_ns(c, d->total_ns);
        csv_ns(c, d->mean_ns);
        csv_uint(c, d->max_ns);
        if (d->max_rank == PILGRIM_RANK_UNKNOWN)
            csv_empty(c, 1);
        else
            csv_uint(c, d->max_rank);
        csv_share(c, p->run_ns > 0 ? d->total_ns / p->run_ns : 0);
    } else {
        csv_empty(c, 5);
    }
    csv_uint(c, row->sent.messages);
    csv_uint(c, row->sent.bytes);
    csv_uint(c, row->failed);
    csv_uint(c, row->collective_bytes);
    csv_uint(c, row->window_bytes);
    csv_uint(c, row->file_bytes);
    csv_end(c);
}

void csv_profile(struct output *o, const struct call_profile *p, const char *function, struct source_lines *lines)
{
    struct csv c = {.out = o};
    out_text(o, "func,site,function,file,line,calls,total,mean,max,max_rank,share,messages,bytes,failed,"
                "collective_bytes,rma_bytes,io_bytes\n");
    for (size_t i = 0; i < p->function_count && !o->error; i++) {
        const struct profile_function *f = &p->functions[i];
        if (function && fnmatch(function, f->all.class->function->name, 0) != 0)
            continue;
        for (size_t k = 0; k < f->site_count; k++)
            put_row(&c, p, &f->sites[k], lines);
    }
}

static void csv_rank_row(void *context, const struct pilgrim_rank_profile *row)
{
    struct csv *c = context;
    csv_uint(c, row->first_rank);
    csv_uint(c, row->rank_count);
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++)
        csv_ns(c, row->ns[i]);
    csv_end(c);
}

enum pilgrim_status csv_rank_times(struct output *o, const struct pilgrim_trace *trace,
                                   bool (*choose)(const void *context, uint32_t rank), const void *context,
                                   struct pilgrim_error *error)
{
    struct csv c = {.out = o};
    out_text(o, "rank,ranks");
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++) {
        out_char(o, ',');
        json_activity(o, i);
    }
    out_char(o, '\n');
    return rank_rows_visit(trace, &(struct rank_rows){choose, context, csv_rank_row, &c}, error);
}

void csv_communicator_head(struct output *o)
{
    out_text(o, "rank,thread,comm,parent,sequence,inter,topology,size,comm_rank,remote_size,leader,identity,name\n");
}

void csv_communicator(struct output *o, uint32_t rank, const struct pilgrim_communicator *communicator,
                      const char *name)
{
    struct csv c = {.out = o};
    char identity[32];
    const int64_t numbers[] = {communicator->size, communicator->rank, communicator->remote_size, communicator->leader};
    snprintf(identity, sizeof identity, "%llx", (unsigned long long)communicator->identity);
    csv_uint(&c, rank);
    if (communicator->thread >= 0)
        csv_int(&c, communicator->thread);
    else
        csv_empty(&c, 1);
    csv_name(&c, communicator->name);
    csv_name(&c, communicator->parent);
    csv_uint(&c, communicator->sequence);
    csv_name(&c, communicator->inter ? "true" : "false");
    csv_name(&c, communicator->topology);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        csv_int(&c, numbers[i]);
    csv_name(&c, identity);
    csv_name(&c, name);
    csv_end(&c);
}

void csv_location_head(struct output *o)
{
    out_text(o, "rank,host,process,pid,threads\n");
}

void csv_location(struct output *o, const struct pilgrim_system *system, uint32_t rank)
{
    struct csv c = {.out = o};
    struct pilgrim_location location;
    struct pilgrim_host host;
    if (pilgrim_system_location(system, rank, &location) != PILGRIM_OK ||
        pilgrim_system_host(system, location.host, &host) != PILGRIM_OK)
        return;
    csv_uint(&c, rank);
    csv_name(&c, host.name);
    csv_uint(&c, location.process);
    if (location.pid >= 0)
        csv_int(&c, location.pid);
    else
        csv_empty(&c, 1);
    csv_uint(&c, location.threads);
    csv_end(&c);
}
