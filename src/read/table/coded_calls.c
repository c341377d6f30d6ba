/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes calls by what the definitions say; see format/calls_code.h. */
#include "read/table/coded_calls.h"

#include <stdlib.h>

#include "format/calls_code.h"

/* Notes what P's definitions say. */
static void fill(const struct parser *p, const struct calls_known *known)
{
    const struct shard *v = p->shard;
    for (size_t i = 0; i < v->class_count; i++) {
        known->classes[i].function = v->classes[i].function;
        known->classes[i].is_loop = v->functions[v->classes[i].function].is_loop;
    }
    for (size_t i = 0; i < v->shape_count; i++) {
        known->shapes[i].tokens = v->shapes[i].tokens;
        known->shapes[i].length = v->shapes[i].length;
        known->shapes[i].columns = v->shapes[i].column_count;
    }
}

static void decode(struct parser *p, const struct calls_known *known, const struct section *section,
                   struct bytes *content)
{
    const uint64_t memory = calls_code_memory(known, (size_t)section->raw);
    if (!parser_charge(p, memory))
        return;
    enum pilgrim_status status = calls_decode(known, section->stored_type, section->stored, section->stored_length,
                                              (size_t)section->raw, content);
    if (status != PILGRIM_OK)
        parser_fail_with(p, status, "cannot be decoded");
    p->budget->bytes += memory;
}

void coded_calls_take(struct parser *p, const struct section *section, struct bytes *content)
{
    const struct shard *v = p->shard;
    struct calls_known known = {
        .class_count = v->class_count, .shape_count = v->shape_count, .function_count = v->function_count};
    if (section->raw > CODED_CALLS_MAX) {
        parser_fail(p, "more than coded calls may be");
        return;
    }
    known.classes = malloc((known.class_count + 1) * sizeof *known.classes);
    known.shapes = malloc((known.shape_count + 1) * sizeof *known.shapes);
    if (known.classes && known.shapes) {
        fill(p, &known);
        decode(p, &known, section, content);
    } else {
        parser_fail_with(p, PILGRIM_NOMEM, "not enough memory");
    }
    free(known.classes);
    free(known.shapes);
}
