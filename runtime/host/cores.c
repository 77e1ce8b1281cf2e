/* SPDX-License-Identifier: MIT */
/* The cores of a machine, see cores.h: held from its creation to its end. */
#include "host/cores.h"

#include "host/clock.h"
#include "host/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 100 }; /* choices that other machines may spoil, before a core is shared */

/* The hardware threads that this process may use. */
struct allowed {
    int n;
    int *numbers;         /* sorted */
    struct lpi_cpu *cpus; /* in the order of lpi_topology_pick() */
    int *holders;         /* of each */
    double quota;
};

static void allowed_fini(struct allowed *a)
{
    free(a->numbers);
    free(a->cpus);
    free(a->holders);
}

/* The caller calls allowed_fini() in any case. */
static int allowed_init(struct allowed *a)
{
    int rc;

    *a = (struct allowed){.quota = lpi_feigned() == 0 ? lpi_quota("") : 0};
    rc = lpi_allowed(&a->numbers, &a->n);
    if (rc != 0)
        return rc;
    a->cpus = malloc((size_t)a->n * sizeof(*a->cpus));
    a->holders = calloc((size_t)a->n, sizeof(*a->holders));
    if (a->cpus == NULL || a->holders == NULL)
        return -ENOMEM;
    return lpi_topology_of(a->numbers, a->n, a->cpus);
}

static bool is_among(int number, const int *numbers, int n)
{
    int i = 0;

    while (i < n && numbers[i] != number)
        i++;
    return i < n;
}

/* Check the cores of the configuration. */
static int check_given(const struct logp_config *config, const struct allowed *a)
{
    if (config->n_cores < 1)
        return -EINVAL;
    for (int i = 0; i < config->n_cores; i++)
        if (!is_among(config->cores[i], a->numbers, a->n) ||
            is_among(config->cores[i], config->cores, i))
            return -EINVAL;
    return 0;
}

int lpi_cores_list(const struct logp_config *config, int **cpus, int *n_cores, int *n_all)
{
    struct allowed a;
    int rc = allowed_init(&a);

    *cpus = NULL;
    if (rc == 0 && config->cores != NULL)
        rc = check_given(config, &a);
    if (rc == 0)
        *cpus = malloc((size_t)a.n * sizeof(**cpus));
    if (rc == 0 && *cpus == NULL)
        rc = -ENOMEM;
    if (rc == 0 && config->cores != NULL) {
        memcpy(*cpus, config->cores, (size_t)config->n_cores * sizeof(**cpus));
        *n_cores = *n_all = config->n_cores;
    } else if (rc == 0) {
        *n_cores = lpi_within_quota(a.quota, lpi_cores_order(a.cpus, a.n, *cpus));
        *n_all = lpi_within_quota(a.quota, a.n);
    }
    allowed_fini(&a);
    return rc;
}

/* Describe the cores that are held. */
static void describe(const struct allowed *a, struct lpi_held *out)
{
    const struct lpi_taken c = lpi_cores_describe(a->cpus, a->n, a->holders, out->cpus, out->n);

    out->n_threads = c.n_threads;
    out->is_mixed = c.is_mixed;
    out->is_shared = c.is_shared;
}

/* Hold these, whatever others hold. */
static void hold_given(const struct allowed *a, const int *numbers, int n, struct lpi_held *out)
{
    memcpy(out->cpus, numbers, (size_t)n * sizeof(*numbers));
    out->n = n;
    lpi_registry_hold(out->registry, out->cpus, n, false);
    lpi_registry_count(out->registry, a->cpus, a->n, a->holders);
    describe(a, out);
}

/* Hold n free cores, or as many as there are; the wanted ones if they are all free. */
static void hold_free(const struct allowed *a, const int *wanted, int n, struct lpi_held *out)
{
    struct lpi_taken c;
    int tries = 0;

    do {
        lpi_registry_count(out->registry, a->cpus, a->n, a->holders);
        c.is_shared = true;
        if (wanted != NULL) {
            memcpy(out->cpus, wanted, (size_t)n * sizeof(*wanted));
            c = lpi_cores_describe(a->cpus, a->n, a->holders, wanted, n);
        }
        if (c.is_shared)
            c = lpi_cores_choose(a->cpus, a->n, a->holders, a->quota, n, out->cpus);
        out->n = c.n;
    } while (!lpi_registry_hold(out->registry, out->cpus, c.n, !c.is_shared && ++tries < TRIES));
    describe(a, out);
}

