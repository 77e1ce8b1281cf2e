/* SPDX-License-Identifier: MIT */
/* Liu, Li & Cui: a broadcast on a 16 x 16 torus by the paper's formulas, and run. */
#include "liu.h"

enum { PROCESSORS = LIU_SIDE * LIU_SIDE, SLOW_CYCLES = 1000 };

struct logp_torus liu_torus(const char *machine, int64_t bits, int64_t work)
{
    return (struct logp_torus){
        .machine = logp_preset_find(machine), .n = LIU_SIDE, .M = bits, .C = work};
}

struct paper_case liu_case(const struct paper *p, const struct logp_torus *t, const char *algorithm,
                           int64_t block_bytes)
{
    struct logp_preset scaled = *t->machine;

    scaled.cycle_ns = paper_unit(p, scaled.gap < SLOW_CYCLES ? 2000 : 50);
    return (struct paper_case){.collective = "broadcast",
                               .algorithm = algorithm,
                               .P = PROCESSORS,
                               .unit_ns = scaled.cycle_ns,
                               .c = {.model.params = logp_preset_params(&scaled),
                                     .args.n_bytes = (size_t)t->M / 8,
                                     .args.work_ns = t->C * scaled.cycle_ns,
                                     .args.block_bytes = block_bytes}};
}

double liu_percent(double plain, double pipelined)
{
    return 100 * (plain - pipelined) / plain;
}

void liu_gain(struct paper_row *row, const struct paper_row *plain,
              const struct paper_row *pipelined)
{
    for (int v = FORMULA; v < N_VALUES; v++)
        row->value[v] = liu_percent(plain->value[v], pipelined->value[v]);
}

double liu_across(const struct logp_torus *t, int64_t m)
{
    const struct logp_preset *q = t->machine;

    return (double)t->n * ((double)(q->overhead + q->delay) + (double)m / (double)q->width);
}

void liu_plain(struct paper *p, const struct logp_torus *t, struct paper_row *row)
{
    const struct paper_case x = liu_case(p, t, "torus", 0);

    row->value[FORMULA] = (double)logp_torus_plain(t);
    paper_run(p, &x, row);
}

void liu_pipelined(struct paper *p, const struct logp_torus *t, int64_t m, int64_t bytes,
                   struct paper_row *row)
{
    const struct paper_case x = liu_case(p, t, "torus-pipelined", bytes);

    row->value[FORMULA] = (double)logp_torus_pipelined(t, m);
    paper_run(p, &x, row);
}

const struct paper_row liu_no_row = {.value = {NAN, NAN, NAN, NAN, NAN}};
