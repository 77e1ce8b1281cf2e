/* SPDX-License-Identifier: MIT */
/* The options of the model: the processors and the network between them. */
#include "question/rows.h"
#include "question/schedule/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct problem *apply_P(struct question *q, const char *option, const char *text)
{
    if ((q->line.sets & (OPTIONS_SPANS | OPTIONS_EXPLORE)) != 0)
        TRY(apply_P_list(q, option, text));
    else if (!parse_number(text, false, 1, LOGP_TREE_MAX, &q->model.P))
        return must_be(option, text,
                       (q->line.sets & OPTIONS_MPIRUN) != 0
                           ? "a number of ranks, 1 .. 2^24, as in logp mpirun -P 4 ./prog"
                           : "a number of processors, 1 .. 2^61");
    else if ((q->line.sets & OPTIONS_MEASURE) != 0 && !option_given(q, "P"))
        q->model.P = 2;
    else if ((q->line.sets & OPTIONS_MEASURE) != 0 && q->model.P < 2)
        return must_be(option, text, "at least two processors");
    return NULL;
}

static struct problem *apply_schedule(struct question *q, const char *option, const char *text)
{
    if (*text == '\0')
        return NULL;
    TRY(read_schedule(q, option, text, &q->what.list));
    if (option_given(q, "P") && q->model.P != q->what.list->P)
        return must_be(option, text, "as many ranks as processors; it has %lld ranks, and P = %lld",
                       (long long)q->what.list->P, (long long)q->model.P);
    q->model.P = q->what.list->P;
    return NULL;
}

/* The operands of each rank of a summation are its algorithm's. */
static struct problem *apply_as(struct question *q, const char *option, const char *text)
{
    const struct logp_collective *c;
    struct names names = {0};

    for (size_t i = 0; (c = logp_collective_at(i)) != NULL; i++)
        if (c->operands != LOGP_OPERANDS_TOTAL)
            add_name(&names, c->name);
    if (*text != '\0' && find_name(&names, text) < 0)
        return name_problem(option, text, &names);
    q->what.as = *text != '\0' && q->what.list != NULL ? logp_collective_find(text) : NULL;
    return NULL;
}

static struct problem *apply_by(struct question *q, const char *option, const char *text)
{
    static const struct names names = {{"formula", "schedule"}, 2};
    const int which = find_name(&names, text);

    if (which < 0 && *text != '\0')
        return must_be(option, text, "formula or schedule");
    q->what.by = which < 0 ? LOGP_BY_EITHER : which == 0 ? LOGP_BY_FORMULA : LOGP_BY_SCHEDULE;
    return NULL;
}

/* All names, and the model of this one; NULL: there is none. */
static const struct logp_delay_model *find_delay(const char *name, struct names *names)
{
    const struct logp_delay_model *model, *found = NULL;

    for (size_t i = 0; (model = logp_delay_model_at(i)) != NULL; i++) {
        add_name(names, model->name);
        if (strcmp(model->name, name) == 0)
            found = model;
    }
    return found;
}

/* Take the model; whether it emulates, and whether it ignores G, is asked of a delay made from
 * it. */
static void take_delay(struct question *q, const struct logp_delay_model *model)
{
    struct logp_params params = {.G_ps = 1};
    struct logp_delay delay;

    if (logp_delay_create(model->name, &params, &delay) != 0)
        need(NULL);
    logp_delay_params(model->name, &params, &params);
    q->model.delay = model;
    q->model.emulated = !logp_delay_is_none(&delay);
    q->model.ignores_G = params.G_ps == 0;
    logp_delay_destroy(&delay);
}

void use_delay(struct question *q, const char *name)
{
    take_delay(q, find_delay(name, &(struct names){0}));
}

/* Take the times of a real machine; its unit is the plain one. An option that is given separately
 * overrides its value of the machine: see resolve_options(). */
