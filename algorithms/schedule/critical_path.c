/* SPDX-License-Identifier: MIT */
/*
 * The parts of the time of a schedule, under the parameters in force: the start of each task, the
 * path that decides the end, and, from the end back, how much later each task could be.
 */
#include "predict/predict.h"
#include "schedule/schedule.h"

#include <logp/graph.h>
#include <logp/machine.h>

#include <errno.h>
#include <stdlib.h>

static const int64_t most_ns = INT64_C(8640000000000000); /* 100 days: in ps, 2^63 */

/* ---- the path ---- */

static int64_t rounding(int64_t n, int64_t ps)
{
    const int rest = (int)((__int128)n * ps % 1000);

    return rest > 0 ? 1000 - rest : 0;
}

/* Add n times a parameter; own_ns: the link's value for it, -1: none. */
static void add_own(struct logp_terms *terms, int64_t *term, int n, int64_t own_ns)
{
    *term += own_ns < 0 ? n : 0;
    terms->links_ns += own_ns < 0 ? 0 : n * own_ns;
}

static void add_bytes(struct logp_terms *terms, int64_t n, int64_t G_ps, int64_t own_ps)
{
    if (own_ps >= 0) {
        terms->links_ns += (int64_t)(((__int128)n * own_ps + 999) / 1000);
        return;
    }
    terms->bytes += G_ps > 0 ? n : 0;
    terms->rounding_ps += rounding(n, G_ps);
}

/* What streams through the processor in a send or a receive. */
static void add_streams(const struct lpi_explanation *x, uint32_t task, struct logp_terms *terms)
{
    const struct logp_params *p = &x->public.params;
    const int64_t n = lpi_streamed(x, task), in = lpi_streamed_in(x, task);

    if (p->O_ps > 0 && (in == 0 || p->O_ps >= p->G_ps)) {
        terms->bytes_O = n;
        terms->rounding_ps += rounding(n, p->O_ps);
    } else {
        add_bytes(terms, in, p->G_ps, LOGP_AS_BEFORE);
    }
}

/* Return the time of a task, in terms. */
static struct logp_terms terms_of_task(const struct lpi_explanation *x, uint32_t task)
{
    const struct logp_task *t = &x->tasks[task];

    const struct logp_link_costs *own = lpi_costs_of(x, task);
    struct logp_terms terms = {0};

    if (t->kind == LOGP_STEP_SEND)
        add_own(&terms, &terms.o_send, 1, own->o_send_ns);
    else if (t->kind == LOGP_STEP_RECEIVE)
        add_own(&terms, &terms.o_recv, 1, own->o_recv_ns);
    else
        terms =
            (struct logp_terms){.elements = x->public.params.gamma_ps > 0 ? t->elements : 0,
                                .compute_ns = t->compute_ns,
                                .rounding_ps = rounding(t->elements, x->public.params.gamma_ps)};
    if (t->kind != LOGP_STEP_COMPUTE)
        add_streams(x, task, &terms);
    return terms;
}

static struct logp_terms terms_of_edge(const struct lpi_explanation *x, const struct lpi_edge *e)
{
    const struct logp_link_costs *own = lpi_costs_of(x, e->link_before);
    const int64_t G_ps = x->public.params.G_ps;
    struct logp_terms terms = {0};

    add_own(&terms, &terms.L, e->L, own->L_ns);
    add_own(&terms, &terms.o_send, e->o_send, own->o_send_ns);
    add_own(&terms, &terms.o_recv, e->o_recv, own->o_recv_ns);
    add_own(&terms, &terms.g, e->g, own->g_ns);
    add_bytes(&terms, e->bytes_before, G_ps, own->G_ps);
    add_bytes(&terms, e->bytes, G_ps, lpi_costs_of(x, e->link)->G_ps);
    return terms;
}

static void add_terms(struct logp_terms *sum, const struct logp_terms *t)
{
    sum->L += t->L;
    sum->o_send += t->o_send;
    sum->o_recv += t->o_recv;
    sum->g += t->g;
    sum->bytes += t->bytes;
    sum->elements += t->elements;
    sum->compute_ns += t->compute_ns;
    sum->rounding_ps += t->rounding_ps;
    sum->links_ns += t->links_ns;
    sum->bytes_O += t->bytes_O;
}

