/* SPDX-License-Identifier: MIT */
/* As test_memory.c: delay models, topologies and what the host is, without machines. */
#define _GNU_SOURCE
#include "short_of_memory.h"

#include <unistd.h>

static const struct logp_params params = {
    .L_ns = 600, .o_send_ns = 200, .o_recv_ns = 250, .g_ns = 400, .G_ps = 300};

static int make_model(const char *name, struct logp_delay *out)
{
    const int rc = logp_delay_create(name, &params, out);

    return rc == 0 && out->ops == NULL ? -EPROTO : rc;
}

/* ---- models and topologies ---- */

static int one_model(void *arg)
{
    struct logp_delay delay = {0};
    int rc = make_model(arg, &delay);

    if (rc == 0)
        logp_delay_destroy(&delay);
    return rc;
}

Test(memory_models, every_model)
{
    const struct logp_delay_model *model;

    for (size_t i = 0; (model = logp_delay_model_at(i)) != NULL; i++)
        if (strcmp(model->name, "none") != 0) /* which is nothing */
            without_each(model->name, one_model, (void *)model->name);
}

/* A broadcast over the links of a topology: as a delay model, as a prediction and as a load. */
static int on_links(const struct logp_topology *t)
{
    const struct logp_algorithm *binomial = logp_algorithm_find("broadcast", "binomial");
    const struct logp_invocation c = {
        .args.n_bytes = 8, .model.params = params, .model.topology = t};
    struct logp_delay ends, delay = {0};
    struct logp_link_load load;
    int rc = make_model("loggp", &ends);

    if (rc == 0)
        rc = logp_topology_delay(t, ends, &delay);
    if (rc == 0 && delay.ops == NULL)
        rc = -EPROTO;
    logp_delay_destroy(delay.ops != NULL ? &delay : &ends);
    if (rc != 0)
        return rc;
    (void)test_predict(binomial, 4, &c); /* without memory: none, or less sure */
    rc = logp_link_load_init(&load, binomial, &c.args, &c.model);
    if (rc == 0)
        logp_link_load_fini(&load);
    return rc;
}

/* Links, their delay model and a prediction. */
static int some_links(void *arg)
{
    const struct logp_link_costs slow = {6000, 500, 500, 900, LOGP_AS_BEFORE};
    const struct logp_rank_range range = {1, 2};
    const struct logp_ranks some = {&range, 1}, all = {NULL, 0};
    struct logp_invocation c = {.args.n_bytes = 8, .model.params = params};
    struct logp_links *links = NULL;
    struct logp_delay delay = {0};
    int rc = logp_links_create(4, &links);

    if (rc == 0)
        rc = logp_links_nodes(links, 2, &slow);
    if (rc == 0)
        rc = logp_links_set(links, &some, &all, &slow);
    if (rc == 0)
        rc = logp_links_delay(links, &params, &delay);
    c.model.links = links;
    if (rc == 0) /* without memory: none */
        (void)test_predict(logp_algorithm_find("broadcast", "binomial"), 4, &c);
    logp_delay_destroy(&delay);
    logp_links_destroy(links);
    return rc;
}

Test(memory_models, links_of_their_own)
{
    without_each("links", some_links, NULL);
}

/* A model of faults, or of noise. */
static int one_fault(void *arg)
{
    const char *text = arg;
    const bool noise = strncmp(text, "file:", 5) == 0 || strncmp(text, "exp:", 4) == 0;
    const struct logp_fault_config config = {.size = sizeof(config),
                                             .faults = noise ? NULL : text,
                                             .noise = noise ? text : NULL,
                                             .P = 100,
                                             .unit_ns = 1};
    struct logp_delay inner, delay = {0};
    char why[LOGP_FAULT_WHY];
    int rc = make_model("loggp", &inner);

    if (rc == 0)
        rc = logp_fault_create(&inner, &config, &delay, why);
    if (rc == 0 && delay.ops == NULL)
        rc = -EPROTO;
    logp_delay_destroy(delay.ops != NULL ? &delay : &inner);
    return rc;
}

Test(memory_models, faults_and_noise)
{
    char path[] = "/tmp/logp-samples-XXXXXX", file[64];
    const int f = mkstemp(path);

    cr_assert_eq(write(f, "1\n2\n", 4), 4);
    close(f);
    snprintf(file, sizeof(file), "file:%s", path);
    without_each("drop", one_fault, (void *)"drop:0.1,dup:1,slow:2@1");
    without_each("exp", one_fault, (void *)"exp:1");
    without_each("file", one_fault, (void *)file);
    unlink(path);
}

static int one_topology(void *arg)
{
    struct logp_topology *t = NULL;
    int rc = logp_topology_create(arg, 4, &t);

    if (rc != 0)
        return rc;
    rc = t != NULL ? on_links(t) : -EPROTO;
    logp_topology_destroy(t);
    return rc;
}

