/* SPDX-License-Identifier: MIT */
/*
 * Over several processes rank 0 cannot read the memory of the others. So the first rank of each
 * process sends it the values of its process, as messages of the program's own context, which no
 * collective uses.
 */
#include "experiment.h"

#include <logp/transport.h>

enum { TAG = 0 };

void lpi_leaders_of(struct lpi_leaders *l, const struct logp_machine *machine)
{
    l->machine = machine;
    l->n = logp_machine_processes(machine);
    logp_machine_ranks(machine, logp_machine_process(machine), &l->first, &l->n_local);
}

static int leader(const struct lpi_leaders *l, int process)
{
    int first = 0, n;

    logp_machine_ranks(l->machine, process, &first, &n);
    return first;
}

int lpi_leaders_gather(struct logp_vp *vp, const struct lpi_leaders *l, int64_t *values, int n)
{
    const size_t n_bytes = (size_t)n * sizeof(*values);
    int64_t others[8];
    int rc = 0;

    if (l->first != 0)
        return logp_send(vp, 0, TAG, values, n_bytes);
    for (int i = 1; rc == 0 && i < l->n; i++) {
        rc = logp_recv(vp, leader(l, i), TAG, others, n_bytes, NULL);
        for (int k = 0; rc == 0 && k < n; k++)
            values[k] = others[k] > values[k] ? others[k] : values[k];
    }
    return rc;
}

int lpi_leaders_tell(struct logp_vp *vp, const struct lpi_leaders *l, int64_t *values, int n)
{
    const size_t n_bytes = (size_t)n * sizeof(*values);
    int rc = 0;

    if (l->first != 0)
        return logp_recv(vp, 0, TAG, values, n_bytes, NULL);
    for (int i = 1; rc == 0 && i < l->n; i++)
        rc = logp_send(vp, leader(l, i), TAG, values, n_bytes);
    return rc;
}

uint64_t lpi_leaders_messages(const struct lpi_leaders *l)
{
    return 2 * (uint64_t)(l->n - 1);
}
