/* SPDX-License-Identifier: MIT */
/* The `logp` command: the only place that ends the process. */
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
        print_help(stdout);
    else if (q->line.help)
        print_command_help(stdout, command, q);
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
    static struct work work;
    int code = EXIT_OK;

    without_memory(end_without_memory);
    need_stack();
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is an error like any other */
    work.watcher = terminal;
    work.watcher.stuck = end_stuck;
    join_others(argc, argv, &work, give_up);
    json_set_alloc_funcs(memory_for_json, free);
    begin_question(&asked, vocabulary());
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
