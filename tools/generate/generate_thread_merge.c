/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that do the same with numbers of their own: a tag, a communicator. Numbers that go up by one from thread to
 * thread become expressions of `thread_number`, so that such threads have one function. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

enum { GAP_MARK = 5 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* True if a number stands at AT in TEXT that is a value: no part of a name, of a text or a comment, and no label. */
static bool is_number(const char *text, const char *at)
{
    return is_digit(*at) &&
           (at == text || (!is_word(at[-1]) && at[-1] != GAP_MARK && at[-1] != '.' && at[-1] != ':')) &&
           !(at - text > 5 && strncmp(at - 5, "case ", 5) == 0);
}

/* Adds OWN, the program of thread NUMBER, to TEXT. Numbers that are so much higher in OTHER, the program of the thread
 * that is DELTA further on, become expressions. False: the programs differ in something else. */
static bool compare(const char *own, const char *other, uint32_t number, int delta, struct text *text)
{
    const char *a = own, *b = other;
    bool quoted = false;
    while (*a && *b) {
        const char *a_end = a + 1, *b_end = b + 1;
        if (*a == GAP_MARK && *b == GAP_MARK) {
            a_end += strspn(a_end, "0123456789");
            b_end += strspn(b_end, "0123456789");
            text_bytes(text, a, (size_t)(a_end - a));
        } else if (!quoted && is_number(own, a) && is_number(other, b)) {
            char *end;
            long long one = strtoll(a, &end, 10), two;
            a_end = end;
            two = strtoll(b, &end, 10);
            b_end = end;
            long long more = one - (long long)number;
            if (is_word(*a_end) || is_word(*b_end) || *a_end == '.' || (one != two && one + delta != two))
                return false;
            if (one == two)
                text_bytes(text, a, (size_t)(a_end - a));
            else if (more == 0)
                text_put(text, "thread_number");
            else
                text_put(text, "(thread_number %c %lld)", more < 0 ? '-' : '+', more < 0 ? -more : more);
        } else if (*a == *b) {
            quoted = quoted != (*a == '"' && (a == own || a[-1] != '\\'));
            text_bytes(text, a, 1);
        } else {
            return false;
        }
        a = a_end;
        b = b_end;
    }
    return !*a && !*b;
}

const char *thread_text_merged(const char *before, const char *own, const char *behind, uint32_t number)
{
    struct text text = {0};
    const char *made = own;
    if (behind && *behind && compare(own, behind, number, 1, &text))
        made = text_format("%s", text_of(&text));
    text.length = 0;
    if (made == own && before && *before && compare(own, before, number, -1, &text))
        made = text_format("%s", text_of(&text));
    text_free(&text);
    return made;
}
