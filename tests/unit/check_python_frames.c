/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of Python, in memory that is made here as each version of CPython lays it out: a walk finds the frames that
 * Python shows, their functions and lines; a trail is true for the same frames alone, and for none after one of their
 * code objects was freed. */
#include "unwind/python_frames.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 100, CODE_BYTES = 1024, FRAME_BYTES = 128, OLDEST = 9, NEWEST = 13, PER_FRAME = 4 /* bytes of code */ };

static _Alignas(16) char codes[FRAMES][CODE_BYTES], frames[FRAMES][FRAME_BYTES], texts[FRAMES + 1][128];
static _Alignas(16) char thread_state[128], indirect[32];
static const struct python_layout *layout;
static bool has_thread;

static void put_pointer(char *at, size_t offset, const void *p)
{
    memcpy(at + offset, &p, sizeof p);
}

/* Makes the text TEXT, of Latin-1, at AT. */
static void put_text(char *at, const char *text, bool ascii)
{
    int64_t length = (int64_t)strlen(text);
    uint32_t state = 1 << 2 | 1 << 5 | (ascii ? 1 << 6 : 0);
    memcpy(at + 16, &length, sizeof length);
    memcpy(at + 32, &state, sizeof state);
    memcpy(at + (ascii ? layout->ascii : layout->other_texts), text, (size_t)length);
}

/* Makes frame I, at instruction AT of its code, inside of frame I + 1. */
static void put_frame(size_t i, int at, char owner, bool last)
{
    char *f = frames[i];
    int32_t index = at / (layout->index_unit ? layout->index_unit : 1);
    put_pointer(f, layout->code, codes[i]);
    put_pointer(f, layout->previous, last ? NULL : frames[i + 1]);
    if (layout->index_unit)
        memcpy(f + layout->instruction, &index, sizeof index);
    else
        put_pointer(f, layout->instruction, codes[i] + layout->code_start + at);
    if (layout->owner >= 0)
        f[layout->owner] = owner;
}

static void put_code(size_t i)
{
    char name[32];
    int32_t first = 4;
    snprintf(name, sizeof name, "f%zu", i);
    put_text(texts[i], name, true);
    put_pointer(codes[i], layout->file, texts[FRAMES]);
    put_pointer(codes[i], layout->name, texts[i]);
    if (layout->owner >= 0)
        memcpy(codes[i] + layout->first_traceable, &first, sizeof first);
}

static const void *thread(void)
{
    return has_thread ? thread_state : NULL;
}

static int line_of(void *code, int offset)
{
    return (int)(((char *)code - codes[0]) / CODE_BYTES) * 1000 + offset;
}

static void set_innermost(size_t i)
{
    if (layout->indirect >= 0)
        put_pointer(indirect, (size_t)layout->indirect, frames[i]);
    put_pointer(thread_state, layout->thread_frame, layout->indirect >= 0 ? indirect : frames[i]);
}

/* Makes COUNT frames in 3.MINOR. */
static void make(unsigned minor, size_t count)
{
    const struct python_source source = {python_layout_of(minor), thread, line_of};
    layout = source.layout;
    memset(codes, 0, sizeof codes);
    memset(frames, 0, sizeof frames);
    memset(texts, 0, sizeof texts);
    put_text(texts[FRAMES], "/a/b/script.py", true);
    for (size_t i = 0; i < count; i++) {
        put_code(i);
        put_frame(i, 20 + (int)i * PER_FRAME, 0, i + 1 == count);
    }
    set_innermost(0);
    has_thread = true;
    python_frames_begin(&source);
}

static void check_function(const struct python_chain *chain, unsigned shown, size_t i)
{
    char name[32];
    uint64_t line;
    snprintf(name, sizeof name, "f%zu", i);
    const struct python_function *f = python_chain_function(chain, shown, &line);
    ck_assert_ptr_nonnull(f);
    ck_assert_str_eq(f->module.python, name);
    ck_assert_str_eq(f->module.name, "script.py");
    ck_assert_uint_eq(line, i * 1000 + 20 + i * PER_FRAME);
}

