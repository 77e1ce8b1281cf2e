/* SPDX-License-Identifier: MIT */
/* The built-in delay models by themselves: what they accept, and their arithmetic at its edges. */
#include "support.h"

Test(delay_models, each_has_a_name_by_which_it_is_made)
{
    static const char *const names[] = {"none",          "logp",    "loggp",
                                        "store-forward", "varying", "loggops"};
    const struct logp_delay_model *model;
    struct logp_delay delay;
    size_t i = 0;

    for (; (model = logp_delay_model_at(i)) != NULL; i++) {
        cr_assert_lt(i, 6);
        cr_expect_eq(model->size, sizeof(*model));
        cr_expect_str_eq(model->name, names[i]);
        cr_expect(model->summary[0] != '\0');
        cr_assert_eq(logp_delay_create(model->name, &test_6ns, &delay), 0);
        cr_expect_eq(logp_delay_is_none(&delay), i == 0);
        logp_delay_destroy(&delay);
        cr_expect(delay.ops == NULL && delay.model == NULL);
    }
    cr_expect_eq(i, 6);
    cr_expect_null(logp_delay_model_at(SIZE_MAX));
    cr_expect_eq(logp_delay_create("nonsense", &test_6ns, &delay), -ENOENT);
    cr_expect_eq(logp_delay_create("", &test_6ns, &delay), -ENOENT);
    cr_expect_eq(logp_delay_create(NULL, &test_6ns, &delay), -ENOENT);
}

/* What a create leaves that has failed, where nobody looks at its error. */
static void is_refused(struct logp_delay left, const char *what)
{
    struct logp_config config = {
        .size = sizeof(config), .n_processors = 2, .executor = test_executor(), .delay = left};
    struct logp_machine *m = NULL;

    cr_expect_eq(logp_machine_create(&config, &m), -EINVAL, "%s", what);
    if (m != NULL)
        logp_machine_destroy(m);
    m = test_machine(2, LOGP_CLOCK_VIRTUAL, NULL);
    cr_expect_eq(logp_machine_set_delay(m, left, 0), -EINVAL, "%s", what);
    logp_machine_destroy(m);
}

static const struct logp_delay unset = {.model = &(int){0}}; /* neither of zeros nor a model */

/* In a configuration of zeros, and in one that was not. */
Test(delay_models, a_create_that_fails_leaves_what_no_machine_takes)
{
    const struct logp_params negative = test_params(-6, 2, 4);
    struct logp_delay out = unset;

    is_refused((struct logp_delay){0}, "zero");
    cr_expect_eq(logp_delay_create("logpp", &test_6ns, &out), -ENOENT);
    is_refused(out, "no such name");
    out = unset;
    cr_expect_eq(logp_delay_create(NULL, &test_6ns, &out), -ENOENT);
    is_refused(out, "no name");
    out = unset;
    cr_expect_eq(logp_delay_create("loggp", &negative, &out), -EINVAL);
    is_refused(out, "a parameter below 0");
    cr_assert_eq(logp_delay_create("none", NULL, &out), 0);
    cr_expect(logp_delay_is_none(&out));
    cr_expect_not(logp_delay_is_none(&(struct logp_delay){0}));
}

/* Models around a model, where the one inside would run by itself. */
Test(delay_models, nor_does_one_around_a_model)
{
    TEST_LINKS links = test_links(2);
    const struct logp_params negative = test_params(-6, 2, 4);
    const struct logp_fault_config faults = {
        .size = sizeof(faults), .faults = "nonsense", .P = 2, .unit_ns = 1};
    const struct logp_latency latency = {.kind = LOGP_LATENCY_LOGNORMAL, .sigma = -1};
    struct logp_topology *no_ring = (struct logp_topology *)&test_6ns;
    struct logp_delay out = unset, inner;
    char why[LOGP_FAULT_WHY];

    cr_expect_eq(logp_links_delay(links, &negative, &out), -EINVAL);
    is_refused(out, "links");
    cr_expect_eq(logp_links_create(0, &links), -EINVAL);
    cr_expect_eq(logp_links_delay(links, &test_6ns, &out), -EINVAL);
    for (int in_place = 0; in_place < 2; in_place++) {
        struct logp_delay *to = in_place ? &inner : &out;

        out = unset;
        cr_assert_eq(logp_delay_create("loggp", &test_6ns, &inner), 0);
        cr_expect_eq(logp_fault_create(&inner, &faults, to, why), -EINVAL);
        is_refused(*to, "faults");
        logp_delay_destroy(&inner);
        out = unset;
        cr_assert_eq(logp_delay_create("loggp", &test_6ns, &inner), 0);
        cr_expect_eq(logp_latency_create(&inner, &latency, to), -EINVAL);
        is_refused(*to, "latency");
        logp_delay_destroy(&inner);
    }
    cr_assert_eq(logp_delay_create("loggp", &test_6ns, &inner), 0);
    cr_expect_eq(logp_topology_create("square", 2, &no_ring), -EINVAL);
    out = inner; /* as a program that hands its configuration's on */
    cr_expect_eq(logp_topology_delay(no_ring, out, &out), -EINVAL);
    is_refused(out, "topology");
    logp_delay_destroy(&inner);
}

