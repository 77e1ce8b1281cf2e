/* SPDX-License-Identifier: MIT */
/* What main() of each protocol does: check it, right or with the planted bug that the command line names. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <logp/logp.h>
#include <stdio.h>
#include <stdlib.h>

static int bug; /* 0: none */

/* One size in 100000 runs. @return the exit code */
static int check_protocol(logp_program program, struct logp_check check, int argc, char **argv)
{
    struct logp_failure failure;
    int rc;

    bug = argc > 1 ? atoi(argv[1]) : 0;
    check.size = sizeof(check);
    check.n_sizes = 1;
    check.runs = 100000;
    rc = logp_check(program, NULL, &check, &failure);
    printf("%s%s\n", failure.text, check.checked.text);
    logp_failure_free(&failure);
    return rc != 0;
}

#endif
