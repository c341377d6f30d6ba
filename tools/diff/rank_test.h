/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether two samples come from one distribution, by ranks alone: outliers count for no more than other values. */
#ifndef PILGRIM_DIFF_RANK_TEST_H
#define PILGRIM_DIFF_RANK_TEST_H

#include <stddef.h>

/* What the test says of B against A. */
struct rank_test {
    double z;         /* of the Mann-Whitney statistic, with the correction for ties; positive: B is greater */
    double median[2]; /* of A and B */
    double shift;     /* by how much B is greater: the median of all differences (Hodges and Lehmann) */
    double low, high; /* with a probability of 95 % the shift is between these */
};

/* Tests two samples of at least one value each, which are sorted in place.
 * Mann, Whitney: On a test of whether one of two random variables is stochastically larger than the other. Annals of
 * Mathematical Statistics 18 (1947). The interval: Hollander, Wolfe, Chicken: Nonparametric Statistical Methods, 4.3.
 */
struct rank_test rank_test_do(double *a, size_t n, double *b, size_t m);

#endif
