/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the head of a times section of several threads; see common_section.h. */
#include "read/file/common_section.h"

#include "timing/common_times.h"

static void pass_numbers(struct cursor *in, uint64_t count)
{
    for (uint64_t i = 0; i < count && in->status == PILGRIM_OK; i++)
        cursor_varint(in);
}

enum pilgrim_status common_section_read(struct cursor *in, struct common_section *s, const char **problem)
{
    *problem = "does not say which calls it is of";
    s->calls = cursor_count(in, 1);
    s->order = *in;
    pass_numbers(in, s->calls);
    s->thread_count = cursor_count(in, 2);
    s->numbers = *in;
    pass_numbers(in, s->thread_count);
    s->starts = *in;
    pass_numbers(in, s->thread_count);
    if (in->status != PILGRIM_OK)
        return in->status;
    bool good =
        s->calls && s->thread_count && s->calls <= COMMON_ORDER_MAX && s->thread_count <= COMMON_ORDER_MAX / s->calls;
    return good ? PILGRIM_OK : PILGRIM_DAMAGED;
}
