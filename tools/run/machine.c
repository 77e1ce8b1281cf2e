/* SPDX-License-Identifier: MIT */
/* The machine of the options, and its delay model. */
#include "run/run.h"
#include "file/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int create_delay(const struct options *o, struct logp_delay *delay)
{
    const struct logp_network network = network_of(o);
    const struct logp_delay own = o->plugin != NULL ? make_plugin_delay(o) : logp_delay_none();
    const bool is_own = o->plugin != NULL || !o->emulated;

    return logp_network_delay(&network, o->P, is_own ? &own : NULL, delay, NULL);
}

/* Whether several cores can simulate the model at once, and there are enough processors under the
 * virtual clock to make that worth while. */
static bool worth_all_cores(const struct options *o, const struct logp_delay *delay)
{
    const int64_t many = 256;
    struct logp_delay_ops ops;

    return o->clock == LOGP_CLOCK_VIRTUAL && !o->one_core && o->fibers && o->P >= many &&
           o->network.rendezvous_from == 0 && logp_delay_functions(delay, &ops) == 0 &&
           ops.lookahead != NULL && ops.lookahead(delay->model) > 0 &&
           (ops.capacity == NULL || ops.capacity(delay->model) <= 0);
}

/* Print a note, once, if a CPU quota of the host is too small for the cores used. */
static void warn_of_host(const struct options *o, const struct logp_machine *m)
{
    static bool said;
    struct logp_host host;
    const int used = logp_machine_cores(m);

    if (said || o->clock != LOGP_CLOCK_WALL || logp_host_info(&host) != 0)
        return;
    said = true;
    if (host.quota > 0 && host.quota < used)
        say_note("a CPU quota allows %.2f processors' worth of time, and %d cores are used: expect "
                 "stalls; use --cores with fewer",
                 host.quota, used);
}

void check_machine(const struct options *o)
{
    struct logp_delay delay = {0};
    char text[32];

    snprintf(text, sizeof(text), "%lld", (long long)o->P);
    if (o->P > LOGP_MAX_PROCESSORS)
        bad_option("-P", text, "1 .. %d processors for a run", LOGP_MAX_PROCESSORS);
    if (o->plugin != NULL)
        delay = make_plugin_delay(o);
    logp_delay_destroy(&delay);
}

/* Discard stdout: of several processes only the first prints the common output. */
static void be_silent(void)
{
    if (freopen("/dev/null", "w", stdout) == NULL)
        fprintf(stderr, "logp: /dev/null: %s\n", strerror(errno));
}

struct logp_machine *try_machine(const struct options *o)
{
    const struct logp_network network = o->planned != NULL ? *o->planned : network_of(o);
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = (int)o->P,
                                 .network = &network,
                                 .clock = o->clock,
                                 .executor = o->executor,
                                 .cores = o->n_cores > 0 ? o->cores : NULL,
                                 .n_cores = o->n_cores,
                                 .placement = o->place == PLACE_ROUND_ROBIN ? LOGP_PLACE_ROUND_ROBIN
                                                                            : LOGP_PLACE_BLOCK,
                                 .core_of = o->clock == LOGP_CLOCK_WALL ? partners_of(o) : NULL,
                                 .transport = o->transport,
                                 .queue_limit = o->queue_limit,
                                 .compare_calls = o->compare_calls,
                                 .trust_calls = o->trust_calls,
                                 .stack_bytes = o->stack_bytes};
    struct logp_machine *m = NULL;
    timer_t timer;
    bool timed;
    int rc;

    if (o->P > LOGP_MAX_PROCESSORS)
        check_machine(o);
    rc = create_delay(o, &config.delay);
    config.parallel = rc == 0 && worth_all_cores(o, &config.delay);
    timed = expect_others(o, &timer);
    if (rc == 0)
        rc = logp_machine_create(&config, &m);
    if (timed)
        timer_delete(timer);
    if (rc != -ENOENT && rc != -ELIBACC)
        meet_others();
    if (rc == -EINVAL && o->n_cores > 0)
        bad_option("--cores", option_text("cores"),
                   "each core once, of the cores that this process may use");
    if (rc == -ENOENT && over_processes(o))
        bad_option("--transport", o->transport, "mailbox, mpi, mpi:openmpi, mpi:mpich");
    if (rc == -ELIBACC)
        bad_option("--transport", o->transport, "an MPI that can be loaded: %s",
                   logp_transport_error());
    if (rc == 0 && over_processes(o) && !all_alike(o, m)) {
        end_machine(m);
        rc = -EINVAL;
    }
    if (rc == -EINVAL && over_processes(o)) {
        end_if_another_says_why();
        bad_option("--transport", o->transport,
                   "at least one processor for each process, and the same command, options and "
                   "files for all");
    }
    if (rc != 0) {
        say("cannot make a machine of %lld processors (%s executor): %s%s", (long long)o->P,
            o->executor, strerror(-rc),
            rc == -EAGAIN && !o->fibers ? "; try --executor fiber" : "");
        return NULL;
    }
    if (logp_machine_process(m) > 0 && o->rest == NULL) /* a program prints from all processes */
        be_silent();
    warn_of_host(o, m);
    return m;
}

struct logp_machine *create_machine(const struct options *o)
{
    struct logp_machine *m = try_machine(o);

    if (m == NULL)
        exit(EXIT_WRONG);
    return m;
}

void begin_shared_output(const struct options *o, struct logp_machine *m)
{
    const bool first = logp_machine_process(m) == 0;
    int64_t error = 0;

    if (o->output == NULL || !over_processes(o))
        return;
    if (first)
        error = place_error(o->output);
    logp_machine_agree(m, &error, 1, LOGP_AGREE_MAX);
    if (error != 0)
        end_machine(m);
    if (error != 0 && !first)
        exit(EXIT_USAGE);
    if (error != 0)
        bad_option("--output", o->output, "a file that can be written: %s", strerror((int)error));
    if (first)
        begin_answer("--output", o->output);
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
