/* SPDX-License-Identifier: MIT */
/*
 * logp mpirun: an MPI program, whose ranks are virtual processors of this process.
 * It starts itself again with the libraries that must come before the C library: preload.c.
 */
#define _GNU_SOURCE
#include "commands/command.h"
#include "file/file.h"
#include "mpi/run.h"
#include "view/records/records.h"
#include "mpi/profile/profile.h"
#include "answer/replay/replay.h"
#include "answer/runs.h"
#include "view/canvas/picture.h"
#include "view/trace/trace.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PROGRAMS = 8 }; /* of the MPI library, too */

/* Choose how a program with a sanitizer runs: AddressSanitizer knows the stacks of threads alone. */
static struct problem *check_sanitizer(struct question *q, const char *program,
                                       const char *sanitizer)
{
    char path[PATH_MAX];

    if (program_needs(program, "libtsan.so", path, sizeof(path)))
        return usage_problem("mpirun: %s is compiled with -fsanitize=thread, which takes ranks for "
                             "threads that share globals; compile it without, and with logp-cc "
                             "--check-accesses to find loads and stores that are too early",
                             program);
    if (*sanitizer == '\0')
        return NULL;
    if (option_is_given(q, "explore"))
        return usage_problem("mpirun: --explore: %s is compiled with -fsanitize=address, which "
                             "does not know the stacks of explored ranks; compile it without",
                             program);
    if (!option_is_given(q, "executor"))
        give_option(q, "executor", "thread");
    return NULL;
}

/* ---- several programs: -P 2 ./a : -P 2 ./b ---- */

/* Words from `from` on to ":" or the end. */
static size_t words_of_program(char *const *from)
{
    size_t n = 0;

    while (from[n] != NULL && strcmp(from[n], ":") != 0)
        n++;
    return n;
}

/* "2", or "-P2", "-P 2", "-n 2", "-np 2" as one or two words. *n_words: of the option. @return the number; 0: it is none */
static int64_t ranks_of(char *const *words, size_t n, size_t *n_words)
{
    static const char *const names[] = {"-P", "-np", "-n"};
    int64_t ranks;

    for (size_t i = 0; i < 3 && n > 0; i++) {
        const size_t length = strlen(names[i]);
        const char *text = NULL;

        if (strcmp(words[0], names[i]) == 0 && n > 1)
            text = words[1];
        else if (strncmp(words[0], names[i], length) == 0 && words[0][length] != '\0')
            text = words[0] + length;
        *n_words = text == words[0] + length ? 1 : 2;
        if (text != NULL && parse_number(text, false, 1, LOGP_MAX_PROCESSORS, &ranks))
            return ranks;
    }
    return 0;
}

/* Add up the ranks of all programs of the command line, if there are several. */
static struct problem *take_programs(struct question *q)
{
    char *const *word = q->line.rest;
    const char *first = given_text(q, "P");
    int64_t P = 0, ranks;
    size_t n = words_of_program(word), n_words;
    int n_programs = 1;
    char *text;

    if (word[n] == NULL)
        return NULL;
    if (first == NULL || !parse_number(first, false, 1, LOGP_MAX_PROCESSORS, &P))
        return usage_problem(
            "mpirun: each program needs its number of ranks: -P 2 %s : -P 2 PROGRAM", word[0]);
    if (option_is_given(q, "explore") || option_is_given(q, "gdb"))
        return usage_problem("mpirun: --%s is for one program; remove the others, which follow a :",
                             option_is_given(q, "gdb") ? "gdb" : "explore");
    while (word[n] != NULL) {
        word += n + 1;
        n = words_of_program(word);
        ranks = ranks_of(word, n, &n_words);
        if (ranks == 0 || n <= n_words || word[n_words][0] == '-')
            return usage_problem("mpirun: after a : come -P N and a program%s; options of the run "
                                 "come before the first program: logp mpirun -P 2 ./a : -P 2 ./b",
                                 n > 0 && word[0][0] == '-' && ranks == 0 ? ", and no other option"
                                                                          : "");
        P += ranks;
        if (++n_programs > MOST_PROGRAMS)
            return usage_problem("mpirun: at most %d programs", MOST_PROGRAMS);
    }
    text = kept_by(q, need(malloc(24)), free);
    snprintf(text, 24, "%lld", (long long)P);
    give_option(q, "P", text);
    q->mpi.first_ranks = atoll(first);
    return NULL;
}

