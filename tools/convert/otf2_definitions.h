/* SPDX-License-Identifier: BSD-3-Clause */
/* The global definitions of an OTF2 archive: texts, the machine, processes and threads, groups and communicators. */
#ifndef CONVERT_OTF2_DEFINITIONS_H
#define CONVERT_OTF2_DEFINITIONS_H

#include <otf2/otf2.h>

#include "convert.h"

struct otf2_text;

/* The number of the first group of ranks (rank_groups.h). */
enum { OTF2_GROUP_OF_RANKS = 3 };

/* All zero but the first four: there are none yet. After an error, `bad` says which, and nothing more is written. */
struct otf2_definitions {
    const struct convert *c;
    OTF2_GlobalDefWriter *writer;
    const uint64_t *events; /* of each location, for otf2_define_all; */
    const bool *opened;     /* of each file: a record says that it is opened */
    struct otf2_text *texts, *nodes, *parameters, *regions;
    uint32_t text_count, node_count, parameter_count, region_count, group_count;
    OTF2_ErrorCode bad;
    bool short_of_memory;
};

/* Returns the number of a text. */
OTF2_StringRef otf2_define_text(struct otf2_definitions *d, const char *text);

/* The same of a text that may have any bytes. */
OTF2_StringRef otf2_define_printable(struct otf2_definitions *d, const char *text);

/* Returns the number of a parameter of calls, whose values are of TYPE. */
OTF2_ParameterRef otf2_define_parameter(struct otf2_definitions *d, const char *name, OTF2_ParameterType type);

/* Returns the region of the calls of a function at a place. */
OTF2_RegionRef otf2_define_region(struct otf2_definitions *d, const struct pilgrim_function *function,
                                  const struct call_place *place);

/* Defines all that is known only in the end, with times from FIRST to LAST. */
void otf2_define_all(struct otf2_definitions *d, uint64_t first_ns, uint64_t last_ns);

void otf2_definitions_free(struct otf2_definitions *d);

#endif
