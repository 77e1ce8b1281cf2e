/* SPDX-License-Identifier: MIT */
/* Delay models and the one in force: what the other folders call. */
#ifndef LPI_DELAY_H
#define LPI_DELAY_H

#include <logp/delay.h>

#include "host/host.h"
#include "host/rcu.h"
#include "state/state.h"

#include <math.h>
#include <stddef.h>

/* ---- in_force.c: the delay model in force, which may be replaced while vps send ---- */

/* Enter an RCU section with the model in force. NULL: none, and no section is open. */
static inline const struct lpi_delay *model_lock(struct logp_machine *m)
{
    const struct lpi_delay *d;

    if (!lpi_emulates(m))
        return NULL;
    lpi_rcu_enter();
    /* acquire (RCU needs only consume) pairs with the release in lpi_delay_install() */
    d = atomic_load_explicit(&m->delay, memory_order_acquire);
    if (d == NULL)
        urcu_memb_read_unlock();
    return d;
}

static inline void model_unlock(struct logp_machine *m)
{
    LPI_RELEASE(&m->delay); /* pairs with the acquire after the grace period in in_force.c */
    (void)m;
    urcu_memb_read_unlock();
}

int lpi_delay_copy(const struct logp_delay *delay, struct lpi_delay **out);
void lpi_delay_install(struct logp_machine *m, struct lpi_delay *copy);
void lpi_delay_order(struct logp_machine *m, struct lpi_delay *copy, int64_t at);
void lpi_delay_drop_due(struct logp_machine *m);
void lpi_delay_apply_pending(struct logp_machine *m, int64_t now);
void lpi_delay_restart(struct logp_machine *m, bool new_run, int64_t start);
int64_t lpi_delay_begin(struct logp_machine *m);
void lpi_delay_fini(struct logp_machine *m);

/* Virtual clock: bring the models into force that are due by p's time. */
static inline void lpi_delay_catch_up(const struct lpi_proc *p)
{
    struct logp_machine *m = p->core->machine;

    /* relaxed: only a hint that there may be one; the list is under its lock */
    if (atomic_load_explicit(&m->pending_at, memory_order_relaxed) <= p->emulated)
        lpi_delay_apply_pending(m, p->emulated);
}

/* When the model halts p for good; INT64_MAX: never. */
int64_t lpi_delay_stops_at(const struct lpi_proc *p);
/* Halt p, whose work is never done according to the model. @return -EHOSTDOWN */
int lpi_delay_halt(struct lpi_proc *p);
/* lpi_work() if the model decides how long a processor computes. */
int64_t lpi_delay_work(const struct lpi_proc *p, int64_t ns);

/* When work of p that begins now is done; LOGP_STOPPED: never. */
static inline int64_t lpi_work(const struct lpi_proc *p, int64_t ns)
{
    /* relaxed: lpi_delay_work() reads the model itself under RCU */
    if (__builtin_expect(atomic_load_explicit(&p->core->machine->has_work, memory_order_relaxed),
                         false))
        return lpi_delay_work(p, ns);
    return lpi_after(p->emulated, ns);
}

/* Charge o_recv and the gap to a receive that has its message: sets r->done, which is below 0 if it
 * is complete at once. */
void lpi_charge_recv(struct lpi_proc *p, struct logp_request *r);
/* The same for m, which p has received; the run is not recorded. @return as r->done */
int64_t lpi_charge_delayed(struct lpi_proc *p, const struct lpi_message *m);
static inline int64_t lpi_charge_message(struct lpi_proc *p, const struct lpi_message *m)
{
    return lpi_emulates(p->core->machine) || m->arrival >= 0 ? lpi_charge_delayed(p, m)
                                                             : LOGP_NEVER;
}

/* ---- capacity.c: places on the wire ---- */

int lpi_capacity_claim(struct lpi_proc *from, struct lpi_proc *to, int64_t capacity,
                       const struct logp_transfer *t, int64_t *retry_at);
void lpi_capacity_apply(struct lpi_proc *from, struct lpi_proc *to, int64_t arrival);
void lpi_capacity_reset(struct logp_machine *m);
void lpi_capacity_destroy(struct logp_machine *m);

