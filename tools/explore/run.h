/* SPDX-License-Identifier: MIT */
/* What `logp explore` calls of its library, which it finds by name. */
#ifndef LOGP_EXPLORE_RUN_H
#define LOGP_EXPLORE_RUN_H

#include <logp/logp.h>

#include <stdbool.h>

struct explored_program {
    const char *path;
    const char *locals; /* the library that holds its thread-local variables; "": none */
    int argc;
    char **argv;                            /* of logp_main() */
    const char *const *shared, *const *own; /* --share, --private: names of libraries, and NULL */
    bool quiet;
    bool real_clocks;               /* --real-clocks */
    int64_t epoch_ns;               /* --epoch, since 1970 */
    const struct logp_check *check; /* without program, and without `before` */
};

/* Check a program whose processors are copies of it. @return the exit code: 0: no run fails; 1; 2: it cannot be run */
int logp_explore_run(const struct explored_program *program);

#endif