static void forget_codes(void)
{
    for (size_t i = 0; i < FRAMES; i++)
        python_code_gone(codes[i]);
}

START_TEST(versions)
{
    ck_assert_ptr_null(python_layout_of(8));
    ck_assert_ptr_null(python_layout_of(14));
    for (unsigned minor = OLDEST; minor <= NEWEST; minor++) {
        static struct python_chain chain;
        make(minor, 5);
        ck_assert(python_chain_take(&chain, 64));
        ck_assert_uint_eq(chain.shown, 5);
        ck_assert(chain.whole);
        for (unsigned i = 0; i < 5; i++)
            check_function(&chain, i, i);
        ck_assert(python_chain_take(&chain, 2));
        ck_assert_uint_eq(chain.shown, 2);
        ck_assert(!chain.whole);
        make(minor, FRAMES);
        ck_assert(python_chain_take(&chain, 64));
        ck_assert_uint_eq(chain.shown, SITE_FRAMES_MAX);
        has_thread = false;
        ck_assert(!python_chain_take(&chain, 64));
        forget_codes();
    }
}
END_TEST

/* Frames of C code and those that have not begun are not shown; a generator's always is. */
START_TEST(hidden)
{
    for (unsigned minor = OLDEST + 2; minor <= NEWEST; minor++) {
        static struct python_chain chain;
        make(minor, 6);
        put_frame(0, 20, PYTHON_OWNER_C, false);
        put_pointer(frames[0], layout->code, NULL);
        put_frame(2, 6, 0, false);
        put_frame(3, 6, PYTHON_OWNER_GENERATOR, false);
        put_frame(5, 20, PYTHON_OWNER_C, true);
        ck_assert(python_chain_take(&chain, 64));
        ck_assert_uint_eq(chain.shown, 3);
        ck_assert_uint_eq(chain.count, 6);
        const unsigned shown[] = {1, 3, 4};
        for (unsigned i = 0; i < 3; i++)
            ck_assert_uint_eq(chain.shown_frames[i], shown[i]);
        set_innermost(5);
        ck_assert(!python_chain_take(&chain, 64));
        forget_codes();
    }
}
END_TEST

START_TEST(trails)
{
    for (unsigned minor = OLDEST; minor <= NEWEST; minor++) {
        static struct python_chain chain;
        make(minor, 5);
        ck_assert(python_chain_take(&chain, 64));
        struct python_trail *t = malloc(python_trail_bytes(&chain));
        python_trail_set(t, &chain);
        ck_assert(python_trail_is(t));
        for (size_t i = 0; i < 5; i++) {
            put_frame(i, 20 + (int)i * PER_FRAME + 4, 0, i == 4);
            ck_assert(!python_trail_is(t));
            put_frame(i, 20 + (int)i * PER_FRAME, 0, i == 4);
            put_pointer(frames[i], layout->code, codes[9]);
            ck_assert(!python_trail_is(t));
            put_pointer(frames[i], layout->code, codes[i]);
        }
        put_pointer(frames[4], layout->previous, frames[5]);
        ck_assert(!python_trail_is(t));
        put_pointer(frames[4], layout->previous, NULL);
        put_pointer(frames[3], layout->previous, NULL);
        ck_assert(!python_trail_is(t));
        put_pointer(frames[3], layout->previous, frames[4]);
        has_thread = false;
        ck_assert(!python_trail_is(t));
        has_thread = true;
        ck_assert(python_trail_is(t));
        python_frames_begin(NULL);
        ck_assert(!python_trail_is(t));
        free(t);
    }
}
END_TEST