/* Note the first program that needs OpenMP. */
static void find_openmp_users(struct question *q)
{
    char path[PATH_MAX], library[64];
    size_t skipped = 0;

    for (char *const *word = q->line.rest; q->mpi.openmp == NULL; word++) {
        const char *program = find_program(word[skipped], path, sizeof(path));

        if (program_needs_openmp(program, library, sizeof(library))) {
            q->mpi.openmp = kept_by(q, need(strdup(library)), free);
            q->mpi.openmp_program = kept_by(q, need(strdup(program)), free);
        }
        word += words_of_program(word);
        if (*word == NULL)
            break;
        ranks_of(word + 1, words_of_program(word + 1), &skipped);
    }
}

bool model_is_given(const struct question *q)
{
    static const char *const model[] = {
        "L",     "o",     "g",    "G",      "o-send",   "o-recv", "machine", "topology",
        "delay", "inter", "link", "plugin", "capacity", "gap",    "clock",   "ports"};
    bool given = false;

    for (size_t i = 0; i < sizeof(model) / sizeof(model[0]); i++)
        given = given || option_is_given(q, model[i]);
    return given;
}

/* Set defaults: nothing is emulated unless the model is given; ranks are fibers, which are one thread
 * for a debugger and for an OpenMP library. */
static struct problem *take(struct question *q)
{
    char path[PATH_MAX], runtime[PATH_MAX];
    const char *program, *sanitizer;

    if (q->line.rest == NULL || q->line.rest[0] == NULL)
        return usage_problem(
            "mpirun: which program? logp mpirun -P 4 ./prog; compile it with logp-cc");
    TRY(take_programs(q));
    program = find_program(q->line.rest[0], path, sizeof(path));
    sanitizer = address_sanitizer(program, runtime, sizeof(runtime));
    if (program_needs(program, "liblsan.so", runtime, sizeof(runtime)))
        return usage_problem("mpirun: %s is compiled with -fsanitize=leak, which does not know the "
                             "memory of ranks; compile it without",
                             program);
    if (option_is_given(q, "explore"))
        stop_at_undefined();
    if (!is_started_again())
        TRY(start_again(&mpi_library, q->line.argv, program));
    TRY(check_sanitizer(q, program, sanitizer));
    say_options_behind(q, OPTIONS_MPIRUN);
    if (!model_is_given(q))
        give_option(q, "delay", "none");
    find_openmp_users(q);
    q->mpi.chosen_executor = !option_is_given(q, "executor");
    if (q->mpi.chosen_executor && !option_is_given(q, "explore"))
        give_option(q, "executor",
                    option_is_given(q, "gdb") || q->mpi.openmp != NULL ? "thread" : "fiber");
    if (!option_is_given(q, "timeout"))
        give_option(q, "timeout", option_is_given(q, "explore") ? "10s" : "3600s");
    return NULL;
}

/* The run as a diagram, to the file of --trace. *code: also of writing it */
static struct problem *draw(const struct question *q, const struct logp_trace *trace,
                            const char *program, int *code)
{
    struct answer_file to = {.is_whole = true};
    const struct shown s = {.q = q, .program = program, .failure = "", .trace = trace};
    struct drawing d;
    struct problem *problem;

    TRY(check_window(q, trace));
    TRY(answer_open(&to, "--trace", q->mpi.traced));
    begin_drawing(&d, to.f, is_converted_picture(q->form.format) ? q->form.format->name : "svg");
    q->form.format->trace->show(d.f, &s);
    problem = end_drawing(&d);
    if (problem != NULL) {
        *code = *code != EXIT_OK ? *code : EXIT_WRONG;
        to.is_whole = false;
    }
    *code = answer_close(&to, *code, false);
    return problem;
}

