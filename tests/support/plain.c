/* SPDX-License-Identifier: MIT */
/* Runs the tests of plain.h: all of them, or those whose "suite/test" fits --filter PATTERN. */
#include "support.h"

#if defined(__SANITIZE_THREAD__) || defined(LOGP_TESTS_PLAIN)
#include <fnmatch.h>

struct plain_test *plain_tests;

int main(int argc, char **argv)
{
    const char *pattern = "*";
    int n_run = 0;

    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--filter") == 0)
            pattern = argv[i + 1];
    for (struct plain_test *t = plain_tests; t != NULL; t = t->next) {
        if (fnmatch(pattern, t->name, 0) != 0)
            continue;
        printf("%s\n", t->name);
        fflush(stdout);
        t->body();
        n_run++;
    }
    return n_run > 0 ? 0 : 1;
}
#endif
