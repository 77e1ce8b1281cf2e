/* SPDX-License-Identifier: MIT */
/* The machine of the options, and its delay model. */
#define _GNU_SOURCE
#include "answer/runs.h"
#include "file/file.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct problem *create_delay(const struct question *q, struct logp_delay *delay, int *rc)
{
    const struct logp_network network = network_of(q);
    const bool is_own = q->model.plugin != NULL || !q->model.emulated;
    struct logp_delay own = logp_delay_none();

    if (q->model.plugin != NULL)
        TRY(make_plugin_delay(q, &own));
    *rc = logp_network_delay(&network, q->model.P, is_own ? &own : NULL, delay, NULL);
    return NULL;
}

/* Processors of each core, if several simulate at once: with fewer, the cores would mostly meet. */
enum { PER_CORE = 64 };

/* Whether several cores can simulate the model at once, and there are enough processors under the
 * virtual clock to make that worth while. */
static bool worth_all_cores(const struct question *q, const struct logp_delay *delay)
{
    const int64_t many = 256;
    struct logp_delay_ops ops;

    return q->how.clock == LOGP_CLOCK_VIRTUAL && !q->how.one_core && q->how.fibers &&
           q->model.P >= many && q->model.network.rendezvous_from == 0 &&
           logp_delay_functions(delay, &ops) == 0 && ops.lookahead != NULL &&
           ops.lookahead(delay->model) > 0 &&
           (ops.capacity == NULL || ops.capacity(delay->model) <= 0);
}

/* Print notes, once: of cores of several kinds, and of a CPU quota that is too small for the cores. */
static void warn_of_host(const struct question *q, const struct logp_machine *m)
{
    struct logp_core_use cores;
    struct logp_host host;
    const int used = logp_machine_cores(m);

    if (q->work->is_warned || q->how.clock != LOGP_CLOCK_WALL || logp_host_info(&host) != 0)
        return;
    q->work->is_warned = true;
    logp_machine_core_use(m, &cores);
    if (cores.is_mixed)
        say_note("the %d cores are of several kinds, fast and slow ones: processors on slow cores "
                 "may be late; use --cores with cores of one kind, or a smaller -P",
                 cores.n_cores);
    if (host.quota > 0 && host.quota < used)
        say_note("a CPU quota allows %.2f processors' worth of time, and %d cores are used: expect "
                 "stalls; use --cores with fewer",
                 host.quota, used);
}

static struct problem *check_P(const struct question *q)
{
    char text[32];

    snprintf(text, sizeof(text), "%lld", (long long)q->model.P);
    return q->model.P > LOGP_MAX_PROCESSORS
               ? must_be("-P", text, "1 .. %d processors for a run", LOGP_MAX_PROCESSORS)
               : NULL;
}

struct problem *check_machine(const struct question *q)
{
    struct logp_delay delay = {0};

    TRY(check_P(q));
    if (q->model.plugin != NULL)
        TRY(make_plugin_delay(q, &delay));
    logp_delay_destroy(&delay);
    return NULL;
}

/* Make a machine with the other processes, if there are any. @return as logp_machine_create() */
static int meet(const struct question *q, struct logp_config *config, struct logp_machine **m)
{
    struct meeting meeting;
    int rc;

    config->parallel = worth_all_cores(q, &config->delay);
    if (config->parallel && config->n_cores == 0)
        config->n_cores = (int)(q->model.P / PER_CORE);
    expect_others(q, &meeting);
    rc = logp_machine_create(config, m);
    end_meeting(&meeting);
    return rc;
}

/* The problem of processes that could not make one machine. */
static struct problem *unlike(const struct question *q)
{
    if (another_says_why())
        return told(EXIT_USAGE);
    return must_be("--transport", q->how.transport,
                   "at least one processor for each process, and the same command, options "
                   "and files for all");
}

/* Write the hardware threads of a set as 0-3,6. */
static const char *shown_set(const cpu_set_t *set, char *text, size_t most)
{
    size_t n = 0;

    text[0] = '\0';
    for (int i = 0; i < CPU_SETSIZE && n < most; i++) {
        const int first = i;

        if (!CPU_ISSET((size_t)i, set))
            continue;
        while (i + 1 < CPU_SETSIZE && CPU_ISSET((size_t)i + 1, set))
            i++;
        n += (size_t)snprintf(text + n, most - n, i > first ? "%s%d-%d" : "%s%d", n > 0 ? "," : "",
                              first, i);
    }
    return text;
}

/* The problem of --cores: one is named twice, or this process may not use it. feigned: NULL, or how many
 * there seem to be */
static struct problem *wrong_cores(const struct question *q, const char *feigned)
{
    const int n = feigned != NULL ? (int)strtol(feigned, NULL, 10) : 0;
    cpu_set_t allowed, named;
    char list[1024];