/* As the model that it makes says them. @return its name, of those parameters alone */
static const char *check_params(const char *name, const struct logp_params *given)
{
    struct logp_params params = {0};
    struct logp_delay delay;

    cr_assert_eq(logp_delay_params(name, given, &params), 0);
    cr_assert_eq(logp_delay_create(name, given, &delay), 0);
    if (!logp_delay_is_none(&delay)) {
        const struct logp_params *own = delay.ops->params(delay.model);

        cr_expect_eq(own->G_ps, params.G_ps);
        cr_expect_eq(own->store_forward, params.store_forward);
        cr_expect_eq(own->latency_varies, params.latency_varies);
        cr_expect_eq(own->recv_streams, params.recv_streams);
        cr_expect_eq(own->L_ns, given->L_ns);
        cr_expect_eq(own->seed, given->seed);
    }
    logp_delay_destroy(&delay);
    cr_expect_eq(params.L_ns, given->L_ns);
    cr_expect_eq(params.gamma_ps, given->gamma_ps);
    return logp_delay_name(&params);
}

/* Whatever is given, even what another model has said. */
Test(delay_models, each_says_its_own_parameters)
{
    for (int kind = 0; kind < 16; kind++) {
        struct logp_params p = {.L_ns = 60, .o_send_ns = 20, .g_ns = 40, .gamma_ps = 7, .seed = 5};
        struct logp_params out;

        p.G_ps = kind & 1 ? 300 : 0;
        p.store_forward = kind & 2;
        p.latency_varies = kind & 4;
        p.recv_streams = kind & 8;
        cr_expect_str_eq(check_params("none", &p), kind & 1 ? "loggp" : "logp");
        cr_expect_str_eq(check_params("logp", &p), "logp");
        cr_expect_str_eq(check_params("loggp", &p), kind & 1 ? "loggp" : "logp");
        cr_expect_str_eq(check_params("store-forward", &p), "store-forward");
        cr_expect_str_eq(check_params("varying", &p), "varying");
        cr_expect_str_eq(check_params("loggops", &p), "loggops");
        cr_expect_eq(logp_delay_params("nonsense", &p, &out), -ENOENT);
        cr_assert_eq(logp_delay_params("logp", &p, &p), 0);
        cr_expect(p.G_ps == 0 && !p.store_forward && !p.latency_varies && !p.recv_streams);
    }
    cr_expect_null(
        logp_delay_name(&(struct logp_params){.store_forward = true, .latency_varies = true}));
}

/* A model as large as ever, with the functions that a model needs. */
static struct logp_delay_ops large(void)
{
    struct logp_delay_ops ops;
    struct logp_delay delay;

    cr_assert_eq(logp_delay_create("loggp", &test_6ns, &delay), 0);
    ops = *delay.ops;
    logp_delay_destroy(&delay);
    return ops;
}

static int taken(const struct logp_delay_ops *ops)
{
    const struct logp_delay delay = {ops, NULL};
    struct logp_delay_ops out;

    return logp_delay_functions(&delay, &out);
}