/* Write the times of calls to the file of --report. *code: also of writing it */
static struct problem *report(const struct question *q, const struct logp_trace *trace,
                              const struct mpi_report *calls, const char *program, int *code)
{
    struct answer_file to = {.is_whole = true};
    const char *suffix = suffix_of(q->mpi.report);
    json_t *before = NULL;
    struct profile p;

    if (q->form.against != NULL)
        TRY(profile_read(q->form.against, &before));
    TRY(answer_open(&to, "--report", q->mpi.report));
    profile_init(&p, q, program, calls, trace);
    p.before = before;
    if (strcmp(suffix, "html") == 0)
        profile_as_html(to.f, &p);
    else if (strcmp(suffix, "json") == 0)
        profile_as_json(to.f, &p);
    else
        profile_as_text(to.f, &p);
    profile_fini(&p);
    json_decref(before);
    *code = answer_close(&to, *code, false);
    return NULL;
}

/* Write the diagram and the report of the recorded run, also of a program that failed.
 * *code: also of writing them */
static struct problem *show_records(const struct question *q, struct logp_machine *m,
                                    const struct mpi_report *calls, const char *program, int *code)
{
    struct problem *problem = NULL;
    struct logp_trace *trace;
    const int rc = logp_machine_take_trace(m, &trace);

    if (rc != 0) {
        say("the trace cannot be read: %s", strerror(-rc));
        *code = *code != EXIT_OK ? *code : EXIT_WRONG;
        return NULL;
    }
    if (q->mpi.report != NULL)
        problem = report(q, trace, calls, program, code);
    if (problem == NULL && q->mpi.traced != NULL)
        problem = draw(q, trace, program, code);
    logp_trace_free(trace);
    return problem;
}

/* Report that a rank has not come back; it may hold the lock of any stream. */
static void say_unrecorded(const struct question *q)
{
    static const char text[] =
        "logp: a rank did not come back, so there is no trace and no report\n";
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};

    if ((q->mpi.traced != NULL || q->mpi.report != NULL) && poll(&ready, 1, 0) > 0 &&
        write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
        return; /* there is no reader */
}

/* Print whether the host kept up with the delays, if it did not. */
static void advise(const struct question *q, const struct logp_machine *m,
                   const struct mpi_program *program)
{
    char *text = advice_on_program(q, logp_machine_cores(m), program->ended_ns, program->late_ns);

    if (text != NULL && logp_machine_processes(m) == 1)
        fputs(text, stderr);
    free(text);
}

/* Report computing if a rank computed for long enough to notice, and for more than a tenth
 * of the time that passed. */
static void say_computed(const struct mpi_program *program)
{
    enum { NOTICED_NS = 20000000 };
    char time[32];

    if (program->computed_ns >= NOTICED_NS && program->computed_ns > program->ended_ns / 10)
        say_note(
            "computing takes no time on this clock, though a rank has computed for %s; to charge "
            "it, type --compute measured",
            show_ns(program->computed_ns / 1000000 * 1000000, time, sizeof(time)));
}

/* Find a collective by the library's name or by MPI's: bcast, reduce_scatter. */
static struct problem *collective_named(const char *word, const char *name,
                                        const struct logp_collective **out)
{
    static const char *const called[] = {"barrier",        "broadcast", "scatter", "gather",
                                         "allgather",      "alltoall",  "reduce",  "allreduce",
                                         "reduce-scatter", "scan",      "exscan"};
    struct names names = {0};
    char own[128], list[MAX_LIST];

    snprintf(own, sizeof(own), "%s", strcmp(name, "bcast") == 0 ? "broadcast" : name);
    for (char *s = own; (s = strchr(s, '_')) != NULL;)
        *s = '-';
    for (size_t i = 0; i < sizeof(called) / sizeof(called[0]); i++)
        add_name(&names, called[i]);
    if (find_name(&names, own) < 0)
        return option_problem("--algo", word, "COLLECTIVE=NAME with a collective; %s",
                              one_of(&names, own, list));
    *out = logp_collective_find(own);
    return NULL;
}

/* Set a parameter of the algorithm from "k=4" in the word. Only parameters without a default
 * value can be set: the others model a computation, which a program itself has. */