/* ---- none.c: models that wrap another one, and the result of a create that has failed ---- */

/* The first member of a model that wraps another one. The functions below are its own ones, which
 * pass on to the inner model. Those that it lacks: no link of its own, 0, nothing. */
struct lpi_inner {
    struct logp_delay delay;
    struct logp_delay_ops ops; /* of the inner model */
};
void lpi_inner_start(void *model, const struct logp_port *port, struct logp_transfer *t);
void lpi_inner_recv(void *model, struct logp_port *port, struct logp_transfer *t);
const struct logp_params *lpi_inner_params(void *model);
const struct logp_params *lpi_inner_link(void *model, int src, int dst);
int64_t lpi_inner_capacity(void *model);
int64_t lpi_inner_lookahead(void *model);
void lpi_inner_restart(void *model, bool new_run);
void lpi_inner_network(void *model, struct logp_network *out);

/* ports.c: wrap the model *delay, of links or without, in one for P processors of n > 1 ports.
 * 0; -ENOMEM: it is unchanged */
int lpi_ports_delay(struct logp_delay *delay, int64_t P, int64_t n);

/* Set *out to no model, which no machine accepts. If out is inner, the inner model is freed first:
 * otherwise a machine would run with it alone, unnoticed. */
void lpi_delay_fail(struct logp_delay *inner, struct logp_delay *out);

/* ---- networks.c: the networks of links, shared by topology.c and networks.c ---- */

enum {
    LPI_MOST_SIZES = LOGP_TOPOLOGY_SIZES,
    LPI_SPEC_MAX = 16 + 9 * LPI_MOST_SIZES, /* a name, and sizes of eight digits */
};

/* A dimension of a grid: lines of `size` nodes, `stride` ranks apart. */
struct lpi_dimension {
    int size, stride;
    int first_link; /* of the first line; the links of the next lines follow */
};

struct logp_topology {
    const struct lpi_network *network;
    char spec[LPI_SPEC_MAX];
    int P;
    struct lpi_dimension grid[LPI_MOST_SIZES]; /* line to torus; the last is along the rows */
    int dimensions;                            /* of the grid or hypercube */
    int n_links;
};

struct lpi_network {
    bool round; /* the ends of a line are linked: ring, torus */
    bool sized; /* its dimensions have sizes: mesh, torus */
    /* Set the sizes from the text behind the name ("" or ":4x8x2"). @return NULL; or what the
     * network needs */
    const char *(*fit)(struct logp_topology *t, const char *sizes);
    int (*next)(const struct logp_topology *t, int *node, int dst);
    int (*hops)(const struct logp_topology *t, int src, int dst);
    void (*ends)(const struct logp_topology *t, int link, int *from, int *to);
};

extern const struct lpi_network lpi_network_line, lpi_network_ring, lpi_network_mesh,
    lpi_network_torus, lpi_network_cube, lpi_network_tree, lpi_network_fat_tree,
    lpi_network_dragonfly;

/* ---- link_table.c: the table of links, shared by link_table.c and linked.c ---- */

enum { LPI_MOST_LEVELS = 2 }; /* sockets and nodes */

struct logp_links {
    int64_t P;
    int64_t size[LPI_MOST_LEVELS]; /* ranks of a block, the smallest first: each has whole ones */
    int n_sizes;                   /* 0: there are no nodes */
    int n_kinds;
    uint16_t *kind;                /* by rank */
    struct logp_link_costs *costs; /* [level][kind of the source][kind of the destination] */
};

/* Level 0 is inside the smallest blocks, level i between blocks of size[i - 1] in one of size[i]. */
static inline int lpi_links_levels(const struct logp_links *l)
{
    return l->n_sizes + 1;
}

static inline size_t lpi_links_entries(const struct logp_links *l)
{
    return (size_t)lpi_links_levels(l) * (size_t)l->n_kinds * (size_t)l->n_kinds;
}

static inline size_t lpi_links_entry(const struct logp_links *l, int level, int src_kind,
                                     int dst_kind)
{
    const size_t n = (size_t)l->n_kinds;

    return ((size_t)level * n + (size_t)src_kind) * n + (size_t)dst_kind;
}