Test(delay_models, a_model_has_functions_and_says_their_size)
{
    const struct logp_delay_ops whole = large();
    struct {
        struct logp_delay_ops ops;
        void *more;
    } grown = {whole, NULL};
    struct logp_delay_ops ops = whole;

    cr_expect_eq(taken(&whole), 0);
    cr_expect_eq(taken(NULL), -EINVAL);
    ops.size = 0;
    cr_expect_eq(taken(&ops), -EINVAL);
    ops.size = LOGP_UP_TO(struct logp_delay_ops, lookahead) - 1;
    cr_expect_eq(taken(&ops), -EINVAL);
    ops.size = LOGP_UP_TO(struct logp_delay_ops, lookahead); /* as before there were links */
    cr_expect_eq(taken(&ops), 0);
    ops = whole;
    ops.start = NULL;
    cr_expect_eq(taken(&ops), -EINVAL);
    ops = whole;
    ops.send = NULL;
    cr_expect_eq(taken(&ops), -EINVAL);
    ops = whole;
    ops.recv = NULL;
    cr_expect_eq(taken(&ops), -EINVAL);
    grown.ops.size = sizeof(grown);
    cr_expect_eq(taken(&grown.ops), 0);
    grown.more = &grown;
    cr_expect_eq(taken(&grown.ops), -E2BIG);
}

static void count_it(void *model)
{
    ++*(int *)model;
}

Test(delay_models, a_model_that_does_not_say_its_size_is_not_destroyed)
{
    struct logp_delay_ops ops = {.size = sizeof(ops), .destroy = count_it};
    int destroyed = 0;
    struct logp_delay delay = {&ops, &destroyed};

    logp_delay_destroy(&delay);
    cr_expect_eq(destroyed, 1);
    cr_expect(delay.ops == NULL && delay.model == NULL);
    logp_delay_destroy(&delay);
    ops.size = 0;
    delay = (struct logp_delay){&ops, &destroyed};
    logp_delay_destroy(&delay);
    cr_expect_eq(destroyed, 1);
}

static int create(const char *name, const struct logp_params *params)
{
    struct logp_delay delay = {0};
    const int rc = logp_delay_create(name, params, &delay);

    logp_delay_destroy(&delay);
    return rc;
}

/* Every parameter from 0 to the largest, and nothing beyond; none reads no parameter. */
Test(delay_models, parameters_are_within_their_range)
{
    static const char *const names[] = {"logp", "loggp", "store-forward", "varying", "loggops"};

    for (int i = 0; i < 5; i++)
        for (int field = 0; field < 6; field++) {
            struct logp_params p = {0};
            int64_t *const fields[] = {&p.L_ns, &p.o_send_ns, &p.o_recv_ns,
                                       &p.g_ns, &p.G_ps,      &p.gamma_ps};
            const bool unread = i == 0 && field == 4; /* logp has no G */

            *fields[field] = LOGP_PARAM_MAX_NS;
            cr_expect_eq(create(names[i], &p), 0);
            *fields[field] = LOGP_PARAM_MAX_NS + 1;
            cr_expect_eq(create(names[i], &p), unread ? 0 : -EINVAL, "%s %d", names[i], field);
            *fields[field] = -1;
            cr_expect_eq(create(names[i], &p), unread ? 0 : -EINVAL, "%s %d", names[i], field);
            cr_expect_eq(create("none", &p), 0);
        }
    for (int64_t capacity = -3; capacity < 3; capacity++) {
        const struct logp_params p = {.capacity = capacity};

        cr_expect_eq(create("logp", &p), capacity < LOGP_CAPACITY_RULE ? -EINVAL : 0);
    }
}

static int64_t capacity_of(int64_t L, int64_t g, int64_t capacity)
{
    const struct logp_params p = {.L_ns = L, .g_ns = g, .capacity = capacity};
    struct logp_delay delay;
    int64_t models;

    cr_assert_eq(logp_delay_create("loggp", &p, &delay), 0);
    models = delay.ops->capacity(delay.model);
    logp_delay_destroy(&delay);
    cr_assert_eq(models, logp_params_capacity(&p));
    return models;
}

