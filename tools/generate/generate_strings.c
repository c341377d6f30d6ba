/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts as arguments: as C, or others in their place. */
#include <inttypes.h>
#include <string.h>

#include "analysis/call_values.h"
#include "generate.h"
#include "generate_functions.h"
#include "generate_state.h"

/* Writes a string as C: the number of the text in a list, whose texts stand in the program where they do not change. */
static void put_string(struct call_writer *w, const char *text, size_t length)
{
    struct proxy *p = w->state->proxy;
    struct text literal = {0};
    size_t i = 0;
    text_put(&literal, "\"");
    for (size_t k = 0; k < length; k++) {
        unsigned char c = (unsigned char)text[k];
        bool plain = c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '?';
        text_put(&literal, plain ? "%c" : "\\%03o", c);
    }
    text_put(&literal, "\"");
    const char *made = text_intern(text_of(&literal), literal.length);
    text_free(&literal);
    while (i < p->text_count && p->texts[i] != made)
        i++;
    if (i == p->text_count) {
        p->texts = generate_grow(p->texts, p->text_count, sizeof *p->texts);
        p->texts[p->text_count++] = made;
    }
    row_hole(w, HOLE_TEXT, (int64_t)i);
}

/* Info keys that the standard or MPI's libraries know: their values are no secrets. */
static bool is_known_key(const struct pilgrim_value *key)
{
    static const char *const keys[] = {"mpi_",
                                       "no_locks",
                                       "accumulate_",
                                       "same_",
                                       "alloc_shared_noncontig",
                                       "thread_level",
                                       "access_style",
                                       "collective_buffering",
                                       "cb_",
                                       "chunked",
                                       "striping_",
                                       "num_files",
                                       "nb_proc",
                                       "romio_"};
    for (size_t i = 0; key->type == PILGRIM_STRING && i < sizeof keys / sizeof *keys; i++)
        if (strncmp(key->text, keys[i], strlen(keys[i])) == 0)
            return true;
    return false;
}

static int64_t file_number(struct proxy *p, const struct pilgrim_value *v)
{
    const char *name = text_intern(v->text, v->length);
    for (size_t i = 0; i < p->file_count; i++)
        if (p->files[i] == name)
            return (int64_t)i;
    p->files = generate_grow(p->files, p->file_count, sizeof *p->files);
    p->files[p->file_count] = name;
    return (int64_t)p->file_count++;
}

void row_string(struct call_writer *w, size_t i)
{
    const struct pilgrim_value *v = &w->call->in[i];
    bool keep = w->state->proxy->options->keep_strings;
    enum generate_text what = w->function->parameters[i].text;
    if (v->type != PILGRIM_STRING) {
        row_text(w, "NULL");
    } else if (what == REPLAY_FILE_NAME) {
        const struct pilgrim_value *mode = call_in(w->call, "amode");
        bool creates = false;
        for (size_t k = 0; k < mode->count && mode->type == PILGRIM_FLAGS; k++)
            creates = creates || value_is_name(&mode->items[k], "MPI_MODE_CREATE");
        row_text(w, creates || value_is_name(mode, "MPI_MODE_CREATE") || mode->type == PILGRIM_NONE ? "file_name("
                                                                                                    : "old_file(");
        row_hole(w, HOLE, file_number(w->state->proxy, v));
        row_text(w, ")");
    } else if (what == REPLAY_PORT || what == REPLAY_OTHERS_PORT) {
        w->problem = "names of ports are of that run only";
    } else if (what == REPLAY_KEPT_TEXT || keep ||
               (what == REPLAY_INFO_VALUE && i > 0 && is_known_key(&w->call->in[i - 1]))) {
        put_string(w, v->text, v->length);
    } else {
        uint64_t hash = UINT64_C(1469598103934665603);
        for (size_t k = 0; k < v->length; k++)
            hash = (hash ^ (unsigned char)v->text[k]) * UINT64_C(1099511628211);
        const char *other = text_format("text-%06" PRIx64, (hash ^ hash >> 32) & 0xffffff);
        put_string(w, other, strlen(other));
    }
}
