/* SPDX-License-Identifier: MIT */
/* A program and a library of its own, in one file: LIBRARY is defined for the library. */
#ifdef LIBRARY
#include <stddef.h>

int count(const int *wrong);

int count(const int *wrong)
{
    static int n; /* ranks on several cores count at the same time */

    return __atomic_add_fetch(&n, wrong != NULL ? *wrong : 1, __ATOMIC_RELAXED);
}
#else
#include "check.h"

int count(const int *wrong);

int main(int argc, char **argv)
{
    start(&argc, &argv);
    count(argc > 1 ? (const int *)8 : NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(count(NULL) > P); /* all count together */
    MPI_Finalize();
    return 0;
}
#endif
