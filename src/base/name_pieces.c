/* SPDX-License-Identifier: BSD-3-Clause */
/* Names in pieces; see name_pieces.h. */
#include "base/name_pieces.h"

#include <stdbool.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && is_digit(text[count]))
        count++;
    return count;
}

static int64_t number_of(const char *digits, size_t count)
{
    bool padded = count > 1 && digits[0] == '0';
    int64_t number = padded;
    for (size_t i = 0; i < count; i++)
        number = number * 10 + (digits[i] - '0');
    return padded ? -number : number;
}

struct name_piece name_piece(const char *name, size_t length)
{
    size_t at = 0;
    while (at < length) {
        size_t digits = count_digits(name + at, length - at);
        if (digits && digits <= NAME_DIGITS_MAX)
            break;
        at += digits ? digits : 1;
    }
    if (at)
        return (struct name_piece){.text = name, .length = at};
    size_t digits = count_digits(name, length);
    return (struct name_piece){.length = digits, .number = number_of(name, digits)};
}

size_t name_digits(int64_t number, char digits[NAME_NUMBER_DIGITS_MAX])
{
    char reversed[NAME_NUMBER_DIGITS_MAX];
    size_t count = 0;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do {
        reversed[count++] = (char)('0' + left % 10);
        left /= 10;
    } while (left);
    count -= number < 0;
    for (size_t i = 0; i < count; i++)
        digits[i] = reversed[count - 1 - i];
    return count;
}
