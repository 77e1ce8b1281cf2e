/* SPDX-License-Identifier: MIT */
/* The value of --storage. A value that is accepted is within its limits, since the times of the servers are computed from it. */
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *words[] = {(char *)"logp", (char *)"mpirun", (char *)"--storage",
                     text,           (char *)"./none", NULL};
    const struct storage_question *s;
    struct problem *problem;
    struct question q;

    fuzz_begin(&q);
    problem = question_of_words(&q, 5, words);
    s = &q.mpi.storage;
    if (problem == NULL && s->text != NULL &&
        (s->latency_ns < 0 || s->bandwidth < 0 || s->servers < 1 || s->servers > 4096))
        abort();
    fuzz_end(&q, problem);
    free(text);
    return 0;
}
