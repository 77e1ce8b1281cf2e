/* SPDX-License-Identifier: MIT */
/* The values of the options that a prediction depends on: the model, operands, algorithms. */
#include "options.h"

#include <stdlib.h>
#include <string.h>

bool either(const char *option, const char *text, const char *first, const char *second)
{
    const struct names names = {{first, second}, 2};

    if (strcmp(text, first) != 0 && strcmp(text, second) != 0)
        refuse_name(option, text, &names);
    return strcmp(text, second) == 0;
}

static int64_t to_ps(const struct options *o, const char *option, const char *text, int64_t most_ps)
{
    int64_t ps;

    if (!parse_time_ps(text, o->unit_ns * 1000, &ps) || ps > most_ps)
        bad_option(option, text, "a time >= 0, up to %s, in units or with a suffix ns, us, ms or s",
                   most_ps < INT64_MAX ? "1000 s" : "11 days");
    return ps;
}

static int64_t to_ns(const struct options *o, const char *option, const char *text)
{
    const int64_t ps = to_ps(o, option, text, INT64_MAX);

    if (ps % 1000 != 0 || ps / 1000 > LOGP_PARAM_MAX_NS)
        bad_option(option, text, "a whole number of nanoseconds, up to 11 days");
    return ps / 1000;
}

void apply_P(struct options *o, const char *option, const char *text)
{
    if (!parse_number(text, false, 1, LOGP_TREE_MAX, &o->P))
        bad_option(option, text, "a number of processors, 1 .. 2^61");
}

void apply_unit(struct options *o, const char *option, const char *text)
{
    int64_t ps;

    if (!parse_time_ps(text, 0, &ps) || ps < 1000 || ps % 1000 != 0)
        bad_option(option, text, "a time >= 1ns with a suffix ns, us or ms");
    o->unit_ns = ps / 1000;
}

/* The times of a real machine; its cycle is a plain unit. What is given apart wins: applies(). */
void apply_machine(struct options *o, const char *option, const char *text)
{
    size_t n;
    const struct logp_preset *all = logp_presets(&n);
    struct names names = {{"none"}, 1};

    if (strcmp(text, "none") == 0)
        return;
    o->machine = logp_preset_find(text);
    for (size_t i = 0; i < n; i++)
        add_name(&names, all[i].name);
    if (o->machine == NULL)
        refuse_name(option, text, &names);
    o->params = logp_preset_params(o->machine);
    o->unit_ns = o->machine->cycle_ns;
    o->delay = "store-forward";
}

void apply_L(struct options *o, const char *option, const char *text)
{
    o->params.L_ns = to_ns(o, option, text);
}

void apply_o(struct options *o, const char *option, const char *text)
{
    o->params.o_send_ns = o->params.o_recv_ns = to_ns(o, option, text);
}

void apply_o_send(struct options *o, const char *option, const char *text)
{
    if (*text != '\0')
        o->params.o_send_ns = to_ns(o, option, text);
}

void apply_o_recv(struct options *o, const char *option, const char *text)
{
    if (*text != '\0')
        o->params.o_recv_ns = to_ns(o, option, text);
}

void apply_g(struct options *o, const char *option, const char *text)
{
    o->params.g_ns = to_ns(o, option, text);
}

void apply_G(struct options *o, const char *option, const char *text)
{
    o->params.G_ps = to_ps(o, option, text, LOGP_PARAM_MAX_NS);
}

void apply_gap(struct options *o, const char *option, const char *text)
{
    o->params.gap_shared = either(option, text, "separate", "shared");
}

void apply_capacity(struct options *o, const char *option, const char *text)
{
    const char *word = strcmp(text, "0") == 0 ? "off" : strcmp(text, "1") == 0 ? "on" : text;

    o->params.capacity = either(option, word, "off", "on") ? LOGP_CAPACITY_RULE : 0;
}

void apply_algo(struct options *o, const char *option, const char *text)
{
    (void)option; /* names are checked against the collective's table */
    o->algorithm_list = text;
}

void apply_bytes(struct options *o, const char *option, const char *text)
{
    int64_t n;

    if (!parse_number(text, true, 0, INT64_C(1) << 40, &n))
        bad_option(option, text, "a number of bytes, 0 .. 2^40");
    o->n_bytes = (size_t)n;
}

void apply_root(struct options *o, const char *option, const char *text)
{
    if (!parse_number(text, false, 0, o->P - 1, &o->root))
        bad_option(option, text, "a rank, 0 .. %lld", (long long)o->P - 1);
}

void apply_gamma(struct options *o, const char *option, const char *text)
{
    o->gamma_given = *text != '\0';
    o->gamma_host = strcmp(text, "host") == 0;
    if (o->gamma_given && !o->gamma_host)
        o->params.gamma_ps = to_ps(o, option, text, LOGP_PARAM_MAX_NS);
}

void apply_count(struct options *o, const char *option, const char *text)
{
    if (*text != '\0' && !parse_number(text, false, 1, INT64_C(1) << 40, &o->count))
        bad_option(option, text, "a number of operands, 1 .. 2^40");
}

/* It is none of the names that the operations have, or their types. */
_Noreturn static void refuse_op(const char *option, const char *text, bool types)
{
    size_t n;
    const struct logp_op *ops = logp_ops(&n);
    struct names names = {0};

    for (size_t i = 0; i < n; i++)
        add_name(&names, types ? ops[i].type : ops[i].name);
    refuse_name(option, text, &names);
}

