/* SPDX-License-Identifier: MIT */
/* The `logp` command as a process: it answers one command line, and has the only exit(). */
#include "commands/command.h"
#include "file/file.h"
#include "answer/runs.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* A processor that has not come back still uses its machine, and copies of a program stay loaded:
 * nothing of that is freed. */
static void end_at_once(const struct work *work, int code)
{
    if (!work->is_abandoned)
        fflush(NULL);
    drop_all_files();
    _Exit(work->is_left ? EXIT_WRONG : code);
}

static void end_without_memory(void)
{
    say("no memory");
    exit(EXIT_USAGE);
}

/* The JSON would lack parts. */
static void *memory_for_json(size_t n)
{
    return need(malloc(n));
}

int main(int argc, char **argv)
{
    static struct work work;
    struct answer_file to = {.f = stdout};
    struct problem *problem;
    int code;

    need_stack();
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is an error like any other */
    without_memory(end_without_memory);
    json_set_alloc_funcs(memory_for_json, free);
    work.watcher = terminal;
    work.watcher.stuck = end_stuck;
    join_others(argc, argv, &work, give_up);
    begin_question(&asked, vocabulary());
    asked.work = &work;
    problem = answer_line(&asked, argc, argv, &to);
    to.is_refused = problem != NULL && problem->code == EXIT_USAGE && *problem->text != '\0';
    code = tell_problem(&asked, problem);
    if (code == EXIT_USAGE)
        leave_for_bad_input();
    if (!work.is_abandoned)
        code = answer_close(&to, code, runs_are_over(&asked));
    if (work.is_left || work.ends_at_once)
        end_at_once(&work, code);
    end_work(&work);
    end_question(&asked);
    return code;
}