Test(delay_models, the_capacity_is_L_over_g_rounded_up)
{
    cr_expect_eq(capacity_of(6, 4, LOGP_CAPACITY_RULE), 2);
    cr_expect_eq(capacity_of(8, 4, LOGP_CAPACITY_RULE), 2);
    cr_expect_eq(capacity_of(9, 4, LOGP_CAPACITY_RULE), 3);
    cr_expect_eq(capacity_of(4, 4, LOGP_CAPACITY_RULE), 1);
    cr_expect_eq(capacity_of(1, 4, LOGP_CAPACITY_RULE), 1);
    cr_expect_eq(capacity_of(0, 4, LOGP_CAPACITY_RULE), 1);
    cr_expect_eq(capacity_of(6, 1, LOGP_CAPACITY_RULE), 6);
    cr_expect_eq(capacity_of(6, 0, LOGP_CAPACITY_RULE), 0);
    cr_expect_eq(capacity_of(6, 4, 0), 0);
    cr_expect_eq(capacity_of(6, 0, 7), 7);
}

Test(delay_models, streaming_is_rounded_up_once_and_stops_before_the_clock_does)
{
    struct logp_params p = {.g_ns = 40, .G_ps = 1};

    cr_expect_eq(logp_params_stream_ns(&p, 0), 0);
    cr_expect_eq(logp_params_stream_ns(&p, 1), 0);
    cr_expect_eq(logp_params_stream_ns(&p, 2), 1);
    cr_expect_eq(logp_params_stream_ns(&p, 1001), 1);
    cr_expect_eq(logp_params_stream_ns(&p, 1002), 2);
    p.G_ps = LOGP_PARAM_MAX_NS;
    cr_expect_eq(logp_params_stream_ns(&p, SIZE_MAX), INT64_MAX / 8);
    cr_expect_eq(logp_params_gap_ns(&p, SIZE_MAX), INT64_MAX / 8 + 40);
    p.G_ps = 1000;
    cr_expect_eq(logp_params_stream_ns(&p, (size_t)INT64_MAX / 8), INT64_MAX / 8 - 1);
    cr_expect_eq(logp_params_stream_ns(&p, (size_t)INT64_MAX / 8 + 1), INT64_MAX / 8);
    cr_expect_eq(logp_params_stream_ns(&p, (size_t)INT64_MAX / 8 + 2), INT64_MAX / 8);
    p.store_forward = true;
    cr_expect_eq(logp_params_stream_ns(&p, 0), 1);
    cr_expect_eq(logp_params_stream_ns(&p, 1), 1);
    cr_expect_eq(logp_params_stream_ns(&p, 7), 7);
    cr_expect_eq(logp_params_gap_ns(&p, SIZE_MAX), 40);
    p.G_ps = 1001;
    cr_expect_eq(logp_params_stream_ns(&p, 0), 2);
    cr_expect_eq(logp_params_stream_ns(&p, 1000), 1001);
}

/* One send of a port that has sent and received: gap, overhead, arrival and what comes after. */
Test(delay_models, a_send_waits_for_the_gap_and_with_a_shared_one_for_the_last_receive)
{
    struct logp_params p = {.L_ns = 60, .o_send_ns = 20, .o_recv_ns = 30, .g_ns = 45, .G_ps = 2000};
    struct logp_delay delay;

    for (int shared = 0; shared < 2; shared++) {
        struct logp_port port = {.send_start = 10, .send_next = 70, .recv_start = 50};
        struct logp_transfer t = {.src = 0, .dst = 1, .n_bytes = 6, .ready = 40};

        p.gap_shared = shared == 1;
        cr_assert_eq(logp_delay_create("loggp", &p, &delay), 0);
        delay.ops->start(delay.model, &port, &t);
        cr_expect_eq(t.start, shared ? 95 : 70);
        t.start = 100;
        delay.ops->send(delay.model, &port, &t);
        cr_expect_eq(t.done, 120);
        cr_expect_eq(t.arrival, 120 + 10 + 60);
        cr_expect_eq(port.send_start, 100);
        cr_expect_eq(port.send_next, 100 + 45 + 10);
        t = (struct logp_transfer){.src = 1, .dst = 0, .n_bytes = 11, .ready = 130, .arrival = 110};
        delay.ops->recv(delay.model, &port, &t);
        cr_expect_eq(t.start, shared ? 155 + 20 : 130);
        cr_expect_eq(t.done, t.start + 30);
        cr_expect_eq(port.recv_start, t.start);
        logp_delay_destroy(&delay);
    }
}