static struct problem *set_knob(struct mpi_forced *forced, const char *word, const char *text)
{
    const size_t length = strcspn(text, "=");
    const struct logp_algorithm *a = forced->algorithm;
    char name[128], list[MAX_LIST];
    const struct logp_knob *knob;
    struct names names = {0};
    int64_t value;

    snprintf(name, sizeof(name), "%.*s", (int)length, text);
    for (size_t i = 0; (knob = logp_knob_at(i)) != NULL; i++)
        if (*knob->default_text == '\0' && logp_algorithm_knob(a, knob, 0, NULL, NULL, NULL))
            add_name(&names, knob->name);
    if (names.n == 0)
        return option_problem("--algo", word, "%s has no parameters; type %s=%s", a->name,
                              a->collective, a->name);
    if (find_name(&names, name) < 0)
        return option_problem("--algo", word, "%s=%s:NAME=VALUE with a parameter; %s",
                              a->collective, a->name, one_of(&names, name, list));
    knob = logp_knob_find(name);
    if (text[length] != '=' || !parse_knob(knob, text + length + 1, &value))
        return option_problem("--algo", word, "%s=%s:%s=%s with %s", a->collective, a->name, name,
                              knob->metavar, knob->allowed);
    memcpy((char *)&forced->knobs + knob->field, &value, sizeof(value));
    return NULL;
}

/* Find the algorithm of "allreduce=ring". whole: the word with its parameters */
static struct problem *algorithm_named(const char *word, const char *whole,
                                       const struct logp_algorithm **out)
{
    const size_t length = strcspn(word, "=");
    const char *name = word[length] == '=' ? word + length + 1 : "";
    const struct logp_collective *c = NULL;
    const struct logp_algorithm *a;
    struct names names = {0};
    char before[128], list[MAX_LIST];

    snprintf(before, sizeof(before), "%.*s", (int)length, word);
    TRY(collective_named(whole, before, &c));
    for (size_t i = 0; (a = logp_algorithm_at(c->name, i)) != NULL; i++)
        add_name(&names, a->name);
    if (find_name(&names, name) < 0)
        return option_problem("--algo", whole, "%s=NAME with an algorithm; %s", c->name,
                              one_of(&names, name, list));
    *out = logp_algorithm_find(c->name, name);
    return NULL;
}

/* Of "broadcast=knomial:k=4". */
static struct problem *forced_algorithm(const char *whole, struct mpi_forced *forced)
{
    char *word = need(strdup(whole)), *knob = strchr(word, ':');
    struct problem *problem;

    if (knob != NULL)
        *knob++ = '\0';
    problem = algorithm_named(word, whole, &forced->algorithm);
    if (problem == NULL && knob != NULL)
        problem = set_knob(forced, whole, knob);
    free(word);
    return problem;
}

/* Whether the word is "k=4", a parameter of the algorithm before it. */
static bool is_knob(const char *word)
{
    const size_t length = strcspn(word, "=");
    char name[128];

    snprintf(name, sizeof(name), "%.*s", (int)length, word);
    return word[length] == '=' && logp_knob_find(name) != NULL;
}

/* The algorithms of --algo, ending with a zeroed element; the question owns them. */
static struct problem *forced_algorithms(const struct question *q, const struct mpi_forced **out)
{
    char *list = kept_by(q, need(strdup(q->what.algorithm_list)), free), *save = NULL;
    struct mpi_forced *all = kept_by(q, need(calloc(strlen(list) + 1, sizeof(*all))), free);
    size_t n = 0;

    for (char *word = strtok_r(list, ";,", &save); word != NULL; word = strtok_r(NULL, ";,", &save))
        if (n > 0 && is_knob(word))
            TRY(set_knob(&all[n - 1], word, word));
        else
            TRY(forced_algorithm(word, &all[n++]));
    *out = all;
    return NULL;
}

