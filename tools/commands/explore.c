/* SPDX-License-Identifier: MIT */
/*
 * logp explore: the test kit for a program whose processors must not share globals. It starts itself again with the
 * library that must come before the C library: preload.c.
 */
#define _GNU_SOURCE
#include "commands/command.h"
#include "answer/replay/replay.h"
#include "explore/run.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Refuse a program that is compiled with a sanitizer whose reports would be wrong, or has such a library. */
static struct problem *check_sanitizers(const char *program)
{
    static const char *const address[] = {"libasan.so", "libclang_rt.asan", NULL},
                             *const thread[] = {"libtsan.so", "libclang_rt.tsan", NULL},
                             *const leak[] = {"liblsan.so", NULL};
    char by[PATH_MAX];

    if (program_or_library_needs(program, address, by, sizeof(by)))
        return usage_problem("explore: %s is compiled with -fsanitize=address, which does not know "
                             "the copies of its globals; compile it without",
                             by);
    if (program_or_library_needs(program, thread, by, sizeof(by)))
        return usage_problem("explore: %s is compiled with -fsanitize=thread, which takes "
                             "processors for threads that share globals; compile it without",
                             by);
    if (program_or_library_needs(program, leak, by, sizeof(by)))
        return usage_problem("explore: %s is compiled with -fsanitize=leak, which takes for leaks "
                             "what runs that are stopped leave; compile it without",
                             by);
    return NULL;
}

/* Nothing is timed unless the model is given. */
static struct problem *take(struct question *q)
{
    char path[PATH_MAX];
    const char *program;

    if (q->line.rest == NULL || q->line.rest[0] == NULL)
        return usage_problem("explore: which program? logp explore -P 3 ./prog; it defines int "
                             "logp_main(struct logp_vp *vp, int argc, char **argv)");
    program = find_program(q->line.rest[0], path, sizeof(path));
    TRY(check_sanitizers(program));
    stop_at_undefined();
    if (!is_started_again())
        TRY(start_again(&explore_library, q->line.argv, program));
    say_options_behind(q, OPTIONS_EXPLORE);
    if (!model_is_given(q))
        give_option(q, "delay", "none");
    return NULL;
}

/* A failure leaves its replay in LOGP_REPLAY_DIR, or in the working directory. */
static struct problem *explored(const struct question *q, struct explored_program *program,
                                int (*run)(const struct explored_program *))
{
    struct logp_network network = network_of(q);
    const struct explore_question *e = &q->explore;
    const char *slash = strrchr(program->path, '/');
    int sizes[MAX_P_LIST];
    const struct logp_check check = {
        .size = sizeof(check),
        .sizes = sizes,
        .n_sizes = (int)q->span.n_P,
        .runs = (uint64_t)e->runs,
        .seed = (uint64_t)q->how.seed,
        .strategy = e->strategy,
        .depth = (int)e->depth,
        .misses = (int)e->misses,
        .network = q->model.emulated || network.rendezvous_from > 0 ? &network : NULL,
        .sends = network.rendezvous_from > 0 ? LOGP_SENDS_LIMITED : e->sends,
        .timeout_ns = q->how.timeout_ns,
        .stack_bytes = q->how.stack_bytes,
        .as_found = e->as_found,
        .name = slash != NULL ? slash + 1 : program->path,
        .most_steps = (uint64_t)e->most_steps,
        .must_end = e->must_end,
        .leaves_messages = e->leaves_messages,
        .most_faults = e->most_faults,
        .leaves_requests = e->leaves_requests,
        .fault_places = e->places,
        .most_overtaken = e->most_overtaken};

    network.unit_ns = 1; /* times are in ns by now */
    for (size_t i = 0; i < q->span.n_P; i++)
        sizes[i] = (int)q->span.P_list[i];
    TRY(check_settings(q, &check, &network));
    if (setenv("LOGP_REPLAY_DIR", ".", 0) != 0)
        return usage_problem("no memory");
    program->check = &check;
    q->work->ends_at_once = true;
    return told(run(program));
}

static struct problem *explore(struct question *q, struct answer_file *to)
{
    int (*run)(const struct explored_program *);
    char path[PATH_MAX], locals[64];
    struct explored_program program = {.path = find_program(q->line.rest[0], path, sizeof(path)),
                                       .shared = libraries_in(q, q->mpi.shared),
                                       .own = libraries_in(q, q->mpi.own),
                                       .argv = q->line.rest,
                                       .quiet = q->form.quiet,
                                       .real_clocks = q->mpi.real_clocks,
                                       .epoch_ns = q->mpi.epoch_ns,
                                       .locals = locals};
    void *address = dlsym(RTLD_DEFAULT, "logp_explore_run");

    (void)to;
    memcpy(&run, &address, sizeof(run));
    if (run == NULL)
        return failure("the library of logp explore has not been loaded");
    while (q->line.rest[program.argc] != NULL)
        program.argc++;
    snprintf(locals, sizeof(locals), "%s", locals_library());
    restore_environment();
    if (access(program.path, R_OK) != 0)
        return usage_problem("explore: %s: %s", program.path, strerror(errno));
    TRY(trust_program("explore", program.path, true));
    return explored(q, &program, run);
}

const struct command command_explore = {
    .name = "explore",
    .arguments = "PROGRAM ARGUMENTS",
    .summary = "check a program in many orders; each processor has its own globals",
    .options = OPTIONS_EXPLORE,
    .answer = ANSWER_TRACE,
    .remark =
        "\nPut options before the program, which defines\n"
        "\n"
        "  int logp_main(struct logp_vp *vp, int argc, char **argv);\n"
        "\n"
        "It is an ordinary executable, linked with liblogp; its main() is not called here. Each\n"
        "processor calls logp_main() of a copy of its own, with globals of its own, and of the\n"
        "libraries that the program brings; they are new in each run. rand(), getrandom(), "
        "time(),\n"
        "clock_gettime(), nanosleep() and their relatives are those of the run. Runs, failures "
        "and\n"
        "replays are those of logp_check() (logp/check.h). A failure leaves its replay in the "
        "current\n"
        "folder, or in LOGP_REPLAY_DIR. Exit code: 0, no run fails; 1, one does, also by a crash; "
        "2, "
        "the\n"
        "program cannot be run.\n"
        "\n"
        "  cc -g prog.c -o prog $(pkg-config --cflags --libs logp)\n"
        "  logp explore -P 2,3 --runs 5000 --faults restarts=1,lost=2 ./prog",
    .take = take,
    .call = explore,
    .starts = true,
};
