/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs; see made_program.h. Values are functions of the seed of a phase's behaviour, kind, slot and how many
 * calls of the kind there were, so they need no memory. */
#include "made_program.h"

#include <stdio.h>
#include <string.h>

#include "base/value.h"

/* What a number does from call to call. */
enum behaviour { CONSTANT, COUNTS, PERIODIC, FEW, MANY, SOME, WIDE, STAYS, LIKE_FIRST, BEHAVIOURS };

enum { CALLS_MIN = 4000, CALLS_MAX = 200000, EXTREMES = 6, PERIODS = 16 };

static const struct parameter_descriptor in_parameters[] = {
    {"a", DIRECTION_IN}, {"b", DIRECTION_IN}, {"c", DIRECTION_IN}, {"d", DIRECTION_IN}};
static const struct parameter_descriptor mixed_parameters[] = {
    {"a", DIRECTION_IN}, {"b", DIRECTION_OUT}, {"c", DIRECTION_INOUT}, {"d", DIRECTION_OUT}};
static const struct parameter_descriptor process_parameters[] = {{"views_rank", DIRECTION_IN},
                                                                 {"views_size", DIRECTION_IN}};

#define KIND(number, of, count)                                                                                        \
    {                                                                                                                  \
        "MPI_Kind_" #number, of##_parameters, count, number % 5 ? RETURNS_ERROR_CODE : RETURNS_VALUE, ACTIVITY_OTHER   \
    }
const struct function_descriptor made_functions[FUNCTIONS] = {
    KIND(0, in, 1),
    KIND(1, in, 2),
    KIND(2, in, 3),
    KIND(3, in, 4),
    KIND(4, mixed, 1),
    KIND(5, mixed, 2),
    KIND(6, mixed, 3),
    KIND(7, mixed, 4),
    KIND(8, in, 1),
    KIND(9, in, 2),
    KIND(10, in, 3),
    KIND(11, in, 4),
    KIND(12, mixed, 1),
    KIND(13, mixed, 2),
    KIND(14, mixed, 3),
    KIND(15, mixed, 4),
    KIND(16, in, 2),
    KIND(17, in, 3),
    KIND(18, in, 4),
    KIND(19, mixed, 3),
    KIND(20, mixed, 4),
    KIND(21, in, 2),
    KIND(22, mixed, 3),
    KIND(23, in, 0),
    [FUNCTION_OF_PROCESS] = {"pilgrim_process", process_parameters, 2, RETURNS_VALUE, ACTIVITY_OTHER},
};
const char *const made_names[NAMES] = {"NULL", "MPI_INT", "comm", "MPI_PROC_NULL", "MPI_MODE_CREATE", "MPI_MODE_RDWR"};

/* ---- draws ---- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t hash(uint64_t a, uint64_t b)
{
    return mix(a + UINT64_C(0x9e3779b97f4a7c15) * (b + 1));
}

static uint64_t draw(uint64_t *dice, uint64_t below)
{
    *dice += UINT64_C(0x9e3779b97f4a7c15);
    return mix(*dice) % below;
}

/* FROM to END, small ones as likely as large ones. */
static uint64_t draw_size(uint64_t *dice, uint64_t from, uint64_t end)
{
    while (from < end / 2 && draw(dice, 3))
        end -= end / 2;
    return from + draw(dice, end - from + 1);
}

/* ---- programs ---- */

static void make_phase(struct phase *phase, uint64_t *dice, uint64_t calls)
{
    unsigned pool[6], pool_count = 1 + (unsigned)draw(dice, 6), weight = 0;
    for (unsigned i = 0; i < pool_count; i++)
        pool[i] = (unsigned)draw(dice, KINDS);
    phase->behaviour = draw(dice, UINT64_MAX);
    phase->random = draw(dice, 5) == 0;
    phase->body_count = 1 + (unsigned)draw(dice, draw(dice, 2) ? BODY_MAX : 2);
    for (unsigned i = 0; i < phase->body_count; i++) {
        phase->body[i].kind = pool[draw(dice, pool_count)];
        phase->body[i].trips = draw(dice, 4) ? 1 : (unsigned)draw(dice, 4);
        weight += phase->body[i].trips ? phase->body[i].trips : 3;
    }
    phase->iterations = 1 + calls * (phase->random ? phase->body_count : 1) / weight;
}

