/* SPDX-License-Identifier: MIT */
/* The watcher of the command: a line of progress on stderr, and the end of all runs at Ctrl-C. */
#include "commands/command.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* The machine that Ctrl-C stops. */
static struct logp_machine *volatile running;
static volatile sig_atomic_t interrupted;

static void on_signal(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
    if (running != NULL)
        logp_machine_stop(running, -EINTR);
}

/* Of several processes only the first prints the common output. */
static void be_silent(void)
{
    if (freopen("/dev/null", "w", stdout) == NULL)
        fprintf(stderr, "logp: /dev/null: %s\n", strerror(errno));
}

static void catch_signals(void)
{
    const struct sigaction action = {.sa_handler = on_signal};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void show_running(void *of, struct logp_machine *m)
{
    (void)of;
    if (m != NULL)
        catch_signals();
    if (m != NULL && logp_machine_process(m) > 0)
        be_silent();
    running = m;
}

int run_until_signal(struct logp_machine *m, logp_program program, void *arg, int64_t timeout_ns)
{
    int rc;

    catch_signals();
    running = m;
    rc = interrupted ? -EINTR : logp_machine_run(m, program, arg, timeout_ns);
    running = NULL;
    return rc;
}

static bool stops(void *of)
{
    (void)of;
    return interrupted;
}

static void show_row(void *of, const struct row *row, int done, int total)
{
    (void)of;
    fprintf(stderr, "\rlogp: %s %s: %d of %d runs \033[K", row->algorithm->collective,
            row->algorithm->name, done, total);
    fflush(stderr);
}

static void clear_row(void *of, const struct question *q, const struct logp_invocation *c,
                      const struct row *row)
{
    (void)of;
    (void)q;
    (void)c;
    (void)row;
    fputs("\r\033[K", stderr);
}

static void show_doing(void *of, const char *what)
{
    (void)of;
    fprintf(stderr, "\r%s\033[K", what != NULL ? what : "");
    fflush(stderr);
}

const struct watcher terminal = {.progress = show_row,
                                 .finished = clear_row,
                                 .doing = show_doing,
                                 .running = show_running,
                                 .stops = stops};
