/* SPDX-License-Identifier: MIT */
/* logp validate: collectives on a machine, measured against what its parameters predict. */
#include "view/views.h"
#include "answer/validate/validate.h"
#include "commands/command.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_P = 1024 };

static const struct names usual = {
    {"broadcast", "reduce", "allreduce", "allgather", "alltoall", "barrier"}, 6};

/* The collectives that the words name, or the usual ones. */
static struct problem *list_collectives(const struct question *q, struct names *out)
{
    const struct logp_collective *c;
    struct names known = {0}, wanted = {0};
    char list[MAX_LIST];

    for (size_t i = 0; (c = logp_collective_at(i)) != NULL; i++)
        if (c->operands == LOGP_OPERANDS_NONE || c->operands == LOGP_OPERANDS_BYTES ||
            c->operands == LOGP_OPERANDS_VECTOR)
            add_name(&known, c->name);
    for (int i = 1; i < q->line.n_words; i++) {
        if (find_name(&known, q->line.words[i]) < 0)
            return usage_problem("validate %s: no such collective; %s", q->line.words[i],
                                 one_of(&known, q->line.words[i], list));
        add_name(&wanted, q->line.words[i]);
    }
    *out = wanted.n > 0 ? wanted : usual;
    return NULL;
}

/* Set the default sizes and processors, which a laptop runs in a minute, and check those given. */
static struct problem *resolve_points(struct question *q)
{
    if (!q->model.emulated)
        return must_be("--delay", q->model.delay->name, "a model that predictions are made under");
    if (!option_given(q, "bytes")) {
        q->span.bytes_low = 8;
        q->span.bytes_high = 64 << 10;
    }
    for (size_t i = 0; i < q->span.n_P; i++)
        if (q->span.P_list[i] > MOST_P)
            return must_be("-P", option_text(q, "P"), "up to 1024 processors");
    if (q->span.bytes_high > 1 << 24)
        return must_be("--bytes", option_text(q, "bytes"), "up to 16 MiB");
    return NULL;
}

/* Begin the shared output of several processes. Only the machines of points use them, so one for
 * the largest P is created here to count them: *n. */
static struct problem *begin_processes(const struct question *q, struct answer_file *to, int *n)
{
    struct question most = *q;
    struct problem *problem;
    struct logp_machine *m;

    *n = 1;
    if (!over_processes(q))
        return NULL;
    most.model.P = MOST_P;
    most.model.network.links = NULL;
    use_delay(&most, "none");
    use_executor(&most, "fiber");
    TRY(create_machine(&most, &m));
    *n = logp_machine_processes(m);
    problem = begin_shared_output(q, m, to);
    end_machine(q, m);
    return problem;
}

/* Predict an emulated machine with its own parameters unless --machine is given. */
static struct problem *resolve_machine(struct question *q)
{
    struct question as_it_is = *q;

    if (strcmp(q->network.on, "host") == 0 || option_given(q, "machine"))
        return NULL;
    TRY(set_machine(&as_it_is, "--on",
                    q->network.on)); /* named so in the error, if it is not a machine */
    give_option(q, "machine", q->network.on);
    return resolve_point(q, 0);
}

/* A host is compared with its own parameters: those of a file, or L, o and g as they are given.
 * The defaults are those of no machine. */
static struct problem *need_parameters(const struct question *q)
{
    const bool has_o =
        option_given(q, "o") || (option_given(q, "o-send") && option_given(q, "o-recv"));
    const char *transport = over_processes(q) ? " --transport " : "";
    const char *name = over_processes(q) ? q->how.transport : "";

    if (option_given(q, "machine") || (option_given(q, "L") && has_o && option_given(q, "g")))
        return NULL;
    return usage_problem(
        "validate: the parameters of this host are needed: type logp measure --delay none "
        "--executor %s%s%s --format machine --output host.machine, then logp validate "
        "--executor %s%s%s --machine host.machine; or give -L, -o and -g; or --on MACHINE",
        q->how.executor, transport, name, q->how.executor, transport, name);
}

/* The measured machine: this host, or an emulated one. */
static struct problem *measured_on(const struct question *q, struct question *on)
{
    *on = *q;
    on->model.network.params = (struct logp_params){0};
    on->model.node_size = on->model.socket_size =
        0; /* --nodes and --link apply to the prediction */
    on->model.rules = NULL;
    if (strcmp(q->network.on, "host") != 0)
        return set_machine(on, "--on", q->network.on);
    if (q->how.clock == LOGP_CLOCK_VIRTUAL)
        return must_be("--clock", "virtual",
                       "wall on this host; --on MACHINE measures on an emulated machine");
    use_delay(on, "none");
    return need_parameters(q);
}

static struct problem *validate(struct question *q, struct answer_file *to)
{
    struct validated v = {.q = q};
    struct question on;
    struct names collectives = {0};
    int code = EXIT_OK;

    TRY(list_collectives(q, &collectives));
    TRY(resolve_machine(q));
    TRY(resolve_points(q));
    TRY(measured_on(q, &on));
    TRY(begin_processes(q, to, &v.n_processes));
    if (strcmp(q->network.on, "host") != 0)
        v.on = shown_text(q->network.on);
    if (!option_given(q, "P")) {
        q->span.n_P = 3;
        for (int i = 0; i < 3; i++)
            q->span.P_list[i] = (int64_t)(v.n_processes < 2 ? 2 : v.n_processes) << i;
    }
    v.steps = begin_steps(q, "validate", "points");
    for (int i = 0; i < collectives.n; i++)
        plan_collective(&v, collectives.name[i]);
    for (int i = 0; i < collectives.n && code == EXIT_OK; i++)
        code = tell_problem(q, validate_collective(&v, &on, collectives.name[i]));
    end_steps(&v.steps);
    if (q->network.fit)
        fit_parameters(&v);
    print_validated(to->f, q->form.format->form, &v);
    if (doubtful_points(&v) > 0)
        code = EXIT_WRONG;
    forget_points(&v);
    free((char *)v.on);
    return told(code);
}

const struct command command_validate = {
    .name = "validate",
    .arguments = "[COLLECTIVE...]",
    .summary = "compare measured collectives with predictions",
    .options = OPTIONS_VALIDATE | OPTIONS_SPANS | OPTIONS_RUN | OPTIONS_PROCESSES | OPTIONS_FORMAT |
               OPTIONS_OUTPUT,
    .answer = ANSWER_FORM,
    .remark =
        "\nAll algorithms that have a prediction are run, over -P [2,4,8; over n processes "
        "n,2n,4n]\nand --bytes ['8..64Ki*8']. They are predicted with --machine [that of --on] "
        "and measured on\nthis host at its own speed, over processes with --transport mpi, "
        "or --on an emulated\nmachine. For a host, --machine is a file of logp measure "
        "--delay none, or give -L, -o and\n-g. Regret is the time of the algorithm that auto "
        "chooses, divided by the best measured\ntime. --fit finds the parameters that fit "
        "the measured times by least squares.",
    .call = validate,
};
