/* SPDX-License-Identifier: MIT */
/* The commands, and the first screen of help. */
#include "commands/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command *const commands[] = {
    &command_run,        &command_watch,    &command_predict, &command_explain, &command_schedule,
    &command_list,       &command_tree,     &command_trace,   &command_search,  &command_tune,
    &command_measure,    &command_validate, &command_paper,   &command_bench,   &command_plot,
    &command_report,     &command_replay,   &command_mpirun,  &command_explore, &command_env,
    &command_completion, &command_manual};

enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

const struct command *command_at(size_t i)
{
    return i < N_COMMANDS ? commands[i] : NULL;
}

const char help_introduction[] =
    "logp runs collective algorithms on processors emulated under the LogP model, on this\n"
    "box, and compares their running times with the model's predictions.\n";

const char help_examples[] =
    "  logp run broadcast --algo all       every algorithm, measured against its prediction\n"
    "  logp run broadcast -P 16 -L 20      sixteen processors, a slower network\n"
    "  logp run barrier -P 64 --executor fiber      many processors on few cores\n"
    "  logp tree broadcast -P 16           the best tree for these L, o, g\n"
    "  logp tree summation -P 7 --format svg  the best summation, as a picture\n"
    "  logp trace broadcast --clock virtual    the steps of each processor, as a diagram\n"
    "  logp tree reduce --algo binomial    the tree of a tree-based algorithm\n"
    "  logp predict broadcast -P 1000000 --algo all\n"
    "  logp predict broadcast --explain    the terms of a time, the critical path\n"
    "  logp explain broadcast optimal binomial      why one is faster than the other\n"
    "  logp bench crossover alltoall -G 0.01        where the best algorithm changes\n"
    "  logp report broadcast --output page.html   the results as a page for the browser\n"
    "  logp measure --delay none           this host's threads: their L, o, g, G\n"
    "  logp paper kurnosov                 a paper's figures compared with this library\n"
    "  logp help run                       all options of a command\n";

void print_help(FILE *f)
{
    fprintf(f, "%s\nTry this first:\n\n%s\nCommands:\n\n", help_introduction, help_examples);
    for (int i = 0; i < N_COMMANDS; i++)
        fprintf(f, "  %-10s %-20s %s\n", commands[i]->name, commands[i]->arguments,
                commands[i]->summary);
    fputs("\nThe most used options (all of them: logp run --help):\n\n"
          "  -P N              virtual processors [8]\n"
          "  -L T -o T -g T    latency, overhead, gap [6 2 4]; plain numbers count units\n"
          "  --unit T          length of a time unit [10us]\n"
          "  --algo NAMES      which algorithms; all; auto: the best predicted [auto]\n"
          "  --executor fiber  many processors per core, small units\n"
          "  --clock virtual   let time jump instead of waiting: exact, for any P\n"
          "  --format json     for scripts; csv too\n",
          f);
}

void print_command_help(FILE *f, const struct command *c, const struct question *q)
{
    fprintf(f, "logp %s %s [options]: %s\n\n", c->name, c->arguments, c->summary);
    print_options(f, q, options_of(c));
    if (c->options &
        (OPTIONS_MODEL | OPTIONS_RUN | OPTIONS_TUNE | OPTIONS_MPIRUN | OPTIONS_EXPLORE))
        fputs(
            "\nNumbers may be written 4096, 2^12, 1e6 or 4k: k, M, G and T, like Ki, Mi, Gi and "
            "Ti, "
            "mean powers of 1024;\nsizes also 4KiB (x 1024) or 4kB (x 1000). Defaults are shown in "
            "[brackets].\n",
            f);
    if (c->options & (OPTIONS_MODEL | OPTIONS_TUNE | OPTIONS_MPIRUN | OPTIONS_EXPLORE))
        fputs("\nDefaults can be set in the environment: LOGP_P, LOGP_L, LOGP_UNIT, LOGP_O_SEND, "
              "...\n",
              f);
    if (c->remark != NULL)
        fprintf(f, "%s\n", c->remark);
}

const struct command *command_of(const char *name)
{
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
        if (commands[i]->under != NULL && strcmp(name, commands[i]->under->name) == 0)
            return commands[i]->under;
    }
    return NULL;
}

static struct problem *unknown_command(const char *word)
{
    const struct logp_collective *c;
    struct names names = {0}, collectives = {0};
    char hint[MAX_HINT];
    const char *meant;

    for (int i = 0; i < N_COMMANDS; i++)
        add_name(&names, commands[i]->name);
    for (size_t i = 0; (c = logp_collective_at(i)) != NULL; i++)
        add_name(&collectives, c->name);
    meant = nearest_name(&collectives, word);
    if (nearest_name(&names, word) == NULL && meant != NULL)
        return usage_problem("%s: no such command; did you mean run %s? see logp --help", word,
                             meant);
    return usage_problem("%s: no such command; %ssee logp --help", word,
                         did_you_mean(&names, word, hint));
}

static struct problem *find_command(struct question *q, struct command_facts *out)
{
    const char *const word = q->line.words[0];
    const struct command *c = strchr(word, ' ') == NULL ? command_of(word) : NULL;

    if (c == NULL)
        return unknown_command(word);
    if (c->under != NULL && q->line.n_words > 1 &&
        strcmp(q->line.words[1], strchr(c->under->name, ' ') + 1) == 0) {
        c = c->under;
        drop_word(q);
    }
    *out = (struct command_facts){c->name, options_of(c), c->answer, c->starts, c->take};
    return NULL;
}

const struct vocabulary *vocabulary(void)
{
    static struct vocabulary all = {.formats = output_formats, .find = find_command};

    for (int i = 0; i < N_COMMANDS; i++) { /* add_name() adds each once */
        add_name(&all.commands, commands[i]->name);
        if (commands[i]->under != NULL)
            add_name(&all.commands, commands[i]->under->name);
    }
    return &all;
}
