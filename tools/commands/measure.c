/* SPDX-License-Identifier: MIT */
/* logp measure: L, o, g, G of the network that the options select, measured from outside. */
#include "view/views.h"
#include "answer/measure/measure.h"
#include "commands/command.h"
#include "answer/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All pairs, or the first; to be freed. */
static struct pair *list_pairs(const struct question *q, size_t *n)
{
    const int64_t P = q->network.all_pairs ? q->model.P : 2;
    struct pair *pairs = need(calloc((size_t)(P * (P - 1) / 2), sizeof(*pairs)));

    *n = 0;
    for (int i = 0; i < P; i++)
        for (int k = i + 1; k < P; k++)
            pairs[(*n)++] = (struct pair){.client = i, .server = k};
    return pairs;
}

/* Measure the cost of combining on this host, where nothing is emulated. */
static void measure_combining(struct measured *m)
{
    const struct logp_op *sum = logp_op_find("sum", "double");

    if (m->q->model.emulated || m->q->model.plugin != NULL)
        return;
    for (int64_t count = 1; count <= 1 << 20; count *= 16) {
        const int64_t ps = logp_op_measure(sum, (size_t)count);

        if (ps >= 0)
            m->combining[m->n_combining++] = (struct combining){count, ps};
    }
}

/* The file of a machine is for predictions: it holds nothing doubtful. */
static struct problem *refuse_doubtful(const struct measured *m)
{
    for (size_t i = 0; i < m->n_pairs; i++) {
        const struct pair *p = &m->pairs[i];

        if (m->q->form.format->machine && p->found.doubtful[0] != '\0')
            return failure("measure: ranks %d and %d: %s; no machine is written: try again on an "
                           "idle host, with more --reps, or look at --format table",
                           p->client, p->server, p->found.doubtful);
    }
    return NULL;
}

/* Where the clock jumps and nothing is emulated, all times are 0. */
static struct problem *refuse(const struct question *q)
{
    if (q->line.n_words > 1)
        return usage_problem("measure %s: unexpected argument; measure takes options only",
                             q->line.words[1]);
    if (q->how.clock == LOGP_CLOCK_VIRTUAL && !q->model.emulated && q->model.plugin == NULL)
        return option_problem("--delay", q->model.delay->name,
                              "with --clock virtual: a model in which messages take time");
    if (option_on_command_line(q, "reps") && q->how.reps < 3)
        return must_be("--reps", option_text(q, "reps"), "at least 3 for a measurement");
    if (q->network.all_pairs && q->model.P > 127)
        return must_be("--pairs", "all", "up to 127 processors");
    return NULL;
}

static struct problem *measure_on(const struct question *q, struct logp_machine *m,
                                  struct measured *out, struct pair *pairs, struct answer_file *to)
{
    TRY(begin_shared_output(q, m, to));
    logp_machine_core_use(m, &out->cores);
    out->n_processes = logp_machine_processes(m);
    out->process = logp_machine_process(m);
    if (!q->network.all_pairs && out->n_processes > 1)
        logp_machine_ranks(m, 1, &pairs->server, &(int){0});
    out->pairs = pairs;
    return measure_pairs(q, m, pairs, out->n_pairs);
}

static struct problem *measure(struct question *q, struct answer_file *to)
{
    struct measured out = {.q = q};
    struct problem *problem;
    struct pair *pairs;
    struct logp_machine *m;

    TRY(refuse(q));
    TRY(check_machine(q));
    pairs = list_pairs(q, &out.n_pairs);
    problem = create_machine(q, &m);
    if (problem == NULL) {
        problem = measure_on(q, m, &out, pairs, to);
        end_machine(q, m);
    }
    if (problem == NULL && out.process == 0)
        problem = refuse_doubtful(&out);
    if (problem == NULL && out.process == 0) {
        measure_combining(&out);
        print_measured(to->f, q->form.format->form, &out);
    }
    free(pairs);
    return problem;
}

const struct command command_measure = {
    .name = "measure",
    .arguments = "",
    .summary = "measure L, o, g and G of a machine",
    .options = OPTIONS_MEASURE | OPTIONS_RUN | OPTIONS_PROCESSES | OPTIONS_FORMAT | OPTIONS_OUTPUT,
    .answer = ANSWER_MEASURED,
    .remark = "\nThe machine is the emulated machine of the options; with --delay none, this "
              "host's\nthreads or fibers. -P [2]; --bytes A..B [1..1Mi; on the wall clock up to "
              "round trips of\n2 ms]. The samples are round trips of one and of several messages, "
              "with and without waits;\nlines over sizes are fitted by least squares. --format "
              "machine writes a file for\n--machine. --transport mpi measures between the first "
              "ranks of two processes of mpirun.",
    .call = measure,
};