/* The names in a text, and NULL; NULL: none */
const char *const *libraries_in(const struct question *q, const char *text)
{
    char *list, *save = NULL;
    const char **all;
    size_t n = 0;

    if (text == NULL)
        return NULL;
    list = kept_by(q, need(strdup(text)), free);
    all = kept_by(q, need(calloc(strlen(list) + 1, sizeof(*all))), free);
    for (char *word = strtok_r(list, ";", &save); word != NULL; word = strtok_r(NULL, ";", &save))
        all[n++] = word;
    return all;
}

static struct problem *check_clocks(const struct question *q)
{
    const char *option = option_on_command_line(q, "epoch")         ? "epoch"
                         : option_on_command_line(q, "real-clocks") ? "real-clocks"
                                                                    : NULL;

    if (option != NULL && q->how.clock != LOGP_CLOCK_VIRTUAL && q->explore.runs == 0)
        return usage_problem("mpirun: --%s is for --clock virtual; remove it: on the wall clock, "
                             "programs read the clocks of this host",
                             option);
    return NULL;
}

static struct problem *check_storage(const struct question *q)
{
    if (q->mpi.storage.text != NULL && q->how.clock == LOGP_CLOCK_VIRTUAL && q->how.n_cores > 1)
        return must_be("--storage", q->mpi.storage.text,
                       "on the virtual clock with all ranks on one core, so that servers "
                       "see them in the order of time: --cores %d",
                       q->how.cores[0]);
    return NULL;
}

static struct problem *check_compute(const struct question *q)
{
    if (q->mpi.compute > 0 && q->how.clock != LOGP_CLOCK_VIRTUAL)
        return usage_problem("mpirun: --compute is for --clock virtual; remove it: "
                             "on the wall clock, computing takes real time");
    return check_clocks(q);
}

/* Check the options of an explored run, of which there are many. */
static struct problem *check_explored(const struct question *q)
{
    static const struct {
        const char *option, *why;
    } others[] = {
        {"compute", "explored runs do not measure computing"},
        {"trace", "a failure leaves a file, and `logp trace --replay FILE` draws it"},
        {"report", "a report is of one run"},
        {"gdb", "a failure leaves a file for `logp replay`, which can start a debugger"},
        {"queue-limit", "explored runs do not limit queues"},
        {"plugin", "explored runs have no delay models of plugins"},
        {"executor", "a failure leaves a file, and `logp replay --executor thread` runs it"},
        {"cores", "set LOGP_CHECK_CORES=N to use N processes"}};

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (option_on_command_line(q, others[i].option))
            return usage_problem("mpirun: --%s is not for --explore; remove it: %s",
                                 others[i].option, others[i].why);
    if ((q->explore.most_faults.lost > 0 || q->explore.most_faults.doubled > 0) &&
        q->model.emulated)
        return usage_problem(
            "mpirun: --faults lost=N and doubled=N are for runs without a model; remove -L and the "
            "other options of the model");
    if (q->model.network.ports > 1)
        return usage_problem("mpirun: --explore has one port of each rank; remove --ports %lld",
                             (long long)q->model.network.ports);
    if (option_on_command_line(q, "clock") && q->how.clock != LOGP_CLOCK_VIRTUAL)
        return usage_problem("mpirun: --explore uses the virtual clock; remove --clock wall");
    return NULL;
}

/* Refuse options that need all ranks in one process. */
static struct problem *check_processes(const struct question *q)
{
    const char *with = q->mpi.gdb                    ? "--gdb"
                       : q->mpi.traced != NULL       ? "--trace"
                       : q->mpi.report != NULL       ? "--report"
                       : q->explore.runs > 0         ? "--explore"
                       : q->mpi.storage.text != NULL ? "--storage"
                                                     : NULL;

    if (with != NULL)
        return option_problem("--transport", q->how.transport,
                              "not together with %s; remove one of the two", with);
    return NULL;
}

enum { MOST_PCT_DEPTH = 1000 };

