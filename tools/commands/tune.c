/* SPDX-License-Identifier: MIT */
/* logp tune: the best algorithm of each collective over processors and sizes. */
#include "view/views.h"
#include "answer/tune/tune.h"
#include "commands/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_COLLECTIVES = 64 };

static const struct tune_form *const forms[] = {&tune_table, &tune_openmpi, &tune_han, &tune_mpich,
                                                &tune_csv};

static struct problem *find_form(const struct question *q, const struct tune_form **out)
{
    const char *const suffix = q->form.output != NULL ? suffix_of(q->form.output) : NULL;
    const bool asked = option_on_command_line(q, "format"),
               is_csv = q->form.format->form == RECORDS_CSV;
    struct names names = {0};
    char export[64];

    if (*q->form.export != '\0' && asked && strcmp(q->form.export, q->form.format->name) != 0)
        return option_problem("--format", q->form.format->name, "not together with --export %s",
                              q->form.export);
    if (*q->form.export == '\0' && asked)
        TRY(check_suffix(q, is_csv ? "--format csv" : "--format table", q->form.format->suffix));
    if (*q->form.export == '\0' &&
        (asked || suffix == NULL ? is_csv : strcasecmp(suffix, "csv") == 0)) {
        *out = &tune_csv;
        return NULL;
    }
    if (*q->form.export == '\0' && suffix != NULL && strcasecmp(suffix, "txt") != 0)
        return option_problem("--output", q->form.output,
                              "without --export openmpi, openmpi-han or mpich, a file whose name "
                              "ends in .txt or .csv");
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (strcmp(forms[i]->name, q->form.export) == 0) {
            snprintf(export, sizeof(export), "--export %s", q->form.export);
            *out = forms[i];
            return check_suffix(q, export, forms[i]->suffix);
        }
        if (*forms[i]->name != '\0')
            add_name(&names, forms[i]->name);
    }
    return name_problem("--export", q->form.export, &names);
}

/* Find the collectives of the form. If it has no list, take all with several algorithms, and
 * with a size that is a single number or none. */
static size_t find_collectives(const struct tune_form *form, struct tune_collective *out)
{
    const struct logp_collective *c;
    size_t n = 0;

    if (form->collectives != NULL) {
        for (; form->collectives[n].ours != NULL; n++)
            out[n] = form->collectives[n];
        return n;
    }
    for (size_t i = 0; (c = logp_collective_at(i)) != NULL && n < MAX_COLLECTIVES; i++)
        if ((c->operands == LOGP_OPERANDS_NONE || c->operands == LOGP_OPERANDS_BYTES ||
             c->operands == LOGP_OPERANDS_VECTOR) &&
            logp_algorithm_at(c->name, 1) != NULL)
            out[n++] = (struct tune_collective){.ours = c->name};
    return n;
}

/* Check that the words after the command name some of them. */
static struct problem *check_words(const struct question *q, const struct tune_collective *all,
                                   size_t n)
{
    struct names names = {0};
    char list[MAX_LIST];

    for (size_t i = 0; i < n; i++)
        add_name(&names, all[i].ours);
    for (int i = 1; i < q->line.n_words; i++)
        if (find_name(&names, q->line.words[i]) < 0)
            return usage_problem("tune %s: %s; %s", q->line.words[i],
                                 logp_collective_find(q->line.words[i]) != NULL
                                     ? "not in this table"
                                     : "no such collective",
                                 one_of(&names, q->line.words[i], list));
    return NULL;
}

static bool is_wanted(const struct question *q, const char *collective)
{
    bool wanted = q->line.n_words < 2;

    for (int i = 1; i < q->line.n_words; i++)
        wanted |= strcmp(q->line.words[i], collective) == 0;
    return wanted;
}

static struct problem *resolve_model(struct question *q)
{
    const size_t many = 1024;

    if (!q->model.emulated)
        return must_be("--delay", q->model.delay->name, "a delay model with parameters");
    if (q->model.gamma_host)
        q->model.network.params.gamma_ps = logp_op_measure(q->what.op, many);
    if (q->model.network.params.gamma_ps < 0)
        return option_problem("--gamma", "host", "no memory to measure it");
    return NULL;
}