struct problem *set_machine(struct question *q, const char *option, const char *text)
{
    TRY(find_machine(q, option, text, &q->model.machine));
    q->model.network.params = q->model.machine->params;
    q->model.gamma_given = q->model.machine->has_gamma;
    use_delay(q, q->model.machine->delay);
    q->model.unit_ns = q->model.machine->unit_ns;
    q->model.network.ports = q->model.machine->ports;
    TRY(problem_of_machine(q, option, text, "nodes",
                           apply_nodes(q, "nodes", q->model.machine->nodes)));
    if (q->model.machine->nodes[0] != '\0' || q->model.machine->inter[0] != '\0')
        TRY(problem_of_machine(q, option, text,
                               q->model.machine->inter[0] != '\0' ? "inter" : "nodes",
                               apply_inter(q, "inter", q->model.machine->inter)));
    return NULL;
}

static struct problem *apply_machine(struct question *q, const char *option, const char *text)
{
    if (strcmp(text, "none") != 0)
        TRY(set_machine(q, option, text));
    return NULL;
}

static struct problem *apply_unit(struct question *q, const char *option, const char *text)
{
    const bool found = (q->line.sets & (OPTIONS_RANKS | OPTIONS_SWEEP)) == OPTIONS_RANKS;
    int64_t ps;

    q->model.unit_auto = strcmp(text, "auto") == 0;
    if (q->model.unit_auto && found)
        text = "10us"; /* until run/unit.c has found it */
    else if (q->model.unit_auto)
        return must_be(option, text, "a time, as 10us; auto is for logp run and logp watch");
    if (!logp_time_parse(text, 0, &ps) || ps < 1000 || ps % 1000 != 0)
        return must_be(option, text, "a time >= 1ns with a suffix ns, us or ms%s",
                       found ? ", or auto" : "");
    q->model.unit_ns = ps / 1000;
    return NULL;
}

static struct problem *apply_o(struct question *q, const char *option, const char *text)
{
    TRY(to_ns(q, option, text, &q->model.network.params.o_send_ns));
    q->model.network.params.o_recv_ns = q->model.network.params.o_send_ns;
    return NULL;
}

static struct problem *apply_G(struct question *q, const char *option, const char *text)
{
    return to_byte_ps(q, option, text, &q->model.network.params.G_ps);
}

static struct problem *apply_O(struct question *q, const char *option, const char *text)
{
    return to_byte_ps(q, option, text, &q->model.network.params.O_ps);
}

static struct problem *apply_gap(struct question *q, const char *option, const char *text)
{
    bool shared;

    TRY(either(option, text, "separate", "shared", &shared));
    q->model.network.params.gap_shared = shared;
    return NULL;
}

static struct problem *apply_capacity(struct question *q, const char *option, const char *text)
{
    bool on;

    TRY(switched(option, text, &on));
    q->model.network.params.capacity = on ? LOGP_CAPACITY_RULE : 0;
    return NULL;
}

static struct problem *apply_rendezvous(struct question *q, const char *option, const char *text)
{
    int64_t most = -1; /* bytes of a send that does not wait */

    if (strcmp(text, "none") != 0 && !parse_number(text, true, 0, LOGP_PARAM_MAX_NS, &most))
        return must_be(option, text, "none, or a number of bytes, 0 .. 10^15");
    q->model.network.rendezvous_from = most + 1;
    return NULL;
}

static struct problem *apply_ports(struct question *q, const char *option, const char *text)
{
    if (!parse_number(text, false, 1, LOGP_MOST_PORTS, &q->model.network.ports))
        return must_be(option, text, "a number of ports of each processor, 1 .. %d",
                       LOGP_MOST_PORTS);
    return NULL;
}

