/* SPDX-License-Identifier: MIT */
/* Rank 0 takes a message of each other rank, and relies on the order of the ranks: a race. */
#include <logp/logp.h>
#include <stdio.h>

static int gather(struct logp_vp *vp, void *arg)
{
    int x = logp_vp_rank(vp), rc = 0;

    (void)arg;
    if (x > 0)
        return logp_send(vp, 0, 3, &x, sizeof(x));
    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 3, &x, sizeof(x), NULL);
        LOGP_CHECK_EQ(vp, x, i);
    }
    return rc;
}

int main(void)
{
    struct logp_check check = {
        .size = sizeof(check), .name = "race", .sizes = (int[]){2, 3, 8}, .n_sizes = 3, .seed = 1};
    struct logp_failure failure;
    const int rc = logp_check(gather, NULL, &check, &failure);

    printf("%s%s", failure.text, rc == 0 ? "no race was found\n" : "");
    logp_failure_free(&failure);
    return rc != 0;
}
