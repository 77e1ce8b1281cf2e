/* SPDX-License-Identifier: MIT */
/* The machine of the options, and its delay model. */
#include "answer/answer.h"
#include "file/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int create_delay(const struct question *q, struct logp_delay *delay)
{
    const struct logp_network network = network_of(q);
    const struct logp_delay own =
        q->model.plugin != NULL ? make_plugin_delay(q) : logp_delay_none();
    const bool is_own = q->model.plugin != NULL || !q->model.emulated;

    return logp_network_delay(&network, q->model.P, is_own ? &own : NULL, delay, NULL);
}

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

/* Print a note, once, if a CPU quota of the host is too small for the cores used. */
static void warn_of_host(const struct question *q, const struct logp_machine *m)
{
    static bool said;
    struct logp_host host;
    const int used = logp_machine_cores(m);

    if (said || q->how.clock != LOGP_CLOCK_WALL || logp_host_info(&host) != 0)
        return;
    said = true;
    if (host.quota > 0 && host.quota < used)
        say_note("a CPU quota allows %.2f processors' worth of time, and %d cores are used: expect "
                 "stalls; use --cores with fewer",
                 host.quota, used);
}

void check_machine(const struct question *q)
{
    struct logp_delay delay = {0};
    char text[32];

    snprintf(text, sizeof(text), "%lld", (long long)q->model.P);
    if (q->model.P > LOGP_MAX_PROCESSORS)
        bad_option("-P", text, "1 .. %d processors for a run", LOGP_MAX_PROCESSORS);
    if (q->model.plugin != NULL)
        delay = make_plugin_delay(q);
    logp_delay_destroy(&delay);
}

/* Discard stdout: of several processes only the first prints the common output. */
static void be_silent(void)
{
    if (freopen("/dev/null", "w", stdout) == NULL)
        fprintf(stderr, "logp: /dev/null: %s\n", strerror(errno));
}

struct logp_machine *try_machine(const struct question *q)
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
        .core_of = q->how.clock == LOGP_CLOCK_WALL ? partners_of(q) : NULL,
        .transport = q->how.transport,
        .queue_limit = q->how.queue_limit,
        .compare_calls = q->mpi.compare_calls,
        .trust_calls = q->mpi.trust_calls,
        .stack_bytes = q->how.stack_bytes};
    struct logp_machine *m = NULL;
    timer_t timer;
    bool timed;
    int rc;

    if (q->model.P > LOGP_MAX_PROCESSORS)
        check_machine(q);
    rc = create_delay(q, &config.delay);
    config.parallel = rc == 0 && worth_all_cores(q, &config.delay);
    timed = expect_others(q, &timer);
    if (rc == 0)
        rc = logp_machine_create(&config, &m);
    if (timed)
        timer_delete(timer);
    if (rc != -ENOENT && rc != -ELIBACC)
        meet_others();
    if (rc == -EINVAL && q->how.n_cores > 0)
        bad_option("--cores", option_text("cores"),
                   "each core once, of the cores that this process may use");
    if (rc == -ENOENT && over_processes(q))
        bad_option("--transport", q->how.transport, "mailbox, mpi, mpi:openmpi, mpi:mpich");
    if (rc == -ELIBACC)
        bad_option("--transport", q->how.transport, "an MPI that can be loaded: %s",
                   logp_transport_error());
    if (rc == 0 && over_processes(q) && !all_alike(q, m)) {
        end_machine(m);
        rc = -EINVAL;
    }
    if (rc == -EINVAL && over_processes(q)) {
        end_if_another_says_why();
        bad_option("--transport", q->how.transport,
                   "at least one processor for each process, and the same command, options and "
                   "files for all");
    }
    if (rc != 0) {
        say("cannot make a machine of %lld processors (%s executor): %s%s", (long long)q->model.P,
            q->how.executor, strerror(-rc),
            rc == -EAGAIN && !q->how.fibers ? "; try --executor fiber" : "");
        return NULL;
    }
    if (logp_machine_process(m) > 0 &&
        q->line.rest == NULL) /* a program prints from all processes */
        be_silent();
    warn_of_host(q, m);
    return m;
}

struct logp_machine *create_machine(const struct question *q)
{
    struct logp_machine *m = try_machine(q);

    if (m == NULL)
        exit(EXIT_WRONG);
    return m;
}

void begin_shared_output(const struct question *q, struct logp_machine *m)
{
    const bool first = logp_machine_process(m) == 0;
    int64_t error = 0;

    if (q->form.output == NULL || !over_processes(q))
        return;
    if (first)
        error = place_error(q->form.output);
    logp_machine_agree(m, &error, 1, LOGP_AGREE_MAX);
    if (error != 0)
        end_machine(m);
    if (error != 0 && !first)
        exit(EXIT_USAGE);
    if (error != 0)
        bad_option("--output", q->form.output, "a file that can be written: %s",
                   strerror((int)error));
    if (first)
        begin_answer("--output", q->form.output);
}

static void end_at_once(void)
{
    fflush(NULL);
    drop_all_files();
    _Exit(EXIT_WRONG);
}

void end_machine(struct logp_machine *m)
{
    static bool is_left;

    if (logp_machine_destroy(m) == 0)
        return;
    end_runs();
    if (!is_left && atexit(end_at_once) != 0)
        end_at_once();
    is_left = true;
}