void apply_by(struct options *o, const char *option, const char *text)
{
    o->by = strcmp(text, "formula") == 0    ? LOGP_BY_FORMULA
            : strcmp(text, "schedule") == 0 ? LOGP_BY_SCHEDULE
                                            : LOGP_BY_EITHER;
    if (o->by == LOGP_BY_EITHER && *text != '\0')
        bad_option(option, text, "formula or schedule");
}

void apply_schedule(struct options *o, const char *option, const char *text)
{
    if (*text == '\0')
        return;
    o->list = read_schedule(option, text);
    if (option_given("P") && o->P != o->list->P)
        bad_option(option, text, "as many ranks as processors: it has %lld, and P = %lld",
                   (long long)o->list->P, (long long)o->P);
    o->P = o->list->P;
}

static const char *the_type = "double";

void apply_type(struct options *o, const char *option, const char *text)
{
    const struct logp_op *sum = logp_op_find("sum", text);

    if (sum == NULL)
        refuse_op(option, text, true);
    o->element_bytes = sum->element_bytes;
    the_type = sum->type;
}

void apply_op(struct options *o, const char *option, const char *text)
{
    o->op = logp_op_find(text, the_type);
    if (o->op == NULL)
        refuse_op(option, text, false);
}

void apply_rows(struct options *o, const char *option, const char *text)
{
    if (*text != '\0' && !parse_number(text, false, 1, INT64_C(1) << 31, &o->rows))
        bad_option(option, text, "a number of rows, 1 .. 2^31");
}

void apply_cols(struct options *o, const char *option, const char *text)
{
    if (*text != '\0' && !parse_number(text, false, 1, INT64_C(1) << 31, &o->cols))
        bad_option(option, text, "a number of columns, 1 .. 2^31");
}

void apply_packing(struct options *o, const char *option, const char *text)
{
    o->packing =
        either(option, text, "structured", "none") ? LOGP_PACKING_NONE : LOGP_PACKING_STRUCTURED;
}

void apply_pack(struct options *o, const char *option, const char *text)
{
    o->pack_ns = to_ns(o, option, text);
}

void apply_window(struct options *o, const char *option, const char *text)
{
    if (*text != '\0' && !parse_number(text, false, 1, LOGP_TREE_MAX, &o->window))
        bad_option(option, text, "a number of sends ahead of receives, >= 1");
}

void apply_k(struct options *o, const char *option, const char *text)
{
    if (strcmp(text, "sqrt") == 0)
        o->k = LOGP_K_SQRT;
    else if (*text != '\0' && !parse_number(text, false, 1, LOGP_TREE_MAX, &o->k))
        bad_option(option, text, "a whole number >= 1, or sqrt");
}

void apply_block(struct options *o, const char *option, const char *text)
{
    if (*text != '\0' && !parse_number(text, true, 1, INT64_C(1) << 40, &o->block_bytes))
        bad_option(option, text, "a number of bytes, 1 .. 2^40");
}

void apply_work(struct options *o, const char *option, const char *text)
{
    o->work_ns = to_ns(o, option, text);
}

void apply_overlap(struct options *o, const char *option, const char *text)
{
    o->no_overlap = either(option, text, "on", "off");
}

/* The parameters that say what kind of model this is are those that it has itself. */
static void ask_model(struct options *o, const struct logp_delay_model *model)
{
    struct logp_delay delay = {0};

    if (model->create(&o->params, &delay) != 0 || delay.ops == NULL)
        return;
    o->params.store_forward = delay.ops->params(delay.model)->store_forward;
    o->params.latency_varies = delay.ops->params(delay.model)->latency_varies;
    logp_delay_destroy(&delay);
}

void apply_delay(struct options *o, const char *option, const char *text)
{
    size_t n;
    const struct logp_delay_model *models = logp_delay_models(&n);
    struct names names = {0};

    o->delay = *text != '\0' ? text : o->params.G_ps > 0 ? "loggp" : "logp";
    o->params.store_forward = o->params.latency_varies = false;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(models[i].name, o->delay) == 0) {
            ask_model(o, &models[i]);
            return;
        }
        add_name(&names, models[i].name);
    }
    refuse_name(option, text, &names);
}

/* What stands before its sizes must be the name of one. */
static void check_topology(const char *option, const char *text)
{
    size_t n;
    const struct logp_topology_kind *kinds = logp_topologies(&n);
    struct names names = {{"none"}, 1};
    char name[32], list[MAX_LIST];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, ":"), text);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(name, kinds[i].name) == 0)
            return;
        add_name(&names, kinds[i].name);
    }
    bad_option(option, text, "%s", one_of(&names, name, list));
}

/* Kept until the process ends. */
void apply_topology(struct options *o, const char *option, const char *text)
{
    struct logp_topology *topology = NULL;

    if (strcmp(text, "none") == 0)
        return;
    check_topology(option, text);
    if (logp_topology_needs(text, o->P) != NULL)
        bad_option(option, text, "needs %s; P = %lld", logp_topology_needs(text, o->P),
                   (long long)o->P);
    if (strcmp(o->delay, "none") == 0)
        bad_option(option, text, "needs a delay model other than none");
    if (o->params.latency_varies)
        bad_option(option, text, "needs a delay model other than %s: each link has the latency L",
                   o->delay);
    if (logp_topology_create(text, o->P, &topology) != 0)
        bad_usage("no memory");
    o->topology = topology;
}
