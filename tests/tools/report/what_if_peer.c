/* SPDX-License-Identifier: MIT */
/*
 * The peer of the page's fold: what_if.c with this host's library. Without arguments it answers lines
 * "COLLECTIVE ALGORITHM BY_FOLD VALUE..." with a time each; with "list" it prints what there is.
 */
#include "view/report/what_if.h"

#include <logp/algorithm.h>
#include <logp/collective.h>

#include <stdio.h>

static void list(void)
{
    const struct logp_algorithm *a;

    for (size_t i = 0; (a = logp_algorithm_at(NULL, i)) != NULL; i++)
        printf("%s %s\n", a->collective, a->name);
}

int main(int argc, char **argv)
{
    int by_fold;

    (void)argv;
    if (argc > 1) {
        list();
        return 0;
    }
    while (scanf("%63s %63s %d", what_if_collective, what_if_algorithm, &by_fold) == 3) {
        for (int i = 0; i < WHAT_IF_VALUES; i++)
            if (scanf("%lf", &what_if_values[i]) != 1)
                return 1;
        printf("%.0f\n", what_if(by_fold));
    }
    return 0;
}
