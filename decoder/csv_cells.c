/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of comma-separated values; see csv_cells.h. */
#include "csv_cells.h"

#include <stdio.h>
#include <string.h>

static struct output *begin_cell(struct csv *c)
{
    if (c->begun)
        out_char(c->out, ',');
    c->begun = true;
    return c->out;
}

void csv_text(struct csv *c, const char *text, size_t length)
{
    struct output *o = begin_cell(c);
    bool quoted = length > 0 && (text[0] == ' ' || text[length - 1] == ' ');
    for (size_t i = 0; i < length && !quoted; i++)
        quoted = text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
    if (quoted)
        out_char(o, '"');
    for (size_t n; length > 0; text += n, length -= n) {
        char shown[PILGRIM_PRINTABLE_MAX];
        n = pilgrim_printable(text, length, shown);
        if (*text == '"')
            out_char(o, '"');
        out_text(o, shown);
    }
    if (quoted)
        out_char(o, '"');
}

void csv_name(struct csv *c, const char *name)
{
    csv_text(c, name ? name : "", name ? strlen(name) : 0);
}

void csv_uint(struct csv *c, uint64_t v)
{
    out_uint(begin_cell(c), v);
}

void csv_int(struct csv *c, int64_t v)
{
    out_int(begin_cell(c), v);
}

void csv_ns(struct csv *c, double ns)
{
    out_uint(begin_cell(c), ns < 0x1p64 ? (uint64_t)(ns + 0.5) : UINT64_MAX);
}

void csv_real(struct csv *c, double number, int digits)
{
    char text[48];
    snprintf(text, sizeof text, "%.*f", digits, number);
    out_text(begin_cell(c), text);
}

void csv_share(struct csv *c, double share)
{
    csv_real(c, share, 6);
}

void csv_empty(struct csv *c, unsigned count)
{
    for (; count > 0; count--)
        begin_cell(c);
}

void csv_frame(struct csv *c, const struct pilgrim_frame *frame)
{
    char text[512];
    if (!frame) {
        csv_empty(c, 1);
        return;
    }
    snprintf(text, sizeof text, "%s+0x%llx", frame->module, (unsigned long long)frame->offset);
    csv_name(c, text);
}

void csv_end(struct csv *c)
{
    out_char(c->out, '\n');
    c->begun = false;
}
