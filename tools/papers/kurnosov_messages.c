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
    struct paper_case x = kurnosov_case(p, "three-messages", 2, 0, 0, &kurnosov_plain);
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
    paper_moments(p, &x, PAPER_END, predicted, emulated);
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
                kurnosov_case(p, algorithms[i], P_SHOWN, k, 1, &kurnosov_plain);
            const struct kurnosov_costs costs = kurnosov_costs(&x);
            struct paper_row *row = paper_row(t, "%s|%d", i == 0 ? "long" : "short", k);

            row->value[FORMULA] = i == 0 ? kurnosov_long_first(&costs, P_SHOWN, k)
                                         : kurnosov_short_first(&costs, P_SHOWN, k);
            paper_run(p, &x, row);
        }
    paper_note(t,
               "Ours, with B = max(o+c, g), u = floor((P-1)/k) and v = (P-1) mod k: long first "
               "ceil((P-1)/k) a + (k-1) B; short first u a + max((k-v) B, a) + (v-1) B, or where "
               "v = 0 u a + (k-1) B.");
    paper_note(t, "The paper's for short first is (u-1)a + max{s max{o+c,g}, a} + (v-1) "
                  "max{o+c,g} + 2o + c, with s = k - v. It lacks an L, and where k divides P-1 it "
                  "has max{k max{o+c,g}, a} for k max{o+c,g}.");
}

/* The example for P = 11, k = 4: u = v = s = 2. It begins with 3o + 2L, where the root begins to
 * receive at 3o + 2L + c; its other terms are those of the general form, and o + c of the root. */
static double example(const struct kurnosov_costs *t)
{
    const double apart = fmax(t->b, t->g);

    return 3 * t->o + 2 * t->L + fmax(2 * apart, t->a) + apart + t->o + t->c;
}

static double in_general(const struct kurnosov_costs *t)
{
    return kurnosov_short_first(t, P_SHOWN, K_SHOWN);
}

static double closed(const struct kurnosov_costs *t)
{
    return 7 * t->o + 2 * t->L + 4 * t->c + fmax(t->c, t->L);
}

static double longs(const struct kurnosov_costs *t)
{
    return 9 * t->o + 3 * t->L + 6 * t->c;
}

static const struct {
    const char *algorithm, *first, *form;
    double (*formula)(const struct kurnosov_costs *t);
    const char *why;
} forms_of_6[] = {
    {"kchain-short-first", "short", "in general", in_general, "it lacks an L"},
    {"kchain-short-first", "short", "example, 3o+2L+max{..}+..", example, "it lacks a c"},
    {"kchain-short-first", "short", "7o+2L+4c+max{c,L}", closed,
     "the example's closed form counts o + c between two receives, which is too little for g > o + "
     "c"},
    {"kchain", "long", "9o+3L+6c", longs,
     "it counts o + c between two receives, which is too little for g > o + c"},
};

enum { N_FORMS = sizeof(forms_of_6) / sizeof(forms_of_6[0]) };

static void forms(struct paper *p)
{
    static const int combining[] = {1, 3}; /* c: g > o + c, and g < o + c */
    struct paper_table *t = paper_table(p, "Section 6", "c|first|form", "units",
                                        "its four forms for P = %d, k = %d", P_SHOWN, K_SHOWN);

    for (int i = 0; i < 2 * N_FORMS; i++) {
        const int c = combining[i / N_FORMS], f = i % N_FORMS;
        struct paper_case x =
            kurnosov_case(p, forms_of_6[f].algorithm, P_SHOWN, K_SHOWN, 1, &kurnosov_plain);
        struct paper_row *row =
            paper_row(t, "%d|%s|%s", c, forms_of_6[f].first, forms_of_6[f].form);
        struct kurnosov_costs costs;

        x.c.model.params.gamma_ps *= c;
        costs = kurnosov_costs(&x);
        row->value[FORMULA] = forms_of_6[f].formula(&costs);
        paper_run(p, &x, row);
    }
    paper_note(t, "L, o, g = 6, 2, 4. The example's terms after 3o+2L are taken as those of the "
                  "general form, max{2 max{o+c,g}, 2o+L+c} + max{o+c,g} + o + c.");
    for (int f = 0; f < N_FORMS; f++) {
        const double *at_1 = t->rows[f].value, *at_3 = t->rows[N_FORMS + f].value;
        char what[160];

        snprintf(what, sizeof(what), "Section 6, %s first, %s", forms_of_6[f].first,
                 forms_of_6[f].form);
        paper_judge(p, what, at_1[FORMULA] == at_1[EMULATED] && at_3[FORMULA] == at_3[EMULATED],
                    "%g for c = 1, ours %g; %g for c = 3, ours %g: %s", at_1[FORMULA],
                    at_1[EMULATED], at_3[FORMULA], at_3[EMULATED], forms_of_6[f].why);
    }
}

void kurnosov_section_6(struct paper *p)
{
    forms(p);
    over_k(p);
}