struct problem *check_settings(const struct question *q, const struct logp_check *c,
                               const struct logp_network *network)
{
    static const char without_times[] = "remove the model (-L, -o, -g, --machine, ...)";
    const bool timed = c->network != NULL && !c->network->undelayed,
               exhaustive = c->strategy == LOGP_STRATEGY_EXHAUSTIVE;
    const struct logp_fault_limits *f = &c->most_faults;

    if (timed && (f->lost > 0 || f->doubled > 0 || f->partitions > 0))
        return must_be(
            "faults", option_text(q, "faults"),
            "without lost, doubled and partitions in runs with times; see --fault, or %s",
            without_times);
    if (exhaustive && timed)
        return must_be("strategy", "exhaustive", "random, pct or delays in runs with times; or %s",
                       without_times);
    if (exhaustive && f->partitions > 0)
        return must_be("faults", option_text(q, "faults"),
                       "without partitions, with --strategy exhaustive; remove them");
    if (exhaustive && c->sends == LOGP_SENDS_VARIED)
        return must_be("sends", "varied", "buffered or synchronous, with --strategy exhaustive");
    if (c->strategy == LOGP_STRATEGY_PCT && c->depth > MOST_PCT_DEPTH)
        return must_be("depth", option_text(q, "depth"), "1 .. %d, with --strategy pct",
                       MOST_PCT_DEPTH);
    if (c->network != NULL && (network->links != NULL || network->topology != NULL))
        return usage_problem("in runs in many orders all links are alike; remove --nodes, --inter, "
                             "--link and --topology");
    return NULL;
}

/* Run the program many times by the test kit. A failure leaves its replay in LOGP_REPLAY_DIR, or
 * in the working directory. */
static struct problem *explored(const struct question *q, struct mpi_program *program,
                                int (*run)(struct logp_machine *, struct mpi_program *))
{
    struct logp_network network = network_of(q);
    const char *slash = strrchr(program->path, '/');
    const int P = (int)q->model.P;
    const struct logp_check check = {
        .size = sizeof(check),
        .sizes = &P,
        .n_sizes = 1,
        .smallest = P,
        .runs = (uint64_t)q->explore.runs,
        .seed = (uint64_t)q->how.seed,
        .network = q->model.emulated || network.rendezvous_from > 0 ? &network : NULL,
        .sends = network.rendezvous_from > 0 ? LOGP_SENDS_LIMITED : LOGP_SENDS_BUFFERED,
        .timeout_ns = q->how.timeout_ns,
        .most_faults = q->explore.most_faults,
        .fault_places = q->explore.places,
        .keeps_order = true,
        .most_steps = 10000000,
        .leaves_requests = true, /* MPI allows that of MPI_Request_free() */
        .stack_bytes = q->how.stack_bytes,
        .executor = q->mpi.openmp != NULL ? "thread" : NULL,
        .name = slash != NULL ? slash + 1 : program->path};

    network.unit_ns = 1; /* times are in ns by now */
    if (q->model.P > LOGP_MAX_PROCESSORS)
        TRY(check_machine(q));
    TRY(check_settings(q, &check, &network));
    if (setenv("LOGP_REPLAY_DIR", ".", 0) != 0)
        return usage_problem("no memory");
    program->exploration = &check;
    q->work->ends_at_once = true;
    return told(run(NULL, program));
}

/* The programs that follow the first one, and the words of each. */
static void find_programs(const struct question *q, struct mpi_program *program)
{
    char *const *word = q->line.rest;
    struct mpi_program *last = program;
    size_t n = words_of_program(word), n_words = 0;

    for (;;) {
        char **words = kept_by(q, need(calloc(n + 1, sizeof(*words))), free);
        char *path = kept_by(q, need(malloc(PATH_MAX)), free);

        memcpy(words, word + n_words, (n - n_words) * sizeof(*words));
        last->argv = words;
        last->argc = (int)(n - n_words);
        last->path = find_program(words[0], path, PATH_MAX);
        if (word[n] == NULL)
            return;
        word += n + 1;
        n = words_of_program(word);
        last->next = kept_by(q, need(calloc(1, sizeof(*last))), free);
        last = (struct mpi_program *)last->next;
        last->n_ranks = (int)ranks_of(word, n, &n_words);
    }
}

/* Read the run to compare with before this one starts. */
static struct problem *check_against(const struct question *q)
{
    const char *suffix = q->mpi.report != NULL ? suffix_of(q->mpi.report) : NULL;
    json_t *before;

