/* SPDX-License-Identifier: MIT */
/*
 * A shared counter: rank 0 keeps it, and every other rank adds 1 to it. At the end it must be the number
 * of workers. usage: counter usual|random|all
 */
#include <logp/logp.h>
#include <stdio.h>
#include <string.h>

enum { GET, VALUE, PUT }; /* tags */

/* Rank 0 answers each GET with the counter, and stores the value of each PUT. */
static int keep(struct logp_vp *vp)
{
    const int workers = logp_vp_size(vp) - 1;
    int counter = 0, rc = 0;

    for (int i = 0; rc == 0 && i < 2 * workers; i++) {
        struct logp_status status;
        int value = 0;

        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &value, sizeof(value), &status);
        if (rc == 0 && status.tag == PUT)
            counter = value;
        else if (rc == 0)
            rc = logp_send(vp, status.source, VALUE, &counter, sizeof(counter));
    }
    return rc != 0 ? rc : LOGP_CHECK(vp, counter == workers);
}

/* A worker gets the counter, adds 1, and puts it back. */
static int add_one(struct logp_vp *vp)
{
    int value = 0;
    int rc = logp_send(vp, 0, GET, NULL, 0);

    if (rc == 0)
        rc = logp_recv(vp, 0, VALUE, &value, sizeof(value), NULL);
    value++;
    return rc != 0 ? rc : logp_send(vp, 0, PUT, &value, sizeof(value));
}

static int program(struct logp_vp *vp, void *arg)
{
    (void)arg;
    return logp_vp_rank(vp) == 0 ? keep(vp) : add_one(vp);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "random";
    struct logp_check check = {.size = sizeof(check),
                               .sizes = (int[]){2, 3, 4},
                               .n_sizes = 3,
                               .seed = 1,
                               .name = "counter"};
    struct logp_failure failure;
    int rc;

    if (strcmp(mode, "usual") == 0) {
        check.fixed_order = check.fixed_matches = true;
        check.runs = 1;
    }
    if (strcmp(mode, "all") == 0)
        check.strategy = LOGP_STRATEGY_EXHAUSTIVE;
    rc = logp_check(program, NULL, &check, &failure);
    printf("%s%s\n", failure.text, check.checked.text);
    logp_failure_free(&failure);
    return rc != 0;
}
