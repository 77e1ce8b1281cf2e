/* SPDX-License-Identifier: MIT */
/* The other processes that a launcher has started with this one: --transport mpi. */
#include "answer/runs.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Called in the timer's thread, because the main thread waits within MPI_Init(). */
static void give_up(union sigval meeting)
{
    const struct meeting *m = meeting.sival_ptr;

    m->watcher.stuck(
        m->watcher.of,
        failure("%s: MPI_Init() has not returned: a process of the launcher does not "
                "call it; start only logp, with the same options, or give it more time",
                m->option));
}

void expect_others(const struct question *q, struct meeting *meeting)
{
    struct sigevent end = {.sigev_notify = SIGEV_THREAD,
                           .sigev_notify_function = give_up,
                           .sigev_value = {.sival_ptr = meeting}};
    const struct itimerspec at = {.it_value = {.tv_sec = q->how.timeout_ns / 1000000000,
                                               .tv_nsec = q->how.timeout_ns % 1000000000}};

    *meeting = (struct meeting){.watcher = q->work->watcher};
    if (!over_processes(q) || q->how.timeout_ns == 0 || meeting->watcher.stuck == NULL)
        return;
    option_shown(q, "--timeout", meeting->option);
    meeting->is_timed = timer_create(CLOCK_MONOTONIC, &end, &meeting->timer) == 0;
    if (meeting->is_timed)
        timer_settime(meeting->timer, 0, &at, NULL);
}

void end_meeting(struct meeting *meeting)
{
    if (meeting->is_timed)
        timer_delete(meeting->timer);
}

/* A hash of all settings that must be the same in all processes, whether they come from options,
 * files or the environment. */
static uint64_t number_of(const struct question *q)
{
    const struct names own = {{"output", "cores", "progress"}, 3};
    const struct logp_params *p = &q->model.network.params;
    const struct logp_link_costs *c = &q->model.inter, *s = &q->model.inter_sockets;
    const int64_t values[] = {p->L_ns,
                              p->o_send_ns,
                              p->o_recv_ns,
                              p->g_ns,
                              p->G_ps,
                              p->O_ps,
                              p->gamma_ps,
                              p->gap_shared,
                              q->model.unit_ns,
                              q->model.node_size,
                              c->L_ns,
                              c->o_send_ns,
                              c->o_recv_ns,
                              c->g_ns,
                              c->G_ps,
                              s->L_ns,
                              s->o_send_ns,
                              s->o_recv_ns,
                              s->g_ns,
                              s->G_ps,
                              q->how.reps,
                              (int64_t)q->how.seed,
                              q->model.socket_size,
                              q->model.network.ports};
    char *text = need(options_given(q, &own)), value[32];
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