Test(memory_models, every_topology)
{
    const struct logp_topology_kind *kind;

    for (size_t i = 0; (kind = logp_topology_kind_at(i)) != NULL; i++)
        if (strcmp(kind->name, "dragonfly") != 0) /* which needs its sizes */
            without_each(kind->name, one_topology, (void *)kind->name);
    without_each("dragonfly:2x2x1", one_topology, (void *)"dragonfly:2x2x1");
    without_each("mesh:2x2", one_topology, (void *)"mesh:2x2");
}

/* ---- the host ---- */

static int ask_host(void *arg)
{
    struct logp_host host;

    return logp_host_info(&host);
}

static int measure_op(void *arg)
{
    const int64_t ps = logp_op_measure(logp_op_find("sum", "double"), 100);

    return ps > 0 ? 0 : (int)ps;
}

Test(memory_models, what_the_host_is)
{
    without_each("logp_host_info", ask_host, NULL);
    without_each("logp_op_measure", measure_op, NULL);
}

/* ---- what becomes of a schedule ---- */

/* Folded where messages wait for a place on the wire, and checked: of a collective that combines.
 */
static int read_schedule(void *arg)
{
    const struct logp_algorithm *a = logp_algorithm_find("reduce", "binomial");
    struct logp_params full = params;
    const struct logp_args args = {.count = 3, .op = logp_op_find("sum", "double")};
    const struct logp_network model = {.params = params};
    const struct logp_schedule s = logp_schedule_of(a, 6, &args, &model);
    struct logp_delay delay;
    struct logp_schedule_error error;
    struct logp_fold fold;
    int rc;

    full.capacity = 1;
    rc = logp_delay_create("loggp", &full, &delay);
    if (rc != 0)
        return rc;
    rc = logp_schedule_fold(&s, &delay, 0, &fold);
    if (rc == 0) {
        struct logp_trace *trace;

        rc = logp_trace_predict(&s, &delay, 0, "a schedule", &fold, &trace);
        if (rc == 0)
            logp_trace_free(trace);
    }
    logp_delay_destroy(&delay);
    return rc != 0 ? rc : logp_schedule_check(&s, logp_collective_find(a->collective), &error);
}

Test(memory_models, what_a_schedule_takes_and_does)
{
    without_each("a schedule", read_schedule, NULL);
}

/* Folded, where nothing orders what two ranks do, and receives are from any source. */
static int fold_graph(void *arg)
{
    static const struct logp_edge none[1];
    static const struct logp_edge *const edges[] = {none, none};
    const int64_t n[] = {2, 2}, n_edges[] = {0, 0};
    struct logp_step steps[2][2] = {{{0}}};
    const struct logp_step *const all[] = {steps[0], steps[1]};
    const struct logp_step_list list = {
        .P = 2, .steps = all, .n = n, .most_bytes = 8, .edges = edges, .n_edges = n_edges};
    const struct logp_args args = {.list = &list};
    struct logp_network model = {.params = params};
    struct logp_schedule s;
    struct logp_delay delay;
    struct logp_trace *trace;
    struct logp_fold fold;
    int rc;

    for (int r = 0; r < 2; r++) {
        logp_step_send(&steps[r][0], 1 - r, 5, LOGP_RECV_BUF, 0, 8);
        logp_step_receive(&steps[r][1], LOGP_ANY_SOURCE, LOGP_ANY_TAG, LOGP_RECV_BUF, 0, 8);
    }
    logp_delay_params("loggops", &params, &model.params);
    s = logp_schedule_of(logp_algorithm_find("schedule", "listed"), 2, &args, &model);
    rc = logp_delay_create("loggops", &params, &delay);
    if (rc != 0)
        return rc;
    rc = logp_trace_predict(&s, &delay, 0, "a graph", &fold, &trace);
    if (rc == 0)
        logp_trace_free(trace);
    logp_delay_destroy(&delay);
    return rc;
}

Test(memory_models, what_a_graph_takes)
{
    without_each("a graph", fold_graph, NULL);
}

/* Explained, with another value of a parameter too, and as a tree. */
static int explain_schedule(void *arg)
{
    const struct logp_algorithm *a = logp_algorithm_find("reduce", "binomial");
    const struct logp_args args = {.count = 3, .op = logp_op_find("sum", "double")};
    const struct logp_network model = {.params = params};
    struct logp_explanation *e;
    struct logp_curve curve;
    enum logp_along along;
    int64_t ns, parent[6], root;
    int rc = logp_explanation_of(a, 6, &args, &model, &e);

    if (rc != 0)
        return rc;
    rc = logp_explanation_curve(e, LOGP_PARAMETER_GAP, &curve);
    if (rc == 0) {
        logp_curve_free(&curve);
        rc = logp_explanation_at(e, LOGP_PARAMETER_L, 0, &ns);
    }
    root = rc == 0 ? logp_explanation_tree(e, 0, parent, &along) : rc;
    logp_explanation_free(e);
    return (int)root;
}

Test(memory_models, what_a_schedule_takes_is_made_of)
{
    without_each("an explanation", explain_schedule, NULL);
}
