/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters that say which operation a call begins or completes; see request_parameters.h. */
#include "read/table/request_parameters.h"

#include <string.h>

struct begun_parameters begun_parameters(const struct pilgrim_function *f)
{
    static const char *const names[BEGUN_ITEMS] = {"source", "tag", "count"};
    struct begun_parameters p = {
        .items = {BEGUN_NOWHERE, BEGUN_NOWHERE, BEGUN_NOWHERE}, .request = BEGUN_NOWHERE, .ended = BEGUN_NOWHERE};
    for (size_t i = f->parameter_count; i-- > 0;) {
        const struct pilgrim_parameter *parameter = &f->parameters[i];
        for (size_t k = 0; k < BEGUN_ITEMS; k++)
            if (strcmp(parameter->name, names[k]) == 0)
                p.items[k] = parameter->direction & PILGRIM_IN ? (uint32_t)i : BEGUN_NOWHERE;
        if (p.request == BEGUN_NOWHERE && parameter->direction == PILGRIM_OUT &&
            strcmp(parameter->name, "request") == 0)
            p.request = (uint32_t)i;
        if (p.ended == BEGUN_NOWHERE && parameter->direction == PILGRIM_INOUT &&
            (strcmp(parameter->name, "request") == 0 || strcmp(parameter->name, "array_of_requests") == 0))
            p.ended = (uint32_t)i;
    }
    return p;
}
