/* SPDX-License-Identifier: MIT */
/* The `logp` command: the words that name commands, and the first screen of help. */
#include "commands/command.h"
#include "file/file.h"
#include "text/problem.h"
#include "view/canvas/picture.h"
#include "answer/runs.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct command *const commands[] = {
    &command_run,     &command_watch,    &command_predict, &command_explain,    &command_schedule,
    &command_list,    &command_tree,     &command_trace,   &command_search,     &command_tune,
    &command_measure, &command_validate, &command_paper,   &command_bench,      &command_plot,
    &command_report,  &command_replay,   &command_mpirun,  &command_completion, &command_manual};

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

static void print_help(void)
{
    printf("%s\nTry this first:\n\n%s\nCommands:\n\n", help_introduction, help_examples);
    for (int i = 0; i < N_COMMANDS; i++)
        printf("  %-10s %-20s %s\n", commands[i]->name, commands[i]->arguments,
               commands[i]->summary);
    puts("\nThe most used options (all of them: logp run --help):\n\n"
         "  -P N              virtual processors [8]\n"
         "  -L T -o T -g T    latency, overhead, gap [6 2 4]; plain numbers count units\n"
         "  --unit T          length of a time unit [10us]\n"
         "  --algo NAMES      which algorithms; all; auto: the best predicted [auto]\n"
         "  --executor fiber  many processors per core, small units\n"
         "  --clock virtual   let time jump instead of waiting: exact, for any P\n"
         "  --format json     for scripts; csv too");
}

static void print_command_help(const struct command *c, const struct question *q)
{
    printf("logp %s %s [options]: %s\n\n", c->name, c->arguments, c->summary);
    print_options(stdout, q, options_of(c));
    if (c->options & (OPTIONS_MODEL | OPTIONS_RUN | OPTIONS_TUNE | OPTIONS_MPIRUN))
        puts(
            "\nNumbers may be written 4096, 2^12, 1e6 or 4k: k, M, G and T, like Ki, Mi, Gi and "
            "Ti, "
            "mean powers of 1024;\nsizes also 4KiB (x 1024) or 4kB (x 1000). Defaults are shown in "
            "[brackets].");
    if (c->options & (OPTIONS_MODEL | OPTIONS_TUNE | OPTIONS_MPIRUN))
        puts("\nDefaults can be set in the environment: LOGP_P, LOGP_L, LOGP_UNIT, LOGP_O_SEND, "
             "...");
    if (c->remark != NULL)
        puts(c->remark);
}

/* Check and open the destination of the answer before anything is run. */
static void begin_output(const struct question *q)
{
    if (q->form.output == NULL && (q->line.sets & OPTIONS_FORMAT) != 0 &&
        q->form.format->is_binary && isatty(STDOUT_FILENO))
        bad_option("--format", q->form.format->name,
                   "with --output FILE: it is not for a terminal");
    if (q->form.output == NULL || over_processes(q))
        return;
    if (q->form.keeps_records)
        end_with(check_place("--output", q->form.output));
    else
        begin_answer("--output", q->form.output);
}

static const struct command *command_of(const char *name)
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

/* End the process without memory: the JSON would lack parts. */
static void *memory_for_json(size_t n)
{
    return or_end(malloc(n));
}

/* Print the facts that a bug report needs. The MPIs are those that the build found. */
static void print_version(void)
{
    char *const converter = find_converter();

    printf("logp %s\ncommit: %s\ncompiler: %s\nMPI: %s\nrsvg-convert: %s\n", logp_version(),
           LOGP_COMMIT, LOGP_COMPILER, LOGP_MPIS, converter != NULL ? converter : "not found");
    free(converter);
}

static void end_without_memory(void)
{
    bad_usage("no memory");
}

/* @return an exit code */
static int answer(int argc, char **argv, struct question *q)
{
    const struct command *command;

    end_with(question_of_words(q, argc, argv));
    if (q->line.version) {
        print_version();
        return EXIT_OK;
    }
    command = q->line.command != NULL ? command_of(q->line.command) : NULL;
    if (command == NULL)
        print_help();
    else if (q->line.help)
        print_command_help(command, q);
    if (q->line.help)
        return EXIT_OK;
    if (command == NULL)
        return EXIT_USAGE;
    begin_output(q);
    return command->call(q);
}

/* Raise the limit of the stack, as far as the host allows: the process would die without a message
 * if it needed more. */
static void need_stack(void)
{
    const rlim_t enough = (rlim_t)1 << 20, least = (rlim_t)256 << 10;
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= enough)
        return;
    limit.rlim_cur = limit.rlim_max < enough ? limit.rlim_max : enough;
    if (setrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur >= least)
        return;
    fprintf(stderr,
            "logp: the stack may have %llu KiB; logp needs %llu KiB: raise it with ulimit -s\n",
            (unsigned long long)limit.rlim_cur / 1024, (unsigned long long)least / 1024);
    exit(EXIT_WRONG);
}

static struct question asked;

static void give_up(int signal_number)
{
    (void)signal_number;
    _exit(EXIT_USAGE);
}

/* End the process from another thread: its main thread waits within MPI_Init(). */
static void end_stuck(void *of, struct problem *problem)
{
    (void)of;
    tell_problem(&asked, problem);
    let_others_speak();
    fflush(NULL);
    _exit(EXIT_WRONG);
}

/* A processor that has not come back still uses its machine, so nothing of that is freed. */
static void end_at_once(void)
{
    fflush(NULL);
    drop_all_files();
    _Exit(EXIT_WRONG);
}

int main(int argc, char **argv)
{
    static struct vocabulary vocabulary = {.formats = output_formats, .find = find_command};
    static struct work work;
    int code = EXIT_OK;

    without_memory(end_without_memory);
    need_stack();
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is an error like any other */
    work.watcher = terminal;
    work.watcher.stuck = end_stuck;
    join_others(argc, argv, &work, give_up);
    json_set_alloc_funcs(memory_for_json, free);
    for (int i = 0; i < N_COMMANDS; i++) {
        add_name(&vocabulary.commands, commands[i]->name);
        if (commands[i]->under != NULL)
            add_name(&vocabulary.commands, commands[i]->under->name);
    }
    begin_question(&asked, &vocabulary);
    asked_is(&asked);
    asked.work = &work;
    if (argc > 1 && strcmp(argv[1], "complete") == 0) {
        complete_words(&asked, argc - 2, argv + 2);
    } else {
        code = answer(argc, argv, &asked);
    }
    code = end_answer(code, runs_are_over(&asked));
    if (work.is_left)
        end_at_once();
    end_work(&work);
    end_question(&asked);
    return code;
}
