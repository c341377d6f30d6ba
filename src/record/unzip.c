/* SPDX-License-Identifier: BSD-3-Clause */
/* Unzipping; see unzip.h. What was recorded is recorded again if it is little, else only new calls are unzipped. */
#include "record/unzip.h"

#include "base/try.h"
#include "record/class_signature.h"
#include "record/texts.h"
#include "rules/rules_walk.h"

/* Forgets what is expected, after skeletons have got other slots. Signatures that were unzipped by fewer slots
 * cannot come again. All others stay in the tables, so that none gets two numbers. */
static void forget(struct signatures *s)
{
    struct class_signature *e, *next;
    HASH_ITER(hh, s->unzipped, e, next)
    {
        if (e->varying != e->unzipped->skeleton->varying)
            HASH_DELETE(hh, s->unzipped, e);
    }
    for (uint32_t i = 0; i < s->count; i++)
        s->by_terminal[i]->successor = NULL;
    s->last = NULL;
    s->expected = NULL;
    s->expected_varies = NULL;
    s->expected_length = 0;
}

/* Records all calls of S in TO. */
static enum pilgrim_status record_again(const struct signatures *s, struct signatures *to, struct intern *pool)
{
    struct bytes b = {0};
    struct rules rules = {0};
    struct rules_cursor at = {0};
    struct cursor c;
    uint64_t terminal;
    enum pilgrim_status status = sequence_serialise(&s->sequence, pool, &b);
    cursor_init(&c, b.data, b.length);
    if (status == PILGRIM_OK)
        status = rules_parse(&c, s->count, &rules);
    if (status == PILGRIM_OK)
        status = rules_cursor_init(&at, &rules, RULES_SEQUENCE(0));
    while (status == PILGRIM_OK && rules_cursor_next(&at, &terminal)) {
        const struct class_signature *e = s->by_terminal[terminal];
        to->checked = to->count; /* not considered now */
        status = signature_append(to, pool, e->key, e->length);
    }
    rules_cursor_free(&at);
    rules_free(&rules);
    bytes_free(&b);
    return status;
}

/* Records all calls of S again, by its skeletons as they are now. S is as before if that fails. */
static enum pilgrim_status replay(struct signatures *s, struct intern *pool)
{
    struct signatures again = {.skeletons = s->skeletons,
                               .texts = s->texts,
                               .numbered = s->numbered,
                               .number_base = s->number_base + s->count};
    enum pilgrim_status status = record_again(s, &again, pool);
    struct signatures *useless = status == PILGRIM_OK ? s : &again;
    useless->skeletons = NULL;
    signatures_free(useless);
    if (status == PILGRIM_OK) {
        again.checked = again.count;
        again.checked_calls = sequence_length(&again.sequence);
        *s = again;
    }
    return status;
}

/* Chooses slots with more than DISTINCT values among the signatures from number FIRST on. If ALL, all calls are
 * recorded again. */
static enum pilgrim_status unzip(struct signatures *s, struct intern *pool, uint32_t first, uint32_t distinct, bool all)
{
    bool unzipped;
    TRY(skeletons_choose(&s->skeletons, s, first, distinct, &unzipped));
    if (!unzipped)
        return PILGRIM_OK;
    if (all)
        return replay(s, pool);
    forget(s);
    return PILGRIM_OK;
}

/* Turns the strings of keys into numbers of texts. If calls are not recorded again, slots are chosen later, when
 * there are enough signatures with numbers. */
static enum pilgrim_status number_texts(struct signatures *s, struct intern *pool, uint32_t distinct, bool all)
{
    s->numbered = true;
    if (!all) {
        forget(s);
        return PILGRIM_OK;
    }
    TRY(replay(s, pool));
    return unzip(s, pool, 0, distinct, true);
}

enum pilgrim_status unzip_consider(struct signatures *s, struct intern *pool, uint32_t distinct)
{
    uint64_t calls = sequence_length(&s->sequence), since = calls - s->checked_calls;
    uint32_t first = s->checked;
    bool all = !s->skeletons && calls <= UNZIP_REPLAY, vary = false;
    s->checked = s->count;
    s->checked_calls = calls;
    if (since > (uint64_t)(s->skeletons ? UNZIP_SHARE_AGAIN : UNZIP_SHARE) * (s->count - first))
        return PILGRIM_OK;
    if (s->texts && !s->numbered)
        TRY(texts_vary(s, first, &vary));
    return vary ? number_texts(s, pool, distinct, all) : unzip(s, pool, first, distinct, all);
}
