/* SPDX-License-Identifier: MIT */
/* The values at which the sliders of the page start. */
#include "view/report/report.h"
#include "view/report/what_if.h"

#include <string.h>

/* The number of an operation in the table; -1: not in the table. */
static json_int_t op_number(const struct logp_op *op)
{
    const struct logp_op *one;

    for (size_t i = 0; op != NULL && (one = logp_op_at(i)) != NULL; i++)
        if (strcmp(one->name, op->name) == 0 && strcmp(one->type, op->type) == 0)
            return (json_int_t)i;
    return -1;
}

/* Whether one network with a built-in model, whose latencies are L, holds for all messages. */
static bool has_sliders(const struct output *out)
{
    const struct question *q = out->q;
    const struct logp_invocation *c = out->c;

    return q->model.emulated && q->model.plugin == NULL && q->what.list == NULL && !is_faulty(q) &&
           c->args.blocks == NULL && c->model.topology == NULL && c->model.links == NULL &&
           c->model.ports <= 1 && c->model.latency == NULL && c->model.noise == NULL &&
           c->model.faults == NULL && !c->model.params.latency_varies && !c->model.undelayed &&
           (c->args.op == NULL || op_number(c->args.op) >= 0);
}

static json_t *values(const struct output *out)
{
    static const char *const names[] = {
#define NAME(name) #name,
        WHAT_IF(NAME)};
    const struct logp_args *a = &out->c->args;
    const struct logp_params *p = &out->c->model.params;
    const int64_t row[WHAT_IF_VALUES] = {
        [WHAT_IF_P] = out->q->model.P,
        [WHAT_IF_root] = a->root,
        [WHAT_IF_bytes] = (int64_t)a->n_bytes,
        [WHAT_IF_count] = a->count,
        [WHAT_IF_op] = op_number(a->op),
        [WHAT_IF_rows] = a->rows,
        [WHAT_IF_cols] = a->cols,
        [WHAT_IF_packing] = (int64_t)a->packing,
        [WHAT_IF_k] = a->k,
        [WHAT_IF_window] = a->window,
        [WHAT_IF_block] = a->block_bytes,
        [WHAT_IF_pack] = a->pack_ns,
        [WHAT_IF_work] = a->work_ns,
        [WHAT_IF_no_overlap] = a->no_overlap,
        [WHAT_IF_L] = p->L_ns,
        [WHAT_IF_o_send] = p->o_send_ns,
        [WHAT_IF_o_recv] = p->o_recv_ns,
        [WHAT_IF_g] = p->g_ns,
        [WHAT_IF_G] = p->G_ps,
        [WHAT_IF_gamma] = p->gamma_ps,
        [WHAT_IF_gap_shared] = p->gap_shared,
        [WHAT_IF_capacity] = p->capacity,
        [WHAT_IF_store_forward] = p->store_forward,
        [WHAT_IF_recv_streams] = p->recv_streams,
        [WHAT_IF_rendezvous] = out->c->model.rendezvous_from,
    };
    json_t *all = json_object();

    for (size_t i = 0; i < WHAT_IF_VALUES; i++)
        json_object_set_new(all, names[i], json_integer(row[i]));
    return all;
}

json_t *slider_values(const struct output *out)
{
    json_t *all = json_array();

    for (; out != NULL; out = out->next)
        json_array_append_new(
            all, json_pack("{sIso}", "records", (json_int_t)out->n, "values",
                           page_has_sliders() && has_sliders(out) ? values(out) : json_null()));
    return all;
}