/* Refuse several ports where the rules are for one. */
struct problem *check_ports(const struct question *q)
{
    const bool given = option_given(q, "ports") || q->model.machine == NULL;
    const char *why =
        q->model.plugin != NULL ? "a delay model of a plugin has one; remove --plugin"
        : !q->model.emulated    ? "--delay none has none; type --delay loggp"
        : has_graph(q)          ? "a GOAL file names the interfaces itself; remove --schedule"
        : model_params(q).recv_streams ? "the receiver of loggops has one; type --delay loggp"
        : (q->line.sets & OPTIONS_MEASURE) != 0 ? "logp measure finds the parameters of one port"
                                                : NULL;

    if (q->model.network.ports <= 1 || why == NULL)
        return NULL;
    return must_be(given ? "--ports" : "--machine", option_text(q, given ? "ports" : "machine"),
                   "one port: %s", why);
}

static struct problem *apply_delay(struct question *q, const char *option, const char *text)
{
    const bool has_G = q->model.network.params.G_ps > 0 || links_own_G(q) > 0;
    const char *of_file = delay_of_schedule(q);
    const char *name = *text != '\0' ? text : of_file != NULL ? of_file : has_G ? "loggp" : "logp";
    struct names names = {0};
    const struct logp_delay_model *model = find_delay(name, &names);

    if (model == NULL)
        return name_problem(option, text, &names);
    take_delay(q, model);
    if (q->model.network.links != NULL &&
        (!q->model.emulated || (q->model.ignores_G && links_own_G(q) > 0)))
        return option_problem(option, text, "with %s, a delay model with %s", links_option(q),
                              q->model.emulated ? "G" : "parameters");
    return NULL;
}

static const char *all_delays(const struct question *q, char buf[MAX_LIST])
{
    struct names names = {0};

    (void)q;
    find_delay("", &names);
    return list_names(&names, ", ", buf);
}

/* Check that the word before the sizes is the name of a topology. */
static struct problem *check_topology(const char *option, const char *text)
{
    const struct logp_topology_kind *kind;
    struct names names = {{"none"}, 1};
    char name[32], list[MAX_LIST];

    for (size_t i = 0; (kind = logp_topology_kind_at(i)) != NULL; i++)
        add_name(&names, kind->name);
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, ":"), text);
    if (find_name(&names, name) < 1)
        return option_problem(option, text, "%s", one_of(&names, name, list));
    return NULL;
}

static const char *all_topologies(const struct question *q, char buf[MAX_LIST])
{
    const struct logp_topology_kind *kind;
    struct names forms = {0};

    (void)q;
    for (size_t i = 0; (kind = logp_topology_kind_at(i)) != NULL; i++)
        add_name(&forms, kind->form);
    return list_names(&forms, ", ", buf);
}

/* The topologies of a question: a sweep visits each point several times. */
struct topologies {
    struct made_topology {
        struct made_topology *next;
        const char *text;
        int64_t P;
        struct logp_topology *topology;
    } * all;
};

static void drop_topology(void *memory)
{
    struct made_topology *made = memory;

    logp_topology_destroy(made->topology);
    free(made);
}

static const struct logp_topology *make_topology(const struct question *q, const char *text)
{
    struct topologies *t = part_of(q, PART_TOPOLOGIES, sizeof(*t));
    struct made_topology *made = t->all;

    while (made != NULL && (strcmp(made->text, text) != 0 || made->P != q->model.P))
        made = made->next;
    if (made != NULL)
        return made->topology;
    made = kept_by(q, calloc(1, sizeof(*made)), drop_topology);
    *made = (struct made_topology){t->all, text, q->model.P, NULL};
    if (logp_topology_create(text, q->model.P, &made->topology) != 0)
        need(NULL);
    t->all = made;
    return made->topology;
}

static struct problem *apply_schedules(struct question *q, const char *option, const char *text)
{
    (void)option;
    q->what.schedules = strcmp(text, "none") != 0 ? text : NULL;
    return NULL;
}

