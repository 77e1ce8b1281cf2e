/* SPDX-License-Identifier: MIT */
/* A program and a library of its own, in one file: LIBRARY is defined for the library. */
#ifdef LIBRARY
int count(void);

int count(void)
{
    static int n; /* ranks on several cores count at the same time */

    return __atomic_add_fetch(&n, 1, __ATOMIC_RELAXED);
}
#else
#include "check.h"

int count(void);

int main(int argc, char **argv)
{
    start(&argc, &argv);
    count();
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(count() > P); /* all count together */
    MPI_Finalize();
    return 0;
}
#endif