/* Like phase FROM in all, or in what arguments do; so what was there before comes again. */
static void repeat_phase(struct phase *phase, const struct phase *from, uint64_t *dice)
{
    uint64_t iterations = phase->iterations;
    if (draw(dice, 2)) {
        *phase = *from;
        phase->iterations = draw(dice, 3) ? iterations : 1 + draw(dice, 30);
        return;
    }
    phase->behaviour = from->behaviour;
    for (unsigned i = 0; i < phase->body_count; i++)
        phase->body[i].kind = from->body[i % from->body_count].kind;
}

void program_make(struct program *p, uint64_t seed)
{
    uint64_t dice = mix(seed + 1), calls = draw_size(&dice, CALLS_MIN, CALLS_MAX);
    *p = (struct program){.seed = seed};
    p->ranks = draw(&dice, 3) ? 1 : 2 + (uint32_t)draw(&dice, RANKS_MAX - 1);
    p->threads = draw(&dice, 4) ? 1 : THREADS_MAX;
    p->rounds = draw(&dice, 3) ? 1 : 2 + (uint32_t)draw(&dice, ROUNDS_MAX - 1);
    p->phase_count = 1 + (unsigned)draw(&dice, PHASES_MAX);
    calls = calls / p->ranks / p->threads;
    for (unsigned i = 0; i < p->phase_count; i++) {
        make_phase(&p->phases[i], &dice,
                   draw(&dice, 3) ? calls / p->phase_count : draw(&dice, 2 * calls / p->phase_count));
        if (i > 0 && draw(&dice, 2))
            repeat_phase(&p->phases[i], &p->phases[draw(&dice, i)], &dice);
    }
}

void program_view(const struct program *p, uint32_t rank, unsigned view, int64_t *own, int64_t *size)
{
    *size = view ? 1 + p->ranks / 2 : p->ranks;
    *own = rank % *size;
}

/* ---- values ---- */

/* Where a value belongs to. */
struct spot {
    uint64_t behaviour; /* seed of all calls of this kind in this phase */
    uint64_t number;    /* of the call among those */
    uint64_t first;     /* the first number that was made of it */
    unsigned slots;     /* so far */
    unsigned variant;
};

static int64_t number_of(struct spot *s, uint64_t range)
{
    static const uint64_t periods[PERIODS] = {2, 3, 4, 7, 16, 63, 64, 65, 100, 500, 511, 513, 700, 1025, 2049, 5000};
    static const int64_t extremes[EXTREMES] = {0, INT64_MAX, INT64_MIN, 1, -1, INT64_MAX / 2 + 1};
    const uint64_t h = hash(s->behaviour, s->slots++), random = hash(h, s->number), base = hash(h, 0) % range;
    int64_t value = (int64_t)base;
    switch ((enum behaviour)(h >> 32) % BEHAVIOURS) {
    case CONSTANT:
    case BEHAVIOURS:
        break;
    case COUNTS:
        value += (int64_t)(s->number * (1 + h % 5)) * (h % 7 ? 1 : -1);
        break;
    case PERIODIC:
        value = (int64_t)(hash(h, s->number % periods[h % PERIODS]) % range);
        break;
    case FEW:
        value = (int64_t)(hash(h, random % (2 + h % 20)) % range);
        break;
    case MANY:
        value = (int64_t)(random % range);
        break;
    case SOME: /* out of line now and then */
        value = random % (3 + h % 300) ? value : (int64_t)(hash(random, 1) % range);
        break;
    case WIDE:
        value = random % (3 + h % 100) ? (int64_t)(random % range) : extremes[hash(random, 2) % EXTREMES];
        break;
    case STAYS: /* for some hundred calls */
        value = (int64_t)(hash(h, s->number / (100 + h % 1000)) % range);
        break;
    case LIKE_FIRST:
        value = (int64_t)(s->first * (1 + h % 4));
        break;
    }
    if (s->slots == 1)
        s->first = (uint64_t)value;
    return value;
}

