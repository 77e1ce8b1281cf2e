/* SPDX-License-Identifier: MIT */
/* The settings of a check: their defaults and their errors. */
#include "kit.h"

#include <string.h>

static const int default_sizes[] = {2, 3};
enum {
    DEFAULT_RUNS = 1000,
    MOST_EXECUTIONS = 1000000,
    DEFAULT_MISSES = 3,
    MOST_CHANGES = 1000,
    MOST_STEPS = 200000,
    TWICE_EVERY = 64,
    MOST_CORES = 256
};

int lpi_take_check(const struct logp_check *given, struct logp_check *check, const char **wrong)
{
    const size_t first = LOGP_UP_TO(struct logp_check, checked);
    int rc = 0;

    *check = (struct logp_check){0};
    if (given != NULL && given->size == 0)
        memcpy(check, given, first);
    else if (given != NULL)
        rc = logp_struct_take(check, sizeof(*check), first, given);
    check->checked = (struct logp_checked){0};
    if (wrong != NULL)
        *wrong = lpi_environment(check);
    if (check->sizes == NULL && check->n_sizes != 0 && wrong != NULL && *wrong == NULL)
        *wrong = "n_sizes: 0 where sizes is NULL";
    if (check->sizes == NULL) {
        check->sizes = default_sizes;
        check->n_sizes = 2;
    }
    if (check->runs == 0)
        check->runs = check->strategy == LOGP_STRATEGY_EXHAUSTIVE ? MOST_EXECUTIONS : DEFAULT_RUNS;
    if (check->misses == 0)
        check->misses = DEFAULT_MISSES;
    if (check->most_steps == 0)
        check->most_steps = MOST_STEPS;
    if (check->twice_every == 0)
        check->twice_every = TWICE_EVERY;
    if (check->timeout_ns == 0)
        check->timeout_ns = INT64_C(10000000000);
    if (check->name == NULL)
        check->name = "program";
    return rc;
}

/* Whether so many labels are not there. */
static bool lacks(const char *const *labels, int n)
{
    for (int i = 0; i < n; i++)
        if (labels == NULL || labels[i] == NULL)
            return true;
    return n < 0;
}

/* Whether the mask names ranks, but none of any size of the check. */
static bool names_none(const struct logp_check *c, uint64_t ranks)
{
    int most = 0;

    for (int i = 0; i < c->n_sizes; i++)
        most = c->sizes[i] > most ? c->sizes[i] : most;
    return ranks != 0 && most < 64 && ranks >> most << most == ranks;
}

/* Whether the mask names all ranks of each size of the check. Bit 63 is that of all later ranks, too. */
static bool names_all(const struct logp_check *c, uint64_t ranks)
{
    int most = 0;

    for (int i = 0; i < c->n_sizes; i++)
        most = c->sizes[i] > most ? c->sizes[i] : most;
    return most < 64 ? ~ranks << (64 - most) == 0 : ~ranks == 0;
}

/* The error of the places of faults: no fault can come there. NULL: none */
static const char *wrong_places(const struct logp_check *c)
{
    const struct logp_fault_limits *f = &c->most_faults;
    const struct logp_fault_places *at = &c->fault_places;
    const bool crashes = (f->crashes | f->restarts) != 0, partitions = f->partitions != 0,
               messages = (f->lost | f->doubled | c->most_overtaken) != 0;
    const struct {
        bool wrong;
        const char *why;
    } all[] = {
        {lpi_has_places(at) && !crashes && !partitions && !messages,
         "fault_places: without most_faults and most_overtaken there are no faults"},
        {at->ranks != 0 && !crashes,
         "fault_places: ranks names the ranks that crash; set crashes or restarts of most_faults"},
        {(at->senders | at->receivers | at->tags) != 0 && !messages,
         "fault_places: senders, receivers and tags name messages; set lost, doubled or "
         "most_overtaken"},
        {(at->half != 0 || at->one_way) && !partitions,
         "fault_places: half and one_way are of partitions; set partitions of most_faults"},
        {names_none(c, at->ranks),
         "fault_places: ranks names no rank of any size, so none can crash"},
        {names_none(c, at->senders) || names_none(c, at->receivers),
         "fault_places: senders or receivers names no rank of any size"},
        {names_none(c, at->half), "fault_places: half names no rank of any size"},
        {at->half != 0 && names_all(c, at->half),
         "fault_places: half names all ranks of each size, so nothing is cut off"},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].wrong)
            return all[i].why;
    return NULL;
}

