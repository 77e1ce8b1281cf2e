/* SPDX-License-Identifier: MIT */
/* From options to the arguments of a collective. */
#include "choice/choice.h"

static enum logp_operands operands_of(const char *collective)
{
    return logp_collective_find(collective)->operands;
}

/* What a combination costs: given, measured here on what one processor has, or by default nothing,
 * in a summation a unit. */
static void resolve_gamma(struct options *o, enum logp_operands operands)
{
    const int64_t each = operands == LOGP_OPERANDS_TOTAL ? (o->count - 1) / o->P + 1 : o->count;

    if (o->gamma_host)
        o->params.gamma_ps = logp_op_measure(o->op, (size_t)each);
    else if (!o->gamma_given && operands == LOGP_OPERANDS_TOTAL)
        o->params.gamma_ps = o->unit_ns * 1000;
    if (o->params.gamma_ps < 0)
        bad_option("--gamma", "host", "no memory to measure it");
}

/* Ten for each, as many as --count takes. */
static int64_t total_count(int64_t P)
{
    const int64_t most = INT64_C(1) << 40;

    return P < most / 10 ? 10 * P : most;
}

static struct logp_invocation invocation_of(struct options *o, const char *collective)
{
    const enum logp_operands operands = operands_of(collective);
    struct logp_invocation c = {
        .args = o->knobs, .model.topology = o->topology, .model.links = o->links};

    c.args.root = (int)o->root;
    c.args.list = o->list;
    switch (operands) {
    case LOGP_OPERANDS_NONE:
        break;
    case LOGP_OPERANDS_BYTES:
        c.args.n_bytes = o->n_bytes;
        break;
    case LOGP_OPERANDS_VECTOR:
    case LOGP_OPERANDS_TOTAL:
        if (o->count == 0)
            o->count = operands == LOGP_OPERANDS_TOTAL ? total_count(o->P) : 1;
        c.args.count = o->count;
        c.args.op = o->op;
        resolve_gamma(o, operands);
        break;
    case LOGP_OPERANDS_MATRIX:
        c.args.rows = o->rows > 0 ? o->rows : o->P;
        c.args.cols = o->cols > 0 ? o->cols : o->P;
        c.args.n_bytes = o->element_bytes;
        c.args.packing = o->packing;
        break;
    }
    set_blocks(o, collective, &c.args);
    c.model.params = model_params(o);
    c.model.rendezvous_from = o->rendezvous + 1;
    c.model.undelayed =
        !o->emulated && o->plugin == NULL && o->clock == LOGP_CLOCK_WALL && !over_processes(o);
    return c;
}

/* If nothing of this collective runs on the default number of processors, and nobody has said how
 * many they are: the next number that something does run on. */
struct logp_invocation make_invocation(struct options *o, const char *collective)
{
    const struct options asked = *o;
    const int64_t most = 2 * asked.P;
    struct logp_invocation c = invocation_of(o, collective);

    if (option_given("P") || o->topology != NULL || o->links != NULL)
        return c;
    while (!any_applies(collective, o->P, &c)) {
        const int64_t next = o->P + 1;

        *o = asked;
        if (next > most)
            return invocation_of(o, collective);
        o->P = next;
        c = invocation_of(o, collective);
    }
    return c;
}
