/* SPDX-License-Identifier: BSD-3-Clause */
/* The texts of markers; see phase_texts.h. */
#include "analysis/phase_texts.h"

#include <string.h>

#include "analysis/analysis_errors.h"

/* Signatures of a class that are read for their texts. */
enum { PHASE_SIGNATURES_MAX = 64 };

static void add_text(struct phase_texts *to, const char *text)
{
    for (size_t i = 0; i < to->count; i++)
        if (to->texts[i] == text)
            return;
    if (to->count < PHASE_TEXTS_MAX)
        to->texts[to->count++] = text;
    else
        to->more = true;
}

void phase_texts_add(struct phase_texts *to, const struct phase_texts *from)
{
    for (size_t i = 0; i < from->count; i++)
        add_text(to, from->texts[i]);
    to->more = to->more || from->more;
}

bool phase_texts_equal(const struct phase_texts *a, const struct phase_texts *b)
{
    bool equal = a->count == b->count && a->more == b->more;
    for (size_t i = 0; i < a->count && equal; i++)
        equal = a->texts[i] == b->texts[i];
    return equal;
}

enum pilgrim_status phase_texts_read(struct texts *all, struct pilgrim_cursor *cursor, size_t number,
                                     struct phase_texts *to, struct pilgrim_error *error)
{
    struct pilgrim_class_info info;
    struct pilgrim_call call;
    enum pilgrim_status status = pilgrim_class_info(cursor, number, &info);
    if (status != PILGRIM_OK)
        return no_group(status, error);
    if (info.body || strcmp(info.class_->function->name, "pilgrim_marker") != 0)
        return PILGRIM_OK;
    for (uint64_t i = 0; i < info.signature_count && !to->more; i++) {
        uint32_t text;
        if (i == PHASE_SIGNATURES_MAX) {
            to->more = true;
            break;
        }
        status = pilgrim_signature(cursor, number, i, &call, error);
        if (status != PILGRIM_OK)
            return status;
        const struct pilgrim_value *name = call.function->parameter_count > 0 ? &call.in[0] : &call.ret;
        if (!texts_add(all, name->type == PILGRIM_STRING && name->text ? name->text : "", 0, &text))
            return no_memory(error);
        add_text(to, texts_at(all, text));
    }
    return PILGRIM_OK;
}