static void put_number(struct bytes *key, struct spot *s, uint8_t tag, uint64_t range)
{
    bytes_put_u8(key, tag);
    bytes_put_u64(key, (uint64_t)number_of(s, range));
}

static void put_name(struct bytes *key, uint8_t tag, unsigned name)
{
    bytes_put_u8(key, tag);
    bytes_put_u8(key, (uint8_t)name);
    bytes_put_u8(key, 0);
}

static void put_ints(struct bytes *key, struct spot *s, uint32_t count)
{
    bytes_put_u8(key, VALUE_ARRAY);
    bytes_put_u32(key, count);
    for (uint32_t i = 0; i < count; i++)
        put_number(key, s, i % 4 == 3 ? VALUE_RANK : VALUE_INT, 4000);
}

static void put_text(struct bytes *key, struct spot *s)
{
    char text[32];
    int length = snprintf(text, sizeof text, "text %lld", (long long)number_of(s, 3000));
    bytes_put_u8(key, VALUE_STRING);
    bytes_put_u32(key, (uint32_t)length);
    bytes_put(key, text, (size_t)length);
}

static void put_status(struct bytes *key, struct spot *s)
{
    uint8_t bits = (uint8_t)(s->variant & 3);
    bytes_put_u8(key, VALUE_STATUS);
    bytes_put_u8(key, bits);
    put_number(key, s, VALUE_RANK, 4);
    put_number(key, s, VALUE_INT, 100);
    put_number(key, s, VALUE_INT, 10000);
    bytes_put_u8(key, VALUE_BOOL);
    bytes_put_u64(key, 0);
    if (bits & STATUS_ERROR)
        put_number(key, s, VALUE_INT, 60);
}

static void put_two(struct bytes *key, struct spot *s, uint8_t tag, uint64_t range)
{
    put_number(key, s, tag, 10);
    bytes_put_u64(key, (uint64_t)number_of(s, range));
}

static void put_value(struct bytes *key, struct spot *s, unsigned what)
{
    switch (what % 14) {
    case 0:
    case 1:
        put_number(key, s, VALUE_INT, 30000);
        break;
    case 2: /* a buffer, or none */
        if (s->variant % 3 == 1)
            put_name(key, VALUE_NAME, 0);
        else
            put_two(key, s, s->variant % 3 ? VALUE_STATIC : VALUE_HEAP, 1u << 20);
        break;
    case 3:
        put_number(key, s, s->variant % 2 ? VALUE_INT : VALUE_RANK, 16);
        break;
    case 4:
        put_two(key, s, VALUE_REQUEST, 40);
        break;
    case 5:
        put_status(key, s);
        break;
    case 6:
        put_ints(key, s, s->variant % 5);
        break;
    case 7: /* a series, at times */
        put_ints(key, s, s->variant % 4 ? 3 : VALUE_SERIES_MIN + 1);
        break;
    case 8:
        put_text(key, s);
        break;
    case 9:
        put_name(key, VALUE_OBJECT, 2);
        bytes_put_u64(key, (uint64_t)number_of(s, 3));
        break;
    case 10:
        bytes_put_u8(key, VALUE_RANK_BASE);
        bytes_put_u64(key, 1);
        put_number(key, s, VALUE_RANK, 8);
        break;
    case 11:
        put_name(key, VALUE_NAME, s->variant % 2 ? 1 : 3);
        break;
    case 12:
        put_number(key, s, VALUE_REAL, UINT64_MAX);
        break;
    default:
        bytes_put_u8(key, VALUE_NONE);
        break;
    }
}

