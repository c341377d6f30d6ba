/* texts: strings that are new in each call, and some that come again.
 *
 *     texts [ROUNDS]     1500 if not given
 *
 * Exercises: keys and values of infos that count up, are drawn at random or come again, equal on all ranks or not; a
 * call site with few different strings for a long time, then all different; empty strings; bytes that are not UTF-8. */
#include "expect.h"

#include <string.h>

enum { KEYS = 40 };

static int rank;

static unsigned draw(unsigned below)
{
    static unsigned long long state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

/* One place for all. */
static void set(MPI_Info info, const char *key, const char *value)
{
    char found[64];
    int flag;

    MPI_Info_set(info, key, value);
    MPI_Info_get(info, key, sizeof found - 1, found, &flag);
    EXPECT(flag && !strcmp(found, value));
}

static void count_up(int rounds)
{
    MPI_Info info;
    char key[64], value[64];

    MPI_Info_create(&info);
    for (int i = 0; i < rounds; i++) {
        snprintf(key, sizeof key, "key%d", i % KEYS);
        snprintf(value, sizeof value, "/scratch/step-%06d/rank-%d.out", i, rank);
        set(info, key, value);
    }
    MPI_Info_free(&info);
}

static void at_random(int rounds)
{
    MPI_Info info;
    char value[64];

    MPI_Info_create(&info);
    for (int i = 0; i < rounds; i++) {
        snprintf(value, sizeof value, "%08x", draw(3) ? draw(1u << 31) : draw(50) + (unsigned)rank);
        MPI_Info_set(info, i % 2 ? "odd \"one\"" : "even\\one", value);
    }
    MPI_Info_free(&info);
}

/* Few strings for so long that nothing is recorded anew when they become many; then few again. */
static void late(int rounds)
{
    char name[64] = "";

    for (int i = 0; i < 20 * rounds; i++) {
        if (i > 6 * rounds && i < 10 * rounds)
            snprintf(name, sizeof name, "comm %d of \xc3\xa9\xfe", i * (rank + 1));
        else
            snprintf(name, sizeof name, "%.*s", i % 3, "ab");
        MPI_Comm_set_name(MPI_COMM_SELF, name);
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1500;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    count_up(rounds);
    at_random(rounds);
    late(rounds);
    count_up(rounds / 2);
    int status = expect_verdict("texts", MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}
/* SPDX-License-Identifier: BSD-3-Clause */