/* Note that its table is the same for all sizes, where bytes cost nothing. */
static void judge_model(const struct question *q, const struct tune_collective *all, size_t n)
{
    char text[MAX_LIST];
    bool sized = false;

    for (size_t i = 0; i < n; i++)
        sized |= is_wanted(q, all[i].ours) &&
                 logp_collective_find(all[i].ours)->operands != LOGP_OPERANDS_NONE;
    if (sized && free_bytes(q, q->span.bytes_high, text) != NULL)
        say_note("%s", text);
}

static struct problem *tune_all(const struct question *q, const struct tune_form *form,
                                const struct tune_collective *collectives, size_t all,
                                struct tune_result *results, size_t *n)
{
    const struct tune_level none = {.q = NULL};
    struct tune_level inside = none, between = none;
    bool composes = form->levels >= TUNE_COMPOSED;

    if (form->levels != TUNE_NO_LEVELS)
        tune_find_levels(q, &inside, &between);
    if (form->levels == TUNE_LEVELS_NEEDED && inside.q == NULL)
        return option_problem("--export", form->name,
                              "needs several nodes of several ranks, as -P 32 --nodes 4x8 --inter "
                              "L=9us, and no --link");
    if (inside.q != NULL && q->model.arrival_text != NULL)
        return must_be("arrival", q->model.arrival_text,
                       "none with --nodes and --export %s: levels are predicted apart", form->name);
    for (size_t i = 0; i < all; i++) {
        struct tune_result *const r = &results[*n];

        if ((!form->whole && !is_wanted(q, collectives[i].ours)) ||
            (collectives[i].composed && inside.q == NULL))
            continue;
        *r = (struct tune_result){&collectives[i], need(calloc(q->span.n_P, sizeof(*r->of))),
                                  inside, between};
        (*n)++;
        TRY(tune_choose(q, &collectives[i], composes ? &inside : &none, composes ? &between : &none,
                        r->of));
        TRY(tune_choose_levels(r));
    }
    return NULL;
}

static struct problem *tune(struct question *q, struct answer_file *to)
{
    const struct tune_form *form = NULL;
    struct tune_collective collectives[MAX_COLLECTIVES];
    struct tune_result results[MAX_COLLECTIVES];
    struct problem *problem;
    size_t all, n = 0;

    TRY(find_form(q, &form));
    all = find_collectives(form, collectives);
    TRY(check_words(q, collectives, all));
    TRY(resolve_model(q));
    if (form->whole && q->line.n_words > 1)
        say("all collectives are written, because the file replaces all choices of %s", form->name);
    problem = tune_all(q, form, collectives, all, results, &n);
    if (problem == NULL) {
        judge_model(q, collectives, all);
        form->print(to->f, q, results, n);
    }
    for (size_t i = 0; i < n; i++) {
        tune_drop_cells(results[i].of, q->span.n_P);
        if (results[i].inside.q != NULL) {
            tune_drop_cells(results[i].inside.of, results[i].inside.q->span.n_P);
            tune_drop_cells(results[i].between.of, results[i].between.q->span.n_P);
        }
    }
    return problem;
}

const struct command command_tune = {
    .name = "tune",
    .arguments = "[COLLECTIVE...]",
    .summary = "list the best algorithms, also as tables that an MPI loads",
    .options = OPTIONS_TUNE | OPTIONS_SPANS | OPTIONS_FORMAT | OPTIONS_FORGIVING,
    .answer = ANSWER_TUNE,
    .remark =
        "\n-P takes numbers and ranges (2,4,8..16, 2..64*2) [2..128*2], --bytes a range "
        "(1..64Ki)\n[1..16Mi]; a size is that of an item, or of a vector (reduce-scatter: a "
        "block) of\n--type. 1056 .. 1084: up to 1084 bytes the best and the one before win "
        "alternately: times\nare whole nanoseconds, and blocks may be unequal. Open MPI 4.1 loads "
        "its "
        "file with\n--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename "
        "FILE,\nMPICH 4.0 with MPIR_CVAR_DEVICE_COLLECTIVES=none and\n"
        "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=FILE in the environment. With --nodes both "
        "have\nchoices in and between nodes; --export openmpi-han: where its coll/han composes "
        "them.\nOf several patterns, as --arrival none,late@0:90us,exp:50us, the best has the "
        "least "
        "mean\ntime.",
    .call = tune,
};