/* From the end to the beginning; those that take no time are left out. */
static void add_segment(struct lpi_explanation *x, struct logp_path_segment s)
{
    add_terms(&x->public.terms, &s.terms);
    if (s.from_ns < s.to_ns)
        x->path[x->public.n_path++] = s;
}

static void add_task(struct lpi_explanation *x, uint32_t task)
{
    static const enum logp_segment_kind kinds[] = {[LOGP_STEP_SEND] = LOGP_SEGMENT_SEND,
                                                   [LOGP_STEP_RECEIVE] = LOGP_SEGMENT_RECEIVE,
                                                   [LOGP_STEP_COMPUTE] = LOGP_SEGMENT_COMPUTE};
    const struct logp_task *t = &x->tasks[task];

    add_segment(x, (struct logp_path_segment){kinds[t->kind], t->rank, t->peer, task, t->start_ns,
                                              t->end_ns, terms_of_task(x, task)});
}

static void add_edge(struct lpi_explanation *x, uint32_t task, const struct lpi_edge *e)
{
    const struct logp_task *from = &x->tasks[e->from], *to = &x->tasks[task];

    if (e->L > 0 && e->o_send > 0) { /* the overhead of the send, and then the wire */
        const int64_t sent_ns = from->start_ns + x->public.params.o_send_ns;

        add_segment(x, (struct logp_path_segment){LOGP_SEGMENT_WIRE,
                                                  from->rank,
                                                  from->peer,
                                                  e->from,
                                                  sent_ns,
                                                  to->start_ns,
                                                  {.L = 1}});
        add_segment(x, (struct logp_path_segment){LOGP_SEGMENT_SEND,
                                                  from->rank,
                                                  from->peer,
                                                  e->from,
                                                  from->start_ns,
                                                  sent_ns,
                                                  {.o_send = 1}});
        return;
    }
    if (e->L > 0 || e->g > 0 || e->o_send > 0 || e->o_recv > 0)
        add_segment(x, (struct logp_path_segment){e->L > 0 ? LOGP_SEGMENT_WIRE : LOGP_SEGMENT_GAP,
                                                  from->rank, from->peer, e->from,
                                                  e->from_start ? from->start_ns : from->end_ns,
                                                  to->start_ns, terms_of_edge(x, e)});
}

/* why: of each task the edge that decides when it starts. */
static int find_path(struct lpi_explanation *x, const int32_t *why, uint32_t last)
{
    size_t n = x->public.n_tasks;
    struct lpi_edge space[LPI_EDGES];
    size_t unwanted;

    x->path = malloc((2 * n + 1) * sizeof(*x->path));
    if (x->path == NULL)
        return -ENOMEM;
    if (last != LPI_NO_TASK)
        add_task(x, last);
    for (uint32_t i = last; i != LPI_NO_TASK && why[i] >= 0;) {
        const struct lpi_edge *e = &lpi_edges(x, i, space, &unwanted)[why[i]];

        add_edge(x, i, e);
        if (!e->from_start)
            add_task(x, e->from);
        i = e->from;
    }
    n = x->public.n_path;
    for (size_t i = 0; i < n / 2; i++) {
        const struct logp_path_segment s = x->path[i];

        x->path[i] = x->path[n - 1 - i];
        x->path[n - 1 - i] = s;
    }
    return 0;
}

/* ---- slack ---- */

static int64_t whole_ns(struct lpi_at at)
{
    return (int64_t)(at.ps / 1000);
}