/* Another code object at the same address has another function. One that is on no path changes nothing. */
START_TEST(freed)
{
    for (unsigned minor = OLDEST; minor <= NEWEST; minor++) {
        static struct python_chain chain;
        uint64_t line;
        make(minor, 3);
        ck_assert(python_chain_take(&chain, 64));
        for (unsigned i = 0; i < 3; i++)
            check_function(&chain, i, i);
        struct python_trail *t = malloc(python_trail_bytes(&chain));
        python_trail_set(t, &chain);
        python_code_gone(codes[50]);
        ck_assert(python_trail_is(t));
        python_code_gone(codes[1]);
        ck_assert(!python_trail_is(t));
        ck_assert(python_trail_ended(t));
        python_trail_set(t, &chain);
        python_code_gone(codes[1]); /* nobody has looked at it since */
        ck_assert(python_trail_is(t));
        put_text(texts[1], "xy", true);
        ck_assert_str_eq(python_chain_function(&chain, 1, &line)->module.python, "xy");
        check_function(&chain, 0, 0);
        free(t);
        forget_codes();
    }
}
END_TEST

START_TEST(files)
{
    static const char *const names[][2] = {{"/a/b/s.py", "s.py"},
                                           {"s.py", "s.py"},
                                           {"/a/b/__init__.py", "b/__init__.py"},
                                           {"b/__main__.py", "b/__main__.py"},
                                           {"__main__.py", "__main__.py"},
                                           {"/__main__.py", "__main__.py"},
                                           {"<frozen a/b>", "<frozen a/b>"},
                                           {"<string>", "<string>"},
                                           {"/a/", ""}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        static struct python_chain chain;
        uint64_t line;
        make(11, 1);
        memset(texts[FRAMES], 0, sizeof texts[FRAMES]);
        put_text(texts[FRAMES], names[i][0], true);
        ck_assert(python_chain_take(&chain, 64));
        ck_assert_str_eq(python_chain_function(&chain, 0, &line)->module.name, names[i][1]);
        forget_codes();
    }
}
END_TEST

/* Makes a text of COUNT characters of WIDTH bytes. */
static void put_wide(char *at, const uint32_t *characters, size_t count, size_t width)
{
    int64_t length = (int64_t)count;
    uint32_t state = (uint32_t)width << 2 | 1 << 5;
    memcpy(at + 16, &length, sizeof length);
    memcpy(at + 32, &state, sizeof state);
    for (size_t i = 0; i < count; i++)
        memcpy(at + layout->other_texts + i * width, &characters[i], width);
}

START_TEST(characters)
{
    static const uint32_t wide[] = {'a', 0xe9, 0x20ac, 0x1f600};
    static const char *const utf8[] = {"a", "a\xc3\xa9", "a\xc3\xa9\xe2\x82\xac",
                                       "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"};
    for (unsigned minor = OLDEST; minor <= NEWEST; minor++) {
        char text[64], out[32];
        layout = python_layout_of(minor);
        for (size_t width = 1; width <= 4; width *= 2) {
            size_t count = width == 1 ? 2 : width == 2 ? 3 : 4;
            put_wide(text, wide, 0, width);
            ck_assert(python_text(layout, text, out, sizeof out));
            ck_assert_str_eq(out, "");
            static char room[128];
            put_wide(room, wide, count, width);
            ck_assert(python_text(layout, room, out, sizeof out));
            ck_assert_str_eq(out, utf8[count - 1]);
            ck_assert(python_text(layout, room, out, 3)); /* cut between characters */
            ck_assert_str_eq(out, "a");
        }
        uint32_t state = 3 << 2 | 1 << 5;
        memcpy(text + 32, &state, sizeof state);
        ck_assert(!python_text(layout, text, out, sizeof out));
        state = 1 << 2;
        memcpy(text + 32, &state, sizeof state);
        ck_assert(!python_text(layout, text, out, sizeof out));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("python_frames");
    TCase *cases = tcase_create("made memory");
    tcase_add_test(cases, versions);
    tcase_add_test(cases, hidden);
    tcase_add_test(cases, trails);
    tcase_add_test(cases, freed);
    tcase_add_test(cases, files);
    tcase_add_test(cases, characters);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
