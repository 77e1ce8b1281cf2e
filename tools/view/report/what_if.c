/* SPDX-License-Identifier: MIT */
/* A prediction from a row of numbers: see what_if.h. */
#include "view/report/what_if.h"

#include <logp/collective.h>
#include <logp/delay.h>

double what_if_values[WHAT_IF_VALUES];
char what_if_collective[WHAT_IF_NAME], what_if_algorithm[WHAT_IF_NAME];

static int64_t value(int i)
{
    return (int64_t)what_if_values[i];
}

static struct logp_args args(void)
{
    return (struct logp_args){
        .root = (int)value(WHAT_IF_root),
        .n_bytes = (size_t)value(WHAT_IF_bytes),
        .count = value(WHAT_IF_count),
        .op = value(WHAT_IF_op) >= 0 ? logp_op_at((size_t)value(WHAT_IF_op)) : NULL,
        .rows = value(WHAT_IF_rows),
        .cols = value(WHAT_IF_cols),
        .packing = (enum logp_packing)value(WHAT_IF_packing),
        .k = value(WHAT_IF_k),
        .window = value(WHAT_IF_window),
        .block_bytes = value(WHAT_IF_block),
        .pack_ns = value(WHAT_IF_pack),
        .work_ns = value(WHAT_IF_work),
        .no_overlap = value(WHAT_IF_no_overlap),
    };
}

static struct logp_network network(void)
{
    return (struct logp_network){
        .params = {.L_ns = value(WHAT_IF_L),
                   .o_send_ns = value(WHAT_IF_o_send),
                   .o_recv_ns = value(WHAT_IF_o_recv),
                   .g_ns = value(WHAT_IF_g),
                   .G_ps = value(WHAT_IF_G),
                   .gamma_ps = value(WHAT_IF_gamma),
                   .gap_shared = value(WHAT_IF_gap_shared) != 0,
                   .capacity = value(WHAT_IF_capacity),
                   .store_forward = value(WHAT_IF_store_forward) != 0,
                   .recv_streams = value(WHAT_IF_recv_streams) != 0},
        .rendezvous_from = value(WHAT_IF_rendezvous),
    };
}

double what_if(int by_fold)
{
    const struct logp_algorithm *a = logp_algorithm_find(what_if_collective, what_if_algorithm);
    const struct logp_args given = args();
    const struct logp_network model = network();
    struct logp_prediction p;

    if (a == NULL || logp_algorithm_needs(a, value(WHAT_IF_P), &given, &model) != NULL)
        return -1;
    p = logp_algorithm_predict_by(a, value(WHAT_IF_P), &given, &model,
                                  by_fold ? LOGP_BY_SCHEDULE : LOGP_BY_EITHER);
    return p.certainty != LOGP_PREDICTION_NONE ? (double)p.ns : -1;
}