/* late: when each task may start at the latest, from the last to the first. */
static int find_slack(struct lpi_explanation *x, const struct lpi_prices *p)
{
    const struct logp_explanation *e = &x->public;
    int64_t *late = malloc((e->n_tasks + 1) * sizeof(*late));

    x->slack_ns = malloc((size_t)e->P * sizeof(*x->slack_ns));
    if (late == NULL || x->slack_ns == NULL) {
        free(late);
        return -ENOMEM;
    }
    for (int64_t rank = 0; rank < e->P; rank++)
        x->slack_ns[rank] = e->ns;
    for (size_t i = 0; i < e->n_tasks; i++)
        late[i] = e->ns - whole_ns(lpi_task_length(x, p, (uint32_t)i));
    for (size_t i = e->n_tasks; i-- > 0;) {
        struct logp_task *t = &x->tasks[i];
        struct lpi_edge space[LPI_EDGES];
        size_t n;
        const struct lpi_edge *edges = lpi_edges(x, (uint32_t)i, space, &n);

        for (size_t k = 0; k < n; k++) {
            const struct lpi_at length = lpi_edge_length(x, p, &edges[k]);
            int64_t until = late[i] - whole_ns(length);

            if (!edges[k].from_start)
                until -= whole_ns(lpi_task_length(x, p, edges[k].from));
            lpi_at_most(&late[edges[k].from], until);
        }
        t->slack_ns = late[i] - t->start_ns;
        t->message_slack_ns = -1;
        lpi_at_most(&x->slack_ns[t->rank], t->slack_ns);
        if (t->kind == LOGP_STEP_RECEIVE)
            t->message_slack_ns = late[i] - t->arrival_ns;
    }
    for (size_t i = 0; i < e->n_tasks; i++)
        if (x->tasks[i].kind == LOGP_STEP_SEND && x->tasks[i].other >= 0)
            x->tasks[i].message_slack_ns = x->tasks[x->tasks[i].other].message_slack_ns;
    free(late);
    return 0;
}

/* ---- all of it ---- */

static void set_times(struct lpi_explanation *x, const struct lpi_prices *p,
                      const struct lpi_at *starts)
{
    for (uint32_t i = 0; i < x->public.n_tasks; i++) {
        struct logp_task *t = &x->tasks[i];
        t->start_ns = whole_ns(starts[i]);
        t->end_ns = t->start_ns + whole_ns(lpi_task_length(x, p, i));
        if (t->kind == LOGP_STEP_SEND) {
            const struct lpi_edge wire = lpi_wire(x, i);

            t->arrival_ns = (wire.from_start ? t->start_ns : t->end_ns) +
                            whole_ns(lpi_edge_length(x, p, &wire));
        } else if (t->kind == LOGP_STEP_RECEIVE)
            t->arrival_ns = x->tasks[t->other].arrival_ns;
    }
}

/* Return the costs that a link gives itself: those that do not change with the parameters. */
static struct logp_link_costs own_costs(const struct logp_links *links, int src, int dst)
{
    const struct logp_params none = {0},
                             one = {
                                 .L_ns = 1, .o_send_ns = 1, .o_recv_ns = 1, .g_ns = 1, .G_ps = 1};
    struct logp_params a, b;

    if (src >= logp_links_size(links) || dst >= logp_links_size(links))
        return (struct logp_link_costs)LOGP_ALL_AS_BEFORE;
    logp_links_of(links, src, dst, &none, &a);
    logp_links_of(links, src, dst, &one, &b);
    return (struct logp_link_costs){
        .L_ns = a.L_ns == b.L_ns ? a.L_ns : LOGP_AS_BEFORE,
        .o_send_ns = a.o_send_ns == b.o_send_ns ? a.o_send_ns : LOGP_AS_BEFORE,
        .o_recv_ns = a.o_recv_ns == b.o_recv_ns ? a.o_recv_ns : LOGP_AS_BEFORE,
        .g_ns = a.g_ns == b.g_ns ? a.g_ns : LOGP_AS_BEFORE,
        .G_ps = a.G_ps == b.G_ps ? a.G_ps : LOGP_AS_BEFORE,
    };
}

/* Of each task. 0; -ENOMEM */
static int poll_mail_costs(struct lpi_explanation *x, const struct logp_links *links)
{
    x->costs = malloc((x->public.n_tasks + 1) * sizeof(*x->costs));
    if (x->costs == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < x->public.n_tasks; i++) {
        const struct logp_task *t = &x->tasks[i];
        const bool sends = t->kind == LOGP_STEP_SEND;

        if (t->kind == LOGP_STEP_COMPUTE)
            x->costs[i] = (struct logp_link_costs)LOGP_ALL_AS_BEFORE;
        else
            x->costs[i] = own_costs(links, (int)(sends ? t->rank : t->peer),
                                    (int)(sends ? t->peer : t->rank));
    }
    return 0;
}