    CPU_ZERO(&allowed);
    CPU_ZERO(&named);
    if (feigned == NULL)
        sched_getaffinity(0, sizeof(allowed), &allowed);
    for (int i = 0; i < n && i < CPU_SETSIZE; i++)
        CPU_SET((size_t)i, &allowed);
    for (int i = 0; i < q->how.n_cores; i++) {
        const int core = q->how.cores[i];

        if (core >= CPU_SETSIZE || !CPU_ISSET((size_t)core, &allowed))
            return option_problem("--cores", option_text(q, "cores"),
                                  "core %d is not available; these are: %s", core,
                                  shown_set(&allowed, list, sizeof(list)));
        if (CPU_ISSET((size_t)core, &named))
            return option_problem("--cores", option_text(q, "cores"),
                                  "core %d is given twice; name each once", core);
        CPU_SET((size_t)core, &named);
    }
    return must_be("--cores", option_text(q, "cores"),
                   "cores that this process may use, each once");
}

/* The problem of a machine that could not be made. */
static struct problem *refused(const struct question *q, int rc)
{
    const char *feigned = getenv("LOGP_TEST_CORES");

    /* A machine without named cores and other processes has nothing else that is invalid. */
    if (rc == -EINVAL && feigned != NULL && q->how.n_cores == 0 && !over_processes(q))
        return usage_problem("LOGP_TEST_CORES=%s: must be a number of hardware threads, 1 to 4096",
                             feigned);
    if (rc == -EINVAL && q->how.n_cores > 0)
        return wrong_cores(q, feigned);
    if (rc == -ENOENT && over_processes(q))
        return must_be("--transport", q->how.transport, "mailbox, mpi, mpi:openmpi, mpi:mpich");
    if (rc == -ELIBACC)
        return must_be("--transport", q->how.transport, "an MPI that can be loaded: %s",
                       logp_transport_error());
    if (rc == -EINVAL && over_processes(q))
        return unlike(q);
    return failure("cannot make a machine of %lld processors (%s executor): %s%s",
                   (long long)q->model.P, q->how.executor, strerror(-rc),
                   rc == -EAGAIN && !q->how.fibers ? "; try --executor fiber" : "");
}

struct problem *create_machine(const struct question *q, struct logp_machine **out)
{
    const struct logp_network network =
        q->model.planned != NULL ? *q->model.planned : network_of(q);
    struct logp_config config = {
        .size = sizeof(config),
        .n_processors = (int)q->model.P,
        .network = &network,
        .clock = q->how.clock,
        .executor = q->how.executor,
        .cores = q->how.n_cores > 0 ? q->how.cores : NULL,
        .n_cores = q->how.n_cores,
        .placement = q->how.place == PLACE_ROUND_ROBIN ? LOGP_PLACE_ROUND_ROBIN : LOGP_PLACE_BLOCK,
        .transport = q->how.transport,
        .queue_limit = q->how.queue_limit,
        .compare_calls = q->mpi.compare_calls,
        .trust_calls = q->mpi.trust_calls,
        .stack_bytes = q->how.stack_bytes};
    struct logp_machine *m = NULL;
    int rc;

    *out = NULL;
    TRY(partners_of(q, &config.core_of));
    TRY(check_P(q));
    TRY(create_delay(q, &config.delay, &rc));
    if (rc == 0)
        rc = meet(q, &config, &m);
    if (rc != -ENOENT && rc != -ELIBACC)
        q->work->have_met = true;
    if (rc != 0) {
        logp_delay_destroy(&config.delay);
        return refused(q, rc);
    }
    if (over_processes(q) && !all_alike(q, m)) {
        end_machine(q, m);
        return unlike(q);
    }
    warn_of_host(q, m);
    *out = m;
    return NULL;
}

struct problem *try_machine(const struct question *q, struct logp_machine **out)
{
    struct problem *problem = create_machine(q, out);

    if (problem == NULL || problem->code != EXIT_WRONG)
        return problem;
    tell_problem(q, problem);
    return NULL;
}

struct problem *agree_on_place(const struct question *q, struct logp_machine *m)
{
    const bool first = logp_machine_process(m) == 0;
    int64_t error = 0;

    if (first)
        error = place_error(q->form.output);
    logp_machine_agree(m, &error, 1, LOGP_AGREE_MAX);
    if (error != 0 && !first)
        return told(EXIT_USAGE); /* by the first process */
    if (error != 0)
        return must_be("--output", q->form.output, "a file that can be written: %s",
                       strerror((int)error));
    return NULL;
}

void end_machine(const struct question *q, struct logp_machine *m)
{
    if (m == NULL || logp_machine_destroy(m) == 0)
        return;
    q->work->is_over = q->work->is_left = true;
}
