/* SPDX-License-Identifier: MIT */
/*
 * The part of Criterion that the suites use, in one process without its sandbox: for
 * ThreadSanitizer builds, as Criterion's inheritable memory and tsan's want the same addresses
 * (Criterion issue 274), and under qemu (tests/repository/aarch64), where the sandbox cannot start itself
 * again. A failed check ends the program.
 */
#ifndef LOGP_TESTS_PLAIN_H
#define LOGP_TESTS_PLAIN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_THREAD__
/* All tests are one process here: one that forks has had threads before. Weak: a program may be
 * several suites. */
const char *__tsan_default_options(void);
__attribute__((weak, visibility("default"))) const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}
#endif

struct plain_test {
    const char *name;
    void (*body)(void);
    struct plain_test *next;
};

/* In plain.c, or in a program that picks its tests (over_processes.c). */
extern struct plain_test *plain_tests;

#define Test(suite, test, ...)                                                                     \
    static void suite##_##test(void);                                                              \
    __attribute__((constructor)) static void suite##_##test##_register(void)                       \
    {                                                                                              \
        static struct plain_test t = {#suite "/" #test, suite##_##test, NULL};                     \
        t.next = plain_tests;                                                                      \
        plain_tests = &t;                                                                          \
    }                                                                                              \
    static void suite##_##test(void)

#define cr_assert(condition, ...)                                                                  \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                \
            _Exit(1);                                                                              \
        }                                                                                          \
    } while (0)
#define cr_assert_eq(a, b, ...) cr_assert((a) == (b))
#define cr_assert_neq(a, b, ...) cr_assert((a) != (b))
#define cr_assert_lt(a, b, ...) cr_assert((a) < (b))
#define cr_assert_gt(a, b, ...) cr_assert((a) > (b))
#define cr_assert_geq(a, b, ...) cr_assert((a) >= (b))
#define cr_assert_leq(a, b, ...) cr_assert((a) <= (b))
#define cr_assert_str_eq(a, b, ...) cr_assert(strcmp(a, b) == 0)
#define cr_assert_not_null(a, ...) cr_assert((a) != NULL)
#define cr_expect cr_assert
#define cr_expect_not(condition, ...) cr_assert(!(condition))
#define cr_expect_eq cr_assert_eq
#define cr_expect_neq cr_assert_neq
#define cr_expect_geq cr_assert_geq
#define cr_expect_leq cr_assert_leq
#define cr_expect_lt(a, b, ...) cr_assert((a) < (b))
#define cr_expect_gt(a, b, ...) cr_assert((a) > (b))
#define cr_expect_str_eq cr_assert_str_eq
#define cr_expect_str_neq(a, b, ...) cr_assert(strcmp(a, b) != 0)
#define cr_expect_str_empty(a, ...) cr_assert(*(a) == '\0')
#define cr_expect_arr_eq(a, b, n, ...) cr_assert(memcmp(a, b, n) == 0)
#define cr_assert_null(a, ...) cr_assert((a) == NULL)
#define cr_assert_fail(...) cr_assert(false)
#define cr_expect_null cr_assert_null
#define cr_log_info(...) (printf(__VA_ARGS__), putchar('\n'))
#define cr_log_error cr_log_info

#endif
