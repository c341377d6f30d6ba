/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses a shard that is not in a file yet; see prove.h. */
#include "read/file/prove.h"

#include <stdio.h>

#include "read/file/shard_load.h"

static enum pilgrim_status prove_sections(struct cursor *in, struct shard *v, struct budget *budget,
                                          struct proof *proof)
{
    struct pilgrim_error error = {.status = PILGRIM_OK};
    enum pilgrim_status status = PILGRIM_OK;
    while (status == PILGRIM_OK && cursor_left(in) > 0) {
        struct section section;
        status = section_read(in, &section);
        if (status != PILGRIM_OK || section.damage || section.type == SECTION_TIMES || section.type == SECTION_END ||
            section.type >= SECTION_TYPE_COUNT) {
            snprintf(proof->problem, sizeof proof->problem, "%s", "not a section");
            return PILGRIM_DAMAGED;
        }
        proof->section = section.type;
        status = shard_take(v, &section, budget, &error);
    }
    if (status != PILGRIM_OK)
        snprintf(proof->problem, sizeof proof->problem, "%s", error.message);
    return status;
}

enum pilgrim_status prove_shard(const void *sections, size_t length, struct proof *proof)
{
    const struct trace_source source = {.data = sections, .descriptor = -1, .length = length, .memory = UINT64_MAX};
    struct budget budget = open_budget(&source, 0, 0);
    struct shard *v = shard_new(0, &source);
    struct cursor in;
    *proof = (struct proof){0};
    if (!v)
        return PILGRIM_NOMEM;
    cursor_init(&in, sections, length);
    enum pilgrim_status status = prove_sections(&in, v, &budget, proof);
    shard_free(v);
    return status;
}
