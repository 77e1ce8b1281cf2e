/* SPDX-License-Identifier: MIT */
/* What the ranks of a file agree on in a collective call. */
#include "file.h"

#include <string.h>

int mpi_note_collective(struct comm *c, const char *name)
{
    const struct logp_call call = {.name = name, .root = -1};

    return mpi_class_of(logp_vp_note_call(c->vp, false, &call));
}

int mpi_agree(struct comm *c, const int64_t *values, int n, int *class)
{
    int64_t own[7], all[7] = {0};
    bool is_same = true;
    int rc;

    own[0] = *class;
    for (int i = 0; i < n; i++) {
        own[1 + 2 * i] = values[i];
        own[2 + 2 * i] = -values[i];
    }
    rc = mpi_class_of(logp_allreduce(c->vp, own, all, 1 + 2 * n, logp_op_find("max", "int64")));
    if (rc != MPI_SUCCESS)
        return rc;
    *class = (int)all[0];
    for (int i = 0; i < n; i++) /* the largest value is the smallest, too */
        is_same = is_same && all[1 + 2 * i] == -all[2 + 2 * i];
    return !is_same ? MPI_ERR_NOT_SAME : *class;
}

int mpi_agree_on_error(struct comm *c, int *error)
{
    const int rc = mpi_agree(c, NULL, 0, error);

    CHECK(c, *error == 0, mpi_code_of_host(*error), "%s", strerror(*error));
    return rc;
}