static void put_values(struct bytes *key, struct spot *s, unsigned kind, const struct function_descriptor *f)
{
    static const enum direction sides[] = {DIRECTION_IN, DIRECTION_OUT};
    for (unsigned side = 0; side < 2; side++)
        for (unsigned p = 0; p < f->parameter_count; p++)
            if (f->parameters[p].direction & sides[side])
                put_value(key, s, (unsigned)hash(kind, p * 2 + side));
    put_number(key, s, VALUE_INT, kind % 5 ? 1 : 100);
}

/* Which of the kind's shapes: the same one, or another one at times, or in turn. */
static unsigned variant_of(uint64_t behaviour, uint64_t number)
{
    uint64_t h = hash(behaviour, UINT64_MAX - 1), rare = h % 40 + 2;
    switch (h >> 32 & 7) {
    case 0:
        return (unsigned)(hash(h, number) % 6);
    case 1:
        return (unsigned)(number % (2 + h % 3));
    case 2:
        return hash(h, number) % rare ? (unsigned)(h % 6) : (unsigned)(h % 5 + 1);
    default:
        return (unsigned)(h % 6);
    }
}

static void make_call(struct walk *w, const struct phase *phase, unsigned kind, struct made_call *call)
{
    const struct program *p = w->program;
    uint64_t behaviour = hash(phase->behaviour, kind), apart = hash(behaviour, 77) % 3;
    if (apart == 0) /* ranks differ */
        behaviour = hash(behaviour, w->rank);
    if (apart == 1 && hash(p->seed, w->rank) % 2)
        behaviour = hash(behaviour, 1 + w->thread);
    struct spot s = {.behaviour = behaviour, .number = w->met[kind]++};
    s.variant = variant_of(behaviour, s.number);
    call->kind = kind;
    call->failed_poll = kind % 8 == 6 && hash(behaviour, s.number) % 3 > 0;
    call->key.length = 0;
    put_values(&call->key, &s, kind, &made_functions[kind]);
    w->calls++;
}

/* ---- walks ---- */

void walk_begin(struct walk *w, const struct program *p, uint32_t rank, uint32_t thread)
{
    *w = (struct walk){.program = p, .rank = rank, .thread = thread};
    /* What is drawn on the way is the same for most ranks. */
    w->dice = hash(p->seed, hash(p->seed, 5) % 3 ? thread : 100 + rank * THREADS_MAX + thread);
}

/* Goes to the element after this one. False: the program has ended. */
static bool walk_on(struct walk *w)
{
    const struct program *p = w->program;
    if (!w->begun) {
        w->begun = true;
    } else if (++w->element == p->phases[w->phase].body_count) {
        w->element = 0;
        if (++w->iteration == p->phases[w->phase].iterations) {
            w->iteration = 0;
            memset(w->met, 0, sizeof w->met);
            w->phase++;
        }
    }
    if (w->phase == p->phase_count)
        return false;
    unsigned trips = p->phases[w->phase].body[w->element].trips;
    w->trips_left = trips ? trips : draw(&w->dice, 7);
    return true;
}

bool walk_next(struct walk *w, struct made_call *call)
{
    while (w->trips_left == 0)
        if (!walk_on(w))
            return false;
    w->trips_left--;
    const struct phase *phase = &w->program->phases[w->phase];
    unsigned element = phase->random ? (unsigned)draw(&w->dice, phase->body_count) : w->element;
    make_call(w, phase, phase->body[element].kind, call);
    return true;
}

bool walk_ends_round(const struct walk *w)
{
    const struct program *p = w->program;
    for (uint32_t i = 1; i < p->rounds; i++)
        if (w->calls == 1 + hash(p->seed, i + 10 * w->rank) % 3000 + 5000 * i)
            return true;
    return false;
}
