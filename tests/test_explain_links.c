/* SPDX-License-Identifier: MIT */
/*
 * Explanations where links differ: the path is the time, slack is what a task may be late, and the
 * time with other parameters is that of the same steps folded with those, over the table of
 * algorithms and random links.
 */
#include "drawn_links.h"
#include "explained.h"

#include <logp/delay.h>

enum { ROUNDS = 12 };

static int64_t fold(const struct listed *l, const struct logp_links *links,
                    const struct logp_params *params)
{
    const struct logp_schedule s = listed_schedule(l);
    struct logp_delay delay;
    struct logp_fold out;

    cr_assert_eq(logp_links_delay(links, params, &delay), 0);
    cr_assert_eq(logp_schedule_fold(&s, &delay, 0, &out), 0);
    logp_delay_destroy(&delay);
    return out.ns;
}

static int64_t sum_ps(const struct logp_terms *t, const struct logp_params *p)
{
    return 1000 * (t->L * p->L_ns + t->o_send * p->o_send_ns + t->o_recv * p->o_recv_ns +
                   t->g * p->g_ns + t->compute_ns + t->links_ns) +
           t->bytes * p->G_ps + t->elements * p->gamma_ps + t->rounding_ps;
}

static void check_path(const struct drawn *d, const struct logp_algorithm *a,
                       const struct logp_explanation *e)
{
    int64_t at = 0;

    must(sum_ps(&e->terms, &e->params) == 1000 * e->ns, "the terms are the time", d, a->name);
    for (size_t i = 0; i < e->n_path; i++) {
        const struct logp_path_segment *s = &e->path[i];

        must(s->from_ns == at && s->to_ns > at, "the path has no hole", d, a->name);
        must(sum_ps(&s->terms, &e->params) == 1000 * (s->to_ns - s->from_ns),
             "its terms are the time of a stretch", d, a->name);
        must(e->tasks[s->task].slack_ns == 0, "what is on the path has no slack", d, a->name);
        at = s->to_ns;
    }
    must(at == e->ns, "the path is all of the time", d, a->name);
}

/* A task that starts as late as its slack lets it changes nothing, and a ns more does. */
static void check_slack(const struct drawn *d, const struct logp_algorithm *a,
                        const struct logp_explanation *e, const struct logp_links *links,
                        uint64_t *random)
{
    const int64_t task = below(random, (int64_t)e->n_tasks), slack = e->tasks[task].slack_ns;
    const int64_t before = e->tasks[task].start_ns;
    int64_t idle = before; /* since the end of what its rank did before */
    struct listed l;

    for (int64_t i = 0; i < task; i++)
        if (e->tasks[i].rank == e->tasks[task].rank)
            idle = before - e->tasks[i].end_ns;
    l = listed_make(e, e->params.gamma_ps, task, idle + slack);
    must(fold(&l, links, &e->params) == e->ns, "so late is not too late", d, a->name);
    listed_free(&l);
    l = listed_make(e, e->params.gamma_ps, task, idle + slack + 1);
    must(fold(&l, links, &e->params) > e->ns, "later is too late", d, a->name);
    listed_free(&l);
}

/* With another value of L, o_send, o_recv or g: what the links say themselves stays. */
static void check_curves(const struct drawn *d, const struct logp_algorithm *a,
                         const struct logp_explanation *e, const struct logp_links *links,
                         uint64_t *random)
{
    static const enum logp_parameter all[] = {LOGP_PARAMETER_L, LOGP_PARAMETER_O_SEND,
                                              LOGP_PARAMETER_O_RECV, LOGP_PARAMETER_GAP,
                                              LOGP_PARAMETER_BYTE};

    for (int i = 0; i < 5; i++) {
        struct logp_params p = e->params;
        int64_t *const of[] = {&p.L_ns, &p.o_send_ns, &p.o_recv_ns, &p.g_ns, &p.G_ps};
        struct logp_curve curve;
        struct listed l;
        int64_t ns, ps;

        p.latency_varies = false;
        *of[i] = below(random, 5000);
        ps = *of[i] * (of[i] == &p.G_ps ? 1 : 1000);
        cr_assert_eq(logp_explanation_at(e, all[i], ps, &ns), 0);
        l = listed_make(e, p.gamma_ps, -1, 0);
        must(fold(&l, links, &p) == ns, "with another parameter it is the fold", d, a->name);
        listed_free(&l);
        cr_assert_eq(logp_explanation_curve(e, all[i], &curve), 0);
        must(of[i] == &p.G_ps || logp_curve_ps(&curve, ps) == 1000 * ns, "the curve is exact", d,
             a->name);
        logp_curve_free(&curve);
    }
}

/* two-level needs nodes that are alike. */
static bool takes_any_links(const struct logp_algorithm *a)
{
    return strcmp(a->name, "two-level") != 0;
}

Test(explain_links, what_links_say_is_in_the_time_and_stays_as_it_is, .timeout = 600)
{
    int64_t of_links = 0, of_params = 0;
    size_t n;
    const struct logp_algorithm *const *rows = test_rows(&n);

    for (size_t row = 0; row < n; row++) {
        uint64_t seed = 11 * n, random = 77 + row;

        for (int i = 0; rows[row]->steps != NULL && takes_any_links(rows[row]) && i < ROUNDS;
             i++, seed += n) {
            struct drawn d = draw_for(row, n, &seed);
            TEST_LINKS links = draw_links(d.P, &random);
            TEST_EXPLANATION e = NULL;
            struct listed l;

            d.call.model.links = links;
            d.call.model.params.capacity = 0;
            cr_assert_eq(explain(rows[row], d.P, &d.call, &e), 0);
            l = listed_make(e, e->params.gamma_ps, -1, 0);
            if (!e->params.latency_varies) {
                must(e->ns == test_predict_by(rows[row], d.P, &d.call, LOGP_BY_SCHEDULE).ns,
                     "it is the prediction", &d, rows[row]->name);
                must(e->ns == fold(&l, links, &e->params), "its time is the fold", &d,
                     rows[row]->name);
            }
            listed_free(&l);
            check_path(&d, rows[row], e);
            if (e->n_tasks > 0 && !e->params.latency_varies)
                check_slack(&d, rows[row], e, links, &random);
            if (!e->params.latency_varies)
                check_curves(&d, rows[row], e, links, &random);
            of_links += e->terms.links_ns > 0;
            of_params += e->terms.L > 0 || e->terms.g > 0;
        }
    }
    cr_assert_gt(of_links, 100);
    cr_assert_gt(of_params, 100);
}
