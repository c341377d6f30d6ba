/* SPDX-License-Identifier: BSD-3-Clause */
/* A journal of any bytes, looked at by pilgrim-top. What it prints has no control characters. The second of two looks
 * is at the same file, as when a job hangs. */
#define _GNU_SOURCE 1 /* memfd_create */
#include <ctype.h>

#include "../../tools/top/show.h"
#include "../../tools/top/unit_loops.h"
#include "fuzz.h"
#include "journal_blocks.h"

#define APART_S    1.0
#define PATIENCE_S 0.1

static void show(struct look *look, bool json)
{
    static struct output o = {.descriptor = -1};
    struct deadlocks found = {0};
    struct groups groups = {0};
    o.used = 0;
    find_unit_loops(look);
    ck_assert(deadlocks_find(look, PATIENCE_S, &found) && groups_make_all(&groups, look));
    const struct show what = {.o = &o, .look = look, .groups = &groups, .found = &found};
    if (json)
        show_json(&what);
    else
        show_text(&what);
    for (size_t i = 0; i < o.used; i++)
        ck_assert(o.buffer[i] == '\n' || !iscntrl((unsigned char)o.buffer[i]));
    groups_free(&groups);
    deadlocks_free(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static int file;
    char path[FUZZ_PATH_MAX], *paths[] = {path};
    struct look first, second = {0};
    bool none;
    fuzz_file(&file, data, length, path);
    if (look_take(&first, paths, 1, &none)) {
        show(&first, length % 2);
        if (look_take(&second, paths, 1, &none)) {
            second.when = first.when + APART_S;
            look_forget_logs(&first);
            look_compare(&second, &first);
            show(&second, length / 2 % 2);
        }
        look_free(&second);
    }
    look_free(&first);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t length, size_t max, unsigned seed)
{
    return journal_mutate(data, length, max, seed);
}
