/* SPDX-License-Identifier: MIT */
/* A launcher may have started other processes with this one: --transport mpi. */
#include "commands/command.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
    const char *transport; /* as on the command line, even if another option is wrong */
    const struct work *work;
    void (*give_up)(int signal_number);
} joined;

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

void let_others_speak(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
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
                                       .transport = joined.transport};
    struct logp_machine *m = NULL;
    int rc;

    if (joined.work->have_met)
        return;
    fflush(stderr);
    signal(SIGALRM, joined.give_up);
    alarm(5);
    rc = logp_machine_create(&config, &m);
    if (rc == -ENOENT || rc == -ELIBACC)
        let_others_speak();
    logp_machine_destroy(m);
    alarm(0);
}

void join_others(int argc, char **argv, const struct work *work, void (*give_up)(int))
{
    joined.transport = find_transport(argc, argv);
    joined.work = work;
    joined.give_up = give_up;
    if (joined.transport != NULL && is_launched())
        speak_among_others(leave);
}