/* The product of the sizes of "torus:4x4"; 0: it has none. */
static int64_t product_of_sizes(const char *text)
{
    const char *at = strchr(text, ':');
    int64_t product = 1;

    while (at != NULL && *at != '\0') {
        char *end;
        const long long size = strtoll(at + 1, &end, 10);

        if (end == at + 1 || (*end != 'x' && *end != '\0') ||
            __builtin_mul_overflow(product, size, &product))
            return 0;
        at = end;
    }
    return at != NULL ? product : 0;
}

static struct problem *check_size(const struct question *q, const char *option, const char *text)
{
    const char *needs = logp_topology_needs(text, q->model.P), *form;
    const int64_t product = product_of_sizes(text);

    if (needs == NULL)
        return NULL;
    form = product > 0 ? logp_topology_needs(text, product) : NULL;
    if (form != NULL) /* whatever P is */
        return option_problem(option, text, "needs %s", form);
    if (product > 0)
        return option_problem(option, text, "needs %s; P = %lld; type -P %lld, or other sizes",
                              needs, (long long)q->model.P, (long long)product);
    return option_problem(option, text, "needs %s; P = %lld", needs, (long long)q->model.P);
}

static struct problem *apply_topology(struct question *q, const char *option, const char *text)
{
    if (strcmp(text, "none") == 0)
        return NULL;
    TRY(check_topology(option, text));
    TRY(check_size(q, option, text));
    if (!q->model.emulated)
        return option_problem(option, text, "needs %s",
                              (q->line.sets & OPTIONS_MPIRUN) != 0
                                  ? "a network: type -L 6us or --machine NAME, too"
                                  : "a delay model other than none");
    if (model_params(q).latency_varies)
        return option_problem(option, text,
                              "needs a delay model other than %s: each link has the latency L",
                              q->model.delay->name);
    if (model_params(q).recv_streams && !option_given(q, "delay")) /* of a GOAL file */
        use_delay(q, q->model.network.params.G_ps > 0 ? "loggp" : "logp");
    if (model_params(q).recv_streams)
        return option_problem(
            option, text,
            "needs a delay model other than %s: on a link a message arrives with its last byte",
            q->model.delay->name);
    if (q->model.network.links != NULL)
        return must_be(option, text, "none with %s: a message takes one link", links_option(q));
    q->model.network.topology = make_topology(q, text);
    return NULL;
}

/* Commands whose messages take time. */
#define TIMED (OPTIONS_MODEL | OPTIONS_MPIRUN | OPTIONS_EXPLORE | OPTIONS_NETWORK | OPTIONS_TUNE)

