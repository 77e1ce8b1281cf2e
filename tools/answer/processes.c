/* SPDX-License-Identifier: MIT */
/* The others that a launcher has started with this process: --transport mpi. */
#include "answer/answer.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *transport; /* as on the command line, even if another option is wrong */
static bool have_met;
static const struct timespec while_others_speak = {.tv_nsec = 200000000};

/* Find the transport before the options are parsed; NULL: it is in one process. */
static const char *find_transport(int argc, char **argv)
{
    const char *text = getenv("LOGP_TRANSPORT");
    const size_t n = strlen("--transport");

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], "--transport", n) == 0 && (argv[i][n] == '=' || argv[i + 1] != NULL))
            text = argv[i][n] == '=' ? argv[i] + n + 1 : argv[i + 1];
    return text != NULL && strcmp(text, "mailbox") != 0 ? text : NULL;
}

static bool is_launched(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                            "SLURM_PROCID"};
    bool is = false;

    for (int i = 0; i < 4; i++)
        is |= getenv(variables[i]) != NULL;
    return is;
}

static void abandon(int signal_number)
{
    (void)signal_number;
    _exit(EXIT_USAGE);
}

/*
 * Leave after an error. The other processes wait for this one to make a machine with them: ask for
 * one of 1 processor, which fails in all of them, so that none waits. Until then, a process with
 * the same error learns that it has been reported. A process that never comes is not waited for.
 */
static void leave(void)
{
    const struct logp_config config = {.size = sizeof(config),
                                       .n_processors = 1,
                                       .delay = logp_delay_none(),
                                       .transport = transport};
    struct logp_machine *m = NULL;
    int rc;

    if (have_met)
        return;
    fflush(stderr);
    signal(SIGALRM, abandon);
    alarm(5);
    rc = logp_machine_create(&config, &m);
    if (rc == -ENOENT || rc == -ELIBACC)
        nanosleep(&while_others_speak, NULL);
    logp_machine_destroy(m);
    alarm(0);
}

void join_others(int argc, char **argv)
{
    transport = find_transport(argc, argv);
    if (transport != NULL && is_launched())
        speak_among_others(leave);
}

void meet_others(void)
{
    have_met = true;
}

/* End the process from the timer's thread, because its main thread waits within MPI_Init(). */
static void abandon_others(union sigval timeout_option)
{
    say("%s: MPI_Init() has not returned: a process of the launcher does not call it; start only "
        "logp, with the same options, or give it more time",
        (const char *)timeout_option.sival_ptr);
    nanosleep(&while_others_speak, NULL);
    fflush(NULL);
    _exit(EXIT_WRONG);
}

bool expect_others(const struct question *q, timer_t *timer)
{
    static char option[32];
    struct sigevent end = {.sigev_notify = SIGEV_THREAD,
                           .sigev_notify_function = abandon_others,
                           .sigev_value = {.sival_ptr = option}};
    const struct itimerspec at = {.it_value = {.tv_sec = q->how.timeout_ns / 1000000000,
                                               .tv_nsec = q->how.timeout_ns % 1000000000}};

    if (!over_processes(q) || q->how.timeout_ns == 0)
        return false;
    option_shown("--timeout", option);
    return timer_create(CLOCK_MONOTONIC, &end, timer) == 0 &&
           timer_settime(*timer, 0, &at, NULL) == 0;
}

/* A hash of all settings that must be the same in all processes, whether they come from options,
 * files or the environment. */
static uint64_t number_of(const struct question *q)
{
    const struct names own = {{"output", "cores", "progress"}, 3};
    const struct logp_params *p = &q->model.network.params;
    const struct logp_link_costs *c = &q->model.inter;
    const int64_t values[] = {p->L_ns,
                              p->o_send_ns,
                              p->o_recv_ns,
                              p->g_ns,
                              p->G_ps,
                              p->gamma_ps,
                              p->gap_shared,
                              q->model.unit_ns,
                              q->model.node_size,
                              c->L_ns,
                              c->o_send_ns,
                              c->o_recv_ns,
                              c->g_ns,
                              c->G_ps,
                              q->how.reps,
                              (int64_t)q->how.seed};
    char *text = or_end(options_given(q, &own)), value[32];
    uint64_t hash = hash_text(FIRST_HASH, text);

    free(text);
    for (int i = 0; i < q->line.n_words; i++)
        hash = hash_text(hash_text(hash, " "), q->line.words[i]);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        snprintf(value, sizeof(value), " %lld", (long long)values[i]);
        hash = hash_text(hash, value);
    }
    return hash;
}

bool all_alike(const struct question *q, struct logp_machine *m)
{
    const int64_t mine = (int64_t)number_of(q);
    int64_t least[] = {mine, ~mine}; /* the least ~x is that of the greatest x */

    return logp_machine_agree(m, least, 2, LOGP_AGREE_MIN) == 0 && least[0] == ~least[1];
}