    if (q->form.against == NULL)
        return NULL;
    if (suffix == NULL || strcmp(suffix, "html") != 0)
        return must_be("--against", q->form.against,
                       "together with --report FILE.html, which shows the differences");
    TRY(profile_read(q->form.against, &before));
    json_decref(before);
    return NULL;
}

/* Check the options of a program before it is started. */
static struct problem *check_program(const struct question *q, const struct mpi_program *program)
{
    char path[PATH_MAX];
    const char *sanitizer = address_sanitizer(program->path, path, sizeof(path));

    if (*sanitizer != '\0' && q->how.fibers)
        return must_be("--executor", "fiber",
                       "thread for a program that is compiled with -fsanitize=address, "
                       "which does not know the stacks of fibers; remove the option");
    if (q->explore.runs > 0)
        TRY(check_explored(q));
    else if (q->explore.most_faults.crashes > 0 || q->explore.most_faults.lost > 0 ||
             q->explore.most_faults.doubled > 0)
        return usage_problem(
            "mpirun: --faults is for --explore RUNS; --fault stops a rank of a single run");
    if (option_is_given(q, "fault-places") &&
        (q->explore.runs == 0 || !option_is_given(q, "faults")))
        return usage_problem("mpirun: --fault-places is for --explore RUNS with --faults");
    TRY(check_compute(q));
    TRY(check_storage(q));
    TRY(check_against(q));
    if (q->mpi.traced != NULL && is_converted_picture(q->form.format))
        TRY(check_converter("--trace", q->mpi.traced));
    for (const struct mpi_program *p = program; p != NULL; p = p->next) {
        if (access(p->path, R_OK) != 0)
            return usage_problem("mpirun: %s: %s", p->path, strerror(errno));
        TRY(trust_program("mpirun", p->path, q->explore.runs > 0));
    }
    if (q->mpi.gdb && !is_traced())
        return start_gdb(q->line.argv, program->path);
    return over_processes(q) ? check_processes(q) : NULL;
}

/* Run the program once, on a machine. */
static struct problem *run_once(const struct question *q, struct mpi_program *program,
                                int (*run)(struct logp_machine *, struct mpi_program *))
{
    const struct logp_trace_config tracing = {.size = sizeof(tracing)};
    const bool records = q->mpi.traced != NULL || q->mpi.report != NULL;
    struct mpi_report calls = {0};
    struct logp_machine *m;
    int code;

    TRY(create_machine(q, &m));
    if (records && logp_machine_trace(m, &tracing) != 0) {
        end_machine(q, m);
        return failure("no memory to record %lld ranks", (long long)q->model.P);
    }
    program->report = q->mpi.report != NULL ? &calls : NULL;
    code = run(m, program);
    q->work->ends_at_once = !over_processes(q); /* copies of the program stay loaded: nothing of
                                                   them is to run any more */
    q->work->is_abandoned = program->is_abandoned;
    if (program->is_abandoned) {
        say_unrecorded(q);
        return told(code);
    }
    advise(q, m, program);
    say_computed(program);
    if (program->used_files && q->how.clock == LOGP_CLOCK_VIRTUAL && q->mpi.storage.text == NULL)
        say_note("file operations take no time on this clock; to charge them, type --storage "
                 "latency=100us,bandwidth=1GB/s,servers=4");
    if (records)
        TRY(show_records(q, m, &calls, program->path, &code));
    fflush(NULL);
    if (over_processes(q))
        logp_machine_destroy(m);
    return told(code);
}

static struct mpi_storage storage_of(const struct question *q)
{
    const struct storage_question *s = &q->mpi.storage;

    if (s->text == NULL)
        return (struct mpi_storage){0};
    return (struct mpi_storage){.n_servers = (int)s->servers,
                                .latency_ns = s->latency_ns,
                                .ns_per_byte = s->bandwidth > 0 ? 1e9 / (double)s->bandwidth : 0};
}