const struct option_row model_options[] = {
    {"P", "N",
     "number of processors; if the default does not fit, the next that the algorithm allows", "8",
     "", OPTIONS_MODEL | OPTIONS_MPIRUN | OPTIONS_EXPLORE | OPTIONS_MEASURE | OPTIONS_SPANS,
     .apply = apply_P, .series = SERIES_NUMBERS},
    {"schedule", "FILE", "run the steps of a file (json, goal) instead of a collective", "", "",
     OPTIONS_BASIS, .apply = apply_schedule},
    {"as", "COLLECTIVE", "collective that the steps of --schedule must compute; they are checked",
     "", "", OPTIONS_BASIS, .apply = apply_as},
    {"schedules", "DIR", "folder of schedules that logp search found; auto takes the best of them",
     "none", "", OPTIONS_BASIS | OPTIONS_SEARCH, .apply = apply_schedules},
    {"by", "WHAT", "basis of predictions: formula or schedule", "", "formula, if there is one",
     OPTIONS_BASIS, .apply = apply_by, .words = "formula, schedule"},
    {"machine", "NAME|FILE",
     "L, o, g, G, delay and unit: a machine of logp list machines, or of a file", "none", "", TIMED,
     .apply = apply_machine, .series = SERIES_WORDS, .choices = all_machines},
    {"unit", "T", "length of a time unit; run, watch: auto: the least that keeps within 1 % here",
     "10us", "", TIMED | OPTIONS_UNIT | OPTIONS_PAPER, .apply = apply_unit, .series = SERIES_WORDS,
     .of_machine = true},
    {"L", "T", "latency; T is in units or has a suffix ns, us, ms", "6", "", TIMED,
     TIME(model.network.params.L_ns), .series = SERIES_TIMES, .of_machine = true},
    {"o", "T", "overhead of a send and of a receive", "2", "", TIMED, .apply = apply_o,
     .series = SERIES_TIMES, .of_machine = true},
    {"o-send", "T", "overhead of a send, if it differs from -o", "", "-o", TIMED,
     TIME(model.network.params.o_send_ns), .series = SERIES_TIMES},
    {"o-recv", "T", "overhead of a receive, if it differs from -o", "", "-o", TIMED,
     TIME(model.network.params.o_recv_ns), .series = SERIES_TIMES},
    {"g", "T", "gap between two sends, or two receives", "4", "", TIMED,
     TIME(model.network.params.g_ns), .series = SERIES_TIMES, .of_machine = true},
    {"G", "T", "time per byte of a long message (LogGP), or a rate as 10GB/s", "0", "", TIMED,
     .apply = apply_G, .series = SERIES_TIMES, .of_machine = true},
    {"O", "T", "time per byte of a message on a processor (LogGOPS)", "0", "", TIMED,
     .apply = apply_O, .series = SERIES_TIMES},
    {"gap", "KIND", "separate, or shared by sends and receives", "separate", "", TIMED,
     .apply = apply_gap, .series = SERIES_WORDS, .of_machine = true, .words = "separate, shared"},
    {"capacity", NULL, "at most ceil(L/g) messages in flight from or to a processor", "off", "",
     OPTIONS_MODEL | OPTIONS_MPIRUN | OPTIONS_EXPLORE | OPTIONS_MEASURE, .apply = apply_capacity,
     .of_machine = true},
    {"nodes", "NxM",
     "N nodes of M processors each, by rank; '*xM': as many as P needs; NxSxM: of S sockets of M",
     "", "", TIMED, .apply = apply_nodes, .series = SERIES_WORDS},
    {"inter", "COSTS",
     "costs between nodes: L=T,o=T,g=T,G=T [as within a node]; given again: between sockets", "",
     "", TIMED, .apply = apply_inter, .several = true},
    {"link", "A-B:COSTS", "costs from ranks A to B, as 0-1:L=9 or '0,4..7-*:g=2us'; repeatable", "",
     "", TIMED, .apply = apply_link, .several = true},
    {"rendezvous", "S", "sends of more than S bytes wait for their receiver; 0: all", "none", "",
     OPTIONS_MODEL | OPTIONS_MPIRUN | OPTIONS_EXPLORE | OPTIONS_MEASURE | OPTIONS_TUNE,
     .apply = apply_rendezvous, .series = SERIES_BYTES},
    {"delay", "NAME", "%s (see: logp list delays)", "",
     "logp; with -G loggp; of a GOAL file loggops", TIMED, .apply = apply_delay,
     .series = SERIES_WORDS, .of_machine = true, .choices = all_delays},
    {"topology", "SPEC", "%s", "none", "", OPTIONS_MODEL | OPTIONS_MPIRUN | OPTIONS_MEASURE,
     .apply = apply_topology, .series = SERIES_WORDS, .choices = all_topologies},
    {"arrival", "HOW",
     "when ranks begin: late@RANK:T, uniform:T, exp:T, a file of times, or of mpirun --report",
     "none", "", OPTIONS_MODEL | OPTIONS_TUNE, .apply = apply_arrival, .series = SERIES_WORDS},
    {"ports", "K", "ports of each processor, 1 .. 64: each has the gap", "1", "",
     OPTIONS_MODEL | OPTIONS_MPIRUN | OPTIONS_VALIDATE | OPTIONS_TUNE, .apply = apply_ports,
     .series = SERIES_NUMBERS, .of_machine = true},
    {0},
};