/* Hold at most n cores of a, with the registry open. */
static int hold(const struct logp_config *config, const struct allowed *a, const int *wanted, int n,
                struct lpi_held *out)
{
    int rc = config->cores != NULL ? check_given(config, a) : 0;

    if (rc != 0)
        return rc;
    if (config->n_cores > 0 && config->n_cores < n)
        n = config->n_cores;
    out->cpus = malloc((size_t)a->n * sizeof(*out->cpus));
    if (out->cpus == NULL)
        return -ENOMEM;
    out->registry = lpi_registry_open();
    if (config->cores != NULL)
        hold_given(a, config->cores, config->parallel ? n : 1, out);
    else
        hold_free(a, wanted, n, out);
    return 0;
}

/* A machine that runs on one core at a time is not pinned: the system may move it. */
static int hold_none(struct lpi_held *out)
{
    if (lpi_feigned() < 0)
        return lpi_feigned();
    out->cpus = malloc(sizeof(*out->cpus));
    if (out->cpus == NULL)
        return -ENOMEM;
    out->cpus[0] = -1;
    out->n = out->n_threads = 1;
    return 0;
}

/* A rank with a core of its own and more than one core for each rank: the host's cores are divided. */
static int divide(const struct logp_config *config, struct allowed *a, bool among_processes,
                  struct lpi_held *out)
{
    const int most = config->n_cores > 0 ? config->n_cores : lpi_within_quota(a->quota, a->n);
    int n = 0;

    if (config->cores != NULL) { /* of the given ones only */
        for (int i = 0; i < a->n; i++)
            if (is_among(a->cpus[i].number, config->cores, config->n_cores))
                a->cpus[n++] = a->cpus[i];
    } else {
        n = a->n;
    }
    out->n_share = most / config->n_processors > 1 && !among_processes ? most / out->n : 1;
    out->shares = malloc((size_t)out->n * (size_t)out->n_share * sizeof(*out->shares));
    if (out->shares == NULL)
        return -ENOMEM;
    lpi_cores_divide(a->cpus, n, out->cpus, out->n, out->n_share, out->shares);
    for (int i = 0; i < out->n * out->n_share; i++)
        out->shares[i] = lpi_real(out->shares[i]);
    return 0;
}

/* One rank runs at a time, and may have all cores, unless there are as many ranks. */
static int allow_all(const struct logp_config *config, struct lpi_held *out)
{
    int n;
    const int rc = lpi_allowed(&out->shares, &n);

    if (rc != 0 || n / config->n_processors < 2)
        return rc;
    out->n_share = n;
    for (int i = 0; i < n; i++)
        out->shares[i] = lpi_real(out->shares[i]);
    return 0;
}

int lpi_cores_hold(const struct logp_config *config, const int *wanted, int n, struct lpi_held *out)
{
    struct allowed a;
    int rc;

    *out = (struct lpi_held){.registry = -1};
    if (config->cores == NULL && !config->parallel) {
        rc = hold_none(out);
        return rc != 0 ? rc : allow_all(config, out);
    }
    rc = allowed_init(&a);
    if (rc == 0)
        rc = hold(config, &a, wanted, n, out);
    if (rc == 0)
        rc = divide(config, &a, wanted != NULL, out);
    allowed_fini(&a);
    return rc;
}

void lpi_cores_release(struct lpi_held *held)
{
    lpi_registry_close(held->registry);
    free(held->cpus);
    free(held->shares);
}

int logp_host_info(struct logp_host *out)
{
    struct lpi_clock clock;
    int *allowed, n;
    const int rc = lpi_allowed(&allowed, &n);

    if (rc != 0)
        return rc;
    free(allowed);
    lpi_clock_init(&clock, NULL, NULL);
    *out = (struct logp_host){.n_cores = n,
                              .quota = lpi_feigned() > 0 ? 0 : lpi_quota(""),
                              .clock_read_ns = (double)lpi_clock_overhead(&clock)};
    return 0;
}