/* The entry of the link between two valid ranks. */
static inline size_t lpi_links_entry_of(const struct logp_links *l, int src, int dst)
{
    int level = l->n_sizes;

    while (level > 0 && src / l->size[level - 1] == dst / l->size[level - 1])
        level--;
    return lpi_links_entry(l, level, l->kind[src], l->kind[dst]);
}

/* link_table.c: base, with the costs that are set here replaced. */
struct logp_params lpi_links_params(const struct logp_params *base,
                                    const struct logp_link_costs *costs);
/* NULL: no memory. */
struct logp_links *lpi_links_copy(const struct logp_links *l);

/*
 * ---- fault.c ----
 * Faults and noise as texts describe them: fault_text.c reads the texts, fault.c is the model.
 */

enum lpi_fault_what {
    LPI_DROP,
    LPI_DUPLICATE,
    LPI_FLIP,
    LPI_DELAY,
    LPI_CUT,
    LPI_STOP, /* from here on faults of processors */
    LPI_SLOW,
    LPI_FIXED, /* from here on noise */
    LPI_UNIFORM,
    LPI_EXPONENTIAL,
    LPI_SAMPLES,
    LPI_TICK,
};

enum { LPI_MOST_RANGES = 16 };

/* n == 0: all ranks */
struct lpi_rank_set {
    int n;
    struct {
        int64_t first, last;
    } range[LPI_MOST_RANGES];
};

struct lpi_fault {
    enum lpi_fault_what what;
    double p;       /* messages: probability */
    double factor;  /* delay, slow */
    int64_t ns;     /* T */
    int64_t length; /* tick: D */
    int64_t shift;  /* tick: S; -1: drawn */
    struct lpi_rank_set a, b;
    bool to_b, either_way; /* from a to b; also back */
    int64_t from, to;      /* since time 0; to == INT64_MAX: for ever */
    uint64_t salt;         /* distinguishes its draws */
    int64_t *samples;
    int n_samples;
};

/* Read a text of noise or of faults, and append to *faults. @return 0; -EINVAL: see why; -ENOMEM */
int lpi_faults_read(const char *text, bool noise, const struct logp_fault_config *config,
                    struct lpi_fault **faults, int *n, char why[LOGP_FAULT_WHY]);
void lpi_faults_free(struct lpi_fault *faults, int n);
const char *lpi_fault_name(enum lpi_fault_what what);

/* fault.c: if *delay is a model of faults, replace it by its inner model. @return true: it is */
bool lpi_fault_within(struct logp_delay *delay);

/* ---- draw: random draws of delay models: functions of their arguments, without state ---- */

/* latency.c: draw with this seed from now on, if the model is one of latencies. */
void lpi_latency_seed(const struct logp_delay *delay, uint64_t seed);
/* The same for the function that it asks. */
void lpi_latency_ask(const struct logp_delay *delay,
                     bool (*is_drawn)(void *arg, const struct logp_latency_draw *draw), void *arg);

/* splitmix64: Steele et al., 2014 */
static inline uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The draw for the message with this number from src to dst. */
static inline uint64_t draw_of(uint64_t seed, int src, int dst, unsigned number)
{
    return mix(mix(mix(seed) ^ ((uint64_t)(uint32_t)src << 32 | (uint32_t)dst)) ^ number);
}

/* In (0, 1]. */
static inline double fraction(uint64_t random)
{
    return (double)((random >> 11) + 1) * 0x1p-53;
}

/* Uniform in 0 .. n-1. */
static inline int64_t below(uint64_t random, int64_t n)
{
    return (int64_t)((unsigned __int128)random * (uint64_t)n >> 64);
}

/* Rounded to whole nanoseconds, at most LOGP_PARAM_MAX_NS. */
static inline int64_t rounded(double ns)
{
    return ns < (double)LOGP_PARAM_MAX_NS ? (int64_t)llround(ns) : LOGP_PARAM_MAX_NS;
}

/* Exponential with this mean. */
static inline int64_t exponential(uint64_t random, int64_t mean)
{
    return rounded(-(double)mean * log(fraction(random)));
}

#endif