static int explain(struct lpi_explanation *x)
{
    const size_t n = x->public.n_tasks;
    const struct lpi_prices p = lpi_prices_of(&x->public.params);
    struct lpi_at *starts = malloc((n + 1) * sizeof(*starts)), end;
    int32_t *why = malloc((n + 1) * sizeof(*why));
    uint32_t last;
    int rc = starts != NULL && why != NULL ? 0 : -ENOMEM;

    if (rc == 0) {
        end = lpi_pass(x, &p, starts, why, &last);
        rc = end.ps / 1000 <= most_ns ? 0 : -EOVERFLOW;
    }
    if (rc == 0) {
        x->public.ns = whole_ns(end);
        set_times(x, &p, starts);
        rc = find_path(x, why, last);
    }
    free(starts);
    free(why);
    return rc == 0 ? find_slack(x, &p) : rc;
}

/* Explain the recorded tasks; rc: of the recording. */
static int finish(struct lpi_explanation *x, int rc, struct logp_explanation **out)
{
    if (rc == 0)
        rc = explain(x);
    x->public.tasks = x->tasks;
    x->public.path = x->path;
    x->public.slack_ns = x->slack_ns;
    if (rc == 0)
        *out = &x->public;
    else
        logp_explanation_free(&x->public);
    return rc;
}

/* 0; -ENOTSUP, or what the built-in models refuse. */
static int check_network(const struct logp_network *network)
{
    struct logp_delay delay;
    int rc;

    if (network->topology != NULL || logp_params_capacity(&network->params) > 0 ||
        network->rendezvous_from > 0 || network->arrivals != NULL ||
        logp_delay_name(&network->params) == NULL)
        return -ENOTSUP;
    if (network->params.recv_streams &&
        (network->params.O_ps > 0 || network->params.gap_shared || network->links != NULL))
        return -ENOTSUP;
    rc = logp_network_delay(network, 1, NULL, &delay, NULL);
    if (rc == 0)
        logp_delay_destroy(&delay);
    return rc;
}

int logp_explanation_create(const struct logp_schedule *schedule, struct logp_explanation **out)
{
    struct lpi_explanation *x;
    int rc = check_network(&schedule->model);

    if (logp_step_list_is_graph(schedule->args.list, &schedule->model.params))
        rc = -ENOTSUP;

    if (rc == 0 && (schedule->P < 1 || schedule->P > LOGP_MAX_PROCESSORS))
        rc = -EINVAL;
    if (rc != 0)
        return rc;
    x = calloc(1, sizeof(*x));
    if (x == NULL)
        return -ENOMEM;
    x->public.size = sizeof(x->public);
    x->public.P = schedule->P;
    x->public.params = schedule->model.params;
    rc = lpi_record(schedule, x);
    if (rc == 0 && schedule->model.links != NULL)
        rc = poll_mail_costs(x, schedule->model.links);
    if (rc == 0 && lpi_has_ports(&schedule->model)) {
        const struct lpi_prices prices = lpi_prices_of(&x->public.params);

        rc = lpi_take_ports(x, &prices, (int)schedule->model.ports);
    }
    return finish(x, rc, out);
}

int logp_explanation_of_graph(const struct logp_graph *graph, const struct logp_network *network,
                              struct logp_explanation **out)
{
    struct lpi_explanation *x;
    int rc;

    if (network->topology != NULL || logp_params_capacity(&network->params) > 0 ||
        network->rendezvous_from > 0 || network->arrivals != NULL || network->links != NULL)
        return -ENOTSUP;
    x = calloc(1, sizeof(*x));
    if (x == NULL)
        return -ENOMEM;
    x->public.size = sizeof(x->public);
    x->public.P = logp_graph_size(graph).P;
    x->public.params = network->params;
    x->public.params.recv_streams = true;
    x->public.params.gap_shared = x->public.params.store_forward = false;
    rc = lpi_record_graph(graph, network, x);
    return finish(x, rc, out);
}

void logp_explanation_free(struct logp_explanation *e)
{
    struct lpi_explanation *x = (struct lpi_explanation *)e;

    if (e == NULL)
        return;
    free(x->tasks);
    free(x->links);
    free(x->edges);
    free(x->first_edge);
    free(x->costs);
    free(x->path);
    free(x->slack_ns);
    free(x);
}
