/* SPDX-License-Identifier: MIT */
/*
 * Kurnosov: the three messages of figure 1, and the forms of section 6, in which the root receives
 * from the long or from the short chains first. For L, o, g = 6, 2, 4 and c = 1.
 */
#include "papers/paper.h"

#include <stdio.h>

enum { P_SHOWN = KURNOSOV_P, K_SHOWN = KURNOSOV_K, MESSAGES = 3 };

/* ---- figure 1 ---- */

/* 0 sends to 1 three times. */
static bool messages_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out)
{
    (void)P;
    if (i >= MESSAGES)
        return false;
    return rank == 0 ? logp_step_send(out, 1, c->args.tag, LOGP_BUF, 0, c->args.n_bytes)
                     : logp_step_receive(out, 0, c->args.tag, LOGP_BUF, 0, c->args.n_bytes);
}

static const char *needs_two(int64_t P, const struct logp_invocation *c)
{
    (void)c;
    return P == 2 ? NULL : "two processors";
}

static const struct logp_algorithm three = {
    LOGP_ALGORITHM("broadcast", "three-messages", "three messages from 0 to 1", "Kurnosov"),
    .needs = needs_two, .steps = messages_steps};

void kurnosov_messages(struct paper *p)
{
    struct paper_case x = kurnosov_case(p, "three-messages", 2, 0, 0, kurnosov_plain);
    struct paper_table *t = paper_table(p, "Figure 1", "processor|done", "units",
                                        "three messages from 0 to 1, L, o, g = 6, 2, 4");
    double predicted[2], emulated[2], formula[2];
    struct kurnosov_costs costs;

    x.collective = "broadcast";
    x.own = &three;
    x.c.args.op = NULL;
    x.c.args.n_bytes = 1;
    x.c.model.params.gamma_ps = 0;
    costs = kurnosov_costs(&x);
    formula[0] = 2 * costs.g + costs.o;
    formula[1] = costs.L + 2 * costs.g + 2 * costs.o;
    paper_ends(p, &x, predicted, emulated);
    for (int rank = 0; rank < 2 && !p->stopped; rank++) {
        struct paper_row *row =
            paper_row(t, "%d|%s", rank, rank == 0 ? "third send" : "third receive");

        row->value[FORMULA] = formula[rank];
        row->value[PREDICTED] = predicted[rank];
        row->value[EMULATED] = emulated[rank];
        paper_compare(p, "Figure 1", predicted[rank], emulated[rank]);
    }
    paper_draw(t, PAPER_TIME, &x);
    paper_note(t, "Its formulas: 2g + o, and L + 2g + 2o.");
    paper_judge(p, "Figure 1, three messages, 2g+o and L+2g+2o", paper_same(t, FORMULA, EMULATED),
                "the sender is done after 2g + o, the receiver after L + 2g + 2o");
}

/* ---- section 6 ---- */

static void over_k(struct paper *p)
{
    static const struct paper_chart chart = {
        .x_axis = "k, chains", .y_axis = "time, units", .x = 1};
    static const char *const algorithms[] = {"kchain", "kchain-short-first"};
    struct paper_table *t = paper_table(p, "Section 6", "first|k", "units",
                                        "long or short chains first, P = %d, one element", P_SHOWN);

    t->chart = &chart;
    for (int i = 0; i < 2; i++)
        for (int k = 1; k < P_SHOWN; k++) {
            const struct paper_case x =
                kurnosov_case(p, algorithms[i], P_SHOWN, k, 1, kurnosov_plain);
            const struct kurnosov_costs costs = kurnosov_costs(&x);
            struct paper_row *row = paper_row(t, "%s|%d", i == 0 ? "long" : "short", k);

            row->value[FORMULA] = i == 0 ? kurnosov_long_first(&costs, P_SHOWN, k)
                                         : kurnosov_short_first(&costs, P_SHOWN, k);
            paper_run(p, &x, row);
        }
    paper_note(t,
               "Ours, with B = max(o+c, g), q = floor((P-1)/k) and v = (P-1) mod k: long first "
               "ceil((P-1)/k) a + (k-1) B; short first q a + max((k-v) B, a) + (v-1) B, or where "
               "v = 0 q a + (k-1) B.");
    paper_note(t, "The paper's for short first, which lacks L, is taken as q a + max((k-v)(o+c), "
                  "a - L) + (v-1)(o+c); where all chains are of one length there is none.");
}

/* The forms for P = 11, k = 4 in letters, as far as they are known: the example's own terms are
 * those of q a + max((k-v)(o+c), a) + (v-1)(o+c), which its closed form sums up. */
static double example(const struct kurnosov_costs *t)
{
    const int q = (P_SHOWN - 1) / K_SHOWN, v = (P_SHOWN - 1) % K_SHOWN;

    return q * t->a + fmax((K_SHOWN - v) * t->b, t->a) + (v - 1) * t->b;
}

static void forms(struct paper *p)
{
    const struct paper_case longs = kurnosov_case(p, "kchain", P_SHOWN, K_SHOWN, 1, kurnosov_plain);
    const struct paper_case shorts =
        kurnosov_case(p, "kchain-short-first", P_SHOWN, K_SHOWN, 1, kurnosov_plain);
    const struct kurnosov_costs x = kurnosov_costs(&longs);
    const struct {
        const char *label;
        double formula;
    } list[] = {
        {"short|in general, lacks L", kurnosov_short_first(&x, P_SHOWN, K_SHOWN)},
        {"short|example, 3o+2L+max{..}+..", example(&x)},
        {"short|7o+2L+4c+max{c,L}", 7 * x.o + 2 * x.L + 4 * x.c + fmax(x.c, x.L)},
        {"long|9o+3L+6c", 9 * x.o + 3 * x.L + 6 * x.c},
    };
    struct paper_table *t = paper_table(p, "Section 6", "first|form", "units",
                                        "its four forms for P = %d, k = %d", P_SHOWN, K_SHOWN);

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        struct paper_row *row = paper_row(t, "%s", list[i].label);

        row->value[FORMULA] = list[i].formula;
        paper_run(p, list[i].label[0] == 'l' ? &longs : &shorts, row);
    }
    paper_note(t,
               "L, o, g, c = 6, 2, 4, 1. The forms count o + c between two receives of the root, "
               "ours max(o+c, g). The example is evaluated by the terms of its closed form.");
    for (size_t i = 0; i < t->n_rows && !p->stopped; i++) {
        char first[64], form[64], what[160];
        const double *value = t->rows[i].value;

        snprintf(what, sizeof(what), "Section 6, %s first, %s",
                 paper_label(t->rows[i].labels, 0, first), paper_label(t->rows[i].labels, 1, form));
        paper_judge(p, what, value[FORMULA] == value[EMULATED], "%g; ours %g%s", value[FORMULA],
                    value[EMULATED],
                    i == 0 ? ": q a + max((k-v)B, a) + (v-1)B, for v = 0 q a + (k-1)B"
                           : ", as g > o + c");
    }
}

void kurnosov_section_6(struct paper *p)
{
    forms(p);
    over_k(p);
}
