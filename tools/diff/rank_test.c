/* SPDX-License-Identifier: BSD-3-Clause */
/* The rank test; see rank_test.h. No list of all differences is made: how many are below a number is counted in one
 * pass through both sorted samples, and the number is found by halves. */
#include "rank_test.h"

#include <math.h>
#include <stdlib.h>

#define Z_95 1.959964

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns how many pairs have B - A below D, and half of those that have D. */
static double pairs_below(const double *a, size_t n, const double *b, size_t m, double d)
{
    double pairs = 0;
    size_t below = 0, same = 0; /* values of B below a[i] + d, and up to there */
    for (size_t i = 0; i < n; i++) {
        while (below < m && b[below] - a[i] < d)
            below++;
        if (same < below)
            same = below;
        while (same < m && b[same] - a[i] <= d)
            same++;
        pairs += (double)below + (double)(same - below) / 2;
    }
    return pairs;
}

/* Returns the difference that COUNT pairs are below; COUNT is K - 0.5 for the K-th difference. */
static double difference_at(const double *a, size_t n, const double *b, size_t m, double count)
{
    double low = b[0] - a[n - 1], high = b[m - 1] - a[0];
    for (int i = 0; i < 60 && low < high; i++) {
        double middle = low + (high - low) / 2;
        if (pairs_below(a, n, b, m, middle) < count)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Returns the sum of t^3 - t over the values that come t times in both samples together. */
static double ties(const double *a, size_t n, const double *b, size_t m)
{
    double sum = 0;
    for (size_t i = 0, j = 0; i < n || j < m;) {
        double value = j == m || (i < n && a[i] <= b[j]) ? a[i] : b[j], t = 0;
        for (; i < n && a[i] == value; i++)
            t++;
        for (; j < m && b[j] == value; j++)
            t++;
        sum += t * t * t - t;
    }
    return sum;
}

static double median(const double *a, size_t n)
{
    return n % 2 ? a[n / 2] : (a[n / 2 - 1] + a[n / 2]) / 2;
}

struct rank_test rank_test_do(double *a, size_t n, double *b, size_t m)
{
    double x = (double)n, y = (double)m, all = x + y, pairs = x * y;
    qsort(a, n, sizeof *a, by_value);
    qsort(b, m, sizeof *b, by_value);
    double variance = pairs / 12 * (all + 1 - ties(a, n, b, m) / (all * (all - 1)));
    double greater = pairs - pairs_below(a, n, b, m, 0) - pairs / 2; /* pairs in which B is greater, above half */
    double continuous = fabs(greater) > 0.5 ? fabs(greater) - 0.5 : 0;
    double half = Z_95 * sqrt(pairs * (all + 1) / 12);
    struct rank_test t = {.z = variance > 0 ? copysign(continuous / sqrt(variance), greater) : 0,
                          .median = {median(a, n), median(b, m)}};
    t.shift =
        (difference_at(a, n, b, m, ceil(pairs / 2) - 0.5) + difference_at(a, n, b, m, floor(pairs / 2) + 0.5)) / 2;
    t.low = difference_at(a, n, b, m, fmax(pairs / 2 - half, 0.5));
    t.high = difference_at(a, n, b, m, fmin(pairs / 2 + half, pairs - 0.5));
    return t;
}
