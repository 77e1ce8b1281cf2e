/* SPDX-License-Identifier: MIT */
/* Replay files: of a program that sends to all and receives from any. */
#include "harness.h"

#include <logp/check.h>

#include <string.h>

enum { MOST_P = 16 };

static int program(struct logp_vp *vp, void *arg)
{
    int item = logp_vp_rank(vp), rc = 0;

    (void)arg;
    for (int i = 0; rc == 0 && i < logp_vp_size(vp); i++)
        rc = logp_send(vp, i, 0, &item, sizeof(item));
    for (int i = 0; rc == 0 && i < logp_vp_size(vp); i++) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, &item, sizeof(item), NULL);
        LOGP_CHECK(vp, item == i);
    }
    return rc;
}

/* Machines of thousands of processors are not what is looked at. */
static int too_large(const char *text)
{
    static const char name[] = "processors ";

    for (const char *at = text; (at = strstr(at, name)) != NULL; at++)
        if (atoll(at + strlen(name)) > MOST_P) /* the last one counts */
            return 1;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct logp_replay *replay = NULL;
    struct logp_failure failure;

    logp_replay_parse(text, &replay);
    logp_replay_free(replay);
    if (!too_large(text)) {
        const struct logp_check check = {.size = sizeof(check), .timeout_ns = 1000000000};

        logp_check_replay(program, NULL, &check, text, &failure);
        logp_failure_free(&failure);
    }
    free(text);
    return 0;
}