const char *lpi_wrong_with(const struct logp_check *c)
{
    const bool exhaustive = c->strategy == LOGP_STRATEGY_EXHAUSTIVE, timed = !lpi_is_untimed(c);
    const struct logp_network none = {.undelayed = true};
    const struct logp_network *n = c->network != NULL ? c->network : &none;
    const bool drawn = n->latency != NULL && n->latency->kind != LOGP_LATENCY_AS_IS;
    const struct logp_fault_limits *f = &c->most_faults;
    const struct {
        bool wrong;
        const char *why;
    } all[] = {
        {c->n_sizes < 1, "n_sizes: at least one size"},
        {lacks(c->labels, c->n_labels), "labels: n_labels of them, and none is NULL"},
        {lacks(c->must_reach, c->n_must_reach),
         "must_reach: n_must_reach of them, and none is NULL"},
        {c->cores < 0 || c->cores > MOST_CORES, "cores: 0 .. 256"},
        {c->strategy < LOGP_STRATEGY_RANDOM || c->strategy > LOGP_STRATEGY_DELAYS,
         "strategy: random, PCT, exhaustive or delays"},
        {c->depth < 0, "depth: negative"},
        {c->strategy == LOGP_STRATEGY_PCT && c->depth > MOST_CHANGES, "depth: 1000 at most"},
        {c->misses < 0, "misses: negative"},
        {c->time_ns < 0, "time_ns: negative"},
        {c->timeout_ns < 0, "timeout_ns: negative"},
        {c->smallest < 0, "smallest: negative"},
        {c->sends < LOGP_SENDS_BUFFERED || c->sends > LOGP_SENDS_VARIED,
         "sends: buffered, limited, synchronous or varied"},
        {n->rendezvous_from < 0, "network: rendezvous_from is negative"},
        {n->rendezvous_from > 0 && c->sends != LOGP_SENDS_LIMITED && c->sends != LOGP_SENDS_VARIED,
         "network: rendezvous_from only with LOGP_SENDS_LIMITED or LOGP_SENDS_VARIED"},
        {n->unit_ns > 1, "network: unit_ns is 1 ns; give times a suffix"},
        {n->topology != NULL || n->links != NULL, "network: neither topology nor links"},
        {n->ports > 1, "network: one port"},
        {strchr(c->name, '\n') != NULL, "name: one line"},
        {c->all_received && c->leaves_messages, "leaves_messages: not with all_received"},
        {f->crashes < 0 || f->restarts < 0 || f->lost < 0 || f->doubled < 0 || f->partitions < 0,
         "most_faults: negative"},
        {timed && (f->lost > 0 || f->doubled > 0 || f->partitions > 0),
         "most_faults: with network parameters only crashes and restarts; see network.faults"},
        {exhaustive && f->partitions > 0,
         "most_faults: LOGP_STRATEGY_EXHAUSTIVE does not support partitions"},
        {c->most_overtaken < 0, "most_overtaken: negative"},
        {c->most_overtaken > 0 && c->fixed_matches, "most_overtaken: not with fixed_matches"},
        {c->most_overtaken > 0 && c->keeps_order, "most_overtaken: not with keeps_order"},
        {exhaustive && timed, "network: without parameters with LOGP_STRATEGY_EXHAUSTIVE"},
        {exhaustive && c->sends == LOGP_SENDS_VARIED,
         "sends: LOGP_STRATEGY_EXHAUSTIVE does not support LOGP_SENDS_VARIED"},
        {!timed && drawn, "latency: only with network parameters"},
        {timed && n->params.latency_varies && drawn,
         "latency: only with params that have one latency"},
        {timed && n->params.recv_streams, "params: loggops is not supported"},
        {!timed && n->faults != NULL, "faults: only with network parameters"},
        {!timed && n->noise != NULL, "noise: only with network parameters"},
    };

    for (int i = 0; i < c->n_sizes; i++)
        if (c->sizes[i] < 1 || c->sizes[i] > LOGP_MAX_PROCESSORS)
            return "sizes: 1 .. LOGP_MAX_PROCESSORS processors each";
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].wrong)
            return all[i].why;
    return wrong_places(c);
}
