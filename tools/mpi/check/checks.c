/* SPDX-License-Identifier: MIT */
/* The hooks that the options select. */
#include "check.h"

#define USE(name) .name = check_##name,

/* A write to the buffer of an operation that is not complete changes the sum of the bytes that it
 * reads. */
static const struct checks sums = {USE(buffer) USE(buffers) USE(sum)};

static const struct checks all_checks = {HOOKS(USE)};

struct checks the_checks;
struct said the_said;

void check_begin(void)
{
    the_said = (struct said){.mutex = PTHREAD_MUTEX_INITIALIZER};
}

void check_choose(bool checks, bool checksums)
{
    check_begin();
    the_checks = checks ? all_checks : checksums ? sums : (struct checks){.requests = NULL};
}
