/* SPDX-License-Identifier: BSD-3-Clause */
/* The range coder: any sequence is read back, likely symbols take few bytes, and any bytes can be read without harm. */
#include "format/range_coder.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

enum { CONTEXTS = 5, STEPS = 4000 };

struct coder_model {
    struct bit_context flags[CONTEXTS];
    struct number_context numbers[CONTEXTS];
};

static uint64_t draw_bits(unsigned bits)
{
    uint64_t v = (uint64_t)random_below(UINT32_MAX) << 32 | random_below(UINT32_MAX);
    return bits ? v >> (64 - bits) : 0;
}

/* ---- there and back ---- */

enum symbol_kind { FLAG, BITS, NUMBER, DIFFERENCE, KINDS };

struct step {
    enum symbol_kind kind;
    unsigned context, bits;
    uint64_t value;
};

#define NUMBER_MAX ((UINT64_C(1) << 63) - 2)

/* BIAS: how likely flags are; numbers are mostly small, and sometimes the largest ones. */
static struct step draw_step(unsigned bias)
{
    static const uint64_t largest[] = {NUMBER_MAX, NUMBER_MAX - 1, UINT64_C(1) << 62, (UINT64_C(1) << 62) - 1};
    struct step s = {.kind = random_below(KINDS), .context = random_below(CONTEXTS)};
    switch (s.kind) {
    case FLAG:
        s.value = random_below(1000) < bias;
        break;
    case BITS:
        s.bits = random_below(64);
        s.value = draw_bits(s.bits);
        break;
    default:
        s.value = random_below(50) ? draw_bits(random_below(4) ? random_below(8) : random_below(63))
                                   : largest[random_below(4)];
        if (s.kind == DIFFERENCE && random_below(2))
            s.value = 0 - s.value;
    }
    return s;
}

static void write_step(struct range_encoder *e, struct coder_model *m, const struct step *s)
{
    if (s->kind == FLAG)
        encode_flag(e, &m->flags[s->context], s->value);
    else if (s->kind == BITS)
        encode_bits(e, s->bits, s->value);
    else if (s->kind == NUMBER)
        encode_number(e, &m->numbers[s->context], s->value);
    else
        encode_difference(e, &m->numbers[s->context], (int64_t)s->value);
}

static uint64_t read_step(struct range_decoder *d, struct coder_model *m, const struct step *s)
{
    if (s->kind == FLAG)
        return decode_flag(d, &m->flags[s->context]);
    if (s->kind == BITS)
        return decode_bits(d, s->bits);
    if (s->kind == NUMBER)
        return decode_number(d, &m->numbers[s->context]);
    return (uint64_t)decode_difference(d, &m->numbers[s->context]);
}

/* Behind what is there in OUT, which stays. */
static void there_and_back(unsigned count, unsigned bias)
{
    static struct step steps[STEPS];
    static const char before[] = "before";
    struct bytes out = {0};
    struct coder_model m;
    struct range_encoder e;
    struct range_decoder d;
    bytes_put(&out, before, sizeof before);
    encoder_init(&e, &out);
    CONTEXTS_INIT(&m);
    for (unsigned i = 0; i < count; i++) {
        steps[i] = draw_step(bias);
        write_step(&e, &m, &steps[i]);
    }
    encoder_end(&e);
    ck_assert_int_eq(bytes_status(&out), PILGRIM_OK);
    ck_assert_uint_ge(out.length, sizeof before);
    ck_assert_mem_eq(out.data, before, sizeof before);
    EXPECT(out.length == sizeof before || out.data[out.length - 1] != 0, "zeros at the end");
    size_t length = out.length - sizeof before;
    uint8_t *copy = malloc(length + 1); /* so that a sanitizer sees a read behind its end */
    memcpy(copy, out.data + sizeof before, length);
    copy = realloc(copy, length + !length);
    decoder_init(&d, copy, length);
    CONTEXTS_INIT(&m);
    for (unsigned i = 0; i < count; i++) {
        uint64_t found = read_step(&d, &m, &steps[i]);
        EXPECT(found == steps[i].value, "step %u of kind %u: %llu in place of %llu", i, steps[i].kind,
               (unsigned long long)found, (unsigned long long)steps[i].value);
    }
    EXPECT(!d.damaged && d.position == length, "damage, or bytes left over");
    free(copy);
    bytes_free(&out);
}

START_TEST(what_is_written_is_read)
{
    static const unsigned biases[] = {0, 1, 10, 200, 500, 990, 1000};
    for (unsigned round = 0; round < 4000; round++) {
        random_state = round;
        there_and_back(round < 3000 ? round % 60 : random_below(STEPS), biases[round % 7]);
    }
}
END_TEST

/* Long runs narrow the interval to its ends, where a carry could be. */
START_TEST(any_bits)
{
    for (unsigned length = 0; length <= 14; length++)
        for (unsigned bits = 0; bits < 1u << length; bits++) {
            struct bit_context c[2];
            struct bytes out = {0};
            struct range_encoder e;
            struct range_decoder d;
            encoder_init(&e, &out);
            contexts_init(c, 2);
            for (unsigned i = 0; i < length; i++)
                for (unsigned k = 0; k < 5; k++)
                    encode_flag(&e, &c[i % 2], bits >> i & 1);
            encoder_end(&e);
            decoder_init(&d, out.data, out.length);
            contexts_init(c, 2);
            for (unsigned i = 0; i < length; i++)
                for (unsigned k = 0; k < 5; k++)
                    EXPECT(decode_flag(&d, &c[i % 2]) == (bits >> i & 1), "%u bits %x", length, bits);
            bytes_free(&out);
        }
}
END_TEST

