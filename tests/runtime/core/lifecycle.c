/* SPDX-License-Identifier: MIT */
/* Many lives of a machine. A plain program, so that leak checkers see all of it.
 * usage: lifecycle CYCLES EXECUTOR [virtual] */
#include "life.h"

#include <string.h>

int main(int argc, char **argv)
{
    const int cycles = argc > 1 ? atoi(argv[1]) : 100;
    const bool is_virtual = argc > 3 && strcmp(argv[3], "virtual") == 0;

    for (int i = 0; i < cycles; i++)
        live(2 + i % 7, argc > 2 ? argv[2] : NULL,
             is_virtual || i % 2 == 0 ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL);
    printf("%d lives\n", cycles);
    return 0;
}
