/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds values by name; see call_values.h. */
#include "analysis/call_values.h"

#include <string.h>

static const struct pilgrim_value none = {.type = PILGRIM_NONE};

static const struct pilgrim_value *find(const struct pilgrim_call *call, const struct pilgrim_value *values,
                                        const char *name, enum pilgrim_direction direction)
{
    const struct pilgrim_function *f = call->function;
    for (size_t i = 0; i < f->parameter_count; i++)
        if (((unsigned)f->parameters[i].direction & (unsigned)direction) && strcmp(f->parameters[i].name, name) == 0)
            return &values[i];
    return &none;
}

const struct pilgrim_value *call_in(const struct pilgrim_call *call, const char *name)
{
    return find(call, call->in, name, PILGRIM_IN);
}

const struct pilgrim_value *call_out(const struct pilgrim_call *call, const char *name)
{
    return find(call, call->out, name, PILGRIM_OUT);
}

const char *call_short_name(const char *function)
{
    if (strncmp(function, "MPIX_", 5) == 0)
        return function + 5;
    return strncmp(function, "MPI_", 4) == 0 ? function + 4 : NULL;
}

bool call_succeeded(const struct pilgrim_call *call)
{
    return call->function->returns_error_code && call->ret.type == PILGRIM_INT && call->ret.integer == 0;
}

bool value_count(const struct pilgrim_value *v, uint64_t *count)
{
    *count = (uint64_t)v->integer;
    return v->type == PILGRIM_INT && v->integer >= 0;
}

bool value_truth(const struct pilgrim_value *v, bool *truth)
{
    if (v->type != PILGRIM_BOOL && v->type != PILGRIM_INT)
        return false;
    *truth = v->integer != 0;
    return true;
}

bool value_is_name(const struct pilgrim_value *v, const char *name)
{
    return v->type == PILGRIM_NAME && strcmp(v->text, name) == 0;
}