/* ---- sizes ---- */

/* Of X up to 1, by hand, so that no mathematics library is needed. */
static double log_2(double x)
{
    double log = 0, bit = 1;
    for (; x < 1; x *= 2)
        log -= 1;
    for (int i = 0; i < 40; i++) {
        x *= x;
        bit /= 2;
        if (x >= 2) {
            x /= 2;
            log += bit;
        }
    }
    return log;
}

static double entropy(double p)
{
    return p <= 0 || p >= 1 ? 0 : -p * log_2(p) - (1 - p) * log_2(1 - p);
}

START_TEST(size_is_near_the_entropy)
{
    static const unsigned parts[] = {0, 2, 10, 50, 100, 250, 500, 750, 900, 990, 1000};
    enum { FLAGS = 40000 };
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct bit_context c;
        struct bytes out = {0};
        struct range_encoder e;
        unsigned ones = 0;
        random_state = i;
        encoder_init(&e, &out);
        contexts_init(&c, 1);
        for (unsigned k = 0; k < FLAGS; k++) {
            bool one = random_below(1000) < parts[i];
            ones += one;
            encode_flag(&e, &c, one);
        }
        encoder_end(&e);
        double bits = 8 * (double)out.length, least = entropy((double)ones / FLAGS) * FLAGS;
        /* A context never believes more than 1023 in 1024, and never stops learning. */
        EXPECT(bits <= 1.02 * least + 0.015 * FLAGS + 64, "%u of 1000: %g bits, entropy %g", parts[i], bits, least);
        EXPECT(bits >= 0.9 * least - 64, "%u of 1000: %g bits, entropy %g", parts[i], bits, least);
        bytes_free(&out);
    }
}
END_TEST

/* What is always the same soon costs nearly nothing, and bits without context cost one each. */
START_TEST(sizes)
{
    struct coder_model m;
    struct bytes out = {0};
    struct range_encoder e;
    encoder_init(&e, &out);
    encoder_end(&e);
    ck_assert_uint_eq(out.length, 0); /* nothing */
    CONTEXTS_INIT(&m);
    encoder_init(&e, &out);
    for (unsigned i = 0; i < 1000; i++)
        encode_number(&e, &m.numbers[0], 7);
    encoder_end(&e);
    ck_assert_uint_le(out.length, 1000 * (2 * 8) / 8); /* 7 is 2^3 - 1: two bits of it have no context */
    ck_assert_uint_le(out.length, 290);
    out.length = 0;
    encoder_init(&e, &out);
    random_state = 1;
    for (unsigned i = 0; i < 1000; i++)
        encode_bits(&e, 8, random_below(256));
    encoder_end(&e);
    ck_assert_uint_ge(out.length, 998);
    ck_assert_uint_le(out.length, 1001);
    bytes_free(&out);
}
END_TEST

/* ---- hostile bytes ---- */

/* Whatever is there, and behind its end, each step takes bounded time, and gives a number that can be. */
START_TEST(random_bytes)
{
    unsigned damaged = 0;
    for (unsigned round = 0; round < 3000; round++) {
        struct coder_model m;
        struct range_decoder d;
        size_t length = round % 3 ? random_below(40) : 0;
        uint8_t *data = malloc(length + !length);
        random_state = round;
        for (size_t i = 0; i < length; i++)
            data[i] = (uint8_t)(round % 5 == 0 ? 0 : round % 5 == 1 ? 0xff : random_below(256));
        CONTEXTS_INIT(&m);
        decoder_init(&d, data, length);
        for (unsigned i = 0; i < 500; i++) {
            struct step s = draw_step(500);
            bool before = d.damaged;
            uint64_t v = read_step(&d, &m, &s);
            if (s.kind == BITS)
                EXPECT(s.bits == 0 ? v == 0 : v >> (s.bits - 1) <= 1, "too many bits");
            if (s.kind == NUMBER)
                EXPECT(v <= INT64_MAX && !(before && v != 0), "a number that cannot be");
            if (s.kind == DIFFERENCE)
                EXPECT((int64_t)v != INT64_MIN && !(before && v != 0), "a difference that cannot be");
        }
        EXPECT(d.position <= length, "read behind the end");
        damaged += d.damaged;
        free(data);
    }
    ck_assert_uint_gt(damaged, 0);
}
END_TEST

/* The beginning of what was written gives the same beginning, then anything. */
START_TEST(cut_off)
{
    struct coder_model m;
    struct bytes out = {0};
    struct range_encoder e;
    encoder_init(&e, &out);
    CONTEXTS_INIT(&m);
    random_state = 2;
    for (unsigned i = 0; i < 300; i++)
        encode_number(&e, &m.numbers[0], random_below(100));
    encoder_end(&e);
    for (size_t length = 0; length <= out.length; length++) {
        struct range_decoder d;
        uint64_t right = 0;
        decoder_init(&d, out.data, length);
        CONTEXTS_INIT(&m);
        random_state = 2;
        while (right < 300 && decode_number(&d, &m.numbers[0]) == random_below(100))
            right++;
        EXPECT(length == out.length ? right == 300 : 8 * length < 10 * right + 64, "%zu of %zu bytes: %llu numbers",
               length, out.length, (unsigned long long)right);
    }
    bytes_free(&out);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("range_coder");
    TCase *tests = tcase_create("range_coder");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, what_is_written_is_read);
    tcase_add_test(tests, any_bits);
    tcase_add_test(tests, size_is_near_the_entropy);
    tcase_add_test(tests, sizes);
    tcase_add_test(tests, random_bytes);
    tcase_add_test(tests, cut_off);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