static struct problem *mpirun(struct question *q, struct answer_file *to)
{
    int (*run)(struct logp_machine *, struct mpi_program *);
    void *address;
    char locals[64] = "";
    struct mpi_program program = {.tags_output = q->mpi.tags_output,
                                  .quiet = q->form.quiet,
                                  .verbose = q->form.verbose,
                                  .is_debugged = q->mpi.gdb,
                                  .shared = libraries_in(q, q->mpi.shared),
                                  .own = libraries_in(q, q->mpi.own),
                                  .checks = !q->mpi.unchecked,
                                  .checks_fail = q->mpi.checks_fail,
                                  .checksums = q->mpi.checksums,
                                  .synchronizes =
                                      !q->model.emulated && q->model.network.rendezvous_from == 1,
                                  .may_differ = q->what.may_differ,
                                  .queue_limit = q->how.queue_limit,
                                  .compute = q->mpi.compute,
                                  .timeout_ns = q->how.timeout_ns,
                                  .stack_bytes = q->how.stack_bytes,
                                  .node_size = (int)q->model.node_size,
                                  .real_clocks = q->mpi.real_clocks,
                                  .epoch_ns = q->mpi.epoch_ns,
                                  .storage = storage_of(q),
                                  .run = run_until_signal};

    (void)to;
    address = dlsym(RTLD_DEFAULT, "logp_mpi_run");
    memcpy(&run, &address, sizeof(run));
    if (run == NULL)
        return failure("the MPI library has not been loaded");
    snprintf(locals, sizeof(locals), "%s", locals_library());
    program.locals = locals;
    restore_environment();
    find_programs(q, &program);
    program.n_ranks = (int)q->mpi.first_ranks;
    TRY(check_program(q, &program));
    if (q->mpi.only_lists) {
        program.only_lists = true;
        return told(run(NULL, &program));
    }
    program.names_threads = !q->how.fibers;
    program.looks = q->how.clock == LOGP_CLOCK_VIRTUAL && q->explore.runs == 0 && !q->form.quiet &&
                    !q->mpi.gdb && !option_given(q, "compute");
    program.looks_for_loops = !q->mpi.gdb;
    q->how.one_core = !option_given(q, "cores"); /* synchronous sends and windows need it */
    q->mpi.compare_calls = !q->mpi.unchecked;
    q->mpi.trust_calls = q->mpi.unchecked;
    if (q->what.algorithm_list != NULL)
        TRY(forced_algorithms(q, &program.forced));
    prepare_openmp(q);
    return q->explore.runs > 0 ? explored(q, &program, run) : run_once(q, &program, run);
}

const struct command command_mpirun = {
    .name = "mpirun",
    .arguments = "PROGRAM ARGUMENTS",
    .summary = "run an MPI program, compiled by logp-cc or logp-fort, on emulated processors",
    .options = OPTIONS_MPIRUN | OPTIONS_PROCESSES,
    .answer = ANSWER_TRACE,
    .remark =
        "\nPut options before the program; -n N is -P N. Each rank is a virtual processor of "
        "one\n"
        "process with globals of its own. Nothing is emulated unless the model is given: -L 6us\n"
        "-o 2us -g 4us, --machine or --topology; or --clock virtual, which has 60, 20 and 40us.\n"
        "MPI_Wtime() is the emulated clock. Exit code: that of the first rank whose code is not\n"
        "0; a deadlock is reported with each rank's call.\n"
        "Ranks are fibers; with OpenMP each is a thread, and OMP_NUM_THREADS, if unset, is the\n"
        "number of cores for a rank.\n"
        "Of the options of other mpiruns, -x, -genv, -wdir, -ppn, -l, --host localhost, "
        "--oversubscribe,\n"
        "--bind-to, --map-by, --mca and others are taken, and the rest are refused with the "
        "reason.\n"
        "In gdb (--gdb): `run`, `rank 3`, `ranks NAME`, `print $global(\"NAME\", 3)`.\n"
        "\n"
        "  logp-cc hello.c -o hello && logp mpirun -P 64 ./hello\n"
        "  logp-fort heat.f90 -o heat && logp mpirun -P 64 ./heat",
    .take = take,
    .call = mpirun,
    .starts = true,
};
