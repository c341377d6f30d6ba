/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions from symbols, by eye. Names of C++ are tested where the machine has a C++ library. */
#define HAVE_LIBDW 1
#include "../../src/analysis/function_names.c"

#include <check.h>

static void check_name(const char *symbol, const char *expected)
{
    char text[256];
    function_name_put(text, sizeof text, symbol);
    ck_assert_str_eq(text, expected);
}

static void check_short(const char *demangled, const char *expected)
{
    char text[256];
    put_short(text, sizeof text, demangled);
    ck_assert_str_eq(text, expected);
}

START_TEST(plain)
{
    check_name("main", "main");
    check_name("solve.part.0", "solve");
    check_name("solve._omp_fn.3", "solve");
    check_name(".text_name.cold", ".text_name");
    check_name("dgemm_", "dgemm_");
    check_name("MAIN__", "MAIN__");
    check_name("", "");
    check_name("_", "_");
    check_name("_Z", "_Z");
    check_name("_Zwrong", "_Zwrong");
}
END_TEST

START_TEST(fortran)
{
    check_name("__grid_MOD_swap", "grid::swap");
    check_name("__my_grid_MOD_swap_all.isra.0", "my_grid::swap_all");
    check_name("grid_mp_swap_", "grid::swap");
    check_name("__MOD_x", "__MOD_x");
    check_name("_mp_x", "_mp_x");
}
END_TEST

START_TEST(without_parameters)
{
    check_short("main", "main");
    check_short("f()", "f");
    check_short("mesh::exchange(int, std::vector<int, std::allocator<int> >&)", "mesh::exchange");
    check_short("void run<int (*)(double)>(int)", "run<int (*)(double)>");
    check_short("(anonymous namespace)::step(int)", "(anonymous namespace)::step");
    check_short("solve(int)::{lambda(int)#1}::operator()(int) const", "solve(int)::{lambda(int)#1}::operator()");
    check_short("std::ostream& operator<< <char>(std::ostream&, char)", "operator<< <char>");
    check_short("Vector::operator()(int)", "Vector::operator()");
    check_short("Vector::operator<(Vector const&)", "Vector::operator<");
    check_short("Vector::operator->()", "Vector::operator->");
    check_short("operator_of(int)", "operator_of");
    check_short("unbalanced((", "unbalanced");
    check_short("a>b<", "a>b<");
    check_short("f[abi:cxx11](int)", "f[abi:cxx11]");
}
END_TEST

START_TEST(demangled)
{
    if (!find_demangler())
        return;
    check_name("_ZN4mesh8exchangeEi", "mesh::exchange");
    check_name("_ZN6DomainC2Eiiiiiiiii", "Domain::Domain");
    check_name("_Z8CommRecvR6Domainiiiiibb.constprop.0", "CommRecv");
}
END_TEST

START_TEST(cut)
{
    char text[8];
    function_name_put(text, sizeof text, "a_long_name");
    ck_assert_str_eq(text, "a_long_");
    function_name_put(text, sizeof text, "__a_long_MOD_name");
    ck_assert_str_eq(text, "a_long:");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("function_names");
    TCase *tests = tcase_create("names");
    tcase_add_test(tests, plain);
    tcase_add_test(tests, fortran);
    tcase_add_test(tests, without_parameters);
    tcase_add_test(tests, demangled);
    tcase_add_test(tests, cut);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
