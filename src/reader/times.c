/* How long the calls of each class took; docs/FORMAT.md, section 6. */
#include "reader/trace.h"

#define TIME_CODE_COUNT 7424

static uint16_t parse_time(struct parser *p)
{
    unsigned code = cursor_u8(&p->in);
    code |= (unsigned)cursor_u8(&p->in) << 8;
    if (!parser_good(p) || code >= TIME_CODE_COUNT)
        parser_fail(p, "a time that does not exist");
    return (uint16_t)code;
}

void times_parse(struct parser *p)
{
    const struct volume *v = p->volume;
    for (size_t i = 0; i < v->group_count && parser_good(p); i++) {
        struct group *group = &v->groups[i];
        group->times = parser_take(p, group->row_count, sizeof *group->times);
        for (uint32_t k = 0; k < group->row_count && parser_good(p); k++)
            for (unsigned j = 0; j < 3 && !row_is_loop(v, group->rows[k]); j++)
                group->times[k][j] = parse_time(p);
    }
}
